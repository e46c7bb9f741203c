"""Titles of rounds, made of what the rounds ask for; and who lets a request be shown."""

import json
import re
from pathlib import Path

import pytest
from kit import harbor_trees
from kit.evocodebench_trees import OPTIONS, passed, publish
from kit.multiturn_trees import FAIL, Source
from kit.real_data import real_data
from typer.testing import CliRunner

from sitegen.cli.main import app
from sitegen.importers.evocodebench.source import read_published
from sitegen.importers.harbor.tasks import read_task
from sitegen.importers.kit.requests import LONGEST, titles_of
from sitegen.models.benchmark import Benchmark
from sitegen.reading.toml import read_toml


@pytest.mark.parametrize(
    ("request_text", "title"),
    [
        ("Add a `merge` operator. It joins two tables.\n", "Add a merge operator"),
        ("# Tidy ledger\n\nAdd search.", "Tidy ledger"),
        ("## Round 8: Build *targets*\n", "Build targets"),
        ("Step 2\n\nAdd a [flag](https://example.org/a_b) to __build__.", "Add a flag to build"),
        ("**Corrections:**\n\n1. The `run` command is slow.\n2. More.", "Corrections: The run command is slow"),
        ("Add two things:", "Add two things"),
        ("---\n\n```sh\nmake a.b. C\n```\n\nFix it, e.g. this.\nThen go.", "Fix it, e.g. this"),
        ("Keep `a * b` and `x_1_y`; drop a_b_c.", "Keep a * b and x_1_y; drop a_b_c"),
        ("Key sk-abcdefghijklmnopqrstuvwx is odd.", "Key [redacted] is odd"),
        ("", ""),
        ("```\nonly code\n```", ""),
    ],
)
def test_a_title_is_the_first_sentence_without_markup(request_text: str, title: str) -> None:
    assert titles_of([request_text]) == [title]


def test_a_long_sentence_is_cut_between_words() -> None:
    (title,) = titles_of(["Extend the pipeline with several new stages, " * 9])
    assert len(title) <= LONGEST
    assert re.fullmatch(r"(Extend the pipeline with several new stages, )+.*\w…", title)
    assert title.removesuffix("…").split()[-1] in {"Extend", "the", "pipeline", "with", "several", "new", "stages"}
    assert len(titles_of(["x" * 999])[0]) == LONGEST


def test_rounds_that_begin_alike_are_told_apart() -> None:
    assert titles_of([f"This is `acme`. Add {feature}." for feature in ("a clock", "a bell")]) == [
        "Add a clock",
        "Add a bell",
    ]
    assert titles_of(["Go on.", "Go on."]) == ["Go on", "Go on"], "where nothing tells them apart"


def test_real_rounds_have_titles_of_whole_words() -> None:
    source = real_data("evocodebench", "2026-06-13")
    (tasks,) = read_published(source, OPTIONS.__class__(OPTIONS.today, allow_missing=True)).task_sets
    for task in tasks.tasks:
        file = json.loads((source / "tasks" / f"{task.id}.json").read_text(encoding="utf-8"))
        texts = [
            round_result["md"] for round_result in sorted(file["rounds"], key=lambda round_entry: round_entry["n"])
        ]
        assert [round_result.instruction for round_result in task.rounds] == texts
        assert len({round_result.title for round_result in task.rounds}) == len(texts)
        for title, text in zip((round_result.title for round_result in task.rounds), texts, strict=True):
            assert 5 < len(title) <= LONGEST
            assert not re.search(r"`|\*\*|^#", title)
            assert title.removesuffix("…").split()[-1].strip("*_`") in re.sub(r"[`*]", "", text)


def test_harbor_reads_requests_where_it_is_told_to(tmp_path: Path) -> None:
    path = harbor_trees.write_task(tmp_path, "tidy", 2)
    without, _ = read_task(path)
    definition, problems = read_task(path, with_instructions=True)
    assert without
    assert definition
    assert (problems, {round_result.instruction for round_result in without.task.rounds}) == ([], {None})
    assert [(round_result.title, round_result.instruction) for round_result in definition.task.rounds] == [
        ("Secret instruction", "# Secret instruction")
    ] * 2


def test_requests_of_the_fork_and_of_tasks_without_rounds_lie_elsewhere(tmp_path: Path) -> None:
    older = harbor_trees.write(tmp_path / "older" / "task.toml", "[metadata]\nnum_rounds = 2\n")
    harbor_trees.write(tmp_path / "older" / "round_2" / "instruction.md", "Add a bell.")
    once = harbor_trees.write(tmp_path / "once" / "task.toml", "[metadata]\n[[metadata.targets]]\nname = 'clock'\n")
    harbor_trees.write(tmp_path / "once" / "instruction.md", "Add a clock.")
    definitions = [read_task(path, with_instructions=True)[0] for path in (older, once)]
    requests = [
        [(round_result.title, round_result.instruction) for round_result in definition.task.rounds]
        for definition in definitions
        if definition
    ]
    assert requests == [[("", None), ("Add a bell", "Add a bell.")], [("clock", "Add a clock.")]]


def test_requests_are_not_looked_for_outside_of_the_task(tmp_path: Path) -> None:
    harbor_trees.write(tmp_path / "instruction.md", "Not of this task.")
    (tmp_path / "tidy" / "steps" / "b").mkdir(parents=True)
    (tmp_path / "tidy" / "steps" / "b" / "instruction.md").symlink_to(tmp_path / "instruction.md")
    steps = "".join(f"[[steps]]\nname = '{name}'\n" for name in ("..", "../..", "b"))
    definition, problems = read_task(harbor_trees.write(tmp_path / "tidy" / "task.toml", steps), with_instructions=True)
    assert definition
    assert {round_result.instruction for round_result in definition.task.rounds} == {None}
    assert [problem.code for problem in problems] == ["LINK-REFUSED"]


def test_a_benchmark_that_stands_says_whether_requests_are_shown(tmp_path: Path) -> None:
    """A benchmark that begins shows them, unless who imports leaves them out."""
    source = publish(tmp_path / "2026-06-13", {"tidy": {"Ada": [passed()]}})
    runs = Source(tmp_path / "runs")
    runs.task("tidy")
    runs.of("ada").run("tidy__ADA00000", [FAIL])

    def run(*arguments: str) -> BaseException | None:
        return CliRunner().invoke(app, ["import", *arguments, "--into", str(tmp_path / "results")]).exception

    assert run("evocodebench", str(source)) is None
    begun = tmp_path / "results" / "evocode-bench"
    definition = read_toml(begun / "benchmark.toml", Benchmark).record
    assert definition
    assert definition.instructions
    assert "**thing**" in (begun / "tasks" / "official.jsonl").read_text()
    for options in (("--no-instructions",), ()):  # the second time, the benchmark's word counts
        assert run("harbor-multiturn", str(tmp_path / "runs"), "--benchmark", "mine", *options) is None
        assert "instructions = true" not in (tmp_path / "results" / "mine" / "benchmark.toml").read_text()
        assert "instruction" not in (tmp_path / "results" / "mine" / "tasks" / "fail-stop.jsonl").read_text()
