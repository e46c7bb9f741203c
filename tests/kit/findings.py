"""Findings in memory, for tests."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from sitegen.board.board import Board
from sitegen.board.making import make_boards
from sitegen.models.finding import Finding

_FACTS: Mapping[str, Any] = {"date": date(2026, 7, 1), "kind": "defect", "reason": "It is so.", "by": "Ada"}


def finding(title: str, **facts: Any) -> Finding:  # noqa: ANN401 - any field of a finding
    """Return a finding; by default, it is a defect without an effect that concerns everything."""
    return Finding.model_validate({**_FACTS, "title": title, **facts})


def with_findings(board: Board, *findings: Finding) -> Board:
    """Return the board with the given findings."""
    (made,) = make_boards(replace(board.results, findings=findings))
    return made
