"""Trials that judge the work of another one again: they take its place, and are no attempts of their own."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sitegen.importers.harbor.choice import Pick
from sitegen.importers.harbor.trials import Trial


def regrades_of(trials: Sequence[Trial]) -> dict[Path, list[Trial]]:
    """Find the trials that were judged again.

    A regrade whose source is not among the trials stands for itself: nothing else tells of that work.

    Returns:
        The regrades of each trial, by its path, in their order. What is judged for a third time counts as a
        regrade of the first.
    """
    sources = _sources(trials)
    found: dict[Path, list[Trial]] = {}
    for trial in sorted(trials, key=lambda each: each.order):
        first = _first(sources, trial)
        if first is not trial:
            found.setdefault(first.path, []).append(trial)
    return found


def _sources(trials: Sequence[Trial]) -> dict[Path, Trial]:
    """Find the trial that each regrade judges again."""
    by_id = {trial.id: trial for trial in trials if trial.id}
    by_name = {trial.name: trial for trial in trials}
    found = ((trial, _source(trial, by_id, by_name)) for trial in trials)
    return {trial.path: source for trial, source in found if source is not None and source is not trial}


def _source(trial: Trial, by_id: Mapping[str, Trial], by_name: Mapping[str, Trial]) -> Trial | None:
    told = trial.config.source_trial
    if told is None:
        return None
    named = Path(told.path.replace("\\", "/")).name if told.path else ""
    return by_id.get(told.trial_id or "") or by_name.get(named)


def _first(sources: Mapping[Path, Trial], trial: Trial) -> Trial:
    """Follow regrades back to the work itself; where they go in a circle, there is none."""
    seen = {trial.path}
    first = trial
    while first.path in sources:
        first = sources[first.path]
        if first.path in seen:
            return trial
        seen.add(first.path)
    return first


def judged_again(trials: Sequence[Trial], pick: Pick) -> list[Trial]:
    """Put regrades in the place of the trials that they judge, and leave out the others."""
    regrades = regrades_of(trials)
    moved = {regrade.path for several in regrades.values() for regrade in several}
    kept = [trial for trial in trials if trial.path not in moved]
    return [_regraded(trial, regrades[trial.path], pick) if trial.path in regrades else trial for trial in kept]


def _regraded(trial: Trial, regrades: Sequence[Trial], pick: Pick) -> Trial:
    chosen = regrades[0] if pick == "first" else regrades[-1]
    return replace(chosen, job=trial.job, config=trial.config, judged_again=trial)
