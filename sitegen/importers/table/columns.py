"""What the columns of a table mean: by our names, by others of the field, or as the user says."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias, assert_never, get_args

from sitegen.importers.table.values import (
    Cell,
    Fault,
    NumberStyle,
    amount_of,
    is_missing,
    is_verdict,
    whole_of,
    words,
)
from sitegen.models.outcome import Start, State
from sitegen.models.record import is_slug
from sitegen.problems import UsageError, listed

Kind: TypeAlias = Literal["text", "number", "position", "whole", "amount", "verdict", "json"]
"""How the cells of a column are read.

`text`: a name or a word. `number`: any positive number. `position`: what tells attempts or rounds.
`whole`: a count. `amount`: a figure that may be unknown. `verdict`: the reward. `json`: a list or
an object.
"""

Wide: TypeAlias = Literal["agents", "tasks"]
"""What a row of a wide table is."""


class Column(NamedTuple):
    """A column that an import knows."""

    kind: Kind
    synonyms: tuple[str, ...] = ()
    """Other names of it, the most probable first, as `plain_name` gives them."""
    doubtful: tuple[str, ...] = ()
    """Names that often mean something else: taken only if there is no other and the cells fit."""


COLUMNS: Mapping[str, Column] = {
    "task": Column(
        "text",
        words(
            "task_id task_name instance_id instance instance_name problem_id problem_name question_id sample_id "
            "example_id item_id test_id case_id doc_id prompt_id problem exercise challenge puzzle question example "
            "item id"
        ),
        words("sample case test scenario prompt"),
    ),
    "attempt": Column(
        "position",
        words(
            "attempt_id attempt_number attempt_no attempt_index attempt_idx trial trial_id trial_number trial_index "
            "trial_idx repeat repetition replicate rep rollout rollout_id epoch sample_index sample_idx run run_number "
            "run_index run_idx run_id run_name seed random_seed try sample train_trial_index"
        ),
    ),
    "round": Column(
        "position",
        words(
            "round_id round_number round_index step step_id step_index turn turn_id turn_index checkpoint "
            "checkpoint_id stage milestone phase subtask subtask_id"
        ),
    ),
    "state": Column("text"),
    "reward": Column(
        "verdict",
        words(
            "score resolved is_resolved correct is_correct correctness success is_success successful "
            "is_successful succeeded passed is_passed pass solved is_solved accuracy acc pass_1"
        ),
        words("verdict outcome result status grade"),
    ),
    "passed": Column(
        "whole", words("tests_passed num_passed n_passed passed_tests cases_passed passed_cases")
    ),
    "total": Column(
        "whole",
        words("tests_total num_tests n_tests total_tests cases_total total_cases num_cases"),
    ),
    "skipped": Column("whole", words("tests_skipped num_skipped skipped_tests cases_skipped")),
    "start": Column("text"),
    "outcomes": Column("text"),
    "case_ids": Column("json"),
    "by_category": Column("json"),
    "interactions": Column("amount", words("tool_calls n_tool_calls num_tool_calls")),
    "turns": Column("amount", words("n_turns num_turns")),
    "input_tokens": Column(
        "amount", words("prompt_tokens tokens_in n_input_tokens num_input_tokens")
    ),
    "cached_tokens": Column("amount", words("cached_input_tokens cache_read_tokens")),
    "output_tokens": Column(
        "amount", words("completion_tokens tokens_out n_output_tokens num_output_tokens")
    ),
    "cost_usd": Column(
        "amount", words("total_cost_usd cost_dollars cost_in_usd usd_cost usd cost total_cost")
    ),
    "agent_seconds": Column(
        "amount",
        words(
            "duration_seconds duration_s duration_sec elapsed_seconds wall_seconds wall_time_seconds wall_time_s "
            "runtime_seconds runtime_s time_seconds time_s seconds latency_s latency_seconds"
        ),
    ),
    "verifier_seconds": Column("amount"),
    "measures": Column("json"),
    "cause": Column("text", words("error_message error exception")),
    "mode": Column("text"),
    "weight": Column("number"),
    "title": Column("text", words("task_title")),
    "agent": Column(
        "text", words("agent_name agent_id system system_name submission entrant participant")
    ),
    "model": Column("text", words("model_name model_id model_name_or_path llm llm_name")),
    "organization": Column("text", words("organisation org vendor developer lab company")),
    "provider": Column("text"),
    "scaffold": Column("text", words("harness")),
    "scaffold_version": Column("text", words("harness_version")),
    "reasoning": Column("text", words("reasoning_effort effort thinking")),
}
"""Columns by the name that this project has for them."""

OF_AGENTS = (
    "agent",
    "organization",
    "model",
    "provider",
    "scaffold",
    "scaffold_version",
    "reasoning",
)
"""Columns that describe who ran."""

IGNORE = "ignore"
"""What `--column` calls a column that is to be left out."""

_DECISIVE = frozenset({"task", "reward"})
"""Columns without which there is nothing to import."""

SURE = 2
"""The score of a row that is without doubt the one that names the columns."""

_INDEX_NAMES = frozenset(
    words(
        "index level_0 index_level_0 rownames row_names rowname row row_number row_id rowid idx no nr"
    )
)
_NAMELESS = re.compile(r"(?:unnamed_\d+(?:_level_\d+)?)?")

WORDS: Mapping[str, frozenset[str]] = {
    "state": frozenset(get_args(State)),
    "start": frozenset(get_args(Start)),
}
"""The words that a column can hold; if it has none of them, its name means something else."""

_SETTINGS = frozenset({"organization", "provider", "scaffold", "scaffold_version", "reasoning"})

_UPPER_AFTER_LOWER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_OTHER = re.compile(r"[^a-z0-9]+")

_MAX_ID_LENGTH = 200
"""Characters of an id; what is longer is a text."""
_MAX_SETTINGS = 20
"""Different settings in the first rows of a table; what has more is no setting."""
_MAX_SETTING_LENGTH = 60
"""Characters of a setting such as the reasoning effort; what is longer is a text."""


def plain_name(name: str) -> str:
    """Return a column's name as names are compared: "Task ID" and "taskId" are "task_id"."""
    words = _UPPER_AFTER_LOWER.sub("_", name.strip())
    return _OTHER.sub("_", words.lower()).strip("_")


def is_index_name(name: str) -> bool:
    """Return whether a column is called as programs call the numbers of rows."""
    plain = plain_name(name)
    return plain in _INDEX_NAMES or _NAMELESS.fullmatch(plain) is not None


def _meanings() -> dict[str, str]:
    """Return what columns mean by their plain names; a name of ours comes before others."""
    meanings: dict[str, str] = {}
    for meaning, column in COLUMNS.items():
        for name in (*column.synonyms, *column.doubtful):
            meanings[name] = meaning
    return meanings | {meaning: meaning for meaning in COLUMNS}


_MEANINGS = _meanings()


def meaning_of(name: str) -> str | None:
    """Return what a column of a name usually means; None for a name that nobody knows."""
    return _MEANINGS.get(plain_name(name))


class Asked(NamedTuple):
    """What the user says about a table's columns."""

    named: Mapping[str, str] = {}
    """Names of columns in the table, by what they mean."""
    ignored: frozenset[str] = frozenset()
    """Names of columns that are left out."""
    labels: tuple[str, ...] = ()
    """Names of columns that hold labels of tasks."""
    wide: Wide | None = None

    @property
    def names(self) -> set[str]:
        """Every column of the table that is spoken of."""
        return {*self.named.values(), *self.ignored, *self.labels}


def asked_columns(column: Sequence[str], label: Sequence[str], wide: Wide | None) -> Asked:
    """Return what the options `--column`, `--label` and `--wide` say.

    Raises:
        UsageError: An option can't be understood.
    """
    named: dict[str, str] = {}
    ignored = set()
    for pair in column:
        meaning, _, name = (part.strip() for part in pair.partition("="))
        if not name:
            raise UsageError(
                f"--column takes OURS=THEIRS, such as reward=score, and this is `{pair}`"
            )
        if meaning == IGNORE:
            ignored.add(name)
        elif meaning not in COLUMNS:
            known = ", ".join((*COLUMNS, IGNORE))
            raise UsageError(f"--column knows no `{meaning}`; it knows: {known}")
        elif meaning in named:
            raise UsageError(
                f"--column names two columns for {meaning}: {named[meaning]} and {name}"
            )
        else:
            named[meaning] = name
    labels = tuple(name.strip() for name in label)
    return Asked(named, frozenset(ignored), labels, wide)


def header_score(cells: Sequence[object], asked: Asked) -> int:
    """Return how much a row looks like the names of columns.

    Returns:
        0 for not at all, 1 for some, `SURE` if it names the task and the reward.
    """
    names = {plain_name(cell) for cell in cells if isinstance(cell, str)}
    meanings = {_MEANINGS[name] for name in names if name in _MEANINGS}
    for meaning, name in asked.named.items():
        if plain_name(name) in names:
            meanings.add(meaning)
    if meanings >= _DECISIVE:
        return SURE
    asked_names = {plain_name(name) for name in asked.names}
    return 1 if meanings or not names.isdisjoint(asked_names) else 0


@dataclass(slots=True)
class ColumnMap:
    """Where a table has what."""

    names: list[str]
    """Names of its columns; empty for one without a name."""
    numbers: dict[str, int] = field(default_factory=dict)
    """Numbers of columns, from 0, by what they mean."""
    rivals: list[int] = field(default_factory=list)
    """Further columns that could be the reward."""
    labels: dict[str, int] = field(default_factory=dict)
    """Columns with labels of tasks, by their axis."""
    index: list[int] = field(default_factory=list)
    """Columns that number the rows."""
    ignored: list[int] = field(default_factory=list)
    """Columns that the user leaves out."""
    assumptions: list[str] = field(default_factory=list)
    """What was taken for granted, as clauses."""

    def name_of(self, meaning: str) -> str:
        """Return how the table calls a column that it has."""
        return self.names[self.numbers[meaning]]

    def unused(self) -> list[int]:
        """Return the columns that mean nothing here."""
        used = {
            *self.numbers.values(),
            *self.rivals,
            *self.labels.values(),
            *self.index,
            *self.ignored,
        }
        return [number for number in range(len(self.names)) if number not in used]

    def extend(self, names: Sequence[str]) -> None:
        """Take further columns, which only later rows have."""
        for name in names[len(self.names) :]:
            number = len(self.names)
            self.names.append(name)
            meaning = _MEANINGS.get(plain_name(name))
            if meaning is None or name in COLUMNS[meaning].doubtful:
                continue
            if meaning not in self.numbers:
                self.numbers[meaning] = number
            elif meaning == "reward":
                self.rivals.append(number)


def map_columns(names: Sequence[str], sample: Sequence[Sequence[Cell]], asked: Asked) -> ColumnMap:
    """Find out what the columns of a table mean.

    Args:
        names: Their names; empty for one without a name.
        sample: The first cells of each column.
        asked: What the user says about them.

    Raises:
        UsageError: The user speaks of a column that the table does not have.
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


def _map_asked(columns: ColumnMap, asked: Asked) -> None:
    """Map the columns that the user speaks of."""
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
        columns: Takes the column, and for the reward also those that could be it as well.
        meaning: What the column means.
        by_name: The numbers of columns by their plain names.
        sample: The first cells of each column.
    """
    taken = set(columns.numbers.values())
    candidates = []
    for name in _usable_names(meaning, by_name, sample):
        candidates += [number for number in by_name.get(name, ()) if number not in taken]
    fitting = [number for number in candidates if _fits(meaning, sample[number])]
    if not fitting and meaning in _DECISIVE:
        fitting = [number for number in candidates if number in by_name.get(meaning, ())]
    if not fitting:
        fitting = _doubtful(COLUMNS[meaning], by_name, sample)
    if not fitting:
        return
    columns.numbers[meaning] = fitting[0]
    if meaning == "reward" and plain_name(columns.names[fitting[0]]) != "reward":
        columns.rivals = [number for number in fitting[1:] if all(map(is_verdict, sample[number]))]


def find_column(names: Sequence[str], wanted: str) -> int:
    """Return the number of a column, by its exact name or else by its plain one.

    Raises:
        UsageError: There is none, or several.
    """
    exact = [number for number, name in enumerate(names) if name.strip() == wanted]
    alike = [number for number, name in enumerate(names) if plain_name(name) == plain_name(wanted)]
    numbers = exact or alike
    if len(numbers) == 1:
        return numbers[0]
    shown_names = listed([f"`{name}`" for name in names if name], 50)
    message = "several columns" if numbers else "no column"
    raise UsageError(f"the table has {message} called `{wanted}`; it has: {shown_names}")


def _usable_names(
    meaning: str, by_name: Mapping[str, Sequence[int]], sample: Sequence[Sequence[Cell]]
) -> list[str]:
    """Return the names under which a column of a meaning is looked for.

    `passed` is a count if there is a total, and else a verdict.
    """
    names = [meaning, *COLUMNS[meaning].synonyms]
    has_total = False
    for name in ("total", *COLUMNS["total"].synonyms):
        has_total = has_total or any(
            _fits("total", sample[number]) for number in by_name.get(name, ())
        )
    if (meaning == "reward" and has_total) or (meaning == "passed" and not has_total):
        names.remove("passed")
    return names


def _doubtful(
    column: Column, by_name: Mapping[str, Sequence[int]], sample: Sequence[Sequence[Cell]]
) -> list[int]:
    """Return the columns that have a doubtful name of a meaning and contents that fit it."""
    numbers = [number for name in column.doubtful for number in by_name.get(name, ())]
    if column.kind == "verdict":
        return [number for number in numbers if all(map(is_verdict, sample[number]))]
    return [number for number in numbers if _are_short(sample[number], _MAX_ID_LENGTH)]


def _keep_counts_together(columns: ColumnMap, asked: Asked) -> None:
    """Leave out one of `passed` and `total` where the other is missing."""
    pair = ("passed", "total")
    present = [meaning for meaning in pair if meaning in columns.numbers]
    if len(present) == 1 and present[0] not in asked.named:
        del columns.numbers[present[0]]


def _map_index(columns: ColumnMap, sample: Sequence[Sequence[Cell]]) -> None:
    """Note columns that number the rows; one that holds names is the task, if there is no other."""
    for number in columns.unused():
        name = columns.names[number]
        if not is_index_name(name):
            continue
        cells = [cell for cell in sample[number] if not is_missing(cell)]
        if "task" not in columns.numbers and cells and not all(map(_is_whole, cells)):
            columns.numbers["task"] = number
            shown_name = f"column `{name}`" if name else "the column without a name"
            columns.assumptions.append(f"{shown_name} names the tasks")
        else:
            columns.index.append(number)


def _is_whole(cell: Cell) -> bool:
    return isinstance(whole_of(cell, NumberStyle()), int)


def _fits(meaning: str, cells: Sequence[Cell]) -> bool:
    """Return whether cells could have a meaning; unknown ones always could."""
    present = [cell for cell in cells if not is_missing(cell)]
    if not present:
        return True
    if meaning in WORDS:
        return any(cell in WORDS[meaning] for cell in present if isinstance(cell, str))
    match COLUMNS[meaning].kind:
        case "verdict" | "position":
            return _are_short(present, _MAX_ID_LENGTH)
        case "amount" | "whole" | "number":
            values = [amount_of(cell, NumberStyle()) for cell in present]
            return any(not isinstance(value, Fault) for value in values)
        case "text" if meaning in _SETTINGS:
            return (
                _are_short(present, _MAX_SETTING_LENGTH)
                and len(set(map(str, present))) <= _MAX_SETTINGS
            )
        case "text" if meaning == "cause":
            return any(isinstance(cell, str) for cell in present)
        case "text" if meaning in {"task", "agent", "model"}:
            return _are_short(present, _MAX_ID_LENGTH)
        case "text" | "json":
            return True
        case unknown:
            assert_never(unknown)


def _are_short(cells: Sequence[Cell], longest: int) -> bool:
    """Return whether cells hold single values on one line each."""
    for cell in cells:
        if isinstance(cell, list | dict):
            return False
        if isinstance(cell, str) and (len(cell) > longest or "\n" in cell.strip()):
            return False
    return True
