"""Makes the runs of a table's agents out of its rows."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Literal, TypeAlias

from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line, redacted
from sitegen.importers.kit.report import Spot
from sitegen.importers.kit.rounds import Source
from sitegen.importers.kit.rules import LEFT_OUT, TRIES_FAILED
from sitegen.importers.table import rules
from sitegen.importers.table.columns import meaning_of
from sitegen.importers.table.positions import MAX_POSITION, Positions, numbered
from sitegen.importers.table.rows import TableRows
from sitegen.importers.table.runs import TableRun
from sitegen.importers.table.summaries import is_summary
from sitegen.importers.table.verdicts import Verdicts
from sitegen.models.task import Case
from sitegen.problems import counted, listed

Grouping: TypeAlias = Callable[[], Sequence[int]]
"""Gives the number of a group for each row."""

_SHOWN_TRIES = 5

MANY_ROUNDS = 300_000
"""Rounds that are filled in whatever the number of rows."""
MAX_GROWTH = 20
"""Rounds that are filled in for each row, at most."""


@dataclass(slots=True)
class Assembly:
    """The rows of a table on their way into a source."""

    rows: TableRows
    source: Source
    options: ImportOptions

    def runs(self) -> list[TableRun]:
        """Return the runs of all agents, and tell the source what the rows say about tasks.

        Raises:
            ProblemsError: The rows can't be used.
        """
        report = self.source.report
        verdicts = Verdicts(self.rows, report, self.options)
        self._check_summaries()
        verdicts.settle()
        self._number()
        report.stop_at_errors()
        verdicts.check()
        self._take_weights()
        self._take_cases()
        self.source.titles.update(self.rows.titles)
        runs = self._runs_of_agents()
        self._check_size(runs)
        for run in runs:
            self._place(run)
            self._report_failed_tries(run)
        report.stop_at_errors()
        return runs

    def _check_summaries(self) -> None:
        """Refuse rows of averages and sums.

        Raises:
            ProblemsError: There are some.
        """
        rows, report = self.rows, self.source.report
        for number, name in enumerate(rows.rounds.task_names):
            if is_summary(name) and name not in self.options.task_names:
                message = f"the task is called {one_line(name)}, as a summary of other rows is"
                rows.add(rules.SUMMARY, rows.rounds.tasks.index(number), message)
        for number, entrant in enumerate(rows.agents.entrants):
            if is_summary(entrant.name) and entrant.name != self.options.agent:
                message = f"the agent is called {entrant.name}, as a summary of other rows is"
                rows.add(rules.SUMMARY, rows.agent_of.index(number), message)
        if any(problem.code == rules.SUMMARY.code for problem in report.problems):
            report.faults.clear()  # what else is wrong with such a row leads astray
            report.stop_at_errors()

    def _number(self) -> None:
        """Number the attempts and rounds of all rows.

        Raises:
            ProblemsError: One is larger than any can be.
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

        attempts = self._numbers(rows.attempts, "attempt", (agents, tasks_of_agents))
        rows.rounds.attempts = attempts
        rows.rounds.rounds = self._numbers(rows.round_numbers, "round", (all_rows, lambda: tasks))

    def _numbers(
        self, positions: Positions, noun: Literal["attempt", "round"], groups: Sequence[Grouping]
    ) -> "array[int]":
        """Return the numbers of the attempts or rounds of all rows."""
        columns, report = self.rows.reader.columns, self.source.report
        if noun not in columns.numbers:
            return array("H", [1]) * len(self.rows)
        name = columns.name_of(noun)
        numbering = numbered(positions, name, noun, groups)
        if numbering.too_large:
            most = f"at most {MAX_POSITION:,} is read"
            message = f"column `{one_line(name)}` counts up to {numbering.too_large:,}, and {most}"
            report.add(rules.LARGE, report.root, message)
            report.stop_at_errors()
        if numbering.assumption:
            report.assume(numbering.assumption)
        return numbering.numbers

    def _take_weights(self) -> None:
        """Take the weights of rounds: each is the same in all rows."""
        rows = self.rows
        weights = self.source.weights
        for row, weight in enumerate(rows.weights):
            if isnan(weight):
                continue
            task, number = rows.task_of(row), rows.rounds.rounds[row]
            known = weights.setdefault((task, number), weight)
            if known != weight:
                where = f"round {number} of {one_line(task)}"
                message = f"{where} weighs {weight:g} here, and {known:g} above"
                rows.add(rules.WEIGHT_DIFFERS, row, message, "")

    def _take_cases(self) -> None:
        """Take the names of cases: those of a round are the ones that its first row names."""
        rows = self.rows
        case_ids = rows.rounds.others.get("case_ids", [])
        for row, names in enumerate(case_ids):
            if not isinstance(names, tuple):
                continue
            public_names = _public_names(names)
            case_ids[row] = public_names
            place = (rows.task_of(row), rows.rounds.rounds[row])
            self.source.cases.setdefault(place, tuple(map(Case, public_names)))

    def _runs_of_agents(self) -> list[TableRun]:
        """Return a run for each agent, whose rows have no places yet."""
        rows = self.rows
        rounds = rows.rounds
        rows_of_agents = [array("I") for _ in rows.agents.entrants]
        for row, agent in enumerate(rows.agent_of):
            rows_of_agents[agent].append(row)
        furthest = self._furthest_rounds()
        runs = []
        for agent, own_rows in enumerate(rows_of_agents):
            entrant, facts = rows.agents.entrants[agent], rows.agents.facts[agent]
            run = TableRun(self.source.report.root, entrant, facts, columns=rounds, rows=own_rows)
            tasks = dict.fromkeys(map(rounds.tasks.__getitem__, own_rows))
            run.lengths = {rounds.task_names[task]: furthest[task] for task in tasks}
            run.is_from_reference = rounds.have_reference(own_rows)
            run.attempts = self._attempts(own_rows)
            runs.append(run)
        return runs

    def _attempts(self, own_rows: Sequence[int]) -> int:
        """Return how many attempts some rows have."""
        return max(map(self.rows.rounds.attempts.__getitem__, own_rows))

    def _furthest_rounds(self) -> list[int]:
        """Return the number of rounds of each task."""
        rounds = self.rows.rounds
        furthest = [1] * len(rounds.task_names)
        if "round" in self.rows.reader.columns.numbers:
            for task, number in zip(rounds.tasks, rounds.rounds, strict=True):
                furthest[task] = max(furthest[task], number)
        return furthest

    def _check_size(self, runs: Sequence[TableRun]) -> None:
        """Refuse a few rows whose numbers ask for very many rounds.

        Raises:
            ProblemsError: They do.
        """
        report = self.source.report
        expected = sum(sum(run.lengths.values()) * run.attempts for run in runs)
        if expected > max(MANY_ROUNDS, MAX_GROWTH * len(self.rows)):
            size = counted(len(self.rows), "row")
            message = f"all rounds of all attempts would be {expected:,}, and the table has {size}"
            report.add(rules.LARGE, report.root, message)
            report.stop_at_errors()

    def _place(self, run: TableRun) -> None:
        """Give the rows of a run their places, and decide about those that have the same one."""
        repeated = run.place_rows()
        if not repeated:
            return
        if self.options.pick is not None:
            self._pick(run, repeated)
            return
        if self.options.runs == "attempts":
            self._number_repeated(run)
            run.attempts = self._attempts(run.rows)
            repeated = run.place_rows()
            are_attempts = "rows that repeat a round of a task are further attempts"
            self.source.report.assume(f"{are_attempts}, in the order of the table")
        if repeated:
            self._report_repeated(run, repeated)

    def _number_repeated(self, run: TableRun) -> None:
        """Number the rows of each round of a task as attempts, in the order of the table.

        Rounds from the reference state are run once, and keep their number.
        """
        rounds = self.rows.rounds
        seen = Counter[tuple[int, int]]()
        for row in run.rows:
            if not rounds.is_from_reference(row):
                place = (rounds.tasks[row], rounds.rounds[row])
                seen[place] += 1
                rounds.attempts[row] = min(seen[place], MAX_POSITION)

    def _pick(self, run: TableRun, repeated: Sequence[tuple[int, int]]) -> None:
        """Leave out all but the first or the latest of the rows that have the same place."""
        later_rows: defaultdict[int, list[int]] = defaultdict(list)
        for later, earlier in repeated:
            later_rows[earlier].append(later)
        left_out = set()
        for earlier, others in later_rows.items():
            left_out.update(others if self.options.pick == "first" else [earlier, *others[:-1]])
        run.rows = array("I", [row for row in run.rows if row not in left_out])
        run.place_rows()
        size = counted(len(left_out), "row")
        why = f"since the {self.options.pick} row of each counts"
        message = f"{size} that repeat a round of a task, {why}"
        self.source.report.say(
            LEFT_OUT, run.path, f"{run.entrant}: {message}", run.entrant, message
        )

    def _report_repeated(self, run: TableRun, repeated: Sequence[tuple[int, int]]) -> None:
        """Report rows that have the same place."""
        rows = self.rows
        later, earlier = repeated[0]
        where = str(run.spot(rows.task_of(later), rows.rounds.attempts[later]))
        if max(run.lengths.values()) > 1:
            where += f", round {rows.rounds.rounds[later]}"
        message = f"{where}: {rows.where(later)} repeats {rows.where(earlier)}"
        if len(repeated) > 1:
            message += f"; and {counted(len(repeated) - 1, 'more row')} repeat others"
        problem = rules.ROW_TWICE.broken(
            run.path, rows.line(later), message, self._fix_of_repeated()
        )
        self.source.report.problems.append(problem)

    def _fix_of_repeated(self) -> str | None:
        """Return what to do where another column could name the task; None for the usual."""
        columns = self.rows.reader.columns
        names = [columns.names[number] for number in columns.unused()]
        tasks = [one_line(name) for name in names if meaning_of(name) == "task"]
        if not tasks:
            return None
        way = f"if `{tasks[0]}` names the task, say so: `--column task={tasks[0]}`"
        return f"{way}; else {rules.ROW_TWICE.fix}"

    def _report_failed_tries(self, run: TableRun) -> None:
        """Report the tries of a run that have no verdict in the table."""
        rows = self.rows
        failed = [row for row in run.rows if row in rows.causes] if rows.causes else []
        if not failed:
            return
        spots = [run.spot(rows.task_of(row), rows.rounds.attempts[row]) for row in failed]
        places = listed([spot.place for spot in spots], _SHOWN_TRIES)
        words = f"{run.entrant}: {counted(len(failed), 'try')} of {len(run.rows):,}: {places}"
        self.source.report.doubt(TRIES_FAILED, run.path, Spot(run.entrant, places, words))


def _public_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return names of cases without keys and folders of a machine.

    Names that become equal are numbered.
    """
    public_names = []
    seen = Counter[str]()
    for name in map(redacted, names):
        seen[name] += 1
        public_names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return tuple(public_names)
