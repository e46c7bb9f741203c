"""Every code of the import rules is asserted by some test; those that no other test names are provoked here."""

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from kit.evocodebench_trees import failed, passed, publish_cells
from kit.evocodebench_trees import refused as refused_of_evocodebench
from kit.harbor_trees import FAILED, JOB, PASSED, Play, Trial, codes, log_of, played, write, write_task
from kit.harbor_trees import refused as refused_of_harbor
from kit.slopcodebench_trees import CONFIG, row, write_run
from kit.slopcodebench_trees import refused as refused_of_slop

from sitegen import importers
from sitegen.importers.harbor import cases
from sitegen.importers.kit.import_log import ImportLog, caveats_of
from sitegen.importers.kit.rules import LEFT_OUT
from sitegen.pipeline.rules import all_rules
from sitegen.problems import Rule

TESTS = Path(__file__).parents[1]


def rules_in(package: ModuleType) -> Iterator[Rule]:
    """Return the rules of every module of a package."""
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        for value in vars(import_module(module.name)).values():
            if isinstance(value, Rule):
                yield value


def test_every_code_of_imports_is_asserted_somewhere() -> None:
    tests = "".join(path.read_text(encoding="utf-8") for path in sorted(TESTS.rglob("test_*.py")))
    assert [rule.code for rule in all_rules()["rules-of-imports"] if f'"{rule.code}"' not in tests] == []


def test_a_folder_in_the_place_of_a_file_can_t_be_read(tmp_path: Path) -> None:
    source = publish_cells(tmp_path, passed(), failed())
    (source / "index.json").unlink()
    (source / "index.json").mkdir()
    (error,) = refused_of_evocodebench(source)
    assert (error.code, error.what) == ("FILE-UNREADABLE", "index.json is a folder")


def test_a_task_that_is_defined_twice_differently_is_refused(tmp_path: Path) -> None:
    for folder, rounds in (("tasks", 2), ("older", 3)):
        write_task(tmp_path / "all" / folder, "tidy", rounds)
    Trial().write(tmp_path / "jobs" / JOB, PASSED, FAILED)
    (error,) = refused_of_harbor(tmp_path / "jobs", tmp_path / "all")
    assert error.code == "SOURCE-TASK-DIFFERS"
    assert error.what.startswith("tidy has several different definitions: ")


def test_a_task_that_is_defined_with_and_without_gates_is_refused(tmp_path: Path) -> None:
    """Both have the same rounds, but the runs of one end with the first round that fails."""
    steps = '[[steps]]\nname = "round-1"\nmin_reward = {}\n[[steps]]\nname = "round-2"\n'
    for folder, gate in (("tasks", "0.0"), ("older", "1.0")):
        write(tmp_path / "all" / folder / "tidy" / "task.toml", steps.format(gate))
    Trial().write(tmp_path / "jobs" / JOB, PASSED, FAILED)
    (error,) = refused_of_harbor(tmp_path / "jobs", tmp_path / "all")
    assert error.code == "SOURCE-TASK-DIFFERS"


def test_a_run_that_does_not_say_who_made_it_is_refused(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy")
    nameless = Trial(scaffold="", config={"agent": {"model_name": None}}, result={"agent_info": None})
    nameless.write(tmp_path / "jobs" / JOB, Play(1.0, "p", calls=None), Play(0.0, "f", calls=None))
    (error,) = refused_of_harbor(tmp_path / "jobs", tmp_path / "tasks")
    assert error.code == "SOURCE-AGENT-UNKNOWN"


def test_a_log_beyond_any_suite_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cases, "MAX_CASES", 2)
    assert codes(played(tmp_path, Play(1.0, None, log=log_of("ppp")))) == ["SOURCE-CASES-MISSING"]


def test_a_log_with_as_many_cases_as_are_read_is_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cases, "MAX_CASES", 2)
    assert codes(played(tmp_path, Play(1.0, None, log=log_of("pp")))) == []


def test_agents_whose_bundles_would_be_called_the_same_are_refused(tmp_path: Path) -> None:
    for name in ("glm-5", "GLM 5"):
        write_run(tmp_path / name, [row(1)], config=CONFIG.replace("glm-5", name))
    (error,) = refused_of_slop(tmp_path)
    assert error.code == "SOURCE-AGENT-TWICE"
    assert "would all be bundle" in error.what


def test_a_kind_is_stated_once() -> None:
    """Rules that formats declare for a kind differ from it in what to do and in what readers are told, not more."""
    kinds: dict[str, set[tuple[str, str]]] = {}
    for rule in rules_in(importers):
        kinds.setdefault(rule.code, set()).add((rule.severity, rule.title))
    assert [code for code, statements in kinds.items() if len(statements) > 1] == []


def test_rules_of_one_kind_are_reported_apart(tmp_path: Path) -> None:
    """Each has its own fix, and a long list of one hides nothing of the other."""
    log = ImportLog(tmp_path)
    rare = LEFT_OUT.specific("look at the rare ones")
    for number in range(30):
        log.add(LEFT_OUT, tmp_path, f"usual {number}")
        log.add_doubt(LEFT_OUT, tmp_path, f"usual run {number}")
    log.add(rare, tmp_path, "rare")
    log.add_doubt(rare, tmp_path, "rare run")
    texts = {(problem.what, problem.fix) for problem in log.all_problems()}
    assert {("rare", rare.fix), ("rare run", rare.fix)} <= texts
    assert len(texts) == 10 + 1 + 2


def test_caveats_of_published_bundles_keep_their_order() -> None:
    """An import writes the same bytes as before its rules got the codes of kinds."""
    last, first = (LEFT_OUT.specific("", f"{name} {{}}.", order=name) for name in ("Z", "A"))
    assert caveats_of([(last, "x"), (first, "y")]) == ("A y.", "Z x.")
