"""What an agent's runs came to, put in the order that a bundle has them in: every expected round exactly once."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.rounds import attempt_of, sample_of
from sitegen.importers.harbor.rulings import Played, Referee, settled_states
from sitegen.importers.harbor.runs import Field
from sitegen.importers.harbor.suites import Suites
from sitegen.importers.harbor.targets import graded
from sitegen.importers.harbor.tasks import TaskDefinition
from sitegen.importers.kit.report import Report, Spot
from sitegen.models.outcome import Failure, RoundResult, RunFigures, State


@dataclass(frozen=True, slots=True)
class Play:
    """What an agent's runs came to."""

    field: Field
    own: Mapping[tuple[str, int], Played]
    """Runs from a task's beginning, by task and attempt."""
    samples: Mapping[tuple[str, int], Played]
    """Rounds from the reference state, by task and round."""
    figures: tuple[RunFigures, ...] = ()
    """What runs took of which no round tells it."""

    @property
    def attempts(self) -> int:
        """Tries at each task that its bundle has."""
        return max(self.field.most, 1)

    def mapped(self, change: Callable[[Played], Played]) -> "Play":
        """Change every piece of it."""
        own = {place: change(played) for place, played in self.own.items()}
        samples = {place: change(played) for place, played in self.samples.items()}
        return replace(self, own=own, samples=samples)

    def own_rounds(self, tasks: Sequence[TaskDefinition], report: Report) -> Played:
        """Give every round that is expected of its runs from a task's beginning."""
        played = Played(())
        for task in tasks:
            self._say_missing(task, report)
            for attempt in range(1, self.attempts + 1):
                run = self.own.get((task.task.id, attempt))
                played += run or Played(tuple(self._without_run(task, attempt)))
        return played

    def _say_missing(self, task: TaskDefinition, report: Report) -> None:
        """Say how many attempts at a task were not made; where none was made at any, that is no fault."""
        made = len(self.field.attempts.get(task.task.id, ()))
        if made < self.attempts and self.own:
            what = f"{made} of {self.attempts} attempts" if made else "no run"
            report.doubt(rules.RUN_MISSING, report.root, Spot(self.field.entrant, task.task.id), what)

    def _without_run(self, task: TaskDefinition, attempt: int) -> Iterator[RoundResult]:
        """Give the rounds of a run that was not made: where rounds were sampled, the reference solution did some."""
        starts = [number for name, number in self.samples if name == task.task.id]
        for each in task.task.rounds:
            done = not self.own and each.n < max(starts, default=0)
            state: State = "fast_forwarded" if done else "unreached"
            yield RoundResult(task.task.id, attempt, each.n, state, 0, passed=0, total=0)

    def reference_rounds(self, tasks: Sequence[TaskDefinition], report: Report, *, allow_missing: bool) -> Played:
        """Give every round that is expected from the reference state."""
        played = Played(())
        for task in tasks:
            numbers = [each.n for each in task.task.rounds]
            missing = [str(number) for number in numbers if (task.task.id, number) not in self.samples]
            if missing:
                rule = rules.REFERENCE_LEFT_OUT if allow_missing else rules.REFERENCE_MISSING
                what = f"round {', '.join(missing)} of {len(numbers)}"
                report.doubt(rule, report.root, Spot(self.field.entrant, task.task.id, start="reference"), what)
            for number in numbers:
                unreached = RoundResult(task.task.id, 1, number, "unreached", 0, start="reference", passed=0, total=0)
                played += self.samples.get((task.task.id, number), Played((unreached,)))
        return played


def play_of(field: Field, referee: Referee) -> Play:
    """Find out what an agent's runs came to."""
    own: dict[tuple[str, int], Played] = {}
    figures: list[RunFigures] = []
    for task, runs in field.attempts.items():
        for attempt, run in enumerate(runs, start=1):
            if run.task.is_chain:
                own[task, attempt] = attempt_of(run, attempt, referee)
            else:
                own[task, attempt], took = graded(run, attempt, referee)
                figures += [took] if took else []
            referee.pace.step()
    samples: dict[tuple[str, int], Played] = {}
    for place, run in field.samples.items():
        samples[place] = sample_of(run, referee)
        referee.pace.step()
    return Play(field, own, samples, tuple(figures))


def settled(plays: Sequence[Play], suites: Suites) -> list[Play]:
    """Give what runs came to once all of them are known: whether verifiers print cases, and which are usual."""

    def settle(played: Played) -> Played:
        fitted = settled_states(played, prints_cases=suites.prints_cases)
        return replace(fitted, rounds=tuple(map(suites.fitted, fitted.rounds)))

    return [play.mapped(settle) for play in plays]


def in_order(played: Played, tasks: Sequence[str]) -> Played:
    """Put rounds in the order of the tasks, then of the attempts; the reference state comes after the first one."""
    place = {task: number for number, task in enumerate(tasks)}

    def key(each: RoundResult | Failure) -> tuple[int, int, bool]:
        return place[each.task], each.attempt, each.start == "reference"

    return Played(tuple(sorted(played.rounds, key=key)), tuple(sorted(played.failures, key=key)))
