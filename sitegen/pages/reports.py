"""Where a reader reports a problem: the tracker's address, with what the report is about filled in.

Nothing is fetched or sent: the tracker shows a form, and its reader decides what becomes of it.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple
from urllib.parse import quote, urlsplit, urlunsplit

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.pages import addresses, labels

LIMIT = 2000
"""So many characters may an address have: longer ones are refused along the way."""

_TITLE, _VALUE = 150, 200
"""So many characters of a title, and of a value, are told."""

_ASK = "What is wrong:\n\n\n"
_CASE, _ANCHOR, _WORDS = "~case~", "~anchor~", "~words~"
"""What stands for what differs from case to case."""

_FORMS = (
    (r"(?:www\.)?github\.com", r"(/[^/]+/[^/]+/issues)(?:/new)?/?", "title={title}&body={body}"),
    (r".+", r"(/.+/-/issues)(?:/new)?/?", "issue%5Btitle%5D={title}&issue%5Bdescription%5D={body}"),
)
"""How kinds of trackers take reports: their hosts, their paths to a project's issues, and the fields of the form."""


class Report(NamedTuple):
    """What a problem is reported about.

    Attributes:
        title: What it is about, on one line.
        page: Address of the page that shows it, below the site's root.
        facts: The ids that say what it is, and its values as they are shown, by their names.
    """

    title: str
    page: str
    facts: Mapping[str, str]


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
    title = f"{entry.agent.name} on {board.benchmark.title}, {board.track.title}"
    return Report(title, addresses.of(board).entry(entry.id), facts)


def board_facts(board: Board) -> dict[str, str]:
    """Name a board in a report."""
    return {"Benchmark": board.benchmark.id, "Track": board.track.id}


@dataclass(frozen=True, slots=True)
class CaseReports:
    """The addresses that open a report about each of many cases that stand on one page.

    Attributes:
        pattern: Such an address, with marks for what differs.
        slowly: Makes one from scratch: of the case, its anchor and how it is shown.
    """

    pattern: str
    slowly: Callable[[str, str, str], str]

    def link(self, case: str, anchor: str, words: str) -> str:
        """Write the address for one case; empty where nobody takes reports.

        Args:
            case: Its name.
            anchor: Where it stands on the page.
            words: How it is shown.
        """
        if not self.pattern:
            return ""
        text = self.pattern
        for mark, value in ((_CASE, case), (_ANCHOR, anchor), (_WORDS, words)):
            text = text.replace(mark, _piece(value))
        return text if len(text) <= LIMIT else self.slowly(case, anchor, words)


@dataclass(frozen=True, slots=True)
class Desk:
    """Takes readers to where they report problems.

    Attributes:
        site: Address of the site, ending in `/`; a mere `/` where the settings do not name it.
    """

    site: str = "/"

    def link(self, issues: str | None, report: Report) -> str:
        """Write the address that opens a report; empty where nobody takes any.

        Args:
            issues: Where a benchmark's readers report problems.
            report: What it is about.
        """
        return report_address(issues, report.title, body_of(report, self.site)) if issues else ""

    def cases(self, issues: str | None, report: Report) -> CaseReports:
        """Prepare reports about the cases of one round.

        There are tens of thousands of them on a site, so they do not repeat what the page's address says.

        Args:
            issues: Where a benchmark's readers report problems.
            report: About the page and the round that the cases stand in.
        """

        def slowly(case: str, anchor: str, words: str) -> str:
            facts = {"Case": case, "Shown": words}
            return self.link(issues, Report(f"{case}: {report.title}", f"{report.page}#{anchor}", facts))

        return CaseReports(slowly(_CASE, _ANCHOR, _WORDS), slowly)


def report_address(issues: str, title: str, body: str) -> str:
    """Write a tracker's address with a report filled in; the address itself where it is not known how.

    Args:
        issues: Where problems are reported: the issues of a project on GitHub or on a GitLab, or an address in which
            `{title}` and `{body}` stand for what they say.
        title: One line.
        body: Cut at its end where the address would be too long.
    """
    pattern, parts = issues, urlsplit(issues)
    for host, path, query in _FORMS if "{title}" not in issues and "{body}" not in issues else ():
        found = re.fullmatch(path, parts.path) if re.fullmatch(host, parts.netloc.lower()) else None
        if found:
            whole = f"{parts.query}&{query}" if parts.query else query
            pattern = urlunsplit((parts.scheme, parts.netloc, f"{found[1]}/new", whole, ""))
            break
    pattern = pattern.replace("{title}", _encoded(_line(title, _TITLE)))
    room = LIMIT - len(pattern.replace("{body}", ""))
    return pattern.replace("{body}", _cut(body, room))


def body_of(report: Report, site: str) -> str:
    """Write what a report says before its author adds anything: the page, then the facts, each on one line.

    The facts stand in a block of code, in which names that came from elsewhere are text and nothing else.
    """
    facts = "".join(f"{name}: {_line(value, _VALUE)}\n" for name, value in report.facts.items() if value)
    return f"{_ASK}Page: {site}{report.page}\n\n```text\n{facts}```\n"


def _line(text: str, most: int) -> str:
    """Put a text on one line, and cut it where it is long."""
    line = " ".join(labels.visible(text).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _encoded(text: str) -> str:
    """Encode a text for the query of an address: all but letters, digits and a few marks."""
    return quote(text, safe="", errors="replace")


@lru_cache(maxsize=8192)  # the same cases fail for many, in the same words
def _piece(value: str) -> str:
    """Encode a value that takes the place of a mark, so that no mark is in it."""
    return _encoded(_line(value, _VALUE)).replace("~", "%7E")


def _cut(text: str, room: int) -> str:
    """Encode as much of a text as there is room for; what is cut ends with a mark."""
    whole = _encoded(text)
    if len(whole) <= room:
        return whole
    end = _encoded("…")
    sizes = accumulate((len(_encoded(letter)) for letter in text), initial=len(end))
    kept = sum(size <= room for size in sizes) - 1
    return _encoded(text[:kept]) + end if kept > 0 else ""
