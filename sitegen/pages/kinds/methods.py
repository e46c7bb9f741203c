"""The generated parts of the methods pages: every metric in brief, and with a worked example."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import assert_never

from sitegen.board import Board
from sitegen.board.explanation import Example, find_example
from sitegen.metrics.catalogue import METRICS, benchmark_metrics
from sitegen.metrics.metric import Metric
from sitegen.models.benchmark import Benchmark
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import board_link, entry_link
from sitegen.pages.environment import Fragment, Templates, TemplateValues
from sitegen.pages.site import SiteContent, authored_parts
from sitegen.problems import counted

MAX_EXAMPLE_TASKS = 5
"""Maximum number of tasks that an example shows; one more if that shows all of them."""
_EXTRA_DIGITS = 2
"""Extra decimals in a line of an example, compared with boards.

The result has one decimal fewer, so that readers who add up the lines get the same result.
"""

_UNIT_NAMES = {"percent": "%", "share": "", "usd": "USD"}
"""The text for a unit after a number, if it differs from the unit's name."""

Piece = tuple[str, str]
"""A part of a formula, and the index that follows it; the index may be empty."""

_MethodsPage = tuple[str, str]
"""The address of a methods page, and the template of its generated part."""

_PAGES: Sequence[_MethodsPage] = (
    (addresses.METHODS, "metrics.html.j2"),
    (addresses.FORMULAS, "methods.html.j2"),
)


@authored_parts
def methods_part(site_content: SiteContent, templates: Templates) -> Iterator[Fragment]:
    """Show the metrics of benchmarks and of the catalogue, each with an example."""
    boards = site_content.boards
    versions = _metric_versions(boards)
    methods: list[TemplateValues] = []
    for metric, benchmark in _metrics_shown(boards):
        definition = metric.definition
        letters = [(_pieces(name), meaning) for name, meaning in definition.letters.items()]
        methods.append(
            {
                "metric": metric,
                "anchor": labels.method_anchor(metric, benchmark),
                "benchmark": benchmark,
                "formula": _pieces(definition.formula),
                "letters": letters,
                "used": [board_link(board) for board in boards if metric in board.columns],
                "versions": sorted(versions.get(metric.id, ())),
                "example": _example(metric, boards),
            }
        )
    groups = _methods_by_benchmark(boards, methods)
    for address, template in _PAGES:
        text = templates.fill(template, address, {"methods": methods, "groups": groups})
        yield Fragment(address, "metrics", text)


def _metrics_shown(boards: Sequence[Board]) -> Iterator[tuple[Metric, Benchmark | None]]:
    """Yield the metrics that benchmarks declare, each with its benchmark, then the catalogue."""
    benchmarks = {board.benchmark.id: board.benchmark for board in boards}
    for benchmark in benchmarks.values():
        if benchmark.metrics:
            for metric in benchmark_metrics(benchmark).values():
                if metric.is_benchmark_declared:
                    yield metric, benchmark
    for metric in METRICS.values():
        yield metric, None


def _methods_by_benchmark(
    boards: Sequence[Board], methods: Sequence[TemplateValues]
) -> list[tuple[str, list[TemplateValues]]]:
    """Return the methods whose metrics a benchmark's boards show, for each benchmark by its title.

    The last group has the methods that no board shows.
    """
    groups: dict[str, list[TemplateValues]] = {}
    unused = list(methods)
    for board in boards:
        group = groups.setdefault(board.benchmark.title, [])
        for method in methods:
            declaring = method["benchmark"]
            is_declared_elsewhere = declaring is not None and declaring is not board.benchmark
            if method["metric"] not in board.columns or is_declared_elsewhere or method in group:
                continue
            group.append(method)
            if method in unused:
                unused.remove(method)
    found = [(title, group) for title, group in groups.items() if group]
    if unused:
        found.append(("On no board", unused))
    return found


def _metric_versions(boards: Sequence[Board]) -> Mapping[str, set[str]]:
    """Return the versions of each metric with which scores were computed, by the metric's id."""
    versions: dict[str, set[str]] = {}
    for board in boards:
        for entry in board.all_entries:
            for score in entry.scores.values():
                if score.version:
                    versions.setdefault(score.metric.id, set()).add(score.version)
    return versions


def _pieces(formula: str) -> Sequence[Piece]:
    """Return a formula split at its indices; an index is one letter after an underscore."""
    texts = [*re.split(r"_(\w)", formula), ""]
    return list(zip(texts[::2], texts[1::2], strict=True))


def _example(metric: Metric, boards: Sequence[Board]) -> TemplateValues | None:
    """Return the details of one score of a metric; None if no result on the site has the metric."""
    example = find_example(metric, boards)
    if example is None:
        return None
    shown = example.fractions
    if len(shown) > MAX_EXAMPLE_TASKS + 1:
        shown = shown[:MAX_EXAMPLE_TASKS]
    hidden = len(example.fractions) - len(shown)
    lines = []
    for task_share in shown:
        numbers = _line_numbers(metric, task_share.amount, task_share.weight)
        lines.append((task_share.title, numbers))
    sums: Sequence[str] = ()
    if metric.aggregation != "median":
        sums = _line_numbers(metric, example.amount, example.weight)
    return {
        "example": example,
        "agent": entry_link(example.board, example.entry),
        "board": board_link(example.board),
        "heads": ["Task", *_column_heads(metric)],
        "lines": lines,
        "more": counted(hidden, "more task") if hidden else "",
        "sums": sums,
        "arithmetic": _arithmetic(example),
        "text": _score_with_unit(example),
    }


def _column_heads(metric: Metric) -> Sequence[str]:
    """Return the headings of the number columns: the unit, and the weight if the metric pools."""
    if metric.task_weighting is None:
        return (_unit_name(metric),)
    if _is_pooled_share(metric):
        return ("passed", "of")
    return (_unit_name(metric), "weight" if metric.task_weighting == "declared" else "rounds")


def _unit_name(metric: Metric) -> str:
    """Return the name of a metric's unit: USD for dollars, and otherwise the declared unit."""
    return "USD" if metric.unit == "usd" else metric.unit


def _line_numbers(metric: Metric, amount: float, weight: float) -> Sequence[str]:
    """Return the contribution of one task or of all tasks: an amount, and a weight if any."""
    amount_text = _format_amount(metric, amount)
    if metric.task_weighting is None:
        return (amount_text,)
    return (amount_text, _format_weight(weight))


def _score_with_unit(example: Example) -> str:
    """Return the score of an example with its spread and its unit."""
    score = example.score
    unit = _UNIT_NAMES.get(score.metric.unit, score.metric.unit)
    if unit == "tasks" and score.counted and score.counted[1] == 1:
        unit = "task"
    spread = ""
    if score.spread:
        spread = f" ± {score.spread}"
    return f"{labels.score_text(score)}{spread} {unit}".rstrip()


def _format_number(metric: Metric, value: float, extra_digits: int = _EXTRA_DIGITS) -> str:
    """Return a number in the metric's unit, with more decimals than boards show."""
    decimals = 0 if metric.unit == "tasks" else metric.decimals + extra_digits
    return f"{value:,.{decimals}f}"


def _format_amount(metric: Metric, amount: float) -> str:
    """Return an amount as text; for a share pooled over tasks, the number that passed."""
    if _is_pooled_share(metric):
        return f"{amount / 100:,.10g}"
    return _format_number(metric, amount)


def _format_weight(weight: float) -> str:
    return f"{weight:,.4g}"


def _is_pooled_share(metric: Metric) -> bool:
    """Return whether a metric is a share that is pooled over tasks."""
    return metric.task_weighting in {"covered", "expected"} and metric.unit == "percent"


def _arithmetic(example: Example) -> str:
    """Return an equation that derives the result from the sums shown; empty without such sums."""
    if example.result is None:
        return ""
    result = _format_number(example.score.metric, example.result, _EXTRA_DIGITS - 1)
    return f"{_calculation(example)} = {result}"


def _calculation(example: Example) -> str:
    """Return the left side of the equation that gives the result of an example."""
    metric = example.score.metric
    factor = "100 × " if metric.unit == "percent" else ""
    if example.terms:
        terms = []
        for term in example.terms:
            number = _format_number(term.metric, term.value or 0.0)
            if metric.ratio_of and term.metric.unit == "percent":
                number = f"{number} %"
            terms.append(f"{labels.title_on(example.board, term.metric)} {number}")
        if metric.ratio_of:
            return factor + " / ".join(terms)
        return " − ".join(terms)
    if not example.fractions:
        passed, total = example.score.counted or (0, 0)
        if factor:
            return f"{factor}{passed} / {total}"
        return f"{passed} of {total}"
    tasks = counted(len(example.fractions), "task")
    match metric.aggregation:
        case "sum":
            return f"Sum over {tasks}"
        case "median":
            return f"Median of {tasks}"
        case "mean" | None:
            return _mean_calculation(example, tasks)
        case _:
            assert_never(metric.aggregation)


def _mean_calculation(example: Example, tasks: str) -> str:
    """Return the left side of the equation for a mean over tasks, from the sums shown."""
    metric = example.score.metric
    factor = "100 × " if metric.unit == "percent" else ""
    amount = _format_amount(metric, example.amount)
    if not metric.task_weighting:
        return f"{amount} / {tasks}"
    weight = _format_weight(example.weight)
    if _is_pooled_share(metric):
        return f"{factor}{amount} / {weight}"
    return f"{amount} / {weight}"
