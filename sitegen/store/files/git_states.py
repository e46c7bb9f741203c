"""Read results from a git repository at a revision.

Git runs in the results folder, and its output is empty outside a repository; `is_ahead` and
`extract_results` run it in the working directory, where the user's revision is looked up.

This module imports no models: every command loads it, and most exit before they need a model.
"""

import os
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from sitegen.problems import UsageError

_DEFINITION_FILE = "benchmark.toml"
"""Equal to `store.files.layout.DEFINITION_FILE`, whose module imports models."""
_DEFINITION_DEPTH = 3
"""The number of parents of RESULTS/BENCHMARK/benchmark.toml, including the repository's root."""

_GIT = ("git", "-c", "log.showSignature=false", "-c", "log.showRoot=true")
_GIT_ENVIRONMENT = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_REPLACE_OBJECTS": "1"}
"""Settings that keep git from fetching, and from replacing the repository's own objects.

The repository's settings, which may come from whoever packed the folder, must not start a program.
"""

_LOG_OF_ADDED_FILES = (
    "log",
    "--first-parent",
    "-m",
    "--reverse",
    "--no-renames",
    "--diff-filter=A",
    "--name-only",
    "--relative",
    "--format=tformat:/",
)
_SUBMISSIONS_PATTERN = ":(glob)*/submissions/*/submission.toml"
_MAIN_BRANCHES = ("origin/HEAD", "origin/main", "origin/master", "main", "master", "HEAD")
"""Revisions that may have the published results; the first one that exists is used."""
_LINK_MODE = b"120000"
_UNSAFE_NAMES = frozenset({b"..", b".git", b""})
"""Names in a path that would write outside the folder, or into a nested repository."""


@dataclass(frozen=True, slots=True)
class _Blob:
    """A file or a link in a revision."""

    path: str
    """The path relative to the results folder."""
    object_id: bytes
    is_link: bool


def is_ahead(revision: str) -> bool:
    """Return whether a revision has commits that the checked-out commit lacks; False for a folder.

    Git runs in the working directory.
    """
    if Path(revision).is_dir():
        return False
    return _git("merge-base", "--is-ancestor", revision, "HEAD").returncode == 1


def head_commit(results: Path) -> str:
    """Return the checked-out commit of a results folder, or `none` outside a repository."""
    output = _git_output(results, "rev-parse", "--verify", "--quiet", "HEAD")
    return output.decode().strip() or "none"


def submissions_by_commit(results: Path) -> list[set[tuple[str, str]]]:
    """Return the submissions that each commit of the current branch added, oldest commit first.

    A submission is a pair of folder names: its benchmark's and its own. A merge adds the
    submissions that the branch lacked. Commit dates are not used, because authors choose them. The
    list is empty if git has no history of the results.
    """
    output = _git_output(results, *_LOG_OF_ADDED_FILES, "--", _SUBMISSIONS_PATTERN)
    commits = []
    for commit in os.fsdecode(output).split("/\n"):
        submissions = set()
        for path in filter(None, commit.splitlines()):
            benchmark, _, submission, *_ = path.split("/")
            submissions.add((benchmark, submission))
        if submissions:
            commits.append(submissions)
    return commits


def has_tracked_files(folder: Path) -> bool:
    """Return whether git tracks any file in a folder, so that committers can change it."""
    if not folder.is_dir():
        return False
    return bool(_git_output(folder, "ls-files", "--", "."))


def _git_output(results: Path, *arguments: str) -> bytes:
    """Return the output of git in a folder; empty outside a repository or without git."""
    if "GIT_DIR" not in os.environ and not _is_in_repository(results.resolve()):
        return b""  # Looking for `.git` is faster than starting git.
    try:
        return _git("-C", str(results), *arguments).stdout
    except UsageError:  # Git is not installed, and is not required here.
        return b""


def _is_in_repository(folder: Path) -> bool:
    return any((parent / ".git").exists() for parent in (folder, *folder.parents))


def published_revision(results: Path) -> str | None:
    """Return the revision with the published results: the main branch of origin, or a local one.

    This is the last commit if there is no main branch, and None outside a repository.
    """
    for revision in _MAIN_BRANCHES:
        reference = f"{revision}^{{commit}}"
        if _git_output(results, "rev-parse", "--verify", "--quiet", reference):
            return revision
    return None


def has_file(results: Path, revision: str, name: str) -> bool:
    """Return whether a results folder had a file at a revision."""
    listing = _git_output(results, "ls-tree", "--name-only", revision, "--", f"./{name}")
    return bool(listing.strip())


def commit_emails(results: Path, base: str) -> set[str]:
    """Return the authors' email addresses of all commits of a results folder since a state.

    Uncommitted changes are attributed to the configured git user, and so are all changes if the
    earlier state is a folder whose last commit is not in the results' repository.
    """
    revision = base
    if Path(base).is_dir():
        revision = head_commit(Path(base))
    reference = f"{revision}^{{commit}}"
    is_known = not revision.startswith("-") and bool(
        _git_output(results, "rev-parse", "--verify", "--quiet", reference)
    )
    emails = set()
    if is_known:
        changes = ("--no-merges", "--format=%ae", f"{revision}..HEAD", "--", ".")
        emails.update(_git_output(results, "log", *changes).decode(errors="replace").split())
    status = _git_output(results, "status", "--porcelain", "--untracked-files=all", "--", ".")
    if status or not is_known:
        email = user_email(results)
        emails.update({email} if email else ())
    return emails


def user_email(results: Path) -> str:
    """Return the email address of a folder's configured git user; empty if none is configured."""
    return _git_output(results, "config", "--get", "user.email").decode(errors="replace").strip()


def extract_results(results: Path, revision: str, folder: Path) -> None:
    """Write a results folder as it was at a revision, byte for byte, into `folder`.

    Git runs in the working directory, whose repository must be the one of the results. Nothing is
    Git runs in the working directory, whose repository must be that of the results. Nothing is

    Raises:
        UsageError: The revision does not exist, is incomplete here, or has its results elsewhere.
    """
    if revision.startswith("-") or not _revision_exists(revision):
        raise UsageError(f"{revision} is neither a folder nor a revision of a git repository here")
    blobs = _list_blobs(results, revision)
    if not blobs:
        _refuse_revision_elsewhere(results, revision)
        return
    contents = _read_blobs(revision, blobs)
    blobs_with_contents = zip(blobs, contents, strict=True)
    # Links are written last, so that no file is written through a link.
    for blob, content in sorted(blobs_with_contents, key=lambda pair: pair[0].is_link):
        path = folder / blob.path
        path.parent.mkdir(parents=True, exist_ok=True)
        if blob.is_link:
            path.symlink_to(os.fsdecode(content))
        else:
            path.write_bytes(content)


def refuse_results_elsewhere(state: str, definitions: Iterable[str]) -> None:
    """Raise an error if two states keep their results in different folders.

    Args:
        state: The earlier state, a revision or a folder.
        definitions: Paths of benchmarks' definitions that the state has outside the results folder.

    Raises:
        UsageError: There are such definitions.
    """
    first_definition = min(definitions, default=None)
    if first_definition is None:
        return
    other_folder = PurePosixPath(first_definition).parent.parent
    raise UsageError(
        f"{state} has no results here, but has some in {other_folder}; "
        "name the folder of the benchmarks"
    )


def _refuse_revision_elsewhere(results: Path, revision: str) -> None:
    """Raise an error if a revision keeps its results in a folder other than `results`."""
    if not results.is_dir() or not results.resolve().is_relative_to(_working_tree()):
        raise UsageError(
            f"there is no {results} at revision {revision}; name the folder with --results"
        )
    output = _git("ls-tree", "-r", "-z", "--name-only", "--full-tree", revision).stdout
    paths = map(os.fsdecode, output.split(b"\0"))
    refuse_results_elsewhere(revision, filter(_is_definition, paths))


def _revision_exists(revision: str) -> bool:
    return bool(_git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").stdout)


def _working_tree() -> Path:
    """Return the root of the repository around the working directory."""
    output = _git("rev-parse", "--show-toplevel").stdout
    return Path(os.fsdecode(output.rstrip(b"\n"))).resolve()


def _is_definition(path: str) -> bool:
    """Return whether a path is RESULTS/BENCHMARK/benchmark.toml, with RESULTS at the top."""
    pure_path = PurePosixPath(path)
    return pure_path.name == _DEFINITION_FILE and len(pure_path.parents) == _DEFINITION_DEPTH


def _list_blobs(results: Path, revision: str) -> list[_Blob]:
    """Return the files and links that a results folder had at a revision."""
    top = _working_tree()
    resolved_results = results.resolve()
    if not resolved_results.is_relative_to(top):
        return []
    folders = resolved_results.relative_to(top).parts
    prefix = "".join(f"{folder}/" for folder in folders)
    pathspec = ("--", prefix) if prefix else ()
    output = _git("ls-tree", "-r", "-z", "--full-tree", revision, *pathspec).stdout
    blobs: list[_Blob] = []
    for line in filter(None, output.split(b"\0")):
        header, _, path = line.partition(b"\t")
        mode, kind, object_id = header.split(b" ")
        # The author of the revision chose the names, so a path may try to leave the folder.
        if kind == b"blob" and _UNSAFE_NAMES.isdisjoint(path.split(b"/")):
            relative_path = os.fsdecode(path).removeprefix(prefix)
            blobs.append(_Blob(relative_path, object_id, mode == _LINK_MODE))
    return blobs


def _read_blobs(revision: str, blobs: list[_Blob]) -> list[bytes]:
    """Return the contents of blobs, in their order.

    Raises:
        UsageError: The repository here lacks some of them.
    """
    request = b"".join(blob.object_id + b"\n" for blob in blobs)
    batch = _git("cat-file", "--batch", stdin=request)
    contents = [] if batch.returncode else list(_split_batch(batch.stdout))
    if len(contents) < len(blobs):
        raise UsageError(
            f"git does not have all of {revision}, as in a partial clone; "
            "fetch it completely, or run `git fsck`"
        )
    return contents


def _split_batch(output: bytes) -> Iterator[bytes]:
    """Yield the objects in the output of `git cat-file --batch`, up to the first missing object.

    Each object follows a line that ends with its size, and is followed by a line feed.
    """
    start = 0
    while start < len(output):
        header_end = output.index(b"\n", start)
        size_text = output[start:header_end].rsplit(b" ", 1)[1]
        if not size_text.isdigit():  # The line ends with "missing".
            return
        object_start = header_end + 1
        object_end = object_start + int(size_text)
        yield output[object_start:object_end]
        start = object_end + 1


def _git(*arguments: str, stdin: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    """Run git in the working directory and return its output and exit code.

    Raises:
        UsageError: git is not installed.
    """
    command = [*_GIT, *arguments]
    environment = {**os.environ, **_GIT_ENVIRONMENT}
    try:
        return subprocess.run(
            command, input=stdin, capture_output=True, check=False, env=environment
        )
    except FileNotFoundError as error:
        raise UsageError("git is not installed; name two results folders instead") from error
