"""Cuts style sheets down to what pages need, and puts them into pages that readers arrive at."""

import hashlib
import pickle
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import tinycss2
from tinycss2.ast import Node

from sitegen.publish.stamping import RELATIVE, STYLES_ALLOWED, hashes

_SHEET = re.compile(r'<link rel="stylesheet" href="(?P<file>[^":]+)">')
_WORD = re.compile(r"[\w-]+")
_PICTURE = re.compile(r'(--[\w-]+):url\((?:"[^"]*"|[^)"]*)\);?')
_MADE_OF_CODE = {"md-code", "md-clipboard", "md-tooltip", "md-tooltip2", "md-annotation"}
"""What the theme's script makes where code is highlighted."""
_MADE = {"md-search-result", *_MADE_OF_CODE}
"""Blocks whose elements it makes."""
_USED = re.compile(r"var\((--[\w-]+)")


class _Ask(NamedTuple):
    """What a selector asks a page for: a class, all of some words, or what one of several lists asks for."""

    element: str = ""
    words: Sequence[str] = ()
    one_of: Sequence[Sequence["_Ask"]] = ()


class _Rule(NamedTuple):
    """A rule of a style sheet, or those that stand under one condition."""

    head: str
    """The condition; empty for a rule of its own."""
    selectors: Sequence[tuple[str, Sequence[_Ask]]]
    """Each as text, and what it asks for; none where the rule is always kept."""
    body: str
    inside: Sequence["_Rule"] = ()


_PARSED: dict[str, Sequence[_Rule]] = {}
"""Rules of style sheets by their digests: to find them takes longer than to make the pages that carry them."""


def take_parsed(data: bytes) -> None:
    """Take over the rules that another process found."""
    _PARSED.update(pickle.loads(data))  # noqa: S301 - sealed by a build that was made here


def parsed() -> bytes:
    """Give all rules that were found to another process."""
    return pickle.dumps(_PARSED)


def words_of(page: str, *scripts: str) -> set[str]:
    """Give the words of a page and of its scripts: a class that is none of them is not on it."""
    words = {word for text in (page, *scripts) for word in _WORD.findall(text)}
    return words | _MADE_OF_CODE if 'highlight">' in page else words


def words_on(page: Path, site: Path) -> set[str]:
    """Give the words of a page of a site, and of the site's scripts."""
    scripts = (site / "assets" / "scripts").glob("*.js")
    return words_of(*(path.read_text(encoding="utf-8") for path in (page, *scripts)))


def needed(sheet: str, words: Collection[str]) -> str:
    """Leave out of a style sheet the rules for what no page with these words has, and pictures that no rule shows."""
    kept = "".join(_kept(_rules_of(sheet), words))
    used = set(_USED.findall(kept))
    return _PICTURE.sub(lambda picture: picture[0] if picture[1] in used else "", kept)


def _rules_of(sheet: str) -> Sequence[_Rule]:
    digest = hashlib.sha256(sheet.encode()).hexdigest()
    if digest not in _PARSED:
        nodes = tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True)
        _PARSED[digest] = list(_parsed(nodes))
    return _PARSED[digest]


def _parsed(nodes: Sequence[Node]) -> Iterator[_Rule]:
    for node in nodes:
        if node.type == "qualified-rule":
            alternatives = _alternatives(node.prelude)
            selectors = [
                (tinycss2.serialize(each).strip(), list(_asked(each))) for each in alternatives
            ]
            yield _Rule("", selectors, tinycss2.serialize(node.content))
        elif node.type == "at-rule" and node.lower_at_keyword in {"media", "supports"}:
            rules = tinycss2.parse_rule_list(node.content, skip_comments=True, skip_whitespace=True)
            yield _Rule(
                f"@{node.at_keyword}{tinycss2.serialize(node.prelude)}",
                (),
                "",
                tuple(_parsed(rules)),
            )
        else:
            yield _Rule("", (), node.serialize())


def _alternatives(tokens: Sequence[Node]) -> list[list[Node]]:
    """Cut tokens at their commas."""
    cut: list[list[Node]] = [[]]
    for token in tokens:
        if token.type == "literal" and token.value == ",":
            cut.append([])
        else:
            cut[-1].append(token)
    return cut


def _kept(rules: Sequence[_Rule], words: Collection[str]) -> Iterator[str]:
    for rule in rules:
        if rule.head:
            if inside := "".join(_kept(rule.inside, words)):
                yield f"{rule.head}{{{inside}}}"
        elif not rule.selectors:
            yield rule.body
        elif kept := [text for text, asks in rule.selectors if _may_match(asks, words)]:
            yield f"{','.join(kept)}{{{rule.body}}}"


def _asked(tokens: Sequence[Node]) -> Iterator[_Ask]:
    """Find the classes, ids and values of attributes that a selector asks for."""
    for before, token in zip([None, *tokens], tokens, strict=False):
        match token.type:
            case "ident" if before is not None and before.type == "literal" and before.value == ".":
                yield _Ask(element=token.value.partition("--")[0])  # a script may set its state
            case "hash":
                yield _Ask(words=[token.value])
            case "[] block":
                value = tinycss2.serialize(token.content).partition("=")[2].strip("\"'")
                yield _Ask(words=_WORD.findall(value))
            case "function" if token.lower_name in {"is", "where", "has"}:
                yield _Ask(one_of=[list(_asked(each)) for each in _alternatives(token.arguments)])


def _may_match(asks: Sequence[_Ask], words: Collection[str]) -> bool:
    """Tell whether all that a selector asks for is known."""
    for element, needed_words, one_of in asks:
        block = element.partition("__")[0]
        if element and element not in words and not (block in words and block in _MADE):
            return False
        if any(word not in words for word in needed_words):
            return False
        if one_of and not any(_may_match(each, words) for each in one_of):
            return False
    return True


def write_page_styles(folder: Path, words: Collection[str]) -> None:
    """Write beside the theme's style sheet the one that generated pages load, `pages.` for `main.` in its name.

    What is left out is three quarters of the sheet. It also makes long tables slow: its rules by place among siblings
    have no tag, so that a row that moves has every row after it styled anew.
    """
    for path in folder.rglob("main.*.css"):
        short = needed(path.read_text(encoding="utf-8"), words)
        path.with_name(f"pages.{path.name.removeprefix('main.')}").write_text(
            short, encoding="utf-8", newline="\n"
        )


def with_styles_inside(page: str, folder: Path, words: Collection[str] | None = None) -> str:
    """Put the style sheets that a page names into the page itself, and into its policy where it has one.

    Over a slow line, a page that carries its styles is seen a round trip sooner than one that sends for them.
    Files that they name are then named from the page, which stands in the folder. With the words that its parts may be
    called by it carries what it needs; else it carries all.
    """
    carried = []

    def inside(link: re.Match[str]) -> str:
        sheet, beside = (
            (folder / link["file"]).read_text(encoding="utf-8"),
            link["file"].rpartition("/")[0],
        )
        short = needed(sheet, words) if words is not None else sheet
        carried.append(RELATIVE.sub(rf"\g<1>{beside}/", short))
        return f"<style>{carried[-1]}</style>"

    filled = _SHEET.sub(inside, page)
    return filled.replace(f"{STYLES_ALLOWED};", f"{STYLES_ALLOWED}{hashes(carried)};", 1)
