"""The locations of a submission's transcripts: as submitted, on the web, and on a page."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from sitegen.board import Board, BoardEntry, Entry
from sitegen.models.outcome import REACHED, RoundResult
from sitegen.pages import addresses
from sitegen.pages.selection import own_results

_WEB_ADDRESS = re.compile(r"https?://[^\s<>\"]+")
_ORIGIN = re.compile(
    r"https?://[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::[0-9]{1,5})?(?=/)", re.IGNORECASE
)
"""An origin that a content security policy can name: fixed for all runs, without a user name."""
_PATH_NAME = r"[A-Za-z0-9{}_~-][A-Za-z0-9{}_~.-]*"
_SITE_PATH = re.compile(rf"/?(?:{_PATH_NAME}/)*{_PATH_NAME}\.json")
"""A path below the site's root, without `..`; its ending distinguishes it from prose."""
_ROUND_FIELD = "{round}"


class Transcript(NamedTuple):
    """The location of a transcript: as its submitter writes it, its web address, and its page."""

    text: str
    address: str
    page: str


@dataclass(frozen=True, slots=True)
class TranscriptSource:
    """The locations of a submission's transcripts, and the page that shows them."""

    pattern: str
    """The location as its submitter writes it, with `{task}`, `{attempt}` and `{round}`."""
    page: str

    @property
    def host(self) -> str:
        """The origin that a browser contacts, such as `https://example.org`; may be empty."""
        origin = _ORIGIN.match(self.pattern)
        if origin and _WEB_ADDRESS.fullmatch(self.pattern):
            return origin[0].lower()
        return ""

    @property
    def path(self) -> str:
        """The pattern for scripts: a web address, or a path on the site; empty for prose."""
        if self.host:
            return self.pattern
        if _SITE_PATH.fullmatch(self.pattern):
            return self.pattern.removeprefix("/")
        return ""

    @property
    def has_round_transcripts(self) -> bool:
        """Whether each round has a transcript of its own."""
        return _ROUND_FIELD in self.pattern

    def of(self, task: str, attempt: int | None, number: int | None = None) -> Transcript:
        """Return the transcript of a round or an attempt; if neither is given, a reader chooses."""
        fields = {"{task}": task, "{attempt}": attempt, _ROUND_FIELD: number}
        text = self.pattern
        for field, value in fields.items():
            if value is not None:
                text = text.replace(field, str(value))
        is_complete = not any(field in text for field in fields)
        address = ""
        if is_complete and _WEB_ADDRESS.fullmatch(text):
            address = text
        page = ""
        if self.path:
            page = self.page + addresses.transcript_query(task, attempt, number)
        return Transcript(text, address, page)


def source_of(board: Board, entry: Entry, task: str | None = None) -> TranscriptSource | None:
    """Return the locations of the transcripts of a submission, or of one of its tasks.

    None if its manifest does not say, or the task's transcripts are private or redacted.
    """
    pattern = None
    if entry.bundle:
        pattern = entry.bundle.submission.provenance.trajectories
    if not pattern or task in board.private_tasks:
        return None
    for marked in board.findings.on_row(entry.id):
        if marked.finding.redacts(entry.id) and task in marked.finding.tasks:
            return None
    return TranscriptSource(pattern, addresses.of(board).transcripts(entry.id))


def private_transcript_paths(rows: Iterable[BoardEntry]) -> Iterator[str]:
    """Yield the paths of transcripts of private tasks on the site, so that they can be removed."""
    for board, entry in rows:
        source = source_of(board, entry)
        if source and not source.host and "{task}" in source.path:
            for task in sorted(board.private_tasks):
                yield re.sub(r"(\{\w+\})+", "*", source.path.replace("{task}", task))


def shown_source(board: Board, entry: Entry) -> TranscriptSource | None:
    """Return the transcripts that a page can show; None if a browser can open none."""
    source = source_of(board, entry)
    if not source or not source.path or not entry.bundle:
        return None
    if reached_rounds(own_results(entry.bundle.rounds)):
        return source
    return None


def reached_rounds(results: Iterable[RoundResult]) -> list[int]:
    """Return the rounds that an agent worked on, which may have transcripts, in order."""
    return sorted(result.round for result in results if result.state in REACHED)
