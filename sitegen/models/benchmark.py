"""A benchmark: its tracks, its axes, and the spellings of the agents that enter it."""

import re
from collections.abc import Collection, Iterable
from datetime import date as Date  # noqa: N812 - as in the other models
from typing import Annotated, Literal

from pydantic import Field, PrivateAttr

from sitegen.models.addresses import FormerAddress, PageAddress, WebAddress
from sitegen.models.agents import NO_AGENTS, AgentDirectory
from sitegen.models.declared import Declared
from sitegen.models.names import Name
from sitegen.models.record import Record, SchemaVersion, Slug
from sitegen.models.submission import Submission
from sitegen.problems import Noun, plural

TrackStatus = Literal["current", "legacy", "withdrawn"]
Protocol = Literal["chain", "fail-stop", "once"]
"""How the rounds of a task are run and scored.

`chain`: every round is run and scored. `fail-stop`: nothing counts after the first failure.
`once`: all targets are graded at the end.
"""


BESIDE_SUBMISSIONS = frozenset({"tasks", "compare", "certainty", "analysis"})
"""Names of a board's pages next to its submissions; no submission, task or reported row may have
such a name."""

_ROWS_PAGE = re.compile(r"rows-\d+", re.ASCII)


def is_beside_submissions(name: str) -> bool:
    """Return whether a name is reserved for a page of a board next to its submissions.

    In addition to `BESIDE_SUBMISSIONS`, the names `rows-2`, `rows-3` and so on are reserved for the
    further rows of a long board.
    """
    return name in BESIDE_SUBMISSIONS or _ROWS_PAGE.fullmatch(name) is not None


AGENTS = "agents"
"""Folder of the site's pages about agents across benchmarks."""

SCORING_CONDITIONS = ("protocol", "attempts", "reference_rounds")
"""Keys of a track that its scores depend on, apart from its tasks; fixed once there are results."""

BESIDE_BENCHMARKS = frozenset(
    {
        "methods",
        "submit",
        "changelog",
        "data",
        "api",
        "assets",
        "search",
        "develop",
        "docs",
        "feed",
        "releases",
        AGENTS,
    }
)
"""Names of pages and folders next to benchmarks; no benchmark may have such a name."""

INTEGRITY = "integrity"
"""Name of the page with a benchmark's integrity record, next to its tracks."""


class Axis(Record):
    """A way to sort tasks into groups, such as the domain they come from."""

    title: Name
    """The title that readers see."""
    summary: str = ""
    """A sentence on the meaning and the source of its values, shown below tables of tasks."""
    values: tuple[str, ...] = ()
    """The values that a task may have; empty if any value is allowed."""
    weights: dict[str, Annotated[float, Field(ge=0, le=1e9)]] = Field(default_factory=dict)
    """Weights of the values in scores that are averaged over them; 1 by default."""
    cluster: bool = False
    """Whether tasks that share a value depend on each other, such as tasks of one repository; true
    for at most one axis."""


class Track(Record):
    """The conditions under which scores are comparable. Scores never mix across tracks."""

    id: Slug
    title: Name
    """The title that readers see."""
    summary: str = ""
    """A sentence about the conditions."""
    status: TrackStatus = "current"
    reason: str | None = None
    """Why the track is legacy or withdrawn."""
    superseded_by: Slug | None = None
    """The track that readers should look at instead."""
    replaces: Slug | None = None
    """The earlier version of this track, which has different tasks or conditions."""
    changed: tuple[Slug, ...] = ()
    """The tasks that have changed since the track that it replaces."""
    deadline: Date | None = None
    """The last day for submissions; later submissions are listed apart, without a rank."""
    protocol: Protocol = "once"
    """How the rounds of a task are run and scored; only a track without bundles may omit it."""
    attempts: int = Field(default=1, ge=1, le=1000)
    """Independent attempts at each task."""
    reference_rounds: bool = False
    """Whether every round is also run once from the reference state, as `sr` needs."""
    tasks: Slug | None = None
    """The task set; None if the track has only reported tables."""
    headline: str
    """The metric that determines the ranks."""
    columns: tuple[str, ...] = Field(min_length=1)
    """The metrics on the board, from left to right."""
    groupings: tuple[str, ...] = ()
    """The axes by which scores are split."""
    hide: tuple[Literal["coverage", "evidence", "date"], ...] = ()
    """Columns that the board omits; the pages of submissions show them."""

    @property
    def status_reason(self) -> str:
        """Why the track is legacy or withdrawn, without a full stop; empty if not stated."""
        return (self.reason or "").rstrip(". ")

    @property
    def shown(self) -> list[str]:
        """The ids of the metrics on the track's board, the headline metric first."""
        return list(dict.fromkeys((self.headline, *self.columns)))


class Renaming(Record):
    """The former address of something that was renamed. Readers who open it are redirected."""

    old: PageAddress = Field(alias="from")
    """The former address, which is no longer in use."""
    new: PageAddress = Field(alias="to")
    """The current address."""


class Redirect(Record):
    """An address of a site that this site replaces. Readers who open it are redirected."""

    old: FormerAddress = Field(alias="from")
    """The old address, relative to the root of the site, such as `leaderboard.html`."""
    new: PageAddress = Field(alias="to")
    """The page of this site to which it leads."""


class RoundName(Record):
    """The benchmark's word for a round, if its plural is not formed with an s."""

    one: Name
    many: Name


class Benchmark(Record):
    """A set of tasks with its tracks: the content of `benchmark.toml`."""

    schema_version: SchemaVersion
    id: Slug
    title: Name
    summary: str = ""
    group: Name | None = None
    """The heading that it shares with other benchmarks in the navigation and on the home page."""
    homepage: WebAddress | None = None
    paper: WebAddress | None = None
    license: str | None = None
    """Licence of the benchmark's tasks."""
    since: Date | None = None
    """The day on which the benchmark began; no submission or reported result is older."""
    round_name: Annotated[str, Field(min_length=1), Name] | RoundName = "Round"
    """The benchmark's word for a round; by default "round", or "task" if every task has a single
    round."""
    ordered: bool = True
    """Whether rounds build on each other; false if they are independent targets."""
    instructions: bool = False
    """Whether the licence allows pages to include the rounds' instructions."""
    simulated: bool = False
    """Whether the results come from a simulator; every page then says so."""
    issues: WebAddress | None = None
    """The address at which readers report a problem with a submission or a case."""
    verified_from: Annotated[float, Field(gt=0, le=1)] = 0.05
    """The share of a complete row's rounds that somebody else must have checked for the row to be
    verified."""
    axes: dict[str, Axis] = Field(default_factory=dict)
    """The axes of the labels that tasks have, by key."""
    modes: dict[Slug, Name] = Field(default_factory=dict)
    """The ways in which rounds fail, by the value of a round's `mode`, each with its title."""
    metrics: tuple[Declared, ...] = ()
    """Metrics that the benchmark declares. A declaration replaces a catalogue metric with the same
    id."""
    tracks: tuple[Track, ...] = Field(min_length=1)
    renamed: tuple[Renaming, ...] = ()
    """Former addresses of this benchmark, its tracks, submissions, tasks and runs."""
    redirects: tuple[Redirect, ...] = ()
    """Addresses of a site that this site replaces."""
    aliases: dict[Name, Name] = Field(default_factory=dict)
    """Other spellings of agents' names, each with the name that it stands for."""
    _agents: AgentDirectory = PrivateAttr(default=NO_AGENTS)

    @property
    def group_anchor(self) -> str:
        """The anchor of the benchmark's group on the home page; empty if it is in no group."""
        if not self.group:
            return ""
        return "group-" + re.sub(r"\W+", "-", self.group.casefold())

    @property
    def cluster_axis(self) -> str | None:
        """The axis by which tasks depend on each other; None if tasks are independent."""
        return next((name for name, axis in self.axes.items() if axis.cluster), None)

    @property
    def round_word(self) -> Noun:
        """The benchmark's word for a round, which includes the plural."""
        if isinstance(self.round_name, str):
            return Noun(self.round_name, plural(self.round_name))
        return Noun(self.round_name.one, self.round_name.many)

    @property
    def rounds_word(self) -> str:
        """The benchmark's word for several rounds."""
        return self.round_word.many

    def earlier_versions(self, track: str) -> list[str]:
        """Return the ids of the tracks that a track replaces, the latest first."""
        replaced = {item.id: item.replaces for item in self.tracks}
        versions: list[str] = []
        earlier = replaced.get(track)
        while earlier and earlier not in versions:
            versions.append(earlier)
            earlier = replaced.get(earlier)
        return versions

    def tracks_with_changed(self, tasks: Collection[str]) -> set[str]:
        """Return the ids of the tracks on which all of the given tasks have changed.

        A task counts as changed on the track that lists it in `changed`, and on later versions.
        """
        tracks = {item.id: item for item in self.tracks}
        matching_tracks = set()
        for track in self.tracks:
            changed = set(track.changed)
            for version in self.earlier_versions(track.id):
                if version in tracks:
                    changed.update(tracks[version].changed)
            if tasks and changed.issuperset(tasks):
                matching_tracks.add(track.id)
        return matching_tracks

    def latest_version(self, track: str) -> str:
        """Return the id of the last track that replaces a track, directly or through others."""
        successors = {item.replaces: item.id for item in self.tracks if item.replaces}
        seen = {track}
        while successors.get(track, track) not in seen:
            track = successors[track]
            seen.add(track)
        return track

    def agent_name(self, spelling: str) -> str:
        """Return the name of an agent, given any of its spellings.

        The benchmark's aliases take precedence over the spellings that all benchmarks share.
        """
        name = self.aliases.get(spelling, spelling)
        return self._agents.agent_name(name)

    @property
    def agents(self) -> AgentDirectory:
        """The agents of all benchmarks, which are not stored in the benchmark's files."""
        return self._agents

    def with_agents(self, agents: AgentDirectory) -> "Benchmark":
        """Return the benchmark with the agents of all benchmarks."""
        benchmark = self.model_copy()
        benchmark._agents = agents  # noqa: SLF001 - a copy of its own class
        return benchmark

    def row_of(self, submission: Submission) -> tuple[str, str, str, str]:
        """Return the key of a submission's row: track, agent name, scaffold and reasoning.

        Only one published submission may have a given key. Here, an unstated setting counts as a
        setting of its own; `board.agents` defines when two submissions belong to the same agent.
        """
        agent = submission.agent
        name = self.agent_name(agent.name)
        return submission.track, name, agent.scaffold or "", agent.reasoning or ""


def benchmarks_by_group(benchmarks: Iterable[Benchmark]) -> dict[str, list[Benchmark]]:
    """Return benchmarks by their group, in the order in which groups occur.

    Benchmarks without a group come first, under an empty name.
    """
    groups: dict[str, list[Benchmark]] = {"": []}
    for benchmark in benchmarks:
        groups.setdefault(benchmark.group or "", []).append(benchmark)
    return groups
