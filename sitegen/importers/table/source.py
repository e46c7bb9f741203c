"""Import a table with a row for each round, task or agent, written by any runner."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from shlex import quote

from sitegen.importers.kit.agents import check_asked_for
from sitegen.importers.kit.drafts import day_in, day_of
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.options import Format, ImportOptions
from sitegen.importers.kit.redaction import one_line, redact_text
from sitegen.importers.kit.rewards import is_error_measure
from sitegen.importers.kit.rounds import GapRules, ImportSource
from sitegen.importers.kit.rules import AGENT_TWICE, LEFT_OUT
from sitegen.importers.kit.tree import SourceTree
from sitegen.importers.table import rules
from sitegen.importers.table.agents import TableAgents
from sitegen.importers.table.assembly import Assembly
from sitegen.importers.table.attempts import (
    find_attempt_columns,
    find_attempt_list,
    holds_lists,
    split_attempts,
    split_list,
)
from sitegen.importers.table.cells import CellReader, have_decimal_ids
from sitegen.importers.table.columns import (
    COLUMNS,
    AskedColumns,
    ColumnMap,
    Wide,
    map_columns,
    parse_column_options,
    plain_name,
    usual_meaning,
)
from sitegen.importers.table.files import KINDS, MORE_KINDS, file_kind, open_table
from sitegen.importers.table.metric_column import choose_metric, note_error_measure
from sitegen.importers.table.reported import find_metric_columns, read_reported
from sitegen.importers.table.rows import TableRows
from sitegen.importers.table.tables import Chunk, TableFile
from sitegen.importers.table.values import (
    Cell,
    NumberStyle,
    has_decimal_comma,
    is_verdict,
    present_cells,
)
from sitegen.importers.table.wide import long_chunks
from sitegen.models.benchmark import BESIDE_SUBMISSIONS, Protocol
from sitegen.models.incoming import Incoming
from sitegen.models.record import is_slug
from sitegen.problems import ProblemsError, UsageError, agreeing, counted, listed
from sitegen.reading.collector import collector_off

_UNFITTING = {
    "date": "whose times are not written as 2026-09-14 10:30",
    "agent_seconds": "whose unit is unknown; write `90 s` or `0:01:30`, or name it `duration_s`",
}
"""The reason why a column with a known name is left out, by the column's meaning."""

_INSPECT_COLUMNS = frozenset({"eval_id", "log"})
"""Columns that Inspect's data frames of runs and of samples have."""

_LIST_FIX = (
    "if the items of each list are attempts, pass `--runs attempts`; if they are test cases, name "
    "the column that says whether the task is solved: `--column reward=NAME`"
)

_GAPS = GapRules(
    rules.RUN_MISSING, rules.RUN_UNREACHED, rules.ROUND_MISSING, rules.ROUNDS_UNREACHED
)


def read_table(  # noqa: PLR0913 - its options are passed by name
    file: Path,
    options: ImportOptions,
    protocol: Protocol | None = None,
    *,
    column: Sequence[str] = (),
    label: Sequence[str] = (),
    wide: Wide | None = None,
) -> Incoming:
    """Read a table of results.

    A table has a row for each round of each run, and every agent becomes a bundle. Each task has as
    many rounds as on the track or in the longest run. Rounds without a row at the end of a run are
    unreached; all other rounds must have a row. A table with a row for each agent, and metrics of
    the benchmark in its columns, is a published table.

    Args:
        file: CSV, TSV, JSON, JSON Lines, Parquet or Excel, optionally compressed with gzip.
        options: How to read the table, and where to add the results.
        protocol: How rounds follow each other; None for the track's protocol, which is a chain if
            the track is new.
        column: The meanings of columns, as OURS=THEIRS.
        label: Columns with labels of the tasks.
        wide: What a row represents, in a table with a column for each task or agent.

    Raises:
        ProblemsError: The table can't be used in its present form.
        UsageError: An option names something that the table does not have.
    """
    asked = parse_column_options(column, label, wide, options.known_metrics)
    log = ImportLog(file)
    table = open_table(file, asked)
    if wide is not None:
        table.chunks = long_chunks(table, table.chunks, asked, wide)
        asked = AskedColumns(labels=asked.labels)
    first = next(table.chunks, None)
    if first is None:
        raise table.error(rules.EMPTY, None, f"{file.name} has no row")
    _check_data_frame(table, first, asked)
    columns = map_columns(first.names, first.columns, asked)
    note_error_measure(table, asked.named.get("reward", ""))
    first, columns = _split_attempts(table, first, columns, asked)
    first, columns = _split_list(table, first, columns, asked, options)
    _check_scales(columns, options)
    reader = CellReader(table, log, columns, _number_style(table, columns, first), options.scale)
    if "task" in columns.numbers:
        reader.has_decimal_ids = have_decimal_ids(first.columns[columns.numbers["task"]])
    chunks = choose_metric(table, chain([first], table.chunks), columns, options.metric)
    metrics = {} if wide else find_metric_columns(columns, asked, options.known_metrics)
    if metrics:
        return read_reported(reader, chunks, metrics, options)
    _check_columns(reader, first, options)
    return _read_rounds(reader, chunks, options, protocol)


def recognise(tree: SourceTree) -> str | None:
    """Return a phrase that names the task and reward columns of a table; None for other files."""
    if file_kind(tree.root) not in KINDS | MORE_KINDS:
        return None
    try:
        table = open_table(tree.root, AskedColumns())
        first = next(table.chunks, None)
        if first is None or table.is_part:  # other formats have such documents as well
            return None
        _check_data_frame(table, first, AskedColumns())
        columns = map_columns(first.names, first.columns, AskedColumns())
    except (ProblemsError, UsageError):
        return None
    if "task" not in columns.numbers or not _has_reward(columns):
        return None
    rewards = columns.name_of("reward") if "reward" in columns.numbers else "passed"
    return f"the columns `{columns.name_of('task')}` and `{rewards}`"


FORMAT = Format(
    read_table,
    "main",
    extras=frozenset({"protocol", "column", "label", "wide", "metric", "scale", "runs", "pick"}),
    is_file=True,
    recognise=recognise,
)


def _split_attempts(
    table: TableFile, first: Chunk, columns: ColumnMap, asked: AskedColumns
) -> tuple[Chunk, ColumnMap]:
    """Return the first rows and their columns, with a row for each attempt.

    If several columns each contain an attempt, later rows of the table are also split.
    """
    attempts = {} if asked.wide else find_attempt_columns(columns, first.columns)
    if not attempts:
        return first, columns
    names = listed([f"`{one_line(first.names[number])}`" for number in attempts])
    table.assumptions.append(f"each of the columns {names} contains one attempt")
    first = split_attempts(first, attempts)
    table.chunks = map(partial(split_attempts, attempts=attempts), table.chunks)
    return first, map_columns(first.names, first.columns, asked)


def _split_list(
    table: TableFile,
    first: Chunk,
    columns: ColumnMap,
    asked: AskedColumns,
    options: ImportOptions,
) -> tuple[Chunk, ColumnMap]:
    """Return the first rows and their columns, with a row for each attempt in a list.

    The user has to say that the items of a list are attempts, since they could be test cases.

    Raises:
        ProblemsError: The rewards are lists, and the meaning of their items is unclear.
    """
    left_out: list[int] = []
    number = None if asked.wide or "reward" in asked.named else find_attempt_list(columns)
    if number is not None and holds_lists(first.columns[number]):
        names = map(plain_name, first.names)
        left_out = [position for position, name in enumerate(names) if name == "pass_1"]
    else:
        number = columns.numbers.get("reward")
        if number is None or not holds_lists(first.columns[number]):
            return first, columns
        if options.runs != "attempts":
            message = f"`{one_line(first.names[number])}` contains lists of rewards"
            raise table.error(rules.COLUMN_MISSING, None, message, _LIST_FIX)
    name = one_line(first.names[number])
    table.assumptions.append(f"each item of a list in `{name}` is an attempt")
    for rival in left_out:
        table.notes.append(
            f"left out: the column `{one_line(first.names[rival])}`, in favour of `{name}`"
        )
    split = partial(split_list, list_number=number, left_out=left_out)
    table.chunks = map(split, table.chunks)
    first = split(first)
    named = {meaning: own for meaning, own in asked.named.items() if meaning != "reward"}
    return first, map_columns(first.names, first.columns, asked._replace(named=named))


def _check_data_frame(table: TableFile, first: Chunk, asked: AskedColumns) -> None:
    """Check that a table is not a data frame of Inspect's logs, unless the user names its columns.

    Usual names of columns have other meanings there: `task_id` and `sample_id` differ in every run,
    and `status` is the state in which the run ended.

    Raises:
        ProblemsError: The table is a data frame of runs or samples.
    """
    if not _INSPECT_COLUMNS.issubset(first.names) or asked.named.keys() >= {"task", "reward"}:
        return
    message = "the table is a data frame of Inspect, whose ids differ in every run"
    raise table.error(rules.DATA_FRAME, None, message)


def _check_scales(columns: ColumnMap, options: ImportOptions) -> None:
    """Check that the table and `--scale` do not both state the largest possible reward.

    Raises:
        UsageError: Both state it.
    """
    if options.scale is None or "max_reward" not in columns.numbers:
        return
    name = one_line(columns.name_of("max_reward"))
    raise UsageError(
        f"the column `{name}` states the largest reward of each row: leave out `--scale`, or the "
        f"column with `--column ignore={name}`"
    )


def _number_style(table: TableFile, columns: ColumnMap, sample: Chunk) -> NumberStyle:
    """Return the style in which a table writes numbers, judging by its first rows."""
    cells = []
    for meaning, number in columns.numbers.items():
        if COLUMNS[meaning].kind not in {"text", "json"}:
            cells.append(sample.columns[number])
    if not has_decimal_comma(cells, table.delimiter):
        return NumberStyle()
    table.assumptions.append("numbers have a decimal comma")
    return NumberStyle(has_decimal_comma=True)


def _has_reward(columns: ColumnMap) -> bool:
    return "reward" in columns.numbers or {"passed", "total"} <= columns.numbers.keys()


def _check_columns(reader: CellReader, sample: Chunk, options: ImportOptions) -> None:
    """Check that columns state the task of a row and how the round ended.

    Raises:
        ProblemsError: The table lacks such a column, or has it twice.
    """
    columns = reader.columns
    missing = [] if "task" in columns.numbers else ["task"]
    if not _has_reward(columns):
        missing.append("reward")
    if missing:
        raise _missing_columns(reader, sample, missing, options)
    used = {*columns.numbers.values(), *columns.labels.values()}
    names = dict.fromkeys(columns.names[number] for number in used)
    repeated_names = [name for name in names if columns.names.count(name) > 1]
    if repeated_names:
        message = f"columns occur twice: {listed(repeated_names)}"
        raise reader.table.error(rules.COLUMN_TWICE, None, message)


def _missing_columns(
    reader: CellReader, sample: Chunk, missing: Sequence[str], options: ImportOptions
) -> ProblemsError:
    """Return the error for a table without a column for the task or the reward.

    A table whose other columns could contain rewards may be a wide table.
    """
    columns = reader.columns
    message = f"the table has no column for {' or '.join(missing)}"
    numbers = [number for number in columns.unused() if _holds_verdicts(sample.columns[number])]
    results = [columns.names[number] for number in numbers]
    has_names = not columns.numbers.keys().isdisjoint({"task", "agent", "model"})
    if "reward" in missing and results and (has_names or len(results) > 1):
        message = f"{message}, but these columns could contain rewards: {listed(results)}"
        fix = _wide_fix(results, has_tasks="task" in columns.numbers)
        if "task" in missing and has_names:
            fix = f"{fix or rules.WIDE.fix}; {_published_fix(results[0], options)}"
        return reader.table.error(rules.WIDE, None, message, fix)
    names = [name for name in _names_inside(sample) if name]
    shown_names = listed([f"`{name}`" for name in names], 50)
    message = f"{message}; its columns are {shown_names}"
    fix = None
    inner_rewards = [name for name in names if usual_meaning(name.rpartition(".")[2]) == "reward"]
    if "reward" in missing and inner_rewards:
        fix = f"name the column, for example `--column reward={one_line(inner_rewards[0])}`"
    elif has_names and "task" in missing and "reward" in columns.numbers:
        published_fix = _published_fix(columns.name_of("reward"), options)
        fix = f"{rules.COLUMN_MISSING.fix}; {published_fix}"
    return reader.table.error(rules.COLUMN_MISSING, None, message, fix)


def _published_fix(score: str, options: ImportOptions) -> str:
    """Return the fix for a table in which a row is an agent's overall score."""
    metric = "resolved" if "resolved" in options.known_metrics else "METRIC"
    example = f"`--column {metric}={one_line(score)}`"
    return f"if each row is the overall score of an agent, name its metric, for example {example}"


def _wide_fix(results: Sequence[str], *, has_tasks: bool) -> str | None:
    """Return the fix if one column could contain rewards; None for the default fix."""
    if len(results) > 1 or not has_tasks:
        return None
    name = one_line(results[0])
    if is_error_measure(name):
        return f"`{name}` is higher for worse results: add a column that is higher for better ones"
    as_reward = f"if the column contains the reward, pass `--column reward={name}`"
    return f"{as_reward}; if it is an agent: `--wide tasks`"


def _names_inside(sample: Chunk) -> Iterator[str]:
    """Yield the names of columns; for a column of objects, `NAME.KEY` for each of their keys."""
    for name, cells in zip(sample.names, sample.columns, strict=True):
        objects = [cell for cell in cells if isinstance(cell, dict)]
        if not objects:
            yield name
        for key in dict.fromkeys(chain.from_iterable(objects)):
            yield f"{name}.{key}"


def _holds_verdicts(cells: Iterable[Cell]) -> bool:
    """Return whether at least one cell is known and all known cells could be rewards."""
    present = present_cells(cells)
    return bool(present) and all(map(is_verdict, present))


def _read_rounds(
    reader: CellReader, chunks: Iterator[Chunk], options: ImportOptions, protocol: Protocol | None
) -> Incoming:
    """Read a table with a row for each round."""
    log = reader.log
    rows = _collect_rows(reader, chunks, options)
    _report_columns(reader, options)
    _report_labels(rows, options)
    rows.check_asked_tasks()
    agents = rows.agents
    names = dict.fromkeys(entrant.name for entrant in agents.entrants)
    check_asked_for(names, agents.models, options)
    if not len(rows):
        log.stop_at_errors()
        raise reader.table.error(rules.EMPTY, None, f"{log.root.name} has no rows")
    track_protocol = options.existing_track.protocol if options.existing_track else "chain"
    source = ImportSource(
        log,
        protocol=protocol or track_protocol,
        gaps=_GAPS,
        twice=AGENT_TWICE,
        has_picked_tasks=True,
        has_ids=all(map(_is_id, rows.rounds.task_names)),
        lasting_axes=list(rows.labels),
    )
    source.labels.update(_labels(rows))
    source.runs = [*Assembly(rows, source, options).runs()]
    _set_days(source, rows, options)
    size = counted(len(rows), "row")
    log.notes.append(f"read {size} of {counted(len(source.runs), 'agent')}")
    if agents.skipped_rows:
        skipped = counted(agents.skipped_rows, "row")
        log.notes.append(f"{skipped} skipped: they belong to other models")
    return source.imported(options)


def _set_days(source: ImportSource, rows: TableRows, options: ImportOptions) -> None:
    """Set the day of each run: `--date`, the day in a name, the last day in the table, or today."""
    log = source.log
    names = (log.root.name, log.root.resolve().parent.name)
    days = {number: day for number, day in rows.days.items() if day <= options.today}
    entrants = rows.agents.entrants
    if options.date is None and not any(map(day_in, names)) and len(days) == len(entrants):
        for run in source.runs:
            run.day = days[entrants.index(run.entrant)]
        column = one_line(rows.reader.columns.name_of("date"))
        log.assume(f"each agent's results have the date of its last day in `{column}`")
        return
    day = day_of(log, options, "a name", *names)
    for run in source.runs:
        run.day = day


def _collect_rows(reader: CellReader, chunks: Iterator[Chunk], options: ImportOptions) -> TableRows:
    """Return the requested rows of a table."""
    rows = TableRows(reader, TableAgents(options), options)
    with collector_off():
        for chunk in chunks:
            reader.columns.extend(chunk.names)
            rows.add_chunk(chunk)
    return rows


def _is_id(name: str) -> bool:
    """Return whether a task can keep its name as its id."""
    return is_slug(name) and name not in BESIDE_SUBMISSIONS and redact_text(name) == name


def _labels(rows: TableRows) -> dict[str, dict[str, str]]:
    """Return the labels of tasks, keyed by task name and then by axis."""
    labels: dict[str, dict[str, str]] = {}
    for axis, values in rows.labels.items():
        for task, value in values.items():
            labels.setdefault(task, {})[axis] = value
    return labels


def _report_labels(rows: TableRows, options: ImportOptions) -> None:
    """Note which labels of a table are not copied, because the tasks already exist."""
    if options.existing_track is None:
        return
    existing = options.existing_track
    log = rows.reader.log
    for axis, labels in rows.labels.items():
        missing = []
        differing = []
        for name, label in labels.items():
            task_id = existing.titles.get(name, name)
            task_labels = existing.labels.get(task_id)
            if task_labels is None or task_labels.get(axis) == label:
                continue
            if axis in task_labels:
                differing.append(f'{task_id} has "{one_line(task_labels[axis])}"')
            else:
                missing.append(task_id)
        command = _label_command(log, options, axis)
        if missing:
            tasks = counted(len(missing), "task")
            has = agreeing(len(missing), "has", "have")
            log.notes.append(
                f"`{axis}`: {tasks} of the track {has} no label, and an import leaves existing "
                f"tasks as they are; {command} adds the labels"
            )
        if differing:
            tasks = counted(len(differing), "task")
            has = agreeing(len(differing), "has", "have")
            log.notes.append(
                f"`{axis}`: {tasks} of the track {has} a different label, which stays: "
                f"{listed(differing, 3)}; {command} with --replace changes the labels"
            )


def _label_command(log: ImportLog, options: ImportOptions, axis: str) -> str:
    """Return the command that copies a column of the table as labels to existing tasks."""
    table = one_line(quote(str(log.root)))
    return f"`sitegen label {table} --benchmark {options.benchmark} --label {axis}`"


def _axis_note(log: ImportLog, options: ImportOptions, axis: str) -> str:
    """Return the note on a column that is not used, although it has the name of an axis."""
    note = f"left out: the column `{axis}`, which is an axis of {options.benchmark}: "
    if options.existing_track and options.existing_track.labels:
        return note + (
            f"the tasks keep their labels, and {_label_command(log, options, axis)} adds missing "
            "ones"
        )
    return note + f"`--label {axis}` copies it to the new tasks"


def _report_columns(reader: CellReader, options: ImportOptions) -> None:
    """Report the meanings of columns, unused columns, and unusable cells."""
    columns = reader.columns
    table = reader.table
    log = reader.log
    log.notes += table.notes
    for assumption in (*table.assumptions, *columns.assumptions):
        log.assume(one_line(assumption))
    renamed = []
    for meaning, number in columns.numbers.items():
        name = one_line(columns.names[number])
        if name and name != meaning:
            renamed.append(f"{meaning} is `{name}`")
    if renamed:
        log.notes.append(f"columns: {', '.join(renamed)}")
    if columns.rivals:
        rivals = [f"`{one_line(columns.names[number])}`" for number in columns.rivals]
        log.notes.append(f"the columns {listed(rivals)} agree with the reward")
    unused = []
    for number in columns.unused():
        name = columns.names[number]
        meaning = usual_meaning(name) or ""
        if plain_name(name) in options.axes:
            log.notes.append(_axis_note(log, options, plain_name(name)))
        elif meaning in _UNFITTING and meaning not in columns.numbers:
            shown_name = f"`{one_line(name)}`"
            log.notes.append(f"left out: the column {shown_name}, {_UNFITTING[meaning]}")
        else:
            unused.append(f"`{one_line(name)}`")
    if unused:
        nouns = agreeing(len(unused), "column", "columns")
        names_are = agreeing(len(unused), "name is", "names are")
        reason = (
            f"whose {names_are} not recognised; use `--column` to say what a column means, "
            "or `--label` to label the tasks with it"
        )
        log.notes.append(f"left out: the {nouns} {listed(unused, 20)}, {reason}")
    for meaning, (line, value, count) in reader.unusable.items():
        name = one_line(columns.name_of(meaning))
        example = f"{value} in {table.row_noun} {line}"
        message = (
            f"`{name}` of {counted(count, 'row')}, such as {example}: not a number of at least 0"
        )
        log.add_with_caveat(LEFT_OUT, log.root, message, None, message)
