"""Imports run folders of SlopCodeBench: chooses runs, and makes a bundle of each agent's."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import fsum, isclose
from pathlib import Path

from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import Entrant, Roster, check_asked_for, is_asked_for, only
from sitegen.importers.kit.drafts import omission_notes
from sitegen.importers.kit.options import Format, ImportOptions, Pace
from sitegen.importers.kit.report import Doubt, Report
from sitegen.importers.kit.rounds import Run as AgentRun
from sitegen.importers.kit.rounds import Source
from sitegen.importers.kit.tree import Tree
from sitegen.importers.slopcodebench import rules
from sitegen.importers.slopcodebench.definition import (
    ABOUT,
    AXES,
    COLUMNS,
    COMPLEX_SHARE,
    Catalogue,
    lengths_of,
    tasks_of,
)
from sitegen.importers.slopcodebench.files import Key
from sitegen.importers.slopcodebench.rows import REGRESSION, names_of
from sitegen.importers.slopcodebench.runs import Run, find_runs, open_runs
from sitegen.models.incoming import Incoming
from sitegen.models.submission import Provenance
from sitegen.models.task import SHORTEST, Case
from sitegen.problems import Rule, counted, errors_of
from sitegen.reading.json import read_json

_LONGEST = 200
"""Characters that a name of an agent or a model may have."""


def read_slopcodebench(source: Path, options: ImportOptions, catalog: Path | None = None) -> Incoming:
    """Read the run folders in a folder, whichever generation of the runner wrote them.

    Every agent becomes a bundle; several runs of one agent under the same conditions are its attempts. Checkpoints
    that no run got to are recorded as unreached.
    """
    report = Report(source)
    runs, cases = _chosen(source, options, report)
    given = report.take(read_json(catalog, Catalogue)) if catalog else None
    known = lengths_of(runs, given, report)
    begun = {result.task for run in runs for result in run.produced}
    idle = sorted(known.keys() - begun) if options.allow_missing else []
    lengths = {problem: length for problem, length in known.items() if problem not in idle}
    agents = _agents(runs, lengths, options, report)
    for run in runs:
        for rule, what in _doubts(run, known):
            path = run.path / "result.json" if rule is kit_rules.SCORE_DIFFERS else run.path
            report.say(rule, path, what, run.path, what)
    if idle:
        what = f"no run got to {len(idle)} of {len(known)} problems: {', '.join(idle)}"
        report.add(kit_rules.TASKS_LEFT_OUT, source, what)
    report.stop_at_errors()
    measured = {name for run in runs for result in run.results.values() for name in result.measures or ()}
    found = Source(
        report,
        "Each checkpoint begins with the code of the one before, in a new container and a new session.",
        about=ABOUT,
        protocol="chain",
        columns=COLUMNS,
        gaps=None,
        twice=rules.AGENT_TWICE,
        undated=kit_rules.DATE_ASSUMED,
        axes=AXES,
        tasks=tasks_of(lengths, runs, cases),
        runs=agents,
        metrics={COMPLEX_SHARE.id: COMPLEX_SHARE} if f"{COMPLEX_SHARE.id}@E3" in measured else {},
    )
    incoming = found.imported(options)
    left_out = omission_notes(idle, len(known), "No run got to these problems", incoming.drafts)
    return replace(incoming, findings=left_out)


def recognise(tree: Tree) -> str | None:
    """What tells of the runner: a run."""
    return tree.example("runs of SlopCodeBench", (run.path for run in find_runs(tree)[0]))


FORMAT = Format(read_slopcodebench, "main", "slop-code-bench", frozenset({"catalog"}), recognise=recognise)


def _chosen(source: Path, options: ImportOptions, report: Report) -> tuple[list[Run], Mapping[Key, tuple[Case, ...]]]:
    """Find and read the runs that are to be imported, and the cases that they list."""
    tree, notes = Tree(source), report.notes
    folders, nested = find_runs(tree)
    report.problems += tree.problems()
    opened = open_runs(folders, report)
    notes.append(f"{counted(len(folders), 'run folder')} found")
    notes += [f"{report.name(path)}: passed over, it lies inside a run" for path in nested]

    def leave_out(paths: Sequence[Path], rule: Rule, what: str) -> None:
        notes.extend(f"{report.name(path)}: passed over, it is {what}" for path in paths)
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
        notes.append(f"{report.name(path)}: passed over, it is of {models[path]}")
    stepwise = [each for each in wanted if not each.settings.one_shot]
    one_shot = [each.path for each in wanted if each.settings.one_shot]
    leave_out(one_shot, rules.ONE_SHOT_LEFT_OUT if stepwise else rules.ONE_SHOT, "a one-shot run")
    report.stop_at_errors()
    pace, cases = Pace(len(stepwise), options.watch), dict[Key, tuple[Case, ...]]()
    for run in stepwise:
        run.read(cases, report)
        pace.step()
    leave_out([run.path for run in stepwise if not run.produced], rules.EMPTY, "a run without a checkpoint")
    # Of several folders of a run, the one that tells of most is taken.
    runs: list[Run] = []
    copies: list[Path] = []
    for run in sorted(filter(lambda run: run.produced, stepwise), key=lambda run: (-len(run.produced), run.path)):
        if any(run.is_copy_of(other) for other in runs):
            copies.append(run.path)
        else:
            runs.append(run)
    leave_out(sorted(copies), rules.COPY, "a copy of another run")
    if not runs and not errors_of(report.problems):
        report.add(rules.NO_RUN, source, "no run has a checkpoint")
    report.stop_at_errors()
    if repeated := sum(run.repeated for run in stepwise):
        notes.append(f"{counted(repeated, 'second evaluation')} passed over, of code as a further prompt left it")
    return sorted(runs, key=lambda run: run.path), cases


def _agents(runs: Sequence[Run], lengths: Mapping[str, int], options: ImportOptions, report: Report) -> list[AgentRun]:
    """The agents of some runs, by the day and the name: their runs under the same conditions are attempts."""
    roster, groups = Roster.of((), {}, options.aliases), defaultdict[tuple[Entrant, str, str], list[Run]](list)
    nameless = [report.name(run.path) for run in runs if not (run.settings.model or options.agent)]
    if nameless:
        report.add(rules.AGENT_UNKNOWN, report.root, f"no file tells the model of {', '.join(nameless)}")
    told = [each.settings for each in runs]
    names = (name for it in told for name in (it.model, it.described_scaffold, it.scaffold_version, it.reasoning))
    odd = [repr(name)[:60] for name in names if name and not (name.isprintable() and len(name) <= _LONGEST)]
    if odd:
        report.add(rules.NAME_UNPRINTABLE, report.root, f"no names for an agent: {', '.join(dict.fromkeys(odd))}")
    for run in sorted(runs, key=lambda run: (run.started is None, f"{run.started}", run.path)):
        settings = run.settings
        if model := settings.model or options.agent:
            name = roster.one_name(model)
            entrant = Entrant(name, settings.described_scaffold or "", settings.reasoning or "")
            groups[entrant, settings.model or "", settings.scaffold_version or ""].append(run)
    entrants = {entrant.name for entrant, *_ in groups}
    check_asked_for(entrants, entrants, options)
    agents = []
    for (entrant, model, version), several in groups.items():
        first, started = several[0], several[0].started
        commit = only({run.settings.catalogue.commit or "" for run in several}) or ""
        agent = AgentRun(first.path, entrant, {"model": model, "scaffold_version": version})
        agent.day, agent.attempts = started.date() if started else None, len(several)
        agent.parts = [run.path for run in several]
        agent.provenance = Provenance(
            harness="slop-code-bench",
            task_digest=commit if len(commit) >= SHORTEST else None,
            seeds=tuple(run.seed for run in several if run.seed is not None) or None,
            started=min(filter(None, (run.started for run in several)), default=None),
            finished=max(filter(None, (run.finished for run in several)), default=None),
        )
        if conditions := ", ".join(first.settings.conditions):
            report.say(rules.CONDITIONS, first.path, f"{entrant.name} ran with {conditions}", entrant, conditions)
        for attempt, run in enumerate(several, start=1):
            for result in run.rounds(lengths, attempt):
                agent.add(result)
            made = f"attempt {attempt} of {entrant}" if len(several) > 1 else entrant
            expected = f"{counted(sum(lengths.values()), 'checkpoint')} of {counted(len(lengths), 'problem')}"
            caps = "" if run.settings.is_configured else "; without `config.yaml` nobody knows of caps on steps or cost"
            report.notes.append(f"{report.name(run.path)}: {made}, {len(run.produced)} of {expected}{caps}")
        agents.append(agent)
    return sorted(agents, key=lambda each: (options.date or each.day or options.today, each.entrant))


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
            ("costs.total", stated.cost, fsum(result.cost_usd or 0 for result in results)),
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
