"""Import simulations of tau2-bench: one bundle per agent, over all domains.

Trials become attempts.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import chosen, model_maker
from sitegen.importers.kit.cases import CaseLists
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.joining import join_runs
from sitegen.importers.kit.options import Format, ImportOptions, Progress
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rewards import check_rewards, parse_reward
from sitegen.importers.kit.rounds import GRADED, AgentResults, ImportSource, Key
from sitegen.importers.kit.times import parse_timestamp
from sitegen.importers.kit.tree import SourceTree, digest_of
from sitegen.importers.tau2.files import SimulationFile, find_files, read_file, read_transcripts
from sitegen.importers.tau2.rules import CHECKS_DIFFER, ENDED_EARLY, SIMULATION_TWICE, USERS_DIFFER
from sitegen.importers.tau2.simulations import Simulation
from sitegen.models.declared import Declared
from sitegen.models.incoming import Incoming
from sitegen.models.outcome import PASS_REWARD
from sitegen.models.submission import Provenance
from sitegen.problems import counted, grouped, listed

_MAX_PASS_HAT = 8
"""The largest k for which pass^k is declared."""

_EMPTY = "no simulation file of tau2-bench was found"

_UNSCORED_FIX = (
    "run `tau2 run` again with the same `--save-to`, or grade the file with `tau2 evaluate-trajs`"
)


def read_tau2(source: Path, options: ImportOptions) -> Incoming:
    """Return the bundles of a simulation file, a folder of such files, or a run folder."""
    log = ImportLog(source)
    tree = SourceTree(source)
    files = _read_files(tree, options, log)
    log.problems += tree.problems()
    log.stop_at_errors()
    if not files:
        log.stop_at_nothing(rules.NOTHING_FOUND, _EMPTY)
    models = set(chosen((file.settings.model for file in files), options))
    files = [file for file in files if file.settings.model in models]
    imported = ImportSource(log, columns=GRADED, undated=rules.DATE_ASSUMED)
    imported.summary = _summarise_conditions(files)
    _check_users(files, log)
    case_lists = CaseLists()
    builder = _SimulationBuilder(imported, case_lists, options)
    runs = [builder.build_run(file) for file in files]
    log.stop_at_errors()
    imported.runs = join_runs(runs, options, log)
    for run in imported.runs:
        _report_outcomes(run, log)
    for round_key in case_lists.lists:
        cases = case_lists.facts[round_key]
        names = case_lists.usual(round_key)
        imported.cases[round_key] = tuple(cases[name] for name in names)
    imported.metrics = _declare_pass_hat(imported.attempts)
    options = replace(options, task_names=_complete_task_names(options.task_names, imported))
    return imported.imported(options)


def recognise(tree: SourceTree) -> str | None:
    """Return a phrase that names a file of simulations in a source; None if there is none."""
    return tree.example("simulations of tau2-bench", find_files(tree))


FORMAT = Format(
    read_tau2,
    "main",
    extras=frozenset({"scale", "runs", "pick"}),
    takes_files=True,
    recognise=recognise,
)


def _read_files(tree: SourceTree, options: ImportOptions, log: ImportLog) -> list[SimulationFile]:
    """Return the files of a source in chronological order, excluding copies."""
    paths = list(find_files(tree))
    pace = Progress(len(paths), options.watch)
    files = []
    digests = set()
    copies = []
    for path in paths:
        digest = digest_of([path])
        if digest in digests:
            copies.append(path)
            continue
        digests.add(digest)
        file = read_file(path, log)
        if file is not None:
            files.append(file)
        pace.step()
    files.sort(key=_start_time)
    _drop_repeated_simulations(files, log)
    copies += [file.path for file in files if not file.simulations]
    log.note_passed_over("a copy of another file, or without a simulation of its own", copies)
    return [file for file in files if file.simulations]


def _start_time(file: SimulationFile) -> tuple[str, str]:
    """Return a chronological sort key: the earliest start of a file's simulations, and its name."""
    started = [simulation.started for simulation in file.simulations if simulation.started]
    return min(started, default=file.timestamp), file.path.name


def _drop_repeated_simulations(files: Sequence[SimulationFile], log: ImportLog) -> None:
    """Drop simulations that an earlier file already contains, and report different rewards.

    tau2-bench keeps the ids of simulations when it trims a file.
    """
    first_by_id: dict[str, tuple[SimulationFile, Simulation]] = {}
    for file in files:
        new_simulations = []
        for simulation in file.simulations:
            if simulation.id not in first_by_id:
                new_simulations.append(simulation)
                if simulation.id:
                    first_by_id[simulation.id] = file, simulation
                continue
            first_file, first = first_by_id[simulation.id]
            if first.reward != simulation.reward:
                message = (
                    f"simulation {simulation.id} has the reward {first.reward}"
                    f" in {log.name(first_file.path)}"
                    f" but {simulation.reward} in {log.name(file.path)}"
                )
                log.add(SIMULATION_TWICE, file.path, one_line(message), kind="")
        file.simulations = new_simulations


def _summarise_conditions(files: Sequence[SimulationFile]) -> str:
    """Return one or two sentences about the domains and simulated users of the track."""
    domains: dict[str, None] = {}
    users: dict[str, None] = {}
    for file in files:
        domains[file.settings.domain] = None
        users[file.settings.user] = None
    domains.pop("", None)
    users.pop("", None)
    summary = f"Tasks of tau2-bench: {listed(domains)}." if domains else "Tasks of tau2-bench."
    if users:
        summary += f" The user is simulated by {listed(users)}."
    return summary


def _check_users(files: Sequence[SimulationFile], log: ImportLog) -> None:
    """Warn if the agents of a domain had different simulated users."""
    users: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for file in files:
        users[file.settings.domain][file.settings.user or "unknown"] = None
    for domain, names in users.items():
        if len(names) > 1:
            fact = f"{domain or 'the tasks'} with {listed(names, separator=' and with ')}"
            log.add_with_caveat(USERS_DIFFER, log.root, fact, None, fact)


@dataclass(frozen=True, slots=True)
class _SimulationBuilder:
    """Builds runs from files."""

    source: ImportSource
    """Receives the titles and labels of tasks."""
    case_lists: CaseLists
    """Receives the cases of tasks."""
    options: ImportOptions

    def build_run(self, file: SimulationFile) -> AgentResults:
        """Return the run of one file, without rounds if any reward is outside 0 to 1."""
        log = self.source.log
        run = self._start_run(file)
        if not self._check_rewards(file):
            return run
        attempts = _number_attempts(file.simulations)
        run.attempts = max(attempts.values(), default=1)
        attempt_keys = {}
        for number, attempt in attempts.items():
            simulation = file.simulations[number]
            attempt_key = _task_name(file.settings.domain, simulation.task), attempt
            attempt_keys[number] = attempt_key
            self._add_result(simulation, attempt_key, run, file.digests.get(simulation.id))
        planned_trials = file.settings.trials
        if planned_trials and planned_trials > run.attempts:
            message = f"{run.attempts} of {planned_trials} trials found"
            log.add_doubt(rules.RUN_UNFINISHED, file.path, run.spot(), message)
        _check_index(file, run, log)
        run.transcripts = partial(read_transcripts, file, attempt_keys)
        return run

    def _start_run(self, file: SimulationFile) -> AgentResults:
        """Return a run without rounds, with its agent, date and tasks."""
        settings = file.settings
        entrant = settings.entrant
        if not entrant.name and self.options.agent:
            entrant = replace(entrant, name=self.options.agent)
        run = AgentResults(file.path, entrant, {"organization": model_maker(settings.model)})
        _set_provenance(run, file)
        assumptions = list(settings.assumptions)
        if any(simulation.seconds is not None for simulation in file.simulations):
            assumptions.append(
                "the duration of a simulation, including the simulated user's part, is the agent's"
            )
        for fact in assumptions:
            self.source.log.assume(fact, run.entrant)
        run.planned = [_task_name(settings.domain, task) for task in file.tasks]
        tried_tasks = [simulation.task for simulation in file.simulations]
        for task in dict.fromkeys(file.tasks + tried_tasks):
            self._describe_task(settings.domain, task)
        return run

    def _describe_task(self, domain: str, task: str) -> None:
        """Add the title of a task, and its domain as a label."""
        name = _task_name(domain, task)
        self.source.titles[name] = f"{domain} {task}".strip()
        if domain:
            self.source.labels[name]["domain"] = domain

    def _check_rewards(self, file: SimulationFile) -> bool:
        """Return whether all rewards of a file are from 0 to 1; other rewards are reported."""
        log = self.source.log
        rewards = []
        for simulation in file.simulations:
            reward = self._scale_reward(simulation)
            if reward is not None:
                rewards.append(reward)
        name = log.name(file.path)
        return check_rewards(rewards, file.path, log, self.options.scale, name)

    def _scale_reward(self, simulation: Simulation) -> float | None:
        """Return the reward of a simulation; None if it has no verdict or is not a number."""
        if not simulation.has_verdict:
            return None
        return parse_reward(simulation.reward, self.options.scale)

    def _add_result(
        self,
        simulation: Simulation,
        attempt_key: tuple[str, int],
        run: AgentResults,
        digest: str | None,
    ) -> None:
        """Add the reward of a simulation to its run, or the reason why it has none."""
        facts: dict[str, Any] = {
            "turns": simulation.turns,
            "interactions": simulation.tool_calls,
            "input_tokens": simulation.input_tokens,
            "output_tokens": simulation.output_tokens,
            "cost_usd": simulation.cost_usd,
            "agent_seconds": simulation.seconds,
            "grader_digest": digest,
            "transcript_digest": digest,
        }
        reward = self._scale_reward(simulation)
        if reward is None:
            run.grade(*attempt_key, 0.0, simulation.cause, **facts)
            return
        facts["measures"] = dict(simulation.measures) or None
        facts |= self._check_cases(simulation, reward, attempt_key, run)
        run.grade(*attempt_key, reward, **facts)
        if simulation.is_early:
            key: Key = (*attempt_key, 1, "own")
            cause = simulation.end_reason.replace("_", " ")
            run.results[key] = replace(run.results[key], cause=cause)

    def _check_cases(
        self, simulation: Simulation, reward: float, attempt_key: tuple[str, int], run: AgentResults
    ) -> dict[str, object]:
        """Return the cases of a simulation, as fields of `RoundResult`.

        The result is empty if the cases contradict the reward, which is reported.
        """
        outcomes = "".join(record.outcome for record in simulation.cases)
        if not outcomes:
            return {}
        failed = outcomes.count("f")
        if (reward >= PASS_REWARD) != (failed == 0):
            message = f"reward {reward:g}, {counted(failed, 'failed check')}"
            self.source.log.add_doubt(CHECKS_DIFFER, run.path, run.spot(*attempt_key), message)
            return {}
        task, _ = attempt_key
        return {
            "case_ids": self.case_lists.add((task, 1), simulation.cases),
            "outcomes": outcomes,
            "passed": outcomes.count("p"),
            "total": len(outcomes),
        }


def _set_provenance(run: AgentResults, file: SimulationFile) -> None:
    """Set the day and the provenance of a run."""
    settings = file.settings
    times = []
    for simulation in file.simulations:
        for timestamp in (simulation.started, simulation.finished):
            time = parse_timestamp(timestamp)
            if time is not None:
                times.append(time)
    started = min(times, default=None)
    finished = max(times, default=None)
    last = finished or parse_timestamp(file.timestamp)
    run.day = last.date() if last else None
    run.provenance = Provenance(
        harness="tau-bench" if file.is_tau_bench else "tau2-bench",
        code_commit=settings.commit,
        seeds=None if settings.seed is None else (settings.seed,),
        started=started,
        finished=finished,
    )


def _task_name(domain: str, task: str) -> str:
    """Return the name of a task with its domain, as ids are usually unique only in a domain."""
    return f"{domain}/{task}" if domain else task


def _complete_task_names(requested: Sequence[str], source: ImportSource) -> list[str]:
    """Return the requested task names with their domains.

    A request for an id alone is completed if only one domain has it.
    """
    names_by_id: defaultdict[str, set[str]] = defaultdict(set)
    for run in source.runs:
        for name in (*run.planned, *run.task_lengths()):
            names_by_id[name.partition("/")[2] or name].add(name)
    complete = []
    for task in requested:
        names = names_by_id.get(task, {task})
        complete.append(next(iter(names)) if len(names) == 1 else task)
    return complete


def _number_attempts(simulations: Sequence[Simulation]) -> dict[int, int]:
    """Return the attempt number of each simulation, keyed by its position in the file.

    Trial 0 is attempt 1. If a file contains a trial twice, a simulation with a verdict replaces one
    without a verdict. If trials are still repeated, or are not numbered, the simulations of a task
    are numbered in order.
    """
    numbers_by_task = grouped((item.task, number) for number, item in enumerate(simulations))
    attempts = {}
    for numbers in numbers_by_task.values():
        trials = _trials_that_count(numbers, simulations)
        ordered = sorted(trials, key=lambda number: trials[number] or 0)
        is_numbered = None not in trials.values() and len(set(trials.values())) == len(trials)
        for position, number in enumerate(ordered, start=1):
            attempts[number] = (trials[number] or 0) + 1 if is_numbered else position
    return attempts


def _trials_that_count(
    numbers: Sequence[int], simulations: Sequence[Simulation]
) -> Mapping[int, int | None]:
    """Return the trial of each simulation of a task, keyed by its position in the file.

    Simulations without a verdict whose trial was run again are left out.
    """
    graded = {simulations[number].trial for number in numbers if simulations[number].has_verdict}
    graded.discard(None)
    trials = {}
    for number in numbers:
        simulation = simulations[number]
        if simulation.has_verdict or simulation.trial not in graded:
            trials[number] = simulation.trial
    return trials


def _check_index(file: SimulationFile, run: AgentResults, log: ImportLog) -> None:
    """Report differences between the index of a folder and its simulations, which count."""
    simulations_by_id = {simulation.id: simulation for simulation in file.simulations}
    for simulation_id, entry in file.index.items():
        simulation = simulations_by_id.get(simulation_id)
        if simulation is None:
            message = "in the index, but not among the simulations"
        elif simulation.reward != entry.reward:
            message = one_line(f"reward {simulation.reward}, but {entry.reward} in the index")
        else:
            continue
        spot = run.spot(_task_name(file.settings.domain, entry.task), (entry.trial or 0) + 1)
        log.add_doubt(rules.SCORE_DIFFERS, file.path, spot, message)


def _report_outcomes(run: AgentResults, log: ImportLog) -> None:
    """Report an agent's attempts that have no verdict or that ended early.

    An agent without any verdict is refused: its rewards of 0 were not measured.
    """
    results = run.results.values()
    if results and all(result.state == "aborted" for result in results):
        causes = dict.fromkeys(str(result.cause) for result in results)
        message = f"no simulation of {run.entrant} has a reward: {listed(causes, 3)}"
        log.problems.append(rules.NOTHING_SCORED.broken(run.path, None, message, _UNSCORED_FIX))
        return
    for result in results:
        if result.cause is not None:
            rule = rules.RUN_FAILED if result.state == "aborted" else ENDED_EARLY
            spot = run.spot(result.task, result.attempt)
            log.add_doubt(rule, run.path, spot, result.cause)


def _declare_pass_hat(attempts: int) -> dict[str, Declared]:
    """Return the metrics pass^k, keyed by id; empty for a single attempt."""
    metrics: dict[str, Declared] = {}
    if attempts < 2:  # noqa: PLR2004 - several
        return metrics
    for k in range(1, min(attempts, _MAX_PASS_HAT) + 1):
        metric = Declared(
            id=f"pass_hat_{k}",
            title=f"pass^{k}",
            unit="percent",
            of="pass",
            rounds="all",
            attempts="pass_hat_k",
            k=k,
            summary=f"Chance that {k} trials of a task all succeed, averaged over tasks.",
            source="tau-bench, arXiv:2406.12045, section 4.",
        )
        metrics[metric.id] = metric
    return metrics
