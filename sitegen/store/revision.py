"""Results as a git repository had them at a revision."""

import os
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from sitegen.problems import UsageError

_DEFINITION = "benchmark.toml"
"""As `store.layout` calls it, whose models no command should load before it needs them."""

_DEFINITION_DEPTH = 3


def is_ahead(name: str) -> bool:
    """Whether a revision has commits that the one which is checked out lacks; a folder has none."""
    return (
        not Path(name).is_dir()
        and _git("merge-base", "--is-ancestor", name, "HEAD").returncode == 1
    )


def head_of(results: Path) -> str:
    """The commit that a results folder is checked out at; `none` where git has none."""
    return _told_of(results, "rev-parse", "--verify", "--quiet", "HEAD").decode().strip() or "none"


def added_in(results: Path) -> list[set[tuple[str, str]]]:
    """The submissions that came with each commit of the branch that is checked out, the oldest first.

    A merge brings what the branch had not: dates of commits, which their authors write, tell nothing. Each submission
    is told by the folders of its benchmark and its own; there are none where git has no history of the results.
    """
    asked = (
        "log",
        "--first-parent",
        "-m",
        "--reverse",
        "--no-renames",
        "--diff-filter=A",
        "--name-only",
        "--relative",
    )
    told = _told_of(
        results, *asked, "--format=tformat:/", "--", ":(glob)*/submissions/*/submission.toml"
    )
    commits = (commit.splitlines() for commit in os.fsdecode(told).split("/\n"))
    return [
        {(path.split("/")[0], path.split("/")[2]) for path in paths if path}
        for paths in commits
        if paths
    ]


def _told_of(results: Path, *words: str) -> bytes:
    """What git says of a folder; nothing where it has none of it, which is known in less time than it takes to ask."""
    place = results.resolve()
    if "GIT_DIR" not in os.environ and not any(
        (each / ".git").exists() for each in (place, *place.parents)
    ):
        return b""
    try:
        return _git("-C", str(results), *words).stdout
    except UsageError:  # no git, and none is needed for this
        return b""


def unpack(name: str, results: Path, folder: Path) -> None:
    """Write a results folder as it was, byte for byte; nothing where the revision is from before the first results.

    Raises:
        UsageError: There is no such revision, it is not all here, or its results are in another folder.
    """
    if (
        name.startswith("-")
        or not _git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}").stdout
    ):
        raise UsageError(f"{name} is neither a folder nor a revision of a git repository here")
    blobs = _blobs(name, results)
    if not blobs:
        if not results.is_dir() or not results.resolve().is_relative_to(_top()):
            raise UsageError(
                f"there is no {results} at revision {name}; name the folder with --results"
            )
        listed = _git("ls-tree", "-r", "-z", "--name-only", "--full-tree", name).stdout
        paths = map(os.fsdecode, listed.split(b"\0"))
        require_results(name, (path for path in paths if _is_in_results(PurePosixPath(path))))
        return
    packed = _git("cat-file", "--batch", told=b"".join(blob.object + b"\n" for blob in blobs))
    contents = [] if packed.returncode else list(_contents(packed.stdout))
    if len(contents) < len(blobs):
        raise UsageError(
            f"git has not all of {name} here, as in a partial clone; fetch it whole, or run `git fsck`"
        )
    # Links go last, so that nothing is written through one.
    for blob, content in sorted(
        zip(blobs, contents, strict=True), key=lambda each: each[0].is_link
    ):
        path = folder / blob.path
        path.parent.mkdir(parents=True, exist_ok=True)
        if blob.is_link:
            path.symlink_to(os.fsdecode(content))
        else:
            path.write_bytes(content)


def require_results(name: str, definitions: Iterable[str]) -> None:
    """Refuse an earlier state whose results are elsewhere in it; one that has none at all is before the first.

    `definitions` are the paths in that state of definitions of benchmarks outside the results folder.

    Raises:
        UsageError: There are some.
    """
    elsewhere = next((PurePosixPath(path).parent.parent for path in sorted(definitions)), None)
    if elsewhere is not None:
        raise UsageError(
            f"{name} has no results here, but in {elsewhere}; name the folder that holds the benchmarks"
        )


def _top() -> Path:
    """Return the working tree of the repository around the working directory."""
    return Path(os.fsdecode(_git("rev-parse", "--show-toplevel").stdout.rstrip(b"\n"))).resolve()


def _is_in_results(path: PurePosixPath) -> bool:
    """Return whether a path is that of a definition in a results folder at the top: RESULTS/BENCHMARK/FILE."""
    return path.name == _DEFINITION and len(path.parents) == _DEFINITION_DEPTH


def _blobs(name: str, results: Path) -> list["_Blob"]:
    """List the files and links that a folder had at a revision, by their paths in it."""
    top = _top()
    place = results.resolve()
    if not place.is_relative_to(top):
        return []
    prefix = "".join(f"{part}/" for part in place.relative_to(top).parts)
    listed = _git("ls-tree", "-r", "-z", "--full-tree", name, *(["--", prefix] if prefix else []))
    found: list[_Blob] = []
    for line in filter(None, listed.stdout.split(b"\0")):
        about, _, path = line.partition(b"\t")
        mode, kind, digest = about.split(b" ")
        # No folder upwards: whoever made the revision may have named one so.
        if kind == b"blob" and not {b"..", b".git", b""} & {*path.split(b"/")}:
            found.append(_Blob(os.fsdecode(path).removeprefix(prefix), digest, mode == b"120000"))
    return found


_GIT = ("git", "-c", "log.showSignature=false", "-c", "log.showRoot=true")
_ALONE = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_REPLACE_OBJECTS": "1"}
"""Git tells what the repository holds, and nothing instead of it. It starts no program, though the repository's own
settings name one: whoever packed the folder may have written them."""


@dataclass(frozen=True, slots=True)
class _Blob:
    """A file or a link of a revision."""

    path: str
    object: bytes
    is_link: bool


def _contents(packed: bytes) -> Iterator[bytes]:
    """Take apart what `git cat-file --batch` gives: each object behind a line that ends with its size."""
    start = 0
    while start < len(packed):
        end = packed.index(b"\n", start)
        told = packed[start:end].rsplit(b" ", 1)[1]
        if not told.isdigit():  # but "missing"
            return
        size = int(told)
        yield packed[end + 1 : end + 1 + size]
        start = end + size + 2


def _git(*words: str, told: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    environment = {**os.environ, **_ALONE}
    try:
        return subprocess.run(
            [*_GIT, *words], input=told, capture_output=True, check=False, env=environment
        )
    except FileNotFoundError as error:
        raise UsageError("git is not installed; name two results folders instead") from error
