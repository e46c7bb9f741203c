"""Corrections of published results: what stands keeps its files, and its status says what became of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date as Date  # noqa: N812 - as in the models
from difflib import get_close_matches
from pathlib import Path

from sitegen.importers.kit.drafts import bundle_id, case_detail, longer_id
from sitegen.importers.kit.merge import merge
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.results import BenchmarkResults, Bundle, Results
from sitegen.models.submission import Detail, Provenance, Status
from sitegen.pipeline.judging import judge
from sitegen.problems import Problem, ProblemsError, UsageError, errors_of
from sitegen.publish.benchmarks import bundle_files, restated
from sitegen.publish.transaction import Snapshot, snapshot_of, transaction
from sitegen.store.layout import ARRIVALS, DEFINITION, RELEASES, SUBMISSIONS

_OWN_CLAIMS = "Claims of the earlier submission are about its own attempts, and were left there."


def submission_at(address: str, results: Results) -> tuple[BenchmarkResults, Bundle]:
    """Find the submission at BENCHMARK/TRACK/SUBMISSION, as on the site, or BENCHMARK/SUBMISSION.

    Raises:
        UsageError: There is none.
    """
    known = {
        f"{each.benchmark.id}/{bundle.submission.track}/{bundle.id}": (each, bundle)
        for each in results.benchmarks
        for bundle in each.bundles
    }
    asked = address.strip("/")
    short = {f"{each.benchmark.id}/{bundle.id}": (each, bundle) for each, bundle in known.values()}
    found = known.get(asked) or short.get(asked)
    if found is None:
        near = ", ".join(get_close_matches(asked, known)) or "none like it"
        raise UsageError(f"there is no submission {address}; there are: {near}")
    return found


@dataclass(frozen=True, slots=True)
class Correction:
    """A submission whose status is to change, with the benchmark as it stands."""

    folder: Path
    today: Date
    since: Snapshot
    results: BenchmarkResults
    bundle: Bundle
    errors: Sequence[Problem]
    """What is wrong with the benchmark already."""

    @classmethod
    def of(cls, address: str, folder: Path, today: Date) -> "Correction":
        """Read a submission's benchmark.

        Raises:
            ProblemsError: The submission or its benchmark's definition has errors.
            UsageError: There is no such submission.
        """
        home = address.strip("/").partition("/")[0]
        part = folder / home if (folder / home / DEFINITION).exists() else folder
        since = snapshot_of(folder)
        judged = judge(part, today)
        results, bundle = submission_at(address, judged.results)
        errors = errors_of(judged.problems())
        own = [
            e
            for e in errors
            if e.path == results.path / DEFINITION or e.path.is_relative_to(bundle.path)
        ]
        if own:
            raise ProblemsError(own)
        return cls(results.path.parent, today, since, results, bundle, errors)

    def state(self, status: Status, new: Draft | None = None) -> None:
        """Change the status, and add what comes in its place: all of it, or nothing.

        Raises:
            ProblemsError: The benchmark would have errors that it has not now.
            UsageError: Another command changed a file meanwhile.
        """
        with transaction(self.folder, self.since) as changes:
            home = f"{self.results.path.name}/{SUBMISSIONS}"
            changes.write(f"{home}/{self.bundle.id}", restated(self.bundle.path, status))
            if new:
                changes.write(f"{home}/{new.id}", bundle_files(new))
            stand, place = (
                changes.rehearsed((self.results.path.name, RELEASES, ARRIVALS)),
                self.results.path,
            )
            after = errors_of(judge(stand / place.name, self.today).problems())
            found = [each.moved(stand, self.folder) for each in after]
            known = {(each.code, each.path, each.what) for each in self.errors}
            if caused := [each for each in found if (each.code, each.path, each.what) not in known]:
                raise ProblemsError(caused)


def withdraw(correction: Correction, by: str, reason: str, day: Date) -> None:
    """Take a submission off its board; its page stays, and says why.

    Raises:
        ProblemsError: The benchmark would have errors.
        UsageError: It is withdrawn already, or nobody says why.
    """
    if not (by.strip() and reason.strip() and reason.isprintable()):
        raise UsageError("a withdrawal says who decides it, and why, in one line of text")
    was = correction.bundle.submission.status
    if was.state == "withdrawn":
        raise UsageError(
            f"{correction.bundle.id} is withdrawn already, on {was.date}: {was.reason}"
        )
    if was.state == "superseded":
        reason = f"{reason} (superseded by {was.by} before)"
    correction.state(Status(state="withdrawn", by=by, reason=reason, date=day))


def supersede(correction: Correction, by: str, reason: str | None, day: Date) -> str:
    """Let another submission, by its address or id, stand in the place of one; gives its id.

    Raises:
        ProblemsError: The benchmark would have errors: the new one is on another track, it may be.
        UsageError: The new one is not there, or one of them does not stand.
    """
    if reason is not None and not (reason.strip() and reason.isprintable()):
        raise UsageError("a reason is one line of text")
    results = correction.results
    address = by if "/" in by else f"{results.benchmark.id}/{by}"
    _, replacement = submission_at(address, Results(correction.folder, (results,)))
    for bundle in (correction.bundle, replacement):
        was = bundle.submission.status
        if was.state != "published":
            whom = f" by {was.by}" if was.by else ""
            raise UsageError(
                f"{bundle.id} does not stand: it was {was.state}{whom}; name one that does"
            )
    correction.state(Status(state="superseded", by=replacement.id, reason=reason, date=day))
    return replacement.id


def add_attempts(correction: Correction, incoming: Incoming) -> Draft:
    """Add runs to a submission as further attempts: the bundle that has all of them supersedes the one that stands.

    Published results are never edited, and no folder tells whether somebody has fetched one already.

    Returns:
        The new bundle.

    Raises:
        ProblemsError: The runs do not fit the track, or the benchmark would have errors.
        UsageError: The submission does not stand; the runs are of another agent or other tasks, or there would be more
            attempts than the track allows.
    """
    results, bundle = correction.results, correction.bundle
    addition, problems = merge(results, incoming)
    if errors_of(problems):
        raise ProblemsError(problems)
    if bundle.submission.status.state != "published":
        raise UsageError(
            f"{bundle.id} is {bundle.submission.status.state}; name a submission that stands"
        )
    name_of, wanted = results.benchmark.agent_name, bundle.submission.agent
    found = [
        each
        for each in addition.drafts
        if name_of(each.submission.agent.name) == name_of(wanted.name)
    ]
    if len(found) != 1:
        there = (
            ", ".join(sorted({each.submission.agent.name for each in addition.drafts})) or "nobody"
        )
        what = f"the runs are of {there}, and {bundle.id} is of {wanted.name}"
        raise UsageError(
            f"{what}; say which are meant with --model, and whose they are with --agent"
        )
    agent = found[0].submission.agent
    for key in ("scaffold", "reasoning"):
        ours, theirs = getattr(wanted, key), getattr(agent, key)
        if ours and theirs and ours != theirs:
            raise UsageError(
                f"the {key} of {bundle.id} is {ours}, that of the runs is {theirs}: import them instead"
            )
    new = _together(results, bundle, found[0])
    status = Status(
        state="superseded", by=new.id, reason="Further attempts were added", date=correction.today
    )
    correction.state(status, new)
    return new


def _together(results: BenchmarkResults, bundle: Bundle, draft: Draft) -> Draft:
    """A bundle with the attempts of a submission and, behind them, those of further runs."""
    was, more = bundle.submission, draft.submission
    track = next(each for each in results.benchmark.tracks if each.id == was.track)
    made = was.attempts or track.attempts
    total = made + (more.attempts or track.attempts)
    if total > track.attempts:
        what = f"track {track.id} has at most {track.attempts} attempts, and these would be {total}"
        raise UsageError(f"{what}: begin a track with more of them")
    if {*was.missing} != {*more.missing}:
        lacking = ", ".join(sorted({*was.missing} ^ {*more.missing}))
        raise UsageError(
            f"every attempt is at the same tasks, and only one side has runs of {lacking}"
        )
    own = [
        replace(each, attempt=each.attempt + made) for each in draft.rounds if each.start == "own"
    ]
    failures = [
        each for task in results.tasks_of(track).tasks for each in bundle.failures.of_task(task.id)
    ]
    failures += (
        replace(each, attempt=each.attempt + made) for each in draft.failures if each.start == "own"
    )
    order = {task.id: place for place, task in enumerate(results.tasks_of(track).tasks)}
    rounds = sorted(
        (*bundle.rounds, *own), key=lambda e: (order[e.task], e.start, e.attempt, e.round)
    )
    runs = (*bundle.runs, *(replace(each, attempt=each.attempt + made) for each in draft.runs))
    added = f"{made + 1} to {total}" if total > made + 1 else f"{total}"
    provenance, apart = _provenance(was.provenance, more.provenance)
    notes = [
        f"Attempt {added} came later, on {more.date}."
        if total == made + 1
        else f"Attempts {added} came later."
    ]
    notes += [f"Attempt {added} differs in {', '.join(apart)}."] if apart else []
    notes += [_OWN_CLAIMS] if was.claims else []
    date = max(was.date, more.date)
    submission = was.model_copy(
        update={
            "date": date,
            "attempts": total,
            "status": Status(),
            "provenance": provenance,
            "detail": Detail(cases=case_detail(rounds, failures)),
            "caveats": tuple(dict.fromkeys((*was.caveats, *more.caveats, *notes))),
        }
    )
    number, fact = 1, f"{total} attempts"
    first = name = bundle_id(date, was.agent.name)
    while (results.path / SUBMISSIONS / name).exists():
        name = longer_id(first, fact if number == 1 else f"{fact} {number}")
        number += 1
    return Draft(name, submission, tuple(rounds), runs, tuple(failures))


def _provenance(was: Provenance, more: Provenance) -> tuple[Provenance, list[str]]:
    """How runs of two times were made: what is alike, what there are several of, and the keys that differ."""
    facts: dict[str, object] = {}
    apart: list[str] = []
    for key, ours in was:
        theirs = getattr(more, key)
        if ours is None or theirs is None or ours == theirs:
            facts[key] = theirs if ours is None else ours
        elif isinstance(ours, tuple) and isinstance(theirs, tuple):
            facts[key] = tuple(dict.fromkeys((*ours, *theirs)))
        elif key in {"started", "finished"}:
            facts[key] = (min if key == "started" else max)(ours, theirs, key=str)
        else:
            facts[key] = ours
            apart.append(f"`{key}`")
    return was.model_copy(update=facts), apart


def replaced_rows(
    results: BenchmarkResults, drafts: Sequence[Draft], day: Date
) -> Iterator[tuple[Bundle, Status]]:
    """The submissions that bundles of an import replace on a day: those of the same rows, unless they are later.

    Yields:
        Each with its new status.
    """
    standing = {
        each.id: each for each in results.bundles if each.submission.status.state == "published"
    }
    rows = {
        results.benchmark.row_of(each.submission): each
        for each in drafts
        if each.id in standing or not (results.path / SUBMISSIONS / each.id).exists()
    }
    passed_over = {each.id for each in drafts} | {finding.rerun for finding in results.findings}
    for bundle in standing.values():
        was = bundle.submission
        new = rows.get(results.benchmark.row_of(was))
        if new and bundle.id not in passed_over and was.date <= new.submission.date:
            yield bundle, Status(state="superseded", by=new.id, date=max(day, was.date))
