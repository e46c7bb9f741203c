"""Drawings of a site: made once, and kept for the next build."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sitegen.charts.chart import AxisScale, Bar, Ranking, digest_of
from sitegen.pipeline.drawing import Drawings, drawing
from sitegen.publish.site.cache import BuildRecord, cache_in


def ranking(value: float) -> Ranking:
    return Ranking(AxisScale("Solved (%)", 100.0), [Bar(0, "Acme", value, str(value))])


def built(work: Path, name: str, panels: list[Ranking], look: Callable[[Drawings], object]) -> None:
    """Be a build that draws."""
    with cache_in(work / "kept", work / "site", work / "results") as cache:
        with drawing(panels, work / name, cache) as draw:
            look(draw)
        cache.keep(BuildRecord("", 0))


def test_what_was_drawn_before_is_taken_as_it_was_and_what_was_not_is_drawn(tmp_path: Path) -> None:
    drawn = []

    def first(draw: Drawings) -> None:
        drawn.append(draw(ranking(50.0)))
        assert "Acme: 50.0" in drawn[0]

    def second(draw: Drawings) -> None:
        assert draw(ranking(50.0)) == drawn[0]
        assert "Acme: 60.0" in draw(ranking(60.0))

    def third(draw: Drawings) -> None:
        assert draw.process is None
        assert draw(ranking(60.0)) != drawn[0]

    built(tmp_path, "first", [ranking(50.0)], first)
    built(tmp_path, "second", [ranking(50.0), ranking(60.0)], second)
    built(tmp_path, "third", [ranking(60.0)], third)
    for name, count in (("first", 1), ("second", 2), ("third", 1)):
        assert len(list((tmp_path / name).glob("*.svg"))) == len(list((tmp_path / name).glob("*.json"))) == count


def test_what_is_not_drawn_any_more_is_not_kept(tmp_path: Path) -> None:
    built(tmp_path, "first", [ranking(10.0)], lambda draw: draw(ranking(10.0)))
    assert [path.name for path in (tmp_path / "kept" / "found").iterdir()] == [f"chart-{digest_of(ranking(10.0))}"]
    built(tmp_path, "second", [], lambda _: None)
    assert list((tmp_path / "kept" / "found").iterdir()) == []


def test_a_drawing_that_could_not_be_made_is_named(tmp_path: Path) -> None:
    with pytest.raises(ChildProcessError, match=r"Solved \(%\)"):
        built(tmp_path, "first", [], lambda draw: draw(ranking(50.0)))
