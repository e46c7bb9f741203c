"""Collect the rounds that a source reports for each agent, and make bundles from them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date as Date  # noqa: N812 - as in the models
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import AgentNames, RankedAgent, repeated
from sitegen.importers.kit.cases import AttemptStart, Place, blank_round, tries_of
from sitegen.importers.kit.claims import (
    PublishedClaims,
    described,
    published_about,
    with_stated_facts,
)
from sitegen.importers.kit.drafts import (
    assumed_date,
    axes_of,
    bundle_names,
    case_detail,
    groupings_of,
    ids_of,
    longer_id,
    title_of,
)
from sitegen.importers.kit.import_log import ImportLog, SourceLocation
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.picking import keep_tasks
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.times import is_possible, with_possible_times
from sitegen.importers.kit.transcripts import Transcripts
from sitegen.metrics.catalogue import COLUMNS, MEAN_REWARD, RESOLVED
from sitegen.metrics.metric import Metric
from sitegen.models.benchmark import Axis, Benchmark, Protocol, Track
from sitegen.models.declared import Declared
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.outcome import Failure, RoundResult, RunFigures, Start, State
from sitegen.models.record import is_slug
from sitegen.models.reported import ReportedTable
from sitegen.models.submission import Agent, Claims, Detail, Provenance, Submission
from sitegen.models.task import Case, Task, TaskRound, TaskSet
from sitegen.problems import Rule, counted, listed

_MAX_LABEL_VALUES = 20
"""Maximum number of values of a label that groups tasks."""
_MAX_LABEL_LENGTH = 60
"""Maximum length of such a value, in characters."""

UNKNOWN = "unknown"
"""Name of an agent that neither the source nor the user names."""

GRADED = (RESOLVED.id, MEAN_REWARD.id)
"""Columns of a track whose tasks have one target, graded with a number."""

Key = tuple[str, int, int, Start]
"""A round: its task's name in the source, its attempt, its number, and its starting state."""


class GapRules(NamedTuple):
    """The rules that are broken if a source has no result for an expected round."""

    run: Rule = rules.RUN_MISSING
    """The rule if the source has no round of the attempt."""
    meant: Rule = rules.RUN_UNREACHED
    """The rule if the source has no round of the attempt and `--allow-missing` is given."""
    inside: Rule = rules.RUN_MISSING
    """The rule if later rounds of the attempt exist, or rounds do not depend on each other."""
    end: Rule = rules.RUN_UNREACHED
    """The rule if the attempt ends before the round."""


USUAL_GAPS = GapRules()


class ExpectedTask(NamedTuple):
    """A task for which every run is expected to have all rounds."""

    name: str
    """The task's name in the source."""
    id: str
    length: int
    """The number of its rounds."""


@dataclass(slots=True)
class AgentResults:
    """The rounds that one agent ran, with facts about the agent and the run."""

    path: Path
    """The location of the rounds in the source."""
    entrant: RankedAgent
    """The agent, named as in the source."""
    facts: dict[str, object] = field(default_factory=dict)
    """Other fields of `Agent`."""
    day: Date | None = None
    attempts: int = 1
    """The number of attempts at each task."""
    planned: Sequence[str] = ()
    """Tasks that were planned to run, whether or not they have results."""
    missing: Collection[str] = ()
    """Tasks that were not run; the bundle lists them as missing."""
    provenance: Provenance = field(default_factory=Provenance)
    claims: Claims | None = None
    results: dict[Key, RoundResult] = field(default_factory=dict)
    """The result of each round; its task is named as in the source."""
    failures: list[Failure] = field(default_factory=list)
    figures: list[RunFigures] = field(default_factory=list)
    transcripts: Transcripts | None = None
    files: Mapping[tuple[str, int, int], Path] = field(default_factory=dict)
    """Paths of transcripts in the source, by task, attempt and round, for `Draft.transcripts`."""
    parts: Sequence[Path] = ()
    """The locations of the attempts, if each attempt has its own folder or file."""

    def add(self, result: RoundResult) -> bool:
        """Add the result of a round unless it already has one; return whether it was added."""
        key = (result.task, result.attempt, result.round, result.start)
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
        """Add the result of an attempt at a task of one round.

        Args:
            task: The task, named as in the source.
            attempt: The number of the attempt.
            reward: The reward.
            cause: Why there is no verdict; None if there is a verdict.
            state: How the round ended, if there is no verdict.
            facts: Further fields of `RoundResult`.
        """
        if cause:
            facts |= {"cause": cause, "passed": 0, "total": 0}
        self.add(RoundResult(task, attempt, 1, state if cause else "scored", reward, **facts))

    @property
    def has_reference(self) -> bool:
        """Whether rounds were run from the reference state."""
        starts = {start for *_, start in self.results}
        return "reference" in starts

    def task_lengths(self) -> dict[str, int]:
        """Return the number of each attempted task's last round, by task name, in source order."""
        lengths: dict[str, int] = {}
        for task, _, number, _ in self.results:
            lengths[task] = max(lengths.get(task, 1), number)
        return lengths

    def examples(self) -> Iterable[RoundResult]:
        """Return results that together contain every kind of figure of the run."""
        return self.results.values()

    def is_complete(
        self,
        tasks: Sequence[ExpectedTask],  # noqa: ARG002
        tries: Sequence[AttemptStart],  # noqa: ARG002
    ) -> bool:
        """Return whether the run certainly has all rounds of all attempts at all tasks."""
        return False

    def present_rounds(self, task: ExpectedTask, attempt: int, start: Start) -> list[int]:
        """Return the numbers of the rounds in an attempt at a task, in order."""
        numbers = range(1, task.length + 1)
        return [number for number in numbers if (task.name, attempt, number, start) in self.results]

    def expected_rounds(
        self,
        tasks: Sequence[ExpectedTask],
        tries: Sequence[AttemptStart],
        usual: Mapping[Place, Sequence[str]],
    ) -> Sequence[RoundResult]:
        """Return all rounds of all attempts at all tasks; rounds without a result are unreached.

        Args:
            tasks: The tasks, in the order of the bundle.
            tries: The attempts at each task.
            usual: Names of the cases of rounds, by the task's name and the round; a result names
                its cases only if they differ.
        """
        rounds = []
        for task in tasks:
            for attempt, start in tries:
                for number in range(1, task.length + 1):
                    result = self.results.get((task.name, attempt, number, start))
                    if result is None:
                        rounds.append(blank_round(task.id, attempt, number, start=start))
                        continue
                    usual_names = usual.get((task.name, number), ())
                    rounds.append(_with_task_id(result, task.id, usual_names))
        return tuple(rounds)

    def transcripts_by_id(self, ids: Mapping[str, str]) -> Iterator[tuple[str, int, bytes]]:
        """Yield the id of the task, the attempt and the content of each transcript.

        Args:
            ids: The id of each task, by its name in the source; transcripts of other tasks are left
                out.
        """
        if self.transcripts is None:
            return
        for (name, attempt), data in self.transcripts():
            if name in ids:
                yield ids[name], attempt, data

    def spot(self, task: str = "", attempt: int = 1) -> SourceLocation:
        """Return a location in the run, for messages and caveats."""
        location = one_line(task) + self.attempt_suffix(attempt) if task else ""
        return SourceLocation(self.entrant, location)

    def attempt_suffix(self, attempt: int) -> str:
        """Return " (attempt N)" for a run with several attempts; otherwise an empty string."""
        return f" (attempt {attempt})" if self.attempts > 1 else ""


def _with_task_id(result: RoundResult, task_id: str, usual_names: Sequence[str]) -> RoundResult:
    """Return a result with its task's id, and with its case names only if they are unusual."""
    case_ids = result.case_ids
    if case_ids == usual_names:
        case_ids = None
    if result.task == task_id and result.case_ids == case_ids:
        return result
    return replace(result, task=task_id, case_ids=case_ids)


class _BundlePlan(NamedTuple):
    """A run that becomes a bundle, with the day and the agent of the bundle."""

    source: "ImportSource"
    """The part of the import to which the run belongs."""
    run: AgentResults
    day: Date
    agent: Agent


@dataclass(slots=True)
class ImportSource:
    """The tasks described by a source, and the rounds that agents ran."""

    log: ImportLog
    summary: str = ""
    """A sentence about the track's conditions."""
    protocol: Protocol = "once"
    columns: Sequence[str] = ()
    """Columns of the track, without declared metrics.

    If empty, the track gets the protocol's columns that the rounds can fill.
    """
    states_attempts: bool = False
    """Whether a bundle states its number of attempts even if it equals the track's."""
    has_ids: bool = False
    """Whether tasks are named by ids; otherwise ids are made from their names."""
    gaps: GapRules | None = USUAL_GAPS
    """The rules that missing rounds break; None if rounds may be missing."""
    twice: Rule = rules.RUN_TWICE
    """The rule that is broken if two bundles would have the same name."""
    undated: Rule = rules.DATE_MISSING
    """The rule that is broken if a run has no date."""
    title: str = ""
    """Title of the track; if empty, it is derived from the track's id."""
    about: Mapping[str, object] = field(default_factory=dict)
    """Further fields of `Benchmark`."""
    axes: Sequence[str] = ()
    """Labels that group tasks; if empty, all suitable labels are used."""
    lasting_axes: Sequence[str] = ()
    """Labels that tasks always keep; other labels are kept only if they group tasks."""
    axis_titles: dict[str, str] = field(default_factory=dict)
    """Titles of axes by name, if different from the name."""
    axis_summaries: Mapping[str, str] = field(default_factory=dict)
    """The note that pages show about an axis, by the axis's name."""
    cluster_axis: str = ""
    """The axis whose values show which tasks depend on each other; empty for independent tasks."""
    tasks: Mapping[str, Task] = field(default_factory=dict)
    """The tasks by id, if the source defines them; otherwise they are made from other fields."""
    runs: list[AgentResults] = field(default_factory=list)
    beside: Sequence["ImportSource"] = ()
    """The parts of the import that belong to further tracks with the same tasks."""
    apart: str = ""
    """Suffix of the names of the track and its bundles; empty for the main part of an import."""
    titles: dict[str, str] = field(default_factory=dict)
    """Titles of tasks by name, if different from the name."""
    labels: defaultdict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    """The labels of tasks, keyed by task name and then by axis."""
    cases: dict[Place, tuple[Case, ...]] = field(default_factory=dict)
    """The cases of rounds, by the task's name and the number of the round."""
    digests: dict[str, str] = field(default_factory=dict)
    """A checksum of each task, by the task's name."""
    weights: dict[Place, float] = field(default_factory=dict)
    """Weights other than 1, by the task's name and the number of the round."""
    reported: list[tuple[str, ReportedTable]] = field(default_factory=list)
    """Published tables without rounds on the import's track, by the name of their file."""
    metrics: dict[str, Declared] = field(default_factory=dict)
    """Metrics that published tables report, by id; a new benchmark declares them."""
    has_picked_tasks: bool = False
    """Whether the importer has applied `--task` itself; otherwise `imported` does."""

    def imported(self, options: ImportOptions) -> Incoming:
        """Return the import: a bundle for each run, the tasks, and a new benchmark's definition.

        Raises:
            ProblemsError: The source can't be used in its present form; carries all reasons.
        """
        log = self.log
        log.stop_at_errors()
        if not self.runs and not self.reported:
            log.stop_at_nothing(rules.NOTHING_FOUND, "no results of this format were found")
        sources = (self, *self.beside)
        if options.task_names and not self.has_picked_tasks:
            keep_tasks(sources, options)
        lengths = self.lengths(options)
        ids = self.ids(options)
        agent_names: list[str] = []
        for source in sources:
            agent_names += [run.entrant.name for run in source.runs]
        roster = AgentNames.chosen(agent_names, options)
        plans = self._plan_bundles(roster, options)
        names = self._name_bundles(plans)
        published = self._read_claims(plans, roster, options)
        rounds = [plan.source.collect_rounds(plan.run, lengths, ids, options) for plan in plans]
        log.stop_at_errors()
        drafts = []
        for plan, name, results in zip(plans, names, rounds, strict=True):
            draft = self._make_draft(
                plan, name, results, ids, published.get(plan.agent.name), options
            )
            drafts.append(draft)
            unreached_count = [result.state for result in results].count("unreached")
            if options.is_partial:
                size = counted(len(results) - unreached_count, "round")
                log.notes.append(f"{name}: {size} in these runs")
                continue
            size = counted(len(results), "round")
            reached = f"{unreached_count} of them unreached" if unreached_count else "all reached"
            log.notes.append(f"{name}: {size}, {reached}")
        tasks = self._make_tasks(lengths, ids)
        task_sets = (TaskSet(options.track, tasks),) if tasks else ()
        return Incoming(
            self._make_benchmark(tasks, roster, options),
            task_sets,
            tuple(drafts),
            problems=log.all_problems(),
            notes=tuple(log.notes),
            reported=tuple(self.reported),
        )

    def _plan_bundles(self, roster: AgentNames, options: ImportOptions) -> list[_BundlePlan]:
        """Return every run with its day and its agent.

        The provider is added to an agent's name if only the provider distinguishes two agents.
        """
        plans = []
        providers: defaultdict[tuple[str | None, ...], set[str]] = defaultdict(set)
        for source in (self, *self.beside):
            for run in source.runs:
                day, agent = self._find_day_and_agent(run, roster, options)
                plan = _BundlePlan(source, run, day, agent)
                plans.append(plan)
                providers[_make_ranked_key(plan)].add(run.entrant.provider)
        named_plans = []
        for plan in plans:
            provider = plan.run.entrant.provider
            if len(providers[_make_ranked_key(plan)]) == 1 or not provider:
                named_plans.append(plan)
                continue
            agent = plan.agent
            fact = f"{agent.name} served by {provider} is a separate agent"
            self.log.assume(fact, plan.run.entrant)
            new_name = f"{agent.name} ({provider})"
            update = {"name": new_name, "model": agent.model or agent.name}
            named_plans.append(plan._replace(agent=agent.model_copy(update=update)))
        return named_plans

    def _find_day_and_agent(
        self, run: AgentResults, roster: AgentNames, options: ImportOptions
    ) -> tuple[Date, Agent]:
        """Return the day and the agent of a run, and report missing information."""
        name = roster.one_name(run.entrant.name) or options.agent or UNKNOWN
        entrant = replace(run.entrant, name=name)
        if name == UNKNOWN:
            run_name = self.log.name(run.path)
            self.log.add_doubt(rules.AGENT_UNKNOWN, run.path, run.spot(), run_name)
        day = options.date or self._find_day(run, options)
        return day, with_stated_facts(entrant.agent(run.facts), options)

    def _find_day(self, run: AgentResults, options: ImportOptions) -> Date:
        """Return the day that the source states for a run; if missing, report it and use today."""
        if run.day is not None and is_possible(run.day, options.today):
            return run.day
        fact = "the source does not state the day of the run"
        if run.day is not None:
            fact = f"the source states {run.day} as the day of the run, which can't be right"
        if self.undated.severity == "warning":
            fact = f"{fact}: taken as {options.today}"
            self.log.note_assumption(assumed_date(options))
        self.log.add_doubt(self.undated, run.path, run.spot(), fact)
        return options.today

    def _name_bundles(self, plans: Sequence[_BundlePlan]) -> list[str]:
        """Return the names of all bundles; report an error if several would have the same name."""
        log = self.log
        names: list[str] = []
        for source in (self, *self.beside):
            entries = [(plan.day, plan.agent) for plan in plans if plan.source is source]
            source_names = bundle_names(entries)
            if source.apart:
                source_names = [longer_id(name, source.apart) for name in source_names]
            names += source_names
        has_several_paths = len({plan.run.path for plan in plans}) > 1
        for repeated_name in repeated(names):
            owners = []
            for plan, name in zip(plans, names, strict=True):
                if name != repeated_name:
                    continue
                path = f" ({log.name(plan.run.path)})" if has_several_paths else ""
                owners.append(f"{plan.agent.name}{path}")
            message = f"{', '.join(owners)} would all be bundle {repeated_name}"
            log.add(self.twice, log.root, message)
        return names

    def _read_claims(
        self, plans: Sequence[_BundlePlan], roster: AgentNames, options: ImportOptions
    ) -> dict[str, PublishedClaims]:
        """Return the published claims from the `--claims` table, by agent name."""
        # The table may use the source's name for an agent.
        new_names = {plan.run.entrant.name: plan.agent.name for plan in plans}
        spellings = {key: new_names.get(name, name) for key, name in roster.spellings.items()}
        spellings.update(new_names)
        # Search only once for an agent with runs in several parts of the import.
        main_entrants = {run.entrant for run in self.runs}
        agents = []
        for plan in plans:
            if plan.source.apart and plan.run.entrant in main_entrants:
                continue
            agents.append(plan.agent)
        return self.log.collect(published_about(agents, options, spellings))

    def _make_draft(  # noqa: PLR0913, PLR0917 - a bundle is made of all of these
        self,
        plan: _BundlePlan,
        name: str,
        rounds: Sequence[RoundResult],
        ids: Mapping[str, str],
        published: PublishedClaims | None,
        options: ImportOptions,
    ) -> Draft:
        """Return the bundle of a run.

        Args:
            plan: The run, with its day and its agent.
            name: The bundle's name.
            rounds: All expected rounds.
            ids: The ids of the tasks, by their names in the source.
            published: The published claims about the agent; None if there are none.
            options: The track and the day of the import.
        """
        source, run, day, agent = plan
        provenance = self._check_provenance(run, options)
        if published and not published.fits(agent):
            published = None
        claims = run.claims
        # Published claims are about the track of the import, not about the tracks of further parts.
        if published and published.claims and not source.apart:
            claims = published.claims
        states_attempts = self.states_attempts or run.attempts != source.attempts
        missing = [task_id for task, task_id in ids.items() if task in run.missing]
        starts: Sequence[Start] = ("own", "reference") if source.has_reference else ("own",)
        caveats = self.log.caveats(run.entrant, run.parts or [run.path], starts)
        failures = tuple(replace(failure, task=ids[failure.task]) for failure in run.failures)
        figures = tuple(replace(figures, task=ids[figures.task]) for figures in run.figures)
        submission = Submission(
            schema_version=1,
            track=options.track + source.apart,
            date=day,
            attempts=run.attempts if states_attempts else None,
            missing=tuple(missing),
            caveats=caveats,
            agent=described(agent, published),
            provenance=provenance,
            detail=Detail(cases=case_detail(rounds, failures)),
            claims=claims,
        )
        make_transcripts = partial(run.transcripts_by_id, ids) if run.transcripts else None
        return Draft(name, submission, rounds, figures, failures, run.files, make_transcripts)

    def _check_provenance(self, run: AgentResults, options: ImportOptions) -> Provenance:
        """Return the provenance of a run, and report impossible times and changed code."""
        provenance, faults = with_possible_times(run.provenance, options.today)
        for fault in faults:
            message = f"a time that can't be right: {fault}"
            self.log.add_doubt(rules.LEFT_OUT, run.path, run.spot(), message)
        if provenance.dirty:
            self.log.add_caveat(run.entrant, rules.TREE_DIRTY)
        return provenance

    @property
    def attempts(self) -> int:
        """The number of attempts on the source's track."""
        attempts = [run.attempts for run in self.runs]
        return max(attempts, default=1)

    @property
    def has_reference(self) -> bool:
        """Whether rounds were run from the reference state."""
        return any(run.has_reference for run in self.runs)

    def ids(self, options: ImportOptions) -> dict[str, str]:
        """Return the ids of the source's tasks or, if it defines none, the runs' tasks, by name."""
        names: dict[str, None] = dict.fromkeys(self.tasks)
        if not names:
            for run in self.runs:
                run_tasks = (*run.planned, *run.task_lengths(), *run.missing)
                names.update(dict.fromkeys(run_tasks))
        if self.has_ids or self.tasks:
            return {name: name for name in names}
        return ids_of(names, self.titles, options.existing_track)

    def lengths(self, options: ImportOptions) -> dict[str, int]:
        """Return each task's number of rounds, by name: the track's, or more if a run has more."""
        known_lengths = options.existing_track.lengths if options.existing_track else {}
        if self.tasks:
            known_lengths = {name: len(task.rounds) for name, task in self.tasks.items()}
        ids = self.ids(options)
        lengths = {name: known_lengths.get(task_id, 1) for name, task_id in ids.items()}
        for run in self.runs:
            for task, last_round in run.task_lengths().items():
                lengths[task] = max(lengths[task], last_round)
        return lengths

    def collect_rounds(
        self,
        run: AgentResults,
        lengths: Mapping[str, int],
        ids: Mapping[str, str],
        options: ImportOptions,
    ) -> Sequence[RoundResult]:
        """Return every expected round of a run; missing rounds are reported and become unreached.

        If the source has only some rounds of existing runs, no round counts as missing.
        """
        names = [name for name in ids if name not in run.missing]
        tasks = [ExpectedTask(name, ids[name], lengths[name]) for name in names]
        tries = tries_of(run.attempts, has_reference=self.has_reference)
        has_gaps = not options.is_partial and not run.is_complete(tasks, tries)
        if self.gaps is not None and has_gaps:
            self._report_gaps(self.gaps, run, tasks, tries, options)
        return run.expected_rounds(tasks, tries, self._find_usual_cases())

    def _find_usual_cases(self) -> dict[Place, tuple[str, ...]]:
        """Return the names of each round's cases, by the task's name and the round's number."""
        cases = dict(self.cases)
        if not cases:
            for task in self.tasks.values():
                for task_round in task.rounds:
                    cases[task.id, task_round.n] = task_round.cases or ()
        names = {}
        for round_key, round_cases in cases.items():
            names[round_key] = tuple(case.id for case in round_cases)
        return names

    def _report_gaps(
        self,
        gaps: GapRules,
        run: AgentResults,
        tasks: Sequence[ExpectedTask],
        tries: Sequence[AttemptStart],
        options: ImportOptions,
    ) -> None:
        """Report the missing rounds of a run, grouped by the rule that they break."""
        locations: defaultdict[Rule, list[str]] = defaultdict(list)
        for task in tasks:
            for attempt, start in tries:
                present = run.present_rounds(task, attempt, start)
                if len(present) == task.length:
                    continue
                suffix = run.attempt_suffix(attempt)
                if start == "reference":
                    suffix = " (from the reference state)"
                # Targets, and rounds from the reference state, are independent of each other: a
                # missing round does not mean that the run ended.
                can_end = self.protocol != "once" and start == "own"
                for rule, numbers in _find_gaps(
                    gaps, present, task.length, options, can_end=can_end
                ):
                    location = one_line(task.name)
                    if len(numbers) < task.length:
                        location = f"{location} {', '.join(map(str, numbers))}"
                    locations[rule].append(f"{location}{suffix}")
        total = len(tasks) * len(tries)
        for rule, rule_locations in locations.items():
            count = len(rule_locations)
            share = f" {count} of {total}:" if count > 1 else ""
            shown = listed(rule_locations)
            message = f"{run.entrant}: the source has no results for{share} {shown}"
            if rule.severity == "warning":
                message = f"{message}: unreached"
            self.log.add_doubt(rule, run.path, SourceLocation(run.entrant, shown, message))

    def _make_tasks(self, lengths: Mapping[str, int], ids: Mapping[str, str]) -> tuple[Task, ...]:
        """Return the tasks that the source defines or, failing that, the tasks in its results."""
        if self.tasks:
            return tuple(self.tasks.values())
        axes = self._find_label_axes(ids)
        tasks = []
        for name, task_id in ids.items():
            rounds = []
            for number in range(1, lengths[name] + 1):
                weight = self.weights.get((name, number), 1.0)
                cases = self.cases.get((name, number))
                rounds.append(TaskRound(number, weight=weight, cases=cases))
            task_labels = self.labels.get(name, {})
            labels = {axis: task_labels[axis] for axis in axes if axis in task_labels}
            title = one_line(self.titles.get(name, name))
            if title == task_id:
                title = ""
            digest = self.digests.get(name)
            tasks.append(Task(task_id, tuple(rounds), title=title, labels=labels, digest=digest))
        return tuple(tasks)

    def _find_label_axes(self, names: Iterable[str]) -> list[str]:
        """Return the axes whose labels tasks keep: lasting axes, and axes that group tasks."""
        labels_by_axis: defaultdict[str, list[str]] = defaultdict(list)
        for name in names:
            for axis, label in self.labels.get(name, {}).items():
                labels_by_axis[axis].append(label)
        axes = []
        for axis, labels in labels_by_axis.items():
            if is_slug(axis) and (axis in self.lasting_axes or _sorts_tasks(labels)):
                axes.append(axis)
        return axes

    def _make_benchmark(
        self, tasks: Sequence[Task], roster: AgentNames, options: ImportOptions
    ) -> Benchmark:
        """Return the benchmark as the import would create it."""
        axis_names = list(self.axes) or _collect_label_names(tasks)
        sources = (self, *self.beside)
        tracks = [source.make_track(tasks, axis_names, options) for source in sources]
        has_targets = self.protocol == "once"
        definition = {
            "schema_version": 1,
            "id": options.benchmark,
            "title": title_of(options.benchmark),
            "round_name": "Target" if has_targets else "Round",
            "ordered": not has_targets,
            "axes": self._make_axes(tasks, axis_names),
            "metrics": tuple(self.metrics.values()),
            "tracks": tuple(tracks),
            "aliases": roster.aliases,
        }
        return Benchmark.model_validate({**definition, **self.about})

    def _make_axes(self, tasks: Sequence[Task], names: Sequence[str]) -> dict[str, Axis]:
        """Return the axes by their names, with their titles, and with the cluster axis marked."""
        axes = {}
        for name, axis in axes_of(tasks, names).items():
            title = self.axis_titles.get(name, axis.title)
            update = {
                "title": title,
                "summary": self.axis_summaries.get(name, ""),
                "cluster": name == self.cluster_axis,
            }
            axes[name] = axis.model_copy(update=update)
        return axes

    def make_track(
        self, tasks: Sequence[Task], axes: Sequence[str], options: ImportOptions
    ) -> Track:
        """Return the track to which the runs belong.

        Args:
            tasks: The tasks of the import.
            axes: The axes by which scores may be split.
            options: The track's id.
        """
        columns = [*(self.columns or self._find_fillable_columns()), *self.metrics]
        if not tasks:
            columns = self._find_reported_columns(columns)
        headline = columns[0]
        if not tasks and MEAN_REWARD.id in columns:
            headline = MEAN_REWARD.id
        track_id = options.track + self.apart
        grouping_axes = self._find_grouping_axes(tasks, axes)
        return Track(
            id=track_id,
            title=self.title or title_of(track_id),
            summary=self.summary,
            protocol=self.protocol,
            attempts=self.attempts,
            reference_rounds=self.has_reference,
            tasks=options.track if tasks else None,
            headline=headline,
            columns=tuple(columns),
            groupings=groupings_of(tasks, grouping_axes),
        )

    def _find_reported_columns(self, columns: Sequence[str]) -> list[str]:
        """Return the columns with values in reported tables; all columns if there are no values."""
        present: set[str] = set()
        for _, table in self.reported:
            for row in table.rows:
                present.update(row.values)
        return [column for column in columns if column in present] or list(columns)

    def _find_fillable_columns(self) -> list[str]:
        """Return the columns of the protocol for which the rounds contain the required values."""
        results: list[RoundResult] = []
        for run in self.runs:
            results.extend(run.examples())
        metrics = COLUMNS[self.protocol]
        return [metric.id for metric in metrics if _can_fill(metric, results)]

    def _find_grouping_axes(self, tasks: Sequence[Task], axes: Sequence[str]) -> list[str]:
        """Return the axes by which scores are split; lasting axes only if they group tasks."""
        chosen_axes = []
        for axis in axes:
            labels = [task.labels[axis] for task in tasks if axis in task.labels]
            if axis not in self.lasting_axes or _sorts_tasks(labels):
                chosen_axes.append(axis)
        return chosen_axes


def _can_fill(metric: Metric, results: Sequence[RoundResult]) -> bool:
    """Return whether any result contains the values that a metric needs."""
    accepts_record = metric.computation.accepts_record
    return accepts_record is None or any(map(accepts_record, results))


def _collect_label_names(tasks: Iterable[Task]) -> list[str]:
    """Return the axes on which tasks have labels, in the order of first occurrence."""
    names: dict[str, None] = {}
    for task in tasks:
        names.update(dict.fromkeys(task.labels))
    return list(names)


def _make_ranked_key(plan: _BundlePlan) -> tuple[str | None, ...]:
    """Return the key of a ranked agent: runs with equal keys differ only by provider."""
    agent = plan.agent
    return (agent.name, agent.scaffold, agent.reasoning, plan.source.apart)


def _find_gaps(
    gaps: GapRules, present: Collection[int], length: int, options: ImportOptions, *, can_end: bool
) -> Iterator[tuple[Rule, Sequence[int]]]:
    """Yield each rule that an attempt's missing rounds break, with the numbers of these rounds.

    Args:
        gaps: The rules.
        present: Numbers of the rounds in the attempt.
        length: Number of rounds of the task.
        options: States whether attempts may be missing.
        can_end: Whether an attempt without its last rounds counts as having ended before them.
    """
    numbers = range(1, length + 1)
    if not present:
        yield (gaps.meant if options.allow_missing else gaps.run), numbers
        return
    last = max(present) if can_end else length
    inside = [number for number in numbers[:last] if number not in present]
    if inside:
        yield gaps.inside, inside
    if last < length:
        yield gaps.end, numbers[last:]


def _sorts_tasks(labels: Sequence[str]) -> bool:
    """Return whether labels can group tasks: a few short values, shared by several tasks."""
    max_values = min(_MAX_LABEL_VALUES, max(1, len(labels) // 2))
    longest = max(map(len, labels), default=0)
    return len(set(labels)) <= max_values and longest <= _MAX_LABEL_LENGTH
