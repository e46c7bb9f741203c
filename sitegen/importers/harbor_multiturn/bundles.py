"""Puts bundles together: the records of agents' rounds, who they are, and what their readers have to know."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from sitegen.importers.harbor.cases import read_cases
from sitegen.importers.harbor.evidence import cause_of as cause_of_exception
from sitegen.importers.harbor.rounds import Results, Scorer, figures_of, spot_of, unreached
from sitegen.importers.harbor.trajectory import Effort, Figure, Trajectory, read_trajectory, trajectory_files
from sitegen.importers.harbor_multiturn.attempts import AgentRuns, Cell
from sitegen.importers.harbor_multiturn.runs import VERIFICATION_ERROR, RowFile, Run
from sitegen.importers.kit.agents import Entrant, only
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.tree import Tree
from sitegen.models.finding import Finding
from sitegen.models.incoming import Draft
from sitegen.models.outcome import RoundResult, RunFigures
from sitegen.models.submission import Agent, Provenance, Submission
from sitegen.models.task import Task
from sitegen.problems import counted

HARNESS = "harbor-multiturn"

PARENT = "parent_attempt@harbor-multiturn"
"""The measure that keeps a fan-out's lineage: the attempt from whose round before this one a round went on."""

_LONGEST = 100
"""Characters of a name."""

_ERRORS: Sequence[tuple[str, str]] = (
    ("timed out", "VerifierTimeoutError"),
    ("reward file is empty", "RewardFileEmptyError"),
    ("no reward file", "RewardFileNotFoundError"),
)
"""What the fork says of a verification that failed, with the exception that the official runner raises then."""

_EXIT = re.compile(r"exited with code -?\d{1,4}\b", re.IGNORECASE)


def cause_of(row: RowFile, exception: str | None) -> str:
    """Why a round was reached and not judged, in words of our own: the fork's hold paths of the machine and tracebacks.

    Args:
        row: The round.
        exception: Type of what ended the run; None where nothing did.
    """
    status = row.status or ""
    if status.startswith(VERIFICATION_ERROR):
        named = next((cause_of_exception(name) for words, name in _ERRORS if words in status.casefold()), None)
        code = _EXIT.search(status)
        return named or (f"the verifier {code[0].lower()}" if code else "the verifier failed")
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

    def records(self, agent: AgentRuns, tasks: Iterable[Task], *, with_reference: bool) -> Iterator[Results]:
        """The records of an agent, task by task: attempt by attempt, then the rounds from the reference state."""
        for task in tasks:
            tries = agent.attempts.tries.get(task.id, ())
            for attempt in range(1, agent.attempts.made + 1):
                cells = tries[attempt - 1].cells if attempt <= len(tries) else {}
                for each in task.rounds:
                    yield self.record(unreached(task.id, attempt, each.n), cells.get(each.n), agent.entrant)
            sampled = agent.samples[task.id].rounds if task.id in agent.samples else {}
            for each in task.rounds if with_reference else ():
                cell = Cell(sampled[each.n]) if each.n in sampled else None
                yield self.record(unreached(task.id, 1, each.n, start="reference"), cell, agent.entrant)

    def record(self, blank: RoundResult, cell: Cell | None, entrant: Entrant) -> Results:
        """Say how a round went.

        Args:
            blank: The record of a round that was never reached, as `unreached` makes it.
            cell: What is known of it; None where that is so.
            entrant: Whose it is.
        """
        row = cell.course.rows.get(blank.round) if cell else None
        if cell is None or row is None:
            return Results((blank,))
        run = cell.course.run
        effort = effort_of_round(cell, blank.round, self._transcript(run))
        measures = {PARENT: float(cell.parent)} if cell.parent else None
        worked = replace(blank, **asdict(effort), measures=measures)
        if row.verdict is None:
            return Results((replace(worked, state="aborted", cause=cause_of(row, run.exception)),))
        verdict = replace(worked, state="scored", reward=row.verdict, passed=None, total=None)
        # The file without a round's number is that of the last round that was verified.
        log = run.verifier.file(f"round_{blank.round}_test-stdout.txt") if run.verifier else None
        cases, problems = read_cases(log)
        self.scorer.report.problems += problems
        words = f"round {blank.round} of {blank.task} ({run.name})"
        return self.scorer.scored(verdict, cases, replace(spot_of(blank, entrant), words=words))

    def _transcript(self, run: Run) -> Trajectory:
        """Count a run's transcript, once; nothing is counted where there is none or where it can't be read."""
        if run.path not in self._transcripts:
            folder = self.tree.look(run.path / "agent") if "agent" in run.folder.folders else None
            transcript, problems = read_trajectory(trajectory_files(folder) if folder else [])
            self._transcripts[run.path] = transcript or Trajectory(Effort())
            self.scorer.report.problems += problems
            self.scorer.pace.step()
        return self._transcripts[run.path]


def effort_of_round(cell: Cell, number: int, transcript: Trajectory) -> Effort:
    """What one round took.

    Figures that are known for a run as a whole are a round's only where the run went through no other round. From
    these, what the run before it took is taken away, unless the agent began to count anew: one figure is smaller then.
    """
    run = cell.course.run
    steps = transcript.by_round.get(number, Effort())
    if not any(each.interactions for each in transcript.by_round.values()):
        steps = replace(steps, interactions=None)
    whole = run.effort
    if not run.is_single or number != run.start:
        return steps.beside(whole, lambda told, of_run: told if of_run is None else None)
    if cell.before:

        def less(late: Figure, early: Figure) -> Figure:
            return late if late is None or early is None else late - early

        rest = whole.beside(cell.before.run.effort, less)
        is_anew = any(figure is not None and figure < 0 for figure in asdict(rest).values())
        whole = whole if is_anew else rest
    return whole.or_else(steps)


def agent_of(agent: AgentRuns, options: ImportOptions) -> Agent:
    """Describe an agent, as its runs and the importing person do; None for what its runs do not agree on."""
    entrant, runs = agent.entrant, [course.run for course in agent.courses]
    model = only({one_line(run.settings.agent.model_name or run.model or "", _LONGEST) for run in runs})
    version = only({one_line(run.result.agent_info.version or "", _LONGEST) for run in runs})
    return Agent(
        name=entrant.name,
        organization=options.organization or None,
        model=model if model and model != entrant.name else None,
        scaffold=entrant.scaffold or None,
        scaffold_version=version or None,
        reasoning=entrant.reasoning or None,
    )


def draft_of(agent: AgentRuns, name: str, head: Submission, records: Iterable[Results], tasks: Sequence[str]) -> Draft:
    """Make a bundle; what it lists of cases is still to be fitted to those of all bundles.

    Args:
        agent: What the agent has to show.
        name: Name of the folder to be.
        head: Whose the bundle is, of which track and day.
        records: Its rounds.
        tasks: Ids of the track's tasks.
    """
    runs = [course.run for course in agent.courses]
    # Of their times only the days are told: some runs were timed without a zone.
    began = [run.began.date() for run in runs if run.began]
    ended = [run.ended.date() for run in runs if run.ended]
    provenance = Provenance(harness=HARNESS, started=min(began, default=None), finished=max(ended, default=None))
    figures: list[RunFigures] = []
    for task in tasks:
        for attempt, each in enumerate(agent.attempts.tries.get(task, ()), start=1):
            if each.whole:  # the figures of a fan-out stand with its rounds
                figures += figures_of(task, attempt, each.whole.run.effort)
    results = Results.joined(records)
    submission = head.model_copy(update={"provenance": provenance})
    return Draft(name, submission, results.rounds, tuple(figures), results.failures)


def findings_of(agent: AgentRuns, draft: Draft, tasks: Sequence[str]) -> Iterator[Finding]:
    """What a reader has to know of an agent's runs beside its scores: how they hang together, and what is left out."""

    def note(title: str, reason: str, about: Sequence[str]) -> Finding:
        return Finding(
            date=draft.submission.date,
            kind="note",
            title=title,
            reason=reason,
            tracks=(draft.submission.track,),
            submissions=(draft.id,),
            tasks=tuple(about),
        )

    if agent.fan_outs:
        lines = "; ".join(f"{task}: {each.line()}" for task, several in agent.fan_outs.items() for each in several)
        reason = (
            "Every round was tried several times from what one run of the round before left, which is not what "
            "independent attempts do. Attempt 1 is the line of runs that went furthest; the further attempts hold "
            f"the runs beside it, round by round. The line, by the runs' own numbers: {lines}."
        )
        yield note("Attempts that branch from each other", reason, list(agent.fan_outs))
    attempts = agent.attempts
    surplus, missing = attempts.surplus, attempts.missing(tasks)
    if surplus:
        spare = sum(map(len, surplus.values()))
        reason = f"Most tasks have {counted(attempts.made, 'attempt')}; of the others the first ones count."
        yield note(f"{counted(spare, 'attempt')} too many left out", reason, list(surplus))
    if missing and attempts.tries:
        reason = "The source has no runs for them. Their rounds are recorded as unreached and count 0."
        yield note(f"{counted(sum(missing.values()), 'attempt')} missing", reason, list(missing))
