"""Lock snapshots of all boards, and check results against locked and published states."""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from sitegen.board.board import BoardEntry
from sitegen.board.history.differences import differing, dotted, leaves
from sitegen.board.history.releases import lock_boards
from sitegen.board.history.revisions import revision_statement
from sitegen.board.making import make_boards
from sitegen.models.journal import Arrival
from sitegen.models.release import Release
from sitegen.pipeline.evaluating import Evaluation, evaluate, require_no_link, state_of
from sitegen.pipeline.submissions import all_bundles
from sitegen.problems import Problem, ProblemsError, Statement, UsageError, errors_of
from sitegen.publish.machine.transaction import snapshot_of, transaction
from sitegen.publish.projects.wheel import program_version
from sitegen.publish.results.records import json_lines, toml
from sitegen.reading.shape import Location
from sitegen.store.checks.dates import EARLIEST_DATE, MAX_ZONE_LEAD
from sitegen.store.compare.authors import RequestAuthor
from sitegen.store.compare.changed_parts import read_request
from sitegen.store.compare.history import history_problems
from sitegen.store.compare.history_rules import HISTORY_RELEASE
from sitegen.store.compare.ownership import Request, request_line
from sitegen.store.files.layout import ARRIVALS_FILE, RELEASES_FOLDER
from sitegen.store.readers.folder import Progress, path_kind
from sitegen.store.readers.journals import bundle_digest, line_digest, read_arrivals
from sitegen.store.readers.releases import locked_files, read_releases

_NOT_COMPARED = {"first", "last", "formerly"}
"""Keys of a release that are not compared with the boards.

The first and last rank depend on thousands of random draws, whose sum may differ in the last digit
on another machine; `formerly` is not written to releases.
"""
_TOLERANCE = 1e-4
"""The relative and absolute tolerance within which two numbers of a release count as equal."""
MAX_NAMED_DIFFERENCES = 3

_FIX = (
    "run `sitegen release` on the date of the release, and commit its file together with the last "
    "change to the results"
)


def count_arrivals(folder: Path) -> int:
    """Return the number of bundles listed in arrivals.jsonl of a results folder."""
    return len(read_arrivals(folder).record.records)


def record_arrivals(folder: Path, today: date, progress: Progress | None = None) -> Path:
    """Add a line to arrivals.jsonl for each new bundle of a results folder; return the file's path.

    Raises:
        ProblemsError: The results have errors.
    """
    since = snapshot_of(folder)
    evaluation = _evaluate_without_errors(folder, today, progress)
    arrivals, _ = _complete_arrivals(evaluation, today)
    with transaction(folder, since) as changes:
        changes.write(".", {ARRIVALS_FILE: arrivals})
    return folder / ARRIVALS_FILE


def _complete_arrivals(evaluation: Evaluation, today: date) -> tuple[bytes, str | None]:
    """Return arrivals.jsonl completed with missing bundles, and the digest of its last line.

    Raises:
        ProblemsError: The file has errors.
    """
    arrivals = read_arrivals(evaluation.results.path)
    if arrivals.problems:
        raise ProblemsError(arrivals.problems)
    lines = arrivals.record
    raw_lines = list(lines.raw)
    recorded = {arrival.bundle for arrival in lines.records}
    for results in evaluation.results.benchmarks:
        bundles = {bundle.id: bundle for bundle in (*results.bundles, *results.embargoed)}
        for name in results.arrivals.sorted(bundles):
            address = f"{results.path.name}/{name}"
            if address in recorded:
                continue
            last_line = raw_lines[-1] if raw_lines else b""
            previous = line_digest(last_line)
            digest = bundle_digest(bundles[name].path)
            arrival = Arrival(len(raw_lines) + 1, address, digest, str(today), previous)
            raw_lines += json_lines([arrival]).splitlines()
    if not raw_lines:
        return b"", None
    content = b"\n".join(raw_lines) + b"\n"
    return content, line_digest(raw_lines[-1])


def _as_arrived(evaluation: Evaluation, today: date) -> Evaluation:
    """Return results in which new bundles arrived today, since deadlines use these days."""
    benchmarks = []
    boards = []
    for results, results_boards in zip(
        evaluation.results.benchmarks, evaluation.boards, strict=True
    ):
        days = {bundle.id: today for bundle in results.bundles} | dict(results.arrivals.days)
        has_deadline = any(track.deadline for track in results.benchmark.tracks)
        if not has_deadline or days == results.arrivals.days:
            benchmarks.append(results)
            boards.append(results_boards)
            continue
        arrived = replace(results, arrivals=replace(results.arrivals, days=days))
        benchmarks.append(arrived)
        boards.append(make_boards(arrived, results_boards[0].waivers))
    return replace(
        evaluation, results=replace(evaluation.results, benchmarks=tuple(benchmarks)), boards=boards
    )


def _evaluate_without_errors(folder: Path, today: date, progress: Progress | None) -> Evaluation:
    """Evaluate a results folder; raise a ProblemsError if it has errors or no benchmarks."""
    evaluation = evaluate(folder, today, progress)
    problems = evaluation.problems()
    if errors_of(problems) or not evaluation.boards:
        raise ProblemsError(problems)
    return evaluation


def release_now(evaluation: Evaluation, day: date, title: str) -> Release:
    """Return the release that locks boards in their current state."""
    files = {}
    for results, bundle in all_bundles(evaluation.results):
        files[results.benchmark.id, bundle.id] = locked_files(bundle)
    return lock_boards(evaluation.boards, files, day, title, program_version())


def lock_release(
    folder: Path, day: date, title: str, today: date, progress: Progress | None = None
) -> tuple[Path, Release]:
    """Lock the current boards of a results folder in a new file in its folder of releases.

    Returns:
        The path of the file, and the release in it.

    Raises:
        ProblemsError: The results have errors.
        UsageError: There is a release of the same day or a later one; the day is in the future or
            too early; or another command locked the same day in the meantime.
    """
    since = snapshot_of(folder)
    evaluation = _evaluate_without_errors(folder, today, progress)
    if day < EARLIEST_DATE:
        raise UsageError(
            f"{day} is before {EARLIEST_DATE}; the date of a release is the day on which it is "
            "locked"
        )
    if day > today + MAX_ZONE_LEAD:
        raise UsageError(
            f"{day} is in the future; the date of a release is the day on which it is locked"
        )
    days = [release.date for release in evaluation.results.releases]
    last = max(days, default=None)
    if last and day <= last:
        raise UsageError(
            f"there is already a release of {last}; a new release needs a later date, since there "
            "is at most one a day and releases are never rewritten"
        )
    arrivals, last_line_digest = _complete_arrivals(evaluation, today)
    evaluation = _as_arrived(evaluation, today)
    release = release_now(evaluation, day, title).model_copy(update={"arrivals": last_line_digest})
    name = f"{day}.toml"
    with transaction(folder, since) as changes:
        changes.write(RELEASES_FOLDER, {name: toml(release).encode()})
        if last_line_digest:
            changes.write(".", {ARRIVALS_FILE: arrivals})
    return folder / RELEASES_FOLDER / name, release


def first_line(evaluation: Evaluation, request: Request, *, has_errors: bool) -> Statement:
    """Return the first line of a report: the revised submissions, and the kind of request.

    Args:
        evaluation: The results, including the changes of the request.
        request: The changes and their author.
        has_errors: Whether the report contains errors.
    """
    new_rows = []
    for board, entry in evaluation.entries():
        if entry.bundle and _result_name(entry.bundle.path) in request.matches.new:
            new_rows.append(BoardEntry(board, entry))
    return revision_statement(new_rows) + request_line(request, has_errors=has_errors)


def _result_name(folder: Path) -> str:
    """Return the name of a submission prefixed with its benchmark: `BENCHMARK/ID`."""
    return f"{folder.parent.parent.name}/{folder.name}"


@dataclass(frozen=True, slots=True)
class HistoryCheck:
    """The changes and losses of published results since an earlier state."""

    request: Statement | None
    """The kind of change; None if only part of the results was checked."""
    problems: Sequence[Problem]
    own_paths: Sequence[Path] | None = None
    """The paths that a request with a new submission changes; None for other requests."""


def check_history(  # noqa: PLR0913, PLR0917 - two states, each with its scope
    evaluation: Evaluation,
    path: Path,
    base: str,
    results: Path,
    day: date,
    account: str | None = None,
) -> HistoryCheck:
    """Compare results with an earlier state, and report changes that are not allowed.

    Args:
        evaluation: The current results.
        path: The results folder, benchmark or bundle whose problems are returned.
        base: The earlier state, named as in `state_of`.
        results: The path of the results folder in a revision, relative to the working directory.
        day: The current day.
        account: The account that opens the request; if None, the commits' authors are compared.

    Raises:
        UsageError: The earlier state is neither a results folder nor a revision with one, or the
            path is a symbolic link.
    """
    require_no_link(path)
    root = path.resolve()
    with state_of(base, results) as folder:
        if path_kind(folder) in {"benchmark", "submissions", "bundle"}:
            raise UsageError(
                f"{base} is not a results folder; name the folder that has the benchmarks' folders"
            )
        author = RequestAuthor.of_request(account, base, evaluation.results.path)
        request = read_request(folder, evaluation.results.path, author)
        problems = list(history_problems(folder, evaluation.results.path, request))
        line = None
        own_paths = None
        if request.matches.new:
            own_paths = [change.path for change in request.changes]
        if root == evaluation.results.path:
            known_days = [
                release.date for release in read_releases(folder / RELEASES_FOLDER).record
            ]
            problems += new_release_problems(evaluation, known_days, day)
            has_errors = bool(errors_of(problems) or errors_of(evaluation.problems()))
            line = first_line(evaluation, request, has_errors=has_errors)
    problems = [problem for problem in problems if problem.path.is_relative_to(root)]
    return HistoryCheck(line, problems, own_paths)


def new_release_problems(
    evaluation: Evaluation, known_days: Collection[date], day: date
) -> Iterator[Problem]:
    """Yield the faults of releases that were added since an earlier state.

    A new release must be dated neither in the future nor before other releases, and its content
    must equal what `sitegen release` would write.
    """
    releases = [item for item in evaluation.results.releases if item.date not in known_days]
    # Boards of results with errors are incomplete, so releases can't be compared with them.
    is_comparable = bool(releases) and not errors_of(evaluation.problems())
    for release in releases:
        path = evaluation.results.path / RELEASES_FOLDER / f"{release.date}.toml"
        facts = _date_faults(release.date, known_days, day)
        if is_comparable:
            facts += _content_faults(evaluation, release)
        for fact in facts:
            fault = f"the release {release.date} is new, and {fact}"
            yield HISTORY_RELEASE.broken(path, None, fault, _FIX)


def _date_faults(release_day: date, known_days: Collection[date], day: date) -> list[str]:
    """Return descriptions of the faults in the date of a new release."""
    faults = []
    if release_day < EARLIEST_DATE:
        faults.append(f"is dated before {EARLIEST_DATE}")
    elif release_day > day + MAX_ZONE_LEAD:
        faults.append("is dated in the future")
    latest = max(known_days, default=release_day)
    if latest > release_day:
        faults.append(f"there was already a release of {latest}")
    return faults


def _content_faults(evaluation: Evaluation, release: Release) -> list[str]:
    """Return a description of a release's differences from the boards; empty if there are none."""
    expected = release_now(evaluation, release.date, release.title)
    differences = []
    for location, value, expected_value in differing(_values(release), _values(expected)):
        if location[-1] not in _NOT_COMPARED and not _is_close(value, expected_value):
            differences.append(dotted(location))
    if not differences:
        return []
    examples = "; ".join(differences[:MAX_NAMED_DIFFERENCES])
    return [f"differs from the boards in {len(differences)} places: {examples}"]


def _values(release: Release) -> dict[Location, object]:
    """Return the values of a release by location; list items are identified by id or track."""
    return dict(leaves(release.model_dump(exclude={"program", "arrivals"}), part=_item_name))


def _item_name(item: object, position: int) -> str:
    if not isinstance(item, dict):
        return str(position)
    return str(item.get("id", item.get("track", position)))


def _is_close(value: object, expected: object) -> bool:
    """Return whether two values are numbers that are equal within the tolerance."""
    if not isinstance(value, float) or not isinstance(expected, float):
        return False
    return math.isclose(value, expected, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
