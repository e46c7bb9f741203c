"""The style sheet of generated pages: the theme's, without the rules for what only authored pages have."""

from importlib.resources import files
from pathlib import Path

import pytest

from sitegen.publish.theme import without_authored_parts, write_page_styles


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
