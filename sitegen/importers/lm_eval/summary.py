"""Compares the harness's own figures with those that follow from its documents."""

from collections.abc import Sequence
from math import isclose
from statistics import fmean

from sitegen.importers.kit import rules
from sitegen.importers.kit.claims import claims_of
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rounds import Run
from sitegen.importers.lm_eval.scored import ScoredTask
from sitegen.importers.lm_eval.scores import aggregation_of, stated_value
from sitegen.models.submission import Claims
from sitegen.problems import listed

_ROUNDING = 1e-6
"""What a mean may be off that was computed in another order, or by a library of single precision."""

_CLAIM_SOURCE = "lm-evaluation-harness: its own figures, pooled over documents"


class Summary:
    """The harness's own figures of one agent, which become a claim where they differ from its documents."""

    def __init__(self) -> None:
        """Begin without figures."""
        self._differs = False
        self._is_complete = True
        self._total = 0.0
        self._documents = 0
        self._ways: dict[str, None] = {}

    def compare(
        self, scored: ScoredTask, rewards: Sequence[float], run: Run, report: Report
    ) -> None:
        """Compare the figure of a task with the mean over its documents, and report where they differ."""
        task_run, score = scored.task_run, scored.score
        stated = stated_value(task_run, score)
        if stated is None or not rewards:
            self._is_complete = False
            return
        value = stated / (scored.scale or 1)
        mean = fmean(rewards)
        self._total += value * len(rewards)
        self._documents += len(rewards)
        if isclose(value, mean, abs_tol=_ROUNDING):
            return
        self._differs = True
        way = aggregation_of(task_run, score.metric)
        by = ""
        if way and way != "mean":
            self._ways[way] = None
            by = f", summed up by {way}"
        name = f"{score.key} of {one_line(task_run.task)}"
        message = (
            f"{name} is {value:g} in {task_run.path.name}{by}, and {mean:g} over its documents"
        )
        report.doubt(rules.SCORE_DIFFERS, task_run.path, run.spot(), message)

    def claims(self) -> Claims | None:
        """Return the harness's figure over all tasks as a claim; None where it agrees, or is not known."""
        if not self._differs or not self._is_complete:
            return None
        value = self._total / self._documents
        if not 0 <= value <= 1:
            return None
        by = f", summed up by {listed(self._ways)}" if self._ways else ""
        return claims_of(value, f"{_CLAIM_SOURCE}{by}")
