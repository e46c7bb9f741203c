"""Turn links of authored pages into plain text where they lead to what a site does not show.

A site of some benchmarks alone has the same authored pages as the complete one: `remove_links`.
What stands in a slot is replaced on the site, and may link to files beside the authored pages:
`unlink_slots`.
"""

import posixpath
import re
from collections.abc import Collection
from pathlib import Path

_MARKDOWN_LINK = re.compile(
    r"""(?<!!)\[(?P<text>[^\[\]]*)\]\(\s*<?(?P<target>[^\s()<>]+)>?(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)"""
)
"""A link of Markdown with its target beside it; images are none."""
_MARKDOWN_DEFINITION = re.compile(
    r"^ {0,3}\[(?P<label>[^\]]+)\]:\s*<?(?P<target>[^\s<>]+)>?.*$", re.MULTILINE
)
"""A target that links of Markdown use by its label."""
_HTML_LINK = re.compile(
    r"""<a\b[^>]*\bhref="(?P<target>[^"]*)"[^>]*>(?P<text>.*?)</a>""", re.DOTALL
)

_SLOT = re.compile(r"""<div data-slot="[^"]*">.*?</div>""", re.DOTALL)


def unlink_slots(docs: Path) -> None:
    """Replace links in the slots of Markdown files by their text.

    They are for readers of the source, and may lead to files that a builder does not have; zensical
    refuses such a page.
    """
    for path in docs.rglob("*.md"):
        text = path.read_text(encoding="utf-8")
        unlinked = without_slot_links(text)
        if unlinked != text:
            path.write_text(unlinked, encoding="utf-8")


def without_slot_links(text: str) -> str:
    """Return the Markdown of a page in which links in slots are plain text."""
    return _SLOT.sub(lambda slot: _HTML_LINK.sub(r"\g<text>", slot[0]), text)


def remove_links(docs: Path, folders: Collection[str]) -> None:
    """Replace links of Markdown files by their text if they lead into some folders of the site.

    Args:
        docs: The folder of the authored pages.
        folders: Names of folders at the root of the site, such as ids of benchmarks.
    """
    for path in docs.rglob("*.md"):
        text = path.read_text(encoding="utf-8")
        if not any(folder in text for folder in folders):
            continue
        page = path.relative_to(docs).with_suffix("").as_posix()
        path.write_text(without_links(text, page, folders), encoding="utf-8")


def without_links(text: str, page: str, folders: Collection[str]) -> str:
    """Return the Markdown of a page in which links into some folders are plain text.

    Args:
        text: The Markdown.
        page: Path of the page below the root of the site, without a suffix.
        folders: Names of folders at the root of the site.
    """

    def plain_text(match: re.Match[str]) -> str:
        if leads_into(match["target"], page, folders):
            return match["text"]
        return match[0]

    text = _HTML_LINK.sub(plain_text, text)
    text = _MARKDOWN_LINK.sub(plain_text, text)
    for match in list(_MARKDOWN_DEFINITION.finditer(text)):
        if leads_into(match["target"], page, folders):
            label = re.escape(match["label"])
            text = text.replace(match[0], "")
            text = re.sub(rf"\[([^\[\]]+)\]\[{label}\]", r"\1", text)
            text = re.sub(rf"\[({label})\](?:\[\])?", r"\1", text)
    return text


def leads_into(target: str, page: str, folders: Collection[str]) -> bool:
    """Return whether a link of a page leads into one of some folders at the root of the site.

    Authors write links relative to the file, to be resolved by the builder, or relative to the
    address of the page, which is one level deeper. Both readings count.
    """
    path = target.partition("#")[0].partition("?")[0]
    if "://" in path or path.startswith(("mailto:", "//")):
        return False
    for base in (posixpath.dirname(page), page):
        resolved = posixpath.normpath(posixpath.join("/", base, path)).lstrip("/")
        if resolved.split("/")[0] in folders:
            return True
    return False
