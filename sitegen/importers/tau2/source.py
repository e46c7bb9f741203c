"""Imports simulations of tau2-bench: a bundle for each agent, its domains together, trials as attempts."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import chosen, maker_of
from sitegen.importers.kit.cases import CaseLists
from sitegen.importers.kit.joining import join_runs
from sitegen.importers.kit.options import Format, ImportOptions, Pace
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rewards import check_rewards, reward_of
from sitegen.importers.kit.rounds import GRADED, Key, Run, Source
from sitegen.importers.kit.told import moment
from sitegen.importers.kit.tree import Tree, digest_of
from sitegen.importers.tau2.files import SimulationFile, find_files, read_file, transcripts_of
from sitegen.importers.tau2.rules import CHECKS_DIFFER, ENDED_EARLY, SIMULATION_TWICE, USERS_DIFFER
from sitegen.importers.tau2.simulations import Simulation
from sitegen.models.declared import Declared
from sitegen.models.incoming import Incoming
from sitegen.models.outcome import PASS_REWARD
from sitegen.models.submission import Provenance
from sitegen.problems import counted, listed

_MOST_CHANCES = 8
"""pass^k is declared up to this k."""

_EMPTY = "nothing in it is a simulation file of tau2-bench"


def read_tau2(source: Path, options: ImportOptions) -> Incoming:
    """Read a simulation file, a folder of them, or a folder of a run. Every agent becomes a bundle."""
    report = Report(source)
    tree = Tree(source)
    files = _read_files(tree, options, report)
    report.problems += tree.problems()
    report.stop_at_errors()
    if not files:
        report.stop_at_nothing(rules.NOTHING_FOUND, _EMPTY)
    wanted = set(chosen((file.settings.model for file in files), options))
    files = [file for file in files if file.settings.model in wanted]
    imported = Source(report, columns=GRADED, undated=rules.DATE_ASSUMED)
    imported.summary = _summary(files)
    _check_users(files, report)
    lists = CaseLists()
    reader = _RunReader(imported, lists, options)
    runs = [reader.run(file) for file in files]
    report.stop_at_errors()
    imported.runs = join_runs(runs, options, report)
    for run in imported.runs:
        if _is_scored(run, report):
            _report_ends(run, report)
    for place in lists.lists:
        imported.cases[place] = tuple(lists.facts[place][name] for name in lists.usual(place))
    imported.metrics = _chances(imported.attempts)
    options = replace(options, task_names=_full_names(options.task_names, imported))
    return imported.imported(options)


def recognise(tree: Tree) -> str | None:
    """Return what shows that a source holds simulations: the first file of them."""
    return tree.example("simulations of tau2-bench", find_files(tree))


FORMAT = Format(
    read_tau2,
    "main",
    extras=frozenset({"scale", "runs", "pick"}),
    takes_files=True,
    recognise=recognise,
)


def _read_files(tree: Tree, options: ImportOptions, report: Report) -> list[SimulationFile]:
    """Return the files of a source in the order of time, without copies."""
    paths = list(find_files(tree))
    pace = Pace(len(paths), options.watch)
    files = []
    digests = set()
    copies = []
    for path in paths:
        digest = digest_of([path])
        if digest in digests:
            copies.append(path)
            continue
        digests.add(digest)
        file = read_file(path, report)
        if file is not None:
            files.append(file)
        pace.step()
    files.sort(key=_time)
    _drop_repeated(files, report)
    copies += [file.path for file in files if not file.simulations]
    report.passed_over("a copy of another file, or without a simulation of its own", copies)
    return [file for file in files if file.simulations]


def _time(file: SimulationFile) -> tuple[str, str]:
    started = [simulation.started for simulation in file.simulations if simulation.started]
    return min(started, default=file.timestamp), file.path.name


def _drop_repeated(files: Sequence[SimulationFile], report: Report) -> None:
    """Drop simulations that an earlier file holds already: tau2-bench keeps their ids when it trims a file."""
    simulations_by_id: dict[str, tuple[SimulationFile, Simulation]] = {}
    for file in files:
        kept_numbers = []
        for simulation in file.simulations:
            if simulation.id not in simulations_by_id:
                kept_numbers.append(simulation)
            elif simulations_by_id[simulation.id][1].reward != simulation.reward:
                first, other = simulations_by_id[simulation.id]
                message = (
                    f"simulation {simulation.id} has the reward {other.reward} in {report.name(first.path)}"
                    f" and {simulation.reward} in {report.name(file.path)}"
                )
                report.add(SIMULATION_TWICE, file.path, one_line(message), kind="")
            if simulation.id:
                simulations_by_id.setdefault(simulation.id, (file, simulation))
        file.simulations = kept_numbers


def _summary(files: Sequence[SimulationFile]) -> str:
    """Return a sentence about the conditions of the track."""
    domains = dict.fromkeys(file.settings.domain for file in files if file.settings.domain)
    users = dict.fromkeys(file.settings.user for file in files if file.settings.user)
    sentence = f"Tasks of tau2-bench: {listed(domains)}." if domains else "Tasks of tau2-bench."
    return f"{sentence} The user is simulated by {listed(users)}." if users else sentence


def _check_users(files: Sequence[SimulationFile], report: Report) -> None:
    """Warn where the agents of a domain had different users."""
    users: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for file in files:
        users[file.settings.domain][file.settings.user or "unknown"] = None
    for domain, names in users.items():
        if len(names) > 1:
            fact = f"{domain or 'the tasks'} with {listed(names, separator=' and with ')}"
            report.say(USERS_DIFFER, report.root, fact, None, fact)


@dataclass(frozen=True, slots=True)
class _RunReader:
    """Makes runs of files."""

    source: Source
    """Takes what is known of tasks."""
    lists: CaseLists
    """Takes the cases of tasks."""
    options: ImportOptions

    def run(self, file: SimulationFile) -> Run:
        """Return the rounds of one file."""
        report, settings = self.source.report, file.settings
        entrant = settings.entrant
        if not entrant.name and self.options.agent:
            entrant = replace(entrant, name=self.options.agent)
        run = Run(file.path, entrant, {"organization": maker_of(settings.model)})
        _date(run, file)
        for fact in settings.assumed:
            report.assume(fact, run.entrant)
        if any(simulation.seconds is not None for simulation in file.simulations):
            report.assume(
                "the duration of a simulation, with the simulated user's part, is the agent's",
                run.entrant,
            )
        run.planned = [_task_name(settings.domain, task) for task in file.tasks]
        for task in dict.fromkeys(
            (*file.tasks, *(simulation.task for simulation in file.simulations))
        ):
            self._describe(settings.domain, task)
        scale = self.options.scale
        graded = [simulation for simulation in file.simulations if simulation.has_verdict]
        rewards = [reward_of(simulation.reward, scale) for simulation in graded]
        usable = [reward for reward in rewards if reward is not None]
        if not check_rewards(usable, file.path, report, scale, report.name(file.path)):
            return run
        attempts = _attempts(file.simulations)
        run.attempts = max(attempts.values(), default=1)
        places = {}
        for number, attempt in attempts.items():
            simulation = file.simulations[number]
            places[number] = _task_name(settings.domain, simulation.task), attempt
            self._grade(simulation, places[number], run, file.digests.get(simulation.id))
        if settings.trials and settings.trials > run.attempts:
            message = f"{run.attempts} of {settings.trials} trials are there"
            report.doubt(rules.RUN_UNFINISHED, file.path, run.spot(), message)
        _check_index(file, run, report)
        run.transcripts = partial(transcripts_of, file, places)
        return run

    def _describe(self, domain: str, task: str) -> None:
        name = _task_name(domain, task)
        self.source.titles[name] = f"{domain} {task}".strip()
        if domain:
            self.source.labels[name]["domain"] = domain

    def _grade(
        self, simulation: Simulation, place: tuple[str, int], run: Run, digest: str | None
    ) -> None:
        """Take the reward of a simulation, or why it has none."""
        report, spot = self.source.report, run.spot(*place)
        reward = (
            reward_of(simulation.reward, self.options.scale) if simulation.has_verdict else None
        )
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
        if reward is None:
            run.grade(*place, 0.0, simulation.cause, **facts)
            return
        facts["measures"] = dict(simulation.measures) or None
        outcomes = "".join(record.outcome for record in simulation.cases)
        if outcomes and (reward >= PASS_REWARD) != ("f" not in outcomes):
            message = f"reward {reward:g}, {counted(outcomes.count('f'), 'failed check')}"
            report.doubt(CHECKS_DIFFER, run.path, spot, message)
        elif outcomes:
            facts["case_ids"] = self.lists.add((place[0], 1), simulation.cases)
            facts |= {"outcomes": outcomes, "passed": outcomes.count("p"), "total": len(outcomes)}
        run.grade(*place, reward, **facts)
        if simulation.is_early:
            key: Key = (*place, 1, "own")
            run.results[key] = replace(run.results[key], cause=simulation.ended.replace("_", " "))


def _date(run: Run, file: SimulationFile) -> None:
    """Say of a run when it was made, and what with."""
    settings = file.settings
    stamps = [
        text
        for simulation in file.simulations
        for text in (simulation.started, simulation.finished)
    ]
    times = [time for time in map(moment, stamps) if time is not None]
    last = max(times, default=moment(file.timestamp))
    run.day = last.date() if last else None
    run.provenance = Provenance(
        harness="tau-bench" if file.is_old else "tau2-bench",
        code_commit=settings.commit,
        seeds=None if settings.seed is None else (settings.seed,),
        started=min(times, default=None),
        finished=max(times, default=None),
    )


def _task_name(domain: str, task: str) -> str:
    """Return the name of a task: ids are numbers in most domains, and each domain begins at 0."""
    return f"{domain}/{task}" if domain else task


def _full_names(asked: Sequence[str], source: Source) -> list[str]:
    """Return the names of tasks that were asked for; an id alone is enough where one domain has it."""
    names: defaultdict[str, set[str]] = defaultdict(set)
    for run in source.runs:
        for name in (*run.planned, *(task for task, *_ in run.results)):
            names[name.partition("/")[2] or name].add(name)
    full = []
    for task in asked:
        several = names.get(task, {task})
        full.append(next(iter(several)) if len(several) == 1 else task)
    return full


def _attempts(simulations: Sequence[Simulation]) -> dict[int, int]:
    """Return the attempt that each simulation is, by its number in the file.

    A trial counts from 0. Where a file holds a trial twice, one without a verdict gives way to one that has one;
    otherwise, and where trials are not numbered, the simulations of a task are counted in their order.
    """
    by_task: defaultdict[str, list[int]] = defaultdict(list)
    for number, simulation in enumerate(simulations):
        by_task[simulation.task].append(number)
    attempts = {}
    for numbers in by_task.values():
        kept_numbers = _without_failed_repeats(numbers, simulations)
        trials = [simulations[number].trial for number in kept_numbers]
        is_numbered = None not in trials and len(set(trials)) == len(trials)
        kept_numbers.sort(key=lambda number: simulations[number].trial or 0)
        for position, number in enumerate(kept_numbers):
            trial = simulations[number].trial
            attempts[number] = trial + 1 if is_numbered and trial is not None else position + 1
    return attempts


def _without_failed_repeats(numbers: Sequence[int], simulations: Sequence[Simulation]) -> list[int]:
    """Leave out simulations without a verdict whose trial was run again."""
    graded = {simulations[number].trial for number in numbers if simulations[number].has_verdict}
    kept_numbers = []
    for number in numbers:
        simulation = simulations[number]
        if simulation.has_verdict or simulation.trial is None or simulation.trial not in graded:
            kept_numbers.append(number)
    return kept_numbers


def _check_index(file: SimulationFile, run: Run, report: Report) -> None:
    """Compare the simulations of a folder with its index: the simulations count."""
    here = {simulation.id: simulation for simulation in file.simulations}
    for name, indexed in file.index.items():
        simulation = here.get(name)
        spot = run.spot(_task_name(file.settings.domain, indexed.task), (indexed.trial or 0) + 1)
        if simulation is None:
            report.doubt(
                rules.SCORE_DIFFERS, file.path, spot, "in the index, but not among the simulations"
            )
        elif simulation.reward != indexed.reward:
            message = f"reward {simulation.reward}, and {indexed.reward} in the index"
            report.doubt(rules.SCORE_DIFFERS, file.path, spot, one_line(message))


def _is_scored(run: Run, report: Report) -> bool:
    """Return whether an agent has a verdict; without one it is refused, as nobody measured its 0."""
    if any(result.state != "aborted" for result in run.results.values()) or not run.results:
        return True
    causes = dict.fromkeys(str(result.cause) for result in run.results.values())
    message = f"no simulation of {run.entrant} has a reward: {listed(causes, 3)}"
    fix = "run `tau2 run` again with the same `--save-to`, or grade the file with `tau2 evaluate-trajs`"
    report.problems.append(rules.NOTHING_SCORED.broken(run.path, None, message, fix))
    return False


def _report_ends(run: Run, report: Report) -> None:
    """Report the attempts of an agent that came to no verdict, or to one because they ended early."""
    for result in run.results.values():
        if result.cause is None:
            continue
        rule = rules.TRIES_FAILED if result.state == "aborted" else ENDED_EARLY
        report.doubt(rule, run.path, run.spot(result.task, result.attempt), result.cause)


def _chances(attempts: int) -> dict[str, Declared]:
    """Return pass^k for each k, which several trials make possible."""
    metrics: dict[str, Declared] = {}
    most = min(attempts, _MOST_CHANCES) if attempts > 1 else 0
    for k in range(1, most + 1):
        metrics[f"pass_hat_{k}"] = Declared(
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
    return metrics
