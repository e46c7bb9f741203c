"""Facts about a board, computed from its files, with which sentences are compared."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from kit.rank_tests import Parts, task_parts
from kit.results_files import BoardFiles, BoardRow, Row, Submission

Pair = tuple[str, str]


@dataclass
class TaskWork:
    """A submission's work on a task: the rounds that passed in the attempts made."""

    passed: list[list[bool]]
    """Whether each round passed, by attempt; with fail-stop, no round passes after the first failure."""
    rounds: list[int]
    """The numbers of the rounds that count."""
    rows: list[list[Row]]
    """The records, by attempt."""

    @property
    def is_finished(self) -> bool:
        """Whether every round passed in a single attempt."""
        return any(all(attempt) for attempt in self.passed)

    @property
    def size(self) -> int:
        """The number of rounds over all attempts."""
        return sum(map(len, self.passed))

    @property
    def number_passed(self) -> int:
        """The number of rounds that passed, over all attempts."""
        return sum(map(sum, self.passed))

    def column(self, number: int) -> list[bool]:
        """Return for each attempt whether it passed a round; empty if the round does not count."""
        return [attempt[self.rounds.index(number)] for attempt in self.passed if number in self.rounds]


def work_on(submission: Submission, task: str) -> TaskWork | None:
    """Return a submission's work on a task; None if it has no attempt or no counted round."""
    exact = submission.exact
    if task not in exact.tasks:
        return None
    passed, rows = [], []
    for attempt in exact.attempts:
        run = exact.run(task, attempt)
        if not any(run):
            continue
        verdicts = [bool(verdict) for verdict in exact.verdicts(task, attempt)]
        if submission.is_fail_stop:
            verdicts = [all(verdicts[: index + 1]) for index in range(len(verdicts))]
        passed.append(verdicts)
        rows.append([row for row in run if row])
    return TaskWork(passed, exact.tasks[task], rows) if passed else None


@dataclass
class BoardFacts:
    """A board from its files, with the pairs of agents that are shown to differ."""

    files: BoardFiles
    better: set[Pair]
    """Pairs (better, worse) that are shown if all pairs of the board are tested together."""
    tested: set[str]
    """Ids of the rows whose order is tested."""
    titles: dict[str, str]
    """The titles of the board's columns, by metric."""

    @property
    def title(self) -> str:
        """The title of the headline metric."""
        return self.titles[self.files.headline]

    @property
    def ranked(self) -> list[BoardRow]:
        """The ranked rows, best first."""
        return self.files.ranked

    @cached_property
    def rank_sets(self) -> dict[str, tuple[int, int]]:
        """The first and last rank of each tested row, derived from the pairs."""
        sets = {}
        for row in self.ranked:
            if row.id in self.tested:
                above = sum(worse == row.id for _, worse in self.better)
                below = sum(first == row.id for first, _ in self.better)
                sets[row.id] = (1 + above, len(self.ranked) - below)
        return sets

    @cached_property
    def names(self) -> dict[str, str]:
        """The agents' names by row id, with scaffolds if several published rows share a name."""
        often = Counter(row.name for row in self.files.published)
        names = {}
        for row in self.files.rows:
            agent = row.submission.manifest["agent"] if row.submission else {}
            scaffold = agent.get("scaffold") or row.scaffold
            is_shared = often[row.name] > 1 and row.state == "published" and not row.apart
            names[row.id] = f"{row.name} ({scaffold})" if is_shared and scaffold else row.name
        return names

    def row(self, name: str) -> BoardRow:
        """Return the row with an id."""
        return next(row for row in self.files.rows if row.id == name)

    @property
    def leader(self) -> BoardRow | None:
        """The row that is shown to be better than every other row; None if there is none."""
        first = self.ranked[0] if len(self.ranked) > 1 else None
        return first if first and self.rank_sets.get(first.id) == (1, 1) else None

    def neighbours_apart(self, *, is_behind: bool) -> tuple[int, int]:
        """Return the number of neighbouring pairs that are shown to differ, and the number of all such pairs.

        With `is_behind`, only pairs behind the first row count.
        """
        rows = [row for row in self.ranked if row.id in self.tested]
        pairs = list(pairwise(rows[is_behind:]))
        return sum((first.id, second.id) in self.better for first, second in pairs), len(pairs)

    def has_text(self, row: BoardRow, text: str, metric: str | None = None) -> bool:
        """Return whether a text is a row's score as displayed, such as "54.2" or "7 of 25"."""
        name = metric or self.files.headline
        value = row.scores.get(name)
        printed = row.printed.get(name)
        if printed is not None:
            printed_value = printed["value"] if isinstance(printed, dict) else printed
            is_count = isinstance(printed, dict) and text.endswith(f" of {printed['n']}")
            return text == str(printed_value) or is_count
        if value is None:
            return text == "\N{EN DASH}"
        number, _, of = text.replace("\N{MINUS SIGN}", "-").replace(",", "").partition(" of ")
        if of and row.submission and int(of.split()[0]) != len(row.submission.counted_tasks):
            return False
        return is_rounded(number, value, 0 if of else self.files.decimals(name))

    def works(self, task: str) -> dict[str, TaskWork]:
        """Return the published submissions' work on a task, in board order."""
        works_by_agent = {}
        for row in self.published_submissions:
            work = work_on(row.submission, task) if row.submission else None
            if work:
                works_by_agent[row.id] = work
        return works_by_agent

    @cached_property
    def published_submissions(self) -> list[BoardRow]:
        """The published rows that have results."""
        return [row for row in self.files.published if row.submission]

    @cached_property
    def parts(self) -> dict[str, Parts] | None:
        """The contributions of tasks to the scores of ranked rows; None if a score is not a simple sum or mean."""
        parts_by_agent = {row.id: task_parts(self.files, row) for row in self.ranked}
        stated_parts = {name: agent_parts for name, agent_parts in parts_by_agent.items() if agent_parts is not None}
        return stated_parts if len(stated_parts) == len(parts_by_agent) else None

    def ranks_without(self, task: str) -> int:
        """Return the number of ranked rows whose rank by score changes if a task is left out."""
        assert self.parts is not None
        sign = -1 if self.files.is_higher_better else 1
        is_sum = self.files.headline == "perfect_tasks"

        def score_without(row: BoardRow, left_out: str) -> Fraction | None:
            kept_parts = [task_part for name, task_part in self.parts[row.id].items() if name != left_out]  # type: ignore[index]
            weight = sum((weight for _, weight in kept_parts), Fraction())
            total = sum((value for value, _ in kept_parts), Fraction())
            if is_sum:
                return sign * total
            return sign * total / weight if weight else None

        def ranks(scores: list[Fraction]) -> list[int]:
            return [1 + sum(other_score < score for other_score in scores) for score in scores]

        before, after = [], []
        for row in self.ranked:
            score = score_without(row, task)
            if score is not None:
                after.append(score)
                before.append(score_without(row, "") or Fraction())
        pairs = zip(ranks(before), ranks(after), strict=True)
        return sum(old_rank != new_rank for old_rank, new_rank in pairs)


def is_rounded(text: str, value: Fraction | float, decimals: int) -> bool:
    """Return whether a text is a value rounded to the given decimals.

    If the value is half-way, either neighbour is accepted.
    """
    fraction_digits = text.partition(".")[2]
    if len(fraction_digits) != decimals:
        return False
    return abs(Fraction(text) - Fraction(value)) <= Fraction(1, 2 * 10**decimals) + Fraction(1, 10**9)
