"""Where the names of dots go."""

import random
from itertools import combinations

import pytest

from sitegen.charts.chart import AxisScale, Cloud, Dot
from sitegen.charts.layout import Field, LabelAnchor, Plotted, plotted

FIELD = Field(300, 200)


def test_a_name_stands_to_the_right_of_its_dot() -> None:
    (label,) = FIELD.labels([LabelAnchor(100, 100, "acme")])
    assert (label.align, label.right > 0) == ("start", True)


def test_at_the_right_end_a_name_stands_to_the_left() -> None:
    (label,) = FIELD.labels([LabelAnchor(298, 100, "acme")])
    assert (label.align, label.right < 0) == ("end", True)


def test_a_name_keeps_off_other_dots() -> None:
    label, *_ = FIELD.labels([LabelAnchor(100, 100, "acme"), LabelAnchor(120, 100, "b")])
    assert label.align == "end"


def test_where_there_is_no_room_a_dot_stays_without_a_name_and_the_first_ones_keep_theirs() -> None:
    crowd = [LabelAnchor(150 + step, 100 + step, f"agent-{step}") for step in range(30)]
    placed = [label.anchor for label in FIELD.labels(crowd)]
    assert placed[0] == 0
    assert len(placed) < len(crowd)


def test_a_name_keeps_off_the_line_where_it_can() -> None:
    (label,) = Field(300, 200, line=[(100, 100), (300, 100)]).labels([LabelAnchor(100, 100, "acme")])
    assert label.align == "end"


def test_a_name_that_finds_no_other_place_stands_on_the_line() -> None:
    line = [(0.0, y) for y in (0.0, 200.0)] + [(300.0, y) for y in range(200, 0, -4)]
    everywhere = [(x, y) for step in range(0, 200, 8) for x, y in ((0.0, float(step)), (300.0, float(step)))]
    assert len(Field(300, 200, line=[*line, *everywhere]).labels([LabelAnchor(150, 100, "acme")])) == 1


def test_a_name_keeps_off_the_intervals_of_others_where_it_can() -> None:
    bars = [((130.0, 20.0), (130.0, 180.0))]
    (label,) = Field(300, 200, bars=bars).labels([LabelAnchor(100, 100, "acme")])
    assert label.align == "end"


def test_a_name_of_less_weight_stands_on_no_line() -> None:
    bars = [((float(x), 0.0), (float(x), 200.0)) for x in range(0, 300, 10)]
    assert Field(300, 200, bars=bars).labels([LabelAnchor(150, 100, "acme", is_key=False)]) == []


NAMES = ("Doubao-Seed-2.0-Pro (OpenHands)", "Claude-Opus-4.7 (Terminus 2)", "GLM-5.1", "MiniMax-M2.7 (Terminus 2)")


def crowd(seed: int) -> Cloud:
    """Return a plot of twelve agents, some of them near the edges."""
    spread = random.Random(seed)  # noqa: S311 - no secret
    dots = []
    for index in range(12):
        y = spread.uniform(0, 60)
        x = spread.choice([spread.uniform(0, 20), spread.uniform(0, 200)])
        dots.append(Dot(index, NAMES[index % len(NAMES)], x, y, "", y - 5, y + 5, is_front=index < 3))
    return Cloud(AxisScale("turns"), AxisScale("score", 100), dots)


def name_boxes(made: Plotted, look: str, width: int) -> list[tuple[float, float, float, float]]:
    """Return the boxes of the names on a plot of a width, and those of the vertical axis's ticks."""
    boxes = []
    for left_share, top, name, right, down, align, shown_at in made.names:
        if shown_at in {"", look}:
            length = 6.8 * len(name)
            start = width * float(left_share.rstrip("%")) / 100 + right
            start -= {"start": 0.0, "middle": length / 2, "end": length}[align]
            foot = float(top) + down
            boxes.append((start, foot - 10, start + length, foot + 3))
    for top, text in made.up:
        boxes.append((0.0, float(top) - 14, 6.5 * len(text), float(top) - 1))
    return boxes


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(
    ("plots_in_row", "look", "width"),
    [
        (1, "sg-wide", 520),
        (1, "sg-wide", 1240),
        (2, "sg-wide", 440),
        (2, "sg-wide", 907),
        (2, "sg-narrow", 288),
        (2, "sg-narrow", 688),
    ],
)
def test_names_are_inside_the_plot_and_apart_at_every_width(
    seed: int, plots_in_row: int, look: str, width: int
) -> None:
    boxes = name_boxes(plotted(crowd(seed), plots_in_row), look, width)
    assert all(box[0] >= 0 and box[2] <= width + 14 for box in boxes)
    for box, other_box in combinations(boxes, 2):
        is_apart_across = box[2] <= other_box[0] or other_box[2] <= box[0]
        assert is_apart_across or box[3] <= other_box[1] or other_box[3] <= box[1]


def test_the_name_of_a_diagonal_and_those_of_dots_keep_apart() -> None:
    """It gives way to dots, and names of dots give way to it."""
    score = AxisScale("score", 100)
    dots = [Dot(0, "acme", 60, 66, ""), Dot(1, "b", 80, 85, ""), Dot(2, "far", 100, 100, "")]
    made = plotted(Cloud(score, score, dots, "as good on both"))
    _, _, x, y = made.lines[0]
    end, foot = 6.2 * float(x.rstrip("%")), float(y)
    for _, across, down, *_ in made.dots:
        assert not (end - 110 < 6.2 * float(across.rstrip("%")) < end and abs(foot - 5 - float(down)) < 12)
    starts = {
        name: (6.2 * float(left_share.rstrip("%")) + right, float(top) + down)
        for left_share, top, name, right, down, *_ in made.names
    }
    assert starts.keys() == {"acme", "b", "far"}
    assert not [name for name, (left_edge, at) in starts.items() if end - 140 < left_edge < end and abs(at - foot) < 12]
