"""Scores as Parquet, for those who want columns with types. Needs the extra `parquet`: the only place that knows it."""

import io
from collections.abc import Iterable

from sitegen.board.board import Board
from sitegen.board.columns import score_columns
from sitegen.board.entry import Entry


def scores_parquet(rows: Iterable[tuple[Board, Entry]]) -> bytes:
    """Give the lines and columns of `scores_csv`: numbers as 64-bit floats, places as integers, gaps as nulls."""
    import pyarrow as pa  # noqa: PLC0415 - an extra, which is only there where somebody wants Parquet
    from pyarrow import parquet  # noqa: PLC0415 - as above

    kinds = {"text": pa.string(), "count": pa.int64(), "number": pa.float64()}
    columns = {column.name: pa.array(column.values, kinds[column.kind]) for column in score_columns(rows)}
    made = io.BytesIO()
    parquet.write_table(pa.table(columns), made)
    return made.getvalue()
