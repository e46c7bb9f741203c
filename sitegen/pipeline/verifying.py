"""Check a submission's rounds against the output of its grader, and record the outcome."""

import hashlib
import json
import math
import secrets
import shlex
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from sitegen.board.agents import is_same_agent
from sitegen.importers.kit.options import ImportOptions
from sitegen.models.finding import Finding
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.journal import Check, seed_of
from sitegen.models.outcome import RoundResult
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.pipeline.destination import Destination, Runs
from sitegen.pipeline.evaluating import collector_off
from sitegen.pipeline.submissions import folder_to_read, submission_at
from sitegen.problems import UsageError, listed
from sitegen.publish.machine.transaction import Snapshot, snapshot_of, transaction
from sitegen.publish.results.benchmarks import findings_with_new
from sitegen.publish.results.records import json_lines
from sitegen.reading.files import read_bytes
from sitegen.store.files.git_states import head_commit
from sitegen.store.files.layout import CHECKS_FILE, FINDINGS_FILE
from sitegen.store.readers.folder import read_results_around
from sitegen.store.readers.journals import bundle_digest

_REQUIRED_FIELDS = ("state", "reward")
"""The fields of a round that are always compared."""
_OPTIONAL_FIELDS = (
    "passed",
    "total",
    "skipped",
    "outcomes",
    "case_ids",
    "grader_digest",
    "transcript_digest",
)
"""Fields that a submission may omit; they are compared only if it states them."""

GRADER_SECONDS = 3600
"""The longest time that the grader may take for a round, in seconds."""
_COUNT_FIELDS = ("passed", "total")
"""Fields that the grader may print in addition to the reward."""
NONCE_BYTES = 32
MAX_FINDINGS = 10
"""The largest number of rounds of a check for which findings are added."""
MAX_NAMED_AGENTS = 5


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """The settings for checking a submission."""

    share: float
    """The share of rounds to draw, above 0 and at most 1."""
    by: str
    """The person or organization that makes the check."""
    day: date
    rerun: str | None = None
    """The command that grades a round again; None to trust the grades in the artifacts."""
    reading: ImportOptions | None = None
    """Options for reading the artifacts, such as the metric to use; None for the defaults."""


class RoundDifference(NamedTuple):
    """A round of a submission that differs from the grader's output."""

    round: RoundResult
    description: str

    def __str__(self) -> str:
        """Return the name of the round, and a description of the difference."""
        result = self.round
        name = f"task {result.task}, attempt {result.attempt}, round {result.round}"
        if result.start == "reference":
            name += " from the reference"
        return f"{name}: {self.description}"


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """The outcome of a check."""

    check: Check
    """The record that was added to the benchmark's checks."""
    differences: Sequence[RoundDifference]
    """The drawn rounds that differ from the grader's output."""
    beyond: Sequence[str]
    """The attempts that are in the artifacts but not in the submission."""


def share_of(text: str) -> float:
    """Return the share of rounds to draw, such as 0.05 for `5%`.

    Raises:
        UsageError: The text is not a percentage above 0 and at most 100.
    """
    try:
        share = float(text.removesuffix("%")) / 100
    except ValueError:
        share = math.nan
    if not 0 < share <= 1:
        raise UsageError(f"--sample needs a share such as 5% or 100%, not `{text}`")
    return share


def verify(
    address: str,
    source: Runs,
    folder: Path,
    request: CheckRequest,
    format_options: Mapping[str, object],
) -> CheckOutcome:
    """Compare randomly drawn rounds with the artifacts, and record the outcome.

    A line is added to the benchmark's checks, and a finding for each differing round, up to
    `MAX_FINDINGS`. Nobody can predict which rounds are drawn.

    Args:
        address: BENCHMARK/TRACK/SUBMISSION, as on the site.
        source: The artifacts: the runs that the submission was imported from.
        folder: The results folder.
        request: The settings of the check.
        format_options: Options that only the format of the artifacts has, by name.

    Raises:
        UsageError: There is no such submission, the artifacts have no runs of its agent on its
            track, or the grader can't be run again.
        ProblemsError: The artifacts can't be read.
    """
    since = snapshot_of(folder)
    with collector_off():
        read_results = read_results_around(folder_to_read(address, folder))
        results, bundle = submission_at(address, read_results)
        draft = _read_artifacts(source, results, bundle, request, format_options)
    rounds = [result for result in bundle.rounds if result.state != "excluded"]
    if not rounds:
        raise UsageError(f"{bundle.id} has no rounds")
    base = head_commit(folder)
    digest = bundle_digest(bundle.path)
    # The nonce is drawn after the artifacts are read, so their provider can't know it either.
    nonce = secrets.token_hex(NONCE_BYTES)
    seed = seed_of(base, digest, nonce)
    count = math.ceil(request.share * len(rounds))
    drawn = draw_rounds(rounds, seed, count)
    differences = differences_of(drawn, draft.rounds)
    if request.rerun:
        differences = _add_rerun_differences(differences, drawn, request.rerun, source.path)
    agreed = len(drawn) - len(differences)
    check = Check(
        submission=bundle.id,
        digest=digest,
        by=request.by,
        day=str(request.day),
        seed=seed,
        base=base,
        drawn=len(drawn),
        of=len(rounds),
        agreed=agreed,
        rerun=bool(request.rerun),
        nonce=nonce,
    )
    findings = _findings_of(differences, bundle, results, request)
    _write_check(folder, results, check, findings, since)
    unsubmitted = _unsubmitted_attempts(bundle, draft)
    return CheckOutcome(check, differences, unsubmitted)


def _write_check(
    folder: Path,
    results: BenchmarkResults,
    check: Check,
    findings: tuple[Finding, ...],
    since: Snapshot,
) -> None:
    """Add a check and its findings to a benchmark in a results folder."""
    checks_path = results.path / CHECKS_FILE
    earlier_checks = b""
    if checks_path.is_file():
        earlier_checks = read_bytes(checks_path)[0] or b""
    with transaction(folder, since) as changes:
        files = {CHECKS_FILE: earlier_checks + json_lines([check])}
        if findings:
            files[FINDINGS_FILE] = findings_with_new(results.path / FINDINGS_FILE, findings) or b""
        changes.write(results.path.name, files)


def _unsubmitted_attempts(bundle: Bundle, draft: Draft) -> list[str]:
    """Return the attempts that are in the artifacts but not in the submission, in order."""
    submitted = {(result.task, result.attempt) for result in bundle.rounds}
    unsubmitted: dict[str, None] = {}
    for result in draft.rounds:
        if (result.task, result.attempt) not in submitted:
            unsubmitted[f"task {result.task}, attempt {result.attempt}"] = None
    return list(unsubmitted)


def _read_artifacts(
    source: Runs,
    results: BenchmarkResults,
    bundle: Bundle,
    request: CheckRequest,
    format_options: Mapping[str, object],
) -> Draft:
    """Return the runs of a submission's agent, read from the artifacts."""
    submission = bundle.submission
    reading = request.reading or ImportOptions(request.day)
    options = replace(
        reading,
        benchmark=results.path.name,
        track=submission.track,
        date=submission.date,
        allow_missing=True,
        aliases=results.benchmark.aliases,
    )
    destination = Destination.of(results.path, submission.track)
    incoming = source.read(destination, options, format_options)
    return _draft_of(bundle, results, incoming)


def _draft_of(bundle: Bundle, results: BenchmarkResults, incoming: Incoming) -> Draft:
    """Return the runs of a submission's agent in the artifacts, or else the only runs.

    Raises:
        UsageError: The artifacts have several sets of runs, none of which is clearly the
            submission's.
    """
    agent = bundle.submission.agent
    agent_name = results.benchmark.agent_name
    drafts = incoming.drafts
    matches = []
    for draft in drafts:
        if is_same_agent(draft.submission.agent, agent, agent_name):
            matches.append(draft)
    if len(matches) != 1:
        matches = [draft for draft in matches or drafts if draft.id == bundle.id]
    if matches:
        return matches[0]
    if len(drafts) == 1:
        return drafts[0]
    names = [draft.submission.agent.name for draft in drafts]
    shown_names = listed(names, MAX_NAMED_AGENTS) or "no agent"
    raise UsageError(
        f"the artifacts must contain runs of {agent.name} only, but contain runs of {shown_names}"
    )


def draw_rounds(rounds: Iterable[RoundResult], seed: str, count: int) -> list[RoundResult]:
    """Return the `count` rounds that a seed draws; anybody can repeat the draw of a recorded check.

    Rounds are ordered by the SHA-256 of `SEED:TASK:ATTEMPT:ROUND:START`, in hexadecimal digits, and
    the first ones are drawn.

    Args:
        rounds: The rounds of a submission's `rounds.jsonl` that are not `excluded`.
        seed: The seed of the check.
        count: The number of rounds to draw.
    """

    def key(result: RoundResult) -> str:
        name = f"{result.task}:{result.attempt}:{result.round}:{result.start}"
        seeded_name = f"{seed}:{name}"
        return hashlib.sha256(seeded_name.encode()).hexdigest()

    return sorted(rounds, key=key)[:count]


def differences_of(
    drawn: Iterable[RoundResult], artifacts: Iterable[RoundResult]
) -> list[RoundDifference]:
    """Return the drawn rounds that differ from the same rounds of the artifacts, in order."""
    graded_rounds = {result.place: result for result in artifacts}
    differences = []
    for result in sorted(drawn, key=attrgetter("place")):
        graded = graded_rounds.get(result.place)
        description = "; ".join(_field_differences(result, graded))
        if description:
            differences.append(RoundDifference(result, description))
    return differences


def _field_differences(submitted: RoundResult, graded: RoundResult | None) -> Iterator[str]:
    """Yield descriptions of a submitted round's differences from the artifacts."""
    if graded is None:
        yield "the artifacts do not have this round"
        return
    for name in (*_REQUIRED_FIELDS, *_OPTIONAL_FIELDS):
        value = getattr(submitted, name)
        graded_value = getattr(graded, name)
        if value != graded_value and _is_compared(name, value, graded_value):
            yield f"{name} {value}, but {graded_value} in the artifacts"


def _is_compared(name: str, value: object, graded_value: object) -> bool:
    """Return whether unequal values of a field count as a difference.

    An optional field counts only if both sides have it. Outcomes of cases also count if only the
    submission has them.
    """
    if name in _REQUIRED_FIELDS:
        return True
    if value is None:
        return False
    return graded_value is not None or name == "outcomes"


def _findings_of(
    differences: Sequence[RoundDifference],
    bundle: Bundle,
    results: BenchmarkResults,
    request: CheckRequest,
) -> tuple[Finding, ...]:
    """Return a finding for each of the first differing rounds, unless it is already recorded."""
    recorded = {(finding.submissions, finding.reason) for finding in results.findings}
    day = max(request.day, bundle.submission.date)
    findings = []
    for difference in differences[:MAX_FINDINGS]:
        finding = Finding(
            date=day,
            kind="note",
            title=f"{bundle.id} differs from the grader's output",
            reason=str(difference),
            by=request.by,
            submissions=(bundle.id,),
            tasks=(difference.round.task,),
            rounds=(difference.round.round,),
        )
        if (finding.submissions, finding.reason) not in recorded:
            findings.append(finding)
    return tuple(findings)


def _add_rerun_differences(
    differences: Sequence[RoundDifference],
    drawn: Sequence[RoundResult],
    command: str,
    artifacts: Path,
) -> list[RoundDifference]:
    """Grade the drawn rounds again, and return all differences in the order of the rounds.

    If a round already differs from the artifacts, that difference is returned.
    """
    by_round = {}
    for difference in (*_rerun_differences(drawn, command, artifacts), *differences):
        by_round[difference.round.place] = difference
    return [by_round[round_key] for round_key in sorted(by_round)]


def _rerun_differences(
    drawn: Sequence[RoundResult], command: str, artifacts: Path
) -> Iterator[RoundDifference]:
    """Grade rounds again, and yield those whose new grades differ from the submitted grades."""
    folder = artifacts
    if not artifacts.is_dir():
        folder = artifacts.parent
    for result in drawn:
        if result.state not in {"scored", "no_cases"}:
            continue
        descriptions = []
        for name, grade in _grade_again(result, command, folder).items():
            submitted = getattr(result, name)
            if submitted != grade:
                descriptions.append(f"{name} {submitted}, but {grade:g} when graded again")
        if descriptions:
            yield RoundDifference(result, "; ".join(descriptions))


def _grade_again(result: RoundResult, command: str, folder: Path) -> dict[str, float]:
    """Return the grades that the grader prints for a round.

    The command is run without a shell, in the folder of the artifacts. `{task}`, `{attempt}` and
    `{round}` in its arguments are replaced by those of the round. The last line of its output must
    be a JSON object with `reward`, and with `passed` and `total` if the grader counts cases.

    Raises:
        UsageError: The command fails, takes too long, or does not print such an object.
    """
    arguments = [_fill_in(argument, result) for argument in shlex.split(command)]
    try:
        process = subprocess.run(
            arguments, cwd=folder, capture_output=True, timeout=GRADER_SECONDS, check=True
        )
        printed = json.loads(process.stdout.splitlines()[-1])
        grades = {"reward": float(printed["reward"])}
        for name in _COUNT_FIELDS:
            if name in printed:
                grades[name] = float(printed[name])
    except (
        OSError,
        subprocess.SubprocessError,
        IndexError,
        ValueError,
        TypeError,
        KeyError,
    ) as error:
        raise UsageError(
            f"`{shlex.join(arguments)}` does not print a last line of JSON with a reward: {error}"
        ) from error
    return grades


def _fill_in(argument: str, result: RoundResult) -> str:
    """Return an argument of the grader's command with the placeholders of a round filled in."""
    argument = argument.replace("{task}", result.task)
    argument = argument.replace("{attempt}", str(result.attempt))
    return argument.replace("{round}", str(result.round))
