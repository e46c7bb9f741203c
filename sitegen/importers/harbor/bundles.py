"""Puts the bundles of an import together."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date as Date  # noqa: N812 - a field is called date, as the option is
from itertools import groupby
from typing import Literal, TypeVar

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.boards import APART, Kind
from sitegen.importers.harbor.circumstances import Circumstances
from sitegen.importers.harbor.rulings import Played
from sitegen.importers.harbor.runs import Field, Run
from sitegen.importers.kit.claims import Stated, described
from sitegen.importers.kit.drafts import bundle_names, longer_id
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.report import Report, Spot
from sitegen.importers.kit.rules import DATE_ASSUMED
from sitegen.models.incoming import Draft
from sitegen.models.outcome import Failure, RoundResult, RunFigures, Start
from sitegen.models.submission import Agent, CaseDetail, Detail, Provenance, Submission
from sitegen.models.task import TaskSet

T = TypeVar("T")

Key = tuple[str, int, int, Start]
"""A round: task, attempt, number, start."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What goes into one bundle."""

    field: Field
    kind: Kind
    track: str
    attempts: int
    played: Played
    figures: tuple[RunFigures, ...] = ()

    @property
    def runs(self) -> list[Run]:
        """The runs that it is made of."""
        own = [run for several in self.field.attempts.values() for run in several]
        return [*own, *self.field.samples.values()] if self.kind == "reference" else own


@dataclass(frozen=True, slots=True)
class Bundler:
    """Puts bundles together.

    Attributes:
        options: Who is named how, and the day.
        stated: What was published about the agents, by name.
        tasks: The task set.
        report: Takes what had to be assumed.
    """

    options: ImportOptions
    stated: Mapping[str, Stated]
    tasks: TaskSet
    report: Report

    def drafts(self, entries: Sequence[Entry]) -> tuple[Draft, ...]:
        """Make one bundle an entry; those of a track stand together."""
        manifests = [self._manifest(entry) for entry in entries]
        names: list[str] = []
        for track, several in groupby(manifests, key=lambda each: each.track):
            named = bundle_names([(each.date, each.agent) for each in several])
            # An agent's bundle on a second track lies beside the one on the first.
            names += named if track == self.options.track else [longer_id(name, APART) for name in named]
        return tuple(
            Draft(name, self._told(manifest, entry), entry.played.rounds, entry.figures, entry.played.failures)
            for name, manifest, entry in zip(names, manifests, entries, strict=True)
        )

    def _told(self, manifest: Submission, entry: Entry) -> Submission:
        """Add what is doubtful about the bundle, once everything is known."""
        starts: Sequence[Start] = ("own", "reference") if entry.kind == "reference" else ("own",)
        caveats = self.report.caveats(entry.field.entrant, [run.trial.path for run in entry.runs], starts)
        return manifest.model_copy(update={"caveats": caveats})

    def _manifest(self, entry: Entry) -> Submission:
        name = entry.field.entrant.name
        stated = self.stated.get(name)
        about = Circumstances.of(name, entry.runs)
        for variety in about.varieties():
            self.report.doubt(rules.CONDITIONS_DIFFER, self.report.root, Spot(entry.field.entrant), variety)
        return Submission(
            schema_version=1,
            track=entry.track,
            date=self._date(entry, about),
            attempts=entry.attempts,
            agent=described(self._agent(entry, about), stated),
            provenance=self._provenance(about),
            detail=Detail(cases=_detail(entry.played)),
            claims=stated.claims if stated and entry.track == self.options.track else None,
        )

    def _date(self, entry: Entry, about: Circumstances) -> Date:
        """Find the day of a bundle: as stated, as its last job tells it, or today."""
        if self.options.date or about.days:
            return self.options.date or about.days[-1]
        self.report.doubt(DATE_ASSUMED, self.report.root, Spot(entry.field.entrant), f"taken as {self.options.today}")
        return self.options.today

    def _agent(self, entry: Entry, about: Circumstances) -> Agent:
        entrant = entry.field.entrant
        return Agent(
            name=entrant.name,
            organization=self.options.organization,
            model=_only(about.models),
            scaffold=entrant.scaffold or None,
            scaffold_version=", ".join(about.versions) or None,
            reasoning=entrant.reasoning or None,
        )

    def _provenance(self, about: Circumstances) -> Provenance:
        return Provenance(
            harness="harbor",
            harness_version=", ".join(about.runners) or None,
            jobs=about.jobs or None,
            task_digest=self.tasks.digest,
            started=min(about.started, default=None),
            finished=max(about.finished, default=None),
            overrides=about.overrides,
            verifier=_verifier(about.verifiers),
        )


def _verifier(told: Sequence[str]) -> Literal["shared", "separate"] | None:
    """Say where checks ran, where all runs that tell agree."""
    match _only(told):
        case "shared":
            return "shared"
        case "separate":
            return "separate"
        case _:
            return None


def _only(found: Sequence[T]) -> T | None:
    return found[0] if len(found) == 1 else None


def _detail(played: Played) -> CaseDetail:
    """Say how much of its cases a bundle holds."""
    scored = [each for each in played.rounds if each.state == "scored"]
    if not any(each.total for each in scored):
        return "none"
    if None not in {each.outcomes for each in scored}:
        return "all"
    return _listed_failures(scored, played.failures)


def _listed_failures(scored: Sequence[RoundResult], failures: Sequence[Failure]) -> CaseDetail:
    """Say how many of the failed cases are listed."""
    told = Counter(_key(each) for each in failures if each.status != "skipped")
    if Counter({_key(each): each.failed or 0 for each in scored}) <= told:
        return "failures"
    return "sample" if told else "counts"


def _key(each: RoundResult | Failure) -> Key:
    return each.task, each.attempt, each.round, each.start
