"""What must hold between a bundle's counts and the failed cases that it lists."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitegen.errors import Problem, counted
from sitegen.models.outcome import Failure, RoundResult
from sitegen.store import rules
from sitegen.store.jsonlines import Lines
from sitegen.store.repeats import limited
from sitegen.store.traces import Key, all_traces, untraced

_INFRASTRUCTURE = ("address already in use", "no space left on device", "connection refused", "out of memory")
"""What a machine says when it, and not the agent's work, is at fault."""


@dataclass(frozen=True, slots=True)
class _Listing:
    """A bundle's list of failures beside its rounds."""

    path: Path
    rounds: Mapping[Key, RoundResult]
    first: Mapping[Key, tuple[int, Failure]]
    """The first failure of each round, with its line."""
    listed: Counter[Key]
    """Failed cases that are listed, by round."""

    @classmethod
    def of(cls, path: Path, rounds: Lines[RoundResult], failures: Lines[Failure]) -> "_Listing":
        """Put a list and its rounds together."""
        first: dict[Key, tuple[int, Failure]] = {}
        for line, each in failures.numbered:
            first.setdefault(_key_of(each), (line, each))
        listed = Counter(_key_of(each) for each in failures.records if each.status != "skipped")
        return cls(path, {_key_of(each): each for each in rounds.records}, first, listed)

    def misplaced(self, refused: Iterable[bytes]) -> Iterator[Problem]:
        """Failures of rounds whose cases did not run; those of a round whose line can't be read are no fault."""
        nowhere = untraced(self.first.keys() - self.rounds.keys(), all_traces(refused))
        for key, (line, each) in self.first.items():
            result = self.rounds.get(key)
            if result is None:
                state = "has no record" if key in nowhere else None
            else:
                state = None if result.state in {"scored", "excluded"} else f'is "{result.state}"'
            if state:
                what = f"case {each.case} failed in {_round_of(key)}, which {state}"
                yield rules.FAILURE_UNEXPECTED.broken(self.path, line, what)

    def unlisted(self) -> Iterator[Problem]:
        """Failed cases that are not listed."""
        failed = self._failed()
        short = {key: number - self.listed[key] for key, number in failed.items() if self.listed[key] < number}
        if short:
            silent = len(short.keys() - self.listed.keys())
            missing = f"detail incomplete: {sum(short.values())} of {sum(failed.values())} failed cases are not listed"
            what = f"{missing}, in {counted(len(short), 'round')}, {silent} of them without any"
            yield rules.DETAIL_INCOMPLETE.broken(self.path, None, what)

    def excess(self) -> Iterator[Problem]:
        """Rounds with more failures than failed cases."""
        failed = self._failed()
        for key, number in self.listed.items():
            if number > failed.get(key, number):
                what = f"{_round_of(key)}: {counted(number, 'failed case')} listed, but {failed[key]} failed"
                yield rules.DETAIL_EXCESS.broken(self.path, self.first[key][0], what)

    def _failed(self) -> dict[Key, int]:
        scored = {key: each.failed for key, each in self.rounds.items() if each.state == "scored"}
        return {key: failed for key, failed in scored.items() if failed is not None}


def detail_problems(path: Path, rounds: Lines[RoundResult], failures: Lines[Failure]) -> Iterator[Problem]:
    """Say which failed cases are listed wrongly, not at all, or cut.

    Args:
        path: The bundle's list of failures.
        rounds: Its rounds.
        failures: Its failures.
    """
    if not failures.records:
        return
    listing = _Listing.of(path, rounds, failures)
    yield from limited(listing.misplaced(rounds.refused))
    if not failures.refused:
        yield from listing.unlisted()
    yield from limited(listing.excess())
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
    without = [(line, each) for line, each in rounds.numbered if each.state == "no_cases"]
    yield from _unexplained(path, [(line, each) for line, each in without if not each.cause])
    yield from _suspect(path, [(line, each) for line, each in without if _is_the_machines(each.cause)])


def _unexplained(path: Path, rounds: Sequence[tuple[int, RoundResult]]) -> Iterator[Problem]:
    for line, first in rounds[:1]:
        subject = f"{counted(len(rounds), 'round')} without cases and without a cause"
        yield rules.NO_CASES_UNEXPLAINED.broken(path, line, f"{subject}, round {first.round} of {first.task} first")


def _suspect(path: Path, rounds: Sequence[tuple[int, RoundResult]]) -> Iterator[Problem]:
    for line, first in rounds[:1]:
        example = f'round {first.round} of {first.task} first: "{first.cause}"'
        what = f"{counted(len(rounds), 'round')} without cases may be the machine's fault, {example}"
        yield rules.NO_CASES_INFRASTRUCTURE.broken(path, line, what)


def _is_the_machines(cause: str | None) -> bool:
    said = (cause or "").lower()
    return any(sign in said for sign in _INFRASTRUCTURE)


def _key_of(each: RoundResult | Failure) -> Key:
    return each.task, each.attempt, each.round, each.start


def _round_of(key: Key) -> str:
    task, attempt, number, _ = key
    return f"round {number} of {task}, attempt {attempt}"
