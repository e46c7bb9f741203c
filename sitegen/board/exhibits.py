"""What evidence is made of: everything that a submission is looked through for, and what decides its tier."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sitegen.board import recorded, stated
from sitegen.board.board import Board
from sitegen.board.dossier import Dossier, Shown
from sitegen.board.entry import Entry
from sitegen.board.evidence import Evidence
from sitegen.models.results import Bundle


@dataclass(frozen=True, slots=True)
class Exhibit:
    """Something that a submission can be followed by.

    Attributes:
        id: Its name on pages.
        title: What readers see.
        told: Where a submission tells it: files and keys.
        measure: Says how much of it is there.
        decides: The tier that takes all of it; None where it is only listed.
    """

    id: str
    title: str
    told: Sequence[str]
    measure: Callable[[Dossier], Shown]
    decides: Evidence | None = None


EXHIBITS: Sequence[Exhibit] = (
    Exhibit("rewards", "A reward for every expected round", ("rounds.jsonl",), recorded.rewards, "recomputed"),
    Exhibit("outcomes", "The outcome of every case", ("rounds.jsonl: outcomes",), recorded.outcomes, "complete"),
    Exhibit(
        "rerun", "A maintainer's run that bears it out", ("findings.toml: reproduction",), recorded.reruns, "reproduced"
    ),
    Exhibit("names", "Names of the cases", ("tasks/TASKSET.jsonl: cases", "rounds.jsonl: case_ids"), recorded.names),
    Exhibit("texts", "Texts of failed cases", ("failures.jsonl.gz",), recorded.texts),
    Exhibit("effort", "Tokens, cost and time", ("rounds.jsonl", "runs.jsonl"), recorded.effort),
    Exhibit("transcripts", "Where the transcripts are", ("provenance.trajectories",), stated.transcripts),
    Exhibit("hashes", "A digest of the transcripts", ("provenance.trajectories_digest",), stated.hashes),
    Exhibit(
        "harness", "The harness and its version", ("provenance.harness", "provenance.harness_version"), stated.harness
    ),
    Exhibit("code", "The commit of the code, unchanged", ("provenance.code_commit", "provenance.dirty"), stated.code),
    Exhibit("tasks", "The registered digest of the tasks", ("provenance.task_digest",), stated.tasks),
    Exhibit("images", "Container images by their digests", ("provenance.images",), stated.images),
    Exhibit("seeds", "Random seeds", ("provenance.seeds",), stated.seeds),
    Exhibit("dates", "Start and end of the runs", ("provenance.started", "provenance.finished"), stated.dates),
    Exhibit(
        "setup",
        "Organisation, scaffold and reasoning setting",
        ("agent.organization", "agent.scaffold", "agent.reasoning"),
        stated.setup,
    ),
    Exhibit("submitter", "Who sends it in", ("submitter.name", "submitter.organization"), stated.submitter),
)
"""In the order that pages list them: what decides a tier first."""


@dataclass(frozen=True, slots=True)
class Showing:
    """An exhibit, and how much of it one submission shows."""

    exhibit: Exhibit
    shown: Shown


def showings(board: Board, entry: Entry, bundle: Bundle) -> Iterator[Showing]:
    """Look a submission through for everything that it can be followed by."""
    dossier = Dossier(bundle, board.track, board.tasks, board.reproductions.get(entry.id, ()))
    for exhibit in EXHIBITS:
        yield Showing(exhibit, exhibit.measure(dossier))
