"""Drawings of a site: made once, and kept for the next build."""

from pathlib import Path

import pytest

from sitegen.charts.chart import Bar, Ranking, Scale, digest_of
from sitegen.pipeline.drawing import drawing


def ranking(value: float) -> Ranking:
    return Ranking(Scale("Solved (%)", 100.0), [Bar(0, "Acme", value, str(value))])


def test_what_was_not_drawn_before_is_drawn(tmp_path: Path) -> None:
    with drawing([ranking(50.0), ranking(60.0)], tmp_path / "new", tmp_path / "old") as draw:
        assert "Acme: 50.0" in draw(ranking(50.0))
        assert "Acme: 60.0" in draw(ranking(60.0))
    assert len(list((tmp_path / "new").glob("*.svg"))) == 2


def test_what_was_drawn_before_is_taken_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / f"{digest_of(ranking(50.0))}.svg").write_text("<svg>as it was</svg>", encoding="utf-8")
    (tmp_path / "old" / f"{digest_of(ranking(50.0))}.json").write_text("{}", encoding="utf-8")
    with drawing([ranking(50.0)], tmp_path / "new", tmp_path / "old") as draw:
        assert draw.process is None
        assert draw(ranking(50.0)) == "<svg>as it was</svg>"


def test_what_is_not_drawn_any_more_is_not_kept(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / f"{digest_of(ranking(10.0))}.svg").write_text("<svg/>", encoding="utf-8")
    with drawing([], tmp_path / "new", tmp_path / "old"):
        pass
    assert list((tmp_path / "new").iterdir()) == []


def test_a_drawing_that_could_not_be_made_is_named(tmp_path: Path) -> None:
    with (
        drawing([], tmp_path / "new", tmp_path / "old") as draw,
        pytest.raises(ChildProcessError, match=r"Solved \(%\)"),
    ):
        draw(ranking(50.0))
