"""Results of the lm-evaluation-harness: a task for each document, and what is refused."""

import json
import tomllib
from pathlib import Path

import pytest
from foreign_trees import TIME, harness, imported, manifest, put, refused, rounds, tasks

SCORES = {"tidy": {"exact,strict": [1.0, 0.0], "exact,loose": [1.0, 1.0]}, "neat": {"acc,none": [0.5]}}


def test_a_document_is_a_task_whatever_the_number_of_filters(tmp_path: Path) -> None:
    harness(tmp_path / "out", "ada", SCORES)
    assert imported("lm-eval", tmp_path / "out", tmp_path / "into") == ["SOURCE-SCORE-CHOSEN"]
    (lines,) = rounds(tmp_path / "into").values()
    assert [(line["task"], line["reward"], line.get("measures")) for line in lines] == [
        ("tidy-0", 1, {"exact-loose@lm-eval": 1}),
        ("tidy-1", 0, {"exact-loose@lm-eval": 1}),
        ("neat-0", 0.5, None),
    ]
    assert tasks(tmp_path / "into")["tidy-1"]["title"] == "tidy 1"
    told = manifest(tmp_path / "into", "2026-07-01-ada")
    assert (told["agent"]["organization"], told["provenance"]["harness_version"]) == ("demo", "0.4.13")
    imported("lm-eval", tmp_path / "out", tmp_path / "other", "--metric", "exact,loose")
    (lines,) = rounds(tmp_path / "other").values()
    assert [line["reward"] for line in lines] == [1, 1, 0.5]


def test_the_last_of_several_runs_of_a_task_counts(tmp_path: Path) -> None:
    harness(tmp_path / "out", "ada", SCORES)
    harness(tmp_path / "out", "ada", {"neat": {"acc,none": [1.0]}}, "2026-07-03T08-00-00")
    assert "SOURCE-RUN-REPLACED" in imported("lm-eval", tmp_path / "out", tmp_path / "into")
    (lines,) = rounds(tmp_path / "into").values()
    assert [line["reward"] for line in lines] == [1, 0, 1]
    assert [*rounds(tmp_path / "into")] == ["2026-07-03-ada"]


def test_a_part_of_a_task_is_told(tmp_path: Path) -> None:
    path = harness(tmp_path / "out", "ada", {"tidy": {"acc,none": [1.0]}})
    told = json.loads(path.read_text("utf-8"))
    told["n-samples"]["tidy"]["original"] = 5
    told["model_name"], told["config"] = "", {"model_args": "pretrained=demo/ada,dtype=auto", "limit": 1.0}
    put(path, told)
    assert imported("lm-eval", tmp_path / "out", tmp_path / "into") == ["SOURCE-PART"]
    assert [*rounds(tmp_path / "into")] == ["2026-07-01-ada"]


def test_results_without_documents_are_reported(tmp_path: Path) -> None:
    for path in harness(tmp_path / "out", "ada", SCORES).parent.glob("*.jsonl"):
        path.unlink()
    assert imported("lm-eval", tmp_path / "out", tmp_path / "into") == ["LM-EVAL-NO-DOCUMENTS"]
    text = (tmp_path / "into" / "mine" / "reported" / "lm-eval.toml").read_text("utf-8")
    (row,) = tomllib.loads(text)["rows"]
    assert row["values"] == {"mean_reward": {"value": 0.5, "n": 3}}


def test_runs_under_other_conditions_do_not_compare(tmp_path: Path) -> None:
    harness(tmp_path / "out", "ada", SCORES)
    path = harness(tmp_path / "out", "bob", SCORES)
    put(path, json.loads(path.read_text("utf-8")) | {"n-shot": {"tidy": 5, "neat": 0}})
    assert refused("lm-eval", tmp_path / "out") == [
        ("LM-EVAL-CONDITIONS", "tidy was run as version 1.0, 0-shot, and as version 1.0, 5-shot")
    ]


@pytest.mark.parametrize(
    ("change", "fact"),
    [
        ({"higher_is_better": {"tidy": {"acc": False}}}, "acc,none is better the lower it is"),
        ({"results": {"tidy": {"acc,none": 0.9}}}, "acc,none of tidy is 0.9 in"),
        ({"results": {"tidy": {}}}, "it has no score"),
        (
            {"n-samples": {"tidy": {"original": 3, "effective": 3}}},
            "2 documents under filter none, and the results are of 3",
        ),
        ({"configs": {}}, "there is no results of tidy"),
    ],
)
def test_what_results_and_documents_say_differently_is_refused(
    change: dict[str, object], fact: str, tmp_path: Path
) -> None:
    path = harness(tmp_path / "out", "ada", {"tidy": {"acc,none": [1.0, 0.0]}})
    put(path, json.loads(path.read_text("utf-8")) | change)
    assert any(fact in what for _, what in refused("lm-eval", tmp_path / "out")), refused("lm-eval", tmp_path / "out")


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ('"acc": 1.0', '"acc": [1, 0]', "SOURCE-BROKEN"),
        ('"acc": 1.0', '"acc": 3.0', "SOURCE-UNUSABLE"),
        ('"doc_id": 1', '"doc_id": 0', "SOURCE-BROKEN"),
        ('"doc_id": 1', '"doc": 1', "SOURCE-BROKEN"),
        ("}\n", "\n", "SOURCE-BROKEN"),
    ],
)
def test_documents_that_are_not_whole_or_have_no_reward_are_refused(
    old: str, new: str, code: str, tmp_path: Path
) -> None:
    harness(tmp_path / "out", "ada", {"tidy": {"acc,none": [1.0, 0.0]}})
    path = tmp_path / "out" / "demo__ada" / f"samples_tidy_{TIME}.jsonl"
    path.write_text(path.read_text("utf-8").replace(old, new), encoding="utf-8")
    assert code in [each for each, _ in refused("lm-eval", tmp_path / "out")]


def test_files_that_lack_their_others_are_refused(tmp_path: Path) -> None:
    path = harness(tmp_path / "out", "ada", SCORES)
    (path.parent / f"samples_neat_{TIME}.jsonl").unlink()
    ((_, what),) = refused("lm-eval", tmp_path / "out")
    assert what.startswith("there is no file of the documents of neat")
    path.unlink()
    ((_, what),) = refused("lm-eval", tmp_path / "out")
    assert what.startswith("there are no results beside samples_tidy")


def test_a_document_is_the_same_under_every_filter_and_for_every_model(tmp_path: Path) -> None:
    for model in ("ada", "bob"):
        harness(tmp_path / "out", model, {"tidy": {"acc,none": [1.0, 0.0]}})
        path = tmp_path / "out" / f"demo__{model}" / f"samples_tidy_{TIME}.jsonl"
        text = path.read_text("utf-8")
        for number in (0, 1):
            text = text.replace(f'"doc_id": {number}', f'"doc_id": {number}, "doc_hash": "{number}f"')
        path.write_text(text, encoding="utf-8")
    assert imported("lm-eval", tmp_path / "out", tmp_path / "into") == []
    assert tasks(tmp_path / "into")["tidy-1"]["digest"] == "1f"
    path.write_text(text.replace("0f", "1f"), encoding="utf-8")
    ((code, what),) = refused("lm-eval", tmp_path / "out")
    assert (code, what.partition(",")[0]) == ("SOURCE-BROKEN", "document 0 is another one under another filter")
