"""Imports run folders of SlopCodeBench: chooses runs, and makes a bundle of each agent's."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from math import fsum, isclose
from pathlib import Path

from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import Entrant, Roster, check_asked_for, is_asked_for
from sitegen.importers.kit.drafts import omission_notes
from sitegen.importers.kit.joining import join_runs
from sitegen.importers.kit.options import Format, ImportOptions, Pace
from sitegen.importers.kit.picking import picked_names
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Doubt, Report
from sitegen.importers.kit.rounds import Run as AgentRun
from sitegen.importers.kit.rounds import Source
from sitegen.importers.kit.tree import Tree
from sitegen.importers.slopcodebench import rules
from sitegen.importers.slopcodebench.definition import (
    ABOUT,
    AXES,
    COLUMNS,
    COMMIT,
    COMPLEX_SHARE,
    Catalogue,
    is_one_shot,
    known_lengths,
    lengths_of,
    tasks_of,
    version_of,
)
from sitegen.importers.slopcodebench.files import Key
from sitegen.importers.slopcodebench.rows import REGRESSION, names_of
from sitegen.importers.slopcodebench.runs import Run, find_runs, open_runs
from sitegen.metrics.catalogue import STRICT
from sitegen.metrics.effort import NET_COST
from sitegen.metrics.targets import CORE, ISO
from sitegen.models.incoming import Incoming
from sitegen.models.outcome import RoundResult
from sitegen.models.record import is_slug
from sitegen.models.submission import Claims, Provenance
from sitegen.models.task import Case
from sitegen.problems import Rule, counted, grouped, listed
from sitegen.reading.json import read_json

MAX_NAME_LENGTH = 200
"""Characters that a name of an agent or a model may have."""

_SUMMARY = (
    "Each checkpoint begins with the code of the one before, in a new container and a new session."
)


def read_slopcodebench(
    source: Path, options: ImportOptions, catalog: Path | None = None
) -> Incoming:
    """Read the run folders in a folder, whichever generation of the runner wrote them.

    Every agent becomes a bundle; what becomes of several runs of one agent is `join_runs`' to say.
    Checkpoints that a run did not get to are recorded as unreached.

    Args:
        source: The folder.
        options: How to read it.
        catalog: A file that says how many checkpoints the problems have.
    """
    report = Report(source)
    given = report.take(read_json(catalog, Catalogue)) if catalog else None
    runs, cases = _chosen_runs(source, options, given, report)
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
    measured = {
        name for run in runs for result in run.results.values() for name in result.measures or ()
    }
    has_complex_share = f"{COMPLEX_SHARE.id}@E3" in measured
    imported = Source(
        report,
        _SUMMARY,
        about=ABOUT,
        protocol="chain",
        columns=COLUMNS,
        twice=rules.AGENT_TWICE,
        undated=kit_rules.DATE_ASSUMED,
        axes=AXES,
        tasks=tasks_of(lengths, runs, cases),
        runs=agents,
        metrics={COMPLEX_SHARE.id: COMPLEX_SHARE} if has_complex_share else {},
        has_picked_tasks=True,
    )
    incoming = imported.imported(options)
    left_out = omission_notes(idle, len(known), "No run got to these problems", incoming.drafts)
    return replace(incoming, findings=left_out)


def recognise(tree: Tree) -> str | None:
    """Return what shows that a folder is of the runner: a run; None if there is none."""
    return tree.example("runs of SlopCodeBench", (run.path for run in find_runs(tree)[0]))


FORMAT = Format(
    read_slopcodebench,
    "main",
    "slop-code-bench",
    frozenset({"catalog", "runs", "pick"}),
    recognise=recognise,
)


def _chosen_runs(
    source: Path, options: ImportOptions, given: Catalogue | None, report: Report
) -> tuple[list[Run], Mapping[Key, tuple[Case, ...]]]:
    """Find and read the runs that are to be imported, and the cases that they list."""
    tree = Tree(source)
    folders, nested = find_runs(tree)
    report.problems += tree.problems()
    report.notes.append(f"{counted(len(folders), 'run folder')} found")
    for path in nested:
        report.notes.append(f"{report.name(path)}: passed over, it lies inside a run")
    if not folders:
        report.add(rules.NO_RUN, source, "there is no run folder")
    wanted = _wanted_runs(open_runs(folders, report), options, report)
    report.stop_at_errors()
    pace = Pace(len(wanted), options.watch)
    cases: dict[Key, tuple[Case, ...]] = {}
    for run in wanted:
        if not run.settings.one_shot:
            run.read(cases, report)
        pace.step()
    _pick_problems(wanted, options, report)
    lengths = known_lengths(version_of(wanted, given), given)
    stepwise = [run for run in wanted if not is_one_shot(run, lengths)]
    one_shot = [run.path for run in wanted if run not in stepwise]
    one_shot_rule = rules.ONE_SHOT_LEFT_OUT if stepwise else rules.ONE_SHOT
    _leave_out(one_shot, one_shot_rule, "a one-shot run", report)
    empty = [run for run in stepwise if not run.produced]
    _leave_out([run.path for run in empty], rules.EMPTY, "a run without a checkpoint", report)
    for run in empty:
        report.tell(_entrant(run, options), rules.EMPTY, report.name(run.path))
    runs, copies = _without_copies([run for run in stepwise if run.produced])
    _leave_out(copies, rules.COPY, "a copy of another run", report)
    report.stop_at_errors()
    if not runs:
        report.add(rules.NO_RUN, source, "no run has a checkpoint")
    elif not any(_has_verdict(run) for run in runs):
        report.add(kit_rules.NOTHING_SCORED, source, "no checkpoint of any run has a verdict")
    report.stop_at_errors()
    repeated = sum(run.repeated for run in stepwise)
    if repeated:
        evaluations = counted(repeated, "second evaluation")
        report.notes.append(f"{evaluations} passed over, of code as a further prompt left it")
    return sorted(runs, key=lambda run: run.path), cases


def _wanted_runs(opened: Sequence[Run], options: ImportOptions, report: Report) -> list[Run]:
    """Return the runs of the model that is asked for.

    Raises:
        UsageError: There are none.
    """
    wanted = [run for run in opened if is_asked_for([run.settings.model or ""], options)]
    models = {run.path: run.settings.model or "an unknown model" for run in opened}
    if opened and not wanted:
        check_asked_for((), set(models.values()), options)
    for path in sorted(models.keys() - {run.path for run in wanted}):
        report.notes.append(f"{report.name(path)}: passed over, it is of {one_line(models[path])}")
    return wanted


def _pick_problems(runs: Sequence[Run], options: ImportOptions, report: Report) -> None:
    """Keep the problems that are asked for, and of these the ones whose name can be an id.

    Raises:
        UsageError: A problem that is asked for is not there.
    """
    names = {problem: problem for run in runs for problem in run.problems}
    wanted = picked_names(names, {}, options) if names else set()
    for run in runs:
        odd = [problem for problem in run.problems if problem in wanted and not is_slug(problem)]
        if odd:
            facts = listed(f"problem {one_line(problem, 60)}" for problem in odd)
            fact = f"{facts} (the name can't stand in an address)"
            report.say(kit_rules.LEFT_OUT, run.path, fact, run.path, fact)
        run.keep_problems({problem for problem in wanted if is_slug(problem)})


def _leave_out(paths: Sequence[Path], rule: Rule, what: str, report: Report) -> None:
    """Report runs that are not imported."""
    for path in paths:
        report.notes.append(f"{report.name(path)}: passed over, it is {what}")
    if not paths:
        return
    more = ""
    if len(paths) > 1:
        more = f", and there is {counted(len(paths) - 1, 'more such run')}"
    report.add(rule, paths[0], f"this is {what}{more}")


def _without_copies(runs: Iterable[Run]) -> tuple[list[Run], list[Path]]:
    """Return each run once, and where the copies lie: of several folders the one that tells of most is taken."""
    kept: list[Run] = []
    copies = []
    for run in sorted(runs, key=lambda run: (-len(run.produced), run.path)):
        if any(run.is_copy_of(other) for other in kept):
            copies.append(run.path)
        else:
            kept.append(run)
    return kept, sorted(copies)


def _has_verdict(run: Run) -> bool:
    return any(result.state in {"scored", "no_cases"} for result in run.results.values())


def _entrant(run: Run, options: ImportOptions) -> Entrant:
    """Return who made a run; without a name if no file says so."""
    settings = run.settings
    roster = Roster.of((), {}, options.aliases)
    model = settings.model or options.agent or ""
    return Entrant(
        _printable(roster.one_name(model)) if model else "",
        _printable(settings.described_scaffold),
        _printable(settings.reasoning),
        _printable(settings.provider),
    )


def _printable(name: str | None) -> str:
    """Return a name in one line of bearable length; a cut name stays one of a kind."""
    plain = one_line(name or "", 10 * MAX_NAME_LENGTH)
    if len(plain) <= MAX_NAME_LENGTH:
        return plain
    digest = hashlib.sha256(plain.encode()).hexdigest()[:8]
    return f"{plain[: MAX_NAME_LENGTH - 9]}-{digest}"


def _agents(
    runs: Sequence[Run], lengths: Mapping[str, int], options: ImportOptions, report: Report
) -> list[AgentRun]:
    """Return the agents of some runs, by the day and the name.

    Raises:
        UsageError: One name is given for several agents.
    """
    nameless = [report.name(run.path) for run in runs if not (run.settings.model or options.agent)]
    if nameless:
        what = f"no file tells the model of {', '.join(nameless)}"
        report.add(rules.AGENT_UNKNOWN, report.root, what)
    _review_names(runs, report)
    groups: defaultdict[tuple[Entrant, str], list[Run]] = defaultdict(list)
    for run in sorted(runs, key=lambda run: (run.started is None, f"{run.started}", run.path)):
        if run.settings.model or options.agent:
            version = _printable(run.settings.scaffold_version)
            groups[_entrant(run, options), version].append(run)
    names = {entrant.name for entrant, _ in groups}
    check_asked_for(names, names, options)
    agents = []
    for (entrant, version), several in groups.items():
        joined = _joined(entrant, version, several, lengths, options, report)
        _review_part(joined, several, lengths, report)
        agents.append(joined)
    if any(agent.missing for agent in agents):
        _review_problem_lists(runs, report)
    return sorted(
        agents, key=lambda agent: (options.date or agent.day or options.today, agent.entrant)
    )


def _joined(  # noqa: PLR0913, PLR0917 - whose runs they are, and how they are read
    entrant: Entrant,
    version: str,
    runs: Sequence[Run],
    lengths: Mapping[str, int],
    options: ImportOptions,
    report: Report,
) -> AgentRun:
    """Return the runs of one agent as one."""
    parts = [_agent_run(entrant, version, run, lengths, report) for run in runs]
    joined = join_runs(parts, options, report)[0]
    if len(runs) > 1:
        seeds = tuple(run.seed for run in runs if run.seed is not None)
        joined.provenance = joined.provenance.model_copy(update={"seeds": seeds or None})
    conditions = ", ".join(runs[0].settings.conditions)
    if conditions:
        what = f"{one_line(entrant.name)} ran with {one_line(conditions)}"
        report.say(rules.CONDITIONS, runs[0].path, what, entrant, conditions)
    return joined


def _agent_run(
    entrant: Entrant, version: str, run: Run, lengths: Mapping[str, int], report: Report
) -> AgentRun:
    """Return a run as its agent's first attempt."""
    commit = run.settings.catalogue.commit or ""
    facts: dict[str, object] = {
        "model": _printable(run.settings.model),
        "scaffold_version": version,
    }
    agent = AgentRun(run.path, entrant, facts, run.started.date() if run.started else None)
    agent.parts = [run.path]
    agent.planned = [problem for problem in run.problems if problem in lengths]
    agent.provenance = Provenance(
        harness="slop-code-bench",
        task_digest=commit if COMMIT.fullmatch(commit) else None,
        seeds=(run.seed,) if run.seed is not None else None,
        started=run.started,
        finished=run.finished,
    )
    for result in run.rounds(lengths):
        agent.add(result)
    agent.claims = _stated_scores(run, lengths)
    checkpoints = counted(sum(lengths[problem] for problem in agent.planned), "checkpoint")
    problems = counted(len(agent.planned), "problem")
    caps = ""
    if not run.settings.is_configured:
        caps = "; without `config.yaml` nobody knows of caps on steps or cost"
    reached = f"{len(run.produced)} of {checkpoints} of {problems}"
    report.notes.append(f"{report.name(run.path)}: {entrant}, {reached}{caps}")
    return agent


def _review_names(runs: Sequence[Run], report: Report) -> None:
    """Report names that are not written as they stand in the source."""
    changed: dict[str, None] = {}
    for run in runs:
        settings = run.settings
        for name in (
            settings.model,
            settings.described_scaffold,
            settings.scaffold_version,
            settings.reasoning,
            settings.provider,
        ):
            if name and name != _printable(name):
                changed[repr(name)[:60]] = None
    if changed:
        report.add(
            rules.NAME_UNPRINTABLE, report.root, f"names as they stand there: {', '.join(changed)}"
        )


def _review_part(
    joined: AgentRun, runs: Sequence[Run], lengths: Mapping[str, int], report: Report
) -> None:
    """Name the problems that an agent's runs were not to solve as missing."""
    planned = {problem for run in runs for problem in run.problems}
    joined.missing = [problem for problem in lengths if problem not in planned]
    if joined.missing:
        number = f"{len(lengths) - len(joined.missing)} of {len(lengths)} problems"
        fact = f"{number}, without {listed(joined.missing)}"
        what = f"{joined.entrant} was to solve {fact}"
        report.say(kit_rules.PART_OF_TASKS, joined.path, what, joined.entrant, fact)
        if joined.claims:
            joined.claims = joined.claims.model_copy(update={"tasks": len(planned)})


def _review_problem_lists(runs: Sequence[Run], report: Report) -> None:
    lists = grouped((run.problems, report.name(run.path)) for run in runs)
    facts = [f"{', '.join(names)}: {', '.join(problems)}" for problems, names in lists.items()]
    what = f"the runs have {len(lists)} lists of problems: {'; '.join(facts)}"
    report.add(rules.PROBLEMS_DIFFER, report.root, what)


def _passed(results: Iterable[RoundResult], is_meant: Callable[[str], bool]) -> int:
    """Return the checkpoints whose tests of the meant categories all pass, of those that have any."""
    number = 0
    for result in results:
        counts = []
        for category, (passed, total) in (result.by_category or {}).items():
            if total and is_meant(category):
                counts.append(passed == total)
        number += bool(counts) and all(counts)
    return number


def _compared(run: Run, lengths: Mapping[str, int]) -> dict[str, tuple[float | None, float]]:
    """Return figures of a run's own summary, by name: the stated value, and that by the checkpoints.

    Shares are not compared: early summaries leave missing checkpoints out of them.
    """
    stated = run.summary
    if stated is None or run.is_partial:
        return {}
    results = list(run.results.values())
    # Earlier runners also counted checkpoints that were never reached.
    num_checkpoints = stated.num_checkpoints if stated.expected_checkpoints is not None else None
    solved = sum(result.solved for result in results)
    iso_solved = _passed(results, lambda category: category != REGRESSION)
    core_solved = _passed(results, lambda category: category == "core")
    expected = sum(lengths.get(problem, 0) for problem in run.problems)
    cost = fsum(result.cost_usd or 0 for result in results)
    return {
        "checkpoints_solved": (stated.checkpoints_solved, solved),
        "checkpoints_iso_solved": (stated.checkpoints_iso_solved, iso_solved),
        "checkpoints_core_solved": (stated.checkpoints_core_solved, core_solved),
        "expected_checkpoints": (stated.expected_checkpoints, expected),
        "num_checkpoints": (num_checkpoints, len(run.produced)),
        "costs.total": (stated.cost, cost),
    }


def _different(run: Run, lengths: Mapping[str, int]) -> list[tuple[str, float, float]]:
    """Return the figures of a run's own summary that do not follow from its checkpoints."""
    different = []
    for name, (value, own) in _compared(run, lengths).items():
        if value is not None and not isclose(value, own, rel_tol=1e-9, abs_tol=1e-6):
            different.append((name, value, own))
    return different


def _stated_scores(run: Run, lengths: Mapping[str, int]) -> Claims | None:
    """Return the scores of a run's own summary that do not follow from its checkpoints."""
    names = {name for name, _, _ in _different(run, lengths)}
    stated = run.summary
    if stated is None:
        return None
    values = {}
    for name, metric, value in (
        ("checkpoints_solved", STRICT.id, stated.strict_percent),
        ("checkpoints_iso_solved", ISO.id, stated.iso_percent),
        ("checkpoints_core_solved", CORE.id, stated.core_percent),
        ("costs.total", NET_COST.id, stated.cost),
    ):
        if name in names and value is not None:
            values[metric] = Decimal(repr(value))
    return Claims(source="SlopCodeBench: result.json", **values) if values else None


def _doubts(run: Run, lengths: Mapping[str, int]) -> Iterator[Doubt]:
    """Yield what is doubtful about a complete run, for who imports it and for the readers of its bundle."""
    different = _different(run, lengths)
    if different:
        facts = [
            f"`{name}` is {value:g} there, {own:g} by the checkpoints"
            for name, value, own in different
        ]
        yield kit_rules.SCORE_DIFFERS, "; ".join(facts)
    if not run.has_rows:
        read = counted(len(run.produced), "checkpoint")
        taken = f"{read} taken from the checkpoints' own files"
        lack = "no row in" if run.rows_path else "no"
        yield rules.INTERRUPTED, f"there is {lack} `checkpoint_results.jsonl`: {taken}"
    is_counted = (
        run.has_rows and run.summary is not None and run.summary.expected_checkpoints is not None
    )
    if not run.settings.problems and not is_counted:
        begun = listed(run.problems)
        yield rules.PROBLEMS_UNLISTED, f"it began {begun}, and no file lists what it was to solve"
    if run.without_row:
        names = listed(names_of([key]) for key in run.without_row)
        yield rules.ROW_MISSING, names
    if run.lost:
        yield rules.CHECKPOINT_LOST, f"nothing is told of {names_of(run.lost)}"
