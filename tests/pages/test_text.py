"""Text that came from elsewhere is fit to stand on a page."""

from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup, escape

from sitegen.pages.labels import escaped

VALUES = st.one_of(st.text(), st.integers(), st.floats(), st.none(), st.text().map(escape), st.text().map(Markup))


@given(VALUES)
def test_text_is_escaped_as_the_library_does(value: object) -> None:
    assert str(escaped(value)) == str(escape(value))


def test_plain_text_stays_the_object_that_it_is() -> None:
    text = "a case, and what became of it"
    assert escaped(text) is text
