"""Pack the running program as a file that pip can install. Start with `program_wheel`."""

import csv
import tomllib
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from io import BytesIO, StringIO
from pathlib import PurePosixPath
from stat import S_IFREG
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from sitegen.problems import UsageError
from sitegen.publish.projects.project import PACKAGE, program_resources

_DISTRIBUTION = "recountboard"
"""The program's name on the package index, where `sitegen` is another project."""

_WHEEL_TAG = "py3-none-any"
_UNIX = 3
_READABLE_FILE = (S_IFREG | 0o644) << 16
"""File attributes in a zip archive for a file that everyone may read."""


def program_version() -> str:
    """Return the version of this program, as recorded in releases."""
    return _installed().version


def _installed() -> Distribution:
    """Return this program's installed package metadata.

    Raises:
        UsageError: The metadata is missing, for example after an installation under the former
            name.
    """
    try:
        return distribution(_DISTRIBUTION)
    except PackageNotFoundError as error:
        raise UsageError(
            f"{_DISTRIBUTION} is not installed here; run `make runtime`, or install it again"
        ) from error


class Wheel(NamedTuple):
    """A file from which pip can install the program."""

    name: str
    """The file name, in the format that pip expects."""
    data: bytes


@cache
def program_wheel() -> Wheel:
    """Pack the running program as a wheel.

    The same program gives the same bytes from a checkout and from an installation.

    Raises:
        UsageError: The program was installed without its templates, or without metadata.
    """
    installed = _installed()
    stem = f"{installed.name}-{installed.version}"
    metadata_folder = f"{stem}.dist-info"
    contents = _program_contents()
    for name, content in _metadata_contents(installed):
        contents[f"{metadata_folder}/{name}"] = content
    files = dict(sorted(contents.items()))
    record_name = f"{metadata_folder}/RECORD"
    files[record_name] = _wheel_record(files, record_name)
    return Wheel(f"{stem}-{_WHEEL_TAG}.whl", _zip(files))


def _program_contents() -> dict[str, bytes]:
    """Return the package's files, including templates and pages, by their names in a wheel."""
    resources = program_resources()
    targets = {PACKAGE: PACKAGE.name}
    settings = resources / "pyproject.toml"
    if settings.exists():
        # In a checkout, some files are next to the package that are inside it in a wheel.
        tools = tomllib.loads(settings.read_text(encoding="utf-8"))["tool"]
        included = tools["hatch"]["build"]["targets"]["wheel"]["force-include"]
        for source, target in included.items():
            targets[resources / source] = target
    contents = {}
    for source, target in targets.items():
        for path in (source, *source.rglob("*")):
            if path.is_file() and path.parent.name != "__pycache__":
                name = PurePosixPath(target) / path.relative_to(source)
                contents[name.as_posix()] = path.read_bytes()
    return contents


def _metadata_contents(installed: Distribution) -> Iterator[tuple[str, bytes]]:
    """Yield the metadata files of a wheel, leaving out how the program was installed here."""
    description = (
        f"Wheel-Version: 1.0\nGenerator: {installed.name}\n"
        f"Root-Is-Purelib: true\nTag: {_WHEEL_TAG}\n"
    )
    yield "WHEEL", description.encode()
    licenses = [f"licenses/{name}" for name in installed.metadata.get_all("License-File", [])]
    for name in ("METADATA", "entry_points.txt", *licenses):
        text = installed.read_text(name)
        if text is not None:
            yield name, text.encode()


def _wheel_record(files: Mapping[str, bytes], record_name: str) -> bytes:
    """Return the list of a wheel's files with digests and sizes, including the list itself."""
    text = StringIO()
    rows = csv.writer(text, lineterminator="\n")
    for name, data in files.items():
        digest = urlsafe_b64encode(sha256(data).digest()).rstrip(b"=").decode()
        rows.writerow((name, f"sha256={digest}", len(data)))
    rows.writerow((record_name, "", ""))
    return text.getvalue().encode()


def _zip(files: Mapping[str, bytes]) -> bytes:
    """Return a zip archive of files, all dated 1980, so that equal files give equal bytes."""
    archive = BytesIO()
    with ZipFile(archive, "w") as zip_file:
        for name, data in files.items():
            entry = ZipInfo(name)
            entry.create_system = _UNIX
            entry.external_attr = _READABLE_FILE
            zip_file.writestr(entry, data, ZIP_DEFLATED)
    return archive.getvalue()
