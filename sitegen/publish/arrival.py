"""Puts files into a folder that people keep: all of them together, or none."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from sitegen.errors import UsageError


class Arrival:
    """Files on their way into a folder: kept aside until all are there."""

    def __init__(self, aside: Path) -> None:
        """Begin with none.

        Args:
            aside: An empty folder, which is filled as the other one is to be.
        """
        self._aside = aside

    def write(self, folder: str, files: Mapping[str, bytes]) -> None:
        """Write files.

        Args:
            folder: Below the root.
            files: Bytes by name in that folder.
        """
        for name, data in files.items():
            path = self._aside / folder / name
            if not path.resolve().is_relative_to(self._aside.resolve()):
                raise UsageError(f"{folder}/{name} would not lie in the folder that is written to")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


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
            yield Arrival(new)
            with ExitStack() as undo_moves:
                _move(new, root, old, undo_moves)
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
            kept = old / f"{len(list(old.iterdir()))}"
            shutil.copy2(target, kept)
            undo.callback(os.replace, kept, target)
            shutil.copymode(target, child)
            child.replace(target)
        else:
            child.rename(target)
            undo.callback(target.rename, child)
