"""Finds the files of promptfoo in a source and reads them, each as one evaluation."""

import re
from collections.abc import Iterator
from pathlib import Path

from sitegen.importers.kit.report import Report
from sitegen.importers.kit.tree import Tree
from sitegen.importers.promptfoo.csv_results import is_csv_of_promptfoo, read_csv_results
from sitegen.importers.promptfoo.json_results import read_json_lines, read_json_results
from sitegen.importers.promptfoo.records import ResultFile
from sitegen.reading.files import read_head

_LOOKED_AT = 256 * 1024
"""Bytes at the beginning of a file that tell whether it is one."""

_SUFFIXES = (".json", ".jsonl", ".csv")

_TELLING = (
    b'"gradingResult"',
    b'"namedScores"',
    b'"testPassCount"',
    b'"promptIdx"',
    b'"failureReason"',
)
"""Keys of results, one of which stands near the beginning of a file."""


def find_files(tree: Tree) -> Iterator[Path]:
    """Yield the files of a source that promptfoo wrote, in the order of their names."""
    for folder in tree.walk():
        tree.pass_over_archives(folder)
        for name in folder.files:
            if name.lower().endswith(_SUFFIXES) and is_result_file(folder.path / name):
                yield folder.path / name


def is_result_file(path: Path) -> bool:
    """Return whether promptfoo wrote a file, as its beginning tells."""
    head = (read_head(path, _LOOKED_AT) or b"").lstrip(b"\xef\xbb\xbf \t\r\n")
    suffix = path.suffix.lower()
    if suffix == ".csv":
        return is_csv_of_promptfoo(head.decode(errors="replace"))
    if not head.startswith(b"{"):
        return False
    is_told = any(key in head for key in _TELLING)
    if suffix == ".jsonl":
        return is_told and b'"testIdx"' in head and b'"success"' in head
    # A file of an evaluation without results is one, too.
    is_evaluation = re.match(rb'\{\s*"evalId"', head) is not None
    return b'"results"' in head and (is_told or is_evaluation) and b'"eval"' not in head[:2000]


def read_file(path: Path, report: Report) -> ResultFile | None:
    """Read an evaluation; None where it can't be read, which the report says."""
    suffix = path.suffix.lower()
    if suffix == ".csv":
        return read_csv_results(path, report)
    return read_json_lines(path, report) if suffix == ".jsonl" else read_json_results(path, report)
