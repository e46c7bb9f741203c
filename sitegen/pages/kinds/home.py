"""The generated parts of authored pages: home, data, API and changelog, and the rules that are checked."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sitegen.board.answers.order import board_answer
from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.pages import addresses
from sitegen.pages.addresses import Link, board_link
from sitegen.pages.descriptions import Datasets, scores_files
from sitegen.pages.environment import PARQUET, Fragment, Site, Templates
from sitegen.pages.site import Whole, authored_parts, headline
from sitegen.problems import errors_of

_TOP = 3


class TopBoard(NamedTuple):
    """A board at a glance: its first rows, each with its agent's name, and how many more it has."""

    board: Board
    rows: Sequence[tuple[Entry, str]]
    more: int


class Event(NamedTuple):
    """Something that happened to a row of a board."""

    entry: Entry
    address: str
    words: str
    board: Link


@authored_parts
def home_parts(whole: Whole, templates: Templates) -> Iterator[Fragment]:
    """Show the boards at a glance, and what is wrong with results that were published all the same."""
    shown = [
        (boards[0].benchmark, [_top(board) for board in boards if board.entries and board.track.status == "current"])
        for boards in whole.ledger.benchmarks
    ]
    values = {
        "shown": shown,
        "errors": errors_of(whole.problems),
        "catalogue": _catalogue(addresses.HOME, whole, templates),
    }
    yield Fragment(addresses.HOME, "boards", templates.fill("home.html.j2", addresses.HOME, values))
    current = [board for board in whole.boards if board.track.status == "current" and not board.benchmark.simulated]
    lead = max(current, key=lambda board: len(board.submissions), default=None)
    if lead:
        name = f"{lead.benchmark.title}, {lead.track.title}"
        yield from headline(addresses.HOME, name, board_answer(lead), templates)


def _top(board: Board) -> TopBoard:
    first = [(entry, board.names[entry.id]) for entry in board.entries if entry.id in board.ranks][:_TOP]
    return TopBoard(board, first, len(board.entries) - len(first))


@authored_parts
def data_parts(whole: Whole, templates: Templates) -> Iterator[Fragment]:
    """Show what can be downloaded; tell the reader of the API of files that only some sites have."""
    shown = [
        (boards[0].benchmark, list(_downloads(boards, whole.raw[boards[0].benchmark.id], templates.site)))
        for boards in whole.ledger.benchmarks
    ]
    values = {"shown": shown, "catalogue": _catalogue(addresses.DATA, whole, templates)}
    yield Fragment(addresses.DATA, "files", templates.fill("data.html.j2", addresses.DATA, values))
    formats = {"has_parquet": PARQUET in templates.site.kinds}
    yield Fragment(addresses.API, "formats", templates.fill("formats.html.j2", addresses.API, formats))


def _downloads(boards: Sequence[Board], names: Sequence[str], site: Site) -> Iterator[tuple[str, Sequence[Link]]]:
    """Yield what can be downloaded of a benchmark: sets of files, each with its title."""
    for board in boards:
        yield (
            f"Scores of {board.track.title}",
            [Link(kind.title, address) for kind, address in scores_files(board, site)],
        )
    folders: dict[str, list[Link]] = defaultdict(list)
    for name in names:
        folder, _, file = name.rpartition("/")
        address = addresses.raw_address(boards[0].benchmark.id, name)
        folders[folder or "Definition and findings"].append(Link(file, address))
    yield from ((folder.removeprefix("submissions/"), files) for folder, files in folders.items())


def _catalogue(address: str, whole: Whole, templates: Templates) -> object:
    releases = [chapter.release for chapter in whole.ledger.releases]
    return Datasets(address, templates.site, releases).catalogue(whole.ledger.benchmarks)


@authored_parts
def changelog_part(whole: Whole, templates: Templates) -> Iterator[Fragment]:
    """Show what entered and left the boards, newest first."""
    days: dict[str, list[Event]] = defaultdict(list)
    for board in whole.boards:
        for entry in board.all_entries:
            status, about = entry.status, (entry, addresses.of(board).entry(entry.id))
            verb = "is reported on" if entry.table else "entered"
            days[str(entry.date)].append(Event(*about, verb, board_link(board)))
            if not entry.is_ranked and status.date:
                reason = f" ({status.reason})" if status.reason else ""
                days[str(status.date)].append(Event(*about, f"was {status.state}{reason} on", board_link(board)))
    text = templates.fill(
        "changelog.html.j2", addresses.CHANGELOG, {"days": [(day, days[day]) for day in sorted(days, reverse=True)]}
    )
    yield Fragment(addresses.CHANGELOG, "days", text)


@authored_parts
def rules_parts(whole: Whole, templates: Templates) -> Iterator[Fragment]:
    """Show every rule that is checked."""
    for slot, told in whole.rules.items():
        values = {"rules": told, "are_waivable": slot == "rules-of-results"}
        text = templates.fill("rules.html.j2", addresses.CHECKS, values)
        yield Fragment(addresses.CHECKS, slot, text)
