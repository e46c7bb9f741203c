"""Make the boards of a benchmark: score the rows of every track, rank them, and compare reruns."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial

from sitegen.board.board import Board, rank_entries
from sitegen.board.claims import chosen_lines, claims_about, with_own_day
from sitegen.board.entry import Apart, Entry, bundle_entry, reported_entry
from sitegen.board.findings import with_effects
from sitegen.board.inference.rerun_odds import rerun_terms
from sitegen.board.reproduction import Reproduction, reproductions_on
from sitegen.board.row_problems import with_problems
from sitegen.board.waivers import NO_WAIVERS, Waivers
from sitegen.metrics.conditions import Conditions
from sitegen.models.benchmark import Track
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.revisions import arrival_day
from sitegen.models.submission import Agent


def make_boards(results: BenchmarkResults, waivers: Waivers = NO_WAIVERS) -> tuple[Board, ...]:
    """Make the board of every track of a benchmark, in the benchmark's order.

    A board is made in four steps: its rows are scored, the rows are ranked, submissions are
    compared with their reruns, and rows are compared with each other to find odd results.
    """
    sent = results.with_known_costs()
    after_findings = with_effects(sent)
    boards = []
    for track in results.benchmark.tracks:
        rows = _submission_rows(results, sent, after_findings, track)
        rows += _reported_rows(results, sent, track)
        ranked = rank_entries(results, track, rows)
        compared = _with_reproductions(ranked)
        checked = with_problems(compared)
        boards.append(replace(checked, waivers=waivers))
    return tuple(boards)


def _submission_rows(
    results: BenchmarkResults,
    sent: BenchmarkResults,
    after_findings: BenchmarkResults,
    track: Track,
) -> list[Entry]:
    """Return the rows of a track's submissions, with their scores.

    Args:
        results: The benchmark's results as they were read.
        sent: The results without costs of 0 that stand for unknown costs.
        after_findings: `sent` after findings took effect.
        track: The track.
    """
    conditions = Conditions.on_track(results, track)
    tables = results.reported_on(track)
    name_of = results.benchmark.agent_name
    task_count = conditions.tasks.total
    entries = []
    bundles = zip(sent.bundles_of(track), after_findings.bundles_of(track), strict=True)
    for sent_bundle, bundle in bundles:
        agent = _with_one_name(bundle.submission.agent, results)
        claims = claims_about(agent, tables, name_of, task_count)
        entry = bundle_entry(sent_bundle, agent, conditions, claims)
        entry = replace(entry, apart_while_published=_why_apart(sent_bundle, results, track))
        if bundle is not sent_bundle:
            entry = entry.after_findings(bundle, conditions)
        entries.append(_checked(with_own_day(entry, results, track), results))
    return entries


def _why_apart(bundle: Bundle, results: BenchmarkResults, track: Track) -> Apart | None:
    """Return why a submission is listed apart; None if it competes.

    The day compared with the deadline is the submission's `arrival_day`.
    """
    submission = bundle.submission
    if submission.baseline:
        return "baseline"
    if track.deadline is None:
        return None
    return "late" if arrival_day(bundle, results) > track.deadline else None


def _reported_rows(results: BenchmarkResults, sent: BenchmarkResults, track: Track) -> list[Entry]:
    """Return the rows of a track from reported tables: agents without results of their own."""
    conditions = Conditions.on_track(results, track)
    tables = results.reported_on(track)
    name_of = results.benchmark.agent_name
    entries = []
    for line in chosen_lines(tables, sent.bundles_of(track), track.headline, name_of):
        agent = _with_one_name(line.row.agent, results)
        entries.append(reported_entry(line, agent, conditions))
    return entries


def _with_one_name(agent: Agent, results: BenchmarkResults) -> Agent:
    """Return an agent under the benchmark's name for it, with the facts that `agents.toml` adds."""
    named = agent.model_copy(update={"name": results.benchmark.agent_name(agent.name)})
    return results.benchmark.agents.complete(named)


def _checked(entry: Entry, results: BenchmarkResults) -> Entry:
    """Return a row with the check of its rounds, if any.

    Its evidence is "verified" if every case is known, enough rounds were checked and all agree.
    """
    check = results.checks.get(entry.id)
    if check is None:
        return entry
    is_enough = check.agrees and check.drawn >= results.benchmark.verified_from * check.of
    is_verified = is_enough and entry.evidence == "complete"
    evidence = entry.evidence
    if is_verified:
        evidence = "verified"
    return replace(entry, check=check, evidence=evidence)


def _with_reproductions(board: Board) -> Board:
    """Return a board with the reruns of its submissions, and the evidence tier that follows."""
    reproductions = reproductions_on(
        board.results,
        board.track,
        board.all_entries,
        board.inference,
        partial(rerun_terms, board),
    )
    reproduced_ids = set()
    for submission_id, reruns in reproductions.items():
        if _is_reproduced(reruns):
            reproduced_ids.add(submission_id)
    return replace(
        board,
        entries=_with_reproduced(board.entries, reproduced_ids),
        retired=_with_reproduced(board.retired, reproduced_ids),
        apart=_with_reproduced(board.apart, reproduced_ids),
        reproductions=reproductions,
    )


def _is_reproduced(reruns: Sequence[Reproduction]) -> bool:
    """Return whether at least one rerun is shown to score the same, and none to differ."""
    return any(rerun.holds for rerun in reruns) and not any(rerun.differs for rerun in reruns)


def _with_reproduced(entries: Sequence[Entry], reproduced_ids: Collection[str]) -> list[Entry]:
    """Return rows with the evidence tier "reproduced" for the given ids."""
    rows = []
    for entry in entries:
        if entry.id in reproduced_ids:
            rows.append(replace(entry, evidence="reproduced"))
        else:
            rows.append(entry)
    return rows
