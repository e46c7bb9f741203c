"""The markup for search engines on a whole site: on every board, and what it names is there."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from built import HOME as SITE
from built import own_site
from lxml import html

ROOT = Path(__file__).parents[2]

TYPES = {
    "Dataset": {"name", "description", "url", "creator", "isAccessibleForFree"},
    "DataCatalog": {"name", "url"},
    "DataDownload": {"name", "contentUrl", "encodingFormat"},
    "PropertyValue": {"name", "propertyID", "unitText", "url"},
    "Organization": {"name"},
    "CreativeWork": {"name"},
}
"""Every type that is used, with what each thing of it has."""


@pytest.fixture(scope="module")
def site() -> Path:
    """The site of the project's own results, in a project that says where it is published."""
    return own_site()


def documents(site: Path) -> Iterator[tuple[str, Any]]:
    for page in sorted(site.rglob("index.html")):
        text = page.read_text(encoding="utf-8")
        if "application/ld+json" in text:
            (block,) = html.fromstring(text).cssselect("script[type='application/ld+json']")
            yield page.parent.relative_to(site).as_posix(), json.loads(block.text or "")


def things(value: object) -> Iterator[dict[str, Any]]:
    """Give everything that has a type, however deep."""
    if isinstance(value, dict):
        yield from ([value] if "@type" in value else [])
        for each in value.values():
            yield from things(each)
    elif isinstance(value, list):
        for each in value:
            yield from things(each)


def test_home_data_benchmarks_and_boards_have_it_and_no_other_page(site: Path) -> None:
    boards = {path.parent.relative_to(site) for path in site.rglob("CITATION.cff")}
    benchmarks = {path.parent for path in boards}
    wanted = {path.as_posix() for path in boards | benchmarks} | {".", "data"}
    assert {page for page, _ in documents(site)} == wanted


def test_everything_has_what_is_required_of_its_type(site: Path) -> None:
    for page, document in documents(site):
        assert document["@context"] == "https://schema.org/"
        for thing in things(document):
            assert TYPES[thing["@type"]] <= thing.keys(), page
            assert all(value not in ("", None, []) for value in thing.values()), page


def datasets(site: Path) -> Iterator[dict[str, Any]]:
    for _, document in documents(site):
        yield from (thing for thing in things(document) if thing["@type"] == "Dataset")


def test_descriptions_are_as_long_as_search_engines_take_them(site: Path) -> None:
    lengths = [len(dataset["description"]) for dataset in datasets(site)]
    assert (min(lengths) >= 50, max(lengths) <= 5000) == (True, True)


def test_days_are_days(site: Path) -> None:
    days = [dataset[name] for dataset in datasets(site) for name in dataset.keys() & {"datePublished", "dateModified"}]
    assert days
    assert [day for day in days if not re.fullmatch(r"\d{4}-\d\d-\d\d", day)] == []


def test_a_page_about_a_dataset_says_where_it_is_how_it_may_be_used_and_where_it_belongs(site: Path) -> None:
    pages = [document for _, document in documents(site) if document["@type"] == "Dataset"]
    wanted = {"distribution", "includedInDataCatalog", "license", "keywords"}
    assert [document["name"] for document in pages if not wanted <= document.keys()] == []


def leads_somewhere(site: Path, link: str) -> bool:
    path = site / link.removeprefix(SITE).partition("#")[0]
    return link.startswith(SITE) and (path.is_file() or (path / "index.html").is_file())


@pytest.mark.parametrize("name", ["contentUrl", "url"])
def test_every_link_to_the_site_leads_to_a_file_of_it(site: Path, name: str) -> None:
    found = [thing[name] for _, document in documents(site) for thing in things(document) if name in thing]
    assert found
    assert [link for link in found if not leads_somewhere(site, link)] == []
