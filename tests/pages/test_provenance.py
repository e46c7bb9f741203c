"""How runs were made, as a submission's page tells it."""

import re
from pathlib import Path

from kit.rendered_pages import all_pages
from kit.results_folders import MANIFEST, ROUNDS, Tree

from sitegen.board.making import make_boards

ABOUT = """
[provenance]
harness = "harbor"
jobs = ["job-a", "job-b"]
seeds = [1, 2]
dirty = true
images = {tidy = "tidy@sha256:0123"}
"""


def page_of(tree: Tree, name: str) -> str:
    """Make the page of a submission."""
    (results,) = tree.read().benchmarks
    pages = all_pages(make_boards(results))
    return next(page.content for page in pages if page.address.endswith(f"/{name}/"))


def test_caveats_stand_on_the_page_of_their_submission_alone_and_once(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "results")
    caveat = 'date = 2026-06-25\ncaveats = ["<b>Costs</b> are not known."]'
    tree.add("other", *ROUNDS, manifest=MANIFEST.replace("Acme-1", "Other-1").replace("date = 2026-06-25", caveat))
    assert page_of(tree, "other").count("&lt;b&gt;Costs&lt;/b&gt; are not known.") == 1
    assert "data-caveats" not in page_of(tree, "2026-06-25-acme")


def test_several_values_are_told_after_each_other(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "results")
    tree.add("other", *ROUNDS, manifest=MANIFEST.replace("Acme-1", "Other-1") + ABOUT)
    facts = dict(re.findall(r"<dt>([^<]+)</dt><dd>([^<]*)</dd>", page_of(tree, "other")))
    assert {name: facts[name] for name in ("Jobs", "Seeds", "Dirty", "Images")} == {
        "Jobs": "job-a, job-b",
        "Seeds": "1, 2",
        "Dirty": "yes",
        "Images": "tidy: tidy@sha256:0123",
    }
