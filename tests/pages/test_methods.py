"""The methods pages: made from the catalogue, and every number on them follows from the others."""

import re
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from html import unescape
from pathlib import Path

import pytest
from kit.boards import board, bundle, table
from kit.rendered_pages import methods_fragment
from kit.result_grids import records, task
from kit.shipped_results import shipped
from kit.simulated_boards import simulated_boards
from lxml import html

from sitegen.board.history.ledger import Ledger
from sitegen.board.making import make_boards
from sitegen.importers.simulation import SimulationScale
from sitegen.metrics.catalogue import METRICS
from sitegen.models.task import TaskSet
from sitegen.pages.environment import Templates
from sitegen.pages.kinds.methods import MAX_EXAMPLE_TASKS, methods_part
from sitegen.pages.site import SiteContent

ROOT = Path(__file__).parents[2]
TEMPLATES = Templates(ROOT / "templates" / "pages")

TAG = re.compile(r"<[^>]+>")
CELL = re.compile(r"<t[hd][^>]*>(.*?)</t[hd]>", re.DOTALL)

every_metric = pytest.mark.parametrize("metric", METRICS)


def words(text: str) -> str:
    """Give the text of some HTML."""
    return " ".join(unescape(TAG.sub("", text)).split())


def sections(page: str) -> Mapping[str, str]:
    """Part the page into its metrics."""
    pieces = re.split(r'<section class="sg-method" id="([^"]+)">', page)[1:]
    return dict(zip(pieces[::2], pieces[1::2], strict=True))


def number(text: str) -> float:
    """Read a number as the page writes it."""
    return float(text.replace(",", ""))


def example_table(section: str) -> list[list[str]]:
    """Read the table of a worked example, its head first; empty where there is none."""
    return [[words(cell) for cell in CELL.findall(line)] for line in section.split("<tr>")[1:]]


def arithmetic(section: str) -> str:
    """Read the line that gives the result; empty where there is none."""
    match = re.search(r'<p class="sg-method-result">(.*?)</p>', section, re.DOTALL)
    return words(match[1]) if match else ""


@pytest.fixture(scope="module")
def site() -> Mapping[str, str]:
    """The sections that the project's own results make."""
    return sections(methods_fragment(shipped().boards, TEMPLATES).content)


def test_every_metric_has_its_section_in_the_catalogue_s_order(site: Mapping[str, str]) -> None:
    declared = {
        f"{board.benchmark.id}-{metric.id}" for board in shipped().all_boards() for metric in board.benchmark.metrics
    }
    assert len(declared) == 6
    assert [metric_id for metric_id in site if metric_id not in declared] == list(METRICS)


def test_every_metric_is_told_in_short_and_leads_to_its_section() -> None:
    short, _ = methods_part(SiteContent(Ledger((), None, [[board(bundle("ours", "#."))]]), {}, ()), TEMPLATES)
    rows = html.fromstring(short.content).cssselect("tr[id]")
    assert [(str(row.get("id")), words(row.cssselect("td")[0].text_content())) for row in rows] == [
        (metric.id, " ".join(metric.definition.sentence.split())) for metric in METRICS.values()
    ]
    links = [str(link.get("href")) for link in html.fromstring(short.content).cssselect("tr a")]
    assert links == [f"../methods/metrics/#{name}" for name in METRICS]


def test_the_metrics_of_each_benchmark_stand_above_all_sections() -> None:
    page = html.fromstring(methods_fragment(shipped().boards, TEMPLATES).content)
    listed = {}
    for group in page.cssselect(".sg-jumps > div"):
        listed[group[0].text_content()] = [link.get("href") for link in group.cssselect("a")]
    titles = list(dict.fromkeys(made.benchmark.title for made in shipped().all_boards()))
    assert list(listed) == [*titles, "On no board"]
    assert listed["EvoCode-Bench"][:2] == ["#dataset_score", "#case_score"]
    assert "#terminal-bench-core-pass_at_3" in listed["Terminal-Bench Core"]
    named = {link for links in listed.values() for link in links}
    assert named == {f"#{section.get('id')}" for section in page.cssselect("section")}


@every_metric
def test_a_section_tells_the_whole_definition(site: Mapping[str, str], metric: str) -> None:
    section_text, catalogue_entry = words(site[metric]), METRICS[metric]
    for expected_text in (
        catalogue_entry.title,
        catalogue_entry.definition.sentence,
        *catalogue_entry.definition.remarks,
        catalogue_entry.averaging_words,
        catalogue_entry.definition.gap,
        catalogue_entry.definition.source,
    ):
        assert " ".join(expected_text.split()) in section_text
    assert f"{catalogue_entry.unit}" in section_text
    assert f"{catalogue_entry.direction} is better" in section_text


@every_metric
def test_a_formula_is_shown_with_what_it_names(site: Mapping[str, str], metric: str) -> None:
    catalogue_entry = METRICS[metric]
    assert (
        words(site[metric].replace("<sub>", "_").replace("</sub>", "")).count(catalogue_entry.definition.formula) == 1
    )
    assert all(meaning in words(site[metric]) for meaning in catalogue_entry.definition.letters.values())


@every_metric
def test_the_lines_of_an_example_add_up(site: Mapping[str, str], metric: str) -> None:
    """Where all are shown; each was rounded by itself."""
    head, *lines = example_table(site[metric]) or [[]]
    if not lines or any("more task" in line[0] for line in lines):
        return
    *tasks, total = lines
    digits = len(total[1].partition(".")[2])
    assert len(tasks) <= MAX_EXAMPLE_TASKS + 1
    for column in range(1, len(head)):
        assert sum(number(line[column]) for line in tasks) == pytest.approx(
            number(total[column]), abs=len(tasks) / 10**digits
        )


@every_metric
def test_the_result_is_the_score(site: Mapping[str, str], metric: str) -> None:
    result_line = arithmetic(site[metric])
    if not result_line:
        assert "does not publish the numbers from which it could be recomputed" in site[metric]
        return
    shown = re.search(r"<strong>(-?[\d,.]+)", site[metric])
    assert shown is not None
    assert number(result_line.rpartition(" = ")[2]) == pytest.approx(number(shown[1]), abs=precision(metric))


@every_metric
def test_the_result_follows_from_the_sums(site: Mapping[str, str], metric: str) -> None:
    terms, _, result = arithmetic(site[metric]).rpartition(" = ")
    numbers = [number(figure) for figure in re.findall(r"(?<![@\w.-])-?\d[\d,.]*", terms)]
    if " − " in terms:
        assert numbers[0] - numbers[1] == pytest.approx(number(result), abs=2 * precision(metric))
    elif " / " in terms:
        assert quotient(numbers) == pytest.approx(number(result), abs=precision(metric))


def precision(metric: str) -> float:
    """Tell how far a number may be off that was rounded to a metric's decimals."""
    return 0.51 / 10.0 ** METRICS[metric].decimals


def quotient(numbers: list[float]) -> float:
    """Compute a / n, or 100 × k / n."""
    *factors, divisor = numbers
    return (factors[0] if len(factors) == 1 else factors[0] * factors[1]) / divisor


def test_an_example_leads_to_its_submission() -> None:
    ours = board(bundle("ours", "#."))
    section = sections(methods_fragment([[ours]], TEMPLATES).content)["dataset_score"]
    assert '<a href="../../mini/main/ours/">ours</a>' in section
    assert example_table(section) == [["Task", "percent"], ["a", "50.000"], ["All tasks", "50.000"]]
    assert arithmetic(section) == "50.000 / 1 task = 50.00"


def with_tasks(number: int) -> str:
    """Make the section of Dataset Score from a submission to so many tasks, of which it passes the first."""
    small = board(bundle("ours"))
    ours = bundle("ours", found=[record for n in range(number) for record in records(f"t{n}", "." if n else "#")])
    tasks = TaskSet("all", tuple(task(f"t{n}", 1) for n in range(number)))
    boards = make_boards(replace(small.results, task_sets={"all": tasks}, bundles=(ours,)))
    return sections(methods_fragment([boards], TEMPLATES).content)["dataset_score"]


def test_many_tasks_are_not_all_shown() -> None:
    titles = [line[0] for line in example_table(with_tasks(9))]
    assert titles == ["Task", "t0", "t1", "t2", "t3", "t4", "and 4 more tasks", "All tasks"]
    assert arithmetic(with_tasks(9)) == "100.000 / 9 tasks = 11.11"


def test_one_task_is_not_hidden() -> None:
    assert len(example_table(with_tasks(MAX_EXAMPLE_TASKS + 1))) == 1 + MAX_EXAMPLE_TASKS + 1 + 1


def test_simulated_results_are_said_to_be_simulated() -> None:
    made = sections(
        methods_fragment([list(simulated_boards(SimulationScale(agents=2, tasks=2, attempts=2)))], TEMPLATES).content
    )
    assert "simulated: no model was run" in words(made["mt_at_k"])


def test_a_printed_count_is_worked_out_again() -> None:
    printed = table({"id": "theirs", "values": {"dataset_score": {"value": Decimal("39.1"), "n": 115}}})
    section = sections(methods_fragment([[board(tables=[printed])]], TEMPLATES).content)["dataset_score"]
    assert arithmetic(section) == "100 × 45 / 115 = 39.13"
    assert "as published by A paper" in words(section)


def test_what_nothing_measures_is_said_so() -> None:
    section = sections(methods_fragment([[board(bundle("ours", "#."))]], TEMPLATES).content)["erosion"]
    assert "No result on this site has this metric." in section
    assert "no board on this site" in section


def test_the_versions_of_a_definition_are_named() -> None:
    measured = records("a", "##", measures={"erosion@scb-2026-03": 0.5})
    section = sections(methods_fragment([[board(bundle("ours", found=measured))]], TEMPLATES).content)["erosion"]
    assert "On this site: scb-2026-03." in words(section)
