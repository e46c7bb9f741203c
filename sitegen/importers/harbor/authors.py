"""Who made a trial: the model, the program that drove it, and its reasoning setting."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from sitegen.importers.harbor.trajectory import Worker, trajectory_files, worker_of
from sitegen.importers.harbor.trials import BASELINES, Trial
from sitegen.importers.kit.redaction import one_line

T = TypeVar("T")

_LONGEST = 100
"""Characters of a name."""


@dataclass(frozen=True, slots=True)
class Author:
    """Who made a trial, in the source's own words; None for what it does not tell."""

    name: str | None
    """The model without its provider; the scaffold where there is no model."""
    model: str | None = None
    """The model in full."""
    scaffold: str | None = None
    version: str | None = None
    """Version of the scaffold."""
    reasoning: str | None = None
    is_configured: bool = False
    """Whether the run's settings are known: then no reasoning setting means the default one."""

    @property
    def is_baseline(self) -> bool:
        """Whether it is no agent: the reference solution, or one that does nothing."""
        return bool({self.name, self.scaffold} & BASELINES)


def author_of(trial: Trial) -> Author:
    """Find out who made a trial: from its result, then its settings, then its place, then its transcript."""
    info, config = trial.result.agent_info, trial.config.agent
    worker = Worker() if info.name and config.model_name else _worker(trial)
    model = _first(config.model_name, info.model, trial.nested_model, worker.model_name)
    scaffold = _first(info.name, config.name, worker.name, config.class_name)
    short = model.rpartition("/")[2] if model else scaffold
    # A baseline may run under any model's name: the folder it lies in says so where nothing else does.
    name = trial.nested_model if trial.nested_model in BASELINES else short
    return Author(
        name,
        None if model == short else model,
        scaffold,
        _first(info.version, worker.version),
        _first(config.reasoning),
        trial.is_configured,
    )


def _worker(trial: Trial) -> Worker:
    """Give the agent that the first transcript names."""
    folders = [each.agent for each in (*trial.place.rounds.values(), trial.place.loose) if each.agent]
    files = (path for folder in folders for path in trajectory_files(folder)[:1])
    return next(filter(None, map(worker_of, files)), Worker())


def _first(*told: str | None) -> str | None:
    """Give the first that is told, as it can be shown."""
    return next((text for each in told if each and (text := one_line(each, _LONGEST))), None)


def settled(authors: Sequence[Author]) -> list[Author]:
    """Take a scaffold or a reasoning setting that is not told for the only one that the same model ran under."""
    scaffolds: dict[str | None, set[str]] = {}
    settings: dict[tuple[str | None, str | None], set[str | None]] = {}
    for each in authors:
        if each.scaffold:
            scaffolds.setdefault(each.name, set()).add(each.scaffold)
        if each.is_configured:
            settings.setdefault((each.name, each.scaffold), set()).add(each.reasoning)
    scaffolded = [replace(each, scaffold=each.scaffold or _only(scaffolds.get(each.name, ()))) for each in authors]
    return [
        each if each.is_configured else replace(each, reasoning=_only(settings.get((each.name, each.scaffold), ())))
        for each in scaffolded
    ]


def _only(found: Collection[T]) -> T | None:
    return next(iter(found)) if len(found) == 1 else None
