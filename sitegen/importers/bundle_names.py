"""Names of the bundles of an import: after date and agent, and after more only where two would be the same."""

from collections.abc import Sequence
from datetime import date as Date  # noqa: N812 - a field is called date, as the file's key is

from sitegen.importers.bundle_id import bundle_id
from sitegen.importers.repeats import repeated
from sitegen.models.submission import Agent

_TELLING = (("reasoning",), ("scaffold",), ("scaffold", "reasoning"), ("scaffold", "scaffold_version", "reasoning"))
"""What tells agents of one name apart, the least first."""

Entry = tuple[Date, Agent]
"""The day of the results, and who is ranked."""


def bundle_names(entries: Sequence[Entry]) -> list[str]:
    """Name bundles, in their order. Those of agents that nothing tells apart get the same name."""
    names = [_name(entry) for entry in entries]
    for name in repeated(names):
        places = [place for place, each in enumerate(names) if each == name]
        for place, better in zip(places, _told_apart([entries[place] for place in places]), strict=True):
            names[place] = better
    return names


def _told_apart(entries: Sequence[Entry]) -> list[str]:
    """Name bundles whose short names are the same, after the least that their agents differ in."""
    for facts in _TELLING:
        names = [_name(entry, facts) for entry in entries]
        if not repeated(names):
            return names
    return [_name(entry) for entry in entries]


def _name(entry: Entry, facts: Sequence[str] = ()) -> str:
    date, agent = entry
    told = (agent.name, *(getattr(agent, fact) for fact in facts))
    return bundle_id(date, " ".join(filter(None, told)))
