"""An import without the sentences of its source."""

from pathlib import Path

from kit.evocodebench_trees import Runs, case, failed, imported, passed, publish, requirement

from sitegen.importers.kit.drafts import WORDS_LEFT_OUT, figures_of
from sitegen.publish.results.benchmarks import bundle_files

EARLY = {"pass": 0, "total": 0, "fail": 0, "reward": 0, "fails": [], "early": "a sentence of the source"}
TEXTS = dict.fromkeys(("intent", "scenario", "expected", "actual", "reason"), "a sentence of the source")


def test_figures_keep_rewards_counts_and_the_ids_of_failed_cases(tmp_path: Path) -> None:
    runs: Runs = {"tidy": {"Ada": [passed(), failed(requirement(case("c7", **TEXTS))), EARLY]}}
    full_import = imported(publish(tmp_path, runs))
    (draft,) = figures_of(full_import).drafts
    (sent,) = full_import.drafts
    figures = [
        (round_result.state, round_result.reward, round_result.passed, round_result.total)
        for round_result in draft.rounds
    ]
    assert figures == [
        (round_result.state, round_result.reward, round_result.passed, round_result.total)
        for round_result in sent.rounds
    ]
    assert draft.rounds[2].cause == WORDS_LEFT_OUT
    (failure,) = draft.failures
    assert (failure.case, failure.status, failure.category, failure.requirement) == ("c7", "failed", "core", "R1")


def test_figures_hold_no_sentence_of_the_source(tmp_path: Path) -> None:
    runs: Runs = {
        "tidy": {"Ada": [passed(), failed(requirement(case(**TEXTS), reason="a sentence of the source")), EARLY]}
    }
    figures = figures_of(imported(publish(tmp_path, runs)))
    (draft,) = figures.drafts
    assert not any(b"a sentence" in data for name, data in bundle_files(draft).items() if not name.endswith(".gz"))
    assert not any(getattr(draft.failures[0], text) for text in TEXTS)
    assert not figures.benchmark.instructions
    assert [
        round_result.title for tasks in figures.task_sets for task in tasks.tasks for round_result in task.rounds
    ] == [""] * 3
