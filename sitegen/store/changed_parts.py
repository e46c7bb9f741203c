"""Reads every path and key that differs between two states of a results folder, each with its kind.

Takes an earlier state and a later one; gives an `ownership.Request`. Begin with `read_request`.

Nothing in the later state excuses it: its renamings, aliases, findings and journals are changes like
others, and names of agents are read as the earlier state spells them.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path, PurePosixPath

from sitegen.board.differences import differing, dotted, leaves, side_by_side
from sitegen.metrics.catalogue import METRICS
from sitegen.reading.files import read_text
from sitegen.reading.shape import Location
from sitegen.reading.toml import Places
from sitegen.store.edits import Document, content_of, json_lines, read_document, shown
from sitegen.store.layout import (
    ARRIVALS,
    CHECKS,
    CHECKSUMS,
    DEFINITION,
    FINDINGS,
    MANIFEST,
    REGISTRATIONS,
    RELEASES,
    REPORTED,
    SUBMISSIONS,
    TASKS,
)
from sitegen.store.matching import (
    Matches,
    Published,
    bundle_files,
    has_same_bytes,
    match_submissions,
    without_status,
)
from sitegen.store.ownership import (
    HISTORY_RERUN,
    HISTORY_RIVAL,
    STATUS_RANK,
    Change,
    ChangeKind,
    Request,
)

_BEGUN_KEYS = ("protocol", "attempts", "reference_rounds", "tasks", "headline", "columns")
"""What the first submission to a track that has no task set yet may say of the track."""

_ADDRESSES = frozenset({"renamed", "redirects"})
"""Keys of a definition that lead readers from any address of the site to another."""

_WORDS = frozenset({"title", "summary", "homepage", "paper", "license", "group", "issues"})
"""Keys of a definition that change no row."""

_MAINTAINED_KINDS = frozenset({"waiver", "reproduction", "redaction"})
"""Findings that only maintainers make."""

_LISTED = 3
"""Keys of tasks that are changes of their own; of more it is said how many there are."""

_KEEPER = ".gitkeep"


def read_request(base: Path, head: Path) -> Request:
    """Return what changes from one state of a results folder to a later one."""
    matches = match_submissions(base, head)
    changes: list[Change] = list(_root_changes(base, head))
    for name in dict.fromkeys(
        (*matches.benchmarks, *map(_benchmark_of, matches.new), *_folders(head))
    ):
        if name in matches.benchmarks.values() and name not in matches.benchmarks:
            continue  # the later name of a benchmark that was renamed
        changes += _BenchmarkChanges(
            base / name, head / matches.benchmarks.get(name, name), matches
        ).all()
    return Request(head, matches, tuple(changes))


def _benchmark_of(name: str) -> str:
    return name.partition("/")[0]


def _folders(head: Path) -> list[str]:
    """Return the names of the folders of a results folder that may hold a benchmark."""
    children = (path for path in sorted(head.glob("*")) if path.is_dir() and path.name != RELEASES)
    return [path.name for path in children if not path.name.startswith(".")]


def _root_changes(base: Path, head: Path) -> Iterator[Change]:
    """Yield what differs beside the benchmarks: the order of arrival, releases, and other files."""
    states = []
    for state in (base, head):
        files = {
            path.name: path
            for path in sorted(state.glob("*"))
            if path.is_file() or path.is_symlink()
        }
        files |= {f"{RELEASES}/{path.name}": path for path in sorted((state / RELEASES).glob("*"))}
        states.append({name: path for name, path in files.items() if not name.startswith(".")})
    for name, was, now in _differing_files(*states):
        kind = ChangeKind.RELEASE if name.startswith(f"{RELEASES}/") else ChangeKind.OTHER_FILE
        kind = ChangeKind.JOURNAL if name == ARRIVALS else kind
        yield Change(kind, head / name, None, f"{name} {_became(was, now)}")


def _differing_files(
    before: Mapping[str, Path], after: Mapping[str, Path]
) -> Iterator[tuple[str, Path | None, Path | None]]:
    """Yield the files that two states do not share, by name; one that keeps an empty folder is none."""
    for name, was, now in side_by_side(before, after):
        if PurePosixPath(name).name == _KEEPER:
            continue
        if was is None or now is None or not has_same_bytes(was, now):
            yield name, was, now


def _became(was: Path | None, now: Path | None) -> str:
    if was is None:
        return "is new"
    return "differs" if now else "is gone"


def _tables(document: Document | None, key: str) -> list[Document]:
    """Return the tables of a list in a document; what is no table is left out."""
    found = (document or {}).get(key)
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []


def _texts(document: Document, key: str) -> list[str]:
    """Return the texts of a list in a table."""
    found = document.get(key)
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def _table(document: Document, key: str) -> Document:
    """Return a table in a document; an empty one where there is none."""
    found = document.get(key)
    return found if isinstance(found, Mapping) else {}


def _status(manifest: Document) -> Document:
    """Return the status of a manifest, with its state."""
    status = _table(manifest, "status")
    return {**status, "state": str(status.get("state", "published"))}


@dataclass(frozen=True)  # no slots: what is read once is kept
class _BenchmarkChanges:
    """What differs in a benchmark's folder; one of the two states may not have it."""

    was: Path
    now: Path
    matches: Matches

    def all(self) -> Iterator[Change]:
        """Yield every change of the benchmark."""
        if self.was.exists() and not self.now.exists():
            published = [match.name for match in self.matches.published_in(self.was.name)]
            kind = ChangeKind.CONTENT if published else ChangeKind.DEFINITION
            yield Change(
                kind, self.now, None, f"the benchmark {self.was.name} is gone", frozenset(published)
            )
            return
        for folder in self._new:
            yield Change(
                ChangeKind.NEW_SUBMISSION, folder, None, f"{self._row(folder.name)} is new"
            )
        for match in self.matches.published_in(self.was.name):
            yield from self._published_changes(match)
        for name, was, now in _differing_files(_files_beside(self.was), _files_beside(self.now)):
            yield from self._file_changes(name, was, now)

    def _file_changes(self, name: str, was: Path | None, now: Path | None) -> Iterator[Change]:
        """Yield what differs in a file that lies in no submission."""
        path, place = self.now / name, PurePosixPath(name)
        change = partial(Change, path=path, line=None, what=f"{name} {_became(was, now)}")
        if name == DEFINITION:
            yield from self._definition_changes()
        elif name == FINDINGS:
            yield from self._finding_changes()
        elif name == REGISTRATIONS:
            yield change(ChangeKind.REGISTRATION)
        elif name == CHECKS:
            yield change(ChangeKind.JOURNAL, touches=self._checked(was, now))
        elif place.parts[0] == TASKS and len(place.parts) > 1:
            yield from self._task_changes(place.stem, was, now)
        elif place.parts[0] == REPORTED and len(place.parts) > 1:
            tracks = {str((read_document(each) or {}).get("track")) for each in (was, now) if each}
            is_own = was is None and tracks <= self._begun
            kind = ChangeKind.NEW_TRACK if is_own else ChangeKind.TABLE
            yield change(kind, touches=frozenset() if is_own else self._rows_on(tracks))
        else:
            yield change(ChangeKind.OTHER_FILE)

    # What is published

    def _published_changes(self, match: Published) -> Iterator[Change]:
        """Yield what became of a published submission."""
        row = frozenset({match.name})
        agent, folder = self._agent(match.was), match.now
        if folder is None:
            path = self.now / SUBMISSIONS / match.was.name
            yield Change(
                ChangeKind.CONTENT,
                path,
                None,
                f"the submission {match.was.name} of {agent} is gone",
                row,
            )
            return
        files = _differing_files(bundle_files(match.was), bundle_files(folder))
        names = [name for name, _, _ in files]
        if folder.name != match.was.name:
            what = f"{match.was.name} of {agent} is called {folder.name}"
            yield Change(ChangeKind.DEFINITION, folder, None, what, row)
        for name in names:
            if name not in {MANIFEST, CHECKSUMS}:
                yield Change(
                    ChangeKind.CONTENT, folder / name, None, f"{agent}: {name} differs", row
                )
        if MANIFEST in names:
            yield self._manifest_change(match, folder, row)
        elif names == [CHECKSUMS]:
            yield Change(
                ChangeKind.STATUS, folder / CHECKSUMS, None, f"{agent}: {CHECKSUMS} differs"
            )

    def _manifest_change(self, match: Published, folder: Path, row: frozenset[str]) -> Change:
        """Return what differs in the manifest of a published submission."""
        path, agent = folder / MANIFEST, self._agent(match.was)
        before, after = self._manifest(match.was), self._manifest(folder)
        then, since = _status(before), _status(after)
        goes_back = STATUS_RANK.get(str(since["state"]), 0) < STATUS_RANK.get(str(then["state"]), 0)
        if without_status(before) != without_status(after) or goes_back:
            return Change(ChangeKind.CONTENT, path, None, f"{agent}: {MANIFEST} differs", row)
        if then == since:
            return Change(ChangeKind.STATUS, path, None, f"{agent}: comments of {MANIFEST} differ")
        is_own = any(self._is_successor(match.was, since, new) for new in self._new)
        kind = ChangeKind.OWN_STATUS if is_own else ChangeKind.STATUS
        what = f"{agent}: {then['state']} before, and {since['state']} now"
        if then["state"] == since["state"]:
            keys = [key for key, _, _ in differing(then, since)]
            turns = [
                f"`status.{key}` {shown(then.get(key))} → {shown(since.get(key))}" for key in keys
            ]
            what = f"{agent}: {'; '.join(turns)}"
        text, _ = read_text(path)
        return Change(kind, path, Places(text or "").line_of(("status", "state")), what, row)

    def _is_successor(self, published: Path, status: Document, new: Path) -> bool:
        """Return whether a new submission repeats who made and sent in a published one.

        Both have to name the same agent, as the earlier state spells it, the same organization and the
        same submitter. If the published one is superseded now, the new one is what supersedes it.
        """
        if status.get("state") == "superseded" and status.get("by") != new.name:
            return False
        return self._identity(published) == self._identity(new)

    def _identity(self, folder: Path) -> tuple[object, ...]:
        """Return the names that a submission gives of its agent and of whoever sent it in."""
        manifest = self._manifest(folder)
        agent, submitter = _table(manifest, "agent"), _table(manifest, "submitter")
        aliases = _table(self._definitions[0] or {}, "aliases")
        name = str(agent.get("name", ""))
        sender = (submitter.get("name"), submitter.get("organization"))
        return (aliases.get(name, name), agent.get("organization"), *sender)

    # What stands beside submissions

    def _definition_changes(self) -> Iterator[Change]:
        """Yield the keys of the definition that differ."""
        path = self.now / DEFINITION
        before, after = self._definitions
        if before is None and self._is_new:
            yield Change(ChangeKind.NEW_TRACK, path, None, f"the benchmark {self.now.name} is new")
        if after is None or (before is None and not self._is_new):
            became = (
                "is gone" if not path.exists() else "is new" if before is None else "can't be read"
            )
            yield Change(
                ChangeKind.DEFINITION, path, None, f"{DEFINITION} {became}", self._all_rows
            )
            return
        text, _ = read_text(path)
        places = Places(text or "")
        for track in sorted(self._begun if before is not None else ()):
            position = [str(each.get("id")) for each in _tables(after, "tracks")].index(track)
            line = places.line_of(("tracks", position))
            yield Change(ChangeKind.NEW_TRACK, path, line, f"the track {shown(track)} begins")
        earlier = before or {key: value for key, value in after.items() if key not in _ADDRESSES}
        foreign = self._without_begun(before, after) if before is not None else after
        has_foreign = False
        known = {str(each.get("id")) for each in _tables(earlier, "tracks")}
        tracks = _tables(foreign, "tracks")
        while len(tracks) > len(known) and str(tracks[-1].get("id")) not in known:
            line, what = (
                places.line_of(("tracks", len(tracks) - 1)),
                f"the track {shown(tracks.pop().get('id'))} is new",
            )
            yield Change(ChangeKind.DEFINITION, path, line, what)
            foreign, has_foreign = {**foreign, "tracks": tracks}, True
        for place, old, new in differing(dict(leaves(earlier)), dict(leaves(foreign))):
            has_foreign = True
            line = places.line_of(place)
            what = f"{self._key_name(place)} {shown(old)} → {shown(new)}"
            yield Change(ChangeKind.DEFINITION, path, line, what, self._rows_under(place))
        if not has_foreign and before == after:
            yield Change(ChangeKind.DEFINITION, path, None, f"comments of {DEFINITION} differ")

    def _key_name(self, place: Location) -> str:
        """Return what a key of the definition is called: `headline` of track chain, or `axes.kind.weights`."""
        if place[0] == "tracks" and place[2:] and isinstance(place[1], int):
            for definition in self._definitions:
                tracks = _tables(definition, "tracks")
                if place[1] < len(tracks):
                    return f"`{dotted(place[2:])}` of track {shown(tracks[place[1]].get('id'))}"
        return f"`{dotted(place)}`"

    def _without_begun(self, before: Document, after: Document) -> Document:
        """Return a definition without what the request's own submissions begin in it."""
        begun = self._begun
        if not begun:
            return after
        kept = dict(after)
        kept["tracks"] = self._without_begun_tracks(
            _tables(before, "tracks"), _tables(after, "tracks")
        )
        if "axes" in after:
            standing = {str(track.get("id")) for track in _tables(before, "tracks")} - set(begun)
            axes = _table(before, "axes"), _table(after, "axes")
            kept["axes"] = _without_begun_axes(*axes, may_cluster=not standing)
            if not kept["axes"] and "axes" not in before:
                del kept["axes"]
        metrics, known_metrics = _tables(after, "metrics"), _tables(before, "metrics")
        used = set(METRICS) | {str(each.get("id")) for each in known_metrics}
        for track in _tables(before, "tracks"):
            used |= {str(track.get("headline")), *_texts(track, "columns")}
        fresh = metrics[len(known_metrics) :]
        if fresh and used.isdisjoint(str(each.get("id")) for each in fresh):
            kept["metrics"] = metrics[: len(known_metrics)]
            if not kept["metrics"]:
                del kept["metrics"]
        return kept

    def _without_begun_tracks(
        self, before: Sequence[Document], after: Sequence[Document]
    ) -> list[Document]:
        """Return tracks without those that the request begins, and as they were where it only fills them in."""
        ids = {str(each.get("id")) for each in before}
        kept: list[Document] = []
        for position, track in enumerate(after):
            name = str(track.get("id"))
            if name not in self._begun:
                kept.append(track)
            elif position < len(before) and name == before[position].get("id"):
                same = {key: value for key, value in track.items() if key not in _BEGUN_KEYS}
                kept.append(
                    {
                        **same,
                        **{
                            key: before[position][key]
                            for key in _BEGUN_KEYS
                            if key in before[position]
                        },
                    }
                )
            elif name in ids or position < len(before):
                kept.append(track)
        return kept

    def _task_changes(self, task_set: str, was: Path | None, now: Path | None) -> Iterator[Change]:
        """Yield the tasks of a set that differ."""
        before, after = self._definitions
        users = {
            str(each.get("id"))
            for each in _tables(after, "tracks")
            if each.get("tasks") == task_set
        }
        path = self.now / TASKS / f"{task_set}.jsonl"
        if was is None and users and users <= self._begun:
            yield Change(ChangeKind.NEW_TRACK, path, None, f"the task set {task_set} is new")
            return
        tracks = [
            str(each.get("id"))
            for each in _tables(before, "tracks")
            if each.get("tasks") == task_set
        ]
        rows = self._rows_on(tracks)
        if was is None or now is None:
            yield Change(
                ChangeKind.TASKS, path, None, f"the task set {task_set} {_became(was, now)}", rows
            )
            return
        edits = list(_task_edits(_tasks_of(was), _tasks_of(now)))
        for line, what in edits[:_LISTED]:
            yield Change(ChangeKind.TASKS, path, line, what, rows)
        if len(edits) > _LISTED or not edits:
            more = (
                f"{len(edits) - _LISTED} more keys of tasks differ"
                if edits
                else "tasks are written in another way"
            )
            yield Change(ChangeKind.TASKS, path, None, more, rows)

    def _finding_changes(self) -> Iterator[Change]:
        """Yield the findings that are new or gone."""
        path = self.now / FINDINGS
        before, after = read_document(self.was / FINDINGS), read_document(path)
        if path.exists() and after is None:
            yield Change(
                ChangeKind.FINDING, path, None, f"{FINDINGS} can't be read", self._all_rows
            )
            return
        text, _ = read_text(path) if path.exists() else ("", [])
        places = Places(text or "")
        earlier, later = _tables(before, "findings"), _tables(after, "findings")
        for position, finding in enumerate(later):
            if finding not in earlier:
                line = places.line_of(("findings", position))
                yield self._new_finding(finding, path, line)
        for finding in earlier:
            if finding not in later:
                what = f"the finding “{shown(finding.get('title'))}” is gone or differs"
                yield Change(ChangeKind.FINDING, path, None, what, self._concerned(finding))
        if before is not None and earlier == later:
            yield Change(ChangeKind.FINDING, path, None, f"comments of {FINDINGS} differ")

    def _new_finding(self, finding: Document, path: Path, line: int | None) -> Change:
        """Return the change that a new finding is."""
        title, named = (
            f"the finding “{shown(finding.get('title'))}”",
            _texts(finding, "submissions"),
        )
        rows = self._concerned(finding)
        new = [folder.name for folder in self._new]
        if new and self._is_own_finding(finding):
            return Change(ChangeKind.OWN_NOTE, path, line, f"{title} is new")
        added = partial(Change, ChangeKind.FINDING, path, line)
        own = [name for name in new if name in named]
        if finding.get("kind") == "reproduction" and own:
            return added(f"{title} comes with {own[0]}, which it bears out", rows, HISTORY_RERUN)
        is_effective = (
            finding.get("effect", "note") != "note"
            and str(finding.get("kind")) not in _MAINTAINED_KINDS
        )
        if new and is_effective and rows:
            return added(
                f"{title} comes with {new[0]}, and takes from other submissions",
                rows,
                HISTORY_RIVAL,
            )
        by = f", signed {shown(finding['by'])}" if "by" in finding else ""
        return added(
            f"{title} is new: {shown(finding.get('kind'))}, {shown(finding.get('effect', 'note'))}{by}",
            rows,
        )

    def _is_own_finding(self, finding: Document) -> bool:
        """Return whether a finding is about the request's own submissions, and nobody signs it."""
        if str(finding.get("kind")) in _MAINTAINED_KINDS or "by" in finding:
            return False
        named, tracks = _texts(finding, "submissions"), _texts(finding, "tracks")
        new = {folder.name for folder in self._new}
        if self._is_new or (tracks and set(tracks) <= self._begun):
            return True
        return bool(named) and set(named) <= new and finding.get("effect", "note") == "note"

    # Facts about the two states

    @cached_property
    def _new(self) -> list[Path]:
        return self.matches.new_in(self.now.name)

    @cached_property
    def _is_new(self) -> bool:
        """Whether the request's own submissions begin the benchmark."""
        return bool(self._new) and not self.was.exists()

    @cached_property
    def _definitions(self) -> tuple[Document | None, Document | None]:
        before, after = (
            read_document(folder / DEFINITION) if (folder / DEFINITION).exists() else None
            for folder in (self.was, self.now)
        )
        return before, after

    @cached_property
    def _begun(self) -> frozenset[str]:
        """The tracks that the request begins: new ones, and those without tasks or rows that it fills in."""
        before, after = self._definitions
        entered = {str(self._manifest(folder).get("track")) for folder in self._new}
        known = {str(each.get("id")): each for each in _tables(before, "tracks")}
        begun = set()
        for track in _tables(after, "tracks"):
            name = str(track.get("id"))
            is_empty = name in known and "tasks" not in known[name] and not self._had_rows(name)
            if self._is_new or (name in entered and (name not in known or is_empty)):
                begun.add(name)
        return frozenset(begun)

    def _had_rows(self, track: str) -> bool:
        """Return whether a track of the earlier state has submissions, in whatever state, or tables."""
        return any(on == track for on, _ in self._earlier_rows)

    @cached_property
    def _earlier_rows(self) -> list[tuple[str, str]]:
        """The rows of the earlier state: the track and the name of each submission and table row."""
        published = self.matches.published_in(self.was.name)
        rows = [(str(self._manifest(match.was).get("track")), match.name) for match in published]
        for path in sorted((self.was / REPORTED).glob("*.toml")):
            table = read_document(path) or {}
            rows += [
                (str(table.get("track")), self._row(str(row.get("id"))))
                for row in _tables(table, "rows")
            ]
        return rows

    @cached_property
    def _all_rows(self) -> frozenset[str]:
        return frozenset(name for _, name in self._earlier_rows)

    def _rows_on(self, tracks: Collection[str]) -> frozenset[str]:
        """Return the published rows of some tracks."""
        return frozenset(name for track, name in self._earlier_rows if track in tracks)

    def _rows_under(self, place: Location) -> frozenset[str]:
        """Return the published rows that a key of the definition is about."""
        if place[-1] in _WORDS:
            return frozenset()
        if place[0] != "tracks" or len(place) == 1:
            return self._all_rows
        tracks = _tables(self._definitions[0], "tracks")
        position = place[1]
        if isinstance(position, int) and position < len(tracks):
            return self._rows_on([str(tracks[position].get("id"))])
        return frozenset()

    def _concerned(self, finding: Document) -> frozenset[str]:
        """Return the published rows that a finding is about."""
        named, tracks = _texts(finding, "submissions"), _texts(finding, "tracks")
        rows = self._rows_on(tracks) if tracks else self._all_rows
        return (
            frozenset(name for name in rows if name.partition("/")[2] in named) if named else rows
        )

    def _checked(self, was: Path | None, now: Path | None) -> frozenset[str]:
        """Return the published rows that new lines of a journal of checks name."""
        before = content_of(was) if was else b""
        after = content_of(now) if now else b""
        known = {line for _, line, _ in json_lines(before)}
        named = {
            str(record.get("submission"))
            for _, line, record in json_lines(after)
            if line not in known
        }
        return frozenset(name for name in self._all_rows if name.partition("/")[2] in named)

    def _row(self, name: str) -> str:
        """Return the name of a row in its benchmark."""
        return f"{self.was.name}/{name}"

    def _agent(self, folder: Path) -> str:
        """Return the one name of a submission's agent, by the aliases of the earlier state."""
        return agent_name(self._manifest(folder), self._definitions[0])

    @cached_property
    def _read_manifests(self) -> dict[Path, Document]:
        return {}

    def _manifest(self, folder: Path) -> Document:
        """Return a manifest; an empty one where it can't be read."""
        if folder not in self._read_manifests:
            self._read_manifests[folder] = read_document(folder / MANIFEST) or {}
        return self._read_manifests[folder]


def agent_name(manifest: Document, definition: Document | None) -> str:
    """Return the one name of a submission's agent, by the aliases of a definition, as it can be shown."""
    name = _table(manifest, "agent").get("name")
    if not name:
        return "an agent without a name"
    return shown(_table(definition or {}, "aliases").get(str(name), name))


def _without_begun_axes(
    before: Document, after: Document, *, may_cluster: bool
) -> dict[str, object]:
    """Return axes without new ones, and without values that were added to known ones.

    A new axis of clusters changes what is said of results that stand, and counts as new only where there are none.
    """
    kept: dict[str, object] = {}
    for name in after:
        axis, known = _table(after, name), _table(before, name)
        values = _texts(known, "values")
        if name not in before and axis and (may_cluster or not axis.get("cluster")):
            continue
        if values and _texts(axis, "values")[: len(values)] == values:
            axis = {**axis, "values": known["values"]}
        kept[name] = axis or after[name]
    return kept


_NumberedTasks = Mapping[str, tuple[int, Document]]
"""Tasks by their ids, each with its line."""


def _tasks_of(path: Path) -> _NumberedTasks:
    """Return the tasks of a set."""
    return {
        shown(task.get("id")): (line, task)
        for line, _, task in json_lines(content_of(path))
        if task
    }


def _task_edits(before: _NumberedTasks, after: _NumberedTasks) -> Iterator[tuple[int | None, str]]:
    """Yield each key of a task that differs, with its line."""
    for name, was, now in side_by_side(before, after):
        if was is None or now is None:
            yield (now[0] if now else None), f"task {name} is {'gone' if now is None else 'new'}"
            continue
        for place, old, new in differing(dict(leaves(was[1])), dict(leaves(now[1]))):
            yield now[0], f"`{dotted(place)}` of task {name} {shown(old)} → {shown(new)}"


def _files_beside(benchmark: Path) -> dict[str, Path]:
    """Return the files of a benchmark's folder that lie in no submission, by their names in it."""
    files: dict[str, Path] = {}
    for path in sorted(benchmark.glob("*")):
        if path.name == SUBMISSIONS and path.is_dir() and not path.is_symlink():
            inside = [each for each in path.iterdir() if not each.is_dir() or each.is_symlink()]
        elif path.is_dir() and not path.is_symlink():
            inside = [each for each in path.rglob("*") if each.is_symlink() or each.is_file()]
        else:
            inside = [path]
        for each in inside:
            if each.is_symlink() or each.is_file():
                files[each.relative_to(benchmark).as_posix()] = each
    return dict(sorted(files.items()))
