"""The papers' tables stand here as they were printed: every figure, name and setting equals another's transcription."""

import json
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from kit.paper_tables import Lines, benchmark_of, lines_of, split, spread, table_of
from kit.real_data import published_table

OVERALL = {"mt4": "mt_at_k", "sr": "sr", "comp_pct": "comp"}
EFFORT = {"avg_turns": "avg_turns", "output_tokens_k": "output_tokens_k"}
PROGRESS = {
    "strict_solve_pct": "strict",
    "iso_solve_pct": "iso",
    "core_solve_pct": "core",
    "partial_problem_pct": "partial",
    "net_cost_usd": "net_cost",
}
MEANS = {
    "cost_per_checkpoint_usd": "cost_per_round",
    "minutes_per_checkpoint": "minutes_per_round",
    "erosion": "erosion",
    "verbosity": "verbosity",
}


def transcribed(name: str) -> Any:  # noqa: ANN401 - JSON, whatever it holds
    return json.loads(published_table(name).read_text(encoding="utf-8"), parse_float=Decimal)


def values_of(lines: Lines) -> dict[str, dict[str, Decimal]]:
    return {row: {column: figure.value for column, figure in line.items()} for row, line in lines.items()}


def evocode_name(spelling: str) -> str:
    return benchmark_of("evocode-bench").agent_name(spelling)


def test_evocode_bench_has_the_figures_of_table_2_and_the_gap_of_its_page() -> None:
    page = transcribed("evocode_bench_legacy_site.json")["table_full_results"]
    gaps = {evocode_name(row["agent"]): row["gap"] for row in page}
    ids = {row.name: row.id for row in table_of("evocode-bench").rows}
    printed = {}
    for row in transcribed("evocode_bench_paper.json")["table2_main"]:
        name = evocode_name(row["agent"])
        printed[ids[name]] = {
            "gap": gaps[name],
            **{column: row[key] for key, column in (OVERALL | EFFORT).items()},
            **{split("mt_at_k", "activity", value): mt for value, mt in row["mt4_by_activity"].items()},
            **{split("mt_at_k", "style", value): mt for value, mt in row["mt4_by_style"].items()},
        }
    assert values_of(lines_of("evocode-bench")) == printed


def test_evocode_bench_has_the_agents_of_table_6_under_one_name_each() -> None:
    page = transcribed("evocode_bench_legacy_site.json")["table_full_results"]
    makers = {evocode_name(row["agent"]): row["organisation"] for row in page}
    models = transcribed("evocode_bench_paper.json")["table6_models"]
    rows = {row.name: row for row in table_of("evocode-bench").rows}
    assert len(rows) == len(models)
    for model in models:
        row = rows[evocode_name(model["full_name"])]
        assert row.name == evocode_name(model["label"])
        assert (row.model, row.reasoning) == (model["endpoint"], model["setting"])
        assert (row.organization, row.scaffold) == (makers[row.name], "terminus-2")


def test_roadmapbench_has_the_figures_of_table_2_on_both_scaffolds() -> None:
    table = transcribed("roadmapbench_paper.json")["table2_main"]
    ids = {(row.name, row.scaffold): row.id for row in table_of("roadmapbench").rows}
    printed = {
        ids[row["model"], row["scaffold"]]: {
            "resolved": row["resolved_pct"],
            "completion": row["completion_score"],
            **{column: row[key] for key, column in EFFORT.items()},
            **{split("resolved", "domain", name): rate for name, rate in row["resolved_pct_by_domain"].items()},
        }
        for row in table["rows"]
    }
    assert values_of(lines_of("roadmapbench")) == printed


def test_roadmapbench_has_the_papers_reasoning_settings() -> None:
    settings = transcribed("roadmapbench_paper.json")["setting"]["reasoning"]
    rows = table_of("roadmapbench").rows
    assert [row.reasoning for row in rows] == [settings.get(row.name, settings["*"]) for row in rows]


def test_slop_code_bench_has_the_figures_of_table_1() -> None:
    ids = {row.name: row.id for row in table_of("slop-code-bench").rows}
    printed = {
        ids[row["model"]]: {
            **{column: row[key] for key, column in PROGRESS.items()},
            **{column: row[key]["mean"] for key, column in MEANS.items()},
            **{spread(column): row[key]["sd"] for key, column in MEANS.items()},
        }
        for row in transcribed("slopcodebench_paper_v1.json")["table1_main"]["rows"]
    }
    assert values_of(lines_of("slop-code-bench")) == printed


def test_slop_code_bench_has_the_scaffolds_of_table_3() -> None:
    harnesses = transcribed("slopcodebench_paper_v1.json")["table3_harness"]
    keys = ("model", "harness", "harness_version", "reasoning_effort")
    printed = {tuple(harness[key] for key in keys) for harness in harnesses}
    rows = table_of("slop-code-bench").rows
    assert {(row.name, row.scaffold, row.scaffold_version, row.reasoning) for row in rows} == printed


def cells_of(benchmark: str, exhibit: str) -> list[tuple[str, ...]]:
    (shown_exhibit,) = (candidate for candidate in table_of(benchmark).exhibits if candidate.id == exhibit)
    return [tuple(map(str, row)) for row in shown_exhibit.rows]


def lines_in(rows: Iterable[Mapping[str, Any]], *keys: str) -> list[tuple[str, ...]]:
    return [tuple(str(row[key]) for key in keys) for row in rows]


def test_evocode_bench_has_the_counts_of_table_1_and_figure_2() -> None:
    paper = transcribed("evocode_bench_paper.json")
    table, figure = paper["table1_taxonomy"], paper["figure2"]
    counted = [
        tuple(f"{row[style]['tasks']} / {row[style]['rounds']}" for style in row if style != "activity")
        for row in (*table["rows"], table["total"])
    ]
    assert [row[1:] for row in cells_of("evocode-bench", "taxonomy")] == counted
    lengths = [(rounds.replace(" to ", "-"), *counts) for rounds, *counts in cells_of("evocode-bench", "lengths")]
    assert lengths == lines_in(figure["length_buckets"], "rounds", "tasks", "total_rounds")
    domains = [(name, str(count)) for name, count in figure["domains"].items()]
    assert cells_of("evocode-bench", "domains") == domains
    changes = [count for _, count in cells_of("evocode-bench", "changes")]
    assert changes == list(map(str, figure["change_types"].values()))


def test_evocode_bench_has_the_rates_of_table_7_and_marks_its_wrong_counts() -> None:
    paper = transcribed("evocode_bench_paper.json")["table7_rounds"]
    assert cells_of("evocode-bench", "rounds") == lines_in(paper, "round", "mean_pass_pct", "active_tasks")
    slips = {
        str(row["round"]): row["derived_active_tasks"]
        for row in paper
        if row["derived_active_tasks"] != row["active_tasks"]
    }
    (rounds,) = (exhibit for exhibit in table_of("evocode-bench").exhibits if exhibit.id == "rounds")
    assert {slip.row: slip.should for slip in rounds.slips} == slips


def test_roadmapbench_has_tables_3_to_6() -> None:
    paper = transcribed("roadmapbench_paper.json")
    rows = paper["table3_repositories"]["rows"]
    medians = ("median_lines", "median_files", "median_subtasks")
    assert cells_of("roadmapbench", "repositories") == lines_in(
        rows, "repository", "language", "domain", "tasks", *medians
    )
    completion = ("completion_before", "completion_after", "completion_delta")
    resolved = ("resolved_before_pct", "resolved_after_pct", "resolved_delta_pp")
    mended = lines_in(paper["table4_quality_control"]["rows"], "model", *completion, *resolved)
    assert cells_of("roadmapbench", "mended") == mended
    kinds = [
        (row["sub_type"], f"{row['category']} ({row['category_pct']} %)", str(row["pct"]))
        for row in paper["table5_error_taxonomy"]
    ]
    assert cells_of("roadmapbench", "failures") == kinds
    by_agent = [
        (
            row["model"],
            str(row["subtask_pass_pct"] or ""),
            *(f"{cell['count']} ({cell['pct']} %)" for cell in row.values() if isinstance(cell, dict)),
            str(row["total"]),
        )
        for row in paper["table6_failures"]["rows"]
    ]
    assert cells_of("roadmapbench", "failures-by-agent") == by_agent


def test_slop_code_bench_has_the_repositories_of_table_7() -> None:
    paper = transcribed("slopcodebench_paper_v1.json")["table7_human_panel"]["rows"]
    texts = ("repository", "tier", "stars_text", "loc_text")
    shares = ("violation_pct", "clone_ratio", "verbosity", "erosion")
    cells = cells_of("slop-code-bench", "human-panel")
    assert [row[:4] for row in cells] == lines_in(paper, *texts)
    assert [tuple(map(Decimal, row[4:])) for row in cells] == [tuple(row[key] for key in shares) for row in paper]
