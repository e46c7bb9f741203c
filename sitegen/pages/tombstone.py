"""What the page of a submission says where it does not stand any more: since when, why, and what it was before."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.releases import Past
from sitegen.models.results import Bundle
from sitegen.pages import addresses, labels
from sitegen.pages.environment import Crumb
from sitegen.pages.figures import locked_interval_text, locked_text, score_text
from sitegen.pages.flags import finding_address
from sitegen.pages.records import Records
from sitegen.pages.releases import place_text


@dataclass(frozen=True, slots=True)
class Standing:
    """How a row stood in a release: the ranks that it might have, and its headline score."""

    release: Crumb
    place: str
    score: str
    sure: str


@dataclass(frozen=True, slots=True)
class Tombstone:
    """Why a submission does not stand any more, and what it was.

    Attributes:
        state: What became of it.
        date: Since when; empty where nobody says.
        by: Who took it back; empty where nobody says, and where another submission replaces it.
        reason: Why; empty where nobody says.
        replacement: What replaces it; it leads nowhere where that is not here.
        findings: Those that withdrew it.
        last: How it stood in the last release in which it stood; None where there is none.
        title: Of the headline score.
        score: The headline score as it is computed today.
    """

    state: str
    date: str
    by: str
    reason: str
    replacement: Crumb | None
    findings: Sequence[Crumb]
    last: Standing | None
    title: str
    score: str


def tombstone_of(records: Records, entry: Entry) -> Tombstone | None:
    """Say what became of a submission; None for one that stands."""
    if entry.is_ranked:
        return None
    board, status = records.board, entry.status
    by, is_replaced = status.by or "", status.state == "superseded"
    return Tombstone(
        status.state,
        str(status.date or ""),
        "" if is_replaced else by,
        (status.reason or "").rstrip(". "),
        replacement_of(board, entry),
        list(_findings(board, entry)),
        next(_standings(board, records.pasts.get(entry.id, ())), None),
        labels.title_of(board.headline, board.track, board.benchmark),
        _score(board, entry),
    )


def predecessors_of(board: Board, entry: Entry) -> list[Crumb]:
    """Give the submissions that a submission replaces, each with the way to its page."""
    return [
        Crumb(bundle.id, _address(board, bundle))
        for bundle in board.results.bundles
        if bundle.submission.status.state == "superseded" and bundle.submission.status.by == entry.id
    ]


def replacement_of(board: Board, entry: Entry) -> Crumb | None:
    """Name what replaces a submission, which may be on another track; None for one that nothing replaces."""
    name = entry.status.by
    if entry.status.state != "superseded" or not name:
        return None
    bundle = next((each for each in board.results.bundles if each.id == name), None)
    return Crumb(name, _address(board, bundle) if bundle else "")


def _address(board: Board, bundle: Bundle) -> str:
    return addresses.entry_address(board.benchmark.id, bundle.submission.track, bundle.id)


def _findings(board: Board, entry: Entry) -> Iterator[Crumb]:
    """Give the findings that withdrew a submission, or took its content out."""
    for marked in board.marks.on_row(entry.id):
        if marked.finding.effect == "withdraw" or marked.finding.redacts(entry.id):
            yield Crumb(marked.finding.title, finding_address(board, marked.id))


def _score(board: Board, entry: Entry) -> str:
    """Write the headline score as it is computed today; empty for a gap."""
    score = entry.scores.get(board.headline.id)
    return score_text(score) if score and score.value is not None else ""


def _standings(board: Board, pasts: Sequence[Past]) -> Iterator[Standing]:
    """Tell how a row stood in the releases in which it stood, the latest first."""
    metric = board.headline
    for past in reversed(pasts):
        if past.release is None or past.row.state != "published":
            continue
        score = past.row.scores.get(metric.id)
        where = addresses.snapshot_address(past.release.date, board.benchmark.id, board.track.id)
        yield Standing(
            Crumb(past.release.name, where),
            place_text(past.row),
            locked_text(score, metric.decimals) if score else "",
            locked_interval_text(score, metric.decimals) if score else "",
        )
