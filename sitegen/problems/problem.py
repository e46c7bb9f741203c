"""One thing wrong with the data, and the rule that it breaks."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from sitegen.problems.mends import Mend
from sitegen.problems.wording import visible

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

    @property
    def lines(self) -> tuple[int, ...]:
        """Every line that it speaks of; none where the whole file or folder is meant."""
        return (self.line, *self.others) if self.line else self.others

    def about(self, lines: Iterable[int]) -> "Problem":
        """The same problem, of several lines, its own among them."""
        return replace(self, others=tuple(sorted({*lines} - {self.line})))

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

    @property
    def is_waivable(self) -> bool:
        """Whether a breach is an error that maintainers can let pass."""
        return self.severity == "error" and not self.unwaivable

    def broken(self, path: Path, line: int | None, what: str, fix: str | None = None) -> Problem:
        """Report a breach of this rule.

        Args:
            path: The file or folder it was found in.
            line: Line in that file, from 1.
            what: The fact, with the value that was found.
            fix: What to do here, where that is more than the usual way.
        """
        return Problem(self.code, self.severity, path, line, what, fix or self.fix)


def errors_of(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems that are errors."""
    return tuple(problem for problem in problems if problem.is_error)
