"""How sure a board is: what its order hangs on, what it can show, and how work holds from round to round."""

from collections.abc import Iterator, Sequence

from sitegen.board.answers.answer import number_text
from sitegen.board.answers.order import certainty_answer
from sitegen.board.score import GAP
from sitegen.board.sureness import Sureness
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import Link, entry_link
from sitegen.pages.charts import sureness_chart_views
from sitegen.pages.environment import Templates
from sitegen.pages.notices import grounds
from sitegen.pages.records import BoardRecords
from sitegen.pages.site import View, page_kind
from sitegen.problems import counted

Section = tuple[str, str, str, Sequence[str], Sequence[tuple[Link, Sequence[str]]]]
"""Something that a benchmark's scientist asks: its anchor, title, what the numbers say, heads of columns, and rows.

A row has what it is about, and its cells.
"""


@page_kind(BoardRecords, "certainty.html.j2")
def certainty_page(records: BoardRecords, _: Templates) -> Iterator[View]:
    """Show how sure a board is, where there are two rows with results for several tasks."""
    board, found = records.board, Sureness(records.board)
    if not found.is_told:
        return
    (low, middle, high), digits = found.smallest, board.headline.decimals
    ends = f"from {low:.{digits}f} to {high:.{digits}f}"
    spread = f": half of the pairs need more, half less, {ends}" if low < high else ""
    values = {
        "title": "How sure",
        "grounds": grounds(board),
        "smallest": f"With {counted(len(found.tasks), 'task')}, a difference in {labels.title_on(board)} of "
        f"{middle:.{digits}f} is shown in 80 % of all cases, a pair looked at alone{spread}.",
        "sections": [_tasks(found), *([_attempts(found)] if found.attempts else [])],
        "charts": sureness_chart_views(found),
    }
    title = f"{board.title}: how sure"
    yield View(records.where.certainty, title, certainty_answer(found), values)


def _tasks(found: Sureness) -> Section:
    """Tell what the order would be without each task."""
    where, digits = addresses.of(found.board), found.board.headline.decimals
    nobody, everybody = (sum(each.spread == kind for each in found.tasks) for kind in ("none", "all"))
    sentences = [f"Tasks at which no row has any score: {nobody}; at which every row has the whole: {everybody}."]
    items = [each.item_rest for each in found.tasks if each.item_rest is not None]
    if items:
        below = sum(item < 0 for item in items)
        sentences.append(
            "Item-rest correlation says whether rows that do well elsewhere do well here; "
            f"it is below 0 at {counted(below, 'task') if below else 'no task'}."
        )
    rows = []
    for each in found.tasks:
        cells = [
            str(each.without.moved),
            found.board.name_of(found.rows[each.without.row]) if each.without.by else GAP,
            number_text(each.without.by, digits, "+"),
            GAP if each.item_rest is None else number_text(each.item_rest, 2),
            {"none": "nobody", "all": "everybody", "": "some"}[each.spread],
        ]
        rows.append((Link(each.task.name, where.task(each.task.id)), cells))
    heads = ["Task", "Rows of another rank", "Agent whose score moves most", "By", "Item-rest correlation", "Scored by"]
    return "without", "Without one task", " ".join(sentences), heads, rows


def _attempts(found: Sureness) -> Section:
    """Tell what more attempts reach."""
    board = found.board
    asked, word = board.track.attempts, labels.rounds_word(board.benchmark, 2)
    counts = range(1, asked + 1)
    rows = []
    for each in found.attempts:
        some, every = zip(*each.shares, strict=True)
        run = GAP if each.run is None else f"{100 * each.run:.0f} %"
        rows.append((entry_link(board, each.entry), [*(f"{100 * share:.1f} %" for share in (*some, *every[1:])), run]))
    told = (
        f"Share of {word} that some of k attempts pass, and that each of k passes, over all ways to take k of {asked}; "
        "every task weighs the same. Run to run is the share of the variance of the mean over all attempts that "
        "another run of the same tasks would show; the rest is the choice of the tasks."
    )
    heads = ["Agent", *(f"some of {k}" for k in counts), *(f"each of {k}" for k in counts if k > 1), "Run to run"]
    return "attempts", "More attempts", told, heads, rows
