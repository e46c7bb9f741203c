"""What pages tell search engines for data: whole, and harmless whatever the files say."""

import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from kit.boards import board, bundle, row, table
from kit.rendered_pages import board_page
from lxml import html

from sitegen.board.board import Board
from sitegen.board.history.releases import lock_boards
from sitegen.models.benchmark import Benchmark
from sitegen.models.release import Release
from sitegen.models.site import CSV, JSON, PARQUET, Site
from sitegen.pages.descriptions import Datasets, data_block
from sitegen.pages.environment import Templates

FOLDER = Path(__file__).parents[2] / "templates" / "pages"
SITE = "https://example.org/b/"


def told(page: str) -> Any:  # noqa: ANN401 - JSON
    (block,) = html.fromstring(page).cssselect("script[type='application/ld+json']")
    return json.loads(block.text or "")


def dataset(made: Board, *releases: Release, site: Site | None = None) -> Any:  # noqa: ANN401 - JSON
    return told(board_page(made, Templates(FOLDER, site=site), releases).content)


def described(made: Board, **facts: object) -> Board:
    """Give the board of a benchmark that says more of itself."""
    about = {**made.benchmark.model_dump(by_alias=True), **facts}
    return replace(made, results=replace(made.results, benchmark=Benchmark.model_validate(about)))


def small() -> Board:
    return board(bundle("acme", "##"), bundle("bolt", "#."))


def released(made: Board, day: date) -> Release:
    return lock_boards([[made]], {}, day, "", "1")


def test_a_board_is_a_dataset_with_what_is_required() -> None:
    metadata = dataset(small())
    assert (metadata["@context"], metadata["@type"]) == ("https://schema.org/", "Dataset")
    assert metadata["name"] == "Mini: Main"
    assert 50 <= len(metadata["description"]) <= 5000
    assert metadata["creator"] == {"@type": "Organization", "name": "Mini maintainers and submitters"}


def test_a_long_summary_does_not_make_a_description_too_long() -> None:
    metadata = dataset(described(small(), title="x" * 6000))
    assert len(metadata["description"]) == 5000


def test_links_are_whole_where_the_address_of_the_site_is_known() -> None:
    metadata = dataset(small(), site=Site(SITE))
    assert metadata["url"] == f"{SITE}mini/main/"
    assert metadata["includedInDataCatalog"]["url"] == SITE
    assert [file["contentUrl"] for file in metadata["distribution"]] == [
        f"{SITE}api/v1/mini/main.json",
        f"{SITE}api/v1/mini/main.csv",
    ]


def test_else_links_lead_on_from_the_page() -> None:
    assert dataset(small())["distribution"][0]["contentUrl"] == "../../api/v1/mini/main.json"


def test_parquet_is_told_of_where_it_is_offered() -> None:
    metadata = dataset(small(), site=Site(kinds=(JSON, CSV, PARQUET)))
    assert [file["encodingFormat"] for file in metadata["distribution"]] == [
        "application/json",
        "text/csv",
        "application/vnd.apache.parquet",
    ]


def test_days_and_version_are_those_of_releases() -> None:
    made = small()
    metadata = dataset(made, released(made, date(2026, 7, 1)), released(made, date(2026, 8, 1)))
    assert (metadata["datePublished"], metadata["dateModified"], metadata["version"]) == (
        "2026-07-01",
        "2026-08-01",
        "2026-08-01",
    )


def test_without_a_release_days_are_those_of_the_rows_and_there_is_no_version() -> None:
    metadata = dataset(board(bundle("acme", "##"), bundle("bolt", "#.", date=date(2026, 6, 30))))
    assert (metadata["datePublished"], metadata["dateModified"]) == ("2026-06-25", "2026-06-30")
    assert "version" not in metadata


def test_what_is_measured_has_a_unit_and_a_definition() -> None:
    (variable,) = dataset(small())["variableMeasured"]
    assert (variable["propertyID"], variable["unitText"]) == ("dataset_score", "percent")
    assert variable["url"] == "../../methods/#dataset_score"


def test_paper_licence_and_published_tables_are_named() -> None:
    made = described(board(tables=[table(row("acme"))]), paper="https://example.org/paper", license="CC-BY-4.0")
    metadata = dataset(made)
    assert metadata["citation"] == "https://example.org/paper"
    assert metadata["license"] == {"@type": "CreativeWork", "name": "CC-BY-4.0"}
    assert [source["@type"] for source in metadata["isBasedOn"]] == ["CreativeWork"]


def test_tables_of_one_title_from_two_sources_are_both_named() -> None:
    tables = [
        table(row("acme"), source="paper"),
        table(row("bolt"), source="README"),
        table(row("cedar"), source="paper"),
    ]
    assert [source["description"] for source in dataset(board(tables=tables))["isBasedOn"]] == ["paper", "README"]


def test_what_is_not_known_is_not_told() -> None:
    assert not {"citation", "license", "isBasedOn", "version"} & dataset(small()).keys()


def test_simulated_data_is_called_so() -> None:
    assert "Simulated data: no model was run." in dataset(described(small(), simulated=True))["description"]


def test_a_title_that_looks_like_the_end_of_the_block_stays_text() -> None:
    title = "</script><script>alert(1)</script><!-- &"
    page = board_page(described(small(), title=title), Templates(FOLDER)).content
    assert told(page)["name"] == f"{title}: Main"
    block = page.split('<script type="application/ld+json">')[1].split("</script>", maxsplit=1)[0]
    assert not set(block) & set("<>&")


def test_a_block_holds_what_was_put_in() -> None:
    document: dict[str, object] = {"name": 'a<b>&c\u2028\u2029"\\d\x07', "n": 1.5, "none": None}
    assert told(f"<p></p>{data_block(document)}") == document


def test_a_benchmark_has_its_boards_as_parts_and_their_files() -> None:
    metadata = told(str(Datasets("mini/", Site()).benchmark([small()])))
    assert [board_dataset["url"] for board_dataset in metadata["hasPart"]] == ["../mini/main/"]
    assert [file["contentUrl"] for file in metadata["distribution"]] == [
        "../api/v1/mini/main.json",
        "../api/v1/mini/main.csv",
    ]


def test_a_catalogue_lists_every_benchmark() -> None:
    catalogue = told(str(Datasets("", Site()).catalogue([[small()]])))
    assert catalogue["@type"] == "DataCatalog"
    assert [(entry["@type"], entry["name"], entry["url"]) for entry in catalogue["dataset"]] == [
        ("Dataset", "Mini", "./mini/")
    ]
