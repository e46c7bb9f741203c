"""Waivers: problems that maintainers accept, each with a name, a reason and usually a last day."""

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date as Date  # noqa: N812 - as in the models
from pathlib import Path
from typing import NamedTuple

from sitegen.models.finding import Finding
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.problems import Problem, Rule, Severity, reasons

WAIVER_CODE_UNKNOWN = Rule.error(
    "WAIVER-CODE-UNKNOWN",
    "A waiver names an unknown code.",
    "copy the code from the problem",
    unwaivable=reasons.OWN,
)
WAIVER_REFUSED = Rule.error(
    "WAIVER-REFUSED",
    "A waiver names a rule that can't be waived.",
    "remove the waiver, and fix the problem",
    unwaivable=reasons.OWN,
)
WAIVER_EXPIRED = Rule.warning(
    "WAIVER-EXPIRED",
    "A waiver has expired.",
    "check the problem again: remove the waiver, or record a new one with a later `until`",
    unwaivable=reasons.OWN,
)
WAIVER_UNUSED = Rule.warning(
    "WAIVER-UNUSED",
    "A waiver applies to no problem.",
    "remove the waiver, or correct its code or its scope",
    unwaivable=reasons.OWN,
)

_ROUNDS = "rounds.jsonl"


class _Subject(NamedTuple):
    """The subject of a problem; None for unknown values.

    A waiver for one task, for example, does not cover a problem whose task is not known.
    """

    track: str | None = None
    submission: str | None = None
    task: str | None = None
    round: int | None = None

    def is_covered_by(self, waiver: Finding) -> bool:
        """Return whether the subject is within a waiver's scope."""
        scopes = (waiver.tracks, waiver.submissions, waiver.tasks, waiver.rounds)
        return all(not scope or value in scope for scope, value in zip(scopes, self, strict=True))


@dataclass(frozen=True, slots=True)
class Waivers:
    """The waivers of one benchmark that are in force on a day."""

    path: Path = Path()
    """The file that contains the waivers."""
    numbered: Sequence[tuple[int | None, Finding]] = ()
    """Each waiver in force, with its line in the file."""
    bundles: Mapping[Path, Bundle] = field(default_factory=dict)
    """The benchmark's readable bundles, by their folders."""
    ended: Sequence[Finding] = ()
    """The waivers that have expired."""
    current_codes: Mapping[str, str] = field(default_factory=dict)
    """The current code of each rule that a waiver names, by the code in the waiver."""

    def covering(self, problem: Problem) -> tuple[Finding, ...]:
        """Return the waivers that together cover a problem; empty if any of its lines is uncovered.

        A problem about many lines may need several waivers.
        """
        waivers = [waiver for _, waiver in self.numbered]
        return self._covering(problem, waivers)

    def _covering(self, problem: Problem, candidates: Sequence[Finding]) -> tuple[Finding, ...]:
        # Problems name no cases, so a waiver that is limited to cases covers nothing.
        waivers = []
        for waiver in candidates:
            code = self.current_codes.get(waiver.code or "")
            if code == problem.code and not waiver.cases:
                waivers.append(waiver)
        if not waivers:
            return ()
        used = []
        for subject in self._subjects(problem):
            covering = [waiver for waiver in waivers if subject.is_covered_by(waiver)]
            if not covering:
                return ()
            used.append(covering[0])
        needed = []
        for waiver in waivers:
            if waiver in used:
                needed.append(waiver)
        return tuple(needed)

    def applied(self, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """Return problems with waivers applied; a waived problem names who waived it and why.

        A waived error becomes a warning. A waived warning becomes a note: it needs no action.
        """
        if not (self.numbered or self.ended):
            return tuple(problems)
        applied = []
        for problem in problems:
            applied.append(self._applied(problem))
        return tuple(applied)

    def _applied(self, problem: Problem) -> Problem:
        waived = []
        for waiver in self.covering(problem):
            waived.append(waived_words(waiver))
        if waived:
            message = "; ".join([problem.what, *waived])
            severity: Severity = "warning" if problem.is_error else "note"
            return replace(problem, severity=severity, what=message)
        ended: Sequence[Finding] = ()
        if problem.is_error:
            ended = self._covering(problem, self.ended)
        notes = []
        for waiver in ended:
            notes.append(f"the waiver by {waiver.by} ended on {waiver.until}")
        if not notes:
            return problem
        return replace(problem, what="; ".join([problem.what, *notes]))

    def unused(self, problems: Iterable[Problem]) -> Iterator[Problem]:
        """Yield a problem for each waiver that covers none of the benchmark's problems."""
        if not self.numbered:
            return
        used: list[Finding] = []
        for problem in problems:
            used += self.covering(problem)
        for line, waiver in self.numbered:
            if waiver not in used:
                message = f"nothing in the scope of “{waiver.title}” breaks {waiver.code}"
                yield WAIVER_UNUSED.broken(self.path, line, message)

    def _subjects(self, problem: Problem) -> list[_Subject]:
        """Return the subjects of a problem, line by line.

        Empty for an error outside all bundles, which cannot be waived: it keeps more than one
        submission from being shown.
        """
        folders = (problem.path, *problem.path.parents)
        bundle = None
        for path in folders:
            if path in self.bundles:
                bundle = self.bundles[path]
                break
        if bundle is None:
            if problem.is_error:
                return []
            return [_Subject()]
        submission = _Subject(bundle.submission.track, bundle.id)
        if problem.path != bundle.path / _ROUNDS or not problem.lines:
            return [submission]
        records = dict(bundle.numbered_rounds())
        subjects = []
        for line in problem.lines:
            result = records.get(line)  # None for a line that could not be read
            if result:
                subjects.append(submission._replace(task=result.task, round=result.round))
            else:
                subjects.append(submission)
        return subjects


NO_WAIVERS = Waivers()


def collect_waivers(
    results: BenchmarkResults, day: Date, rules: Callable[[], Mapping[str, Rule]]
) -> tuple[Waivers, list[Problem]]:
    """Return the waivers that are in force on a day, and problems of the benchmark's other waivers.

    Args:
        results: The benchmark's results. Waivers without a code, a name or a reason are reported
            when findings are read.
        day: The day.
        rules: Returns every rule about results, by its code and its former codes. It is only called
            if there are waivers, since it imports many modules.
    """
    path = results.path / "findings.toml"
    in_force = []
    ended = []
    problems = []
    current_codes: dict[str, str] = {}
    for line, waiver in results.numbered_findings():
        code = waiver.code
        if waiver.kind != "waiver" or not (code and waiver.by and waiver.reason):
            continue
        rule = rules().get(code)
        if rule is None:
            fix = _similar_code(code, rules())
            problems.append(WAIVER_CODE_UNKNOWN.broken(path, line, f"there is no rule {code}", fix))
            continue
        current_codes[code] = rule.code
        if rule.unwaivable:
            message = f"{code} can't be waived: {rule.unwaivable}"
            problems.append(WAIVER_REFUSED.broken(path, line, message))
        elif waiver.until and waiver.until < day:
            message = f"the waiver of {code} by {waiver.by} ended on {waiver.until}"
            problems.append(WAIVER_EXPIRED.broken(path, line, message))
            ended.append(waiver)
        else:
            in_force.append((line, waiver))
    bundles = {bundle.path: bundle for bundle in results.bundles}
    return Waivers(path, in_force, bundles, ended, current_codes), problems


def _similar_code(code: str, rules: Mapping[str, Rule]) -> str | None:
    """Return a question that suggests the most similar code; None if none is similar."""
    similar = difflib.get_close_matches(code.upper(), list(rules), n=1)
    if not similar:
        return None
    return f"did you mean `{similar[0]}`?"


def waived_words(waiver: Finding) -> str:
    """Return a phrase that says who waived a problem, until when and why."""
    until = "for good"
    if waiver.until:
        until = f"until {waiver.until}"
    return f"waived by {waiver.by} {until}: {waiver.reason}"
