"""Imports run folders of SlopCodeBench: chooses runs, and makes a bundle of each agent's."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date as Date  # noqa: N812 - a field is called date, as the option is
from math import fsum, isclose
from pathlib import Path

from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import Roster, check_asked_for, is_asked_for, only
from sitegen.importers.kit.claims import as_said, published_about
from sitegen.importers.kit.drafts import bundle_names, finished, namesakes, omission_notes
from sitegen.importers.kit.options import Format, ImportOptions, Pace
from sitegen.importers.kit.report import Doubt, Report
from sitegen.importers.kit.tree import Tree
from sitegen.importers.slopcodebench import rules
from sitegen.importers.slopcodebench.checkpoints import REGRESSION
from sitegen.importers.slopcodebench.definition import Catalogue, benchmark_of, lengths_of, named, task_set_of
from sitegen.importers.slopcodebench.files import Key
from sitegen.importers.slopcodebench.rows import names_of
from sitegen.importers.slopcodebench.runs import Run, find_runs, open_runs, read_run
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.submission import Agent, Provenance, Submission
from sitegen.models.task import SHORTEST, Case
from sitegen.problems import Problem, Rule, counted, errors_of
from sitegen.reading.json import read_json

_LONGEST = 200
"""Characters that a name of an agent or a model may have."""


def read_slopcodebench(source: Path, options: ImportOptions, catalog: Path | None = None) -> Incoming:
    """Read the run folders in a folder, whichever generation of the runner wrote them.

    Every agent becomes a bundle; several runs of one agent under the same conditions are its attempts. Checkpoints
    that no run got to are recorded as unreached.

    Raises:
        UsageError: No run is of the model that is to be taken, or one name is given to several.
        ProblemsError: The runs can't be used as they stand; carries every problem, warnings included.
    """
    report = Report(source)
    runs, cases = _chosen(source, options, report)
    given = report.take(read_json(catalog, Catalogue)) if catalog else None
    known = lengths_of(runs, given, report)
    begun = {result.task for run in runs for result in run.produced}
    idle = sorted(known.keys() - begun) if options.allow_missing else []
    lengths = {problem: length for problem, length in known.items() if problem not in idle}
    entrants = _entrants(runs, options)
    stated = report.take(published_about([entrant.agent.name for entrant in entrants], options))
    report.problems += _entrant_problems(source, runs, entrants, options)
    for entrant in entrants:
        if entrant.conditions:
            what = f"{entrant.agent.name} ran with {', '.join(entrant.conditions)}"
            report.add(rules.CONDITIONS, entrant.runs[0].path, what)
            report.tell(entrant.bundle, rules.CONDITIONS, ", ".join(entrant.conditions))
        if not entrant.is_dated:
            report.tell(entrant.bundle, kit_rules.DATE_ASSUMED)
    for run in runs:
        for rule, what in _doubts(run, known):
            path = run.path / "result.json" if rule is kit_rules.SCORE_DIFFERS else run.path
            report.add(rule, path, what)
            report.tell(run.path, rule, what)
    if idle:
        what = f"no run got to {len(idle)} of {len(known)} problems: {', '.join(idle)}"
        report.add(kit_rules.TASKS_LEFT_OUT, source, what)
    report.stop_at_errors()
    tasks = task_set_of(options.track, lengths, runs, cases)
    attempts = max(len(entrant.runs) for entrant in entrants)
    drafts = []
    for entrant in entrants:
        caveats = report.caveats(entrant.bundle, [run.path for run in entrant.runs])
        draft = entrant.draft(options.track, lengths, caveats, attempts)
        drafts.append(finished(draft, stated.get(entrant.agent.name)))
        for attempt, run in enumerate(entrant.runs, start=1):
            made = f"attempt {attempt} of {entrant.bundle}" if len(entrant.runs) > 1 else entrant.bundle
            expected = f"{counted(sum(lengths.values()), 'checkpoint')} of {counted(len(lengths), 'problem')}"
            caps = "" if run.settings.is_configured else "; without `config.yaml` nobody knows of caps on steps or cost"
            report.notes.append(f"{named(run.path, source)}: {made}, {len(run.produced)} of {expected}{caps}")
    return Incoming(
        benchmark_of(tasks, attempts, options),
        (tasks,),
        tuple(drafts),
        omission_notes(idle, len(known), "No run got to these problems", drafts),
        tuple(report.problems),
        tuple(report.notes),
    )


def recognise(tree: Tree) -> str | None:
    """What tells of the runner: a run."""
    runs, _ = find_runs(tree)
    return f"runs of SlopCodeBench, such as {tree.shown(runs[0].path)}" if runs else None


FORMAT = Format(read_slopcodebench, "main", "slop-code-bench", frozenset({"catalog"}), recognise=recognise)


def _chosen(source: Path, options: ImportOptions, report: Report) -> tuple[list[Run], Mapping[Key, tuple[Case, ...]]]:
    """Find and read the runs that are to be imported, and the cases that they list.

    Raises:
        UsageError: None is of the model that is to be taken.
        ProblemsError: There are none, or their files can't be used as they stand.
    """
    tree, notes = Tree(source), report.notes
    folders, nested = find_runs(tree)
    report.problems += tree.problems()
    opened = open_runs(folders, report)
    notes.append(f"{counted(len(folders), 'run folder')} found")
    notes += [f"{named(path, source)}: passed over, it lies inside a run" for path in nested]

    def leave_out(paths: Sequence[Path], rule: Rule, what: str) -> None:
        notes.extend(f"{named(path, source)}: passed over, it is {what}" for path in paths)
        if paths:
            more = f", and there is {counted(len(paths) - 1, 'more such run')}" if len(paths) > 1 else ""
            report.add(rule, paths[0], f"this is {what}{more}")

    if not opened:
        report.add(rules.NO_RUN, source, "there is no run folder")
    models = {each.path: each.settings.model or "an unknown model" for each in opened}
    wanted = [each for each in opened if is_asked_for([each.settings.model or ""], options)]
    if opened and not wanted:
        check_asked_for((), set(models.values()), options)
    for path in sorted(models.keys() - {each.path for each in wanted}):
        notes.append(f"{named(path, source)}: passed over, it is of {models[path]}")
    stepwise = [each for each in wanted if not each.settings.one_shot]
    one_shot = [each.path for each in wanted if each.settings.one_shot]
    leave_out(one_shot, rules.ONE_SHOT_LEFT_OUT if stepwise else rules.ONE_SHOT, "a one-shot run")
    report.stop_at_errors()
    pace, cases, found = Pace(len(stepwise), options.watch), dict[Key, tuple[Case, ...]](), list[Run]()
    for each in stepwise:
        found.append(read_run(each, cases, report))
        pace.step()
    leave_out([run.path for run in found if not run.produced], rules.EMPTY, "a run without a checkpoint")
    # Of several folders of a run, the one that tells of most is taken.
    runs: list[Run] = []
    copies: list[Path] = []
    for run in sorted(filter(lambda run: run.produced, found), key=lambda run: (-len(run.produced), run.path)):
        if any(run.is_copy_of(other) for other in runs):
            copies.append(run.path)
        else:
            runs.append(run)
    leave_out(sorted(copies), rules.COPY, "a copy of another run")
    if not runs and not errors_of(report.problems):
        report.add(rules.NO_RUN, source, "no run has a checkpoint")
    report.stop_at_errors()
    if repeated := sum(run.repeated for run in found):
        notes.append(f"{counted(repeated, 'second evaluation')} passed over, of code as a further prompt left it")
    return sorted(runs, key=lambda run: run.path), cases


@dataclass(frozen=True, slots=True)
class _Entrant:
    """An agent with its runs, which are its attempts."""

    agent: Agent
    runs: tuple[Run, ...]
    """In the order that they began."""
    date: Date
    bundle: str
    is_dated: bool

    @property
    def conditions(self) -> tuple[str, ...]:
        """In what its runs differ from the published ones."""
        return self.runs[0].settings.conditions

    def draft(self, track: str, lengths: Mapping[str, int], caveats: tuple[str, ...], most: int) -> Draft:
        """Make its bundle; `most` are the attempts of the track, the most that an agent made."""
        commit = only({run.settings.catalogue.commit or "" for run in self.runs}) or ""
        submission = Submission(
            schema_version=1,
            track=track,
            date=self.date,
            attempts=len(self.runs) if len(self.runs) != most else None,
            caveats=caveats,
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


def _entrants(runs: Sequence[Run], options: ImportOptions) -> list[_Entrant]:
    """The agents of some runs, in the order of their bundles: runs of one under the same conditions are attempts.

    Raises:
        UsageError: One name is given to several models.
    """
    roster, groups = Roster.of((), {}, options.aliases), defaultdict[Agent, list[Run]](list)
    for run in sorted(runs, key=lambda run: (run.started is None, f"{run.started}", run.path)):
        if model := run.settings.model or options.agent:
            groups[run.settings.agent(roster.one_name(model))].append(run)
    names = {agent.name for agent in groups}
    check_asked_for(names, names, options)
    agents = [as_said(agent, options) for agent in groups]
    began = [group[0].started for group in groups.values()]
    dates = [options.date or (each.date() if each else options.today) for each in began]
    bundles = bundle_names(list(zip(dates, agents, strict=True)))
    entrants = [
        _Entrant(agent, tuple(group), date, name, bool(options.date or start))
        for agent, group, date, name, start in zip(agents, groups.values(), dates, bundles, began, strict=True)
    ]
    return sorted(entrants, key=lambda each: each.bundle)


def _entrant_problems(
    source: Path, runs: Sequence[Run], entrants: Sequence[_Entrant], options: ImportOptions
) -> Iterator[Problem]:
    """Which agents have no name, no name of their own, or no date."""
    nameless = [named(run.path, source) for run in runs if not (run.settings.model or options.agent)]
    if nameless:
        yield rules.AGENT_UNKNOWN.broken(source, None, f"no file tells the model of {', '.join(nameless)}")
    told = [each.settings for each in runs]
    names = (name for it in told for name in (it.model, it.described_scaffold, it.scaffold_version, it.reasoning))
    odd = [repr(name)[:60] for name in names if name and not (name.isprintable() and len(name) <= _LONGEST)]
    if odd:
        yield rules.NAME_UNPRINTABLE.broken(source, None, f"no names for an agent: {', '.join(dict.fromkeys(odd))}")
    owners = [", ".join(named(run.path, source) for run in entrant.runs) for entrant in entrants]
    yield from namesakes(rules.AGENT_TWICE, source, [entrant.bundle for entrant in entrants], owners)
    undated = [each.agent.name for each in entrants if not each.is_dated]
    if undated:
        what = f"nothing tells when {', '.join(undated)} ran: taken as {options.today}"
        yield kit_rules.DATE_ASSUMED.broken(source, None, what)


def _doubts(run: Run, lengths: Mapping[str, int]) -> Iterator[Doubt]:
    """What is doubtful about a run as a whole, for who imports it and for the readers of its bundle."""

    def passed(is_meant: Callable[[str], bool]) -> int:
        """Checkpoints whose tests of the categories that are meant all pass, of those that have any."""
        tallies = ((result.by_category or {}).items() for result in run.results.values())
        counts = [[count for name, count in each if count[1] and is_meant(name)] for each in tallies]
        return sum(bool(each) and all(some == every for some, every in each) for each in counts)

    results, stated = list(run.results.values()), run.summary
    if stated:
        # Shares are not compared: early summaries leave missing checkpoints out of them.
        compared = (
            ("checkpoints_solved", stated.checkpoints_solved, sum(result.solved for result in results)),
            ("checkpoints_iso_solved", stated.checkpoints_iso_solved, passed(lambda name: name != REGRESSION)),
            ("checkpoints_core_solved", stated.checkpoints_core_solved, passed(lambda name: name == "core")),
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
        yield rules.CHECKPOINT_LOST, f"nothing is told of {names_of(run.lost)}"
