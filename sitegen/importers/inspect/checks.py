"""Holds what a log says of itself against its samples, and makes claims of it."""

from math import fsum, isclose
from statistics import fmean

from sitegen.importers.inspect import rules
from sitegen.importers.inspect.grading import GradedLog
from sitegen.importers.inspect.logs import Log
from sitegen.importers.inspect.records import Figure, Metric, Usage
from sitegen.importers.inspect.scores import ScoreName, as_number
from sitegen.importers.kit.agents import short
from sitegen.importers.kit.claims import claims_of
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rounds import Run
from sitegen.importers.kit.rules import SCORE_DIFFERS
from sitegen.problems import counted, grouped, listed

_ROUNDING = 1e-6
_MEANS = ("accuracy", "mean")
"""Metrics that are the mean over samples of what the epochs of a sample come to."""
_USUAL_REDUCERS = (None, "mean")
_MAX_FACTS = 5
"""Contradictions that are named one by one."""


def stated_metric(figure: Figure) -> tuple[str, Metric] | None:
    """Return the mean that Inspect states of one scorer's values, with its name; None where it states none."""
    for key, metric in figure.metrics.items():
        if short(key) in _MEANS and metric.value is not None:
            return short(key), metric
    for key, metric in figure.metrics.items():
        if key == "all" and metric.value is not None and _is_mean_over_samples(metric):
            return "all, a mean over samples", metric
    return None


def _is_mean_over_samples(metric: Metric) -> bool:
    """Return whether a grouped metric's figure over all groups is a mean over all samples."""
    params = metric.params
    inner = params.get("metric")
    name = inner.get("name") if isinstance(inner, dict) else None
    return (
        isinstance(name, str)
        and short(name) in _MEANS
        and params.get("all", "samples") == "samples"
    )


def figure_of(log: Log, name: ScoreName) -> Figure | None:
    """Return the figure of a score: the one that the log's headline names where reducers give several."""
    results = log.header.results
    figures = [figure for figure in results.figures if figure.scorer == name.scorer]
    figures = [figure for figure in figures if figure.name == (name.part or name.scorer)]
    headline = results.headline
    for figure in figures:
        if headline and headline.scorer == name.scorer and headline.reducer == figure.reducer:
            return figure
    return figures[0] if figures else None


def add_claim(graded: GradedLog, run: Run, report: Report) -> None:
    """Make a claim of the mean that a log states of the score, and report where its samples come to another mean."""
    log, name = graded.log, graded.name
    figure = figure_of(log, name)
    stated = stated_metric(figure) if figure else None
    if figure is None or stated is None:
        return
    label, metric = stated
    value = float(metric.value or 0)
    share = value / (graded.scale or 1)
    left_out = sum(name.of(sample.scores) is None for sample in log.samples.values())
    source = f"Inspect log: {label}"
    if figure.reducer not in _USUAL_REDUCERS:
        source += f" with reducer {one_line(figure.reducer or '')}"
        if run.attempts > 1:
            fact = f"the result of a task is the mean over its {run.attempts} attempts; the log's own {label} of"
            report.assume(
                f"{fact} {value:g} joins them by {one_line(figure.reducer or '')}", run.entrant
            )
    else:
        own_mean = _mean_over_samples(log, name)
        if own_mean is not None and not isclose(
            value, own_mean, rel_tol=_ROUNDING, abs_tol=_ROUNDING
        ):
            fact = f"{label} of {name} is {value:.10g} in the log, and {own_mean:.10g} over its samples"
            report.doubt(SCORE_DIFFERS, log.path, run.spot(), fact)
    if left_out:
        source += f", {counted(left_out, 'sample')} without a verdict left out"
    if 0 <= share <= 1:
        run.claims = claims_of(share, source)


def _mean_over_samples(log: Log, name: ScoreName) -> float | None:
    """Return the mean as Inspect computes it: over the scored epochs of each sample, then over the samples.

    Inspect leaves out what was not scored, and counts a text that is no verdict as 0.
    """
    pairs = []
    for (sample_id, _), sample in log.samples.items():
        value = name.of(sample.scores)
        if value is not None:
            pairs.append((sample_id, as_number(value) or 0.0))
    by_sample = grouped(pairs)
    return fmean(fmean(numbers) for numbers in by_sample.values()) if by_sample else None


def check_log(graded: GradedLog, run: Run, report: Report) -> None:
    """Report where a log's counts, summaries and totals are not those of its samples."""
    log, name = graded.log, graded.name
    facts = [*_contradicting_counts(log), *_contradicting_summaries(log, name)]
    for fact in facts[:_MAX_FACTS]:
        report.doubt(SCORE_DIFFERS, log.path, run.spot(), one_line(fact))
    if len(facts) > _MAX_FACTS:
        fact = (
            f"{counted(len(facts) - _MAX_FACTS, 'more figure')} of the log differ from its samples"
        )
        report.doubt(SCORE_DIFFERS, log.path, run.spot(), fact)
    if log.faults:
        report.doubt(rules.FIELDS, log.path, run.spot(), listed(map(one_line, log.faults)))
    if not log.earlier:
        _check_usage(log, run, report)


def _contradicting_counts(log: Log) -> list[str]:
    """Return what a log says of its number of samples and of their ids that its samples do not confirm."""
    facts = []
    planned = {str(sample_id) for sample_id in log.header.spec.sample_ids}
    unplanned = [sample_id for sample_id, _ in log.samples if planned and sample_id not in planned]
    if unplanned:
        facts.append(
            f"these samples are not in the list of the dataset: {listed(dict.fromkeys(unplanned))}"
        )
    total = log.header.results.total_samples
    present = len(log.samples) + len(log.unusable)
    expected = max(
        present, len(log.planned) * log.epochs
    )  # samples that never began are reported as such
    if total is not None and total not in {present, expected}:
        facts.append(f"the results are of {counted(total, 'sample')}, and the log has {present}")
    return facts


def _contradicting_summaries(log: Log, name: ScoreName) -> list[str]:
    """Return where the summaries of an archive differ from its samples."""
    facts = []
    for (sample_id, epoch), scores in log.summaries.items():
        sample = log.samples.get((sample_id, epoch))
        if sample is None:
            if (sample_id, epoch) not in log.unusable:
                facts.append(
                    f"sample {sample_id}, epoch {epoch}, is in the summaries and not in the archive"
                )
            continue
        ours, theirs = name.of(sample.scores), name.of(scores)
        if name.scorer in scores and ours != theirs:
            facts.append(f"{name} of sample {sample_id} is {ours}, and {theirs} in the summaries")
    return facts


def _check_usage(log: Log, run: Run, report: Report) -> None:
    """Report where the tokens and the cost of a run are not those of its samples."""
    whole = list(log.header.model_usage.values())
    parts: list[Usage] = []
    for sample in log.samples.values():
        parts += sample.model_usage.values()
    if not whole or not parts:  # early releases counted tokens for the run alone
        return
    facts = []
    for noun, total, own_total in (
        ("tokens in", _tokens_in(whole), _tokens_in(parts)),
        ("tokens out", _tokens_out(whole), _tokens_out(parts)),
        ("USD", _cost(whole), _cost(parts)),
    ):
        if not isclose(total, own_total, rel_tol=_ROUNDING, abs_tol=_ROUNDING):
            facts.append(f"{total:,.10g} {noun} of the run, {own_total:,.10g} of its samples")
    for fact in facts:
        report.doubt(rules.USAGE, log.path, run.spot(), fact)


def _tokens_in(usage: list[Usage]) -> float:
    return fsum(model.tokens_read for model in usage)


def _tokens_out(usage: list[Usage]) -> float:
    return fsum(model.output_tokens or 0 for model in usage)


def _cost(usage: list[Usage]) -> float:
    return fsum(model.total_cost or 0 for model in usage)
