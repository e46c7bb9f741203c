"""The conditions that runs were made under: what was found of them, and what makes them doubtful."""

import re
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.book import Taskbook
from sitegen.importers.harbor.plays import Play
from sitegen.importers.harbor.runs import Run
from sitegen.importers.harbor.survey import CONFIG, Survey
from sitegen.importers.harbor.trials import Trial
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report, Spot, listed
from sitegen.problems import Rule, counted

_LAST_EXPOSED = (0, 23, 0)
"""The last version of the runner in which an agent finds the checks of the rounds before."""

_VERSION = re.compile(r"(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?")


def check_runs(runs: Sequence[Run], report: Report) -> None:
    """Say which runs may have gone on since, and in which an agent was told or could see more than others."""
    for run in runs:
        where = run.spot(report.name(run.trial.path))
        for rule in _broken_by(run):
            report.doubt(rule, run.trial.path, where)
        if run.sampled is not None and run.start < run.end:
            report.notes.append(f"{where}: rounds after {run.start} go on from the agent's own work and are not used")
    exposed = {(run.trial.version or "", str(run.entrant)): run for run in filter(_is_exposed, runs)}
    for (version, _), run in sorted(exposed.items(), key=itemgetter(0)):
        report.doubt(rules.VERIFIER_EXPOSED, report.root, Spot(run.entrant), f"run by harbor {one_line(version)}")


def _broken_by(run: Run) -> Iterator[Rule]:
    if not run.trial.has_result and CONFIG in run.trial.place.folder.files:
        yield rules.RUN_UNFINISHED
    if run.trial.config.has_extra_instructions:
        yield rules.EXTRA_INSTRUCTIONS
    if run.trial.config.agent.resume_trajectory and len(run.task.steps) > 1:
        yield rules.SESSION_RESUMED


def _is_exposed(run: Run) -> bool:
    match = _VERSION.match(run.trial.version or "")
    return run.task.is_chain and match is not None and tuple(int(part or 0) for part in match.groups()) <= _LAST_EXPOSED


def note_found(survey: Survey, trials: Sequence[Trial], book: Taskbook, report: Report) -> None:
    """Say what a source holds."""
    jobs = {trial.job.folder.path: trial.job for trial in trials}
    found = f"found: {counted(len(trials), 'trial')} in {counted(len(jobs), 'job')}"
    report.notes.append(f"{found}, and the definitions of {counted(len(book.tasks), 'task')}")
    for why, paths in survey.skipped.items():
        report.passed_over(why, paths)
    for path, job in jobs.items():
        if job.result.retries:
            times = counted(job.result.retries, "trial")
            report.notes.append(f"job {report.name(path)}: {times} run again; the runner keeps the last try only")


def note_plays(plays: Sequence[Play], sources: Mapping[str, int], report: Report) -> None:
    """Say what was made of a source."""
    report.notes += [f"{play.field.entrant}: {'; '.join(_facts(play))}" for play in plays]
    told = ", ".join(f"{number:,} from {source}" for source, number in sorted(sources.items()))
    report.notes.append(f"rewards: {told or 'none'}")


def _facts(play: Play) -> Iterator[str]:
    trials = [run.trial for run in play.field.runs]
    if play.own:
        yield f"{counted(play.field.most, 'attempt')} at {counted(len(play.field.attempts), 'task')}"
    if play.samples:
        yield f"{counted(len(play.samples), 'round')} from the reference state"
    yield f"job {listed(sorted({one_line(each.job_id or 'unknown') for each in trials}))}"
    yield f"harbor {listed(sorted({one_line(each.version or 'of unknown version') for each in trials}))}"
