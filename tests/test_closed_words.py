"""The words of a declared metric are a closed set: a new one fails type checking wherever it matters."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DECLARED = "sitegen/models/declared.py"
BRANCHES = {
    "OverRounds": {"sitegen/metrics/reduction.py", "sitegen/metrics/metric_builder.py"},
    "OverAttempts": {"sitegen/metrics/reduction.py", "sitegen/metrics/metric_builder.py"},
    "OverTasks": {"sitegen/metrics/reduction.py", "sitegen/metrics/metric_builder.py"},
}
"""Files that have to say what a new word of each kind does."""


@pytest.fixture(scope="module")
def errors(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> str:
    """Return what mypy says of a program whose declarations know one more word of each kind."""
    text = (ROOT / DECLARED).read_text(encoding="utf-8")
    for name in BRANCHES:
        text, changed = re.subn(rf"^({name} = Literal\[.*)\]$", rf'\1, "brand-new-{name}"]', text, flags=re.MULTILINE)
        assert changed == 1, name
    shadow = tmp_path_factory.mktemp("shadow") / "declared.py"
    shadow.write_text(text, encoding="utf-8")
    cache = request.config.cache
    assert cache is not None
    folder = str(cache.mkdir("closed-words"))
    modules = sorted(set().union(*BRANCHES.values()))
    command = [sys.executable, "-m", "mypy", "--cache-dir", folder, "--shadow-file", DECLARED, str(shadow), *modules]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout


@pytest.mark.parametrize("name", BRANCHES)
def test_a_new_word_fails_type_checking_where_it_matters(errors: str, name: str) -> None:
    lines = [line for line in errors.splitlines() if f"brand-new-{name}" in line and "assert_never" in line]
    assert {line.partition(":")[0] for line in lines} == BRANCHES[name], errors
