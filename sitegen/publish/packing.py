"""Compress the files of a bundle and compute their checksums."""

import gzip
import hashlib
import io
from collections.abc import Mapping

CHECKSUMS = "SHA256SUMS"
"""The file of a folder with the checksums of its files, in the format of `sha256sum`."""


def packed(data: bytes) -> bytes:
    """Return data compressed without a name and a time, so that equal data gives equal bytes."""
    target = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=target, compresslevel=6, mtime=0) as file:
        file.write(data)
    return target.getvalue()


def checksums(files: Mapping[str, bytes]) -> bytes:
    """Return the checksums of files in the format of `sha256sum`, sorted by name."""
    lines = []
    for name in sorted(files):
        digest = hashlib.sha256(files[name]).hexdigest()
        lines.append(f"{digest}  {name}\n")
    return "".join(lines).encode()
