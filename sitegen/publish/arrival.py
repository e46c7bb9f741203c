"""Puts files into a folder that people keep, and takes files out of it: all of them together, or none."""

import fcntl
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from sitegen.problems import UsageError
from sitegen.publish.aside import PREFIX, Step, home_of, put_in_place, working_aside
from sitegen.reading.files import require_lines, require_size, unpacked

_NEW, _COPY = "new", "copy"


class Arrival:
    """What a folder is to become: kept aside until all of it is there."""

    def __init__(self, folder: Path, aside: Path) -> None:
        """Begin with nothing that changes.

        Args:
            folder: The folder, by its full path.
            aside: An empty folder to work in.
        """
        self._folder = folder
        self._aside = aside
        self.home = aside.parent
        self.root = aside / _NEW / folder.relative_to(self.home)
        """What comes, laid out as it will be in the folder."""
        self.root.mkdir(parents=True)
        self.work = aside / "work"
        """For scratch work."""
        self.work.mkdir()
        self._leaving: list[Path] = []

    def write(self, folder: str, files: Mapping[str, bytes]) -> None:
        """Write files.

        Args:
            folder: Below the root.
            files: Bytes by name in that folder.

        Raises:
            ProblemsError: One is larger than is read of its kind, or has more lines.
            UsageError: One would lie elsewhere.
        """
        for name, data in files.items():
            require_size(Path(folder, name), len(data))
            require_lines(Path(folder, name), unpacked(Path(folder, name), data))
            place = self._folder / folder / name
            if str(place) != os.path.realpath(place) or not place.is_relative_to(self._folder):
                raise UsageError(f"{place} leads elsewhere, upwards or through a link, and nothing is written there")
            path = self.root / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            if place.exists():
                shutil.copymode(place, path)

    def remove(self, name: Path) -> None:
        """Let a file go, below the root."""
        self._leaving.append(self._folder / name)

    def rehearsed(self, parts: Sequence[str]) -> Path:
        """Give a copy of the folder as it would be with all that came so far.

        Args:
            parts: What of it is wanted, by the names in the folder.
        """
        copy = self.work / _COPY
        if not copy.exists():
            for name in parts:
                _copy(self._folder / name, copy / name)
        self._apply_to(copy, self._folder)
        return copy

    def put_in_place(self, *, whole: bool) -> None:
        """Let the folder become what it is to be.

        Args:
            whole: Whether nothing that stood in it stays.
        """
        with _alone(self.home):
            steps = [self._swap(self._folder)] if whole else self._steps()
            if steps:
                put_in_place(self._aside, steps)

    def _steps(self) -> list[Step]:
        """Tell what goes where: the smallest folder around all that changes is exchanged for a copy of it.

        Where that can't be moved away, since somebody works in it or a disk is mounted there, each file is.
        """
        places = [*self._coming(), *self._leaving]
        if not places:
            return []
        around = Path(os.path.commonpath(places))
        if not around.is_dir():
            return [self._swap(around)]
        if around == self.home or Path.cwd().is_relative_to(around) or os.path.ismount(around):
            return sorted({self._swap(place) for place in places})
        _copy(around, self._aside / _COPY)
        self._apply_to(self._aside / _COPY, around)
        return [(_COPY, self._name(around))]

    def _swap(self, place: Path) -> Step:
        """Tell what comes to a place, or to the first folder above it that is not there yet."""
        while not place.parent.exists():
            place = place.parent
        name = self._name(place)
        return f"{_NEW}/{name}" if (self._aside / _NEW / name).exists() else "", name

    def _apply_to(self, copy: Path, folder: Path) -> None:
        """Let a copy of a folder become what that is to be."""
        for place in self._leaving:
            (copy / place.relative_to(folder)).unlink(missing_ok=True)
        for place in self._coming():
            target = copy / place.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)
            _link(self._aside / _NEW / self._name(place), target)

    def _coming(self) -> list[Path]:
        new = self._aside / _NEW
        return [self.home / path.relative_to(new) for path in new.rglob("*") if path.is_file()]

    def _name(self, place: Path) -> str:
        return place.relative_to(self.home).as_posix()


@contextmanager
def arriving(folder: Path, *, whole: bool = False) -> Iterator[Arrival]:
    """Let a folder change when all went well; else leave it as it was.

    Args:
        folder: The folder, made when absent.
        whole: Whether nothing that stands in it stays.

    Yields:
        What to write to.
    """
    folder = folder.resolve()
    with working_aside(home_of(folder)) as aside:
        arrival = Arrival(folder, aside)
        yield arrival
        arrival.put_in_place(whole=whole)


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """Let no other command put anything in place meanwhile: what it brought would be missing in the copy."""
    lock = os.open(home, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _copy(path: Path, to: Path) -> None:
    """Copy a folder, if it is there; its files are the same ones, and so are never written to."""
    if path.is_dir():
        shutil.copytree(path, to, symlinks=True, copy_function=_link, ignore=shutil.ignore_patterns(f"{PREFIX}*"))


def _link(source: str | Path, target: str | Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # this kind of disk knows no links, or the file is another's
        shutil.copy2(source, target)
