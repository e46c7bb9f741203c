"""What kind of run each run was. Kinds are told apart before anything is counted: most runs are no attempts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sitegen.importers.harbor_multiturn.names import branch_of, token_of
from sitegen.importers.harbor_multiturn.runs import Run

Kind = Literal["attempt", "resume", "root", "child", "sample", "stretch", "foreign", "baseline", "unverified"]
"""What a run was.

`attempt`: an own try at a whole task, also one resumed in its own place. `resume`: goes on, in another place, from
what an attempt left. `root`, `child`: a try at one round in a fan-out. `sample`: one round run from the reference
state. `stretch`: several rounds run from there. `foreign`: goes on from what another agent left. `baseline`: no model
ran. `unverified`: nothing was verified.
"""


@dataclass(frozen=True, slots=True)
class KindFacts:
    """What readers are told of a kind."""

    noun: str
    why: str = ""
    """Why runs of this kind are not imported; empty for those that are."""


KINDS: Mapping[Kind, KindFacts] = {
    "attempt": KindFacts("plain attempt"),
    "resume": KindFacts("resumed copy"),
    "root": KindFacts("fan-out root"),
    "child": KindFacts("fan-out descendant"),
    "sample": KindFacts("single round"),
    "stretch": KindFacts("late start", "several rounds after a late start"),
    "foreign": KindFacts("borrowed start", "it goes on from another agent's run"),
    "baseline": KindFacts("baseline run", "a baseline: no agent ran"),
    "unverified": KindFacts("unverified run", "nothing was verified"),
}
"""The kinds, in the order that a report tells them in."""


@dataclass(frozen=True, slots=True)
class Lineage:
    """Finds the run that another goes on from."""

    by_name: Mapping[str, Sequence[Run]]
    by_token: Mapping[str, Sequence[Run]]

    @classmethod
    def of(cls, runs: Iterable[Run]) -> "Lineage":
        """Put the runs of a source where they can be found."""
        by_name: dict[str, list[Run]] = {}
        by_token: dict[str, list[Run]] = {}
        for run in runs:
            by_name.setdefault(run.name, []).append(run)
            by_token.setdefault(token_of(run.name) or "", []).append(run)
        return cls(by_name, by_token)

    def origin(self, run: Run) -> Run | None:
        """Give the run that a run goes on from; None where it is not here, or can't be told from others."""
        job, name = run.origin or ("", "")
        named = [each for each in self.by_name.get(name, ()) if each is not run]
        return _only([each for each in named if each.job[-1:] == (job,)] or named)

    def parent(self, run: Run) -> Run | None:
        """Give the run that a branch of a fan-out goes on from, by its path or by its name."""
        branch = branch_of(run.name)
        if branch is None or branch.token is None:
            return None
        meant = (branch.round - 1, branch.parent)
        named = self.by_token.get(branch.token, ())
        return self.origin(run) or _only([each for each in named if _place(each) == meant])

    def root(self, run: Run) -> Run:
        """Follow a branch back to the run that its fan-out began with, as far as that is here."""
        top, parent = run, self.parent(run)
        while parent is not None and _place(parent)[0] < _place(top)[0]:
            top, parent = parent, self.parent(parent)
        return top


def _only(runs: Sequence[Run]) -> Run | None:
    return runs[0] if len(runs) == 1 else None


def _place(run: Run) -> tuple[int, int | None]:
    """Give the round and the number of a branch; round 0 for a run that is none."""
    branch = branch_of(run.name)
    return (branch.round, branch.number) if branch else (0, None)


def kind_of(run: Run, lineage: Lineage) -> Kind:
    """Say what a run was.

    A run of round 1 alone is a sample even where it was not told to begin there: a whole attempt has no last round.
    """
    if run.is_baseline:
        return "baseline"
    if run.is_unverified:
        return "unverified"
    if branch_of(run.name):
        return _kind_of_branch(run, lineage)
    if run.start > 1:
        return _kind_of_late(run, lineage)
    return "sample" if run.is_single else "attempt"


def _kind_of_branch(run: Run, lineage: Lineage) -> Kind:
    """Tell a branch by its root: a fan-out that began late began from the reference state."""
    parent = lineage.parent(run)
    if parent and (parent.is_baseline or not parent.is_of_agent(run)):
        return _kind_of_heir(run, parent)
    top = lineage.root(run)
    branch = branch_of(top.name)
    if branch is None or not branch.is_root:
        return "child"
    kinds: tuple[Kind, Kind] = ("sample", "stretch") if branch.round > 1 else ("root", "child")
    return kinds[0] if top is run else kinds[1]


def _kind_of_late(run: Run, lineage: Lineage) -> Kind:
    """Say what a run was that did not begin with round 1."""
    if run.is_in_place:
        return "attempt" if run.took_over or not run.is_single else "sample"
    if not run.goes_on:
        return _from_reference(run)
    origin = lineage.origin(run)
    return _kind_of_heir(run, origin) if origin else "resume"


def _kind_of_heir(run: Run, origin: Run) -> Kind:
    """Say what a run was that goes on from another one."""
    if origin.is_baseline:
        return _from_reference(run)
    return "resume" if origin.is_of_agent(run) else "foreign"


def _from_reference(run: Run) -> Kind:
    return "sample" if run.is_single else "stretch"
