"""Short names of contents: equal contents have equal ones, on any machine and at any time."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields

from sitegen.models.benchmark import Axis
from sitegen.models.declared import Declared
from sitegen.models.finding import Finding
from sitegen.models.outcome import RoundResult, Start
from sitegen.models.record import Record
from sitegen.models.reported import ReportedTable
from sitegen.models.submission import Submission
from sitegen.models.task import Case, TaskSet

_SHORT = 4
"""Digits that name a round's record. Which records differ is looked for where a whole file is known to differ."""

Run = tuple[str, int, Start]
"""Task, attempt and the state its rounds began from."""


def manifest_digest(submission: Submission) -> str:
    """Name what a manifest says beside its status."""
    return _digest(_plain(submission, "status"))


def finding_digest(finding: Finding) -> str:
    """Name what a finding says; which earlier finding it corrects may be added."""
    return _digest(_plain(finding, "corrects"))


def table_digest(table: ReportedTable) -> str:
    """Name the figures of a published table; what is noted about them, or stands beside them, may grow."""
    return _digest(_plain(table, "note", "errata", "exhibits"))


def task_set_digest(tasks: TaskSet) -> str:
    """Name what scores depend on: tasks, their rounds, weights and cases. Titles, labels and links may be mended."""

    def cases(known: Iterable[Case] | None) -> object:
        return None if known is None else [[case.id, case.category] for case in known]

    return _digest(
        [
            [
                task.id,
                [[each.n, each.weight, cases(each.cases)] for each in task.rounds],
                *([task.weight] if task.weight != 1 else []),
            ]
            for task in tasks.tasks
        ]
    )


def labels_digest(tasks: TaskSet) -> str:
    """Name the labels of a task set, which scores by axis depend on."""
    return _digest({task.id: task.labels for task in tasks.tasks})


def axis_digest(axis: Axis) -> str:
    """Name what scores depend on of an axis: the weights of its values, and whether these are clusters."""
    return _digest([axis.weights, axis.cluster])


def definition_digest(metric: Declared, weights: Mapping[str, float]) -> str:
    """Name what a declared metric computes; titles and words may be mended."""
    return _digest([_plain(metric, "title", "summary", "source", "decimals"), dict(weights)])


def fingerprints(rounds: Iterable[RoundResult]) -> str:
    """Write what tells a submission's records apart later: a line for each run, four digits for each of its rounds."""
    return "\n".join(
        f"{' '.join(map(str, run))} {digits}" for run, digits in prints_of(rounds).items()
    )


def prints_of(rounds: Iterable[RoundResult]) -> dict[Run, str]:
    """The digits of the rounds of each run, in order."""
    found: dict[Run, str] = defaultdict(str)
    for result in sorted(rounds, key=lambda each: each.round):
        values = ((each.name, getattr(result, each.name), each.default) for each in fields(result))
        told = {name: value for name, value, default in values if value != default}
        found[result.task, result.attempt, result.start] += _digest(told)[:_SHORT]
    return dict(sorted(found.items()))


def read_prints(text: str) -> dict[Run, str]:
    """Read what `fingerprints` wrote; a line of another form is passed over."""
    found: dict[Run, str] = {}
    for line in text.splitlines():
        match line.split(" "):
            case [task, attempt, "own" | "reference" as start, digits] if attempt.isdecimal():
                found[task, int(attempt), start] = digits
    return found


def differing(before: Mapping[Run, str], after: Mapping[Run, str]) -> Iterator[tuple[Run, int]]:
    """The rounds whose digits differ, those that only one side has among them."""
    for run in sorted({*before, *after}):
        was, now = before.get(run, ""), after.get(run, "")
        for number in range(max(len(was), len(now)) // _SHORT):
            part = slice(_SHORT * number, _SHORT * (number + 1))
            if was[part] != now[part]:
                yield run, number + 1


def _plain(record: Record, *left_out: str) -> object:
    return record.model_dump(
        mode="json", by_alias=True, exclude_defaults=True, exclude=set(left_out)
    )


def _digest(content: object) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
