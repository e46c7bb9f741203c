"""Files of a bundle as they are packed, and their checksums."""

import gzip
import hashlib
import io
from collections.abc import Mapping


def packed(data: bytes) -> bytes:
    """Compress without a name and a time, so that equal texts give equal bytes."""
    target = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=target, compresslevel=6, mtime=0) as file:
        file.write(data)
    return target.getvalue()


def checksums(files: Mapping[str, bytes]) -> bytes:
    """Write checksums the way `sha256sum` does."""
    lines = (f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    return "".join(lines).encode()
