"""What must hold between a bundle's counts and the failed cases that it lists."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from sitegen.models.outcome import RoundResult
from sitegen.problems import Problem, counted
from sitegen.reading.jsonlines import Lines
from sitegen.reading.repeats import limited
from sitegen.store import rules
from sitegen.store.listing import Listing, round_of
from sitegen.store.traces import Key, all_traces, untraced

_INFRASTRUCTURE = ("address already in use", "no space left on device", "connection refused", "out of memory")
"""What a machine says when it, and not the agent's work, is at fault."""


def listing_problems(listing: Listing, refused: Iterable[bytes]) -> Iterator[Problem]:
    """Say which failed cases are listed wrongly, not at all, or cut.

    Args:
        listing: The failures beside their rounds.
        refused: Lines of rounds that could not be read.
    """
    if not listing.failures.rounds:
        return
    failed = _failed(listing.rounds)
    yield from limited(_misplaced(listing, refused))
    cut = listing.failures.cut
    what = f"the source cut the texts of {counted(len(cut), 'failed case')}" if cut else ""
    unlisted = () if listing.failures.refused else tuple(_unlisted(listing, failed, what))
    yield from unlisted
    yield from limited(_excess(listing, failed))
    if cut and not unlisted:
        yield rules.DETAIL_TRUNCATED.broken(listing.path, cut[0], what)


def _misplaced(listing: Listing, refused: Iterable[bytes]) -> Iterator[Problem]:
    """Failures of rounds whose cases did not run; those of a round whose line can't be read are no fault."""
    nowhere = untraced(listing.failures.rounds.keys() - listing.rounds.keys(), all_traces(refused))
    for key in listing.failures.rounds:
        result = listing.rounds.get(key)
        if result is None:
            state = "has no record" if key in nowhere else None
        else:
            state = None if result.state in {"scored", "excluded"} else f'is "{result.state}"'
        if state:
            line, each = listing.first(key)
            what = f"case {each.case} failed in {round_of(key)}, which {state}"
            yield rules.FAILURE_UNEXPECTED.broken(listing.path, line, what)


def _unlisted(listing: Listing, failed: Mapping[Key, int], cut: str) -> Iterator[Problem]:
    """Failed cases that are not listed; that some of the others are cut is told with it."""
    listed = listing.failed
    short = {key: number - listed.get(key, 0) for key, number in failed.items() if listed.get(key, 0) < number}
    if short:
        silent = sum(not listed.get(key) for key in short)
        missing = f"detail incomplete: {sum(short.values())} of {sum(failed.values())} failed cases are not listed"
        told = f"{missing}, in {counted(len(short), 'round')}, {silent} of them without any"
        yield rules.DETAIL_INCOMPLETE.broken(listing.path, None, "; ".join(filter(None, (told, cut))))


def _excess(listing: Listing, failed: Mapping[Key, int]) -> Iterator[Problem]:
    """Rounds with more failures than failed cases, and passed ones with any."""
    for key, number in listing.failed.items():
        result = listing.rounds.get(key)
        if result and result.solved and number:
            line = next(line for line, _, each in listing.of_round(key) if each.status != "skipped")
            what = f"{round_of(key)}: {counted(number, 'failed case')} listed, but its reward is {result.reward:g}"
            yield rules.REWARD_DESPITE_FAILURE.broken(listing.path, line, what)
        elif number > failed.get(key, number):
            line, _ = listing.first(key)
            what = f"{round_of(key)}: {counted(number, 'failed case')} listed, but {failed[key]} failed"
            yield rules.DETAIL_EXCESS.broken(listing.path, line, what)


def _failed(rounds: Mapping[Key, RoundResult]) -> dict[Key, int]:
    scored = {key: each.failed for key, each in rounds.items() if each.state == "scored"}
    return {key: failed for key, failed in scored.items() if failed is not None}


def cause_problems(path: Path, rounds: Lines[RoundResult]) -> Iterator[Problem]:
    """Say which rounds without cases have no cause, or one that lies with the machine.

    Args:
        path: The bundle's rounds.
        rounds: What it holds.
    """
    without = [(line, each) for line, each in rounds.numbered if each.state == "no_cases"]
    yield from _unexplained(path, [(line, each) for line, each in without if not each.cause])
    yield from _suspect(path, [(line, each) for line, each in without if _is_the_machines(each.cause)])


def _unexplained(path: Path, rounds: Sequence[tuple[int, RoundResult]]) -> Iterator[Problem]:
    for line, first in rounds[:1]:
        subject = f"{counted(len(rounds), 'round')} without cases and without a cause"
        what = f"{subject}, round {first.round} of {first.task} first"
        yield rules.NO_CASES_UNEXPLAINED.broken(path, line, what).about(number for number, _ in rounds)


def _suspect(path: Path, rounds: Sequence[tuple[int, RoundResult]]) -> Iterator[Problem]:
    for line, first in rounds[:1]:
        example = f'round {first.round} of {first.task} first: "{first.cause}"'
        what = f"{counted(len(rounds), 'round')} without cases may be the machine's fault, {example}"
        yield rules.NO_CASES_INFRASTRUCTURE.broken(path, line, what).about(number for number, _ in rounds)


def _is_the_machines(cause: str | None) -> bool:
    said = (cause or "").lower()
    return any(sign in said for sign in _INFRASTRUCTURE)
