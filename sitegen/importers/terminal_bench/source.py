"""Import runs of Terminal-Bench: one bundle per agent, with a one-round attempt per trial."""

from collections.abc import Iterable
from pathlib import Path

from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.joining import join_runs
from sitegen.importers.kit.options import Format, ImportOptions, Progress
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rounds import GRADED, ImportSource
from sitegen.importers.kit.tree import SourceTree
from sitegen.importers.terminal_bench.agents import choose_runs, name_agents
from sitegen.importers.terminal_bench.rounds import RunMaker
from sitegen.importers.terminal_bench.rules import DATASETS_DIFFER
from sitegen.importers.terminal_bench.runs import BenchRun, find_run_files, read_runs
from sitegen.models.incoming import Incoming
from sitegen.problems import counted, listed


def read_terminal_bench(source: Path, options: ImportOptions) -> Incoming:
    """Import a folder with runs of `tb`, in any common layout.

    The verdict of a trial is its `is_resolved`; a failure that the runner also recorded does not
    change it. A trial without a verdict is aborted.

    Raises:
        UsageError: The requested agent has no runs.
        ProblemsError: The runs can't be used; carries all problems.
    """
    log = ImportLog(source)
    tree = SourceTree(source)
    bench_runs = read_runs(tree, log)
    log.problems += tree.problems()
    log.stop_at_errors()

    bench_runs = choose_runs(bench_runs, options, log)
    _check_datasets(bench_runs, log)
    _check_verdicts(bench_runs, log)
    entrants = name_agents(bench_runs, options, log)
    log.stop_at_errors()

    imported = ImportSource(log, _summary(bench_runs), columns=GRADED)
    imported.undated = kit_rules.DATE_ASSUMED
    maker = RunMaker(imported)
    pace = Progress(len(bench_runs), options.watch)
    runs = []
    for bench_run, entrant in zip(bench_runs, entrants, strict=True):
        runs.append(maker.make(bench_run, entrant))
        pace.step()
    imported.runs = join_runs(runs, options, log)
    maker.finish(options)
    return imported.imported(options)


def recognise(tree: SourceTree) -> str | None:
    """Return a phrase that names a file of Terminal-Bench's runs; None if there is none."""
    return tree.example("runs of Terminal-Bench", find_run_files(tree))


FORMAT = Format(
    read_terminal_bench, "main", extras=frozenset({"runs", "pick"}), recognise=recognise
)


def _summary(runs: Iterable[BenchRun]) -> str:
    """Return a sentence that describes the track: its dataset and how results are checked."""
    datasets = [run.dataset for run in runs if run.dataset]
    name = one_line(datasets[0]) if datasets else "Terminal-Bench"
    return f"Tasks of {name}: an agent works in a terminal, and tests check the result."


def _check_datasets(runs: Iterable[BenchRun], log: ImportLog) -> None:
    """Report runs on several datasets: their scores are not comparable."""
    paths: dict[str, Path] = {}
    for run in runs:
        if run.dataset:
            paths.setdefault(run.dataset, run.path)
    if len(paths) > 1:
        examples = [f"{one_line(name)} ({log.name(path)})" for name, path in paths.items()]
        log.add(DATASETS_DIFFER, log.root, f"there are runs of {listed(examples)}")


def _check_verdicts(runs: Iterable[BenchRun], log: ImportLog) -> None:
    """Report an import in which no trial has a verdict."""
    trials = [trial for run in runs for trial in run.trials]
    if trials and all(trial.is_resolved is None for trial in trials):
        message = f"none of {counted(len(trials), 'trial')} has a verdict"
        log.add(kit_rules.NOTHING_SCORED, log.root, message)
