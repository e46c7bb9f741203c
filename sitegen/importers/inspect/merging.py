"""Join logs of one run: copies, versions that were scored later, and retries."""

from collections.abc import Sequence
from dataclasses import replace

from sitegen.importers.inspect.logs import Log, SampleKey
from sitegen.importers.inspect.records import LogResults, LogSample, SampleScore
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.rules import RUN_TWICE
from sitegen.problems import grouped, listed

_KEEP_ONE = "keep the log whose scores count, and leave out the other one"


def merge_copies(logs: Sequence[Log], import_log: ImportLog) -> list[Log]:
    """Return one log per run, since `inspect score` and `inspect log convert` leave copies of logs.

    Scores that only one of the copies contains are kept. Different scores by the same scorer for
    the same sample are an error.
    """
    merged = []
    for copies in grouped((_identify_run(log), log) for log in logs).values():
        copies.sort(key=_count_scores)
        best = copies.pop()
        for copy in reversed(copies):
            best = _add_scores(best, copy, import_log)
        if copies:
            names = listed(import_log.name(copy.path) for copy in copies)
            note = f"{import_log.name(best.path)} counts; these logs are of the same run: {names}"
            import_log.notes.append(note)
        merged.append(best)
    return sorted(merged, key=lambda log: log.order)


def _identify_run(log: Log) -> tuple[str, ...]:
    """Return a key that all copies of a log share; for a log without ids, its path."""
    spec = log.header.spec
    if spec.eval_id:
        return (spec.eval_id,)
    if spec.run_id and spec.task_id:
        return spec.run_id, spec.task_id, spec.created or ""
    return (log.path.as_posix(),)


def _count_scores(log: Log) -> tuple[int, int, str]:
    """Return a key that sorts the most complete copy last: scores, samples, and path."""
    scores = sum(len(sample.scores) for sample in log.samples.values())
    return scores, len(log.samples), log.path.as_posix()


def _add_scores(log: Log, copy: Log, import_log: ImportLog) -> Log:
    """Return a log with the scores, corrections and invalidations that only its copy contains."""
    samples: dict[SampleKey, LogSample] = dict(log.samples)
    new_scorers: set[str] = set()
    for key, copied_sample in copy.samples.items():
        sample = samples.get(key, copied_sample)
        merged_sample = _merge_samples(sample, copied_sample)
        if merged_sample is None:
            sample_id, epoch = key
            names = f"{import_log.name(log.path)} and {import_log.name(copy.path)}"
            difference = f"different scores for sample {sample_id}, epoch {epoch}"
            message = f"{names} are one run, but have {difference}"
            import_log.problems.append(RUN_TWICE.broken(copy.path, None, message, _KEEP_ONE))
            return log
        new_scorers |= merged_sample.scores.keys() - sample.scores.keys()
        samples[key] = merged_sample
    unusable = {key: reason for key, reason in log.unusable.items() if key not in samples}
    merged = replace(log, samples=samples, unusable=unusable)
    if not new_scorers:
        return merged
    # The headline of neither log covers all of the scores.
    header = log.header.model_copy(update={"results": LogResults()})
    return replace(merged, header=header)


def _merge_samples(sample: LogSample, copied_sample: LogSample) -> LogSample | None:
    """Return a sample with the scores of both of its copies; None if they contradict each other."""
    scores = dict(copied_sample.scores)
    for scorer, score in sample.scores.items():
        merged_score = _merge_scores(score, scores.get(scorer, score))
        if merged_score is None:
            return None
        scores[scorer] = merged_score
    invalidation = sample.invalidation or copied_sample.invalidation
    return sample.model_copy(update={"scores": scores, "invalidation": invalidation})


def _merge_scores(score: SampleScore, copied_score: SampleScore) -> SampleScore | None:
    """Return the only corrected score, or the score that both copies state; None if they differ."""
    is_corrected = bool(score.history)
    is_copy_corrected = bool(copied_score.history)
    if is_corrected != is_copy_corrected:
        return score if is_corrected else copied_score
    return score if score.value == copied_score.value else None


def merge_retries(logs: Sequence[Log]) -> list[Log]:
    """Return each run's last retry, with the samples that only an earlier try contains.

    A retry keeps the id of the task, and takes over the samples that were completed.

    Args:
        logs: Logs of one agent and one task, in chronological order.
    """
    latest: dict[str, Log] = {}
    for log in logs:
        task_id = log.header.spec.task_id or log.path.as_posix()
        earlier = latest.pop(task_id, None)
        latest[task_id] = _add_earlier_samples(log, earlier) if earlier else log
    return list(latest.values())


def _add_earlier_samples(log: Log, earlier: Log) -> Log:
    """Return a log with the scored samples that only an earlier try of its run contains."""
    present = log.samples.keys() | log.unusable.keys()
    scored = {key: sample for key, sample in earlier.samples.items() if sample.scores}
    added = {key: sample for key, sample in scored.items() if key not in present}
    digests = {key: digest for key, digest in earlier.digests.items() if key in added}
    earlier_try = replace(earlier, samples=added, earlier=())
    return replace(
        log,
        samples={**log.samples, **added},
        digests={**digests, **log.digests},
        earlier=[*earlier.earlier, earlier_try],
    )
