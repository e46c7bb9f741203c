"""Waivers: breaches of rules that maintainers let pass, with their name, a reason and, mostly, a last day."""

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date as Date  # noqa: N812 - as in the models
from pathlib import Path
from typing import NamedTuple

from sitegen.models.finding import Finding
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.problems import Problem, Rule, reasons

WAIVER_CODE_UNKNOWN = Rule.error(
    "WAIVER-CODE-UNKNOWN",
    "A waiver names the code of a rule.",
    "name the code as the problem has it",
    unwaivable=reasons.OWN,
)
WAIVER_REFUSED = Rule.error(
    "WAIVER-REFUSED",
    "A waiver is about a rule that can be let pass.",
    "remove the waiver, and mend what breaks the rule",
    unwaivable=reasons.OWN,
)
WAIVER_EXPIRED = Rule.warning(
    "WAIVER-EXPIRED",
    "A waiver's last day is not past.",
    "look at the problem again: remove the waiver, or record a new one with a later `until`",
    unwaivable=reasons.OWN,
)
WAIVER_UNUSED = Rule.warning(
    "WAIVER-UNUSED",
    "A waiver lets something pass.",
    "remove the waiver, or correct its code or its scope",
    unwaivable=reasons.OWN,
)

_ROUNDS = "rounds.jsonl"


class _Place(NamedTuple):
    """What a problem is about, as far as it can be told. What is not known lies in no scope that asks for it."""

    track: str | None = None
    submission: str | None = None
    task: str | None = None
    round: int | None = None


@dataclass(frozen=True, slots=True)
class Waivers:
    """The waivers of one benchmark that hold on a day."""

    path: Path = Path()
    """The file that they stand in."""
    numbered: Sequence[tuple[int | None, Finding]] = ()
    """Each with its line there."""
    bundles: Mapping[Path, Bundle] = field(default_factory=dict)
    """The benchmark's bundles that could be read, by their folders."""
    ended: Sequence[Finding] = ()
    """Those that do not hold any more."""

    def covering(self, problem: Problem) -> tuple[Finding, ...]:
        """The waivers that let a problem pass: all of it. A problem that speaks of many lines may need several."""
        return self._covering(problem, [waiver for _, waiver in self.numbered])

    def _covering(self, problem: Problem, known: Sequence[Finding]) -> tuple[Finding, ...]:
        # Problems name no cases, so that a waiver that is narrowed to some waives nothing.
        waivers = [waiver for waiver in known if waiver.code == problem.code and not waiver.cases]
        scopes = [
            (waiver, (waiver.tracks, waiver.submissions, waiver.tasks, waiver.rounds))
            for waiver in waivers
        ]
        found = []
        for place in self._places(problem) if waivers else ():
            holding = (
                each
                for each, told in scopes
                if all(not a or b in a for a, b in zip(told, place, strict=True))
            )
            found.append(next(holding, None))
        return () if None in found else tuple(waiver for waiver in waivers if waiver in found)

    def applied(self, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """Problems as they count: what is waived is a warning that says by whom, until when and why."""
        if not (self.numbered or self.ended):
            return tuple(problems)
        found = []
        for each in problems:
            told = "; ".join(map(waived_words, self.covering(each)))
            if told:
                found.append(replace(each, severity="warning", what=f"{each.what}; {told}"))
                continue
            ended = self._covering(each, self.ended) if each.is_error else ()
            gone = "".join(
                f"; the waiver by {waiver.by} ended on {waiver.until}" for waiver in ended
            )
            found.append(replace(each, what=f"{each.what}{gone}") if gone else each)
        return tuple(found)

    def unused(self, problems: Iterable[Problem]) -> Iterator[Problem]:
        """Say which waivers let nothing pass, from every problem of the benchmark, waived or not."""
        used = (
            [waiver for problem in problems for waiver in self.covering(problem)]
            if self.numbered
            else []
        )
        for line, waiver in self.numbered:
            if waiver not in used:
                what = f"nothing in the scope of “{waiver.title}” breaks {waiver.code}"
                yield WAIVER_UNUSED.broken(self.path, line, what)

    def _places(self, problem: Problem) -> list[_Place]:
        """Tell what a problem is about, line by line; nothing where it keeps more than itself from being shown."""
        folders = (problem.path, *problem.path.parents)
        bundle = next((self.bundles[each] for each in folders if each in self.bundles), None)
        if bundle is None:
            return [] if problem.is_error else [_Place()]
        whole = _Place(bundle.submission.track, bundle.id)
        lines = problem.lines if problem.path == bundle.path / _ROUNDS else ()
        records = (
            dict(bundle.numbered_rounds()) if lines else {}
        )  # of a line that can't be read it is not known
        known = (records.get(line) for line in lines)
        return [
            whole._replace(task=each.task, round=each.round) if each else whole for each in known
        ] or [whole]


NO_WAIVERS = Waivers()


def waivers_of(
    results: BenchmarkResults, day: Date, rules: Callable[[], Mapping[str, Rule]]
) -> tuple[Waivers, list[Problem]]:
    """Find the waivers of a benchmark that hold on a day, and what is wrong with the others.

    They may name `rules`, every rule that results keep: what finds them imports much. Those that do not say all they
    need are told elsewhere.
    """
    path = results.path / "findings.toml"
    held, ended, problems = [], [], []
    for line, waiver in results.numbered_findings():
        code = waiver.code
        if waiver.kind != "waiver" or not (code and waiver.by and waiver.reason):
            continue
        if code not in rules():
            close = difflib.get_close_matches(code.upper(), list(rules()), n=1)
            fix = f"did you mean `{close[0]}`?" if close else None
            problems.append(WAIVER_CODE_UNKNOWN.broken(path, line, f"there is no rule {code}", fix))
        elif why := rules()[code].unwaivable:
            problems.append(WAIVER_REFUSED.broken(path, line, f"{code} can't be waived: {why}"))
        elif waiver.until and waiver.until < day:
            what = f"the waiver of {code} by {waiver.by} ended on {waiver.until}"
            problems.append(WAIVER_EXPIRED.broken(path, line, what))
            ended.append(waiver)
        else:
            held.append((line, waiver))
    return Waivers(path, held, {bundle.path: bundle for bundle in results.bundles}, ended), problems


def waived_words(waiver: Finding) -> str:
    """Say who waived something, until when and why."""
    until = f"until {waiver.until}" if waiver.until else "for good"
    return f"waived by {waiver.by} {until}: {waiver.reason}"
