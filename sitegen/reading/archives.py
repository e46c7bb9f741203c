"""Reads zip files of others member by member: nothing is unpacked to disk, and no member grows without bounds."""

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

LARGEST, RATIO, FREE = 1024 * MEGABYTE, 300, 16 * MEGABYTE
"""So much is unpacked of a member; beyond the last, at most so many times what it has packed."""
_MEMBERS = 200_000
_HEAD = 30
_ZSTD = 93
_WINDOW = 128 * MEGABYTE
_ENCRYPTED = 1


@dataclass(frozen=True, slots=True)
class Archive:
    """An open zip file."""

    path: Path
    members: Mapping[str, zipfile.ZipInfo]
    """By their names; folders are none."""
    _file: BinaryIO

    def read(self, name: str) -> bytes:
        """A member, unpacked and checked.

        Raises:
            ProblemsError: It is not what the archive says of it, or too much.
        """
        member = self.members[name]
        if member.file_size > min(LARGEST, max(FREE, RATIO * member.compress_size)):
            what = f"{name} in it has {member.file_size / MEGABYTE:,.0f} MB when it is unpacked"
            raise ProblemsError([FILE_TOO_LARGE.broken(self.path, None, what)])
        try:
            self._file.seek(member.header_offset)
            head = self._file.read(_HEAD)
            name_length, more_length = struct.unpack("<HH", head[26:_HEAD])
            self._file.seek(name_length + more_length, io.SEEK_CUR)
            data = _unpacked(self._file.read(member.compress_size), member)
        except (struct.error, zlib.error, OSError, ValueError, MemoryError) as error:
            raise self._broken(f"{name} in it can't be unpacked: {error}") from error
        if len(data) != member.file_size or zlib.crc32(data) != member.CRC:
            raise self._broken(f"{name} in it is not what was packed: its checksum differs")
        return data

    def _broken(self, what: str) -> ProblemsError:
        return ProblemsError([FILE_UNREADABLE.broken(self.path, None, what, "copy the file again")])


def _unpacked(packed: bytes, member: zipfile.ZipInfo) -> bytes:
    """What was packed, and at most a byte more than it is to be."""
    most = member.file_size + 1
    if member.flag_bits & _ENCRYPTED:
        raise ValueError("it is encrypted")
    if member.compress_type == zipfile.ZIP_STORED:
        return packed
    if member.compress_type == zipfile.ZIP_DEFLATED:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, most)
    if member.compress_type == _ZSTD:
        import zstandard  # noqa: PLC0415 - few commands need it

        try:
            unpacker = zstandard.ZstdDecompressor(max_window_size=_WINDOW)
            return unpacker.stream_reader(packed, read_across_frames=True).read(most)
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from error
    raise ValueError(f"it is packed in a way that is not known: {member.compress_type}")


@contextmanager
def archive(path: Path) -> Iterator[Archive]:
    """Open a zip file.

    Raises:
        ProblemsError: It can't be read, is cut off, or has two members of one name.
    """
    with opened(path, largest=LARGEST_SOURCE) as file:
        try:
            found = [each for each in zipfile.ZipFile(file).infolist() if not each.is_dir()]
        except (
            zipfile.BadZipFile,
            OSError,
            ValueError,
            NotImplementedError,
            struct.error,
        ) as error:
            what = f"{path.name} is no whole zip file: {error}"
            raise ProblemsError(
                [FILE_UNREADABLE.broken(path, None, what, "copy the file again")]
            ) from error
        members = {each.filename: each for each in found}
        if len(members) < len(found) or len(found) > _MEMBERS:
            what = f"{path.name} has {len(found):,} members, and {len(members):,} names of members"
            raise ProblemsError([FILE_UNREADABLE.broken(path, None, what, "copy the file again")])
        yield Archive(path, members, file)
