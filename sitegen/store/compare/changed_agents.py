"""Find the published results that a change of `agents.toml` may affect.

Agents' names are read as the earlier state spells them, as in all of `changed_parts`.
"""

from collections.abc import Collection, Iterator
from pathlib import Path

from sitegen.models.agents import spelling_key
from sitegen.problems import listed
from sitegen.store.compare.benchmark_states import BenchmarkStates
from sitegen.store.compare.matching import Matches
from sitegen.store.compare.ownership import Change, ChangeKind
from sitegen.store.files.layout import AGENTS_FILE, REPORTED_FOLDER
from sitegen.store.files.raw_documents import (
    RawTable,
    format_value,
    list_tables,
    list_texts,
    read_document,
)

_MAX_LISTED_AGENTS = 3
"""Maximum number of agents named in the description of a change."""


def agents_change(base: Path, head: Path, matches: Matches, event: str) -> Change:
    """Return the change to `agents.toml`, with the results that it may affect.

    Args:
        base: The earlier state of the results folder.
        head: The later state.
        matches: The benchmarks and submissions of both states.
        event: What happened to the file, as a predicate.
    """
    before = _raw_agents(base / AGENTS_FILE)
    after = _raw_agents(head / AGENTS_FILE)
    changed_names = []
    changed_keys: set[str] = set()
    for name in sorted({*before, *after}):
        states = [agents[name] for agents in (before, after) if name in agents]
        if before.get(name) == after.get(name):
            continue
        changed_names.append(name)
        for agent in states:
            spellings = (name, *list_texts(agent, "spellings"))
            changed_keys.update(map(spelling_key, spellings))
    description = f"{AGENTS_FILE} {event}"
    if changed_names:
        shown_names = [format_value(name) for name in changed_names]
        description += f": {listed(shown_names, _MAX_LISTED_AGENTS)}"
    touched = frozenset(_results_of_agents(base, head, matches, changed_keys))
    return Change(ChangeKind.DEFINITION, head / AGENTS_FILE, description, touches=touched)


def _raw_agents(path: Path) -> dict[str, RawTable]:
    """Return the agents of a file by name, as written; empty if it can't be read."""
    document = read_document(path) if path.exists() else None
    return {str(agent.get("name")): agent for agent in list_tables(document, "agents")}


def _results_of_agents(
    base: Path, head: Path, matches: Matches, keys: Collection[str]
) -> Iterator[str]:
    """Yield the names of the agents' published results, given the keys of the agents' spellings."""
    for benchmark, name_after in matches.benchmarks.items():
        states = BenchmarkStates(base / benchmark, head / name_after, matches)
        for match in states.earlier_submissions:
            if spelling_key(states.agent(match.before)) in keys:
                yield match.name
        for path in sorted((base / benchmark / REPORTED_FOLDER).glob("*.toml")):
            for row in list_tables(read_document(path), "rows"):
                name = states.agent_name(str(row.get("name")))
                if spelling_key(name) in keys:
                    yield states.result_name(str(row.get("id")))
