"""The cases of one round, as its verifier tells of them: in CASE_RESULT lines or in a CTRF report."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.case_lines import LARGEST, MOST, Log, Summary, read_log
from sitegen.importers.harbor.ctrf import CtrfTest, read_ctrf
from sitegen.importers.kit.redaction import one_line, redacted
from sitegen.importers.kit.rules import FILE_BROKEN
from sitegen.models.outcome import OUTCOME_STATUS, PASS_REWARD, Failure, RoundResult
from sitegen.problems import Problem, ProblemsError, Rule, counted

_LETTERS = {
    **dict.fromkeys(("success", "successful", "passed", "pass", "ok", "true"), "p"),
    **dict.fromkeys(("fail", "failed", "failure", "false"), "f"),
    **dict.fromkeys(("error", "errored", "broken", "crash", "crashed", "timeout", "exception"), "e"),
}
"""Outcomes by the words for them. Any other word tells of a case that neither passed nor failed."""

_LONGEST_NAME = 300
"""Characters of a case's name."""


@dataclass(frozen=True, slots=True)
class CaseRecord:
    """One case as the verifier tells of it, its texts redacted."""

    id: str
    """Unique within its round: where a name stands several times, the later ones are numbered."""
    outcome: str
    """Its letter in `outcomes`: p, f, e or s."""
    category: str | None = None
    requirement: str | None = None
    origin: str | None = None
    intent: str | None = None
    """This and the further texts: None where they say nothing, or where the case passed."""
    scenario: str | None = None
    input: str | None = None
    expected: str | None = None
    actual: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """What the cases of a round come to."""

    passed: int
    total: int
    skipped: int
    records: tuple[CaseRecord, ...] = ()
    """Every case; empty where not every one is listed."""

    @property
    def failed(self) -> int:
        """Cases that failed, errors included."""
        return self.total - self.passed - self.skipped

    @property
    def outcomes(self) -> str | None:
        """One letter a case; None where not every one is listed."""
        return "".join(each.outcome for each in self.records) or None

    @property
    def by_category(self) -> dict[str, tuple[int, int]] | None:
        """Cases passed and cases in all by category; None where a case is not listed or has none."""
        found: dict[str, tuple[int, int]] = {}
        for each in self.records:
            if each.category is None:
                return None
            passed, total = found.get(each.category, (0, 0))
            found[each.category] = passed + (each.outcome == "p"), total + 1
        return found or None

    def contradicts(self, reward: float) -> bool:
        """Whether a reward can't be what these cases earn."""
        if reward >= PASS_REWARD:
            return self.failed > 0 or self.passed == 0 < self.total
        return self.passed == self.total > 0


@dataclass(frozen=True, slots=True)
class CaseReport:
    """What a verifier tells of a round's cases."""

    path: Path
    """Where it stands."""
    records: tuple[CaseRecord, ...] = ()
    """The cases that are listed, in the order of the log."""
    summaries: tuple[Summary, ...] = ()
    """The sums that are stated, each once; several where the log holds different ones."""
    broken: int = 0
    """Lines that begin like a case and can't be read."""
    early: str | None = None
    """The line that says why no case ran, where there is one."""
    excess: bool = False
    """Whether the log holds more than is read."""

    @property
    def tells_cases(self) -> bool:
        """Whether a case is listed or counted."""
        return bool(self.records) or any(each.total for each in self.summaries)

    def summary(self, reward: float | None) -> Summary | None:
        """Give the sums that count: the first that fit the reward, else the first."""
        fitting = [each for each in self.summaries if reward is not None and not _tally(each).contradicts(reward)]
        return next(iter([*fitting, *self.summaries]), None)

    def tally(self, reward: float | None) -> Tally | None:
        """Count the cases: as the verifier sums them up, else as it lists them; None where it does neither."""
        summary = self.summary(reward)
        listed = self._listed()
        if summary and self._is_whole(summary):
            return listed
        failed = max(summary.failed, listed.failed) if summary else 0  # some sums leave errors out
        if summary is None or summary.passed + failed > summary.total:
            return listed if self.records else None
        return _tally(replace(summary, failed=failed))

    def _listed(self) -> Tally:
        letters = Counter(each.outcome for each in self.records)
        records = () if self.broken or self.excess else self.records
        return Tally(letters["p"], letters.total(), letters["s"], records)

    def _is_whole(self, summary: Summary) -> bool:
        """Whether the listed cases are those that are summed up."""
        letters = Counter(each.outcome for each in self.records)
        failed = {letters["f"], letters["f"] + letters["e"]}
        return letters.total() == summary.total and letters["p"] == summary.passed and summary.failed in failed

    def of_origin(self, name: str) -> "CaseReport":
        """Give the cases that come from one place alone, such as one target, with their own sums."""
        mine = tuple(each for each in self.records if each.origin == name)
        letters = Counter(each.outcome for each in mine)
        own = (Summary(len(mine), letters["p"], letters["f"] + letters["e"]),) if mine else ()
        return replace(self, records=mine, summaries=own)

    def failures(self, result: RoundResult) -> Iterator[Failure]:
        """Give the texts of the cases that did not pass.

        Args:
            result: The round that they belong to.
        """
        for each in self.records:
            status = OUTCOME_STATUS[each.outcome]
            if status != "passed":
                yield Failure(
                    result.task,
                    result.attempt,
                    result.round,
                    each.id,
                    status,
                    category=each.category,
                    requirement=each.requirement,
                    origin=each.origin,
                    intent=each.intent,
                    scenario=each.scenario,
                    input=each.input,
                    expected=each.expected,
                    actual=each.actual,
                    reason=each.reason,
                    start=result.start,
                )

    def doubts(self, reward: float | None) -> Iterator[tuple[Rule, str]]:
        """Say what speaks against taking the report at its word: the broken rule, and the fact."""
        summary = self.summary(reward)
        if len(self.summaries) > 1:
            told = " and ".join(f"{each.passed} of {each.total}" for each in self.summaries[:3])
            yield rules.SUMMARIES_DIFFER, f"{len(self.summaries)} summaries: {told} cases passed"
        if summary is None and self.records:
            yield rules.SUMMARY_MISSING, f"{counted(len(self.records), 'case')} without a summary"
        if summary and (fault := self._fault(summary)):
            yield rules.CASES_CONTRADICTED, fault
        yield from self._losses()

    def _losses(self) -> Iterator[tuple[Rule, str]]:
        """Say what of the log is not among the cases."""
        if self.broken:
            yield rules.CASES_BROKEN, f"{counted(self.broken, 'line')} can't be read"
        if self.excess:
            yield rules.CASES_EXCESS, f"the log has more than {MOST:,} cases, or {LARGEST // 1024**2} MiB of them"

    def _fault(self, summary: Summary) -> str | None:
        """Say in what the listed cases contradict the sums; None where they don't. Fewer cases are no contradiction."""
        letters = Counter(each.outcome for each in self.records)
        if summary.passed + summary.failed > summary.total:
            return f"{summary.passed} passed and {summary.failed} failed are more than {summary.total} cases"
        if letters.total() > summary.total or letters["p"] > summary.passed:
            return f"{letters['p']} of {letters.total()} listed cases passed, and {summary.passed} of {summary.total}"
        return None


def read_cases(log: Path | None, ctrf: Path | None = None) -> tuple[CaseReport | None, list[Problem]]:
    """Read what a verifier tells of a round's cases.

    Args:
        log: Its output, usually `test-stdout.txt`; None where there is none.
        ctrf: Its CTRF report; read where the output tells of no case.

    Returns:
        The report, or None where there is neither file; and the problems.
    """
    problems: list[Problem] = []
    report = None
    if log is not None:
        try:
            report = _of_log(log, read_log(log))
        except ProblemsError as error:
            what = f"nothing of {log.name} can be used: {error.problems[0].what}"
            problems.append(FILE_BROKEN.broken(log, None, what))
    if ctrf is not None and not (report and report.tells_cases):
        found, faults = _of_ctrf(ctrf)
        problems += faults
        if found.tells_cases or report is None:
            report = found
    return report, problems


def _of_log(path: Path, log: Log) -> CaseReport:
    records = _unique([_record(fields) for fields in log.results])
    early = one_line(log.early) if log.early else None
    return CaseReport(path, records, tuple(log.summaries), log.broken, early, log.excess)


def _record(fields: Mapping[str, str]) -> CaseRecord:
    outcome = _letter(fields["status"])
    texts = {} if outcome == "p" else fields
    return CaseRecord(
        one_line(fields["case_id"], _LONGEST_NAME),
        outcome,
        category=_told(fields, "case_type"),
        requirement=_told(fields, "requirement_ref"),
        origin=_told(fields, "origin_step"),
        intent=_told(texts, "intent"),
        scenario=_told(texts, "scenario"),
        input=_told(texts, "input"),
        expected=_told(texts, "expected"),
        actual=_told(texts, "actual"),
        reason=_told(texts, "failure_reason"),
    )


def _of_ctrf(path: Path) -> tuple[CaseReport, list[Problem]]:
    records: list[CaseRecord] = []

    def take(test: CtrfTest) -> None:
        if test.name and test.status:
            outcome = _letter(test.status)
            reason = redacted(test.message or "") if outcome != "p" else ""
            name = one_line(test.name, _LONGEST_NAME)
            kind, suite = (one_line(each or "") or None for each in (test.type, test.suite))
            records.append(CaseRecord(name, outcome, category=kind, origin=suite, reason=reason or None))

    summary, problems = read_ctrf(path, take)
    if problems:
        return CaseReport(path), problems
    sums = []
    if summary and None not in {summary.tests, summary.passed, summary.failed}:
        sums = [Summary(summary.tests or 0, summary.passed or 0, summary.failed or 0)]
    return CaseReport(path, _unique(records), tuple(sums)), []


def _letter(word: str) -> str:
    return _LETTERS.get(word.strip().casefold(), "s")


def _told(fields: Mapping[str, str], name: str) -> str | None:
    text = fields.get(name)
    return (redacted(text) or None) if text else None


def _tally(summary: Summary) -> Tally:
    return Tally(summary.passed, summary.total, summary.total - summary.passed - summary.failed)


def _unique(records: Sequence[CaseRecord]) -> tuple[CaseRecord, ...]:
    """Number the names that stand several times, from the second on."""
    seen: Counter[str] = Counter()
    named = []
    for each in records:
        seen[each.id] += 1
        named.append(each if seen[each.id] == 1 else replace(each, id=f"{each.id} ({seen[each.id]})"))
    return tuple(named)
