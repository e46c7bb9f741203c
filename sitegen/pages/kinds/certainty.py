"""How sure a board is: what its order hangs on, what it can show, and how work holds from round to round."""

from collections.abc import Iterator, Sequence

from sitegen.board.answers.answer import number_text
from sitegen.board.answers.order import certainty_answer
from sitegen.board.score import GAP
from sitegen.board.second_runs import SecondRuns
from sitegen.board.sureness import Sureness, TaskFacts
from sitegen.metrics import sureness
from sitegen.metrics.generalizability import (
    FEWEST_TASKS,
    Generalizability,
    RunShare,
    TasksNeeded,
    averages_attempts,
)
from sitegen.metrics.metric import Metric
from sitegen.metrics.reruns import WANTED
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import Link, entry_link
from sitegen.pages.charts import sureness_chart_views
from sitegen.pages.environment import Templates
from sitegen.pages.notices import grounds, too_few_clusters
from sitegen.pages.records import BoardRecords
from sitegen.pages.reruns import known_terms, rerun_cells
from sitegen.pages.site import View, page_kind
from sitegen.problems import counted

MOST_DECIMALS = 9
"""A gap below 1e-9 is rounding."""

Section = tuple[str, str, str, Sequence[str], Sequence[tuple[Link, Sequence[str]]]]
"""Something that a benchmark's scientist asks: its anchor, title, what the numbers say, heads of columns, and rows.

A row has what it is about, and its cells.
"""


@page_kind(BoardRecords, "certainty.html.j2")
def certainty_page(records: BoardRecords, _: Templates) -> Iterator[View]:
    """Show how sure a board is, where there are two rows with results for several tasks."""
    board, found = records.board, Sureness(records.board)
    if not found.is_told:
        return
    values = {
        "title": "How sure",
        "grounds": grounds(board) or too_few_clusters(board),
        "smallest": smallest_difference(found),
        "sections": list(_sections(found)),
        "charts": sureness_chart_views(found),
    }
    title = f"{board.title}: how sure"
    yield View(records.where.certainty, title, certainty_answer(found), values)


def _sections(found: Sureness) -> Iterator[Section]:
    """Yield what a benchmark's scientist asks of a board, in the order of the page."""
    yield _tasks(found)
    if found.attempts:
        yield _attempts(found)
    yield _study(found)
    reruns = _reruns(found)
    if reruns:
        yield reruns


def smallest_difference(found: Sureness) -> str:
    """Say how large a gap between two agents has to be before this board can detect it.

    Empty where nothing is tested.
    """
    board, metric = found.board, found.board.headline
    if not board.certainty.has_tasks:
        return ""
    units = board.certainty.extent
    if found.smallest is None:
        if len(board.certainty.resampling.units) < sureness.FEWEST:
            return f"{units} are too few to say how large a gap this board can detect."
        return f"With {units}, no two agents differ by more on one task than on another."
    low, middle, high = found.smallest
    unit = " points" if metric.unit in {"percent", "points"} else ""
    title = labels.title_on(board)
    subject = "median pair needs" if len(found.rows) > 2 else "two agents need"  # noqa: PLR2004 - more than a pair
    if metric.highest is not None and middle > metric.highest:
        return f"With {units}, the {subject} a gap in {title} that is larger than its scale to be detected."
    gap = f"{_gap_text(middle, metric)}{unit} in {title}"
    sentence = f"With {units}, the {subject} a gap of {gap} to be detected 80 % of the time"
    if len(found.rows) == 2:  # noqa: PLR2004 - the only pair
        return f"{sentence}."
    if metric.highest is not None and high > metric.highest:
        return f"{sentence}; other pairs need {_gap_text(low, metric)} to more than the scale has."
    return f"{sentence}; other pairs need {_gap_text(low, metric)} to {_gap_text(high, metric)}."


def _gap_text(gap: float, metric: Metric) -> str:
    """Write a gap with the metric's decimals, or with as many as it takes not to write 0."""
    decimals = metric.decimals
    while decimals < MOST_DECIMALS and float(f"{gap:.{decimals}f}") == 0:
        decimals += 1
    return number_text(gap, decimals)


def _tasks(found: Sureness) -> Section:
    """Tell what the order would be without each task."""
    where, digits = addresses.of(found.board), found.board.headline.decimals
    has_scale = (
        found.board.headline.highest is not None
    )  # an amount such as a cost is no score on a task
    nobody = sum(task.spread == "none" for task in found.tasks)
    everybody = sum(task.spread == "all" for task in found.tasks)
    sentences = []
    if has_scale:
        scored = "Every task was scored on by some agent."
        sentences.append(f"No agent scored on {counted(nobody, 'task')}." if nobody else scored)
    if everybody:
        sentences.append(f"Every agent has the full score on {counted(everybody, 'task')}.")
    intervals = [task.item_rest_interval for task in found.tasks if task.item_rest_interval]
    if intervals:
        below = sum(interval.high < 0 for interval in intervals)
        verdict = "no task is clearly below 0"
        if below:
            verdict = f"{counted(below, 'task')} {'is' if below == 1 else 'are'} clearly below 0"
        sentences.append(
            "The item-rest correlation says whether agents that do well on the other tasks do well on this one, with "
            f"its 95 % interval; {verdict}."
        )
    rows = []
    for each in found.tasks:
        cells = [
            str(each.without.moved),
            found.board.name_of(found.rows[each.without.row]) if each.without.by else GAP,
            number_text(each.without.by, digits, "+"),
            _correlation_text(each),
        ]
        if has_scale:
            cells.append({"none": "nobody", "all": "everybody", "": "some"}[each.spread])
        rows.append((Link(each.task.name, where.task(each.task.id)), cells))
    heads = [
        "Task",
        "Rows of another rank",
        "Agent whose score moves most",
        "By",
        "Item-rest correlation",
    ]
    heads += ["Scored by"] if has_scale else []
    return "without", "Without one task", " ".join(sentences), heads, rows


def _attempts(found: Sureness) -> Section:
    """Tell what more attempts reach."""
    board = found.board
    asked, word = board.track.attempts, labels.rounds_word(board.benchmark, 2)
    counts = range(1, asked + 1)
    rows = []
    for each in found.attempts:
        some, every = zip(*each.shares, strict=True)
        rows.append(
            (
                entry_link(board, each.entry),
                [f"{100 * share:.1f} %" for share in (*some, *every[1:])],
            )
        )
    sentence = (
        f"Share of {word} that at least one of k attempts passes (pass@k), and that all k attempts pass (pass^k), over "
        f"all ways to take k of {asked}; every task weighs the same."
    )
    heads = ["Agent", *(f"pass@{k}" for k in counts), *(f"pass^{k}" for k in counts if k > 1)]
    return "attempts", "More attempts", sentence, heads, rows


def _correlation_text(facts: TaskFacts) -> str:
    """Return a correlation with its interval; a dash where there is no interval."""
    interval = facts.item_rest_interval
    if facts.item_rest is None or interval is None:
        return GAP
    ends = f"{number_text(interval.low, 2)} to {number_text(interval.high, 2)}"
    return f"{number_text(facts.item_rest, 2)} ({ends})"


def _study(found: Sureness) -> Section:
    """Say what is luck from run to run, and how many tasks and attempts a difference takes."""
    board, title = found.board, "Tasks and attempts"
    if found.study is None:
        return "study", title, _why_no_study(found), [], []
    study, runs = found.study.found, found.study.runs
    differences = _differences(board.headline)
    unit = " points" if board.headline.unit in {"percent", "points"} else ""
    steps = [number_text(each, 0 if each >= 1 else 2) for each in differences]
    rows = []
    for attempts in sorted({1, 2, 4, study.attempts, 2 * study.attempts}):
        cells = [
            _needed_text(study.tasks_needed(difference, attempts)) for difference in differences
        ]
        rows.append((Link(counted(attempts, "attempt"), addresses.of(board).certainty), cells))
    heads = ["Attempts at each task", *(f"Tasks to detect {step}{unit}" for step in steps)]
    luck = (
        f"With {counted(study.attempts, 'attempt')} at each task, luck from run to run is "
        f"{_share_text(study.of_scores)} of the variance of an agent's score, and "
        f"{_share_text(study.of_differences)} of that of a difference between two agents; "
        "the rest is the choice of tasks."
    )
    sentences = [
        _study_source(study, runs),
        luck,
        _effort_sentence(study, differences[1], f"{steps[1]}{unit}"),
        "The agents are fixed; brackets have 95 % intervals over the tasks, approximate for numbers of tasks.",
        _caveat_of(runs),
    ]
    return "study", title, " ".join(filter(None, sentences)), heads, rows


def _why_no_study(found: Sureness) -> str:
    """Say why nothing tells luck from the choice of tasks, and what it would take to know."""
    board = found.board
    if board.certainty.resampling.clusters:
        word = board.certainty.cluster_word
        return (
            f"Tasks that share a {word} depend on each other, so that more tasks alone do not make a "
            "board surer: how many tasks and attempts a difference takes is not worked out here."
        )
    if not averages_attempts(board.headline):
        return (
            f"{labels.title_on(board)} is no mean over tasks and attempts, so that this board cannot "
            "separate luck from run to run from the choice of tasks."
        )
    return (
        "This board cannot separate luck from run to run from the choice of tasks. It would take two "
        f"agents with a second attempt at each of at least {FEWEST_TASKS} tasks, or a second run of "
        "two agents on a track that replaces this one."
    )


def _study_source(study: Generalizability, runs: SecondRuns | None) -> str:
    """Say which runs a study is from."""
    of = f"{counted(study.agents, 'agent')} at {counted(study.tasks, 'task')}"
    if runs is None:
        return f"These figures come from the {study.attempts} attempts of {of}."
    return f"These figures come from two runs of {of}: on this track, and on {runs.track.title}."


def _caveat_of(runs: SecondRuns | None) -> str:
    """Say which findings throw doubt on second runs; empty where there is none."""
    if runs is None or not runs.findings:
        return ""
    titles = " and ".join(f"“{finding.title}” ({finding.date})" for finding in runs.findings)
    verb = "A finding says" if len(runs.findings) == 1 else "Findings say"
    return f"{verb} of these runs: {titles}. So part of their difference may not be luck."


def _effort_sentence(study: Generalizability, difference: float, text: str) -> str:
    """Say how many tasks detect a difference with one attempt, and with as many as there are or four."""
    several = study.attempts if study.attempts > 1 else 4
    one, more = (study.tasks_needed(difference, attempts) for attempts in (1, several))
    if one is None or more is None:
        return ""
    return (
        f"To detect a difference of {text} 80 % of the time takes {one.tasks:,} tasks with one "
        f"attempt each, or {more.tasks:,} with {several} attempts."
    )


def _needed_text(needed: TasksNeeded | None) -> str:
    """Write a number of tasks with its range."""
    if needed is None:
        return GAP
    return f"{needed.tasks:,} ({needed.fewest:,} to {needed.most:,})"


def _reruns(found: Sureness) -> Section | None:
    """Say how often an honest rerun of each agent would be called reproduced; None where nobody ran twice."""
    board = found.board
    known = known_terms(board, found.rows)
    if not known:
        return None
    rows = [(entry_link(board, entry), rerun_cells(board, terms)) for entry, terms in known]
    unreachable = sum(terms.is_out_of_reach for _, terms in known)
    share = f"{100 * WANTED:.0f} %"
    sentence = (
        "A rerun counts as reproduced where both scores are shown to be the same within a margin: a "
        "tenth of the scale, at most half of the score. If an honest rerun, which differs by luck "
        f"alone, would pass less than {share} of the time, the margin is the smallest that it passes so "
        "often, unless that is more than half of the score, or 5 % of the pairs of different agents "
        "would pass, too. Then this board has too few tasks for a rerun to show “reproduced”: "
        f"that is so for {unreachable} of {counted(len(known), 'agent')}."
    )
    heads = [
        "Agent",
        "Margin",
        "An honest rerun passes",
        "Pairs of different agents that pass",
        f"Margin for {share}",
        "Pairs that pass then",
    ]
    return "reruns", "Running an agent again", sentence, heads, rows


def _differences(headline: Metric) -> tuple[float, float, float]:
    """Return three differences that readers may ask about, in the metric's unit."""
    scale = (headline.highest or 100.0) / 100
    return 5 * scale, 10 * scale, 20 * scale


def _share_text(share: RunShare) -> str:
    """Return a share in percent with its interval."""
    low, high = 100 * share.interval.low, 100 * share.interval.high
    return f"{100 * share.share:.0f} % ({low:.0f} to {high:.0f})"
