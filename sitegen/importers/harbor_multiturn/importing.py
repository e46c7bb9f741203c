"""Imports the run folders of Harbor's multi-turn fork, which EvoCode-Bench's paper was made with."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date as Date  # noqa: N812 - what is called date elsewhere, too
from pathlib import Path

from sitegen.importers.harbor.bundles import benchmark_of, title_of
from sitegen.importers.harbor.rounds import Results, Scorer
from sitegen.importers.harbor.tasks import Tasks, read_tasks, task_id
from sitegen.importers.harbor_multiturn import rules
from sitegen.importers.harbor_multiturn.attempts import AgentRuns, Course, Samples, course_of
from sitegen.importers.harbor_multiturn.bundles import Recorder, agent_of, draft_of, findings_of
from sitegen.importers.harbor_multiturn.kinds import LEFT_OUT, NOUNS, Kind, Lineage, kind_of
from sitegen.importers.harbor_multiturn.runs import Run, read_run
from sitegen.importers.harbor_multiturn.tree import Found, find
from sitegen.importers.kit.agents import KNOWN, Entrant, Roster, is_asked_for, only
from sitegen.importers.kit.claims import Stated, published_about
from sitegen.importers.kit.drafts import bundle_names, finished
from sitegen.importers.kit.options import ImportOptions, Pace
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report, Spot, listed
from sitegen.importers.kit.rules import DATE_ASSUMED
from sitegen.importers.kit.tree import Tree
from sitegen.metrics.catalogue import columns_of
from sitegen.metrics.failstop import MT_AT_K
from sitegen.models.benchmark import Track
from sitegen.models.incoming import Incoming
from sitegen.models.submission import Submission
from sitegen.models.task import Task, TaskRound, TaskSet
from sitegen.problems import Rule, UsageError, counted

_PASSED_OVER: Mapping[Kind, Rule] = {
    "stretch": rules.STRETCH,
    "foreign": rules.FOREIGN,
    "unverified": rules.UNVERIFIED,
}

_LONGEST = 100
"""Characters of a name."""


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
    found = gathered(tree, tasks, options, report)
    agents, ids = found.agents, list(found.tasks)
    if agents:
        rule = rules.TASKS_LEFT_OUT if options.allow_missing else rules.TASK_NOT_RUN
        for name in found.idle:
            report.doubt(rule, report.root, name)
    report.stop_at_errors()
    if not agents:
        report.nothing_found(rules.NOTHING_FOUND, report.notes[0])
        report.stop_at_errors()

    sampled = any(agent.sampled for agent in agents)
    for agent in agents:
        _check_agent(agent, found, report, sampled=sampled)
    if any(agent.has_plain for agent in agents):
        for agent in agents:
            if agent.fan_outs:
                report.doubt(rules.TOPOLOGIES, report.root, Spot(agent.entrant), "branches of fan-outs")

    # Who they are, of which day, and what was published about them.
    heads = [(_date(agent, options, report), agent_of(agent, options)) for agent in agents]
    names = bundle_names(heads)
    entrants = list(dict.fromkeys(agent.entrant.name for agent in agents))
    stated, problems = published_about(entrants, options, found.roster.spellings)
    report.problems += problems
    for agent, name in zip(agents, names, strict=True):
        report.notes += _notes(agent, name, report)

    # Their rounds.
    runs = {course.run.path for agent in agents for course in agent.courses}
    scorer = Scorer(report, Pace(len(runs), options.watch))
    recorder = Recorder(tree, scorer)
    drafts = []
    for agent, name, (date, who) in zip(agents, names, heads, strict=True):
        made = agent.attempts.made
        head = Submission(schema_version=1, track=options.track, date=date, attempts=made, agent=who)
        records = recorder.records(agent, found.tasks.values(), with_reference=sampled)
        drafts.append(draft_of(agent, name, head, records, ids))
    report.stop_at_errors()
    for number, (agent, draft) in enumerate(zip(agents, drafts, strict=True)):
        results = scorer.settled(Results(draft.rounds, draft.failures))
        paths = [course.run.path for course in agent.courses]
        caveats = report.caveats(agent.entrant, paths, ("own", "reference"))
        submission = draft.submission.model_copy(update={"caveats": caveats})
        fitted = replace(draft, submission=submission, rounds=results.rounds)
        drafts[number] = finished(fitted, _fitting(agent.entrant, stated.get(agent.entrant.name)))
    findings = [each for agent, draft in zip(agents, drafts, strict=True) for each in findings_of(agent, draft, ids)]
    track = _track(found.tasks.values(), max(agent.attempts.made for agent in agents), options, sampled=sampled)
    return Incoming(
        benchmark_of((track,), list(found.tasks.values()), found.roster, options),
        (TaskSet(track.id, tuple(map(scorer.cases.task, found.tasks.values()))),),
        tuple(drafts),
        tuple(findings),
        report.all_problems(),
        tuple(report.notes),
    )


@dataclass(frozen=True, slots=True)
class Gathered:
    """What counts of a source."""

    agents: Sequence[AgentRuns]
    """Those that are asked for, in the order of their names."""
    tasks: Mapping[str, Task]
    """The tasks that anybody ran, by id, in the order of their ids."""
    idle: Sequence[str]
    """Ids of the tasks that are defined and that nobody ran."""
    roster: Roster
    lineage: Lineage


def gathered(tree: Tree, tasks: Path | None, options: ImportOptions, report: Report) -> Gathered:
    """Gather what counts: runs told apart by kind, each with its agent, its task and its rounds."""
    found, runs = find(tree), []
    for folder in found.runs:
        run, problems = read_run(folder, tree)
        runs.append(run)
        report.problems += problems
    report.problems += tree.problems()
    lineage = Lineage.of(runs)
    kinds = {run.path: kind_of(run, lineage) for run in runs}
    _note_found(found, {kind: [run for run in runs if kinds[run.path] == kind] for kind in NOUNS}, report)
    counting = [run for run in runs if kinds[run.path] not in LEFT_OUT]
    wanted = _wanted(counting, options, report)
    defined, problems = read_tasks(found.definitions, tasks)
    report.problems += problems
    task_of, known = _assigned(counting, defined, report)
    names = (options.agent,) if options.agent else sorted({_plain(run.model) for run in wanted})
    roster = Roster.of(names, KNOWN if options.benchmark == "evocode-bench" else {}, options.aliases)
    agents = []
    for entrant, own in _by_entrant(wanted, roster, options).items():
        by_task: defaultdict[str, defaultdict[Kind, list[Course]]] = defaultdict(lambda: defaultdict(list))
        for run in own:
            name, where = task_of.get(run.path, ""), report.name(run.path)
            if not entrant.name:
                report.doubt(rules.AGENT_UNKNOWN, run.path, where)
            if name not in known:
                report.doubt(rules.TASK_UNKNOWN, run.path, where, name)
                continue
            course = course_of(run, Spot(entrant, name, where), report)
            fault = _fault(course, kinds[run.path], known[name])
            if fault:
                report.doubt(fault[0], run.path, where, fault[1])
            else:
                by_task[name][kinds[run.path]].append(course)
        agents.append(AgentRuns.of(entrant, dict(sorted(by_task.items())), lineage))
    ran = set(task_of.values())
    return Gathered(
        [agent for agent in agents if agent.courses],
        {name: task for name, task in known.items() if name in ran},
        [name for name in known if name not in ran],
        roster,
        lineage,
    )


def _note_found(found: Found, kinds: Mapping[Kind, Sequence[Run]], report: Report) -> None:
    """Say what lies in a source, and what of it does not count."""
    told = [counted(len(kinds[kind]), noun) for kind, noun in NOUNS.items() if kinds[kind]]
    report.notes.append(f"found {counted(len(found.runs), 'run')}: {', '.join(told) or 'none that counts'}")
    for kind, why in LEFT_OUT.items():
        report.passed_over(why, [run.path for run in kinds[kind]])
    report.passed_over("what a resume put aside: the resumed run beside it counts", found.backups)
    report.passed_over("a run of the official runner, for `sitegen import harbor`", found.official)
    report.passed_over("a folder whose name begins with a dot", found.hidden)
    for kind, rule in _PASSED_OVER.items():
        _doubt_runs(rule, kinds[kind], report)


def _wanted(runs: Sequence[Run], options: ImportOptions, report: Report) -> list[Run]:
    """Keep the runs of the model that is asked for.

    Raises:
        UsageError: It has none here, or one name is given to several models.
    """
    kept = [run for run in runs if is_asked_for(run.model_names, options, KNOWN)]
    several = len({run.model for run in kept}) > 1
    models = listed(sorted({_plain(run.model) for run in kept or runs}))
    if runs and not kept:
        raise UsageError(f"the source has no runs of model {options.model}; it has: {models}")
    if options.agent and several:
        raise UsageError(f"--agent names one agent, and the source has several: choose one with --model: {models}")
    paths = {run.path for run in kept}
    report.passed_over("another model than the one asked for", [run.path for run in runs if run.path not in paths])
    return kept


def _assigned(runs: Sequence[Run], defined: Tasks, report: Report) -> tuple[dict[Path, str], dict[str, Task]]:
    """Find each run its task; never by the name of its folder, which is cut.

    How many rounds a task has is known from its definition. Where that is missing, it follows from the runs that
    were to go through all of them: they state where the rounds that they were scored on end.

    Returns:
        Id of the task that a run was about, by the run's folder; and every task that is defined or was run, by its
        id, in the order of their ids.
    """
    task_of: dict[Path, str] = {}
    for run in runs:
        name = run.result.task_name or ""
        references = (run.result.task_id, run.settings.task)
        told = (name, *(each for one in references for each in one.names), name.rpartition("/")[2], run.task_folder)
        stated = [each for each in told if each]
        definition = defined.find([*stated, *reversed(run.job)])
        if found := definition.task.id if definition else next(filter(None, map(task_id, stated)), None):
            task_of[run.path] = found
    tasks = {name: each.task for name, each in defined.by_id.items() if each.is_chain}
    for name in sorted(set(task_of.values()) - tasks.keys()):
        whole = [run for run in runs if run.last is None and run.verifying.multiround_aggregate_end_round is None]
        ends = (run.result.verifier_result.aggregate_window_end for run in whole if task_of.get(run.path) == name)
        last = max((end or 0 for end in ends), default=0)
        if last:
            tasks[name] = Task(name, tuple(TaskRound(number) for number in range(1, last + 1)))
            report.doubt(rules.ROUNDS_ASSUMED, report.root, Spot(None, name, name), counted(last, "round"))
    return task_of, dict(sorted(tasks.items()))


def _by_entrant(runs: Sequence[Run], roster: Roster, options: ImportOptions) -> dict[Entrant, list[Run]]:
    """Sort runs by who made them, entrants in the order of their names."""
    told: dict[Path, Entrant] = {}
    scaffolds: defaultdict[str, set[str]] = defaultdict(set)
    for run in runs:
        name = options.agent or roster.one_name(_plain(run.model))
        reasoning = _plain(run.settings.agent.reasoning or options.reasoning)
        told[run.path] = Entrant(name, _plain(run.scaffold), reasoning)
        scaffolds[name] |= {_plain(run.scaffold)} - {""}
    found: dict[Entrant, list[Run]] = {}
    for run in runs:
        entrant = told[run.path]
        # A run that tells no scaffold ran under the only one that the model's others ran under.
        scaffold = entrant.scaffold or only(scaffolds[entrant.name]) or ""
        found.setdefault(replace(entrant, scaffold=scaffold), []).append(run)
    return dict(sorted(found.items()))


def _plain(name: str | None) -> str:
    return one_line(name or "", _LONGEST)


def _fault(course: Course, kind: Kind, task: Task) -> tuple[Rule, str] | None:
    """Why a run can't be counted; None where it can."""
    run, rounds = course.run, len(task.rounds)
    farthest = max((row.round for row in run.rows or ()), default=0)
    if farthest > rounds:
        return rules.ROUND_UNKNOWN, f"round {farthest} is told of, and {task.id} has {counted(rounds, 'round')}"
    if not course.own and kind != "sample":
        return rules.UNFINISHED, ""
    if kind in {"attempt", "resume"} and (run.last or rounds) < rounds:
        return rules.CAPPED, f"told to end after round {run.last} of {rounds}"
    return None


def _check_agent(agent: AgentRuns, found: Gathered, report: Report, *, sampled: bool) -> None:
    """Say what of an agent's runs does not count, and what is missing.

    Args:
        agent: What the agent has to show.
        found: The tasks, and what runs go on from.
        report: Takes what is said.
        sampled: Whether the track has rounds from the reference state.
    """
    attempts, entrant = agent.attempts, agent.entrant
    if not attempts.tries:
        report.doubt(rules.ATTEMPTS_NONE, report.root, Spot(entrant))
    else:
        surplus = {task: len(tries) for task, tries in attempts.surplus.items()}
        for rule, word, numbers in (
            (rules.ATTEMPTS_ABOVE, "more", surplus),
            (rules.ATTEMPTS_BELOW, "fewer", attempts.missing(list(found.tasks))),
        ):
            for task, number in numbers.items():
                what = f"{number} {word} than the {counted(attempts.made, 'attempt')} at most tasks"
                report.doubt(rule, report.root, Spot(entrant, task), what)
    _doubt_runs(rules.RESUME_REPLACED, [each.run for each in agent.replaced], report, entrant)
    lost = [each.run for each in agent.courses if found.lineage.is_lost(each.run)]
    _doubt_runs(rules.ORIGIN_MISSING, lost, report, entrant)
    for task, several in agent.fan_outs.items():
        for widths in (each.widths for each in several if len(set(each.widths.values())) > 1):
            told = ", ".join(f"{width} in round {number}" for number, width in widths.items())
            report.doubt(rules.FAN_OUT_UNEVEN, report.root, Spot(entrant, task), f"runs: {told}")
    for about in found.tasks.values() if sampled else ():
        samples = agent.samples.get(about.id, Samples({}, (), ()))
        _doubt_runs(rules.SAMPLE_TWICE, [each.run for each in samples.repeats], report, entrant)
        _doubt_runs(rules.SAMPLE_EMPTY, [each.run for each in samples.empty], report, entrant)
        missing = [str(each.n) for each in about.rounds if each.n not in samples.rounds]
        if missing:
            report.doubt(rules.SAMPLE_MISSING, report.root, Spot(entrant, about.id), f"round {', '.join(missing)}")


def _doubt_runs(rule: Rule, runs: Iterable[Run], report: Report, entrant: Entrant | None = None) -> None:
    for run in runs:
        name = report.name(run.path)
        report.doubt(rule, run.path, Spot(entrant, words=name) if entrant else name)


def _date(agent: AgentRuns, options: ImportOptions, report: Report) -> Date:
    """The day of an agent's results: as stated, the last of its runs', or today."""
    day = options.date or max((day for course in agent.courses if (day := course.run.day)), default=None)
    if day is None:
        report.doubt(DATE_ASSUMED, report.root, Spot(agent.entrant), f"taken as {options.today}")
    return day or options.today


def _notes(agent: AgentRuns, bundle: str, report: Report) -> Iterator[str]:
    """What was made of an agent's runs, and how they hang together."""
    attempts = agent.attempts
    tasks = counted(len(attempts.tries), "task")
    facts = [f"{counted(attempts.made, 'attempt')} at {tasks}" if attempts.tries else "no attempt"]
    facts += [f"{counted(agent.sampled, 'single round')} from the reference state"] if agent.sampled else []
    yield f"{bundle}: {', '.join(facts)}"
    for task, several in agent.fan_outs.items():
        for fan_out in several:
            yield f"{bundle}: {task} is a fan-out, whose line is {fan_out.line()}"
    for task, tries in attempts.tries.items():
        for attempt, told in enumerate(tries, start=1):
            if told.whole is not None and told.whole.run is not told.head:
                first, last = report.name(told.head.path), report.name(told.whole.run.path)
                yield f"{bundle}: attempt {attempt} at {task} is {first}, resumed as {last}"


def _fitting(entrant: Entrant, stated: Stated | None) -> Stated | None:
    """What was published about an agent; None where that is about another scaffold or reasoning setting."""
    if stated is None:
        return None
    pairs = ((stated.agent.scaffold, entrant.scaffold), (stated.agent.reasoning, entrant.reasoning))
    return None if any(said and ours and said != ours for said, ours in pairs) else stated


def _track(tasks: Iterable[Task], attempts: int, options: ImportOptions, *, sampled: bool) -> Track:
    """Describe the track that runs of the fork make."""
    values: defaultdict[str, set[str]] = defaultdict(set)
    for task in tasks:
        for axis, value in task.labels.items():
            values[axis].add(value)
    return Track(
        id=options.track,
        title=title_of(options.track),
        summary="Harbor's multi-turn fork: one session a run, which ends with the first round that it does not pass.",
        protocol="fail-stop",
        attempts=attempts,
        reference_rounds=sampled,
        tasks=options.track,
        headline=MT_AT_K.id,
        columns=columns_of("fail-stop", reference=sampled),
        groupings=tuple(axis for axis, found in values.items() if len(found) > 1),
    )
