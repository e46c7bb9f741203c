"""How large a simulated benchmark is."""

from dataclasses import dataclass

from sitegen.errors import UsageError


@dataclass(frozen=True, slots=True)
class Scale:
    """How large a simulated benchmark is.

    Attributes:
        agents: Ranked agents, at least 1. The better half also enters the second track.
        tasks: Tasks, at least 1, each of 5 to 15 rounds.
        attempts: Tries at each task, at least 1. The second track has at least 2.
        seed: Any whole number; another seed gives other results.
        cases: About how many cases a round has, at least 1. None has more than 5/3 of it.
        texts: About how many failure texts a bundle holds at most, at least 1. They are spread
            over its rounds, and every round may have one.

    Raises:
        UsageError: A size below 1.
    """

    agents: int = 8
    tasks: int = 9
    attempts: int = 1
    seed: int = 0
    cases: int = 36
    texts: int = 3000

    def __post_init__(self) -> None:
        sizes = {name: getattr(self, name) for name in ("agents", "tasks", "attempts", "cases", "texts")}
        small = [f"{name} is {size}" for name, size in sizes.items() if size < 1]
        if small:
            raise UsageError(f"a simulated benchmark needs at least 1 of each: {', '.join(small)}")
