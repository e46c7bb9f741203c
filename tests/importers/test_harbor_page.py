"""The page about this importer: its example becomes what the page says."""

import re
from pathlib import Path

from kit.harbor_trees import JOB, Trial, imported, write
from kit.review_day import TODAY

from sitegen.importers.harbor.cases import read_cases
from sitegen.pipeline.evaluating import evaluate
from sitegen.pipeline.importing import apply_import

PAGE = Path(__file__).parents[2] / "site_src" / "submit" / "harbor.md"
BLOCKS = dict(re.findall(r"^```\w+ title=\"([^\"]+)\"\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL))
TASK, VERDICT = "tasks/opt-4.0.0-roadmap/task.toml", "verifier/reward.json"


def test_the_example_of_targets_becomes_what_the_page_says(tmp_path: Path) -> None:
    write(tmp_path / TASK, BLOCKS[TASK])
    trial = Trial(task="opt-4.0.0-roadmap", result={"step_results": None, "verifier_result": None})
    write(trial.write(tmp_path / "jobs" / JOB) / VERDICT, BLOCKS[VERDICT])
    apply_import(imported(tmp_path / "jobs", tmp_path / "tasks"), tmp_path / "results")
    ((board, entry),) = evaluate(tmp_path / "results", TODAY).entries()
    assert (board.benchmark.ordered, board.track.protocol) == (False, "once")
    assert [task.id for task in board.tasks.tasks] == ["opt-4-0-0-roadmap"]
    assert entry.bundle
    assert [round_result.solved for round_result in entry.bundle.rounds] == [True, False, True]
    assert (entry.value("resolved"), entry.value("completion")) == (0, 0.7)


def test_the_lines_of_a_verifier_are_read_as_the_page_prints_them(tmp_path: Path) -> None:
    (lines,) = re.findall(r"^```text\n(CASE_RESULT.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    report, _ = read_cases(write(tmp_path / "log", lines))
    assert report
    assert [(record.case.id, record.texts["expected"], record.texts["reason"]) for record in report.records] == [
        ("c001", "3", "wrong sum")
    ]
    assert [(summary.total, summary.passed, summary.failed) for summary in report.summaries] == [(12, 11, 1)]
