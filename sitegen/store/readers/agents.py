"""Read the agents of all benchmarks from `agents.toml`, and check their spellings.

Read `read_agents` first. `unused_agents` compares the file with the agents of all results.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from sitegen.models.agents import NO_AGENTS, AgentDirectory, ListedAgent, spelling_key
from sitegen.models.results import BenchmarkResults
from sitegen.problems import Problem, Rule, limited, reasons
from sitegen.reading.toml import Document, read_toml
from sitegen.store.checks.document_breaches import Breach, breach_problems
from sitegen.store.files.layout import AGENTS_FILE

SPELLING_TWICE = Rule.error(
    "AGENT-SPELLING-TWICE",
    "A spelling in agents.toml belongs to two agents.",
    "keep the spelling with one of the two agents; case, spaces and hyphens make no difference",
    unwaivable=reasons.OWN,
)
AGENT_UNUSED = Rule.note(
    "AGENT-UNUSED",
    "A name or spelling in agents.toml occurs in no results.",
    "correct or remove it, unless you expect results that use it",
)


def read_agents(results_folder: Path) -> Document[AgentDirectory]:
    """Return the document of `agents.toml` with all its problems; empty if there is no file."""
    path = results_folder / AGENTS_FILE
    if not path.exists() and not path.is_symlink():
        return Document(NO_AGENTS, path=path)
    document = read_toml(path, AgentDirectory)
    if document.record is None:
        return document
    breaches = breach_problems(document, _double_spellings(document.record))
    return replace(document, problems=(*document.problems, *breaches))


def agents_of(results_folder: Path) -> AgentDirectory:
    """Return the agents of a results folder; empty if the file is missing or can't be read."""
    return read_agents(results_folder).record or NO_AGENTS


def _double_spellings(directory: AgentDirectory) -> Iterator[Breach]:
    """Yield a breach for each spelling that belongs to two agents."""
    for position, spelling, earlier_agent in directory.double_spellings():
        agent = directory.agents[position]
        fact = f"`{spelling}` leads to {earlier_agent.name} and to {agent.name}"
        yield Breach(_location_of(position, agent, spelling), SPELLING_TWICE, fact)


def _location_of(position: int, agent: ListedAgent, spelling: str) -> tuple[str | int, ...]:
    """Return the location of a spelling in the document."""
    if spelling in agent.spellings:
        return ("agents", position, "spellings", agent.spellings.index(spelling))
    return ("agents", position, "name")


def unused_agents(
    document: Document[AgentDirectory], benchmarks: Iterable[BenchmarkResults]
) -> Iterator[Problem]:
    """Yield problems with agents without results, and with spellings that no result uses."""
    directory = document.record or NO_AGENTS
    used_keys = _used_keys(benchmarks)
    problems = []
    for position, agent in enumerate(directory.agents):
        keys = {spelling_key(spelling) for spelling in agent.all_spellings}
        if used_keys.isdisjoint(keys):
            fact = f"no result is of {agent.name}"
            problems.append(document.broken(AGENT_UNUSED, ("agents", position, "name"), fact))
            continue
        for spelling in agent.spellings:
            if spelling_key(spelling) not in used_keys:
                location = _location_of(position, agent, spelling)
                fact = f"no result spells {agent.name} as `{spelling}`"
                problems.append(document.broken(AGENT_UNUSED, location, fact))
    return limited(problems)


def _used_keys(benchmarks: Iterable[BenchmarkResults]) -> set[str]:
    """Return the keys of all agents' names in bundles and tables, including aliased names."""
    keys: set[str] = set()
    for results in benchmarks:
        bundles = (*results.bundles, *results.embargoed)
        names = {bundle.submission.agent.name for bundle in bundles}
        for table in results.reported:
            names.update(row.name for row in table.rows)
        # A benchmark's aliases apply only to its own names.
        aliases = {results.benchmark.aliases.get(name, name) for name in names}
        keys.update(map(spelling_key, names | aliases))
    return keys
