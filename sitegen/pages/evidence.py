"""What a row can be followed by: what is there, what is missing, and what the next tiers of evidence take."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sitegen.board.board import Board
from sitegen.board.entry import Entry, Evidence
from sitegen.board.evidence import EVIDENCE_ITEMS, Amount, EvidenceItem, Presence, evidence_in
from sitegen.board.reproduction import Reproduction
from sitegen.pages import addresses, labels
from sitegen.pages.environment import Crumb, Fragment, Templates

_ORDER = tuple(labels.EVIDENCE)


@dataclass(frozen=True, slots=True)
class Item:
    """A thing that a submission is looked through for.

    Attributes:
        id: Its name.
        title: What it is.
        presence: How much of it is there.
        mark: The same as a glyph.
        words: The same in a sentence.
        decides: The tier that takes all of it; empty where it is only listed.
    """

    id: str
    title: str
    presence: Presence
    mark: str
    words: str
    decides: str


@dataclass(frozen=True, slots=True)
class Rerun:
    """A maintainer's run of the same.

    Attributes:
        name: The rerun's.
        address: Its page.
        by: Who ran it; empty where that is not told.
        day: When that was recorded.
        words: Both scores, and whether chance explains their difference.
    """

    name: str
    address: str
    by: str
    day: str
    words: str


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """How far the numbers of a row can be followed.

    Attributes:
        tier: How far.
        ways: What the tiers above take: their names, each with what they take.
        there: What is there.
        missing: What is not, or in part only.
        reruns: What came of running it again.
        repeats: The submissions that it is a rerun of.
    """

    tier: Evidence
    ways: Sequence[tuple[Evidence, str]]
    there: Sequence[Item] = ()
    missing: Sequence[Item] = ()
    reruns: Sequence[Rerun] = ()
    repeats: Sequence[Crumb] = ()


def evidence_view(board: Board, entry: Entry) -> EvidenceView:
    """Tell how far the numbers of a row can be followed."""
    if entry.bundle is None:
        return EvidenceView(entry.evidence, _ways(entry.evidence))
    items = [_item(*each) for each in evidence_in(board, entry, entry.bundle)]
    return EvidenceView(
        entry.evidence,
        _ways(entry.evidence),
        [item for item in items if item.presence == "there"],
        [item for item in items if item.presence != "there"],
        [_rerun(board, each) for each in board.reproductions.get(entry.id, ())],
        list(_repeats(board, entry)),
    )


def evidence_fragment(templates: Templates) -> Fragment:
    """Tell what decides the tiers, for the methods page."""
    text = templates.fill("exhibits.html.j2", addresses.METHODS, {"exhibits": EVIDENCE_ITEMS})
    return Fragment(addresses.METHODS, "evidence", text)


def _ways(tier: Evidence) -> list[tuple[Evidence, str]]:
    """Say what each tier above takes."""
    above = _ORDER[_ORDER.index(tier) + 1 :]
    return [
        (item.decides, f"{item.title[:1].lower()}{item.title[1:]}") for item in EVIDENCE_ITEMS if item.decides in above
    ]


def _repeats(board: Board, entry: Entry) -> Iterator[Crumb]:
    """Give the submissions that a row is a rerun of."""
    for name, found in board.reproductions.items():
        if entry.id in {each.rerun for each in found}:
            yield Crumb(name, addresses.entry_address(board.benchmark.id, board.track.id, name))


def _item(item: EvidenceItem, found: Amount) -> Item:
    word = labels.EVIDENCE[item.decides][1] if item.decides else ""
    return Item(item.id, item.title, found.presence, labels.PRESENCES[found.presence], found.words, word)


def _rerun(board: Board, each: Reproduction) -> Rerun:
    words = each.words if each.lead else f"{each.words}, so that it counts for nothing"
    address = addresses.entry_address(board.benchmark.id, board.track.id, each.rerun)
    return Rerun(each.rerun, address, each.finding.by or "", str(each.finding.date), words)
