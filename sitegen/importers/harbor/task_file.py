"""What a task.toml holds, in the shapes that it has had. Keys that nothing here needs are passed over."""

from pathlib import Path
from typing import Annotated

from sitegen.importers.harbor.lenient import Lenient, Perhaps, Text, Whole, or_blank
from sitegen.importers.kit.redaction import one_line
from sitegen.problems import Problem
from sitegen.reading.toml import read_values

_MOST_ROUNDS = 10_000


def _changes(several: list[str] | None, one: str | None) -> tuple[str, ...]:
    return tuple(one_line(each) for each in several or (one,) if each)


class Step(Lenient):
    """One of the `[[steps]]`, or of the lists that older files have in their metadata."""

    name: Text = None
    step: Text = None
    round: Whole = None
    change_types: Perhaps[list[str]] = None
    change_type: Text = None
    min_reward: Perhaps[float | dict[str, float]] = None
    """The reward from which on the run goes on; it ends here otherwise."""

    @property
    def changes(self) -> tuple[str, ...]:
        """The kinds of change that it asks for."""
        return _changes(self.change_types, self.change_type)

    def called(self, name: str) -> "Step":
        """Give it a name."""
        return self.model_copy(update={"name": name})

    def goes_on_below(self, reward: float) -> bool:
        """Whether the run goes on after a lower reward."""
        bar = self.min_reward
        least = max(bar.values(), default=0) if isinstance(bar, dict) else (bar or 0)
        return least < reward


class Target(Lenient):
    """One of several things that are graded together at the end."""

    name: Text = None
    title: Text = None
    weight: Perhaps[float] = None
    change_types: Perhaps[list[str]] = None
    change_type: Text = None

    @property
    def changes(self) -> tuple[str, ...]:
        """The kinds of change that it asks for."""
        return _changes(self.change_types, self.change_type)


class _Chain(Lenient):
    num_steps: Whole = None
    steps: Perhaps[list[Step]] = None


class _Multiround(Lenient):
    num_rounds: Whole = None
    rounds: Perhaps[list[Step]] = None


class Metadata(Lenient):
    """What a task says of itself."""

    name: Text = None
    difficulty: Text = None
    category: Text = None
    engineering_activity: Text = None
    interaction_style: Text = None
    technology_domain: Text = None
    requirement_chain: Annotated[_Chain, or_blank(_Chain)] = _Chain()
    """What each of the `[[steps]]` asks for."""
    multiround: Annotated[_Multiround, or_blank(_Multiround)] = _Multiround()
    """The rounds, where the file is of the time before `[[steps]]`."""
    num_rounds: Whole = None
    change_types: Perhaps[list[list[str]]] = None
    targets: Perhaps[list[Target]] = None

    @property
    def labels(self) -> dict[str, str]:
        """Value on each axis that it names."""
        return {axis: one_line(value) for axis in AXES if (value := getattr(self, axis))}

    @property
    def older_rounds(self) -> list[Step]:
        """The rounds that it lists itself."""
        number = self.multiround.num_rounds or self.num_rounds or 0
        told: dict[int | None, Step] = {each.round: each for each in self.multiround.rounds or ()}
        told |= {place: Step(change_types=each) for place, each in enumerate(self.change_types or (), start=1)}
        return [told.get(place, Step()).called(f"round_{place}") for place in range(1, min(number, _MOST_ROUNDS) + 1)]


class _Package(Lenient):
    name: Text = None


class TaskFile(Lenient):
    """A task.toml."""

    task: Annotated[_Package, or_blank(_Package)] = _Package()
    metadata: Annotated[Metadata, or_blank(Metadata)] = Metadata()
    steps: Perhaps[list[Step]] = None

    @property
    def rounds(self) -> list[Step]:
        """Its rounds in their order: `[[steps]]`, or what stood in the metadata before there were such."""
        return self.metadata.older_rounds if self.steps is None else self.steps

    @property
    def targets(self) -> list[Target]:
        """What is graded at its end, where it has no rounds."""
        return [] if self.rounds else self.metadata.targets or []

    @property
    def weights(self) -> list[float]:
        """What each target weighs: the same where none is weighed, 0 where one is not."""
        told = [each.weight for each in self.targets]
        return [1.0 if told == [None] * len(told) else each or 0.0 for each in told]


AXES = ("difficulty", "category", "engineering_activity", "interaction_style", "technology_domain")
"""Labels that tasks carry, as keys of their metadata."""


def read_task_file(path: Path) -> tuple[TaskFile | None, list[Problem]]:
    """Read a task.toml.

    Returns:
        What it holds, or None where it can't be read; and the problems.
    """
    _, values, problems = read_values(path)
    return (None if problems else TaskFile.model_validate(values)), problems
