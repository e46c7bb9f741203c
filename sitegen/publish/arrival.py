"""Puts files into a folder that people keep, and takes files out of it: all of them together, or none."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from sitegen.errors import UsageError
from sitegen.reading.files import require_size, unpacked


class Arrival:
    """Files on their way into a folder: kept aside until all are there."""

    def __init__(self, aside: Path) -> None:
        """Begin with none.

        Args:
            aside: An empty folder, which is filled as the other one is to be.
        """
        self._aside = aside
        self.leaving: list[Path] = []
        """Files that go when the others come, below the root."""

    def write(self, folder: str, files: Mapping[str, bytes]) -> None:
        """Write files.

        Args:
            folder: Below the root.
            files: Bytes by name in that folder.

        Raises:
            ProblemsError: One is larger than is read of its kind.
            UsageError: One would lie elsewhere.
        """
        for name, data in files.items():
            require_size(Path(folder, name), len(data))
            unpacked(Path(folder, name), data)
            path = self._aside / folder / name
            if not path.resolve().is_relative_to(self._aside.resolve()):
                raise UsageError(f"{folder}/{name} would not lie in the folder that is written to")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def remove(self, name: Path) -> None:
        """Let a file go, below the root."""
        self.leaving.append(name)


@contextmanager
def arriving(root: Path) -> Iterator[Arrival]:
    """Write files aside, and move them into a folder when all went well; else leave the folder as it was.

    Args:
        root: The folder, made when absent.

    Yields:
        What to write to.
    """
    with ExitStack() as undo:
        for folder in reversed([folder for folder in (root, *root.parents) if not folder.exists()]):
            folder.mkdir()
            undo.callback(folder.rmdir)
        with tempfile.TemporaryDirectory(prefix=".sitegen-", dir=root) as aside:
            new, old = Path(aside) / "new", Path(aside) / "old"
            new.mkdir()
            old.mkdir()
            arrival = Arrival(new)
            yield arrival
            with ExitStack() as undo_moves:
                _move(new, root, old, undo_moves)
                for name in arrival.leaving:
                    _put_away(root / name, old, undo_moves)
                undo_moves.pop_all()
        undo.pop_all()


def _move(new: Path, place: Path, old: Path, undo: ExitStack) -> None:
    """Move what a folder holds into another: folders that stand are added to, files that stand are replaced."""
    for child in sorted(new.iterdir()):
        target = place / child.name
        if target.is_symlink():
            raise UsageError(f"{target} is a link, and nothing is written through links")
        if target.is_dir() and child.is_dir():
            _move(child, target, old, undo)
        elif target.exists():
            kept = _free_place(old)
            shutil.copy2(target, kept)
            undo.callback(os.replace, kept, target)
            shutil.copymode(target, child)
            child.replace(target)
        else:
            child.rename(target)
            undo.callback(target.rename, child)


def _put_away(path: Path, old: Path, undo: ExitStack) -> None:
    kept = _free_place(old)
    path.rename(kept)
    undo.callback(kept.rename, path)


def _free_place(old: Path) -> Path:
    return old / f"{len(list(old.iterdir()))}"
