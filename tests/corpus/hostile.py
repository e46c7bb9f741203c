"""Hostile results folders, drawn from a seed: broken bytes, broken lines, and things that are no files."""

import gzip
import hashlib
import os
import random
import re
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

Blow = Callable[[random.Random, Path], None]
"""Does something bad to a file or a folder."""

_BYTES = (b"", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\xe2\x80\xa8", b"{", b"}", b"[", b'"', b"\\u0000", b"\n")
_VALUES = (
    b"1e400",
    b"-0.0",
    b"9" * 5000,
    b"[" * 3000,
    b'{"a":' * 3000,
    b"NaN",
    b"-Infinity",
    b'"\\ud800"',
    b'"\\u0000"',
    b"null",
    b"true",
    b"2026-13-45",
    b"10:00:00",
    b"1979-05-27T07:32:00Z",
    b'"' + b"x" * 200_000 + b'"',
    b"0x" + b"f" * 40,
    b"0x" + b"f" * 5000,
    b"1_000",
    b"''",
)
_NAMES = (
    "x" * 250,
    "-rf",
    "a b",
    "..;",
    "%2e%2e",
    "\N{SNOWMAN}",
    "e\N{COMBINING ACUTE ACCENT}",
    "COM1",
    "rounds.JSONL",
    "SHA256SUMS.txt",
    "tasks",
    "a\nb",
    "\N{RIGHT-TO-LEFT OVERRIDE}lmot",
    "$(id)",
    "{{ 7 * 7 }}",
    "<b>",
)


_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[\w.+-]+|[^\s\w]')
"""What JSON, TOML, YAML and CSV are made of."""


def hostile_tree(base: Path, folder: Path, seed: int) -> Path:
    """Write a results folder to which one to three bad things were done.

    Args:
        base: A valid results folder.
        folder: Where it is written, as `results`.
        seed: What is drawn follows from it.
    """
    dice = random.Random(seed)  # noqa: S311 - a draw that anyone may foresee
    tree = folder / "results"
    shutil.copytree(base, tree)
    strike(dice, tree, BLOWS)
    return tree


def strike(dice: random.Random, tree: Path, blows: Sequence[Blow]) -> None:
    """Do one to three bad things to a folder, and mostly write the checksums of its bundles again."""
    for _ in range(dice.choice((1, 1, 2, 3))):
        files = sorted(path for path in tree.rglob("*") if path.is_file() and not path.is_symlink())
        if files:
            with suppress(OSError):  # an earlier blow may have taken away what this one is to hit
                dice.choice(blows)(dice, dice.choice(files))
    if dice.random() < _SEALED:
        for bundle in tree.glob("*/submissions/*"):
            _seal(bundle)


_SEALED = 0.8
"""How often the checksums are written again: without, they are all that is told of."""


def _seal(bundle: Path) -> None:
    """Write the checksums as `sha256sum` would, whatever the files are called."""
    sums = bundle / "SHA256SUMS"
    if _is_plain(sums):
        files = sorted(file for file in bundle.iterdir() if file != sums and _is_plain(file))
        sums.write_bytes(b"".join(map(_sum, files)))


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _sum(file: Path) -> bytes:
    return f"{hashlib.sha256(file.read_bytes()).hexdigest()}  ".encode() + os.fsencode(file.name) + b"\n"


def _random_bytes(dice: random.Random, file: Path) -> None:
    file.write_bytes(dice.randbytes(dice.choice((0, 1, 7, 300, 20_000))))


def _cut(dice: random.Random, file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: dice.randint(0, len(content))])


def _flip(dice: random.Random, file: Path) -> None:
    content = bytearray(file.read_bytes() or b"\x00")
    for _ in range(dice.choice((1, 1, 5, 50))):
        content[dice.randrange(len(content))] = dice.randrange(256)
    file.write_bytes(content)


def _insert(dice: random.Random, file: Path) -> None:
    content = file.read_bytes()
    at = dice.randint(0, len(content))
    file.write_bytes(content[:at] + dice.choice(_BYTES + _VALUES) + content[at:])


def _replace_value(dice: random.Random, file: Path) -> None:
    """Put another value in the place of one that follows a key."""
    pieces = file.read_bytes().split(b": " if b": " in file.read_bytes() else b" = ")
    at = dice.randrange(len(pieces))
    end = min(
        (position for position in map(pieces[at].find, (b",", b"}", b"\n")) if position >= 0), default=len(pieces[at])
    )
    pieces[at] = dice.choice(_VALUES) + pieces[at][end:]
    file.write_bytes((b": " if file.suffix == ".jsonl" else b" = ").join(pieces))


def _shuffle(dice: random.Random, file: Path) -> None:
    lines = file.read_bytes().splitlines(keepends=True) or [b"\n"]
    file.write_bytes(b"".join(dice.choices(lines, k=dice.randint(0, 2 * len(lines)))))


def _nest(dice: random.Random, file: Path) -> None:
    depth = dice.choice((100, 1000, 100_000))
    opening, closing = dice.choice(((b"[", b"]"), (b'{"a":', b"}"), (b"a=[", b"]"), (b"[[a]]\n", b""), (b"a.", b"=1")))
    file.write_bytes(opening * depth + closing * dice.choice((0, depth)))


def _long_line(dice: random.Random, file: Path) -> None:
    file.write_bytes(file.read_bytes() + dice.choice((b"x", b" ", b'"', b"\\", b"9", b"{}")) * 1_000_000)


def _many_lines(dice: random.Random, file: Path) -> None:
    lines = file.read_bytes().splitlines(keepends=True) or [b"\n"]
    file.write_bytes(b"".join(lines) + dice.choice([*lines, b"\n", b"{}\n", b"a = 1\n", b"[[x]]\n"]) * 3000)


def _pack(dice: random.Random, file: Path) -> None:
    """Write packed failures: whole, cut, spoilt, several times packed, or zeros beyond measure."""
    packed = gzip.compress(dice.choice((file.read_bytes(), b"\n" * 10, b"{}\n" * 9, bytes(30_000_000))), 1)
    spoilt = (packed, packed[: dice.randint(0, len(packed))], packed + packed, packed + b"x", gzip.compress(packed))
    (file.parent / "failures.jsonl.gz").write_bytes(dice.choice(spoilt))


def _folder(dice: random.Random, file: Path) -> None:
    file.unlink()
    file.mkdir()
    if dice.random() < 1 / 2:
        (file / dice.choice(_NAMES)).write_bytes(b"x")


def _pipe(_: random.Random, file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def _link(dice: random.Random, file: Path) -> None:
    file.unlink()
    file.symlink_to(dice.choice(("/dev/zero", "/dev/null", "/nowhere", file.name, "..", "/etc/hostname", "../../..")))


def _lock(dice: random.Random, file: Path) -> None:
    file.chmod(dice.choice((0o000, 0o200)))


def _lose(_: random.Random, file: Path) -> None:
    file.unlink()


def _lose_folder(_: random.Random, file: Path) -> None:
    shutil.rmtree(file.parent)


def _link_folder(dice: random.Random, file: Path) -> None:
    shutil.rmtree(file.parent)
    file.parent.symlink_to(dice.choice(("..", "/dev", ".", "/nowhere", file.parent.name)))


def _file_for_folder(_: random.Random, file: Path) -> None:
    shutil.rmtree(file.parent)
    file.parent.write_bytes(b"x")


def _odd_name(dice: random.Random, file: Path) -> None:
    file.rename(file.with_name(dice.choice(_NAMES) + dice.choice(("", "", file.suffix))))


def _odd_folder_name(dice: random.Random, file: Path) -> None:
    file.parent.rename(file.parent.with_name(dice.choice(_NAMES)))


def _bytes_name(dice: random.Random, file: Path) -> None:
    """Give a file a name that is no UTF-8."""
    name = dice.choice((b"\xff", b"\xed\xa0\x80", b"a\xe9.jsonl"))
    file.rename(file.with_name(os.fsdecode(name)))


def _deep_folder(dice: random.Random, file: Path) -> None:
    deep = file.parent.joinpath(*["d"] * dice.choice((2, 60)))
    deep.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, deep)


def _swap_token(dice: random.Random, file: Path) -> None:
    """Put a word, a number or a mark that stands somewhere beside it in the place of another one."""
    texts = [path.read_bytes() for path in sorted(file.parent.rglob("*")) if path.is_file()]
    tokens = [*_TOKEN.findall(dice.choice(texts)), *_VALUES]
    content = file.read_bytes()
    matches = list(_TOKEN.finditer(content))
    if matches:
        match = dice.choice(matches)
        file.write_bytes(content[: match.start()] + dice.choice(tokens) + content[match.end() :])


def _elsewhere(dice: random.Random, file: Path) -> None:
    """Put the content of another file in the place of this one."""
    files: Sequence[Path] = sorted(path for path in file.parent.rglob("*") if path.is_file())
    file.write_bytes(dice.choice(files).read_bytes())


IN_FILES: Sequence[Blow] = (
    *(_random_bytes, _cut, _flip, _flip, _flip, _insert, _insert, _insert, _replace_value, _replace_value),
    *(_replace_value, *[_swap_token] * 6, _shuffle, _shuffle, _nest, _long_line, _many_lines, _pack, _elsewhere),
)
"""Blows that leave files files."""

BLOWS: Sequence[Blow] = (
    *IN_FILES,
    *(_folder, _pipe, _link, _lock, _lose, _lose_folder, _link_folder, _file_for_folder, _odd_name),
    *(_odd_folder_name, _bytes_name, _deep_folder),
)
