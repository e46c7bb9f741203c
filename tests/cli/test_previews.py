"""What a page tells other sites of itself, so that they can show it where somebody links to it."""

from pathlib import Path

import pytest
from kit.command import done
from kit.projects import project
from lxml import html

SITE = "https://example.org/boards/"


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The same results as a site whose address is known, and as one whose address is not."""
    work = tmp_path_factory.mktemp("previews")
    results = work / "results"
    done("demo", results, "--agents", "2", "--tasks", "1")
    done("release", "2026-06-01", "--results", results)
    (work / "project").mkdir()
    done("build", "--results", results, "--site", work / "known", folder=project(work / "project", SITE))
    done("build", "--results", results, "--site", work / "unknown")
    return work / "known", work / "unknown"


def told(page: Path) -> dict[str, str]:
    """Read what a page tells of itself."""
    metas = html.fromstring(page.read_bytes()).cssselect("meta[property^='og:'], meta[name^='twitter:']")
    return {meta.get("property") or meta.get("name"): meta.get("content") for meta in metas}


def forwards(page: Path) -> bool:
    return bool(html.fromstring(page.read_bytes()).cssselect("a[data-forward]"))


def pages(site: Path) -> list[Path]:
    """Name the pages of a site, without those at former addresses."""
    return [page for page in sorted(site.rglob("index.html")) if not forwards(page)]


def test_every_page_tells_its_title_and_its_address(sites: tuple[Path, Path]) -> None:
    addressed_site, _ = sites
    for page in pages(addressed_site):
        address = page.relative_to(addressed_site).as_posix().removesuffix("index.html")
        metadata = told(page)
        assert metadata["og:title"]
        assert metadata["og:description"]
        assert metadata["og:type"] == "website"
        assert metadata["og:url"] == f"{SITE}{address}"


def test_a_page_at_a_former_address_names_the_page_that_has_a_preview(sites: tuple[Path, Path]) -> None:
    addressed_site, _ = sites
    former = [page for page in addressed_site.rglob("index.html") if forwards(page)]
    assert addressed_site / "submit" / "hosting" / "index.html" in former
    for page in former:
        (link,) = html.fromstring(page.read_bytes()).cssselect("link[rel='canonical']")
        assert link.get("href").startswith(SITE)
        metadata = told(addressed_site / link.get("href").removeprefix(SITE) / "index.html")
        assert metadata["og:url"] == link.get("href")


def test_the_picture_of_every_page_is_there(sites: tuple[Path, Path]) -> None:
    addressed_site, _ = sites
    for page in pages(addressed_site):
        metadata = told(page)
        assert metadata["twitter:card"] == "summary_large_image"
        assert (metadata["og:image:width"], metadata["og:image:height"]) == ("1200", "630")
        assert metadata["og:image:alt"]
        assert metadata["og:image"].startswith(SITE)
        assert (addressed_site / metadata["og:image"].removeprefix(SITE)).read_bytes().startswith(b"\x89PNG")


def test_every_submission_and_board_has_its_own(sites: tuple[Path, Path]) -> None:
    addressed_site, _ = sites
    for track in ("chain", "fail-stop"):
        board = addressed_site / "demo" / track
        rows = html.fromstring((board / "index.html").read_bytes()).cssselect("table[data-board] tr[data-submission]")
        folders = [board, *(board / row.get("data-submission") for row in rows)]
        assert len(folders) > 1
        for folder in folders:
            address = folder.relative_to(addressed_site).as_posix()
            assert told(folder / "index.html")["og:image"] == f"{SITE}{address}/card.png"
            (shown,) = html.fromstring((folder / "index.html").read_bytes()).cssselect(
                "#cite ~ details:not([open]) img.sg-preview, #cite > details:not([open]) img.sg-preview"
            )
            assert (folder / shown.get("src")).resolve() == (folder / "card.png").resolve()
            assert (shown.get("loading"), shown.get("alt")[:14]) == ("lazy", "Share card of ")


def test_without_an_address_none_is_made_up(sites: tuple[Path, Path]) -> None:
    _, unknown = sites
    for page in pages(unknown):
        metadata = told(page)
        assert metadata["og:title"]
        assert not {"og:url", "og:image", "og:image:alt", "twitter:card"} & set(metadata)
