"""The command that serves the site on this machine and rebuilds it when files change."""

import functools
import http.server
import io
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from sitegen.cli.building import build_and_report
from sitegen.cli.console import failure_text, print_error, print_lines, today
from sitegen.cli.options import (
    CACHE_FOLDER,
    JOBS,
    AllowOption,
    CacheOption,
    JobsOption,
    PortOption,
    ResultsOption,
    SiteOption,
)
from sitegen.problems import SitegenError

_LOCAL_HOST = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d+)?", re.IGNORECASE)
"""Matches the host names that a browser on this machine may use for the site."""

POLL_SECONDS = 1.0
"""The time between checks for changes, in seconds."""

_STATE_ADDRESS = "/.sitegen-state"
"""The address of a text that changes whenever the site is rebuilt."""
_SCRIPT_ADDRESS = "/.sitegen-reload.js"
"""The address of a script that reloads a page when the state changes."""
_RELOAD_SCRIPT = f"""\
let was = "";
setInterval(async () => {{
  const now = await fetch("{_STATE_ADDRESS}").then((answer) => answer.text(), () => was);
  if (was && now !== was) location.reload();
  was = now;
}}, {1000 * POLL_SECONDS:.0f});
"""


def serve(
    results: ResultsOption = Path("results"),
    site: SiteOption = Path("site"),
    jobs: JobsOption = JOBS,
    port: PortOption = 8000,
    *,
    allow_problems: AllowOption = False,
    cache: CacheOption = Path(CACHE_FOLDER),
) -> None:
    """Build the site, serve it on localhost, and rebuild it on change; open pages reload."""
    from sitegen.pipeline.build_options import BuildOptions
    from sitegen.publish.projects.project import find_project

    options = BuildOptions(site, today(), jobs=jobs, allow_problems=allow_problems, cache=cache)
    rebuild = functools.partial(build_and_report, results, options)
    rebuild()
    with serve_folder(site, port):
        project = find_project(Path.cwd())
        sources = (results, project.settings, project.authored, project.root / "templates")
        _rebuild_on_change(rebuild, sources)


@contextmanager
def serve_folder(site: Path, port: int) -> Iterator[str]:
    """Serve a site on localhost until Ctrl-C, and yield its address.

    Args:
        site: The site's folder.
        port: The port; 0 for any free port.
    """
    handler = functools.partial(_QuietHandler, directory=str(site))
    with _QuietServer(("127.0.0.1", port), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        print_lines(f"{address} is ready; press Ctrl-C to stop")
        sys.stdout.flush()
        try:
            yield address
        except KeyboardInterrupt:
            server.shutdown()


class _QuietServer(http.server.ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Print nothing about invalid requests or closed connections."""


class _QuietHandler(http.server.SimpleHTTPRequestHandler):
    def send_head(self) -> io.BytesIO | BinaryIO | None:
        """Answer a request; add a script to pages that reloads them when the site is rebuilt.

        Requests for other host names are refused, because another site may let one of its names
        resolve to this machine.
        """
        if not _LOCAL_HOST.fullmatch(self.headers.get("Host", "")):
            self.send_error(http.HTTPStatus.MISDIRECTED_REQUEST)
            return None
        path = self.path.partition("?")[0]
        if path == _STATE_ADDRESS:
            # A rebuilt site is a new folder with another inode.
            inode = Path(self.directory).stat().st_ino
            return self._send(str(inode).encode(), "text/plain")
        if path == _SCRIPT_ADDRESS:
            return self._send(_RELOAD_SCRIPT.encode(), "text/javascript")
        file = Path(self.translate_path(self.path))
        page = file
        if path.endswith("/"):
            page = file / "index.html"
        if page.suffix == ".html" and page.is_file():
            script = f'<script src="{_SCRIPT_ADDRESS}"></script></body>'.encode()
            content = page.read_bytes().replace(b"</body>", script)
            return self._send(content, "text/html; charset=utf-8")
        return super().send_head()

    def _send(self, body: bytes, media_type: str) -> io.BytesIO:
        """Send the headers of a response, and return its body."""
        self.send_response(http.HTTPStatus.OK)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        return io.BytesIO(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base class
        """Print nothing about requests."""


def _rebuild_on_change(rebuild: Callable[[], None], sources: Sequence[Path]) -> None:
    """Call a function when a source file changes; print errors, and keep serving the site."""
    built_from = dict(_modification_times(sources))
    while True:
        time.sleep(POLL_SECONDS)
        try:
            current = dict(_modification_times(sources))
            if current != built_from:
                built_from = current
                rebuild()
        except (SitegenError, OSError, MemoryError) as error:
            print_error(*failure_text(error).split("\n"), "the site stays as it was")


def _modification_times(sources: Sequence[Path]) -> Iterator[tuple[Path, int]]:
    """Yield every source file with its modification time in nanoseconds.

    Raises:
        OSError: A file disappeared in the meantime.
    """
    for root in sources:
        for path in (root, *root.rglob("*")):
            if path.is_file():
                yield path, path.stat().st_mtime_ns
