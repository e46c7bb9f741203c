"""Writing what stands at former addresses."""

from pathlib import Path

from sitegen.models.results import Results
from sitegen.pages import addresses
from sitegen.pages.environment import Templates
from sitegen.pages.forwarding import forwarding_page
from sitegen.publish.policy import guarded
from sitegen.publish.tree import Tree

_PAGE = "index.html"


def forward(results: Results, tree: Tree, templates: Templates) -> None:
    """Lead readers on from every page at or below a former address; other files, such as badges, stand at both.

    Boards as releases have them are among these: they are what is cited.

    Args:
        results: They say what was renamed, and which releases there are.
        tree: The site, with everything else that it has.
        templates: Where the template stands, and what is known of the site.
    """
    renamed = [each for benchmark in results.benchmarks for each in benchmark.benchmark.renamed]
    places = ["", *(addresses.release_address(release.date) for release in results.releases)]
    for each in sorted(renamed, key=lambda each: len(each.old), reverse=True):  # what is said of a part goes first
        for place in places:
            _forward(f"{place}{each.old}", f"{place}{each.new}", tree, templates)


def _forward(former: str, now: str, tree: Tree, templates: Templates) -> None:
    folder = tree.root / now
    for path in sorted(file for file in folder.rglob("*") if file.is_file()):
        inside = path.relative_to(folder)
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
