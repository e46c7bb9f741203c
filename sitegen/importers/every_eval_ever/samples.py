"""Reads the lines of a record's samples, and holds them against what the aggregate says of them."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from sitegen.importers.every_eval_ever.records import Record
from sitegen.importers.kit import rules
from sitegen.importers.kit.lines import read_objects
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.told import number_of
from sitegen.problems import ProblemsError
from sitegen.reading.files import LARGEST_SOURCE, opened

_HASHES = frozenset({"sha256", "md5"})


class SampleLine(NamedTuple):
    """What a line says of a try."""

    number: int
    """Of the line, from 1."""
    result: str
    """The result that it belongs to, by its id or else its evaluation."""
    has_result_id: bool
    """Whether it names the result by its id; converters leave it out where no result could be read."""
    sample: str
    score: float | None
    """None where it states no finite number."""
    is_correct: bool | None
    error: str
    """Why the try came to no verdict; empty where it did."""
    metadata: Mapping[str, str]
    figures: Mapping[str, Any]
    """Turns, tokens and seconds, by their names in a round."""


@dataclass(slots=True)
class Samples:
    """The lines of a record."""

    lines: list[SampleLine] = field(default_factory=list)
    lost_lines: list[int] = field(default_factory=list)
    """Lines that are no sample."""
    foreign_lines: list[int] = field(default_factory=list)
    """Lines of another record."""
    fault: str = ""
    """Why these are not the lines that the aggregate describes; empty where they are."""


def read_samples(record: Record, path: Path, report: Report) -> Samples:
    """Return the lines of a record; a file that is cut off becomes an error of the report."""
    samples = Samples()
    rows = 0
    try:
        for line in read_objects(path):
            rows += 1
            if line.is_cut:
                report.add(
                    rules.CUT_OFF,
                    path,
                    f"{path.name} ends in the middle of its last line",
                    line.number,
                )
                return samples
            taken = _sample_line(line.number, line.value) if line.value else None
            if line.value and _is_foreign(line.value, record, path):
                samples.foreign_lines.append(line.number)
            elif taken:
                samples.lines.append(taken)
            else:
                samples.lost_lines.append(line.number)
        samples.fault = _fault(record, path, samples, rows)
    except ProblemsError as error:
        report.problems += error.problems
    return samples


def _fault(record: Record, path: Path, samples: Samples, rows: int) -> str:
    """Return why a file of samples is not the one that its aggregate describes; empty where it is."""
    aggregate = record.aggregate
    if samples.foreign_lines and not samples.lines:
        return f"the lines of {path.name} are of another record, by their `evaluation_id` or `model_id`"
    algorithm = aggregate.hash_algorithm or "sha256"
    if aggregate.checksum and algorithm in _HASHES:
        with opened(path, largest=LARGEST_SOURCE) as file:
            digest = hashlib.file_digest(file, algorithm).hexdigest()
        if digest != aggregate.checksum.strip().lower():
            stated = one_line(aggregate.checksum)
            return f"the {algorithm} of {path.name} is {digest}, and {record.path.name} states {stated}"
        return ""
    if aggregate.total_rows not in {None, rows}:
        return f"{path.name} has {rows} lines, and {record.path.name} states {aggregate.total_rows}"
    return ""


def _is_foreign(line: Mapping[str, Any], record: Record, path: Path) -> bool:
    """Return whether a line names another record; versions before 0.2.2 name the file itself."""
    aggregate = record.aggregate
    for key, own in (
        ("evaluation_id", {aggregate.evaluation_id, path.stem, record.path.stem}),
        ("model_id", {aggregate.model_id, aggregate.model}),
    ):
        stated = line.get(key)
        if isinstance(stated, str) and stated not in own:
            return True
    return False


def _sample_line(number: int, line: Mapping[str, Any]) -> SampleLine | None:
    """Return what a line says; None where it is of no sample."""
    sample = line.get("sample_id")
    if type(sample) is int:
        sample = str(sample)
    if not isinstance(sample, str) or not sample.strip():
        return None
    evaluation = line.get("evaluation")
    judged = evaluation if isinstance(evaluation, dict) else {}
    is_correct = judged.get("is_correct")
    labels = line.get("metadata")
    metadata = labels if isinstance(labels, dict) else {}
    error = line.get("error")
    cause = ""
    if error:
        cause = one_line(str(error).strip().partition("\n")[0]) or "an error"
    return SampleLine(
        number,
        _result_of(line),
        _has_result_id(line),
        sample,
        number_of(judged.get("score")),
        is_correct if isinstance(is_correct, bool) else None,
        cause,
        {key: value for key, value in metadata.items() if isinstance(value, str)},
        _figures(line, judged),
    )


def _result_of(line: Mapping[str, Any]) -> str:
    """Return the result that a line belongs to."""
    for key in ("evaluation_result_id", "evaluation_name"):
        value = line.get(key)
        if isinstance(value, str) and value:
            return value
    return ""


def _has_result_id(line: Mapping[str, Any]) -> bool:
    """Return whether a line names its result by an id."""
    value = line.get("evaluation_result_id")
    return isinstance(value, str) and bool(value)


def _figures(line: Mapping[str, Any], judged: Mapping[str, Any]) -> dict[str, float]:
    """Return the turns, tokens and seconds that a line states."""
    usage = line.get("token_usage")
    tokens = usage if isinstance(usage, dict) else {}
    clock = line.get("performance")
    times = clock if isinstance(clock, dict) else {}
    messages = line.get("messages") or line.get("interactions")
    turns: object = judged.get("num_turns")
    if isinstance(messages, list) and messages:
        roles = [message.get("role") for message in messages if isinstance(message, dict)]
        turns = roles.count("assistant")
    milliseconds = _amount(times.get("latency_ms")) or _amount(times.get("generation_time_ms"))
    figures = {
        "turns": _amount(turns),
        "input_tokens": _amount(tokens.get("input_tokens")),
        "cached_tokens": _amount(tokens.get("input_tokens_cache_read")),
        "output_tokens": _amount(tokens.get("output_tokens")),
        "agent_seconds": milliseconds / 1000 if milliseconds else None,
    }
    return {name: value for name, value in figures.items() if value is not None}


def _amount(value: object) -> float | None:
    """Return a figure that is at least 0."""
    number = number_of(value)
    return number if number is not None and number >= 0 else None
