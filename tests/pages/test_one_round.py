"""Where every task has one round, pages speak of tasks and attempts; of rounds by the benchmark's own word."""

import re
from pathlib import Path

import pytest
from kit.boards import board, bundle, called, track
from kit.command import done
from kit.rendered_pages import all_pages
from lxml import html

ROUNDS = re.compile(r".{0,60}\brounds?\b.{0,30}", re.IGNORECASE)
DOCUMENTED = {"methods", "submit", "api", "data"}
"""Pages on the method and the files of all boards."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("one-round")
    done("init", "board", "--kind", "one-shot", folder=folder)
    definition = folder / "board" / "results" / "board" / "benchmark.toml"
    text = definition.read_text(encoding="utf-8")
    assert "round_name" in text
    definition.write_text(re.sub("round_name.*", "", text), encoding="utf-8")
    rows = [f"{agent},{task},1,1,{int(task != agent)}" for agent in "abc" for task in "abcdef"]
    (folder / "results.csv").write_text("\n".join(("agent,task,attempt,round,reward", *rows, "")), encoding="utf-8")
    arguments = ("--benchmark", "board", "--date", "2026-07-01")
    done("import", "table", "../results.csv", *arguments, folder=folder / "board")
    done("build", folder=folder / "board")
    return folder / "board" / "site"


def said(page: bytes | str, left_out: str = "no-such-part") -> str:
    """All that a page says, in its text and in what is shown or read aloud of its elements, but for names in code."""
    shown = html.fromstring(page)
    for element in shown.xpath(
        f"//*[@id='{left_out}'] | //script | //style | //pre | //code | //a[contains(@href, '.jsonl')]"
    ):
        element.drop_tree()
    return " ".join((shown.text_content(), *shown.xpath("//@title | //@aria-label | //@content")))


def test_no_page_of_a_board_of_one_round_speaks_of_rounds(site: Path) -> None:
    pages = [page for page in site.rglob("*.html") if page.relative_to(site).parts[0] not in DOCUMENTED]
    assert len(pages) > 10
    assert {
        str(page.relative_to(site)): matches for page in pages if (matches := ROUNDS.findall(said(page.read_bytes())))
    } == {}


def test_a_task_of_one_round_is_passed_or_not(site: Path) -> None:
    page_text = said((site / "board" / "main" / "tasks" / "index.html").read_bytes())
    assert "a, b: passed" in page_text
    assert "a, a: not passed" in page_text


def test_what_passed_of_tasks_of_one_round_are_attempts(site: Path) -> None:
    home = site / "board" / "main"
    for page in (home, home / "tasks"):
        page_text = said((page / "index.html").read_bytes())
        assert re.search("attempts passed", page_text, re.IGNORECASE)
        assert not re.search("tasks passed|passed task", page_text, re.IGNORECASE)
    assert "2 of 3 agents passed a" in said((home / "tasks" / "a" / "1" / "index.html").read_bytes())


def test_no_page_speaks_of_rounds_where_the_benchmark_has_another_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for what is said of the file of rounds, and in definitions."""
    drawn = {"ada": ("#.", "+x"), "bob": ("..", "n-"), "cyd": ("##", "#.")}
    for name in drawn:  # their pages list the files
        (tmp_path / "results" / "mini" / "submissions" / name).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    bundles = [bundle(name, *marks) for name, marks in drawn.items()]
    made = board(*bundles, rounds=(2, 2), on=track(headline="strict", columns=("strict",)))
    pages = {
        page.address: ROUNDS.findall(said(page.content, "compute"))
        for page in all_pages([called("mini", made, round_name="Part")])
    }
    assert len(pages) > 10
    assert {address: matches for address, matches in pages.items() if matches} == {}
