"""Import runs of Aider's benchmark: one bundle for each model and edit format."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import (
    RankedAgent,
    chosen,
    clean_agent_name,
    model_maker,
    short_model_name,
)
from sitegen.importers.kit.documents import read_document
from sitegen.importers.kit.drafts import day_in
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.joining import join_runs
from sitegen.importers.kit.options import Format, ImportOptions, Progress
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rounds import GRADED, AgentResults, ImportSource
from sitegen.importers.kit.tree import Folder, SourceTree
from sitegen.importers.kit.values import amount_of, count_of, mapping_of, text_of
from sitegen.models.incoming import Incoming
from sitegen.models.submission import Provenance
from sitegen.problems import grouped

RESULTS = ".aider.results.json"
"""Name of the file that Aider writes to the folder of each finished exercise."""

_PRACTICE = ("exercises", "practice")
"""Folders between a language and its exercises."""

_UNFINISHED_FIX = (
    "finish the run with `benchmark.py RUN --cont`, and import again: exercises without results "
    "are not part of the score"
)
_PART = rules.PART_OF_TASKS.specific(_UNFINISHED_FIX, rules.PART_OF_TASKS.caveat)


class _Exercise(NamedTuple):
    """The result of an exercise in a run."""

    path: Path
    name: str
    """The language, if the run has languages, and the exercise."""
    language: str
    result: Mapping[str, object]


def read_aider(source: Path, options: ImportOptions) -> Incoming:
    """Return the bundles of a run of Aider's benchmark, or of a folder of runs.

    An exercise has the reward 1 if its tests passed after the last try, as in Aider's pass rate.
    """
    log = ImportLog(source)
    tree = SourceTree(source)
    runs_exercises = _read_exercises(tree, options, log)
    log.problems += tree.problems()
    log.stop_at_errors()
    models = {folder: _run_model(exercises) for folder, exercises in runs_exercises.items()}
    wanted = set(chosen(models.values(), options))
    imported = ImportSource(log, columns=GRADED, undated=rules.DATE_ASSUMED)
    imported.summary = "Exercises of Aider's benchmark, whose tests the model may fail once."
    runs = []
    for folder, exercises in runs_exercises.items():
        if models[folder] in wanted:
            runs.append(_build_run(folder, exercises, models[folder], options))
            _report_unfinished(tree, runs[-1], exercises, log)
        for exercise in exercises:
            if exercise.language:
                imported.labels[exercise.name]["language"] = exercise.language
    imported.runs = join_runs(runs, options, log)
    return imported.imported(options)


def recognise(tree: SourceTree) -> str | None:
    """Return a file that shows that a source contains runs of Aider; None if none does."""
    return tree.example("results of Aider's benchmark", _find_results(tree.walk()))


FORMAT = Format(read_aider, "main", extras=frozenset({"runs", "pick"}), recognise=recognise)


def _find_results(folders: Sequence[Folder]) -> Iterator[Path]:
    """Yield the results of exercises."""
    for folder in folders:
        path = folder.file(RESULTS)
        if path is not None:
            yield path


def _read_exercises(
    tree: SourceTree, options: ImportOptions, log: ImportLog
) -> dict[Path, list[_Exercise]]:
    """Return the exercises of each run by the run's folder, in the order of the folders' names."""
    paths = list(_find_results(tree.walk()))
    pace = Progress(len(paths), options.watch)
    exercises = []
    for path in paths:
        pace.step()
        value, problem = read_document(path, tree.root)
        if problem is not None:
            log.problems.append(problem)
            continue
        folder, language = _find_run(path)
        if not folder.is_relative_to(tree.root):  # the source is the folder of a language
            folder = tree.root
        name = f"{language}/{path.parent.name}" if language else path.parent.name
        exercises.append((folder, _Exercise(path, name, language, mapping_of(value))))
    return dict(sorted(grouped(exercises).items()))


def _find_run(path: Path) -> tuple[Path, str]:
    """Return the folder of the run that has an exercise, and the exercise's language, if any."""
    parent = path.parent.parent
    if (parent.parent.name, parent.name) != _PRACTICE:
        return parent, ""
    language = parent.parent.parent
    return language.parent, language.name


def _run_model(exercises: Sequence[_Exercise]) -> str:
    """Return the model of a run; an exercise that ended with an exception does not state it."""
    for exercise in exercises:
        model = text_of(exercise.result.get("model"))
        if model:
            return model
    return ""


def _build_run(
    folder: Path, exercises: Sequence[_Exercise], model: str, options: ImportOptions
) -> AgentResults:
    """Return the run of a folder, with a round for each exercise."""
    stated: Mapping[str, object] = {}
    for exercise in exercises:
        if exercise.result.get("model"):
            stated = exercise.result
            break
    edit_format = text_of(stated.get("edit_format")) or ""
    effort = text_of(stated.get("reasoning_effort")) or ""
    provider, _, _ = model.rpartition("/")
    entrant = RankedAgent(
        short_model_name(model) if model else options.agent or "",
        clean_agent_name(f"aider {edit_format}"),
        clean_agent_name(effort),
        clean_agent_name(provider),
    )
    run = AgentResults(folder, entrant, {"organization": model_maker(model)})
    run.day = day_in(folder.name)
    commit = text_of(stated.get("commit_hash")) or ""
    is_dirty = commit.endswith("-dirty")
    code_commit = commit.removesuffix("-dirty") or None
    run.provenance = Provenance(harness="aider", code_commit=code_commit, dirty=is_dirty or None)
    for exercise in exercises:
        _add_exercise(exercise, run)
    return run


def _add_exercise(exercise: _Exercise, run: AgentResults) -> None:
    """Add the result of an exercise to a run, or the reason why it has none."""
    result = exercise.result
    outcomes = result.get("tests_outcomes")
    figures: dict[str, Any] = {
        "cost_usd": amount_of(result.get("cost")),
        "agent_seconds": amount_of(result.get("duration")),
        "input_tokens": count_of(result.get("prompt_tokens")),
        "output_tokens": count_of(result.get("completion_tokens")),
    }
    if not isinstance(outcomes, list) or not outcomes:
        exception = result.get("exception")
        first_line = exception.strip().partition("\n")[0] if isinstance(exception, str) else ""
        cause = one_line(first_line) or "no tests were run"
        run.grade(exercise.name, 1, 0.0, cause, **figures)
        return
    measures = {"first_try@aider": float(outcomes[0] is True)}
    run.grade(exercise.name, 1, float(outcomes[-1] is True), measures=measures, **figures)


def _report_unfinished(
    tree: SourceTree, run: AgentResults, exercises: Sequence[_Exercise], log: ImportLog
) -> None:
    """Report if a run has folders of exercises without results; Aider copies all of them."""
    by_parent: defaultdict[Path, int] = defaultdict(int)
    for exercise in exercises:
        by_parent[exercise.path.parent.parent] += 1
    total = 0
    for parent in by_parent:
        names = tree.look(parent).folders
        total += len([name for name in names if not name.startswith(".")])
    if total > len(exercises):
        fact = f"{len(exercises)} of {total} exercises have results"
        log.add_doubt(_PART, run.path, run.spot(), fact)
