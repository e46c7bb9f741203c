"""What evidence is made of: everything that a submission is looked through for, and what decides its tier."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Literal

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.models.outcome import REACHED, Place, RoundResult, RunFigures
from sitegen.models.release import Evidence
from sitegen.models.results import Bundle
from sitegen.models.submission import Provenance
from sitegen.problems import counted

_PINNED = re.compile(r"(?:^|@)[a-z0-9+._-]+:[0-9a-f]{32,}$")
"""A digest, alone or behind the name of an image."""

_SKIPPED = re.compile(rb'"status"\s*:\s*"skipped"')
_TEXT = re.compile(rb'"(?:intent|scenario|input|expected|actual|reason)"\s*:\s*"[^"]')
"""A text that is not empty. Quotes within texts are escaped, so that neither expression finds itself in one."""

_Record = RoundResult | RunFigures
_FIGURES: Mapping[str, Callable[[_Record], bool]] = {
    "tokens": lambda each: each.output_tokens is not None,
    "cost": lambda each: each.cost_usd is not None,
    "time": lambda each: each.agent_seconds is not None,
}

Presence = Literal["there", "in part", "missing"]
"""How much is there of something that a reader may ask for."""


@dataclass(frozen=True, slots=True)
class Amount:
    """How much of one thing is there."""

    there: int
    """How many of its parts are."""
    of: int
    """How many there could be; 0 where there is nothing to ask for."""
    words: str
    """The same in a sentence."""

    @property
    def presence(self) -> Presence:
        """Whether all of it is there, or some, or nothing."""
        if self.there >= self.of:
            return "there"
        return "in part" if self.there else "missing"


@dataclass(frozen=True)  # no slots: what several things are counted in is found once
class Material:
    """A submission with all that evidence is looked for in."""

    board: Board
    entry: Entry
    bundle: Bundle

    @property
    def provenance(self) -> Provenance:
        """What its manifest says of how the runs were made."""
        return self.bundle.submission.provenance

    @property
    def unit(self) -> str:
        """What records are counted in: the benchmark's word for a round, or attempts where no task has several."""
        return (
            "attempt"
            if self.board.tasks.is_of_one_round
            else self.board.benchmark.round_word.lower()
        )

    @cached_property
    def scored(self) -> Sequence[RoundResult]:
        """The rounds that have a verdict and cases."""
        return [each for each in self.bundle.rounds if each.state == "scored"]


def rewards(material: Material) -> Amount:
    """Count the rounds that the track asks for and that have a record."""
    submission, track = material.bundle.submission, material.board.track
    made = min(submission.attempts or track.attempts, track.attempts)
    expected: set[Place] = set()
    for task in material.board.tasks.tasks:
        for each in task.rounds:
            expected |= {(task.id, attempt, each.n, "own") for attempt in range(1, made + 1)}
            if track.reference_rounds:
                expected.add((task.id, 1, each.n, "reference"))
    told = {each.place: each.state for each in material.bundle.rounds}
    expected -= {place for place, state in told.items() if state == "excluded"}
    return _share(
        len(told.keys() & expected),
        len(expected),
        f"expected {material.unit}",
        ("has", "have"),
        "a reward",
    )


def outcomes(material: Material) -> Amount:
    """Count the scored rounds that tell how each of their cases ended; there has to be one."""
    there = sum(each.outcomes is not None for each in material.scored)
    if not material.scored:
        return Amount(0, 1, f"No {material.unit} was scored, so that no case can be seen.")
    return _share(
        there,
        len(material.scored),
        f"scored {material.unit}",
        ("tells", "tell"),
        "how each case ended",
    )


def names(material: Material) -> Amount:
    """Count the scored rounds whose cases have names: their own, or those that the benchmark lists."""
    listed = {
        (task.id, each.n): len(each.cases or ())
        for task in material.board.tasks.tasks
        for each in task.rounds
    }
    there = sum(
        each.case_ids is not None
        or (bool(each.total) and each.total == listed.get((each.task, each.round)))
        for each in material.scored
    )
    return _share(
        there,
        len(material.scored),
        f"scored {material.unit}",
        ("has", "have"),
        "a name for each case",
    )


def texts(material: Material) -> Amount:
    """Count the failed cases of which something is told: what was expected, what came of it, or why it failed."""
    failed = sum(each.failed or 0 for each in material.scored)
    log = material.bundle.failures
    lines = chain.from_iterable(map(log.lines_of, log.texts))
    there = sum(_TEXT.search(line) is not None and _SKIPPED.search(line) is None for line in lines)
    if not failed:
        return Amount(0, 0, "No failed case is counted.")
    return _share(min(there, failed), failed, "failed case", ("has", "have"), "a text")


def effort(material: Material) -> Amount:
    """Count the runs whose tokens, cost and time are known, from their rounds or as a whole."""
    rounds = [
        each for each in material.bundle.rounds if each.state in REACHED and each.start == "own"
    ]
    runs = {(each.task, each.attempt) for each in rounds}
    records: list[_Record] = [*rounds, *material.bundle.runs]
    known = {
        name: {(each.task, each.attempt) for each in records if is_known(each)} & runs
        for name, is_known in _FIGURES.items()
    }
    if not any(known.values()):
        return Amount(
            0,
            len(_FIGURES) * max(len(runs), 1),
            "No run has a figure of its tokens, its cost or its time.",
        )
    words = ", ".join(f"{name} for {len(found)} of {len(runs)}" for name, found in known.items())
    return Amount(
        sum(map(len, known.values())), len(_FIGURES) * len(runs), f"Runs with a figure: {words}."
    )


def checks(material: Material) -> Amount:
    """Count the rounds that somebody else read again, of which all agree."""
    check = material.entry.check
    if check is None:
        return Amount(
            0, 1, f"Nobody else has checked its {material.unit}s, or it has other files since."
        )
    if not check.agrees:
        differ = (
            f"{check.drawn - check.agreed:,} of {counted(check.drawn, material.unit)} "
            f"that {check.by} checked on {check.day}"
        )
        return Amount(0, 1, f"{differ} are not as the grader wrote them.")
    told = f"Of {counted(check.of, material.unit)}, {check.by} checked {check.drawn:,} on {check.day}, and all agree"
    enough = material.board.benchmark.verified_from
    few = f" Verified takes {enough:.0%} of them." if check.drawn / check.of < enough else ""
    told += ", also when graded again" * check.rerun
    return Amount(1, 1 + bool(few), f"{told}; drawn by {check.seed[:12]}.{few}")


def registered(material: Material) -> Amount:
    """Tell whether its runs were told of before they were made, and how many were."""
    submission = material.bundle.submission
    began = str(material.provenance.started or submission.date)[:10]
    results, on = material.board.results, (material.board.track.id, material.entry.agent.name)
    told = (
        each
        for each in results.registrations
        if (each.track, results.benchmark.agent_name(each.agent)) == on
    )
    before = [each for each in told if each.day <= began]
    if not before:
        return Amount(0, 1, "Nobody told of its runs before they were made.")
    planned, made = (
        sum(each.attempts for each in before),
        submission.attempts or material.board.track.attempts,
    )
    words = f"On {before[0].day}, before it ran, attempts registered: {planned}; sent in: {made}."
    return Amount(min(made, planned), planned, words)


def reruns(material: Material) -> Amount:
    """Tell whether a maintainer's own run bears the submission out."""
    found = material.board.reproductions.get(material.entry.id, ())
    if not found:
        return Amount(0, 1, "No maintainer has run it again.")
    if any(each.differs for each in found):
        return Amount(0, 1, "A maintainer ran it again, and the scores differ by more than chance.")
    if not any(each.holds for each in found):
        return Amount(
            0, 1, "A maintainer ran it again, but the two runs can't be held against each other."
        )
    return Amount(1, 1, "A maintainer ran it again, and both scores are shown to be the same.")


def _share(there: int, of: int, noun: str, verbs: tuple[str, str], rest: str) -> Amount:
    """Tell a share in words: of 3 expected rounds, 1 has a reward."""
    one, many = verbs
    if not of:
        words = f"There is no {noun}."
    elif there == of:
        words = (
            f"Each of {counted(of, noun)} {one} {rest}."
            if of > 1
            else f"The only {noun} {one} {rest}."
        )
    else:
        words = f"Of {counted(of, noun)}, {f'{there:,}' if there else 'none'} {one if there <= 1 else many} {rest}."
    return Amount(there, of, words)


def facts(**names: str) -> Callable[[Material], Amount]:
    """Tell whether keys of the provenance are stated, each by its name."""
    return lambda material: _stated(
        {name: getattr(material.provenance, key) for key, name in names.items()}
    )


def setup(material: Material) -> Amount:
    """Tell whether the agent's maker, scaffold and reasoning setting are stated."""
    agent = material.bundle.submission.agent
    told = {
        "organisation": agent.organization,
        "scaffold": agent.scaffold,
        "reasoning setting": agent.reasoning,
    }
    return _stated(told)


def submitter(material: Material) -> Amount:
    """Tell whether somebody stands behind the submission by name."""
    sender = material.bundle.submission.submitter
    return _stated({"name of the submitter": sender and (sender.name or sender.organization)})


def seeds(material: Material) -> Amount:
    """Tell whether random seeds are stated."""
    found = len(material.provenance.seeds or ())
    return (
        Amount(found, found, "The random seeds are stated.")
        if found
        else Amount(0, 1, "No random seed is stated.")
    )


def code(material: Material) -> Amount:
    """Tell whether the commit is stated that the code ran from, and that nothing differed from it."""
    about = material.provenance
    if not about.code_commit:
        return Amount(0, 2, "The commit of the code is not stated.")
    more = {
        None: "; whether the files differed from it is not.",
        True: ", and that the files differed from it.",
        False: ", and that no file differed from it.",
    }[about.dirty]
    return Amount(2 if about.dirty is False else 1, 2, f"The commit of the code is stated{more}")


def task_digest_stated(material: Material) -> Amount:
    """Tell whether the digest of the tasks is stated and is one that the benchmark registers."""
    stated, tasks = material.provenance.task_digest, material.board.tasks
    if not stated:
        return Amount(0, 2, "The digest of the tasks is not stated.")
    if tasks.digest is not None and tasks.goes_by(stated):
        return Amount(2, 2, "The digest of the tasks is the one that the benchmark registers.")
    rest = (
        "it is not the one that the benchmark registers"
        if tasks.digest
        else "the benchmark registers none to hold it against"
    )
    return Amount(1, 2, f"The digest of the tasks is stated; {rest}.")


def images(material: Material) -> Amount:
    """Count the container images that are named by a digest, which no later push can change."""
    stated = material.provenance.images
    if not stated:
        return Amount(0, 1, "No container image is stated.")
    found = list(stated.values()) if isinstance(stated, dict) else stated
    pinned = sum(_PINNED.search(each) is not None for each in found)
    verb = "is" if pinned == 1 else "are"
    return Amount(
        pinned,
        len(found),
        f"Of {counted(len(found), 'container image')}, {pinned} {verb} named by a digest.",
    )


def _stated(facts: Mapping[str, object]) -> Amount:
    """Tell which of some facts are stated."""
    there = [name for name, value in facts.items() if value]
    missing = [name for name in facts if name not in there]
    parts = []
    for names, what in ((there, "stated"), (missing, "not stated")):
        listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
        parts += [f"{listed} {'is' if len(names) == 1 else 'are'} {what}"] if names else []
    text = "; ".join(parts)
    return Amount(len(there), len(facts), f"{text[:1].upper()}{text[1:]}.")


@dataclass(frozen=True, slots=True)
class EvidenceItem:
    """Something that a submission can be followed by."""

    id: str
    """Its name on pages."""
    title: str
    told: Sequence[str]
    """Where a submission tells it: files and keys."""
    measure: Callable[[Material], Amount]
    """Says how much of it is there."""
    decides: Evidence | None = None
    """The tier that takes all of it; None where it is only listed."""


EVIDENCE_ITEMS: Sequence[EvidenceItem] = (
    EvidenceItem("rewards", "Every expected reward", ("rounds.jsonl",), rewards, "recomputed"),
    EvidenceItem(
        "outcomes", "The outcome of every case", ("rounds.jsonl: outcomes",), outcomes, "complete"
    ),
    EvidenceItem(
        "checks", "Rewards read again by somebody else", ("checks.jsonl",), checks, "verified"
    ),
    EvidenceItem(
        "rerun",
        "A maintainer's run that bears it out",
        ("findings.toml: reproduction",),
        reruns,
        "reproduced",
    ),
    EvidenceItem("registered", "Registered before it ran", ("registrations.jsonl",), registered),
    EvidenceItem(
        "names",
        "Names of the cases",
        ("tasks/TASKSET.jsonl: cases", "rounds.jsonl: case_ids"),
        names,
    ),
    EvidenceItem("texts", "Texts of failed cases", ("failures.jsonl.gz",), texts),
    EvidenceItem("effort", "Tokens, cost and time", ("rounds.jsonl", "runs.jsonl"), effort),
    EvidenceItem(
        "transcripts",
        "Where the transcripts are",
        ("provenance.trajectories",),
        facts(trajectories="place of the transcripts"),
    ),
    EvidenceItem(
        "hashes",  # so that a change to a transcript would show
        "A digest of the transcripts",
        ("provenance.trajectories_digest",),
        facts(trajectories_digest="digest of the transcripts"),
    ),
    EvidenceItem(
        "harness",
        "The harness and its version",
        ("provenance.harness", "provenance.harness_version"),
        facts(harness="harness", harness_version="version of the harness"),
    ),
    EvidenceItem(
        "code",
        "The commit of the code, unchanged",
        ("provenance.code_commit", "provenance.dirty"),
        code,
    ),
    EvidenceItem(
        "tasks",
        "The registered digest of the tasks",
        ("provenance.task_digest",),
        task_digest_stated,
    ),
    EvidenceItem("images", "Container images by their digests", ("provenance.images",), images),
    EvidenceItem("seeds", "Random seeds", ("provenance.seeds",), seeds),
    EvidenceItem(
        "dates",
        "Start and end of the runs",
        ("provenance.started", "provenance.finished"),
        facts(started="start", finished="end"),
    ),
    EvidenceItem(
        "setup",
        "Organisation, scaffold and reasoning setting",
        ("agent.organization", "agent.scaffold", "agent.reasoning"),
        setup,
    ),
    EvidenceItem(
        "submitter", "Who sends it in", ("submitter.name", "submitter.organization"), submitter
    ),
)
"""In the order that pages list them: what decides a tier first."""


def evidence_in(
    board: Board, entry: Entry, bundle: Bundle
) -> Iterator[tuple[EvidenceItem, Amount]]:
    """Look a submission through for everything that it can be followed by."""
    material = Material(board, entry, bundle)
    return ((item, item.measure(material)) for item in EVIDENCE_ITEMS)
