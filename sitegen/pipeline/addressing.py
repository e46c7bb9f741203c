"""Find submissions by full, short or former addresses, and folders by path or address.

An address is BENCHMARK/TRACK/SUBMISSION, as on the site. Read `complete_address` first.
"""

import os
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from sitegen.problems import UsageError, agreeing, listed
from sitegen.reading.plain_toml import read_plain_toml
from sitegen.store.files.layout import DEFINITION_FILE, MANIFEST_FILE, SUBMISSIONS_FOLDER
from sitegen.store.readers.folder import path_kind

_DATE_LENGTH = len("YYYY-MM-DD-")
"""Length of the date prefix of a bundle name made by an importer."""

_MAX_LISTED = 5
"""Maximum number of submissions that a message lists if none resembles the requested one."""


class SubmissionFolder(NamedTuple):
    """A bundle's folder and the parts of its address."""

    benchmark: str
    track: str
    """The track's id; empty if submission.toml can't be read."""
    submission: str
    path: Path

    @property
    def address(self) -> str:
        """BENCHMARK/TRACK/SUBMISSION, or BENCHMARK/SUBMISSION if the track is unknown."""
        return "/".join(filter(None, (self.benchmark, self.track, self.submission)))


def benchmarks_in(results: Path) -> list[str]:
    """Return the names of the benchmarks in a results folder, sorted."""
    return sorted(path.parent.name for path in results.glob(f"*/{DEFINITION_FILE}"))


def submission_folders(results: Path) -> Iterator[SubmissionFolder]:
    """Yield the bundles of a results folder; only their manifests are read."""
    for folder in sorted(results.glob(f"*/{SUBMISSIONS_FOLDER}/*/")):
        benchmark = folder.parent.parent
        if (benchmark / DEFINITION_FILE).is_file():
            yield SubmissionFolder(benchmark.name, _track_of(folder), folder.name, folder)


def _track_of(bundle: Path) -> str:
    return str(read_plain_toml(bundle / MANIFEST_FILE).get("track", ""))


def complete_address(text: str, results: Path) -> str:
    """Return the full address of a submission, or the text itself if no submission matches.

    The text may be the path of a bundle, BENCHMARK/SUBMISSION, TRACK/SUBMISSION, the submission's
    name, or its name without the date, if exactly one submission matches. The id of a task or an
    anchor of the page may follow.

    Args:
        text: The text that the user wrote.
        results: The results folder.

    Raises:
        UsageError: Several submissions match.
    """
    folders = list(submission_folders(results))
    of_folder = _address_of_path(text, folders)
    if of_folder:
        return of_folder
    names = text.partition("#")[0].strip("/").split("/")
    matches = _matches(names, folders)
    if matches:
        return _only_match(text, matches).address
    if len(names) > 1:
        matches = _matches(names[:-1], folders)
        if matches:
            return f"{_only_match(text, matches).address}/{names[-1]}"
    return text


def _address_of_path(text: str, folders: list[SubmissionFolder]) -> str | None:
    """Return the address of the bundle at a path; None if there is no bundle at that path."""
    if not Path(text).is_dir():
        return None
    path = os.path.realpath(text)
    for folder in folders:
        if os.path.realpath(folder.path) == path:
            return folder.address
    return None


def _matches(names: list[str], folders: list[SubmissionFolder]) -> list[SubmissionFolder]:
    """Return the submissions that match the parts of an address, preferring exact matches."""
    exact = [folder for folder in folders if "/".join(names) == folder.address]
    if exact:
        return exact
    by_name = [folder for folder in folders if _fits(names, folder, folder.submission)]
    if by_name:
        return by_name
    return [folder for folder in folders if _fits(names, folder, folder.submission[_DATE_LENGTH:])]


def _fits(names: list[str], folder: SubmissionFolder, submission: str) -> bool:
    """Return whether names are a submission's address; benchmark and track are optional."""
    fitting = (
        [submission],
        [folder.track, submission],
        [folder.benchmark, submission],
        [folder.benchmark, folder.track, submission],
    )
    return bool(submission) and names in fitting


def _only_match(text: str, matches: list[SubmissionFolder]) -> SubmissionFolder:
    """Return the only match.

    Raises:
        UsageError: There are several matches.
    """
    if len(matches) > 1:
        addresses = listed(folder.address for folder in matches)
        raise UsageError(f"{text} matches several submissions; write one of {addresses}")
    return matches[0]


def folder_named(text: str, results: Path) -> Path:
    """Return the folder at a path or an address: a results folder, a benchmark or a bundle.

    Raises:
        UsageError: There is no such folder.
    """
    path = Path(text)
    if path.exists():
        return path
    benchmark = results / text.strip("/")
    if "/" not in text.strip("/") and path_kind(benchmark) == "benchmark":
        return benchmark
    address = complete_address(text, results)
    for folder in submission_folders(results):
        if folder.address == address:
            return folder.path
    raise UsageError(nothing_named(text, results))


def nothing_named(text: str, results: Path) -> str:
    """Return the error message for a path or address that does not exist."""
    similar = similar_addresses(text, [folder.address for folder in submission_folders(results)])
    if similar:
        return f"{text} does not exist; did you mean {similar}?"
    benchmarks = benchmarks_in(results)
    if benchmarks:
        return f"{text} does not exist; the benchmarks in {results}/ are {listed(benchmarks)}"
    return f"{text} does not exist; name a results folder, a benchmark or a submission"


def no_results(results: Path) -> str:
    """Return the error message for a results folder that does not exist."""
    if results != Path("results"):
        return (
            f"{results} does not exist; pass an existing folder with `--results DIR`, "
            "or start a project with `sitegen init DIR`"
        )
    return (
        f"there is no {results}/ here; run this inside a leaderboard project, "
        "pass `--results DIR`, or start a project with `sitegen init DIR`"
    )


def similar_addresses(text: str, addresses: list[str]) -> str:
    """Return the addresses most similar to a text, joined by "or"; empty if none is similar."""
    wanted = text.strip("/")
    similar = get_close_matches(wanted, addresses)
    if not similar:
        # Finds addresses with a wrong track or benchmark.
        name = wanted.rpartition("/")[2]
        by_name = {address.rpartition("/")[2]: address for address in addresses}
        similar = [by_name[match] for match in get_close_matches(name, by_name)]
    return listed(similar, separator=" or ")


def unknown_submission(address: str, addresses: list[str]) -> str:
    """Return the error message for an address that has no submission."""
    if not addresses:
        return f"no submission {address}; there are no submissions yet"
    similar = similar_addresses(address, addresses)
    if similar:
        return f"no submission {address}; did you mean {similar}?"
    if len(addresses) <= _MAX_LISTED:
        verb = agreeing(len(addresses), "is", "are")
        return f"no submission {address}; there {verb} {listed(addresses)}"
    return f"no submission {address}; `sitegen score` lists all {len(addresses)}"


def similar_names(name: str, existing: Iterable[str]) -> str:
    """Return a question that suggests existing names similar to a name; empty if none is."""
    similar = get_close_matches(name, list(existing))
    return f"; did you mean {listed(similar, separator=' or ')}?" if similar else ""
