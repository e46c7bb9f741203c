"""Import run folders of SlopCodeBench: choose runs, and make a bundle for each agent."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from math import fsum, isclose
from operator import attrgetter
from pathlib import Path

from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import AgentNames, RankedAgent, check_asked_for, is_asked_for
from sitegen.importers.kit.drafts import omission_notes
from sitegen.importers.kit.import_log import Doubt, ImportLog
from sitegen.importers.kit.joining import join_runs
from sitegen.importers.kit.options import Format, ImportOptions, Progress
from sitegen.importers.kit.picking import picked_names
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rounds import AgentResults as AgentRun
from sitegen.importers.kit.rounds import ImportSource
from sitegen.importers.kit.tree import SourceTree
from sitegen.importers.slopcodebench import rules
from sitegen.importers.slopcodebench.definition import (
    ABOUT,
    AXES,
    COLUMNS,
    COMMIT,
    COMPLEX_SHARE,
    Catalogue,
    catalogue_lengths,
    catalogue_version,
    is_one_shot,
    lengths_of,
    problems_of,
    tasks_of,
)
from sitegen.importers.slopcodebench.files import Key
from sitegen.importers.slopcodebench.rows import REGRESSION, names_of
from sitegen.importers.slopcodebench.runs import RunFolder, find_runs, open_runs
from sitegen.metrics.catalogue import STRICT
from sitegen.metrics.checkpoints import CORE, ISO
from sitegen.metrics.effort import NET_COST
from sitegen.models.incoming import Incoming
from sitegen.models.outcome import RoundResult
from sitegen.models.record import is_slug
from sitegen.models.submission import Claims, Provenance
from sitegen.models.task import Case
from sitegen.problems import Rule, counted, grouped, listed
from sitegen.reading.json import read_json

MAX_NAME_LENGTH = 200
"""Maximum length of the name of an agent or a model."""

_SUMMARY = (
    "Each checkpoint begins with the code of the previous one, in a new container and a new "
    "session."
)


def read_slopcodebench(
    source: Path, options: ImportOptions, catalog: Path | None = None
) -> Incoming:
    """Return the results of the run folders in a folder, of any generation of the runner.

    Each agent gets one bundle; `join_runs` joins several runs of an agent. Checkpoints that a run
    did not reach are recorded as unreached.

    Args:
        source: The folder.
        options: The options of the import.
        catalog: A JSON file with the number of checkpoints of each problem.
    """
    log = ImportLog(source)
    catalogue = log.collect(read_json(catalog, Catalogue)) if catalog else None
    runs, cases = _chosen_runs(source, options, catalogue, log)
    all_lengths = lengths_of(runs, catalogue, log)
    unreached = _unreached_problems(runs, all_lengths) if options.allow_missing else []
    lengths = {name: all_lengths[name] for name in all_lengths if name not in unreached}
    agents = _agents(runs, lengths, options, log)
    _report_doubts(runs, all_lengths, log)
    if unreached:
        number = f"{len(unreached)} of {len(all_lengths)} problems"
        fact = f"no run reached {number}: {', '.join(unreached)}"
        log.add(kit_rules.TASKS_LEFT_OUT, source, fact)
    log.stop_at_errors()
    benchmark_source = ImportSource(
        log,
        _SUMMARY,
        about=ABOUT,
        protocol="chain",
        columns=COLUMNS,
        twice=kit_rules.AGENT_TWICE,
        undated=kit_rules.DATE_ASSUMED,
        axes=AXES,
        tasks=tasks_of(lengths, runs, cases),
        runs=agents,
        metrics={COMPLEX_SHARE.id: COMPLEX_SHARE} if _have_complex_share(runs) else {},
        has_picked_tasks=True,
    )
    incoming = benchmark_source.imported(options)
    findings = omission_notes(
        unreached, len(all_lengths), "No run reached these problems", incoming.drafts
    )
    return replace(incoming, findings=findings)


def _unreached_problems(runs: Sequence[RunFolder], lengths: Mapping[str, int]) -> list[str]:
    """Return the problems of which no run reached a checkpoint."""
    reached: set[str] = set()
    for run in runs:
        reached.update(result.task for result in run.produced)
    return sorted(lengths.keys() - reached)


def _have_complex_share(runs: Sequence[RunFolder]) -> bool:
    """Return whether any checkpoint has the measurement of the column `COMPLEX_SHARE`."""
    measure = f"{COMPLEX_SHARE.id}@E3"
    for run in runs:
        if any(measure in (result.measures or ()) for result in run.results.values()):
            return True
    return False


def recognise(tree: SourceTree) -> str | None:
    """Return a phrase that names a run folder in a source; None if there is none."""
    runs, _ = find_runs(tree)
    return tree.example("runs of SlopCodeBench", (run.path for run in runs))


FORMAT = Format(
    read_slopcodebench,
    "main",
    "slop-code-bench",
    frozenset({"catalog", "runs", "pick"}),
    recognise=recognise,
)


def _chosen_runs(
    source: Path, options: ImportOptions, catalogue: Catalogue | None, log: ImportLog
) -> tuple[list[RunFolder], Mapping[Key, tuple[Case, ...]]]:
    """Return the runs to import, and the cases that they list.

    Args:
        source: The folder of the import.
        options: The options of the import.
        catalogue: The file that the importing user named, if any.
        log: Collects the problems.

    Raises:
        ProblemsError: There are no runs to import, or none of them has a verdict.
    """
    requested = _requested_runs(_open_source(source, log), options, log)
    log.stop_at_errors()
    cases = _read_runs(requested, options, log)
    _pick_problems(requested, options, log)
    lengths = catalogue_lengths(catalogue_version(requested, catalogue), catalogue)
    stepwise = _without_one_shot_runs(requested, lengths, log)
    produced = _without_empty_runs(stepwise, options, log)
    runs, copies = _without_copies(produced)
    _leave_out(copies, rules.COPY, "a copy of another run", log)
    log.stop_at_errors()
    if not runs:
        log.add(rules.NO_RUN, source, "no run has a checkpoint")
    elif not any(run.has_verdict for run in runs):
        log.add(kit_rules.NOTHING_SCORED, source, "no checkpoint of any run has a verdict")
    log.stop_at_errors()
    second_evaluations = sum(run.second_evaluations for run in stepwise)
    if second_evaluations:
        evaluations = counted(second_evaluations, "second evaluation")
        log.notes.append(f"skipped {evaluations} of the code after a further prompt")
    return sorted(runs, key=attrgetter("path")), cases


def _open_source(source: Path, log: ImportLog) -> list[RunFolder]:
    """Return the runs of a source with their conditions, but without their checkpoints."""
    tree = SourceTree(source)
    folders, nested = find_runs(tree)
    log.problems += tree.problems()
    log.notes.append(f"{counted(len(folders), 'run folder')} found")
    for path in nested:
        log.notes.append(f"{log.name(path)}: skipped, because it is inside a run")
    if not folders:
        log.add(rules.NO_RUN, source, "there is no run folder")
    return open_runs(folders, log)


def _requested_runs(
    runs: Sequence[RunFolder], options: ImportOptions, log: ImportLog
) -> list[RunFolder]:
    """Return the runs of the requested models.

    Raises:
        UsageError: No run is of a requested model.
    """
    requested = [run for run in runs if is_asked_for([run.settings.model or ""], options)]
    models = {run.path: run.settings.model or "an unknown model" for run in runs}
    if runs and not requested:
        check_asked_for((), set(models.values()), options)
    for path in sorted(models.keys() - {run.path for run in requested}):
        model = one_line(models[path])
        log.notes.append(f"{log.name(path)}: skipped, because it is a run of {model}")
    return requested


def _read_runs(
    runs: Sequence[RunFolder], options: ImportOptions, log: ImportLog
) -> dict[Key, tuple[Case, ...]]:
    """Read the checkpoints of runs, and return the cases that they list."""
    pace = Progress(len(runs), options.watch)
    cases: dict[Key, tuple[Case, ...]] = {}
    for run in runs:
        if not run.settings.one_shot:
            run.read(cases, log)
        pace.step()
    return cases


def _pick_problems(runs: Sequence[RunFolder], options: ImportOptions, log: ImportLog) -> None:
    """Remove from runs the problems that are not requested or whose names can't be ids.

    Raises:
        UsageError: A requested problem does not exist.
    """
    names = {name: name for name in problems_of(runs)}
    picked = set(picked_names(names, {}, options)) if names else set()
    slugs = set(filter(is_slug, picked))
    for run in runs:
        refused = [name for name in run.problems if name in picked - slugs]
        if refused:
            facts = listed(f"problem {one_line(name, 60)}" for name in refused)
            fact = f"{facts} (the name can't be used in an address)"
            log.add_with_caveat(kit_rules.LEFT_OUT, run.path, fact, run.path, fact)
        run.keep_problems(slugs)


def _without_one_shot_runs(
    runs: Sequence[RunFolder], lengths: Mapping[str, int], log: ImportLog
) -> list[RunFolder]:
    """Return the runs that give the agent one checkpoint at a time; report one-shot runs."""
    stepwise = [run for run in runs if not is_one_shot(run, lengths)]
    one_shot_paths = [run.path for run in runs if run not in stepwise]
    rule = rules.ONE_SHOT_LEFT_OUT if stepwise else rules.ONE_SHOT
    _leave_out(one_shot_paths, rule, "a one-shot run", log)
    return stepwise


def _without_empty_runs(
    runs: Sequence[RunFolder], options: ImportOptions, log: ImportLog
) -> list[RunFolder]:
    """Return the runs that produced a checkpoint; report empty runs."""
    empty = [run for run in runs if not run.produced]
    _leave_out([run.path for run in empty], rules.EMPTY, "a run without a checkpoint", log)
    for run in empty:
        log.add_caveat(_entrant(run, options), rules.EMPTY, log.name(run.path))
    return [run for run in runs if run.produced]


def _leave_out(paths: Sequence[Path], rule: Rule, kind: str, log: ImportLog) -> None:
    """Report runs of one kind that are not imported."""
    for path in paths:
        log.notes.append(f"{log.name(path)}: skipped, because it is {kind}")
    if not paths:
        return
    fact = f"this is {kind}"
    if len(paths) > 1:
        fact += f"; the source has {counted(len(paths) - 1, 'more such run')}"
    log.add(rule, paths[0], fact)


def _without_copies(runs: Iterable[RunFolder]) -> tuple[list[RunFolder], list[Path]]:
    """Return each run once, from the folder with the most checkpoints, and the paths of copies."""
    distinct: list[RunFolder] = []
    copies = []
    for run in sorted(runs, key=lambda run: (-len(run.produced), run.path)):
        if any(map(run.is_copy_of, distinct)):
            copies.append(run.path)
        else:
            distinct.append(run)
    return distinct, sorted(copies)


def _entrant(run: RunFolder, options: ImportOptions) -> RankedAgent:
    """Return the agent of a run; its name is empty if no file or option states it."""
    settings = run.settings
    roster = AgentNames.of((), {}, options.aliases)
    model = settings.model or options.agent or ""
    return RankedAgent(
        _printable(roster.one_name(model)) if model else "",
        _printable(settings.described_scaffold),
        _printable(settings.reasoning),
        _printable(settings.provider),
    )


def _printable(name: str | None) -> str:
    """Return a name on one line; a long name is shortened, with a digest to keep it unique."""
    plain = one_line(name or "", 10 * MAX_NAME_LENGTH)
    if len(plain) <= MAX_NAME_LENGTH:
        return plain
    digest = hashlib.sha256(plain.encode()).hexdigest()[:8]
    return f"{plain[: MAX_NAME_LENGTH - 9]}-{digest}"


def _agents(
    runs: Sequence[RunFolder], lengths: Mapping[str, int], options: ImportOptions, log: ImportLog
) -> list[AgentRun]:
    """Return the agents of runs, sorted by day and name, with the runs of each agent joined.

    Raises:
        UsageError: One name is given to several agents.
    """
    by_agent = _runs_by_agent(runs, options, log)
    _review_names(runs, log)
    names = {entrant.name for entrant, _ in by_agent}
    check_asked_for(names, names, options)
    agents = []
    for (entrant, version), agent_runs in by_agent.items():
        attempts = [_agent_run(entrant, version, run, lengths, log) for run in agent_runs]
        joined = join_runs(attempts, options, log)[0]
        _set_seeds(joined, agent_runs)
        _report_conditions(entrant, agent_runs[0], log)
        _set_missing_problems(joined, agent_runs, lengths, log)
        agents.append(joined)
    if any(agent.missing for agent in agents):
        _review_problem_lists(runs, log)
    return sorted(
        agents, key=lambda agent: (options.date or agent.day or options.today, agent.entrant)
    )


def _runs_by_agent(
    runs: Sequence[RunFolder], options: ImportOptions, log: ImportLog
) -> Mapping[tuple[RankedAgent, str], list[RunFolder]]:
    """Return runs keyed by agent and scaffold version, the earliest runs first.

    Runs without an agent are reported.
    """
    named = [run for run in runs if run.settings.model or options.agent]
    nameless = [log.name(run.path) for run in runs if not (run.settings.model or options.agent)]
    if nameless:
        fact = f"no file names the model of {', '.join(nameless)}"
        log.add(rules.AGENT_UNKNOWN, log.root, fact)
    by_agent: defaultdict[tuple[RankedAgent, str], list[RunFolder]] = defaultdict(list)
    for run in sorted(named, key=_start_order):
        version = _printable(run.settings.scaffold_version)
        by_agent[_entrant(run, options), version].append(run)
    return by_agent


def _start_order(run: RunFolder) -> tuple[bool, str, Path]:
    """Return a key that sorts runs by their start; runs with an unknown start come last."""
    return run.started is None, str(run.started), run.path


def _agent_run(
    entrant: RankedAgent,
    version: str,
    run: RunFolder,
    lengths: Mapping[str, int],
    log: ImportLog,
) -> AgentRun:
    """Return a run as its agent's first attempt."""
    commit = run.settings.catalogue.commit or ""
    facts: dict[str, object] = {
        "model": _printable(run.settings.model),
        "scaffold_version": version,
    }
    day = run.started.date() if run.started else None
    agent = AgentRun(run.path, entrant, facts, day)
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
        caps = "; without `config.yaml`, limits on steps or cost are unknown"
    reached = f"{len(run.produced)} of {checkpoints} of {problems}"
    log.notes.append(f"{log.name(run.path)}: {entrant}, {reached}{caps}")
    return agent


def _review_names(runs: Sequence[RunFolder], log: ImportLog) -> None:
    """Report names that must be changed to be printable."""
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
        fact = f"the original names are {', '.join(changed)}"
        log.add(rules.NAME_UNPRINTABLE, log.root, fact)


def _set_seeds(joined: AgentRun, runs: Sequence[RunFolder]) -> None:
    """Set the seeds of an agent's joined runs, in the order of the runs."""
    if len(runs) > 1:
        seeds = tuple(run.seed for run in runs if run.seed is not None)
        joined.provenance = joined.provenance.model_copy(update={"seeds": seeds or None})


def _report_conditions(entrant: RankedAgent, run: RunFolder, log: ImportLog) -> None:
    """Report the conditions that differ between an agent's runs and the published runs."""
    conditions = ", ".join(run.settings.conditions)
    if conditions:
        fact = f"{one_line(entrant.name)} ran with {one_line(conditions)}"
        log.add_with_caveat(rules.CONDITIONS, run.path, fact, entrant, conditions)


def _set_missing_problems(
    joined: AgentRun, runs: Sequence[RunFolder], lengths: Mapping[str, int], log: ImportLog
) -> None:
    """Set and report the problems that an agent's runs were not asked to solve."""
    planned = problems_of(runs)
    joined.missing = [problem for problem in lengths if problem not in planned]
    if not joined.missing:
        return
    number = f"{len(lengths) - len(joined.missing)} of {len(lengths)} problems"
    share = f"{number}, without {listed(joined.missing)}"
    fact = f"{joined.entrant} was asked to solve {share}"
    log.add_with_caveat(kit_rules.PART_OF_TASKS, joined.path, fact, joined.entrant, share)
    if joined.claims:
        joined.claims = joined.claims.model_copy(update={"tasks": len(planned)})


def _review_problem_lists(runs: Sequence[RunFolder], log: ImportLog) -> None:
    """Report the different lists of problems that runs have."""
    lists = grouped((run.problems, log.name(run.path)) for run in runs)
    facts = []
    for problems, run_names in lists.items():
        facts.append(f"{', '.join(run_names)}: {', '.join(problems)}")
    fact = f"the runs have {len(lists)} lists of problems: {'; '.join(facts)}"
    log.add(rules.PROBLEMS_DIFFER, log.root, fact)


def _count_passed(results: Iterable[RoundResult], counts: Callable[[str], bool]) -> int:
    """Return the number of checkpoints whose tests in the given categories all pass.

    Args:
        results: The checkpoints; checkpoints without tests in these categories are not counted.
        counts: Whether the tests of a category count.
    """
    number = 0
    for result in results:
        verdicts = set()
        for category, (passed, total) in (result.by_category or {}).items():
            if total and counts(category):
                verdicts.add(passed == total)
        number += verdicts == {True}
    return number


def _summary_figures(
    run: RunFolder, lengths: Mapping[str, int]
) -> dict[str, tuple[float | None, float]]:
    """Return figures by name: the value in a run's summary, and the value from its checkpoints.

    Shares are not compared: early summaries leave missing checkpoints out of them.
    """
    stated = run.summary
    if stated is None or run.is_partial:
        return {}
    results = list(run.results.values())
    # Earlier runners also counted checkpoints that were never reached.
    num_checkpoints = stated.num_checkpoints if stated.expected_checkpoints is not None else None
    solved = sum(result.solved for result in results)
    iso_solved = _count_passed(results, lambda category: category != REGRESSION)
    core_solved = _count_passed(results, lambda category: category == "core")
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


def _different_figures(
    run: RunFolder, lengths: Mapping[str, int]
) -> list[tuple[str, float, float]]:
    """Return the figures that differ: name, value in the summary, value from the checkpoints."""
    different = []
    for name, (stated, computed) in _summary_figures(run, lengths).items():
        if stated is not None and not isclose(stated, computed, rel_tol=1e-9, abs_tol=1e-6):
            different.append((name, stated, computed))
    return different


def _stated_scores(run: RunFolder, lengths: Mapping[str, int]) -> Claims | None:
    """Return the scores of a run's summary that do not follow from its checkpoints."""
    stated = run.summary
    if stated is None:
        return None
    names = {name for name, _, _ in _different_figures(run, lengths)}
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


def _report_doubts(runs: Sequence[RunFolder], lengths: Mapping[str, int], log: ImportLog) -> None:
    """Report doubts about runs to the importing user and to the readers of their bundles."""
    for run in runs:
        for rule, fact in _doubts(run, lengths):
            path = run.path / "result.json" if rule is kit_rules.SCORE_DIFFERS else run.path
            log.add_with_caveat(rule, path, fact, run.path, fact)


def _doubts(run: RunFolder, lengths: Mapping[str, int]) -> Iterator[Doubt]:
    """Yield the doubts about a run that has been read."""
    facts = []
    for name, stated, computed in _different_figures(run, lengths):
        facts.append(f"`{name}` is {stated:g} there, but {computed:g} in the checkpoints")
    if facts:
        yield kit_rules.SCORE_DIFFERS, "; ".join(facts)
    if not run.has_rows:
        checkpoints = counted(len(run.produced), "checkpoint")
        lack = "no row in" if run.rows_path else "no"
        source = f"{checkpoints} taken from the checkpoints' own files"
        yield rules.INTERRUPTED, f"there is {lack} `checkpoint_results.jsonl`: {source}"
    summary = run.summary
    has_expected_number = summary is not None and summary.expected_checkpoints is not None
    if not run.settings.problems and not (run.has_rows and has_expected_number):
        begun = listed(run.problems)
        yield rules.PROBLEMS_UNLISTED, f"it began {begun}, but no file lists the problems to solve"
    if run.without_row:
        yield rules.ROW_MISSING, listed(names_of([key]) for key in run.without_row)
    if run.lost_checkpoints:
        yield rules.CHECKPOINT_LOST, f"the run has no results for {names_of(run.lost_checkpoints)}"
