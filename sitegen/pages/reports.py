"""Links for reporting problems: the tracker's address, with the subject of a report filled in.

Nothing is fetched or sent: the tracker shows a form, and the reader decides what to send.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate
from typing import NamedTuple
from urllib.parse import quote, urlunsplit

from sitegen.board import Board, Entry
from sitegen.models.addresses import parse_web_address
from sitegen.pages import addresses, labels

MAX_ADDRESS_LENGTH = 2000
"""Maximum number of characters in an address; servers and proxies refuse longer ones."""

_MAX_TITLE_LENGTH = 150
_MAX_VALUE_LENGTH = 200

_QUESTION = "What is wrong:\n\n\n"


class _TrackerForm(NamedTuple):
    """The form of reports for a kind of tracker."""

    host: str
    """The pattern of the tracker's hosts."""
    path: str
    """The pattern of paths to a project's issues, with a group for the issues."""
    query: str
    """The query string with the form's fields."""


_TRACKER_FORMS = (
    _TrackerForm(
        r"(?:www\.)?github\.com",
        r"(/[^/]+/[^/]+/issues)(?:/new)?/?",
        "title={title}&body={body}",
    ),
    _TrackerForm(
        r".+",  # a GitLab instance may have any host
        r"(/.+/-/issues)(?:/new)?/?",
        "issue%5Btitle%5D={title}&issue%5Bdescription%5D={body}",
    ),
)


class ProblemReport(NamedTuple):
    """The subject of a report, and the page that shows it, below the site's root."""

    title: str
    """Title of the report, on one line."""
    page: str
    facts: Mapping[str, str]
    """Ids and values as they are displayed, by name."""


def row_report(board: Board, entry: Entry) -> ProblemReport:
    """Return a report about a row of a board."""
    score = entry.scores.get(board.headline.id)
    facts = {
        **board_facts(board),
        "Submission": entry.id,
        "Agent": entry.agent.name,
        labels.title_on(board): labels.score_text(score) if score else "",
        "Evidence": entry.evidence,
    }
    title = f"{entry.agent.name} on {board.title}"
    address = addresses.of(board).entry(entry.id)
    return ProblemReport(title, address, facts)


def board_facts(board: Board) -> dict[str, str]:
    """Return the facts that identify a board in a report."""
    return {"Benchmark": board.benchmark.id, "Track": board.track.id}


@dataclass(frozen=True, slots=True)
class ReportLinks:
    """Makes links for reporting problems."""

    site: str = "/"
    """The address of the site, ending in `/`; `/` alone if the settings do not give it."""

    def link(self, issues: str | None, report: ProblemReport) -> str:
        """Return the address that opens a prefilled report; empty if there is no tracker."""
        if issues:
            return report_address(issues, report.title, body_of(report, self.site))
        return ""

    def case_form(self, issues: str | None, report: ProblemReport) -> str:
        """Return an address with fields, for a report about any case of a round.

        A script replaces the encoded fields `{case}`, `{anchor}` and `{shown}`, so that a page
        contains the address once and not for each of its cases. The report does not repeat facts
        that are in the page's address.

        Args:
            issues: The tracker of the benchmark.
            report: The report about the round.
        """
        facts = {"Case": "{case}", "Shown": "{shown}"}
        title = f"{{case}}: {report.title}"
        address = f"{report.page}#{{anchor}}"
        return self.link(issues, ProblemReport(title, address, facts))


def report_address(issues: str, title: str, body: str) -> str:
    """Return a tracker's address with a report filled in.

    Problems are reported to the issues of a project on GitHub or GitLab, or at an address with the
    fields `{title}` and `{body}`; any other address is returned unchanged. Texts that are too long
    are cut at the end.
    """
    form = _form_address(issues).replace("{title}", _encode(_one_line(title, _MAX_TITLE_LENGTH)))
    room = MAX_ADDRESS_LENGTH - len(form.replace("{body}", ""))
    return form.replace("{body}", _encode_within(body, room))


@cache
def _form_address(issues: str) -> str:
    """Return a tracker's address with fields for a title and a body, if its form is known."""
    if "{title}" in issues or "{body}" in issues:
        return issues
    url = parse_web_address(issues)
    for form in _TRACKER_FORMS:
        path = re.fullmatch(form.path, url.path)
        if path and re.fullmatch(form.host, url.netloc.lower()):
            query = f"{url.query}&{form.query}" if url.query else form.query
            return urlunsplit((url.scheme, url.netloc, f"{path[1]}/new", query, ""))
    return issues


def body_of(report: ProblemReport, site: str) -> str:
    """Return the text of a report before its author adds anything: the page, then the facts.

    The facts are in a block of code, in which names from other sources are only text.
    """
    lines = []
    for name, value in report.facts.items():
        if value:
            line = _one_line(value, _MAX_VALUE_LENGTH)
            lines.append(f"{name}: {line}\n")
    return f"{_QUESTION}Page: {site}{report.page}\n\n```text\n{''.join(lines)}```\n"


def _one_line(text: str, max_length: int) -> str:
    """Return a text on one line, cut if it is too long."""
    line = " ".join(labels.visible(text).split())
    if len(line) <= max_length:
        return line
    return f"{line[: max_length - 1]}…"


def _encode(text: str) -> str:
    """Return a text encoded for the query of an address."""
    return "%0A".join(map(_encode_line, text.split("\n")))


@lru_cache(maxsize=4096)  # most lines occur in many reports
def _encode_line(line: str) -> str:
    return quote(line, safe="", errors="replace")


def _encode_within(text: str, room: int) -> str:
    """Return as much of a text as fits, encoded; a mark shows that it was cut."""
    encoded = _encode(text)
    if len(encoded) <= room:
        return encoded
    mark = _encode("…")
    sizes = accumulate((len(_encode(character)) for character in text), initial=len(mark))
    fitting = sum(size <= room for size in sizes) - 1
    if fitting > 0:
        return _encode(text[:fitting]) + mark
    return ""
