"""Files as people have them: each gets the outcome worked out apart, and passes through every command."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from kit.command import sitegen
from kit.real_data import real_data, real_data_or_none
from kit.small_import import files_in

Case = Mapping[str, Any]

CUT_OFF_WORDS = "copy the source again"


def case_names() -> list[str]:
    """Return the names of all cases; none where the real data is absent."""
    root = real_data_or_none("real")
    if root is None:
        return []
    return list(json.loads((root / "expected.json").read_text("utf-8"))["cases"])


def case_of(name: str) -> tuple[Path, Case]:
    """Return the folder of the real data, and a case; skip the test where there is none."""
    root = real_data("real")
    return root, json.loads((root / "expected.json").read_text("utf-8"))["cases"][name]


class Import:
    """One try to import a case into a new results folder."""

    def __init__(self, root: Path, case: Case, options: Sequence[str], into: Path) -> None:
        folder = root / Path(case["source"]).parts[0]
        filled_options = [option.replace("{case}", str(folder)) for option in options]
        self.words = ("import", case["format"], root / case["source"], "--into", into, "--benchmark", "mine")
        self.options = filled_options
        self.into = into
        done = sitegen(*self.words, *filled_options)
        self.exit_code = done.returncode
        self.output = done.stdout + done.stderr

    def caveats(self) -> str:
        """Return the manifests of all bundles, which hold the caveats."""
        paths = self.into.glob("mine/submissions/*/submission.toml")
        return "".join(path.read_text("utf-8") for path in paths)


def check_values(attempt: Import, agents: Sequence[Case]) -> None:
    """Hold an import against the agents that it has to give, and every further command against it."""
    validated = sitegen("validate", attempt.into)
    assert validated.returncode == 0, validated.stdout
    scored = sitegen("score", attempt.into, "--format", "json")
    submissions = json.loads(scored.stdout)["submissions"]
    assert len(submissions) == len(agents)
    for agent in agents:
        (row,) = [row for row in submissions if is_agent(row, agent)]
        check_agent(attempt.into / "mine" / "submissions" / row["id"], row, agent)


def is_agent(row: Case, agent: Case) -> bool:
    """Return whether a row of `score` is of an expected agent."""
    if row["agent"]["name"] != agent["name"]:
        return False
    return "reasoning" not in agent or row["agent"].get("reasoning") == agent["reasoning"]


def check_agent(bundle: Path, row: Case, agent: Case) -> None:
    """Hold one bundle and its scores against what is expected of an agent."""
    lines = [json.loads(line) for line in (bundle / "rounds.jsonl").read_text("utf-8").splitlines()]
    assert len({line["task"] for line in lines}) == agent["tasks"]
    assert max(line["attempt"] for line in lines) == agent["attempts"]
    scored = [line for line in lines if line["state"] in {"scored", "no_cases"}]
    assert len(scored) == agent["scored"]
    if "not_scored" in agent:
        assert len(lines) - len(scored) == agent["not_scored"]
    for metric, value in agent["metrics"].items():
        score = row["metrics"].get(metric) or row["metrics"]["dataset_score"]
        assert score["value"] == pytest.approx(value), metric


def matches_values(root: Path, case: Case, tmp_path: Path) -> None:
    """Import with the first options that are accepted; the values have to be right."""
    for number, options in enumerate(case["options"]):
        attempt = Import(root, case, options, tmp_path / str(number))
        if attempt.exit_code == 0:
            break
    assert attempt.exit_code == 0, attempt.output
    check_values(attempt, case["agents"])
    output = attempt.output + attempt.caveats()
    for fragment in case.get("told", ()):
        assert re.search(fragment, output, re.IGNORECASE), (fragment, output)
    board = new_board(tmp_path)
    submitted = sitegen("submit", root / case["source"], *to_main(case), *attempt.options, "--dry-run", folder=board)
    assert submitted.returncode == 0, submitted.stdout + submitted.stderr


def new_board(tmp_path: Path) -> Path:
    """Make a new leaderboard project."""
    assert sitegen("init", tmp_path / "board", "--benchmark", "mine").returncode == 0
    return tmp_path / "board"


def to_main(case: Case) -> list[str]:
    """Return the options of `submit` for a case."""
    return ["--to", "mine/main", "--format", case["format"]]


def is_refused(root: Path, case: Case, tmp_path: Path, fragments: Sequence[str]) -> None:
    """Check that an import is refused with words, and that nothing was written."""
    into = tmp_path / "refused"
    attempt = Import(root, case, case["options"][0], into)
    assert attempt.exit_code in {1, 2}, attempt.output
    assert not into.exists() or not files_in(into)
    for fragment in fragments:
        assert re.search(fragment, attempt.output, re.IGNORECASE), (fragment, attempt.output)
    assert (CUT_OFF_WORDS in attempt.output) == bool(case.get("cut"))


def is_reported(root: Path, case: Case, tmp_path: Path, value: float) -> None:
    """Check that an import gives a reported value and no bundle."""
    attempt = Import(root, case, case["options"][0], tmp_path / "reported")
    assert attempt.exit_code == 0, attempt.output
    scored = sitegen("score", attempt.into, "--format", "json")
    (row,) = json.loads(scored.stdout)["submissions"]
    assert row["evidence"] == "reported"
    assert value in {metric["value"] for metric in row["metrics"].values()}


@pytest.mark.parametrize("name", case_names())
def test_a_file_as_people_have_it_gets_its_outcome(name: str, tmp_path: Path) -> None:
    root, case = case_of(name)
    if any(alternative["outcome"] == "reported" for alternative in case.get("or", ())):
        is_reported(root, case, tmp_path, case["or"][0]["value"])
    elif case["outcome"] == "values":
        matches_values(root, case, tmp_path)
    else:
        is_refused(root, case, tmp_path, case["words"])
    for number, variant in enumerate(case.get("ways", ())):
        attempt = Import(root, case, [*case["options"][0], *variant["options"]], tmp_path / f"way-{number}")
        assert attempt.exit_code == 0, attempt.output
        check_values(attempt, variant["agents"])


def test_there_are_the_cases() -> None:
    real_data("real")
    assert len(case_names()) >= 68
