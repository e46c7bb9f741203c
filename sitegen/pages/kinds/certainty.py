"""The page on a board's certainty: how its order depends on tasks, and what it can detect."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from sitegen.board import GAP, Board
from sitegen.board.answers.ranking_headlines import certainty_answer
from sitegen.board.inference.robustness import Robustness, TaskFacts
from sitegen.board.inference.second_run_scores import SecondRuns
from sitegen.board.wording import number_text
from sitegen.metrics.generalizability import (
    Generalizability,
    RunShare,
    TasksNeeded,
    averages_attempts,
)
from sitegen.metrics.intervals import FEWEST_TASKS
from sitegen.metrics.metric import Metric
from sitegen.metrics.reruns import HONEST_PASS_RATE
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import Link, entry_link
from sitegen.pages.charts import robustness_chart_views
from sitegen.pages.environment import Templates
from sitegen.pages.notices import grounds, untested_sentence
from sitegen.pages.records import BoardRecords
from sitegen.pages.reruns import known_terms, rerun_cells
from sitegen.pages.site import View, page_kind
from sitegen.pages.texts import join_texts
from sitegen.problems import counted, part_of

MAX_DECIMALS = 9
"""Maximum number of decimals of a gap; a gap below 1e-9 is a rounding error."""

_PAIR = 2
"""The number of agents on the smallest board that can detect a difference."""

_ATTEMPTS_TO_COMPARE = 4
"""Attempts per task whose cost is compared with one attempt, for boards with only one."""

TableRow = tuple[Link, Sequence[str]]
"""The subject of a table row, whose address may be empty, and the row's cells."""


class CertaintySection(NamedTuple):
    """A question that people who run a benchmark may ask, with a table that answers it."""

    anchor: str
    title: str
    text: str
    heads: Sequence[str]
    rows: Sequence[TableRow]
    wordy: Collection[str] = ()
    """Heads of the columns that contain text instead of numbers."""


_AGENT_HEAD = "Most affected agent"
_SPREAD_HEAD = "Scores on the task"
"""Heads of the columns of text in the table of tasks."""

_SPREAD_TEXTS: Mapping[str, str] = {
    "none": "all zero",
    "all": "all full",
    "": "mixed",
}


@page_kind(BoardRecords, "certainty.html.j2")
def certainty_page(records: BoardRecords, _: Templates) -> Iterator[View]:
    """Show how certain a board is, if two or more rows have results for several tasks."""
    board = records.board
    robustness = board.cached_by(Robustness)
    if not robustness.is_available:
        return
    values = {
        "title": "Certainty",
        "grounds": grounds(board) or untested_sentence(board),
        "smallest": smallest_difference(robustness),
        "sections": list(_sections(robustness)),
        "charts": robustness_chart_views(robustness),
    }
    title = f"{board.title}: certainty of the ranking"
    yield View(records.addresses.certainty, title, certainty_answer(robustness), values)


def _sections(robustness: Robustness) -> Iterator[CertaintySection]:
    """Yield the sections of the page, in order."""
    yield _tasks_section(robustness)
    if robustness.attempts:
        yield _attempts_section(robustness)
    yield _study_section(robustness)
    reruns = _reruns_section(robustness)
    if reruns:
        yield reruns


def smallest_difference(robustness: Robustness) -> str:
    """Return a sentence on how large a gap between two agents must be for a board to detect it.

    Empty if nothing is tested.
    """
    board = robustness.board
    if board.inference.untested_order:
        return ""
    units = board.inference.extent
    if robustness.detectable_gaps is None:
        if len(board.inference.resampling.units) < FEWEST_TASKS:
            return f"{units} are too few to estimate how large a gap this board can detect."
        return f"With {units}, no two agents differ more on one task than on another."
    metric = board.headline
    low, median, high = robustness.detectable_gaps
    title = labels.title_on(board)
    subject = "two agents need"
    if len(robustness.rows) > _PAIR:
        subject = "median pair needs"
    if metric.highest is not None and median > metric.highest:
        return (
            f"With {units}, the {subject} a gap in {title} that is larger than the scale "
            "to be detected."
        )
    gap = f"{_gap_text(median, metric)}{_unit_text(metric)} in {title}"
    sentence = f"With {units}, the {subject} a gap of {gap} to be detected 80 % of the time"
    if len(robustness.rows) == _PAIR:
        return f"{sentence}."
    low_text = _gap_text(low, metric)
    if metric.highest is not None and high > metric.highest:
        return f"{sentence}; other pairs need {low_text} to more than the full scale."
    return f"{sentence}; other pairs need {low_text} to {_gap_text(high, metric)}."


def _unit_text(metric: Metric) -> str:
    """Return the unit to append to a difference of scores; empty unless the unit is points."""
    if metric.unit in {"percent", "points"}:
        return " points"
    return ""


def _gap_text(gap: float, metric: Metric) -> str:
    """Return a gap with the metric's decimals, or with more if the gap would read 0."""
    decimals = metric.decimals
    while decimals < MAX_DECIMALS and float(f"{gap:.{decimals}f}") == 0:
        decimals += 1
    return number_text(gap, decimals)


def _tasks_section(robustness: Robustness) -> CertaintySection:
    """Return the section on how the order changes if a task is left out."""
    # An amount such as a cost is not a score on a task.
    has_scale = robustness.board.headline.highest is not None
    heads = [
        "Task",
        "Agents that change rank",
        _AGENT_HEAD,
        "Score change",
        "Item-rest correlation",
    ]
    if has_scale:
        heads.append(_SPREAD_HEAD)
    rows = []
    task_addresses = addresses.of(robustness.board)
    for task_facts in robustness.tasks:
        cells = _task_cells(robustness, task_facts)
        if has_scale:
            cells.append(_SPREAD_TEXTS[task_facts.spread])
        task = task_facts.task
        address = task_addresses.task(task.id)
        rows.append((Link(task.name, address), cells))
    text = " ".join(_task_sentences(robustness, has_scale=has_scale))
    wordy = (_AGENT_HEAD, _SPREAD_HEAD)
    return CertaintySection("without", "Leaving out one task", text, heads, rows, wordy)


def _task_sentences(robustness: Robustness, *, has_scale: bool) -> Iterator[str]:
    """Yield sentences on how many agents scored on tasks, and how tasks correlate."""
    spreads = [task_facts.spread for task_facts in robustness.tasks]
    unscored_tasks = spreads.count("none")
    if has_scale and unscored_tasks == len(spreads):
        yield "No agent scored on any task."
    elif has_scale and unscored_tasks:
        yield f"On {counted(unscored_tasks, 'task')}, no agent scored."
    elif has_scale:
        yield "At least one agent scored on every task."
    full_score_tasks = spreads.count("all")
    if full_score_tasks:
        yield f"On {counted(full_score_tasks, 'task')}, every agent has the full score."
    intervals = [task_facts.item_rest_interval for task_facts in robustness.tasks]
    highs = [interval.high for interval in intervals if interval]
    if not highs:
        return
    verdict = "no task is clearly below 0"
    below_zero = sum(high < 0 for high in highs)
    if below_zero:
        verb = "is" if below_zero == 1 else "are"
        verdict = f"{counted(below_zero, 'task')} {verb} clearly below 0"
    yield (
        "The item-rest correlation shows whether agents that do well on the other tasks also do "
        f"well on this one, with its 95 % interval; {verdict}."
    )


def _task_cells(robustness: Robustness, task_facts: TaskFacts) -> list[str]:
    """Return table cells on the effects of dropping a task, and its correlation with the others."""
    board = robustness.board
    without = task_facts.without
    agent_name = GAP
    if without.score_change:
        agent_name = board.name_of(robustness.rows[without.row])
    return [
        str(without.moved_rows),
        agent_name,
        number_text(without.score_change, board.headline.decimals, "+"),
        _correlation_text(task_facts),
    ]


def _attempts_section(robustness: Robustness) -> CertaintySection:
    """Return the section on the effect of more attempts."""
    board = robustness.board
    attempts = board.track.attempts
    heads = ["Agent"]
    heads += [f"pass@{k}" for k in range(1, attempts + 1)]
    heads += [f"pass^{k}" for k in range(2, attempts + 1)]
    rows = []
    for attempt_shares in robustness.attempts:
        pass_at_k, pass_all_k = zip(*attempt_shares.shares, strict=True)
        cells = [f"{100 * share:.1f} %" for share in (*pass_at_k, *pass_all_k[1:])]
        rows.append((entry_link(board, attempt_shares.entry), cells))
    text = (
        f"The share of {labels.rounds_word(board.benchmark, 2)} that at least one of k attempts "
        "passes (pass@k), and the share that all k attempts pass (pass^k), averaged over all ways "
        f"to choose k of the {attempts} attempts. All tasks weigh the same."
    )
    return CertaintySection("attempts", "More attempts", text, heads, rows)


def _correlation_text(task_facts: TaskFacts) -> str:
    """Return a correlation with its interval as text; a dash if there is no interval."""
    interval = task_facts.item_rest_interval
    if task_facts.item_rest is None or interval is None:
        return GAP
    ends = f"{number_text(interval.low, 2)} to {number_text(interval.high, 2)}"
    return f"{number_text(task_facts.item_rest, 2)} ({ends})"


def _study_section(robustness: Robustness) -> CertaintySection:
    """Return the section on run-to-run variation, and the tasks and attempts that a gap needs."""
    board = robustness.board
    title = "Tasks and attempts"
    if robustness.study is None:
        return CertaintySection("study", title, _why_no_study(board), [], [])
    study = robustness.study.generalizability
    second_runs = robustness.study.runs
    differences = _differences(board.headline)
    step_texts = []
    for difference in differences:
        step = number_text(difference, 0 if difference >= 1 else 2)
        step_texts.append(f"{step}{_unit_text(board.headline)}")
    heads = ["Attempts per task", *(f"Tasks to detect {step}" for step in step_texts)]
    rows = []
    for attempts in sorted({1, 2, 4, study.attempts, 2 * study.attempts}):
        needed = [study.tasks_needed(difference, attempts) for difference in differences]
        rows.append((Link(counted(attempts, "attempt"), ""), list(map(_needed_text, needed))))
    text = join_texts(
        _study_source(study, second_runs),
        _luck_sentence(study),
        _effort_sentence(study, differences[1], step_texts[1]),
        "The agents are treated as fixed; brackets show 95 % intervals over tasks, which are "
        "approximate for task counts.",
        _second_runs_caveat(second_runs),
        separator=" ",
    )
    return CertaintySection("study", title, text, heads, rows)


def _luck_sentence(study: Generalizability) -> str:
    """Return a sentence on the share of run-to-run noise in scores and in differences."""
    score_share = _share_text(study.run_share_of_scores)
    difference_share = _share_text(study.run_share_of_differences)
    return (
        f"With {counted(study.attempts, 'attempt')} per task, run-to-run noise accounts for "
        f"{score_share} of the variance of an agent's score and "
        f"{difference_share} of the variance of a difference between two agents; "
        "the choice of tasks accounts for the rest."
    )


def _why_no_study(board: Board) -> str:
    """Return why run-to-run noise cannot be separated from task choice, and what would help."""
    if board.inference.resampling.clusters:
        return (
            f"Tasks that share a {board.inference.cluster_word} depend on each other, so more "
            "tasks alone do not make a board more certain. How many tasks and attempts it takes "
            "to detect a difference is not computed here."
        )
    if not averages_attempts(board.headline):
        return (
            f"{labels.title_on(board)} is not a mean over tasks and attempts, so this board "
            "cannot separate run-to-run noise from the choice of tasks."
        )
    return (
        "This board cannot separate run-to-run noise from the choice of tasks. That would take "
        f"two agents with a second attempt at each of at least {FEWEST_TASKS} tasks, or a second "
        "run of two agents on a track that replaces this one."
    )


def _study_source(study: Generalizability, second_runs: SecondRuns | None) -> str:
    """Return a sentence on the runs behind the figures of a study."""
    extent = f"{counted(study.agents, 'agent')} at {counted(study.tasks, 'task')}"
    if second_runs is None:
        return f"These figures come from the {study.attempts} attempts of {extent}."
    track = second_runs.track.title
    return f"These figures come from two runs of {extent}: on this track, and on {track}."


def _second_runs_caveat(second_runs: SecondRuns | None) -> str:
    """Return a sentence on findings that cast doubt on second runs; empty if there are none."""
    if second_runs is None or not second_runs.findings:
        return ""
    findings = second_runs.findings
    titles = " and ".join(f"“{mark.title}” ({mark.title_date})" for mark in findings)
    subject = "A finding concerns" if len(findings) == 1 else "Findings concern"
    return f"{subject} these runs: {titles}. Part of their difference may therefore not be noise."


def _effort_sentence(study: Generalizability, difference: float, difference_text: str) -> str:
    """Return a sentence on how many tasks detect a difference, with one attempt or with several."""
    attempts = study.attempts if study.attempts > 1 else _ATTEMPTS_TO_COMPARE
    with_single = study.tasks_needed(difference, 1)
    with_several = study.tasks_needed(difference, attempts)
    if with_single is None or with_several is None:
        return ""
    return (
        f"Detecting a difference of {difference_text} 80 % of the time takes "
        f"{with_single.tasks:,} tasks with one attempt each, "
        f"or {with_several.tasks:,} with {attempts} attempts."
    )


def _needed_text(needed: TasksNeeded | None) -> str:
    """Return a number of tasks with its range as text; a dash if it is unknown."""
    if needed is None:
        return GAP
    return f"{needed.tasks:,} ({needed.fewest:,} to {needed.most:,})"


def _reruns_section(robustness: Robustness) -> CertaintySection | None:
    """Return the section on how often honest reruns pass; None if no agent was run twice."""
    board = robustness.board
    terms_by_row = known_terms(board, robustness.rows)
    if not terms_by_row:
        return None
    rows = [(entry_link(board, entry), rerun_cells(board, terms)) for entry, terms in terms_by_row]
    unreachable = sum(terms.is_out_of_reach for _, terms in terms_by_row)
    agent_count = len(terms_by_row)
    affected_agents = part_of(unreachable, agent_count, "agent")
    applies = "applies to"
    if not unreachable:
        applies = "does not apply to"
        affected_agents = "any agent"
    elif unreachable == agent_count > 1:
        affected_agents = f"all {agent_count} agents"
    share = f"{100 * HONEST_PASS_RATE:.0f} %"
    text = (
        "A rerun counts as a reproduction if the two scores are shown to be the same within a "
        "margin: a tenth of the scale, but at most half the score. If an honest rerun, which "
        f"differs by noise alone, would pass less than {share} of the time, the margin is the "
        "smallest that it would pass that often, unless this exceeds half the score or 5 % of the "
        "pairs of different agents would also pass. If so, the board has too few tasks for a rerun "
        f"to reach “reproduced”. This {applies} {affected_agents} here."
    )
    heads = [
        "Agent",
        "Margin",
        "Honest rerun passes",
        "Pairs of different agents that pass",
        f"Margin for {share}",
        "Pairs that pass at this margin",
    ]
    return CertaintySection("reruns", "Rerunning an agent", text, heads, rows)


def _differences(metric: Metric) -> tuple[float, float, float]:
    """Return three differences that a reader may ask about, in the metric's unit."""
    scale = (metric.highest or 100.0) / 100
    return 5 * scale, 10 * scale, 20 * scale


def _share_text(share: RunShare) -> str:
    """Return a share in percent with its interval, as text."""
    low = 100 * share.interval.low
    high = 100 * share.interval.high
    return f"{100 * share.share:.0f} % ({low:.0f} to {high:.0f})"
