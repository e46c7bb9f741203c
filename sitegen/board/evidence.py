"""The evidence that a submission provides, and which evidence decides its tier.

`EVIDENCE_ITEMS` lists the kinds of evidence. Each kind has a function that takes the `Material` of
a submission and returns an `Amount`: how many of the expected items are present. Read `evidence_in`
first.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from sitegen.board.board import Board
from sitegen.board.entry import Entry, attempts_made
from sitegen.board.findings import round_keys
from sitegen.board.wording import capitalized, joined
from sitegen.models.outcome import REACHED, RoundKey, RoundResult, RunFigures
from sitegen.models.release import Evidence
from sitegen.models.results import Bundle
from sitegen.models.submission import Provenance
from sitegen.problems import Noun, agreeing, counted, plural

_PINNED = re.compile(r"(?:^|@)[a-z0-9+._-]+:[0-9a-f]{32,}$")
"""A digest, alone or after the name of an image."""

_SKIPPED = re.compile(rb'"status"\s*:\s*"skipped"')
_TEXT_TO_END_OF_LINE = re.compile(
    rb'"(?:intent|scenario|input|expected|actual|reason)"\s*:\s*"[^"\n][^\n]*'
)
"""A non-empty text and the rest of its line, so that there is at most one match per line.

Quotes in texts are escaped, so neither pattern matches inside a text.
"""

_EFFORT_FIELDS = {"tokens": "output_tokens", "cost": "cost_usd", "time": "agent_seconds"}

Presence = Literal["there", "in part", "missing"]
"""Whether all, some or none of the expected items are present."""


@dataclass(frozen=True, slots=True)
class Amount:
    """How much of one kind of evidence a submission provides: the items present and expected.

    Items are rounds, cases or facts; the function that counts them says which.
    """

    present: int
    """The number of items that the submission provides."""
    expected: int
    """The number of items that a reader may expect; 0 if none can be expected."""
    words: str
    """The amount as a sentence that names the items."""

    @property
    def presence(self) -> Presence:
        """Whether all, some or none of the items are present."""
        if self.present >= self.expected:
            return "there"
        if self.present:
            return "in part"
        return "missing"


@dataclass(frozen=True)  # no slots: the scored rounds are selected once
class Material:
    """A submission on its board: the input of the functions that measure evidence."""

    board: Board
    entry: Entry
    bundle: Bundle

    @property
    def provenance(self) -> Provenance:
        """The manifest's statements about how the runs were made."""
        return self.bundle.submission.provenance

    @property
    def unit(self) -> Noun:
        """The noun for a record: the benchmark's word for a round, or "attempt"."""
        if self.board.tasks.is_of_one_round:
            return Noun("attempt", "attempts")
        return self.board.benchmark.round_word.lower()

    @cached_property
    def scored(self) -> Sequence[RoundResult]:
        """The rounds that have a verdict and cases."""
        return [result for result in self.bundle.rounds if result.state == "scored"]


def count_rewards(material: Material) -> Amount:
    """Return how many rounds have a record, of all rounds and attempts that the track asks for."""
    track = material.board.track
    attempts = range(1, attempts_made(material.bundle.submission, track) + 1)
    expected: set[RoundKey] = set()
    for task, number in round_keys(material.board.tasks):
        expected.update((task, attempt, number, "own") for attempt in attempts)
        if track.reference_rounds:
            expected.add((task, 1, number, "reference"))
    recorded = set()
    for result in material.bundle.rounds:
        if result.state == "excluded":
            expected.discard(result.place)
        else:
            recorded.add(result.place)
    noun = material.unit.with_adjective("expected")
    return _share(len(recorded & expected), len(expected), noun, ("has", "have"), "a reward")


def count_outcomes(material: Material) -> Amount:
    """Return how many of the scored rounds state the outcome of every case.

    If no round was scored, the amount is 0 of 1.
    """
    if not material.scored:
        return Amount(0, 1, f"No {material.unit} was scored, so there are no case results.")
    present = 0
    for result in material.scored:
        if result.outcomes is not None:
            present += 1
    noun = material.unit.with_adjective("scored")
    verbs = ("lists", "list")
    return _share(present, len(material.scored), noun, verbs, "the outcome of every case")


def count_case_names(material: Material) -> Amount:
    """Return how many of the scored rounds have names for their cases.

    The names are in the record, or in the benchmark's list of the task's cases.
    """
    case_counts = {}
    for task in material.board.tasks.tasks:
        for defined in task.rounds:
            case_counts[task.id, defined.n] = len(defined.cases or ())
    present = 0
    for result in material.scored:
        listed = case_counts.get((result.task, result.round))
        is_listed = bool(result.total) and result.total == listed
        present += result.case_ids is not None or is_listed
    noun = material.unit.with_adjective("scored")
    return _share(present, len(material.scored), noun, ("has", "have"), "a name for each case")


def count_case_texts(material: Material) -> Amount:
    """Return how many of the failed cases have a text, such as the reason why they failed.

    If the failed rounds have no cases, the amount counts these rounds instead.
    """
    failed = 0
    failed_without_cases = 0
    for result in material.scored:
        failed += result.failed or 0
        if result.failed is None and result.reward < 1:
            failed_without_cases += 1
    noun: str = "failed case"
    if not failed:
        failed = failed_without_cases
        noun = material.unit.with_adjective("failed")
    if not failed:
        return Amount(0, 0, "Nothing failed.")
    log = material.bundle.failures
    present = sum(map(_count_lines_with_text, log.texts.values()))
    return _share(min(present, failed), failed, noun, ("has", "have"), "a message")


def _count_lines_with_text(lines: bytes) -> int:
    """Return how many JSON lines of failures have a text, excluding skipped cases."""
    count = sum(1 for _ in _TEXT_TO_END_OF_LINE.finditer(lines))
    if _SKIPPED.search(lines) is None:
        return count
    for line in lines.split(b"\n"):
        if _SKIPPED.search(line) is not None and _TEXT_TO_END_OF_LINE.search(line) is not None:
            count -= 1
    return count


def count_effort_figures(material: Material) -> Amount:
    """Return how many effort figures are known; each run has three: tokens, cost and time.

    A run has a figure if at least one of its rounds or its totals states the figure.
    """
    rounds = []
    runs = set()
    for result in material.bundle.rounds:
        if result.state in REACHED and result.start == "own":
            rounds.append(result)
            runs.add((result.task, result.attempt))
    records: list[RoundResult | RunFigures] = [*rounds, *material.bundle.runs]
    run_counts = {}
    for name, field in _EFFORT_FIELDS.items():
        measured_runs = set()
        for record in records:
            if getattr(record, field) is not None:
                measured_runs.add((record.task, record.attempt))
        run_counts[name] = len(runs & measured_runs)
    present = sum(run_counts.values())
    if not present:
        expected = len(_EFFORT_FIELDS) * max(len(runs), 1)
        return Amount(0, expected, "No run reports tokens, cost or time.")
    shares = [f"{name}: {number} of {len(runs)}" for name, number in run_counts.items()]
    sentence = f"Runs that report {'; '.join(shares)}."
    return Amount(present, len(_EFFORT_FIELDS) * len(runs), sentence)


def measure_check(material: Material) -> Amount:
    """Return how many of two facts are true of an independent check of the rounds.

    The first fact is that rounds were checked and all agree, the second that enough rounds were
    checked for the tier "verified".
    """
    check = material.entry.check
    unit = material.unit
    if check is None:
        sentence = f"Nobody else has checked its {plural(unit)} since they last changed."
        return Amount(0, 2, sentence)
    if not check.agrees:
        differing = f"{check.drawn - check.agreed:,} of {counted(check.drawn, unit)}"
        sentence = (
            f"{differing} checked by {check.by} on {check.day} differ from the grader's output."
        )
        return Amount(0, 2, sentence)
    sentence = (
        f"{check.by} checked {check.drawn:,} of {counted(check.of, unit)} on {check.day}, "
        "and all agree"
    )
    if check.rerun:
        sentence += ", also after regrading"
    sentence += f" (sampled with seed {check.seed[:12]})."
    verified_from = material.board.benchmark.verified_from
    if check.drawn / check.of >= verified_from:
        return Amount(2, 2, sentence)
    return Amount(1, 2, f"{sentence} “Verified” requires {verified_from:.0%} of them.")


def count_registered_attempts(material: Material) -> Amount:
    """Return how many of the attempts registered before the runs began were submitted.

    If there is no registration, the amount is 0 of 1. A registration names an agent without its
    settings, so it applies to all settings.
    """
    submission = material.bundle.submission
    track = material.board.track
    benchmark = material.board.results.benchmark
    began = str(material.provenance.started or submission.date)[:10]
    earlier = []
    for registration in material.board.results.registrations:
        agent = benchmark.agent_name(registration.agent)
        is_same_run = (registration.track, agent) == (track.id, material.entry.agent.name)
        if is_same_run and registration.day <= began:
            earlier.append(registration)
    if not earlier:
        return Amount(0, 1, "Its runs were not registered in advance.")
    planned = 0
    for registration in earlier:
        planned += registration.attempts
    made = submission.attempts or track.attempts
    sentence = (
        f"{counted(planned, 'attempt')} registered on {earlier[0].day}, before the runs; "
        f"{made} submitted."
    )
    return Amount(min(made, planned), planned, sentence)


def measure_reruns(material: Material) -> Amount:
    """Return whether a maintainer's own run confirms the submission, as 0 or 1 of 1."""
    reproductions = material.board.reproductions.get(material.entry.id, ())
    if not reproductions:
        return Amount(0, 1, "No maintainer has rerun it.")
    if any(reproduction.differs for reproduction in reproductions):
        return Amount(0, 1, "A maintainer reran it, and the scores differ by more than chance.")
    if not any(reproduction.holds for reproduction in reproductions):
        sentence = "A maintainer reran it, but the two runs cannot be compared."
        return Amount(0, 1, sentence)
    return Amount(1, 1, "A maintainer reran it, and the scores agree within the margin.")


def _share(
    present: int, expected: int, noun: str, verbs: tuple[str, str], predicate: str
) -> Amount:
    """Return an amount with its sentence, such as "1 of 3 expected rounds has a reward.".

    Args:
        present: The number of items that are present.
        expected: The number of items that are expected.
        noun: The noun for an item: "expected round".
        verbs: The singular and the plural of the verb: "has" and "have".
        predicate: The words after the verb: "a reward".
    """
    for_one, for_several = verbs
    if not expected:
        sentence = f"There are no {plural(noun)}."
    elif present < expected:
        sentence = _partial_share(present, expected, noun, verbs, predicate)
    elif expected == 1:
        sentence = f"The only {noun} {for_one} {predicate}."
    else:
        sentence = f"All {counted(expected, noun)} {for_several} {predicate}."
    return Amount(present, expected, sentence)


def _partial_share(
    present: int, expected: int, noun: str, verbs: tuple[str, str], predicate: str
) -> str:
    """Return the sentence for an amount that is not complete; see `_share`."""
    for_one, for_several = verbs
    if not present and expected == 1:
        return f"No {noun} {for_one} {predicate}."
    if not present:
        return f"None of the {counted(expected, noun)} {for_several} {predicate}."
    verb = for_several
    if present == 1:
        verb = for_one
    return f"{present:,} of {counted(expected, noun)} {verb} {predicate}."


def measure_of_facts(**names: str) -> Callable[[Material], Amount]:
    """Return a function that counts how many given facts a submission's provenance states.

    Args:
        names: The name of each fact on pages, by its key in the provenance.
    """

    def stated_facts(material: Material) -> Amount:
        values = {}
        for key, name in names.items():
            values[name] = getattr(material.provenance, key)
        return _stated(values)

    return stated_facts


def measure_setup(material: Material) -> Amount:
    """Return how many of three facts about the agent are stated."""
    agent = material.bundle.submission.agent
    values = {
        "the organization": agent.organization,
        "the scaffold": agent.scaffold,
        "the reasoning setting": agent.reasoning,
    }
    return _stated(values)


def measure_submitter(material: Material) -> Amount:
    """Return whether the submitter is stated, as 0 or 1 of 1."""
    sender = material.bundle.submission.submitter
    name = None
    if sender:
        name = sender.name or sender.organization
    return _stated({"the name of the submitter": name})


def count_seeds(material: Material) -> Amount:
    """Return the number of stated random seeds, out of the same number, or 0 of 1."""
    count = len(material.provenance.seeds or ())
    if not count:
        return Amount(0, 1, "No random seeds are stated.")
    return Amount(count, count, "The random seeds are stated.")


def measure_commit(material: Material) -> Amount:
    """Return how many of two facts are stated: the code's commit, and that it was unmodified."""
    provenance = material.provenance
    if not provenance.code_commit:
        return Amount(0, 2, "The commit of the code is not stated.")
    clause = {
        None: ", but not whether files differed from it.",
        True: "; the files differed from it.",
        False: "; no file differed from it.",
    }[provenance.dirty]
    present = 1
    if provenance.dirty is False:
        present = 2
    return Amount(present, 2, f"The commit of the code is stated{clause}")


def measure_task_digest(material: Material) -> Amount:
    """Return how many of two facts are true: a task digest is stated, and it is registered."""
    stated = material.provenance.task_digest
    tasks = material.board.tasks
    if not stated:
        return Amount(0, 2, "The task digest is not stated.")
    if tasks.digest is not None and tasks.goes_by(stated):
        return Amount(2, 2, "The task digest is the one that the benchmark registers.")
    obstacle = "the benchmark registers none to compare it with"
    if tasks.digest:
        obstacle = "it is not the one that the benchmark registers"
    return Amount(1, 2, f"The task digest is stated, but {obstacle}.")


def count_pinned_images(material: Material) -> Amount:
    """Return how many of the stated container images are pinned by a digest.

    No later push can change a pinned image. If no image is stated, the amount is 0 of 1.
    """
    stated = material.provenance.images
    if not stated:
        return Amount(0, 1, "No container images are listed.")
    references = list(stated.values()) if isinstance(stated, dict) else stated
    pinned = 0
    for reference in references:
        if _PINNED.search(reference) is not None:
            pinned += 1
    return _share(pinned, len(references), "container image", ("is", "are"), "pinned by digest")


def _stated(values: Mapping[str, object]) -> Amount:
    """Return how many facts are stated, with a sentence that lists stated and missing facts."""
    present = []
    missing = []
    for name, value in values.items():
        if value:
            present.append(name)
        else:
            missing.append(name)
    present_verb = agreeing(len(present), "is", "are")
    missing_verb = agreeing(len(missing), "is", "are")
    if not missing:
        sentence = f"{joined(present)} {present_verb} stated."
    elif not present:
        sentence = f"{joined(missing)} {missing_verb} not stated."
    else:
        stated = f"{joined(present)} {present_verb} stated"
        sentence = f"{stated}, but {joined(missing)} {missing_verb} not."
    return Amount(len(present), len(values), capitalized(sentence))


@dataclass(frozen=True, slots=True)
class EvidenceItem:
    """A kind of evidence that a reader may ask for."""

    id: str
    """The item's identifier on pages."""
    title: str
    sources: Sequence[str]
    """The files and keys of a submission that state the item."""
    measure: Callable[[Material], Amount]
    """Returns how many of the expected items a submission provides."""
    decides: Evidence | None = None
    """The tier for which a submission needs all these items; None if no tier depends on them."""


_DECIDING_ITEMS = (
    EvidenceItem(
        "rewards", "Every expected reward", ("rounds.jsonl",), count_rewards, "recomputed"
    ),
    EvidenceItem(
        "outcomes",
        "The outcome of every case",
        ("rounds.jsonl: outcomes",),
        count_outcomes,
        "complete",
    ),
    EvidenceItem(
        "checks",
        "Rewards checked by someone else",
        ("checks.jsonl",),
        measure_check,
        "verified",
    ),
    EvidenceItem(
        "rerun",
        "A maintainer's rerun that confirms it",
        ("findings.toml: reproduction",),
        measure_reruns,
        "reproduced",
    ),
)
_RECORD_ITEMS = (
    EvidenceItem(
        "registered",
        "Registered in advance",
        ("registrations.jsonl",),
        count_registered_attempts,
    ),
    EvidenceItem(
        "names",
        "Case names",
        ("tasks/TASKSET.jsonl: cases", "rounds.jsonl: case_ids"),
        count_case_names,
    ),
    EvidenceItem("texts", "Failure messages", ("failures.jsonl.gz",), count_case_texts),
    EvidenceItem(
        "effort", "Tokens, cost and time", ("rounds.jsonl", "runs.jsonl"), count_effort_figures
    ),
)
_ARTIFACT_ITEMS = (
    EvidenceItem(
        "transcripts",
        "Location of the transcripts",
        ("provenance.trajectories",),
        measure_of_facts(trajectories="the location of the transcripts"),
    ),
    EvidenceItem(
        "hashes",  # Reveals later changes to a transcript.
        "Digest of the transcripts",
        ("provenance.trajectories_digest",),
        measure_of_facts(trajectories_digest="the digest of the transcripts"),
    ),
    EvidenceItem(
        "harness",
        "Harness and its version",
        ("provenance.harness", "provenance.harness_version"),
        measure_of_facts(harness="the harness", harness_version="its version"),
    ),
    EvidenceItem(
        "code",
        "Commit of unmodified code",
        ("provenance.code_commit", "provenance.dirty"),
        measure_commit,
    ),
    EvidenceItem(
        "tasks",
        "Registered task digest",
        ("provenance.task_digest",),
        measure_task_digest,
    ),
    EvidenceItem(
        "images", "Container images pinned by digest", ("provenance.images",), count_pinned_images
    ),
)
_CIRCUMSTANCE_ITEMS = (
    EvidenceItem("seeds", "Random seeds", ("provenance.seeds",), count_seeds),
    EvidenceItem(
        "dates",
        "Start and end of the runs",
        ("provenance.started", "provenance.finished"),
        measure_of_facts(started="the start", finished="the end"),
    ),
    EvidenceItem(
        "setup",
        "Organization, scaffold and reasoning setting",
        ("agent.organization", "agent.scaffold", "agent.reasoning"),
        measure_setup,
    ),
    EvidenceItem(
        "submitter",
        "Submitter",
        ("submitter.name", "submitter.organization"),
        measure_submitter,
    ),
)
EVIDENCE_ITEMS: Sequence[EvidenceItem] = (
    *_DECIDING_ITEMS,
    *_RECORD_ITEMS,
    *_ARTIFACT_ITEMS,
    *_CIRCUMSTANCE_ITEMS,
)
"""All kinds of evidence, as pages list them; the kinds that decide a tier come first."""


def evidence_in(
    board: Board, entry: Entry, bundle: Bundle
) -> Iterator[tuple[EvidenceItem, Amount]]:
    """Yield each of `EVIDENCE_ITEMS`, with the amount that a submission provides."""
    material = Material(board, entry, bundle)
    for item in EVIDENCE_ITEMS:
        yield item, item.measure(material)
