"""A table with a row for each agent, whose columns are metrics of the benchmark, is a published table."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.table.source import read_table
from sitegen.metrics.catalogue import METRICS
from sitegen.problems import ProblemsError, UsageError

HEAD = "agent,organization,exact_match,toxicity"
OPTIONS = ImportOptions(
    benchmark="table",
    track="main",
    today=date(2026, 7, 1),
    date=date(2026, 6, 1),
    aliases={"alpha one": "Alpha"},
    known_metrics=("exact_match", "toxicity"),
)


def written(folder: Path, *lines: str) -> Path:
    path = folder / "board.csv"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def told(file: Path) -> Sequence[tuple[str, int | None]]:
    with pytest.raises(ProblemsError) as caught:
        read_table(file, OPTIONS)
    return [(problem.code, problem.line) for problem in caught.value.problems]


def test_every_row_is_a_row_of_the_table_with_its_values_as_printed(tmp_path: Path) -> None:
    incoming = read_table(written(tmp_path, HEAD, "alpha one,Lab,51.30,0.02", "Beta,,,0.1"), OPTIONS)
    ((name, table),) = incoming.reported
    assert (name, table.track, table.date, table.source) == (
        "2026-06-01-main",
        "main",
        date(2026, 6, 1),
        "board.csv",
    )
    rows = [(row.id, row.name, {key: figure.value for key, figure in row.values.items()}) for row in table.rows]
    assert rows == [
        ("alpha", "Alpha", {"exact_match": Decimal("51.30"), "toxicity": Decimal("0.02")}),
        ("beta", "Beta", {"toxicity": Decimal("0.1")}),
    ]
    assert (incoming.drafts, incoming.task_sets) == ((), ())


def test_all_that_can_t_be_used_is_told_at_once(tmp_path: Path) -> None:
    assert told(written(tmp_path, HEAD, "Alpha,,51,x", "Beta,,much,0", ",Lab,1,2")) == [
        ("SOURCE-BROKEN", 2),
        ("SOURCE-BROKEN", 3),
        ("SOURCE-BROKEN", 4),
    ]


def test_columns_that_are_no_metrics_are_left_out_and_named(tmp_path: Path) -> None:
    incoming = read_table(written(tmp_path, f"{HEAD},rouge", "Alpha,,51,0,3"), OPTIONS)
    assert [problem.code for problem in incoming.problems] == ["SOURCE-METRIC-UNKNOWN"]
    assert (
        "left out columns that are neither metrics of the benchmark nor facts about an agent: rouge"
        in incoming.problems[0].what
    )
    assert (
        incoming.problems[0].fix
        == "to show the columns, declare them as metrics in benchmark.toml with `reported = true`"
    )


LEADERBOARD = replace(OPTIONS, known_metrics={name: METRICS[name] for name in ("resolved", "mean_reward")})


def values_of(file: Path, *columns: str) -> dict[str, dict[str, Decimal]]:
    """Import a published table; return the values of its agents."""
    ((_, table),) = read_table(file, LEADERBOARD, column=columns).reported
    return {row.name: {key: figure.value for key, figure in row.values.items()} for row in table.rows}


def test_a_column_may_be_named_as_a_metric(tmp_path: Path) -> None:
    file = written(tmp_path, "Rank,Model,Overall Acc", "1,Alpha,51.3", "2,Beta,44")
    with pytest.raises(ProblemsError) as caught:
        read_table(file, LEADERBOARD)
    assert "`--column resolved=Overall Acc`" in caught.value.problems[0].fix
    values = values_of(file, "resolved=Overall Acc")
    assert values == {"Alpha": {"resolved": Decimal("51.3")}, "Beta": {"resolved": Decimal(44)}}
    rounds = written(tmp_path, "task,reward", "a,1")
    with pytest.raises(UsageError, match="the rows are not agents"):
        read_table(rounds, LEADERBOARD, column=["resolved=reward"])


def test_values_may_have_a_percent_sign_or_an_uncertainty(tmp_path: Path) -> None:
    file = written(tmp_path, "agent,resolved,mean_reward", "Alpha,0.9%,51.3%", "Beta,0.5%,44%")
    assert values_of(file)["Alpha"] == {"resolved": Decimal("0.9"), "mean_reward": Decimal("0.513")}
    with_spread = written(tmp_path, "agent,resolved", "Alpha,51.3 ± 1.2", "Beta,44±2")
    assert values_of(with_spread) == {"Alpha": {"resolved": Decimal("51.3")}, "Beta": {"resolved": Decimal(44)}}
    mixed = written(tmp_path, "agent,resolved", "Alpha,51.3%", "Beta,0.44")
    with pytest.raises(ProblemsError) as caught:
        read_table(mixed, LEADERBOARD)
    assert caught.value.problems[0].what == "some values of `resolved` have a percent sign, but others do not"


def test_a_table_of_scores_that_are_no_metrics_is_asked_about(tmp_path: Path) -> None:
    """Each could be a task."""
    assert told(written(tmp_path, "agent,rouge", "Alpha,51")) == [("SOURCE-COLUMNS-UNCLEAR", None)]
    of_rounds = [("SOURCE-COLUMNS-UNCLEAR", None)]
    assert told(written(tmp_path, "agent,passed", "Alpha,1")) == told(written(tmp_path, "agent", "Alpha")) == of_rounds


def test_an_agent_has_one_row_and_a_name(tmp_path: Path) -> None:
    assert told(written(tmp_path, HEAD, "Alpha,,51,0", "Alpha,,52,0")) == [("SOURCE-RESULT-TWICE", None)]
    assert told(written(tmp_path, HEAD, ",Lab,51,0", "A,Lab,51,0")) == [("SOURCE-BROKEN", 2)]
    assert told(written(tmp_path, HEAD)) == [("SOURCE-EMPTY", None)]


def test_a_table_of_rounds_stays_one(tmp_path: Path) -> None:
    file = written(tmp_path, "agent,task,attempt,round,reward", "Alpha,a,1,1,1")
    assert len(read_table(file, OPTIONS).drafts) == 1


def test_a_row_of_averages_is_no_agent(tmp_path: Path) -> None:
    assert told(written(tmp_path, HEAD, "Alpha,,51,0", "Average,,51,0")) == [("TABLE-SUMMARY", 3)]


def test_any_file_may_hold_a_published_table(tmp_path: Path) -> None:
    path = tmp_path / "board.json"
    path.write_text('[{"model": "Alpha", "exact_match": 51.3}]', encoding="utf-8")
    ((_, table),) = read_table(path, OPTIONS).reported
    assert [(row.name, row.values["exact_match"].value) for row in table.rows] == [("Alpha", Decimal("51.3"))]


def test_values_on_an_unknown_scale_are_asked_about(tmp_path: Path) -> None:
    """Where a metric is in percent, a value of up to 1 may be a share."""
    options = replace(OPTIONS, known_metrics=METRICS)
    file = written(tmp_path, "agent,resolved,completion", "Alpha,0.513,0.5", "Beta,0.4,")
    with pytest.raises(ProblemsError) as caught:
        read_table(file, options)
    (problem,) = caught.value.problems
    assert problem.code == "SOURCE-SCALE-UNSTATED"
    assert problem.what == "column `resolved` has values up to 0.513, but this metric goes from 0 to 100"
    ((_, table),) = read_table(file, replace(options, scale=1)).reported
    assert table.rows[0].values["resolved"].value == Decimal("51.3")
    assert table.rows[0].values["completion"].value == Decimal("0.5")
    percent = written(tmp_path, "agent,resolved", "Alpha,51.3")
    ((_, table),) = read_table(percent, options).reported
    assert table.rows[0].values["resolved"].value == Decimal("51.3")
