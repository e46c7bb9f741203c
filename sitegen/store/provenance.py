"""What must hold for what a manifest says of the runs: dates in order, a clean commit, the registered tasks."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date as Date  # noqa: N812 - what is called date elsewhere, too
from datetime import datetime, timedelta
from pathlib import Path

from sitegen.board.caveats import CAVEAT
from sitegen.models.submission import Provenance, Submission
from sitegen.models.task import TaskSet
from sitegen.problems import Problem, Rule, counted
from sitegen.reading.places import Location
from sitegen.reading.repeats import limited
from sitegen.reading.toml import Document
from sitegen.store import provenance_rules as rules
from sitegen.store.dates import day_of

SLACK = timedelta(days=2)
"""So far may dates be apart that were told in other time zones, one of them without its hours."""
_LAST_EXPOSED = (0, 23, 0)
"""The last version of Harbor that leaves a round's checks where the agent finds them in the next."""

_CAVEATS, _LONGEST = 20, 1000
"""So many caveats are told in full, and so many characters of each."""

_COMMIT = re.compile(r"[0-9a-fA-F]{40}|[0-9a-fA-F]{64}")
_DIRTY = re.compile(r"[-+.]dirty$")
_SHA256 = re.compile(r"(?:sha256:)?[0-9a-fA-F]{64}")
_VERSION = re.compile(r"(?<![\d.])v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?")


def provenance_problems(path: Path, manifest: Document[Submission], tasks: TaskSet | None) -> Iterator[Problem]:
    """Say what is wrong about the runs' provenance.

    Args:
        path: The manifest's file.
        manifest: The manifest. One that can't be read has worse problems.
        tasks: The tasks of its track; None where they are not known.
    """
    if manifest.record is None:
        return
    check = _Check(manifest.record, manifest.record.provenance)
    about_runs = (*check.dates(), *check.model(), *check.code(), *check.tasks(tasks), *check.conditions())
    problems = [
        rule.broken(path, manifest.places.line_of(place), what)
        for place, rule, what in (*about_runs, *check.images(), *check.transcripts())
    ]
    yield from limited(problems)
    line = manifest.places.line_of(("caveats",))
    told = (CAVEAT.broken(path, line, _cut(caveat, _LONGEST)) for caveat in manifest.record.caveats)
    yield from limited(told, _CAVEATS)


Breach = tuple[Location, Rule, str]
"""Where a rule is broken, which, and the fact."""


@dataclass(frozen=True, slots=True)
class _Check:
    """A manifest's provenance, part by part."""

    submission: Submission
    provenance: Provenance

    def dates(self) -> Iterator[Breach]:
        """Dates in order."""
        started, finished, date = self.provenance.started, self.provenance.finished, self.submission.date
        if started and finished and _is_after(started, finished):
            yield _at("started"), rules.DATES_DISORDERED, f"started on {started}, but finished on {finished}"
        begins_results = started is not None and abs(day_of(started) - date) <= timedelta(days=1)
        if finished and day_of(finished) - date > SLACK and not begins_results:
            what = f"finished on {day_of(finished)}, but the submission's date is {date}"
            yield _at("finished"), rules.FINISHED_LATE, what

    def model(self) -> Iterator[Breach]:
        """A model that was there."""
        released, finished = self.submission.agent.model_released, self.provenance.finished
        last = day_of(finished) if finished else self.submission.date
        if released and released - last > SLACK:
            what = f"the model was released on {released}, but run by {last}"
            yield ("agent", "model_released"), rules.RELEASED_LATE, what

    def code(self) -> Iterator[Breach]:
        """A commit that anyone can look up, and nothing beside it."""
        if self.provenance.dirty:
            yield _at("dirty"), rules.TREE_DIRTY, "the files differed from the commit"
        commit = self.provenance.code_commit
        if commit is None:
            return
        if _DIRTY.search(commit) and not self.provenance.dirty:
            yield _at("code_commit"), rules.TREE_DIRTY, f'the commit is "{_cut(commit)}"'
        if not _COMMIT.fullmatch(_DIRTY.sub("", commit)):
            yield _at("code_commit"), rules.COMMIT_INVALID, f'the commit is "{_cut(commit)}"'

    def tasks(self, tasks: TaskSet | None) -> Iterator[Breach]:
        """The tasks that are registered."""
        stated, registered = self.provenance.task_digest, tasks.digest if tasks else None
        if stated is None or tasks is None or registered is None or tasks.goes_by(stated):
            return
        what = f"`task_digest` is {_cut(stated)}, but {tasks.id} has {_cut(registered)}"
        yield _at("task_digest"), rules.TASKS_DIFFER, what

    def conditions(self) -> Iterator[Breach]:
        """The benchmark's own limits, and checks out of the agent's sight."""
        overrides = self.provenance.overrides
        if overrides:
            named = ", ".join(f"{name} = {value}" for name, value in overrides.items())
            what = f"{counted(len(overrides), 'limit')} overridden: {_cut(named, 200)}"
            yield _at("overrides"), rules.LIMITS_OVERRIDDEN, what
        if self.provenance.verifier == "shared" and _is_exposed(self.provenance):
            what = f"Harbor {self.provenance.harness_version} leaves the checks of a round in the agent's container"
            yield _at("verifier"), rules.VERIFIER_SHARED, what

    def images(self) -> Iterator[Breach]:
        """Digests of images that can be ones."""
        images = self.provenance.images or ()
        entries = images.items() if isinstance(images, Mapping) else enumerate(images)
        for key, image in entries:
            _, mark, digest = image.partition("sha256:")
            if mark and not _SHA256.fullmatch(digest):
                yield _at("images", key), rules.IMAGE_INVALID, f"an image has the digest sha256:{_cut(digest)}"

    def transcripts(self) -> Iterator[Breach]:
        """A digest that can be one, of files that are named."""
        digest = self.provenance.trajectories_digest
        if digest is not None and not _SHA256.fullmatch(digest):
            yield _at("trajectories_digest"), rules.TRANSCRIPTS_DIGEST_INVALID, f'the digest is "{_cut(digest)}"'
        elif digest is not None and not self.provenance.trajectories:
            what = "transcripts have a digest, but nothing says where they are"
            yield _at("trajectories_digest"), rules.TRANSCRIPTS_DIGEST_INVALID, what


def _at(*keys: int | str) -> Location:
    return ("provenance", *keys)


def _is_after(one: datetime | Date, other: datetime | Date) -> bool:
    """Whether a moment lies after another; told in different ways, they may lie a day apart."""
    if isinstance(one, datetime) and isinstance(other, datetime) and (one.tzinfo is None) == (other.tzinfo is None):
        return one > other
    is_mixed = isinstance(one, datetime) or isinstance(other, datetime)
    return day_of(one) - day_of(other) > timedelta(days=is_mixed)


def _is_exposed(provenance: Provenance) -> bool:
    """Whether one of the harness's versions is a Harbor that leaves checks behind."""
    if (provenance.harness or "").casefold() != "harbor":
        return False
    versions = _VERSION.findall(provenance.harness_version or "")
    return any(tuple(int(part or 0) for part in version) <= _LAST_EXPOSED for version in versions)


def _cut(text: str, longest: int = 80) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"
