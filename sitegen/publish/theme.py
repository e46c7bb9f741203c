"""The theme's style sheet as generated pages load it: without the rules for what only authored pages have."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import tinycss2
from tinycss2.ast import Node, QualifiedRule

_AUTHORED = re.compile(
    r"\.(?:tabbed|admonition|highlight|critic|footnote|task-list|grid\b|card|keys|linenos|linenodiv|filename|arithmatex"
    r"|mermaid|md-(?:annotation|author|clipboard|code__|comments|feedback|meta|nav|pagination|path|post|profile|sidebar"
    r"|tag|tooltip|typeset__table))"
    r"|table:not\(\[class\]\)"
)
"""What stands in a selector of parts that no generated page has."""

_SHEET = re.compile(r'<link rel="stylesheet" href="(?P<file>[^":]+)">')

_NESTING = {"media", "supports"}


def write_page_styles(folder: Path) -> None:
    """Write beside the theme's style sheet the one that generated pages load, `pages.` for `main.` in its name.

    What is left out is two thirds of the sheet. It also makes long tables slow: its rules by place among siblings
    have no tag, so that a row that moves has every row after it styled anew.

    Args:
        folder: Where the theme's style sheets are.
    """
    for path in folder.glob("main.*.css"):
        short = without_authored_parts(path.read_text(encoding="utf-8"))
        path.with_name(f"pages.{path.name.removeprefix('main.')}").write_text(short, encoding="utf-8", newline="\n")


def with_styles_inside(page: str, folder: Path) -> str:
    """Put the style sheets that a page names into the page itself.

    Over a slow line, a page that carries its styles is seen a round trip sooner than one that sends for them.

    Args:
        page: A page whose sheets name no other file.
        folder: Where it stands.
    """
    return _SHEET.sub(lambda link: f"<style>{(folder / link['file']).read_text(encoding='utf-8')}</style>", page)


def without_authored_parts(sheet: str) -> str:
    """Leave out of a style sheet the rules for what only authored pages have."""
    rules = tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True)
    return "".join(_kept(rules))


def _kept(rules: Sequence[Node]) -> Iterator[str]:
    for rule in rules:
        if rule.type == "qualified-rule":
            yield _trimmed(rule)
        elif rule.type == "at-rule" and rule.lower_at_keyword in _NESTING:
            inside = "".join(_kept(tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)))
            if inside:
                yield f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{inside}}}"
        else:
            yield rule.serialize()


def _trimmed(rule: QualifiedRule) -> str:
    """Give a rule with those of its selectors that generated pages may need; nothing where there are none."""
    kept = [selector for selector in _selectors(rule) if not _AUTHORED.search(selector)]
    return f"{','.join(kept)}{{{tinycss2.serialize(rule.content)}}}" if kept else ""


def _selectors(rule: QualifiedRule) -> list[str]:
    parts: list[list[Node]] = [[]]
    for token in rule.prelude:
        if token.type == "literal" and token.value == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    return [tinycss2.serialize(part) for part in parts]
