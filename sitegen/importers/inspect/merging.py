"""Joins logs that are of one run: copies, versions that were scored later, and tries of a run that was tried again."""

from collections.abc import Sequence
from dataclasses import replace

from sitegen.importers.inspect.logs import Log, SampleKey
from sitegen.importers.inspect.records import Results, Sample
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rules import RUN_TWICE
from sitegen.problems import grouped, listed

_ONE_RUN_SCORED_TWICE = "keep the log whose scores count, and leave out the other one"


def merge_copies(logs: Sequence[Log], report: Report) -> list[Log]:
    """Return each run once: `inspect score` and `inspect log convert` leave copies of a log beside it.

    Scores that only one of the copies has are kept. Copies that give one sample different scores of one scorer are an
    error.
    """
    groups = grouped((_identity(log), log) for log in logs)
    merged = []
    for copies in groups.values():
        copies.sort(key=_count_scores)
        best = copies.pop()
        for copy in reversed(copies):
            best = _with_scores_of(best, copy, report)
        if copies:
            names = listed(report.name(copy.path) for copy in copies)
            report.notes.append(
                f"{report.name(best.path)} counts; these logs are of the same run: {names}"
            )
        merged.append(best)
    return sorted(merged, key=lambda log: log.order)


def _identity(log: Log) -> tuple[str, ...]:
    """Return what copies of one log have in common; logs without an id are themselves."""
    spec = log.header.spec
    if spec.eval_id:
        return (spec.eval_id,)
    if spec.run_id and spec.task_id:
        return spec.run_id, spec.task_id, spec.created or ""
    return (log.path.as_posix(),)


def _count_scores(log: Log) -> tuple[int, int, str]:
    """Return how many scores and samples a log has: of several copies, the one that has the most counts."""
    scores = sum(len(sample.scores) for sample in log.samples.values())
    return scores, len(log.samples), log.path.as_posix()


def _with_scores_of(log: Log, copy: Log, report: Report) -> Log:
    """Return a log with what only a copy of it has: scores, corrections, samples that were invalidated."""
    samples: dict[SampleKey, Sample] = dict(log.samples)
    new_scorers: set[str] = set()
    for key, sample in copy.samples.items():
        ours = samples.get(key, sample)
        joined = _joined_sample(ours, sample)
        if joined is None:
            names = f"{report.name(log.path)} and {report.name(copy.path)}"
            message = f"{names} are one run, and have different scores for sample {key[0]}, epoch {key[1]}"
            report.problems.append(
                RUN_TWICE.broken(copy.path, None, message, _ONE_RUN_SCORED_TWICE)
            )
            return log
        new_scorers |= joined.scores.keys() - ours.scores.keys()
        samples[key] = joined
    unusable = {key: reason for key, reason in log.unusable.items() if key not in samples}
    merged = replace(log, samples=samples, unusable=unusable)
    if not new_scorers:
        return merged
    # The headline of neither log is about all of the scores.
    return replace(merged, header=log.header.model_copy(update={"results": Results()}))


def _joined_sample(ours: Sample, theirs: Sample) -> Sample | None:
    """Return a sample with the scores of both of its copies; None where they contradict each other."""
    scores = dict(theirs.scores)
    for scorer, score in ours.scores.items():
        other_score = scores.get(scorer, score)
        is_other_corrected = bool(other_score.history) and not score.history
        if other_score.value != score.value and bool(other_score.history) == bool(score.history):
            return None
        scores[scorer] = other_score if is_other_corrected else score
    invalidation = ours.invalidation or theirs.invalidation
    return ours.model_copy(update={"scores": scores, "invalidation": invalidation})


def merge_retries(logs: Sequence[Log]) -> list[Log]:
    """Return each run with its last try; samples that only an earlier try has are kept.

    A run that is tried again keeps the id of its task, and takes over the samples that were done.

    Args:
        logs: Logs of one agent and one task, in the order of time.
    """
    latest: dict[str, Log] = {}
    for log in logs:
        task_id = log.header.spec.task_id or log.path.as_posix()
        earlier = latest.pop(task_id, None)
        latest[task_id] = _after(earlier, log) if earlier else log
    return list(latest.values())


def _after(earlier: Log, log: Log) -> Log:
    """Return a log with the scored samples that only an earlier try of its run has."""
    present = log.samples.keys() | log.unusable.keys()
    kept = {
        key: sample
        for key, sample in earlier.samples.items()
        if sample.scores and key not in present
    }
    digests = {key: digest for key, digest in earlier.digests.items() if key in kept}
    return replace(
        log,
        samples={**log.samples, **kept},
        digests={**digests, **log.digests},
        earlier=[*earlier.earlier, replace(earlier, samples=kept, earlier=())],
    )
