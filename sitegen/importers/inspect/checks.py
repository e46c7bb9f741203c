"""Compare the figures of a log with its samples, and make claims from the figures."""

from collections.abc import Iterator
from math import fsum, isclose
from statistics import fmean

from sitegen.importers.inspect import rules
from sitegen.importers.inspect.grading import GradedLog
from sitegen.importers.inspect.logs import Log
from sitegen.importers.inspect.records import LogMetric, ScorerFigures, Usage
from sitegen.importers.inspect.scores import ScoreName, as_number
from sitegen.importers.kit.agents import short_model_name
from sitegen.importers.kit.claims import mean_reward_claim
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rounds import AgentResults
from sitegen.importers.kit.rules import SCORE_DIFFERS
from sitegen.problems import counted, grouped, listed

_TOLERANCE = 1e-6
_MEANS = ("accuracy", "mean")
"""Metrics that are the mean over samples after the epochs of each sample were joined."""
MEAN_REDUCERS = (None, "mean")
"""Reducers that join the epochs of a sample by their mean."""
_MAX_FACTS = 5
"""Maximum number of contradictions that are reported individually."""


def stated_metric(figures: ScorerFigures) -> tuple[str, LogMetric] | None:
    """Return the name and the metric of the mean that a log states for a score; None if missing."""
    for key, metric in figures.metrics.items():
        if short_model_name(key) in _MEANS and metric.value is not None:
            return short_model_name(key), metric
    overall = figures.metrics.get("all")
    if overall and overall.value is not None and _is_mean_over_samples(overall):
        return "all, a mean over samples", overall
    return None


def _is_mean_over_samples(metric: LogMetric) -> bool:
    """Return whether a grouped metric's overall figure is a mean over all samples."""
    inner = metric.params.get("metric")
    name = inner.get("name") if isinstance(inner, dict) else None
    if not isinstance(name, str) or short_model_name(name) not in _MEANS:
        return False
    return metric.params.get("all", "samples") == "samples"


def find_figures(log: Log, name: ScoreName) -> ScorerFigures | None:
    """Return the figures of a score, with the headline's reducer if possible; None if missing."""
    headline = log.header.results.headline
    first = None
    for figures in log.header.results.figures:
        if figures.scorer != name.scorer or figures.name != (name.component or name.scorer):
            continue
        if headline and (headline.scorer, headline.reducer) == (name.scorer, figures.reducer):
            return figures
        first = first or figures
    return first


def add_claim(graded: GradedLog, run: AgentResults, import_log: ImportLog) -> None:
    """Add the mean that a log states as a claim, and report it if its samples have another mean."""
    log = graded.log
    name = graded.name
    figures = find_figures(log, name)
    if figures is None:
        return
    stated = stated_metric(figures)
    if stated is None:
        return
    label, metric = stated
    value = float(metric.value or 0)
    source = f"Inspect log: {label}"
    if figures.reducer in MEAN_REDUCERS:
        _check_mean(f"{label} of {name}", value, graded, run, import_log)
    else:
        reducer = one_line(figures.reducer or "")
        source += f" with reducer {reducer}"
        if run.attempts > 1:
            result = f"the result of a task is the mean over its {run.attempts} attempts"
            fact = f"{result}; the log's own {label} of {value:g} combines them by {reducer}"
            import_log.assume(fact, run.entrant)
    values = [name.find_value(sample.scores) for sample in log.samples.values()]
    unscored = values.count(None)
    if unscored:
        source += f", {counted(unscored, 'sample')} without a verdict left out"
    share = value / (graded.scale or 1)
    if 0 <= share <= 1:
        run.claims = mean_reward_claim(share, source)


def _check_mean(
    label: str, stated: float, graded: GradedLog, run: AgentResults, import_log: ImportLog
) -> None:
    """Report a stated mean that differs from the mean of the samples."""
    mean = _mean_over_samples(graded.log, graded.name)
    if mean is None or isclose(stated, mean, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE):
        return
    fact = f"{label} is {stated:.10g} in the log, but {mean:.10g} over its samples"
    import_log.add_doubt(SCORE_DIFFERS, graded.log.path, run.spot(), fact)


def _mean_over_samples(log: Log, name: ScoreName) -> float | None:
    """Return the mean as Inspect computes it: over the scored epochs of each sample, then samples.

    Inspect leaves out values that were not scored, and counts a text that is not a verdict as 0.
    """
    pairs = []
    for (sample_id, _), sample in log.samples.items():
        value = name.find_value(sample.scores)
        if value is not None:
            pairs.append((sample_id, as_number(value) or 0.0))
    if not pairs:
        return None
    return fmean(map(fmean, grouped(pairs).values()))


def check_log(graded: GradedLog, run: AgentResults, import_log: ImportLog) -> None:
    """Report a log's counts, summaries and totals that differ from those of its samples."""
    log = graded.log
    facts = [*_find_wrong_counts(log), *_find_wrong_summaries(log, graded.name)]
    for fact in facts[:_MAX_FACTS]:
        import_log.add_doubt(SCORE_DIFFERS, log.path, run.spot(), one_line(fact))
    if len(facts) > _MAX_FACTS:
        count = counted(len(facts) - _MAX_FACTS, "more figure")
        fact = f"{count} of the log differ from its samples"
        import_log.add_doubt(SCORE_DIFFERS, log.path, run.spot(), fact)
    if log.faults:
        import_log.add_doubt(rules.FIELDS, log.path, run.spot(), listed(map(one_line, log.faults)))
    if not log.earlier:
        _check_usage(log, run, import_log)


def _find_wrong_counts(log: Log) -> Iterator[str]:
    """Yield incorrect statements of a log about the number and the ids of its samples."""
    planned = {str(sample_id) for sample_id in log.header.spec.sample_ids}
    present_ids = dict.fromkeys(sample_id for sample_id, _ in log.samples)
    unplanned = [sample_id for sample_id in present_ids if sample_id not in planned]
    if planned and unplanned:
        yield f"these samples are not in the log's list of samples: {listed(unplanned)}"
    total = log.header.results.total_samples
    present = len(log.samples) + len(log.unusable)
    # Samples that never began are reported elsewhere.
    expected = max(present, len(log.planned) * log.epochs)
    if total is not None and total not in {present, expected}:
        yield f"the results are from {counted(total, 'sample')}, but the log has {present}"


def _find_wrong_summaries(log: Log, name: ScoreName) -> Iterator[str]:
    """Yield a message for each difference between the summaries and the samples of an archive."""
    for key, scores in log.summaries.items():
        sample_id, epoch = key
        sample = log.samples.get(key)
        if sample is None:
            if key not in log.unusable:
                location = "in the summaries but not in the archive"
                yield f"sample {sample_id}, epoch {epoch}, is {location}"
            continue
        value = name.find_value(sample.scores)
        summary_value = name.find_value(scores)
        if name.scorer in scores and value != summary_value:
            yield f"{name} of sample {sample_id} is {value}, but {summary_value} in the summaries"


def _check_usage(log: Log, run: AgentResults, import_log: ImportLog) -> None:
    """Report a run whose tokens or cost differ from the sum over its samples."""
    run_usage = list(log.header.model_usage.values())
    sample_usage: list[Usage] = []
    for sample in log.samples.values():
        sample_usage += sample.model_usage.values()
    if not run_usage or not sample_usage:  # early releases counted tokens only for the run
        return
    run_totals = _sum_usage(run_usage)
    sample_totals = _sum_usage(sample_usage)
    for unit, run_total in run_totals.items():
        sample_total = sample_totals[unit]
        if not isclose(run_total, sample_total, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE):
            fact = f"{run_total:,.10g} {unit} for the run, but {sample_total:,.10g} for its samples"
            import_log.add_doubt(rules.USAGE, log.path, run.spot(), fact)


def _sum_usage(usages: list[Usage]) -> dict[str, float]:
    """Return the total tokens and cost of several models, by unit as named in messages."""
    return {
        "tokens in": fsum(usage.tokens_read for usage in usages),
        "tokens out": fsum(usage.output_tokens or 0 for usage in usages),
        "USD": fsum(usage.total_cost or 0 for usage in usages),
    }
