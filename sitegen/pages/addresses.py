"""Where pages stand, below the site's root. Part of the program's interface: links must outlive a rebuild."""

import hashlib
import re
from collections import Counter
from collections.abc import Sequence

_OUTSIDE = re.compile(r"[^A-Za-z0-9._-]")

HOME = ""
METHODS = "methods/"
SUBMIT = "submit/"
CHANGELOG = "changelog/"
DATA = "data/"
SCORES = "api/v1/scores.json"


def benchmark_address(benchmark: str) -> str:
    """Give the address of a benchmark."""
    return f"{benchmark}/"


def board_address(benchmark: str, track: str) -> str:
    """Give the address of a board."""
    return f"{benchmark}/{track}/"


def tasks_address(benchmark: str, track: str) -> str:
    """Give the address of tasks by submissions."""
    return f"{benchmark}/{track}/tasks/"


def task_address(benchmark: str, track: str, task: str) -> str:
    """Give the address of one task: rounds by submissions."""
    return f"{benchmark}/{track}/tasks/{task}/"


def round_address(benchmark: str, track: str, task: str, number: int) -> str:
    """Give the address of one round: cases by submissions."""
    return f"{benchmark}/{track}/tasks/{task}/{number}/"


def entry_address(benchmark: str, track: str, entry: str) -> str:
    """Give the address of one submission, or of one row of a published table."""
    return f"{benchmark}/{track}/{entry}/"


def run_address(benchmark: str, track: str, entry: str, task: str) -> str:
    """Give the address of one submission's work on one task."""
    return f"{benchmark}/{track}/{entry}/{task}/"


def raw_address(benchmark: str, name: str) -> str:
    """Give the address of a file of `results/`, as it was submitted."""
    return f"data/{benchmark}/{name}"


def round_anchor(number: int, attempt: int = 1) -> str:
    """Give the anchor of a round on a run page; the first attempt has the plain one."""
    return f"round-{number}" if attempt == 1 else f"attempt-{attempt}-round-{number}"


def case_anchors(number: int, attempt: int, cases: Sequence[str]) -> list[str]:
    """Give the anchor of each case of a round, with a short hash where two would be the same.

    Args:
        number: The round.
        attempt: The attempt.
        cases: Names of the cases, in the order they stand on the page.
    """
    plain = [_OUTSIDE.sub("-", case) for case in cases]
    often = Counter(plain)
    seen: Counter[str] = Counter()
    anchors = []
    for case, name in zip(cases, plain, strict=True):
        seen[case] += 1
        unique = name
        if often[name] > 1 and (name != case or seen[case] > 1):
            unique = f"{name}-{hashlib.sha256(f'{case}#{seen[case]}'.encode()).hexdigest()[:6]}"
        anchors.append(f"{round_anchor(number, attempt)}-{unique}")
    return anchors


def depth(address: str) -> int:
    """Count the folders that an address is deep."""
    return address.count("/")


def root_of(address: str) -> str:
    """Give the way from a page back to the site's root."""
    return "../" * depth(address) or "./"
