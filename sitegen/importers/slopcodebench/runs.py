"""The runs of a source: found by what their folders hold, read, and what they tell of their conditions."""

import re
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TypeVar

from pydantic import BaseModel

from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.cases import unreached
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.told import local_moment
from sitegen.importers.kit.tree import Folder, Tree, digest_of
from sitegen.importers.slopcodebench import files, rules
from sitegen.importers.slopcodebench.checkpoints import Checkpoint, review
from sitegen.importers.slopcodebench.rows import Quality, RowTable, read_rows
from sitegen.importers.slopcodebench.salvage import read_json_parts, read_yaml_parts
from sitegen.models.outcome import RoundResult
from sitegen.models.task import Case

M = TypeVar("M", bound=BaseModel)

_ROWS, _CONFIG = "checkpoint_results.jsonl", "config.yaml"

_SNAPSHOT = "snapshot"
"""Folder with what an agent wrote, which may look like anything."""

_AFTERWARDS = "after_skill"
"""Folder of a second evaluation."""

_USUAL_PROMPT = "just-solve"
"""The prompt of the published results."""

_INDIVISIBLE = frozenset({"tests", "pass_counts", "total_counts"})
"""Keys of `evaluation.json` whose value is of no use without a part of it."""

_NEWEST_SCHEMA = 1
"""`schema_version` of the newest `evaluation.json` known here."""


def find_runs(tree: Tree) -> tuple[list[Folder], list[Path]]:
    """Find the run folders of a source, whose names tell nothing; and copies inside of runs, which are passed over."""
    runs: list[Folder] = []
    nested: list[Path] = []
    for folder in tree.walk(leave_out={_SNAPSHOT}):
        config = folder.file(_CONFIG)
        is_told = _ROWS in folder.files or (config is not None and files.tells_of_run(config))
        if runs and folder.path != runs[-1].path and folder.path.is_relative_to(runs[-1].path):
            if is_told:
                nested.append(folder.path)
        elif is_told or (
            not _checkpoints_in(folder) and any(True for _ in _problem_folders(folder))
        ):
            runs.append(folder)
        else:
            tree.pass_over_archives(folder)
    return runs, nested


def _checkpoints_in(folder: Folder) -> dict[int, str]:
    """The folders of checkpoints in the folder of a problem, by their numbers; none where it is another folder."""
    found = {number: name for name in folder.folders if (number := files.checkpoint_number(name))}
    return dict(sorted(found.items()))


def _problem_folders(run: Folder) -> Iterator[Folder]:
    """The folders of a run's problems, in the order of their names."""
    # What can't be entered is told of by the walk, which comes through here as well.
    aside = Tree(run.path)
    for name in run.folders:
        folder = aside.inner(run, name)
        if name != _SNAPSHOT and _checkpoints_in(folder):
            yield folder


@dataclass(frozen=True, slots=True)
class Settings:
    """Under which conditions a run was made, as far as its folder tells."""

    model: str | None
    provider: str | None
    """Who serves the model."""
    scaffold: str | None
    """The program that drives the model, by its own name."""
    scaffold_version: str | None
    reasoning: str | None
    conditions: tuple[str, ...]
    """In what the run differs from the published ones: another prompt, caps."""
    problems: tuple[str, ...]
    """Those it was to solve; empty where no file lists them."""
    one_shot: bool
    catalogue: files.CatalogueName
    is_configured: bool
    """Whether there was a configuration, without which nobody knows of caps."""

    @property
    def described_scaffold(self) -> str | None:
        """The scaffold with its conditions, so that runs under others count as another agent's."""
        return ", ".join(filter(None, (self.scaffold, *self.conditions))) or None


def _stem(path: str | None) -> str | None:
    """The name of a file without folders and ending, whichever system the run was made on."""
    if path is None:
        return None
    name = PureWindowsPath(path).name if "\\" in path else PurePosixPath(path).name
    return re.sub(r"\.(?:jinja|j2|ya?ml)\Z", "", name)


@dataclass(slots=True)
class Run:
    """A run: what its own files say, and once it is read those of its checkpoints."""

    folder: Folder
    settings: Settings
    summary: files.Summary | None
    seed: int | None
    has_catalogue_file: bool = False
    """Whether it has a `problem_catalog.json`, which the runner writes since release v1.0."""
    has_lost_summary: bool = False
    """Whether it has a `result.json` that can't be read."""
    results: dict[files.Key, RoundResult] = field(default_factory=dict)
    """A record of each checkpoint that the folder tells of, as of a first attempt."""
    starts: dict[files.Key, str] = field(default_factory=dict)
    """When checkpoints began, by the clock of the machine that the run was made on."""
    started: datetime | None = None
    finished: datetime | None = None
    last: dict[str, int] = field(default_factory=dict)
    """The last checkpoint of each problem, if the folder tells it."""
    versions: dict[str, str] = field(default_factory=dict)
    labels: dict[str, dict[str, str]] = field(default_factory=dict)
    repeated: int = 0
    """Checkpoints with a second evaluation, of the code as a further prompt left it."""
    problems: tuple[str, ...] = ()
    """Problems that the run was to solve: those it lists, and those it began."""
    has_rows: bool = False
    """Whether it has rows, which the runner writes when a run ends."""
    without_row: list[files.Key] = field(default_factory=list)
    """Checkpoints that only their own files tell of, though the run has rows."""
    is_partial: bool = False
    """Whether some of its problems are not imported."""

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self.folder.path

    @property
    def rows_path(self) -> Path | None:
        """Where the runner's own rows are; None if it wrote none."""
        return self.folder.file(_ROWS)

    @property
    def produced(self) -> list[RoundResult]:
        """The checkpoints that the agent got to."""
        return [result for result in self.results.values() if result.state != "unreached"]

    @property
    def lost(self) -> list[files.Key]:
        """The checkpoints that nothing is told of, though something is told of a later one of their problem."""
        reached = {(result.task, result.round) for result in self.produced}
        earlier: dict[files.Key, None] = {}
        for problem, last in sorted(reached):
            earlier.update(dict.fromkeys((problem, number) for number in range(1, last)))
        return [key for key in earlier if key not in reached]

    def keep_problems(self, names: AbstractSet[str]) -> None:
        """Forget the problems of other names."""
        self.is_partial = self.is_partial or not names >= set(self.problems)
        self.problems = tuple(problem for problem in self.problems if problem in names)
        self.results = {key: result for key, result in self.results.items() if key[0] in names}
        self.last = {problem: last for problem, last in self.last.items() if problem in names}

    def rounds(self, lengths: Mapping[str, int]) -> Iterator[RoundResult]:
        """Yield a record of every checkpoint of its problems, as of a first attempt.

        Args:
            lengths: Checkpoints of the problems that are imported.
        """
        cause = "unknown: the source has no result here, though it has one for a later checkpoint"
        lost = set(self.lost)
        for problem in self.problems:
            for number in range(1, lengths.get(problem, 0) + 1):
                key = problem, number
                if key in lost:
                    yield replace(unreached(problem, 1, number, "aborted"), cause=cause)
                else:
                    yield self.results.get(key) or unreached(problem, 1, number)

    def is_copy_of(self, other: "Run") -> bool:
        """Whether both folders hold the same run: one of its checkpoints began at the same microsecond in both."""
        if self.settings.model != other.settings.model:
            return False
        if self.starts or other.starts:
            return any(other.starts.get(key) == start for key, start in self.starts.items())
        return self.results == other.results and self.settings == other.settings

    def read(self, cases: dict[files.Key, tuple[Case, ...]], report: Report) -> None:
        """Read its checkpoints; what no record holds is let go again.

        The cases of a checkpoint are those of the first run that lists them, and are kept in `cases`.
        """
        table = read_rows(self.rows_path) if self.rows_path else RowTable(self.path / _ROWS)
        report.problems += table.problems
        checkpoints = self._checkpoints(table, report)
        self.has_rows = bool(table.rows)
        if self.has_rows:
            self.without_row = [key for key in checkpoints if key not in table.rows]
        self._review_cut(table, report)
        quality = self._quality(table)
        review(table, checkpoints, report)
        for rule, what in quality.doubts():
            report.say(rule, table.path, what, self.path, what)
        for key, checkpoint in checkpoints.items():
            self.results[key] = _result(checkpoint, quality, cases)
        moments = []
        ends = []
        for key, checkpoint in checkpoints.items():
            effort = checkpoint.effort
            began = local_moment(effort.started)
            if effort.started and began:
                self.starts[key] = effort.started
                moments.append(began)
            ended = local_moment(effort.ended)
            if ended:
                ends.append(ended)
        self.started = min(moments, default=None)
        self.finished = max(ends, default=None)
        for row in table.rows.values():
            if row.is_last:
                self.last[row.problem] = max(row.idx, self.last.get(row.problem, 0))
            if row.version is not None:
                self.versions[row.problem] = str(row.version)
        begun = [problem for problem, _ in self.results]
        self.problems = tuple(sorted({*self.settings.problems, *begun}))

    def _quality(self, table: RowTable) -> Quality:
        """Return the measurements of its rows, by the definitions that its generation of the runner has."""
        expects = self.summary is not None and self.summary.expected_checkpoints is not None
        by_scb_check = expects or self.has_catalogue_file
        if self.has_lost_summary and not by_scb_check:
            why = ": without `result.json` nobody knows by which definition"
            return Quality.without_generation(table.rows, why)
        return Quality.of(table.rows, by_scb_check=by_scb_check)

    def _review_cut(self, table: RowTable, report: Report) -> None:
        """Report rows that are cut off: an error, unless the checkpoints' own files stand in for them."""
        if table.cut_line is None:
            return
        if any(True for _ in _problem_folders(self.folder)):
            report.add(rules.ROW_CUT, table.path, "the last row is cut", table.cut_line)
            report.tell(self.path, rules.ROW_CUT)
        else:
            what = f"{table.path.name} ends in the middle of a row"
            report.add(kit_rules.CUT_OFF, table.path, what, table.cut_line)

    def _checkpoints(self, table: RowTable, report: Report) -> dict[files.Key, Checkpoint]:
        """Return every checkpoint that the rows or the folders tell of."""
        found = {}
        for key, row in table.rows.items():
            left_out = table.left_out.get(key, ())
            found[key] = Checkpoint(*key, row=row, left_out=left_out)
        for problem_folder in _problem_folders(self.folder):
            problem = problem_folder.path.name
            info_path = problem_folder.file("problem.yaml")
            info = read_file(info_path, files.ProblemInfo, self.path, report)
            self.labels[problem] = info.labels if info else {}
            for number, name in _checkpoints_in(problem_folder).items():
                folder = Tree(self.path).inner(problem_folder, name)
                if folder.files or folder.folders:
                    self.repeated += _AFTERWARDS in folder.folders
                    known = found.get((problem, number)) or Checkpoint(problem, number)
                    found[problem, number] = self._with_own_files(known, folder, report)
        return dict(sorted(found.items()))

    def _with_own_files(self, checkpoint: Checkpoint, folder: Folder, report: Report) -> Checkpoint:
        """Return a checkpoint with what its own files say."""
        inference_path = folder.file("inference_result.json")
        inference = read_file(inference_path, files.Effort, self.path, report)
        own = replace(checkpoint, inference=inference, has_folder=True)
        path = folder.file("evaluation.json")
        if path is None:
            return own
        evaluation, fault = read_json_parts(path, files.Evaluation, _INDIVISIBLE)
        if fault:
            report_fault(folder.path, fault, self.path, report)
        if evaluation is None:
            return replace(own, evaluation_fault=fault)
        version = evaluation.schema_version
        report.newer_version("SlopCodeBench's evaluation.json", version, _NEWEST_SCHEMA, self.path)
        evaluated = replace(own, evaluation=evaluation, grader_digest=digest_of([path]))
        if fault and not evaluation.counts_tests:
            return replace(own, evaluation_fault=fault)
        unusable = _foreign_evaluation(evaluation, checkpoint) or evaluated.evaluation_breach
        if unusable:
            report_fault(folder.path, unusable, self.path, report)
            return replace(own, evaluation_fault=unusable)
        return replace(evaluated, evaluation_fault=fault)


def _foreign_evaluation(evaluation: files.Evaluation | None, checkpoint: Checkpoint) -> str:
    """Return which other checkpoint an evaluation is about; empty if it is not about another."""
    if evaluation is None:
        return ""
    named = evaluation.problem_name or checkpoint.problem
    number = files.checkpoint_number(evaluation.checkpoint_name or "") or checkpoint.number
    if (named, number) == (checkpoint.problem, checkpoint.number):
        return ""
    return f"evaluation.json is about checkpoint {number} of {one_line(named, 80)}"


def _result(
    checkpoint: Checkpoint, quality: Quality, cases: dict[files.Key, tuple[Case, ...]]
) -> RoundResult:
    """Return the record of a checkpoint; its cases are named only if an earlier run lists others."""
    key = checkpoint.problem, checkpoint.number
    result = checkpoint.result(quality.measures(key))
    if checkpoint.tests is None or checkpoint.tests.cases is None or result.outcomes is None:
        return result
    own_cases = checkpoint.tests.cases
    if cases.setdefault(key, own_cases) != own_cases:
        return replace(result, case_ids=tuple(case.id for case in own_cases))
    return result


def read_file(path: Path | None, model: type[M], run: Path, report: Report) -> M | None:
    """Return what a file of a run holds, None if it is not there, and report what of it can't be used."""
    if path is None:
        return None
    read = read_yaml_parts if path.suffix == ".yaml" else read_json_parts
    record, fault = read(path, model)
    if fault:
        report_fault(path.parent, fault, run, report)
    return record


def report_fault(folder: Path, fault: str, run: Path, report: Report) -> None:
    """Report what of a file can't be used."""
    place = folder.relative_to(run).as_posix()
    fact = fault if place == "." else f"{one_line(place, 80)}: {fault}"
    report.say(rules.FILE_BROKEN, run, fact, run, fact)


def open_runs(folders: Iterable[Folder], report: Report) -> list[Run]:
    """Read the files that tell under which conditions runs were made; the configuration wins over the others."""
    return [_open_run(folder, report) for folder in folders]


def _open_run(folder: Folder, report: Report) -> Run:
    run = folder.path
    config_path = folder.file(_CONFIG)
    config = read_file(config_path, files.RunConfig, run, report)
    summary_path = folder.file("result.json")
    summary = read_file(summary_path, files.Summary, run, report)
    catalogue_path = folder.file("problem_catalog.json")
    catalogue = read_file(catalogue_path, files.CatalogueName, run, report)
    info_path = None
    for problem_folder in _problem_folders(folder):
        info_path = info_path or problem_folder.file("run_info.yaml")
    info = read_file(info_path, files.RunInfo, run, report) or files.RunInfo()
    return Run(
        folder,
        _settings(config, summary or files.Summary(), info, catalogue),
        summary,
        info.seed,
        has_catalogue_file=catalogue_path is not None,
        has_lost_summary=summary_path is not None and summary is None,
    )


def _settings(
    given: files.RunConfig | None,
    result: files.Summary,
    info: files.RunInfo,
    catalogue: files.CatalogueName | None,
) -> Settings:
    """Return the conditions of a run by its configuration, its summary and a problem's own file."""
    config = given or files.RunConfig()
    prompt = _stem(config.prompt_path or result.prompt)
    conditions = []
    if prompt and prompt.lower().replace("_", "-") != _USUAL_PROMPT:
        conditions.append(f"prompt {prompt}")
    if config.post_checkpoint_skill:
        conditions.append("a further prompt after each checkpoint")
    reasoning = config.thinking or result.thinking
    if config.thinking_max_tokens:
        reasoning = f"at most {config.thinking_max_tokens} tokens"
    agent = config.agent
    scaffold = agent.type or _stem(agent.name) or result.agent_type or info.agent_type
    version = agent.version or result.agent_version or info.agent_version
    return Settings(
        model=config.model.name or result.model or info.model_name,
        provider=config.model.provider,
        scaffold=scaffold,
        scaffold_version=version,
        reasoning=reasoning,
        conditions=(*conditions, *agent.cost_limits.words),
        problems=tuple(config.problems or ()),
        one_shot=config.one_shot.enabled,
        catalogue=catalogue or files.CatalogueName(),
        is_configured=given is not None,
    )
