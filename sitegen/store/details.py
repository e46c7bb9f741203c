"""What must hold between a bundle's counts and the failed cases that it lists."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from sitegen.errors import Problem, counted
from sitegen.models.outcome import Failure, RoundResult
from sitegen.store import rules
from sitegen.store.jsonlines import Lines
from sitegen.store.repeats import limited
from sitegen.store.traces import Key, traces_of, untraced

_INFRASTRUCTURE = ("address already in use", "no space left on device", "connection refused", "out of memory")
"""What a machine says when it, and not the agent's work, is at fault."""

ByKey = Mapping[Key, RoundResult]


def detail_problems(path: Path, rounds: Lines[RoundResult], failures: Lines[Failure]) -> Iterator[Problem]:
    """Say which failed cases are listed wrongly, not at all, or cut.

    Args:
        path: The bundle's list of failures.
        rounds: Its rounds.
        failures: Its failures.
    """
    by_key = {(each.task, each.attempt, each.round, each.start): each for each in rounds.records}
    first: dict[Key, tuple[int, Failure]] = {}
    for line, each in failures.numbered:
        first.setdefault((each.task, each.attempt, each.round, each.start), (line, each))
    failed = (each for each in failures.records if each.status != "skipped")
    listed = Counter((each.task, each.attempt, each.round, each.start) for each in failed)
    yield from limited(_misplaced(path, by_key, first, rounds.refused))
    if listed and not failures.refused:
        yield from _unlisted(path, by_key, listed)
    yield from limited(_excess(path, by_key, listed, first))
    cut = [line for line, each in failures.numbered if each.truncated]
    if cut:
        what = f"the source cut the texts of {counted(len(cut), 'failed case')}"
        yield rules.DETAIL_TRUNCATED.broken(path, cut[0], what)


def cause_problems(path: Path, rounds: Lines[RoundResult]) -> Iterator[Problem]:
    """Say which rounds without cases have no cause, or one that lies with the machine.

    Args:
        path: The bundle's rounds.
        rounds: What it holds.
    """
    bare = [(line, each) for line, each in rounds.numbered if each.state == "no_cases" and not each.cause]
    if bare:
        line, first = bare[0]
        verb = "does" if len(bare) == 1 else "do"
        subject = f"{counted(len(bare), 'round')} without cases {verb} not say why"
        yield rules.NO_CASES_UNEXPLAINED.broken(path, line, f"{subject}, round {first.round} of {first.task} first")
    suspect = [
        (line, each)
        for line, each in rounds.numbered
        if each.state == "no_cases" and any(sign in (each.cause or "").lower() for sign in _INFRASTRUCTURE)
    ]
    if suspect:
        line, first = suspect[0]
        example = f'round {first.round} of {first.task} first: "{first.cause}"'
        what = f"{counted(len(suspect), 'round')} without cases may be the machine's fault, {example}"
        yield rules.NO_CASES_INFRASTRUCTURE.broken(path, line, what)


def _misplaced(
    path: Path, by_key: ByKey, first: Mapping[Key, tuple[int, Failure]], refused: Iterable[bytes]
) -> Iterator[Problem]:
    """Failures of rounds whose cases did not run; those of a round whose line can't be read are no fault."""
    traces = [trace for line in refused for trace in traces_of(line)]
    nowhere = set(untraced((key for key in first if key not in by_key), traces))
    for key, (line, each) in first.items():
        result = by_key.get(key)
        if result is None and key not in nowhere:
            continue
        if result is None or result.state not in {"scored", "excluded"}:
            state = "has no record" if result is None else f'is "{result.state}"'
            what = f"case {each.case} failed in {_round_of(key)}, which {state}"
            yield rules.FAILURE_UNEXPECTED.broken(path, line, what)


def _unlisted(path: Path, by_key: ByKey, listed: Counter[Key]) -> Iterator[Problem]:
    failed = {key: result.failed for key, result in by_key.items() if result.state == "scored" and result.failed}
    short = {key: number - listed[key] for key, number in failed.items() if listed[key] < number}
    if short:
        silent = sum(1 for key in short if not listed[key])
        missing = f"detail incomplete: {sum(short.values())} of {sum(failed.values())} failed cases are not listed"
        what = f"{missing}, in {counted(len(short), 'round')}, {silent} of them without any"
        yield rules.DETAIL_INCOMPLETE.broken(path, None, what)


def _excess(
    path: Path, by_key: ByKey, listed: Counter[Key], first: Mapping[Key, tuple[int, Failure]]
) -> Iterator[Problem]:
    for key, number in listed.items():
        result = by_key.get(key)
        failed = result.failed if result and result.state == "scored" else None
        if failed is not None and number > failed:
            what = f"{_round_of(key)}: {counted(number, 'failed case')} listed, but {failed} failed"
            yield rules.DETAIL_EXCESS.broken(path, first[key][0], what)


def _round_of(key: Key) -> str:
    task, attempt, number, _ = key
    return f"round {number} of {task}, attempt {attempt}"
