#!/usr/bin/env python3
"""Takes the README's pictures of this repository's site: `make pictures`."""

import os
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
INTO = ROOT / "site_src" / "assets" / "pictures"
PAGES = {
    "home": "",
    "run": "evocode-bench/official/2026-06-25-qwen3-7-max/theme_d5_w9_data_engineering_reproducibility_verification/",
}
"""The address of the page in each picture, by the picture's name."""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class calls it so
        """Print nothing about requests."""


def take(site: Path) -> None:
    """Write a picture of the first screen of each page."""
    browser = os.environ.get("SITEGEN_BROWSER") or None
    with (
        ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site))) as server,
        sync_playwright() as playwright,
    ):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = playwright.chromium.launch(executable_path=browser).new_page(
            viewport={"width": 1280, "height": 800}
        )
        for name, address in PAGES.items():
            answer = page.goto(
                f"http://127.0.0.1:{server.server_port}/{address}", wait_until="networkidle"
            )
            page.reload(wait_until="networkidle")  # the typeface is shown only once it is cached
            if not answer or not answer.ok:
                sys.exit(f"there is no page {address} to take a picture of")
            page.screenshot(path=INTO / f"{name}.png")
        page.context.close()
        server.shutdown()


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        site = Path(folder) / "site"
        subprocess.run(
            [sys.executable, "-m", "sitegen", "build", "--site", site], cwd=ROOT, check=True
        )
        take(site)
