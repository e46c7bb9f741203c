"""Checks of the scores of a random board, and of the files for programs.

Each check yields its faults as sentences, and yields nothing if the program is right.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pandas as pd

from kit.board_outputs import ProgramBoard, ProgramResults, is_close
from kit.rank_tests import better_pairs
from kit.results_files import BoardFiles, Row, Submission, extent_of, measured_versions
from sitegen.board import BoardEntry, every_eval_ever, hugging_face
from sitegen.models.site import Site

Faults = Iterator[str]
SITE = Site("https://example.org/boards/", "Boards")
CLOSE = 1e-9


# Scores and ranks


def score_faults(board: BoardFiles, output: ProgramBoard) -> Faults:
    """Compare every score, status and rank with the second computation."""
    if {*output.rows} != {row.id for row in board.rows}:
        yield f"rows are {sorted(output.rows)}, expected {sorted(row.id for row in board.rows)}"
        return
    for row in board.rows:
        document = output.rows[row.id]
        if document["status"] != row.state:
            yield f"{row.id} is {document['status']}, expected {row.state}"
        if document.get("apart", "") != row.apart:
            yield f"{row.id} is apart as {document.get('apart')}, expected {row.apart}"
        if document["rank"] != board.ranks.get(row.id):
            yield f"{row.id} has rank {document['rank']}, expected {board.ranks.get(row.id)}"
        expected = {name: float(value) for name, value in row.scores.items() if value is not None}
        values = {name: score["value"] for name, score in document["metrics"].items()}
        actual = {name: value for name, value in values.items() if value is not None}
        for name in sorted(actual.keys() ^ expected.keys()):
            yield f"{row.id} has {name} {actual.get(name)}, expected {expected.get(name)}"
        for name in sorted(actual.keys() & expected.keys()):
            if not is_close(actual[name], expected[name]):
                yield f"{row.id} has {name} {actual[name]}, expected {expected[name]}"


def coverage_faults(board: BoardFiles, output: ProgramBoard) -> Faults:
    """Compare each score's missing tasks, records and extent with the second computation."""
    for row in board.rows:
        submission, document = row.submission, output.rows[row.id]
        if submission is None:
            continue
        if sorted(document["missing"]) != sorted(submission.missing):
            yield f"{row.id} lacks {document['missing']}, expected {submission.missing}"
        covered_rounds = {
            (round_result["task"], round_result["round"])
            for round_result in submission.rounds
            if round_result["state"] != "excluded"
        }
        counted = {(task, number) for task, numbers in submission.exact.tasks.items() for number in numbers}
        numbers = {"rounds": len(covered_rounds & counted), "expected_rounds": len(counted)}
        shown_coverage = {name: document["coverage"][name] for name in numbers}
        if shown_coverage != numbers:
            yield f"{row.id} covers {shown_coverage}, expected {numbers}"
        for name, score in document["metrics"].items():
            is_mixed = name in {"erosion", "verbosity"} and len(measured_versions(row, name)) > 1
            if name in board.own_metrics or not submission.exact.tasks or score["n"] is None or is_mixed:
                continue
            if (score["n"], score["of"]) != extent_of(submission, name):
                over, expected = f"{score['n']} of {score['of']}", extent_of(submission, name)
                yield f"{row.id} has {name} over {over}, expected {expected}"


def rank_faults(board: BoardFiles, output: ProgramBoard) -> Faults:
    """Compare the pairs that are shown with the rank sets and with a second test."""
    better, ids = output.better_pairs, {row.id for row in board.ranked}
    sets = {name: tuple(row["rank_interval"]) for name, row in output.rows.items() if row["rank_interval"]}
    expected_pairs = better_pairs(board)
    if expected_pairs is not None and expected_pairs != better:
        yield f"pairs are shown {sorted(better)}, expected {sorted(expected_pairs)}"
    for first, second in better:
        if board.ranks[first] >= board.ranks[second]:
            yield f"{first} is shown to be better than {second}, and does not rank above it"
    for name, (low, high) in sets.items():
        above, below = (sum(pair[side] == name for pair in better) for side in (1, 0))
        if name not in ids or (low, high) != (1 + above, len(ids) - below) or not low <= board.ranks[name] <= high:
            shown_ranks = f"{low}-{high}, rank {board.ranks.get(name)}"
            yield f"{name} has the rank set {shown_ranks}, with {above} above and {below} below"
    is_tested = board.has_results and board.has_intervals
    if board.has_results and {*sets} != (ids if is_tested else set()):
        yield f"rank sets of {sorted(sets)}, expected of {sorted(ids) if is_tested else 'none'}"


def interval_faults(board: BoardFiles, output: ProgramBoard) -> Faults:
    """Check the properties of intervals: around the score, within the scale, and over enough tasks."""
    for row in board.rows:
        for name, score in output.rows[row.id]["metrics"].items():
            low, high, value = score["low"], score["high"], score["value"]
            if low is None:
                continue
            highest = board.highest(name)
            if value is None or not low - CLOSE <= value <= high + CLOSE:
                yield f"{row.id} has {name} {value} outside of its interval {low} to {high}"
            if highest is not None and (low < -CLOSE or high > highest + CLOSE):
                yield f"{row.id} has {name} in {low} to {high}, on a scale of 0 to {highest}"
            if row.submission and not board.has_intervals:
                yield f"{row.id} has an interval of {name} over too few tasks or clusters"


# Files for programs


def csv_faults(_: BoardFiles, output: ProgramBoard) -> Faults:
    """Compare the CSV and the Parquet file with the JSON document."""
    lines = {line["id"]: line for line in output.scores_csv}
    frame = output.scores_parquet.set_index("id") if output.rows else pd.DataFrame()
    if {*lines} != {*output.rows}:
        yield f"the CSV file has rows {sorted(lines)}"
        return
    for name, document in output.rows.items():
        low, high = document["rank_interval"] or (None, None)
        cells = {"rank": document["rank"], "rank_low": low, "rank_high": high}
        for metric, score in document["metrics"].items():
            cells |= {
                metric: score["value"],
                f"{metric}_low": score["low"],
                f"{metric}_high": score["high"],
            }
            cells |= {f"{metric}_n": score["n"], f"{metric}_of": score["of"]}
        for column, value in cells.items():
            text = lines[name].get(column, "")
            stored: Any = frame.loc[name].get(column)
            in_csv = float(text) if text else None
            in_parquet = None if stored is None or pd.isna(stored) else float(stored)
            if not (is_close(in_csv, value) and is_close(in_parquet, value)):
                files = f"{in_csv} in CSV, {in_parquet} in Parquet"
                yield f"{name}: {column} is {value} in JSON, {files}"


def round_file_faults(board: BoardFiles, output: ProgramBoard) -> Faults:
    """Compare the table of rounds with the records."""
    submissions = [row.submission for row in board.rows if row.submission]
    if submissions:
        yield from round_frame_faults(board, output.rounds_csv)


def round_frame_faults(board: BoardFiles, frame: pd.DataFrame) -> Faults:
    """Compare the lines of a table of rounds with the records."""
    actual_rows: dict[Place, Row] = {}
    for line in frame.to_dict("records"):
        start = line["start"] if isinstance(line["start"], str) else "own"
        key = (
            str(line["submission"]),
            str(line["task"]),
            int(line["attempt"]),
            int(line["round"]),
            start,
        )
        actual_rows[key] = {str(name): value for name, value in line.items()}
    expected: dict[Place, tuple[str, bool | None]] = {}
    for row in board.rows:
        if row.submission:
            expected |= expected_lines(row.id, row.submission)
    for position in sorted(expected.keys() ^ actual_rows.keys()):
        yield f"the table of rounds {'lacks' if position in expected else 'has'} {position}"
    for position in expected.keys() & actual_rows.keys():
        state, passes = expected[position]
        solved = actual_rows[position]["solved"]
        is_right = pd.isna(solved) if passes is None else solved is passes or solved == passes
        if actual_rows[position]["state"] != state or not is_right:
            shown_state = f"{actual_rows[position]['state']}, {solved}"
            yield f"the table of rounds has {position} as {shown_state}; expected {state}, {passes}"


Place = tuple[str, str, int, int, str]
"""A submission, a task, an attempt, a round, and the starting state of the round."""


def expected_lines(name: str, submission: Submission) -> dict[Place, tuple[str, bool | None]]:
    """Return the state of each round, and whether it passed; None if a finding excludes it.

    The rounds of a task without results are missing in each attempt, and did not pass.
    """
    lines: dict[Place, tuple[str, bool | None]] = {}
    for record in submission.records:
        start, state = record.get("start", "own"), record["state"]
        passes = state == "scored" and Fraction(str(record["reward"])) >= Fraction("0.999")
        position = (name, record["task"], record["attempt"], record["round"], start)
        lines[position] = (state, None if state == "excluded" else passes)
    for task in submission.missing:
        for attempt, number in product(submission.exact.attempts, submission.exact.tasks[task]):
            lines[name, task, attempt, number, "own"] = ("missing", False)
    return lines


def frame_faults(files: Sequence[BoardFiles], program: ProgramResults) -> Faults:
    """Compare the frames of `sitegen.load` with the scores and the records."""
    boards, rounds = program.frames.boards, program.frames.rounds
    for board, output in zip(files, program.boards, strict=True):
        track = board.track["id"]
        on_track = boards[boards.track == track].set_index("id")
        if {*on_track.index} != {*output.rows}:
            yield f"{track}: load gives the rows {sorted(on_track.index)}"
            continue
        for name, document in output.rows.items():
            for metric, score in document["metrics"].items():
                stored = on_track.loc[name].get(metric)
                value = None if stored is None or pd.isna(stored) else float(stored)
                if not is_close(value, score["value"]):
                    yield f"{track}: load gives {name} {metric} {value}, expected {score['value']}"
        yield from (f"{track}: load: {fault}" for fault in round_frame_faults(board, rounds[rounds.track == track]))


def export_faults(board: BoardFiles, output: ProgramBoard) -> Faults:
    """Compare exports for other sites with the scores."""
    for entry in output.board.all_entries:
        if not entry.is_published:
            continue
        document = output.rows[entry.id]
        aggregate: Any = every_eval_ever.aggregate_record(output.board, entry, SITE)
        json.dumps(aggregate, allow_nan=False)
        results = aggregate["evaluation_results"]
        handed_on = {result["metric_config"]["metric_id"].split(".", 1)[1]: result for result in results}
        expected = {name for name, score in document["metrics"].items() if score["value"] is not None}
        if {*handed_on} != expected:
            yield f"{entry.id} is exported with {sorted(handed_on)}, expected {sorted(expected)}"
            continue
        for name, result in handed_on.items():
            score, details = document["metrics"][name], result["score_details"]
            interval = details["uncertainty"].get("confidence_interval", {})
            exported_score = (details["score"], interval.get("lower"), interval.get("upper"))
            if exported_score != (score["value"], score["low"], score["high"]):
                yield f"{entry.id} is exported with {name} {exported_score}, expected {score['value']}"
    rows = [BoardEntry(output.board, entry) for entry in output.board.entries]
    handed: Any = hugging_face.hub_results(rows, SITE, {board.benchmark["id"]: "org/name"})
    hub_values = [hub_entry["value"] for hub_entries in handed.values() for hub_entry in hub_entries]
    scores = [output.rows[entry.id]["metrics"].get(board.headline, {}) for entry in output.board.entries]
    expected_values = sorted(score["value"] for score in scores if score.get("value") is not None)
    if len(hub_values) > len(expected_values) or any(value not in expected_values for value in hub_values):
        yield f"the Hub is given {sorted(hub_values)}, expected {expected_values}"


def comparison_faults(board: BoardFiles, output: ProgramBoard) -> Faults:
    """Compare the differences between rows with the scores."""
    document = output.comparison
    pairs = list(combinations([row["id"] for row in document["rows"]], 2))
    for metric, metric_differences in document["pairs"]["differences"].items():
        decimals = board.decimals(metric)
        values = {row.id: row.scores.get(metric) for row in board.rows}
        numbers = zip(
            pairs,
            metric_differences["value"],
            metric_differences["low"],
            metric_differences["high"],
            metric_differences["standing"],
            strict=True,
        )
        for (first, second), value, low, high, letter in numbers:
            if value is None:
                continue
            ours, theirs = values[first], values[second]
            if ours is None or theirs is None:
                yield f"{first} and {second} differ by {value} in {metric}, and one has no score"
                continue
            half = 0.5 / 10**decimals + CLOSE
            if abs(value - float(ours - theirs)) > half or not low - half <= value <= high + half:
                shown_difference = f"{value} ({low} to {high})"
                expected = float(ours - theirs)
                yield f"{first} and {second} differ by {shown_difference} in {metric}, not {expected}"
            if letter == "t" and abs(ours - theirs) > Fraction(1, 10**8):
                yield f"{first} and {second} are said to tie in {metric}"
            if letter in "ab" and ours == theirs:
                yield f"{first} and {second} are told apart in {metric} with equal scores"
    if not board.has_intervals and board.has_results:
        is_single = len(board.counted_tasks) < 2
        if "o" in document["pairs"]["standing"] and not is_single:
            reason = document["findings"]["o"]["reason"]
            if "single task" in reason:
                number = len(board.counted_tasks)
                yield f"pairs are not compared: {reason}; there are {number} tasks"


OF_BOARDS: Sequence[Callable[[BoardFiles, ProgramBoard], Faults]] = (
    score_faults,
    coverage_faults,
    rank_faults,
    interval_faults,
    csv_faults,
    round_file_faults,
    export_faults,
    comparison_faults,
)
