"""Import evaluations of SWE-bench and its variants, and submissions to its leaderboard."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import chosen
from sitegen.importers.kit.claims import reported_table
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.joining import join_runs
from sitegen.importers.kit.options import Format, ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rounds import GRADED, AgentResults, ImportSource
from sitegen.importers.kit.tree import Folder, SourceTree
from sitegen.importers.swebench import rules
from sitegen.importers.swebench.causes import PATCH_FAILED
from sitegen.importers.swebench.contents import SourceContents, find_contents, pick_dataset
from sitegen.importers.swebench.evaluations import ModelEvaluation, order_runs, read_evaluation
from sitegen.importers.swebench.grading import REPOSITORY_AXIS, Grader
from sitegen.importers.swebench.logs import (
    REPORT,
    is_instance_report,
    is_pull_request_report,
)
from sitegen.importers.swebench.submissions import is_submission, read_run, reported_row
from sitegen.importers.swebench.summaries import looks_like_summary
from sitegen.models.incoming import Incoming
from sitegen.models.reported import ReportedRow, ReportedTable
from sitegen.problems import grouped, listed


def read_swebench(source: Path, options: ImportOptions) -> Incoming:
    """Return the results in a folder of evaluations or of leaderboard submissions."""
    log = ImportLog(source)
    tree = SourceTree(source)
    folders = tree.walk(leave_out={"trajs"})
    contents = find_contents(folders, tree, log)
    log.problems += tree.problems()
    if not contents.evaluations and not contents.submissions:
        check_pull_requests(folders, tree, log)
    log.stop_at_errors()
    contents = contents.of_models(chosen(contents.models(), options))
    contents, options = pick_dataset(contents, options, log)
    check_names(contents.evaluations, options, log)
    benchmark_source = ImportSource(
        log, "Instances of SWE-bench, each patched once.", columns=GRADED
    )
    benchmark_source.undated = kit_rules.DATE_ASSUMED
    benchmark_source.lasting_axes = (REPOSITORY_AXIS,)
    benchmark_source.axis_titles[REPOSITORY_AXIS] = "Repository"
    benchmark_source.cluster_axis = REPOSITORY_AXIS
    grader = Grader(benchmark_source)
    evaluation_runs = read_evaluations(contents.evaluations, grader, options)
    submission_runs, rows = read_submissions(contents, grader)
    log.stop_at_errors()
    runs = with_verdicts([*evaluation_runs, *submission_runs], log)
    grader.finish(runs, join_runs(runs, options, log))
    if rows:
        table = _reported_table(rows, contents, options)
        benchmark_source.reported.append(("swe-bench", table))
    return benchmark_source.imported(options)


def recognise(tree: SourceTree) -> str | None:
    """Return a phrase that names a file of this format in a source; None if there is none."""
    for folder in tree.walk(leave_out={"trajs"}):
        if is_submission(folder, tree):
            return f"submissions to SWE-bench, such as {tree.shown(folder.path)}"
        for name in folder.files:
            path = folder.path / name
            if looks_like_summary(path):
                return f"runs of SWE-bench's evaluation, such as {tree.shown(path)}"
            if name == REPORT and is_instance_report(path):
                return f"logs of SWE-bench's evaluation, such as {tree.shown(path)}"
            if name == REPORT and is_pull_request_report(path):
                return f"reports of Multi-SWE-bench, such as {tree.shown(path)}"
    return None


FORMAT = Format(
    read_swebench,
    "main",
    extras=frozenset({"runs", "pick"}),
    takes_files=True,
    recognise=recognise,
)


def check_pull_requests(folders: Iterable[Folder], tree: SourceTree, log: ImportLog) -> None:
    """Report an error if there are reports on pull requests, which state no usable verdicts."""
    for folder in folders:
        path = folder.path / REPORT
        if REPORT in folder.files and is_pull_request_report(path):
            fact = f"reports such as {tree.shown(path)} do not say which instances are resolved"
            log.add(rules.PULL_REQUESTS_ONLY, path, fact)
            return


def check_names(
    evaluations: Iterable[ModelEvaluation], options: ImportOptions, log: ImportLog
) -> None:
    """Report an error for every run of an unknown model, unless `--agent` names the agent."""
    if options.agent:
        return
    for evaluation in evaluations:
        if not evaluation.model:
            subject = f"neither the name of {evaluation.path.name} nor a file of predictions"
            fact = f"{subject} says which model it is about"
            log.add(kit_rules.AGENT_UNKNOWN, evaluation.path, fact)
    log.stop_at_errors()


def read_evaluations(
    evaluations: Sequence[ModelEvaluation], grader: Grader, options: ImportOptions
) -> list[AgentResults]:
    """Return the runs of evaluations; the runs of an agent are in chronological order."""
    by_model = grouped((evaluation.model, evaluation) for evaluation in evaluations)
    runs: list[AgentResults] = []
    for model_evaluations in by_model.values():
        ordered, is_stated = order_runs(model_evaluations)
        model_runs = [read_evaluation(item, grader, options.agent) for item in ordered]
        runs += model_runs
        if not is_stated and _share_tasks(model_runs):
            names = listed(one_line(item.run_id or item.path.name) for item in ordered)
            entrant = model_runs[0].entrant
            fact = f"the runs of {entrant} took place in the order of their run ids: {names}"
            grader.log.assume(fact, entrant)
    return runs


def _share_tasks(runs: Sequence[AgentResults]) -> bool:
    """Return whether any task has results in more than one of the runs."""
    tasks: list[str] = []
    for run in runs:
        tasks += [task for task, *_ in run.results]
    return len(set(tasks)) < len(tasks)


def read_submissions(
    contents: SourceContents, grader: Grader
) -> tuple[list[AgentResults], list[ReportedRow]]:
    """Return the runs of submissions, or their scores if they do not name every instance."""
    runs = []
    rows = []
    for submission in contents.submissions:
        run = read_run(submission, grader, contents.instances_beside(submission))
        if run is not None:
            runs.append(run)
            continue
        row = reported_row(submission)
        if row is None:
            fact = (
                "the submission names only its resolved instances, but not how many instances "
                "there are"
            )
            grader.log.add(rules.INSTANCES_UNKNOWN, submission.folder, fact)
        else:
            fact = "the submission does not name every instance, so only its score was imported"
            grader.log.add(rules.REPORTED_ONLY, submission.folder, fact)
            rows.append(row)
    return runs, rows


def _reported_table(
    rows: Sequence[ReportedRow], contents: SourceContents, options: ImportOptions
) -> ReportedTable:
    """Return a table of scores, dated by the newest submission."""
    days = [submission.day for submission in contents.submissions if submission.day]
    day = options.date or max(days, default=options.today)
    return reported_table(
        "SWE-bench submissions", "SWE-bench leaderboard", day, rows, options.track
    )


def with_verdicts(runs: Sequence[AgentResults], log: ImportLog) -> list[AgentResults]:
    """Return the runs with a verdict on at least one instance; other runs are reported.

    Raises:
        ProblemsError: No run has a verdict.
    """
    with_verdict = [run for run in runs if _has_verdict(run)]
    without_verdict = [run for run in runs if not _has_verdict(run)]
    if without_verdict and not with_verdict:
        names = listed(log.name(run.path) for run in without_verdict)
        fact = f"no instance reached a verdict in {names}"
        log.add(kit_rules.NOTHING_SCORED, without_verdict[0].path, fact)
        log.stop_at_errors()
    for run in without_verdict:
        fact = f"{log.name(run.path)}, in which no instance reached a verdict"
        log.add_with_caveat(kit_rules.LEFT_OUT, run.path, fact, None, fact)
    return with_verdict


def _has_verdict(run: AgentResults) -> bool:
    """Return whether at least one instance of a run has a verdict.

    A patch that could not be applied is the agent's failure, so it counts as a verdict.
    """
    for result in run.results.values():
        if result.state != "aborted" or result.cause == PATCH_FAILED:
            return True
    return False
