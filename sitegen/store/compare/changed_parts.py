"""Find every path and key that differs between two states of a results folder, with its kind.

Read `read_request` first: it takes an earlier and a later state, and returns an
`ownership.Request`. The later state cannot excuse itself: its renamings, aliases, findings and
journals are changes like all others, and agents' names are read as the earlier state spells them.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path, PurePosixPath

from sitegen.board.history.differences import differing, leaves, side_by_side
from sitegen.models.submission import MAINTAINED
from sitegen.reading.files import read_bytes
from sitegen.store.compare.authors import NOBODY, RequestAuthor
from sitegen.store.compare.benchmark_states import BenchmarkStates
from sitegen.store.compare.changed_agents import agents_change
from sitegen.store.compare.changed_definition import definition_changes
from sitegen.store.compare.file_differences import KeyDifference, compare_tasks
from sitegen.store.compare.history_rules import HISTORY_RERUN, HISTORY_RIVAL
from sitegen.store.compare.limited_findings import limited_findings
from sitegen.store.compare.manifest_states import (
    extends_embargo,
    fixed_keys,
    goes_back,
    status_with_state,
)
from sitegen.store.compare.matching import (
    EarlierSubmission,
    Matches,
    bundle_files,
    has_same_bytes,
    match_submissions,
)
from sitegen.store.compare.ownership import (
    Change,
    ChangeKind,
    Request,
)
from sitegen.store.files.layout import (
    AGENTS_FILE,
    ARRIVALS_FILE,
    CHECKS_FILE,
    CHECKSUMS_FILE,
    DEFINITION_FILE,
    FINDINGS_FILE,
    KEEPER_FILE,
    MANIFEST_FILE,
    REGISTRATIONS_FILE,
    RELEASES_FOLDER,
    REPORTED_FOLDER,
    SUBMISSIONS_FOLDER,
    TASKS_FOLDER,
)
from sitegen.store.files.raw_documents import (
    RawTable,
    format_change,
    format_value,
    get_table,
    index_tasks,
    list_tables,
    list_texts,
    parse_json_lines,
    read_document,
    read_places,
    read_stored_bytes,
)

_MAINTAINER_KINDS = frozenset({"waiver", "reproduction", "redaction"})
"""Kinds of findings that only maintainers may add."""

_MAX_LISTED_TASK_KEYS = 3
"""Maximum number of changed keys of a task set that are listed as separate changes."""


def read_request(base: Path, head: Path, author: RequestAuthor = NOBODY) -> Request:
    """Return an author's changes from one state of a results folder to a later one."""
    matches = match_submissions(base, head)
    changes = list(_root_changes(base, head, matches))
    for name in _benchmark_names(matches, head):
        name_after = matches.benchmarks.get(name, name)
        states = BenchmarkStates(base / name, head / name_after, matches, author)
        changes += _benchmark_changes(states)
    return Request(head, matches, tuple(changes), _only_carries_over(head, matches))


def _only_carries_over(head: Path, matches: Matches) -> bool:
    """Return whether all new submissions contain only records of published submissions.

    Each new submission names its source in `[carried]`, and the source's files contain all its
    lines.
    """
    for name in matches.new:
        benchmark, _, submission = name.partition("/")
        folder = head / benchmark / SUBMISSIONS_FOLDER / submission
        carried = get_table(read_document(folder / MANIFEST_FILE) or {}, "carried")
        source = str(carried.get("submission", ""))
        earlier_folders = [match.before for match in matches.earlier_in(benchmark)]
        sources = [path for path in earlier_folders if path.name == source]
        if not sources or not _has_lines_of(folder, sources[0]):
            return False
    return bool(matches.new)


def _has_lines_of(folder: Path, source: Path) -> bool:
    """Return whether all records of a bundle are also in the bundle that it is carried from."""
    for name, path in bundle_files(folder).items():
        if name in {MANIFEST_FILE, CHECKSUMS_FILE}:
            continue
        source_path = source / name
        if not (source_path.is_file() and path.is_file()):
            return False
        content, _ = read_bytes(path)
        source_content, _ = read_bytes(source_path)
        if content is None or source_content is None:
            return False
        source_lines = set(source_content.split(b"\n"))
        if not source_lines.issuperset(content.split(b"\n")):
            return False
    return True


def _benchmark_names(matches: Matches, head: Path) -> list[str]:
    """Return the names of all benchmarks; a renamed benchmark has its earlier name only."""
    names = list(matches.benchmarks)
    names += [name.partition("/")[0] for name in matches.new]
    for path in sorted(head.glob("*")):
        if path.is_dir() and path.name != RELEASES_FOLDER and not path.name.startswith("."):
            names.append(path.name)
    names_after = set(matches.benchmarks.values()) - matches.benchmarks.keys()
    return [name for name in dict.fromkeys(names) if name not in names_after]


def _root_changes(base: Path, head: Path, matches: Matches) -> Iterator[Change]:
    """Yield the changes outside benchmarks: arrivals, agents, releases and other files."""
    for name, path_before, path_after in _differing_files(_root_files(base), _root_files(head)):
        if name == AGENTS_FILE:
            yield agents_change(base, head, matches, _file_event(path_before, path_after))
            continue
        if name == ARRIVALS_FILE:
            kind = ChangeKind.JOURNAL
        elif name.startswith(f"{RELEASES_FOLDER}/"):
            kind = ChangeKind.RELEASE
        else:
            kind = ChangeKind.OTHER_FILE
        yield Change(kind, head / name, f"{name} {_file_event(path_before, path_after)}")


def _root_files(state: Path) -> dict[str, Path]:
    """Return the files next to the benchmarks and the files of releases, by relative path."""
    files = {}
    for path in sorted(state.glob("*")):
        if not path.name.startswith(".") and _is_file_or_link(path):
            files[path.name] = path
    for path in sorted((state / RELEASES_FOLDER).glob("*")):
        files[f"{RELEASES_FOLDER}/{path.name}"] = path
    return files


def _is_file_or_link(path: Path) -> bool:
    return path.is_symlink() or path.is_file()


def _differing_files(
    before: Mapping[str, Path], after: Mapping[str, Path]
) -> Iterator[tuple[str, Path | None, Path | None]]:
    """Yield the files that differ between two states, except files that keep a folder in git."""
    for name, path_before, path_after in side_by_side(before, after):
        if PurePosixPath(name).name == KEEPER_FILE:
            continue
        if path_before is None or path_after is None or not has_same_bytes(path_before, path_after):
            yield name, path_before, path_after


def _file_event(path_before: Path | None, path_after: Path | None) -> str:
    """Return what happened to a file, as a predicate."""
    if path_before is None:
        return "is new"
    return "differs" if path_after else "was removed"


def _benchmark_changes(states: BenchmarkStates) -> Iterator[Change]:
    """Yield every change in a benchmark's folder."""
    if states.before.exists() and not states.after.exists():
        touched = frozenset(match.name for match in states.earlier_submissions)
        kind = ChangeKind.CONTENT if touched else ChangeKind.DEFINITION
        description = f"the benchmark {states.before.name} was removed"
        yield Change(kind, states.after, description, touches=touched)
        return
    for folder in states.new_folders:
        description = f"{states.result_name(folder.name)} is new"
        yield Change(ChangeKind.NEW_SUBMISSION, folder, description)
        if states.manifest(folder).get("baseline"):
            line = read_places(folder / MANIFEST_FILE).line_of(("baseline",))
            description = f"{states.result_name(folder.name)} is a baseline"
            yield Change(ChangeKind.BASELINE, folder / MANIFEST_FILE, description, line)
    for match in states.earlier_submissions:
        yield from _submission_changes(states, match)
    files_before = _files_beside_submissions(states.before)
    files_after = _files_beside_submissions(states.after)
    for name, path_before, path_after in _differing_files(files_before, files_after):
        yield from _file_changes(states, name, path_before, path_after)


def _files_beside_submissions(benchmark: Path) -> dict[str, Path]:
    """Return the files of a benchmark that belong to no submission, by relative path."""
    files: dict[str, Path] = {}
    for path in sorted(benchmark.glob("*")):
        if not path.is_dir() or path.is_symlink():
            candidates = [path]
        elif path.name == SUBMISSIONS_FOLDER:
            candidates = [
                child for child in path.iterdir() if child.is_symlink() or not child.is_dir()
            ]
        else:
            candidates = list(path.rglob("*"))
        for candidate in candidates:
            if _is_file_or_link(candidate):
                files[candidate.relative_to(benchmark).as_posix()] = candidate
    return dict(sorted(files.items()))


def _file_changes(
    states: BenchmarkStates, name: str, path_before: Path | None, path_after: Path | None
) -> Iterator[Change]:
    """Yield the changes of a file that belongs to no submission."""
    path = states.after / name
    description = f"{name} {_file_event(path_before, path_after)}"
    folder, _, file_name = name.partition("/")
    if name == DEFINITION_FILE:
        yield from definition_changes(states)
    elif name == FINDINGS_FILE:
        yield from _finding_changes(states)
    elif name == REGISTRATIONS_FILE:
        yield Change(ChangeKind.REGISTRATION, path, description)
    elif name == CHECKS_FILE:
        touched = _checked_results(states, path_before, path_after)
        yield Change(ChangeKind.JOURNAL, path, description, touches=touched)
    elif folder == TASKS_FOLDER and file_name:
        yield from _task_set_changes(states, path.stem, path_before, path_after)
    elif folder == REPORTED_FOLDER and file_name:
        yield _table_change(states, path, description, path_before, path_after)
    else:
        yield Change(ChangeKind.OTHER_FILE, path, description)


def _checked_results(
    states: BenchmarkStates, path_before: Path | None, path_after: Path | None
) -> frozenset[str]:
    """Return the published results named in the new lines of a journal of checks."""
    content_before = read_stored_bytes(path_before) if path_before else b""
    content_after = read_stored_bytes(path_after) if path_after else b""
    lines_before = {line for _, line, _ in parse_json_lines(content_before)}
    submissions = set()
    for _, line, record in parse_json_lines(content_after):
        if line not in lines_before:
            submissions.add(str(record.get("submission")))
    return states.results_named(submissions)


def _table_change(
    states: BenchmarkStates,
    path: Path,
    description: str,
    path_before: Path | None,
    path_after: Path | None,
) -> Change:
    """Return the change of a reported table."""
    tracks = set()
    for table_path in (path_before, path_after):
        if table_path:
            table = read_document(table_path) or {}
            tracks.add(str(table.get("track")))
    if path_before is None and tracks <= states.tracks_begun_by_request:
        return Change(ChangeKind.NEW_TRACK, path, description)
    return Change(ChangeKind.TABLE, path, description, touches=states.results_on(tracks))


def _submission_changes(states: BenchmarkStates, match: EarlierSubmission) -> Iterator[Change]:
    """Yield the changes of a published submission."""
    touched = frozenset({match.name})
    agent = states.agent(match.before)
    folder = match.after
    if folder is None:
        path = states.after / SUBMISSIONS_FOLDER / match.before.name
        description = f"the submission {match.before.name} of {agent} was removed"
        yield Change(ChangeKind.CONTENT, path, description, touches=touched)
        return
    files = _differing_files(bundle_files(match.before), bundle_files(folder))
    names = [name for name, _, _ in files]
    if folder.name != match.before.name:
        description = f"{match.before.name} of {agent} is called {folder.name}"
        yield Change(ChangeKind.DEFINITION, folder, description, touches=touched)
    for name in names:
        if name not in {MANIFEST_FILE, CHECKSUMS_FILE}:
            yield Change(
                ChangeKind.CONTENT, folder / name, f"{agent}: {name} differs", touches=touched
            )
    if MANIFEST_FILE in names:
        yield _manifest_change(states, match, folder)
    elif names == [CHECKSUMS_FILE]:
        description = f"{agent}: {CHECKSUMS_FILE} differs"
        path = folder / CHECKSUMS_FILE
        yield Change(ChangeKind.STATUS, path, description, has_same_content=True)


def _manifest_change(states: BenchmarkStates, match: EarlierSubmission, folder: Path) -> Change:
    """Return the change of a published submission's manifest."""
    path = folder / MANIFEST_FILE
    touched = frozenset({match.name})
    agent = states.agent(match.before)
    before = states.manifest(match.before)
    after = states.manifest(folder)
    status_before = status_with_state(before)
    status_after = status_with_state(after)
    is_edited = fixed_keys(before) != fixed_keys(after) or extends_embargo(before, after)
    if is_edited or goes_back(before, after):
        return Change(
            ChangeKind.CONTENT, path, f"{agent}: {MANIFEST_FILE} differs", touches=touched
        )
    maintained = _maintained_differences(before, after)
    if maintained:
        line = read_places(path).line_of((maintained[0][0],))
        texts = [text for _, text in maintained]
        if status_before != status_after:
            texts.append(_status_difference(status_before, status_after))
        description = f"{agent}: {'; '.join(texts)}"
        return Change(ChangeKind.STATUS, path, description, line, touched)
    if status_before == status_after:
        description = f"{agent}: comments of {MANIFEST_FILE} differ"
        return Change(ChangeKind.STATUS, path, description, has_same_content=True)
    evidence = states.author.evidence_for(before)
    kind = ChangeKind.OWN_STATUS if evidence in {"account", "contact"} else ChangeKind.STATUS
    for new_folder in states.new_folders:
        if evidence == "unknown" and states.is_successor(match.before, status_after, new_folder):
            kind = ChangeKind.OWN_STATUS
    line = read_places(path).line_of(("status", "state"))
    description = f"{agent}: {_status_difference(status_before, status_after)}"
    return Change(kind, path, description, line, touched, evidence=evidence)


def _maintained_differences(before: RawTable, after: RawTable) -> list[tuple[str, str]]:
    """Return the differing keys that only maintainers may change, with descriptions."""
    changes = []
    for key in MAINTAINED:
        if before.get(key) != after.get(key):
            change = format_change(before.get(key), after.get(key))
            changes.append((key, f"`{key}` {change}"))
    return changes


def _status_difference(status_before: RawTable, status_after: RawTable) -> str:
    """Return a text on how a submission's status changed: its state, or else its other keys."""
    if status_before["state"] != status_after["state"]:
        return f"{status_before['state']} before, and {status_after['state']} now"
    changes = []
    for key, value_before, value_after in differing(status_before, status_after):
        changes.append(f"`status.{key}` {format_change(value_before, value_after)}")
    return "; ".join(changes)


def _task_set_changes(
    states: BenchmarkStates, task_set: str, path_before: Path | None, path_after: Path | None
) -> Iterator[Change]:
    """Yield the changes of the keys that differ in a task set."""
    path = states.after / TASKS_FOLDER / f"{task_set}.jsonl"
    tracks_after = _tracks_with_tasks(states.definition_after, task_set)
    if path_before is None and tracks_after and tracks_after <= states.tracks_begun_by_request:
        yield Change(ChangeKind.NEW_TRACK, path, f"the task set {task_set} is new")
        return
    touched = states.results_on(_tracks_with_tasks(states.definition_before, task_set))
    if path_before is None or path_after is None:
        description = f"the task set {task_set} {_file_event(path_before, path_after)}"
        yield Change(ChangeKind.TASKS, path, description, touches=touched)
        return
    tasks_before = index_tasks(read_stored_bytes(path_before))
    tasks_after = index_tasks(read_stored_bytes(path_after))
    differences = list(compare_tasks(tasks_before, tasks_after, _differing_keys))
    for difference in differences[:_MAX_LISTED_TASK_KEYS]:
        yield Change(ChangeKind.TASKS, path, difference.text, difference.line, touched)
    remaining = len(differences) - _MAX_LISTED_TASK_KEYS
    if remaining > 0:
        description = f"{remaining} more keys of tasks differ"
        yield Change(ChangeKind.TASKS, path, description, touches=touched)
    elif not differences:
        yield Change(ChangeKind.TASKS, path, "tasks are written in another way", touches=touched)


def _tracks_with_tasks(definition: RawTable | None, task_set: str) -> set[str]:
    """Return the ids of the tracks that use a task set."""
    tracks = list_tables(definition, "tracks")
    return {str(track.get("id")) for track in tracks if track.get("tasks") == task_set}


def _differing_keys(before: RawTable, after: RawTable) -> Iterator[KeyDifference]:
    return differing(dict(leaves(before)), dict(leaves(after)))


def _finding_changes(states: BenchmarkStates) -> Iterator[Change]:
    """Yield the changes of findings that are new, missing or limited to some tracks."""
    path = states.after / FINDINGS_FILE
    before = read_document(states.before / FINDINGS_FILE)
    after = read_document(path)
    if path.exists() and after is None:
        description = f"{FINDINGS_FILE} can't be read"
        yield Change(ChangeKind.FINDING, path, description, touches=states.all_results)
        return
    key_places = read_places(path)
    findings_before = list_tables(before, "findings")
    findings_after = list_tables(after, "findings")
    limited: dict[int, int] = {}
    if before is not None and findings_before != findings_after:
        limited = limited_findings(states.before, states.after)
    for index, finding in enumerate(findings_after):
        if index in limited.values():
            line = key_places.line_of(("findings", index))
            tracks = ", ".join(list_texts(finding, "tracks"))
            description = f"{_finding_title(finding)} is limited to {tracks}"
            yield Change(ChangeKind.FINDING, path, description, line)
        elif finding not in findings_before:
            line = key_places.line_of(("findings", index))
            yield _new_finding(states, finding, path, line)
    for index, finding in enumerate(findings_before):
        if index not in limited and finding not in findings_after:
            description = f"{_finding_title(finding)} was removed or changed"
            touched = states.results_of_finding(finding)
            yield Change(ChangeKind.FINDING, path, description, touches=touched)
    if before is not None and findings_before == findings_after:
        yield Change(ChangeKind.FINDING, path, f"comments of {FINDINGS_FILE} differ")


def _finding_title(finding: RawTable) -> str:
    return f"the finding “{format_value(finding.get('title'))}”"


def _new_finding(
    states: BenchmarkStates, finding: RawTable, path: Path, line: int | None
) -> Change:
    """Return the change of a new finding."""
    title = _finding_title(finding)
    if states.new_folders and _is_own_finding(states, finding):
        return Change(ChangeKind.OWN_NOTE, path, f"{title} is new", line)
    touched = states.results_of_finding(finding)
    finding_change = partial(Change, ChangeKind.FINDING, path, line=line, touches=touched)
    kind = format_value(finding.get("kind"))
    effect = format_value(finding.get("effect", "note"))
    named_submissions = list_texts(finding, "submissions")
    own_submissions = [name for name in states.new_names if name in named_submissions]
    if finding.get("kind") == "reproduction" and own_submissions:
        description = f"{title} comes with {own_submissions[0]}, which it confirms"
        return finding_change(description=description, special_rule=HISTORY_RERUN)
    if states.new_names and touched and _takes_results(finding):
        description = f"{title} comes with {states.new_names[0]}, and takes from other submissions"
        return finding_change(description=description, special_rule=HISTORY_RIVAL)
    signature = f", signed {format_value(finding['by'])}" if "by" in finding else ""
    return finding_change(description=f"{title} is new: {kind}, {effect}{signature}")


def _takes_results(finding: RawTable) -> bool:
    """Return whether a finding affects results and is of a kind that anyone may add."""
    has_effect = finding.get("effect", "note") != "note"
    return has_effect and str(finding.get("kind")) not in _MAINTAINER_KINDS


def _is_own_finding(states: BenchmarkStates, finding: RawTable) -> bool:
    """Return whether a finding is unsigned, and only about new submissions or their new tracks."""
    if str(finding.get("kind")) in _MAINTAINER_KINDS or "by" in finding:
        return False
    tracks = set(list_texts(finding, "tracks"))
    if states.is_new_benchmark or (tracks and tracks <= states.tracks_begun_by_request):
        return True
    submissions = set(list_texts(finding, "submissions"))
    is_note = finding.get("effect", "note") == "note"
    return is_note and bool(submissions) and submissions <= set(states.new_names)
