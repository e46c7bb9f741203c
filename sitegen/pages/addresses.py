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
"""Paths of result files, by file type. Any other file could be a page without a security policy."""

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
    """A link: its title, and its address relative to the site's root; the address may be empty."""

    title: str
    address: str


class BoardAddresses(NamedTuple):
    """The addresses of a board's pages and files, given the ids of its benchmark and its track."""

    benchmark: str
    track: str

    @property
    def board(self) -> str:
        """The address of the board's page."""
        return f"{self.benchmark}/{self.track}/"

    def beside(self, name: str) -> str:
        """Return the address of a board page in `models.benchmark.BESIDE_SUBMISSIONS`."""
        return f"{self.board}{name}/"

    @property
    def compare(self) -> str:
        """The address of the page that compares rows; a query string selects the rows."""
        return self.beside("compare")

    def rows(self, number: int) -> str:
        """Return the address of a numbered part of the board's rows; part 1 is the board's page."""
        return _part_address(self.board, number)

    def compared_rows(self, number: int) -> str:
        """Return the address of a numbered part of the comparison; part 1 is the page itself."""
        return _part_address(self.compare, number)

    def pair(self, first: str, second: str) -> str:
        """Return the address of the comparison with two rows selected."""
        return f"{self.compare}?a={first}&b={second}"

    @property
    def certainty(self) -> str:
        """The address of the page on how certain the board's ranking is."""
        return self.beside("certainty")

    @property
    def analysis(self) -> str:
        """The address of the page on what the data shows beyond the scores."""
        return self.beside("analysis")

    @property
    def tasks(self) -> str:
        """The address of the page with every submission's result on every task."""
        return self.beside("tasks")

    def task(self, task: str) -> str:
        """Return the address of the page with submissions' results in every round of a task."""
        return f"{self.board}tasks/{task}/"

    def round(self, task: str, number: int, page_number: int = 1) -> str:
        """Return the address of a page of a round's cases; a long round has several pages."""
        suffix = ""
        if page_number > 1:
            suffix = f"-part-{page_number}"
        return f"{self.task(task)}{number}{suffix}/"

    def entry(self, entry: str) -> str:
        """Return the address of the page of a submission or a published row."""
        return f"{self.board}{entry}/"

    def run(self, entry: str, task: str) -> str:
        """Return the address of the page of a run, which is a submission's work on one task."""
        return f"{self.entry(entry)}{task}/"

    def transcripts(self, entry: str) -> str:
        """Return the address of a submission's transcripts; a query string selects a transcript.

        No run page has this address, since no task may be called `tasks`.
        """
        return f"{self.entry(entry)}tasks/trajectory/"

    def badge(self, entry: str = "") -> str:
        """Return the address of the badge of a row, or of the board if no row is given."""
        return f"{self._entry_or_board(entry)}badge.svg"

    def card(self, entry: str = "") -> str:
        """Return the address of the share card of a row, or of the board if no row is given."""
        return f"{self._entry_or_board(entry)}card.png"

    def _entry_or_board(self, entry: str) -> str:
        return self.entry(entry) if entry else self.board

    @property
    def citation(self) -> str:
        """The address of the board's citation, a file in the Citation File Format."""
        return f"{self.board}CITATION.cff"

    @property
    def compare_data(self) -> str:
        """The address of the JSON file that compares every pair of rows."""
        return f"api/v1/{self.board}compare.json"

    @property
    def task_scores(self) -> str:
        """The address of the JSON file with the scores by task."""
        return f"api/v1/{self.board}task-scores.json"

    def scores(self, ending: str) -> str:
        """Return the address of the file with the board's scores, given a suffix such as `.csv`."""
        return f"api/v1/{self.benchmark}/{self.track}{ending}"

    def rounds(self, ending: str) -> str:
        """Return the address of the file with the board's rounds, given a suffix such as `.csv`."""
        return f"api/v1/{self.board}rounds{ending}"

    def row_table(self, entry: str, name: str) -> str:
        """Return the address of a Parquet table of one row, in folders named as Hive partitions."""
        folder = f"api/v1/{self.benchmark}/parquet/track={self.track}/submission={entry}"
        return f"{folder}/{name}.parquet"

    @property
    def croissant(self) -> str:
        """The address of the Croissant description of the board's files."""
        return f"api/v1/{self.board}croissant.json"

    def exported_row(self, entry: str, kind: str) -> str:
        """Return the address of a row in another site's format, such as `every-eval-ever.json`."""
        return f"api/v1/{self.board}{entry}/{kind}"

    def outcomes(self, task: str, number: int | None = None) -> str:
        """Return the address of a file of a round's case outcomes; without a number, its folder."""
        folder = f"api/v1/{self.board}cases/{task}/"
        if number is None:
            return folder
        return f"{folder}{number}.json"

    def snapshot(self, day: object) -> str:
        """Return the address of the board as it is in a release."""
        return f"{release_address(day)}{self.board}"

    def finding(self, name: str) -> str:
        """Return the address of a finding on the board's page."""
        return f"{self.board}#{finding_anchor(name)}"

    @property
    def findings(self) -> str:
        """The address of the findings on the board's page."""
        return f"{self.board}#{FINDINGS}"


def of(board: Board) -> BoardAddresses:
    """Return the addresses of a board's pages and files."""
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
    """Return the address of an agent's page, which is the same for all spellings of its name.

    A hash is appended if the name contains characters, such as a plus sign or non-Latin letters,
    that may be all that distinguishes it from another name.
    """
    plain = name.casefold()
    slug = _NON_SLUG_RUN.sub("-", plain).strip("-")
    pieces = [slug[:_MAX_SLUG_LENGTH]]
    if _DISTINGUISHING.search(plain) or not is_slug(slug):
        pieces.append(_short_hash(plain))
    return f"{AGENTS}{'-'.join(filter(None, pieces))}/"


def benchmark_address(benchmark: str) -> str:
    """Return the address of a benchmark's page."""
    return f"{benchmark}/"


def cell_anchor(row_id: str, metric_id: str) -> str:
    """Return the anchor of a score on the page of a board in a release."""
    return f"{row_id}.{metric_id}"


def integrity_address(name: str) -> str:
    """Return the address of a benchmark's integrity record."""
    return f"{name}/{reserved_names.INTEGRITY}/"


def cases_address(run: str, anchor: str, page_number: int = 1) -> str:
    """Return the address of a page of a round's cases, for runs whose own page is too small."""
    if page_number == 1:
        return f"{run}{anchor}/"
    return f"{run}{anchor}-part-{page_number}/"


def transcript_query(task: str, attempt: int | None = None, number: int | None = None) -> str:
    """Return the query string that selects a transcript; a reader chooses any part left out."""
    query = f"?task={task}"
    if attempt is not None:
        query += f"&attempt={attempt}"
    if number is not None:
        query += f"&round={number}"
    return query


def release_address(day: object) -> str:
    """Return the address of a release's page, which shows its changes and its boards."""
    return f"{CHANGELOG}{day}/"


def release_file(day: object) -> str:
    """Return the address of the JSON file of a release."""
    return f"api/v1/releases/{day}.json"


def schema_file(name: str) -> str:
    """Return the address of the JSON Schema of a kind of document."""
    return f"api/v1/schemas/{name}.schema.json"


def raw_address(benchmark: str, name: str) -> str:
    """Return the address of the site's copy of a file submitted to `results/`."""
    return f"data/{benchmark}/{name}"


def is_carried(name: str) -> bool:
    """Return whether the site includes a copy of a file from a benchmark's folder."""
    return _CARRIED_FILE.fullmatch(name) is not None


def round_anchor(number: int, attempt: int = 1) -> str:
    """Return the anchor of a round on a run page; the anchor omits attempt 1."""
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
    """Return the anchors of cases on a page of all submissions, in order.

    Each case is given by its key, which starts with its name. A short hash of the key is appended
    if two cases would have the same anchor.
    """
    safe_names = _safe_names([case[0] for case in cases])
    name_counts = Counter(safe_names)
    anchors = []
    for case, name in zip(cases, safe_names, strict=True):
        suffix = "" if name_counts[name] == 1 else f"-{_short_hash(repr(tuple(case)))}"
        anchors.append(f"case-{name}{suffix}")
    return anchors


def _part_address(page: str, number: int) -> str:
    """Return the address of a numbered part of a page's rows; part 1 is the page itself."""
    if number == 1:
        return page
    return f"{page}rows-{number}/"


def _safe_names(cases: Sequence[str]) -> list[str]:
    """Return case names with a hyphen in place of each character that is unsafe in an anchor."""
    return [_UNSAFE_IN_ANCHOR.sub("-", case) for case in cases]


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:6]


def depth(address: str) -> int:
    """Return the depth of an address: the number of folders in its path."""
    return address.count("/")


def root_of(address: str) -> str:
    """Return the relative path from a page back to the site's root."""
    return "../" * depth(address) or "./"
