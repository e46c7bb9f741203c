"""What can be wrong: problems of the data, the rules that they break, the errors that carry them, and their words."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Literal, TypeVar

from sitegen.problems.mends import Mend

K = TypeVar("K")
T = TypeVar("T")

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with the data, said so that its author can find and mend it."""

    code: str
    """The broken rule's stable name."""
    severity: Severity
    """An error keeps a bundle out of the site; a warning is shown on its page."""
    path: Path
    """The file, as it was reached."""
    line: int | None
    """The line in it, from 1; None where the whole file or folder is meant."""
    what: str
    """The fact, with the value that was found."""
    fix: str
    """What to do about it, in the imperative."""
    others: tuple[int, ...] = ()
    """More lines of the same file that it speaks of."""
    mend: Mend | None = None
    """What `sitegen validate --fix` does about it; None where it does nothing."""

    @property
    def lines(self) -> tuple[int, ...]:
        """Every line that it speaks of; none where the whole file or folder is meant."""
        return (self.line, *self.others) if self.line else self.others

    def about(self, lines: Iterable[int]) -> "Problem":
        """The same problem, of several lines, its own among them."""
        return replace(self, others=tuple(sorted({*lines} - {self.line})))

    def moved(self, was: Path, now: Path) -> "Problem":
        """The same problem, where what lies in one folder lies in another."""
        return (
            replace(self, path=now / self.path.relative_to(was))
            if self.path.is_relative_to(was)
            else self
        )

    @property
    def is_error(self) -> bool:
        """Whether it keeps a bundle out of the site."""
        return self.severity == "error"

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else f"{self.path}"
        return f"{visible(f'{place}: {self.severity} {self.code}: {self.what}')}\n  fix: {visible(self.fix)}"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that the data keeps, declared beside its check, with all that is done about a breach."""

    code: str
    """Stable name; part of the program's interface."""
    severity: Severity
    title: str
    """The rule, in a sentence a submitter can read."""
    fix: str
    """The usual way to mend a breach."""
    caveat: str = ""
    """What readers of results are told whose source breaks it, with `{}` for the facts; empty where that concerns only
    who imports them."""
    unwaivable: str = ""
    """Why maintainers can't let a breach pass; empty where they can."""
    mend: Mend | None = None
    """What `sitegen validate --fix` does about it; None where it does nothing."""

    @classmethod
    def error(
        cls, code: str, title: str, fix: str, *, unwaivable: str = "", mend: Mend | None = None
    ) -> "Rule":
        """A rule whose breach keeps a bundle out of the site."""
        return cls(code, "error", title, fix, "", unwaivable, mend)

    @classmethod
    def warning(  # noqa: PLR0913 - a rule is one object
        cls,
        code: str,
        title: str,
        fix: str,
        caveat: str = "",
        *,
        unwaivable: str = "",
        mend: Mend | None = None,
    ) -> "Rule":
        """A rule whose breach is shown on the page of its bundle."""
        return cls(code, "warning", title, fix, caveat, unwaivable, mend)

    @property
    def is_waivable(self) -> bool:
        """Whether a breach is an error that maintainers can let pass."""
        return self.severity == "error" and not self.unwaivable

    def broken(self, path: Path, line: int | None, what: str, fix: str | None = None) -> Problem:
        """A breach of this rule; `fix` says what to do here, where that is more than the usual way."""
        return Problem(self.code, self.severity, path, line, what, fix or self.fix, mend=self.mend)


def errors_of(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems that are errors."""
    return tuple(problem for problem in problems if problem.is_error)


def plural(noun: str) -> str:
    """Several of a thing: rounds, queries, matches."""
    if noun[-1:] == "y" and noun[-2:-1].lower() not in {"a", "e", "i", "o", "u", ""}:
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.lower().endswith(("s", "x", "z", "ch", "sh")) else f"{noun}s"


def counted(number: int, noun: str) -> str:
    """A number with its noun: 1 round, 3 rounds."""
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def part_of(number: int, whole: int, noun: str) -> str:
    """Return a number of all that there are: "3 of 13 rows"; of a single one, "the only row" or "no row"."""
    if whole == 1:
        return f"the only {noun}" if number else f"no {noun}"
    return f"{number:,} of {counted(whole, noun)}"


def agreeing(number: int, one: str, several: str) -> str:
    """Return the form of a verb, or of another word, that goes with a number."""
    return one if number == 1 else several


def ranges(numbers: Sequence[int]) -> str:
    """Numbers in order, the short way: 1-3, 7."""
    runs = [
        [each for _, each in run]
        for _, run in groupby(enumerate(numbers), lambda each: each[1] - each[0])
    ]
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def listed(
    parts: Iterable[str], most: int = 10, *, more: str = " and {} more", separator: str = ", "
) -> str:
    """The first `most` parts of a sentence, and behind them `more`, with the number of the others, if there are any."""
    known = list(parts)
    return separator.join(known[:most]) + (
        more.format(len(known) - most) if len(known) > most else ""
    )


def grouped(pairs: Iterable[tuple[K, T]]) -> defaultdict[K, list[T]]:
    """Things by what they have in common, both in their order; an empty list where nothing has that."""
    groups: defaultdict[K, list[T]] = defaultdict(list)
    for key, thing in pairs:
        groups[key].append(thing)
    return groups


def visible(text: str) -> str:
    """A text on one line, as JSON does: an escape for what ends a line, steers a terminal or can't be seen."""
    return "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in text)


SHOWN, NAMED = 3, 20
"""How many breaches of a rule are told in full, and how many of the others are named by their line."""


def limited(problems: Iterable[Problem], shown: int = SHOWN) -> Iterator[Problem]:
    """The first breaches of each rule in each file, told in full in the order of the file; the rest of them as one."""
    for group in grouped(((problem.code, problem.path), problem) for problem in problems).values():
        by_fact = grouped((problem.what, problem) for problem in group)
        # Equal facts are told once, at the place where they come first.
        told = [_joined(equal, repeated(what, len(equal))) for what, equal in by_fact.items()]
        yield from told[:shown]
        rest = told[shown:]
        if rest:
            lines = [str(problem.line) for problem in rest[1:] if problem.line]
            where = (
                f", in lines {', '.join(lines[:NAMED])}{'…' if len(lines) > NAMED else ''}"
                if lines
                else ""
            )
            more = f"; and {len(rest) - 1} more like it{where}" if rest[1:] else ""
            yield _joined(rest, rest[0].what + more)


def repeated(what: str, times: int) -> str:
    """Add to a fact how often it was found."""
    return what if times == 1 else f"{what} (here and in {counted(times - 1, 'more place')})"


def _joined(problems: Sequence[Problem], what: str) -> Problem:
    """The first of some problems, with the lines of all of them and a fact about all."""
    others = (line for problem in problems[1:] for line in problem.lines)
    return replace(problems[0], what=what, others=(*problems[0].others, *others))


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence with values that come from data, so that every form of a report quotes them in its own way."""

    template: str
    """The words, with `{}` for each value."""
    values: tuple[str, ...] = ()

    def __add__(self, other: "Statement") -> "Statement":
        return Statement(self.template + other.template, (*self.values, *other.values))

    def written(self, quote: Callable[[str], str] = visible) -> str:
        """Return the sentence on one line, with its values quoted."""
        return self.template.format(*map(quote, self.values))


class SitegenError(Exception):
    """Root of every error that this program raises on purpose."""


class UsageError(SitegenError):
    """The command was asked for something that it cannot mean; carries the lines that say so."""


class ProblemsError(SitegenError):
    """The data can't be used as it stands; carries every problem found, not the first."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)


class BuilderError(SitegenError):
    """The program that builds the authored pages failed; carries what it said."""


class LinkError(SitegenError):
    """The built site has links that lead nowhere; carries each with the page it stands on."""

    def __init__(self, broken: Sequence[str]) -> None:
        lines = "\n".join(f"  {line}" for line in broken)
        words = "mend those of pages that you wrote; another is a fault of this program and not of the results"
        super().__init__(f"links that lead nowhere:\n{lines}\n{words}")
        self.broken = tuple(broken)
