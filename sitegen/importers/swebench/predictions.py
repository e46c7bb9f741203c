"""Files of predictions: the models' own names, and which predictions there were."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.importers.kit.stream import pick
from sitegen.importers.kit.tree import Folder
from sitegen.importers.swebench.json_files import head_of
from sitegen.problems import ProblemsError
from sitegen.reading.files import LARGEST_SOURCE, MEGABYTE, opened

_MODEL, _INSTANCE, _PATCH = "model_name_or_path", "instance_id", "model_patch"
_OTHER_FILES = frozenset({"report.json", "run.json", "status.json"})
"""Files of which there is one for each instance or run, and that hold no predictions."""
_LONGEST_LINE = 64 * MEGABYTE


@dataclass(slots=True)
class Predictions:
    """The predictions of one model in one file."""

    path: Path
    model: str
    has_patch: dict[str, bool] = field(default_factory=dict)
    """By instance, whether its last prediction has a patch; None and "" are no patches."""
    repeated: list[str] = field(default_factory=list)
    """Instances with several predictions: the harness evaluates the last one."""

    @property
    def folder_name(self) -> str:
        """The model as the harness calls folders and summaries after it."""
        return self.model.replace("/", "__")


@dataclass(frozen=True, slots=True)
class PredictionFile:
    """What a file of predictions holds."""

    models: Sequence[Predictions]
    fault: str = ""
    """What is wrong with the file, to follow its name; empty where nothing is."""
    is_cut: bool = False
    """Whether the file ends inside of a prediction."""


def find_predictions(folders: Iterable[Folder]) -> Iterator[Path]:
    """Yield the files of predictions in some folders."""
    for folder in folders:
        for name in folder.files:
            path = folder.path / name
            if name in _OTHER_FILES:
                continue
            if path.suffix in {".json", ".jsonl"} and f'"{_MODEL}"' in head_of(path, MEGABYTE):
                yield path


def read_predictions(path: Path) -> PredictionFile:
    """Read a file of predictions: JSON Lines, a list, or an object by instance."""
    is_cut = False
    if path.suffix == ".jsonl":
        rows, fault, is_cut = _lines_of(path)
    else:
        rows, fault = _values_of(path)
    models: dict[str, Predictions] = {}
    for row in rows:
        instance = row.get(_INSTANCE)
        if not isinstance(instance, str) or not instance.strip():
            fault = fault or f"has a prediction without `{_INSTANCE}`"
            continue
        name = row.get(_MODEL)
        model = name if isinstance(name, str) else ""
        predictions = models.setdefault(model, Predictions(path, model))
        if instance in predictions.has_patch:
            predictions.repeated.append(instance)
        predictions.has_patch[instance] = bool(row.get(_PATCH))
    return PredictionFile(list(models.values()), fault, is_cut)


def _lines_of(path: Path) -> tuple[list[dict[str, object]], str, bool]:
    """Return the objects of JSON Lines, what is wrong with them, and whether the file is cut off."""
    rows: list[dict[str, object]] = []
    bad_lines = []
    line = b""
    number = 0
    try:
        with opened(path, largest=LARGEST_SOURCE) as file:
            while next_line := file.readline(_LONGEST_LINE):
                line = next_line
                number += 1
                row = _row_of(line) if line.strip() else {}
                if row is None:
                    bad_lines.append(number)
                elif row:
                    rows.append(row)
    except ProblemsError as error:
        return rows, f"can't be read: {error.problems[0].what}", False
    if bad_lines == [number] and not line.endswith(b"\n"):
        return rows, "is cut off", True
    if bad_lines:
        return rows, f"has a line that is no prediction (line {bad_lines[0]})", False
    return rows, "", False


def _row_of(line: bytes) -> dict[str, object] | None:
    """Return what is needed of a prediction, or None where a line is none."""
    try:
        value = json.loads(line.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    return {
        _INSTANCE: value.get(_INSTANCE),
        _MODEL: value.get(_MODEL),
        _PATCH: bool(value.get(_PATCH)),
    }


def _values_of(path: Path) -> tuple[list[dict[str, object]], str]:
    """Return the predictions of a JSON file, and what is wrong with it."""
    shape = dict.fromkeys((_INSTANCE, _MODEL, _PATCH))
    is_list = head_of(path, 1024).lstrip("\ufeff \t\r\n").startswith("[")
    contents, problems = pick(path, shape if is_list else {"*": shape})
    if problems:
        return [], f"can't be read: {problems[0].what}"
    rows: list[dict[str, object]] = []
    if isinstance(contents, list):
        rows = [row for row in contents if isinstance(row, dict)]
    elif isinstance(contents, dict):
        for instance, row in contents.items():
            if isinstance(row, dict):
                rows.append({_INSTANCE: instance, **row})
    return rows, ""
