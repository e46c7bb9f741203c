"""What one attempt at a task leaves behind: a record of every round, and texts of the cases that did not pass."""

from binascii import crc32
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from sitegen.models.outcome import Failure, RoundResult, Start, State
from sitegen.models.task import Case, Task, TaskRound

_GONE_ON = "verifier_failed"
"""The one cause after which an attempt goes on: the agent's work was done."""

_CAUSES = ("agent_exhausted_budget", "sandbox_failed", "model_provider_failed", _GONE_ON)

_COLLAPSES = ("ModuleNotFoundError: No module named 'app.cli'", "make: *** [Makefile:12: build] Error 2")

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
    ("Traceback (most recent call last):\n  File \"app/cli.py\", line %(n)s\nKeyError: '%(word)s'", "it raised"),
    ("curl: (28) Operation timed out after 30000 milliseconds with 0 bytes received", "no answer within 30 s"),
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
                *(self.task.id, self.number, each.n, state, reward, outcomes.count("p"), len(outcomes)),
                *(outcomes.count("s") or None, start, outcomes or None, None, None),
                *(interactions, turns, input_tokens, output_tokens, cost, round(turns * rng.uniform(4, 12), 1)),
                cause=cause,
            )
            gave_up = state == "aborted" and cause != _GONE_ON
            over = start == "own" and (gave_up or (stops and not result.solved))
            yield result

    def _change(self, each: TaskRound) -> None:
        """Carry out a request: mend some of what is broken, and break something old or new."""
        rng, slip, cases, here = self.rng, self.slip, each.cases or (), f"round-{each.n}"
        suspects = dict.fromkeys(case.requirement for case in cases if case.id in self.broken) if self.broken else ()
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
            if case is victim or (case.requirement == victim.requirement and self.rng.random() < often):
                is_error = self.rng.random() < (0.3 if case.category == "error" else 0.08)
                self.broken[case.id] = "e" if is_error else "f"


def failures(agent: str, result: RoundResult, cases: Sequence[Case], limit: int) -> Iterator[Failure]:
    """Texts of the cases of a round that did not pass, up to a limit.

    A case asks for the same in every run, and where it stays broken it fails alike in every round.
    """
    ended = zip(cases, result.outcomes or "", strict=True)
    broken = [(case, letter) for case, letter in ended if letter in "fe"]
    often = Counter(case.requirement for case, _ in broken)
    for case, letter in broken[:limit]:
        asked, luck = (crc32(f"{whose}/{result.task}/{case.id}".encode()) for whose in ("all", agent))
        blanks = {"word": _WORDS[asked % len(_WORDS)], "n": 10 + asked % 80}
        texts = _SYMPTOMS[case.category or "core"]
        if letter == "e":
            texts = (*texts[:4], *_CRASHES[luck % len(_CRASHES)])
        intent, scenario, given, expected, actual, reason = (text % blanks for text in texts)
        if luck % 25 == 0:  # a few programs leave a log behind, long enough to be a nuisance on a page
            actual += "".join(f'\n{n:>4} | {{"id": {n}, "name": "plum", "total": null}}' for n in range(12 + luck % 23))
        yield Failure(
            *(result.task, result.attempt, result.round, case.id, "error" if letter == "e" else "failed"),
            *(case.category, case.requirement, often[case.requirement], case.origin),
            *(intent, scenario, given, expected, actual[:_CUT], reason),
            truncated=len(actual) > _CUT,
            start=result.start,
        )
