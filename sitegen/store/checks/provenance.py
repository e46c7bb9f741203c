"""Check how the runs of a submission were made: commit, tasks, limits and checksums."""

import re
from collections.abc import Iterable, Iterator, Mapping

from sitegen.board.caveats import CAVEAT
from sitegen.models.submission import Provenance, Submission
from sitegen.models.task import TaskSet
from sitegen.problems import Problem, Rule, counted, limited
from sitegen.reading.shape import Location
from sitegen.reading.toml import Document
from sitegen.store.checks.dates import date_breaches
from sitegen.store.checks.document_breaches import Breach, breach_problems

TREE_DIRTY = Rule.note(
    "PROVENANCE-DIRTY",
    "Runs were made with uncommitted changes.",
    "nothing needs to be done: readers see this; runs from a clean commit are easier to reproduce",
)
COMMIT_INVALID = Rule.warning(
    "PROVENANCE-COMMIT-INVALID",
    "A commit is neither a hash of 7 to 64 hexadecimal digits nor the output of `git describe`.",
    "give the output of `git rev-parse HEAD`, or leave `code_commit` out if the commit is unknown",
)
TASKS_DIFFER = Rule.error(
    "PROVENANCE-TASKS-DIFFER",
    "Runs were made with tasks whose checksums differ from the task set's.",
    "run the tasks as they are registered; correct `task_digest` if only the checksum is wrong",
)
IMAGE_INVALID = Rule.error(
    "PROVENANCE-IMAGE-INVALID",
    "The digest of an image is not `sha256:` and 64 hexadecimal digits.",
    "give the digest that `docker image inspect` prints under RepoDigests",
)
LIMITS_OVERRIDDEN = Rule.warning(
    "PROVENANCE-OVERRIDES",
    "Runs changed the benchmark's limits of time or resources.",
    "repeat the runs with the default limits if the benchmark requires it; readers see the "
    "changed limits",
)
VERIFIER_SHARED = Rule.warning(
    "PROVENANCE-VERIFIER-SHARED",
    "An agent could see how earlier rounds were checked.",
    "check whether the harness was patched; if not, repeat the runs with Harbor 0.24 or later, "
    "or record a finding",
)
TRANSCRIPTS_DIGEST_INVALID = Rule.error(
    "TRAJECTORIES-DIGEST-INVALID",
    "Transcripts have no address, or their checksum is not a SHA-256 of 64 hexadecimal digits.",
    "give the SHA-256 of the sorted lines `SHA256  PATH` of all transcripts, and their address "
    "in `trajectories`",
)

_LAST_EXPOSED_HARBOR = (0, 23, 0)
"""The last version of Harbor that leaves a round's checks where agents can find them later."""

_MAX_CAVEATS = 20
_MAX_CAVEAT_LENGTH = 1000
_MAX_QUOTED_LENGTH = 80
_MAX_OVERRIDES_LENGTH = 200

_COMMIT = re.compile(r"(?:\S{1,200}-\d{1,9}-g)?[0-9a-fA-F]{7,64}|v?\d[\w.+-]{0,200}", re.IGNORECASE)
"""A full or short hash; an output of `git describe`, a tag or TAG-COMMITS-gHASH; or a version."""

_DIRTY = re.compile(r"[-+.]dirty$")
_SHA256 = re.compile(r"(?:sha256:)?[0-9a-fA-F]{64}")
_VERSION = re.compile(r"(?<![\d.])v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?")


def provenance_problems(manifest: Document[Submission], tasks: TaskSet | None) -> Iterator[Problem]:
    """Yield the faults in the provenance of the runs, and the submitter's own caveats."""
    submission = manifest.record
    if submission is None:
        return
    provenance = submission.provenance
    breaches = [
        *date_breaches(submission),
        *_commit_breaches(provenance),
        *_task_breaches(provenance, tasks),
        *_harness_breaches(provenance),
        *_digest_breaches(provenance),
    ]
    yield from breach_problems(manifest, breaches)
    yield from limited(_caveats(manifest, submission.caveats), _MAX_CAVEATS)


def _caveats(manifest: Document[Submission], caveats: Iterable[str]) -> Iterator[Problem]:
    for caveat in caveats:
        yield manifest.broken(CAVEAT, ("caveats",), _shorten(caveat, _MAX_CAVEAT_LENGTH))


def _commit_breaches(provenance: Provenance) -> Iterator[Breach]:
    """Yield a breach for uncommitted changes, and for a commit that can't be looked up."""
    if provenance.dirty:
        yield Breach(_key("dirty"), TREE_DIRTY, "the files differed from the commit")
    commit = provenance.code_commit
    if commit is None:
        return
    fact = f'the commit is "{_shorten(commit)}"'
    if _DIRTY.search(commit) and not provenance.dirty:
        yield Breach(_key("code_commit"), TREE_DIRTY, fact)
    if not _COMMIT.fullmatch(_DIRTY.sub("", commit)):
        yield Breach(_key("code_commit"), COMMIT_INVALID, fact)


def _task_breaches(provenance: Provenance, tasks: TaskSet | None) -> Iterator[Breach]:
    """Yield a breach if the stated checksum of the tasks is not the registered one."""
    stated = provenance.task_digest
    if stated is None or tasks is None or tasks.digest is None:
        return
    if not tasks.goes_by(stated):
        fact = f"`task_digest` is {_shorten(stated)}, but {tasks.id} has {_shorten(tasks.digest)}"
        yield Breach(_key("task_digest"), TASKS_DIFFER, fact)


def _harness_breaches(provenance: Provenance) -> Iterator[Breach]:
    """Yield breaches for overridden limits, and for checks that an agent could see."""
    overrides = provenance.overrides
    if overrides:
        settings = ", ".join(f"{name} = {value}" for name, value in overrides.items())
        number = counted(len(overrides), "limit")
        fact = f"{number} overridden: {_shorten(settings, _MAX_OVERRIDES_LENGTH)}"
        yield Breach(_key("overrides"), LIMITS_OVERRIDDEN, fact)
    is_harbor = (provenance.harness or "").casefold() == "harbor"
    if provenance.verifier == "shared" and is_harbor and _is_exposed(provenance.harness_version):
        version = provenance.harness_version
        fact = f"Harbor {version} leaves the checks of a round in the agent's container"
        yield Breach(_key("verifier"), VERIFIER_SHARED, fact)


def _is_exposed(harbor_version: str | None) -> bool:
    """Return whether a text names a version of Harbor that leaves checks in the container."""
    for version in _VERSION.findall(harbor_version or ""):
        if tuple(int(number or 0) for number in version) <= _LAST_EXPOSED_HARBOR:
            return True
    return False


def _digest_breaches(provenance: Provenance) -> Iterator[Breach]:
    """Yield breaches for invalid digests of images and transcripts."""
    for key, image in _keyed_images(provenance):
        _, prefix, digest = image.partition("sha256:")
        if prefix and not _SHA256.fullmatch(digest):
            fact = f"an image has the digest sha256:{_shorten(digest)}"
            yield Breach(_key("images", key), IMAGE_INVALID, fact)
    transcripts_digest = provenance.trajectories_digest
    if transcripts_digest is None:
        return
    if not _SHA256.fullmatch(transcripts_digest):
        fact = f'the digest is "{_shorten(transcripts_digest)}"'
        yield Breach(_key("trajectories_digest"), TRANSCRIPTS_DIGEST_INVALID, fact)
    elif not provenance.trajectories:
        fact = "transcripts have a digest, but no address"
        yield Breach(_key("trajectories_digest"), TRANSCRIPTS_DIGEST_INVALID, fact)


def _keyed_images(provenance: Provenance) -> Iterator[tuple[int | str, str]]:
    """Yield the images with their keys: names in a table, or indexes in a list."""
    images = provenance.images or ()
    if isinstance(images, Mapping):
        yield from images.items()
    else:
        yield from enumerate(images)


def _key(*names: int | str) -> Location:
    return ("provenance", *names)


def _shorten(text: str, max_length: int = _MAX_QUOTED_LENGTH) -> str:
    """Return a text on one line, shortened to a maximum length."""
    line = " ".join(text.split())
    return line if len(line) <= max_length else line[: max_length - 1] + "…"
