"""Read a benchmark's findings, check the names in them, and compare files with their redactions."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from sitegen.models.benchmark import Benchmark
from sitegen.models.finding import Finding, Findings, finding_ids
from sitegen.models.shared_rules import NAME_TWICE
from sitegen.models.submission import Status, Submission
from sitegen.models.task import TaskRound, TaskSet
from sitegen.problems import Problem, Rule, reasons
from sitegen.reading.files import read_bytes
from sitegen.reading.secrets import value_without_secrets
from sitegen.reading.shape import suggestion
from sitegen.reading.toml import Document, read_toml
from sitegen.store.checks.document_breaches import TRACK_UNKNOWN, is_stated
from sitegen.store.checks.expected import ROUND_UNKNOWN, TASK_UNKNOWN
from sitegen.store.files.layout import (
    BUNDLE_FILES,
    CHECKSUMS_FILE,
    FAILURE_FILES,
    FINDINGS_FILE,
    MANIFEST_FILE,
    SUBMISSIONS_FOLDER,
)
from sitegen.store.files.raw_documents import (
    RawTable,
    parse_json_object,
    read_document,
    read_stored_bytes,
)
from sitegen.store.files.readings import Reading

SUBMISSION_UNKNOWN = Rule.error(
    "SUBMISSION-UNKNOWN",
    "A finding names a submission that does not exist.",
    "correct the name of the folder",
    unwaivable=reasons.OWN,
)
FINDING_INCOMPLETE = Rule.error(
    "FINDING-INCOMPLETE",
    "A finding lacks a key that its kind or its effect needs.",
    "add the key",
    unwaivable=reasons.OWN,
)
FINDING_CONTRADICTED = Rule.error(
    "FINDING-CONTRADICTED",
    "A finding has a key that its kind does not use.",
    "remove the key, or correct the kind",
    unwaivable=reasons.OWN,
)
FINDING_CORRECTS = Rule.error(
    "FINDING-CORRECTS",
    "A correction does not name an earlier finding, or not all of that finding's tracks.",
    "name the earlier finding by the part of its address after `#finding-`, and list its tracks; "
    "to limit a finding to the tracks where its tasks are broken, add `tracks` to that finding",
    unwaivable=reasons.OWN,
)
FINDING_CASE_UNKNOWN = Rule.error(
    "FINDING-CASE-UNKNOWN",
    "A finding names a case that none of its rounds has.",
    "correct the name of the case",
    unwaivable=reasons.OWN,
)
FINDING_UNDONE = Rule.error(
    "FINDING-UNDONE",
    "Content that a redaction removed from a submission is back.",
    "remove it again, and keep in the manifest whose results they were",
    unwaivable=reasons.OWN,
)

KEYS_KEPT_BY_REDACTION = ("schema", "track", "date", "agent", "status")
"""Keys of a manifest that remain after a full redaction, to identify the submission."""

_REQUIRED_KEYS: Mapping[str, Sequence[str]] = {
    "waiver": ("code", "by", "reason"),
    "reproduction": ("submissions", "rerun"),
    "redaction": ("submissions", "by", "reason", "digests"),
}
"""The keys that a finding must have, by its kind."""

_KIND_OF_KEY: Mapping[str, str] = {
    "code": "waiver",
    "until": "waiver",
    "rerun": "reproduction",
    "digests": "redaction",
}
"""The only kind of finding that may have the key, by key."""


NumberedFinding: TypeAlias = tuple[int | None, Finding]
"""A finding with its line in the file."""


def read_findings(
    folder: Path, benchmark: Benchmark, task_sets: Mapping[str, TaskSet]
) -> Reading[Sequence[NumberedFinding]]:
    """Return a benchmark's findings with their lines, and their problems."""
    path = folder / FINDINGS_FILE
    if not path.exists():
        return Reading(())
    document = read_toml(path, Findings)
    if document.record is None:
        return Reading((), document.problems)
    findings = document.record.findings
    submissions = {child.name for child in (folder / SUBMISSIONS_FOLDER).glob("*")}
    checker = _FindingsChecker(document, findings)
    problems = list(checker.unknown_names(benchmark, submissions, task_sets))
    problems += checker.unknown_rounds_and_cases(task_sets)
    problems += checker.incomplete_or_contradictory()
    problems += checker.false_corrections()
    numbered = []
    for index, finding in enumerate(findings):
        numbered.append((document.places.line_of(("findings", index)), finding))
    return Reading(numbered, problems)


@dataclass(frozen=True, slots=True)
class _FindingsChecker:
    """Checks the findings in one file."""

    document: Document[Findings]
    findings: Sequence[Finding]

    def unknown_names(
        self, benchmark: Benchmark, submissions: AbstractSet[str], task_sets: Mapping[str, TaskSet]
    ) -> Iterator[Problem]:
        """Yield problems with tracks, submissions and tasks that the benchmark does not have."""
        tracks = {track.id for track in benchmark.tracks}
        tasks: set[str] = set()
        for task_set in task_sets.values():
            tasks.update(task.id for task in task_set.tasks)
        for key, noun, rule, valid_names in (
            ("tracks", "tracks", TRACK_UNKNOWN, tracks),
            ("submissions", "submissions", SUBMISSION_UNKNOWN, submissions),
            ("rerun", "submissions", SUBMISSION_UNKNOWN, submissions),
            ("tasks", "tasks", TASK_UNKNOWN, tasks),
        ):
            for index, finding in enumerate(self.findings):
                for name in sorted(_names_under(finding, key) - valid_names):
                    fact = (
                        f"the finding names `{name}`, "
                        f"which is not one of the {noun} of {benchmark.id}"
                    )
                    yield self._problem(rule, index, key, fact, suggestion(name, valid_names))

    def unknown_rounds_and_cases(self, task_sets: Mapping[str, TaskSet]) -> Iterator[Problem]:
        """Yield problems with rounds and cases that the tasks of a finding do not have."""
        for index, finding in enumerate(self.findings):
            rounds = list(_task_rounds(finding, task_sets))
            if not rounds:
                continue  # `unknown_names` reports an unknown task.
            valid_numbers = {task_round.n for task_round in rounds}
            for number in sorted({*finding.rounds} - valid_numbers):
                fact = f"the finding names round {number}, but none of its tasks has that round"
                yield self._problem(ROUND_UNKNOWN, index, "rounds", fact)
            valid_cases = _case_ids(finding, rounds)
            if valid_cases is None:
                continue
            for name in sorted({*finding.cases} - valid_cases):
                fact = f"the finding names the case `{name}`, but none of its rounds has that case"
                fix = suggestion(name, valid_cases)
                yield self._problem(FINDING_CASE_UNKNOWN, index, "cases", fact, fix)

    def incomplete_or_contradictory(self) -> Iterator[Problem]:
        """Yield problems with missing keys, keys that are not allowed, and repeated ids."""
        seen_ids: set[str] = set()
        for index, finding in enumerate(self.findings):
            for key, reason in _required_keys(finding):
                if not is_stated(finding, key):
                    fact = f"{reason}, but `{key}` is missing"
                    yield self._problem(FINDING_INCOMPLETE, index, key, fact, f"add `{key}`")
            for key, reason in _useless_keys(finding):
                fact = f"the finding has `{key}`, but {reason}"
                yield self._problem(FINDING_CONTRADICTED, index, key, fact)
            if finding.id in seen_ids:
                fact = f"two findings are called {finding.id}"
                yield self._problem(NAME_TWICE, index, "id", fact)
            if finding.id:
                seen_ids.add(finding.id)

    def false_corrections(self) -> Iterator[Problem]:
        """Yield corrections of findings that are missing, later or on other tracks."""
        ids = finding_ids(self.findings)
        earlier: dict[str, Finding] = {}
        for index, finding in enumerate(self.findings):
            if finding.corrects is not None:
                yield from self._correction_problems(index, finding, finding.corrects, earlier)
            earlier[ids[index]] = finding

    def _correction_problems(
        self, index: int, finding: Finding, corrected_id: str, earlier: Mapping[str, Finding]
    ) -> Iterator[Problem]:
        corrected = earlier.get(corrected_id)
        if corrected is None:
            fact = f"the finding corrects `{corrected_id}`, which is not an earlier finding"
            fix = suggestion(corrected_id, earlier)
            yield self._problem(FINDING_CORRECTS, index, "corrects", fact, fix)
        elif finding.tracks and not _covers_tracks(finding, corrected):
            tracks = ", ".join(corrected.tracks) or "every track"
            fact = f"the finding corrects `{corrected_id}`, which is about {tracks}"
            yield self._problem(FINDING_CORRECTS, index, "tracks", fact)

    def _problem(
        self, rule: Rule, index: int, key: str, fact: str, fix: str | None = None
    ) -> Problem:
        return self.document.broken(rule, ("findings", index, key), fact, fix)


def _names_under(finding: Finding, key: str) -> set[str]:
    """Return the names under a key of a finding, whether the key has one name or several."""
    if key == "rerun":
        return {finding.rerun} if finding.rerun is not None else set()
    return set(getattr(finding, key))


def _task_rounds(finding: Finding, task_sets: Mapping[str, TaskSet]) -> Iterator[TaskRound]:
    """Yield the rounds of the tasks that a finding names, or of all tasks if it names none."""
    for task_set in task_sets.values():
        for task in task_set.tasks:
            if not finding.tasks or task.id in finding.tasks:
                yield from task.rounds


def _case_ids(finding: Finding, rounds: Iterable[TaskRound]) -> set[str] | None:
    """Return the cases of the rounds that a finding names.

    Returns None if the finding names no round, or if a round does not list its cases, so that only
    bundles contain their names.
    """
    named_rounds = [task_round for task_round in rounds if task_round.n in finding.rounds]
    case_ids: set[str] = set()
    for task_round in named_rounds:
        if task_round.cases is None:
            return None
        case_ids.update(case.id for case in task_round.cases)
    return case_ids if named_rounds else None


def _required_keys(finding: Finding) -> Iterator[tuple[str, str]]:
    """Yield the keys that a finding must have, each with the reason."""
    for key in _REQUIRED_KEYS.get(finding.kind, ()):
        yield key, f"the finding is a {finding.kind}"
    if finding.changes_results:
        yield "reason", f'the effect is "{finding.effect}"'
    if finding.effect == "withdraw":
        yield "submissions", 'the effect is "withdraw"'
    if finding.cases:
        yield "tasks", "the finding names cases"
        yield "rounds", "the finding names cases"


def _useless_keys(finding: Finding) -> Iterator[tuple[str, str]]:
    """Yield the keys of a finding that its kind does not use, each with the reason."""
    for key, kind in _KIND_OF_KEY.items():
        if getattr(finding, key) is not None and finding.kind != kind:
            yield key, f"the finding is not a {kind}"
    if finding.effect != "note" and finding.kind in _REQUIRED_KEYS:
        yield "effect", f"a {finding.kind} changes no result"
    if finding.tracks and finding.kind == "redaction":
        yield "tracks", "a redaction is shown wherever its submission is shown"


def _covers_tracks(finding: Finding, corrected: Finding) -> bool:
    """Return whether a finding names all tracks of the finding that it corrects."""
    return bool(corrected.tracks) and {*finding.tracks} >= {*corrected.tracks}


def full_redaction(redactions: Sequence[Finding]) -> Finding | None:
    """Return the redaction of all content; None if only texts of some tasks were redacted."""
    return next((redaction for redaction in redactions if not redaction.tasks), None)


def redacted_tasks(redactions: Sequence[Finding]) -> frozenset[str]:
    """Return the tasks whose texts were removed from a submission."""
    tasks: set[str] = set()
    for redaction in redactions:
        tasks.update(redaction.tasks)
    return frozenset(tasks)


def without_texts(text: bytes, tasks: Collection[str]) -> bytes:
    """Return a list of failed cases without the lines about the given tasks."""
    lines = text.splitlines(keepends=True)
    return b"".join(line for line in lines if parse_json_object(line).get("task") not in tasks)


def with_redacted_status(submission: Submission, redaction: Finding) -> Submission:
    """Return a submission whose status says that its content was redacted."""
    reason = f"its content was redacted: {redaction.reason}"
    status = Status(state="withdrawn", by=redaction.by, reason=reason, date=redaction.date)
    return submission.model_copy(update={"status": status})


def restored_content_problems(folder: Path, manifest: Document[Submission]) -> Iterator[Problem]:
    """Yield a problem if redacted content of a submission was restored."""
    file_names = {path.name for path in folder.iterdir()}
    restored = sorted((file_names & BUNDLE_FILES) - {MANIFEST_FILE, CHECKSUMS_FILE})
    for key in manifest.raw:
        if key not in KEYS_KEPT_BY_REDACTION:
            restored.append(f"`{key}` of {MANIFEST_FILE}")
    if restored:
        fact = f"{folder.name} was redacted, but has {', '.join(restored)}"
        yield FINDING_UNDONE.broken(folder, None, fact)


def is_as_redacted(
    path_before: Path, path_after: Path | None, redactions: Sequence[Finding]
) -> bool:
    """Return whether a file differs only by redactions that state its earlier digest."""
    digest = hashlib.sha256(read_stored_bytes(path_before)).hexdigest()
    redacted_digests = {(finding.digests or {}).get(path_before.name) for finding in redactions}
    if digest not in redacted_digests:
        return False
    if not full_redaction(redactions):
        return _lacks_only_texts(path_before, path_after, redacted_tasks(redactions))
    if path_before.name != MANIFEST_FILE or path_after is None:
        return path_after is None
    manifest_before = _kept_values(read_document(path_before))
    manifest_after = _kept_values(read_document(path_after))
    return manifest_before == manifest_after


def _lacks_only_texts(path_before: Path, path_after: Path | None, tasks: Collection[str]) -> bool:
    """Return whether a list of failed cases lost exactly the lines about the given tasks."""
    if path_before.name not in FAILURE_FILES:
        return False
    text_before, _ = read_bytes(path_before)
    text_after: bytes | None = b""
    if path_after is not None:
        text_after, _ = read_bytes(path_after)
    return text_after == without_texts(text_before or b"", tasks)


def _kept_values(document: RawTable | None) -> dict[str, object]:
    """Return the values that a redaction keeps in a manifest, excluding its status and secrets."""
    values = {}
    for key, value in (document or {}).items():
        if key in KEYS_KEPT_BY_REDACTION and key != "status":
            values[key] = value_without_secrets(value)
    return values
