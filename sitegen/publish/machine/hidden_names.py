"""Hidden names that begin with ".sitegen", and a check that a path stays inside a folder.

Three kinds of paths have such names: the program's cache folder in the working directory; a file in
every site that marks the site as replaceable; and the scratch folders next to a command's output,
which exist only while the command runs.
"""

CACHE_FOLDER = ".sitegen"
"""The folder of the cache, in the working directory."""

SITE_MARKER = ".sitegen"
"""A file that marks a folder as a site of this program, which may be replaced.

Lists of a site's files do not include this file, because hosts do not serve hidden files.
"""

SCRATCH_PREFIX = ".sitegen-"
"""The beginning of the names of scratch folders; eight random characters follow."""


def stays_inside(name: str) -> bool:
    """Return whether a relative path is in normal form and leads to a file below its folder."""
    parts = name.split("/")
    return "\0" not in name and {"", ".", ".."}.isdisjoint(parts)
