"""Every table that leaves the program, and what its columns mean: scores, rounds and cases; as CSV and Parquet."""

import csv
import gzip
import io
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, product
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.export import row_json
from sitegen.models.outcome import OUTCOME_STATUS, CaseStatus, Failure, RoundResult
from sitegen.models.task import TaskRound

if TYPE_CHECKING:
    from pandas import DataFrame

Rows = Iterable[tuple[Board, Entry]]
"""Rows of boards, each with its board."""

Kind = Literal["str", "Int64", "float64", "boolean"]

Column = tuple[str, Kind, Sequence[Any]]
"""Name, type and values of a column, None for a gap."""

_Told = dict[str, tuple[Kind, str]]
"""Columns by their names: the type of each, and what it means."""

_BEGIN_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""The last four are the wide forms, which some programs take for the narrow ones."""


_OF_ROWS: _Told = {
    "benchmark": ("str", "id of the benchmark"),
    "track": ("str", "id of the track"),
    "id": ("str", "id of the submission, as in its address"),
    "agent": ("str", "name of the agent"),
    "status": ("str", "published, superseded or withdrawn"),
    "evidence": ("str", "how far the scores can be followed"),
    "rank": ("Int64", "order by the headline score alone"),
}

_OF_RANKS: _Told = {
    "rank_low": ("Int64", "first rank that the data supports"),
    "rank_high": ("Int64", "last rank that the data supports"),
}

_OF_AGENTS: _Told = {
    "organization": ("str", "who made the model"),
    "model": ("str", "the model's own name, where the agent's differs"),
    "scaffold": ("str", "the program that drives the model"),
    "scaffold_version": ("str", "version of the scaffold"),
    "reasoning": ("str", "reasoning setting, as its vendor names it"),
    "open_weights": ("boolean", "whether the weights can be had"),
    "model_released": ("str", "the day the model came out"),
    "free": (
        "boolean",
        "whether its runs are declared to cost nothing; else a cost of 0 is unknown",
    ),
}
"""More about the agent; it came later, and what stood before keeps its place."""

_OF_SCORES: Sequence[_Told] = (
    {
        "low": (
            "float64",
            "lower end of its interval: 95 %, approximate for amounts such as costs",
        ),
        "high": ("float64", "upper end"),
        "interval": ("str", "how the interval was made"),
    },
    {
        "n": ("Int64", "how many of the things that it is over have results"),
        "of": ("Int64", "of how many; for verdicts the missing ones count 0"),
    },
    {
        "claimed": ("float64", "the value that somebody states"),
        "claim_source": ("str", "who states it; empty where the submitter does"),
    },
)
"""What stands behind the scores, group by group: what each group's columns add to every metric's name."""

_OF_ATTEMPTS: _Told = {
    "tasks_missing": (
        "Int64",
        "how many of the tasks that count have no results; with any, there is no rank",
    ),
    "attempts_made": ("Int64", "attempts made at each task"),
    "attempts_expected": ("Int64", "attempts that the track asks for"),
}
"""What a row lacks."""

_OF_EVERY_ROW = _OF_ROWS | _OF_RANKS | _OF_AGENTS | _OF_ATTEMPTS

_OF_NOTES: _Told = {
    "missing_note": ("str", "what is missing of tasks and attempts, and how that counts")
}
"""What each metric's name gets behind everything else."""

_OF_ROUNDS: _Told = {
    "task": ("str", "id of the task"),
    "attempt": ("Int64", "number of the attempt, from 1"),
    "round": ("Int64", "number of the round, from 1"),
    "start": ("str", "own, or reference where it began from the reference state"),
    "state": (
        "str",
        "how it ended: a state of the methods page, or missing where its task has no results and counts 0",
    ),
    "reward": ("float64", "raw reward, 0 to 1; missing where a finding excludes it"),
    "solved": ("boolean", "whether it counts as passed; missing where a finding excludes it"),
    "passed": ("Int64", "cases passed"),
    "total": ("Int64", "cases in all"),
    "skipped": ("Int64", "cases skipped"),
    "interactions": ("float64", "tool calls"),
    "turns": ("float64", "replies of the model"),
    "input_tokens": ("float64", "tokens read, cached ones included"),
    "cached_tokens": ("float64", "those of them that came from a cache"),
    "output_tokens": ("float64", "tokens written"),
    "cost_usd": (
        "float64",
        "cost in US dollars; missing where it is 0 and the agent is not declared free",
    ),
    "agent_seconds": ("float64", "wall time of the agent"),
    "verifier_seconds": ("float64", "wall time of the check"),
    "cause": ("str", "why there is no verdict"),
    "mode": ("str", "how it failed, as somebody judged"),
}

MISSING = "missing"
"""State of the rounds of a task that a submission has no results for; no record has it."""

_IN_ADDRESSES = {"benchmark", "track", "submission"}

MOST_LINES = 50_000
"""Rounds of a board up to which their table is a plain file; a longer one is packed."""


class Tables(NamedTuple):
    """A results folder as data frames; what was not measured is missing."""

    boards: "DataFrame"
    """A line a row of a board: who it is, its rank, and every metric with its interval (`_low`, `_high`, `_interval`)
    and what it is over (`_n` of `_of`)."""
    rounds: "DataFrame"
    """A line a round of an attempt, with all that its record tells; `solved` says whether it counts as passed, and
    measurements are columns by their name with the version of their definition. Rounds of tasks without results
    have the state `missing` and are not solved, since they count 0; excluded rounds have no verdict."""
    cases: "DataFrame"
    """A line a case whose outcome is known: of rounds without `outcomes`, the failed cases that are told of."""


def tables_of(boards: Iterable[Board]) -> Tables:
    """Everything that is known of some boards, the same bundle once for each board that it stands on."""
    rows = [(board, entry) for board in boards for entry in board.all_entries]
    return Tables(_scores_frame(rows), _frame(_round_columns(rows)), _frame(_case_columns(rows)))


def scores_csv(rows: Rows) -> str:
    """One line a row of a board, and one column a metric; a gap is empty."""
    return _csv(_score_columns(list(rows)))


def _csv(columns: Iterable[Column]) -> str:
    """Write columns as CSV. What a program that opens a table may take for a formula is text, by an apostrophe."""
    names, told = [], []
    for name, kind, values in columns:
        names.append(name)
        is_text = kind == "str"
        told.append(
            [f"'{v}" if v and v.startswith(_BEGIN_FORMULAS) else v for v in values]
            if is_text
            else values
        )
    made = io.StringIO()
    lines = csv.writer(made, lineterminator="\n")
    lines.writerow(names)
    lines.writerows(zip(*told, strict=True))
    return made.getvalue()


def scores_parquet(rows: Rows) -> bytes:
    """The lines and columns of `scores_csv`: numbers as 64-bit floats, places as integers, gaps as nulls."""
    return _parquet(_scores_frame(list(rows)))


def _parquet(frame: "DataFrame") -> bytes:
    import pyarrow as pa  # noqa: PLC0415 - commands that write no Parquet need not wait for it
    from pyarrow import parquet  # noqa: PLC0415 - as above

    kinds = {
        "str": pa.string(),
        "Int64": pa.int64(),
        "float64": pa.float64(),
        "boolean": pa.bool_(),
    }
    schema = pa.schema([(name, kinds[str(kind)]) for name, kind in frame.dtypes.items()])
    table = pa.Table.from_pandas(frame, schema, preserve_index=False).replace_schema_metadata()
    made = io.BytesIO()
    parquet.write_table(table, made)
    return made.getvalue()


def _scores_frame(rows: Sequence[tuple[Board, Entry]]) -> "DataFrame":
    """The scores of rows; how sure places and scores are, and over what they are, stands behind the scores."""
    scores, known = (
        _frame(_score_columns(rows)),
        set(_known(board for board, _ in rows)) - _OF_ROWS.keys(),
    )
    return scores.astype({name: "float64" for name in scores.columns if name in known})


def _score_columns(rows: Sequence[tuple[Board, Entry]]) -> Iterator[Column]:
    """The same as the documents of scores, flat."""
    documents = [row_json(*row) for row in rows]
    known = _known(board for board, _ in rows)
    metrics = [name for name in known if any(name in each["metrics"] for each in documents)]
    flat = []
    for each in documents:
        low, high = each["rank_interval"] or (None, None)
        has_results = each["attempts"]["made"] is not None
        row = {
            **each["agent"],
            **each,
            "agent": each["agent"]["name"],
            "rank_low": low,
            "rank_high": high,
        }
        row["tasks_missing"] = len(each["missing"]) if has_results else None
        row["attempts_made"] = each["attempts"]["made"]
        row["attempts_expected"] = each["attempts"]["expected"]
        flat.append(row)

    def told(columns: _Told) -> Iterator[Column]:
        return ((name, kind, [row[name] for row in flat]) for name, (kind, _) in columns.items())

    def of_scores(metric: str, key: str) -> list[Any]:
        return [each["metrics"].get(metric, {}).get(key) for each in documents]

    yield from told(_OF_ROWS)
    yield from ((name, "float64", of_scores(name, "value")) for name in metrics)
    yield from told(_OF_RANKS)
    for group, name in product(_OF_SCORES, metrics):
        yield from (
            (f"{name}_{key}", kind, of_scores(name, key)) for key, (kind, _) in group.items()
        )
    yield from told(_OF_AGENTS)
    yield from told(_OF_ATTEMPTS)
    for name in metrics:
        yield from (
            (f"{name}_{key}", kind, of_scores(name, key)) for key, (kind, _) in _OF_NOTES.items()
        )


def score_kinds(board: Board) -> dict[str, Kind]:
    """The type of each column of a board's table of scores, by its name and in its order."""
    return {
        name: kind
        for name, kind, _ in _score_columns([(board, entry) for entry in board.all_entries])
    }


def score_columns_told(board: Board) -> Iterator[tuple[str, str]]:
    """Name and meaning of each column of a board's table of scores; those of all metrics alike stand once."""
    metrics = [
        name for name in board.metrics if any(name in entry.scores for entry in board.all_entries)
    ]
    yield from ((name, about) for name, (_, about) in _OF_EVERY_ROW.items())
    for name in metrics:
        yield (
            name,
            f"{board.metrics[name].title_on(board.track, board.benchmark)}, {board.metrics[name].unit}",
        )
    for group in (*_OF_SCORES, _OF_NOTES) if metrics else ():
        yield from ((f"METRIC_{key}", about) for key, (_, about) in group.items())


def _known(boards: Iterable[Board]) -> Iterable[str]:
    """Ids of all metrics that some boards know."""
    return dict.fromkeys(
        name
        for found in {id(board.metrics): board.metrics for board in boards}.values()
        for name in found
    )


def has_rounds(board: Board) -> bool:
    """Whether there is a round to make a table of."""
    return any(entry.bundle for entry in board.all_entries)


def rounds_are_many(board: Board) -> bool:
    """Whether a board's table of rounds is so long that it is packed."""
    return board.tasks.rounds * board.track.attempts * len(board.all_entries) > MOST_LINES


def round_columns_told(board: Board) -> Iterator[tuple[str, str]]:
    """Name and meaning of each column of a table of rounds, but for measurements, which have names of their own."""
    yield "submission", "id of the submission, as in its address"
    yield "agent", "name of the agent"
    single = {"round": "1: each task is tried as a whole"} if board.tasks.is_of_one_round else {}
    yield from ((name, single.get(name, about)) for name, (_, about) in _OF_ROUNDS.items())


def rounds_csv(board: Board) -> bytes:
    """One line a round of an attempt, of every submission of a board; a gap is empty. Packed where it is long."""
    data = _csv(_rounds_of(board)).encode()
    return gzip.compress(data, 6, mtime=0) if rounds_are_many(board) else data


def rounds_parquet(board: Board) -> bytes:
    """The lines and columns of `rounds_csv`, with types."""
    return _parquet(_frame(_rounds_of(board)))


def row_parquets(board: Board, entry: Entry) -> Iterator[tuple[str, bytes]]:
    """What is told of the rounds of a row, and of their cases; whose lines these are, their addresses tell."""
    for name, columns in ("rounds", _round_columns), ("outcomes", _case_columns):
        yield (
            name,
            _parquet(
                _frame(each for each in columns([(board, entry)]) if each[0] not in _IN_ADDRESSES)
            ),
        )


def _rounds_of(board: Board) -> Iterator[Column]:
    """The columns of a board's table of rounds, which need not say whose it is."""
    columns = _round_columns([(board, entry) for entry in board.all_entries])
    return (column for column in columns if column[0] not in {"benchmark", "track"})


def _frame(columns: Iterable[Column]) -> "DataFrame":
    """Make a data frame. A column of numbers that has integers keeps them: tables of scores always told counts so."""
    from pandas import DataFrame, Series  # noqa: PLC0415 - half a second that commands without tables need not wait

    made = {}
    for name, kind, values in columns:
        kinds = {type(value) for value in values if value is not None}
        whole = "Int64" if kinds == {int} else "object"
        made[name] = Series(values, dtype=whole if kind == "float64" and int in kinds else kind)
    return DataFrame(made)


def _about(rows: Rows) -> Iterator[Column]:
    """Whose lines these are."""
    of = [(board.benchmark.id, board.track.id, entry.id, entry.agent.name) for board, entry in rows]
    for place, name in enumerate(("benchmark", "track", "submission", "agent")):
        yield name, "str", [each[place] for each in of]


def _round_columns(rows: Rows) -> Iterator[Column]:
    owners: list[tuple[Board, Entry]] = []
    results: list[RoundResult] = []
    missing: set[int] = set()
    for board, entry in rows:
        recorded = entry.bundle.rounds if entry.bundle else ()
        lacking = _missing_rounds(entry)
        missing.update(
            range(len(results) + len(recorded), len(results) + len(recorded) + len(lacking))
        )
        results += (*recorded, *lacking)
        owners += [(board, entry)] * (len(recorded) + len(lacking))
    yield from _about(owners)
    for name, (kind, _) in _OF_ROUNDS.items():
        facts = [_fact(result, name) for result in results]
        if name == "state":
            facts = [MISSING if line in missing else state for line, state in enumerate(facts)]
        yield name, kind, facts
    for name in sorted({name for result in results for name in result.measures or ()}):
        yield name, "float64", [(result.measures or {}).get(name) for result in results]


def _missing_rounds(entry: Entry) -> list[RoundResult]:
    """Return a failed round for each one of the tasks that a row has no results for: they count 0."""
    if entry.sheet is None:
        return []
    rounds = []
    for grid in entry.sheet.tasks:
        if grid.is_missing:
            attempts = range(1, entry.sheet.made + 1)
            rounds += [
                RoundResult(grid.task.id, n, k, "unreached", 0.0)
                for n, k in product(attempts, grid.rounds)
            ]
    return rounds


def _fact(result: RoundResult, name: str) -> object:
    """Return what a record says of a round; of one that a finding excludes, neither a reward nor a verdict."""
    if result.state == "excluded" and name in {"reward", "solved"}:
        return None
    return getattr(result, name)


def _case_columns(rows: Rows) -> Iterator[Column]:
    found = []
    for board, entry, bundle in (
        (board, entry, entry.bundle) for board, entry in rows if entry.bundle
    ):
        defined = {(task.id, each.n): each for task in board.tasks.tasks for each in task.rounds}
        lacking = {result.task for result in bundle.rounds if result.outcomes is None}
        named: dict[object, list[Failure]] = defaultdict(list)
        for each in chain.from_iterable(map(bundle.failures.of_task, sorted(lacking))):
            named[each.task, each.attempt, each.round, each.start].append(each)
        for result in bundle.rounds:
            endings = _endings(result, defined.get((result.task, result.round)), named)
            found += [(board, entry, result, ending) for ending in endings]
    yield from _about((board, entry) for board, entry, _, _ in found)
    for name in ("task", "attempt", "round", "start"):
        yield name, _OF_ROUNDS[name][0], [getattr(result, name) for _, _, result, _ in found]
    for place, name in enumerate(("case", "category", "outcome")):
        yield name, "str", [ending[place] for _, _, _, ending in found]


def _endings(
    result: RoundResult, defined: TaskRound | None, named: Mapping[object, Sequence[Failure]]
) -> Iterator[tuple[str | None, str | None, CaseStatus]]:
    """Name, category and outcome of each case of a round; without outcomes, of the failed cases that are `named`."""
    if result.outcomes is None:
        for each in named.get(result.place, ()):
            yield each.case, each.category, each.status
        return
    listed = {case.id: case.category for case in (defined.cases if defined else None) or ()}
    names = tuple(listed) if result.case_ids is None else result.case_ids
    known = names if len(names) == len(result.outcomes) else [None] * len(result.outcomes)
    for name, letter in zip(known, result.outcomes, strict=True):
        yield name, listed.get(name) if name else None, OUTCOME_STATUS[letter]
