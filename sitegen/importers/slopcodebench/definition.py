"""What the importer says of the benchmark, and how many checkpoints its problems have, which no run's folder tells."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, Field

from sitegen.importers.kit.agents import only
from sitegen.importers.kit.report import Report
from sitegen.importers.slopcodebench import rules
from sitegen.importers.slopcodebench.files import Key
from sitegen.importers.slopcodebench.runs import Run
from sitegen.metrics.catalogue import (
    COST_PER_ROUND,
    EROSION,
    MINUTES_PER_ROUND,
    SOLVED,
    STRICT,
    VERBOSITY,
)
from sitegen.metrics.effort import NET_COST
from sitegen.metrics.targets import CORE, ISO, PARTIAL
from sitegen.models.declared import Declared
from sitegen.models.record import Position
from sitegen.models.task import Case, Task, TaskRound
from sitegen.problems import counted

_SOURCE = "https://github.com/SprocketLab/slop-code-bench"
"""Where each problem's folder has the texts of its checkpoints."""

COMMIT = re.compile(r"[0-9a-f]{7,64}")
"""What a commit of the catalogue is called."""

AXES = ("difficulty", "category")

LATEST = "v1.0"
"""The catalogue that is assumed where a run names none."""

LENGTHS: Mapping[str, Mapping[str, int]] = {
    "v1.0": {
        "cfgpipe": 6, "circuit_eval": 8, "code_search": 5, "dag_execution": 3, "database_migration": 5,
        "datagate": 7, "dynamic_buffer": 4, "dynamic_config_service_api": 4, "env_manager": 5,
        "etl_pipeline": 5, "eve_industry": 6, "eve_jump_planner": 3, "eve_market_tools": 4,
        "eve_route_planner": 3, "execution_server": 6, "file_backup": 4, "file_merger": 4, "file_query_tool": 5,
        "forge": 8, "l2m": 5, "layered_config_synthesizer": 4, "log_query": 5, "meshctl": 8,
        "metric_transform_lang": 5, "migrate_configs": 5, "mocked_http": 8, "mvvault": 6, "pwd_manager": 5,
        "recli": 8, "rejector": 5, "sheeteval": 7, "sith": 6, "test_translator": 8, "textdrop": 6,
        "trajectory_api": 5, "xjq": 5,
    }
}  # fmt: skip
"""Checkpoints of each problem, by release: counted in the problems' folders."""

COLUMNS = tuple(
    metric.id
    for metric in (
        *(STRICT, ISO, CORE, PARTIAL, SOLVED),
        *(COST_PER_ROUND, NET_COST, MINUTES_PER_ROUND, EROSION, VERBOSITY),
    )
)

COMPLEX_SHARE = Declared(
    id="complex_share",
    title="Erosion, paper",
    unit="share",
    direction="lower",
    decimals=2,
    summary="Erosion by the paper's equations 2 and 3, as the runner computes it: the share of complexity in functions "
    "above 10. Erosion itself follows scb-check since April 2026, and values by two definitions do not compare.",
    source="https://arxiv.org/abs/2603.24755",
    of="measure:complex_share",
    tasks="pooled",
)
"""A column of benchmarks that begin with runs that measure it."""

ABOUT: Mapping[str, object] = {
    "title": "SlopCodeBench",
    "summary": "How the code of coding agents fares while they extend it from checkpoint to checkpoint.",
    "homepage": "https://www.scbench.ai",
    "paper": "https://arxiv.org/abs/2603.24755",
    "license": "MIT",
    "round_name": "Checkpoint",
    "issues": f"{_SOURCE}/issues",
}
"""What its paper says of the benchmark."""


class Catalogue(BaseModel):
    """The problems of a release, as somebody wrote them down: a file that the importing person names."""

    model_config = ConfigDict(strict=True, extra="ignore")

    version: str | None = None
    problems: dict[str, Position] = Field(min_length=1)


def version_of(runs: Sequence[Run], given: Catalogue | None) -> str | None:
    """Return the release whose catalogue counts: the given one, else the first that a run names."""
    if given:
        return given.version
    for run in runs:
        if run.settings.catalogue.version is not None:
            return run.settings.catalogue.version
    return LATEST


def known_lengths(version: str | None, given: Catalogue | None) -> Mapping[str, int]:
    """Return the checkpoints of each problem by the catalogue; none if it is not known here."""
    return given.problems if given else LENGTHS.get(f"{version}", {})


def lengths_of(runs: Sequence[Run], given: Catalogue | None, report: Report) -> dict[str, int]:
    """Return how many checkpoints each problem of some runs has.

    A catalogue that is given or that a run names says so; of other problems a run itself does, if it
    calls a checkpoint the last. The report gets an error where that leaves a number open.
    """
    version = version_of(runs, given)
    review_catalogues(runs, version, given, report)
    lengths = _Lengths(
        known_lengths(version, given),
        is_given=given is not None,
        is_named=any(run.settings.catalogue.version is not None for run in runs),
    )
    for problem in sorted({problem for run in runs for problem in run.problems}):
        lengths.settle(problem, runs, report)
    lengths.review(version, report)
    return lengths.settled


@dataclass(slots=True)
class _Lengths:
    """Finds the number of checkpoints of each problem, and why it is not known."""

    by_catalogue: Mapping[str, int]
    is_given: bool
    """Whether the catalogue is given by the importing person."""
    is_named: bool
    """Whether a run names the catalogue."""
    settled: dict[str, int] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    """Problems whose number of checkpoints nothing says."""
    contradicted: list[str] = field(default_factory=list)
    """How runs contradict a catalogue or each other."""
    overruled: list[str] = field(default_factory=list)
    """How runs contradict a given catalogue, which counts."""

    def settle(self, problem: str, runs: Sequence[Run], report: Report) -> None:
        """Find the number of checkpoints of a problem."""
        stated = self.by_catalogue.get(problem)
        ends = {run.last[problem] for run in runs if problem in run.last}
        reached = [number for run in runs for name, number in run.results if name == problem]
        furthest = max(reached, default=0)
        own = only(ends)
        if own is not None and own < furthest:
            own = None
        is_firm = self.is_given or self.is_named
        differences = _differences(problem, stated or 0, ends, furthest) if stated else ""
        if stated is not None and not differences:
            self.settled[problem] = stated
        elif stated is not None and self.is_given:
            self.settled[problem] = stated
            self.overruled.append(differences)
        elif stated is not None and (is_firm or own is None):
            self.contradicted.append(differences)
        elif own is None:
            self.unknown.append(problem)
        else:
            self.settled[problem] = own
            assumed = (
                f"{problem} has {counted(own, 'checkpoint')}, as a run calls this one the last"
            )
            report.assume(assumed)

    def review(self, version: str | None, report: Report) -> None:
        """Report the problems whose number of checkpoints is open, and what was overruled."""
        if self.unknown:
            release = f"the catalogue {version}" if version else "the catalogue"
            shipped = "" if self.by_catalogue else ", of which no counts are known here,"
            names = ", ".join(self.unknown)
            what = f"{release}{shipped} does not tell how many checkpoints there are in {names}"
            report.add(rules.LENGTH_UNKNOWN, report.root, what)
        if self.contradicted:
            what = f"by the catalogue, {'; '.join(self.contradicted)}"
            report.add(rules.LENGTH_DIFFERS, report.root, what)
        if self.overruled:
            fact = "; ".join(self.overruled)
            report.say(rules.LENGTH_GIVEN, report.root, f"by the catalogue, {fact}", None, fact)


def _differences(problem: str, stated: int, ends: Collection[int], furthest: int) -> str:
    """Return how runs differ from a catalogue about a problem; empty if they do not."""
    others = [f"the run calls checkpoint {end} the last" for end in sorted(ends) if end != stated]
    if furthest > stated and furthest not in ends:
        others.append(f"the run has a checkpoint {furthest}")
    if not others:
        return ""
    return f"{problem} has {stated}, and {', and '.join(others)}"


def review_catalogues(
    runs: Sequence[Run], version: str | None, given: Catalogue | None, report: Report
) -> None:
    """Report runs that name no catalogue, and runs of several or another than the given one."""
    named = [run for run in runs if run.settings.catalogue.version is not None]
    if given is None:
        _review_silent([run for run in runs if run not in named], version, report)
        report.newer_version("SlopCodeBench's catalogue", version, LATEST)
    catalogues = list(dict.fromkeys(run.settings.catalogue for run in named))
    facts = []
    if len(catalogues) > 1:
        facts.append(f"the runs name {', '.join(map(str, catalogues))}")
    others = sorted({str(catalogue.version) for catalogue in catalogues} - {version})
    if given and version and others:
        facts.append(f"the given catalogue is {version}, and the runs name {', '.join(others)}")
    for fact in facts:
        report.add(rules.CATALOGUE_DIFFERS, report.root, fact)
    if facts:
        for run in named:
            report.tell(run.path, rules.CATALOGUE_DIFFERS, str(run.settings.catalogue))


def _review_silent(runs: Sequence[Run], version: str | None, report: Report) -> None:
    """Report runs that name no catalogue, for which one is assumed."""
    if not runs:
        return
    names = ", ".join(report.name(run.path) for run in runs)
    what = f"no catalogue is named by {names}: the counts of {version} are taken"
    report.add(rules.CATALOGUE_ASSUMED, report.root, what)
    for run in runs:
        report.tell(run.path, rules.CATALOGUE_ASSUMED, str(version))


def is_one_shot(run: Run, lengths: Mapping[str, int]) -> bool:
    """Return whether a run put all checkpoints of a problem into one.

    Its configuration says so; without one, the first checkpoint of every problem is its last.

    Args:
        run: A run that was read.
        lengths: Checkpoints of the problems, as far as they are known.
    """
    if run.settings.one_shot:
        return True
    if set(run.last.values()) != {1}:
        return False
    return any(lengths.get(problem, 1) > 1 for problem in run.last)


def tasks_of(
    lengths: Mapping[str, int], runs: Sequence[Run], cases: Mapping[Key, tuple[Case, ...]]
) -> dict[str, Task]:
    """Make a task of each problem; the first runs and cases tell what it is like."""
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


def _labels_of(problem: str, runs: Sequence[Run]) -> dict[str, str]:
    """Return the labels of a problem, by the first run that has some."""
    for run in runs:
        if run.labels.get(problem):
            return dict(run.labels[problem])
    return {}


def _digest_of(problem: str, runs: Sequence[Run]) -> str | None:
    """Return the state of a problem that all runs had; None if they do not say so, or had several.

    It is the catalogue's commit and the problem's own version.
    """
    states = set()
    for run in runs:
        catalogue = run.settings.catalogue
        version = run.versions.get(problem)
        if catalogue.commit and version:
            states.add(f"{catalogue.version}@{catalogue.commit}#{version}")
    return only(states)


def phase(number: int, length: int) -> str:
    """In which phase of its problem a checkpoint lies.

    The checkpoints between the first and the last are shared out over three phases, the earlier ones first.

    Source:
        SlopCodeBench, arXiv:2603.24755v1: progress phases.
    """
    if number == 1:
        return "start"
    if number == length:
        return "final"
    share, rest = divmod(length - 2, 3)
    early, middle = share + (rest > 0), share + (rest > 1)
    inner = number - 1
    if inner <= early:
        return "early"
    return "mid" if inner <= early + middle else "late"
