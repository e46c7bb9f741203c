"""Repairs files of results in place: what is done is kept in mind until it is written, all of it or nothing."""

import hashlib
import os
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from sitegen.problems import counted
from sitegen.problems.mends import Done, TextRepair
from sitegen.publish.packing import packed
from sitegen.publish.transaction import Transaction
from sitegen.reading.files import unpacked


@dataclass(frozen=True, slots=True)
class Repair:
    """One thing that was done to a file."""

    path: Path
    line: int | None
    """As it was before."""
    done: str
    """What was done, with what was removed."""


class Workbench:
    """Files in repair. Nothing is written before all of it is."""

    def __init__(self, results: Path, root: Path, kept: Collection[Path] = ()) -> None:
        """Take the results folder by its full path, what no repair reaches beyond, and what stays as it is in that."""
        self._results = results
        self._root = root
        self._kept = kept
        self._files: dict[Path, bytes] = {}
        self._leaving: list[Path] = []
        self.done: list[Repair] = []

    def holds(self, path: Path) -> bool:
        """Whether a place lies below the root, in no folder that is kept, and in none behind a link."""
        is_kept = any(map(path.is_relative_to, self._kept))
        return (
            path.is_relative_to(self._root)
            and not is_kept
            and os.path.realpath(path.parent) == str(path.parent)
        )

    def takes(self, path: Path) -> bool:
        """Whether a path is a plain file that may be repaired."""
        return self.holds(path) and path.is_file() and not path.is_symlink()

    def data(self, path: Path) -> bytes:
        """A file as it stands, or as it is to be."""
        return self._files[path] if path in self._files else path.read_bytes()

    def text(self, path: Path) -> bytes:
        """The same, unpacked where the name ends in `.gz`."""
        return unpacked(path, self.data(path))

    def is_changed(self, folder: Path) -> bool:
        """Whether anything in a folder is in repair."""
        return any(path.parent == folder for path in (*self._files, *self._leaving))

    def mend(self, path: Path, repair: TextRepair) -> bool:
        """Repair a text, and the checksum that fitted it, if there is anything to do.

        SHA256SUMS follows where what it stated was right; where it was not, that may be a sign.
        """
        before = self.data(path)
        text, done = repair(self.text(path))
        if done:
            after = packed(text) if path.suffix == ".gz" else text
            self._files[path] = after
            self.done += [Repair(path, line, words) for line, words in done]
            old, new = (hashlib.sha256(each).hexdigest().encode() for each in (before, after))
            self._let_follow(path, b"(?im)^" + old + rb"(?=[ ][ *](?:\./)?%s\r?$)", new, "renewed")
        return bool(done)

    def put(self, path: Path, data: bytes, done: Done) -> None:
        """Write a file anew."""
        self._files[path] = data
        self.done += [Repair(path, line, words) for line, words in done]

    def remove(self, path: Path) -> None:
        """Take a file out, and its checksum."""
        self._leaving.append(path)
        self.done.append(Repair(path, None, f"removed, {counted(path.stat().st_size, 'byte')}"))
        self._let_follow(
            path, rb"(?m)^[0-9a-fA-F]{64}[ ][ *](?:\./)?%s\r?(?:\n|\Z)", b"", "removed"
        )

    def write(self, arrival: Transaction) -> None:
        """Hand over what the results folder is to become."""
        for path, data in self._files.items():
            place = path.relative_to(self._results)
            arrival.write(place.parent.as_posix(), {place.name: data})
        for path in self._leaving:
            arrival.remove(path.relative_to(self._results))

    def _let_follow(self, path: Path, stated: bytes, new: bytes, done: str) -> None:
        """Replace what SHA256SUMS states of a file, if it does; in the expression, `%s` stands for the file's name."""
        sums = path.parent / "SHA256SUMS"
        if not self.takes(sums):
            return
        text, found = re.subn(stated % re.escape(path.name.encode()), new, self.data(sums))
        if found:
            follows = Repair(sums, None, f"checksum of {path.name} {done}")
            self.put(sums, text, [] if follows in self.done else [(None, follows.done)])


def in_plain_lines(text: bytes) -> tuple[bytes, Done]:
    """End every line with a line feed, the last one too."""
    done: Done = []
    windows = text.count(b"\r\n")
    if windows:
        text = text.replace(b"\r\n", b"\n")
        done.append((None, f"{counted(windows, 'line')} now end with a line feed alone"))
    if text and not text.endswith(b"\n"):
        text += b"\n"
        done.append((None, "line feed added at the end"))
    return text, done


def tidied(path: Path) -> TextRepair:
    """How a file's lines are tidied; packed ones are left as they are, and only lines of JSON may not be blank."""
    return _in_full_lines if path.suffix == ".jsonl" else in_plain_lines


def _in_full_lines(text: bytes) -> tuple[bytes, Done]:
    """End every line with a line feed, and leave out those that hold nothing."""
    text, done = in_plain_lines(text)
    lines = text.splitlines(keepends=True)
    kept = [line for line in lines if line.strip()]
    if len(kept) < len(lines):
        done.append((None, f"{counted(len(lines) - len(kept), 'blank line')} removed"))
    return b"".join(kept), done
