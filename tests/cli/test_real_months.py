"""Two months of a real board, step by step: all that is published says the same, and what the rewards say.

The board has 40 tasks and six submissions of Terminal-Bench. Every number that is expected here is computed from the
rewards in the submissions' files, without the program.
"""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from kit import months as played
from kit.board_outputs import text_of
from kit.clones import Clone
from kit.months import BOARD, NEXT, OB1, OPUS, QWEN, SONNET, TRACK, Months, play_months
from lxml import html

OB2 = "2025-09-10-ob-2"
WREN = "2025-10-08-wren-codr"


@pytest.fixture(scope="session")
def months(tmp_path_factory: pytest.TempPathFactory) -> Months:
    return play_months(tmp_path_factory.mktemp("months"))


def page(months: Months, address: str) -> str:
    """Return the words of a page."""
    text = (months.site / address / "index.html").read_text(encoding="utf-8")
    return text_of(html.fromstring(text))


def feed(months: Months) -> str:
    """Return the words of the Atom feed."""
    tree = html.fromstring((months.site / "feed.xml").read_bytes())
    return " ".join(re.sub(r"<[^>]*>", " ", tree.text_content()).split())


def scores(months: Months) -> dict[str, dict[str, Any]]:
    """Return the rows of the file of scores by `TRACK/ID`."""
    document = (months.site / "api/v1/scores.json").read_text(encoding="utf-8")
    return played.rows_of(document)


def lines(months: Months, track: str = TRACK) -> dict[str, dict[str, str]]:
    """Return the lines of a board's CSV file by submission."""
    with (months.site / f"api/v1/{BOARD}/{track}.csv").open(encoding="utf-8") as file:
        return {line["id"]: line for line in csv.DictReader(file)}


def board_row(months: Months, submission: str, track: str = TRACK) -> str:
    """Return the words of a row of a board."""
    tree = html.fromstring((months.site / BOARD / track / "index.html").read_text(encoding="utf-8"))
    (row,) = tree.xpath(f"//table[@data-board]//tr[@data-submission='{submission}']")
    return text_of(row)


def test_each_step_is_green_and_says_whose_change_it_is(months: Months) -> None:
    maintained = {"second change", "withdrawal", "october", "broken task", "deadline", "new version", "november"}
    for step, output in months.checks.items():
        assert "0 errors" in output, step
        statement = re.sub(r"^(?:\S+: [^:]*: [^.]*\.\d to [^.]*\.\d\. |\S+: corrected: [^.]*\. )", "", output)
        begin = "This is a maintainer's pull request" if step in maintained else "This request adds"
        assert statement.startswith(begin), (step, output[:300])
        assert months.diffs[step].split("\n")[0] == output.split("\n")[0], step


def test_a_name_that_is_corrected_before_the_merge_leaves_no_trace(months: Months) -> None:
    assert "is not published: edited its submission.toml" in months.printed["before the merge"]
    assert "name Wren-Codr → Wren-Coder" in months.printed["before the merge"]
    row = scores(months)[f"{TRACK}/{WREN}"]
    assert (row["agent"]["name"], "revisions" in row) == ("Wren-Coder", False)
    for text in (page(months, f"{BOARD}/{TRACK}/{WREN}"), page(months, "changelog/2025-11-01"), feed(months)):
        assert "Wren-Coder" in text
        assert "Wren-Codr " not in text


def test_a_correction_after_the_merge_is_said_alike_everywhere(months: Months) -> None:
    correction = "name ob1-sdk → OB-2"
    assert "The first of two changes" in months.printed["first change"]
    assert "The second of two changes" in months.printed["second change"]
    assert months.diffs["first change"].startswith(f"OB-2: corrected: {correction}. ")
    row = scores(months)[f"{TRACK}/{OB2}"]
    assert row["revisions"][0]["corrected"] == {"agent.name": ["ob1-sdk", "OB-2"]}
    assert (row["revisions"][0]["of"], row["revisions"][0]["reason"]) == (OB1, "The vendor calls it so")
    assert f"corrected: {correction}" in board_row(months, OB2)
    assert f"Corrected: {correction}. The vendor calls it so" in page(months, f"{BOARD}/{TRACK}/{OB2}")
    assert f"superseded on 2025-10-14 by {OB2}" in page(months, f"{BOARD}/{TRACK}").replace("OB-1 ", "")
    for text in (page(months, "changelog/2025-11-01"), feed(months)):
        assert f"OB-2 was corrected: {correction}" in text
        assert "The vendor calls it so" in text
    assert lines(months)[OB1]["status"] == "superseded"
    assert months.resolved(OB1) == months.resolved(OB2)
    export = json.loads((months.site / f"api/v1/{BOARD}/{TRACK}/{OB2}/every-eval-ever.json").read_text("utf-8"))
    assert correction in json.dumps(export, ensure_ascii=False)


def test_rounds_run_again_are_said_alike_everywhere(months: Months) -> None:
    name = months.names["rerun"]
    before, after = months.resolved(played.GPT), months.resolved(name)
    assert after == pytest.approx(before + 100 * 3 / 200)
    sentence = f"3 of 200 rounds run again: {before:.1f} to {after:.1f}"
    assert months.printed["rerun"].startswith(sentence)
    assert months.checks["rerun"].startswith(f"GPT-5: {sentence}. ")
    for text in (page(months, "changelog/2025-11-01"), feed(months)):
        assert f"GPT-5: {sentence}" in text
        assert "An outage of the provider" in text
    # The finding of November leaves a task out, in the old value as in the new one.
    counted = [months.resolved(submission, [months.broken]) for submission in (played.GPT, name)]
    sentence = f"3 of 200 rounds run again: {counted[0]:.1f} to {counted[1]:.1f}"
    assert sentence in board_row(months, name)
    assert f"{sentence}. An outage of the provider" in page(months, f"{BOARD}/{TRACK}/{name}")
    (revision,) = scores(months)[f"{TRACK}/{name}"]["revisions"]
    assert (revision["text"], revision["of"]) == (sentence, played.GPT)
    rerun_keys = [(round_result["task"], round_result["attempt"]) for round_result in revision["rounds"]]
    assert sorted(rerun_keys) == sorted(months.rerun)
    assert {tuple(round_result["reward"]) for round_result in revision["rounds"]} == {(0.0, 1.0)}
    export = json.loads((months.site / f"api/v1/{BOARD}/{TRACK}/{name}/every-eval-ever.json").read_text("utf-8"))
    assert sentence in json.dumps(export)
    old = page(months, f"{BOARD}/{TRACK}/{played.GPT}")
    assert f"superseded on 2025-10-14 by {name}" in old or "was superseded" in old


def test_a_fourth_attempt_is_said_alike_everywhere(months: Months) -> None:
    name = months.names["fourth attempt"]
    assert f"{name} has 4 attempts, and supersedes {SONNET}" in months.printed["fourth attempt"]
    assert "4 of 5 attempts" in months.diffs["fourth attempt"]
    row = scores(months)[f"{TRACK}/{name}"]
    assert row["attempts"] == {"made": 4, "expected": 5}
    before, after = months.resolved(SONNET), months.resolved(name)
    assert "4 of 5 attempts" in board_row(months, name)
    assert "Attempt 4 came later, on 2025-10-12." in page(months, f"{BOARD}/{TRACK}/{name}")
    sentence = f"Claude-Sonnet-4: attempt 4 added: {before:.1f} to {after:.1f}"
    for output in (months.checks["fourth attempt"], months.diffs["fourth attempt"]):
        assert output.startswith(f"{sentence}. ")
    for text in (page(months, "changelog/2025-11-01"), feed(months)):
        assert sentence in text
    # The days have the scores of today: the finding of November leaves a task out.
    today = [months.resolved(submission, [months.broken]) for submission in (SONNET, name)]
    days = page(months, "changelog")
    shown = f"Claude-Sonnet-4 (attempt 4: {today[0]:.1f} to {today[1]:.1f})"
    assert re.search(rf"Attempts added on [^:]*: {re.escape(shown)}", days)
    assert "Further attempts were added" not in days
    assert "4 of 5 attempts" in feed(months)


def test_a_withdrawal_is_said_alike_everywhere(months: Months) -> None:
    assert "Qwen3-Coder-480B: published before, and withdrawn now" in months.checks["withdrawal"]
    assert "Withdraws Qwen3-Coder-480B (The runs saw the tests); " in months.diffs["withdrawal"]
    row = scores(months)[f"{TRACK}/{QWEN}"]
    assert (row["status"], row["rank"]) == ("withdrawn", None)
    assert (lines(months)[QWEN]["status"], lines(months)[QWEN]["rank"]) == ("withdrawn", "")
    sentence = "withdrawn on 2025-10-14 by Its submitter: The runs saw the tests"
    for address in (f"{BOARD}/{TRACK}", f"{BOARD}/{TRACK}/{QWEN}"):
        assert sentence in page(months, address)
    for text in (page(months, "changelog/2025-11-01"), feed(months)):
        assert "Qwen3-Coder-480B was withdrawn" in text
        assert "The runs saw the tests" in text


@pytest.mark.parametrize("row", ["opus", "rerun", "fourth attempt"])
def test_a_broken_task_counts_for_nobody_and_both_values_are_shown(months: Months, row: str) -> None:
    name = months.names.get(row, OPUS)
    with_task, without = months.resolved(name), months.resolved(name, [months.broken])
    score = scores(months)[f"{TRACK}/{name}"]["metrics"]["resolved"]
    assert score["value"] == pytest.approx(without)
    assert (score["n"], score["of"]) == (39, 39)
    assert float(lines(months)[name]["resolved"]) == pytest.approx(without)
    assert f"{without:.1f} {with_task:.1f} without" in board_row(months, name)
    for text in (page(months, "changelog/2025-12-01"), feed(months)):
        assert "A test expects the wrong answer" in text
    released = (months.site / "api/v1/releases/2025-11-01.json").read_text(encoding="utf-8")
    (board,) = json.loads(released)["boards"]
    (locked,) = [row for row in board["rows"] if row["id"] == name]
    assert locked["metrics"]["resolved"]["value"] == pytest.approx(with_task)


def test_explain_and_the_check_say_what_the_finding_does(months: Months) -> None:
    assert "A test expects the wrong answer" in months.checks["broken task"]
    assert f"{months.resolved(OPUS, [months.broken]):.1f}" in months.diffs["broken task"] + months.printed["explain"]
    assert "39 tasks" in months.printed["explain"] or "39" in months.printed["explain"]


def test_baseline_and_late_submissions_have_no_rank_anywhere(months: Months) -> None:
    assert "HISTORY-BASELINE" in months.checks["baseline"]
    assert "deadline" in months.checks["deadline"]
    board = page(months, f"{BOARD}/{TRACK}")
    for step, agent, reason in (("baseline", "Guess", "baseline"), ("late", "Lark", "late")):
        name = months.names[step]
        value = months.resolved(name, [months.broken])
        row = scores(months)[f"{TRACK}/{name}"]
        assert (row["rank"], row["apart"]) == (None, reason)
        assert row["metrics"]["resolved"]["value"] == pytest.approx(value)
        assert lines(months)[name]["rank"] == ""
        assert f"{agent}: Resolved {value:.1f}" in board
    assert f"baseline Guess {months.resolved(months.names['baseline'], [months.broken]):.1f}" in board
    assert "Submitted after 2025-11-10, the deadline; they are not ranked" in board
    late = f"{months.resolved(months.names['late'], [months.broken]):.1f}"
    for text in (page(months, "changelog/2025-12-01"), feed(months)):
        assert "Guess is new, as a baseline" in text
        assert f"Lark is new, with a score of {late}, after the deadline" in text
        assert "2 agents are new" not in text


def test_a_submission_under_embargo_is_in_no_published_file(months: Months) -> None:
    arrivals = (months.clone.results / "arrivals.jsonl").read_text(encoding="utf-8")
    assert months.names["embargo"] in arrivals
    naming = []
    for path in months.site.rglob("*"):
        if path.is_file() and (b"Finch" in path.read_bytes() or b"-finch" in path.read_bytes() or "finch" in str(path)):
            naming.append(path)
    assert naming == []


def test_a_new_version_carries_results_and_says_so_alike_everywhere(months: Months) -> None:
    assert "track v1-1 replaces v0-1-1: 40 tasks, 2 of them changed" in months.printed["new version"]
    assert months.diffs["new version"].startswith("This is a maintainer's pull request that carries over 9 submissions")
    # One of the nine is under embargo on the new version, too.
    gone = {*months.changed, months.broken}
    for name in (OPUS, OB2, months.names["rerun"], months.names["fourth attempt"], WREN):
        carried = f"{name}-{NEXT}"
        row = scores(months)[f"{NEXT}/{carried}"]
        assert (row["carried"]["submission"], len(row["carried"]["tasks"]), row["rank"]) == (name, 37, None)
        assert set(row["missing"]) == gone
        value = months.resolved(name, gone, of=40)
        assert row["metrics"]["resolved"]["value"] == pytest.approx(value)
        assert float(lines(months, NEXT)[carried]["resolved"]) == pytest.approx(value)
        assert "37 tasks carried from v0-1-1" in board_row(months, carried, NEXT)
        assert f"{value:.1f}" in board_row(months, carried, NEXT)
        assert "Results of 37 tasks are carried from v0-1-1" in page(months, f"{BOARD}/{NEXT}/{carried}")
        assert "legacy: Two tasks were broken" in board_row(months, name)
    assert "This track is legacy: Two tasks were broken. See terminal-bench-core 1.1 instead." in page(
        months, f"{BOARD}/{TRACK}"
    )
    for text in (page(months, "changelog/2025-12-01"), feed(months)):
        assert "Two tasks were broken" in text
        assert "(terminal-bench-core 1.1) is new, with 7 agents" in text
    assert "3 of 200 rounds run again on v0-1-1" in board_row(months, f"{months.names['rerun']}-{NEXT}", NEXT)


def test_a_revision_is_news_once(months: Months) -> None:
    november = page(months, "changelog/2025-12-01")
    assert "run again:" not in november
    assert "was corrected" not in november
    assert "run again" not in months.diffs["new version"].split("\n")[0]
    assert feed(months).count("GPT-5: 3 of 200 rounds run again") <= 2


def test_the_months_end_with_a_valid_repository(months: Months, tmp_path: Path) -> None:
    clone = Clone(months.clone.folder, months.clone.today)
    assert "0 errors" in clone.done("validate", "results")
    clone.done("export", "every-eval-ever", "results", "--into", tmp_path / "out")
    records = [path.read_text(encoding="utf-8") for path in (tmp_path / "out").rglob("*.json")]
    assert sum("3 of 200 rounds run again" in text for text in records) == 2
    assert not any("Finch" in text for text in records)
