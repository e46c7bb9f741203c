"""The cases of one task in memory, for tests of task, round and run pages."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lxml import html
from pydantic import TypeAdapter

from kit.boards import FACTS, track
from sitegen.board.board import Board
from sitegen.board.making import make_boards
from sitegen.models.benchmark import Benchmark, Track
from sitegen.models.outcome import Failure, RoundResult, RunFigures
from sitegen.models.results import BenchmarkResults, Bundle, FailureLog
from sitegen.models.site import Page
from sitegen.models.submission import Submission
from sitegen.models.task import Case, Task, TaskRound, TaskSet
from sitegen.pages.environment import Templates
from sitegen.pages.records import BoardRecords, TaskCases

TEMPLATES = Templates(Path(__file__).parents[2] / "templates" / "pages")
_FAILURE = TypeAdapter(Failure)


def task(*rounds: Sequence[str] | None) -> Task:
    """Return the task `a` with its rounds' cases, such as "c1", or "c1:sort" with a requirement; None lists none."""
    listed = [tuple(map(_case, cases)) if cases else None for cases in rounds]
    return Task("a", tuple(TaskRound(n, cases=cases) for n, cases in enumerate(listed, start=1)))


def ran(number: int, outcomes: str, attempt: int = 1, **facts: Any) -> RoundResult:  # noqa: ANN401 - any field of a record
    """Return the record of a round, from the outcomes of its cases."""
    passed, skipped = outcomes.count("p"), outcomes.count("s")
    reward = float(passed + skipped == len(outcomes))
    counts = {"passed": passed, "total": len(outcomes), "skipped": skipped or None}
    return RoundResult("a", attempt, number, "scored", reward, outcomes=outcomes, **{**counts, **facts})


def counted(number: int, passed: int, total: int, attempt: int = 1, **facts: Any) -> RoundResult:  # noqa: ANN401 - as above
    """Return the record of a round for which only case counts are known."""
    return RoundResult("a", attempt, number, "scored", float(passed == total), passed, total, **facts)


def failure(number: int, case: str, requirement: str | None = "sort", **facts: Any) -> Failure:  # noqa: ANN401 - as above
    """Return the recorded texts of a failed case."""
    return Failure("a", facts.pop("attempt", 1), number, case, requirement=requirement, **facts)


def submission(name: str, *entries: RoundResult | Failure, runs: tuple[RunFigures, ...] = (), **facts: Any) -> Bundle:  # noqa: ANN401 - any field of a manifest
    """Return a submission with the same name as its agent."""
    manifest = Submission.model_validate({**FACTS, "agent": {"name": name}, **facts})
    lines = b"\n".join(
        _FAILURE.dump_json(failure_record) for failure_record in entries if isinstance(failure_record, Failure)
    )
    rounds = tuple(round_result for round_result in entries if isinstance(round_result, RoundResult))
    return Bundle(name, Path("results/mini/submissions") / name, manifest, rounds, runs, FailureLog({"a": lines}))


def board(about: Task, *bundles: Bundle, on: Track | None = None, **facts: Any) -> Board:  # noqa: ANN401 - any field of a benchmark
    """Return the board of submissions on one task."""
    defaults = {"schema": 1, "id": "mini", "title": "Mini", "tracks": (on or track(),), **facts}
    benchmark = Benchmark.model_validate(defaults)
    (made,) = make_boards(BenchmarkResults(Path("results/mini"), benchmark, {"all": TaskSet("all", (about,))}, bundles))
    return made


def book(about: Task, *bundles: Bundle, on: Track | None = None, **facts: Any) -> TaskCases:  # noqa: ANN401 - as above
    """Return the cases of a task, from all given submissions."""
    return TaskCases(BoardRecords(board(about, *bundles, on=on, **facts)), about)


def tree(page: Page) -> html.HtmlElement:
    """Parse the contents of a page."""
    return html.fromstring(f"<main>{page.content}</main>")


def cases(root: html.HtmlElement) -> Mapping[str, str]:
    """Return the status of every case on a run's page, by anchor."""
    return {str(element.get("id")): str(element.get("data-status")) for element in root.cssselect("[data-case]")}


def words(element: html.HtmlElement) -> str:
    """Return an element's text on one line."""
    return " ".join(element.text_content().split())


def _case(text: str) -> Case:
    name, _, requirement = text.partition(":")
    return Case(name, requirement=requirement or None)
