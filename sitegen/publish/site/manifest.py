"""Write and check the list of a site's files with their SHA-256, and verify its signature.

The list proves that a copy of a site is complete and unchanged. Start with `check_copy`.
"""

import subprocess
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from sitegen.problems import UsageError
from sitegen.publish.machine.hidden_names import SITE_MARKER
from sitegen.publish.machine.packing import CHECKSUM_LINE, sha256_of_file
from sitegen.publish.machine.transaction import files_below
from sitegen.reading.files import read_bytes

SITE_MANIFEST = "site.sha256"
SIGNATURE = f"{SITE_MANIFEST}.sig"
_UNLISTED = {SITE_MANIFEST, SIGNATURE, f"{SITE_MANIFEST}.minisig", SITE_MARKER}
_NAMESPACE = "file"
"""The namespace of a signature, as in `ssh-keygen -Y sign -n`."""
_MAX_SECONDS = 60
"""Time limit for checking a signature, in seconds."""


def write_manifest(root: Path, digests: Mapping[str, str]) -> None:
    """Write the list of every file of a site, in the format of `sha256sum`.

    Args:
        root: The site.
        digests: Known SHA-256 values by file name; an unknown value is empty or missing.
    """
    names = sorted(name for name in files_below(root) if name not in _UNLISTED)
    lines = []
    for name in names:
        digest = digests.get(name) or sha256_of_file(root / name)
        lines.append(f"{digest}  {name}\n")
    (root / SITE_MANIFEST).write_text("".join(lines), encoding="utf-8")


@dataclass(frozen=True, slots=True)
class SiteCopy:
    """A copy of a site, compared with its list of files."""

    differences: tuple[str, ...]
    """A line for each file that differs, is missing or is not listed."""
    file_count: int
    """The number of listed files."""
    has_signature_file: bool
    """Whether there is a signature file; `signer_of` verifies it."""


def download_site(address: str, folder: Path) -> Path:
    """Download the files that a served site lists, and its signature, into an empty folder.

    See `download_listed` for files that are skipped, and for errors.
    """
    # Only checks of a served site need the networking libraries.
    from sitegen.publish.machine.downloads import download_listed  # noqa: PLC0415 - see above

    return download_listed(address, folder, SITE_MANIFEST, (SIGNATURE,))


def list_differences(copy: Path, rebuilt_site: Path) -> tuple[str, ...]:
    """Return a line for each file that differs between the lists of a copy and a rebuilt site.

    Malformed lines are ignored; `check_copy` counts them.

    Raises:
        UsageError: A folder has no such list.
    """
    copy_digests = _read_list(copy).digests
    rebuilt_digests = _read_list(rebuilt_site).digests
    differences = []
    for name in sorted(copy_digests.keys() | rebuilt_digests.keys()):
        if name not in copy_digests:
            differences.append(f"{name} is not in the copy")
        elif name not in rebuilt_digests:
            differences.append(f"{name} is not in the rebuilt site")
        elif copy_digests[name] != rebuilt_digests[name]:
            differences.append(f"{name} differs from the rebuilt site")
    return tuple(differences)


def check_copy(root: Path) -> SiteCopy:
    """Compare a copy of a site with its list of files.

    Raises:
        UsageError: The folder has no such list.
    """
    listing = _read_list(root)
    differences = list(_differences(root, listing.digests))
    if listing.malformed_count:
        count = listing.malformed_count
        differences.insert(0, f"{SITE_MANIFEST} has {count} lines that do not name a file")
    has_signature_file = (root / SIGNATURE).is_file()
    return SiteCopy(tuple(differences), len(listing.digests), has_signature_file)


class _FileList(NamedTuple):
    """The list of a site's files."""

    digests: Mapping[str, str]
    """The SHA-256 of each listed file, by its name."""
    malformed_count: int
    """The number of lines that do not name a file."""


def _read_list(root: Path) -> _FileList:
    """Return the list of a site's files.

    Raises:
        UsageError: The folder has no such list.
    """
    path = root / SITE_MANIFEST
    data = read_bytes(path)[0] if path.is_file() else None
    if data is None:
        raise UsageError(
            f"{root} has no {SITE_MANIFEST}, the list of its files; name the folder of a site"
        )
    digests: dict[str, str] = {}
    malformed_count = 0
    for line in data.decode(errors="replace").splitlines():
        match = CHECKSUM_LINE.fullmatch(line)
        if match:
            digests[match[2]] = match[1]
        else:
            malformed_count += 1
    return _FileList(digests, malformed_count)


def read_manifest(root: Path) -> Mapping[str, str]:
    """Return the SHA-256 of each file that a site lists, by file name."""
    return _read_list(root).digests


def _differences(root: Path, stated: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each file that differs from its SHA-256, is missing or is not listed."""
    present = _listable_files(root, stated)
    for name in sorted(stated.keys() | present):
        path = root / name
        if name not in present:
            yield f"{name} is missing"
        elif name not in stated:
            yield f"{name} is an extra file: {SITE_MANIFEST} does not list it"
        elif path.is_symlink():
            yield f"{name} is a link"
        elif sha256_of_file(path) != stated[name]:
            yield f"{name} differs"


def _listable_files(root: Path, stated: Collection[str]) -> set[str]:
    return {name for name in files_below(root) if name in stated or name not in _UNLISTED}


def signer_of(root: Path, allowed: Path) -> str | None:
    """Return who signed a site's list of files; None if no trusted key signed it.

    Args:
        root: The site.
        allowed: A file of trusted keys, in the format of `ssh-keygen`.

    Raises:
        UsageError: `ssh-keygen` is not installed, or the file of keys is missing.
    """
    if not allowed.is_file():
        raise UsageError(
            f"{allowed} is not a file; name a file with one line per key that may sign, in the "
            "format of ssh-keygen"
        )
    options = ("-s", str(root / SIGNATURE), "-f", str(allowed), "-n", _NAMESPACE)
    output = _ssh_keygen("find-principals", *options).stdout.decode(errors="replace")
    signer = output.split("\n")[0].strip()
    if not signer:
        return None
    manifest = (root / SITE_MANIFEST).read_bytes()
    check = _ssh_keygen("verify", "-I", signer, *options, stdin=manifest)
    return None if check.returncode else signer


def _ssh_keygen(*arguments: str, stdin: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    """Run `ssh-keygen -Y`.

    Raises:
        UsageError: `ssh-keygen` is not installed, or takes too long.
    """
    try:
        return subprocess.run(
            ["ssh-keygen", "-Y", *arguments],  # noqa: S607 - found on the system's path
            input=stdin,
            capture_output=True,
            check=False,
            timeout=_MAX_SECONDS,
        )
    except FileNotFoundError as error:
        raise UsageError(
            "ssh-keygen, which checks the signature, can't be run; install OpenSSH"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise UsageError(
            f"ssh-keygen took longer than {_MAX_SECONDS} seconds to check the signature; "
            "run this command again"
        ) from error
