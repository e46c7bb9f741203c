"""Records of Every Eval Ever: samples become tries, and what has none becomes a reported row."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from kit.foreign_sources import imported, manifest, record, refused, rounds, tasks
from typer.testing import CliRunner

from sitegen.cli.main import app
from sitegen.problems import UsageError

MEAN = 5.0
"""What the aggregates of `record` state, on a scale from 0 to 10."""


def change(path: Path, *keys: str | int, **values: Any) -> None:  # noqa: ANN401 - whatever a file may hold
    """Put values in a table of an aggregate, to which keys lead, and forget the checksum of its samples."""
    aggregate = json.loads(path.read_text("utf-8"))
    aggregate.get("detailed_evaluation_results", {}).pop("checksum", None)
    table = aggregate
    for key in keys:
        table = table[key]
    table.update(values)
    path.write_text(json.dumps(aggregate), encoding="utf-8")


def rewards(into: Path) -> dict[str, list[float]]:
    """Return the rewards of each bundle."""
    return {name: [line["reward"] for line in lines] for name, lines in rounds(into).items()}


def caveats(into: Path, bundle: str = "2026-07-01-ada") -> str:
    """Return what a bundle says of its source."""
    return " ".join(manifest(into, bundle).get("caveats", ()))


def samples_of(path: Path) -> Path:
    """Return the samples of an aggregate."""
    return path.with_name(f"{path.stem}_samples.jsonl")


def test_a_line_of_one_result_is_a_try_and_others_are_measures(tmp_path: Path) -> None:
    lines = [("Fix/1", "first", 10.0), ("Fix/1", "second", 3.0), ("Fix/2", "first", 5.0), ("Fix/2", "second", 4.0)]
    record(tmp_path / "records", "ada", lines)
    assert imported("every-eval-ever", tmp_path / "records", tmp_path / "into") == ["SOURCE-SCORE-DIFFERS"]
    assert "first is the reward, and second is a measure" in caveats(tmp_path / "into")
    (round_lines,) = rounds(tmp_path / "into").values()
    assert [(line["task"], line["reward"], line["measures"]) for line in round_lines] == [
        ("fix-1", 1, {"second@every-eval-ever": 3.0}),
        ("fix-2", 0.5, {"second@every-eval-ever": 4.0}),
    ]
    assert round_lines[0]["input_tokens"] == 7
    assert manifest(tmp_path / "into", "2026-07-01-ada")["claims"]["mean_reward"] == 0.5
    for option in ("--result", "--metric"):
        imported("every-eval-ever", tmp_path / "records", tmp_path / option, option, "second")
        assert rewards(tmp_path / option) == {"2026-07-01-ada": [0.3, 0.4]}


def test_attempts_are_numbered_or_counted(tmp_path: Path) -> None:
    epochs = [
        ("a", "first", score, {"metadata": {"epoch": f"{3 - number}", "kind": "x"}})
        for number, score in ((1, 10.0), (2, 0.0))
    ]
    record(tmp_path / "one", "ada", epochs)
    assert imported("every-eval-ever", tmp_path / "one", tmp_path / "into") == []
    record(tmp_path / "two", "ada", [line[:3] for line in epochs])
    assert imported("every-eval-ever", tmp_path / "two", tmp_path / "other") == ["SOURCE-ASSUMED"]
    (ours,), (theirs,) = (rounds(tmp_path / name).values() for name in ("into", "other"))
    assert [line["reward"] for line in ours] == [0, 1]
    assert [line["reward"] for line in theirs] == [1, 0]


def test_an_error_has_no_verdict_whatever_its_score(tmp_path: Path) -> None:
    lines = [("a", "first", 10.0, {"error": "Gone: away\nTraceback"}), ("b", "first", MEAN)]
    record(tmp_path / "records", "ada", lines)
    assert imported("every-eval-ever", tmp_path / "records", tmp_path / "into") == ["SOURCE-RUN-FAILED"]
    ((line, _),) = rounds(tmp_path / "into").values()
    assert (line["state"], line["reward"], line["cause"]) == ("aborted", 0, "Gone: away")


def test_labels_are_what_all_lines_of_a_sample_share(tmp_path: Path) -> None:
    lines = [
        (f"{number}", "first", MEAN, {"metadata": {"kind": "xy"[number % 2], "tests_total": "4", "other": f"{number}"}})
        for number in range(6)
    ]
    record(tmp_path / "records", "ada", lines)
    imported("every-eval-ever", tmp_path / "records", tmp_path / "into")
    assert [task["labels"] for task in tasks(tmp_path / "into").values()] == [
        {"kind": "xy"[number % 2]} for number in range(6)
    ]


VALUES = {"first": 5.0, "mean_reward": 0.5, "resolved": 5.0}


def test_a_record_without_samples_is_a_reported_row(tmp_path: Path) -> None:
    path = record(tmp_path / "records", "ada", None)
    document = json.loads(path.read_text("utf-8"))
    document["evaluation_results"][1]["metric_config"]["metric_id"] = "tidy.resolved"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert imported("every-eval-ever", tmp_path / "records", tmp_path / "into") == []
    text = (tmp_path / "into" / "mine" / "reported" / "every-eval-ever.toml").read_text("utf-8")
    (row,) = tomllib.loads(text)["rows"]
    assert (row["name"], row["organization"]) == ("ada", "demo")
    assert row["values"] == {name: {"value": value, "n": 2} for name, value in VALUES.items()}
    definition = tomllib.loads((tmp_path / "into" / "mine" / "benchmark.toml").read_text("utf-8"))
    (metric,), (track,) = definition["metrics"], definition["tracks"]
    assert (metric["id"], metric["unit"], metric["reported"]) == ("first", "number", True)
    assert (track["headline"], track["columns"]) == ("mean_reward", ["resolved", "mean_reward", "first"])
    record(tmp_path / "records", "bob", None)
    assert imported("every-eval-ever", tmp_path / "records", tmp_path / "into") == ["SOURCE-METRIC-UNKNOWN"]
    names = sorted(entry.name for entry in (tmp_path / "into" / "mine" / "reported").iterdir())
    assert names == ["every-eval-ever-2.toml", "every-eval-ever.toml"]


def test_results_on_several_datasets_have_no_mean_reward(tmp_path: Path) -> None:
    path = record(tmp_path / "records", "ada", None)
    document = json.loads(path.read_text("utf-8"))
    for number, result in enumerate(document["evaluation_results"]):
        result["source_data"]["dataset_name"] = f"dataset-{number}"
    path.write_text(json.dumps(document), encoding="utf-8")
    imported("every-eval-ever", path, tmp_path / "into")
    text = (tmp_path / "into" / "mine" / "reported" / "every-eval-ever.toml").read_text("utf-8")
    assert "mean_reward" not in tomllib.loads(text)["rows"][0]["values"]
    (track,) = tomllib.loads((tmp_path / "into" / "mine" / "benchmark.toml").read_text("utf-8"))["tracks"]
    assert track["headline"] in track["columns"]
    assert set(track["columns"]) == tomllib.loads(text)["rows"][0]["values"].keys()
    name = document["evaluation_results"][0]["evaluation_name"]
    imported("every-eval-ever", path, tmp_path / "named", "--result", name)
    text = (tmp_path / "named" / "mine" / "reported" / "every-eval-ever.toml").read_text("utf-8")
    assert tomllib.loads(text)["rows"][0]["values"]["mean_reward"]["value"] == 0.5


def test_a_single_record_is_read_with_its_samples(tmp_path: Path) -> None:
    path = record(tmp_path / "records", "ada", [("1", "first", MEAN, {}), ("2", "first", MEAN, {})])
    record(tmp_path / "records", "bob", [("1", "first", MEAN, {}), ("2", "first", MEAN, {})])
    assert imported("every-eval-ever", path, tmp_path / "into") == []
    assert [len(lines) for lines in rounds(tmp_path / "into").values()] == [2]
    ((code, _),) = refused("every-eval-ever", samples_of(path))
    assert code == "SOURCE-EMPTY"


def later(path: Path, time: str, *, samples: bool = True) -> None:
    """Write a record once more, of another time, with the same samples or without."""
    aggregate = json.loads(path.read_text("utf-8"))
    aggregate["evaluation_timestamp"] = time
    lines = samples_of(path).read_text("utf-8")
    if samples:
        path.with_name("later_samples.jsonl").write_text(lines, encoding="utf-8")
    else:
        del aggregate["detailed_evaluation_results"]
    path.with_name("later.json").write_text(json.dumps(aggregate), encoding="utf-8")


def test_the_later_evaluation_of_a_model_counts_unless_an_option_says_otherwise(tmp_path: Path) -> None:
    path = record(tmp_path / "records", "ada", [("a", "first", MEAN)])
    later(path, "2026-08-01T00:00:00Z")
    assert imported("every-eval-ever", tmp_path / "records", tmp_path / "into") == ["SOURCE-RUN-REPLACED"]
    assert [*rounds(tmp_path / "into")] == ["2026-08-01-ada"]
    imported("every-eval-ever", tmp_path / "records", tmp_path / "first", "--pick", "first")
    assert [*rounds(tmp_path / "first")] == ["2026-07-01-ada"]
    imported("every-eval-ever", tmp_path / "records", tmp_path / "both", "--runs", "attempts")
    (lines,) = rounds(tmp_path / "both").values()
    assert [line["attempt"] for line in lines] == [1, 2]
    later(path, "1782900000")
    change(path.with_name("later.json"), schema_version="0.2.2")
    assert [code for code, _ in refused("every-eval-ever", tmp_path / "records")] == ["SOURCE-RUNS-SEVERAL"]


def test_a_record_without_samples_does_not_replace_one_that_has_them(tmp_path: Path) -> None:
    path = record(tmp_path / "records", "ada", [("a", "first", MEAN)])
    later(path, "2026-08-01T00:00:00Z", samples=False)
    assert imported("every-eval-ever", tmp_path / "records", tmp_path / "into") == ["SOURCE-LEFT-OUT"]
    assert [*rounds(tmp_path / "into")] == ["2026-07-01-ada"]


def test_a_copy_of_a_record_counts_once(tmp_path: Path) -> None:
    path = record(tmp_path / "records", "ada", [("a", "first", MEAN)])
    copy = path.with_name("copy.json")
    copy.write_bytes(path.read_bytes())
    samples_of(copy).write_bytes(samples_of(path).read_bytes())
    assert imported("every-eval-ever", tmp_path / "records", tmp_path / "into", "--runs", "attempts") == []
    assert rewards(tmp_path / "into") == {"2026-07-01-ada": [0.5]}


def test_a_record_that_does_not_say_when_it_ran_has_the_day_it_was_fetched(tmp_path: Path) -> None:
    path = record(tmp_path / "records", "ada", [("a", "first", MEAN)])
    document = json.loads(path.read_text("utf-8"))
    del document["evaluation_timestamp"]
    path.write_text(json.dumps(document), encoding="utf-8")
    assert imported("every-eval-ever", tmp_path / "records", tmp_path / "into") == ["SOURCE-DATE-ASSUMED"]
    assert [*rounds(tmp_path / "into")] == ["2026-07-12-ada"]


def test_records_of_several_benchmarks_need_one_to_be_chosen(tmp_path: Path) -> None:
    for benchmark in ("tidy", "neat"):
        record(tmp_path / "records", "ada", [("a", "first", 0.0)], benchmark)
    ((code, message),) = refused("every-eval-ever", tmp_path / "records")
    assert (code, message) == ("SOURCE-DATASETS-MIXED", "there are records about neat, tidy")


def test_benchmarks_that_are_named_become_parts_of_one(tmp_path: Path) -> None:
    for benchmark in ("tidy", "neat"):
        record(tmp_path / "records", "ada", [(name, "first", MEAN) for name in "abc"], benchmark)
    assert imported("every-eval-ever", tmp_path / "records", tmp_path / "one", "--task", "neat") == []
    assert [*tasks(tmp_path / "one")] == ["a", "b", "c"]
    options = ("--task", "neat", "--task", "tidy")
    assert imported("every-eval-ever", tmp_path / "records", tmp_path / "both", *options) == []
    imported_tasks = tasks(tmp_path / "both")
    assert len(imported_tasks) == 6
    assert (imported_tasks["tidy-a"]["title"], imported_tasks["tidy-a"]["labels"]) == ("tidy a", {"subset": "tidy"})
    unknown = ("import", "every-eval-ever", str(tmp_path / "records"), "--into", str(tmp_path / "no"))
    done = CliRunner().invoke(app, [*unknown, "--benchmark", "mine", "--task", "other"])
    assert isinstance(done.exception, UsageError)
    assert str(done.exception) == "no record is about other; there are records about first, neat, tidy"


def test_samples_can_be_named(tmp_path: Path) -> None:
    record(tmp_path / "records", "ada", [("a", "first", 10.0), ("b", "first", 0.0)])
    assert imported("every-eval-ever", tmp_path / "records", tmp_path / "into", "--task", "b") == []
    assert rewards(tmp_path / "into") == {"2026-07-01-ada": [0]}


def test_records_of_several_parts_of_a_benchmark_are_one_agent(tmp_path: Path) -> None:
    """A converter may write a record for each subject."""
    paths = [record(tmp_path / name, "ada", [("a", "first", MEAN)]) for name in ("one", "two")]
    for path, name in zip(paths, ("law", "art"), strict=True):
        change(path, "evaluation_results", 0, evaluation_name=name)
    assert imported("every-eval-ever", tmp_path, tmp_path / "into") == []
    assert sorted(task["title"] for task in tasks(tmp_path / "into").values()) == ["art a", "law a"]
    assert manifest(tmp_path / "into", "2026-07-01-ada")["claims"]["mean_reward"] == 0.5


def test_a_file_that_is_cut_off_is_to_be_copied_again(tmp_path: Path) -> None:
    path = record(tmp_path / "records", "ada", [("a", "first", MEAN), ("b", "first", MEAN)])
    record(tmp_path / "records", "bob", [("a", "first", MEAN), ("b", "first", MEAN)])
    content = samples_of(path).read_bytes()
    samples_of(path).write_bytes(content[:-9])
    assert [code for code, _ in refused("every-eval-ever", tmp_path / "records")] == ["SOURCE-CUT-OFF"]
    samples_of(path).write_bytes(content)
    path.write_bytes(path.read_bytes()[:-40])
    assert [code for code, _ in refused("every-eval-ever", tmp_path / "records")] == ["SOURCE-CUT-OFF"]


def test_samples_that_the_aggregate_does_not_describe_are_refused_or_left_out(tmp_path: Path) -> None:
    path = record(tmp_path / "records", "ada", [("a", "first", 1.0), ("b", "first", 9.0)])
    content = samples_of(path).read_bytes()
    samples_of(path).write_bytes(content.replace(b'"score": 1.0', b'"score": 2.0'))
    ((code, message),) = refused("every-eval-ever", tmp_path / "records")
    assert (code, message.partition(" of ")[0]) == ("SOURCE-CONTRADICTION", "the sha256")
    record(tmp_path / "records", "bob", [("a", "first", 1.0), ("b", "first", 9.0)])
    assert imported("every-eval-ever", tmp_path / "records", tmp_path / "into") == ["SOURCE-LEFT-OUT"]
    assert [*rounds(tmp_path / "into")] == ["2026-07-01-bob"]
    change(path)
    samples_of(path).write_bytes(content.splitlines(keepends=True)[0])
    assert imported("every-eval-ever", tmp_path / "records", tmp_path / "rows") == ["SOURCE-LEFT-OUT"]
    samples_of(path).write_bytes(content.replace(b"demo/ada", b"demo/eve"))
    assert imported("every-eval-ever", tmp_path / "records", tmp_path / "eve") == ["SOURCE-LEFT-OUT"]


def test_samples_that_are_not_there_leave_a_reported_row(tmp_path: Path) -> None:
    path = record(tmp_path / "records", "ada", [("a", "first", MEAN)])
    samples_of(path).unlink()
    assert imported("every-eval-ever", tmp_path / "records", tmp_path / "into") == ["SOURCE-LEFT-OUT"]
    text = (tmp_path / "into" / "mine" / "reported" / "every-eval-ever.toml").read_text("utf-8")
    assert tomllib.loads(text)["rows"][0]["values"]["mean_reward"]["value"] == 0.5


def test_samples_without_an_aggregate_are_refused_or_left_out(tmp_path: Path) -> None:
    path = record(tmp_path / "records", "ada", [("a", "first", MEAN)])
    record(tmp_path / "records", "bob", [("a", "first", MEAN)])
    path.unlink()
    assert imported("every-eval-ever", tmp_path / "records", tmp_path / "into") == ["SOURCE-LEFT-OUT"]
    (tmp_path / "records" / "data" / "tidy" / "demo" / "bob").rename(tmp_path / "away")
    ((code, message),) = refused("every-eval-ever", tmp_path / "records")
    assert (code, message.startswith("there is no aggregate")) == ("SOURCE-BROKEN", True)


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        ('"score": 10.0', '"score": NaN', "it states no score"),
        ('"score": 10.0', '"score": 12.0', "its score is 12, outside the scale"),
        ('"evaluation_result_id": "first"', '"evaluation_result_id": null', "its line names no result"),
    ],
)
def test_a_line_without_a_verdict_is_aborted_by_name(old: str, new: str, cause: str, tmp_path: Path) -> None:
    path = record(tmp_path / "records", "ada", [("a", "first", 10.0), ("b", "first", 10.0), ("c", "first", 0.0)])
    change(path)
    text = samples_of(path).read_text("utf-8")
    samples_of(path).write_text(text.replace(old, new, 1), encoding="utf-8")
    codes = imported("every-eval-ever", tmp_path / "records", tmp_path / "into")
    assert codes[-1] == "SOURCE-RUN-FAILED"
    (lines,) = rounds(tmp_path / "into").values()
    assert [(line["state"], line.get("cause")) for line in lines] == [
        ("aborted", cause),
        ("scored", None),
        ("scored", None),
    ]
    assert f"a ({cause})" in caveats(tmp_path / "into")


def test_lines_that_are_no_sample_or_of_another_record_are_left_out(tmp_path: Path) -> None:
    lines = [("a", "first", MEAN), ("b", "first", MEAN), ("c", "first", MEAN), ("d", "first", MEAN)]
    path = record(tmp_path / "records", "ada", lines)
    change(path)
    first, second, third, fourth = samples_of(path).read_text("utf-8").splitlines()
    changed = (first, "nothing", third.replace('"c"', "7"), fourth.replace("demo/ada", "demo/eve"))
    samples_of(path).write_text("\n".join(changed) + "\n", encoding="utf-8")
    assert imported("every-eval-ever", tmp_path / "records", tmp_path / "into") == ["SOURCE-LEFT-OUT"]
    assert [line["task"] for line in rounds(tmp_path / "into")["2026-07-01-ada"]] == ["a", "7"]
    assert "lines 2 of" in caveats(tmp_path / "into")
    assert "lines 4 of" in caveats(tmp_path / "into")
    assert second.startswith("{")


def test_two_lines_of_a_try_that_differ_are_no_verdict(tmp_path: Path) -> None:
    numbered = {"metadata": {"epoch": "1"}}
    for name, score, state in (("same", 10.0, "scored"), ("other", 0.0, "aborted")):
        lines = [("a", "first", 10.0, numbered), ("a", "first", score, numbered), ("b", "first", 0.0, numbered)]
        record(tmp_path / name, "ada", lines)
        imported("every-eval-ever", tmp_path / name, tmp_path / f"into-{name}")
        (round_lines,) = rounds(tmp_path / f"into-{name}").values()
        assert [line["state"] for line in round_lines] == [state, "scored"]


def test_what_converters_could_not_read_is_no_score(tmp_path: Path) -> None:
    """They write lines that name no result and state 0."""
    path = record(tmp_path / "records", "ada", [("a", "first", 0.0), ("b", "first", 0.0)])
    change(path)
    text = samples_of(path).read_text("utf-8").replace('"evaluation_result_id": "first", ', "")
    samples_of(path).write_text(text, encoding="utf-8")
    ((code, message),) = refused("every-eval-ever", tmp_path / "records")
    assert code == "SOURCE-UNUSABLE"
    assert "its lines name no result, and all of them state 0" in message


def bounded(path: Path, score: float, **metric: object) -> None:
    """Give the first result of an aggregate another score and another metric."""
    change(path, "evaluation_results", 0, metric_config=metric, score_details={"score": score})


SHARES: Sequence[tuple[str, str, float]] = [("a", "first", 1.0), ("b", "first", 1.0), ("c", "first", 0.0)]


@pytest.mark.parametrize(
    ("score", "metric"),
    [
        (75, {"min_score": 0.0, "max_score": 100.0}),
        (66.67, {"min_score": 0.0, "max_score": 100.0, "metric_unit": "percent"}),
        (66.67, {"metric_unit": "percent"}),
        (66.67, {}),
        (66.67, {"min_score": 0.0, "max_score": 1.0}),
    ],
)
def test_samples_on_another_scale_than_their_aggregate_are_asked_about(
    score: float, metric: Mapping[str, object], tmp_path: Path
) -> None:
    bounded(record(tmp_path / "records", "ada", SHARES), score, **metric)
    ((code, message),) = refused("every-eval-ever", tmp_path / "records")
    assert (code, f"the aggregate states {score:g}" in message) == ("SOURCE-SCALE-UNSTATED", True)
    if score == 66.67:  # the mean of the samples, in percent
        ((code, message),) = refused("every-eval-ever", tmp_path / "records", "--scale", "100")
        assert (code, "makes the mean 0.00666667 of 1" in message) == ("SOURCE-SCALE-UNSTATED", True)
    imported("every-eval-ever", tmp_path / "records", tmp_path / "into", "--scale", "1")
    assert rewards(tmp_path / "into") == {"2026-07-01-ada": [1, 1, 0]}
    assert "scores go from 0 to 1, as `--scale` says" in caveats(tmp_path / "into")


def test_samples_in_percent_of_an_aggregate_in_shares_are_asked_about(tmp_path: Path) -> None:
    path = record(tmp_path / "records", "ada", [("a", "first", 100.0), ("b", "first", 0.0)])
    bounded(path, 0.5, min_score=0.0, max_score=1.0)
    assert [code for code, _ in refused("every-eval-ever", tmp_path / "records")] == ["SOURCE-SCALE-UNSTATED"]
    assert imported("every-eval-ever", tmp_path / "records", tmp_path / "into", "--scale", "100") == []
    assert rewards(tmp_path / "into") == {"2026-07-01-ada": [1, 0]}
    assert manifest(tmp_path / "into", "2026-07-01-ada")["claims"]["mean_reward"] == 0.5


def test_a_low_percentage_that_the_aggregate_confirms_is_one(tmp_path: Path) -> None:
    path = record(tmp_path / "records", "ada", [("a", "first", 1.0), ("b", "first", 0.5)])
    bounded(path, 0.75, min_score=0.0, max_score=100.0)
    assert imported("every-eval-ever", tmp_path / "records", tmp_path / "into") == []
    assert rewards(tmp_path / "into") == {"2026-07-01-ada": [0.01, 0.005]}


def test_scores_without_bounds_are_shares_if_they_can_be(tmp_path: Path) -> None:
    path = record(tmp_path / "records", "ada", SHARES)
    bounded(path, 2 / 3)
    assert imported("every-eval-ever", tmp_path / "records", tmp_path / "into") == []
    assert "first: scores go from 0 to 1, as no bounds are stated" in caveats(tmp_path / "into")
    bounded(path, 0.9)
    assert imported("every-eval-ever", tmp_path / "records", tmp_path / "other") == ["SOURCE-SCORE-DIFFERS"]
    bounded(path, 0.3, lower_is_better=True)
    ((code, message),) = refused("every-eval-ever", tmp_path / "records")
    assert (code, "its scores have no largest value" in message) == ("SOURCE-UNUSABLE", True)


def test_the_first_result_that_can_be_a_reward_counts(tmp_path: Path) -> None:
    lines = [(task, result, score) for task in "ab" for result, score in (("first", 40.0), ("second", 10.0))]
    path = record(tmp_path / "records", "ada", lines)
    bounded(path, 40.0, min_score=0.0, max_score="Infinity", lower_is_better=True)
    imported("every-eval-ever", tmp_path / "records", tmp_path / "into")
    assert rewards(tmp_path / "into") == {"2026-07-01-ada": [1, 1]}
    assert "second is the reward, and first is a measure" in caveats(tmp_path / "into")


def test_levels_are_numbered_and_an_unknown_one_is_no_verdict(tmp_path: Path) -> None:
    path = record(tmp_path / "records", "ada", [(f"{score:g}", "first", score) for score in (0.0, 1.0, 2.0, -1.0)])
    levels = {"score_type": "levels", "level_names": ["bad", "fair", "good"]}
    bounded(path, 1.0, has_unknown_level=True, **levels)
    assert imported("every-eval-ever", tmp_path / "records", tmp_path / "into") == ["SOURCE-RUN-FAILED"]
    (lines,) = rounds(tmp_path / "into").values()
    assert [(line["reward"], line["state"]) for line in lines] == [
        (0, "scored"),
        (0.5, "scored"),
        (1, "scored"),
        (0, "aborted"),
    ]
    bounded(path, 1.0, has_unknown_level=False, **levels)
    assert [code for code, _ in refused("every-eval-ever", tmp_path / "records")] == ["SOURCE-UNUSABLE"]


def test_a_scale_that_does_not_fit_what_is_correct_is_told(tmp_path: Path) -> None:
    """A single score could be of any scale that has room for it; samples that are right or wrong tell which it is."""
    path = record(tmp_path / "records", "ada", [("a", "first", 10.0), ("b", "first", 0.0)])
    for number, (metric, codes) in enumerate(
        (
            ({"max_score": 10}, []),
            ({"max_score": 10, "lower_is_better": True}, ["SOURCE-REWARD-CONTRADICTED"]),
            ({"max_score": 50}, ["SOURCE-REWARD-CONTRADICTED"]),
        )
    ):
        bounded(path, MEAN, min_score=0, **metric)
        actual_codes = imported("every-eval-ever", tmp_path / "records", tmp_path / f"into-{number}")
        assert [code for code in actual_codes if code == "SOURCE-REWARD-CONTRADICTED"] == codes


@pytest.mark.parametrize(
    ("keys", "values", "fact", "expected_values"),
    [
        (("evaluation_results", 0), ({"generation_config": {"additional_details": {"reasoning_effort": '"low"'}}},
                                     {"generation_config": {"additional_details": {"reasoning_effort": "high"}}}),
         "reasoning", ["low", "high"]),
        (("model_info",), ({"additional_details": {"inference_effort": "max"}}, {}), "reasoning", ["max", None]),
        (("model_info",), ({"inference_platform": "one"}, {"inference_platform": "two"}),
         "name", ["ada (one)", "ada (two)"]),
        (("evaluation_results", 0), ({"generation_config": {"generation_args": {"temperature": 0.5}}},
                                     {"generation_config": {"generation_args": {"temperature": 1.0}}}),
         "scaffold", ["temperature 0.5", "temperature 1.0"]),
    ],
)  # fmt: skip
def test_a_model_at_two_settings_is_two_agents(
    keys: Sequence[str | int],
    values: Sequence[Mapping[str, Any]],
    fact: str,
    expected_values: Sequence[str | None],
    tmp_path: Path,
) -> None:
    for name, setting in zip(("one", "two"), values, strict=True):
        change(record(tmp_path / name, "ada", [("a", "first", MEAN)]), *keys, **setting)
    assert imported("every-eval-ever", tmp_path, tmp_path / "into") == []
    agents = [manifest(tmp_path / "into", name)["agent"] for name in rounds(tmp_path / "into")]
    assert {agent.get(fact) for agent in agents} == set(expected_values)


def test_models_of_one_name_are_told_apart_by_their_owners(tmp_path: Path) -> None:
    for owner in ("demo", "acme"):
        path = record(tmp_path / owner, "ada", [("a", "first", MEAN)])
        text = samples_of(path).read_text("utf-8").replace("demo/ada", f"{owner}/ada")
        samples_of(path).write_text(text, encoding="utf-8")
        change(path, "model_info", id=f"{owner}/ada", developer=owner)
    assert imported("every-eval-ever", tmp_path, tmp_path / "into") == []
    names = {manifest(tmp_path / "into", name)["agent"]["name"] for name in rounds(tmp_path / "into")}
    assert names == {"ada (demo)", "ada (acme)"}


def test_a_newer_schema_is_read_and_told_and_an_older_one_is_read(tmp_path: Path) -> None:
    path = record(tmp_path / "records", "ada", [("a", "first", MEAN), ("b", "first", MEAN)])
    change(path, schema_version="0.4.0", some_new_key=[1])
    assert imported("every-eval-ever", tmp_path / "records", tmp_path / "into") == ["SOURCE-VERSION-NEWER"]
    assert "schema 0.4.0; the newest supported version is 0.3" in caveats(tmp_path / "into")
    lines = [json.loads(line) for line in samples_of(path).read_text("utf-8").splitlines()]
    for line in lines:  # as version 0.2 writes them: the file's own name, no ids of results, single texts
        del line["evaluation_result_id"]
        line |= {"evaluation_id": samples_of(path).stem, "evaluation_name": "dataset", "messages": None}
        line |= {"input": {"raw": "Q", "reference": "A"}, "output": {"raw": "A", "reasoning_trace": None}}
    samples_of(path).write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    change(path, schema_version="0.2.1")
    aggregate = json.loads(path.read_text("utf-8"))
    del aggregate["evaluation_results"][0]["evaluation_result_id"]
    path.write_text(json.dumps(aggregate), encoding="utf-8")
    assert imported("every-eval-ever", tmp_path / "records", tmp_path / "old") == []
    assert rewards(tmp_path / "old") == {"2026-07-01-ada": [0.5, 0.5]}


def test_samples_of_the_first_schema_have_no_scores(tmp_path: Path) -> None:
    path = record(tmp_path / "records", "ada", None)
    samples = [{"sample_id": "1", "input": "Q", "ground_truth": "A", "response": "A"}]
    change(path, schema_version="0.1.0", detailed_evaluation_results_per_samples=samples)
    imported("every-eval-ever", tmp_path / "records", tmp_path / "into")
    text = (tmp_path / "into" / "mine" / "reported" / "every-eval-ever.toml").read_text("utf-8")
    assert tomllib.loads(text)["rows"][0]["values"]["mean_reward"]["value"] == 0.5
