"""Find trials that are not separate attempts: copies of a trial, and regrades of its work."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.identities import identify_agent
from sitegen.importers.harbor.trials import RESULT, Trial
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.options import Pick
from sitegen.importers.kit.tree import digest_of
from sitegen.problems import grouped


def drop_copies(trials: Sequence[Trial], pick: Pick | None, log: ImportLog) -> list[Trial]:
    """Return each trial once: a source may contain a job twice, for example in a backup.

    A copy made after the trial ended is preferred to a copy made while it ran. Copies with
    different verdicts are an error unless `pick` chooses between them. Copies have the same times,
    so the copy that is read last counts as the latest.
    """
    by_id = grouped((trial.result.id or trial.path, trial) for trial in trials)
    ended = {trial.place_in_job for trial in trials if trial.has_result and trial.place_in_job}
    chosen_paths: set[Path] = set()
    for same_id in by_id.values():
        for copies in _group_copies(same_id):
            chosen = copies[-1 if pick == "latest" else 0]
            if pick is None:
                _check_rewards(copies, log)
            if chosen.has_result or chosen.place_in_job not in ended:
                chosen_paths.add(chosen.path)
    dropped = [trial.path for trial in trials if trial.path not in chosen_paths]
    log.note_passed_over("a copy of a trial that was already read", dropped)
    return [trial for trial in trials if trial.path in chosen_paths]


def _group_copies(trials: Sequence[Trial]) -> list[list[Trial]]:
    """Return trials with the same id as lists of copies, one list for each original trial.

    Copies have the same result file, or the same name, task, model and start. The id alone is not
    enough, since files written by hand may reuse an id.
    """
    if len(trials) == 1:
        return [[*trials]]
    by_content = grouped((digest_of([trial.path / RESULT]), trial) for trial in trials)
    copies: dict[object, list[Trial]] = {}
    for same_content in by_content.values():
        first = same_content[0]
        key = first.name, first.stated_task_names, identify_agent(first).model, first.started
        copies.setdefault(key, []).extend(same_content)
    return list(copies.values())


def _check_rewards(copies: Sequence[Trial], log: ImportLog) -> None:
    """Report copies of a trial that have different verdicts."""
    first = copies[0]
    if all(copy.stated_rewards == first.stated_rewards for copy in copies):
        return
    names = ", ".join(log.name(copy.path) for copy in copies)
    message = "copies of one trial have different verdicts"
    log.add_doubt(rules.RUNS_SEVERAL, first.path, names, message)


def apply_regrades(trials: Sequence[Trial], pick: Pick | None, log: ImportLog) -> list[Trial]:
    """Return trials with each regrade in place of the trial whose work it verifies again.

    A regrade of a regrade replaces the original trial. A regrade whose original is not in the
    source counts as a trial, as there is no other record of that work.
    """
    regrades = _find_regrades(trials)
    moved: set[Path] = set()
    for path, trial_regrades in regrades.items():
        _report_regrades(path, trial_regrades, pick, log)
        moved.update(regrade.path for regrade in trial_regrades)
    counting = []
    for trial in trials:
        if trial.path in regrades:
            chosen = regrades[trial.path][0 if pick == "first" else -1]
            counting.append(replace(chosen, job=trial.job, config=trial.config, regrade_of=trial))
        elif trial.path not in moved:
            counting.append(trial)
    return counting


def _report_regrades(
    path: Path, regrades: Sequence[Trial], pick: Pick | None, log: ImportLog
) -> None:
    """Note the regrades of a trial; several regrades are an error unless `pick` chooses one."""
    names = ", ".join(log.name(regrade.path) for regrade in regrades)
    trial_name = log.name(path)
    if len(regrades) == 1:
        log.notes.append(f"regraded: {trial_name} in {names}")
    elif pick is None:
        message = f"regraded several times: {names}"
        log.add_doubt(rules.RUNS_SEVERAL, path, trial_name, message)
    else:
        log.notes.append(f"regraded: {trial_name} in {names}, of which the {pick} counts")


def _find_regrades(trials: Sequence[Trial]) -> dict[Path, list[Trial]]:
    """Return the regrades of each trial in chronological order, keyed by the original's path."""
    in_order = sorted(trials, key=lambda trial: trial.order)
    sources = _find_sources(trials)
    regrades: dict[Path, list[Trial]] = {}
    for trial in in_order:
        original = _find_original(trial, sources)
        if original is not trial:
            regrades.setdefault(original.path, []).append(trial)
    return regrades


def _find_sources(trials: Sequence[Trial]) -> dict[Path, Trial]:
    """Return the trial that each regrade names as its source, keyed by the regrade's path."""
    by_id = {trial.result.id: trial for trial in trials if trial.result.id}
    by_name = {trial.name: trial for trial in trials}
    sources: dict[Path, Trial] = {}
    for trial in trials:
        source_path = Path(trial.config.source_path.replace("\\", "/"))
        source = by_id.get(trial.config.source_id) or by_name.get(source_path.name)
        if source is not None and source is not trial:
            sources[trial.path] = source
    return sources


def _find_original(trial: Trial, sources: Mapping[Path, Trial]) -> Trial:
    """Return the trial in which the work was done; for circular sources, the trial itself."""
    original = trial
    visited = {trial.path}
    while original.path in sources:
        original = sources[original.path]
        if original.path in visited:
            return trial
        visited.add(original.path)
    return original
