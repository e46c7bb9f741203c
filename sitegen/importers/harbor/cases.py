"""Read the test cases of one round from its verifier's log, or else from its CTRF report."""

import io
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.records import Count, LenientRecord, OptionalText
from sitegen.importers.kit.cases import CaseRecord, count_by_category, with_distinct_ids
from sitegen.importers.kit.file_records import nested_field
from sitegen.importers.kit.redaction import one_line, redact_text
from sitegen.importers.kit.rules import FILE_BROKEN
from sitegen.importers.kit.stream import Sink, pick
from sitegen.models.outcome import OUTCOME_STATUS, PASS_REWARD, Failure, RoundResult
from sitegen.models.task import Case
from sitegen.problems import Problem, ProblemsError, Rule, counted
from sitegen.reading.files import LARGEST_LOG, opened

TEXTS = ("intent", "scenario", "input", "expected", "actual", "failure_reason")
"""The quoted fields of a case, in the order of its line. Quotes inside a field are not escaped."""

MAX_CASES = 50_000
"""Maximum number of cases read from one log."""

MAX_CASE_BYTES = 64 * 1024 * 1024
"""Maximum size in bytes of the cases read from one log. The log itself may be larger."""

_MAX_SUMMARIES = 20
_MAX_RECORD_BYTES = 1024 * 1024
"""Maximum size of one case in bytes."""

_MAX_NAME_LENGTH = 300
_MAX_MESSAGE_BYTES = 1024 * 1024
"""Maximum size in bytes of a test's message in a CTRF report."""

_BLOCK_BYTES = 256 * 1024
"""Size of a block of the log in bytes. A longer line is read in several pieces."""

_CASE = b"CASE_RESULT"
_SUMMARY = b"CASE_SUMMARY"
_ERROR_SIGNS = (b"Build failed", b"not found", b"error:")
"""Substrings of lines that may explain why no case ran."""

_SIGNS = (b"CASE_", b"FAIL:", *_ERROR_SIGNS)
"""Substrings of blocks that must be read; most blocks of a large log contain none of them."""

_LAST_TEXT = b'failure_reason="'
# The possessive quantifiers prevent backtracking on long lines.
_UNQUOTED_FIELDS = re.compile(r"CASE_RESULT((?:\s++\w++=[^\s\"]*+(?![\"]))*)")
_UNQUOTED_FIELD = re.compile(r"(\w+)=(\S+)")
_TEXT_START = re.compile(rf"\s({'|'.join(TEXTS)})=\"")
_NEXT_TEXT = re.compile(rf"\"\s+({'|'.join(TEXTS)})=\"")

_COUNT_NAMES = ("total_cases", "success_count", "fail_count")
_COUNT = re.compile(rf"\b({'|'.join(_COUNT_NAMES)})=(\d{{1,9}})\b")

_OUTCOMES = {
    "success": "p",
    "successful": "p",
    "passed": "p",
    "pass": "p",
    "ok": "p",
    "true": "p",
    "fail": "f",
    "failed": "f",
    "failure": "f",
    "false": "f",
    "error": "e",
    "errored": "e",
    "broken": "e",
    "crash": "e",
    "crashed": "e",
    "timeout": "e",
    "exception": "e",
}
"""Outcome letter of each status. A case with any other status counts as skipped."""

_LABELS = {"category": "case_type", "requirement": "requirement_ref", "origin": "origin_step"}
"""The log field for each label of a `Case`."""

_FAILURE_TEXTS = {
    "intent": "intent",
    "scenario": "scenario",
    "input": "input",
    "expected": "expected",
    "actual": "actual",
    "reason": "failure_reason",
}
"""The log field for each text of a `Failure`."""


@dataclass(frozen=True, slots=True)
class CaseTally:
    """How many cases of a round passed and failed."""

    total: int
    passed: int
    failed: int
    records: tuple[CaseRecord, ...] = ()
    """All cases; empty if the list of cases is incomplete."""

    @property
    def skipped(self) -> int:
        """The number of cases that neither passed nor failed."""
        return self.total - self.passed - self.failed

    @property
    def outcomes(self) -> str | None:
        """One letter per case; None if the list of cases is incomplete."""
        letters = [record.outcome for record in self.records]
        return "".join(letters) or None

    @property
    def by_category(self) -> dict[str, tuple[int, int]] | None:
        """Counts (passed, total) by category; None if a case is not listed or has no category."""
        cases = [(record.case.category or "", record.outcome == "p") for record in self.records]
        counts = count_by_category(cases)
        if not counts or "" in counts:
            return None
        return counts

    def contradicts(self, reward: float) -> bool:
        """Return whether these counts are incompatible with a reward."""
        if self.total == 0:
            return reward >= PASS_REWARD and self.failed > 0
        if reward >= PASS_REWARD:
            return self.failed > 0 or self.passed == 0
        return self.passed == self.total


@dataclass(slots=True)
class CaseReport:
    """The cases of one round, as listed and counted by its verifier."""

    path: Path
    records: list[CaseRecord] = field(default_factory=list)
    summaries: list[CaseTally] = field(default_factory=list)
    """The distinct summaries in the log, in order."""
    unreadable_records: int = 0
    """Number of cases and summaries in the log that can't be parsed."""
    no_case_reason: str | None = None
    """The line that explains why no case ran, if there is one."""
    has_excess: bool = False
    """Whether the log contains more cases than are read."""

    def add_record(self, record: str) -> None:
        """Add the case or the summary in a record; a record may have several lines."""
        if record.startswith(_SUMMARY.decode()):
            self._add_summary(record)
        else:
            self._add_case(record)

    def _add_case(self, record: str) -> None:
        fields = parse_fields(record)
        if "status" not in fields or "case_id" not in fields:
            self.unreadable_records += 1
            return
        outcome = _outcome_letter(fields["status"])
        labels = _redacted_fields(fields, _LABELS)
        texts = {} if outcome == "p" else _redacted_fields(fields, _FAILURE_TEXTS)
        case = Case(one_line(fields["case_id"], _MAX_NAME_LENGTH), **labels)
        self.records.append(CaseRecord(case, outcome, texts))

    def _add_summary(self, record: str) -> None:
        numbers = {name: int(digits) for name, digits in _COUNT.findall(record)}
        if len(numbers) < len(_COUNT_NAMES):
            self.unreadable_records += 1
            return
        total, passed, failed = [numbers[name] for name in _COUNT_NAMES]
        summary = CaseTally(total, passed, failed)
        if summary not in self.summaries:
            self.summaries = [*self.summaries[: _MAX_SUMMARIES - 1], summary]

    @property
    def has_cases(self) -> bool:
        """Whether any case is listed or counted."""
        totals = [summary.total for summary in self.summaries]
        return bool(self.records) or any(totals)

    def count_outcomes(self) -> Counter[str]:
        """Return the number of listed cases by outcome letter."""
        return Counter(record.outcome for record in self.records)

    def tally_listed(self) -> CaseTally:
        """Return the counts of the listed cases."""
        counts = self.count_outcomes()
        is_complete = not self.unreadable_records and not self.has_excess
        records = tuple(self.records) if is_complete else ()
        return CaseTally(counts.total(), counts["p"], counts["f"] + counts["e"], records)

    def summary(self, reward: float | None) -> CaseTally | None:
        """Return the first summary that fits the reward, or else the first summary.

        The result is None if there is no summary.
        """
        if not self.summaries:
            return None
        if reward is not None:
            for summary in self.summaries:
                if not summary.contradicts(reward):
                    return summary
        return self.summaries[0]

    def tally(self, reward: float | None) -> CaseTally | None:
        """Return the counts from the summary, or else the counts of the listed cases.

        The result is None if there is neither a usable summary nor a listed case.
        """
        listed_tally = self.tally_listed()
        fallback = listed_tally if self.records else None
        summary = self.summary(reward)
        if summary is None or not _is_possible(summary, listed_tally.failed):
            return fallback
        is_same_total = summary.total == listed_tally.total
        is_same_passed = summary.passed == listed_tally.passed
        # Some verifiers do not count cases that ended with an error as failed.
        is_same_failed = summary.failed in {self.count_outcomes()["f"], listed_tally.failed}
        if is_same_total and is_same_passed and is_same_failed:
            return listed_tally
        return replace(summary, failed=max(summary.failed, listed_tally.failed))

    def select_origin(self, name: str) -> "CaseReport":
        """Return a report that contains only the cases of one origin, such as a target."""
        records = [record for record in self.records if record.case.origin == name]
        case_report = replace(self, records=records)
        case_report.summaries = [case_report.tally_listed()] if records else []
        return case_report

    def failures(self, result: RoundResult) -> Iterator[Failure]:
        """Yield the cases of a round that did not pass, with their texts."""
        for record in self.records:
            status = OUTCOME_STATUS[record.outcome]
            if status == "passed":
                continue
            case = record.case
            texts: dict[str, Any] = dict(record.texts)
            yield Failure(
                result.task,
                result.attempt,
                result.round,
                case.id,
                status,
                start=result.start,
                category=case.category,
                requirement=case.requirement,
                origin=case.origin,
                **texts,
            )

    def doubts(self, reward: float | None) -> Iterator[tuple[Rule, str]]:
        """Yield the broken rule and a message for each reason to doubt the report."""
        if len(self.summaries) > 1:
            examples = [f"{summary.passed} of {summary.total}" for summary in self.summaries[:3]]
            passed = " and ".join(examples)
            yield rules.SUMMARIES_DIFFER, f"{len(self.summaries)} summaries: {passed} cases passed"
        summary = self.summary(reward)
        if summary is not None:
            outcomes = self.count_outcomes()
            contradiction = _find_contradiction(summary, outcomes)
            if contradiction is not None:
                choice = _describe_choice(summary, outcomes)
                yield rules.CASES_CONTRADICTED, f"{contradiction}; {choice}"
        elif self.records:
            yield rules.SUMMARY_MISSING, f"{counted(len(self.records), 'case')} without a summary"
        if self.unreadable_records:
            yield rules.CASES_BROKEN, f"{counted(self.unreadable_records, 'line')} can't be read"
        if self.has_excess:
            megabytes = MAX_CASE_BYTES // 1024**2
            limit = f"{MAX_CASES:,} cases, or {megabytes} MiB of them"
            yield rules.CASES_EXCESS, f"the log has more than {limit}"


def _is_possible(summary: CaseTally, listed_failed: int) -> bool:
    """Return whether a summary's total is large enough for its passed cases and all failed cases.

    Args:
        summary: The summary.
        listed_failed: The number of listed cases that failed or ended with an error.
    """
    failed = max(summary.failed, listed_failed)
    return summary.passed + failed <= summary.total


def _find_contradiction(summary: CaseTally, outcomes: Counter[str]) -> str | None:
    """Return how a summary contradicts itself or the listed cases; None if it does not.

    Listing fewer cases than were counted is not a contradiction.

    Args:
        summary: The summary.
        outcomes: The number of listed cases by outcome letter.
    """
    total = outcomes.total()
    passed = outcomes["p"]
    failed = outcomes["f"]
    if summary.passed + summary.failed > summary.total:
        counts = f"{summary.passed} passed and {summary.failed} failed"
        return f"{counts} are more than {summary.total} cases"
    has_more_listed = total > summary.total or passed > summary.passed
    if has_more_listed or not _is_possible(summary, failed + outcomes["e"]):
        listed_cases = f"{passed} of {total} listed cases passed"
        return f"{listed_cases}, but {summary.passed} of {summary.total} in the summary"
    if failed > summary.failed:
        listed_cases = f"{counted(failed, 'listed case')} failed"
        return f"{listed_cases}, but {summary.failed} of {summary.total} in the summary"
    return None


def _describe_choice(summary: CaseTally, outcomes: Counter[str]) -> str:
    """Return which counts `CaseReport.tally` uses, as a clause of a message."""
    if _is_possible(summary, outcomes["f"] + outcomes["e"]):
        return "the summary counts"
    return "the listed cases count" if outcomes.total() else "no count is used"


def _redacted_fields(
    fields: Mapping[str, str], sources: Mapping[str, str]
) -> dict[str, str | None]:
    """Return the redacted texts of some fields; None for a missing or empty text.

    Args:
        fields: The fields of a case, by name.
        sources: The name of the field for each key of the result.
    """
    return {key: redact_text(fields.get(name, "")) or None for key, name in sources.items()}


def _outcome_letter(status: str) -> str:
    """Return the outcome letter of a status: p, f, e, or s for skipped and unknown statuses."""
    return _OUTCOMES.get(status.strip().casefold(), "s")


@dataclass(slots=True)
class _LogRecord:
    """A case or a summary that is read from a log piece by piece.

    Texts may contain line breaks and quotes. A case ends with the quote that closes its last text,
    `failure_reason`. Three records, with some fields omitted::

        CASE_RESULT case_id=c1 status=fail input="1 2" failure_reason="expected "3", got "4""
        CASE_RESULT case_id=c2 status=fail input="1 2" failure_reason="two
        lines"
        CASE_SUMMARY total_cases=2 success_count=0 fail_count=2

    A record ends in one of four ways:

    - `_is_single_line`: the record is a line without texts, such as the summary.
    - `_has_closed_text`: the closing quote of the last text was found. Quotes inside texts usually
      come in pairs: in c1, the last quote of the line follows four quotes, so it closes the text.
      In c2, only the second line ends with a quote.
    - `_is_too_long`: a text that never ends is cut off.
    - The next record or the end of the log: then `_cut_text` returns the text of the record.
    """

    is_open: bool = False
    pieces: list[bytes] = field(default_factory=list)
    """The lines of the record; a long line is in several pieces."""
    size_bytes: int = 0
    quote_count: int | None = None
    """Number of quotes in the last text so far; None before that text."""
    likely_end: int | None = None
    """Number of pieces up to the first line of the last text that ends with a quote."""

    def add(self, piece: bytes, case_report: CaseReport) -> None:
        """Add a piece; if it completes the record, add the record to the report."""
        self.pieces.append(piece)
        self.size_bytes += len(piece)
        ends_with_quote = self._read_quotes(piece) and piece.endswith(b"\n")
        if ends_with_quote and self.likely_end is None:
            self.likely_end = len(self.pieces)
        is_closed = ends_with_quote and self._has_closed_text()
        if is_closed or self._is_single_line() or self._is_too_long():
            self.end(case_report)

    def _read_quotes(self, piece: bytes) -> bool:
        """Count a piece's quotes in the last text; return whether the piece ends with a quote."""
        last_text = piece
        if self.quote_count is None:
            _, mark, last_text = piece.rpartition(_LAST_TEXT)
            if not mark:
                return False
        self.quote_count = (self.quote_count or 0) + last_text.count(b'"')
        return last_text.rstrip().endswith(b'"')

    def _has_closed_text(self) -> bool:
        """Return whether the last text has an odd number of quotes: pairs and the closing quote."""
        return self.quote_count is not None and self.quote_count % 2 == 1

    def _is_single_line(self) -> bool:
        """Return whether the record is one complete line without texts."""
        first = self.pieces[0]
        has_texts = b'="' in first and not first.startswith(_SUMMARY)
        return len(self.pieces) == 1 and first.endswith(b"\n") and not has_texts

    def _is_too_long(self) -> bool:
        return self.size_bytes > _MAX_RECORD_BYTES

    def end(self, case_report: CaseReport) -> None:
        """Add the record, as read so far, to a report, unless the record has already ended."""
        if self.is_open:
            self.is_open = False
            case_report.add_record(self._cut_text())

    def _cut_text(self) -> str:
        """Return the record's text: all of it if its last text is closed.

        Otherwise the text ends with the first line of the last text that ends with a quote. A
        record without its last text ends with its first line if that line ends with a quote.
        """
        text = _decode_text(self.pieces)
        is_closed = self._has_closed_text() and text.endswith('"')
        if self.likely_end and not is_closed:
            return _decode_text(self.pieces[: self.likely_end])
        first_line = text.partition("\n")[0].rstrip()
        if self.quote_count is None and first_line.endswith('"'):
            return first_line
        return text


@dataclass(slots=True)
class _LogReader:
    """Reads cases and summaries from the blocks of a log."""

    case_report: CaseReport
    record: _LogRecord = field(default_factory=_LogRecord)
    case_bytes: int = 0
    """Number of bytes of records read so far."""
    error_line: bytes = b""
    """The last line that looks like an error message."""
    is_at_line_start: bool = True

    def read_block(self, block: bytes) -> None:
        """Read a block, split into lines only if it may contain a record or an error message."""
        has_lines = self.record.is_open or _has_any(block, _SIGNS)
        pieces: Iterable[bytes] = io.BytesIO(block) if has_lines else (block,)
        for piece in pieces:
            self._read_piece(piece)
            self.is_at_line_start = piece.endswith(b"\n")

    def _read_piece(self, piece: bytes) -> None:
        if self.is_at_line_start and piece.startswith((_CASE, _SUMMARY)):
            self._begin_record(is_case=piece.startswith(_CASE))
        if self.record.is_open:
            self.case_bytes += len(piece)
            self.record.add(piece, self.case_report)
        elif (
            self.is_at_line_start
            and self.case_report.no_case_reason is None
            and piece.startswith(b"FAIL:")
        ):
            self.case_report.no_case_reason = _decode_text([piece]).strip()
        elif _has_any(piece, _ERROR_SIGNS):
            self.error_line = piece

    def _begin_record(self, *, is_case: bool) -> None:
        """Begin a record. Beyond the limits, only summaries are read; they come last in a log."""
        self.record.end(self.case_report)
        is_full = self.case_bytes > MAX_CASE_BYTES or len(self.case_report.records) >= MAX_CASES
        is_skipped = is_case and (is_full or self.case_report.has_excess)
        self.case_report.has_excess |= is_skipped
        self.record = _LogRecord(is_open=not is_skipped)

    def finish(self) -> None:
        """End the last record and complete the report."""
        self.record.end(self.case_report)
        reason = self.case_report.no_case_reason or _decode_text([self.error_line]).strip()
        self.case_report.no_case_reason = one_line(reason) or None
        self.case_report.records[:] = with_distinct_ids(self.case_report.records)


def _has_any(data: bytes, signs: Collection[bytes]) -> bool:
    """Return whether data contains any of the byte strings."""
    return any(sign in data for sign in signs)


def _decode_text(pieces: Iterable[bytes]) -> str:
    """Return the pieces of a log as text, without trailing whitespace."""
    return b"".join(pieces).decode("utf-8", errors="replace").rstrip()


def read_log(path: Path) -> CaseReport:
    """Read the cases in a verifier's log of any size.

    Cases and summaries must begin at the start of a line: anything further right was printed by
    another program.

    Raises:
        ProblemsError: The file can't be read.
    """
    reader = _LogReader(CaseReport(path))
    with opened(path, largest=LARGEST_LOG) as file:
        while block := file.read(_BLOCK_BYTES):
            reader.read_block(block + file.readline(_BLOCK_BYTES))
    reader.finish()
    return reader.case_report


def parse_fields(record: str) -> dict[str, str]:
    """Return the fields of a case by name.

    A text ends at the quote before the name of a field that has not occurred yet; the last text
    ends at the record's last quote.
    """
    head = _UNQUOTED_FIELDS.match(record)
    if head is None:
        return {}
    fields = dict(_UNQUOTED_FIELD.findall(head[1]))
    opening = _TEXT_START.search(record, head.end())
    while opening:
        name = opening[1]
        start = opening.end()
        following = _find_next_text(record, start, {*fields, name})
        end = following.start() if following else record.rfind('"', start)
        fields[name] = record[start:end] if end >= start else record[start:]
        opening = following
    return fields


def _find_next_text(record: str, start: int, names: Collection[str]) -> re.Match[str] | None:
    """Return the match of the next quoted field not in `names`; None if there is none."""
    for match in _NEXT_TEXT.finditer(record, start):
        if match[1] not in names:
            return match
    return None


class CtrfTest(LenientRecord):
    """One test in a CTRF report, a format that many test runners can write."""

    name: OptionalText = None
    status: OptionalText = None
    message: OptionalText = None
    type: OptionalText = None
    suite: OptionalText = None
    """The test's group; ignored in newer reports, which list several names here."""


class _CtrfFile(LenientRecord):
    total: Count | None = nested_field("results", "summary", "tests")
    passed: Count | None = nested_field("results", "summary", "passed")
    failed: Count | None = nested_field("results", "summary", "failed")
    tests: list[CtrfTest] | None = nested_field("results", "tests")


def _parse_ctrf_test(value: object) -> CaseRecord | None:
    """Return a test of a CTRF report as a case; None if it has no name or no status."""
    test = CtrfTest.parse(value)
    if not test.name or not test.status:
        return None
    outcome = _outcome_letter(test.status)
    texts = {} if outcome == "p" else {"reason": redact_text(test.message or "") or None}
    case = Case(
        one_line(test.name, _MAX_NAME_LENGTH),
        category=one_line(test.type or "") or None,
        origin=one_line(test.suite or "") or None,
    )
    return CaseRecord(case, outcome, texts)


def _read_ctrf(path: Path) -> tuple[CaseReport, list[Problem]]:
    """Return the cases in a CTRF report; an empty report if the file has problems."""
    case_report = CaseReport(path)

    def add_test(value: object) -> None:
        record = _parse_ctrf_test(value)
        if record is not None:
            case_report.records.append(record)

    sinks: dict[tuple[str, ...], Sink] = {("results", "tests"): add_test}
    value, problems = pick(path, _CtrfFile.shape(), sinks, longest=_MAX_MESSAGE_BYTES)
    if problems:
        return CaseReport(path), problems
    file = _CtrfFile.parse(value)
    if file.total is not None and file.passed is not None and file.failed is not None:
        case_report.summaries = [CaseTally(file.total, file.passed, file.failed)]
    case_report.records[:] = with_distinct_ids(case_report.records)
    return case_report, []


def read_cases(
    log: Path | None, ctrf: Path | None = None
) -> tuple[CaseReport | None, list[Problem]]:
    """Return the cases of a round, from the verifier's log or else its CTRF report, and problems.

    The first value is None if there is no readable log and no CTRF report.
    """
    problems: list[Problem] = []
    case_report = None
    if log is not None:
        try:
            case_report = read_log(log)
        except ProblemsError as error:
            reason = error.problems[0].what
            message = f"nothing in {log.name} can be used: {reason}"
            problems.append(FILE_BROKEN.broken(log, None, message))
    if ctrf is not None and not (case_report and case_report.has_cases):
        ctrf_report, ctrf_problems = _read_ctrf(ctrf)
        problems += ctrf_problems
        if ctrf_report.has_cases or case_report is None:
            case_report = ctrf_report
    return case_report, problems
