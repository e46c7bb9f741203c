"""Puts the bundles of an import together."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sitegen.importers.kit.claims import Stated, described
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.report import caveats_of
from sitegen.importers.slopcodebench import rules
from sitegen.importers.slopcodebench.doubts import Doubts
from sitegen.importers.slopcodebench.entrants import Entrant
from sitegen.models.incoming import Draft
from sitegen.models.submission import CaseDetail, Detail, Provenance, Submission
from sitegen.models.task import SHORTEST
from sitegen.problems import Problem

_HARNESS = "slop-code-bench"


@dataclass(frozen=True, slots=True)
class Press:
    """Makes a bundle of each agent.

    Attributes:
        options: The track that the bundles go to.
        lengths: Checkpoints by problem.
        attempts: Attempts of the track, the most that an agent made.
        doubts: Says what is doubtful about the runs.
    """

    options: ImportOptions
    lengths: Mapping[str, int]
    attempts: int
    doubts: Doubts

    def drafts(self, entrants: Sequence[Entrant], stated: Mapping[str, Stated]) -> tuple[Draft, ...]:
        """Make the bundles.

        Args:
            entrants: The agents.
            stated: What was published about them, by name.
        """
        return tuple(self._draft(entrant, stated.get(entrant.agent.name)) for entrant in entrants)

    def _draft(self, entrant: Entrant, stated: Stated | None) -> Draft:
        runs = entrant.runs
        submission = Submission(
            schema_version=1,
            track=self.options.track,
            date=entrant.date,
            attempts=len(runs) if len(runs) != self.attempts else None,
            caveats=caveats_of(self.doubts.of(entrant)),
            agent=described(entrant.agent, stated),
            provenance=_provenance(entrant),
            detail=Detail(cases=_detail(entrant)),
            claims=stated.claims if stated else None,
        )
        by_run = [list(run.rounds(self.lengths, attempt)) for attempt, run in enumerate(runs, start=1)]
        rounds = [result for results in by_run for result in results]
        return Draft(
            entrant.bundle, submission, tuple(sorted(rounds, key=lambda each: (each.task, each.attempt, each.round)))
        )


def _provenance(entrant: Entrant) -> Provenance:
    runs = entrant.runs
    commits = {run.settings.catalogue.commit or "" for run in runs}
    commit = commits.pop() if len(commits) == 1 else ""
    seeds = tuple(run.seed for run in runs if run.seed is not None)
    return Provenance(
        harness=_HARNESS,
        task_digest=commit if len(commit) >= SHORTEST else None,
        seeds=seeds or None,
        started=min(filter(None, (run.started for run in runs)), default=None),
        finished=max(filter(None, (run.finished for run in runs)), default=None),
    )


def _detail(entrant: Entrant) -> CaseDetail:
    if all(run.lists_cases for run in entrant.runs):
        return "all"
    counts = any(result.total for run in entrant.runs for result in run.results.values())
    return "counts" if counts else "none"


def condition_problems(entrants: Sequence[Entrant]) -> Iterator[Problem]:
    """Say which agents ran under other conditions than those of the published results."""
    for entrant in entrants:
        run = entrant.runs[0]
        if run.settings.conditions:
            what = f"{entrant.agent.name} ran with {', '.join(run.settings.conditions)}"
            yield rules.CONDITIONS.broken(run.path, None, what)
