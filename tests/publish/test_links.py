"""The link check sees what the builder does not: raw HTML, fragments, absolute paths."""

from pathlib import Path

from sitegen.publish.site.link_check import broken_links


def site(root: Path, **pages: str) -> Path:
    """Write pages: `home` at the root, others in a folder of their own."""
    for name, body in pages.items():
        path = root / "index.html" if name == "home" else root / name / "index.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, encoding="utf-8")
    return root


def test_a_link_to_a_folder_with_a_page_is_whole(tmp_path: Path) -> None:
    assert broken_links(site(tmp_path, home='<a href="board/">b</a>', board='<a href="../">home</a>')) == []


def test_a_link_to_nothing_is_named_with_its_page(tmp_path: Path) -> None:
    assert broken_links(site(tmp_path, home='<a href="nope/">x</a>')) == ["index.html: nope/"]


def test_a_missing_picture_or_script_counts_too(tmp_path: Path) -> None:
    assert broken_links(site(tmp_path, home='<img src="a.png"><script src="b.js"></script>')) == [
        "index.html: a.png",
        "index.html: b.js",
    ]


def test_a_fragment_must_exist_on_the_page_it_leads_to(tmp_path: Path) -> None:
    root = site(tmp_path, home='<a href="run/#round-1">1</a> <a href="run/#round-9">9</a>', run='<p id="round-1">x</p>')
    assert broken_links(root) == ["index.html: run/#round-9"]


def test_a_link_cannot_climb_out_of_the_site(tmp_path: Path) -> None:
    (tmp_path / "secret.html").write_text("outside", encoding="utf-8")
    assert broken_links(site(tmp_path / "site", home='<a href="../secret.html">x</a>')) == [
        "index.html: ../secret.html"
    ]


def test_absolute_links_begin_with_the_path_of_the_site(tmp_path: Path) -> None:
    root = site(tmp_path, home='<a href="/boards/a/">in</a> <a href="/a/">out</a>', a="<p>x</p>")
    assert broken_links(root, base="/boards/") == ["index.html: /a/"]


def test_a_text_that_quotes_a_link_is_none(tmp_path: Path) -> None:
    drawn = '<svg><title>Acme &lt;a href="nope/"&gt;, src="a.png"</title></svg>'
    assert broken_links(site(tmp_path, home=f'{drawn}<a class="b" href="gone/">x</a>')) == ["index.html: gone/"]


def test_other_hosts_are_not_asked(tmp_path: Path) -> None:
    assert broken_links(site(tmp_path, home='<a href="https://example.org/x">x</a><a href="mailto:a@b.c">m</a>')) == []


def test_a_file_whose_name_begins_with_two_dots_is_inside_the_site(tmp_path: Path) -> None:
    root = site(tmp_path, home='<a href="..hidden/x.txt">x</a> <a href="..">up</a>')
    (root / "..hidden").mkdir()
    (root / "..hidden" / "x.txt").write_text("inside", encoding="utf-8")
    assert broken_links(root) == ["index.html: .."]
