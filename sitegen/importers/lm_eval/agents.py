"""Find the agents of a source, and choose which of their runs of a task count."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import (
    RankedAgent,
    clean_agent_name,
    model_owner,
    short_model_name,
)
from sitegen.importers.kit.import_log import ImportLog, SourceLocation
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.lm_eval.documents import read_documents
from sitegen.importers.lm_eval.files import NEWEST, TaskOutput
from sitegen.importers.lm_eval.scores import RepeatedTask
from sitegen.importers.lm_eval.settings import name_agents
from sitegen.problems import grouped, listed

CONDITIONS = rules.DATASETS_MIXED.specific(
    "import them into separate tracks: choose a model with `--model`, choose among its runs "
    "with `--pick`, or name the folder of one run",
)


@dataclass(slots=True)
class AgentTasks:
    """The tasks of one agent, with the runs that count."""

    agent: RankedAgent
    model: str
    attempts: dict[str, list[RepeatedTask]] = field(default_factory=dict)
    """The attempts at each task, in chronological order; usually a single attempt."""

    @property
    def all_attempts(self) -> list[RepeatedTask]:
        """All attempts at all tasks."""
        all_attempts = []
        for attempts in self.attempts.values():
            all_attempts += attempts
        return all_attempts

    @property
    def outputs(self) -> list[TaskOutput]:
        """The task outputs of all attempts."""
        return [attempt.output for attempt in self.all_attempts]

    @property
    def has_documents(self) -> bool:
        """Whether any of the agent's tasks has a file of documents."""
        return any(output.samples for output in self.outputs)


def find_agents(
    outputs: Sequence[TaskOutput], options: ImportOptions, log: ImportLog
) -> list[AgentTasks]:
    """Return the agents of a source, with the runs of each task that count."""
    if not options.pick:
        _check_conditions(outputs, log)
    agents: list[AgentTasks] = []
    outputs_by_model = grouped((output.file.model, output) for output in outputs)
    name_counts = Counter(short_model_name(model) for model in outputs_by_model)
    for model, model_outputs in outputs_by_model.items():
        entrants = name_agents(model_outputs, model, log)
        if name_counts[short_model_name(model)] > 1:
            entrants = {key: _add_owner(entrant, model) for key, entrant in entrants.items()}
        by_agent = grouped((entrants[id(output.file)], output) for output in model_outputs)
        for entrant, agent_outputs in by_agent.items():
            agents.append(_collect_tasks(entrant, model, agent_outputs, options, log))
            _report_files(agent_outputs, entrant, log)
    if options.pick:
        picked: list[TaskOutput] = []
        for agent in agents:
            picked += agent.outputs
        _check_conditions(picked, log)
    return agents


def _collect_tasks(
    entrant: RankedAgent,
    model: str,
    outputs: Sequence[TaskOutput],
    options: ImportOptions,
    log: ImportLog,
) -> AgentTasks:
    """Return an agent with the runs of each task that count."""
    agent = AgentTasks(entrant, model)
    for task, task_outputs in _group_by_task(outputs).items():
        counted_outputs = _choose_outputs(task_outputs, entrant, options, log)
        agent.attempts[task] = [RepeatedTask(output, None) for output in counted_outputs]
    return agent


def _add_owner(entrant: RankedAgent, model: str) -> RankedAgent:
    """Return an agent with the model's owner prepended to its provider, to make the name unique."""
    owner = model_owner(model) or model
    provider = f"{owner}, {entrant.provider}" if entrant.provider else owner
    return replace(entrant, provider=clean_agent_name(provider))


def _report_files(outputs: Sequence[TaskOutput], entrant: RankedAgent, log: ImportLog) -> None:
    """Report newer versions of the harness, and a model name that the harness made up."""
    for version in dict.fromkeys(output.file.version for output in outputs):
        log.warn_if_newer("lm-evaluation-harness", version, NEWEST, entrant)
    if any(output.file.has_random_name for output in outputs):
        fact = (
            f"the model is called {entrant.name}, a random name that the harness chose because no "
            "argument names the model; `--agent` sets another name"
        )
        log.assume(fact, entrant)


def _check_conditions(outputs: Sequence[TaskOutput], log: ImportLog) -> None:
    """Report tasks that were run under several conditions: their scores are not comparable."""
    for task, task_outputs in _group_by_task(outputs).items():
        versions: set[str] = set()
        shots: set[str] = set()
        shown_conditions: dict[str, None] = {}
        for output in task_outputs:
            version, shot_count = output.file.conditions(task)
            versions.add(version)
            shots.add(shot_count)
            shown_conditions[output.shown_conditions] = None
        if len(versions - {""}) > 1 or len(shots - {""}) > 1:
            message = f"{one_line(task)} was run as {', and as '.join(shown_conditions)}"
            log.add(CONDITIONS, log.root, message)


def _group_by_task(outputs: Sequence[TaskOutput]) -> Mapping[str, list[TaskOutput]]:
    """Return the outputs of each task."""
    return grouped((output.task, output) for output in outputs)


def _choose_outputs(
    outputs: Sequence[TaskOutput], entrant: RankedAgent, options: ImportOptions, log: ImportLog
) -> list[TaskOutput]:
    """Return the runs of one task by one agent that count, in chronological order.

    The last run with documents counts, unless an option says otherwise.
    """
    runs = _drop_copies(outputs, log)
    usable = [run for run in runs if run.samples] or runs
    if options.runs == "attempts" or len(runs) == 1:
        return usable
    chosen = usable[0] if options.pick == "first" else usable[-1]
    if len({run.file.time for run in usable}) < len(usable):
        names = listed(log.name(run.path) for run in usable)
        task = one_line(chosen.task)
        message = f"{entrant}, {task}: no file says which of these is the latest: {names}"
        log.add(rules.RUN_TWICE, chosen.path, message)
    clause = f", as `--pick {options.pick}` says" if options.pick else ""
    chosen_time = chosen.file.time or "an unknown time"
    for run in runs:
        if run is not chosen:
            time = run.file.time or "an unknown time"
            message = f"run of {time}; the run of {chosen_time} counts{clause}"
            log.add_doubt(
                rules.RUN_REPLACED, run.path, SourceLocation(entrant, one_line(run.task)), message
            )
    return [chosen]


def _drop_copies(outputs: Sequence[TaskOutput], log: ImportLog) -> list[TaskOutput]:
    """Return runs in chronological order, except runs from copies of a results file."""
    runs: list[TaskOutput] = []
    digests: set[str] = set()
    for output in sorted(outputs, key=lambda output: (output.file.time, str(output.path))):
        if output.file.digest in digests:
            note = f"{log.name(output.path)}: a copy of another results file, left out"
            log.notes.append(note)
        else:
            runs.append(output)
            digests.add(output.file.digest)
    return runs


def read_all(agents: Sequence[AgentTasks], log: ImportLog) -> None:
    """Read the documents of every run that counts."""
    for agent in agents:
        for task, attempts in agent.attempts.items():
            agent.attempts[task] = [_read_attempt(attempt.output, log) for attempt in attempts]


def _read_attempt(output: TaskOutput, log: ImportLog) -> RepeatedTask:
    """Return an attempt with its documents, if it has a file of documents."""
    if output.samples is None:
        return RepeatedTask(output, None)
    return RepeatedTask(output, read_documents(output, output.samples, log))
