"""Build a `Metric` from a declaration, which determines its facts, its formula and its words.

`build_metric` builds a metric of the catalogue, `build_benchmark_metric` a metric that a benchmark
declares, and `build_ratio_metric` the ratio of two such metrics. `reduction` computes their scores.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack, assert_never

from sitegen.metrics.metric import (
    ALL,
    MIN_COVERAGE,
    Computation,
    CountedUnit,
    Definition,
    Effort,
    Extent,
    Metric,
    MetricError,
    TaskWeighting,
    Unit,
    ValueRange,
    paragraphs,
)
from sitegen.metrics.reduction import Reduction
from sitegen.metrics.results import SubmissionResults, amount_getter
from sitegen.models.benchmark import Protocol
from sitegen.models.declared import DECIMALS, Declared, OverAttempts, OverRounds, OverTasks
from sitegen.models.digests import definition_digest, ratio_digest
from sitegen.models.outcome import RoundResult
from sitegen.problems import counted

_QUANTITIES = {
    "pass": ("passed", "1 if round i of task t passed in attempt a, otherwise 0"),
    "reward": ("reward", "reward of round i as submitted; 0 without a verdict"),
    "cases": (
        "share",
        "share of the cases of round i that pass, counting skipped ones; 0 if no case ran",
    ),
    "cost_usd": (
        "cost",
        "cost of round i in US dollars; 0 means unknown unless the agent is declared free",
    ),
    "turns": ("turns", "replies that the model gave in round i"),
    "interactions": ("interactions", "tool calls that the agent made in round i"),
    "input_tokens": ("tokens", "tokens that the model read in round i"),
    "output_tokens": ("tokens", "tokens that the model wrote in round i"),
    "agent_seconds": ("seconds", "wall time of the agent in round i, excluding the check"),
}
"""Name of each quantity of a round in formulas, and its meaning."""

_EFFORTS: Mapping[str, Effort] = {
    "cost_usd": "cost",
    "turns": "steps",
    "interactions": "steps",
    "input_tokens": "tokens",
    "output_tokens": "tokens",
    "agent_seconds": "time",
}

_AVERAGED_ROUNDS: Mapping[OverRounds, str] = {
    "mean": "rounds of a task",
    "weighted": "rounds of a task by their weights",
}
_AVERAGED_ATTEMPTS: Mapping[OverAttempts, str] = {
    "mean": "attempts",
    "median": "the middle attempts at a task",
}
_AVERAGED_TASKS: Mapping[OverTasks, str] = {
    "mean": "tasks",
    "weighted": "tasks by their weights",
    "macro": "tasks of a group, then groups",
}
_REDUCED_TASKS: Mapping[OverTasks, str] = {
    "sum": "tasks are added up",
    "count": "tasks are counted",
    "median": "the median over tasks is taken",
}


class MetricFacts(TypedDict, total=False):
    """Fields of a metric that do not follow from its declaration."""

    unit: Unit
    caveat: Callable[[SubmissionResults], str | None]
    published_title: str
    is_benchmark_declared: bool
    version: int | str


def build_metric(
    declared: Declared,
    weights: Mapping[str, float] | None = None,
    *,
    protocols: frozenset[Protocol] = ALL,
    needs_all: bool = False,
    **facts: Unpack[MetricFacts],
) -> Metric:
    """Return the metric of a valid declaration.

    Args:
        declared: The declaration.
        weights: Weights of the values of the declared axis.
        protocols: Protocols on whose data the metric is defined.
        needs_all: Whether the metric requires exactly as many attempts as the track asks for.
        **facts: Fields to set instead of the values that follow from the declaration.
    """
    decimals = declared.decimals
    if decimals is None:
        decimals = DECIMALS[declared.unit]
    fields: dict[str, Any] = {
        "id": declared.id,
        "title": declared.title,
        "unit": declared.unit,
        "direction": declared.direction,
        "decimals": decimals,
        "declared": declared,
        "protocols": protocols,
    }
    if declared.reported:
        definition = _definition(declared, "", {}, "No table reports it.")
        fields |= {
            "averaging_words": "as defined by its source",
            "computation": Computation(_reported),
            "aggregation": None,
            "stated_definition": definition,
        }
        fields.update(facts)
        return Metric(**fields)
    reduction = Reduction.from_declared(declared, weights, needs_all=needs_all)
    formula, letters = _formula(declared, reduction)
    value_range: ValueRange = "open"
    if reduction.measurement and not reduction.is_sum:
        value_range = "by unit"
    elif reduction.is_verdict and reduction.rounds != "sum" and not reduction.is_sum:
        value_range = "share"
    has_spread = reduction.tasks == "pooled" and not reduction.is_verdict
    fields |= {
        "averaging_words": _averaged(reduction),
        "stated_definition": _definition(
            declared, formula, letters, _gaps(reduction), _usual_summary(reduction)
        ),
        "aggregation": reduction.aggregation,
        "task_weighting": _task_weighting(reduction),
        "counted_unit": _counted_unit(reduction),
        "effort": _EFFORTS.get(reduction.quantity),
        "measurement": reduction.measurement,
        "value_range": value_range,
    }
    fields["computation"] = Computation(
        function=reduction.compute,
        arguments=lambda submission: (submission,),
        extent=reduction.extent,
        extents=reduction.extents_of_attempts if reduction.has_extents_of_attempts else None,
        accepts_record=_record_filter(reduction),
        split_scores=reduction.split_scores,
        observations=reduction.observations if has_spread else None,
    )
    fields.update(facts)
    return Metric(**fields)


def build_benchmark_metric(declared: Declared, weights: Mapping[str, float]) -> Metric:
    """Return a metric that a benchmark declares.

    The version of its definition is a digest, so that different definitions have different
    versions.
    """
    version = definition_digest(declared, weights)
    return build_metric(declared, weights, is_benchmark_declared=True, version=version)


def build_ratio_metric(declared: Declared, numerator: Metric, denominator: Metric) -> Metric:
    """Return the ratio of two metrics of a benchmark, which the benchmark declares.

    Spending per result is an effort, like the costs themselves; achievement per cost is not.
    """
    effort = None if denominator.effort else numerator.effort
    measurement = numerator.measurement or denominator.measurement
    decimals = declared.decimals
    if decimals is None:
        decimals = DECIMALS[declared.unit]
    factor = "100 · " if declared.unit == "percent" else ""
    formula = f"{declared.title} = {factor}{numerator.title} / {denominator.title}"
    letters = {}
    for part in (numerator, denominator):
        unit = ", as a share" if part.unit == "percent" else ""
        letters[part.title] = f"the metric {part.id}{unit}: {part.definition.sentence}"
    gaps = f"{numerator.title} or {denominator.title} is missing, or {denominator.title} is 0."
    sentence = f"{numerator.title} divided by {denominator.title}."
    ratio = Ratio(numerator, denominator)
    # One call, because a metric is frozen, so all its fields are set at once.
    return Metric(
        id=declared.id,
        title=declared.title,
        unit=declared.unit,
        direction=declared.direction,
        decimals=decimals,
        declared=declared,
        protocols=numerator.protocols & denominator.protocols,
        averaging_words=f"nothing: {numerator.title} is divided by {denominator.title}",
        computation=Computation(ratio.compute, lambda submission: (submission,), ratio.extent),
        stated_definition=_definition(declared, formula, letters, gaps, sentence),
        aggregation=None,
        ratio_of=(numerator, denominator),
        effort=effort,
        measurement=measurement,
        value_range="open",
        is_benchmark_declared=True,
        version=ratio_digest(declared, str(numerator.version), str(denominator.version)),
    )


@dataclass(frozen=True, slots=True)
class Ratio:
    """One metric divided by another; a percentage counts as a share."""

    numerator: Metric
    denominator: Metric

    def compute(self, submission: SubmissionResults) -> float:
        """Return a submission's score.

        Raises:
            MetricError: One of the two metrics has no score, or the denominator is 0.
        """
        dividend = self._value(self.numerator, submission)
        divisor = self._value(self.denominator, submission)
        if divisor == 0:
            raise MetricError(f"{self.denominator.title} is 0, so nothing can be divided by it")
        return dividend / divisor

    @staticmethod
    def _value(metric: Metric, submission: SubmissionResults) -> float:
        measured = metric.measure(submission)
        if measured.value is None:
            raise MetricError(f"{metric.title}: {measured.gap}")
        return measured.value / metric.factor

    def extent(self, submission: SubmissionResults) -> Extent:
        """Return the extent of a score: the narrower of the extents of the two metrics."""
        extent = self.numerator.computation.extent(submission)
        return extent.narrower(self.denominator.computation.extent(submission))


def _reported(*_: object) -> float:
    raise MetricError("only published tables report it; it is not computed from results")


def _record_filter(reduction: Reduction) -> Callable[[RoundResult], bool] | None:
    """Return a predicate for records that count; None if every record with a verdict counts."""
    if reduction.quantity in {"pass", "reward"}:
        return None
    if reduction.quantity == "cases":
        return lambda result: bool(result.total)
    take = amount_getter(reduction.quantity)
    return lambda result: take(result) is not None


def _task_weighting(reduction: Reduction) -> TaskWeighting | None:
    """Return the weight of a task in a mean over tasks, see `Metric.task_weighting`."""
    match reduction.tasks:
        case "pooled":
            return "expected" if reduction.is_verdict else "covered"
        case "macro" | "weighted":
            return "declared"
        case "mean" | "median" | "sum" | "count":
            return None
        case _:
            assert_never(reduction.tasks)


def _counted_unit(reduction: Reduction) -> CountedUnit | None:
    """Return the unit that a score counts, as k of n; None if the score is not a count."""
    if reduction.tasks == "count":
        return "tasks"
    if reduction.quantity != "pass" or reduction.is_chance:
        return None
    if reduction.tasks == "pooled":
        return "rounds of attempts"
    if reduction.tasks != "mean" or reduction.rounds not in {"all", "last"}:
        return None
    if reduction.attempts == "median":  # the median of an even number of attempts may be 0.5
        return None
    return "attempts" if reduction.attempts == "mean" else "tasks"


def _averaged(reduction: Reduction) -> str:
    """Return the averaging steps in words, such as "attempts, then tasks"."""
    if reduction.tasks == "pooled":
        return "all rounds of all attempts and tasks, pooled"
    rounds = _AVERAGED_ROUNDS.get(reduction.rounds)
    attempts = _AVERAGED_ATTEMPTS.get(reduction.attempts)
    tasks = _AVERAGED_TASKS.get(reduction.tasks)
    averaged = ", then ".join(filter(None, (rounds, attempts, tasks)))
    reduced_tasks = _REDUCED_TASKS.get(reduction.tasks)
    if reduced_tasks is None:
        return averaged
    if not averaged:
        return f"nothing: {reduced_tasks}"
    return f"{averaged}; then {reduced_tasks}"


def _formula(declared: Declared, reduction: Reduction) -> tuple[str, dict[str, str]]:
    """Return the definition as a formula, and the meanings of its letters."""
    measured = "value", f"{reduction.noun} of round i, as measured"
    name, meaning = _QUANTITIES.get(reduction.quantity, measured)
    attempt = "1" if reduction.attempts == "first" else "a"
    number = "i"
    if reduction.rounds == "last":
        number = "last"
        meaning = meaning.replace("round i", "the last round")
    term = f"{name}(t, {attempt}, {number})"
    letters = {term: meaning}
    known_clause = "" if reduction.is_verdict else ", where known"
    if reduction.tasks == "pooled":
        text = f"Σ_t Σ_a Σ_i {term} / n"
        letters["n"] = f"rounds of all attempts and tasks{known_clause}"
    else:
        text = _over_rounds(reduction, term, letters, known_clause)
        text = _over_attempts(reduction, text, letters, known_clause)
        text = _over_tasks(reduction, text, letters, known_clause)
    factor = "100 · " if declared.unit == "percent" else ""
    return f"{declared.title} = {factor}{text}", letters


def _over_rounds(
    reduction: Reduction, term: str, letters: dict[str, str], known_clause: str
) -> str:
    """Return the formula over the rounds of an attempt, and add its letters to `letters`."""
    match reduction.rounds:
        case "mean":
            letters["mean_i"] = f"over the rounds of a task{known_clause}"
            return f"mean_i {term}"
        case "sum":
            letters["Σ_i"] = "over the rounds of a task"
            return f"Σ_i {term}"
        case "all":
            letters["min_i"] = "over the rounds of a task: 1 if all of them passed"
            return f"min_i {term}"
        case "weighted":
            share = "weight of round i as a share of the weights of all rounds of task t"
            letters["w(t, i)"] = f"{share}{known_clause}"
            return f"Σ_i w(t, i) · {term}"
        case "last":
            letters["last"] = "the last round of task t"
            return term
        case _:
            assert_never(reduction.rounds)


def _over_attempts(
    reduction: Reduction, text: str, letters: dict[str, str], known_clause: str
) -> str:
    """Return the formula over the attempts at a task, and add its letters to `letters`."""
    match reduction.attempts:
        case "mean":
            letters["mean_a"] = f"over the attempts at a task{known_clause}"
            return f"mean_a {text}"
        case "median":
            letters["median_a"] = f"over the attempts at a task{known_clause}"
            return f"median_a {text}"
        case "best" | "worst":
            is_best = reduction.attempts == "best"
            extreme = "max" if is_best == reduction.is_higher_better else "min"
            letters[f"{extreme}_a"] = f"the {reduction.attempts} attempt at a task"
            return f"{extreme}_a {text}"
        case "first":
            letters["1"] = "the first attempt"
            return text
        case "pass_at_k" | "pass_hat_k":
            letters["c"] = f"attempts at task t for which {text} is 1"
            letters["n"] = "attempts at task t"
            letters["k"] = str(reduction.k)
            letters["C(n, k)"] = "number of ways to choose k of n attempts"
            if reduction.attempts == "pass_hat_k":
                return "C(c, k) / C(n, k)"
            return "(1 − C(n − c, k) / C(n, k))"
        case _:
            assert_never(reduction.attempts)


def _over_tasks(reduction: Reduction, text: str, letters: dict[str, str], known_clause: str) -> str:
    """Return the formula over the tasks, and add its letters to `letters`."""
    match reduction.tasks:
        case "sum":
            letters["Σ_t"] = "over the tasks of the track"
            return f"Σ_t {text}"
        case "count":
            letters["Σ_t"] = "over the tasks of the track"
            letters["[…]"] = "1 if true, otherwise 0"
            return f"Σ_t [{text} = 1]"
        case "weighted":
            letters["w(t)"] = (
                f"weight of task t as a share of the weights of all tasks{known_clause}"
            )
            return f"Σ_t w(t) · {text}"
        case "macro":
            weighed = ", by their weights" if reduction.weights else ""
            letters["mean_t"] = f"over the tasks of a group{known_clause}"
            letters["mean_g"] = f"over the values of {reduction.axis}, each a group{weighed}"
            return f"mean_g mean_t {text}"
        case "mean":
            letters["mean_t"] = f"over the tasks of the track{known_clause}"
            return f"mean_t {text}"
        case "median":
            letters["median_t"] = f"over the tasks of the track{known_clause}"
            return f"median_t {text}"
        case "pooled":  # the formula already covers all rounds at once
            return text
        case _:
            assert_never(reduction.tasks)


def _gaps(reduction: Reduction) -> str:
    """Return the conditions under which there is no score, in one or two sentences."""
    if reduction.is_verdict:
        return _verdict_gaps(reduction)
    return _amount_gaps(reduction)


def _amount_gaps(reduction: Reduction) -> str:
    reasons = []
    if "sum" in {reduction.rounds, reduction.tasks}:
        reasons.append("part of a sum is unknown")
    if reduction.measurement:
        reasons.append("the values were measured by different versions of the definition")
    reasons.append(
        f"less than {MIN_COVERAGE} % of the rounds reached have a value (or less than "
        f"{MIN_COVERAGE} % of the attempts, if only complete runs report one)"
    )
    left_out = "means"
    if "median" in {reduction.attempts, reduction.tasks}:
        left_out = "means and medians"
    reasons_text = ", or ".join(reasons)
    reasons_text = f"{reasons_text[:1].upper()}{reasons_text[1:]}"
    return f"{reasons_text}. Unknown values are left out of {left_out}."


def _verdict_gaps(reduction: Reduction) -> str:
    covered = "rounds have a record" if reduction.tasks == "pooled" else "tasks have results"
    reasons = [f"There are no tasks, or less than {MIN_COVERAGE} % of the {covered}"]
    if reduction.quantity == "cases":
        reasons.append("a round has a verdict but no case counts")
    if reduction.is_chance:
        reasons.append(f"a task has fewer than {counted(reduction.k, 'attempt')}")
    if reduction.needs_all:
        reasons.append("a task does not have exactly as many attempts as the track requires")
    elif reduction.is_best:
        reasons.append("an attempted task has fewer attempts than the track requires")
    reasons_text = ", or ".join(reasons)
    return f"{reasons_text}. Otherwise, missing results count as 0."


_SUMMARY_OF_VERDICTS: Mapping[str, str] = {"pass": "verdict", "cases": "share of passed cases"}
_SUMMARY_OF_ROUNDS: Mapping[str, str] = {
    "mean": "mean over rounds",
    "sum": "sum over rounds",
    "all": "1 for a task with every round passed",
    "weighted": "weighted mean over rounds",
    "last": "last round",
}
_SUMMARY_OF_ATTEMPTS: Mapping[str, str] = {
    "mean": "mean over attempts",
    "median": "median over attempts",
    "best": "best attempt",
    "worst": "worst attempt",
    "first": "first attempt",
}
_SUMMARY_OF_TASKS: Mapping[str, str] = {
    "mean": "mean over tasks",
    "median": "median over tasks",
    "sum": "sum over tasks",
    "count": "number of tasks with the value 1",
    "weighted": "weighted mean over tasks",
    "macro": "mean over groups of tasks",
    "pooled": "mean over all rounds of all tasks",
}


def _usual_summary(reduction: Reduction) -> str:
    """Return a metric's definition in one sentence, for a declaration without a summary."""
    over_tasks = _SUMMARY_OF_TASKS[reduction.tasks]
    if reduction.is_chance:
        number = "all" if reduction.attempts == "pass_hat_k" else "at least one"
        attempts = "an attempt at a task passes"
        if reduction.k > 1:
            verb = "pass" if number == "all" else "passes"
            attempts = f"{number} of {reduction.k} attempts at a task {verb}"
        return f"Chance that {attempts}, {over_tasks}."
    noun = _SUMMARY_OF_VERDICTS.get(reduction.quantity, reduction.noun)
    noun = f"{noun[:1].upper()}{noun[1:]}"
    if reduction.tasks == "pooled":
        return f"{noun} of a round, {over_tasks}."
    over_rounds = _SUMMARY_OF_ROUNDS[reduction.rounds]
    over_attempts = _SUMMARY_OF_ATTEMPTS[reduction.attempts]
    return f"{noun} of a round: {over_rounds}, {over_attempts}, {over_tasks}."


def _definition(
    declared: Declared,
    formula: str,
    letters: Mapping[str, str],
    gaps: str,
    usual_summary: str = "",
) -> Definition:
    """Return a metric's definition; `usual_summary` is used if no summary is declared."""
    sentence, *remarks = paragraphs(declared.summary) or [usual_summary or declared.title]
    source = " ".join((declared.source or "the benchmark").split())
    return Definition(sentence, remarks, formula, letters, gaps, source)
