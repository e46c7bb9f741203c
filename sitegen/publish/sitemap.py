"""Writes the map of the site and the word to robots, without dates: the same results give the same bytes."""

import html
from collections.abc import Iterable, Sequence

from sitegen.publish.tree import Tree

MAP, ROBOTS = "sitemap.xml", "robots.txt"

MOST = 50_000
"""So many addresses may stand in one map (sitemaps.org)."""

_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def write_map(tree: Tree, site: str) -> None:
    """Put a map of every page in the place of the builder's, which has authored pages only, and the day.

    Args:
        tree: The whole site.
        site: Its address, ending in `/`; empty where it is not known. The map is empty then: its links are absolute.
    """
    (tree.root / f"{MAP}.gz").unlink(missing_ok=True)
    told = f"\nSitemap: {site}{MAP}\n" if site else ""
    tree.write(ROBOTS, f"User-agent: *\nAllow: /\n{told}")
    pages = tree.root.rglob("index.html") if site else ()
    addresses = sorted(page.relative_to(tree.root).as_posix().removesuffix("index.html") for page in pages)
    if len(addresses) <= MOST:
        tree.write(MAP, _listed("urlset", "url", site, addresses))
    else:
        _write_parts(tree, site, addresses)


def _write_parts(tree: Tree, site: str, addresses: Sequence[str]) -> None:
    parts = [addresses[first : first + MOST] for first in range(0, len(addresses), MOST)]
    names = [f"sitemap-{number}.xml" for number in range(1, len(parts) + 1)]
    for name, part in zip(names, parts, strict=True):
        tree.write(name, _listed("urlset", "url", site, part))
    tree.write(MAP, _listed("sitemapindex", "sitemap", site, names))


def _listed(root: str, item: str, site: str, names: Iterable[str]) -> str:
    items = "".join(f"<{item}><loc>{html.escape(site + name)}</loc></{item}>\n" for name in names)
    return f"{_HEAD}<{root} {_NAMESPACE}>\n{items}</{root}>\n"
