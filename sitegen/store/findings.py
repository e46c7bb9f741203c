"""Reads a benchmark's findings, holds them against the benchmark, and tells what its redactions left."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

from sitegen.models.benchmark import Benchmark
from sitegen.models.finding import Finding, Findings, finding_ids
from sitegen.models.submission import Status, Submission
from sitegen.models.task import TaskSet
from sitegen.problems import Problem, Rule, reasons
from sitegen.reading.files import read_bytes
from sitegen.reading.secrets import value_without_secrets
from sitegen.reading.shape import suggestion
from sitegen.reading.toml import Document as Manifest
from sitegen.reading.toml import read_toml
from sitegen.store.benchmarks import TRACK_UNKNOWN
from sitegen.store.edits import Document, content_of, json_line, read_document
from sitegen.store.expected import ROUND_UNKNOWN, TASK_UNKNOWN
from sitegen.store.layout import (
    CHECKSUMS,
    FAILURES,
    FINDINGS,
    KNOWN,
    MANIFEST,
    NAME_TWICE,
    SUBMISSIONS,
)

_OWN = partial(Rule.error, unwaivable=reasons.OWN)
SUBMISSION_UNKNOWN = _OWN(
    "SUBMISSION-UNKNOWN",
    "A finding names submissions that are here.",
    "correct the name of the folder",
)
FINDING_INCOMPLETE = _OWN(
    "FINDING-INCOMPLETE", "A finding says all that its kind and its effect need.", "add the key"
)
FINDING_CONTRADICTED = _OWN(
    "FINDING-CONTRADICTED",
    "A finding has no key that its kind has no use for.",
    "remove the key, or correct the kind",
)
FINDING_CORRECTS = _OWN(
    "FINDING-CORRECTS",
    "A correction names an earlier finding, and is about every track that this one is about.",
    "name the earlier finding as its address does, behind `#finding-`; name its tracks, too",
)
FINDING_CASE_UNKNOWN = _OWN(
    "FINDING-CASE-UNKNOWN",
    "A case that a finding names is one of its rounds.",
    "correct the name of the case",
)
FINDING_UNDONE = _OWN(
    "FINDING-UNDONE",
    "What a redaction took out of a submission stays out.",
    "take it out again, and leave of the manifest what says whose results they were",
)


def read_findings(
    folder: Path, benchmark: Benchmark, task_sets: Mapping[str, TaskSet]
) -> tuple[tuple[Finding, ...], tuple[int | None, ...], list[Problem]]:
    """Read a benchmark's findings, each with its line; none where it has no such file."""
    path = folder / FINDINGS
    if not path.exists():
        return (), (), []
    document = read_toml(path, Findings)
    if document.record is None:
        return (), (), list(document.problems)
    submissions = {child.name for child in (folder / SUBMISSIONS).glob("*")}
    report = _Report(document, document.record.findings)
    problems = [
        *report.unknown_names(benchmark, submissions, task_sets),
        *report.unknown_work(task_sets),
        *report.breaches(),
        *report.false_corrections(),
    ]
    lines = (
        document.places.line_of(("findings", index))
        for index in range(len(document.record.findings))
    )
    return document.record.findings, tuple(lines), problems


@dataclass(frozen=True, slots=True)
class _Report:
    """The findings of one file, to be held against what they name."""

    document: Manifest[Findings]
    findings: Sequence[Finding]

    def unknown_names(
        self, benchmark: Benchmark, submissions: AbstractSet[str], task_sets: Mapping[str, TaskSet]
    ) -> Iterator[Problem]:
        """Which tracks, submissions and tasks there are not."""
        tasks = {task.id for tasks in task_sets.values() for task in tasks.tasks}
        for key, members, rule, known in (
            ("tracks", "tracks", TRACK_UNKNOWN, {track.id for track in benchmark.tracks}),
            ("submissions", "submissions", SUBMISSION_UNKNOWN, submissions),
            ("rerun", "submissions", SUBMISSION_UNKNOWN, submissions),
            ("tasks", "tasks", TASK_UNKNOWN, tasks),
        ):
            for index, finding in enumerate(self.findings):
                value = getattr(finding, key)
                names = {value} - {None} if key == "rerun" else {*value}
                for name in sorted(names - known):
                    what = f"the finding names `{name}`, which is none of the {members} of {benchmark.id}"
                    yield self._broken(rule, index, key, what, suggestion(name, known))

    def unknown_work(self, task_sets: Mapping[str, TaskSet]) -> Iterator[Problem]:
        """Which rounds and cases the tasks have not; that there is no such task is told already."""
        for index, finding in enumerate(self.findings):
            tasks = chain.from_iterable(each.tasks for each in task_sets.values())
            named = (task for task in tasks if not finding.tasks or task.id in finding.tasks)
            rounds = [each for task in named for each in task.rounds]
            known = {each.n for each in rounds}
            for number in sorted({*finding.rounds} - known) if rounds else ():
                what = f"the finding names round {number}, which none of its tasks has"
                yield self._broken(ROUND_UNKNOWN, index, "rounds", what)
            # Where a task does not list a round's cases, only the bundles can tell which there are.
            concerned = [each.cases for each in rounds if each.n in finding.rounds]
            cases = {case.id for case in chain.from_iterable(filter(None, concerned))}
            for name in (
                sorted({*finding.cases} - cases) if concerned and None not in concerned else ()
            ):
                what = f"the finding names the case `{name}`, which none of its rounds has"
                yield self._broken(
                    FINDING_CASE_UNKNOWN, index, "cases", what, suggestion(name, cases)
                )

    def breaches(self) -> Iterator[Problem]:
        """Which keys are missing, and which have no use."""
        seen: set[str] = set()
        for index, finding in enumerate(self.findings):
            needed = [
                (key, f"the finding is a {finding.kind}") for key in _NEEDED.get(finding.kind, ())
            ]
            needed += [("reason", f'the effect is "{finding.effect}"')] * finding.changes_results
            needed += [("submissions", 'the effect is "withdraw"')] * (finding.effect == "withdraw")
            needed += [
                (key, "the finding names cases") for key in ("tasks", "rounds") if finding.cases
            ]
            for key, why in needed:
                value = getattr(finding, key)
                if not (value.strip() if isinstance(value, str) else value):
                    what = f"{why}, but `{key}` is missing"
                    yield self._broken(FINDING_INCOMPLETE, index, key, what, f"add `{key}`")
            strange = (
                (key, kind) for key, kind in _KIND_OF.items() if getattr(finding, key) is not None
            )
            idle = [
                (key, f"the finding is no {kind}") for key, kind in strange if finding.kind != kind
            ]
            if finding.effect != "note" and finding.kind in _NEEDED:
                idle.append(("effect", f"a {finding.kind} changes no result"))
            if finding.tracks and finding.kind == "redaction":
                idle.append(("tracks", "a redaction is told wherever its submission is"))
            for key, why in idle:
                yield self._broken(
                    FINDING_CONTRADICTED, index, key, f"`{key}` stands here, but {why}"
                )
            if finding.id in seen:
                yield self._broken(NAME_TWICE, index, "id", f"two findings are called {finding.id}")
            seen |= {finding.id} if finding.id else set()

    def false_corrections(self) -> Iterator[Problem]:
        """Yield corrections of findings that are not there, come later, or are about other tracks."""
        names = finding_ids(self.findings)
        for index, finding in enumerate(self.findings):
            if finding.corrects is None:
                continue
            earlier = dict(zip(names[:index], self.findings[:index], strict=True))
            corrected = earlier.get(finding.corrects)
            if corrected is None:
                what = f"the finding corrects `{finding.corrects}`, which is none of the findings before it"
                fix = suggestion(finding.corrects, earlier)
                yield self._broken(FINDING_CORRECTS, index, "corrects", what, fix)
            elif finding.tracks and not (
                corrected.tracks and {*finding.tracks} >= {*corrected.tracks}
            ):
                tracks = ", ".join(corrected.tracks) or "every track"
                what = f"the finding corrects `{finding.corrects}`, which is about {tracks}"
                yield self._broken(FINDING_CORRECTS, index, "tracks", what)

    def _broken(
        self, rule: Rule, index: int, key: str, what: str, fix: str | None = None
    ) -> Problem:
        return self.document.broken(rule, ("findings", index, key), what, fix)


_NEEDED: Mapping[str, Sequence[str]] = {
    "waiver": ("code", "by", "reason"),
    "reproduction": ("submissions", "rerun"),
    "redaction": ("submissions", "by", "reason", "digests"),
}
_KIND_OF: Mapping[str, str] = {
    "code": "waiver",
    "until": "waiver",
    "rerun": "reproduction",
    "digests": "redaction",
}


KEPT = ("schema", "track", "date", "agent", "status")
"""Keys of a manifest that stay where all else had to leave: whose results they were, and that nothing else is known."""


def emptying(redactions: Sequence[Finding]) -> Finding | None:
    """The redaction of all that a submission held; None where there is none."""
    return next((each for each in redactions if not each.tasks), None)


def redacted_tasks(redactions: Sequence[Finding]) -> frozenset[str]:
    """Name the tasks whose texts were taken out of a submission."""
    return frozenset(task for each in redactions for task in each.tasks)


def without_texts(text: bytes, tasks: frozenset[str]) -> bytes:
    """Leave out the lines of a list of failed cases that are about some tasks."""
    return b"".join(
        line for line in text.splitlines(keepends=True) if json_line(line).get("task") not in tasks
    )


def stone_of(submission: Submission, redaction: Finding) -> Submission:
    """Say of a submission without content what became of it: the record tells, whatever its own status says."""
    reason = f"its content was redacted: {redaction.reason}"
    status = Status(state="withdrawn", by=redaction.by, reason=reason, date=redaction.date)
    return submission.model_copy(update={"status": status})


def undone(folder: Path, manifest: Manifest[Submission]) -> Iterator[Problem]:
    """What a submission holds whose content was taken out."""
    here = sorted({path.name for path in folder.iterdir()} & KNOWN - {MANIFEST, CHECKSUMS})
    here += (f"`{key}` of {MANIFEST}" for key in manifest.raw if key not in KEPT)
    if here:
        yield FINDING_UNDONE.broken(
            folder, None, f"{folder.name} was redacted, and these are here: {', '.join(here)}"
        )


def is_as_redacted(was: Path, now: Path | None, redactions: Sequence[Finding]) -> bool:
    """Whether a file became what redactions make of it that have its digest."""
    digest = hashlib.sha256(content_of(was)).hexdigest()
    if digest not in {(each.digests or {}).get(was.name) for each in redactions}:
        return False
    if not emptying(redactions):
        text, _ = read_bytes(was)
        left, _ = read_bytes(now) if now else (b"", [])
        return was.name in FAILURES and left == without_texts(
            text or b"", redacted_tasks(redactions)
        )
    if was.name != MANIFEST or now is None:
        return now is None
    return _kept(read_document(was)) == _kept(read_document(now))


def _kept(document: Document | None) -> dict[str, object]:
    """Return what must stay of a manifest, without its secrets, which a redaction takes out of it, too."""
    kept = {
        key: value for key, value in (document or {}).items() if key in KEPT and key != "status"
    }
    return {key: value_without_secrets(value) for key, value in kept.items()}
