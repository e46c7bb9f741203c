"""Make rounds from verdicts and reports. The report of an instance overrides a summary."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.cases import CaseLists, CaseRecord, count_by_category, with_distinct_ids
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.redaction import one_line, redact_text
from sitegen.importers.kit.rounds import AgentResults, ImportSource, Key
from sitegen.importers.kit.tree import digest_of
from sitegen.importers.swebench import rules
from sitegen.importers.swebench.reports import InstanceReport, read_report, repository_of
from sitegen.models.outcome import Failure, RoundResult
from sitegen.models.task import Case
from sitegen.problems import Rule, listed

REPOSITORY_AXIS = "repo"
"""The axis that groups tasks by the repository of their instance."""


_MAX_NAMED = 20
"""Maximum number of instances listed in a message; the rest are counted."""


class Remark(NamedTuple):
    """A doubt about a run or one of its instances; it is reported if the result counts."""

    rule: Rule
    path: Path
    fact: str


class StatedOutcome(NamedTuple):
    """The outcome of an instance according to files other than its report."""

    resolved: bool | None = None
    """Whether the instance is resolved; None if these files state no verdict."""
    cause: str = ""
    """Why there is no verdict; empty if these files do not say why."""


@dataclass(slots=True)
class Grader:
    """Makes rounds, and collects the test cases of all instances."""

    source: ImportSource
    case_lists: CaseLists = field(default_factory=CaseLists)
    remarks: defaultdict[tuple[int, str], list[Remark]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """Remarks by the run's `id()` and the instance, which is empty for the run itself."""
    unevaluated: dict[int, tuple[Path, Sequence[str]]] = field(default_factory=dict)
    """The file with a run's unevaluated predictions, and their instances, by the run's `id()`."""

    @property
    def log(self) -> ImportLog:
        """The log of the import, which collects the problems."""
        return self.source.log

    def remark(
        self, run: AgentResults, rule: Rule, path: Path, fact: str = "", instance: str = ""
    ) -> None:
        """Add a doubt about a run, or about one of its instances."""
        self.remarks[id(run), instance].append(Remark(rule, path, fact))

    def grade(
        self,
        run: AgentResults,
        instance: str,
        path: Path | None,
        *,
        logs: Path | None = None,
        stated: StatedOutcome | None = None,
    ) -> InstanceReport | None:
        """Add the round of an instance to a run, from its report or else from other files.

        Args:
            run: The run.
            instance: The instance.
            path: The report of the instance; None if there is none.
            logs: The logs of the run; None if it has none.
            stated: The outcome according to other files; None if there are none.

        Returns:
            The report; None if there is none, or it is unusable.
        """
        graded: InstanceReport | None = None
        fault = "its report is missing"
        if path is not None:
            graded, fault = read_report(path, instance)
        remark_path = path or logs or run.path
        outcome = stated or StatedOutcome()
        if graded is not None:
            self._grade_report(run, instance, graded, remark_path)
        elif outcome.resolved is None:
            cause = outcome.cause or fault
            run.grade(instance, 1, 0, cause)
            self.remark(run, kit_rules.RUN_FAILED, remark_path, cause, instance)
        else:
            run.grade(instance, 1, float(outcome.resolved))
            if logs is not None:
                self.remark(run, rules.CASES_UNKNOWN, remark_path, fault, instance)
        return graded

    def _grade_report(
        self, run: AgentResults, instance: str, graded: InstanceReport, path: Path
    ) -> None:
        """Add a round with the verdict of a report, and its test cases if they are known."""
        digest = digest_of([path])
        if graded.infra_failure:
            self.remark(run, rules.INFRASTRUCTURE, path, instance=instance)
        if not graded.was_graded and not graded.resolved:
            cause = "no test result could be read from the output"
            if graded.infra_failure:
                reason = f": {graded.reason}" if graded.reason else ""
                cause = f"the test environment failed{reason}"
            run.grade(instance, 1, 0, cause, "no_cases", grader_digest=digest)
        elif graded.tests:
            self._add_cases(run, instance, graded, path, digest)
        else:
            fault = graded.fault or "its report has no tests"
            self.remark(run, rules.CASES_UNKNOWN, path, fault, instance)
            run.grade(instance, 1, float(graded.resolved), grader_digest=digest)

    def _add_cases(
        self,
        run: AgentResults,
        instance: str,
        graded: InstanceReport,
        path: Path,
        digest: str | None,
    ) -> None:
        """Add a round with the verdict and the test cases of a report."""
        self._remark_repeated_tests(run, instance, graded, path)
        records = []
        for test in graded.tests:
            case = Case(redact_text(test.name), test.category)
            records.append(CaseRecord(case, "p" if test.passed else "f"))
        records = with_distinct_ids(records)
        outcomes = "".join(record.outcome for record in records)
        categories = count_by_category((test.category, test.passed) for test in graded.tests)
        case_ids = self.case_lists.add((instance, 1), records)
        run.grade(
            instance,
            1,
            float(graded.resolved),
            grader_digest=digest,
            total=len(records),
            passed=outcomes.count("p"),
            outcomes=outcomes,
            case_ids=case_ids,
            by_category=categories,
        )
        for record in records:
            if record.outcome == "f":
                case = record.case
                run.failures.append(Failure(instance, 1, 1, case.id, category=case.category))

    def _remark_repeated_tests(
        self, run: AgentResults, instance: str, graded: InstanceReport, path: Path
    ) -> None:
        """Add a remark with the tests that a report names more than once."""
        counts = Counter((test.category, test.name) for test in graded.tests)
        repeated = [redact_text(name) for (_, name), number in counts.items() if number > 1]
        if repeated:
            self.remark(run, rules.TESTS_TWICE, path, listed(repeated), instance)

    def finish(self, runs: Sequence[AgentResults], joined: Sequence[AgentResults]) -> None:
        """Add runs, remarks, the most common test cases and repositories to the source.

        Args:
            runs: The runs as they were read.
            joined: The runs that count, one per agent.
        """
        self.source.runs += joined
        instances: set[str] = set()
        for run in joined:
            attempt_runs = [read_run for read_run in runs if read_run.entrant == run.entrant]
            self._report_remarks(run, attempt_runs)
            instances.update(run.planned)
            instances.update(task for task, *_ in run.results)
        self._label_repositories(instances)
        for instance in sorted(instances):
            key = instance, 1
            usual_names = self.case_lists.usual(key)
            if usual_names:
                cases = self.case_lists.facts[key]
                self.source.cases[key] = tuple(cases[name] for name in usual_names)
        for run in joined:
            for (instance, attempt, *_), result in run.results.items():
                usual_names = self.case_lists.usual((instance, 1))
                if result.case_ids not in {None, usual_names}:
                    self.log.add_doubt(rules.TESTS_DIFFER, run.path, run.spot(instance, attempt))

    def _label_repositories(self, instances: Iterable[str]) -> None:
        """Label instances with their repositories.

        An instance whose id does not name its repository is treated as independent of all others,
        so its label is its id. If no id names a repository, there are no labels.
        """
        repositories = {instance: repository_of(instance) for instance in instances}
        if not any(repositories.values()):
            return
        for instance, repository in sorted(repositories.items()):
            self.source.labels[instance][REPOSITORY_AXIS] = one_line(repository or instance)

    def _report_remarks(self, run: AgentResults, attempt_runs: Sequence[AgentResults]) -> None:
        """Report the remarks on the original runs of a joined run whose results count."""
        counting: dict[int, AgentResults] = {}
        for (instance, attempt, *_), result in run.results.items():
            attempt_run = _origin(instance, result, attempt_runs, attempt)
            counting[id(attempt_run)] = attempt_run
            for rule, path, fact in self.remarks[id(attempt_run), instance]:
                self.log.add_doubt(rule, path, run.spot(instance, attempt), fact)
        for attempt_run in counting.values():
            for rule, path, fact in self.remarks[id(attempt_run), ""]:
                self.log.add_doubt(rule, path, run.spot(), fact)
        self._report_unevaluated(run, list(counting.values()))

    def _report_unevaluated(self, run: AgentResults, counting_runs: Sequence[AgentResults]) -> None:
        """Report the predictions that none of the original runs of a joined run evaluated."""
        evaluated = {task for task, *_ in run.results}
        unevaluated: dict[str, Path] = {}
        for attempt_run in counting_runs:
            path, names = self.unevaluated.get(id(attempt_run), (attempt_run.path, ()))
            unevaluated |= dict.fromkeys(names, path)
        for name in evaluated & unevaluated.keys():
            del unevaluated[name]
        if not unevaluated:
            return
        total = len(evaluated) + len(unevaluated)
        shown = listed(map(one_line, sorted(unevaluated)), _MAX_NAMED)
        fact = f"{len(evaluated)} of {total} predictions were evaluated; not evaluated: {shown}"
        first_path = next(iter(unevaluated.values()))
        self.log.add_doubt(kit_rules.PART_OF_TASKS, first_path, run.spot(), fact)


def _origin(
    instance: str, result: RoundResult, attempt_runs: Sequence[AgentResults], attempt: int
) -> AgentResults:
    """Return the run from which a joined result comes, preferably the run of its attempt."""
    key: Key = (instance, 1, 1, "own")
    equal_runs = []
    for attempt_run in attempt_runs:
        attempt_result = attempt_run.results.get(key)
        if attempt_result is not None and replace(attempt_result, attempt=result.attempt) == result:
            equal_runs.append(attempt_run)
    if len(attempt_runs) >= attempt and attempt_runs[attempt - 1] in equal_runs:
        return attempt_runs[attempt - 1]
    return equal_runs[-1] if equal_runs else attempt_runs[-1]
