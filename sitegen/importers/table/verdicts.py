"""Settles the verdicts of a table's rows: rewards, states, causes, and whether they agree."""

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isnan
from typing import TypeAlias

from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rewards import check_rewards
from sitegen.importers.kit.rules import NOTHING_SCORED
from sitegen.importers.table import rules
from sitegen.importers.table.rows import TableRows
from sitegen.importers.table.runs import STATE_CODES, UNKNOWN_COUNT
from sitegen.importers.table.values import NO_REWARD
from sitegen.models.consistency import breaches
from sitegen.models.outcome import PASS_REWARD, RoundResult, State
from sitegen.problems import Rule, counted, listed

Fault: TypeAlias = tuple[Rule, str, str]
"""A broken rule, what such faults have in common, and the fact."""

_WITHOUT_VERDICT: Mapping[str, State] = {
    "no_cases": "no_cases",
    "aborted": "aborted",
    "unreached": "unreached",
    "fast_forwarded": "fast_forwarded",
}
"""States that earn 0 and have no cases."""

_FAILING = frozenset({STATE_CODES["scored"], STATE_CODES["no_cases"]})
"""States in which a round can have failed."""

_OF_CASES = ("outcomes", "case_ids", "by_category")

_MAX_REMEMBERED = 100_000
"""Different rounds that are remembered to be sound."""


@dataclass(slots=True)
class Verdicts:
    """The verdicts of a table's rows."""

    rows: TableRows
    report: Report
    options: ImportOptions

    def settle(self) -> None:
        """Find out how each round ended, and report what contradicts itself."""
        if "reward" in self.rows.reader.columns.numbers:
            self._check_rewards()
        else:
            self._derive_rewards()
        self._set_states()
        self._abort()
        self._keep_declared_modes()

    def _check_rewards(self) -> None:
        """Report rewards on an unknown scale, and another column that contradicts them."""
        rows, report = self.rows, self.report
        name = one_line(rows.reader.columns.name_of("reward"))
        known = [reward for reward in rows.rounds.rewards if not isnan(reward)]
        if known:
            lowest, highest = min(known), max(known)
            example = rows.rounds.rewards.index(lowest if lowest < 0 else highest)
            where = f"column `{name}`, for example {rows.where(example)},"
            check_rewards((lowest, highest), report.root, report, self.options.scale, where)
        if rows.difference is not None:
            row, other, reward, value = rows.difference
            other = one_line(other)
            message = f"`{name}` is {reward} and `{other}` is {value}, and each could be the reward"
            fix = f"name the one that counts: `--column reward={name}` or `--column reward={other}`"
            problem = rules.SCORE_AMBIGUOUS.broken(report.root, rows.line(row), message, fix)
            report.problems.append(problem)
        if len(rows.causes) == len(rows) and not any(rows.stated):
            report.add(NOTHING_SCORED, report.root, f"column `{name}` holds no verdict in any row")

    def _derive_rewards(self) -> None:
        """Make rewards of the counts of cases: a round is passed if no case failed."""
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
        self.report.assume(f"{meaning}, as the table has no reward")

    def _set_states(self) -> None:
        """Find out how each round ended: as its row states, else by its number of cases."""
        rows = self.rows
        rounds = rows.rounds
        rounds.states = array("B", [STATE_CODES["scored"]]) * len(rows)
        for row, total in enumerate(rounds.counts.get("total", ())):
            is_stated = row < len(rows.stated) and rows.stated[row] is not None
            if total == 0 and not is_stated:
                self._end(row, "no_cases")
        for row, state in enumerate(rows.stated):
            if state is None:
                continue
            if state in _WITHOUT_VERDICT:
                self._end(row, _WITHOUT_VERDICT[state])
            elif state == "excluded":
                why = "which needs a finding that says why: exclude rounds in findings.toml"
                rows.add(rules.VALUE, row, f"`state` is 'excluded', {why}", "state")
            elif row in rows.causes:
                rows.add(
                    rules.VALUE, row, f"the reward is empty, and `state` is '{state}'", "reward"
                )

    def _end(self, row: int, state: State) -> None:
        """Note that a round ended without a verdict, and fill in the zeros that its row lacks."""
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
        """Return a column of counts, a new one if the table has none."""
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
            for name in _OF_CASES:
                if name in rounds.others:
                    rounds.others[name][row] = None

    def _set_causes(self) -> None:
        """Write down why rounds have no verdict; a column of errors is about these alone."""
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
        """Keep the modes of failed rounds that the benchmark declares, and leave out others."""
        rounds = self.rows.rounds
        modes = rounds.others.pop("mode", [])
        declared = self.options.standing.modes if self.options.standing else ()
        kept: list[object] = [None] * len(modes)
        left_out: dict[str, int] = {}
        for row, mode in enumerate(modes):
            has_failed = rounds.rewards[row] < PASS_REWARD and rounds.states[row] in _FAILING
            if mode in declared and has_failed:
                kept[row] = mode
            elif mode is not None:
                left_out[str(mode)] = left_out.get(str(mode), 0) + 1
        if any(kept):
            rounds.others["mode"] = kept
        if left_out:
            examples = listed(map(one_line, left_out), 3)
            rows_left_out = counted(sum(left_out.values()), "row")
            why = "only failed rounds have a mode, and the benchmark declares which there are"
            self.report.notes.append(
                f"left out: `mode` of {rows_left_out}, such as {examples}: {why}"
            )

    def check(self) -> None:
        """Report rounds that contradict themselves, once attempts have their numbers."""
        rows = self.rows
        rounds = rows.rounds
        if not rounds.counts and rounds.others.keys().isdisjoint({"start", *_OF_CASES}):
            return
        sound: set[tuple[object, ...]] = set()
        for row, result in enumerate(rounds.results(range(len(rows)), rounds.task_names)):
            is_simple = (
                result.by_category is None and result.case_ids is None and result.start == "own"
            )
            figures = (
                result.state,
                result.reward,
                result.passed,
                result.total,
                result.skipped,
                result.outcomes,
            )
            if is_simple and figures in sound:
                continue
            faults = list(_faults(result))
            for rule, kind, message in faults:
                rows.add(rule, row, message, kind)
            if is_simple and not faults and len(sound) < _MAX_REMEMBERED:
                sound.add(figures)


def _faults(result: RoundResult) -> Iterator[Fault]:
    """Yield what is wrong with a result by itself."""
    if result.start == "reference" and result.attempt > 1:
        message = f"`attempt` is {result.attempt}: rounds from the reference state are run once"
        yield rules.VALUE, "start", message
        return
    for rule, message in breaches(result):
        yield rules.CONTRADICTION, rule.code, message
    names = result.case_ids or ()
    if len(set(names)) < len(names):
        yield rules.CONTRADICTION, "case_ids", "`case_ids` names a case twice"
    elif names and result.total is None:
        message = "`passed` and `total` are missing, but `case_ids` tells of cases"
        yield rules.CONTRADICTION, "case_ids", message
