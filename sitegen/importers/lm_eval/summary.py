"""Compare the harness's own figures with figures computed from the documents."""

from collections.abc import Sequence
from math import isclose
from statistics import fmean

from sitegen.importers.kit import rules
from sitegen.importers.kit.claims import mean_reward_claim
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rounds import AgentResults
from sitegen.importers.lm_eval.scored import ScoredTask
from sitegen.importers.lm_eval.scores import find_aggregation, stated_value
from sitegen.models.submission import Claims
from sitegen.problems import listed

_TOLERANCE = 1e-6
"""Maximum difference between equal means, due to the order or precision of computation."""

_CLAIM_SOURCE = "lm-evaluation-harness: its own figures, pooled over documents"


class FigureComparison:
    """Compares the harness's figures for one agent with the means recomputed from documents."""

    def __init__(self) -> None:
        """Initialise a comparison without figures."""
        self._differs = False
        self._is_complete = True
        self._total = 0.0
        self._documents = 0
        self._aggregations: dict[str, None] = {}

    def compare_task(
        self, scored: ScoredTask, rewards: Sequence[float], run: AgentResults, log: ImportLog
    ) -> None:
        """Compare the figure of a task with the mean of its rewards, and report a difference."""
        output = scored.output
        score = scored.score
        stated = stated_value(output, score)
        if stated is None or not rewards:
            self._is_complete = False
            return
        value = stated / (scored.scale or 1)
        mean = fmean(rewards)
        self._total += value * len(rewards)
        self._documents += len(rewards)
        if isclose(value, mean, abs_tol=_TOLERANCE):
            return
        self._differs = True
        aggregation = find_aggregation(output, score.metric)
        clause = ""
        if aggregation not in {"", "mean"}:
            self._aggregations[aggregation] = None
            clause = f", summed up by {aggregation}"
        name = f"{score.key} of {one_line(output.task)}"
        figure = f"{name} is {value:g} in {output.path.name}{clause}"
        message = f"{figure}, but {mean:g} over its documents"
        log.add_doubt(rules.SCORE_DIFFERS, output.path, run.spot(), message)

    def build_claims(self) -> Claims | None:
        """Return the harness's figure over all tasks; None if it is unknown or does not differ."""
        if not self._differs or not self._is_complete:
            return None
        value = self._total / self._documents
        if not 0 <= value <= 1:
            return None
        clause = f", summed up by {listed(self._aggregations)}" if self._aggregations else ""
        return mean_reward_claim(value, f"{_CLAIM_SOURCE}{clause}")
