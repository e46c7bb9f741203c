"""Jobs that Harbor itself wrote, in every shape that an import has to read, on their way to scores."""

import json
import random
import re
import shutil
import tarfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from kit.source_mutations import mutate
from kit.thoroughness import IS_WHOLE
from typer.testing import CliRunner

from sitegen.cli.main import app
from sitegen.problems import ProblemsError, UsageError

SAMPLES = Path(__file__).parents[1] / "samples" / "harbor"
VERSIONS = ("0.26.0", "0.9.0")
MUTATIONS = 200 if IS_WHOLE else 2
"""Of each shape."""

Expected = Mapping[str, Any]
Rewards = dict[str, dict[str, list[object]]]
"""By agent and task: of each attempt the reward, or those of its rounds."""


@cache
def expected_shapes() -> dict[str, Expected]:
    shapes: dict[str, Expected] = json.loads((SAMPLES / "expected.json").read_text(encoding="utf-8"))
    return shapes


def shapes_of(version: str) -> list[str]:
    return [name for name, shape in expected_shapes().items() if version in shape.get("versions", VERSIONS)]


CASES = [(version, name) for version in VERSIONS for name in shapes_of(version)]


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shapes of each version, unpacked."""
    root = tmp_path_factory.mktemp("harbor")
    for version in VERSIONS:
        with tarfile.open(SAMPLES / f"harbor-{version}.tar.xz") as archive:
            archive.extractall(root / version, filter="data")
    return root


def run(*arguments: object) -> str:
    """Run a command that succeeds, and give what it prints.

    Raises:
        ProblemsError: It found something wrong.
    """
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if isinstance(done.exception, Exception):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


def import_words(shape: Path, into: Path, options: Sequence[str] = ()) -> list[object]:
    tasks = ["--tasks", shape / "tasks"] if (shape / "tasks").is_dir() else []
    return ["import", "harbor", shape / "jobs", "--into", into, "--benchmark", "mine", *tasks, *options]


def imported(shape: Path, into: Path, options: Sequence[str] = ()) -> tuple[Rewards, set[str]]:
    """Import, validate and score a shape; give the rewards, and the codes of the import's warnings."""
    output = run(*import_words(shape, into, options))
    assert json.loads(run("validate", into, "--format", "json"))["ok"]
    submissions = json.loads(run("score", into, "--format", "json"))["submissions"]
    rewards: Rewards = {}
    for submission in submissions:
        agent = submission["agent"]
        name = f"{agent['name']} ({agent['reasoning']})" if agent.get("reasoning") else agent["name"]
        by_task = rewards_of(into / "mine" / "submissions" / submission["id"])
        rewards[name] = by_task
        assert submission["metrics"]["mean_reward"]["value"] == pytest.approx(mean_of(by_task)), name
    words = {
        word.rstrip(":") for line in output.splitlines() if re.search(" (warning|note) ", line) for word in line.split()
    }
    return rewards, {code for code in words if code.isupper() and "-" in code}


def rewards_of(bundle: Path) -> dict[str, list[object]]:
    """Give the rewards of a bundle by task: of each attempt, or of its rounds where there are several."""
    attempts_by_task: dict[str, dict[int, list[object]]] = {}
    for line in (bundle / "rounds.jsonl").read_text(encoding="utf-8").splitlines():
        result = json.loads(line)
        reward = result["reward"] if result["state"] == "scored" else None
        value = "unreached" if result["state"] == "unreached" else reward
        attempts_by_task.setdefault(result["task"], {}).setdefault(result["attempt"], []).append(value)
    return {
        task: [rounds[0] if len(rounds) == 1 else rounds for rounds in attempts.values()]
        for task, attempts in attempts_by_task.items()
    }


def mean_of(by_task: Mapping[str, list[object]]) -> float:
    """Give the mean over tasks of the mean over attempts of the mean over rounds."""
    tasks = []
    for attempts in by_task.values():
        rounds = [attempt if isinstance(attempt, list) else [attempt] for attempt in attempts]
        means = [
            sum(value for value in round_result if isinstance(value, int | float)) / len(round_result)
            for round_result in rounds
        ]
        tasks.append(sum(means) / len(means))
    return sum(tasks) / len(tasks)


def expected_of(variant: Expected, version: str, key: str) -> Any:  # noqa: ANN401 - any JSON
    return variant.get(f"{key} {version}", variant.get(key))


def check(variant: Expected, version: str, actual: tuple[Rewards, set[str]]) -> None:
    rewards, codes = actual
    assert rewards == expected_of(variant, version, "agents")
    assert sorted(codes) == sorted(expected_of(variant, version, "warnings") or ())


@pytest.mark.parametrize(("version", "name"), CASES)
def test_a_job_that_harbor_wrote_gets_its_outcome(version: str, name: str, folders: Path, tmp_path: Path) -> None:
    shape, expected = folders / version / name, expected_shapes()[name]
    if "refused" not in expected:
        check(expected, version, imported(shape, tmp_path / "results"))
        return
    with pytest.raises(ProblemsError) as raised:
        run(*import_words(shape, tmp_path / "refused"))
    assert [problem.code for problem in raised.value.problems if problem.is_error] == [expected["refused"]]
    assert not (tmp_path / "refused").exists()
    for number, variant in enumerate(expected["ways"]):
        check(variant, version, imported(shape, tmp_path / str(number), variant["options"]))


def test_the_runners_own_judgement_of_every_exception_is_followed(folders: Path, tmp_path: Path) -> None:
    """The agent of each trial ended with another exception, and the verifier gave 1 wherever it ran."""
    shape = folders / "0.26.0" / "every-exception"
    results = [json.loads(path.read_text(encoding="utf-8")) for path in shape.glob("jobs/*/*/result.json")]
    expected_rewards = {result["task_name"]: [1 if result["reward_valid"] else None] for result in results}
    rewards, _ = imported(shape, tmp_path)
    assert rewards == {"brook-2": expected_rewards}
    assert sum(reward == [1] for reward in expected_rewards.values()) == 9
    assert len(expected_rewards) == 59


def double_or_remove_a_folder(dice: random.Random, shape: Path) -> None:
    """Copy or remove a folder of a shape, as moving results about does."""
    inner = sorted(path for path in shape.rglob("*") if path.is_dir() and path != shape / "jobs")
    chosen = dice.choice(inner)
    if dice.random() < 0.5:
        shutil.copytree(chosen, chosen.with_name(f"copy-of-{chosen.name}"))
    else:
        shutil.rmtree(chosen)


@pytest.mark.parametrize(("version", "name"), CASES)
def test_a_job_with_changes_is_read_or_refused_in_words(version: str, name: str, folders: Path, tmp_path: Path) -> None:
    for seed in range(MUTATIONS):
        dice = random.Random(f"{version} {name} {seed}")  # noqa: S311 - a draw that anyone may foresee
        shape = tmp_path / str(seed)
        shutil.copytree(folders / version / name, shape)
        if dice.random() < 0.2:
            double_or_remove_a_folder(dice, shape)
        if any(path.is_file() for path in (shape / "jobs").rglob("*")):
            mutate(dice, shape)
        into = tmp_path / f"{seed}-into"
        done = CliRunner().invoke(app, [str(argument) for argument in import_words(shape, into)])
        assert done.exception is None or isinstance(done.exception, SystemExit | ProblemsError | UsageError), seed
        if done.exit_code == 0:
            assert json.loads(run("validate", into, "--format", "json"))["ok"], seed
        shutil.rmtree(shape)
