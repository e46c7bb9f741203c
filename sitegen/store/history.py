"""What became of published results from one state of a results folder to the next.

They may be added, superseded or withdrawn, never edited or deleted. Files are compared by what they hold, so that
nothing escapes that a later state can't read any more.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sitegen.models.benchmark import Benchmark
from sitegen.models.finding import Finding, Findings
from sitegen.problems import Problem, counted
from sitegen.reading.files import read_bytes, read_text
from sitegen.reading.toml import read_toml
from sitegen.store import history_rules as rules
from sitegen.store.edits import Document, content_of, document_edits, lines_edit, read_document, shown
from sitegen.store.findings import is_as_redacted
from sitegen.store.layout import CHECKSUMS, DEFINITION, FINDINGS, MANIFEST, RELEASES, ROUNDS, SUBMISSIONS
from sitegen.store.standing import definition_problems, finding_problems, release_problems

_RANK = {"published": 0, "superseded": 1, "withdrawn": 2}
"""How far a status has gone: it never goes back."""


def history_problems(base: Path, head: Path) -> Iterator[Problem]:
    """Say what published results lost or had changed since an earlier state.

    Args:
        base: The earlier results folder.
        head: The later one, in which the problems are told.
    """
    for definition in sorted(base.glob(f"*/{DEFINITION}")):
        was = definition.parent
        yield from _Past(was, head / _name_now(was.name, head)).problems()
    for release in sorted((base / RELEASES).glob("*.toml")):
        yield from release_problems(release, head / RELEASES / release.name)


def _name_now(name: str, head: Path) -> str:
    """Give the name that a benchmark has now, which its definition may tell to be another one."""
    if (head / name / DEFINITION).exists():
        return name
    for path in sorted(head.glob(f"*/{DEFINITION}")):
        benchmark = read_toml(path, Benchmark).record
        if benchmark and name in {each.old for each in benchmark.renamed if each.new == path.parent.name}:
            return path.parent.name
    return name


@dataclass(frozen=True)  # no slots: what is read once stays
class _Past:
    """Two states of a benchmark's folder.

    Attributes:
        was: The earlier one.
        now: The later one, which may not be there.
    """

    was: Path
    now: Path

    def problems(self) -> Iterator[Problem]:
        """Say what is gone or different."""
        published = _bundles(self.was)
        if not (self.now / DEFINITION).exists():
            if published:
                told = counted(len(published), "submission")
                what = f"the benchmark {self.was.name} is gone, and {told} with it"
                fix = "put it back as it was, or name both names in `[[renamed]]` of its benchmark.toml"
                yield rules.HISTORY_DELETED.broken(self.now, None, what, fix)
            return
        standing = _bundles(self.now)
        for name, folder in published.items():
            here = standing.get(name) or standing.get(self._new_name(folder))
            if here:
                yield from self._redacted(here)
                yield from self._edited(folder, here)
            else:
                yield self._deleted(folder, standing, published)
        if published:
            tracks = {_track(read_document(folder / MANIFEST)) for folder in published.values()}
            yield from definition_problems(self.was, self.now, tracks)
        yield from finding_problems(self.was / FINDINGS, self.now / FINDINGS)

    def _deleted(self, folder: Path, standing: Mapping[str, Path], published: Mapping[str, Path]) -> Problem:
        """Say that a submission is gone, or where its rounds are now."""
        content = _rounds_of(folder)
        new = [each for name, each in standing.items() if name not in published]
        agent, path = self._agent(folder), self.now / SUBMISSIONS / folder.name
        heirs = [each.name for each in new if (_rounds_of(each), self._agent(each)) == (content, agent)]
        what = f"the submission {folder.name} of {agent} is gone"
        if not heirs:
            return rules.HISTORY_DELETED.broken(path, None, what)
        fix = "give the folder its name back, or name both addresses in `[[renamed]]` of benchmark.toml"
        return rules.HISTORY_DELETED.broken(path, None, f"{what}; {heirs[0]} holds the same rounds", fix)

    def _new_name(self, folder: Path) -> str:
        """Give the name that a submission has now, as the definition tells it; empty where it tells nothing."""
        definition = read_toml(self.now / DEFINITION, Benchmark).record
        inside = f"{_track(read_document(folder / MANIFEST))}/{folder.name}"
        old = {f"{home}/{inside}" for home in (self.was.name, self.now.name)}
        found = (each.new for each in definition.renamed if each.old in old) if definition else iter(())
        return next(found, "").rpartition("/")[2]

    def _redacted(self, now: Path) -> Iterator[Problem]:
        """Say which redactions of a submission are new: they excuse what is gone, and anybody can write one."""
        redactions = [each for each in self._findings if each.redacts(now.name)]
        earlier = _findings_in(self.was) if redactions else ()
        for each in redactions:
            if each not in earlier:
                left = f"texts of {', '.join(each.tasks)}" if each.tasks else "all content"
                what = f"a new record takes {left} out of {now.name}, which is published"
                said = f"{shown(each.by)} decided it, it says: {shown(each.reason)}"
                yield rules.HISTORY_REDACTED.broken(now, None, f"{what}; {said}")

    def _edited(self, was: Path, now: Path) -> Iterator[Problem]:
        """Say which files of a submission differ, each once."""
        before, after = _files(was), _files(now)
        agent = self._agent(was)
        redactions = [each for each in self._findings if each.redacts(now.name)]
        for name in dict.fromkeys((*before, *after)):
            if name == CHECKSUMS and name in before and name in after:
                continue
            if redactions and name in before and is_as_redacted(before[name], after.get(name), redactions):
                continue
            if name not in after:
                yield rules.HISTORY_EDITED.broken(now / name, None, f"{agent}: {name} is gone")
            elif name not in before:
                yield rules.HISTORY_EDITED.broken(now / name, None, f"{agent}: {name} is new")
            elif content_of(before[name]) != content_of(after[name]):
                yield from _differing(agent, before[name], after[name])

    def _agent(self, folder: Path) -> str:
        """Give the one name of a submission's agent, as it was published."""
        agent = (read_document(folder / MANIFEST) or {}).get("agent")
        name = agent.get("name") if isinstance(agent, Mapping) else None
        return shown(self._aliases.get(str(name), name)) if name else "an agent without a name"

    @cached_property
    def _findings(self) -> Sequence[Finding]:
        return _findings_in(self.now)

    @cached_property
    def _aliases(self) -> Mapping[str, object]:
        found = (read_document(self.was / DEFINITION) or {}).get("aliases")
        return found if isinstance(found, Mapping) else {}


def _findings_in(folder: Path) -> Sequence[Finding]:
    found = read_toml(folder / FINDINGS, Findings).record
    return found.findings if found else ()


def _rounds_of(folder: Path) -> bytes | None:
    path = folder / ROUNDS
    return content_of(path) if path.is_file() else None


def _differing(agent: str, was: Path, now: Path) -> Iterator[Problem]:
    """Say what differs in a file that both states have."""
    if was.name == MANIFEST:
        yield from _manifest_problems(agent, was, now)
        return
    before, after = (read_bytes(path)[0] or content_of(path) for path in (was, now))
    edit = lines_edit(before, after)
    yield rules.HISTORY_EDITED.broken(now, edit.line, f"{agent}: {edit.what}")


def _manifest_problems(agent: str, was: Path, now: Path) -> Iterator[Problem]:
    """Say what differs in a manifest beside its status, and where the status goes back."""
    before, after = read_document(was), read_document(now)
    if before is None or after is None:
        yield rules.HISTORY_EDITED.broken(now, None, f"{agent}: {now.name} differs, and can't be read")
        return
    text, _ = read_text(now)
    edits = list(document_edits(_without_status(before), _without_status(after), text or ""))
    if edits:
        told = "; ".join(edit.what for edit in edits)
        yield rules.HISTORY_EDITED.broken(now, edits[0].line, f"{agent}: {told}")
    old, new = _state(before), _state(after)
    if _RANK.get(new, 0) < _RANK.get(old, 0):
        (edit,) = document_edits({"status": {"state": old}}, {"status": {"state": new}}, text or "")
        yield rules.HISTORY_STATUS.broken(now, edit.line, f"{agent}: {old} before, and {new} now")


def _without_status(document: Document) -> Document:
    return {key: value for key, value in document.items() if key != "status"}


def _state(document: Document) -> str:
    status = document.get("status")
    return str(status.get("state", "published")) if isinstance(status, Mapping) else "published"


def _track(document: Document | None) -> str:
    return str((document or {}).get("track"))


def _bundles(folder: Path) -> dict[str, Path]:
    """Give a benchmark's bundles by their names."""
    children = sorted((folder / SUBMISSIONS).glob("*"))
    return {path.name: path for path in children if path.is_dir() and not path.name.startswith(".")}


def _files(folder: Path) -> dict[str, Path]:
    paths = (path for path in sorted(folder.rglob("*")) if path.is_symlink() or path.is_file())
    return {path.relative_to(folder).as_posix(): path for path in paths}
