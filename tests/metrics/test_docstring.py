"""Docstrings are read by their sections, as the methods page needs them."""

from sitegen.metrics.metric import INTRODUCTION, paragraphs, sections

TOLD = """Share of something.

    More about it, on
    two lines.

    Args:
        grids: Not: a heading.

    Formula:
        Score = 1 / T

        T: tasks
    """


def test_a_docstring_is_parted_at_its_headings() -> None:
    assert sections(TOLD) == {
        INTRODUCTION: "Share of something.\n\nMore about it, on\ntwo lines.",
        "Args": "grids: Not: a heading.",
        "Formula": "Score = 1 / T\n\nT: tasks",
    }


def test_a_function_without_a_docstring_tells_nothing() -> None:
    assert sections(None) == {INTRODUCTION: ""}


def test_a_paragraph_comes_on_one_line() -> None:
    assert paragraphs(sections(TOLD)[INTRODUCTION]) == ["Share of something.", "More about it, on two lines."]
