"""Read tables in JSON: lines of objects, arrays of objects, and other forms of data frames."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, TextIO

from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rules import CUT_OFF
from sitegen.importers.kit.values import mapping_of
from sitegen.importers.table import rules
from sitegen.importers.table.columns import (
    AGENT_MEANINGS,
    SURE,
    AskedColumns,
    plain_name,
    score_header,
    usual_meaning,
)
from sitegen.importers.table.tables import (
    CHUNK_ROWS,
    GUESSED_ENCODING,
    SAMPLE_ROWS,
    Chunk,
    TableFile,
    TakeRows,
    clean_name,
    rows_to_chunks,
)
from sitegen.importers.table.values import (
    Cell,
    NoVerdict,
    NumberStyle,
    parse_verdict,
    present_cells,
    quote_value,
)
from sitegen.problems import listed
from sitegen.reading.json_values import JsonError, JsonValues, json_value
from sitegen.reading.streams import TextFormat, opened_text

Record = Mapping[str, Cell]
NumberedRecords = Iterator[tuple[int, Record]]

_LIST_KEYS = (
    "data",
    "results",
    "rows",
    "records",
    "items",
    "samples",
    "instances",
    "tasks",
    "task_results",
    "per_task",
    "per_instance",
    "individual",
)
"""Keys under which programs write the rows of a table, most common first."""

_ROWS_FIX = (
    'write the rows as a list, such as `[{"task": "a", "reward": 1}]`, or under the key `results` '
    "of an object"
)

_LIST_ENDING = re.compile(r"_(?:tasks?|ids?|instances?|problems?|task_ids?|instance_ids?)$")
"""The ending of the name of a list of tasks: `failed_tasks`, `resolved_ids`."""

_FACTS = frozenset({*AGENT_MEANINGS, "date"})
"""Meanings of values that a document may state once for all of its rows."""


def json_table(path: Path, text: TextFormat, asked: AskedColumns) -> TableFile:
    """Return the table in a JSON file."""
    table = TableFile(path, "row")
    if text.is_guessed:
        table.assumptions.append(GUESSED_ENCODING)
    if _has_lines(text.head):
        table.row_noun = "line"
        table.chunks = _line_chunks(table, text, asked)
    else:
        table.chunks = _value_chunks(table, text, asked)
    return table


def _has_lines(head: str) -> bool:
    """Return whether a text has several lines, the first of which is a JSON object."""
    lines = [line for line in head.splitlines()[:3] if line.strip()]
    if not lines or not lines[0].lstrip("\ufeff ").startswith("{"):
        return False
    try:
        json_value(lines[0])
    except JsonError:
        return False
    return len(lines) > 1


def _line_chunks(table: TableFile, text: TextFormat, asked: AskedColumns) -> Iterator[Chunk]:
    """Yield the rows of JSON Lines."""
    with opened_text(table.path, text.encoding) as stream:
        yield from _record_chunks(_records_of_lines(table, text, stream), asked)


def _records_of_lines(table: TableFile, text: TextFormat, stream: TextIO) -> NumberedRecords:
    """Yield the objects in JSON Lines with their line numbers.

    Raises:
        ProblemsError: A line is not an object, or the last line is truncated.
    """
    for number, line in enumerate(stream, start=1):
        if line.isspace():
            continue
        try:
            value = json_value(line, number)
        except JsonError as error:
            is_last = not line.endswith(("\n", "\r")) and not text.ends_with_line_break
            if error.is_cut and is_last:
                message = f"the file ends inside a line: {error}"
                raise table.error(CUT_OFF, number, message) from error
            raise table.error(rules.SYNTAX, number, f"the line is not JSON: {error}") from error
        if not isinstance(value, dict):
            message = f"the line contains {quote_value(value)} instead of an object"
            raise table.error(rules.SYNTAX, number, message)
        yield number, value


def _value_chunks(table: TableFile, text: TextFormat, asked: AskedColumns) -> Iterator[Chunk]:
    """Yield the rows of a JSON file that is not JSON Lines.

    Raises:
        ProblemsError: The text is not JSON, or not a table.
    """
    with opened_text(table.path, text.encoding) as stream:
        values = JsonValues(stream)
        try:
            match values.next_mark():
                case "":
                    return
                case "[":
                    yield from _array_chunks(table, values, asked)
                case _:
                    yield from _document_chunks(table, values, asked)
            if values.next_mark():
                message = "there is more text after the JSON value"
                raise table.error(rules.SYNTAX, values.line, message)
        except JsonError as error:
            if error.is_cut:
                message = f"the file ends inside its JSON: {error}"
                raise table.error(CUT_OFF, error.line, message) from error
            raise table.error(rules.SYNTAX, error.line, f"the file is not JSON: {error}") from error


def _array_chunks(table: TableFile, values: JsonValues, asked: AskedColumns) -> Iterator[Chunk]:
    """Yield the rows of an array of objects, or of arrays, the first of which names the columns."""
    members = (value for _, value in values.items())
    numbered_members = enumerate(members, start=1)
    first = next(numbered_members, None)
    if first is None:
        return
    _, first_member = first
    items = chain([first], numbered_members)
    if isinstance(first_member, list):
        yield from rows_to_chunks(table, _array_reader(table, items), asked, are_padded=True)
    else:
        yield from _record_chunks(_checked_records(table, items), asked)


def _document_chunks(table: TableFile, values: JsonValues, asked: AskedColumns) -> Iterator[Chunk]:
    """Yield the rows of a single object, or of consecutive objects."""
    first = values.value()
    if values.next_mark() == "{" and isinstance(first, dict):
        items = enumerate(chain([first], _next_objects(values)), start=1)
        yield from _record_chunks(_checked_records(table, items), asked)
    elif isinstance(first, dict):
        yield from _object_chunks(table, first, asked)
    else:
        message = f"the file contains {quote_value(first)} instead of a table"
        raise table.error(rules.FORMAT, None, message)


def _next_objects(values: JsonValues) -> Iterator[Any]:
    """Yield the remaining objects of a file that consists of consecutive objects."""
    while values.next_mark() == "{":
        yield values.value()


def _checked_records(table: TableFile, items: Iterable[tuple[int, Any]]) -> NumberedRecords:
    """Yield numbered values, all of which must be objects.

    Raises:
        ProblemsError: A value is not an object.
    """
    for number, value in items:
        if not isinstance(value, dict):
            message = f"row {number} contains {quote_value(value)} instead of an object"
            raise table.error(rules.SYNTAX, None, message)
        yield number, value


def _array_reader(table: TableFile, items: Iterator[tuple[int, Any]]) -> TakeRows:
    """Return a function that takes the next rows of an array of arrays."""

    def take(size: int) -> tuple[Sequence[int], Sequence[Sequence[Cell]]]:
        """Return the numbers and the cells of the next rows."""
        numbers = []
        rows = []
        for number, value in islice(items, size):
            if not isinstance(value, list):
                message = f"row {number} contains {quote_value(value)} instead of an array"
                raise table.error(rules.SYNTAX, None, message)
            numbers.append(number)
            rows.append(value)
        return numbers, rows

    return take


def _object_chunks(
    table: TableFile, document: dict[str, Any], asked: AskedColumns
) -> Iterator[Chunk]:
    """Yield the rows of an object that has one of the usual forms of a table.

    Raises:
        ProblemsError: The object is not a table.
    """
    if not document:
        return
    names = document.get("columns")
    data = document.get("data")
    key = _key_of_rows(document, asked)
    results = mapping_of(document.get("results"))
    kinds = set(map(type, document.values()))
    if isinstance(names, list) and isinstance(data, list):  # the orientation "split" of pandas
        items = enumerate([names, *data], start=0)
        yield from rows_to_chunks(table, _array_reader(table, items), asked, are_padded=True)
    elif key is not None:
        rows = _rows_under(document[key])
        facts = _facts_of_all_rows(document, rows)
        _note_other_keys(table, document, [key, *facts])
        if facts:
            shown_facts = listed([f"`{one_line(name)}`" for name in facts])
            table.assumptions.append(f"the document states {shown_facts} for all of its rows")
            rows = [{**facts, **row} for row in rows]
        yield from _record_chunks(_checked_records(table, enumerate(rows, 1)), asked)
    elif _has_lists_of_tasks(document):
        yield from _chunks_of_lists(table, document)
    elif _has_lists_of_tasks(results):
        yield from _chunks_of_lists(table, results)
    elif kinds == {dict} and _are_alike([*document.values()]):
        table.is_part = len(document) == 1
        yield from _chunks_of_objects(table, document, asked)
    elif kinds == {list}:
        yield from _chunks_of_columns(table, document)
    elif _are_verdicts(document):
        table.is_part = True
        table.assumptions.append("each key of the object names a task, and its value is the reward")
        columns = {"task": [*document], "reward": [*document.values()]}
        yield from _chunks_of_columns(table, columns)
    elif score_header([*document], asked):
        table.is_part = True
        yield from _record_chunks(iter([(1, document)]), asked)
    else:
        keys = listed(map(one_line, document))
        message = f"the file contains one object, with the keys {keys}, instead of a list of rows"
        raise table.error(rules.FORMAT, None, message, _ROWS_FIX)


def _verdict_of_list(name: str) -> float | NoVerdict | None:
    """Return the verdict stated by a list's name, such as `failed_tasks`; None for other names."""
    word = _LIST_ENDING.sub("", plain_name(name))
    verdict = parse_verdict(word, NumberStyle(), None)
    is_word = not word.isdigit() and word not in {"", "n", "f", "t", "y"}
    return verdict if is_word and isinstance(verdict, float | NoVerdict) else None


def _has_lists_of_tasks(document: Mapping[str, Any]) -> bool:
    """Return whether an object has a list of passed tasks and a list of failed tasks."""
    if "task" in map(usual_meaning, document):  # its lists are columns
        return False
    verdicts = set()
    for name, value in document.items():
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            verdicts.add(_verdict_of_list(name))
    return {0.0, 1.0} <= verdicts


def _chunks_of_lists(table: TableFile, document: Mapping[str, Any]) -> Iterator[Chunk]:
    """Yield a row for each task in lists that are named after their verdicts."""
    table.is_part = True
    tasks: list[Cell] = []
    rewards: list[Cell] = []
    used = []
    for name, value in document.items():
        if _verdict_of_list(name) is not None and isinstance(value, list):
            tasks += value
            rewards += [_LIST_ENDING.sub("", plain_name(name))] * len(value)
            used.append(f"`{one_line(name)}`")
    table.assumptions.append(f"{listed(used)} list all tasks, by their verdicts")
    yield from _chunks_of_columns(table, {"task": tasks, "reward": rewards})


def _are_verdicts(document: Mapping[str, Any]) -> bool:
    """Return whether an object maps names of tasks to verdicts, and contains nothing else.

    Fractions do not count as verdicts here: an object of fractions may map metrics to figures.
    """
    if len(document) < 2 or any(map(usual_meaning, document)):  # noqa: PLR2004 - else a record
        return False
    values = present_cells(document.values())
    return bool(values) and all(map(_is_plain_verdict, values))


def _is_plain_verdict(value: Cell) -> bool:
    """Return whether a value states that a task was passed or failed."""
    if isinstance(value, list | dict):
        return False
    verdict = parse_verdict(value, NumberStyle(), None)
    return isinstance(verdict, NoVerdict) or verdict in {0.0, 1.0}


def _rows_under(value: Any) -> list[Any]:  # noqa: ANN401 - a list or an object
    """Return the rows in a list, or in an object that maps each task's name to a row."""
    if isinstance(value, list):
        is_wrapped = all(isinstance(item, dict) and _is_wrapped(item) for item in value)
        return [item["row"] for item in value] if is_wrapped else value
    names = chain.from_iterable(value.values())
    has_tasks = "task" in map(usual_meaning, names)
    key = "" if has_tasks else "task"
    return [{key: name, **row} for name, row in value.items()]


def _is_wrapped(item: Mapping[str, Any]) -> bool:
    """Return whether an object contains a row, as in responses of Hugging Face's dataset viewer."""
    return "row_idx" in item and isinstance(item.get("row"), dict)


def _facts_of_all_rows(document: Mapping[str, Any], rows: Sequence[Any]) -> dict[str, Cell]:
    """Return the document's own values, such as its model, that its rows do not state."""
    stated: set[str | None] = set()
    for row in rows:
        if isinstance(row, dict):
            stated.update(map(usual_meaning, row))
    facts: dict[str, Cell] = {}
    for name, value in document.items():
        meaning = usual_meaning(name)
        is_fact = meaning in _FACTS and isinstance(value, str) and bool(value.strip())
        if is_fact and meaning not in stated:
            facts[name] = value
    return facts


def _note_other_keys(table: TableFile, document: Mapping[str, Any], keys: Sequence[str]) -> None:
    """Note the contents of a document other than the rows of its table and their facts."""
    other_keys = [name for name in document if name not in keys]
    if other_keys:
        shown_keys = listed(map(one_line, other_keys))
        table.notes.append(f"left out: the keys other than `{keys[0]}`: {shown_keys}")
    table.is_part = len(keys) > 1 or other_keys not in ([], ["schema"])


def _key_of_rows(document: Mapping[str, Any], asked: AskedColumns) -> str | None:
    """Return the key under which an object contains its rows; None if it is unclear.

    The rows are a list, or an object that names each row. An object that itself names a task and
    its reward is a row, unless the list has a usual name for rows.
    """
    keys = [key for key, value in document.items() if _is_list_of_objects(value)]
    for key in _LIST_KEYS:
        if key in keys or (not keys and _is_object_of_objects(document.get(key))):
            return key
    is_row = score_header([*document], asked) == SURE
    return keys[0] if len(keys) == 1 and not is_row else None


def _is_list_of_objects(value: object) -> bool:
    """Return whether a value is a non-empty list that contains only objects."""
    return isinstance(value, list) and set(map(type, value)) == {dict}


def _is_object_of_objects(value: object) -> bool:
    """Return whether a value is a non-empty object that contains only objects."""
    return isinstance(value, dict) and set(map(type, value.values())) == {dict}


def _are_alike(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether more than half of the objects have the same key, as rows of a table do."""
    counts = Counter(chain.from_iterable(rows))
    return max(counts.values(), default=0) > len(rows) / 2


def _chunks_of_objects(
    table: TableFile, document: Mapping[str, Mapping[str, Any]], asked: AskedColumns
) -> Iterator[Chunk]:
    """Yield the rows of an object of objects: an object for each column, or for each row.

    The keys that do not name columns name the rows; they become a column without a name.
    """
    inner_keys = [*dict.fromkeys(chain.from_iterable(document.values()))]
    columns: dict[str, list[Cell]]
    if score_header([*document], asked) >= score_header(inner_keys, asked):
        columns = {"": [*inner_keys]}
        for name, cells in document.items():
            columns[name] = [cells.get(key) for key in inner_keys]
    else:
        columns = {"": [*document]}
        for name in inner_keys:
            columns[name] = [row.get(name) for row in document.values()]
    yield from _chunks_of_columns(table, columns)


def _chunks_of_columns(table: TableFile, columns: Mapping[str, Sequence[Cell]]) -> Iterator[Chunk]:
    """Yield the rows of a table that is stored by column.

    Raises:
        ProblemsError: The columns have different lengths.
    """
    lengths = set(map(len, columns.values()))
    if len(lengths) > 1:
        raise table.error(rules.SYNTAX, None, "the columns have different numbers of cells")
    (length,) = lengths
    names = [*map(clean_name, columns)]
    for start in range(0, length, CHUNK_ROWS):
        end = min(length, start + CHUNK_ROWS)
        cells = [column[start:end] for column in columns.values()]
        yield Chunk(names, range(start + 1, end + 1), cells)


def _record_chunks(records: NumberedRecords, asked: AskedColumns) -> Iterator[Chunk]:
    """Yield objects as chunks; each key of any object is a column.

    If the user gives a name with dots, it may refer to a value in nested objects: `metrics.score`.
    """
    paths = {name: name.split(".") for name in sorted(asked.names) if "." in name}
    names: dict[str, None] = dict.fromkeys(paths)
    size = SAMPLE_ROWS
    while numbered := list(islice(records, size)):
        size = CHUNK_ROWS
        lines = [number for number, _ in numbered]
        rows = [record for _, record in numbered]
        for row in rows:
            if row.keys() - names.keys():
                names.update(dict.fromkeys(row))
        columns = []
        for name in names:
            if name in paths:
                columns.append([_inner(row, name, paths[name]) for row in rows])
            else:
                columns.append([row.get(name) for row in rows])
        yield Chunk([*map(clean_name, names)], lines, columns)


def _inner(record: Record, name: str, path: Sequence[str]) -> Cell:
    """Return the value of a key, or else the value in nested objects; None if it is missing."""
    if name in record:
        return record[name]
    value: Any = record
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    inner: Cell = value
    return inner
