"""Imports runs of SWE-bench's evaluation, and submissions to its leaderboard."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import Entrant, chosen, named, owner_of, short
from sitegen.importers.kit.drafts import day_in
from sitegen.importers.kit.options import Format, ImportOptions
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rounds import GRADED, Run, Source
from sitegen.importers.kit.told import Told, objects
from sitegen.importers.kit.tree import Folder, Tree
from sitegen.importers.swebench import submissions
from sitegen.importers.swebench.reports import INFRASTRUCTURE, STALE, Reader, why
from sitegen.models.incoming import Incoming
from sitegen.models.submission import Provenance
from sitegen.problems import listed
from sitegen.reading.files import read_head
from sitegen.reading.json import read_json

REPORT, LOG, LOGS = "report.json", "run_instance.log", "run_evaluation"


class _Summary(Told):
    """What a run came to."""

    total_instances: int
    submitted_instances: int
    completed_instances: int
    resolved_instances: int
    unresolved_instances: int
    empty_patch_instances: int
    error_instances: int
    submitted_ids: list[str]
    completed_ids: list[str]
    incomplete_ids: list[str]
    resolved_ids: list[str]
    unresolved_ids: list[str]
    empty_patch_ids: list[str]
    error_ids: list[str]
    infra_failure_ids: list[str] = Field(default=[])
    failure_reasons: dict[str, str] = Field(default={})

    def contradictions(self) -> Iterator[str]:
        """Where its numbers and its lists disagree."""
        for name in ("submitted", "completed", "resolved", "unresolved", "empty_patch", "error"):
            stated, found = getattr(self, f"{name}_instances"), getattr(self, f"{name}_ids")
            if not stated == len(found) == len(set(found)):
                yield f"`{name}_instances` is {stated}, and `{name}_ids` has {len(set(found))}"
        everything = [*self.submitted_ids, *self.incomplete_ids]
        if not self.total_instances == len(everything) == len(set(everything)):
            yield f"`total_instances` is {self.total_instances}, and {len(set(everything))} are listed"
        ended = Counter([*self.resolved_ids, *self.unresolved_ids, *self.empty_patch_ids, *self.error_ids])
        odd = {name for name, times in ended.items() if times > 1} | (ended.keys() ^ set(self.submitted_ids))
        if odd:
            yield f"not in one of the lists of results, or in several: {listed(sorted(odd))}"
        if set(self.completed_ids) != {*self.resolved_ids, *self.unresolved_ids}:
            yield "`completed_ids` are not those that are resolved or unresolved"


class _RunFile(Told):
    created_at: str | None = None


class _Place(NamedTuple):
    """A run of one model."""

    summary: Path
    told: _Summary
    run: Path | None
    """The folder of the run's logs, if there are any."""
    model: str
    """Its folder's name, which has `__` for `/`."""


def read_swebench(source: Path, options: ImportOptions) -> Incoming:
    """Read a folder with runs of the evaluation, or with submissions in the layout of the leaderboard's repository."""
    report, tree = Report(source), Tree(source)
    reader = Reader(Source(report, "Instances of SWE-bench, each patched once.", columns=GRADED))
    folders = tree.walk(leave_out={"trajs"})
    sent = [folder for folder in folders if submissions.is_one(folder, tree)]
    inside = tuple(folder.path for folder in sent)
    others = [folder for folder in folders if not any(folder.path.is_relative_to(path) for path in inside)]
    places = list(_places(others, report))
    predicted: dict[str, set[str]] = {}  # what models predicted, of files that lie outside of logs
    for folder in others:
        for name in folder.files:
            path = folder.path / name
            if path.suffix == ".jsonl" and b'"model_name_or_path"' in (read_head(path, 1_000_000) or b""):
                for _, line in objects(path, report):
                    predicted.setdefault(str(line.get("model_name_or_path")), set()).add(str(line.get("instance_id")))
    report.problems += tree.problems()
    report.stop_at_errors()
    # A model's own name stands in a file of predictions; its folder has `__` for `/`.
    spelled = {name.replace("/", "__"): name for name in reversed(predicted)}
    models = [spelled.get(place.model, place.model.replace("__", "/", 1)) for place in places]
    systems = [submissions.Submission.of(folder, reader) for folder in sent]
    wanted = chosen([*models, *(system.run.entrant.name for system in systems)], options)
    runs = [
        _run(model, place, predicted, reader) for model, place in zip(models, places, strict=True) if model in wanted
    ]
    runs += [system.read(tree) for system in systems if system.run.entrant.name in wanted]
    for run in runs:
        reader.settle(run)
    return reader.source.imported(options)


def recognise(tree: Tree) -> str | None:
    """What tells of the evaluation: a run's summary or logs, or a submission."""
    for folder in tree.walk(leave_out={"trajs"}):
        if submissions.is_one(folder, tree):
            return f"submissions to SWE-bench, such as {tree.shown(folder.path)}"
        found = next((name for name in folder.files if _is_summary(folder.path / name)), None)
        if found:
            return f"runs of SWE-bench's evaluation, such as {tree.shown(folder.path / found)}"
    return None


FORMAT = Format(read_swebench, "main", recognise=recognise)


def _is_summary(path: Path) -> bool:
    head = (read_head(path, 65_536) if path.name.count(".") > 1 and path.suffix == ".json" else None) or b""
    return b'"total_instances"' in head and b'"submitted_instances"' in head


def _places(folders: list[Folder], report: Report) -> Iterator[_Place]:
    """The runs of a source, each with its summary and its logs."""
    logs = {
        (path.name, model): path
        for path, models in ((folder.path, folder.folders) for folder in folders if folder.path.parent.name == LOGS)
        for model in models
    }
    for folder in folders:
        for name in folder.files:
            path = folder.path / name
            if not _is_summary(path):
                continue
            told = report.take(read_json(path, _Summary))
            found = [(run, model) for run, model in logs if f"{model}.{run}.json" == name]
            if told is not None:
                for what in told.contradictions():
                    report.add(rules.SOURCE_BROKEN, path, what)
                run, model = found[0] if found else ("", path.stem.rpartition(".")[0])
                yield _Place(path, told, logs.get((run, model)), model)
            for key in found:
                del logs[key]
    for (run, model), path in logs.items():
        what = f"there is no summary {model}.{run}.json of these logs"
        report.add(rules.SOURCE_BROKEN, path / model, what)


def _run(model: str, place: _Place, predicted: Mapping[str, set[str]], reader: Reader) -> Run:
    """What a run of one model came to; its summary rules, and reports tell the tests."""
    report, told = reader.source.report, place.told
    run = Run(place.summary, Entrant(short(model)), {"organization": owner_of(model)})
    run.planned = sorted({*told.submitted_ids, *told.incomplete_ids})
    run.provenance = Provenance(harness="swebench", jobs=(named(place.run.name),) if place.run else None)
    if lacking := sorted(set(told.submitted_ids) - predicted.get(model, {*told.submitted_ids})):
        what = f"{place.summary.name} counts predictions that are not there: {listed(lacking)}"
        report.add(rules.SOURCE_BROKEN, place.summary, what)
    logs = place.run / place.model if place.run else None
    ran, _ = read_json(place.run / "run.json", _RunFile) if place.run else (None, [])
    heads = (read_head(path, 10) or b"" for path in (sorted(logs.glob(f"*/{LOG}")) if logs else ()))
    dated = ((ran and ran.created_at) or "", *(head.decode(errors="replace") for head in heads))
    run.day = next(filter(None, map(day_in, dated)), None)
    resolved = set(told.resolved_ids)
    for instance in told.completed_ids:
        path = logs / instance / REPORT if logs else None
        if path is None or not path.is_file():
            what = f"{instance} has a result, and no {REPORT} in the logs"
            report.add(rules.SOURCE_BROKEN, path or place.summary, what)
        else:
            reader.read(path, run, instance, resolved=instance in resolved)
    for instance in told.empty_patch_ids:
        run.grade(instance, 1, 0, "the patch is empty", "no_cases")
    for instance in told.error_ids:
        reason = told.failure_reasons.get(instance, "").replace("_", " ")
        cause = named(reason) or (why(logs / instance / LOG) if logs else "the evaluation came to no report")
        run.grade(instance, 1, 0, cause)
        report.doubt(rules.TRIES_FAILED, place.summary, run.spot(instance), cause)
    for instance in told.infra_failure_ids:
        report.doubt(INFRASTRUCTURE, place.summary, run.spot(instance))
    for instance in sorted({*told.empty_patch_ids, *told.incomplete_ids}):
        if logs and (logs / instance / REPORT).is_file():
            report.doubt(STALE, logs / instance / REPORT, run.spot(instance))
    return run
