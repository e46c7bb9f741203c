"""Generated pages are found by their titles, beside what the builder found on the authored ones."""

import json
from pathlib import Path

from sitegen.publish.site import INDEX, Tree, add_to_search


def docs(root: Path, *pages: tuple[str, str]) -> dict[str, str]:
    """Add pages to an index with one authored page and the stub of a benchmark; give titles by address."""
    tree = Tree(root)
    built = [{"location": "methods/", "title": "Methods", "text": "all"}, {"location": "b/", "title": "", "text": "@@"}]
    tree.write(INDEX, json.dumps({"config": {}, "docs": built}))
    add_to_search(tree, pages)
    return {doc["location"]: doc["title"] for doc in json.loads((root / INDEX).read_text(encoding="utf-8"))["docs"]}


def test_generated_pages_stand_beside_the_authored_ones(tmp_path: Path) -> None:
    assert docs(tmp_path, ("b/t/", "Board")) == {"methods/": "Methods", "b/": "", "b/t/": "Board"}


def test_a_page_takes_the_place_of_its_stub(tmp_path: Path) -> None:
    assert docs(tmp_path, ("b/", "Benchmark")) == {"methods/": "Methods", "b/": "Benchmark"}


def test_titles_are_text_where_the_theme_takes_them_for_html(tmp_path: Path) -> None:
    """Whoever names an agent writes no HTML into other people's pages."""
    assert docs(tmp_path, ("b/t/", "<img src=x> & Co"))["b/t/"] == "&lt;img src=x&gt; &amp; Co"


def test_an_authored_page_is_found_by_its_heading_and_by_what_it_is_called_in_the_navigation(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    built = {"methods/": "How scores are made", "methods/#gaps": "Gaps", "data/": "The data"}
    docs = [{"location": address, "title": title, "text": ""} for address, title in built.items()]
    tree.write(INDEX, json.dumps({"config": {}, "docs": docs}))
    tree.write("methods/index.html", "<title>Methods - Results</title>")
    tree.write("data/index.html", "<title>Data - Results</title>")
    add_to_search(tree, [])
    found = json.loads((tmp_path / INDEX).read_text(encoding="utf-8"))["docs"]
    assert [doc["title"] for doc in found] == ["Methods · How scores are made", "Gaps", "The data"]
