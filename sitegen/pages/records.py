"""What pages are about: a benchmark, a board, a row, a task, a run or a board of old, each with its records at hand."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.outcomes_file import dense_rows, is_bare, is_crowded
from sitegen.board.releases import Past, row_history
from sitegen.board.usual import UsualTotals, usual_totals
from sitegen.models.benchmark import Benchmark
from sitegen.models.outcome import RoundResult, RunFigures, Start
from sitegen.models.release import LockedBoard, Release
from sitegen.models.results import Bundle
from sitegen.models.site import SITE_CARD, SocialCard
from sitegen.models.task import Task
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import BoardAddresses, Link, entry_link
from sitegen.pages.cases import AttemptCases, CaseKey
from sitegen.pages.heat import Cell, round_look
from sitegen.pages.needs import Needs
from sitegen.pages.pagination import RowPlace, RunPlaces, row_places
from sitegen.pages.sharing import BoardCards
from sitegen.pages.suites import Row as CaseRow
from sitegen.pages.suites import Suite, Turn, turns
from sitegen.problems import grouped

_Attempts = Sequence[tuple[int, Mapping[int, RoundResult]]]
"""Attempts at a task: the number of each, and its records by round."""


def _way_to(benchmark: Benchmark) -> list[Link]:
    """The way down to a benchmark: the home page, and where it shows the benchmark's group."""
    group = (
        [Link(benchmark.group, f"{addresses.HOME}#{benchmark.group_anchor}")]
        if benchmark.group
        else []
    )
    return [Link("Boards", addresses.HOME), *group]


@dataclass(frozen=True, slots=True)
class BenchmarkBoards:
    """A benchmark with its boards, at least one, and the releases, the oldest first."""

    boards: Sequence[Board]
    releases: Sequence[Release] = ()

    @property
    def headline(self) -> Board:
        """The board that is shown first: a current track's, with rows where one has any."""
        current = [board for board in self.boards if board.track.status == "current"] or list(
            self.boards
        )
        return next((board for board in current if board.entries), current[0])

    @property
    def crumbs(self) -> list[Link]:
        """The way down to it."""
        return _way_to(self.boards[0].benchmark)

    @property
    def shared(self) -> Mapping[str, object]:
        """What templates of all pages about it need."""
        return {"benchmark": self.boards[0].benchmark, "crumbs": self.crumbs}

    @property
    def card(self) -> SocialCard:
        """What other sites show where somebody links to it."""
        return BoardCards(self.headline).card()


@dataclass(frozen=True)  # no slots: what is found out once stays
class BoardRecords:
    """A board's records, by submission, task, round and start, in the order of attempts."""

    board: Board
    releases: Sequence[Release] = ()
    """The oldest first."""

    @property
    def where(self) -> BoardAddresses:
        """Where everything about the board stands."""
        return addresses.of(self.board)

    @property
    def crumbs(self) -> list[Link]:
        """The way down to the board."""
        benchmark = self.board.benchmark
        about = Link(benchmark.title, addresses.benchmark_address(benchmark.id))
        return [*_way_to(benchmark), about, Link(self.board.track.title, self.where.board)]

    @property
    def shared(self) -> Mapping[str, object]:
        """What templates of all pages about it need."""
        board = self.board
        values = {"board": board, "benchmark": board.benchmark, "track": board.track}
        return {**values, "where": self.where, "crumbs": self.crumbs}

    @property
    def card(self) -> SocialCard:
        """What other sites show where somebody links to it."""
        return self.cards[""]

    @cached_property
    def cards(self) -> Mapping[str, SocialCard]:
        """The cards of its rows by their ids, and its own."""
        cards = BoardCards(self.board)
        return {
            "": cards.card(),
            **{entry.id: cards.card(entry) for entry in self.board.all_entries},
        }

    @property
    def task_cases(self) -> Iterator["TaskCases"]:
        """Every task, if there are submissions; the longest first, so that no process is left with one at the end.

        One at a time: what is found out about a task goes when its pages are written.
        """
        bundles = [entry.bundle for entry in self.board.all_entries if entry.bundle]

        def failures(task: Task) -> int:
            return sum(len(bundle.failures.texts.get(task.id, b"")) for bundle in bundles)

        tasks = sorted(self.board.tasks.tasks, key=failures, reverse=True) if bundles else ()
        return (TaskCases(self, task) for task in tasks)

    @cached_property
    def stated(self) -> Mapping[tuple[str, str, int], RunFigures]:
        """What is known of whole runs, by submission, task and attempt."""
        bundles = {entry.id: entry.bundle for entry in self.board.all_entries if entry.bundle}
        return {
            (name, each.task, each.attempt): each
            for name, bundle in bundles.items()
            for each in bundle.runs
        }

    @cached_property
    def _pageless(self) -> Collection[str]:
        """The rows that tell of no single case."""
        return {entry.id for entry in self.board.all_entries if is_bare(self.board, entry)}

    def has_run(self, entry: Entry, task: Task) -> bool:
        """Whether a run has a page of its own; else the row's page says all that is known of it."""
        return len(task.rounds) > 1 or entry.id not in self._pageless

    def run(self, entry: Entry, task: Task, part: str = "") -> str:
        """Tell where a run is shown; `part` is the anchor on its own page."""
        if not self.has_run(entry, task):
            return f"{self.where.entry(entry.id)}#{addresses.run_anchor(task.id)}"
        return f"{self.where.run(entry.id, task.id)}{part and f'#{part}'}"

    @cached_property
    def needs(self) -> Needs:
        """What the pages of its tasks and runs are made of."""
        return Needs(self.board, self.dense, self._pageless)

    @cached_property
    def dense(self) -> Collection[str]:
        """The submissions that tell more outcomes than their pages have room for."""
        return dense_rows(self.board)

    @cached_property
    def pasts(self) -> Mapping[str, Sequence[Past]]:
        """The board's rows as releases have them and as they are, by id."""
        return row_history(self.board, self.releases)

    @cached_property
    def usual(self) -> UsualTotals:
        """How many cases each round has in most submissions."""
        return usual_totals([entry.bundle for entry in self.board.all_entries if entry.bundle])

    @cached_property
    def _by_run(self) -> Mapping[tuple[str, str, Start], _Attempts]:
        return _by_attempt((entry.id, entry.bundle) for entry in self.board.all_entries)

    @cached_property
    def _sent_by_run(self) -> Mapping[tuple[str, str, Start], _Attempts]:
        return _by_attempt(
            (entry.id, entry.before.bundle) for entry in self.board.all_entries if entry.before
        )

    def sent(self, entry: Entry, task: str) -> _Attempts:
        """List the attempts at a task as they were sent in, before findings had their effect."""
        return (
            self._sent_by_run.get((entry.id, task, "own"), ())
            if entry.before
            else self.attempts(entry, task)
        )

    def attempts(self, entry: Entry, task: str, start: Start = "own") -> _Attempts:
        """List the attempts at a task: number, and records by round."""
        return self._by_run.get((entry.id, task, start), ())

    def of_round(
        self, entry: Entry, task: str, number: int, start: Start = "own"
    ) -> list[RoundResult]:
        """List the records of one round, one an attempt."""
        return [
            rounds[number] for _, rounds in self.attempts(entry, task, start) if number in rounds
        ]

    def runs(self, entry: Entry, task: str) -> list[list[RoundResult]]:
        """List the records that count of each attempt at a task."""
        return [
            [result for result in rounds.values() if result.state != "excluded"]
            for _, rounds in self.attempts(entry, task)
        ]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a board: a submission, or a line of a published table."""

    records: BoardRecords
    entry: Entry

    @property
    def shared(self) -> Mapping[str, object]:
        """What templates of all pages about it need."""
        return {**self.records.shared, "entry": self.entry}

    @property
    def card(self) -> SocialCard:
        """What other sites show where somebody links to it."""
        return self.records.cards[self.entry.id]

    @property
    def title(self) -> str:
        """Its agent, and where it stands."""
        return f"{self.entry.agent.name} on {self.records.board.title}"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A board, and what it was in a release."""

    board: Board
    locked: LockedBoard
    release: Release

    @property
    def shared(self) -> Mapping[str, object]:
        """What templates of all pages about it need."""
        crumbs = [
            Link("Changelog", addresses.CHANGELOG),
            Link(self.release.name, addresses.release_address(self.release.date)),
        ]
        where = addresses.of(self.board)
        about = {
            "board": self.board,
            "benchmark": self.board.benchmark,
            "where": where,
            "crumbs": crumbs,
        }
        return {**about, "locked": self.locked, "release": self.release}

    @property
    def card(self) -> SocialCard:
        """What other sites show where somebody links to it."""
        return SITE_CARD


def _by_attempt(
    bundles: Iterable[tuple[str, Bundle | None]],
) -> Mapping[tuple[str, str, Start], _Attempts]:
    """Sort the records of submissions, by submission, task and start."""
    found: dict[tuple[str, str, Start], dict[int, dict[int, RoundResult]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for name, bundle in bundles:
        for result in bundle.rounds if bundle else ():
            found[name, result.task, result.start][result.attempt][result.round] = result
    return {key: sorted(attempts.items()) for key, attempts in found.items()}


def _round_of(
    attempts: Mapping[int, Mapping[int, AttemptCases]], number: int
) -> Mapping[int, AttemptCases]:
    """Take one round of attempts: what each that has it tells of its cases."""
    return {attempt: rounds[number] for attempt, rounds in attempts.items() if number in rounds}


@dataclass(frozen=True)  # no slots: everything is found out once, where somebody asks
class TaskCases:
    """The cases of one task, found out once for all of its pages."""

    records: BoardRecords
    task: Task

    @property
    def shared(self) -> Mapping[str, object]:
        """What templates of all pages about it need."""
        return {
            **self.records.shared,
            "crumbs": [*self.records.crumbs, Link("Tasks", self.records.where.tasks)],
        }

    @property
    def card(self) -> SocialCard:
        """What other sites show where somebody links to it; its words do not say who leads."""
        return SocialCard(self.records.where.card(), f"The board {self.records.board.title}")

    @property
    def runs(self) -> list["Run"]:
        """What each submission made of the task."""
        records = self.records
        return [
            Run(self, entry)
            for entry in records.board.all_entries
            if entry.bundle and records.has_run(entry, self.task)
        ]

    @cached_property
    def told(self) -> Mapping[str, Mapping[int, Mapping[int, AttemptCases]]]:
        """What each submission tells, also those that do not stand any more; by attempt and round.

        It is what was sent in: findings decide what counts, not what happened.
        """
        defined = {each.n: each for each in self.task.rounds}
        found = {}
        for entry in self.records.board.all_entries:
            if entry.bundle is None:
                continue
            told = entry.bundle.failures.of_task(self.task.id)
            failures = grouped(
                ((each.attempt, each.round), each) for each in told if each.start == "own"
            )
            found[entry.id] = {
                attempt: {
                    number: AttemptCases(
                        result, defined[number], failures.get((attempt, number), ())
                    )
                    for number, result in sorted(rounds.items())
                    if number in defined
                }
                for attempt, rounds in self.records.sent(entry, self.task.id)
            }
        return found

    @cached_property
    def cells(self) -> Mapping[int, Sequence[Cell]]:
        """How each submission that stands fared in each round."""
        records, task, found = self.records, self.task, {}
        for number in (each.n for each in task.rounds):
            round_, cells = f"{labels.rounds_word(records.board.benchmark)} {number}", []
            for entry in records.board.submissions:
                look = round_look(
                    records.of_round(entry, task.id, number), records.usual.get((task.id, number))
                )
                there = records.run(entry, task, addresses.round_anchor(number))
                what = f"{entry.agent.name}, {round_}"
                cells.append(look.placed(records.board, (entry.id, task.id, number), what, there))
            found[number] = cells
        return found

    @cached_property
    def brief(self) -> Collection[str]:
        """The submissions whose page on the task has a line a round: see `Run.is_brief`."""
        if any(case.requirement for each in self.task.rounds for case in each.cases or ()):
            return ()
        task, board = self.task.id, self.records.board
        return {
            entry.id
            for entry in board.all_entries
            if entry.id in self.records.dense
            and entry.bundle
            and not entry.bundle.failures.texts.get(task)
            and not board.marks.on_task(entry.id, task)
        }

    @cached_property
    def suites(self) -> Mapping[int, Suite]:
        """The cases of each round, by submission."""
        return {
            each.n: Suite(
                each.n, {name: _round_of(attempts, each.n) for name, attempts in self.told.items()}
            )
            for each in self.task.rounds
        }

    @cached_property
    def rows(self) -> Mapping[int, Mapping[CaseKey, CaseRow]]:
        """The cases of each round in the submissions that stand, those that tell them apart first."""
        names = [entry.id for entry in self.records.board.submissions]
        found = {}
        for number, suite in self.suites.items():
            rows = suite.counted(names) if number in self.crowded else suite.rows(names)
            found[number] = {row.key: row for row in rows}
        return found

    @cached_property
    def crowded(self) -> Collection[int]:
        """The rounds with more cases by submissions than a page has room for, and nothing but outcomes told of them."""
        standing = len(self.records.board.submissions)
        return {
            number
            for number, suite in self.suites.items()
            if is_crowded(
                standing,
                max((len(each.result.outcomes or "") for each in suite.all_told), default=0),
            )
            and not any(each.failures for each in suite.all_told)
        }

    @cached_property
    def row_places(self) -> Mapping[int, Mapping[CaseKey, RowPlace]]:
        """Where the rows of each round stand."""
        return {number: row_places(list(rows.values())) for number, rows in self.rows.items()}

    @cached_property
    def places(self) -> Mapping[str, RunPlaces]:
        """Where the cases of each submission stand."""
        return {
            name: RunPlaces(
                self.records.where.run(name, self.task.id),
                {
                    (attempt, number): told
                    for attempt, rounds in attempts.items()
                    for number, told in rounds.items()
                },
                has_cases=name not in self.brief,
                has_passed=name not in self.records.dense,
            )
            for name, attempts in self.told.items()
        }

    @cached_property
    def turns(self) -> Mapping[tuple[str, int], Mapping[int, Mapping[CaseKey, Turn]]]:
        """The cases that broke, by submission and attempt, then by round.

        What passed before follows from what the submission tells alone: its pages stay as they are when another
        comes. Empty where rounds do not follow each other, so that nothing can break.
        """
        board = self.records.board
        if not board.benchmark.ordered or board.track.protocol == "once":
            return {}
        found: dict[tuple[str, int], Mapping[int, Mapping[CaseKey, Turn]]] = {}
        for name, attempts in self.told.items():
            if not any(told.has_names for rounds in attempts.values() for told in rounds.values()):
                found.update(
                    {
                        (name, attempt): {number: {} for number in rounds}
                        for attempt, rounds in attempts.items()
                    }
                )
                continue  # a case without a name is not known from round to round
            numbers = {number for rounds in attempts.values() for number in rounds}
            own = {number: Suite(number, {name: _round_of(attempts, number)}) for number in numbers}
            for attempt, rounds in attempts.items():
                found[name, attempt] = turns(
                    [(own[number], told) for number, told in rounds.items()]
                )
        return found

    def turns_in(self, entry: Entry, attempt: int, number: int) -> Mapping[CaseKey, Turn]:
        """Find what holds in a round of the cases that broke by then."""
        return self.turns.get((entry.id, attempt), {}).get(number, {})

    def row_address(self, number: int, place: RowPlace) -> str:
        """Tell where a row stands on the pages of a round."""
        return f"{self.records.where.round(self.task.id, number, place.part)}#{place.anchor}"


@dataclass(frozen=True, slots=True)
class Run:
    """One submission's work on one task."""

    cases: TaskCases
    entry: Entry

    @property
    def shared(self) -> Mapping[str, object]:
        """What templates of all pages about it need."""
        return {**self.cases.records.shared, "entry": self.entry, "crumbs": self.crumbs}

    @property
    def crumbs(self) -> list[Link]:
        """The way down to it."""
        records = self.cases.records
        return [*records.crumbs, entry_link(records.board, self.entry)]

    @property
    def card(self) -> SocialCard:
        """What other sites show where somebody links to it; its words do not say where others stand."""
        records = self.cases.records
        return SocialCard(
            records.where.card(self.entry.id), f"Where {Row(records, self.entry).title} stands"
        )

    @property
    def address(self) -> str:
        """Of its own page."""
        return self.cases.records.where.run(self.entry.id, self.cases.task.id)

    @property
    def title(self) -> str:
        """Who worked on what."""
        return f"{self.entry.agent.name} on {self.cases.task.name}"

    @property
    def is_brief(self) -> bool:
        """Whether its page has a line a round: nothing is told of its cases but outcomes, and those are too many."""
        return self.entry.id in self.cases.brief

    @property
    def told(self) -> Mapping[int, Mapping[int, AttemptCases]]:
        """What it tells of its cases, by attempt and round."""
        return self.cases.told[self.entry.id]

    @property
    def places(self) -> RunPlaces:
        """Where its cases stand."""
        return self.cases.places[self.entry.id]
