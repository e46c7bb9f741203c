"""Texts of strangers in what commands print: nothing steers a terminal, and nothing begins a line of its own."""

import json
import re
from pathlib import Path

import pytest
from kit.command import sitegen
from kit.evocodebench_trees import passed, publish
from kit.results_folders import BENCHMARK, MANIFEST, Tree

EVIL = "x\n::error file=forged::y\r\x1b[2J\x1b]8;;http://evil\x07\u202e\x9b31m\u2028z"
TOML = json.dumps(EVIL)
STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029\u2066-\u2069]")


def assert_harmless(*printed: str) -> None:
    for text in printed:
        assert not STEERING.search(text)
        assert not re.search(r"^::error file=forged", text, re.MULTILINE)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Results with evil keys, values, names and texts."""
    tree = Tree(tmp_path / "results")
    tree.put("benchmark.toml", BENCHMARK.replace('title = "Main"', f'title = "Main"\nsummary = {TOML}'))
    tree.write("submission.toml", MANIFEST.replace("[agent]", f"{TOML} = 1\n[agent]"))
    finding = f'[[findings]]\ndate = 2026-06-01\nkind = "reward-hack"\ntitle = {TOML}\n{TOML} = {TOML}\n'
    tree.put("findings.toml", f"schema = 1\n{finding}")
    tree.put("tasks/more.jsonl", json.dumps({"id": EVIL, EVIL: [EVIL]}) + "\n")
    tree.add(f"2026-06-26-{EVIL.replace('/', '')}", *())
    return tree.folder


@pytest.mark.parametrize("form", ["text", "json", "markdown", "github", "gitlab"])
def test_no_text_of_results_steers_who_reads_the_report(results: Path, form: str) -> None:
    done = sitegen("validate", results, "--format", form)
    assert done.returncode == 1
    assert "forged" in done.stdout
    assert_harmless(done.stdout, done.stderr)


def test_json_tells_what_was_found_as_it_is(results: Path) -> None:
    problems = json.loads(sitegen("validate", results, "--format", "json").stdout)["problems"]
    assert any(EVIL in problem["what"] for problem in problems)


@pytest.mark.parametrize("form", ["table", "json", "csv", "text"])
def test_no_name_steers_who_reads_scores_and_changes(tmp_path: Path, form: str) -> None:
    """Names have no characters that steer a terminal; what steers its colours by words is printed as it is."""
    name = "[red]::error file=forged::y[/red]"
    tree = Tree(tmp_path / "results")
    tree.write("submission.toml", MANIFEST.replace('"Acme-1"', json.dumps(name)))
    (tmp_path / "empty").mkdir()
    arguments = ("diff", tmp_path / "empty") if form == "text" else ("score",)
    done = sitegen(*arguments, tree.folder, "--format", form)
    assert name in done.stdout
    assert_harmless(done.stdout, done.stderr)


def test_no_name_of_a_source_steers_who_imports_it(tmp_path: Path) -> None:
    source = publish(tmp_path, {"tidy": {EVIL: [passed()], f"{EVIL}.": [passed()]}})
    for options in ((), ("--model", "nobody"), ("--agent", "one")):
        done = sitegen("import", "evocodebench", source, "--into", tmp_path / "results", *options)
        assert "forged" in done.stderr
        assert_harmless(done.stdout, done.stderr)
