"""Reads run folders."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from sitegen.importers.kit.tree import Folder, Tree
from sitegen.importers.slopcodebench.cases import CaseBook
from sitegen.importers.slopcodebench.checkpoint import Checkpoint
from sitegen.importers.slopcodebench.config import ProblemInfo, RunConfig, RunInfo, read_yaml
from sitegen.importers.slopcodebench.discovery import CONFIG, ROWS, checkpoints_in, problem_folders
from sitegen.importers.slopcodebench.evaluation import Evaluation, Tally
from sitegen.importers.slopcodebench.files import CatalogueName, Inference, Summary, read_if_there
from sitegen.importers.slopcodebench.quality import Key, Quality, quality_of
from sitegen.importers.slopcodebench.review import Review
from sitegen.importers.slopcodebench.rows import Row, RowTable, read_rows
from sitegen.importers.slopcodebench.rules import ROW_TWICE
from sitegen.importers.slopcodebench.run import Run
from sitegen.importers.slopcodebench.settings import Settings, settings_of
from sitegen.models.outcome import RoundResult
from sitegen.problems import Problem, counted

_SUMMARY, _CATALOGUE, _INFO, _PROBLEM = "result.json", "problem_catalog.json", "run_info.yaml", "problem.yaml"
_EVALUATION, _INFERENCE = "evaluation.json", "inference_result.json"

_AFTERWARDS = "after_skill"
"""Folder of a second evaluation."""


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A run folder whose own files are read, and those of its checkpoints not yet."""

    folder: Folder
    settings: Settings
    summary: Summary | None
    seed: int | None

    @property
    def by_scb_check(self) -> bool:
        """Whether the run is of the generation whose composites come from `scb-check`."""
        expects = self.summary is not None and self.summary.expected_checkpoints is not None
        return expects or self.settings.catalogue.version is not None


def open_run(folder: Folder) -> tuple[RunFolder, list[Problem]]:
    """Read the files that tell under which conditions a run was made."""
    config, config_problems = read_yaml(folder.file(CONFIG), RunConfig)
    summary, summary_problems = read_if_there(folder.file(_SUMMARY), Summary)
    catalogue, catalogue_problems = read_if_there(folder.file(_CATALOGUE), CatalogueName)
    first = next((path for each in problem_folders(folder) if (path := each.file(_INFO))), None)
    info, info_problems = read_yaml(first, RunInfo)
    opened = RunFolder(folder, settings_of(config, summary, info, catalogue), summary, info.seed if info else None)
    return opened, [*config_problems, *summary_problems, *catalogue_problems, *info_problems]


@dataclass(slots=True)
class Reader:
    """Reads the checkpoints of runs, one run at a time: what no record holds is let go again.

    Attributes:
        book: The cases that the runs share.
        problems: What is wrong with the runs.
        repeated: Checkpoints with a second evaluation, of the code as a further prompt left it.
    """

    book: CaseBook = field(default_factory=CaseBook)
    problems: list[Problem] = field(default_factory=list)
    repeated: int = 0

    def read(self, opened: RunFolder) -> Run:
        """Read a run."""
        table = self._rows(opened.folder)
        checkpoints = dict(self._checkpoints(opened.folder, table.rows))
        tallies = {key: each.listed or each.counted for key, each in checkpoints.items()}
        quality = quality_of(table.rows, by_scb_check=opened.by_scb_check)
        review, unmeasured = Review(table, checkpoints, tallies), list(quality.doubts())
        self.problems += [*review.problems(), *(rule.broken(table.path, None, what) for rule, what in unmeasured)]
        repeated = [(ROW_TWICE, ", ".join(dict.fromkeys(table.twice)))] if table.twice else []
        times = {key: (each.effort.started, each.effort.ended) for key, each in checkpoints.items()}
        return Run(
            opened.folder.path,
            opened.settings,
            dict(self._results(checkpoints, tallies, quality)),
            starts={key: started for key, (started, _) in times.items() if started},
            ends={key: ended for key, (_, ended) in times.items() if ended},
            last=table.last,
            versions=table.versions,
            labels=dict(self._labels(opened.folder)),
            summary=opened.summary,
            seed=opened.seed,
            has_rows=ROWS in opened.folder.files,
            doubts=(*review.doubts(), *unmeasured, *repeated),
        )

    def notes(self) -> Iterator[str]:
        """Say what was passed over in the runs."""
        if self.repeated:
            yield f"{counted(self.repeated, 'second evaluation')} passed over, of code as a further prompt left it"

    def _rows(self, folder: Folder) -> RowTable:
        path = folder.file(ROWS)
        if path is None:
            return RowTable(folder.path / ROWS)
        table, problems = read_rows(path)
        self.problems += problems
        return table

    def _checkpoints(self, folder: Folder, rows: Mapping[Key, Row]) -> Iterator[tuple[Key, Checkpoint]]:
        """Give every checkpoint that the rows or the folders tell of, by problem and number."""
        told = {key: Checkpoint(*key, row=row) for key, row in rows.items()}
        for problem_folder in problem_folders(folder):
            problem = problem_folder.path.name
            for number, name in checkpoints_in(problem_folder).items():
                known = told.get((problem, number), Checkpoint(problem, number))
                told[problem, number] = self._with_files(known, Tree(folder.path).look(problem_folder.path / name))
        yield from sorted(told.items(), key=lambda each: each[0])

    def _with_files(self, checkpoint: Checkpoint, folder: Folder | None) -> Checkpoint:
        if folder is None or not (folder.files or folder.folders):
            return checkpoint
        evaluation, evaluation_problems = read_if_there(folder.file(_EVALUATION), Evaluation)
        inference, inference_problems = read_if_there(folder.file(_INFERENCE), Inference)
        self.problems += [*evaluation_problems, *inference_problems]
        self.repeated += _AFTERWARDS in folder.folders
        return replace(checkpoint, evaluation=evaluation, inference=inference, has_folder=True)

    def _results(
        self, checkpoints: Mapping[Key, Checkpoint], tallies: Mapping[Key, Tally | None], quality: Quality
    ) -> Iterator[tuple[Key, RoundResult]]:
        for key, checkpoint in checkpoints.items():
            tally = tallies[key]
            result = checkpoint.result(tally, quality.measures(key))
            is_listed = tally is not None and result.outcomes is not None
            names = self.book.other_names(key, tally.cases) if tally and is_listed else None
            yield key, replace(result, case_ids=names)

    def _labels(self, folder: Folder) -> Iterator[tuple[str, dict[str, str]]]:
        """Give the labels of the problems whose description lies in the run's folder."""
        for problem_folder in problem_folders(folder):
            info, problems = read_yaml(problem_folder.file(_PROBLEM), ProblemInfo)
            self.problems += problems
            told = {"category": info.category, "difficulty": info.difficulty} if info else {}
            yield problem_folder.path.name, {axis: value for axis, value in told.items() if value}
