"""The rounds that a run went through, from its list of them or, where a crash took that, from the verifier's files."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from sitegen.importers.harbor.stream import pick
from sitegen.importers.harbor_multiturn import rules
from sitegen.importers.harbor_multiturn.files import COMPLETED, RowFile
from sitegen.importers.harbor_multiturn.runs import Run
from sitegen.importers.kit.agents import repeated
from sitegen.importers.kit.report import Report, Spot
from sitegen.problems import Rule
from sitegen.reading.files import read_head

_CANCELLED = "CancelledError"
_REWARD = re.compile(r"round_(?P<round>[1-9]\d{0,3})_reward\.(?:txt|json)")
_SHORT = 1000
"""Bytes of a reward's file: it holds one number."""


@dataclass(frozen=True, slots=True)
class Course:
    """What a run went through.

    Attributes:
        run: The run.
        rows: Its rounds by number, those that it took over included.
    """

    run: Run
    rows: Mapping[int, RowFile]

    @property
    def own(self) -> dict[int, RowFile]:
        """The rounds that the run went through itself."""
        return {number: row for number, row in self.rows.items() if number >= self.run.start}


def course_of(run: Run, spot: Spot, report: Report) -> Course:
    """Give what a run went through, and say what is wrong with how it is told.

    A run that ended with an exception before the verdict of a round was in that round when it ended. One that was to
    begin late and lists none of its rounds never came to the first: the reference solution failed before it.
    """
    rows = _rows(run, spot, report)
    reached = max([run.start - 1, *rows]) + 1
    if _died(run) and _goes_on(run, rows, reached) and (rows or _is_prepared(run)):
        rows[reached] = RowFile(round=reached)
    return Course(run, rows)


def _rows(run: Run, spot: Spot, report: Report) -> dict[int, RowFile]:
    """Give the rounds that a run tells of, and of those before its start also what only the verifier tells of."""
    stated = run.rows
    left = {row.round: row for row in _rebuilt(run)}
    if stated is None:
        if left:
            report.doubt(rules.ROWS_MISSING, run.path, spot, f"round {', '.join(map(str, left))}")
        return left
    for rule, what in (*_list_doubts(stated), *_reward_doubts(run, stated)):
        report.doubt(rule, run.path, spot, what)
    before = {number: row for number, row in left.items() if number < run.start}
    return dict(sorted((before | {row.round: row for row in stated}).items()))


def _died(run: Run) -> bool:
    return run.exception not in {None, _CANCELLED}


def _is_prepared(run: Run) -> bool:
    """Whether nothing speaks against a run having come to its first round."""
    return run.rows is None or run.start == 1 or run.origin is not None


def _goes_on(run: Run, rows: Mapping[int, RowFile], reached: int) -> bool:
    """Whether a run ended in a round that it does not tell of, which is the one after those that it passed."""
    before = rows.get(reached - 1)
    return (before is None or before.reward == 1) and (run.last is None or reached <= run.last)


def _list_doubts(rows: Sequence[RowFile]) -> Iterator[tuple[Rule, str]]:
    twice = repeated(str(row.round) for row in rows)
    if twice:
        yield rules.ROUND_TWICE, f"round {', '.join(twice)}"
    for row in rows:
        if row.reward is not None and not 0 <= row.reward <= 1:
            yield rules.REWARD_RANGE, f"round {row.round} has a reward of {row.reward:g}"


def _reward_doubts(run: Run, rows: Sequence[RowFile]) -> Iterator[tuple[Rule, str]]:
    """Say where the verifier left another reward than the list has."""
    for row in rows:
        kept = stated_reward(run, row.round) if row.status == COMPLETED else None
        if kept not in {None, row.reward}:
            stated = "none" if row.reward is None else f"{row.reward:g}"
            yield rules.REWARD_DIFFERS, f"the reward of round {row.round} is {stated} in the list, {kept:g} in the file"


def _rebuilt(run: Run) -> Iterator[RowFile]:
    """Make rounds from the rewards that the verifier left."""
    names = run.verifier.files if run.verifier else ()
    for number in sorted({int(match["round"]) for name in names if (match := _REWARD.fullmatch(name))}):
        reward = stated_reward(run, number)
        if reward is not None and _ended_well(run, number):
            yield RowFile(round=number, reward=reward, status=COMPLETED)


def _ended_well(run: Run, number: int) -> bool:
    """Whether the test of a round ended without an error; with one, its reward does not count."""
    return (_text(run, f"round_{number}_test-exit-code.txt") or "0").strip() == "0"


def stated_reward(run: Run, number: int) -> float | None:
    """Give the reward in the verifier's file of a round, as the fork looks it up; None where there is none."""
    text = _text(run, f"round_{number}_reward.txt")
    if text is not None:
        return _number(text)
    path = run.verifier.file(f"round_{number}_reward.json") if run.verifier else None
    value, _ = pick(path, {"reward": None}) if path else (None, [])
    return _number(str(value.get("reward"))) if isinstance(value, dict) else None


def _text(run: Run, name: str) -> str | None:
    path = run.verifier.file(name) if run.verifier else None
    text = read_head(path, _SHORT) if path else None
    return None if text is None else text.decode(errors="replace")


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) else None
