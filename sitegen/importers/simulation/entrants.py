"""The simulated agents. Their names and organisations exist nowhere else."""

from dataclasses import dataclass
from datetime import date, timedelta

from sitegen.importers.simulation.dice import dice
from sitegen.importers.simulation.scale import Scale
from sitegen.models.submission import Agent

_FAMILIES = (
    "Alder", "Birch", "Cedar", "Dogwood", "Elder", "Gorse", "Hazel", "Ilex", "Katsura", "Larch", "Medlar", "Nutmeg",
    "Osier", "Poplar", "Quince", "Rowan", "Sorrel", "Tamarack", "Viburnum", "Whitebeam", "Yarrow", "Zelkova",
)  # fmt: skip
_VARIANTS = ("-1", "-Large", " Mini", "-2", " Code", "-XL", "-3")
_ORGANIZATIONS = ("Example Labs", "Sample Systems", "Placeholder Research", "Specimen Works", "Lorem Institute")
_SCAFFOLDS = (("sim-shell", "0.4"), ("example-agent", "2.1"), ("loop-and-patch", "1.0"))
_REASONING = (None, "low", "medium", "high")

STRONGEST = 4.4
"""Log odds of the best agent that a round on a task of middling difficulty goes well."""

WEAKEST = -1.9
"""The same for the last agent."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """An agent with what the simulator knows about it.

    Attributes:
        rank: Place by strength, from 0.
        agent: Who it says it is.
        skill: Log odds that a round on a task of middling difficulty goes well.
        entered: The day of its first submission.
    """

    rank: int
    agent: Agent
    skill: float
    entered: date


def roster(scale: Scale) -> tuple[Entrant, ...]:
    """Make up the ranked agents, the strongest first; the third and fourth are nearly equal."""
    names = [_name(position) for position in range(scale.agents)]
    dice(scale.seed, "names").shuffle(names)
    return tuple(_entrant(scale, rank, name) for rank, name in enumerate(names))


def cheat(scale: Scale) -> Entrant:
    """Make up an agent that is better than all others, because it has read the answers."""
    return Entrant(0, _agent(scale, _name(scale.agents)), 2 * STRONGEST, date(2026, 4, 21))


def _entrant(scale: Scale, rank: int, name: str) -> Entrant:
    skill = STRONGEST - (STRONGEST - WEAKEST) * _depth(rank) / max(1, _depth(scale.agents - 1))
    entered = date(2026, 1, 12) + timedelta(days=dice(scale.seed, "entered", name).randrange(130))
    return Entrant(rank, _agent(scale, name), skill, entered)


def _depth(rank: int) -> float:
    """Give how far a rank lies below the first: the fourth is nearly as strong as the third."""
    return rank if rank < 3 else rank - 0.98  # noqa: PLR2004 - the fourth, counted from 0


def _name(position: int) -> str:
    lap, place = divmod(position, len(_FAMILIES))
    series, variant = divmod(lap, len(_VARIANTS))
    # The variants shift along the families, so that the first names differ by more than their tree.
    suffix = _VARIANTS[(variant + place) % len(_VARIANTS)]
    return _FAMILIES[place] + suffix + (f" Series {series + 1}" if series else "")


def _agent(scale: Scale, name: str) -> Agent:
    rng = dice(scale.seed, "agent", name)
    scaffold, version = rng.choice(_SCAFFOLDS)
    is_open = rng.random() < 0.4  # noqa: PLR2004 - two agents in five
    return Agent(
        name=name,
        organization=rng.choice(_ORGANIZATIONS),
        model=name.lower().replace(" ", "-"),
        scaffold=scaffold,
        scaffold_version=version,
        reasoning=rng.choice(_REASONING),
        open_weights=is_open,
        model_license="Apache-2.0" if is_open else None,
        model_released=date(2025, 8, 1) + timedelta(days=rng.randrange(150)),
    )
