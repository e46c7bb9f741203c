#!/usr/bin/env python3
"""Measures what makes the code heavy to read and to change, and fails where an aim is missed.

A private function is used once where its name stands once in its module beside its definition; those that a decorator
keeps from being written in place do not count. A module with one
importer is imported by one other module; those that only the `__init__` of their package or a registry imports do not
count. Each of the five changes of `site_src/develop/structure.md` says which files it touches.
Complexity is radon's; a function's mass is its complexity times the square root of its lines, and erosion is the
share of all mass in functions above complexity 10. A clone line belongs to a block (the whole body of a function,
class, branch or loop, docstring aside) of 3 or more statements on 3 or more lines whose syntax tree, names and
literals aside, equals another's.
"""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from statistics import fmean

from radon.complexity import cc_visit
from radon.visitors import Function
from rich.console import Console
from rich.table import Table

ERODED_ABOVE = 10
SMALLEST_BLOCK = 3  # statements, and lines, below which two equal blocks are no clone
AIMS = {
    "lines": 40_000,
    "files": 300,
    "private functions used once": 0.15,
    "modules with one importer": 0.15,
    "clone lines": 0.01,
    "files of a change": 4,
    "lines of scripts": 4_200,
}
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


def measures(folder: Path) -> Iterator[tuple[str, float, list[str]]]:
    """Yields each measure of a package's folder with what it counts, the worst or all of them."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py"))}
    trees = {path: ast.parse(text) for path, text in texts.items()}
    lines = sum(len(text.splitlines()) for text in texts.values())
    yield "lines", lines, []
    yield "files", len(texts), []

    functions = [
        node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, FunctionNode)
    ]
    once = [f"{path}: {name}" for path, tree in trees.items() for name in used_once(tree)]
    yield "private functions used once", len(once) / len(functions), once
    yield (
        "mean lines of a function",
        fmean((each.end_lineno or 0) - each.lineno + 1 for each in functions),
        [],
    )

    modules = {
        ".".join(path.with_suffix("").parts).removesuffix(".__init__"): path for path in trees
    }
    alone = list(with_one_importer(modules, trees))
    yield "modules with one importer", len(alone) / len(modules), alone

    clones = clones_in(trees)
    cloned = {(path, line) for path, block in clones for line in block}
    yield (
        "clone lines",
        len(cloned) / lines,
        [f"{path}:{block[0]}-{block[-1]}" for path, block in clones],
    )

    found = [
        (path, each)
        for path, text in texts.items()
        for each in cc_visit(text)
        if isinstance(each, Function)
    ]
    mass = {
        f"{path}:{each.lineno} {each.fullname}": (each.complexity, weight(each))
        for path, each in found
    }
    eroded = [place for place, (complexity, _) in mass.items() if complexity > ERODED_ABOVE]
    yield (
        "erosion",
        sum(mass[place][1] for place in eroded) / sum(each for _, each in mass.values()),
        eroded,
    )


def used_once(tree: ast.Module) -> list[str]:
    """Lists the private functions and methods of a module that are named once beside their definition.

    One with a decorator, such as a cache, can't stand where it is used.
    """
    named = Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    named += Counter(node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    private = [
        node.name
        for node in ast.walk(tree)
        if isinstance(node, FunctionNode)
        and node.name.startswith("_")
        and not (node.name.startswith("__") or node.decorator_list)
    ]
    return [name for name in private if named[name] == 1]


def with_one_importer(modules: dict[str, Path], trees: dict[Path, ast.Module]) -> Iterator[str]:
    """Yields the modules that one other module imports, be it not their package or its catalogue, which list all."""
    importers = defaultdict(set)
    for name, path in modules.items():
        for node in ast.walk(trees[path]):
            if isinstance(node, ast.ImportFrom) and node.module:
                for each in {
                    node.module,
                    *(f"{node.module}.{alias.name}" for alias in node.names),
                } & modules.keys():
                    importers[each].add(name)
    for name, path in modules.items():
        if path.name in {"__init__.py", "__main__.py"} or len(importers[name]) != 1:
            continue
        (importer,) = importers[name]
        package = name.rpartition(".")[0]
        if importer not in {package, f"{package}.catalogue"}:
            yield f"{name}, by {importer}"


def weight(function: Function) -> float:
    """Gives a function's mass."""
    return float(function.complexity * (function.endline - function.lineno + 1) ** 0.5)


def clones_in(trees: dict[Path, ast.Module]) -> list[tuple[Path, range]]:
    """Lists the blocks that stand elsewhere too, each as its file and line numbers, equal ones side by side."""
    places = defaultdict(list)
    for path, tree in trees.items():
        for body in bodies_in(tree):
            lines = range(body[0].lineno, (body[-1].end_lineno or body[-1].lineno) + 1)
            statements = sum(isinstance(node, ast.stmt) for top in body for node in ast.walk(top))
            if min(statements, len(lines)) >= SMALLEST_BLOCK:
                places[str(shape_of(body))].append((path, lines))
    return list(chain.from_iterable(equal for equal in places.values() if len(equal) > 1))


def bodies_in(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    """Yields every indented body that holds more than a docstring, without that docstring."""
    for owner in ast.walk(tree):
        fields = (
            []
            if owner is tree
            else [getattr(owner, name, None) for name in ("body", "orelse", "finalbody")]
        )
        for body in (field for field in fields if isinstance(field, list)):
            yield from filter(None, [body[1:] if ast.get_docstring(ast.Module(body, [])) else body])


def shape_of(node: object) -> object:
    """Tells a syntax tree's form: the kinds of its nodes and how they nest, without names and literals."""
    if isinstance(node, list):
        return [shape_of(child) for child in node]
    if isinstance(node, ast.AST):
        return [type(node).__name__, *(shape_of(child) for _, child in ast.iter_fields(node))]
    return node is None


def main() -> int:
    """Prints the table, then what misses an aim; returns the exit code."""
    found = list(measures(Path("sitegen")))
    scripts = [
        path.read_text(encoding="utf-8") for path in Path("site_src/assets/scripts").glob("*.js")
    ]
    found.append(("lines of scripts", sum(len(text.splitlines()) for text in scripts), []))
    changes = (
        Path("site_src/develop/structure.md")
        .read_text(encoding="utf-8")
        .partition("## Five changes")[2]
    )
    touched = [
        len(re.findall(r"(?m)^\| [^|]*`(?:sitegen|templates)/", text))
        for text in changes.split("\n### ")[1:]
    ]
    found.append(("files of a change", max(touched), []))
    table = Table("sitegen/", "is", "at most")
    for name, value, _ in found:
        table.add_row(name, *(shown(each) for each in (value, AIMS.get(name))))
    console = Console(soft_wrap=True, highlight=False)
    console.print(table)
    missed = [(name, places) for name, value, places in found if value > AIMS.get(name, value)]
    for name, places in missed:
        console.print(f"{name}:", *places, sep="\n  ", markup=False)
    return int(bool(missed))


def shown(value: float | None) -> str:
    """Writes a count as it is and a share in percent."""
    if value is None:
        return ""
    return (
        f"{value:,.0f}"
        if isinstance(value, int)
        else f"{value:.1%}"
        if value < 1
        else f"{value:.1f}"
    )


if __name__ == "__main__":
    raise SystemExit(main())
