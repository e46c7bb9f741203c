"""Find the runs of a source, and classify each run: most runs are not attempts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from sitegen.importers.harbor.trials import OPEN_FOLDER, RESUMED, RUN_FOLDER, FolderKind
from sitegen.importers.harbor_multiturn import rules
from sitegen.importers.harbor_multiturn.runs import ROWS, VERIFIER, ForkRun, parse_token
from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import only
from sitegen.importers.kit.tree import Folder, SourceTree
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
"""The kind of a run.

`attempt`: runs a task from its first round, possibly resumed in its own folder. `resume`: continues
an attempt in another folder. `root`, `child`: a run of one round in a fan-out. `sample`: one round
run from the reference state. `stretch`: several rounds run from that state. `foreign`: continues
another agent's run. `baseline`: no model ran. `unverified`: nothing was verified. `unclear`: its
settings can't be read.
"""


class KindInfo(NamedTuple):
    """How a kind of run is reported."""

    noun: str
    skip_reason: str | None = None
    """Why such runs are not imported; None if they are imported."""
    rule: Rule | None = None
    """The rule that such runs break."""


KINDS: Mapping[Kind, KindInfo] = {
    "attempt": KindInfo("plain attempt"),
    "resume": KindInfo("resumed copy"),
    "root": KindInfo("fan-out root"),
    "child": KindInfo("fan-out descendant"),
    "sample": KindInfo("single round"),
    "stretch": KindInfo("late start", "several rounds after a late start", rules.STRETCH),
    "foreign": KindInfo("borrowed start", "it continues another agent's run", rules.FOREIGN),
    "baseline": KindInfo("baseline run", "a baseline: no agent ran"),
    "unverified": KindInfo("unverified run", "nothing was verified", rules.UNVERIFIED),
    "unclear": KindInfo("run of unclear kind", "its settings can't be read", kit_rules.LEFT_OUT),
}
"""Every kind, in the order in which a report lists them."""

_WORK_FOLDERS = frozenset({"agent", VERIFIER, "state", "artifacts"})
_LOG = "trial.log"
_RECORD_FILES = frozenset({"config.json", "result.json", _LOG})


def classify_folder(tree: SourceTree, folder: Folder) -> FolderKind:
    """Return whether a folder is a run, is skipped, or may contain runs."""
    if RESUMED in folder.path.name and folder.path != tree.root:
        reason = "files that a resumed run set aside; the resumed run counts"
        return FolderKind(skip_reason=reason)
    has_record = not _RECORD_FILES.isdisjoint(folder.files)
    if "steps" in folder.folders and has_record:
        reason = "a run of the official runner, for `sitegen import harbor`"
        return FolderKind(skip_reason=reason)
    if "job.log" in folder.files:
        return OPEN_FOLDER
    has_work = _LOG in folder.files or not _WORK_FOLDERS.isdisjoint(folder.folders)
    if has_record and has_work:
        return RUN_FOLDER
    has_rows = ROWS in tree.inner(folder, VERIFIER).files
    return RUN_FOLDER if has_rows else OPEN_FOLDER


@dataclass(frozen=True, slots=True)
class Lineage:
    """Finds the run that another run continues."""

    by_name: Mapping[str, Sequence[ForkRun]]
    by_token: Mapping[str, Sequence[ForkRun]]

    @classmethod
    def from_runs(cls, runs: Iterable[ForkRun]) -> "Lineage":
        """Return the lineage of the runs of a source."""
        named_runs = [(run.path.name, run) for run in runs]
        tokens = [(parse_token(name) or "", run) for name, run in named_runs]
        return cls(grouped(named_runs), grouped(tokens))

    def find_origin(self, run: ForkRun) -> ForkRun | None:
        """Return the run that a run continues; None if it is missing or ambiguous."""
        job_name, name = run.origin or ("", "")
        candidates = [origin for origin in self.by_name.get(name, ()) if origin.path != run.path]
        same_job = [origin for origin in candidates if origin.job[-1:] == (job_name,)]
        return only(same_job or candidates)

    def find_parent(self, run: ForkRun) -> ForkRun | None:
        """Return the run that a branch of a fan-out continues, found by its path or by its name."""
        branch = run.branch
        if branch.token is None:
            return None
        origin = self.find_origin(run)
        if origin is not None:
            return origin
        candidates = []
        for candidate in self.by_token.get(branch.token, ()):
            position = candidate.branch.round, candidate.branch.number
            if position == (branch.round - 1, branch.parent):
                candidates.append(candidate)
        return only(candidates)

    def find_root(self, run: ForkRun) -> ForkRun:
        """Return the earliest run of a branch's fan-out that the source contains."""
        root = run
        parent = self.find_parent(run)
        while parent is not None and parent.branch.round < root.branch.round:
            root = parent
            parent = self.find_parent(root)
        return root

    def is_lost(self, run: ForkRun) -> bool:
        """Return whether a run continues a run that the source does not contain."""
        if run.branch.round:
            return run.branch.token is not None and self.find_parent(run) is None
        return run.continues_run and self.find_origin(run) is None


def classify_run(run: ForkRun, lineage: Lineage) -> Kind:
    """Return the kind of a run.

    A run of round 1 alone is a sample, even if no start is stated: attempts are not configured to
    end early.
    """
    if run.has_unreadable_settings:
        return "unclear"
    if run.is_baseline:
        return "baseline"
    if run.is_unverified:
        return "unverified"
    if run.branch.round:
        return _classify_branch(run, lineage)
    if run.start == 1:
        return "sample" if run.is_single_round else "attempt"
    if run.is_resumed_in_place:
        is_sample = run.is_single_round and not run.has_copied_rounds
        return "sample" if is_sample else "attempt"
    if run.continues_run:
        return _classify_continuation(run, lineage.find_origin(run))
    return _classify_from_reference(run)


def _classify_branch(run: ForkRun, lineage: Lineage) -> Kind:
    """Return the kind of a branch. Fan-outs without round 1 began from the reference state."""
    parent = lineage.find_parent(run)
    if parent and (parent.is_baseline or not parent.has_same_agent(run)):
        return _classify_continuation(run, parent)
    root = lineage.find_root(run)
    is_root_missing = not root.branch.round or root.branch.token is not None
    if is_root_missing:
        return "child"
    if root.branch.round > 1:
        return "sample" if root is run else "stretch"
    return "root" if root is run else "child"


def _classify_continuation(run: ForkRun, origin: ForkRun | None) -> Kind:
    """Return the kind of a run that continues another run, which may be missing."""
    if origin is None:
        return "resume"
    if origin.is_baseline:
        return _classify_from_reference(run)
    return "resume" if origin.has_same_agent(run) else "foreign"


def _classify_from_reference(run: ForkRun) -> Kind:
    return "sample" if run.is_single_round else "stretch"
