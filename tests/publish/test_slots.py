"""While the builder works, a mark stands for each text of the results."""

import re

import pytest

from sitegen.publish.site.authored_links import without_slot_links
from sitegen.publish.site.stamping import insert_marked_texts, mark_text

TEXTS = ["<script>go()</script>", "@@content@@", mark_text("@@content@@"), '" & \\ {{ x }} \N{SNOWMAN}\n', ""]


@pytest.mark.parametrize("text", TEXTS)
def test_a_mark_holds_nothing_that_a_builder_could_take_for_markup(text: str) -> None:
    assert re.fullmatch("@@text-[0-9a-f]*@@", mark_text(text))


def test_a_text_comes_back_as_text() -> None:
    assert insert_marked_texts("<b>" + mark_text('<i> & "x"') + "</b>") == "<b>&lt;i&gt; &amp; &quot;x&quot;</b>"


def test_a_mark_inside_a_text_is_text() -> None:
    assert insert_marked_texts(mark_text(mark_text("x"))) == mark_text("x")


def test_links_in_slots_are_for_readers_of_the_source() -> None:
    outside = 'See <a href="../a.md">A</a>.\n\n'
    slot = '<div data-slot="metrics"><a href="../../reference/metrics.md">All of\nthem</a></div>\n'
    assert without_slot_links(outside + slot) == outside + '<div data-slot="metrics">All of\nthem</div>\n'
