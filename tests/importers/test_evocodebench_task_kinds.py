"""The kinds of EvoCode-Bench's tasks, which their ids name."""

from collections import Counter
from pathlib import Path

import pytest
from kit.evocodebench_trees import imported, passed, publish
from kit.rendered_pages import tasks_page
from kit.shipped_results import shipped
from lxml import html

from sitegen.importers.evocodebench.task_kinds import kinds_of
from sitegen.pages.records import BoardRecords

FORENSICS = "theme_d10_w10_ml_ai_mlops_forensics_analysis"
SECURITY = "theme_d9_w11_security_automation_scripting"


@pytest.mark.parametrize(
    ("task", "domain", "workflow"),
    [
        (FORENSICS, "ML/AI & MLOps", "Forensics & analysis"),
        (SECURITY, "Security", "Automation & scripting"),
        ("theme_d10_w8_ml_ai_mlops_security_patch_hardening", "ML/AI & MLOps", "Security patch & hardening"),
        ("theme_d12_w1_automation_productivity_greenfield_implementation__not_1234", "Automation & productivity", None),
        ("theme_d13_w1_web_frontend_greenfield_implementation", "Web frontend", "Greenfield implementation"),
        ("theme_d9_w13_security_threat_modelling", "Security", "Threat modelling"),
    ],
)
def test_an_id_names_domain_and_workflow(task: str, domain: str, workflow: str | None) -> None:
    assert kinds_of(task) == {"domain": domain, "workflow": workflow or "Greenfield implementation"}


@pytest.mark.parametrize("task", ["tidy", "theme_d10_forensics", "theme_d1_w1_nothing_known", "theme_d9_w11_security"])
def test_an_id_that_does_not_name_both_has_no_kinds(task: str) -> None:
    assert kinds_of(task) == {}


def test_an_import_labels_tasks_and_says_where_the_labels_come_from(tmp_path: Path) -> None:
    incoming = imported(publish(tmp_path, {FORENSICS: {"Ada": [passed()]}, SECURITY: {"Ada": [passed()]}}))
    labels = [task.labels for tasks in incoming.task_sets for task in tasks.tasks]
    assert [(label["domain"], label["workflow"]) for label in labels] == [
        ("ML/AI & MLOps", "Forensics & analysis"),
        ("Security", "Automation & scripting"),
    ]
    assert labels[0]["category"] == "kind-1"
    axes = incoming.benchmark.axes
    assert axes["domain"].summary == (
        "The technical field of a task, taken from the task's id: d10 stands for ML/AI & MLOps."
    )
    assert axes["category"].summary == ""


def test_a_benchmark_with_other_ids_gets_no_such_axis(tmp_path: Path) -> None:
    incoming = imported(publish(tmp_path, {"tidy": {"Ada": [passed()]}}))
    assert list(incoming.benchmark.axes) == ["difficulty", "category"]


def test_the_shipped_tasks_have_a_few_kinds_and_their_page_says_where_they_come_from() -> None:
    boards = shipped().all_boards()
    board = next(board for board in boards if (board.benchmark.id, board.track.id) == ("evocode-bench", "official"))
    for axis, expected_count in (("domain", 10), ("workflow", 9)):
        counts = Counter(task.labels[axis] for task in board.tasks.tasks)
        assert (len(counts), counts.total()) == (expected_count, 26)
    page = html.fromstring(tasks_page(BoardRecords(board)).content)
    (note,) = page.cssselect("[data-axes-note]")
    assert note.text_content().count("taken from the task's id") == 2
