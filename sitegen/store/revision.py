"""Results as a git repository had them at a revision."""

import io
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sitegen.errors import UsageError


@contextmanager
def state_of(name: str, results: Path) -> Iterator[Path]:
    """Give a state of a results folder: the folder itself, or a copy of what it was at a revision.

    Args:
        name: A folder, or a revision of the repository around the working directory.
        results: The results folder in a revision, below the working directory.

    Yields:
        The folder. A copy is removed afterwards.

    Raises:
        UsageError: The name is neither, or the revision has no such folder.
    """
    if Path(name).is_dir():
        yield Path(name).resolve()
        return
    with tempfile.TemporaryDirectory(prefix="sitegen-") as folder:
        _unpack(name, results, Path(folder))
        yield (Path(folder) / results).resolve()


def _unpack(name: str, results: Path, folder: Path) -> None:
    if name.startswith("-") or not _git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}").stdout:
        raise UsageError(f"{name} is neither a folder nor a revision of a git repository here")
    packed = _git("archive", "--format=tar", name, "--", results.as_posix())
    if packed.returncode:
        raise UsageError(f"there is no {results} at revision {name}; name the folder with --results")
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")


def _git(*words: str) -> "subprocess.CompletedProcess[bytes]":
    try:
        return subprocess.run(["git", *words], capture_output=True, check=False)  # noqa: S607 - names no file of ours
    except FileNotFoundError as error:
        raise UsageError("git is not installed; name two results folders instead") from error
