"""Twenty questions of readers, each answered in plain words at most two clicks from the first page.

A reader follows links and opens folds by their words. Every figure of an answer is computed here from the results,
or from the files that the site offers to programs.
"""

import csv
import json
import re
import tomllib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from kit import built_sites as built
from kit.command import ROOT
from kit.site_reader import Reader
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

RESULTS = ROOT / "results"
EVOCODE = RESULTS / "evocode-bench"
PASSED = 0.999


@cache
def rows(track: str = "evocode-bench/official") -> list[Any]:
    """The ranked rows of a board, best first, as programs read them."""
    text = (built.own_site() / "api" / "v1" / f"{track}.json").read_text("utf-8")
    return [row for row in json.loads(text)["submissions"] if row["rank"]]


def value(row: Any, metric: str = "dataset_score") -> float:  # noqa: ANN401 - JSON
    return float(row["metrics"][metric]["value"])


def name(row: Any) -> str:  # noqa: ANN401 - JSON
    return str(row["agent"]["name"])


def json_lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@cache
def tasks() -> Mapping[str, Any]:
    """The tasks of the first board, by id."""
    return {task["id"]: task for task in json_lines(EVOCODE / "tasks" / "official.jsonl")}


@cache
def rounds() -> Mapping[str, Mapping[str, Sequence[Any]]]:
    """The records of the rounds that count, by agent, then by task."""
    rounds_by_agent: dict[str, dict[str, list[Any]]] = {}
    for row in rows():
        by_task: dict[str, list[Any]] = defaultdict(list)
        for record in json_lines(EVOCODE / "submissions" / row["id"] / "rounds.jsonl"):
            if record["state"] != "excluded" and record.get("start", "own") == "own":
                by_task[record["task"]].append(record)
        rounds_by_agent[name(row)] = by_task
    return rounds_by_agent


def is_passed(record: Any) -> bool:  # noqa: ANN401 - JSON
    return bool(record["state"] == "scored" and record["reward"] >= PASSED)


def share(records: Sequence[Any]) -> float:
    """Percent of rounds that passed."""
    return 100 * fmean(map(is_passed, records))


@cache
def scores_by_task() -> Mapping[str, Mapping[str, float]]:
    """What each agent scores on each task that counts."""
    return {agent: {task: share(records) for task, records in by_task.items()} for agent, by_task in rounds().items()}


def best_agent(reader: Reader) -> None:
    first, second, *_ = rows()
    answer = f"{name(first)} leads with {value(first):.1f}; {name(second)} follows with {value(second):.1f}"
    reader.sees(answer, within="[data-answer]")


def how_sure(reader: Reader) -> None:
    first, second, *_ = rows()
    lead = value(first) - value(second)
    reader.sees(f"The lead of {lead:.1f} points has a 95 % interval of ", within=".sg-sure")
    ends = re.search(r"interval of (\d+\.\d) to (\d+\.\d)", reader.page.locator(".sg-sure").inner_text())
    assert ends
    assert 0 < float(ends[1]) < lead < float(ends[2])


def what_a_range_of_ranks_means(reader: Reader) -> None:
    row = next(row for row in rows() if row["rank_interval"][0] != row["rank_interval"][1])
    low, high = row["rank_interval"]
    reader.click("Full board")
    better = "1 agent is" if low == 2 else f"{low - 1} agents are"
    reader.sees(f"Rank {low}–{high}: {better} shown to be better, {len(rows()) - high} to be worse.")


def which_kind_of_task_everybody_fails(reader: Reader) -> None:
    reader.click("results by task")
    for axis in ("domain", "workflow"):
        failed: dict[str, int] = defaultdict(int)
        total: dict[str, int] = defaultdict(int)
        ids = defaultdict(set)
        for by_task in rounds().values():
            for task, records in by_task.items():
                kind = tasks()[task]["labels"][axis]
                ids[kind].add(task)
                total[kind] += len(records)
                failed[kind] += sum(not is_passed(record) for record in records)
        kinds = [kind for kind in ids if len(ids[kind]) >= 3]
        worst = max(kinds, key=lambda kind: failed[kind] / total[kind])
        worst_share = 100 * failed[worst] / total[worst]
        other_share = 100 * (sum(failed.values()) - failed[worst]) / (sum(total.values()) - total[worst])
        reader.sees(
            f"No {axis} is shown to be harder than the rest. Agents fail most often on {worst}: "
            f"{worst_share:.1f} % of rounds on its {len(ids[worst])} tasks, against {other_share:.1f} % (95 % interval "
        )


def what_it_costs(reader: Reader) -> None:
    """Nobody reported what the agents of this board cost."""
    lines = (built.own_site() / "api/v1/evocode-bench/official.csv").read_text("utf-8").splitlines()
    for line in csv.DictReader(lines):
        assert not any(cell for column, cell in line.items() if "cost" in column)
    reader.click("Full board")
    reader.sees("Cost is not known for any agent on this board.")


def which_agent_is_cheapest(reader: Reader) -> None:
    slop = rows("slop-code-bench/paper")
    cheapest = min(slop, key=lambda row: value(row, "net_cost"))
    reader.click("Claude-Opus-4.6 has the highest Strict score, .*")
    cost, strict = value(cheapest, "net_cost"), value(cheapest, "strict")
    reader.sees(f"{name(cheapest)} has the lowest Net cost ({cost:.2f} USD) and scores {strict:.1f}.")


def which_agents_have_open_weights(reader: Reader) -> None:
    reader.click("Agents across boards")
    everywhere = json.loads((built.own_site() / "api/v1/scores.json").read_text("utf-8"))["submissions"]
    open_ones = {name(row) for row in everywhere if row["agent"].get("open_weights")}
    open_rows = reader.page.locator("tr[data-agent]").filter(has=reader.page.get_by_role("cell", name="open"))
    listed = reader.page.locator("tr[data-agent][data-open-weights=yes]")
    expect(listed.nth(5)).to_be_visible()
    assert {str(row.get_attribute("data-agent")) for row in listed.all()} <= open_ones
    expect(open_rows).to_have_count(listed.count())
    best = next(row for row in rows() if row["agent"].get("open_weights"))
    row = reader.page.locator(f"tr[data-agent='{name(best)}']")
    expect(row).to_contain_text("open")
    expect(row).to_contain_text(f"{value(best):.1f}")


def the_same_agent_on_two_benchmarks(reader: Reader) -> None:
    reader.click("Agents across boards")
    reader.click("DeepSeek-V4-Pro")
    for track, metric, board in (
        ("evocode-bench/official", "dataset_score", "EvoCode-Bench, Official multi-step"),
        ("roadmapbench/paper", "resolved", "RoadmapBench, Paper"),
    ):
        row = next(row for row in rows(track) if name(row) == "DeepSeek-V4-Pro")
        low, high = row["rank_interval"]
        line = reader.page.locator(f"tr[data-submission='{row['id']}']")
        for expected_text in (board, f"{low}–{high} of {len(rows(track))}", f"{value(row, metric):.1f}"):
            expect(line.first).to_contain_text(expected_text)
    reader.sees("scores from different boards are not comparable")


def how_far_agents_have_come(reader: Reader) -> None:
    dated = [(row["agent"].get("model_released"), row) for row in rows()]
    dated_rows = [(day, row) for day, row in dated if day]
    first_day = min(day for day, _ in dated_rows)
    day, first = max((pair for pair in dated_rows if pair[0] == first_day), key=lambda pair: value(pair[1]))
    best_day, best = max(dated_rows, key=lambda pair: value(pair[1]))
    reader.click("Full board")
    reader.sees(
        f"The highest score so far went from {value(first):.1f} ({name(first)}, {day}) "
        f"to {value(best):.1f} ({name(best)}, {best_day})"
    )


def which_test_case_decided(reader: Reader) -> None:
    pair = [name(row) for row in rows()[:2]]
    reader.click(f"compare {pair[0]} and {pair[1]}")
    by_one = close = total = 0
    for task, records in rounds()[pair[0]].items():
        total += len(records)
        for first, second in zip(records, rounds()[pair[1]][task], strict=True):
            if is_passed(first) != is_passed(second):
                by_one += 1
                loser = second if is_passed(first) else first
                close += loser["state"] == "scored" and loser["total"] - loser["passed"] == 1
    reader.sees(f"{by_one} of {total} rounds were passed by only one", f"{close} of them were decided by a single case")


def what_changed(reader: Reader) -> None:
    *_, before, latest = sorted((RESULTS / "releases").glob("*.toml"))
    boards_by_release = []
    for path in (before, latest):
        locked = tomllib.loads(path.read_text("utf-8"))
        boards = {}
        for benchmark in locked["benchmarks"]:
            for board in benchmark["boards"]:
                boards[benchmark["id"], board["track"]] = board.get("rows", [])
        boards_by_release.append(boards)
    (board,) = (
        name for name, locked_rows in boards_by_release[1].items() if name not in boards_by_release[0] and locked_rows
    )
    reader.click("All changes")
    reader.sees(latest.stem, f"{len(boards_by_release[1][board])} agents are new on Terminal-Bench Core")


def how_to_cite_a_board(reader: Reader) -> None:
    latest = max(path.stem for path in (RESULTS / "releases").glob("*.toml"))
    reader.click("Full board")
    reader.click("Citation in BibTeX")
    reader.sees("@misc{", f"note = {{Release {latest}}}", f"{built.HOME}changelog/{latest}/evocode-bench/official/")


def how_to_cite_one_score(reader: Reader) -> None:
    row = rows()[0]
    figures = row["metrics"]["dataset_score"]
    latest = max(path.stem for path in (RESULTS / "releases").glob("*.toml"))
    reader.click(name(row))
    reader.click("Cite and reuse.*")
    reader.sees(
        f"{name(row)} on EvoCode-Bench, Official multi-step: Dataset Score {figures['value']:.1f} % "
        f"(95 % interval {figures['low']:.1f} to {figures['high']:.1f}), release {latest}.",
        f"{built.HOME}changelog/{latest}/evocode-bench/official/#{row['id']}.dataset_score",
    )


def how_to_submit(reader: Reader) -> None:
    reader.sees("sitegen submit RUNS", "--to evocode-bench/official")
    reader.click("How to submit")
    reader.sees("sitegen submit RUNS --to BENCHMARK/TRACK", "Open a pull request.")


def how_to_download_the_data(reader: Reader) -> None:
    reader.click("Full board")
    link = reader.page.get_by_role("main").get_by_role("link", name="JSON", exact=True)
    address = link.evaluate("link => link.href")
    answer = reader.page.request.get(address)
    downloaded = [row for row in answer.json()["submissions"] if row["rank"]]
    assert [value(row) for row in downloaded] == [value(row) for row in rows()]
    reader.click("Use the data: pandas, DuckDB, all columns")
    reader.sees("pandas.read_csv(", "evocode-bench/official.csv")


def which_tasks_nobody_finishes(reader: Reader) -> None:
    finished: dict[str, set[str]] = defaultdict(set)
    for agent, scores in scores_by_task().items():
        for task, score in scores.items():
            finished[task] |= {agent} if score == 100 else set()
    nobody = sum(not agents for agents in finished.values())
    reader.click("results by task")
    reader.sees(f"{nobody} of the {len(finished)} tasks were not finished by any agent", within="[data-answer]")


def whether_rounds_were_run_again(reader: Reader) -> None:
    for row in rows():
        manifest = tomllib.loads((EVOCODE / "submissions" / row["id"] / "submission.toml").read_text("utf-8"))
        assert not any(revision.get("reruns") for revision in manifest.get("revisions", ()))
    reader.click("Full board")
    reader.sees("No submission on this board has rounds that were run again.")


def how_much_work_is_behind_it(reader: Reader) -> None:
    work = next(iter(rounds().values()))
    counted, defined = sum(map(len, work.values())), sum(len(task["rounds"]) for task in tasks().values())
    reader.click("Full board")
    reader.sees(f"{len(work)} of {len(tasks())} tasks", f"{counted} of {defined} rounds", "1 attempt per task")


def whether_one_task_decides_the_order(reader: Reader) -> None:
    def ranks(left_out: str = "") -> list[int]:
        means = []
        for scores in scores_by_task().values():
            means.append(round(fmean(score for task, score in scores.items() if task != left_out), 9))
        return [1 + sum(other_mean > mean for other_mean in means) for mean in means]

    before = ranks()
    moved = {}
    for task in next(iter(scores_by_task().values())):
        moved[task] = sum(old != new for old, new in zip(before, ranks(task), strict=True))
    deciding_task = max(moved, key=lambda task: moved[task])
    reader.click("Full board")
    reader.click("Certainty")
    agents = f"{moved[deciding_task]} of the {len(rows())} agents"
    title = tasks()[deciding_task]["title"]
    reader.sees(f"Dropping the task {title} would change the score-based rank of {agents}.")


def at_which_round_agents_break_down(reader: Reader) -> None:
    reader.click("Full board")
    caption = reader.page.locator("[data-chart=curve] figcaption").inner_text()
    match = re.search(
        r"([\d.]+) % at round 1 and ([\d.]+) % at round (\d+)\. Every point covers the (\d+) tasks", caption
    )
    assert match
    last = int(match[3])
    first_passed, last_passed = [], []
    for by_task in rounds().values():
        long = [records for records in by_task.values() if len(records) >= last]
        assert len(long) == int(match[4])
        first_passed += [is_passed(records[0]) for records in long]
        last_passed += [is_passed(records[last - 1]) for records in long]
    assert (match[1], match[2]) == (f"{100 * fmean(first_passed):.1f}", f"{100 * fmean(last_passed):.1f}")


PLAIN: Sequence[Callable[[Reader], None]] = (
    best_agent,
    how_sure,
    what_a_range_of_ranks_means,
    which_kind_of_task_everybody_fails,
    what_it_costs,
    which_agent_is_cheapest,
    which_agents_have_open_weights,
    the_same_agent_on_two_benchmarks,
    how_far_agents_have_come,
    what_changed,
    how_to_cite_a_board,
    how_to_cite_one_score,
    how_to_submit,
    how_to_download_the_data,
    which_tasks_nobody_finishes,
    whether_rounds_were_run_again,
    how_much_work_is_behind_it,
    whether_one_task_decides_the_order,
    at_which_round_agents_break_down,
)
"""What pages answer without scripts, too; only a comparison of two agents takes them."""


@pytest.mark.parametrize("ask", PLAIN, ids=lambda ask: ask.__name__)
def test_a_question_is_answered_without_scripts(plain_page: Page, own_site: str, ask: Callable[[Reader], None]) -> None:
    ask(Reader(plain_page, own_site))


@pytest.mark.parametrize("ask", [*PLAIN, which_test_case_decided], ids=lambda ask: ask.__name__)
def test_a_question_is_answered_with_scripts(page: Page, own_site: str, ask: Callable[[Reader], None]) -> None:
    ask(Reader(page, own_site))
