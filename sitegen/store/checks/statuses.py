"""Check that superseded submissions name a replacement, and withdrawn ones a reason and a date.

Read `status_problems` first.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from sitegen.models.benchmark import Benchmark
from sitegen.models.results import Bundle
from sitegen.problems import Problem, Rule
from sitegen.reading.shape import suggestion
from sitegen.reading.toml import broken_in
from sitegen.store.checks.document_breaches import Breach, is_stated
from sitegen.store.files.layout import MANIFEST_FILE

STATUS_INCOMPLETE = Rule.error(
    "STATUS-INCOMPLETE",
    "A superseded submission does not name its replacement, or a withdrawn one lacks its reason "
    "or date.",
    "add the key to `[status]`",
)
STATUS_CONTRADICTED = Rule.error(
    "STATUS-CONTRADICTED",
    "A current submission has a reason, date or replacement in its status.",
    'set `state` to "superseded" or "withdrawn", or remove the key',
)
STATUS_EARLY = Rule.error(
    "STATUS-DATE-EARLY",
    "A submission's status changed before the date of its results.",
    "correct `status.date` or `date`",
)
REPLACEMENT_WRONG = Rule.error(
    "STATUS-REPLACEMENT-WRONG",
    "The replacement of a superseded submission does not exist, or is on an unrelated track.",
    "name the folder of the submission that replaces this one",
)

_REQUIRED_STATUS_KEYS: Mapping[str, Sequence[str]] = {
    "superseded": ("by",),
    "withdrawn": ("reason", "date"),
    "published": (),
}
_FORBIDDEN_STATUS_KEYS: Mapping[str, Sequence[str]] = {
    "superseded": (),
    "withdrawn": (),
    "published": ("by", "reason"),
}


def status_problems(
    benchmark: Benchmark, bundles: Mapping[str, Bundle], submissions: Collection[str]
) -> Iterator[Problem]:
    """Yield problems with the status of bundles, and with the submissions that replace them.

    Args:
        benchmark: The benchmark's definition.
        bundles: The bundles that could be read, by id.
        submissions: The names of all submissions, including submissions that can't be read.
    """
    replacements: dict[str, str] = {}
    for bundle in bundles.values():
        status = bundle.submission.status
        if status.state == "superseded" and status.by and is_stated(status, "by"):
            replacements[bundle.id] = status.by
    for bundle in bundles.values():
        breaches = [
            *_status_breaches(bundle),
            *_replacement_breaches(bundle, benchmark, bundles, submissions, replacements),
        ]
        for breach in breaches:
            path = bundle.path / MANIFEST_FILE
            yield broken_in(path, breach.rule, breach.location, breach.fact, breach.fix)


def _status_breaches(bundle: Bundle) -> Iterator[Breach]:
    """Yield breaches for missing or forbidden keys of a status, and for impossible dates."""
    status = bundle.submission.status
    for key in _REQUIRED_STATUS_KEYS[status.state]:
        if not is_stated(status, key):
            fact = f'the state is "{status.state}", but `{key}` is missing'
            yield Breach(("status", key), STATUS_INCOMPLETE, fact, f"add `{key}` to `[status]`")
    for key in _FORBIDDEN_STATUS_KEYS[status.state]:
        if is_stated(status, key):
            fact = f'`[status]` has `{key}`, but the state is "{status.state}"'
            yield Breach(("status", key), STATUS_CONTRADICTED, fact)
    results_date = bundle.submission.date
    if status.date and status.date < results_date:
        fact = f"{status.state} on {status.date}, but the results are from {results_date}"
        yield Breach(("status", "date"), STATUS_EARLY, fact)


def _replacement_breaches(
    bundle: Bundle,
    benchmark: Benchmark,
    bundles: Mapping[str, Bundle],
    submissions: Collection[str],
    replacements: Mapping[str, str],
) -> Iterator[Breach]:
    """Yield a breach if a replacement is missing, is on another track, or closes a cycle."""
    location = ("status", "by")
    by = replacements.get(bundle.id)
    if by is None:
        return
    if by not in submissions:
        fix = _replacement_fix(by, benchmark, {*submissions} - {bundle.id})
        yield Breach(location, REPLACEMENT_WRONG, f"there is no submission `{by}`", fix)
        return
    later_tracks = {track.id: track.superseded_by for track in benchmark.tracks}
    track_id = bundle.submission.track
    replacement = bundles.get(by)
    if replacement and replacement.submission.track not in _follow(track_id, later_tracks):
        fact = f"{by} is on track {replacement.submission.track}, not on {track_id}"
        yield Breach(location, REPLACEMENT_WRONG, fact)
        return
    chain = _follow(bundle.id, replacements)
    is_cycle = replacements.get(chain[-1]) == bundle.id
    if is_cycle and bundle.id == min(chain):  # A cycle is reported once.
        fact = "it replaces itself"
        if len(chain) > 1:
            fact = f"{', '.join(sorted(chain))} replace each other"
        yield Breach(location, REPLACEMENT_WRONG, fact)


def _replacement_fix(name: str, benchmark: Benchmark, submissions: Collection[str]) -> str | None:
    """Return a fix that names the submission that was probably meant; None if none is similar."""
    for renaming in reversed(benchmark.renamed):
        if renaming.old.rpartition("/")[2] == name:
            return f"it is now called `{renaming.new.rpartition('/')[2]}`"
    return suggestion(name, submissions)


def _follow(start: str, successors: Mapping[str, str | None]) -> list[str]:
    """Return a name and its successors, up to the last successor or until the cycle repeats."""
    chain: list[str] = []
    name: str | None = start
    while name and name not in chain:
        chain.append(name)
        name = successors.get(name)
    return chain
