"""Bundles on their way: how they are called, what they hold of their cases, and what is kept out of them."""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date as Date  # noqa: N812 - a field is called date, as the file's key is

from sitegen.importers.kit.agents import repeated
from sitegen.importers.kit.options import ImportOptions, Standing
from sitegen.importers.kit.redaction import one_line, redacted
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rules import DATE_ASSUMED
from sitegen.models.benchmark import BESIDE_SUBMISSIONS, Axis
from sitegen.models.finding import Finding
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.outcome import Failure, RoundResult
from sitegen.models.record import is_slug
from sitegen.models.submission import Agent, CaseDetail
from sitegen.models.task import Task, TaskSet

LONGEST = 60
"""Characters of a bundle's name: it stands in addresses, beside those of its benchmark, its track and a task."""

WORDS_LEFT_OUT = "the source says why in words that are left out here"
"""The cause of a round in which no case ran, where only figures are published."""

_LONGEST_ID = 80
"""Characters of a task's id."""

_ODD, _OTHER = re.compile(r"[^a-z0-9_-]+"), re.compile(r"[^a-z0-9]+")
_DATED = re.compile(r"\d{4}-\d{2}-\d{2}(?!\d)")
_DIGITS = 8

_TELLING = (
    ("reasoning",),
    ("scaffold",),
    ("scaffold", "reasoning"),
    ("scaffold", "scaffold_version", "reasoning"),
)
"""What tells agents of one name apart, the least first."""


def day_of(report: Report, options: ImportOptions, named: str, *names: str) -> Date:
    """The day of a source's results: as stated, or what some names of files or folders begin with, or today.

    The last is doubtful, which is told of the source as a whole; `named` says in a message whose names these are.
    """
    day = options.date or next(filter(None, map(day_in, names)), None)
    if day is None:
        what = (
            f"neither `--date` nor {named} tells the date of the results: taken as {options.today}"
        )
        report.say(DATE_ASSUMED, report.root, what, None, "")
        report.note_assumption(f"the results were made on {options.today}, the day of the import")
    return day or options.today


def day_in(text: str) -> Date | None:
    """The day that a text begins with."""
    with suppress(ValueError):
        return Date.fromisoformat((_DATED.match(text) or [""])[0])
    return None


def title_of(name: str) -> str:
    """The words of a name that can stand in an address."""
    return name.replace("_", " ").replace("-", " ").capitalize()


def axes_of(tasks: Sequence[Task], names: Sequence[str]) -> dict[str, Axis]:
    """The axes of the given names that some task has a label for, values in the order of their first appearance."""
    values = {
        name: tuple(dict.fromkeys(task.labels[name] for task in tasks if name in task.labels))
        for name in names
    }
    return {
        name: Axis(title=title_of(name), values=found) for name, found in values.items() if found
    }


def groupings_of(tasks: Sequence[Task], names: Sequence[str]) -> tuple[str, ...]:
    """The axes of the given names on which tasks differ."""
    return tuple(name for name, axis in axes_of(tasks, names).items() if len(axis.values) > 1)


def bundle_id(date: Date, agent: str) -> str:
    """Name a bundle after its date and its agent, so that it can stand in an address."""
    return longer_id(date.isoformat(), agent)


def longer_id(name: str, fact: str) -> str:
    """Add a fact to a bundle's name. A name that would be too long ends with a digest of what is cut off."""

    def digest(text: str) -> str:
        return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]

    whole = f"{name}-{_OTHER.sub('-', fact.lower()).strip('-') or digest(fact)}"
    return (
        whole
        if len(whole) <= LONGEST
        else f"{whole[: LONGEST - _DIGITS - 1].rstrip('-')}-{digest(whole)}"
    )


def ids_of(
    names: Collection[str], titles: Mapping[str, str], standing: Standing | None
) -> dict[str, str]:
    """An id for each name of a task: the one that the track has for its title, else one made of it.

    Where several names would make one id, each gets an id of its own, which follows from the name alone.
    """
    known = standing.titles if standing else {}
    here = {name: task for name in names if (task := known.get(one_line(titles.get(name, name))))}
    made = {name: slug_of(name) for name in names if name not in here}
    used = {*here.values()}
    shared = {*repeated(made.values()), *used}
    apart = {
        name: slug
        if slug not in shared or (slug == name and slug not in used)
        else _apart(slug, name)
        for name, slug in made.items()
    }
    return {name: here.get(name) or apart[name] for name in names}


def slug_of(name: str) -> str:
    """Return an id made of a name, without keys and folders of a machine that stand in it.

    A name that is also a page beside the board's submissions gets a digest.
    """
    plain = unicodedata.normalize("NFKD", redacted(name)).encode("ascii", "ignore").decode().lower()
    slug = _ODD.sub("-", plain).strip("-_")
    is_free = slug not in BESIDE_SUBMISSIONS
    if is_free and is_slug(slug) and len(slug) <= _LONGEST_ID:
        return slug
    return _apart(slug or "task", name)


def _apart(slug: str, name: str) -> str:
    digest = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:_DIGITS]
    return f"{slug[: _LONGEST_ID - _DIGITS - 1]}-{digest}"


def bundle_names(entries: Sequence[tuple[Date, Agent]]) -> list[str]:
    """Name bundles after the day of their results and who is ranked, and after more only where two would be the same.

    Those of agents that nothing tells apart get the same name.
    """

    def named(entry: tuple[Date, Agent], facts: Sequence[str] = ()) -> str:
        date, agent = entry
        words = (agent.name, *(getattr(agent, fact) for fact in facts))
        return bundle_id(date, " ".join(filter(None, words)))

    names = [named(entry) for entry in entries]
    for name in repeated(names):
        places = [place for place, each in enumerate(names) if each == name]
        for facts in _TELLING:
            longer = [named(entries[place], facts) for place in places]
            if not repeated(longer):
                for place, better in zip(places, longer, strict=True):
                    names[place] = better
                break
    return names


def case_detail(rounds: Sequence[RoundResult], failures: Sequence[Failure]) -> CaseDetail:
    """How much of its cases a bundle holds: of every scored round all, or those that failed, or only some."""
    has_cases = False
    has_all_outcomes = True
    for result in rounds:
        if result.state != "scored":
            continue
        if result.total:
            has_cases = True
        if result.outcomes is None:
            has_all_outcomes = False
        if has_cases and not has_all_outcomes:
            break
    if not has_cases:
        return "none"
    if has_all_outcomes:
        return "all"
    failed_cases = [failure for failure in failures if failure.status != "skipped"]
    listed = Counter((each.task, each.attempt, each.round, each.start) for each in failed_cases)
    for result in rounds:
        if result.state == "scored":
            failed = result.failed if result.total else int(not result.solved)
            if listed[result.place] < (failed or 0):
                return "sample" if listed else "counts"
    return "failures"


def omission_notes(
    missing: Sequence[str], defined: int, why: str, drafts: Sequence[Draft]
) -> tuple[Finding, ...]:
    """Record which of the defined tasks a task set lacks because the import was told to leave them out."""
    if not missing:
        return ()
    note = Finding(
        date=max(draft.submission.date for draft in drafts),
        kind="note",
        title=f"{len(missing)} of {defined} tasks left out",
        reason=f"{why}: {', '.join(missing)}.",
        tracks=tuple(dict.fromkeys(draft.submission.track for draft in drafts)),
    )
    return (note,)


def figures_of(incoming: Incoming) -> Incoming:
    """An import without the sentences of its source, for where its figures may be published and its texts not.

    Rounds lose their titles and requests, records the words of their cause, and failed cases all that is told of
    them but id, status, category and requirement.
    """
    task_sets = []
    for tasks in incoming.task_sets:
        bare = (
            replace(
                task,
                rounds=tuple(replace(each, title="", instruction=None) for each in task.rounds),
            )
            for task in tasks.tasks
        )
        task_sets.append(TaskSet(tasks.id, tuple(bare)))
    drafts = []
    for draft in incoming.drafts:
        rounds = (
            replace(
                each,
                cause=WORDS_LEFT_OUT
                if each.cause is not None and each.state == "no_cases"
                else None,
            )
            for each in draft.rounds
        )
        failures = (
            Failure(
                *(each.task, each.attempt, each.round, each.case, each.status),
                *(each.category, each.requirement, each.requirement_failed),
                start=each.start,
            )
            for each in draft.failures
        )
        drafts.append(replace(draft, rounds=tuple(rounds), failures=tuple(failures)))
    benchmark = incoming.benchmark.model_copy(update={"instructions": False})
    return replace(incoming, benchmark=benchmark, task_sets=tuple(task_sets), drafts=tuple(drafts))
