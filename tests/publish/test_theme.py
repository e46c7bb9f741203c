"""The style sheet of generated pages: the theme's, without the rules for what only authored pages have."""

import re
from importlib.resources import files
from pathlib import Path

import pytest
from kit.built_sites import own_site
from lxml import html

from sitegen.publish.site.stamping import add_policy, format_hashes
from sitegen.publish.site.styles import find_words, inline_styles, reduce_sheet

ASSETS = Path(__file__).parents[2] / "site_src" / "assets"


WORDS = find_words('<p class="md-tabs a" dir="ltr">', 'search.type = "reset"; ".md-search-result"')


@pytest.mark.parametrize(
    ("sheet", "expected_sheet"),
    [
        (".md-tabs{color:red}", ".md-tabs{color:red}"),
        (".md-tabs .admonition{color:red}", ""),
        (".md-tabs .admonition,.md-tabs details{color:red}", ".md-tabs details{color:red}"),
        (".md-tabs :is(.a,.b),.b{color:red}", ".md-tabs :is(.a,.b){color:red}"),
        (".md-tabs :is(.c,.b){color:red}", ""),
        (".a:not(.b){color:red}", ".a:not(.b){color:red}"),
        (".md-tabs--hidden{color:red}.md-tabs__link{color:red}", ".md-tabs--hidden{color:red}"),
        (".md-search-result__item{color:red}", ".md-search-result__item{color:red}"),
        ("[dir=rtl] .a{color:red}[dir=ltr] .a{color:red}", "[dir=ltr] .a{color:red}"),
        ("[type=reset]{color:red}#b{color:red}", "[type=reset]{color:red}"),
        ("@media print{.md-nav{top:0}.md-tabs{top:0}}", "@media print{.md-tabs{top:0}}"),
        ("@media print{.md-nav{top:0}}", ""),
        ("@keyframes heart{0%{top:0}to{top:1px}}", "@keyframes heart{0%{top:0}to{top:1px}}"),
        (":root{--x:url(data:x);--y:url(data:y)}.a{mask:var(--x)}", ":root{--x:url(data:x);}.a{mask:var(--x)}"),
    ],
)
def test_what_no_page_has_is_left_out(sheet: str, expected_sheet: str) -> None:
    assert reduce_sheet(sheet, WORDS) == expected_sheet


def test_what_the_theme_makes_of_code_has_its_styles() -> None:
    sheet = ".md-code__nav{top:0}"
    assert reduce_sheet(sheet, find_words('<div class="highlight">')) == sheet
    assert reduce_sheet(sheet, WORDS) == ""


def test_the_theme_s_own_sheet_keeps_the_frame_and_loses_two_thirds() -> None:
    folder = own_site() / "assets" / "stylesheets"
    ((full_sheet,), (short,)) = ([*folder.glob(f"{name}.*.css")] for name in ("main", "pages"))
    short_text = short.read_text(encoding="utf-8")
    assert len(short_text) < len(full_sheet.read_text(encoding="utf-8")) / 3
    for selector in (
        ".md-header",
        ".md-tabs",
        ".md-search-result__",
        ".md-footer",
        ".md-typeset details",
        "@media print",
    ):
        assert selector in short_text
    assert ".tabbed-" not in short_text


def test_the_foot_of_every_page_leads_to_the_files() -> None:
    for name in ("index.html", "changelog/index.html", "evocode-bench/official/index.html"):
        page = own_site() / name
        (link,) = html.fromstring(page.read_bytes()).cssselect("footer a")
        assert (page.parent / str(link.get("href"))).resolve() == own_site() / "data"


def test_what_every_generated_page_repeats_around_its_content_is_small() -> None:
    frames = []
    for name in ("compare", "certainty"):
        page = (own_site() / "evocode-bench" / "official" / name / "index.html").read_text(encoding="utf-8")
        before, _, after = page.partition('id="sg-page">')
        frames.append([*before.splitlines(), *after[after.rindex("</article>") :].splitlines()])
    compare_frame, certainty_frame = frames
    assert len("\n".join(line for line in compare_frame if line in certainty_frame).encode()) <= 6_200


def test_a_page_can_carry_its_styles_in_the_order_that_it_names_them(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("p{color:red}", encoding="utf-8")
    (tmp_path / "b.css").write_text("p{color:blue}", encoding="utf-8")
    (tmp_path / "board").mkdir()
    page = (
        '<link rel="stylesheet" href="../a.css">\n<link rel="icon" href="a.svg"><link rel="stylesheet" href="../b.css">'
    )
    inside = '<style>p{color:red}</style>\n<link rel="icon" href="a.svg"><style>p{color:blue}</style>'
    assert inline_styles(page, tmp_path / "board") == inside


def test_files_that_carried_styles_name_are_named_from_the_page(tmp_path: Path) -> None:
    for folder in ("assets", "board"):
        (tmp_path / folder).mkdir()
    named = "url(vendor/a.woff2) url(data:image/svg+xml;x)"
    (tmp_path / "assets" / "a.css").write_text(named, encoding="utf-8")
    page = inline_styles('<link rel="stylesheet" href="../assets/a.css">', tmp_path / "board")
    assert page == "<style>url(../assets/vendor/a.woff2) url(data:image/svg+xml;x)</style>"


def test_a_page_with_a_policy_may_carry_its_styles_alone(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text(".a{top:0}.b{top:0}", encoding="utf-8")
    page = add_policy('<meta charset="utf-8"><link rel="stylesheet" href="a.css"><p class="a">')
    carried = inline_styles(page, tmp_path, WORDS)
    assert "<style>.a{top:0}</style>" in carried
    assert f"style-src 'self'{format_hashes(['.a{top:0}'])};" in carried


def test_styles_of_another_host_stay_where_they_are(tmp_path: Path) -> None:
    page = '<link rel="stylesheet" href="https://example.org/a.css">'
    assert inline_styles(page, tmp_path) == page


def test_the_sheets_that_a_page_may_carry_name_the_typeface_alone() -> None:
    theme = files("material").joinpath("templates/assets/stylesheets")
    carried = [
        ASSETS / "sitegen.css",
        *(theme_sheet for theme_sheet in theme.iterdir() if re.fullmatch(r"main\..*\.css", theme_sheet.name)),
    ]
    assert len(carried) == 2
    sheet_words = find_words(*(sheet.read_text(encoding="utf-8") for sheet in carried))
    reduced_sheets = [reduce_sheet(sheet.read_text(encoding="utf-8"), sheet_words) for sheet in carried]
    assert re.findall(r"""@import.*|url\((?!["']?data:)[^)]*\)""", "".join(reduced_sheets)) == [
        "url(vendor/archivo.woff2)"
    ]


def test_the_typeface_is_light_and_has_its_licence_beside_it() -> None:
    assert (ASSETS / "vendor" / "archivo.woff2").stat().st_size <= 24_000
    assert "SIL OPEN FONT LICENSE" in (ASSETS / "vendor" / "archivo.OFL.txt").read_text(encoding="utf-8")
