"""Build bundles from the scored runs of agents, and assign the bundles to tracks."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.identities import find_differing_settings, format_settings
from sitegen.importers.harbor.runs import HarborRun, HarborSubmission
from sitegen.importers.harbor.tasks import TaskDefinition
from sitegen.importers.harbor.trials import Trial
from sitegen.importers.kit.agents import model_maker, only
from sitegen.importers.kit.import_log import ImportLog, SourceLocation
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rounds import AgentResults, ImportSource
from sitegen.importers.kit.times import parse_timestamp
from sitegen.metrics.catalogue import COMP, default_columns
from sitegen.metrics.failstop import GAP, MT_AT_K, SR
from sitegen.models.benchmark import Protocol
from sitegen.models.incoming import Incoming
from sitegen.models.outcome import Start
from sitegen.models.submission import Provenance
from sitegen.models.task import TaskSet
from sitegen.problems import grouped, listed

_REFERENCE_SUFFIX = "-reference"
"""Suffix of the track of rounds from the reference state, if attempts have their own track."""

_SUMMARIES: dict[Protocol, str] = {
    "chain": "Harbor's multi-step format: every round is run and scored.",
    "fail-stop": (
        "Harbor's multi-step format: a run ends with the first round that it does not pass."
    ),
    "once": "Harbor's single-step format: all targets are graded at the end.",
}
_REFERENCE_SUMMARY = (
    "Harbor's multi-step format: every round is also run once from the reference solution's state."
)
_REFERENCE_COLUMNS = (SR.id, MT_AT_K.id, GAP.id, COMP.id)

_VERIFIERS: Mapping[str, Literal["shared", "separate"]] = {
    "shared": "shared",
    "separate": "separate",
}
"""Value of `Provenance.verifier` for each verifier mode of the runner; other modes map to None."""


@dataclass(frozen=True, slots=True)
class ScoredSubmission:
    """The runs of one agent that count, and the results of their rounds."""

    submission: HarborSubmission
    results: AgentResults


def make_incoming(
    scored_submissions: Sequence[ScoredSubmission],
    import_source: ImportSource,
    protocol: Protocol,
    options: ImportOptions,
) -> Incoming:
    """Return the bundles of all agents, assigned to their tracks.

    Every agent on a track with rounds from the reference state must have such rounds, but most
    agents have none. Agents that have them are also put on a second track, with all of their runs
    and the protocol fail-stop. If none of these agents has runs from the first round, the only
    column of this track is SR.
    """
    own_start: tuple[Start, ...] = ("own",)
    both_starts: tuple[Start, ...] = ("own", "reference")
    attempted = []
    sampled = []
    has_both = False
    for scored in scored_submissions:
        if scored.submission.attempts:
            attempted.append(_select_results(scored, own_start, import_source))
        if scored.submission.samples:
            sampled.append(_select_results(scored, both_starts, import_source))
            has_both |= bool(scored.submission.attempts)
    attempt_source = replace(
        import_source,
        title=options.facts.track_titles.get(options.track, ""),
        summary=_SUMMARIES[protocol],
        protocol=protocol,
        columns=default_columns(protocol, has_reference=False),
        has_picked_tasks=True,
        runs=attempted,
    )
    sample_source = replace(
        attempt_source,
        summary=_REFERENCE_SUMMARY,
        protocol="fail-stop",
        columns=_REFERENCE_COLUMNS if has_both else (SR.id,),
        runs=sampled,
    )
    if not sampled:
        sources = [attempt_source]
    elif not attempted:
        sources = [sample_source]
    else:
        sources = [attempt_source, replace(sample_source, title="", apart=_REFERENCE_SUFFIX)]
    # The agents' settings already include the reasoning setting.
    without_reasoning = replace(options, reasoning=None)
    return replace(sources[0], beside=sources[1:]).imported(without_reasoning)


def _select_results(
    scored: ScoredSubmission, starts: Collection[Start], import_source: ImportSource
) -> AgentResults:
    """Return an agent's results with the given starts only, for its bundle on one track.

    Conditions that should be the same in all runs but differ are reported.
    """
    submission = scored.submission
    runs: list[HarborRun] = []
    if "own" in starts:
        runs += submission.attempts.values()
    if "reference" in starts:
        runs += submission.samples.values()
    trials = [run.trial for run in runs]
    models = _find_models(runs, submission.entrant.name)
    scaffold_versions = distinct_values(run.identity.version for run in runs)
    conditions = {
        "models": models,
        "versions of the scaffold": scaffold_versions,
        "versions of the runner": distinct_values(trial.version for trial in trials),
        "settings of the agent": _distinct_settings(runs),
    }
    log = import_source.log
    for name, values in conditions.items():
        if len(values) > 1:
            message = f"{name} {listed(values)}"
            log.add_doubt(
                rules.CONDITIONS_DIFFER, log.root, SourceLocation(submission.entrant), message
            )
    makers = {model_maker(model) for model in models}
    days = [trial.day for trial in trials if trial.day]
    all_results = scored.results.results
    return replace(
        scored.results,
        facts={
            "organization": only(makers),
            "model": only(models),
            "scaffold_version": ", ".join(scaffold_versions),
        },
        day=max(days, default=None),
        results={key: result for key, result in all_results.items() if result.start in starts},
        failures=[failure for failure in scored.results.failures if failure.start in starts],
        parts=[trial.path for trial in trials],
        provenance=_make_provenance(submission, trials, import_source),
    )


def _find_models(runs: Sequence[HarborRun], agent_name: str) -> tuple[str, ...]:
    """Return the names of the models that the runs report, except the agent's own name.

    Some runs name a model with its provider and others without; only the longer name is kept.
    """
    names = {run.identity.model or run.identity.name or agent_name for run in runs}
    names.discard(agent_name)
    suffixes: set[str] = set()
    for name in names:
        parents = name.split("/")
        suffixes.update("/".join(parents[index:]) for index in range(1, len(parents)))
    return distinct_values(names - suffixes)


def _distinct_settings(runs: Iterable[HarborRun]) -> tuple[str, ...]:
    """Return the distinct combinations of the settings that differ between runs, as text."""
    identities = [run.identity for run in runs if run.identity.is_configured]
    differing = find_differing_settings(identities)
    if not differing:
        return ()
    labels = [", ".join(format_settings(identity, differing)) for identity in identities]
    return distinct_values(label or "none" for label in labels)


def _make_provenance(
    submission: HarborSubmission, trials: Sequence[Trial], import_source: ImportSource
) -> Provenance:
    """Return how an agent's trials were run, and report limits that differ from the tasks' own.

    A commit or a verifier mode is left out if the trials disagree on it.
    """
    log = import_source.log
    limits: set[tuple[str, float]] = set()
    for trial in trials:
        limits.update(trial.config.overrides())
    overrides: dict[str, str] = {}
    for name, values in grouped(sorted(limits)).items():
        overrides[name] = ", ".join(f"{value:g}" for value in values)
    if overrides:
        changes = [f"{name} {value}" for name, value in overrides.items()]
        spot = SourceLocation(submission.entrant)
        log.add_doubt(rules.LIMITS_CHANGED, log.root, spot, listed(changes))
    versions = distinct_values(trial.version for trial in trials)
    jobs = distinct_values(trial.job_id for trial in trials)
    commits = distinct_values(trial.commit for trial in trials)
    verifier = only(distinct_values(trial.result.verifier_environment_mode for trial in trials))
    starts = [parse_timestamp(trial.result.started_at) for trial in trials]
    ends = [parse_timestamp(trial.result.finished_at) for trial in trials]
    return Provenance(
        harness="harbor",
        harness_version=", ".join(versions) or None,
        jobs=jobs or None,
        code_commit=only(commits),
        started=min(filter(None, starts), default=None),
        finished=max(filter(None, ends), default=None),
        overrides=overrides or None,
        verifier=_VERIFIERS.get(verifier or ""),
        task_digest=TaskSet("", tuple(import_source.tasks.values())).digest,
    )


def distinct_values(values: Iterable[str | None]) -> tuple[str, ...]:
    """Return the distinct non-empty values, sorted, each on one line."""
    present = {one_line(value) for value in values if value}
    return tuple(sorted(present))


def find_protocol(tasks: Sequence[TaskDefinition], log: ImportLog) -> Protocol:
    """Return the protocol of a track, from the definitions of its tasks.

    A task without steps is treated as a chain of one round if other tasks are chains. Mixing chains
    and tasks with targets is an error.
    """
    chains = [task for task in tasks if task.is_chain]
    with_targets = [task for task in tasks if task.targets]
    if chains and with_targets:
        chain_id = chains[0].id
        message = f"{chain_id} is a chain of rounds, but {with_targets[0].id} is graded once"
        log.add(rules.TASKS_MIXED, with_targets[0].path, message)
    if not chains:
        return "once"
    stops = {task.stops_at_failure for task in chains if len(task.round_names) > 1}
    return "fail-stop" if stops == {True} else "chain"
