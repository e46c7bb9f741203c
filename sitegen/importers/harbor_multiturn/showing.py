"""What an agent has to show: its attempts at each task, and its rounds from the reference state."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sitegen.importers.harbor_multiturn.counting import Attempts, Samples
from sitegen.importers.harbor_multiturn.course import Course
from sitegen.importers.harbor_multiturn.fanout import FanOut, fan_outs
from sitegen.importers.harbor_multiturn.kinds import Kind, Lineage
from sitegen.importers.harbor_multiturn.tries import Try, plain_tries
from sitegen.importers.kit.agents import Entrant


@dataclass(frozen=True, slots=True)
class Showing:
    """What one agent has to show.

    Attributes:
        entrant: The agent.
        attempts: Its attempts.
        samples: Its rounds from the reference state, by task.
        fan_outs: Its fan-outs, by task.
        plain: Tasks at which it made attempts that are no fan-outs.
        replaced: Runs that another run took the place of.
    """

    entrant: Entrant
    attempts: Attempts
    samples: Mapping[str, Samples]
    fan_outs: Mapping[str, Sequence[FanOut]]
    plain: Sequence[str]
    replaced: Sequence[Course]

    @property
    def courses(self) -> list[Course]:
        """Every run that a record is made of."""
        tried = [
            cell.course for tries in self.attempts.tries.values() for each in tries for cell in each.cells.values()
        ]
        sampled = [course for samples in self.samples.values() for course in samples.rounds.values()]
        return list({course.run.path: course for course in (*tried, *sampled)}.values())

    @property
    def sampled(self) -> int:
        """Rounds from the reference state."""
        return sum(len(samples.rounds) for samples in self.samples.values())


@dataclass(frozen=True, slots=True)
class Sorted:
    """The runs of one agent at one task, by kind."""

    task: str
    courses: Mapping[Kind, Sequence[Course]]

    def of(self, *kinds: Kind) -> list[Course]:
        """Give the runs of some kinds."""
        return [course for kind in kinds for course in self.courses.get(kind, ())]


def showing_of(entrant: Entrant, by_task: Iterable[Sorted], lineage: Lineage) -> Showing:
    """Lay out what an agent has to show."""
    tries: dict[str, list[Try]] = {}
    outs: dict[str, list[FanOut]] = {}
    samples: dict[str, Samples] = {}
    plain: list[str] = []
    replaced: list[Course] = []
    for each in by_task:
        own, unused = plain_tries(each.of("attempt", "resume"), lineage)
        branched = fan_outs(each.of("root", "child"), lineage)
        tries[each.task] = [*own, *(line for fan_out in branched for line in fan_out.tries())]
        samples[each.task] = Samples.of(each.of("sample"))
        replaced += unused
        if own:
            plain.append(each.task)
        if branched:
            outs[each.task] = branched
    return Showing(entrant, Attempts.of(tries), samples, outs, plain, replaced)
