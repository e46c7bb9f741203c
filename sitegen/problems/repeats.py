"""Tells a fault that repeats itself once, or few times: a writer's slip stands on every line that it wrote."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from sitegen.problems.problem import Problem
from sitegen.problems.wording import counted

SHOWN, NAMED = 3, 20
"""How many breaches of a rule are told in full, and how many of the others are named by their line."""


def limited(problems: Iterable[Problem], shown: int = SHOWN) -> Iterator[Problem]:
    """Report the first breaches of each rule in each file, and the rest of them as one.

    Args:
        problems: In the order of the file.
        shown: How many are told in full.
    """
    groups: dict[object, list[Problem]] = defaultdict(list)
    for problem in problems:
        groups[problem.code, problem.path].append(problem)
    for group in groups.values():
        by_fact: dict[str, list[Problem]] = defaultdict(list)
        for problem in group:
            by_fact[problem.what].append(problem)
        # Equal facts are told once, at the place where they come first.
        told = [_joined(equal, repeated(what, len(equal))) for what, equal in by_fact.items()]
        yield from told[:shown]
        rest = told[shown:]
        if rest:
            lines = [str(problem.line) for problem in rest[1:] if problem.line]
            where = f", in lines {', '.join(lines[:NAMED])}{'…' if len(lines) > NAMED else ''}" if lines else ""
            more = f"; and {len(rest) - 1} more like it{where}" if rest[1:] else ""
            yield _joined(rest, rest[0].what + more)


def repeated(what: str, times: int) -> str:
    """Add to a fact how often it was found."""
    return what if times == 1 else f"{what} (here and in {counted(times - 1, 'more place')})"


def _joined(problems: Sequence[Problem], what: str) -> Problem:
    """The first of some problems, with the lines of all of them and a fact about all."""
    others = (line for problem in problems[1:] for line in problem.lines)
    return replace(problems[0], what=what, others=(*problems[0].others, *others))
