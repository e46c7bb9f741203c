"""Puts the bundles of an import together, and the findings that go with them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date as Date  # noqa: N812 - a field is called date, as the option is

from sitegen.importers.evocodebench.doubts import doubts_of
from sitegen.importers.evocodebench.listings import detail_of, failures_of
from sitegen.importers.evocodebench.rounds import results_of
from sitegen.importers.evocodebench.run import Run
from sitegen.importers.evocodebench.snapshot import Snapshot
from sitegen.importers.evocodebench.sweep import Sweep
from sitegen.importers.kit.agents import Roster
from sitegen.importers.kit.claims import Stated, described
from sitegen.importers.kit.drafts import bundle_id
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.report import Doubt, caveats_of
from sitegen.models.finding import Finding
from sitegen.models.incoming import Draft
from sitegen.models.submission import Agent, Detail, Submission


@dataclass(frozen=True, slots=True)
class Scene:
    """The runs of one import, with the day that they are filed under, and what the importing person says of them."""

    options: ImportOptions
    date: Date
    runs: Sequence[Run]
    """By task and then by agent, in the order of the index."""
    sweep: Sweep
    doubts: Sequence[Doubt] = ()
    """What is doubtful about all of them."""

    def of(self, agent: str) -> list[Run]:
        """Give an agent's runs, in the order of the task set."""
        return [run for run in self.runs if run.agent == agent]

    def called(self, agent: str) -> str:
        """Give the name that an agent goes by here."""
        return self.options.agent or agent

    def bundle(self, agent: str) -> str:
        """Name an agent's bundle."""
        return bundle_id(self.date, self.called(agent))

    def entrant(self, agent: str, published: Stated | None) -> Agent:
        """Describe an agent: as the importing person does, else as a published table does."""
        name = self.called(agent)
        stated = Agent(
            name=name,
            organization=self.options.organization,
            model=agent if agent != name else None,
            reasoning=self.options.reasoning,
        )
        return described(stated, published)


def drafts_of(scene: Scene, roster: Roster, stated: Mapping[str, Stated]) -> tuple[Draft, ...]:
    """Make one bundle an agent.

    Args:
        scene: The runs.
        roster: The agents, in the order of the bundles.
        stated: What was published about the agents.
    """
    return tuple(_draft(scene, name, stated.get(name)) for name in roster.names)


def _draft(scene: Scene, name: str, stated: Stated | None) -> Draft:
    runs = scene.of(name)
    submission = Submission(
        schema_version=1,
        track=scene.options.track,
        date=scene.date,
        caveats=caveats_of((*scene.doubts, *(doubt for run in runs for doubt in doubts_of(run, scene.sweep)))),
        agent=scene.entrant(name, stated),
        detail=Detail(cases=detail_of(runs)),
        claims=stated.claims if stated else None,
    )
    return Draft(
        scene.bundle(name),
        submission,
        tuple(result for run in runs for result in results_of(run)),
        scene.sweep.figures(name, [run.task for run in runs]),
        tuple(failure for run in runs for failure in failures_of(run)),
    )


def findings_of(scene: Scene, snapshot: Snapshot) -> tuple[Finding, ...]:
    """Record what the task set lacks and which runs do not count, so that neither is silent."""
    return (*_left_out(scene, snapshot), *_exclusions(scene))


def _left_out(scene: Scene, snapshot: Snapshot) -> Iterator[Finding]:
    if snapshot.missing:
        yield Finding(
            date=scene.date,
            kind="note",
            title=f"{len(snapshot.missing)} of {len(snapshot.index.tasks)} tasks left out",
            reason=f"The source lists these tasks and has no results for them: {', '.join(snapshot.missing)}.",
            tracks=(scene.options.track,),
        )


def _exclusions(scene: Scene) -> Iterator[Finding]:
    for agent in dict.fromkeys(run.agent for run in scene.runs if run.excluded):
        tasks = tuple(run.task for run in scene.of(agent) if run.excluded)
        yield Finding(
            date=scene.date,
            kind="note",
            title=f"{len(tasks)} runs of {scene.called(agent)} do not count",
            reason="The source leaves these runs out of the agent's scores and does not say why.",
            effect="exclude",
            tracks=(scene.options.track,),
            submissions=(scene.bundle(agent),),
            tasks=tasks,
        )
