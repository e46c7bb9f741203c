"""Makes rounds of verdicts and reports: a report counts before what a summary says."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.cases import CaseLists, CaseRecord, by_category, told_apart
from sitegen.importers.kit.redaction import one_line, redacted
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rounds import Key, Run, Source
from sitegen.importers.kit.tree import digest_of
from sitegen.importers.swebench import rules
from sitegen.importers.swebench.reports import InstanceReport, read_report, repository_of
from sitegen.models.outcome import Failure, RoundResult
from sitegen.models.task import Case
from sitegen.problems import Rule, listed

REPOSITORY_AXIS = "repo"
"""The label of tasks that says which repository an instance comes from."""


_NAMED = 20
"""How many instances a message names; the others are counted."""


class Remark(NamedTuple):
    """What is doubtful about a run or one of its instances, if its result counts in the end."""

    rule: Rule
    path: Path
    fact: str


class Stated(NamedTuple):
    """What other files than its report say of an instance."""

    resolved: bool | None = None
    """None where they have no verdict."""
    cause: str = ""
    """Why there is none; empty where they do not say that."""


@dataclass(slots=True)
class Grader:
    """Makes rounds, and keeps the test cases of all instances."""

    source: Source
    case_lists: CaseLists = field(default_factory=CaseLists)
    remarks: defaultdict[tuple[int, str], list[Remark]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """By the identity of the run and the instance, which is empty for the run as such."""
    unevaluated: dict[int, tuple[Path, Sequence[str]]] = field(default_factory=dict)
    """Predictions that a run did not evaluate, and the file that says so; by the run's identity."""

    @property
    def report(self) -> Report:
        """What takes the problems of the source."""
        return self.source.report

    def remark(self, run: Run, rule: Rule, path: Path, fact: str = "", instance: str = "") -> None:
        """Note what is doubtful about a run, or about one of its instances."""
        self.remarks[id(run), instance].append(Remark(rule, path, fact))

    def grade(
        self,
        run: Run,
        instance: str,
        path: Path | None,
        *,
        logs: Path | None = None,
        stated: Stated | None = None,
    ) -> InstanceReport | None:
        """Add what came of an instance to a run: its report's verdict, or else what other files say.

        Args:
            run: The run.
            instance: The instance.
            path: Its report; None where there is none.
            logs: The logs of the run; None where it has none.
            stated: What other files say; None where they say nothing.

        Returns:
            Its report, or None where there is none that can be used.
        """
        graded: InstanceReport | None = None
        fault = "its report is missing"
        if path is not None:
            graded, fault = read_report(path, instance)
        place = path or logs or run.path
        if graded is not None:
            self._grade_report(run, instance, graded, place)
        elif stated is None or stated.resolved is None:
            cause = (stated.cause if stated else "") or fault
            run.grade(instance, 1, 0, cause)
            self.remark(run, kit_rules.TRIES_FAILED, place, cause, instance)
        else:
            run.grade(instance, 1, float(stated.resolved))
            if logs is not None:
                self.remark(run, rules.CASES_UNKNOWN, place, fault, instance)
        return graded

    def _grade_report(self, run: Run, instance: str, graded: InstanceReport, path: Path) -> None:
        """Add a round with the verdict of a report, and its test cases where they are known."""
        digest = digest_of([path])
        if graded.infra_failure:
            self.remark(run, rules.INFRASTRUCTURE, path, instance=instance)
        if not graded.was_graded and not graded.resolved:
            cause = "no test result could be read from the output"
            if graded.infra_failure:
                reason = f": {graded.reason}" if graded.reason else ""
                cause = f"the test environment failed{reason}"
            run.grade(instance, 1, 0, cause, "no_cases", grader_digest=digest)
            return
        if not graded.tests:
            fault = graded.fault or "its report has no tests"
            self.remark(run, rules.CASES_UNKNOWN, path, fault, instance)
            run.grade(instance, 1, float(graded.resolved), grader_digest=digest)
            return
        self._note_repeated_tests(run, instance, graded, path)
        records = []
        for test in graded.tests:
            case = Case(redacted(test.name), test.category)
            records.append(CaseRecord(case, "p" if test.passed else "f"))
        records = told_apart(records)
        facts: dict[str, Any] = {"total": len(records)}
        facts["passed"] = sum(test.passed for test in graded.tests)
        facts["outcomes"] = "".join(record.outcome for record in records)
        facts["case_ids"] = self.case_lists.add((instance, 1), records)
        facts["by_category"] = by_category((test.category, test.passed) for test in graded.tests)
        run.grade(instance, 1, float(graded.resolved), grader_digest=digest, **facts)
        for record in records:
            if record.outcome == "f":
                case = record.case
                run.failures.append(Failure(instance, 1, 1, case.id, category=case.category))

    def _note_repeated_tests(
        self, run: Run, instance: str, graded: InstanceReport, path: Path
    ) -> None:
        """Say which tests a report names more than once."""
        counts = Counter((test.category, test.name) for test in graded.tests)
        repeated = [redacted(name) for (_, name), number in counts.items() if number > 1]
        if repeated:
            self.remark(run, rules.TESTS_TWICE, path, listed(repeated), instance)

    def finish(self, runs: Sequence[Run], joined: Sequence[Run]) -> None:
        """Give the source its runs, with remarks, usual test cases and repositories.

        Args:
            runs: The runs as they were read.
            joined: The runs that count, one for each agent.
        """
        self.source.runs += joined
        for run in joined:
            self._say_remarks(run, [each for each in runs if each.entrant == run.entrant])
        instances = {
            task for run in joined for task in (*run.planned, *(task for task, *_ in run.results))
        }
        self._label_repositories(instances)
        for instance in sorted(instances):
            place = instance, 1
            usual = self.case_lists.usual(place)
            if usual:
                facts = self.case_lists.facts[place]
                self.source.cases[place] = tuple(facts[name] for name in usual)
        for run in joined:
            for (instance, attempt, *_), result in run.results.items():
                usual = self.case_lists.usual((instance, 1))
                if result.case_ids is not None and result.case_ids != usual:
                    self.report.doubt(rules.TESTS_DIFFER, run.path, run.spot(instance, attempt))

    def _label_repositories(self, instances: Iterable[str]) -> None:
        """Label instances with their repositories.

        An instance whose id does not tell its repository depends on no other, and gets its id as its
        label. If no id tells one, there are no labels.
        """
        repositories = {instance: repository_of(instance) for instance in instances}
        if not any(repositories.values()):
            return
        for instance, repository in sorted(repositories.items()):
            self.source.labels[instance][REPOSITORY_AXIS] = one_line(repository or instance)

    def _say_remarks(self, run: Run, sources: Sequence[Run]) -> None:
        """Report the remarks on a run that was made of others: those whose results count."""
        counting: dict[int, Run] = {}
        for (instance, attempt, *_), result in run.results.items():
            source_run = _origin(instance, result, sources, attempt)
            counting[id(source_run)] = source_run
            for rule, path, fact in self.remarks[id(source_run), instance]:
                self.report.doubt(rule, path, run.spot(instance, attempt), fact)
        for source_run in counting.values():
            for rule, path, fact in self.remarks[id(source_run), ""]:
                self.report.doubt(rule, path, run.spot(), fact)
        self._name_unevaluated(run, list(counting.values()))

    def _name_unevaluated(self, run: Run, sources: Sequence[Run]) -> None:
        """Name the predictions that none of the runs in a joined run evaluated."""
        evaluated = {task for task, *_ in run.results}
        waiting: dict[str, Path] = {}
        for source_run in sources:
            path, names = self.unevaluated.get(id(source_run), (source_run.path, ()))
            for name in names:
                if name not in evaluated:
                    waiting[name] = path
        if waiting:
            total = len(evaluated) + len(waiting)
            shown = listed(map(one_line, sorted(waiting)), _NAMED)
            fact = f"{len(evaluated)} of {total} predictions were evaluated; not evaluated: {shown}"
            self.report.doubt(
                kit_rules.PART_OF_TASKS, next(iter(waiting.values())), run.spot(), fact
            )


def _origin(instance: str, result: RoundResult, sources: Sequence[Run], attempt: int) -> Run:
    """Return the run that a result comes from; of several, the one at the attempt's place."""
    key: Key = (instance, 1, 1, "own")
    same = []
    for source_run in sources:
        own = source_run.results.get(key)
        if own is not None and replace(own, attempt=result.attempt) == result:
            same.append(source_run)
    if len(sources) >= attempt and sources[attempt - 1] in same:
        return sources[attempt - 1]
    return same[-1] if same else sources[-1]
