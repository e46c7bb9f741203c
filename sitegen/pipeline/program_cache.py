"""Values that depend only on the program, saved for the first build of any project.

Compiled templates, the list of rules and the keys of records are the same in every project that has
no templates of its own. Like Python's compiled modules, they are saved in `__pycache__` where the
program is installed. If that folder is not writable, the first build of each project computes them
again.
"""

import hashlib
import os
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

PROGRAM_FOLDER = Path(__file__).resolve().parents[1] / "__pycache__"
_SEAL_LENGTH = hashlib.sha256().digest_size


def read_kept(name: str, key: str, folder: Path = PROGRAM_FOLDER) -> bytes | None:
    """Return the value saved under a name and a key; None if it is missing or damaged.

    Args:
        name: The name of the value; only the last value is saved for each name.
        key: A digest of the program and of all other inputs of the value; empty if it is unknown.
        folder: The folder in which the value is saved.
    """
    if not key:
        return None
    try:
        content = _path(folder, name).read_bytes()
    except OSError:
        return None
    seal = content[:_SEAL_LENGTH]
    data = content[_SEAL_LENGTH:]
    if seal != _seal(key, data):
        return None
    return data


def keep(name: str, key: str, data: bytes, folder: Path = PROGRAM_FOLDER) -> None:
    """Save a value for later builds, if the folder is writable."""
    if not key or sys.dont_write_bytecode:
        return
    path = _path(folder, name)
    with suppress(OSError):
        folder.mkdir(exist_ok=True)
        with NamedTemporaryFile(dir=folder, prefix=f"{path.name}.", delete=False) as file:
            file.write(_seal(key, data) + data)
        Path(file.name).chmod(0o666 & ~_umask())
        Path(file.name).replace(path)


def _path(folder: Path, name: str) -> Path:
    return folder / f"{name}.{sys.implementation.cache_tag}.kept"


def _seal(key: str, data: bytes) -> bytes:
    """Return a digest of a key and its data, which reveals a truncated or outdated file."""
    return hashlib.sha256(key.encode() + data).digest()


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
