"""An evaluation of a model (summary, logs and predictions), and the run built from it.

`read_evaluation` returns the run.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import assert_never

from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import RankedAgent, clean_agent_name, short_model_name
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rounds import AgentResults
from sitegen.importers.swebench import rules
from sitegen.importers.swebench.grading import Grader, StatedOutcome
from sitegen.importers.swebench.logs import NO_REPORT, LogFolder
from sitegen.importers.swebench.predictions import Predictions
from sitegen.importers.swebench.summaries import NEWEST_SCHEMA, EvaluationSummary, Verdict
from sitegen.metrics.catalogue import RESOLVED
from sitegen.models.submission import Claims, Provenance
from sitegen.problems import counted, listed

GOLD = "gold"
"""The harness's name for the model whose patches are the dataset's reference patches."""

_DIGITS = re.compile(r"(\d+)")
_MAX_DIGITS = 18
"""Maximum length of a number by which run ids are sorted; longer numbers are sorted as text."""
_MAX_NAMED = 20
"""Maximum number of differences listed in a message; the rest are counted."""

_EMPTY_PATCH = "the patch is empty"


@dataclass(slots=True)
class ModelEvaluation:
    """The files of one evaluation of one model."""

    folder_name: str
    """The model's name with `__` for `/`, as in folder names; empty if it is unknown."""
    run_id: str
    dataset: str = ""
    summary: EvaluationSummary | None = None
    logs: LogFolder | None = None
    predictions: Predictions | None = None
    guess: str = ""
    """The assumptions about model and run, as a clause; empty if there are none."""
    elsewhere: dict[str, str] = field(default_factory=dict)
    """Instances of the summary that belong to another model's evaluation, with that model."""

    @property
    def path(self) -> Path:
        """The path of the summary, or else the folder of the logs."""
        if self.summary:
            return self.summary.path
        if self.logs:
            return self.logs.path
        raise ValueError("an evaluation has a summary or logs")

    @property
    def model(self) -> str:
        """The model, with its owner if known; empty if the model is unknown."""
        if self.predictions and self.predictions.model:
            return self.predictions.model
        return model_of(self.folder_name)

    @property
    def is_hosted(self) -> bool:
        """Whether this is a hosted evaluation, which names its dataset and keeps no logs."""
        return bool(self.dataset) and self.logs is None

    @property
    def unpredicted(self) -> set[str]:
        """The instances of the dataset that have no prediction."""
        return set(self.summary.unpredicted) if self.summary else set()

    @property
    def instances(self) -> set[str]:
        """The instances in the summary, or else in the logs."""
        if self.summary:
            return {*self.summary.verdicts, *self.summary.unpredicted}
        return set(self.logs.instances) if self.logs else set()

    def is_copy_of(self, evaluation: "ModelEvaluation") -> bool:
        """Return whether another evaluation has the same names and the same summary."""
        names = (self.folder_name, self.run_id, self.dataset)
        if names != (evaluation.folder_name, evaluation.run_id, evaluation.dataset):
            return False
        if self.summary is None or evaluation.summary is None:
            return False
        return replace(self.summary, path=evaluation.summary.path) == evaluation.summary

    def continues(self, older: "ModelEvaluation") -> bool:
        """Return whether the summary has every verdict of an older summary on the same dataset."""
        if self.summary is None or older.summary is None or self.dataset != older.dataset:
            return False
        return older.summary.verdicts.items() <= self.summary.verdicts.items()

    def started(self) -> datetime | None:
        """Return when the evaluation began; None if no file states it."""
        if self.summary and self.summary.started:
            return self.summary.started
        return self.logs.started() if self.logs else None


def model_of(folder_name: str) -> str:
    """Return the name of a model, derived from the name of its folder.

    The harness writes `__` for every `/`. A single `__` is a `/`; if there are several, only the
    first is certain to be a `/`, because agents also use `__` in names. A name that begins with
    `__` was a path.
    """
    if folder_name in {"", "None"}:
        return ""
    if folder_name.startswith("__"):
        return folder_name.replace("__", "/")
    return folder_name.replace("__", "/", 1)


def entrant_of(model: str) -> tuple[RankedAgent, dict[str, object]]:
    """Return the agent of a model with a name such as OWNER/NAME, and its organization."""
    owner = ""
    if not model.startswith(("/", ".", "~")):
        owner = clean_agent_name(model.rpartition("/")[0])
    facts: dict[str, object] = {"organization": owner} if owner and "/" not in owner else {}
    return RankedAgent(short_model_name(model) if model else "", provider=owner), facts


def order_runs(evaluations: Sequence[ModelEvaluation]) -> tuple[list[ModelEvaluation], bool]:
    """Return an agent's evaluations in chronological order, and whether their files state the time.

    If any evaluation states no time, or two state the same time, they are sorted by run id.
    """
    by_time = {evaluation.started(): evaluation for evaluation in evaluations}
    times = sorted(filter(None, by_time))
    if len(times) == len(evaluations):
        return [by_time[time] for time in times], True
    return sorted(evaluations, key=lambda evaluation: natural_key(evaluation.run_id)), False


def natural_key(text: str) -> list[tuple[bool, int, str]]:
    """Return a key that sorts names by the numbers in them: r2 before r10."""
    key = []
    for piece in _DIGITS.split(text):
        is_number = piece.isdecimal() and piece.isascii() and len(piece) <= _MAX_DIGITS
        key.append((is_number, int(piece) if is_number else 0, piece))
    return key


def read_evaluation(
    evaluation: ModelEvaluation, grader: Grader, agent: str | None = None
) -> AgentResults:
    """Return the run of an evaluation.

    Args:
        evaluation: The evaluation.
        grader: Makes the rounds, and collects the doubts about them.
        agent: The name of the agent, if its model is unknown.
    """
    entrant, facts = entrant_of(evaluation.model)
    if not entrant.name:
        entrant = RankedAgent(agent or "")
    run = AgentResults(evaluation.path, entrant, facts)
    jobs = (clean_agent_name(evaluation.run_id),) if clean_agent_name(evaluation.run_id) else None
    run.provenance = Provenance(harness="swebench", jobs=jobs)
    started = evaluation.started()
    run.day = started.date() if started else None
    if evaluation.guess:
        grader.log.assume(evaluation.guess, entrant)
    if evaluation.model == GOLD:
        grader.remark(run, rules.GOLD, run.path)
    if evaluation.summary:
        _read_with_summary(evaluation, evaluation.summary, run, grader)
    elif evaluation.logs:
        _read_logs(evaluation, evaluation.logs, run, grader)
    _check_predictions(evaluation, run, grader)
    run.planned = sorted({*run.planned, *(task for task, *_ in run.results)})
    return run


def _read_with_summary(
    evaluation: ModelEvaluation, summary: EvaluationSummary, run: AgentResults, grader: Grader
) -> None:
    """Add the results of an evaluation with a summary, which lists the instances that count."""
    grader.log.warn_if_newer("`schema_version`", summary.schema_version, NEWEST_SCHEMA, run.entrant)
    names = [name for name in summary.verdicts if name not in evaluation.elsewhere]
    stated = {name: summary.verdicts[name] for name in names}
    differences = []
    for instance, verdict in stated.items():
        if verdict is Verdict.EMPTY:
            run.grade(instance, 1, 0, _EMPTY_PATCH, "no_cases")
            continue
        outcome = _stated_outcome(verdict, summary.reasons.get(instance, ""))
        resolved = _grade_instance(evaluation.logs, instance, outcome, run, grader)
        if resolved is not None and resolved != outcome.resolved:
            in_report = f"{'resolved' if resolved else 'not resolved'} in its report"
            fact = f"{one_line(instance)} is {in_report}, but listed as {verdict} in the summary"
            differences.append(fact)
    for rule, instances in (
        (rules.INFRASTRUCTURE, summary.infrastructure),
        (rules.AMBIGUOUS, summary.ambiguous),
    ):
        for instance in sorted(instances & stated.keys()):
            grader.remark(run, rule, summary.path, instance=instance)
    if not evaluation.logs:
        grader.remark(run, rules.NO_LOGS, summary.path)
    run.planned = [*stated, *summary.unpredicted]
    _remark_left_out(evaluation, summary, run, grader)
    _compare_with_counts(summary, stated, differences, run, grader)


def _grade_instance(
    logs: LogFolder | None, instance: str, outcome: StatedOutcome, run: AgentResults, grader: Grader
) -> bool | None:
    """Add the round of an instance, and return the verdict of its report, or None.

    Args:
        logs: The logs of the evaluation.
        instance: The instance.
        outcome: The outcome according to the summary.
        run: The run.
        grader: Makes the round.
    """
    if logs is None:
        if outcome == StatedOutcome():
            outcome = StatedOutcome(cause=NO_REPORT)
        grader.grade(run, instance, None, stated=outcome)
        return None
    path = logs.report(instance)
    if path is None and outcome == StatedOutcome():
        outcome = StatedOutcome(cause=logs.cause(instance))
    graded = grader.grade(run, instance, path, logs=logs.path, stated=outcome)
    return graded.resolved if graded else None


def _stated_outcome(verdict: Verdict, reason: str) -> StatedOutcome:
    """Return the outcome that corresponds to a verdict of a summary, with the summary's reason."""
    match verdict:
        case Verdict.RESOLVED:
            return StatedOutcome(resolved=True)
        case Verdict.UNRESOLVED | Verdict.EMPTY:
            return StatedOutcome(resolved=False)
        case Verdict.ERROR:
            return StatedOutcome(cause=clean_agent_name(reason.replace("_", " ")))
        case Verdict.UNSTATED:
            return StatedOutcome(
                cause="the summary says that it was evaluated, but not how it ended"
            )
        case Verdict.CONFLICTING:
            return StatedOutcome(cause="the summary lists it with different verdicts")
        case _:
            assert_never(verdict)


def _remark_left_out(
    evaluation: ModelEvaluation, summary: EvaluationSummary, run: AgentResults, grader: Grader
) -> None:
    """Add remarks about the instances of an evaluation that do not count in its run."""
    grader.unevaluated[id(run)] = summary.path, summary.unevaluated
    names = []
    for instance, model in evaluation.elsewhere.items():
        names.append(f"{one_line(instance)} ({one_line(model)})")
    if names:
        subject = "instances that the summary counts but another model was evaluated on"
        grader.remark(run, kit_rules.LEFT_OUT, summary.path, f"{subject}: {listed(names)}")
    if evaluation.logs is None:
        return
    graded = {name for name, verdict in summary.verdicts.items() if verdict is not Verdict.EMPTY}
    uncounted = sorted(evaluation.logs.instances - graded)
    stale = [name for name in uncounted if evaluation.logs.report(name)]
    if stale:
        grader.remark(run, rules.STALE, summary.path, _names(stale))


def _compare_with_counts(
    summary: EvaluationSummary,
    stated: Mapping[str, Verdict],
    differences: Sequence[str],
    run: AgentResults,
    grader: Grader,
) -> None:
    """Compare a summary's counts with the results; if they differ, its score becomes a claim.

    Args:
        summary: The summary.
        stated: The verdicts of the summary on the instances of the run.
        differences: Facts about instances whose report has a different verdict.
        run: The run.
        grader: Collects the doubts.
    """
    if len(stated) < len(summary.verdicts):
        return
    resolved = sum(result.reward == 1 for result in run.results.values())
    tasks = len(stated) + len(summary.unpredicted)
    stated_resolved = summary.counts.get(
        "resolved_instances", summary.counts.get("success", summary.resolved)
    )
    facts = list(differences)
    if stated_resolved != resolved and not facts:
        count = f"{clean_agent_name(str(stated_resolved))} resolved instances"
        facts.append(f"the summary counts {count}, but {resolved} are resolved")
    total = summary.counts.get("total_instances", tasks)
    if total < tasks:
        facts.append(f"the summary counts {counted(total, 'instance')}, but lists {tasks}")
    if facts:
        fact = listed(facts, _MAX_NAMED, separator="; ")
        grader.remark(run, kit_rules.SCORE_DIFFERS, summary.path, fact)
        divisor = min(total, tasks)
        if divisor > 0 and 0 <= stated_resolved <= divisor:
            share = (Decimal(100 * stated_resolved) / divisor).quantize(Decimal("0.01"))
            source = f"SWE-bench summary {clean_agent_name(summary.path.name)}"
            run.claims = Claims(source=source, **{RESOLVED.id: share})
    if total > tasks + len(summary.unevaluated):
        fact = f"the summary names {tasks} of {clean_agent_name(str(total))} instances"
        grader.remark(run, kit_rules.PART_OF_TASKS, summary.path, fact)


def _read_logs(
    evaluation: ModelEvaluation, logs: LogFolder, run: AgentResults, grader: Grader
) -> None:
    """Add the results of an evaluation without a summary, from its logs and predictions."""
    for instance in sorted(logs.instances):
        path = logs.report(instance)
        stated = None if path else StatedOutcome(cause=logs.cause(instance))
        grader.grade(run, instance, path, logs=logs.path, stated=stated)
    if evaluation.predictions is None:
        grader.remark(run, rules.NO_SUMMARY, logs.path)
        return
    unevaluated = []
    for instance, has_patch in evaluation.predictions.has_patch.items():
        if instance in logs.instances:
            continue
        if has_patch:
            unevaluated.append(instance)
        else:
            run.grade(instance, 1, 0, _EMPTY_PATCH, "no_cases")
    grader.unevaluated[id(run)] = logs.path, unevaluated


def _check_predictions(evaluation: ModelEvaluation, run: AgentResults, grader: Grader) -> None:
    """Add remarks about results without a prediction, and instances with several predictions."""
    predictions = evaluation.predictions
    if predictions is None:
        return
    unpredicted = sorted({task for task, *_ in run.results} - predictions.has_patch.keys())
    if unpredicted:
        fact = f"it has no prediction for {_names(unpredicted)}"
        grader.remark(run, rules.PREDICTIONS, predictions.path, fact)
    repeated = _names(dict.fromkeys(predictions.repeated))
    if repeated:
        fact = f"it has several predictions for {repeated}; the last one counts"
        grader.remark(run, rules.PREDICTIONS, predictions.path, fact)


def _names(instances: Iterable[str]) -> str:
    """Return the names of the first few instances and the number of others, as text."""
    return listed(map(one_line, instances))
