"""A board: the submissions of one track, ranked by its headline metric."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import is_

from sitegen.board.certainty import Certainty
from sitegen.board.claims import claims_about
from sitegen.board.diagnosis import Diagnosis
from sitegen.board.effects import counting_rounds, with_effects
from sitegen.board.entry import Entry, bundle_entry, reported_entry
from sitegen.board.marks import Marks, marks_of
from sitegen.board.own_day import with_own_day
from sitegen.board.printed import heirs_of, printed_rows
from sitegen.board.reproduction import Reproduction, is_reproduced, reproductions_on
from sitegen.board.splits import Split, splits_of
from sitegen.board.waivers import NO_WAIVERS, Waivers
from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.diagnostics.sample import Terms
from sitegen.metrics.likeness import VerdictTable, rule_of
from sitegen.metrics.metric import Metric
from sitegen.models.benchmark import Benchmark, Track
from sitegen.models.finding import Finding
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.submission import Agent
from sitegen.models.task import TaskSet
from sitegen.problems import Problem

_DIGITS = 9
"""Scores that agree in so many digits after the point are equal."""


@dataclass(frozen=True)  # no slots: how sure it is is found out once, where somebody asks
class Board:
    """The submissions of one track.

    Attributes:
        results: The benchmark's results as they were read, of which these are a part.
        track: The conditions under which the scores compare.
        tasks: What was to be done.
        entries: Ranked rows, best first, then those without a headline score, then those that lack results for some
            tasks.
        retired: Rows that were withdrawn or superseded; they keep their pages.
        ranks: Place of each ranked row by its id, from 1; equal scores share a place.
        waivers: What maintainers let pass.
    """

    results: BenchmarkResults
    track: Track
    tasks: TaskSet
    entries: Sequence[Entry]
    retired: Sequence[Entry]
    ranks: Mapping[str, int]
    waivers: Waivers = NO_WAIVERS

    @property
    def benchmark(self) -> Benchmark:
        """The benchmark whose track this is."""
        return self.results.benchmark

    @property
    def columns(self) -> tuple[Metric, ...]:
        """The metrics it shows, the headline first."""
        names = dict.fromkeys((self.track.headline, *self.track.columns))
        return tuple(METRICS[name] for name in names if name in METRICS)

    @property
    def headline(self) -> Metric:
        """The metric that ranks."""
        return METRICS[self.track.headline]

    @cached_property
    def certainty(self) -> Certainty:
        """How sure its scores and places are."""
        tasks = [task.id for task in self.tasks.tasks]
        return Certainty(self.all_entries, self.ranks, self.headline, tasks, self.track.attempts)

    @cached_property
    def verdicts(self) -> VerdictTable:
        """Who passed which round, to compare rows that have results."""
        sheets = {entry.id: entry.sheet for entry in self.all_entries if entry.sheet}
        return VerdictTable(sheets, self.tasks.tasks, rule_of(self.headline, self.track.protocol))

    @cached_property
    def splits(self) -> tuple[Split, ...]:
        """Its headline score on parts of the tasks, by the track's groupings."""
        return splits_of(self.benchmark, self.track, self.tasks, self.headline, self.all_entries)

    @cached_property
    def diagnosis(self) -> Diagnosis:
        """How its rounds went: over all submissions that stand, at one task, and of one submission."""
        sheets = {entry.id: entry.sheet.present for entry in self.all_entries if entry.sheet}
        standing = [entry.id for entry in self.submissions if entry.sheet and not entry.is_incomplete]
        return Diagnosis(Terms(self.benchmark, self.track, self.tasks.tasks), sheets, standing)

    @cached_property
    def counting(self) -> tuple[int, int]:
        """How many of its tasks and of their rounds count for everybody: findings take others out."""
        rounds = counting_rounds(self.results.findings, self.track.id, self.tasks)
        return len({task for task, _ in rounds}), len(rounds)

    @cached_property
    def marks(self) -> Marks:
        """The findings about it, by what they concern."""
        return marks_of(self.results, self.track.id, self.tasks)

    @cached_property
    def before_findings(self) -> "Board":
        """The board as it would be if findings had no effect; itself where they change nothing of it."""
        entries = self.all_entries
        if not any(entry.before for entry in entries):
            return self
        return self._with([entry.before or entry for entry in entries])

    def without(self, finding: Finding) -> "Board":
        """Give the board as it would be if one of its findings had no effect; itself where it has none."""
        others = tuple(each for each in self.results.findings if each != finding)
        sent = replace(self.results, findings=others, bundles=self.results.bundles_of(self.track))
        bundles = {bundle.id: bundle for bundle in with_effects(sent).bundles}
        entries = [self._judged(entry, bundles.get(entry.id)) for entry in self.all_entries]
        return self if all(map(is_, entries, self.all_entries)) else self._with(entries)

    def _judged(self, entry: Entry, bundle: Bundle | None) -> Entry:
        """Score a row by other effects of findings; it stays where they come to the same."""
        if entry.bundle is None or bundle is None:
            return entry
        same_status = bundle.submission.status == entry.status
        if same_status and (bundle.rounds, bundle.left_out) == (entry.bundle.rounds, entry.bundle.left_out):
            return entry
        return entry.judged_as(bundle, self.track, self.tasks)

    def _with(self, entries: Sequence[Entry]) -> "Board":
        ranked, retired = _arranged(entries, self.track)
        return replace(self, entries=ranked, retired=retired, ranks=_places(ranked, self.track))

    @cached_property
    def reproductions(self) -> Mapping[str, tuple[Reproduction, ...]]:
        """What came of running its submissions again, by their names."""
        return reproductions_on(self.results, self.track, self.all_entries, self.certainty)

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """What is odd about its rows beside each other; what is wrong with one by itself is not among them."""
        from sitegen.board.problems import board_problems  # noqa: PLC0415 - its checks import this module

        return tuple(board_problems(self))

    @property
    def all_entries(self) -> tuple[Entry, ...]:
        """Every row, also those that do not stand any more."""
        return (*self.entries, *self.retired)

    @cached_property
    def heirs(self) -> Mapping[str, Entry]:
        """The rows that stand for lines of published tables which are no rows themselves, by the lines' ids."""
        tables = self.results.reported_on(self.track)
        return heirs_of(tables, self.all_entries, self.benchmark.agent_name) if tables else {}

    def standing_for(self, name: str) -> Entry | None:
        """Give the row of a name, or the one that stands for the line of a published table; None where neither is."""
        return next((entry for entry in self.all_entries if entry.id == name), self.heirs.get(name))

    @property
    def submissions(self) -> tuple[Entry, ...]:
        """The ranked rows that have results here."""
        return tuple(entry for entry in self.entries if entry.bundle)


def boards_of(results: BenchmarkResults, waivers: Waivers = NO_WAIVERS) -> tuple[Board, ...]:
    """Score and rank every track of a benchmark, in the benchmark's order."""
    judged = with_effects(results)
    return tuple(_board(results, judged, track, waivers) for track in results.benchmark.tracks)


def _board(results: BenchmarkResults, judged: BenchmarkResults, track: Track, waivers: Waivers) -> Board:
    tasks = results.tasks_of(track)
    bundles, tables = results.bundles_of(track), results.reported_on(track)
    names = results.benchmark.agent_name
    entries = []
    for sent, bundle in zip(bundles, judged.bundles_of(track), strict=True):
        agent = _by_one_name(bundle.submission.agent, results.benchmark)
        claims = claims_about(agent, tables, names, len(tasks.tasks))
        entry = bundle_entry(sent, agent, track, tasks, claims)
        judged_entry = entry if bundle is sent else entry.after_findings(bundle, track, tasks)
        entries.append(with_own_day(judged_entry, results, track))
    for row, table, others in printed_rows(tables, bundles, track.headline, names):
        entries.append(reported_entry((row, table), _by_one_name(row.agent, results.benchmark), track, others))
    ranked, retired = _arranged(entries, track)
    return _with_reproduced(Board(results, track, tasks, ranked, retired, _places(ranked, track), waivers))


def _arranged(entries: Sequence[Entry], track: Track) -> tuple[list[Entry], list[Entry]]:
    """Rank the rows that stand; the others are kept by their ids."""
    retired = sorted((entry for entry in entries if not entry.is_ranked), key=lambda entry: entry.id)
    return _ranked([entry for entry in entries if entry.is_ranked], track), retired


def _with_reproduced(board: Board) -> Board:
    """Raise the evidence of submissions that a maintainer's run bears out."""
    borne_out = {name for name, found in board.reproductions.items() if is_reproduced(found)}
    if not borne_out:
        return board
    entries, retired = (
        [replace(entry, evidence="reproduced") if entry.id in borne_out else entry for entry in rows]
        for rows in (board.entries, board.retired)
    )
    return replace(board, entries=entries, retired=retired)


def _by_one_name(agent: Agent, benchmark: Benchmark) -> Agent:
    return agent.model_copy(update={"name": benchmark.agent_name(agent.name)})


def _ranked(entries: list[Entry], track: Track) -> list[Entry]:
    sign = -1 if METRICS[track.headline].direction == "higher" else 1

    def place(entry: Entry) -> tuple[bool, bool, float, str]:
        value = _headline_value(entry, track)
        return entry.is_incomplete, value is None, 0.0 if value is None else sign * value, entry.id

    return sorted(entries, key=place)


def _headline_value(entry: Entry, track: Track) -> float | None:
    """Give the value that ranks, without the last digits: in them sums differ that were added in another order."""
    value = entry.value(track.headline)
    return None if value is None else round(value, _DIGITS)


def _places(rows: Sequence[Entry], track: Track) -> dict[str, int]:
    scored = [entry for entry in rows if entry.has_score(track.headline)]
    if len({entry.scores[track.headline].version for entry in scored}) > 1:
        return {}  # values by several versions of a definition don't compare
    by_value: dict[float | None, list[str]] = defaultdict(list)
    for entry in scored:
        by_value[_headline_value(entry, track)].append(entry.id)
    places: dict[str, int] = {}
    for ids in by_value.values():
        places |= dict.fromkeys(ids, len(places) + 1)
    return places
