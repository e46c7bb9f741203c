"""The pages of a benchmark and of its boards."""

from collections.abc import Iterator, Mapping

from sitegen.board.answers.order import board_answer
from sitegen.board.answers.work import tasks_answer
from sitegen.board.board import Board
from sitegen.board.sureness import Sureness
from sitegen.models.site import Site
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import Link
from sitegen.pages.charts import analysis_views, board_chart_views
from sitegen.pages.descriptions import Datasets, computing_of, scores_files
from sitegen.pages.diagnostics import diagnostics_address, section_of
from sitegen.pages.environment import Templates
from sitegen.pages.findings import finding_views
from sitegen.pages.heat import COUNTS, PARTS, SHARES
from sitegen.pages.kinds.row import replacement_of
from sitegen.pages.notices import source_notes, sureness
from sitegen.pages.records import BenchmarkBoards, BoardRecords
from sitegen.pages.sharing import citation_of
from sitegen.pages.site import View, page_kind
from sitegen.pages.standings import standings_of
from sitegen.pages.tallies import strip_of
from sitegen.pages.timeline import board_timeline
from sitegen.problems import counted, errors_of, listed


@page_kind(BenchmarkBoards, "benchmark.html.j2", "Benchmark", is_landing=True)
def benchmark_page(about: BenchmarkBoards, templates: Templates) -> Iterator[View]:
    """Show a benchmark: its headline board, and the way to every track."""
    boards, benchmark = about.boards, about.boards[0].benchmark
    diagnosed = (
        section_of(each, each.track.title, each.diagnosis.of_track, each.track.id)
        for each in boards
    )
    address = addresses.benchmark_address(benchmark.id)
    values = {
        "title": benchmark.title,
        "standings": standings_of(about.headline),
        "line": line_of(about.headline, templates.site, len(finding_views(about.headline))),
        "boards": boards,
        "withdrawn": any(board.track.status == "withdrawn" for board in boards),
        "errors": errors_of(boards[0].results.problems),
        "dataset": Datasets(address, templates.site, about.releases).benchmark(boards),
        "diagnosed": list(filter(None, diagnosed)),
    }
    yield View(address, benchmark.title, board_answer(about.headline), values)


@page_kind(BoardRecords, "board.html.j2", "Board", is_landing=True)
def board_page(records: BoardRecords, templates: Templates) -> Iterator[View]:
    """Show a board, with the way to what it was in the releases that have it."""
    board, where, releases, site = records.board, records.where, records.releases, templates.site
    title = f"{board.benchmark.title}: {board.track.title}"
    findings, strip = finding_views(board), strip_of(records)
    values: Mapping[str, object] = {
        "title": board.track.title,
        "crumbs": records.crumbs[:-1],
        "standings": standings_of(board),
        "line": line_of(board, site, len(findings)),
        "strip": strip,
        "finished": tasks_answer(board) if strip else None,
        "samples": SHARES
        if not strip or strip.size > 1
        else PARTS
        if board.tasks.is_of_one_round
        else COUNTS,
        "charts": board_chart_views(board),
        "analyses": [
            Link(view.chart.title, f"{where.analysis}#{view.anchor}")
            for view in analysis_views(board)
        ][:2],
        "releases": [each for each in reversed(releases) if each.board(*where)],
        "timeline": board_timeline(board),
        "dataset": Datasets(where.board, site, releases).board(board),
        "citation": citation_of(board, None, releases, site.address),
        "computing": computing_of(board, site),
        "sources": source_notes(board),
        "findings": findings,
        "retired": [(entry, replacement_of(board, entry)) for entry in board.retired],
        "errors": errors_of(board.results.problems),
    }
    yield View(where.board, title, board_answer(board), values)


def line_of(board: Board, site: Site, findings: int) -> Mapping[str, object]:
    """Say in one line above a table what it is over and where it leads, and below it what its order rests on."""
    where, track = addresses.of(board), board.track
    facts = (
        [Link(f"{track.status} track", f"{where.board}#about")] if track.status != "current" else []
    )
    facts.append(Link(counted(len(board.entries), "agent"), ""))
    facts += [Link(text, "") for text in labels.extent(board)]
    facts += [Link(counted(track.attempts, "attempt"), "")] if track.attempts > 1 else []
    told = {entry.agent.reasoning for entry in board.entries}
    facts += [
        Link(f"reasoning {part}" if part in told else part, "")
        for part in labels.shared_setup(board)
    ]
    evidence = {entry.evidence for entry in board.entries}
    if len(evidence) == 1:
        facts.append(Link(labels.EVIDENCE[evidence.pop()][1], f"{addresses.METHODS}#evidence"))
    facts += [Link(str(max(entry.date for entry in board.entries)), "")] if board.entries else []
    facts += (
        [Link(counted(findings, "finding"), f"{where.board}#{addresses.FINDINGS}")]
        if findings
        else []
    )
    here = {entry.agent.name for entry in board.all_entries if entry.bundle}
    registered = (each for each in board.results.registrations if each.track == track.id)
    astray = dict.fromkeys(
        name for each in registered if (name := board.benchmark.agent_name(each.agent)) not in here
    )
    facts += [Link(f"registered, and not here: {listed(astray, 5)}", "")] if astray else []
    has_tasks = any(entry.bundle for entry in board.all_entries)
    ways = [Link("Tasks", where.tasks)] if has_tasks else []
    ways += [Link("Compare", where.pair(*list(board.ranks)[:2]))] if len(board.ranks) > 1 else []
    ways += [Link(kind.title, address) for kind, address in scores_files(board, site)]
    ways += [Link("Cite", f"{where.board}#cite")] if board.all_entries else []
    how = diagnostics_address(board)
    more = [Link("How sure", where.certainty)] if Sureness(board).is_told else []
    more += [Link(f"How the {labels.rounds_word(board.benchmark, 2)} went", how)] if how else []
    more.append(Link("How scores are made", addresses.METHODS))
    return {"facts": facts, "ways": ways, "sureness": sureness(board), "more": more}
