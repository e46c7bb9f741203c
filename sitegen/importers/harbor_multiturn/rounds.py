"""List the rounds of a run, from its list of rounds and from the verifier's files."""

import re
from dataclasses import replace
from math import isfinite

from sitegen.importers.harbor.records import read_start
from sitegen.importers.harbor_multiturn import rules
from sitegen.importers.harbor_multiturn.runs import COMPLETED, LISTED_TWICE, ForkRun, RowFile
from sitegen.importers.kit.import_log import ImportLog, SourceLocation
from sitegen.importers.kit.rewards import parse_reward
from sitegen.importers.kit.stream import pick

_REWARD_FILE = re.compile(r"round_(?P<round>[1-9]\d{0,3})_reward\.(?:txt|json)")
_MAX_TEXT_BYTES = 1000


def add_rounds(
    run: ForkRun, spot: SourceLocation, log: ImportLog, scale: float | None = None
) -> ForkRun:
    """Return a run with its rounds, and with rewards divided by the scale.

    If an exception ended the run during a round, that round is included without a verdict.
    """
    rounds = _read_rounds(run)
    if run.has_round_list:
        # The list begins at the run's start; earlier rounds are known only from the verifier's
        # files.
        earlier = {number: row for number, row in rounds.items() if number < run.start}
        rounds = dict(sorted((earlier | _merge_listed(run, spot, log)).items()))
    elif rounds:
        message = f"round {', '.join(map(str, rounds))}"
        log.add_doubt(rules.ROWS_MISSING, run.path, spot, message)
    interrupted = _interrupted_round(run, rounds, scale)
    if interrupted is not None:
        rounds[interrupted] = RowFile(round=interrupted)
    scaled = {}
    for number, row in rounds.items():
        scaled[number] = row.model_copy(update={"reward": parse_reward(row.reward, scale)})
    return replace(run, rounds=scaled)


def _read_rounds(run: ForkRun) -> dict[int, RowFile]:
    """Return the rounds with a reward in the verifier's files.

    A reward does not count if the tests of its round ended with an error.
    """
    numbers = set()
    for name in run.verifier.files:
        match = _REWARD_FILE.fullmatch(name)
        if match:
            numbers.add(int(match["round"]))
    rounds: dict[int, RowFile] = {}
    for number in sorted(numbers):
        reward = _read_reward(run, number)
        exit_code = _read_text(run, f"round_{number}_test-exit-code.txt") or "0"
        if reward is not None and exit_code.strip() == "0":
            rounds[number] = RowFile(round=number, reward=reward, status=COMPLETED)
    return rounds


def _merge_listed(run: ForkRun, spot: SourceLocation, log: ImportLog) -> dict[int, RowFile]:
    """Return the listed rounds; a round with two different entries has no verdict."""
    rounds: dict[int, RowFile] = {}
    for row in run.listed_rounds:
        first = rounds.setdefault(row.round, row)
        if first == row:
            continue
        if first.status != LISTED_TWICE:
            log.add_doubt(rules.ROUND_TWICE, run.path, spot, f"round {row.round}")
        rounds[row.round] = RowFile(round=row.round, status=LISTED_TWICE)
    for row in rounds.values():
        file_reward = _read_reward(run, row.round) if row.status == COMPLETED else None
        if file_reward not in {None, row.reward}:
            listed_reward = "none" if row.reward is None else f"{row.reward:g}"
            rewards = f"{listed_reward} in the list, but {file_reward:g} in the file"
            message = f"the reward of round {row.round} is {rewards}"
            log.add_doubt(rules.REWARD_DIFFERS, run.path, spot, message)
    return rounds


def _interrupted_round(run: ForkRun, rounds: dict[int, RowFile], scale: float | None) -> int | None:
    """Return the round in which an exception ended a run; None if it ended outside any round.

    A run that was to start late and lists no rounds never reached its first round: the reference
    solution failed before it.
    """
    if run.exception in {None, "CancelledError"}:
        return None
    number = max([run.start - 1, *rounds]) + 1
    previous = rounds.get(number - 1)
    if previous is not None and parse_reward(previous.reward, scale) != 1:
        return None
    if run.last_round is not None and number > run.last_round:
        return None
    is_late = run.start > 1 and run.origin is None
    if is_late and not rounds and run.has_round_list:
        return None
    return number


def _read_reward(run: ForkRun, number: int) -> float | None:
    """Return the reward in the verifier's file of a round, looked up as the fork does.

    The result is None if no file contains a finite number.
    """
    text = _read_text(run, f"round_{number}_reward.txt")
    if text is None:
        path = run.verifier.file(f"round_{number}_reward.json")
        value = pick(path, {"reward": None})[0] if path else None
        text = str(value.get("reward")) if isinstance(value, dict) else ""
    try:
        reward = float(text)
    except ValueError:
        return None
    return reward if isfinite(reward) else None


def _read_text(run: ForkRun, name: str) -> str | None:
    """Return the beginning of a verifier's file; None if there is no such file."""
    path = run.verifier.file(name)
    data = read_start(path, _MAX_TEXT_BYTES)
    return None if data is None else data.decode(errors="replace")
