"""Join several runs of one agent, using the same policy for every format.

`join_runs` returns the joined run. `choose_attempts` only decides which attempts of which runs
become the attempts of the joined run.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias, assert_never

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import RankedAgent
from sitegen.importers.kit.import_log import ImportLog, SourceLocation
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rounds import AgentResults
from sitegen.models.submission import Provenance
from sitegen.problems import listed

_VERDICTS = frozenset({"scored", "no_cases", "excluded", "fast_forwarded"})
"""States of rounds that need not be run again."""


def join_runs(
    runs: Sequence[AgentResults], options: ImportOptions, log: ImportLog
) -> list[AgentResults]:
    """Return one run for each agent, joined from all of the agent's runs in the source.

    Runs on different tasks are parts of one run. A run that repeats only attempts without a verdict
    replaces those attempts. In all other cases the user must decide with `--runs attempts` or
    `--pick`; if neither option is given, the log gets an error that names both options.

    Args:
        runs: Runs in chronological order, without copies of the same run.
        options: The options `runs` and `pick`.
        log: Receives notes on filled or replaced attempts, and an error if the user must decide.
    """
    by_agent: defaultdict[RankedAgent, list[AgentResults]] = defaultdict(list)
    for run in runs:
        by_agent[run.entrant].append(run)
    joined = []
    for agent_runs in by_agent.values():
        if len(agent_runs) == 1:
            joined.append(agent_runs[0])
        else:
            joined.append(_join(agent_runs, options, log))
    return joined


class AttemptOutcome(NamedTuple):
    """An attempt of one of several runs, and whether it was scored."""

    run_index: int
    """The index of the attempt's run among the runs in chronological order."""
    number: int
    """The attempt's number in that run."""
    has_verdict: bool


class RunToJoin(NamedTuple):
    """One of several runs of an agent, with the fields needed to choose attempts."""

    path: Path
    attempts: Mapping[str, Sequence[AttemptOutcome]]
    """The attempts at each task, in order."""


class AttemptPlan:
    """A plan that maps attempts of several runs to attempts of the joined run."""

    def __init__(self) -> None:
        self.by_task: defaultdict[str, dict[int, AttemptOutcome]] = defaultdict(dict)
        """For each task, its attempts by new attempt number."""

    def without_verdict(self, task: str) -> list[int]:
        """Return the new numbers of the attempts at a task that have no verdict, in order."""
        attempts = self.by_task[task]
        numbers = [number for number in attempts if not attempts[number].has_verdict]
        return sorted(numbers)

    def items(self) -> Iterator[tuple[str, int, AttemptOutcome]]:
        """Yield each task, new attempt number and attempt."""
        for task, attempts in self.by_task.items():
            for number, attempt in sorted(attempts.items()):
                yield task, number, attempt


def _join(runs: Sequence[AgentResults], options: ImportOptions, log: ImportLog) -> AgentResults:
    """Return one run joined from several runs of the same agent."""
    runs_to_join = []
    for index, run in enumerate(runs):
        runs_to_join.append(RunToJoin(run.path, _group_attempts(index, run)))
    plan = choose_attempts(runs[0].entrant, runs_to_join, options, log)
    return runs[-1] if plan is None else _merge_runs(runs, plan)


def choose_attempts(
    entrant: RankedAgent, runs: Sequence[RunToJoin], options: ImportOptions, log: ImportLog
) -> AttemptPlan | None:
    """Return the attempts of an agent's joined run, chosen by the policy of `join_runs`.

    Returns None if the user must decide; the log then gets an error.

    Args:
        entrant: The agent.
        runs: The agent's runs in chronological order, without copies of the same run.
        options: The options `runs` and `pick`.
        log: Receives notes on filled or replaced attempts, and an error if the user must decide.
    """
    spot = SourceLocation(entrant, "")
    plan = AttemptPlan()
    is_undecided = False
    for run in runs:
        attempts = run.attempts
        repeated_tasks = {task for task in attempts if plan.by_task[task]}
        new_tasks = set(attempts) - repeated_tasks
        if not repeated_tasks or options.runs == "attempts":
            _add_attempts(plan, attempts, set(attempts), options)
            continue
        if _can_fill(plan, repeated_tasks, attempts):
            for location in _fill_gaps(plan, repeated_tasks, attempts):
                message = f"{location}, from {log.name(run.path)}"
                log.add_doubt(rules.RUN_FILLED, run.path, spot, message)
            _add_attempts(plan, attempts, new_tasks, options)
            continue
        match options.pick:
            case None:
                is_undecided = True
            case "first":
                _add_attempts(plan, attempts, new_tasks, options)
            case "latest":
                _add_attempts(plan, attempts, set(attempts), options)
            case unknown:
                assert_never(unknown)
    if is_undecided:
        run_names = listed(log.name(run.path) for run in runs)
        message = f"{entrant} ran several times on the same tasks: {run_names}"
        log.add(rules.RUNS_SEVERAL, runs[0].path, message)
        return None
    used_indices = {attempt.run_index for _, _, attempt in plan.items()}
    for index, run in enumerate(runs):
        if index not in used_indices:
            log.add_doubt(rules.RUN_REPLACED, run.path, spot, log.name(run.path))
    return plan


def _group_attempts(index: int, run: AgentResults) -> dict[str, list[AttemptOutcome]]:
    """Return a run's attempts at each task, in order.

    Args:
        index: The index of the run.
        run: The run.
    """
    has_verdict: defaultdict[tuple[str, int], bool] = defaultdict(bool)
    for (task, number, _, _), result in run.results.items():
        has_verdict[task, number] |= result.state in _VERDICTS
    attempts: defaultdict[str, list[AttemptOutcome]] = defaultdict(list)
    for (task, number), is_scored in sorted(has_verdict.items()):
        attempts[task].append(AttemptOutcome(index, number, is_scored))
    return dict(attempts)


def _add_attempts(
    plan: AttemptPlan,
    attempts: Mapping[str, Sequence[AttemptOutcome]],
    tasks: Collection[str],
    options: ImportOptions,
) -> None:
    """Add the attempts of a run at some tasks.

    With `--runs attempts` they are added after the earlier attempts; otherwise they replace them.
    """
    for task, task_attempts in attempts.items():
        if task not in tasks:
            continue
        if options.runs is None:
            plan.by_task[task] = {attempt.number: attempt for attempt in task_attempts}
            continue
        numbered = plan.by_task[task]
        first_number = max(numbered, default=0) + 1
        numbered.update(enumerate(task_attempts, start=first_number))


def _can_fill(
    plan: AttemptPlan,
    repeated_tasks: Collection[str],
    attempts: Mapping[str, Sequence[AttemptOutcome]],
) -> bool:
    """Return whether a run repeats only attempts without a verdict."""
    for task in repeated_tasks:
        has_gaps = len(plan.without_verdict(task)) >= len(attempts[task])
        if not has_gaps:
            return False
    return True


def _fill_gaps(
    plan: AttemptPlan,
    repeated_tasks: Collection[str],
    attempts: Mapping[str, Sequence[AttemptOutcome]],
) -> list[str]:
    """Replace attempts without a verdict with those of a later run, and return their names."""
    filled = []
    for task in sorted(repeated_tasks):
        numbers = plan.without_verdict(task)
        for number, attempt in zip(numbers, attempts[task], strict=False):
            plan.by_task[task][number] = attempt
            filled.append(f"{one_line(task)}, attempt {number}")
    return filled


_NewNumbers: TypeAlias = defaultdict[tuple[int, str, int], list[int]]
"""The new numbers of an attempt, by the index of its run, its task and its old number.

Attempts that are not in the joined run have no new numbers.
"""


def _merge_runs(runs: Sequence[AgentResults], plan: AttemptPlan) -> AgentResults:
    """Return a joined run with the attempts of the plan, renumbered."""
    new_numbers: _NewNumbers = defaultdict(list)
    attempts = 1
    for task, new_number, attempt in plan.items():
        new_numbers[attempt.run_index, task, attempt.number].append(new_number)
        attempts = max(attempts, new_number)
    days = [run.day for run in runs if run.day]
    merged = AgentResults(
        runs[0].path,
        runs[0].entrant,
        facts=_find_agreed_facts(runs),
        day=max(days, default=None),
        attempts=attempts,
        planned=_collect_distinct(run.planned for run in runs),
        missing=_find_missing_tasks(runs, plan),
        provenance=_join_provenance(runs),
    )
    if _are_equal([run.claims for run in runs]):
        merged.claims = runs[0].claims
    if any(run.transcripts for run in runs):
        merged.transcripts = partial(_read_transcripts, runs, new_numbers)
    paths: list[Path] = []
    files: dict[tuple[str, int, int], Path] = {}
    for index, run in enumerate(runs):
        paths.extend(run.parts or (run.path,))
        _copy_results(index, run, merged, new_numbers)
        for (task, number, round_number), path in run.files.items():
            for new_number in new_numbers[index, task, number]:
                files[task, new_number, round_number] = path
    merged.parts = paths
    merged.files = files
    return merged


def _copy_results(
    index: int, run: AgentResults, merged: AgentResults, new_numbers: _NewNumbers
) -> None:
    """Add the results, failures and figures of a run to the joined run."""
    for result in run.results.values():
        for number in new_numbers[index, result.task, result.attempt]:
            merged.add(replace(result, attempt=number))
    for failure in run.failures:
        for number in new_numbers[index, failure.task, failure.attempt]:
            merged.failures.append(replace(failure, attempt=number))
    for figures in run.figures:
        for number in new_numbers[index, figures.task, figures.attempt]:
            merged.figures.append(replace(figures, attempt=number))


def _read_transcripts(
    runs: Sequence[AgentResults], new_numbers: _NewNumbers
) -> Iterator[tuple[tuple[str, int], bytes]]:
    """Yield the transcripts of several runs under the new numbers of their attempts."""
    for index, run in enumerate(runs):
        if run.transcripts is None:
            continue
        for (task, attempt), data in run.transcripts():
            for number in new_numbers[index, task, attempt]:
                yield (task, number), data


def _collect_distinct(groups: Iterable[Iterable[str]]) -> list[str]:
    """Return the distinct names of several groups, in the order of first occurrence."""
    names: dict[str, None] = {}
    for group in groups:
        names.update(dict.fromkeys(group))
    return list(names)


def _find_missing_tasks(runs: Sequence[AgentResults], plan: AttemptPlan) -> list[str]:
    """Return the tasks that a run lists as missing and that the joined run does not contain."""
    present = {task for task, _, _ in plan.items()}
    missing = _collect_distinct(run.missing for run in runs)
    return [task for task in missing if task not in present]


def _find_agreed_facts(runs: Sequence[AgentResults]) -> dict[str, object]:
    """Return the facts about the agent, except those on which runs disagree."""
    facts: dict[str, object] = {}
    for key in _collect_distinct(run.facts for run in runs):
        values = [run.facts[key] for run in runs if run.facts.get(key) is not None]
        if values and _are_equal(values):
            facts[key] = values[0]
    return facts


def _are_equal(values: Sequence[object]) -> bool:
    return values.count(values[0]) == len(values)


def _join_provenance(runs: Sequence[AgentResults]) -> Provenance:
    """Return the joined provenance of several runs, with the values that all of them share."""
    records = [run.provenance for run in runs]
    agreed: dict[str, object] = {}
    for name in Provenance.model_fields:
        values = [getattr(record, name) for record in records]
        if _are_equal(values):
            agreed[name] = values[0]
    jobs = _collect_distinct(record.jobs or () for record in records)
    agreed["jobs"] = tuple(jobs) or None
    if any(record.dirty for record in records):
        agreed["dirty"] = True
    starts = [record.started for record in records]
    ends = [record.finished for record in records]
    # A time is known only if every run states it.
    agreed["started"] = None if None in starts else min(starts, key=str)
    agreed["finished"] = None if None in ends else max(ends, key=str)
    return Provenance().model_copy(update=agreed)
