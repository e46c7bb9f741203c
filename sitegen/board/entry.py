"""Rows of a board: a submission with its scores, or a line of a reported table."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date as Date  # noqa: N812 - a field is called date, as the file's key is
from operator import attrgetter
from typing import Literal

from sitegen.board.findings import TaskRoundKey, round_keys
from sitegen.board.score import GAP, Claim, OnDemand, Score
from sitegen.metrics.conditions import Conditions
from sitegen.metrics.metric import Extent, Metric
from sitegen.metrics.results import (
    SubmissionResults,
    TaskResults,
    arrange_results,
    rearrange_results,
)
from sitegen.models.benchmark import Track
from sitegen.models.journal import Check
from sitegen.models.outcome import RoundResult
from sitegen.models.release import Evidence
from sitegen.models.reported import Figure, ReportedRow, ReportedTable
from sitegen.models.results import Bundle
from sitegen.models.submission import Agent, Status, Submission
from sitegen.models.task import TaskSelection, TaskSet
from sitegen.problems import counted

_TASK_AND_ROUND = attrgetter("task", "round")

Claims = Mapping[str, Sequence[Claim]]
"""The claims about a row, by metric id."""

Apart = Literal["baseline", "late"]
"""Why a published submission is listed apart, without a rank.

`baseline`: it is a reference. `late`: it was sent after the deadline of its track.
"""


APART_WORDS: Mapping[Apart, str] = {"baseline": "baseline", "late": "after the deadline"}
"""The words that mark a submission that is listed apart on pages."""


@dataclass(frozen=True, slots=True)
class TableLine:
    """A line of a reported table."""

    row: ReportedRow
    table: ReportedTable
    others: list["TableLine"] = field(default_factory=list)
    """Lines of other tables about the same agent, which this line represents.

    Lines with the headline score come first, and later tables before earlier tables.
    """


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a task set a submission has records for."""

    tasks: int
    """The number of tasks with a record for at least one round."""
    expected_tasks: int
    """The number of tasks that count for the submission."""
    rounds: int
    """The number of rounds with a record; several attempts at a round count once."""
    expected_rounds: int
    """The number of rounds that count for the submission."""
    missing: Sequence[str] = ()
    """Ids of the tasks that count but have no results."""
    counted: int = 0
    """The number of tasks that the scores are computed over, including missing ones."""
    has_expected_records: bool = True
    """Whether all tasks have their records, except those that the manifest declares missing.

    Otherwise claims cannot be compared with the scores.
    """

    def __str__(self) -> str:
        """Return the coverage as text, such as "3/5, no results for 1 of 2 tasks"."""
        rounds = f"{self.rounds}/{self.expected_rounds}"
        if self.missing:
            return f"{rounds}, {self.lack}"
        return rounds

    @property
    def scored(self) -> int:
        """The number of tasks that count and have results."""
        return self.counted - len(self.missing)

    @property
    def lack(self) -> str:
        """The number of tasks without results, as part of a sentence; empty if none is missing."""
        if not self.missing:
            return ""
        return f"no results for {len(self.missing)} of {counted(self.counted, 'task')}"


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of a board."""

    id: str
    """The id of the submission or of the table line, which is also part of its address."""
    agent: Agent
    date: Date
    """The date of the results; for a reported row, the date of its table."""
    status: Status
    evidence: Evidence
    scores: Mapping[str, Score]
    """The scores by metric id, in catalogue order; recomputed scores are computed on demand."""
    claims: Claims = field(default_factory=dict)
    """The scores that others claim for the row, by metric id."""
    coverage: Coverage | None = None
    """How much of the task set has records; None for a reported row and for redacted rounds."""
    bundle: Bundle | None = None
    """The submission's bundle, without rounds if they were redacted; None for a reported row."""
    table_line: TableLine | None = None
    """The line of a reported table that the row comes from; None for a submission."""
    submission_results: SubmissionResults | None = None
    """The submission's results as arrays; None for a reported row, and if rounds were redacted."""
    check: Check | None = None
    """The check of the rounds against the grader's output; None if nobody has checked them."""
    without_findings: "Entry | None" = None
    """The row as if findings had no effect; None if they do not change it."""
    apart_while_published: Apart | None = None
    """Why the row is listed apart while it is published; None if it competes."""

    @property
    def sent(self) -> Bundle | None:
        """The submission's results as they were sent in, before findings took effect.

        None for a reported row.
        """
        if self.without_findings:
            return self.without_findings.bundle
        return self.bundle

    @property
    def submission(self) -> Submission | None:
        """The submission's manifest; None for a reported row."""
        if not self.bundle:
            return None
        return self.bundle.submission

    @property
    def results(self) -> Sequence[RoundResult]:
        """The submission's rounds; empty for a reported row, and if they were redacted."""
        if not self.bundle:
            return ()
        return self.bundle.rounds

    @property
    def sent_results(self) -> Sequence[RoundResult]:
        """The submission's rounds before findings took effect.

        Empty for a reported row, and if they were redacted.
        """
        if not self.sent:
            return ()
        return self.sent.rounds

    @property
    def task_results(self) -> Sequence[TaskResults]:
        """The submission's results by task.

        Empty for a reported row, and if rounds were redacted.
        """
        if not self.submission_results:
            return ()
        return self.submission_results.tasks

    @property
    def attempts(self) -> int | None:
        """The number of attempts that the submission made at each task.

        None for a reported row, and if rounds were redacted.
        """
        if not self.submission_results:
            return None
        return self.submission_results.attempts_made

    def after_findings(self, bundle: Bundle, under: Conditions) -> "Entry":
        """Return the row scored from its results after findings took effect.

        The returned row's `without_findings` is this row.
        """
        evaluated = self.scored_from(bundle, under)

        def score_of(metric: str) -> Score | None:
            score = evaluated.scores.get(metric)
            if not score:
                return None
            return replace(score, without_findings=self.scores.get(metric))

        return replace(evaluated, scores=OnDemand(under.metrics, score_of), without_findings=self)

    def scored_from(self, bundle: Bundle, under: Conditions) -> "Entry":
        """Return the row scored from another state of its records.

        Args:
            bundle: The same submission, with its records in the same order.
            under: The conditions of its track.
        """
        if self.bundle is None or self.submission_results is None:
            return self
        if bundle.left_out == self.bundle.left_out:
            results = rearrange_results(
                self.submission_results,
                under.tasks.tasks,
                self.bundle.rounds,
                bundle.rounds,
                bundle.runs,
            )
        else:
            results = _arrange(bundle, under, self.submission_results.attempts_made)
        scores = self.scores
        if results is not self.submission_results:
            scores = _recomputed_scores(results, under, self.claims)
        return replace(
            self,
            status=bundle.submission.status,
            evidence=evidence_tier(bundle),
            scores=scores,
            bundle=bundle,
            submission_results=results,
            coverage=count_coverage(bundle, under.tasks, results),
            without_findings=None,
        )

    def with_gaps(self, gaps: Mapping[str, str], metrics: Mapping[str, Metric]) -> "Entry":
        """Return the row with gaps in place of some scores.

        Args:
            gaps: The reason why there is no value, by metric id.
            metrics: The metrics of the benchmark, by id.
        """

        def score_of(metric_id: str) -> Score | None:
            score = self.scores.get(metric_id)
            if score is None or metric_id not in gaps:
                return score
            return replace(score, value=None, gap=gaps[metric_id])

        return replace(self, scores=OnDemand(metrics, score_of))

    @property
    def is_published(self) -> bool:
        """Whether the row is neither withdrawn nor superseded."""
        return self.status.state == "published"

    @property
    def apart(self) -> Apart | None:
        """Why the row is listed apart; None if it competes or is not published."""
        return self.apart_while_published if self.is_published else None

    @property
    def has_missing_tasks(self) -> bool:
        """Whether a task that counts has no results, so that the scores are not comparable."""
        return bool(self.coverage and self.coverage.missing)

    @property
    def attempts_words(self) -> str:
        """The attempts made, such as "1 of 4 attempts"; empty if the track asks for no more."""
        if (
            self.submission_results is None
            or self.submission_results.attempts_made >= self.submission_results.attempts_asked
        ):
            return ""
        expected_attempts = counted(self.submission_results.attempts_asked, "attempt")
        return f"{self.submission_results.attempts_made} of {expected_attempts}"

    def missing_note(self, metric: str) -> str:
        """Return a note on the tasks and attempts that a score lacks; empty if none are missing."""
        score = self.scores.get(metric)
        score_note = ""
        if score:
            score_note = score.missing_note
        return "; ".join(filter(None, (score_note, self.attempts_words)))

    @property
    def remark(self) -> str:
        """A word for a row that is unpublished, listed apart or incomplete; otherwise empty."""
        if not self.is_published:
            return self.status.state
        if self.apart:
            return APART_WORDS[self.apart]
        if self.has_missing_tasks:
            return "incomplete"
        return ""

    @property
    def claimed(self) -> list[Score]:
        """The scores that have claims, in the catalogue's order; other scores are not computed."""
        metric_ids: Collection[str] = self.scores
        if isinstance(self.scores, OnDemand):
            metric_ids = self.scores.names
        claimed = []
        for metric_id in metric_ids:
            if self.claims.get(metric_id):
                score = self.scores.get(metric_id)
                if score:
                    claimed.append(score)
        return claimed

    def value(self, metric: str) -> float | None:
        """Return a metric's value; None for a gap, and for a metric that the row does not have."""
        score = self.scores.get(metric)
        if not score:
            return None
        return score.value

    def has_score(self, metric: str) -> bool:
        """Return whether the row has a value that is comparable with the values of other rows."""
        return self.value(metric) is not None and not self.has_missing_tasks

    def text(self, metric: str) -> str:
        """Return a metric's value as it is displayed; a dash for a gap."""
        score = self.scores.get(metric)
        if not score:
            return GAP
        return score.text

    def extent(self, metric: str) -> Extent | None:
        """Return how many of its tasks, rounds or runs a value covers; None if not known."""
        score = self.scores.get(metric)
        if not score:
            return None
        return score.extent

    def printed_groups(self, metric: str, axis: str) -> Mapping[str, Figure]:
        """Return the scores that a reported row publishes for groups of tasks, by axis value.

        The mapping is empty for a submission, and if the row publishes no such scores.
        """
        if not self.table_line:
            return {}
        figure = self.table_line.row.values.get(metric)
        if not figure:
            return {}
        return figure.groups.get(axis, {})


def bundle_entry(bundle: Bundle, agent: Agent, under: Conditions, reported: Claims) -> Entry:
    """Return the row of a submission, with its scores.

    Args:
        bundle: The submission with its results.
        agent: Its agent, under the benchmark's spelling of the name.
        under: The conditions under which it is scored.
        reported: The claims of reported tables about the agent, by metric id.
    """
    submission = bundle.submission
    if not bundle.rounds:  # A redaction removed them.
        return _redacted_entry(bundle, agent, under)
    results = _arrange(bundle, under, attempts_made(submission, under.track))
    claims = _all_claims(bundle, under.tasks, reported)
    return Entry(
        bundle.id,
        agent,
        submission.date,
        submission.status,
        evidence_tier(bundle),
        _recomputed_scores(results, under, claims),
        claims,
        count_coverage(bundle, under.tasks, results),
        bundle=bundle,
        submission_results=results,
    )


def attempts_made(submission: Submission, track: Track) -> int:
    """Return how many attempts at each task of a track count for a submission."""
    return min(submission.attempts or track.attempts, track.attempts)


def _redacted_entry(bundle: Bundle, agent: Agent, under: Conditions) -> Entry:
    """Return the row of a submission whose rounds were redacted: every shown score is a gap."""
    submission = bundle.submission
    gaps = {}
    for metric_id, metric in under.metrics.items():
        if metric_id in under.track.shown:
            gaps[metric_id] = Score(metric, None, "its content was redacted")
    return Entry(
        bundle.id, agent, submission.date, submission.status, "reported", gaps, bundle=bundle
    )


def _all_claims(bundle: Bundle, task_set: TaskSet, reported: Claims) -> Claims:
    """Return the claims of a submission's manifest, followed by the claims of reported tables.

    A claim with a source covers all tasks of the track unless it states a number of tasks. If only
    some of the tasks are scored, this also applies to claims without a source. A table's claim that
    equals the manifest's claim is dropped.
    """
    claims = {}
    for metric, table_claims in reported.items():
        claims[metric] = list(table_claims)
    manifest_claims = bundle.submission.claims
    if not manifest_claims:
        return claims
    source = manifest_claims.source
    tasks = manifest_claims.tasks
    if not tasks and (source or task_set.selection):
        tasks = task_set.total
    for metric, value in manifest_claims.values.items():
        claim = Claim(value, source, tasks=tasks)
        table_claims = [stated for stated in claims.get(metric, ()) if stated != claim]
        claims[metric] = [replace(claim, line=bundle.claim_lines.get(metric)), *table_claims]
    return claims


def reported_entry(line: TableLine, agent: Agent, under: Conditions) -> Entry:
    """Return the row of a line of a reported table, with the scores as published.

    Args:
        line: The line. A metric that it does not publish is a gap; values of the lines that it
            represents become claims.
        agent: Its agent, under the benchmark's spelling of the name.
        under: The conditions of the track.
    """
    row = line.row
    required = under.required_metrics
    selection = under.tasks.selection
    gap = "the source does not report it"
    if selection:
        gap = "the source does not report it for these tasks"
    claims: dict[str, list[Claim]] = {}
    scores: dict[str, Score] = {}
    for metric_id, metric in under.metrics.items():
        claims[metric_id] = []
        for other in line.others:
            if metric_id in other.row.values:
                claims[metric_id].append(
                    Claim(other.row.values[metric_id].value, other.table.source)
                )
        stated = tuple(claims[metric_id])
        figure = printed_figure(row, metric_id, selection)
        if figure:
            notes = []
            for erratum in line.table.errata:
                if erratum.concerns(row.id, metric_id):
                    notes.append(f"{erratum.about}: {erratum.note}")
            score = reported_score(metric, figure, under.track, notes)
            over_other_tasks = stated if selection else ()
            scores[metric_id] = replace(
                score, claims=stated, claims_over_other_tasks=over_other_tasks
            )
        elif stated or metric_id in required:
            scores[metric_id] = Score(metric, None, gap, claims=stated)
    return Entry(
        row.id,
        agent,
        line.table.date,
        Status(),
        "reported",
        scores,
        claims,
        table_line=line,
    )


def printed_figure(row: ReportedRow, metric: str, selection: TaskSelection | None) -> Figure | None:
    """Return the figure that a line of a reported table publishes for the tasks that are scored.

    If only some of the tasks are scored, there is a figure only if they are the tasks with one
    value of one axis, and the table publishes a figure for that value.
    """
    figure = row.values.get(metric)
    if figure is None or selection is None:
        return figure
    if len(selection.filters) != 1:
        return None
    (label_filter,) = selection.filters
    if len(label_filter.values) != 1:
        return None
    (value,) = label_filter.values
    return figure.groups.get(label_filter.axis, {}).get(value)


def reported_score(
    metric: Metric, figure: Figure, track: Track, errata: Sequence[str] = ()
) -> Score:
    """Return a reported figure as a score."""
    noun = "task"
    if "rounds" in (metric.counted_unit or ""):
        noun = "round"
    extent = None
    if figure.n:
        extent = Extent(figure.n, figure.n, noun)
    return Score(
        metric,
        float(figure.value),
        printed=figure.value,
        printed_sd=figure.sd,
        counted=printed_count(metric, figure, track),
        extent=extent,
        errata=tuple(errata),
    )


def printed_count(metric: Metric, figure: Figure, track: Track) -> tuple[int, int] | None:
    """Return k and n if a reported figure counts k of n; None if they can't be derived from it.

    They can't be derived from a mean over several attempts, which covers more than the n in the
    table, or from a figure that does not match any integer k.
    """
    is_over_attempts = metric.counted_unit not in {"tasks", "rounds"} and track.attempts > 1
    is_counted = metric.unit == "percent" or metric.is_count
    if figure.n is None or is_over_attempts or not is_counted:
        return None
    full = metric.full_value(figure.n)
    k = round(float(figure.value) / full * figure.n)
    if not 0 <= k <= figure.n:
        return None
    is_printed = Claim(figure.value, None).agrees_with(k / figure.n * full)
    if not is_printed:
        return None
    return (k, figure.n)


def recomputed_score(
    metric: Metric, results: SubmissionResults, stated: Sequence[Claim] = ()
) -> Score:
    """Return a score computed from results, with its claims; a gap if it cannot be computed."""
    measured = metric.measure(results)
    comparable_tasks = {None, len(results.tasks)}
    over_other_tasks = []
    for claim in stated:
        if results.missing or claim.tasks not in comparable_tasks:
            over_other_tasks.append(claim)
    score = Score(
        metric,
        measured.value,
        measured.gap,
        extent=measured.extent,
        claims=tuple(stated),
        claims_over_other_tasks=tuple(over_other_tasks),
    )
    if measured.value is None:
        return score
    return replace(
        score,
        caveat=metric.caveat(results),
        version=metric.version_in(results),
        sd=metric.standard_deviation(results),
        counted=metric.count(results, measured.value),
    )


def evidence_tier(bundle: Bundle) -> Evidence:
    """Return "complete" if the outcome of every case of a bundle is known, else "recomputed".

    The tier follows from the records and is never claimed. Higher tiers require a check or a rerun,
    and are determined when boards are made.
    """
    has_scored_rounds = False
    for result in bundle.rounds:
        if result.state == "scored":
            if result.outcomes is None:
                return "recomputed"
            has_scored_rounds = True
    return "complete" if has_scored_rounds else "recomputed"


def count_coverage(bundle: Bundle, tasks: TaskSet, results: SubmissionResults) -> Coverage:
    """Return how many of the tasks and rounds that count for a bundle have a record."""
    excluded_rounds = [result for result in bundle.rounds if result.state == "excluded"]
    excluded: set[TaskRoundKey] = set(map(_TASK_AND_ROUND, excluded_rounds))
    counted_rounds: Sequence[RoundResult] = bundle.rounds
    if excluded:
        counted_rounds = [result for result in bundle.rounds if result.state != "excluded"]
    recorded: set[TaskRoundKey] = set(map(_TASK_AND_ROUND, counted_rounds))
    expected = set(round_keys(tasks)) - (excluded - recorded) - bundle.left_out
    recorded &= expected
    recorded_tasks = {task for task, _ in recorded}
    expected_tasks = {task for task, _ in expected}
    return Coverage(
        len(recorded_tasks),
        len(expected_tasks),
        len(recorded),
        len(expected),
        results.missing,
        len(results.tasks),
        _has_expected_records(results, bundle),
    )


def _arrange(bundle: Bundle, under: Conditions, made: int) -> SubmissionResults:
    """Return a bundle's results as arrays, over the rounds that count for it."""
    tasks = under.tasks
    if bundle.left_out:
        tasks = under.tasks.without(bundle.left_out)
    results = arrange_results(
        tasks.tasks,
        bundle.rounds,
        bundle.runs,
        under.track.attempts,
        made,
        is_free=bool(bundle.submission.agent.free),
    )
    round_word: str = under.benchmark.round_word.lower()
    if under.tasks.is_of_one_round and made > 1:
        round_word = "attempt"
    return replace(results, is_fail_stop=under.track.protocol == "fail-stop", word=round_word)


def _has_expected_records(results: SubmissionResults, bundle: Bundle) -> bool:
    """Return whether every task that is not declared missing has all its records."""
    missing = bundle.submission.missing
    return all(
        _has_all_records(task_results)
        for task_results in results.tasks
        if task_results.task.id not in missing
    )


def _has_all_records(task_results: TaskResults) -> bool:
    return all(all(attempt) for attempt in task_results.results)


def _recomputed_scores(
    results: SubmissionResults, under: Conditions, claims: Claims
) -> Mapping[str, Score]:
    """Return the scores that the protocol and the data allow; other metrics are gaps."""
    required = under.required_metrics
    computed = under.computed_metrics
    metrics = under.metrics
    protocol = under.track.protocol

    def score_of(metric_id: str) -> Score | None:
        metric = metrics[metric_id]
        stated = tuple(claims.get(metric_id, ()))
        if metric_id not in computed and not stated:
            return None
        if protocol in metric.protocols:
            score = recomputed_score(metric, results, stated)
            if under.tasks.selection:
                # No claim covers a reader's own selection of tasks.
                score = replace(score, claims_over_other_tasks=stated)
        else:
            score = Score(metric, None, f"not defined on {protocol} tracks", claims=stated)
        is_shown = score.value is not None or bool(stated) or metric_id in required
        if not is_shown:
            return None
        return score

    return OnDemand(metrics, score_of)
