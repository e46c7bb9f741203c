"""Convert the trials that the runner recorded to the kit's runs, and report doubtful results."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date as Date  # noqa: N812 - as elsewhere
from decimal import Decimal
from math import isclose
from pathlib import Path

from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import RankedAgent, clean_agent_name, model_maker
from sitegen.importers.kit.cases import CaseLists, CaseRecord, blank_round, with_distinct_ids
from sitegen.importers.kit.drafts import day_in
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.options import ImportOptions, Pick
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rounds import AgentResults, ImportSource
from sitegen.importers.terminal_bench import rules
from sitegen.importers.terminal_bench.records import BenchTrial
from sitegen.importers.terminal_bench.runs import BenchRun, describe_verdict, number_attempts
from sitegen.metrics.catalogue import RESOLVED
from sitegen.models.outcome import RoundResult
from sitegen.models.submission import Claims, Provenance
from sitegen.models.task import Case
from sitegen.problems import counted, listed

NEWEST_VERSION = "0.2"
"""The newest minor version of `tb` with whose runs the import was tested."""

DATASET_SIZES: Mapping[str, int] = {"terminal-bench-core 0.1.1": 80}
"""The number of tasks in published datasets."""

OUTCOMES: Mapping[str, str] = {"passed": "p", "failed": "f", "error": "e", "skipped": "s"}
"""Outcome letter of each status of a test."""

_COMPACT_DAY = re.compile(r"(\d{4})(\d{2})(\d{2})(?!\d).*")
_TOLERANCE = 1e-9
"""Maximum difference between equal accuracies."""


@dataclass(slots=True)
class RunMaker:
    """Makes the kit's runs, and collects problems to report once all runs are known."""

    source: ImportSource
    case_lists: CaseLists = field(default_factory=CaseLists)
    by_agent: dict[RankedAgent, list[BenchRun]] = field(default_factory=dict)
    """The runs of each agent, in chronological order."""
    scored_failures: defaultdict[Path, list[BenchTrial]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """Trials with both a recorded failure and a verdict, by the path of their run."""

    @property
    def log(self) -> ImportLog:
        """The log of the import."""
        return self.source.log

    def make(self, bench_run: BenchRun, entrant: RankedAgent) -> AgentResults:
        """Return the results of a run, in the kit's form."""
        self.by_agent.setdefault(entrant, []).append(bench_run)
        tasks = set(bench_run.task_names)
        tasks.update(trial.task for trial in bench_run.trials)
        run = AgentResults(
            bench_run.path,
            entrant,
            facts={"organization": model_maker(bench_run.model)},
            day=self._find_day(bench_run, entrant),
            attempts=bench_run.attempts,
            planned=sorted(tasks),
            provenance=_make_provenance(bench_run),
        )
        lock = bench_run.lock
        if lock.path:
            run.facts["scaffold_version"] = clean_agent_name(lock.scaffold_version)
            self.log.warn_if_newer("Terminal-Bench", lock.version, NEWEST_VERSION, entrant)
        for attempts in number_attempts(bench_run.trials).values():
            for number, trial in attempts:
                run.add(self._make_result(run, trial, number))
        self._check_summary(run, bench_run)
        self._check_end(run, bench_run)
        return run

    def _find_day(self, bench_run: BenchRun, entrant: RankedAgent) -> Date | None:
        """Return the day on which a run began, or a day in its names; None if neither is known."""
        if bench_run.started is not None:
            return bench_run.started.date()
        for name in (bench_run.path.name, bench_run.run_id):
            day = day_in(name)
            if day is not None:
                return day
        for name in (bench_run.path.name, bench_run.path.parent.name):
            day = day_in(_COMPACT_DAY.sub(r"\1-\2-\3", name))
            if day is not None:
                fact = f"the run is from {day}, according to the name {one_line(name)}"
                self.log.assume(fact, entrant)
                return day
        return None

    def _make_result(self, run: AgentResults, trial: BenchTrial, attempt: int) -> RoundResult:
        """Return the result of a trial."""
        measured = replace(
            blank_round(trial.task, attempt, 1),
            reward=float(trial.is_resolved or 0),
            input_tokens=trial.input_tokens,
            output_tokens=trial.output_tokens,
            agent_seconds=trial.agent_seconds,
            verifier_seconds=trial.test_seconds,
        )
        if trial.input_tokens == 0 and trial.output_tokens == 0:
            self.log.assume(rules.TOKENS_ASSUMED, run.entrant)
            measured = replace(measured, input_tokens=None, output_tokens=None)
        if trial.is_resolved is None:
            cause = one_line(trial.failure) or "the runner states no verdict"
            return replace(measured, state="aborted", cause=cause)
        if trial.failure:
            self.scored_failures[run.path].append(trial)
        verdict = replace(measured, state="scored", passed=None, total=None)
        return self._add_cases(verdict, run, trial)

    def _add_cases(self, verdict: RoundResult, run: AgentResults, trial: BenchTrial) -> RoundResult:
        """Return a scored trial with its tests, unless they contradict its verdict."""
        unknown_statuses = {status for _, status in trial.tests if status not in OUTCOMES}
        if unknown_statuses:
            statuses = listed(map(one_line, sorted(unknown_statuses)))
            self._doubt_tests(run, trial, f"a test ended as {statuses}")
            return verdict
        records = [CaseRecord(Case(name), OUTCOMES[status]) for name, status in trial.tests]
        records = with_distinct_ids(records)
        outcomes = "".join(record.outcome for record in records)
        total = len(outcomes)
        passed = outcomes.count("p")
        skipped = outcomes.count("s")
        has_all_passed = 0 < passed == total - skipped
        is_consistent = has_all_passed if trial.is_resolved else passed < total
        if not is_consistent:
            tests = f"{passed} of {counted(total, 'test')} passed"
            message = f"{describe_verdict(trial)}, but {tests}"
            self._doubt_tests(run, trial, message)
            return verdict
        return replace(
            verdict,
            passed=passed,
            total=total,
            skipped=skipped or None,
            outcomes=outcomes,
            case_ids=self.case_lists.add((trial.task, 1), records),
        )

    def _doubt_tests(self, run: AgentResults, trial: BenchTrial, message: str) -> None:
        self.log.add_doubt(rules.TESTS_CONTRADICTED, trial.path, run.spot(trial.task), message)

    def _check_summary(self, run: AgentResults, bench_run: BenchRun) -> None:
        """Compare a run's own totals with its trials, and keep its accuracy as a claim."""
        name = self.log.name(run.path)
        for path, fact in _find_differences(bench_run):
            message = f"{name}: {fact}"
            self.log.add_with_caveat(kit_rules.SCORE_DIFFERS, path, message, run.path, message)
        accuracies = _stated_accuracies(bench_run)
        if not accuracies or accuracies[0][1] > 1:
            return
        tasks = {trial.task for trial in bench_run.trials}
        is_partial = 0 < len(tasks) < len(run.planned)
        percent = round(100 * accuracies[0][1], 4)
        run.claims = Claims(
            source="the run's own summary: accuracy",
            tasks=len(tasks) if is_partial else None,
            **{RESOLVED.id: Decimal(str(percent))},
        )

    def _check_end(self, run: AgentResults, bench_run: BenchRun) -> None:
        """Report a run that states no end: it was interrupted, and possibly resumed."""
        if bench_run.metadata.path is None or bench_run.metadata.ended is not None:
            return
        name = self.log.name(run.path)
        missing = len(run.planned) * run.attempts - len(bench_run.trials)
        message = f"{name} states no end, and has all of its trials"
        if missing > 0:
            message = f"{name} lacks {counted(missing, 'trial')}"
        self.log.add_doubt(kit_rules.RUN_UNFINISHED, run.path, run.spot(), message)

    def finish(self, options: ImportOptions) -> None:
        """Add tests to tasks, and report doubtful results of the runs that count."""
        for round_key in self.case_lists.lists:
            cases = self.case_lists.facts[round_key]
            names = self.case_lists.usual(round_key)
            self.source.cases[round_key] = tuple(cases[name] for name in names)
        tasks: set[str] = set()
        for run in self.source.runs:
            tasks.update(run.planned)
        for run in self.source.runs:
            bench_runs = self.by_agent[run.entrant]
            self._report_aborted_trials(run)
            self._add_missing_trials(run)
            if all(bench_run.task_names for bench_run in bench_runs):
                run.missing = sorted(tasks.difference(run.planned))
            self._report_scored_failures(run, options.pick)
            self._check_tasks(run, bench_runs)
            untimed = [bench_run for bench_run in bench_runs if bench_run.started is None]
            if len(untimed) > 1 and options.runs == "attempts":
                self.log.assume(rules.ORDER_ASSUMED, run.entrant)

    def _report_aborted_trials(self, run: AgentResults) -> None:
        for (task, attempt, _, _), result in sorted(run.results.items()):
            if result.state == "aborted":
                spot = run.spot(task, attempt)
                self.log.add_doubt(kit_rules.RUN_FAILED, run.path, spot, result.cause or "")

    def _add_missing_trials(self, run: AgentResults) -> None:
        """Add the missing trials of a run, which count as 0."""
        for task in run.planned:
            for attempt in range(1, run.attempts + 1):
                if run.add(blank_round(task, attempt, 1)):
                    spot = run.spot(task, attempt)
                    self.log.add_doubt(kit_rules.RUN_UNREACHED, run.path, spot)

    def _report_scored_failures(self, run: AgentResults, pick: Pick | None) -> None:
        """Report the failures that the runner recorded in trials with a verdict that counts."""
        bench_runs = self.by_agent[run.entrant]
        in_order = reversed(bench_runs) if pick == "first" else bench_runs
        counting_run: dict[str, Path] = {}
        for bench_run in in_order:
            counting_run |= {trial.task: bench_run.path for trial in bench_run.trials}
        counts: Counter[str] = Counter()
        for bench_run in bench_runs:
            for trial in self.scored_failures[bench_run.path]:
                if pick is None or counting_run[trial.task] == bench_run.path:
                    counts[one_line(trial.failure)] += 1
        facts = [f"{failure} in {counted(n, 'trial')}" for failure, n in sorted(counts.items())]
        if facts:
            self.log.add_doubt(rules.FAILURE_SCORED, run.path, run.spot(), listed(facts))

    def _check_tasks(self, run: AgentResults, bench_runs: Sequence[BenchRun]) -> None:
        """Report a run that covers only some of its dataset's tasks."""
        datasets = [bench_run.dataset for bench_run in bench_runs if bench_run.dataset]
        dataset = datasets[0] if datasets else ""
        size = DATASET_SIZES.get(dataset)
        task_count = len(run.planned)
        if size is not None:
            is_partial = task_count < size
            message = f"{task_count} of the {size} tasks of {one_line(dataset)}"
        else:
            is_partial = not any(bench_run.has_all_tasks for bench_run in bench_runs)
            message = f"{counted(task_count, 'task')} that the command picked"
        if is_partial:
            self.log.add_doubt(kit_rules.PART_OF_TASKS, run.path, run.spot(), message)


def _stated_accuracies(bench_run: BenchRun) -> list[tuple[Path, float]]:
    """Return the accuracies that a run states, each with its file."""
    stated = [(summary.path, summary.accuracy) for summary in bench_run.summaries]
    metadata = bench_run.metadata
    if metadata.path:
        stated.append((metadata.path, metadata.accuracy))
    return [(path, accuracy) for path, accuracy in stated if accuracy is not None]


def _find_differences(bench_run: BenchRun) -> Iterator[tuple[Path, str]]:
    """Yield the file and a message for each stated total that differs from the trials."""
    trials = bench_run.trials
    resolved = sum(trial.is_resolved is True for trial in trials)
    accuracy = resolved / max(1, len(trials))
    for path, stated in _stated_accuracies(bench_run):
        if not isclose(stated, accuracy, abs_tol=_TOLERANCE):
            over_trials = f"{accuracy:g} over the trials"
            yield path, f"an accuracy of {stated:g} in {path.name}, but {over_trials}"
    for summary in bench_run.summaries:
        if summary.resolved not in {None, resolved}:
            stated_number = f"{summary.resolved} resolved in {summary.path.name}"
            yield summary.path, f"{stated_number}, but {resolved} in the trials"


def _make_provenance(bench_run: BenchRun) -> Provenance:
    """Return how a run was made, as stated by its files."""
    run_id = one_line(bench_run.run_id)
    return Provenance(
        harness="terminal-bench",
        harness_version=one_line(bench_run.lock.version or "") or None,
        jobs=(run_id,) if run_id else None,
        code_commit=one_line(bench_run.metadata.commit or "") or None,
        started=bench_run.started,
        finished=bench_run.metadata.ended,
        overrides=dict(bench_run.lock.limits) or None,
    )
