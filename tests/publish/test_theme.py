"""The style sheet of generated pages: the theme's, without the rules for what only authored pages have."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

from sitegen.publish.stamping import with_styles_inside, without_authored_parts, write_page_styles


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


def test_styles_of_another_host_stay_where_they_are(tmp_path: Path) -> None:
    page = '<link rel="stylesheet" href="https://example.org/a.css">'
    assert with_styles_inside(page, tmp_path) == page


def test_no_sheet_that_a_page_may_carry_names_a_file() -> None:
    theme = files("material").joinpath("templates/assets/stylesheets")
    own = Path(__file__).parents[2] / "site_src" / "assets" / "sitegen.css"
    carried = [own, *(sheet for sheet in theme.iterdir() if re.fullmatch(r"main\..*\.css", sheet.name))]
    assert len(carried) == 2
    for sheet in carried:
        kept = without_authored_parts(sheet.read_text(encoding="utf-8"))
        assert not re.findall(r"""@import|url\((?!["']?data:)""", kept), sheet.name
