"""Compares a bundle's files with its SHA256SUMS."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from sitegen.errors import Problem
from sitegen.store import rules
from sitegen.store.parts import CHECKSUMS, KNOWN, REQUIRED
from sitegen.store.repeats import limited
from sitegen.store.text import read_text

_LINE = re.compile(r"([0-9a-fA-F]{64}) [ *](?:\./)?([^/\\]+)")
"""A checksum, and the name of a file that lies in the folder itself."""


def checksum_problems(folder: Path) -> list[Problem]:
    """Say which files differ from their checksum, lack one, or have one and are missing.

    A missing file that every bundle needs is not told here: it is missing with or without a checksum.

    Args:
        folder: A bundle that has a SHA256SUMS.
    """
    path = folder / CHECKSUMS
    text, problems = read_text(path)
    if text is None:
        return problems
    numbered = [(number, line.rstrip("\r")) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    entries = [(number, line, _LINE.fullmatch(line)) for number, line in numbered]
    stated = {entry[2]: (number, entry[1].lower()) for number, _, entry in entries if entry}
    broken = [
        rules.CHECKSUM_SYNTAX.broken(path, number, f'"{line[:60]}" is no checksum of a file in this folder')
        for number, line, entry in entries
        if entry is None
    ]
    there = {file.name for file in folder.iterdir()}
    unlisted = sorted((there & KNOWN) - stated.keys() - {CHECKSUMS})
    missing = [rules.CHECKSUM_MISSING.broken(path, None, f"{name} has no checksum") for name in unlisted]
    differing = [problem for name, line in stated.items() for problem in _compare(folder / name, line, path)]
    return [*limited(broken), *differing, *missing]


def _compare(file: Path, stated: tuple[int, str], path: Path) -> Iterator[Problem]:
    number, checksum = stated
    if not file.is_file():
        if file.name not in REQUIRED:
            what = f"{file.name} has a checksum but is missing"
            yield rules.FILE_MISSING.broken(path, number, what, "add the file, or remove its line from SHA256SUMS")
        return
    found = hashlib.sha256(file.read_bytes()).hexdigest()
    if found != checksum:
        what = f"{file.name} has SHA-256 {found[:12]}…, but {checksum[:12]}… is stated"
        yield rules.CHECKSUM_DIFFERS.broken(path, number, what)
