"""What a build keeps for the next one: what its site was made of and how that stood, and what took long to find out.

Nothing that is kept is believed unchecked. All of it has digests, into which goes when the lock beside it was made:
no checkout, archive or copy can give a file that time. A file of the site counts as it was left while its size, its
place on the disk and the times of its last change are the same. What a build keeps counts once its site stands.
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
from sitegen.publish.inputs import Stamp, stamp_of
from sitegen.publish.site import Tree
from sitegen.publish.transaction import files_below

FOLDER = ".sitegen"
"""The folder of the cache, in the working directory."""

_LOCK, _RECORD, _FOUND, _PART = "lock", "record", "found", ".part"
"""In it: what the build that has it holds, what tells of the site, and the folder of what was found out."""
_DIGEST = 32
Told = tuple[str, Severity, str, int | None, str, str, tuple[int, ...]]
"""A problem without its mend."""


class Part(msgspec.Struct, frozen=True, array_like=True):
    """Files of a site that were made together, by their names below it, and what else came of it."""

    files: dict[str, str]
    """The SHA-256 of each, where it is known."""
    told: Any


class Record(msgspec.Struct, frozen=True):
    """What a build tells the next one of its site."""

    inputs: str = ""
    """Digest of all that the site was made of."""
    pages: int = 0
    problems: tuple[Told, ...] = ()
    site: dict[str, Stamp] = {}
    """The files of the site, by their names below it."""
    parts: dict[str, Part] = {}
    """Parts of it by the digest of what each was made of."""


class Cache:
    """What the last build left in a folder, and what this one leaves there."""

    def __init__(self, folder: Path | None, site: Path) -> None:
        """Read what is there; without a folder nothing is, and nothing is kept."""
        self._folder = folder
        self._site = site
        self._born = (folder / _LOCK).lstat().st_ctime_ns if folder else 0
        self._used, self._made = set[str](), set[str]()
        self._parts: dict[str, Part] = {}
        told = self._read(_RECORD)
        try:
            self._last = msgspec.msgpack.decode(told or b"", type=Record)
        except msgspec.DecodeError:  # there is none
            self._last = Record()
        self._standing: dict[str, Stamp] = {}

    @cached_property
    def _sound(self) -> set[str]:
        """The files of the site that stand as they were left."""
        return {
            name for name, stamp in _stamps(self._site) if self._last.site.get(name, stamp) == stamp
        }

    def last(self, inputs: str) -> tuple[int, list[Problem]] | None:
        """Pages and problems of the site where it was made of these inputs, and stands as it was left; else None."""
        if self._last.inputs != inputs or not inputs or self._sound != self._last.site.keys():
            return None
        self._standing = self._last.site
        return self._last.pages, [
            Problem(code, severity, Path(path), line, what, fix, others)
            for code, severity, path, line, what, fix, others in self._last.problems
        ]

    def get(self, key: str) -> memoryview | None:
        """What was found out from what a digest names; None where nobody knows, or it is not as it was left."""
        found = self._read(f"{_FOUND}/{key}") if key else None
        if found is not None:
            self._used.add(key)
        return found

    def put(self, key: str, data: bytes | memoryview) -> None:
        """Keep what was found out, until a build no longer asks for it; without a digest, nothing is kept."""
        if key and self._write(f"{_FOUND}/{key}{_PART}", data, key):
            self._made.add(key)

    def part(self, key: str, tree: Tree, make: Callable[[], object]) -> Part:
        """Make a part of a site, or take over that of the last one where the digest of all that it is made of is known.

        What makes it writes it to the tree, and gives what else is to be known of it, as JSON could write it.
        """
        part = self._last.parts.get(key) if key else None
        if (
            part is None
            or not self._sound.issuperset(part.files)
            or not self._take_over(part, tree)
        ):
            before = len(tree.written)
            told = make()
            part = Part(dict(tree.written[before:]), told)
        self.take_in([(key, part)])
        return part

    def take_in(self, parts: Iterable[tuple[str, Part]]) -> None:
        """Know parts that another process made or took over."""
        self._parts |= {key: part for key, part in parts if key}

    def _take_over(self, part: Part, tree: Tree) -> bool:
        for name, digest in part.files.items():
            try:
                tree.link(self._site / name, name, digest)
            except OSError:  # it went meanwhile
                return False
        return True

    def keep(self, record: Record) -> None:
        """Leave word of a build, once its site stands. Where it can't be written, the next build makes all anew."""
        if self._folder is None:
            return
        with suppress(OSError):
            for path in (self._folder / _FOUND).glob("*"):
                if path.suffix == _PART and path.stem in self._made:
                    path.replace(path.with_suffix(""))
                elif path.name not in self._used | self._made:
                    path.unlink()
            self._standing = dict(_stamps(self._site))
            whole = msgspec.structs.replace(record, parts=self._parts, site=self._standing)
            if self._write(f"{_RECORD}{_PART}", msgspec.msgpack.encode(whole), _RECORD):
                (self._folder / f"{_RECORD}{_PART}").replace(self._folder / _RECORD)

    @contextmanager
    def room(self, name: str) -> Iterator[Path]:
        """A folder in it for what a build reads; where there is no cache, one that goes with the build."""
        if self._folder:
            yield self._folder / name
        else:
            with TemporaryDirectory() as folder:
                yield Path(folder) / name

    @property
    def sizes(self) -> dict[str, int]:
        """The bytes of each file of the site, as it stands now."""
        return {
            name: stamp[0] for name, stamp in (self._standing or dict(_stamps(self._site))).items()
        }

    def forget(self) -> None:
        """Leave nothing: somebody changed what the site was made of while it was made."""
        if self._folder:
            shutil.rmtree(self._folder / _FOUND, ignore_errors=True)
            (self._folder / _RECORD).unlink(missing_ok=True)

    def _read(self, name: str) -> memoryview | None:
        with suppress(OSError):
            if self._folder:
                whole = memoryview((self._folder / name).read_bytes())
                if self._seal(name.rpartition("/")[2], whole[_DIGEST:]) == whole[:_DIGEST]:
                    return whole[_DIGEST:]
        return None

    def _write(self, name: str, data: bytes | memoryview, key: str) -> bool:
        with suppress(OSError):
            if self._folder:
                path = self._folder / name
                path.parent.mkdir(exist_ok=True)
                path.unlink(missing_ok=True)
                with path.open("xb") as file:
                    file.write(self._seal(key, data))
                    file.write(data)
                return True
        return False

    def _seal(self, key: str, data: bytes | memoryview) -> bytes:
        seal = hashlib.sha256(f"{self._born} {key} ".encode())
        seal.update(data)
        return seal.digest()


def told_of(problems: Iterable[Problem]) -> tuple[Told, ...]:
    """Write problems down as a record keeps them."""
    return tuple(
        (each.code, each.severity, str(each.path), each.line, each.what, each.fix, each.others)
        for each in problems
    )


@contextmanager
def cache_in(folder: Path, site: Path, results: Path) -> Iterator[Cache]:
    """Open the cache of a site; it stays empty where it can't be written, or another build has it.

    Its folder is made when absent. One that leads elsewhere, or lies in the site or in the results, is none.
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


def _stamps(folder: Path) -> Iterator[tuple[str, Stamp]]:
    """Give a folder's files by their names: all that stands in it, links too."""
    yield from ((name, stamp_of(f"{folder}/{name}")) for name in files_below(folder))
