"""Gathers what is wrong with the rows of a table: one fault is one problem, however many rows have it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.problems import Problem, Rule, counted

_WIDTH = 60
"""Characters of a value that a message quotes."""


@dataclass(slots=True)
class Faults:
    """What is wrong with the rows of a table.

    Attributes:
        path: The table.
        first: The first breach of each kind.
        repeats: Breaches of each kind.
    """

    path: Path
    first: dict[tuple[str, str], Problem] = field(default_factory=dict)
    repeats: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, rule: Rule, kind: str, line: int, what: str) -> None:
        """Note a breach.

        Args:
            rule: The broken rule.
            kind: What breaches have in common that are one fault.
            line: Line in the file, from 1.
            what: The fact.
        """
        key = rule.code, kind
        self.repeats[key] += 1
        if key not in self.first:
            self.first[key] = rule.broken(self.path, line, what)

    def problems(self) -> Iterator[Problem]:
        """Give each fault once, where it stands first, and say how often it stands."""
        for key, each in self.first.items():
            others = self.repeats[key] - 1
            more = f"; and so in {counted(others, 'more row')}" if others else ""
            yield Problem(each.code, each.severity, each.path, each.line, each.what + more, each.fix)


def shown(value: object) -> str:
    """Quote a value in a message."""
    text = repr(value)
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"
