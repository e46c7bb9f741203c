"""What holds for every test."""

import gc
import os
import shutil
import tempfile
import time
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings
from kit import command
from kit.thoroughness import IS_WHOLE
from lxml import cssselect, etree, html

BEGAN = time.monotonic()
LIMIT = 240
"""So many seconds `make test` takes at most, on two cores beside nothing else."""

# No test depends on how fast the machine is, nor on luck: every change is judged by the same examples. New ones,
# and more of them, are drawn by `make fuzz`.
settings.register_profile("same", deadline=None, derandomize=not IS_WHOLE, max_examples=100 if IS_WHOLE else 40)
settings.load_profile("same")

# Which class an element has is looked up for each one that a test sees; none needs those of forms. Of the few thousand
# selectors each is read once.
cssselect.CSSSelector = cache(cssselect.CSSSelector)
html.html_parser.set_element_class_lookup(
    etree.ElementDefaultClassLookup(element=html.HtmlElement, comment=html.HtmlComment)
)

MEMORY = Path("/dev/shm")  # noqa: S108 - each test gets a folder of its own
ROOM = 4_000_000_000
"""So many bytes a run may have in files at a time."""

# Some ten thousand files are written, and removed again: in memory that takes a tenth of the time.
if (
    MEMORY.is_dir()
    and shutil.disk_usage(MEMORY).free > ROOM
    and not os.statvfs(MEMORY).f_flag & (os.ST_NOEXEC | os.ST_RDONLY)
):
    tempfile.tempdir = os.environ["TMPDIR"] = str(MEMORY)

gc.disable()  # nothing is garbage of what is read until the tests begin


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that stores the golden site anew."""
    parser.addoption("--update-golden", action="store_true", help="Write tests/golden/ as the program builds it now.")


def pytest_collection_finish() -> None:
    """Look for garbage from here on, seldom, and never among all that was read."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _shared_sites(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep built sites, and the process that runs commands, where all processes of this run find them."""
    base = tmp_path_factory.getbasetemp()
    command.shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Tell how long the whole took, and how long it may take; another machine may be slower, so nothing fails by it."""
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        took = time.monotonic() - BEGAN
        terminalreporter.write_line(f"took {took:.0f} s; the limit on 2 cores beside nothing else is {LIMIT} s")
