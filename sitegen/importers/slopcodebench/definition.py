"""Describe the benchmark, and determine how many checkpoints its problems have.

Run folders do not state that number: it comes from a catalogue, see `lengths_of`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, Field

from sitegen.importers.kit.agents import only
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.slopcodebench import rules
from sitegen.importers.slopcodebench.benchmark import FACTS
from sitegen.importers.slopcodebench.files import Key
from sitegen.importers.slopcodebench.runs import RunFolder
from sitegen.metrics.catalogue import (
    COST_PER_ROUND,
    EROSION,
    MINUTES_PER_ROUND,
    SOLVED,
    STRICT,
    VERBOSITY,
)
from sitegen.metrics.checkpoints import CORE, ISO, PARTIAL
from sitegen.metrics.effort import NET_COST
from sitegen.models.declared import Declared
from sitegen.models.record import Position
from sitegen.models.task import Case, Task, TaskRound
from sitegen.problems import counted

_SOURCE = "https://github.com/SprocketLab/slop-code-bench"
"""The repository with a folder for each problem, which contains the texts of its checkpoints."""

COMMIT = re.compile(r"[0-9a-f]{7,64}")
"""Hash of a commit of the catalogue, full or abbreviated."""

AXES = ("difficulty", "category")

LATEST = "v1.0"
"""The release whose catalogue is assumed for runs that name no catalogue."""

# One table, so that it can be compared with the complete repository.
LENGTHS: Mapping[str, Mapping[str, int]] = {
    "v1.0": {
        "cfgpipe": 6, "circuit_eval": 8, "code_search": 5, "dag_execution": 3,
        "database_migration": 5, "datagate": 7, "dynamic_buffer": 4,
        "dynamic_config_service_api": 4, "env_manager": 5, "etl_pipeline": 5, "eve_industry": 6,
        "eve_jump_planner": 3, "eve_market_tools": 4, "eve_route_planner": 3,
        "execution_server": 6, "file_backup": 4, "file_merger": 4, "file_query_tool": 5,
        "forge": 8, "l2m": 5, "layered_config_synthesizer": 4, "log_query": 5, "meshctl": 8,
        "metric_transform_lang": 5, "migrate_configs": 5, "mocked_http": 8, "mvvault": 6,
        "pwd_manager": 5, "recli": 8, "rejector": 5, "sheeteval": 7, "sith": 6,
        "test_translator": 8, "textdrop": 6, "trajectory_api": 5, "xjq": 5,
    }
}  # fmt: skip
"""Number of checkpoints of each problem, by release; counted in the problems' folders."""

COLUMNS = (
    STRICT.id,
    ISO.id,
    CORE.id,
    PARTIAL.id,
    SOLVED.id,
    COST_PER_ROUND.id,
    NET_COST.id,
    MINUTES_PER_ROUND.id,
    EROSION.id,
    VERBOSITY.id,
)

COMPLEX_SHARE = Declared(
    id="complex_share",
    title="Erosion, paper",
    unit="share",
    direction="lower",
    decimals=2,
    summary="Erosion by the paper's equations 2 and 3, as the runner computes it: the share of "
    "complexity in functions above 10. Since April 2026, Erosion itself follows scb-check, and "
    "values by the two definitions are not comparable.",
    source="https://arxiv.org/abs/2603.24755",
    of="measure:complex_share",
    tasks="pooled",
)
"""A column for benchmarks whose first import contains runs with this measurement."""

ABOUT: Mapping[str, object] = {
    "title": FACTS.title,
    "summary": "How the code of coding agents fares while they extend it from checkpoint to "
    "checkpoint.",
    "homepage": "https://www.scbench.ai",
    "paper": "https://arxiv.org/abs/2603.24755",
    "license": "MIT",
    "round_name": "Checkpoint",
    "issues": f"{_SOURCE}/issues",
}
"""Facts about the benchmark, as in its paper."""


class Catalogue(BaseModel):
    """The number of checkpoints of each problem in a release, as in the file of `--catalog`."""

    model_config = ConfigDict(strict=True, extra="ignore")

    version: str | None = None
    problems: dict[str, Position] = Field(min_length=1)


def catalogue_version(runs: Sequence[RunFolder], catalogue: Catalogue | None) -> str | None:
    """Return the release whose catalogue is used: the file's, or the first that a run names.

    Args:
        runs: The runs of the import.
        catalogue: The file that the importing user named, if any.
    """
    if catalogue:
        return catalogue.version
    for run in runs:
        if run.names_catalogue:
            return run.settings.catalogue.version
    return LATEST


def catalogue_lengths(version: str | None, catalogue: Catalogue | None) -> Mapping[str, int]:
    """Return the number of checkpoints of each problem; empty for an unknown catalogue."""
    return catalogue.problems if catalogue else LENGTHS.get(f"{version}", {})


def lengths_of(
    runs: Sequence[RunFolder], catalogue: Catalogue | None, log: ImportLog
) -> dict[str, int]:
    """Return the number of checkpoints of each problem in the given runs.

    The number comes from the catalogue. For a problem that the catalogue lacks, it is the
    checkpoint that runs mark as the last. An unknown number is reported as an error.

    Args:
        runs: The runs of the import.
        catalogue: The file that the importing user named, if any.
        log: Collects the problems.
    """
    version = catalogue_version(runs, catalogue)
    review_catalogues(runs, version, catalogue, log)
    lengths = _Lengths(
        catalogue_lengths(version, catalogue),
        is_given=catalogue is not None,
        is_named=any(run.names_catalogue for run in runs),
    )
    for problem in sorted(problems_of(runs)):
        lengths.add(problem, runs, log)
    lengths.review(version, log)
    return lengths.lengths


def problems_of(runs: Iterable[RunFolder]) -> list[str]:
    """Return the distinct problems that runs were to solve or began, in the order of the runs."""
    problems: dict[str, None] = {}
    for run in runs:
        problems.update(dict.fromkeys(run.problems))
    return list(problems)


@dataclass(slots=True)
class _Lengths:
    """Determines the number of checkpoints of each problem, or why it is unknown."""

    by_catalogue: Mapping[str, int]
    is_given: bool
    """Whether the importing user named the catalogue."""
    is_named: bool
    """Whether a run names the catalogue."""
    lengths: dict[str, int] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    """Problems with an unknown number of checkpoints."""
    contradictions: list[str] = field(default_factory=list)
    """Contradictions between runs and a catalogue, or between runs."""
    overruled: list[str] = field(default_factory=list)
    """Contradictions between runs and the importing user's catalogue, which takes precedence."""

    def add(self, problem: str, runs: Sequence[RunFolder], log: ImportLog) -> None:
        """Determine the number of checkpoints of a problem."""
        last_checkpoints = _last_checkpoints(problem, runs)
        furthest = _furthest_checkpoint(problem, runs)
        by_runs = only(last_checkpoints)
        if by_runs is not None and by_runs < furthest:
            by_runs = None
        length = self.by_catalogue.get(problem)
        if length is not None:
            differences = _differences(problem, length, last_checkpoints, furthest)
            if not differences or self.is_given:
                self.lengths[problem] = length
                if differences:
                    self.overruled.append(differences)
                return
            if self.is_named or by_runs is None:
                self.contradictions.append(differences)
                return
        if by_runs is None:
            self.unknown.append(problem)
            return
        self.lengths[problem] = by_runs
        checkpoints = counted(by_runs, "checkpoint")
        log.assume(f"{problem} has {checkpoints}, as a run calls checkpoint {by_runs} the last")

    def review(self, version: str | None, log: ImportLog) -> None:
        """Report problems with an unknown number of checkpoints, and contradictions."""
        if self.unknown:
            release = f"the catalogue {version}" if version else "the catalogue"
            lack = "" if self.by_catalogue else ", whose counts are not known here,"
            names = ", ".join(self.unknown)
            fact = f"{release}{lack} does not say how many checkpoints there are in {names}"
            log.add(rules.LENGTH_UNKNOWN, log.root, fact)
        if self.contradictions:
            fact = f"according to the catalogue, {'; '.join(self.contradictions)}"
            log.add(rules.LENGTH_DIFFERS, log.root, fact)
        if self.overruled:
            fact = "; ".join(self.overruled)
            log.add_with_caveat(
                rules.LENGTH_GIVEN, log.root, f"according to the catalogue, {fact}", None, fact
            )


def _last_checkpoints(problem: str, runs: Sequence[RunFolder]) -> set[int]:
    """Return the checkpoints of a problem that any run marks as the last."""
    numbers = set()
    for run in runs:
        if problem in run.last_checkpoints:
            numbers.add(run.last_checkpoints[problem])
    return numbers


def _furthest_checkpoint(problem: str, runs: Sequence[RunFolder]) -> int:
    """Return the last checkpoint of a problem that any run contains; 0 if there is none."""
    furthest = 0
    for run in runs:
        for name, number in run.results:
            if name == problem:
                furthest = max(furthest, number)
    return furthest


def _differences(
    problem: str, length: int, last_checkpoints: AbstractSet[int], furthest: int
) -> str:
    """Return a clause about how runs of a problem contradict a catalogue; empty if they agree."""
    different = sorted(last_checkpoints - {length})
    facts = [f"the run calls checkpoint {number} the last" for number in different]
    if furthest > length and furthest not in last_checkpoints:
        facts.append(f"the run has a checkpoint {furthest}")
    if not facts:
        return ""
    return f"{problem} has {length}, but {', and '.join(facts)}"


def review_catalogues(
    runs: Sequence[RunFolder], version: str | None, catalogue: Catalogue | None, log: ImportLog
) -> None:
    """Report runs that name no catalogue, and runs that name different catalogues.

    Args:
        runs: The runs of the import.
        version: The release whose catalogue is used.
        catalogue: The file that the importing user named, if any.
        log: Collects the problems.
    """
    naming_runs = [run for run in runs if run.names_catalogue]
    if catalogue is None:
        silent_runs = [run for run in runs if not run.names_catalogue]
        _review_silent(silent_runs, version, log)
        log.warn_if_newer("SlopCodeBench's catalogue", version, LATEST)
    names = list(dict.fromkeys(run.settings.catalogue for run in naming_runs))
    facts = []
    if len(names) > 1:
        facts.append(f"the runs name {', '.join(map(str, names))}")
    different_versions = sorted({str(name.version) for name in names} - {version})
    if catalogue and version and different_versions:
        run_versions = ", ".join(different_versions)
        facts.append(f"the given catalogue is {version}, but the runs name {run_versions}")
    for fact in facts:
        log.add(rules.CATALOGUE_DIFFERS, log.root, fact)
    if facts:
        for run in naming_runs:
            log.add_caveat(run.path, rules.CATALOGUE_DIFFERS, str(run.settings.catalogue))


def _review_silent(runs: Sequence[RunFolder], version: str | None, log: ImportLog) -> None:
    """Report runs that name no catalogue, for which a catalogue is assumed."""
    if not runs:
        return
    names = ", ".join(log.name(run.path) for run in runs)
    fact = f"{names}: no catalogue is named, so the counts of {version} are used"
    log.add(rules.CATALOGUE_ASSUMED, log.root, fact)
    for run in runs:
        log.add_caveat(run.path, rules.CATALOGUE_ASSUMED, str(version))


def is_one_shot(run: RunFolder, lengths: Mapping[str, int]) -> bool:
    """Return whether a run combined all checkpoints of a problem into one.

    The configuration states this. Otherwise, a run is one-shot if its rows mark checkpoint 1 of
    every problem as the last, although a problem has more checkpoints.

    Args:
        run: A run that has been read.
        lengths: Number of checkpoints of each problem, if known.
    """
    if run.settings.one_shot:
        return True
    if set(run.last_checkpoints.values()) != {1}:
        return False
    return any(lengths.get(problem, 1) > 1 for problem in run.last_checkpoints)


def tasks_of(
    lengths: Mapping[str, int], runs: Sequence[RunFolder], cases: Mapping[Key, tuple[Case, ...]]
) -> dict[str, Task]:
    """Return a task for each problem, keyed by the problem's name.

    Args:
        lengths: Number of checkpoints of each problem.
        runs: The runs; labels come from the first run that has any.
        cases: The cases of checkpoints, if they are listed.
    """
    commit = only({run.settings.catalogue.commit for run in runs}) or ""
    tasks = {}
    for problem, length in sorted(lengths.items()):
        rounds = []
        for number in range(1, length + 1):
            labels = (phase(number, length),)
            rounds.append(TaskRound(number, labels=labels, cases=cases.get((problem, number))))
        url = None
        if COMMIT.fullmatch(commit):
            url = f"{_SOURCE}/tree/{commit}/problems/{problem}"
        tasks[problem] = Task(
            problem,
            tuple(rounds),
            labels=_labels_of(problem, runs),
            url=url,
            digest=_digest_of(problem, runs),
        )
    return tasks


def _labels_of(problem: str, runs: Sequence[RunFolder]) -> dict[str, str]:
    """Return the labels of a problem, from the first run that has any."""
    for run in runs:
        if run.labels.get(problem):
            return dict(run.labels[problem])
    return {}


def _digest_of(problem: str, runs: Sequence[RunFolder]) -> str | None:
    """Return the digest of a problem; None unless all runs that state a digest agree.

    The digest consists of the catalogue's version and commit, and the problem's version.
    """
    digests = set()
    for run in runs:
        catalogue = run.settings.catalogue
        version = run.versions.get(problem)
        if catalogue.commit and version:
            digests.add(f"{catalogue.version}@{catalogue.commit}#{version}")
    return only(digests)


def phase(number: int, length: int) -> str:
    """Return the phase of a checkpoint within its problem.

    The checkpoints between the first and the last are divided into three phases of equal length; if
    that is impossible, earlier phases are one checkpoint longer.

    Args:
        number: Number of the checkpoint, from 1.
        length: Number of checkpoints of its problem.

    Source:
        SlopCodeBench, arXiv:2603.24755v1: progress phases.
    """
    if number == 1:
        return "start"
    if number == length:
        return "final"
    phase_length, remainder = divmod(length - 2, 3)
    early_length = phase_length + (remainder > 0)
    middle_length = phase_length + (remainder > 1)
    position = number - 1
    if position <= early_length:
        return "early"
    return "mid" if position <= early_length + middle_length else "late"
