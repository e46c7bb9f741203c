"""The agents of a source, each with its runs."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date as Date  # noqa: N812 - a field is called date, as the option is
from pathlib import Path

from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import Roster, repeated
from sitegen.importers.kit.drafts import bundle_names
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.slopcodebench import rules
from sitegen.importers.slopcodebench.discovery import named
from sitegen.importers.slopcodebench.run import Run
from sitegen.models.submission import Agent
from sitegen.problems import Problem, UsageError


@dataclass(frozen=True, slots=True)
class Entrant:
    """An agent with its runs, which are its attempts."""

    agent: Agent
    runs: tuple[Run, ...]
    """In the order that they began."""
    date: Date
    """The day of the results."""
    bundle: str
    """Name of the bundle."""
    is_dated: bool
    """Whether anything tells the day."""


@dataclass(frozen=True, slots=True)
class Enrolment:
    """Puts the runs of each agent together: runs of one model under the same conditions are its attempts.

    Attributes:
        source: The folder that the runs were found in.
        options: What the importing person says of the agents.
    """

    source: Path
    options: ImportOptions

    def entrants(self, runs: Sequence[Run]) -> tuple[list[Entrant], list[Problem]]:
        """Give the agents of some runs, in the order of their bundles; and the problems.

        Raises:
            UsageError: One name is given to several models.
        """
        groups: dict[Agent, list[Run]] = defaultdict(list)
        for run in sorted(runs, key=_place_in_time):
            if run.settings.model or self.options.agent:
                groups[self._agent(run)].append(run)
        self._require_one_model(list(groups))
        agents = [self._stated(agent) for agent in groups]
        dates = [self._date(group) for group in groups.values()]
        names = bundle_names(list(zip(dates, agents, strict=True)))
        entrants = [
            Entrant(agent, tuple(group), date, name, bool(self.options.date or group[0].started))
            for agent, group, date, name in zip(agents, groups.values(), dates, names, strict=True)
        ]
        told = sorted(entrants, key=lambda each: each.bundle)
        return told, [*self._nameless(runs), *self._namesakes(told), *self._undated(told)]

    def _agent(self, run: Run) -> Agent:
        """Describe a run's agent as the source does."""
        settings = run.settings
        name = Roster.of((), {}, self.options.aliases).one_name(settings.model or self.options.agent or "")
        return Agent(
            name=name,
            model=settings.model if settings.model != name else None,
            scaffold=settings.described_scaffold,
            scaffold_version=settings.scaffold_version,
            reasoning=settings.reasoning,
        )

    def _stated(self, agent: Agent) -> Agent:
        """Describe an agent as the importing person does, where they do."""
        options = self.options
        said = {"name": options.agent, "organization": options.organization, "reasoning": options.reasoning}
        if options.agent not in {None, agent.name}:
            said["model"] = agent.model or agent.name
        return agent.model_copy(update={key: value for key, value in said.items() if value})

    def _require_one_model(self, agents: Sequence[Agent]) -> None:
        models = sorted({agent.name for agent in agents})
        if self.options.agent and len(models) > 1:
            known = ", ".join(models)
            raise UsageError(f"--agent names one agent, and there are several: choose one with --model: {known}")

    def _date(self, runs: Sequence[Run]) -> Date:
        started = runs[0].started
        return self.options.date or (started.date() if started else self.options.today)

    def _nameless(self, runs: Sequence[Run]) -> Iterator[Problem]:
        nameless = [named(run.path, self.source) for run in runs if not (run.settings.model or self.options.agent)]
        if nameless:
            yield rules.AGENT_UNKNOWN.broken(self.source, None, f"no file tells the model of {', '.join(nameless)}")
        odd = [name for run in runs for name in run.settings.odd_names]
        if odd:
            what = f"no names for an agent: {', '.join(dict.fromkeys(odd))}"
            yield rules.NAME_UNPRINTABLE.broken(self.source, None, what)

    def _namesakes(self, entrants: Sequence[Entrant]) -> Iterator[Problem]:
        for name in repeated(entrant.bundle for entrant in entrants):
            paths = [run.path for entrant in entrants if entrant.bundle == name for run in entrant.runs]
            what = f"{', '.join(named(path, self.source) for path in paths)} would all be bundle {name}"
            yield rules.AGENT_TWICE.broken(self.source, None, what)

    def _undated(self, entrants: Sequence[Entrant]) -> Iterator[Problem]:
        undated = [each.agent.name for each in entrants if not each.is_dated]
        if undated:
            what = f"nothing tells when {', '.join(undated)} ran: taken as {self.options.today}"
            yield kit_rules.DATE_ASSUMED.broken(self.source, None, what)


def _place_in_time(run: Run) -> tuple[bool, str, Path]:
    """Order runs by their start; those without one come last."""
    started = run.started
    return started is None, started.isoformat() if started else "", run.path
