"""What others serve, taken from the one address that is named: all of it is hostile, and bounded in size and time."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPException, HTTPMessage, HTTPResponse
from pathlib import Path, PurePosixPath
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import SplitResult, quote
from urllib.request import HTTPRedirectHandler, Request

from sitegen.models.addresses import AddressError, parse_web_address
from sitegen.problems import UsageError
from sitegen.reading.archives import archive
from sitegen.reading.files import LARGEST, MEGABYTE
from sitegen.reading.network import Deadline, opener_until

LISTED = re.compile(r"([0-9a-f]{64})  (.+)")
"""A line of a list of files, as `sha256sum` writes it."""
_LISTS = ("SHA256SUMS",)
_COPY_SECONDS = 30 * 60
_MOST = 4096 * MEGABYTE
"""So much is taken of one address, and as much unpacked."""
_PART = MEGABYTE
_HERE = {"localhost", "127.0.0.1"}


class _Stay(HTTPRedirectHandler):
    """Follows no way to another host."""

    def redirect_request(  # noqa: PLR0913, PLR0917 - as the base class calls it
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        """Follow a host to what it calls a file: some serve `a/index.html` as `a/` alone."""
        try:
            stays = parse_web_address(newurl)[:2] == parse_web_address(req.full_url)[:2]
        except AddressError:
            return None
        return super().redirect_request(req, fp, code, msg, headers, newurl) if stays else None


class _Taking:
    """One address, and what may still be taken of it."""

    def __init__(self, address: str, folder: Path, seconds: float) -> None:
        parts = _parts_of(address)
        if parts.scheme != "https" and (parts.scheme != "http" or parts.hostname not in _HERE):
            raise UsageError(f"{address} is no address that begins with https://")
        self.address, self.folder = address, folder
        self.left = _MOST
        self.deadline = Deadline(seconds)
        self.opener = opener_until(self.deadline, _Stay)

    def take(self, name: str, most: int = LARGEST) -> None:
        """Take a file below the address, unless it is not served, comes from elsewhere, or is too large.

        Raises:
            UsageError: The host can't be reached, or all of it together takes too long, or is too much.
        """
        path = self.folder / name
        with self._answer(self.address + quote(name)) as answer:
            parts = list(self._parts(answer, most)) if answer else []
        if sum(map(len, parts)) <= most and answer:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"".join(parts))

    def take_whole(self, path: Path) -> None:
        """Take what the address itself serves; a UsageError where it serves nothing, or too much."""
        with self._answer(self.address) as answer, path.open("wb") as file:
            if answer is None:
                raise UsageError(f"{self.address} is not served")
            file.writelines(self._parts(answer, _MOST))

    @contextmanager
    def _answer(self, address: str) -> Iterator[HTTPResponse | None]:
        try:
            answer = self.opener.open(address)
        except (OSError, HTTPException, ValueError) as error:
            self._require_time()
            if isinstance(error, URLError) and not isinstance(error, HTTPError):  # nobody answered
                raise UsageError(f"{address} can't be reached: {error.reason}") from error
            yield None
            return
        with answer:
            yield answer

    def _require_time(self) -> None:
        try:
            self.deadline.seconds_left()
        except TimeoutError:
            raise UsageError(
                f"{self.address} took longer than {self.deadline.seconds:,.0f} seconds"
            ) from None

    def _parts(self, answer: HTTPResponse, most: int) -> Iterator[bytes]:
        """What is served, part by part, and a part more than is wanted at most."""
        taken = 0
        while taken <= most:
            try:
                part = answer.read(_PART)
            except (OSError, HTTPException):
                part = b""
            self._require_time()
            self.left -= len(part)
            if self.left < 0:
                raise UsageError(f"{self.address} serves more than {_MOST // MEGABYTE:,} MB")
            if not part:
                return
            taken += len(part)
            yield part


def _parts_of(address: str) -> SplitResult:
    try:
        return parse_web_address(address)
    except AddressError as error:
        raise UsageError(
            f"{address} is no address that begins with https:// and can be read: it {error}"
        ) from None


def copy_of(
    address: str, folder: Path, lists: Sequence[str] = _LISTS, seconds: float = _COPY_SECONDS
) -> Path:
    """Take what a served folder lists into an empty one, to be looked at there; what is not served is missing.

    Nothing else is asked for, and nothing of another host. `lists` has the name of its list of files, in the form of
    `sha256sum`, and of what lies beside it unlisted. All of it takes `seconds` at most.

    Raises:
        UsageError: The address is neither https nor of this machine, serves no such list, or serves too much.
    """
    taking = _Taking(address.rstrip("/") + "/", folder, seconds)
    for name in lists:
        taking.take(name)
    if not (folder / lists[0]).is_file():
        raise UsageError(f"{taking.address}{lists[0]}, the list of its files, is not served")
    for line in (folder / lists[0]).read_text(encoding="utf-8", errors="replace").splitlines():
        listed = LISTED.fullmatch(line)
        if listed and _stays(listed[2]):
            taking.take(listed[2])
    return folder


def artifacts_of(address: str, folder: Path, seconds: float = _COPY_SECONDS) -> Path:
    """Take runs that are served into an empty folder: those of a zip file, one other file, or a folder with SHA256SUMS.

    All of it takes `seconds` at most.

    Raises:
        UsageError: As `copy_of`.
        ProblemsError: The zip file is broken, or unpacks to too much.
    """
    name = PurePosixPath(_parts_of(address).path).name
    if address.endswith("/") or "." not in name.strip("."):
        return copy_of(address, folder, seconds=seconds)
    path = folder / name
    _Taking(address, folder, seconds).take_whole(path)
    if path.suffix != ".zip":
        return path
    runs, left = folder / path.stem, _MOST
    with archive(path) as packed:
        for member in filter(_stays, packed.members):
            data = packed.read(member)
            left -= len(data)
            if left < 0:
                raise UsageError(f"{address} unpacks to more than {_MOST // MEGABYTE:,} MB")
            (runs / member).parent.mkdir(parents=True, exist_ok=True)
            (runs / member).write_bytes(data)
    return runs


def _stays(name: str) -> bool:
    """Whether a path stays below its folder."""
    return (
        not {"..", "."} & {*name.split("/")}
        and name.isprintable()
        and not name.startswith("/")
        and "//" not in name
    )
