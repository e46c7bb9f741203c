"""Finds the trials, jobs and tasks of a foreign tree. What lies inside a trial is the agent's, and is not walked."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.importers.harbor.records import TrialConfig, TrialResult, read_record
from sitegen.importers.kit.tree import DEEPEST, Folder, Tree

TASK_FILE, RESULT, CONFIG, LOCK = "task.toml", "result.json", "config.json", "lock.json"

_AGENT, _VERIFIER, _STEPS = "agent", "verifier", "steps"
_OF_TASKS = frozenset({"environment", "solution", _STEPS, "tests"})
"""Folders of a task that no runs lie in."""

_REWARDS = frozenset({"reward.json", "reward.txt", "test-stdout.txt"})
_TRACES = frozenset({"trial.log", "exception.txt"})
_ROUND = re.compile(r"(?:round|step|checkpoint)[-_]?\d{1,4}", re.IGNORECASE)
"""Names of rounds' folders that may lie in a trial's folder itself."""

_LEGACY = "multiround_results.json"
_RESUMED = "__resumed_"


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where an agent and a verifier left their files: the folder of a round, or of a trial of one round."""

    agent: Folder | None = None
    verifier: Folder | None = None

    def verified(self, name: str) -> Path | None:
        """Give one of the verifier's files; None where there is none."""
        return self.verifier.file(name) if self.verifier else None

    @property
    def is_empty(self) -> bool:
        """Whether nobody left anything."""
        folders = [each for each in (self.agent, self.verifier) if each is not None]
        return not any(each.files or each.folders for each in folders)


@dataclass(frozen=True, slots=True)
class JobFolder:
    """The folder of a job: that of its trials."""

    path: Path
    files: frozenset[str] = frozenset()

    def file(self, name: str) -> Path | None:
        """Give a file by its name; None where there is none."""
        return self.path / name if name in self.files else None


@dataclass(frozen=True, slots=True)
class TrialFolder:
    """The folder of a trial."""

    folder: Folder
    job: JobFolder
    rounds: Mapping[str, Workplace]
    """By the names of the steps' folders."""
    loose: Workplace
    """What lies in the trial's folder itself: everything of a trial of one round, and what a crash left over."""

    @property
    def path(self) -> Path:
        """Where it is."""
        return self.folder.path


@dataclass(slots=True)
class Survey:
    """What lies where in a source.

    Attributes:
        trials: Folders of trials, by job and then by name.
        tasks: Files that define tasks.
        skipped: Folders that were not looked into, by the reason.
    """

    trials: list[TrialFolder] = field(default_factory=list)
    tasks: list[Path] = field(default_factory=list)
    skipped: dict[str, list[Path]] = field(default_factory=dict)

    def skip(self, why: str, path: Path) -> None:
        """Pass over a folder."""
        self.skipped.setdefault(why, []).append(path)


def survey_of(tree: Tree) -> Survey:
    """Walk a source."""
    survey = Survey()
    waiting: list[tuple[Path, JobFolder]] = [(tree.root, JobFolder(tree.root.parent))]
    while waiting:
        path, above = waiting.pop()
        folder = tree.look(path)
        if folder is None:
            continue
        entered = list(_entered(tree, folder, above, survey))
        if entered and len(path.relative_to(tree.root).parts) >= DEEPEST:
            tree.too_deep += entered
            continue
        here = JobFolder(path, frozenset(folder.files))
        waiting += [(each, here) for each in reversed(entered)]
    return survey


def task_files(tree: Tree) -> list[Path]:
    """Find the files that define tasks; nothing in a task's folder is walked."""
    found = []
    walk = [tree.root]
    while walk:
        folder = tree.look(walk.pop())
        if folder is None:
            continue
        if TASK_FILE in folder.files:
            found.append(folder.path / TASK_FILE)
            continue
        inner = [folder.path / name for name in folder.folders if not name.startswith(".")]
        if inner and len(folder.path.relative_to(tree.root).parts) >= DEEPEST:
            tree.too_deep += inner
        else:
            walk += reversed(inner)
    return found


def _entered(tree: Tree, folder: Folder, above: JobFolder, survey: Survey) -> Iterator[Path]:
    """Put a folder where it belongs, and give those in it that are to be looked into."""
    if _RESUMED in folder.path.name and folder.path != tree.root:
        survey.skip("backup of a run that was resumed", folder.path)
    elif TASK_FILE in folder.files:
        survey.tasks.append(folder.path / TASK_FILE)
        yield from _shown([name for name in folder.folders if name not in _OF_TASKS], folder, survey)
    elif _is_legacy(tree, folder):
        survey.skip("run of the multi-turn fork, for `sitegen import harbor-multiturn`", folder.path)
    elif _is_trial(tree, folder):
        survey.trials.append(_trial(tree, folder, above))
    else:
        tree.pass_over_archives(folder)
        yield from _shown(folder.folders, folder, survey)


def _shown(names: Sequence[str], folder: Folder, survey: Survey) -> Iterator[Path]:
    """Leave out what is hidden."""
    for name in names:
        if name.startswith("."):
            survey.skip("folder whose name begins with a dot", folder.path / name)
        else:
            yield folder.path / name


def _is_legacy(tree: Tree, folder: Folder) -> bool:
    verifier = tree.look(folder.path / _VERIFIER) if _VERIFIER in folder.folders else None
    return verifier is not None and _LEGACY in verifier.files


def _is_trial(tree: Tree, folder: Folder) -> bool:
    """Whether a folder is that of a trial: by what lies in it, else by what its files say."""
    if "job.log" in folder.files:
        return False
    if _has_rounds(tree, folder):
        return True
    if {_AGENT, _VERIFIER} & set(folder.folders) and {RESULT, CONFIG, *_TRACES} & set(folder.files):
        return True
    if _VERIFIER in folder.folders:
        verifier = tree.look(folder.path / _VERIFIER)
        if verifier and _REWARDS & set(verifier.files):
            return True
    return _says_trial(folder)


def _has_rounds(tree: Tree, folder: Folder) -> bool:
    if _STEPS in folder.folders and {RESULT, CONFIG, *_TRACES} & set(folder.files):
        return True
    rounds = (tree.look(path) for path in _rounds_in(tree, folder))
    return any(each and {_AGENT, _VERIFIER} & set(each.folders) for each in rounds)


def _rounds_in(tree: Tree, folder: Folder) -> list[Path]:
    """Give the folders that may be those of rounds."""
    steps = tree.look(folder.path / _STEPS) if _STEPS in folder.folders else None
    if steps and steps.folders:
        return [steps.path / name for name in steps.folders]
    return [folder.path / name for name in folder.folders if _ROUND.fullmatch(name)]


def _says_trial(folder: Folder) -> bool:
    result, _ = read_record(folder.file(RESULT), TrialResult)
    if result:
        return result.n_total_trials is None and result.trial_name is not None
    config, _ = read_record(folder.file(CONFIG), TrialConfig)
    return config is not None and config.trial_name is not None


def _trial(tree: Tree, folder: Folder, job: JobFolder) -> TrialFolder:
    rounds = {path.name: _workplace(tree, tree.look(path)) for path in _rounds_in(tree, folder)}
    return TrialFolder(folder, job, rounds, _workplace(tree, folder))


def _workplace(tree: Tree, folder: Folder | None) -> Workplace:
    def inner(name: str) -> Folder | None:
        return tree.look(folder.path / name) if folder and name in folder.folders else None

    return Workplace(inner(_AGENT), inner(_VERIFIER))
