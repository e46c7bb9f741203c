"""Imports what the lm-evaluation-harness writes: its results, and a line for each document."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date as Date  # noqa: N812 - as elsewhere
from decimal import Decimal
from functools import partial
from math import isclose
from pathlib import Path
from statistics import fmean
from typing import Any

from pydantic import Field

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import Entrant, chosen, owner_of, short
from sitegen.importers.kit.claims import reported_table
from sitegen.importers.kit.drafts import slug_of
from sitegen.importers.kit.options import Format, ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report, Spot
from sitegen.importers.kit.rounds import GRADED, Run, Source
from sitegen.importers.kit.told import Told, at, number_of, objects
from sitegen.importers.kit.transcripts import transcript_of
from sitegen.importers.kit.tree import Folder, Tree
from sitegen.metrics.catalogue import MEAN_REWARD
from sitegen.models.incoming import Incoming
from sitegen.models.reported import ReportedRow, ReportedValue
from sitegen.models.submission import Provenance
from sitegen.problems import Rule, UsageError, counted, grouped, listed
from sitegen.reading.json import read_json

_TIME = r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?"
_RESULTS = re.compile(rf"(?P<name>.+)_(?P<time>{_TIME})\.json")
_SAMPLES = re.compile(rf"samples_(?P<task>.+)_(?P<time>{_TIME})\.jsonl")

_ROUNDING = 1e-6
"""What a mean may be off that was computed in another order, or by a library of single precision."""

_MEANS = frozenset({"acc", "acc_norm", "exact_match"})
"""Metrics that are means over documents where a task does not say how it sums them up."""


CONDITIONS = Rule.error(
    "LM-EVAL-CONDITIONS",
    "All runs of a task are of one version of it, with as many examples.",
    "import them into tracks of their own: choose with `--model`, and begin tracks with `--track` and `--new-track`",
)
NO_DOCUMENTS = Rule.warning(
    "LM-EVAL-NO-DOCUMENTS",
    "Beside results there is a file of documents.",
    "run with `--log_samples`: figures without documents can't be recomputed",
    "The source has no documents of these tasks: {}.",
)


class _Metric(Told):
    metric: object = None
    aggregation: object = None


class _Task(Told):
    metric_list: tuple[_Metric, ...] = ()
    repeats: int | None = None


class _Number(Told):
    original: int
    effective: int


class _Results(Told):
    results: dict[str, dict[str, Any]]
    configs: dict[str, _Task]
    versions: dict[str, object] = Field(default={})
    higher_is_better: dict[str, dict[str, bool | None]] = Field(default={})
    shots: dict[str, object] = Field(default={}, alias="n-shot")
    numbers: dict[str, _Number] = Field(default={}, alias="n-samples")
    model_args: str | dict[str, Any] | None = at("config", "model_args")
    model_name: str | None = None
    git_hash: str | None = None
    lm_eval_version: str | None = None

    @property
    def model(self) -> str | None:
        """The model, as its full name or the arguments of its class have it."""
        told = self.model_args
        arguments = told if isinstance(told, dict) else dict(re.findall(r"(\w+)=([^,]+)", told or ""))
        return self.model_name or next(
            (str(arguments[key]) for key in ("pretrained", "model", "engine") if arguments.get(key)), None
        )

    def scores(self, task: str) -> list[tuple[str, str]]:
        """The metric and the filter of each of a task's figures."""
        told = self.results.get(task, {}).items()
        keys = (key.partition(",") for key, value in told if "," in key or number_of(value) is not None)
        pairs = [(metric, name or "none") for metric, _, name in keys]
        return [pair for pair in pairs if not pair[0].endswith("_stderr") and pair[0] != "sample_len"]

    def stated(self, task: str, metric: str, name: str) -> float | None:
        """A figure of a task; None where it is not told as a mean over documents."""
        ways = {each.aggregation for each in self.configs[task].metric_list if each.metric == metric}
        if ways != {"mean"} and not (ways <= {None} and metric in _MEANS):
            return None
        figures = self.results[task]
        return number_of(figures.get(f"{metric},{name}", figures.get(metric)))


@dataclass(frozen=True, slots=True)
class Part:
    """A task in one file of results, with the file of its documents."""

    path: Path
    results: _Results
    task: str
    samples: Path | None
    time: str

    @property
    def conditions(self) -> str:
        """What scores of the task depend on beside the model."""
        return f"version {self.results.versions.get(self.task)}, {self.results.shots.get(self.task, 0)}-shot"


def read_lm_eval(source: Path, options: ImportOptions) -> Incoming:
    """Read a folder with files of results and of documents. Every model becomes a bundle, every document a task."""
    report, tree, metric = Report(source), Tree(source), options.metric
    found = Source(report, "Documents of the lm-evaluation-harness, each answered once.", columns=GRADED)
    parts = list(_parts(tree, report))
    report.problems += tree.problems()
    report.stop_at_errors()
    if metric and parts and not any(metric in _spelled(part) for part in parts):
        there = sorted({name for part in parts for name in _spelled(part)})
        raise UsageError(f"no task here has the metric {metric}; there are: {listed(there)}")
    by_model = grouped((part.results.model or part.path.parent.name.replace("__", "/", 1), part) for part in parts)
    wanted = {model: by_model[model] for model in chosen(by_model, options)}
    # Scores of a task that was run under several conditions do not compare.
    taken = [part for own in wanted.values() for part in own]
    for task in dict.fromkeys(part.task for part in taken):
        first, *others = dict.fromkeys(part.conditions for part in taken if part.task == task)
        if others:
            report.add(CONDITIONS, report.root, f"{task} was run as {', and as '.join((first, *others))}")
    rows = []
    for model, own in wanted.items():
        if any(part.samples for part in own):
            found.runs.append(_run(model, own, metric, found))
        elif row := _reported(model, own, report):
            rows.append(row)
    if rows:
        day = options.date or Date.fromisoformat(max(part.time for part in taken)[:10])
        told = "results of the lm-evaluation-harness, without documents"
        table = reported_table("lm-evaluation-harness", told, day, rows, options.track)
        found.reported.append(("lm-eval", table))
    return found.imported(options)


def recognise(tree: Tree) -> str | None:
    """What tells of the harness: a file of results."""
    paths = (path for folder in tree.walk() for path, _ in _files(folder))
    return tree.example("results of the lm-evaluation-harness", paths)


FORMAT = Format(read_lm_eval, "main", extras=frozenset({"metric"}), recognise=recognise)


def _files(folder: Folder) -> Iterator[tuple[Path, str]]:
    """The files of results in a folder, each with its time."""
    times = {match["time"] for name in folder.files if (match := _SAMPLES.fullmatch(name))}
    for name in folder.files:
        match = _RESULTS.fullmatch(name)
        if match and (match["name"] == "results" or match["time"] in times):
            yield folder.path / name, match["time"]


def _parts(tree: Tree, report: Report) -> Iterator[Part]:
    for folder in tree.walk():
        tree.pass_over_archives(folder)
        lines: defaultdict[str, dict[str, Path]] = defaultdict(dict)
        for name in folder.files:
            if match := _SAMPLES.fullmatch(name):
                lines[match["time"]][match["task"]] = folder.path / name
        for path, time in _files(folder):
            results = report.take(read_json(path, _Results))
            own = lines.pop(time, {})
            if results is None:
                continue
            tasks = [task for task in results.configs if task in results.results]
            lacking = [task for task in tasks if task not in own] if own else []
            strange = sorted(own.keys() - results.configs.keys())
            for what, names in (("no file of the documents of", lacking), ("no results of", strange)):
                if names:
                    told = f"there is {what} {listed(names)}, and there is one of other tasks"
                    report.add(rules.SOURCE_BROKEN, path, told)
            yield from (Part(path, results, task, own.get(task), time) for task in tasks)
        for left in lines.values():
            path = min(left.values())
            what = f"there are no results beside {path.name}: a file results_TIME.json of the same time"
            report.add(rules.SOURCE_BROKEN, path, what)


def _reported(model: str, parts: Sequence[Part], report: Report) -> ReportedRow | None:
    """What is stated of a model of which there are no documents: its first score, over those of all tasks."""
    known = []
    for part in parts:
        pairs, number = part.results.scores(part.task), part.results.numbers.get(part.task)
        value = part.results.stated(part.task, *pairs[0]) if pairs else None
        if value is None or number is None or not 0 <= value <= 1:
            report.doubt(rules.SOURCE_UNUSABLE, part.path, one_line(f"{model} at {part.task}"), "no mean is stated")
            return None
        known.append((value, number.effective))
    report.doubt(NO_DOCUMENTS, parts[0].path, one_line(model), "its figures are reported")
    total = sum(number for _, number in known)
    pooled = Decimal(repr(sum(value * number for value, number in known) / max(total, 1)))
    values = {MEAN_REWARD.id: ReportedValue(value=pooled, n=total or None)}
    return ReportedRow(id=slug_of(short(model)), name=short(model), organization=owner_of(model), values=values)


def _spelled(part: Part) -> set[str]:
    return {word for pair in part.results.scores(part.task) for word in (pair[0], ",".join(pair))}


def _run(model: str, parts: Sequence[Part], wanted: str | None, source: Source) -> Run:
    """What a model came to, task by task; of a task that it did several times, the last counts."""
    report, last = source.report, max(parts, key=lambda part: part.time)
    run = Run(
        last.path.parent,
        Entrant(short(model)),
        {"organization": owner_of(model)},
        day=Date.fromisoformat(last.time[:10]),
        provenance=Provenance(
            harness="lm-evaluation-harness",
            harness_version=last.results.lm_eval_version,
            code_commit=last.results.git_hash,
        ),
    )
    latest = {part.task: part for part in sorted(parts, key=lambda part: part.time)}
    for part in parts:
        if latest[part.task].time != part.time:
            report.doubt(rules.RUN_REPLACED, part.path, run.spot(part.task), f"of {part.time}")
    talks: list[tuple[Path, str, str]] = []
    run.transcripts = partial(_said, talks, model)
    for part in latest.values():
        if part.samples is None:
            report.doubt(NO_DOCUMENTS, part.path, run.spot(part.task), "left out")
            continue
        scored = _score_of(part, wanted, run, report)
        if scored:
            talks.append((part.samples, part.task, scored[1]))
            _take(part, part.samples, scored, run, source)
    return run


def _said(talks: Sequence[tuple[Path, str, str]], model: str) -> Iterator[tuple[tuple[str, int], bytes]]:
    """What the model was asked in each document of a task, and what it answered, under the filter that counts."""
    for path, task, counting in talks:
        for _, line in objects(path, Report(path)):
            asked, answers = line.get("arguments"), line.get("resps")
            first = next(iter(asked.values()), None) if isinstance(asked, dict) else None
            question = first.get("arg_0") if isinstance(first, dict) else None
            told = answers[0] if isinstance(answers, list) and answers else None
            spoken = [("user", question), *(("assistant", each) for each in (told if isinstance(told, list) else ()))]
            messages = [{"role": role, "content": words} for role, words in spoken if isinstance(words, str)]
            if str(line.get("filter") or "none") == counting and messages:
                yield (f"{task}/{line.get('doc_id')}", 1), transcript_of(messages, model)


def _score_of(part: Part, wanted: str | None, run: Run, report: Report) -> tuple[str, str] | None:
    """The metric and the filter that give the reward: the one asked for where the task has it, else the first."""
    pairs = part.results.scores(part.task)
    asked = [pair for pair in pairs if wanted in {pair[0], ",".join(pair)}]
    better = part.results.higher_is_better.get(part.task, {})
    chosen = next(iter(asked or pairs), None)
    others = [",".join(pair) for pair in pairs if pair != chosen]
    if chosen is None or better.get(chosen[0]) is False:
        usable = [",".join(pair) for pair in pairs if better.get(pair[0]) is not False]
        told = f"{','.join(chosen)} is better the lower it is" if chosen else "it has no score"
        what = f"{told}; choose another with `--metric`: {listed(usable) or 'there is none'}"
        report.doubt(rules.SOURCE_UNUSABLE, part.path, run.spot(part.task), what)
        return None
    if others:
        what = f"{','.join(chosen)} counts, beside {listed(others)}"
        report.doubt(rules.SCORE_CHOSEN, part.path, run.spot(part.task), what)
    return chosen


def _take(part: Part, path: Path, score: tuple[str, str], run: Run, source: Source) -> None:
    """Take the documents of a task, a line for each and for each filter."""
    report, (metric, chosen) = source.report, score
    lines: defaultdict[str, dict[str, dict[str, float | None]]] = defaultdict(dict)
    before = len(report.problems)
    for number, line in objects(path, report):
        document, names = line.get("doc_id"), line.get("metrics")
        is_named = isinstance(document, str) or (type(document) is int and document >= 0)
        if not is_named or not isinstance(names, list | None):
            report.add(rules.SOURCE_BROKEN, path, "the line names no document", number)
            return
        figures = lines[str(line.get("filter") or "none")]
        if str(document) in figures:
            what = f"document {document} stands a second time: two runs were written into one file"
            report.problems.append(rules.SOURCE_BROKEN.broken(path, number, what, "keep the file of one run"))
            return
        told, task = line.get("doc_hash"), f"{part.task}/{document}"
        if isinstance(told, str) and source.digests.setdefault(task, one_line(told)) != one_line(told):
            what = f"document {document} is another one under another filter, or for another model: `doc_hash` differs"
            report.add(rules.SOURCE_BROKEN, path, what, number)
            return
        keys = names if names is not None else [name for name, _ in part.results.scores(part.task)]
        figures[str(document)] = {str(key): number_of(line.get(str(key))) for key in keys}
    if len(report.problems) > before:
        return
    own, others = lines.get(chosen, {}), {name: found for name, found in lines.items() if name != chosen}
    rewards = {document: found.get(metric) for document, found in own.items()}
    _check(part, path, lines, report)
    unfit = [document for document, reward in rewards.items() if reward is None or not 0 <= reward <= 1]
    if unfit:
        usable = [",".join(pair) for pair in part.results.scores(part.task) if pair != score]
        what = f"{metric} of document {listed(unfit)} is no number from 0 to 1; choose another with `--metric`: "
        report.doubt(rules.SOURCE_UNUSABLE, path, run.spot(part.task), what + (listed(usable) or "there is none"))
        return
    for document, reward in rewards.items():
        task = f"{part.task}/{document}"
        source.titles[task] = f"{part.task} {document}"
        source.labels[task] = {"subset": part.task}
        measures = {f"{name}@lm-eval": value for name, value in own[document].items() if name != metric}
        for name, found in others.items():
            measures |= {f"{key}-{name}@lm-eval": value for key, value in found.get(document, {}).items()}
        told = {name: value for name, value in measures.items() if value is not None}
        run.grade(task, 1, reward or 0.0, measures=told or None)
    if (part.results.configs[part.task].repeats or 1) > 1:
        report.notes.append(f"{part.task}: a document was answered several times and scored once; it has one attempt")


def _check(
    part: Part, path: Path, lines: Mapping[str, Mapping[str, Mapping[str, float | None]]], report: Report
) -> None:
    """Hold the documents against what the results say of them: how many, and the means."""
    told = part.results.numbers.get(part.task)
    filters = {name for _, name in part.results.scores(part.task)}
    for name in sorted(filters):
        number = len(lines.get(name, {}))
        if (told and number != told.effective) or not number:
            of = f"{told.effective}" if told else "some"
            what = f"{counted(number, 'document')} under filter {name}, and the results are of {of}"
            report.add(rules.SOURCE_BROKEN, path, what)
            return
    for metric, name in part.results.scores(part.task):
        stated = part.results.stated(part.task, metric, name)
        values = [found.get(metric) for found in lines[name].values()]
        numbers = [value for value in values if value is not None]
        if numbers and len(numbers) < len(values):
            what = f"{metric},{name} is a number for {len(numbers)} of {len(values)} documents"
            report.add(rules.SOURCE_BROKEN, path, what)
        if stated is None or len(numbers) < len(values):
            continue
        mean = fmean(numbers)
        if not isclose(mean, stated, abs_tol=_ROUNDING):
            what = f"{metric},{name} of {part.task} is {stated} in {part.path.name}, and {mean} over these documents"
            report.add(rules.SOURCE_BROKEN, path, what)
    ids = {document for found in lines.values() for document in found}
    if told and told.effective == told.original and ids != {*map(str, range(told.original))}:
        odd = sorted(ids - {*map(str, range(told.original))})
        what = f"a whole task has documents 0 to {told.original - 1}, and these lines are of {listed(odd)}"
        report.add(rules.SOURCE_BROKEN, path, what)
    if told and told.effective < told.original:
        what = f"{told.effective} of {told.original} documents of {part.task}"
        report.doubt(rules.PART_OF_TASKS, part.path, Spot(None), what)
