"""Finds the trials, jobs and tasks of a foreign tree. What lies inside a trial is the agent's, and is not walked."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.importers.harbor.records import TrialConfig, TrialResult, read_record
from sitegen.importers.kit.tree import Folder, Tree

TASK_FILE, RESULT, CONFIG, LOCK = "task.toml", "result.json", "config.json", "lock.json"

_AGENT, _VERIFIER, _STEPS = "agent", "verifier", "steps"
_OF_TASKS = frozenset({"environment", "solution", _STEPS, "tests"})
"""Folders of a task that no runs lie in."""

_REWARDS = frozenset({"reward.json", "reward.txt", "test-stdout.txt"})
_TRACES = frozenset({RESULT, CONFIG, "trial.log", "exception.txt"})
_ROUND = re.compile(r"(?:round|step|checkpoint)[-_]?\d{1,4}", re.IGNORECASE)
"""Names of rounds' folders that may lie in a trial's folder itself."""


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where an agent and a verifier left their files: the folder of a round, or of a trial of one round."""

    agent: Folder | None = None
    verifier: Folder | None = None

    def verified(self, name: str) -> Path | None:
        """One of the verifier's files; None where there is none."""
        return self.verifier.file(name) if self.verifier else None

    @property
    def is_empty(self) -> bool:
        """Whether nobody left anything."""
        return not any(each.files or each.folders for each in (self.agent, self.verifier) if each)


@dataclass(frozen=True, slots=True)
class TrialFolder:
    """The folder of a trial."""

    folder: Folder
    job: Folder
    rounds: Mapping[str, Workplace]
    """By the names of the steps' folders."""
    loose: Workplace
    """What lies in the trial's folder itself: everything of a trial of one round, and what a crash left over."""


@dataclass(slots=True)
class Survey:
    """What lies where in a source."""

    trials: list[TrialFolder] = field(default_factory=list)
    """By job and then by name."""
    tasks: list[Path] = field(default_factory=list)
    """Files that define tasks."""
    skipped: dict[str, list[Path]] = field(default_factory=dict)
    """Folders that were not looked into, by the reason."""


def survey_of(tree: Tree) -> Survey:
    """Walk a source."""
    survey = Survey()
    walked = {tree.root.parent: Folder(tree.root.parent, (), ())}

    def enter(folder: Folder) -> list[str]:
        path, names = folder.path, folder.folders
        if "__resumed_" in path.name and path != tree.root:
            survey.skipped.setdefault("backup of a run that was resumed", []).append(path)
            return []
        if TASK_FILE in folder.files:
            survey.tasks.append(path / TASK_FILE)
            names = [name for name in names if name not in _OF_TASKS]
        elif _VERIFIER in names and (left := tree.look(path / _VERIFIER)) and "multiround_results.json" in left.files:
            why = "run of the multi-turn fork, for `sitegen import harbor-multiturn`"
            survey.skipped.setdefault(why, []).append(path)
            return []
        elif _is_trial(tree, folder):
            rounds = {each.name: _workplace(tree, tree.look(each)) for each in _rounds_in(tree, folder)}
            survey.trials.append(TrialFolder(folder, walked[path.parent], rounds, _workplace(tree, folder)))
            return []
        else:
            tree.pass_over_archives(folder)
        walked[path] = folder
        hidden = [path / name for name in names if name.startswith(".")]
        if hidden:
            survey.skipped.setdefault("folder whose name begins with a dot", []).extend(hidden)
        return [name for name in names if not name.startswith(".")]

    tree.visit(enter)
    # Some folders are looked at more than once, to find out what they are.
    tree.links, tree.unreadable = list(dict.fromkeys(tree.links)), list(dict.fromkeys(tree.unreadable))
    return survey


def task_files(tree: Tree) -> list[Path]:
    """Find the files that define tasks; nothing in a task's folder is walked."""
    found = []

    def enter(folder: Folder) -> list[str]:
        if TASK_FILE not in folder.files:
            return [name for name in folder.folders if not name.startswith(".")]
        found.append(folder.path / TASK_FILE)
        return []

    tree.visit(enter)
    return found


def _is_trial(tree: Tree, folder: Folder) -> bool:
    """Whether a folder is that of a trial: by what lies in it, else by what its files say."""
    if "job.log" in folder.files:
        return False
    if not _TRACES.isdisjoint(folder.files) and not {_AGENT, _VERIFIER, _STEPS}.isdisjoint(folder.folders):
        return True
    rounds = (tree.look(path) for path in _rounds_in(tree, folder))
    if any(each and not {_AGENT, _VERIFIER}.isdisjoint(each.folders) for each in rounds):
        return True
    verifier = tree.look(folder.path / _VERIFIER) if _VERIFIER in folder.folders else None
    if verifier and not _REWARDS.isdisjoint(verifier.files):
        return True
    result, _ = read_record(folder.file(RESULT), TrialResult)
    if result:
        return result.n_total_trials is None and result.trial_name is not None
    config, _ = read_record(folder.file(CONFIG), TrialConfig)
    return config is not None and config.trial_name is not None


def _rounds_in(tree: Tree, folder: Folder) -> list[Path]:
    """The folders that may be those of rounds."""
    steps = tree.look(folder.path / _STEPS) if _STEPS in folder.folders else None
    if steps and steps.folders:
        return [steps.path / name for name in steps.folders]
    return [folder.path / name for name in folder.folders if _ROUND.fullmatch(name)]


def _workplace(tree: Tree, folder: Folder | None) -> Workplace:
    def inner(name: str) -> Folder | None:
        return tree.look(folder.path / name) if folder and name in folder.folders else None

    return Workplace(inner(_AGENT), inner(_VERIFIER))
