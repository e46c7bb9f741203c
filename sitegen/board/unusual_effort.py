"""What rounds took, where it is of a size that others on the board do not know, or nothing at all."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from operator import attrgetter
from pathlib import Path
from statistics import median
from typing import TypeAlias

from sitegen.metrics.effort import Typical, typical
from sitegen.models.outcome import RoundResult, RunFigures
from sitegen.models.results import Bundle
from sitegen.problems import Problem, Rule, counted

EFFORT_UNUSUAL = Rule(
    "EFFORT-UNUSUAL",
    "warning",
    "What a round took is of a size that others on the board know.",
    "check the unit: seconds, US dollars and single tokens are meant",
)
EFFORT_ZERO = Rule(
    "EFFORT-ZERO",
    "warning",
    "A round that an agent passed took it at least one token.",
    "leave the figure out where nothing was measured; where it was, look how the round was passed",
)
_FIGURES = ("input_tokens", "output_tokens", "cost_usd", "agent_seconds", "turns", "interactions")
_ROWS, _FACTOR, _BEYOND = 5, 300, 1000
"""Of so many submissions one is odd whose figures are mostly so many times the others', or a single one that is so
many times what is usual."""

_Record: TypeAlias = RoundResult | RunFigures


def effort_problems(bundles: Sequence[Bundle]) -> Iterator[Problem]:
    """Say whose figures are of another size than the others', and which rounds were passed with nothing.

    Args:
        bundles: The submissions of one board.
    """
    for name in _FIGURES:
        yield from _unusual([taken for bundle in bundles if (taken := _Taken.of(bundle, name)).usual])
    yield from chain.from_iterable(map(_zero_effort, bundles))


def _unusual(known: Sequence["_Taken"]) -> Iterator[Problem]:
    usual = [each.usual for each in known]
    for place, each in enumerate(known if len(known) >= _ROWS else ()):
        yield from each.problems(median(usual[:place] + usual[place + 1 :]))


@dataclass(frozen=True)  # no slots: what is asked for is computed once and stays
class _Taken:
    """One kind of figure in one submission.

    Attributes:
        path: The file that they stand in.
        records: Its records.
        lines: Lines of the records; none where they are not known.
        name: The figure's name.
    """

    path: Path
    records: Sequence[_Record]
    lines: Sequence[int]
    name: str

    @classmethod
    def of(cls, bundle: Bundle, name: str) -> "_Taken":
        """Take a figure from rounds, or from whole runs where rounds have none."""
        lines = bundle.round_lines or range(1, len(bundle.rounds) + 1)
        by_round = cls(bundle.path / "rounds.jsonl", bundle.rounds, lines, name)
        return by_round if by_round.usual else cls(bundle.path / "runs.jsonl", bundle.runs, (), name)

    @property
    def figures(self) -> list[float | None]:
        """The figure of each record; nothing where such records never have it. Not kept: few are looked at again."""
        has_it = self.records and hasattr(self.records[0], self.name)
        return list(map(attrgetter(self.name), self.records)) if has_it else []

    @property
    def usual(self) -> float:
        """The median of those that are known, and not 0; 0 where there are none."""
        return self._typical.usual

    @cached_property
    def _typical(self) -> Typical:
        return typical(self.figures)

    def problems(self, others: float) -> Iterator[Problem]:
        """Say whether they are of another size than what the other submissions mostly have."""
        limit = _BEYOND * max(self.usual, others)
        if not 1 / _FACTOR < self.usual / others < _FACTOR:
            what = f"`{self.name}` is {self.usual:g} in the median, in other submissions {others:g}"
            first = next(place for place, figure in enumerate(self.figures) if figure)
            yield EFFORT_UNUSUAL.broken(self.path, self._line(first), what)
            return
        if self._typical.most > limit:
            huge = [(place, figure) for place, figure in enumerate(self.figures) if figure and figure > limit]
            first, figure = huge[0]
            what = f"`{self.name}` of {_named(self.records[first])} is {figure:g}"
            what += f", in other submissions {others:g}{_and_more(len(huge) - 1)}"
            yield EFFORT_UNUSUAL.broken(self.path, self._line(first), what)

    def _line(self, place: int) -> int | None:
        return self.lines[place] if self.lines else None


def _zero_effort(bundle: Bundle) -> Iterator[Problem]:
    if 0 not in set(map(attrgetter("output_tokens"), bundle.rounds)):
        return
    found = [(line, each) for line, each in bundle.numbered_rounds() if each.output_tokens == 0 and each.solved]
    if found:
        line, first = found[0]
        what = f"{_named(first)} was passed with 0 output tokens{_and_more(len(found) - 1)}"
        yield EFFORT_ZERO.broken(bundle.path / "rounds.jsonl", line, what)


def _named(record: _Record) -> str:
    if isinstance(record, RunFigures):
        return f"attempt {record.attempt} at {record.task}"
    return f"round {record.round} of {record.task}"


def _and_more(others: int) -> str:
    return f" (here and in {counted(others, 'more place')})" if others else ""
