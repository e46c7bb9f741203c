"""The words that readers see: the glossary's terms, names, scores, intervals and ranks, and texts of others."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from markupsafe import Markup, escape

from sitegen.board.answers.answer import number_text
from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.evidence import Presence
from sitegen.board.ledger import place_of
from sitegen.board.score import GAP, Score
from sitegen.metrics.metric import Metric
from sitegen.metrics.uncertainty import Interval
from sitegen.models.benchmark import Benchmark
from sitegen.models.finding import Effect, Finding, FindingKind
from sitegen.models.outcome import CaseStatus, State
from sitegen.models.release import Evidence, LockedRow, LockedScore
from sitegen.models.submission import Agent
from sitegen.models.task import TaskRound
from sitegen.problems import agreeing, counted, part_of

STATES: Mapping[State, str] = {
    "scored": "scored",
    "no_cases": "no case ran: build or set-up failed",
    "aborted": "aborted: reached, but without a verdict",
    "unreached": "never reached",
    "fast_forwarded": "done by the reference",
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
    "reported": ("○", "reported", "a published table; no raw data here, not recomputed"),
    "recomputed": ("◑", "recomputed", "computed here from every raw reward"),
    "complete": ("◕", "complete", "computed here, and the outcome of every case can be seen"),
    "verified": (
        "◉",
        "verified",
        "computed here, and read again from the grader's output by others",
    ),
    "reproduced": ("●", "reproduced", "computed here, and a maintainer's own run bears it out"),
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
    "USD": "$",
    "minutes": "min",
    "points": "points",
    "count": "",
    "number": "",
    "usd": "$",
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
    "exclude": "left out of the scores",
    "zero": "counts 0",
    "withdraw": "withdrawn",
}


def part_text(score: Score) -> str:
    """Return what a score lacks, as short as a cell needs it; empty where it lacks nothing."""
    extent = score.extent
    if extent is None or not extent.is_part:
        return ""
    if score.gap:
        return f"{extent.figures} known"
    if score.metric.counts_missing_as_zero:
        return score.missing_note
    return f"over {extent.figures}"


ERRATUM = "†"
"""Marks a reported figure that something is known to be wrong with."""

FLAG = "⚑"
"""Marks what a finding concerns."""

_special = re.compile("[&<>\"']").search
_PICTURES = {
    code: 0x2400 + min(code, 0x21) for code in (*range(0x20), 0x7F) if chr(code) not in "\t\n"
}


def visible(text: str) -> str:
    """Show control characters as pictures of themselves instead of sending them to a browser."""
    return text if text.isprintable() else text.translate(_PICTURES)


def coded(text: str) -> Markup:
    """Show what stands between backticks as code."""
    parts = text.split("`")
    return Markup().join(
        Markup("<code>{}</code>").format(part) if odd % 2 else part
        for odd, part in enumerate(parts)
    )


def escaped(value: object) -> str:
    """Escape text for tags and attributes as `markupsafe.escape` does; plain text stays the object that it is."""
    if type(value) is str:
        return escape(value) if _special(value) else value
    if type(value) is int:
        return str(value)
    return value if isinstance(value, Markup) else escape(value)


def title_on(board: Board, metric: Metric | None = None) -> str:
    """Name a metric as a board shows it, with its number of attempts and its word for a round; else its headline."""
    return (metric or board.headline).title_on(board.track, board.benchmark)


def method_anchor(metric: Metric, benchmark: Benchmark | None) -> str:
    """Where the methods pages tell of a metric: one that a benchmark declares has its id there."""
    return f"{benchmark.id}-{metric.id}" if benchmark and metric.is_own else metric.id


def unit_of(metric: Metric) -> str:
    """Write a metric's unit as a column's head shows it; nothing where the metric's name ends in it."""
    return "" if metric.title.lower().endswith(f" {metric.unit}") else UNITS[metric.unit]


def about(agent: Agent, known: Collection[str] = ()) -> str:
    """Say who made an agent and how it was set up, on one line, but for what is known already."""
    parts = (agent.organization, agent.scaffold, agent.reasoning)
    return " · ".join(part for part in parts if part and part not in known)


def shared_setup(board: Board) -> list[str]:
    """List what the set-ups of all rows of a board, if there are several, have in common: scaffold and reasoning."""
    agents = [entry.agent for entry in board.all_entries]
    found = ({agent.scaffold for agent in agents}, {agent.reasoning for agent in agents})
    return [
        part for parts in found if len(parts) == 1 and len(agents) > 1 for part in parts if part
    ]


def rounds_word(benchmark: Benchmark, number: int = 1) -> str:
    """Write what the benchmark calls a round, in lower case."""
    return (benchmark.round_word if number == 1 else benchmark.rounds_word).lower()


def verdicts_word(board: Board) -> str:
    """Write what has verdicts on a board, in lower case: attempts, where each task is one round."""
    return "attempts" if board.tasks.is_of_one_round else rounds_word(board.benchmark, 2)


def effect_of(finding: Finding) -> str:
    """Say in words what follows from a finding."""
    if finding.kind == "redaction":
        return "texts removed" if finding.tasks else "content removed"
    words = EFFECTS[finding.effect]
    return f"cases {words}" if finding.cases and finding.effect == "exclude" else words


def facts(board: Board) -> str:
    """Say in a line what a board holds."""
    parts = [
        counted(len(board.entries), "agent"),
        *extent(board),
        f"{counted(board.track.attempts, 'attempt')} per task",
    ]
    parts += [
        f"{number} {word}"
        for word, number in Counter(entry.evidence for entry in board.entries).items()
    ]
    parts += [f"latest {max(entry.date for entry in board.entries)}"] if board.entries else []
    return " · ".join(parts)


def extent(board: Board) -> list[str]:
    """Say how many tasks and rounds count, of how many where findings take some out; nothing where there are none."""
    sizes, words = (
        (len(board.tasks.tasks), board.tasks.rounds),
        ("task", rounds_word(board.benchmark)),
    )
    kinds = 1 if board.tasks.is_of_one_round else 2
    told = [*zip(board.counting, sizes, words, strict=True)][:kinds] if board.tasks.tasks else ()
    texts = [
        counted(all_, word) if some == all_ else f"{some} of {counted(all_, word)}"
        for some, all_, word in told
    ]
    private = counted(len(board.private), "private task")
    return [*texts[:1], private, *texts[1:]] if board.private else texts


def score_text(score: Score) -> str:
    """Write a score; a count of tasks says out of how many."""
    return (
        f"{score.text} / {score.counted[1]}"
        if score.metric.is_count and score.counted
        else score.text
    )


def full_precision(score: Score | LockedScore) -> str | None:
    """Write a value, or one that a release has, with every digit that it has; None for a gap."""
    if score.printed is not None:
        return str(score.printed)
    return None if score.value is None else repr(score.value)


def interval_text(found: Interval | LockedScore | None, decimals: int) -> str:
    """Write an interval, or that of a score that a release has; empty where there is none."""
    if found is None or found.low is None or found.high is None:
        return ""
    return " to ".join(number_text(end, decimals) for end in (found.low, found.high))


def sure_text(board: Board, entry: Entry, metric: Metric) -> str:
    """Return the interval of a submission's score as text; empty where the score has none.

    `Metric.interval_words` says what it may be called.
    """
    return interval_text(board.certainty.interval(entry, metric.id), metric.decimals)


def interval_head(metrics: Sequence[Metric]) -> str:
    """Return the head of a column with the intervals of these metrics: what all may be called."""
    names = {metric.interval_words for metric in metrics}
    if len(names) != 1:
        return "Interval"
    (name,) = names
    return name[0].upper() + name[1:]


def interval_kind(metric: Metric, metrics: Sequence[Metric]) -> str:
    """Return what a metric's interval is called beside others; empty where the head says it."""
    names = {other.interval_words for other in metrics}
    return metric.interval_words if len(names) > 1 else ""


def checked_text(entry: Entry) -> str:
    """How many rounds of a row somebody else has checked, and who; that none was."""
    check = entry.check
    if check is None:
        return "not verified"
    if not check.agrees:
        differing = check.drawn - check.agreed
        differ = agreeing(differing, "differs", "differ")
        rounds = part_of(differing, check.drawn, "round")
        return f"not verified: {rounds} checked by {check.by} {differ}"
    return f"{part_of(check.drawn, check.of, 'round')} checked by {check.by}"


def place_text(board: Board, entry: Entry) -> str:
    """Write the ranks that a row may have.

    Where nothing tells how sure a rank is, it stands in brackets: the order of the values.
    """
    place = board.certainty.place(entry)
    if place is not None:
        return place.replace("-", GAP)
    return f"({board.ranks[entry.id]})" if entry.id in board.ranks else GAP


def locked_place(row: LockedRow) -> str:
    """Write the ranks that a row of a release might have had; a dash where it had none."""
    return (place_of(row) or GAP).replace("-", GAP)


def locked_text(score: LockedScore | None, decimals: int) -> str:
    """Write a score that a release has, as its source printed it where it is reported only; a dash for a gap."""
    if score is None:
        return GAP
    return f"{score.value:.{decimals}f}" if score.printed is None else score.printed


_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKUP = re.compile(r"`+|\*\*|__|^\s*(?:#{1,6}|[-*+>]|\d+[.)])\s+|</?[a-z][^<>]*>", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s|:?\s*(?:\n|$)")
_TITLE = 90
"""So many letters has a title at most."""


def round_title(defined: TaskRound) -> str:
    """Say in a line what a round asks for: the first sentence, without markup; what is too long ends behind a word."""
    return _first_line(defined.instruction or "", defined.title)


@lru_cache(maxsize=4096)  # every run shows its rounds, and instructions are long
def _first_line(instruction: str, stated: str) -> str:
    whole, title = (
        _MARKUP.sub("", _LINK.sub(r"\1", each)).strip() for each in (instruction, stated)
    )
    is_cut = len(stated) >= _TITLE
    if not title or whole.startswith(title):
        title, is_cut = whole, False  # sources cut titles
    first = title[: found.start()] if (found := _SENTENCE_END.search(title)) else title
    if len(first) > _TITLE or (is_cut and first == title and title[-1] not in ".!?:"):
        first = first[: _TITLE + 1].rsplit(" ", 1)[0].rstrip(" ,;:–-") + "…"
    return visible(first.rstrip("."))
