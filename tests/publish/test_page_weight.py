"""Pages that a phone opens late are named; others are not even read."""

from pathlib import Path

from sitegen.publish.site.page_weight import MAX_ELEMENTS, heavy_pages


def lines_about(site: Path, **pages: str) -> list[str]:
    """Write pages, and give what is said of them."""
    sizes = {}
    for name, text in pages.items():
        (site / f"{name}.html").write_text(text, encoding="utf-8")
        sizes[f"{name}.html"] = len(text)
    return list(heavy_pages(site, sizes))


def test_a_page_with_too_many_elements_is_named(tmp_path: Path) -> None:
    cell = f"<td>{'x' * 60}</td>\n"
    assert lines_about(tmp_path, board=cell * 9_000, small=cell * 6_000) == [
        "board.html has 9,000 elements; phones open pages of up to 8,000 elements without delay"
    ]


def test_a_page_is_named_before_it_reaches_the_limit(tmp_path: Path) -> None:
    cell = f"<td>{'x' * 60}</td>\n"
    assert len(lines_about(tmp_path, board=cell * (MAX_ELEMENTS - 1_000))) == 1


def test_long_texts_and_data_files_are_no_heavy_pages(tmp_path: Path) -> None:
    assert lines_about(tmp_path, text=f"<p>{'x' * 900_000}</p>") == []
    assert list(heavy_pages(tmp_path, {"rounds.csv": 90 << 20, "index.html": 300})) == []
