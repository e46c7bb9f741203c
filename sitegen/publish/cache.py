"""Keep between builds what a site was made of, its files, and results that took long to compute.

Nothing that is kept is trusted unchecked. Each file has a digest that includes the time of the last
change of the lock's inode, which no checkout, archive or copy can set. A file of the site counts as
unchanged while its size, its inode and its times are the same. What a build keeps counts once its
site is in place. Start with `cache_in`, which opens the cache of a site.
"""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from sitegen.problems import Problem, Severity
from sitegen.publish.inputs import FileState, file_state
from sitegen.publish.site import SiteTree
from sitegen.publish.transaction import files_below

CACHE_FOLDER = ".sitegen"
"""The folder of the cache, in the working directory."""

_LOCK = "lock"
"""File in the cache that the build which uses it locks."""
_RECORD = "record"
"""File in the cache about the last site."""
_RESULTS = "found"
"""Folder in the cache with computed results; a new name would leave the old folder behind."""
_PENDING = ".part"
"""Suffix of files of a build whose site is not in place yet."""
_DIGEST_SIZE = 32
"""Bytes of SHA-256."""

StoredProblem = tuple[str, Severity, str, int | None, str, str, tuple[int, ...]]
"""A problem as it is kept: code, severity, path, line, fact, fix and further lines."""


class FileGroup(msgspec.Struct, frozen=True, array_like=True):
    """Files of a site that were made together, and what their maker returned."""

    files: dict[str, str]
    """SHA-256 of each file by its relative path; empty where it is not known."""
    returned: Any
    """What their maker returned, as JSON can hold it."""


class BuildRecord(msgspec.Struct, frozen=True):
    """What a build records about its site for the next build."""

    inputs: str = ""
    """Digest of everything that the site was made of."""
    pages: int = 0
    problems: tuple[StoredProblem, ...] = ()
    site: dict[str, FileState] = {}
    """The states of the site's files by their relative paths."""
    groups: dict[str, FileGroup] = {}
    """The groups of the site's files by the digest of what each was made of."""


class PageCache:
    """What the last build kept in a folder, and what this one is to keep there."""

    def __init__(self, folder: Path | None, site: Path) -> None:
        """Read the cache; without a folder it is empty and nothing is kept."""
        self._folder = folder
        self._site = site
        self._lock_ctime = (folder / _LOCK).lstat().st_ctime_ns if folder else 0
        self._used_keys: set[str] = set()
        self._new_keys: set[str] = set()
        self._groups: dict[str, FileGroup] = {}
        self._site_states: dict[str, FileState] = {}
        try:
            self._last = msgspec.msgpack.decode(self._read(_RECORD) or b"", type=BuildRecord)
        except msgspec.DecodeError:  # there is no record
            self._last = BuildRecord()

    @cached_property
    def _unchanged_files(self) -> set[str]:
        """The files of the site that are as the last build left them, or that it did not make."""
        unchanged = set()
        for name, state in _file_states(self._site):
            if self._last.site.get(name, state) == state:
                unchanged.add(name)
        return unchanged

    def last(self, inputs: str) -> tuple[int, list[Problem]] | None:
        """Return the pages and problems of the last site if it can stay as it is; else None.

        It can if it was made of these inputs and none of its files changed.
        """
        if not inputs or self._last.inputs != inputs:
            return None
        if self._unchanged_files != self._last.site.keys():
            return None
        self._site_states = self._last.site
        return self._last.pages, list(map(_restore_problem, self._last.problems))

    def get(self, key: str) -> memoryview | None:
        """Return what was kept under a digest; None if there is nothing, or it was changed."""
        data = self._read(f"{_RESULTS}/{key}") if key else None
        if data is not None:
            self._used_keys.add(key)
        return data

    def put(self, key: str, data: bytes | memoryview) -> None:
        """Keep data under a digest until a build no longer asks for it; ignore an empty digest."""
        if key and self._write(f"{_RESULTS}/{key}{_PENDING}", data, key):
            self._new_keys.add(key)

    def group(self, key: str, tree: SiteTree, make: Callable[[], object]) -> FileGroup:
        """Return a group of files in a new site: that of the last site if possible, else a new one.

        Args:
            key: Digest of everything that the group is made of; empty if that is not known.
            tree: The new site.
            make: Writes the files to the tree; its return value, as JSON can hold it, is kept too.
        """
        group = self._last.groups.get(key) if key else None
        if group is None or not self._link_group(group, tree):
            start = len(tree.written)
            returned = make()
            group = FileGroup(dict(tree.written[start:]), returned)
        self.add_groups([(key, group)])
        return group

    def add_groups(self, groups: Iterable[tuple[str, FileGroup]]) -> None:
        """Add groups that another process made or linked, by their digests, to what is kept."""
        self._groups |= {key: group for key, group in groups if key}

    def _link_group(self, group: FileGroup, tree: SiteTree) -> bool:
        """Link files of the last site into the new one; return whether all exist."""
        if not self._unchanged_files.issuperset(group.files):
            return False
        for name, digest in group.files.items():
            try:
                tree.link(self._site / name, name, digest)
            except OSError:  # the file was removed meanwhile
                return False
        return True

    def keep(self, record: BuildRecord) -> None:
        """Keep the record of a build whose site is in place.

        If the cache can't be written, the next build makes everything anew.
        """
        if self._folder is None:
            return
        with suppress(OSError):
            self._keep_results_of_build(self._folder / _RESULTS)
            self._site_states = dict(_file_states(self._site))
            full_record = msgspec.structs.replace(
                record, groups=self._groups, site=self._site_states
            )
            pending_name = f"{_RECORD}{_PENDING}"
            if self._write(pending_name, msgspec.msgpack.encode(full_record), _RECORD):
                (self._folder / pending_name).replace(self._folder / _RECORD)

    def _keep_results_of_build(self, folder: Path) -> None:
        """Keep the results of this build, and remove those that it did not ask for."""
        for path in folder.glob("*"):
            if path.suffix == _PENDING and path.stem in self._new_keys:
                path.replace(path.with_suffix(""))
            elif path.name not in self._used_keys | self._new_keys:
                path.unlink()

    @contextmanager
    def scratch_path(self, name: str) -> Iterator[Path]:
        """Yield a path for files that a build reads: in the cache, or in a temporary folder."""
        if self._folder:
            yield self._folder / name
        else:
            with TemporaryDirectory() as folder:
                yield Path(folder) / name

    @property
    def sizes(self) -> dict[str, int]:
        """The size in bytes of each file of the site as it is now."""
        states = self._site_states or dict(_file_states(self._site))
        return {name: state.size_bytes for name, state in states.items()}

    def clear(self) -> None:
        """Empty the cache, because the inputs changed while the site was made."""
        if self._folder:
            shutil.rmtree(self._folder / _RESULTS, ignore_errors=True)
            (self._folder / _RECORD).unlink(missing_ok=True)

    def _read(self, name: str) -> memoryview | None:
        """Return the data of a file; None if it is missing or its digest is wrong."""
        if self._folder is None:
            return None
        try:
            content = memoryview((self._folder / name).read_bytes())
        except OSError:
            return None
        data = content[_DIGEST_SIZE:]
        key = name.rpartition("/")[2]
        if self._digest(key, data) != content[:_DIGEST_SIZE]:
            return None
        return data

    def _write(self, name: str, data: bytes | memoryview, key: str) -> bool:
        """Write data behind its digest; return whether that was possible."""
        if self._folder is None:
            return False
        path = self._folder / name
        try:
            path.parent.mkdir(exist_ok=True)
            path.unlink(missing_ok=True)
            with path.open("xb") as file:
                file.write(self._digest(key, data))
                file.write(data)
        except OSError:
            return False
        return True

    def _digest(self, key: str, data: bytes | memoryview) -> bytes:
        """Return the SHA-256 of data, its key and the time of the lock of this cache."""
        digest = hashlib.sha256(f"{self._lock_ctime} {key} ".encode())
        digest.update(data)
        return digest.digest()


def _restore_problem(stored: StoredProblem) -> Problem:
    code, severity, path, line, fact, fix, lines = stored
    return Problem(code, severity, Path(path), line, fact, fix, lines)


def store_problems(problems: Iterable[Problem]) -> tuple[StoredProblem, ...]:
    """Return problems as a record keeps them."""
    stored: list[StoredProblem] = []
    for problem in problems:
        path = str(problem.path)
        location = (problem.code, problem.severity, path, problem.line)
        stored.append((*location, problem.what, problem.fix, problem.others))
    return tuple(stored)


@contextmanager
def cache_in(folder: Path, site: Path, results: Path) -> Iterator[PageCache]:
    """Open the cache of a site; its folder is made if absent.

    The cache is empty if its folder can't be written, is a link, is inside the site or the results,
    or is used by another build.
    """
    resolved_folder = folder.resolve()
    is_apart = not any(resolved_folder.is_relative_to(path.resolve()) for path in (site, results))
    lock = None
    usable_folder = None
    with suppress(OSError):
        if is_apart and not folder.is_symlink():
            folder.mkdir(parents=True, exist_ok=True)
            lock = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            usable_folder = folder
    try:
        yield PageCache(usable_folder, site)
    finally:
        if lock is not None:
            os.close(lock)


def _file_states(folder: Path) -> Iterator[tuple[str, FileState]]:
    """Yield the state of each file and link in a folder, with its relative path."""
    for name in files_below(folder):
        yield name, file_state(f"{folder}/{name}")
