"""Read the evaluations of OpenHands, which have a line for each instance."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from sitegen.importers.kit.times import local_moment
from sitegen.importers.kit.values import mapping_of, text_of
from sitegen.importers.swebench.causes import PATCH_FAILED, TESTS_TIMED_OUT
from sitegen.problems import ProblemsError
from sitegen.reading.files import LARGEST_SOURCE, opened

EVALUATION_END = ".swebench_eval.jsonl"
"""The end of the files' names, as in `output.swebench_eval.jsonl`."""

_MAX_LINE_SIZE = 64 * 1024 * 1024
"""Maximum size of a line in bytes; a line contains the output of the tests."""

_STAND_IN_MODEL = "dummy_model"
"""The model that OpenHands writes if it does not know the model."""


@dataclass(slots=True)
class OpenHandsEvaluation:
    """The verdicts of an evaluation, and facts about its run."""

    lists: dict[str, list[str]] = field(default_factory=dict)
    """Instances, keyed by the name of their list in a summary of SWE-bench."""
    reasons: dict[str, str] = field(default_factory=dict)
    """Why instances have no verdict, keyed by instance."""
    model: str = ""
    """The model without its provider; empty if it is not stated."""
    dataset: str = ""
    started: datetime | None = None


def read_openhands(path: Path) -> tuple[OpenHandsEvaluation, str, bool]:
    """Read an evaluation of OpenHands.

    Returns:
        The evaluation; why the file can't be used, as a clause; and whether it is truncated.
    """
    evaluation = OpenHandsEvaluation()
    number = 0
    try:
        with opened(path, largest=LARGEST_SOURCE) as file:
            while line := file.readline(_MAX_LINE_SIZE):
                number += 1
                if line.strip() and not _add_line(evaluation, line):
                    if line.endswith(b"\n"):
                        return evaluation, f"has no instance in line {number}", False
                    return evaluation, f"is cut off in line {number}", True
    except ProblemsError as error:
        return evaluation, f"can't be read: {error.problems[0].what}", False
    return evaluation, "" if evaluation.lists else "is empty", False


def _add_line(evaluation: OpenHandsEvaluation, line: bytes) -> bool:
    """Add the instance in a line, and return whether the line names an instance."""
    try:
        facts = mapping_of(json.loads(line.removeprefix(b"\xef\xbb\xbf")))
    except (ValueError, RecursionError):
        return False
    instance = facts.get("instance_id")
    if not isinstance(instance, str) or not instance.strip():
        return False
    report = mapping_of(mapping_of(facts.get("test_result")).get("report"))
    name, reason = _list_and_reason(report)
    evaluation.lists.setdefault(name, []).append(instance)
    if reason:
        evaluation.reasons[instance] = reason
    metadata = mapping_of(facts.get("metadata"))
    model = text_of(mapping_of(metadata.get("llm_config")).get("model")) or ""
    if model != _STAND_IN_MODEL:
        evaluation.model = evaluation.model or model.rpartition("/")[2]
    evaluation.dataset = evaluation.dataset or text_of(metadata.get("dataset")) or ""
    evaluation.started = evaluation.started or local_moment(text_of(metadata.get("start_time")))
    return True


def _list_and_reason(report: Mapping[str, object]) -> tuple[str, str]:
    """Return the name of the summary list for an instance, and why it has no verdict."""
    if report.get("resolved") is True:
        return "resolved_ids", ""
    if report.get("empty_generation") is True:
        return "empty_patch_ids", ""
    if report.get("failed_apply_patch") is True:
        return "error_ids", PATCH_FAILED
    if report.get("test_timeout") is True:
        return "error_ids", TESTS_TIMED_OUT
    if report.get("error_eval") is True or report.get("resolved") is not False:
        return "error_ids", ""
    return "unresolved_ids", ""
