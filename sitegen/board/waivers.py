"""Waivers: breaches of rules that maintainers let pass, with their name, a reason and, mostly, a last day."""

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date as Date  # noqa: N812 - as in the models
from pathlib import Path
from typing import NamedTuple

from sitegen.models.finding import Finding
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.problems import Problem, Rule, reasons

WAIVER_CODE_UNKNOWN = Rule(
    "WAIVER-CODE-UNKNOWN",
    "error",
    "A waiver names the code of a rule.",
    "name the code as the problem has it",
    unwaivable=reasons.OWN,
)
WAIVER_REFUSED = Rule(
    "WAIVER-REFUSED",
    "error",
    "A waiver is about a rule that can be let pass.",
    "remove the waiver, and mend what breaks the rule",
    unwaivable=reasons.OWN,
)
WAIVER_EXPIRED = Rule(
    "WAIVER-EXPIRED",
    "warning",
    "A waiver's last day is not past.",
    "look at the problem again: remove the waiver, or record a new one with a later `until`",
    unwaivable=reasons.OWN,
)
WAIVER_UNUSED = Rule(
    "WAIVER-UNUSED",
    "warning",
    "A waiver lets something pass.",
    "remove the waiver, or correct its code or its scope",
    unwaivable=reasons.OWN,
)

_ROUNDS = "rounds.jsonl"


class _Place(NamedTuple):
    """What a problem is about, as far as it can be told."""

    track: str | None = None
    submission: str | None = None
    task: str | None = None
    round: int | None = None

    def is_within(self, waiver: Finding) -> bool:
        """Whether a waiver's scope holds it. What is not known lies in no scope that asks for it."""
        scopes = (waiver.tracks, waiver.submissions, waiver.tasks, waiver.rounds)
        # Problems name no cases, so that one that is narrowed to some waives nothing.
        return not waiver.cases and all(not scope or part in scope for part, scope in zip(self, scopes, strict=True))


@dataclass(frozen=True, slots=True)
class Waivers:
    """The waivers of one benchmark that hold on a day.

    Attributes:
        path: The file that they stand in.
        numbered: Each with its line there.
        bundles: The benchmark's bundles that could be read, by their folders.
        ended: Those that do not hold any more.
    """

    path: Path = Path()
    numbered: Sequence[tuple[int | None, Finding]] = ()
    bundles: Mapping[Path, Bundle] = field(default_factory=dict)
    ended: Sequence[Finding] = ()

    def covering(self, problem: Problem) -> tuple[Finding, ...]:
        """Give the waivers that let a problem pass: all of it. A problem that speaks of many lines may need several."""
        return self._covering(problem, [waiver for _, waiver in self.numbered])

    def _covering(self, problem: Problem, known: Sequence[Finding]) -> tuple[Finding, ...]:
        waivers = [waiver for waiver in known if waiver.code == problem.code]
        places = self._places(problem) if waivers else []
        found = [next(filter(place.is_within, waivers), None) for place in places]
        return () if None in found else tuple(waiver for waiver in waivers if waiver in found)

    def applied(self, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """Give problems as they count: what is waived is a warning that says by whom, until when and why."""
        return tuple(map(self._applied, problems)) if self.numbered or self.ended else tuple(problems)

    def unused(self, problems: Iterable[Problem]) -> Iterator[Problem]:
        """Say which waivers let nothing pass.

        Args:
            problems: Every problem of the benchmark, waived or not.
        """
        used = [waiver for problem in problems for waiver in self.covering(problem)] if self.numbered else []
        for line, waiver in self.numbered:
            if waiver not in used:
                what = f"nothing in the scope of “{waiver.title}” breaks {waiver.code}"
                yield WAIVER_UNUSED.broken(self.path, line, what)

    def _applied(self, problem: Problem) -> Problem:
        told = "; ".join(map(waived_words, self.covering(problem)))
        if told:
            return replace(problem, severity="warning", what=f"{problem.what}; {told}")
        ended = [f"; the waiver by {each.by} ended on {each.until}" for each in self._covering(problem, self.ended)]
        return replace(problem, what="".join([problem.what, *ended])) if problem.is_error else problem

    def _places(self, problem: Problem) -> list[_Place]:
        """Tell what a problem is about, line by line; nothing where it keeps more than itself from being shown."""
        folders = (problem.path, *problem.path.parents)
        bundle = next((self.bundles[each] for each in folders if each in self.bundles), None)
        if bundle is None:
            return [] if problem.is_error else [_Place()]
        lines = problem.lines if problem.path == bundle.path / _ROUNDS else ()
        return list(_rounds_at(bundle, lines)) or [_Place(bundle.submission.track, bundle.id)]


def _rounds_at(bundle: Bundle, lines: Iterable[int]) -> Iterator[_Place]:
    """Tell which rounds stand in lines; of a line that can't be read it is not known."""
    place = _Place(bundle.submission.track, bundle.id)
    records = dict(bundle.numbered_rounds()) if lines else {}
    for line in lines:
        record = records.get(line)
        yield place._replace(task=record.task, round=record.round) if record else place


NO_WAIVERS = Waivers()


def waivers_of(results: BenchmarkResults, day: Date, rules: Mapping[str, Rule]) -> tuple[Waivers, list[Problem]]:
    """Find the waivers that hold.

    Args:
        results: The benchmark.
        day: The day on which they are to hold.
        rules: Every rule that results keep, by code.

    Returns:
        Those that hold; and what is wrong with the others. Those that do not say all they need are told elsewhere.
    """
    path = results.path / "findings.toml"
    told = list(filter(_is_waiver, results.numbered_findings()))
    found = [_problem(path, line, finding, day, rules) for line, finding in told]
    held = [each for each, problem in zip(told, found, strict=True) if problem is None]
    ended = [
        finding
        for (_, finding), problem in zip(told, found, strict=True)
        if problem and problem.code == WAIVER_EXPIRED.code
    ]
    bundles = {bundle.path: bundle for bundle in results.bundles}
    return Waivers(path, held, bundles, ended), list(filter(None, found))


def _is_waiver(numbered: tuple[int | None, Finding]) -> bool:
    """Whether a finding is a waiver, and says all that it needs."""
    finding = numbered[1]
    return bool(finding.kind == "waiver" and finding.code and finding.by and finding.reason)


def waived_words(waiver: Finding) -> str:
    """Say who waived something, until when and why."""
    until = f"until {waiver.until}" if waiver.until else "for good"
    return f"waived by {waiver.by} {until}: {waiver.reason}"


def _problem(path: Path, line: int | None, waiver: Finding, day: Date, rules: Mapping[str, Rule]) -> Problem | None:
    """Say why a waiver does not hold; None where it does."""
    code = waiver.code or ""
    if code not in rules:
        close = difflib.get_close_matches(code.upper(), list(rules), n=1)
        fix = f"did you mean `{close[0]}`?" if close else None
        return WAIVER_CODE_UNKNOWN.broken(path, line, f"there is no rule {code}", fix)
    if rules[code].unwaivable:
        return WAIVER_REFUSED.broken(path, line, f"{code} can't be waived: {rules[code].unwaivable}")
    if waiver.until and waiver.until < day:
        return WAIVER_EXPIRED.broken(path, line, f"the waiver of {code} by {waiver.by} ended on {waiver.until}")
    return None
