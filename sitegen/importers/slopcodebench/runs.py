"""Find the run folders of a source, and read their conditions and their checkpoints.

`find_runs` finds the folders, `open_runs` reads the files about a run's conditions, and
`RunFolder.read` reads its checkpoints.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TypeVar

from pydantic import BaseModel

from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.cases import blank_round
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.times import local_moment
from sitegen.importers.kit.tree import Folder, SourceTree, digest_of
from sitegen.importers.slopcodebench import files, rules
from sitegen.importers.slopcodebench.checkpoints import Checkpoint, review
from sitegen.importers.slopcodebench.rows import Quality, RowTable, read_rows
from sitegen.importers.slopcodebench.salvage import read_json_parts, read_yaml_parts
from sitegen.models.outcome import RoundResult
from sitegen.models.task import Case

M = TypeVar("M", bound=BaseModel)

_ROWS = "checkpoint_results.jsonl"
_CONFIG = "config.yaml"

_SNAPSHOT = "snapshot"
"""Folder with the files that an agent wrote, which may look like a run."""

_SECOND_EVALUATION = "after_skill"
"""Folder of a second evaluation, which checks the code after a further prompt."""

_USUAL_PROMPT = "just-solve"
"""The prompt of the published results."""

_INDIVISIBLE = frozenset({"tests", "pass_counts", "total_counts"})
"""Keys of `evaluation.json` whose value is useless if a part of it is left out."""

_NEWEST_SCHEMA = 1
"""`schema_version` of the newest known `evaluation.json`."""


def find_runs(tree: SourceTree) -> tuple[list[Folder], list[Path]]:
    """Return the run folders of a source, and the paths of runs inside runs, which are ignored.

    Run folders can have any name, so they are recognised by their files.
    """
    runs: list[Folder] = []
    nested: list[Path] = []
    for folder in tree.walk(leave_out={_SNAPSHOT}):
        has_run_files = _has_run_files(folder)
        if runs and runs[-1].path in folder.path.parents:
            if has_run_files:
                nested.append(folder.path)
        elif has_run_files or _has_problem_folders(folder):
            runs.append(folder)
        else:
            tree.pass_over_archives(folder)
    return runs, nested


def _has_run_files(folder: Folder) -> bool:
    """Return whether a folder contains rows, or the configuration of a run."""
    if _ROWS in folder.files:
        return True
    config = folder.file(_CONFIG)
    return config is not None and files.describes_run(config)


def _has_problem_folders(folder: Folder) -> bool:
    """Return whether a folder contains folders of problems and is not a problem's folder itself."""
    return not _checkpoints_in(folder) and next(_problem_folders(folder), None) is not None


def _checkpoints_in(folder: Folder) -> dict[int, str]:
    """Return the folder names of a problem's checkpoints by number; empty for other folders."""
    numbers = {files.checkpoint_number(name): name for name in folder.folders}
    return {number: numbers[number] for number in sorted(filter(None, numbers))}


def _problem_folders(run: Folder) -> Iterator[Folder]:
    """Yield the folders of a run's problems, in the order of their names."""
    # Folders that can't be opened were already reported by `find_runs`.
    silent_tree = SourceTree(run.path)
    for name in run.folders:
        folder = silent_tree.inner(run, name)
        if name != _SNAPSHOT and _checkpoints_in(folder):
            yield folder


@dataclass(frozen=True, slots=True)
class HarnessSettings:
    """The conditions of a run, as stated in its folder; None for conditions that are not stated."""

    model: str | None
    provider: str | None
    """The company that serves the model."""
    scaffold: str | None
    """The program that drives the model."""
    scaffold_version: str | None
    reasoning: str | None
    conditions: tuple[str, ...]
    """Differences from the published runs, such as another prompt or a limit on steps."""
    problems: tuple[str, ...]
    """The problems that the run was to solve; empty if no file lists them."""
    one_shot: bool
    catalogue: files.CatalogueName
    is_configured: bool
    """Whether the run has a configuration; limits are unknown without one."""

    @property
    def described_scaffold(self) -> str | None:
        """The scaffold with its conditions: runs under other conditions are a separate agent."""
        return ", ".join(filter(None, (self.scaffold, *self.conditions))) or None


def _stem(path: str | None) -> str | None:
    """Return the name of a file without its folders and suffix, on any operating system."""
    if path is None:
        return None
    name = PureWindowsPath(path).name if "\\" in path else PurePosixPath(path).name
    return re.sub(r"\.(?:jinja|j2|ya?ml)\Z", "", name)


@dataclass(slots=True)
class RunFolder:
    """A run: its own files and, after `read`, the files of its checkpoints."""

    folder: Folder
    settings: HarnessSettings
    summary: files.RunSummary | None
    seed: int | None
    has_catalogue_file: bool = False
    """Whether the folder has `problem_catalog.json`, which runners write since release v1.0."""
    has_lost_summary: bool = False
    """Whether the folder has a `result.json` that can't be read."""
    results: dict[files.Key, RoundResult] = field(default_factory=dict)
    """The record of each checkpoint that has a row or files, as a round of attempt 1."""
    starts: dict[files.Key, str] = field(default_factory=dict)
    """Start times of checkpoints, in the local time of the machine that ran them."""
    started: datetime | None = None
    finished: datetime | None = None
    last_checkpoints: dict[str, int] = field(default_factory=dict)
    """The last checkpoint of each problem whose rows state it."""
    versions: dict[str, str] = field(default_factory=dict)
    labels: dict[str, dict[str, str]] = field(default_factory=dict)
    second_evaluations: int = 0
    """Number of checkpoints with a second evaluation, after a further prompt."""
    problems: tuple[str, ...] = ()
    """Problems that the run was to solve: the listed problems, and the problems it began."""
    has_rows: bool = False
    """Whether the run has rows, which the runner writes at the end of a run."""
    without_row: list[files.Key] = field(default_factory=list)
    """Checkpoints without a row in a run that has rows."""
    is_partial: bool = False
    """Whether some of the run's problems are not imported."""

    @property
    def path(self) -> Path:
        """The path of the run's folder."""
        return self.folder.path

    @property
    def rows_path(self) -> Path | None:
        """The path of the file of rows; None if the runner wrote none."""
        return self.folder.file(_ROWS)

    @property
    def names_catalogue(self) -> bool:
        """Whether the run names the catalogue with which it was made."""
        return self.settings.catalogue.version is not None

    @property
    def produced(self) -> list[RoundResult]:
        """The checkpoints that the agent reached."""
        return [result for result in self.results.values() if result.state != "unreached"]

    @property
    def has_verdict(self) -> bool:
        """Whether any checkpoint has a verdict."""
        return any(result.state in {"scored", "no_cases"} for result in self.results.values())

    @property
    def lost_checkpoints(self) -> list[files.Key]:
        """The checkpoints without any result that precede a checkpoint with a result."""
        reached = {(result.task, result.round) for result in self.produced}
        furthest = dict(sorted(reached))  # the last checkpoint of each problem
        lost = []
        for problem, last in furthest.items():
            keys = [(problem, number) for number in range(1, last)]
            lost += [key for key in keys if key not in reached]
        return lost

    def keep_problems(self, names: AbstractSet[str]) -> None:
        """Remove all problems except those with the given names."""
        self.is_partial = self.is_partial or not names >= set(self.problems)
        self.problems = tuple(problem for problem in self.problems if problem in names)
        self.results = {key: result for key, result in self.results.items() if key[0] in names}
        for problem in self.last_checkpoints.keys() - names:
            del self.last_checkpoints[problem]

    def rounds(self, lengths: Mapping[str, int]) -> Iterator[RoundResult]:
        """Yield a record of every checkpoint of the run's problems, as a round of attempt 1.

        Args:
            lengths: Number of checkpoints of each problem that is imported.
        """
        cause = "unknown: the source has no result here, though it has one for a later checkpoint"
        lost = set(self.lost_checkpoints)
        for problem in self.problems:
            for number in range(1, lengths.get(problem, 0) + 1):
                key = problem, number
                if key in lost:
                    yield replace(blank_round(problem, 1, number, state="aborted"), cause=cause)
                else:
                    yield self.results.get(key) or blank_round(problem, 1, number)

    def is_copy_of(self, run: "RunFolder") -> bool:
        """Return whether two folders contain the same run.

        Two runs are the same if a checkpoint began at the same microsecond in both or, if no start
        is known, if their results and settings are equal.
        """
        if self.settings.model != run.settings.model:
            return False
        if self.starts or run.starts:
            return not self.starts.items().isdisjoint(run.starts.items())
        return self.results == run.results and self.settings == run.settings

    def read(self, cases: dict[files.Key, tuple[Case, ...]], log: ImportLog) -> None:
        """Read the run's checkpoints into `results`.

        Args:
            cases: The cases of each checkpoint, from the first run that lists them; extended here.
            log: Collects the problems.
        """
        table = read_rows(self.rows_path) if self.rows_path else RowTable(self.path / _ROWS)
        log.problems += table.problems
        checkpoints = self._checkpoints(table, log)
        self.has_rows = bool(table.rows)
        if self.has_rows:
            self.without_row = [key for key in checkpoints if key not in table.rows]
        self._review_cut(table, log)
        quality = self._quality(table)
        review(table, checkpoints, log)
        for rule, fact in quality.doubts():
            log.add_with_caveat(rule, table.path, fact, self.path, fact)
        for key, checkpoint in checkpoints.items():
            self.results[key] = _result(checkpoint, quality, cases)
        self._set_times(checkpoints)
        for row in table.rows.values():
            if row.is_last:
                last = self.last_checkpoints.get(row.problem, 0)
                self.last_checkpoints[row.problem] = max(row.idx, last)
            if row.version is not None:
                self.versions[row.problem] = str(row.version)
        begun_problems = [problem for problem, _ in self.results]
        self.problems = tuple(sorted({*self.settings.problems, *begun_problems}))

    def _set_times(self, checkpoints: Mapping[files.Key, Checkpoint]) -> None:
        """Set the start times of the run and its checkpoints, and the end time of the run."""
        start_times = []
        end_times = []
        for key, checkpoint in checkpoints.items():
            effort = checkpoint.effort
            start_time = local_moment(effort.started)
            if effort.started and start_time:
                self.starts[key] = effort.started
                start_times.append(start_time)
            end_time = local_moment(effort.ended)
            if end_time:
                end_times.append(end_time)
        self.started = min(start_times, default=None)
        self.finished = max(end_times, default=None)

    def _quality(self, table: RowTable) -> Quality:
        """Return the measurements of the rows, as defined in the runner's generation."""
        expects = self.summary is not None and self.summary.expected_checkpoints is not None
        by_scb_check = expects or self.has_catalogue_file
        if self.has_lost_summary and not by_scb_check:
            why = ": without `result.json`, the version of the definition is unknown"
            return Quality.without_generation(table.rows, why)
        return Quality.of(table.rows, by_scb_check=by_scb_check)

    def _review_cut(self, table: RowTable, log: ImportLog) -> None:
        """Report a truncated row, which is an error unless checkpoints have their own files."""
        if table.cut_line is None:
            return
        if next(_problem_folders(self.folder), None) is not None:
            log.add(rules.ROW_CUT, table.path, "the last row is cut off", table.cut_line)
            log.add_caveat(self.path, rules.ROW_CUT)
        else:
            fact = f"{table.path.name} ends in the middle of a row"
            log.add(kit_rules.CUT_OFF, table.path, fact, table.cut_line)

    def _checkpoints(self, table: RowTable, log: ImportLog) -> dict[files.Key, Checkpoint]:
        """Return every checkpoint that has a row or a folder."""
        checkpoints = {}
        for key, row in table.rows.items():
            left_out = table.left_out.get(key, ())
            checkpoints[key] = Checkpoint(*key, row=row, left_out=left_out)
        for problem_folder in _problem_folders(self.folder):
            problem = problem_folder.path.name
            info_path = problem_folder.file("problem.yaml")
            info = read_file(info_path, files.ProblemInfo, self.path, log)
            self.labels[problem] = info.labels if info else {}
            for number, name in _checkpoints_in(problem_folder).items():
                folder = SourceTree(self.path).inner(problem_folder, name)
                if folder.files or folder.folders:
                    self.second_evaluations += _SECOND_EVALUATION in folder.folders
                    key = problem, number
                    checkpoint = checkpoints.get(key) or Checkpoint(problem, number)
                    checkpoints[key] = self._with_files(checkpoint, folder, log)
        return dict(sorted(checkpoints.items()))

    def _with_files(self, checkpoint: Checkpoint, folder: Folder, log: ImportLog) -> Checkpoint:
        """Return a checkpoint with the content of the files in its folder."""
        inference_path = folder.file("inference_result.json")
        inference = read_file(inference_path, files.CheckpointEffort, self.path, log)
        unevaluated = replace(checkpoint, inference=inference, has_folder=True)
        path = folder.file("evaluation.json")
        if path is None:
            return unevaluated
        evaluation, fault = read_json_parts(path, files.CheckpointEvaluation, _INDIVISIBLE)
        if fault:
            report_fault(folder.path, fault, self.path, log)
        if evaluation is None:
            return replace(unevaluated, evaluation_fault=fault)
        version = evaluation.schema_version
        log.warn_if_newer("SlopCodeBench's evaluation.json", version, _NEWEST_SCHEMA, self.path)
        if fault and not evaluation.counts_tests:
            return replace(unevaluated, evaluation_fault=fault)
        digest = digest_of([path])
        evaluated = replace(unevaluated, evaluation=evaluation, grader_digest=digest)
        reason = _foreign_evaluation(evaluation, checkpoint) or evaluated.evaluation_breach
        if reason:
            report_fault(folder.path, reason, self.path, log)
            return replace(unevaluated, evaluation_fault=reason)
        return replace(evaluated, evaluation_fault=fault)


def _foreign_evaluation(evaluation: files.CheckpointEvaluation, checkpoint: Checkpoint) -> str:
    """Return a clause if an evaluation is about another checkpoint; otherwise empty."""
    problem = evaluation.problem_name or checkpoint.problem
    number = files.checkpoint_number(evaluation.checkpoint_name or "") or checkpoint.number
    if (problem, number) == (checkpoint.problem, checkpoint.number):
        return ""
    return f"evaluation.json is about checkpoint {number} of {one_line(problem, 80)}"


def _result(
    checkpoint: Checkpoint, quality: Quality, cases: dict[files.Key, tuple[Case, ...]]
) -> RoundResult:
    """Return a checkpoint's record, which names its cases only if an earlier run has others."""
    key = checkpoint.problem, checkpoint.number
    result = checkpoint.result(quality.measures(key))
    listed_cases = checkpoint.tests.cases if checkpoint.tests else None
    if listed_cases is None or result.outcomes is None:
        return result
    if cases.setdefault(key, listed_cases) != listed_cases:
        return replace(result, case_ids=tuple(case.id for case in listed_cases))
    return result


def read_file(path: Path | None, model: type[M], run: Path, log: ImportLog) -> M | None:
    """Return the record in a run's file; unusable values are left out and reported.

    Args:
        path: The file; None if the run does not have it.
        model: The type of its record.
        run: The folder of the run.
        log: Collects the problems.
    """
    if path is None:
        return None
    read = read_yaml_parts if path.suffix == ".yaml" else read_json_parts
    record, fault = read(path, model)
    if fault:
        report_fault(path.parent, fault, run, log)
    return record


def report_fault(folder: Path, fault: str, run: Path, log: ImportLog) -> None:
    """Report the unusable part of a file in a folder of a run."""
    inner_path = folder.relative_to(run).as_posix()
    fact = fault if inner_path == "." else f"{one_line(inner_path, 80)}: {fault}"
    log.add_with_caveat(rules.FILE_BROKEN, run, fact, run, fact)


def open_runs(folders: Iterable[Folder], log: ImportLog) -> list[RunFolder]:
    """Return the runs in folders, with the conditions that their files state."""
    return [_open_run(folder, log) for folder in folders]


def _open_run(folder: Folder, log: ImportLog) -> RunFolder:
    run = folder.path
    config_path = folder.file(_CONFIG)
    config = read_file(config_path, files.RunConfig, run, log)
    summary_path = folder.file("result.json")
    summary = read_file(summary_path, files.RunSummary, run, log)
    catalogue_path = folder.file("problem_catalog.json")
    catalogue = read_file(catalogue_path, files.CatalogueName, run, log)
    info_path = None
    for problem_folder in _problem_folders(folder):
        info_path = info_path or problem_folder.file("run_info.yaml")
    info = read_file(info_path, files.RunInfo, run, log) or files.RunInfo()
    return RunFolder(
        folder,
        _settings(config, summary or files.RunSummary(), info, catalogue),
        summary,
        info.seed,
        has_catalogue_file=catalogue_path is not None,
        has_lost_summary=summary_path is not None and summary is None,
    )


def _settings(
    run_config: files.RunConfig | None,
    summary: files.RunSummary,
    info: files.RunInfo,
    catalogue: files.CatalogueName | None,
) -> HarnessSettings:
    """Return the conditions of a run from its configuration, its summary and a problem's file."""
    config = run_config or files.RunConfig()
    prompt = _stem(config.prompt_path or summary.prompt)
    conditions = []
    if prompt and prompt.lower().replace("_", "-") != _USUAL_PROMPT:
        conditions.append(f"prompt {prompt}")
    if config.post_checkpoint_skill:
        conditions.append("a further prompt after each checkpoint")
    reasoning = config.thinking or summary.thinking
    if config.thinking_max_tokens:
        reasoning = f"at most {config.thinking_max_tokens} tokens"
    agent = config.agent
    scaffold = agent.type or _stem(agent.name) or summary.agent_type or info.agent_type
    version = agent.version or summary.agent_version or info.agent_version
    return HarnessSettings(
        model=config.model.name or summary.model or info.model_name,
        provider=config.model.provider,
        scaffold=scaffold,
        scaffold_version=version,
        reasoning=reasoning,
        conditions=(*conditions, *agent.cost_limits.descriptions),
        problems=tuple(config.problems or ()),
        one_shot=config.one_shot.enabled,
        catalogue=catalogue or files.CatalogueName(),
        is_configured=run_config is not None,
    )
