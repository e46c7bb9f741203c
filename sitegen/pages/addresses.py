"""Addresses of pages and files below the site's root.

They are part of the program's interface: links to them must outlive a rebuild.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from sitegen.board import Board, Entry
from sitegen.models import benchmark as reserved_names
from sitegen.models.record import is_slug

_UNSAFE_IN_ANCHOR = re.compile(r"[^A-Za-z0-9._-]")

_NON_SLUG_RUN = re.compile(r"[^a-z0-9]+")
_DISTINGUISHING = re.compile(r"[^a-z0-9 ._:/()\[\],-]")
"""Characters that may be the only difference between two agents' names."""

_MAX_SLUG_LENGTH = 80

_CARRIED_FILE = re.compile(
    r"(?:[\w-][\w.-]*/)*(?:[\w-][\w.-]*\.(?:toml|jsonl|jsonl\.gz)|SHA256SUMS)", re.ASCII
)
"""The file types of results. Any other file might be a page, which no security policy covers."""

HOME = ""
METHODS = "methods/"
FORMULAS = "methods/metrics/"
SUBMIT = "submit/"
CHECKS = "submit/checks/"
FORMAT = "submit/format/"
DECLARING = "submit/metrics/"
CHANGELOG = "changelog/"
DATA = "data/"
API = "api/"
AGENTS = f"{reserved_names.AGENTS}/"
SCORES = "api/v1/scores.json"
RULES = "api/v1/rules.json"
RELEASES = "api/v1/releases.json"
CHECKSUMS = "api/v1/SHA256SUMS"
FINDINGS = "findings"
"""The anchor of the findings on a board's page."""


class Link(NamedTuple):
    """A link: its title, and its address below the site's root, which may be empty."""

    title: str
    address: str


class BoardAddresses(NamedTuple):
    """Addresses of everything about a board, given by the ids of its benchmark and its track."""

    benchmark: str
    track: str

    @property
    def board(self) -> str:
        """The board."""
        return f"{self.benchmark}/{self.track}/"

    def beside(self, name: str) -> str:
        """Return a page next to the submissions, one of `models.benchmark.BESIDE_SUBMISSIONS`."""
        return f"{self.board}{name}/"

    @property
    def compare(self) -> str:
        """The page that compares rows; its query names them."""
        return self.beside("compare")

    def rows(self, number: int) -> str:
        """Return the address of one part of the board's rows; the first part is the board."""
        return _part_address(self.board, number)

    def compared_rows(self, number: int) -> str:
        """Return the address of one part of the rows of the comparison."""
        return _part_address(self.compare, number)

    def pair(self, first: str, second: str) -> str:
        """Return the page that compares rows, with the two given rows side by side."""
        return f"{self.compare}?a={first}&b={second}"

    @property
    def certainty(self) -> str:
        """The page on how certain the board's ranking is."""
        return self.beside("certainty")

    @property
    def analysis(self) -> str:
        """The page on what the data shows beyond the scores."""
        return self.beside("analysis")

    @property
    def tasks(self) -> str:
        """The page of tasks by submissions."""
        return self.beside("tasks")

    def task(self, task: str) -> str:
        """Return the page of a task's rounds by submissions."""
        return f"{self.board}tasks/{task}/"

    def round(self, task: str, number: int, page_number: int = 1) -> str:
        """Return a page of a round's cases by submissions; a round may need several pages."""
        suffix = ""
        if page_number > 1:
            suffix = f"-part-{page_number}"
        return f"{self.task(task)}{number}{suffix}/"

    def entry(self, entry: str) -> str:
        """Return the page of a submission, or of a published row."""
        return f"{self.board}{entry}/"

    def run(self, entry: str, task: str) -> str:
        """Return the page of a submission's work on one task."""
        return f"{self.entry(entry)}{task}/"

    def transcripts(self, entry: str) -> str:
        """Return the page of a submission's transcripts; its query names one.

        It collides with no run, since no task may be called `tasks`.
        """
        return f"{self.entry(entry)}tasks/trajectory/"

    def badge(self, entry: str = "") -> str:
        """Return the badge of a row, or of the board."""
        return f"{self._entry_or_board(entry)}badge.svg"

    def card(self, entry: str = "") -> str:
        """Return the share card of a row, or of the board."""
        return f"{self._entry_or_board(entry)}card.png"

    def _entry_or_board(self, entry: str) -> str:
        return self.entry(entry) if entry else self.board

    @property
    def citation(self) -> str:
        """The board's citation, in the Citation File Format."""
        return f"{self.board}CITATION.cff"

    @property
    def compare_data(self) -> str:
        """The comparison of every two rows, as JSON."""
        return f"api/v1/{self.board}compare.json"

    @property
    def task_scores(self) -> str:
        """The scores by task, as JSON."""
        return f"api/v1/{self.board}task-scores.json"

    def scores(self, ending: str) -> str:
        """Return the file with all the board's scores, by its suffix, such as `.csv`."""
        return f"api/v1/{self.benchmark}/{self.track}{ending}"

    def rounds(self, ending: str) -> str:
        """Return the file with the board's rounds, by its suffix."""
        return f"api/v1/{self.board}rounds{ending}"

    def row_table(self, entry: str, name: str) -> str:
        """Return a table of one row as Parquet; its folders are named as Hive partitions."""
        folder = f"api/v1/{self.benchmark}/parquet/track={self.track}/submission={entry}"
        return f"{folder}/{name}.parquet"

    @property
    def croissant(self) -> str:
        """The description of the board's files in the Croissant format."""
        return f"api/v1/{self.board}croissant.json"

    def exported_row(self, entry: str, kind: str) -> str:
        """Return a row in the format of another site, such as `every-eval-ever.json`."""
        return f"api/v1/{self.board}{entry}/{kind}"

    def outcomes(self, task: str, number: int | None = None) -> str:
        """Return the file of a round's case outcomes, for pages without room; or its folder."""
        folder = f"api/v1/{self.board}cases/{task}/"
        if number is None:
            return folder
        return f"{folder}{number}.json"

    def snapshot(self, day: object) -> str:
        """Return the board as it is in a release."""
        return f"{release_address(day)}{self.board}"

    def finding(self, name: str) -> str:
        """Return the address of a finding on the board's page."""
        return f"{self.board}#{finding_anchor(name)}"

    @property
    def findings(self) -> str:
        """The findings on the board's page."""
        return f"{self.board}#{FINDINGS}"


def of(board: Board) -> BoardAddresses:
    """Return the addresses of everything about a board."""
    return BoardAddresses(board.benchmark.id, board.track.id)


def board_link(board: Board) -> Link:
    """Return a link to a board."""
    return Link(board.title, of(board).board)


def entry_link(board: Board, entry: Entry) -> Link:
    """Return a link to the page of a row."""
    address = of(board).entry(entry.id)
    return Link(board.name_of(entry), address)


def submission_links(board: Board) -> list[Link]:
    """Return links to the pages of a board's submissions, in board order."""
    return [entry_link(board, entry) for entry in board.submissions]


def agent_address(name: str) -> str:
    """Return the address of all rows of an agent, the same for every spelling of its name.

    A hash is appended where characters such as a plus or letters of other scripts might be all
    that two names differ in.
    """
    plain = name.casefold()
    slug = _NON_SLUG_RUN.sub("-", plain).strip("-")
    pieces = [slug[:_MAX_SLUG_LENGTH]]
    if _DISTINGUISHING.search(plain) or not is_slug(slug):
        pieces.append(_short_hash(plain))
    return f"{AGENTS}{'-'.join(filter(None, pieces))}/"


def benchmark_address(benchmark: str) -> str:
    """Return the address of a benchmark."""
    return f"{benchmark}/"


def cell_anchor(row_id: str, metric_id: str) -> str:
    """Return the anchor of a score on the page of a board in a release."""
    return f"{row_id}.{metric_id}"


def integrity_address(name: str) -> str:
    """Return the address of a benchmark's integrity record."""
    return f"{name}/{reserved_names.INTEGRITY}/"


def cases_address(run: str, anchor: str, page_number: int = 1) -> str:
    """Return the address of a page of a round's cases, for runs whose own page has no room."""
    if page_number == 1:
        return f"{run}{anchor}/"
    return f"{run}{anchor}-part-{page_number}/"


def transcript_query(task: str, attempt: int | None = None, number: int | None = None) -> str:
    """Return the query that names a transcript; the reader chooses what it leaves out."""
    query = f"?task={task}"
    if attempt is not None:
        query += f"&attempt={attempt}"
    if number is not None:
        query += f"&round={number}"
    return query


def release_address(day: object) -> str:
    """Return the address of a release, with its changes and its boards."""
    return f"{CHANGELOG}{day}/"


def release_file(day: object) -> str:
    """Return the address of a release as JSON."""
    return f"api/v1/releases/{day}.json"


def schema_file(name: str) -> str:
    """Return the address of the JSON Schema of a kind of document."""
    return f"api/v1/schemas/{name}.schema.json"


def raw_address(benchmark: str, name: str) -> str:
    """Return the address of a file of `results/`, as it was submitted."""
    return f"data/{benchmark}/{name}"


def is_carried(name: str) -> bool:
    """Return whether the site carries a file of a benchmark's folder."""
    return _CARRIED_FILE.fullmatch(name) is not None


def round_anchor(number: int, attempt: int = 1) -> str:
    """Return the anchor of a round on a run page; the first attempt is omitted."""
    if attempt == 1:
        return f"round-{number}"
    return f"attempt-{attempt}-round-{number}"


def run_anchor(task: str) -> str:
    """Return the anchor of a run on the page of its row, for runs without a page of their own."""
    return f"run-{task}"


def finding_anchor(name: str) -> str:
    """Return the anchor of a finding on the page of its board."""
    return f"finding-{name}"


def case_anchors(number: int, attempt: int, cases: Sequence[str]) -> list[str]:
    """Return the anchors of a round's cases on a run page, in order.

    A short hash is appended if two cases would have the same anchor.
    """
    prefix = round_anchor(number, attempt)
    if len(set(cases)) == len(cases) and not _UNSAFE_IN_ANCHOR.search("".join(cases)):
        return [f"{prefix}-{case}" for case in cases]
    safe_names = _safe_names(cases)
    name_counts = Counter(safe_names)
    occurrences: Counter[str] = Counter()
    anchors = []
    for case, name in zip(cases, safe_names, strict=True):
        occurrences[case] += 1
        is_plain_name = name == case and occurrences[case] == 1
        suffix = ""
        if name_counts[name] > 1 and not is_plain_name:
            suffix = f"-{_short_hash(f'{case}#{occurrences[case]}')}"
        anchors.append(f"{prefix}-{name}{suffix}")
    return anchors


def row_anchors(cases: Sequence[tuple[str, str | None, str | None]]) -> list[str]:
    """Return the anchors of cases among all submissions, by their keys, of which the name is first.

    A short hash of the key is appended if two cases would have the same anchor.
    """
    safe_names = _safe_names([case[0] for case in cases])
    name_counts = Counter(safe_names)
    anchors = []
    for case, name in zip(cases, safe_names, strict=True):
        suffix = "" if name_counts[name] == 1 else f"-{_short_hash(repr(tuple(case)))}"
        anchors.append(f"case-{name}{suffix}")
    return anchors


def _part_address(page: str, number: int) -> str:
    """Return the address of a part of a page's rows, from 1; the page itself has the first part."""
    if number == 1:
        return page
    return f"{page}rows-{number}/"


def _safe_names(cases: Sequence[str]) -> list[str]:
    """Return names of cases with every character replaced that is unsuitable for an anchor."""
    return [_UNSAFE_IN_ANCHOR.sub("-", case) for case in cases]


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:6]


def depth(address: str) -> int:
    """Return how many folders deep an address is."""
    return address.count("/")


def root_of(address: str) -> str:
    """Return the relative path from a page back to the site's root."""
    return "../" * depth(address) or "./"
