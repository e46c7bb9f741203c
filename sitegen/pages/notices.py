"""Notices about a board: the basis of its order, and scores that were not recomputed."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sitegen.board import Board, Entry
from sitegen.board.history.revisions import word_for_reruns
from sitegen.board.wording import joined
from sitegen.models.reported import Erratum, ReportedTable
from sitegen.pages import labels
from sitegen.pages.texts import join_texts
from sitegen.problems import agreeing, counted, plural


class ErratumNote(NamedTuple):
    """An error in a published table, with the anchor of its marks, and the agents it concerns."""

    anchor: str
    erratum: Erratum
    agents: Sequence[str]


class SourceNote(NamedTuple):
    """The contribution of a published table to a board: rows, or figures for recomputed rows."""

    contribution: str
    """A phrase with the number of rows, and the number of rows with additional figures."""
    table: ReportedTable
    errata: Sequence[ErratumNote]


def source_notes(board: Board) -> list[SourceNote]:
    """Return the published tables from which a board has rows or figures, with their errata."""
    notes: list[SourceNote] = []
    for table in board.results.reported_on(board.track):
        rows = []
        for entry in board.entries:
            if entry.table_line and entry.table_line.table is table:
                rows.append(entry)
        supplemented = sum(_has_figures_from(entry, table) for entry in board.entries)
        contributions = []
        if rows:
            contributions.append(counted(len(rows), "agent"))
        if supplemented:
            contributions.append(f"additional figures for {counted(supplemented, 'agent')}")
        if contributions:
            notes.append(SourceNote(" and ".join(contributions), table, errata_of(table, rows)))
    return notes


def _has_figures_from(entry: Entry, table: ReportedTable) -> bool:
    """Return whether a row has figures from a published table in addition to its own."""
    if not entry.table_line:
        return False
    return any(line.table is table for line in entry.table_line.others)


def errata_of(table: ReportedTable, rows: Sequence[Entry]) -> list[ErratumNote]:
    """Return each erratum of a table, with the agents that it concerns."""
    names = {entry.id: entry.agent.name for entry in rows}
    notes = []
    for number, erratum in enumerate(table.errata, start=1):
        agents = dict.fromkeys(names[row] for row in erratum.rows if row in names)
        anchor = f"erratum-{table.date}-{number}"
        notes.append(ErratumNote(anchor, erratum, list(agents)))
    return notes


def carried_note(entry: Entry) -> str:
    """Return a note on results carried from an earlier version of a row's track; may be empty."""
    carried = entry.submission.carried if entry.submission else None
    if carried is None:
        return ""
    return f"{counted(len(carried.tasks), 'task')} carried from {carried.track}"


def version_note(board: Board) -> str:
    """Return the note for rows of a replaced track, with the reason; empty for other tracks."""
    track = board.track
    if track.status != "legacy" or not track.superseded_by:
        return ""
    return join_texts(track.status, track.status_reason, separator=": ")


def incomparable_claims(entry: Entry) -> str:
    """Return why claims about a row cannot be compared with its scores; empty if they can."""
    task_counts: set[int] = set()
    has_incomparable = False
    for score in entry.claimed:
        for claim in score.incomparable:
            has_incomparable = True
            task_counts.add(claim.tasks or 0)
    if not has_incomparable:
        return ""
    task_counts.discard(0)
    if not task_counts:
        return "claims not comparable"
    numbers = " and ".join(f"{count:,}" for count in sorted(task_counts))
    noun = "task" if numbers == "1" else "tasks"
    return f"claims not comparable (over {numbers} {noun})"


def shared_claims(board: Board) -> str:
    """Return a sentence on why no claims can be compared with scores; empty if rows differ."""
    reasons: set[tuple[int | None, int]] = set()
    claimed_ids = set()
    for entry in board.submissions:
        scored_tasks = 0
        if entry.coverage:
            scored_tasks = entry.coverage.scored
        for score in entry.claimed:
            claimed_ids.add(entry.id)
            for claim in score.claims:
                is_comparable = claim not in score.incomparable
                reasons.add((None if is_comparable else claim.tasks, scored_tasks))
    if len(reasons) != 1 or len(claimed_ids) == 1:
        return ""
    ((claimed_tasks, scored_tasks),) = reasons
    if not claimed_tasks:
        return ""
    return (
        f"Claims for these agents cover {counted(claimed_tasks, 'task')}; "
        f"the scores here cover {scored_tasks}, so the two are not comparable. "
        "The agents' pages list the claims."
    )


def order_basis(board: Board) -> str:
    """Return a few sentences on the basis of a board's order."""
    return join_texts(grounds(board), *_bracketed_ranks(board), _rerun_luck(board), separator=" ")


def _rerun_luck(board: Board) -> str:
    """Return a sentence on the run-to-run variation of single attempts; empty for several attempts.

    It is also empty if no page on certainty can estimate the variation, which takes several tasks
    and agents.
    """
    has_pairs = len(board.inference.ranks) > 1 and board.inference.has_several_tasks
    if not has_pairs or not board.submissions or board.track.attempts > 1:
        return ""
    return (
        "With 1 attempt per task, another run of the same agent may score differently; the page on "
        "certainty estimates by how much."
    )


def rerun_notice(board: Board) -> str:
    """Return a sentence on submissions with reruns; empty if the board has no submissions."""
    submissions = board.submissions
    if not submissions:
        return ""
    revised = 0
    for entry in submissions:
        revisions = entry.submission.revisions if entry.submission else ()
        revised += any(revision.reruns for revision in revisions)
    noun = plural(word_for_reruns(board.benchmark.round_word.lower()))
    if board.tasks.is_of_one_round:
        noun = labels.verdicts_word(board)
    if not revised:
        return f"No submission on this board has {noun} that were run again."
    subject = f"{revised} of {counted(len(submissions), 'submission')}"
    if len(submissions) == 1:
        subject = "The only submission"
    verb = agreeing(revised, "has", "have")
    rows_say = agreeing(revised, "the agent's row says", "the agents' rows say")
    return f"{subject} {verb} {noun} run again; {rows_say} how many."


def unknown_notice(board: Board) -> str:
    """Return a sentence on facts, such as cost, that are unknown for every agent; may be empty."""
    entries = board.entries
    if not entries:
        return ""
    unknown = []
    if not any(_has_cost(board, entry) for entry in entries):
        unknown.append("cost")
    if not any(entry.agent.model_released for entry in entries):
        unknown.append("the model's release date")
    if all(entry.agent.open_weights is None for entry in entries):
        unknown.append("whether weights are open")
    if not unknown:
        return ""
    facts = joined(unknown)
    verb = agreeing(len(unknown), "is", "are")
    return f"{facts[0].upper()}{facts[1:]} {verb} not known for any agent on this board."


def _has_cost(board: Board, entry: Entry) -> bool:
    """Return whether any cost of a row is known."""
    for metric in board.metrics.values():
        if metric.effort == "cost" and entry.value(metric.id) is not None:
            return True
    return False


def grounds(board: Board) -> str:
    """Return what ranks are based on, and how many pairs are tested; may be empty."""
    ranked_count = sum(entry.id in board.inference.ranks for entry in board.entries)
    pair_count = ranked_count * (ranked_count - 1) // 2
    if not pair_count:
        return ""
    pairs = "for the only pair of agents"
    if pair_count > 1:
        pairs = f"over all {pair_count:,} pairs of agents at once"
    basis = board.inference.grounds
    sentence = f"Ranks are based on {basis}, tested {pairs} (95 % confidence)."
    return join_texts(sentence, _cluster_sentence(board), separator=" ")


def untested_sentence(board: Board) -> str:
    """Return why an order over several tasks is not tested; empty if it is tested."""
    inference = board.inference
    if not inference.has_several_tasks or not inference.untested_order:
        return ""
    if inference.has_tasks:
        return f"The order is not tested: {inference.untested_order}."
    return (
        f"Scores have no intervals and ranks are not tested: tasks that share a "
        f"{inference.cluster_word} depend on each other, and {inference.untested}."
    )


def _cluster_sentence(board: Board) -> str:
    """Return a sentence on how many clusters the tasks form; empty if tasks are independent."""
    resampling = board.inference.resampling
    if not resampling.clusters:
        return ""
    cluster_noun = board.inference.cluster_word
    tasks = counted(len(resampling.tasks), "task")
    clusters = counted(len(resampling.clusters), cluster_noun)
    return (
        f"Tasks that share a {cluster_noun} depend on each other, "
        f"so the {tasks} are tested as {clusters}."
    )


def _bracketed_ranks(board: Board) -> Iterator[str]:
    """Yield sentences on ranks in brackets, whose only basis is the order of scores."""
    untested = [entry for entry in board.ranked_entries if entry.id not in board.inference.ranks]
    recomputed = [entry for entry in untested if entry.submission_results]
    reported = [entry for entry in untested if not entry.submission_results]
    if recomputed:
        reason = board.inference.untested_order or "their uncertainty is unknown"
        sentence = f"Ranks in brackets follow the scores alone: {reason}."
        if not board.inference.has_tasks:
            sentence = untested_sentence(board) or sentence
        yield sentence
    if not reported:
        return
    if any(entry.scores[board.headline.id].counted for entry in reported):
        rounds_noun = labels.rounds_word(board.benchmark, 2)
        yield (
            f"Ranks in brackets follow the published scores alone. These count {rounds_noun}, and "
            f"the {rounds_noun} of a task are correlated, so a test that treats them as "
            "independent would find false differences."
        )
    else:
        yield (
            "Ranks in brackets follow the published scores alone: without raw data their "
            "uncertainty is unknown."
        )
