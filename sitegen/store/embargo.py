"""Keep submissions under embargo out of everything that is computed and shown before their day.

Start with `without_embargoed`. An embargoed bundle is still read and checked by itself.
"""

from dataclasses import replace
from datetime import date

from sitegen.models.finding import Finding
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.submission import Status


def without_embargoed(results: BenchmarkResults, day: date) -> BenchmarkResults:
    """Return results as they count on a day: what is under embargo is in `sealed` alone.

    A submission that an embargoed one supersedes stays published until the embargo ends, and
    findings and checks about embargoed submissions are left out.
    """
    embargoed = []
    for bundle in results.bundles:
        if bundle.submission.is_embargoed(day):
            embargoed.append(bundle)
    if not embargoed:
        return results
    names = {bundle.id for bundle in embargoed}
    bundles = []
    for bundle in results.bundles:
        if bundle.id not in names:
            bundles.append(_without_successor(bundle, names))
    checks = {name: check for name, check in results.checks.items() if name not in names}
    findings = []
    lines = []
    for line, finding in results.numbered_findings():
        remaining = _about_others(finding, names)
        if remaining:
            findings.append(remaining)
            lines.append(line)
    return replace(
        results,
        bundles=tuple(bundles),
        sealed=replace(results, bundles=tuple(embargoed), reported=(), problems=()),
        checks=checks,
        findings=tuple(findings),
        finding_lines=tuple(lines),
    )


def _without_successor(bundle: Bundle, embargoed: set[str]) -> Bundle:
    """Return a bundle as published if what supersedes it is under embargo."""
    status = bundle.submission.status
    if status.state != "superseded" or status.by not in embargoed:
        return bundle
    submission = bundle.submission.model_copy(update={"status": Status()})
    return replace(bundle, submission=submission)


def _about_others(finding: Finding, embargoed: set[str]) -> Finding | None:
    """Return a finding without embargoed submissions; None if it is about no other one."""
    if finding.rerun in embargoed:
        return None
    others = tuple(name for name in finding.submissions if name not in embargoed)
    if others == tuple(finding.submissions):
        return finding
    if not others:
        return None
    return finding.model_copy(update={"submissions": others})
