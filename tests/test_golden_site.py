"""One small complete site, compared file by file with `tests/golden/site/`: two tracks, two agents, three tasks."""

from pathlib import Path

import pytest
from kit.golden import NAMES, build_golden, differences, golden_texts, names_of, store_golden, texts_of


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """Build the site of the golden results; with `--update-golden`, store it first."""
    built = build_golden(tmp_path_factory.mktemp("golden"))
    if request.config.getoption("--update-golden"):
        store_golden(built)
    return built


def test_every_page_and_every_file_is_the_golden_one(site: Path) -> None:
    difference = differences(golden_texts(), texts_of(site))
    assert not difference, difference


def test_the_site_has_the_golden_files_and_no_others(site: Path) -> None:
    expected = {NAMES.name: NAMES.read_text(encoding="utf-8")}
    difference = differences(expected, {NAMES.name: "".join(f"{name}\n" for name in names_of(site))})
    assert not difference, difference


def test_a_changed_word_is_shown_with_the_line_that_it_stands_on() -> None:
    expected = {"index.html": "<h1>Boards</h1>\n<p>Acme-1 leads</p>\n<p>2 agents</p>", "feed.xml": "<feed/>"}
    built = {**expected, "index.html": expected["index.html"].replace("leads", "trails")}
    assert differences(expected, built).split("\n")[1:] == [
        "--- golden/index.html",
        "+++ built/index.html",
        "@@ -1,3 +1,3 @@",
        " <h1>Boards</h1>",
        "-<p>Acme-1 leads</p>",
        "+<p>Acme-1 trails</p>",
        " <p>2 agents</p>",
    ]
    assert differences(expected, {"index.html": expected["index.html"]}).endswith("feed.xml is gone")
    assert differences(expected, expected) == ""
