"""Finds numbers in text that do not agree with their nouns or verbs ("1 tasks", "2 task")."""

import re
from collections.abc import Iterator

from lxml import html

_NOUNS = {
    "agent": "agents",
    "attempt": "attempts",
    "axis": "axes",
    "benchmark": "benchmarks",
    "board": "boards",
    "case": "cases",
    "category": "categories",
    "caveat": "caveats",
    "check": "checks",
    "checkpoint": "checkpoints",
    "claim": "claims",
    "cluster": "clusters",
    "column": "columns",
    "entry": "entries",
    "error": "errors",
    "file": "files",
    "finding": "findings",
    "gap": "gaps",
    "group": "groups",
    "hour": "hours",
    "kind": "kinds",
    "metric": "metrics",
    "minute": "minutes",
    "neighbour": "neighbours",
    "order": "orders",
    "pair": "pairs",
    "place": "places",
    "point": "points",
    "problem": "problems",
    "rank": "ranks",
    "record": "records",
    "redaction": "redactions",
    "release": "releases",
    "requirement": "requirements",
    "round": "rounds",
    "row": "rows",
    "run": "runs",
    "score": "scores",
    "second": "seconds",
    "step": "steps",
    "submission": "submissions",
    "table": "tables",
    "task": "tasks",
    "time": "times",
    "track": "tracks",
    "turn": "turns",
    "value": "values",
    "verdict": "verdicts",
    "warning": "warnings",
}
"""Nouns counted on pages and in messages, with their plurals."""

_PLURALS = "|".join(sorted(_NOUNS.values(), key=len, reverse=True))
_SINGULARS = "|".join(sorted(_NOUNS, key=len, reverse=True))
_WORDS = r"(?:(?:[a-z]+(?:ed|al|er|le|er's|pendent)|new|own|more|such) )?"
"""Matches an optional adjective before a noun."""

_START = r"(?<![\w.,:/–−+@^-])(?<!–\s)(?<!\b[Ee]ach of )(?<!\b[Ee]ach of the )(?<!\bone of )"
_NUMBER = r"\d{1,3}(?:,\d{3})+|\d+"
_SINGULAR_VERBS = "is|was|has|does|differs|follows|stands|passes|fails|tells|makes|counts|agrees|changes|lacks"
_PLURAL_VERBS = "are|were|have|do|differ|follow|stand|pass|fail|tell|make|count|agree|change|lack"

_ONE_OF_MANY = re.compile(rf"{_START}1 {_WORDS}({_PLURALS})\b")
_MANY_OF_ONE = re.compile(
    rf"{_START}({_NUMBER}) {_WORDS}({_SINGULARS})\b(?!-|'s| {_WORDS}(?:{_PLURALS}|ranges|sets)\b)"
)
_OF_ONE = re.compile(
    rf"{_START}(?:{_NUMBER}|[Nn]one|[Aa]ll) of (?:the )?1 {_WORDS}(?:{_PLURALS}|{_SINGULARS})\b"
    rf"(?=[^.·|]*\.(?:\s|$)|[^.·|]* (?:{_SINGULAR_VERBS}|{_PLURAL_VERBS})\b)"
)
"""Matches a part of a single item within a sentence; a list of facts may say "1 of 1 task"."""
_PARTS = re.compile(
    rf"{_START}(?:({_NUMBER}) of (?:the )?)?({_NUMBER}) {_WORDS}(?:{_PLURALS}|{_SINGULARS})"
    rf"(?: of [a-z]+| of the [a-z]+)? ({_SINGULAR_VERBS}|{_PLURAL_VERBS})\b"
)
_PRONOUNS = re.compile(r"\b(?:[Aa]ll|[Bb]oth|[Tt]he|[Tt]hese|[Tt]hose) 1 (?:[a-z]+ )?[a-z]+s\b")


def slips(text: str) -> Iterator[str]:
    """Yield the passages of a text in which a number does not agree with its noun or verb."""
    matches = [*_ONE_OF_MANY.finditer(text), *_OF_ONE.finditer(text), *_PRONOUNS.finditer(text)]
    matches += [match for match in _MANY_OF_ONE.finditer(text) if match[1] != "1"]
    for match in _PARTS.finditer(text):
        is_one = (match[1] or match[2]) == "1"
        is_singular = re.fullmatch(_SINGULAR_VERBS, match[3]) is not None
        if is_one != is_singular:
            matches.append(match)
    for match in matches:
        yield text[max(0, match.start() - 30) : match.end() + 30].strip()


_BLOCKS = (
    "td, th, li, p, h1, h2, h3, h4, dt, dd, summary, caption, option, figcaption, text, title, desc, label, "
    "button, legend, div, section, article"
)
_ATTRIBUTES = ("title", "aria-label", "alt", "data-words", "content", "placeholder")


def texts_on(page: str) -> Iterator[str]:
    """Yield the separate texts of a page: blocks, and attributes that are shown or read aloud."""
    tree = html.fromstring(page)
    for element in tree.iter():
        if not isinstance(element.tag, str) or element.tag in {"script", "style"}:
            continue
        for name in _ATTRIBUTES:
            if element.get(name):
                yield element.get(name)
    for element in tree.cssselect("script, style"):
        element.drop_tree()
    blocks = set(tree.cssselect(_BLOCKS))
    for block in [tree, *blocks]:
        yield " ".join("".join(_own_text(block, blocks)).split())


def _own_text(element: html.HtmlElement, blocks: set[html.HtmlElement]) -> Iterator[str]:
    """Yield the text of a block without the text of nested blocks."""
    yield element.text or ""
    for child in element:
        if child in blocks or child.tag == "br":
            yield "\n| "
        elif isinstance(child.tag, str):
            yield from _own_text(child, blocks)
        yield child.tail or ""
