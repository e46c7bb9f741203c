"""Reads a submission's rounds again from what its runner and grader wrote, and writes down what came of it."""

import hashlib
import json
import math
import secrets
import shlex
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date as Date  # noqa: N812 - as in the models
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from sitegen.board.claims import same_agent
from sitegen.importers.kit.options import ImportOptions
from sitegen.models.finding import Finding
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.journal import Check, seed_of
from sitegen.models.outcome import RoundResult
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.pipeline.correcting import submission_at
from sitegen.pipeline.importing import Destination, Runs
from sitegen.pipeline.judging import collector_off
from sitegen.problems import UsageError, listed
from sitegen.publish.benchmarks import grown_findings
from sitegen.publish.records import json_lines
from sitegen.publish.transaction import snapshot_of, transaction
from sitegen.reading.files import read_bytes
from sitegen.store.folder import read_part
from sitegen.store.journals import bundle_digest
from sitegen.store.layout import CHECKS, DEFINITION, FINDINGS
from sitegen.store.revision import head_of

_ALWAYS = ("state", "reward")
_WHERE_TOLD = (
    "passed",
    "total",
    "skipped",
    "outcomes",
    "case_ids",
    "grader_digest",
    "transcript_digest",
)
"""What a submission may leave out, and what is compared where it does not."""

_GRADER_SECONDS = 3600
"""So long may the grader take for a round."""
_GRADED = ("reward", "passed", "total")
"""What it prints of one."""
_NONCE_BYTES = 32
_FINDINGS = 10
"""So many rounds of a check get a finding of their own."""


@dataclass(frozen=True, slots=True)
class Asked:
    """How a submission is to be checked."""

    share: float
    """The share of rounds to draw."""
    by: str
    day: Date
    rerun: str | None = None
    """The command that runs the grader on a round again; None where its output is enough."""
    reading: ImportOptions | None = None
    """How the artifacts are read, such as which metric counts; None for the usual way."""


class Difference(NamedTuple):
    """A round that is not as the grader wrote it."""

    round: RoundResult
    what: str

    def __str__(self) -> str:
        """Where it is, and what it says otherwise."""
        each = self.round
        start = " from the reference" * (each.start == "reference")
        return f"task {each.task}, attempt {each.attempt}, round {each.round}{start}: {self.what}"


@dataclass(frozen=True, slots=True)
class Verified:
    """What came of a check."""

    check: Check
    differences: Sequence[Difference]
    """Those of the drawn rounds that are not as the grader wrote them."""
    beyond: Sequence[str]
    """Attempts that the artifacts have and the submission has not."""


def share_of(text: str) -> float:
    """The share of rounds to draw: `5%` is 0.05; a UsageError where it is none."""
    try:
        share = float(text.removesuffix("%")) / 100
    except ValueError:
        share = math.nan
    if not 0 < share <= 1:
        raise UsageError(f"--sample takes a share such as 5% or 100%, and this is `{text}`")
    return share


def verify(
    address: str, source: Runs, folder: Path, asked: Asked, own: Mapping[str, object]
) -> Verified:
    """Compare rounds that nobody could foresee with the artifacts, and add the result to the benchmark's checks.

    The artifacts are what the submission was imported from, with `own`, the options that only its format has.
    A round that differs becomes a finding.

    Raises:
        UsageError: There is no such submission, or the artifacts have no runs of its agent on its track, or
            the grader can't be run again.
        ProblemsError: The artifacts can't be read.
    """
    home = address.strip("/").partition("/")[0]
    since = snapshot_of(folder)
    with collector_off():
        part = read_part(folder / home if (folder / home / DEFINITION).exists() else folder)
        results, bundle = submission_at(address, part)
        submission = bundle.submission
        options = replace(
            asked.reading or ImportOptions(asked.day),
            benchmark=results.path.name,
            track=submission.track,
            date=submission.date,
            allow_missing=True,
            aliases=results.benchmark.aliases,
        )
        draft = _draft_of(
            bundle,
            results,
            source.read(Destination.of(results.path, submission.track), options, own),
        )
    told = [each for each in bundle.rounds if each.state != "excluded"]
    if not told:
        raise UsageError(f"{bundle.id} has no rounds")
    base, digest = head_of(folder), bundle_digest(bundle.path)
    nonce = secrets.token_hex(
        _NONCE_BYTES
    )  # only now: who serves the artifacts can't know it either
    seed = seed_of(base, digest, nonce)
    drawn = drawn_rounds(told, seed, math.ceil(asked.share * len(told)))
    differences = differences_of(drawn, draft.rounds)
    if asked.rerun:
        found = {
            each.round.place: each
            for each in (*_graded_again(drawn, asked.rerun, source.path), *differences)
        }
        differences = [found[place] for place in sorted(found)]
    known = {(each.task, each.attempt) for each in bundle.rounds}
    others = [each for each in draft.rounds if (each.task, each.attempt) not in known]
    beyond = dict.fromkeys(f"task {each.task}, attempt {each.attempt}" for each in others)
    agreed = len(drawn) - len(differences)
    words = (bundle.id, digest, asked.by, str(asked.day), seed, base)
    check = Check(*words, len(drawn), len(told), agreed, rerun=bool(asked.rerun), nonce=nonce)
    path = results.path / CHECKS
    before = (read_bytes(path)[0] or b"") if path.is_file() else b""
    with transaction(folder, since) as changes:
        written = {CHECKS: before + json_lines([check])}
        if findings := _findings_of(differences, bundle, results, asked):
            written[FINDINGS] = grown_findings(results.path / FINDINGS, findings) or b""
        changes.write(results.path.name, written)
    return Verified(check, differences, list(beyond))


def _draft_of(bundle: Bundle, results: BenchmarkResults, incoming: Incoming) -> Draft:
    """Find the agent's own runs among what the artifacts hold."""
    agent, name_of = bundle.submission.agent, results.benchmark.agent_name
    same = [each for each in incoming.drafts if same_agent(each.submission.agent, agent, name_of)]
    found = (
        same
        if len(same) == 1
        else [each for each in same or incoming.drafts if each.id == bundle.id]
    )
    found = found or (list(incoming.drafts) if len(incoming.drafts) == 1 else [])
    if not found:
        names = listed((each.submission.agent.name for each in incoming.drafts), 5)
        raise UsageError(
            f"the artifacts have no runs of {agent.name} alone; they have those of {names or 'nobody'}"
        )
    return found[0]


def drawn_rounds(rounds: Iterable[RoundResult], seed: str, count: int) -> list[RoundResult]:
    """Return the `count` rounds that a seed draws, so that anybody can draw those of a recorded check again.

    A round's key is the SHA-256 of `SEED:TASK:ATTEMPT:ROUND:START`, in hexadecimal digits; those with the
    smallest keys are drawn. `rounds` are those of a submission's `rounds.jsonl` that are not `excluded`.
    """

    def key(result: RoundResult) -> str:
        place = f"{result.task}:{result.attempt}:{result.round}:{result.start}"
        return hashlib.sha256(f"{seed}:{place}".encode()).hexdigest()

    return sorted(rounds, key=key)[:count]


def differences_of(
    drawn: Iterable[RoundResult], artifacts: Iterable[RoundResult]
) -> list[Difference]:
    """Name the rounds that are not as the artifacts have them, each with what it says otherwise."""
    found = {each.place: each for each in artifacts}
    pairs = (
        (each, "; ".join(_differences(each, found.get(each.place))))
        for each in sorted(drawn, key=attrgetter("place"))
    )
    return [Difference(each, what) for each, what in pairs if what]


def _findings_of(
    differences: Sequence[Difference], bundle: Bundle, results: BenchmarkResults, asked: Asked
) -> tuple[Finding, ...]:
    """A finding for each round that differs, with its address; of very many, for the first."""
    found = (
        Finding(
            date=max(asked.day, bundle.submission.date),
            kind="note",
            title=f"{bundle.id} is not as the grader wrote it",
            reason=str(each),
            by=asked.by,
            submissions=(bundle.id,),
            tasks=(each.round.task,),
            rounds=(each.round.round,),
        )
        for each in differences[:_FINDINGS]
    )
    known = {(each.submissions, each.reason) for each in results.findings}
    return tuple(each for each in found if (each.submissions, each.reason) not in known)


def _graded_again(
    drawn: Sequence[RoundResult], command: str, artifacts: Path
) -> Iterator[Difference]:
    """Run the grader on what is kept of each round, and name those that it grades otherwise than they say.

    The command stands for itself: no shell reads it, and `{task}`, `{attempt}` and `{round}` in its words are those of
    the round. It runs where the artifacts are, and the last line that it prints is a JSON object of `reward`, and
    `passed` and `total` where it counts cases.
    """
    place = artifacts if artifacts.is_dir() else artifacts.parent
    for each in (each for each in drawn if each.state in {"scored", "no_cases"}):
        names = {"{task}": each.task, "{attempt}": str(each.attempt), "{round}": str(each.round)}
        words = shlex.split(command)
        for name, value in names.items():
            words = [word.replace(name, value) for word in words]
        try:
            ended = subprocess.run(
                words, cwd=place, capture_output=True, timeout=_GRADER_SECONDS, check=True
            )
            graded = json.loads(ended.stdout.splitlines()[-1])
            again = {
                name: float(graded[name]) for name in _GRADED if name in graded or name == "reward"
            }
        except (
            OSError,
            subprocess.SubprocessError,
            IndexError,
            ValueError,
            TypeError,
            KeyError,
        ) as error:
            raise UsageError(
                f"`{shlex.join(words)}` does not end with a line of JSON with a reward: {error}"
            ) from error
        told = [(name, getattr(each, name), value) for name, value in again.items()]
        apart = [
            f"{name} {ours}, and {value:g} when graded again"
            for name, ours, value in told
            if ours != value
        ]
        if apart:
            yield Difference(each, "; ".join(apart))


def _differences(told: RoundResult, found: RoundResult | None) -> Iterator[str]:
    """What a round says otherwise than the grader did."""
    if found is None:
        yield "the artifacts have no such round"
        return
    for name in (*_ALWAYS, *_WHERE_TOLD):
        ours, theirs = getattr(told, name), getattr(found, name)
        if ours != theirs and (
            name in _ALWAYS or (ours is not None and (theirs is not None or name == "outcomes"))
        ):
            yield f"{name} {ours}, and {theirs} in the artifacts"
