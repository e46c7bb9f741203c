"""Every page of a site: the registered kinds of pages, and groups of the pages of a subject."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from itertools import chain
from typing import Any, Generic, NamedTuple, TypeVar

from sitegen.board import Board
from sitegen.board.answers.answer import Answer
from sitegen.board.history.ledger import Ledger
from sitegen.models.release import Release
from sitegen.models.site import Name, Page
from sitegen.pages import addresses, kinds
from sitegen.pages.environment import Fragment, Templates, TemplateValues
from sitegen.pages.records import (
    BenchmarkBoards,
    BoardRecords,
    BoardRow,
    BoardSnapshot,
    TaskCases,
    TaskRun,
)
from sitegen.pages.texts import join_texts
from sitegen.problems import Problem

Subject = BenchmarkBoards | BoardRecords | BoardRow | TaskRun | BoardSnapshot | TaskCases
"""The subjects of pages.

Each class has a property `shared`, the template values of all pages about it, and a property
`card`, the text and picture that other sites show for a link to such a page.
"""

S = TypeVar("S", bound=Subject)


class PageGroup(NamedTuple):
    """The pages about one subject, which are rendered on demand.

    Attributes:
        name: A name that is unique within the benchmark.
        cache_key: The cache key of the pages; None if they may need anything in the benchmark's
            folder.
        pages: Renders the pages.
    """

    name: str
    cache_key: str | None
    pages: Callable[[], Iterable[Page]]


PageJob = Callable[[], Iterable[PageGroup]]
"""Page groups that share computed values, so that one process renders them one after another."""


class View(NamedTuple):
    """A page before its template is filled.

    Attributes:
        address: Address below the site's root, ending in `/`.
        title: Title, as browsers and the search show it.
        answer: The first sentence of the page; None if its data supports none.
        values: Template values in addition to those that all pages about the subject share.
        hosts: Origins that the page's scripts may contact at a reader's request.
    """

    address: str
    title: str
    answer: Answer | None
    values: TemplateValues
    hosts: tuple[str, ...] = ()


Views = Callable[[S, Templates], Iterable[View]]
"""Returns the views of the pages of one kind about a subject."""

Names = Callable[[S], Iterable[Name]]
"""Returns the search entries of the pages of one kind about a subject."""


@dataclass(frozen=True)  # no slots: each has the docstring of its function
class PageKind(Generic[S]):
    """A kind of page: its template, and the function that returns its views of a subject."""

    template: str
    called: str
    """The name of such a page in the search."""
    views: Views[S]
    is_landing: bool
    """Whether readers arrive at it from other sites, and have no file of the site yet."""
    names: Names[S] | None = None
    """Returns the search entries of such a page; None if the page itself is the entry."""

    def __post_init__(self) -> None:
        """Keep the docstring of the function that the kind replaces."""
        object.__setattr__(self, "__doc__", self.views.__doc__)

    def pages(self, subject: S, templates: Templates) -> Iterator[Page]:
        """Yield the pages of this kind about a subject; none if there is nothing to show."""
        card = subject.card
        for view in self.views(subject, templates):
            values = {"answer": view.answer, **subject.shared, **view.values}
            content = templates.fill(self.template, view.address, values)
            description = f"{view.title}: {view.answer}" if view.answer else f"{view.title}."
            yield Page(
                address=view.address,
                title=view.title,
                description=description,
                content=content,
                hosts=view.hosts,
                is_landing=self.is_landing,
                card=card.address,
                pictured=card.words,
                names=list(self._names(subject, view)),
            )

    def _names(self, subject: S, view: View) -> Iterator[Name]:
        """Yield the search entries of a page: its kind's entries, or else the page itself."""
        if self.names:
            yield from self.names(subject)
            return
        match subject:
            case TaskCases():
                return  # the page of the task has the names of all rounds
            case BoardRow(entry=entry):
                agent = entry.agent
                about = join_texts(
                    agent.organization, agent.scaffold, agent.reasoning, separator=", "
                )
                yield Name(self.called, view.title, about, view.address)
            case _:
                yield Name(self.called, view.title, "", view.address)


_KINDS: dict[type[Any], list[PageKind[Any]]] = defaultdict(list)


def page_kind(
    about: type[S],
    template: str,
    called: str = "Page",
    *,
    is_landing: bool = False,
    names: Names[S] | None = None,
) -> Callable[[Views[S]], PageKind[S]]:
    """Register a function that returns views as a kind of page.

    Args:
        about: The class of the subjects that such pages are about.
        template: The name of the template.
        called: The name of such a page in the search.
        is_landing: Whether readers arrive at it from elsewhere, and have no file of the site yet.
        names: Returns the search entries of such a page; None if the page itself is the entry.
    """

    def register(views: Views[S]) -> PageKind[S]:
        kind = PageKind(template, called, views, is_landing, names)
        _KINDS[about].append(kind)
        return kind

    return register


@dataclass(frozen=True, slots=True)
class SiteContent:
    """The content of a site: the subject of the generated parts of authored pages.

    Attributes:
        ledger: The releases and boards, by benchmark.
        raw: Names of the raw files that the site carries, by benchmark.
        problems: The problems found in the results.
    """

    ledger: Ledger
    raw: Mapping[str, Sequence[str]]
    problems: Sequence[Problem]

    @property
    def boards(self) -> list[Board]:
        """Every board."""
        return list(chain.from_iterable(self.ledger.benchmarks))


def title_fragment(
    address: str, name: str, answer: Answer | None, templates: Templates
) -> Iterator[Fragment]:
    """Yield the title of an authored page with its first sentence; nothing without an answer."""
    if answer:
        text = templates.fill("headline.html.j2", address, {"name": name, "answer": answer})
        yield Fragment(address, "title", text)


FragmentMaker = Callable[[SiteContent, Templates], Iterable[Fragment]]
_FRAGMENT_MAKERS: list[FragmentMaker] = []


def authored_parts(make_fragments: FragmentMaker) -> FragmentMaker:
    """Register a function that returns generated parts of authored pages."""
    _FRAGMENT_MAKERS.append(make_fragments)
    return make_fragments


@cache
def _register_all() -> None:
    """Import every module of page kinds in order, so that they register themselves."""
    for name in kinds.MODULES:
        import_module(f"{kinds.__name__}.{name}")


def generated_fragments(site_content: SiteContent, templates: Templates) -> Iterator[Fragment]:
    """Yield the generated parts of the authored pages."""
    _register_all()
    for make_fragments in _FRAGMENT_MAKERS:
        yield from make_fragments(site_content, templates)


def page_jobs(
    boards: Sequence[Board], templates: Templates, releases: Sequence[Release] = ()
) -> Iterator[PageJob]:
    """Yield every generated page of one benchmark, in jobs that can be rendered in parallel.

    Pages with charts come last, when their charts have been drawn.
    """
    _register_all()
    all_records = [BoardRecords(board, releases) for board in boards]
    for records in all_records:
        for task_cases in records.all_task_cases:
            # All pages about a task share its failed cases, which are the bulk of the data.
            yield partial(_page_groups, [task_cases, *task_cases.runs], templates)
    yield partial(_page_groups, [BenchmarkBoards(boards, releases)], templates)
    for release in releases:
        yield partial(_page_groups, _snapshots(boards, release), templates)
    for records in all_records:
        for kind in _KINDS[BoardRecords]:
            yield partial(_page_groups, [records], templates, [kind])
        for entry in records.board.all_entries:
            yield partial(_page_groups, [BoardRow(records, entry)], templates)


def _snapshots(boards: Sequence[Board], release: Release) -> list[BoardSnapshot]:
    """Return the boards of a release, as they were then."""
    snapshots = []
    for board in boards:
        locked = release.board(board.benchmark.id, board.track.id)
        if locked:
            snapshots.append(BoardSnapshot(board, locked, release))
    return snapshots


def _page_groups(
    subjects: Iterable[Subject], templates: Templates, page_kinds: Sequence[PageKind[Any]] = ()
) -> Iterator[PageGroup]:
    """Yield the pages of each subject, of some kinds or of all kinds."""
    for subject in subjects:
        subject_kinds = page_kinds or _KINDS[type(subject)]
        name = f"{type(subject).__name__} {_subject_address(subject)}"
        if page_kinds:
            templates_of_kinds = " ".join(kind.template for kind in page_kinds)
            name = f"{name} {templates_of_kinds}"
        render = partial(_render, subject, subject_kinds, templates)
        yield PageGroup(name, _cache_key(subject), render)


def _render(
    subject: Subject, page_kinds: Sequence[PageKind[Any]], templates: Templates
) -> Iterator[Page]:
    """Yield the pages of some kinds about a subject."""
    for kind in page_kinds:
        yield from kind.pages(subject, templates)


def _subject_address(subject: Subject) -> str:
    """Return the address of the first page about a subject."""
    match subject:
        case TaskRun():
            return subject.address
        case TaskCases(records=records, task=task):
            return records.addresses.task(task.id)
        case BoardRow(records=records, entry=entry):
            return records.addresses.entry(entry.id)
        case BoardSnapshot(board=board, release=release):
            return addresses.of(board).snapshot(release.date)
        case BenchmarkBoards(boards=boards):
            return addresses.benchmark_address(boards[0].benchmark.id)
        case BoardRecords(addresses=board_addresses):
            return board_addresses.board


def _cache_key(subject: Subject) -> str | None:
    """Return the cache key of the pages of a task or a run; other pages have none."""
    match subject:
        case TaskRun(task_cases=task_cases, entry=entry):
            return task_cases.records.cache_keys.of_run(entry, task_cases.task)
        case TaskCases(records=records, task=task):
            return records.cache_keys.of_task(task)
        case _:
            return None
