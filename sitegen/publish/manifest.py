"""Write and check the list of a site's files with their SHA-256, and check its signature.

The list shows that a copy of a site is complete and unchanged: start with `copy_at`.
"""

import hashlib
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sitegen.problems import UsageError
from sitegen.publish.downloads import LISTED, download_listed
from sitegen.publish.transaction import files_below
from sitegen.reading.files import read_bytes

MANIFEST = "site.sha256"
SIGNATURE = f"{MANIFEST}.sig"
MARK = ".sitegen"
"""Marks a folder as a site of this program, which may be replaced.

No list names it, because hosts do not serve hidden files.
"""
_UNLISTED = {MANIFEST, SIGNATURE, f"{MANIFEST}.minisig", MARK}
_NAMESPACE = "file"
"""The purpose of a signature, as `ssh-keygen -Y sign -n` takes it."""
_MAX_SECONDS = 60
"""Time limit of checking a signature."""


def write_manifest(root: Path, digests: Mapping[str, str]) -> None:
    """Write the list of every file of a site, in the format of `sha256sum`.

    Args:
        root: The site.
        digests: SHA-256 of files that are known already; empty ones are not known.
    """
    names = sorted(name for name in files_below(root) if name not in _UNLISTED)
    lines = []
    for name in names:
        digest = digests.get(name) or _file_digest(root / name)
        lines.append(f"{digest}  {name}\n")
    (root / MANIFEST).write_text("".join(lines), encoding="utf-8")


@dataclass(frozen=True, slots=True)
class SiteCopy:
    """A copy of a site, compared with its list of files."""

    differences: tuple[str, ...]
    """A line for each file that differs, is missing or is not listed."""
    files: int
    """Number of listed files."""
    is_signed: bool


def served(address: str, folder: Path) -> Path:
    """Download what a served site lists, and its signature, into an empty folder; see `download_listed`."""
    return download_listed(address, folder, (MANIFEST, SIGNATURE))


def rebuilt(project: Path, folder: Path) -> Path:
    """Build the site of a project into a folder, and return its path.

    Raises:
        UsageError: The build failed.
    """
    site = folder / "site"
    command = [sys.executable, "-m", "sitegen", "build", "--site", str(site.absolute())]
    process = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    if process.returncode or not site.is_dir():
        output = process.stderr.strip() or process.stdout.strip()
        raise UsageError(f"the site of {project} can't be built: {output}")
    return site


def lists_apart(copy: Path, rebuilt_site: Path) -> tuple[str, ...]:
    """Return a line for each file in which the lists of a copy and of a rebuilt site differ."""
    copy_digests = _read_digests(copy)
    rebuilt_digests = _read_digests(rebuilt_site)
    differences = []
    for name in sorted(copy_digests.keys() | rebuilt_digests.keys()):
        if name not in copy_digests:
            differences.append(f"{name} is not in the copy")
        elif name not in rebuilt_digests:
            differences.append(f"{name} is not in what is built anew")
        elif copy_digests[name] != rebuilt_digests[name]:
            differences.append(f"{name} differs from what is built anew")
    return tuple(differences)


def _read_digests(root: Path) -> dict[str, str]:
    """Return the digests in the list of a site, by the names of files."""
    digests = {}
    for line in (root / MANIFEST).read_text(encoding="utf-8").splitlines():
        if line:
            digest, name = line.split("  ", 1)
            digests[name] = digest
    return digests


def copy_at(root: Path) -> SiteCopy:
    """Compare a copy of a site with its list of files.

    Raises:
        UsageError: The folder has no such list.
    """
    path = root / MANIFEST
    data = read_bytes(path)[0] if path.is_file() else None
    if data is None:
        raise UsageError(
            f"{root} has no {MANIFEST}, the list of its files; name the folder of a site"
        )
    stated: dict[str, str] = {}
    malformed_count = 0
    for line in data.decode(errors="replace").splitlines():
        match = LISTED.fullmatch(line)
        if match:
            stated[match[2]] = match[1]
        else:
            malformed_count += 1
    differences = list(_differences(root, stated))
    if malformed_count:
        differences.insert(0, f"{MANIFEST} has {malformed_count} lines that name no file")
    return SiteCopy(tuple(differences), len(stated), (root / SIGNATURE).is_file())


def _differences(root: Path, stated: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each file that differs from its SHA-256, is missing or is not listed."""
    present = _listable_files(root, stated)
    for name in sorted(stated.keys() | present):
        path = root / name
        if name not in present:
            yield f"{name} is missing"
        elif name not in stated:
            yield f"{name} is too many: {MANIFEST} does not name it"
        elif path.is_symlink():
            yield f"{name} is a link"
        elif _file_digest(path) != stated[name]:
            yield f"{name} differs"


def _listable_files(root: Path, stated: Collection[str]) -> set[str]:
    return {name for name in files_below(root) if name in stated or name not in _UNLISTED}


def signer_of(root: Path, allowed: Path) -> str | None:
    """Return who signed a site's list of files; None if no trusted key did.

    Args:
        root: The site.
        allowed: A file of trusted keys, as `ssh-keygen` reads it.

    Raises:
        UsageError: `ssh-keygen` is not installed, or the file of keys is missing.
    """
    if not allowed.is_file():
        raise UsageError(
            f"{allowed} is no file; "
            "name one with a line for each key that may sign, as ssh-keygen reads"
        )
    options = ("-s", str(root / SIGNATURE), "-f", str(allowed), "-n", _NAMESPACE)
    output = _ssh_keygen("find-principals", *options).stdout.decode(errors="replace")
    signer = output.split("\n")[0].strip()
    if not signer:
        return None
    manifest = (root / MANIFEST).read_bytes()
    check = _ssh_keygen("verify", "-I", signer, *options, stdin=manifest)
    return None if check.returncode else signer


def _ssh_keygen(*arguments: str, stdin: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    """Run `ssh-keygen -Y`.

    Raises:
        UsageError: It is not installed, or takes too long.
    """
    try:
        return subprocess.run(
            ["ssh-keygen", "-Y", *arguments],  # noqa: S607 - found on the system's path
            input=stdin,
            capture_output=True,
            check=False,
            timeout=_MAX_SECONDS,
        )
    except (FileNotFoundError, subprocess.TimeoutExpired) as error:
        raise UsageError(
            "ssh-keygen can't be run, and checks the signature; install OpenSSH"
        ) from error


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
