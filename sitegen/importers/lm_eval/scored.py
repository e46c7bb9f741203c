"""Define a task of one run with its score, and the rewards of its documents."""

from dataclasses import dataclass

from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rewards import parse_reward
from sitegen.importers.lm_eval.documents import Documents
from sitegen.importers.lm_eval.files import ScoreKey, TaskOutput
from sitegen.models.record import LIMIT

_MAX_PLANNED = 100_000
"""Maximum number of documents whose names are listed."""

_MAX_NAME_LENGTH = 60
_MAX_MEASURE_LENGTH = 80


@dataclass(frozen=True, slots=True)
class ScoredTask:
    """A task of one run, with the score that is its reward."""

    output: TaskOutput
    documents: Documents
    score: ScoreKey
    attempt: int
    scale: float | None
    """The largest possible value of the score; None for values from 0 to 1."""

    @property
    def planned(self) -> list[str]:
        """The documents on which the task was run, if these are its first documents, or else empty.

        The harness names documents by their numbers from 0.
        """
        count = self.output.file.document_count(self.output.task, "effective")
        total = self.output.file.document_count(self.output.task, "original")
        has_limit = self.output.file.config.get("limit") is not None
        if count is None or count > _MAX_PLANNED or (count != total and not has_limit):
            return []
        names = list(map(str, range(count)))
        return names if set(names).issuperset(self.documents.names) else []

    @property
    def unreadable(self) -> list[str]:
        """The missing documents; empty if they outnumber the lines that name no document."""
        present = set(self.documents.names)
        missing = [name for name in self.planned if name not in present]
        return missing if len(missing) <= len(self.documents.lost_lines) else []

    def reward(self, name: str) -> float | None:
        """Return the reward of a document; None if it has no verdict."""
        if name in self.documents.faults:
            return None
        values_by_name = self.documents.values.get(self.score.filter, {})
        value = values_by_name.get(name, {}).get(self.score.metric)
        return parse_reward(value, self.scale)

    def cause(self, name: str) -> str:
        """Return why a document has no verdict."""
        if name in self.documents.faults:
            return self.documents.faults[name]
        if name not in self.documents.names:
            return "its line can't be read"
        values_by_name = self.documents.values.get(self.score.filter, {})
        if name not in values_by_name:
            return f"it has no line under the filter {_shorten(self.score.filter)}"
        metric = _shorten(self.score.metric)
        if self.score.metric not in values_by_name[name]:
            return f"it was not scored by {metric}"
        value = _shorten(str(values_by_name[name][self.score.metric]))
        return f"{metric} is {value}, which is not a score"

    def measures(self, name: str) -> dict[str, float]:
        """Return the document's values other than its reward, keyed by the name of the measure."""
        measures: dict[str, float] = {}
        for filter_name, values_by_name in self.documents.values.items():
            suffix = "" if filter_name == self.score.filter else f"-{filter_name}"
            for metric, value in values_by_name.get(name, {}).items():
                if metric == self.score.metric and not suffix:
                    continue
                number = parse_reward(value)
                if number is not None and abs(number) <= LIMIT:
                    label = one_line(f"{metric}{suffix}", _MAX_MEASURE_LENGTH)
                    measures[f"{label}@lm-eval"] = number
        return measures


def _shorten(text: str) -> str:
    return one_line(text, _MAX_NAME_LENGTH)
