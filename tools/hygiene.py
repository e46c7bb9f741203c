#!/usr/bin/env python3
"""Measures complexity, erosion and clones of the code, and fails where a gate is broken.

Complexity and lines are radon's; source lines are neither blank nor comments. A function's mass is its complexity
times the square root of its source lines; erosion is the share of all mass in functions above complexity 10. A clone
line belongs to a block (the whole body of a function, class, branch or loop, docstring aside) of 3 or more statements
on 3 or more lines whose syntax tree, names and literals aside, equals another block's in the same folder.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from statistics import fmean, quantiles

from radon.complexity import cc_visit
from radon.raw import analyze
from radon.visitors import Function
from rich.console import Console
from rich.table import Table

FOLDERS = ("sitegen", "tests")
ERODED_ABOVE = 10
COMPLEXITY_GATE = 8
CLONE_GATE = 0.02
SMALLEST_BLOCK = 3  # statements, and lines, below which two equal blocks are no clone


@dataclass(frozen=True)
class Measured:
    """A function or method: where it stands and how heavy it is."""

    place: str
    complexity: int
    lines: int

    @property
    def mass(self) -> float:
        """Complexity times the square root of the source lines."""
        return float(self.complexity * self.lines**0.5)


@dataclass(frozen=True)
class Figure:
    """A row of the table: what is measured, the value as shown, and the places that break its gate."""

    label: str
    shown: str
    broken_by: tuple[str, ...] = ()


def source_lines(text: str) -> int:
    """Counts the lines that are neither blank nor comments; docstrings of several lines count."""
    counts = analyze(text)
    return int(counts.sloc + counts.multi)


def functions_in(path: Path) -> Iterator[Measured]:
    """Yields every function and method of a file; a function inside another counts as part of it."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    ends = {node.lineno: node.end_lineno for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)}
    for found in cc_visit(text):
        if isinstance(found, Function):
            own = "".join(lines[found.lineno - 1 : ends[found.lineno]])
            yield Measured(f"{path}:{found.lineno} {found.fullname}", found.complexity, source_lines(own))


def shape_of(node: object) -> object:
    """Tells a syntax tree's form: the kinds of its nodes and how they nest, without names and literals."""
    if isinstance(node, list):
        return [shape_of(child) for child in node]
    if isinstance(node, ast.AST):
        return [type(node).__name__, *(shape_of(child) for _, child in ast.iter_fields(node))]
    return node is None


def bodies_in(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    """Yields every indented body that holds more than a docstring, without that docstring."""
    for owner in ast.walk(tree):
        fields = [] if owner is tree else [getattr(owner, name, None) for name in ("body", "orelse", "finalbody")]
        for body in (field for field in fields if isinstance(field, list)):
            yield from filter(None, [body[1:] if ast.get_docstring(ast.Module(body, [])) else body])


def clones_in(paths: list[Path]) -> list[tuple[Path, range]]:
    """Lists the blocks that stand elsewhere too, each as its file and line numbers, equal ones side by side."""
    places = defaultdict(list)
    for path in paths:
        for body in bodies_in(ast.parse(path.read_text(encoding="utf-8"))):
            lines = range(body[0].lineno, (body[-1].end_lineno or body[-1].lineno) + 1)
            statements = sum(isinstance(node, ast.stmt) for top in body for node in ast.walk(top))
            if min(statements, len(lines)) >= SMALLEST_BLOCK:
                places[str(shape_of(body))].append((path, lines))
    return list(chain.from_iterable(equal for equal in places.values() if len(equal) > 1))


def sizes(functions: list[Measured], total: int) -> Iterator[Figure]:
    """Yields what has an aim and no gate."""
    yield Figure("source lines", f"{total}")
    yield Figure("functions per 100 source lines (aim: 5 to 9)", f"{100 * len(functions) / total:.1f}")
    yield Figure("95th percentile function (aim: 40 lines)", f"{quantiles([f.lines for f in functions], n=20)[-1]:.0f}")
    yield Figure("mean complexity (aim: 3)", f"{fmean(f.complexity for f in functions):.2f}")


def complexities(functions: list[Measured]) -> Iterator[Figure]:
    """Yields the gates on complexity."""
    ranked = sorted(functions, key=lambda one: -one.complexity)
    above = tuple(f"{one.place}: {one.complexity}" for one in ranked if one.complexity > COMPLEXITY_GATE)
    yield Figure(f"highest complexity (gate: {COMPLEXITY_GATE})", f"{ranked[0].complexity}", above)
    eroded = [one for one in ranked if one.complexity > ERODED_ABOVE]
    erosion = sum(one.mass for one in eroded) / sum(one.mass for one in ranked)
    yield Figure("erosion (gate: 0)", f"{erosion:.3f}", tuple(f"{one.place}: mass {one.mass:.0f}" for one in eroded))


def figures(folder: str) -> Iterator[Figure]:
    """Yields the rows of a folder of Python files."""
    paths = sorted(Path(folder).rglob("*.py"))
    functions = list(chain.from_iterable(map(functions_in, paths)))
    total = sum(source_lines(path.read_text(encoding="utf-8")) for path in paths)
    yield from sizes(functions, total)
    yield from complexities(functions)
    clones = clones_in(paths)
    share = len({(path, line) for path, lines in clones for line in lines}) / total
    places = tuple(f"{path}:{lines[0]}-{lines[-1]}" for path, lines in clones)
    yield Figure(f"clone lines (gate: {CLONE_GATE:.0%})", f"{share:.1%}", places if share > CLONE_GATE else ())


def main() -> int:
    """Prints the table, then the places that break a gate; returns the exit code."""
    columns = {folder: list(figures(folder)) for folder in FOLDERS}
    tools = f"radon {version('radon')}, {datetime.now(UTC):%Y-%m-%d}"
    table = Table("figure", *columns, title=tools, title_justify="left")
    for row in zip(*columns.values(), strict=True):
        table.add_row(row[0].label, *(f"{one.shown} broken" if one.broken_by else one.shown for one in row))
    console = Console(soft_wrap=True, highlight=False)
    console.print(table)
    broken = [one for one in chain.from_iterable(columns.values()) if one.broken_by]
    for one in broken:
        console.print(f"{one.label}, broken by:", *one.broken_by, sep="\n  ", markup=False)
    return int(bool(broken))


if __name__ == "__main__":
    raise SystemExit(main())
