"""A state of results to compare with or to build on: a folder, or what git has at a revision."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sitegen.problems import UsageError
from sitegen.publish.aside import working_aside
from sitegen.store.revision import unpack


@contextmanager
def state_of(name: str, results: Path) -> Iterator[Path]:
    """Give a state of a results folder: the folder itself, or a copy of what it was at a revision.

    A link is no state: whoever made one of both may let it lead to the other, and nothing would differ.

    Args:
        name: A folder, or a revision of the repository around the working directory.
        results: The results folder in a revision, below the working directory.

    Yields:
        The folder. A copy is removed afterwards.

    Raises:
        UsageError: The name is neither, or the revision has no such folder.
    """
    if not name:
        raise UsageError("the state to compare with has no name: a variable that is empty, it may be")
    if Path(name).is_dir():
        require_no_link(Path(name))
        yield Path(name).resolve()
        return
    with working_aside(Path(tempfile.gettempdir()).resolve()) as aside:
        folder = aside / "results"
        folder.mkdir()
        unpack(name, results, folder)
        yield folder


def require_no_link(folder: Path) -> None:
    """Refuse a link in the place of a folder.

    Raises:
        UsageError: It is one.
    """
    if folder.is_symlink():
        raise UsageError(f"{folder} is a link, and what it leads to may be what it is compared with; name the folder")
