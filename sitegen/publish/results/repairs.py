"""Repair files of results in place, either completely or not at all.

Start with `Workbench`, which collects repairs until they are written.
"""

import os
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from sitegen.problems import counted
from sitegen.problems.mends import LineChanges, TextRepair
from sitegen.publish.machine.packing import (
    CHECKSUM_LINE_OF_FILE,
    CHECKSUMS,
    packed,
    sha256_of_bytes,
)
from sitegen.publish.machine.transaction import Transaction
from sitegen.reading.files import unpacked


@dataclass(frozen=True, slots=True)
class Repair:
    """One change to a file."""

    path: Path
    line: int | None
    """Line number before the repair."""
    description: str
    """A description of what was changed or removed."""


class Workbench:
    """Files under repair; nothing is written until all repairs are complete."""

    def __init__(
        self,
        results: Path,
        root: Path,
        protected: Collection[Path] = (),
        edited: Collection[Path] = (),
    ) -> None:
        """Begin to repair results.

        Args:
            results: Absolute path of the results folder.
            root: The folder whose files may be repaired.
            protected: Folders below the root whose files may not be repaired.
            edited: Files in protected folders with an allowed edit, whose checksums may be updated.
        """
        self._results = results
        self._root = root
        self._protected = protected
        self._edited = edited
        self._contents: dict[Path, bytes] = {}
        self._removed: list[Path] = []
        self.repairs: list[Repair] = []
        """The repairs made so far."""

    def is_in_scope(self, path: Path) -> bool:
        """Return whether a path is below the root, not protected and not reached by a link."""
        if not path.is_relative_to(self._root) or any(map(path.is_relative_to, self._protected)):
            return False
        return os.path.realpath(path.parent) == str(path.parent)

    def has_allowed_edit(self, path: Path) -> bool:
        """Return whether a file in a protected folder below the root has an allowed edit."""
        return path.is_relative_to(self._root) and path in self._edited

    def can_repair(self, path: Path) -> bool:
        """Return whether a path is a plain file that may be repaired."""
        return self.is_in_scope(path) and path.is_file() and not path.is_symlink()

    def data(self, path: Path) -> bytes:
        """Return the content of a file, including the repairs made so far."""
        return self._contents[path] if path in self._contents else path.read_bytes()

    def unpacked_data(self, path: Path) -> bytes:
        """Return the repaired content of a file, decompressed if the file name ends in `.gz`."""
        return unpacked(path, self.data(path))

    def has_changes_in(self, folder: Path) -> bool:
        """Return whether a file directly inside a folder, such as a bundle, has changed."""
        return any(path.parent == folder for path in (*self._contents, *self._removed))

    def mend(self, path: Path, repair: TextRepair) -> bool:
        """Repair the text of a file; return whether it needed a repair.

        SHA256SUMS is updated if the checksum was right. A wrong checksum is kept, because it may
        point to another problem.
        """
        before = self.data(path)
        text, line_changes = repair(self.unpacked_data(path))
        if not line_changes:
            return False
        after = packed(text) if path.suffix == ".gz" else text
        self.put(path, after, line_changes)
        old_checksum = sha256_of_bytes(before).encode()
        new_checksum = sha256_of_bytes(after).encode()
        pattern = rb"(?im)^" + old_checksum + rb"(?=[ ][ *](?:\./)?%s\r?$)"
        self._update_checksum(path, pattern, new_checksum, "renewed")
        return True

    def renew_checksum(self, path: Path, stated: str) -> bool:
        """Update the checksum of a file with an allowed edit; return whether it changed.

        Args:
            path: The file.
            stated: The file's checksum in SHA256SUMS.
        """
        checksum = sha256_of_bytes(path.read_bytes())
        if checksum == stated:
            return False
        sums = path.parent / CHECKSUMS
        pattern = rb"(?im)^" + stated.encode() + rb"(?=[ ][ *](?:\./)?%s\r?$)"
        text = re.sub(pattern % re.escape(path.name.encode()), checksum.encode(), self.data(sums))
        self.put(sums, text, [(None, f"checksum of {path.name} updated after an allowed edit")])
        return True

    def put(self, path: Path, data: bytes, line_changes: LineChanges) -> None:
        """Replace the content of a file, and record the changes."""
        self._contents[path] = data
        self.repairs += [Repair(path, line, description) for line, description in line_changes]

    def remove(self, path: Path) -> None:
        """Remove a file and its checksum."""
        self._removed.append(path)
        size = counted(path.stat().st_size, "byte")
        self.repairs.append(Repair(path, None, f"removed, {size}"))
        self._update_checksum(path, CHECKSUM_LINE_OF_FILE, b"", "removed")

    def write(self, changes: Transaction) -> None:
        """Add all repairs to a transaction of the results folder."""
        for path, content in self._contents.items():
            name = path.relative_to(self._results)
            changes.write(name.parent.as_posix(), {name.name: content})
        for path in self._removed:
            changes.remove(path.relative_to(self._results))

    def _update_checksum(self, path: Path, pattern: bytes, replacement: bytes, event: str) -> None:
        """Replace the lines of SHA256SUMS that match a pattern for a file.

        Args:
            path: The file.
            pattern: A regular expression with `%s` for the name of the file.
            replacement: The text that replaces the match.
            event: A participle for what happens to the checksum.
        """
        sums = path.parent / CHECKSUMS
        if not self.can_repair(sums):
            return
        file_pattern = pattern % re.escape(path.name.encode())
        text, count = re.subn(file_pattern, replacement, self.data(sums))
        if count:
            description = f"checksum of {path.name} {event}"
            line_changes: LineChanges = []
            if Repair(sums, None, description) not in self.repairs:
                line_changes.append((None, description))
            self.put(sums, text, line_changes)


def in_plain_lines(text: bytes) -> tuple[bytes, LineChanges]:
    """Return a text with a line feed after every line, including the last, and the changes."""
    line_changes: LineChanges = []
    windows_line_count = text.count(b"\r\n")
    if windows_line_count:
        text = text.replace(b"\r\n", b"\n")
        description = f"{counted(windows_line_count, 'line')} now end with a line feed alone"
        line_changes.append((None, description))
    if text and not text.endswith(b"\n"):
        text += b"\n"
        line_changes.append((None, "line feed added at the end"))
    return text, line_changes


def line_repair_for(path: Path) -> TextRepair:
    """Return the repair of a file's lines; only JSON Lines lose their blank lines."""
    return _without_blank_lines if path.suffix == ".jsonl" else in_plain_lines


def _without_blank_lines(text: bytes) -> tuple[bytes, LineChanges]:
    """Return a text without blank lines, with a line feed after every line, and the changes."""
    text, line_changes = in_plain_lines(text)
    lines = text.splitlines(keepends=True)
    filled_lines = [line for line in lines if line.strip()]
    blank_count = len(lines) - len(filled_lines)
    if blank_count:
        line_changes.append((None, f"{counted(blank_count, 'blank line')} removed"))
    return b"".join(filled_lines), line_changes
