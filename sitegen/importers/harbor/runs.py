"""Runs: trials of which the agent, the task and the rounds are known."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sitegen.importers.harbor.authors import Author
from sitegen.importers.harbor.survey import Workplace
from sitegen.importers.harbor.tasks import TaskDefinition
from sitegen.importers.harbor.trials import Trial
from sitegen.importers.kit.agents import Entrant
from sitegen.importers.kit.report import Spot

_FORWARD = "-fast-forward.txt"
"""How files end in which the reference solution's output is kept."""


@dataclass(frozen=True, slots=True)
class Run:
    """A trial of which the agent, the task and the rounds are known."""

    trial: Trial
    author: Author
    entrant: Entrant
    task: TaskDefinition

    @property
    def rounds(self) -> int:
        """Rounds of its task."""
        return len(self.task.task.rounds)

    @property
    def start(self) -> int:
        """The first round that the agent worked on; the reference solution did those before it."""
        stated = self.trial.config.multi_step_start_step
        return stated or self._forwarded + 1

    @property
    def end(self) -> int:
        """The last round that it was to run."""
        return min(self.trial.config.multi_step_end_step or self.rounds, self.rounds)

    @property
    def sampled(self) -> int | None:
        """The round that it ran from the reference state; None for a run from a task's beginning.

        The state that the first round begins from is the task's own, whatever the run: where a run was to end
        with it, it was made to sample it.
        """
        single = self.start > 1 or (self.end == 1 and self.rounds > 1)
        return self.start if single and self.task.is_chain else None

    def spot(self, place: str) -> Spot:
        """Name it for messages by where it lies, and for readers by its task."""
        words = f"{self.entrant} at {self.task.task.id}, {place}"
        return Spot(self.entrant, self.task.task.id, words, "own" if self.sampled is None else "reference")

    @property
    def is_partial(self) -> bool:
        """Whether it was told to end before the task's last round, and is no sample of a single one."""
        return self.sampled is None and self.end < self.rounds

    @property
    def is_carried(self) -> bool:
        """Whether the reference solution brought it to its first round."""
        steps = self.trial.step_results
        names = [name.casefold() for name in self.task.steps]
        before = [steps[name] for name in names[: self.start - 1] if name in steps]
        reached = self.start <= len(names) and (
            names[self.start - 1] in steps or names[self.start - 1] in self.trial.workplaces
        )
        return reached and not any(each.exception_info.exception_type for each in before)

    @property
    def _forwarded(self) -> int:
        """Rounds at the beginning in whose folders the reference solution's output lies, and no verdict."""
        places = self.trial.workplaces
        number = 0
        for name in self.task.steps:
            if not _is_forwarded(places.get(name.casefold())):
                break
            number += 1
        return number

    def workplace(self, name: str) -> Workplace | None:
        """Give the folder of a round by the step's name; None where there is none."""
        return self.trial.workplaces.get(name.casefold())

    def strange_steps(self) -> list[str]:
        """Name the rounds that the trial has and its task has not."""
        known = {name.casefold() for name in self.task.steps}
        told = {name: name for name in self.trial.place.rounds} | {
            each.step_name: each.step_name for each in self.trial.step_results.values() if each.step_name
        }
        return [name for name in told if name.casefold() not in known] if self.task.is_chain else []


def _is_forwarded(place: Workplace | None) -> bool:
    if place is None or place.agent is None:
        return False
    left = any(name.endswith(_FORWARD) for name in place.agent.files)
    return left and not (place.verifier and place.verifier.files)


@dataclass(frozen=True, slots=True)
class Field:
    """What one entrant ran: the runs that count."""

    entrant: Entrant
    attempts: Mapping[str, Sequence[Run]]
    """Runs from a task's beginning, by task, in the order of the attempts."""
    samples: Mapping[tuple[str, int], Run]
    """Runs of single rounds from the reference state, by task and round."""

    @property
    def runs(self) -> Iterator[Run]:
        """Give every run that counts."""
        for each in self.attempts.values():
            yield from each
        yield from self.samples.values()

    @property
    def most(self) -> int:
        """Attempts at the task that has most of them."""
        return max(map(len, self.attempts.values()), default=0)
