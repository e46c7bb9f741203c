"""Imports runs of SWE-bench's evaluation and its relatives, and submissions to its leaderboard."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import chosen
from sitegen.importers.kit.claims import reported_table
from sitegen.importers.kit.joining import join_runs
from sitegen.importers.kit.options import Format, ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rounds import GRADED, Run, Source
from sitegen.importers.kit.tree import Tree
from sitegen.importers.swebench import rules
from sitegen.importers.swebench.contents import Contents, find_contents, pick_dataset
from sitegen.importers.swebench.evaluations import Evaluation, order_runs, read_evaluation
from sitegen.importers.swebench.grading import REPOSITORY_AXIS, Grader
from sitegen.importers.swebench.logs import PATCH_FAILED, REPORT, is_instance_report
from sitegen.importers.swebench.submissions import is_submission, read_run, reported_row
from sitegen.importers.swebench.summaries import looks_like_summary
from sitegen.models.incoming import Incoming
from sitegen.models.reported import ReportedRow, ReportedTable
from sitegen.problems import listed


def read_swebench(source: Path, options: ImportOptions) -> Incoming:
    """Return what a folder of evaluation runs or of leaderboard submissions holds."""
    report, tree = Report(source), Tree(source)
    contents = find_contents(tree.walk(leave_out={"trajs"}), tree, report)
    report.problems += tree.problems()
    report.stop_at_errors()
    contents = contents.of_models(chosen(contents.models(), options))
    contents, options = pick_dataset(contents, options, report)
    check_names(contents.evaluations, options, report)
    made = Source(report, "Instances of SWE-bench, each patched once.", columns=GRADED)
    made.undated = kit_rules.DATE_ASSUMED
    made.lasting_axes = (REPOSITORY_AXIS,)
    made.axis_titles[REPOSITORY_AXIS] = "Repository"
    made.cluster_axis = REPOSITORY_AXIS
    grader = Grader(made)
    runs = read_evaluations(contents.evaluations, grader, options)
    submitted, rows = read_submissions(contents, grader)
    report.stop_at_errors()
    runs = with_verdicts([*runs, *submitted], report)
    grader.finish(runs, join_runs(runs, options, report))
    if rows:
        made.reported.append(("swe-bench", _table_of(rows, contents, options)))
    return made.imported(options)


def recognise(tree: Tree) -> str | None:
    """Return which files tell that a folder is of this format; None if none do."""
    for folder in tree.walk(leave_out={"trajs"}):
        if is_submission(folder, tree):
            return f"submissions to SWE-bench, such as {tree.shown(folder.path)}"
        for name in folder.files:
            path = folder.path / name
            if looks_like_summary(path):
                return f"runs of SWE-bench's evaluation, such as {tree.shown(path)}"
            if name == REPORT and is_instance_report(path):
                return f"logs of SWE-bench's evaluation, such as {tree.shown(path)}"
    return None


FORMAT = Format(read_swebench, "main", extras=frozenset({"runs", "pick"}), recognise=recognise)


def check_names(evaluations: Iterable[Evaluation], options: ImportOptions, report: Report) -> None:
    """Report an error for every run of an unknown model, unless `--agent` names the agent."""
    if options.agent:
        return
    for evaluation in evaluations:
        if not evaluation.model:
            fact = f"neither the name of {evaluation.path.name} nor a file of predictions says which model it is about"
            report.add(kit_rules.AGENT_UNKNOWN, evaluation.path, fact)
    report.stop_at_errors()


def read_evaluations(
    evaluations: Sequence[Evaluation], grader: Grader, options: ImportOptions
) -> list[Run]:
    """Return the runs of evaluations, those of an agent in the order of time."""
    by_model: defaultdict[str, list[Evaluation]] = defaultdict(list)
    for evaluation in evaluations:
        by_model[evaluation.model].append(evaluation)
    runs: list[Run] = []
    for own_evaluations in by_model.values():
        ordered, is_stated = order_runs(own_evaluations)
        own_runs = [read_evaluation(evaluation, grader, options.agent) for evaluation in ordered]
        tasks = [task for run in own_runs for task, *_ in run.results]
        if not is_stated and len(set(tasks)) < len(tasks):
            names = listed(
                [one_line(evaluation.run_id or evaluation.path.name) for evaluation in ordered]
            )
            entrant = own_runs[0].entrant
            fact = f"the runs of {entrant} took place in the order of their run ids: {names}"
            grader.report.assume(fact, entrant)
        runs += own_runs
    return runs


def read_submissions(contents: Contents, grader: Grader) -> tuple[list[Run], list[ReportedRow]]:
    """Return the runs of submissions, and the scores of those that do not name every instance."""
    runs = []
    rows = []
    for submission in contents.submissions:
        run = read_run(submission, grader, contents.instances_beside(submission))
        if run is not None:
            runs.append(run)
            continue
        row = reported_row(submission)
        if row is None:
            fact = "the submission names only its resolved instances, and not how many instances there are"
            grader.report.add(rules.INSTANCES_UNKNOWN, submission.folder, fact)
        else:
            fact = "the submission does not name every instance, so only its score was imported"
            grader.report.add(rules.REPORTED_ONLY, submission.folder, fact)
            rows.append(row)
    return runs, rows


def _table_of(
    rows: Sequence[ReportedRow], contents: Contents, options: ImportOptions
) -> ReportedTable:
    """Return a table of scores, of the day of the newest submission."""
    days = [submission.day for submission in contents.submissions if submission.day]
    day = options.date or max(days, default=options.today)
    return reported_table(
        "SWE-bench submissions", "SWE-bench leaderboard", day, rows, options.track
    )


def with_verdicts(runs: Sequence[Run], report: Report) -> list[Run]:
    """Return the runs in which some instance came to a verdict; the others are left out by name."""
    kept = [run for run in runs if _has_verdict(run)]
    empty = [run for run in runs if not _has_verdict(run)]
    if empty and not kept:
        names = listed([report.name(run.path) for run in empty])
        report.add(
            kit_rules.NOTHING_SCORED, empty[0].path, f"no instance came to a verdict in {names}"
        )
        report.stop_at_errors()
    for run in empty:
        fact = f"{report.name(run.path)}, in which no instance came to a verdict"
        report.say(kit_rules.LEFT_OUT, run.path, fact, None, fact)
    return kept


def _has_verdict(run: Run) -> bool:
    """Return whether some instance of a run came to a verdict.

    A patch that could not be applied is the agent's failure, so that is a verdict.
    """
    return any(
        result.state != "aborted" or result.cause == PATCH_FAILED for result in run.results.values()
    )
