#!/usr/bin/env python3
"""Lists the program's classes, each with its meaning, in the tables of `site_src/develop/glossary.md`.

The meaning is the first sentence of the class's docstring. `python tools/classes.py` writes the tables; a test fails if
they are out of date or if two classes have the same name.
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
"""The packages whose classes the glossary lists, lowest layer first."""

_PLACE = re.compile(r"(?<=<!-- classes -->\n).*?(?=<!-- end -->)", re.DOTALL)
_FIRST_SENTENCE = re.compile(r".*?[.](?=\s|$)", re.DOTALL)


class NamedClass(NamedTuple):
    """A class of the program, with its module and its meaning."""

    name: str
    module: str
    """The module below `sitegen`, with dots."""
    meaning: str


def classes_in(folder: Path) -> Iterator[NamedClass]:
    """Yield the classes in a folder of modules, by module and in source order."""
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
    """Return the modules of each class name that more than one class uses."""
    modules: dict[str, list[str]] = defaultdict(list)
    for named in classes_in(ROOT / "sitegen"):
        modules[named.name].append(named.module)
    return {name: module_names for name, module_names in modules.items() if len(module_names) > 1}


def tables() -> str:
    """Return one table per package, with the location and the meaning of each public class."""
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
    """Return the page with up-to-date tables."""
    return _PLACE.sub(lambda _: tables(), page)


if __name__ == "__main__":
    PAGE.write_text(drawn(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
