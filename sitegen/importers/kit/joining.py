"""A track of an import beside the track that its results join: its tasks, its cases and its conditions."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sitegen.importers.kit import rules
from sitegen.models.benchmark import Track
from sitegen.models.finding import Finding
from sitegen.models.incoming import Draft
from sitegen.models.outcome import RoundResult
from sitegen.models.submission import Provenance
from sitegen.models.task import Task, TaskSet
from sitegen.problems import Problem, counted

_SHOWN = 3
"""Tasks whose differences are told in full; the others are named."""


@dataclass(slots=True)
class Shelf:
    """Finds each task set of an import its place: a set with the same tasks that stands, or a free name.

    Attributes:
        folder: Where the task sets' files are.
        standing: Task sets that have a file.
        added: Those that get one.
    """

    folder: Path
    standing: Mapping[str, TaskSet]
    added: dict[str, TaskSet] = field(default_factory=dict)

    def get(self, name: str) -> TaskSet | None:
        """Give the tasks under a name."""
        return self.standing.get(name) or self.added.get(name)

    def hindrances(self, known: TaskSet, tasks: TaskSet) -> list[Problem]:
        """Say what is wrong with results that join a task set, which may have more tasks than they do."""
        found = list(self._differences(known, tasks, lacking=()))
        return found or list(self._changed_digests(known, tasks))

    def place(self, tasks: TaskSet, names: Sequence[str]) -> tuple[TaskSet, list[Problem]]:
        """Give the task set of a new track a name.

        Args:
            tasks: The task set of an import.
            names: Names that it may have, the preferred one first.

        Returns:
            The task set as it is called; and what hinders, where other tasks stand under every name.
        """
        hindrances: list[Problem] = []
        for name in names:
            known = self.get(name)
            if known is None:
                self.added[name] = TaskSet(name, tasks.tasks)
                return self.added[name], []
            found = list(self._differences(known, tasks, lacking=known.by_id().keys() - tasks.by_id().keys()))
            if not found:
                return known, list(self._changed_digests(known, tasks))
            hindrances = hindrances or found
        return tasks, hindrances

    def _file(self, tasks: TaskSet) -> Path:
        return self.folder / f"{tasks.id}.jsonl"

    def _differences(self, known: TaskSet, offered: TaskSet, lacking: Collection[str]) -> Iterator[Problem]:
        ours, theirs = known.by_id(), offered.by_id()
        facts = (("lacks", lacking), ("adds", theirs.keys() - ours.keys()))
        strange = [f"it {verb} {', '.join(sorted(tasks))}" for verb, tasks in facts if tasks]
        if strange:
            lists = f"{known.id} has {_listed(ours)}; the import has {_listed(theirs)}"
            what = f"the import has other tasks than {known.id}: {'; '.join(strange)}. {lists}"
            yield rules.TASKS_DIFFER.broken(self._file(known), None, what)
        yield from self._contradictions(known, theirs)

    def _contradictions(self, known: TaskSet, theirs: Mapping[str, Task]) -> Iterator[Problem]:
        compared = [(line, task, theirs.get(task.id, task)) for line, task in enumerate(known.tasks, start=1)]
        told = [(line, ours.id, "; ".join(_disagreements(ours, other))) for line, ours, other in compared]
        differing = [(line, name, facts) for line, name, facts in told if facts]
        for line, name, facts in differing[:_SHOWN]:
            yield rules.TASK_DIFFERS.broken(self._file(known), line, f"{name} differs from the import: {facts}")
        if differing[_SHOWN:]:
            names = ", ".join(name for _, name, _ in differing[_SHOWN:])
            yield rules.TASK_DIFFERS.broken(self._file(known), None, f"more tasks differ from the import: {names}")

    def _changed_digests(self, known: TaskSet, offered: TaskSet) -> Iterator[Problem]:
        theirs = offered.by_id()
        changed = [each.id for each in known.tasks if _differ(each.digest, theirs.get(each.id, each).digest)]
        if changed:
            what = f"the import states other checksums for {', '.join(changed)}"
            yield rules.DIGEST_DIFFERS.broken(self._file(known), None, what)


def _listed(tasks: Mapping[str, Task]) -> str:
    return f"{len(tasks)}: {', '.join(sorted(tasks))}"


def _disagreements(known: Task, offered: Task) -> Iterator[str]:
    """Say in what a task of an import contradicts the one that stands: in what is scored, not in how it is shown."""
    if len(known.rounds) != len(offered.rounds):
        yield f"{len(known.rounds)} rounds here, {len(offered.rounds)} in the import"
        return
    for ours, theirs in zip(known.rounds, offered.rounds, strict=True):
        if ours.weight != theirs.weight:
            yield f"`weight` of round {ours.n} is {ours.weight:g} here, {theirs.weight:g} in the import"


def _differ(here: str | None, there: str | None) -> bool:
    """Whether both say something, and not the same."""
    return bool(here) and bool(there) and here != there


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


CaseNames = Mapping[tuple[str, int], tuple[str, ...]]
"""Names of a round's cases, by task and round."""


@dataclass(frozen=True, slots=True)
class Joining:
    """A track of an import beside the track that its results join.

    Attributes:
        offered: The track as the import describes it.
        track: The track that the results join; the offered one where it is new.
        case_names: Cases of the import, for the rounds whose cases stand otherwise in the track's task set.
        absence: What becomes of the track's tasks that the import lacks; None where it is about no tasks.
    """

    offered: Track
    track: Track
    case_names: CaseNames = field(default_factory=dict)
    absence: Absence | None = None

    def problems(self, path: Path, drafts: Sequence[Draft]) -> Iterator[Problem]:
        """Say why the results can't join.

        Args:
            path: The benchmark's definition.
            drafts: The bundles on this track.
        """
        for key, here, there in (
            ("protocol", self.track.protocol, self.offered.protocol),
            ("reference_rounds", self.track.reference_rounds, self.offered.reference_rounds),
        ):
            if here != there:
                what = f"`{key}` of track {self.track.id} is {_toml(here)} here, {_toml(there)} in the import"
                yield rules.TRACK_DIFFERS.broken(path, None, what)
        many = [draft for draft in drafts if self._attempts(draft) > self.track.attempts]
        if many:
            most = max(map(self._attempts, many))
            named = ", ".join(draft.id for draft in many)
            asked = counted(self.track.attempts, "attempt")
            what = f"track {self.track.id} has {asked}, but the import has {most}: {named}"
            yield rules.ATTEMPTS_ABOVE.broken(path, None, what)
        if self.absence and self.absence.missing:
            missing, tasks = self.absence.missing, self.absence.tasks
            what = (
                f"the import lacks {len(missing)} of the {len(tasks.tasks)} tasks of {tasks.id}: {', '.join(missing)}"
            )
            yield rules.TASKS_MISSING.broken(path.parent / "tasks" / f"{tasks.id}.jsonl", None, what)

    def fitted(self, draft: Draft) -> Draft:
        """Give a bundle as it stands on the joined track, with what the import took for granted said aloud."""
        fitted = draft
        if self.offered.attempts != self.track.attempts:
            stated = draft.submission.model_copy(update={"attempts": self._attempts(draft)})
            fitted = replace(fitted, submission=stated)
        if self.case_names:
            fitted = replace(fitted, rounds=tuple(map(self._with_case_names, draft.rounds)))
        return self.absence.fitted(fitted, self._attempts(draft)) if self.absence else fitted

    def _attempts(self, draft: Draft) -> int:
        return draft.submission.attempts or self.offered.attempts

    def _with_case_names(self, result: RoundResult) -> RoundResult:
        names = self.case_names.get((result.task, result.round))
        if names is None or result.outcomes is None or result.case_ids is not None:
            return result
        return replace(result, case_ids=names)


def other_case_names(offered: TaskSet, joined: TaskSet) -> CaseNames:
    """Find the rounds whose cases a task set lists otherwise than an import, and give the import's names for them."""
    standing = _case_names(joined)
    return {place: names for place, names in _case_names(offered).items() if names != standing.get(place)}


def _case_names(tasks: TaskSet) -> CaseNames:
    return {
        (task.id, each.n): tuple(case.id for case in each.cases)
        for task in tasks.tasks
        for each in task.rounds
        if each.cases
    }


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)
