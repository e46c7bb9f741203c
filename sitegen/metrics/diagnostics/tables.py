"""The diagnostics: scores by round, phase, label and axis, and the consistency of attempts."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import fmean

import numpy as np

from sitegen.metrics.catalogue import STRICT
from sitegen.metrics.diagnostics import Cell, Diagnostic, Line, MetricValue, Share
from sitegen.metrics.diagnostics.outline import (
    SHORTEST,
    Counts,
    Grouping,
    left_out_sentence,
    round_phase,
)
from sitegen.metrics.diagnostics.sample import (
    BUDGETS,
    FIFTHS,
    UNKNOWN,
    Kind,
    Sample,
    make_lines,
    shares,
)
from sitegen.metrics.failstop import GAP
from sitegen.metrics.metric import Metric
from sitegen.metrics.results import SubmissionResults, TaskResults
from sitegen.problems import counted, plural


def make_diagnostics(sample: Sample) -> tuple[Diagnostic, ...]:
    """Return every diagnostic of a sample that has data."""
    if not sample.submissions:
        return ()
    diagnostics = []
    for diagnostic in _possible_diagnostics(sample):
        if diagnostic.has_data:
            diagnostics.append(diagnostic)
    return tuple(diagnostics)


def _possible_diagnostics(sample: Sample) -> Iterator[Diagnostic]:
    """Yield the diagnostics that apply to the track's protocol."""
    conditions = sample.conditions
    if conditions.is_ordered:
        yield by_round(sample)
        yield against_reference(sample)
        yield recovery(sample)
        yield first_failure(sample)
        # Phases divide the interior of a task whose rounds are all run.
        has_interior = any(len(task.rounds) >= SHORTEST for task in conditions.tasks.tasks)
        if conditions.track.protocol == "chain" and has_interior:
            yield by_phase(sample)
        yield by_label(sample)
    else:
        yield targets(sample)
    yield aptitude(sample)
    if conditions.track.protocol == "once":
        yield by_budget(sample)
    if sample.tasks > 1:
        for axis in conditions.outline.axes:
            yield by_axis(sample, axis)


def by_axis(sample: Sample, axis: str) -> Diagnostic:
    """Return the headline score on the tasks that share a value of an axis, with their number.

    Every submission is scored separately. A score that is a share k of n is pooled over
    submissions; any other score is averaged over them.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, table 2, and RoadmapBench, table 2: the same scores,
        split by axis.
    """
    conditions = sample.conditions
    headline = conditions.shown_metrics[0]
    groups = conditions.outline.values(axis)
    submissions_by_value: dict[str, list[SubmissionResults]] = {value: [] for value in groups}
    for submission in sample.submissions:
        tasks_by_value: dict[str, list[TaskResults]] = defaultdict(list)
        for task_results in submission.tasks:
            if axis in task_results.task.labels:
                value = task_results.task.labels[axis]
                tasks_by_value[value].append(task_results)
        for value, submissions in submissions_by_value.items():
            if value in tasks_by_value:
                submissions.append(replace(submission, tasks=tasks_by_value[value]))
    lines = []
    has_mean = False
    for value, submissions in submissions_by_value.items():
        tasks = set()
        for submission in submissions:
            for task_results in submission.tasks:
                tasks.add(task_results.task.id)
        cell = pool_scores(headline, submissions)
        if isinstance(cell, MetricValue):
            has_mean = True
        line = Line(value, [len(tasks), cell])
        if line.is_measured:
            lines.append(line)
    averaged = ""
    if has_mean and len(sample.submissions) > 1:
        averaged = ", averaged over submissions"
    title = conditions.benchmark.axes[axis].title
    score = headline.title_on(conditions.track, conditions.benchmark)
    is_abbreviation = title[1:2].isupper()
    title_within = title if is_abbreviation else title[:1].lower() + title[1:]
    sentence = f"{score} by kind of task{averaged}. Based on {sample.extent}."
    return Diagnostic(
        id=f"axis-{axis}",
        title=f"{score} by {title_within}",
        sentence=f"{sentence} {left_out_sentence(conditions.tasks.tasks, groups)}".rstrip(),
        corner=title,
        columns=["Tasks", score],
        lines=lines,
        key=1,
    )


def by_phase(sample: Sample) -> Diagnostic:
    """Return the share of rounds that pass by phase, and the track's other scores of rounds.

    Rounds are binned by the configured length of their task, and pooled over submissions, tasks and
    attempts. A mean of measurements is a mean over submissions.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, section 2.2: "Progress phases".
    """
    conditions = sample.conditions
    grouping = conditions.outline.by_phase
    metrics = [metric for metric in conditions.shown_metrics if _is_over_rounds(metric)]
    submissions_by_phase = []
    if metrics:
        for head in grouping.heads:
            submissions_by_phase.append(
                [_in_phase(submission, head.label) for submission in sample.submissions]
            )
    columns = [conditions.benchmark.rounds_word, conditions.pass_rate_title]
    scores = []
    for metric in metrics:
        columns.append(metric.title_on(conditions.track, conditions.benchmark))
        scores.append([pool_scores(metric, submissions) for submissions in submissions_by_phase])
    word = conditions.round_word
    sentence = (
        f"“Start” is the first {word} of a task, and “final” is the last. The {plural(word)} "
        "between them are “early”, “mid” or “late”, depending on the length of the task. "
        f"Based on {sample.extent}."
    )
    rounds = sample.rounds_in(grouping)
    passed = _passed_shares(sample, grouping)
    return Diagnostic(
        id="phases",
        title="Pass rate by phase of the task",
        sentence=sentence,
        corner="Phase",
        columns=columns,
        lines=make_lines(grouping, rounds, passed, *scores),
        key=1,
    )


def _is_over_rounds(metric: Metric) -> bool:
    """Return whether a metric is a mean over rounds that can be computed from some of the rounds.

    Strict is excluded because it has its own column.
    """
    is_pooled = metric.task_weighting in {"covered", "expected"}
    is_on_chains = "chain" in metric.protocols
    return is_pooled and is_on_chains and metric is not STRICT


def _in_phase(submission: SubmissionResults, phase: str) -> SubmissionResults:
    """Return a submission's results in one phase, excluding figures for complete runs."""
    tasks_with_rounds = []
    for task_results in submission.tasks:
        length = len(task_results.task.rounds)
        columns = []
        for column, number in enumerate(task_results.rounds):
            if round_phase(number, length) == phase:
                columns.append(column)
        if columns:
            tasks_with_rounds.append(_with_columns(task_results, columns))
    return replace(submission, tasks=tasks_with_rounds)


def _with_columns(task_results: TaskResults, columns: Sequence[int]) -> TaskResults:
    """Return a task's results on some of its rounds."""
    rounds = [task_results.rounds[column] for column in columns]
    results = []
    for attempt in task_results.results:
        results.append([attempt[column] for column in columns])
    reference = []
    if task_results.reference:
        reference = [task_results.reference[column] for column in columns]
    return replace(
        task_results,
        rounds=rounds,
        results=results,
        reference=reference,
        runs=[None] * len(task_results.results),
        submission_rewards=task_results.rewards[:, columns].ravel(),
        submission_shares=task_results.shares[:, columns].ravel(),
        start=0,
    )


def pool_scores(metric: Metric, submissions: Sequence[SubmissionResults]) -> Cell:
    """Return the pooled score of several submissions, or of parts of their results.

    Returns:
        The share k of n if the metric is a count, otherwise the mean over submissions with a value.
        None if no submission has a value, or if values follow different definitions.
    """
    values = []
    total_k = 0
    total_n = 0
    uncounted = 0
    versions = set()
    for submission in submissions:
        value = metric.measure(submission).value
        if value is None:
            continue
        values.append(value)
        versions.add(metric.version_in(submission))
        count = metric.count(submission, value)
        if count is None:
            uncounted += 1
            continue
        k, n = count
        total_k += k
        total_n += n
    if len(versions) != 1:
        return None
    if uncounted:
        return MetricValue(fmean(values), metric)
    return Share(total_k, total_n)


_FIFTHS = ("First fifth", "Second fifth", "Third fifth", "Fourth fifth", "Last fifth")


def by_round(sample: Sample) -> Diagnostic:
    """Return the share of rounds with the same number that pass.

    The share is pooled over submissions and tasks, and on a chain also over attempts. On a
    fail-stop track, a submission has one verdict per round: whether any of k attempts keeps it.
    With several tasks, a column states the number of tasks that have the round.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, section 4.2 and appendix G.2, table 7.
    """
    conditions = sample.conditions
    has_tasks_column = sample.tasks > 1
    columns = [conditions.pass_rate_title]
    explanation = ""
    if has_tasks_column:
        columns.insert(0, "Tasks")
        explanation = f" “Tasks” is the number of tasks that have this {conditions.round_word}."

    def lines(grouping: Grouping) -> list[Line]:
        cells: list[Sequence[Cell]] = [_passed_shares(sample, grouping)]
        if has_tasks_column:
            cells.insert(0, sample.tasks_in(grouping))
        return make_lines(grouping, *cells)

    curve = []
    if sample.followed:
        curve = lines(sample.followed)
    passing = f"{conditions.pass_rate_definition}."
    return Diagnostic(
        id="by-round",
        title=f"Pass rate by {conditions.round_word}",
        sentence=f"{passing}{explanation} Based on {sample.extent}.",
        corner=conditions.benchmark.round_word,
        columns=columns,
        lines=lines(conditions.outline.by_number),
        key=int(has_tasks_column),
        curve=curve,
        over=sample.over,
    )


def _passed_shares(sample: Sample, grouping: Grouping) -> list[Share]:
    """Return the share of verdicts that pass in each group."""
    totals = sample.totals(grouping)
    return shares(totals, Kind.PASSED, Kind.VERDICTS)


def against_reference(sample: Sample) -> Diagnostic:
    """Return the share of rounds that pass from the reference state, and on the agent's own work.

    Both shares are pooled over submissions and tasks. Submissions without rounds from the reference
    state, or without every attempt on a fail-stop track, count on one side only.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, appendix G.8, figure 4.
    """
    conditions = sample.conditions
    grouping = conditions.outline.by_number
    on_own_work = _passed_shares(sample, grouping)
    totals = sample.totals(grouping)
    from_reference = shares(totals, Kind.SOLVED, Kind.REFERENCE)
    gaps: list[Cell] = []
    for passed, solved in zip(on_own_work, from_reference, strict=True):
        gap = None
        if passed.value is not None and solved.value is not None:
            points = 100 * (solved.value - passed.value)
            gap = MetricValue(points, GAP)
        gaps.append(gap)
    lines = []
    for line in make_lines(grouping, on_own_work, from_reference, gaps):
        if line.cells[-1] is not None:
            lines.append(line)
    verdict = conditions.pass_rate_title if conditions.is_fail_stop else "the pass rate"
    sentence = (
        f"{conditions.pass_rate_definition}; SR is the share that pass when started "
        "from the reference state. The gap is what building on its own work costs an agent. "
        f"Based on {sample.extent}."
    )
    return Diagnostic(
        id="sr-mt",
        title=f"SR against {verdict} by {conditions.round_word}",
        sentence=sentence,
        corner=conditions.benchmark.round_word,
        columns=[conditions.pass_rate_title, "SR", "Gap (points)"],
        lines=lines,
        key=2,
    )


def recovery(sample: Sample) -> Diagnostic:
    """Return the share of failed rounds that the same agent passes from the reference state.

    The share is pooled over submissions, tasks and attempts. Rounds that an attempt never reached
    count as failed.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, appendix G.11, figure 9 (a).
    """
    conditions = sample.conditions
    word = conditions.round_word
    grouping = conditions.outline.by_number
    totals = sample.totals(grouping)
    solved = shares(totals, Kind.RECOVERED, Kind.FAILED)
    recovered_count = 0
    failed_count = 0
    for share in solved:
        recovered_count += share.k
        failed_count += share.n
    total = Line(f"All {plural(word)}", [Share(recovered_count, failed_count)])
    before = ""
    if conditions.is_fail_stop:
        before = f" along with all earlier {plural(word)}"
    sentence = (
        f"Of the {plural(word)} that an attempt did not pass{before} on its own work, the table "
        "shows the share that the same agent passes when started from the reference state. "
        f"Based on {sample.extent}."
    )
    return Diagnostic(
        id="recovery",
        title=f"Failed {plural(word)} solved from the reference state",
        sentence=sentence,
        corner=conditions.benchmark.round_word,
        columns=["Solved"],
        lines=make_lines(grouping, solved),
        total=total,
    )


def first_failure(sample: Sample) -> Diagnostic:
    """Return the share of failing attempts whose first failure falls into each fifth of the task.

    The position is the number of the first failed round divided by the task's number of rounds,
    above 0 and at most 1. Rounds that a finding excludes are not counted. The share is pooled over
    submissions, tasks and attempts; attempts that pass every round are left out.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, section 4.2 and appendix G.12.
    """
    word = sample.conditions.round_word
    failures = sample.tally.failures.sum(axis=0).tolist()
    total = sum(failures)
    lines = []
    if total:
        for label, count in zip(_FIFTHS, failures, strict=True):
            lines.append(Line(label, [Share(count, total)]))
    sentence = (
        f"Each task is divided into {FIFTHS} equal parts. The table shows the part in which "
        f"attempts first fail a {word}. Attempts that pass every {word} are left out. "
        f"Based on {sample.extent}."
    )
    return Diagnostic(
        id="first-failure",
        title="Position of the first failure",
        sentence=sentence,
        corner="Part of the task",
        columns=["First failures"],
        lines=lines,
    )


def by_label(sample: Sample) -> Diagnostic:
    """Return the share of rounds that pass by label, separately for early, middle and late rounds.

    Results are pooled as in `by_round`. A round with several labels counts under each of them.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, appendix G.14, figure 11 (a).
    """
    conditions = sample.conditions
    word = conditions.round_word
    sentence = (
        f"{conditions.pass_rate_definition}, by the label of the {word} and its "
        f"position in the task; a {word} with several labels counts under each of them. "
        f"Based on {sample.extent}."
    )
    return Diagnostic(
        id="labels",
        title=f"Pass rate by label, early to late {plural(word)}",
        sentence=sentence,
        corner="Label",
        columns=[conditions.benchmark.rounds_word, conditions.pass_rate_title],
        lines=_rounds_and_passed(sample, conditions.outline.by_label_and_position),
        key=1,
    )


def targets(sample: Sample) -> Diagnostic:
    """Return the share of targets that pass by label, and by the axes of their task.

    The share is pooled over submissions, tasks and attempts; every target has the same weight. A
    target with several labels counts under each of them.

    Source:
        RoadmapBench, section 5.5, figure 8.
    """
    conditions = sample.conditions
    sentence = (
        f"{conditions.pass_rate_definition}, by label and kind of task; all "
        f"{plural(conditions.round_word)} weigh the same. Based on {sample.extent}."
    )
    return Diagnostic(
        id="targets",
        title=f"Pass rate of {plural(conditions.round_word)} by kind",
        sentence=sentence,
        corner="Kind",
        columns=[conditions.benchmark.rounds_word, conditions.pass_rate_title],
        lines=_rounds_and_passed(sample, conditions.outline.by_kind),
        key=1,
    )


def _rounds_and_passed(sample: Sample, grouping: Grouping) -> list[Line]:
    """Return lines with the number of rounds of each group and the share of verdicts that pass."""
    rounds = sample.rounds_in(grouping)
    passed = _passed_shares(sample, grouping)
    return make_lines(grouping, rounds, passed)


def aptitude(sample: Sample) -> Diagnostic:
    """Return the shares of rounds that any attempt and that every attempt passes, and their ratio.

    The shares are pooled over submissions and tasks; submissions that did not make every attempt
    are left out. On a fail-stop track, an attempt passes a round only if it passes every earlier
    round too. If rounds are not ordered, there is one line for all rounds and one for complete
    tasks.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, appendix G.9, figure 7 (b).
    """
    conditions = sample.conditions
    attempts = conditions.track.attempts
    before = ""
    if conditions.is_fail_stop:
        before = f" along with every earlier {conditions.round_word}"
    counts_by_kind = sample.tally.rounds.sum(axis=1)
    round_counts = counts_by_kind[[Kind.REPEATED, Kind.ANY, Kind.EVERY]]
    total = None
    title = "Aptitude and consistency"
    corner = "Unit"
    if conditions.is_ordered:
        title = f"{title} by {conditions.round_word}"
        corner = conditions.benchmark.round_word
        grouping = conditions.outline.by_number
        totals = sample.totals(grouping)
        aptitudes = shares(totals, Kind.ANY, Kind.REPEATED)
        consistencies = shares(totals, Kind.EVERY, Kind.REPEATED)
        ratios = shares(totals, Kind.EVERY, Kind.ANY)
        lines = make_lines(grouping, aptitudes, consistencies, ratios)
        total = Line(f"All {plural(conditions.round_word)}", _aptitude(round_counts))
    else:
        task_counts = sample.tally.tasks.sum(axis=1)
        rounds_line = Line(conditions.benchmark.rounds_word, _aptitude(round_counts))
        tasks_line = Line("Complete tasks", _aptitude(task_counts))
        lines = [line for line in (rounds_line, tasks_line) if line.is_measured]
        outline = conditions.outline
        if len(outline.rounds) == len(outline.tasks):  # both lines would be the same
            lines = lines[:1]
    sentence = (
        f"Aptitude is the share of {plural(conditions.round_word)} that at least one of {attempts} "
        f"attempts passes{before}, and consistency is the share that every attempt passes. "
        f"The ratio is consistency divided by aptitude. Based on {sample.extent}."
    )
    return Diagnostic(
        id="aptitude",
        title=title,
        sentence=sentence,
        corner=corner,
        columns=["Aptitude", "Consistency", "Ratio"],
        lines=lines,
        total=total,
        key=2,
    )


def _aptitude(counts: Counts) -> Sequence[Share]:
    """Return aptitude, consistency and their ratio from three counts: repeated, any, every."""
    repeated, any_passes, all_pass = counts.tolist()
    aptitude_share = Share(any_passes, repeated)
    consistency_share = Share(all_pass, repeated)
    ratio = Share(all_pass, any_passes)
    return [aptitude_share, consistency_share, ratio]


def by_budget(sample: Sample) -> Diagnostic:
    """Return the share of runs that resolve their task within a number of turns.

    Budgets are applied to finished runs afterwards; no run had such a limit. The share never falls
    from one budget to the next, a run that takes exactly a budget stays within it, and the share
    without a limit is the resolved rate. It is pooled over submissions, tasks and attempts. A run
    without a turn count counts as resolved only without a limit.

    Source:
        RoadmapBench, section 5.1, figure 5 (b).
    """
    runs, resolved = sample.tally.runs.sum(axis=1).tolist()
    total = sum(runs)
    uncounted = runs[UNKNOWN]
    lines = []
    if uncounted < total:
        longest = int(np.flatnonzero(runs[:UNKNOWN])[-1])
        resolved_within = 0
        for budget, count in zip(BUDGETS[: longest + 1], resolved, strict=False):
            resolved_within += count
            lines.append(Line(f"{budget:,}", [Share(resolved_within, total)]))
        lines.append(Line("No limit", [Share(sum(resolved), total)]))
    remark = ""
    if uncounted:
        without_turns = counted(uncounted, "run")
        remark = f" {without_turns} without a turn count can only be counted in the last line."
    sentence = (
        f"The share of runs that pass every {sample.conditions.round_word} within the given number "
        f"of turns, computed from finished runs.{remark} Based on {sample.extent}."
    )
    return Diagnostic(
        id="budget",
        title="Resolved within a number of turns",
        sentence=sentence,
        corner="Turns",
        columns=["Resolved"],
        lines=lines,
    )
