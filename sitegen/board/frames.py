"""The data frames that `sitegen.load` returns: boards, rounds, cases and tasks.

Each frame is made when it is first used. Read `ResultFrames` first. The frames have the columns of
the files in `tables`, and columns that help with debugging: texts of failed cases, and labels of
tasks.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from sitegen.board.board import Board, BoardEntry
from sitegen.board.case_records import CaseResult, case_records
from sitegen.board.tables import (
    AGENT_COLUMNS,
    ATTEMPT_COLUMNS,
    NOTE_COLUMNS,
    RANK_COLUMNS,
    ROUND_COLUMNS,
    ROW_COLUMNS,
    SCORE_COLUMNS,
    Column,
    Columns,
    Kind,
    owner_columns,
    round_columns,
    score_columns,
)
from sitegen.metrics.results import TaskResults
from sitegen.models.task import Task, TaskRound
from sitegen.problems import counted

if TYPE_CHECKING:
    from pandas import DataFrame

KEY: list[str] = ["benchmark", "track", "submission"]
"""Columns of every frame; together they identify a submission."""

_DTYPES: Mapping[Kind, str] = {
    "str": "string",
    "Int64": "Int64",
    "float64": "Float64",
    "boolean": "boolean",
}
"""The nullable dtype of each kind of column: a gap is `<NA>` in all of them."""

_OWNER_COLUMNS: Columns = {
    "benchmark": ("str", "id of the benchmark"),
    "track": ("str", "id of the track"),
    "submission": ("str", "id of the submission, as in its address"),
    "agent": ("str", "name of the agent"),
}

_DEFINITION_COLUMNS: Columns = {
    "round_title": ("str", "title of the round, as the benchmark defines it"),
    "round_labels": ("str", "kinds of change that the round asks for, separated by commas"),
}

_CASE_COLUMNS: Columns = {
    "case": ("str", "name of the case; missing if only its outcome is known"),
    "category": ("str", "kind of case, such as core or regression"),
    "outcome": ("str", "passed, failed, error or skipped"),
    "requirement": ("str", "the requirement that the case checks"),
    "requirement_failed": ("Int64", "cases of this requirement that failed in this round"),
    "origin": ("str", "where the case was introduced, such as an earlier round"),
    "intent": ("str", "what the case is for"),
    "scenario": ("str", "what the case did"),
    "input": ("str", "what the program was given"),
    "expected": ("str", "what the program should have returned"),
    "actual": ("str", "what the program returned"),
    "reason": ("str", "why the case did not pass"),
    "truncated": ("boolean", "whether the source shortened any of these texts"),
}

_PLACE_COLUMNS = ("task", "attempt", "round", "start")
"""Columns that identify the round of a case."""

_TASK_COLUMNS: Columns = {
    "task": ("str", "id of the task"),
    "title": ("str", "title of the task, or its id if it has no title"),
    "missing": (
        "boolean",
        "whether the submission has no results for the task, which then counts as 0",
    ),
    "attempts": ("Int64", "attempts that the submission made at each task"),
    "rounds": ("Int64", "rounds of the task, not counting those that a finding excludes"),
    "solved": (
        "float64",
        "share of these rounds that passed, averaged over the attempts; 0 if missing",
    ),
    "passed": ("Int64", "cases passed in these rounds, over all attempts"),
    "total": ("Int64", "cases in these rounds, over all attempts"),
    "weight": ("float64", "how much the task counts in metrics that weight tasks"),
    "url": ("str", "address of the task"),
}

_UNITS: Mapping[str, str] = {
    "reward": "share",
    "passed": "cases",
    "total": "cases",
    "skipped": "cases",
    "interactions": "tool calls",
    "turns": "replies",
    "input_tokens": "tokens",
    "cached_tokens": "tokens",
    "output_tokens": "tokens",
    "cost_usd": "US dollars",
    "agent_seconds": "seconds",
    "verifier_seconds": "seconds",
    "requirement_failed": "cases",
    "attempts": "attempts",
    "rounds": "rounds",
    "tasks_missing": "tasks",
    "attempts_made": "attempts",
    "attempts_expected": "attempts",
}
"""The units of columns. `solved` is a share for tasks only, and metrics have units of their own."""

_COUNTED_UNIT = "tasks, rounds or runs"
"""The unit of the number that a score is averaged over, which depends on the metric."""


class ColumnFacts(NamedTuple):
    """The description and the unit of a column in `DataFrame.attrs`."""

    description: str
    unit: str | None = None


@dataclass(frozen=True, eq=False)  # no slots: frames are cached
class ResultFrames:
    """Results as four pandas data frames, each computed when it is first used.

    Every frame has the columns `benchmark`, `track` and `submission` (`sitegen.KEY`), so that
    frames can be joined: `frames.rounds.merge(frames.boards, on=sitegen.KEY)`. The id of a
    submission is unique in its track, so `submission` alone joins the frames of one track.

    Columns have nullable dtypes (`string`, `Int64`, `Float64`, `boolean`), and values that were not
    measured are `<NA>`. The `DataFrame.attrs` of a frame has `line`, a description of its lines,
    and the mappings `descriptions` and `units` from a column's name to its description and its
    unit.

    Unpacking yields boards, rounds and cases: `boards, rounds, cases = sitegen.load("results")`.
    """

    rows: Sequence[BoardEntry]
    """The loaded rows as `BoardEntry` objects, each with its board."""
    has_ranks: bool = True
    """Whether ranks are known; False if the other submissions of the board were not read."""

    @cached_property
    def boards(self) -> "DataFrame":
        """The scores: one line per submission, and per agent of a published table.

        Columns:
            benchmark, track, submission, agent: The submission of the line.
            status: published, superseded or withdrawn.
            evidence: How far the scores can be traced.
            rank: Rank by headline score, from 1; `rank_low` and `rank_high` are the first and the
                last rank that the data supports. `<NA>` if a single submission was loaded.
            METRIC: Every score by its metric, with `METRIC_low` and `METRIC_high` (95 % interval),
                `METRIC_interval` (how it was computed), `METRIC_n` of `METRIC_of` tasks, rounds or
                runs with results, `METRIC_claimed` and `METRIC_claim_source`, and
                `METRIC_missing_note`.
                `attrs["units"]` has the unit of each: percentages are 59.1, not 0.591.
            organization, model, scaffold, scaffold_version, reasoning, open_weights,
                model_released, parameters_b, free: More about the agent.
            tasks_missing, attempts_made, attempts_expected: Missing tasks and attempts.
            id: The same as `submission`, under the name of the column in the CSV files.
        """
        columns = _board_columns(self.rows, has_ranks=self.has_ranks)
        facts = _score_facts([board for board, _ in self.rows])
        return _frame(columns, facts, "one submission, or one agent of a published table")

    @cached_property
    def rounds(self) -> "DataFrame":
        """The results of rounds: one line per round of an attempt.

        Columns:
            benchmark, track, submission, agent: The submission of the line.
            task, attempt, round: The round of an attempt; attempts and rounds are numbered from 1.
            start: `own`, or `reference` if the round started from the reference solution.
            state: How the round ended; `missing` if its task has no results and counts as 0.
            reward: Raw reward, 0 to 1; `<NA>` if a finding excludes the round.
            solved: Whether the round counts as passed; `<NA>` if a finding excludes it.
            passed, total, skipped: Numbers of cases.
            interactions: Tool calls. turns: Replies of the model.
            input_tokens, cached_tokens, output_tokens: Tokens.
            cost_usd: US dollars. agent_seconds, verifier_seconds: Wall time in seconds.
            cause, mode: Why there is no verdict, and how the round failed.
            round_title, round_labels: The benchmark's description of the round.
            NAME@VERSION: Further measurements, by the version of their definition.
        """
        columns = list(round_columns(self.rows))
        fixed_count = len(_OWNER_COLUMNS) + len(ROUND_COLUMNS)
        measurements = columns[fixed_count:]
        definitions = _definition_columns(self.rows, columns)
        facts = _facts_of(_OWNER_COLUMNS | ROUND_COLUMNS | _DEFINITION_COLUMNS)
        for name, _, _ in measurements:
            measurement, _, version = name.partition("@")
            facts[name] = ColumnFacts(f"measurement {measurement}, as {version} defines it")
        all_columns = [*columns[:fixed_count], *definitions, *measurements]
        return _frame(all_columns, facts, "one round of an attempt")

    @cached_property
    def cases(self) -> "DataFrame":
        """The cases whose outcome is known: one line per case of a round of an attempt.

        A round without stored outcomes has lines only for its listed cases, none of which passed.

        Columns:
            benchmark, track, submission, agent: The submission of the line.
            task, attempt, round, start: The round; these columns join with `rounds`.
            case: Name of the case; `<NA>` if only its outcome is known.
            category: Kind of case, such as core or regression.
            outcome: passed, failed, error or skipped.
            requirement: The requirement that the case checks.
            requirement_failed: How many cases of this requirement failed in this round.
            origin: Where the case was introduced.
            intent, scenario, input, expected, actual, reason: The texts of a case that did not
                pass: what it is for, what it did, what the program was given, what it should have
                returned, what it returned, and why the case did not pass.
            truncated: Whether the source cut one of the texts.
        """
        round_columns_of_case = {name: ROUND_COLUMNS[name] for name in _PLACE_COLUMNS}
        facts = _facts_of(_OWNER_COLUMNS | round_columns_of_case | _CASE_COLUMNS)
        return _frame(_case_columns(self.rows), facts, "one case of a round of an attempt")

    @cached_property
    def tasks(self) -> "DataFrame":
        """The tasks of each submission: one line per submission and task of its track.

        Columns:
            benchmark, track, submission, agent: The submission of the line.
            task, title: Id and title of the task; `task` joins with `rounds` and `cases`.
            missing: Whether the submission has no results for the task, which then counts as 0.
            attempts: Attempts that the submission made at the task.
            rounds: The number of the task's rounds that no finding excludes.
            solved: Share of these rounds that passed, 0 to 1, averaged over the attempts.
            passed, total: Cases in these rounds, over all attempts.
            weight: How much the task counts in metrics that weight tasks.
            url: Address of the task.
            AXIS: The task's label on each axis of the benchmark, such as `difficulty`; `label_AXIS`
                if the axis has the name of a column above.
        """
        axes = _axis_columns(self.rows)
        facts = _facts_of(_OWNER_COLUMNS | _TASK_COLUMNS)
        facts["solved"] = ColumnFacts(facts["solved"].description, "share")
        for column, axis in axes.items():
            facts[column] = ColumnFacts(f"label of the task: {_axis_title(self.rows, axis)}")
        return _frame(_task_columns(self.rows, axes), facts, "one task of one submission")

    def __iter__(self) -> Iterator["DataFrame"]:
        """Yield boards, rounds and cases, as `load` returned them before it had `tasks`."""
        yield self.boards
        yield self.rounds
        yield self.cases

    def __repr__(self) -> str:
        board_count = len(_distinct_boards(self.rows))
        submissions = counted(len(self.rows), "submission")
        return f"<ResultFrames: {submissions} on {counted(board_count, 'board')}>"


def _board_columns(rows: Sequence[BoardEntry], *, has_ranks: bool) -> list[Column]:
    """Return the columns of scores, with `submission` among the first and `id` as the last."""
    columns: dict[str, Column] = {}
    for name, kind, values in score_columns(rows):
        is_rank = name == "rank" or name in RANK_COLUMNS
        if is_rank and not has_ranks:
            columns[name] = (name, kind, [None] * len(values))
        else:
            columns[name] = (name, kind, values)
    _, kind, ids = columns.pop("id")
    columns["submission"] = ("submission", kind, ids)
    ordered_names = dict.fromkeys((*_OWNER_COLUMNS, *columns))
    ordered = [columns[name] for name in ordered_names]
    return [*ordered, ("id", kind, ids)]


def _definition_columns(rows: Sequence[BoardEntry], columns: Sequence[Column]) -> Iterator[Column]:
    """Yield the title and the labels of each line's round, as the benchmark defines them.

    Args:
        rows: The rows of boards that the lines belong to.
        columns: The columns of a table of rounds.
    """
    definitions: dict[tuple[str, str, str, int], TaskRound] = {}
    for board in _distinct_boards(rows):
        for task in board.tasks.tasks:
            for task_round in task.rounds:
                key = (board.benchmark.id, board.track.id, task.id, task_round.n)
                definitions[key] = task_round
    values_by_name = {name: values for name, _, values in columns}
    key_columns = [values_by_name[name] for name in ("benchmark", "track", "task", "round")]
    titles: list[str | None] = []
    labels: list[str | None] = []
    for key in zip(*key_columns, strict=True):
        defined = definitions.get(key)
        titles.append(defined.title or None if defined else None)
        labels.append(", ".join(defined.labels) or None if defined else None)
    yield "round_title", "str", titles
    yield "round_labels", "str", labels


def _case_columns(rows: Sequence[BoardEntry]) -> Iterator[Column]:
    """Yield the columns of a table of cases, with the texts of cases that did not pass."""
    owners: list[BoardEntry] = []
    records: list[CaseResult] = []
    for board, entry in rows:
        row_records = list(case_records(board, entry, with_texts=True))
        records += row_records
        owners += [BoardEntry(board, entry)] * len(row_records)
    yield from owner_columns(owners)
    for name in _PLACE_COLUMNS:
        kind, _ = ROUND_COLUMNS[name]
        values: list[Any] = [getattr(record.result, name) for record in records]
        yield name, kind, values
    for name, (kind, _) in _CASE_COLUMNS.items():
        values = [_case_value(record, name) for record in records]
        yield name, kind, values


def _case_value(record: CaseResult, name: str) -> object:
    """Return a case's value in a column, from the benchmark's definition or else the failure."""
    if name in {"case", "category", "outcome"}:
        return getattr(record, name)
    if name in {"requirement", "origin"} and record.definition:
        defined = getattr(record.definition, name)
        if defined is not None:
            return defined
    return getattr(record.failure, name, None)


def _task_columns(rows: Sequence[BoardEntry], axes: Mapping[str, str]) -> Iterator[Column]:
    """Yield the columns of a table of tasks; `axes` maps each column of labels to its axis."""
    owners: list[BoardEntry] = []
    tasks: list[Task] = []
    lines: list[Mapping[str, object]] = []
    for board, entry in rows:
        if entry.submission_results is None:
            continue
        results_by_task = {results.task.id: results for results in entry.task_results}
        for task in board.tasks.tasks:
            owners.append(BoardEntry(board, entry))
            tasks.append(task)
            lines.append(_task_line(task, results_by_task.get(task.id)))
    yield from owner_columns(owners)
    for name, (kind, _) in _TASK_COLUMNS.items():
        yield name, kind, [line[name] for line in lines]
    for column, axis in axes.items():
        labels = [task.labels.get(axis) for task in tasks]
        yield column, "str", labels


def _task_line(task: Task, results: TaskResults | None) -> Mapping[str, object]:
    """Return the values of a task's columns, excluding labels.

    Args:
        task: The task.
        results: A submission's results; None if findings exclude every round of the task.
    """
    attempts, rounds, solved, is_missing = None, 0, None, None
    counts: list[tuple[int, int]] = []
    if results:
        attempts, rounds, is_missing = (
            len(results.rewards_of_made_attempts),
            len(results.rounds),
            results.is_missing,
        )
        solved = 0.0
        if results.rewards_of_made_attempts.size:
            solved = float(results.rewards_of_made_attempts.mean())
        counts = _case_counts(results)
    return {
        "task": task.id,
        "title": task.name,
        "missing": is_missing,
        "attempts": attempts,
        "rounds": rounds,
        "solved": solved,
        "passed": sum(passed for passed, _ in counts) if counts else None,
        "total": sum(total for _, total in counts) if counts else None,
        "weight": task.weight,
        "url": task.url,
    }


def _case_counts(results: TaskResults) -> list[tuple[int, int]]:
    """Return the passed and the total cases of each round of a task that reports both."""
    counts = []
    for attempt in results.results:
        for result in attempt:
            if result and result.passed is not None and result.total is not None:
                counts.append((result.passed, result.total))
    return counts


def _axis_columns(rows: Sequence[BoardEntry]) -> dict[str, str]:
    """Return the axes of all benchmarks, by the name of their column in a table of tasks."""
    axes: dict[str, None] = {}
    for board in _distinct_boards(rows):
        axes |= dict.fromkeys(board.benchmark.axes)
        for task in board.tasks.tasks:
            axes |= dict.fromkeys(task.labels)
    columns = {}
    for axis in axes:
        is_taken = axis in _OWNER_COLUMNS or axis in _TASK_COLUMNS
        columns[f"label_{axis}" if is_taken else axis] = axis
    return columns


def _axis_title(rows: Sequence[BoardEntry], axis: str) -> str:
    """Return the title of an axis; its key if no benchmark defines it."""
    for board in _distinct_boards(rows):
        if axis in board.benchmark.axes:
            return board.benchmark.axes[axis].title
    return axis


def _distinct_boards(rows: Iterable[BoardEntry]) -> list[Board]:
    """Return the distinct boards of rows, in order."""
    boards = {}
    for board, _ in rows:
        boards[id(board)] = board
    return list(boards.values())


def _facts_of(columns: Columns) -> dict[str, ColumnFacts]:
    """Return the description and unit of columns, by name."""
    facts = {}
    for name, (_, description) in columns.items():
        facts[name] = ColumnFacts(description, _UNITS.get(name))
    return facts


def _score_facts(boards: Sequence[Board]) -> dict[str, ColumnFacts]:
    """Return the description and unit of the columns of scores, by name."""
    facts = _facts_of(_OWNER_COLUMNS | ROW_COLUMNS | RANK_COLUMNS | AGENT_COLUMNS | ATTEMPT_COLUMNS)
    facts["id"] = ColumnFacts("the same as `submission`, by its name in the CSV files")
    titles: dict[str, dict[str, None]] = {}
    units: dict[str, dict[str, None]] = {}
    for board in boards:
        for metric in board.metrics.values():
            title = metric.title_on(board.track, board.benchmark)
            titles.setdefault(metric.id, {})[title] = None
            units.setdefault(metric.id, {})[metric.unit] = None
    for metric_id, metric_titles in titles.items():
        title = " or ".join(metric_titles)
        unit = " or ".join(units[metric_id])
        facts[metric_id] = ColumnFacts(title, unit)
        for columns in (*SCORE_COLUMNS, NOTE_COLUMNS):
            for name, (kind, description) in columns.items():
                column_unit = None
                if kind == "float64":
                    column_unit = unit
                elif kind == "Int64":
                    column_unit = _COUNTED_UNIT
                facts[f"{metric_id}_{name}"] = ColumnFacts(f"{title}: {description}", column_unit)
    return facts


def _frame(columns: Iterable[Column], facts: Mapping[str, ColumnFacts], line: str) -> "DataFrame":
    """Return columns as a data frame with nullable dtypes, and with facts in its `attrs`.

    Args:
        columns: Names, kinds and values; None for a gap.
        facts: Description and unit by column; facts of columns that the frame lacks are ignored.
        line: The description of a line of the frame.
    """
    from pandas import DataFrame, Series  # noqa: PLC0415 - half a second to import

    series = {}
    for name, kind, values in columns:
        series[name] = Series(values, dtype=_DTYPES[kind])
    frame = DataFrame(series)
    descriptions = {}
    units = {}
    for name in series:
        column_facts = facts[name]
        descriptions[name] = column_facts.description
        if column_facts.unit:
            units[name] = column_facts.unit
    frame.attrs = {"line": line, "descriptions": descriptions, "units": units}
    return frame
