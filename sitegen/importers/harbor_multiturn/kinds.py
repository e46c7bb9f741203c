"""Which runs a source holds, and what kind of run each was. Kinds are told apart first: most runs are no attempts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sitegen.importers.harbor.trials import RESUMED
from sitegen.importers.harbor_multiturn import rules
from sitegen.importers.harbor_multiturn.runs import ROWS, VERIFIER, Run, token_of
from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import only
from sitegen.importers.kit.tree import Folder, Tree
from sitegen.problems import Rule, grouped

Kind = Literal[
    "attempt",
    "resume",
    "root",
    "child",
    "sample",
    "stretch",
    "foreign",
    "baseline",
    "unverified",
    "unclear",
]
"""What a run was.

`attempt`: an own try at a whole task, also one resumed in its own place. `resume`: goes on, in another place, from
what an attempt left. `root`, `child`: a try at one round in a fan-out. `sample`: one round run from the reference
state. `stretch`: several rounds run from there. `foreign`: goes on from what another agent left. `baseline`: no model
ran. `unverified`: nothing was verified. `unclear`: its settings can't be read.
"""

KINDS: Mapping[Kind, tuple[str, str, Rule | None]] = {
    "attempt": ("plain attempt", "", None),
    "resume": ("resumed copy", "", None),
    "root": ("fan-out root", "", None),
    "child": ("fan-out descendant", "", None),
    "sample": ("single round", "", None),
    "stretch": ("late start", "several rounds after a late start", rules.STRETCH),
    "foreign": ("borrowed start", "it goes on from another agent's run", rules.FOREIGN),
    "baseline": ("baseline run", "a baseline: no agent ran", None),
    "unverified": ("unverified run", "nothing was verified", rules.UNVERIFIED),
    "unclear": ("run of unclear kind", "its settings can't be read", kit_rules.LEFT_OUT),
}
"""What readers call the kinds, why runs are not imported, empty where they are, and the rule that these break.

In the order that a report tells them in.
"""

_TRACES = frozenset({"agent", VERIFIER, "state", "artifacts"})

_LOG = "trial.log"
_RECORDS = frozenset({"config.json", "result.json", _LOG})


def passed_over(tree: Tree, folder: Folder) -> str | None:
    """Why a folder is passed over: nothing where it is a run's, None where runs may lie in it."""
    has_record = not _RECORDS.isdisjoint(folder.files)
    if RESUMED in folder.path.name and folder.path != tree.root:
        return "what a resume put aside: the resumed run beside it counts"
    if "steps" in folder.folders and has_record:
        return "a run of the official runner, for `sitegen import harbor`"
    if "job.log" in folder.files:
        return None
    if has_record and (_LOG in folder.files or not _TRACES.isdisjoint(folder.folders)):
        return ""
    return "" if ROWS in tree.inner(folder, VERIFIER).files else None


@dataclass(frozen=True, slots=True)
class Lineage:
    """Finds the run that another goes on from."""

    by_name: Mapping[str, Sequence[Run]]
    by_token: Mapping[str, Sequence[Run]]

    @classmethod
    def of(cls, runs: Iterable[Run]) -> "Lineage":
        """Put the runs of a source where they can be found."""
        names = [(run.path.name, run) for run in runs]
        return cls(grouped(names), grouped((token_of(name) or "", run) for name, run in names))

    def origin(self, run: Run) -> Run | None:
        """The run that a run goes on from; None where it is not here, or can't be told from others."""
        job, name = run.origin or ("", "")
        named = [each for each in self.by_name.get(name, ()) if each.path != run.path]
        return only([each for each in named if each.job[-1:] == (job,)] or named)

    def parent(self, run: Run) -> Run | None:
        """The run that a branch of a fan-out goes on from, by its path or by its name."""
        branch = run.branch
        if branch.token is None:
            return None
        meant = branch.round - 1, branch.parent
        named = self.by_token.get(branch.token, ())
        return self.origin(run) or only(
            [each for each in named if (each.branch.round, each.branch.number) == meant]
        )

    def root(self, run: Run) -> Run:
        """Follow a branch back to the run that its fan-out began with, as far as that is here."""
        top, parent = run, self.parent(run)
        while parent is not None and parent.branch.round < top.branch.round:
            top, parent = parent, self.parent(parent)
        return top

    def is_lost(self, run: Run) -> bool:
        """Whether a run goes on from one that is not here."""
        if run.branch.round:
            return run.branch.token is not None and self.parent(run) is None
        return run.goes_on and self.origin(run) is None


def kind_of(run: Run, lineage: Lineage) -> Kind:
    """Say what a run was.

    A run of round 1 alone is a sample even where it was not told to begin there: a whole attempt has no last round.
    """
    if run.is_unclear:
        return "unclear"
    if run.is_baseline:
        return "baseline"
    if run.is_unverified:
        return "unverified"
    if run.branch.round:
        return _kind_of_branch(run, lineage)
    if run.start == 1:
        return "sample" if run.is_single else "attempt"
    if run.is_in_place:
        return "attempt" if run.took_over or not run.is_single else "sample"
    return _kind_of_follower(run, lineage.origin(run)) if run.goes_on else _from_reference(run)


def _kind_of_branch(run: Run, lineage: Lineage) -> Kind:
    """Tell a branch by its root: a fan-out that began late began from the reference state."""
    parent = lineage.parent(run)
    if parent and (parent.is_baseline or not parent.is_of_agent(run)):
        return _kind_of_follower(run, parent)
    top = lineage.root(run)
    if not top.branch.round or top.branch.token is not None:
        return "child"
    if top.branch.round > 1:
        return "sample" if top is run else "stretch"
    return "root" if top is run else "child"


def _kind_of_follower(run: Run, origin: Run | None) -> Kind:
    """Say what a run was that goes on from another one, which may not be here."""
    if origin is None:
        return "resume"
    if origin.is_baseline:
        return _from_reference(run)
    return "resume" if origin.is_of_agent(run) else "foreign"


def _from_reference(run: Run) -> Kind:
    return "sample" if run.is_single else "stretch"
