"""Write the files of a site, which is built in a scratch folder and then replaces the old site.

Equal results give equal bytes. Start with `replace_site`.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from sitegen.problems import UsageError
from sitegen.publish.machine.hidden_names import SITE_MARKER
from sitegen.publish.machine.transaction import link_or_copy, transaction
from sitegen.publish.site.manifest import write_manifest
from sitegen.publish.site.stamping import require_known_scripts

PAGE_FILE = "index.html"
"""The file name of a page, in the folder that the page's address names."""


@dataclass(slots=True)
class SiteTree:
    """A folder of files to be written; names are relative to its root."""

    root: Path
    written: list[tuple[str, str]] = field(default_factory=list)
    """Names and SHA-256 of the files written, in order; an unknown SHA-256 is empty."""

    def page(self, address: str) -> Path:
        """Return the path of the page at an address."""
        return self.root / address / PAGE_FILE

    def write_page(self, address: str, text: str) -> str:
        """Write a page at its address, and return the name of its file."""
        name = f"{address}{PAGE_FILE}"
        self.write(name, text)
        return name

    def write(self, name: str, text: str) -> None:
        """Write a text file.

        Raises:
            BuilderError: The file is a page with a script that its policy does not list.
        """
        if name.endswith(".html"):
            require_known_scripts(name, text)
        self.write_bytes(name, text.encode())

    def write_bytes(self, name: str, content: bytes | memoryview) -> None:
        """Write a file with the given content."""
        digest = sha256(content).hexdigest()
        self._prepare(name, digest).write_bytes(content)

    def copy(self, source: Path, name: str) -> None:
        """Copy a file into the site."""
        shutil.copyfile(source, self._prepare(name))

    def link(self, source: Path, name: str, digest: str) -> None:
        """Link a file that is never modified; the SHA-256 is empty if it is unknown."""
        link_or_copy(source, self._prepare(name, digest))

    def _prepare(self, name: str, digest: str = "") -> Path:
        """Return the path at which to create a file, after creating the file's folder.

        An existing file is removed rather than overwritten, because another tree may have a link to
        it.

        Raises:
            ValueError: The name leads out of the site.
        """
        if ".." in name.split("/") or name.startswith("/"):
            raise ValueError(f"{name} is outside of the site")
        path = self.root / name
        try:
            os.mkdir(path.parent)  # noqa: PTH102 - faster: most files are the first of their folder
        except FileExistsError:
            path.unlink(missing_ok=True)
        except FileNotFoundError:
            path.parent.mkdir(parents=True, exist_ok=True)
        self.written.append((name, digest))
        return path


@contextmanager
def replace_site(site: Path) -> Iterator[tuple[SiteTree, Path]]:
    """Build a site in a scratch folder, and replace the old site if the block succeeds.

    Yields:
        The tree to write to, and a folder for temporary files.

    Raises:
        UsageError: The folder is a file, or contains something other than a site of this program.
    """
    if site.exists() and not site.is_dir():
        raise UsageError(f"{site} is a file; name a folder for the site")
    if site.is_dir() and any(site.iterdir()) and not (site / SITE_MARKER).exists():
        raise UsageError(
            f"{site} was not built by sitegen, so it is not replaced; name another folder, "
            "or empty this one"
        )
    with transaction(site, replace_all=True) as changes:
        tree = SiteTree(changes.root)
        yield tree, changes.work
        tree.write(
            SITE_MARKER, "sitegen made this folder, and replaces all of it with each build.\n"
        )
        write_manifest(tree.root, dict(tree.written))
