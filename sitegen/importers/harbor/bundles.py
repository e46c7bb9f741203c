"""What agents' runs came to, and the bundles that it makes: every expected round exactly once, and who made it how."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.records import moment
from sitegen.importers.harbor.rounds import Results, Scorer, attempt_of, graded, sample_of, unreached
from sitegen.importers.harbor.runs import AgentRuns, Run
from sitegen.importers.harbor.tasks import TaskDefinition
from sitegen.importers.harbor.trials import only
from sitegen.importers.kit.claims import Stated, described
from sitegen.importers.kit.drafts import bundle_names, case_detail, longer_id
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report, Spot, listed
from sitegen.importers.kit.rules import DATE_ASSUMED
from sitegen.models.incoming import Draft
from sitegen.models.outcome import Failure, RoundResult, RunFigures, Start
from sitegen.models.submission import Agent, Detail, Provenance, Submission

_APART = "-reference"
"""What the name of a track for rounds from the reference state ends with where another stands beside it."""

_VERIFIERS: Mapping[str, Literal["shared", "separate"]] = {"shared": "shared", "separate": "separate"}
"""Where checks run, as the runner calls it."""


@dataclass(frozen=True, slots=True)
class AgentResults:
    """What an agent's runs came to."""

    runs: AgentRuns
    own: Mapping[tuple[str, int], Results]
    """Runs from a task's beginning, by task and attempt."""
    samples: Mapping[tuple[str, int], Results]
    """Rounds from the reference state, by task and round."""
    figures: tuple[RunFigures, ...] = ()
    """What runs took of which no round tells it."""

    @property
    def attempts(self) -> int:
        """Tries at each task that its bundle has."""
        return max(self.runs.most, 1)


def results_of(agents: Iterable[AgentRuns], scorer: Scorer) -> list[AgentResults]:
    """Find out what agents' runs came to."""
    found = []
    for agent in agents:
        own: dict[tuple[str, int], Results] = {}
        figures: list[RunFigures] = []
        for task, runs in agent.attempts.items():
            for attempt, run in enumerate(runs, start=1):
                if run.task.is_chain:
                    own[task, attempt] = attempt_of(run, attempt, scorer)
                else:
                    own[task, attempt], took = graded(run, attempt, scorer)
                    figures += took
                scorer.pace.step()
        samples: dict[tuple[str, int], Results] = {}
        for place, run in agent.samples.items():
            samples[place] = sample_of(run, scorer)
            scorer.pace.step()
        found.append((agent, own, samples, tuple(figures)))
    return [
        AgentResults(
            agent,
            {place: scorer.settled(each) for place, each in own.items()},
            {place: scorer.settled(each) for place, each in samples.items()},
            figures,
        )
        for agent, own, samples, figures in found
    ]


@dataclass(frozen=True, slots=True)
class Board:
    """A track, and whose results go there."""

    track: str
    """Its id."""
    with_reference: bool
    """Whether it has rounds from the reference state too."""
    agents: tuple[AgentResults, ...]


def boards_of(agents: Sequence[AgentResults], track: str) -> list[Board]:
    """Say which track each agent's results go to.

    A track that has rounds from the reference state has them of each of its agents, and most agents have none:
    those that do stand on a track of their own, with all of their runs.
    """
    own = tuple(agent for agent in agents if agent.own)
    sampled = tuple(agent for agent in agents if agent.samples)
    apart = f"{track}{_APART}" if own else track
    boards = (Board(track, with_reference=False, agents=own), Board(apart, with_reference=True, agents=sampled))
    return [board for board in boards if board.agents]


@dataclass(frozen=True, slots=True)
class Entry:
    """What goes into one bundle."""

    agent: AgentResults
    board: Board
    results: Results

    @property
    def runs(self) -> list[Run]:
        """The runs that it is made of."""
        own = [run for several in self.agent.runs.attempts.values() for run in several]
        return [*own, *self.agent.runs.samples.values()] if self.board.with_reference else own


def entries_of(
    boards: Sequence[Board], tasks: Sequence[TaskDefinition], report: Report, *, allow_missing: bool
) -> list[Entry]:
    """Lay out every round that is expected: by task, then attempt; the reference state comes after the first one."""
    order = {task.task.id: number for number, task in enumerate(tasks)}

    def place(each: RoundResult | Failure) -> tuple[int, int, bool]:
        return order[each.task], each.attempt, each.start == "reference"

    entries = []
    for board in boards:
        for agent in board.agents:
            parts = list(_own_results(agent, tasks, report))
            if board.with_reference:
                parts += _reference_results(agent, tasks, report, allow_missing=allow_missing)
            every = Results.joined(parts)
            results = Results(tuple(sorted(every.rounds, key=place)), tuple(sorted(every.failures, key=place)))
            entries.append(Entry(agent, board, results))
    return entries


def _own_results(agent: AgentResults, tasks: Sequence[TaskDefinition], report: Report) -> Iterator[Results]:
    """The rounds that are expected of an agent's runs from a task's beginning; what is missing is reported."""
    for task in tasks:
        name, made = task.task.id, len(agent.runs.attempts.get(task.task.id, ()))
        if made < agent.attempts and agent.own:
            what = f"{made} of {agent.attempts} attempts" if made else "no run"
            report.doubt(rules.RUN_MISSING, report.root, Spot(agent.runs.entrant, name), what)
        # Where no run was made from a beginning and rounds were sampled, the reference solution did those before.
        starts = [number for sampled, number in agent.samples if sampled == name and not agent.own]
        done = range(1, max(starts, default=0))
        for attempt in range(1, agent.attempts + 1):
            blank = (
                unreached(name, attempt, each.n, "fast_forwarded" if each.n in done else "unreached")
                for each in task.task.rounds
            )
            yield agent.own.get((name, attempt)) or Results(tuple(blank))


def _reference_results(
    agent: AgentResults, tasks: Sequence[TaskDefinition], report: Report, *, allow_missing: bool
) -> Iterator[Results]:
    """The rounds that are expected from the reference state; what is missing is reported."""
    rule = rules.REFERENCE_LEFT_OUT if allow_missing else rules.REFERENCE_MISSING
    for task in tasks:
        name, numbers = task.task.id, [each.n for each in task.task.rounds]
        missing = [str(number) for number in numbers if (name, number) not in agent.samples]
        if missing:
            spot = Spot(agent.runs.entrant, name, start="reference")
            report.doubt(rule, report.root, spot, f"round {', '.join(missing)} of {len(numbers)}")
        for number in numbers:
            blank = unreached(name, 1, number, start="reference")
            yield agent.samples.get((name, number)) or Results((blank,))


def drafts_of(
    entries: Sequence[Entry], stated: Mapping[str, Stated], digest: str | None, options: ImportOptions, report: Report
) -> tuple[Draft, ...]:
    """Make one bundle an entry; those of a track stand together.

    Args:
        entries: What goes into them.
        stated: What was published about the agents, by name.
        digest: Checksum of the task set.
        options: Who is named how, and the day.
        report: Takes what had to be assumed; caveats are told once everything is.
    """
    manifests = [
        _manifest(entry, stated.get(entry.agent.runs.entrant.name), digest, options, report) for entry in entries
    ]
    names: list[str] = []
    for track, several in groupby(manifests, key=lambda each: each.track):
        named = bundle_names([(each.date, each.agent) for each in several])
        # An agent's bundle on a second track lies beside the one on the first.
        names += named if track == options.track else [longer_id(name, _APART) for name in named]
    drafts = []
    for name, manifest, entry in zip(names, manifests, entries, strict=True):
        starts: Sequence[Start] = ("own", "reference") if entry.board.with_reference else ("own",)
        caveats = report.caveats(entry.agent.runs.entrant, [run.trial.path for run in entry.runs], starts)
        submission = manifest.model_copy(update={"caveats": caveats})
        drafts.append(Draft(name, submission, entry.results.rounds, entry.agent.figures, entry.results.failures))
    return tuple(drafts)


def _manifest(
    entry: Entry, stated: Stated | None, digest: str | None, options: ImportOptions, report: Report
) -> Submission:
    entrant, runs = entry.agent.runs.entrant, entry.runs
    trials, authors = [run.trial for run in runs], [run.author for run in runs]
    spelled = {author.model or author.name or entrant.name for author in authors} - {entrant.name}
    # A spelling without the provider says nothing beside the same with it.
    models = _told(each for each in spelled if not any(other.endswith(f"/{each}") for other in spelled))
    versions = _told(author.version for author in authors)
    runners = _told(trial.version for trial in trials)
    for what, several in (
        ("models", models),
        ("versions of the scaffold", versions),
        ("versions of the runner", runners),
    ):
        if len(several) > 1:
            report.doubt(rules.CONDITIONS_DIFFER, report.root, Spot(entrant), f"{what} {listed(several)}")
    agent = Agent(
        name=entrant.name,
        organization=options.organization,
        model=only(models),
        scaffold=entrant.scaffold or None,
        scaffold_version=", ".join(versions) or None,
        reasoning=entrant.reasoning or None,
    )
    overrides: defaultdict[str, set[float]] = defaultdict(set)
    for trial in trials:
        for name, value in trial.config.overrides():
            overrides[name].add(value)
    verifier = only(_told(trial.result.verifier_environment_mode for trial in trials))
    date = options.date or max((day for trial in trials if (day := trial.day)), default=None)
    if date is None:
        date = options.today
        report.doubt(DATE_ASSUMED, report.root, Spot(entrant), f"taken as {date}")
    provenance = Provenance(
        harness="harbor",
        harness_version=", ".join(runners) or None,
        jobs=_told(trial.job_id for trial in trials) or None,
        task_digest=digest,
        started=min(filter(None, (moment(trial.result.started_at) for trial in trials)), default=None),
        finished=max(filter(None, (moment(trial.result.finished_at) for trial in trials)), default=None),
        overrides={name: ", ".join(f"{each:g}" for each in sorted(overrides[name])) for name in sorted(overrides)}
        or None,
        verifier=_VERIFIERS.get(verifier or ""),
    )
    return Submission(
        schema_version=1,
        track=entry.board.track,
        date=date,
        attempts=entry.agent.attempts,
        agent=described(agent, stated),
        provenance=provenance,
        detail=Detail(cases=case_detail(entry.results.rounds, entry.results.failures)),
        claims=stated.claims if stated and entry.board.track == options.track else None,
    )


def _told(values: Iterable[str | None]) -> tuple[str, ...]:
    """Every value that occurs, sorted, and as it can be shown."""
    return tuple(sorted({one_line(each) for each in values if each}))
