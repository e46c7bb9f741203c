"""`sitegen export`: rows as others have them, valid by their own schemas."""

import json
import shutil
from functools import cache
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for
from kit.boards import board, bundle, called, row, table
from kit.boards import track as track_of
from kit.built_sites import made_once
from kit.command import done, sitegen
from kit.real_data import schema_of_others
from kit.results_folders import MANIFEST, ROUNDS, Tree

from sitegen.board.every_eval_ever import aggregate_record
from sitegen.models.site import Site
from sitegen.pages.descriptions import row_files

ROOT = Path(__file__).parents[2]


@cache
def validator_of(schema: str) -> Validator:
    loaded = json.loads(schema_of_others(schema).read_text(encoding="utf-8"))
    kind = validator_for(loaded, default=Draft202012Validator)
    kind.check_schema(loaded)
    return kind(loaded, format_checker=FormatChecker())


def faults(document: object, schema: str) -> list[str]:
    return [error.message for error in validator_of(schema).iter_errors(document)]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def everything(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def shipped() -> Path:
    """All results that the project ships, in both forms."""

    def export(into: Path) -> None:
        done("export", "every-eval-ever", ROOT / "results", "--into", into / "eee")
        benchmarks = sorted(path.parent.name for path in (ROOT / "results").glob("*/benchmark.toml"))
        named = chain.from_iterable(("--dataset", f"{name}=org/{name}") for name in benchmarks)
        done("export", "huggingface", ROOT / "results", "--into", into / "hub", *named)

    return made_once("exported", export)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path / "results")


@cache
def scores(results: Path) -> dict[tuple[str, str], dict[str, Any]]:
    submissions = json.loads(done("score", results, "--format", "json"))["submissions"]
    return {
        (f"{submission['benchmark']}.{submission['track']}", submission["id"]): submission
        for submission in submissions
        if submission["status"] == "published"
    }


def test_every_shipped_row_is_valid_as_every_eval_ever_has_it(shipped: Path) -> None:
    aggregates = sorted(shipped.glob("eee/data/*/*/*/*-*.json"))
    assert len(aggregates) == len(scores(ROOT / "results"))
    for path in aggregates:
        document = json.loads(path.read_text(encoding="utf-8"))
        assert faults(document, "every-eval-ever-eval") == [], path
        detailed = document.get("detailed_evaluation_results")
        if detailed:
            samples = shipped / "eee" / detailed["file_path"]
            assert sha256(samples.read_bytes()).hexdigest() == detailed["checksum"]
            sample_lines = lines(samples)
            assert len(sample_lines) == detailed["total_rows"]
            assert {(sample["evaluation_id"], sample["model_id"]) for sample in sample_lines} == {
                (document["evaluation_id"], document["model_info"]["id"])
            }


def test_every_shipped_sample_is_valid(shipped: Path) -> None:
    paths = sorted(shipped.glob("eee/data/*/*/*/*.jsonl"))
    assert paths
    for path in paths:
        assert [
            fault for line in lines(path)[::7] for fault in faults(line, "every-eval-ever-instance_level_eval")
        ] == []


def test_scores_leave_with_full_precision_their_interval_and_bounds_in_one_unit(shipped: Path) -> None:
    scored_rows = scores(ROOT / "results")
    for path in shipped.glob("eee/data/*/*/*/*-*.json"):
        document = json.loads(path.read_text(encoding="utf-8"))
        name, _, row = document["evaluation_id"].partition("/")
        metrics = {key: score for key, score in scored_rows[name, row]["metrics"].items() if score["value"] is not None}
        results_by_metric = {
            result["evaluation_result_id"].rpartition(".")[2]: result for result in document["evaluation_results"]
        }
        assert results_by_metric.keys() == metrics.keys()
        for key, exported_result in results_by_metric.items():
            config, details = exported_result["metric_config"], exported_result["score_details"]
            assert details["score"] == metrics[key]["value"]
            assert float(config["min_score"]) <= details["score"] <= float(config["max_score"])
            interval = details["uncertainty"].get("confidence_interval", {"lower": None, "upper": None})
            assert (interval["lower"], interval["upper"]) == (metrics[key]["low"], metrics[key]["high"])


def test_every_shipped_row_is_valid_as_the_hub_has_it(shipped: Path) -> None:
    results, datasets = sorted(shipped.glob("hub/*/.eval_results/*.yaml")), sorted(shipped.glob("hub/*/eval.yaml"))
    assert results
    assert [path.parent.name for path in datasets] == [
        "evocode-bench",
        "roadmapbench",
        "slop-code-bench",
        "terminal-bench-core",
    ]
    for path in results:
        assert faults(yaml.safe_load(path.read_text(encoding="utf-8")), "huggingface-eval-results") == [], path
    for path in datasets:
        assert faults(yaml.safe_load(path.read_text(encoding="utf-8")), "huggingface-eval-yaml") == [], path


def test_a_line_is_a_round_with_its_reward_on_the_scale_of_its_metric(tree: Tree, tmp_path: Path) -> None:
    done("export", "every-eval-ever", tree.bundle, "--into", tmp_path / "out")
    (path,) = (tmp_path / "out").glob("data/mini/Acme/Acme-1/*.jsonl")
    sample_rows = [(line["sample_id"], line["evaluation"], line["metadata"]["state"]) for line in lines(path)]
    assert sample_rows == [
        ("tidy/round-1", {"score": 100.0, "is_correct": True}, "scored"),
        ("tidy/round-2", {"score": 0.0, "is_correct": False}, "scored"),
        ("wide/round-1", {"score": 0.0, "is_correct": False}, "unreached"),
    ]


def test_a_second_export_changes_no_byte_and_takes_one_bundle_as_well_as_all(tree: Tree, tmp_path: Path) -> None:
    for path in (tree.folder, tree.benchmark, tree.bundle):
        done("export", "every-eval-ever", path, "--into", tmp_path / "out")
        first = everything(tmp_path / "out")
        assert len(first) == 2
    assert everything(tmp_path / "out") == first


def test_what_does_not_stand_or_has_errors_is_not_handed_on(tree: Tree, tmp_path: Path) -> None:
    done("withdraw", f"mini/main/{tree.bundle.name}", "--reason", "x", "--results", tree.folder)
    ended = sitegen("export", "every-eval-ever", tree.folder, "--into", tmp_path / "out")
    assert (ended.returncode, (tmp_path / "out").exists()) == (2, False)
    tree.change(1, reward=7)
    assert sitegen("export", "every-eval-ever", tree.folder, "--into", tmp_path / "out").returncode == 1


def test_the_hub_is_told_the_headline_its_day_as_text_and_the_page_as_source(tree: Tree, tmp_path: Path) -> None:
    (tmp_path / "site_src").mkdir()
    (tmp_path / "templates").mkdir()
    (tmp_path / "mkdocs.yml").write_text("site_name: Boards\nsite_url: https://b.example/x\n", encoding="utf-8")
    out = tmp_path / "out"
    done("export", "huggingface", tree.folder, "--into", out, "--dataset", "acme/mini", folder=tmp_path)
    (hub_result,) = yaml.safe_load((out / "acme-1/.eval_results/mini-main.yaml").read_text(encoding="utf-8"))
    assert hub_result["dataset"] == {"id": "acme/mini", "task_id": "main"}
    assert (hub_result["value"], hub_result["date"]) == (25.0, "2026-06-25")
    assert hub_result["source"] == {"url": f"https://b.example/x/mini/main/{tree.bundle.name}/", "name": "Boards"}


def test_the_hub_needs_a_dataset_that_is_named_or_that_the_homepage_is(tree: Tree, tmp_path: Path) -> None:
    ended = sitegen("export", "huggingface", tree.folder, "--into", tmp_path / "out")
    assert ended.returncode == 2
    assert "--dataset ORG/NAME" in ended.stderr
    tree.define('title = "Mini"', 'title = "Mini"\nhomepage = "https://huggingface.co/datasets/acme/mini"')
    done("export", "huggingface", tree.folder, "--into", tmp_path / "out")
    (hub_result,) = yaml.safe_load((tmp_path / "out/acme-1/.eval_results/mini-main.yaml").read_text(encoding="utf-8"))
    assert hub_result["dataset"]["id"] == "acme/mini"


def eee_of(folder: Path) -> dict[str, Any]:
    (path,) = folder.glob("data/*/*/*/*-*.json")
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    assert faults(document, "every-eval-ever-eval") == []
    return document


@pytest.mark.parametrize("status", ["legacy", "withdrawn"])
def test_a_row_of_a_track_that_ended_says_so(tree: Tree, tmp_path: Path, status: str) -> None:
    ended = f'status = "{status}"\nreason = "Leaked"\nsuperseded_by = "relay"\nprotocol = "chain"'
    tree.define('protocol = "chain"', ended)
    note = f"{status} track: Leaked, superseded by relay"
    run = sitegen("export", "every-eval-ever", tree.folder, "--into", tmp_path / "eee")
    about = eee_of(tmp_path / "eee")["source_metadata"]["additional_details"]
    assert (run.returncode, about["status"]) == (0, note)
    assert f"the record of mini/main/{tree.bundle.name} says: {note}" in run.stderr
    arguments = ("export", "huggingface", tree.folder, "--into", tmp_path / "hub", "--dataset", "acme/mini")
    run = sitegen(*arguments)
    if status == "legacy":
        (result,) = yaml.safe_load((tmp_path / "hub/acme-1/.eval_results/mini-main.yaml").read_text(encoding="utf-8"))
        assert result["notes"].endswith(note)
        return
    assert (run.returncode, (tmp_path / "hub").exists()) == (2, False)
    assert f"mini/main/{tree.bundle.name} is left out: its track is withdrawn" in run.stderr


def test_a_row_of_a_current_track_has_no_status(tree: Tree, tmp_path: Path) -> None:
    done("export", "every-eval-ever", tree.folder, "--into", tmp_path / "out")
    assert "status" not in eee_of(tmp_path / "out")["source_metadata"]["additional_details"]


def test_a_submission_that_does_not_stand_is_left_out_by_name(tree: Tree, tmp_path: Path) -> None:
    tree.add("other", *ROUNDS, manifest=MANIFEST.replace("Acme-1", "Other").replace("2026-06-25", "2026-06-24"))
    done("withdraw", "mini/main/other", "--reason", "x", "--results", tree.folder)
    run = sitegen("export", "every-eval-ever", tree.folder, "--into", tmp_path / "out")
    assert "mini/main/other is left out: it is withdrawn" in run.stderr
    assert run.stdout.startswith("1 row in ")


def test_the_page_of_a_row_on_a_withdrawn_track_offers_nothing_for_the_hub() -> None:
    made = board(bundle("ours", "##"), on=track_of(status="withdrawn", reason="Leaked"))
    on_hub = called("mini", made, homepage="https://huggingface.co/datasets/acme/mini")
    assert [file.title for file in row_files(on_hub, on_hub.entries[0])] == ["Every Eval Ever"]
    current = called("mini", board(bundle("ours", "##")), homepage="https://huggingface.co/datasets/acme/mini")
    assert [file.title for file in row_files(current, current.entries[0])] == ["Every Eval Ever", "Hugging Face"]


@pytest.fixture
def two(tree: Tree) -> Path:
    """A results folder of two benchmarks: mini, and nano."""
    nano = tree.folder / "nano"
    shutil.copytree(tree.benchmark, nano)
    definition = (nano / "benchmark.toml").read_text(encoding="utf-8")
    (nano / "benchmark.toml").write_text(definition.replace('id = "mini"', 'id = "nano"'), encoding="utf-8")
    return tree.folder


@pytest.mark.parametrize(
    ("names", "expected_text"),
    [
        (["acme/mini"], "would be the dataset of 2 benchmarks: mini, nano; write --dataset BENCHMARK=acme/mini"),
        (["mini=acme/mini"], "nano: name the benchmark's dataset on the Hub with --dataset BENCHMARK=ORG/NAME"),
        (["mini=acme/mini", "pico=acme/pico"], "pico is not exported; the exported benchmarks are mini, nano"),
        (["mini=acme/mini", "mini=acme/other"], "names the dataset of mini twice"),
        (["mini=acme"], "--dataset needs ORG/NAME or BENCHMARK=ORG/NAME, as on the Hub, not mini=acme"),
    ],
)
def test_a_dataset_is_that_of_one_benchmark(two: Path, tmp_path: Path, names: list[str], expected_text: str) -> None:
    options = chain.from_iterable(("--dataset", name) for name in names)
    run = sitegen("export", "huggingface", two, "--into", tmp_path / "out", *options)
    assert (run.returncode, (tmp_path / "out").exists()) == (2, False)
    assert expected_text in " ".join(run.stderr.split())


def test_every_benchmark_has_its_own_dataset(two: Path, tmp_path: Path) -> None:
    arguments = ("--dataset", "mini=acme/mini", "--dataset", "nano=acme/nano")
    done("export", "huggingface", two, "--into", tmp_path / "out", *arguments)
    datasets = {}
    for path in tmp_path.glob("out/acme-1/.eval_results/*.yaml"):
        (result,) = yaml.safe_load(path.read_text(encoding="utf-8"))
        datasets[path.stem] = result["dataset"]["id"]
    assert datasets == {"mini-main": "acme/mini", "nano-main": "acme/nano"}


@pytest.mark.parametrize(
    ("submitter", "relationship"),
    [
        ({"organization": "Acme"}, "first_party"),
        ({"organization": "ACME,"}, "first_party"),
        ({"name": "Acme"}, "first_party"),
        ({"name": "Ada", "organization": "Institute of Tests"}, "third_party"),
        ({"organization": "Acme Research"}, "other"),
        ({"name": "Ada"}, "other"),
        (None, "other"),
    ],
)
def test_the_evaluator_is_a_third_party_only_where_it_is_known_to_be_one(
    submitter: dict[str, str] | None, relationship: str
) -> None:
    facts: dict[str, Any] = {"submitter": submitter} if submitter else {}
    made = board(bundle("ours", "##", agent={"name": "ours", "organization": "Acme"}, **facts))
    document: Any = aggregate_record(made, made.entries[0], Site())
    assert document["source_metadata"]["evaluator_relationship"] == relationship


def test_who_evaluated_is_not_known_of_a_published_table_nor_of_an_agent_of_nobody() -> None:
    printed = board(tables=[table(row("theirs", organization="Acme"))])
    nobodys = board(bundle("ours", "##", submitter={"organization": "Acme"}))
    for made in (printed, nobodys):
        document: Any = aggregate_record(made, made.entries[0], Site())
        assert document["source_metadata"]["evaluator_relationship"] == "other"


def test_every_shipped_row_read_back_has_the_same_scores(shipped: Path, tmp_path: Path) -> None:
    about = [(track, bench) for bench, track in {tuple(name.split(".")) for name, _ in scores(ROOT / "results")}]
    assert len(about) == 6
    for track, bench in about:
        arguments = ("--benchmark", bench, "--track", track, "--task", bench, "--into", tmp_path / bench / track)
        done("import", "every-eval-ever", shipped / "eee", *arguments)
        assert differing(ROOT / "results", tmp_path / bench / track, f"{bench}.{track}") == []


@pytest.mark.parametrize("track", ["chain", "fail-stop"])
def test_rows_with_findings_attempts_and_rounds_from_the_reference_come_back(tmp_path: Path, track: str) -> None:
    done("demo", tmp_path / "demo", "--agents", "4", "--tasks", "5", "--attempts", "2")
    done("export", "every-eval-ever", tmp_path / "demo", "--into", tmp_path / "out")
    arguments = ("--benchmark", "demo", "--track", track, "--into", tmp_path / "back")
    done("import", "every-eval-ever", tmp_path / "out", *arguments)
    done("validate", tmp_path / "back")
    assert differing(tmp_path / "demo", tmp_path / "back", f"demo.{track}") == []


def test_a_line_that_was_tampered_with_is_told(tree: Tree, tmp_path: Path) -> None:
    done("export", "every-eval-ever", tree.folder, "--into", tmp_path / "out")
    (path,) = (tmp_path / "out").glob("data/mini/Acme/Acme-1/*.jsonl")
    path.write_text(path.read_text(encoding="utf-8").replace('"score": 0.0', '"score": 100.0', 1), encoding="utf-8")
    ended = sitegen("import", "every-eval-ever", tmp_path / "out", "--benchmark", "mini", "--into", tmp_path / "back")
    assert (ended.returncode, (tmp_path / "back").exists()) == (1, False)
    assert "SOURCE-BROKEN" in ended.stderr


UNTOLD = {"agent_time", "pass_at_3", "pass_at_5", "pass_hat_3", "pass_hat_5"}
"""What the records do not tell: how long runs took, and which metrics of its own Terminal-Bench's board declares."""


def differing(first_folder: Path, second_folder: Path, track: str) -> list[object]:
    """Scores of a track that two results folders have otherwise, by agent."""

    def by_agent(results: Path) -> dict[tuple[str, ...], float]:
        return {
            (
                *map(
                    str, (score_row["agent"]["name"], score_row["agent"]["scaffold"], score_row["agent"]["reasoning"])
                ),
                metric,
            ): score
            for (name, _), score_row in scores(results).items()
            if name == track
            for metric, figure in score_row["metrics"].items()
            if metric not in UNTOLD and (score := figure["value"]) is not None
        }

    first_scores, second_scores = by_agent(first_folder), by_agent(second_folder)
    assert first_scores
    return [
        (key, value, second_scores.get(key))
        for key, value in first_scores.items()
        if second_scores.get(key) != pytest.approx(value, abs=1e-9)
    ]
