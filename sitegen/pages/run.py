"""The pages of one run: every round of a submission's work on a task, and every case known."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sitegen.board.entry import Entry
from sitegen.models.results import Bundle
from sitegen.models.task import TaskRound
from sitegen.pages import addresses, labels
from sitegen.pages.board import board_crumbs
from sitegen.pages.casebook import Casebook
from sitegen.pages.environment import Crumb, Page, Templates
from sitegen.pages.places import Part
from sitegen.pages.run_views import attempt_views, round_view
from sitegen.pages.subjects import run_report, run_round_report
from sitegen.problems import counted


@dataclass(frozen=True, slots=True)
class _Run:
    """What the pages of one run share."""

    book: Casebook
    entry: Entry
    templates: Templates

    @property
    def address(self) -> str:
        board = self.book.records.board
        return addresses.run_address(board.benchmark.id, board.track.id, self.entry.id, self.book.task.id)

    @property
    def title(self) -> str:
        return f"{self.entry.agent.name} on {self.book.task.name}"

    @property
    def crumbs(self) -> list[Crumb]:
        board = self.book.records.board
        entry = addresses.entry_address(board.benchmark.id, board.track.id, self.entry.id)
        return [*board_crumbs(board), Crumb(self.entry.agent.name, entry)]

    def page(self, address: str, title: str, template: str, values: Mapping[str, object]) -> Page:
        """Fill a template with what one page says, and what all pages of the run say."""
        board = self.book.records.board
        shared = {"benchmark": board.benchmark, "track": board.track, "entry": self.entry}
        content = self.templates.fill(template, address, {**shared, **values})
        return Page(address, title, f"{title}: {board.benchmark.title}, {board.track.title}.", content)


def run_pages(book: Casebook, entry: Entry, bundle: Bundle, templates: Templates) -> Iterator[Page]:
    """Show one submission's work on one task, and the cases of rounds that are too heavy for that page."""
    run = _Run(book, entry, templates)
    board = book.records.board
    about = Crumb(book.task.name, addresses.task_address(board.benchmark.id, board.track.id, book.task.id))
    values = {
        "title": run.title,
        "crumbs": run.crumbs,
        "lead": _lead(book, entry),
        "links": [Crumb(f"All submissions on {about.title}", about.address)],
        "attempts": list(attempt_views(book, entry, bundle)),
        "report": run_report(book, entry, _lead(book, entry)),
    }
    yield run.page(run.address, run.title, "run.html.j2", values)
    defined = {each.n: each for each in book.task.rounds}
    for (attempt, number), place in book.places[entry.id].rounds.items():
        for index in range(len(place.parts)):
            yield _part_page(run, attempt, defined[number], place.parts, index)


def _part_page(run: _Run, attempt: int, defined: TaskRound, parts: Sequence[Part], index: int) -> Page:
    """Show cases of a heavy round."""
    which = f", attempt {attempt}" if attempt > 1 else ""
    several = f", part {index + 1} of {len(parts)}" if len(parts) > 1 else ""
    title = f"{run.title}{which}, {labels.rounds_word(run.book.records.board.benchmark)} {defined.n}{several}"
    before = Crumb(f"Part {index}", parts[index - 1].address) if index else None
    after = Crumb(f"Part {index + 2}", parts[index + 1].address) if index + 1 < len(parts) else None
    values = {
        "title": title,
        "crumbs": [*run.crumbs, Crumb(run.title, run.address)],
        "previous": before,
        "next": after,
        "report": run_round_report(run.book, run.entry, attempt, defined.n, parts[index].address),
        "round": round_view(run.book, run.entry, attempt, defined, parts[index]),
    }
    return run.page(parts[index].address, title, "run_part.html.j2", values)


def _lead(book: Casebook, entry: Entry) -> str:
    """Say how many rounds passed, in each attempt."""
    runs = book.records.runs(entry, book.task.id)
    words = labels.rounds_word(book.records.board.benchmark)
    passed = [f"{sum(result.solved for result in run)} of {counted(len(run), words)} passed" for run in runs]
    if len(passed) > 1:
        passed = [f"attempt {attempt}: {text}" for attempt, text in enumerate(passed, start=1)]
    return "; ".join(passed).capitalize() if passed else "There is no record of this run."
