"""Where a reader reports a problem: the tracker's address, with what the report is about filled in.

Nothing is fetched or sent: the tracker shows a form, and its reader decides what becomes of it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate
from typing import NamedTuple
from urllib.parse import quote, urlunsplit

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.models.addresses import parse_web_address
from sitegen.pages import addresses, labels

LIMIT = 2000
"""So many characters may an address have: longer ones are refused along the way."""

_TITLE, _VALUE = 150, 200
"""So many characters of a title, and of a value, are told."""

_ASK = "What is wrong:\n\n\n"

_FORMS = (
    (r"(?:www\.)?github\.com", r"(/[^/]+/[^/]+/issues)(?:/new)?/?", "title={title}&body={body}"),
    (r".+", r"(/.+/-/issues)(?:/new)?/?", "issue%5Btitle%5D={title}&issue%5Bdescription%5D={body}"),
)
"""How kinds of trackers take reports: their hosts, their paths to a project's issues, and the fields of the form."""


class Report(NamedTuple):
    """What a problem is reported about, on one line, and the page that shows it, below the site's root."""

    title: str
    page: str
    facts: Mapping[str, str]
    """The ids that say what it is, and its values as they are shown, by their names."""


def row_report(board: Board, entry: Entry) -> Report:
    """Describe a row of a board: a submission, or a line of a published table."""
    score = entry.scores.get(board.headline.id)
    facts = {
        **board_facts(board),
        "Submission": entry.id,
        "Agent": entry.agent.name,
        labels.title_on(board): labels.score_text(score) if score else "",
        "Evidence": entry.evidence,
    }
    title = f"{entry.agent.name} on {board.title}"
    return Report(title, addresses.of(board).entry(entry.id), facts)


def board_facts(board: Board) -> dict[str, str]:
    """Name a board in a report."""
    return {"Benchmark": board.benchmark.id, "Track": board.track.id}


@dataclass(frozen=True, slots=True)
class Desk:
    """Takes readers to where they report problems."""

    site: str = "/"
    """Address of the site, ending in `/`; a mere `/` where the settings do not name it."""

    def link(self, issues: str | None, report: Report) -> str:
        """Write the address that opens a report; empty where a benchmark does not say where readers report problems."""
        return report_address(issues, report.title, body_of(report, self.site)) if issues else ""

    def case_link(
        self, issues: str | None, report: Report, case: str, anchor: str, words: str
    ) -> str:
        """Write the address that opens a report about a case of a round, as it is shown at an anchor of a page.

        There are many of them on a page, so they do not repeat what the page's address says.
        """
        about = Report(
            f"{case}: {report.title}", f"{report.page}#{anchor}", {"Case": case, "Shown": words}
        )
        return self.link(issues, about)


def report_address(issues: str, title: str, body: str) -> str:
    """Write a tracker's address with a report filled in; the address itself where it is not known how.

    Problems are reported to the issues of a project on GitHub or on a GitLab, or at an address in which `{title}` and
    `{body}` stand for what they say. What is too long is cut at its end.
    """
    pattern = _form_of(issues).replace("{title}", _encoded(_line(title, _TITLE)))
    room = LIMIT - len(pattern.replace("{body}", ""))
    return pattern.replace("{body}", _cut(body, room))


@cache
def _form_of(issues: str) -> str:
    """Give a tracker's address with places for `{title}` and `{body}`; as it is where it is not known how."""
    parts = parse_web_address(issues)
    for host, path, query in _FORMS if "{title}" not in issues and "{body}" not in issues else ():
        found = re.fullmatch(path, parts.path) if re.fullmatch(host, parts.netloc.lower()) else None
        if found:
            whole = f"{parts.query}&{query}" if parts.query else query
            return urlunsplit((parts.scheme, parts.netloc, f"{found[1]}/new", whole, ""))
    return issues


def body_of(report: Report, site: str) -> str:
    """Write what a report says before its author adds anything: the page, then the facts, each on one line.

    The facts stand in a block of code, in which names that came from elsewhere are text and nothing else.
    """
    facts = "".join(
        f"{name}: {_line(value, _VALUE)}\n" for name, value in report.facts.items() if value
    )
    return f"{_ASK}Page: {site}{report.page}\n\n```text\n{facts}```\n"


def _line(text: str, most: int) -> str:
    """Put a text on one line, and cut it where it is long."""
    line = " ".join(labels.visible(text).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _encoded(text: str) -> str:
    """Encode a text for the query of an address: all but letters, digits and a few marks."""
    return "%0A".join(map(_encoded_line, text.split("\n")))


@lru_cache(maxsize=4096)  # most lines stand in many reports
def _encoded_line(line: str) -> str:
    return quote(line, safe="", errors="replace")


def _cut(text: str, room: int) -> str:
    """Encode as much of a text as there is room for; what is cut ends with a mark."""
    whole = _encoded(text)
    if len(whole) <= room:
        return whole
    end = _encoded("…")
    sizes = accumulate((len(_encoded(letter)) for letter in text), initial=len(end))
    kept = sum(size <= room for size in sizes) - 1
    return _encoded(text[:kept]) + end if kept > 0 else ""
