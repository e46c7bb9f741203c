"""Find the meanings of a table's columns from their names, their cells and the user's options."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias, assert_never, get_args

from sitegen.importers.table.values import (
    Cell,
    Fault,
    NumberStyle,
    is_verdict,
    parse_amount,
    parse_day,
    parse_duration,
    parse_seconds,
    parse_whole_number,
    present_cells,
    split_names,
)
from sitegen.models.outcome import Start, State
from sitegen.models.record import is_slug
from sitegen.problems import UsageError, listed

Kind: TypeAlias = Literal[
    "text", "number", "position", "whole", "amount", "seconds", "verdict", "json"
]
"""How the cells of a column are read.

`text`: a name, a word or a day. `number`: any positive number. `position`: the number or name of an
attempt or round. `whole`: a count. `amount`: a figure that may be unknown. `seconds`: a duration
that may be unknown. `verdict`: the reward. `json`: a list or an object.
"""

Wide: TypeAlias = Literal["agents", "tasks"]
"""The unit that a row of a wide table represents."""


class ColumnMeaning(NamedTuple):
    """A meaning of a column: how the column is read, and its possible names."""

    kind: Kind
    synonyms: tuple[str, ...] = ()
    """Other names of the column in the form of `plain_name`, most probable first."""
    doubtful: tuple[str, ...] = ()
    """Names that often mean something else.

    They are used only if no other column has the meaning and the cells fit it.
    """


def _meaning(kind: Kind, synonyms: str = "", doubtful: str = "") -> ColumnMeaning:
    """Return a meaning, given its other names, separated by spaces."""
    return ColumnMeaning(kind, split_names(synonyms), split_names(doubtful))


_ROUND_COLUMNS = {
    "task": _meaning(
        "text",
        "task_id task_name instance_id instance instance_name problem_id problem_name question_id "
        "sample_id example_id item_id test_id case_id doc_id prompt_id problem exercise challenge "
        "puzzle question example item id",
        doubtful="sample case test scenario prompt",
    ),
    "attempt": _meaning(
        "position",
        "attempt_id attempt_number attempt_no attempt_index attempt_idx trial trial_id "
        "trial_number trial_index trial_idx repeat repetition replicate rep rollout rollout_id "
        "epoch sample_index sample_idx run run_number run_index run_idx run_id run_name seed "
        "random_seed try sample train_trial_index",
    ),
    "round": _meaning(
        "position",
        "round_id round_number round_index step step_id step_index turn turn_id turn_index "
        "checkpoint checkpoint_id stage milestone phase subtask subtask_id",
    ),
}
"""Columns that identify the round of a row."""

_VERDICT_COLUMNS = {
    "state": _meaning("text"),
    "reward": _meaning(
        "verdict",
        "score resolved is_resolved correct is_correct correctness success is_success successful "
        "is_successful succeeded passed is_passed pass solved is_solved accuracy acc pass_1",
        doubtful="verdict outcome result status grade value",
    ),
    "max_reward": _meaning(
        "number",
        "max_score maximum_score score_max max_points maximum_points points_possible "
        "possible_points max_possible_score out_of",
    ),
    "metric": _meaning("text", "metric_name scorer score_name"),
    "passed": _meaning(
        "whole", "tests_passed num_passed n_passed passed_tests cases_passed passed_cases"
    ),
    "total": _meaning(
        "whole", "tests_total num_tests n_tests total_tests cases_total total_cases num_cases"
    ),
    "skipped": _meaning("whole", "tests_skipped num_skipped skipped_tests cases_skipped"),
    "start": _meaning("text"),
    "outcomes": _meaning("text"),
    "case_ids": _meaning("json"),
    "by_category": _meaning("json"),
}
"""Columns that state how a round ended."""

_FIGURE_COLUMNS = {
    "interactions": _meaning("amount", "tool_calls n_tool_calls num_tool_calls"),
    "turns": _meaning("amount", "n_turns num_turns"),
    "input_tokens": _meaning("amount", "prompt_tokens tokens_in n_input_tokens num_input_tokens"),
    "cached_tokens": _meaning("amount", "cached_input_tokens cache_read_tokens"),
    "output_tokens": _meaning(
        "amount", "completion_tokens tokens_out n_output_tokens num_output_tokens"
    ),
    "cost_usd": _meaning(
        "amount", "total_cost_usd cost_dollars cost_in_usd usd_cost usd cost total_cost"
    ),
    "agent_seconds": _meaning(
        "seconds",
        "duration_seconds duration_s duration_sec elapsed_seconds wall_seconds wall_time_seconds "
        "wall_time_s runtime_seconds runtime_s time_seconds time_s seconds latency_s "
        "latency_seconds",
        doubtful="duration elapsed elapsed_time runtime run_time wall_time latency agent_time",
    ),
    "verifier_seconds": _meaning("seconds"),
    "measures": _meaning("json"),
}
"""Columns with the usage and the measurements of a round."""

_DESCRIPTION_COLUMNS = {
    "cause": _meaning("text", "error_message error exception"),
    "mode": _meaning("text"),
    "weight": _meaning("number"),
    "title": _meaning("text", "task_title"),
    "date": _meaning(
        "text",
        "run_date day timestamp datetime run_at started_at start_time finished_at completed_at "
        "end_time evaluated_at created_at",
    ),
}
"""Columns that describe a round or its task."""

_AGENT_COLUMNS = {
    "agent": _meaning(
        "text", "agent_name agent_id system system_name submission entrant participant"
    ),
    "model": _meaning("text", "model_name model_id model_name_or_path llm llm_name"),
    "organization": _meaning("text", "organisation org vendor developer lab company"),
    "provider": _meaning("text"),
    "scaffold": _meaning("text", "harness"),
    "scaffold_version": _meaning("text", "harness_version"),
    "reasoning": _meaning("text", "reasoning_effort effort thinking"),
}
"""Columns that describe the agent."""

COLUMNS: Mapping[str, ColumnMeaning] = {
    **_ROUND_COLUMNS,
    **_VERDICT_COLUMNS,
    **_FIGURE_COLUMNS,
    **_DESCRIPTION_COLUMNS,
    **_AGENT_COLUMNS,
}
"""All column meanings, by this project's own name for each.

The order matters: messages use it, and a column with two possible meanings gets the first.
"""


class AgentDescription(NamedTuple):
    """The description of an agent in a row."""

    agent: str | None = None
    organization: str | None = None
    model: str | None = None
    provider: str | None = None
    scaffold: str | None = None
    scaffold_version: str | None = None
    reasoning: str | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """The names that may select the agent: its own name and its model's name."""
        return tuple(filter(None, (self.agent, self.model)))


AGENT_MEANINGS = AgentDescription._fields
"""Meanings of the columns that describe the agent."""

IGNORE = "ignore"
"""The word that `--column` takes instead of a meaning for a column to leave out."""

_DECISIVE = frozenset({"task", "reward"})
"""Meanings without which there is nothing to import."""

SURE = 2
"""The score of a row that certainly contains the column names."""

_INDEX_NAMES = frozenset(
    split_names(
        "index level_0 index_level_0 rownames row_names rowname row row_number row_id rowid idx "
        "no nr rank ranking row_idx event_id"
    )
)
_NAMELESS = re.compile(r"(?:unnamed_\d+(?:_level_\d+)?)?")

WORDS: Mapping[str, frozenset[str]] = {
    "state": frozenset(get_args(State)),
    "start": frozenset(get_args(Start)),
}
"""The words that a column may contain; a column with none of them has another meaning."""

_SETTINGS = frozenset(
    {"metric", "organization", "provider", "scaffold", "scaffold_version", "reasoning"}
)

_UPPER_AFTER_LOWER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NOT_IN_NAME = re.compile(r"[^a-z0-9]+")

_MAX_ID_LENGTH = 200
"""Maximum length of an id; a longer cell is a text."""
_MAX_SETTINGS = 20
"""Maximum number of distinct values of a setting in the first rows of a table."""
_MAX_SETTING_LENGTH = 60
"""Maximum length of a setting such as the reasoning effort; a longer cell is a text."""


def plain_name(name: str) -> str:
    """Return a column's name in normal form: "Task ID" and "taskId" become "task_id"."""
    snake_case = _UPPER_AFTER_LOWER.sub("_", name.strip())
    return _NOT_IN_NAME.sub("_", snake_case.lower()).strip("_")


def is_index_name(name: str) -> bool:
    """Return whether a column has a name that programs use for row numbers."""
    plain = plain_name(name)
    return plain in _INDEX_NAMES or _NAMELESS.fullmatch(plain) is not None


def _meanings_by_name() -> dict[str, str]:
    """Return the meanings of columns by plain name; this project's own names take precedence."""
    meanings: dict[str, str] = {}
    for meaning, column in COLUMNS.items():
        names = (*column.synonyms, *column.doubtful)
        meanings.update(dict.fromkeys(names, meaning))
    meanings.update({meaning: meaning for meaning in COLUMNS})
    return meanings


_MEANINGS = _meanings_by_name()


def usual_meaning(name: str) -> str | None:
    """Return the usual meaning of a column name; None for an unknown name."""
    return _MEANINGS.get(plain_name(name))


class AskedColumns(NamedTuple):
    """The user's options about a table's columns."""

    named: Mapping[str, str] = {}
    """Names of columns in the table, by their meanings."""
    ignored: frozenset[str] = frozenset()
    """Names of columns that are left out."""
    labels: tuple[str, ...] = ()
    """Names of columns that contain labels of tasks."""
    wide: Wide | None = None
    metrics: Mapping[str, str] = {}
    """Names of columns with values of the benchmark's metrics, by the metrics' ids."""

    @property
    def names(self) -> set[str]:
        """All columns of the table that the user names."""
        return {*self.named.values(), *self.ignored, *self.labels, *self.metrics.values()}


def parse_column_options(
    column: Sequence[str],
    label: Sequence[str],
    wide: Wide | None,
    known_metrics: Collection[str] = (),
) -> AskedColumns:
    """Return the parsed options `--column`, `--label` and `--wide`.

    Args:
        column: The meanings of columns, as OURS=THEIRS; OURS may also be a metric's id.
        label: Columns with labels of the tasks.
        wide: What a row represents, in a table with a column for each task or agent.
        known_metrics: Ids of the benchmark's metrics.

    Raises:
        UsageError: An option can't be understood.
    """
    named: dict[str, str] = {}
    metrics: dict[str, str] = {}
    ignored = set()
    for pair in column:
        meaning, _, name = pair.partition("=")
        meaning = meaning.strip()
        name = name.strip()
        if not name:
            example = "--column takes OURS=THEIRS, such as reward=score"
            raise UsageError(f"{example}, not `{pair}`")
        if meaning == IGNORE:
            ignored.add(name)
        elif meaning in known_metrics and meaning not in COLUMNS:
            metrics[meaning] = name
        elif meaning not in COLUMNS:
            meanings = ", ".join((*COLUMNS, IGNORE))
            raise UsageError(f"--column has no meaning `{meaning}`; the meanings are: {meanings}")
        elif meaning in named:
            names = f"{named[meaning]} and {name}"
            raise UsageError(f"--column names two columns for {meaning}: {names}")
        else:
            named[meaning] = name
    labels = tuple(name.strip() for name in label)
    return AskedColumns(named, frozenset(ignored), labels, wide, metrics)


def score_header(cells: Sequence[object], asked: AskedColumns) -> int:
    """Return a score for how well the cells of a row match known column names.

    Returns:
        0 if no cell matches, 1 if any cell does, `SURE` if the row names the task and the reward.
    """
    names = {plain_name(cell) for cell in cells if isinstance(cell, str)}
    meanings = {_MEANINGS[name] for name in names if name in _MEANINGS}
    meanings |= {key for key, name in asked.named.items() if plain_name(name) in names}
    if meanings >= _DECISIVE:
        return SURE
    asked_names = set(map(plain_name, asked.names))
    return 1 if meanings or names & asked_names else 0


def can_be_needed(name: object, asked: AskedColumns) -> bool:
    """Return whether a column's name suggests a meaning; always True for a wide table."""
    return asked.wide is not None or score_header([name], asked) > 0


@dataclass(slots=True)
class ColumnMap:
    """The meanings of a table's columns."""

    names: list[str]
    """Names of the columns; empty for a column without a name."""
    numbers: dict[str, int] = field(default_factory=dict)
    """Numbers of columns, from 0, by their meanings."""
    rivals: list[int] = field(default_factory=list)
    """Other columns that could be the reward."""
    labels: dict[str, int] = field(default_factory=dict)
    """Columns with labels of tasks, by their axis."""
    index: list[int] = field(default_factory=list)
    """Columns that number the rows."""
    ignored: list[int] = field(default_factory=list)
    """Columns that the user leaves out."""
    assumptions: list[str] = field(default_factory=list)
    """Assumptions about columns, as clauses."""

    def name_of(self, meaning: str) -> str:
        """Return the table's own name for the column with the given meaning."""
        return self.names[self.numbers[meaning]]

    def unused(self) -> list[int]:
        """Return the columns without a meaning."""
        used = {*self.numbers.values(), *self.rivals, *self.labels.values()}
        used.update(self.index, self.ignored)
        return [number for number in range(len(self.names)) if number not in used]

    def extend(self, names: Sequence[str]) -> None:
        """Add columns that occur only in later rows.

        Args:
            names: All columns of the later rows, beginning with the known columns.
        """
        for number in range(len(self.names), len(names)):
            name = names[number]
            self.names.append(name)
            meaning = usual_meaning(name)
            if meaning is None or name in COLUMNS[meaning].doubtful:
                continue
            if meaning not in self.numbers:
                self.numbers[meaning] = number
            elif meaning == "reward":
                self.rivals.append(number)


def map_columns(
    names: Sequence[str], sample: Sequence[Sequence[Cell]], asked: AskedColumns
) -> ColumnMap:
    """Return the meanings of a table's columns.

    Args:
        names: The column names; empty for a column without a name.
        sample: The first cells of each column.
        asked: The user's options about the columns.

    Raises:
        UsageError: The user names a column that the table does not have.
    """
    columns = ColumnMap(list(names))
    _map_asked(columns, asked)
    by_name: dict[str, list[int]] = {}
    for number in columns.unused():
        by_name.setdefault(plain_name(names[number]), []).append(number)
    for meaning in COLUMNS:
        if meaning not in columns.numbers:
            _map_meaning(columns, meaning, by_name, sample)
    _keep_counts_together(columns, asked)
    _map_index(columns, sample)
    return columns


def _map_asked(columns: ColumnMap, asked: AskedColumns) -> None:
    """Map the columns that the user names."""
    for meaning, name in asked.named.items():
        columns.numbers[meaning] = find_column(columns.names, name)
    for name in sorted(asked.ignored):
        columns.ignored.append(find_column(columns.names, name))
    for name in asked.labels:
        axis = plain_name(name)
        if not is_slug(axis):
            message = f"--label names a column that can't be an axis: {name}"
            raise UsageError(f"{message}; rename it in Latin letters")
        columns.labels[axis] = find_column(columns.names, name)


def _map_meaning(
    columns: ColumnMap,
    meaning: str,
    by_name: Mapping[str, Sequence[int]],
    sample: Sequence[Sequence[Cell]],
) -> None:
    """Map the column that has a meaning, if there is one.

    Args:
        columns: Receives the column, and for the reward also the other candidates.
        meaning: The meaning of the column.
        by_name: The numbers of columns by their plain names.
        sample: The first cells of each column.
    """
    mapped = set(columns.numbers.values())
    names = _usable_names(meaning, by_name, sample)
    candidates = [number for number in _numbered(names, by_name) if number not in mapped]
    fitting = [number for number in candidates if _fits(meaning, sample[number])]
    if not fitting and meaning in _DECISIVE:
        fitting = [number for number in candidates if number in by_name.get(meaning, ())]
    if not fitting:
        fitting = _doubtful_columns(COLUMNS[meaning], by_name, sample)
    if not fitting:
        return
    columns.numbers[meaning] = fitting[0]
    if meaning == "reward" and plain_name(columns.names[fitting[0]]) != "reward":
        columns.rivals = [number for number in fitting[1:] if all(map(is_verdict, sample[number]))]


def _numbered(names: Sequence[str], by_name: Mapping[str, Sequence[int]]) -> list[int]:
    """Return the numbers of the columns with any of the names, in the order of the names."""
    numbers: list[int] = []
    for name in names:
        numbers += by_name.get(name, ())
    return numbers


def find_column(names: Sequence[str], wanted: str) -> int:
    """Return the number of a column, by its exact name or else by its plain name.

    Raises:
        UsageError: There is no such column, or there are several.
    """
    exact = [number for number, name in enumerate(names) if name.strip() == wanted]
    alike = [number for number, name in enumerate(names) if plain_name(name) == plain_name(wanted)]
    numbers = exact or alike
    if len(numbers) == 1:
        return numbers[0]
    shown_names = listed([f"`{name}`" for name in names if name], 50)
    number_of_columns = "several columns" if numbers else "no column"
    message = f"the table has {number_of_columns} called `{wanted}`"
    raise UsageError(f"{message}; it has: {shown_names}")


def _usable_names(
    meaning: str, by_name: Mapping[str, Sequence[int]], sample: Sequence[Sequence[Cell]]
) -> list[str]:
    """Return the names to search for a column with a meaning.

    `passed` is a count if it has numbers and there is a total; otherwise it is a verdict.
    """
    names = [meaning, *COLUMNS[meaning].synonyms]
    if meaning not in {"reward", "passed"}:
        return names
    totals = _numbered(["total", *COLUMNS["total"].synonyms], by_name)
    passed = by_name.get("passed", ())
    has_total = any(_fits("total", sample[number]) for number in totals)
    has_counts = has_total and all(_fits("passed", sample[number]) for number in passed)
    if has_counts == (meaning == "reward"):
        names.remove("passed")
    return names


def _doubtful_columns(
    meaning: ColumnMeaning,
    by_name: Mapping[str, Sequence[int]],
    sample: Sequence[Sequence[Cell]],
) -> list[int]:
    """Return the columns with a doubtful name for a meaning and contents that fit the meaning."""
    numbers = _numbered(meaning.doubtful, by_name)
    if meaning.kind == "verdict":
        return [number for number in numbers if all(map(is_verdict, sample[number]))]
    if meaning.kind == "seconds":
        return [number for number in numbers if _have_units(sample[number])]
    return [number for number in numbers if _are_short(sample[number], _MAX_ID_LENGTH)]


def _have_units(cells: Iterable[Cell]) -> bool:
    """Return whether at least one cell is known and all known cells are durations with units."""
    present = present_cells(cells)
    return bool(present) and all(parse_duration(cell) is not None for cell in present)


def _keep_counts_together(columns: ColumnMap, asked: AskedColumns) -> None:
    """Leave out `passed` or `total` if the other is missing, unless the user names the column."""
    present = {"passed", "total"} & columns.numbers.keys()
    if len(present) == 1:
        (meaning,) = present
        if meaning not in asked.named:
            del columns.numbers[meaning]


def _map_index(columns: ColumnMap, sample: Sequence[Sequence[Cell]]) -> None:
    """Map columns that number the rows, or that name the tasks if no other column does."""
    for number in columns.unused():
        name = columns.names[number]
        if not is_index_name(name):
            continue
        cells = present_cells(sample[number])
        if "task" not in columns.numbers and not all(map(_is_whole, cells)):
            columns.numbers["task"] = number
            shown_name = f"column `{name}`" if name else "the column without a name"
            columns.assumptions.append(f"{shown_name} names the tasks")
        else:
            columns.index.append(number)


def _is_whole(cell: Cell) -> bool:
    return isinstance(parse_whole_number(cell, NumberStyle()), int)


def _fits(meaning: str, cells: Sequence[Cell]) -> bool:
    """Return whether cells could have a meaning; unknown values always fit."""
    present = present_cells(cells)
    if not present:
        return True
    if meaning in WORDS:
        return any(cell in WORDS[meaning] for cell in present if isinstance(cell, str))
    match COLUMNS[meaning].kind:
        case "verdict" | "position":
            return _are_short(present, _MAX_ID_LENGTH)
        case "amount" | "whole" | "number":
            values = [parse_amount(cell, NumberStyle()) for cell in present]
            return any(not isinstance(value, Fault) for value in values)
        case "seconds":
            values = [parse_seconds(cell, NumberStyle()) for cell in present]
            return any(not isinstance(value, Fault) for value in values)
        case "text":
            return _fits_text(meaning, present)
        case "json":
            return True
        case unknown:
            assert_never(unknown)


def _fits_text(meaning: str, cells: Sequence[Cell]) -> bool:
    """Return whether cells could be texts with a meaning."""
    if meaning in _SETTINGS:
        is_varied = len(set(map(str, cells))) > _MAX_SETTINGS
        return _are_short(cells, _MAX_SETTING_LENGTH) and not is_varied
    if meaning == "date":
        return any(parse_day(cell) is not None for cell in cells)
    if meaning == "cause":
        return any(isinstance(cell, str) for cell in cells)
    if meaning in {"task", "agent", "model"}:
        return _are_short(cells, _MAX_ID_LENGTH)
    return True


def _are_short(cells: Sequence[Cell], longest: int) -> bool:
    """Return whether all cells are short single-line values."""
    for cell in cells:
        if isinstance(cell, list | dict):
            return False
        if isinstance(cell, str) and (len(cell) > longest or "\n" in cell.strip()):
            return False
    return True
