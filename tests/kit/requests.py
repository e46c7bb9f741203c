"""Random changes of a results folder: honest changes, and at most one forbidden change.

`RequestMaker` writes a published results folder, and requests as changed copies of it; `try_requests` returns the
outcomes of requests. `BRINGING` and `MAINTAINING` list the honest changes of requests with and without a new
submission; `FORBIDDEN_BESIDE` and `FORBIDDEN_ALONE` list the changes that these requests must not contain.
"""

import gzip
import hashlib
import json
import random
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TypeAlias

from kit.results_folders import ROUNDS, TASKS, json_lines, replaced, seal, write_bundle
from sitegen.models.journal import seed_of
from sitegen.pipeline.evaluating import evaluate
from sitegen.pipeline.releasing import lock_release
from sitegen.problems import errors_of
from sitegen.store.compare.history import history_problems

DAY = date(2026, 7, 10)
RELEASE_DAY = date(2026, 7, 9)
BENCHMARKS = ("alpha", "beta")

_DEFINITION = """\
schema = 1
id = "{name}"
title = "The {name} benchmark"
summary = "Two tracks."
issues = "https://example.org/issues"
verified_from = 0.5

[axes.kind]
title = "Kind"
values = ["tool", "game"]
weights = {{ tool = 2, game = 1 }}

[[tracks]]
id = "main"
title = "Main"
protocol = "chain"
attempts = 2
tasks = "all"
headline = "dataset_score"
columns = ["dataset_score", "case_score"]
groupings = ["kind"]

[[tracks]]
id = "empty"
title = "Empty"
protocol = "chain"
headline = "dataset_score"
columns = ["dataset_score"]

[aliases]
"leader one" = "Leader"
"""

_TABLE = """\
schema = 1
track = "main"
title = "A paper"
source = "https://example.org/paper"
date = 2026-06-01

[[rows]]
id = "paper-agent"
name = "Paper Agent"
values = { dataset_score = 40 }
"""

_NOTE = """
[[findings]]
date = 2026-07-01
kind = "{kind}"
title = "{title}"
reason = "Seen in a transcript."
{more}
"""

_WAIVER = 'code = "AGENT-TWICE"\nby = "Ann"\n'

AGENTS: Mapping[str, tuple[str, str | None]] = {
    "leader": ("Leader", "Lead Labs"),
    "rival": ("Rival", "Rival Works"),
    "plain": ("Plain", None),
}
"""The name and the organization of the agent in each published submission, by submission id."""

_SENDERS = {"leader": "Lea", "rival": "Ria"}
"""The submitters of submissions that name one, by submission id."""


def manifest(agent: str, organization: str | None, sender: str | None = None, track: str = "main") -> str:
    """Return the text of a manifest."""
    lines = ["schema = 1", f'track = "{track}"', "date = 2026-06-25", "attempts = 1"]
    lines += ["", "[agent]", f'name = "{agent}"', f'model = "{agent.lower()}-model"']
    lines += [f'organization = "{organization}"'] if organization else []
    lines += ["", "[submitter]", f'name = "{sender}"'] if sender else []
    return "\n".join(lines) + "\n"


def add_submission(benchmark: Path, name: str, text: str, dice: random.Random) -> Path:
    """Write a submission with random rounds, and return its folder."""
    folder = benchmark / "submissions" / name
    rounds = [dict(record) for record in ROUNDS]
    rounds[0] |= {"agent_seconds": dice.randint(10, 9999)}
    if dice.random() < 0.5:
        rounds[1] |= {"reward": 1, "passed": 4}
    write_bundle(folder, text, rounds)
    return folder


def write_results(folder: Path, dice: random.Random) -> None:
    """Write a published results folder: two benchmarks that share some submission ids."""
    for name in BENCHMARKS:
        benchmark = folder / name
        (benchmark / "tasks").mkdir(parents=True)
        (benchmark / "reported").mkdir()
        (benchmark / "benchmark.toml").write_text(_DEFINITION.format(name=name), encoding="utf-8")
        (benchmark / "tasks" / "all.jsonl").write_text(json_lines(*TASKS), encoding="utf-8")
        (benchmark / "reported" / "paper.toml").write_text(_TABLE, encoding="utf-8")
        findings = _NOTE.format(kind="note", title="Something odd", more="")
        findings += _NOTE.format(kind="waiver", title="Let pass", more=_WAIVER)
        (benchmark / "findings.toml").write_text(f"schema = 1\n{findings}", encoding="utf-8")
        for identity, (agent, organization) in AGENTS.items():
            text = manifest(agent, organization, _SENDERS.get(identity))
            add_submission(benchmark, identity, text, dice)
        add_submission(benchmark, f"only-{name}", manifest(f"Only {name}", "Only Inc"), dice)
        withdrawn = manifest("Gone", "Gone Inc") + '\n[status]\nstate = "withdrawn"\nreason = "x"\ndate = 2026-07-01\n'
        add_submission(benchmark, "gone", withdrawn, dice)
        _append(benchmark / "checks.jsonl", check_line(benchmark, "rival"))
    lock_release(folder, RELEASE_DAY, "First", DAY)


NONCE = "0" * 64
"""A fixed replacement for the random bytes that a check draws."""


def check_line(benchmark: Path, name: str, agreed: int = 3) -> str:
    """Return the journal line that records a check of a submission's rounds."""
    digest = hashlib.sha256((benchmark / "submissions" / name / "SHA256SUMS").read_bytes()).hexdigest()
    about = {
        "submission": name,
        "digest": digest,
        "by": "the maintainers",
        "day": "2026-07-02",
        "seed": seed_of("none", digest, NONCE),
        "nonce": NONCE,
    }
    return json.dumps({**about, "base": "none", "drawn": 3, "of": 3, "agreed": agreed}) + "\n"


@dataclass
class Draft:
    """A request in preparation: the folder to change, and the submissions added to it."""

    folder: Path
    dice: random.Random
    benchmark: Path
    """The benchmark that the request concerns."""
    new: list[str] = field(default_factory=list)
    """Ids of the submissions added to that benchmark."""

    @property
    def other(self) -> str:
        """The name of the other benchmark."""
        return next(name for name in BENCHMARKS if name != self.benchmark.name)

    def path(self, name: str) -> Path:
        """Return the path of a file of the benchmark."""
        return self.benchmark / name

    def submission(self, name: str) -> Path:
        """Return the path of a submission's folder."""
        return self.benchmark / "submissions" / name

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace a text that occurs once in a file of the benchmark."""
        path = self.path(name)
        path.write_text(replaced(path.read_text(encoding="utf-8"), old, new), encoding="utf-8")

    def define(self, old: str, new: str) -> None:
        """Replace a text that occurs once in the benchmark's definition."""
        self.edit("benchmark.toml", old, new)

    def find(self, kind: str, further_lines: str) -> None:
        """Add a finding of the given kind."""
        _append(
            self.path("findings.toml"),
            _NOTE.format(kind=kind, title=f"Added {self.dice.random()}", more=further_lines),
        )

    def state(self, name: str, status: str) -> None:
        """Add a status to a submission without one."""
        path = self.submission(name) / "submission.toml"
        assert "[status]" not in path.read_text(encoding="utf-8")
        _append(path, f"\n[status]\n{status}\n")
        seal(path.parent)

    def bring(self, text: str, name: str = "") -> str:
        """Add a submission to the benchmark; return its id."""
        name = name or f"new-{len(self.new)}"
        add_submission(self.benchmark, name, text, self.dice)
        self.new.append(name)
        return name

    def newcomer(self) -> str:
        """Return the id of a new submission by an agent without published submissions; add it if needed."""
        return "newcomer" if "newcomer" in self.new else self.bring(manifest("Newcomer", "New Inc", "Nia"), "newcomer")


Edit: TypeAlias = Callable[[Draft], object]


def _append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


# Honest changes of a request with a new submission


def new_row(draft: Draft) -> None:
    """Add a submission by an agent without published submissions."""
    draft.bring(manifest(f"Newcomer {len(draft.new)}", "New Inc", "Nia"))


def same_id_as_elsewhere(draft: Draft) -> None:
    """Add a submission with the same id as a submission in another benchmark."""
    draft.bring(manifest("Namesake", "Name Inc"), f"only-{draft.other}")


def supersede_own(draft: Draft) -> None:
    """Add a submission that supersedes the published submission of the same agent."""
    name = draft.dice.choice(list(AGENTS))
    agent, organization = AGENTS[name]
    new = draft.bring(manifest(agent, organization, _SENDERS.get(name)), f"{name}-again")
    draft.state(name, f'state = "superseded"\nby = "{new}"\nreason = "Run again"\ndate = 2026-07-08')


def add_own_attempt(draft: Draft) -> None:
    """Add a submission that supersedes a published one and contains its attempt and a further attempt."""
    new = draft.bring(manifest("Plain", None).replace("attempts = 1", "attempts = 2"), "plain-2-attempts")
    path = draft.submission(new) / "rounds.jsonl"
    published = (draft.submission("plain") / "rounds.jsonl").read_text(encoding="utf-8")
    further_records = published.replace('"attempt": 1', '"attempt": 2')
    path.write_text(published + further_records, encoding="utf-8")
    seal(path.parent)
    draft.state("plain", f'state = "superseded"\nby = "{new}"\nreason = "Further attempts were added"')


def correct_own(draft: Draft) -> None:
    """Add a submission that supersedes a published one, with the same rounds and a different scaffold."""
    agent, organization = AGENTS["rival"]
    text = manifest(agent, organization, _SENDERS["rival"]).replace("[submitter]", 'scaffold = "Loop"\n\n[submitter]')
    new = draft.bring(text, "rival-corrected")
    shutil.copy(draft.submission("rival") / "rounds.jsonl", draft.submission(new) / "rounds.jsonl")
    seal(draft.submission(new))
    draft.state("rival", f'state = "superseded"\nby = "{new}"\nreason = "Another scaffold"')


def withdraw_own_beside(draft: Draft) -> None:
    """Add a submission, and withdraw an earlier submission by the same submitter."""
    agent, organization = AGENTS["leader"]
    draft.bring(manifest(agent, organization, _SENDERS["leader"]), "leader-later")
    draft.state("leader", 'state = "withdrawn"\nby = "Lea"\nreason = "A slip"\ndate = 2026-07-08')


def begin_track(draft: Draft) -> None:
    """Add a track with a task set and a first submission."""
    track = '\n[[tracks]]\nid = "fresh"\ntitle = "Fresh"\nprotocol = "chain"\ntasks = "fresh"\n'
    track += 'headline = "dataset_score"\ncolumns = ["dataset_score"]\n'
    _append(draft.path("benchmark.toml"), track)
    draft.path("tasks/fresh.jsonl").write_text(json_lines(*TASKS), encoding="utf-8")
    text = manifest("Starter", "Start Inc", track="fresh").replace("attempts = 1\n", "")
    name = draft.bring(text, "starter")
    if draft.dice.random() < 0.5:
        draft.find(
            "defect",
            f'effect = "exclude"\ntracks = ["fresh"]\nsubmissions = ["{name}"]\ntasks = ["wide"]',
        )


def fill_empty_track(draft: Draft) -> None:
    """Add the first submission to a track that has no tasks yet."""
    draft.define('title = "Empty"\n', 'title = "Empty"\ntasks = "first"\n')
    draft.path("tasks/first.jsonl").write_text(json_lines(*TASKS), encoding="utf-8")
    draft.bring(manifest("First", "First Inc", track="empty"), "first")


def begin_benchmark(draft: Draft) -> None:
    """Add a benchmark with a first submission."""
    folder = draft.folder / "gamma"
    (folder / "tasks").mkdir(parents=True)
    definition = _DEFINITION.format(name="gamma").replace("[aliases]\n", "").replace('"leader one" = "Leader"\n', "")
    (folder / "benchmark.toml").write_text(definition, encoding="utf-8")
    (folder / "tasks" / "all.jsonl").write_text(json_lines(*TASKS), encoding="utf-8")
    add_submission(folder, "leader", manifest("Gamma Agent", "Gamma Inc"), draft.dice)


def note_about_own(draft: Draft) -> None:
    """Add an unsigned note about the new submission."""
    draft.find("note", f'submissions = ["{draft.newcomer()}"]')


BRINGING: tuple[Edit, ...] = (
    new_row,
    same_id_as_elsewhere,
    supersede_own,
    add_own_attempt,
    correct_own,
    withdraw_own_beside,
    begin_track,
    fill_empty_track,
    begin_benchmark,
    note_about_own,
)

# Honest changes of a request without a new submission


def withdraw_row(draft: Draft) -> None:
    """Withdraw a submission, as its submitter or a maintainer may."""
    name = draft.dice.choice(("leader", "plain"))
    draft.state(name, 'state = "withdrawn"\nby = "They"\nreason = "A slip"\ndate = 2026-07-08')


def supersede_row(draft: Draft) -> None:
    """Mark a submission as superseded by another published one."""
    draft.state("rival", 'state = "superseded"\nby = "gone"\nreason = "Named otherwise"')


def record_finding(draft: Draft) -> None:
    """Record a maintainer's finding."""
    scope = draft.dice.choice(('submissions = ["leader"]', 'tasks = ["wide"]', 'tracks = ["main"]'))
    effect = draft.dice.choice(("note", "zero", "exclude"))
    draft.find(
        draft.dice.choice(("defect", "leak")),
        f'effect = "{effect}"\nby = "the maintainers"\n{scope}',
    )


def record_waiver(draft: Draft) -> None:
    """Record a waiver of a rule."""
    draft.find("waiver", 'code = "CLAIM-DIFFERS"\nby = "Ann"\nsubmissions = ["rival"]')


def define_otherwise(draft: Draft) -> None:
    """Change a part of the benchmark's definition that affects its board."""
    old, new = draft.dice.choice(
        (
            ("verified_from = 0.5", "verified_from = 0.25"),
            ('title = "Main"', 'title = "Main track"'),
            ("tool = 2", "tool = 3"),
            ('issues = "https://example.org/issues"', 'issues = "https://example.org/new"'),
        )
    )
    draft.define(old, new)


def add_track(draft: Draft) -> None:
    """Add a track without submissions."""
    track = '\n[[tracks]]\nid = "later"\ntitle = "Later"\nheadline = "dataset_score"\ncolumns = ["dataset_score"]\n'
    _append(draft.path("benchmark.toml"), track)


def add_benchmark(draft: Draft) -> None:
    """Add a benchmark without submissions."""
    folder = draft.folder / "delta"
    folder.mkdir()
    definition = 'schema = 1\nid = "delta"\ntitle = "Delta"\n\n[[tracks]]\nid = "main"\ntitle = "Main"\n'
    definition += 'headline = "dataset_score"\ncolumns = ["dataset_score"]\n'
    (folder / "benchmark.toml").write_text(definition, encoding="utf-8")


def title_task(draft: Draft) -> None:
    """Give a task a title."""
    draft.edit("tasks/all.jsonl", '{"id": "tidy",', '{"id": "tidy", "title": "Tidy up",')


def add_check(draft: Draft) -> None:
    """Record that a submission was checked."""
    _append(draft.path("checks.jsonl"), check_line(draft.benchmark, "leader", draft.dice.choice((2, 3))))


def register(draft: Draft) -> None:
    """Register planned runs."""
    line = {"agent": "Soon", "track": "main", "attempts": 1, "day": "2026-07-08"}
    _append(draft.path("registrations.jsonl"), json.dumps(line) + "\n")


def rename_row(draft: Draft) -> None:
    """Rename a submission, and record both addresses in the definition."""
    draft.submission("plain").rename(draft.submission("plain-1"))
    name = draft.benchmark.name
    draft.define(
        "[aliases]",
        f'[[renamed]]\nfrom = "{name}/main/plain"\nto = "{name}/main/plain-1"\n\n[aliases]',
    )


def pack_again(draft: Draft) -> None:
    """Add a comment to the definition, as an editor may."""
    draft.define("schema = 1\n", "schema = 1 # of the format\n")


MAINTAINING: tuple[Edit, ...] = (
    withdraw_row,
    supersede_row,
    record_finding,
    record_waiver,
    define_otherwise,
    add_track,
    add_benchmark,
    title_task,
    add_check,
    register,
    rename_row,
    pack_again,
)

# Changes that no request with a new submission may make


def _defined(old: str, new: str) -> Edit:
    return lambda draft: draft.define(old, new)


def _found(kind: str, further_lines: str) -> Edit:
    """Return an edit that adds a finding; `NEW` is replaced by the id of the new submission."""
    return lambda draft: draft.find(kind, further_lines.replace("NEW", draft.newcomer()))


def _stated(name: str, status: str) -> Edit:
    """Return an edit that changes the status of a published submission that the request does not touch otherwise."""

    def state(draft: Draft) -> None:
        assert not any(new_name.startswith(f"{name}-") for new_name in draft.new), "its own"
        path = draft.submission(name) / "submission.toml"
        text = path.read_text(encoding="utf-8").partition("\n[status]")[0]
        path.write_text(f"{text}\n[status]\n{status.replace('NEW', draft.newcomer())}\n", encoding="utf-8")
        seal(path.parent)

    return state


def _renamed_from_nowhere(then: Edit) -> Edit:
    """Return an edit that passes off new submissions as renamed ones, and then makes a forbidden edit."""

    def rename(draft: Draft) -> None:
        draft.newcomer()
        home, renamings = draft.benchmark.name, ""
        for name in draft.new:
            renamings += f'[[renamed]]\nfrom = "{home}/main/never-{name}"\nto = "{home}/main/{name}"\n\n'
        draft.define("[aliases]", f"{renamings}[aliases]")
        then(draft)

    return rename


def _under_a_name(organization: str | None, sender: str | None) -> Edit:
    """Return an edit that supersedes the leader under the same name, but with another organization or submitter."""

    def supersede(draft: Draft) -> None:
        name = draft.bring(manifest("Leader", organization, sender), "usurper")
        draft.new.remove(name)
        _stated("leader", f'state = "superseded"\nby = "{name}"')(draft)

    return supersede


def _checks_itself(draft: Draft) -> None:
    _append(draft.path("checks.jsonl"), check_line(draft.benchmark, draft.newcomer()))


def _checks_a_namesake(draft: Draft) -> None:
    """Add a submission with the same id as one in another benchmark, and a check of it."""
    same_id_as_elsewhere(draft)
    _append(draft.path("checks.jsonl"), check_line(draft.benchmark, draft.new[-1]))


def _arrives_as_a_namesake(draft: Draft) -> None:
    """Add a submission with the same id as one in another benchmark, and record its arrival."""
    same_id_as_elsewhere(draft)
    _append_arrival(draft, draft.new[-1])


def _fails_the_leader(draft: Draft) -> None:
    draft.newcomer()
    _append(draft.path("checks.jsonl"), check_line(draft.benchmark, "rival", 1))


def _arrives_first(draft: Draft) -> None:
    _append_arrival(draft, draft.newcomer())


def _append_arrival(draft: Draft, name: str) -> None:
    path = draft.folder / "arrivals.jsonl"
    before = hashlib.sha256(path.read_bytes().splitlines()[-1]).hexdigest()
    number = len(path.read_bytes().splitlines()) + 1
    line = {"n": number, "bundle": f"{draft.benchmark.name}/{name}", "digest": "0" * 64}
    _append(path, json.dumps({**line, "seen": "2026-01-01", "before": before}) + "\n")


def _edits_rounds(draft: Draft) -> None:
    path = draft.submission("rival") / "rounds.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace('"passed": 3', '"passed": 2', 1), encoding="utf-8")
    seal(path.parent)


def _comments_on_a_rival(draft: Draft) -> None:
    """Change only a comment in a manifest, which would invalidate checks of the submission's files."""
    assert not any(new_name.startswith("rival-") for new_name in draft.new), "its own"
    draft.newcomer()
    _append(draft.submission("rival") / "submission.toml", "# seen\n")
    seal(draft.submission("rival"))


def _in_turn(*edits: Edit) -> Edit:
    """Return an edit that makes several edits one after another."""

    def make_all(draft: Draft) -> None:
        for edit in edits:
            edit(draft)

    return make_all


def _brings(text: str, name: str) -> Edit:
    return lambda draft: draft.bring(text, name)


def _rewrites(name: str, text: str) -> Edit:
    """Return an edit that rewrites the manifest of a published submission."""

    def rewrite(draft: Draft) -> None:
        (draft.submission(name) / "submission.toml").write_text(text, encoding="utf-8")
        seal(draft.submission(name))

    return rewrite


def _adds_a_file(draft: Draft) -> None:
    (draft.submission("rival") / "failures.jsonl.gz").write_bytes(gzip.compress(b"{}\n", mtime=0))
    seal(draft.submission("rival"))


def _renames_with_other_rounds(draft: Draft) -> None:
    if draft.submission("plain").exists():
        rename_row(draft)
    path = draft.submission("plain-1") / "rounds.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace('"passed": 3', '"passed": 2', 1), encoding="utf-8")
    seal(path.parent)


def _removes(name: str) -> Edit:
    def remove(draft: Draft) -> None:
        path = draft.benchmark / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()

    return remove


def _writes(name: str, text: str) -> Edit:
    """Return an edit that writes a file below the results folder; `HOME` is replaced by the benchmark's name."""

    def write(draft: Draft) -> None:
        path = draft.folder / name.replace("HOME", draft.benchmark.name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    return write


def _hijacks_from_a_new_benchmark(draft: Draft) -> None:
    begin_benchmark(draft)
    table = '\n[[redirects]]\nfrom = "alpha/main/leader/"\nto = "gamma/main/leader"\n'
    _append(draft.folder / "gamma" / "benchmark.toml", table)


def _waives_in_a_new_benchmark(draft: Draft) -> None:
    begin_benchmark(draft)
    text = _NOTE.format(kind="waiver", title="Let pass", more=_WAIVER)
    (draft.folder / "gamma" / "findings.toml").write_text(f"schema = 1\n{text}", encoding="utf-8")


def _checks_in_a_new_benchmark(draft: Draft) -> None:
    begin_benchmark(draft)
    _append(draft.folder / "gamma" / "checks.jsonl", check_line(draft.folder / "gamma", "leader"))


def _clusters_with_a_new_track(draft: Draft) -> None:
    begin_track(draft)
    draft.define(
        '[[tracks]]\nid = "main"',
        '[axes.repo]\ntitle = "Repository"\ncluster = true\n\n[[tracks]]\nid = "main"',
    )


def _puts_a_track_first(draft: Draft) -> None:
    begin_track(draft)
    text = draft.path("benchmark.toml").read_text(encoding="utf-8")
    head, _, track = text.rpartition("\n[[tracks]]")
    moved = head.replace('[[tracks]]\nid = "main"', f'[[tracks]]{track}\n[[tracks]]\nid = "main"')
    draft.path("benchmark.toml").write_text(moved, encoding="utf-8")


_REDACTION = (
    'by = "Ann"\nsubmissions = ["rival"]\ntasks = ["tidy"]\n[findings.digests]\n"rounds.jsonl" = "' + "0" * 64 + '"'
)
_RERUN = 'by = "Ann"\nsubmissions = ["rival"]\nrerun = "NEW"'

FORBIDDEN_BESIDE: Mapping[str, Edit] = {
    "withdraws a rival": _stated("rival", 'state = "withdrawn"\nby = "Ria"\nreason = "x"\ndate = 2026-07-08'),
    "supersedes a rival": _stated("rival", 'state = "superseded"\nby = "NEW"'),
    "says otherwise why a row was withdrawn": _stated(
        "gone", 'state = "withdrawn"\nreason = "It cheated."\ndate = 2026-07-01'
    ),
    "supersedes the leader as another organization": _under_a_name("Evil Inc", "Lea"),
    "supersedes the leader as another submitter": _under_a_name("Lead Labs", "Eve"),
    "supersedes the leader without a submitter": _under_a_name("Lead Labs", None),
    "supersedes the leader by an alias": _in_turn(
        _defined('"leader one" = "Leader"', '"leader one" = "Leader"\n"Usurper" = "Leader"'),
        _brings(manifest("Usurper", "Lead Labs", "Lea"), "usurper"),
        _stated("leader", 'state = "superseded"\nby = "usurper"'),
    ),
    "is renamed from nowhere and withdraws": _renamed_from_nowhere(
        _stated("rival", 'state = "withdrawn"\nreason = "x"')
    ),
    "is renamed from nowhere and redacts": _renamed_from_nowhere(_found("redaction", _REDACTION)),
    "is renamed from nowhere and reproduces": _renamed_from_nowhere(_found("reproduction", _RERUN)),
    "is renamed from nowhere alone": _renamed_from_nowhere(lambda _: None),
    "checks itself": _checks_itself,
    "checks a namesake": _checks_a_namesake,
    "fails the check of another row": _fails_the_leader,
    "arrives first": _arrives_first,
    "arrives as a namesake": _arrives_as_a_namesake,
    "registers its runs": register,
    "edits rounds": _edits_rounds,
    "comments on a rival": _comments_on_a_rival,
    "renames a published row": rename_row,
    "removes a rival": _removes("submissions/rival"),
    "changes the headline": _defined(
        'headline = "dataset_score"\ncolumns = ["dataset_score", "c',
        'headline = "case_score"\ncolumns = ["dataset_score", "c',
    ),
    "changes columns": _defined('["dataset_score", "case_score"]', '["dataset_score"]'),
    "changes weights": _defined("tool = 2", "tool = 9"),
    "changes verified_from": _defined("verified_from = 0.5", "verified_from = 0.01"),
    "hides columns": _defined('groupings = ["kind"]', 'groupings = ["kind"]\nhide = ["evidence"]'),
    "withdraws the track": _defined('title = "Main"', 'title = "Main"\nstatus = "withdrawn"\nreason = "x"'),
    "ends the track": _defined('title = "Main"', 'title = "Main"\nstatus = "legacy"'),
    "changes attempts": _defined("attempts = 2", "attempts = 1"),
    "titles the benchmark": _defined('title = "The', 'title = "The new'),
    "sends problems elsewhere": _defined("https://example.org/issues", "https://example.net/issues"),
    "simulates the benchmark": _defined("verified_from", "simulated = true\nverified_from"),
    "names an alias": _defined('"leader one" = "Leader"', '"leader one" = "Leader"\n"Newcomer" = "Leader"'),
    "adds a track that it does not enter": add_track,
    "clusters with a new track": _clusters_with_a_new_track,
    "puts a track before the others": _puts_a_track_first,
    "declares a metric of the catalogue": _in_turn(
        begin_track,
        lambda draft: _append(
            draft.path("benchmark.toml"),
            '\n[[metrics]]\nid = "case_score"\ntitle = "Cases"\nof = "reward"\n',
        ),
    ),
    "titles a published task": title_task,
    "links a published task": lambda draft: draft.edit(
        "tasks/all.jsonl", '{"id": "tidy",', '{"id": "tidy", "url": "https://example.net/",'
    ),
    "labels a published task": lambda draft: draft.edit("tasks/all.jsonl", '"kind": "tool"', '"kind": "game"'),
    "adds a task set that nobody uses": _writes("HOME/tasks/more.jsonl", json_lines(*TASKS)),
    "excludes a task": _found("defect", 'effect = "exclude"\ntasks = ["wide"]'),
    "excludes a task of its own row": _found("defect", 'effect = "exclude"\ntasks = ["wide"]\nsubmissions = ["NEW"]'),
    "counts a rival 0": _found("leak", 'effect = "zero"\nsubmissions = ["rival"]'),
    "withdraws a rival by a finding": _found("leak", 'effect = "withdraw"\nsubmissions = ["rival"]'),
    "notes something about a rival": _found("note", 'submissions = ["rival"]'),
    "notes something about all": _found("note", ""),
    "signs a note as the maintainers": _found("note", 'by = "the maintainers"\nsubmissions = ["NEW"]'),
    "waives its own claim": _found("waiver", 'code = "CLAIM-DIFFERS"\nby = "Ann"\nsubmissions = ["NEW"]'),
    "redacts a rival": _found("redaction", _REDACTION),
    "reproduces a rival": _found("reproduction", _RERUN),
    "reproduces itself": _found("reproduction", 'by = "Ann"\nsubmissions = ["NEW"]\nrerun = "rival"'),
    "ends a waiver": lambda draft: draft.edit(
        "findings.toml", _NOTE.format(kind="waiver", title="Let pass", more=_WAIVER), ""
    ),
    "reports a table": _writes("HOME/reported/other.toml", _TABLE.replace("paper-agent", "other-agent")),
    "changes a table": lambda draft: draft.edit("reported/paper.toml", "dataset_score = 40", "dataset_score = 4"),
    "locks a release": _writes("releases/2026-07-10.toml", "schema = 1\ndate = 2026-07-10\n"),
    "changes a release": lambda draft: _append(draft.folder / "releases" / f"{RELEASE_DAY}.toml", "# seen\n"),
    "writes another file": _writes("README.md", "Read this.\n"),
    "hijacks an address from a new benchmark": _hijacks_from_a_new_benchmark,
    "waives in a new benchmark": _waives_in_a_new_benchmark,
    "checks itself in a new benchmark": _checks_in_a_new_benchmark,
    "adds an empty benchmark": add_benchmark,
}
"""Changes that are forbidden in a request with a new submission, by name."""

FORBIDDEN_ALONE: Mapping[str, Edit] = {
    "edits rounds": _edits_rounds,
    "removes a submission": _removes("submissions/gone"),
    "removes the findings": _removes("findings.toml"),
    "brings back what was withdrawn": _rewrites("gone", manifest("Gone", "Gone Inc")),
    "renames with other rounds": _renames_with_other_rounds,
    "takes checks back": lambda draft: draft.path("checks.jsonl").write_text("", encoding="utf-8"),
    "takes arrivals back": lambda draft: (draft.folder / "arrivals.jsonl").write_text("", encoding="utf-8"),
    "changes a release": lambda draft: (draft.folder / "releases" / f"{RELEASE_DAY}.toml").write_text(
        "schema = 1\n", encoding="utf-8"
    ),
    "changes attempts": _defined("attempts = 2", "attempts = 1"),
    "adds a task": lambda draft: _append(draft.path("tasks/all.jsonl"), '{"id": "more", "rounds": [{"n": 1}]}\n'),
    "adds a file to a submission": _adds_a_file,
    "changes an agent": _rewrites("rival", manifest("Rival", "Other Inc")),
}
"""Changes that are forbidden with or without a new submission, by name."""


class RequestMaker:
    """A writer of requests, which are changed copies of one published results folder."""

    def __init__(self, work: Path) -> None:
        """Write the published folder below `work`."""
        self.base = work / "base"
        self.head = work / "head"
        write_results(self.base, random.Random(0))  # noqa: S311 - a draw that anyone may foresee

    def only(self, *edits: Edit) -> None:
        """Write a request that consists of the given edits of the first benchmark."""
        self._begin()
        draft = Draft(self.head, random.Random(0), self.head / BENCHMARKS[0])  # noqa: S311
        for edit in edits:
            edit(draft)

    def _begin(self) -> None:
        shutil.rmtree(self.head, ignore_errors=True)
        shutil.copytree(self.base, self.head, copy_function=shutil.copyfile)

    def request(self, dice: random.Random, forbidden: str | None = None, *, brings: bool = True) -> list[str]:
        """Write a request in place of the previous one; return the names of its edits.

        Args:
            dice: The random generator that draws the edits.
            forbidden: The name of the forbidden edit to include, from `FORBIDDEN_BESIDE` or `FORBIDDEN_ALONE`; may be
                None.
            brings: Whether the request adds a submission.
        """
        self._begin()
        draft = Draft(self.head, dice, self.head / dice.choice(BENCHMARKS))
        edits = dice.sample(BRINGING if brings else MAINTAINING, dice.randint(1, 3))
        wrong = (FORBIDDEN_BESIDE if brings else FORBIDDEN_ALONE)[forbidden] if forbidden else None
        done: list[str] = []
        for edit in [*edits, *([wrong] if wrong else [])]:
            before, new = self._snapshot(), list(draft.new)
            try:
                edit(draft)
            except (AssertionError, OSError):  # two edits of the same content
                self._restore(before)
                draft.new[:] = new
                if edit is wrong:
                    return self.request(dice, forbidden, brings=brings)
                continue
            done.append(forbidden if edit is wrong and forbidden else getattr(edit, "__name__", "edit"))
        if not done or (brings and not self._has_new()):
            return self.request(dice, forbidden, brings=brings)
        return done

    def _has_new(self) -> bool:
        had = {path.relative_to(self.base) for path in self.base.glob("*/submissions/*")}
        return any(path.relative_to(self.head) not in had for path in self.head.glob("*/submissions/*"))

    def _snapshot(self) -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in self.head.rglob("*") if path.is_file()}

    def _restore(self, files: Mapping[Path, bytes]) -> None:
        shutil.rmtree(self.head)
        for path, data in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


@dataclass
class Tally:
    """The outcome of random requests."""

    tried: int = 0
    passed: list[str] = field(default_factory=list)
    """Requests with a forbidden change that were accepted."""
    refused: list[str] = field(default_factory=list)
    """Honest requests that were refused, each with the first error."""


def try_requests(maker: RequestMaker, seeds: Iterable[int]) -> Tally:
    """Return the outcomes of random requests, one for each seed.

    About a third of the requests are honest; each of the others contains one forbidden change.
    """
    tally = Tally()
    for seed in seeds:
        dice = random.Random(seed)  # noqa: S311 - a draw that anyone may foresee
        brings = dice.random() < 0.7
        names = FORBIDDEN_BESIDE if brings else FORBIDDEN_ALONE
        forbidden = dice.choice(list(names)) if dice.random() < 0.67 else None
        done = ", ".join(maker.request(dice, forbidden, brings=brings))
        errors = list(errors_of(history_problems(maker.base, maker.head)))
        if not forbidden:
            errors += errors_of(evaluate(maker.head, DAY).problems())
        tally.tried += 1
        if forbidden and not errors:
            tally.passed.append(f"request {seed}: {done}")
        if errors and not forbidden:
            tally.refused.append(f"request {seed}: {done}: {errors[0]}")
    return tally
