"""Tasks of a track that an import has no results of."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from sitegen.models.benchmark import Track
from sitegen.models.finding import Finding
from sitegen.models.incoming import Draft
from sitegen.models.outcome import RoundResult
from sitegen.models.submission import Provenance
from sitegen.models.task import Task, TaskSet


@dataclass(frozen=True, slots=True)
class Absence:
    """What becomes of the tasks that an import has no results of.

    Attributes:
        track: The track that the results join.
        tasks: Its tasks.
        offered: The tasks of the import.
        missing: Tasks that its bundles say they miss.
        excluded: Tasks that a finding takes out for everybody: nobody misses them, and every bundle has records that
            say so.
    """

    track: Track
    tasks: TaskSet
    offered: TaskSet
    missing: tuple[str, ...]
    excluded: tuple[Task, ...]

    @classmethod
    def of(cls, track: Track, tasks: TaskSet, offered: TaskSet, findings: Sequence[Finding]) -> "Absence":
        """Compare the tasks of a track with those of an import."""
        here = offered.by_id()
        absent = [task for task in tasks.tasks if task.id not in here]
        out = {task.id for task in absent for finding in findings if finding.takes_out(track.id, task.id)}
        missing = tuple(task.id for task in absent if task.id not in out)
        return cls(track, tasks, offered, missing, tuple(task for task in absent if task.id in out))

    def fitted(self, draft: Draft, attempts: int) -> Draft:
        """Give a bundle that says which tasks it misses, and has records of those that are excluded.

        Args:
            draft: The bundle, its records in the order of the tasks of the import.
            attempts: Its attempts.
        """
        if not (self.missing or self.excluded):
            return draft
        stated = {"missing": self.missing, "provenance": self._provenance(draft.submission.provenance)}
        places = {task.id: place for place, task in enumerate(self.tasks.tasks)}
        added = (each for task in self.excluded for each in self._records(task, range(1, attempts + 1)))
        rounds = tuple(sorted([*draft.rounds, *added], key=lambda each: places[each.task]))
        return replace(draft, submission=draft.submission.model_copy(update=stated), rounds=rounds)

    def _provenance(self, stated: Provenance) -> Provenance:
        """Let what stands for the tasks of the import stand for those of the track, where they are the same."""
        ours = self.tasks.by_id()
        same = all(task.digest == ours[task.id].digest for task in self.offered.tasks)
        if not same or stated.task_digest != self.offered.digest:
            return stated
        return stated.model_copy(update={"task_digest": self.tasks.digest or stated.task_digest})

    def _records(self, task: Task, attempts: Iterable[int]) -> Iterator[RoundResult]:
        for attempt in attempts:
            yield from (RoundResult(task.id, attempt, each.n, "excluded", 0) for each in task.rounds)
        if self.track.reference_rounds:
            yield from (RoundResult(task.id, 1, each.n, "excluded", 0, start="reference") for each in task.rounds)
