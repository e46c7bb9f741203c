"""Logs of Inspect: what becomes of samples, and which logs are refused."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from kit.foreign_sources import (
    USAGE,
    imported,
    log,
    manifest,
    packed_log,
    put,
    refused,
    rounds,
    sample,
    tasks,
)

from sitegen.importers.inspect.logs import read_transcripts


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


@pytest.mark.parametrize("value", ["maybe", None, [], "nan", "inf"])
def test_a_sample_whose_score_is_no_number_has_no_verdict(value: object, tmp_path: Path) -> None:
    odd = sample("b", "C")
    odd["scores"]["first"] = {"value": value, "reason": "grader_failed"}
    imported("inspect", one_log(tmp_path, sample("a", "C"), odd), tmp_path / "into")
    (lines,) = rounds(tmp_path / "into").values()
    assert [(line["state"], line["reward"]) for line in lines] == [("scored", 1), ("aborted", 0)]
    assert "first" in lines[1]["cause"] or "grader_failed" in lines[1]["cause"]


def test_nan_in_a_log_means_not_scored(tmp_path: Path) -> None:
    document = log("ada", [sample("a", "C"), sample("b", math.nan), sample("c", 0.5)])
    put(tmp_path / "json" / "a.json", document)
    packed_log(tmp_path / "eval" / "a.eval", document)
    for kind in ("json", "eval"):
        assert "NaN" in (tmp_path / "json" / "a.json").read_text("utf-8")
        imported("inspect", tmp_path / kind, tmp_path / f"into-{kind}")
    lines, packed = (rounds(tmp_path / f"into-{kind}")["2026-07-01-ada"] for kind in ("json", "eval"))
    assert [line["reward"] for line in lines] == [line["reward"] for line in packed] == [1, 0, 0.5]
    assert lines[1]["cause"] == "the scorer first gave no verdict"


@pytest.mark.parametrize(
    ("value", "code", "expected_message"),
    [(1.5, "SOURCE-SCALE-UNSTATED", "up to 1.5"), (-1, "SOURCE-UNUSABLE", "down to -1")],
)
def test_rewards_on_another_scale_are_asked_about(
    value: float, code: str, expected_message: str, tmp_path: Path
) -> None:
    ((actual_code, message),) = refused("inspect", one_log(tmp_path, sample("a", value)))
    assert actual_code == code
    assert expected_message in message


def test_a_scale_divides_numbers_and_leaves_letters(tmp_path: Path) -> None:
    samples = [sample("a", 80), sample("b", "40"), sample("c", "C"), sample("d", value=True)]
    imported("inspect", one_log(tmp_path, *samples), tmp_path / "into", "--scale", "80")
    (lines,) = rounds(tmp_path / "into").values()
    assert [line["reward"] for line in lines] == [1, 0.5, 1, 1]


@pytest.mark.parametrize(
    ("samples", "expected_message"),
    [
        ([sample("a", None)], "none of its 1 sample has a score"),
        ([sample("a", None, error={"message": "gone"})], "ended with an error, for example: gone"),
        ([sample("a", "C", invalidation={"reason": "leak"})], "were invalidated"),
        ([sample("a", "good"), sample("b", "bad")], "neither numbers nor Inspect"),
        ([sample("a", math.nan)], "gave no verdict on any"),
        ([], "neither samples nor results"),
    ],
)
def test_a_log_in_which_nothing_was_scored_is_refused(
    samples: list[Any], expected_message: str, tmp_path: Path
) -> None:
    document = log("ada", [sample("x", "C")], results=None)
    document["samples"] = samples
    for entry in samples:
        entry["scores"].pop("second", None)
    ((code, message),) = refused("inspect", put(tmp_path / "logs" / "a.json", document).parent)
    assert code == "SOURCE-NOTHING-SCORED"
    assert expected_message in message


def test_a_log_in_which_nothing_was_scored_is_left_out_beside_others(tmp_path: Path) -> None:
    source = one_log(tmp_path, sample("a", "C"))
    put(source / "b.json", log("bob", [sample("a", None)]))
    assert "SOURCE-LEFT-OUT" in imported("inspect", source, tmp_path / "into")
    assert [*rounds(tmp_path / "into")] == ["2026-07-01-ada"]


def test_what_a_sample_took_is_told(tmp_path: Path) -> None:
    imported("inspect", one_log(tmp_path, sample("a", "C")), tmp_path / "into")
    ((line,),) = rounds(tmp_path / "into").values()
    usage = {key: line[key] for key in ("turns", "input_tokens", "output_tokens", "cost_usd", "agent_seconds")}
    assert usage == {"turns": 3, "input_tokens": 100, "output_tokens": 20, "cost_usd": 0.5, "agent_seconds": 2.5}


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
    outcomes = {line["task"]: (line["state"], line.get("cause")) for line in lines}
    assert outcomes == {
        "broke": ("aborted", "BrokenPipe: gone"),
        "void": ("aborted", "invalidated: it leaked"),
        "silent": ("aborted", "the scorer first gave no score"),
        "long": ("scored", None),
        "mended": ("scored", None),
    }
    assert {"INSPECT-INVALIDATED", "SOURCE-FAILURE-SCORED", "SOURCE-SCORE-CHANGED", "SOURCE-RUN-FAILED"} <= set(codes)
    assert len(manifest(tmp_path / "into", "2026-07-01-ada")["caveats"]) == 5


def test_a_sample_that_broke_and_was_scored_counts_with_a_caveat(tmp_path: Path) -> None:
    source = one_log(tmp_path, sample("a", "C", error={"message": "the judge is gone"}), sample("b", "C"))
    assert "SOURCE-FAILURE-SCORED" in imported("inspect", source, tmp_path / "into")
    (lines,) = rounds(tmp_path / "into").values()
    assert [line["reward"] for line in lines] == [1, 1]
    caveats = manifest(tmp_path / "into", "2026-07-01-ada")["caveats"]
    assert any("a (the judge is gone)" in caveat for caveat in caveats)


def test_a_short_commit_and_a_dirty_tree_are_kept(tmp_path: Path) -> None:
    source = one_log(tmp_path, sample("a", "C"), eval={"revision": {"commit": "e3eeb73", "dirty": True}})
    imported("inspect", source, tmp_path / "into")
    stated = manifest(tmp_path / "into", "2026-07-01-ada")
    assert (stated["provenance"]["code_commit"], stated["provenance"]["dirty"]) == ("e3eeb73", True)
    assert any("uncommitted changes" in caveat for caveat in stated["caveats"])


def test_a_run_that_stopped_lacks_what_it_did_not_begin(tmp_path: Path) -> None:
    spec = {"dataset": {"sample_ids": ["a", 2]}, "config": {"epochs": 2, "limit": 2}}
    partial_sample = sample("a", "C")
    del partial_sample["scores"]["second"]
    source = one_log(tmp_path, partial_sample, eval=spec, status="cancelled", results=None)
    assert [code for code, _ in refused("inspect", source)] == ["SOURCE-RUN-MISSING"]
    codes = imported("inspect", source, tmp_path / "into", "--allow-missing")
    assert {"SOURCE-RUN-UNFINISHED", "SOURCE-PART", "SOURCE-RUN-UNREACHED"} <= set(codes)
    (lines,) = rounds(tmp_path / "into").values()
    assert [line["state"] for line in lines] == ["scored", "unreached", "unreached", "unreached"]


def test_two_ids_that_give_one_slug_are_two_tasks_in_every_import(tmp_path: Path) -> None:
    samples = [sample("Vim/Fix", "C"), sample("vim/fix", "I"), sample("vim-fix", "C"), sample("修复", "C")]
    imported("inspect", one_log(tmp_path / "one", *samples), tmp_path / "into")
    imported("inspect", one_log(tmp_path / "two", *samples[::-1]), tmp_path / "other")
    ours, theirs = (
        {task.get("title", name): name for name, task in tasks(tmp_path / folder).items()}
        for folder in ("into", "other")
    )
    assert ours == theirs
    assert len(set(ours.values())) == 4
    assert ours["vim-fix"] == "vim-fix"


def test_a_later_import_finds_the_tasks_by_their_titles(tmp_path: Path) -> None:
    samples = [sample("Vim/Fix", "C"), sample("vim/fix", "I")]
    imported("inspect", one_log(tmp_path / "one", *samples), tmp_path / "into")
    later = put(tmp_path / "two" / "b.json", log("bob", samples[1:])).parent
    assert "MERGE-TASKS-MISSING" in imported("inspect", later, tmp_path / "into")
    (line,) = rounds(tmp_path / "into")["2026-07-01-bob"]
    assert tasks(tmp_path / "into")[line["task"]]["title"] == "vim/fix"


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


def test_records_count_where_the_log_says_something_else_of_them(tmp_path: Path) -> None:
    figures = [{"name": "first", "scorer": "first", "metrics": {"accuracy": {"value": 0.5}}}]
    headline = {"scorer": "first", "score": "first", "metric": "accuracy"}
    results = {"total_samples": 2, "completed_samples": 2, "headline": headline, "scores": figures}
    samples = [sample("a", "C"), sample("b", "I")]
    document = log("ada", samples, results=results, stats={"model_usage": {"demo/m": {**USAGE, "total_cost": 3}}})
    source = put(tmp_path / "logs" / "a.json", document).parent
    assert "SOURCE-SCORE-DIFFERS" in imported("inspect", source, tmp_path / "into")
    assert manifest(tmp_path / "into", "2026-07-01-ada")["claims"]["mean_reward"] == 0.5
    event = {"event": "score", "scorer": "first", "score": {"value": "C"}}
    for number, (changed, code, expected_message) in enumerate(
        (
            ([sample("a", "C"), sample("b", "C")], "SOURCE-SCORE-DIFFERS", "accuracy of first is 0.5"),
            ([*samples, sample("c", "I")], "SOURCE-SCORE-DIFFERS", "not in the log's list of samples: c"),
            ([samples[0], sample("b", "I", events=[event])], "SOURCE-SCORE-CHANGED", "I; the scorer gave C"),
        )
    ):
        put(source / "a.json", document | {"samples": changed})
        into = tmp_path / f"into-{number}"
        assert code in imported("inspect", source, into)
        assert expected_message in " ".join(manifest(into, "2026-07-01-ada")["caveats"])


def test_a_sample_that_is_there_twice_counts_once_or_has_no_verdict(tmp_path: Path) -> None:
    document = log("ada", [sample("a", "C"), sample("b", "C")])
    document["samples"] += [sample("a", "C"), sample("b", "I")]
    imported("inspect", put(tmp_path / "logs" / "a.json", document).parent, tmp_path / "into")
    (lines,) = rounds(tmp_path / "into").values()
    assert [(line["state"], line.get("cause")) for line in lines] == [
        ("scored", None),
        ("aborted", "the log contains this sample twice, with different scores"),
    ]


def test_a_field_of_another_kind_is_left_out_and_a_sample_without_an_id_too(tmp_path: Path) -> None:
    odd = sample("b", "C", turn_count="three", model_usage={"demo/m": {"input_tokens": "many"}})
    document = log("ada", [sample("a", "C"), odd], plan=[1], stats={"started_at": 5})
    document["eval"] |= {"packages": None, "config": {"epochs": 10**9}}
    document["samples"].append({"id": None, "epoch": 1})
    source = put(tmp_path / "logs" / "a.json", document).parent
    assert "SOURCE-VALUE-UNUSABLE" in imported("inspect", source, tmp_path / "into")
    (lines,) = rounds(tmp_path / "into").values()
    assert [line["reward"] for line in lines] == [1, 1]
    assert ("turns" in lines[0], "turns" in lines[1]) == (True, False)
    (caveat,) = [
        caveat for caveat in manifest(tmp_path / "into", "2026-07-01-ada")["caveats"] if "could not be read" in caveat
    ]
    assert "turn_count of sample b" in caveat


def test_a_dataset_of_any_size_is_read(tmp_path: Path) -> None:
    ids = [f"q{number}" for number in range(25_000)]
    spec = {"dataset": {"samples": len(ids), "sample_ids": ids}, "config": {"limit": 1}}
    document = log("ada", [sample("q0", "C")], eval=spec)
    put(tmp_path / "json" / "a.json", document)
    packed_log(tmp_path / "eval" / "a.eval", document)
    for kind in ("json", "eval"):
        ((code, message),) = refused("inspect", tmp_path / kind)
        assert code == "SOURCE-RUN-MISSING"
        assert "24999 of 25000" in message.replace(",", "")


def test_an_edit_of_something_else_is_no_correction_and_a_score_by_hand_is_one(tmp_path: Path) -> None:
    edited, by_hand = sample("a", "C"), sample("b", "C")
    edited["scores"]["first"]["history"] = [{"value": "C"}, {"value": "UNCHANGED", "provenance": {"author": "Ann"}}]
    by_hand["scores"]["first"]["history"] = [{"value": "C", "provenance": {"author": "Ann"}}]
    imported("inspect", one_log(tmp_path, edited, by_hand), tmp_path / "into")
    caveats = manifest(tmp_path / "into", "2026-07-01-ada")["caveats"]
    assert "These scores were corrected by hand: b." in caveats


def test_a_header_that_names_no_task_is_refused(tmp_path: Path) -> None:
    document = log("ada", [sample("a", "C")])
    document["eval"]["task"] = 5
    ((code, message),) = refused("inspect", put(tmp_path / "logs" / "a.json", document).parent)
    assert code == "SOURCE-BROKEN"
    assert "a.json is not a log that Inspect wrote: `eval.task` is 5; give a string, in quotes" in message


def test_archives_are_read_member_by_member_and_checked(tmp_path: Path) -> None:
    document = log("ada", [sample("a/b", "C"), sample("c", "I")])
    for method in (93, 0):
        packed_log(tmp_path / f"{method}" / "a.eval", document, method)
        imported("inspect", tmp_path / f"{method}", tmp_path / f"into-{method}")
    assert rounds(tmp_path / "into-93") == rounds(tmp_path / "into-0")
    path = tmp_path / "93" / "a.eval"
    changed = json.dumps([{"id": "a/b", "epoch": 1, "scores": {"first": {"value": "I"}}}]).encode()
    packed_log(path, document, members={"summaries.json": changed})
    assert "SOURCE-SCORE-DIFFERS" in imported("inspect", tmp_path / "93", tmp_path / "into")
    (caveat,) = [
        caveat for caveat in manifest(tmp_path / "into", "2026-07-01-ada")["caveats"] if "figures that differ" in caveat
    ]
    assert "first of sample a/b is C, but I in the summaries" in caveat


def test_a_log_that_is_cut_off_is_to_be_copied_again(tmp_path: Path) -> None:
    document = log("ada", [sample("a/b", "C"), sample("c", "I")])
    archive = packed_log(tmp_path / "eval" / "a.eval", document)
    text = put(tmp_path / "json" / "a.json", document)
    for path in (archive, text):
        content = path.read_bytes()
        for data in (content[:-30], content[: len(content) * 2 // 3]):
            path.write_bytes(data)
            ((code, message),) = refused("inspect", path.parent)
            assert code == "SOURCE-CUT-OFF"
            assert message
    archive.write_bytes(b"")
    assert [code for code, _ in refused("inspect", archive.parent)] == ["SOURCE-CUT-OFF"]
    archive.write_bytes(b"not an archive at all")
    assert [code for code, _ in refused("inspect", archive.parent)] == ["SOURCE-BROKEN"]


def test_a_member_that_is_damaged_is_the_only_sample_without_a_verdict(tmp_path: Path) -> None:
    path = packed_log(tmp_path / "logs" / "a.eval", log("ada", [sample("a", "C"), sample("b", "C")]), method=0)
    content = path.read_bytes()
    path.write_bytes(content.replace(b'"turn_count": 3', b'"turn_count": 4', 1))
    imported("inspect", path.parent, tmp_path / "into")
    (lines,) = rounds(tmp_path / "into").values()
    assert [line["state"] for line in lines] == ["aborted", "scored"]
    assert "checksum differs" in lines[0]["cause"]
    path.write_bytes(content.replace(b'"status": "success"', b'"status": "succeed"', 1))
    assert [code for code, _ in refused("inspect", path.parent)] == ["SOURCE-BROKEN"]


def test_an_archive_that_unpacks_to_too_much_is_not_unpacked(tmp_path: Path) -> None:
    document = log("ada", [sample("a", "C")])
    path = packed_log(tmp_path / "logs" / "a.eval", document, members={"bomb": b"\0" * 40_000_000})
    assert imported("inspect", path.parent, tmp_path / "into") == []  # what is not needed is not unpacked
    packed_log(path, document, members={"samples/bomb_epoch_1.json": b" " * 40_000_000})
    imported("inspect", path.parent, tmp_path / "again")
    causes = {line["task"]: line.get("cause", "") for line in rounds(tmp_path / "again")["2026-07-01-ada"]}
    assert "is 38 MB when unpacked" in causes["bomb"]


def test_a_log_of_a_newer_format_is_read_with_a_caveat(tmp_path: Path) -> None:
    assert "SOURCE-VERSION-NEWER" in imported("inspect", one_log(tmp_path, sample("a", "C"), version=9), tmp_path / "i")
    assert any("format 9" in caveat for caveat in manifest(tmp_path / "i", "2026-07-01-ada")["caveats"])


def test_logs_of_the_first_releases_have_one_score_without_a_name(tmp_path: Path) -> None:
    document = log("ada", [sample("a", "C"), sample("b", "I")], version=1)
    for entry in document["samples"]:
        entry["score"] = entry.pop("scores")["first"]
    document["results"] = {"scorer": {"name": "match"}, "metrics": {"accuracy": {"value": 0.5}}}
    imported("inspect", put(tmp_path / "logs" / "a.json", document).parent, tmp_path / "into")
    assert manifest(tmp_path / "into", "2026-07-01-ada")["claims"]["mean_reward"] == 0.5
    (lines,) = rounds(tmp_path / "into").values()
    assert [line["reward"] for line in lines] == [1, 0]


def test_an_agent_is_a_model_at_a_setting_from_a_provider(tmp_path: Path) -> None:
    settings: tuple[dict[str, Any], ...] = (
        {"model": "openai/gpt-4o"},
        {"model": "openai/azure/gpt-4o"},
        {"model": "openai/gpt-4o", "model_generate_config": {"reasoning_effort": "high"}},
        {"model": "openai/gpt-4o", "model_generate_config": {"reasoning_tokens": 2048}},
        {"model": "none/none", "solver": "human_cli"},
    )
    for number, spec in enumerate(settings):
        document = log("ada", [sample("a", "C")], eval={"task_id": f"id-{number}", **spec})
        put(tmp_path / "logs" / f"{number}.json", document)
    imported("inspect", tmp_path / "logs", tmp_path / "into")
    agents = [manifest(tmp_path / "into", bundle)["agent"] for bundle in rounds(tmp_path / "into")]
    assert sorted((agent["name"], agent.get("reasoning")) for agent in agents if "gpt" not in agent["name"]) == [
        ("human_cli", None)
    ]
    assert sorted((agent["name"], agent.get("reasoning") or "") for agent in agents if "gpt" in agent["name"]) == [
        ("gpt-4o", "2048 tokens"),
        ("gpt-4o", "high"),
        ("gpt-4o (openai)", ""),
        ("gpt-4o (openai/azure)", ""),
    ]


def test_times_that_cannot_be_are_not_taken(tmp_path: Path) -> None:
    stats = {"started_at": "2026-07-01T12:00:00+00:00", "completed_at": "2026-07-01T11:00:00+00:00"}
    source = one_log(tmp_path, sample("a", "C"), stats=stats, eval={"created": "1970-01-01T00:00:00+00:00"})
    assert [code for code, _ in refused("inspect", source)] == ["SOURCE-DATE-MISSING"]
    imported("inspect", source, tmp_path / "into", "--date", "2026-07-01")
    assert "started" not in manifest(tmp_path / "into", "2026-07-01-ada")["provenance"]


def test_a_folder_without_logs_says_so(tmp_path: Path) -> None:
    put(tmp_path / "logs" / "other.json", {"eval": 1})
    assert refused("inspect", tmp_path / "logs") == [("SOURCE-EMPTY", "no results of this format were found")]


@pytest.mark.parametrize("field", ["messages", "attachments"])
@pytest.mark.parametrize("value", [7, "text", [1], {"a": 1}])
def test_messages_of_another_kind_give_an_empty_transcript(field: str, value: object, tmp_path: Path) -> None:
    odd = sample("a", "C") | {"messages": [{"role": "user", "content": "hello"}], field: value}
    path = put(tmp_path / "logs" / "a.json", log("ada", [odd]))
    ((key, transcript),) = read_transcripts(path, "ada", {("a", 1)})
    assert key == ("a", 1)
    steps = json.loads(transcript)["steps"]
    assert [step["message"] for step in steps] == ([] if field == "messages" else ["hello"])


def test_a_single_log_is_a_source(tmp_path: Path) -> None:
    put(tmp_path / "other.json", log("m2", [sample("a", 1)]))
    path = packed_log(tmp_path / "one.eval", log("m1", [sample("a", 1), sample("b", 0)]))
    imported("inspect", path, tmp_path / "into")
    (name,) = rounds(tmp_path / "into")
    assert name.endswith("m1")
