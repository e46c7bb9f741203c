"""Makes the boards of a benchmark: every track scored, ranked, and reviewed for odd results."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from sitegen.board.board import Board, rank_entries
from sitegen.board.claims import chosen_lines, claims_about, entry_problems, with_own_day
from sitegen.board.entry import Apart, Entry, bundle_entry, reported_entry
from sitegen.board.findings import with_effects
from sitegen.board.inference.rerun_odds import rerun_terms
from sitegen.board.likeness import likeness_problems
from sitegen.board.outliers import outlier_problems
from sitegen.board.reproduction import (
    Reproduction,
    reproduction_problems,
    reproductions_on,
    stray_reproductions,
)
from sitegen.board.waivers import NO_WAIVERS, Waivers
from sitegen.metrics.conditions import Conditions
from sitegen.models.benchmark import Track
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.submission import Agent
from sitegen.problems import Problem, errors_of


def make_boards(results: BenchmarkResults, waivers: Waivers = NO_WAIVERS) -> tuple[Board, ...]:
    """Score, rank and review every track of a benchmark, in the benchmark's order."""
    sent = results.with_known_costs()
    after_findings = with_effects(sent)
    boards = []
    for track in results.benchmark.tracks:
        board = _scored_board(results, sent, after_findings, track)
        boards.append(replace(reviewed(board), waivers=waivers))
    return tuple(boards)


def _scored_board(
    results: BenchmarkResults,
    sent: BenchmarkResults,
    after_findings: BenchmarkResults,
    track: Track,
) -> Board:
    """Score the rows of a track, as they were sent in and after findings, and rank them.

    Args:
        results: The benchmark's results as they were read, which the board keeps.
        sent: The same without costs that are unknown.
        after_findings: `sent` after findings had their effects.
        track: The track to score.
    """
    entries = _submission_entries(results, sent, after_findings, track)
    entries += _published_entries(results, sent, track)
    board = rank_entries(results, track, entries)
    terms_of = partial(rerun_terms, board)
    reproductions = reproductions_on(results, track, board.all_entries, board.inference, terms_of)
    reproduced = set()
    for name, reruns in reproductions.items():
        if _is_reproduced(reruns):
            reproduced.add(name)
    return replace(
        board,
        entries=_with_reproduced(board.entries, reproduced),
        retired=_with_reproduced(board.retired, reproduced),
        apart=_with_reproduced(board.apart, reproduced),
        reproductions=reproductions,
    )


def _submission_entries(
    results: BenchmarkResults,
    sent: BenchmarkResults,
    after_findings: BenchmarkResults,
    track: Track,
) -> list[Entry]:
    """Return the rows of a track's submissions; see `_scored_board` for the arguments."""
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
        entry = replace(entry, kept_apart=_why_apart(sent_bundle, results, track))
        if bundle is not sent_bundle:
            entry = entry.after_findings(bundle, conditions)
        entries.append(_checked(with_own_day(entry, results, track), results))
    return entries


def _why_apart(bundle: Bundle, results: BenchmarkResults, track: Track) -> Apart | None:
    """Return why a submission is listed apart; None where it competes.

    A submission came on the day that arrivals.jsonl states, or else on its own date.
    """
    submission = bundle.submission
    if submission.baseline:
        return "baseline"
    if track.deadline is None:
        return None
    arrived = results.arrivals.days.get(bundle.id, submission.date)
    return "late" if arrived > track.deadline else None


def _published_entries(
    results: BenchmarkResults, sent: BenchmarkResults, track: Track
) -> list[Entry]:
    """Return the rows of a track's published tables."""
    conditions = Conditions.on_track(results, track)
    tables = results.reported_on(track)
    name_of = results.benchmark.agent_name
    entries = []
    for line in chosen_lines(tables, sent.bundles_of(track), track.headline, name_of):
        agent = _with_one_name(line.row.agent, results)
        entries.append(reported_entry(line, agent, conditions))
    return entries


def _with_one_name(agent: Agent, results: BenchmarkResults) -> Agent:
    """Return an agent under its one name, with the facts that `agents.toml` adds."""
    named = agent.model_copy(update={"name": results.benchmark.agent_name(agent.name)})
    return results.benchmark.directory.complete(named)


def _is_reproduced(reruns: Sequence[Reproduction]) -> bool:
    """Return whether a rerun is shown to score the same, and none to differ."""
    return any(rerun.holds for rerun in reruns) and not any(rerun.differs for rerun in reruns)


def _with_reproduced(entries: Sequence[Entry], reproduced: set[str]) -> list[Entry]:
    """Return rows with the evidence of the reproduced ones, given by their ids, raised to that."""
    rows = []
    for entry in entries:
        if entry.id in reproduced:
            rows.append(replace(entry, evidence="reproduced"))
        else:
            rows.append(entry)
    return rows


def _checked(entry: Entry, results: BenchmarkResults) -> Entry:
    """Return a row with the check of its rounds.

    The check verifies it where every case is known and enough rounds agree.
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


def reviewed(board: Board) -> Board:
    """Return a board with the problems that only show when its rows stand beside each other.

    A problem whose path lies in a bundle is shown on that submission's page, and where the bundle
    is validated. Another one is shown with the benchmark.
    """
    problems = list(stray_reproductions(board.results, board.track))
    for entry in board.all_entries:
        if entry.bundle:
            reruns = board.reproductions.get(entry.id, ())
            problems += reproduction_problems(entry.bundle, reruns)
    problems += likeness_problems(board)
    problems += outlier_problems(board)
    return replace(board, problems=tuple(problems))


def problems_in(board: Board, entry: Entry) -> tuple[Problem, ...]:
    """Return every problem of a row: of its bundle, of its claims, and beside the other rows."""
    bundle = entry.bundle
    if bundle is None:
        return ()
    review_problems = []
    for problem in board.problems:
        if problem.path.is_relative_to(bundle.path):
            review_problems.append(problem)
    # Claims can't be compared with scores where tasks or figures are wrong.
    needed_files = {
        board.results.path / "tasks" / f"{board.track.tasks}.jsonl",
        bundle.path / "runs.jsonl",
    }
    errors = errors_of((*board.results.problems, *board.waivers.applied(bundle.problems)))
    has_broken_file = any(problem.path in needed_files for problem in errors)
    can_be_scored = bool(board.tasks.tasks) and not has_broken_file
    row_problems = bundle.problems
    if can_be_scored:
        row_problems = entry_problems(entry)
    return board.waivers.applied((*row_problems, *review_problems))


def problems_beside(board: Board) -> tuple[Problem, ...]:
    """Return the problems of a board's review that lie in none of its bundles."""
    folders = [entry.bundle.path for entry in board.all_entries if entry.bundle]
    outside = []
    for problem in board.problems:
        if not _is_in_any(problem, folders):
            outside.append(problem)
    return board.waivers.applied(outside)


def _is_in_any(problem: Problem, folders: Sequence[Path]) -> bool:
    return any(problem.path.is_relative_to(folder) for folder in folders)
