"""Where pages stand, below the site's root. Part of the program's interface: links must outlive a rebuild."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence

_OUTSIDE = re.compile(r"[^A-Za-z0-9._-]")

_CARRIED = re.compile(r"(?:[\w-][\w.-]*/)*(?:[\w-][\w.-]*\.(?:toml|jsonl|jsonl\.gz)|SHA256SUMS)", re.ASCII)
"""Files that results consist of. Another one might be a page, which no policy rules."""

HOME = ""
METHODS = "methods/"
SUBMIT = "submit/"
CHANGELOG = "changelog/"
DATA = "data/"
API = "api/"
SCORES = "api/v1/scores.json"
RELEASES = "api/v1/releases.json"
CHECKSUMS = "api/v1/SHA256SUMS"
SITE_CARD = "card.png"
"""The share card of the whole site."""
FINDINGS = "findings"
"""The part of a board's page that tells its findings."""


def benchmark_address(benchmark: str) -> str:
    """Give the address of a benchmark."""
    return f"{benchmark}/"


def board_address(benchmark: str, track: str) -> str:
    """Give the address of a board."""
    return f"{benchmark}/{track}/"


def board_scores(benchmark: str, track: str, ending: str) -> str:
    """Give the address of a whole board's scores in one kind of file, such as `.csv`."""
    return f"api/v1/{benchmark}/{track}{ending}"


def compare_address(benchmark: str, track: str) -> str:
    """Give the address of the page that compares rows of a board; its query names them."""
    return f"{benchmark}/{track}/compare/"


def compare_data(benchmark: str, track: str) -> str:
    """Give the address of what is known of every two rows of a board, as JSON."""
    return f"api/v1/{benchmark}/{track}/compare.json"


def certainty_address(benchmark: str, track: str) -> str:
    """Give the address of how sure a board is."""
    return f"{benchmark}/{track}/certainty/"


def tasks_address(benchmark: str, track: str) -> str:
    """Give the address of tasks by submissions."""
    return f"{benchmark}/{track}/tasks/"


def task_address(benchmark: str, track: str, task: str) -> str:
    """Give the address of one task: rounds by submissions."""
    return f"{benchmark}/{track}/tasks/{task}/"


def round_address(benchmark: str, track: str, task: str, number: int, part: int = 1) -> str:
    """Give the address of one round: cases by submissions, or a further part of them where one page has no room."""
    return f"{benchmark}/{track}/tasks/{task}/{number}{f'-part-{part}' if part > 1 else ''}/"


def entry_address(benchmark: str, track: str, entry: str) -> str:
    """Give the address of one submission, or of one row of a published table."""
    return f"{benchmark}/{track}/{entry}/"


def run_address(benchmark: str, track: str, entry: str, task: str) -> str:
    """Give the address of one submission's work on one task."""
    return f"{benchmark}/{track}/{entry}/{task}/"


def cases_address(run: str, anchor: str, part: int = 1) -> str:
    """Give the address of a page with cases of one round of a run, where the run's own page has no room for them.

    Args:
        run: Address of the run.
        anchor: Anchor of the round on the run's page.
        part: Which of the round's pages, from 1.
    """
    return f"{run}{anchor}/" if part == 1 else f"{run}{anchor}-part-{part}/"


def trajectory_address(benchmark: str, track: str, entry: str) -> str:
    """Give the address of the page that shows the transcripts of a submission; its query names one.

    No run stands there, since no task may be called `tasks`.
    """
    return f"{benchmark}/{track}/{entry}/tasks/trajectory/"


def transcript_query(task: str, attempt: int | None = None, number: int | None = None) -> str:
    """Give the query that names a transcript. What it leaves out is the reader's choice."""
    told = {"attempt": attempt, "round": number}
    return f"?task={task}" + "".join(f"&{name}={value}" for name, value in told.items() if value is not None)


def badge_address(benchmark: str, track: str, entry: str = "") -> str:
    """Give the address of the badge of a row, or of a board."""
    return f"{entry_address(benchmark, track, entry) if entry else board_address(benchmark, track)}badge.svg"


def card_address(benchmark: str, track: str, entry: str = "") -> str:
    """Give the address of the share card of a row, or of a board."""
    return f"{entry_address(benchmark, track, entry) if entry else board_address(benchmark, track)}card.png"


def citation_address(benchmark: str, track: str) -> str:
    """Give the address of a board's citation, in the Citation File Format."""
    return f"{board_address(benchmark, track)}CITATION.cff"


def release_address(day: object) -> str:
    """Give the address of a release: what it brought, and its boards."""
    return f"{CHANGELOG}{day}/"


def snapshot_address(day: object, benchmark: str, track: str) -> str:
    """Give the address of a board as a release has it."""
    return f"{release_address(day)}{board_address(benchmark, track)}"


def release_file(day: object) -> str:
    """Give the address of a release as JSON."""
    return f"api/v1/releases/{day}.json"


def schema_file(name: str) -> str:
    """Give the address of the JSON Schema of a kind of document."""
    return f"api/v1/schemas/{name}.schema.json"


def raw_address(benchmark: str, name: str) -> str:
    """Give the address of a file of `results/`, as it was submitted."""
    return f"data/{benchmark}/{name}"


def is_carried(name: str) -> bool:
    """Whether the site carries a file of a benchmark's folder."""
    return _CARRIED.fullmatch(name) is not None


def round_anchor(number: int, attempt: int = 1) -> str:
    """Give the anchor of a round on a run page; the first attempt has the plain one."""
    return f"round-{number}" if attempt == 1 else f"attempt-{attempt}-round-{number}"


def finding_anchor(name: str) -> str:
    """Give the anchor of a finding on the page of its board."""
    return f"finding-{name}"


def case_anchors(number: int, attempt: int, cases: Sequence[str]) -> list[str]:
    """Give the anchor of each case of a round, with a short hash where two would be the same.

    Args:
        number: The round.
        attempt: The attempt.
        cases: Names of the cases, in the order they stand on the page.
    """
    prefix = round_anchor(number, attempt)
    is_plain = len(set(cases)) == len(cases) and not _OUTSIDE.search("".join(cases))
    return [f"{prefix}-{name}" for name in (cases if is_plain else _unique(cases))]


def _unique(cases: Sequence[str]) -> Iterator[str]:
    """Make names fit for anchors, and tell those apart that would be the same."""
    plain = [_OUTSIDE.sub("-", case) for case in cases]
    often = Counter(plain)
    seen: Counter[str] = Counter()
    for case, name in zip(cases, plain, strict=True):
        seen[case] += 1
        is_other = often[name] > 1 and (name != case or seen[case] > 1)
        yield f"{name}-{_short_hash(f'{case}#{seen[case]}')}" if is_other else name


def row_anchors(cases: Sequence[tuple[str, str | None, str | None]]) -> list[str]:
    """Give the anchor of each case among all submissions, with a short hash where two would be the same.

    Args:
        cases: What tells each from the others, the name first; the order does not matter.
    """
    plain = [_OUTSIDE.sub("-", case[0]) for case in cases]
    often = Counter(plain)
    hashed = ((f"{name}-{_short_hash(repr(tuple(case)))}") for case, name in zip(cases, plain, strict=True))
    return [f"case-{name if often[name] == 1 else unique}" for name, unique in zip(plain, hashed, strict=True)]


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:6]


def depth(address: str) -> int:
    """Count the folders that an address is deep."""
    return address.count("/")


def root_of(address: str) -> str:
    """Give the way from a page back to the site's root."""
    return "../" * depth(address) or "./"
