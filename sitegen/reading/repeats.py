"""Tells a fault that repeats itself once, or few times: a writer's slip stands on every line that it wrote."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from sitegen.problems import Problem, counted

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
        told = list(_merged(group))
        yield from told[:shown]
        if len(told) > shown:
            yield _summed(told[shown:])


def repeated(what: str, times: int) -> str:
    """Add to a fact how often it was found."""
    return what if times == 1 else f"{what} (here and in {counted(times - 1, 'more place')})"


def _merged(group: Sequence[Problem]) -> Iterator[Problem]:
    """Tell equal facts once, at the place where they come first."""
    by_fact: dict[str, list[Problem]] = defaultdict(list)
    for problem in group:
        by_fact[problem.what].append(problem)
    for what, equal in by_fact.items():
        yield replace(equal[0], what=repeated(what, len(equal)), others=(*equal[0].others, *_lines_of(equal[1:])))


def _summed(rest: Sequence[Problem]) -> Problem:
    first, others = rest[0], rest[1:]
    if not others:
        return first
    lines = [str(problem.line) for problem in others if problem.line]
    where = f", in lines {', '.join(lines[:NAMED])}{'…' if len(lines) > NAMED else ''}" if lines else ""
    what = f"{first.what}; and {len(others)} more like it{where}"
    return replace(first, what=what, others=(*first.others, *_lines_of(others)))


def _lines_of(problems: Iterable[Problem]) -> Iterator[int]:
    for problem in problems:
        yield from problem.lines
