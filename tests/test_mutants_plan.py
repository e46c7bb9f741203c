"""The plan of `make mutants` is about the program as it is."""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PLAN = tomllib.loads((ROOT / "tools" / "mutants.toml").read_text(encoding="utf-8"))

every_module = pytest.mark.parametrize("module", PLAN)


@every_module
def test_a_module_and_its_tests_exist(module: str) -> None:
    paths = [module, *(test for test in PLAN[module]["tests"] if test.endswith(".py"))]
    assert [path for path in paths if not (ROOT / path).is_file()] == []


@every_module
def test_every_line_that_was_looked_at_stands_in_its_module(module: str) -> None:
    lines = {line.strip() for line in (ROOT / module).read_text(encoding="utf-8").splitlines()}
    missing = []
    for changes in PLAN[module].get("same", {}).values():
        for line, change in changes:
            assert line != change
            if line not in lines:
                missing.append(line)
    assert missing == []
