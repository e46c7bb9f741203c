"""Revisions on the page of a submission: what was corrected, and every round that was rerun."""

from collections.abc import Sequence
from typing import NamedTuple

from sitegen.board import GAP, Entry
from sitegen.board.history.differences import Difference
from sitegen.board.history.revisions import RerunRecord, RevisionView, revisions_of, times_words
from sitegen.board.wording import number_text
from sitegen.models.outcome import RoundResult
from sitegen.models.submission import Revision
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import Link
from sitegen.pages.records import BoardRecords
from sitegen.pages.selection import find_entry

_REWARD_DECIMALS = 3


class RerunLine(NamedTuple):
    """A round that was run again, with its outcome before and after."""

    name: str
    address: str
    """The address of the round on the page of the run; empty if it has none."""
    before: str
    after: str
    reward_before: float | None
    reward: float


class RevisionSection(NamedTuple):
    """A revision as the page of a submission shows it."""

    revision: Revision
    words: str
    times: str
    """A phrase on how often rounds were run again; empty if only once."""
    earlier: Link
    by: Link | None
    """The submission that made the revision; None if this submission made it."""
    corrections: Sequence[Difference]
    round_word: str
    """The benchmark's word for a round."""
    lines: Sequence[RerunLine]
    total: str
    """A phrase on how many rounds were run again, and how many of them changed their reward."""


def revision_sections(records: BoardRecords, entry: Entry) -> list[RevisionSection]:
    """Return the revisions of a submission, the latest first."""
    board = records.board
    sections = []
    for view in reversed(revisions_of(board, entry)):
        track = view.track or board.track.id
        on_track = addresses.BoardAddresses(board.benchmark.id, track)
        by = None
        if view.bundle.id != entry.id:
            by = Link(view.bundle.id, on_track.entry(view.bundle.id))
        earlier_address = ""
        earlier_id = view.revision.of
        if view.earlier:
            earlier_id = view.earlier.id
            earlier_address = on_track.entry(earlier_id)
        lines = [_rerun_line(records, view, rerun) for rerun in view.reruns]
        section = RevisionSection(
            revision=view.revision,
            words=view.words,
            times=times_words(view.number) if view.revision.reruns else "",
            earlier=Link(earlier_id, earlier_address),
            by=by,
            corrections=view.corrections,
            round_word=view.round_word,
            lines=lines,
            total=rerun_total(view.reruns),
        )
        sections.append(section)
    return sections


def _rerun_line(records: BoardRecords, view: RevisionView, rerun: RerunRecord) -> RerunLine:
    """Return a round that was run again, linked to its page."""
    board = records.board
    result = rerun.result
    task = board.tasks.by_id().get(result.task)
    name = task.name if task else result.task
    if not (task and len(task.rounds) == 1):
        name += f", {labels.rounds_word(board.benchmark)} {result.round}"
    if board.track.attempts > 1:
        name += f", attempt {result.attempt}"
    if result.start == "reference":
        name += ", from the reference state"
    address = ""
    entry = find_entry(board.all_entries, view.bundle.id)
    if task and entry and result.start == "own":
        anchor = addresses.round_anchor(result.round, result.attempt)
        address = records.run_address(entry, task, anchor)
    before = rerun.replaced
    return RerunLine(
        name=name,
        address=address,
        before=_outcome_words(before) if before else GAP,
        after=_outcome_words(result),
        reward_before=before.reward if before else None,
        reward=result.reward,
    )


def _outcome_words(result: RoundResult) -> str:
    """Return the reward of a round as text, with its state if it was not scored."""
    reward = number_text(result.reward, _REWARD_DECIMALS)
    if result.state == "scored":
        return reward
    return f"{reward} ({labels.STATES[result.state]})"


def rerun_total(reruns: Sequence[RerunRecord]) -> str:
    """Return a text on how many rounds were run again, and how their rewards changed."""
    higher = 0
    lower = 0
    same = 0
    unknown = 0
    for rerun in reruns:
        if rerun.replaced is None:
            unknown += 1
        elif rerun.result.reward > rerun.replaced.reward:
            higher += 1
        elif rerun.result.reward < rerun.replaced.reward:
            lower += 1
        else:
            same += 1
    text = f"{higher} with a higher reward, {lower} with a lower one, {same} with the same"
    if unknown:
        return f"{text}, {unknown} without an earlier record"
    return text
