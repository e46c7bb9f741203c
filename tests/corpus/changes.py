"""Changes to a results folder, as the corpus writes them down: one table each, with the file and what is done to it."""

import gzip
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from corpus.crowds import write_crowd
from kit.results_folders import replaced, seal

_BLOCK = 5_000_000

Change = Mapping[str, Any]
"""A file (`in`), for some verbs a `line`, and one verb with its value."""


def place(tree: Path, name: str) -> Path:
    """Find a file by its name in the corpus: `@BUNDLE/FILE`, or its way from the results folder."""
    if not name.startswith("@"):
        return tree / name
    bundle, _, file = name[1:].partition("/")
    (folder,) = (path for path in tree.glob("*/submissions/*") if path.name == bundle)
    return folder / file


def name_of(tree: Path, path: Path) -> str:
    """Give the name of a file in the corpus."""
    segments = path.relative_to(tree).parts
    inside = len(segments) > 2 and segments[1] == "submissions"
    return "@" + "/".join(segments[2:]) if inside else "/".join(segments) or "."


def spoil(tree: Path, change: Change) -> None:
    """Make one change."""
    path = place(tree, change["in"])
    (verb,) = (verb for verb in _VERBS if verb in change)
    _VERBS[verb](path, change)


def seal_changed(tree: Path, changes: list[Change]) -> None:
    """Write the checksums of every bundle anew whose files were changed, unless the checksums themselves were."""
    names = {change["in"].split("/")[0] for change in changes if change["in"].startswith("@")}
    sealed = {change["in"].split("/")[0] for change in changes if change["in"].endswith("SHA256SUMS")}
    for folder in tree.glob("*/submissions/*"):
        if f"@{folder.name}" in names - sealed:
            seal(folder)


def _set(path: Path, change: Change) -> None:
    record = json.loads(_lines(path)[change["line"] - 1]) | change["set"]
    _put(path, change["line"], [json.dumps(record)])


def _drop(path: Path, change: Change) -> None:
    record = json.loads(_lines(path)[change["line"] - 1])
    _put(path, change["line"], [json.dumps({key: record[key] for key in record if key not in change["drop"]})])


def _becomes(path: Path, change: Change) -> None:
    _put(path, change["line"], [change["becomes"]])


def _cut(path: Path, change: Change) -> None:
    _put(path, change["line"], [])


def _repeat(path: Path, change: Change) -> None:
    _put(path, change["line"], [_lines(path)[change["line"] - 1]] * change["repeat"])


def _replace(path: Path, change: Change) -> None:
    path.write_text(replaced(path.read_text(encoding="utf-8"), change["old"], change["new"]), encoding="utf-8")


def _write(path: Path, change: Change) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(change["write"], encoding="utf-8", newline="")


def _bytes(path: Path, change: Change) -> None:
    path.write_bytes(bytes.fromhex(change["bytes"]))


def _pack(path: Path, change: Change) -> None:
    path.write_bytes(gzip.compress(change["gzip"].encode(), mtime=0))


def _zeros(path: Path, change: Change) -> None:
    """Write so many zero bytes, which take no room on the disk."""
    with path.open("wb") as file:
        file.truncate(change["zeros"])


def _packed_zeros(path: Path, change: Change) -> None:
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(change["packed_zeros"] // _BLOCK):
            file.write(bytes(_BLOCK))


def _crowd(path: Path, change: Change) -> None:
    write_crowd(path, change["crowd"])


def _append(path: Path, change: Change) -> None:
    path.write_text(path.read_text(encoding="utf-8") + change["append"], encoding="utf-8")


def _remove(path: Path, _: Change) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


def _folder(path: Path, _: Change) -> None:
    path.mkdir()


def _link(path: Path, change: Change) -> None:
    path.symlink_to(change["link"])


def _pipe(path: Path, _: Change) -> None:
    os.mkfifo(path)


def _rename(path: Path, change: Change) -> None:
    path.rename(path.with_name(change["rename"]))


def _move(path: Path, change: Change) -> None:
    path.rename((path.parent / change["move"]).resolve())


def _copy(path: Path, change: Change) -> None:
    copied = path.with_name(change["copy"])
    if path.is_dir():
        shutil.copytree(path, copied)
    else:
        shutil.copy(path, copied)


def _check(path: Path, change: Change) -> None:
    """Write down that somebody checked a submission as it is."""
    check_entry = change["check"]
    sums = (path.parent / "submissions" / check_entry["submission"] / "SHA256SUMS").read_bytes()
    digest = hashlib.sha256(sums).hexdigest()
    seed = hashlib.sha256(f"none:{digest}".encode()).hexdigest()
    who = {"by": "the maintainers", "day": "2026-06-30", "seed": seed, "base": "none"}
    path.write_text(json.dumps({**check_entry, "digest": digest, **who}) + "\n", encoding="utf-8")


_VERBS: Mapping[str, Callable[[Path, Change], None]] = {
    "set": _set,
    "drop": _drop,
    "becomes": _becomes,
    "cut": _cut,
    "repeat": _repeat,
    "old": _replace,
    "write": _write,
    "bytes": _bytes,
    "gzip": _pack,
    "zeros": _zeros,
    "packed_zeros": _packed_zeros,
    "crowd": _crowd,
    "append": _append,
    "remove": _remove,
    "folder": _folder,
    "link": _link,
    "pipe": _pipe,
    "rename": _rename,
    "move": _move,
    "copy": _copy,
    "check": _check,
}


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def _put(path: Path, number: int, new: list[str]) -> None:
    """Put lines in the place of one."""
    lines = _lines(path)
    lines[number - 1 : number] = new
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
