"""Puts results into pages that were built without them: generated parts, and texts in the place of their marks."""

import html
import re

_MARK = re.compile(r"@@text-((?:[0-9a-f]{2})*)@@")


def marked(text: str) -> str:
    """Give what stands for a text of the results while the builder works: nothing in it means anything to a builder."""
    return f"@@text-{text.encode().hex()}@@"


def unmarked(page: str) -> str:
    """Put texts in the place of their marks, escaped: for a page, or what is taken for one."""
    return _MARK.sub(lambda mark: html.escape(bytes.fromhex(mark[1]).decode()), page)


def fill_slot(page: str, slot: str, content: str) -> str:
    """Put a generated part where the page's author left a place for it.

    Args:
        page: A built page.
        slot: Name of the place; the author wrote `<div data-slot="NAME"></div>`.
        content: HTML.
    """
    return page.replace(f'<div data-slot="{slot}"></div>', content)
