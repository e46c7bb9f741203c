"""What a build keeps for the next one: what its site was made of, and how that stood when it was done.

Nothing that is kept is believed unchecked. The record has its own digest, and tells when the lock beside it was made,
which no checkout, archive or copy can give a file. A file of the site counts as it was left while its size, its place
on the disk and the times of its last change are the same.
"""

import fcntl
import hashlib
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path

import msgspec

from sitegen.problems import BuilderError, Problem, Severity
from sitegen.publish.builder import settings_files, settings_in
from sitegen.publish.project import Project

FOLDER = ".sitegen"
"""The folder of the cache, in the working directory."""

_LOCK, _RECORD, _PART = "lock", "record", "record.part"
_DIGEST = 32
_PACKAGE = Path(__file__).resolve().parents[1]

_PLUGINS = {"search", "material/search"}
"""Plugins of the builder that read its pages only."""

Stamp = tuple[int, int, int, int]
"""Size, inode, and the times of writing and of any change, in nanoseconds."""

Told = tuple[str, Severity, str, int | None, str, str, tuple[int, ...]]
"""A problem without its mend."""


class Record(msgspec.Struct, frozen=True):
    """What a build leaves for the next one."""

    birth: int = 0
    """When the lock beside it was made, in nanoseconds."""
    inputs: str = ""
    """Digest of all that the site was made of."""
    pages: int = 0
    """How many pages were generated."""
    problems: tuple[Told, ...] = ()
    """What was wrong with the results."""
    site: dict[str, Stamp] = {}
    """The files of the site, by their names below it."""


class Cache:
    """What the last build left in a folder, and what this one leaves there."""

    def __init__(self, folder: Path | None, site: Path) -> None:
        """Read what is there; without a folder nothing is, and nothing is kept."""
        self._folder = folder
        self._site = site
        self._last = _read(folder) if folder else Record()

    def last(self, inputs: str) -> tuple[int, list[Problem]] | None:
        """Pages and problems of the site where it was made of these inputs, and stands as it was left; else None."""
        if self._last.inputs != inputs or not self._last.site or dict(_stamps(self._site)) != self._last.site:
            return None
        return self._last.pages, [
            Problem(code, severity, Path(path), line, what, fix, others)
            for code, severity, path, line, what, fix, others in self._last.problems
        ]

    def keep(self, inputs: str, pages: int, problems: Iterable[Problem]) -> None:
        """Leave word of a build, once its site stands. Where it can't be written, the next build makes all anew."""
        if self._folder is None or not inputs:
            return
        told = tuple(
            (each.code, each.severity, str(each.path), each.line, each.what, each.fix, each.others) for each in problems
        )
        with suppress(OSError):
            record = Record(_birth(self._folder), inputs, pages, told, dict(_stamps(self._site)))
            data = msgspec.msgpack.encode(record)
            part = self._folder / _PART
            part.unlink(missing_ok=True)
            with part.open("xb") as file:
                file.write(hashlib.sha256(data).digest() + data)
            part.replace(self._folder / _RECORD)


@contextmanager
def cache_in(folder: Path, site: Path, results: Path) -> Iterator[Cache]:
    """Open the cache of a site; it stays empty where it can't be written, or another build has it.

    Args:
        folder: Where it is; made when absent. One that leads elsewhere, or lies in the site or in the results, is none.
        site: The site's folder.
        results: The results folder.
    """
    whole, lock, own = folder.resolve(), None, None
    is_apart = not any(whole.is_relative_to(each.resolve()) for each in (site, results))
    with suppress(OSError):
        if is_apart and not folder.is_symlink():
            folder.mkdir(parents=True, exist_ok=True)
            lock = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            own = folder
    try:
        yield Cache(own, site)
    finally:
        if lock is not None:
            os.close(lock)


def inputs_digest(project: Project, results: Path, *others: object) -> str:
    """Name all that a site is made of by a digest: the program, the project, the results, and what else is asked.

    It is empty where nobody knows: a file can't be read, or the builder's settings name code, which may read anything.

    Args:
        project: The project as its people wrote it.
        results: The results folder.
        others: Values that their `repr` tells apart.
    """
    projects = [project, *([Project(project.beneath)] if project.beneath else [])]
    whole = hashlib.sha256(repr((sys.version, *others)).encode())
    for place in sys.path:
        whole.update(repr(sorted(path.name for path in Path(place).glob("*.dist-info"))).encode())
    folders = [_PACKAGE, results]
    try:
        for each in projects:
            files = settings_files(each.settings)
            if not _is_plain(settings_in(each.settings)) or any(b"!ENV" in path.read_bytes() for path in files):
                return ""
            folders += [*files, each.authored, each.theme, each.templates]
        for path in chain.from_iterable(sorted(_files(folder)) for folder in folders):
            leads = path.readlink() if path.is_symlink() else ""
            whole.update(repr((str(path), str(leads), path.stat().st_size)).encode())
            with path.open("rb") as file:
                whole.update(hashlib.file_digest(file, "sha256").digest())
    except (OSError, BuilderError):  # whoever reads it next says what is wrong with it
        return ""
    return whole.hexdigest()


def _is_plain(settings: Mapping[str, object]) -> bool:
    """Whether the builder reads the authored pages and nothing else: no code of the project, no file from elsewhere."""
    plugins = settings.get("plugins") or ()
    listed = plugins if isinstance(plugins, (list, dict)) else ()
    names = {str(next(iter(each))) if isinstance(each, dict) else str(each) for each in listed}
    calls = settings.get("hooks") or "snippets" in str(settings.get("markdown_extensions"))
    return not calls and names <= _PLUGINS


def _files(folder: Path) -> Iterator[Path]:
    """Yield a folder's files, or the file itself, but for what Python compiled."""
    if folder.is_file():
        yield folder
    for inside, below, names in os.walk(folder):
        below[:] = [name for name in below if name != "__pycache__"]
        yield from (Path(inside, name) for name in names if Path(inside, name).is_file())


def _stamps(folder: Path) -> Iterator[tuple[str, Stamp]]:
    """Give a folder's files by their names: all that stands in it, links too."""
    for inside, _, names in os.walk(folder):
        for path in (Path(inside, name) for name in names):
            found = path.lstat()
            stamp = (found.st_size, found.st_ino, found.st_mtime_ns, found.st_ctime_ns)
            yield path.relative_to(folder).as_posix(), stamp


def _birth(folder: Path) -> int:
    return (folder / _LOCK).lstat().st_ctime_ns


def _read(folder: Path) -> Record:
    """Read the record; an empty one where it is broken, or was not made here."""
    with suppress(OSError, msgspec.DecodeError):
        whole = (folder / _RECORD).read_bytes()
        digest, data = whole[:_DIGEST], whole[_DIGEST:]
        if hashlib.sha256(data).digest() == digest:
            record = msgspec.msgpack.decode(data, type=Record)
            if record.birth == _birth(folder):
                return record
    return Record()
