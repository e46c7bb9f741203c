"""All published tables as CSV and Parquet, and the meaning of their columns.

There are tables of scores, of rounds and of cases.
"""

import csv
import gzip
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

from sitegen.board.board import Board, BoardEntry
from sitegen.board.case_records import CaseResult, case_records
from sitegen.board.entry import Entry
from sitegen.board.export import Json, row_json
from sitegen.models.outcome import RoundResult

if TYPE_CHECKING:
    from pandas import DataFrame

Rows = Iterable[BoardEntry]
"""Rows of boards, each with its board."""

Kind = Literal["str", "Int64", "float64", "boolean"]
"""The type of a column, as pandas names it."""

Column = tuple[str, Kind, Sequence[Any]]
"""The name, type and values of a column; None for a gap."""

Columns = dict[str, tuple[Kind, str]]
"""The types and meanings of columns, by column name."""

_BEGIN_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Characters that start a formula; the last four are full-width forms that some programs accept."""


ROW_COLUMNS: Columns = {
    "benchmark": ("str", "id of the benchmark"),
    "track": ("str", "id of the track"),
    "id": ("str", "id of the submission, as in its address"),
    "agent": ("str", "name of the agent"),
    "status": ("str", "published, superseded or withdrawn"),
    "evidence": ("str", "how far the scores can be traced"),
    "rank": ("Int64", "rank by headline score alone"),
}

RANK_COLUMNS: Columns = {
    "rank_low": ("Int64", "first rank that the data supports"),
    "rank_high": ("Int64", "last rank that the data supports"),
}

AGENT_COLUMNS: Columns = {
    "organization": ("str", "who made the model"),
    "model": ("str", "name of the model, if it differs from the agent's"),
    "scaffold": ("str", "the program that drives the model"),
    "scaffold_version": ("str", "version of the scaffold"),
    "reasoning": ("str", "reasoning setting, as named by the vendor"),
    "open_weights": ("boolean", "whether the weights are available"),
    "model_released": ("str", "release date of the model"),
    "parameters_b": ("float64", "parameters of the model, in billions"),
    "free": (
        "boolean",
        "whether runs are declared free; otherwise a cost of 0 means unknown",
    ),
}
"""Details of the agent; these columns were added later, so they come after older columns."""

SCORE_COLUMNS: Sequence[Columns] = (
    {
        "low": (
            "float64",
            "lower end of the interval: 95 %, or approximate for amounts such as costs",
        ),
        "high": ("float64", "upper end of the interval"),
        "interval": ("str", "how the interval was computed"),
    },
    {
        "n": ("Int64", "number of tasks, rounds or attempts with results behind the score"),
        "of": ("Int64", "number expected; for verdicts, missing ones count as 0"),
    },
    {
        "claimed": ("float64", "claimed value"),
        "claim_source": ("str", "source of the claim; empty if it is the submitter"),
    },
)
"""Columns after the scores, group by group; each exists for every metric, as METRIC_NAME."""

ATTEMPT_COLUMNS: Columns = {
    "tasks_missing": (
        "Int64",
        "number of tasks that count, but have no results; if above 0, there is no rank",
    ),
    "attempts_made": ("Int64", "attempts made at each task"),
    "attempts_expected": ("Int64", "attempts that the track requires"),
}
"""The columns for the tasks and attempts that a row lacks."""

_ALL_ROW_COLUMNS = ROW_COLUMNS | RANK_COLUMNS | AGENT_COLUMNS | ATTEMPT_COLUMNS

NOTE_COLUMNS: Columns = {"missing_note": ("str", "missing tasks and attempts, and how they count")}
"""The last column of every metric, named METRIC_missing_note."""

# A long statement, but a flat table: each column can be read on its own.
ROUND_COLUMNS: Columns = {
    "task": ("str", "id of the task"),
    "attempt": ("Int64", "number of the attempt, from 1"),
    "round": ("Int64", "number of the round, from 1"),
    "start": ("str", "own, or reference if started from the reference state"),
    "state": (
        "str",
        (
            "how it ended: a state from the methods page, or missing if its task has no results "
            "and counts as 0"
        ),
    ),
    "reward": ("float64", "raw reward, 0 to 1; empty if excluded by a finding"),
    "solved": ("boolean", "whether it counts as passed; empty if excluded by a finding"),
    "passed": ("Int64", "cases passed"),
    "total": ("Int64", "cases in total"),
    "skipped": ("Int64", "cases skipped"),
    "interactions": ("float64", "tool calls"),
    "turns": ("float64", "replies of the model"),
    "input_tokens": ("float64", "tokens read, cached ones included"),
    "cached_tokens": ("float64", "input tokens read from a cache"),
    "output_tokens": ("float64", "tokens written"),
    "cost_usd": (
        "float64",
        "cost in US dollars; empty if it is 0 and the agent is not declared free",
    ),
    "agent_seconds": ("float64", "wall time of the agent"),
    "verifier_seconds": ("float64", "wall time of the check"),
    "cause": ("str", "why there is no verdict"),
    "mode": ("str", "judged failure mode"),
}

MISSING = "missing"
"""The state of rounds of a task without results, for which there are no records."""

_ADDRESS_COLUMNS = {"benchmark", "track", "submission"}

MOST_LINES = 50_000
"""Maximum number of rounds in a plain table; a longer table is compressed."""


def scores_csv(rows: Rows) -> str:
    """Return the scores as CSV: one line per row, one column per metric, and gaps left empty."""
    return _csv(score_columns(list(rows)))


def _csv(columns: Iterable[Column]) -> str:
    """Return columns as CSV.

    Text that a spreadsheet might take for a formula is prefixed with an apostrophe. Integers in a
    column of floats are written as integers, as counts always have been.
    """
    names = []
    columns_of_values: list[Sequence[Any]] = []
    for name, kind, values in columns:
        names.append(name)
        if kind == "str":
            columns_of_values.append([_escaped(value) for value in values])
        else:
            columns_of_values.append(values)
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(zip(*columns_of_values, strict=True))
    return output.getvalue()


def _escaped(text: str | None) -> str | None:
    if text and text.startswith(_BEGIN_FORMULAS):
        return f"'{text}"
    return text


def scores_parquet(rows: Rows) -> bytes:
    """Return the table of `scores_csv` as Parquet: scores are 64-bit floats, and gaps are nulls."""
    return _parquet(_frame(score_columns(list(rows))))


def _parquet(frame: "DataFrame") -> bytes:
    import pyarrow as pa  # noqa: PLC0415 - commands that write no Parquet need not wait for it
    from pyarrow import parquet  # noqa: PLC0415 - as above

    kinds = {
        "str": pa.string(),
        "Int64": pa.int64(),
        "float64": pa.float64(),
        "boolean": pa.bool_(),
    }
    fields = []
    for name, kind in frame.dtypes.items():
        fields.append((name, kinds[str(kind)]))
    schema = pa.schema(fields)
    table = pa.Table.from_pandas(frame, schema, preserve_index=False).replace_schema_metadata()
    output = io.BytesIO()
    parquet.write_table(table, output)
    return output.getvalue()


def score_columns(rows: Sequence[BoardEntry]) -> Iterator[Column]:
    """Yield the columns of a table of scores: the values of the JSON documents, flattened."""
    documents = [row_json(board, entry) for board, entry in rows]
    lines = [_flat_row(document) for document in documents]
    scores: dict[str, list[Json]] = {}
    for metric_id in metric_ids(board for board, _ in rows):
        if any(metric_id in document["metrics"] for document in documents):
            scores[metric_id] = [document["metrics"].get(metric_id, {}) for document in documents]
    yield from _columns_of(lines, ROW_COLUMNS)
    for metric_id, metric_scores in scores.items():
        values = [score.get("value") for score in metric_scores]
        yield metric_id, "float64", values
    yield from _columns_of(lines, RANK_COLUMNS)
    for columns, metric_id in product(SCORE_COLUMNS, scores):
        yield from _columns_of(scores[metric_id], columns, prefix=f"{metric_id}_")
    yield from _columns_of(lines, AGENT_COLUMNS)
    yield from _columns_of(lines, ATTEMPT_COLUMNS)
    for metric_id, metric_scores in scores.items():
        yield from _columns_of(metric_scores, NOTE_COLUMNS, prefix=f"{metric_id}_")


def _flat_row(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document of a row with its agent, ranks and attempts flattened to plain values."""
    low, high = document["rank_interval"] or (None, None)
    attempts = document["attempts"]
    has_results = attempts["made"] is not None
    missing_count = None
    if has_results:
        missing_count = len(document["missing"])
    return {
        **document["agent"],
        **document,
        "agent": document["agent"]["name"],
        "rank_low": low,
        "rank_high": high,
        "tasks_missing": missing_count,
        "attempts_made": attempts["made"],
        "attempts_expected": attempts["expected"],
    }


def _columns_of(
    records: Sequence[Mapping[str, Any]], columns: Columns, prefix: str = ""
) -> Iterator[Column]:
    """Yield columns of records by name, with a prefix; a record without the name has a gap."""
    for name, (kind, _) in columns.items():
        values = [record.get(name) for record in records]
        yield f"{prefix}{name}", kind, values


def score_kinds(board: Board) -> dict[str, Kind]:
    """Return the type of each column of a board's table of scores, by name and in order."""
    rows = board.board_entries
    columns = score_columns(rows)
    kinds = {}
    for name, kind, _ in columns:
        kinds[name] = kind
    return kinds


def score_column_meanings(board: Board) -> Iterator[tuple[str, str]]:
    """Yield the name and meaning of each column of a board's table of scores.

    Columns that exist for every metric appear once.
    """
    yield from _meanings(_ALL_ROW_COLUMNS)
    metrics = [metric for metric in board.metrics.values() if _has_score(board, metric.id)]
    if not metrics:
        return
    for metric in metrics:
        yield metric.id, f"{metric.title_on(board.track, board.benchmark)}, {metric.unit}"
    for columns in (*SCORE_COLUMNS, NOTE_COLUMNS):
        for name, meaning in _meanings(columns, prefix="METRIC_"):
            if name == "METRIC_n" and board.tasks.is_of_one_round:
                yield name, "number of tasks or attempts with results behind the score"
            else:
                yield name, meaning


def _has_score(board: Board, metric: str) -> bool:
    return any(metric in entry.scores for entry in board.all_entries)


def _meanings(columns: Columns, prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, (_, meaning) in columns.items():
        yield f"{prefix}{name}", meaning


def metric_ids(boards: Iterable[Board]) -> dict[str, None]:
    """Return the ids of all metrics of several boards, in order."""
    metrics_by_identity = {}
    for board in boards:
        metrics_by_identity[id(board.metrics)] = board.metrics
    ids: dict[str, None] = {}
    for metrics in metrics_by_identity.values():
        ids |= dict.fromkeys(metrics)
    return ids


def has_rounds(board: Board) -> bool:
    """Return whether a board has submissions, and thus rounds for a table."""
    return any(entry.bundle for entry in board.all_entries)


def rounds_are_many(board: Board) -> bool:
    """Return whether a board's table of rounds is so long that it is compressed."""
    return board.tasks.rounds * board.track.attempts * len(board.all_entries) > MOST_LINES


def round_column_meanings(board: Board) -> Iterator[tuple[str, str]]:
    """Yield the name and meaning of each column of a table of rounds, excluding measurements."""
    yield "submission", "id of the submission, as in its address"
    yield "agent", "name of the agent"
    for name, meaning in _meanings(ROUND_COLUMNS):
        if name == "round" and board.tasks.is_of_one_round:
            yield name, "always 1: tasks on this board have a single step"
        else:
            yield name, meaning


def rounds_csv(board: Board) -> bytes:
    """Return one line per round of each submission's attempts as CSV, compressed if it is long."""
    data = _csv(_rounds_of(board)).encode()
    if rounds_are_many(board):
        return gzip.compress(data, 6, mtime=0)
    return data


def rounds_parquet(board: Board) -> bytes:
    """Return the table of `rounds_csv` as Parquet, with typed columns."""
    return _parquet(_frame(_rounds_of(board)))


def row_parquets(board: Board, entry: Entry) -> Iterator[tuple[str, bytes]]:
    """Yield names and data of tables of a row's rounds and cases, without the address columns."""
    tables = {
        "rounds": round_columns([BoardEntry(board, entry)]),
        "outcomes": _case_columns([BoardEntry(board, entry)]),
    }
    for name, columns in tables.items():
        yield name, _parquet(_frame(_without_columns(columns, _ADDRESS_COLUMNS)))


def _rounds_of(board: Board) -> Iterator[Column]:
    """Yield the columns of a board's table of rounds, excluding columns that identify the board."""
    rows = board.board_entries
    columns = round_columns(rows)
    return _without_columns(columns, {"benchmark", "track"})


def _without_columns(columns: Iterable[Column], names: set[str]) -> Iterator[Column]:
    for column in columns:
        if column[0] not in names:
            yield column


def _frame(columns: Iterable[Column]) -> "DataFrame":
    """Return columns as a data frame, each with the dtype of its kind."""
    from pandas import DataFrame, Series  # noqa: PLC0415 - half a second to import

    series = {}
    for name, kind, values in columns:
        series[name] = Series(values, dtype=kind)
    return DataFrame(series)


def owner_columns(rows: Rows) -> Iterator[Column]:
    """Yield the columns that identify the row of each line."""
    owners = []
    for board, entry in rows:
        owners.append((board.benchmark.id, board.track.id, entry.id, entry.agent.name))
    for index, name in enumerate(("benchmark", "track", "submission", "agent")):
        values = [owner[index] for owner in owners]
        yield name, "str", values


def round_columns(rows: Rows) -> Iterator[Column]:
    """Yield the columns of a table of rounds, measurements last."""
    owners: list[BoardEntry] = []
    results: list[RoundResult] = []
    missing_lines: set[int] = set()
    for board, entry in rows:
        recorded = entry.results
        missing = _missing_rounds(entry)
        results += recorded
        missing_lines.update(range(len(results), len(results) + len(missing)))
        results += missing
        owners += [BoardEntry(board, entry)] * (len(recorded) + len(missing))
    yield from owner_columns(owners)
    for name, (kind, _) in ROUND_COLUMNS.items():
        values = [_value(result, name) for result in results]
        if name == "state":
            for line in missing_lines:
                values[line] = MISSING
        yield name, kind, values
    measurements: set[str] = set()
    for result in results:
        measurements.update(result.measures or ())
    for name in sorted(measurements):
        measured = [(result.measures or {}).get(name) for result in results]
        yield name, "float64", measured


def _missing_rounds(entry: Entry) -> list[RoundResult]:
    """Return a failed round for each round of the tasks without results, which count as 0."""
    attempts = range(1, (entry.attempts or 0) + 1)
    rounds = []
    for task_results in entry.task_results:
        for attempt, number in (
            product(attempts, task_results.rounds) if task_results.is_missing else ()
        ):
            rounds.append(RoundResult(task_results.task.id, attempt, number, "unreached", 0.0))
    return rounds


def _value(result: RoundResult, name: str) -> object:
    """Return a field of a round; an excluded round has neither a reward nor a verdict."""
    if result.state == "excluded" and name in {"reward", "solved"}:
        return None
    return getattr(result, name)


def _case_columns(rows: Rows) -> Iterator[Column]:
    """Yield the columns of a table of cases."""
    owners: list[BoardEntry] = []
    records: list[CaseResult] = []
    for board, entry in rows:
        row_records = list(case_records(board, entry, with_texts=False))
        records += row_records
        owners += [BoardEntry(board, entry)] * len(row_records)
    yield from owner_columns(owners)
    for name in ("task", "attempt", "round", "start"):
        kind, _ = ROUND_COLUMNS[name]
        values = [getattr(record.result, name) for record in records]
        yield name, kind, values
    for name in ("case", "category", "outcome"):
        values = [getattr(record, name) for record in records]
        yield name, "str", values
