"""Write records of Every Eval Ever: run with a Python that has every-eval-ever and inspect-ai, `... OUT LM_EVAL`.

The package's converters make records from logs written here with Inspect's mock model, and from results of the
lm-evaluation-harness (LM_EVAL, such as tests/samples/lm_eval/0.4.13/twice); the package's types make records that no
converter writes. The package's own models check everything. The samples in tests/samples/every_eval_ever were written
with every-eval-ever 0.3.0 and inspect-ai 0.3.285.
"""

import hashlib
import json
import re
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias
from uuid import UUID

command = import_module("every_eval_ever.cli")
aggregates = import_module("every_eval_ever.eval_types")
instances = import_module("every_eval_ever.instance_level_types")
inspect_ai = import_module("inspect_ai")
datasets = import_module("inspect_ai.dataset")
models = import_module("inspect_ai.model")
scoring = import_module("inspect_ai.scorer")
solving = import_module("inspect_ai.solver")

Thing: TypeAlias = Any
"""An object of Inspect, whose types are not available where the project is type-checked."""

SCORES = (1.0, 0.0, 1.0, 1.0)

Result = Mapping[str, Any]


def uuid_of(*values: object) -> str:
    """Return a UUID in the form of version 4 that is derived from the given values."""
    digest = bytearray(hashlib.sha256(repr(values).encode()).digest()[:16])
    return str(UUID(bytes=bytes(digest), version=4))


def result_of(name: str, score: float, **metric: object) -> dict[str, Any]:
    """Return a result of an aggregate record."""
    return {
        "evaluation_result_id": name,
        "evaluation_name": "doubles",
        "source_data": {"dataset_name": "doubles", "source_type": "other"},
        "metric_config": {"lower_is_better": False, **metric},
        "score_details": {"score": score, "uncertainty": {"num_samples": len(SCORES)}},
    }


def line_of(sample: str, result: str, score: float, **facts: object) -> dict[str, Any]:
    """Return a line of a samples file."""
    return {
        "evaluation_result_id": result,
        "evaluation_name": "doubles",
        "sample_id": sample,
        "interaction_type": "single_turn",
        "input": {"raw": f"Twice {sample}?", "reference": ["2"]},
        "output": {"raw": ["It is 2."]},
        "answer_attribution": [],
        "evaluation": {"score": score, "is_correct": score > 0},
        **facts,
    }


def write_record(
    folder: Path,
    results: Sequence[Result],
    lines: Sequence[Mapping[str, Any]] = (),
    model: str = "acme/alpha",
    time: int = 1_772_366_400,
    **model_info: object,
) -> None:
    """Write a record with the package's own models, which validate it."""
    developer, _, name = model.partition("/")
    identity = f"doubles/{developer}_{name}/{time}"
    model_folder = Path("data") / "doubles" / developer / name
    record = uuid_of(folder.name, model, time, model_info)
    (folder / model_folder).mkdir(parents=True, exist_ok=True)
    details = {"deployment_type": "unknown", "model_availability": "unknown"}
    about: dict[str, Any] = {
        "schema_version": "0.3.0",
        "evaluation_id": identity,
        "evaluation_timestamp": str(time),
        "retrieved_timestamp": str(time + 60),
        "source_metadata": {
            "source_type": "evaluation_run",
            "source_organization_name": "Demo",
            "evaluator_relationship": "third_party",
        },
        "eval_library": {"name": "demo", "version": "1"},
        "model_info": {
            "name": name,
            "id": model,
            "developer": developer,
            "additional_details": details,
            **model_info,
        },
        "evaluation_results": list(results),
    }
    if lines:
        common = {"schema_version": "0.3.0", "evaluation_id": identity, "model_id": model}
        checked = [
            instances.InstanceLevelEvaluationLog.model_validate({**common, **line})
            for line in lines
        ]
        texts = [json.dumps(line.model_dump(mode="json"), allow_nan=False) for line in checked]
        data = ("\n".join(texts) + "\n").encode()
        path = model_folder / f"{record}_samples.jsonl"
        (folder / path).write_bytes(data)
        about["detailed_evaluation_results"] = {
            "format": "jsonl",
            "file_path": path.as_posix(),
            "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(data).hexdigest(),
            "total_rows": len(lines),
        }
    aggregate = aggregates.EvaluationLog.model_validate(about).model_dump(
        mode="json", exclude_none=True
    )
    (folder / model_folder / f"{record}.json").write_text(
        json.dumps(aggregate, indent=1), encoding="utf-8"
    )


def scored(result: str, scores: Sequence[float] = SCORES, **facts: object) -> list[dict[str, Any]]:
    """Return a samples line for each score."""
    return [
        line_of(str(number), result, score, **facts) for number, score in enumerate(scores, start=1)
    ]


def write_shapes(out: Path) -> None:
    """Write the records that no converter writes."""
    bounds = {"score_type": "continuous", "min_score": 0.0, "max_score": 1.0}
    percent = {
        "score_type": "continuous",
        "min_score": 0.0,
        "max_score": 100.0,
        "metric_unit": "percent",
    }
    write_record(out / "percent", [result_of("acc", 75.0, **percent)], scored("acc"))
    write_record(
        out / "percent-unbounded", [result_of("acc", 75.0, metric_unit="percent")], scored("acc")
    )
    write_record(out / "no-bounds", [result_of("acc", 0.75)], scored("acc"))
    lower = {
        "score_type": "continuous",
        "min_score": 0.0,
        "max_score": 4.0,
        "lower_is_better": True,
    }
    write_record(
        out / "lower", [result_of("edits", 1.5, **lower)], scored("edits", (0.0, 4.0, 1.0, 1.0))
    )
    levels = {
        "score_type": "levels",
        "level_names": ["bad", "fair", "good"],
        "has_unknown_level": True,
    }
    write_record(
        out / "levels", [result_of("grade", 1.0, **levels)], scored("grade", (2.0, 1.0, 0.0, -1.0))
    )
    write_record(out / "aggregate-only", [result_of("acc", 75.0, **percent)])
    unbounded = {
        "score_type": "continuous",
        "min_score": 0.0,
        "max_score": "Infinity",
        "lower_is_better": True,
    }
    results = [result_of("perplexity", 7.5, **unbounded), result_of("acc", 0.75, **bounds)]
    write_record(
        out / "several", results, [*scored("perplexity", (5.0, 10.0, 8.0, 7.0)), *scored("acc")]
    )
    tries = scored("acc", metadata={"epoch": "1"}) + scored(
        "acc", (0.0, 1.0, 1.0, 1.0), metadata={"epoch": "2"}
    )
    write_record(out / "epochs", [result_of("acc", 0.75, **bounds)], tries)
    failed = [
        *scored("acc", SCORES[:3]),
        line_of("4", "acc", 0.0, error="TimeoutError: took too long\nTraceback"),
    ]
    write_record(out / "failed", [result_of("acc", 2 / 3, **bounds)], failed)
    for number, platform in enumerate(("demo-cloud", "other-cloud")):
        platform_folder = out / "platforms"
        lines = scored("acc", SCORES if number else (0.0, 0.0, 0.0, 1.0))
        score = 0.75 if number else 0.25
        write_record(
            platform_folder, [result_of("acc", score, **bounds)], lines, inference_platform=platform
        )
    for number, effort in enumerate(("low", "high")):
        result = result_of("acc", 0.75, **bounds)
        result["generation_config"] = {"additional_details": {"reasoning_effort": effort}}
        write_record(out / "efforts", [result], scored("acc"), time=1_772_366_400 + number)
    for number, lines in enumerate((scored("acc", (0.0, 0.0, 0.0, 1.0)), scored("acc"))):
        score = 0.75 if number else 0.25
        write_record(
            out / "twice",
            [result_of("acc", score, **bounds)],
            lines,
            time=1_772_366_400 + 86_400 * number,
        )
    for model in ("acme/alpha", "demo/alpha"):
        write_record(out / "owners", [result_of("acc", 0.75, **bounds)], scored("acc"), model)


def failing() -> Callable[[Thing, Thing], Awaitable[Thing]]:
    """Return a solver that fails on the third sample."""

    async def solve(state: Thing, generate: Thing) -> Thing:
        if state.sample_id == "double/3":
            message = "the tool went away"
            raise RuntimeError(message)
        return await generate(state)

    return solve


def mock_model(answers: Sequence[str]) -> Thing:
    """Return Inspect's mock model with the given answers."""
    outputs = [models.ModelOutput.from_content("alpha", answer) for answer in answers]
    for output in outputs:
        output.usage = models.ModelUsage(input_tokens=12, output_tokens=3, total_tokens=15)
    return models.get_model("mockllm/alpha", custom_outputs=outputs)


def clean_log(path: Path) -> None:
    """Replace the mock model's provider with one that the converter knows, and remove local folders from a log."""
    text = re.sub(r'("output": \{\s*"model": ")mockllm/', r"\1", path.read_text("utf-8"))
    log = json.loads(text.replace('"mockllm/', '"openai/'))
    for sample in log["samples"]:
        if sample.get("error"):
            sample["error"]["traceback"] = "Traceback"
    path.write_text(json.dumps(log), encoding="utf-8")


def write_inspect(out: Path, scratch: Path) -> None:
    """Write logs with Inspect, and convert them."""
    samples = []
    for number in range(1, 5):
        sample = datasets.Sample(
            id=f"double/{number}", input=f"Twice {number}?", target=f"{2 * number}"
        )
        samples.append(sample)
    dataset = datasets.MemoryDataset(samples, name="doubles")
    answers = ["2", "4", "7", "8"]
    scorers = [scoring.match(), scoring.includes()]
    failing_solver = solving.solver(failing)()
    tasks = {
        "inspect-scorers": inspect_ai.Task(
            dataset=dataset, solver=solving.generate(), scorer=scorers, name="doubles"
        ),
        "inspect-failed": inspect_ai.Task(
            dataset=dataset, solver=failing_solver, scorer=scorers[:1], name="doubles"
        ),
    }
    quiet = {"display": "none", "log_format": "json", "fail_on_error": False}
    for name, task in tasks.items():
        logs = scratch / name
        inspect_ai.eval(task, model=mock_model(answers), log_dir=str(logs), **quiet)
        for path in logs.glob("*.json"):
            clean_log(path)
        command.main(
            [
                "convert",
                "inspect",
                "--log_path",
                str(logs),
                "--output_dir",
                str(out / name / "data"),
            ]
        )


def main() -> None:
    """Write all records to the given folder."""
    out, lm_eval = map(Path, sys.argv[1:])
    write_shapes(out)
    with tempfile.TemporaryDirectory() as scratch:
        write_inspect(out, Path(scratch))
    arguments = [
        "--log_path",
        str(lm_eval),
        "--include_samples",
        "--output_dir",
        str(out / "lm-eval" / "data"),
    ]
    command.main(["convert", "lm_eval", *arguments])


if __name__ == "__main__":
    main()
