"""Reads the summary of a run, which lists what came of its instances."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from sitegen.importers.swebench.json_files import head_of, read_json_file

NEWEST_SCHEMA = 2
"""The newest `schema_version` of summaries that is known here."""


class Verdict(StrEnum):
    """What a summary says of an instance."""

    RESOLVED = "resolved"
    UNRESOLVED = "unresolved"
    EMPTY = "empty patch"
    ERROR = "error"
    UNSTATED = "evaluated, without a verdict"
    CONFLICTING = "listed with different verdicts"


_LISTS: Mapping[str, Verdict] = {
    "resolved_ids": Verdict.RESOLVED,
    "success_ids": Verdict.RESOLVED,
    "unresolved_ids": Verdict.UNRESOLVED,
    "failure_ids": Verdict.UNRESOLVED,
    "empty_patch_ids": Verdict.EMPTY,
    "error_ids": Verdict.ERROR,
    "failed_ids": Verdict.ERROR,
}
"""Verdicts by the lists that state them. SWE-bench-Live has `success_ids` and `failure_ids`; `failed_ids` are runs
that failed in the hosted evaluation."""

_MARKS = ('"total_instances"', '"completed_ids"', '"success_ids"')
"""Keys of which every summary has one near its beginning."""

_HOSTED = re.compile(r"(?P<subset>swe-?bench[\w-]*?)__(?:dev|test|train)__(?P<run>.+)")
"""What the command of the hosted evaluation calls its reports."""

_NAME_DOT = re.compile(r"(?<!\d)\.|\.(?!\d)")
"""A dot that is not inside a version number."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What the summary of one run says."""

    path: Path
    verdicts: Mapping[str, Verdict]
    """By instance; instances that were not evaluated are not among them."""
    unpredicted: Sequence[str] = ()
    """Instances of the dataset without a prediction."""
    unevaluated: Sequence[str] = ()
    """Predictions that were not evaluated."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Why instances failed, in the words of the harness."""
    infrastructure: frozenset[str] = frozenset()
    """Instances that failed because of the test environment."""
    ambiguous: frozenset[str] = frozenset()
    """Instances that may have failed because of the test environment."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """What the summary counts, by key."""
    schema_version: int | float | str | None = None

    @property
    def resolved(self) -> int:
        """How many instances it lists as resolved."""
        return sum(verdict is Verdict.RESOLVED for verdict in self.verdicts.values())


@dataclass(frozen=True, slots=True)
class SummaryName:
    """What the name of a summary's file says."""

    model: str = ""
    """With `__` for `/`; empty where the name says nothing of it."""
    run_id: str = ""
    dataset: str = ""
    is_guess: bool = False
    """Whether the name could also be divided in another way."""


def looks_like_summary(path: Path) -> bool:
    """Return whether a file begins as a summary does."""
    if path.suffix != ".json":
        return False
    head = head_of(path)
    return any(mark in head for mark in _MARKS)


def read_summary(path: Path) -> tuple[Summary | None, str, bool]:
    """Read a summary.

    Returns:
        The summary, or None; why it can't be used; and whether the file is cut off.
    """
    file = read_json_file(path)
    if file.fault:
        return None, file.fault, file.is_cut
    if not isinstance(file.value, dict):
        return None, "holds no JSON object", False
    if not any(isinstance(file.value.get(key), list) for key in ("resolved_ids", "success_ids")):
        return None, "has no list `resolved_ids`", False
    return _summary_of(path, file.value), "", False


def _summary_of(path: Path, facts: Mapping[str, object]) -> Summary:
    """Return what a summary says, given its contents."""
    verdicts = _verdicts(facts)
    submitted = _ids(facts, "submitted_ids")
    incomplete = _ids(facts, "incomplete_ids")
    pending = {*incomplete, *_ids(facts, "pending_ids")}
    unpredicted = [name for name in incomplete if name not in verdicts and name not in submitted]
    names = dict.fromkeys([*submitted, *incomplete, *pending])
    waiting = [name for name in names if name not in verdicts and name not in unpredicted]
    if facts.get("total_instances") == len(verdicts) + len(unpredicted) + len(waiting):
        # The total counts predictions that were evaluated: those in no list are among them.
        verdicts |= {name: Verdict.UNSTATED for name in waiting if name not in pending}
    unevaluated = sorted(name for name in waiting if name not in verdicts)
    reasons = facts.get("failure_reasons")
    texts: dict[str, str] = {}
    if isinstance(reasons, dict):
        texts = {name: text for name, text in reasons.items() if isinstance(text, str)}
    counts = {
        key: value
        for key, value in facts.items()
        if isinstance(value, int) and not isinstance(value, bool)
    }
    version = facts.get("schema_version")
    return Summary(
        path,
        verdicts,
        tuple(unpredicted),
        tuple(unevaluated),
        texts,
        frozenset(_ids(facts, "infra_failure_ids")),
        frozenset(_ids(facts, "ambiguous_failure_ids")),
        counts,
        version if isinstance(version, int | float | str) else None,
    )


def _verdicts(facts: Mapping[str, object]) -> dict[str, Verdict]:
    """Return the verdict of every instance that some list of a summary states one of."""
    stated: dict[str, set[Verdict]] = {}
    for key, verdict in _LISTS.items():
        for name in _ids(facts, key):
            stated.setdefault(name, set()).add(verdict)
    has_failures = any(
        isinstance(facts.get(key), list) for key in ("unresolved_ids", "failure_ids")
    )
    for name in _ids(facts, "completed_ids"):
        if name not in stated:
            # The first harness with containers did not list unresolved instances.
            stated[name] = {Verdict.UNSTATED if has_failures else Verdict.UNRESOLVED}
    verdicts = {}
    for name in sorted(stated):
        own_verdicts = stated[name]
        verdicts[name] = next(iter(own_verdicts)) if len(own_verdicts) == 1 else Verdict.CONFLICTING
    return verdicts


def _ids(facts: Mapping[str, object], key: str) -> list[str]:
    """Return the instances of a list, each once; whatever is not a list of texts names none."""
    value = facts.get(key)
    if not isinstance(value, list):
        return []
    names = [name for name in value if isinstance(name, str) and name.strip()]
    return list(dict.fromkeys(names))


def name_of(path: Path) -> SummaryName:
    """Return what the name of a summary's file says of its model and run.

    The harness writes `MODEL.RUN_ID.json`, the hosted evaluation `SUBSET__SPLIT__RUN_ID.json`. Models and run ids
    may hold dots themselves: the last dot divides them that is not inside a version number.
    """
    hosted = _HOSTED.fullmatch(path.stem)
    if hosted:
        return SummaryName("", hosted["run"], hosted["subset"])
    dots = [match.start() for match in re.finditer(r"\.", path.stem)]
    if not dots:
        return SummaryName()
    plain = [match.start() for match in _NAME_DOT.finditer(path.stem)]
    place = plain[-1] if plain else dots[-1]
    return SummaryName(path.stem[:place], path.stem[place + 1 :], is_guess=len(dots) > 1)
