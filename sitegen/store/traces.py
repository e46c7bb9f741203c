"""What can be told of expected records that are there but can't be used: they are wrong, and not missing as well."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from sitegen.models.outcome import Start

Key = tuple[str, int, int, Start]
"""What a record is about: task, attempt, round, start."""

Trace = tuple[str | None, int | None, int | None, Start | None]
"""What is known of a record's key; None for a part that is not."""

Gaps = tuple[bool, ...]
"""Which parts of a trace are not known."""

_TASK = re.compile(rb'"task"\s*:\s*"([^"\\]+)"')
_ATTEMPT = re.compile(rb'"attempt"\s*:\s*"?(\d{1,9})\b')
_ROUND = re.compile(rb'"round"\s*:\s*"?(\d{1,9})\b')
_NEXT = re.compile(rb"\}\s*+(?:,\s*+)?\{")
_MOST = 1000
"""So many records in one line are told apart."""
_REFERENCE = re.compile(rb'"start"\s*:\s*"reference"')


def all_traces(lines: Iterable[bytes]) -> Iterator[Trace]:
    """Tell what lines are about that are no records, or were to be several, as far as it can be seen."""
    for line in lines:
        yield from map(_trace_of, _NEXT.split(line, _MOST))


def _trace_of(text: bytes) -> Trace:
    task, attempt, number = _TASK.search(text), _ATTEMPT.search(text), _ROUND.search(text)
    return (
        task[1].decode(errors="replace") if task else None,
        int(attempt[1]) if attempt else None,
        int(number[1]) if number else None,
        "reference" if _REFERENCE.search(text) else "own",
    )


def untraced(keys: Iterable[Key], traces: Iterable[Trace]) -> set[Key]:
    """Leave out one key for each trace that may stand for it, the most exact traces first."""
    left = set(keys)
    by_gaps: dict[Gaps, list[Trace]] = defaultdict(list)
    for trace in traces:
        by_gaps[tuple(part is None for part in trace)].append(trace)
    for gaps in sorted(by_gaps, key=sum):
        places: dict[tuple[object, ...], list[Key]] = defaultdict(list)
        for key in sorted(left, reverse=True):
            places[_masked(key, gaps)].append(key)
        for trace in by_gaps[gaps]:
            if places[trace]:
                left.remove(places[trace].pop())
    return left


def _masked(key: Key, gaps: Gaps) -> tuple[object, ...]:
    """Forget the parts of a key that a trace does not know."""
    return tuple(None if gap else part for part, gap in zip(key, gaps, strict=True))
