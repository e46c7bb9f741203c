"""Simulate the submissions to a benchmark, their runs, and the findings about them."""

from binascii import crc32
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal
from enum import IntEnum
from math import exp
from random import Random
from statistics import fmean

from sitegen.importers.kit.cases import count_by_category
from sitegen.importers.kit.drafts import bundle_id
from sitegen.importers.simulation.benchmark import CHAIN, SimulationScale, dice
from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.results import arrange_results
from sitegen.models.benchmark import Track
from sitegen.models.finding import Finding
from sitegen.models.incoming import Draft
from sitegen.models.outcome import Failure, RoundResult, RunFigures, Start, State
from sitegen.models.submission import (
    Agent,
    CaseDetail,
    Claims,
    Detail,
    Provenance,
    Status,
    Submission,
    Submitter,
)
from sitegen.models.task import Case, Task, TaskRound, TaskSet


class _Special(IntEnum):
    """Special features of agents, by rank from 0; small benchmarks lack some of them."""

    CLAIMED = 0
    """The agent claims its own scores."""
    PRINTED = 1
    """A third party published a different score for the agent."""
    PER_RUN = 2
    """The agent's harness counts interactions per run, not per round."""
    ENTERED_TWICE = 3
    """The agent has two submissions."""
    LEAKED = 4
    """The agent had read cases, and was resumed after rounds solved by the reference."""
    FAILURES_ONLY = 5
    """The agent's bundle lists only the cases that failed."""
    COUNTS_ONLY = 6
    """The agent's bundle contains only the number of failed cases."""
    UNPRICED = 7
    """The agent's costs are unknown."""


_FAMILIES = (
    "Alder",
    "Birch",
    "Cedar",
    "Dogwood",
    "Elder",
    "Gorse",
    "Hazel",
    "Ilex",
    "Katsura",
    "Ébène",
    "Larch",
    "Medlar",
)
_VARIANTS = ("-1", "-Large", " Mini", "-2", " Code", "-XL", "-3")
_ORGANIZATIONS = (
    "Example Labs",
    "Systèmes d'essai",
    "Placeholder Research",
    "Specimen Works",
    "Lorem Institute",
)
_SCAFFOLDS = (("sim-shell", "0.4"), ("example-agent", "2.1"), ("loop-and-patch", "1.0"))

CasesByRound = Mapping[tuple[str, int], Sequence[Case]]
"""The cases of each round, by the task and the number of the round."""

_FIRST_DAY = date(2026, 1, 12)
"""The first day on which an agent may enter."""

_STRONGEST = 4.4
"""Log odds that the first agent succeeds in a round on a task of average difficulty."""
_WEAKEST = -1.9
"""Log odds that the last agent succeeds in such a round."""

_MAX_TEXTS = 3000
"""Maximum number of described failures in a bundle; every failed round has at least one."""

_VERIFIER_FAILED = "verifier_failed"
"""The only cause after which an attempt continues, because the agent's work was complete."""

_CAUSES = ("agent_exhausted_budget", "sandbox_failed", "model_provider_failed", _VERIFIER_FAILED)

_COLLAPSES = (
    "ModuleNotFoundError: No module named 'app.cli'",
    "make: *** [Makefile:12: build] Error 2",
)

_SYMPTOMS = {
    "core": (
        "The answer lists every %(word)s once",
        "POST two of them, then GET /%(word)s?limit=%(n)s",
        '{"limit": %(n)s, "kind": "%(word)s"}',
        '{"count": 2, "items": ["%(word)s-1", "%(word)s-2"], "next": null}',
        '{"count": 3, "items": ["%(word)s-1", "%(word)s-1"], "next": "/%(word)s?page=2"}',
        "count: 2 != 3",
    ),
    "boundary": (
        "Names with markup and accents are written as they are",
        "Sort <b>Zoë</b>, Ángel and %(word)s, and render the report",
        "printf '<b>Zoë</b>\\nÁngel\\n%(word)s\\n' | app sort --html",
        "<td>Ángel</td>\n<td>%(word)s</td>\n<td>&lt;b&gt;Zoë&lt;/b&gt;</td>",
        "<td><b>Zoë</b></td>\n<td>%(word)s</td>\n<td>Ángel</td>",
        'line 1: the report contains a "<b>" that a user typed',
    ),
    "error": (
        "The error names the line",
        "Import a file whose line %(n)s lacks a closing quote",
        'id,name\n%(n)s,"%(word)s\n',
        "error: line %(n)s: unterminated string",
        "error: invalid input",
        "'line %(n)s' not found in standard error",
    ),
    "integration": (
        "Prices keep their currency",
        "Convert %(n)s.50 € to ¥ and back",
        "app convert %(n)s.50 EUR JPY | app convert - JPY EUR",
        "%(n)s.50 €",
        "%(n)s.47 €",
        "the round trip of %(word)s lost more than a cent",
    ),
}
"""Texts of a failed case by its category: intent, scenario, input, expected, actual and reason.

`%(word)s` and `%(n)s` are filled in.
"""

_CRASHES = (
    (
        (
            "Traceback (most recent call last):\n"
            "  File \"app/cli.py\", line %(n)s\nKeyError: '%(word)s'"
        ),
        "it raised",
    ),
    (
        "curl: (28) Operation timed out after 30000 milliseconds with 0 bytes received",
        "no answer within 30 s",
    ),
)
"""Outputs of a program that crashes, each with the reason for the failure."""

_WORDS = ("plum", "parcel", "ticket", "token", "window", "batch", "anchor", "ledger", "tide")

_MAX_TEXT_LENGTH = 1_500


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt at a task. A case that the agent breaks stays broken until the agent fixes it."""

    task: Task
    number: int
    rng: Random
    slip: float
    """Chance that new work fails the cases of a requirement; the other chances derive from it."""
    pace: float
    """Typical number of tool calls in a round."""
    price: float
    """US dollars per million input tokens; output tokens cost 20 times as much."""
    idle: dict[int, State]
    """States of the rounds on which the agent does not work, by the number of the round."""
    broken: dict[str, str] = field(default_factory=dict)
    """Outcome letter of each broken case, by its id."""

    def rounds(self, start: Start, *, stops: bool) -> Iterator[RoundResult]:
        """Yield the results of all rounds.

        Args:
            start: Whether each round begins from the agent's previous round or from the reference.
            stops: Whether the attempt ends with the first failure.
        """
        is_over = False
        for task_round in self.task.rounds:
            if start == "reference":
                self.broken.clear()
            number = task_round.n
            state = self.idle.get(number)
            if state is None and is_over:
                state = "unreached"
            if state:
                yield RoundResult(self.task.id, self.number, number, state, 0.0, 0, 0, start=start)
                continue
            result = self._worked_on(task_round, start)
            yield result
            if start == "own":
                gave_up = result.state == "aborted" and result.cause != _VERIFIER_FAILED
                is_over = gave_up or (stops and not result.solved)

    def _worked_on(self, task_round: TaskRound, start: Start) -> RoundResult:
        """Return the result of a round on which the agent works."""
        rng = self.rng
        self._change(task_round)
        interactions = max(1, round(self.pace * rng.uniform(0.5, 1.6)))
        turns = max(1, round(interactions * rng.uniform(0.7, 1.0)))
        input_tokens = round(turns * rng.uniform(10_000, 20_000))
        output_tokens = round(turns * rng.uniform(200, 600))
        graded = self._grade(task_round, start)
        cost_usd = self.price * (input_tokens + 20 * output_tokens) / 1_000_000
        agent_seconds = turns * rng.uniform(4, 12)
        return replace(
            graded,
            interactions=interactions,
            turns=turns,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            cost_usd=round(cost_usd, 3),
            agent_seconds=round(agent_seconds, 1),
        )

    def _grade(self, task_round: TaskRound, start: Start) -> RoundResult:
        """Return the result of a round, without usage figures."""
        state, cause, outcomes = self._outcome(task_round.cases or ())
        is_passed = bool(outcomes) and set(outcomes) <= {"p", "s"}
        return RoundResult(
            self.task.id,
            self.number,
            task_round.n,
            state,
            float(is_passed),
            passed=outcomes.count("p"),
            total=len(outcomes),
            skipped=outcomes.count("s") or None,
            start=start,
            outcomes=outcomes or None,
            cause=cause,
        )

    def _outcome(self, cases: Sequence[Case]) -> tuple[State, str | None, str]:
        """Return the state of a round, the cause if no case ran, and the outcomes of the cases."""
        rng = self.rng
        luck = rng.random() - 0.002 - 0.035 * self.slip
        if luck < 0:
            return "aborted", rng.choice(_CAUSES), ""
        if luck < 0.004 + 0.08 * self.slip**2:
            return "no_cases", rng.choice(_COLLAPSES), ""
        outcomes = [self.broken.get(case.id, "p") for case in cases]
        has_skipped_case = rng.random() < 0.08  # noqa: PLR2004 - rarely
        if has_skipped_case:
            outcomes[rng.randrange(len(cases))] = "s"
        return "scored", None, "".join(outcomes)

    def _change(self, task_round: TaskRound) -> None:
        """Carry out a request: fix some broken cases, and break some old or new cases."""
        rng = self.rng
        slip = self.slip
        cases = task_round.cases or ()
        self._fix(cases)
        origin = f"round-{task_round.n}"
        old_cases = [case for case in cases if case.origin != origin]
        new_cases = [case for case in cases if case.origin == origin]
        if task_round.n > 1 and rng.random() < 0.02 + 0.22 * slip:
            self._break(old_cases)
        chance = slip
        while rng.random() < chance:  # an agent that slips in a round is likely to slip again
            self._break(new_cases)
            chance = slip * 0.7

    def _fix(self, cases: Sequence[Case]) -> None:
        """Fix all broken cases of randomly chosen requirements."""
        chance = 0.12 + 0.6 * (1 - self.slip) ** 2
        is_fixed: dict[str | None, bool] = {}
        for case in cases:
            requirement = case.requirement
            if case.id in self.broken and requirement not in is_fixed:
                is_fixed[requirement] = self.rng.random() < chance
        for case in cases:
            if is_fixed.get(case.requirement):
                self.broken.pop(case.id, None)

    def _break(self, cases: Sequence[Case]) -> None:
        """Break one case, and some other cases of its requirement."""
        rng = self.rng
        victim = rng.choice(cases)
        for case in cases:
            is_broken = case is victim
            if not is_broken and case.requirement == victim.requirement:
                is_broken = rng.random() < 0.6  # noqa: PLR2004 - more often than not
            if is_broken:
                error_chance = 0.3 if case.category == "error" else 0.08
                is_error = rng.random() < error_chance
                self.broken[case.id] = "e" if is_error else "f"


def failures(
    agent: str, result: RoundResult, cases: Sequence[Case], limit: int
) -> Iterator[Failure]:
    """Yield the failures of a round with their texts.

    The texts depend on the agent, the task, the case and its status, but not on the run or round.

    Args:
        agent: The agent's name.
        result: The result of the round.
        cases: The cases of the round, in the order of its outcomes.
        limit: Maximum number of failures to describe.
    """
    outcomes = zip(cases, result.outcomes or "", strict=True)
    broken = [(case, letter) for case, letter in outcomes if letter in "fe"]
    broken_by_requirement = Counter(case.requirement for case, _ in broken)
    for case, letter in broken[:limit]:
        is_error = letter == "e"
        failure = Failure(
            result.task,
            result.attempt,
            result.round,
            case.id,
            status="error" if is_error else "failed",
            category=case.category,
            requirement=case.requirement,
            requirement_failed=broken_by_requirement[case.requirement],
            origin=case.origin,
            start=result.start,
        )
        texts = _texts(agent, result.task, case, is_error=is_error)
        intent, scenario, program_input, expected, actual, reason = texts
        yield replace(
            failure,
            intent=intent,
            scenario=scenario,
            input=program_input,
            expected=expected,
            actual=actual[:_MAX_TEXT_LENGTH],
            reason=reason,
            truncated=len(actual) > _MAX_TEXT_LENGTH,
        )


def _texts(agent: str, task: str, case: Case, *, is_error: bool) -> list[str]:
    """Return intent, scenario, input, expected and actual output, and reason of a failed case."""
    case_hash = _hash("all", task, case.id)
    agent_hash = _hash(agent, task, case.id)
    noun = _WORDS[case_hash % len(_WORDS)]
    values = {"word": noun, "n": 10 + case_hash % 80}
    templates = _SYMPTOMS[case.category or "core"]
    if is_error:
        crash = _CRASHES[agent_hash % len(_CRASHES)]
        templates = (*templates[:4], *crash)
    texts = [template % values for template in templates]
    if agent_hash % 25 == 0:  # a few programs print a log that is too long for a page
        for number in range(12 + agent_hash % 23):
            texts[4] += f'\n{number:>4} | {{"id": {number}, "name": "plum", "total": null}}'
    return texts


def _hash(*names: str) -> int:
    """Return a deterministic hash of the given names."""
    path = "/".join(names)
    return crc32(path.encode())


@dataclass(frozen=True, slots=True)
class SimulatedSubmission:
    """A submission of an agent, before its runs are simulated."""

    agent: Agent
    track: Track
    date: date
    skill: float
    """Log odds of success in a round on a task of average difficulty."""
    status: Status
    rank: int
    """Rank by skill, from 0; -1 for a submission that is superseded or withdrawn."""

    @property
    def id(self) -> str:
        """Name of the bundle's folder."""
        return bundle_id(self.date, self.agent.name)


def submissions(scale: SimulationScale, tracks: Sequence[Track]) -> list[SimulatedSubmission]:
    """Return all submissions to both tracks, even if superseded or withdrawn, sorted by id."""
    chain, fail_stop = tracks
    names = [_name(index) for index in range(scale.agents)]
    dice(scale.seed, "names").shuffle(names)
    entered = []
    for rank, name in enumerate(names):
        days = dice(scale.seed, "entered", name).randrange(130)
        day = _FIRST_DAY + timedelta(days=days)
        agent = _agent(scale, name)
        skill = _skill(scale, rank)
        submission = SimulatedSubmission(agent, chain, day, skill, Status(), rank)
        entered.append(submission)
        if 2 * rank < scale.agents:
            later_day = day + timedelta(days=9)
            entered.append(replace(submission, track=fail_stop, date=later_day))
        if rank == _Special.ENTERED_TWICE:
            entered.append(_superseded(submission))
    entered.append(_withdrawn(scale, chain))
    return sorted(entered, key=lambda submission: submission.id)


def _skill(scale: SimulationScale, rank: int) -> float:
    """Return the skill of a rank: evenly spaced, except that the fourth agent is near the third."""
    depth = rank if rank <= _Special.PER_RUN else rank - 0.98
    lowest_depth = max(1, scale.agents - 1)
    return _STRONGEST - (_STRONGEST - _WEAKEST) * (depth / lowest_depth)


def _superseded(submission: SimulatedSubmission) -> SimulatedSubmission:
    """Return an earlier submission that the given submission of an agent supersedes."""
    reason = "Run again after the harness had cut replies short."
    status = Status(state="superseded", by=submission.id, reason=reason, date=submission.date)
    day = submission.date - timedelta(days=10)
    skill = submission.skill - 0.6
    return replace(submission, date=day, skill=skill, status=status, rank=-1)


def _withdrawn(scale: SimulationScale, track: Track) -> SimulatedSubmission:
    """Return the withdrawn submission of an agent that had read the cases."""
    agent = _agent(scale, _name(scale.agents))
    day = date(2026, 4, 21)
    reason = "The agent's image contained the hidden cases, and its runs had read them."
    withdrawn = day + timedelta(days=17)
    status = Status(state="withdrawn", by=agent.organization, reason=reason, date=withdrawn)
    return SimulatedSubmission(agent, track, day, 2 * _STRONGEST, status, -1)


def _name(index: int) -> str:
    """Return the name of an agent: a family, a variant, and a series if the variants run out."""
    lap, family = divmod(index, len(_FAMILIES))
    variant = _VARIANTS[(lap + family) % len(_VARIANTS)]
    name = f"{_FAMILIES[family]}{variant}"
    series = lap // len(_VARIANTS) + 1
    if series > 1:
        name += f" Series {series}"
    return name


def _agent(scale: SimulationScale, name: str) -> Agent:
    """Return an agent with the given name, and with a random scaffold and other random facts."""
    rng = dice(scale.seed, "agent", name)
    scaffold, version = rng.choice(_SCAFFOLDS)
    (is_open,) = rng.choices((True, False), (2, 3))
    organization = rng.choice(_ORGANIZATIONS)
    reasoning = rng.choice((None, "low", "medium", "high"))
    model_age = timedelta(days=rng.randrange(150))
    return Agent(
        name=name,
        organization=organization,
        model=name.lower().replace(" ", "-"),
        scaffold=scaffold,
        scaffold_version=version,
        reasoning=reasoning,
        open_weights=is_open,
        model_license="Apache-2.0" if is_open else None,
        model_released=date(2025, 8, 1) + model_age,
    )


def bundle_of(
    entered: SimulatedSubmission, scale: SimulationScale, tasks: TaskSet, defect: Finding
) -> Draft:
    """Return the bundle of a submission; some bundles omit cases, costs or interactions."""
    rounds = list(_rounds(entered, scale, tasks, defect))
    claims = None
    if entered.track.id == CHAIN:
        claims = _claims(entered, tasks, rounds)
    cases = _cases_by_round(tasks)
    described_failures: list[Failure] = []
    if entered.rank != _Special.COUNTS_ONLY:
        described_failures = _failures(entered, rounds, cases)
    detail = _detail(entered.rank)
    if detail != "all":
        rounds = [_without_outcomes(result, cases) for result in rounds]
    if entered.rank == _Special.UNPRICED:
        rounds = [replace(result, cost_usd=None) for result in rounds]
    runs: list[RunFigures] = []
    if entered.rank == _Special.PER_RUN:
        runs = _run_figures(rounds)
        rounds = [replace(result, interactions=None) for result in rounds]
    submission = Submission(
        schema_version=1,
        track=entered.track.id,
        date=entered.date,
        agent=entered.agent,
        status=entered.status,
        provenance=_provenance(entered, scale),
        detail=Detail(cases=detail),
        claims=claims,
        submitter=_submitter(entered),
    )
    return Draft(entered.id, submission, tuple(rounds), tuple(runs), tuple(described_failures))


def _cases_by_round(tasks: TaskSet) -> CasesByRound:
    """Return the cases of each round, by task and number."""
    cases = {}
    for task in tasks.tasks:
        for task_round in task.rounds:
            cases[task.id, task_round.n] = task_round.cases or ()
    return cases


def _failures(
    entered: SimulatedSubmission, rounds: Sequence[RoundResult], cases: CasesByRound
) -> list[Failure]:
    """Return the described failures of a submission, limited to an equal number per round."""
    broken_rounds = [result for result in rounds if result.failed]
    limit = _MAX_TEXTS
    failure_count = sum(result.failed or 0 for result in broken_rounds)
    if failure_count > _MAX_TEXTS:
        limit = max(1, _MAX_TEXTS // len(broken_rounds))
    described: list[Failure] = []
    for result in broken_rounds:
        round_cases = cases[result.task, result.round]
        described += failures(entered.agent.name, result, round_cases, limit)
    return described


def _detail(rank: int) -> CaseDetail:
    """Return the level of detail about cases in the bundle of the agent with the given rank."""
    if rank == _Special.FAILURES_ONLY:
        return "failures"
    if rank == _Special.COUNTS_ONLY:
        return "counts"
    return "all"


def _without_outcomes(result: RoundResult, cases: CasesByRound) -> RoundResult:
    """Return a result with the numbers of cases by category instead of the cases' outcomes."""
    round_cases = cases[result.task, result.round]
    verdicts = []
    for case, letter in zip(round_cases, result.outcomes or "", strict=False):
        verdicts.append((case.category or "", letter == "p"))
    tallies = count_by_category(verdicts)
    return replace(result, outcomes=None, by_category=tallies or None)


def _run_figures(rounds: Sequence[RoundResult]) -> list[RunFigures]:
    """Return the mean interactions of each attempt."""
    interactions: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
    for result in rounds:
        if result.interactions is not None:
            interactions[result.task, result.attempt].append(result.interactions)
    figures = []
    for (task, attempt), counts in interactions.items():
        mean = round(fmean(counts), 1)
        figures.append(RunFigures(task, attempt, interactions_per_round=mean))
    return figures


def _states_little(entered: SimulatedSubmission) -> bool:
    """Return whether a submission states neither its submitter nor details of its provenance."""
    return entered.rank % 3 == 1


def _submitter(entered: SimulatedSubmission) -> Submitter | None:
    if _states_little(entered):
        return None
    return Submitter(name="The demo team", organization=entered.agent.organization)


def _provenance(entered: SimulatedSubmission, scale: SimulationScale) -> Provenance:
    """Return the provenance of a submission: the harness, and usually its version and commit."""
    if _states_little(entered):
        return Provenance(harness="sim")
    commit = dice(scale.seed, "commit", entered.id).getrandbits(160)
    started = entered.date - timedelta(days=4)
    finished = entered.date - timedelta(days=1)
    return Provenance(
        harness="sim",
        harness_version="1.0",
        code_commit=f"{commit:040x}",
        dirty=False,
        seeds=(scale.seed,),
        started=started,
        finished=finished,
    )


def _rounds(
    entered: SimulatedSubmission, scale: SimulationScale, tasks: TaskSet, defect: Finding
) -> Iterator[RoundResult]:
    """Yield the results of a submission, in the order of a bundle."""
    track = entered.track
    habits = dice(scale.seed, "pace", entered.agent.name)
    pace = habits.uniform(25, 110)
    price = habits.uniform(0.05, 0.9)
    for task in tasks.tasks:
        difficulty = dice(scale.seed, "difficulty", task.id).uniform(-0.9, 0.9)
        odds_of_success = exp(entered.skill - difficulty)
        slip = 1 / (1 + odds_of_success)
        for number in range(1, track.attempts + 1):
            idle: dict[int, State] = {}
            if task.id in defect.tasks:
                idle.update(dict.fromkeys(defect.rounds, "excluded"))
            if _is_resumed(entered, number) and task is tasks.tasks[0]:
                idle.update(dict.fromkeys((1, 2), "fast_forwarded"))
            rng = dice(scale.seed, "run", entered.id, task.id, number)
            attempt = Attempt(task, number, rng, slip, pace, price, idle)
            yield from attempt.rounds("own", stops=track.protocol == "fail-stop")
            if track.reference_rounds and number == 1:
                yield from attempt.rounds("reference", stops=False)


def _is_resumed(entered: SimulatedSubmission, attempt: int) -> bool:
    """Return whether an attempt at the first task was resumed after rounds by the reference."""
    return entered.rank == _Special.LEAKED and entered.track.id == CHAIN and attempt == 1


def _claims(
    entered: SimulatedSubmission, tasks: TaskSet, rounds: Sequence[RoundResult]
) -> Claims | None:
    """Return the scores that an agent claims, or a score published by a third party."""
    if entered.rank not in {_Special.CLAIMED, _Special.PRINTED}:
        return None
    track = entered.track
    results = arrange_results(tasks.tasks, rounds, (), track.attempts, track.attempts)
    if entered.rank == _Special.CLAIMED:
        claims = {}
        for metric in track.columns[:2]:
            score = METRICS[metric].measure(results).value or 0.0
            claims[metric] = Decimal(f"{score:.1f}")
        return Claims.model_validate(claims)
    score = METRICS[track.headline].measure(results).value or 0.0
    published_score = Decimal(f"{abs(score - 2.7):.1f}")
    source = "Release notes of the agent (simulated)"
    return Claims.model_validate({"source": source, track.headline: published_score})


def defect_in(tasks: TaskSet) -> Finding:
    """Return the defect that excludes the middle round of the second task for all agents."""
    task = tasks.tasks[:2][-1]
    middle = len(task.rounds) // 2 + 1
    return _finding(
        8,
        "defect",
        "A round whose cases contradict its request",
        "Two cases expect the header that the request asks to remove. The round counts for nobody.",
        {"effect": "exclude", "tasks": (task.id,), "rounds": (middle,)},
    )


def later_findings(
    defect: Finding,
    tasks: TaskSet,
    entered: Sequence[SimulatedSubmission],
    bundles: Sequence[Draft],
) -> list[Finding]:
    """Return further findings: a note, a case that passes by chance, and an agent that read cases.

    Args:
        defect: The defect that was found first.
        tasks: The tasks.
        entered: The submissions.
        bundles: Their bundles, in the same order.
    """
    note = _finding(
        15,
        "note",
        "A request that could be read in two ways",
        "Its cases accept either reading, so no result changes.",
        {"tasks": defect.tasks, "rounds": (1,)},
    )
    chain_bundles = []
    leaked_bundles = []
    for submission, bundle in zip(entered, bundles, strict=True):
        if submission.track.id != CHAIN:
            continue
        chain_bundles.append(bundle)
        if submission.rank == _Special.LEAKED:
            leaked_bundles.append(bundle)
    return [note, *_flaky_case(tasks, chain_bundles), *_leak(leaked_bundles)]


def _flaky_case(tasks: TaskSet, bundles: Sequence[Draft]) -> list[Finding]:
    """Return a defect of the case that is most often the only failure of a round, if any.

    The first two tasks have no such defect, to keep them simple for new readers.
    """
    later_tasks = {task.id: task for task in tasks.tasks[2:]}
    failures_alone = Counter[tuple[str, int, int]]()
    for bundle in bundles:
        for result in bundle.rounds:
            if not result.outcomes or result.task not in later_tasks:
                continue
            letters = result.outcomes.strip("p")
            if letters in {"f", "e"}:
                case_index = result.outcomes.index(letters)
                failures_alone[result.task, result.round, case_index] += 1
    if not failures_alone:
        return []
    ((task_id, number, case_index), _) = failures_alone.most_common(1)[0]
    task_round = later_tasks[task_id].rounds[number - 1]
    case = (task_round.cases or ())[case_index]
    scope = {
        "effect": "exclude",
        "tracks": (CHAIN,),
        "tasks": (task_id,),
        "rounds": (number,),
        "cases": (case.id,),
    }
    reason = "It relies on the order of a set. Rounds with it are judged again without it."
    return [_finding(20, "defect", "A case that passes or fails by chance", reason, scope)]


def _leak(bundles: Sequence[Draft]) -> list[Finding]:
    """Return a finding about the last round that an agent passed after reading its cases."""
    passed = []
    for bundle in bundles:
        for result in bundle.rounds:
            if result.solved:
                passed.append((bundle.id, result))
    if not passed:
        return []
    bundle_name, result = passed[-1]
    scope = {
        "effect": "zero",
        "submissions": (bundle_name,),
        "tasks": (result.task,),
        "rounds": (result.round,),
    }
    reason = (
        "Its commands list the folder with the cases before the first edit. "
        "The round counts as 0 for this agent."
    )
    return [_finding(22, "leak", "An agent had read the cases of a round", reason, scope)]


def _finding(day: int, kind: str, title: str, reason: str, scope: Mapping[str, object]) -> Finding:
    """Return a finding that is dated on the given day of June 2026."""
    fields = {
        "date": date(2026, 6, day),
        "kind": kind,
        "title": title,
        "reason": reason,
        "by": "Demo maintainers",
    }
    return Finding.model_validate({**fields, **scope})
