"""Writing what stands at former addresses."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from sitegen.board.board import Board
from sitegen.models.results import Results
from sitegen.pages import addresses
from sitegen.pages.environment import Templates, forwarding_page
from sitegen.publish.policy import guarded
from sitegen.publish.tree import Tree

_PAGE = "index.html"


def forward(results: Results, boards: Iterable[Board], tree: Tree, templates: Templates) -> None:
    """Lead readers on from every page at or below a former address; other files, such as badges, stand at both.

    Boards as releases have them are among these: they are what is cited. So are rows of published tables for which
    others stand now.

    Args:
        results: They say what was renamed, and which releases there are.
        boards: They say which rows stand for others.
        tree: The site, with everything else that it has.
        templates: Where the template stands, and what is known of the site.
    """
    for old, new in _replaced(boards):
        _forward(old, new, (tree.root / new).glob("*"), tree, templates)
    renamed = [each for benchmark in results.benchmarks for each in benchmark.benchmark.renamed]
    places = ["", *(addresses.release_address(release.date) for release in results.releases)]
    for each in sorted(renamed, key=lambda each: len(each.old), reverse=True):  # what is said of a part goes first
        for place in places:
            old, new = f"{place}{each.old}", f"{place}{each.new}"
            _forward(old, new, (tree.root / new).rglob("*"), tree, templates)


def _replaced(boards: Iterable[Board]) -> Iterator[tuple[str, str]]:
    """Give the former addresses of rows for which others stand, each with that of the other."""
    for board in boards:
        for old, successor in board.successors.items():
            rows = (addresses.of(board).entry(name) for name in (old, successor.id))
            former, now = (each.rstrip("/") for each in rows)
            yield former, now


def _forward(former: str, now: str, paths: Iterable[Path], tree: Tree, templates: Templates) -> None:
    for path in sorted(file for file in paths if file.is_file()):
        inside = path.relative_to(tree.root / now)
        there = f"{former}/{inside.as_posix()}"
        if (tree.root / there).exists():
            continue
        if path.name != _PAGE:
            tree.copy(path, there)
            continue
        old, new = _address(former, inside), _address(now, inside)
        tree.write(there, guarded(forwarding_page(old, new, templates)))


def _address(above: str, page: Path) -> str:
    """Give the address of a page below another one."""
    parts = (above, *page.parts[:-1])
    return f"{'/'.join(parts)}/"
