"""Reads a submission's rounds again from what its runner and grader wrote, and writes down what came of it."""

import hashlib
import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date as Date  # noqa: N812 - as in the models
from pathlib import Path

from sitegen.board.claims import same_agent
from sitegen.importers.kit.options import ImportOptions
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.journal import Check
from sitegen.models.outcome import RoundResult
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.pipeline.correcting import submission_at
from sitegen.pipeline.importing import Destination, Runs
from sitegen.pipeline.judging import collector_off
from sitegen.problems import UsageError, listed
from sitegen.publish.records import json_lines
from sitegen.publish.transaction import snapshot_of, transaction
from sitegen.reading.files import read_bytes
from sitegen.store.folder import read_part
from sitegen.store.journals import bundle_digest
from sitegen.store.layout import CHECKS, DEFINITION
from sitegen.store.revision import head_of

_ALWAYS = ("state", "reward")
_WHERE_TOLD = ("passed", "total", "skipped", "outcomes", "case_ids", "grader_digest", "transcript_digest")
"""What a submission may leave out, and what is compared where it does not."""

Place = tuple[str, int, int, str]
"""Task, attempt, round and start."""


@dataclass(frozen=True, slots=True)
class Verified:
    """What came of a check."""

    check: Check
    differences: Sequence[str]
    """A line for each round that is not as the grader wrote it."""
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
    address: str, source: Runs, folder: Path, asked: tuple[float, str, Date], own: Mapping[str, object]
) -> Verified:
    """Compare rounds that nobody could foresee with the artifacts, and add the result to the benchmark's checks.

    Args:
        address: The submission.
        source: The artifacts: what the submission was imported from.
        folder: The results folder.
        asked: The share of rounds to draw, who checks, and the day.
        own: Options that only some formats have.

    Raises:
        UsageError: There is no such submission, or the artifacts have no runs of its agent on its track.
        ProblemsError: The artifacts can't be read.
    """
    (share, by, day), home = asked, address.strip("/").partition("/")[0]
    since = snapshot_of(folder)
    with collector_off():
        part = read_part(folder / home if (folder / home / DEFINITION).exists() else folder)
        results, bundle = submission_at(address, part)
        submission = bundle.submission
        options = ImportOptions(
            *(day, results.path.name, submission.track, submission.date),
            allow_missing=True,
            aliases=results.benchmark.aliases,
        )
        draft = _draft_of(bundle, results, source.read(Destination.of(results.path, submission.track), options, own))
    told = [each for each in bundle.rounds if each.state != "excluded"]
    if not told:
        raise UsageError(f"{bundle.id} has no rounds")
    base, digest = head_of(folder), bundle_digest(bundle.path)
    seed = hashlib.sha256(f"{base}:{digest}".encode()).hexdigest()
    # Seeded, so that anybody can draw the same again.
    drawn = random.Random(seed).sample(sorted(told, key=_place), math.ceil(share * len(told)))  # noqa: S311
    differences = differences_of(drawn, draft.rounds)
    known = {(each.task, each.attempt) for each in bundle.rounds}
    others = [each for each in draft.rounds if (each.task, each.attempt) not in known]
    beyond = dict.fromkeys(f"task {each.task}, attempt {each.attempt}" for each in others)
    agreed = len(drawn) - len(differences)
    check = Check(bundle.id, digest, by, str(day), seed, base, len(drawn), len(told), agreed)
    path = results.path / CHECKS
    before = (read_bytes(path)[0] or b"") if path.is_file() else b""
    with transaction(folder, since) as changes:
        changes.write(results.path.name, {CHECKS: before + json_lines([check])})
    return Verified(check, differences, list(beyond))


def _draft_of(bundle: Bundle, results: BenchmarkResults, incoming: Incoming) -> Draft:
    """Find the agent's own runs among what the artifacts hold."""
    agent, name_of = bundle.submission.agent, results.benchmark.agent_name
    same = [each for each in incoming.drafts if same_agent(each.submission.agent, agent, name_of)]
    found = same if len(same) == 1 else [each for each in same or incoming.drafts if each.id == bundle.id]
    found = found or (list(incoming.drafts) if len(incoming.drafts) == 1 else [])
    if not found:
        names = listed((each.submission.agent.name for each in incoming.drafts), 5)
        raise UsageError(f"the artifacts have no runs of {agent.name} alone; they have those of {names or 'nobody'}")
    return found[0]


def differences_of(drawn: Iterable[RoundResult], artifacts: Iterable[RoundResult]) -> list[str]:
    """Name the rounds that are not as the artifacts have them, each with what it says otherwise."""
    found = {_place(each): each for each in artifacts}
    pairs = ((each, "; ".join(_differences(each, found.get(_place(each))))) for each in sorted(drawn, key=_place))
    return [
        f"task {each.task}, attempt {each.attempt}, round {each.round}"
        f"{' from the reference' * (each.start == 'reference')}: {what}"
        for each, what in pairs
        if what
    ]


def _place(each: RoundResult) -> Place:
    return each.task, each.attempt, each.round, each.start


def _differences(told: RoundResult, found: RoundResult | None) -> Iterator[str]:
    """What a round says otherwise than the grader did."""
    if found is None:
        yield "the artifacts have no such round"
        return
    for name in (*_ALWAYS, *_WHERE_TOLD):
        ours, theirs = getattr(told, name), getattr(found, name)
        if ours != theirs and (name in _ALWAYS or (ours is not None and (theirs is not None or name == "outcomes"))):
            yield f"{name} {ours}, and {theirs} in the artifacts"
