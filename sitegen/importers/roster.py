"""The agents of one import, under the one name that each goes by."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Roster:
    """Finds the agent that a spelling stands for: published files spell the same agent in several ways."""

    names: tuple[str, ...]
    """The one name of each agent, in the order of the source."""
    spellings: Mapping[str, str]
    """Every other spelling that is known, also of agents that are not here, each with the one name."""
    own: Mapping[str, str]
    """Those of them that the importing person added."""

    @classmethod
    def of(cls, found: Iterable[str], known: Mapping[str, str], own: Mapping[str, str]) -> "Roster":
        """Name the agents of a source.

        Args:
            found: Agents as the source spells them.
            known: Spellings that the format is known for.
            own: Spellings that the importing person added; they win.
        """
        spellings = {spelling: own.get(name, name) for spelling, name in known.items()} | dict(own)
        return cls(tuple(_one_name(each, spellings) for each in found), spellings, own)

    def one_name(self, spelling: str) -> str:
        """Give the one name that a spelling stands for: the spelling itself where nothing is known of it."""
        return _one_name(spelling, self.spellings)

    def find(self, spelling: str) -> str | None:
        """Give the agent here that a spelling stands for, exactly or but for upper case; None where there is none."""
        name = self.one_name(spelling)
        if name in self.names:
            return name
        return next((each for each in self.names if each.casefold() == name.casefold()), None)

    @property
    def aliases(self) -> dict[str, str]:
        """The other spellings of the agents that are here, and those that were added."""
        here = {spelling: name for spelling, name in self.spellings.items() if name in self.names}
        return {spelling: name for spelling, name in (here | dict(self.own)).items() if spelling != name}


def _one_name(spelling: str, spellings: Mapping[str, str]) -> str:
    names = {name: name for name in spellings.values()}
    exact = names | dict(spellings)
    folded = {known.casefold(): name for known, name in exact.items()}
    return exact.get(spelling) or folded.get(spelling.casefold(), spelling)
