"""Records of Every Eval Ever: samples become tries, and what has none becomes a reported row."""

import json
import tomllib
from pathlib import Path

from foreign_trees import imported, manifest, record, refused, rounds, tasks


def test_a_line_of_one_result_is_a_try_and_others_are_measures(tmp_path: Path) -> None:
    lines = [("Fix/1", "first", 10.0), ("Fix/1", "second", 3.0), ("Fix/2", "first", 5.0), ("Fix/2", "second", 4.0)]
    record(tmp_path / "records", "ada", lines)
    assert imported("every-eval-ever", tmp_path / "records", tmp_path / "into") == ["SOURCE-SCORE-CHOSEN"]
    (found,) = rounds(tmp_path / "into").values()
    assert [(line["task"], line["reward"], line["measures"]) for line in found] == [
        ("fix-1", 1, {"second@every-eval-ever": 3.0}),
        ("fix-2", 0.5, {"second@every-eval-ever": 4.0}),
    ]
    assert found[0]["input_tokens"] == 7
    assert manifest(tmp_path / "into", "2026-07-01-ada")["claims"]["mean_reward"] == 0.5
    imported("every-eval-ever", tmp_path / "records", tmp_path / "other", "--result", "second")
    (found,) = rounds(tmp_path / "other").values()
    assert [line["reward"] for line in found] == [0.3, 0.4]


def test_attempts_are_numbered_or_counted(tmp_path: Path) -> None:
    epochs = [
        ("a", "first", score, {"metadata": {"epoch": f"{3 - number}", "kind": "x"}})
        for number, score in ((1, 10.0), (2, 0.0))
    ]
    record(tmp_path / "one", "ada", epochs)
    assert imported("every-eval-ever", tmp_path / "one", tmp_path / "into") == []
    record(tmp_path / "two", "ada", [line[:3] for line in epochs])
    assert imported("every-eval-ever", tmp_path / "two", tmp_path / "other") == ["EEE-EPOCHS"]
    (ours,), (theirs,) = (rounds(tmp_path / name).values() for name in ("into", "other"))
    assert [line["reward"] for line in ours] == [0, 1]
    assert [line["reward"] for line in theirs] == [1, 0]


def test_an_error_has_no_verdict_whatever_its_score(tmp_path: Path) -> None:
    record(tmp_path / "records", "ada", [("a", "first", 10.0, {"error": "Gone: away\nTraceback"})])
    assert imported("every-eval-ever", tmp_path / "records", tmp_path / "into") == ["SOURCE-TRIES-FAILED"]
    ((line,),) = rounds(tmp_path / "into").values()
    assert (line["state"], line["reward"], line["cause"]) == ("aborted", 0, "Gone: away")


def test_labels_are_what_all_lines_of_a_sample_share(tmp_path: Path) -> None:
    lines = [
        (f"{number}", "first", 1.0, {"metadata": {"kind": "xy"[number % 2], "tests_total": "4", "other": f"{number}"}})
        for number in range(6)
    ]
    record(tmp_path / "records", "ada", lines)
    imported("every-eval-ever", tmp_path / "records", tmp_path / "into")
    assert [told["labels"] for told in tasks(tmp_path / "into").values()] == [
        {"kind": "xy"[number % 2]} for number in range(6)
    ]


VALUES = {"first": 5.0, "mean_reward": 0.5, "resolved": 5.0}


def test_a_record_without_samples_is_a_reported_row(tmp_path: Path) -> None:
    path = record(tmp_path / "records", "ada", None)
    told = json.loads(path.read_text("utf-8"))
    told["evaluation_results"][1]["metric_config"]["metric_id"] = "tidy.resolved"
    path.write_text(json.dumps(told), encoding="utf-8")
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
    assert imported("every-eval-ever", tmp_path / "records", tmp_path / "into") == ["EEE-RESULT-LEFT-OUT"]
    names = sorted(each.name for each in (tmp_path / "into" / "mine" / "reported").iterdir())
    assert names == ["every-eval-ever-2.toml", "every-eval-ever.toml"]


def test_the_later_evaluation_of_a_model_counts(tmp_path: Path) -> None:
    path = record(tmp_path / "records", "ada", [("a", "first", 0.0)])
    told = json.loads(path.read_text("utf-8"))
    del told["detailed_evaluation_results"]
    told["evaluation_timestamp"] = "2026-08-01T00:00:00Z"
    path.with_name("later.json").write_text(json.dumps(told), encoding="utf-8")
    assert "SOURCE-RUN-REPLACED" in imported("every-eval-ever", tmp_path / "records", tmp_path / "into")
    assert not rounds(tmp_path / "into")
    told["evaluation_timestamp"] = "1782900000"
    path.with_name("later.json").write_text(json.dumps(told), encoding="utf-8")
    assert [code for code, _ in refused("every-eval-ever", tmp_path / "records")] == ["SOURCE-RUN-TWICE"]


def test_a_record_that_does_not_say_when_it_ran_has_the_day_it_was_fetched(tmp_path: Path) -> None:
    path = record(tmp_path / "records", "ada", [("a", "first", 0.0)])
    told = json.loads(path.read_text("utf-8"))
    del told["evaluation_timestamp"]
    path.write_text(json.dumps(told), encoding="utf-8")
    assert imported("every-eval-ever", tmp_path / "records", tmp_path / "into") == ["EEE-DATE"]
    assert [*rounds(tmp_path / "into")] == ["2026-07-12-ada"]


def test_records_of_several_benchmarks_need_one_to_be_chosen(tmp_path: Path) -> None:
    for benchmark in ("tidy", "neat"):
        record(tmp_path / "records", "ada", [("a", "first", 0.0)], benchmark)
    ((code, what),) = refused("every-eval-ever", tmp_path / "records")
    assert (code, what) == ("EEE-BENCHMARKS", "there are records of neat, tidy")


def test_what_is_not_as_the_aggregate_says_is_refused(tmp_path: Path) -> None:
    path = record(tmp_path / "records", "ada", [("a", "first", 1.0), ("b", "first", 2.0)])
    (samples,) = path.parent.glob("*.jsonl")
    whole, aggregate = samples.read_bytes(), path.read_text("utf-8")
    samples.write_bytes(whole.replace(b'"score": 1.0', b'"score": 2.0'))
    ((code, what),) = refused("every-eval-ever", tmp_path / "records")
    assert code == "SOURCE-BROKEN"
    assert what.startswith("its sha256 is ")
    bare = json.loads(aggregate)
    del bare["detailed_evaluation_results"]["checksum"]
    path.write_text(json.dumps(bare), encoding="utf-8")
    for data, fact in (
        (whole.splitlines(keepends=True)[0], f"it has 1 lines, and {path.name} says 2"),
        (whole[:-9], "the line is no whole JSON"),
        (whole.replace(b"demo/ada", b"demo/eve"), "`model_id` is 'demo/eve', and 'demo/ada'"),
        (
            whole.replace(b'"b"', b'"a"').replace(b'"token', b'"metadata": {"epoch": "1"}, "token'),
            "a, attempt 1, stands",
        ),
        (whole.replace(b'"score": 2.0', b'"score": 12.0'), "the score is on no scale"),
    ):
        samples.write_bytes(data)
        assert any(fact in what for _, what in refused("every-eval-ever", tmp_path / "records")), fact
    samples.unlink()
    ((_, what),) = refused("every-eval-ever", tmp_path / "records")
    assert "which is not beside it" in what
    samples.write_bytes(whole)
    path.unlink()
    ((_, what),) = refused("every-eval-ever", tmp_path / "records")
    assert what.startswith("there is no aggregate")


def test_a_scale_that_does_not_fit_is_refused_or_told(tmp_path: Path) -> None:
    """A single score could be of any scale that has room for it; samples that are right or wrong tell which it is."""
    path = record(tmp_path / "records", "ada", [("a", "first", 10.0), ("b", "first", 0.0)])
    aggregate = json.loads(path.read_text("utf-8"))
    metric = aggregate["evaluation_results"][0]["metric_config"]
    for number, (changes, codes) in enumerate(
        (({}, []), ({"lower_is_better": True}, ["EEE-SCALE"]), ({"max_score": 50}, ["EEE-SCALE"]))
    ):
        aggregate["evaluation_results"][0]["metric_config"] = metric | changes
        path.write_text(json.dumps(aggregate), encoding="utf-8")
        found = imported("every-eval-ever", tmp_path / "records", tmp_path / f"into-{number}")
        assert [code for code in found if code.startswith("EEE")] == codes
    for bounds in ({"max_score": 4}, {"min_score": 10}):
        aggregate["evaluation_results"][0]["metric_config"] = metric | bounds
        path.write_text(json.dumps(aggregate), encoding="utf-8")
        ((code, what),) = refused("every-eval-ever", tmp_path / "records")
        assert (code, what.partition(" on")[0]) == ("SOURCE-BROKEN", "first is 5.0,")
