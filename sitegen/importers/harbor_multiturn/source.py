"""Imports the run folders of Harbor's multi-turn fork, which EvoCode-Bench's paper was made with."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date as Date  # noqa: N812 - what is called date elsewhere, too
from pathlib import Path

from sitegen.importers.harbor.definition import benchmark_of
from sitegen.importers.harbor.rulings import Referee
from sitegen.importers.harbor_multiturn import rules
from sitegen.importers.harbor_multiturn.definition import track_of
from sitegen.importers.harbor_multiturn.doubts import Doubts
from sitegen.importers.harbor_multiturn.drafts import Press, bundle_names, fitted
from sitegen.importers.harbor_multiturn.findings import Recorder
from sitegen.importers.harbor_multiturn.gathering import Gathered, gathered, told_apart
from sitegen.importers.harbor_multiturn.ledger import Ledger
from sitegen.importers.harbor_multiturn.notes import note_showing
from sitegen.importers.harbor_multiturn.showing import Showing
from sitegen.importers.kit.agents import Entrant
from sitegen.importers.kit.claims import Stated, published_about
from sitegen.importers.kit.options import ImportOptions, Pace
from sitegen.importers.kit.report import Report, Spot
from sitegen.importers.kit.rules import DATE_ASSUMED
from sitegen.importers.kit.tree import Tree
from sitegen.models.benchmark import Track
from sitegen.models.finding import Finding
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.task import TaskSet
from sitegen.problems import ProblemsError, errors_of


def read_harbor_multiturn(source: Path, options: ImportOptions, tasks: Path | None = None) -> Incoming:
    """Read the runs in a folder, each by what kind of run it was.

    Every agent becomes a bundle. Its attempts are numbered in the order of their jobs' and their own names; the tries
    of a fan-out count as the attempts of one job. Rounds that were run from the reference state stand beside them.

    Args:
        source: The folder of a job, or one that holds such folders at any depth.
        options: Where the results go, and what the source does not tell of the agents.
        tasks: The folder that holds the tasks, where the source does not.

    Raises:
        ProblemsError: The runs can't be used as they stand; carries every problem, warnings included.
        UsageError: The agent that is asked for is not here, or the folder of the tasks is none.
    """
    report, tree = Report(source), Tree(source)
    found = gathered(told_apart(tree, report), tasks, options, report)
    _doubt_tasks(found, options, report)
    _stop_at_errors(report)
    if not found.showings:
        report.nothing_found(rules.NOTHING_FOUND, report.notes[0])
        _stop_at_errors(report)
    return _Assembly(found, options, report).incoming(tree)


def _doubt_tasks(found: Gathered, options: ImportOptions, report: Report) -> None:
    rule = rules.TASKS_LEFT_OUT if options.allow_missing else rules.TASK_NOT_RUN
    for name in found.idle if found.showings else ():
        report.doubt(rule, report.root, name)


def _stop_at_errors(report: Report) -> None:
    """Go no further where something is wrong.

    Raises:
        ProblemsError: Something is.
    """
    problems = report.all_problems()
    if errors_of(problems):
        raise ProblemsError(problems)


@dataclass(frozen=True, slots=True)
class _Assembly:
    """Puts an import together.

    Attributes:
        found: What counts of the source.
        options: Where the results go.
        report: Takes what is said of the source.
    """

    found: Gathered
    options: ImportOptions
    report: Report

    def incoming(self, tree: Tree) -> Incoming:
        """Make everything that the import adds.

        Raises:
            ProblemsError: The published values that are named can't be used.
        """
        showings, tasks = self.found.showings, list(self.found.tasks.values())
        sampled = any(showing.sampled for showing in showings)
        made = max((showing.attempts.made for showing in showings), default=1)
        track = track_of(tasks, made, self.options, sampled=sampled)
        self._doubt(track)
        runs = {course.run.path for showing in showings for course in showing.courses}
        referee = Referee(self.report, pace=Pace(len(runs), self.options.watch))
        drafts = self._drafts(Press(self.options, track, self.found.tasks, Ledger(tree, referee)))
        _stop_at_errors(self.report)
        return Incoming(
            benchmark_of((track,), tasks, self.found.roster, self.options),
            (TaskSet(track.id, tuple(map(referee.suites.task, tasks))),),
            tuple(
                fitted(draft, referee.suites, self._caveats(showing))
                for draft, showing in zip(drafts, showings, strict=True)
            ),
            tuple(
                finding
                for draft, showing in zip(drafts, showings, strict=True)
                for finding in self._findings(draft, showing)
            ),
            self.report.all_problems(),
            tuple(self.report.notes),
        )

    def _caveats(self, showing: Showing) -> tuple[str, ...]:
        runs = [course.run.path for course in showing.courses]
        return self.report.caveats(showing.entrant, runs, ("own", "reference"))

    def _doubt(self, track: Track) -> None:
        """Say what does not count and what is missing."""
        doubts = Doubts(self.found.tasks, self.report)
        for showing in self.found.showings:
            doubts.about(showing, self.found.lineage)
            if track.reference_rounds:
                doubts.about_samples(showing)
        if any(showing.plain for showing in self.found.showings):
            for showing in self.found.showings:
                if showing.fan_outs:
                    self.report.doubt(rules.TOPOLOGIES, self.report.root, Spot(showing.entrant), "branches of fan-outs")

    def _drafts(self, press: Press) -> list[Draft]:
        dates = {showing.entrant: self._date(showing) for showing in self.found.showings}
        names = bundle_names(dates)
        stated = self._stated(names)
        for showing in self.found.showings:
            note_showing(showing, names[showing.entrant], self.report)
        return [
            press.draft(showing, names[showing.entrant], dates[showing.entrant], _fitting(showing.entrant, stated))
            for showing in self.found.showings
        ]

    def _date(self, showing: Showing) -> Date:
        """Find the day of an agent's results: as stated, the last of its runs', or today."""
        days = [day for course in showing.courses if (day := course.run.day)]
        if self.options.date or days:
            return self.options.date or max(days)
        what = f"taken as {self.options.today}"
        self.report.doubt(DATE_ASSUMED, self.report.root, Spot(showing.entrant), what)
        return self.options.today

    def _stated(self, names: Mapping[Entrant, str]) -> dict[str, Stated]:
        """Read what was published about the agents, if a file with it is named."""
        known = list(dict.fromkeys(each.name for each in names))
        stated, problems = published_about(known, self.options, self.found.roster.spellings)
        self.report.problems += problems
        return stated

    def _findings(self, draft: Draft, showing: Showing) -> tuple[Finding, ...]:
        recorder = Recorder(self.options.track, draft.id, draft.submission.date)
        return tuple(recorder.findings(showing, list(self.found.tasks)))


def _fitting(entrant: Entrant, stated: Mapping[str, Stated]) -> Stated | None:
    """Give what was published about an agent; None where that is about another scaffold or reasoning setting."""
    found = stated.get(entrant.name)
    if found is None:
        return None
    pairs = ((found.agent.scaffold, entrant.scaffold), (found.agent.reasoning, entrant.reasoning))
    return None if any(said and ours and said != ours for said, ours in pairs) else found
