"""What readers load is what the authors wrote, without what only authors read."""

import json
from pathlib import Path

import pytest

from sitegen.publish.site.authored import minify_assets, remove_unused_assets
from sitegen.publish.site.search_index import SEARCH_INDEX


def lightened(tmp_path: Path, name: str, text: str) -> str:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    minify_assets(tmp_path)
    return path.read_text(encoding="utf-8")


def test_a_script_loses_its_comments_and_keeps_its_names(tmp_path: Path) -> None:
    text = "// @ts-check\n/** Adds. */\nexport function add(one, two) {\n  return one + two; // both\n}\n"
    assert lightened(tmp_path, "a.js", text) == "export function add(one,two){return one+two;}\n"


@pytest.mark.parametrize("text", ["`a  // b ${c}  d`", "/[/*]\\s+/.test(x)", "'/* no comment */'", '"//x"'])
def test_text_and_patterns_are_no_comments(tmp_path: Path, text: str) -> None:
    assert text in lightened(tmp_path, "a.js", f"const y = {text};\n")


def test_a_style_loses_its_comments_and_blanks(tmp_path: Path) -> None:
    assert lightened(tmp_path, "a.css", "/* ink */\na {\n  color: var(--ink);\n}\n") == "a{color:var(--ink)}\n"


def test_licences_stay(tmp_path: Path) -> None:
    assert lightened(tmp_path, "a.css", "/*! MIT */\na { top: 0 }\n").startswith("/*! MIT */")


def test_other_people_s_files_stay_as_they_came(tmp_path: Path) -> None:
    assert lightened(tmp_path, "vendor/x-1/a.js", "// theirs\n") == "// theirs\n"


SCRIPTS = "assets/javascripts"


def site_of_the_theme(site: Path, languages: list[str]) -> Path:
    """Write the theme's assets as the builder copies them."""
    index = json.dumps({"config": {"lang": languages}, "docs": []})
    bundle, language_script = f"{SCRIPTS}/bundle.a5f9.min.js", f"{SCRIPTS}/lunr/min/lunr.de.min.js"
    files = {SEARCH_INDEX: index, bundle: "go()", f"{bundle}.map": "{}", language_script: "de()"}
    for name, text in files.items():
        path = site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    remove_unused_assets(site)
    return site / SCRIPTS


def test_source_maps_and_languages_that_nobody_searches_are_removed(tmp_path: Path) -> None:
    scripts = site_of_the_theme(tmp_path, ["en"])
    assert [path.name for path in scripts.iterdir()] == ["bundle.a5f9.min.js"]


def test_word_lists_of_a_language_that_is_searched_stay(tmp_path: Path) -> None:
    scripts = site_of_the_theme(tmp_path, ["en", "de"])
    assert (scripts / "lunr/min/lunr.de.min.js").exists()
