"""One run of the fork: the folder that it left, as far as it is needed."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date as Date  # noqa: N812 - what is called date elsewhere, too
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import TypeVar

from sitegen.importers.harbor.records import AgentConfig, AgentInfo, moment
from sitegen.importers.harbor.trials import BASELINES
from sitegen.importers.harbor_multiturn.files import (
    FAST_FORWARDED,
    UNVERIFIED,
    ResultFile,
    RowFile,
    Settings,
    VerifierSettings,
    read_result,
    read_rows,
    read_settings,
)
from sitegen.importers.harbor_multiturn.finder import ROWS, VERIFIER
from sitegen.importers.harbor_multiturn.names import plain_name
from sitegen.importers.kit.tree import Folder, Tree
from sitegen.problems import Problem

T = TypeVar("T")

_JOBS = ("harbor_jobs", "eval_runs")
"""Folders that the benchmark's scripts keep a task's jobs in, sorted by model."""

_TIMED = re.compile(r"\d{4}-\d{2}-\d{2}__")
"""How the name of a job's folder begins where nobody chose another."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run: what it was told to do, how it ended, and its rounds."""

    folder: Folder
    place: tuple[str, ...]
    """Names of the folders that it lies in and its own, from the top on."""
    settings: Settings
    result: ResultFile
    verifier: Folder | None
    """What the verifier left; None where there is no such folder."""
    rows: Sequence[RowFile] | None
    """The rounds as the run lists them; None where it lists none."""

    @property
    def path(self) -> Path:
        """The folder."""
        return self.folder.path

    @property
    def name(self) -> str:
        """Name of the folder."""
        return self.folder.path.name

    @property
    def job(self) -> tuple[str, ...]:
        """The job that it belongs to."""
        return self.place[:-1]

    @property
    def verifying(self) -> VerifierSettings:
        """Which rounds it was to go through, and from where."""
        return self.settings.verifier or VerifierSettings()

    @property
    def agent(self) -> AgentConfig:
        """The agent that it was started with."""
        return self.settings.agent or AgentConfig()

    @property
    def info(self) -> AgentInfo:
        """The agent, as it called itself."""
        return self.result.agent_info or AgentInfo()

    @property
    def scaffold(self) -> str | None:
        """The program that drove the model."""
        return self.info.name or self.agent.name

    @property
    def start(self) -> int:
        """The round that it began with."""
        return self.verifying.multiround_start_round or 1

    @property
    def last(self) -> int | None:
        """The round that it was to end with; None where it was to go through all."""
        return self.verifying.multiround_max_round

    @property
    def farthest(self) -> int:
        """The last round that it lists; 0 where it lists none."""
        return max((row.round for row in self.rows or ()), default=0)

    @property
    def took_over(self) -> bool:
        """Whether it lists rounds of the run that it goes on from."""
        return any(row.round < self.start or row.status == FAST_FORWARDED for row in self.rows or ())

    @property
    def goes_on(self) -> bool:
        """Whether it goes on from what another run left."""
        return self.start > 1 and (self.origin is not None or self.took_over)

    @property
    def is_unverified(self) -> bool:
        """Whether nothing was verified, so that there are no verdicts."""
        return bool(self.verifying.disable) or any(row.status == UNVERIFIED for row in self.rows or ())

    @property
    def is_in_place(self) -> bool:
        """Whether it was resumed in its own place: the run that it goes on from lies in a backup beside it."""
        return self.verifying.multiround_resume_trial_name is not None

    @property
    def is_whole(self) -> bool:
        """Whether it was to go on to the last round of its task, and was scored on all of them."""
        return self.last is None and self.verifying.multiround_aggregate_end_round is None

    @property
    def is_single(self) -> bool:
        """Whether it was to go through one round only."""
        return self.last == self.start

    @property
    def origin(self) -> tuple[str, str] | None:
        """Name of the run that it goes on from, after the name of that one's job; None for most runs."""
        source = PurePosixPath(self.verifying.multiround_resume_source or "")
        return (source.parent.name, plain_name(source.name)) if source.name else None

    @property
    def model_folder(self) -> str | None:
        """The folder below `harbor_jobs` that jobs of one model lie in; None where jobs lie there themselves."""
        _, below = _split(self.job)
        return below[0] if len(below) > 1 and not _TIMED.match(below[0]) else None

    @property
    def model_names(self) -> list[str]:
        """Every name that it has for the model, its folder's first."""
        info = self.info.model_info
        stated = self.agent.model_name or ""
        names = (self.model_folder, info.name if info else None, stated.rpartition("/")[2], stated)
        return list(dict.fromkeys(name for name in names if name))

    @property
    def model(self) -> str | None:
        """The model, by its folder or by its own name; None where neither tells."""
        return next(iter(self.model_names), None)

    def is_of_agent(self, other: "Run") -> bool:
        """Whether the same agent made both runs."""
        scaffolds = {each for each in (self.scaffold, other.scaffold) if each}
        return self.model == other.model and len(scaffolds) <= 1

    @property
    def task_folder(self) -> str | None:
        """The folder that `harbor_jobs` lies in: a task's, as the benchmark's scripts arrange it."""
        above, _ = _split(self.job)
        return above[-1] if above else None

    @property
    def is_baseline(self) -> bool:
        """Whether no model ran."""
        return not BASELINES.isdisjoint({self.scaffold, self.agent.name, self.model_folder})

    @property
    def exception(self) -> str | None:
        """Type of what ended it early; None where nothing did."""
        return self.result.exception_info.exception_type if self.result.exception_info else None

    @property
    def reasoning(self) -> str | None:
        """The reasoning setting, as far as it was passed to the agent."""
        stated = self.agent.settings.reasoning_effort if self.agent.settings else None
        return None if stated is None else str(stated)

    @property
    def began(self) -> datetime | None:
        """When it began, by the clock of its machine; None where that is not known."""
        return _local(self.result.started_at)

    @property
    def day(self) -> Date | None:
        """The day that its job's name begins with, else the day that it ended on or began on."""
        named = moment(self.job[-1][:10]) if self.job and _TIMED.match(self.job[-1]) else None
        time = named or self.ended or self.began
        return time.date() if time else None

    @property
    def age(self) -> tuple[datetime, tuple[str, ...]]:
        """Where it stands among runs in the order of time; runs without a time come first."""
        return self.began or datetime.min, self.place  # noqa: DTZ901 - these times have no zone

    @property
    def ended(self) -> datetime | None:
        """When it ended, as `began` tells it."""
        return _local(self.result.finished_at)


def _local(text: str | None) -> datetime | None:
    """Read a time without its zone: versions of the fork differ in whether they write one."""
    time = moment(text)
    return time.replace(tzinfo=None) if time else None


def _split(names: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Give the folders above and below the one that a task's jobs are kept in; none where there is no such folder."""
    at = max((place for place, name in enumerate(names) if name in _JOBS), default=None)
    return ((), ()) if at is None else (names[:at], names[at + 1 :])


def read_run(folder: Folder, tree: Tree) -> tuple[Run, list[Problem]]:
    """Read what a run left.

    Args:
        folder: The run's folder.
        tree: The source.

    Returns:
        The run, and what is wrong with its files; a file with problems counts as absent.
    """
    problems: list[Problem] = []
    result = _read(folder, "result.json", read_result, problems)
    verifier = tree.look(folder.path / VERIFIER) if VERIFIER in folder.folders else None
    rows = _read(verifier, ROWS, read_rows, problems) if verifier else None
    stated = (result and result.config) or _read(folder, "config.json", read_settings, problems)
    place = (*tree.root.resolve().parts, *folder.path.relative_to(tree.root).parts)
    return Run(
        folder, place, _whole(stated or Settings(), rows or ()), result or ResultFile(), verifier, rows
    ), problems


def _whole(settings: Settings, rows: Sequence[RowFile]) -> Settings:
    """Add to settings that do not tell it which rounds a run was to go through."""
    return settings if settings.verifier else settings.model_copy(update={"verifier": _guessed(rows)})


def _guessed(rows: Sequence[RowFile]) -> VerifierSettings:
    """Tell which rounds a run was to go through from those that it lists, where its settings are not here."""
    own = [row.round for row in rows if row.status != FAST_FORWARDED]
    late = min(own, default=1)
    alone = late > 1 and len(rows) == 1
    return VerifierSettings(multiround_start_round=late, multiround_max_round=late if alone else None)


def _read(
    folder: Folder, name: str, reader: Callable[[Path], tuple[T | None, list[Problem]]], problems: list[Problem]
) -> T | None:
    path = folder.file(name)
    if path is None:
        return None
    value, found = reader(path)
    problems += found
    return value
