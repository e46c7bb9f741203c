"""Revisions of submissions as a board shows them: corrected values and rounds run again.

Read `revisions_of` first. Old and new values come from the submissions themselves: the earlier
submission stays in the results folder.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sitegen.board.board import Board, BoardEntry
from sitegen.board.entry import Entry
from sitegen.board.history.differences import Difference, differences, flattened
from sitegen.board.score import GAP
from sitegen.models.outcome import RoundResult
from sitegen.models.results import Bundle
from sitegen.models.revisions import (
    bundles_by_name,
    rerun_keys,
    reviser_of,
    submission_with_fewer_attempts,
)
from sitegen.models.submission import Revision
from sitegen.problems import Statement, counted, plural, ranges

_UNCORRECTED = {"revisions", "status", "caveats", "claims", "detail", "schema_version"}
"""Keys of a manifest that differ because of the revision itself."""

_ORDINALS = {2: "second", 3: "third"}


@dataclass(frozen=True, slots=True)
class RerunRecord:
    """A round that was run again."""

    result: RoundResult
    replaced: RoundResult | None
    """The earlier record; None if the earlier submission had no such record or was redacted."""


@dataclass(frozen=True, slots=True)
class RevisionView:
    """A revision of a submission, with the changes it made."""

    revision: Revision
    bundle: Bundle
    """The submission that made the revision; later submissions inherit it."""
    earlier: Bundle | None
    """The submission that was revised; None if it can't be read."""
    corrections: Sequence[Difference]
    """Values of the manifest that differ; None for an absent value."""
    reruns: Sequence[RerunRecord]
    records: int
    """The number of records of rounds in the submission."""
    scores: tuple[str, str]
    """The headline scores of the earlier and the new submission, as displayed."""
    value_before: float | None
    """The headline score of the earlier submission."""
    number: int
    """The number of revisions that ran rounds again, up to and including this one."""
    round_word: str
    """The benchmark's word for a round; records of one-round tasks are also called rounds."""
    track: str = ""
    """The id of the track on which it was made; empty if that is the board's track."""

    @property
    def words(self) -> str:
        """The effect of the revision: "3 of 48 rounds run again: 54.2 to 60.4"."""
        revision = self.revision
        suffix = f" on {self.track}" if self.track else ""
        texts = []
        if revision.reruns:
            words = rerun_words(revision.rerun_count, self.records, self.round_word, self.scores)
            texts.append(words + suffix)
        if revision.added:
            texts.append(added_words(len(revision.added), self.bundle.submission.track))
        if revision.is_correction:
            values = {item.name: (item.before, item.after) for item in self.corrections}
            texts.append(correction_words(values) + suffix)
        return "; ".join(texts)


def rerun_words(number: int, records: int, round_word: str, scores: tuple[str, str]) -> str:
    """Return a phrase such as "3 of 48 rounds run again: 54.2 to 60.4", with scores if known."""
    before, after = scores
    words = f"{number} of {records} {plural(round_word)} run again"
    if before == after == GAP:
        return words
    return f"{words}: {before} to {after}"


def added_words(number: int, track: str) -> str:
    """Return a phrase such as "2 tasks run for v1-1", for tasks that had no results before."""
    return f"{counted(number, 'task')} run for {track}"


def correction_words(values: Mapping[str, tuple[object, object]]) -> str:
    """Return a phrase that lists corrected values of a manifest, before and after."""
    texts = []
    for name, (before, after) in values.items():
        key = name.removeprefix("agent.").replace("_", " ")
        before_text = GAP if before is None else before
        after_text = GAP if after is None else after
        texts.append(f"{key} {before_text} → {after_text}")
    return f"corrected: {'; '.join(texts)}" if texts else "corrected"


def times_words(times: int) -> str:
    """Return a phrase such as "the third time that rounds were replaced"; empty the first time."""
    if times <= 1:
        return ""
    ordinal = _ORDINALS.get(times, f"{times}th")
    return f"the {ordinal} time that rounds were replaced"


def word_for_reruns(round_word: str) -> str:
    """Return the benchmark's word for a round, or "round" if that word is "task"."""
    return "round" if round_word == "task" else round_word


def revisions_of(board: Board, entry: Entry) -> list[RevisionView]:
    """Return the revisions of a row's submission, the oldest first."""
    sent = entry.sent
    if sent is None or not sent.submission.revisions:
        return []
    bundles = bundles_by_name(board.results)
    entries = {other.id: other for other in board.all_entries}
    views = []
    number = 0
    for position, revision in enumerate(sent.submission.revisions):
        number += bool(revision.reruns)
        reviser = reviser_of(sent, position, bundles)
        earlier = bundles.get(revision.of)
        entry_before = entries.get(earlier.id) if earlier else None
        value_before = entry_before.value(board.headline.id) if entry_before else None
        text_before = _headline_text(board, entry_before)
        text_after = _headline_text(board, entries.get(reviser.id))
        view = RevisionView(
            revision=revision,
            bundle=reviser,
            earlier=earlier,
            corrections=_corrections(revision, reviser, earlier),
            reruns=_rerun_records(revision, reviser, earlier),
            records=len(reviser.rounds),
            scores=(text_before, text_after),
            value_before=value_before,
            number=number,
            round_word=word_for_reruns(board.benchmark.round_word.lower()),
            track=_other_track(board, reviser),
        )
        views.append(view)
    return views


def _other_track(board: Board, reviser: Bundle) -> str:
    """Return the track of a submission; empty if it is the board's track."""
    track = reviser.submission.track
    return "" if track == board.track.id else track


def _corrections(
    revision: Revision, reviser: Bundle, earlier: Bundle | None
) -> Sequence[Difference]:
    """Return the manifest's values that a correction changed; empty for other revisions."""
    if earlier is None or not revision.is_correction:
        return ()
    return differences(_stated_values(earlier), _stated_values(reviser))


def _rerun_records(
    revision: Revision, reviser: Bundle, earlier: Bundle | None
) -> Sequence[RerunRecord]:
    """Return the rounds that a revision lists as run again."""
    records_before = {}
    if earlier:
        records_before = {result.place: result for result in earlier.rounds}
    records = {result.place: result for result in reviser.rounds}
    reruns = []
    for key in rerun_keys(revision):
        if key in records:
            reruns.append(RerunRecord(records[key], records_before.get(key)))
    return reruns


def _stated_values(bundle: Bundle) -> dict[str, str | float | bool | None]:
    """Return a manifest's values, excluding those that differ because of the revision itself."""
    document = bundle.submission.model_dump(mode="json", exclude=_UNCORRECTED, exclude_none=True)
    return flattened(document)


def _headline_text(board: Board, entry: Entry | None) -> str:
    return entry.text(board.headline.id) if entry else GAP


def revision_notes(board: Board, entry: Entry) -> list[str]:
    """Return a note for each revision of a row, as used in exports."""
    notes = []
    for view in revisions_of(board, entry):
        revision = view.revision
        notes.append(f"{view.words}, {revision.date}, revises {revision.of}: {revision.reason}")
    return notes


def latest_revision_words(board: Board, entry: Entry) -> str:
    """Return a phrase on what a row's submission revised; empty if it revised nothing itself.

    Submissions with further attempts or carried results inherit revisions, but make none.
    """
    views = revisions_of(board, entry)
    if not views or views[-1].bundle.id != entry.id:
        return ""
    return views[-1].words


@dataclass(frozen=True, slots=True)
class AttemptsView:
    """Attempts that a submission adds to those of the submission it supersedes."""

    earlier: Bundle
    """The submission with fewer attempts; their records are the same in both submissions."""
    attempts: tuple[int, ...]
    scores: tuple[str, str]
    """The headline scores of the earlier and the new submission, as displayed."""

    @property
    def words(self) -> str:
        """The attempts that were added: "attempt 4 added: 54.2 to 60.4"."""
        return attempts_words(self.attempts, self.scores)


def attempts_words(attempts: Sequence[int], scores: tuple[str, str]) -> str:
    """Return a phrase on the attempts that were added, with both scores if known."""
    words = f"attempt {attempts[0]} added"
    if len(attempts) > 1:
        words = f"attempts {ranges(attempts).replace('-', GAP)} added"
    before, after = scores
    if before == after == GAP:
        return words
    return f"{words}: {before} to {after}"


def added_attempts_of(board: Board, entry: Entry) -> AttemptsView | None:
    """Return the attempts that a row's submission adds to an earlier submission; None if none.

    Attempts that come with other changes, such as rounds that were run again, are not listed.
    """
    sent = entry.sent
    if sent is None or latest_revision_words(board, entry):
        return None
    extended = submission_with_fewer_attempts(sent, board.results.bundles)
    if extended is None:
        return None
    earlier, attempts = extended
    entries = {other.id: other for other in board.all_entries}
    scores = (_headline_text(board, entries.get(earlier.id)), _headline_text(board, entry))
    return AttemptsView(earlier, attempts, scores)


def latest_change_words(board: Board, entry: Entry) -> str:
    """Return a phrase on how a row's submission changes the submission it supersedes, if at all."""
    words = latest_revision_words(board, entry)
    if words:
        return words
    added = added_attempts_of(board, entry)
    return added.words if added else ""


def revision_statement(rows: Iterable[BoardEntry]) -> Statement:
    """Return a statement on how each row changes an earlier row, for the top of a report."""
    statement = Statement("")
    for board, entry in rows:
        words = latest_change_words(board, entry)
        if words:
            statement += Statement("{}: {}. ", (entry.agent.name, words))
    return statement


def revision_mark(board: Board, entry: Entry) -> str:
    """Return a board's phrase for a row's revisions: its latest rerun, else its correction."""
    views = revisions_of(board, entry)
    reruns = [view for view in views if view.revision.reruns]
    if not reruns:
        return views[-1].words if views else ""
    latest = reruns[-1]
    mark = latest.words
    if latest.number > 1 and not latest.track:
        first = reruns[0].scores[0]
        times = counted(latest.number, "replacement")
        mark += f"; {times} in all, {first} before the first"
    return mark
