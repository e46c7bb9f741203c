"""Who entered the simulated benchmark, what each attempt left behind, and what was found wrong with it afterwards."""

from binascii import crc32
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal
from math import exp
from random import Random
from statistics import fmean

from sitegen.importers.kit.cases import by_category
from sitegen.importers.kit.drafts import bundle_id
from sitegen.importers.simulation.benchmark import CHAIN, Scale, dice
from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.grids import sheet_of
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
from sitegen.problems import grouped

_CLAIMED, _PRINTED, _PER_RUN, _ENTERED_TWICE, _LEAKED, _FAILURES_ONLY, _COUNTS_ONLY, _UNPRICED = (
    range(8)
)
"""What is special about an agent, by its rank from 0, so that small benchmarks lack some of it.

It claims its own scores; somebody printed another score of it; its harness counts interactions by run; it entered
twice; it had read cases, and was resumed after rounds that the reference did; its bundle holds the cases that failed,
or their number alone; nobody knows its costs.
"""

_FAMILIES = (
    "Alder", "Birch", "Cedar", "Dogwood", "Elder", "Gorse", "Hazel", "Ilex", "Katsura", "Ébène", "Larch", "Medlar",
)  # fmt: skip
_VARIANTS = ("-1", "-Large", " Mini", "-2", " Code", "-XL", "-3")
_ORGANIZATIONS = (
    "Example Labs",
    "Systèmes d'essai",
    "Placeholder Research",
    "Specimen Works",
    "Lorem Institute",
)
_SCAFFOLDS = (("sim-shell", "0.4"), ("example-agent", "2.1"), ("loop-and-patch", "1.0"))

_STRONGEST, _WEAKEST = 4.4, -1.9
"""Log odds of the first and of the last agent that a round on a task of middling difficulty goes well."""

_TEXTS = 3000
"""About how many texts of failures a bundle holds at most, spread over its rounds; every round may have one."""


_GONE_ON = "verifier_failed"
"""The one cause after which an attempt goes on: the agent's work was done."""

_CAUSES = ("agent_exhausted_budget", "sandbox_failed", "model_provider_failed", _GONE_ON)

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
"""Texts of a failed case by its category, with blanks: intent, scenario, input, expected, actual and reason."""

_CRASHES = (
    (
        "Traceback (most recent call last):\n  File \"app/cli.py\", line %(n)s\nKeyError: '%(word)s'",
        "it raised",
    ),
    (
        "curl: (28) Operation timed out after 30000 milliseconds with 0 bytes received",
        "no answer within 30 s",
    ),
)
"""What comes out where the program breaks off, and the reason."""

_WORDS = ("plum", "parcel", "ticket", "token", "window", "batch", "anchor", "ledger", "tide")

_CUT = 1_500


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt at a task. What the agent breaks stays broken until it is mended."""

    task: Task
    number: int
    rng: Random
    slip: float
    """Chance that a part of new work fails its cases; the other chances follow from it."""
    pace: float
    """Tool calls in a usual round."""
    price: float
    """US dollars per million tokens of input; output costs 20 times as much."""
    idle: dict[int, State]
    """States of the rounds that the agent has no part in, by number."""
    broken: dict[str, str] = field(default_factory=dict)
    """Letter of `outcomes` by the name of each broken case."""

    def rounds(self, start: Start, *, stops: bool) -> Iterator[RoundResult]:
        """Records of all rounds, each from what the one before left or from the reference; a failure may end them."""
        over = False
        for each in self.task.rounds:
            if start == "reference":
                self.broken.clear()
            idle: State | None = self.idle.get(each.n, "unreached" if over else None)
            if idle:
                yield RoundResult(self.task.id, self.number, each.n, idle, 0.0, 0, 0, start=start)
                continue
            self._change(each)
            rng, cases = self.rng, each.cases or ()
            interactions = max(1, round(self.pace * rng.uniform(0.5, 1.6)))
            turns = max(1, round(interactions * rng.uniform(0.7, 1.0)))
            input_tokens = round(turns * rng.uniform(10_000, 20_000))
            output_tokens = round(turns * rng.uniform(200, 600))
            state: State = "scored"
            outcomes, cause = "", None
            fate = rng.random() - 0.002 - 0.035 * self.slip
            if fate < 0:
                state, cause = "aborted", rng.choice(_CAUSES)
            elif fate < 0.004 + 0.08 * self.slip**2:
                state, cause = "no_cases", rng.choice(_COLLAPSES)
            else:
                outcomes = "".join([self.broken.get(case.id, "p") for case in cases])
                if rng.random() < 0.08:  # noqa: PLR2004 - seldom
                    place = rng.randrange(len(cases))
                    outcomes = f"{outcomes[:place]}s{outcomes[place + 1 :]}"
            cost = round(self.price * (input_tokens + 20 * output_tokens) / 1_000_000, 3)
            reward = float(bool(outcomes) and {*outcomes} <= {"p", "s"})
            result = RoundResult(
                *(
                    self.task.id,
                    self.number,
                    each.n,
                    state,
                    reward,
                    outcomes.count("p"),
                    len(outcomes),
                ),
                *(outcomes.count("s") or None, start, outcomes or None),
                interactions=interactions,
                turns=turns,
                input_tokens=input_tokens,
                output_tokens=output_tokens,
                cost_usd=cost,
                agent_seconds=round(turns * rng.uniform(4, 12), 1),
                cause=cause,
            )
            gave_up = state == "aborted" and cause != _GONE_ON
            over = start == "own" and (gave_up or (stops and not result.solved))
            yield result

    def _change(self, each: TaskRound) -> None:
        """Carry out a request: mend some of what is broken, and break something old or new."""
        rng, slip, cases, here = self.rng, self.slip, each.cases or (), f"round-{each.n}"
        suspects = (
            dict.fromkeys(case.requirement for case in cases if case.id in self.broken)
            if self.broken
            else ()
        )
        mended = {name for name in suspects if rng.random() < 0.12 + 0.6 * (1 - slip) ** 2}
        for case in cases if mended else ():
            if case.requirement in mended:
                self.broken.pop(case.id, None)
        if each.n > 1 and rng.random() < 0.02 + 0.22 * slip:
            self._break([case for case in cases if case.origin != here])
        chance = slip
        while rng.random() < chance:  # whoever slips once in a round is likely to slip again in it
            self._break([case for case in cases if case.origin == here])
            chance = slip * 0.7

    def _break(self, cases: Sequence[Case]) -> None:
        """Break one case, and some others of its requirement."""
        victim, often = self.rng.choice(cases), 0.6
        for case in cases:
            if case is victim or (
                case.requirement == victim.requirement and self.rng.random() < often
            ):
                is_error = self.rng.random() < (0.3 if case.category == "error" else 0.08)
                self.broken[case.id] = "e" if is_error else "f"


def failures(
    agent: str, result: RoundResult, cases: Sequence[Case], limit: int
) -> Iterator[Failure]:
    """Texts of the cases of a round that did not pass, up to a limit.

    A case asks for the same in every run, and where it stays broken it fails alike in every round.
    """
    ended = zip(cases, result.outcomes or "", strict=True)
    broken = [(case, letter) for case, letter in ended if letter in "fe"]
    often = Counter(case.requirement for case, _ in broken)
    for case, letter in broken[:limit]:
        asked, luck = (
            crc32(f"{whose}/{result.task}/{case.id}".encode()) for whose in ("all", agent)
        )
        blanks = {"word": _WORDS[asked % len(_WORDS)], "n": 10 + asked % 80}
        texts = _SYMPTOMS[case.category or "core"]
        if letter == "e":
            texts = (*texts[:4], *_CRASHES[luck % len(_CRASHES)])
        intent, scenario, given, expected, actual, reason = (text % blanks for text in texts)
        if (
            luck % 25 == 0
        ):  # a few programs leave a log behind, long enough to be a nuisance on a page
            actual += "".join(
                f'\n{n:>4} | {{"id": {n}, "name": "plum", "total": null}}'
                for n in range(12 + luck % 23)
            )
        yield Failure(
            *(
                result.task,
                result.attempt,
                result.round,
                case.id,
                "error" if letter == "e" else "failed",
            ),
            *(case.category, case.requirement, often[case.requirement], case.origin),
            *(intent, scenario, given, expected, actual[:_CUT], reason),
            truncated=len(actual) > _CUT,
            start=result.start,
        )


@dataclass(frozen=True, slots=True)
class Entry:
    """One submission of an agent, before its runs are made up."""

    agent: Agent
    track: Track
    date: date
    skill: float
    """Log odds that a round on a task of middling difficulty goes well."""
    status: Status
    rank: int
    """Place by strength, from 0; -1 for what no longer stands."""

    @property
    def id(self) -> str:
        """Name of the bundle's folder."""
        return bundle_id(self.date, self.agent.name)


def entries(scale: Scale, tracks: Sequence[Track]) -> list[Entry]:
    """Every submission by its id: the board of each track, one that was superseded and one that was withdrawn."""
    chain, fail_stop = tracks
    names = [_name(place) for place in range(scale.agents)]
    dice(scale.seed, "names").shuffle(names)
    entered = []
    for rank, name in enumerate(names):
        day = date(2026, 1, 12) + timedelta(days=dice(scale.seed, "entered", name).randrange(130))
        depth = (rank if rank <= _PER_RUN else rank - 0.98) / max(
            1, scale.agents - 1
        )  # the fourth is near the third
        skill = _STRONGEST - (_STRONGEST - _WEAKEST) * depth
        entry = Entry(_agent(scale, name), chain, day, skill, Status(), rank)
        entered.append(entry)
        if 2 * rank < scale.agents:
            entered.append(replace(entry, track=fail_stop, date=day + timedelta(days=9)))
        if rank == _ENTERED_TWICE:
            why = "Run again after the harness had cut replies short."
            status = Status(state="superseded", by=entry.id, reason=why, date=day)
            earlier = day - timedelta(days=10)
            entered.append(replace(entry, date=earlier, skill=skill - 0.6, status=status, rank=-1))
    cheat, day = _agent(scale, _name(scale.agents)), date(2026, 4, 21)
    why = "The agent's image held the hidden cases, and its runs had read them."
    status = Status(
        state="withdrawn", by=cheat.organization, reason=why, date=day + timedelta(days=17)
    )
    entered.append(Entry(cheat, chain, day, 2 * _STRONGEST, status, -1))
    return sorted(entered, key=lambda entry: entry.id)


def _name(place: int) -> str:
    lap, family = divmod(place, len(_FAMILIES))
    series = f" Series {lap // len(_VARIANTS) + 1}" if lap >= len(_VARIANTS) else ""
    return _FAMILIES[family] + _VARIANTS[(lap + family) % len(_VARIANTS)] + series


def _agent(scale: Scale, name: str) -> Agent:
    rng = dice(scale.seed, "agent", name)
    scaffold, version = rng.choice(_SCAFFOLDS)
    (is_open,) = rng.choices((True, False), (2, 3))
    return Agent(
        name=name,
        organization=rng.choice(_ORGANIZATIONS),
        model=name.lower().replace(" ", "-"),
        scaffold=scaffold,
        scaffold_version=version,
        reasoning=rng.choice((None, "low", "medium", "high")),
        open_weights=is_open,
        model_license="Apache-2.0" if is_open else None,
        model_released=date(2025, 8, 1) + timedelta(days=rng.randrange(150)),
    )


def bundle_of(entry: Entry, scale: Scale, tasks: TaskSet, defect: Finding) -> Draft:
    """The runs of an entry, with its manifest: some harnesses write down less than others."""
    rounds, runs, rank = list(_rounds(entry, scale, tasks, defect)), [], entry.rank
    claims = _claims(entry, tasks, rounds) if entry.track.id == CHAIN else None
    cases = {(task.id, each.n): each.cases or () for task in tasks.tasks for each in task.rounds}
    broken = [each for each in rounds if each.failed and rank != _COUNTS_ONLY]
    limit = (
        _TEXTS
        if sum(each.failed or 0 for each in broken) <= _TEXTS
        else max(1, _TEXTS // len(broken))
    )
    texts = [
        text
        for each in broken
        for text in failures(entry.agent.name, each, cases[each.task, each.round], limit)
    ]
    detail: CaseDetail = (
        "failures" if rank == _FAILURES_ONLY else "counts" if rank == _COUNTS_ONLY else "all"
    )
    if detail != "all":
        for place, each in enumerate(rounds):
            ended = zip(cases[each.task, each.round], each.outcomes or "", strict=False)
            tallies = by_category((case.category or "", letter == "p") for case, letter in ended)
            rounds[place] = replace(each, outcomes=None, by_category=tallies or None)
    if rank == _UNPRICED:
        rounds = [replace(each, cost_usd=None) for each in rounds]
    if rank == _PER_RUN:
        told = ((each, each.interactions) for each in rounds if each.interactions is not None)
        counts = grouped(((each.task, each.attempt), calls) for each, calls in told)
        runs = [
            RunFigures(*run, interactions_per_round=round(fmean(found), 1))
            for run, found in counts.items()
        ]
        rounds = [replace(each, interactions=None) for each in rounds]
    is_shy = rank % 3 == 1
    provenance = Provenance(
        harness="sim",
        harness_version="1.0",
        code_commit=f"{dice(scale.seed, 'commit', entry.id).getrandbits(160):040x}",
        dirty=False,
        seeds=(scale.seed,),
        started=entry.date - timedelta(days=4),
        finished=entry.date - timedelta(days=1),
    )
    submission = Submission(
        schema_version=1,
        track=entry.track.id,
        date=entry.date,
        agent=entry.agent,
        status=entry.status,
        provenance=Provenance(harness="sim") if is_shy else provenance,
        detail=Detail(cases=detail),
        claims=claims,
        submitter=None
        if is_shy
        else Submitter(name="The demo team", organization=entry.agent.organization),
    )
    return Draft(entry.id, submission, tuple(rounds), tuple(runs), tuple(texts))


def _rounds(entry: Entry, scale: Scale, tasks: TaskSet, defect: Finding) -> Iterator[RoundResult]:
    """The records of a submission, in the order of a bundle."""
    habits = dice(scale.seed, "pace", entry.agent.name)
    pace, price = habits.uniform(25, 110), habits.uniform(0.05, 0.9)
    for task in tasks.tasks:
        ease = entry.skill - dice(scale.seed, "difficulty", task.id).uniform(-0.9, 0.9)
        excluded: dict[int, State] = dict.fromkeys(
            defect.rounds if task.id in defect.tasks else (), "excluded"
        )
        for number in range(1, entry.track.attempts + 1):
            is_resumed = (
                entry.rank == _LEAKED
                and entry.track.id == CHAIN
                and number == 1
                and task is tasks.tasks[0]
            )
            idle = excluded | (dict.fromkeys((1, 2), "fast_forwarded") if is_resumed else {})
            rng = dice(scale.seed, "run", entry.id, task.id, number)
            attempt = Attempt(task, number, rng, 1 / (1 + exp(ease)), pace, price, idle)
            yield from attempt.rounds("own", stops=entry.track.protocol == "fail-stop")
            if entry.track.reference_rounds and number == 1:
                yield from attempt.rounds("reference", stops=False)


def _claims(entry: Entry, tasks: TaskSet, rounds: Sequence[RoundResult]) -> Claims | None:
    """The scores that one agent states for itself, and the one that somebody else printed of another."""
    if entry.rank not in {_CLAIMED, _PRINTED}:
        return None
    sheet = sheet_of(tasks.tasks, rounds, (), entry.track.attempts, entry.track.attempts)
    found = {name: METRICS[name].measure(sheet).value or 0.0 for name in entry.track.columns[:2]}
    if entry.rank == _CLAIMED:
        return Claims.model_validate(
            {name: Decimal(f"{score:.1f}") for name, score in found.items()}
        )
    printed = Decimal(f"{abs(found[entry.track.headline] - 2.7):.1f}")
    return Claims.model_validate(
        {"source": "Release notes of the agent (simulated)", entry.track.headline: printed}
    )


def defect_in(tasks: TaskSet) -> Finding:
    """The round that counts for nobody: one in the middle of the second task, if there are two."""
    task = tasks.tasks[:2][-1]
    scope = {"effect": "exclude", "tasks": (task.id,), "rounds": (len(task.rounds) // 2 + 1,)}
    why = (
        "Two cases expect the header that the request asks to remove. The round counts for nobody."
    )
    return _finding(8, "defect", "A round whose cases contradict its request", why, scope)


def found_since(
    defect: Finding, tasks: TaskSet, entered: Sequence[Entry], bundles: Sequence[Draft]
) -> list[Finding]:
    """What else was found: a remark, a case that passes by chance, and an agent that had read cases."""
    why = "Its cases accept either reading, so no result changes."
    scope: dict[str, object] = {"tasks": defect.tasks, "rounds": (1,)}
    findings = [_finding(15, "note", "A request that could be read in two ways", why, scope)]
    on_chain = [
        (entry, each)
        for entry, each in zip(entered, bundles, strict=True)
        if entry.track.id == CHAIN
    ]
    # Such a case often fails a round by itself. The first two tasks have none, so that a first try is easy to read.
    later = {task.id: task for task in tasks.tasks[2:]}
    alone = Counter(
        (each.task, each.round, each.outcomes.index(letter))
        for _, bundle in on_chain
        for each in bundle.rounds
        if each.outcomes
        and each.task in later
        and (letter := each.outcomes.strip("p")) in {"f", "e"}
    )
    for (task, number, place), _ in alone.most_common(1):
        case = (later[task].rounds[number - 1].cases or ())[place]
        why = "It relies on the order of a set. Rounds with it are judged again without it."
        scope = {
            "effect": "exclude",
            "tracks": (CHAIN,),
            "tasks": (task,),
            "rounds": (number,),
            "cases": (case.id,),
        }
        findings.append(_finding(20, "defect", "A case that passes or fails by chance", why, scope))
    read = [
        (entry.id, each)
        for entry, made in on_chain
        if entry.rank == _LEAKED
        for each in made.rounds
        if each.solved
    ]
    for name, each in read[-1:]:
        why = "Its commands list the folder with the cases before the first edit. The round counts 0 for it."
        scope = {
            "effect": "zero",
            "submissions": (name,),
            "tasks": (each.task,),
            "rounds": (each.round,),
        }
        findings.append(_finding(22, "leak", "An agent had read the cases of a round", why, scope))
    return findings


def _finding(day: int, kind: str, title: str, reason: str, scope: Mapping[str, object]) -> Finding:
    told = {
        "date": date(2026, 6, day),
        "kind": kind,
        "title": title,
        "reason": reason,
        "by": "Demo maintainers",
    }
    return Finding.model_validate(told | dict(scope))
