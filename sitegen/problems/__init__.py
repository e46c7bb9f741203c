"""Problems in the data, the rules that they break, and the errors that carry them.

Each check declares its `Rule` next to it; `Rule.broken` returns a `Problem` with the file, the
line, the fact and what to do. Problems are collected and shown together: `limited` shortens a list
of problems, and `ProblemsError` stops a command with all of them. The other functions of this
module help to write sentences about data: `counted`, `listed`, `ranges`. Read `Rule` first.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Self, TypeVar

from sitegen.problems.mends import Mend

K = TypeVar("K")
T = TypeVar("T")

Severity = Literal["error", "warning", "note"]

SEVERITIES: Sequence[Severity] = ("error", "warning", "note")
"""All severities, the most severe first."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault in the data, described so that the data's author can find and fix it."""

    code: str
    """Stable name of the broken rule."""
    severity: Severity
    """An error keeps a bundle out of the site; a warning asks a person to look at something.

    A note is a fact that readers may want to know; no action is needed.
    """
    path: Path
    """Path of the file or folder, as the check reached it."""
    line: int | None
    """Line number in the file, from 1; None for a problem of the whole file or folder."""
    what: str
    """What is wrong, with the value in the file."""
    fix: str
    """How to fix the problem, in the imperative."""
    others: tuple[int, ...] = ()
    """Further lines of the same file that have the problem."""
    mend: Mend | None = None
    """The repair that `sitegen validate --fix` makes; None if it makes none."""
    tasks: tuple[str, ...] = field(default=(), compare=False)
    """Ids of the tasks that the problem is about, so that pages can show their titles."""

    @property
    def lines(self) -> tuple[int, ...]:
        """Every line that has the problem; empty for a whole file or folder."""
        return (self.line, *self.others) if self.line else self.others

    def about(self, lines: Iterable[int]) -> "Problem":
        """Return the same problem with further lines, which may include its own line."""
        more_lines = {*lines} - {self.line}
        return replace(self, others=tuple(sorted(more_lines)))

    def about_tasks(self, *tasks: str) -> "Problem":
        """Return the same problem with the ids of the affected tasks."""
        return replace(self, tasks=tuple(dict.fromkeys(tasks)))

    def moved(self, old_folder: Path, new_folder: Path) -> "Problem":
        """Return the problem with the path of the same file in another folder.

        A problem of a file outside the old folder is returned unchanged.
        """
        if not self.path.is_relative_to(old_folder):
            return self
        return replace(self, path=new_folder / self.path.relative_to(old_folder))

    @property
    def is_error(self) -> bool:
        """Whether the problem keeps a bundle out of the site."""
        return self.severity == "error"

    @property
    def is_note(self) -> bool:
        """Whether the problem is a note, which needs no action."""
        return self.severity == "note"

    def __str__(self) -> str:
        location = f"{self.path}:{self.line}" if self.line else f"{self.path}"
        message = f"{location}: {self.severity} {self.code}: {self.what}"
        return f"{visible(message)}\n  fix: {visible(self.fix)}"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that the data must follow, declared next to the code that checks it."""

    code: str
    """Stable name of the rule; part of the program's interface."""
    severity: Severity
    title: str
    """The rule, as a sentence for submitters."""
    fix: str
    """The usual way to fix a breach."""
    caveat: str = ""
    """Sentence for readers of results whose source breaks the rule; `{}` stands for the facts.

    Empty if a breach only concerns the person who imports the results.
    """
    unwaivable: str = ""
    """Why maintainers can't waive a breach; empty if they can."""
    mend: Mend | None = None
    """The repair that `sitegen validate --fix` makes for a breach; None if it makes none."""
    former_codes: tuple[str, ...] = ()
    """Codes of former rules that were merged into this rule; their waivers apply to this rule."""
    order: str = ""
    """Sort key of the rule's caveat among the caveats of a bundle; empty to sort by the code.

    Published bundles never change: an import of the same source must write the same bytes even
    after a rule's code changes.
    """

    @classmethod
    def error(  # noqa: PLR0913 - a rule is one object
        cls,
        code: str,
        title: str,
        fix: str,
        *,
        unwaivable: str = "",
        mend: Mend | None = None,
        former_codes: tuple[str, ...] = (),
    ) -> "Rule":
        """Return a rule whose breach keeps a bundle out of the site."""
        return cls(code, "error", title, fix, "", unwaivable, mend, former_codes)

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
        order: str = "",
    ) -> "Rule":
        """Return a rule whose breach a person should look at; it is shown on its bundle's page."""
        return cls(code, "warning", title, fix, caveat, unwaivable, mend, order=order)

    @classmethod
    def note(cls, code: str, title: str, fix: str, caveat: str = "", *, order: str = "") -> "Rule":
        """Return a rule whose breach is a fact for readers and needs no action."""
        return cls(code, "note", title, fix, caveat, order=order)

    @property
    def is_waivable(self) -> bool:
        """Whether a breach is an error that maintainers can waive."""
        return self.severity == "error" and not self.unwaivable

    def specific(self, fix: str, caveat: str = "", *, order: str = "") -> "Rule":
        """Return the rule for one source format, with the same code and its own fix.

        Args:
            fix: What to do about a breach in sources of that format.
            caveat: Sentence for readers of such results; empty for none.
            order: See `Rule.order`.
        """
        return replace(self, fix=fix, caveat=caveat, order=order)

    def is_broken_by(self, problem: "Problem") -> bool:
        """Return whether a problem is a breach of this rule and has the rule's usual fix."""
        return (problem.code, problem.fix) == (self.code, self.fix)

    def broken(self, path: Path, line: int | None, fact: str, fix: str | None = None) -> Problem:
        """Return a breach of this rule.

        Args:
            path: The file or folder.
            line: The line, from 1; None for the whole file or folder.
            fact: What is wrong, with the value in the file.
            fix: How to fix the breach; None for the usual fix of the rule.
        """
        return Problem(self.code, self.severity, path, line, fact, fix or self.fix, mend=self.mend)


def errors_of(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return the problems that are errors."""
    return tuple(problem for problem in problems if problem.is_error)


def gravest_first(problems: Iterable[Problem]) -> list[Problem]:
    """Return problems sorted by severity, most severe first; equal severities keep their order."""
    return sorted(problems, key=lambda problem: SEVERITIES.index(problem.severity))


def without_notes(problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems that need action: errors and warnings."""
    return [problem for problem in problems if not problem.is_note]


def notes_of(problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems that are notes and need no action."""
    return [problem for problem in problems if problem.is_note]


class Noun(str):
    """A noun with its plural, for plurals that `plural` would get wrong: matrix, matrices.

    Attributes:
        many: The plural.
    """

    __slots__ = ("many",)

    many: str

    def __new__(cls, one: str, many: str) -> Self:
        """Make a noun from its singular and its plural."""
        noun = super().__new__(cls, one)
        noun.many = many
        return noun

    def __reduce__(self) -> tuple[type["Noun"], tuple[str, str]]:
        """Return the constructor and its arguments, for copies and pickles."""
        return Noun, (str(self), self.many)

    def lower(self) -> "Noun":
        """Return the noun in lower case."""
        return Noun(super().lower(), self.many.lower())

    def with_adjective(self, adjective: str) -> "Noun":
        """Return the noun with an adjective before it: failed matrix, failed matrices."""
        return Noun(f"{adjective} {self}", f"{adjective} {self.many}")


def plural(noun: str) -> str:
    """Return the plural of an English noun: rounds, queries, matches."""
    if isinstance(noun, Noun):
        return noun.many
    lower = noun.lower()
    if noun.endswith("y") and lower[-2:-1] not in {"a", "e", "i", "o", "u", ""}:
        return f"{noun[:-1]}ies"
    if lower.endswith(("s", "x", "z", "ch", "sh")):
        return f"{noun}es"
    return f"{noun}s"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: 1 round, 3 rounds."""
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def part_of(number: int, total: int, noun: str) -> str:
    """Return a number out of a total: "3 of 13 rows"; out of 1, "the only row" or "no row"."""
    if total == 1:
        return f"the only {noun}" if number else f"no {noun}"
    return f"{number:,} of {counted(total, noun)}"


def agreeing(number: int, singular: str, several: str) -> str:
    """Return the form of a verb or another word that agrees with a number."""
    return singular if number == 1 else several


def ranges(numbers: Sequence[int]) -> str:
    """Return ascending numbers in short form: 1-3, 7."""
    bounds: list[tuple[int, int]] = []
    for number in numbers:
        if bounds and number == bounds[-1][1] + 1:
            bounds[-1] = (bounds[-1][0], number)
        else:
            bounds.append((number, number))
    texts = [str(first) if first == last else f"{first}-{last}" for first, last in bounds]
    return ", ".join(texts)


def listed(
    items: Iterable[str], most: int = 10, *, more: str = " and {} more", separator: str = ", "
) -> str:
    """Return at most `most` items as part of a sentence.

    Args:
        items: The items, as they should be shown.
        most: The largest number of items to show.
        more: Text for the number of items that are not shown; left out if there are none.
        separator: Text between the items.
    """
    texts = list(items)
    shown = separator.join(texts[:most])
    if len(texts) <= most:
        return shown
    return shown + more.format(len(texts) - most)


def grouped(pairs: Iterable[tuple[K, T]]) -> defaultdict[K, list[T]]:
    """Return lists of values by key, in the order of the pairs; other keys have empty lists."""
    groups: defaultdict[K, list[T]] = defaultdict(list)
    for key, value in pairs:
        groups[key].append(value)
    return groups


def visible(text: str) -> str:
    """Return a text on one line, with invisible characters escaped as in JSON.

    Invisible characters are line breaks, terminal control characters and characters without a
    glyph.
    """
    return "".join(map(_visible_character, text))


def _visible_character(character: str) -> str:
    return character if character.isprintable() else json.dumps(character)[1:-1]


SHOWN = 3
"""Number of breaches of a rule in a file that are shown in full."""
_MAX_LINES_NAMED = 20
"""Maximum number of further breaches that are listed by line."""


def limited(problems: Iterable[Problem], shown: int = SHOWN) -> Iterator[Problem]:
    """Yield the first breaches of each rule in each file, then one problem for all the rest.

    Breaches with the same fact are merged into one problem, at the line of the first breach.
    """
    by_rule = grouped(((problem.code, problem.path), problem) for problem in problems)
    for breaches in by_rule.values():
        by_fact = grouped((problem.what, problem) for problem in breaches)
        distinct = []
        for fact, equal in by_fact.items():
            distinct.append(_merged(equal, repeated(fact, len(equal))))
        yield from distinct[:shown]
        unshown = distinct[shown:]
        if unshown:
            yield _merged(unshown, unshown[0].what + _more_breaches(unshown[1:]))


def _more_breaches(problems: Sequence[Problem]) -> str:
    """Return the end of a fact that counts further breaches and lists their lines."""
    if not problems:
        return ""
    lines = [str(problem.line) for problem in problems if problem.line]
    text = f"; and {len(problems)} more like it"
    if not lines:
        return text
    ellipsis = "…" if len(lines) > _MAX_LINES_NAMED else ""
    return f"{text}, in lines {', '.join(lines[:_MAX_LINES_NAMED])}{ellipsis}"


def repeated(fact: str, times: int) -> str:
    """Return a fact, with the number of places that have it if there are several."""
    if times == 1:
        return fact
    return f"{fact} (here and in {counted(times - 1, 'more place')})"


def _merged(problems: Sequence[Problem], fact: str) -> Problem:
    """Return the first problem with the lines of all problems and a fact about all of them."""
    lines = list(problems[0].others)
    for problem in problems[1:]:
        lines += problem.lines
    return replace(problems[0], what=fact, others=tuple(lines))


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence with values from the data; each report format quotes the values in its own way."""

    template: str
    """The sentence, with `{}` for each value."""
    values: tuple[str, ...] = ()

    def __add__(self, other: "Statement") -> "Statement":
        return Statement(self.template + other.template, (*self.values, *other.values))

    def written(self, quote: Callable[[str], str] = visible) -> str:
        """Return the sentence on one line, with its values quoted."""
        return self.template.format(*map(quote, self.values))


class SitegenError(Exception):
    """Base of every error that this program raises on purpose."""


class UsageError(SitegenError):
    """A command got options or arguments that it cannot use; carries a message."""


class ProblemsError(SitegenError):
    """The data cannot be used; carries every problem, not only the first."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)


class BuilderError(SitegenError):
    """The program that builds the authored pages failed; carries its output."""


class LinkError(SitegenError):
    """The built site has broken links; carries each link with its page."""

    def __init__(self, broken: Sequence[str]) -> None:
        lines = "\n".join(f"  {line}" for line in broken)
        advice = (
            "fix the links of pages that you wrote; any other broken link is a bug in this "
            "program, not a fault of the results"
        )
        super().__init__(f"links that lead nowhere:\n{lines}\n{advice}")
        self.broken = tuple(broken)
