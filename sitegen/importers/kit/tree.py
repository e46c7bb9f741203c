"""Walks a foreign tree without leaving it: links are not followed, and neither depth nor width can hang it."""

import hashlib
import os
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.importers.kit import rules
from sitegen.importers.kit.redaction import one_line
from sitegen.problems import Problem, ProblemsError, counted
from sitegen.reading.files import LARGEST_SOURCE, opened
from sitegen.reading.shortages import raise_shortage

DEEPEST = 40
"""Folders below each other that are looked into."""

_CAUSES = {
    "link": (rules.PASSED_OVER, "link", "is not followed: it may lead out of the tree"),
    "deep": (
        rules.PASSED_OVER,
        "folder",
        f"lies over {DEEPEST} folders deep and is not looked into",
    ),
    "closed": (rules.PASSED_OVER, "folder", "can't be opened"),
    "archive": (rules.ARCHIVE, "archive", "is not looked into"),
}
"""Why something is passed over: the rule that it breaks, what it is, and what is said of it."""

_PACKED = re.compile(r".+\.(?:tar(?:\.\w{1,4})?|tgz|tbz2?|txz|zip|7z|rar)", re.IGNORECASE)


def is_archive(name: str) -> bool:
    """Whether a file of this name holds others."""
    return _PACKED.fullmatch(name) is not None


def digest_of(files: Iterable[Path]) -> str | None:
    """The SHA-256 of what a runner or a grader wrote, by which it is known again.

    That of the one file; of several, that of the lines `SHA256  NAME` that `sha256sum` writes of them, by their names.
    None where there are none, or one of them can't be read.
    """
    lines = []
    with suppress(ProblemsError, OSError):
        for path in sorted(files, key=lambda each: each.name):
            with opened(path, largest=LARGEST_SOURCE) as file:
                lines.append((hashlib.file_digest(file, "sha256").hexdigest(), path.name))
        if len(lines) > 1:
            return hashlib.sha256(
                "".join(f"{digest}  {name}\n" for digest, name in lines).encode()
            ).hexdigest()
        return lines[0][0] if lines else None
    return None


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of a tree, with what is in it but for links and what is neither file nor folder.

    One that is not there, or can't be opened, is empty.
    """

    path: Path
    folders: Sequence[str] = ()
    """Names, sorted."""
    files: Sequence[str] = ()
    """Names, sorted."""

    def file(self, name: str) -> Path | None:
        """A file by its name; None where there is none."""
        return self.path / name if name in self.files else None

    @property
    def digest(self) -> str | None:
        """The SHA-256 by which its files are known again."""
        return digest_of(self.path / name for name in self.files)


@dataclass(slots=True)
class Tree:
    """A foreign tree."""

    root: Path
    """The folder that nothing is read outside of; or a file, which is then all that there is."""
    most: int | None = None
    """Folders that are looked into at most; None for all."""
    passed_over: defaultdict[str, set[Path]] = field(default_factory=lambda: defaultdict(set))
    """What was met and not looked into, by the cause."""

    def pass_over_archives(self, folder: Folder) -> None:
        """Keep in mind which archives lie in a folder that could hold runs."""
        self.passed_over["archive"] |= {
            folder.path / name for name in folder.files if is_archive(name)
        }

    def walk(self, leave_out: Collection[str] = ()) -> list[Folder]:
        """All folders, each before those in it, in the order of their names, but for those of some names."""
        found = []

        def enter(folder: Folder) -> list[str]:
            found.append(folder)
            return [name for name in folder.folders if name not in leave_out]

        self.visit(enter)
        return found

    def paths(self) -> Iterator[Path]:
        """All files, but for archives, which are kept in mind."""
        for folder in self.walk():
            self.pass_over_archives(folder)
            yield from (folder.path / name for name in folder.files)

    def example(self, noun: str, paths: Iterable[Path]) -> str | None:
        """What tells that the tree is of some format: the first of some paths; None where there is none."""
        found = next(iter(paths), None)
        return f"{noun}, such as {self.shown(found)}" if found else None

    def visit(self, enter: Callable[[Folder], Sequence[str]]) -> None:
        """Look into the root, and into those of the folders in it that `enter` names, and so on, in their order."""
        waiting, looked = [self.root], 0
        while waiting and looked != self.most:
            folder = self.look(waiting.pop())
            looked += 1
            entered = [folder.path / name for name in enter(folder)]
            if entered and len(folder.path.relative_to(self.root).parts) >= DEEPEST:
                self.passed_over["deep"] |= {*entered}
            else:
                waiting += reversed(entered)

    def inner(self, folder: Folder, name: str) -> Folder:
        """A folder of a folder."""
        path = folder.path / name
        return self.look(path) if name in folder.folders else Folder(path)

    def shown(self, path: Path) -> str:
        """A place in the tree, as whoever named the tree sees it."""
        inner = path.relative_to(self.root).as_posix()
        return one_line(self.root.absolute().name if inner == "." else inner)

    def look(self, path: Path) -> Folder:
        """A folder."""
        if path == self.root and path.is_file():
            return Folder(path.parent, (), (path.name,))
        folders, files = [], []
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
        """What was passed over on the walks, once for each cause."""
        for cause, (rule, noun, why) in _CAUSES.items():
            if paths := self.passed_over[cause]:
                others = (
                    f"; {counted(len(paths) - 1, f'other {noun}')} likewise"
                    if len(paths) > 1
                    else ""
                )
                yield rule.broken(min(paths), None, f"this {noun} {why}{others}")
