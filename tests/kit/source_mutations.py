"""Mutations as they occur in real files: missing keys, values of other types, duplicate lines, truncated files.

Unlike the mutations in `corpus.hostile`, which break bytes, these mutations leave files readable, so that the content
reaches the importers.
"""

import gzip
import json
import math
import random
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from sitegen.problems import ProblemsError
from sitegen.reading.archives import archive

Json = Any
"""Any value that `json.loads` returns."""

VALUES: tuple[Json, ...] = (
    None,
    True,
    False,
    math.nan,
    math.inf,
    -1,
    0,
    0.5,
    1,
    100,
    10**400,
    "",
    "NaN",
    "nan",
    "1",
    "yes",
    "2026-13-45T99:00:00",
    "2031-01-01T00:00:00Z",
    "1970-01-01",
    "/home/ann/run",
    "x" * 5000,
    "é\u202e\x00",
    [],
    {},
    [[1]],
    {"value": 1},
)
"""Values that replace other values."""


def mutate(dice: random.Random, folder: Path) -> None:
    """Change one to three files in a folder, leaving most of their content readable."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        path = dice.choice(files)
        if path.exists():
            _mutate_file(dice, path)


def _mutate_file(dice: random.Random, path: Path) -> None:
    """Change a file: usually its content, sometimes by emptying, truncating or copying the file."""
    kind = dice.random()
    if kind < 0.05:
        path.write_bytes(b"")
    elif kind < 0.1:
        data = path.read_bytes()
        path.write_bytes(data[: dice.randrange(len(data) + 1)])
    elif kind < 0.13:
        copy = path.with_name(f"copy-{path.name}")
        copy.write_bytes(path.read_bytes())
    elif zipfile.is_zipfile(path):
        _mutate_archive(dice, path)
    else:
        path.write_bytes(_mutated(dice, path.name, path.read_bytes()))


def _mutated(dice: random.Random, name: str, data: bytes) -> bytes:
    """Return the contents of a file after one mutation."""
    if name.endswith(".gz"):
        with suppress(OSError, EOFError):
            return gzip.compress(_mutated(dice, name.removesuffix(".gz"), gzip.decompress(data)), mtime=0)
        return data
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return data
    if name.endswith(".jsonl"):
        return _mutated_lines(dice, text, _mutated_json).encode(errors="surrogatepass")
    if name.endswith((".json", ".eval")):
        return _mutated_json(dice, text).encode(errors="surrogatepass")
    if name.endswith((".csv", ".tsv")):
        return _mutated_lines(dice, text, _mutated_cell).encode(errors="surrogatepass")
    return _mutated_lines(dice, text, _mutated_word).encode(errors="surrogatepass")


def _mutate_archive(dice: random.Random, path: Path) -> None:
    """Change one member of a zip archive, whose members may be compressed with Zstandard."""
    try:
        with archive(path) as members:
            contents = {name: members.read(name) for name in members.members}
    except ProblemsError:  # an earlier change broke the archive
        return
    chosen = dice.choice(sorted(contents))
    with zipfile.ZipFile(path, "w") as target:
        for name, member in contents.items():
            target.writestr(name, _mutated(dice, name, member) if name == chosen else member)


def _mutated_lines(dice: random.Random, text: str, change: Callable[[random.Random, str], str]) -> str:
    """Return a text with one line changed, duplicated or removed."""
    lines = text.splitlines(keepends=True)
    if not lines:
        return text
    index = dice.randrange(len(lines))
    kind = dice.random()
    if kind < 0.1:
        del lines[index]
    elif kind < 0.2:
        lines.insert(index, lines[index])
    else:
        ending = "\n" if lines[index].endswith("\n") else ""
        lines[index] = change(dice, lines[index].rstrip("\n")) + ending
    return "".join(lines)


def _mutated_json(dice: random.Random, text: str) -> str:
    """Return JSON with one value changed, duplicated or removed, or one key renamed."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return text
    positions = list(_places(document))
    if not positions:
        return json.dumps(dice.choice(VALUES))
    parent, key = dice.choice(positions)
    kind = dice.random()
    if kind < 0.25:
        del parent[key]
    elif kind < 0.35 and isinstance(parent, list):
        parent.insert(key, parent[key])
    elif kind < 0.45 and isinstance(parent, dict):
        parent[f"{key}_new"] = parent.pop(key)
    else:
        parent[key] = dice.choice(VALUES)
    return json.dumps(document)


def _places(document: Json) -> list[tuple[Any, Any]]:
    """Return places in a JSON document, as a container and a key; the search stops after 20,000."""
    positions: list[tuple[Any, Any]] = []
    waiting = [document]
    while waiting and len(positions) < 20_000:
        value = waiting.pop()
        if isinstance(value, dict):
            keys: list[Any] = list(value)
        elif isinstance(value, list):
            keys = list(range(len(value)))
        else:
            continue
        for key in keys:
            positions.append((value, key))
            waiting.append(value[key])
    return positions


def _mutated_cell(dice: random.Random, line: str) -> str:
    """Return a line of a table with one cell changed, duplicated or removed."""
    cells = line.split(",")
    index = dice.randrange(len(cells))
    kind = dice.random()
    if kind < 0.1:
        del cells[index]
    elif kind < 0.2:
        cells.insert(index, cells[index])
    else:
        value = dice.choice(VALUES)
        cells[index] = value if isinstance(value, str) else str(value)[:400]
    return ",".join(cells)


def _mutated_word(dice: random.Random, line: str) -> str:
    """Return a line of plain text with one word changed or removed."""
    words = line.split(" ")
    index = dice.randrange(len(words))
    words[index] = dice.choice(("", "0", "1", "nan", "-1", "null", "true", words[index][:-1], words[index] * 2))
    return " ".join(words)
