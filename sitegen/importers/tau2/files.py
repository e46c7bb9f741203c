"""Find and read the files of a source.

They are simulation files of tau2-bench, its run folders, and result lists of tau-bench.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.json_source import read_json_source
from sitegen.importers.kit.rules import LEFT_OUT
from sitegen.importers.kit.stream import Shape, Sink
from sitegen.importers.kit.transcripts import LONGEST, transcript_of
from sitegen.importers.kit.tree import SourceTree, digest_of
from sitegen.importers.kit.values import mapping_of, mappings_of, name_of
from sitegen.importers.tau2.fields import read_text
from sitegen.importers.tau2.settings import (
    SETTINGS_SHAPE,
    SimulationSettings,
    infer_domain,
    parse_file_name,
    parse_settings,
)
from sitegen.importers.tau2.simulations import (
    INDEX_SHAPE,
    SIMULATION_SHAPE,
    TAU_BENCH_SHAPE,
    Simulation,
    parse_index_entry,
    parse_simulation,
    parse_tau_bench_entry,
)
from sitegen.problems import counted
from sitegen.reading.files import read_head

RESULTS = "results.json"
"""File of a run folder with the settings, and the simulations or an index of them."""
SIMULATIONS = "simulations"
"""Folder next to `results.json` with a file for each simulation."""
ARTIFACTS = "artifacts"
"""Folder of a run with logs and audio, which are not read."""

_HEAD_SIZE = 128 * 1024
"""Number of bytes at the beginning of a file from which its format is recognised."""

_SETTINGS_KEYS = (b'"info"', b'"user_info"', b'"agent_info"')
_SIMULATION_KEYS = (b'"simulations"', b'"task_id"', b'"termination_reason"')
_TAU_BENCH_KEYS = (b'"reward"', b'"traj"')
_TAU_BENCH_START = re.compile(rb'\[\s*\{\s*"task_id"')

_RESULTS_SHAPE: Shape = {
    "timestamp": None,
    "info": SETTINGS_SHAPE,
    "tasks": {"id": None},
    "simulations": SIMULATION_SHAPE,
    "simulation_index": INDEX_SHAPE,
}

_MESSAGE_SHAPE: Shape = {
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
"""The keys that are read from a message for a transcript."""


@dataclass(slots=True)
class SimulationFile:
    """One file or run folder: the simulations of one agent in one domain."""

    path: Path
    """The file; for a folder, its `results.json`."""
    settings: SimulationSettings
    tasks: list[str]
    """Ids of the tasks that were to be attempted."""
    simulations: list[Simulation]
    timestamp: str = ""
    index: dict[str, Simulation] = field(default_factory=dict)
    """The entry of each simulation in the folder's index, keyed by the simulation's id."""
    digests: dict[str, str] = field(default_factory=dict)
    """SHA-256 of each simulation's own file, keyed by the simulation's id."""
    is_tau_bench: bool = False
    """Whether the file was written by tau-bench, not tau2-bench."""


def find_files(tree: SourceTree) -> Iterator[Path]:
    """Yield the files of a source that contain results of a run, in the order of their names."""
    for folder in tree.walk(leave_out={ARTIFACTS}):
        tree.pass_over_archives(folder)
        if folder.path != tree.root and _belongs_to_results(folder.path):
            continue
        for name in folder.files:
            if name.endswith(".json") and _holds_results(folder.path / name):
                yield folder.path / name


def _belongs_to_results(folder: Path) -> bool:
    """Return whether a folder contains the simulations of the `results.json` next to it."""
    return folder.name == SIMULATIONS and (folder.parent / RESULTS).is_file()


def _holds_results(path: Path) -> bool:
    """Return whether a file contains the results of a run, judging by its beginning."""
    head = _read_start(path)
    if head.startswith(b"{"):
        return _has_all(_SETTINGS_KEYS, head) or _has_all(_SIMULATION_KEYS, head)
    return _TAU_BENCH_START.match(head) is not None and _has_all(_TAU_BENCH_KEYS, head)


def _has_all(keys: Sequence[bytes], head: bytes) -> bool:
    return all(key in head for key in keys)


def _read_start(path: Path) -> bytes:
    """Return the beginning of a file without leading whitespace; empty if it can't be read."""
    head = read_head(path, _HEAD_SIZE) or b""
    return head.lstrip()


def read_file(path: Path, log: ImportLog) -> SimulationFile | None:
    """Return the results in a file; None if they can't be read, which is logged."""
    if _read_start(path).startswith(b"["):
        return _read_tau_bench_list(path, log)
    return _read_results(path, log)


def _read_results(path: Path, log: ImportLog) -> SimulationFile | None:
    """Return the contents of a simulation file or a run folder of tau2-bench."""
    members: list[object] = []
    document = read_json_source(path, _RESULTS_SHAPE, log, {("simulations",): members.append})
    if document is None:
        return None
    results = mapping_of(document)
    settings = parse_settings(mapping_of(results.get("info")))
    task_ids: dict[str, None] = {}
    for task in mappings_of(results.get("tasks")):
        task_id = name_of(task.get("id"))
        if task_id:
            task_ids[task_id] = None
    file = SimulationFile(
        path=path,
        settings=settings,
        tasks=list(task_ids),
        simulations=_parse_members(members, parse_simulation, path, log),
        timestamp=read_text(results, "timestamp"),
        index=_parse_index(results),
    )
    if not file.simulations:
        _read_simulation_folder(file, log)
    return file


def _parse_index(results: Mapping[str, object]) -> dict[str, Simulation]:
    """Return the entries of the index, keyed by id; entries without an id are left out."""
    index = {}
    for record in mappings_of(results.get("simulation_index")):
        entry = parse_index_entry(record)
        if entry and entry.id:
            index[entry.id] = entry
    return index


def _parse_members(
    members: Sequence[object],
    parse: Callable[[Mapping[str, object]], Simulation | None],
    path: Path,
    log: ImportLog,
) -> list[Simulation]:
    """Return the simulations that name a task, and report how many do not."""
    simulations = []
    for member in members:
        simulation = parse(mapping_of(member))
        if simulation is not None:
            simulations.append(simulation)
    dropped = len(members) - len(simulations)
    if dropped:
        message = f"{counted(dropped, 'simulation')} of {log.name(path)} without a task"
        log.add_with_caveat(LEFT_OUT, path, message, path, message)
    return simulations


def _read_simulation_folder(file: SimulationFile, log: ImportLog) -> None:
    """Read the simulations that have their own files; if there are none, use the index."""
    paths = []
    if file.path.name == RESULTS:
        paths = _simulation_paths(file)
    for path in paths:
        document = read_json_source(path, SIMULATION_SHAPE, log)
        if document is None:
            continue
        digest = digest_of([path])
        for simulation in _parse_members([document], parse_simulation, path, log):
            file.simulations.append(simulation)
            if digest and simulation.id:
                file.digests[simulation.id] = digest
    if not paths and file.index:
        file.simulations = list(file.index.values())
        fact = f"{log.name(file.path)} has rewards for simulations whose own files are missing"
        log.assume(f"the index counts: {fact}", file.path)


def _simulation_paths(file: SimulationFile) -> list[Path]:
    """Return the files of the folder of simulations, sorted; links are not followed."""
    paths = sorted((file.path.parent / SIMULATIONS).glob("*.json"))
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def _read_tau_bench_list(path: Path, log: ImportLog) -> SimulationFile | None:
    """Return the contents of a result list of tau-bench."""
    members: list[object] = []
    document = read_json_source(path, TAU_BENCH_SHAPE, log, {(): members.append})
    if document is None:
        return None
    simulations = _parse_members(members, parse_tau_bench_entry, path, log)
    actions: list[str] = []
    tasks: dict[str, None] = {}
    for simulation in simulations:
        actions += simulation.actions
        tasks[simulation.task] = None
    domain = infer_domain(actions)
    settings = parse_file_name(path.name, domain)
    if domain:
        fact = f"{log.name(path)} belongs to the domain {domain}, whose tools its tasks name"
        settings.assumptions.append(fact)
    return SimulationFile(path, settings, list(tasks), simulations, is_tau_bench=True)


def read_transcripts(
    file: SimulationFile, attempt_keys: dict[int, tuple[str, int]]
) -> Iterator[tuple[tuple[str, int], bytes]]:
    """Yield the transcripts of the simulations in a file, which is read again.

    Args:
        file: The file.
        attempt_keys: The task and the attempt of each simulation, by its position in the file.
    """
    for number, messages in enumerate(_read_conversations(file)):
        if number not in attempt_keys or not messages:
            continue
        for message in messages:
            if message.get("role") == "tool":
                message.setdefault("tool_call_id", message.get("id"))
        yield attempt_keys[number], transcript_of(messages, file.settings.model)


def _read_conversations(file: SimulationFile) -> Iterator[list[dict[str, object]]]:
    """Yield the messages of each simulation that names a task, in the order of `simulations`."""
    messages_key = "traj" if file.is_tau_bench else "messages"
    for member in _read_members(file, {"task_id": None, messages_key: _MESSAGE_SHAPE}):
        document = mapping_of(member)
        if name_of(document.get("task_id")) is not None:
            yield [dict(message) for message in mappings_of(document.get(messages_key))]


def _read_members(file: SimulationFile, shape: Shape) -> list[object]:
    """Return the given keys of every simulation in a file, or in the files next to it."""
    # Problems of the file were reported when it was first read.
    ignored = ImportLog(file.path)
    members: list[object] = []
    if file.is_tau_bench:
        read_json_source(file.path, shape, ignored, {(): members.append}, LONGEST)
        return members
    sinks: dict[tuple[str, ...], Sink] = {(SIMULATIONS,): members.append}
    read_json_source(file.path, {SIMULATIONS: shape}, ignored, sinks, LONGEST)
    if members:
        return members
    paths = _simulation_paths(file)
    return [read_json_source(path, shape, ignored, None, LONGEST) for path in paths]
