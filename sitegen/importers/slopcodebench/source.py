"""Imports run folders of SlopCodeBench: chooses runs, and makes a bundle of each agent's."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date as Date  # noqa: N812 - a field is called date, as the option is
from math import fsum, isclose
from pathlib import Path

from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import Roster, is_asked_for, repeated
from sitegen.importers.kit.claims import as_said, published_about
from sitegen.importers.kit.drafts import bundle_names, finished, omission_notes
from sitegen.importers.kit.options import ImportOptions, Pace
from sitegen.importers.kit.report import Doubt, caveats_of, stop_at_errors
from sitegen.importers.kit.tree import Tree
from sitegen.importers.slopcodebench import rules
from sitegen.importers.slopcodebench.checkpoints import REGRESSION
from sitegen.importers.slopcodebench.definition import Lengths, benchmark_of, named, read_catalogue, task_set_of
from sitegen.importers.slopcodebench.runs import Reader, Run, RunFolder, find_runs, open_runs
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.outcome import RoundResult
from sitegen.models.submission import Agent, Provenance, Submission
from sitegen.models.task import SHORTEST
from sitegen.problems import Problem, Rule, UsageError, counted, errors_of

_IDLE = "No run got to these problems"


def read_slopcodebench(source: Path, options: ImportOptions, catalog: Path | None = None) -> Incoming:
    """Read the run folders in a folder, whichever generation of the runner wrote them.

    Every agent becomes a bundle; several runs of one agent under the same conditions are its attempts. Checkpoints
    that no run got to are recorded as unreached.

    Args:
        source: A run's folder, or one that holds run folders.
        options: Where the results go, and what the source does not tell of the agents.
        catalog: A file that tells how many checkpoints each problem has, instead of the counts known here.

    Raises:
        UsageError: No run is of the model that is to be taken, or one name is given to several.
        ProblemsError: The runs can't be used as they stand; carries every problem, warnings included.
    """
    chosen = _chosen(source, options)
    runs, problems = chosen.runs, chosen.problems
    given, catalog_problems = read_catalogue(catalog) if catalog else (None, [])
    catalogued = Lengths(source, runs, given)
    known = catalogued.by_problem
    begun = {result.task for run in runs for result in run.produced}
    idle = sorted(known.keys() - begun) if options.allow_missing else []
    lengths = {problem: length for problem, length in known.items() if problem not in idle}
    entrants, entrant_problems = _entrants(source, runs, options)
    stated, claim_problems = published_about([entrant.agent.name for entrant in entrants], options)
    problems += [*catalog_problems, *catalogued.problems(), *entrant_problems, *claim_problems]
    doubts = {run.path: list(_doubts(run, known)) for run in runs}
    for entrant in entrants:
        if entrant.conditions:
            what = f"{entrant.agent.name} ran with {', '.join(entrant.conditions)}"
            problems.append(rules.CONDITIONS.broken(entrant.runs[0].path, None, what))
    for path, found in doubts.items():
        places = {kit_rules.SCORE_DIFFERS: path / "result.json"}
        problems += [rule.broken(places.get(rule, path), None, what) for rule, what in found]
    if idle:
        what = f"no run got to {len(idle)} of {len(known)} problems: {', '.join(idle)}"
        problems.append(kit_rules.TASKS_LEFT_OUT.broken(source, None, what))
    stop_at_errors(problems)
    tasks = task_set_of(options.track, lengths, runs, chosen.reader.cases)
    attempts = max(len(entrant.runs) for entrant in entrants)
    drafts = []
    for entrant in entrants:
        about = [each for run in entrant.runs for each in (*run.doubts, *doubts[run.path], *catalogued.doubts(run))]
        draft = entrant.draft(options.track, lengths, about, attempts)
        drafts.append(finished(draft, stated.get(entrant.agent.name)))
    return Incoming(
        benchmark_of(tasks, attempts, options),
        (tasks,),
        tuple(drafts),
        omission_notes(idle, len(known), _IDLE, drafts),
        tuple(problems),
        (*chosen.notes, *_entrant_notes(source, entrants, lengths)),
    )


@dataclass(slots=True)
class _Chosen:
    """The runs of a source that are imported, and which are not, and why."""

    source: Path
    runs: list[Run] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    reader: Reader = field(default_factory=Reader)

    def leave_out(self, paths: Sequence[Path], rule: Rule, what: str) -> None:
        """Note which runs are not imported, if any."""
        self.notes += [f"{named(path, self.source)}: passed over, it is {what}" for path in paths]
        if paths:
            more = f", and there is {counted(len(paths) - 1, 'more such run')}" if len(paths) > 1 else ""
            self.problems.append(rule.broken(paths[0], None, f"this is {what}{more}"))

    def of_model(self, opened: Sequence[RunFolder], options: ImportOptions) -> list[RunFolder]:
        """The runs of the model that is to be taken.

        Raises:
            UsageError: There are none of it.
        """
        models = {each.path: each.settings.model or "an unknown model" for each in opened}
        wanted = [each for each in opened if is_asked_for([each.settings.model or ""], options)]
        if opened and not wanted:
            known = ", ".join(sorted(set(models.values())))
            raise UsageError(f"the source has no runs of model {options.model}; there are: {known}")
        for path in sorted(models.keys() - {each.path for each in wanted}):
            self.notes.append(f"{named(path, self.source)}: passed over, it is of {models[path]}")
        return wanted

    def take(self, runs: Sequence[Run]) -> None:
        """Take the runs that got to a checkpoint, each once: of several folders of it, the one that tells of most."""
        self.leave_out([run.path for run in runs if not run.produced], rules.EMPTY, "a run without a checkpoint")
        copies: list[Path] = []
        for run in sorted(filter(lambda run: run.produced, runs), key=lambda run: (-len(run.produced), run.path)):
            if any(run.is_copy_of(other) for other in self.runs):
                copies.append(run.path)
            else:
                self.runs.append(run)
        self.leave_out(sorted(copies), rules.COPY, "a copy of another run")
        self.runs.sort(key=lambda run: run.path)


def _chosen(source: Path, options: ImportOptions) -> _Chosen:
    """Find and read the runs that are to be imported.

    Raises:
        UsageError: None is of the model that is to be taken.
        ProblemsError: There are none, or their files can't be used as they stand.
    """
    tree = Tree(source)
    folders, nested = find_runs(tree)
    opened, faults = open_runs(folders)
    chosen = _Chosen(source, problems=[*tree.problems(), *faults])
    chosen.notes.append(f"{counted(len(folders), 'run folder')} found")
    chosen.notes += [f"{named(path, source)}: passed over, it lies inside a run" for path in nested]
    if not opened:
        chosen.problems.append(rules.NO_RUN.broken(source, None, "there is no run folder"))
    wanted = chosen.of_model(opened, options)
    stepwise = [each for each in wanted if not each.settings.one_shot]
    one_shot = [each.path for each in wanted if each.settings.one_shot]
    chosen.leave_out(one_shot, rules.ONE_SHOT_LEFT_OUT if stepwise else rules.ONE_SHOT, "a one-shot run")
    stop_at_errors(chosen.problems)
    runs, pace = [], Pace(len(stepwise), options.watch)
    for each in stepwise:
        runs.append(chosen.reader.read(each))
        pace.step()
    chosen.take(runs)
    chosen.problems += chosen.reader.problems
    if not chosen.runs and not errors_of(chosen.problems):
        chosen.problems.append(rules.NO_RUN.broken(source, None, "no run has a checkpoint"))
    stop_at_errors(chosen.problems)
    if repeats := chosen.reader.repeated:
        twice = counted(repeats, "second evaluation")
        chosen.notes.append(f"{twice} passed over, of code as a further prompt left it")
    return chosen


@dataclass(frozen=True, slots=True)
class _Entrant:
    """An agent with its runs, which are its attempts."""

    agent: Agent
    runs: tuple[Run, ...]
    """In the order that they began."""
    date: Date
    """The day of the results."""
    bundle: str
    """Name of the bundle."""
    is_dated: bool
    """Whether anything tells the day."""

    @property
    def conditions(self) -> tuple[str, ...]:
        """In what its runs differ from the published ones."""
        return self.runs[0].settings.conditions

    def draft(self, track: str, lengths: Mapping[str, int], doubts: Sequence[Doubt], most: int) -> Draft:
        """Make its bundle; `most` are the attempts of the track, the most that an agent made."""
        own = [(kit_rules.DATE_ASSUMED, "")] if not self.is_dated else []
        if self.conditions:
            own.append((rules.CONDITIONS, ", ".join(self.conditions)))
        commits = {run.settings.catalogue.commit or "" for run in self.runs}
        commit = commits.pop() if len(commits) == 1 else ""
        submission = Submission(
            schema_version=1,
            track=track,
            date=self.date,
            attempts=len(self.runs) if len(self.runs) != most else None,
            caveats=caveats_of((*own, *doubts)),
            agent=self.agent,
            provenance=Provenance(
                harness="slop-code-bench",
                task_digest=commit if len(commit) >= SHORTEST else None,
                seeds=tuple(run.seed for run in self.runs if run.seed is not None) or None,
                started=min(filter(None, (run.started for run in self.runs)), default=None),
                finished=max(filter(None, (run.finished for run in self.runs)), default=None),
            ),
        )
        rounds = [each for attempt, run in enumerate(self.runs, start=1) for each in run.rounds(lengths, attempt)]
        rounds.sort(key=lambda each: (each.task, each.attempt, each.round))
        return Draft(self.bundle, submission, tuple(rounds))


def _entrants(source: Path, runs: Sequence[Run], options: ImportOptions) -> tuple[list[_Entrant], list[Problem]]:
    """The agents of some runs, in the order of their bundles: runs of one under the same conditions are attempts.

    Raises:
        UsageError: One name is given to several models.
    """
    roster, groups = Roster.of((), {}, options.aliases), defaultdict[Agent, list[Run]](list)
    started = {run.path: run.started for run in runs}
    for run in sorted(runs, key=lambda run: (started[run.path] is None, f"{started[run.path]}", run.path)):
        settings = run.settings
        if settings.model or options.agent:
            groups[settings.agent(roster.one_name(settings.model or options.agent or ""))].append(run)
    models = sorted({agent.name for agent in groups})
    if options.agent and len(models) > 1:
        known = ", ".join(models)
        raise UsageError(f"--agent names one agent, and there are several: choose one with --model: {known}")
    agents = [as_said(agent, options) for agent in groups]
    began = [started[group[0].path] for group in groups.values()]
    dates = [options.date or (each.date() if each else options.today) for each in began]
    names = bundle_names(list(zip(dates, agents, strict=True)))
    entrants = [
        _Entrant(agent, tuple(group), date, name, bool(options.date or start))
        for agent, group, date, name, start in zip(agents, groups.values(), dates, names, began, strict=True)
    ]
    entrants.sort(key=lambda each: each.bundle)
    return entrants, list(_entrant_problems(source, runs, entrants, options))


def _entrant_problems(
    source: Path, runs: Sequence[Run], entrants: Sequence[_Entrant], options: ImportOptions
) -> Iterator[Problem]:
    """Which agents have no name, no name of their own, or no date."""
    nameless = [named(run.path, source) for run in runs if not (run.settings.model or options.agent)]
    if nameless:
        yield rules.AGENT_UNKNOWN.broken(source, None, f"no file tells the model of {', '.join(nameless)}")
    odd = [name for run in runs for name in run.settings.odd_names]
    if odd:
        yield rules.NAME_UNPRINTABLE.broken(source, None, f"no names for an agent: {', '.join(dict.fromkeys(odd))}")
    for bundle in repeated(entrant.bundle for entrant in entrants):
        paths = [named(run.path, source) for entrant in entrants if entrant.bundle == bundle for run in entrant.runs]
        yield rules.AGENT_TWICE.broken(source, None, f"{', '.join(paths)} would all be bundle {bundle}")
    undated = [each.agent.name for each in entrants if not each.is_dated]
    if undated:
        what = f"nothing tells when {', '.join(undated)} ran: taken as {options.today}"
        yield kit_rules.DATE_ASSUMED.broken(source, None, what)


def _entrant_notes(source: Path, entrants: Sequence[_Entrant], lengths: Mapping[str, int]) -> Iterator[str]:
    """What was made of each run."""
    expected = sum(lengths.values())
    for entrant in entrants:
        for attempt, run in enumerate(entrant.runs, start=1):
            made = f"attempt {attempt} of {entrant.bundle}" if len(entrant.runs) > 1 else entrant.bundle
            produced = f"{len(run.produced)} of {counted(expected, 'checkpoint')} of {counted(len(lengths), 'problem')}"
            caps = "" if run.settings.is_configured else "; without `config.yaml` nobody knows of caps on steps or cost"
            yield f"{named(run.path, source)}: {made}, {produced}{caps}"


def _doubts(run: Run, lengths: Mapping[str, int]) -> Iterator[Doubt]:
    """What is doubtful about a run as a whole, for who imports it and for the readers of its bundle."""
    results, stated = list(run.results.values()), run.summary
    if stated:
        # Shares are not compared: early summaries leave missing checkpoints out of them.
        compared = (
            ("checkpoints_solved", stated.checkpoints_solved, sum(result.solved for result in results)),
            ("checkpoints_iso_solved", stated.checkpoints_iso_solved, sum(_passes(each, "own") for each in results)),
            ("checkpoints_core_solved", stated.checkpoints_core_solved, sum(_passes(each, "core") for each in results)),
            ("expected_checkpoints", stated.expected_checkpoints, sum(lengths.get(each, 0) for each in run.problems)),
            ("costs.total", stated.costs.total, fsum(result.cost_usd or 0 for result in results)),
        )
        apart = [
            f"`{name}` is {value:g} there, {found:g} by the checkpoints"
            for name, value, found in compared
            if value is not None and not isclose(value, found, rel_tol=1e-9, abs_tol=1e-6)
        ]
        if apart:
            yield kit_rules.SCORE_DIFFERS, "; ".join(apart)
    if not run.has_rows:
        read = counted(len(run.produced), "checkpoint")
        yield rules.INTERRUPTED, f"there is no `checkpoint_results.jsonl`: {read} taken from the checkpoints' own files"
        if not run.settings.problems:
            what = f"it began {', '.join(run.problems)}, and no file lists what it was to solve"
            yield rules.PROBLEMS_UNLISTED, what
    if run.lost:
        lost = ", ".join(f"{problem} {number}" for problem, number in run.lost)
        yield rules.CHECKPOINT_LOST, f"nothing is told of {lost}"


def _passes(result: RoundResult, tests: str) -> bool:
    """Whether all tests of the core pass, or all `own` ones: those that are not made for earlier checkpoints."""
    counts = [
        count
        for name, count in (result.by_category or {}).items()
        if count[1] and (name == "core" if tests == "core" else name != REGRESSION)
    ]
    return bool(counts) and all(passed == total for passed, total in counts)
