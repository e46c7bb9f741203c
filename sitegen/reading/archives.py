"""Read members of foreign zip files in memory, with size limits; nothing is unpacked to disk."""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from sitegen.problems import ProblemsError
from sitegen.reading.files import FILE_TOO_LARGE, FILE_UNREADABLE, LARGEST_SOURCE, MEGABYTE, opened

MAX_MEMBER_SIZE = 1024 * MEGABYTE
"""Maximum unpacked size of a member, in bytes."""
MAX_RATIO = 300
"""Maximum ratio of unpacked to packed bytes in a member larger than `ALWAYS_ALLOWED_SIZE`."""
ALWAYS_ALLOWED_SIZE = 16 * MEGABYTE
"""Unpacked size up to which any compression ratio is accepted, in bytes."""
_MAX_MEMBERS = 200_000
_HEADER_SIZE = 30
_ZSTD_METHOD = 93
_ZSTD_WINDOW_SIZE = 128 * MEGABYTE
_ENCRYPTED_FLAG = 1

_UNPACKING_ERRORS = (struct.error, zlib.error, OSError, ValueError, MemoryError)
_OPENING_ERRORS = (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, struct.error)


@dataclass(frozen=True, slots=True)
class Archive:
    """An open zip file."""

    path: Path
    members: Mapping[str, zipfile.ZipInfo]
    """The archive's files by name, without folders."""
    _file: BinaryIO

    def read(self, name: str) -> bytes:
        """Return the unpacked bytes of a member after checking them against its checksum.

        Raises:
            ProblemsError: The member is damaged or too large.
        """
        member = self.members[name]
        ratio_limit = max(ALWAYS_ALLOWED_SIZE, MAX_RATIO * member.compress_size)
        if member.file_size > min(MAX_MEMBER_SIZE, ratio_limit):
            size = f"{member.file_size / MEGABYTE:,.0f} MB"
            fact = f"{name} in it is {size} when unpacked"
            raise ProblemsError([FILE_TOO_LARGE.broken(self.path, None, fact)])
        try:
            data = _unpacked(self._packed_data(member), member)
        except _UNPACKING_ERRORS as error:
            raise _unreadable(self.path, f"{name} in it can't be unpacked: {error}") from error
        if len(data) != member.file_size or zlib.crc32(data) != member.CRC:
            fact = f"{name} in it is damaged: its checksum differs"
            raise _unreadable(self.path, fact)
        return data

    def _packed_data(self, member: zipfile.ZipInfo) -> bytes:
        """Return the packed bytes of a member, which follow its header, name and extra field."""
        self._file.seek(member.header_offset)
        header = self._file.read(_HEADER_SIZE)
        name_length, extra_length = struct.unpack("<HH", header[26:_HEADER_SIZE])
        self._file.seek(name_length + extra_length, io.SEEK_CUR)
        return self._file.read(member.compress_size)


def _unreadable(path: Path, fact: str) -> ProblemsError:
    """Return the error for a damaged archive."""
    return ProblemsError([FILE_UNREADABLE.broken(path, None, fact, "copy the file again")])


def _unpacked(packed: bytes, member: zipfile.ZipInfo) -> bytes:
    """Return the unpacked bytes of a member, at most one byte more than the archive states.

    Raises:
        ValueError: The member is encrypted, damaged, or packed by an unknown method.
        zlib.error: The packed data is damaged.
    """
    max_size = member.file_size + 1
    if member.flag_bits & _ENCRYPTED_FLAG:
        raise ValueError("it is encrypted")
    if member.compress_type == zipfile.ZIP_STORED:
        return packed
    if member.compress_type == zipfile.ZIP_DEFLATED:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, max_size)
    if member.compress_type == _ZSTD_METHOD:
        import zstandard  # noqa: PLC0415 - few commands need it

        try:
            unpacker = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW_SIZE)
            return unpacker.stream_reader(packed, read_across_frames=True).read(max_size)
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from error
    raise ValueError(f"it uses an unknown compression method: {member.compress_type}")


@contextmanager
def archive(path: Path) -> Iterator[Archive]:
    """Open a zip file.

    Raises:
        ProblemsError: The file can't be read, is cut off, or has two members of the same name.
    """
    with opened(path, largest=LARGEST_SOURCE) as file:
        try:
            entries = zipfile.ZipFile(file).infolist()
        except _OPENING_ERRORS as error:
            raise _unreadable(path, f"{path.name} is not a complete zip file: {error}") from error
        files = [entry for entry in entries if not entry.is_dir()]
        members = {entry.filename: entry for entry in files}
        if len(members) < len(files) or len(files) > _MAX_MEMBERS:
            counts = f"{len(files):,} members, and {len(members):,} names of members"
            raise _unreadable(path, f"{path.name} has {counts}")
        yield Archive(path, members, file)
