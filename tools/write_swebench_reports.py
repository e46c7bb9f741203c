"""Writes samples of SWE-bench reports with the code of common evaluation tools.

    python tools/write_swebench_reports.py tests/samples/swebench

Run it once in an environment of each tool; it writes the samples of the tool that is installed there. The committed
samples were written with Python 3.12 and

    swebench 5.0.2          grading, reporting and run metadata
    swebench 3.0.17         grading and reporting
    swebench 2.1.8          grading and reporting (with modal 0.66.0)
    swebench 2.0.0          the first report of the harness that uses containers
    swebench 1.1.5          reports of the harness before containers
    sb-cli 0.1.5            the naming of report files; the service's answer is invented
    multi-swe-bench 1.1.2   the final report

SWE-bench-Live is not published as a package: `--live FOLDER` names a checkout of its repository (commit 70ec57e was
used). No container runs: the output of each invented test suite is written here and graded by the tool. No model, agent
or patch in the samples exists.
"""

import argparse
import json
import os
import shutil
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

Ending = Literal[
    "passes",
    "fails",
    "breaks",
    "no patch",
    "null patch",
    "conflict",
    "timeout",
    "no memory",
    "absent",
]
"""The outcome of an instance.

The tests pass, fail, or a maintained test breaks; the patch is empty, null or does not apply; the tests take too long;
the machine runs out of memory; or there is no prediction.
"""

FAIL_TO_PASS = ["tests/test_ink.py::test_flow", "tests/test_ink.py::test_blot[log(blue"]
PASS_TO_PASS = ["tests/test_nib.py::test_width", "tests/test_nib.py::test_skipped_here"]
REPOSITORY, VERSION = "psf/requests", "2.27"
"""A repository whose test output every version of the harness can read; the instance ids are invented."""
PATCH = "diff --git a/ink.py b/ink.py\n--- a/ink.py\n+++ b/ink.py\n@@ -1 +1 @@\n-dry\n+wet\n"


@dataclass(frozen=True)
class Evaluation:
    """One run of the harness: a model's predictions and their outcomes."""

    model: str
    run_id: str
    endings: Mapping[str, Ending]
    """The outcomes by instance, for instances in the dataset."""
    time: str = "2026-09-02 10:00:00"
    unselected: Sequence[str] = ()
    """Instances with a prediction that were not selected with `--instance_ids`."""

    def predictions(self) -> dict[str, dict[str, Any]]:
        """Return the predictions in the form that the harness uses."""
        prediction_by_instance: dict[str, dict[str, Any]] = {}
        for instance in (*self.endings, *self.unselected):
            ending = self.endings.get(instance, "passes")
            if ending == "absent":
                continue
            patch: str | None = PATCH
            if ending in {"no patch", "null patch"}:
                patch = "" if ending == "no patch" else None
            prediction_by_instance[instance] = {
                "instance_id": instance,
                "model_name_or_path": self.model,
                "model_patch": patch,
            }
        return prediction_by_instance

    def dataset(self) -> list[dict[str, Any]]:
        """Return the instances of the dataset."""
        return [instance_of(name) for name in self.endings]

    @property
    def logs(self) -> Path:
        """The folder with the logs of its instances, below the folder of the run."""
        root = (
            "run_instance_logs" if harness_version() < _FIRST_REPORTING else "logs/run_evaluation"
        )
        return Path(root) / self.run_id / self.model.replace("/", "__")


def instance_of(name: str) -> dict[str, Any]:
    """Return an instance of a dataset."""
    return {
        "instance_id": name,
        "repo": REPOSITORY,
        "version": VERSION,
        "base_commit": "0" * 40,
        "patch": PATCH,
        "test_patch": PATCH,
        "problem_statement": "",
        "hints_text": "",
        "FAIL_TO_PASS": json.dumps(FAIL_TO_PASS),
        "PASS_TO_PASS": json.dumps(PASS_TO_PASS),
    }


def test_output(ending: Ending) -> str:
    """Return the output of an invented test suite."""
    statuses = dict.fromkeys([*FAIL_TO_PASS, *PASS_TO_PASS], "PASSED")
    if ending == "fails":
        statuses[FAIL_TO_PASS[0]] = "FAILED"
    if ending == "breaks":
        statuses[PASS_TO_PASS[0]] = "FAILED"
    lines = [f"{status} {test}" for test, status in statuses.items()]
    if ending == "no memory":
        lines = ["fork: Cannot allocate memory"]
    started, ended = ">>>>> Start Test Output", ">>>>> End Test Output"
    # Harnesses before version 3 look for the statement about the patch in the same file.
    return "\n".join([">>>>> Applied Patch (pred)", started, *lines, ended, ""])


def harness_version() -> tuple[int, ...]:
    """Return the version of swebench in this environment."""
    return tuple(int(component) for component in version("swebench").split(".")[:3])


_FIRST_REPORTING = (2, 1)
"""The first version in which a separate module writes the report of a run."""
_SPEC_FOLDER = (3,)
"""The first version with a package for test specifications, in which folder names do not identify repositories."""
_DATASET_IMAGES = (5,)
"""The first version in which the dataset names images and parsers, and the report's folder can be chosen."""


def test_spec_of(name: str) -> Any:  # noqa: ANN401 - a class of the tool
    """Return the tool's specification of an instance's tests, without the scripts for containers."""
    facts: dict[str, Any] = {
        "instance_id": name,
        "repo": REPOSITORY,
        "version": VERSION,
        "eval_script_list": [],
        "FAIL_TO_PASS": FAIL_TO_PASS,
        "PASS_TO_PASS": PASS_TO_PASS,
    }
    if harness_version() >= _DATASET_IMAGES:
        facts |= {"image": "none", "log_parser": "parse_log_pytest", "eval_type": "pass_and_fail"}
        return import_module("swebench.types").TestSpec(**facts)
    facts |= {"repo_script_list": [], "env_script_list": [], "arch": "x86_64"}
    if harness_version() >= _SPEC_FOLDER:
        facts |= {"language": "py", "docker_specs": {}, "namespace": "none"}
        return import_module("swebench.harness.test_spec.test_spec").TestSpec(**facts)
    return import_module("swebench.harness.test_spec").TestSpec(**facts)


_WITH_TESTS = (True,)
"""The last argument of the tool's grading, which makes the report list the tests."""


def grade(evaluation: Evaluation) -> None:
    """Write the logs and reports of a run's instances, as graded by the tool."""
    grading = import_module("swebench.harness.grading")
    # Version 2.0.0 uses another name for this function.
    report_of = getattr(grading, "get_pred_report", None) or grading.get_eval_report
    predictions = evaluation.predictions()
    for name, ending in evaluation.endings.items():
        if ending in {"absent", "no patch", "null patch"}:
            continue
        # Before version 3, the harness identifies the repository by the folder's name.
        folder = evaluation.logs / name
        folder.mkdir(parents=True)
        log = [f"{evaluation.time},000 - INFO - Container for {name} started: 0a1b2c"]
        if ending == "conflict":
            log += [">>>>> Patch Apply Failed:", "error: patch failed: ink.py:1"]
        output = folder / "test_output.txt"
        if ending == "timeout":
            log += [f"{evaluation.time},900 - INFO - Test timed out after 60 seconds."]
            output.write_text("\n\nTimeout error: 60 seconds exceeded.")
        (folder / "run_instance.log").write_text("\n".join(log) + "\n")
        if ending in {"conflict", "timeout"}:
            continue
        output.write_text(test_output(ending))
        report = report_of(
            test_spec_of(name), predictions[name], graded_log(output, name), *_WITH_TESTS
        )
        (folder / "report.json").write_text(json.dumps(report, indent=4))


def graded_log(output: Path, name: str) -> str:
    """Return a path of a test output in a folder with the name that harnesses before version 3 need."""
    if harness_version() >= _SPEC_FOLDER:
        return str(output)
    scratch = Path("scratch") / f"{REPOSITORY.replace('/', '__')}-{name.rpartition('-')[2]}"
    scratch.mkdir(parents=True, exist_ok=True)
    shutil.copy(output, scratch / output.name)
    return str(scratch / output.name)


class NoContainers:
    """A replacement for the client of a container engine, without images and containers."""

    def __init__(self) -> None:
        """Provide empty lists of images and containers."""
        self.images = self
        self.containers = self

    def list(self, **_: object) -> list[str]:
        """Return no images and no containers."""
        return []


def summarise(evaluation: Evaluation, folder: str = ".") -> Path:
    """Write the report of a run with the tool, and return the report's path."""
    predictions, dataset, run_id = evaluation.predictions(), evaluation.dataset(), evaluation.run_id
    if harness_version() < _FIRST_REPORTING:
        evaluate = import_module("swebench.harness.run_evaluation")
        predicted = [instance for instance in dataset if instance["instance_id"] in predictions]
        evaluate.make_run_report(predictions, predicted, NoContainers(), run_id)
    else:
        reporting = import_module("swebench.harness.reporting")
        extra_arguments = {"report_dir": folder} if harness_version() >= _DATASET_IMAGES else {}
        reporting.make_run_report(predictions, dataset, run_id, NoContainers(), **extra_arguments)
    return Path(folder) / f"{evaluation.model.replace('/', '__')}.{run_id}.json"


def write_metadata(evaluation: Evaluation, dataset: str, time: str) -> None:
    """Write the metadata of a run with the tool, with an invented time."""
    run = import_module("swebench.harness.run_evaluation")
    path = run.write_run_metadata(evaluation.run_id, dataset, "test", None)
    facts = json.loads(path.read_text())
    path.write_text(json.dumps(facts | {"created_at": time}, indent=2) + "\n")


def write_lines(path: Path, values: Sequence[object]) -> None:
    """Write JSON Lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values))


def tidy() -> None:
    """Remove files that no importer reads: test output and scratch files."""
    shutil.rmtree("scratch", ignore_errors=True)
    for path in Path().rglob("test_output.txt"):
        path.unlink()


@contextmanager
def case(name: str, out: Path) -> Iterator[None]:
    """Work inside the folder of a sample, which is recreated."""
    folder, before = out / name, Path.cwd()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.chdir(folder)
    try:
        yield
        tidy()
    finally:
        os.chdir(before)


def ids(*numbers: int) -> list[str]:
    """Return invented instance ids of two repositories, for numbers from 101 and from 201."""
    repositories = {1: "quill__inkpot", 2: "reed__rule"}
    return [f"{repositories[number // 100]}-{number}" for number in numbers]


def endings(*pairs: tuple[int, Ending]) -> dict[str, Ending]:
    """Return the outcomes of instances, given by their numbers."""
    return {ids(number)[0]: ending for number, ending in pairs}


ALL_KINDS = endings(
    (101, "passes"),
    (102, "fails"),
    (103, "breaks"),
    (104, "no patch"),
    (201, "null patch"),
    (202, "conflict"),
    (203, "timeout"),
    (204, "no memory"),
)
"""One instance for each outcome that has a prediction."""
THREE = endings((101, "passes"), (102, "passes"), (103, "fails"))


def write_newest(out: Path) -> None:
    """Write the samples of the newest harness."""
    samples: dict[str, Callable[[], None]] = {
        "all-kinds": write_all_kinds,
        "part-evaluated": write_part_evaluated,
        "no-prediction": write_no_prediction,
        "empty-and-cut-reports": write_empty_and_cut_reports,
        "reports-lost-later": write_reports_lost_later,
        "graded-again-later": write_graded_again_later,
        "three-runs": write_three_runs,
        "rerun-fills-errors": write_rerun,
        "summary-alone": write_summary_alone,
        "logs-alone": write_logs_alone,
        "gold": write_gold,
        "two-datasets": write_two_datasets,
        "two-models-in-one-file": write_mixed_models,
        "nothing-evaluated": write_nothing_evaluated,
        "byte-order-mark-and-nan": write_byte_order_mark,
        "multimodal": write_multimodal,
        "leaderboard": write_submissions,
    }
    for name, write in samples.items():
        with case(name, out):
            write()


def evaluate(
    kinds: Mapping[str, Ending] | None = None, model: str = "tin/kettle-1", run_id: str = "full"
) -> Evaluation:
    """Grade a run, write its summary, and return the run."""
    evaluation = Evaluation(model, run_id, kinds or THREE)
    grade(evaluation)
    summarise(evaluation)
    return evaluation


def write_all_kinds() -> None:
    """Write two models with every outcome, predictions, metadata, and reports in a separate folder."""
    first = Evaluation("tin/kettle-1", "full", ALL_KINDS)
    changes: dict[str, Ending] = {ids(101)[0]: "fails", ids(202)[0]: "passes"}
    second = Evaluation("Dune 2 (b+c)", "full", {**ALL_KINDS, **changes})
    for evaluation in (first, second):
        grade(evaluation)
        summarise(evaluation, "reports")
        name = evaluation.model.rpartition("/")[2].replace(" ", "-")
        write_lines(Path("predictions") / f"{name}.jsonl", list(evaluation.predictions().values()))
    write_metadata(first, "SWE-bench/SWE-bench_Verified", "2026-09-02T09:59:00+00:00")


def write_part_evaluated() -> None:
    """Evaluate two of six predictions, as with `--instance_ids`."""
    selected = endings((101, "passes"), (102, "fails"))
    evaluation = Evaluation("tin/kettle-1", "part", selected, unselected=ids(103, 104, 201, 202))
    grade(evaluation)
    summarise(evaluation)


def write_no_prediction() -> None:
    """Evaluate a dataset in which one instance has no prediction."""
    evaluate({**THREE, ids(104)[0]: "absent"}, run_id="gaps")


def write_empty_and_cut_reports() -> None:
    """Write a summary of reports, one of which is empty and one cut off."""
    evaluation = Evaluation("tin/kettle-1", "full", {**THREE, ids(201)[0]: "passes"})
    grade(evaluation)
    (evaluation.logs / ids(101)[0] / "report.json").write_text("")
    cut_off(evaluation.logs / ids(102)[0] / "report.json")
    summarise(evaluation)


def write_reports_lost_later() -> None:
    """Remove one report and cut another one off after the summary is written."""
    evaluation = evaluate({**THREE, ids(201)[0]: "passes"})
    (evaluation.logs / ids(101)[0] / "report.json").unlink()
    cut_off(evaluation.logs / ids(103)[0] / "report.json")


def cut_off(path: Path) -> None:
    """Keep only the beginning of a file."""
    path.write_text(path.read_text()[:150])


def write_graded_again_later() -> None:
    """Grade the instances again after the summary is written, with a new verdict for one of them."""
    evaluate()
    shutil.rmtree("logs")
    grade(Evaluation("tin/kettle-1", "full", {**THREE, ids(102)[0]: "fails"}))


def write_three_runs() -> None:
    """Evaluate three runs of one model on the same instances."""
    for number in (2, 10, 1):
        last: Ending = "passes" if number == 2 else "fails"  # noqa: PLR2004 - the second run
        evaluation = evaluate({**THREE, ids(103)[0]: last}, run_id=f"r{number}")
        write_metadata(
            evaluation, "SWE-bench/SWE-bench_Lite", f"2026-09-{number:02}T08:00:00+00:00"
        )


def write_rerun() -> None:
    """Evaluate an instance without a verdict again, under another run id."""
    first = evaluate({**THREE, ids(201)[0]: "timeout"}, run_id="first")
    write_metadata(first, "SWE-bench/SWE-bench_Lite", "2026-09-03T08:00:00+00:00")
    second = evaluate(endings((201, "passes")), run_id="second")
    write_metadata(second, "SWE-bench/SWE-bench_Lite", "2026-09-04T08:00:00+00:00")


def write_summary_alone() -> None:
    """Keep only the summary of a run whose model and run id contain dots."""
    evaluate(ALL_KINDS, "tin/kettle-1.5", "v2.run")
    shutil.rmtree("logs")


def write_logs_alone() -> None:
    """Write logs and predictions without a summary."""
    evaluation = Evaluation("tin/kettle-1", "full", ALL_KINDS)
    grade(evaluation)
    write_lines(Path("preds.jsonl"), list(evaluation.predictions().values()))


def write_gold() -> None:
    """Evaluate the dataset's own patches, for which the harness uses the model name `gold`."""
    evaluate(model="gold", run_id="validate")


def write_two_datasets() -> None:
    """Evaluate one model on two datasets that share some instances."""
    for run_id, name, number in (("l", "Lite", 201), ("v", "Verified", 202)):
        evaluation = evaluate({**THREE, ids(number)[0]: "passes"}, run_id=run_id)
        write_metadata(evaluation, f"SWE-bench/SWE-bench_{name}", "2026-09-02T09:59:00+00:00")


def write_nothing_evaluated() -> None:
    """Evaluate while the container engine is not running."""
    evaluation = Evaluation("tin/kettle-1", "full", dict.fromkeys(THREE, "timeout"))
    grade(evaluation)
    for log in Path().rglob("run_instance.log"):
        log.write_text(f"{evaluation.time},000 - ERROR - Cannot connect to the Docker daemon\n")
    summarise(evaluation)


def write_byte_order_mark() -> None:
    """Save a summary as an editor on Windows would, and write NaN to a report."""
    evaluation = Evaluation("tin/kettle-1", "full", THREE)
    grade(evaluation)
    summary = summarise(evaluation)
    summary.write_bytes(b"\xef\xbb\xbf" + summary.read_bytes().replace(b"\n", b"\r\n"))
    report = evaluation.logs / ids(101)[0] / "report.json"
    facts = json.loads(report.read_text())
    facts[ids(101)[0]]["seconds"] = float("nan")
    report.write_text(json.dumps(facts, indent=4))


def write_multimodal() -> None:
    """Evaluate instances whose runner prints only failures; two suites run, and one browser does not start."""
    grading = import_module("swebench.harness.grading")
    spec_class = import_module("swebench.types").TestSpec
    evaluation = Evaluation(
        "tin/kettle-1", "mm", endings((101, "passes"), (102, "fails"), (103, "breaks"))
    )
    printed = (
        "5 specs, 0 failures",
        "1) nib should write\n5 specs, 1 failure",
        "Failed to launch the browser",
    )
    spec_arguments = (
        "markedjs/marked",
        "1.0",
        ["nib should write"],
        ["ink should dry"],
        "parse_log_marked",
        "fail_only",
    )
    for (name, prediction), text in zip(evaluation.predictions().items(), printed, strict=True):
        folder = evaluation.logs / name
        folder.mkdir(parents=True)
        (folder / "run_instance.log").write_text(
            f"{evaluation.time},000 - INFO - Creating container\n"
        )
        output = folder / "test_output.txt"
        output.write_text(f">>>>> Start Test Output\n{text}\n>>>>> End Test Output\n")
        spec = spec_class(name, "none", [], *spec_arguments)
        report = grading.get_eval_report(spec, prediction, str(output), *_WITH_TESTS)
        (folder / "report.json").write_text(json.dumps(report, indent=4))
    summarise(evaluation)


def write_submissions() -> None:
    """Write submissions in the layout of the leaderboard's repository, with logs graded by the newest harness."""
    write_submission(Path("evaluation/verified/20260921_ember"), ALL_KINDS)
    bare = Path("evaluation/verified/20260922_flint")
    write_submission(bare, {**ALL_KINDS, ids(102)[0]: "passes"})
    shutil.rmtree(bare / "logs")
    (bare / "all_preds.jsonl").unlink()
    details = Path("evaluation/bash-only/20260923_slate")
    details.mkdir(parents=True)
    rows = {}
    for name, kind in ALL_KINDS.items():
        rows[name] = {"cost": 0.25, "api_calls": 12, "resolved": kind == "passes"}
    (details / "per_instance_details.json").write_text(json.dumps(rows, indent=2))
    (details / "metadata.yaml").write_text(METADATA.format(name="Slate", model="slate-9b"))


METADATA = """\
info:
  name: {name} (made for testing)
  site: https://example.org
tags:
  checked: false
  model: {model}
  org: Made For Testing
  os_model: true
  system:
    attempts: '1'
"""


def write_submission(folder: Path, kinds: Mapping[str, Ending]) -> None:
    """Write a submission with logs, predictions and results."""
    evaluation = Evaluation(folder.name, "submitted", kinds)
    grade(evaluation)
    results: dict[str, list[str]] = {"no_generation": [], "no_logs": [], "resolved": []}
    repositories: dict[str, dict[str, int]] = {}
    for name, kind in kinds.items():
        counts = repositories.setdefault(
            name.rpartition("-")[0].replace("__", "/"), {"resolved": 0, "total": 0}
        )
        counts["total"] += 1
        if kind == "passes":
            counts["resolved"] += 1
            results["resolved"].append(name)
        elif kind in {"no patch", "null patch"}:
            results["no_generation"].append(name)
        elif kind in {"conflict", "timeout"}:
            results["no_logs"].append(name)
            shutil.rmtree(evaluation.logs / name)
    (folder / "results").mkdir(parents=True)
    (folder / "results/results.json").write_text(json.dumps(results, indent=4))
    (folder / "results/resolved_by_repo.json").write_text(json.dumps(repositories, indent=4))
    write_lines(folder / "all_preds.jsonl", list(evaluation.predictions().values()))
    name = folder.name.partition("_")[2].title()
    (folder / "metadata.yaml").write_text(METADATA.format(name=name, model=f"{name.lower()}-9b"))
    evaluation.logs.rename(folder / "logs")
    shutil.rmtree("logs")


def write_mixed_models() -> None:
    """Evaluate a file with predictions of two models; the harness writes one summary, named after the first model."""
    reporting = import_module("swebench.harness.reporting")
    first = Evaluation("tin/kettle-1", "mix", endings((101, "passes"), (102, "fails")))
    second = Evaluation("tin/kettle-2", "mix", endings((201, "passes"), (202, "passes")))
    grade(first)
    grade(second)
    predictions = first.predictions() | second.predictions()
    reporting.make_run_report(predictions, first.dataset() + second.dataset(), "mix", None, ".")
    repeated = [*predictions.values(), first.predictions()[ids(101)[0]]]
    write_lines(Path("preds.jsonl"), repeated)


def write_third(out: Path) -> None:
    """Write the samples of the harness from 2025."""
    with case("harness-3", out):
        evaluation = Evaluation("tin/kettle-1", "full", ALL_KINDS)
        grade(evaluation)
        summarise(evaluation)


def write_second(out: Path) -> None:
    """Write the samples of the harness from 2024."""
    name = "harness-2" if harness_version() >= (2, 1) else "harness-2-first-report"
    with case(name, out):
        evaluation = Evaluation("tin/kettle-1", "full", ALL_KINDS)
        grade(evaluation)
        summarise(evaluation)


def write_before_containers(out: Path) -> None:
    """Write a submission in the form used by the leaderboard's repository before the harness used containers."""
    reports = import_module("swebench.metrics.report")
    model = "kettle-1"
    kinds: dict[str, Ending] = {}
    for number, ending in enumerate(ALL_KINDS.values(), 1):
        kinds[f"psf__requests-{number}"] = ending
    tests = {"FAIL_TO_PASS": FAIL_TO_PASS, "PASS_TO_PASS": PASS_TO_PASS}
    with case("harness-1/evaluation/lite/20240402_kettle", out):
        evaluation = Evaluation(model, "full", kinds)
        write_lines(Path("all_preds.jsonl"), list(evaluation.predictions().values()))
        Path("dataset.json").write_text(json.dumps([instance_of(name) | tests for name in kinds]))
        logs = Path("logs")
        logs.mkdir()
        for name, ending in kinds.items():
            if ending in {"no patch", "null patch"}:
                continue
            lines = [
                ">>>>> Applied Patch (test)",
                ">>>>> Applied Patch (pred)",
                test_output(ending),
            ]
            if ending == "conflict":
                lines = [
                    f">>>>> Patch Apply Failed; ({kind})"
                    for kind in ("pred_try", "pred_minimal_try")
                ]
            if ending == "timeout":
                lines = [">>>>> Tests Timed Out"]
            (logs / f"{name}.{model}.eval.log").write_text("\n".join(lines))
        report = reports.get_model_report(model, "all_preds.jsonl", "dataset.json", "logs")
        Path("dataset.json").unlink()
        Path("results").mkdir()
        Path("results/results.json").write_text(json.dumps(report, indent=4))
        Path("metadata.yaml").write_text(
            "name: Kettle (made for testing)\noss: true\nsite: null\nverified: false\n"
        )


def write_service_reports(out: Path) -> None:
    """Write reports of the hosted evaluation under the names that its command uses."""
    client = import_module("sb_cli.get_report")
    lists = {
        "completed": ids(101, 102, 103),
        "submitted": ids(101, 102, 103, 104, 201, 202),
        "error": ids(104),
        "resolved": ids(101, 102),
        "unresolved": ids(103),
        "pending": ids(202),
        "failed": ids(201),
    }
    report: dict[str, Any] = {"total_instances": 6, "schema_version": 2, "incomplete_ids": []}
    for name, members in lists.items():
        report[f"{name}_instances"] = len(members)
        report[f"{name}_ids"] = members
    later = report | {
        "pending_instances": 0,
        "pending_ids": [],
        "completed_instances": 4,
        "completed_ids": ids(101, 102, 103, 202),
        "resolved_instances": 3,
        "resolved_ids": ids(101, 102, 202),
    }
    with case("service-reports", out):
        path = Path("sb-cli-reports/swe-bench_lite__test__kettle-run.json")
        path.parent.mkdir()
        client.safe_save_json(report, path)
        client.safe_save_json(later, path)
        client.safe_save_json({"message": "ok"}, path.with_suffix(".response.json"))


def write_multi(out: Path) -> None:
    """Write the final report of the multi-language evaluation."""
    report = import_module("multi_swe_bench.harness.report").FinalReport
    named = [types.SimpleNamespace(id=f"reed/rule:pr-{number}") for number in range(1, 6)]
    with case("several-languages", out):
        final = report.from_reports(named[:2], named[2:4], named[4:])
        Path("final_report.json").write_text(final.json())


def write_live(out: Path, checkout: Path) -> None:
    """Write results of the continuously updated evaluation, with its code and invented test results."""
    for name in (
        "launch",
        "launch.core",
        "launch.core.runtime",
        "launch.scripts",
        "launch.scripts.parser",
    ):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["launch.core.runtime"].__dict__["SetupRuntime"] = object
    sys.modules["launch.scripts.parser"].__dict__["run_parser"] = None
    datasets = types.ModuleType("datasets")
    datasets.__dict__["load_dataset"] = None
    sys.modules.setdefault("datasets", datasets)
    sys.path.insert(0, str(checkout / "evaluation"))
    evaluation = import_module("evaluation")

    def evaluated(name: str, *_: object) -> dict[str, str]:
        ending = ALL_KINDS[name]
        if ending == "timeout":
            raise TimeoutError("the tests took too long")
        passed = dict.fromkeys([*FAIL_TO_PASS, *PASS_TO_PASS], "pass")
        if ending in {"fails", "no memory"}:
            passed[FAIL_TO_PASS[0]] = "fail"
        if ending == "breaks":
            passed[PASS_TO_PASS[0]] = "fail"
        return passed

    evaluation.__dict__["evaluate_instance"] = evaluated
    instances = []
    for name, ending in ALL_KINDS.items():
        facts = instance_of(name) | {"FAIL_TO_PASS": FAIL_TO_PASS, "PASS_TO_PASS": PASS_TO_PASS}
        instances.append(
            facts | {"pred_patch": "" if ending in {"no patch", "null patch"} else PATCH}
        )
    with case("live", out):
        evaluation.run_instances(instances, "linux", 1, "output", overwrite=True)


def installed(name: str) -> bool:
    """Return whether a package is installed in this environment."""
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True


def main() -> None:
    """Write the samples of the installed tool."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path, help="the folder of the samples")
    parser.add_argument("--live", type=Path, help="a checkout of SWE-bench-Live")
    arguments = parser.parse_args()
    out = arguments.out.resolve()
    if arguments.live:
        write_live(out, arguments.live.resolve())
    elif installed("sb-cli"):
        write_service_reports(out)
    elif installed("multi-swe-bench"):
        write_multi(out)
    elif installed("swebench"):
        writers: dict[int, Callable[[Path], None]] = {
            1: write_before_containers,
            2: write_second,
            3: write_third,
            5: write_newest,
        }
        writers[harness_version()[0]](out)
    else:
        parser.error("no tool was found: install one of those that `--help` names")


if __name__ == "__main__":
    main()
