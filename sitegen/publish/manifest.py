"""The list of the files of a site with their SHA-256, by which a copy is known to be whole, and who signed it."""

import hashlib
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sitegen.problems import UsageError
from sitegen.publish.downloads import LISTED, copy_of
from sitegen.publish.transaction import files_below
from sitegen.reading.files import read_bytes

MANIFEST = "site.sha256"
SIGNATURE = f"{MANIFEST}.sig"
MARK = ".sitegen"
"""Says that a folder is a site of ours, and so may be replaced. Hosts leave hidden files out: no list names it."""
_LEFT_OUT = {MANIFEST, SIGNATURE, f"{MANIFEST}.minisig", MARK}
_NAMESPACE = "file"
"""What a signature is for, in the words of `ssh-keygen -Y sign -n`."""
_LONGEST = 60
"""Seconds that checking a signature may take."""


def write_manifest(root: Path, known: Mapping[str, str]) -> None:
    """List every file of a site, in the form of `sha256sum`; of some the digest is known, and not empty."""
    names = sorted(name for name in files_below(root) if name not in _LEFT_OUT)
    lines = (f"{known.get(name) or _digest(root / name)}  {name}\n" for name in names)
    (root / MANIFEST).write_text("".join(lines), encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of a site, held against its list of files."""

    differences: tuple[str, ...]
    """A line for each file that differs, is missing, or is too many."""
    files: int
    """How many are listed."""
    is_signed: bool


def served(address: str, folder: Path) -> Path:
    """Take what a served site lists, with its signature, into an empty folder; raises what `copy_of` does."""
    return copy_of(address, folder, (MANIFEST, SIGNATURE))


def rebuilt(project: Path, folder: Path) -> Path:
    """Build a project's site into a folder, as it is; raises UsageError where that fails."""
    site = folder / "site"
    command = [sys.executable, "-m", "sitegen", "build", "--site", str(site.absolute())]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    if done.returncode or not site.is_dir():
        raise UsageError(
            f"the site of {project} can't be built: {done.stderr.strip() or done.stdout.strip()}"
        )
    return site


def lists_apart(told: Path, built: Path) -> tuple[str, ...]:
    """How the list of a copy differs from that of a site that was built anew: a line a file."""
    ours, theirs = (
        dict(
            line.split("  ", 1)[::-1]
            for line in (root / MANIFEST).read_text(encoding="utf-8").splitlines()
            if line
        )
        for root in (told, built)
    )
    return tuple(
        f"{name} {'differs from' if name in ours and name in theirs else 'is not in'} "
        f"{'the copy' if name not in ours else 'what is built anew'}"
        for name in sorted(ours.keys() | theirs.keys())
        if ours.get(name) != theirs.get(name)
    )


def copy_at(root: Path) -> Copy:
    """Compare a copy of a site with its list of files.

    Raises:
        UsageError: The folder has no such list.
    """
    data, _ = read_bytes(root / MANIFEST) if (root / MANIFEST).is_file() else (None, [])
    if data is None:
        raise UsageError(
            f"{root} has no {MANIFEST}, the list of its files; name the folder of a site"
        )
    lines = [LISTED.fullmatch(line) for line in data.decode(errors="replace").splitlines()]
    stated = {line[2]: line[1] for line in lines if line}
    broken = () if all(lines) else (f"{MANIFEST} has {lines.count(None)} lines that name no file",)
    there = {name for name in files_below(root) if name in stated or name not in _LEFT_OUT}
    found = (*broken, *_differences(root, stated, there))
    return Copy(found, len(stated), (root / SIGNATURE).is_file())


def _differences(root: Path, stated: dict[str, str], there: set[str]) -> Iterator[str]:
    for name in sorted(stated.keys() | there):
        path = root / name
        if name not in there:
            yield f"{name} is missing"
        elif name not in stated:
            yield f"{name} is too many: {MANIFEST} does not name it"
        elif path.is_symlink():
            yield f"{name} is a link"
        elif _digest(path) != stated[name]:
            yield f"{name} differs"


def signer_of(root: Path, allowed: Path) -> str | None:
    """Who signed a site's list of files, by a file of keys that are trusted; None where none of them did.

    Raises:
        UsageError: ssh-keygen is not installed, or the file of keys can't be read.
    """
    if not allowed.is_file():
        raise UsageError(
            f"{allowed} is no file; name one with a line for each key that may sign, as ssh-keygen reads"
        )
    signature = ("-s", str(root / SIGNATURE), "-f", str(allowed), "-n", _NAMESPACE)
    told = (
        _ssh_keygen(b"", "find-principals", *signature)
        .stdout.decode(errors="replace")
        .split("\n")[0]
        .strip()
    )
    if not told:
        return None
    checked = _ssh_keygen((root / MANIFEST).read_bytes(), "verify", "-I", told, *signature)
    return None if checked.returncode else told


def _ssh_keygen(told: bytes, *words: str) -> "subprocess.CompletedProcess[bytes]":
    try:
        return subprocess.run(
            ["ssh-keygen", "-Y", *words],  # noqa: S607 - where the system has it
            input=told,
            capture_output=True,
            check=False,
            timeout=_LONGEST,
        )
    except (FileNotFoundError, subprocess.TimeoutExpired) as error:
        raise UsageError(
            "ssh-keygen can't be run, and checks the signature; install OpenSSH"
        ) from error


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
