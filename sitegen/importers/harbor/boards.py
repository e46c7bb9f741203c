"""Which track the results of an import go to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sitegen.importers.harbor.plays import Play

Kind = Literal["own", "reference"]
"""What a track is about: runs from a task's beginning, or also rounds from the reference state."""


APART = "-reference"
"""What the name of a track for rounds from the reference state ends with where another stands beside it."""


@dataclass(frozen=True, slots=True)
class Board:
    """A track, and what goes there."""

    track: str
    """Its id."""
    kind: Kind
    plays: tuple[Play, ...]


def boards_of(plays: Sequence[Play], track: str) -> list[Board]:
    """Say which track each agent's results go to.

    A track that has rounds from the reference state has them of each of its agents, and most agents have none:
    those that do stand on a track of their own, with all of their runs.

    Args:
        plays: What the agents' runs came to.
        track: Id of the track that the results go to.
    """
    own = tuple(play for play in plays if play.own)
    sampled = tuple(play for play in plays if play.samples)
    apart = f"{track}{APART}" if own else track
    return [board for board in (Board(track, "own", own), Board(apart, "reference", sampled)) if board.plays]
