"""Submissions that maintainers ran again, and whether the reruns confirm their scores."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sitegen.board.agents import is_same_agent
from sitegen.board.entry import Entry
from sitegen.board.inference.board_inference import BoardInference
from sitegen.board.score import Score
from sitegen.metrics.paired import PairedDifference
from sitegen.metrics.tolerances import SCORE_TOLERANCE
from sitegen.models.benchmark import Benchmark, Track
from sitegen.models.finding import Finding
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.submission import Agent
from sitegen.problems import Problem, Rule, reasons

REPRODUCTION_ASTRAY = Rule.error(
    "REPRODUCTION-ASTRAY",
    "A reproduction does not name two submissions of one agent on one track.",
    "name the maintainers' submission in `rerun`, and the submission that it checks in "
    "`submissions`",
    unwaivable=reasons.OWN,
)
REPRODUCTION_DIFFERS = Rule.warning(
    "REPRODUCTION-DIFFERS",
    "The score of a maintainers' rerun differs significantly from the submission's score.",
    "ask the submitter how the runs differ; a submission that nobody can reproduce may be "
    "withdrawn",
)
REPRODUCTION_UNDECIDED = Rule.note(
    "REPRODUCTION-UNDECIDED",
    "A submission and its rerun can't be compared by the headline score.",
    "nothing needs to be done: the rerun does not count as evidence until they can be compared",
)


@dataclass(frozen=True, slots=True)
class RerunTerms:
    """The margin within which a rerun reproduces a submission, and how often an honest rerun does.

    Shares are from 0 to 1, margins in the unit of the headline score.
    """

    margin: float
    """The margin within which both scores must be shown to be the same."""
    fixed: float
    """The smallest margin ever used; see `fixed_margin`."""
    alike_pairs: int
    """The number of pairs of the board's agents that are shown to be the same within the margin."""
    pairs: int
    """The number of pairs of different agents on the board."""
    chance: float | None = None
    """The share of honest reruns that pass; None if the variance between runs is not known."""
    chance_range: tuple[float, float] | None = None
    """The lowest and the highest plausible value of `chance`; None if not known."""
    chance_at_fixed: float | None = None
    """The share of honest reruns that would pass within the fixed margin."""
    wanted: float | None = None
    """The smallest margin, at least the fixed one, within which 80 % of honest reruns pass."""
    alike_pairs_at_wanted: int = 0
    """The number of pairs of the board's agents that are the same within the wanted margin."""
    zero_could_pass: bool = False
    """Whether a rerun that scores nothing could pass within the wanted margin."""
    source: str = ""
    """The source of the variance between runs, as a phrase after "judging by"."""
    has_leak: bool = False
    """Whether a leak is known for these runs; their difference may then not be due to chance."""
    chance_if_like_agents: float | None = None
    """The share of reruns that would pass if runs differed like the median pair of agents."""

    @property
    def is_widened(self) -> bool:
        """Whether the margin is wider than the fixed margin."""
        return self.margin > self.fixed + SCORE_TOLERANCE

    @property
    def is_out_of_reach(self) -> bool:
        """Whether the margin is below the wanted margin, so honest reruns pass less often."""
        return self.wanted is not None and self.wanted > self.margin + SCORE_TOLERANCE


def fixed_margin(score: Score) -> float:
    """Return the smallest margin of a rerun: 10 % of the scale, at most half of the score.

    For a metric without a highest score, it is 10 % of the score.
    """
    value = abs(score.value or 0.0)
    highest = score.metric.highest
    if highest is None:
        return value / 10
    return min(highest / 10, value / 2)


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A submission that was run again."""

    finding: Finding
    """The finding that says who ran it again, and when."""
    rerun: str
    """The id of the maintainers' own submission."""
    first: Score
    """The submission's headline score."""
    second: Score
    """The rerun's headline score."""
    lead: PairedDifference | None
    """The rerun's score minus the submission's score; None if they cannot be compared."""
    obstacle: str = ""
    """Why the scores cannot be compared; otherwise empty."""
    terms: RerunTerms | None = None
    """The margin within which the rerun must agree; None if the score cannot be tested."""

    @property
    def margin(self) -> float:
        """The margin within which two runs count as the same."""
        if not self.terms:
            return fixed_margin(self.first)
        return self.terms.margin

    @property
    def holds(self) -> bool:
        """Whether both scores are shown to be the same, within the margin."""
        return self.lead is not None and self.lead.margin <= self.margin + SCORE_TOLERANCE

    @property
    def differs(self) -> bool:
        """Whether both scores are shown to differ."""
        return self.lead is not None and not self.holds and self.lead.is_shown

    @property
    def words(self) -> str:
        """Both scores, their difference and what it shows, as a sentence without its full stop."""
        metric = self.first.metric
        scores = f"{metric.title} {self.first.text} here, {self.second.text} when run again"
        if self.lead is None:
            return f"{scores}; {self.obstacle}"
        decimals = metric.decimals
        interval = self.lead.interval
        difference = (
            f"{self.lead.value:+.{decimals}f} "
            f"({interval.low:+.{decimals}f} to {interval.high:+.{decimals}f})"
        )
        within = (
            f"within {self.lead.margin:.{decimals}f}, where {self.margin:.{decimals}f} is required"
        )
        if self.holds:
            return f"{scores}: {difference}, shown to be the same {within}"
        shown = "not shown to be the same"
        if self.differs:
            shown = "shown to differ"
        return f"{scores}: {difference}, {shown}; they would be {within}"


def reproductions_on(
    results: BenchmarkResults,
    track: Track,
    entries: Sequence[Entry],
    inference: BoardInference,
    terms_of: Callable[[Entry], RerunTerms | None],
) -> Mapping[str, tuple[Reproduction, ...]]:
    """Return comparisons of submissions that were run again with their reruns.

    Args:
        results: The benchmark's results.
        track: The track.
        entries: Every row of the track.
        inference: The tests of the track's board.
        terms_of: Returns the terms that apply to a row's reruns.

    Returns:
        The reproductions of each submission, by its id.
    """
    rows = {entry.id: entry for entry in entries}
    headline = inference.headline
    reproductions: dict[str, tuple[Reproduction, ...]] = {}
    for _, finding, bundle, rerun_bundle in _pairs(results, track):
        if _mismatch(bundle, rerun_bundle, results.benchmark):
            continue
        first = rows[bundle.id]
        rerun = rows[rerun_bundle.id]
        obstacle = _obstacle(first, rerun, inference)
        lead = None
        if not obstacle:
            lead = inference.paired(headline, rerun, [first])[0]
        reproduction = Reproduction(
            finding,
            rerun.id,
            first.scores[headline.id],
            rerun.scores[headline.id],
            lead,
            obstacle,
            terms_of(first),
        )
        reproductions[first.id] = (*reproductions.get(first.id, ()), reproduction)
    return reproductions


def reproduction_problems(
    bundle: Bundle, reproductions: Sequence[Reproduction]
) -> Iterator[Problem]:
    """Yield a problem for each rerun that does not confirm a submission."""
    for reproduction in reproductions:
        if reproduction.holds:
            continue
        rule = REPRODUCTION_UNDECIDED
        if reproduction.differs:
            rule = REPRODUCTION_DIFFERS
        day = reproduction.finding.date
        message = f"the rerun {reproduction.rerun} of {day}: {reproduction.words}"
        yield rule.broken(bundle.path / "submission.toml", None, message)


def stray_reproductions(results: BenchmarkResults, track: Track) -> Iterator[Problem]:
    """Yield a problem for each reproduction on a track that names an invalid rerun."""
    for line, _, first, rerun in _pairs(results, track):
        message = _mismatch(first, rerun, results.benchmark)
        if message:
            yield REPRODUCTION_ASTRAY.broken(results.path / "findings.toml", line, message)


def _pairs(
    results: BenchmarkResults, track: Track
) -> Iterator[tuple[int | None, Finding, Bundle, Bundle]]:
    """Yield the line of a finding, the finding, a submission of the track, and its rerun.

    The rerun may be on any track.
    """
    bundles = {bundle.id: bundle for bundle in results.bundles}
    on_track = {}
    for bundle in results.bundles_of(track):
        on_track[bundle.id] = bundle
    for line, finding in results.numbered_findings():
        if finding.kind != "reproduction" or not finding.is_on(track.id):
            continue
        rerun = bundles.get(finding.rerun or "")
        if rerun is None:
            continue
        for submission_id in finding.submissions:
            if submission_id in on_track:
                yield line, finding, on_track[submission_id], rerun


def _mismatch(first: Bundle, rerun: Bundle, benchmark: Benchmark) -> str:
    """Return why a submission is not a rerun of another submission; empty if it is a rerun."""
    if first is rerun:
        return f"{first.id} is listed as a rerun of itself"
    named = f"{rerun.id}, listed as a rerun of {first.id}, is"
    track = first.submission.track
    rerun_track = rerun.submission.track
    if track != rerun_track:
        return f"{named} on track {rerun_track}, not on {track}"
    agent = first.submission.agent
    rerun_agent = rerun.submission.agent
    if is_same_agent(agent, rerun_agent, benchmark.agent_name):
        return ""
    return f"{named} by {_agent_settings(rerun_agent)}, not {_agent_settings(agent)}"


def _agent_settings(agent: Agent) -> str:
    return " · ".join(filter(None, (agent.name, agent.scaffold, agent.reasoning)))


def _obstacle(first: Entry, rerun: Entry, inference: BoardInference) -> str:
    """Return why two headline scores cannot be compared; empty if they can be."""
    score = first.scores[inference.headline.id]
    rerun_score = rerun.scores[inference.headline.id]
    if rerun.status.state == "withdrawn":
        return "the rerun was withdrawn"
    if first.has_missing_tasks or rerun.has_missing_tasks:
        return "one of the two has no results for some of the tasks"
    if score.value is None or rerun_score.value is None:
        return "one of the two scores is a gap"
    if score.version != rerun_score.version:
        return "the two scores follow different versions of the definition"
    return inference.untested_order
