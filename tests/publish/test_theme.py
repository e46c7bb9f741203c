"""The style sheet of generated pages: the theme's, without the rules for what only authored pages have."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

from sitegen.publish.stamping import with_styles_inside, without_authored_parts, write_page_styles

ASSETS = Path(__file__).parents[2] / "site_src" / "assets"


@pytest.mark.parametrize(
    ("sheet", "kept"),
    [
        (".md-tabs{color:red}", ".md-tabs{color:red}"),
        (".md-typeset .admonition{color:red}", ""),
        (".md-typeset .admonition,.md-typeset details{color:red}", ".md-typeset details{color:red}"),
        (".md-typeset :is(.a,.b),.highlight{color:red}", ".md-typeset :is(.a,.b){color:red}"),
        ("@media print{.md-nav{top:0}.md-header{top:0}}", "@media print{.md-header{top:0}}"),
        ("@media print{.md-nav{top:0}}", ""),
        ("@keyframes heart{0%{top:0}to{top:1px}}", "@keyframes heart{0%{top:0}to{top:1px}}"),
    ],
)
def test_what_only_authored_pages_have_is_left_out(sheet: str, kept: str) -> None:
    assert without_authored_parts(sheet) == kept


def test_the_theme_s_own_sheet_keeps_its_frame_and_loses_more_than_a_third(tmp_path: Path) -> None:
    (sheet,) = (
        path
        for path in files("material").joinpath("templates/assets/stylesheets").iterdir()
        if path.name.startswith("main.") and path.name.endswith(".css")
    )
    whole = sheet.read_text(encoding="utf-8")
    (tmp_path / sheet.name).write_text(whole, encoding="utf-8")
    write_page_styles(tmp_path)
    short = (tmp_path / sheet.name.replace("main.", "pages.")).read_text(encoding="utf-8")
    assert len(short) < len(whole) * 2 / 3
    for kept in (".md-header", ".md-tabs", ".md-search", ".md-footer", ".md-typeset details", "@media print"):
        assert kept in short
    assert ".tabbed-" not in short


def test_a_page_can_carry_its_styles_in_the_order_that_it_names_them(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("p{color:red}", encoding="utf-8")
    (tmp_path / "b.css").write_text("p{color:blue}", encoding="utf-8")
    (tmp_path / "board").mkdir()
    page = (
        '<link rel="stylesheet" href="../a.css">\n<link rel="icon" href="a.svg"><link rel="stylesheet" href="../b.css">'
    )
    inside = '<style>p{color:red}</style>\n<link rel="icon" href="a.svg"><style>p{color:blue}</style>'
    assert with_styles_inside(page, tmp_path / "board") == inside


def test_files_that_carried_styles_name_are_named_from_the_page(tmp_path: Path) -> None:
    for folder in ("assets", "board"):
        (tmp_path / folder).mkdir()
    named = "url(vendor/a.woff2) url(data:image/svg+xml;x)"
    (tmp_path / "assets" / "a.css").write_text(named, encoding="utf-8")
    page = with_styles_inside('<link rel="stylesheet" href="../assets/a.css">', tmp_path / "board")
    assert page == "<style>url(../assets/vendor/a.woff2) url(data:image/svg+xml;x)</style>"


def test_styles_of_another_host_stay_where_they_are(tmp_path: Path) -> None:
    page = '<link rel="stylesheet" href="https://example.org/a.css">'
    assert with_styles_inside(page, tmp_path) == page


def test_the_sheets_that_a_page_may_carry_name_the_typeface_alone() -> None:
    theme = files("material").joinpath("templates/assets/stylesheets")
    carried = [ASSETS / "sitegen.css", *(each for each in theme.iterdir() if re.fullmatch(r"main\..*\.css", each.name))]
    assert len(carried) == 2
    kept = [without_authored_parts(sheet.read_text(encoding="utf-8")) for sheet in carried]
    assert re.findall(r"""@import.*|url\((?!["']?data:)[^)]*\)""", "".join(kept)) == ["url(vendor/archivo.woff2)"]


def test_the_typeface_is_light_and_has_its_licence_beside_it() -> None:
    assert (ASSETS / "vendor" / "archivo.woff2").stat().st_size <= 24_000
    assert "SIL OPEN FONT LICENSE" in (ASSETS / "vendor" / "archivo.OFL.txt").read_text(encoding="utf-8")
