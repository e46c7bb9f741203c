"""Small sources in other tools' formats: logs of Inspect, runs of SWE-bench and others."""

import hashlib
import json
import re
import struct
import tomllib
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import zstandard
from typer.testing import CliRunner

from sitegen.cli.main import app
from sitegen.problems import ProblemsError, errors_of

DAY, TIME = "2026-07-01T10:00:00+00:00", "2026-07-01T10-00-00.5"
CALL = {"id": "c1", "function": "bash", "arguments": {"command": "ls"}}
TALK = [
    {"role": "user", "content": "Mend it."},
    {"role": "assistant", "content": [{"type": "text", "text": "I look."}], "tool_calls": [CALL]},
    {"role": "tool", "content": "ledger.txt", "tool_call_id": "c1"},
]
"""A conversation between a model and its tools."""
USAGE = {"input_tokens": 70, "input_tokens_cache_read": 30, "output_tokens": 20, "total_cost": 0.5}


def put(path: Path, value: object) -> Path:
    """Write a JSON file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def put_lines(path: Path, values: Sequence[object]) -> Path:
    """Write a JSON Lines file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values), encoding="utf-8")
    return path


def zipped(path: Path, members: Mapping[str, bytes], method: int = 93) -> Path:
    """Write a zip file with zstd-compressed members, which the standard library does not support yet."""
    body, directory = b"", b""
    for name, data in members.items():
        packed = zstandard.ZstdCompressor().compress(data) if method == 93 else data
        facts = struct.pack("<HHHHHIIIHH", 20, 0, method, 0, 0, zlib.crc32(data), len(packed), len(data), len(name), 0)
        directory += b"PK\1\2" + struct.pack("<H", 20) + facts + struct.pack("<HHHII", 0, 0, 0, 0, len(body))
        directory += name.encode()
        body += b"PK\3\4" + facts + name.encode() + packed
    number = len(members)
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, number, number, len(directory), len(body), 0)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body + directory + end)
    return path


def sample(name: str | int, value: object, epoch: int = 1, **facts: object) -> dict[str, Any]:
    """Return a sample of Inspect."""
    scores = {"first": {"value": value}, "second": {"value": 1}} if value is not None else {}
    defaults = {"id": name, "epoch": epoch, "scores": scores, "model_usage": {"demo/m": USAGE}, "turn_count": 3}
    return {**defaults, "working_time": 2.5, "metadata": {"kind": "bug"}, "messages": TALK, **facts}


def log(model: str, samples: Sequence[Mapping[str, Any]], **facts: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    """Return a log of Inspect."""
    ids = list(dict.fromkeys(sample["id"] for sample in samples))
    spec = {
        "run_id": "r",
        "task": "tidy",
        "task_id": f"id-{model}",
        "task_version": 1,
        "created": DAY,
        "model": f"demo/{model}",
        "dataset": {"samples": len(ids), "sample_ids": ids},
        "config": {"epochs": max(sample["epoch"] for sample in samples)},
        "packages": {"inspect_ai": "0.3.285"},
        "scorers": [{"name": "first"}, {"name": "second"}],
    }
    header = {"version": 2, "status": "success", "eval": spec | facts.pop("eval", {})}
    sound = [sample for sample in samples if not sample.get("error")]
    results = {"total_samples": len(samples), "completed_samples": len(sound)}
    headline = {"scorer": "first", "score": "first", "metric": "accuracy"}
    return header | {"results": results | {"headline": headline, "scores": []}, "samples": list(samples)} | facts


def packed_log(
    path: Path, document: dict[str, Any], method: int = 93, members: Mapping[str, bytes] | None = None
) -> Path:
    """Write a log as an archive, and return its path."""
    samples = document["samples"]
    files = {f"samples/{sample['id']}_epoch_{sample['epoch']}.json": json.dumps(sample).encode() for sample in samples}
    summaries = [{key: sample[key] for key in ("id", "epoch", "scores")} for sample in samples]
    header = {key: value for key, value in document.items() if key != "samples"}
    files |= {"summaries.json": json.dumps(summaries).encode(), "header.json": json.dumps(header).encode()}
    return zipped(path, {**files, **(members or {})}, method)


def instance_report(instance: str, passed: Mapping[str, bool]) -> dict[str, Any]:
    """Return a SWE-bench report; the patch must fix the tests whose names begin with `new`."""
    status = {
        kind: {
            "success": [name for name, ok in passed.items() if ok and name.startswith(start)],
            "failure": [name for name, ok in passed.items() if not ok and name.startswith(start)],
        }
        for kind, start in (("FAIL_TO_PASS", "new"), ("PASS_TO_PASS", "old"))
    }
    return {instance: {"resolved": all(passed.values()), "infra_failure": False, "tests_status": status}}


PASSED, FAILED = {"new a": True, "old b[c(d": True}, {"new a": False, "old b[c(d": True}


def evaluation(root: Path, model: str, ended: Mapping[str, str], run: str = "r1") -> Path:
    """Write a SWE-bench evaluation whose instances are resolved, unresolved, error, empty or absent."""
    names: dict[str, list[str]] = {kind: [] for kind in ("resolved", "unresolved", "error", "empty", "absent")}
    logs = root / "logs" / "run_evaluation" / run
    put(logs / "run.json", {"dataset": "demo", "created_at": DAY})
    for instance, kind in ended.items():
        names[kind].append(instance)
        if kind in {"resolved", "unresolved"}:
            report = instance_report(instance, PASSED if kind == "resolved" else FAILED)
            put(logs / model / instance / "report.json", report)
    lists = {
        "submitted": [name for name, kind in ended.items() if kind != "absent"],
        "completed": [*names["resolved"], *names["unresolved"]],
        "resolved": names["resolved"],
        "unresolved": names["unresolved"],
        "empty_patch": names["empty"],
        "error": names["error"],
    }
    summary: dict[str, object] = {"total_instances": len(ended), "schema_version": 2, "incomplete_ids": names["absent"]}
    for kind, ids in lists.items():
        summary |= {f"{kind}_instances": len(ids), f"{kind}_ids": ids}
    return put(root / f"{model}.{run}.json", summary)


def record(root: Path, model: str, lines: Sequence[tuple[Any, ...]] | None, benchmark: str = "tidy") -> Path:
    """Write a record of Every Eval Ever; each line contains the sample, the result, the score and further keys."""
    name, owner = str(UUID(hashlib.md5(model.encode(), usedforsecurity=False).hexdigest(), version=4)), "demo"
    folder = Path("data") / benchmark / owner / model
    identity = {"evaluation_id": f"{benchmark}/{owner}_{model}/1782900000", "schema_version": "0.3.0"}
    results = [
        {
            "evaluation_result_id": result,
            "evaluation_name": result,
            "source_data": {"dataset_name": benchmark, "source_type": "url", "url": ["https://example.org"]},
            "metric_config": {"lower_is_better": False, "score_type": "continuous", "min_score": 0, "max_score": 10},
            "score_details": {"score": 5.0, "uncertainty": {"num_samples": 2}},
        }
        for result in ("first", "second")
    ]
    document = {
        **identity,
        "evaluation_timestamp": "1782900000",
        "retrieved_timestamp": "1783900000",
        "source_metadata": {"source_type": "evaluation_run", "source_organization_name": "Demo"},
        "eval_library": {"name": "inspect_ai", "version": "0.3.285"},
        "model_info": {"name": model, "id": f"{owner}/{model}", "developer": owner},
        "evaluation_results": results,
    }
    if lines is not None:
        rows = [
            {
                **identity,
                "model_id": f"{owner}/{model}",
                "evaluation_name": result,
                "evaluation_result_id": result,
                "sample_id": task,
                "evaluation": {"score": score, "is_correct": score > 0},
                "messages": TALK,
                "token_usage": {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10},
                **dict(*facts),
            }
            for task, result, score, *facts in lines
        ]
        path = put_lines(root / folder / f"{name}_samples.jsonl", rows)
        document["detailed_evaluation_results"] = {
            "format": "jsonl",
            "file_path": (folder / path.name).as_posix(),
            "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(path.read_bytes()).hexdigest(),
            "total_rows": len(rows),
        }
    return put(root / folder / f"{name}.json", document)


def harness(root: Path, model: str, scores: Mapping[str, Mapping[str, Sequence[float]]], time: str = TIME) -> Path:
    """Write the output of the lm-evaluation-harness, for tasks with lists of values by `METRIC,FILTER`."""
    folder = root / f"demo__{model}"
    means = {
        task: {"alias": task, **{key: sum(values) / len(values) for key, values in values_by_metric.items()}}
        for task, values_by_metric in scores.items()
    }
    for task, task_scores in scores.items():
        filters = dict.fromkeys(key.partition(",")[2] for key in task_scores)
        lines = [
            {"doc_id": number, "filter": name, "metrics": list(filtered_scores), "resps": [["I look."]]}
            | {key: values[number] for key, values in filtered_scores.items()}
            for name in filters
            for filtered_scores in [
                {key.partition(",")[0]: task_scores[key] for key in task_scores if key.endswith(f",{name}")}
            ]
            for number in range(len(next(iter(filtered_scores.values()))))
        ]
        put_lines(folder / f"samples_{task}_{time}.jsonl", lines)
    sizes = {task: len(next(iter(task_values.values()))) for task, task_values in scores.items()}
    return put(
        folder / f"results_{time}.json",
        {
            "results": means,
            "configs": {
                task: {
                    "metric_list": [{"metric": key.partition(",")[0], "aggregation": "mean"} for key in task_metrics]
                }
                for task, task_metrics in scores.items()
            },
            "versions": dict.fromkeys(scores, 1.0),
            "n-shot": dict.fromkeys(scores, 0),
            "n-samples": {task: {"original": size, "effective": size} for task, size in sizes.items()},
            "config": {"model": "hf", "limit": None},
            "model_name": f"demo/{model}",
            "lm_eval_version": "0.4.13",
        },
    )


def imported(form: str, source: Path, into: Path, *arguments: str) -> list[str]:
    """Import a valid source, and return the distinct codes of the warnings."""
    options = ("--into", str(into), "--benchmark", "mine", *arguments)
    done = CliRunner().invoke(app, ["import", form, str(source), *options])
    assert done.exit_code == 0, (done.exception, done.output)
    return sorted(set(re.findall(r": (?:warning|note) ([A-Z-]+):", done.output)) - {"REWARD-FRACTIONAL"})


def refused(form: str, source: Path, *arguments: str) -> list[tuple[str, str]]:
    """Import an invalid source, which must not write anything; return the codes and facts of the errors."""
    into = source.parent / "refused"
    options = ("--into", str(into), "--benchmark", "mine", *arguments)
    done = CliRunner().invoke(app, ["import", form, str(source), *options])
    assert isinstance(done.exception, ProblemsError), (done.exception, done.output)
    assert not into.exists()
    return [(error.code, error.what) for error in errors_of(done.exception.problems)]


def rounds(into: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the records of each bundle, by bundle name."""
    files = sorted(into.glob("mine/submissions/*/rounds.jsonl"))
    return {path.parent.name: [json.loads(line) for line in path.read_text("utf-8").splitlines()] for path in files}


def manifest(into: Path, bundle: str) -> dict[str, Any]:
    """Return the manifest of a bundle."""
    return tomllib.loads((into / "mine" / "submissions" / bundle / "submission.toml").read_text("utf-8"))


def tasks(into: Path) -> dict[str, dict[str, Any]]:
    """Return the tasks by id."""
    lines = (into / "mine" / "tasks" / "main.jsonl").read_text("utf-8").splitlines()
    return {task["id"]: task for task in map(json.loads, lines)}
