"""The site's folder: built aside and put in place as a whole, so that a failed build leaves the old site standing."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sitegen.problems import UsageError
from sitegen.publish.arrival import arriving
from sitegen.publish.policy import require_known_scripts

MARK = ".sitegen"
"""A file that says that a folder is a site of ours, and so may be replaced."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A folder of files to be."""

    root: Path

    def page(self, address: str) -> Path:
        """Give the file of an address."""
        return self.root / address / "index.html"

    def write_page(self, address: str, text: str) -> str:
        """Write a page at its address, and give its file below the root."""
        name = f"{address}index.html"
        self.write(name, text)
        return name

    def write(self, name: str, text: str) -> None:
        """Write a file below the root.

        Raises:
            BuilderError: It is a page with a script that is none of the theme's.
        """
        if name.endswith(".html"):
            require_known_scripts(name, text)
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")

    def write_bytes(self, name: str, content: bytes) -> None:
        """Write a file that is no text below the root."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def copy(self, source: Path, name: str) -> None:
        """Copy a file below the root."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, path)


@contextmanager
def replacing(site: Path) -> Iterator[tuple[Tree, Path]]:
    """Build a site aside, and put it in the place of the old one when all went well.

    Args:
        site: The folder that the site is to have.

    Yields:
        The tree to write to, and a folder for scratch work.

    Raises:
        UsageError: The folder holds something that is no site.
    """
    require_replaceable(site)
    with arriving(site, whole=True) as arrival:
        tree = Tree(arrival.root)
        yield tree, arrival.work
        tree.write(MARK, "This folder was made by sitegen, which replaces it as a whole.\n")


def require_replaceable(site: Path) -> None:
    """Refuse to replace a folder that holds something else than a site."""
    if site.exists() and not site.is_dir():
        raise UsageError(f"{site} is a file; name a folder for the site")
    if site.is_dir() and any(site.iterdir()) and not (site / MARK).exists():
        raise UsageError(f"{site} is no site of sitegen's, so it is not replaced; name another folder, or empty it")
