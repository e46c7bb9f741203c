"""A static host as readers meet it: it compresses text, keeps connections open, and forbids caching."""

import functools
import gzip
import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from urllib.parse import unquote, urlsplit

LEVEL = 6
"""Compression level that hosts commonly use, from 1 to 9."""

TYPES = {
    ".css": "text/css",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".xml": "application/xml",
}


@dataclass(frozen=True)
class Host:
    """A site that is being served."""

    address: str
    """The address of the site, ending in `/`."""
    sent: dict[str, int] = field(default_factory=dict)
    """Bytes sent for each requested path, compressed and without response headers."""


def compressed(path: Path) -> bytes:
    """Return the content of a file as it is sent."""
    return _compressed(path, path.stat().st_mtime_ns)


@functools.cache
def _compressed(path: Path, _changed: int) -> bytes:
    return gzip.compress(path.read_bytes(), LEVEL, mtime=0)


class _Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore errors: a reader who leaves during a response is not a failure."""


@contextmanager
def hosting(folder: Path) -> Iterator[Host]:
    """Serve a built site on this machine until the block ends."""
    sent: dict[str, int] = {}

    class Answer(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def do_GET(self) -> None:
            path = folder / unquote(urlsplit(self.path).path).lstrip("/")
            path = path / "index.html" if path.is_dir() else path
            is_found = path.is_file()
            body = compressed(path) if is_found else b""
            sent[self.path] = len(body)
            self.send_response(HTTPStatus.OK if is_found else HTTPStatus.NOT_FOUND)
            self.send_header("Content-Type", TYPES.get(path.suffix, "application/octet-stream"))
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            if is_found:
                self.send_header("Content-Encoding", "gzip")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the server calls it so
            pass

    with _Server(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Host(f"http://127.0.0.1:{server.server_port}/", sent)
        server.shutdown()
