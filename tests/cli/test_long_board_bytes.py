"""A board in parts, built again after a change: the site is that of a clean build, and nothing of before stays."""

from pathlib import Path

from kit.built_sites import differing
from kit.command import done
from kit.long_boards import write_long_board

ROWS = 205


def built(results: Path, site: Path, *options: str | Path) -> Path:
    done("build", "--results", results, "--site", site, *options)
    return site


def test_parts_built_after_a_change_are_those_of_a_clean_build(tmp_path: Path) -> None:
    """A row of the second part gets another score; then so many rows leave that one page has them all."""
    results, site = tmp_path / "results", tmp_path / "site"
    table = write_long_board(results, ROWS)
    built(results, site)
    second_page = site / "long/main/rows-2/index.html"
    text = table.read_text(encoding="utf-8")
    before = second_page.read_text(encoding="utf-8")
    table.write_text(text.replace("resolved = 69.8", "resolved = 69.75"), encoding="utf-8")
    built(results, site)
    assert second_page.read_text(encoding="utf-8") != before
    assert list(differing(site, built(results, tmp_path / "clean", "--cache", tmp_path / "cache"))) == []
    table.write_text("\n[[rows]]".join(text.split("\n[[rows]]")[:201]), encoding="utf-8")
    built(results, site)
    assert not second_page.exists()
    assert "rows-2" not in (site / "long/main/index.html").read_text(encoding="utf-8")
