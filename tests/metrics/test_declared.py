"""Metrics that benchmarks declare: ten kinds of boards, and random declarations, against a second computation."""

import hashlib
import json
import random
import tomllib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from kit.exact_declared import Board, Row
from kit.real_data import real_data
from kit.review_day import TODAY

from sitegen.board.export import scores_json
from sitegen.models.declared import AMOUNTS, VERDICTS
from sitegen.pipeline.evaluating import Evaluation, evaluate

FOLDER = Path(__file__).parents[1] / "declared"
KINDS = [path for path in sorted(FOLDER.glob("*.toml")) if path.stem != "table"]
LENGTHS = {"grades": 3, "sites": 2, "latency": 3, "categories": 4}
"""Rounds of a task, where there are several."""


def scores_of(judged: Evaluation) -> Mapping[str, Mapping[str, Any]]:
    rows: Any = json.loads(json.dumps(scores_json(judged.entries())))["submissions"]
    return {row["id"]: row["metrics"] for row in rows}


def drawn_tasks(draw: random.Random, benchmark: Row, length: int, number: int = 9) -> list[Row]:
    axes = {name: axis.get("values") or ["one", "two"] for name, axis in benchmark.get("axes", {}).items()}
    return [
        {
            "id": f"task-{index}",
            "labels": {name: values[index % len(values)] for name, values in axes.items()},
            "rounds": [{"n": n, "weight": draw.choice((0.1, 0.25, 0.5, 2))} for n in range(1, length + 1)],
            "weight": draw.choice((1, 2, 3.5)),
        }
        for index in range(number)
    ]


def drawn_row(draw: random.Random, task: str, attempt: int, number: int, lack: float) -> Row:
    """Draw a round: mostly with a verdict, its figures known but for a part."""
    state = draw.choices(("scored", "no_cases", "aborted", "unreached"), (16, 1, 1, 2))[0]
    row: Row = {"task": task, "attempt": attempt, "round": number, "state": state, "reward": 0}
    if state == "unreached":
        return row
    if state == "scored":
        total = draw.randint(1, 9)
        passed = draw.choice((0, total, draw.randint(0, total)))
        row |= {"passed": passed, "total": total, "reward": 1 if passed == total else draw.choice((0, 0.5, 0.123))}
    figures = {name: round(draw.uniform(0, 50), 3) for name in AMOUNTS}
    figures["cost_usd"] = draw.choice((0, figures["cost_usd"], figures["cost_usd"]))
    row |= {name: value for name, value in figures.items() if draw.random() > lack}
    if draw.random() > lack:
        row["measures"] = {"depth@1": round(draw.uniform(-3, 3), 3)}
    return row


class Drawn(NamedTuple):
    tasks: Sequence[Row]
    rounds: Sequence[Row]
    runs: Sequence[Row]
    made: int


def drawn(draw: random.Random, benchmark: Row, length: int, lack: float) -> Drawn:
    """Draw tasks, rounds and figures of runs, of as many attempts as were made."""
    tasks, asked = drawn_tasks(draw, benchmark, length), benchmark["tracks"][0].get("attempts", 1)
    made = draw.choice((asked, asked, max(1, asked - 1)))
    cells = [(task["id"], attempt) for task in tasks for attempt in range(1, made + 1)]
    rounds = [drawn_row(draw, *cell, number, lack) for cell in cells for number in range(1, length + 1)]
    silent = {cell for cell in cells if draw.random() < lack}
    for row in rounds:
        if (row["task"], row["attempt"]) in silent:
            for name in AMOUNTS:
                row.pop(name, None)
    names = [name if name != "interactions" else "interactions_per_round" for name in AMOUNTS]
    runs = [
        {"task": task, "attempt": attempt} | {name: round(draw.uniform(1, 90), 3) for name in names}
        for task, attempt in sorted(silent)
        if draw.random() < 0.8
    ]
    return Drawn(tasks, rounds, runs, made)


def write(folder: Path, benchmark: Row, text: str, drawn_bundle: Drawn) -> None:
    """Write a benchmark with one submission."""
    tasks, rounds, runs, made = drawn_bundle
    home = folder / benchmark["id"]
    bundle = home / "submissions" / "ours"
    bundle.mkdir(parents=True)
    (home / "tasks").mkdir()
    (home / "benchmark.toml").write_text(text, encoding="utf-8")
    (home / "tasks" / "main.jsonl").write_text("".join(f"{json.dumps(task)}\n" for task in tasks), encoding="utf-8")
    manifest = f'schema = 1\ntrack = "main"\ndate = 2026-06-25\nattempts = {made}\n[agent]\nname = "Ours"\n'
    files = {
        "submission.toml": manifest,
        "rounds.jsonl": "".join(f"{json.dumps(round_result)}\n" for round_result in rounds),
    }
    files |= {"runs.jsonl": "".join(f"{json.dumps(run)}\n" for run in runs)} if runs else {}
    sums = "".join(
        f"{hashlib.sha256(file_content.encode()).hexdigest()}  {name}\n" for name, file_content in files.items()
    )
    for name, file_text in {**files, "SHA256SUMS": sums}.items():
        (bundle / name).write_text(file_text, encoding="utf-8")


def assert_same(scores: Mapping[str, Any], expected: Mapping[str, Fraction | None]) -> None:
    """Compare values, gaps among them, to 1e-9."""
    wanted = {name: value and pytest.approx(float(value), abs=1e-9, rel=0) for name, value in expected.items()}
    assert {name: scores[name]["value"] for name in expected} == wanted


@pytest.mark.parametrize("path", KINDS, ids=lambda path: path.stem)
def test_a_kind_of_board_is_declared_in_40_lines(path: Path, tmp_path: Path) -> None:
    """Values are those of a second computation, and a headline that is computed has an interval."""
    text = path.read_text(encoding="utf-8")
    benchmark = tomllib.loads(text)
    assert len(text.splitlines()) <= 40
    draw = random.Random(path.stem)  # noqa: S311 - no secret
    drawn_bundle = drawn(draw, benchmark, LENGTHS.get(path.stem, 1), 0.02)
    write(tmp_path, benchmark, text, drawn_bundle)
    judged = evaluate(tmp_path, TODAY)
    assert [problem for problem in judged.problems() if problem.severity == "error"] == []
    scores = scores_of(judged)["ours"]
    board = Board(benchmark, *drawn_bundle)
    assert list(scores) == [metric["id"] for metric in benchmark["metrics"]]
    assert_same(scores, {metric["id"]: board.score(metric) for metric in benchmark["metrics"]})
    assert {scores[metric["id"]]["unit"] for metric in benchmark["metrics"]} == {
        metric["unit"] for metric in benchmark["metrics"]
    }
    headline = scores[benchmark["tracks"][0]["headline"]]
    assert headline["value"] is not None
    assert headline["low"] <= headline["value"] <= headline["high"]


def test_a_table_needs_no_protocol_and_no_tasks(tmp_path: Path) -> None:
    home = tmp_path / "table"
    (home / "reported").mkdir(parents=True)
    (home / "benchmark.toml").write_text((FOLDER / "table.toml").read_text(encoding="utf-8"), encoding="utf-8")
    row = '[[rows]]\nid = "ours"\nname = "Ours"\n[rows.values]\nmean_win_rate = 0.912\nexact_match = 51.3\n'
    table = f'schema = 1\ntrack = "main"\ntitle = "A paper"\nsource = "A paper"\ndate = 2026-06-25\n{row}'
    (home / "reported" / "paper.toml").write_text(table, encoding="utf-8")
    judged = evaluate(tmp_path, TODAY)
    assert judged.problems() == ()
    scores = scores_of(judged)["ours"]
    assert {name: score["value"] for name, score in scores.items()} == {
        "mean_win_rate": 0.912,
        "exact_match": 51.3,
        "toxicity": None,
    }


def random_metric(draw: random.Random, index: int, attempts: int, length: int) -> Row:
    """Draw a declaration that fits together."""
    of = draw.choice((*VERDICTS, *AMOUNTS, "measure:depth"))
    units = ["share", "number", *(["percent"] if of in VERDICTS else [])]
    metric: Row = {"id": f"m_{index}", "title": f"M {index}", "unit": draw.choice(units), "of": of}
    metric["direction"] = draw.choice(("higher", "lower"))
    metric["tasks"] = draw.choice(("mean", "median", "sum", "count", "pooled", "macro", "weighted"))
    if metric["tasks"] == "macro":
        metric["axis"] = "kind"
    if metric["tasks"] == "pooled":
        return metric
    metric["rounds"] = draw.choice(("mean", "sum", "last", "weighted", *(["all"] * 2 if of == "pass" else [])))
    metric["attempts"] = draw.choice(("mean", "median", "best", "worst", "first"))
    if of == "pass" and (metric["rounds"] in {"all", "last"} or length == 1) and draw.random() < 0.6:
        metric |= {"attempts": draw.choice(("pass_at_k", "pass_hat_k")), "k": draw.randint(1, attempts)}
        metric["rounds"] = draw.choice(("all", "last"))
    return metric


def random_ratios(draw: random.Random, metrics: Sequence[Row], number: int) -> list[Row]:
    """Draw ratios of metrics that may be divided."""
    candidates = [metric for metric in metrics if metric["tasks"] != "median"]
    ratios: list[Row] = []
    while len(ratios) < number:
        first, second = draw.choice(candidates), draw.choice(candidates)
        unit = draw.choice(("number", "percent") if first["unit"] == second["unit"] else ("number",))
        ratio = {"id": f"r_{len(ratios)}", "title": f"R {len(ratios)}", "unit": unit}
        ratios.append({**ratio, "numerator": first["id"], "denominator": second["id"]})
    return ratios


def declared(metrics: Sequence[Row], protocol: str, attempts: int) -> tuple[Row, str]:
    """A benchmark that declares metrics, as values and as the text of its file."""
    track = {"id": "main", "title": "Main", "protocol": protocol, "attempts": attempts, "tasks": "main"}
    weights = {"a": 0.5, "c": 3}

    def lines_of(values: Row) -> str:
        return "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items())

    text = (
        'schema = 1\nid = "drawn"\ntitle = "Drawn"\n'
        + "".join(f"[[metrics]]\n{lines_of(metric)}" for metric in metrics)
        + '[axes.kind]\ntitle = "Kind"\nvalues = ["a", "b", "c"]\nweights = { a = 0.5, c = 3 }\n'
        + f'[[tracks]]\n{lines_of(track)}headline = "m_0"\ncolumns = ["m_0"]\n'
    )
    axes = {"kind": {"title": "Kind", "values": ["a", "b", "c"], "weights": weights}}
    return {"id": "drawn", "axes": axes, "tracks": [track], "metrics": metrics}, text


@pytest.mark.parametrize("seed", range(16))
def test_random_declarations_are_computed_as_they_say(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)  # noqa: S311 - no secret
    length, attempts, lack = draw.choice((1, 2, 4)), draw.choice((1, 2, 4)), draw.choice((0.0, 0.05, 0.3))
    metrics = [random_metric(draw, index, attempts, length) for index in range(24)]
    metrics += random_ratios(draw, metrics, 8)
    benchmark, text = declared(metrics, draw.choice(("chain", "fail-stop", "once")), attempts)
    drawn_bundle = drawn(draw, benchmark, length, lack)
    write(tmp_path, benchmark, text, drawn_bundle)
    judged = evaluate(tmp_path, TODAY)
    errors = [problem.what for problem in judged.problems() if problem.severity == "error"]
    assert errors == []
    board = Board(benchmark, *drawn_bundle)
    assert_same(scores_of(judged)["ours"], {metric["id"]: board.score(metric) for metric in metrics})


@pytest.mark.parametrize("attempts", ["best", "worst", "mean"])
def test_a_verdict_without_a_count_of_cases_is_a_gap_whatever_other_attempts_scored(
    attempts: str, tmp_path: Path
) -> None:
    metric = {"id": "m_0", "title": "M", "unit": "share", "of": "cases", "attempts": attempts}
    benchmark, text = declared([metric], "chain", 2)
    tasks = [{"id": "a", "rounds": [{"n": 1}], "labels": {"kind": "a"}}]
    known_record = {"task": "a", "attempt": 1, "round": 1, "state": "scored", "reward": 0, "passed": 1, "total": 4}
    unknown = {"task": "a", "attempt": 2, "round": 1, "state": "scored", "reward": 1}
    write(tmp_path, benchmark, text, Drawn(tasks, [known_record, unknown], [], 2))
    assert scores_of(evaluate(tmp_path, TODAY))["ours"]["m_0"]["value"] is None


def test_the_samples_score_as_they_were_computed_by_others() -> None:
    folder = real_data("declared")
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    judged = evaluate(folder / "results", TODAY)
    scores = scores_of(judged)
    assert "REWARD-FRACTIONAL" not in {problem.code for problem in judged.problems()}
    for expected_board in expected.values():
        for name, values in expected_board["values"].items():
            assert list(scores[name]) == list(values)
            assert_same(
                scores[name], {metric: None if value is None else Fraction(value) for metric, value in values.items()}
            )
        for name, claims in expected_board.get("claims", {}).items():
            stated = {metric: [scores[name][metric]["claimed"], scores[name][metric]["agrees"]] for metric in claims}
            assert stated == claims
