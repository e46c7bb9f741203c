"""Names of files and folders in a results folder, and a check for any other files."""

import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from operator import attrgetter
from pathlib import Path

from sitegen.models.record import is_slug
from sitegen.models.shared_rules import NAME_TWICE
from sitegen.problems import Problem, Rule, limited, mends, reasons
from sitegen.reading.files import LINK_REFUSED
from sitegen.reading.shape import NAME_ODD, SLUG_INVALID, suggestion

DEFINITION_FILE = "benchmark.toml"
FINDINGS_FILE = "findings.toml"
TASKS_FOLDER = "tasks"
SUBMISSIONS_FOLDER = "submissions"
REPORTED_FOLDER = "reported"
RELEASES_FOLDER = "releases"
"""The folder of releases, next to the folders of the benchmarks."""
AGENTS_FILE = "agents.toml"
"""The list of agents, next to the folders of the benchmarks."""
ARRIVALS_FILE = "arrivals.jsonl"
"""The journal of arrivals in the results folder; journals only ever gain lines."""
CHECKS_FILE = "checks.jsonl"
"""The journal of checks in a benchmark's folder."""
REGISTRATIONS_FILE = "registrations.jsonl"
"""The journal of registered runs in a benchmark's folder."""

FILE_UNEXPECTED = Rule.error(
    "FILE-UNEXPECTED",
    "A folder contains a file that is not part of the format.",
    "remove it, or keep it outside of the results folder",
    unwaivable=reasons.FETCHED,
    mend=mends.LEFTOVERS,
)
FILE_HIDDEN = Rule.error(
    "FILE-HIDDEN",
    "A file or folder of a benchmark is hidden: its name begins with a dot.",
    "remove it, or keep it outside of the results folder",
    unwaivable=reasons.FETCHED,
    mend=mends.LEFTOVERS,
)
NAME_RESERVED = Rule.error(
    "NAME-RESERVED",
    "A name is reserved for an address of the site.",
    "choose another name",
    unwaivable=reasons.ADDRESSES,
)

MANIFEST_FILE = "submission.toml"
ROUNDS_FILE = "rounds.jsonl"
RUNS_FILE = "runs.jsonl"
CHECKSUMS_FILE = "SHA256SUMS"
FAILURE_FILES = ("failures.jsonl.gz", "failures.jsonl")
"""Names of the list of failed cases, compressed and plain; a bundle has at most one of them."""
REQUIRED_FILES = (MANIFEST_FILE, ROUNDS_FILE, CHECKSUMS_FILE)
BUNDLE_FILES = frozenset({*REQUIRED_FILES, RUNS_FILE, *FAILURE_FILES})

_LEFTOVER_FIX = "remove it: {} left it behind, and a line in `.gitignore` keeps it out"
_LEFTOVER_SOURCES = {
    ".DS_Store": "macOS",
    "._*": "macOS",
    "__MACOSX": "macOS",
    "Thumbs.db": "Windows",
    "desktop.ini": "Windows",
    "*~": "an editor",
    "*.sw?": "an editor",
    "*.bak": "an editor",
    "#*#": "an editor",
    "*.orig": "a merge",
    "*.rej": "a merge",
    "__pycache__": "Python",
    ".ipynb_checkpoints": "a notebook",
}
"""The programs that leave files behind, by patterns of the files' names."""
_REPOSITORY = ".git"
_ATTRIBUTES = ".gitattributes"
KEEPER_FILE = ".gitkeep"
"""A file that keeps an empty folder in git."""


@dataclass(frozen=True, slots=True)
class Contents:
    """The files and folders that are allowed in a folder."""

    owner: str
    """The name of the folder in a sentence."""
    files: Collection[str] = ()
    folders: Collection[str] | None = ()
    """The names of its folders; None allows any name."""
    suffix: str | None = None
    """The suffix of other allowed files, whose stems must be slugs; None if there are none."""

    def takes_file(self, name: str) -> bool:
        """Return whether the folder may contain a file of this name."""
        return name in self.files or self._has_suffix(name)

    def _has_suffix(self, name: str) -> bool:
        return self.suffix is not None and name.endswith(self.suffix)


RESULTS_CONTENTS = Contents("the results", folders=None)
BUNDLE_CONTENTS = Contents("a bundle", BUNDLE_FILES)
SUBMISSIONS_CONTENTS = Contents("the submissions", folders=None)
TASK_SETS_CONTENTS = Contents("the task sets", suffix=".jsonl")
TABLES_CONTENTS = Contents("the published tables", suffix=".toml")


def strays(folder: Path, contents: Contents) -> Iterator[Problem]:
    """Yield unexpected files and folders in `folder`, and names that differ only in case.

    A link or a folder in place of an expected file is reported by the reader of that file.
    """
    accepted_names: list[str] = []
    problems: list[Problem] = []
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=attrgetter("name")):
            problem = _entry_problem(folder, entry.name, contents)
            if problem is None:
                accepted_names.append(entry.name)
            else:
                problems.append(problem)
    yield from limited(problems)
    yield from limited(_names_differing_in_case(folder, accepted_names))


def _names_differing_in_case(folder: Path, names: Iterable[str]) -> Iterator[Problem]:
    """Yield problems of names that differ from an earlier name only in case."""
    first_names: dict[str, str] = {}
    for name in names:
        first_name = first_names.setdefault(name.casefold(), name)
        if first_name != name:
            fact = (
                f"{first_name} and {name} differ only in upper and lower case, "
                "and are the same file on some systems"
            )
            yield NAME_TWICE.broken(folder / name, None, fact)


def strays_beside_benchmarks(folder: Path) -> Iterator[Problem]:
    """Yield problems of entries next to the benchmarks that may resemble or hide a benchmark."""
    for child in sorted(folder.iterdir()):
        if not child.name.isprintable():
            yield _unprintable_name(folder, child.name, folder)
        elif child.is_symlink():
            yield LINK_REFUSED.broken(child, None, f"{child.name} is a symbolic link")
        elif child.name == _ATTRIBUTES and not (folder / _REPOSITORY).exists():
            fact = f"{child.name} can hide changes of results from reviewers"
            fix = "remove it: the repository has its own"
            yield FILE_HIDDEN.broken(child, None, fact, fix)
        elif child.name.startswith(".") and (child / DEFINITION_FILE).exists():
            yield _hidden_file(child, RESULTS_CONTENTS)


def is_plain_folder(path: Path) -> bool:
    """Return whether a path is a folder, rather than a link to a folder."""
    return path.is_dir() and not path.is_symlink()


def is_visible(name: str) -> bool:
    """Return whether a name is visible in a listing of the folder and in a message."""
    return name.isprintable() and not name.startswith(".")


def _entry_problem(folder: Path, name: str, contents: Contents) -> Problem | None:
    """Return the problem of an entry of a folder; None if the entry is allowed."""
    path = folder / name
    if not name.isprintable():
        # An unprintable name among the submissions is reported for the benchmark's folder.
        reported_folder = folder.parent if contents is SUBMISSIONS_CONTENTS else folder
        return _unprintable_name(folder, name, reported_folder)
    if name.startswith("."):
        if name == KEEPER_FILE and contents is not BUNDLE_CONTENTS:
            return None
        return _hidden_file(path, contents)
    if contents.takes_file(name):
        return _stem_problem(path, contents)
    if path.is_symlink():
        return LINK_REFUSED.broken(path, None, f"{name} is a symbolic link")
    if path.is_dir() and (contents.folders is None or name in contents.folders):
        return None
    expected_names = {*contents.files, *(contents.folders or ())}
    fix = _leftover_fix(name) or suggestion(name, expected_names)
    return FILE_UNEXPECTED.broken(path, None, f"{name} is not part of {contents.owner}", fix)


def _stem_problem(path: Path, contents: Contents) -> Problem | None:
    """Return the problem of an allowed file whose stem must be a slug but is not."""
    stem = path.name.removesuffix(contents.suffix or "")
    if path.name in contents.files or is_slug(stem):
        return None
    return SLUG_INVALID.broken(path, None, f'the name "{stem}" is not a slug')


def _unprintable_name(folder: Path, name: str, reported_folder: Path) -> Problem:
    fact = f"{name!a}, in {folder.name}, has invisible characters"
    return NAME_ODD.broken(reported_folder, None, fact)


def _hidden_file(path: Path, contents: Contents) -> Problem:
    fix = _leftover_fix(path.name)
    if fix is None and contents.folders is None and path.is_dir():
        fix = "rename it without the dot if it is meant to be read, or remove it"
    return FILE_HIDDEN.broken(path, None, f"{path.name} is hidden: nobody would see it", fix)


def _leftover_fix(name: str) -> str | None:
    """Return a fix for a file that a known program leaves behind; None for any other file."""
    if name == _REPOSITORY:
        return "remove it: copy a bundle's files without the repository that they come from"
    for pattern, source in _LEFTOVER_SOURCES.items():
        if fnmatchcase(name, pattern):
            return _LEFTOVER_FIX.format(source)
    return None
