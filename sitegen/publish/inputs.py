"""The files that a site is made of, and digests that name parts of them: what has the same name is the same."""

import hashlib
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path

from sitegen.problems import BuilderError
from sitegen.publish.builder import settings_files, settings_in
from sitegen.publish.project import Project
from sitegen.reading.shortages import raise_shortage

_PACKAGE = Path(__file__).resolve().parents[1]

_PLUGINS = {"search", "material/search"}
"""Plugins of the builder that read its pages only."""

Stamp = tuple[int, int, int, int]
"""Size, inode, and the times of writing and of any change, in nanoseconds."""
_NO_FILE: Stamp = (0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Inputs:
    """The files that a site is made of, but for the program's own."""

    project: Project
    results: Path
    stamps: Mapping[str, Stamp]
    """How each stands, by its path."""
    digests: Mapping[str, str]
    """Of what it holds, and where it leads if it is a link."""
    is_known: bool
    """Whether the builder reads nothing else: its settings name no code, which may read anything."""

    @classmethod
    def read(cls, project: Project, results: Path) -> "Inputs":
        """Read the files that a project and its results have.

        Where one can't be read, who needs it says so; until then nothing is known, and has an empty name.
        """
        try:
            stamps = dict(_inputs(project, results))
            digests = {path: _digest(path) for path in stamps}
            settings = [each.settings for each in _layers(project)]
            files = chain.from_iterable(map(settings_files, settings))
            is_known = all(_is_plain(settings_in(each)) for each in settings) and not any(
                b"!ENV" in path.read_bytes() for path in files
            )
        except (OSError, BuilderError):
            return cls(project, results, {}, {}, is_known=False)
        return cls(project, results, stamps, digests, is_known)

    def are_as_read(self) -> bool:
        """Whether none has changed since."""
        try:
            return dict(_inputs(self.project, self.results)) == self.stamps
        except (OSError, BuilderError):
            return False

    def whole(self, *others: object) -> str:
        """Name all of them, and values that their `repr` tells apart; empty where the builder may read more."""
        return self._named(self.digests, others) if self.is_known else ""

    def authored(self, *others: object) -> str:
        """Name all that is no result; empty where the builder may read more."""
        results = f"{self.results}{os.sep}"
        paths = (path for path in self.digests if not path.startswith(results))
        return self._named(paths, others) if self.is_known else ""

    def of(self, *folders: Path, others: object = ()) -> str:
        """Name the program, what folders hold, and other values."""
        below = tuple(f"{folder}{os.sep}" for folder in folders)
        return self._named((path for path in self.digests if path.startswith(below)), others)

    def templates(self, *others: object) -> str:
        """Name the program, the templates of pages, and other values."""
        return self.of(*(each.templates for each in _layers(self.project)), others=others)

    def bundle(self, folder: Path) -> str:
        """Name the program, a bundle with the times of its files, and what its benchmark has beside submissions."""
        inside, others, beside = (
            f"{each}{os.sep}" for each in (folder, folder.parent, folder.parents[1])
        )
        paths = (
            path for path in self.digests if path.startswith(beside) and not path.startswith(others)
        )
        own = [
            (path, self.digests[path], stamp)
            for path, stamp in self.stamps.items()
            if path.startswith(inside)
        ]
        return self._named(paths, sorted(own))

    def _named(self, paths: Iterable[str], others: object) -> str:
        named = [(path, self.digests[path]) for path in sorted(paths)]
        return (
            hashlib.sha256(repr((_program(), named, others)).encode()).hexdigest()
            if self.digests
            else ""
        )


@cache
def _program() -> str:
    """Name the program that this process runs, whatever becomes of its files, with Python and all that is installed."""
    installed = (
        sorted(path.name for path in Path(place).glob("*.dist-info")) for place in sys.path
    )
    files = sorted((path.as_posix(), _digest(str(path))) for path in _all_below(_PACKAGE))
    return hashlib.sha256(repr((sys.version, *installed, files)).encode()).hexdigest()


def _layers(project: Project) -> list[Project]:
    return [project, *([Project(project.beneath)] if project.beneath else [])]


def _inputs(project: Project, results: Path) -> Iterator[tuple[str, Stamp]]:
    """Yield every file and folder that counts, and how it stands; of a folder, only that it is there."""
    folders = [results]
    for each in _layers(project):
        folders += [
            *settings_files(each.settings),
            each.authored,
            each.theme,
            each.templates,
            each.board_pages,
        ]
    for path in chain.from_iterable(map(_all_below, folders)):
        yield str(path), stamp_of(path) if path.is_file() else _NO_FILE


def _digest(path: str) -> str:
    leads = Path(path).readlink() if Path(path).is_symlink() else ""
    if not Path(path).is_file():
        return f"{leads} no file"
    with Path(path).open("rb") as file:
        return f"{leads} {hashlib.file_digest(file, 'sha256').hexdigest()}"


def _is_plain(settings: Mapping[str, object]) -> bool:
    """Whether the builder reads the authored pages and nothing else: no code of the project, no file from elsewhere."""
    plugins = settings.get("plugins") or ()
    listed = plugins if isinstance(plugins, (list, dict)) else ()
    names = {str(next(iter(each))) if isinstance(each, dict) else str(each) for each in listed}
    calls = settings.get("hooks") or "snippets" in str(settings.get("markdown_extensions"))
    return not calls and names <= _PLUGINS


def _all_below(folder: Path) -> Iterator[Path]:
    """Yield all that is in a folder, or the file itself, but for what Python compiled."""
    if folder.is_file():
        yield folder
    for inside, below, names in os.walk(folder, onerror=raise_shortage):
        below[:] = [name for name in below if name != "__pycache__"]
        yield from (Path(inside, name) for name in (*below, *names))


def stamp_of(path: Path | str) -> Stamp:
    """Tell how a file stands, or a link."""
    found = os.lstat(path)
    return found.st_size, found.st_ino, found.st_mtime_ns, found.st_ctime_ns
