"""Tracks that another one replaced: what became of the same agents' rounds when they were run again."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.models.benchmark import Track
from sitegen.models.outcome import Place, RoundResult


class Turnover(NamedTuple):
    """Rounds with a verdict before and after: those that passed before, only after, only before, and all of them."""

    before: int
    gained: int
    lost: int
    of: int

    @property
    def after(self) -> int:
        """Passed after."""
        return self.before + self.gained - self.lost

    @property
    def changed(self) -> int:
        """Those with another verdict."""
        return self.gained + self.lost


class Rerun(NamedTuple):
    """An agent on a track, and on the one that replaced it."""

    entry: Entry
    tasks: Mapping[str, Turnover]
    """By task, in the order of the earlier rounds."""

    @property
    def whole(self) -> Turnover:
        """Over all tasks."""
        return total(list(self.tasks.values()))


def total(turnovers: Sequence[Turnover]) -> Turnover:
    """Add up, field by field."""
    return Turnover(*map(sum, zip(Turnover(0, 0, 0, 0), *turnovers, strict=True)))


def successor(board: Board) -> Track | None:
    """The track that replaced a board's; None for none."""
    return next(
        (each for each in board.benchmark.tracks if each.id == board.track.superseded_by), None
    )


def reruns(board: Board) -> list[Rerun]:
    """Hold each submission's verdicts against those of the same agent on the track that replaced this one."""
    after, name_of = successor(board), board.benchmark.agent_name
    bundles = board.results.bundles_of(after) if after else ()
    standing = (each for each in bundles if each.submission.status.state == "published")
    later = {name_of(each.submission.agent.name): each for each in standing}
    found = []
    for entry in board.submissions:
        bundle = later.get(name_of(entry.agent.name))
        if entry.bundle is None or bundle is None:
            continue
        was, now = (_verdicts(each.rounds) for each in (entry.bundle, bundle))
        tasks: dict[str, list[Turnover]] = defaultdict(list)
        for place in (
            each for each in was if each in now
        ):  # in their order, which resampling follows
            tasks[place[0]].append(
                Turnover(was[place], now[place] > was[place], now[place] < was[place], 1)
            )
        if tasks:
            found.append(Rerun(entry, {task: total(each) for task, each in tasks.items()}))
    return found


def _verdicts(rounds: Sequence[RoundResult]) -> dict[Place, bool]:
    """Whether each round passed that has a verdict."""
    known = (each for each in rounds if each.state in {"scored", "no_cases"})
    return {each.place: each.solved for each in known}
