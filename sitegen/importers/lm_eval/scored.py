"""A task of one run with the score that counts, and what came of each of its documents."""

from dataclasses import dataclass

from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rewards import reward_of
from sitegen.importers.lm_eval.documents import Documents
from sitegen.importers.lm_eval.files import Score, TaskRun
from sitegen.models.record import LIMIT

_MOST_PLANNED = 100_000
"""Documents of a task that are looked for one by one."""


@dataclass(frozen=True, slots=True)
class ScoredTask:
    """A task in one run, with the score that is its reward."""

    task_run: TaskRun
    documents: Documents
    score: Score
    attempt: int
    scale: float | None
    """The largest possible value of the score; None for values from 0 to 1."""

    @property
    def planned(self) -> list[str]:
        """The documents that the task was run on, where their names are known: the first ones of the task."""
        number = self.task_run.file.number(self.task_run.task, "effective")
        total = self.task_run.file.number(self.task_run.task, "original")
        has_limit = self.task_run.file.config.get("limit") is not None
        if number is None or number > _MOST_PLANNED or (number != total and not has_limit):
            return []
        names = [str(place) for place in range(number)]
        return names if set(names).issuperset(self.documents.names) else []

    @property
    def unreadable(self) -> list[str]:
        """The documents whose lines can't be read: those that are missing, if there are as many such lines."""
        present = set(self.documents.names)
        missing = [name for name in self.planned if name not in present]
        return missing if len(missing) <= len(self.documents.lost_lines) else []

    def reward(self, name: str) -> float | None:
        """Return the reward of a document; None where it has no verdict."""
        if name in self.documents.faults:
            return None
        figures = self.documents.figures.get(self.score.filter, {}).get(name, {})
        return reward_of(figures.get(self.score.metric), self.scale)

    def cause(self, name: str) -> str:
        """Return why a document has no verdict."""
        if name in self.documents.faults:
            return self.documents.faults[name]
        by_document = self.documents.figures.get(self.score.filter, {})
        if name not in self.documents.names:
            return "its line can't be read"
        if name not in by_document:
            return f"it has no line under the filter {one_line(self.score.filter, 60)}"
        if self.score.metric not in by_document[name]:
            return f"it was not scored by {one_line(self.score.metric, 60)}"
        value = one_line(str(by_document[name][self.score.metric]), 60)
        return f"{one_line(self.score.metric, 60)} is {value}, which is no score"

    def measures(self, name: str) -> dict[str, float]:
        """Return the other figures of a document, by name."""
        measures: dict[str, float] = {}
        for filter_name, by_document in self.documents.figures.items():
            for metric, value in by_document.get(name, {}).items():
                number = reward_of(value)
                is_reward = (metric, filter_name) == (self.score.metric, self.score.filter)
                if number is None or abs(number) > LIMIT or is_reward:
                    continue
                label = metric if filter_name == self.score.filter else f"{metric}-{filter_name}"
                measures[f"{one_line(label, 80)}@lm-eval"] = number
        return measures
