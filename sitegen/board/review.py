"""Boards as whoever judges makes them: every track scored and ranked, and its rows looked at beside each other."""

from dataclasses import replace
from functools import partial

from sitegen.board.board import Board, ranked
from sitegen.board.claims import claims_about, printed_rows, problems_of, with_own_day
from sitegen.board.entry import Conditions, Entry, bundle_entry, reported_entry
from sitegen.board.findings import with_effects
from sitegen.board.likeness import likeness_problems
from sitegen.board.outliers import outlier_problems
from sitegen.board.reproduction import reproduction_problems, reproductions_on, stray_reproductions
from sitegen.board.rerun_odds import rerun_terms
from sitegen.board.waivers import NO_WAIVERS, Waivers
from sitegen.models.benchmark import Track
from sitegen.models.results import BenchmarkResults
from sitegen.models.submission import Agent
from sitegen.problems import Problem, errors_of


def boards_of(results: BenchmarkResults, waivers: Waivers = NO_WAIVERS) -> tuple[Board, ...]:
    """Score, rank and review every track of a benchmark, in the benchmark's order."""
    known = results.with_known_costs()
    judged = with_effects(known)
    boards = (_scored(results, known, judged, track) for track in results.benchmark.tracks)
    return tuple(replace(reviewed(board), waivers=waivers) for board in boards)


def _scored(
    results: BenchmarkResults, known: BenchmarkResults, judged: BenchmarkResults, track: Track
) -> Board:
    """Score the rows of a track, as they were sent in and as findings make them, and rank them.

    Args:
        results: The benchmark's results as they were read, which the board keeps.
        known: The same without costs that are unknown.
        judged: `known` after findings had their effect.
        track: The track to score.
    """
    tasks = results.tasks_of(track)
    bundles, tables = known.bundles_of(track), results.reported_on(track)
    name_of, under = results.benchmark.agent_name, Conditions(results.benchmark, track, tasks)

    def by_one_name(agent: Agent) -> Agent:
        return agent.model_copy(update={"name": name_of(agent.name)})

    entries = []
    for sent, bundle in zip(bundles, judged.bundles_of(track), strict=True):
        agent = by_one_name(bundle.submission.agent)
        entry = bundle_entry(
            sent, agent, under, claims_about(agent, tables, name_of, len(tasks.tasks))
        )
        entries.append(entry if bundle is sent else entry.after_findings(bundle, under))
    entries = [_checked(with_own_day(entry, results, track), results) for entry in entries]
    for row, table, others in printed_rows(tables, bundles, track.headline, name_of):
        entries.append(reported_entry((row, table), by_one_name(row.agent), under, others))
    board = ranked(results, track, entries)
    terms_of = partial(rerun_terms, board)
    reproductions = reproductions_on(results, track, board.all_entries, board.certainty, terms_of)
    borne_out = {  # a rerun is shown to be the same, and none to differ
        name
        for name, found in reproductions.items()
        if any(each.holds for each in found) and not any(each.differs for each in found)
    }
    standing, retired = (
        [
            replace(entry, evidence="reproduced") if entry.id in borne_out else entry
            for entry in rows
        ]
        for rows in (board.entries, board.retired)
    )
    return replace(board, entries=standing, retired=retired, reproductions=reproductions)


def _checked(entry: Entry, results: BenchmarkResults) -> Entry:
    """A row with the check of its rounds, which verifies it where every case is here and enough rounds agree."""
    check = results.checks.get(entry.id)
    if check is None:
        return entry
    is_enough = check.agrees and check.drawn >= results.benchmark.verified_from * check.of
    is_verified = is_enough and entry.evidence == "complete"
    return replace(entry, check=check, evidence="verified" if is_verified else entry.evidence)


def reviewed(board: Board) -> Board:
    """Find what is odd about the rows of a board beside each other, which no bundle shows by itself.

    A problem whose path lies in a bundle is told on that submission's page, and where the bundle is validated. One
    that lies elsewhere is told of the benchmark.
    """
    reruns = [
        problem
        for entry in board.all_entries
        if entry.bundle
        for problem in reproduction_problems(entry.bundle, board.reproductions.get(entry.id, ()))
    ]
    astray = stray_reproductions(board.results, board.track)
    return replace(
        board, problems=(*astray, *reruns, *likeness_problems(board), *outlier_problems(board))
    )


def problems_in(board: Board, entry: Entry) -> tuple[Problem, ...]:
    """Everything that is wrong with a row: with its bundle, its claims, and beside the board's other rows."""
    bundle = entry.bundle
    if bundle is None:
        return ()
    beside = (each for each in board.problems if each.path.is_relative_to(bundle.path))
    # Claims can't be held against scores where tasks or figures are wrong: that is told alone.
    files = {
        board.results.path / "tasks" / f"{board.track.tasks}.jsonl",
        bundle.path / "runs.jsonl",
    }
    errors = errors_of((*board.results.problems, *board.waivers.applied(bundle.problems)))
    can_be_scored = bool(board.tasks.tasks) and not any(problem.path in files for problem in errors)
    own = problems_of(entry) if can_be_scored else bundle.problems
    return board.waivers.applied((*own, *beside))


def problems_beside(board: Board) -> tuple[Problem, ...]:
    """What is odd about a board's rows and lies in none of their bundles."""
    folders = [entry.bundle.path for entry in board.all_entries if entry.bundle]
    outside = (each for each in board.problems if not any(map(each.path.is_relative_to, folders)))
    return board.waivers.applied(outside)
