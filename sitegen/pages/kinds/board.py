"""The pages of a benchmark and of its boards."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sitegen.board import Board, Entry
from sitegen.board.answers.answer import Answer
from sitegen.board.answers.ranking_headlines import board_answer
from sitegen.board.answers.task_kinds import task_kind_sentences
from sitegen.board.answers.work import tasks_answer
from sitegen.board.findings import finding_subjects
from sitegen.board.inference.robustness import Robustness
from sitegen.models.site import Name, Site
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import Link
from sitegen.pages.charts import analysis_views, board_chart_views
from sitegen.pages.descriptions import Datasets, scores_links, table_values
from sitegen.pages.diagnostics import diagnostics_address, section_of
from sitegen.pages.environment import Templates, TemplateValues
from sitegen.pages.findings import finding_views
from sitegen.pages.heat import COUNTS, PARTS, SHARES
from sitegen.pages.notices import order_basis, rerun_notice, source_notes, unknown_notice
from sitegen.pages.rankings import BoardRanking, ranking_of
from sitegen.pages.records import BenchmarkBoards, BoardRecords
from sitegen.pages.row_parts import MAX_ROWS
from sitegen.pages.selection import boards_of_status, has_submissions, latest_date, releases_with
from sitegen.pages.sharing import citation_of
from sitegen.pages.site import View, page_kind
from sitegen.pages.standings import standings_of
from sitegen.pages.succession import replacement_of
from sitegen.pages.task_strip import TaskStrip, strip_of
from sitegen.pages.timeline import board_timeline
from sitegen.problems import counted, errors_of, listed

_MAX_ANALYSES = 2
"""Maximum number of analyses that a board's page links to."""
_MAX_CARD_ROWS = 6
"""Maximum number of rows on a track's card on the page of its benchmark."""


def benchmark_names(about: BenchmarkBoards) -> Iterator[Name]:
    """Yield a benchmark's entries for the search: itself, and the metrics of its boards."""
    benchmark = about.lead_board.benchmark
    address = addresses.benchmark_address(benchmark.id)
    yield Name("Benchmark", benchmark.title, "", address)
    for board in about.boards:
        for metric in (board.headline, *board.columns):
            anchor = labels.method_anchor(metric, benchmark)
            title = metric.title_on(board.track, benchmark)
            yield Name("Metric", title, "", f"{addresses.FORMULAS}#{anchor}")


@page_kind(
    BenchmarkBoards, "benchmark.html.j2", "Benchmark", is_landing=True, names=benchmark_names
)
def benchmark_page(about: BenchmarkBoards, templates: Templates) -> Iterator[View]:
    """Show a benchmark: its headline board, and links to every track."""
    boards = about.boards
    lead_board = about.lead_board
    benchmark = lead_board.benchmark
    diagnostics = []
    for board in boards:
        track = board.track
        section = section_of(board, track.title, board.diagnosis.of_track, track.id)
        if section:
            diagnostics.append(section)
    address = addresses.benchmark_address(benchmark.id)
    values = {
        "title": benchmark.title,
        "standings": standings_of(lead_board),
        "line": board_line(lead_board, templates.site),
        "cards": _track_cards(boards, lead_board),
        "withdrawn": bool(boards_of_status(boards, "withdrawn")),
        "errors": errors_of(boards[0].results.problems),
        "dataset": Datasets(address, templates.site, about.releases).benchmark(boards),
        "diagnosed": diagnostics,
    }
    yield View(address, benchmark.title, board_answer(lead_board), values)


class TrackCard(NamedTuple):
    """A track on the page of its benchmark."""

    board: Board
    answer: Answer | None
    ranking: BoardRanking
    """The first rows of the track's board."""


def _track_cards(boards: Sequence[Board], lead_board: Board) -> list[TrackCard]:
    """Return a card for each track of a benchmark; the card of the headline board comes first."""
    ordered = [lead_board, *(board for board in boards if board is not lead_board)]
    cards = []
    for board in ordered:
        cards.append(TrackCard(board, board_answer(board), ranking_of(board, _MAX_CARD_ROWS)))
    return cards


@page_kind(BoardRecords, "board.html.j2", "Board", is_landing=True)
def board_page(records: BoardRecords, templates: Templates) -> Iterator[View]:
    """Show a board, with links to its state in the releases that have it."""
    board = records.board
    site = templates.site
    answer = board_answer(board)
    values: TemplateValues = {
        "title": board.track.title if answer else board.title,
        "crumbs": records.crumbs[:-1],
        "standings": standings_of(board),
        "line": board_line(board, site),
        "findings": finding_views(board),
        "sources": source_notes(board),
        "retired": [(entry, replacement_of(board, entry)) for entry in board.retired],
        "unranked_rows": list(_unranked_rows(board)),
        "errors": errors_of(board.results.problems),
        **_chart_values(records),
        **_reuse_values(records, site),
    }
    title = f"{board.benchmark.title}: {board.track.title}"
    yield View(records.addresses.board, title, answer, values)


@page_kind(BoardRecords, "board_rows.html.j2", "Board")
def board_rows_pages(records: BoardRecords, templates: Templates) -> Iterator[View]:
    """Show the rows of a long board for which its own page has no room."""
    board = records.board
    if len(board.all_entries) <= MAX_ROWS:
        return
    standings = standings_of(board)
    line = board_line(board, templates.site)
    for part in standings.parts[1:]:
        title = f"{board.track.title}, rows {part.span}"
        values = {
            "title": title,
            "standings": standings,
            "part": part,
            "line": line,
        }
        page_title = f"{board.benchmark.title}: {title}"
        address = records.addresses.rows(part.number)
        yield View(address, page_title, board_answer(board), values)


def _unranked_rows(board: Board) -> Iterator[tuple[str, str, list[Entry]]]:
    """Yield heading, sentence and rows for baselines, then for rows submitted too late."""
    baselines = [entry for entry in board.apart if entry.apart == "baseline"]
    late = [entry for entry in board.apart if entry.apart == "late"]
    if baselines:
        yield "Baselines", "References to compare with; they are not ranked.", baselines
    if late:
        about = f"Submitted after {board.track.deadline}, the deadline; they are not ranked."
        yield "After the deadline", about, late


def _chart_values(records: BoardRecords) -> TemplateValues:
    """Return the charts of a board's page, with links to the analyses."""
    board = records.board
    strip = strip_of(records)
    return {
        "strip": strip,
        "finished": tasks_answer(board) if strip else None,
        "kinds": list(task_kind_sentences(board)) if strip else [],
        "samples": _legend_samples(board, strip),
        "charts": board_chart_views(board),
        "analyses": _analysis_links(records),
        "timeline": board_timeline(board),
    }


def _reuse_values(records: BoardRecords, site: Site) -> TemplateValues:
    """Return the values for describing, citing and computing with a board, and its releases."""
    board = records.board
    releases = records.releases
    return {
        "releases": releases_with(board, reversed(releases)),
        "dataset": Datasets(records.addresses.board, site, releases).board(board),
        "citation": citation_of(board, None, releases, site.address),
        "computing": table_values(board, site),
    }


def _legend_samples(board: Board, strip: TaskStrip | None) -> Sequence[tuple[str, str]]:
    """Return the sample cells for the legend of the tasks strip."""
    if not strip or strip.size > 1:
        return SHARES
    return PARTS if board.tasks.is_of_one_round else COUNTS


def _analysis_links(records: BoardRecords) -> list[Link]:
    """Return links to the first analyses of a board."""
    links = []
    for view in analysis_views(records.board)[:_MAX_ANALYSES]:
        address = f"{records.addresses.analysis}#{view.anchor}"
        links.append(Link(view.chart.title, address))
    return links


class BoardLine(NamedTuple):
    """The lines above and below the table of a board."""

    facts: Sequence[Link]
    """The facts about the board; the address of a fact without a link is empty."""
    links: Sequence[Link]
    """Links to the board's tasks, comparison, files and citation."""
    order_basis: str
    """A few sentences on the basis of the board's order."""
    reruns: str
    """A sentence on the number of submissions with rounds that were run again; may be empty."""
    unknown: str
    """A sentence on facts, such as cost, that are not known for any agent; may be empty."""
    further_reading: Sequence[Link]


def board_line(board: Board, site: Site) -> BoardLine:
    """Return the facts and links above a board's table, and the sentences and links below it."""
    return BoardLine(
        facts=_board_facts(board),
        links=_board_links(board, site),
        order_basis=order_basis(board),
        reruns=rerun_notice(board),
        unknown=unknown_notice(board),
        further_reading=_further_reading(board),
    )


def _board_facts(board: Board) -> list[Link]:
    """Return the facts about a board; the address of a fact without a link is empty."""
    board_address = addresses.of(board).board
    track = board.track
    facts = []
    if track.status != "current":
        facts.append(Link(f"{track.status} track", f"{board_address}#about"))
    title = counted(len(board.entries), "agent")
    facts.append(Link(title, ""))
    facts += [Link(size, "") for size in labels.extent(board)]
    if track.attempts > 1 or board.submissions:
        facts.append(Link(f"{counted(track.attempts, 'attempt')} per task", ""))
    facts += _setup_facts(board)
    evidence = {entry.evidence for entry in board.entries}
    if len(evidence) == 1:
        _, evidence_name, _ = labels.EVIDENCE[evidence.pop()]
        address = f"{addresses.METHODS}#evidence"
        facts.append(Link(evidence_name, address))
    latest = latest_date(board.entries)
    if latest:
        facts.append(Link(str(latest), ""))
    if track.deadline:
        facts.append(Link(f"deadline {track.deadline}", ""))
    if board.apart:
        facts.append(
            Link(f"{len(board.apart)} listed apart", f"{board_address}#{board.apart[0].id}")
        )
    finding_count = len(finding_subjects(board.findings.all))
    if finding_count:
        findings_address = f"{board_address}#{addresses.FINDINGS}"
        facts.append(Link(counted(finding_count, "finding"), findings_address))
    missing_agents = _missing_registered_agents(board)
    if missing_agents:
        facts.append(Link(f"registered but not submitted: {listed(missing_agents, 5)}", ""))
    return facts


def _setup_facts(board: Board) -> list[Link]:
    """Return the scaffold and the reasoning setting that all rows share."""
    reasoning_settings = {entry.agent.reasoning for entry in board.entries}
    facts = []
    for setting in labels.shared_setup(board):
        text = f"reasoning {setting}" if setting in reasoning_settings else setting
        facts.append(Link(text, ""))
    return facts


def _missing_registered_agents(board: Board) -> Sequence[str]:
    """Return the agents that were registered for a track but have no submission on it."""
    submitted = {entry.agent.name for entry in board.all_entries if entry.bundle}
    missing: dict[str, None] = {}
    for registration in board.results.registrations:
        if registration.track == board.track.id:
            name = board.benchmark.agent_name(registration.agent)
            if name not in submitted:
                missing[name] = None
    return list(missing)


def _board_links(board: Board, site: Site) -> list[Link]:
    """Return links to the tasks, the comparison, the files and the citation of a board."""
    board_addresses = addresses.of(board)
    links = []
    if has_submissions(board):
        links.append(Link("Tasks", board_addresses.tasks))
    if len(board.ranks) > 1:
        first, second, *_ = board.ranks
        address = board_addresses.pair(first, second)
        links.append(Link("Compare", address))
    links += scores_links(board, site)
    if board.all_entries:
        links.append(Link("Cite", f"{board_addresses.board}#cite"))
    return links


def _further_reading(board: Board) -> list[Link]:
    """Return links to the board's certainty, its diagnostics, and the methods."""
    links = []
    if board.cached_by(Robustness).is_available:
        links.append(Link("Certainty", addresses.of(board).certainty))
    diagnostics = diagnostics_address(board)
    if diagnostics:
        title = f"How the {labels.rounds_word(board.benchmark, 2)} went"
        links.append(Link(title, diagnostics))
    links.append(Link("How scores are computed", addresses.METHODS))
    return links
