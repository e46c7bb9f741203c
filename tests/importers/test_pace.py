"""How far an import is, as it is told to whoever watches."""

from dataclasses import replace
from pathlib import Path

from kit import harbor_trees, multiturn_trees
from kit import slopcodebench_trees as slop_trees
from kit.harbor_trees import PASSED, Trial, nest, write_task
from kit.slopcodebench_trees import later_row, write_run

from sitegen.importers.harbor.source import read_harbor
from sitegen.importers.harbor_multiturn.source import read_harbor_multiturn
from sitegen.importers.slopcodebench.source import read_slopcodebench


class Watcher:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[int, int]] = []

    def __call__(self, done: int, total: int) -> None:
        self.told.append((done, total))


def test_every_trial_is_counted(tmp_path: Path) -> None:
    watcher = Watcher()
    write_task(tmp_path / "tasks", "tidy", 1)
    for name in ("alpha", "beta"):
        Trial(name=f"tidy__{name}00", model=name).write(nest(tmp_path / "jobs", "tidy", name), PASSED)
    options = replace(harbor_trees.OPTIONS, watch=watcher)
    read_harbor(tmp_path / "jobs", options, tmp_path / "tasks")
    assert watcher.told == [(1, 2), (2, 2)]


def test_every_run_of_the_fork_is_counted_once(tmp_path: Path) -> None:
    watcher = Watcher()
    source = multiturn_trees.new_source(tmp_path)
    source.task()
    multiturn_trees.write_fan_out(source)
    read_harbor_multiturn(source.root, replace(multiturn_trees.OPTIONS, watch=watcher))
    assert watcher.told == [(done, 6) for done in range(1, 7)]


def test_every_run_folder_is_counted(tmp_path: Path) -> None:
    watcher = Watcher()
    for name in ("a", "b"):
        write_run(tmp_path / name, [later_row(1, started=f"2026-06-01T00:00:0{len(name)}")])
    read_slopcodebench(tmp_path, replace(slop_trees.OPTIONS, watch=watcher))
    assert watcher.told == [(1, 2), (2, 2)]
