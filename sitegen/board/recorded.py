"""How much of a submission its records show: rewards, cases, texts and effort."""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import chain

from sitegen.board.dossier import Dossier, Shown
from sitegen.models.outcome import RoundResult, RunFigures
from sitegen.problems import counted

_SKIPPED = re.compile(rb'"status"\s*:\s*"skipped"')
_TOLD = re.compile(rb'"(?:intent|scenario|input|expected|actual|reason)"\s*:\s*"[^"]')
"""A text that is not empty. Quotes within texts are escaped, so that neither expression finds itself in one."""

_WORKED = ("scored", "no_cases", "aborted")

_HAVE = ("has", "have")
_Told = RoundResult | RunFigures
_FIGURES: Mapping[str, Callable[[_Told], bool]] = {
    "tokens": lambda each: each.output_tokens is not None,
    "cost": lambda each: each.cost_usd is not None,
    "time": lambda each: each.agent_seconds is not None,
}


def rewards(dossier: Dossier) -> Shown:
    """Count the expected rounds that have a record."""
    expected = {*dossier.expected}
    found = {(each.task, each.attempt, each.round, each.start) for each in dossier.bundle.rounds} & expected
    return _share(len(found), len(expected), "expected round", _HAVE, "a reward")


def outcomes(dossier: Dossier) -> Shown:
    """Count the scored rounds that tell how each of their cases ended; there has to be one."""
    there = sum(each.outcomes is not None for each in dossier.scored)
    if not dossier.scored:
        return Shown(0, 1, "No round was scored, so that no case can be seen.")
    return _share(there, len(dossier.scored), "scored round", ("tells", "tell"), "how each case ended")


def names(dossier: Dossier) -> Shown:
    """Count the scored rounds whose cases have names: their own, or those that the benchmark lists."""
    listed = {(task.id, each.n): len(each.cases or ()) for task in dossier.tasks.tasks for each in task.rounds}
    there = sum(
        each.case_ids is not None or (bool(each.total) and each.total == listed.get((each.task, each.round)))
        for each in dossier.scored
    )
    return _share(there, len(dossier.scored), "scored round", _HAVE, "a name for each case")


def texts(dossier: Dossier) -> Shown:
    """Count the failed cases of which something is told: what was expected, what came of it, or why it failed."""
    failed = sum(each.failed or 0 for each in dossier.scored)
    log = dossier.bundle.failures
    lines = chain.from_iterable(map(log.lines_of, log.texts))
    there = sum(_TOLD.search(line) is not None and _SKIPPED.search(line) is None for line in lines)
    if not failed:
        return Shown(0, 0, "No failed case is counted.")
    return _share(min(there, failed), failed, "failed case", _HAVE, "a text")


def effort(dossier: Dossier) -> Shown:
    """Count the runs whose tokens, cost and time are known, from their rounds or as a whole."""
    rounds = [each for each in dossier.bundle.rounds if each.state in _WORKED and each.start == "own"]
    runs = {(each.task, each.attempt) for each in rounds}
    told: list[_Told] = [*rounds, *dossier.bundle.runs]
    known = {name: _runs_where(is_known, told) & runs for name, is_known in _FIGURES.items()}
    if not any(known.values()):
        return Shown(0, len(_FIGURES) * len(runs), "No run has a figure of its tokens, its cost or its time.")
    words = ", ".join(f"{name} for {len(found)} of {len(runs)}" for name, found in known.items())
    return Shown(sum(map(len, known.values())), len(_FIGURES) * len(runs), f"Runs with a figure: {words}.")


def _runs_where(is_known: Callable[[_Told], bool], told: Sequence[_Told]) -> set[tuple[str, int]]:
    return {(each.task, each.attempt) for each in told if is_known(each)}


def reruns(dossier: Dossier) -> Shown:
    """Tell whether a maintainer's own run bears the submission out."""
    found = dossier.reproductions
    if not found:
        return Shown(0, 1, "No maintainer has run it again.")
    if any(each.differs for each in found):
        return Shown(0, 1, "A maintainer ran it again, and the scores differ by more than chance.")
    if not any(each.holds for each in found):
        return Shown(0, 1, "A maintainer ran it again, but the two runs can't be held against each other.")
    return Shown(1, 1, "A maintainer ran it again, and the scores do not differ by more than chance.")


def _share(there: int, of: int, noun: str, verbs: tuple[str, str], rest: str) -> Shown:
    """Tell a share in words: of 3 expected rounds, 1 has a reward."""
    one, many = verbs
    if not of:
        words = f"There is no {noun}."
    elif there == of:
        words = f"Each of {counted(of, noun)} {one} {rest}." if of > 1 else f"The only {noun} {one} {rest}."
    else:
        words = f"Of {counted(of, noun)}, {f'{there:,}' if there else 'none'} {one if there <= 1 else many} {rest}."
    return Shown(there, of, words)
