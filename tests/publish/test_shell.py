"""Generated pages are stamped into a shell that was cut from a built page."""

import pytest

from sitegen.errors import BuilderError
from sitegen.publish.shell import cut_shell

STUB = (
    '<title>@@title@@</title><link href="../assets/a.css"><a href="./">here</a><a href="#top">up</a>'
    '<a href="https://example.org/">out</a><script>{"base": "..", "search": "../w.js"}</script>@@content@@'
)


def test_plain_text_is_escaped_and_content_is_not() -> None:
    page = cut_shell(STUB).stamp("a < b", "", "", "<p>yes</p>")
    assert "<title>a &lt; b</title>" in page
    assert page.endswith("<p>yes</p>")


def test_deeper_pages_climb_further() -> None:
    page = cut_shell(STUB).deeper(2).stamp("t", "", "", "")
    assert 'href="../../../assets/a.css"' in page
    assert 'href="../.././"' in page
    assert '"base": "../../..", "search": "../../../w.js"' in page


def test_fragments_and_other_hosts_stay_as_they_are() -> None:
    page = cut_shell(STUB).deeper(2).stamp("t", "", "", "")
    assert 'href="#top"' in page
    assert 'href="https://example.org/"' in page


def test_the_links_of_the_content_are_left_alone() -> None:
    assert '<a href="x/">' in cut_shell(STUB).deeper(1).stamp("t", "", "", '<a href="x/">x</a>')


def test_a_theme_without_a_place_for_content_is_refused() -> None:
    with pytest.raises(BuilderError, match="no @@content@@ slot"):
        cut_shell("<title>@@title@@</title>")
