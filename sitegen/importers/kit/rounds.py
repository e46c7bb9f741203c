"""What a source tells of agents and of their rounds, and the bundles that are made of it."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date as Date  # noqa: N812 - what is called date elsewhere, too
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import Entrant, Roster, repeated
from sitegen.importers.kit.cases import Place, Try, tries_of, unreached
from sitegen.importers.kit.claims import as_said, described, published_about
from sitegen.importers.kit.drafts import (
    axes_of,
    bundle_names,
    case_detail,
    groupings_of,
    ids_of,
    longer_id,
    title_of,
)
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.picking import keep_tasks
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report, Spot
from sitegen.importers.kit.times import is_possible, with_possible_times
from sitegen.importers.kit.transcripts import Transcripts
from sitegen.metrics.catalogue import COLUMNS, MEAN_REWARD, RESOLVED
from sitegen.models.benchmark import Axis, Benchmark, Protocol, Track
from sitegen.models.declared import Declared
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.outcome import Failure, RoundResult, RunFigures, Start, State
from sitegen.models.record import is_slug
from sitegen.models.reported import ReportedTable
from sitegen.models.submission import Agent, Claims, Detail, Provenance, Submission
from sitegen.models.task import Case, Task, TaskRound, TaskSet
from sitegen.problems import Rule, counted, grouped, listed

_FEW, _SHORT = 20, 60
"""Values that a label has at most, and characters of one."""

UNKNOWN = "unknown"
"""What a run without a name stands under until somebody says who made it."""

GRADED = (RESOLVED.id, MEAN_REWARD.id)
"""Columns of a track whose tasks have one target, which is graded with a number."""

Key = tuple[str, int, int, Start]
"""A task as its source names it, the number of the attempt and that of the round, and what it began from."""


class Gaps(NamedTuple):
    """The rules that are broken where a source does not tell of a round that its agent is expected to have."""

    run: Rule = rules.TRIES_MISSING
    """It tells of no round of the attempt."""
    meant: Rule = rules.TRIES_UNREACHED
    """The same, and whoever imports it says that it is meant."""
    inside: Rule = rules.TRIES_MISSING
    """It tells of other rounds of the attempt, and one that does not count on the others has to be there."""
    end: Rule = rules.TRIES_UNREACHED
    """The attempt ends before."""


USUAL = Gaps()


class ExpectedTask(NamedTuple):
    """A task of which every run is expected to have all rounds."""

    name: str
    """As the source names it."""
    id: str
    length: int
    """The number of its rounds."""


@dataclass(slots=True)
class Run:
    """The rounds of one agent."""

    path: Path
    """Where they lie."""
    entrant: Entrant
    """Whoever made them, as the source has the name."""
    facts: dict[str, object] = field(default_factory=dict)
    """What else is known of the agent, as `Agent` has it."""
    day: Date | None = None
    attempts: int = 1
    """Tries at each task."""
    planned: Sequence[str] = ()
    """Tasks that were to be tried, tried or not."""
    missing: Collection[str] = ()
    """Tasks that were not, and that its bundle is to name."""
    provenance: Provenance = field(default_factory=Provenance)
    claims: Claims | None = None
    results: dict[Key, RoundResult] = field(default_factory=dict)
    """What came of each round; its task is as the source names it."""
    failures: list[Failure] = field(default_factory=list)
    figures: list[RunFigures] = field(default_factory=list)
    transcripts: Transcripts | None = None
    files: Mapping[tuple[str, int, int], Path] = field(default_factory=dict)
    """Transcripts that lie in the source, as `Draft` has them."""
    parts: Sequence[Path] = ()
    """Where its attempts lie, if each has a place of its own."""

    def add(self, result: RoundResult) -> bool:
        """Take what came of a round, unless that is known; whether it was not."""
        key = result.task, result.attempt, result.round, result.start
        self.attempts = max(self.attempts, result.attempt)
        return self.results.setdefault(key, result) is result

    def grade(
        self,
        task: str,
        attempt: int,
        reward: float,
        cause: str | None = None,
        state: State = "aborted",
        **facts: Any,  # noqa: ANN401
    ) -> None:
        """Take a try at a task of one round: its reward, or how it ended without one, and why."""
        if cause:
            facts |= {"cause": cause, "passed": 0, "total": 0}
        self.add(RoundResult(task, attempt, 1, state if cause else "scored", reward, **facts))

    @property
    def has_reference(self) -> bool:
        """Whether rounds were run from the reference state."""
        return any(start == "reference" for *_, start in self.results)

    def task_lengths(self) -> dict[str, int]:
        """Return the tasks that were tried, in the order of the source, each with its furthest round."""
        lengths: dict[str, int] = {}
        for task, _, number, _ in self.results:
            lengths[task] = max(lengths.get(task, 1), number)
        return lengths

    def examples(self) -> Iterable[RoundResult]:
        """Return results that show every kind of figure that the run has."""
        return self.results.values()

    def is_complete(self, tasks: Sequence[ExpectedTask], tries: Sequence[Try]) -> bool:  # noqa: ARG002
        """Return whether it surely has all rounds of all tries at all tasks."""
        return False

    def found_rounds(self, task: ExpectedTask, attempt: int, start: Start) -> list[int]:
        """Return the numbers of the rounds that one try at a task has, in order."""
        numbers = range(1, task.length + 1)
        return [number for number in numbers if (task.name, attempt, number, start) in self.results]

    def expected_rounds(
        self,
        tasks: Sequence[ExpectedTask],
        tries: Sequence[Try],
        usual: Mapping[Place, Sequence[str]],
    ) -> Sequence[RoundResult]:
        """Return all rounds of all tries at all tasks; those that it lacks are unreached.

        Args:
            tasks: The tasks, in the order of the bundle.
            tries: The tries at each of them.
            usual: Names of the cases of rounds, by the task's name and the round; a result names its cases only
                where they are others.
        """
        rounds = []
        for task in tasks:
            for attempt, start in tries:
                for number in range(1, task.length + 1):
                    result = self.results.get((task.name, attempt, number, start))
                    if result is None:
                        rounds.append(unreached(task.id, attempt, number, start=start))
                        continue
                    names = result.case_ids
                    if names is not None and names == usual.get((task.name, number), ()):
                        names = None
                    if result.task != task.id or result.case_ids != names:
                        result = replace(result, task=task.id, case_ids=names)
                    rounds.append(result)
        return tuple(rounds)

    def told(self, ids: Mapping[str, str]) -> Iterator[tuple[str, int, bytes]]:
        """Its transcripts, with the ids of their tasks."""
        for (name, attempt), data in self.transcripts() if self.transcripts else ():
            if name in ids:
                yield ids[name], attempt, data

    def spot(self, task: str = "", attempt: int = 1) -> Spot:
        """A place in it, for messages."""
        return Spot(self.entrant, one_line(task) + self.attempt_words(attempt) if task else "")

    def attempt_words(self, attempt: int) -> str:
        """Which attempt it was, where there are several."""
        return f" (attempt {attempt})" if self.attempts > 1 else ""


@dataclass(slots=True)
class Source:
    """What a source tells of tasks and of the rounds that agents made."""

    report: Report
    summary: str = ""
    """A sentence about the track's conditions."""
    protocol: Protocol = "once"
    columns: Sequence[str] = ()
    """Those of the track, but for metrics that are declared; where empty, what the protocol has and rounds can fill."""
    tells_attempts: bool = False
    """Whether a bundle says how many it has also where its track has as many."""
    has_ids: bool = False
    """Whether tasks are named by ids; otherwise ids are made of their names."""
    gaps: Gaps | None = USUAL
    """What is wrong with a gap; None where nothing is."""
    twice: Rule = rules.RUN_TWICE
    """What is broken where bundles would have one name."""
    undated: Rule = rules.DATE_MISSING
    """What is broken where nothing tells the day of a run."""
    title: str = ""
    """That of the track, where its id does not say enough."""
    about: Mapping[str, object] = field(default_factory=dict)
    """What is known of the benchmark, as `Benchmark` has it."""
    axes: Sequence[str] = ()
    """Labels that sort tasks into groups; where empty, those that can."""
    lasting_axes: Sequence[str] = ()
    """Labels that tasks keep whatever their values are; others are kept only where they sort tasks into groups."""
    axis_titles: dict[str, str] = field(default_factory=dict)
    """What readers see of an axis, by its name, where that is not the name."""
    cluster_axis: str = ""
    """The axis whose values say which tasks depend on each other; empty where tasks are independent."""
    tasks: Mapping[str, Task] = field(default_factory=dict)
    """Every task by its id, where the source tells them whole; else they are made of what it tells of each."""
    runs: list[Run] = field(default_factory=list)
    beside: Sequence["Source"] = ()
    """What goes to further tracks of the same tasks."""
    apart: str = ""
    """What the names of its track and its bundles end with where it is beside another."""
    titles: dict[str, str] = field(default_factory=dict)
    """What readers see of a task, where that is not its name in the source."""
    labels: defaultdict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    """What is told of a task, by its name and an axis."""
    cases: dict[Place, tuple[Case, ...]] = field(default_factory=dict)
    """The checks of a round, by its task and its number."""
    digests: dict[str, str] = field(default_factory=dict)
    """A checksum of a task, by its name."""
    weights: dict[Place, float] = field(default_factory=dict)
    """Those that are not 1."""
    reported: list[tuple[str, ReportedTable]] = field(default_factory=list)
    """Figures without rounds, by the name of their file; their track is the one of the import."""
    metrics: dict[str, Declared] = field(default_factory=dict)
    """Metrics that tables report, by id: a benchmark that begins declares them."""
    has_picked_tasks: bool = False
    """Whether the format has picked the tasks of `--task` itself; otherwise `imported` keeps only those."""

    def imported(self, options: ImportOptions) -> Incoming:
        """Make a bundle of each run; a ProblemsError says why the source can't be used as it stands."""
        report = self.report
        report.stop_at_errors()
        if not self.runs and not self.reported:
            report.stop_at_nothing(rules.NOTHING_FOUND, "no results of this format were found")
        parts = (self, *self.beside)
        if options.task_names and not self.has_picked_tasks:
            keep_tasks(parts, options)
        lengths, ids = self.lengths(options), self.ids(options)
        roster = Roster.chosen((run.entrant.name for part in parts for run in part.runs), options)
        entries = [
            (part, run, *self._head(run, roster, options)) for part in parts for run in part.runs
        ]
        entries = [
            (part, run, day, agent)
            for (part, run, day, _), agent in zip(entries, self._told_apart(entries), strict=True)
        ]
        bundles = self._bundle_names(entries)
        # What was published may be about the name that an agent has in the source.
        given = {run.entrant.name: agent.name for _, run, _, agent in entries}
        known = {
            spelling: given.get(name, name) for spelling, name in roster.spellings.items()
        } | given
        beside = {run.entrant for run in self.runs}
        once = [
            agent for part, run, _, agent in entries if not part.apart or run.entrant not in beside
        ]
        stated = report.take(published_about(once, options, known))
        results = [part.expected(run, lengths, ids, options) for part, run, *_ in entries]
        report.stop_at_errors()
        drafts = []
        for (part, run, day, agent), bundle, rounds in zip(entries, bundles, results, strict=True):
            provenance, faults = with_possible_times(run.provenance, options.today)
            for fault in faults:
                report.doubt(
                    rules.LEFT_OUT, run.path, run.spot(), f"a time that can't be right: {fault}"
                )
            if provenance.dirty:
                report.tell(run.entrant, rules.TREE_DIRTY)
            starts: Sequence[Start] = ("own", "reference") if part.has_reference else ("own",)
            failures = tuple(replace(each, task=ids[each.task]) for each in run.failures)
            figures = tuple(replace(each, task=ids[each.task]) for each in run.figures)
            made = partial(run.told, ids) if run.transcripts else None
            about = stated.get(agent.name)
            if about and not about.fits(agent):
                about = None
            claims = (
                about.claims if about and not part.apart else None
            )  # they are about the track beside
            submission = Submission(
                schema_version=1,
                track=options.track + part.apart,
                date=day,
                attempts=run.attempts
                if self.tells_attempts or run.attempts != part.attempts
                else None,
                missing=tuple(ids[name] for name in ids if name in run.missing),
                caveats=report.caveats(run.entrant, run.parts or [run.path], starts),
                agent=described(agent, about),
                provenance=provenance,
                detail=Detail(cases=case_detail(rounds, failures)),
                claims=claims or run.claims,
            )
            drafts.append(Draft(bundle, submission, rounds, figures, failures, run.files, made))
            ended = list(map(attrgetter("state"), rounds)).count("unreached")
            report.notes.append(
                f"{bundle}: {counted(len(rounds), 'round')}, {ended} of them unreached"
            )
        tasks = self._tasks(lengths, ids)
        sets = (TaskSet(options.track, tasks),) if tasks else ()
        told = report.all_problems(), tuple(report.notes), tuple(self.reported)
        return Incoming(self._benchmark(tasks, roster, options), sets, tuple(drafts), (), *told)

    def _told_apart(self, entries: Sequence[tuple["Source", Run, Date, Agent]]) -> list[Agent]:
        """Return the agents of all runs, with the provider in the name where only that tells two apart."""
        providers: defaultdict[tuple[str, str | None, str | None, str], set[str]] = defaultdict(set)
        for part, run, _, agent in entries:
            providers[agent.name, agent.scaffold, agent.reasoning, part.apart].add(
                run.entrant.provider
            )
        agents = []
        for part, run, _, agent in entries:
            several = providers[agent.name, agent.scaffold, agent.reasoning, part.apart]
            provider = run.entrant.provider
            if len(several) > 1 and provider:
                name = f"{agent.name} ({provider})"
                self.report.assume(
                    f"{agent.name} served by {provider} is an agent of its own", run.entrant
                )
                agents.append(
                    agent.model_copy(update={"name": name, "model": agent.model or agent.name})
                )
            else:
                agents.append(agent)
        return agents

    def _bundle_names(self, entries: Sequence[tuple["Source", Run, Date, Agent]]) -> list[str]:
        """Names for the bundles of all runs; that several would have one is told."""
        report, bundles = self.report, list[str]()
        for part in (self, *self.beside):
            own = bundle_names([(day, agent) for each, _, day, agent in entries if each is part])
            bundles += [longer_id(name, part.apart) if part.apart else name for name in own]
        paths = {run.path for _, run, *_ in entries}
        owners = [
            f"{agent.name} ({report.name(run.path)})" if len(paths) > 1 else agent.name
            for _, run, _, agent in entries
        ]
        for name in repeated(bundles):
            claimed = ", ".join(
                owner for owner, bundle in zip(owners, bundles, strict=True) if bundle == name
            )
            report.add(self.twice, report.root, f"{claimed} would all be bundle {name}")
        return bundles

    @property
    def attempts(self) -> int:
        """Those of its track."""
        return max((run.attempts for run in self.runs), default=1)

    def ids(self, options: ImportOptions) -> dict[str, str]:
        """The id of each task that some run has or was to have, by its name."""
        told = (
            name for run in self.runs for name in (*run.planned, *run.task_lengths(), *run.missing)
        )
        names = dict.fromkeys(self.tasks or told)
        if self.has_ids or self.tasks:
            return dict(zip(names, names, strict=True))
        return ids_of(names, self.titles, options.standing)

    def lengths(self, options: ImportOptions) -> dict[str, int]:
        """The rounds of each task: as many as the track has for it, or as the run that got furthest."""
        known = options.standing.lengths if options.standing else {}
        if self.tasks:
            known = {name: len(task.rounds) for name, task in self.tasks.items()}
        lengths = {name: known.get(task, 1) for name, task in self.ids(options).items()}
        for run in self.runs:
            for task, furthest in run.task_lengths().items():
                lengths[task] = max(lengths[task], furthest)
        return lengths

    def _head(self, run: Run, roster: Roster, options: ImportOptions) -> tuple[Date, Agent]:
        """The day of a run, and who made it; where nothing tells that, it is told."""
        known = replace(
            run.entrant, name=roster.one_name(run.entrant.name) or options.agent or UNKNOWN
        )
        if known.name == UNKNOWN:
            self.report.doubt(rules.AGENT_UNKNOWN, run.path, run.spot(), self.report.name(run.path))
        day = options.date or run.day
        fact = "nothing tells the day of the run"
        if day is not None and options.date is None and not is_possible(day, options.today):
            fact = f"the source states {day} as the day of the run, which can't be right"
            day = None
        if day is None:
            taken = ""
            if self.undated.severity == "warning":
                taken = f": taken as {options.today}"
                self.report.note_assumption(
                    f"the results were made on {options.today}, the day of the import"
                )
            self.report.doubt(self.undated, run.path, run.spot(), f"{fact}{taken}")
        return day or options.today, as_said(known.agent(run.facts), options)

    @property
    def has_reference(self) -> bool:
        """Whether rounds were run from the reference state."""
        return any(run.has_reference for run in self.runs)

    def expected(
        self, run: Run, lengths: Mapping[str, int], ids: Mapping[str, str], options: ImportOptions
    ) -> Sequence[RoundResult]:
        """Return every expected round of a run; what it lacks is unreached, which has to be meant."""
        tasks = [
            ExpectedTask(name, ids[name], lengths[name]) for name in ids if name not in run.missing
        ]
        tries = tries_of(run.attempts, has_reference=self.has_reference)
        if not run.is_complete(tasks, tries):
            self._report_gaps(run, tasks, tries, options)
        return run.expected_rounds(tasks, tries, self._usual_cases())

    def _usual_cases(self) -> dict[Place, tuple[str, ...]]:
        """Return the names of the cases of rounds, by the task's name and the round."""
        cases = self.cases
        if not cases:
            listed_rounds = (
                (task.id, each) for task in self.tasks.values() for each in task.rounds
            )
            cases = {(task, each.n): each.cases for task, each in listed_rounds if each.cases}
        return {
            place: tuple(case.id for case in listed_cases) for place, listed_cases in cases.items()
        }

    def _report_gaps(
        self, run: Run, tasks: Sequence[ExpectedTask], tries: Sequence[Try], options: ImportOptions
    ) -> None:
        """Report the rounds that a run lacks."""
        lacking: defaultdict[Rule, list[str]] = defaultdict(list)
        for task in tasks:
            numbers = range(1, task.length + 1)
            for attempt, start in tries:
                found = run.found_rounds(task, attempt, start)
                if len(found) == task.length:
                    continue
                words = (
                    " (from the reference state)"
                    if start == "reference"
                    else run.attempt_words(attempt)
                )
                # Targets, and rounds from the reference state, do not hang together: none of them ends a run.
                ends = self.protocol != "once" and start == "own"
                for rule, gap in self._gaps(found, numbers, options, ends=ends):
                    told = f" {', '.join(map(str, gap))}" if len(gap) < len(numbers) else ""
                    lacking[rule].append(f"{one_line(task.name)}{told}{words}")
        for rule, places in lacking.items():
            shown = listed(places)
            many = f" {len(places)} of {len(tasks) * len(tries)}:" if len(places) > 1 else ""
            words = f"{run.entrant}: nothing is told of{many} {shown}{': unreached' * (rule.severity == 'warning')}"
            self.report.doubt(rule, run.path, Spot(run.entrant, shown, words))

    def _gaps(
        self, found: Collection[int], numbers: Sequence[int], options: ImportOptions, *, ends: bool
    ) -> Iterator[tuple[Rule, Sequence[int]]]:
        """The rounds of an attempt that are not there, with the rule that each breaks."""
        if self.gaps is None:
            return
        if not found:
            yield (self.gaps.meant if options.allow_missing else self.gaps.run), numbers
            return
        last = max(found) if ends else numbers[-1]
        for rule, part in ((self.gaps.inside, numbers[:last]), (self.gaps.end, numbers[last:])):
            if gap := [number for number in part if number not in found]:
                yield rule, gap

    def _tasks(self, lengths: Mapping[str, int], ids: Mapping[str, str]) -> tuple[Task, ...]:
        if self.tasks:
            return tuple(self.tasks.values())
        # Tasks are sorted into groups by labels of a few short values, each of which several tasks share.
        values = grouped(
            (axis, value) for name in ids for axis, value in self.labels.get(name, {}).items()
        )
        axes = []
        for axis, found in values.items():
            if is_slug(axis) and (axis in self.lasting_axes or _sorts_tasks(found)):
                axes.append(axis)
        tasks = []
        for name, task in ids.items():
            told = self.labels.get(name, {})
            labels = {axis: told[axis] for axis in axes if axis in told}
            title = one_line(self.titles.get(name, name))
            rounds = tuple(
                TaskRound(
                    number,
                    weight=self.weights.get((name, number), 1.0),
                    cases=self.cases.get((name, number)),
                )
                for number in range(1, lengths[name] + 1)
            )
            shown = "" if title == task else title
            tasks.append(
                Task(task, rounds, title=shown, labels=labels, digest=self.digests.get(name))
            )
        return tuple(tasks)

    def _benchmark(
        self, tasks: Sequence[Task], roster: Roster, options: ImportOptions
    ) -> Benchmark:
        axes = self.axes or list(dict.fromkeys(axis for task in tasks for axis in task.labels))
        usual = {
            "title": title_of(options.benchmark),
            "round_name": "Target" if self.protocol == "once" else "Round",
            "ordered": self.protocol != "once",
            "axes": self._axes(tasks, axes),
            "metrics": tuple(self.metrics.values()),
            "tracks": tuple(part.track(tasks, axes, options) for part in (self, *self.beside)),
            "aliases": roster.aliases,
        }
        return Benchmark.model_validate(
            {"schema_version": 1, "id": options.benchmark, **usual, **self.about}
        )

    def _axes(self, tasks: Sequence[Task], names: Sequence[str]) -> dict[str, Axis]:
        """Return the axes by their names, with their titles, and with the one that clusters marked."""
        axes = {}
        for name, axis in axes_of(tasks, names).items():
            title = self.axis_titles.get(name, axis.title)
            axes[name] = axis.model_copy(
                update={"title": title, "cluster": name == self.cluster_axis}
            )
        return axes

    def track(self, tasks: Sequence[Task], axes: Sequence[str], options: ImportOptions) -> Track:
        """The track that its runs go to."""
        results = [each for run in self.runs for each in run.examples()]
        offered = (
            each
            for each in COLUMNS[self.protocol]
            if not each.needs or any(map(each.needs, results))
        )
        columns = (*(self.columns or (metric.id for metric in offered)), *self.metrics)
        name = options.track + self.apart
        return Track(
            id=name,
            title=self.title or title_of(name),
            summary=self.summary,
            protocol=self.protocol,
            attempts=self.attempts,
            reference_rounds=self.has_reference,
            tasks=options.track if tasks else None,
            headline=columns[0] if tasks or MEAN_REWARD.id not in columns else MEAN_REWARD.id,
            columns=columns,
            groupings=groupings_of(tasks, self._grouping_axes(tasks, axes)),
        )

    def _grouping_axes(self, tasks: Sequence[Task], axes: Sequence[str]) -> list[str]:
        """Return the axes that scores are split by: of lasting ones only those that sort tasks into groups."""
        chosen = []
        for axis in axes:
            labels = [task.labels[axis] for task in tasks if axis in task.labels]
            if axis not in self.lasting_axes or _sorts_tasks(labels):
                chosen.append(axis)
        return chosen


def _sorts_tasks(labels: Sequence[str]) -> bool:
    """Return whether labels sort tasks into groups: a few short values, each of which several tasks share."""
    most = min(_FEW, max(1, len(labels) // 2))
    return len(set(labels)) <= most and max(map(len, labels), default=0) <= _SHORT
