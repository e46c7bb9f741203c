"""The files of a source: simulation files of tau2-bench, its folders of simulations, lists of tau-bench."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.importers.kit.json_source import read_json_source
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rules import LEFT_OUT
from sitegen.importers.kit.stream import Shape
from sitegen.importers.kit.transcripts import LONGEST, transcript_of
from sitegen.importers.kit.tree import Tree, digest_of
from sitegen.importers.kit.values import mapping_of, mappings_of, name_of, text_of
from sitegen.importers.tau2.settings import (
    SETTINGS_SHAPE,
    Settings,
    domain_of_actions,
    settings_of,
    settings_of_name,
)
from sitegen.importers.tau2.simulations import (
    INDEX_SHAPE,
    OLD_SHAPE,
    SIMULATION_SHAPE,
    Simulation,
    indexed_simulation_of,
    old_simulation_of,
    simulation_of,
)
from sitegen.problems import counted
from sitegen.reading.files import read_head

RESULTS, SIMULATIONS, ARTIFACTS = "results.json", "simulations", "artifacts"
"""A folder of a run: its settings, a folder with a file for each simulation, and logs and sounds beside."""

_LOOKED_AT = 128 * 1024
"""Bytes at the beginning of a file that tell whether it is one."""

_RESULTS_SHAPE: Shape = {
    "timestamp": None,
    "info": SETTINGS_SHAPE,
    "tasks": {"id": None},
    "simulations": SIMULATION_SHAPE,
    "simulation_index": INDEX_SHAPE,
}

_TALK_SHAPE: Shape = {
    "role": None,
    "content": None,
    "id": None,
    "tool_call_id": None,
    "tool_calls": {
        "id": None,
        "name": None,
        "function": {"name": None, "arguments": None},
        "arguments": {"*": None},
    },
}
"""A message, with its words."""


@dataclass(slots=True)
class SimulationFile:
    """One file or folder: the simulations of one agent in one domain."""

    path: Path
    """The file; of a folder, its `results.json`."""
    settings: Settings
    tasks: list[str]
    """Ids of the tasks that were to be tried."""
    simulations: list[Simulation]
    timestamp: str = ""
    index: dict[str, Simulation] = field(default_factory=dict)
    """What the index of a folder says of each simulation, by its id."""
    digests: dict[str, str] = field(default_factory=dict)
    """SHA-256 of a simulation's own file, by its id."""
    is_old: bool = False
    """Whether tau-bench wrote it."""


def find_files(tree: Tree) -> Iterator[Path]:
    """Yield the files of a source that hold the results of a run, in the order of their names."""
    for folder in tree.walk(leave_out={ARTIFACTS}):
        tree.pass_over_archives(folder)
        is_part = folder.path.name == SIMULATIONS and (folder.path.parent / RESULTS).is_file()
        if is_part and folder.path != tree.root:
            continue
        for name in folder.files:
            if name.endswith(".json") and _is_of_a_run(folder.path / name):
                yield folder.path / name


def _is_of_a_run(path: Path) -> bool:
    """Return whether a file holds the results of a run, as its beginning tells."""
    head = (read_head(path, _LOOKED_AT) or b"").lstrip()
    if head.startswith(b"{"):
        settings = (b'"info"', b'"user_info"', b'"agent_info"')
        simulations = (b'"simulations"', b'"task_id"', b'"termination_reason"')
        return all(key in head for key in settings) or all(key in head for key in simulations)
    return (
        re.match(rb'\[\s*\{\s*"task_id"', head) is not None
        and b'"reward"' in head
        and b'"traj"' in head
    )


def read_file(path: Path, report: Report) -> SimulationFile | None:
    """Read the results of a run; None where they can't be read, which the report says."""
    head = (read_head(path, _LOOKED_AT) or b"").lstrip()
    return _read_old_list(path, report) if head.startswith(b"[") else _read_results(path, report)


def _read_results(path: Path, report: Report) -> SimulationFile | None:
    members: list[object] = []
    document = read_json_source(path, _RESULTS_SHAPE, report, {("simulations",): members.append})
    if document is None:
        return None
    results = mapping_of(document)
    tasks = [name_of(task.get("id")) for task in mappings_of(results.get("tasks"))]
    index = {}
    for entry in mappings_of(results.get("simulation_index")):
        indexed = indexed_simulation_of(entry)
        if indexed and indexed.id:
            index[indexed.id] = indexed
    file = SimulationFile(
        path=path,
        settings=settings_of(mapping_of(results.get("info"))),
        tasks=list(dict.fromkeys(task for task in tasks if task)),
        simulations=_simulations(members, path, report),
        timestamp=text_of(results.get("timestamp")) or "",
        index=index,
    )
    if not file.simulations:
        _read_folder(file, report)
    return file


def _simulations(members: list[object], path: Path, report: Report) -> list[Simulation]:
    """Return the simulations of a file; those that name no task are left out."""
    simulations = [simulation_of(mapping_of(member)) for member in members]
    return _named(simulations, path, report)


def _named(simulations: list[Simulation | None], path: Path, report: Report) -> list[Simulation]:
    named = [simulation for simulation in simulations if simulation is not None]
    if len(named) < len(simulations):
        message = f"{counted(len(simulations) - len(named), 'simulation')} of {report.name(path)} without a task"
        report.say(LEFT_OUT, path, message, path, message)
    return named


def _read_folder(file: SimulationFile, report: Report) -> None:
    """Read the simulations that lie in files of their own beside the settings; without them, the index."""
    folder = file.path.parent / SIMULATIONS
    paths = _simulation_paths(folder) if file.path.name == RESULTS else []
    for path in paths:
        document = read_json_source(path, SIMULATION_SHAPE, report)
        simulations = _simulations([document], path, report) if document is not None else []
        file.simulations += simulations
        digest = digest_of([path])
        if digest:
            file.digests |= {simulation.id: digest for simulation in simulations if simulation.id}
    if not paths and file.index:
        file.simulations = list(file.index.values())
        fact = f"{report.name(file.path)} has rewards for simulations whose own files are not there"
        report.assume(f"the index counts: {fact}", file.path)


def _simulation_paths(folder: Path) -> list[Path]:
    """Return the files of a folder of simulations, in the order of their names; links are not followed."""
    return [
        path for path in sorted(folder.glob("*.json")) if path.is_file() and not path.is_symlink()
    ]


def _read_old_list(path: Path, report: Report) -> SimulationFile | None:
    members: list[object] = []
    document = read_json_source(path, OLD_SHAPE, report, {(): members.append})
    if document is None:
        return None
    simulations = _named(
        [old_simulation_of(mapping_of(member)) for member in members], path, report
    )
    domain = domain_of_actions([name for simulation in simulations for name in simulation.actions])
    settings = settings_of_name(path.name, domain)
    if domain:
        settings.assumed.append(
            f"{report.name(path)} is of the domain {domain}, whose tools its tasks name"
        )
    tasks = list(dict.fromkeys(simulation.task for simulation in simulations))
    return SimulationFile(path, settings, tasks, simulations, is_old=True)


def transcripts_of(
    file: SimulationFile, places: dict[int, tuple[str, int]]
) -> Iterator[tuple[tuple[str, int], bytes]]:
    """Yield what agent, user and tools said in the simulations of a file, which is read once more.

    Args:
        file: The file.
        places: The task and the attempt that each of its simulations became, by its number in the file.
    """
    for number, messages in enumerate(_conversations(file)):
        if number not in places or not messages:
            continue
        spoken = []
        for message in messages:
            if message.get("role") == "tool" and "tool_call_id" not in message:
                spoken.append({**message, "tool_call_id": message.get("id")})
            else:
                spoken.append(message)
        yield places[number], transcript_of(spoken, file.settings.model)


def _conversations(file: SimulationFile) -> Iterator[list[dict[str, object]]]:
    """Yield the messages of each simulation that names a task, in the order of `simulations`."""
    ignored = Report(file.path)
    key = "traj" if file.is_old else "messages"
    shape: Shape = {"task_id": None, key: _TALK_SHAPE}
    members: list[object] = []
    if file.is_old:
        read_json_source(file.path, shape, ignored, {(): members.append}, LONGEST)
    else:
        read_json_source(
            file.path, {SIMULATIONS: shape}, ignored, {(SIMULATIONS,): members.append}, LONGEST
        )
    if not members and not file.is_old:
        paths = _simulation_paths(file.path.parent / SIMULATIONS)
        members = [read_json_source(path, shape, ignored, None, LONGEST) for path in paths]
    for member in members:
        document = mapping_of(member)
        if name_of(document.get("task_id")) is not None:
            yield [dict(message) for message in mappings_of(document.get(key))]
