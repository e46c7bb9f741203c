"""What became of published results, and of what stands beside them, from one state of a results folder to the next.

They may be added, superseded or withdrawn, never edited or deleted. Files are compared by what they hold, so that
nothing escapes that a later state can't read any more.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

from sitegen.board.differences import differing, dotted, leaves, side_by_side
from sitegen.models.finding import Finding, Findings
from sitegen.problems import Problem, ProblemsError, Rule, counted, listed, reasons
from sitegen.reading.files import packed_bytes, read_bytes, read_text
from sitegen.reading.shape import Location
from sitegen.reading.toml import Places, read_toml
from sitegen.store.changed_parts import agent_name, read_request
from sitegen.store.edits import (
    MORE,
    Document,
    Edit,
    content_of,
    document_edits,
    json_lines,
    lines_edit,
    read_document,
    shown,
)
from sitegen.store.findings import is_as_redacted
from sitegen.store.journals import journal_problems
from sitegen.store.layout import (
    CHECKSUMS,
    DEFINITION,
    FINDINGS,
    MANIFEST,
    RELEASES,
    ROUNDS,
    SUBMISSIONS,
    TASKS,
)
from sitegen.store.matching import Published, bundle_files
from sitegen.store.ownership import STATUS_RANK, Request, ownership_problems

_KEPT = partial(Rule.error, unwaivable=reasons.KEPT)
HISTORY_DELETED = _KEPT(
    "HISTORY-DELETED",
    "A published submission stays, under its name or one that `[[renamed]]` of benchmark.toml tells.",
    'put it back as it was; a submission that does not stand any more says so in `[status]`, with state = "withdrawn"',
)
HISTORY_EDITED = _KEPT(
    "HISTORY-EDITED",
    "Of a published submission nothing changes but its `[status]`, and its checksums with it.",
    "put it back as it was, and add the correction as a submission of its own, which `[status]` of this one names",
)
HISTORY_REDACTED = Rule.warning(
    "HISTORY-REDACTED",
    "Content of a published submission leaves when those decide it who may.",
    "ask whoever keeps this leaderboard, and whoever sent the submission; if they do not want it, take the record out "
    "of findings.toml, and put the files back as they were",
    unwaivable=reasons.KEPT,
)
HISTORY_STATUS = _KEPT(
    "HISTORY-STATUS",
    "A submission that was superseded or withdrawn does not come back.",
    "put the status back, and add the results as a submission of its own",
)
HISTORY_FINDING = _KEPT(
    "HISTORY-FINDING",
    "Findings are added, and neither changed nor removed; a waiver may end sooner, or go.",
    "put it back as it was, and add a finding that says what is different now",
)
HISTORY_TASKS = _KEPT(
    "HISTORY-TASKS",
    "The tasks of a track stay as they are once results were submitted to it.",
    "put them back, and give the changed tasks a task set and a track of their own; titles and addresses may change",
)
HISTORY_TRACK = _KEPT(
    "HISTORY-TRACK",
    "The conditions of a track stay as they are once results were submitted to it.",
    "put them back, and give the new conditions a track of their own",
)
HISTORY_RELEASE = _KEPT(
    "HISTORY-RELEASE",
    "A release is what `sitegen release` writes of the boards, and stays as it was locked.",
    "put it back as it was; what is different now goes into a new one: `sitegen release DATE`",
)


_CONDITIONS = ("protocol", "attempts", "reference_rounds", "tasks")
"""What scores of a track depend on beside its tasks."""

_WORDS = frozenset({"title", "url", "instruction"})
"""What a task may say in other words: no score depends on it."""

_NAMED = 5
"""So many tasks, or places of a release, are named in full; of more it is said how many there are."""


def history_problems(base: Path, head: Path, request: Request | None = None) -> Iterator[Problem]:
    """Yield what published results lost since an earlier state, and what a request may not change.

    Args:
        base: The earlier state of a results folder.
        head: The later state, in which problems are placed.
        request: What changes between the two, where it was read already.
    """
    request = request or read_request(base, head)
    matches = request.matches
    for name, later_name in matches.benchmarks.items():
        past = _Past(
            base / name, head / later_name, matches.published_in(name), matches.new_in(later_name)
        )
        yield from past.problems()
    yield from ownership_problems(request)
    yield from journal_problems(base, head, matches.benchmarks, list(matches.new))
    for release in sorted((base / RELEASES).glob("*.toml")):
        yield from _release_problems(release, head / RELEASES / release.name)


@dataclass(frozen=True)  # no slots: what is read once stays
class _Past:
    """Two states of a benchmark's folder, of which the later one may not be there."""

    was: Path
    now: Path
    published: Sequence[Published]
    new: Sequence[Path]
    """The folders of the submissions that the earlier state does not have."""

    def problems(self) -> Iterator[Problem]:
        """Say what is gone or different."""
        if not (self.now / DEFINITION).exists():
            if self.published:
                submissions = counted(len(self.published), "submission")
                what = f"the benchmark {self.was.name} is gone, and {submissions} with it"
                fix = "put it back as it was, or name both names in `[[renamed]]` of its benchmark.toml"
                yield HISTORY_DELETED.broken(self.now, None, what, fix)
            return
        for match in self.published:
            if match.now:
                yield from self._edited(match.was, match.now)
            else:
                yield self._deleted(match.was)
        if self.published:
            tracks = {str(self._manifests[match.was].get("track")) for match in self.published}
            yield from _definition_problems(self.was, self.now, tracks)
        yield from _finding_problems(self.was / FINDINGS, self.now / FINDINGS)

    def _deleted(self, folder: Path) -> Problem:
        """Say that a submission is gone, or which new one has its rounds now."""
        agent, path = self._agent(folder), self.now / SUBMISSIONS / folder.name
        what, fix = f"the submission {folder.name} of {agent} is gone", None
        same = [
            each.name
            for each in self.new
            if (_rounds_of(each), self._agent(each)) == (_rounds_of(folder), agent)
        ]
        if same:
            what = f"{what}; {same[0]} holds the same rounds"
            fix = "give the folder its name back, or name both addresses in `[[renamed]]` of benchmark.toml"
        return HISTORY_DELETED.broken(path, None, what, fix)

    def _edited(self, was: Path, now: Path) -> Iterator[Problem]:
        """Say which redactions of a submission are new, and which of its files differ but by them, each once."""
        agent, redactions = (
            self._agent(was),
            [each for each in self._findings if each.redacts(now.name)],
        )
        earlier = _findings_in(self.was) if redactions else ()
        for each in redactions:
            if each not in earlier:  # it excuses what is gone, and anybody can write one
                left = f"texts of {', '.join(each.tasks)}" if each.tasks else "all content"
                what = f"a new record takes {left} out of {now.name}, which is published"
                said = f"{shown(each.by)} decided it, it says: {shown(each.reason)}"
                yield HISTORY_REDACTED.broken(now, None, f"{what}; {said}")
        for name, before, after in side_by_side(bundle_files(was), bundle_files(now)):
            if name == CHECKSUMS and before and after:
                continue
            if before and redactions and is_as_redacted(before, after, redactions):
                continue
            if not before or not after:
                what = f"{agent}: {name} is {'gone' if before else 'new'}"
                yield HISTORY_EDITED.broken(now / name, None, what)
            elif content_of(before) != content_of(after) and before.name == MANIFEST:
                yield from _manifest_problems(agent, before, after)
            elif content_of(before) != content_of(after):
                edit = lines_edit(
                    *(read_bytes(path)[0] or content_of(path) for path in (before, after))
                )
                yield HISTORY_EDITED.broken(after, edit.line, f"{agent}: {edit.what}")

    def _agent(self, folder: Path) -> str:
        """Return the one name of a submission's agent, as it was published."""
        return agent_name(self._manifests[folder], self._definition)

    @cached_property
    def _manifests(self) -> Mapping[Path, Document]:
        folders = [*(match.was for match in self.published), *self.new]
        return {folder: read_document(folder / MANIFEST) or {} for folder in folders}

    @cached_property
    def _definition(self) -> Document | None:
        return read_document(self.was / DEFINITION)

    @cached_property
    def _findings(self) -> Sequence[Finding]:
        return _findings_in(self.now)


def _findings_in(folder: Path) -> Sequence[Finding]:
    found = read_toml(folder / FINDINGS, Findings).record
    return found.findings if found else ()


def _rounds_of(folder: Path) -> bytes | None:
    path = folder / ROUNDS
    return content_of(path) if path.is_file() else None


def _manifest_problems(agent: str, was: Path, now: Path) -> Iterator[Problem]:
    """Say what differs in a manifest beside its status, and where the status goes back."""
    before, after = read_document(was), read_document(now)
    if before is None or after is None:
        yield HISTORY_EDITED.broken(now, None, f"{agent}: {now.name} differs, and can't be read")
        return
    text, _ = read_text(now)
    old, new = (
        {key: value for key, value in each.items() if key != "status"} for each in (before, after)
    )
    edits = list(document_edits(old, new, text or ""))
    if edits:
        told = "; ".join(edit.what for edit in edits)
        yield HISTORY_EDITED.broken(now, edits[0].line, f"{agent}: {told}")
    then, since = _state(before), _state(after)
    if STATUS_RANK.get(since, 0) < STATUS_RANK.get(then, 0):
        (edit,) = document_edits(
            {"status": {"state": then}}, {"status": {"state": since}}, text or ""
        )
        yield HISTORY_STATUS.broken(now, edit.line, f"{agent}: {then} before, and {since} now")


def _state(document: Document) -> str:
    status = document.get("status")
    return str(status.get("state", "published")) if isinstance(status, Mapping) else "published"


def _definition_problems(was: Path, now: Path, entered: Collection[str]) -> Iterator[Problem]:
    """Say which conditions and tasks differ of the tracks of a benchmark's folder that had submissions."""
    before, after = (
        {str(each.get("id")): each for each in _tables(folder / DEFINITION, "tracks")}
        for folder in (was, now)
    )
    tracks = [name for name in before if name in entered]
    for name in filter(after.__contains__, tracks):
        old, new = (
            {key: each[key] for key in _CONDITIONS if key in each}
            for each in (before[name], after[name])
        )
        edits = [edit.what for edit in document_edits(old, new, "")]
        if edits:
            text, _ = read_text(now / DEFINITION)
            line = Places(text or "").line_of(("tracks", list(after).index(name)))
            what = f"track {shown(name)} has submissions: {'; '.join(edits)}"
            yield HISTORY_TRACK.broken(now / DEFINITION, line, what)
    for task_set in dict.fromkeys(str(before[name].get("tasks")) for name in tracks):
        path = Path(TASKS) / f"{task_set}.jsonl"
        found = list(_task_edits(_tasks(was / path), _tasks(now / path)))
        if found:
            told = listed((edit.what for edit in found), _NAMED, more=MORE, separator="; ")
            yield HISTORY_TASKS.broken(now / path, found[0].line, told)


def _tables(path: Path, key: str) -> list[Document]:
    found = (read_document(path) or {}).get(key)
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []


_Numbered = tuple[int, Document]
"""A task with its line."""


def _tasks(path: Path) -> dict[str, _Numbered]:
    """The tasks of a set by their ids; lines that hold none are told elsewhere."""
    try:
        content = packed_bytes(path)
    except ProblemsError:
        return {}
    return {shown(task.get("id")): (line, task) for line, _, task in json_lines(content) if task}


def _task_edits(was: Mapping[str, _Numbered], now: Mapping[str, _Numbered]) -> Iterator[Edit]:
    """Tell which tasks of a set are gone, new or different; of each the first difference that scores may depend on."""
    for name, before, after in side_by_side(was, now):
        if after is None:
            yield Edit(f"task {name} is gone")
        elif before is None:
            yield Edit(f"task {name} is new", after[0])
        else:
            then = _scored(before[1])
            for place, old, new in differing(then, _scored(after[1])):
                # What was not there before changes scores where it is a weight, a round, or a case more of a round.
                is_case = place[-1] == "id" and any(known[:3] == place[:3] for known in then)
                if place in then or is_case or place[-1] in {"weight", "n"}:
                    yield Edit(
                        f"`{dotted(place)}` of task {name} {shown(old)} → {shown(new)}", after[0]
                    )
                    break


def _scored(task: Document) -> dict[Location, object]:
    """What stands at each place of a task, without the words that no score depends on."""
    return {place: value for place, value in leaves(task) if place[-1] not in _WORDS}


def _finding_problems(was: Path, now: Path) -> Iterator[Problem]:
    """Say which findings are gone or differ; a waiver may go, or end sooner."""
    if now.is_file() and read_document(now) is None:
        return  # that it can't be read is told, and keeps everything from being published
    text, _ = read_text(now)
    new, places = _tables(now, "findings"), Places(text or "")
    for finding in _tables(was, "findings"):
        same = [
            n
            for n, each in enumerate(new)
            if all(finding.get(key) == each.get(key) for key in _NAMES)
        ]
        is_ended = finding.get("kind") == "waiver" and (
            not same or any(_ends_sooner(finding, new[n]) for n in same)
        )
        is_linked = any(_only_names_its_correction(finding, new[n]) for n in same)
        if finding in new or is_ended or is_linked:
            continue
        fact, line = "is gone", None
        if same:
            turns = "; ".join(edit.what for edit in document_edits(finding, new[same[0]], ""))
            fact, line = f"differs: {turns}", places.line_of(("findings", same[0]))
        yield HISTORY_FINDING.broken(
            now, line, f"the finding “{shown(finding.get('title'))}” {fact}"
        )


_NAMES = ("date", "kind", "title")
"""The keys that make a finding the same one."""


def _only_names_its_correction(finding: Document, later: Document) -> bool:
    """Return whether a finding only gained the name of an earlier finding that it corrects."""
    return "corrects" not in finding and finding == {
        key: value for key, value in later.items() if key != "corrects"
    }


def _ends_sooner(waiver: Document, later: Document) -> bool:
    until = later.get("until")
    is_same = {**waiver, "until": until} == later
    return is_same and until is not None and str(until) <= str(waiver.get("until", until))


def _release_problems(was: Path, now: Path) -> Iterator[Problem]:
    """Say that a release is gone, or what it says otherwise than when it was locked."""
    if not now.is_file() or now.is_symlink():
        yield HISTORY_RELEASE.broken(now, None, f"the release {was.stem} is gone")
        return
    if content_of(was) == content_of(now):
        return
    (text, _), after, edits = read_text(now), read_document(now), [Edit("it can't be read")]
    if after is not None:
        edits = list(document_edits(read_document(was) or {}, after, text or ""))
    if edits:
        told = listed((edit.what for edit in edits), _NAMED, more=MORE, separator="; ")
        yield HISTORY_RELEASE.broken(now, edits[0].line, f"the release {was.stem} differs: {told}")
