"""Find the agents of a publication, and their runs under every spelling of their names."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sitegen.importers.evocodebench import rules
from sitegen.importers.evocodebench.files import INDEX, IndexTask, Publication, TaskFile
from sitegen.importers.evocodebench.runs import TaskAttempt
from sitegen.importers.evocodebench.sweep import Sweep
from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import (
    AgentNames,
    RankedAgent,
    check_asked_for,
    is_asked_for,
    repeated,
)
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.problems import listed


@dataclass(slots=True)
class PublishedAgent:
    """An agent of a publication, with its runs."""

    name: str
    """Canonical name of the agent."""
    spelling: str
    """The agent's spelling in the index, or else in the files."""
    runs: list[TaskAttempt] = field(default_factory=list)
    """The agent's runs, in the order of the index."""
    missing: list[str] = field(default_factory=list)
    """Ids of the tasks whose file contains no rounds of the agent."""

    @property
    def entrant(self) -> RankedAgent:
        """The agent as it is ranked, identified by its name alone."""
        return RankedAgent(self.name)


def find_agents(
    publication: Publication, options: ImportOptions
) -> tuple[list[PublishedAgent], AgentNames]:
    """Return every agent of a publication, without runs, and a roster that resolves spellings."""
    spellings = list(publication.index.agents)
    listed_agents = AgentNames.of(spellings, options.facts.spellings, options.aliases)
    unlisted: dict[str, str] = {}
    for file in publication.files.values():
        for spelling in file.cells:
            if spelling.strip() and listed_agents.find(spelling) is None:
                name = listed_agents.one_name(spelling)
                unlisted.setdefault(name.casefold(), spelling)
    spellings += unlisted.values()
    roster = AgentNames.of(spellings, options.facts.spellings, options.aliases)
    agents = []
    for spelling, name in zip(spellings, roster.names, strict=True):
        agents.append(PublishedAgent(name, spelling))
    return agents, roster


def choose_agents(
    agents: Sequence[PublishedAgent],
    publication: Publication,
    options: ImportOptions,
    log: ImportLog,
) -> list[PublishedAgent]:
    """Return the requested agents, and report names that several of them share.

    Raises:
        UsageError: The requested agent does not exist, or one name is given to several agents.
    """
    chosen = [agent for agent in agents if is_asked_for([agent.spelling], options)]
    names = {agent.name for agent in chosen}
    all_names = [agent.name for agent in agents]
    check_asked_for(names, all_names, options)
    shared = repeated(agent.name for agent in chosen)
    if shared:
        names_shown = ", ".join(map(one_line, shared))
        message = f"listed several times under different spellings: {names_shown}"
        log.add(kit_rules.AGENT_TWICE, publication.index_path, message)
    return chosen


@dataclass(frozen=True, slots=True)
class RunFinder:
    """Finds the runs of agents in the files of a publication."""

    publication: Publication
    roster: AgentNames
    sweep: Sweep
    log: ImportLog

    def find(self, agent: PublishedAgent) -> None:
        """Add to an agent its runs and its missing tasks, and report tasks whose files lack it."""
        publication = self.publication
        for task in publication.tasks:
            run = self._run_at(task, agent)
            if run is None:
                agent.missing.append(publication.ids[task.name])
            else:
                agent.runs.append(run)
        folder = publication.source / "tasks"
        name = one_line(agent.spelling)
        if not agent.runs:
            message = f"{name} is in {INDEX}, but in no file of a task"
            self.log.add(kit_rules.LEFT_OUT, folder, message)
        elif agent.missing:
            fact = listed(agent.missing)
            path = publication.path_of(agent.missing[0]) if len(agent.missing) == 1 else folder
            message = f"{name} is missing from the files of {fact}"
            self.log.add_with_caveat(rules.AGENT_MISSING, path, message, agent.entrant, fact)
        if agent.spelling not in publication.index.agents:
            tasks = listed(run.task for run in agent.runs)
            message = f"{name} is not in {INDEX}, but in the files of {tasks}"
            self.log.add_with_caveat(rules.AGENT_UNLISTED, folder, message, agent.entrant, tasks)

    def _run_at(self, task: IndexTask, agent: PublishedAgent) -> TaskAttempt | None:
        """Return the run of an agent at a task; None if the source has no unambiguous run."""
        file = self.publication.files[task.name]
        path = self.publication.path_of(task.name)
        task_id = self.publication.ids[task.name]
        spellings = list(self._spellings_in(file, agent))
        if len(spellings) > 1:
            fact = f"{task_id} ({listed(map(one_line, spellings))})"
            message = f"{one_line(agent.name)} has several entries: {fact}"
            self.log.add_with_caveat(rules.SPELLING_LEFT_OUT, path, message, agent.entrant, fact)
            if spellings[0] != agent.spelling:
                return None
        spelling = spellings[0] if spellings else agent.spelling
        cells = file.cells.get(spelling, (None,) * file.rounds)
        swept = self.sweep.cells.get((task.name, agent.name))
        # A dash in the table does not exclude a run whose rounds are in the files.
        is_dashed = swept is not None and swept.passed is None and not any(cells)
        is_excluded = spelling in file.excluded or agent.spelling in task.excluded
        if not spellings and not is_dashed and not is_excluded:
            return None
        return TaskAttempt(
            path,
            task_id,
            agent.entrant,
            agent.spelling,
            cells,
            is_excluded=is_excluded or is_dashed,
            stated_passed=file.stated_passed.get(spelling),
            stated_share=task.shares.get(agent.spelling),
            swept=swept,
        )

    def _spellings_in(self, file: TaskFile, agent: PublishedAgent) -> Iterator[str]:
        """Yield the spellings of an agent in a task's file, its own spelling first."""
        if agent.spelling in file.cells:
            yield agent.spelling
        for spelling in file.cells:
            if spelling == agent.spelling or spelling in self.publication.index.agents:
                continue
            if self.roster.find(spelling) == agent.name:
                yield spelling
