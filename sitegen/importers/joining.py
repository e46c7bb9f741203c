"""A track of an import beside the track that its results join."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sitegen.importers import merge_rules as rules
from sitegen.importers.absence import Absence
from sitegen.models.benchmark import Track
from sitegen.models.incoming import Draft
from sitegen.models.outcome import RoundResult
from sitegen.models.task import TaskSet
from sitegen.problems import Problem, counted

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
