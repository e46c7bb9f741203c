"""Read files of predictions: the names of models, and which instances have a patch."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.importers.kit.stream import pick
from sitegen.importers.kit.tree import Folder
from sitegen.importers.kit.values import mapping_of, mappings_of
from sitegen.importers.swebench.json_files import head_of
from sitegen.problems import ProblemsError
from sitegen.reading.files import LARGEST_SOURCE, MEGABYTE, opened

_MODEL = "model_name_or_path"
_INSTANCE = "instance_id"
_PATCH = "model_patch"
_FILES_WITHOUT_PREDICTIONS = frozenset({"report.json", "run.json", "status.json"})
"""Files of an instance or a run that never contain predictions."""
_MAX_LINE_SIZE = 64 * MEGABYTE


@dataclass(slots=True)
class Predictions:
    """The predictions of one model in one file."""

    path: Path
    model: str
    has_patch: dict[str, bool] = field(default_factory=dict)
    """Whether each instance's last prediction has a patch; None and "" are not patches."""
    repeated: list[str] = field(default_factory=list)
    """Instances with several predictions; the harness evaluates the last prediction."""

    @property
    def folder_name(self) -> str:
        """The model's name as the harness writes it in names of folders and summaries."""
        return self.model.replace("/", "__")


@dataclass(frozen=True, slots=True)
class PredictionFile:
    """The content of a file of predictions."""

    models: Sequence[Predictions]
    fault: str = ""
    """A clause about the fault, to follow the file's name; empty if there is none."""
    is_cut: bool = False
    """Whether the file ends in the middle of a prediction."""


def find_predictions(folders: Iterable[Folder]) -> Iterator[Path]:
    """Yield the files of predictions in the given folders."""
    for folder in folders:
        for name in folder.files:
            path = folder.path / name
            if name in _FILES_WITHOUT_PREDICTIONS or path.suffix not in {".json", ".jsonl"}:
                continue
            if f'"{_MODEL}"' in head_of(path, MEGABYTE):
                yield path


def read_predictions(path: Path) -> PredictionFile:
    """Return the content of a file of predictions: JSON Lines, a list, or an object by instance."""
    rows: Sequence[Mapping[str, object]]
    is_cut = False
    if path.suffix == ".jsonl":
        rows, fault, is_cut = _read_lines(path)
    else:
        rows, fault = _read_json(path)
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


def _read_lines(path: Path) -> tuple[list[dict[str, object]], str, bool]:
    """Return the predictions in JSON Lines, the fault of the file, and whether it is truncated."""
    rows: list[dict[str, object]] = []
    bad_lines = []
    line = b""
    number = 0
    try:
        with opened(path, largest=LARGEST_SOURCE) as file:
            while next_line := file.readline(_MAX_LINE_SIZE):
                line = next_line
                number += 1
                if not line.strip():
                    continue
                row = _prediction_in(line)
                if row is None:
                    bad_lines.append(number)
                else:
                    rows.append(row)
    except ProblemsError as error:
        return rows, f"can't be read: {error.problems[0].what}", False
    if bad_lines == [number] and not line.endswith(b"\n"):
        return rows, "is cut off", True
    if bad_lines:
        return rows, f"has a line that is not a prediction (line {bad_lines[0]})", False
    return rows, "", False


def _prediction_in(line: bytes) -> dict[str, object] | None:
    """Return the prediction in a line, without its patch; None if the line is not a prediction."""
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


def _read_json(path: Path) -> tuple[Sequence[Mapping[str, object]], str]:
    """Return the predictions in a JSON file, and the fault of the file."""
    shape = dict.fromkeys((_INSTANCE, _MODEL, _PATCH))
    is_list = head_of(path, 1024).lstrip("\ufeff \t\r\n").startswith("[")
    content, problems = pick(path, shape if is_list else {"*": shape})
    if problems:
        return [], f"can't be read: {problems[0].what}"
    if isinstance(content, list):
        return mappings_of(content), ""
    rows = []
    for instance, row in mapping_of(content).items():
        if isinstance(row, dict):
            rows.append({_INSTANCE: instance, **row})
    return rows, ""
