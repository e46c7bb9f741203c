"""Which bundles a simulated benchmark has: who entered which track, and what became of it."""

from dataclasses import dataclass
from datetime import date, timedelta

from sitegen.importers.bundle_id import bundle_id
from sitegen.importers.simulation.definition import CHAIN, FAIL_STOP
from sitegen.importers.simulation.entrants import Entrant, cheat, roster
from sitegen.importers.simulation.scale import Scale
from sitegen.models.submission import CaseDetail, Status

SUPERSEDED = 3
"""Rank of the agent that entered twice; ranks count from 0, so that small benchmarks lack some of these."""

RESUMED = 4
"""Rank of the agent whose first run was resumed after rounds that the reference did."""

_DETAIL: dict[int, CaseDetail] = {5: "failures", 6: "counts"}
"""How much of its cases a bundle holds, where it is not all, by the agent's rank."""

_STANDING = Status()


@dataclass(frozen=True, slots=True)
class Entry:
    """One submission of an agent, before its runs are made up.

    Attributes:
        entrant: Who entered.
        track: Id of the track.
        date: The day of the submission.
        skill: Log odds that a round on a task of middling difficulty goes well.
        status: Whether it stands.
        extra: Whether the agent has another submission on this track, or no place on the board at all.
    """

    entrant: Entrant
    track: str
    date: date
    skill: float
    status: Status = _STANDING
    extra: bool = False

    @property
    def id(self) -> str:
        """Name of the bundle's folder."""
        return bundle_id(self.date, self.entrant.agent.name)

    @property
    def detail(self) -> CaseDetail:
        """How much of its cases the bundle holds."""
        return "all" if self.extra else _DETAIL.get(self.entrant.rank, "all")


def entries(scale: Scale) -> tuple[Entry, ...]:
    """List every submission by its id: the board of each track, and two that no longer stand."""
    ranked = roster(scale)
    entered = [Entry(entrant, CHAIN, entrant.entered, entrant.skill) for entrant in ranked]
    entered += [_fail_stop(entrant) for entrant in ranked[: (len(ranked) + 1) // 2]]
    entered += [_superseded(entrant) for entrant in ranked[SUPERSEDED : SUPERSEDED + 1]]
    entered.append(_withdrawn(cheat(scale)))
    return tuple(sorted(entered, key=lambda entry: entry.id))


def _fail_stop(entrant: Entrant) -> Entry:
    return Entry(entrant, FAIL_STOP, entrant.entered + timedelta(days=9), entrant.skill)


def _superseded(entrant: Entrant) -> Entry:
    later = Entry(entrant, CHAIN, entrant.entered, entrant.skill)
    status = Status(
        state="superseded",
        by=later.id,
        reason="Run again after the harness had cut replies short.",
        date=later.date,
    )
    return Entry(entrant, CHAIN, entrant.entered - timedelta(days=10), entrant.skill - 0.6, status, extra=True)


def _withdrawn(entrant: Entrant) -> Entry:
    status = Status(
        state="withdrawn",
        by=entrant.agent.organization,
        reason="The agent's image held the hidden cases, and its runs had read them.",
        date=entrant.entered + timedelta(days=17),
    )
    return Entry(entrant, CHAIN, entrant.entered, entrant.skill, status, extra=True)
