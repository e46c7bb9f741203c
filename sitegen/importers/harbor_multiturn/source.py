"""Imports the run folders of Harbor's multi-turn fork, which EvoCode-Bench's paper was made with."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from sitegen.importers.harbor.cases import read_cases
from sitegen.importers.harbor.causes import cause_of as cause_of_exception
from sitegen.importers.harbor.records import Effort, Figure
from sitegen.importers.harbor.rounds import Scorer, check_calls, figures_of, spot_of, transcribed
from sitegen.importers.harbor.tasks import Tasks, benchmark_of, read_tasks, task_id
from sitegen.importers.harbor.trajectory import Trajectory, trajectory_files
from sitegen.importers.harbor.trials import completed, survey_of
from sitegen.importers.harbor.verdicts import assume_scale, check_range
from sitegen.importers.harbor_multiturn import rules
from sitegen.importers.harbor_multiturn.attempts import AgentRuns, Cell, with_rounds
from sitegen.importers.harbor_multiturn.kinds import KINDS, Kind, Lineage, kind_of, passed_over
from sitegen.importers.harbor_multiturn.runs import (
    LISTED_TWICE,
    ROWS,
    VERIFICATION_ERROR,
    RowFile,
    Run,
    read_run,
)
from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import (
    KNOWN,
    Entrant,
    Roster,
    check_asked_for,
    is_asked_for,
    named,
    only,
)
from sitegen.importers.kit.cases import unreached
from sitegen.importers.kit.options import Format, ImportOptions, Pace
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report, Spot
from sitegen.importers.kit.rounds import Run as AgentRun
from sitegen.importers.kit.tree import Folder, Tree, digest_of
from sitegen.metrics.catalogue import columns_of
from sitegen.models.incoming import Incoming
from sitegen.models.outcome import RoundResult
from sitegen.models.submission import Provenance
from sitegen.models.task import Task, TaskRound
from sitegen.problems import Rule, UsageError, counted, grouped, listed

PARENT = "parent_attempt@harbor-multiturn"
"""The measure that keeps a fan-out's lineage: the attempt from whose round before this one a round went on."""

_ERRORS: Sequence[tuple[str, str]] = (
    ("timed out", "VerifierTimeoutError"),
    ("reward file is empty", "RewardFileEmptyError"),
    ("no reward file", "RewardFileNotFoundError"),
)
"""What the fork says of a verification that failed, with the exception that the official runner raises then."""

_EXIT = re.compile(r"exited with code -?\d{1,4}\b", re.IGNORECASE)


def read_harbor_multiturn(
    source: Path, options: ImportOptions, tasks: Path | None = None
) -> Incoming:
    """Read the runs in a folder, each by what kind of run it was.

    Every agent becomes a bundle. Its attempts are numbered in the order of their jobs' and their own names; the tries
    of a fan-out count as the attempts of one job. Rounds that were run from the reference state stand beside them.

    Raises:
        ProblemsError: The runs can't be used as they stand; carries every problem, warnings included.
        UsageError: The agent that is asked for is not here, or the folder of the tasks is none.
    """
    report, tree = Report(source), Tree(source)
    agents, ran = gathered(tree, tasks, options, report)
    report.stop_at_errors()
    if not agents:
        report.stop_at_nothing(rules.NOTHING_FOUND, report.notes[0])
    ids, sampled = list(ran), any(rounds for agent in agents for rounds in agent.samples.values())
    for agent in agents:
        _check_agent(agent, ran if sampled else {}, ids, report)
    made = [
        tries
        for agent in agents
        for told in (agent.tries, agent.surplus)
        for tries in told.values()
    ]
    has_plain = any(each.whole for tries in made for each in tries)
    for agent in agents:
        if agent.fan_outs and has_plain:
            report.doubt(rules.TOPOLOGIES, report.root, Spot(agent.entrant), "branches of fan-outs")

    runs = {run.path: run for agent in agents for run in agent.runs}
    scorer = Scorer(
        report, Pace(len(runs), options.watch), {run.author.model for run in runs.values()}
    )
    recorder = Recorder(tree, scorer)
    told = [recorder.told(agent, ran.values()) for agent in agents]
    report.stop_at_errors()
    scorer.settle(told)
    found = replace(
        benchmark_of(report, [scorer.cases.task(each) for each in ran.values()], options),
        summary="Harbor's multi-turn fork: one session a run, which ends with the first round that it does not pass.",
        protocol="fail-stop",
        columns=columns_of("fail-stop", reference=sampled),
        has_picked_tasks=True,
        runs=told,
    )
    incoming = found.imported(replace(options, reasoning=None))
    pairs = list(zip(agents, incoming.drafts, strict=True))
    return replace(
        incoming,
        findings=tuple(each for agent, draft in pairs for each in agent.findings(draft, ids)),
        notes=(
            *incoming.notes,
            *(note for agent, draft in pairs for note in agent.notes(draft.id, report)),
        ),
    )


def recognise(tree: Tree) -> str | None:
    """What tells of the fork: a run."""
    return tree.example(
        "runs of Harbor's multi-turn fork", (each.path for each in survey_of(tree, passed_over)[0])
    )


FORMAT = Format(
    read_harbor_multiturn,
    "fail-stop",
    extras=frozenset({"tasks", "scale", "no_instructions"}),
    recognise=recognise,
)


def gathered(
    tree: Tree, tasks: Path | None, options: ImportOptions, report: Report
) -> tuple[list[AgentRuns], dict[str, Task]]:
    """Gather what counts: runs told apart by kind, each with its agent, its task and its rounds.

    Returns:
        The agents that are asked for, in the order of their names; and the tasks that anybody ran, by id, in the order
        of their ids.
    """
    folders, definitions, skipped = survey_of(tree, passed_over)
    runs = without_copies([_read_run(folder, tree, report) for folder in folders], report)
    report.problems += tree.problems()
    lineage = Lineage.of(runs)
    kinds = {run.path: kind_of(run, lineage) for run in runs}
    _note_kinds(runs, kinds, report)
    for why, paths in skipped.items():
        report.passed_over(why, paths)
    counting = [run for run in runs if not KINDS[kinds[run.path]][1]]
    defined = report.take(
        read_tasks(definitions, tasks, with_requests=options.instructions is not False)
    )
    placed = _assigned(counting, defined, report)
    if options.task_names:
        counting, placed = _asked_for(counting, placed, options, report)
    wanted = _of_model(counting, options, report)
    agents = []
    by_entrant = _by_entrant(wanted, options)
    run_filter = _RunFilter(
        placed, options, report, has_names=any(entrant.name for entrant in by_entrant)
    )
    for entrant, own in by_entrant.items():
        by_task = run_filter.by_task(entrant, own, kinds)
        if by_task:
            agents.append(AgentRuns.of(entrant, by_task, lineage))
    run_filter.settle()
    agents = [agent for agent in agents if agent.runs]
    ran = set(placed.task_of.values())
    for name in placed.tasks if agents else ():
        if name not in ran:
            idle = rules.TASKS_LEFT_OUT if options.allow_missing else rules.TASK_NOT_RUN
            report.doubt(idle, report.root, name)
    return agents, {name: task for name, task in placed.tasks.items() if name in ran}


def _read_run(folder: Folder, tree: Tree, report: Report) -> Run:
    """Return a run; parts of its files that can't be used are reported."""
    run, problems = read_run(folder, tree)
    place = report.name(folder.path)
    for problem in problems:
        if problem.code == rules.FILE_SHAPE.code:
            report.doubt(rules.FILE_SHAPE, problem.path, Spot(None, place, place), problem.what)
        else:
            report.problems.append(problem)
    return run


def without_copies(runs: Sequence[Run], report: Report) -> list[Run]:
    """Return each run once; a job may lie in a source twice, for instance in a backup."""
    names = Counter((run.path.name, run.job[-1:]) for run in runs)
    known = set[object]()
    kept: list[Run] = []
    copies: list[Path] = []
    for run in runs:
        identity = _identity(run) if names[run.path.name, run.job[-1:]] > 1 else run.path
        if identity in known:
            copies.append(run.path)
        else:
            known.add(identity)
            kept.append(run)
    report.passed_over("a copy of a run that is here already", copies)
    return kept


def _identity(run: Run) -> object:
    """Return what only copies of a run have in common with it."""
    content = digest_of(filter(None, (run.folder.file("result.json"), run.verifier.file(ROWS))))
    if content is None:
        return run.path
    return content, run.author.name, run.task_names, run.job[-1:], run.path.name


def _note_kinds(runs: Sequence[Run], kinds: Mapping[Path, Kind], report: Report) -> None:
    """Say how many runs of which kind there are, and which of them do not count."""
    by_kind: dict[Kind, list[Run]] = {kind: [] for kind in KINDS}
    for run in runs:
        by_kind[kinds[run.path]].append(run)
    nouns = [
        counted(len(by_kind[kind]), noun) for kind, (noun, *_) in KINDS.items() if by_kind[kind]
    ]
    report.notes.append(
        f"found {counted(len(runs), 'run')}: {', '.join(nouns) or 'none that counts'}"
    )
    for kind, (_, why, rule) in KINDS.items():
        if why:
            report.passed_over(why, [run.path for run in by_kind[kind]])
        if rule:
            _doubt_runs(rule, by_kind[kind], report)


def _of_model(runs: Sequence[Run], options: ImportOptions, report: Report) -> list[Run]:
    """Return the runs of the model that is asked for.

    Raises:
        UsageError: There are none, or one name is given to several agents.
    """
    wanted = [run for run in runs if is_asked_for(run.models, options, KNOWN)]
    if runs:
        asked = {named(run.author.name) for run in wanted}
        check_asked_for(asked, {named(run.author.name) for run in runs}, options)
    taken = {run.path for run in wanted}
    left = [run.path for run in runs if run.path not in taken]
    report.passed_over("another model than the one asked for", left)
    return wanted


def _by_entrant(runs: Sequence[Run], options: ImportOptions) -> dict[Entrant, list[Run]]:
    """Return runs by who made them, in the order of the agents' names."""
    roster = Roster.chosen(sorted({named(run.author.name) for run in runs}), options)
    names = {run.path: options.agent or roster.one_name(named(run.author.name)) for run in runs}
    authors = completed({run.path: replace(run.author, name=names[run.path]) for run in runs})
    by_entrant = grouped((authors[run.path].entrant(names[run.path], options), run) for run in runs)
    return dict(sorted(by_entrant.items()))


@dataclass(frozen=True, slots=True)
class Placed:
    """Which task each run was about."""

    task_of: Mapping[Path, str]
    """Id of a run's task, by the run's folder."""
    tasks: Mapping[str, Task]
    """Every task that is defined or was run, as far as its rounds are known, by its id."""


def _asked_for(
    runs: Sequence[Run], placed: Placed, options: ImportOptions, report: Report
) -> tuple[list[Run], Placed]:
    """Return the runs of the tasks that are asked for, by ids or titles, and these tasks.

    Raises:
        UsageError: There is no task of such a name.
    """
    ids = {task.title: name for name, task in placed.tasks.items() if task.title}
    ids |= {name: name for name in (*placed.tasks, *placed.task_of.values())}
    unknown = [name for name in options.task_names if name not in ids]
    if unknown:
        there = listed(sorted(set(ids.values()))) or "none"
        raise UsageError(f"the source has no task {one_line(unknown[0])}; it has: {there}")
    asked = {ids[name] for name in options.task_names}
    kept = [run for run in runs if placed.task_of.get(run.path) in asked]
    paths = {run.path for run in kept}
    report.passed_over(
        "another task than those asked for", [run.path for run in runs if run.path not in paths]
    )
    task_of = {path: name for path, name in placed.task_of.items() if path in paths}
    return kept, Placed(
        task_of, {name: task for name, task in placed.tasks.items() if name in asked}
    )


@dataclass(slots=True)
class _RunFilter:
    """Finds out which runs have the rounds of their task, and what is wrong with the others."""

    placed: Placed
    options: ImportOptions
    report: Report
    has_names: bool
    """Whether any agent has a name: then a run that names none is left out."""
    rewards: list[tuple[float, Path]] = field(default_factory=list)
    strange: list[tuple[str, Run, str]] = field(default_factory=list)
    """Runs with rounds that their task does not have, by task, and what they have."""
    fitting: set[str] = field(default_factory=set)
    """Tasks that some run fits."""

    def by_task(
        self, entrant: Entrant, runs: Sequence[Run], kinds: Mapping[Path, Kind]
    ) -> dict[str, Mapping[Kind, Sequence[Run]]]:
        """Return an agent's runs that count by task and kind, with their rounds."""
        by_task: defaultdict[str, defaultdict[Kind, list[Run]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for run in runs:
            kind = kinds[run.path]
            whole = self._usable(run, kind, entrant)
            if whole is not None:
                by_task[self.placed.task_of[run.path]][kind].append(whole)
        return dict(sorted(by_task.items()))

    def settle(self) -> None:
        """Say what is wrong, once all runs are known."""
        for name, run, what in self.strange:
            rule = kit_rules.LEFT_OUT if name in self.fitting else rules.ROUND_UNKNOWN
            place = self.report.name(run.path)
            self.report.doubt(rule, run.path, Spot(None, place, place), what)
        check_range(self.rewards, self.report, self.options.scale, "a round")
        if self.options.scale is not None:
            assume_scale(self.options.scale, self.report)

    def _usable(self, run: Run, kind: Kind, entrant: Entrant) -> Run | None:
        """Return a run with its rounds; None where it can't be counted."""
        report, where = self.report, self.report.name(run.path)
        name = self.placed.task_of.get(run.path, "")
        task = self.placed.tasks.get(name)
        if not entrant.name and self.has_names:
            report.doubt(
                kit_rules.LEFT_OUT,
                run.path,
                Spot(None, where, where),
                "nothing tells which agent made it",
            )
            return None
        if not entrant.name:
            report.doubt(rules.AGENT_UNKNOWN, run.path, where)
        if task is None and not name and self.placed.tasks:
            report.doubt(
                kit_rules.LEFT_OUT,
                run.path,
                Spot(None, where, where),
                "nothing tells which task was run",
            )
            return None
        if task is None:
            report.doubt(rules.TASK_UNKNOWN, run.path, where, name)
            return None
        whole = with_rounds(run, Spot(entrant, task.id, where), report, self.options.scale)
        rounds = len(task.rounds)
        farthest = max((row.round for row in run.listed or ()), default=0)
        if farthest > rounds:
            what = f"the run has a round {farthest}, but {task.id} has {counted(rounds, 'round')}"
            self.strange.append((name, run, what))
            return None
        self.fitting.add(name)
        if not whole.own and kind != "sample":
            report.doubt(rules.UNFINISHED, run.path, where)
            return None
        if kind in {"attempt", "resume"} and (run.last or rounds) < rounds:
            report.doubt(
                rules.CAPPED, run.path, where, f"told to end after round {run.last} of {rounds}"
            )
            return None
        for row in whole.rounds.values():
            if row.verdict is not None:
                self.rewards.append((row.verdict, run.path))
        return whole


def _assigned(runs: Sequence[Run], defined: Tasks, report: Report) -> Placed:
    """Find each run its task; never by the name of its folder, which is cut.

    How many rounds a task has follows, where its definition is missing, from the runs that were to go through all of
    them: they state where the rounds that they were scored on end.
    """
    task_of: dict[Path, str] = {}
    for run in runs:
        definition = defined.find([*run.task_names, *reversed(run.job)])
        if definition is not None:
            task_of[run.path] = definition.task.id
        elif run.task_names:
            task_of[run.path] = task_id(run.task_names[0])
    tasks = {
        name: definition.task for name, definition in defined.by_id.items() if definition.is_chain
    }
    for name in sorted(set(task_of.values()) - tasks.keys()):
        last = max(run.window_end or 0 for run in runs if task_of.get(run.path) == name)
        if last:
            tasks[name] = Task(name, tuple(TaskRound(number) for number in range(1, last + 1)))
            report.doubt(
                rules.ROUNDS_ASSUMED, report.root, Spot(None, name, name), counted(last, "round")
            )
    return Placed(task_of, dict(sorted(tasks.items())))


def _check_agent(
    agent: AgentRuns, sampled: Mapping[str, Task], tasks: Sequence[str], report: Report
) -> None:
    """Say what of an agent's runs does not count, and what is missing."""
    entrant = agent.entrant
    if not agent.tries:
        report.doubt(rules.ATTEMPTS_NONE, report.root, Spot(entrant))
    else:
        surplus = {task: len(tries) for task, tries in agent.surplus.items()}
        for rule, word, numbers in (
            (rules.ATTEMPTS_ABOVE, "more", surplus),
            (rules.ATTEMPTS_BELOW, "fewer", agent.missing(tasks)),
        ):
            for task, number in numbers.items():
                what = f"{number} {word} than the {counted(agent.made, 'attempt')} at most tasks"
                report.doubt(rule, report.root, Spot(entrant, task), what)
    for rule, runs in agent.doubtful.items():
        _doubt_runs(rule, runs, report, entrant)
    for task, several in agent.fan_outs.items():
        for levels in (
            each.levels for each in several if len(set(map(len, each.levels.values()))) > 1
        ):
            told = ", ".join(f"{len(level)} in round {number}" for number, level in levels.items())
            report.doubt(rules.FAN_OUT_UNEVEN, report.root, Spot(entrant, task), f"runs: {told}")
    for about in sampled.values():
        missing = [
            str(each.n) for each in about.rounds if each.n not in agent.samples.get(about.id, ())
        ]
        if missing:
            report.doubt(
                rules.SAMPLE_MISSING,
                report.root,
                Spot(entrant, about.id),
                f"round {', '.join(missing)}",
            )


def _doubt_runs(
    rule: Rule, runs: Iterable[Run], report: Report, entrant: Entrant | None = None
) -> None:
    for run in runs:
        name = report.name(run.path)
        report.doubt(rule, run.path, Spot(entrant, words=name) if entrant else name)


def cause_of(row: RowFile, exception: str | None) -> str:
    """Why a round was reached and not judged, in words of our own: the fork's hold paths and tracebacks."""
    status = row.status or ""
    if status.startswith(VERIFICATION_ERROR):
        named = next(
            (cause_of_exception(name) for words, name in _ERRORS if words in status.casefold()),
            None,
        )
        code = _EXIT.search(status)
        return named or (f"the verifier {code[0].lower()}" if code else "the verifier failed")
    if status == LISTED_TWICE:
        return "the run lists the round twice, with different outcomes"
    if status == "agent_timeout":
        return cause_of_exception("AgentTimeoutError") or status
    told = "the agent failed" if status == "agent_error" else "the verifier left no reward"
    return cause_of_exception(exception) or told


@dataclass(slots=True)
class Recorder:
    """Makes the records of an import."""

    tree: Tree
    scorer: Scorer
    _transcripts: dict[Path, Trajectory] = field(default_factory=dict)

    def told(self, agent: AgentRuns, tasks: Iterable[Task]) -> AgentRun:
        """What an agent's runs came to, task by task: its attempts, then its rounds from the reference state."""
        report, runs, entrant = self.scorer.report, agent.runs, agent.entrant
        # Of their times only the days are told: some runs were timed without a zone.
        began = [run.began.date() for run in runs if run.began]
        ended = [run.ended.date() for run in runs if run.ended]
        found = AgentRun(
            report.root,
            entrant,
            facts={
                "model": only({named(run.author.model or run.author.name) for run in runs}),
                "scaffold_version": only({run.author.version for run in runs}),
            },
            day=max(filter(None, (run.day for run in runs)), default=None),
            attempts=agent.made,
            provenance=Provenance(
                harness="harbor-multiturn",
                started=min(began, default=None),
                finished=max(ended, default=None),
            ),
            files=self.transcripts(agent),
            parts=[run.path for run in runs],
        )
        for task in tasks:
            places: list[tuple[RoundResult, Cell]] = []
            for attempt, each in enumerate(agent.tries.get(task.id, ()), start=1):
                places += [
                    (unreached(task.id, attempt, number), cell)
                    for number, cell in each.cells.items()
                ]
                if each.whole:  # the figures of a fan-out stand with its rounds
                    found.figures += figures_of(task.id, attempt, asdict(each.whole.effort))
            sampled = sorted(agent.samples.get(task.id, {}).items())
            places += [
                (unreached(task.id, 1, n, start="reference"), Cell(run)) for n, run in sampled
            ]
            for blank, cell in places:
                if blank.round <= len(task.rounds):
                    found.add(self.record(blank, cell, entrant))
        check_calls(found.results.values(), report.root, entrant, report)
        found.failures = self.scorer.failures[entrant]
        return found

    def work_of(self, run: Run) -> Folder:
        """Where a run's agent left its files."""
        return self.tree.inner(run.folder, "agent")

    def transcripts(self, agent: AgentRuns) -> dict[tuple[str, int, int], Path]:
        """Those of an agent's tries: of each attempt, or of each round where fan-outs have them."""
        runs = {
            (task, attempt, number): run
            for task, tries in agent.tries.items()
            for attempt, each in enumerate(tries, start=1)
            for number, run in (
                [(number, cell.run) for number, cell in each.cells.items()]
                if agent.fan_outs
                else [(0, each.whole or each.head)]
            )
        }
        return {
            place: path
            for place, run in runs.items()
            for path in trajectory_files(self.work_of(run))[:1]
        }

    def record(self, blank: RoundResult, cell: Cell, entrant: Entrant) -> RoundResult:
        """How a round of an entrant went, which is left blank as never reached where nothing is known of it."""
        run = cell.run
        row = run.rounds.get(blank.round)
        if row is None:
            return blank
        if run.path not in self._transcripts:
            self._transcripts[run.path] = found = transcribed(self.work_of(run), self.scorer.report)
            self.scorer.check(
                found, run.author.model, run.path, Spot(entrant, run.path.name, run.path.name)
            )
            self.scorer.pace.step()
        effort = effort_of_round(cell, blank.round, self._transcripts[run.path])
        measures = {PARENT: float(cell.parent)} if cell.parent else None
        worked = replace(blank, **asdict(effort), measures=measures)
        if row.verdict is None:
            return replace(worked, state="aborted", cause=cause_of(row, run.exception))
        verdict = replace(worked, state="scored", reward=row.verdict, passed=None, total=None)
        # The file without a round's number is that of the last round that was verified.
        log = run.verifier.file(f"round_{blank.round}_test-stdout.txt")
        verdict = replace(verdict, grader_digest=digest_of([log] if log else ()))
        cases = self.scorer.report.take(read_cases(log))
        words = f"round {blank.round} of {blank.task} ({run.path.name})"
        return self.scorer.scored(verdict, cases, replace(spot_of(blank, entrant), words=words))


def effort_of_round(cell: Cell, number: int, transcript: Trajectory) -> Effort:
    """What one round took.

    Figures that are known for a run as a whole are a round's only where the run went through no other round. From
    these, what the run before it took is taken away, unless the agent began to count anew: one figure is smaller then.
    """
    run = cell.run
    steps = transcript.by_round.get(number, Effort())
    if not any(each.interactions for each in transcript.by_round.values()):
        steps = replace(steps, interactions=None)
    whole = run.effort
    if not run.is_single or number != run.start:
        return steps.beside(whole, lambda told, of_run: told if of_run is None else None)
    if cell.before:

        def less(late: Figure, early: Figure) -> Figure:
            return late if late is None or early is None else late - early

        rest = whole.beside(cell.before.effort, less)
        is_anew = any(figure is not None and figure < 0 for figure in asdict(rest).values())
        whole = whole if is_anew else rest
    return whole.or_else(steps)
