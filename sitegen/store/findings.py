"""Reads a benchmark's findings, and holds them against the benchmark and against themselves."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from sitegen.models.benchmark import Benchmark
from sitegen.models.finding import Finding, Findings
from sitegen.models.task import TaskRound, TaskSet
from sitegen.problems import Problem, Rule
from sitegen.reading.places import Places
from sitegen.reading.shape import suggestion
from sitegen.reading.toml import read_toml
from sitegen.store import finding_rules, rules
from sitegen.store.benchmarks import SUBMISSIONS

FINDINGS = "findings.toml"


def read_findings(
    folder: Path, benchmark: Benchmark, task_sets: Mapping[str, TaskSet]
) -> tuple[tuple[Finding, ...], tuple[int | None, ...], list[Problem]]:
    """Read a benchmark's findings, each with its line; none where it has no such file."""
    path = folder / FINDINGS
    if not path.exists():
        return (), (), []
    document = read_toml(path, Findings)
    if document.record is None:
        return (), (), list(document.problems)
    submissions = {child.name for child in (folder / SUBMISSIONS).glob("*")}
    report = _Report(path, document.record.findings, document.places)
    problems = [
        *report.unknown_names(benchmark, submissions, task_sets),
        *report.unknown_work(task_sets),
        *report.breaches(),
    ]
    lines = (document.places.line_of(("findings", index)) for index in range(len(document.record.findings)))
    return document.record.findings, tuple(lines), problems


@dataclass(frozen=True, slots=True)
class _Report:
    """The findings of one file, to be held against what they name."""

    path: Path
    findings: Sequence[Finding]
    places: Places

    def unknown_names(
        self, benchmark: Benchmark, submissions: AbstractSet[str], task_sets: Mapping[str, TaskSet]
    ) -> Iterator[Problem]:
        """Say which tracks, submissions and tasks there are not."""
        tasks = {task.id for tasks in task_sets.values() for task in tasks.tasks}
        for key, members, rule, known in (
            ("tracks", "tracks", rules.TRACK_UNKNOWN, {track.id for track in benchmark.tracks}),
            ("submissions", "submissions", rules.SUBMISSION_UNKNOWN, submissions),
            ("rerun", "submissions", rules.SUBMISSION_UNKNOWN, submissions),
            ("tasks", "tasks", rules.TASK_UNKNOWN, tasks),
        ):
            for index, finding in enumerate(self.findings):
                for name in sorted(_names(finding, key) - known):
                    what = f"the finding names `{name}`, which is none of the {members} of {benchmark.id}"
                    yield self._broken(rule, index, key, what, suggestion(name, known))

    def unknown_work(self, task_sets: Mapping[str, TaskSet]) -> Iterator[Problem]:
        """Say which rounds and cases the tasks have not; that there is no such task is told already."""
        for index, finding in enumerate(self.findings):
            rounds = list(_rounds(finding, task_sets))
            known = {each.n for each in rounds}
            for number in sorted({*finding.rounds} - known) if rounds else ():
                what = f"the finding names round {number}, which none of its tasks has"
                yield self._broken(rules.ROUND_UNKNOWN, index, "rounds", what)
            yield from self._unknown_cases(index, finding, rounds)

    def breaches(self) -> Iterator[Problem]:
        """Say which keys are missing, and which have no use."""
        seen: set[str] = set()
        for index, finding in enumerate(self.findings):
            for key, why in _missing(finding):
                what = f"{why}, but `{key}` is missing"
                yield self._broken(finding_rules.FINDING_INCOMPLETE, index, key, what, f"add `{key}`")
            for key, why in _idle(finding):
                yield self._broken(finding_rules.FINDING_CONTRADICTED, index, key, f"`{key}` stands here, but {why}")
            if finding.id in seen:
                yield self._broken(rules.NAME_TWICE, index, "id", f"two findings are called {finding.id}")
            seen |= {finding.id} if finding.id else set()

    def _unknown_cases(self, index: int, finding: Finding, rounds: Sequence[TaskRound]) -> Iterator[Problem]:
        """Where a task does not list a round's cases, only the bundles can tell which there are."""
        concerned = [each.cases for each in rounds if each.n in finding.rounds]
        listed = list(chain.from_iterable(filter(None, concerned)))
        known = {case.id for case in listed}
        for name in sorted({*finding.cases} - known) if concerned and None not in concerned else ():
            what = f"the finding names the case `{name}`, which none of its rounds has"
            yield self._broken(finding_rules.FINDING_CASE_UNKNOWN, index, "cases", what, suggestion(name, known))

    def _broken(self, rule: Rule, index: int, key: str, what: str, fix: str | None = None) -> Problem:
        return rule.broken(self.path, self.places.line_of(("findings", index, key)), what, fix)


def _rounds(finding: Finding, task_sets: Mapping[str, TaskSet]) -> Iterator[TaskRound]:
    """Give the rounds of the tasks that a finding names; of all where it names none."""
    for task in chain.from_iterable(tasks.tasks for tasks in task_sets.values()):
        if not finding.tasks or task.id in finding.tasks:
            yield from task.rounds


def _names(finding: Finding, key: str) -> set[str]:
    """Give the names that a finding has under a key."""
    value = getattr(finding, key)
    return {value} - {None} if key == "rerun" else {*value}


_NEEDED: Mapping[str, Sequence[str]] = {
    "waiver": ("code", "by", "reason"),
    "reproduction": ("submissions", "rerun"),
    "redaction": ("submissions", "by", "reason", "digests"),
}
"""Keys that a kind needs."""
_KIND_OF: Mapping[str, str] = {"code": "waiver", "until": "waiver", "rerun": "reproduction", "digests": "redaction"}
"""The kind that a key belongs to."""


def _missing(finding: Finding) -> Iterator[tuple[str, str]]:
    """Give the keys that a finding lacks, each with the fact that asks for it."""
    for key, why in _needed(finding):
        value = getattr(finding, key)
        if not (value.strip() if isinstance(value, str) else value):
            yield key, why


def _needed(finding: Finding) -> Iterator[tuple[str, str]]:
    yield from ((key, f"the finding is a {finding.kind}") for key in _NEEDED.get(finding.kind, ()))
    if finding.changes_results:
        yield "reason", f'the effect is "{finding.effect}"'
    if finding.effect == "withdraw":
        yield "submissions", 'the effect is "withdraw"'
    if finding.cases:
        yield from ((key, "the finding names cases") for key in ("tasks", "rounds"))


def _idle(finding: Finding) -> Iterator[tuple[str, str]]:
    """Give the keys that a finding has no use for, each with the reason."""
    for key, kind in _KIND_OF.items():
        if getattr(finding, key) is not None and finding.kind != kind:
            yield key, f"the finding is no {kind}"
    if finding.effect != "note" and finding.kind in _NEEDED:
        yield "effect", f"a {finding.kind} changes no result"
    if finding.tracks and finding.kind == "redaction":
        yield "tracks", "a redaction is told wherever its submission is"
