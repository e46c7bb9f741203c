"""Several logs of Inspect in one folder: copies, tries, tasks, runs of one agent, and logs without samples."""

import json
from pathlib import Path
from typing import Any

import pytest
from kit.foreign_sources import imported, log, manifest, packed_log, put, refused, rounds, sample, tasks
from typer.testing import CliRunner

from sitegen.cli.main import app
from sitegen.problems import UsageError


def usage_error(source: Path, *arguments: str) -> str:
    """Import a source that is used wrongly; give what is said of it."""
    done = CliRunner().invoke(app, ["import", "inspect", str(source), "--benchmark", "mine", *arguments])
    assert isinstance(done.exception, UsageError), done.output
    return str(done.exception)


def without_samples(model: str, value: float, **figure: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    """Return a log that was written without its samples."""
    figures = [{"name": "first", "scorer": "first", "metrics": {"accuracy": {"value": value}}, **figure}]
    document = log(model, [sample("a", "C")], results={"total_samples": 1, "completed_samples": 1, "scores": figures})
    return document | {"samples": []}


def reported(into: Path) -> list[tuple[str, float]]:
    """Return the agents and values of the reported rows."""
    done = CliRunner().invoke(app, ["score", str(into), "--format", "json"])
    rows = [row for row in json.loads(done.stdout)["submissions"] if row["evidence"] == "reported"]
    return [(row["agent"]["name"], row["metrics"]["mean_reward"]["value"]) for row in rows]


def test_a_log_in_both_formats_counts_once(tmp_path: Path) -> None:
    document = log("ada", [sample("a", "C")], eval={"eval_id": "e1"})
    put(tmp_path / "logs" / "a.json", document)
    packed_log(tmp_path / "logs" / "b.eval", document)
    imported("inspect", tmp_path / "logs", tmp_path / "into")
    assert len(rounds(tmp_path / "into")["2026-07-01-ada"]) == 1


def test_a_log_and_its_scored_copy_are_one_run(tmp_path: Path) -> None:
    spec = {"eval_id": "e1"}
    put(tmp_path / "logs" / "a.json", log("ada", [sample("a", None)], eval=spec, results=None))
    put(tmp_path / "logs" / "a-scored.json", log("ada", [sample("a", "C")], eval=spec))
    imported("inspect", tmp_path / "logs", tmp_path / "into")
    ((line,),) = rounds(tmp_path / "into").values()
    assert line["reward"] == 1


def test_copies_with_other_scorers_are_one_run_with_both_scores(tmp_path: Path) -> None:
    spec = {"eval_id": "e1"}
    for name, value in (("first", "C"), ("second", "I")):
        document = log("ada", [sample("a", None) | {"scores": {name: {"value": value}}}], eval=spec)
        put(tmp_path / "logs" / f"{name}.json", document)
    assert [code for code, _ in refused("inspect", tmp_path / "logs")] == ["SOURCE-SCORE-AMBIGUOUS"]
    imported("inspect", tmp_path / "logs", tmp_path / "into", "--metric", "second")
    ((line,),) = rounds(tmp_path / "into").values()
    assert (line["reward"], line["measures"]) == (0, {"first@inspect": 1})


def test_copies_with_other_values_of_one_scorer_are_refused(tmp_path: Path) -> None:
    for name, value in (("a", "C"), ("b", "I")):
        put(tmp_path / "logs" / f"{name}.json", log("ada", [sample("a", value)], eval={"eval_id": "e1"}))
    ((code, message),) = refused("inspect", tmp_path / "logs")
    assert code == "SOURCE-RUNS-SEVERAL"
    assert "a.json" in message
    assert "b.json" in message


def test_a_copy_that_was_corrected_or_invalidated_counts(tmp_path: Path) -> None:
    corrected = log(
        "ada", [sample("a", "C"), sample("b", "C", invalidation={"reason": "leak"})], eval={"eval_id": "e1"}
    )
    corrected["samples"][0]["scores"]["first"]["history"] = [{"value": "I"}]
    put(tmp_path / "logs" / "a.json", corrected)
    put(tmp_path / "logs" / "b.json", log("ada", [sample("a", "I"), sample("b", "C")], eval={"eval_id": "e1"}))
    codes = imported("inspect", tmp_path / "logs", tmp_path / "into")
    assert {"SOURCE-SCORE-CHANGED", "INSPECT-INVALIDATED"} <= set(codes)
    (lines,) = rounds(tmp_path / "into").values()
    assert [(line["state"], line["reward"]) for line in lines] == [("scored", 1), ("aborted", 0)]


def test_the_last_try_of_a_run_counts_and_keeps_what_only_an_earlier_one_has(tmp_path: Path) -> None:
    earlier = log("ada", [sample("a", "I"), sample("b", "C"), sample("c", None)], status="error", results=None)
    later = log("ada", [sample("a", "C"), sample("c", "C")], eval={"created": "2026-07-02T10:00:00+00:00"})
    put(tmp_path / "logs" / "1.json", earlier)
    put(tmp_path / "logs" / "2.json", later)
    assert "SOURCE-RUN-REPLACED" in imported("inspect", tmp_path / "logs", tmp_path / "into")
    (lines,) = rounds(tmp_path / "into").values()
    assert {line["task"]: line["reward"] for line in lines} == {"a": 1, "b": 1, "c": 1}


def test_two_runs_of_one_agent_are_asked_about(tmp_path: Path) -> None:
    for number, value in enumerate("CI"):
        spec = {"task_id": f"id-{number}", "created": f"2026-07-0{number + 1}T10:00:00+00:00"}
        put(tmp_path / "logs" / f"{number}.json", log("ada", [sample("a", value)], eval=spec))
    ((code, message),) = refused("inspect", tmp_path / "logs")
    assert code == "SOURCE-RUNS-SEVERAL"
    assert "0.json, 1.json" in message
    for options, expected in (
        (("--runs", "attempts"), [1, 0]),
        (("--pick", "latest"), [0]),
        (("--pick", "first"), [1]),
    ):
        into = tmp_path / "-".join(options).strip("-")
        imported("inspect", tmp_path / "logs", into, *options)
        (lines,) = rounds(into).values()
        assert [line["reward"] for line in lines] == expected


def test_runs_over_parts_of_a_dataset_are_one_run(tmp_path: Path) -> None:
    for number, name in enumerate(("a", "b")):
        spec = {"task_id": f"id-{number}", "config": {"epochs": 1, "sample_id": [name]}}
        put(tmp_path / "logs" / f"{number}.json", log("ada", [sample(name, "C")], eval=spec))
    assert "SOURCE-PART" in imported("inspect", tmp_path / "logs", tmp_path / "into")
    (lines,) = rounds(tmp_path / "into").values()
    assert [line["task"] for line in lines] == ["a", "b"]


def test_a_run_that_fills_what_failed_fills_it(tmp_path: Path) -> None:
    samples = [sample("a", "C"), sample("b", None, error={"message": "gone"})]
    put(tmp_path / "logs" / "1.json", log("ada", samples))
    spec = {"task_id": "other", "created": "2026-07-02T10:00:00+00:00"}
    put(tmp_path / "logs" / "2.json", log("ada", [sample("b", "C")], eval=spec))
    assert "SOURCE-RUN-FILLED" in imported("inspect", tmp_path / "logs", tmp_path / "into")
    (lines,) = rounds(tmp_path / "into").values()
    assert [line["reward"] for line in lines] == [1, 1]


def test_logs_of_several_tasks_need_some_to_be_chosen(tmp_path: Path) -> None:
    source = put(tmp_path / "logs" / "a.json", log("ada", [sample("a", "C")])).parent
    put(source / "b.json", log("ada", [sample("a", "I")], eval={"task_version": 2, "task_id": "b"}))
    put(source / "c.json", log("ada", [sample("a", "P")], eval={"task": "suite/neat", "task_id": "c"}))
    ((code, message),) = refused("inspect", source)
    assert (code, message) == ("SOURCE-DATASETS-MIXED", "there are logs of suite/neat@1, tidy@1, tidy@2")
    ((code, message),) = refused("inspect", source, "--task", "tidy")
    assert (code, message) == ("SOURCE-DATASETS-MIXED", "tidy may be tidy@1, tidy@2")
    imported("inspect", source, tmp_path / "one", "--task", "tidy@2")
    assert [*tasks(tmp_path / "one")] == ["a"]
    imported("inspect", source, tmp_path / "two", "--task", "tidy@2", "--task", "neat")
    assert sorted(task["title"] for task in tasks(tmp_path / "two").values()) == ["neat/a", "tidy/a"]
    imported("inspect", source, tmp_path / "all", "--task", "tidy@2", "--task", "tidy@1", "--task", "neat")
    titles = sorted(task["title"] for task in tasks(tmp_path / "all").values())
    assert titles == ["suite/neat@1/a", "tidy@1/a", "tidy@2/a"]
    assert "no log is about task clean; the tasks are: suite/neat@1" in usage_error(source, "--task", "clean")
    assert "eve" in usage_error(source, "--task", "neat", "--model", "eve")


def test_tasks_with_different_epochs_are_not_mixed(tmp_path: Path) -> None:
    source = put(tmp_path / "logs" / "a.json", log("ada", [sample("a", "C"), sample("a", "C", 2)])).parent
    put(source / "b.json", log("ada", [sample("b", "C")], eval={"task": "neat", "task_id": "b"}))
    options = ("--task", "tidy", "--task", "neat")
    ((code, message),) = refused("inspect", source, *options, "--allow-missing")
    assert code == "SOURCE-DATASETS-MIXED"
    assert message == "the tasks of one board differ in their number of epochs (tidy@1: 2, neat@1: 1)"
    imported("inspect", source, tmp_path / "into", "--task", "tidy")
    (lines,) = rounds(tmp_path / "into").values()
    assert [line["reward"] for line in lines] == [1, 1]


def test_a_task_of_its_own_solver_is_no_other_agent(tmp_path: Path) -> None:
    for name in ("tidy", "neat"):
        document = log("ada", [sample("a", "C")], eval={"task": name, "task_id": name})
        document["plan"] = {"steps": [{"solver": f"{name}_solver"}, {"solver": "generate"}]}
        put(tmp_path / "logs" / f"{name}.json", document)
    imported("inspect", tmp_path / "logs", tmp_path / "into", "--task", "tidy", "--task", "neat")
    (lines,) = rounds(tmp_path / "into").values()
    assert len(lines) == 2
    assert "scaffold" not in manifest(tmp_path / "into", "2026-07-01-ada")["agent"]


def test_runs_with_other_arguments_of_the_task_are_noted(tmp_path: Path) -> None:
    for name, language in (("ada", "en"), ("bob", "fr")):
        put(tmp_path / "logs" / f"{name}.json", log(name, [sample("a", "C")], eval={"task_args": {"lang": language}}))
    imported("inspect", tmp_path / "logs", tmp_path / "into")
    for name in ("ada", "bob"):
        assert any(
            "arguments differ: lang" in caveat
            for caveat in manifest(tmp_path / "into", f"2026-07-01-{name}")["caveats"]
        )


def test_logs_without_samples_become_reported_rows(tmp_path: Path) -> None:
    put(tmp_path / "logs" / "a.json", without_samples("ada", 0.25))
    put(tmp_path / "logs" / "b.json", without_samples("bob", 0.75, reducer="mean"))
    put(tmp_path / "logs" / "c.json", log("eve", [sample("a", "C")]))
    assert "SOURCE-FIGURES-ONLY" in imported("inspect", tmp_path / "logs", tmp_path / "into")
    assert sorted(reported(tmp_path / "into")) == [("ada", 0.25), ("bob", 0.75)]
    assert [*rounds(tmp_path / "into")] == ["2026-07-01-eve"]


@pytest.mark.parametrize(
    ("value", "figure", "code"),
    [
        (1.0, {"reducer": "max"}, "SOURCE-UNUSABLE"),
        (0.5, {"metrics": {"std": {"value": 0.5}}}, "SOURCE-UNUSABLE"),
        (75.0, {}, "SOURCE-SCALE-UNSTATED"),
    ],
)
def test_what_a_log_without_samples_states_has_to_be_a_mean(
    value: float, figure: dict[str, Any], code: str, tmp_path: Path
) -> None:
    document = without_samples("ada", value, **figure)
    document["eval"]["config"] = {"epochs": 3, "log_samples": False}
    source = put(tmp_path / "logs" / "a.json", document).parent
    assert [actual_code for actual_code, _ in refused("inspect", source)] == [code]
    if code == "SOURCE-SCALE-UNSTATED":
        imported("inspect", source, tmp_path / "into", "--scale", "100")
        assert reported(tmp_path / "into") == [("ada", 0.75)]


def test_logs_without_samples_have_to_state_one_score_of_one_task(tmp_path: Path) -> None:
    source = put(tmp_path / "logs" / "a.json", without_samples("ada", 0.25)).parent
    put(source / "b.json", without_samples("bob", 0.75, name="judge", scorer="judge"))
    ((code, message),) = refused("inspect", source)
    assert code == "SOURCE-SCORE-AMBIGUOUS"
    assert "first; judge" in message
    document = without_samples("bob", 0.75)
    document["eval"]["task"] = "neat"
    put(source / "b.json", document)
    problems = refused("inspect", source, "--task", "tidy", "--task", "neat")
    assert [code for code, _ in problems] == ["SOURCE-DATASETS-MIXED"]
    imported("inspect", source, tmp_path / "into", "--task", "neat")
    assert reported(tmp_path / "into") == [("bob", 0.75)]


def test_a_broken_log_is_not_passed_over(tmp_path: Path) -> None:
    put(tmp_path / "logs" / "a.json", log("ada", [sample("a", "C")]))
    text = (tmp_path / "logs" / "a.json").read_text("utf-8")
    (tmp_path / "logs" / "b.json").write_text(text.replace('"success"', "success"), encoding="utf-8")
    assert [code for code, _ in refused("inspect", tmp_path / "logs")] == ["SOURCE-BROKEN"]


def test_manifests_of_logs_are_no_logs(tmp_path: Path) -> None:
    document = log("ada", [sample("a", "C")])
    put(tmp_path / "logs" / "a.json", document)
    put(
        tmp_path / "logs" / "logs.json", {"a.json": {key: value for key, value in document.items() if key != "samples"}}
    )
    put(tmp_path / "logs" / "eval-set.json", {"eval_set_id": "x", "tasks": []})
    imported("inspect", tmp_path / "logs", tmp_path / "into")
    assert [*rounds(tmp_path / "into")] == ["2026-07-01-ada"]


def test_a_stated_error_rate_is_not_reported_as_a_reward(tmp_path: Path) -> None:
    stated = without_samples("ada", 0.25)
    stated["results"]["scores"][0] |= {"name": "wer", "scorer": "wer"}
    stated["results"]["headline"] = {"scorer": "wer", "score": "wer", "metric": "accuracy"}
    put(tmp_path / "logs" / "a.json", stated)
    codes = [code for code, _ in refused("inspect", tmp_path / "logs")]
    assert codes == ["SOURCE-UNUSABLE"]
