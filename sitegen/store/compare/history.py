"""Check how published results changed between two states of a results folder.

Published results may be added, superseded or withdrawn, but never edited or deleted. Files are
compared by content, so that a change is found even if the later state can't be read. Read
`history_problems` first.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from sitegen.board.history.differences import differing, leaves, side_by_side
from sitegen.models.benchmark import SCORING_CONDITIONS
from sitegen.models.finding import Finding, Findings
from sitegen.problems import Problem, ProblemsError, counted, listed
from sitegen.reading.files import packed_bytes, read_bytes
from sitegen.reading.shape import Location
from sitegen.reading.toml import read_toml
from sitegen.store.compare.benchmark_states import BenchmarkStates
from sitegen.store.compare.changed_parts import read_request
from sitegen.store.compare.file_differences import (
    MORE_DIFFERENCES,
    FileDifference,
    KeyDifference,
    compare_documents,
    compare_lines,
    compare_tasks,
)
from sitegen.store.compare.history_rules import (
    HISTORY_DELETED,
    HISTORY_EDITED,
    HISTORY_FINDING,
    HISTORY_REDACTED,
    HISTORY_RELEASE,
    HISTORY_STATUS,
    HISTORY_TASKS,
    HISTORY_TRACK,
)
from sitegen.store.compare.journal_history import journal_problems
from sitegen.store.compare.limited_findings import limited_findings
from sitegen.store.compare.manifest_states import (
    extends_embargo,
    fixed_keys,
    goes_back,
    status_state,
)
from sitegen.store.compare.matching import bundle_files
from sitegen.store.compare.ownership import Request, ownership_problems
from sitegen.store.files.layout import (
    CHECKSUMS_FILE,
    DEFINITION_FILE,
    FINDINGS_FILE,
    MANIFEST_FILE,
    RELEASES_FOLDER,
    ROUNDS_FILE,
    SUBMISSIONS_FOLDER,
    TASKS_FOLDER,
)
from sitegen.store.files.raw_documents import (
    NumberedTasks,
    RawTable,
    format_change,
    format_value,
    index_tasks,
    list_tables,
    read_document,
    read_places,
    read_stored_bytes,
    without_key,
)
from sitegen.store.readers.findings import is_as_redacted
from sitegen.store.readers.releases import (
    RELEASE_BUNDLE_DIFFERS,
    RELEASE_BUNDLE_GONE,
    RELEASE_TASKS_DIFFER,
)

_TRACK_CONDITIONS = (*SCORING_CONDITIONS, "tasks")
"""Keys of a track that must not change; a release locks the tasks rather than the set's name."""

_UNSCORED_TASK_KEYS = frozenset({"title", "url", "instruction"})
"""Keys of a task that do not affect scores."""
_LABELS = "labels"
"""The key for the labels of a task or a round."""

_CASE_LIST_DEPTH = 3
"""The number of keys in the location of a round's list of cases: ("rounds", 0, "cases")."""

_FINDING_IDENTITY = ("date", "kind", "title")
"""Keys that identify a finding in both states."""

_RELEASE_CODES: Mapping[str, str] = {
    HISTORY_DELETED.code: RELEASE_BUNDLE_GONE.code,
    HISTORY_EDITED.code: RELEASE_BUNDLE_DIFFERS.code,
    HISTORY_TASKS.code: RELEASE_TASKS_DIFFER.code,
}
"""For each history rule, the rule of a release that forbids the same change of the same file."""

_MAX_NAMED_DIFFERENCES = 5


def history_problems(base: Path, head: Path, request: Request | None = None) -> Iterator[Problem]:
    """Yield problems with published results that were lost or changed since an earlier state.

    Args:
        base: The earlier state of a results folder.
        head: The later state; problems name its files.
        request: The changes between both states; determined here if None.
    """
    request = request or read_request(base, head)
    matches = request.matches
    for name, name_after in matches.benchmarks.items():
        yield from _benchmark_problems(BenchmarkStates(base / name, head / name_after, matches))
    yield from ownership_problems(request)
    yield from journal_problems(base, head, matches.benchmarks, request.new_submissions)
    for release in sorted((base / RELEASES_FOLDER).glob("*.toml")):
        yield from _release_problems(release, head / RELEASES_FOLDER / release.name)


def without_repeats(problems: Iterable[Problem], history: Iterable[Problem]) -> list[Problem]:
    """Return problems of results, excluding those that the history reports for the same file.

    Editing a result that is both published and in a release breaks two rules, but is one fault.
    """
    stated = set()
    for problem in history:
        code = _RELEASE_CODES.get(problem.code)
        if code:
            stated.add((code, problem.path))
    return [problem for problem in problems if (problem.code, problem.path) not in stated]


def _benchmark_problems(states: BenchmarkStates) -> Iterator[Problem]:
    """Yield problems of a benchmark's lost or edited results; its later folder may be missing."""
    if not (states.after / DEFINITION_FILE).exists():
        if states.earlier_submissions:
            yield _deleted_benchmark(states)
        return
    findings = _read_findings(states.after)
    for match in states.earlier_submissions:
        if match.after:
            redactions = [finding for finding in findings if finding.redacts(match.after.name)]
            yield from _new_redactions(states, match.after, redactions)
            yield from _edited_files(
                states.agent(match.before), match.before, match.after, redactions
            )
        else:
            yield _deleted_submission(states, match.before)
    if states.earlier_submissions:
        tracks = {
            str(states.manifest(match.before).get("track")) for match in states.earlier_submissions
        }
        yield from _track_problems(states.before, states.after, tracks)
        yield from _task_set_problems(states.before, states.after, tracks)
    yield from _finding_problems(states.before, states.after)


def _deleted_benchmark(states: BenchmarkStates) -> Problem:
    submissions = counted(len(states.earlier_submissions), "submission")
    fact = f"the benchmark {states.before.name} was removed, along with {submissions}"
    fix = "put it back as it was, or name both names in `[[renamed]]` of its benchmark.toml"
    return HISTORY_DELETED.broken(states.after, None, fact, fix)


def _deleted_submission(states: BenchmarkStates, folder: Path) -> Problem:
    """Return the problem of a deleted submission; the fix names a new one with the same rounds."""
    agent = states.agent(folder)
    path = states.after / SUBMISSIONS_FOLDER / folder.name
    fact = f"the submission {folder.name} of {agent} was removed"
    rounds = _rounds_content(folder)
    for new_folder in states.new_folders:
        if _rounds_content(new_folder) == rounds and states.agent(new_folder) == agent:
            fact = f"{fact}; {new_folder.name} contains the same rounds"
            fix = (
                "give the folder its name back, "
                "or name both addresses in `[[renamed]]` of benchmark.toml"
            )
            return HISTORY_DELETED.broken(path, None, fact, fix)
    return HISTORY_DELETED.broken(path, None, fact)


def _new_redactions(
    states: BenchmarkStates, folder: Path, redactions: Sequence[Finding]
) -> Iterator[Problem]:
    """Yield a problem for each redaction of a submission since the earlier state.

    A redaction excuses missing content and anyone can write one, so reviewers must see it.
    """
    redactions_before = _read_findings(states.before) if redactions else ()
    for redaction in redactions:
        if redaction in redactions_before:
            continue
        decider = format_value(redaction.by)
        reason = format_value(redaction.reason)
        removed = f"texts of {', '.join(redaction.tasks)}" if redaction.tasks else "all content"
        fact = (
            f"a new finding removes {removed} from {folder.name}, which is published; it was "
            f"decided by {decider}, for this reason: {reason}"
        )
        yield HISTORY_REDACTED.broken(folder, None, fact)


def _edited_files(
    agent: str, before: Path, after: Path, redactions: Sequence[Finding]
) -> Iterator[Problem]:
    """Yield a submission's files that differ for reasons other than its redactions."""
    files = side_by_side(bundle_files(before), bundle_files(after))
    for name, path_before, path_after in files:
        if name == CHECKSUMS_FILE and path_before and path_after:
            continue
        if path_before and redactions and is_as_redacted(path_before, path_after, redactions):
            continue
        if path_before and path_after:
            yield from _file_problems(agent, path_before, path_after)
        else:
            event = "was removed" if path_before else "is new"
            fact = f"{agent}: {name} {event}"
            yield HISTORY_EDITED.broken(after / name, None, fact)


def _read_findings(folder: Path) -> Sequence[Finding]:
    record = read_toml(folder / FINDINGS_FILE, Findings).record
    return record.findings if record else ()


def _rounds_content(folder: Path) -> bytes | None:
    path = folder / ROUNDS_FILE
    return read_stored_bytes(path) if path.is_file() else None


def _file_problems(agent: str, path_before: Path, path_after: Path) -> Iterator[Problem]:
    """Yield the problem of a file that differs in a published submission."""
    content_before = read_stored_bytes(path_before)
    content_after = read_stored_bytes(path_after)
    if content_before == content_after:
        return
    if path_before.name == MANIFEST_FILE:
        yield from _manifest_problems(agent, path_before, path_after)
        return
    bytes_before, _ = read_bytes(path_before)
    bytes_after, _ = read_bytes(path_after)
    difference = compare_lines(bytes_before or content_before, bytes_after or content_after)
    yield HISTORY_EDITED.broken(path_after, difference.line, f"{agent}: {difference.text}")


def _manifest_problems(agent: str, path_before: Path, path_after: Path) -> Iterator[Problem]:
    """Yield differences in a manifest except in its status, and a status that goes back."""
    before = read_document(path_before)
    after = read_document(path_after)
    if before is None or after is None:
        fact = f"{agent}: {path_after.name} differs, and can't be read"
        yield HISTORY_EDITED.broken(path_after, None, fact)
        return
    places_after = read_places(path_after)
    manifest_before = fixed_keys(before)
    manifest_after = fixed_keys(after)
    differences = list(compare_documents(manifest_before, manifest_after, places_after))
    if differences:
        text = "; ".join(difference.text for difference in differences)
        yield HISTORY_EDITED.broken(path_after, differences[0].line, f"{agent}: {text}")
    if extends_embargo(before, after):
        line = places_after.line_of(("embargo",))
        change = format_change(before.get("embargo"), after["embargo"])
        fact = f"{agent}: `embargo` {change}"
        yield HISTORY_EDITED.broken(path_after, line, fact)
    if goes_back(before, after):
        line = places_after.line_of(("status", "state"))
        fact = f"{agent}: {status_state(before)} before, and {status_state(after)} now"
        yield HISTORY_STATUS.broken(path_after, line, fact)


def _track_problems(before: Path, after: Path, entered: Collection[str]) -> Iterator[Problem]:
    """Yield a problem for each track that has submissions and changed its conditions."""
    tracks_before = _tracks_by_id(before)
    tracks_after = _tracks_by_id(after)
    ids_after = list(tracks_after)
    for track_id, track in tracks_before.items():
        if track_id not in entered or track_id not in tracks_after:
            continue
        conditions_before = _conditions(track)
        conditions_after = _conditions(tracks_after[track_id])
        differences = list(compare_documents(conditions_before, conditions_after))
        if differences:
            location = ("tracks", ids_after.index(track_id))
            line = read_places(after / DEFINITION_FILE).line_of(location)
            text = "; ".join(difference.text for difference in differences)
            fact = f"track {format_value(track_id)} has submissions: {text}"
            yield HISTORY_TRACK.broken(after / DEFINITION_FILE, line, fact)


def _task_set_problems(before: Path, after: Path, entered: Collection[str]) -> Iterator[Problem]:
    """Yield problems of task sets that changed although tracks with submissions use them."""
    tracks = _tracks_by_id(before)
    task_sets = [str(track.get("tasks")) for name, track in tracks.items() if name in entered]
    for task_set in dict.fromkeys(task_sets):
        path = Path(TASKS_FOLDER) / f"{task_set}.jsonl"
        tasks_before = _read_tasks(before / path)
        tasks_after = _read_tasks(after / path)
        differences = list(compare_tasks(tasks_before, tasks_after, _first_scored_difference))
        if differences:
            yield HISTORY_TASKS.broken(
                after / path, differences[0].line, _list_differences(differences)
            )


def _tracks_by_id(folder: Path) -> dict[str, RawTable]:
    """Return the tracks of a benchmark by id, in the order of the definition."""
    tracks = list_tables(read_document(folder / DEFINITION_FILE), "tracks")
    return {str(track.get("id")): track for track in tracks}


def _conditions(track: RawTable) -> dict[str, object]:
    return {key: track[key] for key in _TRACK_CONDITIONS if key in track}


def _list_differences(differences: Iterable[FileDifference]) -> str:
    texts = (difference.text for difference in differences)
    return listed(texts, _MAX_NAMED_DIFFERENCES, more=MORE_DIFFERENCES, separator="; ")


def _read_tasks(path: Path) -> NumberedTasks:
    """Return the tasks of a set; unreadable lines are reported elsewhere."""
    try:
        content = packed_bytes(path)
    except ProblemsError:
        return {}
    return index_tasks(content)


def _first_scored_difference(before: RawTable, after: RawTable) -> Iterator[KeyDifference]:
    """Yield the first difference between two states of a task that may affect scores.

    A new value matters if it is a weight, the number of a round, or a case of a round that already
    listed its cases.
    """
    values_before = _scored_values(before)
    for difference in differing(values_before, _scored_values(after)):
        location, _, _ = difference
        is_new_case = location[-1] == "id" and _has_case_list(location, values_before)
        if location in values_before or location[-1] in {"weight", "n"} or is_new_case:
            yield difference
            return


def _scored_values(task: RawTable) -> dict[Location, object]:
    """Return the values of a task by location, except values that maintainers may change.

    Like the weights of an axis, labels may be corrected; releases report such changes.
    """
    values = {}
    for location, value in leaves(task):
        if location[-1] not in _UNSCORED_TASK_KEYS and _LABELS not in location:
            values[location] = value
    return values


def _has_case_list(location: Location, locations: Iterable[Location]) -> bool:
    """Return whether any location is in the same list of a round's cases as the given location."""
    case_list = location[:_CASE_LIST_DEPTH]
    return any(other_location[:_CASE_LIST_DEPTH] == case_list for other_location in locations)


def _finding_problems(folder_before: Path, folder_after: Path) -> Iterator[Problem]:
    """Yield findings that are missing or differ.

    A waiver may be removed or end sooner, and `limited_findings` may gain `tracks`.
    """
    path_before = folder_before / FINDINGS_FILE
    path_after = folder_after / FINDINGS_FILE
    if path_after.is_file() and read_document(path_after) is None:
        return  # An unreadable file is reported elsewhere, and prevents publication.
    places_after = read_places(path_after)
    findings_after = list_tables(read_document(path_after), "findings")
    limited: Collection[int] | None = None
    for position, finding in enumerate(list_tables(read_document(path_before), "findings")):
        indexes = _same_findings(finding, findings_after)
        versions_after = [findings_after[index] for index in indexes]
        if finding in findings_after or _is_allowed_change(finding, versions_after):
            continue
        if limited is None:
            limited = limited_findings(folder_before, folder_after)
        if position in limited:
            continue
        title = f"the finding “{format_value(finding.get('title'))}”"
        if not indexes:
            yield HISTORY_FINDING.broken(path_after, None, f"{title} was removed")
            continue
        differences = compare_documents(finding, versions_after[0])
        text = "; ".join(difference.text for difference in differences)
        line = places_after.line_of(("findings", indexes[0]))
        yield HISTORY_FINDING.broken(path_after, line, f"{title} differs: {text}")


def _same_findings(finding: RawTable, findings_after: Sequence[RawTable]) -> list[int]:
    """Return the indexes of the later findings with the same date, kind and title."""
    identity = [finding.get(key) for key in _FINDING_IDENTITY]
    indexes = []
    for index, finding_after in enumerate(findings_after):
        if [finding_after.get(key) for key in _FINDING_IDENTITY] == identity:
            indexes.append(index)
    return indexes


def _is_allowed_change(finding: RawTable, versions_after: Sequence[RawTable]) -> bool:
    """Return whether the change of a finding to one of its later versions is allowed."""
    if any(_adds_only_correction(finding, version) for version in versions_after):
        return True
    if finding.get("kind") != "waiver":
        return False
    return not versions_after or any(_ends_sooner(finding, version) for version in versions_after)


def _adds_only_correction(before: RawTable, after: RawTable) -> bool:
    """Return whether a finding differs only by naming an earlier finding that it corrects."""
    return "corrects" not in before and before == without_key(after, "corrects")


def _ends_sooner(before: RawTable, after: RawTable) -> bool:
    """Return whether a waiver differs only by an earlier end."""
    until = after.get("until")
    if until is None or {**before, "until": until} != after:
        return False
    return str(until) <= str(before.get("until", until))


def _release_problems(path_before: Path, path_after: Path) -> Iterator[Problem]:
    """Yield a problem if a release is gone or differs from its locked state."""
    release = f"the release {path_before.stem}"
    if not path_after.is_file() or path_after.is_symlink():
        yield HISTORY_RELEASE.broken(path_after, None, f"{release} was removed")
        return
    if read_stored_bytes(path_before) == read_stored_bytes(path_after):
        return
    after = read_document(path_after)
    if after is None:
        differences = [FileDifference("it can't be read")]
    else:
        before = read_document(path_before) or {}
        differences = list(compare_documents(before, after, read_places(path_after)))
    if differences:
        fact = f"{release} differs: {_list_differences(differences)}"
        yield HISTORY_RELEASE.broken(path_after, differences[0].line, fact)
