"""Walk a foreign tree of folders without leaving it; links are not followed."""

import hashlib
import os
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from sitegen.importers.kit import rules
from sitegen.importers.kit.redaction import one_line
from sitegen.problems import Problem, ProblemsError, Rule, counted
from sitegen.reading.files import LARGEST_SOURCE, opened
from sitegen.reading.shortages import raise_shortage

DEEPEST = 40
"""Maximum depth of folders to search."""

Cause = Literal["link", "deep", "closed", "archive"]
"""The reason why a file or folder is skipped."""


class _PassedOver(NamedTuple):
    """The rule and the wording used to report files or folders that are skipped for one reason."""

    rule: Rule
    noun: str
    reason: str


_CAUSES: dict[Cause, _PassedOver] = {
    "link": _PassedOver(rules.PASSED_OVER, "link", "is not followed: it may lead out of the tree"),
    "deep": _PassedOver(
        rules.PASSED_OVER,
        "folder",
        f"is more than {DEEPEST} folders deep and is not searched",
    ),
    "closed": _PassedOver(rules.PASSED_OVER, "folder", "can't be opened"),
    "archive": _PassedOver(rules.ARCHIVE, "archive", "is not searched"),
}

_ARCHIVE = re.compile(r".+\.(?:tar(?:\.\w{1,4})?|tgz|tbz2?|txz|zip|7z|rar)", re.IGNORECASE)


def is_archive(name: str) -> bool:
    """Return whether a file with this name is an archive of files."""
    return _ARCHIVE.fullmatch(name) is not None


def digest_of(files: Iterable[Path]) -> str | None:
    """Return the SHA-256 that identifies files of a runner or grader.

    For one file it is the digest of its content; for several, the digest of the lines that
    `sha256sum` writes about them (`SHA256  NAME`), sorted by name. Returns None if there are no
    files, or a file can't be read.
    """
    digests = []
    try:
        for path in sorted(files, key=lambda file: file.name):
            with opened(path, largest=LARGEST_SOURCE) as file:
                digests.append((hashlib.file_digest(file, "sha256").hexdigest(), path.name))
    except (ProblemsError, OSError):
        return None
    if len(digests) > 1:
        lines = [f"{digest}  {name}\n" for digest, name in digests]
        return hashlib.sha256("".join(lines).encode()).hexdigest()
    return digests[0][0] if digests else None


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of a tree with its files and subfolders, excluding links and special files.

    A folder that does not exist, or can't be opened, is empty.
    """

    path: Path
    folders: Sequence[str] = ()
    """Names of the subfolders, sorted."""
    files: Sequence[str] = ()
    """Names of the files, sorted."""

    def file(self, name: str) -> Path | None:
        """Return the path of a file in the folder; None if there is no such file."""
        return self.path / name if name in self.files else None

    @property
    def digest(self) -> str | None:
        """The SHA-256 that identifies the folder's files."""
        paths = [self.path / name for name in self.files]
        return digest_of(paths)


@dataclass(slots=True)
class SourceTree:
    """A foreign tree of folders."""

    root: Path
    """The folder to which reading is limited; or a single file that is the entire tree."""
    most: int | None = None
    """Maximum number of folders to search; None for no limit."""
    passed_over: defaultdict[Cause, set[Path]] = field(default_factory=lambda: defaultdict(set))
    """Files and folders that were skipped, by reason."""

    def pass_over_archives(self, folder: Folder) -> None:
        """Note the archives in a folder that could contain runs."""
        archives = {folder.path / name for name in folder.files if is_archive(name)}
        self.passed_over["archive"] |= archives

    def walk(self, leave_out: Collection[str] = ()) -> list[Folder]:
        """Return all folders, parents before subfolders, except subfolders with the given names."""
        folders = []

        def enter(folder: Folder) -> list[str]:
            folders.append(folder)
            return [name for name in folder.folders if name not in leave_out]

        self.visit(enter)
        return folders

    def paths(self) -> Iterator[Path]:
        """Yield all files, including archives; archives are also noted as skipped."""
        for folder in self.walk():
            self.pass_over_archives(folder)
            yield from (folder.path / name for name in folder.files)

    def example(self, noun: str, paths: Iterable[Path]) -> str | None:
        """Return "NOUN, such as PATH" with the first path; None if there are no paths."""
        for path in paths:
            return f"{noun}, such as {self.shown(path)}"
        return None

    def visit(self, enter: Callable[[Folder], Sequence[str]]) -> None:
        """Call a function with the root, and with each folder that the function names, depth first.

        Args:
            enter: Receives a folder and returns the names of its subfolders to visit, in order.
        """
        waiting = [self.root]
        count = 0
        while waiting and count != self.most:
            folder = self.look(waiting.pop())
            count += 1
            entered = [folder.path / name for name in enter(folder)]
            # A root that is a file has no subfolders, and its folder is outside the tree.
            if entered and len(folder.path.relative_to(self.root).parts) >= DEEPEST:
                self.passed_over["deep"].update(entered)
            else:
                waiting += reversed(entered)

    def inner(self, folder: Folder, name: str) -> Folder:
        """Return a subfolder of a folder; an empty folder if it does not exist."""
        path = folder.path / name
        return self.look(path) if name in folder.folders else Folder(path)

    def shown(self, path: Path) -> str:
        """Return a path relative to the root, as shown in messages."""
        inner = path.relative_to(self.root).as_posix()
        return one_line(self.root.absolute().name if inner == "." else inner)

    def look(self, path: Path) -> Folder:
        """Return a folder with its contents; note links and unreadable folders as skipped."""
        if path == self.root and path.is_file():
            return Folder(path.parent, (), (path.name,))
        folders: list[str] = []
        files: list[str] = []
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    if entry.is_symlink():
                        self.passed_over["link"].add(path / entry.name)
                    elif entry.is_dir():
                        folders.append(entry.name)
                    elif entry.is_file():
                        files.append(entry.name)
        except OSError as error:
            raise_shortage(error)
            self.passed_over["closed"].add(path)
        return Folder(path, sorted(folders), sorted(files))

    def problems(self) -> Iterator[Problem]:
        """Yield a problem for each reason why files or folders were skipped."""
        for cause, (rule, noun, reason) in _CAUSES.items():
            paths = self.passed_over[cause]
            if not paths:
                continue
            message = f"this {noun} {reason}"
            if len(paths) > 1:
                number = counted(len(paths) - 1, f"other {noun}")
                message = f"{message}; the same applies to {number}"
            yield rule.broken(min(paths), None, message)
