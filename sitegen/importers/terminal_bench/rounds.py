"""What the kit makes bundles of, from the trials of a run, and what has to be said of them."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date as Date  # noqa: N812 - as elsewhere
from decimal import Decimal
from math import isclose
from pathlib import Path

from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import Entrant, maker_of, named
from sitegen.importers.kit.cases import CaseLists, CaseRecord, told_apart, unreached
from sitegen.importers.kit.drafts import day_in
from sitegen.importers.kit.options import ImportOptions, Pick
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rounds import Run, Source
from sitegen.importers.terminal_bench import rules
from sitegen.importers.terminal_bench.records import Trial
from sitegen.importers.terminal_bench.runs import BenchRun, attempts_of
from sitegen.metrics.catalogue import RESOLVED
from sitegen.models.outcome import RoundResult
from sitegen.models.submission import Claims, Provenance
from sitegen.models.task import Case
from sitegen.problems import counted, listed

NEWEST_VERSION = "0.2"
"""The newest line of versions of `tb` whose runs were read here."""

DATASET_SIZES: Mapping[str, int] = {"terminal-bench-core 0.1.1": 80}
"""Tasks of published datasets."""

OUTCOMES: Mapping[str, str] = {"passed": "p", "failed": "f", "error": "e", "skipped": "s"}
"""The letter of each way that a test may end."""

_COMPACT_DAY = re.compile(r"(\d{4})(\d{2})(\d{2})(?!\d).*")
_ROUNDING = 1e-9


@dataclass(slots=True)
class RunMaker:
    """Makes the kit's runs of what the runner recorded."""

    source: Source
    case_lists: CaseLists = field(default_factory=CaseLists)
    by_agent: dict[Entrant, list[BenchRun]] = field(default_factory=dict)
    """The runs of each agent, in the order of time."""
    failures: defaultdict[Path, list[Trial]] = field(default_factory=lambda: defaultdict(list))
    """Trials that failed and were scored all the same, by the path of their run."""

    @property
    def report(self) -> Report:
        """Return what takes the problems of the source."""
        return self.source.report

    def make(self, bench_run: BenchRun, entrant: Entrant) -> Run:
        """Return a run as the kit has it."""
        self.by_agent.setdefault(entrant, []).append(bench_run)
        tasks = {*bench_run.task_names, *(trial.task for trial in bench_run.trials)}
        run = Run(
            bench_run.path,
            entrant,
            facts={"organization": maker_of(bench_run.model)},
            day=self._day(bench_run, entrant),
            attempts=bench_run.attempts,
            planned=sorted(tasks),
            provenance=_provenance(bench_run),
        )
        if bench_run.lock:
            run.facts["scaffold_version"] = named(bench_run.lock.scaffold_version)
            version = bench_run.lock.version
            self.report.newer_version("Terminal-Bench", version, NEWEST_VERSION, entrant)
        for attempts in attempts_of(bench_run.trials).values():
            for number, trial in attempts:
                run.add(self._result(run, trial, number))
        self._check_summary(run, bench_run)
        self._check_end(run, bench_run)
        return run

    def _day(self, bench_run: BenchRun, entrant: Entrant) -> Date | None:
        """Return the day on which a run began, or the day that a name begins with."""
        if bench_run.started is not None:
            return bench_run.started.date()
        names = (bench_run.path.name, bench_run.run_id)
        day = next(filter(None, map(day_in, names)), None)
        if day is not None:
            return day
        for name in (bench_run.path.name, bench_run.path.parent.name):
            day = day_in(_COMPACT_DAY.sub(r"\1-\2-\3", name))
            if day is not None:
                fact = f"the run is of {day}, as the name {one_line(name)} says"
                self.report.assume(fact, entrant)
                return day
        return None

    def _result(self, run: Run, trial: Trial, attempt: int) -> RoundResult:
        """Return what came of a trial."""
        input_tokens, output_tokens = trial.input_tokens, trial.output_tokens
        if input_tokens == 0 and output_tokens == 0:
            self.report.assume(rules.TOKENS_ASSUMED, run.entrant)
            input_tokens = output_tokens = None
        result = RoundResult(
            trial.task,
            attempt,
            1,
            "scored" if trial.is_resolved is not None else "aborted",
            1.0 if trial.is_resolved else 0.0,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            agent_seconds=trial.agent_seconds,
            verifier_seconds=trial.test_seconds,
        )
        if trial.is_resolved is None:
            cause = one_line(trial.failure) or "the runner states no verdict"
            return replace(result, passed=0, total=0, cause=cause)
        if trial.failure:
            self.failures[run.path].append(trial)
        return self._with_cases(result, run, trial)

    def _with_cases(self, result: RoundResult, run: Run, trial: Trial) -> RoundResult:
        """Return a scored trial with its tests, unless they contradict its verdict."""
        unknown = {ended for _, ended in trial.tests if ended not in OUTCOMES}
        if unknown:
            words = listed(map(one_line, sorted(unknown)))
            self._doubt_tests(run, trial, f"a test ended as {words}")
            return result
        records = [CaseRecord(Case(name), OUTCOMES[ended]) for name, ended in trial.tests]
        records = told_apart(records)
        outcomes = "".join(record.outcome for record in records)
        passed, skipped = outcomes.count("p"), outcomes.count("s")
        total = len(outcomes)
        has_failed = passed + skipped < total
        is_consistent = passed > 0 and not has_failed if trial.is_resolved else passed < total
        if not is_consistent:
            verdict = "resolved" if trial.is_resolved else "not resolved"
            what = f"{verdict}, and {passed} of {counted(total, 'test')} passed"
            self._doubt_tests(run, trial, what)
            return result
        return replace(
            result,
            passed=passed,
            total=total,
            skipped=skipped or None,
            outcomes=outcomes,
            case_ids=self.case_lists.add((trial.task, 1), records),
        )

    def _doubt_tests(self, run: Run, trial: Trial, what: str) -> None:
        self.report.doubt(rules.TESTS_CONTRADICTED, trial.path, run.spot(trial.task), what)

    def _check_summary(self, run: Run, bench_run: BenchRun) -> None:
        """Compare what a run says of itself with its trials, and keep it as a claim."""
        trials = bench_run.trials
        resolved = sum(trial.is_resolved is True for trial in trials)
        accuracy = resolved / len(trials) if trials else 0
        stated = [(summary.path, summary.accuracy) for summary in bench_run.summaries]
        if bench_run.metadata:
            stated.append((bench_run.metadata.path, bench_run.metadata.accuracy))
        accuracies = [(path, value) for path, value in stated if value is not None]
        facts = []
        for path, value in accuracies:
            if not isclose(value, accuracy, abs_tol=_ROUNDING):
                what = f"an accuracy of {value:g} in {path.name}, and {accuracy:g} over the trials"
                facts.append((path, what))
        for summary in bench_run.summaries:
            if summary.resolved not in {None, resolved}:
                stated_number = f"{summary.resolved} resolved in {summary.path.name}"
                what = f"{stated_number}, and {resolved} in the trials"
                facts.append((summary.path, what))
        name = self.report.name(run.path)
        for path, fact in facts:
            what = f"{name}: {fact}"
            self.report.say(kit_rules.SCORE_DIFFERS, path, what, run.path, what)
        if accuracies and accuracies[0][1] <= 1:
            tasks = {trial.task for trial in trials}
            is_partial = 0 < len(tasks) < len(run.planned)
            percent = round(100 * accuracies[0][1], 4)
            run.claims = Claims(
                source="the run's own summary: accuracy",
                tasks=len(tasks) if is_partial else None,
                **{RESOLVED.id: Decimal(str(percent))},
            )

    def _check_end(self, run: Run, bench_run: BenchRun) -> None:
        """Report a run that states no end: it was interrupted, and perhaps resumed."""
        if bench_run.metadata is None or bench_run.metadata.ended is not None:
            return
        name = self.report.name(run.path)
        missing = len(run.planned) * run.attempts - len(bench_run.trials)
        if missing > 0:
            what = f"{name} lacks {counted(missing, 'trial')}"
        else:
            what = f"{name} states no end, and has all of its trials"
        self.report.doubt(kit_rules.RUN_UNFINISHED, run.path, run.spot(), what)

    def finish(self, options: ImportOptions) -> None:
        """Give tasks their tests, and say what has to be said of the runs that count."""
        for place in self.case_lists.lists:
            facts = self.case_lists.facts[place]
            names = self.case_lists.usual(place)
            self.source.cases[place] = tuple(facts[name] for name in names)
        tasks = {task for run in self.source.runs for task in run.planned}
        for run in self.source.runs:
            bench_runs = self.by_agent[run.entrant]
            for (task, attempt, _, _), result in sorted(run.results.items()):
                if result.state == "aborted":
                    spot = run.spot(task, attempt)
                    self.report.doubt(kit_rules.TRIES_FAILED, run.path, spot, result.cause or "")
            self._add_missing_trials(run)
            if all(bench_run.task_names for bench_run in bench_runs):
                run.missing = sorted(tasks.difference(run.planned))
            self._say_failures(run, options.pick)
            self._check_tasks(run, bench_runs)
            untimed = sum(bench_run.started is None for bench_run in bench_runs)
            if untimed > 1 and options.runs == "attempts":
                self.report.assume(rules.ORDER_ASSUMED, run.entrant)

    def _add_missing_trials(self, run: Run) -> None:
        """Add the trials that the run was to have and lacks; they count 0."""
        for task in run.planned:
            for attempt in range(1, run.attempts + 1):
                if run.add(unreached(task, attempt, 1)):
                    spot = run.spot(task, attempt)
                    self.report.doubt(kit_rules.TRIES_UNREACHED, run.path, spot)

    def _say_failures(self, run: Run, pick: Pick | None) -> None:
        """Say which failures the runner noted in trials that were scored and count."""
        bench_runs = self.by_agent[run.entrant]
        in_order = reversed(bench_runs) if pick == "first" else bench_runs
        counting_run: dict[str, Path] = {}
        for bench_run in in_order:
            for trial in bench_run.trials:
                counting_run[trial.task] = bench_run.path
        counts: Counter[str] = Counter()
        for bench_run in bench_runs:
            for trial in self.failures[bench_run.path]:
                if pick is None or counting_run[trial.task] == bench_run.path:
                    counts[one_line(trial.failure)] += 1
        facts = [f"{failure} in {counted(n, 'trial')}" for failure, n in sorted(counts.items())]
        if facts:
            self.report.doubt(rules.FAILURE_SCORED, run.path, run.spot(), listed(facts))

    def _check_tasks(self, run: Run, bench_runs: Sequence[BenchRun]) -> None:
        """Report a run over some of the tasks of its dataset."""
        dataset = next((each.dataset for each in bench_runs if each.dataset), "")
        size = DATASET_SIZES.get(dataset)
        number = len(run.planned)
        if size is not None:
            if number < size:
                what = f"{number} of the {size} tasks of {one_line(dataset)}"
                self.report.doubt(kit_rules.PART_OF_TASKS, run.path, run.spot(), what)
        elif not any(bench_run.has_all_tasks for bench_run in bench_runs):
            what = f"{counted(number, 'task')} that the command picked"
            self.report.doubt(kit_rules.PART_OF_TASKS, run.path, run.spot(), what)


def _provenance(bench_run: BenchRun) -> Provenance:
    """Return how a run was made, as far as its files state it."""
    metadata, lock = bench_run.metadata, bench_run.lock
    version = lock.version if lock else None
    commit = metadata.commit if metadata else None
    limits = dict(lock.limits) if lock else {}
    return Provenance(
        harness="terminal-bench",
        harness_version=one_line(version) if version else None,
        jobs=(one_line(bench_run.run_id),) if bench_run.run_id else None,
        code_commit=one_line(commit) if commit else None,
        started=bench_run.started,
        finished=metadata.ended if metadata else None,
        overrides=limits or None,
    )
