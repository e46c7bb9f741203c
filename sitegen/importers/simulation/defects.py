"""What was found wrong with the simulated benchmark, and with one of its submissions."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain
from operator import attrgetter

from sitegen.importers.simulation.definition import CHAIN
from sitegen.importers.simulation.entries import Entry
from sitegen.models.finding import Finding
from sitegen.models.incoming import Draft
from sitegen.models.outcome import RoundResult
from sitegen.models.task import TaskSet

LEAKED = 4
"""Rank of the agent that had read the cases of a round; ranks count from 0, so that small benchmarks lack it."""

_SOUND = 2
"""The first task whose cases are looked at, so that a first try with one or two tasks has one defect at most."""


@dataclass(frozen=True, slots=True)
class Defect:
    """A round that no agent could pass, and that nobody is scored on.

    Attributes:
        task: Id of its task.
        round: The round, from 1.
    """

    task: str
    round: int

    def in_task(self, task: str) -> int | None:
        """Give the excluded round of a task; None for the tasks that are sound."""
        return self.round if task == self.task else None


def defect_of(task_set: TaskSet) -> Defect:
    """Pick the round that turned out to be defective: one in the middle of the second task, if there are two."""
    task = task_set.tasks[min(1, len(task_set.tasks) - 1)]
    return Defect(task.id, len(task.rounds) // 2 + 1)


def findings_on(
    defect: Defect, task_set: TaskSet, entered: Sequence[Entry], drafts: Sequence[Draft]
) -> tuple[Finding, ...]:
    """Record what was found: a round that counts for nobody, a remark on the same task, a case and a leak.

    Args:
        defect: The round.
        task_set: The tasks.
        entered: What entered the benchmark.
        drafts: The bundles that were made of it.
    """
    return (*_findings_on_round(defect), *_odd_case(task_set, drafts), *_leak(entered, drafts))


def _odd_case(task_set: TaskSet, drafts: Sequence[Draft]) -> Iterator[Finding]:
    """Find the case that most runs on the chain track failed a round by, and by no other."""
    listed = {(task.id, each.n): each.cases or () for task in task_set.tasks[_SOUND:] for each in task.rounds}
    alone: Counter[tuple[str, int, str]] = Counter()
    for result, place in _spoilt(drafts):
        for case in listed.get((result.task, result.round), ())[place : place + 1]:
            alone[result.task, result.round, case.id] += 1
    for (task, number, name), _ in alone.most_common(1):
        yield Finding(
            date=date(2026, 6, 20),
            kind="defect",
            title="A case that passes or fails by chance",
            reason="It relies on the order of a set. Rounds with it are judged again without it.",
            by="Demo maintainers",
            effect="exclude",
            tracks=(CHAIN,),
            tasks=(task,),
            rounds=(number,),
            cases=(name,),
        )


def _spoilt(drafts: Sequence[Draft]) -> Iterator[tuple[RoundResult, int]]:
    """Give the rounds on the chain track that one case spoilt, with its place."""
    for result in chain.from_iterable(draft.rounds for draft in drafts if draft.submission.track == CHAIN):
        outcomes = result.outcomes or ""
        missed = outcomes.replace("p", "")
        if missed in {"f", "e"}:
            yield result, outcomes.index(missed)


def _leak(entered: Sequence[Entry], drafts: Sequence[Draft]) -> Iterator[Finding]:
    """Find the last round that the agent passed which had read its cases."""
    names = set(map(attrgetter("id"), filter(_has_read, entered)))
    read = (draft for draft in drafts if draft.id in names)
    passed = [(draft.id, result) for draft in read for result in draft.rounds if result.solved]
    for name, result in passed[-1:]:
        yield Finding(
            date=date(2026, 6, 22),
            kind="leak",
            title="An agent had read the cases of a round",
            reason="Its commands list the folder with the cases before the first edit. The round counts 0 for it.",
            by="Demo maintainers",
            effect="zero",
            submissions=(name,),
            tasks=(result.task,),
            rounds=(result.round,),
        )


def _has_read(entry: Entry) -> bool:
    return entry.entrant.rank == LEAKED and entry.track == CHAIN and not entry.extra


def _findings_on_round(defect: Defect) -> tuple[Finding, ...]:
    return (
        Finding(
            date=date(2026, 6, 8),
            kind="defect",
            title="A round whose cases contradict its request",
            reason="Two cases expect the header that the request asks to remove. The round counts for nobody.",
            by="Demo maintainers",
            effect="exclude",
            tasks=(defect.task,),
            rounds=(defect.round,),
        ),
        Finding(
            date=date(2026, 6, 15),
            kind="note",
            title="A request that could be read in two ways",
            reason="Its cases accept either reading, so no result changes.",
            by="Demo maintainers",
            tasks=(defect.task,),
            rounds=(1,),
        ),
    )
