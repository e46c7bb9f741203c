"""Exclude submissions under embargo from all computed and published results.

Read `without_embargoed` first. An embargoed bundle is still read and checked on its own.
"""

from collections.abc import Collection
from dataclasses import replace
from datetime import date

from sitegen.models.embargo import EmbargoedNames
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.submission import Status


def without_embargoed(results: BenchmarkResults, day: date) -> BenchmarkResults:
    """Return the results that count on a day; only `sealed` contains submissions under embargo.

    A submission whose successor is under embargo stays published until the embargo ends. Findings
    and checks about embargoed submissions are left out, and other findings do not name them.
    """
    embargoed = []
    for bundle in results.bundles:
        if bundle.submission.is_embargoed(day):
            embargoed.append(bundle)
    if not embargoed:
        return results
    names = EmbargoedNames.of(embargoed, results)
    bundles = []
    for bundle in results.bundles:
        if bundle.id not in names.submissions:
            bundles.append(_without_successor(bundle, names.submissions))
    checks = {
        name: check for name, check in results.checks.items() if name not in names.submissions
    }
    findings = []
    lines = []
    published = names.published_findings(results.findings)
    for (line, _), finding in zip(results.numbered_findings(), published, strict=True):
        if finding:
            findings.append(finding)
            lines.append(line)
    return replace(
        results,
        bundles=tuple(bundles),
        sealed=replace(results, bundles=tuple(embargoed), reported=(), problems=()),
        checks=checks,
        findings=tuple(findings),
        finding_lines=tuple(lines),
    )


def _without_successor(bundle: Bundle, embargoed: Collection[str]) -> Bundle:
    """Return a bundle as published if its successor is under embargo."""
    status = bundle.submission.status
    if status.state != "superseded" or status.by not in embargoed:
        return bundle
    submission = bundle.submission.model_copy(update={"status": Status()})
    return replace(bundle, submission=submission)
