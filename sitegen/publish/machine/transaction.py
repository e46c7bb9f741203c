"""Change folders of users, either completely or not at all.

New content is written to a scratch folder and moved into place at the end. If a process is killed
while it moves files, the next command moves them back. Start with `transaction`.
"""

import ctypes
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, TypeAlias

from sitegen.problems import ProblemsError, UsageError
from sitegen.publish.machine.hidden_names import SCRATCH_PREFIX
from sitegen.publish.machine.locks import LockResult, lock_file
from sitegen.reading.files import opened, require_lines, require_size, unpacked
from sitegen.reading.shortages import raise_shortage

LOCK = ".lock"
"""A file in the scratch folder that is locked until the process that created the folder ends."""

_RANDOM_PATTERN = "????????"
"""Pattern of the characters after the prefix in a scratch folder's name."""

_NEW = "new"
"""The folder of new content in a scratch folder."""
_CHANGED = "copy"
"""The folder in a scratch folder for a changed copy of the folder that it will replace."""
_STEPS = "steps.json"
"""The file in a scratch folder that lists moves in progress; it exists only during the moves."""
_OLD = "old"
"""The folder in a scratch folder for old content that was moved away."""

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
"""Linux constants for `renameat2`."""


class _Step(NamedTuple):
    """The move of a path into place."""

    source: str | None
    """The new content, as a path below the scratch folder; None if the target is only removed."""
    target: str
    """The path to replace, relative to the parent of the scratch folder."""


_WriteState: TypeAlias = tuple[int, int]
"""The time at which a file was last written, in nanoseconds, and its size in bytes."""


class Snapshot(NamedTuple):
    """The state of a folder before it is read, used to detect later changes by other commands."""

    folder: Path
    states: Mapping[Path, _WriteState]
    """The state of each file in the folder."""

    def is_unchanged(self, path: Path) -> bool:
        """Return whether a file is unchanged; files outside the folder count as unchanged."""
        if not path.is_relative_to(self.folder):
            return True
        return _write_state(path) == self.states.get(path)


class Transaction:
    """Changes to a folder, kept in a scratch folder until all of them are complete."""

    def __init__(self, folder: Path, scratch: Path) -> None:
        """Begin to change a folder, given by its absolute path, with an empty scratch folder."""
        self._folder = folder
        self._scratch = scratch
        self._home = scratch.parent
        self._removed: list[Path] = []
        self._previews: dict[tuple[str, ...], Path] = {}
        self.root = scratch / _NEW / folder.relative_to(self._home)
        """The folder of the new content, with the same layout as the changed folder."""
        self.work = scratch / "work"
        """A folder for temporary files."""
        for path in (self.root, self.work):
            path.mkdir(parents=True)

    def write(self, folder: str, files: Mapping[str, bytes]) -> None:
        """Write files, given by name, to a folder below the root.

        Raises:
            ProblemsError: A file exceeds the size limit of its kind, or has too many lines.
            UsageError: A file would be outside the folder.
        """
        for name, data in files.items():
            relative_path = Path(folder, name)
            require_size(relative_path, len(data))
            require_lines(relative_path, unpacked(relative_path, data))
            target = self._folder / folder / name
            is_inside = target.is_relative_to(self._folder)
            if str(target) != os.path.realpath(target) or not is_inside:
                raise UsageError(
                    f"{target} leads out of the folder, upwards or through a link; nothing "
                    "is written there"
                )
            path = self.root / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            if target.exists():
                shutil.copymode(target, path)

    def remove(self, name: Path) -> None:
        """Remove a file below the root."""
        self._removed.append(self._folder / name)

    def preview_copy(self, names: Sequence[str]) -> Path:
        """Return a copy of the named folders and files with all changes made so far.

        Later calls with the same names return the same copy, updated with later changes.
        """
        copied_names = tuple(names)
        preview = self._previews.get(copied_names)
        if preview is None:
            preview = self.work / f"preview-{len(self._previews) + 1}"
            for name in names:
                _copy(self._folder / name, preview / name)
            self._previews[copied_names] = preview
        self._apply_to(preview, self._folder)
        return preview

    def commit(self, since: Snapshot | None, *, replace_all: bool) -> None:
        """Apply the changes to the folder; see `transaction` for the arguments."""
        lock = os.open(self._home, os.O_RDONLY)
        try:
            # No other command may move files meanwhile, because a copy of the folder would lack
            # them. On a file system without locks, this can't be prevented.
            lock_file(lock, wait=True)
            if since:
                self._require_unchanged(since)
            changed_paths = self._changed_paths()
            if replace_all:
                self._move([self._step_to(self._folder)])
            elif changed_paths:
                self._move(self._steps(changed_paths))
        finally:
            os.close(lock)

    def _require_unchanged(self, since: Snapshot) -> None:
        """Check that no other command changed the files that this transaction changes.

        Raises:
            UsageError: Another command changed a file that this transaction changes.
        """
        for path in self._changed_paths():
            if not since.is_unchanged(path):
                relative_path = path.relative_to(self._folder)
                raise UsageError(
                    f"another command changed {relative_path} in the meantime; nothing was "
                    "written, so run this command again"
                )

    def _changed_paths(self) -> list[Path]:
        return [*self._written_paths(), *self._removed]

    def _written_paths(self) -> list[Path]:
        return [self._home / name for name in files_below(self._scratch / _NEW)]

    def _steps(self, changed_paths: Sequence[Path]) -> list[_Step]:
        """Return the moves: the smallest folder with all changes is exchanged for a changed copy.

        If the folder can't be moved, because a process works in it or a disk is mounted there, each
        file is moved separately.
        """
        around = Path(os.path.commonpath(changed_paths))
        if not around.is_dir():
            return [self._step_to(around)]
        is_fixed = Path.cwd().is_relative_to(around) or os.path.ismount(around)
        if around == self._home or is_fixed:
            steps = {self._step_to(path) for path in changed_paths}
            return sorted(steps, key=lambda step: (step.source or "", step.target))
        _copy(around, self._scratch / _CHANGED)
        self._apply_to(self._scratch / _CHANGED, around)
        return [_Step(_CHANGED, around.relative_to(self._home).as_posix())]

    def _step_to(self, target: Path) -> _Step:
        """Return the move to a path, or to the topmost missing folder above it."""
        while not target.parent.exists():
            target = target.parent
        name = target.relative_to(self._home).as_posix()
        source = f"{_NEW}/{name}"
        has_content = (self._scratch / source).exists()
        return _Step(source if has_content else None, name)

    def _move(self, steps: Sequence[_Step]) -> None:
        """Move the new content into place.

        A single path is exchanged atomically if the system supports it. Otherwise, the moves are
        recorded first, so that the next command can undo incomplete moves.
        """
        if len(steps) == 1 and self._exchange(steps[0]):
            return
        incomplete = self._scratch / f"{_STEPS}.part"
        log = json.dumps([_lock_ctime(self._scratch), steps])
        incomplete.write_text(log, encoding="utf-8")
        incomplete.replace(self._scratch / _STEPS)
        for step in steps:
            target = self._home / step.target
            if os.path.lexists(target):
                old = self._scratch / _OLD / step.target
                old.parent.mkdir(parents=True, exist_ok=True)
                target.rename(old)
            if step.source is not None:
                (self._scratch / step.source).rename(target)
        (self._scratch / _STEPS).unlink()

    def _exchange(self, step: _Step) -> bool:
        """Exchange a path with its new content; return False if that is not possible.

        An exchange is impossible if either path is missing, or if the file system or the operating
        system does not support it.
        """
        rename = getattr(ctypes.CDLL(None), "renameat2", None)
        if step.source is None or not rename:
            return False
        new = os.fsencode(self._scratch / step.source)
        old = os.fsencode(self._home / step.target)
        error: int = rename(_AT_FDCWD, new, _AT_FDCWD, old, _RENAME_EXCHANGE)
        return error == 0

    def _apply_to(self, copy: Path, folder: Path) -> None:
        """Apply the changes to a copy of a folder."""
        for path in self._removed:
            (copy / path.relative_to(folder)).unlink(missing_ok=True)
        for path in self._written_paths():
            target = copy / path.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)
            link_or_copy(self._scratch / _NEW / path.relative_to(self._home), target)


def files_below(folder: Path) -> Iterator[str]:
    """Yield the relative paths of all files below a folder, of which a large site has thousands."""
    start = len(str(folder)) + 1
    for parent, _, names in os.walk(folder, onerror=raise_shortage):
        relative_parent = parent[start:].replace(os.sep, "/")
        if relative_parent:
            yield from (f"{relative_parent}/{name}" for name in names)
        else:
            yield from names


@contextmanager
def transaction(
    folder: Path, since: Snapshot | None = None, *, replace_all: bool = False
) -> Iterator[Transaction]:
    """Change a folder if the block ends without an error; otherwise leave it unchanged.

    Args:
        folder: The folder, which is created if it does not exist.
        since: The state of the folder before the caller read the files that the changes depend on.
        replace_all: Whether the new content replaces everything in the folder.

    Raises:
        UsageError: Another command changed a file that is written or removed.
    """
    folder = folder.resolve()
    with scratch_folder(scratch_home(folder)) as scratch:
        changes = Transaction(folder, scratch)
        yield changes
        changes.commit(since, replace_all=replace_all)


def snapshot_of(folder: Path) -> Snapshot:
    """Return the state of a folder and the files in it."""
    folder = folder.resolve()
    states = {}
    for parent, _, names in os.walk(folder, onerror=raise_shortage):
        for name in names:
            path = Path(parent, name)
            state = _write_state(path)
            if state:
                states[path] = state
    return Snapshot(folder, states)


def _write_state(path: Path) -> _WriteState | None:
    """Return the state of a file; None if the file does not exist."""
    try:
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status.st_mtime_ns, status.st_size


def scratch_home(folder: Path) -> Path:
    """Return the parent of a transaction's scratch folder, on the same disk as the folder.

    The scratch folder is created in the nearest existing parent of the folder, or in the folder
    itself if that parent is on another disk or not writable.
    """
    parent = next((path for path in folder.parents if path.exists()), folder)
    if folder.exists() and (os.path.ismount(folder) or not os.access(parent, os.W_OK)):
        return folder
    return parent


@contextmanager
def scratch_folder(home: Path) -> Iterator[Path]:
    """Create an empty scratch folder with a lock, and remove it at the end.

    Scratch folders of killed processes are removed first.
    """
    remove_leftovers(home)
    while True:
        scratch = Path(tempfile.mkdtemp(prefix=SCRATCH_PREFIX, dir=home))
        # Another process may remove the folder as a leftover before its lock exists.
        with suppress(FileNotFoundError):
            lock = os.open(scratch / LOCK, os.O_CREAT | os.O_RDWR, 0o600)
            if lock_file(lock) is not LockResult.HELD and (scratch / LOCK).exists():
                break
            os.close(lock)
    try:
        yield scratch
    finally:
        _take_down(scratch)
        os.close(lock)


def remove_leftovers(home: Path) -> None:
    """Remove the scratch folders of killed processes, and undo their incomplete moves.

    Parents are searched as well, because a command that creates several folders works above them.
    """
    for folder in _scratch_homes(home):
        _remove_leftovers_in(folder)


def _scratch_homes(home: Path) -> Iterator[Path]:
    """Yield a folder, and its parents on the same disk that belong to the current user."""
    yield home
    for folder, parent in pairwise((home, *home.parents)):
        with suppress(OSError):
            if not os.path.ismount(folder) and parent.stat().st_uid == os.geteuid():
                yield parent
                continue
        return


def _remove_leftovers_in(home: Path) -> None:
    for scratch in home.glob(f"{SCRATCH_PREFIX}{_RANDOM_PATTERN}"):
        # This may not be a scratch folder, or another process may be removing it.
        with suppress(OSError):
            if scratch.is_symlink() or scratch.stat().st_uid != os.geteuid():
                continue  # in a folder that everybody can write to, the link may lead anywhere
            with suppress(OSError):
                scratch.rmdir()  # empty, because its process was killed before the lock existed
            lock = os.open(scratch / LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                if lock_file(lock) is LockResult.LOCKED:
                    _take_down(scratch)
            finally:
                os.close(lock)


def _take_down(scratch: Path) -> None:
    """Undo incomplete moves and remove a scratch folder.

    The lock is removed last, because the folder is recognized as a leftover while the lock exists.
    """
    if os.path.lexists(scratch / _STEPS) and not _undo_moves(scratch):
        return
    for child in scratch.iterdir():
        if child.name != LOCK:
            _remove_tree(child)
    if [child.name for child in scratch.iterdir()] == [LOCK]:
        (scratch / LOCK).unlink()
        scratch.rmdir()


def _undo_moves(scratch: Path) -> bool:
    """Undo all moves; return False if the log of moves is not from a command run here."""
    try:
        with opened(scratch / _STEPS) as file:
            lock_ctime, steps = json.loads(file.read())
    except (ProblemsError, ValueError, TypeError):
        return False
    if lock_ctime != _lock_ctime(scratch):
        return False  # a checked-out repository may contain such a folder
    for source, name in reversed(steps):
        target = scratch.parent / name
        old = scratch / _OLD / name
        if source and not os.path.lexists(scratch / source):
            target.rename(scratch / source)
        if os.path.lexists(old):
            old.rename(target)
    (scratch / _STEPS).unlink()
    return True


def _remove_tree(path: Path) -> None:
    """Remove a file, a link or a folder, including read-only subfolders."""
    shutil.rmtree(path, ignore_errors=True)
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return
    for folder, _, _ in os.walk(path):
        Path(folder).chmod(0o700)
    shutil.rmtree(path, ignore_errors=True)


def _lock_ctime(scratch: Path) -> int:
    """Return the time of the last change of the lock's inode, in nanoseconds.

    No checkout, archive or copy can set this time.
    """
    return (scratch / LOCK).lstat().st_ctime_ns


def _copy(path: Path, target: Path) -> None:
    """Copy a file or folder if it exists, by hard links, since the files are never modified."""
    if path.is_file() and not path.is_symlink():
        target.parent.mkdir(parents=True, exist_ok=True)
        link_or_copy(path, target)
    elif path.is_dir():
        ignore = shutil.ignore_patterns(f"{SCRATCH_PREFIX}*")
        shutil.copytree(path, target, symlinks=True, copy_function=link_or_copy, ignore=ignore)


def link_or_copy(source: str | Path, target: str | Path) -> None:
    """Create a hard link to a file that is never modified; copy the file if that is impossible."""
    try:
        os.link(source, target)
    except OSError:  # no support for hard links, or a file of another user
        shutil.copy2(source, target)
