"""The rounds that a run went through, from its list of them or, where a crash took that, from the verifier's files."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite

from sitegen.importers.harbor.stream import pick
from sitegen.importers.harbor_multiturn import rules
from sitegen.importers.harbor_multiturn.runs import COMPLETED, RowFile, Run
from sitegen.importers.kit.agents import repeated
from sitegen.importers.kit.report import Report, Spot
from sitegen.reading.files import read_head

_REWARD = re.compile(r"round_(?P<round>[1-9]\d{0,3})_reward\.(?:txt|json)")
_SHORT = 1000
"""Bytes of a reward's file: it holds one number."""


@dataclass(frozen=True, slots=True)
class Course:
    """What a run went through."""

    run: Run
    rows: Mapping[int, RowFile]
    """Its rounds by number, those that it took over included."""

    @property
    def own(self) -> dict[int, RowFile]:
        """The rounds that the run went through itself."""
        return {number: row for number, row in self.rows.items() if number >= self.run.start}


def course_of(run: Run, spot: Spot, report: Report) -> Course:
    """Give what a run went through, and say what is wrong with how it is told.

    A run that ended with an exception before the verdict of a round was in that round when it ended. One that was to
    begin late and lists none of its rounds never came to the first: the reference solution failed before it.
    """
    rows = {row.round: row for row in _rebuilt(run)}
    if run.rows is not None:
        _check(run, spot, report)
        # Of the rounds before its start only the verifier may tell.
        before = {number: row for number, row in rows.items() if number < run.start}
        rows = dict(sorted((before | {row.round: row for row in run.rows}).items()))
    elif rows:
        report.doubt(rules.ROWS_MISSING, run.path, spot, f"round {', '.join(map(str, rows))}")
    if run.exception not in {None, "CancelledError"}:
        reached = max([run.start - 1, *rows]) + 1
        last = rows.get(reached - 1)
        goes_on = (last is None or last.reward == 1) and (run.last is None or reached <= run.last)
        if goes_on and (rows or run.rows is None or run.start == 1 or run.origin is not None):
            rows[reached] = RowFile(round=reached)
    return Course(run, rows)


def _check(run: Run, spot: Spot, report: Report) -> None:
    """Say what is wrong with a run's list of rounds, and where the verifier left another reward than it has."""
    rows = run.rows or ()
    if twice := repeated(str(row.round) for row in rows):
        report.doubt(rules.ROUND_TWICE, run.path, spot, f"round {', '.join(twice)}")
    for row in rows:
        if row.reward is not None and not 0 <= row.reward <= 1:
            report.doubt(rules.REWARD_RANGE, run.path, spot, f"round {row.round} has a reward of {row.reward:g}")
    for row in rows:
        kept = _stated_reward(run, row.round) if row.status == COMPLETED else None
        if kept not in {None, row.reward}:
            stated = "none" if row.reward is None else f"{row.reward:g}"
            what = f"the reward of round {row.round} is {stated} in the list, {kept:g} in the file"
            report.doubt(rules.REWARD_DIFFERS, run.path, spot, what)


def _rebuilt(run: Run) -> Iterator[RowFile]:
    """Make rounds from the rewards that the verifier left, where the test did not end with an error."""
    names = run.verifier.files if run.verifier else ()
    for number in sorted({int(match["round"]) for name in names if (match := _REWARD.fullmatch(name))}):
        reward = _stated_reward(run, number)
        if reward is not None and (_text(run, f"round_{number}_test-exit-code.txt") or "0").strip() == "0":
            yield RowFile(round=number, reward=reward, status=COMPLETED)


def _stated_reward(run: Run, number: int) -> float | None:
    """The reward in the verifier's file of a round, as the fork looks it up; None where there is none."""
    text = _text(run, f"round_{number}_reward.txt")
    if text is None:
        path = run.verifier.file(f"round_{number}_reward.json") if run.verifier else None
        value = pick(path, {"reward": None})[0] if path else None
        text = str(value.get("reward")) if isinstance(value, dict) else ""
    try:
        reward = float(text)
    except ValueError:
        return None
    return reward if isfinite(reward) else None


def _text(run: Run, name: str) -> str | None:
    path = run.verifier.file(name) if run.verifier else None
    text = read_head(path, _SHORT) if path else None
    return None if text is None else text.decode(errors="replace")
