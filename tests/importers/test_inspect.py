"""Logs of Inspect: what becomes of samples, and which logs are refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from foreign_trees import USAGE, imported, log, manifest, packed_log, put, refused, rounds, sample, tasks
from typer.testing import CliRunner

from sitegen.cli.main import app
from sitegen.problems import UsageError


def one_log(root: Path, *samples: dict[str, Any], **facts: Any) -> Path:  # noqa: ANN401 - any JSON
    """Write a folder with one log."""
    return put(root / "logs" / "a.json", log("ada", samples, **facts)).parent


@pytest.mark.parametrize(
    ("value", "reward"),
    [("C", 1), ("P", 0.5), ("I", 0), ("N", 0), (True, 1), ("yes", 1), ("No", 0), ("0.25", 0.25), (0.75, 0.75)],
)
def test_letters_words_and_numbers_are_taken_as_inspect_takes_them(
    value: object, reward: float, tmp_path: Path
) -> None:
    imported("inspect", one_log(tmp_path, sample("a", value)), tmp_path / "into")
    ((line,),) = rounds(tmp_path / "into").values()
    assert (line["state"], line["reward"]) == ("scored", reward)


@pytest.mark.parametrize("value", ["maybe", 1.5, -1, [1, 0], "nan"])
def test_a_score_that_is_no_number_from_0_to_1_is_refused(value: object, tmp_path: Path) -> None:
    ((code, what),) = refused("inspect", one_log(tmp_path, sample("a", value)))
    assert code == "SOURCE-UNUSABLE"
    assert "first gave" in what


def test_a_part_of_a_table_can_be_the_score(tmp_path: Path) -> None:
    headline = {"scorer": "first", "score": "tidy", "metric": "mean"}
    results = {"total_samples": 1, "completed_samples": 1, "headline": headline, "scores": []}
    source = one_log(tmp_path, sample("a", {"short": 1, "tidy": 0.4}), results=results)
    imported("inspect", source, tmp_path / "into")
    imported("inspect", source, tmp_path / "other", "--metric", "first,short")
    ((ours,),), ((theirs,),) = (rounds(tmp_path / name).values() for name in ("into", "other"))
    assert (ours["reward"], theirs["reward"]) == (0.4, 1)
    assert ours["measures"] == {"short@inspect": 1, "second@inspect": 1}


def test_what_a_sample_took_is_told(tmp_path: Path) -> None:
    imported("inspect", one_log(tmp_path, sample("a", "C")), tmp_path / "into")
    ((line,),) = rounds(tmp_path / "into").values()
    told = {key: line[key] for key in ("turns", "input_tokens", "output_tokens", "cost_usd", "agent_seconds")}
    assert told == {"turns": 3, "input_tokens": 100, "output_tokens": 20, "cost_usd": 0.5, "agent_seconds": 2.5}


def test_what_came_to_no_verdict_says_why(tmp_path: Path) -> None:
    samples = (
        sample("broke", None, error={"message": "BrokenPipe: gone\nTraceback in /home/ann", "traceback": "x"}),
        sample("void", "C", invalidation={"author": "Ann", "reason": "it leaked"}),
        sample("silent", None),
        sample("long", "C", limit={"type": "message", "limit": 12}),
        sample("mended", "C"),
    )
    samples[-1]["scores"]["first"]["history"] = [{"value": "I"}]
    codes = imported("inspect", one_log(tmp_path, *samples), tmp_path / "into")
    (lines,) = rounds(tmp_path / "into").values()
    told = {line["task"]: (line["state"], line.get("cause")) for line in lines}
    assert told == {
        "broke": ("aborted", "BrokenPipe: gone"),
        "void": ("aborted", "invalidated: it leaked"),
        "silent": ("aborted", "the scorer gave nothing"),
        "long": ("scored", None),
        "mended": ("scored", None),
    }
    assert {"INSPECT-INVALIDATED", "INSPECT-LIMIT", "INSPECT-CORRECTED", "SOURCE-TRIES-FAILED"} <= set(codes)
    assert len(manifest(tmp_path / "into", "2026-07-01-ada")["caveats"]) == 5


def test_a_run_that_stopped_lacks_what_it_did_not_begin(tmp_path: Path) -> None:
    spec = {"dataset": {"sample_ids": ["a", 2]}, "config": {"epochs": 2, "limit": 2}}
    source = one_log(tmp_path, sample("a", "C"), eval=spec, status="cancelled", results=None)
    assert [code for code, _ in refused("inspect", source)] == ["SOURCE-TRIES-MISSING"]
    codes = imported("inspect", source, tmp_path / "into", "--allow-missing")
    assert {"SOURCE-RUN-UNFINISHED", "SOURCE-PART", "SOURCE-TRIES-UNREACHED"} <= set(codes)
    (lines,) = rounds(tmp_path / "into").values()
    assert [line["state"] for line in lines] == ["scored", "unreached", "unreached", "unreached"]


def test_two_ids_that_give_one_slug_are_two_tasks_in_every_import(tmp_path: Path) -> None:
    samples = [sample("Vim/Fix", "C"), sample("vim/fix", "I"), sample("vim-fix", "C"), sample("修复", "C")]
    imported("inspect", one_log(tmp_path / "one", *samples), tmp_path / "into")
    imported("inspect", one_log(tmp_path / "two", *samples[::-1]), tmp_path / "other")
    ours, theirs = (
        {told.get("title", name): name for name, told in tasks(tmp_path / each).items()} for each in ("into", "other")
    )
    assert ours == theirs
    assert len(set(ours.values())) == 4
    assert ours["vim-fix"] == "vim-fix"


def test_a_later_import_finds_the_tasks_by_their_titles(tmp_path: Path) -> None:
    both = [sample("Vim/Fix", "C"), sample("vim/fix", "I")]
    imported("inspect", one_log(tmp_path / "one", *both), tmp_path / "into")
    later = put(tmp_path / "two" / "b.json", log("bob", both[1:])).parent
    assert "MERGE-TASKS-MISSING" in imported("inspect", later, tmp_path / "into")
    (line,) = rounds(tmp_path / "into")["2026-07-01-bob"]
    assert tasks(tmp_path / "into")[line["task"]]["title"] == "vim/fix"


def test_the_later_try_of_a_run_counts_and_two_runs_are_refused(tmp_path: Path) -> None:
    source = one_log(tmp_path, sample("a", "I"))
    later = log("ada", [sample("a", "C")], eval={"created": "2026-07-02T10:00:00+00:00"})
    put(source / "b.json", later)
    assert "SOURCE-RUN-REPLACED" in imported("inspect", source, tmp_path / "into")
    ((line,),) = rounds(tmp_path / "into").values()
    assert line["reward"] == 1
    later["eval"]["task_id"] = "another"
    put(source / "b.json", later)
    ((code, what),) = refused("inspect", source)
    assert code == "SOURCE-RUN-TWICE"
    assert "a.json, b.json" in what


def test_logs_of_several_tasks_need_one_to_be_chosen(tmp_path: Path) -> None:
    source = one_log(tmp_path, sample("a", "C"))
    put(source / "b.json", log("ada", [sample("a", "C")], eval={"task_version": 2}))
    ((code, what),) = refused("inspect", source)
    assert (code, what) == ("INSPECT-TASKS", "there are logs of tidy@1, tidy@2")
    imported("inspect", source, tmp_path / "into", "--task", "tidy@2")
    for words in (("--task", "neat"), ("--metric", "third"), ("--model", "eve")):
        task = () if words[0] == "--task" else ("--task", "tidy@1")
        done = CliRunner().invoke(app, ["import", "inspect", str(source), "--benchmark", "mine", *task, *words])
        assert isinstance(done.exception, UsageError)
        assert words[1] in str(done.exception)


def test_the_day_has_to_be_told(tmp_path: Path) -> None:
    source = one_log(tmp_path, sample("a", "C"), eval={"created": None})
    assert [code for code, _ in refused("inspect", source)] == ["SOURCE-DATE-MISSING"]
    imported("inspect", source, tmp_path / "into", "--date", "2026-07-05")
    assert [*rounds(tmp_path / "into")] == ["2026-07-05-ada"]


def test_a_run_that_names_nobody_needs_a_name(tmp_path: Path) -> None:
    source = one_log(tmp_path, sample("a", "C"), eval={"model": ""})
    assert [code for code, _ in refused("inspect", source)] == ["SOURCE-AGENT-UNKNOWN"]
    imported("inspect", source, tmp_path / "into", "--agent", "Acme-1")
    assert [*rounds(tmp_path / "into")] == ["2026-07-01-acme-1"]


def test_samples_that_contradict_what_else_the_log_says_are_refused(tmp_path: Path) -> None:
    figures = [{"name": "first", "scorer": "first", "metrics": {"accuracy": {"value": 0.5}}}]
    headline = {"scorer": "first", "score": "first", "metric": "accuracy"}
    results = {"total_samples": 2, "completed_samples": 2, "headline": headline, "scores": figures}
    samples = [sample("a", "C"), sample("b", "I")]
    told = log("ada", samples, results=results, stats={"model_usage": {"demo/m": {**USAGE, "total_cost": 3}}})
    source = put(tmp_path / "logs" / "a.json", told).parent
    assert "INSPECT-USAGE" in imported("inspect", source, tmp_path / "into")
    assert manifest(tmp_path / "into", "2026-07-01-ada")["claims"]["mean_reward"] == 0.5
    event = {"event": "score", "scorer": "first", "score": {"value": "C"}}
    for changed, what in (
        ([sample("a", "C"), sample("b", "C")], "accuracy of first is 0.5, and 1.0 over the samples"),
        (samples[:1], "1 samples are here, 1 without an error; the results are of 2 and 2"),
        ([samples[0], sample("c", "I")], "these samples are not in the dataset: c"),
        ([samples[0], samples[0]], "sample a, epoch 1, stands twice"),
        ([samples[0], sample("b", "I", events=[event])], "first of b is I among its scores, and C as given"),
    ):
        put(source / "a.json", told | {"samples": changed})
        assert ("SOURCE-BROKEN", what) in refused("inspect", source)


def test_archives_are_read_member_by_member_and_checked(tmp_path: Path) -> None:
    told = log("ada", [sample("a/b", "C"), sample("c", "I")])
    for method in (93, 0):
        packed_log(tmp_path / f"{method}" / "a.eval", told, method)
        imported("inspect", tmp_path / f"{method}", tmp_path / f"into-{method}")
    assert rounds(tmp_path / "into-93") == rounds(tmp_path / "into-0")
    path = tmp_path / "93" / "a.eval"
    whole = path.read_bytes()
    for data in (whole[:-30], whole[:200] + b"\0\0\0" + whole[203:], b""):
        path.write_bytes(data)
        ((code, what),) = refused("inspect", tmp_path / "93")
        assert code == "FILE-UNREADABLE"
        assert what
    changed = json.dumps([{"id": "a/b", "epoch": 1, "scores": {"first": {"value": "I"}}}]).encode()
    packed_log(path, told, members={"summaries.json": changed})
    facts = [what for _, what in refused("inspect", tmp_path / "93")]
    assert facts == [
        "sample c, epoch 1, is not among the summaries",
        "first of sample a/b is C, and I in the summaries",
    ]


def test_an_archive_that_unpacks_to_too_much_is_refused_before_it_does(tmp_path: Path) -> None:
    path = packed_log(
        tmp_path / "logs" / "a.eval", log("ada", [sample("a", "C")]), members={"bomb": b"\0" * 40_000_000}
    )
    assert imported("inspect", path.parent, tmp_path / "into")  # what is not needed is not unpacked
    packed_log(path, log("ada", [sample("a", "C")]), members={"samples/bomb.json": b" " * 40_000_000})
    ((code, what),) = refused("inspect", path.parent)
    assert (code, what) == ("FILE-TOO-LARGE", "samples/bomb.json in it has 38 MB when it is unpacked")


def test_a_folder_without_logs_says_so(tmp_path: Path) -> None:
    put(tmp_path / "logs" / "other.json", {"eval": 1})
    assert refused("inspect", tmp_path / "logs") == [("SOURCE-EMPTY", "no results of this format were found")]
