"""Import the run folders of Harbor's multi-turn fork as bundles."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sitegen.importers.harbor.authors import complete_authors
from sitegen.importers.harbor.rounds import RoundScorer
from sitegen.importers.harbor.tasks import Tasks, benchmark_of, read_tasks, task_id
from sitegen.importers.harbor.trials import survey_folders
from sitegen.importers.harbor.verdicts import assume_scale, check_range
from sitegen.importers.harbor_multiturn import rules
from sitegen.importers.harbor_multiturn.kinds import KINDS, Kind, Lineage, classify_folder, kind_of
from sitegen.importers.harbor_multiturn.recorder import Recorder
from sitegen.importers.harbor_multiturn.rounds import add_rounds
from sitegen.importers.harbor_multiturn.runs import ROWS, ForkRun, read_run
from sitegen.importers.harbor_multiturn.submissions import (
    MultiturnSubmission,
    RunsByKind,
    build_submission,
)
from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import (
    KNOWN,
    Entrant,
    Roster,
    check_asked_for,
    is_asked_for,
    named,
)
from sitegen.importers.kit.options import Format, ImportOptions, Pace
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report, Spot
from sitegen.importers.kit.tree import Folder, Tree, digest_of
from sitegen.metrics.catalogue import columns_of
from sitegen.models.finding import Finding
from sitegen.models.incoming import Incoming
from sitegen.models.task import Task, TaskRound
from sitegen.problems import Rule, UsageError, counted, grouped, listed

_SUMMARY = (
    "Harbor's multi-turn fork: one session a run, which ends with the first round that it does "
    "not pass."
)


def read_harbor_multiturn(
    source: Path, options: ImportOptions, tasks: Path | None = None
) -> Incoming:
    """Read the runs in a folder, each by what kind of run it was.

    Every agent becomes one bundle. Its attempts are numbered in the order of their jobs and names;
    those of a fan-out count as attempts of one job. Rounds that were run from the reference state
    are recorded beside them.

    Raises:
        ProblemsError: The runs can't be used; carries every problem, warnings included.
        UsageError: The agent that is asked for has no runs, or the tasks' folder does not exist.
    """
    report = Report(source)
    tree = Tree(source)
    submissions, run_tasks = _read_submissions(tree, tasks, options, report)
    report.stop_at_errors()
    if not submissions:
        report.stop_at_nothing(rules.NOTHING_FOUND, report.notes[0])
    has_samples = any(submission.sample_count for submission in submissions)
    for submission in submissions:
        _check_attempts(submission, list(run_tasks), report)
        if has_samples:
            _check_samples(submission, run_tasks.values(), report)
    _check_topologies(submissions, report)

    runs: dict[Path, ForkRun] = {}
    for submission in submissions:
        runs |= {run.path: run for run in submission.runs}
    models = {run.author.model for run in runs.values()}
    scorer = RoundScorer(report, Pace(len(runs), options.watch), models)
    recorder = Recorder(tree, scorer)
    recorded = [recorder.record(submission, run_tasks.values()) for submission in submissions]
    report.stop_at_errors()
    scorer.finish(recorded)
    complete_tasks = [scorer.cases.task(task) for task in run_tasks.values()]
    track = replace(
        benchmark_of(report, complete_tasks, options),
        summary=_SUMMARY,
        protocol="fail-stop",
        columns=columns_of("fail-stop", reference=has_samples),
        has_picked_tasks=True,
        runs=recorded,
    )
    # The reasoning settings are part of the agents already.
    incoming = track.imported(replace(options, reasoning=None))
    findings: list[Finding] = []
    notes = list(incoming.notes)
    for submission, draft in zip(submissions, incoming.drafts, strict=True):
        findings += submission.findings(draft, run_tasks)
        notes += submission.notes(draft.id, report)
    return replace(incoming, findings=tuple(findings), notes=tuple(notes))


def recognise(tree: Tree) -> str | None:
    """Return what shows that a source is the fork's: a run; None where there is none."""
    survey = survey_folders(tree, classify_folder)
    paths = (folder.path for folder in survey.run_folders)
    return tree.example("runs of Harbor's multi-turn fork", paths)


FORMAT = Format(
    read_harbor_multiturn,
    "fail-stop",
    extras=frozenset({"tasks", "scale", "no_instructions"}),
    recognise=recognise,
)


def _read_submissions(
    tree: Tree, tasks: Path | None, options: ImportOptions, report: Report
) -> tuple[list[MultiturnSubmission], dict[str, Task]]:
    """Return the submissions of the agents that are asked for, and the tasks that were run.

    Submissions are in the order of their agents' names, tasks by id in the order of their ids.
    """
    survey = survey_folders(tree, classify_folder)
    all_runs = [_read_run(folder, tree, report) for folder in survey.run_folders]
    runs = _drop_copies(all_runs, report)
    report.problems += tree.problems()
    lineage = Lineage.from_runs(runs)
    kinds = {run.path: kind_of(run, lineage) for run in runs}
    _report_kinds(runs, kinds, report)
    for reason, paths in survey.skipped.items():
        report.passed_over(reason, paths)
    counting = [run for run in runs if not KINDS[kinds[run.path]].skip_reason]
    has_requests = options.instructions is not False
    defined = report.take(read_tasks(survey.task_files, tasks, with_requests=has_requests))
    assignment = _assign_tasks(counting, defined, report)
    if options.task_names:
        counting, assignment = _select_tasks(counting, assignment, options, report)
    by_entrant = _group_by_entrant(_select_model(counting, options, report), options)
    has_names = any(entrant.name for entrant in by_entrant)
    run_filter = _RunFilter(assignment, options, report, has_names)
    submissions = []
    for entrant, agent_runs in by_entrant.items():
        runs_by_task = run_filter.select_runs(entrant, agent_runs, kinds)
        submission = build_submission(entrant, runs_by_task, lineage)
        if submission.runs:
            submissions.append(submission)
    run_filter.finish()
    run_task_ids = set(assignment.task_ids.values())
    if submissions:
        idle_rule = rules.TASKS_LEFT_OUT if options.allow_missing else rules.TASK_NOT_RUN
        for name in assignment.tasks:
            if name not in run_task_ids:
                report.doubt(idle_rule, report.root, name)
    run_tasks = {name: task for name, task in assignment.tasks.items() if name in run_task_ids}
    return submissions, run_tasks


def _read_run(folder: Folder, tree: Tree, report: Report) -> ForkRun:
    """Return a run; the problems of its files are reported."""
    run, problems = read_run(folder, tree)
    name = report.name(folder.path)
    for problem in problems:
        if problem.code == rules.FILE_SHAPE.code:
            report.doubt(rules.FILE_SHAPE, problem.path, Spot(None, name, name), problem.what)
        else:
            report.problems.append(problem)
    return run


def _drop_copies(runs: Sequence[ForkRun], report: Report) -> list[ForkRun]:
    """Return each run once: a job may lie in a source twice, for instance in a backup."""
    name_counts = Counter((run.path.name, run.job[-1:]) for run in runs)
    identities: set[object] = set()
    distinct: list[ForkRun] = []
    copies: list[Path] = []
    for run in runs:
        is_unique = name_counts[run.path.name, run.job[-1:]] == 1
        identity = run.path if is_unique else _identify(run)
        if identity in identities:
            copies.append(run.path)
        else:
            identities.add(identity)
            distinct.append(run)
    report.passed_over("a copy of a run that is here already", copies)
    return distinct


def _identify(run: ForkRun) -> object:
    """Return a value that only copies of a run share with it."""
    files = (run.folder.file("result.json"), run.verifier.file(ROWS))
    content = digest_of(filter(None, files))
    if content is None:
        return run.path
    return content, run.author.name, run.task_names, run.job[-1:], run.path.name


def _report_kinds(runs: Sequence[ForkRun], kinds: Mapping[Path, Kind], report: Report) -> None:
    """Report how many runs of which kind there are, and which of them do not count."""
    by_kind = grouped((kinds[run.path], run) for run in runs)
    counts = [counted(len(by_kind[kind]), KINDS[kind].noun) for kind in KINDS if by_kind[kind]]
    kinds_found = ", ".join(counts) or "none that counts"
    report.notes.append(f"found {counted(len(runs), 'run')}: {kinds_found}")
    for kind, info in KINDS.items():
        if info.skip_reason:
            paths = [run.path for run in by_kind[kind]]
            report.passed_over(info.skip_reason, paths)
        if info.rule:
            _doubt_runs(info.rule, by_kind[kind], report)


def _doubt_runs(
    rule: Rule, runs: Iterable[ForkRun], report: Report, entrant: Entrant | None = None
) -> None:
    """Report runs that break a rule, to the readers of an agent's bundle where one is given."""
    for run in runs:
        name = report.name(run.path)
        report.doubt(rule, run.path, Spot(entrant, words=name) if entrant else name)


@dataclass(frozen=True, slots=True)
class TaskAssignment:
    """The task of each run."""

    task_ids: Mapping[Path, str]
    """By the run's folder."""
    tasks: Mapping[str, Task]
    """Every task whose rounds are known, by id, defined or only run."""


def _assign_tasks(runs: Sequence[ForkRun], defined: Tasks, report: Report) -> TaskAssignment:
    """Return the task of each run, which is not found by the run's folder: its name is cut.

    Without a definition, the number of a task's rounds is the last round on which complete runs
    state that they were scored.
    """
    task_ids: dict[Path, str] = {}
    last_rounds: dict[str, int] = {}
    for run in runs:
        definition = defined.find([*run.task_names, *reversed(run.job)])
        if definition is not None:
            name = definition.task.id
        elif run.task_names:
            name = task_id(run.task_names[0])
        else:
            continue
        task_ids[run.path] = name
        last_rounds[name] = max(last_rounds.get(name, 0), run.window_end or 0)
    tasks = {name: chain.task for name, chain in defined.by_id.items() if chain.is_chain}
    for name in sorted(last_rounds.keys() - tasks.keys()):
        round_count = last_rounds[name]
        if round_count:
            rounds = tuple(TaskRound(number) for number in range(1, round_count + 1))
            tasks[name] = Task(name, rounds)
            spot = Spot(None, name, name)
            report.doubt(rules.ROUNDS_ASSUMED, report.root, spot, counted(round_count, "round"))
    return TaskAssignment(task_ids, dict(sorted(tasks.items())))


def _select_tasks(
    runs: Sequence[ForkRun], assignment: TaskAssignment, options: ImportOptions, report: Report
) -> tuple[list[ForkRun], TaskAssignment]:
    """Return the runs of the tasks that are asked for, by id or title, and these tasks.

    Raises:
        UsageError: There is no task of such a name.
    """
    all_ids = [*assignment.tasks, *assignment.task_ids.values()]
    ids = {task.title: name for name, task in assignment.tasks.items() if task.title}
    ids |= dict(zip(all_ids, all_ids, strict=True))
    for name in options.task_names:
        if name not in ids:
            names = listed(sorted(set(ids.values()))) or "none"
            raise UsageError(f"the source has no task {one_line(name)}; it has: {names}")
    asked_ids = {ids[name] for name in options.task_names}
    selected = [run for run in runs if assignment.task_ids.get(run.path) in asked_ids]
    _report_skipped(runs, selected, "another task than those asked for", report)
    task_ids = {path: name for path, name in assignment.task_ids.items() if name in asked_ids}
    tasks = {name: task for name, task in assignment.tasks.items() if name in asked_ids}
    return selected, TaskAssignment(task_ids, tasks)


def _select_model(runs: Sequence[ForkRun], options: ImportOptions, report: Report) -> list[ForkRun]:
    """Return the runs of the model that is asked for.

    Raises:
        UsageError: There are none, or one name is given to several agents.
    """
    selected = [run for run in runs if is_asked_for(run.models, options, KNOWN)]
    if runs:
        check_asked_for(_author_names(selected), _author_names(runs), options)
    _report_skipped(runs, selected, "another model than the one asked for", report)
    return selected


def _report_skipped(
    runs: Iterable[ForkRun], selected: Iterable[ForkRun], reason: str, report: Report
) -> None:
    """Report the runs that were not selected."""
    selected_paths = {run.path for run in selected}
    skipped = [run.path for run in runs if run.path not in selected_paths]
    report.passed_over(reason, skipped)


def _author_names(runs: Iterable[ForkRun]) -> list[str]:
    """Return the distinct names of the models of runs, sorted."""
    names = {named(run.author.name) for run in runs}
    return sorted(names)


def _group_by_entrant(
    runs: Sequence[ForkRun], options: ImportOptions
) -> dict[Entrant, list[ForkRun]]:
    """Return runs by agent, in the order of the agents' names."""
    roster = Roster.chosen(_author_names(runs), options)
    names = {}
    authors = {}
    for run in runs:
        name = options.agent or roster.one_name(named(run.author.name))
        names[run.path] = name
        authors[run.path] = replace(run.author, name=name)
    complete = complete_authors(authors)
    by_entrant: defaultdict[Entrant, list[ForkRun]] = defaultdict(list)
    for run in runs:
        entrant = complete[run.path].entrant(names[run.path], options)
        by_entrant[entrant].append(run)
    return dict(sorted(by_entrant.items()))


@dataclass(slots=True)
class _RunFilter:
    """Selects the runs whose task and rounds are known, and reports the others."""

    assignment: TaskAssignment
    options: ImportOptions
    report: Report
    has_names: bool
    """Whether any agent has a name: then a run without one is left out."""
    rewards: list[tuple[float, Path]] = field(default_factory=list)
    unfitting: list[tuple[str, ForkRun, str]] = field(default_factory=list)
    """Runs with rounds that their task does not have: the task, the run, and a message."""
    fitting_tasks: set[str] = field(default_factory=set)
    """Tasks whose rounds some run fits."""

    def select_runs(
        self, entrant: Entrant, runs: Iterable[ForkRun], kinds: Mapping[Path, Kind]
    ) -> dict[str, RunsByKind]:
        """Return an agent's runs that count with their rounds, by task and kind."""
        runs_by_task: defaultdict[str, list[tuple[Kind, ForkRun]]] = defaultdict(list)
        for run in runs:
            kind = kinds[run.path]
            complete = self._complete_run(run, kind, entrant)
            if complete is not None:
                runs_by_task[self.assignment.task_ids[run.path]].append((kind, complete))
        return {task: grouped(task_runs) for task, task_runs in sorted(runs_by_task.items())}

    def finish(self) -> None:
        """Report runs with unknown rounds, and rewards outside 0 to 1."""
        for task, run, message in self.unfitting:
            rule = kit_rules.LEFT_OUT if task in self.fitting_tasks else rules.ROUND_UNKNOWN
            name = self.report.name(run.path)
            self.report.doubt(rule, run.path, Spot(None, name, name), message)
        check_range(self.rewards, self.report, self.options.scale, "a round")
        if self.options.scale is not None:
            assume_scale(self.options.scale, self.report)

    def _complete_run(self, run: ForkRun, kind: Kind, entrant: Entrant) -> ForkRun | None:
        """Return a run with its rounds; None where it does not count."""
        task = self._find_task(run, entrant)
        if task is None:
            return None
        name = self.report.name(run.path)
        spot = Spot(entrant, task.id, name)
        complete = add_rounds(run, spot, self.report, self.options.scale)
        round_count = len(task.rounds)
        farthest = max((row.round for row in run.listed_rounds or ()), default=0)
        if farthest > round_count:
            rounds = f"{task.id} has {counted(round_count, 'round')}"
            message = f"the run has a round {farthest}, but {rounds}"
            self.unfitting.append((task.id, run, message))
            return None
        self.fitting_tasks.add(task.id)
        if kind != "sample" and not complete.executed_rounds:
            self.report.doubt(rules.UNFINISHED, run.path, name)
            return None
        last_round = run.last_round or round_count
        if kind in {"attempt", "resume"} and last_round < round_count:
            message = f"told to end after round {last_round} of {round_count}"
            self.report.doubt(rules.CAPPED, run.path, name, message)
            return None
        verdicts = [row.verdict for row in complete.rounds.values()]
        self.rewards += [(verdict, run.path) for verdict in verdicts if verdict is not None]
        return complete

    def _find_task(self, run: ForkRun, entrant: Entrant) -> Task | None:
        """Return the task of a run; None where its agent or its task is not known."""
        name = self.report.name(run.path)
        if not entrant.name and self.has_names:
            self._leave_out(run, "nothing tells which agent made it")
            return None
        if not entrant.name:
            self.report.doubt(rules.AGENT_UNKNOWN, run.path, name)
        task_name = self.assignment.task_ids.get(run.path, "")
        if not task_name and self.assignment.tasks:
            self._leave_out(run, "nothing tells which task was run")
            return None
        task = self.assignment.tasks.get(task_name)
        if task is None:
            self.report.doubt(rules.TASK_UNKNOWN, run.path, name, task_name)
        return task

    def _leave_out(self, run: ForkRun, reason: str) -> None:
        name = self.report.name(run.path)
        self.report.doubt(kit_rules.LEFT_OUT, run.path, Spot(None, name, name), reason)


def _check_attempts(submission: MultiturnSubmission, tasks: Sequence[str], report: Report) -> None:
    """Report the attempts that an agent lacks or has too many, and runs that do not count."""
    entrant = submission.entrant
    if submission.attempts:
        surplus = {task: len(attempts) for task, attempts in submission.surplus.items()}
        missing = submission.missing_attempts(tasks)
        usual = counted(submission.attempt_count, "attempt")
        for task, number in surplus.items():
            message = f"{number} more than the {usual} at most tasks"
            report.doubt(rules.ATTEMPTS_ABOVE, report.root, Spot(entrant, task), message)
        for task, number in missing.items():
            message = f"{number} fewer than the {usual} at most tasks"
            report.doubt(rules.ATTEMPTS_BELOW, report.root, Spot(entrant, task), message)
    else:
        report.doubt(rules.ATTEMPTS_NONE, report.root, Spot(entrant))
    for rule, runs in submission.doubtful_runs.items():
        _doubt_runs(rule, runs, report, entrant)
    for task, fan_outs in submission.fan_outs.items():
        for fan_out in fan_outs:
            widths = {number: len(runs) for number, runs in fan_out.runs_by_round.items()}
            if len(set(widths.values())) > 1:
                counts = [f"{width} in round {number}" for number, width in widths.items()]
                message = f"runs: {', '.join(counts)}"
                report.doubt(rules.FAN_OUT_UNEVEN, report.root, Spot(entrant, task), message)


def _check_samples(submission: MultiturnSubmission, tasks: Iterable[Task], report: Report) -> None:
    """Report the rounds that an agent did not run from the reference state."""
    for task in tasks:
        samples = submission.samples.get(task.id, {})
        missing = [str(task_round.n) for task_round in task.rounds if task_round.n not in samples]
        if missing:
            spot = Spot(submission.entrant, task.id)
            message = f"round {', '.join(missing)}"
            report.doubt(rules.SAMPLE_MISSING, report.root, spot, message)


def _check_topologies(submissions: Sequence[MultiturnSubmission], report: Report) -> None:
    """Report fan-outs if any agent has plain attempts: the two do not compare."""
    if not any(submission.has_plain_attempts for submission in submissions):
        return
    for submission in submissions:
        if submission.fan_outs:
            spot = Spot(submission.entrant)
            report.doubt(rules.TOPOLOGIES, report.root, spot, "branches of fan-outs")
