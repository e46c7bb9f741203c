"""The site of the shipped results, built once for all that read it."""

import subprocess
import sys
from pathlib import Path

import pytest

_RESULTS = Path(__file__).parents[2] / "results"


@pytest.fixture(scope="session")
def shipped_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shipped") / "site"
    command = [sys.executable, "-m", "sitegen", "build", "--results", str(_RESULTS), "--site", str(folder)]
    subprocess.run(command, capture_output=True, check=True)
    return folder
