"""Finds what is nobody's business in the texts of a results folder, before they are published."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sitegen.models.private_text import DECEPTIVE, EMAIL, homes_in, keys_in, may_be_private
from sitegen.models.submission import Submission
from sitegen.problems import Problem, Rule, counted, limited
from sitegen.reading.files import read_bytes
from sitegen.reading.toml import Document, parsed

SECRET_FOUND = Rule(
    "SECRET-FOUND",
    "error",
    "No file holds a key.",
    "revoke the key, write `[redacted]` in its place, and run `sha256sum` over the bundle's files again",
    unwaivable="what was published once can't be taken back; where it is no secret, leave it out all the same",
)
PERSONAL_PATH = Rule(
    "PERSONAL-PATH",
    "warning",
    "No file tells of a person's home folder.",
    "write `…/` in the place of the folders, and run `sha256sum` over the bundle's files again",
)
PERSONAL_EMAIL = Rule(
    "PERSONAL-EMAIL",
    "warning",
    "A manifest has no e-mail address but that of `submitter.contact`.",
    "remove the address, or give it as `submitter.contact`",
)
TEXT_DECEPTIVE = Rule(
    "TEXT-DECEPTIVE",
    "warning",
    "No text holds characters that turn its direction or drive a terminal.",
    "remove the characters, and run `sha256sum` over the bundle's files again",
)

_SHOWN = 4
"""Characters of a key that are repeated, so that its owner knows which it is."""
_NO_ONES = ("example.com", "example.org", "example.net", "noreply.github.com")
"""Hosts of addresses that are nobody's."""


def private_problems(path: Path, data: bytes) -> list[Problem]:
    """Which keys, home folders and deceptive characters a text holds."""
    if not may_be_private(data):
        return []
    lines = [(number, _plain(line)) for number, line in enumerate(data.split(b"\n"), start=1) if may_be_private(line)]
    return [
        *limited(
            SECRET_FOUND.broken(path, number, f"{kind} stands here: {key[:_SHOWN]}…")
            for number, text in lines
            for kind, key in keys_in(text)
        ),
        *_told_once(PERSONAL_PATH, path, [(number, next(homes_in(text), None)) for number, text in lines]),
        *_told_once(TEXT_DECEPTIVE, path, [(number, _mark_in(text)) for number, text in lines]),
    ]


def file_problems(paths: Sequence[Path]) -> Iterator[Problem]:
    """What is private in files; that one can't be read is told by who needs it."""
    for path in paths:
        data, _ = read_bytes(path)
        yield from private_problems(path, data or b"")


def email_problems(path: Path, manifest: Document[Submission]) -> Iterator[Problem]:
    """Which e-mail addresses a manifest has beside the one that may be asked."""
    submitter = manifest.raw.get("submitter")
    contact = str(submitter.get("contact")) if isinstance(submitter, Mapping) else ""
    for address in dict.fromkeys(EMAIL.findall(manifest.places.text)):
        is_nobodys = address.lower().endswith(_NO_ONES) or address.startswith("git@")
        if not is_nobodys and address not in contact:
            text = manifest.places.text
            line = text.count("\n", 0, text.index(address)) + 1
            yield PERSONAL_EMAIL.broken(path, line, f"an e-mail address stands here: {address}")


def _told_once(rule: Rule, path: Path, found: Sequence[tuple[int, str | None]]) -> Iterator[Problem]:
    """Tell of a whole file once: such texts come from a machine and are as many as its lines."""
    told = [(number, example) for number, example in found if example]
    for number, example in told[:1]:
        yield rule.broken(path, number, f"{counted(len(told), 'line')} with such text, here {example}")


def _mark_in(text: str) -> str | None:
    found = DECEPTIVE.search(text)
    return f"U+{ord(found[0]):04X}" if found else None


def _plain(line: bytes) -> str:
    """The texts of a line of JSON or TOML, or the line as it is where it is neither."""
    text = line.decode(errors="replace")
    for read in (json.loads, parsed):
        try:
            return "\n".join(_texts(read(text)))
        except (ValueError, RecursionError):
            pass
    return text


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield str(key)
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
