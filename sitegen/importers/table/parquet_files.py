"""Read tables in Parquet files, column by column."""

import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rules import CUT_OFF, SOURCE_BROKEN
from sitegen.importers.table.columns import AskedColumns, can_be_needed
from sitegen.importers.table.tables import (
    CHUNK_ROWS,
    SAMPLE_ROWS,
    Chunk,
    TableFile,
    chunk_size,
    clean_name,
)
from sitegen.importers.table.values import Cell, json_cell, shorten_time
from sitegen.reading.streams import opened_stream

MARK = b"PAR1"
"""The first and the last bytes of a Parquet file."""


def parquet_table(path: Path, asked: AskedColumns) -> TableFile:
    """Return the table in a Parquet file."""
    table = TableFile(path, "row")
    table.chunks = _chunks(table, asked)
    return table


def _chunks(table: TableFile, asked: AskedColumns) -> Iterator[Chunk]:
    """Yield the rows of a Parquet file.

    Only the first rows are read with all columns. From later rows, only columns that may be needed
    are read, since columns without a meaning may contain gigabytes of text.

    Raises:
        ProblemsError: The file is truncated, or can't be read.
    """
    with opened_stream(table.path) as stream:
        file = _seekable(stream)
        _check_end(table, file)
        try:
            parquet = pq.ParquetFile(file)
            names = [*parquet.schema_arrow.names]
            needed = {name for name in names if can_be_needed(name, asked)}
            batches = parquet.iter_batches(batch_size=SAMPLE_ROWS, use_threads=False)
            first = next(batches, None)
            if first is None:
                return
            yield _chunk(names, first, 0)
            size = chunk_size(len(needed), CHUNK_ROWS)
            batches = parquet.iter_batches(
                batch_size=size, columns=sorted(needed), use_threads=False
            )
            yield from _later_chunks(names, batches, first.num_rows)
        except (pa.ArrowException, OSError, ValueError) as error:
            message = f"the Parquet file can't be read: {one_line(str(error))}"
            raise table.error(SOURCE_BROKEN, None, message) from error


def _later_chunks(
    names: Sequence[str], batches: Iterable[pa.RecordBatch], sample_rows: int
) -> Iterator[Chunk]:
    """Yield the rows after the sample.

    Args:
        names: The names of all columns.
        batches: All rows of the file, with the needed columns.
        sample_rows: The number of rows in the sample, which are skipped.
    """
    start = 0
    for batch in batches:
        skipped = min(batch.num_rows, max(0, sample_rows - start))
        if skipped < batch.num_rows:
            yield _chunk(names, batch.slice(skipped), start + skipped)
        start += batch.num_rows


def _seekable(stream: io.BufferedIOBase) -> io.BufferedIOBase:
    """Return a seekable stream; a compressed file is decompressed into memory."""
    if isinstance(stream, io.BufferedReader):
        return stream
    return io.BytesIO(stream.read())


def _check_end(table: TableFile, file: io.BufferedIOBase) -> None:
    """Check that a file is complete.

    Raises:
        ProblemsError: The file is not complete.
    """
    file.seek(-min(len(MARK), file.seek(0, io.SEEK_END)), io.SEEK_END)
    end = file.read()
    file.seek(0)
    if end != MARK:
        message = "the Parquet file lacks its end, where its columns are described"
        raise table.error(CUT_OFF, None, message)


def _chunk(names: Sequence[str], batch: pa.RecordBatch, start: int) -> Chunk:
    """Return rows as a chunk; columns that were not read are empty."""
    read_columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    columns: list[Sequence[Cell]] = []
    for name in names:
        column = read_columns.get(name)
        columns.append([None] * batch.num_rows if column is None else _cells(column))
    lines = range(start + 1, start + 1 + batch.num_rows)
    return Chunk([*map(clean_name, names)], lines, columns)


def _plain(column: pa.Array) -> list[Cell]:
    cells: list[Cell] = column.to_pylist()
    return cells


def _cells(column: pa.Array) -> list[Cell]:
    """Return the cells of a column as JSON values."""
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        return _cells(column.storage)
    if pa.types.is_dictionary(kind):
        return _cells(column.dictionary_decode())
    if pa.types.is_decimal(kind) or pa.types.is_float16(kind):
        return _plain(column.cast(pa.float64()))
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind) or pa.types.is_time(kind):
        texts = column.cast(pa.string()).to_pylist()
        return [None if text is None else shorten_time(text) for text in texts]
    if pa.types.is_duration(kind):
        return _plain(column.cast(pa.int64()))
    cells = _plain(column)
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return [json_cell(cell) for cell in cells]
    return cells
