"""Why a score is another one than in the release before."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sitegen.board.marks import Marked
from sitegen.metrics.catalogue import METRICS

Kind = Literal[
    "submission",
    "table",
    "status",
    "name",
    "data",
    "tasks",
    "finding",
    "redaction",
    "definition",
    "program",
    "others",
    "unknown",
]
"""What brought something about.

`submission`, `table`: new results, or a newly published table. `status`: the row was taken back, or stands again.
`name`: the row has another id. `data`: its results changed. `tasks`: the task set did. `finding`: something is on
record. `redaction`: content had to leave. `definition`: a metric was defined anew. `program`: another version computed
it. `others`: what became of other rows. `unknown`: nothing tells.
"""


@dataclass(frozen=True, slots=True)
class Cause:
    """What brought something about.

    Attributes:
        kind: Its kind.
        about: What there is to say of it; may be empty.
        finding: The finding with its name in addresses, where it was one.
    """

    kind: Kind
    about: str = ""
    finding: Marked | None = None


@dataclass(frozen=True, slots=True)
class Changed:
    """What can have changed a row's scores from one release to the next.

    Attributes:
        data: Whether its results did.
        tasks: Whether the tasks of its track did.
        findings: New ones that concern it.
        versions: Of each metric's definition, before and after.
        programs: Versions of the program that computed the scores, before and after.
    """

    data: bool
    tasks: bool
    findings: Sequence[Marked]
    versions: Mapping[str, tuple[int, int]]
    programs: tuple[str, str]


def causes_of(changed: Changed, metrics: Sequence[str]) -> tuple[Cause, ...]:
    """Say why scores differ, as far as the books tell.

    Args:
        changed: What can have changed them.
        metrics: Whose scores.
    """
    found = tuple(_known(changed, metrics))
    if found:
        return found
    before, after = changed.programs
    return (Cause("unknown"),) if before == after else (Cause("program", f"{before} → {after}"),)


def _known(changed: Changed, metrics: Sequence[str]) -> Iterator[Cause]:
    if changed.data:
        yield Cause("data")
    if changed.tasks:
        yield Cause("tasks")
    for each in changed.findings:
        yield Cause("finding", each.finding.title, each)
    for metric in metrics:
        before, after = changed.versions.get(metric, (1, 1))
        if before != after:
            title = METRICS[metric].title if metric in METRICS else metric
            yield Cause("definition", f"{title}, version {before} → {after}")
