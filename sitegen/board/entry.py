"""A row of a board: a submission with its scores, or a line of a published table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date as Date  # noqa: N812 - a field is called date, as the file's key is

from sitegen.board.evidence import Coverage, Evidence, coverage_of, evidence_of
from sitegen.board.on_demand import OnDemand
from sitegen.board.score import GAP, Claim, Score
from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.grids import Sheet, sheet_after, sheet_of
from sitegen.metrics.metric import Extent, Metric
from sitegen.metrics.produced import version_of
from sitegen.models.benchmark import Track
from sitegen.models.reported import Figure, ReportedRow, ReportedTable
from sitegen.models.results import Bundle
from sitegen.models.submission import Agent, Status
from sitegen.models.task import TaskSet

Line = tuple[ReportedRow, ReportedTable]
"""A line of a published table, with the table."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of a board.

    Attributes:
        id: Its name in addresses.
        agent: What is ranked.
        date: When the results were made or published.
        status: Whether it stands.
        evidence: How far its numbers can be followed.
        scores: By metric id, in the catalogue's order. Of results each is computed when it is asked for.
        claims: What others state of a submission's scores, by metric id.
        coverage: None for a reported row.
        bundle: The submission's results; None for a reported row.
        table: The published table; None for a submission.
        reported: Its line of the table; None for a submission.
        others: The lines of other tables that it stands for.
        sheet: The submission's results as arrays; None for a reported row.
        is_whole: Whether no record is missing that its manifest does not say is, so that claims can be held against the
            scores.
        before: The row as it would be if findings had no effect; None where they change nothing of it.
    """

    id: str
    agent: Agent
    date: Date
    status: Status
    evidence: Evidence
    scores: Mapping[str, Score]
    claims: Mapping[str, Sequence[Claim]] = field(default_factory=dict)
    coverage: Coverage | None = None
    bundle: Bundle | None = None
    table: ReportedTable | None = None
    reported: ReportedRow | None = None
    others: Sequence[Line] = ()
    sheet: Sheet | None = None
    is_whole: bool = True
    before: "Entry | None" = None

    @property
    def sent(self) -> Bundle | None:
        """The submission's results as they were sent in, before findings had their effect."""
        return self.before.bundle if self.before else self.bundle

    def after_findings(self, bundle: Bundle, track: Track, tasks: TaskSet) -> "Entry":
        """Give the row as findings make it, with what it would be if they had no effect: this row.

        Args:
            bundle: The submission's results with the effects of findings.
            track: The track it is on.
            tasks: The track's task set.
        """
        judged = self.judged_as(bundle, track, tasks)

        def score_of(metric: str) -> Score | None:
            score = judged.scores.get(metric)
            return replace(score, before=self.scores.get(metric)) if score else None

        return replace(judged, scores=OnDemand(METRICS, score_of), before=self)

    def judged_as(self, bundle: Bundle, track: Track, tasks: TaskSet) -> "Entry":
        """Score other states of the row's records.

        Args:
            bundle: The submission's results, its records in the order of the row's own.
            track: The track it is on.
            tasks: The track's task set.
        """
        if self.bundle is None or self.sheet is None:
            return self
        if bundle.left_out == self.bundle.left_out:
            sheet = sheet_after(self.sheet, tasks.tasks, self.bundle.rounds, bundle.rounds, bundle.runs)
        else:
            sheet = _sheet(bundle, tasks, self.sheet.attempts, self.sheet.made)
        return replace(
            self,
            status=bundle.submission.status,
            evidence=evidence_of(bundle),
            scores=self.scores if sheet is self.sheet else _scores(sheet, track, self.claims),
            bundle=bundle,
            sheet=sheet,
            is_whole=_is_whole(sheet, bundle),
            coverage=coverage_of(bundle, tasks, sheet),
            before=None,
        )

    @property
    def is_ranked(self) -> bool:
        """Whether it takes part in the ranking."""
        return self.status.state == "published"

    @property
    def is_incomplete(self) -> bool:
        """Whether it lacks results for a task that counts, so that its scores do not compare with others."""
        return bool(self.coverage and self.coverage.missing)

    @property
    def remark(self) -> str:
        """What to know before anything else: that it does not stand any more, or is incomplete; mostly nothing."""
        return (
            "" if self.is_ranked and not self.is_incomplete else "incomplete" if self.is_ranked else self.status.state
        )

    def has_score(self, metric: str) -> bool:
        """Whether it has a value that compares with others."""
        return self.value(metric) is not None and not self.is_incomplete

    @property
    def claimed(self) -> list[Score]:
        """The scores that others state too, in the catalogue's order; no other one is computed for them."""
        return [self.scores[name] for name in METRICS if self.claims.get(name)]

    def value(self, metric: str) -> float | None:
        """Give a metric's value; None for a gap."""
        score = self.scores.get(metric)
        return score.value if score else None

    def printed_groups(self, metric: str, axis: str) -> Mapping[str, Figure]:
        """Give what a reported row prints of a metric on parts of the tasks, by the axis' value."""
        figure = self.reported.values.get(metric) if self.reported else None
        return figure.groups.get(axis, {}) if figure else {}

    def text(self, metric: str) -> str:
        """Give a metric's value as people read it; a dash for a gap."""
        score = self.scores.get(metric)
        return score.text if score else GAP


def bundle_entry(
    bundle: Bundle, agent: Agent, track: Track, tasks: TaskSet, reported: Mapping[str, Sequence[Claim]]
) -> Entry:
    """Score a submission.

    Args:
        bundle: The submission.
        agent: Who made it, by its one name.
        track: The track it is on.
        tasks: The track's task set.
        reported: Claims by metric id that published tables make about its agent.
    """
    submission = bundle.submission
    if not bundle.rounds:  # a redaction took them
        columns = (METRICS[name] for name in dict.fromkeys((track.headline, *track.columns)) if name in METRICS)
        gaps = {metric.id: Score(metric, None, "its content was redacted") for metric in columns}
        return Entry(bundle.id, agent, submission.date, submission.status, "reported", gaps, bundle=bundle)
    made = min(submission.attempts or track.attempts, track.attempts)
    sheet = _sheet(bundle, tasks, track.attempts, made)
    claims = {metric: list(found) for metric, found in reported.items()}
    if submission.claims:
        source = submission.claims.source
        over = submission.claims.tasks or (len(tasks.tasks) if source else None)
        for metric, value in submission.claims.values.items():
            claim = Claim(value, source, tasks=over)
            others = [each for each in claims.get(metric, ()) if each != claim]  # a table here may say the same
            claims[metric] = [replace(claim, line=bundle.claim_lines.get(metric)), *others]
    return Entry(
        bundle.id,
        agent,
        submission.date,
        submission.status,
        evidence_of(bundle),
        _scores(sheet, track, claims),
        claims,
        coverage_of(bundle, tasks, sheet),
        bundle=bundle,
        sheet=sheet,
        is_whole=_is_whole(sheet, bundle),
    )


def reported_entry(line: Line, agent: Agent, track: Track, others: Sequence[Line]) -> Entry:
    """Show a line of a published table as it was printed; a column that it does not print is a gap.

    Args:
        line: The line.
        agent: Who it is about, by its one name.
        track: The track it is on.
        others: The lines of other tables that it stands for: what they print is shown beside it.
    """
    row, table = line
    claims = {
        name: [Claim(other.values[name].value, source.source) for other, source in others if name in other.values]
        for name in METRICS
    }
    scores: dict[str, Score] = {}
    for metric in METRICS.values():
        figure, stated = row.values.get(metric.id), tuple(claims[metric.id])
        if figure:
            errata = [f"{each.about}: {each.note}" for each in table.errata if each.concerns(row.id, metric.id)]
            scores[metric.id] = replace(reported_score(metric, figure, track, errata), claims=stated)
        elif stated or metric.id in {track.headline, *track.columns}:
            scores[metric.id] = Score(metric, None, "the source does not print it", claims=stated)
    return Entry(
        row.id, agent, table.date, Status(), "reported", scores, claims, table=table, reported=row, others=others
    )


def reported_score(metric: Metric, figure: Figure, track: Track, errata: Sequence[str] = ()) -> Score:
    """Show a printed figure as a score."""
    value, counted = float(figure.value), printed_count(metric, figure, track)
    extent = Extent(figure.n, figure.n, "round" if "rounds" in (metric.counts or "") else "task") if figure.n else None
    return Score(
        metric,
        value,
        printed=figure.value,
        printed_sd=figure.sd,
        counted=counted,
        extent=extent,
        errata=tuple(errata),
    )


def printed_count(metric: Metric, figure: Figure, track: Track) -> tuple[int, int] | None:
    """Give k of n, where a printed figure counts some of n things; None where that does not follow.

    A mean over several attempts counts more things than the table says, and a figure that no k gives was not counted.
    """
    by_attempt = metric.counts not in {"tasks", "rounds"} and track.attempts > 1
    if figure.n is None or by_attempt or metric.unit not in {"percent", "tasks"}:
        return None
    whole = figure.n if metric.unit == "tasks" else 100
    k = round(float(figure.value) / whole * figure.n)
    is_printed = 0 <= k <= figure.n and Claim(figure.value, None).agrees_with(k / figure.n * whole)
    return (k, figure.n) if is_printed else None


def recomputed_score(metric: Metric, sheet: Sheet, stated: Sequence[Claim] = ()) -> Score:
    """Compute a metric from results; a gap where they do not allow it.

    Args:
        metric: The metric.
        sheet: The results.
        stated: What others claim the score to be.
    """
    measured, claims = metric.measure(sheet), tuple(stated)
    apart = tuple(claim for claim in claims if sheet.missing or claim.tasks not in {None, len(sheet.tasks)})
    score = Score(metric, measured.value, measured.gap, extent=measured.extent, claims=claims, apart=apart)
    if measured.value is None:
        return score
    return replace(
        score,
        caveat=metric.caveat(sheet),
        version=version_of(metric, sheet),
        sd=metric.spread(sheet),
        counted=metric.count(sheet, measured.value),
    )


def _sheet(bundle: Bundle, tasks: TaskSet, attempts: int, made: int) -> Sheet:
    counting = tasks.without(bundle.left_out) if bundle.left_out else tasks
    return sheet_of(counting.tasks, bundle.rounds, bundle.runs, attempts, made)


def _is_whole(sheet: Sheet, bundle: Bundle) -> bool:
    missing = bundle.submission.missing
    return all(all(map(all, grid.results)) for grid in sheet.tasks if grid.task.id not in missing)


def _scores(sheet: Sheet, track: Track, claims: Mapping[str, Sequence[Claim]]) -> Mapping[str, Score]:
    """Give the metrics that protocol and data allow; a column that they do not allow is a gap."""
    columns = {track.headline, *track.columns}

    def score_of(name: str) -> Score | None:
        metric, stated = METRICS[name], claims.get(name, ())
        if track.protocol in metric.protocols:
            score = recomputed_score(metric, sheet, stated)
        else:
            score = Score(metric, None, f"not defined on {track.protocol} tracks", claims=tuple(stated))
        return score if score.value is not None or stated or name in columns else None

    return OnDemand(METRICS, score_of)
