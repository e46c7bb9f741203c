"""The page of an agent across boards, and the list of all agents."""

from kit.boards import board, bundle, called, row, table
from kit.rendered_pages import TEMPLATES
from lxml import html

from sitegen.pages.addresses import agent_address
from sitegen.pages.kinds.agents import agent_pages

RAW = called("raw", board(bundle("ash", *"########"), bundle("elm", *"........"), rounds=(1,) * 8))
PRINTED = called("printed", board(tables=[table(row("ash-printed", "12.5", name="Ash"), row("oak", "60.0"))]))


def words(element: html.HtmlElement) -> str:
    return " ".join(str(element.text_content()).split())


PAGES = {page.address: page for page in agent_pages([RAW, PRINTED], TEMPLATES)}


def test_an_agent_has_a_page_with_its_rows_on_all_boards_whatever_its_spelling() -> None:
    page = html.fromstring(f"<main>{PAGES['agents/ash/'].content}</main>")
    (answer,) = page.cssselect("h1 [data-answer]")
    assert words(answer) == "ash appears on 2 boards and leads Raw Main"
    rows = [[words(cell) for cell in each][:3] for each in page.cssselect("tbody tr")]
    assert rows == [["Raw, Main", "1 of 2", "100.0"], ["Printed, Main", "(2) of 2", "12.5"]]
    assert [each.get("href") for each in page.cssselect("tbody th a")] == [
        "../../raw/main/ash/",
        "../../printed/main/ash-printed/",
    ]


def test_the_list_names_every_agent_once() -> None:
    page = html.fromstring(f"<main>{PAGES['agents/'].content}</main>")
    assert [each.get("href") for each in page.cssselect("tbody th a")] == [
        "../agents/ash/",
        "../agents/elm/",
        "../agents/oak/",
    ]


def test_names_that_may_tell_agents_apart_have_addresses_of_their_own() -> None:
    assert agent_address("GLM 5.2") == agent_address("glm-5.2") == "agents/glm-5-2/"
    others = ("con", "x" * 200, "x" * 199, "Qwen3", "Qwen3+", "智谱 3", "模型 3", "智谱", "模型")
    assert len({agent_address(name) for name in others}) == len(others)
    assert max(len(agent_address(name)) for name in others) < 100
