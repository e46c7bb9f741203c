"""The subjects of pages: a benchmark, a board, a row, a task, a run or a released board.

Each subject provides its records, indexed as its pages need them. Records that are missing or too
many for a page make pages shorter:

| word    | of what      | what is so                            | what its pages do               |
| ------- | ------------ | ------------------------------------- | ------------------------------- |
| bare    | a submission | reports no single case                | runs of one round have no page  |
| dense   | a submission | reports more outcomes than pages hold | passed cases are in a file      |
| brief   | a run        | dense, without texts and findings     | has a line per round            |
| crowded | a round      | has outcomes only, and too many       | has counts instead of cells     |
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sitegen.board import Board, Entry
from sitegen.board.history.releases import RowAtRelease, row_history
from sitegen.board.outcomes_file import dense_rows, is_bare, is_crowded
from sitegen.board.usual import UsualCounts, usual_totals
from sitegen.models.benchmark import Benchmark
from sitegen.models.outcome import Failure, RoundResult, RunFigures, Start
from sitegen.models.release import LockedBoard, Release
from sitegen.models.results import Bundle
from sitegen.models.site import SITE_CARD, SocialCard
from sitegen.models.task import Task, TaskRound
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import BoardAddresses, Link, entry_link
from sitegen.pages.cache_keys import CacheKeys
from sitegen.pages.cases import AttemptCases, CaseKey
from sitegen.pages.environment import TemplateValues
from sitegen.pages.heat import HeatCell, round_cell
from sitegen.pages.pagination import AttemptRound, CaseLocation, RunLocations, case_locations
from sitegen.pages.run_index import RunIndex
from sitegen.pages.selection import boards_of_status, counting_results
from sitegen.pages.sharing import BoardCards
from sitegen.pages.suites import CaseRow, CaseTransition, Suite, find_transitions

ResultsByRound = Mapping[int, RoundResult]

Attempts = Sequence[tuple[int, ResultsByRound]]
"""Attempts at a task, in order: the number of each attempt, and its results by round."""

CasesByAttempt = Mapping[int, Mapping[int, AttemptCases]]
"""The cases of a run, by attempt, then by round."""

_TransitionsByRound = Mapping[int, Mapping[CaseKey, CaseTransition]]


def _benchmark_crumbs(benchmark: Benchmark) -> list[Link]:
    """Return the breadcrumbs of a benchmark: the home page, and its group on it."""
    crumbs = [Link("Boards", addresses.HOME)]
    if benchmark.group:
        address = f"{addresses.HOME}#{benchmark.group_anchor}"
        crumbs.append(Link(benchmark.group, address))
    return crumbs


def rounds_by_number(task: Task) -> Mapping[int, TaskRound]:
    """Return the rounds of a task as its benchmark defines them, by number."""
    return {task_round.n: task_round for task_round in task.rounds}


def has_run_page(task: Task, *, has_cases: bool) -> bool:
    """Return whether a run has its own page; otherwise its row's page shows all that is known."""
    return len(task.rounds) > 1 or has_cases


def run_address(board: Board, entry: Entry, task: Task, *, has_page: bool) -> str:
    """Return the address of a run: its own page, or its anchor on the row's page."""
    board_addresses = addresses.of(board)
    if has_page:
        return board_addresses.run(entry.id, task.id)
    return f"{board_addresses.entry(entry.id)}#{addresses.run_anchor(task.id)}"


@dataclass(frozen=True, slots=True)
class BenchmarkBoards:
    """A benchmark with its boards, at least one, and the releases, the oldest first."""

    boards: Sequence[Board]
    releases: Sequence[Release] = ()

    @property
    def lead_board(self) -> Board:
        """The board that is shown first: on a current track, with rows if any board has them."""
        candidates = boards_of_status(self.boards, "current") or list(self.boards)
        candidates.sort(key=self._track_position)
        return next((board for board in candidates if board.entries), candidates[0])

    def _track_position(self, board: Board) -> int:
        """Return the position of the first version of a board's track among the tracks."""
        benchmark = board.benchmark
        first = (board.track.id, *benchmark.earlier_versions(board.track.id))[-1]
        return [track.id for track in benchmark.tracks].index(first)

    @property
    def crumbs(self) -> list[Link]:
        """The breadcrumbs of the benchmark."""
        return _benchmark_crumbs(self.boards[0].benchmark)

    @property
    def shared(self) -> TemplateValues:
        """The template values that all its pages share."""
        return {"benchmark": self.boards[0].benchmark, "crumbs": self.crumbs}

    @property
    def card(self) -> SocialCard:
        """The social card that other sites show for a link to it."""
        return BoardCards(self.lead_board, self.releases).card()


@dataclass(frozen=True)  # no slots: cached properties need a __dict__
class BoardRecords:
    """A board's records, by submission, task, round and start, in the order of attempts."""

    board: Board
    releases: Sequence[Release] = ()
    """The releases, oldest first."""

    @property
    def addresses(self) -> BoardAddresses:
        """The addresses of everything about the board."""
        return addresses.of(self.board)

    @property
    def crumbs(self) -> list[Link]:
        """The breadcrumbs of the board."""
        benchmark = self.board.benchmark
        address = addresses.benchmark_address(benchmark.id)
        benchmark_link = Link(benchmark.title, address)
        board_link = Link(self.board.track.title, self.addresses.board)
        return [*_benchmark_crumbs(benchmark), benchmark_link, board_link]

    @property
    def shared(self) -> TemplateValues:
        """The template values that all its pages share."""
        return {
            "board": self.board,
            "benchmark": self.board.benchmark,
            "track": self.board.track,
            "board_addresses": self.addresses,
            "crumbs": self.crumbs,
        }

    @property
    def card(self) -> SocialCard:
        """The social card that other sites show for a link to it."""
        return self.cards[""]

    @cached_property
    def cards(self) -> Mapping[str, SocialCard]:
        """The cards of its rows by their ids; the key "" is for its own card."""
        board_cards = BoardCards(self.board, self.releases)
        cards = {entry.id: board_cards.card(entry) for entry in self.board.all_entries}
        return {"": board_cards.card(), **cards}

    @cached_property
    def _bundles(self) -> Mapping[str, Bundle]:
        """The bundles of all submissions, by id; published rows have none."""
        return {entry.id: entry.bundle for entry in self.board.all_entries if entry.bundle}

    @property
    def all_task_cases(self) -> Iterator["TaskCases"]:
        """The cases of every task, largest first, so that no process is left with a large task.

        Empty if there are no submissions. Tasks are yielded one at a time, so that cached data of a
        task is freed once its pages are written.
        """
        if self._bundles:
            for task in sorted(self.board.tasks.tasks, key=self._failure_bytes, reverse=True):
                yield TaskCases(self, task)

    def _failure_bytes(self, task: Task) -> int:
        """Return the size of all texts about failed cases of a task."""
        bundles = self._bundles.values()
        return sum(len(bundle.failures.texts.get(task.id, b"")) for bundle in bundles)

    @cached_property
    def run_figures(self) -> Mapping[tuple[str, str, int], RunFigures]:
        """Figures that sources report for whole runs, by submission, task and attempt."""
        figures: dict[tuple[str, str, int], RunFigures] = {}
        for submission_id, bundle in self._bundles.items():
            figures |= {(submission_id, run.task, run.attempt): run for run in bundle.runs}
        return figures

    @cached_property
    def _bare_rows(self) -> Collection[str]:
        """The rows that do not report individual cases."""
        return {entry.id for entry in self.board.all_entries if is_bare(self.board, entry)}

    def has_run_page(self, entry: Entry, task: Task) -> bool:
        """Return whether a run has a page of its own."""
        return has_run_page(task, has_cases=entry.id not in self._bare_rows)

    def run_address(self, entry: Entry, task: Task, anchor: str = "") -> str:
        """Return the address of a run; `anchor` is an anchor on its own page."""
        has_page = self.has_run_page(entry, task)
        address = run_address(self.board, entry, task, has_page=has_page)
        return f"{address}#{anchor}" if anchor and has_page else address

    @cached_property
    def cache_keys(self) -> CacheKeys:
        """The cache keys of the pages of its tasks and runs."""
        return CacheKeys(self.board, self.dense, self._bare_rows, (self._runs, self._sent_runs))

    @cached_property
    def dense(self) -> Collection[str]:
        """The submissions that report more outcomes than their pages have room for."""
        return dense_rows(self.board)

    @cached_property
    def pasts(self) -> Mapping[str, Sequence[RowAtRelease]]:
        """The states of each row in the releases and now, by the row's id."""
        return row_history(self.board, self.releases)

    @cached_property
    def usual_case_counts(self) -> UsualCounts:
        """The number of cases that most submissions have in each round."""
        return usual_totals(list(self._bundles.values()))

    @cached_property
    def _runs(self) -> RunIndex:
        """An index of the results of all submissions."""
        return RunIndex(self.board.tasks.tasks, self._bundles)

    @cached_property
    def _sent_runs(self) -> RunIndex:
        """An index of the submitted results of the submissions that findings change."""
        bundles = {}
        for entry in self.board.all_entries:
            bundle = None
            if entry.without_findings:
                bundle = entry.without_findings.bundle
            if bundle:
                bundles[entry.id] = bundle
        return RunIndex(self.board.tasks.tasks, bundles)

    def sent_attempts(self, entry: Entry, task: str) -> Attempts:
        """Return the attempts at a task as they were sent in, without the effects of findings."""
        if entry.without_findings:
            return _in_attempts(self._sent_runs.results(entry.id, task), "own")
        return self.attempts(entry, task)

    def attempts(self, entry: Entry, task: str, start: Start = "own") -> Attempts:
        """Return the attempts at a task, each with its results by round."""
        return _in_attempts(self._runs.results(entry.id, task), start)

    def round_results(
        self, entry: Entry, task: str, number: int, start: Start = "own"
    ) -> list[RoundResult]:
        """Return the results of one round, one per attempt that has it."""
        attempts = self.attempts(entry, task, start)
        return [rounds[number] for _, rounds in attempts if number in rounds]

    def counting_results_by_attempt(self, entry: Entry, task: str) -> list[list[RoundResult]]:
        """Return the results that count, for each attempt at a task."""
        results_by_attempt = []
        for _, rounds in self.attempts(entry, task):
            counting = counting_results(rounds.values())
            results_by_attempt.append(counting)
        return results_by_attempt


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A row of a board: a submission, or a row of a published table."""

    records: BoardRecords
    entry: Entry

    @property
    def shared(self) -> TemplateValues:
        """The template values that all its pages share."""
        return {**self.records.shared, "entry": self.entry}

    @property
    def card(self) -> SocialCard:
        """The social card that other sites show for a link to it."""
        return self.records.cards[self.entry.id]

    @property
    def title(self) -> str:
        """The names of its agent and its board."""
        return f"{self.entry.agent.name} on {self.records.board.title}"


@dataclass(frozen=True, slots=True)
class BoardSnapshot:
    """A board, and its state in a release."""

    board: Board
    locked: LockedBoard
    release: Release

    @property
    def shared(self) -> TemplateValues:
        """The template values that all its pages share."""
        release_address = addresses.release_address(self.release.date)
        changelog_link = Link("Changelog", addresses.CHANGELOG)
        return {
            "board": self.board,
            "benchmark": self.board.benchmark,
            "board_addresses": addresses.of(self.board),
            "crumbs": [changelog_link, Link(str(self.release.date), release_address)],
            "locked": self.locked,
            "release": self.release,
        }

    @property
    def card(self) -> SocialCard:
        """The social card that other sites show for a link to it."""
        return SITE_CARD


def _in_attempts(results: Iterable[RoundResult], start: Start) -> Attempts:
    """Return the results of one run with the given start, by attempt."""
    attempts: dict[int, dict[int, RoundResult]] = {}
    for result in results:
        if result.start == start:
            attempts.setdefault(result.attempt, {})[result.round] = result
    return sorted(attempts.items())


def _cases_of_round(attempts: CasesByAttempt, number: int) -> Mapping[int, AttemptCases]:
    """Return the cases of one round, by attempt."""
    return {attempt: rounds[number] for attempt, rounds in attempts.items() if number in rounds}


@dataclass(frozen=True)  # no slots: cached properties need a __dict__
class TaskCases:
    """The cases of one task, computed once for all of its pages."""

    records: BoardRecords
    task: Task

    @property
    def shared(self) -> TemplateValues:
        """The template values that all its pages share."""
        crumbs = [*self.records.crumbs, Link("Tasks", self.records.addresses.tasks)]
        return {**self.records.shared, "crumbs": crumbs}

    @property
    def card(self) -> SocialCard:
        """The social card of a link to the task; its text does not name a leader."""
        address = self.records.addresses.card()
        text = f"The board {self.records.board.title}"
        return SocialCard(address, text)

    @property
    def runs(self) -> list["TaskRun"]:
        """The run of each submission at the task, if it has a page of its own."""
        runs = []
        for entry in self.records.board.all_entries:
            if entry.bundle and self.records.has_run_page(entry, self.task):
                runs.append(TaskRun(self, entry))
        return runs

    @cached_property
    def reported_cases(self) -> Mapping[str, CasesByAttempt]:
        """The cases that each submission reports, by attempt and round.

        Withdrawn submissions are included, and cases are as submitted: findings decide what counts,
        not what happened.
        """
        cases: dict[str, CasesByAttempt] = {}
        for entry in self.records.board.all_entries:
            if entry.bundle:
                cases[entry.id] = self._reported_cases(entry, entry.bundle)
        return cases

    def _reported_cases(self, entry: Entry, bundle: Bundle) -> CasesByAttempt:
        """Return the cases that a submission reports, by attempt and round."""
        defined = rounds_by_number(self.task)
        failures_by_round: dict[AttemptRound, list[Failure]] = {}
        for failure in bundle.failures.of_task(self.task.id):
            if failure.start == "own":
                key = (failure.attempt, failure.round)
                failures_by_round.setdefault(key, []).append(failure)
        cases: dict[int, dict[int, AttemptCases]] = {}
        for attempt, rounds in self.records.sent_attempts(entry, self.task.id):
            cases[attempt] = {}
            for number, result in sorted(rounds.items()):
                if number in defined:
                    round_failures = failures_by_round.get((attempt, number), ())
                    cases[attempt][number] = AttemptCases(result, defined[number], round_failures)
        return cases

    @cached_property
    def cells(self) -> Mapping[int, Sequence[HeatCell]]:
        """The result of each current submission in each round, as heat map cells."""
        submissions = self.records.board.submissions
        cells = {}
        for number in rounds_by_number(self.task):
            cells[number] = [self._cell(entry, number) for entry in submissions]
        return cells

    def _cell(self, entry: Entry, number: int) -> HeatCell:
        """Return the heat map cell of a submission's result in a round."""
        records = self.records
        task = self.task
        results = records.round_results(entry, task.id, number)
        cell = round_cell(results, records.usual_case_counts.get((task.id, number)))
        address = records.run_address(entry, task, addresses.round_anchor(number))
        round_noun = labels.rounds_word(records.board.benchmark)
        subject = f"{entry.agent.name}, {round_noun} {number}"
        return cell.linked(records.board, (entry.id, task.id, number), subject, address)

    @cached_property
    def brief(self) -> Collection[str]:
        """The submissions whose page on the task has a line per round: see `TaskRun.is_brief`."""
        for task_round in self.task.rounds:
            if any(case.requirement for case in task_round.cases or ()):
                return ()
        entries = self.records.board.all_entries
        return {entry.id for entry in entries if self._has_outcomes_only(entry)}

    def _has_outcomes_only(self, entry: Entry) -> bool:
        """Return whether a submission has many outcomes, but no texts or findings on the task."""
        if entry.id not in self.records.dense or entry.bundle is None:
            return False
        if entry.bundle.failures.texts.get(self.task.id):
            return False
        return not self.records.board.findings.on_task(entry.id, self.task.id)

    @cached_property
    def suites(self) -> Mapping[int, Suite]:
        """The cases of each round, by submission."""
        suites = {}
        for task_round in self.task.rounds:
            number = task_round.n
            cases = {}
            for submission_id, attempts in self.reported_cases.items():
                cases[submission_id] = _cases_of_round(attempts, number)
            suites[number] = Suite(number, cases)
        return suites

    @cached_property
    def rows(self) -> Mapping[int, Mapping[CaseKey, CaseRow]]:
        """The cases of each round in current submissions, the most distinguishing first."""
        submission_ids = [entry.id for entry in self.records.board.submissions]
        rows_by_round = {}
        for number, suite in self.suites.items():
            make_rows = suite.counted_rows if number in self.crowded else suite.rows
            rows_by_round[number] = {row.key: row for row in make_rows(submission_ids)}
        return rows_by_round

    @cached_property
    def crowded(self) -> Collection[int]:
        """The rounds with outcomes only, whose cases would need too many cells for a page."""
        return {number for number, suite in self.suites.items() if self._is_crowded(suite)}

    def _is_crowded(self, suite: Suite) -> bool:
        attempts = list(suite.all_reported)
        if any(attempt_cases.failures for attempt_cases in attempts):
            return False
        case_counts = [len(attempt_cases.result.outcomes or "") for attempt_cases in attempts]
        return is_crowded(len(self.records.board.submissions), max(case_counts, default=0))

    @cached_property
    def case_locations(self) -> Mapping[int, Mapping[CaseKey, CaseLocation]]:
        """The position of each case in the pages of its round."""
        columns = len(self.records.board.submissions)
        places = {}
        for number, rows in self.rows.items():
            places[number] = case_locations(list(rows.values()), columns)
        return places

    @cached_property
    def run_locations(self) -> Mapping[str, RunLocations]:
        """The pages on which the cases of each submission are shown."""
        places = {}
        for submission_id, attempts in self.reported_cases.items():
            cases_by_round: dict[AttemptRound, AttemptCases] = {}
            for attempt, rounds in attempts.items():
                cases_by_round |= {(attempt, number): cases for number, cases in rounds.items()}
            places[submission_id] = RunLocations(
                self.records.addresses.run(submission_id, self.task.id),
                cases_by_round,
                lists_cases=submission_id not in self.brief,
                lists_passed=submission_id not in self.records.dense,
            )
        return places

    @cached_property
    def transitions(self) -> Mapping[tuple[str, int], _TransitionsByRound]:
        """The cases that broke, by submission and attempt, then by round.

        Whether a case passed before is derived from the submission alone, so that its pages stay
        the same when another submission is added. Empty if rounds do not build on each other, so
        that nothing can break.
        """
        board = self.records.board
        if not board.benchmark.ordered or board.track.protocol == "once":
            return {}
        transitions_by_run: dict[tuple[str, int], _TransitionsByRound] = {}
        for submission_id, attempts in self.reported_cases.items():
            for attempt, transitions_by_round in _transitions_by_attempt(
                submission_id, attempts
            ).items():
                transitions_by_run[submission_id, attempt] = transitions_by_round
        return transitions_by_run

    def transitions_in(
        self, entry: Entry, attempt: int, number: int
    ) -> Mapping[CaseKey, CaseTransition]:
        """Return when each case broke, for cases that fail in a round but passed earlier."""
        return self.transitions.get((entry.id, attempt), {}).get(number, {})

    def case_address(self, number: int, location: CaseLocation) -> str:
        """Return the address of a case on the pages of a round."""
        page = self.records.addresses.round(self.task.id, number, location.page_number)
        return f"{page}#{location.anchor}"


def _transitions_by_attempt(
    submission_id: str, attempts: CasesByAttempt
) -> Mapping[int, _TransitionsByRound]:
    """Return the cases that broke in a submission's work on a task, by attempt and round."""
    suites: dict[int, Suite] = {}
    has_case_names = False
    for rounds in attempts.values():
        for number, cases in rounds.items():
            has_case_names = has_case_names or cases.has_case_names
            if number not in suites:
                suite_cases = {submission_id: _cases_of_round(attempts, number)}
                suites[number] = Suite(number, suite_cases)
    transitions_by_attempt: dict[int, _TransitionsByRound] = {}
    for attempt, rounds in attempts.items():
        # a case without a name cannot be followed from round to round
        transitions_by_attempt[attempt] = {number: {} for number in rounds}
        if has_case_names:
            steps = [(suites[number], cases) for number, cases in rounds.items()]
            transitions_by_attempt[attempt] = find_transitions(steps)
    return transitions_by_attempt


@dataclass(frozen=True, slots=True)
class TaskRun:
    """One submission's work on one task."""

    task_cases: TaskCases
    """The cases of all submissions at the task."""
    entry: Entry

    @property
    def records(self) -> BoardRecords:
        """The records of the board."""
        return self.task_cases.records

    @property
    def board(self) -> Board:
        """The board that the submission is on."""
        return self.task_cases.records.board

    @property
    def task(self) -> Task:
        """The task of the run."""
        return self.task_cases.task

    @property
    def shared(self) -> TemplateValues:
        """The template values that all its pages share."""
        return {**self.records.shared, "entry": self.entry, "crumbs": self.crumbs}

    @property
    def crumbs(self) -> list[Link]:
        """The breadcrumbs of the run."""
        records = self.records
        return [*records.crumbs, entry_link(records.board, self.entry)]

    @property
    def card(self) -> SocialCard:
        """The social card of a link to the run; its text does not mention other submissions."""
        records = self.records
        row = BoardRow(records, self.entry)
        address = records.addresses.card(self.entry.id)
        text = f"Where {row.title} stands"
        return SocialCard(address, text)

    @property
    def address(self) -> str:
        """The address of the run's own page."""
        return self.records.addresses.run(self.entry.id, self.task.id)

    @property
    def title(self) -> str:
        """The names of the agent and the task."""
        return f"{self.entry.agent.name} on {self.task.name}"

    @property
    def is_brief(self) -> bool:
        """Whether its page has one line per round, as it has too many cases, all without texts."""
        return self.entry.id in self.task_cases.brief

    @property
    def reported_cases(self) -> CasesByAttempt:
        """The cases that it reports, by attempt and round."""
        return self.task_cases.reported_cases[self.entry.id]

    @property
    def locations(self) -> RunLocations:
        """The pages on which its cases are shown."""
        return self.task_cases.run_locations[self.entry.id]
