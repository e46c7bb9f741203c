"""What of an agent's runs does not count, and what is missing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sitegen.importers.harbor_multiturn import rules
from sitegen.importers.harbor_multiturn.counting import NO_SAMPLES
from sitegen.importers.harbor_multiturn.course import Course
from sitegen.importers.harbor_multiturn.kinds import Kind, Lineage
from sitegen.importers.harbor_multiturn.names import branch_of
from sitegen.importers.harbor_multiturn.runs import Run
from sitegen.importers.harbor_multiturn.showing import Showing
from sitegen.importers.kit.agents import Entrant
from sitegen.importers.kit.report import Report, Spot
from sitegen.models.task import Task
from sitegen.problems import Rule, counted

_WHOLE = frozenset({"attempt", "resume"})
"""Kinds of runs that go through a task to its end."""

_PASSED_OVER: Mapping[Kind, Rule] = {
    "stretch": rules.STRETCH,
    "foreign": rules.FOREIGN,
    "unverified": rules.UNVERIFIED,
}


def doubt_kinds(kinds: Mapping[Kind, Sequence[Run]], report: Report) -> None:
    """Say which runs are neither attempts nor single rounds."""
    for kind, rule in _PASSED_OVER.items():
        _doubt_runs(rule, kinds.get(kind, ()), report)


def doubt_course(course: Course, kind: Kind, task: Task, report: Report) -> bool:
    """Say whether a run can be counted, and why where it can't.

    Args:
        course: The run with its rounds.
        kind: What it was.
        task: What it was about.
        report: Takes what is wrong.
    """
    fault = _fault(course, kind, task)
    if fault:
        report.doubt(fault[0], course.run.path, report.name(course.run.path), fault[1])
    return fault is None


def _fault(course: Course, kind: Kind, task: Task) -> tuple[Rule, str] | None:
    run, rounds = course.run, len(task.rounds)
    if run.farthest > rounds:
        return rules.ROUND_UNKNOWN, f"round {run.farthest} is told of, and {task.id} has {counted(rounds, 'round')}"
    if not course.own and kind != "sample":
        return rules.UNFINISHED, ""
    if kind in _WHOLE and (run.last or rounds) < rounds:
        return rules.CAPPED, f"told to end after round {run.last} of {rounds}"
    return None


@dataclass(frozen=True, slots=True)
class Doubts:
    """Says what of the agents' runs does not count, and what is missing.

    Attributes:
        tasks: Tasks of the track, by id.
        report: Takes what is said.
    """

    tasks: Mapping[str, Task]
    report: Report

    def about(self, showing: Showing, lineage: Lineage) -> None:
        """Say it of one agent, apart from its rounds from the reference state."""
        self._attempts(showing)
        _doubt_runs(rules.RESUME_REPLACED, [each.run for each in showing.replaced], self.report, showing.entrant)
        lost = [each.run for each in showing.courses if _lacks_origin(each.run, lineage)]
        _doubt_runs(rules.ORIGIN_MISSING, lost, self.report, showing.entrant)
        self._fan_outs(showing)

    def _fan_outs(self, showing: Showing) -> None:
        for task, several in showing.fan_outs.items():
            for widths in (each.widths for each in several if len(set(each.widths.values())) > 1):
                told = ", ".join(f"{width} in round {number}" for number, width in widths.items())
                spot = Spot(showing.entrant, task)
                self.report.doubt(rules.FAN_OUT_UNEVEN, self.report.root, spot, f"runs: {told}")

    def about_samples(self, showing: Showing) -> None:
        """Say it of an agent's rounds from the reference state, on a track that has such rounds."""
        for task in self.tasks.values():
            samples = showing.samples.get(task.id, NO_SAMPLES)
            _doubt_runs(rules.SAMPLE_TWICE, [each.run for each in samples.repeats], self.report, showing.entrant)
            _doubt_runs(rules.SAMPLE_EMPTY, [each.run for each in samples.empty], self.report, showing.entrant)
            missing = [str(each.n) for each in task.rounds if each.n not in samples.rounds]
            if missing:
                spot = Spot(showing.entrant, task.id)
                self.report.doubt(rules.SAMPLE_MISSING, self.report.root, spot, f"round {', '.join(missing)}")

    def _attempts(self, showing: Showing) -> None:
        attempts = showing.attempts
        if not attempts.tries:
            self.report.doubt(rules.ATTEMPTS_NONE, self.report.root, Spot(showing.entrant))
            return
        for rule, numbers in (
            (rules.ATTEMPTS_ABOVE, {task: len(tries) for task, tries in attempts.surplus.items()}),
            (rules.ATTEMPTS_BELOW, attempts.missing(list(self.tasks))),
        ):
            word = "more" if rule is rules.ATTEMPTS_ABOVE else "fewer"
            for task, number in numbers.items():
                what = f"{number} {word} than the {counted(attempts.made, 'attempt')} at most tasks"
                self.report.doubt(rule, self.report.root, Spot(showing.entrant, task), what)


def _lacks_origin(run: Run, lineage: Lineage) -> bool:
    branch = branch_of(run.name)
    if branch is not None:
        return not branch.is_root and lineage.parent(run) is None
    return run.goes_on and not run.is_in_place and lineage.origin(run) is None


def _doubt_runs(rule: Rule, runs: Sequence[Run], report: Report, entrant: Entrant | None = None) -> None:
    for run in runs:
        name = report.name(run.path)
        report.doubt(rule, run.path, Spot(entrant, words=name) if entrant else name)
