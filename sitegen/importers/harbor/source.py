"""Imports the job and trial folders that Harbor writes: as bundles, the tracks these stand on, and the benchmark."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Literal

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.rounds import Scorer, attempt_of, graded, sample_of, with_told_targets
from sitegen.importers.harbor.runs import (
    AgentRuns,
    Pick,
    Place,
    Run,
    check_runs,
    counting_runs,
    identified,
    judged_again,
)
from sitegen.importers.harbor.tasks import AXES, TaskDefinition, benchmark_of, read_tasks
from sitegen.importers.harbor.trajectory import trajectory_files
from sitegen.importers.harbor.trials import read_trials, survey_of
from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import Roster, maker_of, only
from sitegen.importers.kit.cases import CaseLists, Results, unreached
from sitegen.importers.kit.claims import published_about
from sitegen.importers.kit.drafts import (
    bundle_names,
    finished,
    groupings_of,
    longer_id,
    omission_notes,
    title_of,
)
from sitegen.importers.kit.options import Format, ImportOptions, Pace
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report, Spot
from sitegen.importers.kit.told import moment
from sitegen.importers.kit.tree import Tree
from sitegen.metrics.catalogue import COMP, columns_of
from sitegen.metrics.failstop import GAP, MT_AT_K, SR
from sitegen.models.benchmark import Protocol, Track
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.outcome import RunFigures, Start
from sitegen.models.submission import Provenance, Submission
from sitegen.models.task import Task, TaskSet
from sitegen.problems import counted, listed

_APART = "-reference"
"""What the name of a track for rounds from the reference state ends with where another stands beside it."""

_SUMMARIES: dict[Protocol, str] = {
    "chain": "Harbor's multi-step format: every round is run and scored.",
    "fail-stop": "Harbor's multi-step format: a run ends with the first round that it does not pass.",
    "once": "Harbor's single-step format: all targets are graded at the end.",
}
_BESIDE_REFERENCE = "Harbor's multi-step format: every round is also run once from the reference solution's state."

_IDLE = "These tasks are defined, and the source has no runs of them"

_WITHOUT_TRIALS = ("no finished trial of an agent was found",)
_WITHOUT_TASKS = (
    "every trial was left out, as the task.toml of its task is not known",
    "name the folder of the tasks with `--tasks`",
)

_WITH_REFERENCE = tuple(metric.id for metric in (SR, MT_AT_K, GAP, COMP))

_VERIFIERS: Mapping[str, Literal["shared", "separate"]] = {"shared": "shared", "separate": "separate"}


def read_harbor(source: Path, options: ImportOptions, tasks: Path | None = None, pick: Pick = None) -> Incoming:
    """Read a folder that holds jobs of the runner Harbor, be it one job or EvoCode-Bench's nesting of them.

    Every agent becomes one bundle. The trials of a job are attempts. Scores are not taken from the runner: it
    leaves rounds without a verdict out of its means.

    Raises:
        UsageError: The agent or the folder that is asked for is not there.
        ProblemsError: The runs can't be used as they stand; carries every problem, warnings included.
    """
    report, tree = Report(source), Tree(source)
    folders, definitions, skipped = survey_of(tree)
    trials = read_trials(tree, folders, report)
    report.problems += tree.problems()
    defined = report.take(read_tasks(definitions, tasks, with_requests=options.instructions is not False))
    jobs = {trial.job.folder.path: trial.job for trial in trials}
    found = f"found: {counted(len(trials), 'trial')} in {counted(len(jobs), 'job')}"
    report.notes.append(f"{found}, and the definitions of {counted(len(defined.by_id), 'task')}")
    for why, paths in skipped.items():
        report.passed_over(why, paths)
    for path, job in jobs.items():
        if retries := job.result.n_retries:
            again = f"{counted(retries, 'trial')} run again; the runner keeps the last try only"
            report.notes.append(f"job {report.name(path)}: {again}")

    # The runs that count, by agent.
    identities, roster, names = identified(judged_again(trials, pick, report), defined, options, report)
    every = with_told_targets(identities, report)
    agents = counting_runs(every, pick, report)
    runs = [run for agent in agents for run in agent.runs.values()]
    check_runs(runs, report)
    if not agents:
        report.stop_at_errors()
        report.stop_at_nothing(
            rules.NOTHING_FOUND,
            *(_WITHOUT_TASKS if rules.TASK_LEFT_OUT in [doubt.rule for doubt in report.doubts] else _WITHOUT_TRIALS),
        )
    missing = [name for name in defined.by_id if name not in names]
    if missing and not any(doubt.rule is rules.TASK_UNKNOWN for doubt in report.doubts):
        rule = kit_rules.TASKS_LEFT_OUT if options.allow_missing else kit_rules.TASK_MISSING
        what = f"{len(missing)} of {len(defined.by_id)} tasks have no run: {', '.join(missing)}"
        fix = "add the runs, or import with `--allow-missing` to leave these tasks out of the task set"
        report.problems.append(rule.broken(report.root, None, what, None if options.allow_missing else fix))
    # Tasks that do not name their targets have those of the runs.
    known = dict(defined.by_id) | {run.task.task.id: run.task for run in every}
    ran = [known[name] for name in sorted(names)]

    # What they came to.
    scorer = Scorer(report, Pace(len(runs), options.watch), {run.trial.config.agent.model_name for run in every})
    agents = [_scored(agent, scorer) for agent in agents]
    report.notes += map(_note, agents)
    sources = ", ".join(f"{number:,} from {place}" for place, number in sorted(scorer.sources.items()))
    report.notes.append(f"rewards: {sources or 'none'}")
    task_set = task_set_of(options.track, ran, runs, scorer.cases, report)
    protocol = protocol_of(ran, report)

    # The bundles and the tracks that they stand on.
    boards = boards_of(agents, options.track)
    drafts = drafts_of(boards, task_set, roster, options, scorer)
    report.stop_at_errors()
    tracks = [track_of(board, protocol, task_set) for board in boards]
    return Incoming(
        benchmark_of(tracks, task_set.tasks, roster, options),
        (task_set,),
        drafts,
        omission_notes(missing, len(missing) + len(ran), _IDLE, drafts),
        report.all_problems(),
        tuple(report.notes),
    )


def recognise(tree: Tree) -> str | None:
    """What tells of the runner: a trial."""
    trials, _, _ = survey_of(tree)
    return f"trials of Harbor, such as {tree.shown(trials[0][1].path)}" if trials else None


FORMAT = Format(read_harbor, "official", extras=frozenset({"tasks", "pick", "no_instructions"}), recognise=recognise)


def _scored(agent: AgentRuns, scorer: Scorer) -> AgentRuns:
    """Find out what an agent's runs came to."""
    results: dict[Place, Results] = {}
    figures: list[RunFigures] = []
    for place, run in agent.runs.items():
        _, number, start = place
        if start == "reference":
            results[place] = sample_of(run, scorer)
        elif run.task.is_chain:
            results[place] = attempt_of(run, number, scorer)
        else:
            results[place], took = graded(run, number, scorer)
            figures += took
        scorer.pace.step()
    return replace(agent, results=results, figures=tuple(figures))


def _note(agent: AgentRuns) -> str:
    """What an agent ran, and how it was run, in a line."""
    trials, facts, made = [run.trial for run in agent.runs.values()], [], agent.made
    if made:
        facts.append(f"{counted(agent.attempts, 'attempt')} at {counted(len(made), 'task')}")
    if agent.sampled:
        facts.append(f"{counted(len(agent.sampled), 'round')} from the reference state")
    jobs = {one_line(each.job_id or "unknown") for each in trials}
    runners = {one_line(each.version or "of unknown version") for each in trials}
    return f"{agent.entrant}: {'; '.join(facts)}; job {listed(sorted(jobs))}; harbor {listed(sorted(runners))}"


@dataclass(frozen=True, slots=True)
class Board:
    """A track, and whose results go there."""

    track: str
    with_reference: bool
    agents: tuple[AgentRuns, ...]

    def runs_of(self, agent: AgentRuns) -> list[Run]:
        """The runs of an agent that a bundle here is made of."""
        return [run for run in agent.runs.values() if self.with_reference or run.sampled is None]


def boards_of(agents: Sequence[AgentRuns], track: str) -> list[Board]:
    """Say which track each agent's results go to.

    A track that has rounds from the reference state has them of each of its agents, and most agents have none:
    those that do stand on a track of their own, with all of their runs.
    """
    own = tuple(agent for agent in agents if agent.made)
    sampled = tuple(agent for agent in agents if agent.sampled)
    apart = f"{track}{_APART}" if own else track
    boards = (Board(track, with_reference=False, agents=own), Board(apart, with_reference=True, agents=sampled))
    return [board for board in boards if board.agents]


def drafts_of(
    boards: Sequence[Board], task_set: TaskSet, roster: Roster, options: ImportOptions, scorer: Scorer
) -> tuple[Draft, ...]:
    """Make one bundle an agent and board; those of a board stand together."""
    report, drafts = scorer.report, []
    entries = [(board, agent) for board in boards for agent in board.agents]
    results = [_expected(board, agent, task_set.tasks, options, scorer) for board, agent in entries]
    names = [entrant.name for entrant in dict.fromkeys(agent.entrant for _, agent in entries)]
    stated = report.take(published_about(names, options, roster.spellings))
    for (board, agent), every in zip(entries, results, strict=True):
        about = stated.get(agent.entrant.name)
        if about and board.track != options.track:
            about = replace(about, claims=None)  # they are about the runs from a task's beginning
        submission = _submission(board, agent, task_set.digest, options, report)
        told = Draft("", submission, every.rounds, agent.figures, every.failures, transcripts_of(agent))
        drafts.append(finished(told, about))
    ids: list[str] = []
    for track, several in groupby((draft.submission for draft in drafts), key=lambda each: each.track):
        named = bundle_names([(each.date, each.agent) for each in several])
        # An agent's bundle on a second track lies beside the one on the first.
        ids += named if track == options.track else [longer_id(name, _APART) for name in named]
    # Caveats are told once everything is known that had to be assumed.
    for number, ((board, agent), name) in enumerate(zip(entries, ids, strict=True)):
        starts: Sequence[Start] = ("own", "reference") if board.with_reference else ("own",)
        caveats = report.caveats(agent.entrant, [run.trial.path for run in board.runs_of(agent)], starts)
        submission = drafts[number].submission.model_copy(update={"caveats": caveats})
        drafts[number] = replace(drafts[number], id=name, submission=submission)
    return tuple(drafts)


def transcripts_of(agent: AgentRuns) -> dict[tuple[str, int, int], Path]:
    """The transcripts of an agent's runs from their tasks' beginning: of each round, or of a whole attempt."""
    found: dict[tuple[str, int, int], Path] = {}
    for (task, attempt, start), run in agent.runs.items():
        places = [(number, run.workplace(name)) for number, name in enumerate(run.task.steps, start=1)]
        for number, place in places if len(places) > 1 else [(0, run.trial.loose)]:
            files = trajectory_files(place.agent) if start == "own" and place and place.agent else []
            if files:
                found[task, attempt, number] = files[0]
    return found


def _expected(board: Board, agent: AgentRuns, tasks: Sequence[Task], options: ImportOptions, scorer: Scorer) -> Results:
    """Every round that is expected, by task, then attempt; those from the reference state come after the first one.

    What is missing is reported.
    """
    report, entrant, made, every = scorer.report, agent.entrant, agent.made, list[Results]()
    for task in tasks:
        if made and made[task.id] < agent.attempts:
            what = f"{made[task.id]} of {agent.attempts} attempts" if made[task.id] else "no run"
            report.doubt(rules.RUN_MISSING, report.root, Spot(entrant, task.id), what)
        sampled = [number for name, number, _ in agent.sampled if name == task.id]
        missing = [str(each.n) for each in task.rounds if each.n not in sampled] if board.with_reference else []
        if missing:
            rule = rules.REFERENCE_LEFT_OUT if options.allow_missing else rules.REFERENCE_MISSING
            what = f"round {', '.join(missing)} of {len(task.rounds)}"
            report.doubt(rule, report.root, Spot(entrant, task.id, start="reference"), what)
        # Where no run was made from a beginning and rounds were sampled, the reference solution did those before.
        begun = 0 if made else max(sampled, default=0)
        for attempt in range(1, agent.attempts + 1):
            blank = (
                unreached(task.id, attempt, each.n, "fast_forwarded" if each.n < begun else "unreached")
                for each in task.rounds
            )
            every.append(agent.results.get((task.id, attempt, "own")) or Results(tuple(blank)))
            for each in task.rounds if board.with_reference and attempt == 1 else ():
                unsampled = Results((unreached(task.id, 1, each.n, start="reference"),))
                every.append(agent.results.get((task.id, each.n, "reference")) or unsampled)
    return scorer.settled(Results.joined(every))


def _submission(
    board: Board, agent: AgentRuns, digest: str | None, options: ImportOptions, report: Report
) -> Submission:
    """Who the agent is and how its runs were made; where these differ in what should be one, that is reported."""
    entrant, runs = agent.entrant, board.runs_of(agent)
    trials, authors = [run.trial for run in runs], [run.author for run in runs]
    spelled = {author.model or author.name or entrant.name for author in authors} - {entrant.name}
    # A spelling without the provider says nothing beside the same with it.
    models = _told(each for each in spelled if not any(other.endswith(f"/{each}") for other in spelled))
    versions = _told(author.version for author in authors)
    runners = _told(trial.version for trial in trials)
    facts = {"models": models, "versions of the scaffold": versions, "versions of the runner": runners}
    for what, several in facts.items():
        if len(several) > 1:
            report.doubt(rules.CONDITIONS_DIFFER, report.root, Spot(entrant), f"{what} {listed(several)}")
    limits: defaultdict[str, set[float]] = defaultdict(set)
    for name, value in sorted(each for trial in trials for each in trial.config.overrides()):
        limits[name].add(value)
    verifier = only(_told(trial.result.verifier_environment_mode for trial in trials))
    return Submission(
        schema_version=1,
        track=board.track,
        date=report.day(options, (trial.day for trial in trials), entrant),
        attempts=agent.attempts,
        agent=entrant.agent(
            {
                "organization": options.organization or only({maker_of(each) for each in spelled}),
                "model": only(models),
                "scaffold_version": ", ".join(versions),
            }
        ),
        provenance=Provenance(
            harness="harbor",
            harness_version=", ".join(runners) or None,
            jobs=_told(trial.job_id for trial in trials) or None,
            started=min(filter(None, (moment(trial.result.started_at) for trial in trials)), default=None),
            finished=max(filter(None, (moment(trial.result.finished_at) for trial in trials)), default=None),
            overrides={name: ", ".join(f"{each:g}" for each in sorted(limits[name])) for name in limits} or None,
            verifier=_VERIFIERS.get(verifier or ""),
            task_digest=digest,
        ),
    )


def _told(values: Iterable[str | None]) -> tuple[str, ...]:
    """Every value that occurs, sorted, and as it can be shown."""
    return tuple(sorted({one_line(each) for each in values if each}))


def protocol_of(tasks: Sequence[TaskDefinition], report: Report) -> Protocol:
    """How the rounds of a track's tasks follow each other; that they are not of one kind is reported."""
    kinds = {task.is_chain: task for task in tasks}
    if len(kinds) > 1:
        what = f"{kinds[True].task.id} is a chain of rounds, {kinds[False].task.id} is graded once"
        report.add(rules.TASKS_MIXED, kinds[False].path, what)
    if True not in kinds:
        return "once"
    return "fail-stop" if {task.stops for task in tasks if len(task.steps) > 1} == {True} else "chain"


def track_of(board: Board, protocol: Protocol, task_set: TaskSet) -> Track:
    """Describe a track. Beside rounds from the reference state nothing counts after a failure."""
    columns = columns_of(protocol, reference=False)
    if board.with_reference:
        # Without runs from a task's beginning there is nothing to set the rounds from the reference state against.
        columns = _WITH_REFERENCE if any(agent.made for agent in board.agents) else _WITH_REFERENCE[:1]
    return Track(
        id=board.track,
        title="Official multi-step" if board.track == "official" else title_of(board.track),
        summary=_BESIDE_REFERENCE if board.with_reference else _SUMMARIES[protocol],
        protocol="fail-stop" if board.with_reference else protocol,
        attempts=max(agent.attempts for agent in board.agents),
        reference_rounds=board.with_reference,
        tasks=task_set.id,
        headline=columns[0],
        columns=columns,
        groupings=groupings_of(task_set.tasks, AXES),
    )


def task_set_of(
    name: str, tasks: Sequence[TaskDefinition], runs: Sequence[Run], cases: CaseLists, report: Report
) -> TaskSet:
    """Put the tasks together, with the cases that runs list and the checksums that they were run with."""
    digests: defaultdict[str, set[str]] = defaultdict(set)
    for run in runs:
        locked = run.trial.locked_task()
        if locked and locked.digest:
            digests[run.task.task.id].add(one_line(locked.digest))
    found = []
    for task in tasks:
        told = sorted(digests[task.task.id])
        if len(told) > 1:
            report.doubt(rules.DIGEST_DIFFERS, task.path, Spot(None, task.task.id, task.task.id), ", ".join(told))
        found.append(replace(cases.task(task.task), digest=told[0] if len(told) == 1 else None))
    return TaskSet(name, tuple(found))
