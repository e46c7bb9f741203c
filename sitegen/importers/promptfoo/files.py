"""Find promptfoo's files in a source, and read each as one evaluation."""

import re
from collections.abc import Iterator
from pathlib import Path

from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.tree import SourceTree
from sitegen.importers.promptfoo.csv_results import is_csv_of_promptfoo, read_csv_results
from sitegen.importers.promptfoo.json_results import (
    read_json_lines,
    read_json_results,
    read_yaml_results,
)
from sitegen.importers.promptfoo.records import ResultFile
from sitegen.reading.files import read_head

_HEAD_SIZE = 256 * 1024
"""Number of bytes at the beginning of a file from which its format is recognised."""

_OTHER_EXPORT_SIZE = 2000
"""Number of bytes at the beginning of a file in which `"eval"` marks another export format."""

_YAML_SUFFIXES = (".yaml", ".yml", ".txt")
"""Suffixes of YAML; promptfoo also writes YAML to text files."""

_SUFFIXES = (".json", ".jsonl", ".csv", *_YAML_SUFFIXES)

_RESULT_KEYS = (
    b'"gradingResult"',
    b'"namedScores"',
    b'"testPassCount"',
    b'"promptIdx"',
    b'"failureReason"',
)
"""Keys of results, at least one of which occurs near the beginning of a file."""

_EVALUATION_START = re.compile(rb'\{\s*"evalId"')


def find_files(tree: SourceTree) -> Iterator[Path]:
    """Yield the files of a source that promptfoo wrote, in the order of their names."""
    for folder in tree.walk():
        tree.pass_over_archives(folder)
        for name in folder.files:
            if name.lower().endswith(_SUFFIXES) and is_result_file(folder.path / name):
                yield folder.path / name


def is_result_file(path: Path) -> bool:
    """Return whether promptfoo wrote a file, judging by its beginning."""
    head = (read_head(path, _HEAD_SIZE) or b"").lstrip(b"\xef\xbb\xbf \t\r\n")
    suffix = path.suffix.lower()
    if suffix == ".csv":
        return is_csv_of_promptfoo(head.decode(errors="replace"))
    if suffix in _YAML_SUFFIXES:
        return head.startswith(b"evalId:") and b"\nresults:" in head
    if not head.startswith(b"{"):
        return False
    has_results = any(key in head for key in _RESULT_KEYS)
    if suffix == ".jsonl":
        return has_results and b'"testIdx"' in head and b'"success"' in head
    if b'"results"' not in head or b'"eval"' in head[:_OTHER_EXPORT_SIZE]:
        return False
    # An evaluation may have a file without results.
    return has_results or _EVALUATION_START.match(head) is not None


def read_file(path: Path, log: ImportLog) -> ResultFile | None:
    """Return the evaluation in a file; None if it can't be read, which is logged."""
    match path.suffix.lower():
        case ".csv":
            return read_csv_results(path, log)
        case ".jsonl":
            return read_json_lines(path, log)
        case ".yaml" | ".yml" | ".txt":
            return read_yaml_results(path, log)
        case _:
            return read_json_results(path, log)
