"""Writing what stands at former addresses."""

from collections.abc import Iterable
from pathlib import Path

from sitegen.models.benchmark import Benchmark, Renaming
from sitegen.pages.environment import Templates
from sitegen.pages.forwarding import forwarding_page
from sitegen.publish.policy import guarded
from sitegen.publish.tree import Tree

_PAGE = "index.html"


def forward(benchmarks: Iterable[Benchmark], tree: Tree, templates: Templates) -> None:
    """Lead readers on from every page at or below a former address; other files, such as badges, stand at both.

    Args:
        benchmarks: They say what was renamed.
        tree: The site, with everything else that it has.
        templates: Where the template stands, and what is known of the site.
    """
    renamed = [each for benchmark in benchmarks for each in benchmark.renamed]
    for each in sorted(renamed, key=lambda each: len(each.old), reverse=True):  # what is said of a part goes first
        _forward(each, tree, templates)


def _forward(renaming: Renaming, tree: Tree, templates: Templates) -> None:
    folder = tree.root / renaming.new
    for path in sorted(file for file in folder.rglob("*") if file.is_file()):
        inside = path.relative_to(folder)
        there = f"{renaming.old}/{inside.as_posix()}"
        if (tree.root / there).exists():
            continue
        if path.name != _PAGE:
            tree.copy(path, there)
            continue
        old, new = _address(renaming.old, inside), _address(renaming.new, inside)
        tree.write(there, guarded(forwarding_page(old, new, templates)))


def _address(above: str, page: Path) -> str:
    """Give the address of a page below another one."""
    parts = (above, *page.parts[:-1])
    return f"{'/'.join(parts)}/"
