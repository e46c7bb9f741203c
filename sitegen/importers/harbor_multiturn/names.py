"""What the names of run folders say of a run: a resume's backup, a branch of a fan-out, its parent."""

import re
from dataclasses import dataclass

_RESUMED = "__resumed_"
"""Stands between a run's name and the time at which a resume put it aside."""

# Numbers are short: a name is a foreign text, and Python refuses to read numbers of thousands of digits.
_BRANCH = re.compile(
    r"__mr-r(?P<round>\d{1,4})(?:-p(?P<parent>\d{1,4})-h(?P<token>[A-Za-z0-9]+))?-a(?P<number>\d{1,4})"
)
_TOKEN = re.compile(r"__(?P<token>[A-Za-z0-9]+)$")


@dataclass(frozen=True, slots=True)
class Branch:
    """A run's place in a fan-out, which tries every round several times from what one run before it left."""

    round: int
    """The round that it ran."""
    number: int
    """Which try at that round, from 0."""
    parent: int | None = None
    """Which try at the round before it goes on from; None for a root."""
    token: str | None = None
    """The parent's token."""

    @property
    def is_root(self) -> bool:
        """Whether the run goes on from no other."""
        return self.token is None


def is_backup(name: str) -> bool:
    """Whether a folder holds what a resume put aside: the resumed run stands beside it under the plain name."""
    return _RESUMED in name


def plain_name(name: str) -> str:
    """Give the name of the run that a backup was made of; the name itself for other runs."""
    return name.partition(_RESUMED)[0]


def branch_of(name: str) -> Branch | None:
    """Read a run's place in a fan-out out of its name; None for a run that is in none."""
    match = _BRANCH.search(name)
    if match is None or match.end() != len(name):
        return None
    parent = int(match["parent"]) if match["parent"] else None
    return Branch(int(match["round"]), int(match["number"]), parent, match["token"])


def token_of(name: str) -> str | None:
    """Give the random letters that a run's name holds; None where there are none."""
    match = _TOKEN.search(plain_name(name).partition("__mr-r")[0])
    return match["token"] if match else None
