"""The errors that end a command, each with its own type. Only `cli` prints one or picks an exit code."""

from collections.abc import Sequence

from sitegen.problems.problem import Problem


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
