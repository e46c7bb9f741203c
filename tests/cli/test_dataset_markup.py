"""The markup for search engines on a whole site: on every board, and what it names is there."""

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema.validators import validator_for
from kit.built_sites import HOME as SITE
from kit.built_sites import own_site
from kit.real_data import schema_of_others
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
        for item in value.values():
            yield from things(item)
    elif isinstance(value, list):
        for item in value:
            yield from things(item)


def test_home_data_benchmarks_and_boards_have_it_and_no_other_page(site: Path) -> None:
    boards = {path.parent.relative_to(site) for path in site.rglob("CITATION.cff")}
    benchmarks = {path.parent for path in boards}
    wanted = {path.as_posix() for path in boards | benchmarks} | {".", "data"}
    assert {page for page, _ in documents(site)} == wanted


def test_everything_has_what_is_required_of_its_type(site: Path) -> None:
    for page, document in documents(site):
        assert document["@context"] == "https://schema.org/"
        for item in things(document):
            assert TYPES[item["@type"]] <= item.keys(), page
            assert all(value not in ("", None, []) for value in item.values()), page


def datasets(site: Path) -> Iterator[dict[str, Any]]:
    for _, document in documents(site):
        yield from (item for item in things(document) if item["@type"] == "Dataset")


def test_descriptions_are_as_long_as_search_engines_take_them(site: Path) -> None:
    lengths = [len(dataset["description"]) for dataset in datasets(site)]
    assert (min(lengths) >= 50, max(lengths) <= 5000) == (True, True)


def test_days_are_days(site: Path) -> None:
    days = [dataset[name] for dataset in datasets(site) for name in dataset.keys() & {"datePublished", "dateModified"}]
    assert days
    assert [day for day in days if not re.fullmatch(r"\d{4}-\d\d-\d\d", day)] == []


def test_a_page_about_a_dataset_says_where_it_is_how_it_may_be_used_and_where_it_belongs(site: Path) -> None:
    pages = [document for _, document in documents(site) if document["@type"] == "Dataset"]
    wanted = {"distribution", "includedInDataCatalog", "keywords"}
    assert [document["name"] for document in pages if not wanted <= document.keys()] == []
    unlicensed = {document["name"] for document in pages if "license" not in document}
    assert all("Terminal-Bench" in name for name in unlicensed)  # its source states no licence
    assert len(unlicensed) < len(pages) / 2


def leads_somewhere(site: Path, link: str) -> bool:
    path = site / link.removeprefix(SITE).partition("#")[0]
    return link.startswith(SITE) and (path.is_file() or (path / "index.html").is_file())


@pytest.mark.parametrize("name", ["contentUrl", "url"])
def test_every_link_to_the_site_leads_to_a_file_of_it(site: Path, name: str) -> None:
    links = [item[name] for _, document in documents(site) for item in things(document) if name in item]
    assert links
    assert [link for link in links if not leads_somewhere(site, link)] == []


def test_every_board_is_told_of_in_the_words_of_croissant(site: Path) -> None:
    """What a column is called and what it holds is as the file has it, whose checksum stands beside its address."""
    files = sorted(site.glob("api/v1/*/*/croissant.json"))
    assert len(files) == len(list(site.glob("api/v1/*/*.csv")))
    for file in files:
        metadata = json.loads(file.read_text(encoding="utf-8"))
        assert {"@context", "name", "description", "url", "creator", "version"} <= metadata.keys()
        assert ("license" in metadata) == ("terminal-bench-core" not in file.parts)  # whose source states no licence
        assert (metadata["@type"], metadata["conformsTo"]) == ("sc:Dataset", "http://mlcommons.org/croissant/1.0")
        ((table,), (records,)) = metadata["distribution"], metadata["recordSet"]
        csv = file.parent.with_suffix(".csv")
        assert table["contentUrl"].endswith(csv.relative_to(site).as_posix())
        assert table["sha256"] == hashlib.sha256(csv.read_bytes()).hexdigest()
        heads = csv.read_text(encoding="utf-8").partition("\n")[0].split(",")
        assert [field["source"]["extract"]["column"] for field in records["field"]] == heads
        assert {field["source"]["fileObject"]["@id"] for field in records["field"]} == {table["@id"]}


def test_every_row_that_stands_is_offered_as_others_have_it(site: Path) -> None:
    """Each file is valid by the schema of those who take it, and its row's page leads there."""
    loaded = json.loads(schema_of_others("every-eval-ever-eval").read_text(encoding="utf-8"))
    checker = validator_for(loaded)(loaded)
    files = sorted(site.glob("api/v1/*/*/*/every-eval-ever.json"))
    assert files
    for file in files:
        assert [error.message for error in checker.iter_errors(json.loads(file.read_text(encoding="utf-8")))] == []
        row = file.parent.relative_to(site / "api" / "v1")
        page = (site / row / "index.html").read_text(encoding="utf-8")
        assert f'api/v1/{row.as_posix()}/every-eval-ever.json"' in page
