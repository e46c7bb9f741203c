"""How many attempts an agent made, and which runs are they: a re-run after a mishap is no further attempt."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sitegen.importers.harbor_multiturn.course import Course
from sitegen.importers.harbor_multiturn.tries import Try


@dataclass(frozen=True, slots=True)
class Attempts:
    """The attempts of one agent.

    Attributes:
        made: Attempts at each task; 1 where there is none, as no bundle has fewer.
        tries: Those at each task, in their order; fewer than `made` where some are not here.
        surplus: Tries beyond that number, by task.
    """

    made: int
    tries: Mapping[str, Sequence[Try]]
    surplus: Mapping[str, Sequence[Try]]

    @classmethod
    def of(cls, found: Mapping[str, Sequence[Try]]) -> "Attempts":
        """Number the tries at each task from 1, in their order.

        The number of attempts is that of most tasks, the larger one where two are as frequent: a task with a try
        more than the others had a mishap, and best of five at one task does not go with best of four at the others.
        The first ones count, so that nobody can choose among them.
        """
        ordered = {task: sorted(tries, key=lambda each: each.order) for task, tries in found.items() if tries}
        counts = Counter(map(len, ordered.values()))
        made = max(counts, key=lambda number: (counts[number], number), default=1)
        kept = {task: tries[:made] for task, tries in ordered.items()}
        return cls(made, kept, {task: tries[made:] for task, tries in ordered.items() if tries[made:]})

    def missing(self, tasks: Sequence[str]) -> dict[str, int]:
        """Count the attempts that are not here, by task."""
        absent = {task: self.made - len(self.tries.get(task, ())) for task in tasks}
        return {task: number for task, number in absent.items() if number}


@dataclass(frozen=True, slots=True)
class Samples:
    """The rounds of one agent at one task that were run from the reference state.

    Attributes:
        rounds: The run that counts, by round.
        repeats: Earlier runs of the same rounds.
        empty: Runs that never came to their round, such as where the reference solution failed.
    """

    rounds: Mapping[int, Course]
    repeats: Sequence[Course]
    empty: Sequence[Course]

    @classmethod
    def of(cls, courses: Sequence[Course]) -> "Samples":
        """Take the latest run of each round that came to it."""
        came = [course for course in courses if course.own]
        rounds = {course.run.start: course for course in sorted(came, key=lambda course: course.run.age)}
        repeats = [course for course in came if rounds[course.run.start] is not course]
        return cls(dict(sorted(rounds.items())), repeats, [course for course in courses if not course.own])


NO_SAMPLES = Samples({}, (), ())
