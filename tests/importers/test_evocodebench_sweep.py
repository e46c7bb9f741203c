"""What the table of sweeps adds, in each of the forms it was published in."""

from dataclasses import replace
from pathlib import Path

import pytest
from kit.evocodebench_trees import (
    OPTIONS,
    draft_of,
    failed,
    imported,
    passed,
    publish,
    publish_cells,
    warned,
)

from sitegen.problems import Problem

REACHED = "each cell: passed_rounds/total · c=mean case pass % · r=rounds actually reached"
INTERACTIONS = (
    "each cell: passed_rounds/total · c=mean case pass % · r=mean agent-tool interactions per reached benchmark round"
)


def sweep(source: Path, *lines: str, header: str = "task,total_rounds,GPT-5.5,__note") -> Path:
    """Write a table of sweeps beside the files."""
    (source / "sweep_2026-06.csv").write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    return source


def one_run(folder: Path, cell: str, note: str) -> Path:
    """Write a publication of one run that passed 1 of 2 rounds, with its cell in the table."""
    return sweep(publish_cells(folder, passed(), failed()), f"tidy,2,{cell},{note}")


def interactions(source: Path) -> list[float | None]:
    return [run.interactions_per_round for run in draft_of(source).runs]


@pytest.mark.parametrize(
    ("cell", "note", "expected"),
    [
        ("1/2", "passed/total per agent", []),
        ("1/2 c75%", "each cell: passed_rounds/total · c=mean case pass %", []),
        ("1/2 c75% r2", REACHED, []),
        ("1/2 c75% r48.8", INTERACTIONS, [48.8]),
        ("1/2 c75% r91", INTERACTIONS, [91]),
        ("1/2 c75% r0", INTERACTIONS, [0]),
    ],
)
def test_the_note_tells_what_the_last_figure_is(tmp_path: Path, cell: str, note: str, expected: list[float]) -> None:
    source = one_run(tmp_path, cell, note)
    assert interactions(source) == expected
    assert not warned(source)


def test_a_mean_without_any_trajectory_is_a_gap(tmp_path: Path) -> None:
    assert interactions(one_run(tmp_path, "1/2 c75% r0.0", INTERACTIONS)) == []


def test_a_figure_that_no_note_explains_is_not_used(tmp_path: Path) -> None:
    source = one_run(tmp_path, "1/2 c75% r2", "")
    assert interactions(source) == []
    (warning,) = warned(source)
    assert (warning.code, warning.line) == ("SOURCE-MEASURE-MISSING", 2)


def test_figures_follow_the_order_of_the_task_set(tmp_path: Path) -> None:
    source = publish(tmp_path, {"tidy": {"Ada": [passed()]}, "neat": {"Ada": [failed()]}})
    sweep(
        source,
        f"neat,1,0/1 c75% r2.5,{INTERACTIONS}",
        f"tidy,1,1/1 c100% r7.5,{INTERACTIONS}",
        header="task,total_rounds,Ada,__note",
    )
    assert [(run.task, run.attempt, run.interactions_per_round) for run in draft_of(source).runs] == [
        ("tidy", 1, 7.5),
        ("neat", 1, 2.5),
    ]


def test_a_run_without_a_verdict_keeps_its_figure(tmp_path: Path) -> None:
    source = publish(tmp_path, {"tidy": {"Ada": [None, None], "Bob": [passed(), passed()]}})
    header = "task,total_rounds,Ada,Bob,__note"
    sweep(source, f"tidy,2,0/2 c0% r42,2/2 c100% r3,{INTERACTIONS}", header=header)
    draft = imported(source).drafts[0]
    assert [run.interactions_per_round for run in draft.runs] == [42]


def test_a_column_may_spell_its_agent_in_any_known_way(tmp_path: Path) -> None:
    source = publish_cells(tmp_path, passed(), agent="Opus-4.8-xhigh")
    sweep(source, f"tidy,1,1/1 c100% r9.5,{INTERACTIONS}", header="task,total_rounds,claude-OPUS-4.8,__note")
    assert interactions(source) == [9.5]
    assert not warned(source)


def test_a_column_of_no_agent_is_warned_of(tmp_path: Path) -> None:
    source = publish_cells(tmp_path, passed())
    sweep(source, "tidy,1,1/1,0/1,0/1,x", header="task,total_rounds,GPT-5.5,Zed,Yak,__note")
    (warning,) = warned(source)
    assert (warning.code, warning.line) == ("SOURCE-NAME-UNLISTED", 1)
    assert "Zed, Yak" in warning.what


@pytest.mark.parametrize("second", ["Opus-4.8-xhigh", "Claude-Opus-4.8"])
def test_of_several_columns_of_an_agent_none_is_used(tmp_path: Path, second: str) -> None:
    source = publish_cells(tmp_path, passed(), agent="Opus-4.8")
    header = f"task,total_rounds,Claude-Opus-4.8,{second},__note"
    sweep(source, f"tidy,1,1/1 c100% r3.5,1/1 c100% r4.5,{INTERACTIONS}", header=header)
    (warning,) = warned(source)
    assert (warning.code, warning.what) == ("SOURCE-ENTRY-TWICE", "Claude-Opus-4.8 has several columns")
    assert interactions(source) == []
    assert any("several columns for one agent" in caveat for caveat in draft_of(source).submission.caveats)


def test_counts_that_differ_from_the_files_are_one_warning(tmp_path: Path) -> None:
    source = publish(tmp_path, {"tidy": {"Ada": [passed(), failed()], "Bob": [passed(), passed()], "Cy": [None, None]}})
    sweep(source, "tidy,2,2/2,2/3,0/2,x", header="task,total_rounds,Ada,Bob,Cy,__note")
    warning = _only(warned(source), "SOURCE-SCORE-DIFFERS")
    assert "Ada at tidy: 2/2 here, but 1/2 in the file; Bob at tidy: 2/3 here, but 2/2 in the file" in warning.what
    assert "Cy" not in warning.what


def test_a_dash_excludes_a_run_that_the_files_tell_nothing_of(tmp_path: Path) -> None:
    source = publish(tmp_path, {"tidy": {"Ada": [None, None], "Bob": [passed(), passed()]}})
    sweep(source, "tidy,2,—,2/2 c100% r3,x", header="task,total_rounds,Ada,Bob,__note")
    incoming = imported(source)
    assert [round_result.state for round_result in incoming.drafts[0].rounds] == ["excluded", "excluded"]
    assert incoming.drafts[0].runs == ()
    assert incoming.findings[0].effect == "exclude"


def test_a_dash_does_not_take_back_what_the_files_tell_of(tmp_path: Path) -> None:
    source = one_run(tmp_path, "—", INTERACTIONS)
    assert [round_result.state for round_result in draft_of(source).rounds] == ["scored", "scored"]
    assert "GPT-5.5 at tidy: — here, but 1/2 in the file" in _only(warned(source), "SOURCE-SCORE-DIFFERS").what


def test_lines_that_do_not_fit_the_tasks_are_one_warning(tmp_path: Path) -> None:
    source = publish(tmp_path, {"tidy": {"GPT-5.5": [passed()]}, "neat": {"GPT-5.5": [passed()]}})
    sweep(source, "tidy,1,1/1,x", "tidy,1,1/1,x", "other,1,1/1,x")
    (warning,) = warned(source)
    assert warning.code == "SOURCE-NAME-UNLISTED"
    assert warning.what == "tasks unknown: other; listed several times: tidy; not listed: neat"


def test_lines_of_tasks_that_were_left_out_are_passed_over(tmp_path: Path) -> None:
    source = publish(tmp_path, {"tidy": {"GPT-5.5": [passed()]}, "neat": {"GPT-5.5": [passed()]}})
    sweep(source, f"tidy,1,1/1 c100% r2.5,{INTERACTIONS}", f"neat,1,0/1 c0% r3.5,{INTERACTIONS}")
    (source / "tasks" / "neat.json").unlink()
    options = replace(OPTIONS, allow_missing=True)
    assert [run.task for run in draft_of(source, options).runs] == ["tidy"]
    assert [warning.code for warning in warned(source, options)] == ["SOURCE-TASKS-LEFT-OUT"]


@pytest.mark.parametrize(
    ("line", "expected_message"),
    [
        ("tidy,1,yes,x", "`yes` can't be read"),
        ("tidy,1,,x", "`` can't be read"),
        ("tidy,1,1/1", "3 cells under 4 columns"),
        ("tidy,1,1/1,x,y", "5 cells under 4 columns"),
    ],
)
def test_a_line_that_breaks_the_grammar_is_left_out(tmp_path: Path, line: str, expected_message: str) -> None:
    source = publish(tmp_path, {"tidy": {"GPT-5.5": [passed()]}, "neat": {"GPT-5.5": [passed()]}})
    sweep(source, line, f"neat,1,1/1 c100% r7.5,{INTERACTIONS}")
    warning = _only(warned(source), "SOURCE-VALUE-UNUSABLE")
    assert (warning.line, warning.what) == (2, expected_message)
    draft = draft_of(source)
    assert [(run.task, run.interactions_per_round) for run in draft.runs] == [("neat", 7.5)]
    assert any(f"line 2: {expected_message}" in caveat for caveat in draft.submission.caveats)


@pytest.mark.parametrize("header", ["", "model,total_rounds,GPT-5.5,__note"])
def test_a_table_with_another_head_is_not_used(tmp_path: Path, header: str) -> None:
    source = sweep(publish_cells(tmp_path, passed()), f"tidy,1,1/1 c100% r2.5,{INTERACTIONS}", header=header)
    assert _only(warned(source), "SOURCE-VALUE-UNUSABLE").line == 1
    assert interactions(source) == []


def test_of_several_tables_none_is_used(tmp_path: Path) -> None:
    source = one_run(tmp_path, "1/2 c75% r48.8", INTERACTIONS)
    (source / "sweep_2026-07.csv").write_text("")
    expected_message = "2 tables of sweeps: sweep_2026-06.csv, sweep_2026-07.csv"
    assert _only(warned(source), "SOURCE-ENTRY-TWICE").what == expected_message
    assert interactions(source) == []
    assert any("several tables of sweeps" in caveat for caveat in draft_of(source).submission.caveats)


def test_a_table_that_is_not_utf8_is_not_used(tmp_path: Path) -> None:
    source = publish_cells(tmp_path, passed())
    (source / "sweep_x.csv").write_bytes(b"task,total_rounds,GPT-5.5,__note\ntidy,1,\x97,x\n")
    warning = _only(warned(source), "SOURCE-VALUE-UNUSABLE")
    assert (warning.line, warning.what) == (2, "byte 0x97 is not UTF-8")


def _only(problems: list[Problem], code: str) -> Problem:
    (problem,) = [problem for problem in problems if problem.code == code]
    return problem


@pytest.mark.parametrize("note", ["r=mean tool calls per reached round", "", "passed/total per agent"])
def test_a_figure_with_decimals_counts_no_rounds(tmp_path: Path, note: str) -> None:
    """Whatever the note says, or where it says nothing."""
    assert interactions(one_run(tmp_path, "1/2 c75% r48.8", note)) == [48.8]


def test_a_note_on_one_line_holds_for_the_whole_table(tmp_path: Path) -> None:
    source = sweep(
        publish(tmp_path, {"tidy": {"GPT-5.5": [passed()]}, "wide": {"GPT-5.5": [failed()]}}),
        f"tidy,1,1/1 c100% r12,{INTERACTIONS}",
        "wide,1,0/1 c50% r30,",
    )
    assert interactions(source) == [12, 30]
