"""Digests of records: equal contents have equal digests, on any machine and at any time.

Releases record them, to show later what changed. Each function documents which parts of a record
count.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields
from operator import attrgetter

from sitegen.models.benchmark import Axis
from sitegen.models.declared import Declared
from sitegen.models.finding import Finding
from sitegen.models.outcome import RoundResult, Start
from sitegen.models.record import Record
from sitegen.models.reported import ReportedTable
from sitegen.models.submission import MAINTAINED, Submission
from sitegen.models.task import Task, TaskRound, TaskSet

_SHORT = 4
"""Number of hexadecimal digits that identify a round's record.

Four are enough: they are compared only for a file that is known to differ.
"""

Run = tuple[str, int, Start]
"""A task, an attempt, and the state from which its rounds started."""


def manifest_digest(submission: Submission) -> str:
    """Return the digest of a manifest, excluding status and keys that maintainers may change."""
    return _digest(_json_value(submission, "status", *MAINTAINED))


def finding_digest(finding: Finding) -> str:
    """Return the digest of a finding, excluding `corrects`, which may be added later."""
    return _digest(_json_value(finding, "corrects"))


def table_digest(table: ReportedTable) -> str:
    """Return the digest of a published table's figures, excluding notes, errata and exhibits."""
    return _digest(_json_value(table, "note", "errata", "exhibits"))


def task_set_digest(tasks: TaskSet) -> str:
    """Return the digest of everything that scores depend on: tasks, rounds, weights and cases.

    Titles, labels and links are excluded, since they may be corrected.
    """
    content = []
    for task in tasks.tasks:
        entry: list[object] = [task.id, [_round_content(item) for item in task.rounds]]
        if task.weight != 1:  # tasks without a weight keep the digest that older releases have
            entry.append(task.weight)
        content.append(entry)
    return _digest(content)


def _round_content(task_round: TaskRound) -> list[object]:
    """Return the parts of a task's round that scores depend on."""
    if task_round.cases is None:
        return [task_round.n, task_round.weight, None]
    cases = [[case.id, case.category] for case in task_round.cases]
    return [task_round.n, task_round.weight, cases]


def is_same_task(task: Task, other: Task) -> bool:
    """Return whether two tasks have the same id, checksum, rounds, weights and cases."""
    if (task.id, task.digest, task.weight) != (other.id, other.digest, other.weight):
        return False
    rounds = [_round_content(item) for item in task.rounds]
    return rounds == [_round_content(item) for item in other.rounds]


def labels_digest(tasks: TaskSet, axes: Collection[str] | None = None) -> str:
    """Return the digest of a task set's labels, which scores by axis depend on.

    Args:
        tasks: The task set.
        axes: The axes whose labels count; None for all.
    """
    labels_by_task = {}
    for task in tasks.tasks:
        labels = task.labels
        if axes is not None:
            labels = {axis: label for axis, label in labels.items() if axis in axes}
        labels_by_task[task.id] = labels
    return _digest(labels_by_task)


def axis_digest(axis: Axis) -> str:
    """Return the digest of the parts of an axis that affect scores: its weights and clustering."""
    return _digest([axis.weights, axis.cluster])


def definition_digest(metric: Declared, weights: Mapping[str, float]) -> str:
    """Return the digest of a declared metric's computation, excluding titles and other texts."""
    definition = _json_value(metric, "title", "summary", "source", "decimals")
    return _digest([definition, dict(weights)])


def ratio_digest(metric: Declared, numerator: str, denominator: str) -> str:
    """Return the digest of a ratio's computation, from the digests of its two metrics."""
    return _digest([definition_digest(metric, {}), numerator, denominator])


def fingerprints(rounds: Iterable[RoundResult]) -> str:
    """Return a text with a line for each run: task, attempt, start, and four digits for each round.

    Releases record it, so that the rounds that changed can be identified later.
    """
    lines = []
    for (task, attempt, start), digits in prints_of(rounds).items():
        lines.append(f"{task} {attempt} {start} {digits}")
    return "\n".join(lines)


def prints_of(rounds: Iterable[RoundResult]) -> dict[Run, str]:
    """Return four digits for each round of a run, joined in the order of rounds, by run."""
    digits_by_run: dict[Run, str] = defaultdict(str)
    for result in sorted(rounds, key=attrgetter("round")):
        values = {}
        for item in fields(result):
            value = getattr(result, item.name)
            if value != item.default:
                values[item.name] = value
        digits_by_run[result.task, result.attempt, result.start] += _digest(values)[:_SHORT]
    return dict(sorted(digits_by_run.items()))


def read_prints(text: str) -> dict[Run, str]:
    """Parse the text that `fingerprints` returned; lines in another form are skipped."""
    digits_by_run: dict[Run, str] = {}
    for line in text.splitlines():
        match line.split(" "):
            case [task, attempt, "own" | "reference" as start, digits] if attempt.isdecimal():
                digits_by_run[task, int(attempt), start] = digits
    return digits_by_run


def differing(before: Mapping[Run, str], after: Mapping[Run, str]) -> Iterator[tuple[Run, int]]:
    """Yield the run and number of each round whose digits differ, or that only one side has."""
    for run in sorted({*before, *after}):
        old_digits = before.get(run, "")
        new_digits = after.get(run, "")
        longest = max(len(old_digits), len(new_digits))
        for number, start in enumerate(range(0, longest - _SHORT + 1, _SHORT), start=1):
            of_round = slice(start, start + _SHORT)
            if old_digits[of_round] != new_digits[of_round]:
                yield run, number


def _json_value(record: Record, *left_out: str) -> object:
    """Return a record as JSON, excluding the named fields and default values."""
    return record.model_dump(
        mode="json", by_alias=True, exclude_defaults=True, exclude=set(left_out)
    )


def _digest(content: object) -> str:
    """Return the SHA-256 of a JSON value in its canonical form."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
