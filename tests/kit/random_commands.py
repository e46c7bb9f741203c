"""Random sequences of commands by several people; each change is checked like a request.

`CommandWalk` changes a results folder like maintainers and teams, command by command. After each command, the folder
must be valid, the check of the request must answer as documented, and every score must follow from the rewards in the
files.
"""

import json
import random
import re
import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import TypeAlias

from kit.board_checks import score_faults
from kit.board_outputs import ProgramResults
from kit.command import sitegen
from kit.requests import check_line
from kit.results_files import TODAY, BoardFiles, Row, json_rows, read_boards, toml_of
from kit.results_folders import seal
from sitegen.pipeline.evaluating import Evaluation
from sitegen.pipeline.releasing import check_history
from sitegen.problems import errors_of

CLOCK = str(int(datetime.combine(TODAY, time(12), UTC).timestamp()))
"""The current time, as passed to the program."""
Words: TypeAlias = list[str | Path]
FIRST_DAY = date(2026, 1, 5)
HEADS = ("agent", "task", "attempt", "round", "reward", "passed", "total", "agent_seconds")
MALLORY = "github:mallory"
CHECKED_BY_COMMAND = 0.15
"""Share of the changes that are checked with the command instead of the underlying functions."""
NAMES = ("Ash", "Birch", "Cedar", "Ash 2", "Elm & Co", "Fir <3>")


@dataclass(frozen=True)
class Shape:
    """The properties of a benchmark in the walk: tasks with their rounds, and attempts."""

    benchmark: str
    protocol: str
    rounds: Mapping[str, int]
    """The number of rounds, by task."""
    attempts: int


SHAPES = (
    Shape("chain", "chain", {"neat": 2, "tidy": 3, "wide": 1}, 3),
    Shape("once", "once", {f"t{number}": 1 for number in range(8)}, 2),
)


@dataclass(frozen=True)
class Step:
    """An attempted change of the results folder.

    Attributes:
        name: The kind of change.
        words: The command; empty for a change by hand.
        edit: A change by hand, made after the command. It raises ValueError if it does not apply.
        author: The account that opens the request; empty for a change that is committed directly.
        is_hostile: Whether the check of a request must refuse the change.
    """

    name: str
    words: Sequence[str | Path] = ()
    edit: Callable[[], None] | None = None
    author: str = ""
    is_hostile: bool = False


@dataclass
class CommandWalk:
    """A results folder to which commands are applied in turn.

    Attributes:
        work: Folder for the results (`results`), their published state (`base`), and tables.
        dice: The random generator that draws the commands.
        log: The steps so far, for debugging a failure.
        faults: Descriptions of faults; must stay empty.
        done: The number of successful steps, by kind.
        refused: The number of steps that their command refused or that left the folder invalid, by kind.
        stopped: The number of steps that the check of a request refused, by kind.
    """

    work: Path
    dice: random.Random
    log: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    stopped: Counter[str] = field(default_factory=Counter)
    tables: dict[str, Path] = field(default_factory=dict)
    """The table of runs for each submission id, used by `verify`."""
    corrections: list[Step] = field(default_factory=list)
    """Corrections that may need to be corrected again."""
    released: date = FIRST_DAY

    @property
    def results(self) -> Path:
        """The results folder."""
        return self.work / "results"

    @property
    def base(self) -> Path:
        """The published state of the results."""
        return self.work / "base"

    def begin(self) -> None:
        """Import two benchmarks, each with one agent that has made all attempts."""
        self.base.mkdir(parents=True)
        for shape in SHAPES:
            table = self.runs_table(shape, "Max", range(1, shape.attempts + 1))
            arguments = self.import_words(shape, table, "2026-01-02", "--track", "main", "--protocol", shape.protocol)
            self._try(Step("import", arguments))

    def go_on(self, steps: int) -> None:
        """Try a number of steps."""
        names = list(STEPS)
        weights = [weight for weight, _ in STEPS.values()]
        for _ in range(steps):
            (name,) = self.dice.choices(names, weights)
            step = STEPS[name][1](self)
            if step:
                self._try(step)

    # One step

    def _try(self, step: Step) -> None:
        before = snapshot(self.results)
        try:
            if step.words and not self._run(step, before):
                return
            if step.edit:
                self.log.append(f"{step.name}, by hand")
                step.edit()
        except ValueError:
            replace_folder(self.results, self.base)
            return
        if snapshot(self.results) == before:
            self.done[f"{step.name} (nothing new)"] += 1
            return
        program = ProgramResults.of(self.results)
        if self._is_sound(step, program) and self._may_be_merged(step, program.judged):
            replace_folder(self.base, self.results)
            self.done[step.name] += 1
        else:
            replace_folder(self.results, self.base)

    def _run(self, step: Step, before: Mapping[str, bytes]) -> bool:
        """Run a command, and return whether it succeeded; a failed command must not change anything."""
        ended = sitegen(*step.words, folder=self.work, SOURCE_DATE_EPOCH=CLOCK)
        command_line = " ".join(map(str, step.words)).replace(f"{self.work}/", "")
        self.log.append(f"{step.name}: {command_line} -> {ended.returncode}")
        if ended.returncode == 0:
            return True
        printed = ended.stderr + ended.stdout
        self.refused[step.name] += 1
        self.log.append(f"  refused: {printed.strip()[:400]}")
        if ended.returncode not in {1, 2} or "Traceback" in printed:
            self._fault(f"{step.name} ended with {ended.returncode}: {printed}")
        if snapshot(self.results) != before:
            self._fault(f"{step.name} was refused and changed files")
            replace_folder(self.results, self.base)
        return False

    def _fault(self, text: str) -> None:
        self.faults.append("\n".join([*self.log[-12:], text]))

    def _is_sound(self, step: Step, program: ProgramResults) -> bool:
        """Return whether the folder is valid, and check that its scores follow from its files.

        An invalid change by hand is undone. A hostile change is accepted here, because the check of the request must
        find it.
        """
        if step.is_hostile:
            return True
        if program.errors:
            if step.words:
                self._fault(f"after {step.name}: {program.errors[0]}")
            self.refused[step.name] += 1
            self.log.append(f"  invalid: {program.errors[0].code}")
            return False
        files = list(read_boards(self.results))
        for board, output in zip(files, program.boards, strict=True):
            for fault in (*score_faults(board, output), *revision_faults(board, output.rows, self.results)):
                self._fault(f"after {step.name}: {board.track['id']}: {fault}")
        return True

    def _may_be_merged(self, step: Step, judged: Evaluation) -> bool:
        """Return whether a change may be merged, and check that the check of the request answers correctly."""
        author = ("--author", step.author) if step.author else ()
        arguments = ("validate", self.results, "--base", self.base, *author, "--format", "json")
        if self.dice.random() < CHECKED_BY_COMMAND:
            ended = sitegen(*arguments, folder=self.work, SOURCE_DATE_EPOCH=CLOCK)
            report = json.loads(ended.stdout)
            errors = [problem["code"] for problem in report["problems"] if problem["severity"] == "error"]
            if ended.returncode != int(bool(errors)) or report["ok"] == bool(errors):
                self._fault(f"validate ended with {ended.returncode}: {errors}")
        else:
            history = check_history(judged, self.results, str(self.base), self.results, TODAY, step.author or None)
            errors = [problem.code for problem in errors_of([*judged.problems(), *history.problems])]
        is_allowed = not step.is_hostile and is_allowed_change(self.base, self.results, step.author)
        if is_allowed == bool(errors):
            expected = "has to be refused" if not is_allowed else "has to pass"
            self._fault(f"the request of {step.name} by {step.author or 'nobody'} {expected}: {errors[:3]}")
        if errors:
            self.stopped[step.name] += 1
            self.log.append(f"  stopped: {errors[0]}")
        return is_allowed and not errors

    # What is drawn

    def shape(self) -> Shape:
        """Draw a benchmark."""
        return self.dice.choice(SHAPES)

    def manifests(self, shape: Shape, state: str = "published") -> dict[str, Row]:
        """Return the manifests of a benchmark's submissions in the given state, by id."""
        manifests_by_name = {}
        for path in sorted(self.results.glob(f"{shape.benchmark}/submissions/*/submission.toml")):
            manifest = toml_of(path)
            if manifest.get("status", {}).get("state", "published") == state:
                manifests_by_name[path.parent.name] = manifest
        return manifests_by_name

    def tracks(self, shape: Shape) -> dict[str, Row]:
        """Return the tracks of a benchmark by id."""
        definition = toml_of(self.results / shape.benchmark / "benchmark.toml")
        return {track["id"]: track for track in definition["tracks"]}

    def submission(self, shape: Shape) -> tuple[str, Row]:
        """Draw a published submission; if there is none, a superseded or withdrawn one."""
        published = self.manifests(shape) or self.manifests(shape, "superseded") or self.manifests(shape, "withdrawn")
        name = self.dice.choice(list(published))
        return name, published[name]

    def address(self, shape: Shape, name: str, manifest: Row) -> str:
        """Return the address of a submission."""
        return f"{shape.benchmark}/{manifest['track']}/{name}"

    def day(self) -> str:
        """Draw a day on which runs were made."""
        return str(FIRST_DAY + timedelta(days=self.dice.randint(0, 150)))

    def author_of(self, manifest: Row) -> str:
        """Draw who opens a request about a submission: one of its accounts, another account, or an unknown person."""
        accounts = manifest.get("submitter", {}).get("accounts", [])
        return str(self.dice.choice([*accounts, *accounts, MALLORY, ""]))

    def reason(self) -> str:
        """Draw a reason."""
        return self.dice.choice(("An outage", 'A "slip" & more', "<b>Wrong</b>", "Ein Versehen · 失敗"))

    def table(self, rows: Sequence[Sequence[object]]) -> Path:
        """Write a table of runs."""
        path = self.work / f"runs-{len(self.log)}.csv"
        lines = []
        for row in (HEADS, *rows):
            lines.append(",".join(map(str, row)) + "\n")
        path.write_text("".join(lines), encoding="utf-8")
        return path

    def attempts(self, shape: Shape) -> range:
        """Draw the number of attempts, and return it as a range from 1."""
        return range(1, self.dice.randint(1, shape.attempts) + 1)

    def current_track(self, shape: Shape) -> str:
        """Draw the id of a track that is not legacy."""
        current = [name for name, track in self.tracks(shape).items() if track.get("status", "current") == "current"]
        return self.dice.choice(current)

    def new_submissions(self) -> list[Path]:
        """Return the folders of submissions that do not exist in the published state."""
        new = all_manifests(self.results).keys() - all_manifests(self.base).keys()
        return [self.results / benchmark / "submissions" / name for benchmark, name in sorted(new)]

    def request(self, name: str, arguments: Sequence[str | Path], author: str) -> Step:
        """Return a step for a command that compares with the published state and accepts an author."""
        options: list[str | Path] = ["--results", self.results, "--base", self.base]
        options += ["--author", author] if author else []
        return Step(name, [*arguments, *options], author=author)

    def runs_table(self, shape: Shape, agent: str, attempts: Sequence[int]) -> Path:
        """Write a table of all runs of an agent."""
        rows = []
        for attempt in attempts:
            for task, number in shape.rounds.items():
                for round_number in range(1, number + 1):
                    rows.append(self.run(agent, task, attempt, round_number))
        return self.table(rows)

    def run(self, agent: str, task: str, attempt: int, number: int) -> tuple[object, ...]:
        """Draw the run of a round, as a row of a table."""
        total = 4
        passed = self.dice.choice((0, 1, 3, 4, 4))
        return agent, task, attempt, number, int(passed == total), passed, total, self.dice.randint(10, 9999)

    def import_words(self, shape: Shape, table: Path, day: str, *options: str) -> list[str | Path]:
        """Return the command that imports a table."""
        arguments: Words = [
            "import",
            "table",
            table,
            "--into",
            self.results,
            "--benchmark",
            shape.benchmark,
            "--date",
            day,
        ]
        return [*arguments, *options]


def snapshot(folder: Path) -> dict[str, bytes]:
    """Return the contents of a folder's files by relative path."""
    files = {}
    for path in folder.rglob("*"):
        if path.is_file():
            files[path.relative_to(folder).as_posix()] = path.read_bytes()
    return files


def replace_folder(target: Path, source: Path) -> None:
    """Replace a folder with a copy of another one."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)


def revision_faults(board: BoardFiles, rows: Mapping[str, Row], results: Path) -> list[str]:
    """Compare the statements of rows about rounds that were run again with the files of both submissions."""
    faults = []
    scores = {row.id: row.scores.get(board.headline) for row in board.rows}
    digits = board.decimals(board.headline)
    folder = results / str(board.benchmark["id"]) / "submissions"
    for name, row in rows.items():
        for revision in row.get("revisions", ()):
            if not revision["rounds"]:
                continue
            before, after = (records_of(folder / revision[key]) for key in ("of", "by"))
            for rerun in revision["rounds"]:
                record_key = (rerun["task"], rerun["attempt"], rerun["round"])
                rewards = [
                    records[record_key]["reward"] if record_key in records else None for records in (before, after)
                ]
                if before and rerun["reward"] != rewards:
                    faults.append(
                        f"{name}: {record_key} went from {rewards[0]} to {rewards[1]}, said {rerun['reward']}"
                    )
            count = len(revision["rounds"])
            track = toml_of(folder / revision["by"] / "submission.toml")["track"]
            if track != board.track["id"]:  # carried from an earlier version, which has both scores
                if revision["text"] != f"{count} of {len(after)} rounds run again on {track}":
                    faults.append(f"{name} says “{revision['text']}” of {count} rounds on {track}")
                continue
            texts = []
            for key in ("of", "by"):
                value = scores.get(revision[key])
                texts.append("–" if value is None else f"{float(value):.{digits}f}")
            match = re.fullmatch(r"(\d+) of (\d+) \w+ run again: (\S+) to (\S+)", revision["text"])
            expected = (str(count), str(len(after)), *texts)
            if before and (not match or not is_said(match.groups(), expected)):
                faults.append(f"{name} says “{revision['text']}”, expected {expected}")
    return faults


def is_said(texts: Sequence[str], expected: Sequence[str]) -> bool:
    """Return whether texts equal the expected texts, or are numbers that differ only by rounding."""
    for text, expected_text in zip(texts, expected, strict=True):
        if text == expected_text:
            continue
        try:
            difference = abs(float(text) - float(expected_text))
        except ValueError:
            return False
        if difference > 0.11:
            return False
    return True


def records_of(bundle: Path) -> dict[tuple[str, int, int], Row]:
    """Return the records of a submission by task, attempt and round."""
    records = {}
    for row in json_rows(bundle / "rounds.jsonl"):
        records[row["task"], row["attempt"], row["round"]] = row
    return records


def is_allowed_change(base: Path, head: Path, author: str) -> bool:
    """Return whether a request may make a change, according to the manifests of both states.

    A request with a new submission may supersede a published one by the same author, which means one of the listed
    accounts, or the same agent, organization and submitter. It may not change anything else. Submissions carried over
    to a new track, and any request without a new submission, are changes by maintainers.
    """
    before, after = all_manifests(base), all_manifests(head)
    new = after.keys() - before.keys()
    if all("carried" in after[name] for name in new):
        return True
    touched = {name for name in before if before[name] != after[name]}
    for name in touched:
        status = after[name].get("status", {})
        successor = after.get((name[0], status.get("by", "")), {})
        if not is_author_of(before[name], successor, author):
            return False
    paths = {path for path, content in snapshot(head).items() if snapshot_of(base, path) != content}
    allowed_folders = {f"{benchmark}/submissions/{name}/" for benchmark, name in {*new, *touched}}
    allowed_folders |= {f"{benchmark}/" for benchmark, _ in new if not (base / benchmark).exists()}
    return all(path.startswith(tuple(allowed_folders)) for path in paths)


def snapshot_of(folder: Path, name: str) -> bytes | None:
    """Return the content of a file in a folder; None if the file does not exist."""
    path = folder / name
    return path.read_bytes() if path.is_file() else None


def is_author_of(manifest: Row, successor: Row, author: str) -> bool:
    """Return whether a request may supersede a submission, according to its accounts or, without any, to both names."""
    accounts = manifest.get("submitter", {}).get("accounts", [])
    if author and accounts:
        return author in accounts
    if not successor:
        return False
    names = []
    for submission_manifest in (manifest, successor):
        agent = submission_manifest["agent"]
        names.append((agent["name"], agent.get("organization"), submission_manifest.get("submitter", {}).get("name")))
    return names[0] == names[1]


def all_manifests(results: Path) -> dict[tuple[str, str], Row]:
    """Return the manifests of a results folder by benchmark and submission."""
    manifests = {}
    for path in sorted(results.glob("*/submissions/*/submission.toml")):
        manifests[path.parts[-4], path.parent.name] = toml_of(path)
    return manifests


# Commands


def import_new(walk: CommandWalk) -> Step:
    """Import a submission of a new agent: with an account, as a baseline, or under embargo."""
    shape = walk.shape()
    table = walk.runs_table(shape, f"{walk.dice.choice(NAMES)} {len(walk.log)}", walk.attempts(shape))
    arguments = walk.import_words(shape, table, walk.day(), "--track", walk.current_track(shape))
    if walk.dice.random() < 0.4:
        arguments += ["--organization", walk.dice.choice(("Acme", "Bolt & Sons"))]
    head = walk.dice.choice(("", "", "", "baseline = true\n", f"embargo = {TODAY + timedelta(days=3)}\n"))
    tail = walk.dice.choice(("", "", SUBMITTER))

    def state_more() -> None:
        for folder in walk.new_submissions():
            walk.tables[folder.name] = table
            edit_manifest(folder, lambda text: f"{head}{text}{tail}")

    return Step("import", arguments, state_more, walk.dice.choice(("", MALLORY)))


def import_again(walk: CommandWalk) -> Step:
    """Import a complete new run of an agent, which supersedes the agent's published submission."""
    shape = walk.shape()
    _, manifest = walk.submission(shape)
    table = walk.runs_table(shape, manifest["agent"]["name"], walk.attempts(shape))
    arguments = walk.import_words(shape, table, walk.day(), "--track", manifest["track"], "--supersedes", "auto")
    return Step("import --supersedes", arguments, author=walk.author_of(manifest))


def correct(walk: CommandWalk) -> Step:
    """Correct what a submission states about its agent or date."""
    shape = walk.shape()
    name, manifest = walk.submission(shape)
    changes = {
        "--name": f"{walk.dice.choice(NAMES)} {len(walk.log)}",
        "--organization": walk.dice.choice(("Acme", "Bolt & Sons", "")),
        "--model": f"model-{walk.dice.randint(1, 9)}",
        "--scaffold": walk.dice.choice(("Loop", "")),
        "--reasoning": walk.dice.choice(("high", "")),
        "--date": walk.day(),
    }
    arguments: Words = ["correct", walk.address(shape, name, manifest), "--reason", walk.reason()]
    for key in walk.dice.sample(list(changes), walk.dice.randint(1, 2)):
        arguments += [key, changes[key]]
    step = walk.request("correct", arguments, walk.author_of(manifest))
    walk.corrections.append(step)
    return step


def correct_again(walk: CommandWalk) -> Step | None:
    """Repeat one of the last six corrections, if there are any."""
    return walk.dice.choice(walk.corrections[-6:]) if walk.corrections else None


def replace_rounds(walk: CommandWalk) -> Step:
    """Run one to three rounds of a submission again."""
    shape = walk.shape()
    name, manifest = walk.submission(shape)
    records = list(records_of(walk.results / shape.benchmark / "submissions" / name))
    rows = []
    for task, attempt, number in walk.dice.sample(records, min(len(records), walk.dice.randint(1, 3))):
        rows.append(walk.run(manifest["agent"]["name"], task, attempt, number))
    arguments: Words = [
        "replace-rounds",
        walk.address(shape, name, manifest),
        walk.table(rows),
        "--reason",
        walk.reason(),
    ]
    return walk.request("replace-rounds", arguments, walk.author_of(manifest))


def add_attempt(walk: CommandWalk) -> Step:
    """Add a further attempt to a submission."""
    shape = walk.shape()
    name, manifest = walk.submission(shape)
    table = walk.runs_table(shape, manifest["agent"]["name"], range(1, 2))
    address = walk.address(shape, name, manifest)
    arguments: Words = ["add-attempt", address, table, "--results", walk.results, "--date", walk.day()]
    return Step("add-attempt", arguments, author=walk.author_of(manifest))


def withdraw(walk: CommandWalk) -> Step:
    """Withdraw a submission."""
    shape = walk.shape()
    name, manifest = walk.submission(shape)
    arguments: Words = ["withdraw", walk.address(shape, name, manifest), "--reason", walk.reason(), "--by", "Ann"]
    return Step("withdraw", [*arguments, "--results", walk.results], author=walk.author_of(manifest))


def supersede(walk: CommandWalk) -> Step:
    """Supersede a submission with another one on its track."""
    shape = walk.shape()
    name, manifest = walk.submission(shape)
    candidates = [
        candidate for candidate, stated in walk.manifests(shape).items() if stated["track"] == manifest["track"]
    ]
    successor = walk.dice.choice([*candidates, name])
    arguments: Words = ["supersede", walk.address(shape, name, manifest), "--by", successor, "--reason", walk.reason()]
    return Step("supersede", [*arguments, "--results", walk.results], author=walk.author_of(manifest))


def redact(walk: CommandWalk) -> Step:
    """Redact a submission, or the texts of a task."""
    shape = walk.shape()
    name, manifest = walk.submission(shape)
    address = walk.address(shape, name, manifest)
    if walk.dice.random() < 0.3:
        address += f"/{walk.dice.choice(list(shape.rounds))}"
    arguments: Words = ["redact", address, "--reason", walk.reason(), "--by", "Ann", "--results", walk.results]
    return Step("redact", arguments)


def label(walk: CommandWalk) -> Step:
    """Label tasks, possibly with other labels than before."""
    shape = walk.shape()
    lines = ["task,kind"]
    for task in shape.rounds:
        lines.append(f"{task},{walk.dice.choice('ab')}")
    path = walk.work / f"labels-{len(walk.log)}.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    track = walk.tracks(shape)[walk.current_track(shape)]
    arguments: Words = ["label", path, "--benchmark", shape.benchmark, "--label", "kind", "--tasks", track["tasks"]]
    options = ["--replace"] if walk.dice.random() < 0.5 else []
    return Step("label", [*arguments, *options, "--results", walk.results])


def new_track(walk: CommandWalk) -> Step:
    """Create a new version of a track, with one or two changed tasks."""
    shape = walk.shape()
    tracks = walk.tracks(shape)
    arguments = ["new-track", f"{shape.benchmark}/v{len(tracks)}", "--from", walk.current_track(shape)]
    for task in walk.dice.sample(list(shape.rounds), walk.dice.randint(1, 2)):
        arguments += ["--changed", task]
    if walk.dice.random() < 0.7:
        arguments.append("--carry")
    return Step("new-track", [*arguments, "--reason", walk.reason(), "--results", str(walk.results)])


def release(walk: CommandWalk) -> Step:
    """Lock a release, or only record arrivals."""
    if walk.dice.random() < 0.3:
        return Step("release --arrivals", ["release", "--arrivals", "--results", walk.results])
    walk.released += timedelta(days=walk.dice.randint(1, 3))
    title = walk.dice.choice(("", "Summer", 'A "large" <one>'))
    arguments: Words = ["release", str(min(walk.released, TODAY)), "--title", title, "--results", walk.results]
    return Step("release", arguments)


def verify(walk: CommandWalk) -> Step | None:
    """Check rounds of a submission against the table that it was imported from."""
    shape = walk.shape()
    name, manifest = walk.submission(shape)
    if name not in walk.tables:
        return None
    arguments: Words = ["verify", walk.address(shape, name, manifest), "--artifacts", walk.tables[name]]
    sample = walk.dice.choice(("100%", "50%"))
    return Step("verify", [*arguments, "--sample", sample, "--by", "Ann", "--results", walk.results])


def read_only(walk: CommandWalk) -> Step:
    """Run a command that only reads."""
    shape = walk.shape()
    name, manifest = walk.submission(shape)
    out = walk.work / "out"
    shutil.rmtree(out, ignore_errors=True)
    commands: Sequence[Sequence[str | Path]] = (
        ("score", walk.results),
        ("explain", walk.address(shape, name, manifest), "--results", walk.results),
        ("diff", walk.base, walk.results),
        ("export", "every-eval-ever", walk.results, "--into", out),
        ("export", "huggingface", walk.results, "--into", out, "--dataset", "chain=a/b", "--dataset", "once=a/c"),
        ("metrics", "--results", walk.results),
    )
    arguments = walk.dice.choice(commands)
    return Step(" ".join(map(str, arguments[:1])), arguments)


# Changes by hand


def find(walk: CommandWalk) -> Step:
    """Record a finding, or a waiver."""
    shape = walk.shape()
    name, manifest = walk.submission(shape)
    effect = walk.dice.choice(("note", "exclude", "zero", "withdraw"))
    lines = [
        "[[findings]]",
        f"date = {FIRST_DAY + timedelta(days=walk.dice.randint(100, 170))}",
        f'title = "Seen {len(walk.log)}"',
        'reason = "Seen in a transcript"',
        f'tracks = ["{manifest["track"]}"]',
    ]
    if walk.dice.random() < 0.2:
        lines += ['kind = "waiver"', 'code = "AGENT-TWICE"', 'by = "Ann"']
    else:
        lines += ['kind = "defect"', f'effect = "{effect}"', 'by = "Ann"']
        if effect == "withdraw" or walk.dice.random() < 0.6:
            lines.append(f'submissions = ["{name}"]')
        if effect != "withdraw":
            lines.append(f'tasks = ["{walk.dice.choice(list(shape.rounds))}"]')
            lines += ["rounds = [1]"] if walk.dice.random() < 0.5 else []
    path = walk.results / shape.benchmark / "findings.toml"
    text = "\n".join(lines) + "\n"

    def append() -> None:
        earlier = path.read_text(encoding="utf-8") if path.exists() else "schema = 1\n"
        path.write_text(f"{earlier}\n{text}", encoding="utf-8")

    return Step("finding", edit=append)


def maintain(walk: CommandWalk) -> Step:
    """Make a submission a baseline or reverse that, end an embargo, or set a deadline."""
    shape = walk.shape()
    folder = walk.dice.choice(sorted((walk.results / shape.benchmark / "submissions").iterdir()))
    definition = walk.results / shape.benchmark / "benchmark.toml"
    deadline = f"deadline = {walk.day()}\n"

    def set_baseline() -> None:
        if "baseline = true\n" in (folder / "submission.toml").read_text(encoding="utf-8"):
            edit_manifest(folder, lambda text: text.replace("baseline = true\n", ""))
        else:
            edit_manifest(folder, lambda text: f"baseline = true\n{text}")

    def end_embargo() -> None:
        edit_manifest(folder, lambda text: re.sub(r"embargo = .*\n", "", text))

    def set_deadline() -> None:
        text = re.sub(r"deadline = .*\n", "", definition.read_text(encoding="utf-8"))
        definition.write_text(text.replace("protocol = ", f"{deadline}protocol = ", 1), encoding="utf-8")

    name, edit = walk.dice.choice((("baseline", set_baseline), ("embargo", end_embargo), ("deadline", set_deadline)))
    return Step(name, edit=edit)


def tamper(walk: CommandWalk) -> Step:
    """Change published results in a way that is forbidden for everyone."""
    shape = walk.shape()
    home = walk.results / shape.benchmark
    folder = walk.dice.choice(sorted((home / "submissions").iterdir()))

    def better_reward() -> None:
        edit_file(folder / "rounds.jsonl", '"reward": 0, "passed": 0', '"reward": 1, "passed": 4')
        seal(folder)

    def other_agent() -> None:
        edit_manifest(folder, lambda text: text.replace("[agent]\n", '[agent]\nurl = "https://evil.example/"\n'))

    def forget_reruns() -> None:
        edit_manifest(folder, lambda text: swapped(text, "[[revisions]]", "[[revisionz]]").split("[[revisionz]]")[0])

    def remove() -> None:
        shutil.rmtree(folder)

    def forget_findings() -> None:
        (home / "findings.toml").rename(walk.work / "taken.toml")

    def rewrite_release() -> None:
        releases = sorted((walk.results / "releases").glob("*.toml"))
        if not releases:
            raise ValueError
        edit_file(releases[-1], "rank = 1", "rank = 2")

    edits = (better_reward, other_agent, forget_reruns, remove, forget_findings, rewrite_release)
    edit = walk.dice.choice(edits)

    def try_edit() -> None:
        try:
            edit()
        except OSError as error:
            raise ValueError from error

    return Step(f"hostile: {edit.__name__}", edit=try_edit, is_hostile=True)


def tamper_beside(walk: CommandWalk) -> Step:
    """Add a submission, and change parts of the results that belong to others."""
    step = import_new(walk)
    shape = walk.shape()
    submission_names = list(walk.manifests(shape))

    def withdraw_another() -> None:
        if not submission_names:
            raise ValueError
        status = '\n[status]\nstate = "withdrawn"\nreason = "x"\ndate = 2026-06-30\nby = "Eve"\n'
        folder = walk.results / shape.benchmark / "submissions" / walk.dice.choice(submission_names)
        edit_manifest(folder, lambda text: re.sub(r"\n\[status\]\n(?:\w+ = .*\n)*", "\n", text) + status)

    def title_benchmark() -> None:
        path = walk.results / shape.benchmark / "benchmark.toml"
        path.write_text(
            re.sub(r"^title = .*$", 'title = "Mine"', path.read_text(encoding="utf-8"), count=1, flags=re.MULTILINE)
        )

    def record_arrival() -> None:
        path = walk.results / shape.benchmark / "checks.jsonl"
        earlier = path.read_text(encoding="utf-8") if path.exists() else ""
        path.write_text(
            earlier + check_line(path.parent, walk.dice.choice(submission_names or ["x"])), encoding="utf-8"
        )

    edit = walk.dice.choice((withdraw_another, title_benchmark, record_arrival))

    def try_edit() -> None:
        try:
            edit()
        except OSError as error:
            raise ValueError from error

    return Step(f"hostile beside: {edit.__name__}", step.words, try_edit, MALLORY, is_hostile=True)


def edit_manifest(folder: Path, change: Callable[[str], str]) -> None:
    """Change a manifest and update its checksum."""
    path = folder / "submission.toml"
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    seal(folder)


def edit_file(path: Path, old: str, new: str) -> None:
    """Replace the first occurrence of a text in a file; raise ValueError if there is none."""
    path.write_text(swapped(path.read_text(encoding="utf-8"), old, new), encoding="utf-8")


def swapped(text: str, old: str, new: str) -> str:
    """Replace the first occurrence of a text; raise ValueError if there is none."""
    if old not in text:
        raise ValueError(old)
    return text.replace(old, new, 1)


SUBMITTER = '\n[submitter]\nname = "Ada"\ncontact = "ada@acme.example"\naccounts = ["github:ada", "gitlab:ada-b"]\n'

STEPS: Mapping[str, tuple[int, Callable[[CommandWalk], Step | None]]] = {
    "import": (6, import_new),
    "import --supersedes": (3, import_again),
    "correct": (4, correct),
    "correct again": (3, correct_again),
    "replace-rounds": (5, replace_rounds),
    "add-attempt": (3, add_attempt),
    "withdraw": (1, withdraw),
    "supersede": (1, supersede),
    "redact": (1, redact),
    "label": (1, label),
    "new-track": (1, new_track),
    "release": (3, release),
    "verify": (2, verify),
    "read": (2, read_only),
    "finding": (3, find),
    "maintain": (2, maintain),
    "tamper": (3, tamper),
    "tamper beside": (2, tamper_beside),
}
"""The kinds of steps by name, each with its weight in the draw and its function."""
