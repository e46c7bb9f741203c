"""Taking content out of a results folder that must not stay, with a record of what was there."""

import hashlib
from collections.abc import Mapping
from datetime import date
from difflib import get_close_matches
from pathlib import Path

from sitegen.models.finding import Finding
from sitegen.models.results import BenchmarkResults, Bundle, Results
from sitegen.pipeline.judging import judge
from sitegen.problems import ProblemsError, UsageError, errors_of
from sitegen.publish.benchmarks import grown_findings
from sitegen.publish.packing import checksums, packed
from sitegen.publish.records import excerpt
from sitegen.publish.transaction import snapshot_of, transaction
from sitegen.reading.files import unpacked
from sitegen.reading.privacy import SECRET_FOUND
from sitegen.reading.secrets import find_secrets, value_without_secrets
from sitegen.store.findings import KEPT, without_texts
from sitegen.store.layout import CHECKSUMS, DEFINITION, FAILURES, FINDINGS, MANIFEST, SUBMISSIONS


def redact(address: str, folder: Path, by: str, reason: str, day: date) -> Finding:
    """Take out the content of BENCHMARK/SUBMISSION, or the texts of one /TASK of it: all of it, or nothing.

    The record, which comes back, is of the day, on which waivers are to hold.

    Raises:
        ProblemsError: The submission, its benchmark's definition or its findings have errors.
        UsageError: Nothing that can be redacted has that address, or another command changed a file meanwhile.
    """
    if not (by.strip() and reason.strip() and reason.isprintable()):
        raise UsageError("a redaction says who decides it, and why, in one line of text")
    if find_secrets(by) or find_secrets(reason):
        raise UsageError(
            "the record of a redaction is published, and --by or --reason holds a secret"
        )
    since = snapshot_of(folder)
    judged = judge(folder, day)
    benchmark, name, *_ = (*address.strip("/").split("/"), "")
    home = judged.results.path / benchmark
    written = {home / DEFINITION, home / FINDINGS}
    errors = errors_of(judged.problems())
    found = [
        each
        for each in errors
        if each.path in written or each.path.is_relative_to(home / SUBMISSIONS / name)
    ]
    if any(each.code != SECRET_FOUND.code for each in found):  # a secret is what a redaction is for
        raise ProblemsError(found)
    results, bundle, tasks = _meant(address, judged.results)
    if day < bundle.submission.date:
        raise UsageError(
            f"{bundle.id} is of {bundle.submission.date}, and can't have been redacted on {day}"
        )
    before = {file.name: file.read_bytes() for file in sorted(bundle.path.iterdir())}
    if tasks:
        after = _without_texts(before, tasks)
    else:
        kept = excerpt(before[MANIFEST].decode(), KEPT, value_without_secrets)
        after = {MANIFEST: kept.encode()}
    after[CHECKSUMS] = checksums(after)
    gone = {
        name: hashlib.sha256(data).hexdigest()
        for name, data in before.items()
        if after.get(name) != data
    }
    if not gone.keys() - {CHECKSUMS}:
        raise UsageError(f"{address} has no content that could be redacted")
    what = f"Texts of {tasks[0]}" if tasks else "Content"
    finding = Finding(
        date=day,
        kind="redaction",
        title=f"{what} of {bundle.id} redacted",
        reason=reason,
        by=by,
        submissions=(bundle.id,),
        tasks=tasks,
        digests=gone,
    )
    place = bundle.path.relative_to(results.path.parent)
    with transaction(results.path.parent, since) as changes:
        changes.write(
            place.as_posix(), {name: data for name, data in after.items() if name in gone}
        )
        for name in gone.keys() - after.keys():
            changes.remove(place / name)
        changes.write(
            results.path.name,
            {FINDINGS: grown_findings(results.path / FINDINGS, (finding,)) or b""},
        )
    return finding


def _meant(address: str, results: Results) -> tuple[BenchmarkResults, Bundle, tuple[str, ...]]:
    """Find the submission that an address names, and the task, where it names one."""
    known = {
        (each.benchmark.id, bundle.id): (each, bundle)
        for each in results.benchmarks
        for bundle in each.bundles
    }
    benchmark, name, *rest = (*address.strip("/").split("/"), "")
    tasks = tuple(filter(None, rest))
    if (benchmark, name) not in known or len(tasks) > 1:
        near = ", ".join(get_close_matches(f"{benchmark}/{name}", map("/".join, known)))
        raise UsageError(f"there is no submission {address}; there are: {near or 'none like it'}")
    return (*known[benchmark, name], tasks)


def _without_texts(files: Mapping[str, bytes], tasks: tuple[str, ...]) -> dict[str, bytes]:
    """Leave out of a bundle's files what is told of the failed cases of some tasks; a list without a line goes."""
    kept = {name: data for name, data in files.items() if name != CHECKSUMS}
    for name in kept.keys() & {*FAILURES}:
        text = unpacked(Path(name), kept[name])
        left = without_texts(text, frozenset(tasks))
        if not left:
            del kept[name]
        elif left != text:
            kept[name] = packed(left) if name.endswith(".gz") else left
    return kept
