"""What lies where in a results folder, and what lies there and is no part of it: nothing is passed over."""

import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from sitegen.models.record import is_slug
from sitegen.problems import Problem, Rule, limited, mends, reasons
from sitegen.reading.files import LINK_REFUSED
from sitegen.reading.shape import NAME_ODD, SLUG_INVALID, suggestion

DEFINITION = "benchmark.toml"
FINDINGS = "findings.toml"
TASKS, SUBMISSIONS, REPORTED = "tasks", "submissions", "reported"
RELEASES = "releases"
"""The folder beside the benchmarks' folders."""
ARRIVALS, CHECKS, REGISTRATIONS = "arrivals.jsonl", "checks.jsonl", "registrations.jsonl"
"""Journals, to which lines are only added: beside the benchmarks' folders, and in each of them."""

FILE_UNEXPECTED = Rule.error(
    "FILE-UNEXPECTED",
    "A folder holds only the files that the format names.",
    "remove it, or keep it outside of the results folder",
    unwaivable=reasons.FETCHED,
    mend=mends.LEFTOVERS,
)
FILE_HIDDEN = Rule.error(
    "FILE-HIDDEN",
    "No file or folder of a benchmark is hidden: its name does not begin with a dot.",
    "remove it, or keep it outside of the results folder",
    unwaivable=reasons.FETCHED,
    mend=mends.LEFTOVERS,
)
NAME_RESERVED = Rule.error(
    "NAME-RESERVED",
    "Names leave the site's own addresses alone.",
    "choose another name",
    unwaivable=reasons.ADDRESSES,
)
NAME_TWICE = Rule.error(
    "NAME-TWICE",
    "A name stands for one thing.",
    "rename or remove one of the two",
    unwaivable=reasons.ADDRESSES,
)

MANIFEST, ROUNDS, RUNS, CHECKSUMS = "submission.toml", "rounds.jsonl", "runs.jsonl", "SHA256SUMS"
FAILURES = ("failures.jsonl.gz", "failures.jsonl")
"""Packed or not: a bundle has one of the two, or none."""
REQUIRED = (MANIFEST, ROUNDS, CHECKSUMS)
KNOWN = frozenset({*REQUIRED, RUNS, *FAILURES})

_LEFT_BEHIND = "remove it: {} left it behind, and a line in `.gitignore` keeps it out"
_FIXES: Mapping[str, str] = {
    ".git": "remove it: copy a bundle's files without the repository that they come from",
    ".DS_Store": _LEFT_BEHIND.format("macOS"),
    "._*": _LEFT_BEHIND.format("macOS"),
    "__MACOSX": _LEFT_BEHIND.format("macOS"),
    "Thumbs.db": _LEFT_BEHIND.format("Windows"),
    "desktop.ini": _LEFT_BEHIND.format("Windows"),
    "*~": _LEFT_BEHIND.format("an editor"),
    "*.sw?": _LEFT_BEHIND.format("an editor"),
    "*.bak": _LEFT_BEHIND.format("an editor"),
    "#*#": _LEFT_BEHIND.format("an editor"),
    "*.orig": _LEFT_BEHIND.format("a merge"),
    "*.rej": _LEFT_BEHIND.format("a merge"),
    "__pycache__": _LEFT_BEHIND.format("Python"),
    ".ipynb_checkpoints": _LEFT_BEHIND.format("a notebook"),
}
"""What to do about names that are known to turn up."""
_ATTRIBUTES = ".gitattributes"
_KEEPER = ".gitkeep"
"""What keeps an empty folder in git."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What a folder may hold."""

    owner: str
    """The folder, as a sentence names it."""
    files: Collection[str] = ()
    folders: Collection[str] | None = ()
    """Names of its folders; None for any."""
    suffix: str | None = None
    """End of the names of more files, which are otherwise slugs."""

    def takes_file(self, name: str) -> bool:
        """Whether a file is part of it."""
        return name in self.files or (self.suffix is not None and name.endswith(self.suffix))


RESULTS = Contents("the results", folders=None)
BUNDLE = Contents("a bundle", KNOWN)
BUNDLES = Contents("the submissions", folders=None)
TASK_SETS = Contents("the task sets", suffix=".jsonl")
TABLES = Contents("the published tables", suffix=".toml")


def strays(folder: Path, contents: Contents) -> Iterator[Problem]:
    """What lies in a folder and is no part of it; a link or folder in the place of a file is told by who reads it."""
    names: list[str] = []
    found: list[Problem] = []
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda each: each.name):
            problem = _judged(folder, entry, contents)
            if problem:
                found.append(problem)
            else:
                names.append(entry.name)
    yield from limited(found)
    seen: dict[str, str] = {}
    yield from limited(
        NAME_TWICE.broken(
            folder / name,
            None,
            f"{seen[name.casefold()]} and {name} differ in upper and lower case only, and are one on some systems",
        )
        for name in names
        if seen.setdefault(name.casefold(), name)
        != name  # one name, where the two cases are not told apart
    )


def strays_beside_benchmarks(folder: Path) -> Iterator[Problem]:
    """What beside the benchmarks would be passed over, though it looks like one or hides what they hold."""
    for child in sorted(folder.iterdir()):
        if not child.name.isprintable():
            what = f"{child.name!a}, in {folder.name}, has characters that can't be seen"
            yield NAME_ODD.broken(folder, None, what)
        elif child.is_symlink():
            yield LINK_REFUSED.broken(child, None, f"{child.name} is a symbolic link")
        elif child.name == _ATTRIBUTES and not (folder / ".git").exists():
            what = f"{child.name} can keep changes of results from being shown"
            yield FILE_HIDDEN.broken(
                child, None, what, "remove it: the one of the repository will do"
            )
        elif child.name.startswith(".") and (child / DEFINITION).exists():
            yield _hidden(child, RESULTS)


def is_plain_folder(path: Path) -> bool:
    """Whether a path is a folder, and no link to one."""
    return path.is_dir() and not path.is_symlink()


def is_visible(name: str) -> bool:
    """Whether a name can be seen: in a listing of its folder, and in a message."""
    return name.isprintable() and not name.startswith(".")


def _judged(folder: Path, entry: "os.DirEntry[str]", contents: Contents) -> Problem | None:
    name, path = entry.name, folder / entry.name
    if not name.isprintable():
        place = folder.parent if contents is BUNDLES else folder
        what = f"{name!a}, in {folder.name}, has characters that can't be seen"
        return NAME_ODD.broken(place, None, what)
    if name.startswith("."):
        return None if name == _KEEPER and contents is not BUNDLE else _hidden(path, contents)
    if contents.takes_file(name):
        stem = name.removesuffix(contents.suffix or "")
        is_sound = name in contents.files or is_slug(stem)
        return (
            None if is_sound else SLUG_INVALID.broken(path, None, f'the name "{stem}" is no slug')
        )
    if path.is_symlink():
        return LINK_REFUSED.broken(path, None, f"{name} is a symbolic link")
    if path.is_dir() and (contents.folders is None or name in contents.folders):
        return None
    fix = _fix_of(name) or suggestion(name, {*contents.files, *(contents.folders or ())})
    return FILE_UNEXPECTED.broken(path, None, f"{name} is no part of {contents.owner}", fix)


def _hidden(path: Path, contents: Contents) -> Problem:
    fix = _fix_of(path.name)
    if fix is None and contents.folders is None and path.is_dir():
        fix = "rename it without the dot if it is meant to be read, or remove it"
    return FILE_HIDDEN.broken(path, None, f"{path.name} is hidden: nobody would see it", fix)


def _fix_of(name: str) -> str | None:
    return next((fix for pattern, fix in _FIXES.items() if fnmatchcase(name, pattern)), None)
