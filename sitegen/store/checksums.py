"""Compares a bundle's files with its SHA256SUMS."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from sitegen.problems import Problem, ProblemsError, Rule, limited, mends, reasons
from sitegen.reading.files import FILE_MISSING, read_text, sha256_of
from sitegen.store.layout import CHECKSUMS, KNOWN, REQUIRED

CHECKSUM_DIFFERS = Rule(
    "CHECKSUM-DIFFERS",
    "error",
    "Every file has the checksum that SHA256SUMS states.",
    "restore the file, or run `sha256sum` over the bundle's files again if the change is meant",
    unwaivable=reasons.TIDY,
    mend=mends.CHECKSUMS,
)
CHECKSUM_MISSING = Rule(
    "CHECKSUM-MISSING",
    "error",
    "SHA256SUMS lists every file of the bundle.",
    "run `sha256sum` over the bundle's files and write the result to SHA256SUMS",
    unwaivable=reasons.TIDY,
    mend=mends.CHECKSUMS,
)
CHECKSUM_SYNTAX = Rule(
    "CHECKSUM-SYNTAX",
    "error",
    "A line of SHA256SUMS is a SHA-256 in hexadecimal, two blanks and a file's name.",
    "write the file with `sha256sum`",
    unwaivable=reasons.TIDY,
    mend=mends.CHECKSUMS,
)

_LINE = re.compile(r"([0-9a-fA-F]{64}) [ *](?:\./)?([^/\\\0]+)")
"""A checksum, and the name of a file that lies in the folder itself."""


def checksum_problems(folder: Path) -> list[Problem]:
    """Which files differ from their checksum, lack one, or have one and are missing.

    A missing file that every bundle needs is not told here: it is missing with or without a checksum.
    """
    path = folder / CHECKSUMS
    text, problems = read_text(path)
    if text is None:
        return problems
    lines = [(number, line.rstrip("\r")) for number, line in enumerate(text.split("\n"), start=1)]
    stated = _stated(lines)
    broken = (
        CHECKSUM_SYNTAX.broken(path, number, f'"{line[:60]}" is no checksum of a file in this folder')
        for number, line in lines
        if line.strip() and not _LINE.fullmatch(line)
    )
    there = {file.name for file in folder.iterdir()}
    unlisted = sorted((there & KNOWN).difference(stated, {CHECKSUMS}))
    return [
        *limited(broken),
        *(problem for name, line in stated.items() for problem in _compare(folder / name, line, path)),
        *(CHECKSUM_MISSING.broken(path, None, f"{name} has no checksum") for name in unlisted),
    ]


def stated_checksums(folder: Path) -> dict[str, str]:
    """The checksums that a bundle states, by the files' names; none where it states none that can be read."""
    text, _ = read_text(folder / CHECKSUMS)
    lines = ((number, line.rstrip("\r")) for number, line in enumerate((text or "").split("\n"), start=1))
    return {name: checksum for name, (_, checksum) in _stated(lines).items()}


def _stated(lines: Iterable[tuple[int, str]]) -> dict[str, tuple[int, str]]:
    return {entry[2]: (number, entry[1].lower()) for number, line in lines if (entry := _LINE.fullmatch(line))}


def _compare(file: Path, stated: tuple[int, str], path: Path) -> Iterator[Problem]:
    number, checksum = stated
    try:
        found = sha256_of(file)
    except ProblemsError as error:
        if error.problems[0].code == FILE_MISSING.code and file.name not in REQUIRED:
            what = f"{file.name} has a checksum but is missing"
            yield FILE_MISSING.broken(path, number, what, "add the file, or remove its line from SHA256SUMS")
        return  # what else keeps it from being read is told by who reads it
    if found != checksum:
        what = f"{file.name} has SHA-256 {found[:12]}…, but {checksum[:12]}… is stated"
        yield CHECKSUM_DIFFERS.broken(path, number, what)
