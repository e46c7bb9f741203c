"""A stranger's Markdown, quoted under a trusted name."""

import re
import unicodedata

import pytest
from harmless import LONGEST_LINE, harmless
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

GITHUB = MarkdownIt("commonmark").enable(["table", "strikethrough"])
NAMING = re.compile(r"@\w|#\d|://|www\.|\bGH-\d", re.IGNORECASE)
"""What GitHub makes a link or a notification of, wherever it stands outside code."""

PIECES = st.sampled_from(
    (
        *(
            "`",
            "``",
            "```\n",
            "\\",
            "    ",
            "- ",
            "> ",
            "1. ",
            "# ",
            "===",
            "---",
            "|",
            "~~",
            "**",
            "_",
            "\n",
            "\r",
            " ",
        ),
        *("@octo", "&#64;octo", "a@b.example", "#12", "GH-1", "https://e.example", "www.e.example", ":tada:", "$x$"),
        *(
            "<img src=x>",
            "<!--",
            "&lt;",
            "[a](b)",
            "![a](b)",
            "[x]: https://e.example",
            "\u202e",
            "\u200b",
            "\x1b",
            "word",
        ),
    )
)


def tokens(markdown: str) -> list[Token]:
    """All tokens of a text, those inside lines too."""
    return [nested_token for token in GITHUB.parse(markdown) for nested_token in (token, *(token.children or ()))]


@given(st.one_of(st.lists(PIECES, max_size=30).map("".join), st.text(max_size=200)))
def test_nothing_in_it_names_or_leads_or_is_more_than_text(text: str) -> None:
    quoted, omitted_count = harmless(text, 100_000)
    quoted_tokens = tokens(quoted)
    kinds = {token.type for token in quoted_tokens}
    assert omitted_count == 0
    assert not kinds & {"html_inline", "html_block", "link_open", "image", "fence", "table_open", "strong_open"}
    texts = [text_token.content for text_token in quoted_tokens if text_token.type == "text"]
    assert not any(NAMING.search(shown_text) for shown_text in texts)
    assert not any(unicodedata.category(character) == "Cc" for character in quoted if character != "\n")


@pytest.mark.parametrize("line", ["## `demo/chain`: new", "- Place `rank`", "  - `tidy`, attempt 1", "", "1 row new"])
def test_headings_lists_and_code_stay(line: str) -> None:
    plain = [token.type for token in tokens(line)]
    assert [token.type for token in tokens(harmless(line, 1_000)[0])] == plain


def test_what_is_shown_is_what_was_written() -> None:
    text = "a*b*c <i> [d](e) \\f & g_h_ `i*j` 1. k"
    shown = "".join(
        token.content for token in tokens(harmless(text, 1_000)[0]) if token.type in {"text", "code_inline"}
    )
    assert shown == text.replace("`", "")


def test_a_text_ends_where_there_is_no_more_room() -> None:
    assert harmless("one\ntwo\nthree", 9) == ("one\ntwo", 1)


def test_a_line_without_end_is_cut() -> None:
    quoted, _ = harmless("x" * 10 * LONGEST_LINE, 100_000)
    assert len(quoted) == LONGEST_LINE + 1
