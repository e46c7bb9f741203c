"""Where the transcripts of a submission are, and the page on which scripts let a reader open them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from sitegen.board.answers.work import transcripts_answer
from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.models.outcome import REACHED, RoundResult
from sitegen.pages import addresses
from sitegen.pages.addresses import entry_link
from sitegen.pages.environment import Templates
from sitegen.pages.records import Row
from sitegen.pages.site import View, page_kind

_LINK = re.compile(r"https?://[^\s<>\"]+")
_ORIGIN = re.compile(
    r"https?://[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::[0-9]{1,5})?(?=/)", re.IGNORECASE
)
"""A host that a page's policy can name: it is the same for all runs, and nobody signs in with the address."""
_NAME = r"[A-Za-z0-9{}_~-][A-Za-z0-9{}_~.-]*"
_PATH = re.compile(rf"/?(?:{_NAME}/)*{_NAME}\.json")
"""A path below the site's root. It does not climb, and is told apart from words by its ending."""
_ROUND = "{round}"


class Transcript(NamedTuple):
    """Where a transcript is: as its submitter writes it, on the web, and on the page that shows it."""

    text: str
    address: str
    page: str


@dataclass(frozen=True, slots=True)
class Source:
    """Where the transcripts of a submission are, and the page that shows them."""

    pattern: str
    """As its submitter writes it: `{task}`, `{attempt}` and `{round}` stand for what they say."""
    page: str

    @property
    def host(self) -> str:
        """The host that a browser has to ask, such as `https://example.org`; empty where there is none to name."""
        found = _ORIGIN.match(self.pattern)
        return found[0].lower() if found and _LINK.fullmatch(self.pattern) else ""

    @property
    def path(self) -> str:
        """What the page's scripts fill in: an address, or a path below the site's root; empty for mere words."""
        if self.host:
            return self.pattern
        return self.pattern.removeprefix("/") if _PATH.fullmatch(self.pattern) else ""

    @property
    def tells_rounds(self) -> bool:
        """Whether each round has a transcript of its own."""
        return _ROUND in self.pattern

    def of(self, task: str, attempt: int | None, number: int | None = None) -> Transcript:
        """Find the transcript of a round, or of a whole attempt; without an attempt the choice is the reader's."""
        stand = {"{task}": task, "{attempt}": attempt, _ROUND: number}
        text = self.pattern
        for name, value in stand.items():
            text = text if value is None else text.replace(name, str(value))
        address = text if _LINK.fullmatch(text) and not any(name in text for name in stand) else ""
        page = self.page + addresses.transcript_query(task, attempt, number) if self.path else ""
        return Transcript(text, address, page)


def source_of(board: Board, entry: Entry, task: str | None = None) -> Source | None:
    """Say where the transcripts of a submission are; None where its manifest does not, or a task's are not for all."""
    pattern = entry.bundle.submission.provenance.trajectories if entry.bundle else None
    findings = (each.finding for each in board.marks.on_row(entry.id))
    if task in board.private or any(
        each.redacts(entry.id) and task in each.tasks for each in findings
    ):
        return None
    return Source(pattern, addresses.of(board).trajectory(entry.id)) if pattern else None


def closed_places(rows: Iterable[tuple[Board, Entry]]) -> Iterator[str]:
    """Where transcripts of private tasks stand on the site, so that they can be taken off it."""
    for board, entry in rows:
        source = source_of(board, entry)
        if source and not source.host and "{task}" in source.path:
            for task in sorted(board.private):
                yield re.sub(r"(\{\w+\})+", "*", source.path.replace("{task}", task))


def shown_source(board: Board, entry: Entry) -> Source | None:
    """Say where the transcripts are that a page can show; None where a browser can open none, or nobody worked."""
    source = source_of(board, entry)
    worked = entry.bundle and reached(
        result for result in entry.bundle.rounds if result.start == "own"
    )
    return source if source and source.path and worked else None


def reached(results: Iterable[RoundResult]) -> list[int]:
    """List the rounds that an agent worked on, so that there can be a transcript."""
    return sorted(result.round for result in results if result.state in REACHED)


@page_kind(Row, "trajectory.html.j2")
def trajectory_page(row: Row, _: Templates) -> Iterator[View]:
    """Show the transcripts of a submission, where a browser can open any."""
    board, entry = row.records.board, row.entry
    source = shown_source(board, entry)
    if source is None:
        return
    title = f"Trajectories of {entry.agent.name}"
    crumbs = [*row.records.crumbs, entry_link(board, entry)]
    runs = list(_runs(row, source))
    values = {"title": title, "crumbs": crumbs, "source": source, "runs": runs}
    hosts = (source.host,) if source.host else ()
    told = transcripts_answer(entry, len(runs), len({run["task"] for run in runs}))
    yield View(source.page, f"{title} on {board.title}", told, values, hosts)


def _runs(row: Row, source: Source) -> Iterator[Mapping[str, object]]:
    """List the attempts that an agent worked on, each with its transcripts by round; one for 0 covers all of it."""
    records, entry = row.records, row.entry
    for task in records.board.tasks.tasks:
        attempts = records.attempts(entry, task.id)
        suffix = ", attempt {}" if len(attempts) > 1 else ""
        for attempt, rounds in attempts if source_of(records.board, entry, task.id) else ():
            numbers = reached(rounds.values())
            told = [(each, source.of(task.id, attempt, each)) for each in numbers]
            if numbers:
                yield {
                    "task": task.id,
                    "title": f"{task.name}{suffix.format(attempt)}",
                    "address": records.run(entry, task, suffix and f"attempt-{attempt}"),
                    "attempt": attempt,
                    "transcripts": told
                    if source.tells_rounds
                    else [(0, source.of(task.id, attempt))],
                }
