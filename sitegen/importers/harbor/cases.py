"""The cases of one round, as its verifier tells of them: in CASE_RESULT lines or in a CTRF report."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.case_lines import LARGEST, MOST, TEXTS, Summary, read_log
from sitegen.importers.harbor.records import Lenient, Text, Whole
from sitegen.importers.harbor.stream import Shape, pick
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

_LABELS = {"category": "case_type", "requirement": "requirement_ref", "origin": "origin_step"}
_TEXTS = {name: name for name in TEXTS[:-1]} | {"reason": TEXTS[-1]}
"""What a record keeps, each with the field of a line that tells it: of cases that passed the labels alone."""

_LONGEST_NAME = 300
"""Characters of a case's name."""

_LONGEST_MESSAGE = 1024 * 1024
"""Bytes of a test's message that is kept."""


@dataclass(frozen=True, slots=True)
class CaseRecord:
    """One case as the verifier tells of it, its texts redacted; None for those that say nothing."""

    id: str
    """Unique within its round: where a name stands several times, the later ones are numbered."""
    outcome: str
    """Its letter in `outcomes`: p, f, e or s."""
    category: str | None = None
    requirement: str | None = None
    origin: str | None = None
    intent: str | None = None
    """This and the further texts: also None where the case passed."""
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
        failed = self.total - self.passed - self.skipped
        if reward >= PASS_REWARD:
            return failed > 0 or self.passed == 0 < self.total
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

    @property
    def letters(self) -> Counter[str]:
        """How many listed cases have which outcome."""
        return Counter(each.outcome for each in self.records)

    def summary(self, reward: float | None) -> Summary | None:
        """The sums that count: the first that fit the reward, else the first."""
        fitting = [each for each in self.summaries if reward is not None and not _tally(each).contradicts(reward)]
        return next(iter([*fitting, *self.summaries]), None)

    def tally(self, reward: float | None) -> Tally | None:
        """Count the cases: as the verifier sums them up, else as it lists them; None where it does neither."""
        summary, letters = self.summary(reward), self.letters
        records = () if self.broken or self.excess else self.records
        listed = Tally(letters["p"], letters.total(), letters["s"], records)
        failing = letters["f"] + letters["e"]
        counts = (summary.total, summary.passed) if summary else None
        if summary and (listed.total, listed.passed) == counts and summary.failed in {letters["f"], failing}:
            return listed
        failed = max(summary.failed, failing) if summary else 0  # some sums leave errors out
        if summary is None or summary.passed + failed > summary.total:
            return listed if self.records else None
        return _tally(replace(summary, failed=failed))

    def of_origin(self, name: str) -> "CaseReport":
        """The cases that come from one place alone, such as one target, with their own sums."""
        mine = replace(self, records=tuple(each for each in self.records if each.origin == name))
        letters = mine.letters
        own = (Summary(letters.total(), letters["p"], letters["f"] + letters["e"]),) if mine.records else ()
        return replace(mine, summaries=own)

    def failures(self, result: RoundResult) -> Iterator[Failure]:
        """The texts of the cases that did not pass, of the round that they belong to."""
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
        """What speaks against taking the report at its word: the broken rule, and the fact."""
        summary, letters = self.summary(reward), self.letters
        if len(self.summaries) > 1:
            told = " and ".join(f"{each.passed} of {each.total}" for each in self.summaries[:3])
            yield rules.SUMMARIES_DIFFER, f"{len(self.summaries)} summaries: {told} cases passed"
        if summary is None and self.records:
            yield rules.SUMMARY_MISSING, f"{counted(len(self.records), 'case')} without a summary"
        if summary and summary.passed + summary.failed > summary.total:
            sums = f"{summary.passed} passed and {summary.failed} failed are more than {summary.total} cases"
            yield rules.CASES_CONTRADICTED, sums
        elif summary and (letters.total() > summary.total or letters["p"] > summary.passed):
            # Fewer listed cases are no contradiction.
            listed = f"{letters['p']} of {letters.total()} listed cases passed"
            yield rules.CASES_CONTRADICTED, f"{listed}, and {summary.passed} of {summary.total}"
        if self.broken:
            yield rules.CASES_BROKEN, f"{counted(self.broken, 'line')} can't be read"
        if self.excess:
            yield rules.CASES_EXCESS, f"the log has more than {MOST:,} cases, or {LARGEST // 1024**2} MiB of them"


def _tally(summary: Summary) -> Tally:
    return Tally(summary.passed, summary.total, summary.total - summary.passed - summary.failed)


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
            report = _of_log(log)
        except ProblemsError as error:
            what = f"nothing of {log.name} can be used: {error.problems[0].what}"
            problems.append(FILE_BROKEN.broken(log, None, what))
    if ctrf is not None and not (report and report.tells_cases):
        found, faults = _of_ctrf(ctrf)
        problems += faults
        if found.tells_cases or report is None:
            report = found
    return report, problems


def _of_log(path: Path) -> CaseReport:
    log = read_log(path)
    records = []
    for fields in log.results:
        outcome = _letter(fields["status"])
        kept = _LABELS if outcome == "p" else {**_LABELS, **_TEXTS}
        told = {key: redacted(fields.get(name, "")) or None for key, name in kept.items()}
        records.append(CaseRecord(one_line(fields["case_id"], _LONGEST_NAME), outcome, **told))
    early = one_line(log.early) if log.early else None
    return CaseReport(path, _unique(records), tuple(log.summaries), log.broken, early, log.excess)


class CtrfTest(Lenient):
    """One test of a CTRF report, which many test runners can write."""

    name: Text = None
    status: Text = None
    message: Text = None
    type: Text = None
    suite: Text = None
    """The group it stands in; newer reports have a list of names, which is passed over."""


class _CtrfSummary(Lenient):
    tests: Whole = None
    passed: Whole = None
    failed: Whole = None


class _CtrfResults(Lenient):
    summary: _CtrfSummary | None = None


class _Ctrf(Lenient):
    results: _CtrfResults | None = None


_CTRF: Shape = {"results": {**_CtrfResults.shape(), "tests": CtrfTest.shape()}}


def _of_ctrf(path: Path) -> tuple[CaseReport, list[Problem]]:
    records: list[CaseRecord] = []

    def take(member: object) -> None:
        test = CtrfTest.model_validate(member) if isinstance(member, dict) else CtrfTest()
        if test.name and test.status:
            outcome = _letter(test.status)
            reason = redacted(test.message or "") if outcome != "p" else ""
            name = one_line(test.name, _LONGEST_NAME)
            kind, suite = (one_line(each or "") or None for each in (test.type, test.suite))
            records.append(CaseRecord(name, outcome, category=kind, origin=suite, reason=reason or None))

    value, problems = pick(path, _CTRF, {("results", "tests"): take}, longest=_LONGEST_MESSAGE)
    if problems:
        return CaseReport(path), problems
    results = _Ctrf.model_validate(value).results if isinstance(value, dict) else None
    told = (results and results.summary) or _CtrfSummary()
    sums = []
    if told.tests is not None and told.passed is not None and told.failed is not None:
        sums = [Summary(told.tests, told.passed, told.failed)]
    return CaseReport(path, _unique(records), tuple(sums)), []


def _letter(word: str) -> str:
    return _LETTERS.get(word.strip().casefold(), "s")


def _unique(records: Sequence[CaseRecord]) -> tuple[CaseRecord, ...]:
    """Number the names that stand several times, from the second on."""
    seen: Counter[str] = Counter()
    named = []
    for each in records:
        seen[each.id] += 1
        named.append(each if seen[each.id] == 1 else replace(each, id=f"{each.id} ({seen[each.id]})"))
    return tuple(named)
