"""Every table that leaves the program: scores, rounds and cases as data frames, and scores as CSV and Parquet."""

import io
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.metrics.catalogue import METRICS
from sitegen.models.outcome import OUTCOME_STATUS, CaseStatus, Failure, RoundResult
from sitegen.models.results import Bundle
from sitegen.models.task import TaskRound

if TYPE_CHECKING:
    from pandas import DataFrame

Rows = Iterable[tuple[Board, Entry]]
"""Rows of boards, each with its board."""

Kind = Literal["str", "Int64", "float64", "boolean"]

Column = tuple[str, Kind, Sequence[Any]]
"""Name, type and values of a column, None for a gap."""

_BEGIN_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""The last four are the wide forms, which some programs take for the narrow ones."""

_OF_ROUNDS: Mapping[str, Kind] = {
    "task": "str",
    "attempt": "Int64",
    "round": "Int64",
    "start": "str",
    "state": "str",
    "reward": "float64",
    "solved": "boolean",
    **dict.fromkeys(("passed", "total", "skipped"), "Int64"),
    **dict.fromkeys(("interactions", "turns", "input_tokens", "output_tokens", "cost_usd"), "float64"),
    "agent_seconds": "float64",
    "verifier_seconds": "float64",
    "cause": "str",
}
"""What is told of a round."""


class Tables(NamedTuple):
    """A results folder as data frames; what was not measured is missing."""

    boards: "DataFrame"
    """A line a row of a board: who it is, its rank, and every metric with its interval (`_low`, `_high`, `_interval`)
    and what it is over (`_n` of `_of`)."""
    rounds: "DataFrame"
    """A line a round of an attempt, with all that its record tells; `solved` says whether it counts as passed, and
    measurements are columns by their name with the version of their definition."""
    cases: "DataFrame"
    """A line a case whose outcome is known: of rounds without `outcomes`, the failed cases that are told of."""


def tables_of(boards: Iterable[Board]) -> Tables:
    """Everything that is known of some boards, the same bundle once for each board that it stands on."""
    rows = [(board, entry) for board in boards for entry in board.all_entries]
    bundles = [(board, entry.bundle) for board, entry in rows if entry.bundle]
    return Tables(_as_floats(scores_table(rows)), _frame(_round_columns(bundles)), _frame(_case_columns(bundles)))


def scores_csv(rows: Rows) -> str:
    """One line a row of a board, and one column a metric; a gap is empty."""
    frame = scores_table(rows)
    for name in (name for name, kind in frame.dtypes.items() if kind == "str"):
        # A program that opens the table may take a text for a formula; an apostrophe marks it as text.
        frame[name] = frame[name].mask(frame[name].str.startswith(_BEGIN_FORMULAS, na=False), "'" + frame[name])
    return frame.to_csv(index=False, lineterminator="\n")


def scores_parquet(rows: Rows) -> bytes:
    """The lines and columns of `scores_csv`: numbers as 64-bit floats, places as integers, gaps as nulls."""
    import pyarrow as pa  # noqa: PLC0415 - an extra, which is only there where somebody wants Parquet
    from pyarrow import parquet  # noqa: PLC0415 - as above

    frame = _as_floats(scores_table(rows))
    kinds = {"str": pa.string(), "Int64": pa.int64(), "float64": pa.float64()}
    schema = pa.schema([(name, kinds[str(kind)]) for name, kind in frame.dtypes.items()])
    table = pa.Table.from_pandas(frame, schema, preserve_index=False).replace_schema_metadata()
    made = io.BytesIO()
    parquet.write_table(table, made)
    return made.getvalue()


def scores_table(rows: Rows) -> "DataFrame":
    """The scores of rows; how sure places and scores are, and over what they are, stands behind the scores."""
    return _frame(_score_columns(list(rows)))


def _score_columns(rows: Sequence[tuple[Board, Entry]]) -> Iterator[Column]:
    metrics = [name for name in METRICS if any(name in entry.scores for _, entry in rows)]
    yield "benchmark", "str", [board.benchmark.id for board, _ in rows]
    yield "track", "str", [board.track.id for board, _ in rows]
    yield "id", "str", [entry.id for _, entry in rows]
    yield "agent", "str", [entry.agent.name for _, entry in rows]
    yield "status", "str", [entry.status.state for _, entry in rows]
    yield "evidence", "str", [entry.evidence for _, entry in rows]
    yield "rank", "Int64", [board.ranks.get(entry.id) for board, entry in rows]
    for name in metrics:
        yield name, "float64", [entry.value(name) for _, entry in rows]
    places = [board.certainty.ranks.get(entry.id, (None, None)) for board, entry in rows]
    yield "rank_low", "Int64", [first for first, _ in places]
    yield "rank_high", "Int64", [last for _, last in places]
    for name in metrics:
        found = [board.certainty.interval(entry, name) for board, entry in rows]
        yield f"{name}_low", "float64", [each.low if each else None for each in found]
        yield f"{name}_high", "float64", [each.high if each else None for each in found]
        yield f"{name}_interval", "str", [each.kind if each else None for each in found]
    for name in metrics:
        scores = [entry.scores.get(name) for _, entry in rows]
        extents = [score.extent if score else None for score in scores]
        yield f"{name}_n", "Int64", [extent.n if extent else None for extent in extents]
        yield f"{name}_of", "Int64", [extent.of if extent else None for extent in extents]


def _frame(columns: Iterable[Column]) -> "DataFrame":
    """Make a data frame. A column of numbers that has integers keeps them: tables of scores always told counts so."""
    from pandas import DataFrame, Series  # noqa: PLC0415 - half a second that commands without tables need not wait

    made = {}
    for name, kind, values in columns:
        kinds = {type(value) for value in values if value is not None}
        whole = "Int64" if kinds == {int} else "object"
        made[name] = Series(values, dtype=whole if kind == "float64" and int in kinds else kind)
    return DataFrame(made)


def _as_floats(scores: "DataFrame") -> "DataFrame":
    return scores.astype({name: "float64" for name in scores.columns if name in METRICS})


def _about(bundles: Iterable[tuple[Board, Bundle]]) -> Iterator[Column]:
    """Whose lines these are."""
    of = [(board.benchmark.id, board.track.id, bundle.id, bundle.submission.agent.name) for board, bundle in bundles]
    for place, name in enumerate(("benchmark", "track", "submission", "agent")):
        yield name, "str", [each[place] for each in of]


def _round_columns(bundles: Sequence[tuple[Board, Bundle]]) -> Iterator[Column]:
    yield from _about((board, bundle) for board, bundle in bundles for _ in bundle.rounds)
    results = [result for _, bundle in bundles for result in bundle.rounds]
    for name, kind in _OF_ROUNDS.items():
        yield name, kind, [getattr(result, name) for result in results]
    for name in sorted({name for result in results for name in result.measures or ()}):
        yield name, "float64", [(result.measures or {}).get(name) for result in results]


def _case_columns(bundles: Sequence[tuple[Board, Bundle]]) -> Iterator[Column]:
    found = []
    for board, bundle in bundles:
        defined = {(task.id, each.n): each for task in board.tasks.tasks for each in task.rounds}
        lacking = {result.task for result in bundle.rounds if result.outcomes is None}
        named: dict[object, list[Failure]] = defaultdict(list)
        for each in chain.from_iterable(map(bundle.failures.of_task, sorted(lacking))):
            named[each.task, each.attempt, each.round, each.start].append(each)
        for result in bundle.rounds:
            endings = _endings(result, defined.get((result.task, result.round)), named)
            found += [(board, bundle, result, ending) for ending in endings]
    yield from _about((board, bundle) for board, bundle, _, _ in found)
    for name in ("task", "attempt", "round", "start"):
        yield name, _OF_ROUNDS[name], [getattr(result, name) for _, _, result, _ in found]
    for place, name in enumerate(("case", "category", "outcome")):
        yield name, "str", [ending[place] for _, _, _, ending in found]


def _endings(
    result: RoundResult, defined: TaskRound | None, named: Mapping[object, Sequence[Failure]]
) -> Iterator[tuple[str | None, str | None, CaseStatus]]:
    """Name, category and outcome of each case of a round; of one without outcomes, of the failed cases that are named.

    Args:
        result: The round.
        defined: The same as the benchmark defines it, with its cases.
        named: Failed cases by task, attempt, round and start.
    """
    if result.outcomes is None:
        for each in named.get((result.task, result.attempt, result.round, result.start), ()):
            yield each.case, each.category, each.status
        return
    listed = {case.id: case.category for case in (defined.cases if defined else None) or ()}
    names = tuple(listed) if result.case_ids is None else result.case_ids
    known = names if len(names) == len(result.outcomes) else [None] * len(result.outcomes)
    for name, letter in zip(known, result.outcomes, strict=True):
        yield name, listed.get(name) if name else None, OUTCOME_STATUS[letter]
