"""Make the records of a submission: the results of its rounds, their usage and transcripts."""

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from sitegen.importers.harbor.cases import read_cases
from sitegen.importers.harbor.causes import describe_exception
from sitegen.importers.harbor.records import AgentUsage, OptionalFigure
from sitegen.importers.harbor.rounds import (
    RoundScorer,
    check_calls,
    make_run_figures,
    name_round,
    read_transcript,
)
from sitegen.importers.harbor.transcript import TranscriptCounts, find_transcript_files
from sitegen.importers.harbor_multiturn.attempts import RoundSource
from sitegen.importers.harbor_multiturn.runs import (
    LISTED_TWICE,
    VERIFICATION_ERROR,
    ForkRun,
    RowFile,
)
from sitegen.importers.harbor_multiturn.submissions import MultiturnSubmission
from sitegen.importers.kit.agents import RankedAgent, clean_agent_name, only
from sitegen.importers.kit.cases import blank_round
from sitegen.importers.kit.import_log import SourceLocation
from sitegen.importers.kit.rounds import AgentResults
from sitegen.importers.kit.tree import Folder, SourceTree, digest_of
from sitegen.models.outcome import RoundResult
from sitegen.models.submission import Provenance
from sitegen.models.task import Task

PARENT = "parent_attempt@harbor-multiturn"
"""Measure for rounds of a fan-out: the attempt whose previous round this round continues."""

_VERIFIER_EXCEPTIONS = {
    "timed out": "VerifierTimeoutError",
    "reward file is empty": "RewardFileEmptyError",
    "no reward file": "RewardFileNotFoundError",
}
"""The official runner's exception for each of the fork's texts about a failed verification."""

_EXIT_CODE = re.compile(r"exited with code -?\d{1,4}\b", re.IGNORECASE)


@dataclass(slots=True)
class Recorder:
    """Makes the records of an import's submissions."""

    tree: SourceTree
    scorer: RoundScorer
    transcripts: dict[Path, TranscriptCounts] = field(default_factory=dict)
    """The transcripts read so far, keyed by the run's folder."""

    def record(self, submission: MultiturnSubmission, tasks: Iterable[Task]) -> AgentResults:
        """Return an agent's results, task by task: attempts first, then reference-state rounds."""
        log = self.scorer.log
        entrant = submission.entrant
        runs = submission.runs
        days = [run.day for run in runs if run.day]
        models = {clean_agent_name(run.identity.model or run.identity.name) for run in runs}
        scaffold_versions = {run.identity.version for run in runs}
        recorded = AgentResults(
            log.root,
            entrant,
            facts={"model": only(models), "scaffold_version": only(scaffold_versions)},
            day=max(days, default=None),
            attempts=submission.attempt_count,
            provenance=_make_provenance(runs),
            files=self._find_transcripts(submission),
            parts=[run.path for run in runs],
        )
        for task in tasks:
            self._record_task(recorded, submission, task)
        check_calls(recorded.results.values(), log.root, entrant, log)
        recorded.failures = self.scorer.failures[entrant]
        return recorded

    def _record_task(
        self, recorded: AgentResults, submission: MultiturnSubmission, task: Task
    ) -> None:
        """Add the rounds of one task to an agent's records."""
        round_sources: list[tuple[RoundResult, RoundSource]] = []
        for number, attempt in enumerate(submission.attempts.get(task.id, ()), start=1):
            for round_number, source in attempt.rounds.items():
                round_sources.append((blank_round(task.id, number, round_number), source))
            if attempt.final_run:
                usage = attempt.final_run.usage
                recorded.figures += make_run_figures(task.id, number, usage)
        samples = submission.samples.get(task.id, {})
        for round_number, run in sorted(samples.items()):
            blank = blank_round(task.id, 1, round_number, start="reference")
            round_sources.append((blank, RoundSource(run)))
        for blank, source in round_sources:
            if blank.round <= len(task.rounds):
                recorded.add(self._record_round(blank, source, submission.entrant))

    def _record_round(
        self, blank: RoundResult, source: RoundSource, entrant: RankedAgent
    ) -> RoundResult:
        """Return the result of a round; it stays unreached if its run lacks the round."""
        run = source.run
        row = run.rounds.get(blank.round)
        if row is None:
            return blank
        usage = calculate_round_usage(source, blank.round, self._read_transcript(run, entrant))
        measures = {PARENT: float(source.parent_attempt)} if source.parent_attempt else None
        measured = replace(blank, measures=measures, **asdict(usage))
        if row.verdict is None:
            return replace(measured, state="aborted", cause=find_cause(row, run.exception))
        # Only logs with a round number are read: another log belongs to the last verified round.
        output = run.verifier.file(f"round_{blank.round}_test-stdout.txt")
        verdict = replace(
            measured,
            state="scored",
            reward=row.verdict,
            passed=None,
            total=None,
            grader_digest=digest_of([output] if output else ()),
        )
        cases = self.scorer.log.collect(read_cases(output))
        message_name = f"round {blank.round} of {blank.task} ({run.path.name})"
        spot = replace(name_round(blank, entrant), words=message_name)
        return self.scorer.add_cases(verdict, cases, spot)

    def _read_transcript(self, run: ForkRun, entrant: RankedAgent) -> TranscriptCounts:
        """Return the counts of a run's transcript, which is read and checked only once."""
        if run.path not in self.transcripts:
            transcript = read_transcript(self._agent_folder(run), self.scorer.log)
            self.transcripts[run.path] = transcript
            spot = SourceLocation(entrant, run.path.name, run.path.name)
            self.scorer.check_transcript(transcript, run.identity.model, run.path, spot)
            self.scorer.pace.step()
        return self.transcripts[run.path]

    def _find_transcripts(
        self, submission: MultiturnSubmission
    ) -> dict[tuple[str, int, int], Path]:
        """Return the first transcript of each attempt, or of each round if there are fan-outs.

        The keys are the task, the attempt, and the round, which is 0 for an attempt.
        """
        transcripts = {}
        for task, attempts in submission.attempts.items():
            for number, attempt in enumerate(attempts, start=1):
                runs = {0: attempt.final_run or attempt.first_run}
                if submission.fan_outs:
                    runs = {n: source.run for n, source in attempt.rounds.items()}
                for round_number, run in runs.items():
                    for path in find_transcript_files(self._agent_folder(run))[:1]:
                        transcripts[task, number, round_number] = path
        return transcripts

    def _agent_folder(self, run: ForkRun) -> Folder:
        return self.tree.inner(run.folder, "agent")


def _make_provenance(runs: Iterable[ForkRun]) -> Provenance:
    """Return the days on which runs were made, without times, as some lack a time zone."""
    start_days = []
    end_days = []
    for run in runs:
        if run.began:
            start_days.append(run.began.date())
        if run.ended:
            end_days.append(run.ended.date())
    return Provenance(
        harness="harbor-multiturn",
        started=min(start_days, default=None),
        finished=max(end_days, default=None),
    )


def find_cause(row: RowFile, exception: str | None) -> str:
    """Return why a round was reached but not scored.

    The fork's own messages are not shown: they contain paths and tracebacks.
    """
    status = row.status or ""
    if status.startswith(VERIFICATION_ERROR):
        return _find_verifier_cause(status)
    if status == LISTED_TWICE:
        return "the run lists the round twice, with different outcomes"
    if status == "agent_timeout":
        return describe_exception("AgentTimeoutError") or status
    is_agent_error = status == "agent_error"
    fallback = "the agent failed" if is_agent_error else "the verifier left no reward"
    return describe_exception(exception) or fallback


def _find_verifier_cause(status: str) -> str:
    """Return why a verification failed, from the status of its round."""
    for text, exception in _VERIFIER_EXCEPTIONS.items():
        if text in status.casefold():
            return describe_exception(exception) or exception
    exit_code = _EXIT_CODE.search(status)
    return f"the verifier {exit_code[0].lower()}" if exit_code else "the verifier failed"


def calculate_round_usage(
    source: RoundSource, number: int, transcript: TranscriptCounts
) -> AgentUsage:
    """Return the usage of one round.

    The figures of a run are used for a round only if the run had no other round. They include the
    usage of the run that it continues, which is subtracted unless a figure is smaller than before:
    then the agent restarted its counts from 0.
    """
    run = source.run
    round_usage = transcript.by_round.get(number, AgentUsage())
    if not any(usage.interactions for usage in transcript.by_round.values()):
        round_usage = replace(round_usage, interactions=None)
    if not run.is_single_round or number != run.start:
        return round_usage.combine(run.usage, _drop_known_total)
    run_usage = run.usage
    if source.previous:
        difference = run_usage.combine(source.previous.usage, _subtract)
        figures = [figure for figure in asdict(difference).values() if figure is not None]
        if min(figures, default=0) >= 0:
            run_usage = difference
    return run_usage.or_else(round_usage)


def _drop_known_total(round_figure: OptionalFigure, run_figure: OptionalFigure) -> OptionalFigure:
    """Return a round's figure; None if the figure of the complete run is known."""
    return round_figure if run_figure is None else None


def _subtract(later: OptionalFigure, earlier: OptionalFigure) -> OptionalFigure:
    """Return the increase of a figure; the later figure itself if either figure is unknown."""
    if later is None or earlier is None:
        return later
    return later - earlier
