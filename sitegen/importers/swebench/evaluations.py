"""One run of one model: what its summary, its logs and its predictions say together."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import assert_never

from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import Entrant, named, short
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rounds import Run
from sitegen.importers.swebench import rules
from sitegen.importers.swebench.grading import Grader, Stated
from sitegen.importers.swebench.logs import NO_REPORT, LogFolder
from sitegen.importers.swebench.predictions import Predictions
from sitegen.importers.swebench.summaries import NEWEST_SCHEMA, Summary, Verdict
from sitegen.metrics.catalogue import RESOLVED
from sitegen.models.submission import Claims, Provenance
from sitegen.problems import counted, listed

GOLD = "gold"
"""What the harness calls the model whose patches are the dataset's own."""

_PARTS = re.compile(r"(\d+)")
_MOST_DIGITS = 18
"""Digits of a number in a run id that orders runs; a longer one is text."""
_NAMED = 20
"""How many differences a message names; the others are counted."""


@dataclass(slots=True)
class Evaluation:
    """What a source holds of one run of one model."""

    folder_name: str
    """The model with `__` for `/`, as folders are called; empty where nothing tells it."""
    run_id: str
    dataset: str = ""
    summary: Summary | None = None
    logs: LogFolder | None = None
    predictions: Predictions | None = None
    guess: str = ""
    """What was assumed about model and run, as a clause."""
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    """Instances that the summary counts and that another model was evaluated on, with its name."""

    @property
    def path(self) -> Path:
        """The summary, or the folder of the logs."""
        if self.summary:
            return self.summary.path
        if self.logs:
            return self.logs.path
        raise ValueError("an evaluation has a summary or logs")

    @property
    def model(self) -> str:
        """The model, with its owner if that is known; empty where nothing tells it."""
        if self.predictions and self.predictions.model:
            return self.predictions.model
        return model_of(self.folder_name)

    @property
    def key(self) -> tuple[str, str, str]:
        """What its copies share."""
        return self.folder_name, self.run_id, self.dataset

    @property
    def is_hosted(self) -> bool:
        """Whether it is of the hosted evaluation, which names the dataset and keeps no logs."""
        return bool(self.dataset) and self.logs is None

    @property
    def unpredicted(self) -> set[str]:
        """Instances of the dataset that have no prediction."""
        return set(self.summary.unpredicted) if self.summary else set()

    @property
    def instances(self) -> set[str]:
        """The instances that it is about."""
        if self.summary:
            return {*self.summary.verdicts, *self.summary.unpredicted}
        return set(self.logs.instances) if self.logs else set()

    def continues(self, older: "Evaluation") -> bool:
        """Return whether the summary has every verdict of an older one on the same dataset."""
        if self.summary is None or older.summary is None or self.dataset != older.dataset:
            return False
        return older.summary.verdicts.items() <= self.summary.verdicts.items()

    def started(self) -> datetime | None:
        """Return when it began, if its files say so."""
        return self.logs.started() if self.logs else None


def model_of(folder_name: str) -> str:
    """Return the name of a model that a folder is called after.

    The harness writes `__` for every `/`. One `__` is a `/`; of several, only the first is known to be
    one, because agents use `__` in names, too. A name that begins with `__` was a path.
    """
    if folder_name in {"", "None"}:
        return ""
    if folder_name.startswith("__"):
        return folder_name.replace("__", "/")
    return folder_name.replace("__", "/", 1)


def entrant_of(model: str) -> tuple[Entrant, dict[str, object]]:
    """Return the agent that a model's name stands for, and what else the name says: OWNER/NAME."""
    owner = ""
    if not model.startswith(("/", ".", "~")):
        owner = named(model.rpartition("/")[0])
    facts: dict[str, object] = {"organization": owner} if owner and "/" not in owner else {}
    return Entrant(short(model) if model else "", provider=owner), facts


def order_runs(evaluations: Sequence[Evaluation]) -> tuple[list[Evaluation], bool]:
    """Return the runs of one agent in the order of time, and whether their files state it.

    Where some run states no time, or two state the same, the run ids give the order.
    """
    moments = [evaluation.started() for evaluation in evaluations]
    stated = [moment for moment in moments if moment is not None]
    if len(stated) == len(evaluations) and len(set(stated)) == len(stated):
        pairs = sorted(zip(stated, range(len(stated)), strict=True))
        return [evaluations[number] for _, number in pairs], True
    return sorted(evaluations, key=lambda evaluation: natural_key(evaluation.run_id)), False


def natural_key(text: str) -> list[tuple[bool, int, str]]:
    """Return what sorts names with numbers in them: r2 before r10."""
    key = []
    for part in _PARTS.split(text):
        is_number = part.isdecimal() and part.isascii() and len(part) <= _MOST_DIGITS
        key.append((is_number, int(part) if is_number else 0, part))
    return key


def read_evaluation(evaluation: Evaluation, grader: Grader, agent: str | None = None) -> Run:
    """Return the run of an evaluation; the grader takes what is doubtful.

    Args:
        evaluation: The evaluation.
        grader: Makes its rounds.
        agent: The name of an agent whose model is not known.
    """
    entrant, facts = entrant_of(evaluation.model)
    if not entrant.name:
        entrant = Entrant(agent or "")
    run = Run(evaluation.path, entrant, facts)
    jobs = (named(evaluation.run_id),) if named(evaluation.run_id) else None
    run.provenance = Provenance(harness="swebench", jobs=jobs)
    started = evaluation.started()
    run.day = started.date() if started else None
    if evaluation.guess:
        grader.report.assume(evaluation.guess, entrant)
    if evaluation.model == GOLD:
        grader.remark(run, rules.GOLD, run.path)
    if evaluation.summary:
        _read_with_summary(evaluation, evaluation.summary, run, grader)
    elif evaluation.logs:
        _read_logs(evaluation, evaluation.logs, run, grader)
    _check_predictions(evaluation, run, grader)
    run.planned = sorted({*run.planned, *(task for task, *_ in run.results)})
    return run


def _read_with_summary(evaluation: Evaluation, summary: Summary, run: Run, grader: Grader) -> None:
    """Read a run whose summary says which instances count; their reports say how they ended."""
    logs = evaluation.logs
    grader.report.newer_version(
        "`schema_version`", summary.schema_version, NEWEST_SCHEMA, run.entrant
    )
    names = [name for name in summary.verdicts if name not in evaluation.elsewhere]
    stated = {name: summary.verdicts[name] for name in names}
    differing = []
    for instance, verdict in stated.items():
        if verdict is Verdict.EMPTY:
            run.grade(instance, 1, 0, "the patch is empty", "no_cases")
            continue
        end = _stated_end(verdict, summary.reasons.get(instance, ""))
        path = logs.report(instance) if logs else None
        if end == Stated() and path is None:
            end = Stated(cause=logs.cause(instance) if logs else NO_REPORT)
        folder = logs.path if logs else None
        graded = grader.grade(run, instance, path, logs=folder, stated=end)
        if graded and graded.resolved != end.resolved:
            word = "resolved" if graded.resolved else "not resolved"
            differing.append(
                f"{one_line(instance)} is {word} in its report, and listed as {verdict} in the summary"
            )
    for instance in sorted(summary.infrastructure & stated.keys()):
        grader.remark(run, rules.INFRASTRUCTURE, summary.path, instance=instance)
    for instance in sorted(summary.ambiguous & stated.keys()):
        grader.remark(run, rules.AMBIGUOUS, summary.path, instance=instance)
    if not logs:
        grader.remark(run, rules.NO_LOGS, summary.path)
    run.planned = [*stated, *summary.unpredicted]
    _name_left_out(evaluation, summary, run, grader)
    _compare_with_counts(summary, stated, differing, run, grader)


def _stated_end(verdict: Verdict, reason: str) -> Stated:
    """Return what the verdict of a summary says, with the reason that it gives."""
    match verdict:
        case Verdict.RESOLVED:
            return Stated(resolved=True)
        case Verdict.UNRESOLVED | Verdict.EMPTY:
            return Stated(resolved=False)
        case Verdict.ERROR:
            return Stated(cause=named(reason.replace("_", " ")))
        case Verdict.UNSTATED:
            return Stated(cause="the summary says that it was evaluated, and not how it ended")
        case Verdict.CONFLICTING:
            return Stated(cause="the summary lists it with different verdicts")
        case _:
            assert_never(verdict)


def _name_left_out(evaluation: Evaluation, summary: Summary, run: Run, grader: Grader) -> None:
    """Name the instances of a run that do not count, and why."""
    grader.unevaluated[id(run)] = summary.path, summary.unevaluated
    if evaluation.elsewhere:
        pairs = [
            f"{one_line(instance)} ({one_line(model)})"
            for instance, model in evaluation.elsewhere.items()
        ]
        fact = (
            f"instances that the summary counts and another model was evaluated on: {listed(pairs)}"
        )
        grader.remark(run, kit_rules.LEFT_OUT, summary.path, fact)
    if evaluation.logs is None:
        return
    graded = {name for name, verdict in summary.verdicts.items() if verdict is not Verdict.EMPTY}
    left_out = sorted(evaluation.logs.instances - graded)
    stale = [name for name in left_out if evaluation.logs.report(name)]
    if stale:
        grader.remark(run, rules.STALE, summary.path, _named(stale))


def _compare_with_counts(
    summary: Summary,
    stated: Mapping[str, Verdict],
    differing: Sequence[str],
    run: Run,
    grader: Grader,
) -> None:
    """Compare what a summary counts with the results; a score that differs becomes a claim."""
    resolved = sum(result.reward == 1 for result in run.results.values())
    tasks = len(stated) + len(summary.unpredicted)
    stated_resolved = summary.counts.get(
        "resolved_instances", summary.counts.get("success", summary.resolved)
    )
    facts = list(differing)
    if stated_resolved != resolved and not facts:
        facts.append(
            f"the summary counts {named(str(stated_resolved))} resolved instances, and {resolved} are resolved"
        )
    if len(stated) < len(summary.verdicts):
        return
    total = summary.counts.get("total_instances", tasks)
    if total < tasks:
        shown = counted(total, "instance")
        facts.append(f"the summary counts {shown} and lists {tasks}")
    if facts:
        grader.remark(
            run, kit_rules.SCORE_DIFFERS, summary.path, listed(facts, _NAMED, separator="; ")
        )
        divisor = min(total, tasks)
        if divisor > 0 and 0 <= stated_resolved <= divisor:
            share = (Decimal(100 * stated_resolved) / divisor).quantize(Decimal("0.01"))
            source = f"SWE-bench summary {named(summary.path.name)}"
            run.claims = Claims(source=source, **{RESOLVED.id: share})
    if total > tasks + len(summary.unevaluated):
        fact = f"the summary names {tasks} of {named(str(total))} instances"
        grader.remark(run, kit_rules.PART_OF_TASKS, summary.path, fact)


def _read_logs(evaluation: Evaluation, logs: LogFolder, run: Run, grader: Grader) -> None:
    """Read a run of which only the logs are there; its predictions say what else there was."""
    for instance in sorted(logs.instances):
        path = logs.report(instance)
        stated = None if path else Stated(cause=logs.cause(instance))
        grader.grade(run, instance, path, logs=logs.path, stated=stated)
    if evaluation.predictions is None:
        grader.remark(run, rules.NO_SUMMARY, logs.path)
        return
    waiting = []
    for instance, has_patch in evaluation.predictions.has_patch.items():
        if instance in logs.instances:
            continue
        if has_patch:
            waiting.append(instance)
        else:
            run.grade(instance, 1, 0, "the patch is empty", "no_cases")
    grader.unevaluated[id(run)] = logs.path, waiting


def _check_predictions(evaluation: Evaluation, run: Run, grader: Grader) -> None:
    """Say where the predictions that lie beside a run are not those that were evaluated."""
    predictions = evaluation.predictions
    if predictions is None:
        return
    facts = []
    without = sorted({task for task, *_ in run.results} - predictions.has_patch.keys())
    if without:
        facts.append(f"it has no prediction for {_named(without)}")
    repeated = _named(dict.fromkeys(predictions.repeated))
    if repeated:
        facts.append(f"it has several predictions for {repeated}; the last one counts")
    for fact in facts:
        grader.remark(run, rules.PREDICTIONS, predictions.path, fact)


def _named(instances: Iterable[str]) -> str:
    return listed(map(one_line, instances))
