"""Keep a site's files, the digests of its inputs, and slow results between builds.

A cache may be copied to another folder or machine. It contains every file of the site, named after
the SHA-256 of its content, as a link to the site's own file if the file system supports links. A
site that is missing or was changed is restored from these files. Everything is checked before use:
the result of a computation is stored after its digest, and the content of a file must match the
digest in its name. A file of the site itself counts as unchanged while its size, its inode and its
times are the same; otherwise, its content is compared.

Digests reveal damage, but not the author: whoever can write a cache determines what the next site
shows. Code is therefore only used in the folder in which it was written: its digest includes the
time of the last change of the lock's inode, which no checkout, archive or copy can set.

The results of a build are used only once its site is in place. Start with `cache_in`, which opens
the cache of a site.
"""

import hashlib
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import msgspec

from sitegen.problems import Problem, Severity
from sitegen.publish.machine.hidden_names import SITE_MARKER, stays_inside
from sitegen.publish.machine.locks import LockResult, lock_file
from sitegen.publish.machine.transaction import files_below, link_or_copy
from sitegen.publish.site.inputs import FileState, file_state
from sitegen.publish.site.manifest import SITE_MANIFEST, read_manifest
from sitegen.publish.site.tree import SiteTree, replace_site

_LOCK = "lock"
"""The file that a build locks while it uses the cache."""
_RECORD = "record"
"""The file in the cache with the record of the last site."""
_COMPUTED = "found"
"""The folder in the cache with computed results, under its former name.

Under a new name, existing caches would keep the old folder forever.
"""
_FILES = "files"
"""The folder in the cache with the site's files, each named after the SHA-256 of its content."""
_PENDING = ".part"
"""The suffix of files from a build whose site is not in place yet."""
_DIGEST_SIZE = 32
"""The size of a SHA-256 in bytes."""
_FORMAT = 2
"""The version of the cache's format; a cache with another version counts as broken."""
_DIGEST = re.compile("[0-9a-f]{64}")
_MADE_LAST = {SITE_MANIFEST, SITE_MARKER}
"""The files of a site that `replace_site` writes."""

StoredProblem = tuple[str, Severity, str, int | None, str, str, tuple[int, ...]]
"""A problem as stored: code, severity, path, line, fact, fix and further lines."""


class FileGroup(msgspec.Struct, frozen=True, array_like=True):
    """Files of a site that were made together, and the return value of their maker."""

    files: dict[str, str]
    """The SHA-256 of each file by its relative path; empty if it is not known."""
    returned: Any
    """The return value of the function that made the files, in a form that JSON can represent."""


class SiteFile(NamedTuple):
    """A file of a site: its content, and its state in the folder where it was last seen."""

    digest: str
    """The SHA-256 of its content."""
    state: FileState


class BuildRecord(msgspec.Struct, frozen=True):
    """A build's record of its site, for the next build."""

    inputs: str = ""
    """The digest of all inputs of the site."""
    page_count: int = msgspec.field(default=0, name="pages")
    problems: tuple[StoredProblem, ...] = ()
    site: dict[str, SiteFile] = {}
    """The site's files by their relative paths."""
    groups: dict[str, FileGroup] = {}
    """The groups of the site's files, by the digest of each group's inputs."""


class ReusedSite(NamedTuple):
    """The last site, restored from the cache."""

    page_count: int
    problems: list[Problem]


class PageCache:
    """The results that the last build stored in a folder, and those that this build will store."""

    def __init__(self, folder: Path | None, site: Path) -> None:
        """Read the cache; if the folder is None, the cache is empty and nothing is stored."""
        self._folder = folder
        self._site = site
        self._lock_ctime = (folder / _LOCK).lstat().st_ctime_ns if folder else 0
        self._used_keys: set[str] = set()
        self._new_keys: set[str] = set()
        self._groups: dict[str, FileGroup] = {}
        self._site_files: dict[str, SiteFile] = {}
        self._last = self._read_record()

    def _read_record(self) -> BuildRecord:
        """Return the record of the last build; empty if it is missing or unusable."""
        data = self._read(_RECORD)
        if data is not None:
            with suppress(msgspec.DecodeError):
                record = msgspec.msgpack.decode(data, type=BuildRecord)
                if _is_sound(record):
                    return record
        return BuildRecord()

    @cached_property
    def _present_files(self) -> dict[str, SiteFile]:
        """The current files of the site; the digest is empty for anything but a regular file."""
        present = {}
        for name, state in _file_states(self._site):
            recorded = self._last.site.get(name)
            if recorded and recorded.state == state:
                present[name] = recorded
            else:
                digest = _regular_file_digest(self._site / name) if recorded else ""
                present[name] = SiteFile(digest, state)
        return present

    def reuse_last_site(self, inputs: str, results: Path) -> ReusedSite | None:
        """Put the last site in place if it was made from the same inputs; otherwise return None.

        A site whose files are unchanged stays in place. If files changed or the site is missing,
        the site's folder is replaced by a folder with the cached files, and the record of the
        site's files is written again.

        Args:
            inputs: The digest of everything that the site is to be made from.
            results: The results folder, relative to which problems are stored.

        Raises:
            UsageError: The site's folder is a file, or contains something other than a site.
        """
        last = self._last
        present = self._present_files  # before processes are forked, which all need it
        if not inputs or last.inputs != inputs:
            return None
        self._site_files = last.site
        if present != last.site:
            if not _have_same_content(present, last.site) and not self._restore_site():
                return None
            self._write_record(last)
        problems = [_restore_problem(problem, results) for problem in last.problems]
        return ReusedSite(last.page_count, problems)

    def _restore_site(self) -> bool:
        """Restore the last site from its files; return whether all of them were available."""
        sources = {}
        for name in self._last.site.keys() - _MADE_LAST:
            digest = self._last.site[name].digest
            source = self._source(name, digest)
            if source is None:
                return False
            sources[name] = source, digest
        with replace_site(self._site) as (tree, _):
            for name, (source, digest) in sources.items():
                tree.link(source, name, digest)
        return True

    def _source(self, name: str, digest: str) -> Path | None:
        """Return a file with the same content as a file of the last site; None if there is none."""
        if self._folder is None or not digest:
            return None
        present = self._present_files.get(name)
        if present and present.digest == digest:
            return self._site / name
        path = self._folder / _FILES / digest
        present_digest = _regular_file_digest(path)
        if present_digest == digest:
            return path
        if present_digest:
            path.unlink(missing_ok=True)  # it was changed, and a new file takes its place
        return None

    def get(self, key: str, *, is_code: bool = False) -> memoryview | None:
        """Return the data stored under a key; None if it is missing or was changed.

        Code is returned only in the folder in which it was stored.
        """
        data = self._read(f"{_COMPUTED}/{key}", is_code=is_code) if key else None
        if data is not None:
            self._used_keys.add(key)
        return data

    def put(self, key: str, data: bytes | memoryview, *, is_code: bool = False) -> None:
        """Store data under a key until a build no longer asks for it; ignore an empty key."""
        name = f"{_COMPUTED}/{key}{_PENDING}"
        if key and self._write(name, data, key, is_code=is_code):
            self._new_keys.add(key)

    def group(self, key: str, tree: SiteTree, make: Callable[[], object]) -> FileGroup:
        """Return a group of files of a new site, reused from the last site if possible.

        Args:
            key: The digest of everything that the group is made from; empty if it is not known.
            tree: The new site.
            make: Writes the files to the tree; its return value, as JSON can hold it, is stored
                too.
        """
        group = self._last.groups.get(key) if key else None
        if group is None or not self._link_group(group, tree):
            start = len(tree.written)
            returned = make()
            group = FileGroup(dict(tree.written[start:]), returned)
        self.add_groups([(key, group)])
        return group

    def add_groups(self, groups: Iterable[tuple[str, FileGroup]]) -> None:
        """Store groups that another process made or linked, given with their keys.

        A group with a file of unknown content is not stored, because the file could not be reused.
        """
        for key, group in groups:
            if key and all(group.files.values()):
                self._groups[key] = group

    def _link_group(self, group: FileGroup, tree: SiteTree) -> bool:
        """Link the files of a group into the new site; return whether all of them exist."""
        sources = {name: self._source(name, digest) for name, digest in group.files.items()}
        for name, source in sources.items():
            if source is None:
                return False
            try:
                tree.link(source, name, group.files[name])
            except OSError:  # the file was removed meanwhile
                return False
        return True

    def keep(self, record: BuildRecord) -> None:
        """Store the record of a build whose site is in place, and the site's files.

        If the cache can't be written, the next build makes everything again.
        """
        if self._folder is None:
            return
        with suppress(OSError):
            self._keep_results_of_build(self._folder / _COMPUTED)
            self._write_record(msgspec.structs.replace(record, groups=self._groups))

    def _write_record(self, record: BuildRecord) -> None:
        """Write a record with the site's current files, and link the files into the cache."""
        if self._folder is None:
            return
        with suppress(OSError):
            self._site_files = self._read_site()
            self._keep_files(self._folder / _FILES)
            full_record = msgspec.structs.replace(record, site=self._site_files)
            pending_name = f"{_RECORD}{_PENDING}"
            if self._write(pending_name, msgspec.msgpack.encode(full_record), _RECORD):
                (self._folder / pending_name).replace(self._folder / _RECORD)

    def _read_site(self) -> dict[str, SiteFile]:
        """Return the files of a site that was just built, so its list of files is correct."""
        listed: Mapping[str, str] = {}
        if (self._site / SITE_MANIFEST).exists():
            listed = read_manifest(self._site)
        files = {}
        for name, state in _file_states(self._site):
            digest = listed.get(name) or _regular_file_digest(self._site / name)
            files[name] = SiteFile(digest, state)
        return files

    def _keep_results_of_build(self, folder: Path) -> None:
        """Store the results of this build, and remove results that the build did not ask for."""
        for path in folder.glob("*"):
            if path.suffix == _PENDING and path.stem in self._new_keys:
                path.replace(path.with_suffix(""))
            elif path.name not in self._used_keys | self._new_keys:
                path.unlink()

    def _keep_files(self, folder: Path) -> None:
        """Store the site's files in a folder under their digests, and remove all other files."""
        folder.mkdir(exist_ok=True)
        kept = {path.name for path in folder.iterdir()}
        for name in kept - {file.digest for file in self._site_files.values()}:
            (folder / name).unlink()
        for name, file in self._site_files.items():
            if file.digest not in kept:
                link_or_copy(self._site / name, folder / file.digest)
                kept.add(file.digest)

    @contextmanager
    def scratch_path(self, name: str) -> Iterator[Path]:
        """Yield a path for files that a build reads, in the cache or in a temporary folder."""
        if self._folder:
            yield self._folder / name
        else:
            with TemporaryDirectory() as folder:
                yield Path(folder) / name

    @property
    def sizes(self) -> dict[str, int]:
        """The current size of each file of the site, in bytes."""
        if self._site_files:
            return {name: file.state.size_bytes for name, file in self._site_files.items()}
        return {name: state.size_bytes for name, state in _file_states(self._site)}

    def clear(self) -> None:
        """Empty the cache, because the inputs changed while the site was being made."""
        if self._folder:
            for name in (_COMPUTED, _FILES):
                shutil.rmtree(self._folder / name, ignore_errors=True)
            (self._folder / _RECORD).unlink(missing_ok=True)

    def _read(self, name: str, *, is_code: bool = False) -> memoryview | None:
        """Return the data in a file; None if it is missing or its digest is wrong."""
        if self._folder is None:
            return None
        try:
            content = memoryview((self._folder / name).read_bytes())
        except OSError:
            return None
        data = content[_DIGEST_SIZE:]
        key = name.rpartition("/")[2]
        if self._digest(key, data, is_code=is_code) != content[:_DIGEST_SIZE]:
            return None
        return data

    def _write(
        self, name: str, data: bytes | memoryview, key: str, *, is_code: bool = False
    ) -> bool:
        """Write data after its digest; return whether this was possible."""
        if self._folder is None:
            return False
        path = self._folder / name
        try:
            path.parent.mkdir(exist_ok=True)
            path.unlink(missing_ok=True)
            with path.open("xb") as file:
                file.write(self._digest(key, data, is_code=is_code))
                file.write(data)
        except OSError:
            return False
        return True

    def _digest(self, key: str, data: bytes | memoryview, *, is_code: bool) -> bytes:
        """Return the SHA-256 of data and its key, and for code also of the lock's change time."""
        origin = self._lock_ctime if is_code else ""
        digest = hashlib.sha256(f"{_FORMAT} {origin} {key} ".encode())
        digest.update(data)
        return digest.digest()


def _restore_problem(stored: StoredProblem, results: Path) -> Problem:
    code, severity, name, line, fact, fix, lines = stored
    path = Path(os.path.normpath(results / name))
    return Problem(code, severity, path, line, fact, fix, lines)


def store_problems(problems: Iterable[Problem], results: Path) -> tuple[StoredProblem, ...]:
    """Return problems as a record stores them, with paths relative to the results."""
    stored: list[StoredProblem] = []
    for problem in problems:
        path = os.path.relpath(problem.path, results)
        location = (problem.code, problem.severity, path, problem.line)
        stored.append((*location, problem.what, problem.fix, problem.others))
    return tuple(stored)


@contextmanager
def cache_in(folder: Path, site: Path, results: Path) -> Iterator[PageCache]:
    """Open the cache of a site; its folder is created if it does not exist.

    The cache is empty if its folder can't be written or locked, is a link or contains one, is
    inside the site or the results, or is used by another build.
    """
    resolved_folder = folder.resolve()
    is_apart = not any(resolved_folder.is_relative_to(path.resolve()) for path in (site, results))
    lock = None
    usable_folder = None
    with suppress(OSError):
        if is_apart and not folder.is_symlink():
            folder.mkdir(parents=True, exist_ok=True)
            lock = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
            is_locked = lock_file(lock) is LockResult.LOCKED
            if is_locked and not any(path.is_symlink() for path in folder.iterdir()):
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


def _have_same_content(files: Mapping[str, SiteFile], others: Mapping[str, SiteFile]) -> bool:
    if files.keys() != others.keys():
        return False
    return all(file.digest == others[name].digest for name, file in files.items())


def _regular_file_digest(path: Path) -> str:
    """Return the SHA-256 of a regular file; empty for anything else or if it can't be read."""
    try:
        with open(path, "rb", opener=_open_no_link) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return ""
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def _open_no_link(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _is_sound(record: BuildRecord) -> bool:
    """Return whether all names in a record stay below the site and all digests are valid.

    Without this check, a forged cache could read and write files elsewhere.
    """
    digests = {name: file.digest for name, file in record.site.items()}
    files = [*digests.items()]
    for group in record.groups.values():
        files += group.files.items()
    return all(stays_inside(name) and _DIGEST.fullmatch(digest) for name, digest in files)
