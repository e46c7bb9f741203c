"""Prepare bundles: choose names and task ids, determine case detail, and leave out texts."""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date as Date  # noqa: N812 - as in the models

from sitegen.importers.kit.agents import repeated
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.options import ExistingTrack, ImportOptions
from sitegen.importers.kit.redaction import one_line, redact_text
from sitegen.importers.kit.rules import DATE_ASSUMED
from sitegen.models.benchmark import BESIDE_SUBMISSIONS, Axis
from sitegen.models.finding import Finding
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.outcome import Failure, RoundResult
from sitegen.models.record import is_slug
from sitegen.models.submission import Agent, CaseDetail
from sitegen.models.task import Task, TaskSet

LONGEST = 60
"""Maximum length of a bundle's name; URLs also contain the benchmark, the track and the task."""

WORDS_LEFT_OUT = "the source says why in words that are left out here"
"""The cause given for a round in which no case ran, if only figures may be published."""

_MAX_TASK_ID_LENGTH = 80

_NOT_IN_TASK_ID = re.compile(r"[^a-z0-9_-]+")
_NOT_IN_BUNDLE_ID = re.compile(r"[^a-z0-9]+")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?!\d)")
_DIGEST_LENGTH = 8

_DISTINGUISHING_FACTS = (
    ("reasoning",),
    ("scaffold",),
    ("scaffold", "reasoning"),
    ("scaffold", "scaffold_version", "reasoning"),
)
"""Facts that distinguish agents with the same name; bundle names get the first sufficient set."""


def day_of(log: ImportLog, options: ImportOptions, named: str, *names: str) -> Date:
    """Return the day of a source's results: `--date`, the date at the start of a name, or today.

    Args:
        log: Receives the warning that the day of the import was assumed.
        options: `--date` and the day of the import.
        named: A description of the names, for the message: "a name".
        names: Names of files or folders.
    """
    if options.date is not None:
        return options.date
    for name in names:
        day = day_in(name)
        if day is not None:
            return day
    missing = f"neither `--date` nor {named} states the date of the results"
    message = f"{missing}: taken as {options.today}"
    log.add_with_caveat(DATE_ASSUMED, log.root, message, None, "")
    log.note_assumption(assumed_date(options))
    return options.today


def assumed_date(options: ImportOptions) -> str:
    """Return the assumption about the date of results whose source does not state one."""
    return f"the results are dated {options.today}, today; `--date` sets another date"


def day_in(text: str) -> Date | None:
    """Return the date (YYYY-MM-DD) at the start of a text; None if there is no date there."""
    match = _DATE.match(text)
    if match is None:
        return None
    with suppress(ValueError):
        return Date.fromisoformat(match[0])
    return None


def title_of(name: str) -> str:
    """Return a title made from an id: "fail-stop" becomes "Fail stop"."""
    return name.replace("_", " ").replace("-", " ").capitalize()


def axes_of(tasks: Sequence[Task], names: Sequence[str]) -> dict[str, Axis]:
    """Return the axes for which any task has a label, with values in order of first appearance.

    Args:
        tasks: The tasks, with their labels.
        names: The axes to consider.
    """
    axes = {}
    for name in names:
        values = dict.fromkeys(task.labels[name] for task in tasks if name in task.labels)
        if values:
            axes[name] = Axis(title=title_of(name), values=tuple(values))
    return axes


def groupings_of(tasks: Sequence[Task], names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the axes for which the tasks have at least two different labels."""
    axes = axes_of(tasks, names)
    groupings = [name for name, axis in axes.items() if len(axis.values) > 1]
    return tuple(groupings)


def bundle_id(date: Date, agent: str) -> str:
    """Return the name of a bundle, made from its date and agent, in a form suitable for URLs."""
    return longer_id(date.isoformat(), agent)


def longer_id(name: str, fact: str) -> str:
    """Return a bundle's name with a fact appended; if too long, it is cut and ends in a digest."""
    suffix = _NOT_IN_BUNDLE_ID.sub("-", fact.lower()).strip("-") or _digest(fact)
    full_name = f"{name}-{suffix}"
    if len(full_name) <= LONGEST:
        return full_name
    beginning = full_name[: LONGEST - _DIGEST_LENGTH - 1].rstrip("-")
    return f"{beginning}-{_digest(full_name)}"


def _digest(text: str) -> str:
    """Return the first hexadecimal digits of the SHA-256 of a text."""
    data = text.encode(errors="surrogatepass")
    return hashlib.sha256(data).hexdigest()[:_DIGEST_LENGTH]


def ids_of(
    names: Collection[str], titles: Mapping[str, str], existing_track: ExistingTrack | None
) -> dict[str, str]:
    """Return the id of each task: the id of the track's task with the same title, or a slug.

    Names that would get the same id get ids with a digest of the name.

    Args:
        names: Names of the tasks in the source.
        titles: Titles of tasks by name, if they differ from the names.
        existing_track: The track that the results join, if it exists.
    """
    ids_by_title = existing_track.titles if existing_track else {}
    ids: dict[str, str] = {}
    for name in names:
        task_id = ids_by_title.get(one_line(titles.get(name, name)))
        if task_id:
            ids[name] = task_id
    slugs = {name: slug_of(name) for name in names if name not in ids}
    used_ids = set(ids.values())
    shared_ids = used_ids.union(repeated(slugs.values()))
    for name, slug in slugs.items():
        is_free = slug not in shared_ids or (slug == name and slug not in used_ids)
        ids[name] = slug if is_free else _add_digest(slug, name)
    return {name: ids[name] for name in names}


def slug_of(name: str) -> str:
    """Return a task id made from a name, without secrets and local paths.

    A digest is appended if the id would be too long, or if a page of the board has the same name.
    """
    plain = (
        unicodedata.normalize("NFKD", redact_text(name)).encode("ascii", "ignore").decode().lower()
    )
    slug = _NOT_IN_TASK_ID.sub("-", plain).strip("-_")
    is_free = slug not in BESIDE_SUBMISSIONS
    if is_free and is_slug(slug) and len(slug) <= _MAX_TASK_ID_LENGTH:
        return slug
    return _add_digest(slug or "task", name)


def _add_digest(slug: str, name: str) -> str:
    """Return a slug with a digest of the name it was made from, shortened to make room."""
    beginning = slug[: _MAX_TASK_ID_LENGTH - _DIGEST_LENGTH - 1]
    return f"{beginning}-{_digest(name)}"


def bundle_names(entries: Sequence[tuple[Date, Agent]]) -> list[str]:
    """Return bundle names: date, agent, and facts that distinguish agents of the same name.

    Bundles of agents that no fact distinguishes get the same name.

    Args:
        entries: The day and the agent of each bundle.
    """
    names = [_make_bundle_name(entry) for entry in entries]
    for name in repeated(names):
        positions = [index for index, other_name in enumerate(names) if other_name == name]
        same_named = [entries[index] for index in positions]
        longer_names = _find_distinct_names(same_named) or [name] * len(positions)
        for index, longer_name in zip(positions, longer_names, strict=True):
            names[index] = longer_name
    return names


def _find_distinct_names(entries: Sequence[tuple[Date, Agent]]) -> list[str]:
    """Return distinct bundle names with as few facts as possible; empty if no facts suffice."""
    for facts in _DISTINGUISHING_FACTS:
        names = [_make_bundle_name(entry, facts) for entry in entries]
        if not repeated(names):
            return names
    return []


def _make_bundle_name(entry: tuple[Date, Agent], facts: Sequence[str] = ()) -> str:
    """Return the name of a bundle, including the given facts about its agent."""
    date, agent = entry
    values = [agent.name, *(getattr(agent, fact) for fact in facts)]
    return bundle_id(date, " ".join(filter(None, values)))


def case_detail(rounds: Sequence[RoundResult], failures: Sequence[Failure]) -> CaseDetail:
    """Return the level of detail that a bundle has about the cases of its scored rounds.

    Args:
        rounds: All rounds of the bundle.
        failures: The cases that did not pass and that the source lists.
    """
    has_cases = False
    has_all_outcomes = True
    for result in rounds:
        if result.state != "scored":
            continue
        has_cases = has_cases or bool(result.total)
        has_all_outcomes = has_all_outcomes and result.outcomes is not None
        if has_cases and not has_all_outcomes:
            return _compare_with_failures(rounds, failures)
    return "all" if has_cases else "none"


def _compare_with_failures(
    rounds: Iterable[RoundResult], failures: Sequence[Failure]
) -> CaseDetail:
    """Return whether a bundle lists all of its failed cases, some of them, or only their number."""
    listed_failures = Counter[tuple[object, ...]]()
    for failure in failures:
        if failure.status != "skipped":
            key = (failure.task, failure.attempt, failure.round, failure.start)
            listed_failures[key] += 1
    for result in rounds:
        if result.state != "scored":
            continue
        failed = result.failed if result.total else int(not result.solved)
        if listed_failures[result.place] < (failed or 0):
            return "sample" if listed_failures else "counts"
    return "failures"


def omission_notes(
    missing: Sequence[str], defined: int, why: str, drafts: Sequence[Draft]
) -> tuple[Finding, ...]:
    """Return a tuple with a note about left-out tasks; empty if no task was left out.

    Args:
        missing: Tasks that were left out.
        defined: Number of tasks that the source defines.
        why: The reason, as a clause without a full stop.
        drafts: The bundles that the note is about.
    """
    if not missing:
        return ()
    dates = [draft.submission.date for draft in drafts]
    tracks = dict.fromkeys(draft.submission.track for draft in drafts)
    note = Finding(
        date=max(dates),
        kind="note",
        title=f"{len(missing)} of {defined} tasks left out",
        reason=f"{why}: {', '.join(missing)}.",
        tracks=tuple(tracks),
    )
    return (note,)


def figures_of(incoming: Incoming) -> Incoming:
    """Return an import without its texts, for sources from which only figures may be published.

    Rounds lose their titles and requests, results lose the text of their cause, and failed cases
    keep only id, status, category and requirement.
    """
    task_sets = []
    for task_set in incoming.task_sets:
        tasks = tuple(_without_requests(task) for task in task_set.tasks)
        task_sets.append(TaskSet(task_set.id, tasks))
    drafts = []
    for draft in incoming.drafts:
        rounds = tuple(_without_cause(result) for result in draft.rounds)
        failures = tuple(_without_texts(failure) for failure in draft.failures)
        drafts.append(replace(draft, rounds=rounds, failures=failures))
    benchmark = incoming.benchmark.model_copy(update={"instructions": False})
    return replace(incoming, benchmark=benchmark, task_sets=tuple(task_sets), drafts=tuple(drafts))


def _without_requests(task: Task) -> Task:
    rounds = tuple(replace(task_round, title="", instruction=None) for task_round in task.rounds)
    return replace(task, rounds=rounds)


def _without_cause(result: RoundResult) -> RoundResult:
    """Return a result without the text of its cause; a round without cases gets a neutral cause."""
    has_cause = result.cause is not None and result.state == "no_cases"
    return replace(result, cause=WORDS_LEFT_OUT if has_cause else None)


def _without_texts(failure: Failure) -> Failure:
    """Return a failed case with only its id, status, category and requirement."""
    return Failure(
        failure.task,
        failure.attempt,
        failure.round,
        failure.case,
        failure.status,
        failure.category,
        failure.requirement,
        failure.requirement_failed,
        start=failure.start,
    )
