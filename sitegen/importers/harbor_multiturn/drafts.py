"""Puts the bundles of an import together."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date as Date  # noqa: N812 - a field is called date, as the option is

from sitegen.importers.harbor.rulings import Played, settled_states
from sitegen.importers.harbor.suites import Suites
from sitegen.importers.harbor_multiturn.effort import effort_of
from sitegen.importers.harbor_multiturn.ledger import Ledger, unreached
from sitegen.importers.harbor_multiturn.showing import Showing
from sitegen.importers.harbor_multiturn.tries import Cell, Try
from sitegen.importers.kit.agents import Entrant, repeated
from sitegen.importers.kit.claims import Stated
from sitegen.importers.kit.drafts import bundle_id
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.models.benchmark import Track
from sitegen.models.incoming import Draft
from sitegen.models.outcome import Failure, RoundResult, RunFigures
from sitegen.models.submission import Agent, CaseDetail, Detail, Provenance, Submission
from sitegen.models.task import Task

HARNESS = "harbor-multiturn"

_LONGEST = 100
"""Characters of a name."""

_TELLING: Sequence[Sequence[str]] = (("scaffold",), ("reasoning",), ("scaffold", "reasoning"))
"""What is added to the names of bundles that would else be the same, the least first."""


def bundle_names(dates: Mapping[Entrant, Date]) -> dict[Entrant, str]:
    """Name the bundles: after date and agent, and what tells the agents apart where two would be called the same.

    Args:
        dates: The day of each agent's results.
    """
    names = {each: bundle_id(date, each.name) for each, date in dates.items()}
    for name in repeated(names.values()):
        same = [each for each in names if names[each] == name]
        for facts in _TELLING:
            told = {each: bundle_id(dates[each], _told(each, facts)) for each in same}
            if not repeated(told.values()):
                names |= told
                break
    return names


def _told(entrant: Entrant, facts: Sequence[str]) -> str:
    return " ".join(filter(None, (getattr(entrant, fact) for fact in ("name", *facts))))


@dataclass(frozen=True, slots=True)
class Press:
    """Makes bundles.

    Attributes:
        options: What the importing person says of the agents.
        track: The track that the bundles go to.
        tasks: Its tasks, by id.
        ledger: Makes the records.
    """

    options: ImportOptions
    track: Track
    tasks: Mapping[str, Task]
    ledger: Ledger

    def draft(self, showing: Showing, name: str, date: Date, stated: Stated | None) -> Draft:
        """Make a bundle; what it lists of cases is still to be fitted to those of all bundles.

        Args:
            showing: What the agent has to show.
            name: Name of the folder to be.
            date: The day of the results.
            stated: What was published about the agent; None where nothing was.
        """
        played = [each for task in self.tasks.values() for each in self._played(task, showing)]
        submission = Submission(
            schema_version=1,
            track=self.track.id,
            date=date,
            attempts=showing.attempts.made,
            agent=self._agent(showing, stated),
            provenance=_provenance(showing),
            claims=stated.claims if stated else None,
        )
        rounds = tuple(result for each in played for result in each.rounds)
        failures = tuple(failure for each in played for failure in each.failures)
        return Draft(name, submission, rounds, tuple(self._figures(showing)), failures)

    def _agent(self, showing: Showing, stated: Stated | None) -> Agent:
        """Describe an agent: as its runs and the importing person do, else as a published table does."""
        entrant = showing.entrant
        model, version = _named(showing)
        facts = {
            "organization": self.options.organization,
            "model": model if model != entrant.name else None,
            "scaffold": entrant.scaffold,
            "scaffold_version": version,
            "reasoning": entrant.reasoning,
        }
        told = {key: value for key, value in facts.items() if value}
        known = stated.agent if stated else Agent(name=entrant.name)
        return known.model_copy(update={"name": entrant.name, **told})

    def _played(self, task: Task, showing: Showing) -> Iterator[Played]:
        """Give the records of a task: attempt by attempt, then the rounds from the reference state."""
        tries = showing.attempts.tries.get(task.id, ())
        for attempt in range(1, showing.attempts.made + 1):
            cells = tries[attempt - 1].cells if attempt <= len(tries) else {}
            for each in task.rounds:
                yield self.ledger.record(unreached(task.id, attempt, each.n), cells.get(each.n), showing.entrant)
        if self.track.reference_rounds:
            yield from self._samples(task, showing)

    def _samples(self, task: Task, showing: Showing) -> Iterator[Played]:
        samples = showing.samples.get(task.id)
        for each in task.rounds:
            course = samples.rounds.get(each.n) if samples else None
            blank = replace(unreached(task.id, 1, each.n), start="reference")
            yield self.ledger.record(blank, Cell(course) if course else None, showing.entrant)

    def _figures(self, showing: Showing) -> Iterator[RunFigures]:
        for task in self.tasks:
            for attempt, each in enumerate(showing.attempts.tries.get(task, ()), start=1):
                yield from _figures_of(task, attempt, each)


def _figures_of(task: str, attempt: int, told: Try) -> Iterator[RunFigures]:
    """Give the figures of a try as a whole; those of a fan-out stand with its rounds."""
    if told.whole is None:
        return
    effort = effort_of(told.whole.run)
    figures = RunFigures(
        task,
        attempt,
        turns=effort.turns,
        input_tokens=effort.input_tokens,
        output_tokens=effort.output_tokens,
        cost_usd=effort.cost_usd,
    )
    if figures != RunFigures(task, attempt):
        yield figures


def _provenance(showing: Showing) -> Provenance:
    """Say how the runs were made. Of their times only the days are told: some runs were timed without a zone."""
    runs = [course.run for course in showing.courses]
    began = [run.began.date() for run in runs if run.began]
    ended = [run.ended.date() for run in runs if run.ended]
    return Provenance(harness=HARNESS, started=min(began, default=None), finished=max(ended, default=None))


def fitted(draft: Draft, suites: Suites, caveats: tuple[str, ...]) -> Draft:
    """Give a bundle as it stands beside the tasks, once the cases of every bundle and what is doubtful are known."""
    settled = settled_states(Played(draft.rounds, draft.failures), prints_cases=suites.prints_cases)
    rounds = tuple(map(suites.fitted, settled.rounds))
    known = {"detail": Detail(cases=_detail(rounds, settled.failures)), "caveats": caveats}
    return replace(draft, submission=draft.submission.model_copy(update=known), rounds=rounds)


def _detail(rounds: Sequence[RoundResult], failures: Sequence[Failure]) -> CaseDetail:
    """Say how much of its cases a bundle holds."""
    counted = [each for each in rounds if each.total]
    if not counted:
        return "none"
    if None not in {each.outcomes for each in counted}:
        return "all"
    return _listed(counted, failures) if failures else "counts"


def _listed(rounds: Iterable[RoundResult], failures: Iterable[Failure]) -> CaseDetail:
    listed = sum(failure.status != "skipped" for failure in failures)
    return "failures" if listed >= sum(each.failed or 0 for each in rounds) else "sample"


def _named(showing: Showing) -> tuple[str | None, str | None]:
    """Give the model and the version of the scaffold that an agent's runs agree on; None where they don't."""
    runs = [course.run for course in showing.courses]
    models = {one_line(run.agent.model_name or run.model or "", _LONGEST) for run in runs}
    return _only(models), _only({one_line(run.info.version or "", _LONGEST) for run in runs})


def _only(found: Collection[str]) -> str | None:
    """Give what all agree on; None where they differ."""
    return next(iter(found)) if len(found) == 1 else None
