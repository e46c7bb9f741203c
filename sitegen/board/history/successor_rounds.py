"""Rounds of the same agents on a track and on its successor."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import NamedTuple

from sitegen.board.agents import closest_of_agent
from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.findings import with_effects
from sitegen.models.benchmark import Track
from sitegen.models.outcome import RoundKey, RoundResult


class RoundTransitions(NamedTuple):
    """How many rounds passed on a track and on its successor, among rounds with both verdicts."""

    passed_before: int
    """The number of rounds that passed on the track."""
    gained: int
    """The number of rounds that passed only on the successor."""
    lost: int
    """The number of rounds that passed only on the track."""
    rounds: int
    """The number of rounds with both verdicts, passed or not."""

    @property
    def passed_after(self) -> int:
        """The number of rounds that passed on the successor."""
        return self.passed_before + self.gained - self.lost

    @property
    def changed(self) -> int:
        """The number of rounds whose verdict changed."""
        return self.gained + self.lost


class SuccessorRun(NamedTuple):
    """A submission to a track, compared with the same agent's submission to its successor."""

    entry: Entry
    tasks: Mapping[str, RoundTransitions]
    """The transitions by task, in the order of the earlier rounds, which resampling follows."""

    @property
    def over_all_tasks(self) -> RoundTransitions:
        """The sums over all tasks."""
        return add_transitions(self.tasks.values())


def add_transitions(transitions: Iterable[RoundTransitions]) -> RoundTransitions:
    """Return the sum of transitions, field by field."""
    return RoundTransitions(*map(sum, zip(RoundTransitions(0, 0, 0, 0), *transitions, strict=True)))


def successor_track(board: Board) -> Track | None:
    """Return the track that replaced a board's track; None if there is none."""
    for track in board.benchmark.tracks:
        if track.id == board.track.superseded_by:
            return track
    return None


def successor_runs(board: Board) -> list[SuccessorRun]:
    """Return each submission compared with the same agent's submission to the successor track.

    Both are compared after findings took effect.
    """
    track = successor_track(board)
    if track is None:
        return []
    later_bundles = []
    later_results = replace(board.results, bundles=board.results.bundles_of(track))
    for bundle in with_effects(later_results).bundles:
        if bundle.submission.status.state == "published":
            later_bundles.append(bundle)
    compared = []
    for entry in board.submissions:
        later_bundle = closest_of_agent(
            entry.agent,
            later_bundles,
            attrgetter("submission.agent"),
            board.benchmark.agent_name,
        )
        if entry.bundle is None or later_bundle is None:
            continue
        tasks = _transitions(entry.bundle.rounds, later_bundle.rounds)
        if tasks:
            compared.append(SuccessorRun(entry, tasks))
    return compared


def _transitions(
    before: Sequence[RoundResult], after: Sequence[RoundResult]
) -> dict[str, RoundTransitions]:
    """Return the transitions of the rounds that have a verdict both times, by task."""
    later_verdicts = _verdicts(after)
    by_task: dict[str, list[RoundTransitions]] = defaultdict(list)
    for record_key, passed in _verdicts(before).items():
        if record_key in later_verdicts:
            passed_later = later_verdicts[record_key]
            transition = RoundTransitions(passed, passed_later > passed, passed_later < passed, 1)
            by_task[record_key[0]].append(transition)
    totals = {}
    for task, round_transitions in by_task.items():
        totals[task] = add_transitions(round_transitions)
    return totals


def _verdicts(rounds: Sequence[RoundResult]) -> dict[RoundKey, bool]:
    """Return whether each round with a verdict passed."""
    verdicts = {}
    for result in rounds:
        if result.state in {"scored", "no_cases"}:
            verdicts[result.place] = result.solved
    return verdicts
