"""The cases of one round, as its verifier tells of them: in CASE_RESULT lines among others, or in a CTRF report."""

import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.records import Lenient, Text, Whole
from sitegen.importers.kit.cases import CaseRecord, by_category, told_apart
from sitegen.importers.kit.redaction import one_line, redacted
from sitegen.importers.kit.rules import FILE_BROKEN
from sitegen.importers.kit.stream import pick
from sitegen.importers.kit.told import at
from sitegen.models.outcome import OUTCOME_STATUS, PASS_REWARD, Failure, RoundResult
from sitegen.models.task import Case
from sitegen.problems import Problem, ProblemsError, Rule, counted
from sitegen.reading.files import LARGEST_LOG, opened

RESULT, SUMMARY = "CASE_RESULT", "CASE_SUMMARY"
_CASE, _SUM = RESULT.encode(), SUMMARY.encode()

TEXTS = ("intent", "scenario", "input", "expected", "actual", "failure_reason")
"""The fields in quotes, in the order that they are printed in. No escape is known: a quote in them is a quote."""

LARGEST = 64 * 1024 * 1024
"""Bytes of cases that are taken of a log. The rest of a log may be of any size: it is not held."""

MOST, _SUMMARIES = 50_000, 20
"""Cases, and different summaries, that are taken of a log."""

_BLOCK, _LONGEST = 256 * 1024, 1024 * 1024
"""Bytes that are read at once, a longer line in several pieces; and those that the end of a case is looked for in."""

_SIGNS = (b"Build failed", b"not found", b"error:")
"""What stands in lines that may say why no case ran."""

_WORTH_READING = (b"CASE_", b"FAIL:", *_SIGNS)
"""What a block holds that has anything to tell: by far the most of a large log has not."""

_LAST_TEXT = b'failure_reason="'
_HEAD = re.compile(rf"{RESULT}((?:\s++\w++=[^\s\"]*+(?![\"]))*)")
_TOKEN = re.compile(r"(\w+)=(\S+)")
_OPENING = re.compile(rf"\s({'|'.join(TEXTS)})=\"")
_BOUNDARY = re.compile(rf"\"\s+({'|'.join(TEXTS)})=\"")
_NUMBER = re.compile(r"\b(total_cases|success_count|fail_count)=(\d{1,9})\b")

_LETTERS = {
    **dict.fromkeys(("success", "successful", "passed", "pass", "ok", "true"), "p"),
    **dict.fromkeys(("fail", "failed", "failure", "false"), "f"),
    **dict.fromkeys(
        ("error", "errored", "broken", "crash", "crashed", "timeout", "exception"), "e"
    ),
}
"""Outcomes by the words for them. Any other word tells of a case that neither passed nor failed."""

_LABELS = {"category": "case_type", "requirement": "requirement_ref", "origin": "origin_step"}
_TEXTS = {name: name for name in TEXTS[:-1]} | {"reason": TEXTS[-1]}
"""What is kept of a case, each with the field of a line that tells it; the texts of one that passed are not."""

_LONGEST_NAME, _LONGEST_MESSAGE = 300, 1024 * 1024
"""Characters of a case's name, and bytes of a test's message that is kept."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What the cases of a round come to."""

    total: int
    passed: int
    failed: int
    records: tuple[CaseRecord, ...] = ()
    """Every case; empty where not every one is listed."""

    @property
    def skipped(self) -> int:
        """Cases that neither passed nor failed."""
        return self.total - self.passed - self.failed

    @property
    def outcomes(self) -> str | None:
        """One letter a case; None where not every one is listed."""
        return "".join(each.outcome for each in self.records) or None

    @property
    def by_category(self) -> dict[str, tuple[int, int]] | None:
        """Cases passed and cases in all by category; None where a case is not listed or has none."""
        found = by_category(
            (each.case.category or "", each.outcome == "p") for each in self.records
        )
        return found if found and "" not in found else None

    def contradicts(self, reward: float) -> bool:
        """Whether a reward can't be what these cases earn."""
        if reward >= PASS_REWARD:
            return self.failed > 0 or self.passed == 0 < self.total
        return self.passed == self.total > 0


@dataclass(slots=True)
class CaseReport:
    """What a verifier tells of a round's cases."""

    path: Path
    records: list[CaseRecord] = field(default_factory=list)
    summaries: list[Summary] = field(default_factory=list)
    """The sums that are stated, each once, in the order of the log."""
    broken: int = 0
    """Lines that begin like a case or a summary and can't be read."""
    early: str | None = None
    """The line that says why no case ran, where there is one."""
    excess: bool = False

    def add(self, line: str) -> None:
        """Take a line that begins like a case or a summary."""
        if not line.startswith(SUMMARY):
            fields = fields_of(line)
            if "status" in fields and "case_id" in fields:
                outcome = _letter(fields["status"])
                labels, texts = (
                    {key: redacted(fields.get(name, "")) or None for key, name in kept.items()}
                    for kept in (_LABELS, _TEXTS if outcome != "p" else {})
                )
                case = Case(one_line(fields["case_id"], _LONGEST_NAME), **labels)
                self.records.append(CaseRecord(case, outcome, texts))
            else:
                self.broken += 1
        elif len(counts := {name: int(number) for name, number in _NUMBER.findall(line)}) < 3:  # noqa: PLR2004 - the three that a summary has
            self.broken += 1
        else:
            summary = Summary(counts["total_cases"], counts["success_count"], counts["fail_count"])
            if summary not in self.summaries[:_SUMMARIES]:
                self.summaries = [*self.summaries[: _SUMMARIES - 1], summary]

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
        fitting = [
            each for each in self.summaries if reward is not None and not each.contradicts(reward)
        ]
        return next(iter([*fitting, *self.summaries]), None)

    @property
    def listed(self) -> Summary:
        """What the listed cases come to."""
        letters, is_whole = self.letters, not self.broken and not self.excess
        return Summary(
            letters.total(),
            letters["p"],
            letters["f"] + letters["e"],
            tuple(self.records) if is_whole else (),
        )

    def tally(self, reward: float | None) -> Summary | None:
        """Count the cases: as the verifier sums them up, else as it lists them; None where it does neither."""
        summary, listed = self.summary(reward), self.listed
        counts = (summary.total, summary.passed) if summary else None
        if (
            summary
            and (listed.total, listed.passed) == counts
            and summary.failed in {self.letters["f"], listed.failed}
        ):
            return listed
        failed = max(summary.failed, listed.failed) if summary else 0  # some sums leave errors out
        if summary is None or summary.passed + failed > summary.total:
            return listed if self.records else None
        return replace(summary, failed=failed)

    def of_origin(self, name: str) -> "CaseReport":
        """The cases that come from one place alone, such as one target, with their own sums."""
        mine = replace(self, records=[each for each in self.records if each.case.origin == name])
        return replace(mine, summaries=[mine.listed] if mine.records else [])

    def failures(self, result: RoundResult) -> Iterator[Failure]:
        """The texts of the cases that did not pass, of the round that they belong to."""
        for each in self.records:
            case, status = each.case, OUTCOME_STATUS[each.outcome]
            if status != "passed":
                told = {**each.texts, **{name: getattr(case, name) for name in _LABELS}}
                yield Failure(
                    result.task,
                    result.attempt,
                    result.round,
                    case.id,
                    status,
                    start=result.start,
                    **told,
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
            yield (
                rules.CASES_EXCESS,
                f"the log has more than {MOST:,} cases, or {LARGEST // 1024**2} MiB of them",
            )


@dataclass(slots=True)
class _Record:
    """A line that begins with a mark, and what follows it until it ends: texts may hold line breaks and quotes.

    A case ends with the quote that closes its last text. Quotes inside of texts come in pairs as a rule, so the
    first closing quote that leaves pairs is taken; where there is none before the next mark, the first of all.
    """

    pieces: list[bytes] | None = None
    """What was read of it; None once it has ended."""
    quotes: int | None = None
    """Quotes in its last text so far; None where that has not begun."""
    likely: int | None = None
    """Pieces up to the first place where it may end."""
    size: int = 0

    def add(self, piece: bytes, report: CaseReport) -> None:
        """Take a piece, and the record with it where it ends there."""
        if self.pieces is None:
            return
        self.pieces.append(piece)
        self.size += len(piece)
        is_line, begins, inside = piece.endswith(b"\n"), True, piece
        if self.quotes is None:
            _, mark, inside = piece.rpartition(_LAST_TEXT)
            begins = bool(mark)
        may_end = begins and is_line and inside.rstrip().endswith(b'"')
        if begins:
            self.quotes = (self.quotes or 0) + inside.count(b'"')
        if may_end:
            self.likely = self.likely or len(self.pieces)
        bare = is_line and len(self.pieces) == 1 and (b'="' not in piece or piece.startswith(_SUM))
        if bare or (may_end and (self.quotes or 0) % 2 == 1) or self.size > _LONGEST:
            self.end(report)

    def end(self, report: CaseReport) -> None:
        """Take the record as far as it goes."""
        if self.pieces is None:
            return
        whole = _text(b"".join(self.pieces)).rstrip()
        paired = self.quotes is not None and self.quotes % 2 == 1 and whole.endswith('"')
        if self.likely and not paired:
            whole = _text(b"".join(self.pieces[: self.likely])).rstrip()
        first = whole.partition("\n")[0].rstrip()
        report.add(first if self.quotes is None and first.endswith('"') else whole)
        self.pieces = None


def read_log(path: Path) -> CaseReport:
    """Read a verifier's log, whatever its size.

    Lines count where they begin with their mark: what stands further right was printed by something else.

    Raises:
        ProblemsError: The file can't be read.
    """
    report, record = CaseReport(path), _Record()
    taken, sign, at_start = (
        0,
        b"",
        True,
    )  # bytes of records, and the last line that sounds like an error
    with opened(path, largest=LARGEST_LOG) as file:
        while block := file.read(_BLOCK):
            block += file.readline(_BLOCK)
            has_lines = record.pieces is not None or any(word in block for word in _WORTH_READING)
            for piece in io.BytesIO(block) if has_lines else (block,):
                if at_start and piece.startswith((_CASE, _SUM)):
                    record.end(report)
                    report.excess |= taken > LARGEST or len(report.records) >= MOST
                    # Once there are too many cases, only what they come to is taken: it stands at the end.
                    record = _Record(None if report.excess and piece.startswith(_CASE) else [])
                if record.pieces is not None:
                    taken += len(piece)
                    record.add(piece, report)
                elif at_start and report.early is None and piece.startswith(b"FAIL:"):
                    report.early = _text(piece).strip()
                elif any(word in piece for word in _SIGNS):
                    sign = piece
                at_start = piece.endswith(b"\n")
    record.end(report)
    report.early = one_line(report.early or _text(sign).strip()) or None
    report.records[:] = told_apart(report.records)
    return report


def fields_of(record: str) -> dict[str, str]:
    """Tell the fields of a case's line by their names.

    A text goes up to the quote that is followed by the name of another field that has not been told yet; the last
    one goes up to the record's last quote.
    """
    head = _HEAD.match(record)
    fields = dict(_TOKEN.findall(head[1])) if head else {}
    opening = _OPENING.search(record, head.end() if head else 0)
    while opening:
        name, start = opening[1], opening.end()
        boundaries = (
            match
            for match in _BOUNDARY.finditer(record, start)
            if match[1] not in fields.keys() | {name}
        )
        opening = next(boundaries, None)
        end = opening.start() if opening else record.rfind('"', start)
        fields[name] = record[start : end if end >= start else len(record)]
    return fields


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="replace")


def _letter(word: str) -> str:
    return _LETTERS.get(word.strip().casefold(), "s")


class CtrfTest(Lenient):
    """One test of a CTRF report, which many test runners can write."""

    name: Text = None
    status: Text = None
    message: Text = None
    type: Text = None
    suite: Text = None
    """The group it stands in; newer reports have a list of names, which is passed over."""


class _Ctrf(Lenient):
    tests: list[CtrfTest] | None = at("results", "tests")
    total: Whole = at("results", "summary", "tests")
    passed: Whole = at("results", "summary", "passed")
    failed: Whole = at("results", "summary", "failed")


def _of_ctrf(path: Path) -> tuple[CaseReport, list[Problem]]:
    report = CaseReport(path)

    def take(member: object) -> None:
        test = CtrfTest.model_validate(member) if isinstance(member, dict) else CtrfTest()
        if test.name and test.status:
            outcome = _letter(test.status)
            texts = {"reason": redacted(test.message or "") or None} if outcome != "p" else {}
            kind, suite = (one_line(each or "") or None for each in (test.type, test.suite))
            case = Case(one_line(test.name, _LONGEST_NAME), category=kind, origin=suite)
            report.records.append(CaseRecord(case, outcome, texts))

    value, problems = pick(
        path, _Ctrf.shape(), {("results", "tests"): take}, longest=_LONGEST_MESSAGE
    )
    if problems:
        return CaseReport(path), problems
    told = _Ctrf.model_validate(value) if isinstance(value, dict) else _Ctrf()
    if told.total is not None and told.passed is not None and told.failed is not None:
        report.summaries = [Summary(told.total, told.passed, told.failed)]
    report.records[:] = told_apart(report.records)
    return report, []


def read_cases(
    log: Path | None, ctrf: Path | None = None
) -> tuple[CaseReport | None, list[Problem]]:
    """Read what a verifier tells of a round's cases: in its output, else in its CTRF report; None without either."""
    problems: list[Problem] = []
    report = None
    if log is not None:
        try:
            report = read_log(log)
        except ProblemsError as error:
            what = f"nothing of {log.name} can be used: {error.problems[0].what}"
            problems.append(FILE_BROKEN.broken(log, None, what))
    if ctrf is not None and not (report and report.tells_cases):
        found, faults = _of_ctrf(ctrf)
        problems += faults
        if found.tells_cases or report is None:
            report = found
    return report, problems
