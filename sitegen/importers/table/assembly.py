"""Make the runs of a table's agents from its rows."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from math import isnan

from sitegen.importers.kit.import_log import SourceLocation
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line, redact_text
from sitegen.importers.kit.rounds import ImportSource
from sitegen.importers.kit.rules import LEFT_OUT, RUN_FAILED
from sitegen.importers.table import rules
from sitegen.importers.table.columns import usual_meaning
from sitegen.importers.table.positions import (
    MAX_POSITION,
    Grouping,
    Noun,
    Positions,
    number_positions,
)
from sitegen.importers.table.rows import TableRows
from sitegen.importers.table.runs import TableRun, values_at
from sitegen.importers.table.summaries import is_summary
from sitegen.importers.table.verdicts import Verdicts
from sitegen.models.task import Case
from sitegen.problems import agreeing, counted, listed

_MAX_SHOWN_TRIES = 5

_TABLE_ORDER = "in the order of the table"

MANY_ROUNDS = 300_000
"""Maximum number of rounds that is accepted whatever the number of rows."""
MAX_GROWTH = 20
"""Maximum number of rounds per row if there are more than `MANY_ROUNDS`."""


@dataclass(slots=True)
class Assembly:
    """Makes runs from the rows of a table, and adds their facts about tasks to a source."""

    rows: TableRows
    source: ImportSource
    options: ImportOptions

    def runs(self) -> list[TableRun]:
        """Return the runs of all agents, and add the rows' facts about tasks to the source.

        Raises:
            ProblemsError: The rows can't be used.
        """
        log = self.source.log
        verdicts = Verdicts(self.rows, log, self.options)
        self._check_summaries()
        verdicts.settle()
        self._number_rounds()
        log.stop_at_errors()
        verdicts.check()
        self._add_weights()
        self._add_cases()
        self.source.titles.update(self.rows.titles)
        runs = self._runs_of_agents()
        self._check_size(runs)
        for run in runs:
            self._assign_rows(run)
            self._report_failed_tries(run)
        log.stop_at_errors()
        return runs

    def _check_summaries(self) -> None:
        """Check that no row contains an average or a sum.

        Raises:
            ProblemsError: At least one row contains an average or a sum.
        """
        rows = self.rows
        log = self.source.log
        for number, name in enumerate(rows.rounds.task_names):
            if is_summary(name) and name not in self.options.task_names:
                message = f"the task is called {one_line(name)}, like a summary of other rows"
                rows.add_fault(rules.SUMMARY, rows.rounds.tasks.index(number), message)
        for number, entrant in enumerate(rows.agents.entrants):
            if is_summary(entrant.name) and entrant.name != self.options.agent:
                message = f"the agent is called {entrant.name}, like a summary of other rows"
                rows.add_fault(rules.SUMMARY, rows.agent_of.index(number), message)
        if any(problem.code == rules.SUMMARY.code for problem in log.problems):
            log.faults.clear()  # other faults of such a row would be misleading
            log.stop_at_errors()

    def _number_rounds(self) -> None:
        """Number the attempts and rounds of all rows.

        Raises:
            ProblemsError: A number is too large.
        """
        rows = self.rows
        tasks = rows.rounds.tasks
        number_of_tasks = len(rows.rounds.task_names)

        def tasks_of_agents() -> Sequence[int]:
            pairs = zip(rows.agent_of, tasks, strict=True)
            return [agent * number_of_tasks + task for agent, task in pairs]

        def agents() -> Sequence[int]:
            return rows.agent_of

        def all_rows() -> Sequence[int]:
            return bytes(len(rows))

        attempts = self._numbers_of(rows.attempts, "attempt", (agents, tasks_of_agents))
        rows.rounds.attempts = attempts
        rows.rounds.rounds = self._numbers_of(
            rows.round_numbers, "round", (all_rows, lambda: tasks)
        )

    def _numbers_of(
        self, positions: Positions, noun: Noun, groupings: Sequence[Grouping]
    ) -> "array[int]":
        """Return the numbers of the attempts or rounds of all rows."""
        columns = self.rows.reader.columns
        log = self.source.log
        if noun not in columns.numbers:
            return array("H", [1]) * len(self.rows)
        name = columns.name_of(noun)
        numbering = number_positions(
            positions, name, noun, groupings, is_partial=self.options.is_partial
        )
        if numbering.too_large:
            counts = f"column `{one_line(name)}` counts up to {numbering.too_large:,}"
            message = f"{counts}, but at most {MAX_POSITION:,} is allowed"
            log.add(rules.LARGE, log.root, message)
            log.stop_at_errors()
        if numbering.assumption:
            log.assume(numbering.assumption)
        return numbering.numbers

    def _add_weights(self) -> None:
        """Add the weights of rounds to the source, and check that rows agree on each weight."""
        rows = self.rows
        weights = self.source.weights
        for row, weight in enumerate(rows.weights):
            if isnan(weight):
                continue
            task = rows.task_of(row)
            number = rows.rounds.rounds[row]
            first_weight = weights.setdefault((task, number), weight)
            if first_weight != weight:
                round_name = f"round {number} of {one_line(task)}"
                message = f"{round_name} weighs {weight:g} here, but {first_weight:g} above"
                rows.add_fault(rules.WEIGHT_DIFFERS, row, message, "")

    def _add_cases(self) -> None:
        """Add the names of cases to the source; the first row of a round determines its cases."""
        rows = self.rows
        case_ids = rows.rounds.others.get("case_ids", [])
        for row, names in enumerate(case_ids):
            if not isinstance(names, tuple):
                continue
            public_names = _public_names(names)
            case_ids[row] = public_names
            round_key = (rows.task_of(row), rows.rounds.rounds[row])
            self.source.cases.setdefault(round_key, tuple(map(Case, public_names)))

    def _runs_of_agents(self) -> list[TableRun]:
        """Return a run for each agent, with its rows not yet assigned to rounds."""
        rows = self.rows
        rounds = rows.rounds
        rows_of_agents = [array("I") for _ in rows.agents.entrants]
        for row, agent in enumerate(rows.agent_of):
            rows_of_agents[agent].append(row)
        task_lengths = self._task_lengths()
        runs = []
        for agent, agent_rows in enumerate(rows_of_agents):
            entrant = rows.agents.entrants[agent]
            facts = rows.agents.facts[agent]
            run = TableRun(self.source.log.root, entrant, facts, columns=rounds, rows=agent_rows)
            tasks = dict.fromkeys(values_at(rounds.tasks, agent_rows))
            run.lengths = {rounds.task_names[task]: task_lengths[task] for task in tasks}
            run.is_from_reference = rounds.have_reference(agent_rows)
            run.attempts = self._attempts(agent_rows)
            runs.append(run)
        return runs

    def _attempts(self, rows: Sequence[int]) -> int:
        """Return the highest attempt number in the given rows."""
        return max(values_at(self.rows.rounds.attempts, rows))

    def _task_lengths(self) -> list[int]:
        """Return the number of rounds of each task, by the index of the task."""
        rounds = self.rows.rounds
        lengths = [1] * len(rounds.task_names)
        if "round" in self.rows.reader.columns.numbers:
            for task, number in zip(rounds.tasks, rounds.rounds, strict=True):
                lengths[task] = max(lengths[task], number)
        return lengths

    def _check_size(self, runs: Sequence[TableRun]) -> None:
        """Check that a few rows with large numbers do not result in too many rounds.

        Raises:
            ProblemsError: There would be too many rounds.
        """
        log = self.source.log
        expected = sum(sum(run.lengths.values()) * run.attempts for run in runs)
        if expected > max(MANY_ROUNDS, MAX_GROWTH * len(self.rows)):
            size = counted(len(self.rows), "row")
            message = f"all rounds of all attempts would be {expected:,}, but the table has {size}"
            log.add(rules.LARGE, log.root, message)
            log.stop_at_errors()

    def _assign_rows(self, run: TableRun) -> None:
        """Assign the rows of a run to rounds, and resolve rows for the same round."""
        repeated = run.assign_rows()
        if not repeated:
            return
        if self.options.pick is not None:
            self._pick(run, repeated)
            return
        if self.options.runs == "attempts":
            order = self._order(run.rows)
            self._number_repeated(run, is_by_time=order != _TABLE_ORDER)
            run.attempts = self._attempts(run.rows)
            repeated = run.assign_rows()
            are_attempts = "rows that repeat a round of a task are further attempts"
            self.source.log.assume(f"{are_attempts}, {order}")
        if repeated:
            self._report_repeated(run, repeated)

    def _order(self, rows: Iterable[int]) -> str:
        """Return a phrase for the order of rows of one round: by time if all rows have a time."""
        if not self.rows.has_moments(rows):
            return _TABLE_ORDER
        column = one_line(self.rows.reader.columns.name_of("date"))
        return f"in the order of the times in `{column}`"

    def _number_repeated(self, run: TableRun, *, is_by_time: bool) -> None:
        """Number the rows of each round of a task as attempts.

        Rounds from the reference state are run once, and keep their number.
        """
        rounds = self.rows.rounds
        counts = Counter[tuple[int, int]]()
        rows: Sequence[int] = run.rows
        if is_by_time:
            rows = sorted(run.rows, key=self.rows.moments.__getitem__)
        for row in rows:
            if not rounds.is_from_reference(row):
                round_key = (rounds.tasks[row], rounds.rounds[row])
                counts[round_key] += 1
                rounds.attempts[row] = min(counts[round_key], MAX_POSITION)

    def _pick(self, run: TableRun, repeated: Sequence[tuple[int, int]]) -> None:
        """Keep only the first or the latest row of each round."""
        order = self._order(chain.from_iterable(repeated))
        later_rows: defaultdict[int, list[int]] = defaultdict(list)
        for later, earlier in repeated:
            later_rows[earlier].append(later)
        left_out: set[int] = set()
        for first_row, repeating_rows in later_rows.items():
            same_round = [first_row, *repeating_rows]
            if order != _TABLE_ORDER:
                same_round.sort(key=self.rows.moments.__getitem__)
            left_out.update(same_round[1:] if self.options.pick == "first" else same_round[:-1])
        run.rows = array("I", [row for row in run.rows if row not in left_out])
        run.assign_rows()
        size = counted(len(left_out), "row")
        why = f"because only the {self.options.pick} row of each round is used, {order}"
        repeat = agreeing(len(left_out), "repeats", "repeat")
        message = f"{size} that {repeat} a round of a task, {why}"
        problem = f"{run.entrant}: {message}"
        self.source.log.add_with_caveat(LEFT_OUT, run.path, problem, run.entrant, message)

    def _report_repeated(self, run: TableRun, repeated: Sequence[tuple[int, int]]) -> None:
        """Report an error for rows of the same round, showing the first two of them."""
        rows = self.rows
        later, earlier = repeated[0]
        location = str(run.spot(rows.task_of(later), rows.rounds.attempts[later]))
        if max(run.lengths.values()) > 1:
            location = f"{location}, round {rows.rounds.rounds[later]}"
        message = f"{location}: {rows.name_of(later)} repeats {rows.name_of(earlier)}"
        if len(repeated) > 1:
            message = f"{message}; and {counted(len(repeated) - 1, 'more repeated row')}"
        fix = self._fix_of_repeated()
        problem = rules.ROW_TWICE.broken(run.path, rows.line(later), message, fix)
        self.source.log.problems.append(problem)

    def _fix_of_repeated(self) -> str | None:
        """Return a fix that names unused columns as possible causes; None for the usual fix."""
        columns = self.rows.reader.columns
        names = [columns.names[number] for number in columns.unused()]
        tasks = [one_line(name) for name in names if usual_meaning(name) == "task"]
        if not tasks and names:
            shown = " and ".join(f"`{one_line(name)}`" for name in names[:2])
            fix = f"if tasks that differ in {shown} share a name, give them different names"
            return f"{fix}; {rules.ROW_TWICE.fix}"
        if not tasks:
            return None
        fix = f"if `{tasks[0]}` names the task, say so: `--column task={tasks[0]}`"
        return f"{fix}; otherwise {rules.ROW_TWICE.fix}"

    def _report_failed_tries(self, run: TableRun) -> None:
        """Report the attempts of a run that have no verdict in the table."""
        rows = self.rows
        if not rows.causes:
            return
        failed = [row for row in run.rows if row in rows.causes]
        if not failed:
            return
        spots = [run.spot(rows.task_of(row), rows.rounds.attempts[row]) for row in failed]
        tries = listed([spot.place for spot in spots], _MAX_SHOWN_TRIES)
        share = f"{counted(len(failed), 'attempt')} of {len(run.rows):,}"
        message = f"{run.entrant}: {share}: {tries}"
        self.source.log.add_doubt(RUN_FAILED, run.path, SourceLocation(run.entrant, tries, message))


def _public_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return names of cases without secrets and local paths.

    Names that become equal are numbered.
    """
    public_names = []
    counts = Counter[str]()
    for name in map(redact_text, names):
        counts[name] += 1
        if counts[name] > 1:
            public_names.append(f"{name} ({counts[name]})")
        else:
            public_names.append(name)
    return tuple(public_names)
