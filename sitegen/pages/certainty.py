"""How sure a board is: what its order hangs on, what it can show, and how work holds from round to round."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.score import GAP
from sitegen.board.sureness import Attempts, Sureness, TaskFacts
from sitegen.pages import addresses, labels
from sitegen.pages.board import board_crumbs
from sitegen.pages.charts import sureness_chart_views
from sitegen.pages.environment import Crumb, Page, Templates
from sitegen.pages.notices import order
from sitegen.problems import counted


@dataclass(frozen=True, slots=True)
class Section:
    """Something that a benchmark's scientist asks: a sentence, and its numbers as a table.

    Attributes:
        id: Its anchor.
        title: What it is about.
        sentence: What the numbers say, and over what.
        heads: Heads of the columns.
        rows: Each with what it is about, linked where it has a page, and its cells.
    """

    id: str
    title: str
    sentence: str
    heads: Sequence[str]
    rows: Sequence[tuple[Crumb, Sequence[str]]]


def certainty_page(board: Board, templates: Templates) -> Page | None:
    """Show how sure a board is; None where there are no two rows with results for several tasks."""
    found = Sureness(board)
    if not found.is_told:
        return None
    benchmark, track = board.benchmark, board.track
    address = addresses.certainty_address(benchmark.id, track.id)
    sections = [_tasks(found), *_attempts(found)]
    values = {
        "title": "How sure",
        "crumbs": board_crumbs(board),
        "benchmark": benchmark,
        "track": track,
        "order": order(board),
        "smallest": _smallest(found),
        "sections": sections,
        "charts": sureness_chart_views(found),
    }
    title = f"{benchmark.title}, {track.title}: how sure"
    return Page(address, title, f"{title} its order is.", templates.fill("certainty.html.j2", address, values))


def _smallest(found: Sureness) -> str:
    board, (low, middle, high) = found.board, found.smallest
    digits, title = board.headline.decimals, labels.title_of(board.headline, board.track, board.benchmark)
    tasks = counted(len(found.tasks), "task")
    return (
        f"With {tasks}, a difference in {title} of {middle:.{digits}f} is shown in 80 % of all cases, a pair looked at "
        f"alone: half of the pairs need more, half less, from {low:.{digits}f} to {high:.{digits}f}."
    )


def _tasks(found: Sureness) -> Section:
    return Section(
        "without",
        "Without one task",
        _task_sentence(found),
        ["Task", "Rows of another rank", "Score that moves most", "By", "Item-rest correlation", "Scored by"],
        [_task_row(found, each) for each in found.tasks],
    )


def _task_sentence(found: Sureness) -> str:
    most = found.tasks[0].without.moved
    told = [
        f"Without {found.tasks[0].task.name}, {counted(most, 'row')} of {len(found.rows)} would have another rank by "
        "score, more than without any other task."
        if most
        else "No single task decides a rank by score.",
        _spread_words(found),
        *_against(found),
    ]
    return " ".join(filter(None, told))


def _spread_words(found: Sureness) -> str:
    nobody, everybody = (sum(each.spread == kind for each in found.tasks) for kind in ("none", "all"))
    return f"Tasks at which no row has any score: {nobody}; at which every row has the whole: {everybody}."


def _against(found: Sureness) -> Iterator[str]:
    known = [each for each in found.tasks if each.item_rest is not None]
    below = [each for each in known if (each.item_rest or 0) < 0]
    if known:
        yield (
            "Item-rest correlation says whether rows that do well elsewhere do well here; "
            f"{counted(len(below), 'task') if below else 'no task'} is below 0."
        )


def _task_row(found: Sureness, each: TaskFacts) -> tuple[Crumb, Sequence[str]]:
    board = found.board
    address = addresses.task_address(board.benchmark.id, board.track.id, each.task.id)
    row = found.rows[each.without.row].agent.name if each.without.by else GAP
    item = GAP if each.item_rest is None else f"{each.item_rest:.2f}"
    spread = {"none": "nobody", "all": "everybody", "": "some"}[each.spread]
    cells = [
        str(each.without.moved),
        row,
        f"{each.without.by:+.{board.headline.decimals}f}".replace("-", "−"),
        item,
        spread,
    ]
    return Crumb(each.task.name, address), cells


def _attempts(found: Sureness) -> Iterator[Section]:
    if not found.attempts:
        return
    board = found.board
    counts = range(1, board.track.attempts + 1)
    word = labels.rounds_word(board.benchmark, 2)
    heads = ["Agent", *(f"some of {k}" for k in counts), *(f"each of {k}" for k in counts if k > 1), "Run to run"]
    yield Section(
        "attempts",
        "More attempts",
        f"Share of {word} that some of k attempts pass, and that each of k passes, over all ways to take k of "
        f"{board.track.attempts}; every task weighs the same. Run to run is the share of the variance of the mean "
        "over all attempts that another run of the same tasks would show; the rest is the choice of the tasks.",
        heads,
        [(_about(board, each.entry), _attempt_cells(each)) for each in found.attempts],
    )


def _attempt_cells(each: Attempts) -> Sequence[str]:
    some, every = zip(*each.shares, strict=True)
    run = GAP if each.run is None else f"{100 * each.run:.0f} %"
    return [*(f"{100 * share:.1f} %" for share in (*some, *every[1:])), run]


def _about(board: Board, entry: Entry) -> Crumb:
    return Crumb(entry.agent.name, addresses.entry_address(board.benchmark.id, board.track.id, entry.id))
