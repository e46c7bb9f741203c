"""Which agents of a publication are taken, and what the importing person says of them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from kit.evocodebench_trees import OPTIONS, imported, passed, publish

from sitegen.importers.kit.options import ImportOptions
from sitegen.models.incoming import Draft
from sitegen.models.submission import Agent
from sitegen.problems import UsageError

HEADER = "task,total_rounds,Claude-Opus-4.8,GPT-5.5,__note"
NOTE = (
    "each cell: passed_rounds/total · c=mean case pass % · r=mean agent-tool interactions per reached benchmark round"
)
PRINTED = {
    "source": "README",
    "rows": [
        {"Agent": "Claude-Opus-4.8", "organization": "Anthropic", "Dataset score": "100.0"},
        {"Agent": "GPT-5.5", "Dataset score": "0.0"},
    ],
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Two agents, with a table of sweeps and a table of published values about both."""
    folder = publish(tmp_path, {"tidy": {"Opus-4.8-xhigh": [passed()], "GPT-5.5": [None]}})
    (folder / "sweep_2026-06.csv").write_text(f"{HEADER}\ntidy,1,1/1 c100% r2.5,0/1 c0% r3.5,{NOTE}\n", "utf-8")
    (folder / "published.json").write_text(json.dumps(PRINTED), "utf-8")
    return folder


def taken(source: Path, model: str, agent: str | None = None) -> Draft:
    """Import a publication of which one agent is asked for; nothing may be said of the other one."""
    read = imported(source, replace(OPTIONS, claims=source / "published.json", model=model, agent=agent))
    assert read.problems == ()
    (draft,) = read.drafts
    return draft


@pytest.mark.parametrize("model", ["Claude-Opus-4.8", "opus-4.8-XHIGH", "Opus-4.8"])
def test_one_agent_is_taken_by_any_of_its_spellings(source: Path, model: str) -> None:
    draft = taken(source, model)
    assert draft.id == "2026-06-25-claude-opus-4-8"
    assert draft.submission.agent == Agent(name="Claude-Opus-4.8", organization="Anthropic")
    assert [run.interactions_per_round for run in draft.runs] == [2.5]


def test_an_agent_that_is_not_there_is_refused_with_those_that_are(source: Path) -> None:
    with pytest.raises(UsageError, match=r"no runs of model Opus-9; it has: Claude-Opus-4\.8, GPT-5\.5"):
        imported(source, replace(OPTIONS, model="Opus-9"))


def test_the_one_agent_that_is_taken_can_be_renamed(source: Path) -> None:
    """Its own name stays as the model's, and published values find it under that."""
    draft = taken(source, "Opus-4.8", "Acme-1")
    assert draft.id == "2026-06-25-acme-1"
    assert draft.submission.agent == Agent(name="Acme-1", model="Claude-Opus-4.8", organization="Anthropic")
    assert draft.submission.claims is not None
    assert draft.submission.claims.source == "README"


def test_one_name_for_several_agents_is_refused(source: Path) -> None:
    with pytest.raises(UsageError, match=r"Claude-Opus-4\.8, GPT-5\.5; choose one with --model"):
        imported(source, replace(OPTIONS, agent="Acme-1"))


def test_what_the_source_does_not_tell_of_an_agent_can_be_said(source: Path) -> None:
    options: ImportOptions = replace(OPTIONS, organization="Acme", reasoning="high")
    agents = [draft.submission.agent for draft in imported(source, options).drafts]
    assert [(agent.organization, agent.reasoning) for agent in agents] == [("Acme", "high"), ("Acme", "high")]


def test_a_finding_about_a_renamed_agent_names_its_bundle(tmp_path: Path) -> None:
    folder = publish(tmp_path, {"tidy": {"Ada": [None]}, "neat": {"Ada": [passed()]}})
    index = json.loads((folder / "index.json").read_text("utf-8"))
    index["tasks"][0]["score"]["Ada"] = None
    (folder / "index.json").write_text(json.dumps(index), "utf-8")
    read = imported(folder, replace(OPTIONS, agent="Acme-1"))
    assert read.findings[0].submissions == (read.drafts[0].id,) == ("2026-06-25-acme-1",)
    assert read.findings[0].title == "1 runs of Acme-1 do not count"
