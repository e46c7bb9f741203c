"""Generated pages are found by their titles, beside what the builder found on the authored ones."""

import json
from pathlib import Path

from sitegen.publish.site.search_index import MAX_SEARCH_CASES, SEARCH_INDEX, add_to_search
from sitegen.publish.site.tree import SiteTree


def docs(root: Path, *names: tuple[str, str, str, str]) -> dict[str, tuple[str, str]]:
    """Add names to an index with one authored page and the stub of a benchmark; give kinds and titles by address."""
    tree = SiteTree(root)
    built = [{"location": "methods/", "title": "Methods", "text": "<p>all</p>"}]
    built.append({"location": "b/", "title": "", "text": "@@"})
    tree.write(SEARCH_INDEX, json.dumps({"config": {}, "docs": built}))
    add_to_search(tree, names)
    indexed_docs = json.loads((root / SEARCH_INDEX).read_text(encoding="utf-8"))["docs"]
    return {doc["location"]: (*doc["tags"], doc["title"]) for doc in indexed_docs}


def test_generated_pages_stand_beside_the_authored_ones(tmp_path: Path) -> None:
    names_by_address = docs(
        tmp_path, ("Run", "A on t", "", "b/t/a/t/"), ("Agent", "A", "", "b/t/a/"), ("Board", "B", "", "b/t/")
    )
    assert list(names_by_address.items()) == [
        ("b/t/a/", ("Agent", "A")),
        ("b/t/", ("Board", "B")),
        ("b/", ("Page", "")),
        ("methods/", ("Page", "Methods")),
        ("b/t/a/t/", ("Run", "A on t")),
    ]


def test_numbers_are_put_in_order_as_numbers(tmp_path: Path) -> None:
    rounds = [("Round", f"Round {n}", "", f"b/t/tasks/a/{n}/") for n in (1, 10, 2)]
    assert [title for _, title in docs(tmp_path, *rounds).values()][:3] == ["Round 1", "Round 2", "Round 10"]


def test_texts_have_no_tags(tmp_path: Path) -> None:
    docs(tmp_path)
    (stub, methods) = json.loads((tmp_path / SEARCH_INDEX).read_text(encoding="utf-8"))["docs"]
    assert (stub["text"], methods["text"]) == ("@@", "all")


def test_more_cases_than_a_reader_would_wait_for_are_left_out(tmp_path: Path) -> None:
    cases = [("Case", f"c{n}", "", f"b/t/tasks/a/1/#case-c{n}") for n in range(MAX_SEARCH_CASES + 1)]
    assert len(docs(tmp_path, *cases[1:])) == MAX_SEARCH_CASES + 2
    assert len(docs(tmp_path, ("Round", "Round 1", "", "b/t/tasks/a/1/"), *cases)) == 3


def test_a_page_takes_the_place_of_its_stub(tmp_path: Path) -> None:
    names_by_address = docs(tmp_path, ("Benchmark", "B", "", "b/"))
    assert names_by_address == {"b/": ("Benchmark", "B"), "methods/": ("Page", "Methods")}


def test_titles_are_text_where_the_theme_takes_them_for_html(tmp_path: Path) -> None:
    """Whoever names an agent writes no HTML into other people's pages."""
    assert docs(tmp_path, ("Agent", "<img src=x> & Co", "", "b/t/"))["b/t/"][1] == "&lt;img src=x&gt; &amp; Co"


def test_an_authored_page_is_found_by_its_heading_and_by_what_it_is_called_in_the_navigation(tmp_path: Path) -> None:
    tree = SiteTree(tmp_path)
    built = {"methods/": "How scores are made", "methods/#gaps": "Gaps", "data/": "The data"}
    docs = [{"location": address, "title": title, "text": ""} for address, title in built.items()]
    tree.write(SEARCH_INDEX, json.dumps({"config": {}, "docs": docs}))
    tree.write("methods/index.html", "<title>Methods - Results</title>")
    tree.write("data/index.html", "<title>Data - Results</title>")
    add_to_search(tree, [])
    indexed_docs = json.loads((tmp_path / SEARCH_INDEX).read_text(encoding="utf-8"))["docs"]
    assert [doc["title"] for doc in indexed_docs] == ["The data", "Methods · How scores are made", "Gaps · Methods"]


def test_boards_agents_and_metrics_come_before_pages_and_manuals_last(tmp_path: Path) -> None:
    tree = SiteTree(tmp_path)
    built = ("docs/reading/", "develop/", "methods/", "zoo/")
    entries = [{"location": address, "title": "Rank", "text": ""} for address in built]
    tree.write(SEARCH_INDEX, json.dumps({"config": {}, "docs": entries}))
    metric = ("Metric", "Rank", "", "methods/metrics/#rank")
    add_to_search(tree, [("Task", "t", "", "b/t/tasks/t/"), metric, ("Board", "B", "", "b/t/"), metric])
    indexed_docs = json.loads((tmp_path / SEARCH_INDEX).read_text(encoding="utf-8"))["docs"]
    expected = ["b/t/", "methods/metrics/#rank", "b/t/tasks/t/", "methods/", "zoo/", "develop/", "docs/reading/"]
    assert [doc["location"] for doc in indexed_docs] == expected
