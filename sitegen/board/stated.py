"""How much of a submission's making its manifest states."""

import re
from collections.abc import Mapping

from sitegen.board.dossier import Dossier, Shown
from sitegen.problems import counted

_PINNED = re.compile(r"(?:^|@)[a-z0-9+._-]+:[0-9a-f]{32,}$")
"""A digest, alone or behind the name of an image."""


def setup(dossier: Dossier) -> Shown:
    """Tell whether the agent's maker, scaffold and reasoning setting are stated."""
    agent = dossier.bundle.submission.agent
    return _stated(
        {"organisation": agent.organization, "scaffold": agent.scaffold, "reasoning setting": agent.reasoning}
    )


def submitter(dossier: Dossier) -> Shown:
    """Tell whether somebody stands behind the submission by name."""
    sender = dossier.bundle.submission.submitter
    return _stated({"name of the submitter": sender and (sender.name or sender.organization)})


def dates(dossier: Dossier) -> Shown:
    """Tell whether start and end of the runs are stated."""
    about = dossier.provenance
    return _stated({"start": about.started, "end": about.finished})


def seeds(dossier: Dossier) -> Shown:
    """Tell whether random seeds are stated."""
    found = dossier.provenance.seeds
    if not found:
        return Shown(0, 1, "No random seed is stated.")
    return Shown(len(found), len(found), "The random seeds are stated.")


def harness(dossier: Dossier) -> Shown:
    """Tell whether the program that ran the benchmark is stated, and its version."""
    about = dossier.provenance
    return _stated({"harness": about.harness, "version of the harness": about.harness_version})


def code(dossier: Dossier) -> Shown:
    """Tell whether the commit is stated that the code ran from, and that nothing differed from it."""
    about = dossier.provenance
    if not about.code_commit:
        return Shown(0, 2, "The commit of the code is not stated.")
    if about.dirty is None:
        return Shown(1, 2, "The commit of the code is stated; whether the files differed from it is not.")
    if about.dirty:
        return Shown(1, 2, "The commit of the code is stated, and that the files differed from it.")
    return Shown(2, 2, "The commit of the code is stated, and that no file differed from it.")


def tasks(dossier: Dossier) -> Shown:
    """Tell whether the digest of the tasks is stated and is one that the benchmark registers."""
    stated = dossier.provenance.task_digest
    if not stated:
        return Shown(0, 2, "The digest of the tasks is not stated.")
    if dossier.tasks.digest is None:
        return Shown(1, 2, "The digest of the tasks is stated; the benchmark registers none to hold it against.")
    if not dossier.tasks.goes_by(stated):
        return Shown(1, 2, "The digest of the tasks is stated; it is not the one that the benchmark registers.")
    return Shown(2, 2, "The digest of the tasks is the one that the benchmark registers.")


def images(dossier: Dossier) -> Shown:
    """Count the container images that are named by a digest, which no later push can change."""
    stated = dossier.provenance.images
    if not stated:
        return Shown(0, 1, "No container image is stated.")
    found = list(stated.values()) if isinstance(stated, dict) else stated
    pinned = sum(_PINNED.search(each) is not None for each in found)
    verb = "is" if pinned == 1 else "are"
    return Shown(pinned, len(found), f"Of {counted(len(found), 'container image')}, {pinned} {verb} named by a digest.")


def transcripts(dossier: Dossier) -> Shown:
    """Tell whether it is stated where the agent's transcripts are."""
    return _stated({"place of the transcripts": dossier.provenance.trajectories})


def hashes(dossier: Dossier) -> Shown:
    """Tell whether the transcripts are hashed, so that a change to one would show."""
    return _stated({"digest of the transcripts": dossier.provenance.trajectories_digest})


def _stated(facts: Mapping[str, object]) -> Shown:
    """Tell which of some facts are stated."""
    there = [name for name, value in facts.items() if value]
    missing = [name for name in facts if name not in there]
    parts = [
        f"{_listed(named)} {'is' if len(named) == 1 else 'are'} {what}"
        for named, what in ((there, "stated"), (missing, "not stated"))
        if named
    ]
    text = "; ".join(parts)
    return Shown(len(there), len(facts), f"{text[:1].upper()}{text[1:]}.")


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
