"""The papers' tables: what follows from other figures of its table does, and no figure was mistyped."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

import pytest
from kit.paper_tables import Line, Lines, lines_of, split, spread, table_of

from sitegen.models.reported import Erratum, Figure

Complaints: TypeAlias = Iterator[str]

HALF = Fraction(1, 20)
"""How far a figure with one decimal may lie from what it was rounded from."""


def counts_are_whole(line: Line) -> Complaints:
    """A percentage of n things is k of n, for some whole k."""
    for column, figure in line.items():
        if figure.n and abs(Fraction(100 * count(figure), figure.n) - Fraction(figure.value)) > HALF:
            yield f"{column}: {figure.value} % is no whole count of {figure.n}"


def count(figure: Figure) -> int:
    """Give k of n."""
    return round(Fraction(figure.value) * (figure.n or 0) / 100)


def gap_is_the_difference(line: Line) -> Complaints:
    if line["gap"].value != line["sr"].value - line["mt_at_k"].value:
        yield f"gap: {line['gap'].value} is not SR minus MT@4"


def recombined(axis: str, tasks: Mapping[str, int]) -> Callable[[Line], Complaints]:
    """A mean over tasks is the mean of its parts, each weighted by its tasks; all of them are rounded."""

    def check(line: Line) -> Complaints:
        weighted_values = (Fraction(line[split("mt_at_k", axis, value)].value) * n for value, n in tasks.items())
        mean = sum(weighted_values, Fraction()) / sum(tasks.values())
        if abs(mean - Fraction(line["mt_at_k"].value)) > 2 * HALF:
            yield f"mt_at_k: {line['mt_at_k'].value} is not {float(mean):.2f}, the mean of its parts by {axis}"

    return check


def domains_add_up(line: Line) -> Complaints:
    domain_total = sum(count(figure) for column, figure in line.items() if column.startswith("resolved by domain"))
    if domain_total != count(line["resolved"]):
        yield f"resolved: {count(line['resolved'])} tasks, but {domain_total} by domain"


def cost_is_of_the_same_checkpoints(line: Line) -> Complaints:
    """The rates share their n, and the whole cost is that of n checkpoints; the mean is rounded to cents."""
    strict, mean, net = line["strict"], line["cost_per_round"].value, line["net_cost"].value
    produced = strict.n or 0
    if {line[rate].n for rate in ("iso", "core")} != {produced}:
        yield "strict, iso, core: of different numbers of checkpoints"
    if abs(mean * produced - net) > Decimal("0.005") * (produced + 1):
        yield f"net_cost: {net} is not {produced} times {mean}"


@dataclass(frozen=True)
class Paper:
    """What a paper's table must be like.

    Attributes:
        benchmark: Its benchmark's id.
        rows: How many agents it has.
        totals: Control totals: the sum of what the paper prints in each column, with the column's decimals. A
            slip in one figure changes its column's sum.
        counted: What a column's percentages are out of.
        rules: What must hold inside each of its rows.
    """

    benchmark: str
    rows: int
    totals: Mapping[str, str]
    counted: Mapping[str, int]
    rules: tuple[Callable[[Line], Complaints], ...]

    def complaints(self, lines: Lines) -> Complaints:
        """Say what is wrong with a table's figures."""
        yield from self.broken_rules(lines)
        for column, total in self.totals.items():
            column_sum = sum(line[column].value for line in lines.values())
            if column_sum != Decimal(total):
                yield f"{column}: adds up to {column_sum}, the paper's column to {total}"

    def broken_rules(self, lines: Lines) -> Complaints:
        """Say what contradicts itself inside a row."""
        for row, line in lines.items():
            for rule in (counts_are_whole, *self.rules):
                yield from (f"{row}, {complaint}" for complaint in rule(line))
            for column, figure in line.items():
                if column in self.counted and figure.n != self.counted[column]:
                    yield f"{row}, {column}: out of {figure.n}, not {self.counted[column]}"


DOMAINS = {"ML & Data": 36, "Web & RPC": 17, "ORM & Val": 25, "Infra & Tool": 23, "UI & Ren": 14}
ACTIVITIES = {"construction": 13, "spec_evolution": 3, "review": 5, "migration": 5}
STYLES = {"explorative": 15, "contractual": 7, "document_driven": 4}
"""Tasks by the styles of table 2; table 1 of the same paper counts 16, 6 and 4."""

PAPERS = (
    Paper(
        "evocode-bench",
        13,
        {
            "mt_at_k": "329.1",
            "sr": "665.4",
            "gap": "336.3",
            "comp": "211.5",
            "avg_turns": "9093.9",
            "output_tokens_k": "1804.7",
            split("mt_at_k", "activity", "construction"): "328.4",
            split("mt_at_k", "activity", "spec_evolution"): "283.9",
            split("mt_at_k", "activity", "review"): "385.1",
            split("mt_at_k", "activity", "migration"): "303.1",
            split("mt_at_k", "style", "explorative"): "271.5",
            split("mt_at_k", "style", "contractual"): "268.9",
            split("mt_at_k", "style", "document_driven"): "651.5",
        },
        {"sr": 227, "comp": 26},
        (gap_is_the_difference, recombined("activity", ACTIVITIES), recombined("style", STYLES)),
    ),
    Paper(
        "roadmapbench",
        24,
        {
            "resolved": "404.4",
            "completion": "10.386",
            "avg_turns": "2839.8",
            "output_tokens_k": "1218",
            split("resolved", "domain", "ML & Data"): "214.0",
            split("resolved", "domain", "Web & RPC"): "317.8",
            split("resolved", "domain", "ORM & Val"): "456.0",
            split("resolved", "domain", "Infra & Tool"): "543.1",
            split("resolved", "domain", "UI & Ren"): "678.3",
        },
        {"resolved": 115} | {split("resolved", "domain", name): tasks for name, tasks in DOMAINS.items()},
        (domains_add_up,),
    ),
    Paper(
        "slop-code-bench",
        11,
        {
            "strict": "104.5",
            "iso": "194.9",
            "core": "452.1",
            "partial": "265.0",
            "cost_per_round": "28.75",
            spread("cost_per_round"): "28.28",
            "net_cost": "2650.33",
            "minutes_per_round": "122.4",
            spread("minutes_per_round"): "91.3",
            "erosion": "7.341",
            spread("erosion"): "2.168",
            "verbosity": "3.615",
            spread("verbosity"): "1.061",
        },
        {"partial": 20},
        (cost_is_of_the_same_checkpoints,),
    ),
)

every_paper = pytest.mark.parametrize("paper", PAPERS, ids=[paper.benchmark for paper in PAPERS])


def slips(lines: Lines) -> Iterator[tuple[str, str, Lines]]:
    """Give the table with each of its figures one unit of its last digit too high, and too low: row, column, table."""
    for row, line in lines.items():
        for column, figure in line.items():
            unit = Decimal((0, (1,), int(figure.value.as_tuple().exponent)))
            for value in (figure.value + unit, figure.value - unit):
                slip = figure.model_copy(update={"value": value})
                yield row, column, {**lines, row: {**line, column: slip}}


@every_paper
def test_a_table_agrees_with_itself_and_with_its_papers_columns(paper: Paper) -> None:
    assert list(paper.complaints(lines_of(paper.benchmark))) == []


@every_paper
def test_a_table_has_every_row_and_every_figure_with_its_decimals(paper: Paper) -> None:
    lines = lines_of(paper.benchmark)
    decimals = {column: Decimal(total).as_tuple().exponent for column, total in paper.totals.items()}
    assert len(lines) == paper.rows
    for row, line in lines.items():
        assert {column: figure.value.as_tuple().exponent for column, figure in line.items()} == decimals, row


@every_paper
def test_a_slip_of_one_digit_anywhere_is_noticed(paper: Paper) -> None:
    assert [
        (row, column) for row, column, table in slips(lines_of(paper.benchmark)) if not any(paper.complaints(table))
    ] == []


@every_paper
def test_a_slip_in_a_figure_that_follows_from_others_contradicts_them(paper: Paper) -> None:
    """Without the paper's columns at hand: counts, the gap and what it is made of, and cost per checkpoint."""
    unnoticed = {column for _, column, table in slips(lines_of(paper.benchmark)) if not any(paper.broken_rules(table))}
    followed = {"mt_at_k", "gap", "cost_per_round", *paper.counted, "strict", "iso", "core"}
    assert unnoticed & followed == set()


@every_paper
def test_a_slip_in_what_a_count_is_out_of_is_noticed(paper: Paper) -> None:
    lines = lines_of(paper.benchmark)
    for row, line in lines.items():
        for column, figure in line.items():
            slip = figure.model_copy(update={"n": (figure.n or 0) + 1})
            assert figure.n is None or any(paper.broken_rules({row: {**line, column: slip}})), (row, column)


def test_the_style_columns_do_not_follow_from_the_tasks_that_table_1_counts() -> None:
    printed = recombined("style", {"explorative": 16, "contractual": 6, "document_driven": 4})
    assert any(complaint for line in lines_of("evocode-bench").values() for complaint in printed(line))
    assert any("style" in erratum.axes for erratum in table_of("evocode-bench").errata)


def erratum_of_fewer_checkpoints() -> Erratum:
    """Give the one that says so of a row."""
    (erratum,) = (
        candidate for candidate in table_of("slop-code-bench").errata if candidate.concerns("sonnet-4-6", "strict")
    )
    return erratum


def test_the_rows_of_fewer_checkpoints_are_those_that_an_erratum_names() -> None:
    lines = lines_of("slop-code-bench")
    fewer = {row: line["strict"].n for row, line in lines.items() if line["strict"].n != 93}
    assert fewer == {"sonnet-4-6": 82, "opus-4-5": 92}
    assert set(erratum_of_fewer_checkpoints().rows) == set(fewer)


def test_the_erratum_of_fewer_checkpoints_gives_the_shares_of_all_93() -> None:
    lines, erratum = lines_of("slop-code-bench"), erratum_of_fewer_checkpoints()
    for row in erratum.rows:
        of_all = [f"{count(lines[row][rate]) / 93:.1%}".removesuffix("%") for rate in ("strict", "iso", "core")]
        assert all(share in erratum.note for share in of_all), row
