"""Small benchmarks in memory, for tests of rankings."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from string import ascii_lowercase
from typing import Any

from kit.result_grids import records, task
from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.inference.comparison import Comparison, ScoreDifference, comparisons
from sitegen.board.making import make_boards
from sitegen.metrics.catalogue import METRICS
from sitegen.models.agents import AgentDirectory
from sitegen.models.benchmark import Benchmark, Track
from sitegen.models.outcome import RoundResult
from sitegen.models.reported import ReportedTable
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.submission import Submission
from sitegen.models.task import TaskSet

NAMES = (*ascii_lowercase, *(f"task-{number}" for number in range(26, 500)))
"""The names of tasks."""

FACTS: Mapping[str, Any] = {"schema": 1, "track": "main", "date": date(2026, 6, 25)}


def track(**facts: Any) -> Track:  # noqa: ANN401 - any field of a track
    """Return a track."""
    defaults = {"id": "main", "title": "Main", "protocol": "chain", "tasks": "all", "headline": "dataset_score"}
    return Track.model_validate({**defaults, "columns": ("dataset_score",), **facts})


def bundle(name: str, *marks: str, found: Sequence[RoundResult] = (), **facts: Any) -> Bundle:  # noqa: ANN401 - any field of a manifest
    """Return a submission with the same name as its agent.

    Args:
        name: The submission's id.
        marks: The marks of one attempt at each task, as in `grids`; the tasks are named a, b, c and so on.
        found: Further records, which marks can't express.
        facts: Further values of the manifest.
    """
    submission = Submission.model_validate({**FACTS, "agent": {"name": name}, **facts})
    drawn = [record for named, marked in zip(NAMES, marks, strict=False) for record in records(named, marked)]
    claimed = submission.claims.values if submission.claims else {}
    path = Path("results/mini/submissions") / name
    lines = {metric: line for line, metric in enumerate(claimed, start=12)}
    return Bundle(name, path, submission, (*drawn, *found), claim_lines=lines)


def everywhere(marks: str, **facts: Any) -> list[RoundResult]:  # noqa: ANN401 - any field of a record
    """Return the same records for one attempt at each of the tasks a and b."""
    return [record for name in "ab" for record in records(name, marks, **facts)]


def claims(source: str | None = None, **values: str) -> Mapping[str, Any]:
    """Return claims with the given scores, as published."""
    return {"source": source, **{metric: Decimal(value) for metric, value in values.items()}}


def table(*rows: Mapping[str, Any], **facts: Any) -> ReportedTable:  # noqa: ANN401 - any field of a table
    """Return a reported table; each row has values and an id, which is also its agent's name."""
    defaults = {**FACTS, "title": "Table 1", "source": "A paper", **facts}
    return ReportedTable.model_validate({**defaults, "rows": tuple({"name": row["id"], **row} for row in rows)})


def row(name: str, /, value: str = "42.0", **facts: Any) -> Mapping[str, Any]:  # noqa: ANN401 - any field of an agent
    """Return a row of a reported table with a dataset score."""
    return {"id": name, "values": {"dataset_score": Decimal(value)}, **facts}


def board(
    *bundles: Bundle,
    on: Track | None = None,
    rounds: Sequence[int] = (2,),
    tables: Sequence[ReportedTable] = (),
    aliases: Mapping[str, str] | None = None,
) -> Board:
    """Return the board of one track with the given submissions, and tasks a, b, c and so on with these round counts."""
    definition = {
        "schema": 1,
        "id": "mini",
        "title": "Mini",
        "tracks": (on or track(),),
        "aliases": dict(aliases or {}),
    }
    tasks = TaskSet("all", tuple(task(name, count) for name, count in zip(NAMES, rounds, strict=False)))
    benchmark = Benchmark.model_validate(definition)
    (made,) = make_boards(BenchmarkResults(Path("results/mini"), benchmark, {"all": tasks}, bundles, tuple(tables)))
    return made


def called(name: str, made: Board, **facts: object) -> Board:
    """Return a copy of a board whose benchmark has another name and other facts."""
    facts = {"id": name, "title": name.title(), **facts}
    (made_board,) = make_boards(replace(made.results, benchmark=made.benchmark.model_copy(update=facts)))
    return made_board


def with_agents(made: Board, directory: AgentDirectory) -> Board:
    """Return a board of the same results, with names and facts from a directory of agents."""
    (made_board,) = make_boards(replace(made.results, benchmark=made.benchmark.with_agents(directory)))
    return made_board


def entry_of(made: Board, name: str) -> Entry:
    """Return the row with an id."""
    return next(entry for entry in made.all_entries if entry.id == name)


def beside(made: Board, first: Entry, second: Entry) -> Comparison:
    """Return the comparison of two rows by the headline score."""
    (comparison,) = comparisons(made, first, [second])
    return comparison


def apart(made: Board, *pair: Entry, metric: str) -> ScoreDifference:
    """Return the difference between two rows by a metric."""
    first, second = pair
    (paired,) = made.inference.paired(METRICS[metric], first, [second])
    return ScoreDifference(METRICS[metric], paired)
