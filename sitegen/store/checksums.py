"""Compares a bundle's files with its SHA256SUMS."""

import hashlib
import re
from pathlib import Path

from sitegen.errors import Problem
from sitegen.store import rules
from sitegen.store.text import read_text

CHECKSUMS = "SHA256SUMS"

_LINE = re.compile(r"^([0-9a-f]{64}) [ *](\S.*)$")


def checksum_problems(folder: Path) -> list[Problem]:
    """Say which files differ from their checksum, lack one, or have one and are missing.

    Args:
        folder: A bundle that has a SHA256SUMS.
    """
    path = folder / CHECKSUMS
    text, problems = read_text(path)
    stated: set[str] = set()
    for number, line in enumerate((text or "").splitlines(), start=1):
        entry = _LINE.match(line)
        if entry is None:
            problems.append(rules.CHECKSUM_SYNTAX.broken(path, number, f'"{line[:60]}" is no checksum line'))
            continue
        stated.add(entry[2])
        problems += _compare(folder / entry[2], entry[1], path, number)
    if text is None:
        return problems
    unlisted = sorted(file.name for file in folder.iterdir() if file.name != CHECKSUMS and file.name not in stated)
    return problems + [rules.CHECKSUM_MISSING.broken(path, None, f"{name} has no checksum") for name in unlisted]


def _compare(file: Path, stated: str, path: Path, number: int) -> list[Problem]:
    if not file.is_file():
        return [rules.FILE_MISSING.broken(path, number, f"{file.name} has a checksum but is missing")]
    found = hashlib.sha256(file.read_bytes()).hexdigest()
    if found == stated:
        return []
    what = f"{file.name} has SHA-256 {found[:12]}…, but {stated[:12]}… is stated"
    return [rules.CHECKSUM_DIFFERS.broken(path, number, what)]
