"""Submissions that maintainers ran again, and whether the second run bears the first one out."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sitegen.board.certainty import Certainty
from sitegen.board.claims import same_agent
from sitegen.board.entry import Entry
from sitegen.board.score import Score
from sitegen.metrics.paired import Paired
from sitegen.metrics.uncertainty import ROUNDING
from sitegen.models.benchmark import Benchmark, Track
from sitegen.models.finding import Finding
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.problems import Problem, Rule, reasons

REPRODUCTION_ASTRAY = Rule.error(
    "REPRODUCTION-ASTRAY",
    "A reproduction names a second submission of the same agent on the same track.",
    "name the maintainers' own submission in `rerun`, and the one that it checks in `submissions`",
    unwaivable=reasons.OWN,
)
REPRODUCTION_DIFFERS = Rule.warning(
    "REPRODUCTION-DIFFERS",
    "What a maintainer's run scores is not shown to be another score than the submission's.",
    "ask the submitter how the runs differ; a submission that nobody can repeat may be withdrawn",
)
REPRODUCTION_UNDECIDED = Rule.warning(
    "REPRODUCTION-UNDECIDED",
    "A submission and its rerun can be held against each other by the headline score.",
    "nothing needs to be done: until they can, the rerun does not count as evidence",
)


@dataclass(frozen=True, slots=True)
class RerunTerms:
    """Within which margin a rerun of a submission counts as reproduced, and how often an honest one would.

    Shares are from 0 to 1, margins in the unit of the headline score.
    """

    margin: float
    """Within how much both scores are to be shown the same."""
    fixed: float
    """The least that is ever asked for: see `fixed_margin`."""
    alike: int
    """How many pairs of different agents on the board are shown to be the same within the margin."""
    pairs: int
    """Of how many."""
    chance: float | None = None
    """How often an honest rerun passes; None where nothing says how much runs differ."""
    spread: tuple[float, float] | None = None
    """The lowest and the highest that this chance may be; None where it is not known."""
    chance_at_fixed: float | None = None
    """How often it would pass within the fixed margin."""
    wanted: float | None = None
    """The smallest margin, from the fixed one, within which an honest rerun passes 80 % of the time."""
    alike_at_wanted: int = 0
    """How many pairs of different agents are the same within that."""
    passes_nothing: bool = False
    """Whether a rerun that scores nothing could pass within that."""
    source: str = ""
    """What is known of runs, to follow "judging by"."""
    has_leak: bool = False
    """Whether a leak is known of these runs, so that part of their difference may be no luck."""
    assumed: float | None = None
    """How often an honest rerun would pass if two runs differed as much as the median pair of agents on the board."""

    @property
    def is_widened(self) -> bool:
        """Whether the margin goes by how much runs differ."""
        return self.margin > self.fixed + ROUNDING

    @property
    def is_out_of_reach(self) -> bool:
        """Whether honest reruns pass less often than is wanted."""
        return self.wanted is not None and self.wanted > self.margin + ROUNDING


def fixed_margin(score: Score) -> float:
    """Return the least margin of a rerun: a tenth of the scale, and no more than half of the score."""
    value, highest = abs(score.value or 0.0), score.metric.highest
    return value / 10 if highest is None else min(highest / 10, value / 2)


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A submission that was run again."""

    finding: Finding
    """Who did it, and when."""
    rerun: str
    """Name of the maintainers' own submission."""
    first: Score
    """What the submission scores, by the headline metric."""
    second: Score
    lead: Paired | None
    """How far the rerun lies above the submission; None where the two can't be held against each other."""
    obstacle: str = ""
    """Then, why."""
    terms: RerunTerms | None = None
    """What the two are held against; None where they cannot be."""

    @property
    def margin(self) -> float:
        """Within how much two runs are the same."""
        return self.terms.margin if self.terms else fixed_margin(self.first)

    @property
    def holds(self) -> bool:
        """Whether the two are shown to be the same, within the margin."""
        return self.lead is not None and self.lead.margin <= self.margin + ROUNDING

    @property
    def differs(self) -> bool:
        """Whether the two are told apart."""
        return self.lead is not None and not self.holds and self.lead.is_shown

    @property
    def words(self) -> str:
        """Both scores, how far they lie apart and what that shows, in a sentence without an end."""
        scores = (
            f"{self.first.metric.title} {self.first.text} here, {self.second.text} when run again"
        )
        if self.lead is None:
            return f"{scores}; {self.obstacle}"
        digits, found = self.first.metric.decimals, self.lead
        apart = f"{found.value:+.{digits}f} ({found.interval.low:+.{digits}f} to {found.interval.high:+.{digits}f})"
        within = f"within {found.margin:.{digits}f}, where {self.margin:.{digits}f} is asked for"
        if self.holds:
            return f"{scores}: {apart}, shown to be the same {within}"
        shown = "shown to differ" if self.differs else "not shown to be the same"
        return f"{scores}: {apart}, {shown}; they would be {within}"


def reproductions_on(
    results: BenchmarkResults,
    track: Track,
    entries: Sequence[Entry],
    certainty: Certainty,
    terms_of: Callable[[Entry], RerunTerms | None],
) -> Mapping[str, tuple[Reproduction, ...]]:
    """Hold the submissions of a track that were run again against their reruns; by the submission's name."""
    rows = {entry.id: entry for entry in entries}
    found: dict[str, tuple[Reproduction, ...]] = {}
    for _, finding, first, rerun in _pairs(results, track):
        if _mismatch(first, rerun, results.benchmark):
            continue
        one, other = rows[first.id], rows[rerun.id]
        ours, theirs = (entry.scores[certainty.headline.id] for entry in (one, other))
        obstacle = _obstacle(one, other, certainty)
        (lead,) = [None] if obstacle else certainty.paired(certainty.headline, other, [one])
        held = Reproduction(finding, other.id, ours, theirs, lead, obstacle, terms_of(one))
        found[first.id] = (*found.get(first.id, ()), held)
    return found


def reproduction_problems(bundle: Bundle, found: Sequence[Reproduction]) -> Iterator[Problem]:
    """Say which reruns of a submission do not bear it out, and which tell nothing."""
    for each in found:
        rule = REPRODUCTION_DIFFERS if each.differs else REPRODUCTION_UNDECIDED
        if not each.holds:
            what = f"the rerun {each.rerun} of {each.finding.date}: {each.words}"
            yield rule.broken(bundle.path / "submission.toml", None, what)


def stray_reproductions(results: BenchmarkResults, track: Track) -> Iterator[Problem]:
    """Which reproductions of a track's readable submissions name a rerun that is none."""
    for line, _, first, rerun in _pairs(results, track):
        what = _mismatch(first, rerun, results.benchmark)
        if what:
            yield REPRODUCTION_ASTRAY.broken(results.path / "findings.toml", line, what)


def _pairs(
    results: BenchmarkResults, track: Track
) -> Iterator[tuple[int | None, Finding, Bundle, Bundle]]:
    """Finding's line, finding, submission of the track, and its rerun, whichever track that is on."""
    known = {bundle.id: bundle for bundle in results.bundles}
    entered = {bundle.id: bundle for bundle in results.bundles_of(track)}
    for line, finding in results.numbered_findings():
        if finding.kind != "reproduction" or (finding.tracks and track.id not in finding.tracks):
            continue
        rerun = known.get(finding.rerun or "")
        firsts = filter(None, map(entered.get, finding.submissions))
        yield from ((line, finding, first, rerun) for first in firsts if rerun)


def _mismatch(first: Bundle, rerun: Bundle, benchmark: Benchmark) -> str:
    """Say why a submission is no rerun of another; empty where it is one."""
    if first is rerun:
        return f"{first.id} is named as the rerun of itself"
    ours, theirs = first.submission, rerun.submission
    if ours.track != theirs.track:
        return f"{rerun.id}, named as the rerun of {first.id}, is on track {theirs.track}, not on {ours.track}"
    if same_agent(ours.agent, theirs.agent, benchmark.agent_name):
        return ""
    agents = (
        " · ".join(filter(None, (each.name, each.scaffold, each.reasoning)))
        for each in (theirs.agent, ours.agent)
    )
    return f"{rerun.id}, named as the rerun of {first.id}, is by {', not '.join(agents)}"


def _obstacle(first: Entry, rerun: Entry, certainty: Certainty) -> str:
    """Say why two headline scores can't be held against each other; empty where they can."""
    ours, theirs = (entry.scores[certainty.headline.id] for entry in (first, rerun))
    if rerun.status.state == "withdrawn":
        return "the rerun was withdrawn"
    if first.is_incomplete or rerun.is_incomplete:
        return "one of the two has no results for some of the tasks"
    if ours.value is None or theirs.value is None:
        return "one of the two is a gap"
    if ours.version != theirs.version:
        return "they follow two versions of the definition"
    return certainty.untested
