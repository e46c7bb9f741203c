"""What rounds and runs took: from what the agent counted for a run, and from its transcript by rounds."""

from dataclasses import fields, replace

from sitegen.importers.harbor.trajectory import Effort, Trajectory, read_trajectory, trajectory_files
from sitegen.importers.harbor_multiturn.files import AgentResult, Bookkeeping
from sitegen.importers.harbor_multiturn.runs import Run
from sitegen.importers.harbor_multiturn.tries import Cell
from sitegen.importers.kit.tree import Tree
from sitegen.problems import Problem

_NOTHING = Trajectory(Effort())
_NAMES = [each.name for each in fields(Effort)]


def effort_of(run: Run) -> Effort:
    """Give what a run took in all, the run that it goes on from included: an agent that is restored goes on counting.

    Tool calls are not in it: only the transcript tells of them.
    """
    result = run.result.agent_result or AgentResult()
    kept = result.metadata or Bookkeeping()
    replies = kept.n_episodes if kept.n_episodes is not None else run.result.requests or None
    turns = None if replies is None else int(replies)
    return Effort(None, turns, result.n_input_tokens, result.n_output_tokens, result.cost_usd)


def added(after: Effort, before: Effort) -> Effort:
    """Take from what a run took what the run before it took already.

    Where one of its figures is the smaller one, the agent began to count anew, and nothing is taken away.
    """
    pairs = [(getattr(after, name), getattr(before, name)) for name in _NAMES]
    told = [(late, early) for late, early in pairs if None not in {late, early}]
    if any(late < early for late, early in told):
        return after
    return Effort(*(late if None in {late, early} else late - early for late, early in pairs))


def of_round(cell: Cell, number: int, transcript: Trajectory) -> Effort:
    """Give what one round took.

    Figures that are known for a run as a whole are a round's only where the run went through no other round.

    Args:
        cell: What is known of the round.
        number: The round.
        transcript: Of the run that tells of it.
    """
    run = cell.course.run
    steps = transcript.by_round.get(number, Effort())
    if not any(each.interactions for each in transcript.by_round.values()):
        steps = replace(steps, interactions=None)
    counted = effort_of(run)
    if run.is_single and number == run.start:
        return (added(counted, effort_of(cell.before.run)) if cell.before else counted).or_else(steps)
    return Effort(*(getattr(steps, name) if getattr(counted, name) is None else None for name in _NAMES))


def transcript_of(run: Run, tree: Tree) -> tuple[Trajectory, list[Problem]]:
    """Count a run's transcript; nothing is counted where there is none or where it can't be read."""
    folder = tree.look(run.path / "agent") if "agent" in run.folder.folders else None
    transcript, problems = read_trajectory(trajectory_files(folder)) if folder else (None, [])
    return transcript or _NOTHING, problems
