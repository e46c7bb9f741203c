"""Where every task has one round, pages speak of tasks and attempts."""

import re
from pathlib import Path

import pytest
from command import done
from lxml import html

AT_TASKS = r"\b\d+ rounds?\b|(scored|expected|every) rounds?\b|round before|its rounds\b"
"""What pages say of rounds that tasks have, beside names of files and general words on the method."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("one-round")
    done("init", "board", "--kind", "one-shot", folder=folder)
    rows = [f"{agent},{task},1,1,{int(task != agent)}" for agent in "abc" for task in "abcdef"]
    (folder / "results.csv").write_text("\n".join(("agent,task,attempt,round,reward", *rows, "")), encoding="utf-8")
    place = ("--benchmark", "board", "--date", "2026-07-01")
    done("import", "table", "../results.csv", *place, folder=folder / "board")
    done("build", folder=folder / "board")
    return folder / "board" / "site" / "board" / "main"


def said(page: Path) -> str:
    """All that a page says, in its text and in what is shown or read aloud of its elements."""
    shown = html.fromstring(page.read_bytes())
    for each in shown.xpath("//script | //style"):
        each.drop_tree()
    return " ".join((shown.text_content(), *shown.xpath("//@title | //@aria-label")))


@pytest.mark.parametrize("page", ["tasks", "compare", "2026-07-01-a"])
def test_a_board_of_one_round_does_not_count_rounds(site: Path, page: str) -> None:
    assert re.findall(AT_TASKS, said(site / page / "index.html")) == []


def test_a_task_of_one_round_is_passed_or_not(site: Path) -> None:
    words = said(site / "tasks" / "index.html")
    assert "a, b: passed" in words
    assert "a, a: not passed" in words
