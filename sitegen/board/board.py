"""A board: the submissions of one track, ranked by its headline metric."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import groupby
from operator import is_
from typing import Any, TypeVar

from sitegen.board.certainty import Certainty
from sitegen.board.claims import successors_of
from sitegen.board.entry import Conditions, Entry
from sitegen.board.findings import Marks, counting_rounds, marks_of, with_effects
from sitegen.board.reproduction import Reproduction
from sitegen.board.splits import Split, splits_of
from sitegen.board.waivers import NO_WAIVERS, Waivers
from sitegen.metrics.catalogue import metrics_of
from sitegen.metrics.diagnostics import Diagnostic, beside
from sitegen.metrics.diagnostics.sample import Sample, Terms, pooled, sample_of
from sitegen.metrics.diagnostics.scores import by_budget, by_round, diagnostics_of
from sitegen.metrics.grids import Sheet, TaskGrid
from sitegen.metrics.likeness import VerdictTable, rule_of
from sitegen.metrics.metric import Metric
from sitegen.models.benchmark import Benchmark, Track
from sitegen.models.finding import Finding
from sitegen.models.results import BenchmarkResults
from sitegen.models.task import Task, TaskSet
from sitegen.problems import Problem

T = TypeVar("T")

_DIGITS = 9
"""Scores that agree in so many digits after the point are equal: in others sums differ by the order of adding."""


@dataclass(frozen=True)  # no slots: how sure it is is found out once, where somebody asks
class Board:
    """The submissions of one track, and what follows from them."""

    results: BenchmarkResults
    """The benchmark's results as they were read, of which these are a part."""
    track: Track
    tasks: TaskSet
    entries: Sequence[Entry]
    """Ranked rows, best first, then those without a headline score, then those that lack results for some tasks."""
    retired: Sequence[Entry]
    """Rows that were withdrawn or superseded, by their ids; they keep their pages."""
    ranks: Mapping[str, int]
    """Place of each ranked row by its id, from 1; equal scores share a place."""
    waivers: Waivers = NO_WAIVERS
    reproductions: Mapping[str, tuple[Reproduction, ...]] = field(default_factory=dict)
    """What came of running its submissions again, by their names."""
    problems: Sequence[Problem] = ()
    """What is odd about its rows beside each other, as its review found."""

    @property
    def benchmark(self) -> Benchmark:
        """The benchmark whose track this is."""
        return self.results.benchmark

    @property
    def title(self) -> str:
        """Its benchmark's and its track's."""
        return f"{self.benchmark.title}, {self.track.title}"

    @cached_property
    def _found(self) -> dict[Callable[["Board"], Any], Any]:
        return {}

    def once(self, find: Callable[["Board"], T]) -> T:
        """What a function finds out about the board: it is asked once."""
        if find not in self._found:
            self._found[find] = find(self)
        known: T = self._found[find]
        return known

    @cached_property
    def metrics(self) -> Mapping[str, Metric]:
        """The metrics that its benchmark knows, by id, in the order that tables show them."""
        return metrics_of(self.benchmark)

    @cached_property
    def private(self) -> frozenset[str]:
        """The tasks whose texts are withheld here; a day alone does not do it."""
        return frozenset(task.id for task in self.tasks.tasks if task.private is True)

    @property
    def columns(self) -> tuple[Metric, ...]:
        """The metrics it shows, the headline first."""
        return tuple(self.metrics[name] for name in self.track.shown if name in self.metrics)

    @property
    def headline(self) -> Metric:
        """The metric that ranks."""
        return self.metrics[self.track.headline]

    @property
    def all_entries(self) -> tuple[Entry, ...]:
        """Every row, also those that do not stand any more."""
        return (*self.entries, *self.retired)

    @property
    def placed(self) -> list[Entry]:
        """The rows that have a rank, best first."""
        return [entry for entry in self.entries if entry.id in self.ranks]

    @property
    def submissions(self) -> tuple[Entry, ...]:
        """The ranked rows that have results here."""
        return tuple(entry for entry in self.entries if entry.bundle)

    @cached_property
    def successors(self) -> Mapping[str, Entry]:
        """The rows that stand for lines of published tables which are no rows themselves, by the lines' ids."""
        tables = self.results.reported_on(self.track)
        return successors_of(tables, self.all_entries, self.benchmark.agent_name) if tables else {}

    def standing_for(self, name: str) -> Entry | None:
        """The row of a name, or the one that stands for the line of a published table; None where neither is."""
        return next(
            (entry for entry in self.all_entries if entry.id == name), self.successors.get(name)
        )

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Agents of the rows that stand, with their scaffolds where several go by the same name; by the row's id."""
        often = Counter(entry.agent.name for entry in self.entries)
        return {
            entry.id: f"{entry.agent.name} ({entry.agent.scaffold})"
            if often[entry.agent.name] > 1 and entry.agent.scaffold
            else entry.agent.name
            for entry in self.entries
        }

    def name_of(self, entry: Entry) -> str:
        """Return the name of a row's agent, with its scaffold where several rows go by the same name."""
        return self.names.get(entry.id, entry.agent.name)

    @cached_property
    def grids(self) -> Mapping[str, Mapping[str, TaskGrid]]:
        """What every submission made of each task that counts for it: by task, then by row."""
        found: dict[str, dict[str, TaskGrid]] = defaultdict(dict)
        for entry in self.all_entries:
            for grid in entry.sheet.tasks if entry.sheet else ():
                found[grid.task.id][entry.id] = grid
        return found

    @cached_property
    def certainty(self) -> Certainty:
        """How sure its scores and places are."""
        tasks = [task.id for task in self.tasks.tasks]
        axis = self.benchmark.cluster_axis
        clusters = {
            task.id: task.labels[axis] for task in self.tasks.tasks if axis and axis in task.labels
        }
        word = self.benchmark.axes[axis].title.lower() if axis else ""
        attempts = self.track.attempts
        return Certainty(
            self.all_entries,
            self.ranks,
            self.headline,
            tasks,
            attempts,
            self.metrics,
            clusters,
            word,
        )

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
    def diagnosis(self) -> "Diagnosis":
        """How its rounds went: over all submissions that stand, at one task, and of one submission."""
        sheets = {entry.id: entry.sheet.present for entry in self.all_entries if entry.sheet}
        standing = [
            entry.id for entry in self.submissions if entry.sheet and not entry.is_incomplete
        ]
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
        """The board as it would be if one of its findings had no effect; itself where it has none."""
        others = tuple(each for each in self.results.findings if each != finding)
        known = self.results.with_known_costs()
        sent = replace(known, findings=others, bundles=known.bundles_of(self.track))
        bundles = {bundle.id: bundle for bundle in with_effects(sent).bundles}
        entries, under = [], Conditions(self.benchmark, self.track, self.tasks)
        for entry in self.all_entries:
            then, now = bundles.get(entry.id), entry.bundle
            is_same = (then is None or now is None) or (
                (then.submission.status, then.rounds, then.left_out)
                == (entry.status, now.rounds, now.left_out)
            )
            entries.append(entry if is_same or then is None else entry.judged_as(then, under))
        return self if all(map(is_, entries, self.all_entries)) else self._with(entries)

    def _with(self, entries: Sequence[Entry]) -> "Board":
        return replace(ranked(self.results, self.track, entries), waivers=self.waivers)


def order_of(entry: Entry, headline: Metric) -> tuple[bool, bool, float]:
    """What rows are ordered by, best first: those without a score go behind, and those that lack results last."""
    value = entry.value(headline.id)
    falling = 0.0 if value is None else -value if headline.direction == "higher" else value
    return entry.is_incomplete, value is None, round(falling, _DIGITS)


def is_comparable(entry: Entry, entries: Collection[Entry]) -> bool:
    """Return whether a row is ranked with the others of a board.

    Published scores were made elsewhere, by runs that nobody can look at: beside recomputed ones they are listed in
    an order of their own, without a rank. A board that has nothing but published scores ranks them.
    """
    return bool(entry.sheet) or not any(each.sheet for each in entries)


def ranked(results: BenchmarkResults, track: Track, entries: Collection[Entry]) -> Board:
    """Rank the rows of a track; those that do not stand any more are kept by their ids."""
    known = metrics_of(results.benchmark)
    headline = known[track.headline]
    published = [entry for entry in entries if entry.is_ranked]
    outside = {entry.id for entry in published if not is_comparable(entry, published)}

    def place_of(entry: Entry) -> tuple[bool, bool, bool, float, str]:
        is_incomplete, has_no_score, falling = order_of(entry, headline)
        return is_incomplete, has_no_score, entry.id in outside, falling, entry.id

    standing = sorted(published, key=place_of)
    retired = sorted(
        (entry for entry in entries if not entry.is_ranked), key=lambda entry: entry.id
    )
    scored = [
        entry for entry in standing if entry.has_score(headline.id) and entry.id not in outside
    ]
    ranks: dict[str, int] = {}
    # Values by several versions of a definition don't compare.
    if len({entry.scores[headline.id].version for entry in scored}) <= 1:
        for _, equal in groupby(scored, partial(order_of, headline=headline)):
            ranks |= dict.fromkeys([entry.id for entry in equal], len(ranks) + 1)
    return Board(
        results, track, results.tasks_of(track), _by_one_version(standing, known), retired, ranks
    )


def _by_one_version(entries: Sequence[Entry], known: Mapping[str, Metric]) -> Sequence[Entry]:
    """Make a declared metric of a measurement a gap in all rows that have it by several versions of its definition."""
    mixed: dict[str, str] = {}
    for name in (name for name, metric in known.items() if metric.is_own and metric.measurement):
        scores = (entry.scores.get(name) for entry in entries if entry.sheet)
        versions = {score.version or "" for score in scores if score and score.value is not None}
        if len(versions) > 1:
            mixed[name] = (
                f"the rows were measured by several definitions: {', '.join(sorted(versions))}"
            )
    return (
        [entry.without(mixed, known) if entry.sheet else entry for entry in entries]
        if mixed
        else entries
    )


@dataclass(frozen=True)  # no slots: what several pages share is counted once and stays
class Diagnosis:
    """How the rounds of a track went: of all submissions together, at one task, and of one submission beside all."""

    terms: Terms
    sheets: Mapping[str, Sheet]
    """Results of every submission, by its id, also of those that do not stand any more."""
    standing: Collection[str]
    """The submissions that stand: they are what all submissions together means."""

    @cached_property
    def of_track(self) -> tuple[Diagnostic, ...]:
        """Of all submissions that stand, together."""
        return diagnostics_of(self._pool)

    def by_round(self, *names: str) -> Diagnostic:
        """Which share of the rounds of a number passes: of some submissions, or of all that stand together."""
        return by_round(
            pooled([self._samples[name] for name in names], self.terms) if names else self._pool
        )

    def by_budget(self, name: str) -> Diagnostic:
        """Which share of a submission's runs resolves its task within a number of turns."""
        return by_budget(self._samples[name])

    def of_task(self, task: Task) -> tuple[Diagnostic, ...]:
        """Of all submissions that stand, at one task."""
        return diagnostics_of(self._pool.on(task))

    def of_submission(self, name: str) -> tuple[Diagnostic, ...]:
        """Of one submission, beside all that stand where there are others."""
        own = diagnostics_of(self._samples[name])
        if not set(self.standing) - {name}:
            return own
        others = {diagnostic.id: diagnostic for diagnostic in self.of_track}
        return tuple(beside(each, others[each.id]) if each.id in others else each for each in own)

    @cached_property
    def _samples(self) -> Mapping[str, Sample]:
        return {name: sample_of(sheet, self.terms) for name, sheet in self.sheets.items()}

    @cached_property
    def _pool(self) -> Sample:
        return pooled([self._samples[name] for name in self.standing], self.terms)
