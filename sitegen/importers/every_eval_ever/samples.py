"""Read the lines of a record's samples, and check that its aggregate describes them."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from sitegen.importers.every_eval_ever.records import EvaluationRecord
from sitegen.importers.kit import rules
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.lines import read_objects
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.values import score_of
from sitegen.problems import ProblemsError
from sitegen.reading.files import LARGEST_SOURCE, opened

_HASH_ALGORITHMS = frozenset({"sha256", "md5"})


class SampleLine(NamedTuple):
    """A line in a file of samples: one attempt at a sample."""

    number: int
    """The number of the line, from 1."""
    result: str
    """The id of its result, or else the name of the evaluation."""
    has_result_id: bool
    """Whether the line states the id; converters omit the id of a result that they can't read."""
    sample: str
    score: float | None
    """The score; None if the line does not state a finite number."""
    is_correct: bool | None
    error: str
    """The error that ended the attempt; empty if there was no error."""
    metadata: Mapping[str, str]
    figures: Mapping[str, Any]
    """Turns, tokens and seconds, by the field names of `RoundResult`."""


@dataclass(slots=True)
class Samples:
    """The lines in the file of a record's samples."""

    lines: list[SampleLine] = field(default_factory=list)
    lost_lines: list[int] = field(default_factory=list)
    """Numbers of lines that are not samples."""
    foreign_lines: list[int] = field(default_factory=list)
    """Numbers of lines that belong to another record."""
    fault: str = ""
    """A clause that says why the aggregate does not describe these lines; empty if it does."""

    @property
    def result_names(self) -> set[str]:
        """The results that the lines name."""
        return {line.result for line in self.lines}


def read_samples(record: EvaluationRecord, path: Path, log: ImportLog) -> Samples:
    """Return the lines of a record; a truncated file is reported as an error."""
    samples = Samples()
    line_count = 0
    try:
        for line in read_objects(path):
            line_count += 1
            if line.is_cut:
                message = f"{path.name} ends in the middle of its last line"
                log.add(rules.CUT_OFF, path, message, line.number)
                return samples
            content = line.value or {}
            sample = _parse_line(line.number, content)
            if _is_foreign(content, record, path):
                samples.foreign_lines.append(line.number)
            elif sample:
                samples.lines.append(sample)
            else:
                samples.lost_lines.append(line.number)
        samples.fault = _find_fault(record, path, samples, line_count)
    except ProblemsError as error:
        log.problems += error.problems
    return samples


def _find_fault(record: EvaluationRecord, path: Path, samples: Samples, line_count: int) -> str:
    """Return a clause that says why an aggregate does not describe a file; empty if it does."""
    aggregate = record.aggregate
    if samples.foreign_lines and not samples.lines:
        keys = "their `evaluation_id` or `model_id`"
        return f"the lines of {path.name} belong to another record, by {keys}"
    algorithm = aggregate.hash_algorithm or "sha256"
    if aggregate.checksum and algorithm in _HASH_ALGORITHMS:
        with opened(path, largest=LARGEST_SOURCE) as file:
            digest = hashlib.file_digest(file, algorithm).hexdigest()
        if digest == aggregate.checksum.strip().lower():
            return ""
        statement = f"{record.path.name} states {one_line(aggregate.checksum)}"
        return f"the {algorithm} of {path.name} is {digest}, but {statement}"
    if aggregate.total_rows in {None, line_count}:
        return ""
    statement = f"{record.path.name} states {aggregate.total_rows}"
    return f"{path.name} has {line_count} lines, but {statement}"


def _is_foreign(line: Mapping[str, Any], record: EvaluationRecord, path: Path) -> bool:
    """Return whether a line names another record; versions before 0.2.2 name the file itself."""
    aggregate = record.aggregate
    expected_names: dict[str, set[str | None]] = {
        "evaluation_id": {aggregate.evaluation_id, path.stem, record.path.stem},
        "model_id": {aggregate.model_id, aggregate.model},
    }
    for key, names in expected_names.items():
        stated = line.get(key)
        if isinstance(stated, str) and stated not in names:
            return True
    return False


def _parse_line(number: int, line: Mapping[str, Any]) -> SampleLine | None:
    """Return a line as an attempt; None if it names no sample."""
    sample = line.get("sample_id")
    if type(sample) is int:
        sample = str(sample)
    if not isinstance(sample, str) or not sample.strip():
        return None
    evaluation = _read_table(line, "evaluation")
    metadata = _read_table(line, "metadata")
    labels: dict[str, str] = {}
    for key, value in metadata.items():
        if isinstance(value, str):
            labels[key] = value
    is_correct = evaluation.get("is_correct")
    if not isinstance(is_correct, bool):
        is_correct = None
    result_id = _read_text(line, "evaluation_result_id")
    result = result_id or _read_text(line, "evaluation_name")
    score = score_of(evaluation.get("score"))
    error = _parse_error(line.get("error"))
    figures = _parse_figures(line, evaluation)
    return SampleLine(
        number=number,
        result=result,
        has_result_id=bool(result_id),
        sample=sample,
        score=score,
        is_correct=is_correct,
        error=error,
        metadata=labels,
        figures=figures,
    )


def _read_text(line: Mapping[str, Any], key: str) -> str:
    """Return the text under a key of a line; empty if the value is not a text."""
    value = line.get(key)
    return value if isinstance(value, str) else ""


def _read_table(line: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return the object under a key of a line; empty if the value is not an object."""
    value = line.get(key)
    return value if isinstance(value, dict) else {}


def _parse_error(error: object) -> str:
    """Return the first line of an error; empty if there is no error."""
    if not error:
        return ""
    return one_line(str(error).strip().partition("\n")[0]) or "an error"


def _parse_figures(line: Mapping[str, Any], evaluation: Mapping[str, Any]) -> dict[str, float]:
    """Return the turns, tokens and seconds in a line, by the field names of `RoundResult`."""
    usage = _read_table(line, "token_usage")
    times = _read_table(line, "performance")
    turns: object = evaluation.get("num_turns")
    messages = line.get("messages") or line.get("interactions")
    if isinstance(messages, list) and messages:
        roles = [message.get("role") for message in messages if isinstance(message, dict)]
        turns = roles.count("assistant")
    values: dict[str, object] = {
        "turns": turns,
        "input_tokens": usage.get("input_tokens"),
        "cached_tokens": usage.get("input_tokens_cache_read"),
        "output_tokens": usage.get("output_tokens"),
    }
    figures = {}
    for name, value in values.items():
        amount = _parse_amount(value)
        if amount is not None:
            figures[name] = amount
    for key in ("latency_ms", "generation_time_ms"):
        milliseconds = _parse_amount(times.get(key))
        if milliseconds:
            figures["agent_seconds"] = milliseconds / 1000
            break
    return figures


def _parse_amount(value: object) -> float | None:
    """Return a number that is at least 0; None for other values."""
    number = score_of(value)
    if number is None or number < 0:
        return None
    return number
