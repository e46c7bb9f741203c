"""Write the sitemap of a site in the format of sitemaps.org. Start with `write_sitemap`."""

import html
from collections.abc import Iterable

from sitegen.publish.site.tree import PAGE_FILE, SiteTree

SITEMAP = "sitemap.xml"
ROBOTS = "robots.txt"

MAX_SITEMAP_ADDRESSES = 50_000
"""Maximum number of addresses in one sitemap (sitemaps.org)."""

_XML_HEADER = '<?xml version="1.0" encoding="UTF-8"?>\n'
_MAP_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def write_sitemap(tree: SiteTree, site: str) -> None:
    """Write robots.txt and a sitemap of all pages, which replaces the builder's sitemap.

    Args:
        tree: The site.
        site: The address of the site, ending in `/`. If it is not known, the sitemap is empty,
            because its links must be absolute.
    """
    (tree.root / f"{SITEMAP}.gz").unlink(missing_ok=True)
    map_line = f"\nSitemap: {site}{SITEMAP}\n" if site else ""
    tree.write(ROBOTS, f"User-agent: *\nAllow: /\n{map_line}")
    addresses = []
    for page in tree.root.rglob(PAGE_FILE) if site else ():
        name = page.relative_to(tree.root).as_posix()
        addresses.append(name.removesuffix(PAGE_FILE))
    addresses.sort()
    if len(addresses) <= MAX_SITEMAP_ADDRESSES:
        tree.write(SITEMAP, _sitemap_text(site, "urlset", "url", addresses))
        return
    names: list[str] = []
    for start in range(0, len(addresses), MAX_SITEMAP_ADDRESSES):
        name = f"sitemap-{len(names) + 1}.xml"
        tree.write(
            name,
            _sitemap_text(site, "urlset", "url", addresses[start : start + MAX_SITEMAP_ADDRESSES]),
        )
        names.append(name)
    tree.write(SITEMAP, _sitemap_text(site, "sitemapindex", "sitemap", names))


def _sitemap_text(site: str, root_tag: str, item_tag: str, names: Iterable[str]) -> str:
    """Return a sitemap with an item for each name below the site."""
    lines = [f'{_XML_HEADER}<{root_tag} xmlns="{_MAP_NAMESPACE}">\n']
    for name in names:
        address = html.escape(site + name)
        lines.append(f"<{item_tag}><loc>{address}</loc></{item_tag}>\n")
    lines.append(f"</{root_tag}>\n")
    return "".join(lines)
