"""Every page of a site: what pages are about, the kinds of pages that register themselves, and their batches."""

import pkgutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from itertools import chain
from typing import Any, Generic, NamedTuple, TypeVar

from sitegen.board.answers.answer import Answer
from sitegen.board.board import Board
from sitegen.board.ledger import Ledger
from sitegen.models.release import Release
from sitegen.models.site import Name, Page
from sitegen.pages import addresses, kinds
from sitegen.pages.environment import Fragment, Templates
from sitegen.pages.records import BenchmarkBoards, BoardRecords, Row, Run, Snapshot, TaskCases
from sitegen.problems import Problem

Subject = BenchmarkBoards | BoardRecords | Row | Run | Snapshot | TaskCases

S = TypeVar("S", bound=Subject)


class Portion(NamedTuple):
    """The pages about one thing, which are made when they are asked for.

    Attributes:
        name: No other portion of the benchmark has it.
        needs: A digest of what they are made of; None where it may be anything that the benchmark's folder holds.
        pages: Makes them.
    """

    name: str
    needs: str | None
    pages: Callable[[], Iterable[Page]]


Batch = Callable[[], Iterable[Portion]]
"""Portions that share what is found out for them, and so are made one after another."""


class View(NamedTuple):
    """A page before its template is filled.

    Attributes:
        address: Below the site's root, ending in `/`.
        title: As browsers and the search show it.
        answer: What it says first; None where its data says nothing.
        values: What the template needs beside what all pages about the subject share.
        hosts: Origins that the page's scripts may ask once a reader wants it.
    """

    address: str
    title: str
    answer: Answer | None
    values: Mapping[str, object]
    hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageKind(Generic[S]):
    """A kind of page: its template, and what it says of a subject."""

    template: str
    called: str
    """What the search calls one."""
    views: Callable[[S, Templates], Iterable[View]]
    is_landing: bool

    def pages(self, subject: S, templates: Templates) -> Iterator[Page]:
        """Make the pages of this kind about a subject: one, several, or none where there is nothing to say."""
        for view in self.views(subject, templates):
            values = {"answer": view.answer, **subject.shared, **view.values}
            content = templates.fill(self.template, view.address, values)
            told = f"{view.title}: {view.answer}" if view.answer else f"{view.title}."
            about = (view.title, told, content, view.hosts, self.is_landing)
            yield Page(view.address, *about, *subject.card, list(self._names(subject, view)))

    def _names(self, subject: S, view: View) -> Iterator[Name]:
        """Say what the search finds on a page; the task's own page tells of all that is found in a task."""
        if isinstance(subject, TaskCases):
            yield from _names_in(subject) if self.template == "task.html.j2" else ()
            return
        about = ""
        if isinstance(subject, Row):
            agent = subject.entry.agent
            about = ", ".join(filter(None, (agent.organization, agent.scaffold, agent.reasoning)))
        yield Name(self.called, view.title, about, view.address)


def _names_in(cases: TaskCases) -> Iterator[Name]:
    """Name a task, its rounds, and on tracks that are current its requirements and cases, each where it comes first."""
    records, where, task = cases.records, cases.records.where, cases.task
    word, title = records.board.benchmark.round_word, records.board.title
    yield Name(
        "Task", task.name, f"{task.id}, {title}" if task.title else title, where.task(task.id)
    )
    for each in task.rounds:
        yield Name(
            "Round", f"{word} {each.n} of {task.name}", each.title, where.round(task.id, each.n)
        )
    rounds: dict[str, list[int]] = defaultdict(list)
    known = set()
    for number, places in (
        cases.row_places.items() if records.board.track.status == "current" else ()
    ):
        for key, place in places.items():
            if key.requirement:
                rounds[key.requirement].append(number)
            name = key.intent or key.case  # ids are given anew in every round
            if name not in known:
                known.add(name)
                about = ", ".join(filter(None, (key.intent, key.requirement)))
                yield Name(
                    "Case", f"{key.case} of {task.name}", about, cases.row_address(number, place)
                )
    for requirement, numbers in rounds.items():
        span = dict.fromkeys((f"{word} {numbers[0]}", f"{word} {numbers[-1]}"))
        yield Name(
            "Requirement", requirement, f"{task.name}, {' to '.join(span)}", where.task(task.id)
        )


_KINDS: dict[type[Any], list[PageKind[Any]]] = defaultdict(list)


def page_kind(
    about: type[S], template: str, called: str = "Page", *, is_landing: bool = False
) -> Callable[[Callable[[S, Templates], Iterable[View]]], PageKind[S]]:
    """Register a function that makes views as a kind of page about a sort of subjects, with its template's name.

    Readers arrive at a landing page from elsewhere, and have no file of the site yet.
    """

    def register(views: Callable[[S, Templates], Iterable[View]]) -> PageKind[S]:
        kind = PageKind(template, called, views, is_landing)
        _KINDS[about].append(kind)
        return kind

    return register


@dataclass(frozen=True, slots=True)
class Whole:
    """What the generated parts of authored pages are about: all that a site holds.

    Attributes:
        ledger: The books, with the boards by benchmark.
        raw: Names of the raw files that the site carries, by benchmark.
        problems: What is wrong with the results.
    """

    ledger: Ledger
    raw: Mapping[str, Sequence[str]]
    problems: Sequence[Problem]

    @property
    def boards(self) -> list[Board]:
        """Every board."""
        return [board for boards in self.ledger.benchmarks for board in boards]


def headline(
    address: str, name: str, answer: Answer | None, templates: Templates
) -> Iterator[Fragment]:
    """Put what an authored page says first in the place of its title; nothing where its data says nothing."""
    if answer:
        text = templates.fill("headline.html.j2", address, {"name": name, "answer": answer})
        yield Fragment(address, "title", text)


Parts = Callable[[Whole, Templates], Iterable[Fragment]]
_PARTS: list[Parts] = []


def authored_parts(parts: Parts) -> Parts:
    """Register a function that makes generated parts of authored pages."""
    _PARTS.append(parts)
    return parts


@cache
def _register_all() -> None:
    """Import every module of page kinds, so that those register themselves."""
    for module in pkgutil.iter_modules(kinds.__path__):
        import_module(f"{kinds.__name__}.{module.name}")


def fragments_of(whole: Whole, templates: Templates) -> Iterator[Fragment]:
    """Make the generated parts of the authored pages."""
    _register_all()
    for parts in _PARTS:
        yield from parts(whole, templates)


def batches_of(
    boards: Sequence[Board], templates: Templates, releases: Sequence[Release] = ()
) -> Iterator[Batch]:
    """Give every generated page of one benchmark, in batches that can be made side by side.

    Pages with charts come last, when those are drawn.
    """
    _register_all()
    records = [BoardRecords(board, releases) for board in boards]

    def about(*subjects: Subject) -> Batch:
        return partial(_portions, subjects, templates)

    for each in records:
        # All pages about a task are made together: they share its failed cases, which are the bulk of the data.
        yield from (about(cases, *cases.runs) for cases in each.task_cases)
    yield about(BenchmarkBoards(boards, releases))
    for release in releases:
        found = ((board, release.board(board.benchmark.id, board.track.id)) for board in boards)
        yield about(*(Snapshot(board, was, release) for board, was in found if was))
    for each in records:
        yield from (partial(_portions, [each], templates, [kind]) for kind in _KINDS[BoardRecords])
        yield from (about(Row(each, entry)) for entry in each.board.all_entries)


def _portions(
    subjects: Iterable[Subject], templates: Templates, kinds: Sequence[PageKind[Any]] = ()
) -> Iterator[Portion]:
    for subject in subjects:
        shown = kinds or _KINDS[type(subject)]
        address, needs = _made_of(subject)
        pages = (kind.pages(subject, templates) for kind in shown)
        yield Portion(f"{shown[0].template} {address}", needs, partial(chain.from_iterable, pages))


def _made_of(subject: Subject) -> tuple[str, str | None]:
    """Tell where something stands, and by a digest what its pages are made of, where that is known."""
    match subject:
        case Run(cases=cases, entry=entry):
            return subject.address, cases.records.needs.of_run(entry, cases.task)
        case TaskCases(records=records, task=task):
            return records.where.task(task.id), records.needs.of_task(task)
        case Row(records=records, entry=entry):
            return records.where.entry(entry.id), None
        case Snapshot(board=board, release=release):
            return addresses.of(board).snapshot(release.date), None
        case BenchmarkBoards(boards=boards):
            return addresses.benchmark_address(boards[0].benchmark.id), None
        case BoardRecords(where=where):
            return where.board, None
