"""Generated pages are stamped into a shell that was cut from a built page."""

import re
from base64 import b64encode
from hashlib import sha256

import pytest

from sitegen.models.site import Page
from sitegen.problems import BuilderError
from sitegen.publish.site.stamping import Shell, cut_shell, mark_text

STUB = (
    '<meta charset="utf-8"><title>@@title@@</title><link href="../assets/a.css"><a href="./">here</a>'
    '<a href="#top">up</a><a href="https://example.org/">out</a><script>scope = new URL("..", location)</script>'
    '<script type="application/json">{"base": "..", "search": "../w.js"}</script>@@content@@'
)


def stamped(shell: Shell, title: str = "t", content: str = "", hosts: tuple[str, ...] = (), address: str = "x/") -> str:
    return shell.fill(Page(address, title, "", content, hosts))


def test_plain_text_is_escaped_and_content_is_not() -> None:
    page = stamped(cut_shell(STUB), "a < b", "<p>yes</p>")
    assert "<title>a &lt; b</title>" in page
    assert page.endswith("<p>yes</p>")


def test_deeper_pages_climb_further() -> None:
    page = stamped(cut_shell(STUB, 2))
    assert 'href="../../../assets/a.css"' in page
    assert 'href="../.././"' in page
    assert '"base": "../../..", "search": "../../../w.js"' in page


def test_what_a_reader_chose_holds_at_every_depth() -> None:
    """The theme keeps a choice of colours by the address that this leads to."""
    assert 'scope = new URL("../../..", location)' in stamped(cut_shell(STUB, 2))


def test_fragments_and_other_hosts_stay_as_they_are() -> None:
    page = stamped(cut_shell(STUB, 2))
    assert 'href="#top"' in page
    assert 'href="https://example.org/"' in page


def test_the_links_of_the_content_are_left_alone() -> None:
    assert '<a href="x/">' in stamped(cut_shell(STUB, 1), content='<a href="x/">x</a>')


def test_what_is_on_the_same_board_is_led_to_by_the_shortest_way() -> None:
    content = '<a href="../../../../b/t/x/#y">x</a><a href="../../../../b/u/">u</a><i data-root="../../../../b/t/"></i>'
    page = stamped(cut_shell(STUB, 3), address="b/t/tasks/one/", content=content)
    assert '<a href="../../x/#y">' in page
    assert '<a href="../../../../b/u/">u</a><i data-root="../../../../b/t/">' in page


def test_a_theme_without_a_place_for_content_is_refused() -> None:
    with pytest.raises(BuilderError, match="no @@content@@ slot"):
        cut_shell('<meta charset="utf-8"><title>@@title@@</title>')


@pytest.mark.parametrize("levels", [0, 2])
def test_a_shell_s_policy_names_its_scripts_as_they_are_at_their_depth(levels: int) -> None:
    page = stamped(cut_shell(STUB, levels))
    script = page.partition("<script>")[2].partition("</script>")[0]
    assert named(page) == [f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}"]


def test_a_script_that_content_brings_in_is_not_named() -> None:
    assert len(named(stamped(cut_shell(STUB), content="<script>steal()</script>"))) == 1


def test_a_text_of_the_results_is_no_slot_and_no_script_of_the_shell() -> None:
    page = stamped(cut_shell(STUB + mark_text("@@content@@<script>steal()</script>")), content="<p>once</p>")
    assert page.count("<p>once</p>") == len(named(page)) == 1
    assert page.endswith("@@content@@&lt;script&gt;steal()&lt;/script&gt;")


def named(page: str) -> list[str]:
    """Give the hashes that a page's policy names."""
    return re.findall(r"'(sha256-[^']*)'", page)


def test_a_page_s_scripts_may_ask_the_hosts_that_it_names() -> None:
    page = stamped(cut_shell(STUB), hosts=("https://data.example.org", "http://localhost:8000"))
    assert "connect-src 'self' https://data.example.org http://localhost:8000; " in page


def test_other_pages_may_ask_no_other_host() -> None:
    assert "connect-src 'self'; " in stamped(cut_shell(STUB))


@pytest.mark.parametrize("host", ["*", "https:", "https://a; script-src *", "https://a/path", "data:", "https://a b"])
def test_what_is_no_origin_does_not_enter_a_policy(host: str) -> None:
    with pytest.raises(BuilderError, match="is not an origin"):
        stamped(cut_shell(STUB), hosts=(host,))
