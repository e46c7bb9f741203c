"""Drawings: what they are made of, and that nothing but their data makes them."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree.ElementTree import Element, fromstring

import altair as alt
import pytest

from sitegen.charts.chart import (
    AxisScale,
    Bar,
    Panel,
    Ranking,
    StripPanel,
    Strips,
    digest_of,
)
from sitegen.charts.drawing import plot_of
from sitegen.charts.layout import agent_of, of_agent
from sitegen.pipeline.drawing import drawing
from sitegen.publish.site.cache import PageCache

NOTHING_KEPT = PageCache(None, Path())
SHARE = AxisScale("Solved (%)", 100.0)
RANKING = Ranking(SHARE, [Bar(0, "Acme & Co", 50.0, "50.0", 40.0, 60.0), Bar(1, "Bolt", 20.0, "20.0")])
STRIPS = Strips("kind", SHARE, [StripPanel("Tool", [Bar(0, "Acme", 50.0, "50.0"), Bar(1, "Bolt", 20.0, "20.0")], 35.0)])
MARKUP = Ranking(SHARE, [Bar(0, "<script>x</script>", 50.0, "50.0")])
LONG = Ranking(SHARE, [Bar(0, "x" * 60, 50.0, "50.0")])
PANELS: dict[str, Panel] = {
    "ranking": RANKING,
    "strips": STRIPS,
    "markup": MARKUP,
    "long": LONG,
}

Draw = Callable[[Panel], str]

each_panel = pytest.mark.parametrize("panel", PANELS.values(), ids=PANELS)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Draw]:
    """Every panel, drawn once."""
    work = tmp_path_factory.mktemp("drawn")
    with drawing(PANELS.values(), work / "new", NOTHING_KEPT) as draw:
        yield draw


def parsed(svg: str) -> Element:
    return fromstring(svg)  # noqa: S314 - our own drawing


def texts(svg: str) -> list[str]:
    return [text.text or "" for text in parsed(svg).iter("text")]


def titles(svg: str) -> list[str]:
    return [title.text or "" for title in parsed(svg).iter("title")]


def marks(svg: str, agent: int) -> list[Element]:
    return [mark for mark in parsed(svg).iter() if mark.get("data-agent") == str(agent)]


def intervals(svg: str) -> list[Element]:
    return [line for line in parsed(svg).iter("line") if line.get("stroke") == "var(--ink)"]


@each_panel
def test_every_colour_is_a_token_of_the_page(panel: Panel, drawn: Draw) -> None:
    svg = drawn(panel)
    assert not re.search(r"#[0-9a-fA-F]{3,8}\b|rgb\(", svg)
    assert set(re.findall(r'(?:fill|stroke)="([^"]*)"', svg)) <= {
        *(f"var(--{token})" for token in ("ink", "ink-2", "rule", "ink-3", "mark", "paper")),
        "none",
    }


@each_panel
def test_type_is_left_to_the_page(panel: Panel, drawn: Draw) -> None:
    assert "font" not in drawn(panel)


def test_the_same_data_gives_the_same_bytes(drawn: Draw, tmp_path: Path) -> None:
    with drawing(PANELS.values(), tmp_path / "new", NOTHING_KEPT) as again:
        assert [again(panel) for panel in PANELS.values()] == [drawn(panel) for panel in PANELS.values()]


@each_panel
def test_a_drawing_keeps_its_proportions_at_any_width(panel: Panel, drawn: Draw) -> None:
    root = parsed(drawn(panel))
    assert root.keys() == ["viewBox"]
    assert root.attrib["viewBox"].startswith("0 0 360 ")


@each_panel
def test_places_are_no_more_exact_than_can_be_seen(panel: Panel, drawn: Draw) -> None:
    assert not re.search(r"\d\.\d\d", " ".join(re.findall(r'(?:d|transform|[xy]2?)="([^"]*)"', drawn(panel))))


@each_panel
def test_what_is_drawn_follows_the_schema_of_vega_lite(panel: Panel) -> None:
    alt.LayerChart.from_dict(plot_of(panel).specification())


def test_a_mark_says_what_it_stands_for(drawn: Draw) -> None:
    assert titles(drawn(RANKING)) == ["Acme & Co: 50.0", "Bolt: 20.0"]
    assert titles(drawn(STRIPS)) == ["Acme: 50.0", "Bolt: 20.0"]


def test_marks_are_labelled_directly(drawn: Draw) -> None:
    assert {"Acme & Co", "Bolt", "50.0", "20.0", "Solved (%)"} <= set(texts(drawn(RANKING)))


def test_an_interval_reaches_as_far_as_it_is_long(drawn: Draw) -> None:
    """The axis goes from 0 to 60 over the plot's width; the interval from 40 to 60 is a third of it."""
    (interval,) = intervals(drawn(RANKING))
    assert float(interval.attrib["x2"]) == pytest.approx(plot_of(RANKING).width / 3, abs=0.1)


def test_a_score_without_an_interval_has_no_line(drawn: Draw) -> None:
    assert intervals(drawn(LONG)) == []


def test_every_mark_of_an_agent_can_be_found(drawn: Draw) -> None:
    assert len(marks(drawn(STRIPS), 0)) == 1
    assert len(marks(drawn(RANKING), 1)) == 1


@pytest.mark.parametrize("agent_index", [0, 1, 255, 65535])
def test_an_agents_colour_tells_its_place(agent_index: int) -> None:
    assert agent_of(of_agent(agent_index)) == agent_index


def test_a_name_that_looks_like_markup_stays_text(drawn: Draw) -> None:
    assert "<script" not in drawn(MARKUP)
    assert "<script>x</script>" in texts(drawn(MARKUP))


def test_a_long_name_is_cut_and_told_in_full_by_its_mark(drawn: Draw) -> None:
    assert max(map(len, texts(drawn(LONG)))) < 40
    assert titles(drawn(LONG)) == [f"{'x' * 60}: 50.0"]


def test_other_values_have_another_digest() -> None:
    assert len({digest_of(panel) for panel in PANELS.values()}) == len(PANELS)
    assert digest_of(RANKING) == digest_of(Ranking(SHARE, list(RANKING.bars)))
