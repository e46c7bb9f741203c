"""Joins several runs of one agent: the one policy for runs on the same tasks, used by every format."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import Entrant
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rounds import Run
from sitegen.models.submission import Provenance
from sitegen.problems import listed

_VERDICTS = frozenset({"scored", "no_cases", "excluded", "fast_forwarded"})
"""States of rounds that need no second run."""


def join_runs(runs: Sequence[Run], options: ImportOptions, report: Report) -> list[Run]:
    """Return one run for each agent, made of all runs that the source holds of it.

    Runs on different tasks are parts of one run. A run that repeats only attempts without a verdict takes their
    place. For everything else somebody has to decide: `--runs attempts` or `--pick`; without either, the report
    gets an error that names both.

    Args:
        runs: Runs in the order of time. Copies of a run have to be left out before.
        options: Holds `runs` and `pick`.
        report: Takes what was filled, replaced or is to be decided.
    """
    by_agent: defaultdict[Entrant, list[Run]] = defaultdict(list)
    for run in runs:
        by_agent[run.entrant].append(run)
    joined = []
    for agent_runs in by_agent.values():
        if len(agent_runs) == 1:
            joined.append(agent_runs[0])
        else:
            joined.append(_joined(agent_runs, options, report))
    return joined


class _Places:
    """Where each attempt of several runs goes in the run that they become."""

    def __init__(self) -> None:
        self.taken: defaultdict[str, dict[int, _Attempt]] = defaultdict(dict)
        """By task and new attempt number: the attempt that has the place."""

    def without_verdict(self, task: str) -> list[int]:
        """Return the attempts at a task that came to no verdict, in order."""
        return sorted(
            number for number, attempt in self.taken[task].items() if not attempt.has_verdict
        )

    def items(self) -> Iterator[tuple[str, int, "_Attempt"]]:
        """Yield each task, attempt number and the attempt that has the place."""
        for task, attempts in self.taken.items():
            for number, attempt in sorted(attempts.items()):
                yield task, number, attempt


class _Attempt(NamedTuple):
    """One attempt of one of several runs."""

    run: Run
    number: int
    """Its number in that run."""
    has_verdict: bool


def _joined(runs: Sequence[Run], options: ImportOptions, report: Report) -> Run:
    """Return one run made of several runs of the same agent."""
    places = _Places()
    undecided = False
    for run in runs:
        attempts = _attempts_by_task(run)
        repeated = {task for task in attempts if places.taken[task]}
        if repeated and options.runs is None and _can_fill(places, repeated, attempts):
            _fill(places, run, repeated, attempts, report)
            new_tasks = set(attempts) - repeated
        elif repeated and options.runs is None and options.pick is None:
            undecided = True
            continue
        elif options.pick == "first":
            new_tasks = set(attempts) - repeated
        else:
            new_tasks = set(attempts)
        for task in attempts:
            if task not in new_tasks:
                continue
            if options.runs is None:
                places.taken[task] = {attempt.number: attempt for attempt in attempts[task]}
                continue
            for attempt in attempts[task]:
                number = max(places.taken[task], default=0) + 1
                places.taken[task][number] = attempt
    if undecided:
        named = listed(report.name(run.path) for run in runs)
        what = f"{runs[0].entrant} ran several times on the same tasks: {named}"
        report.add(rules.RUNS_SEVERAL, runs[0].path, what)
        return runs[-1]
    used = {id(attempt.run) for _, _, attempt in places.items()}
    for run in runs:
        if id(run) not in used:
            report.doubt(rules.RUN_REPLACED, run.path, run.spot(), report.name(run.path))
    return _merged(runs, places)


def _attempts_by_task(run: Run) -> dict[str, list[_Attempt]]:
    """Return the attempts that a run has at each task, in order."""
    has_verdict: defaultdict[tuple[str, int], bool] = defaultdict(bool)
    for (task, number, _, _), result in run.results.items():
        has_verdict[task, number] |= result.state in _VERDICTS
    attempts: defaultdict[str, list[_Attempt]] = defaultdict(list)
    for (task, number), verdict in sorted(has_verdict.items()):
        attempts[task].append(_Attempt(run, number, verdict))
    return dict(attempts)


def _can_fill(
    places: _Places, repeated: Collection[str], attempts: Mapping[str, Sequence[_Attempt]]
) -> bool:
    """Return whether a run repeats only attempts that had no verdict."""
    return all(len(attempts[task]) <= len(places.without_verdict(task)) for task in repeated)


def _fill(
    places: _Places,
    run: Run,
    repeated: Collection[str],
    attempts: Mapping[str, Sequence[_Attempt]],
    report: Report,
) -> None:
    """Put the attempts of a run in the place of those that had no verdict."""
    for task in sorted(repeated):
        gaps = places.without_verdict(task)
        for number, attempt in zip(gaps, attempts[task], strict=False):
            places.taken[task][number] = attempt
            what = f"{one_line(task)}, attempt {number}, from {report.name(run.path)}"
            report.doubt(rules.RUN_FILLED, run.path, run.spot(), what)


def _merged(runs: Sequence[Run], places: _Places) -> Run:
    """Return a run with the attempts that have a place."""
    first, last = runs[0], runs[-1]
    new_places: defaultdict[tuple[int, str, int], list[int]] = defaultdict(list)
    for task, new_number, placed in places.items():
        new_places[id(placed.run), task, placed.number].append(new_number)
    merged = Run(
        first.path,
        first.entrant,
        _agreed_facts(runs),
        max((run.day for run in runs if run.day), default=None),
        max((number for _, number, _ in places.items()), default=1),
        planned=list(dict.fromkeys(task for run in runs for task in run.planned)),
        missing=_missing(runs, places),
        provenance=_provenance(runs),
        claims=last.claims if all(run.claims == last.claims for run in runs) else None,
        parts=[path for run in runs for path in (run.parts or (run.path,))],
    )
    files: dict[tuple[str, int, int], Path] = {}
    for run in runs:
        for result in run.results.values():
            for number in new_places[id(run), result.task, result.attempt]:
                merged.results[result.task, number, result.round, result.start] = replace(
                    result, attempt=number
                )
        for failure in run.failures:
            for number in new_places[id(run), failure.task, failure.attempt]:
                merged.failures.append(replace(failure, attempt=number))
        for figures in run.figures:
            for number in new_places[id(run), figures.task, figures.attempt]:
                merged.figures.append(replace(figures, attempt=number))
        for (task, attempt, round_number), path in run.files.items():
            for number in new_places[id(run), task, attempt]:
                files[task, number, round_number] = path
    merged.files = files
    if any(run.transcripts for run in runs):
        merged.transcripts = partial(_transcripts, runs, dict(new_places))
    return merged


def _transcripts(
    runs: Sequence[Run], new_places: Mapping[tuple[int, str, int], Sequence[int]]
) -> Iterator[tuple[tuple[str, int], bytes]]:
    """Yield the transcripts of several runs under the attempts that they have now."""
    for run in runs:
        if run.transcripts is None:
            continue
        for (task, attempt), data in run.transcripts():
            for number in new_places.get((id(run), task, attempt), ()):
                yield (task, number), data


def _missing(runs: Sequence[Run], places: _Places) -> list[str]:
    """Return the tasks that some run names as missing and no run has."""
    present = {task for task, _, _ in places.items()}
    missing = dict.fromkeys(task for run in runs for task in run.missing)
    return [task for task in missing if task not in present]


def _agreed_facts(runs: Sequence[Run]) -> dict[str, object]:
    """Return what every run that states a fact about its agent says alike."""
    facts: dict[str, object] = {}
    for key in dict.fromkeys(key for run in runs for key in run.facts):
        values = [run.facts[key] for run in runs if run.facts.get(key) is not None]
        if values and all(value == values[0] for value in values):
            facts[key] = values[0]
    return facts


def _provenance(runs: Sequence[Run]) -> Provenance:
    """Return the provenance of several runs: what all of them state alike, and the time from first to last."""
    records = [run.provenance for run in runs]
    agreed: dict[str, object] = {}
    for name in Provenance.model_fields:
        values = [getattr(record, name) for record in records]
        if all(value == values[0] for value in values):
            agreed[name] = values[0]
    jobs = list(dict.fromkeys(job for record in records for job in record.jobs or ()))
    agreed["jobs"] = tuple(jobs) or None
    agreed["dirty"] = True if any(record.dirty for record in records) else agreed.get("dirty")
    agreed["started"] = _earliest(records)
    agreed["finished"] = _latest(records)
    return Provenance().model_copy(update=agreed)


def _earliest(records: Sequence[Provenance]) -> object:
    times = [record.started for record in records if record.started is not None]
    return min(times, key=str) if len(times) == len(records) else None


def _latest(records: Sequence[Provenance]) -> object:
    times = [record.finished for record in records if record.finished is not None]
    return max(times, key=str) if len(times) == len(records) else None
