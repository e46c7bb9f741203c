"""`agents.toml`: one agent has one name on all boards, and facts that a bundle does not state itself."""

import json
import shutil
from datetime import date
from pathlib import Path

import pytest
from kit.boards import board, bundle, called, row, table, with_agents
from kit.command import sitegen
from kit.requests import Draft, RequestMaker, new_row

from sitegen.board.board import Board
from sitegen.models.agents import AgentDirectory, spelling_key
from sitegen.models.submission import Agent
from sitegen.problems import errors_of
from sitegen.store.compare.changed_parts import read_request
from sitegen.store.compare.history import history_problems
from sitegen.store.compare.ownership import request_line
from sitegen.store.readers.folder import ReadingScope, read_results

ACME = {
    "name": "Acme-1",
    "spellings": ("Acme One", "acme.1"),
    "organization": "Acme Inc",
    "open_weights": True,
    "license": "MIT",
    "released": date(2026, 5, 1),
    "parameters_b": 70.5,
    "url": "https://example.org/acme-1",
    "source": "https://example.org/acme-1",
}
DIRECTORY = AgentDirectory.model_validate({"schema": 1, "agents": (ACME, {"name": "Birch"})})


@pytest.mark.parametrize("spelling", ["Acme-1", "acme 1", "ACME_1", "Acme One", "acme-one", "Acme.1"])
def test_every_spelling_leads_to_the_one_name(spelling: str) -> None:
    assert DIRECTORY.agent_name(spelling) == "Acme-1"


@pytest.mark.parametrize("spelling", ["Acme-10", "Acme+1", "Acme"])
def test_another_name_is_another_agent(spelling: str) -> None:
    assert DIRECTORY.agent_name(spelling) == spelling


def test_a_key_ignores_case_and_separators_only() -> None:
    assert spelling_key(" Claude Opus_4.6 ") == spelling_key("claude-opus-4.6")
    assert spelling_key("Opus 4.6") != spelling_key("Opus 4-6")


def test_what_an_agent_states_itself_wins() -> None:
    stated = Agent(name="Acme-1", organization="Acme", open_weights=False)
    completed = DIRECTORY.complete(stated)
    assert (completed.organization, completed.open_weights) == ("Acme", False)
    assert (completed.model_license, completed.model_released) == ("MIT", date(2026, 5, 1))
    assert completed.parameters_b == 70.5
    assert completed.url == "https://example.org/acme-1"
    assert completed.parameters_b == 70.5
    assert DIRECTORY.complete(Agent(name="Acme-1", parameters_b=71)).parameters_b == 71


def board_of_spellings() -> Board:
    tables = [table(row("acme-printed", name="Acme One"), row("birch-printed", name="birch"))]
    made = board(bundle("acme.1", "##", agent={"name": "acme.1"}), tables=tables, aliases={"Bee": "Birch"})
    return with_agents(made, DIRECTORY)


def test_a_board_shows_the_one_name_with_the_facts() -> None:
    entries = {entry.id: entry.agent for entry in board_of_spellings().all_entries}
    assert entries["acme.1"].name == "Acme-1"
    assert entries["acme.1"].open_weights is True
    assert entries["birch-printed"].name == "Birch"


def test_a_printed_row_under_another_spelling_is_a_claim_of_the_bundle() -> None:
    assert sorted(entry.id for entry in board_of_spellings().all_entries) == ["acme.1", "birch-printed"]


def test_an_alias_of_the_benchmark_counts_before_the_directory() -> None:
    made = with_agents(called("other", board(aliases={"Acme One": "Birch"})), DIRECTORY)
    assert made.benchmark.agent_name("Acme One") == "Birch"


def test_a_submission_does_not_change_because_of_the_directory() -> None:
    (entry,) = [entry for entry in board_of_spellings().all_entries if entry.submission]
    assert entry.submission
    assert entry.submission.agent == Agent(name="acme.1")


AGENTS = """
[[agents]]
name = "Leader"
spellings = ["Rival"]
open_weights = true
"""


@pytest.fixture(scope="module")
def maker(tmp_path_factory: pytest.TempPathFactory) -> RequestMaker:
    return RequestMaker(tmp_path_factory.mktemp("agents"))


def add_agents(draft: Draft) -> None:
    (draft.folder / "agents.toml").write_text(AGENTS, encoding="utf-8")


def test_the_agents_belong_to_the_maintainers(maker: RequestMaker) -> None:
    maker.only(new_row, add_agents)
    (problem,) = errors_of(history_problems(maker.base, maker.head))
    assert (problem.code, problem.path.name) == ("HISTORY-NOT-OWN", "agents.toml")
    assert "agents.toml is new: Leader" in problem.what


def test_a_maintainer_may_change_the_agents_and_reads_which_results_they_touch(maker: RequestMaker) -> None:
    maker.only(add_agents)
    assert not list(errors_of(history_problems(maker.base, maker.head)))
    request = read_request(maker.base, maker.head)
    (change,) = request.changes
    names = {name.partition("/")[2] for name in change.touches}
    assert {"leader", "rival"} <= names
    assert "gone" not in names
    assert "agents.toml is new: Leader" in str(request_line(request))


def test_the_command_prints_the_schema_of_the_file() -> None:
    printed = sitegen("schema", "agents")
    properties = json.loads(printed.stdout)["$defs"]["ListedAgent"]["properties"]
    assert printed.returncode == 0
    assert list(properties) == list(ACME)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    folder = tmp_path / "results"
    shutil.copytree("tests/corpus/base", folder)
    return folder


def test_a_benchmark_validated_alone_reports_a_broken_file_of_agents(results: Path) -> None:
    (results / "agents.toml").write_text('[[agents]]\nname = "A"\nodd = 1\n', encoding="utf-8")
    validated = sitegen("validate", results / "mini", "--format", "json")
    problems = json.loads(validated.stdout)["problems"]
    codes = [problem["code"] for problem in problems if problem["severity"] == "error"]
    assert (validated.returncode, codes) == (1, ["KEY-UNKNOWN"])


def test_score_names_agents_as_the_file_does(results: Path) -> None:
    (results / "agents.toml").write_text('[[agents]]\nname = "Ash"\nspellings = ["Acme-1"]\n', encoding="utf-8")
    scored = sitegen("score", results / "mini", "--format", "json")
    names = {submission["agent"]["name"] for submission in json.loads(scored.stdout)["submissions"]}
    assert scored.returncode == 0
    assert "Ash" in names
    assert "Acme-1" not in names


def test_shipped_agents_are_one_across_boards() -> None:
    results = read_results(Path("results"))
    assert [problem for problem in results.all_problems() if problem.path.name == "agents.toml"] == []
    names = [benchmark.benchmark.agent_name("Opus 4.6") for benchmark in results.benchmarks]
    assert set(names) == {"Claude-Opus-4.6"}


def unused_names(results: Path) -> list[str]:
    """Return what is said about names in agents.toml that no result has."""
    return [problem.what for problem in read_results(results).all_problems() if problem.code == "AGENT-UNUSED"]


@pytest.mark.parametrize("other_benchmark", ["a-first", "z-last"])
def test_an_alias_counts_in_its_own_benchmark_only(results: Path, other_benchmark: str) -> None:
    """`Drift` is an agent of mini; the other benchmark has no such agent, and gives the name another meaning."""
    (results / "agents.toml").write_text('[[agents]]\nname = "Ghost"\n', encoding="utf-8")
    shutil.copytree(results / "aims", results / other_benchmark)
    definition = results / other_benchmark / "benchmark.toml"
    text = definition.read_text(encoding="utf-8").replace('id = "aims"', f'id = "{other_benchmark}"')
    definition.write_text(f'{text}\n[aliases]\nDrift = "Ghost"\n', encoding="utf-8")
    assert unused_names(results) == ["no result is of Ghost"]


def test_an_agent_is_used_by_a_name_and_by_its_alias(results: Path) -> None:
    agents = '[[agents]]\nname = "Ghost"\nspellings = ["Drift"]\n'
    (results / "agents.toml").write_text(agents, encoding="utf-8")
    definition = results / "mini" / "benchmark.toml"
    text = definition.read_text(encoding="utf-8")
    definition.write_text(text.replace("[aliases]", '[aliases]\nDrift = "Ghost"'), encoding="utf-8")
    assert unused_names(results) == []


def test_an_agent_under_embargo_is_used(results: Path) -> None:
    (results / "agents.toml").write_text('[[agents]]\nname = "Drift"\n', encoding="utf-8")
    manifest = results / "mini" / "submissions" / "chain-drift" / "submission.toml"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(text.replace("date = 2026-06-28", "date = 2026-06-28\nembargo = 2026-08-01"), encoding="utf-8")
    read = read_results(results, scope=ReadingScope(day=date(2026, 7, 1)))
    assert [bundle.id for benchmark in read.benchmarks for bundle in benchmark.embargoed] == ["chain-drift"]
    assert "AGENT-UNUSED" not in {problem.code for problem in read.all_problems()}


def test_every_shipped_fact_has_a_source() -> None:
    directory = read_results(Path("results")).benchmarks[0].benchmark.agents
    assert len(directory.agents) > 30
    assert [agent.name for agent in directory.agents if not agent.source] == []


def test_an_import_adds_to_a_benchmark_beside_a_file_of_agents(results: Path, tmp_path: Path) -> None:
    (results / "agents.toml").write_text('[[agents]]\nname = "Acme-1"\n', encoding="utf-8")
    source = tmp_path / "runs.csv"
    source.write_text("task,model,resolved\none,Ash,1\ntwo,Ash,0\n", encoding="utf-8")
    arguments = ("--into", results, "--benchmark", "mini", "--track", "new", "--date", "2026-07-01", "--new-track")
    imported = sitegen("import", "table", source, *arguments)
    assert imported.returncode == 0, imported.stderr
    assert 'id = "new"' in (results / "mini" / "benchmark.toml").read_text(encoding="utf-8")
