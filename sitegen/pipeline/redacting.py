"""Remove content that must not be published from a results folder, and record its removal."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from sitegen.models.finding import Finding
from sitegen.models.results import BenchmarkResults, Bundle, Results
from sitegen.pipeline.addressing import unknown_submission
from sitegen.pipeline.correcting import is_one_line
from sitegen.pipeline.evaluating import Evaluation, evaluate, is_below
from sitegen.pipeline.submissions import all_bundles
from sitegen.problems import ProblemsError, UsageError, errors_of
from sitegen.publish.machine.packing import checksums, packed
from sitegen.publish.machine.transaction import Snapshot, snapshot_of, transaction
from sitegen.publish.results.benchmarks import findings_with_new
from sitegen.publish.results.records import selected_keys
from sitegen.reading.files import unpacked
from sitegen.reading.privacy import SECRET_FOUND
from sitegen.reading.secrets import find_secrets, value_without_secrets
from sitegen.store.files.layout import (
    CHECKSUMS_FILE,
    DEFINITION_FILE,
    FAILURE_FILES,
    FINDINGS_FILE,
    MANIFEST_FILE,
    SUBMISSIONS_FOLDER,
)
from sitegen.store.readers.findings import KEYS_KEPT_BY_REDACTION, without_texts


class Redaction(NamedTuple):
    """The record of a redaction, and the submissions that still contain the same results."""

    finding: Finding
    """The finding that was added to the benchmark's findings."""
    copies: Sequence[str]
    """The ids of related submissions, such as revisions, that still contain the same results."""


def redact(address: str, folder: Path, by: str, reason: str, day: date) -> Redaction:
    """Remove all content of a submission or the texts of one task, completely or not at all.

    Args:
        address: BENCHMARK/SUBMISSION or BENCHMARK/SUBMISSION/TASK.
        folder: The results folder.
        by: The name of the person who decided on the redaction.
        reason: The reason, as one line of text.
        day: The date of the finding, and the day on which waivers must hold.

    Raises:
        ProblemsError: The submission, its benchmark's definition or its findings have errors.
        UsageError: The address has no content that can be redacted, or another command changed a
            file in the meantime.
    """
    _require_publishable(by, reason)
    since = snapshot_of(folder)
    evaluation = evaluate(folder, day)
    _require_latest_date(address, evaluation.results, day)
    _require_readable(address, evaluation)
    results, bundle, tasks = _redaction_target(address, evaluation.results)
    if day < bundle.submission.date:
        raise UsageError(
            f"--date {day} is earlier than the date of the submission, {bundle.submission.date}"
        )
    before = {}
    for file in sorted(bundle.path.iterdir()):
        before[file.name] = file.read_bytes()
    after = _redacted_files(before, tasks)
    removed_digests = {}
    for name, content in before.items():
        if after.get(name) != content:
            removed_digests[name] = hashlib.sha256(content).hexdigest()
    if not removed_digests.keys() - {CHECKSUMS_FILE}:
        raise UsageError(f"{address} has no content to redact")
    removed = f"Texts of {tasks[0]}" if tasks else "Content"
    title = f"{removed} of {bundle.id} redacted"
    finding = Finding(
        date=day,
        kind="redaction",
        title=title,
        reason=reason,
        by=by,
        submissions=(bundle.id,),
        tasks=tasks,
        digests=removed_digests,
    )
    changed = {name: content for name, content in after.items() if name in removed_digests}
    _write_redaction(results, bundle, changed, finding, since)
    return Redaction(finding, _copies_of(bundle, results))


def _copies_of(bundle: Bundle, results: BenchmarkResults) -> list[str]:
    """Return the ids of related submissions that share records of rounds with a submission."""
    copies = []
    for other in results.bundles:
        is_related = _is_related(bundle, other) or _is_related(other, bundle)
        if is_related and other.id != bundle.id and _shares_records(bundle, other):
            copies.append(other.id)
    return copies


def _shares_records(bundle: Bundle, other: Bundle) -> bool:
    """Return whether two submissions have at least one identical record of the same round."""
    records = {result.place: result for result in bundle.rounds}
    return any(records.get(result.place) == result for result in other.rounds)


def _is_related(bundle: Bundle, other: Bundle) -> bool:
    """Return whether a submission states that another one supersedes it or is its source."""
    submission = bundle.submission
    sources = {revision.of for revision in submission.revisions}
    sources.add(submission.status.by or "")
    if submission.carried:
        sources.add(submission.carried.submission)
    return other.id in sources


def _require_publishable(by: str, reason: str) -> None:
    """Raise a UsageError unless a name and a reason are given and may be published."""
    if not by.strip() or not is_one_line(reason):
        raise UsageError("--by and --reason are required, one line each")
    if find_secrets(by) or find_secrets(reason):
        raise UsageError(
            "--by or --reason contains a secret, and the record of a redaction is published; "
            "leave the secret out"
        )


def _require_latest_date(address: str, results: Results, day: date) -> None:
    """Raise a UsageError if the benchmark at an address has a finding dated after a day."""
    benchmark_id = address.partition("/")[0]
    for benchmark_results in results.benchmarks:
        if benchmark_results.benchmark.id != benchmark_id:
            continue
        for finding in benchmark_results.findings:
            if finding.date > day:
                raise UsageError(
                    f"--date {day} is earlier than an existing finding of {finding.date}"
                )


def _require_readable(address: str, evaluation: Evaluation) -> None:
    """Raise a ProblemsError if the files that a redaction reads or changes have errors.

    Secrets in the submission are allowed, because a redaction is meant to remove them.
    """
    benchmark, submission, _ = _parse_address(address)
    home = evaluation.results.path / benchmark
    redacted_paths = (
        home / DEFINITION_FILE,
        home / FINDINGS_FILE,
        home / SUBMISSIONS_FOLDER / submission,
    )
    all_errors = errors_of(evaluation.problems())
    errors = [error for error in all_errors if is_below(error.path, redacted_paths)]
    codes = {error.code for error in errors}
    if codes - {SECRET_FOUND.code}:
        raise ProblemsError(errors)


def _redaction_target(
    address: str, results: Results
) -> tuple[BenchmarkResults, Bundle, tuple[str, ...]]:
    """Return the benchmark, the submission and the tasks that an address names."""
    targets = {}
    for benchmark_results, bundle in all_bundles(results):
        short_address = f"{benchmark_results.benchmark.id}/{bundle.id}"
        targets[short_address] = (benchmark_results, bundle)
    benchmark, submission, tasks = _parse_address(address)
    path = f"{benchmark}/{submission}"
    if path not in targets or len(tasks) > 1:
        raise UsageError(unknown_submission(address, list(targets)))
    return (*targets[path], tasks)


def _parse_address(address: str) -> tuple[str, str, tuple[str, ...]]:
    """Return the benchmark, the submission and the tasks in an address; missing parts are empty."""
    benchmark, _, remainder = address.strip("/").partition("/")
    submission, *tasks = remainder.split("/")
    return benchmark, submission, tuple(filter(None, tasks))


def _redacted_files(files: Mapping[str, bytes], tasks: tuple[str, ...]) -> dict[str, bytes]:
    """Return a bundle's files after a redaction: without tasks, only manifest and checksums."""
    if tasks:
        redacted = _without_texts(files, tasks)
    else:
        manifest = selected_keys(
            files[MANIFEST_FILE].decode(), KEYS_KEPT_BY_REDACTION, value_without_secrets
        )
        redacted = {MANIFEST_FILE: manifest.encode()}
    redacted[CHECKSUMS_FILE] = checksums(redacted)
    return redacted


def _without_texts(files: Mapping[str, bytes], tasks: tuple[str, ...]) -> dict[str, bytes]:
    """Return a bundle's files without the texts about failed cases of the given tasks.

    If no failed cases remain, their file is left out.
    """
    remaining = dict(files)
    remaining.pop(CHECKSUMS_FILE, None)
    for name in remaining.keys() & {*FAILURE_FILES}:
        text = unpacked(Path(name), remaining[name])
        shorter_text = without_texts(text, frozenset(tasks))
        if not shorter_text:
            del remaining[name]
        elif shorter_text != text:
            if name.endswith(".gz"):
                shorter_text = packed(shorter_text)
            remaining[name] = shorter_text
    return remaining


def _write_redaction(
    results: BenchmarkResults,
    bundle: Bundle,
    changed: Mapping[str, bytes],
    finding: Finding,
    since: Snapshot,
) -> None:
    """Write a bundle's changed files and the finding, and remove its other redacted files."""
    folder = results.path.parent
    bundle_folder = bundle.path.relative_to(folder)
    findings = findings_with_new(results.path / FINDINGS_FILE, (finding,)) or b""
    with transaction(folder, since) as changes:
        changes.write(bundle_folder.as_posix(), changed)
        for name in (finding.digests or {}).keys() - changed.keys():
            changes.remove(bundle_folder / name)
        changes.write(results.path.name, {FINDINGS_FILE: findings})
