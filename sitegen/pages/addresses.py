"""Where pages stand, below the site's root. Part of the program's interface: links must outlive a rebuild."""

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.models import benchmark
from sitegen.models.record import is_slug

_OUTSIDE = re.compile(r"[^A-Za-z0-9._-]")

_BESIDE_SLUGS = re.compile(r"[^a-z0-9]+")
_TELLING = re.compile(r"[^a-z0-9 ._:/()\[\],-]")

_CARRIED = re.compile(
    r"(?:[\w-][\w.-]*/)*(?:[\w-][\w.-]*\.(?:toml|jsonl|jsonl\.gz)|SHA256SUMS)", re.ASCII
)
"""Files that results consist of. Another one might be a page, which no policy rules."""

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
AGENTS = f"{benchmark.AGENTS}/"
SCORES = "api/v1/scores.json"
RULES = "api/v1/rules.json"
RELEASES = "api/v1/releases.json"
CHECKSUMS = "api/v1/SHA256SUMS"
FINDINGS = "findings"
"""The part of a board's page that tells its findings."""


class Link(NamedTuple):
    """What is led to: its title, and its address below the site's root; empty where it leads nowhere."""

    title: str
    address: str


class BoardAddresses(NamedTuple):
    """Where everything about a board stands: ids of its benchmark and of its track."""

    benchmark: str
    track: str

    @property
    def board(self) -> str:
        """The board."""
        return f"{self.benchmark}/{self.track}/"

    def beside(self, name: str) -> str:
        """A page beside its submissions, one of `models.benchmark.BESIDE_SUBMISSIONS`."""
        return f"{self.board}{name}/"

    @property
    def compare(self) -> str:
        """The page that compares rows; its query names them."""
        return self.beside("compare")

    def pair(self, first: str, second: str) -> str:
        """That page with two rows side by side."""
        return f"{self.compare}?a={first}&b={second}"

    @property
    def certainty(self) -> str:
        """How sure the board is."""
        return self.beside("certainty")

    @property
    def analysis(self) -> str:
        """What its data shows beyond the scores."""
        return self.beside("analysis")

    @property
    def tasks(self) -> str:
        """Tasks by submissions."""
        return self.beside("tasks")

    def task(self, task: str) -> str:
        """Rounds of a task by submissions."""
        return f"{self.board}tasks/{task}/"

    def round(self, task: str, number: int, part: int = 1) -> str:
        """Cases of a round by submissions, or a further part of them where one page can't hold them all."""
        return f"{self.board}tasks/{task}/{number}{f'-part-{part}' if part > 1 else ''}/"

    def entry(self, entry: str) -> str:
        """One submission, or one row of a published table."""
        return f"{self.board}{entry}/"

    def run(self, entry: str, task: str) -> str:
        """One submission's work on one task."""
        return f"{self.board}{entry}/{task}/"

    def trajectory(self, entry: str) -> str:
        """The transcripts of a submission; the query names one. No run stands there: no task is called `tasks`."""
        return f"{self.board}{entry}/tasks/trajectory/"

    def badge(self, entry: str = "") -> str:
        """The badge of a row, or of the board."""
        return f"{self.entry(entry) if entry else self.board}badge.svg"

    def card(self, entry: str = "") -> str:
        """The share card of a row, or of the board."""
        return f"{self.entry(entry) if entry else self.board}card.png"

    @property
    def citation(self) -> str:
        """The board's citation, in the Citation File Format."""
        return f"{self.board}CITATION.cff"

    @property
    def compare_data(self) -> str:
        """What is known of every two rows, as JSON."""
        return f"api/v1/{self.board}compare.json"

    def scores(self, ending: str) -> str:
        """The whole board's scores in one kind of file, such as `.csv`."""
        return f"api/v1/{self.benchmark}/{self.track}{ending}"

    def rounds(self, ending: str) -> str:
        """The board's table of rounds in one kind of file."""
        return f"api/v1/{self.board}rounds{ending}"

    def row_table(self, entry: str, name: str) -> str:
        """A table of one row as Parquet, in folders whose names are columns to those who query all of them."""
        return (
            f"api/v1/{self.benchmark}/parquet/track={self.track}/submission={entry}/{name}.parquet"
        )

    @property
    def croissant(self) -> str:
        """What the board's files hold, in the words of Croissant."""
        return f"api/v1/{self.board}croissant.json"

    def handed_on(self, entry: str, kind: str) -> str:
        """A row as others have it, in one kind of file, such as `every-eval-ever.json`."""
        return f"api/v1/{self.board}{entry}/{kind}"

    def outcomes(self, task: str, number: int | None = None) -> str:
        """The file of a round of which pages have no room to tell how each case ended; the folder of a task's."""
        return f"api/v1/{self.board}cases/{task}/{'' if number is None else f'{number}.json'}"

    def snapshot(self, day: object) -> str:
        """The board as a release has it."""
        return f"{release_address(day)}{self.board}"

    def finding(self, name: str) -> str:
        """Where a finding is told."""
        return f"{self.board}#{finding_anchor(name)}"

    @property
    def findings(self) -> str:
        """Where all findings are told."""
        return f"{self.board}#{FINDINGS}"


def of(board: Board) -> BoardAddresses:
    """Tell where everything about a board stands."""
    return BoardAddresses(board.benchmark.id, board.track.id)


def board_link(board: Board) -> Link:
    """Lead to a board."""
    return Link(board.title, of(board).board)


def entry_link(board: Board, entry: Entry) -> Link:
    """Lead to the page of a row."""
    return Link(board.name_of(entry), of(board).entry(entry.id))


def agent_address(name: str) -> str:
    """Tell where all rows of an agent stand, under whatever spelling of its name that tells it from no other.

    Characters that might tell two agents apart, such as a plus or letters of other scripts, make a hash.
    """
    plain = name.casefold()
    slug = _BESIDE_SLUGS.sub("-", plain).strip("-")
    hashed = _short_hash(plain) if _TELLING.search(plain) or not is_slug(slug) else ""
    return f"{AGENTS}{'-'.join(filter(None, (slug[:80], hashed)))}/"


def benchmark_address(benchmark: str) -> str:
    """Tell where a benchmark stands."""
    return f"{benchmark}/"


def integrity_address(name: str) -> str:
    """Tell where the integrity record of a benchmark stands."""
    return f"{name}/{benchmark.INTEGRITY}/"


def cases_address(run: str, anchor: str, part: int = 1) -> str:
    """Tell where a page stands with cases of a round of a run, for which the run's own page has no room."""
    return f"{run}{anchor}/" if part == 1 else f"{run}{anchor}-part-{part}/"


def transcript_query(task: str, attempt: int | None = None, number: int | None = None) -> str:
    """Write the query that names a transcript. What it leaves out is the reader's choice."""
    told = {"attempt": attempt, "round": number}
    return f"?task={task}" + "".join(
        f"&{name}={value}" for name, value in told.items() if value is not None
    )


def release_address(day: object) -> str:
    """Tell where a release stands: what it brought, and its boards."""
    return f"{CHANGELOG}{day}/"


def release_file(day: object) -> str:
    """Tell where a release stands as JSON."""
    return f"api/v1/releases/{day}.json"


def schema_file(name: str) -> str:
    """Tell where the JSON Schema of a kind of document stands."""
    return f"api/v1/schemas/{name}.schema.json"


def raw_address(benchmark: str, name: str) -> str:
    """Tell where a file of `results/` stands, as it was submitted."""
    return f"data/{benchmark}/{name}"


def is_carried(name: str) -> bool:
    """Whether the site carries a file of a benchmark's folder."""
    return _CARRIED.fullmatch(name) is not None


def round_anchor(number: int, attempt: int = 1) -> str:
    """Name a round on a run page; the first attempt has the plain name."""
    return f"round-{number}" if attempt == 1 else f"attempt-{attempt}-round-{number}"


def run_anchor(task: str) -> str:
    """Name a run on the page of its row, where it has none of its own."""
    return f"run-{task}"


def finding_anchor(name: str) -> str:
    """Name a finding on the page of its board."""
    return f"finding-{name}"


def case_anchors(number: int, attempt: int, cases: Sequence[str]) -> list[str]:
    """Name each case of a round on a run page, in order, with a short hash where two would have the same name."""
    prefix = round_anchor(number, attempt)
    if len(set(cases)) == len(cases) and not _OUTSIDE.search("".join(cases)):
        return [f"{prefix}-{name}" for name in cases]
    plain = [_OUTSIDE.sub("-", case) for case in cases]
    often, seen, anchors = Counter(plain), Counter[str](), []
    for case, name in zip(cases, plain, strict=True):
        seen[case] += 1
        is_other = often[name] > 1 and (name != case or seen[case] > 1)
        unique = f"{name}-{_short_hash(f'{case}#{seen[case]}')}" if is_other else name
        anchors.append(f"{prefix}-{unique}")
    return anchors


def row_anchors(cases: Sequence[tuple[str, str | None, str | None]]) -> list[str]:
    """Name each case among all submissions by what tells it from others, the name first; with a hash as above."""
    plain = [_OUTSIDE.sub("-", case[0]) for case in cases]
    often = Counter(plain)
    return [
        f"case-{name}" if often[name] == 1 else f"case-{name}-{_short_hash(repr(tuple(case)))}"
        for case, name in zip(cases, plain, strict=True)
    ]


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:6]


def depth(address: str) -> int:
    """Count the folders that an address is deep."""
    return address.count("/")


def root_of(address: str) -> str:
    """Write the way from a page back to the site's root."""
    return "../" * depth(address) or "./"
