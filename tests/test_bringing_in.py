"""An import comes into a results folder whole, reads back as it was made, and never changes what stands."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from kit.real_data import real_data
from kit.small_import import DRAFT, benchmark, draft, files_in, incoming, results, task_set, track

from sitegen.importers.evocodebench.benchmark import FACTS
from sitegen.importers.evocodebench.source import read_published
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.simulation import SimulationScale, simulate
from sitegen.models.finding import Finding
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.results import BenchmarkResults
from sitegen.models.task import Task, TaskRound
from sitegen.pipeline.importing import apply_import
from sitegen.problems import Problem, ProblemsError, UsageError, errors_of
from sitegen.store.readers.folder import read_results

LATER = draft("2026-07-01-acme-2")


@pytest.fixture(scope="module")
def demo() -> Incoming:
    return simulate(SimulationScale())


def refused(new: Incoming, into: Path) -> list[str]:
    """Try to bring in what does not fit, and give the codes of the errors."""
    with pytest.raises(ProblemsError) as raised:
        apply_import(new, into)
    return [problem.code for problem in raised.value.problems]


def read_back(into: Path) -> tuple[BenchmarkResults, tuple[Problem, ...]]:
    """Read the one benchmark of a folder, and the errors in it."""
    read = read_results(into)
    (benchmark_results,) = read.benchmarks
    return benchmark_results, errors_of(read.all_problems())


def drafts_of(benchmark_results: BenchmarkResults, tasks: tuple[Task, ...]) -> tuple[Draft, ...]:
    """Give bundles as drafts; failures lie by task, in the order of the task set."""
    return tuple(
        Draft(
            bundle.id,
            bundle.submission,
            bundle.rounds,
            bundle.runs,
            tuple(failure for task in tasks for failure in bundle.failures.of_task(task.id)),
        )
        for bundle in benchmark_results.bundles
    )


def test_what_was_made_reads_back_equal_and_without_errors(tmp_path: Path, demo: Incoming) -> None:
    apply_import(demo, tmp_path / "results")
    benchmark_results, errors = read_back(tmp_path / "results")
    assert errors == ()
    assert benchmark_results.benchmark == demo.benchmark
    assert (tuple(benchmark_results.task_sets.values()), benchmark_results.findings) == (demo.task_sets, demo.findings)
    assert drafts_of(benchmark_results, demo.task_sets[0].tasks) == demo.drafts


def test_equal_imports_give_equal_bytes(tmp_path: Path, demo: Incoming) -> None:
    apply_import(demo, tmp_path / "one")
    apply_import(simulate(SimulationScale()), tmp_path / "two")
    assert files_in(tmp_path / "one") == files_in(tmp_path / "two")


def test_it_says_what_it_wrote(tmp_path: Path) -> None:
    apply_import(incoming(), tmp_path)
    second = replace(incoming(benchmark(track(), track("paper"))), drafts=(*incoming().drafts, LATER))
    brought = apply_import(second, tmp_path)
    assert (brought.new, brought.unchanged) == ((LATER.id,), (incoming().drafts[0].id,))
    assert (brought.created, brought.changed) == ((), ("benchmark.toml",))


def test_a_second_import_changes_nothing(tmp_path: Path, demo: Incoming) -> None:
    apply_import(demo, tmp_path)
    before = files_in(tmp_path)
    brought = apply_import(demo, tmp_path)
    assert (brought.new, brought.created, brought.changed) == ((), (), ())
    assert len(brought.unchanged) == len(demo.drafts)
    assert files_in(tmp_path) == before


def test_a_dry_run_tells_and_writes_nothing(tmp_path: Path) -> None:
    dry_run_result = apply_import(incoming(), tmp_path / "results", write=False)
    assert list(tmp_path.iterdir()) == []
    assert dry_run_result == apply_import(incoming(), tmp_path / "results")


def test_another_benchmark_stands_beside_the_first(tmp_path: Path) -> None:
    apply_import(incoming(), tmp_path)
    apply_import(replace(incoming(), benchmark=benchmark(track(), id="other")), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bench", "other"]


def test_conflicts_are_told_together_and_leave_everything_alone(tmp_path: Path) -> None:
    apply_import(incoming(), tmp_path)
    before = files_in(tmp_path)
    failed = tuple(replace(result, reward=0.0, passed=1) for result in results())
    corrected = incoming(benchmark(track(protocol="once")), drafts=(draft(rounds=failed), LATER))
    assert refused(corrected, tmp_path) == ["MERGE-TRACK-DIFFERS", "MERGE-BUNDLE-DIFFERS"]
    assert files_in(tmp_path) == before


def test_a_fault_leaves_nothing_behind(tmp_path: Path) -> None:
    """A file lies where the folder of bundles is to be, which is found out when half of the import is there."""
    (tmp_path / "bench").mkdir()
    new = incoming()
    apply_import(replace(new, drafts=()), tmp_path)
    (tmp_path / "bench" / "submissions").write_bytes(b"")
    before = files_in(tmp_path)
    with pytest.raises(OSError, match="submissions"):
        apply_import(replace(new, benchmark=benchmark(aliases={"acme": "Acme-1"})), tmp_path)
    assert files_in(tmp_path) == before


def test_a_definition_that_can_not_be_read_is_not_added_to(tmp_path: Path) -> None:
    apply_import(incoming(), tmp_path)
    (tmp_path / "bench" / "benchmark.toml").write_text("schema = 2\n", encoding="utf-8")
    assert refused(incoming(drafts=(LATER,)), tmp_path) != []


def test_tasks_that_can_not_be_read_are_not_compared(tmp_path: Path) -> None:
    apply_import(incoming(), tmp_path)
    (tmp_path / "bench" / "tasks" / "main.jsonl").write_text("{\n", encoding="utf-8")
    assert refused(incoming(drafts=(LATER,)), tmp_path) == ["JSON-SYNTAX"]


def test_errors_in_other_bundles_do_not_stop_an_import(tmp_path: Path) -> None:
    apply_import(incoming(), tmp_path)
    (tmp_path / "bench" / "submissions" / incoming().drafts[0].id / "rounds.jsonl").write_text("{\n", encoding="utf-8")
    assert apply_import(incoming(drafts=(LATER,)), tmp_path).new == (LATER.id,)


def test_a_folder_that_is_no_benchmark_is_not_written_to(tmp_path: Path) -> None:
    (tmp_path / "bench" / "tasks").mkdir(parents=True)
    assert refused(incoming(), tmp_path) == ["FILE-MISSING"]


def test_a_benchmarks_folder_is_no_results_folder(tmp_path: Path) -> None:
    apply_import(incoming(), tmp_path)
    with pytest.raises(UsageError, match="is not a results folder; name the folder that has the benchmarks' folders"):
        apply_import(incoming(), tmp_path / "bench")


def test_a_bundle_with_fewer_attempts_than_its_track_is_sound(tmp_path: Path) -> None:
    two_attempts = incoming(benchmark(track(attempts=2)), drafts=(draft(rounds=results(attempts=2)),))
    apply_import(two_attempts, tmp_path)
    apply_import(incoming(drafts=(LATER,)), tmp_path)
    assert read_back(tmp_path)[1] == ()


def test_names_can_not_lead_out_of_the_folder(tmp_path: Path) -> None:
    assert refused(incoming(drafts=(draft("../../../evil"),)), tmp_path / "results") == ["MERGE-NAME-INVALID"]
    assert list(tmp_path.iterdir()) == []


def test_a_new_track_brings_its_own_tasks(tmp_path: Path) -> None:
    apply_import(incoming(), tmp_path)
    paper_tasks = task_set(Task("broom", (TaskRound(1),)))
    apply_import(incoming(benchmark(track("paper")), sets=(paper_tasks,), drafts=()), tmp_path)
    benchmark_results, errors = read_back(tmp_path)
    assert ({track.id: track.tasks for track in benchmark_results.benchmark.tracks}, errors) == (
        {"official": "main", "paper": "paper"},
        (),
    )


def test_a_bundle_that_misses_a_task_is_sound(tmp_path: Path) -> None:
    """Also beside a task that is out for everybody, which it has records of."""
    broom, mop = (Task(name, (TaskRound(1),)) for name in ("broom", "mop"))
    tasks = (broom, *task_set().tasks, mop)
    out = Finding(
        date=DRAFT.submission.date, kind="defect", title="Broken", reason="Broken", effect="exclude", tasks=("broom",)
    )
    first_import = incoming(sets=(task_set(*tasks),), drafts=(draft(rounds=results(tasks)),), findings=(out,))
    apply_import(first_import, tmp_path)
    before = files_in(tmp_path)
    brought = apply_import(incoming(drafts=(LATER,)), tmp_path)
    assert [problem.code for problem in brought.problems] == ["MERGE-TASKS-MISSING"]
    benchmark_results, errors = read_back(tmp_path)
    later = next(bundle for bundle in benchmark_results.bundles if bundle.id == LATER.id)
    assert (later.submission.missing, errors) == (("mop",), ())
    assert [(round_result.task, round_result.state) for round_result in later.rounds] == [
        ("broom", "excluded"),
        ("tidy", "scored"),
        ("tidy", "scored"),
    ]
    after = files_in(tmp_path)
    assert all(name.startswith(f"bench/submissions/{LATER.id}/") for name in after.keys() - before.keys())
    assert {name: after[name] for name in before} == before
    assert apply_import(incoming(drafts=(LATER,)), tmp_path).new == ()


def test_an_import_says_once_a_bundle_how_many_verdicts_are_fractions(tmp_path: Path) -> None:
    """A reward of 0.5 is not a pass, and no score uses it: checking says the same of the written bundle."""
    halves = tuple(replace(result, reward=0.5, passed=1) for result in results())
    new = incoming(drafts=(draft(rounds=halves), LATER))
    (warning,) = apply_import(new, tmp_path).problems
    rounds_path = tmp_path / "bench" / "submissions" / DRAFT.id / "rounds.jsonl"
    assert (warning.code, warning.path, warning.lines) == ("REWARD-FRACTIONAL", rounds_path, (1, 2))
    assert warning.what.startswith("2 rounds with a reward between 0 and 0.999 (first: round 1 of tidy, 0.5)")
    assert [problem for problem in read_results(tmp_path).all_problems() if problem.path == rounds_path] == [warning]
    assert apply_import(new, tmp_path).problems == ()


def test_published_results_read_back_equal(tmp_path: Path) -> None:
    options = ImportOptions(
        today=date(2026, 7, 1),
        benchmark="evocode-bench",
        track="official",
        facts=FACTS,
        claims=real_data("evocodebench", "2026-06-25", "published.json"),
        known_metrics=("dataset_score", "case_score"),
        allow_missing=True,
    )
    new = read_published(real_data("evocodebench", "2026-06-20-subset"), options)
    apply_import(new, tmp_path)
    benchmark_results, errors = read_back(tmp_path)
    assert (benchmark_results.benchmark, tuple(benchmark_results.task_sets.values())) == (new.benchmark, new.task_sets)
    assert drafts_of(benchmark_results, new.task_sets[0].tasks) == tuple(
        sorted(new.drafts, key=lambda new_draft: new_draft.id)
    )
    assert errors == ()
