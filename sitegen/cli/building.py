"""Commands that make the site."""

import functools
import http.server
import io
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from sitegen.cli.console import (
    ResultsOption,
    failure_text,
    progress,
    say,
    say_error,
    shown_path,
    summary,
    today,
)
from sitegen.pipeline import building
from sitegen.pipeline.build_options import BuildOptions, BuildProgress
from sitegen.problems import SitegenError, UsageError
from sitegen.publish.cache import FOLDER
from sitegen.publish.hosts import near_limits
from sitegen.publish.project import find_project

SiteOption = Annotated[Path, typer.Option("--site", help="The folder that the site is to have.")]
JobsOption = Annotated[
    int, typer.Option("--jobs", min=1, help="Processes that render pages side by side.")
]
JOBS = os.cpu_count() or 1
PortOption = Annotated[int, typer.Option(min=0, max=65535, help="Port on localhost.")]

AllowOption = Annotated[
    bool, typer.Option("--allow-problems", help="Publish what has errors, marked as such.")
]
ParquetOption = Annotated[
    bool, typer.Option("--parquet", help="Offer scores, rounds and cases as Parquet too.")
]

CacheOption = Annotated[
    Path,
    typer.Option(
        "--cache",
        help="The folder for what the next build can use; not in the results or the site.",
    ),
]
LinksOption = Annotated[
    bool, typer.Option("--check-links", help="Read every page again for links that lead nowhere.")
]
SchedulerOption = Annotated[
    str,
    typer.Option(
        "--scheduler",
        help="Address of a Dask scheduler whose workers read bundles; the extra `dask`.",
    ),
]

_OWN_NAME = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d+)?", re.IGNORECASE)
"""What a browser calls the server by."""

_SECONDS = 1.0
"""How often `serve` looks for changes."""

_STATE, _SCRIPT = "/.sitegen-state", "/.sitegen-reload.js"
"""What a served page asks whether the site is another one, and the script that asks: no part of the site."""
_RELOAD = f"""\
let was = "";
setInterval(async () => {{
  const now = await fetch("{_STATE}").then((answer) => answer.text(), () => was);
  if (was && now !== was) location.reload();
  was = now;
}}, {1000 * _SECONDS:.0f});
"""


def build(
    results: ResultsOption = Path("results"),
    site: SiteOption = Path("site"),
    jobs: JobsOption = JOBS,
    *,
    allow_problems: AllowOption = False,
    parquet: ParquetOption = False,
    check_links: LinksOption = False,
    cache: CacheOption = Path(FOLDER),
    scheduler: SchedulerOption = "",
) -> None:
    """Validate the results, recompute every score, and build the site."""
    _build(
        results,
        BuildOptions(site, today(), jobs, allow_problems, parquet, check_links, cache, scheduler),
    )


def serve(
    results: ResultsOption = Path("results"),
    site: SiteOption = Path("site"),
    jobs: JobsOption = JOBS,
    port: PortOption = 8000,
    *,
    allow_problems: AllowOption = False,
    cache: CacheOption = Path(FOLDER),
) -> None:
    """Build the site, serve it on localhost, and build it again when something changes; open pages follow."""
    order = BuildOptions(site, today(), jobs, allow_problems, cache=cache)
    again = functools.partial(_build, results, order)
    again()
    with served(site, port):
        project = find_project(Path.cwd())
        watched = (results, project.settings, project.authored, project.root / "templates")
        _rebuild_on_change(again, watched)


@contextmanager
def served(site: Path, port: int) -> Iterator[str]:
    """Serve a site on localhost, until whoever started it ends it. Gives its address."""
    handler = functools.partial(_QuietHandler, directory=str(site))
    with _QuietServer(("127.0.0.1", port), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        say(f"{address} shows it; Ctrl-C ends this")
        sys.stdout.flush()
        try:
            yield address
        except KeyboardInterrupt:
            server.shutdown()


class _QuietServer(http.server.ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of who asked for what can't be, or went before all was told."""


class _QuietHandler(http.server.SimpleHTTPRequestHandler):
    def send_head(self) -> io.BytesIO | BinaryIO | None:
        """Answer who calls this machine by its own name: another site may let a name of its own lead here."""
        if not _OWN_NAME.fullmatch(self.headers.get("Host", "")):
            self.send_error(http.HTTPStatus.MISDIRECTED_REQUEST)
            return None
        path, file = self.path.partition("?")[0], Path(self.translate_path(self.path))
        if path == _STATE:  # another site is another folder
            return self._send(str(Path(self.directory).stat().st_ino).encode(), "text/plain")
        if path == _SCRIPT:
            return self._send(_RELOAD.encode(), "text/javascript")
        page = file / "index.html" if path.endswith("/") else file
        if page.suffix == ".html" and page.is_file():
            asking = f'<script src="{_SCRIPT}"></script></body>'.encode()
            return self._send(
                page.read_bytes().replace(b"</body>", asking), "text/html; charset=utf-8"
            )
        return super().send_head()

    def _send(self, body: bytes, kind: str) -> io.BytesIO:
        self.send_response(http.HTTPStatus.OK)
        for name, value in (
            ("Content-Type", kind),
            ("Content-Length", str(len(body))),
            ("Cache-Control", "no-store"),
        ):
            self.send_header(name, value)
        self.end_headers()
        return io.BytesIO(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class calls it so
        """Say nothing of every request."""


def _build(results: Path, order: BuildOptions) -> None:
    if not results.is_dir():
        raise UsageError(f"{results} does not exist; name a results folder")
    project = find_project(Path.cwd())
    with progress("reading bundles") as reading, progress("writing pages") as writing:
        built = building.build(results, project, order, BuildProgress(reading, writing))
    if built.problems:
        say(f"{summary(built.problems)}; `sitegen validate {shown_path(results)}` lists them")
    for line in near_limits(built.sizes):
        say(line)
    index = shown_path(built.site / "index.html")
    say(f"{built.pages} pages in {shown_path(built.site)}; open {index}, or run `sitegen serve`")


def _rebuild_on_change(again: Callable[[], None], watched: tuple[Path, ...]) -> None:
    before = dict(_stamps(watched))
    while True:
        time.sleep(_SECONDS)
        try:
            now = dict(_stamps(watched))  # a file may go while it is looked at
            if now != before:
                before = now
                again()
        except (SitegenError, OSError, MemoryError) as error:
            say_error(*failure_text(error).split("\n"), "the site stays as it was")


def _stamps(watched: tuple[Path, ...]) -> Iterator[tuple[Path, int]]:
    for root in watched:
        for path in (root, *root.rglob("*")):
            if path.is_file():
                yield path, path.stat().st_mtime_ns
