"""Limits of time and resources that a trial was given in the place of its task's own."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Annotated

from sitegen.importers.harbor.lenient import Amount, Lenient, or_blank


class TimeLimits(Lenient):
    """What the agent or the check was given in time."""

    override_timeout_sec: Amount = None
    override_setup_timeout_sec: Amount = None

    def overrides(self) -> Iterator[tuple[str, float]]:
        """Give the limits that differ, by name."""
        yield from _told(self, TimeLimits)


class Resources(Lenient):
    """What the container was given."""

    override_cpus: Amount = None
    override_memory_mb: Amount = None
    override_storage_mb: Amount = None
    override_gpus: Amount = None

    def overrides(self) -> Iterator[tuple[str, float]]:
        """Give the resources that differ, by name."""
        yield from _told(self, Resources)


class Limits(Lenient):
    """How the limits of a trial were stretched."""

    timeout_multiplier: Amount = None
    agent_timeout_multiplier: Amount = None
    verifier_timeout_multiplier: Amount = None
    agent_setup_timeout_multiplier: Amount = None
    environment_build_timeout_multiplier: Amount = None
    environment: Annotated[Resources, or_blank(Resources)] = Resources()

    def stretched(self) -> Iterator[tuple[str, float]]:
        """Give what is multiplied by anything but 1, and what the container was given, by name."""
        yield from ((name, value) for name, value in _told(self, Limits) if value != 1)
        yield from ((f"environment.{name}", value) for name, value in self.environment.overrides())


def _told(record: Lenient, kind: type[Lenient]) -> Iterator[tuple[str, float]]:
    for name in kind.model_fields:
        value = getattr(record, name)
        if isinstance(value, float | int):
            yield name, value


def joined(overrides: Iterable[tuple[str, float]]) -> dict[str, str] | None:
    """Put the overrides of several trials together, each with every value that occurs; None where there are none."""
    values: dict[str, set[float]] = defaultdict(set)
    for name, value in overrides:
        values[name].add(value)
    return {name: ", ".join(f"{value:g}" for value in sorted(values[name])) for name in sorted(values)} or None
