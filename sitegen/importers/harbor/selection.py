"""Chooses the runs that count where an agent has several for one task. Nothing is chosen silently."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.choice import HarborChoice
from sitegen.importers.harbor.regrades import regrades_of
from sitegen.importers.harbor.runs import Field, Run
from sitegen.importers.harbor.trials import Trial
from sitegen.importers.kit.agents import Entrant
from sitegen.importers.kit.report import Report

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Selector:
    """Chooses runs."""

    choice: HarborChoice
    report: Report

    def fields(self, runs: Sequence[Run]) -> list[Field]:
        """Sort the runs that count by who made them, in the order of the agents' names."""
        usable = [run for run in runs if self._is_usable(run)]
        by_entrant = _grouped((run.entrant, run) for run in usable)
        return [self._field(entrant, by_entrant[entrant]) for entrant in sorted(by_entrant)]

    def check_regrades(self, trials: Sequence[Trial]) -> None:
        """Say which trials were judged again, and ask which verdict counts where that was done several times."""
        for path, regrades in regrades_of(trials).items():
            named = ", ".join(self.report.name(each.path) for each in regrades)
            where = self.report.name(path)
            if len(regrades) > 1 and self.choice.pick is None:
                self.report.doubt(rules.RUNS_SEVERAL, path, where, f"judged again several times: {named}")
            else:
                counts = f", of which the {self.choice.pick} counts" if len(regrades) > 1 else ""
                self.report.notes.append(f"judged again: {where} in {named}{counts}")

    def _is_usable(self, run: Run) -> bool:
        where = run.spot(self.report.name(run.trial.path))
        strange = run.strange_steps()
        if strange:
            self.report.doubt(rules.STEPS_DIFFER, run.trial.path, where, f"the task has no {', '.join(strange)}")
        elif run.is_partial:
            self.report.doubt(rules.RUN_PARTIAL, run.trial.path, where, f"told to end after round {run.end}")
        elif run.sampled and not run.is_carried:
            self.report.doubt(rules.REFERENCE_INVALID, run.trial.path, where, f"round {run.sampled} was not reached")
        else:
            return True
        return False

    def _field(self, entrant: Entrant, runs: Sequence[Run]) -> Field:
        attempts = _grouped((run.task.task.id, run) for run in runs if run.sampled is None)
        samples = _grouped(((run.task.task.id, run.sampled), run) for run in runs if run.sampled is not None)
        return Field(
            entrant,
            {task: self._attempts(several) for task, several in sorted(attempts.items())},
            {place: self._sample(several) for place, several in sorted(samples.items())},
        )

    def _attempts(self, runs: Sequence[Run]) -> tuple[Run, ...]:
        """Give the runs of one job: the trials of a job are attempts, another job is another run."""
        jobs = _grouped((run.trial.job.folder.path, run) for run in runs)
        ordered = sorted(jobs.values(), key=lambda job: min(run.trial.job_order for run in job))
        chosen = ordered[0 if self.choice.pick == "first" else -1]
        self._say_chosen([job[0] for job in ordered], chosen[0], runs[0].task.task.id)
        return tuple(sorted(chosen, key=lambda run: run.trial.order))

    def _sample(self, runs: Sequence[Run]) -> Run:
        """Give one run of a round: of those from the reference state, one counts."""
        ordered = sorted(runs, key=lambda run: (run.trial.job_order, run.trial.order))
        chosen = ordered[0 if self.choice.pick == "first" else -1]
        self._say_chosen(ordered, chosen, f"round {chosen.sampled} of {chosen.task.task.id} from the reference state")
        return chosen

    def _say_chosen(self, runs: Sequence[Run], chosen: Run, what: str) -> None:
        """Say which of several runs counts, or that it has to be said."""
        if len(runs) == 1:
            return
        alone = chosen.sampled is not None
        names = [self.report.name(run.trial.path if alone else run.trial.job.folder.path) for run in runs]
        where = f"{chosen.entrant} ran {what} several times"
        if self.choice.pick is None:
            self.report.doubt(rules.RUNS_SEVERAL, chosen.trial.path.parent, where, ", ".join(names))
        else:
            picked = names[runs.index(chosen)]
            others = ", ".join(name for name in names if name != picked)
            self.report.notes.append(f"{where}: {picked} counts as the {self.choice.pick}, passed over: {others}")


def _grouped(pairs: Iterable[tuple[K, Run]]) -> dict[K, list[Run]]:
    found: defaultdict[K, list[Run]] = defaultdict(list)
    for key, run in pairs:
        found[key].append(run)
    return dict(found)
