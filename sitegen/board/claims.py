"""What submitters and published tables state: which lines of tables are rows, and where claims and scores disagree."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from sitegen.board.entry import Conditions, Entry, Line
from sitegen.board.findings import with_effects
from sitegen.board.score import Claim, OnDemand, Score
from sitegen.metrics.catalogue import metrics_of
from sitegen.metrics.metric import Unit
from sitegen.models.benchmark import Track
from sitegen.models.reported import ReportedRow, ReportedTable
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.submission import Agent
from sitegen.problems import Problem, Rule, counted, grouped

CLAIM_DIFFERS = Rule.error(
    "CLAIM-DIFFERS",
    "What a submitter claims is what the rewards give.",
    "correct the claim or the rewards; where the value was printed elsewhere, name the `source`",
)
SOURCE_DIFFERS = Rule.warning(
    "CLAIM-SOURCE-DIFFERS",
    "What a source printed is what the rewards give.",
    "nothing needs to be done: readers see both values and the source",
)
CLAIM_OVERTAKEN = Rule.warning(
    "CLAIM-BEFORE-FINDING",
    "What is claimed is what the rewards give, the effects of findings among them.",
    "nothing needs to be done: the claim agreed with the score before the findings, and readers see both",
)
CLAIM_UNCHECKED = Rule.warning(
    "CLAIM-UNCHECKED",
    "What a submitter claims can be recomputed.",
    "add what the metric needs, or remove the claim; where the value was printed elsewhere, name the `source`",
)

_UNITS: Mapping[Unit, tuple[int, str]] = {
    "percent": (2, "in percent"),
    "points": (2, "in points of a percentage"),
    "share": (-2, "a share of 1"),
}
"""Units that are easily taken for each other, each with the digits that a claim in the other one is moved by."""

OneName = Callable[[str], str]
"""Gives the one name of an agent, whatever its spelling."""


def same_agent(agent: Agent, other: Agent, name_of: OneName) -> bool:
    """Whether two are one agent: same name, and no other scaffold or reasoning where both name one."""
    if name_of(agent.name) != name_of(other.name):
        return False
    pairs = ((agent.scaffold, other.scaffold), (agent.reasoning, other.reasoning))
    return all(
        not ours or not theirs or ours.casefold() == theirs.casefold() for ours, theirs in pairs
    )


def claims_about(
    agent: Agent, tables: Sequence[ReportedTable], name_of: OneName, tasks: int
) -> dict[str, list[Claim]]:
    """Collect what published tables state about an agent, by metric id: over all tasks of the track, so many."""
    return grouped(
        (metric, Claim(figure.value, table.source, tasks=tasks))
        for table in tables
        for row in table.rows
        if same_agent(agent, row, name_of)
        for metric, figure in row.values.items()
    )


class Printed(NamedTuple):
    """A line of a published table that is a row of a board, with lines of others for which it stands, latest first."""

    row: ReportedRow
    table: ReportedTable
    others: list[Line]


def printed_rows(
    tables: Sequence[ReportedTable], bundles: Sequence[Bundle], headline: str, name_of: OneName
) -> list[Printed]:
    """Choose the lines of a track's tables that are rows: of agents without results here, as the latest table has them.

    A table that does not print the headline takes the place of none that does.
    """
    agents = [bundle.submission.agent for bundle in bundles]
    latest = sorted(tables, key=attrgetter("date"), reverse=True)
    lines = [(row, table) for table in latest for row in table.rows]
    found: list[Printed] = []
    for row, table in sorted(lines, key=lambda line: headline not in line[0].values):
        if any(same_agent(agent, row, name_of) for agent in agents):
            continue
        later = [
            each for each in found if each.table is not table and same_agent(each.row, row, name_of)
        ]
        if later:
            max(later, key=lambda each: _settings_shared(each.row, row)).others.append((row, table))
        else:
            found.append(Printed(row, table, []))
    return found


def successors_of(
    tables: Sequence[ReportedTable], entries: Sequence[Entry], name_of: OneName
) -> Mapping[str, Entry]:
    """The rows that stand for other lines of a track's tables, by the lines' ids; those that stand first."""
    rows = {entry.id for entry in entries}
    found = {row.id: entry for entry in entries for row, _ in entry.others}
    for row in chain.from_iterable(table.rows for table in tables):
        own = [entry for entry in entries if entry.bundle and same_agent(entry.agent, row, name_of)]
        if own:
            found[row.id] = max(
                own, key=lambda entry: (entry.is_ranked, _settings_shared(entry.agent, row))
            )
    return {name: entry for name, entry in found.items() if name not in rows}


def _settings_shared(one: Agent, other: Agent) -> int:
    pairs = ((one.scaffold, other.scaffold), (one.reasoning, other.reasoning))
    return sum((ours or "").casefold() == (theirs or "").casefold() for ours, theirs in pairs)


def with_own_day(entry: Entry, results: BenchmarkResults, track: Track) -> Entry:
    """A row with the claims that agree with nothing yet held against its scores under the findings of its own day."""
    if entry.before is None or entry.sent is None:
        return entry
    unexplained = [
        each
        for each in entry.claimed
        if {*each.claims} - {*filter(each.meets, each.claims), *each.overtaken}
    ]
    if not unexplained:
        return entry
    known = tuple(each for each in results.findings if each.date <= entry.date)
    (bundle,) = with_effects(replace(results, findings=known, bundles=(entry.sent,))).bundles
    then = entry.before.judged_as(
        bundle, Conditions(results.benchmark, track, results.tasks_of(track))
    )
    added = {
        each.metric.id: replace(each, then=then.scores.get(each.metric.id)) for each in unexplained
    }
    return replace(
        entry,
        scores=OnDemand(
            metrics_of(results.benchmark), lambda name: added.get(name) or entry.scores.get(name)
        ),
    )


def problems_of(entry: Entry) -> tuple[Problem, ...]:
    """What is wrong with a row by itself: its bundle, and its claims where no record is missing."""
    if entry.bundle is None:
        return ()
    claimed = entry.claimed if entry.is_whole else ()
    return (
        *entry.bundle.problems,
        *(each for score in claimed for each in _claim_problems(score, entry.bundle)),
    )


def _claim_problems(score: Score, bundle: Bundle) -> Iterator[Problem]:
    """Say where a score is not what is claimed, or can't be held against it."""
    path, title = bundle.path / "submission.toml", score.metric.title
    yield from (difference(score, claim, bundle) for claim in score.disputed)
    for (
        claim
    ) in score.overtaken:  # right before findings had their effect, or with those of its day
        is_as_sent = (
            score.before
            and score.before.value is not None
            and claim.agrees_with(score.before.value)
        )
        when = "is without findings" if is_as_sent else "was with the findings of its day"
        now = "them" if is_as_sent else "all of them"
        what = f"{title}: {claim.value} claimed, as it {when}; {score.text} with {now}"
        yield CLAIM_OVERTAKEN.broken(path, claim.line, what)
    for claim in score.claims:
        can_be_held = score.value is not None and claim not in score.apart
        if can_be_held or claim.source is not None or claim in score.overtaken:
            continue  # what a source printed can't always be recomputed, and readers see both
        over = f" over {counted(claim.tasks, 'task')}" if claim.tasks else ""
        why = (
            "it is over another set of tasks than the results"
            if claim in score.apart
            else score.gap
        )
        what = f"{title}: {claim.value} claimed{over}, but it can't be recomputed: {why}"
        yield CLAIM_UNCHECKED.broken(path, claim.line, what)


def difference(score: Score, claim: Claim, bundle: Bundle) -> Problem:
    """Say that a score is not what is claimed; in which unit the claim is right, where it is in another one."""
    path = bundle.path / "submission.toml"
    found = f"{score.value:.{max(claim.decimals + 1, score.metric.decimals)}f}"
    what = f"{score.metric.title}: {claim.value} claimed, {found} recomputed"
    if claim.source is not None:
        return SOURCE_DIFFERS.broken(
            path, claim.line, f"{what}; the claim's source is {claim.source}"
        )
    digits, unit = _UNITS.get(score.metric.unit, (0, ""))
    meant = replace(claim, value=claim.value.scaleb(digits))
    fix = (
        f"claim {meant.value:f} instead: the score is {unit}"
        if unit and score.meets(meant)
        else None
    )
    return CLAIM_DIFFERS.broken(path, claim.line, what, fix)
