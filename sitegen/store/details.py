"""What must hold between a bundle's counts and the failed cases that it lists."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sitegen.errors import Problem, counted
from sitegen.models.outcome import Failure, RoundResult, Start
from sitegen.store import rules
from sitegen.store.jsonlines import Lines

_INFRASTRUCTURE = ("address already in use", "no space left on device", "connection refused", "out of memory")
"""What a machine says when it, and not the agent's work, is at fault."""

Key = tuple[str, int, int, Start]


def detail_problems(path: Path, rounds: Sequence[RoundResult], failures: Lines[Failure]) -> Iterator[Problem]:
    """Say which failed cases are listed wrongly, not at all, or cut.

    Args:
        path: The bundle's list of failures.
        rounds: Its rounds.
        failures: Its failures.
    """
    by_key = {(each.task, each.attempt, each.round, each.start): each for each in rounds}
    listed = Counter((each.task, each.attempt, each.round, each.start) for each in failures.records)
    yield from _misplaced(path, by_key, failures)
    if listed:
        yield from _miscounted(path, by_key, listed)
    cut = [line for line, each in zip(failures.numbers, failures.records, strict=True) if each.truncated]
    if cut:
        yield rules.DETAIL_TRUNCATED.broken(
            path, cut[0], f"the source cut the texts of {counted(len(cut), 'failed case')}"
        )
    yield from _unexplained(path.parent / "rounds.jsonl", rounds)


def _misplaced(path: Path, by_key: Mapping[Key, RoundResult], failures: Lines[Failure]) -> Iterator[Problem]:
    seen: set[Key] = set()
    for line, each in zip(failures.numbers, failures.records, strict=True):
        key = (each.task, each.attempt, each.round, each.start)
        result = by_key.get(key)
        if (result is None or result.state not in {"scored", "excluded"}) and key not in seen:
            seen.add(key)
            state = "has no record" if result is None else f'is "{result.state}"'
            what = (
                f"case {each.case} failed in round {each.round} of {each.task}, attempt {each.attempt}, which {state}"
            )
            yield rules.FAILURE_UNEXPECTED.broken(path, line, what)


def _miscounted(path: Path, by_key: Mapping[Key, RoundResult], listed: Counter[Key]) -> Iterator[Problem]:
    scored = {
        key: result.failed for key, result in by_key.items() if result.state == "scored" and result.failed is not None
    }
    short = {key: failed - listed[key] for key, failed in scored.items() if listed[key] < failed}
    if short:
        silent = sum(1 for key in short if not listed[key])
        what = (
            f"detail incomplete: {sum(short.values())} of {sum(scored.values())} failed cases are not listed, "
            f"in {counted(len(short), 'round')}, {silent} of them without any"
        )
        yield rules.DETAIL_INCOMPLETE.broken(path, None, what)
    for key, failed in scored.items():
        if listed[key] > failed:
            task, attempt, number, _ = key
            what = (
                f"round {number} of {task}, attempt {attempt}: {listed[key]} failed cases listed, but {failed} failed"
            )
            yield rules.DETAIL_EXCESS.broken(path, None, what)


def _unexplained(path: Path, rounds: Sequence[RoundResult]) -> Iterator[Problem]:
    bare = [each for each in rounds if each.state == "no_cases" and not each.cause]
    if bare:
        first = bare[0]
        verb = "does" if len(bare) == 1 else "do"
        what = (
            f"{counted(len(bare), 'round')} without cases {verb} not say why, round {first.round} of {first.task} first"
        )
        yield rules.NO_CASES_UNEXPLAINED.broken(path, rounds.index(first) + 1, what)
    suspect = [
        (line, each)
        for line, each in enumerate(rounds, start=1)
        if each.state == "no_cases" and each.cause and any(sign in each.cause.lower() for sign in _INFRASTRUCTURE)
    ]
    if suspect:
        line, each = suspect[0]
        example = f'round {each.round} of {each.task} first: "{each.cause}"'
        what = f"{counted(len(suspect), 'round')} without cases may be the machine's fault, {example}"
        yield rules.NO_CASES_INFRASTRUCTURE.broken(path, line, what)
