"""Runs of Terminal-Bench: what its runner writes, the layouts people keep it in, and what is refused."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from kit.foreign_sources import imported, manifest, refused, rounds, tasks
from kit.terminal_bench_trees import SAMPLES, change, put, sample, trial, write_list, write_metadata, write_run
from typer.testing import CliRunner

from sitegen.cli.main import app
from sitegen.problems import UsageError

FORM = "terminal-bench"
CASES: Mapping[str, Any] = json.loads((SAMPLES / "expected.json").read_text("utf-8"))["cases"]
JOINED = ("--runs", "attempts")


def output_of(*arguments: str | Path) -> str:
    """Run a command that succeeds, and return what it prints."""
    done = CliRunner().invoke(app, [*map(str, arguments)])
    assert done.exit_code == 0, (done.exception, done.output)
    return done.output


def reward_of(line: Mapping[str, Any]) -> object:
    """Return a round's reward, or how it ended without one."""
    if line["state"] == "scored":
        return line["reward"]
    return None if line["state"] == "aborted" else line["state"]


def rewards(into: Path) -> dict[str, dict[str, list[object]]]:
    """Return the rewards of the attempts at each task, by agent and task as the source names them."""
    titles = {task: definition.get("title") or task for task, definition in tasks(into).items()}
    rewards_by_agent: dict[str, dict[str, list[object]]] = {}
    for bundle, lines in rounds(into).items():
        agent = manifest(into, bundle)["agent"]
        name = ", ".join(filter(None, (agent["name"], agent.get("reasoning"))))
        for line in lines:
            by_task = rewards_by_agent.setdefault(name, {})
            by_task.setdefault(titles[line["task"]], []).append(reward_of(line))
    return rewards_by_agent


def only_bundle(into: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the manifest and the rounds of the one bundle."""
    ((name, lines),) = rounds(into).items()
    return manifest(into, name), lines


@pytest.mark.parametrize("name", CASES)
def test_what_the_runner_writes_gives_the_values_worked_out_apart(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    source = sample(name, tmp_path)
    if "refused" in case:
        assert {code for code, _ in refused(FORM, source)} == {case["refused"]}
        return
    codes = imported(FORM, source, tmp_path / "into", *case.get("options", ()))
    assert rewards(tmp_path / "into") == case["agents"]
    assert codes == case["warnings"]
    assert "0 errors" in output_of("validate", tmp_path / "into")


def test_a_run_tells_who_ran_and_how(tmp_path: Path) -> None:
    assert "SOURCE-FAILURE-SCORED" in imported(FORM, SAMPLES / "one-run", tmp_path)
    submission, lines = only_bundle(tmp_path)
    assert "agent timeout in 1 trial" in submission["caveats"][-1]
    assert submission["agent"] == {"name": "sample-1", "scaffold": "sample-agent"}
    assert submission["provenance"]["harness_version"] == "0.2.18"
    assert submission["provenance"]["jobs"] == ["run-0"]
    assert submission["provenance"]["code_commit"] == "1f3a9c4e5b6d7f8091a2b3c4d5e6f708192a3b4c"
    assert submission["claims"] == {"source": "the run's own summary: accuracy", "resolved": 33.3333}
    by_task = {line["task"]: line for line in lines}
    first = by_task["find-word"]
    assert (first["input_tokens"], first["output_tokens"]) == (1200, 300)
    assert (first["agent_seconds"], first["verifier_seconds"]) == (61, 10)
    assert (first["passed"], first["total"], first["outcomes"]) == (2, 2, "pp")
    assert (by_task["fix-clock"]["cause"], by_task["fix-clock"]["agent_seconds"]) == ("parse error", 61)


def test_tokens_of_an_agent_that_counts_none_are_unknown(tmp_path: Path) -> None:
    printed = output_of("import", FORM, SAMPLES / "no-tokens", "--into", tmp_path, "--benchmark", "mine")
    assert "assumed: 0 input and 0 output tokens mean that the agent kept no count" in printed
    submission, lines = only_bundle(tmp_path)
    assert all("output_tokens" not in line for line in lines)
    assert any("kept no count" in caveat for caveat in submission["caveats"])


def test_limits_that_are_not_the_tasks_own_are_kept(tmp_path: Path) -> None:
    imported(FORM, SAMPLES / "limits", tmp_path)
    submission, _ = only_bundle(tmp_path)
    assert submission["provenance"]["overrides"] == {"global_timeout_multiplier": "2"}
    assert "global_timeout_multiplier" in output_of("validate", tmp_path)


def in_layout(name: str, root: Path) -> Path:
    """Return three runs as people keep them: only lists, only trials, or no trials."""
    source = sample("three-runs", root)
    for number in range(3):
        run = source / f"run-{number}"
        if name == "lists":
            shutil.copy(run / "results.json", source / f"2026-07-0{number + 1}__09-00-00_results.json")
        if name in {"lists", "no-trials"}:
            for folder in [path for path in run.iterdir() if path.is_dir()]:
                shutil.rmtree(folder)
        if name in {"lists", "trials"}:
            for path in [path for path in run.iterdir() if path.is_file()]:
                path.unlink()
    return source


@pytest.mark.parametrize("name", ["lists", "trials", "no-trials", "whole"])
def test_every_layout_gives_the_same_rounds(name: str, tmp_path: Path) -> None:
    source = in_layout(name, tmp_path)
    imported(FORM, source, tmp_path / "into", *JOINED, "--agent", "Acme-1")
    assert rewards(tmp_path / "into") == {"Acme-1": CASES["three-runs"]["agents"]["sample-1"]}


def test_runs_that_do_not_say_who_ran_need_a_name(tmp_path: Path) -> None:
    ((code, message),) = refused(FORM, in_layout("lists", tmp_path), *JOINED)
    assert code == "SOURCE-AGENT-UNKNOWN"
    assert "2026-07-01__09-00-00_results.json" in message


def test_a_run_that_does_not_say_who_ran_is_of_the_one_agent_that_is_named(tmp_path: Path) -> None:
    source = sample("three-runs", tmp_path)
    (source / "run-1" / "run_metadata.json").unlink()
    (source / "run-1" / "tb.lock").unlink()
    imported(FORM, source, tmp_path / "into", *JOINED, "--agent", "Acme-1")
    submission, _ = only_bundle(tmp_path / "into")
    assert submission["agent"] == {"name": "Acme-1", "model": "sample-1", "scaffold": "sample-agent"}
    assert any("runs that state no agent are attributed to sample-1" in caveat for caveat in submission["caveats"])


def test_several_runs_on_the_same_tasks_are_asked_about(tmp_path: Path) -> None:
    source = sample("three-runs", tmp_path)
    ((code, message),) = refused(FORM, source)
    assert (code, message) == (
        "SOURCE-RUNS-SEVERAL",
        "sample-1 (sample-agent, acme) ran several times on the same tasks: run-0, run-1, run-2",
    )
    by_run = CASES["three-runs"]["agents"]["sample-1"]
    for number, pick in ((0, "first"), (2, "latest")):
        imported(FORM, source, tmp_path / pick, "--pick", pick)
        assert rewards(tmp_path / pick) == {
            "sample-1": {task: [task_rewards[number]] for task, task_rewards in by_run.items()}
        }
    submission, _ = only_bundle(tmp_path / "first")
    assert not any("agent timeout" in caveat for caveat in submission["caveats"])


def test_attempts_are_in_the_order_in_which_the_runs_began(tmp_path: Path) -> None:
    for name, day, verdict in (("run-a", 3, True), ("run-b", 1, False), ("run-c", 2, False)):
        write_run(tmp_path / "runs" / name, "ada", {"tidy": verdict}, day)
    imported(FORM, tmp_path / "runs", tmp_path / "into", *JOINED)
    assert rewards(tmp_path / "into") == {"ada": {"tidy": [0, 0, 1]}}
    submission, _ = only_bundle(tmp_path / "into")
    assert submission["provenance"]["jobs"] == ["run-b", "run-c", "run-a"]


def test_a_run_inside_of_another_one_counts_once(tmp_path: Path) -> None:
    source = sample("three-runs", tmp_path)
    shutil.copytree(source / "run-0", source / "run-2" / "run-0")
    shutil.copy(source / "run-1" / "results.json", source / "copied_results.json")
    printed = output_of("import", FORM, source, "--into", tmp_path / "into", "--benchmark", "mine", *JOINED)
    assert "run-0 and run-2/run-0 are one run, which counts once" in printed
    assert rewards(tmp_path / "into") == {"sample-1": CASES["three-runs"]["agents"]["sample-1"]}


def test_a_trial_s_own_file_counts_before_the_list_which_fills_gaps(tmp_path: Path) -> None:
    source = sample("one-run", tmp_path)
    (path,) = source.rglob("find-word.1-of-1.run-0/results.json")
    change(path, is_resolved=False, parser_results={"test_1": "passed", "test_2": "failed"})
    shutil.rmtree(next(source.rglob("find-word.hard.1-of-1.run-0")))
    codes = imported(FORM, source, tmp_path / "into")
    assert rewards(tmp_path / "into")["sample-1"] == {"find-word": [0], "find-word.hard": [0], "fix-clock": [None]}
    assert "SOURCE-SCORE-DIFFERS" in codes
    submission, _ = only_bundle(tmp_path / "into")
    assert any("not resolved in its own file, but resolved in the list" in caveat for caveat in submission["caveats"])


def test_a_summary_that_differs_is_a_claim(tmp_path: Path) -> None:
    source = sample("one-run", tmp_path)
    change(source / "run-0" / "results.json", accuracy=0.9, n_resolved=3)
    assert "SOURCE-SCORE-DIFFERS" in imported(FORM, source, tmp_path / "into")
    submission, _ = only_bundle(tmp_path / "into")
    assert submission["claims"]["resolved"] == 90
    (caveat,) = (caveat for caveat in submission["caveats"] if "figures that differ" in caveat)
    assert "an accuracy of 0.9 in results.json, but 0.333333 over the trials" in caveat
    assert "3 resolved in results.json, but 1 in the trials" in caveat


@pytest.mark.parametrize(
    ("verdict", "tests", "expected_caveat"),
    [
        (True, {"a": "passed", "b": "failed"}, "resolved, but 1 of 2 tests passed"),
        (False, {"a": "passed"}, "not resolved, but 1 of 1 test passed"),
        (True, {}, "resolved, but 0 of 0 tests passed"),
        (False, {"a": "vanished"}, "a test ended as vanished"),
    ],
)
def test_tests_that_contradict_a_verdict_are_left_out(
    *, verdict: bool, tests: dict[str, str], expected_caveat: str, tmp_path: Path
) -> None:
    source = write_run(tmp_path / "runs" / "run", "ada", {"neat": True})
    write_list(source / "more_results.json", [trial("run", "tidy", verdict, parser_results=tests)])
    put(source / "tidy" / "tidy.1-of-1.run" / "results.json", trial("run", "tidy", verdict, parser_results=tests))
    (source / "more_results.json").unlink()
    assert "SOURCE-REWARD-CONTRADICTED" in imported(FORM, tmp_path / "runs", tmp_path / "into")
    submission, lines = only_bundle(tmp_path / "into")
    (line,) = (line for line in lines if line["task"] == "tidy")
    assert (line["state"], line["reward"]) == ("scored", float(verdict))
    assert "total" not in line
    assert any(expected_caveat in caveat for caveat in submission["caveats"])
    assert "0 errors" in output_of("validate", tmp_path / "into")


def test_tests_that_were_skipped_are_counted_apart(tmp_path: Path) -> None:
    tests = {"b": "skipped", "a": "passed"}
    write_list(tmp_path / "runs" / "results.json", [trial("run", "tidy", True, parser_results=tests)])  # noqa: FBT003
    imported(FORM, tmp_path / "runs", tmp_path / "into", "--agent", "Acme-1")
    _, (line,) = only_bundle(tmp_path / "into")
    assert (line["outcomes"], line["passed"], line["total"], line["skipped"]) == ("ps", 1, 2, 1)


def test_a_trial_whose_file_is_cut_off_is_filled_by_the_list_or_aborted(tmp_path: Path) -> None:
    source = sample("one-run", tmp_path)
    (path,) = source.rglob("find-word.1-of-1.run-0/results.json")
    path.write_text(path.read_text("utf-8")[:100], encoding="utf-8")
    codes = imported(FORM, source, tmp_path / "into")
    assert "SOURCE-FILE-BROKEN" in codes
    assert rewards(tmp_path / "into")["sample-1"]["find-word"] == [1]
    (source / "run-0" / "results.json").unlink()
    imported(FORM, source, tmp_path / "other")
    _, lines = only_bundle(tmp_path / "other")
    (line,) = (line for line in lines if line["task"] == "find-word")
    assert (line["state"], line["cause"]) == ("aborted", "its file is cut off")


@pytest.mark.parametrize("name", ["results.json", "run_metadata.json", "tb.lock"])
def test_a_file_of_a_run_that_is_cut_off_is_refused(name: str, tmp_path: Path) -> None:
    source = sample("one-run", tmp_path)
    path = source / "run-0" / name
    path.write_text(path.read_text("utf-8")[:-30], encoding="utf-8")
    assert refused(FORM, source) == [("SOURCE-CUT-OFF", f"run-0/{name} ends in the middle of a value")]


def test_a_file_of_a_run_that_is_no_json_is_refused_and_a_lock_is_left_out(tmp_path: Path) -> None:
    source = sample("one-run", tmp_path)
    (source / "run-0" / "tb.lock").write_text("not JSON", encoding="utf-8")
    assert "SOURCE-LEFT-OUT" in imported(FORM, source, tmp_path / "into")
    submission, _ = only_bundle(tmp_path / "into")
    assert any("run-0/tb.lock" in caveat for caveat in submission["caveats"])
    (source / "run-0" / "results.json").write_text("not JSON", encoding="utf-8")
    ((code, _),) = refused(FORM, source)
    assert code == "SOURCE-BROKEN"


def test_a_trial_that_was_run_again_has_the_last_verdict_of_the_list(tmp_path: Path) -> None:
    listed = [trial("run", "tidy", None), trial("run", "tidy", True)]  # noqa: FBT003 - verdicts
    write_list(tmp_path / "runs" / "results.json", listed, accuracy=1.0)
    assert "SOURCE-LEFT-OUT" in imported(FORM, tmp_path / "runs", tmp_path / "into", "--agent", "Acme-1")
    assert rewards(tmp_path / "into") == {"Acme-1": {"tidy": [1]}}


def test_a_run_of_attempts_lacks_those_that_nothing_tells_of(tmp_path: Path) -> None:
    trials = [trial("run", "tidy", True, f"{number}-of-3") for number in (1, 3)]  # noqa: FBT003 - a verdict
    write_list(tmp_path / "runs" / "results.json", trials)
    codes = imported(FORM, tmp_path / "runs", tmp_path / "into", "--agent", "Acme-1")
    assert codes == ["SOURCE-RUN-UNREACHED"]
    assert rewards(tmp_path / "into") == {"Acme-1": {"tidy": [1, "unreached", 1]}}


def test_tasks_that_a_run_was_not_to_have_are_missing_and_not_failed(tmp_path: Path) -> None:
    for model, plan in (("ada", ["tidy", "neat"]), ("bob", ["tidy"])):
        run = write_run(tmp_path / "runs" / model, model, dict.fromkeys(plan, True))
        write_metadata(run, model, task_ids=plan)
    imported(FORM, tmp_path / "runs", tmp_path / "into")
    assert rewards(tmp_path / "into") == {"ada": {"neat": [1], "tidy": [1]}, "bob": {"tidy": [1]}}
    assert manifest(tmp_path / "into", "2026-07-01-bob")["missing"] == ["neat"]


def test_runs_of_several_datasets_are_refused(tmp_path: Path) -> None:
    for version in ("0.1.0", "0.1.1"):
        run = write_run(tmp_path / "runs" / version, "ada", {"tidy": True})
        write_metadata(run, "ada", dataset_version=version)
    ((code, message),) = refused(FORM, tmp_path / "runs")
    assert code == "SOURCE-DATASETS-MIXED"
    assert message == "there are runs of sample-core 0.1.0 (0.1.0), sample-core 0.1.1 (0.1.1)"


def test_runs_in_several_folders_that_state_no_model_are_refused(tmp_path: Path) -> None:
    for name in ("opus", "sonnet"):
        write_run(tmp_path / "runs" / name / "run-1", None, {"tidy": True})
    ((code, message),) = refused(FORM, tmp_path / "runs", *JOINED)
    assert code == "SOURCE-AGENT-UNKNOWN"
    assert message == "runs of sample-agent state no model and may be of several models: opus/run-1, sonnet/run-1"
    imported(FORM, tmp_path / "runs", tmp_path / "into", *JOINED, "--agent", "Acme-1")
    submission, _ = only_bundle(tmp_path / "into")
    assert submission["agent"] == {"name": "Acme-1", "scaffold": "sample-agent"}


def test_one_name_is_not_given_to_several_models(tmp_path: Path) -> None:
    source = sample("two-models", tmp_path)
    arguments = ("import", FORM, source, "--into", tmp_path / "into", "--benchmark", "mine", "--agent", "Acme-1")
    done = CliRunner().invoke(app, [*map(str, arguments)])
    assert isinstance(done.exception, UsageError)
    assert "sample-1, sample-2; choose one with --model" in str(done.exception)
    output_of(*arguments, "--model", "acme/sample-2")
    submission, _ = only_bundle(tmp_path / "into")
    assert submission["agent"] == {"name": "Acme-1", "model": "sample-2", "scaffold": "sample-agent"}


def test_two_dated_names_are_two_models(tmp_path: Path) -> None:
    for number, model in enumerate(("m-2026-05-01", "m-2026-06-01", "m-latest")):
        write_run(tmp_path / "runs" / f"run-{number}", model, {"tidy": True})
    imported(FORM, tmp_path / "runs", tmp_path / "into")
    assert len(rewards(tmp_path / "into")) == 3


def test_the_reference_solution_is_no_agent_beside_others(tmp_path: Path) -> None:
    write_run(tmp_path / "runs" / "run", "ada", {"tidy": True})
    run = write_run(tmp_path / "runs" / "oracle", None, {"tidy": True})
    write_metadata(run, None, agent_name="oracle", model_name="Oracle")
    printed = output_of("import", FORM, tmp_path / "runs", "--into", tmp_path / "into", "--benchmark", "mine")
    assert "skipped: oracle (a baseline, not an agent; import it with `--model`)" in printed
    assert list(rewards(tmp_path / "into")) == ["ada"]
    imported(FORM, tmp_path / "runs", tmp_path / "other", "--model", "oracle")
    assert list(rewards(tmp_path / "other")) == ["Oracle"]


def test_a_run_of_a_later_version_is_read_with_a_caveat(tmp_path: Path) -> None:
    source = sample("one-run", tmp_path)
    lock = json.loads((source / "run-0" / "tb.lock").read_text("utf-8"))
    put(source / "run-0" / "tb.lock", lock | {"harness": {"version": "0.3.1"}})
    assert "SOURCE-VERSION-NEWER" in imported(FORM, source, tmp_path / "into")
    submission, _ = only_bundle(tmp_path / "into")
    assert any(
        "Terminal-Bench 0.3.1; the newest supported version is 0.2" in caveat for caveat in submission["caveats"]
    )


def test_a_run_without_times_has_the_day_of_a_name(tmp_path: Path) -> None:
    listed = [trial("run", "tidy", True, trial_started_at=None, agent_started_at=None)]  # noqa: FBT003 - a verdict
    write_list(tmp_path / "20260702_acme" / "results.json", listed)
    imported(FORM, tmp_path / "20260702_acme", tmp_path / "into", "--agent", "Acme-1")
    submission, _ = only_bundle(tmp_path / "into")
    assert str(submission["date"]) == "2026-07-02"
    assert any("according to the name 20260702_acme" in caveat for caveat in submission["caveats"])


def test_runs_of_a_part_of_a_published_dataset_say_so(tmp_path: Path) -> None:
    run = write_run(tmp_path / "runs" / "run", "ada", {"tidy": True})
    write_metadata(run, "ada", dataset_name="terminal-bench-core")
    assert imported(FORM, tmp_path / "runs", tmp_path / "into") == ["SOURCE-PART"]
    submission, _ = only_bundle(tmp_path / "into")
    assert "1 of the 80 tasks of terminal-bench-core 0.1.1" in submission["caveats"][0]


def test_folders_of_the_leaderboard_name_agents_and_models(tmp_path: Path) -> None:
    root = tmp_path / "sample-core@0.1.1"
    for model in ("opus-9", "sonnet-9"):
        write_run(root / f"20260702_worker_{model}" / "run-1", None, {"tidy": True})
    listed = [trial("run", "tidy", True)]  # noqa: FBT003 - a verdict
    write_list(root / "20260703_duck_opus-9" / "2026-07-03__09-00-00_results.json", listed)
    imported(FORM, tmp_path, tmp_path.parent / f"{tmp_path.name}-into")
    into = tmp_path.parent / f"{tmp_path.name}-into"
    agents = [manifest(into, name)["agent"] for name in rounds(into)]
    assert sorted((agent["name"], agent["scaffold"]) for agent in agents) == [
        ("opus-9", "duck"),
        ("opus-9", "sample-agent"),
        ("sonnet-9", "sample-agent"),
    ]
    caveats = [caveat for name in rounds(into) for caveat in manifest(into, name)["caveats"]]
    assert any("the model is sonnet-9, as the folder 20260702_worker_sonnet-9 says" in caveat for caveat in caveats)
