"""Reduce style sheets to the rules that pages need, and inline them into landing pages.

Start with `reduce_sheet`, which reduces one sheet, and `inline_styles`, which puts sheets into
a page.
"""

import hashlib
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias, assert_never

import tinycss2
from tinycss2.ast import Node

from sitegen.publish.site.object_files import pack_objects, unpack_objects
from sitegen.publish.site.stamping import RELATIVE, STYLES_ALLOWED, format_hashes

_STYLE_LINK = re.compile(r'<link rel="stylesheet" href="(?P<file>[^":]+)">')
_WORD = re.compile(r"[\w-]+")
_PICTURE = re.compile(r'(--[\w-]+):url\((?:"[^"]*"|[^)"]*)\);?')
"""Matches a variable whose value is a picture."""
_USED_VARIABLE = re.compile(r"var\((--[\w-]+)")
_CODE_BLOCKS = {"md-code", "md-clipboard", "md-tooltip", "md-tooltip2", "md-annotation"}
"""Blocks that the theme's script creates if a page has highlighted code."""
_SCRIPTED_BLOCKS = {"md-search-result", *_CODE_BLOCKS}
"""Blocks (in the BEM sense) whose elements the theme's script creates."""
_FUNCTIONS_OF_SELECTORS = {"is", "where", "has"}


class _ClassCondition(NamedTuple):
    """The condition that a page has a class."""

    class_name: str
    """The class, without a modifier that a script may add."""


class _WordsCondition(NamedTuple):
    """The condition that a page contains all words of an id or attribute value."""

    words: Sequence[str]


class _AnyCondition(NamedTuple):
    """The condition that one of several lists of conditions is met, as for `:is`."""

    alternatives: Sequence[Sequence["_Condition"]]


_Condition: TypeAlias = _ClassCondition | _WordsCondition | _AnyCondition
"""A condition that a page must meet for a selector to match."""


class _Rule(NamedTuple):
    """A rule of a style sheet, or the rules in an `@media` or `@supports`."""

    head: str
    """The `@media` or `@supports` with its condition; empty for a plain rule."""
    selectors: Sequence[tuple[str, Sequence[_Condition]]]
    """Each selector with its conditions; empty for a rule that is always needed."""
    body: str
    inner_rules: Sequence["_Rule"] = ()


_RULES: dict[str, Sequence[_Rule]] = {}
"""Parsed style sheets by digest, since parsing takes longer than making the pages that use them."""


def load_parsed_rules(data: bytes) -> set[str]:
    """Add the rules that another process parsed, and return the digests of their sheets."""
    rules: dict[str, Sequence[_Rule]] = unpack_objects(data, {}) or {}
    _RULES.update(rules)
    return set(rules)


def dump_parsed_rules() -> bytes:
    """Return all parsed rules as bytes, for another process."""
    return pack_objects(_RULES)


def parsed_sheets() -> set[str]:
    """Return the digests of the style sheets whose rules this process knows."""
    return set(_RULES)


def find_words(page: str, *scripts: str) -> set[str]:
    """Return the words in the text of a page and its scripts.

    The page does not have any class, id or attribute value that is not among these words.
    """
    page_words: set[str] = set()
    for text in (page, *scripts):
        page_words.update(_WORD.findall(text))
    if 'highlight">' in page:
        page_words |= _CODE_BLOCKS
    return page_words


def read_page_words(page: Path, site: Path) -> set[str]:
    """Return the words in a page's file and in the scripts of its site."""
    scripts = (site / "assets" / "scripts").glob("*.js")
    return find_words(*(path.read_text(encoding="utf-8") for path in (page, *scripts)))


def reduce_sheet(sheet: str, page_words: Collection[str]) -> str:
    """Return a style sheet without rules and pictures that the pages do not need.

    Args:
        sheet: The style sheet.
        page_words: The words on the pages (see `find_words`).
    """
    reduced = "".join(_needed_rules(_parse_sheet(sheet), page_words))
    used_variables = set(_USED_VARIABLE.findall(reduced))

    def keep_used(picture: re.Match[str]) -> str:
        return picture[0] if picture[1] in used_variables else ""

    return _PICTURE.sub(keep_used, reduced)


def _parse_sheet(sheet: str) -> Sequence[_Rule]:
    """Return the rules of a style sheet."""
    digest = hashlib.sha256(sheet.encode()).hexdigest()
    if digest not in _RULES:
        nodes = tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True)
        _RULES[digest] = list(map(_parse_rule, nodes))
    return _RULES[digest]


def _parse_rule(node: Node) -> _Rule:
    if node.type == "qualified-rule":
        selectors = []
        for tokens in _split_at_commas(node.prelude):
            text = tinycss2.serialize(tokens).strip()
            selectors.append((text, list(_conditions(tokens))))
        return _Rule("", selectors, tinycss2.serialize(node.content))
    if node.type == "at-rule" and node.lower_at_keyword in {"media", "supports"}:
        head = f"@{node.at_keyword}{tinycss2.serialize(node.prelude)}"
        nodes = tinycss2.parse_rule_list(node.content, skip_comments=True, skip_whitespace=True)
        return _Rule(head, (), "", tuple(map(_parse_rule, nodes)))
    return _Rule("", (), node.serialize())


def _split_at_commas(tokens: Sequence[Node]) -> list[list[Node]]:
    groups: list[list[Node]] = [[]]
    for token in tokens:
        if token.type == "literal" and token.value == ",":
            groups.append([])
        else:
            groups[-1].append(token)
    return groups


def _needed_rules(rules: Sequence[_Rule], page_words: Collection[str]) -> Iterator[str]:
    """Yield the text of the rules that a page with the given words may need."""
    for rule in rules:
        if rule.head:
            inner_text = "".join(_needed_rules(rule.inner_rules, page_words))
            if inner_text:
                yield f"{rule.head}{{{inner_text}}}"
        elif rule.selectors:
            selectors = [
                text for text, conditions in rule.selectors if _may_hold(conditions, page_words)
            ]
            if selectors:
                yield f"{','.join(selectors)}{{{rule.body}}}"
        else:
            yield rule.body


def _conditions(tokens: Sequence[Node]) -> Iterator[_Condition]:
    """Yield the classes, ids and attribute values that a selector requires."""
    previous: Node | None = None
    for token in tokens:
        follows_point = (
            previous is not None and previous.type == "literal" and previous.value == "."
        )
        match token.type:
            case "ident" if follows_point:
                yield _ClassCondition(token.value.partition("--")[0])
            case "hash":
                yield _WordsCondition([token.value])
            case "[] block":
                value = tinycss2.serialize(token.content).partition("=")[2].strip("\"'")
                yield _WordsCondition(_WORD.findall(value))
            case "function" if token.lower_name in _FUNCTIONS_OF_SELECTORS:
                groups = _split_at_commas(token.arguments)
                yield _AnyCondition([list(_conditions(group)) for group in groups])
        previous = token


def _may_hold(conditions: Sequence[_Condition], page_words: Collection[str]) -> bool:
    """Return whether a page with the given words may meet all conditions of a selector."""
    return all(_may_be_met(condition, page_words) for condition in conditions)


def _may_be_met(condition: _Condition, page_words: Collection[str]) -> bool:
    """Return whether a page with the given words may meet a condition of a selector."""
    match condition:
        case _ClassCondition(class_name):
            return _may_have_class(class_name, page_words)
        case _WordsCondition(words):
            return all(word in page_words for word in words)
        case _AnyCondition(alternatives):
            return not alternatives or any(_may_hold(group, page_words) for group in alternatives)
        case unknown:
            assert_never(unknown)


def _may_have_class(class_name: str, page_words: Collection[str]) -> bool:
    """Return whether a page may have a class: the class is a word, or a script may create it."""
    block = class_name.partition("__")[0]
    return class_name in page_words or (block in page_words and block in _SCRIPTED_BLOCKS)


def write_page_styles(folder: Path, page_words: Collection[str]) -> None:
    """Write the style sheet of generated pages next to the theme's, as `pages.*` next to `main.*`.

    Three quarters of the theme's rules are left out. Some of these rules also make long tables
    slow: a rule such as `:nth-child` without a tag makes the browser style all rows below a moved
    row again.
    """
    for path in folder.rglob("main.*.css"):
        reduced = reduce_sheet(path.read_text(encoding="utf-8"), page_words)
        target = path.with_name(f"pages.{path.name.removeprefix('main.')}")
        target.write_text(reduced, encoding="utf-8", newline="\n")


def inline_styles(page: str, folder: Path, page_words: Collection[str] | None = None) -> str:
    """Return a page with its style sheets inlined and, if it has a policy, allowed by the policy.

    On a slow connection, such a page appears one round trip earlier.

    Args:
        page: The page.
        folder: The folder of the page, which its links are relative to.
        page_words: The words on the page, used to leave out rules that it does not need; None keeps
            all rules.
    """
    sheets: list[str] = []

    def read_sheet(link: re.Match[str]) -> str:
        sheet = (folder / link["file"]).read_text(encoding="utf-8")
        if page_words is not None:
            sheet = reduce_sheet(sheet, page_words)
        sheet_folder = link["file"].rpartition("/")[0]
        sheets.append(RELATIVE.sub(rf"\g<1>{sheet_folder}/", sheet))
        return f"<style>{sheets[-1]}</style>"

    filled = _STYLE_LINK.sub(read_sheet, page)
    return filled.replace(f"{STYLES_ALLOWED};", f"{STYLES_ALLOWED}{format_hashes(sheets)};", 1)
