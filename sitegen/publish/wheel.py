"""The program as a wheel: one file that pip installs it from, whether or not an index has it.

The same program gives the same bytes, from a checkout and where it is installed: files are sorted and have no time.
"""

import csv
import tomllib
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping
from hashlib import sha256
from importlib.metadata import Distribution
from io import BytesIO, StringIO
from pathlib import Path, PurePosixPath
from stat import S_IFREG
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from sitegen.publish.project import program_parts

_PACKAGE = Path(__file__).resolve().parents[1]
_TAG = "py3-none-any"
_UNIX = 3
_READABLE = (S_IFREG | 0o644) << 16


class Wheel(NamedTuple):
    """A wheel: its file's name, which pip reads, and its bytes."""

    name: str
    data: bytes


def program_wheel(installed: Distribution) -> Wheel:
    """Pack the program that runs.

    Args:
        installed: What its installer noted of it.
    """
    stem = f"{installed.name}-{installed.version}"
    about = f"{stem}.dist-info"
    files = {**dict(_program_files()), **{f"{about}/{name}": text.encode() for name, text in _noted(installed)}}
    return Wheel(f"{stem}-{_TAG}.whl", _zipped({**dict(sorted(files.items())), **_record(files, f"{about}/RECORD")}))


def _program_files() -> Iterator[tuple[str, bytes]]:
    """Read the package. What it has inside where it is installed lies beside it in a checkout, as the settings say."""
    parts = program_parts()
    sources = {_PACKAGE: _PACKAGE.name}
    settings = parts / "pyproject.toml"
    if settings.exists():
        tools = tomllib.loads(settings.read_text(encoding="utf-8"))["tool"]
        beside = tools["hatch"]["build"]["targets"]["wheel"]["force-include"]
        sources |= {parts / source: place for source, place in beside.items()}
    for source, place in sources.items():
        for path in (source, *source.rglob("*")):
            if path.is_file() and path.parent.name != "__pycache__":
                yield (PurePosixPath(place) / path.relative_to(source)).as_posix(), path.read_bytes()


def _noted(installed: Distribution) -> Iterator[tuple[str, str]]:
    """Give what stands in a wheel about it; what says how it came to this machine stays here."""
    yield "WHEEL", f"Wheel-Version: 1.0\nGenerator: {installed.name}\nRoot-Is-Purelib: true\nTag: {_TAG}\n"
    licenses = [f"licenses/{name}" for name in installed.metadata.get_all("License-File", [])]
    for name in ("METADATA", "entry_points.txt", *licenses):
        text = installed.read_text(name)
        if text is not None:
            yield name, text


def _record(files: Mapping[str, bytes], name: str) -> dict[str, bytes]:
    """List files with their sums, and the list itself, as pip reads it."""
    text = StringIO()
    lines = csv.writer(text, lineterminator="\n")
    for path, data in sorted(files.items()):
        digest = urlsafe_b64encode(sha256(data).digest()).rstrip(b"=").decode()
        lines.writerow((path, f"sha256={digest}", len(data)))
    lines.writerow((name, "", ""))
    return {name: text.getvalue().encode()}


def _zipped(files: Mapping[str, bytes]) -> bytes:
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        for name, data in files.items():
            entry = ZipInfo(name)  # of 1980, whenever it was written
            entry.create_system, entry.external_attr = _UNIX, _READABLE
            archive.writestr(entry, data, ZIP_DEFLATED)
    return packed.getvalue()
