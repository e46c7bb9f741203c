"""The hidden names that begin with ".sitegen", and which paths stay inside a folder.

Three things have such names: the cache's folder, which is in the working directory and is ours; a
file in every site, which says that the site may be replaced; and the scratch folders beside what a
command writes, which exist only while it runs.
"""

CACHE_FOLDER = ".sitegen"
"""The folder of the cache, in the working directory."""

SITE_MARKER = ".sitegen"
"""A file that marks a folder as a site of this program, which may be replaced.

No list of a site's files names it, because hosts do not serve hidden files.
"""

SCRATCH_PREFIX = ".sitegen-"
"""The beginning of the names of scratch folders; eight random characters follow."""


def stays_inside(name: str) -> bool:
    """Return whether a relative path leads to a file below its folder, and is written plainly."""
    parts = name.split("/")
    return "\0" not in name and {"", ".", ".."}.isdisjoint(parts)
