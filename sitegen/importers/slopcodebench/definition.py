"""What the importer says of the benchmark, and how many checkpoints its problems have, which no run's folder tells."""

import re
from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict, Field

from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import only
from sitegen.importers.kit.report import Report
from sitegen.importers.slopcodebench import rules
from sitegen.importers.slopcodebench.files import Key
from sitegen.importers.slopcodebench.runs import Run
from sitegen.metrics.catalogue import COST_PER_ROUND, EROSION, MINUTES_PER_ROUND, SOLVED, STRICT, VERBOSITY
from sitegen.metrics.effort import NET_COST
from sitegen.metrics.targets import CORE, ISO, PARTIAL
from sitegen.models.declared import Declared
from sitegen.models.record import Position, is_slug
from sitegen.models.task import Case, Task, TaskRound
from sitegen.problems import grouped

_SOURCE = "https://github.com/SprocketLab/slop-code-bench"
"""Where each problem's folder has the texts of its checkpoints."""

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


def lengths_of(runs: Sequence[Run], given: Catalogue | None, report: Report) -> dict[str, int]:
    """Find out how many checkpoints the problems of some runs have, and what keeps the runs from one track."""
    source = report.root
    releases = dict.fromkeys(run.settings.catalogue for run in runs if run.settings.catalogue.version)
    version = given.version if given else next((each.version for each in releases), LATEST)
    known = given.problems if given else LENGTHS.get(f"{version}", {})
    lists = grouped((run.problems, report.name(run.path)) for run in runs)
    everything = dict.fromkeys(problem for problems_of_run in lists for problem in problems_of_run)
    if odd := sorted({repr(problem)[:60] for problem in everything if not is_slug(problem)}):
        report.add(kit_rules.TASK_ID, source, f"no ids for problems: {', '.join(odd)}")
    if len(lists) > 1:
        described = "; ".join(f"{', '.join(group)}: {', '.join(own)}" for own, group in lists.items())
        report.add(rules.PROBLEMS_DIFFER, source, f"the runs have {len(lists)} lists of problems: {described}")
    if unknown := sorted(filter(is_slug, everything.keys() - known.keys())):
        release = f"the catalogue {version}" if version else "the catalogue"
        shipped = "" if known else ", of which no counts are known here,"
        what = f"{release}{shipped} does not tell how many checkpoints there are in {', '.join(unknown)}"
        report.add(rules.LENGTH_UNKNOWN, source, what)
    _check_lengths(runs, known, report)
    silent = [] if given else [run for run in runs if run.settings.catalogue.version is None]
    if silent:
        names = ", ".join(report.name(run.path) for run in silent)
        what = f"no catalogue is named by {names}: the counts of {version} are taken"
        report.add(rules.CATALOGUE_ASSUMED, source, what)
    for run in silent:
        report.tell(run.path, rules.CATALOGUE_ASSUMED, str(version))
    others = sorted({str(release.version) for release in releases} - {version}) if given and version else []
    apart = [f"the runs name {', '.join(map(str, releases))}"] if len(releases) > 1 else []
    apart += [f"the given catalogue is {version}, and the runs name {', '.join(others)}"] if others else []
    for what in apart:
        report.add(rules.CATALOGUE_DIFFERS, source, what)
    for run in runs if apart else ():
        if run.settings.catalogue.version is not None:
            report.tell(run.path, rules.CATALOGUE_DIFFERS, str(run.settings.catalogue))
    return {problem: known[problem] for problem in everything if problem in known}


def _check_lengths(runs: Sequence[Run], lengths: Mapping[str, int], report: Report) -> None:
    """Say where runs have more checkpoints than the catalogue, or another last one."""
    apart: dict[str, str] = {}
    for run in runs:
        others = {
            problem: f"the run has a checkpoint {number}"
            for problem, number in run.results
            if number > lengths.get(problem, number)
        }
        for problem, last in run.last.items():
            if last != lengths.get(problem, last):
                others[problem] = f"the run calls checkpoint {last} the last"
        if others and set(run.last.values()) == {1}:
            what = "the first checkpoint of each problem is its last, as in a one-shot run"
            report.add(rules.ONE_SHOT, run.path, what)
        else:
            apart |= others
    if apart:
        facts = [f"{problem} has {lengths[problem]}, and {apart[problem]}" for problem in sorted(apart)]
        report.add(rules.LENGTH_DIFFERS, report.root, f"by the catalogue, {'; '.join(facts)}")


def tasks_of(lengths: Mapping[str, int], runs: Sequence[Run], cases: Mapping[Key, tuple[Case, ...]]) -> dict[str, Task]:
    """Make a task of each problem; the first runs and cases tell what it is like."""
    tasks, commit = {}, only({run.settings.catalogue.commit for run in runs})
    for problem, length in sorted(lengths.items()):
        rounds = tuple(
            TaskRound(number, labels=(phase(number, length),), cases=cases.get((problem, number)))
            for number in range(1, length + 1)
        )
        labels = next((run.labels[problem] for run in runs if run.labels.get(problem)), {})
        # The state of a problem that a run had is the catalogue's commit, and the problem's own version.
        states = {
            f"{catalogue.version}@{catalogue.commit}#{run.versions[problem]}"
            for run in runs
            if (catalogue := run.settings.catalogue).commit and run.versions.get(problem)
        }
        url = f"{_SOURCE}/tree/{commit}/problems/{problem}" if re.fullmatch(r"[0-9a-f]{7,64}", commit or "") else None
        tasks[problem] = Task(problem, rounds, labels=dict(labels), url=url, digest=only(states))
    return tasks


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
