"""What the tests of reading share."""

from pathlib import Path

import pytest
from kit.results_folders import Tree


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Give a valid results folder to spoil."""
    return Tree(tmp_path / "results")
