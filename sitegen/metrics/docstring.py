"""Reads the sections of a docstring, so that a definition is told once: where it is computed."""

import re
from collections.abc import Mapping
from inspect import cleandoc
from textwrap import dedent

INTRODUCTION = ""
"""Key of what stands before the first heading."""

_HEADING = re.compile(r"^([A-Z][a-z]+):$", re.MULTILINE)


def sections(docstring: str | None) -> Mapping[str, str]:
    """Part a docstring at its headings.

    Args:
        docstring: As it stands in the code; a heading is a capitalised word and a colon, alone on an
            unindented line.

    Returns:
        The text of each section by its heading, without the indent; what comes before the first heading
        is the introduction.
    """
    first, *others = _HEADING.split(cleandoc(docstring or ""))
    texts = zip(others[::2], others[1::2], strict=True)
    return {INTRODUCTION: first.strip()} | {heading: dedent(text).strip() for heading, text in texts}


def paragraphs(text: str) -> list[str]:
    """Give the paragraphs of a text, each on one line."""
    return [" ".join(each.split()) for each in re.split(r"\n\s*\n", text) if each.strip()]
