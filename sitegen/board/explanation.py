"""The arithmetic of a score, down to the rounds."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter, itemgetter

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.score import Score
from sitegen.models.outcome import RoundResult, Start
from sitegen.models.results import Bundle
from sitegen.models.task import Task
from sitegen.problems import counted


@dataclass(frozen=True, slots=True)
class _Run:
    """One attempt at a task, or what was made of it from the reference states."""

    start: Start
    attempt: int
    rounds: Sequence[RoundResult]

    def lines(self) -> Iterator[str]:
        """Say how its rounds went, then what they add up to."""
        name = "from the reference state" if self.start == "reference" else f"attempt {self.attempt}"
        for result in self.rounds:
            yield f"  {name}, round {result.round}: {_verdict(result)}"
        scored = [result for result in self.rounds if result.state != "excluded"]
        if scored:
            passed, shares = sum(result.solved for result in scored), sum(map(_share, scored))
            yield f"  {name}: {passed} / {len(scored)} rounds passed = {passed / len(scored):.6f}"
            yield f"  {name}: case shares add up to {shares:.6f}, / {len(scored)} = {shares / len(scored):.6f}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a row's scores are made of."""

    board: Board
    entry: Entry
    bundle: Bundle
    task: str | None
    """The one task that was asked for; None for all."""

    def lines(self) -> Iterator[str]:
        """Say it line by line."""
        yield f"{self.entry.agent.name} ({self.entry.id}) on {self.board.benchmark.id}, track {self.board.track.id}"
        tasks = [task for task in self.board.tasks.tasks if self.task in {None, task.id}]
        for task in tasks:
            yield ""
            yield from self._task_lines(task)
        if self.task is None:
            yield ""
            yield from self._score_lines()

    def _task_lines(self, task: Task) -> Iterator[str]:
        yield f"{task.id}: {counted(len(task.rounds), 'round')}"
        for each in self.board.marks.on_task(self.entry.id, task.id):
            yield f"  finding {each.id} ({each.finding.effect}): {each.finding.title}"
        for run in self._runs(task):
            yield from run.lines()

    def _runs(self, task: Task) -> Iterator[_Run]:
        found: dict[tuple[Start, int], list[RoundResult]] = defaultdict(list)
        for result in self.bundle.rounds:
            if result.task == task.id:
                found[result.start, result.attempt].append(result)
        for (start, attempt), rounds in sorted(found.items(), key=itemgetter(0)):
            yield _Run(start, attempt, sorted(rounds, key=attrgetter("round")))

    def _score_lines(self) -> Iterator[str]:
        for score in self.entry.scores.values():
            yield f"{score.metric.title} ({score.metric.id}), {score.metric.unit}: {_value(score)}"
            if score.before and score.before.value != score.value:
                yield f"  Without the effects of findings: {_value(score.before)}"
            yield f"  {score.metric.definition}"
            yield f"  Averaged over {score.metric.mean}{f': {score.extent.words}' if score.extent else ''}."
            for claim in score.claims:
                word = score.standing(claim)
                yield f"  Claimed by {claim.source or 'the submitter'}: {claim.value}{f' ({word})' if word else ''}"


def _value(score: Score) -> str:
    return repr(score.value) if score.value is not None else f"not measured: {score.gap}"


def _verdict(result: RoundResult) -> str:
    cause = f" ({result.cause})" if result.cause else ""
    if result.total and result.state != "excluded":
        return f"{result.passed} of {counted(result.total, 'case')}, reward {result.reward:g}"
    return f"{result.state}, reward {result.reward:g}{cause}"


def _share(result: RoundResult) -> float:
    return result.passed / result.total if result.state == "scored" and result.passed and result.total else 0.0
