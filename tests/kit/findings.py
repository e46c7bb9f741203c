"""Findings in memory, for tests to apply."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from sitegen.board.board import Board
from sitegen.board.making import make_boards
from sitegen.models.finding import Finding

_FACTS: Mapping[str, Any] = {"date": date(2026, 7, 1), "kind": "defect", "reason": "It is so.", "by": "Ada"}


def finding(title: str, **facts: Any) -> Finding:  # noqa: ANN401 - any field of a finding
    """Record something; where nothing else is said it is a defect of everything, without an effect."""
    return Finding.model_validate({**_FACTS, "title": title, **facts})


def with_findings(board: Board, *findings: Finding) -> Board:
    """Give the board as it is where these findings are recorded."""
    (made,) = make_boards(replace(board.results, findings=findings))
    return made
