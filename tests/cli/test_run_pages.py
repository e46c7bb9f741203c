"""Pages of runs in whole sites: they are one submission's business, hold what its files tell, and are light."""

import gzip
import json
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from kit.built_sites import demo, own_site, site_of
from lxml import html

RESULTS = Path(__file__).parents[2] / "results"
BUNDLES = RESULTS / "evocode-bench" / "submissions"
KILOBYTE = 1024

Lines = Mapping[tuple[str, int], list[dict[str, Any]]]


def runs_of(site: Path, board: str) -> dict[str, bytes]:
    """Give the pages of every run on a board, those of its rounds included."""
    paths = (
        path for path in (site / board).glob("*/*/**/index.html") if path.relative_to(site / board).parts[0] != "tasks"
    )
    return {path.relative_to(site).as_posix(): path.read_bytes() for path in paths if "trajectory" not in path.parts}


def test_another_submission_changes_no_byte_of_the_runs_of_others(tmp_path: Path) -> None:
    """One on either board."""
    everyone = demo("--agents", "3", "--tasks", "2")
    fewer = shutil.copytree(everyone, tmp_path / "fewer")
    texts = [path.read_text(encoding="utf-8") for path in fewer.rglob("*.toml")]
    bundles = sorted((fewer / "demo" / "submissions").iterdir())
    free = [path for path in bundles if not any(f'"{path.name}"' in text for text in texts)]
    for track in ("chain", "fail-stop"):
        stated = f'track = "{track}"'
        shutil.rmtree(next(path for path in free if stated in (path / "submission.toml").read_text(encoding="utf-8")))
        free = [path for path in free if path.exists()]
    sites = [site_of(results) for results in (fewer, everyone)]
    for board in ("demo/chain", "demo/fail-stop"):
        before, after = (runs_of(site, board) for site in sites)
        assert before.keys() < after.keys()
        assert [address for address, page in before.items() if after[address] != page] == []


@cache
def lines_of(path: Path) -> Lines:
    lines_by_round: dict[tuple[str, int], list[dict[str, Any]]] = {}
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    for line in map(json.loads, text.splitlines()):
        lines_by_round.setdefault((line["task"], line["round"]), []).append(line)
    return lines_by_round


@pytest.fixture(scope="module")
def pages() -> Mapping[tuple[str, str], tuple[html.HtmlElement, int]]:
    """Every run of the shipped site by submission and task, with what its page weighs when compressed."""
    pages_by_run = {}
    for track in ("official", "official-v1"):
        for address, page in runs_of(own_site(), f"evocode-bench/{track}").items():
            _, _, row, task, *file_names = address.split("/")
            assert file_names == ["index.html"], "every run of the shipped site has room on one page"
            pages_by_run[row, task] = (html.fromstring(page), len(gzip.compress(page, 6)))
    return pages_by_run


def rounds_of(page: html.HtmlElement) -> Iterator[tuple[int, html.HtmlElement]]:
    for section in page.cssselect("section.sg-round"):
        yield int(str(section.get("id")).removeprefix("round-")), section


def test_every_run_names_each_failed_case_of_its_files_in_its_round(
    pages: Mapping[tuple[str, str], tuple[html.HtmlElement, int]],
) -> None:
    for row in {row for row, _ in pages}:
        lines = lines_of(BUNDLES / row / "failures.jsonl.gz")
        for (_, task), (page, _) in ((key, value) for key, value in pages.items() if key[0] == row):
            for number, section in rounds_of(page):
                cases = section.cssselect("[data-case]")
                assert sorted(str(case.get("data-case")) for case in cases) == sorted(
                    line["case"] for line in lines.get((task, number), ())
                ), (row, task, number)
                assert all(str(case.get("id")).startswith(f"round-{number}-") for case in cases)
                assert {case.get("data-status") for case in cases} <= {"failed"}
            ids = Counter(str(element.get("id")) for element in page.cssselect("[id]"))
            assert max(ids.values()) == 1


def test_bars_matrix_and_rounds_of_every_run_add_up_to_its_files(
    pages: Mapping[tuple[str, str], tuple[html.HtmlElement, int]],
) -> None:
    for row in {row for row, _ in pages}:
        records = lines_of(BUNDLES / row / "rounds.jsonl")
        lines = lines_of(BUNDLES / row / "failures.jsonl.gz")
        for (_, task), (page, _) in ((key, value) for key, value in pages.items() if key[0] == row):
            failed, passed, total = {}, 0, 0
            for number, _ in rounds_of(page):
                (record,) = records[task, number]
                if record["state"] == "scored" and record.get("total"):
                    failed[number] = record["total"] - record["passed"] - record.get("skipped", 0)
                    passed, total = passed + record["passed"], total + record["total"]
            marks = {int(str(cell.get("data-round"))): cell for cell in page.cssselect(".sg-strip a[data-cell]")}
            for number, count in failed.items():
                (text,) = marks[number].cssselect("text")
                assert text.text_content() == (f"{count:,}" if count else "✓"), (row, task, number)
            if total:
                assert (
                    f"{passed:,} of {total:,} cases"
                    in page.cssselect("p.sg-facts:not([data-unexplained])")[0].text_content()
                )
            sums: Counter[int] = Counter()
            for table in page.cssselect(".sg-broken"):
                heads = [int(head.text_content()) for head in table.cssselect("thead th")[1:]]
                for line in table.cssselect("tbody tr"):
                    for number, cell in zip(heads, line.cssselect("td"), strict=True):
                        sums[number] += int(cell.text_content()) if cell.text_content().isdigit() else 0
            stated = {
                number: sum(
                    {line["requirement"]: line["requirement_failed"] for line in lines.get((task, number), ())}.values()
                )
                for number in failed
            }
            if sums and "more requirement" not in page.text_content():
                assert {number: sums[number] for number in failed} == stated, (row, task)


def test_no_run_is_heavy(pages: Mapping[tuple[str, str], tuple[html.HtmlElement, int]]) -> None:
    assert max(weight for _, weight in pages.values()) <= 40 * KILOBYTE
    assert max(sum(1 for _ in page.iter()) for page, _ in pages.values()) < 8000
