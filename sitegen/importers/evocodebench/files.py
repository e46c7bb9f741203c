"""Read the published files: `index.json` and a file for each task. Unknown keys are ignored."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.importers.evocodebench import rules
from sitegen.importers.evocodebench.cells import RoundCell, parse_cell
from sitegen.importers.evocodebench.values import parse_count, parse_list, parse_object, parse_text
from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.documents import read_document
from sitegen.importers.kit.drafts import ids_of
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.picking import picked_names
from sitegen.importers.kit.redaction import one_line
from sitegen.models.record import is_slug
from sitegen.problems import ProblemsError, counted, listed
from sitegen.reading.files import FILE_MISSING

INDEX = "index.json"

NEWEST_SCHEMA = 1
"""`schema_version` of the newest known index; files published until 2026-06-25 have none."""

MAX_ROUNDS = 1_000
"""Maximum number of rounds of a task."""

_ROUND = re.compile(r"[1-9][0-9]{0,3}")


@dataclass(frozen=True, slots=True)
class IndexTask:
    """A task as listed in the index."""

    name: str
    rounds: int | None = None
    """Number of rounds; None if the index states no usable number."""
    title: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    """The task's difficulty and category."""
    shares: Mapping[str, float] = field(default_factory=dict)
    """Share of rounds passed by each agent, to three decimal places."""
    excluded: frozenset[str] = frozenset()
    """Agents whose run does not count: their share is null."""


@dataclass(frozen=True, slots=True)
class Index:
    """The agents and tasks of a publication."""

    agents: tuple[str, ...]
    """Distinct names, as spelled in the index."""
    tasks: tuple[IndexTask, ...]
    schema_version: object = None
    repeated_agents: tuple[str, ...] = ()
    """Agents that are listed several times."""
    repeated_tasks: tuple[str, ...] = ()
    """Tasks that are listed several times with the same facts."""
    ambiguous_tasks: tuple[str, ...] = ()
    """Tasks that are listed several times with different facts."""
    unreadable: int = 0
    """Number of entries that name no agent or no task."""


@dataclass(frozen=True, slots=True)
class RoundHeading:
    """The title and the request of a round."""

    title: str = ""
    """The beginning of the request, as truncated by the source."""
    request: str = ""


@dataclass(frozen=True, slots=True)
class TaskFile:
    """The rounds of all agents at one task."""

    rounds: int
    """Number of rounds of the task."""
    cells: Mapping[str, Sequence[RoundCell | None]]
    """One cell per round, by agent; None if the file does not mention the round."""
    headings: Mapping[int, RoundHeading] = field(default_factory=dict)
    stated_passed: Mapping[str, int] = field(default_factory=dict)
    """Number of rounds passed by each agent, as stated in the file."""
    excluded: frozenset[str] = frozenset()
    """Agents whose run does not count: their number of passed rounds is null in the file."""
    faults: tuple[str, ...] = ()
    """Contradictions about the rounds in the file, in the index, or between agents, as clauses."""


@dataclass(frozen=True, slots=True)
class Publication:
    """The index of a publication, and the files of its tasks."""

    source: Path
    index: Index
    ids: Mapping[str, str]
    """The id of each wanted task by its name, in the order of the index."""
    files: Mapping[str, TaskFile]
    """Files by the task's name, in the order of the index."""
    missing: tuple[str, ...]
    """Tasks that the index lists but that have no file."""
    left_out: Mapping[str, str]
    """Tasks that can't be used, with the reason."""

    @property
    def index_path(self) -> Path:
        """Path of the index."""
        return self.source / INDEX

    @property
    def tasks(self) -> list[IndexTask]:
        """The tasks with a usable file."""
        return [task for task in self.index.tasks if task.name in self.files]

    def path_of(self, task: str) -> Path:
        """Return the path of a task's file."""
        return self.source / "tasks" / f"{task}.json"


def parse_index(value: object) -> Index | None:
    """Return the index in a document; None if it does not list agents and tasks."""
    fields = parse_object(value)
    models = fields.get("models")
    entries = fields.get("tasks")
    if not isinstance(models, list) or not isinstance(entries, list):
        return None
    agents = [model for model in models if isinstance(model, str) and model.strip()]
    unreadable = len(models) - len(agents)
    tasks: dict[str, IndexTask] = {}
    repeated = []
    ambiguous = []
    for entry in entries:
        task = _parse_index_task(entry)
        if task is None:
            unreadable += 1
        elif task.name not in tasks:
            tasks[task.name] = task
        elif tasks[task.name] == task:
            repeated.append(task.name)
        else:
            ambiguous.append(task.name)
    times = Counter(agents)
    repeated_agents = [agent for agent, number in times.items() if number > 1]
    return Index(
        agents=tuple(times),
        tasks=tuple(tasks.values()),
        schema_version=fields.get("schema_version"),
        repeated_agents=tuple(repeated_agents),
        repeated_tasks=tuple(repeated),
        ambiguous_tasks=tuple(dict.fromkeys(ambiguous)),
        unreadable=unreadable,
    )


def _parse_index_task(value: object) -> IndexTask | None:
    """Return a task of the index; None if it has no name."""
    fields = parse_object(value)
    name = parse_text(fields.get("task")) or ""
    if not name.strip():
        return None
    labels = {}
    for axis in ("difficulty", "category"):
        label = parse_text(fields.get(axis))
        if label:
            labels[axis] = label
    shares: dict[str, float] = {}
    excluded = set()
    for agent, share in parse_object(fields.get("score")).items():
        if share is None:
            excluded.add(agent)
        elif isinstance(share, int | float) and 0 <= share <= 1:
            shares[agent] = float(share)
    rounds = parse_count(fields.get("n_rounds")) or None
    title = parse_text(fields.get("name")) or ""
    return IndexTask(name, rounds, title, labels, shares, frozenset(excluded))


def read_publication(source: Path, options: ImportOptions, log: ImportLog) -> Publication:
    """Read the index of a publication, and the file of every wanted task that it lists.

    Args:
        source: The folder with `index.json` and `tasks/`.
        options: Names the wanted tasks, and the scale of rewards.
        log: Collects the problems.

    Raises:
        ProblemsError: There is no usable index.
        UsageError: A wanted task is not in the index.
    """
    index = _read_index(source, log)
    titles = {task.name: task.title for task in index.tasks if task.title}
    all_names = [task.name for task in index.tasks]
    all_ids = _task_ids(all_names)
    wanted = picked_names(all_ids, titles, options)
    ids = {name: task_id for name, task_id in all_ids.items() if name in wanted}
    paths = {path.stem: path for path in sorted((source / "tasks").glob("*.json"))}
    files: dict[str, TaskFile] = {}
    left_out: dict[str, str] = {}
    missing = []
    for task in index.tasks:
        if task.name not in ids:
            continue
        if task.name in index.ambiguous_tasks:
            left_out[task.name] = f"{INDEX} lists it several times, with different facts"
        elif task.name not in paths:
            missing.append(task.name)
        else:
            try:
                files[task.name] = _read_task_file(paths[task.name], source, task, options.scale)
            except UnusableTaskError as error:
                left_out[task.name] = str(error)
            except ProblemsError as error:
                log.problems += error.problems
    unlisted = {name: path for name, path in paths.items() if name not in all_ids}
    _review_unlisted(unlisted, log)
    return Publication(source, index, ids, files, tuple(missing), left_out)


def _review_unlisted(paths: Mapping[str, Path], log: ImportLog) -> None:
    """Report files that the index does not list.

    A file that is named after its own task is also reported to readers; others count as copies.
    """
    if not paths:
        return
    names = listed(one_line(path.name) for path in paths.values())
    folder = log.root / "tasks"
    log.add(rules.TASK_UNNAMED, folder, f"{INDEX} does not list the tasks of {names}")
    for name, path in paths.items():
        value, _ = read_document(path, log.root)
        if parse_object(value).get("task") == name:
            fact = f"task {one_line(name)} ({INDEX} does not list it)"
            log.add_caveat(None, kit_rules.LEFT_OUT, fact)


def _read_index(source: Path, log: ImportLog) -> Index:
    """Return the index, and report its unusable entries."""
    path = source / INDEX
    if not path.exists():
        fix = "name the folder that contains it"
        raise ProblemsError([FILE_MISSING.broken(path, None, f"{INDEX} is missing", fix)])
    value, problem = read_document(path, source)
    if problem:
        raise ProblemsError([problem])
    index = parse_index(value)
    if index is None:
        message = f"{INDEX} lacks the list `models` of agents or the list `tasks` of tasks"
        raise ProblemsError([kit_rules.SOURCE_BROKEN.broken(path, None, message)])
    if not index.agents:
        log.add(kit_rules.NOTHING_FOUND, path, "the index lists no agent")
    if not index.tasks:
        log.add(kit_rules.NOTHING_FOUND, path, "the index lists no task")
    log.stop_at_errors()
    repeated = (*index.repeated_agents, *index.repeated_tasks)
    if repeated:
        message = f"listed several times: {listed(map(one_line, repeated))}"
        log.add(rules.LISTED_TWICE, path, message)
    if index.unreadable:
        fact = f"{counted(index.unreadable, 'entry')} of {INDEX} without a name"
        log.add_with_caveat(kit_rules.LEFT_OUT, path, fact, None, fact)
    version = index.schema_version
    if isinstance(version, str | int | float) and not isinstance(version, bool):
        log.warn_if_newer("EvoCode-Bench's index.json", version, NEWEST_SCHEMA)
    return index


def _task_ids(names: Sequence[str]) -> dict[str, str]:
    """Return an id for each task: its name, or a slug if the name can't be part of a URL."""
    ids = ids_of(names, {}, None)
    return ids | {name: name for name in names if is_slug(name)}


class UnusableTaskError(ValueError):
    """A task's file can't be used; carries the reason, as a clause."""


def _read_task_file(path: Path, source: Path, task: IndexTask, scale: float | None) -> TaskFile:
    """Return the content of a task's file.

    Raises:
        ProblemsError: The file is truncated.
        UnusableTaskError: Nothing in the file can be used.
    """
    value, problem = read_document(path, source)
    if problem and problem.code == kit_rules.CUT_OFF.code:
        raise ProblemsError([problem])
    if problem:
        raise UnusableTaskError(problem.what)
    return parse_task_file(value, task, scale)


def parse_task_file(value: object, task: IndexTask, scale: float | None) -> TaskFile:
    """Return the content of a task's file.

    Args:
        value: The document.
        task: The task as listed in the index.
        scale: As in `parse_cell`.

    Raises:
        UnusableTaskError: The file is about another task or has no agents, or the number of rounds
            is unclear.
    """
    fields = parse_object(value)
    models = fields.get("models")
    if not isinstance(models, dict):
        raise UnusableTaskError("its file has no object `models` with the rounds of agents")
    task_name = parse_text(fields.get("task"))
    if task_name not in {None, task.name}:
        raise UnusableTaskError(f"its file is about {one_line(task_name or '')}")
    cells: dict[str, dict[int, RoundCell | None]] = {}
    faults = []
    for agent, entries in models.items():
        numbered, strange = _numbered_cells(entries, scale)
        if strange:
            faults.append(f"{one_line(agent)} has entries that are not rounds: {strange}")
        if numbered:
            cells[agent] = numbered
    if not cells:
        raise UnusableTaskError("its file has no rounds of any agent")
    rounds, more_faults = _settled_rounds(task.rounds, parse_count(fields.get("n_rounds")), cells)
    faults += more_faults
    headings, odd_headings = _parse_headings(fields.get("rounds"), rounds)
    if odd_headings:
        faults.append(f"the titles of rounds are not numbered 1 to {rounds}")
    stated_passed = {}
    excluded = set()
    for agent, passed in parse_object(fields.get("score")).items():
        number = parse_count(passed)
        if passed is None:
            excluded.add(agent)
        elif number is not None:
            stated_passed[agent] = number
    complete = {agent: _in_order(numbered, rounds) for agent, numbered in cells.items()}
    return TaskFile(rounds, complete, headings, stated_passed, frozenset(excluded), tuple(faults))


def _numbered_cells(
    entries: object, scale: float | None
) -> tuple[dict[int, RoundCell | None], str]:
    """Return the cells of one agent by round, and the names of entries that are not rounds."""
    if not isinstance(entries, dict):
        return {}, "the entry is not an object"
    cells = {}
    strange = []
    for key, entry in entries.items():
        if _ROUND.fullmatch(key):
            cells[int(key)] = parse_cell(entry, scale)
        else:
            strange.append(f"`{one_line(key, 40)}`")
    return cells, listed(strange, 3)


def _in_order(cells: Mapping[int, RoundCell | None], rounds: int) -> tuple[RoundCell | None, ...]:
    return tuple(map(cells.get, range(1, rounds + 1)))


def _settled_rounds(
    in_index: int | None, in_file: int | None, cells: Mapping[str, Collection[int]]
) -> tuple[int, list[str]]:
    """Return the number of rounds of a task, and the contradictions about it, as clauses.

    The number is taken from the agents, if all have the same rounds, or from the index and the
    file, if they agree. If both numbers are known, the larger number is used: a round that has been
    announced but not run counts as failed.

    Raises:
        UnusableTaskError: Neither the agents nor index and file agree on a number.
    """
    stated = set(filter(None, (in_index, in_file)))
    last_rounds = set(map(max, cells.values()))
    round_counts = set(map(len, cells.values()))
    agreed: set[int] = set()
    if len(stated) == 1:
        agreed |= stated
    if len(last_rounds) == 1 and last_rounds == round_counts:
        agreed |= last_rounds
    if not agreed:
        raise UnusableTaskError("it is not clear how many rounds it has")
    rounds = max(agreed)
    if rounds > MAX_ROUNDS:
        raise UnusableTaskError(
            f"{rounds:,} rounds are more than the {MAX_ROUNDS:,} a task may have"
        )
    faults = []
    if in_index != rounds:
        faults.append(f"{INDEX} states {in_index or 'no number'}")
    if in_file != rounds:
        faults.append(f"`n_rounds` in its file is {in_file or 'no number'}")
    odd = [agent for agent, numbers in cells.items() if set(numbers) != set(range(1, rounds + 1))]
    if odd:
        first_rounds = ", ".join(map(str, sorted(cells[odd[0]])))
        agents = listed(map(one_line, odd))
        faults.append(f"{agents}: the rounds of {one_line(odd[0])} are {one_line(first_rounds)}")
    if faults:
        faults[0] = f"{counted(rounds, 'round')} taken, but {faults[0]}"
    return rounds, faults


def _parse_headings(value: object, rounds: int) -> tuple[dict[int, RoundHeading], bool]:
    """Return the headings of a task's rounds, and whether they fail to match the rounds."""
    headings: dict[int, RoundHeading] = {}
    numbers = []
    for entry in parse_list(value):
        fields = parse_object(entry)
        number = parse_count(fields.get("n"))
        numbers.append(number)
        if number is not None and 1 <= number <= rounds:
            title = parse_text(fields.get("title")) or ""
            headings[number] = RoundHeading(title, parse_text(fields.get("md")) or "")
    is_odd = bool(numbers) and set(numbers) != set(range(1, rounds + 1))
    return headings, is_odd or len(numbers) != len(set(numbers))


def review_files(publication: Publication, log: ImportLog) -> None:
    """Report tasks that were left out, and files whose numbers of rounds differ."""
    for name, reason in publication.left_out.items():
        fact = f"task {one_line(name)} ({reason})"
        log.add_with_caveat(kit_rules.LEFT_OUT, publication.path_of(name), fact, None, fact)
    for name, file in publication.files.items():
        if file.faults:
            fact = f"{one_line(name)}: {'; '.join(file.faults)}"
            log.add_with_caveat(rules.ROUNDS_DIFFER, publication.path_of(name), fact, None, fact)
