"""Which agents of a source are asked for."""

from dataclasses import dataclass

from sitegen.importers.harbor.authors import Author
from sitegen.importers.kit.agents import KNOWN, Roster
from sitegen.importers.kit.options import ImportOptions


@dataclass(frozen=True, slots=True)
class Wish:
    """Which agents of a source are asked for."""

    model: str | None
    """A model; None for all but the baselines."""
    spellings: Roster
    """Leads from any spelling of a model to its one name."""

    @classmethod
    def of(cls, options: ImportOptions) -> "Wish":
        """Say which agents the importing person asks for."""
        return cls(options.model, Roster.of((), KNOWN, options.aliases))

    def means(self, author: Author) -> bool:
        """Whether an agent is asked for: a model may be named with or without its provider, in any spelling."""
        if self.model is None:
            return not author.is_baseline
        names = {each for each in (author.name, author.model) if each}
        return not self._meanings({self.model}).isdisjoint(self._meanings(names))

    def _meanings(self, names: set[str]) -> set[str]:
        return {each.casefold() for each in names | set(map(self.spellings.one_name, names))}
