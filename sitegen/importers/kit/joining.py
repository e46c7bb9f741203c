"""Where the results of a track of an import go: the track that they join, and its tasks."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sitegen.importers.kit import rules
from sitegen.models.benchmark import Track
from sitegen.models.finding import Finding
from sitegen.models.incoming import Draft
from sitegen.models.outcome import RoundResult
from sitegen.models.task import Task, TaskSet
from sitegen.problems import Problem, counted, errors_of

_SHOWN = 3
"""Tasks whose differences are told in full; the others are named."""

_NONE = TaskSet("", ())


@dataclass(slots=True)
class TaskSets:
    """The task sets of a benchmark while an import adds to them."""

    folder: Path
    """Where their files are."""
    standing: Mapping[str, TaskSet]
    """Task sets that have a file."""
    added: dict[str, TaskSet] = field(default_factory=dict)
    """Those that get one."""

    def place(self, tasks: TaskSet, names: Sequence[str]) -> tuple[TaskSet, list[Problem]]:
        """Find the task set of a new track its place: a set with the same tasks that stands, or a free name.

        Args:
            tasks: The task set of an import.
            names: Names that it may have, the preferred one first.

        Returns:
            The task set as it is called; and what hinders, where other tasks stand under every name.
        """
        hindrances: list[Problem] = []
        for name in names:
            known = self.standing.get(name) or self.added.get(name)
            if known is None:
                self.added[name] = TaskSet(name, tasks.tasks)
                return self.added[name], []
            found = self.differences(known, tasks, is_whole=True)
            if not errors_of(found):
                return known, found
            hindrances = hindrances or found
        return tasks, hindrances

    def differences(self, known: TaskSet, offered: TaskSet, *, is_whole: bool) -> list[Problem]:
        """Say how the tasks of an import differ from those of a task set.

        Args:
            known: The task set.
            offered: The tasks of the import.
            is_whole: Whether the import is to have all of them.

        Returns:
            The errors; where there is none, a warning of other checksums.
        """
        path, ours, theirs = self.folder / f"{known.id}.jsonl", known.by_id(), offered.by_id()
        problems = []
        lacking, extra = ours.keys() - theirs.keys() if is_whole else (), theirs.keys() - ours.keys()
        strange = [f"it {verb} {_named(tasks)}" for verb, tasks in (("lacks", lacking), ("adds", extra)) if tasks]
        if strange:
            lists = f"{known.id} has {len(ours)}: {_named(ours)}; the import has {len(theirs)}: {_named(theirs)}"
            what = f"the import has other tasks than {known.id}: {'; '.join(strange)}. {lists}"
            problems.append(rules.TASKS_DIFFER.broken(path, None, what))
        both = [(line, task, theirs[task.id]) for line, task in enumerate(known.tasks, start=1) if task.id in theirs]
        apart = [(line, ours.id, "; ".join(facts)) for line, ours, other in both if (facts := _differ(ours, other))]
        for line, name, told in apart[:_SHOWN]:
            problems.append(rules.TASK_DIFFERS.broken(path, line, f"{name} differs from the import: {told}"))
        if apart[_SHOWN:]:
            names = ", ".join(name for _, name, _ in apart[_SHOWN:])
            problems.append(rules.TASK_DIFFERS.broken(path, None, f"more tasks differ from the import: {names}"))
        changed = [here.id for _, here, there in both if here.digest and there.digest and here.digest != there.digest]
        if changed and not problems:
            what = f"the import states other checksums for {', '.join(changed)}"
            problems.append(rules.DIGEST_DIFFERS.broken(path, None, what))
        return problems


def _named(tasks: Iterable[str]) -> str:
    return ", ".join(sorted(tasks))


def _differ(known: Task, offered: Task) -> list[str]:
    """Say in what a task of an import contradicts the one that stands: in what is scored, not in how it is shown."""
    if len(known.rounds) != len(offered.rounds):
        return [f"{len(known.rounds)} rounds here, {len(offered.rounds)} in the import"]
    return [
        f"`weight` of round {ours.n} is {ours.weight:g} here, {theirs.weight:g} in the import"
        for ours, theirs in zip(known.rounds, offered.rounds, strict=True)
        if ours.weight != theirs.weight
    ]


@dataclass(frozen=True, slots=True)
class Joining:
    """A track of an import beside the track that its results join."""

    offered: Track
    """The track as the import describes it."""
    track: Track
    """The track that the results join; the offered one where it is new."""
    own: TaskSet = _NONE
    """The tasks of the import; none where its track is about none."""
    tasks: TaskSet = _NONE
    """The tasks of the track that the results join."""
    missing: tuple[str, ...] = ()
    """Tasks that the import has no results of, and that its bundles say they miss."""
    excluded: tuple[Task, ...] = ()
    """Those that a finding takes out for everybody: nobody misses them, and every bundle has records that say so."""

    def beside(self, findings: Sequence[Finding]) -> "Joining":
        """Compare the tasks: what becomes of those that the import has no results of."""
        here = self.own.by_id()
        absent = [task for task in self.tasks.tasks if task.id not in here]
        out = {task.id for task in absent for finding in findings if finding.takes_out(self.track.id, task.id)}
        missing = tuple(task.id for task in absent if task.id not in out)
        return replace(self, missing=missing, excluded=tuple(task for task in absent if task.id in out))

    def problems(self, path: Path, drafts: Sequence[Draft]) -> Iterator[Problem]:
        """Say why the results can't join.

        Args:
            path: The benchmark's definition.
            drafts: The bundles on this track.
        """
        for key in ("protocol", "reference_rounds"):
            here, there = (_toml(getattr(each, key)) for each in (self.track, self.offered))
            if here != there:
                what = f"`{key}` of track {self.track.id} is {here} here, {there} in the import"
                yield rules.TRACK_DIFFERS.broken(path, None, what)
        many = [draft for draft in drafts if self._attempts(draft) > self.track.attempts]
        if many:
            most = max(map(self._attempts, many))
            named = ", ".join(draft.id for draft in many)
            asked = counted(self.track.attempts, "attempt")
            what = f"track {self.track.id} has {asked}, but the import has {most}: {named}"
            yield rules.ATTEMPTS_ABOVE.broken(path, None, what)
        if self.missing:
            of_all = f"{len(self.missing)} of the {len(self.tasks.tasks)} tasks of {self.tasks.id}"
            what = f"the import lacks {of_all}: {', '.join(self.missing)}"
            yield rules.TASKS_MISSING.broken(path.parent / "tasks" / f"{self.tasks.id}.jsonl", None, what)

    def fitted(self, draft: Draft) -> Draft:
        """Give a bundle as it stands on the joined track, with what the import took for granted said aloud."""
        attempts, stated, rounds = self._attempts(draft), dict[str, object](), list(draft.rounds)
        if self.offered.attempts != self.track.attempts:
            stated["attempts"] = attempts
        # Cases are named where they stand otherwise in the track's task set, or not at all.
        names = dict(_case_names(self.own).items() - _case_names(self.tasks).items())
        for place, each in enumerate(rounds):
            own = names.get((each.task, each.round))
            if own and each.outcomes is not None and each.case_ids is None:
                rounds[place] = replace(each, case_ids=own)
        if self.missing or self.excluded:
            provenance, theirs = draft.submission.provenance, self.tasks.by_id()
            same = all(task.digest == theirs[task.id].digest for task in self.own.tasks)
            if same and provenance.task_digest == self.own.digest:
                # What stands for the tasks of the import stands for those of the track.
                digest = self.tasks.digest or provenance.task_digest
                provenance = provenance.model_copy(update={"task_digest": digest})
            stated |= {"missing": self.missing, "provenance": provenance}
            for task in self.excluded:
                for attempt in range(1, attempts + 1):
                    rounds += [RoundResult(task.id, attempt, each.n, "excluded", 0) for each in task.rounds]
                if self.track.reference_rounds:
                    one = [RoundResult(task.id, 1, each.n, "excluded", 0, start="reference") for each in task.rounds]
                    rounds += one
            order = {task.id: place for place, task in enumerate(self.tasks.tasks)}
            rounds.sort(key=lambda each: order[each.task])
        return replace(draft, submission=draft.submission.model_copy(update=stated), rounds=tuple(rounds))

    def _attempts(self, draft: Draft) -> int:
        return draft.submission.attempts or self.offered.attempts


def _case_names(tasks: TaskSet) -> dict[tuple[str, int], tuple[str, ...]]:
    """Give the names of each round's cases, where the tasks list them."""
    return {
        (task.id, each.n): tuple(case.id for case in each.cases)
        for task in tasks.tasks
        for each in task.rounds
        if each.cases
    }


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)
