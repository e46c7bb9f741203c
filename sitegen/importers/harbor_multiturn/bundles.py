"""Puts bundles together: the records of agents' rounds, who they are, and what their readers have to know."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from sitegen.importers.harbor.cases import read_cases
from sitegen.importers.harbor.records import Effort, Figure
from sitegen.importers.harbor.rounds import Scorer, check_calls, figures_of, spot_of
from sitegen.importers.harbor.rounds import cause_of as cause_of_exception
from sitegen.importers.harbor.trajectory import Trajectory, read_trajectory, trajectory_files
from sitegen.importers.harbor_multiturn.attempts import AgentRuns, Cell
from sitegen.importers.harbor_multiturn.runs import VERIFICATION_ERROR, RowFile, Run
from sitegen.importers.kit.agents import Entrant, named, only
from sitegen.importers.kit.cases import unreached
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.report import Spot
from sitegen.importers.kit.rounds import Run as AgentRun
from sitegen.importers.kit.tree import Tree, digest_of
from sitegen.models.finding import Finding
from sitegen.models.incoming import Draft
from sitegen.models.outcome import RoundResult
from sitegen.models.submission import Provenance
from sitegen.models.task import Task
from sitegen.problems import counted

HARNESS = "harbor-multiturn"

PARENT = "parent_attempt@harbor-multiturn"
"""The measure that keeps a fan-out's lineage: the attempt from whose round before this one a round went on."""

_ERRORS: Sequence[tuple[str, str]] = (
    ("timed out", "VerifierTimeoutError"),
    ("reward file is empty", "RewardFileEmptyError"),
    ("no reward file", "RewardFileNotFoundError"),
)
"""What the fork says of a verification that failed, with the exception that the official runner raises then."""

_EXIT = re.compile(r"exited with code -?\d{1,4}\b", re.IGNORECASE)


def cause_of(row: RowFile, exception: str | None) -> str:
    """Why a round was reached and not judged, in words of our own: the fork's hold paths and tracebacks."""
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

    def told(self, agent: AgentRuns, tasks: Iterable[Task], options: ImportOptions) -> AgentRun:
        """What an agent's runs came to, task by task: its attempts, then its rounds from the reference state."""
        report, runs, entrant = self.scorer.report, agent.runs, agent.entrant
        # Of their times only the days are told: some runs were timed without a zone.
        began = [run.began.date() for run in runs if run.began]
        ended = [run.ended.date() for run in runs if run.ended]
        found = AgentRun(
            report.root,
            entrant,
            facts={
                "model": only({named(run.stated_model or run.model) for run in runs}),
                "scaffold_version": only({named(run.version) for run in runs}),
            },
            day=report.day(options, (run.day for run in runs), entrant),
            attempts=agent.made,
            provenance=Provenance(harness=HARNESS, started=min(began, default=None), finished=max(ended, default=None)),
            files=self.transcripts(agent),
            parts=[run.path for run in runs],
        )
        for task in tasks:
            places: list[tuple[RoundResult, Cell]] = []
            for attempt, each in enumerate(agent.tries.get(task.id, ()), start=1):
                places += [(unreached(task.id, attempt, number), cell) for number, cell in each.cells.items()]
                if each.whole:  # the figures of a fan-out stand with its rounds
                    found.figures += figures_of(task.id, attempt, asdict(each.whole.effort))
            sampled = agent.samples[task.id].rounds if task.id in agent.samples else {}
            places += [(unreached(task.id, 1, n, start="reference"), Cell(run)) for n, run in sampled.items()]
            for blank, cell in places:
                if blank.round <= len(task.rounds):
                    found.add(self.record(blank, cell, entrant))
        check_calls(found.results.values(), report.root, entrant, report)
        found.failures = self.scorer.failures[entrant]
        return found

    def files(self, run: Run) -> list[Path]:
        """The transcript of a run."""
        folder = self.tree.inner(run.folder, "agent")
        return trajectory_files(folder) if folder else []

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
        return {place: files[0] for place, run in runs.items() if (files := self.files(run))}

    def record(self, blank: RoundResult, cell: Cell, entrant: Entrant) -> RoundResult:
        """How a round of an entrant went, which is left blank as never reached where nothing is known of it."""
        run = cell.run
        row = run.rounds.get(blank.round)
        if row is None:
            return blank
        if run.path not in self._transcripts:
            found = self.scorer.report.take(read_trajectory(self.files(run))) or Trajectory()
            self._transcripts[run.path] = found
            self.scorer.check(found, run.stated_model, run.path, Spot(entrant, run.path.name, run.path.name))
            self.scorer.pace.step()
        effort = effort_of_round(cell, blank.round, self._transcripts[run.path])
        measures = {PARENT: float(cell.parent)} if cell.parent else None
        worked = replace(blank, **asdict(effort), measures=measures)
        if row.verdict is None:
            return replace(worked, state="aborted", cause=cause_of(row, run.exception))
        verdict = replace(worked, state="scored", reward=row.verdict, passed=None, total=None)
        # The file without a round's number is that of the last round that was verified.
        log = run.verifier.file(f"round_{blank.round}_test-stdout.txt") if run.verifier else None
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


def findings_of(agent: AgentRuns, draft: Draft, tasks: Sequence[str]) -> Iterator[Finding]:
    """What a reader has to know of an agent's runs beside its scores: how they hang together, and what is left out."""
    found: list[tuple[str, str, Iterable[str]]] = []
    if agent.fan_outs:
        lines = "; ".join(f"{task}: {each.line()}" for task, several in agent.fan_outs.items() for each in several)
        reason = (
            "Every round was tried several times from what one run of the round before left, which is not what "
            "independent attempts do. Attempt 1 is the line of runs that went furthest; the further attempts hold "
            f"the runs beside it, round by round. The line, by the runs' own numbers: {lines}."
        )
        found.append(("Attempts that branch from each other", reason, agent.fan_outs))
    if agent.surplus:
        spare = sum(map(len, agent.surplus.values()))
        reason = f"Most tasks have {counted(agent.made, 'attempt')}; of the others the first ones count."
        found.append((f"{counted(spare, 'attempt')} too many left out", reason, agent.surplus))
    missing = agent.missing(tasks) if agent.tries else {}
    if missing:
        reason = "The source has no runs for them. Their rounds are recorded as unreached and count 0."
        found.append((f"{counted(sum(missing.values()), 'attempt')} missing", reason, missing))
    for title, reason, about in found:
        yield Finding(
            date=draft.submission.date,
            kind="note",
            title=title,
            reason=reason,
            tracks=(draft.submission.track,),
            submissions=(draft.id,),
            tasks=tuple(about),
        )
