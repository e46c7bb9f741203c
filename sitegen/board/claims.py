"""What published tables say about agents that have results here, and where the two disagree."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from sitegen.board.entry import Entry
from sitegen.board.score import Claim, Score
from sitegen.metrics.metric import Unit
from sitegen.models.reported import ReportedTable
from sitegen.models.submission import Agent
from sitegen.problems import Problem, Rule, counted

CLAIM_DIFFERS = Rule(
    "CLAIM-DIFFERS",
    "error",
    "What a submitter claims is what the rewards give.",
    "correct the claim or the rewards; where the value was printed elsewhere, name the `source`",
)
SOURCE_DIFFERS = Rule(
    "CLAIM-SOURCE-DIFFERS",
    "warning",
    "What a source printed is what the rewards give.",
    "nothing needs to be done: readers see both values and the source",
)
CLAIM_OVERTAKEN = Rule(
    "CLAIM-BEFORE-FINDING",
    "warning",
    "What is claimed is what the rewards give, the effects of findings among them.",
    "nothing needs to be done: the claim agreed with the score before the findings, and readers see both",
)
CLAIM_UNCHECKED = Rule(
    "CLAIM-UNCHECKED",
    "warning",
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


def claims_about(agent: Agent, tables: Sequence[ReportedTable], name_of: OneName, tasks: int) -> dict[str, list[Claim]]:
    """Collect what published tables state about an agent, by metric id: over all tasks of the track, so many."""
    found: dict[str, list[Claim]] = defaultdict(list)
    for table in tables:
        for row in table.rows:
            if same_agent(agent, row, name_of):
                for metric, figure in row.values.items():
                    found[metric].append(Claim(figure.value, table.source, tasks=tasks))
    return found


def problems_of(entry: Entry) -> tuple[Problem, ...]:
    """Give everything that is wrong with a row: with its bundle, and with what is claimed about it.

    Where a record is missing, that is told, and not that the scores differ from the claims because of it.
    """
    if entry.bundle is None:
        return ()
    path = entry.bundle.path / "submission.toml"
    claimed = (_claim_problems(score, path) for score in entry.claimed) if entry.is_whole else ()
    return (*entry.bundle.problems, *chain.from_iterable(claimed))


def _claim_problems(score: Score, path: Path) -> Iterator[Problem]:
    """Say where a score is not what is claimed, or can't be held against it."""
    yield from (_difference(score, claim, path) for claim in score.disputed)
    yield from (_overtaken(score, claim, path) for claim in score.overtaken)
    yield from (_gap(score, claim, path) for claim in score.claims if _is_unchecked(score, claim))


def _is_unchecked(score: Score, claim: Claim) -> bool:
    """Whether a submitter claims what can't be recomputed; where a source printed it, readers see both."""
    can_be_held = score.value is not None and claim not in score.apart
    return not can_be_held and claim.source is None and claim not in score.overtaken


def _gap(score: Score, claim: Claim, path: Path) -> Problem:
    over = f" over {counted(claim.tasks, 'task')}" if claim.tasks else ""
    why = "it is over another set of tasks than the results" if claim in score.apart else score.gap
    what = f"{score.metric.title}: {claim.value} claimed{over}, but it can't be recomputed: {why}"
    return CLAIM_UNCHECKED.broken(path, claim.line, what)


def _difference(score: Score, claim: Claim, path: Path) -> Problem:
    found = f"{score.value:.{max(claim.decimals + 1, score.metric.decimals)}f}"
    what = f"{score.metric.title}: {claim.value} claimed, {found} recomputed"
    if claim.source is None:
        return CLAIM_DIFFERS.broken(path, claim.line, what, _in_its_unit(score, claim))
    return SOURCE_DIFFERS.broken(path, claim.line, f"{what}; the claim's source is {claim.source}")


def _in_its_unit(score: Score, claim: Claim) -> str | None:
    """Say how a claim that is right by itself is written in the score's unit; None where it is not right either."""
    digits, unit = _UNITS.get(score.metric.unit, (0, ""))
    meant = replace(claim, value=claim.value.scaleb(digits))
    return f"claim {meant.value:f} instead: the score is {unit}" if unit and score.meets(meant) else None


def _overtaken(score: Score, claim: Claim, path: Path) -> Problem:
    """Say that a claim was right before findings had their effect, or with those of its day."""
    is_as_sent = score.before and score.before.value is not None and claim.agrees_with(score.before.value)
    when, now = ("is without findings", "them") if is_as_sent else ("was with the findings of its day", "all of them")
    what = f"{score.metric.title}: {claim.value} claimed, as it {when}; {score.text} with {now}"
    return CLAIM_OVERTAKEN.broken(path, claim.line, what)


def same_agent(agent: Agent, other: Agent, name_of: OneName) -> bool:
    """Whether two are one agent: same name, and no other scaffold or reasoning where both name one."""
    if name_of(agent.name) != name_of(other.name):
        return False
    pairs = ((agent.scaffold, other.scaffold), (agent.reasoning, other.reasoning))
    return all(not ours or not theirs or ours.casefold() == theirs.casefold() for ours, theirs in pairs)
