"""Names of submissions under embargo, and findings as they are published before the embargo ends.

Start with `EmbargoedNames.of`. Before an embargo ends, published texts must not name the
submission, either by its id or by an agent that no other submission has.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sitegen.models.finding import Finding, finding_ids
from sitegen.models.results import BenchmarkResults, Bundle

_INSTEAD = "a submission under embargo"
"""The replacement of a name in published texts."""
_MIN_NAME_LENGTH = 3
"""Length of the shortest agent name that is searched for in texts."""


@dataclass(frozen=True, slots=True)
class EmbargoedNames:
    """The submissions of a benchmark that are under embargo, and their names in texts."""

    submissions: frozenset[str]
    """The ids of the submissions."""
    agents: frozenset[str]
    """The agents of the submissions, except agents of published submissions or tables."""

    @classmethod
    def of(cls, embargoed: Iterable[Bundle], results: BenchmarkResults) -> "EmbargoedNames":
        """Return the names of embargoed submissions, which `results` may still contain."""
        submissions: set[str] = set()
        agents: set[str] = set()
        for bundle in embargoed:
            submissions.add(bundle.id)
            agents.add(bundle.submission.agent.name)
        for bundle in results.bundles:
            if bundle.id not in submissions:
                agents.discard(bundle.submission.agent.name)
        for table in results.reported:
            agents.difference_update(row.name for row in table.rows)
        return cls(frozenset(submissions), frozenset(agents))

    def hide_in(self, text: str) -> str:
        """Return a text in which the names are replaced."""
        names = set(self.submissions)
        names.update(agent for agent in self.agents if len(agent) >= _MIN_NAME_LENGTH)
        for name in sorted(names, key=len, reverse=True):
            text = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", _INSTEAD, text)
        return text

    def published_findings(self, findings: Sequence[Finding]) -> list[Finding | None]:
        """Return each finding as published; None for a finding only about embargoed submissions.

        Ids of findings follow from their titles, so those in `corrects` may change.
        """
        published = [self._about_others(finding) for finding in findings]
        remaining = [finding for finding in published if finding]
        remaining_ids = iter(finding_ids(remaining))
        published_ids = {}
        for recorded_id, finding in zip(finding_ids(findings), published, strict=True):
            published_ids[recorded_id] = next(remaining_ids) if finding else None
        corrected = []
        for finding in published:
            if finding and finding.corrects in published_ids:
                new_id = published_ids[finding.corrects]
                finding = finding.model_copy(update={"corrects": new_id})  # noqa: PLW2901
            corrected.append(finding)
        return corrected

    def _about_others(self, finding: Finding) -> Finding | None:
        """Return a finding with the names replaced; None if it names only embargoed submissions."""
        if finding.rerun in self.submissions:
            return None
        others = tuple(name for name in finding.submissions if name not in self.submissions)
        if finding.submissions and not others:
            return None
        changes = {
            "submissions": others,
            "title": self.hide_in(finding.title),
            "reason": self.hide_in(finding.reason),
        }
        return finding.model_copy(update=changes)
