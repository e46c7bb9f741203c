"""The papers' tables stand here as they were printed: every figure, name and setting equals another's transcription."""

import json
from decimal import Decimal
from typing import Any

from paper_tables import Lines, benchmark_of, lines_of, split, spread, table_of
from real_data import published_table

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
