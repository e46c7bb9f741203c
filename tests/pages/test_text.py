"""Text that came from elsewhere is fit to stand on a page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup, escape

from sitegen.models.task import TaskRound
from sitegen.pages.labels import escaped, round_title

VALUES = st.one_of(st.text(), st.integers(), st.floats(), st.none(), st.text().map(escape), st.text().map(Markup))


@given(VALUES)
def test_text_is_escaped_as_the_library_does(value: object) -> None:
    assert str(escaped(value)) == str(escape(value))


def test_plain_text_stays_the_object_that_it_is() -> None:
    text = "a case, and what became of it"
    assert escaped(text) is text


@pytest.mark.parametrize(
    ("title", "instruction", "shown"),
    [
        ("Retry policies", None, "Retry policies"),
        ("## Add `sort`. It is stable.", None, "Add sort"),
        ("Two changes this round:", None, "Two changes this round"),
        ("See [the docs](https://example.org/a_b) for **all** of `x_y`", None, "See the docs for all of x_y"),
        ("Use v1.2 of <b>it</b>? Yes", None, "Use v1.2 of it?"),
        ("", "- Build it.\n- Test it.", "Build it"),
        ("Build a too", "Build a tool that sorts. Then test it.", "Build a tool that sorts"),
        ("Sorting", "Build a tool that sorts.", "Sorting"),
        ("Update the docs for `detect` because the old ones may be wrong about how it ends its work, an", None,
         "Update the docs for detect because the old ones may be wrong about how it ends its work…"),
        ("word " * 40, None, "word " * 17 + "word…"),
        ("a\x1bb", None, "a␛b"),
        ("", None, ""),
    ],
)  # fmt: skip
def test_the_title_of_a_round_is_its_first_sentence_without_markup(
    title: str, instruction: str | None, shown: str
) -> None:
    assert round_title(TaskRound(1, title, instruction=instruction)) == shown
