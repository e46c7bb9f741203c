"""Names of an import's bundles beside those that stand: one name is one agent's on one track."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from sitegen.importers import merge_rules as rules
from sitegen.importers.bundle_id import longer_id
from sitegen.models.finding import Finding
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.results import Bundle
from sitegen.models.submission import Submission
from sitegen.problems import Problem


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The bundles that stand where an import goes.

    Attributes:
        folder: The benchmark's submissions.
        bundles: By name.
    """

    folder: Path
    bundles: Mapping[str, Bundle]

    def beside(self, incoming: Incoming) -> tuple[Incoming, list[Problem]]:
        """Give an import whose bundles are not called like others that stand.

        Where a bundle of another track, or of the same model with another setting, has the name already, what it
        differs in is added: so an agent can have results of one day on two tracks.

        Returns:
            The import with its names; and which of them are longer than they would be alone.
        """
        names = {draft.id: self._name(draft) for draft in incoming.drafts}
        drafts = tuple(replace(draft, id=names[draft.id]) for draft in incoming.drafts)
        findings = tuple(_renamed(finding, names) for finding in incoming.findings)
        return replace(incoming, drafts=drafts, findings=findings), list(self._told(names))

    def _name(self, draft: Draft) -> str:
        name = draft.id
        while name in self.bundles:
            fact = _difference(draft.submission, self.bundles[name].submission)
            if fact is None:
                break
            name = longer_id(name, fact)
        return name

    def _told(self, names: Mapping[str, str]) -> Iterator[Problem]:
        """Say which bundles have longer names, unless they stand already."""
        for short, name in names.items():
            if name != short and name not in self.bundles:
                track = self.bundles[short].submission.track
                what = f"{short} is a bundle of track {track} already: the one of this import is called {name}"
                yield rules.NAME_LONGER.broken(self.folder / name, None, what)


def _difference(ours: Submission, theirs: Submission) -> str | None:
    """Give what tells a submission from another one; None where both are of one agent on one track.

    What only one of them states is no difference: it may be a correction of the other.
    """
    if ours.track != theirs.track:
        return ours.track
    for here, there in ((ours.agent.reasoning, theirs.agent.reasoning), (ours.agent.scaffold, theirs.agent.scaffold)):
        if here and there and here != there:
            return here
    return None


def _renamed(finding: Finding, names: Mapping[str, str]) -> Finding:
    """Let a finding about bundles of the import name them as they are called."""
    told = tuple(names.get(name, name) for name in finding.submissions)
    return finding if told == finding.submissions else finding.model_copy(update={"submissions": told})
