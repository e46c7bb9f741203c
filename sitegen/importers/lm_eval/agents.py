"""The agents of a source, and which of their runs of a task count."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import Entrant, named, owner_of, short
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report, Spot
from sitegen.importers.lm_eval.documents import read_documents
from sitegen.importers.lm_eval.files import NEWEST, TaskRun
from sitegen.importers.lm_eval.scores import Candidate
from sitegen.importers.lm_eval.settings import agents_of
from sitegen.problems import Rule, grouped, listed

CONDITIONS = Rule.error(
    "LM-EVAL-CONDITIONS",
    "All runs of a task are of one version of it, with as many examples.",
    "import them into tracks of their own: choose with `--model`, with `--pick` among the runs of one model, or name "
    "the folder of one run",
)


@dataclass(slots=True)
class AgentTasks:
    """The tasks of one agent, with the runs that count."""

    agent: Entrant
    model: str
    attempts: dict[str, list[Candidate]] = field(default_factory=dict)
    """By task, in order of time: usually one."""

    @property
    def candidates(self) -> list[Candidate]:
        """Every attempt at every task."""
        return [candidate for several in self.attempts.values() for candidate in several]

    @property
    def has_documents(self) -> bool:
        """Whether any of its tasks has a file of documents."""
        return any(candidate.task_run.samples for candidate in self.candidates)


def find_agents(
    task_runs: Sequence[TaskRun], options: ImportOptions, report: Report
) -> list[AgentTasks]:
    """Return the agents of a source, with the runs of each task that count."""
    if not options.pick:
        _check_conditions(task_runs, report)
    agents: list[AgentTasks] = []
    by_model = grouped((task_run.file.model, task_run) for task_run in task_runs)
    names = Counter(short(model) for model in by_model)
    for model, model_runs in by_model.items():
        entrants = agents_of(model_runs, model, report)
        if names[short(model)] > 1:
            entrants = {key: _with_owner(entrant, model) for key, entrant in entrants.items()}
        by_agent = grouped((entrants[id(task_run.file)], task_run) for task_run in model_runs)
        for entrant, agent_runs in by_agent.items():
            agent = AgentTasks(entrant, model)
            by_task = grouped((task_run.task, task_run) for task_run in agent_runs)
            for task, runs_of_task in by_task.items():
                counting = _counting(runs_of_task, entrant, options, report)
                agent.attempts[task] = [Candidate(task_run, None) for task_run in counting]
            agents.append(agent)
            _report_files(agent_runs, entrant, report)
    if options.pick:
        counting_runs = [candidate.task_run for agent in agents for candidate in agent.candidates]
        _check_conditions(counting_runs, report)
    return agents


def _with_owner(entrant: Entrant, model: str) -> Entrant:
    """Return an agent that its model's owner tells apart from one of the same name."""
    words = filter(None, (owner_of(model) or model, entrant.provider))
    return replace(entrant, provider=named(", ".join(words)))


def _report_files(task_runs: Sequence[TaskRun], entrant: Entrant, report: Report) -> None:
    """Report newer versions of the harness, and a name that is not the model's own."""
    for version in dict.fromkeys(task_run.file.version for task_run in task_runs):
        report.newer_version("lm-evaluation-harness", version, NEWEST, entrant)
    if any(task_run.file.has_made_up_name for task_run in task_runs):
        fact = (
            f"the model is called {entrant.name}, a name that the harness drew because no argument names the model; "
            "`--agent` gives it another one"
        )
        report.assume(fact, entrant)


def _check_conditions(task_runs: Sequence[TaskRun], report: Report) -> None:
    """Report tasks that were run under several conditions: their scores do not compare."""
    for task in dict.fromkeys(task_run.task for task_run in task_runs):
        own_parts = [task_run for task_run in task_runs if task_run.task == task]
        stated = [task_run.file.conditions(task) for task_run in own_parts]
        versions = {version for version, _ in stated if version}
        shots = {number for _, number in stated if number}
        if len(versions) > 1 or len(shots) > 1:
            shown = list(dict.fromkeys(task_run.shown_conditions for task_run in own_parts))
            report.add(
                CONDITIONS, report.root, f"{one_line(task)} was run as {', and as '.join(shown)}"
            )


def _counting(
    task_runs: Sequence[TaskRun], entrant: Entrant, options: ImportOptions, report: Report
) -> list[TaskRun]:
    """Return the runs of one task by one agent that count, in order of time.

    The last run with documents counts, unless an option says otherwise.
    """
    runs: list[TaskRun] = []
    digests: set[str] = set()
    for task_run in sorted(
        task_runs, key=lambda task_run: (task_run.file.time, str(task_run.path))
    ):
        if task_run.file.digest in digests:
            report.notes.append(
                f"{report.name(task_run.path)}: a copy of another file of results, left out"
            )
        else:
            runs.append(task_run)
            digests.add(task_run.file.digest)
    usable = [run for run in runs if run.samples] or runs
    if options.runs == "attempts" or len(runs) == 1:
        return usable
    place = 0 if options.pick == "first" else -1
    counting = usable[place]
    if len({run.file.time for run in usable}) < len(usable):
        names = listed(report.name(run.path) for run in usable)
        message = f"{entrant}, {one_line(counting.task)}: nothing tells which of these is the last: {names}"
        report.add(rules.RUN_TWICE, counting.path, message)
    for run in runs:
        if run is not counting:
            when = run.file.time or "an unknown time"
            counts = counting.file.time or "an unknown time"
            by_option = f", as `--pick {options.pick}` says" if options.pick else ""
            message = f"run of {when}; that of {counts} counts{by_option}"
            report.doubt(rules.RUN_REPLACED, run.path, Spot(entrant, one_line(run.task)), message)
    return [counting]


def read_all(agents: Sequence[AgentTasks], report: Report) -> None:
    """Read the documents of every run that counts."""
    for agent in agents:
        for task, candidates in agent.attempts.items():
            read = []
            for candidate in candidates:
                path = candidate.task_run.samples
                documents = read_documents(candidate.task_run, path, report) if path else None
                read.append(Candidate(candidate.task_run, documents))
            agent.attempts[task] = read
