"""What pages and commands say of the site's own address and of the repository that takes submissions."""

from pathlib import Path

import pytest
from kit.board_outputs import text_of
from kit.command import done, sitegen
from lxml import html

TABLE = "task,attempt,round,reward\nneat,1,1,1\ntidy,1,1,0\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one submission."""
    done("init", tmp_path / "board", "--title", "Tidy Bench")
    (tmp_path / "runs.csv").write_text(TABLE, encoding="utf-8")
    options = ("--benchmark", "board", "--agent", "Acme-1", "--date", "2026-07-01")
    done("import", "table", "../runs.csv", *options, folder=tmp_path / "board")
    return tmp_path / "board"


def set_up(project: Path, line: str) -> None:
    """Add a line to the settings of a project."""
    settings = project / "mkdocs.yml"
    settings.write_text(f"{line}\n{settings.read_text(encoding='utf-8')}", encoding="utf-8")


def built(project: Path) -> str:
    """Build a project's site, and return what the command printed to standard error."""
    ended = sitegen("build", folder=project)
    assert ended.returncode == 0, ended.stderr
    return ended.stderr


def page(project: Path, address: str) -> html.HtmlElement:
    return html.fromstring((project / "site" / address / "index.html").read_text(encoding="utf-8"))


def test_a_build_without_an_address_says_once_what_the_site_lacks(project: Path) -> None:
    for _ in range(2):  # the second build takes everything from the cache
        output = built(project)
        assert output.count("site_url") == 1
        assert "mkdocs.yml sets no `site_url`, so the sitemap is empty, and feeds, citations" in output
    assert "<loc>" not in (project / "site" / "sitemap.xml").read_text(encoding="utf-8")
    set_up(project, "site_url: https://boards.example/tidy/")
    assert "site_url" not in built(project)
    assert "<loc>https://boards.example/tidy/" in (project / "site" / "sitemap.xml").read_text(encoding="utf-8")


def test_pages_name_the_repository_that_takes_submissions(project: Path) -> None:
    built(project)
    assert "github.com" not in text_of(page(project, "."))
    page_text = text_of(page(project, "submit"))
    assert "Submissions are pull requests to the repository of this leaderboard." in page_text
    set_up(project, "repo_url: https://github.com/acme/tidy-bench")
    built(project)
    for address in (".", "submit"):
        (link,) = page(project, address).xpath("//article//a[@href='https://github.com/acme/tidy-bench']")
        assert link.text == "github.com/acme/tidy-bench"
    (commands, *_) = page(project, "submit").xpath("//pre")
    assert commands.text_content().splitlines() == [
        "git clone https://github.com/acme/tidy-bench",
        "cd tidy-bench",
        "make site",
    ]
    for path in (project / "site").rglob("*.html"):
        # The theme would fetch the repository's figures from another host.
        assert 'data-md-component="source"' not in path.read_text(encoding="utf-8"), path


def test_an_address_of_the_repository_that_is_none_is_refused(project: Path) -> None:
    set_up(project, "repo_url: acme/tidy-bench")
    ended = sitegen("build", folder=project)
    assert ended.returncode == 2
    assert "mkdocs.yml: `repo_url` is acme/tidy-bench, which does not begin with https://" in ended.stderr
