"""The list of the files of a site with their SHA-256, by which a copy is known to be whole, and who signed it."""

import hashlib
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from time import monotonic
from urllib.parse import quote, urlsplit
from urllib.request import HTTPRedirectHandler, build_opener

from sitegen.problems import UsageError
from sitegen.publish.transaction import files_below
from sitegen.reading.files import LARGEST, read_bytes

MANIFEST = "site.sha256"
SIGNATURE = f"{MANIFEST}.sig"
_LEFT_OUT = {MANIFEST, SIGNATURE, f"{MANIFEST}.minisig"}
_NAMESPACE = "file"
"""What a signature is for, in the words of `ssh-keygen -Y sign -n`."""
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")
_LONGEST = 60
"""Seconds that checking a signature, or one answer, may take."""
_LONGEST_COPY = 30 * 60
"""Seconds that taking a copy may take."""
_HERE = {"localhost", "127.0.0.1"}


class _Stay(HTTPRedirectHandler):
    """Follows no way to another address."""

    def redirect_request(self, *_: object) -> None:
        """Ask for nothing else."""


_OPENER = build_opener(_Stay)


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


def copy_of(address: str, folder: Path) -> Path:
    """Take what a served site lists into an empty folder, to be looked at there; what is not served is missing.

    Nothing else is asked for, and nothing of another host; all of it is taken to be hostile.

    Raises:
        UsageError: The address is neither https nor of this machine, or serves no list of files.
    """
    home = address.rstrip("/") + "/"
    parts = urlsplit(home)
    if parts.scheme != "https" and (parts.scheme != "http" or parts.hostname not in _HERE):
        raise UsageError(f"{address} is no address that begins with https://")
    ends = monotonic() + _LONGEST_COPY
    for name in (MANIFEST, SIGNATURE):
        _take(home, name, folder, ends)
    if not (folder / MANIFEST).is_file():
        raise UsageError(f"{home}{MANIFEST}, the list of its files, is not served")
    for line in (folder / MANIFEST).read_text(encoding="utf-8", errors="replace").splitlines():
        listed = _LINE.fullmatch(line)
        if listed and not {"..", ""} & set(listed[2].split("/")):
            _take(home, listed[2], folder, ends)
    return folder


def _take(home: str, name: str, folder: Path, ends: float) -> None:
    """Take a file, unless it is not served, comes from elsewhere, or is too large; raise a UsageError out of time."""
    try:
        with _OPENER.open(home + quote(name), timeout=_LONGEST) as answer:
            data = answer.read(LARGEST + 1)
    except (OSError, HTTPException):
        return
    if monotonic() > ends:
        raise UsageError(f"{home} took longer than {_LONGEST_COPY // 60} minutes")
    if len(data) <= LARGEST:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def rebuilt(project: Path, folder: Path) -> Path:
    """Build a project's site into a folder, as it is; raises UsageError where that fails."""
    site = folder / "site"
    command = [sys.executable, "-m", "sitegen", "build", "--site", str(site.absolute())]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    if done.returncode or not site.is_dir():
        raise UsageError(f"the site of {project} can't be built: {done.stderr.strip() or done.stdout.strip()}")
    return site


def lists_apart(told: Path, built: Path) -> tuple[str, ...]:
    """How the list of a copy differs from that of a site that was built anew: a line a file."""
    ours, theirs = (
        dict(line.split("  ", 1)[::-1] for line in (root / MANIFEST).read_text(encoding="utf-8").splitlines() if line)
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
        raise UsageError(f"{root} has no {MANIFEST}, the list of its files; name the folder of a site")
    lines = [_LINE.fullmatch(line) for line in data.decode(errors="replace").splitlines()]
    stated = {line[2]: line[1] for line in lines if line}
    broken = () if all(lines) else (f"{MANIFEST} has {lines.count(None)} lines that name no file",)
    there = {name for name in files_below(root) if name not in _LEFT_OUT}
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
        raise UsageError(f"{allowed} is no file; name one with a line for each key that may sign, as ssh-keygen reads")
    signature = ("-s", str(root / SIGNATURE), "-f", str(allowed), "-n", _NAMESPACE)
    told = _ssh_keygen(b"", "find-principals", *signature).stdout.decode(errors="replace").split("\n")[0].strip()
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
        raise UsageError("ssh-keygen can't be run, and checks the signature; install OpenSSH") from error


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
