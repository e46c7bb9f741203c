"""Random histories of a results folder: additions, removals and renamings, with releases between them."""

import random
import shutil
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from datetime import date, timedelta
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

from kit.benchmark_files import NAMES, Benchmark, Facts, agent_of, drawn_agent, new_task, new_track, records, slug
from sitegen.pipeline.evaluating import evaluate
from sitegen.pipeline.releasing import lock_release
from sitegen.problems import Problem, errors_of

TODAY = date(2026, 6, 30)
_BEGIN = date(2026, 1, 1)
_TITLES = ("First", "", 'A "large" one: [#2](two.md)', 'More & <a href="more.md">')
_FOUND = ("Broken", "Broken", "A leak", "Odd, isn't it?")
_METRICS = ("dataset_score", "case_score", "perfect_tasks", "cost_per_round")


class History:
    """A results folder that changes step by step; a step that makes `validate` report an error is undone.

    Attributes:
        folder: The results folder.
        told: The steps so far, for debugging a failure.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        """Create a benchmark with one submission."""
        self.folder = folder
        self.told: list[str] = []
        self._dice = random.Random(seed)  # noqa: S311 - a draw that anyone may foresee
        self._state: dict[str, Benchmark] = {"mini": Benchmark.new("mini")}
        self._released = _BEGIN
        self._written()
        self.happens("submit")

    def goes_on(self, steps: int) -> None:
        """Make a number of random changes."""
        for _ in range(steps):
            self.happens(self._dice.choices([*_STEPS, "release", "found"], [*_OFTEN.values(), 5, 1])[0])

    def happens(self, step: str) -> None:
        """Make one change; undo it if it leads to an error."""
        if step == "release":
            self._release()
            return
        before = deepcopy(self._state)
        if step == "found":
            fact = f"other-{len(self._state)}"
            self._state[fact] = Benchmark.new(fact)
        else:
            fact = _STEPS[step](self._dice.choice(list(self._state.values())), self._dice)
            self._state = {benchmark.id: benchmark for benchmark in self._state.values()}
        self._written()
        errors = self.errors()
        if errors:
            self._state = before
            self._written()
        self.told.append(f"{step}: {fact}" + (f" (undone: {errors[0].code})" if errors else ""))

    def errors(self) -> tuple[Problem, ...]:
        """Return the problems that `validate` reports as errors."""
        return errors_of(evaluate(self.folder, TODAY).problems())

    def _release(self) -> None:
        self._released += timedelta(days=self._dice.randint(1, 9))
        title = self._dice.choice(_TITLES)
        if self._released <= TODAY:
            lock_release(self.folder, self._released, title, TODAY)
        self.told.append(f"release: {self._released}")

    def _written(self) -> None:
        for path in self.folder.glob("*") if self.folder.exists() else ():
            if path.is_dir() and path.name != "releases":
                shutil.rmtree(path)
        for benchmark in self._state.values():
            benchmark.write(self.folder / benchmark.id)


def _day(dice: random.Random) -> date:
    return _BEGIN + timedelta(days=dice.randint(0, 120))


def _some(dice: random.Random, names: Iterator[Any] | list[Any]) -> list[Any]:
    """Draw up to two of the given names."""
    unique_names = list(dict.fromkeys(names))
    return dice.sample(unique_names, dice.randint(0, min(2, len(unique_names))))


def _submit(benchmark: Benchmark, dice: random.Random, agent: Facts | None = None, track: Facts | None = None) -> str:
    """Add a submission, often by an agent that a table on the track lists."""
    track = track or dice.choice(benchmark.tracks)
    reported = [agent_of(row) for name, row in benchmark.rows() if name == track["id"]]
    agent = agent or (dice.choice(reported) if reported and dice.random() < 0.6 else drawn_agent(dice))
    day, made = _day(dice), dice.randint(1, track["attempts"])
    name = dice.choice((f"{day}-{slug(agent)}", f"{slug(agent)}-{len(benchmark.bundles)}", slug(agent)))
    if name not in benchmark.bundles:
        manifest = {"schema": 1, "track": track["id"], "date": day, "attempts": made, "agent": agent}
        tasks = benchmark.tasks.get(track.get("tasks", ""), [])
        if len(tasks) > 1 and dice.random() < 0.2:
            manifest["missing"] = [tasks[0]["id"]]
        tasks = [task for task in tasks if task["id"] not in manifest.get("missing", [])]
        rounds = list(records(dice, tasks, made, is_rerun="reference_rounds" in track))
        benchmark.bundles[name] = manifest, rounds
    return name


def _report(benchmark: Benchmark, dice: random.Random) -> str:
    """Add a table; its rows may have the ids of rows in an earlier table."""
    track = dice.choice(benchmark.tracks)
    rows = {}
    for _ in range(dice.randint(1, 4)):
        agent = drawn_agent(dice)
        name = dice.choice((slug(agent), slug(agent), f"{slug(agent)}-{len(benchmark.tables)}"))
        printed = {metric: dice.randint(0, 99) for metric in (track["headline"], *_METRICS) if dice.random() < 0.6}
        rows[name] = {"id": name, **agent, "values": printed}
    name, day = f"table-{dice.randint(0, 99)}", _day(dice)
    about = {"schema": 1, "track": track["id"], "title": name, "source": f"Paper {name}", "date": day}
    errata = [{"about": "Table 1", "note": "A slip", "rows": _some(dice, list(rows))}]
    benchmark.tables.setdefault(name, {**about, "rows": list(rows.values()), "errata": errata})
    return f"{name} of {day} on {track['id']}: {', '.join(rows)}"


def _replace(benchmark: Benchmark, dice: random.Random) -> str:
    """Supersede a submission with a new one, possibly by another agent or on the track's successor."""
    old, manifest = _drawn(benchmark, dice)
    track = next(track for track in benchmark.tracks if track["id"] == manifest["track"])
    later = [later_track for later_track in benchmark.tracks if later_track["id"] == track.get("superseded_by")]
    agent = dice.choice((manifest["agent"], manifest["agent"], drawn_agent(dice)))
    new = _submit(benchmark, dice, agent, dice.choice([track, *later]))
    manifest["status"] = {"state": "superseded", "by": new, "reason": "anew", "date": TODAY}
    return f"{old} by {new}"


def _correct(benchmark: Benchmark, dice: random.Random) -> str:
    """Supersede a submission with a copy that corrects a statement about the agent, as `sitegen correct` does."""
    old, manifest = _drawn(benchmark, dice)
    if old not in benchmark.bundles or manifest.get("status"):
        return "nothing"
    changed = {
        **manifest["agent"],
        dice.choice(("model", "organization", "scaffold")): f"Corrected {dice.randint(0, 9)}",
    }
    rounds = deepcopy(benchmark.bundles[old][1])
    return _revise(benchmark, old, {**deepcopy(manifest), "agent": changed}, rounds, [])


def _run_rounds_again(benchmark: Benchmark, dice: random.Random) -> str:
    """Supersede a submission with a copy that has new results in some rounds, as `sitegen replace-rounds` does."""
    old, manifest = _drawn(benchmark, dice)
    if old not in benchmark.bundles or manifest.get("status"):
        return "nothing"
    rounds = deepcopy(benchmark.bundles[old][1])
    reruns = []
    for record in dice.sample(rounds, min(2, len(rounds))):
        if record["state"] == "scored":
            record["agent_seconds"] = dice.randint(1, 999)
            about = {key: record[key] for key in ("task", "attempt")}
            reruns.append({**about, "rounds": [record["round"]], "start": record.get("start", "own")})
    return _revise(benchmark, old, deepcopy(manifest), rounds, reruns) if reruns else "nothing"


def _revise(benchmark: Benchmark, old: str, manifest: Facts, rounds: list[Facts], reruns: list[Facts]) -> str:
    """Supersede a submission with its revision."""
    new = f"{old[:60]}-r{len(benchmark.bundles)}"
    revision = {"of": old, "date": TODAY, "reason": "drawn", **({"reruns": reruns} if reruns else {})}
    manifest["revisions"] = [*manifest.get("revisions", []), revision]
    benchmark.bundles[new] = manifest, rounds
    benchmark.bundles[old][0]["status"] = {"state": "superseded", "by": new, "reason": "drawn", "date": TODAY}
    return f"{old} by {new}"


def _withdraw(benchmark: Benchmark, dice: random.Random) -> str:
    name, manifest = _drawn(benchmark, dice)
    manifest["status"] = {"state": "withdrawn", "by": "They", "reason": "a slip", "date": TODAY}
    return name


def _drawn(benchmark: Benchmark, dice: random.Random) -> tuple[str, Facts]:
    """Draw a submission; if there is none, return an empty id and a manifest without a submission."""
    nothing: tuple[Facts, list[Facts]] = ({"track": benchmark.tracks[0]["id"], "agent": drawn_agent(dice)}, [])
    name = dice.choice([*benchmark.bundles] or [""])
    return name, benchmark.bundles.get(name, nothing)[0]


def _rename(benchmark: Benchmark, dice: random.Random) -> str:
    """Rename a submission, a track or the benchmark."""
    kind, number = dice.choice(("submission", "submission", "benchmark", "track")), len(benchmark.definition["renamed"])
    benchmark.definition["title"] = f"Mini & {number}"
    if kind == "benchmark":
        old, new = benchmark.id, f"{benchmark.id}-{number}"
        benchmark.definition["id"] = new
    elif kind == "track":
        track = dice.choice(benchmark.tracks)
        old, new = (f"{benchmark.id}/{name}" for name in (track["id"], f"{track['id']}-{number}"))
        _move_track(benchmark, track, f"{track['id']}-{number}")
    else:
        name, manifest = _drawn(benchmark, dice)
        old, new = (f"{benchmark.id}/{manifest['track']}/{bundle_name}" for bundle_name in (name, f"called-{number}"))
        _move_bundle(benchmark, name, f"called-{number}")
    benchmark.definition["renamed"].append({"from": old, "to": new})
    return f"{old} to {new}"


def _move_track(benchmark: Benchmark, track: Facts, name: str) -> None:
    manifests = (manifest for manifest, _ in benchmark.bundles.values())
    for document in chain(manifests, benchmark.tables.values()):
        document["track"] = name if document["track"] == track["id"] else document["track"]
    track["id"] = name


def _move_bundle(benchmark: Benchmark, old: str, new: str) -> None:
    if old in benchmark.bundles:
        benchmark.bundles[new] = benchmark.bundles.pop(old)
    for manifest, _ in benchmark.bundles.values():
        status = manifest.get("status", {})
        status |= {"by": new} if status.get("by") == old else {}
    for finding in benchmark.findings:
        finding["submissions"] = [
            new if submission_name == old else submission_name for submission_name in finding.get("submissions", [])
        ]


def _find(benchmark: Benchmark, dice: random.Random) -> str:
    """Record a finding about some of the results."""
    tasks = [task["id"] for tasks in benchmark.tasks.values() for task in tasks]
    finding = {
        "date": dice.choice((_BEGIN, _day(dice))),
        "kind": dice.choice(("defect", "leak", "note")),
        "title": dice.choice(_FOUND),
        "reason": "drawn",
        "effect": dice.choice(("note", "exclude", "zero", "withdraw")),
        "tracks": _some(dice, [track["id"] for track in benchmark.tracks]),
        "submissions": _some(dice, [*benchmark.bundles]),
        "tasks": _some(dice, tasks),
        "rounds": _some(dice, [1, 2, 3]),
    }
    if finding["tasks"] == ["tidy"] and finding["rounds"] == [1]:
        finding["cases"] = ["case-1"]
    benchmark.findings.append(finding)
    return f"{finding['title']}, {finding['effect']}"


def _run_again(benchmark: Benchmark, dice: random.Random) -> str:
    name, manifest = _drawn(benchmark, dice)
    track = next(track for track in benchmark.tracks if track["id"] == manifest["track"])
    rerun = _submit(benchmark, dice, manifest["agent"], track)
    about = {"date": _day(dice), "kind": "reproduction", "title": "Run again", "submissions": [name], "rerun": rerun}
    benchmark.findings.append(about)
    return f"{name} as {rerun}"


def _waive(benchmark: Benchmark, dice: random.Random) -> str:
    code = dice.choice(("AGENT-TWICE", "ROUND-MISSING", "RELEASE-BUNDLE-DIFFERS"))
    about = {"kind": "waiver", "title": "Let pass", "code": code, "by": "They", "reason": "drawn"}
    benchmark.findings.append({"date": _day(dice), **about})
    return code


def _alias(benchmark: Benchmark, dice: random.Random) -> str:
    """Add an alias for an agent's name, or remove the existing alias."""
    spelling, name = dice.sample(NAMES, 2)
    if benchmark.definition["aliases"].pop(spelling, None) is None:
        benchmark.definition["aliases"][spelling] = name
    return f"{spelling} is {name}"


def _turn(benchmark: Benchmark, dice: random.Random) -> str:
    """Change a track's status, or the metrics that it shows."""
    track, other_track = dice.choice(benchmark.tracks), dice.choice(benchmark.tracks)
    track["status"] = dice.choice(("current", "legacy", "withdrawn"))
    track["headline"] = dice.choice((track["headline"], track["headline"], *_METRICS))
    track["columns"] = [track["headline"], *_some(dice, list(_METRICS))]
    if dice.random() < 0.5 and other_track is not track:
        track["superseded_by"] = other_track["id"]
    return f"{track['id']} is {track['status']}, shows {track['columns']}"


def _open(benchmark: Benchmark, dice: random.Random) -> str:
    """Add a track, with a new task set, an existing one or none."""
    name, tasks = f"track-{len(benchmark.tracks)}", dice.choice([*benchmark.tasks, "own", ""])
    track = new_track(name, dice.choice(("chain", "fail-stop", "once")), tasks)
    if tasks:
        benchmark.tasks.setdefault(tasks, [new_task(f"task-{number}", dice.randint(1, 2)) for number in range(2)])
    benchmark.tracks.append(track)
    return f"{name} with {tasks}"


def _mend(benchmark: Benchmark, dice: random.Random) -> str:
    """Change a task set: a title, a round or a task."""
    name = dice.choice(list(benchmark.tasks))
    tasks = benchmark.tasks[name]
    kind = dice.choice(("title", "round", "task", "set"))
    if kind == "set":
        dice.choice(benchmark.tracks)["tasks"] = name
    elif kind == "title":
        dice.choice(tasks)["title"] = "Mended & more"
    elif kind == "round":
        rounds = dice.choice(tasks)["rounds"]
        rounds.append({"n": len(rounds) + 1})
    else:
        tasks.append(new_task(f"{name}-{len(tasks)}", 1))
    return f"{kind} of {name}"


def _remove(benchmark: Benchmark, dice: random.Random) -> str:
    """Remove a part of the benchmark; the step is undone if a release contains that part."""
    kind = dice.choice(("tables", "rows", "bundles", "findings", "tracks"))
    tables = [table["rows"] for table in benchmark.tables.values() if len(table["rows"]) > 1]
    held: Any = dice.choice([*tables, []]) if kind == "rows" else getattr(benchmark, kind)
    if held:
        held.pop(dice.choice(list(held) if isinstance(held, dict) else range(len(held))))
    return kind


_Step: TypeAlias = Callable[[Benchmark, random.Random], str]
_STEPS: Mapping[str, _Step] = {
    "submit": _submit,
    "report": _report,
    "replace": _replace,
    "correct": _correct,
    "run rounds again": _run_rounds_again,
    "withdraw": _withdraw,
    "rename": _rename,
    "find": _find,
    "run again": _run_again,
    "waive": _waive,
    "alias": _alias,
    "turn": _turn,
    "open": _open,
    "mend": _mend,
    "remove": _remove,
}
_OFTEN: Mapping[str, int] = {name: 5 if name in {"submit", "report"} else 2 for name in _STEPS}
