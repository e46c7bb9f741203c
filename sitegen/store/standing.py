"""What has to stand beside published results: their tasks and conditions, the findings, and the releases."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from sitegen.problems import Problem, ProblemsError
from sitegen.reading.files import packed_bytes, read_text
from sitegen.reading.shape import Location
from sitegen.reading.toml import Places
from sitegen.store import history_rules as rules
from sitegen.store.edits import Document, Edit, content_of, document_edits, leaves, read_document, shown
from sitegen.store.layout import DEFINITION, TASKS

_CONDITIONS = ("protocol", "attempts", "reference_rounds", "tasks")
"""What scores of a track depend on beside its tasks."""

_WORDS = frozenset({"title", "url", "instruction"})
"""What a task may say in other words: no score depends on it."""

_NAMED = 5
"""So many tasks are named in full; of more it is said how many there are."""


def definition_problems(was: Path, now: Path, tracks: Collection[str]) -> Iterator[Problem]:
    """Say which conditions and tasks differ of tracks that had submissions.

    Args:
        was: The benchmark's folder in the earlier state.
        now: The benchmark's folder in the later state.
        tracks: Tracks that had submissions in the earlier state.
    """
    before, after = _tracks(was), _tracks(now)
    entered = [name for name in before if name in tracks]
    for name in filter(after.__contains__, entered):
        yield from _track_problems(now / DEFINITION, name, before[name], after[name])
    for task_set in dict.fromkeys(str(before[name].get("tasks")) for name in entered):
        path = Path(TASKS) / f"{task_set}.jsonl"
        yield from _task_problems(was / path, now / path)


def finding_problems(was: Path, now: Path) -> Iterator[Problem]:
    """Say which findings are gone or differ; a waiver may go, or end sooner."""
    if now.is_file() and read_document(now) is None:
        return  # that it can't be read is told, and keeps everything from being published
    text, _ = read_text(now)
    new, places = _findings(now), Places(text or "")
    for finding in _findings(was):
        if finding not in new and not _is_ended(finding, new):
            yield _finding_problem(now, finding, new, places)


def release_problems(was: Path, now: Path) -> Iterator[Problem]:
    """Say that a release is gone, or what it says otherwise than when it was locked."""
    if not now.is_file() or now.is_symlink():
        yield rules.HISTORY_RELEASE.broken(now, None, f"the release {was.stem} is gone")
        return
    edits = _release_edits(was, now) if content_of(was) != content_of(now) else []
    if edits:
        more = f" … and {len(edits) - _NAMED} more" if len(edits) > _NAMED else ""
        told = "; ".join(edit.what for edit in edits[:_NAMED])
        yield rules.HISTORY_RELEASE.broken(now, edits[0].line, f"the release {was.stem} differs: {told}{more}")


def _release_edits(was: Path, now: Path) -> list[Edit]:
    before, after = read_document(was), read_document(now)
    if after is None:
        return [Edit("it can't be read")]
    text, _ = read_text(now)
    return list(document_edits(before or {}, after, text or ""))


def _finding_problem(path: Path, finding: Document, new: Sequence[Document], places: Places) -> Problem:
    name = f"the finding “{shown(finding.get('title'))}”"
    place = next((number for number, each in enumerate(new) if _same(finding, each)), None)
    if place is None:
        return rules.HISTORY_FINDING.broken(path, None, f"{name} is gone")
    turns = "; ".join(edit.what for edit in document_edits(finding, new[place], ""))
    return rules.HISTORY_FINDING.broken(path, places.line_of(("findings", place)), f"{name} differs: {turns}")


def _is_ended(finding: Document, findings: Sequence[Document]) -> bool:
    """Whether it is a waiver that is gone, or has become one that ends sooner."""
    heirs = [each for each in findings if _same(finding, each)]
    return finding.get("kind") == "waiver" and (not heirs or any(_ends_sooner(finding, each) for each in heirs))


def _ends_sooner(was: Document, now: Document) -> bool:
    until = now.get("until")
    same = {**was, "until": until} == now
    return same and until is not None and str(until) <= str(was.get("until", until))


def _same(finding: Document, other: Document) -> bool:
    return all(finding.get(key) == other.get(key) for key in ("date", "kind", "title"))


def _findings(path: Path) -> list[Document]:
    found = (read_document(path) or {}).get("findings")
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []


def _tracks(folder: Path) -> dict[str, Document]:
    found = (read_document(folder / DEFINITION) or {}).get("tracks")
    tracks = [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []
    return {str(each.get("id")): each for each in tracks}


def _track_problems(path: Path, name: str, was: Document, now: Document) -> Iterator[Problem]:
    """Say which conditions of a track differ, in one problem."""
    edits = [edit.what for edit in document_edits(_conditions(was), _conditions(now), "")]
    if edits:
        line = _line_of_track(path, name)
        yield rules.HISTORY_TRACK.broken(path, line, f"track {shown(name)} has submissions: {'; '.join(edits)}")


def _conditions(track: Document) -> Document:
    return {key: track[key] for key in _CONDITIONS if key in track}


def _line_of_track(path: Path, name: str) -> int | None:
    text, _ = read_text(path)
    names = list(_tracks(path.parent))
    return Places(text or "").line_of(("tracks", names.index(name)))


def _task_problems(was: Path, now: Path) -> Iterator[Problem]:
    """Say which tasks of a set differ, in one problem."""
    before, after = _tasks(was), _tasks(now)
    edits = [edit for name in dict.fromkeys((*before, *after)) for edit in _task_edit(name, before, after)]
    if edits:
        told = "; ".join(edit.what for edit in edits[:_NAMED])
        more = f" … and {len(edits) - _NAMED} more" if len(edits) > _NAMED else ""
        yield rules.HISTORY_TASKS.broken(now, edits[0].line, f"{told}{more}")


_Numbered = tuple[int, Document]


def _task_edit(name: str, before: Mapping[str, _Numbered], after: Mapping[str, _Numbered]) -> Iterator[Edit]:
    if name not in after:
        yield Edit(f"task {name} is gone")
    elif name not in before:
        yield Edit(f"task {name} is new", after[name][0])
    else:
        line, task = after[name]
        was, now = _scored(before[name][1]), _scored(task)
        for place in _differing(was, now)[:1]:
            turn = f"{shown(was.get(place))} → {shown(now.get(place))}"
            yield Edit(f"`{'.'.join(map(str, place))}` of task {name} {turn}", line)


def _differing(was: Mapping[Location, object], now: Mapping[Location, object]) -> list[Location]:
    """Find the places of a task that differ, those that scores may depend on."""
    changed = [place for place in was if was[place] != now.get(place)]
    return changed + [place for place in now if place not in was and _counts(place, was)]


def _counts(place: Location, was: Collection[Location]) -> bool:
    """Whether a value that was not there before changes scores: a weight, a round, or one more case of a round."""
    is_case = place[-1] == "id" and any(known[:3] == place[:3] for known in was)
    return is_case or place[-1] in {"weight", "n"}


def _scored(task: Document) -> dict[Location, object]:
    """Give what stands at each place of a task, without the words that no score depends on."""
    return {place: value for place, value in leaves(task) if place[-1] not in _WORDS}


def _tasks(path: Path) -> dict[str, _Numbered]:
    """Give the tasks of a set by their ids, each with its line; lines that hold none are told elsewhere."""
    try:
        content = packed_bytes(path)
    except ProblemsError:
        return {}
    found: dict[str, _Numbered] = {}
    for line, text in enumerate(content.decode(errors="replace").split("\n"), start=1):
        try:
            task = json.loads(text, parse_float=str, parse_int=str) if text.strip() else None
        except (ValueError, RecursionError):
            continue
        if isinstance(task, dict):
            found[shown(task.get("id"))] = line, task
    return found
