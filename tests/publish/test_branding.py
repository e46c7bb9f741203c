"""An owner's look: a brand, styles and scripts of the owner's own, and what pages may not load."""

import json
import re
import shutil
from pathlib import Path
from urllib.parse import urljoin
from urllib.request import Request, urlopen

import pytest
from kit.built_sites import made_once
from kit.command import ROOT, done, sitegen
from kit.transcripts import served
from lxml import html

from sitegen.problems import UsageError
from sitegen.publish.site.branding import remote_references, require_local_assets
from sitegen.publish.site.builders import find_builder
from sitegen.publish.site.search_index import SEARCH_INDEX

BRANDED = """
site_url: https://example.org/sub/path/
extra:
  builder: BUILDER
  brand: {logo: assets/ours.svg, accent: "#7a1f5c", accent_dark: "#f0a0d0", font: assets/ours.woff2}
extra_css: [assets/ours.css]
extra_javascript: [assets/ours.js]
"""
OWN_PAGE = "# Send us a table\n\nBy mail, as [the files](../data/index.md) are.\n"
SPELLED = {"Table of contents": "On this page"}
"""Words beside the pages that the builders have differently. Assets of the theme have other names, too."""


def branded(folder: Path, builder: str) -> None:
    """Make the site of a new project with a brand, styles and a script, published below a path."""
    folder.mkdir()
    done("init", "board", folder=folder)
    assets = folder / "board" / "site_src" / "assets"
    assets.mkdir()
    shutil.copy(ROOT / "site_src/assets/favicon.svg", assets / "ours.svg")
    shutil.copy(ROOT / "site_src/assets/vendor/archivo.woff2", assets / "ours.woff2")
    (assets / "ours.css").write_text(".md-footer { border: 0; }\n", encoding="utf-8")
    (assets / "ours.js").write_text("document.title;\n", encoding="utf-8")
    with (folder / "board" / "mkdocs.yml").open("a", encoding="utf-8") as settings:
        settings.write(BRANDED.replace("BUILDER", builder))
    (folder / "board" / "site_src" / "submit").mkdir()
    (folder / "board" / "site_src" / "submit" / "index.md").write_text(OWN_PAGE, encoding="utf-8")
    done("build", "--check-links", folder=folder / "board")


def site_by(builder: str) -> Path:
    """Give the branded site as a builder makes it."""
    if builder != "mkdocs":
        pytest.importorskip(builder, reason=f"{builder} is not installed")
    return made_once(f"branded-{builder}", lambda folder: branded(folder, builder)) / "board" / "site"


@pytest.fixture(scope="module", params=["mkdocs", "zensical"])
def site(request: pytest.FixtureRequest) -> Path:
    return site_by(request.param)


@pytest.mark.parametrize("name", ["index.html", "data/index.html", "board/index.html", "board/main/index.html"])
def test_every_page_has_our_styles_then_the_brand_then_the_owner_s(site: Path, name: str) -> None:
    page = (site / name).read_text(encoding="utf-8")
    read = html.fromstring(page.encode())
    sheets = [(site / name).parent / link for link in read.xpath("//link[@rel='stylesheet']/@href")]
    styles = "".join((*read.xpath("//style/text()"), *(sheet.read_text(encoding="utf-8") for sheet in sheets)))
    ours, brand, theirs = (
        styles.index(style) for style in ("--accent:#0b5d4b", "--accent:#7a1f5c", ".md-footer{border:0")
    )
    assert ours < brand < theirs
    is_board = name.startswith("board/")  # it has the styles of boards, and not the theme's own colours
    assert (".sg-panel" in styles, is_board and "[data-md-color-primary=" in styles) == (is_board, False)
    assert "--accent:#f0a0d0" in styles
    assert "assets/ours.js" in "".join(read.xpath("//script/@src"))
    assert read.xpath("//header//a[contains(@class,'md-logo')]/img/@src")[0].endswith("assets/ours.svg")
    (font,) = read.xpath("//link[@rel='preload']/@href")
    assert ((site / name).parent / font).samefile(site / "assets" / "ours.woff2")


def told(site: Path, page: Path) -> tuple[str, set[str], list[str], str]:
    """What a page says, what can be led to there, where it leads, and what the search finds it by."""
    read = html.parse(page, html.HTMLParser(encoding="utf-8")).getroot()
    for element in read.cssselect("script, style, .md-skip"):
        element.drop_tree()
    text = " ".join(read.text_content().split())
    for ours, theirs in SPELLED.items():
        text = text.replace(ours, theirs)
    links = [
        urljoin(f"/sub/path/{page.relative_to(site).as_posix().removesuffix('index.html')}", link)
        for link in read.xpath("//a/@href")
    ]
    return (
        text,
        {*read.xpath("//@id")} - {"__skip"},
        links,
        read.xpath("string(//title)"),
    )


def test_another_builder_makes_the_same_pages() -> None:
    ours, theirs = site_by("mkdocs"), site_by("zensical")
    pages = [page.relative_to(ours) for page in sorted(ours.rglob("*.html"))]
    assert pages == [page.relative_to(theirs) for page in sorted(theirs.rglob("*.html"))]
    for page in pages:
        assert told(theirs, theirs / page) == told(ours, ours / page), page
    docs, other_docs = (
        json.loads((site / SEARCH_INDEX).read_text(encoding="utf-8"))["docs"] for site in (ours, theirs)
    )
    assert docs == other_docs
    assert "Send us a table" in (theirs / "submit" / "index.html").read_text(encoding="utf-8")


def test_all_that_pages_name_is_served_below_the_path_of_the_site(site: Path, tmp_path: Path) -> None:
    """Also by the page for what is not there, which is shown at any address."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "path").symlink_to(site, target_is_directory=True)
    with served(tmp_path) as host:
        home = f"{host}sub/path/"
        read = {
            page_path: html.parse(urlopen(home + page_path)).getroot()  # noqa: S310 - ours
            for page_path in ("", "board/", "board/main/", "data/")
        }
        read["no/such/page/"] = html.parse(urlopen(f"{home}404.html")).getroot()  # noqa: S310 - ours
        links = {
            urljoin(home + linking_path, link.replace("https://example.org/sub/path/", home)).partition("#")[0]
            for linking_path, page in read.items()
            for link in page.xpath("//@href[not(starts-with(., '#'))] | //@src")
        }
        named = sorted(link for link in links if link.startswith((host, "https://example.org/")))
        assert f"{home}api/v1/board/main.json" in named
        assert [link for link in named if not link.startswith(home)] == []
        for link in named:  # which raises where none is served
            urlopen(Request(link, method="HEAD")).close()  # noqa: S310 - ours


def test_a_builder_that_is_not_known_is_refused() -> None:
    with pytest.raises(UsageError, match="is jekyll; use one of: mkdocs, zensical"):
        find_builder({"extra": {"builder": "jekyll"}})


@pytest.mark.parametrize("name", ["index.html", "board/index.html"])
def test_pages_that_carry_their_styles_find_the_typeface(site: Path, name: str) -> None:
    page = (site / name).read_text(encoding="utf-8")
    faces = re.findall(r'font-family:"Brand";src:url\(([^)]+)\)', page)
    assert [((site / name).parent / face).resolve() for face in faces] == [site / "assets" / "ours.woff2"]


@pytest.mark.parametrize(
    ("settings", "expected_message"),
    [
        ({"extra": {"brand": "red"}}, "`brand` needs keys with values: logo, accent, accent_dark, font"),
        ({"extra": {"brand": {"colour": "#000000"}}}, "`extra: brand: colour:` is not a setting"),
        ({"extra": {"brand": {"accent": "red"}}}, "six hexadecimal digits"),
        ({"extra": {"brand": {"accent": "#ffcc00"}}}, "text needs 4.5: choose a darker colour"),
        ({"extra": {"brand": {"accent_dark": "#223344"}}}, "text needs 4.5: choose a lighter colour"),
        ({"extra": {"brand": {"logo": "assets/none.svg"}}}, "a file below site_src/ that is there"),
        ({"extra": {"brand": {"font": "https://fonts.example/a.woff2"}}}, "put the file into site_src/assets/"),
        ({"extra_css": ["//cdn.example/a.css"]}, "`extra_css` names //cdn.example/a.css"),
        ({"extra_css": ["assets/none.css"]}, "`extra_css` names assets/none.css, which is not in site_src/; put it"),
        ({"extra_javascript": [{"path": "https://cdn.example/a.js"}]}, "`extra_javascript` names https://cdn"),
    ],
)
def test_what_can_not_be_used_is_told_with_what_to_do(
    tmp_path: Path, settings: dict[str, object], expected_message: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(expected_message)):
        require_local_assets(settings, tmp_path)


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        require_local_assets(
            {"extra": {"brand": {"accent": "red", "logo": "none.svg"}}, "extra_css": ["//a/b.css"]}, tmp_path
        )
    assert [line.count("mkdocs.yml: ") for line in error.value.args] == [1, 1, 1]


def test_what_pages_and_styles_would_load_from_elsewhere_is_named(tmp_path: Path) -> None:
    page = '<a href="https://a.example/">x</a> <img alt="" src="https://b.example/x.png">'
    (tmp_path / "a.html").write_text(f'{page}<link href="//c.example/x.css" rel="stylesheet">', encoding="utf-8")
    (tmp_path / "b.css").write_text('@import "https://d.example/x.css"; a { b: url(assets/x.png) }', encoding="utf-8")
    named = [re.findall(r"(.*) names (.*): browsers", line)[0] for line in remote_references(tmp_path)]
    assert named == [
        ("a.html", "https://b.example/x.png"),
        ("a.html", "//c.example/x.css"),
        ("b.css", "https://d.example/x.css"),
    ]


def test_a_build_refuses_a_page_with_a_picture_from_elsewhere(tmp_path: Path) -> None:
    done("init", "board", folder=tmp_path)
    page = tmp_path / "board" / "site_src" / "about.md"
    page.write_text("# About\n\n![state](https://badges.example/state.svg)\n", encoding="utf-8")
    ended = sitegen("build", folder=tmp_path / "board")
    assert ended.returncode == 3
    assert "about/index.html names https://badges.example/state.svg" in ended.stderr
