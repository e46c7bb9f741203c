"""Small boards for charts, and the labels of charts."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from sitegen.board.board import Board
from sitegen.charts.chart import ChartLabels
from sitegen.metrics.metric import Metric


def title(metric: Metric) -> str:
    return metric.title


def unit(metric: Metric) -> str:
    return metric.unit


def words(board: Board) -> ChartLabels:
    """Return labels in which agents have their row ids in upper case, and metrics their catalogue titles."""
    return ChartLabels({entry.id: entry.id.upper() for entry in board.entries}, title, unit)


def printed(name: str, **values: str | Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a row of a reported table, with figures by metric."""
    figures = {
        metric: {"value": Decimal(value)} if isinstance(value, str) else value for metric, value in values.items()
    }
    return {"id": name, "values": figures}


def counts(value: str, n: int) -> Mapping[str, Any]:
    """Return a figure that is a share of n items."""
    return {"value": Decimal(value), "n": n}
