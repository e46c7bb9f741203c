"""Imports the job and trial folders that Harbor writes."""

from collections.abc import Sequence
from pathlib import Path

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.bundles import (
    benchmark_of,
    boards_of,
    drafts_of,
    protocol_of,
    results_of,
    task_set_of,
    track_of,
)
from sitegen.importers.harbor.rounds import Scorer
from sitegen.importers.harbor.runs import Pick, check_runs, counting_runs, identified, judged_again
from sitegen.importers.harbor.tasks import Tasks, read_tasks
from sitegen.importers.harbor.trials import Survey, Trial, read_trials, survey_of
from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.drafts import omission_notes
from sitegen.importers.kit.options import ImportOptions, Pace
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.tree import Tree
from sitegen.models.incoming import Incoming
from sitegen.problems import counted


def read_harbor(source: Path, options: ImportOptions, tasks: Path | None = None, pick: Pick = None) -> Incoming:
    """Read a folder that holds jobs of the runner Harbor, be it one job or EvoCode-Bench's nesting of them.

    Every agent becomes one bundle. The trials of a job are attempts. Scores are not taken from the runner: it
    leaves rounds without a verdict out of its means.

    Args:
        source: The folder.
        options: Where the results go, which agents are meant, and which gaps.
        tasks: The folder of the tasks, where the source does not hold them.
        pick: Which of several jobs counts in which an agent ran the same task; None where that is an error.

    Raises:
        UsageError: The agent or the folder that is asked for is not there.
        ProblemsError: The runs can't be used as they stand; carries every problem, warnings included.
    """
    report, tree = Report(source), Tree(source)
    survey = survey_of(tree)
    trials, unread = read_trials(survey)
    defined, faults = read_tasks(survey.tasks, tasks)
    report.problems += [*tree.problems(), *unread, *faults]
    _note_found(survey, trials, defined, report)

    # The runs that count, by agent.
    who = identified(judged_again(trials, pick, report), defined, options, report)
    agents = counting_runs(who.runs, pick, report)
    runs = [run for agent in agents for run in agent.runs]
    check_runs(runs, report)
    if not agents:
        report.stop_at_errors()
        report.stop_at_nothing(rules.NOTHING_FOUND, "no finished trial of an agent was found")
    missing = [name for name in defined.by_id if name not in who.tasks]
    if missing and not any(doubt.rule is rules.TASK_UNKNOWN for doubt in report.doubts):
        rule = kit_rules.TASKS_LEFT_OUT if options.allow_missing else kit_rules.TASK_MISSING
        what = f"{len(missing)} of {len(defined.by_id)} tasks have no run: {', '.join(missing)}"
        fix = "add the runs, or import with `--allow-missing` to leave these tasks out of the task set"
        report.problems.append(rule.broken(report.root, None, what, None if options.allow_missing else fix))
    # Tasks that do not name their targets have those of the runs.
    known = dict(defined.by_id) | {run.task.task.id: run.task for run in who.runs}
    ran = [known[name] for name in sorted(who.tasks)]

    # What they came to.
    scorer = Scorer(report, Pace(len(runs), options.watch))
    results = results_of(agents, scorer)
    report.notes += [each.note() for each in results]
    sources = ", ".join(f"{number:,} from {place}" for place, number in sorted(scorer.sources.items()))
    report.notes.append(f"rewards: {sources or 'none'}")
    task_set = task_set_of(options.track, ran, runs, scorer.cases, report)
    protocol = protocol_of(ran, report)

    # The bundles and the tracks that they stand on.
    boards = boards_of(results, options.track)
    drafts = drafts_of(boards, task_set, who.roster, options, scorer)
    report.stop_at_errors()
    tracks = [track_of(board, protocol, task_set) for board in boards]
    why = "These tasks are defined, and the source has no runs of them"
    return Incoming(
        benchmark_of(tracks, task_set.tasks, who.roster, options),
        (task_set,),
        drafts,
        omission_notes(missing, len(missing) + len(ran), why, drafts),
        report.all_problems(),
        tuple(report.notes),
    )


def _note_found(survey: Survey, trials: Sequence[Trial], tasks: Tasks, report: Report) -> None:
    """Say what a source holds."""
    jobs = {trial.job.folder.path: trial.job for trial in trials}
    found = f"found: {counted(len(trials), 'trial')} in {counted(len(jobs), 'job')}"
    report.notes.append(f"{found}, and the definitions of {counted(len(tasks.by_id), 'task')}")
    for why, paths in survey.skipped.items():
        report.passed_over(why, paths)
    for path, job in jobs.items():
        if job.result.retries:
            times = counted(job.result.retries, "trial")
            report.notes.append(f"job {report.name(path)}: {times} run again; the runner keeps the last try only")
