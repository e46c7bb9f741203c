#!/usr/bin/env python3
"""Lists the program's classes with one meaning each, as the tables that `site_src/develop/glossary.md` holds.

The meaning is the first sentence of the class's docstring. `python tools/classes.py` writes the tables there; a test
says when they are out of date, and when two classes have one name.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "site_src" / "develop" / "glossary.md"
PACKAGES = ("problems", "models", "metrics", "board", "pipeline")
"""The packages whose classes the glossary lists, the lowest layer first."""

_PLACE = re.compile(r"(?<=<!-- classes -->\n).*?(?=<!-- end -->)", re.DOTALL)
_FIRST_SENTENCE = re.compile(r".*?[.](?=\s|$)", re.DOTALL)


class NamedClass(NamedTuple):
    """A class of the program, with where it is and what it means."""

    name: str
    module: str
    """Below `sitegen`, with dots."""
    meaning: str


def classes_in(folder: Path) -> Iterator[NamedClass]:
    """Yield the classes of a folder of modules, by module and in the order they are written."""
    for path in sorted(folder.rglob("*.py")):
        module = ".".join(path.relative_to(ROOT / "sitegen").with_suffix("").parts).removesuffix(
            ".__init__"
        )
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                yield NamedClass(node.name, module, _meaning(node))


def _meaning(node: ast.ClassDef) -> str:
    """Return the first sentence of a class's docstring, on one line."""
    docstring = " ".join((ast.get_docstring(node) or "").split())
    sentence = _FIRST_SENTENCE.match(docstring)
    return (sentence[0] if sentence else docstring).removesuffix(".")


def shared_names() -> Mapping[str, Sequence[str]]:
    """Return the modules of each class name that several classes of the program have."""
    modules: dict[str, list[str]] = defaultdict(list)
    for named in classes_in(ROOT / "sitegen"):
        modules[named.name].append(named.module)
    return {name: places for name, places in modules.items() if len(places) > 1}


def tables() -> str:
    """Return a table for each package: its public classes, where each is, and what it means."""
    lines = []
    for package in PACKAGES:
        lines += [
            f"### Classes of `{package}`",
            "",
            "| class | module | is |",
            "| --- | --- | --- |",
        ]
        for named in classes_in(ROOT / "sitegen" / package):
            if not named.name.startswith("_"):
                meaning = named.meaning.replace("|", "\\|")
                lines.append(f"| `{named.name}` | `{named.module}` | {meaning} |")
        lines.append("")
    return "\n".join(lines)


def drawn(page: str) -> str:
    """The page with the tables as the program is now."""
    return _PLACE.sub(lambda _: tables(), page)


if __name__ == "__main__":
    PAGE.write_text(drawn(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
