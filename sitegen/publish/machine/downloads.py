"""Download files, which may be hostile, from one address, with limits on size and time.

Start with `download_listed` (a folder with a list of its files) and `download_artifacts` (a zip
file or a folder).
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPException, HTTPMessage, HTTPResponse, InvalidURL
from pathlib import Path, PurePosixPath
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import SplitResult, quote
from urllib.request import HTTPRedirectHandler, Request

from sitegen.models.addresses import AddressError, parse_web_address
from sitegen.problems import UsageError
from sitegen.publish.machine.hidden_names import stays_inside
from sitegen.publish.machine.packing import CHECKSUM_LINE, CHECKSUMS
from sitegen.reading.archives import archive
from sitegen.reading.files import LARGEST, MEGABYTE
from sitegen.reading.network import Deadline, opener_until

_MAX_SECONDS = 30 * 60
_MAX_BYTES = 4096 * MEGABYTE
"""Maximum number of bytes downloaded from one address, and of bytes unpacked from it."""
_MAX_FILE_BYTES = LARGEST
"""Maximum size of a downloaded file in bytes; one more byte is read to detect a larger file."""
_CHUNK_BYTES = MEGABYTE
_LOCAL_HOSTS = {"localhost", "127.0.0.1"}


class _SameHostRedirects(HTTPRedirectHandler):
    """Follows redirects only to the same host."""

    def redirect_request(  # noqa: PLR0913, PLR0917 - as the base class calls it
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        """Return the request for a redirect's target, as some hosts redirect `a/index.html`."""
        try:
            is_same_host = parse_web_address(newurl)[:2] == parse_web_address(req.full_url)[:2]
        except AddressError:
            return None
        if not is_same_host:
            return None
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class _Download:
    """A download from one address into a folder, with limits on time and bytes."""

    def __init__(self, address: str, folder: Path, seconds: float) -> None:
        url = _parse_address(address)
        is_local = url.scheme == "http" and url.hostname in _LOCAL_HOSTS
        if url.scheme != "https" and not is_local:
            raise UsageError(f"{address} is not an https:// address")
        self.address = address
        self.folder = folder
        self.remaining_bytes = _MAX_BYTES
        self.deadline = Deadline(seconds)
        self.opener = opener_until(self.deadline, _SameHostRedirects)

    def fetch_file(self, name: str) -> None:
        """Download a file below the address, unless it is not served or is too large.

        Raises:
            UsageError: The host can't be reached, or a limit of the whole download is reached.
        """
        path = self.folder / name
        with self._open(self.address + quote(name)) as response:
            if response is None:
                return
            content = b"".join(self._chunks(response, _MAX_FILE_BYTES + 1))
        if len(content) <= _MAX_FILE_BYTES:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def fetch_address(self, path: Path) -> None:
        """Download the file that the address itself serves.

        Raises:
            UsageError: The address serves nothing, or a limit is reached.
        """
        with self._open(self.address) as response, path.open("wb") as file:
            if response is None:
                raise UsageError(f"{self.address} is not served")
            file.writelines(self._chunks(response, _MAX_BYTES + 1))

    @contextmanager
    def _open(self, address: str) -> Iterator[HTTPResponse | None]:
        """Open an address; yield None if the host does not serve it or the address is invalid.

        Raises:
            UsageError: The host can't be reached, or closed the connection before it answered.
        """
        try:
            response = self.opener.open(address)
        except (HTTPError, InvalidURL, ValueError):
            self._require_time()
            yield None
            return
        except URLError as error:
            self._require_time()
            raise UsageError(
                f"{_reason_text(error)} at {address}; is the site being served?"
            ) from error
        except (OSError, HTTPException) as error:
            self._require_time()
            raise _broken_connection(address) from error
        with response:
            yield response

    def _require_time(self) -> None:
        """Check that the time limit is not reached yet.

        Raises:
            UsageError: The time limit is reached.
        """
        try:
            self.deadline.seconds_left()
        except TimeoutError:
            seconds = f"{self.deadline.seconds:,.0f}"
            raise UsageError(f"{self.address} took longer than {seconds} seconds") from None

    def _chunks(self, response: HTTPResponse, max_bytes: int) -> Iterator[bytes]:
        """Yield at most the first `max_bytes` bytes of a response, in chunks.

        Raises:
            UsageError: The connection broke, or a limit of the whole download is reached.
        """
        wanted_bytes = max_bytes
        while wanted_bytes:
            try:
                chunk = response.read(min(_CHUNK_BYTES, wanted_bytes))
            except (OSError, HTTPException) as error:
                self._require_time()
                raise _broken_connection(response.url) from error
            self._require_time()
            self.remaining_bytes -= len(chunk)
            if self.remaining_bytes < 0:
                raise UsageError(f"{self.address} serves more than {_MAX_BYTES // MEGABYTE:,} MB")
            if not chunk:
                # A read with a size raises no error if the promised length is not reached.
                if response.length:
                    raise _broken_connection(response.url)
                return
            wanted_bytes -= len(chunk)
            yield chunk


def _parse_address(address: str) -> SplitResult:
    try:
        return parse_web_address(address)
    except AddressError as error:
        raise UsageError(f"{address} is not a usable https:// address: it {error}") from None


def download_listed(
    address: str,
    folder: Path,
    list_name: str = CHECKSUMS,
    extra_files: Sequence[str] = (),
    seconds: float = _MAX_SECONDS,
) -> Path:
    """Download the files that a served folder lists, skipping files that are not served.

    No other file is requested, and no other host is contacted.

    Args:
        address: Address of the served folder.
        folder: An empty folder to download into.
        list_name: Name of the list of files, which is in the format of `sha256sum`.
        extra_files: Names of further files to download that are not on the list.
        seconds: Time limit of the complete download.

    Raises:
        UsageError: The address is neither https nor local, it has no such list, or a limit is
            reached.
    """
    download = _Download(address.rstrip("/") + "/", folder, seconds)
    for name in (list_name, *extra_files):
        download.fetch_file(name)
    list_path = folder / list_name
    if not list_path.is_file():
        raise UsageError(f"{download.address}{list_name}, the list of its files, is not served")
    for line in list_path.read_text(encoding="utf-8", errors="replace").splitlines():
        entry = CHECKSUM_LINE.fullmatch(line)
        if entry and _is_requested(entry[2]):
            download.fetch_file(entry[2])
    return folder


def download_artifacts(address: str, folder: Path, seconds: float = _MAX_SECONDS) -> Path:
    """Download runs: the files in a zip file, any other single file, or a folder with SHA256SUMS.

    Args:
        address: Address of the file or folder.
        folder: An empty folder to download into.
        seconds: Time limit of the complete download.

    Returns:
        The file or folder with the runs.

    Raises:
        UsageError: As for `download_listed`.
        ProblemsError: The zip file is broken or its content is too large.
    """
    name = PurePosixPath(_parse_address(address).path).name
    if address.endswith("/") or "." not in name.strip("."):
        return download_listed(address, folder, seconds=seconds)
    path = folder / name
    _Download(address, folder, seconds).fetch_address(path)
    if path.suffix != ".zip":
        return path
    runs = folder / path.stem
    remaining_bytes = _MAX_BYTES
    with archive(path) as packed:
        for member in filter(_is_requested, packed.members):
            data = packed.read(member)
            remaining_bytes -= len(data)
            if remaining_bytes < 0:
                raise UsageError(f"{address} unpacks to more than {_MAX_BYTES // MEGABYTE:,} MB")
            (runs / member).parent.mkdir(parents=True, exist_ok=True)
            (runs / member).write_bytes(data)
    return runs


def _is_requested(name: str) -> bool:
    """Return whether a file with this name should be downloaded or unpacked."""
    return name.isprintable() and stays_inside(name)


def _broken_connection(address: str) -> UsageError:
    return UsageError(
        f"the connection to {address} broke before its answer was complete; run this command again"
    )


def _reason_text(error: URLError) -> str:
    """Return the reason why a host could not be reached, without the error number."""
    reason = error.reason
    if isinstance(reason, OSError) and reason.strerror:
        return reason.strerror.lower()
    return str(reason)
