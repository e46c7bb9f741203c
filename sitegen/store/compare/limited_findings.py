"""Find published findings that were limited to the tracks whose tasks did not change.

A finding without `tracks` applies to every track, including later ones. Once a new version of a
track has fixed all its tasks, the finding may be limited to the other tracks; `sitegen new-track`
does this.
"""

from pathlib import Path

from sitegen.models.benchmark import Benchmark
from sitegen.models.finding import Finding, Findings, is_limited
from sitegen.reading.toml import read_toml
from sitegen.store.files.layout import DEFINITION_FILE, FINDINGS_FILE


def limited_findings(before: Path, after: Path) -> dict[int, int]:
    """Return the findings that only gained `tracks`, in an allowed way.

    Args:
        before: The benchmark's folder in the earlier state.
        after: The benchmark's folder in the later state.

    Returns:
        The index of each finding in the later file, by its index in the earlier file; empty if a
            file can't be read.
    """
    findings_before = _read_findings(before)
    findings_after = _read_findings(after)
    benchmark = None
    if findings_before and findings_after:
        benchmark = read_toml(after / DEFINITION_FILE, Benchmark).record
    if benchmark is None:
        return {}
    limited = {}
    for index, finding in enumerate(findings_before):
        for index_after, finding_after in enumerate(findings_after):
            if is_limited(finding, finding_after, benchmark):
                limited[index] = index_after
    return limited


def _read_findings(folder: Path) -> tuple[Finding, ...]:
    path = folder / FINDINGS_FILE
    record = read_toml(path, Findings).record if path.is_file() else None
    return record.findings if record else ()
