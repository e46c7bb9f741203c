"""Check the revisions of submissions: corrections, and rounds that were run again.

A revised submission keeps all results of the earlier one except those that it lists as rerun. Read
`revision_problems` first.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from operator import attrgetter

from sitegen.models.outcome import Failure, RoundKey, RoundResult
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.revisions import (
    Bundles,
    bundles_by_name,
    current_bundle,
    rerun_keys,
    reviser_of,
)
from sitegen.models.submission import Revision
from sitegen.problems import Problem, Rule, agreeing, counted, limited, listed, reasons
from sitegen.reading.toml import broken_in
from sitegen.store.files.layout import MANIFEST_FILE

REVISION_UNKNOWN = Rule.error(
    "REVISION-UNKNOWN",
    "A revision names no earlier submission on its track.",
    "name that submission in `of`, or remove the revision",
)
REVISION_DIFFERS = Rule.error(
    "REVISION-DIFFERS",
    "A revised submission changes results of rounds that it does not list as run again.",
    "list the rounds under `reruns`, or restore their records: `sitegen replace-rounds` does both",
)
REVISION_SHORTENED = Rule.error(
    "REVISION-SHORTENED",
    "A revised submission drops earlier revisions.",
    "copy the earlier `[[revisions]]` as they are, before the new one",
)
REVISION_PENDING = Rule.warning(
    "REVISION-PENDING",
    "A submission and its revision are both on the board.",
    "once the revision is published, run `sitegen supersede` in a request of its own",
    unwaivable=reasons.KEPT,
)
RERUNS_UNSTATED = Rule.warning(
    "RERUNS-UNSTATED",
    "A submission keeps most records of an earlier one without saying which rounds were run again.",
    "make the submission with `sitegen replace-rounds`, which lists the rounds and keeps their "
    "old rewards readable",
)

_MAX_NAMED_ROUNDS = 5
_MIN_EFFORTS = 3
"""Minimum number of equal records with times, tokens or costs that prove shared runs."""

_Records = Mapping[RoundKey, RoundResult]
_efforts = attrgetter("input_tokens", "output_tokens", "cost_usd", "agent_seconds")


def revision_problems(results: BenchmarkResults) -> Iterator[Problem]:
    """Yield problems with the revisions of a benchmark's submissions."""
    bundles = bundles_by_name(results)
    redacted: set[str] = set()
    for finding in results.findings:
        if finding.kind == "redaction":
            redacted.update(finding.submissions)
    for bundle in results.bundles:
        if bundle.submission.revisions:
            yield from limited(_stated_problems(bundle, bundles, redacted))
    for bundle in results.bundles:
        yield from _unstated_reruns(bundle, bundles)


def _stated_problems(
    bundle: Bundle, bundles: Bundles, redacted: Collection[str]
) -> Iterator[Problem]:
    """Yield problems with the latest revision of a submission."""
    revisions = bundle.submission.revisions
    position = len(revisions) - 1
    revision = revisions[position]
    earlier = bundles.get(revision.of)
    reviser = reviser_of(bundle, position, bundles)
    is_on_track = earlier is not None and earlier.submission.track == bundle.submission.track
    is_inherited = reviser is not bundle and _follows(bundle, reviser, bundles)
    if earlier is None or not (is_on_track or is_inherited):
        fact = f"it revises {revision.of}, which is not a submission on {bundle.submission.track}"
        yield _broken(bundle, REVISION_UNKNOWN, "of", fact)
        return
    if reviser is not bundle and not is_inherited:
        fact = f"it revises {revision.of}, which {reviser.id} revised and supersedes"
        yield _broken(bundle, REVISION_UNKNOWN, "of", fact)
        return
    if reviser is not bundle:
        return  # The revision is inherited, and is checked where it was made.
    status = earlier.submission.status
    current = current_bundle(bundle, bundles)
    is_current_published = current.submission.status.state == "published"
    if status.state == "superseded" and is_current_published:
        successor = bundles.get(status.by or "")
        if successor is None or not _follows(successor, bundle, bundles):
            fact = f"it revises {revision.of}, which is superseded by {status.by}"
            yield _broken(bundle, REVISION_UNKNOWN, "of", fact)
            return
    if revisions[:position] != earlier.submission.revisions:
        count = counted(len(earlier.submission.revisions), "revision")
        fact = f"{revision.of} has {count}, and the ones before the last differ from them"
        yield _broken(bundle, REVISION_SHORTENED, "of", fact)
    if status.state == "published" and is_current_published:
        fact = f"{revision.of}, which this submission revises, is still published"
        fix = f"run `sitegen supersede {revision.of} --by {current.id}` once this is published"
        yield _broken(bundle, REVISION_PENDING, "of", fact, fix)
    if bundle.rounds and earlier.rounds:
        is_redacted = not {bundle.id, earlier.id}.isdisjoint(redacted)
        yield from _result_problems(bundle, earlier, revision, has_texts=not is_redacted)


def _follows(bundle: Bundle, earlier: Bundle, bundles: Bundles) -> bool:
    """Return whether a submission supersedes an earlier one or carries its results.

    Other submissions may come in between.
    """
    seen: set[str] = set()
    names = [earlier.id]
    while names:
        name = names.pop()
        if name in seen or name not in bundles:
            continue
        if bundles[name] is bundle:
            return True
        seen.add(name)
        names.append(bundles[name].submission.status.by or "")
        for other in bundles.values():
            carried = other.submission.carried
            if carried and carried.submission == name:
                names.append(other.id)
    return False


def _result_problems(
    bundle: Bundle, earlier: Bundle, revision: Revision, *, has_texts: bool
) -> Iterator[Problem]:
    """Yield results of a revised submission that differ without being listed as run again."""
    listed_rounds = set(rerun_keys(revision))
    records = _records(bundle)
    records_before = _records(earlier)
    not_missing = [task for task in revision.added if task not in earlier.submission.missing]
    if not_missing:
        fact = f"{earlier.id} has results of {listed(not_missing, _MAX_NAMED_ROUNDS)} already"
        fix = "list rounds that were run again in `reruns`"
        yield _broken(bundle, REVISION_DIFFERS, "added", fact, fix)
    unknown = [key for key in rerun_keys(revision) if key not in records]
    if unknown:
        fact = f"it lists {_name_rounds(unknown)}, but has no record of them"
        yield _broken(bundle, REVISION_DIFFERS, "reruns", fact)
    for key in records:
        if key[0] in revision.added:
            listed_rounds.add(key)
    differing = []
    for key in dict.fromkeys((*records, *records_before)):
        if key not in listed_rounds and records.get(key) != records_before.get(key):
            differing.append(key)
    if differing:
        count = len(differing)
        differ = agreeing(count, "differs", "differ")
        are = agreeing(count, "is", "are")
        rounds = counted(count, "round")
        names = _name_rounds(differing)
        fact = f"{rounds} {differ} from {earlier.id} and {are} not listed: {names}"
        yield _broken(bundle, REVISION_DIFFERS, "reruns", fact)
    rerun_attempts = {(task, attempt) for task, attempt, _, _ in listed_rounds}
    figures = {(run.task, run.attempt): run for run in bundle.runs}
    figures_before = {(run.task, run.attempt): run for run in earlier.runs}
    for run_key in dict.fromkeys((*figures, *figures_before)):
        is_same = figures.get(run_key) == figures_before.get(run_key)
        if run_key not in rerun_attempts and not is_same:
            task, attempt = run_key
            fact = f"the figures of {task}, attempt {attempt} differ from {earlier.id}"
            yield _broken(bundle, REVISION_DIFFERS, "reruns", fact)
    tasks = dict.fromkeys((*bundle.failures.texts, *earlier.failures.texts))
    for task in tasks if has_texts else ():
        texts = _kept_failures(bundle, task, listed_rounds)
        if texts != _kept_failures(earlier, task, listed_rounds):
            fact = f"the texts of failed cases of {task} differ from {earlier.id}"
            yield _broken(bundle, REVISION_DIFFERS, "reruns", fact)


def _kept_failures(
    bundle: Bundle, task: str, listed_rounds: Collection[RoundKey]
) -> Counter[Failure]:
    """Return the failed cases of a task in rounds that are not listed as run again."""
    kept: Counter[Failure] = Counter()
    for failure in bundle.failures.of_task(task):
        key = (failure.task, failure.attempt, failure.round, failure.start)
        if key not in listed_rounds:
            kept[failure] += 1
    return kept


def _unstated_reruns(bundle: Bundle, bundles: Bundles) -> Iterator[Problem]:
    """Yield a problem if a successor keeps most records without stating which were run again."""
    successor = bundles.get(bundle.submission.status.by or "")
    if successor is None or bundle.submission.status.state != "superseded":
        return
    inherited = bundle.submission.revisions
    if successor.submission.track != bundle.submission.track:
        return
    stated = successor.submission.revisions
    states_rerun = len(stated) > len(inherited) and stated[: len(inherited)] == inherited
    if states_rerun:
        return
    records = _records(successor)
    changed = []
    equal_efforts = 0
    equal = 0
    for key, record_before in _records(bundle).items():
        if records.get(key) == record_before:
            equal += 1
            equal_efforts += any(_efforts(record_before))
        else:
            changed.append(key)
    shares_runs = equal_efforts >= _MIN_EFFORTS and equal > len(changed)
    if shares_runs and (changed or stated[: len(inherited)] != inherited):
        total = counted(len(bundle.rounds), "round")
        fact = f"{equal} of {total} are those of {bundle.id}, times and tokens included"
        if changed:
            fact += f", and these differ: {_name_rounds(changed)}"
        else:
            fact += ", and it leaves out the revisions that are stated there"
        yield broken_in(successor.path / MANIFEST_FILE, RERUNS_UNSTATED, ("revisions",), fact)


def _records(bundle: Bundle) -> _Records:
    return {result.place: result for result in bundle.rounds}


def _name_rounds(keys: Collection[RoundKey]) -> str:
    names = []
    for task, attempt, number, start in keys:
        suffix = " from the reference state" if start == "reference" else ""
        names.append(f"{task} attempt {attempt} round {number}{suffix}")
    return listed(names, _MAX_NAMED_ROUNDS)


def _broken(bundle: Bundle, rule: Rule, key: str, fact: str, fix: str | None = None) -> Problem:
    """Return the problem of a key in a submission's latest revision."""
    location = ("revisions", len(bundle.submission.revisions) - 1, key)
    return broken_in(bundle.path / MANIFEST_FILE, rule, location, fact, fix)
