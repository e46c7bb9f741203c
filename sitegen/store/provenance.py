"""What must hold for what is told of the runs: likely dates, in order, a clean commit, the registered tasks."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date as Date  # noqa: N812 - as in the models
from datetime import datetime, timedelta
from pathlib import Path

from sitegen.board.caveats import CAVEAT
from sitegen.models.reported import ReportedTable
from sitegen.models.results import BenchmarkResults
from sitegen.models.submission import Provenance, Submission
from sitegen.models.task import TaskSet
from sitegen.problems import Problem, Rule, counted, limited
from sitegen.reading.shape import Location
from sitegen.reading.toml import Document, broken_in, read_toml
from sitegen.store.layout import FINDINGS, MANIFEST, REPORTED

DATES_DISORDERED = Rule.error(
    "PROVENANCE-DATES-DISORDERED",
    "Runs start before they finish.",
    "correct `started` or `finished`",
)
DATE_UNLIKELY = Rule.error(
    "DATE-UNLIKELY",
    "Dates lie between 2015, or the day that the benchmark began, and tomorrow.",
    "correct the date, or `since` in benchmark.toml where the benchmark began earlier",
)
FINISHED_LATE = Rule.warning(
    "PROVENANCE-FINISHED-LATE",
    "Runs are finished by the `date` of their submission.",
    "look which of the two dates is right",
)
RELEASED_LATE = Rule.warning(
    "MODEL-RELEASED-LATE",
    "A model is released before it is run.",
    "correct `model_released`, or say in `submitter` who had the model before",
)
TREE_DIRTY = Rule.warning(
    "PROVENANCE-DIRTY",
    "Runs are made from a commit, without changes that nobody else has.",
    "nothing needs to be done: readers see it; runs from a clean commit can be repeated by others",
)
COMMIT_INVALID = Rule.warning(
    "PROVENANCE-COMMIT-INVALID",
    "A commit is a hash of 7 to 64 hexadecimal digits, or what `git describe` prints.",
    "give what `git rev-parse HEAD` prints, or leave `code_commit` out where it is not known",
)
TASKS_DIFFER = Rule.error(
    "PROVENANCE-TASKS-DIFFER",
    "Runs are made with the tasks whose checksums the task set has.",
    "run the tasks as they are registered; correct `task_digest` where only that is wrong",
)
IMAGE_INVALID = Rule.error(
    "PROVENANCE-IMAGE-INVALID",
    "The digest of an image is `sha256:` and 64 hexadecimal digits.",
    "give what `docker image inspect` prints under RepoDigests",
)
LIMITS_OVERRIDDEN = Rule.warning(
    "PROVENANCE-OVERRIDES",
    "Runs keep to the benchmark's limits of time and resources.",
    "make the runs with the default limits if the benchmark asks for that; readers see the limits that were changed",
)
VERIFIER_SHARED = Rule.warning(
    "PROVENANCE-VERIFIER-SHARED",
    "An agent can't see how the rounds before were checked.",
    "look whether the harness was patched; if not, make the runs with Harbor 0.24 or later, or record a finding",
)
TRANSCRIPTS_DIGEST_INVALID = Rule.error(
    "TRAJECTORIES-DIGEST-INVALID",
    "Transcripts are named, and their checksum is a SHA-256: 64 hexadecimal digits.",
    "give the SHA-256 over the sorted lines `SHA256  PATH` of all transcripts, and where they are in `trajectories`",
)

ZONES = timedelta(days=1)
"""Where the day begins first, it is this much ahead."""
FIRST = Date(2015, 1, 1)
"""No agent was tried at anything before."""


def day_of(moment: datetime | Date) -> Date:
    """The day of a moment."""
    return moment.date() if isinstance(moment, datetime) else moment


def with_dates_judged(results: BenchmarkResults, day: Date) -> BenchmarkResults:
    """Add what is wrong with the dates of a benchmark to its problems."""
    since, last = max(FIRST, results.benchmark.since or FIRST), day + ZONES

    def told(path: Path, moments: Mapping[Location, datetime | Date | None]) -> Iterator[Problem]:
        for place, moment in moments.items():
            first = since if place == ("date",) else FIRST
            if moment is not None and not first <= day_of(moment) <= last:
                key = ".".join(part for part in place if isinstance(part, str))
                side = f"before {first}" if day_of(moment) < first else f"and today is {day}"
                yield broken_in(path, DATE_UNLIKELY, place, f"`{key}` is {moment}, {side}")

    bundles = []
    for bundle in results.bundles:
        submission = bundle.submission
        moments: dict[Location, datetime | Date | None] = {
            ("date",): submission.date,
            ("status", "date"): submission.status.date,
            ("provenance", "started"): submission.provenance.started,
            ("provenance", "finished"): submission.provenance.finished,
            ("agent", "model_released"): submission.agent.model_released,
        }
        found = tuple(told(bundle.path / MANIFEST, moments))
        bundles.append(replace(bundle, problems=(*bundle.problems, *found)) if found else bundle)
    recorded: dict[Location, datetime | Date | None] = {
        ("findings", number, "date"): each.date for number, each in enumerate(results.findings)
    }
    problems = list(told(results.path / FINDINGS, recorded))
    if any(not since <= table.date <= last for table in results.reported):
        for path in sorted((results.path / REPORTED).glob("*.toml")):
            table = read_toml(path, ReportedTable).record
            problems += told(path, {("date",): table.date}) if table else ()
    return replace(
        results, bundles=tuple(bundles), problems=(*results.problems, *limited(problems))
    )


SLACK = timedelta(days=2)
"""So far may dates be apart that were told in other time zones, one of them without its hours."""
_LAST_EXPOSED = (0, 23, 0)
"""The last version of Harbor that leaves a round's checks where the agent finds them in the next."""

_CAVEATS, _LONGEST = 20, 1000
"""So many caveats are told in full, and so many characters of each."""

_COMMIT = re.compile(r"(?:\S{1,200}-\d{1,9}-g)?[0-9a-fA-F]{7,64}|v?\d[\w.+-]{0,200}", re.IGNORECASE)
"""A hash, full or short; what `git describe` prints, which is a tag, or TAG-COMMITS-gHASH; a version."""

_DIRTY = re.compile(r"[-+.]dirty$")
_SHA256 = re.compile(r"(?:sha256:)?[0-9a-fA-F]{64}")
_VERSION = re.compile(r"(?<![\d.])v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?")


def provenance_problems(manifest: Document[Submission], tasks: TaskSet | None) -> Iterator[Problem]:
    """What is wrong about the runs' provenance."""
    if manifest.record is None:
        return
    found = (*_about_runs(manifest.record), *_about_sources(manifest.record.provenance, tasks))
    yield from limited([manifest.broken(rule, place, what) for place, rule, what in found])
    told = (
        manifest.broken(CAVEAT, ("caveats",), _cut(caveat, _LONGEST))
        for caveat in manifest.record.caveats
    )
    yield from limited(told, _CAVEATS)


Breach = tuple[Location, Rule, str]
"""Where a rule is broken, which, and the fact."""


def _about_runs(submission: Submission) -> Iterator[Breach]:
    """Dates in order, a model that was there, a commit that anyone can look up."""
    provenance, date = submission.provenance, submission.date
    started, finished, released = (
        provenance.started,
        provenance.finished,
        submission.agent.model_released,
    )
    if started and finished and _is_after(started, finished):
        yield _at("started"), DATES_DISORDERED, f"started on {started}, but finished on {finished}"
    begins_results = started is not None and abs(day_of(started) - date) <= timedelta(days=1)
    if finished and day_of(finished) - date > SLACK and not begins_results:
        what = f"finished on {day_of(finished)}, but the submission's date is {date}"
        yield _at("finished"), FINISHED_LATE, what
    last = day_of(finished) if finished else date
    if released and released - last > SLACK:
        what = f"the model was released on {released}, but run by {last}"
        yield ("agent", "model_released"), RELEASED_LATE, what
    if provenance.dirty:
        yield _at("dirty"), TREE_DIRTY, "the files differed from the commit"
    commit = provenance.code_commit
    if commit is not None:
        if _DIRTY.search(commit) and not provenance.dirty:
            yield _at("code_commit"), TREE_DIRTY, f'the commit is "{_cut(commit)}"'
        if not _COMMIT.fullmatch(_DIRTY.sub("", commit)):
            yield _at("code_commit"), COMMIT_INVALID, f'the commit is "{_cut(commit)}"'


def _about_sources(provenance: Provenance, tasks: TaskSet | None) -> Iterator[Breach]:
    """The registered tasks, the benchmark's own limits, checks out of the agent's sight, digests that can be ones."""
    stated, registered = provenance.task_digest, tasks.digest if tasks else None
    if stated is not None and tasks and registered is not None and not tasks.goes_by(stated):
        what = f"`task_digest` is {_cut(stated)}, but {tasks.id} has {_cut(registered)}"
        yield _at("task_digest"), TASKS_DIFFER, what
    if provenance.overrides:
        named = ", ".join(f"{name} = {value}" for name, value in provenance.overrides.items())
        what = f"{counted(len(provenance.overrides), 'limit')} overridden: {_cut(named, 200)}"
        yield _at("overrides"), LIMITS_OVERRIDDEN, what
    versions = _VERSION.findall(provenance.harness_version or "")
    is_exposed = any(
        tuple(int(part or 0) for part in version) <= _LAST_EXPOSED for version in versions
    )
    if (
        provenance.verifier == "shared"
        and (provenance.harness or "").casefold() == "harbor"
        and is_exposed
    ):
        what = f"Harbor {provenance.harness_version} leaves the checks of a round in the agent's container"
        yield _at("verifier"), VERIFIER_SHARED, what
    images = provenance.images or ()
    for key, image in images.items() if isinstance(images, Mapping) else enumerate(images):
        _, mark, digest = image.partition("sha256:")
        if mark and not _SHA256.fullmatch(digest):
            yield (
                _at("images", key),
                IMAGE_INVALID,
                f"an image has the digest sha256:{_cut(digest)}",
            )
    digest_of_all = provenance.trajectories_digest
    if digest_of_all is not None and not _SHA256.fullmatch(digest_of_all):
        yield (
            _at("trajectories_digest"),
            TRANSCRIPTS_DIGEST_INVALID,
            f'the digest is "{_cut(digest_of_all)}"',
        )
    elif digest_of_all is not None and not provenance.trajectories:
        what = "transcripts have a digest, but nothing says where they are"
        yield _at("trajectories_digest"), TRANSCRIPTS_DIGEST_INVALID, what


def _at(*keys: int | str) -> Location:
    return ("provenance", *keys)


def _is_after(one: datetime | Date, other: datetime | Date) -> bool:
    """Whether a moment lies after another; told in different ways, they may lie a day apart."""
    moments = [each for each in (one, other) if isinstance(each, datetime)]
    if len(moments) > 1 and (moments[0].tzinfo is None) == (moments[1].tzinfo is None):
        return moments[0] > moments[1]
    return day_of(one) - day_of(other) > timedelta(days=bool(moments))


def _cut(text: str, longest: int = 80) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"
