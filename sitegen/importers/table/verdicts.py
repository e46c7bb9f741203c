"""Determine the rewards, states and causes of a table's rows, and check that they agree."""

from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from math import isnan
from typing import NamedTuple, assert_never

from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rewards import check_rewards
from sitegen.importers.kit.rules import NOTHING_SCORED, SCALE_UNSTATED
from sitegen.importers.table import rules
from sitegen.importers.table.columns import usual_meaning
from sitegen.importers.table.rows import TableRows
from sitegen.importers.table.runs import STATE_CODES, UNKNOWN_COUNT
from sitegen.importers.table.values import NO_REWARD
from sitegen.models.consistency import round_breaches
from sitegen.models.outcome import PASS_REWARD, RoundResult, State
from sitegen.problems import Rule, counted, listed

_FAILING_CODES = frozenset({STATE_CODES["scored"], STATE_CODES["no_cases"]})
"""Codes of the states in which a round can have failed."""

_CASE_COLUMNS = ("outcomes", "case_ids", "by_category")

_MAX_CACHED = 100_000
"""Maximum number of distinct verdicts to remember as having no faults."""


class RoundFault(NamedTuple):
    """A rule that a round breaks."""

    rule: Rule
    kind: str
    """The kind of fault; faults of the same kind are reported together."""
    message: str


@dataclass(slots=True)
class Verdicts:
    """Determines the verdicts of a table's rows, and checks them."""

    rows: TableRows
    log: ImportLog
    options: ImportOptions

    def settle(self) -> None:
        """Determine how each round ended, and report contradictions."""
        if "reward" in self.rows.reader.columns.numbers:
            self._check_rewards()
        else:
            self._derive_rewards()
        self._set_states()
        self._abort()
        self._keep_declared_modes()

    def _check_rewards(self) -> None:
        """Report rewards on an unknown scale, a contradicting column, and a lack of verdicts."""
        rows = self.rows
        log = self.log
        name = one_line(rows.reader.columns.name_of("reward"))
        rewards = [reward for reward in rows.rounds.rewards if not isnan(reward)]
        if rewards:
            lowest = min(rewards)
            highest = max(rewards)
            example = rows.rounds.rewards.index(lowest if lowest < 0 else highest)
            location = f"column `{name}`, for example {rows.name_of(example)},"
            totals = self._columns_of_totals()
            if highest > 1 and totals and self.options.scale is None:
                message = f"{location} has rewards up to {highest:g}"
                fix = f"if they are counts out of `{totals[0]}`: `--column max_reward={totals[0]}`"
                log.problems.append(SCALE_UNSTATED.broken(log.root, None, message, fix))
            else:
                check_rewards((lowest, highest), log.root, log, self.options.scale, location)
        if rows.conflict is not None:
            row, rival, reward, rival_reward = rows.conflict
            rival = one_line(rival)
            values = f"`{name}` is {reward}, but `{rival}` is {rival_reward}"
            message = f"{values}, and either could be the reward"
            fix = f"name the one that counts: `--column reward={name}` or `--column reward={rival}`"
            problem = rules.SCORE_AMBIGUOUS.broken(log.root, rows.line(row), message, fix)
            log.problems.append(problem)
        if len(rows.causes) == len(rows) and not any(rows.stated):
            log.add(NOTHING_SCORED, log.root, f"column `{name}` contains no verdict in any row")

    def _columns_of_totals(self) -> list[str]:
        """Return the unused columns that have the name of a total."""
        columns = self.rows.reader.columns
        names = [columns.names[number] for number in columns.unused()]
        return [one_line(name) for name in names if usual_meaning(name) == "total"]

    def _derive_rewards(self) -> None:
        """Derive rewards from the counts of cases: a round is passed if no case failed."""
        rows = self.rows
        counts = rows.rounds.counts
        all_skipped = counts.get("skipped", array("q", [0]) * len(rows))
        triples = zip(counts["passed"], counts["total"], all_skipped, strict=True)
        for row, (passed, total, skipped) in enumerate(triples):
            if UNKNOWN_COUNT in {passed, total}:
                rows.causes[row] = NO_REWARD.cause
                continue
            is_passed = passed > 0 and passed + max(0, skipped) >= total
            rows.rounds.rewards[row] = 1.0 if is_passed else 0.0
        meaning = "a round is passed if none of its cases failed"
        self.log.assume(f"{meaning}, as the table has no reward")

    def _set_states(self) -> None:
        """Set the state of each round: the stated state, or `no_cases` for 0 cases, or `scored`."""
        rows = self.rows
        rounds = rows.rounds
        rounds.states = array("B", [STATE_CODES["scored"]]) * len(rows)
        for row, total in enumerate(rounds.counts.get("total", ())):
            is_stated = row < len(rows.stated) and rows.stated[row] is not None
            if total == 0 and not is_stated:
                self._end(row, "no_cases")
        for row, state in enumerate(rows.stated):
            match state:
                case None:
                    continue
                case "no_cases" | "aborted" | "unreached" | "fast_forwarded":
                    self._end(row, state)
                case "excluded":
                    reason = "which needs a finding that says why: exclude rounds in findings.toml"
                    message = f"`state` is 'excluded', {reason}"
                    rows.add_fault(rules.VALUE, row, message, "state")
                case "scored":
                    if row in rows.causes:
                        message = f"the row has no reward, but its `state` is '{state}'"
                        rows.add_fault(rules.REWARD_EMPTY, row, message, "reward")
                case unknown:
                    assert_never(unknown)

    def _end(self, row: int, state: State) -> None:
        """Record the state of a round without a verdict; set an unknown reward or count to 0."""
        rounds = self.rows.rounds
        rounds.states[row] = STATE_CODES[state]
        self.rows.causes.pop(row, None)
        if isnan(rounds.rewards[row]):
            rounds.rewards[row] = 0.0
        for name in ("passed", "total"):
            counts = self._counts(name)
            if counts[row] == UNKNOWN_COUNT:
                counts[row] = 0

    def _counts(self, name: str) -> "array[int]":
        """Return a column of counts; create it if the table does not have one."""
        counts = self.rows.rounds.counts
        if name not in counts:
            counts[name] = array("q", [UNKNOWN_COUNT]) * len(self.rows)
        return counts[name]

    def _abort(self) -> None:
        """Record the rounds without a verdict as aborted, without cases and with their causes."""
        rows = self.rows
        rounds = rows.rounds
        self._set_causes()
        for row in rows.causes:
            rounds.states[row] = STATE_CODES["aborted"]
            rounds.rewards[row] = 0.0
            for name in ("passed", "total"):
                self._counts(name)[row] = 0
            if "skipped" in rounds.counts:
                rounds.counts["skipped"][row] = UNKNOWN_COUNT
            for name in _CASE_COLUMNS:
                if name in rounds.others:
                    rounds.others[name][row] = None

    def _set_causes(self) -> None:
        """Record why rounds have no verdict; a column of errors is used only for these rounds."""
        rows = self.rows
        columns = rows.reader.columns
        stated = rows.rounds.others.get("cause", [])
        if "cause" in columns.numbers and columns.name_of("cause") != "cause":
            stated = [cause if row in rows.causes else None for row, cause in enumerate(stated)]
        if not stated and not rows.causes:
            return
        causes: list[object] = [None] * len(rows)
        shown_causes = {cause: one_line(str(cause)) for cause in set(stated) if cause}
        for row, cause in enumerate(stated):
            causes[row] = shown_causes.get(cause)
        for row, cause in rows.causes.items():
            causes[row] = causes[row] or cause
        rows.rounds.others["cause"] = causes

    def _keep_declared_modes(self) -> None:
        """Keep only failure modes that the benchmark declares, and only for failed rounds."""
        rounds = self.rows.rounds
        modes = rounds.others.pop("mode", [])
        declared_modes = self.options.existing_track.modes if self.options.existing_track else ()
        kept_modes: list[object] = [None] * len(modes)
        left_out = Counter[str]()
        for row, mode in enumerate(modes):
            has_failed = rounds.rewards[row] < PASS_REWARD and rounds.states[row] in _FAILING_CODES
            if mode in declared_modes and has_failed:
                kept_modes[row] = mode
            elif mode is not None:
                left_out[str(mode)] += 1
        if any(kept_modes):
            rounds.others["mode"] = kept_modes
        if left_out:
            examples = listed(map(one_line, left_out), 3)
            size = counted(left_out.total(), "row")
            reason = "only failed rounds have a mode, which the benchmark must declare"
            self.log.notes.append(f"left out: `mode` of {size}, such as {examples}: {reason}")

    def check(self) -> None:
        """Report rounds that contradict themselves, after attempts and rounds are numbered."""
        rows = self.rows
        rounds = rows.rounds
        if not rounds.counts and rounds.others.keys().isdisjoint({"start", *_CASE_COLUMNS}):
            return
        # Most rounds of a large table have the same few verdicts, each of which is checked once.
        sound_verdicts: set[tuple[object, ...] | None] = set()
        for row, result in enumerate(rounds.results(range(len(rows)), rounds.task_names)):
            verdict = _verdict(result)
            if verdict in sound_verdicts:
                continue
            faults = list(_faults(result))
            for rule, kind, message in faults:
                rows.add_fault(rule, row, message, kind)
            if verdict is not None and not faults and len(sound_verdicts) < _MAX_CACHED:
                sound_verdicts.add(verdict)


def _verdict(result: RoundResult) -> tuple[object, ...] | None:
    """Return the values that `_faults` checks; None if it also checks the cases or the start."""
    if result.by_category is not None or result.case_ids is not None or result.start != "own":
        return None
    return (
        result.state,
        result.reward,
        result.passed,
        result.total,
        result.skipped,
        result.outcomes,
    )


def _faults(result: RoundResult) -> Iterator[RoundFault]:
    """Yield the rules that a single result breaks."""
    if result.start == "reference" and result.attempt > 1:
        message = f"`attempt` is {result.attempt}: rounds from the reference state are run once"
        yield RoundFault(rules.VALUE, "start", message)
        return
    for rule, message in round_breaches(result):
        yield RoundFault(rules.CONTRADICTION, rule.code, message)
    names = result.case_ids or ()
    if len(set(names)) < len(names):
        yield RoundFault(rules.CONTRADICTION, "case_ids", "`case_ids` names a case twice")
    elif names and result.total is None:
        message = "`passed` and `total` are missing, but `case_ids` lists cases"
        yield RoundFault(rules.CONTRADICTION, "case_ids", message)
