"""A real Chromium, and real sites served on this machine."""

import os
import shutil
from collections.abc import Iterator

import pytest
from kit import built_sites as built
from kit.browser_windows import SIZE, leave
from kit.built_sites import demo, made_once, site_of
from kit.command import done
from kit.layout_shifts import watch_shifts
from kit.real_data import real_data
from kit.timeouts import PATIENCE
from kit.transcripts import served
from playwright.sync_api import Browser, Page, expect, sync_playwright

_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-gpu-mem-available-mb=0",
    "--in-process-gpu",
)
"""Without memory for pictures nothing is painted, which is a third of the work; no test looks at pixels.
What is left needs no process of its own.
"""


def _executable() -> str | None:
    """Path of the browser: as `make test` found it, else one on the PATH; None for Playwright's own."""
    named = os.environ.get("SITEGEN_BROWSER")
    if named is None:
        named = next(filter(None, map(shutil.which, _NAMES)), "none")
    if named == "none":
        if os.environ.get("CI"):
            pytest.fail("there is no Chromium; in CI that is a failure")
        pytest.skip("there is no Chromium: run `make test`, which installs one, or name one in SITEGEN_BROWSER")
    return named or None


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A running Chromium, whose pages are given the time that a slow machine needs."""
    executable = _executable()
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=executable, args=list(_FLAGS))
        running.on("context", lambda context: context.set_default_timeout(2 * PATIENCE))
        yield running
        running.close()


@pytest.fixture
def fresh_page(browser: Browser) -> Iterator[Page]:
    """A page for a test that changes it for good, as a script does that runs on all that it opens."""
    context = browser.new_context(viewport=SIZE)
    yield context.new_page()
    context.close()


@pytest.fixture(scope="session")
def window(browser: Browser) -> Iterator[Page]:
    """A page that one reader after the other opens: to begin one anew takes as long as most tests do."""
    context = browser.new_context(viewport=SIZE)
    watch_shifts(context)
    yield context.new_page()
    context.close()


@pytest.fixture(scope="session")
def plain_window(browser: Browser) -> Iterator[Page]:
    """Another such page, with scripts off."""
    context = browser.new_context(viewport=SIZE, java_script_enabled=False)
    yield context.new_page()
    context.close()


@pytest.fixture
def page(window: Page) -> Iterator[Page]:
    """A page that a reader opens, scripts on; nothing is left of the reader before."""
    yield window
    leave(window)


@pytest.fixture
def plain_page(plain_window: Page) -> Iterator[Page]:
    """A page with scripts off."""
    yield plain_window
    leave(plain_window)


@pytest.fixture(scope="session")
def demo_site() -> Iterator[str]:
    """Address of a site of simulated results, with every state that a round can have."""
    with served(site_of(demo())) as address:
        yield address


@pytest.fixture(scope="session")
def own_site() -> Iterator[str]:
    """Address of the site of the project's own results: boards of published tables beside simulated ones."""
    with served(built.own_site()) as address:
        yield address


@pytest.fixture(scope="session")
def real_site() -> Iterator[str]:
    """Address of a site of EvoCode-Bench's first published results."""
    source = real_data("evocodebench", "2026-06-13")
    arguments = ("import", "evocodebench", source, "--claims", source / "published.json", "--into")
    with served(site_of(made_once("real", lambda folder: done(*arguments, folder)))) as address:
        yield address
