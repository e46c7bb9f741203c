"""The runs of a source: found by what their folders hold, read, and what they tell of their conditions."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path, PurePosixPath, PureWindowsPath

from sitegen.importers.kit.cases import unreached
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.told import local_moment
from sitegen.importers.kit.tree import Folder, Tree, digest_of
from sitegen.importers.slopcodebench import files
from sitegen.importers.slopcodebench.checkpoints import Checkpoint, review
from sitegen.importers.slopcodebench.rows import Quality, RowTable, names_of, read_rows
from sitegen.importers.slopcodebench.rules import ROW_TWICE
from sitegen.models.outcome import RoundResult
from sitegen.models.task import Case

_ROWS, _CONFIG = "checkpoint_results.jsonl", "config.yaml"

_SNAPSHOT = "snapshot"
"""Folder with what an agent wrote, which may look like anything."""

_AFTERWARDS = "after_skill"
"""Folder of a second evaluation."""

_USUAL_PROMPT = "just-solve"
"""The prompt of the published results."""


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
        elif is_told or (not _checkpoints_in(folder) and any(True for _ in _problem_folders(folder))):
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
    """A run: what its own files tell, and once it is read those of its checkpoints."""

    folder: Folder
    settings: Settings
    summary: files.Summary | None
    seed: int | None
    results: dict[files.Key, RoundResult] = field(default_factory=dict)
    """A record of each checkpoint that the folder tells of, as of a first attempt."""
    starts: dict[files.Key, str] = field(default_factory=dict)
    """When checkpoints began, by the clock of the machine that the run was made on."""
    started: datetime | None = None
    finished: datetime | None = None
    last: dict[str, int] = field(default_factory=dict)
    """The last checkpoint of each problem, where the folder tells it."""
    versions: dict[str, str] = field(default_factory=dict)
    labels: dict[str, dict[str, str]] = field(default_factory=dict)
    repeated: int = 0
    """Checkpoints with a second evaluation, of the code as a further prompt left it."""

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self.folder.path

    @property
    def has_rows(self) -> bool:
        """Whether the runner wrote its own rows, as it does when a run ends."""
        return _ROWS in self.folder.files

    @property
    def problems(self) -> tuple[str, ...]:
        """Problems that the run was to solve: those it lists, and those it began."""
        return tuple(sorted({*self.settings.problems, *(problem for problem, _ in self.results)}))

    @property
    def produced(self) -> list[RoundResult]:
        """The checkpoints that the agent got to."""
        return [result for result in self.results.values() if result.state != "unreached"]

    @property
    def lost(self) -> list[files.Key]:
        """The checkpoints that nothing is told of, though something is told of a later one of their problem."""
        reached = {(result.task, result.round) for result in self.produced}
        earlier = ((problem, number) for problem, last in sorted(reached) for number in range(1, last))
        return [key for key in dict.fromkeys(earlier) if key not in reached]

    def rounds(self, problems: Collection[str], attempt: int) -> Iterator[RoundResult]:
        """What is told of some problems' checkpoints, as of one of its agent's attempts."""
        cause = "unknown: the source has no result here, though it has one for a later checkpoint"
        blank = (replace(unreached(problem, attempt, number, "aborted"), cause=cause) for problem, number in self.lost)
        known = (replace(each, attempt=attempt) for key, each in self.results.items() if key not in self.lost)
        yield from (each for each in (*blank, *known) if each.task in problems)

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
        table = report.take(read_rows(self.path / _ROWS)) if self.has_rows else RowTable(self.path / _ROWS)
        checkpoints = self._checkpoints(table, report)
        expects = self.summary is not None and self.summary.expected_checkpoints is not None
        quality = Quality.of(table.rows, by_scb_check=expects or self.settings.catalogue.version is not None)
        review(table, checkpoints, report)
        for rule, what in quality.doubts():
            report.say(rule, table.path, what, self.path, what)
        if table.twice:
            report.tell(self.path, ROW_TWICE, names_of(table.twice))
        for key, each in checkpoints.items():
            result = each.result(quality.measures(key))
            # Cases are named only where an earlier run lists others.
            listed = each.tests.cases if each.tests and result.outcomes is not None else None
            if listed is not None and cases.setdefault(key, listed) != listed:
                result = replace(result, case_ids=tuple(case.id for case in listed))
            self.results[key] = result
        efforts = {key: each.effort for key, each in checkpoints.items()}
        self.starts = {key: effort.started for key, effort in efforts.items() if effort.started}
        self.started = min(filter(None, map(local_moment, self.starts.values())), default=None)
        self.finished = max(filter(None, (local_moment(each.ended) for each in efforts.values())), default=None)
        self.last = {row.problem: row.idx for row in table.rows.values() if row.is_last}
        self.versions = {row.problem: str(row.version) for row in table.rows.values() if row.version is not None}

    def _checkpoints(self, table: RowTable, report: Report) -> dict[files.Key, Checkpoint]:
        """Every checkpoint that the rows or the folders tell of."""
        found = {key: Checkpoint(*key, row=row) for key, row in table.rows.items()}
        for problem_folder in _problem_folders(self.folder):
            problem = problem_folder.path.name
            info = report.take(files.read_yaml(problem_folder.file("problem.yaml"), files.ProblemInfo))
            self.labels[problem] = info.labels if info else {}
            for number, name in _checkpoints_in(problem_folder).items():
                known = found.setdefault((problem, number), Checkpoint(problem, number))
                own = Tree(self.path).inner(problem_folder, name)
                if own.files or own.folders:
                    self.repeated += _AFTERWARDS in own.folders
                    graded = own.file("evaluation.json")
                    evaluation = report.take(files.read_if_there(graded, files.Evaluation))
                    found[problem, number] = replace(
                        known,
                        evaluation=evaluation,
                        inference=report.take(files.read_if_there(own.file("inference_result.json"), files.Effort)),
                        grader_digest=digest_of([graded]) if graded and evaluation else None,
                        has_folder=True,
                    )
        return dict(sorted(found.items()))


def open_runs(folders: Iterable[Folder], report: Report) -> list[Run]:
    """Read the files that tell under which conditions runs were made; where several do, the configuration wins."""
    opened = []
    for folder in folders:
        given = report.take(files.read_yaml(folder.file(_CONFIG), files.RunConfig))
        summary = report.take(files.read_if_there(folder.file("result.json"), files.Summary))
        catalogue = report.take(files.read_if_there(folder.file("problem_catalog.json"), files.CatalogueName))
        path = next((path for each in _problem_folders(folder) if (path := each.file("run_info.yaml"))), None)
        info = report.take(files.read_yaml(path, files.RunInfo)) or files.RunInfo()
        config, result = given or files.RunConfig(agent=files.PartConfig()), summary or files.Summary()
        prompt = _stem(config.prompt_path or result.prompt)
        conditions = []
        if prompt and prompt.lower().replace("_", "-") != _USUAL_PROMPT:
            conditions.append(f"prompt {prompt}")
        if config.post_checkpoint_skill:
            conditions.append("a further prompt after each checkpoint")
        most = f"at most {config.thinking_max_tokens} tokens" if config.thinking_max_tokens else None
        settings = Settings(
            model=config.model.name or result.model or info.model_name,
            scaffold=config.agent.type or _stem(config.agent.name) or result.agent_type or info.agent_type,
            scaffold_version=config.agent.version or result.agent_version or info.agent_version,
            reasoning=most or config.thinking or result.thinking,
            conditions=(*conditions, *config.agent.cost_limits.words),
            problems=config.problems or (),
            one_shot=config.one_shot.enabled,
            catalogue=catalogue or files.CatalogueName(),
            is_configured=given is not None,
        )
        opened.append(Run(folder, settings, summary, info.seed))
    return opened
