"""A board: the submissions of one track, ranked by its headline metric."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property, partial
from itertools import groupby
from operator import is_
from typing import Any, NamedTuple, TypeVar

from sitegen.board.claims import representing_entries
from sitegen.board.entry import Entry
from sitegen.board.findings import TrackFindings, counting_rounds, findings_on_track, with_effects
from sitegen.board.inference.board_inference import BoardInference
from sitegen.board.reproduction import Reproduction
from sitegen.board.splits import Split, make_splits
from sitegen.board.waivers import NO_WAIVERS, Waivers
from sitegen.metrics.catalogue import benchmark_metrics
from sitegen.metrics.conditions import Conditions
from sitegen.metrics.diagnostics import Diagnostic, add_overall_column
from sitegen.metrics.diagnostics.sample import Sample, make_sample, pool_samples
from sitegen.metrics.diagnostics.tables import by_budget, by_round, make_diagnostics
from sitegen.metrics.likeness import VerdictTable, select_verdict_rule
from sitegen.metrics.metric import Metric
from sitegen.metrics.results import SubmissionResults, TaskResults
from sitegen.models.benchmark import Benchmark, Track
from sitegen.models.finding import Finding
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.revisions import arrival_day
from sitegen.models.task import Task, TaskSet
from sitegen.problems import Problem

T = TypeVar("T")

_EQUAL_DECIMALS = 9
"""Scores that agree to this many decimals are equal; later digits depend on summation order."""


@dataclass(frozen=True)  # no slots: derived values are cached
class Board:
    """The submissions of one track, with their ranks and everything derived from them."""

    results: BenchmarkResults
    """All results of the benchmark, as read from the folder."""
    track: Track
    tasks: TaskSet
    """The tasks of the track, in order; empty if the task set can't be read."""
    entries: Sequence[Entry]
    """The published rows that compete: ranked rows, best first, then rows without a rank.

    Rows that lack results for some tasks come last.
    """
    retired: Sequence[Entry]
    """Withdrawn and superseded rows, sorted by id; they keep their pages."""
    ranks: Mapping[str, int]
    """The rank of each ranked row by its id, from 1; equal scores share a rank."""
    waivers: Waivers = NO_WAIVERS
    """The waivers of the benchmark that are in force."""
    reproductions: Mapping[str, tuple[Reproduction, ...]] = field(default_factory=dict)
    """The reruns of the board's submissions, by submission id."""
    problems: Sequence[Problem] = ()
    """Problems that are found only by comparing the board's rows; see `row_problems`."""
    apart: Sequence[Entry] = ()
    """Baselines, and submissions sent after the deadline, best first.

    They are published, but neither ranked nor counted among the agents.
    """

    @property
    def benchmark(self) -> Benchmark:
        """The benchmark that the track belongs to."""
        return self.results.benchmark

    @property
    def title(self) -> str:
        """The titles of the benchmark and the track."""
        return f"{self.benchmark.title}, {self.track.title}"

    @cached_property
    def _computed(self) -> dict[Callable[["Board"], Any], Any]:
        return {}

    def cached_by(self, compute: Callable[["Board"], T]) -> T:
        """Return the result of a function of the board; the function is called only once."""
        if compute not in self._computed:
            self._computed[compute] = compute(self)
        value: T = self._computed[compute]
        return value

    @cached_property
    def conditions(self) -> Conditions:
        """The conditions under which the submissions are scored."""
        return Conditions(self.benchmark, self.track, self.tasks)

    @cached_property
    def metrics(self) -> Mapping[str, Metric]:
        """The metrics of the benchmark, by id, in the order in which tables show them."""
        return benchmark_metrics(self.benchmark)

    @cached_property
    def private_tasks(self) -> frozenset[str]:
        """Ids of the tasks whose texts are never published."""
        task_ids = []
        for task in self.tasks.tasks:
            if task.private is True:
                task_ids.append(task.id)
        return frozenset(task_ids)

    @property
    def columns(self) -> tuple[Metric, ...]:
        """The metrics that the board shows, the headline metric first."""
        columns = []
        for metric_id in self.track.shown:
            if metric_id in self.metrics:
                columns.append(self.metrics[metric_id])
        return tuple(columns)

    @property
    def headline(self) -> Metric:
        """The metric that the board ranks by."""
        return self.metrics[self.track.headline]

    @property
    def all_entries(self) -> tuple[Entry, ...]:
        """Every row, including rows that are listed apart, withdrawn or superseded."""
        return (*self.entries, *self.apart, *self.retired)

    @property
    def board_entries(self) -> "list[BoardEntry]":
        """Every row together with the board, for functions that take rows of several boards."""
        return [BoardEntry(self, entry) for entry in self.all_entries]

    @property
    def ranked_entries(self) -> list[Entry]:
        """The rows that have a rank, best first."""
        return [entry for entry in self.entries if entry.id in self.ranks]

    def arrived(self, entry: Entry) -> date:
        """Return the day on which a submission's results arrived; see `arrival_day`."""
        if entry.sent is None:
            return entry.date
        return arrival_day(entry.sent, self.results)

    @property
    def submissions(self) -> tuple[Entry, ...]:
        """The published submissions that compete: `entries` without the rows of reported tables."""
        submissions = []
        for entry in self.entries:
            if entry.bundle:
                submissions.append(entry)
        return tuple(submissions)

    @cached_property
    def entry_by_line(self) -> Mapping[str, Entry]:
        """The row that represents each reported line that is not a row itself, by the line's id."""
        tables = self.results.reported_on(self.track)
        if not tables:
            return {}
        return representing_entries(tables, self.all_entries, self.benchmark.agent_name)

    def entry_for(self, row_id: str) -> Entry | None:
        """Return the row with an id, or the row that represents the table line with that id.

        None if there is neither.
        """
        for entry in self.all_entries:
            if entry.id == row_id:
                return entry
        return self.entry_by_line.get(row_id)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Agent names of the competing rows, by row id, with the scaffold if a name is shared."""
        counts = Counter(entry.agent.name for entry in self.entries)
        names = {}
        for entry in self.entries:
            names[entry.id] = distinct_name(entry.agent.name, entry.agent.scaffold, counts)
        return names

    def name_of(self, entry: Entry) -> str:
        """Return the name of a row's agent, with its scaffold if several rows share the name."""
        return self.names.get(entry.id, entry.agent.name)

    @cached_property
    def task_results(self) -> Mapping[str, Mapping[str, TaskResults]]:
        """The results of submissions on the tasks that count, by task id, then by row id."""
        results_by_task: dict[str, dict[str, TaskResults]] = defaultdict(dict)
        for entry in self.all_entries:
            for task_results in entry.task_results:
                results_by_task[task_results.task.id][entry.id] = task_results
        return results_by_task

    @cached_property
    def inference(self) -> BoardInference:
        """The intervals of the board's scores, and the tests of its order."""
        tasks = self.tasks.tasks
        axis = self.benchmark.cluster_axis
        cluster_by_task = {}
        cluster_word = ""
        if axis:
            for task in tasks:
                if axis in task.labels:
                    cluster_by_task[task.id] = task.labels[axis]
            cluster_word = self.benchmark.axes[axis].title.lower()
        task_ids = [task.id for task in tasks]
        return BoardInference(
            self.all_entries,
            self.ranks,
            self.headline,
            task_ids,
            self.track.attempts,
            self.metrics,
            cluster_by_task,
            cluster_word,
        )

    @cached_property
    def verdicts(self) -> VerdictTable:
        """The rounds that each row with results passed."""
        results_by_row = {}
        for entry in self.all_entries:
            if entry.submission_results:
                results_by_row[entry.id] = entry.submission_results
        return VerdictTable(
            results_by_row,
            self.tasks.tasks,
            select_verdict_rule(self.headline, self.track.protocol),
        )

    @cached_property
    def splits(self) -> tuple[Split, ...]:
        """The headline score on groups of the tasks, by the track's groupings."""
        return make_splits(self.benchmark, self.track, self.tasks, self.headline, self.all_entries)

    @cached_property
    def diagnosis(self) -> "Diagnosis":
        """Diagnostics of rounds for all published submissions, one task, or one submission."""
        results_by_row = {
            entry.id: entry.submission_results.present
            for entry in self.all_entries
            if entry.submission_results
        }
        pooled_ids = []
        for entry in self.submissions:
            if entry.submission_results and not entry.has_missing_tasks:
                pooled_ids.append(entry.id)
        return Diagnosis(self.conditions, results_by_row, pooled_ids)

    @cached_property
    def counted_tasks_and_rounds(self) -> tuple[int, int]:
        """The number of tasks and the number of rounds that no finding excludes for all rows."""
        rounds = counting_rounds(self.results.findings, self.track.id, self.tasks)
        task_ids = set()
        for task, _ in rounds:
            task_ids.add(task)
        return len(task_ids), len(rounds)

    @cached_property
    def findings(self) -> TrackFindings:
        """The findings about the track, grouped by what they concern."""
        return findings_on_track(self.results, self.track.id, self.tasks)

    @cached_property
    def without_findings(self) -> "Board":
        """The board as if findings had no effect; the board itself if no row would change."""
        entries = self.all_entries
        if not any(entry.without_findings for entry in entries):
            return self
        return self._reranked([entry.without_findings or entry for entry in entries])

    def without_finding(self, finding: Finding) -> "Board":
        """Return the board as if a finding had no effect; the board itself if it has none."""
        remaining = []
        for recorded in self.results.findings:
            if recorded != finding:
                remaining.append(recorded)
        other_findings = tuple(remaining)
        results = self.results.with_known_costs()
        sent = replace(results, findings=other_findings, bundles=results.bundles_of(self.track))
        bundles = {bundle.id: bundle for bundle in with_effects(sent).bundles}
        entries = []
        for entry in self.all_entries:
            bundle = bundles.get(entry.id)
            if bundle is not None and _differs_from_bundle(entry, bundle):
                entries.append(entry.scored_from(bundle, self.conditions))
            else:
                entries.append(entry)
        if all(map(is_, entries, self.all_entries)):
            return self
        return self._reranked(entries)

    def _reranked(self, entries: Sequence[Entry]) -> "Board":
        return replace(rank_entries(self.results, self.track, entries), waivers=self.waivers)


class BoardEntry(NamedTuple):
    """A row with its board."""

    board: Board
    entry: Entry


def _differs_from_bundle(entry: Entry, bundle: Bundle) -> bool:
    """Return whether a bundle differs from a submission's row in status or records."""
    current = entry.bundle
    if current is None:
        return False
    state = (bundle.submission.status, bundle.rounds, bundle.left_out)
    return state != (entry.status, current.rounds, current.left_out)


def distinct_name(name: str, scaffold: str | None, counts: Mapping[str, int]) -> str:
    """Return an agent's name, with its scaffold if several rows share the name."""
    if scaffold and counts[name] > 1:
        return f"{name} ({scaffold})"
    return name


def score_sort_key(entry: Entry, headline: Metric) -> tuple[bool, bool, float]:
    """Return the key that sorts rows best first.

    Rows without a score come after rows with one, and rows that lack results for some tasks last.
    """
    value = entry.value(headline.id)
    if value is None:
        return entry.has_missing_tasks, True, 0.0
    ascending = -value if headline.direction == "higher" else value
    return entry.has_missing_tasks, False, round(ascending, _EQUAL_DECIMALS)


def is_comparable(entry: Entry, entries: Collection[Entry]) -> bool:
    """Return whether a row is ranked together with the other rows of a board.

    Reported scores come from runs that nobody can inspect. On a board that also has recomputed
    scores, they are listed after those, without a rank. A board with only reported scores ranks
    them.
    """
    return bool(entry.submission_results) or not any(row.submission_results for row in entries)


def rank_entries(results: BenchmarkResults, track: Track, entries: Collection[Entry]) -> Board:
    """Return the board of a track, with its rows divided into competing, apart and retired rows.

    Rows that compete are ranked; published rows that do not are listed apart, and withdrawn and
    superseded rows are retired.
    """
    metrics = benchmark_metrics(results.benchmark)
    headline = metrics[track.headline]
    published = []
    apart = []
    retired = []
    for entry in entries:
        if not entry.is_published:
            retired.append(entry)
        elif entry.apart:
            apart.append(entry)
        else:
            published.append(entry)
    outside = {entry.id for entry in published if not is_comparable(entry, published)}

    def sort_key(entry: Entry) -> tuple[bool, bool, bool, float, str]:
        has_missing_tasks, has_no_score, ascending = score_sort_key(entry, headline)
        return has_missing_tasks, has_no_score, entry.id in outside, ascending, entry.id

    ordered = sorted(published, key=sort_key)
    apart.sort(key=sort_key)
    retired.sort(key=lambda entry: entry.id)
    scored = []
    for entry in ordered:
        if entry.id not in outside and entry.has_score(headline.id):
            scored.append(entry)
    ranks: dict[str, int] = {}
    versions = {entry.scores[headline.id].version for entry in scored}
    if len(versions) <= 1:  # Several versions of a definition are not comparable.
        for _, equal in groupby(scored, partial(score_sort_key, headline=headline)):
            tied_ids = [entry.id for entry in equal]
            ranks |= dict.fromkeys(tied_ids, len(ranks) + 1)
    rows = _by_one_version(ordered, metrics)
    return Board(results, track, results.tasks_of(track), rows, retired, ranks, apart=apart)


def _by_one_version(entries: Sequence[Entry], metrics: Mapping[str, Metric]) -> Sequence[Entry]:
    """Return the rows, with gaps for metrics that were measured by several definitions."""
    gaps: dict[str, str] = {}
    for metric_id, metric in metrics.items():
        if not metric.is_benchmark_declared or not metric.measurement:
            continue
        scores = [entry.scores.get(metric_id) for entry in entries if entry.submission_results]
        measured = []
        for score in scores:
            if score and score.value is not None:
                measured.append(score)
        versions = {score.version or "" for score in measured}
        if len(versions) > 1:
            listed = ", ".join(sorted(versions))
            gaps[metric_id] = f"the agents were measured by different definitions: {listed}"
    if not gaps:
        return entries
    rows = []
    for entry in entries:
        if entry.submission_results:
            rows.append(entry.with_gaps(gaps, metrics))
        else:
            rows.append(entry)
    return rows


@dataclass(frozen=True)  # no slots: values that several pages show are cached
class Diagnosis:
    """Diagnostics of a track's rounds for all submissions, one task, or one submission."""

    conditions: Conditions
    submissions: Mapping[str, SubmissionResults]
    """The results of every submission by its id, even if it is withdrawn or superseded."""
    published: Collection[str]
    """Ids of the published submissions without missing tasks, whose rounds are pooled."""

    @cached_property
    def of_track(self) -> tuple[Diagnostic, ...]:
        """The diagnostics of all published submissions together."""
        return make_diagnostics(self._pool)

    def by_round(self, *submission_ids: str) -> Diagnostic:
        """Return the pass rate by round number, of given submissions or else all published ones."""
        if not submission_ids:
            return by_round(self._pool)
        samples = []
        for submission_id in submission_ids:
            samples.append(self._samples[submission_id])
        return by_round(pool_samples(samples, self.conditions))

    def by_budget(self, submission_id: str) -> Diagnostic:
        """Return the share of a submission's runs that resolve their task, by number of turns."""
        return by_budget(self._samples[submission_id])

    def of_task(self, task: Task) -> tuple[Diagnostic, ...]:
        """Return the diagnostics of all published submissions on one task."""
        return make_diagnostics(self._pool.on(task))

    def of_submission(self, submission_id: str) -> tuple[Diagnostic, ...]:
        """Return a submission's diagnostics, compared with all submissions if there are others."""
        diagnostics = make_diagnostics(self._samples[submission_id])
        if not set(self.published) - {submission_id}:
            return diagnostics
        track_diagnostics = {diagnostic.id: diagnostic for diagnostic in self.of_track}
        compared = []
        for diagnostic in diagnostics:
            pooled_diagnostic = track_diagnostics.get(diagnostic.id)
            with_pool = diagnostic
            if pooled_diagnostic:
                with_pool = add_overall_column(diagnostic, pooled_diagnostic)
            compared.append(with_pool)
        return tuple(compared)

    @cached_property
    def _samples(self) -> Mapping[str, Sample]:
        samples = {}
        for submission_id, results in self.submissions.items():
            samples[submission_id] = make_sample(results, self.conditions)
        return samples

    @cached_property
    def _pool(self) -> Sample:
        samples = []
        for submission_id in self.published:
            samples.append(self._samples[submission_id])
        return pool_samples(samples, self.conditions)
