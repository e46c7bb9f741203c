"""A site whose results have a file of agents: one page for all spellings, and pages that follow the file."""

import json
from pathlib import Path

import pytest
from kit.command import done
from kit.projects import project
from kit.results_folders import Tree
from lxml import html

AGENTS = '[[agents]]\nname = "Acme X"\nspellings = ["Acme-1"]\nopen_weights = {open}\nlicense = "MIT"\n'


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    work = tmp_path_factory.mktemp("agents")
    tree = Tree(project(work, "https://example.org/") / "results")
    (tree.folder / "agents.toml").write_text(AGENTS.format(open="true"), encoding="utf-8")
    done("build", folder=work)
    return work


def page(work: Path, address: str) -> html.HtmlElement:
    return html.fromstring((work / "site" / address / "index.html").read_bytes())


def test_the_one_name_is_on_every_page(work: Path) -> None:
    (line,) = page(work, "agents").cssselect("tr[data-agent]")
    assert (line.get("data-agent"), line.get("data-open-weights")) == ("Acme X", "yes")
    assert page(work, "mini/main").cssselect("tr[data-submission] .sg-agent a")[0].text == "Acme X"
    scores = json.loads((work / "site/api/v1/scores.json").read_text(encoding="utf-8"))
    (submission,) = scores["submissions"]
    assert (submission["agent"]["name"], submission["agent"]["model_license"]) == ("Acme X", "MIT")


def test_the_address_of_another_spelling_leads_to_the_agent(work: Path) -> None:
    (link,) = page(work, "agents/acme-1").cssselect("a[data-forward]")
    assert link.get("href") == "../../agents/acme-x/"


def test_a_change_of_the_file_changes_pages_that_the_last_build_left(work: Path) -> None:
    path = work / "results" / "agents.toml"
    path.write_text(AGENTS.format(open="false"), encoding="utf-8")
    done("build", folder=work)
    (row,) = page(work, "mini/main").cssselect("tr[data-submission]")
    assert row.get("data-open-weights") == "no"
    (line,) = page(work, "agents").cssselect("tr[data-agent]")
    assert line.get("data-open-weights") == "no"
