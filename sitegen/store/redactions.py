"""What redactions leave of a submission: the rest is gone, and the record has the digests of what was there."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from sitegen.models.finding import Finding
from sitegen.models.submission import Status, Submission
from sitegen.problems import Problem
from sitegen.reading.files import read_bytes
from sitegen.reading.toml import Document as Manifest
from sitegen.store.edits import Document, content_of, read_document
from sitegen.store.finding_rules import FINDING_UNDONE
from sitegen.store.parts import CHECKSUMS, FAILURES, KNOWN, MANIFEST

KEPT = ("schema", "track", "date", "agent", "status")
"""Keys of a manifest that stay where all else had to leave: whose results they were, and that nothing else is known."""


def emptying(redactions: Sequence[Finding]) -> Finding | None:
    """Give the redaction of all that a submission held; None where there is none."""
    return next((each for each in redactions if not each.tasks), None)


def redacted_tasks(redactions: Sequence[Finding]) -> frozenset[str]:
    """Name the tasks whose texts were taken out of a submission."""
    return frozenset(task for each in redactions for task in each.tasks)


def without_texts(text: bytes, tasks: frozenset[str]) -> bytes:
    """Leave out the lines of a list of failed cases that are about some tasks."""
    return b"".join(line for line in text.splitlines(keepends=True) if _task_of(line) not in tasks)


def _task_of(line: bytes) -> object:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found.get("task") if isinstance(found, dict) else None


def stone_of(submission: Submission, redaction: Finding) -> Submission:
    """Say of a submission without content what became of it: the record tells, whatever its own status says."""
    reason = f"its content was redacted: {redaction.reason}"
    status = Status(state="withdrawn", by=redaction.by, reason=reason, date=redaction.date)
    return submission.model_copy(update={"status": status})


def undone(folder: Path, manifest: Manifest[Submission]) -> Iterator[Problem]:
    """Say what a submission holds whose content was taken out."""
    here = sorted({path.name for path in folder.iterdir()} & KNOWN - {MANIFEST, CHECKSUMS})
    here += (f"`{key}` of {MANIFEST}" for key in manifest.raw if key not in KEPT)
    if here:
        yield FINDING_UNDONE.broken(folder, None, f"{folder.name} was redacted, and these are here: {', '.join(here)}")


def is_as_redacted(was: Path, now: Path | None, redactions: Sequence[Finding]) -> bool:
    """Whether a file became what redactions make of it that have its digest.

    Args:
        was: The file, as it was published.
        now: The file in the later state; None where it is gone.
        redactions: Those of its submission in the later state.
    """
    digest = hashlib.sha256(content_of(was)).hexdigest()
    if digest not in {(each.digests or {}).get(was.name) for each in redactions}:
        return False
    if not emptying(redactions):
        text, _ = read_bytes(was)
        left, _ = read_bytes(now) if now else (b"", [])
        return was.name in FAILURES and left == without_texts(text or b"", redacted_tasks(redactions))
    if was.name != MANIFEST or now is None:
        return now is None
    return _kept(read_document(was)) == _kept(read_document(now))


def _kept(document: Document | None) -> dict[str, object]:
    return {key: value for key, value in (document or {}).items() if key in KEPT and key != "status"}
