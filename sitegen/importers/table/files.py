"""Open a table in a file of any supported kind."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from sitegen.importers.kit.rules import CUT_OFF, SOURCE_BROKEN
from sitegen.importers.table import rules
from sitegen.importers.table.columns import AskedColumns
from sitegen.importers.table.json_files import json_table
from sitegen.importers.table.markdown_files import has_markdown_table, markdown_table
from sitegen.importers.table.tables import Chunk, TableFile
from sitegen.importers.table.text_files import text_table
from sitegen.problems import ProblemsError, Rule
from sitegen.reading.streams import CutOffError, NotTextError, text_format, unpacked_head

PARQUET_MARK = b"PAR1"
EXCEL_MARK = b"PK\x03\x04"
OLD_EXCEL_MARK = b"\xd0\xcf\x11\xe0"
_OTHER_PACKERS = {
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"7z\xbc\xaf": "7z",
}

KINDS = frozenset({".csv", ".tsv", ".json", ".jsonl", ".parquet", ".xlsx"})
"""Usual file name extensions of tables, before `.gz`."""
MORE_KINDS = frozenset({".ndjson", ".tab", ".txt", ".psv", ".md", ".markdown", ".pq", ".xlsm"})
"""Other extensions of the same kinds of files."""
_JSON_KINDS = frozenset({".json", ".jsonl", ".ndjson"})
_MARKDOWN_KINDS = frozenset({".md", ".markdown"})


def file_kind(path: Path) -> str:
    """Return the extension of a file's name in lower case, without `.gz`."""
    name = path.name.lower().removesuffix(".gz")
    return Path(name).suffix


def open_table(path: Path, asked: AskedColumns) -> TableFile:
    """Return the table in a file. The file's contents, not its name, determine how it is read.

    Raises:
        ProblemsError: The file is of an unknown kind, is truncated, or can't be opened.
    """
    kind = file_kind(path)
    if not path.is_file() or kind not in KINDS | MORE_KINDS:
        kinds = ", ".join(sorted(KINDS))
        message = f"{path.name} is not a file, or its name does not end with one of {kinds}"
        raise _problem(rules.FORMAT, path, message)
    head = unpacked_head(path, 8)
    if head.startswith(OLD_EXCEL_MARK):
        message = f"{path.name} is in the old .xls format or has a password"
        fix = "save it as .xlsx without a password, or as .csv"
        raise _problem(rules.FORMAT, path, message, fix)
    for mark, packer in _OTHER_PACKERS.items():
        if head.startswith(mark):
            message = f"{path.name} is packed with {packer}"
            raise _problem(rules.FORMAT, path, message, "unpack it first")
    if head.startswith(PARQUET_MARK):
        table: TableFile = _loaded("parquet_files").parquet_table(path, asked)
    elif head.startswith(EXCEL_MARK):
        table = _loaded("excel_files").excel_table(path, asked)
    else:
        table = _text_table(path, kind, asked)
    table.chunks = _to_the_end(table, table.chunks)
    return table


def _loaded(name: str) -> Any:  # noqa: ANN401 - a module
    """Return a module of this package, loaded only when needed because its library loads slowly."""
    return import_module(f"sitegen.importers.table.{name}")


def _to_the_end(table: TableFile, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
    """Yield the chunks of a table, and convert errors of its stream.

    Raises:
        ProblemsError: Its compressed file is truncated or broken.
    """
    try:
        yield from chunks
    except CutOffError as error:
        raise table.error(CUT_OFF, None, str(error)) from error
    except NotTextError as error:
        raise table.error(SOURCE_BROKEN, None, str(error)) from error


def _text_table(path: Path, kind: str, asked: AskedColumns) -> TableFile:
    """Return the table in a text file: JSON, Markdown or delimited text."""
    if kind in {".parquet", ".pq", ".xlsx", ".xlsm"}:
        message = f"{path.name} does not begin like a file of its kind"
        raise _problem(SOURCE_BROKEN, path, message)
    try:
        text = text_format(path)
    except CutOffError as error:
        raise _problem(CUT_OFF, path, str(error)) from error
    except NotTextError as error:
        raise _problem(rules.FORMAT, path, str(error)) from error
    first = text.head.lstrip("\ufeff \t\r\n")[:1]
    is_json = first in {"{", "["}
    if kind in _JSON_KINDS and first and not is_json:
        raise _problem(rules.FORMAT, path, f"{path.name} begins with {first!r}, so it is not JSON")
    if kind in _JSON_KINDS or (is_json and kind == ".txt"):
        return json_table(path, text, asked)
    if kind in _MARKDOWN_KINDS or has_markdown_table(text.head):
        return markdown_table(path, text, asked)
    return text_table(path, text, asked)


def _problem(rule: Rule, path: Path, message: str, fix: str | None = None) -> ProblemsError:
    """Return the error for a file that can't be read as a table."""
    return ProblemsError([rule.broken(path, None, message, fix)])
