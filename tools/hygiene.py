#!/usr/bin/env python3
"""Measures how easy the code is to read, and fails if a figure exceeds its limit.

A statement is the unit that a reader takes in at once, so most figures are per 1,000 statements: syntax tree nodes per
statement (excluding nested statements), decisions, comprehensions and conditional expressions. Meaningless names, class
names shared by several classes, long lines and copied blocks are counted as well. The limits are about as high as the
values of well-kept Python programs.

A clone line belongs to a block with at least 3 statements on at least 3 lines whose syntax tree equals that of another
block, apart from names and literals. A block is the whole body of a function, class, branch or loop, without its
docstring.
"""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

WIDTH = 100
HEAVY = 40
"""Number of nodes above which a statement is heavy."""
SMALLEST_BLOCK = 3
"""Minimum number of statements, and of lines, in blocks that count as clones."""
WORST = 10
"""Maximum number of places listed for an exceeded limit."""

_VAGUE_WORDS = (
    "each every found told known own was now what this that these those here there one ones other "
    "others another rest most more less all both same such part parts thing things it its where "
    "when how said says tell tells stands standing is_so given taken kept left right_one way ways "
    "place places word words line_of much many few some any_of last_one first_one beside "
    "whole"
)
VAGUE = frozenset(_VAGUE_WORDS.split())
"""Names that say nothing about their values."""

DECISIONS = (
    ast.If,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ExceptHandler,
    ast.IfExp,
    ast.match_case,
    ast.Assert,
)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
SYNTAX_ONLY = (ast.expr_context, ast.operator, ast.cmpop, ast.unaryop, ast.boolop)
"""Nodes that only represent a sign in the code and have no content."""


LIMITS = {
    "nodes in a statement, mean": 7.6,
    "statements of more than 40 nodes, %": 0.4,
    "decisions": 360,
    "comprehensions": 50,
    "conditional expressions": 25,
    "vague names, %": 1.0,
    "class names of several classes": 5,
    "lines over 100 characters, %": 0.0,
    "clone lines, %": 1.0,
    "files of a change": 4,
}
"""The maximum of each figure: about the value in well-kept Python programs."""


@dataclass(frozen=True)
class Figure:
    """A figure about the code, with the places that contribute most to it."""

    name: str
    value: float
    places: Sequence[str] = ()

    @property
    def is_missed(self) -> bool:
        """Whether the figure is above its limit."""
        return self.value > LIMITS[self.name]


class SourceFile(NamedTuple):
    """A source file of the program."""

    path: Path
    text: str
    tree: ast.Module


def main() -> int:
    """Print the table, then the worst places for each exceeded limit; return the exit code."""
    files = []
    for path in sorted(Path("sitegen").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        files.append(SourceFile(path, text, ast.parse(text)))
    figures = [
        *statement_figures(files),
        vague_names(files),
        shared_class_names(files),
        long_lines(files),
        clone_lines(files),
        files_of_a_change(),
    ]
    table = Table("sitegen/, per 1,000 statements where not said otherwise", "is", "at most")
    for figure in figures:
        table.add_row(figure.name, f"{figure.value:g}", f"{LIMITS[figure.name]:g}")
    console = Console(soft_wrap=True, highlight=False)
    console.print(table)
    missed = [figure for figure in figures if figure.is_missed]
    for figure in missed:
        console.print(f"{figure.name}:", *figure.places[:WORST], sep="\n  ", markup=False)
    return int(bool(missed))


# Statements


def statement_figures(files: Sequence[SourceFile]) -> Iterator[Figure]:
    """Yield the figures that count statements and their parts."""
    sizes: list[tuple[int, str]] = []
    counts: Counter[str] = Counter()
    for file in files:
        for node in ast.walk(file.tree):
            if is_counted_statement(node):
                sizes.append((nodes_in(node), f"{file.path}:{getattr(node, 'lineno', 1)}"))
            counts["decisions"] += decisions_in(node)
            counts["comprehensions"] += isinstance(node, COMPREHENSIONS)
            counts["conditional expressions"] += isinstance(node, ast.IfExp)
    sizes.sort(reverse=True)
    heaviest = [f"{location}: {size} nodes" for size, location in sizes]
    heavy_share = fmean(size > HEAVY for size, _ in sizes)
    yield Figure("nodes in a statement, mean", round(fmean(size for size, _ in sizes), 1), heaviest)
    yield Figure("statements of more than 40 nodes, %", round(100 * heavy_share, 1), heaviest)
    for name, count in counts.items():
        yield Figure(name, round(1000 * count / len(sizes)))


def is_counted_statement(node: ast.AST) -> bool:
    """Return whether a node is a statement other than an import or a docstring."""
    if not isinstance(node, ast.stmt) or isinstance(node, ast.Import | ast.ImportFrom):
        return False
    return not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def nodes_in(statement: ast.AST) -> int:
    """Return the number of nodes in a statement, excluding the statements inside it."""
    size = 0
    waiting = [statement]
    while waiting:
        node = waiting.pop()
        size += 1
        for child in ast.iter_child_nodes(node):
            is_nested = isinstance(child, ast.stmt | ast.excepthandler | ast.match_case)
            if not is_nested and not isinstance(child, SYNTAX_ONLY):
                waiting.append(child)
    return size


def decisions_in(node: ast.AST) -> int:
    """Return the number of decisions that a node itself makes."""
    if isinstance(node, DECISIONS):
        return 1
    if isinstance(node, ast.BoolOp):
        return len(node.values) - 1
    if isinstance(node, ast.comprehension):
        return 1 + len(node.ifs)
    return 0


# Names, lines and copies


def vague_names(files: Sequence[SourceFile]) -> Figure:
    """Return the share of bound names that are meaningless."""
    names = 0
    locations = []
    for file in files:
        for name, line in bound_names(file.tree):
            names += 1
            if name.strip("_") in VAGUE:
                locations.append(f"{file.path}:{line}: {name}")
    return Figure("vague names, %", round(100 * len(locations) / names, 1), locations)


def bound_names(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield every assigned name and every parameter, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno


def shared_class_names(files: Sequence[SourceFile]) -> Figure:
    """Return the number of class names that several classes share."""
    paths_of = defaultdict(list)
    for file in files:
        for node in ast.walk(file.tree):
            if isinstance(node, ast.ClassDef):
                paths_of[node.name].append(str(file.path))
    shared = [f"{name}: {', '.join(paths)}" for name, paths in paths_of.items() if len(paths) > 1]
    return Figure("class names of several classes", len(shared), shared)


def long_lines(files: Sequence[SourceFile]) -> Figure:
    """Return the share of lines that are too long."""
    lines = 0
    locations = []
    for file in files:
        for number, line in enumerate(file.text.splitlines(), start=1):
            lines += 1
            if len(line) > WIDTH:
                locations.append(f"{file.path}:{number}")
    return Figure("lines over 100 characters, %", round(100 * len(locations) / lines, 1), locations)


def clone_lines(files: Sequence[SourceFile]) -> Figure:
    """Return the share of lines in blocks that equal another block."""
    blocks = defaultdict(list)
    for file in files:
        for body in bodies_in(file.tree):
            lines = range(body[0].lineno, (body[-1].end_lineno or body[-1].lineno) + 1)
            statements = 0
            for top in body:
                statements += sum(isinstance(node, ast.stmt) for node in ast.walk(top))
            if min(statements, len(lines)) >= SMALLEST_BLOCK:
                blocks[str(shape_of(body))].append((file.path, lines))
    cloned: set[tuple[Path, int]] = set()
    locations = []
    for equal in blocks.values():
        if len(equal) > 1:
            for path, lines in equal:
                cloned.update((path, line) for line in lines)
                locations.append(f"{path}:{lines[0]}-{lines[-1]}")
    total = sum(len(file.text.splitlines()) for file in files)
    return Figure("clone lines, %", round(100 * len(cloned) / total, 1), locations)


def bodies_in(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    """Yield every indented body, without its docstring, unless the docstring is its only content."""
    for owner in ast.walk(tree):
        if owner is tree:
            continue
        for field in ("body", "orelse", "finalbody"):
            body = getattr(owner, field, None)
            if not isinstance(body, list):
                continue
            if ast.get_docstring(ast.Module(body, [])):
                body = body[1:]
            if body:
                yield body


def shape_of(node: object) -> object:
    """Return the form of a syntax tree: its kinds of nodes, without names and literals."""
    if isinstance(node, list):
        return [shape_of(child) for child in node]
    if isinstance(node, ast.AST):
        return [type(node).__name__, *(shape_of(child) for _, child in ast.iter_fields(node))]
    return node is None


def files_of_a_change() -> Figure:
    """Return the number of files that the largest of the five example changes touches."""
    structure = Path("site_src/develop/structure.md").read_text(encoding="utf-8")
    _, _, changes = structure.partition("## Five changes")
    touched = []
    for change in changes.split("\n### ")[1:]:
        files = re.findall(r"(?m)^\| [^|]*`(?:sitegen|templates)/", change)
        touched.append((len(files), change.partition("\n")[0]))
    file_count, title = max(touched)
    return Figure("files of a change", file_count, [title])


if __name__ == "__main__":
    raise SystemExit(main())
