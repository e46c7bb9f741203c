"""Several runs of one agent: which are joined without a question, and what the two options make of the others."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path

import pytest

from sitegen.importers.kit.agents import RankedAgent
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.joining import join_runs
from sitegen.importers.kit.options import ImportOptions, Pick
from sitegen.importers.kit.rounds import AgentResults
from sitegen.models.outcome import Failure
from sitegen.models.submission import Provenance
from sitegen.problems import UsageError

TODAY = date(2026, 7, 1)


def run(name: str, rewards: Mapping[str, list[float | None]], agent: str = "ada", reasoning: str = "") -> AgentResults:
    """Return a run with attempts at one-round tasks; None is an attempt without a verdict."""
    made = AgentResults(Path(name), RankedAgent(agent, reasoning=reasoning), provenance=Provenance(jobs=(name,)))
    for task, attempts in rewards.items():
        for number, reward in enumerate(attempts, start=1):
            made.grade(task, number, reward or 0.0, "crashed" if reward is None else None)
    return made


def rewards(joined: AgentResults) -> dict[str, list[float | None]]:
    """Return the rewards of a run by task, in the order of attempts; None for an attempt without a verdict."""
    by_task: dict[str, list[float | None]] = {}
    for (task, _, _, _), result in sorted(joined.results.items()):
        by_task.setdefault(task, []).append(result.reward if result.state == "scored" else None)
    return by_task


def join(*runs: AgentResults, pick: Pick | None = None, attempts: bool = False) -> tuple[list[AgentResults], list[str]]:
    """Join runs; return them and the codes of the problems."""
    log = ImportLog(Path("source"))
    options = ImportOptions(TODAY, pick=pick, runs="attempts" if attempts else None)
    joined = join_runs(runs, options, log)
    return joined, [problem.code for problem in log.all_problems()]


def test_runs_of_different_agents_stay_apart() -> None:
    joined, codes = join(run("a", {"t": [1]}), run("b", {"t": [0]}, "bob"), run("c", {"t": [0]}, reasoning="high"))
    assert [str(joined_run.entrant) for joined_run in joined] == ["ada", "bob", "ada (high)"]
    assert codes == []


def test_runs_on_different_tasks_are_parts_of_one_run() -> None:
    (joined,), codes = join(run("a", {"t": [1]}), run("b", {"u": [0], "v": [1]}))
    assert rewards(joined) == {"t": [1], "u": [0], "v": [1]}
    assert codes == []
    assert joined.provenance.jobs == ("a", "b")


def test_a_run_that_repeats_only_failed_attempts_takes_their_place() -> None:
    first = run("a", {"t": [1, None, 0], "u": [1, 1, 1]})
    (joined,), codes = join(first, run("b", {"t": [1]}))
    assert rewards(joined) == {"t": [1, 1, 0], "u": [1, 1, 1]}
    assert codes == ["SOURCE-RUN-FILLED"]


@pytest.mark.parametrize("later", [{"t": [1, 1]}, {"t": [1], "u": [1]}])
def test_a_run_that_also_repeats_verdicts_is_asked_about(later: dict[str, list[float | None]]) -> None:
    _, codes = join(run("a", {"t": [1, None], "u": [1, 1]}), run("b", later))
    assert codes == ["SOURCE-RUNS-SEVERAL"]


def test_runs_become_attempts_in_order_also_after_failures() -> None:
    (joined,), codes = join(run("a", {"t": [None], "u": [1]}), run("b", {"t": [1, 0]}), attempts=True)
    assert rewards(joined) == {"t": [None, 1, 0], "u": [1]}
    assert codes == []
    assert joined.attempts == 3


@pytest.mark.parametrize(
    ("pick", "expected_rewards"), [("latest", {"t": [0], "u": [1]}), ("first", {"t": [1], "u": [1]})]
)
def test_one_of_several_runs_is_picked_task_by_task(
    pick: Pick, expected_rewards: dict[str, list[float | None]]
) -> None:
    (joined,), _ = join(run("a", {"t": [1], "u": [1]}), run("b", {"t": [0]}), pick=pick)
    assert rewards(joined) == expected_rewards


def test_a_run_of_which_nothing_is_left_is_named() -> None:
    (joined,), codes = join(run("a", {"t": [1]}), run("b", {"t": [0]}), pick="latest")
    assert rewards(joined) == {"t": [0]}
    assert codes == ["SOURCE-RUN-REPLACED"]


def test_failures_follow_their_attempts() -> None:
    later = run("b", {"t": [0]})
    later.failures.append(Failure("t", 1, 1, "case-1"))
    (joined,), _ = join(run("a", {"t": [1, 1]}), later, attempts=True)
    assert [(failure.attempt, failure.case) for failure in joined.failures] == [(3, "case-1")]


def test_the_two_options_exclude_each_other() -> None:
    with pytest.raises(UsageError, match="give one of the two"):
        ImportOptions(TODAY, runs="attempts", pick="latest")
