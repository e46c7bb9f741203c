"""Imports logs of Inspect: every model becomes a bundle, every sample a task, every epoch an attempt."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import fsum, isclose
from pathlib import Path
from statistics import fmean

from sitegen.importers.inspect.logs import Log, Sample, is_log, read_log, transcripts_of
from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import chosen, maker_of, short
from sitegen.importers.kit.claims import claims_of
from sitegen.importers.kit.options import Format, ImportOptions, Pace
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report, Spot
from sitegen.importers.kit.rounds import GRADED, Key, Run, Source
from sitegen.importers.kit.told import moment
from sitegen.importers.kit.tree import Tree
from sitegen.models.incoming import Incoming
from sitegen.models.submission import Provenance
from sitegen.problems import ProblemsError, Rule, UsageError, counted, grouped, listed

TASKS = Rule.error(
    "INSPECT-TASKS",
    "The logs of an import are of one task, in one version.",
    "choose one with `--task NAME`, or `--task NAME@VERSION`, and import the others into tracks of their own",
)
LIMITS = Rule.warning(
    "INSPECT-LIMIT",
    "A sample ends by itself.",
    "nothing needs to be done: what was scored stands",
    "A limit stopped these samples, which were scored all the same: {}.",
)
INVALIDATED = Rule.warning(
    "INSPECT-INVALIDATED",
    "No sample was invalidated.",
    "run these samples again",
    "These samples were invalidated, and count 0: {}.",
)
CORRECTED = Rule.warning(
    "INSPECT-CORRECTED",
    "A score is the one that the scorer gave.",
    "look at who corrected it, and why",
    "These scores were corrected by hand: {}.",
)
USAGE = Rule.warning(
    "INSPECT-USAGE",
    "The tokens and the cost of a run are those of its samples.",
    "look whether the log was changed, or samples were run again",
    "The log counts others for the run than for its samples: {}.",
)

_ROUNDING = 1e-6
_MEANS = ("accuracy", "mean")
"""Metrics that are the mean over tasks of the mean over epochs."""


def read_inspect(source: Path, options: ImportOptions) -> Incoming:
    """Read a folder of logs: those of one task, by a scorer (or SCORER,PART) that is named or the log's headline."""
    report, tree = Report(source), Tree(source)
    paths, logs = list(filter(is_log, tree.paths())), list[Log]()
    pace = Pace(len(paths), options.watch)
    for path in paths:
        try:
            logs.append(read_log(path))
        except ProblemsError as error:
            report.problems += error.problems
        pace.step()
    there = sorted({log.names[0] for log in logs})
    taken = [log for log in logs if not options.task_names or not set(options.task_names).isdisjoint(log.names)]
    if options.task_names and logs and not taken:
        raise UsageError(f"no log is of task {', '.join(options.task_names)}; there are: {listed(there)}")
    if len({log.names[0] for log in taken}) > 1:
        report.add(TASKS, report.root, f"there are logs of {listed(there)}")
    report.problems += tree.problems()
    report.stop_at_errors()
    wanted = chosen((log.header.spec.model for log in taken), options)
    logs = _counting([log for log in taken if log.header.spec.model in wanted], report)
    found = Source(report, columns=GRADED, has_picked_tasks=True)
    if logs:
        found.summary = f"{one_line(logs[0].header.spec.task)}, run and graded by Inspect."
    for log in logs:
        found.runs.append(_run(log, options.metric, found))
    return found.imported(options)


def recognise(tree: Tree) -> str | None:
    """What tells of Inspect: a log."""
    return tree.example("logs of Inspect", filter(is_log, tree.paths()))


FORMAT = Format(read_inspect, "main", extras=frozenset({"metric"}), recognise=recognise)


def _counting(logs: Sequence[Log], report: Report) -> list[Log]:
    """One log of each agent: a run that was tried again keeps its id, and the last try counts."""
    by_agent = grouped(((log.header.spec.model, log.entrant), log) for log in logs)
    counting = []
    for (model, entrant), own in by_agent.items():
        own.sort(key=lambda log: (log.header.spec.created or "", log.path.name))
        ids = {log.header.spec.task_id for log in own}
        if len(own) > 1 and (len(ids) > 1 or None in ids):
            told = listed(report.name(log.path) for log in own)
            report.add(rules.RUN_TWICE, own[0].path, f"{one_line(model)} ran twice: {told}")
        for log in own[:-1]:
            report.doubt(rules.RUN_REPLACED, log.path, Spot(entrant), report.name(log.path))
        counting.append(own[-1])
    return counting


def _run(log: Log, wanted: str | None, source: Source) -> Run:
    report, header = source.report, log.header
    spec, results = header.spec, header.results
    run = Run(log.path, log.entrant, {"organization": maker_of(spec.model)})
    run.transcripts = partial(transcripts_of, log.path, spec.model)
    scorer, part = _headline(log, wanted)
    epochs = max(spec.epochs or 1, *(sample.epoch for sample in log.samples), 1)
    run.planned = [str(each) for each in spec.sample_ids or ()]
    run.attempts = epochs
    run.day = created.date() if (created := moment(spec.created)) else None
    run.provenance = Provenance(
        harness="inspect_ai",
        harness_version=spec.version,
        code_commit=spec.commit,
        dirty=spec.dirty,
        started=moment(header.started_at),
        finished=moment(header.completed_at),
    )
    _check(log, scorer, part, report)
    if header.status != "success":
        why = f", {one_line(header.error.message)}" if header.error and header.error.message else ""
        report.doubt(rules.RUN_UNFINISHED, log.path, run.spot(), f"it ended as {one_line(header.status)}{why}")
    if spec.limit is not None or spec.chosen is not None:
        told = "`limit` is set" if spec.limit is not None else "`sample_id` is set"
        report.doubt(rules.PART_OF_TASKS, log.path, run.spot(), told)
    if others := sorted(log.scorers - {scorer}):
        told = f"{one_line(scorer)} counts, beside {listed(map(one_line, others))}"
        report.doubt(rules.SCORE_CHOSEN, log.path, run.spot(), told)
    for sample in log.samples:
        _grade(sample, scorer, part, run, report)
        if digest := log.digests.get(sample.key):  # one file has both the transcript and what the scorers gave
            place: Key = (*sample.key, 1, "own")
            run.results[place] = replace(run.results[place], grader_digest=digest, transcript_digest=digest)
        labels = {key: value for key, value in (sample.metadata or {}).items() if isinstance(value, str) and value}
        source.labels[str(sample.id)] |= {key.lower(): one_line(value) for key, value in labels.items()}
    stated = _stated(log, scorer, part)
    if results and stated is not None and 0 <= stated[1] <= 1:
        lost = results.total_samples - results.completed_samples
        more = f", {counted(lost, 'errored sample')} left out" if lost else ""
        run.claims = claims_of(stated[1], f"Inspect log: {stated[0]}{more}")
    retried = sum(bool(sample.error_retries) for sample in log.samples)
    judges = {model for sample in log.samples for model in sample.model_usage or ()}
    if retried:
        report.notes.append(f"{report.name(log.path)}: {counted(retried, 'sample')} run again after an error")
    if len(judges) > 1:
        report.notes.append(f"{report.name(log.path)}: tokens and cost are of {listed(sorted(judges))} together")
    return run


def _headline(log: Log, wanted: str | None) -> tuple[str, str | None]:
    """The scorer that counts, and the part of its table; None where it gives a single value."""
    results = log.header.results
    there = log.scorers
    if wanted:
        scorer, _, part = wanted.partition(",")
        if scorer not in there:
            raise UsageError(f"{log.path.name} has no scorer {scorer}; it has: {listed(sorted(there)) or 'none'}")
        return scorer, part or None
    if results and results.headline:
        scorer, name = results.headline.scorer, results.headline.score
    elif results and results.scores:
        scorer, name = results.scores[0].scorer, results.scores[0].name
    else:
        scorer = name = next((short(each.name) for each in log.header.spec.scorers or () if each.name), "")
    tables = any(isinstance(score.value, dict) for each in log.samples if (score := each.score(scorer)))
    return scorer, name if tables else None


def _grade(sample: Sample, scorer: str, part: str | None, run: Run, report: Report) -> None:
    spot, usage = run.spot(*sample.key), list((sample.model_usage or {}).values())
    costs = [each.total_cost for each in usage if each.total_cost is not None]
    reward, cause, measures = 0.0, None, dict[str, float]()
    score = sample.score(scorer)
    if sample.invalidation:
        cause = f"invalidated: {one_line(sample.invalidation.reason or 'no reason is told')}"
        report.doubt(INVALIDATED, run.path, spot, one_line(sample.invalidation.reason or ""))
    elif sample.error:
        cause = one_line((sample.error.message or "").strip().partition("\n")[0]) or "an error without a message"
        report.doubt(rules.TRIES_FAILED, run.path, spot, cause)
    elif score is None:
        cause = "the scorer gave nothing"
        report.doubt(rules.TRIES_FAILED, run.path, spot, cause)
    else:
        value = score.part(part)
        if value is None or not 0 <= value <= 1:
            told = f"{scorer} gave {one_line(str(score.value))}; choose another scorer with `--metric`"
            report.doubt(rules.SOURCE_UNUSABLE, run.path, spot, told)
        reward = value if value is not None and 0 <= value <= 1 else 0.0
        names = {
            (name, key): each for name, told in (sample.scores or {}).items() for key, each in told.parts(name).items()
        }
        measures = {
            f"{key}@inspect": each for (name, key), each in names.items() if (name, key) != (scorer, part or scorer)
        }
        if sample.limit:
            report.doubt(LIMITS, run.path, spot, sample.limit.type or "")
        if score.history:
            report.doubt(CORRECTED, run.path, spot)
    run.grade(
        *sample.key,
        reward,
        cause,
        turns=sample.turn_count,
        input_tokens=sum(each.read for each in usage) if usage else None,
        cached_tokens=sum(each.input_tokens_cache_read or 0 for each in usage) if usage else None,
        output_tokens=sum(each.output_tokens or 0 for each in usage) if usage else None,
        cost_usd=sum(costs) if costs and len(costs) == len(usage) else None,
        agent_seconds=sample.working_time,
        measures=measures or None,
    )


def _check(log: Log, scorer: str, part: str | None, report: Report) -> None:
    """Hold a log's samples against its summaries and against what the run came to."""
    header, found = log.header, []
    keys = Counter(sample.key for sample in log.samples)
    found += [f"sample {task}, epoch {epoch}, stands twice" for (task, epoch), times in keys.items() if times > 1]
    planned = {str(each) for each in header.spec.sample_ids or ()}
    strange = dict.fromkeys(task for task, _ in keys if planned and task not in planned)
    found += [f"these samples are not in the dataset: {listed(strange)}"] if strange else []
    if log.scorers and scorer not in log.scorers:
        found.append(f"no sample has a score of {scorer}; there are: {listed(sorted(log.scorers))}")
    found += filter(None, (sample.contradiction() for sample in log.samples))
    if log.summaries is not None:
        for task, epoch in keys.keys() ^ log.summaries.keys():
            where = "not among the summaries" if keys[task, epoch] else "missing"
            found.append(f"sample {task}, epoch {epoch}, is {where}")
        for sample in log.samples:
            ours, theirs = sample.score(scorer), log.summaries.get(sample.key, {}).get(scorer)
            if ours and theirs and ours.value != theirs.value:
                found.append(f"{scorer} of sample {sample.id} is {ours.value}, and {theirs.value} in the summaries")
    if header.results:
        told = header.results.total_samples, header.results.completed_samples
        here = len(log.samples), sum(sample.error is None for sample in log.samples)
        if told != here:
            counts = f"{here[0]} samples are here, {here[1]} without an error"
            found.append(f"{counts}; the results are of {told[0]} and {told[1]}")
        stated, mean = _stated(log, scorer, part), _mean(log, scorer, part)
        if stated and mean is not None and not isclose(stated[1], mean, abs_tol=_ROUNDING):
            found.append(f"{stated[0]} of {scorer} is {stated[1]}, and {mean} over the samples")
    for what in found[:5]:
        report.add(rules.SOURCE_BROKEN, log.path, one_line(what))
    usage = [each for sample in log.samples for each in (sample.model_usage or {}).values()]
    whole = [*(header.model_usage or {}).values()]
    for noun, count in (
        ("tokens in", lambda each: each.read),
        ("tokens out", lambda each: each.output_tokens or 0),
        ("USD", lambda each: each.total_cost or 0),
    ):
        stated_sum, own_sum = (fsum(map(count, several)) for several in (whole, usage))
        if whole and not isclose(stated_sum, own_sum, abs_tol=_ROUNDING):
            what = f"{stated_sum:,.10g} {noun} of the run, {own_sum:,.10g} of its samples"
            report.doubt(USAGE, log.path, Spot(log.entrant), what)


def _stated(log: Log, scorer: str, part: str | None) -> tuple[str, float] | None:
    """The mean that Inspect states of the score that counts, with its name."""
    for figure in log.header.results.scores if log.header.results else ():
        if figure.scorer == scorer and figure.name in {part, scorer} and figure.reducer in {None, "mean"}:
            for name, metric in figure.metrics.items():
                if short(name) in _MEANS and metric.value is not None:
                    return short(name), float(metric.value)
    return None


def _mean(log: Log, scorer: str, part: str | None) -> float | None:
    """The same over the samples that have a score, as Inspect works it out; None where epochs are joined otherwise."""
    if log.header.spec.reducer not in (None, ["mean"], "mean"):
        return None
    told = ((sample.key[0], sample.score(scorer)) for sample in log.samples if not sample.error)
    values = ((task, score.part(part)) for task, score in told if score)
    by_task = grouped((task, value) for task, value in values if value is not None)
    return fmean(map(fmean, by_task.values())) if by_task else None
