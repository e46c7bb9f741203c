"""Compress the files of a bundle, and compute and list checksums of files."""

import gzip
import hashlib
import io
import re
from collections.abc import Mapping
from pathlib import Path

CHECKSUMS = "SHA256SUMS"
"""The file with the checksums of a folder's files, in the format of `sha256sum`."""

CHECKSUM_LINE = re.compile(r"([0-9a-f]{64})  (.+)")
"""A line of a checksum file in the format of this program: SHA-256 and file name."""

CHECKSUM_LINE_OF_FILE = rb"(?m)^[0-9a-fA-F]{64}[ ][ *](?:\./)?%s\r?(?:\n|\Z)"
"""A line about one file in any format that `sha256sum` reads; `%s` is the escaped file name."""


def packed(data: bytes) -> bytes:
    """Return compressed data without a name or a time, so that equal data gives equal bytes."""
    target = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=target, compresslevel=6, mtime=0) as file:
        file.write(data)
    return target.getvalue()


def checksums(files: Mapping[str, bytes]) -> bytes:
    """Return the checksums of files in the format of `sha256sum`, sorted by name."""
    lines = []
    for name in sorted(files):
        lines.append(f"{sha256_of_bytes(files[name])}  {name}\n")
    return "".join(lines).encode()


def sha256_of_bytes(data: bytes) -> str:
    """Return the SHA-256 of data, in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def sha256_of_file(path: Path) -> str:
    """Return the SHA-256 of a file of any size, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
