"""Makes a metric of a declaration: its facts follow from what is declared, and so do its formula and its words."""

from collections.abc import Callable, Mapping
from typing import Any

from sitegen.metrics.declared import Recipe
from sitegen.metrics.grids import taking
from sitegen.metrics.metric import (
    ALL,
    ENOUGH,
    Definition,
    Effort,
    Metric,
    MetricError,
    Things,
    paragraphs,
)
from sitegen.models.benchmark import Protocol
from sitegen.models.declared import AMOUNTS, DECIMALS, Declared
from sitegen.models.digests import definition_digest
from sitegen.models.outcome import RoundResult
from sitegen.problems import counted

_TAKEN = {
    "pass": ("passed", "1 where round i of task t passed in attempt a, else 0"),
    "reward": ("reward", "reward of round i as it was given; 0 where there is no verdict"),
    "cases": (
        "share",
        "share of the cases of round i that pass, skipped ones among all; 0 where no case ran",
    ),
    "cost_usd": (
        "cost",
        "US dollars that round i took; 0 is unknown unless the agent is declared free",
    ),
    "turns": ("turns", "replies that the model gave in round i"),
    "interactions": ("interactions", "tool calls that the agent made in round i"),
    "input_tokens": ("tokens", "tokens that the model read in round i"),
    "output_tokens": ("tokens", "tokens that the model wrote in round i"),
    "agent_seconds": ("seconds", "wall time of the agent in round i, without the check"),
}
"""What stands in a formula for what is taken of a round, and what it means."""

_EFFORTS: Mapping[str, Effort] = dict(
    zip(AMOUNTS, ("cost", "steps", "steps", "tokens", "tokens", "time"), strict=True)
)


_OVER_TASKS = {
    "mean": "tasks",
    "weighted": "tasks by their weights",
    "macro": "tasks of a group, then groups",
}


def metric_of(
    declared: Declared,
    weights: Mapping[str, float] | None = None,
    *,
    protocols: frozenset[Protocol] = ALL,
    needs_all: bool = False,
    **facts: Any,  # noqa: ANN401 - what a metric of the catalogue has of its own
) -> Metric:
    """Make a metric of a declaration that fits together, with how much values of its axis weigh.

    It may take exactly the attempts that a track asks for; `facts` differ from those that follow from the declaration.
    """
    known: dict[str, Any] = {
        "id": declared.id,
        "title": declared.title,
        "unit": declared.unit,
        "direction": declared.direction,
        "decimals": DECIMALS[declared.unit] if declared.decimals is None else declared.decimals,
        "declared": declared,
        "protocols": protocols,
    }
    if declared.reported:
        definition = _definition(declared, "", {}, "No table prints it.")
        known |= {
            "mean": "what its source says",
            "function": _reported,
            "form": None,
            "definition": definition,
        }
        return Metric(**(known | facts))
    recipe = Recipe.from_declared(declared, weights, needs_all=needs_all)
    is_share = recipe.is_verdict and recipe.rounds != "sum" and not recipe.is_sum
    spreads = recipe.tasks == "pooled" and not recipe.is_verdict
    known |= {
        "mean": _averaged(recipe),
        "function": recipe.compute,
        "takes": lambda sheet: (sheet,),
        "over": recipe.extent,
        "table": recipe.table,
        "definition": _definition(declared, *_formula(declared, recipe), _gaps(recipe)),
        "form": "sum" if recipe.is_sum else "mean",
        "weigh": {
            "pooled": "of" if recipe.is_verdict else "n",
            "macro": "own",
            "weighted": "own",
        }.get(recipe.tasks),
        "counts": _counts(recipe),
        "effort": _EFFORTS.get(recipe.of),
        "needs": _needs(recipe),
        "measurement": recipe.measurement,
        "observations": recipe.observations if spreads else None,
        "is_share": None if recipe.measurement and not recipe.is_sum else is_share,
    }
    return Metric(**(known | facts))


def own_metric(declared: Declared, weights: Mapping[str, float]) -> Metric:
    """The metric that a benchmark declares; its definition's version is a digest, which no release has by chance."""
    return metric_of(declared, weights, is_own=True, version=definition_digest(declared, weights))


def _reported(*_: object) -> float:
    raise MetricError("published tables report it; it is not computed from results")


def _needs(recipe: Recipe) -> Callable[[RoundResult], bool] | None:
    if recipe.of in {"pass", "reward"}:
        return None
    if recipe.of == "cases":
        return lambda result: bool(result.total)
    take = taking(recipe.of)
    return lambda result: take(result) is not None


def _counts(recipe: Recipe) -> Things | None:
    if recipe.tasks == "count":
        return "tasks"
    if recipe.of != "pass" or recipe.is_chance:
        return None
    if recipe.tasks == "pooled":
        return "rounds of attempts"
    if recipe.tasks != "mean" or recipe.rounds not in {"all", "last"}:
        return None
    return "attempts" if recipe.attempts == "mean" else "tasks"


def _averaged(recipe: Recipe) -> str:
    """What is averaged over what, in words."""
    if recipe.tasks == "pooled":
        return "all rounds of all attempts and tasks, pooled"
    steps = [
        {"mean": "rounds of a task", "weighted": "rounds of a task by their weights"}.get(
            recipe.rounds
        ),
        "attempts" if recipe.attempts == "mean" else None,
        _OVER_TASKS.get(recipe.tasks),
    ]
    told = ", then ".join(filter(None, steps))
    last = {"sum": "it adds up tasks", "count": "it counts tasks"}.get(recipe.tasks)
    if last is None:
        return told
    return f"{told}; {last}".replace(";", ",") if told else f"nothing: {last}"


def _formula(declared: Declared, recipe: Recipe) -> tuple[str, dict[str, str]]:
    """The definition as a formula, and what its letters mean."""
    name, about = _TAKEN.get(recipe.of, ("value", f"{recipe.noun} of round i, as it was measured"))
    letters: dict[str, str] = {}
    attempt, number = (
        ("1" if recipe.attempts == "first" else "a"),
        ("last" if recipe.rounds == "last" else "i"),
    )
    taken = f"{name}(t, {attempt}, {number})"
    known = "" if recipe.is_verdict else ", those that are known"
    if recipe.tasks == "pooled":
        text, letters["n"] = f"Σ_t Σ_a Σ_i {taken} / n", f"rounds of all attempts and tasks{known}"
    else:
        match recipe.rounds:
            case "mean":
                text, letters["mean_i"] = f"mean_i {taken}", f"over the rounds of a task{known}"
            case "sum":
                text, letters["Σ_i"] = f"Σ_i {taken}", "over the rounds of a task"
            case "all":
                text, letters["min_i"] = (
                    f"min_i {taken}",
                    "over the rounds of a task: 1 where every one passed",
                )
            case "weighted":
                text = f"Σ_i w(t, i) · {taken}"
                letters["w(t, i)"] = (
                    f"weight of round i as a share of the weights of all rounds of task t{known}"
                )
            case _:
                text, letters["last"] = taken, "the last round of task t"
        text = _over_attempts(recipe, text, letters, known)
        text = _over_tasks(recipe, text, letters, known)
    hundred = {"percent": "100 · ", "points": "100 · "}.get(declared.unit, "")
    return f"{declared.title} = {hundred}{text}", {
        taken: about.replace("round i", "the last round") if number == "last" else about
    } | letters


def _over_attempts(recipe: Recipe, text: str, letters: dict[str, str], known: str) -> str:
    match recipe.attempts:
        case "mean":
            letters["mean_a"] = f"over the attempts at a task{known}"
            return f"mean_a {text}"
        case "best" | "worst":
            which = "max" if (recipe.attempts == "best") == recipe.upwards else "min"
            letters[f"{which}_a"] = f"the {recipe.attempts} attempt at a task"
            return f"{which}_a {text}"
        case "first":
            letters["1"] = "the first attempt"
            return text
    letters["c"] = f"attempts at task t for which {text} is 1"
    letters["n"] = "attempts at task t"
    letters["k"] = str(recipe.k)
    letters["C(n, k)"] = "number of ways to take k of n attempts"
    return "C(c, k) / C(n, k)" if recipe.attempts == "pass_hat_k" else "(1 − C(n − c, k) / C(n, k))"


def _over_tasks(recipe: Recipe, text: str, letters: dict[str, str], known: str) -> str:
    match recipe.tasks:
        case "sum":
            letters["Σ_t"] = "over the tasks of the track"
            return f"Σ_t {text}"
        case "count":
            letters["Σ_t"] = "over the tasks of the track"
            letters["[…]"] = "1 where it is so, else 0"
            return f"Σ_t [{text} = 1]"
        case "weighted":
            letters["w(t)"] = f"weight of task t as a share of the weights of all tasks{known}"
            return f"Σ_t w(t) · {text}"
        case "macro":
            weighed = ", by their weights" if recipe.weights else ""
            letters["mean_t"] = f"over the tasks of a group{known}"
            letters["mean_g"] = f"over the values of {recipe.axis}, each a group{weighed}"
            return f"mean_g mean_t {text}"
    letters["mean_t"] = f"over the tasks of the track{known}"
    return f"mean_t {text}"


def _gaps(recipe: Recipe) -> str:
    """When there is no score, in a sentence or two."""
    if not recipe.is_verdict:
        sums = (
            " a sum has a part that is not known, or"
            if "sum" in {recipe.rounds, recipe.tasks}
            else ""
        )
        versions = (
            " it was measured by several versions of its definition, or"
            if recipe.measurement
            else ""
        )
        lack = f"it is known of fewer than {ENOUGH} % of the reached rounds, or of the attempts where runs tell it"
        gap = f"{recipe.noun.capitalize()} is a gap where{sums}{versions} {lack}."
        return f"{gap} What is not known is left out of means."
    cases = (
        ", or a round has a verdict, but nobody counted its cases" if recipe.of == "cases" else ""
    )
    tries = f", or a task has fewer than {counted(recipe.k, 'attempt')}" if recipe.is_chance else ""
    exact = (
        ", or a task has not exactly the attempts that the track asks for"
        if recipe.needs_all
        else ""
    )
    if recipe.is_best and not recipe.needs_all:
        exact = ", or a task that was tried has fewer attempts than the track asks for"
    what = "rounds have a record" if recipe.tasks == "pooled" else "tasks have results"
    first = f"There is no task, or fewer than {ENOUGH} % of the {what}{cases}{tries}{exact}."
    return f"{first} Above that, what has no record counts 0."


def _definition(
    declared: Declared, formula: str, letters: Mapping[str, str], gaps: str
) -> Definition:
    sentence, *remarks = paragraphs(declared.summary) or [declared.title]
    source = " ".join((declared.source or "the benchmark").split())
    return Definition(sentence, remarks, formula, letters, gaps, source)
