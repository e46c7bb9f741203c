"""Turn links of authored pages into plain text if the site leaves out their target.

`remove_links` does so for a site of selected benchmarks, which has the same authored pages as the
complete site. `unlink_slots` does so for the content of slots, which is replaced on the site, and
may link to files outside the authored pages.
"""

import posixpath
import re
from collections.abc import Collection
from pathlib import Path

_HTML_LINK = (
    r"""<a\b[^>]*\bhref=(?P<quote>["'])(?P<href>.*?)(?P=quote)[^>]*>(?P<html_text>.*?)</a>"""
)

_PLAIN = r"[^\[\]]*"
"""Matches a text without brackets."""
_NESTED = rf"(?:[^\[\]]|\[{_PLAIN}\])*"
"""Matches a text that may contain brackets, for example around an image's text."""
_TARGET = r"""\(\s*<?(?P<target>[^\s()<>]+)>?(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)"""

_MARKUP = re.compile(
    rf"""
    (?P<verbatim>
        ^[ ]*(?P<fence>`{{3,}}|~{{3,}})[^\n]*\n.*?^[ ]*(?P=fence)  # a block of code
        |(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)          # code in a line
        |\\.                                                       # an escaped character
    )
    |{_HTML_LINK}
    |(?P<definition>^[ ]{{0,3}}\[(?P<name>[^\]^][^\]]*)\]:\s*<?(?P<address>[^\s<>]+)>?[^\n]*$)
    |(?P<image>!)?\[(?P<text>{_NESTED})\](?:{_TARGET}|\[(?P<label>{_PLAIN})\])
    |(?P<shortcut_image>!)?\[(?P<shortcut>{_PLAIN})\]
    """,
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
"""Matches links in Markdown and HTML, and text that only looks like a link."""

_SLOT = re.compile(r"""<div data-slot="[^"]*">.*?</div>""", re.DOTALL)


def unlink_slots(docs: Path) -> None:
    """Replace links in the slots of Markdown files with their text.

    These links are for readers of the source, and may lead to files that a builder does not have;
    zensical rejects pages with such links.
    """
    for path in docs.rglob("*.md"):
        text = path.read_text(encoding="utf-8")
        unlinked = without_slot_links(text)
        if unlinked != text:
            path.write_text(unlinked, encoding="utf-8")


def without_slot_links(text: str) -> str:
    """Return the Markdown of a page with links in slots turned into plain text."""
    return _SLOT.sub(_without_html_links, text)


def _without_html_links(slot: re.Match[str]) -> str:
    return re.sub(_HTML_LINK, r"\g<html_text>", slot[0], flags=re.DOTALL)


def remove_links(docs: Path, folders: Collection[str]) -> None:
    """Replace links in Markdown files with their text if they lead into the given folders.

    Args:
        docs: The folder of the authored pages.
        folders: Names of folders at the root of the site, such as benchmark ids.
    """
    for path in docs.rglob("*.md"):
        text = path.read_text(encoding="utf-8")
        if not any(folder in text for folder in folders):
            continue
        page = path.relative_to(docs).with_suffix("").as_posix()
        path.write_text(without_links(text, page, folders), encoding="utf-8")


def without_links(text: str, page: str, folders: Collection[str]) -> str:
    """Return the Markdown of a page with links into the given folders turned into plain text.

    A link may be HTML (`<a href="…">`), may have its target next to it (`[text](target)`), or may
    use the label of a definition (`[text][label]`, `[label][]` or `[label]`). Definitions that only
    such links used are removed. Images, inline code and fenced code stay unchanged; code that is
    only indented is not recognized.

    Args:
        text: The Markdown.
        page: Path of the page below the root of the site, without a suffix.
        folders: Names of folders at the root of the site.
    """
    targets: dict[str, str] = {}
    image_labels: set[str] = set()
    for match in _MARKUP.finditer(text):
        if match["definition"]:
            targets[_normalise_label(match["name"])] = match["address"]
        elif _is_image(match):
            image_labels.add(_find_label(match))
    removed_labels = set()
    for label, target in targets.items():
        if leads_into(target, page, folders):
            removed_labels.add(label)

    def replace_markup(match: re.Match[str]) -> str:
        if match["verbatim"] or _is_image(match):
            return match[0]
        if match["definition"]:
            label = _normalise_label(match["name"])
            is_unused = label in removed_labels and label not in image_labels
            return "" if is_unused else match[0]
        target = match["href"] or match["target"]
        if target is None:
            is_removed = _find_label(match) in removed_labels
        else:
            is_removed = leads_into(target, page, folders)
        return _find_text(match) if is_removed else match[0]

    return _MARKUP.sub(replace_markup, text)


def _is_image(match: re.Match[str]) -> bool:
    return bool(match["image"] or match["shortcut_image"])


def _find_label(match: re.Match[str]) -> str:
    """Return the label that a link or an image uses; without a label, its text is used."""
    return _normalise_label(match["label"] or _find_text(match))


def _find_text(match: re.Match[str]) -> str:
    """Return the text of a link or an image; empty if it has none."""
    for name in ("html_text", "text", "shortcut"):
        if match[name] is not None:
            return match[name]
    return ""


def _normalise_label(label: str) -> str:
    """Return a label in the form used for comparison, without differences in case or spacing."""
    return " ".join(label.casefold().split())


def leads_into(target: str, page: str, folders: Collection[str]) -> bool:
    """Return whether a page's link leads into one of the given folders at the root of the site.

    Authors write links relative to the file, which the builder resolves, or relative to the address
    of the page, which is one level deeper. Both readings count.
    """
    path = target.partition("#")[0].partition("?")[0]
    if "://" in path or path.startswith(("mailto:", "//")):
        return False
    for base in (posixpath.dirname(page), page):
        resolved = posixpath.normpath(posixpath.join("/", base, path)).lstrip("/")
        if resolved.split("/")[0] in folders:
            return True
    return False
