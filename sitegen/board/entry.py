"""A row of a board: a submission with its scores, or a line of a published table."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date as Date  # noqa: N812 - a field is called date, as the file's key is

from sitegen.board.score import GAP, Claim, OnDemand, Score
from sitegen.metrics.catalogue import metrics_of
from sitegen.metrics.grids import Sheet, sheet_after, sheet_of
from sitegen.metrics.metric import Extent, Metric
from sitegen.models.benchmark import Benchmark, Track
from sitegen.models.journal import Check
from sitegen.models.release import Evidence
from sitegen.models.reported import Figure, ReportedRow, ReportedTable
from sitegen.models.results import Bundle
from sitegen.models.submission import Agent, Status
from sitegen.models.task import TaskSet
from sitegen.problems import counted

Line = tuple[ReportedRow, ReportedTable]
"""A line of a published table, with the table."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """What rows are scored under."""

    benchmark: Benchmark
    track: Track
    tasks: TaskSet

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Every metric that the benchmark knows, by id."""
        return metrics_of(self.benchmark)

    @property
    def kept(self) -> Collection[str]:
        """Ids of the metrics that are told of every row, gaps among them: the columns, and what is declared."""
        return {*self.track.shown, *(each.id for each in self.benchmark.metrics)}

    @property
    def told(self) -> Collection[str]:
        """Ids of the metrics that a row may have beside what is claimed: all, where the benchmark declares none."""
        return self.kept if self.benchmark.metrics else self.metrics.keys()


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a task set a submission has records of."""

    tasks: int
    expected_tasks: int
    rounds: int
    expected_rounds: int
    missing: Sequence[str] = ()
    """Ids of the tasks that count and that it has no results for."""
    counted: int = 0
    """How many tasks count."""

    def __str__(self) -> str:
        """Rounds present / expected, and what is missing."""
        return ", ".join(filter(None, (f"{self.rounds}/{self.expected_rounds}", self.lack)))

    @property
    def scored(self) -> int:
        """How many of the tasks that count it has results for."""
        return self.counted - len(self.missing)

    @property
    def lack(self) -> str:
        """What it has no results for, in words; empty where it has some for every task."""
        of = counted(self.counted, "task")
        return f"no results for {len(self.missing)} of {of}" if self.missing else ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of a board."""

    id: str
    """Its name in addresses."""
    agent: Agent
    date: Date
    """When the results were made or published."""
    status: Status
    evidence: Evidence
    scores: Mapping[str, Score]
    """By metric id, in the catalogue's order. Of results each is computed when it is asked for."""
    claims: Mapping[str, Sequence[Claim]] = field(default_factory=dict)
    """What others state of its scores, by metric id."""
    coverage: Coverage | None = None
    bundle: Bundle | None = None
    """The submission's results, without rounds where they were redacted; these, `coverage` and `sheet` are None for a
    reported row."""
    table: ReportedTable | None = None
    """The published table, and its line there; None for a submission."""
    reported: ReportedRow | None = None
    others: Sequence[Line] = ()
    """The lines of other tables that it stands for."""
    sheet: Sheet | None = None
    """The submission's results as arrays."""
    is_whole: bool = True
    """Whether no record is missing that its manifest does not say is, so that claims can be held against the scores."""
    check: Check | None = None
    """What came of reading its rounds again from the grader's output."""
    before: "Entry | None" = None
    """The row as it would be if findings had no effect; None where they change nothing of it."""

    @property
    def sent(self) -> Bundle | None:
        """The submission's results as they were sent in, before findings had their effect."""
        return self.before.bundle if self.before else self.bundle

    def after_findings(self, bundle: Bundle, under: Conditions) -> "Entry":
        """The row as findings make it, from its results with their effects, with what it would be without: this row."""
        judged = self.judged_as(bundle, under)

        def score_of(metric: str) -> Score | None:
            score = judged.scores.get(metric)
            return replace(score, before=self.scores.get(metric)) if score else None

        return replace(judged, scores=OnDemand(under.metrics, score_of), before=self)

    def judged_as(self, bundle: Bundle, under: Conditions) -> "Entry":
        """The row with other states of its records, which stand in the order of its own."""
        if self.bundle is None or self.sheet is None:
            return self
        if bundle.left_out == self.bundle.left_out:
            sheet = sheet_after(
                self.sheet, under.tasks.tasks, self.bundle.rounds, bundle.rounds, bundle.runs
            )
        else:
            sheet = _sheet(bundle, under, self.sheet.made)
        return replace(
            self,
            status=bundle.submission.status,
            evidence=evidence_of(bundle),
            scores=self.scores if sheet is self.sheet else _scores(sheet, under, self.claims),
            bundle=bundle,
            sheet=sheet,
            is_whole=_is_whole(sheet, bundle),
            coverage=coverage_of(bundle, under.tasks, sheet),
            before=None,
        )

    def without(self, gaps: Mapping[str, str], known: Mapping[str, Metric]) -> "Entry":
        """The row with gaps in place of some scores, each with its reason."""

        def score_of(name: str) -> Score | None:
            score = self.scores.get(name)
            return replace(score, value=None, gap=gaps[name]) if score and name in gaps else score

        return replace(self, scores=OnDemand(known, score_of))

    @property
    def is_ranked(self) -> bool:
        """Whether it takes part in the ranking."""
        return self.status.state == "published"

    @property
    def is_incomplete(self) -> bool:
        """Whether it lacks results for a task that counts, so that its scores do not compare with others."""
        return bool(self.coverage and self.coverage.missing)

    @property
    def attempts_words(self) -> str:
        """How many attempts it made where the track asks for more: "1 of 4 attempts"; else empty."""
        if self.sheet is None or self.sheet.made >= self.sheet.attempts:
            return ""
        return f"{self.sheet.made} of {counted(self.sheet.attempts, 'attempt')}"

    def missing_note(self, metric: str) -> str:
        """Return what a score lacks, tasks and attempts; empty where it lacks nothing."""
        score = self.scores.get(metric)
        of_score = score.missing_note if score else ""
        return "; ".join(filter(None, (of_score, self.attempts_words)))

    @property
    def remark(self) -> str:
        """What to know before anything else: that it does not stand any more, or is incomplete; mostly nothing."""
        if not self.is_ranked:
            return self.status.state
        return "incomplete" if self.is_incomplete else ""

    @property
    def claimed(self) -> list[Score]:
        """The scores that others state too, in the catalogue's order; no other one is computed for them."""
        names = self.scores.names if isinstance(self.scores, OnDemand) else self.scores
        return [
            score for name in names if self.claims.get(name) and (score := self.scores.get(name))
        ]

    def value(self, metric: str) -> float | None:
        """A metric's value; None for a gap, and for a metric that the track can't have."""
        score = self.scores.get(metric)
        return score.value if score else None

    def has_score(self, metric: str) -> bool:
        """Whether it has a value that compares with others."""
        return self.value(metric) is not None and not self.is_incomplete

    def text(self, metric: str) -> str:
        """A metric's value as people read it; a dash for a gap."""
        score = self.scores.get(metric)
        return score.text if score else GAP

    def extent(self, metric: str) -> Extent | None:
        """What a metric's value is over, of what it is defined over; None where nothing tells."""
        score = self.scores.get(metric)
        return score.extent if score else None

    def printed_groups(self, metric: str, axis: str) -> Mapping[str, Figure]:
        """What a reported row prints of a metric on parts of the tasks, by the axis' value."""
        figure = self.reported.values.get(metric) if self.reported else None
        return figure.groups.get(axis, {}) if figure else {}


def bundle_entry(
    bundle: Bundle, agent: Agent, under: Conditions, reported: Mapping[str, Sequence[Claim]]
) -> Entry:
    """Score a submission of an agent, called by its one name, about which published tables claim something."""
    submission, track, tasks = bundle.submission, under.track, under.tasks
    if not bundle.rounds:  # a redaction took them
        columns = (metric for name, metric in under.metrics.items() if name in under.track.shown)
        gaps = {metric.id: Score(metric, None, "its content was redacted") for metric in columns}
        return Entry(
            bundle.id, agent, submission.date, submission.status, "reported", gaps, bundle=bundle
        )
    made = min(submission.attempts or track.attempts, track.attempts)
    sheet = _sheet(bundle, under, made)
    claims = {metric: list(found) for metric, found in reported.items()}
    if submission.claims:
        source = submission.claims.source
        over = submission.claims.tasks or (len(tasks.tasks) if source else None)
        for metric, value in submission.claims.values.items():
            claim = Claim(value, source, tasks=over)
            others = [
                each for each in claims.get(metric, ()) if each != claim
            ]  # a table here may say the same
            claims[metric] = [replace(claim, line=bundle.claim_lines.get(metric)), *others]
    return Entry(
        bundle.id,
        agent,
        submission.date,
        submission.status,
        evidence_of(bundle),
        _scores(sheet, under, claims),
        claims,
        coverage_of(bundle, tasks, sheet),
        bundle=bundle,
        sheet=sheet,
        is_whole=_is_whole(sheet, bundle),
    )


def reported_entry(line: Line, agent: Agent, under: Conditions, others: Sequence[Line]) -> Entry:
    """Show a line of a published table as it was printed, and beside it what others print for which it stands.

    A column that it does not print is a gap. The agent is called by its one name.
    """
    row, table = line
    claims = {
        name: [
            Claim(other.values[name].value, source.source)
            for other, source in others
            if name in other.values
        ]
        for name in under.metrics
    }
    scores: dict[str, Score] = {}
    for metric in under.metrics.values():
        figure, stated = row.values.get(metric.id), tuple(claims[metric.id])
        if figure:
            errata = [
                f"{each.about}: {each.note}"
                for each in table.errata
                if each.concerns(row.id, metric.id)
            ]
            scores[metric.id] = replace(
                reported_score(metric, figure, under.track, errata), claims=stated
            )
        elif stated or metric.id in under.kept:
            scores[metric.id] = Score(metric, None, "the source does not print it", claims=stated)
    return Entry(
        row.id,
        agent,
        table.date,
        Status(),
        "reported",
        scores,
        claims,
        table=table,
        reported=row,
        others=others,
    )


def reported_score(
    metric: Metric, figure: Figure, track: Track, errata: Sequence[str] = ()
) -> Score:
    """Show a printed figure as a score."""
    noun = "round" if "rounds" in (metric.counts or "") else "task"
    return Score(
        metric,
        float(figure.value),
        printed=figure.value,
        printed_sd=figure.sd,
        counted=printed_count(metric, figure, track),
        extent=Extent(figure.n, figure.n, noun) if figure.n else None,
        errata=tuple(errata),
    )


def printed_count(metric: Metric, figure: Figure, track: Track) -> tuple[int, int] | None:
    """Find k of n, where a printed figure counts some of n things; None where that does not follow.

    A mean over several attempts counts more things than the table says, and a figure that no k gives was not counted.
    """
    by_attempt = metric.counts not in {"tasks", "rounds"} and track.attempts > 1
    if figure.n is None or by_attempt or (metric.unit != "percent" and not metric.is_count):
        return None
    whole = metric.full(figure.n)
    k = round(float(figure.value) / whole * figure.n)
    is_printed = 0 <= k <= figure.n and Claim(figure.value, None).agrees_with(k / figure.n * whole)
    return (k, figure.n) if is_printed else None


def recomputed_score(metric: Metric, sheet: Sheet, stated: Sequence[Claim] = ()) -> Score:
    """Compute a metric from results, beside what others claim; a gap where the results do not allow it."""
    measured, claims = metric.measure(sheet), tuple(stated)
    apart = tuple(
        claim for claim in claims if sheet.missing or claim.tasks not in {None, len(sheet.tasks)}
    )
    score = Score(
        metric, measured.value, measured.gap, extent=measured.extent, claims=claims, apart=apart
    )
    if measured.value is None:
        return score
    return replace(
        score,
        caveat=metric.caveat(sheet),
        version=metric.version_in(sheet),
        sd=metric.spread(sheet),
        counted=metric.count(sheet, measured.value),
    )


def evidence_of(bundle: Bundle) -> Evidence:
    """Tell whether every case of a bundle can be seen, or its rewards only.

    It is worked out from what is there, never claimed. Whether it was reproduced takes another bundle: a board tells.
    """
    outcomes = [each.outcomes for each in bundle.rounds if each.state == "scored"]
    return "complete" if outcomes and None not in outcomes else "recomputed"


def coverage_of(bundle: Bundle, tasks: TaskSet, sheet: Sheet) -> Coverage:
    """Count the tasks and rounds that a bundle has a record of, of those that count for it."""
    excluded, present = (
        {(each.task, each.round) for each in bundle.rounds if (each.state == "excluded") == is_out}
        for is_out in (True, False)
    )
    expected = {(task.id, each.n) for task in tasks.tasks for each in task.rounds} - (
        excluded - present
    )
    expected -= bundle.left_out
    present &= expected
    there, asked = (len({task for task, _ in keys}) for keys in (present, expected))
    return Coverage(there, asked, len(present), len(expected), sheet.missing, len(sheet.tasks))


def _sheet(bundle: Bundle, under: Conditions, made: int) -> Sheet:
    counting = under.tasks.without(bundle.left_out) if bundle.left_out else under.tasks
    sheet = sheet_of(
        counting.tasks,
        bundle.rounds,
        bundle.runs,
        under.track.attempts,
        made,
        is_free=bool(bundle.submission.agent.free),
    )
    word = under.benchmark.round_word.lower()
    if under.tasks.is_of_one_round and made > 1:
        word = "attempt"
    return replace(sheet, is_fail_stop=under.track.protocol == "fail-stop", word=word)


def _is_whole(sheet: Sheet, bundle: Bundle) -> bool:
    missing = bundle.submission.missing
    return all(all(map(all, grid.results)) for grid in sheet.tasks if grid.task.id not in missing)


def _scores(
    sheet: Sheet, under: Conditions, claims: Mapping[str, Sequence[Claim]]
) -> Mapping[str, Score]:
    """The metrics that protocol and data allow; a column that they do not allow is a gap."""
    kept, told, metrics, track = under.kept, under.told, under.metrics, under.track

    def score_of(name: str) -> Score | None:
        metric, stated = metrics[name], claims.get(name, ())
        if name not in told and not stated:
            return None
        if track.protocol in metric.protocols:
            score = recomputed_score(metric, sheet, stated)
        else:
            score = Score(
                metric, None, f"not defined on {track.protocol} tracks", claims=tuple(stated)
            )
        return score if score.value is not None or stated or name in kept else None

    return OnDemand(metrics, score_of)
