"""What is true of a board, worked out from its files: what sentences about it are held against."""

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
    """What a submission made of a task: which rounds passed in the attempts that were made."""

    passed: list[list[bool]]
    """By attempt and round; with fail-stop, nothing after the first failure."""
    rounds: list[int]
    """Numbers of the rounds that count."""
    rows: list[list[Row]]
    """The records, by attempt."""

    @property
    def is_finished(self) -> bool:
        """Whether every round passed in one attempt."""
        return any(all(attempt) for attempt in self.passed)

    @property
    def size(self) -> int:
        """Rounds of all attempts."""
        return sum(map(len, self.passed))

    @property
    def number_passed(self) -> int:
        """How many of these passed."""
        return sum(map(sum, self.passed))

    def column(self, number: int) -> list[bool]:
        """Whether each attempt passed a round; empty where the round does not count."""
        return [attempt[self.rounds.index(number)] for attempt in self.passed if number in self.rounds]


def work_on(submission: Submission, task: str) -> TaskWork | None:
    """Return what a submission made of a task; None without an attempt or a round that counts."""
    exact = submission.exact
    if task not in exact.tasks:
        return None
    passed, rows = [], []
    for attempt in exact.attempts:
        found = exact.run(task, attempt)
        if not any(found):
            continue
        verdicts = [bool(verdict) for verdict in exact.verdicts(task, attempt)]
        if submission.is_fail_stop:
            verdicts = [all(verdicts[: place + 1]) for place in range(len(verdicts))]
        passed.append(verdicts)
        rows.append([row for row in found if row])
    return TaskWork(passed, exact.tasks[task], rows) if passed else None


@dataclass
class BoardFacts:
    """A board as its files have it, with the pairs of agents that are shown to differ."""

    files: BoardFiles
    better: set[Pair]
    """Pairs (better, worse) that are shown over all pairs of the board at once."""
    tested: set[str]
    """Ids of the rows whose order is tested."""
    titles: dict[str, str]
    """What the board calls each of its columns, by metric."""

    @property
    def title(self) -> str:
        """What the board calls its headline."""
        return self.titles[self.files.headline]

    @property
    def ranked(self) -> list[BoardRow]:
        """The ranked rows, best first."""
        return self.files.ranked

    @cached_property
    def rank_sets(self) -> dict[str, tuple[int, int]]:
        """First and last rank of each tested row, from the pairs."""
        sets = {}
        for row in self.ranked:
            if row.id in self.tested:
                above = sum(worse == row.id for _, worse in self.better)
                below = sum(first == row.id for first, _ in self.better)
                sets[row.id] = (1 + above, len(self.ranked) - below)
        return sets

    @cached_property
    def names(self) -> dict[str, str]:
        """The agents' names by row, with scaffolds where several published rows share a name."""
        often = Counter(row.name for row in self.files.published)
        names = {}
        for row in self.files.rows:
            agent = row.submission.manifest["agent"] if row.submission else {}
            scaffold = agent.get("scaffold") or row.scaffold
            is_shared = often[row.name] > 1 and row.state == "published" and not row.apart
            names[row.id] = f"{row.name} ({scaffold})" if is_shared and scaffold else row.name
        return names

    def row(self, name: str) -> BoardRow:
        """Find a row by its id."""
        return next(row for row in self.files.rows if row.id == name)

    @property
    def leader(self) -> BoardRow | None:
        """The row that is shown to be better than every other; None where none is."""
        first = self.ranked[0] if len(self.ranked) > 1 else None
        return first if first and self.rank_sets.get(first.id) == (1, 1) else None

    def neighbours_apart(self, *, is_behind: bool) -> tuple[int, int]:
        """How many neighbours are shown to be in their order, of how many.

        Where asked, of those behind the first.
        """
        rows = [row for row in self.ranked if row.id in self.tested]
        pairs = list(pairwise(rows[is_behind:]))
        return sum((first.id, second.id) in self.better for first, second in pairs), len(pairs)

    def has_text(self, row: BoardRow, text: str, metric: str | None = None) -> bool:
        """Whether a text is a row's score as pages show it, such as "54.2" or "7 of 25"."""
        name = metric or self.files.headline
        value = row.scores.get(name)
        printed = row.printed.get(name)
        if printed is not None:
            own = printed["value"] if isinstance(printed, dict) else printed
            is_count = isinstance(printed, dict) and text.endswith(f" of {printed['n']}")
            return text == str(own) or is_count
        if value is None:
            return text == "\N{EN DASH}"
        number, _, of = text.replace("\N{MINUS SIGN}", "-").replace(",", "").partition(" of ")
        if of and row.submission and int(of.split()[0]) != len(row.submission.counted_tasks):
            return False
        return is_rounded(number, value, 0 if of else self.files.decimals(name))

    def works(self, task: str) -> dict[str, TaskWork]:
        """What the published submissions made of a task, in board order."""
        found = {}
        for row in self.published_submissions:
            work = work_on(row.submission, task) if row.submission else None
            if work:
                found[row.id] = work
        return found

    @cached_property
    def published_submissions(self) -> list[BoardRow]:
        """The published rows that have results."""
        return [row for row in self.files.published if row.submission]

    @cached_property
    def parts(self) -> dict[str, Parts] | None:
        """What each task adds to the scores of ranked rows; None where parts are not simple."""
        found = {row.id: task_parts(self.files, row) for row in self.ranked}
        known = {name: parts for name, parts in found.items() if parts is not None}
        return known if len(known) == len(found) else None

    def ranks_without(self, task: str) -> int:
        """How many ranked rows have another rank by score where a task is left out."""
        assert self.parts is not None
        sign = -1 if self.files.is_higher_better else 1
        is_sum = self.files.headline == "perfect_tasks"

        def score_without(row: BoardRow, left_out: str) -> Fraction | None:
            kept = [part for name, part in self.parts[row.id].items() if name != left_out]  # type: ignore[index]
            weight = sum((weight for _, weight in kept), Fraction())
            total = sum((value for value, _ in kept), Fraction())
            if is_sum:
                return sign * total
            return sign * total / weight if weight else None

        def ranks(scores: list[Fraction]) -> list[int]:
            return [1 + sum(other < score for other in scores) for score in scores]

        before, after = [], []
        for row in self.ranked:
            score = score_without(row, task)
            if score is not None:
                after.append(score)
                before.append(score_without(row, "") or Fraction())
        pairs = zip(ranks(before), ranks(after), strict=True)
        return sum(one != other for one, other in pairs)


def is_rounded(text: str, value: Fraction | float, decimals: int) -> bool:
    """Whether a number is a value with so many decimals.

    Where the value lies half-way, either neighbour will do.
    """
    given = text.partition(".")[2]
    if len(given) != decimals:
        return False
    return abs(Fraction(text) - Fraction(value)) <= Fraction(1, 2 * 10**decimals) + Fraction(1, 10**9)
