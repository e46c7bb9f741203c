"""Claims by submitters and reported tables: lines that become rows, and claims that differ."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from operator import attrgetter

from sitegen.board.agents import OneName, is_same_agent, shared_settings
from sitegen.board.entry import Entry, TableLine
from sitegen.board.findings import with_effects
from sitegen.board.score import Claim, OnDemand, Score
from sitegen.metrics.catalogue import benchmark_metrics
from sitegen.metrics.conditions import Conditions
from sitegen.metrics.metric import Unit
from sitegen.models.benchmark import Track
from sitegen.models.reported import ReportedRow, ReportedTable
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.submission import Agent
from sitegen.problems import Problem, Rule, counted

CLAIM_DIFFERS = Rule.error(
    "CLAIM-DIFFERS",
    "A score that the submitter claims differs from the score that the rewards give.",
    "correct the claim or the rewards; if the value was published somewhere else, name its "
    "`source`",
)
SOURCE_DIFFERS = Rule.warning(
    "CLAIM-SOURCE-DIFFERS",
    "A score published elsewhere differs from the score that the rewards give.",
    "check that the claim is copied exactly; the page shows both values and the source",
)
CLAIM_OVERTAKEN = Rule.note(
    "CLAIM-BEFORE-FINDING",
    "A claim agreed with the score until findings changed the score.",
    "nothing needs to be done: the page shows both values",
)
CLAIM_UNCHECKED = Rule.warning(
    "CLAIM-UNCHECKED",
    "A claim can't be recomputed.",
    "add what the metric needs, or remove the claim; if the value was published somewhere else, "
    "name its `source`",
)

_UNITS: Mapping[Unit, tuple[int, str]] = {
    "percent": (2, "in percent"),
    "points": (2, "in percentage points"),
    "share": (-2, "a share from 0 to 1"),
}
"""Easily confused units: the power of ten that corrects a claim, and the unit in words."""


def claims_about(
    agent: Agent, tables: Sequence[ReportedTable], name_of: OneName, task_count: int
) -> dict[str, list[Claim]]:
    """Return the scores that reported tables publish for an agent, by metric id.

    Each claim covers all `task_count` tasks of the track.
    """
    claims: dict[str, list[Claim]] = defaultdict(list)
    for table in tables:
        rows = [row for row in table.rows if is_same_agent(agent, row, name_of)]
        for row in rows:
            for metric, figure in row.values.items():
                claims[metric].append(Claim(figure.value, table.source, tasks=task_count))
    return claims


def chosen_lines(
    tables: Sequence[ReportedTable], bundles: Sequence[Bundle], headline: str, name_of: OneName
) -> list[TableLine]:
    """Return the lines of a track's tables that become rows, each with the lines it represents.

    An agent with submitted results has no such row. For any other agent, the line comes from the
    latest table that publishes its headline score, or, if no table does, from the latest table that
    lists the agent.

    Args:
        tables: The tables of the track.
        bundles: The submissions to the track.
        headline: Id of the metric that ranks.
        name_of: Returns the benchmark's spelling of a name.

    Returns:
        The chosen lines: lines with the headline score first, and later tables before earlier
            tables; lines of one table keep their order.
    """
    agents = [bundle.submission.agent for bundle in bundles]
    lines: list[TableLine] = []
    for table in sorted(tables, key=attrgetter("date"), reverse=True):
        lines += [TableLine(row, table) for row in table.rows]
    lines.sort(key=lambda line: headline not in line.row.values)
    chosen: list[TableLine] = []
    for line in lines:
        if any(is_same_agent(agent, line.row, name_of) for agent in agents):
            continue
        later = []
        for other in chosen:
            if other.table is not line.table and is_same_agent(other.row, line.row, name_of):
                later.append(other)
        if later:
            closest = max(later, key=partial(_settings_shared_with, row=line.row))
            closest.others.append(line)
        else:
            chosen.append(line)
    return chosen


def representing_entries(
    tables: Sequence[ReportedTable], entries: Sequence[Entry], name_of: OneName
) -> Mapping[str, Entry]:
    """Return the row that represents each table line that is not a row itself, by the line's id.

    The row is a submission of the same agent, if there is one: a published submission is
    preferred, and then the submission that shares the most settings. Otherwise, it is the row for
    which `chosen_lines` found the line.
    """
    successors: dict[str, Entry] = {}
    for entry in entries:
        if entry.table_line:
            successors.update((line.row.id, entry) for line in entry.table_line.others)
    submissions = [entry for entry in entries if entry.bundle]
    for row in chain.from_iterable(table.rows for table in tables):
        candidates = []
        for entry in submissions:
            if is_same_agent(entry.agent, row, name_of):
                candidates.append(entry)
        if candidates:
            preference = partial(_representing_preference, row=row)
            successors[row.id] = max(candidates, key=preference)
    row_ids = {entry.id for entry in entries}
    current = {}
    for line_id, entry in successors.items():
        if line_id not in row_ids:
            current[line_id] = entry
    return current


def _representing_preference(entry: Entry, row: ReportedRow) -> tuple[bool, int]:
    return entry.is_published, shared_settings(entry.agent, row)


def _settings_shared_with(line: TableLine, row: ReportedRow) -> int:
    return shared_settings(line.row, row)


def with_own_day(entry: Entry, results: BenchmarkResults, track: Track) -> Entry:
    """Return the row, with `on_own_day` set on each score that has an unexplained claim.

    A claim is unexplained if it agrees neither with the score nor with the score without findings.
    """
    if entry.without_findings is None or entry.sent is None:
        return entry
    unexplained = []
    for score in entry.claimed:
        if _has_unexplained_claim(score):
            unexplained.append(score)
    if not unexplained:
        return entry
    earlier_findings = []
    for finding in results.findings:
        if finding.date <= entry.date:
            earlier_findings.append(finding)
    earlier = replace(results, findings=tuple(earlier_findings), bundles=(entry.sent,))
    (bundle,) = with_effects(earlier).bundles
    conditions = Conditions.on_track(results, track)
    on_own_day = entry.without_findings.scored_from(bundle, conditions)
    replaced = {}
    for score in unexplained:
        metric_id = score.metric.id
        replaced[metric_id] = replace(score, on_own_day=on_own_day.scores.get(metric_id))

    def score_of(metric_id: str) -> Score | None:
        return replaced.get(metric_id) or entry.scores.get(metric_id)

    return replace(entry, scores=OnDemand(benchmark_metrics(results.benchmark), score_of))


def _has_unexplained_claim(score: Score) -> bool:
    explained = {*filter(score.meets, score.claims), *score.overtaken}
    return not explained.issuperset(score.claims)


def entry_problems(entry: Entry) -> tuple[Problem, ...]:
    """Return the problems of one row: those of its bundle, and of its claims if comparable."""
    bundle = entry.bundle
    if bundle is None:
        return ()
    problems = list(bundle.problems)
    if entry.coverage is None or entry.coverage.has_expected_records:
        for score in entry.claimed:
            problems += _claim_problems(score, bundle)
    return tuple(problems)


def _claim_problems(score: Score, bundle: Bundle) -> Iterator[Problem]:
    """Yield the claims that differ from a score or cannot be compared with it, as problems."""
    path = bundle.path / "submission.toml"
    title = score.metric.title
    for claim in score.disputed:
        yield claim_difference(score, claim, bundle)
    for claim in score.overtaken:
        message = f"{title}: {score.claim_text(claim)} claimed, {_overtaken_words(score, claim)}"
        yield CLAIM_OVERTAKEN.broken(path, claim.line, message)
    for claim in score.claims:
        is_compared = score.value is not None and claim not in score.claims_over_other_tasks
        # Scores published by a source can't always be recomputed, and readers see both values.
        if is_compared or claim.source is not None or claim in score.overtaken:
            continue
        tasks = f" over {counted(claim.tasks, 'task')}" if claim.tasks else ""
        why = score.gap
        if claim in score.claims_over_other_tasks:
            why = "it covers a different set of tasks than the results"
        claimed = f"{title}: {score.claim_text(claim)} claimed{tasks}"
        message = f"{claimed}, but it can't be recomputed: {why}"
        yield CLAIM_UNCHECKED.broken(path, claim.line, message)


def _overtaken_words(score: Score, claim: Claim) -> str:
    """Return a clause that says which score a claim agrees with, and what the score is now."""
    unaffected = score.without_findings
    if unaffected and unaffected.value is not None and claim.agrees_with(unaffected.value):
        return f"which is the score without findings; with findings, it is {score.text}"
    return f"which was the score with earlier findings; with all findings, it is {score.text}"


def claim_difference(score: Score, claim: Claim, bundle: Bundle) -> Problem:
    """Return the problem to report for a claim that differs from its score.

    If the claim would agree in the metric's unit, the fix gives the converted value.
    """
    path = bundle.path / "submission.toml"
    decimals = max(claim.decimals + 1, score.metric.decimals)
    claimed = score.claim_text(claim)
    message = f"{score.metric.title}: {claimed} claimed, {score.value:.{decimals}f} recomputed"
    if claim.source is not None:
        message = f"{message}; the claim's source is {claim.source}"
        return SOURCE_DIFFERS.broken(path, claim.line, message)
    digits, unit = _UNITS.get(score.metric.unit, (0, ""))
    converted = replace(claim, value=claim.value.scaleb(digits))
    fix = None
    if unit and score.meets(converted):
        fix = f"claim {converted.value:f} instead: the score is {unit}"
    return CLAIM_DIFFERS.broken(path, claim.line, message, fix)
