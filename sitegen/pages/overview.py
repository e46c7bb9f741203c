"""The generated parts of the authored pages: home, data and changelog, and the rules of the submit page."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.ledger.chapters import Ledger
from sitegen.pages import addresses, labels
from sitegen.pages.datasets import Shelf
from sitegen.pages.environment import Crumb, Fragment, Templates
from sitegen.pages.facts import facts
from sitegen.pages.figures import place_text, score_text
from sitegen.pages.imprint import Imprint
from sitegen.problems import Problem, Rule, errors_of

_TOP = 3


@dataclass(frozen=True, slots=True)
class TopRow:
    """One of the first rows of a board."""

    place: str
    agent: str
    address: str
    text: str


@dataclass(frozen=True, slots=True)
class TopBoard:
    """A board at a glance."""

    title: str
    address: str
    facts: str
    headline: str
    rows: Sequence[TopRow]
    more: int


@dataclass(frozen=True, slots=True)
class Card:
    """A benchmark at a glance."""

    title: str
    address: str
    summary: str
    simulated: bool
    boards: Sequence[TopBoard]


@dataclass(frozen=True, slots=True)
class FileRow:
    """A set of files that can be downloaded."""

    title: str
    files: Sequence[Crumb]


@dataclass(frozen=True, slots=True)
class DataView:
    """What can be downloaded of a benchmark."""

    title: str
    simulated: bool
    rows: Sequence[FileRow]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a row of a board."""

    agent: str
    address: str
    words: str
    board: str
    board_address: str
    retired: bool


@dataclass(frozen=True, slots=True)
class Day:
    """What happened on one day."""

    date: str
    events: Sequence[Event]


def home_fragment(ledger: Ledger, problems: Sequence[Problem], templates: Templates) -> Fragment:
    """Show the boards at a glance, and what is wrong with results that were published all the same."""
    cards = [_card(boards) for boards in ledger.benchmarks]
    values = {"cards": cards, "errors": errors_of(problems), "catalogue": _catalogue(addresses.HOME, ledger, templates)}
    return Fragment(addresses.HOME, "boards", templates.fill("home.html.j2", addresses.HOME, values))


def data_fragment(ledger: Ledger, raw: Mapping[str, Sequence[str]], templates: Templates) -> Fragment:
    """Show what can be downloaded.

    Args:
        ledger: The books, with the boards by benchmark.
        raw: Names of the files that the site carries, by benchmark.
        templates: Where the template stands.
    """
    views = [_data_view(boards, raw[boards[0].benchmark.id], templates.imprint) for boards in ledger.benchmarks]
    values = {"benchmarks": views, "catalogue": _catalogue(addresses.DATA, ledger, templates)}
    return Fragment(addresses.DATA, "files", templates.fill("data.html.j2", addresses.DATA, values))


def formats_fragment(templates: Templates) -> Fragment:
    """Tell the reader of the API of files that only some sites have."""
    values = {"has_parquet": templates.imprint.has_parquet}
    return Fragment(addresses.API, "formats", templates.fill("formats.html.j2", addresses.API, values))


def _catalogue(address: str, ledger: Ledger, templates: Templates) -> Markup:
    releases = [chapter.release for chapter in ledger.chapters]
    return Shelf(address, templates, releases).catalogue(ledger.benchmarks)


def rules_fragments(rules: Mapping[str, Sequence[Rule]], templates: Templates) -> Iterator[Fragment]:
    """Show every rule that is checked.

    Args:
        rules: By the place on the submit page that they are told in.
        templates: Where the template stands.
    """
    for slot, told in rules.items():
        values = {"rules": told, "are_waivable": slot == "rules-of-results"}
        text = templates.fill("rules.html.j2", addresses.SUBMIT, values)
        yield Fragment(addresses.SUBMIT, slot, text)


def changelog_fragment(benchmarks: Sequence[Sequence[Board]], templates: Templates) -> Fragment:
    """Show what entered and left the boards, newest first."""
    by_day: dict[str, list[Event]] = defaultdict(list)
    for board in _all(benchmarks):
        for entry in board.all_entries:
            for day, event in _events(board, entry):
                by_day[day].append(event)
    days = [Day(day, by_day[day]) for day in sorted(by_day, reverse=True)]
    text = templates.fill("changelog.html.j2", addresses.CHANGELOG, {"days": days})
    return Fragment(addresses.CHANGELOG, "days", text)


def _all(benchmarks: Sequence[Sequence[Board]]) -> Iterator[Board]:
    for boards in benchmarks:
        yield from boards


def _card(boards: Sequence[Board]) -> Card:
    benchmark = boards[0].benchmark
    shown = [_top(board) for board in boards if board.entries and board.track.status == "current"]
    address = addresses.benchmark_address(benchmark.id)
    return Card(benchmark.title, address, benchmark.summary, benchmark.simulated, shown)


def _top(board: Board) -> TopBoard:
    names = labels.names_of(board.entries)
    first = [entry for entry in board.entries if entry.id in board.ranks][:_TOP]
    rows = [
        TopRow(
            place_text(board, entry),
            names[entry.id],
            addresses.entry_address(board.benchmark.id, board.track.id, entry.id),
            score_text(entry.scores[board.headline.id]),
        )
        for entry in first
    ]
    link, headline = board_link(board), labels.title_of(board.headline, board.track, board.benchmark)
    more = len(board.entries) - len(rows)
    return TopBoard(board.track.title, link.address, facts(board), headline, rows, more)


def board_link(board: Board) -> Crumb:
    """Name a board, with the way to it."""
    title = f"{board.benchmark.title}, {board.track.title}"
    return Crumb(title, addresses.board_address(board.benchmark.id, board.track.id))


def _data_view(boards: Sequence[Board], names: Sequence[str], imprint: Imprint) -> DataView:
    benchmark = boards[0].benchmark
    folders: dict[str, list[Crumb]] = defaultdict(list)
    for name in names:
        folder, _, file = name.rpartition("/")
        folders[folder or "Definition and findings"].append(Crumb(file, addresses.raw_address(benchmark.id, name)))
    rows = [FileRow(folder.removeprefix("submissions/"), files) for folder, files in folders.items()]
    scores = [_scores_row(board, imprint) for board in boards]
    return DataView(benchmark.title, benchmark.simulated, [*scores, *rows])


def _scores_row(board: Board, imprint: Imprint) -> FileRow:
    files = imprint.scores_files(board.benchmark.id, board.track.id)
    return FileRow(f"Scores of {board.track.title}", [Crumb(file.kind.title, file.address) for file in files])


def _events(board: Board, entry: Entry) -> Iterator[tuple[str, Event]]:
    link = board_link(board)
    address = addresses.entry_address(board.benchmark.id, board.track.id, entry.id)
    retired = not entry.is_ranked
    verb = "is reported on" if entry.table else "entered"
    yield str(entry.date), Event(entry.agent.name, address, verb, link.title, link.address, retired)
    if retired and entry.status.date:
        reason = f" ({entry.status.reason})" if entry.status.reason else ""
        words = f"was {entry.status.state}{reason} on"
        yield str(entry.status.date), Event(entry.agent.name, address, words, link.title, link.address, retired)
