"""Read the summary of a run, which lists the verdicts of its instances."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from sitegen.importers.kit.values import mapping_of
from sitegen.importers.swebench.json_files import head_of, read_json_file
from sitegen.importers.swebench.openhands import EVALUATION_END, read_openhands

NEWEST_SCHEMA = 2
"""The newest known `schema_version` of summaries."""


class Verdict(StrEnum):
    """The verdict of a summary on an instance."""

    RESOLVED = "resolved"
    UNRESOLVED = "unresolved"
    EMPTY = "empty patch"
    ERROR = "error"
    UNSTATED = "evaluated, without a verdict"
    CONFLICTING = "listed with different verdicts"


_LISTS: Mapping[str, Verdict] = {
    "resolved_ids": Verdict.RESOLVED,
    "resolved": Verdict.RESOLVED,
    "success_ids": Verdict.RESOLVED,
    "unresolved_ids": Verdict.UNRESOLVED,
    "failure_ids": Verdict.UNRESOLVED,
    "empty_patch_ids": Verdict.EMPTY,
    "empty_error_patch_ids": Verdict.EMPTY,
    "error_ids": Verdict.ERROR,
    "failed_ids": Verdict.ERROR,
}
"""Verdicts, keyed by the name of the list that states them.

SWE-bench-Live has `success_ids` and `failure_ids`; submissions to Multi-SWE-bench have `resolved`;
`failed_ids` are runs that failed in the hosted evaluation.
"""
_FAILURE_LISTS = ("unresolved_ids", "failure_ids")

_EARLY_KEYS = ('"total_instances"', '"completed_ids"', '"success_ids"')
"""Keys of which every summary has at least one near its beginning."""

NO_LISTS = "counts instances, but has no list of `resolved_ids`"
"""The fault of a summary that only has counts, as a clause after the file's name."""

_HOSTED_NAME = re.compile(r"(?P<subset>swe-?bench[\w-]*?)__(?:dev|test|train)__(?P<run>.+)")
"""File names of the hosted evaluation's reports."""

PRO_RESULTS = "eval_results.json"
"""File that the evaluation of SWE-bench Pro writes into a folder named after the run.

It states whether each instance is resolved, keyed by the instance's id.
"""

_PRO_START = re.compile(r'\s*\{\s*"[^"]+"\s*:\s*(?:true|false)\s*[,}]')

_NOT_A_MODEL = frozenset(
    {"eval", "evaluation", "final_report", "output", "report", "result", "results", "summary"}
)
"""Prefixes of file names that describe the content of a file, not the model.

For example, OpenHands writes `output.report.json`.
"""

_NAME_DOT = re.compile(r"(?<!\d)\.|\.(?!\d)")
"""A dot that is not inside a version number."""


@dataclass(frozen=True, slots=True)
class EvaluationSummary:
    """The summary of one run."""

    path: Path
    verdicts: Mapping[str, Verdict]
    """Verdicts by instance; instances that were not evaluated are missing."""
    unpredicted: Sequence[str] = ()
    """Instances of the dataset without a prediction."""
    unevaluated: Sequence[str] = ()
    """Predictions that were not evaluated."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Why instances failed, in the harness's words."""
    infrastructure: frozenset[str] = frozenset()
    """Instances that failed because of the test environment."""
    ambiguous: frozenset[str] = frozenset()
    """Instances that may have failed because of the test environment."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """The counts that the summary states, by key."""
    schema_version: int | float | str | None = None
    model: str = ""
    """The model that the file itself states; empty if it states none."""
    dataset: str = ""
    """The dataset that the file itself states; empty if it states none."""
    started: datetime | None = None
    """When the run began; None if the file does not state it."""

    @property
    def resolved(self) -> int:
        """The number of instances that the summary lists as resolved."""
        return sum(verdict is Verdict.RESOLVED for verdict in self.verdicts.values())


@dataclass(frozen=True, slots=True)
class SummaryName:
    """The model, run and dataset in the name of a summary's file."""

    model: str = ""
    """The model's name with `__` for `/`; empty if the file name does not state it."""
    run_id: str = ""
    dataset: str = ""
    is_guess: bool = False
    """Whether the name could also be split differently."""


def looks_like_summary(path: Path) -> bool:
    """Return whether a file begins like a summary."""
    if path.name.endswith(EVALUATION_END):
        return True
    if path.suffix != ".json":
        return False
    head = head_of(path)
    if path.name == PRO_RESULTS and _PRO_START.match(head):
        return True
    return any(key in head for key in _EARLY_KEYS)


def read_summary(path: Path) -> tuple[EvaluationSummary | None, str, bool]:
    """Read the summary in a file.

    Returns:
        The summary, or None; why it can't be used; and whether the file is truncated.
    """
    if path.name.endswith(EVALUATION_END):
        return _read_lines(path)
    file = read_json_file(path)
    if file.fault:
        return None, file.fault, file.is_cut
    if not isinstance(file.value, dict):
        return None, "contains no JSON object", False
    if path.name == PRO_RESULTS:
        return _summary_of(path, _pro_lists(file.value)), "", False
    if not _has_list(file.value, ("resolved_ids", "success_ids", "resolved")):
        return None, NO_LISTS, False
    return _summary_of(path, file.value), "", False


def _read_lines(path: Path) -> tuple[EvaluationSummary | None, str, bool]:
    """Return the summary of an evaluation of OpenHands, as `read_summary` does."""
    evaluation, fault, is_cut = read_openhands(path)
    if fault:
        return None, fault, is_cut
    summary = _summary_of(path, {**evaluation.lists, "failure_reasons": evaluation.reasons})
    model, dataset, started = evaluation.model, evaluation.dataset, evaluation.started
    return replace(summary, model=model, dataset=dataset, started=started), "", False


def _pro_lists(facts: Mapping[str, object]) -> dict[str, list[str]]:
    """Return the content of SWE-bench Pro's file as the lists of a summary."""
    resolved = [name for name, is_resolved in facts.items() if is_resolved is True]
    unresolved = [name for name, is_resolved in facts.items() if is_resolved is False]
    others = sorted(facts.keys() - {*resolved, *unresolved})
    return {"resolved_ids": resolved, "unresolved_ids": unresolved, "error_ids": others}


def _has_list(facts: Mapping[str, object], keys: Iterable[str]) -> bool:
    """Return whether a summary contains a list at any of the given keys."""
    return any(isinstance(facts.get(key), list) for key in keys)


def _summary_of(path: Path, facts: Mapping[str, object]) -> EvaluationSummary:
    """Return the summary of a file with the given content."""
    verdicts = _verdicts(facts)
    submitted = _ids(facts, "submitted_ids")
    incomplete = _ids(facts, "incomplete_ids")
    pending = {*incomplete, *_ids(facts, "pending_ids")}
    predicted = {*verdicts, *submitted}
    unpredicted = [name for name in incomplete if name not in predicted]
    settled = {*verdicts, *unpredicted}
    names = dict.fromkeys([*submitted, *incomplete, *pending])
    waiting = [name for name in names if name not in settled]
    if facts.get("total_instances") == len(verdicts) + len(unpredicted) + len(waiting):
        # The total counts evaluated predictions, including those that no list contains.
        verdicts |= {name: Verdict.UNSTATED for name in waiting if name not in pending}
    unevaluated = sorted(name for name in waiting if name not in verdicts)
    reason_values = mapping_of(facts.get("failure_reasons"))
    reasons = {name: text for name, text in reason_values.items() if isinstance(text, str)}
    counts = {key: value for key, value in facts.items() if type(value) is int}
    version = facts.get("schema_version")
    return EvaluationSummary(
        path,
        verdicts,
        tuple(unpredicted),
        tuple(unevaluated),
        reasons,
        frozenset(_ids(facts, "infra_failure_ids")),
        frozenset(_ids(facts, "ambiguous_failure_ids")),
        counts,
        version if isinstance(version, int | float | str) else None,
    )


def _verdicts(facts: Mapping[str, object]) -> dict[str, Verdict]:
    """Return the verdict of every instance in the lists of a summary."""
    stated: dict[str, set[Verdict]] = {}
    for key, verdict in _LISTS.items():
        for name in _ids(facts, key):
            stated.setdefault(name, set()).add(verdict)
    # The first version of the harness with containers did not list unresolved instances.
    has_failures = _has_list(facts, _FAILURE_LISTS)
    unlisted_verdict = Verdict.UNSTATED if has_failures else Verdict.UNRESOLVED
    for name in _ids(facts, "completed_ids"):
        stated.setdefault(name, {unlisted_verdict})
    verdicts = {}
    for name in sorted(stated):
        verdict, *contradictions = stated[name]
        verdicts[name] = Verdict.CONFLICTING if contradictions else verdict
    return verdicts


def _ids(facts: Mapping[str, object], key: str) -> list[str]:
    """Return the distinct instances in a list; empty if the value is not a list of texts."""
    value = facts.get(key)
    if not isinstance(value, list):
        return []
    names = [name for name in value if isinstance(name, str) and name.strip()]
    return list(dict.fromkeys(names))


def name_of(path: Path) -> SummaryName:
    """Return the model, run and dataset in the name of a summary's file.

    The harness writes `MODEL.RUN_ID.json`, the hosted evaluation `SUBSET__SPLIT__RUN_ID.json`, and
    the evaluation of SWE-bench Pro `RUN/eval_results.json`. Models and run ids may contain dots:
    the last dot outside a version number separates them.
    """
    if path.name.endswith(EVALUATION_END):
        return SummaryName()
    if path.name == PRO_RESULTS:
        return SummaryName(path.absolute().parent.name, is_guess=True)
    hosted = _HOSTED_NAME.fullmatch(path.stem)
    if hosted:
        return SummaryName("", hosted["run"], hosted["subset"])
    dots = [match.start() for match in re.finditer(r"\.", path.stem)]
    if not dots:
        return SummaryName()
    dots_outside_versions = [match.start() for match in _NAME_DOT.finditer(path.stem)]
    dot = dots_outside_versions[-1] if dots_outside_versions else dots[-1]
    model = path.stem[:dot]
    run_id = path.stem[dot + 1 :]
    if model.casefold() in _NOT_A_MODEL:
        return SummaryName("", run_id)
    return SummaryName(model, run_id, is_guess=len(dots) > 1)
