"""Small boards for charts, and the words that charts are given."""

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
    """Call agents by the ids of their rows in upper case, and metrics as the catalogue does."""
    return ChartLabels({entry.id: entry.id.upper() for entry in board.entries}, title, unit)


def printed(name: str, **values: str | Mapping[str, Any]) -> Mapping[str, Any]:
    """Print a line of a table: figures by metric."""
    figures = {
        metric: {"value": Decimal(value)} if isinstance(value, str) else value for metric, value in values.items()
    }
    return {"id": name, "values": figures}


def counts(value: str, n: int) -> Mapping[str, Any]:
    """Print a figure that is a share of n things."""
    return {"value": Decimal(value), "n": n}
