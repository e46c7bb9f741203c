"""The agents of a source, and which of their runs of a task count."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import Entrant
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report, Spot
from sitegen.importers.lm_eval.documents import read_documents
from sitegen.importers.lm_eval.files import NEWEST, TaskResults
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
        return any(candidate.part.samples for candidate in self.candidates)


def find_agents(parts: Sequence[TaskResults], options: ImportOptions, report: Report) -> list[AgentTasks]:
    """Return the agents of a source, with the runs of each task that count."""
    if not options.pick:
        _check_conditions(parts, report)
    agents: list[AgentTasks] = []
    by_model = grouped((part.file.model, part) for part in parts)
    for model, model_parts in by_model.items():
        entrants = agents_of(model_parts, model, report)
        by_agent = grouped((entrants[id(part.file)], part) for part in model_parts)
        for entrant, agent_parts in by_agent.items():
            agent = AgentTasks(entrant, model)
            by_task = grouped((part.task, part) for part in agent_parts)
            for task, task_parts in by_task.items():
                counting = _counting(task_parts, entrant, options, report)
                agent.attempts[task] = [Candidate(part, None) for part in counting]
            agents.append(agent)
            _report_files(agent_parts, entrant, report)
    if options.pick:
        counted_parts = [candidate.part for agent in agents for candidate in agent.candidates]
        _check_conditions(counted_parts, report)
    return agents


def _report_files(parts: Sequence[TaskResults], entrant: Entrant, report: Report) -> None:
    """Report newer versions of the harness, and a name that is not the model's own."""
    for version in dict.fromkeys(part.file.version for part in parts):
        report.newer_version("lm-evaluation-harness", version, NEWEST, entrant)
    if any(part.file.has_made_up_name for part in parts):
        fact = (
            f"the model is called {entrant.name}, a name that the harness drew because no argument names the model; "
            "`--agent` gives it another one"
        )
        report.assume(fact, entrant)


def _check_conditions(parts: Sequence[TaskResults], report: Report) -> None:
    """Report tasks that were run under several conditions: their scores do not compare."""
    for task in dict.fromkeys(part.task for part in parts):
        own_parts = [part for part in parts if part.task == task]
        stated = [part.file.conditions(task) for part in own_parts]
        versions = {version for version, _ in stated if version}
        shots = {number for _, number in stated if number}
        if len(versions) > 1 or len(shots) > 1:
            shown = list(dict.fromkeys(part.shown_conditions for part in own_parts))
            report.add(CONDITIONS, report.root, f"{one_line(task)} was run as {', and as '.join(shown)}")


def _counting(
    parts: Sequence[TaskResults], entrant: Entrant, options: ImportOptions, report: Report
) -> list[TaskResults]:
    """Return the runs of one task by one agent that count, in order of time.

    The last run with documents counts, unless an option says otherwise.
    """
    runs: list[TaskResults] = []
    digests: set[str] = set()
    for part in sorted(parts, key=lambda part: (part.file.time, str(part.path))):
        if part.file.digest in digests:
            report.notes.append(f"{report.name(part.path)}: a copy of another file of results, left out")
        else:
            runs.append(part)
            digests.add(part.file.digest)
    usable = [run for run in runs if run.samples] or runs
    if options.runs == "attempts" or len(runs) == 1:
        return usable
    place = 0 if options.pick == "first" else -1
    counting = usable[place]
    if len({run.file.time for run in usable}) < len(usable):
        names = listed(report.name(run.path) for run in usable)
        what = f"{entrant}, {one_line(counting.task)}: nothing tells which of these is the last: {names}"
        report.add(rules.RUN_TWICE, counting.path, what)
    for run in runs:
        if run is not counting:
            when = run.file.time or "an unknown time"
            counts = counting.file.time or "an unknown time"
            what = f"run of {when}; that of {counts} counts"
            report.doubt(rules.RUN_REPLACED, run.path, Spot(entrant, one_line(run.task)), what)
    return [counting]


def read_all(agents: Sequence[AgentTasks], report: Report) -> None:
    """Read the documents of every run that counts."""
    for agent in agents:
        for task, candidates in agent.attempts.items():
            read = []
            for candidate in candidates:
                path = candidate.part.samples
                documents = read_documents(candidate.part, path, report) if path else None
                read.append(Candidate(candidate.part, documents))
            agent.attempts[task] = read
