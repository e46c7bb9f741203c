"""Texts for readers: the terms of the glossary, names, scores, intervals, ranks and titles."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from markupsafe import Markup, escape

from sitegen.board import GAP, Board, Entry, Score
from sitegen.board.evidence import Presence
from sitegen.board.history import ledger
from sitegen.board.wording import number_text, released_text
from sitegen.metrics.intervals import Interval
from sitegen.metrics.metric import Metric
from sitegen.models.benchmark import Benchmark
from sitegen.models.finding import Effect, Finding, FindingKind
from sitegen.models.outcome import CaseStatus, State
from sitegen.models.release import Evidence, LockedRow, LockedScore
from sitegen.models.revisions import arrival_day, predecessor_in_time
from sitegen.models.submission import Agent
from sitegen.models.task import TaskRound
from sitegen.pages.selection import latest_date
from sitegen.pages.texts import join_texts, only_value
from sitegen.problems import agreeing, counted, part_of, plural

STATES: Mapping[State, str] = {
    "scored": "scored",
    "no_cases": "no case ran: build or set-up failed",
    "aborted": "aborted before a verdict",
    "unreached": "never reached",
    "fast_forwarded": "completed by the reference solution",
    "excluded": "excluded by a finding",
}
MARKS: Mapping[State, str] = {
    "scored": "✓",
    "no_cases": "⌀",
    "aborted": "×",
    "unreached": "·",
    "fast_forwarded": "»",
    "excluded": "–",
}
EVIDENCE: Mapping[Evidence, tuple[str, str, str]] = {
    "reported": (
        "○",
        "reported",
        "from a published table; not recomputed, as there is no raw data",
    ),
    "recomputed": ("◑", "recomputed", "recomputed here from every raw reward"),
    "complete": ("◕", "complete", "recomputed here, with the outcome of every case"),
    "verified": (
        "◉",
        "verified",
        "recomputed here, and checked against the grader's output by someone else",
    ),
    "reproduced": ("●", "reproduced", "recomputed here, and confirmed by a maintainer's own run"),
}
PRESENCES: Mapping[Presence, str] = {"there": "✓", "in part": "◐", "missing": "–"}
CASES: Mapping[CaseStatus, tuple[str, str]] = {
    "failed": ("✗", "failed"),
    "error": ("!", "ended in an error"),
    "skipped": ("–", "was skipped"),
    "passed": ("✓", "passed"),
}
UNITS: Mapping[str, str] = {
    "percent": "%",
    "share": "0 to 1",
    "tasks": "tasks",
    "interactions": "tool calls",
    "turns": "turns",
    "thousand tokens": "K",
    "USD": "USD",  # for metrics that a function computes
    "minutes": "min",
    "points": "points",
    "count": "",
    "number": "",
    "usd": "USD",  # for declared metrics
    "seconds": "s",
    "tokens": "tokens",
}
KINDS: Mapping[FindingKind, str] = {
    "leak": "Leak",
    "contamination": "Contamination",
    "defect": "Defect",
    "reproduction": "Reproduction",
    "waiver": "Waiver",
    "redaction": "Redaction",
    "note": "Note",
}
EFFECTS: Mapping[Effect, str] = {
    "note": "changes no score",
    "exclude": "excluded from scores",
    "zero": "counted as 0",
    "withdraw": "withdrawn",
}


def part_text(score: Score) -> str:
    """Return a short note on what a score lacks, for a table cell; empty if it lacks nothing."""
    extent = score.extent
    if extent is None or not extent.is_part:
        return ""
    if score.gap:
        return f"{extent.figures} known"
    if score.metric.counts_missing_as_zero:
        return score.missing_note
    return f"over {extent.figures}"


ERRATUM = "†"
"""The mark of a reported figure that is known to be wrong."""

FLAG = "⚑"
"""The mark of results that a finding concerns."""

_find_special = re.compile("[&<>\"']").search


def _control_pictures() -> Mapping[int, int]:
    """Return the Unicode picture of each control character except tab and newline."""
    codes = [*range(0x20), 0x7F]
    return {code: 0x2400 + min(code, 0x21) for code in codes if chr(code) not in "\t\n"}


_CONTROL_PICTURES = _control_pictures()


def visible(text: str) -> str:
    """Return a text with pictures of control characters instead of the characters."""
    if text.isprintable():
        return text
    return text.translate(_CONTROL_PICTURES)


def coded(text: str) -> Markup:
    """Return a text as HTML, with text between backticks as code."""
    pieces = []
    for index, piece in enumerate(text.split("`")):
        is_code = index % 2 == 1
        pieces.append(Markup("<code>{}</code>").format(piece) if is_code else escape(piece))
    return Markup().join(pieces)


def escaped(value: object) -> str:
    """Return a value escaped for tags and attributes as `markupsafe.escape` does.

    Plain text without special characters is returned as the same object, which is faster.
    """
    if type(value) is str:
        return escape(value) if _find_special(value) else value
    if type(value) is int:
        return str(value)
    if isinstance(value, Markup):
        return value
    return escape(value)


def title_on(board: Board, metric: Metric | None = None) -> str:
    """Return the title of a metric, by default the headline, with the board's attempts."""
    return (metric or board.headline).title_on(board.track, board.benchmark)


def method_anchor(metric: Metric, benchmark: Benchmark | None) -> str:
    """Return a metric's anchor on the methods pages; a declared metric has its benchmark's id."""
    if benchmark and metric.is_benchmark_declared:
        return f"{benchmark.id}-{metric.id}"
    return metric.id


def unit_of(metric: Metric) -> str:
    """Return a metric's unit for the head of a column; empty if its title ends with the unit."""
    unit = UNITS[metric.unit]
    title = metric.title.lower()
    if title.endswith(f" {metric.unit}") or (unit and title.startswith(f"{unit} ")):
        return ""
    return unit


def about(agent: Agent, shown: Collection[str] = ()) -> str:
    """Return who made an agent and how it was set up, except for facts shown elsewhere."""
    setup = (agent.organization, agent.scaffold, agent.reasoning)
    return join_texts(*(text for text in setup if text not in shown))


def shared_setup(board: Board) -> list[str]:
    """Return the scaffold and the reasoning setting that all rows of a board share."""
    agents = [entry.agent for entry in board.all_entries]
    if len(agents) < 2:  # noqa: PLR2004 - one row shares nothing
        return []
    scaffold = only_value(agent.scaffold for agent in agents)
    reasoning = only_value(agent.reasoning for agent in agents)
    return [setting for setting in (scaffold, reasoning) if setting]


def rounds_word(benchmark: Benchmark, number: int = 1) -> str:
    """Return the benchmark's word for a round in lower case; the plural unless `number` is 1."""
    return (benchmark.round_word if number == 1 else benchmark.rounds_word).lower()


def task_names(board: Board) -> Mapping[str, str]:
    """Return the names of a board's tasks, by id."""
    return {task.id: task.name for task in board.tasks.tasks}


def verdict_word(board: Board) -> str:
    """Return the noun for a unit with a verdict: a round, or an attempt if tasks have one round."""
    if board.tasks.is_of_one_round:
        return "attempt"
    return rounds_word(board.benchmark)


def verdicts_word(board: Board) -> str:
    """Return the plural noun for units with a verdict: rounds, or attempts at one-round tasks."""
    return plural(verdict_word(board))


def effect_of(finding: Finding) -> str:
    """Return the effect of a finding in words."""
    if finding.kind == "redaction":
        if finding.tasks:
            return "texts removed"
        return "content removed"
    effect = EFFECTS[finding.effect]
    if finding.cases and finding.effect == "exclude":
        return f"cases {effect}"
    return effect


def facts(board: Board) -> str:
    """Return a summary of a board in one line."""
    texts = [counted(len(board.entries), "agent"), *extent(board)]
    texts.append(f"{counted(board.track.attempts, 'attempt')} per task")
    evidence_counts = Counter(entry.evidence for entry in board.entries)
    texts += [f"{count} {evidence}" for evidence, count in evidence_counts.items()]
    latest = latest_date(board.entries)
    if latest:
        texts.append(f"latest result {latest}")
    return " · ".join(texts)


def extent(board: Board) -> list[str]:
    """Return texts on how many tasks and rounds count, with totals if findings exclude some.

    Private tasks are counted between tasks and rounds. The list is empty for a board without tasks.
    """
    tasks = board.tasks
    if not tasks.tasks:
        return []
    counting_tasks, counting_rounds = board.counted_tasks_and_rounds
    texts = [_size_text(counting_tasks, len(tasks.tasks), "task")]
    if board.private_tasks:
        texts.append(counted(len(board.private_tasks), "private task"))
    if not tasks.is_of_one_round:
        texts.append(_size_text(counting_rounds, tasks.rounds, rounds_word(board.benchmark)))
    return texts


def _size_text(counting: int, total: int, noun: str) -> str:
    """Return a text with the number of tasks or rounds, and how many count if not all do."""
    size = counted(total, noun)
    if counting == total:
        return size
    return f"{counting} of {size}"


def score_text(score: Score) -> str:
    """Return a score as text, with the total if the score is a count of tasks."""
    if score.metric.is_count and score.counted:
        _, total = score.counted
        return f"{score.text} / {total}"
    return score.text


def full_precision(score: Score | LockedScore) -> str | None:
    """Return a score as text with all its digits; None for a gap."""
    if score.printed is not None:
        return str(score.printed)
    return None if score.value is None else repr(score.value)


def interval_text(interval: Interval | LockedScore | None, decimals: int) -> str:
    """Return an interval, or that of a released score, as text; empty if there is none."""
    if interval is None or interval.low is None or interval.high is None:
        return ""
    return f"{number_text(interval.low, decimals)} to {number_text(interval.high, decimals)}"


def row_interval_text(board: Board, entry: Entry, metric: Metric) -> str:
    """Return the interval of a submission's score as text; empty if the score has none.

    `Metric.interval_words` is the term for the interval.
    """
    return interval_text(board.inference.interval(entry, metric.id), metric.decimals)


def interval_head(metrics: Sequence[Metric]) -> str:
    """Return the heading of a column with the intervals of metrics: a term that fits them all."""
    names = {metric.interval_words for metric in metrics}
    if len(names) != 1:
        return "Interval"
    (name,) = names
    return name[0].upper() + name[1:]


def interval_kind(metric: Metric, metrics: Sequence[Metric]) -> str:
    """Return the term for a metric's interval if the metrics' terms differ; otherwise empty."""
    names = {peer.interval_words for peer in metrics}
    return metric.interval_words.removesuffix(" interval") if len(names) > 1 else ""


def checked_text(board: Board, entry: Entry) -> str:
    """Return a text on how many rounds of a row were checked, and by whom."""
    check = entry.check
    if check is None:
        return "not verified"
    noun = verdict_word(board)
    if check.agrees:
        return f"{part_of(check.drawn, check.of, noun)} checked by {check.by}"
    differing = check.drawn - check.agreed
    verb = agreeing(differing, "differs", "differ")
    rounds = part_of(differing, check.drawn, noun)
    return f"not verified: {rounds} checked by {check.by} {verb}"


def rank_text(board: Board, entry: Entry) -> str:
    """Return the ranks that a row may have, as text.

    A rank in brackets is only the position by score; its certainty is not known.
    """
    ranks = board.inference.possible_ranks(entry)
    if ranks is not None:
        return ranks.replace("-", GAP)
    if entry.id in board.ranks:
        return f"({board.ranks[entry.id]})"
    return GAP


def rank_meaning(board: Board, entry: Entry) -> str:
    """Return the meaning of a row's ranks: how many agents are shown to be better and worse."""
    ranks = board.inference.ranks.get(entry.id)
    if ranks is None:
        return (
            "by score alone; the order is not tested" if entry.id in board.ranks else "not ranked"
        )
    first, last = ranks
    better, worse = first - 1, len(board.ranks) - last
    if better + worse == 0:
        return "no agent is shown to be better or worse"
    better_words = f"{counted(better, 'agent')} {agreeing(better, 'is', 'are')}"
    if not better:
        better_words = "no agent is"
    return f"{better_words} shown to be better, {worse or 'none'} to be worse"


def late_reason(board: Board, entry: Entry) -> str:
    """Return why a row is late although it supersedes one submitted in time; otherwise empty."""
    deadline = board.track.deadline
    if entry.sent is None or deadline is None or entry.apart != "late":
        return ""
    earlier = predecessor_in_time(entry.sent, board.results, deadline)
    if earlier is None:
        return ""
    arrived = arrival_day(earlier, board.results)
    return (
        f"It supersedes {earlier.id}, which was in time ({arrived}), "
        "with runs that came after the deadline."
    )


def evidence_meaning(board: Board, entry: Entry) -> str:
    """Return a text on how far a row's scores can be traced, and whether anyone checked them."""
    _, word, _ = EVIDENCE[entry.evidence]
    if entry.table_line:
        return f"{word}, not recomputed"
    return f"{word}, {checked_text(board, entry)}"


def locked_rank_text(row: LockedRow) -> str:
    """Return the possible ranks of a row in a release; a dash if it had none."""
    return (ledger.locked_rank_text(row) or GAP).replace("-", GAP)


def locked_text(score: LockedScore | None, decimals: int) -> str:
    """Return a released score, as published if its source is a publication; a dash for a gap."""
    return GAP if score is None else released_text(score, decimals)


_MARKDOWN_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKUP = re.compile(r"`+|\*\*|__|^\s*(?:#{1,6}|[-*+>]|\d+[.)])\s+|</?[a-z][^<>]*>", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s|:?\s*(?:\n|$)")
_MAX_TITLE_LENGTH = 90


def round_title(defined: TaskRound) -> str:
    """Return the request of a round, in one sentence without markup.

    The sentence is the first one of the round's title, or of its instruction if the round has no
    title or the instruction begins with the title, which may then be cut. A sentence that is too
    long is cut between two words.
    """
    return _first_sentence(defined.instruction or "", defined.title)


@lru_cache(maxsize=4096)  # every run shows its rounds, and instructions are long
def _first_sentence(instruction: str, title: str) -> str:
    instruction_text = _without_markup(instruction)
    plain_title = _without_markup(title)
    has_own_title = bool(plain_title) and not instruction_text.startswith(plain_title)
    text = plain_title if has_own_title else instruction_text
    end = _SENTENCE_END.search(text)
    sentence = text[: end.start()] if end else text
    # Sources may cut long titles at any character.
    may_be_cut = has_own_title and len(title) >= _MAX_TITLE_LENGTH
    title_was_cut = may_be_cut and sentence == text and text[-1] not in ".!?:"
    if len(sentence) > _MAX_TITLE_LENGTH or title_was_cut:
        complete_words = sentence[: _MAX_TITLE_LENGTH + 1].rsplit(" ", 1)[0]
        sentence = complete_words.rstrip(" ,;:–-") + "…"
    return visible(sentence.rstrip("."))


def _without_markup(text: str) -> str:
    """Return Markdown text without links and markup."""
    return _MARKUP.sub("", _MARKDOWN_LINK.sub(r"\1", text)).strip()
