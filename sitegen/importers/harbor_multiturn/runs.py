"""One run of the fork: what its files hold, as far as it is needed. Prompts, tracebacks and paths are passed over."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date as Date  # noqa: N812 - what is called date elsewhere, too
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import TypeVar

from pydantic import ValidationError, field_validator

from sitegen.importers.harbor import records
from sitegen.importers.harbor.trials import BASELINES, RESUMED, Author, settings_of
from sitegen.importers.harbor_multiturn import rules
from sitegen.importers.kit.agents import named
from sitegen.importers.kit.rewards import reward_of
from sitegen.importers.kit.stream import Shape, pick
from sitegen.importers.kit.told import Told, at, local_moment, moment
from sitegen.importers.kit.tree import Folder, Tree
from sitegen.models.record import Position
from sitegen.problems import Problem
from sitegen.reading.shape import adapter_of

T = TypeVar("T")

COMPLETED = "completed"
FAST_FORWARDED = "fast_forwarded"
"""The status of a round that a resumed run took over from the run that it goes on from."""

LISTED_TWICE = "listed_twice"
"""What stands for the status of a round that a run lists twice, with different outcomes."""

UNVERIFIED = "verification_disabled"
VERIFICATION_ERROR = "verification_error"
_WITHOUT_VERDICT = ("agent_timeout", "agent_error", VERIFICATION_ERROR, UNVERIFIED, LISTED_TWICE)
"""How the statuses of rounds begin that have no verdict, whatever reward lies beside them."""

_JOBS = ("harbor_jobs", "eval_runs")
"""Folders that the benchmark's scripts keep a task's jobs in, sorted by model."""

_TIMED = re.compile(r"\d{4}-\d{2}-\d{2}__")
"""How the name of a job's folder begins where nobody chose another."""

ROWS, VERIFIER = "multiround_results.json", "verifier"

# Numbers are short: a name is a foreign text, and Python refuses to read numbers of thousands of digits.
_BRANCH = re.compile(
    r"__mr-r(?P<round>\d{1,4})(?:-p(?P<parent>\d{1,4})-h(?P<token>[A-Za-z0-9]+))?-a(?P<number>\d{1,4})"
)
_TOKEN = re.compile(r"__(?P<token>[A-Za-z0-9]+)$")


def plain_name(name: str) -> str:
    """The name of the run that a backup was made of; the name itself for other runs."""
    return name.partition(RESUMED)[0]


@dataclass(frozen=True, slots=True)
class Branch:
    """A run's place in a fan-out, which tries every round several times from what one run before it left."""

    round: int = 0
    """0 for a run that is in none."""
    number: int = -1
    """Which try at that round, from 0."""
    parent: int | None = None
    """Which try at the round before it goes on from; None for a root."""
    token: str | None = None
    """The parent's token; None for a root, which goes on from no other run."""


def branch_of(name: str) -> Branch:
    """A run's place in a fan-out, by its name."""
    match = _BRANCH.search(name)
    if match is None or match.end() != len(name):
        return Branch()
    parent = int(match["parent"]) if match["parent"] else None
    return Branch(int(match["round"]), int(match["number"]), parent, match["token"])


def token_of(name: str) -> str | None:
    """The random letters that a run's name holds; None where there are none."""
    match = _TOKEN.search(plain_name(name).partition("__mr-r")[0])
    return match["token"] if match else None


class RowFile(Told):
    """An entry of `multiround_results.json`: one round that a run went through or took over."""

    round: Position
    reward: float | None = None
    """None where the run states no number."""
    status: str | None = None

    @field_validator("reward", mode="before")
    @classmethod
    def _number(cls, value: object) -> float | None:
        return reward_of(value)

    @property
    def verdict(self) -> float | None:
        """The reward; None where the round was reached and not judged."""
        return None if (self.status or "").startswith(_WITHOUT_VERDICT) else self.reward


class VerifierSettings(Told):
    """Which rounds a run was to go through, and from where. It decides what the run is: nothing may be guessed here."""

    disable: bool | None = None
    multiround_start_round: Position | None = None
    multiround_max_round: Position | None = None
    multiround_aggregate_end_round: Position | None = None
    multiround_resume_source: str | None = None
    """Path of the run that this one goes on from, on the machine that ran it."""
    multiround_resume_trial_name: str | None = None
    """Name of the run that was resumed in its own place."""


class Settings(records.Lenient):
    """How a run was started: `config.json`."""

    task: records.TaskReference = records.TaskReference()
    agent: records.AgentConfig = records.AgentConfig()
    verifier: VerifierSettings | None = None

    exact = frozenset({"verifier"})


class _ResultFile(records.StepResult):
    """How a run ended: `result.json`."""

    config: Settings | None = None
    task_name: records.Text = None
    task_id: records.TaskReference = records.TaskReference()
    agent_info: records.AgentInfo = records.AgentInfo()
    window_end: Position | None = at("verifier_result", "aggregate_window_end")
    """Where the rounds end that its own reward was averaged over; that reward is of no use."""
    exact = frozenset({"config"})
    times: list[object] | None = at("agent_result", "metadata", "api_request_times_msec")


@dataclass(frozen=True, slots=True)
class Run:
    """One run: what it was told to do, how it ended, and its rounds."""

    folder: Folder
    place: tuple[str, ...]
    """Names of the folders that it lies in and its own, from the top on."""
    start: int
    """The round that it began with."""
    last: int | None
    """The round that it was to end with; None where it was to go through all."""
    window_end: int | None
    """Where the rounds end that it was scored on; None where that is no end of the task, or not told."""
    is_unclear: bool
    """Whether its settings can't be read, so that nothing says what kind of run it was."""
    is_unverified: bool
    is_in_place: bool
    """Whether it was resumed in its own place: the run that it goes on from lies in a backup beside it."""
    origin: tuple[str, str] | None
    """Name of the run that it goes on from, after the name of that one's job; None for most runs."""
    task_names: tuple[str, ...]
    """What its task is called, the surest first."""
    models: tuple[str, ...]
    """Every name that it has for the model, its folder's first."""
    author: Author
    """Who made it: by its settings the model in full, and by the model's folder, or its own name, in short."""
    is_baseline: bool
    """Whether no model ran."""
    exception: str | None
    """Type of what ended it early; None where nothing did."""
    effort: records.Effort
    """What it took in all, the run that it goes on from included: an agent that is restored goes on counting."""
    began: datetime | None
    """When it began and ended, by the clock of its machine; None where that is not known."""
    ended: datetime | None
    verifier: Folder
    listed: Sequence[RowFile] | None
    """The rounds as the run lists them; None where it lists none."""
    rounds: Mapping[int, RowFile] = field(default_factory=dict)
    """What it went through, by the rounds' numbers, those that it took over included: see `with_rounds`."""

    @property
    def own(self) -> dict[int, RowFile]:
        """The rounds that it went through itself."""
        return {number: row for number, row in self.rounds.items() if number >= self.start}

    @property
    def path(self) -> Path:
        """The folder."""
        return self.folder.path

    @property
    def branch(self) -> Branch:
        """Its place in a fan-out."""
        return branch_of(self.path.name)

    @property
    def job(self) -> tuple[str, ...]:
        """The job that it belongs to."""
        return self.place[:-1]

    @property
    def took_over(self) -> bool:
        """Whether it lists rounds of the run that it goes on from."""
        return any(
            row.round < self.start or row.status == FAST_FORWARDED for row in self.listed or ()
        )

    @property
    def goes_on(self) -> bool:
        """Whether it goes on, in another place, from what another run left."""
        return (
            self.start > 1 and not self.is_in_place and (self.origin is not None or self.took_over)
        )

    @property
    def is_single(self) -> bool:
        """Whether it was to go through one round only."""
        return self.last == self.start

    def is_of_agent(self, other: "Run") -> bool:
        """Whether the same agent made both runs."""
        scaffolds = {self.author.scaffold, other.author.scaffold} - {None}
        return self.author.name == other.author.name and len(scaffolds) <= 1

    @property
    def day(self) -> Date | None:
        """The day that its job's name begins with, else the day that it ended on or began on."""
        named = moment(self.job[-1][:10]) if self.job and _TIMED.match(self.job[-1]) else None
        time = named or self.ended or self.began
        return time.date() if time else None

    @property
    def age(self) -> tuple[datetime, tuple[str, ...]]:
        """Where it stands among runs in the order of time; runs without a time come first."""
        return self.began or datetime.min, self.place  # noqa: DTZ901 - these times have no zone


def read_run(folder: Folder, tree: Tree) -> tuple[Run, list[Problem]]:
    """Read what a run left."""
    result, problems = _read(folder.file("result.json"), _ResultFile, _ResultFile.shape())
    verifier = tree.inner(folder, VERIFIER)
    settings = result.config if result else None
    if settings is None:
        settings, found = _read(folder.file("config.json"), Settings, Settings.shape())
        problems += found
    is_unclear = settings is None and any(
        problem.code == rules.FILE_SHAPE.code for problem in problems
    )
    rows, found = _read(verifier.file(ROWS), list[RowFile], RowFile.shape())
    problems += found
    settings, result = settings or Settings(), result or _ResultFile()
    told = settings.verifier
    if told is None:
        # Settings that are not here: which rounds it was to go through is told from those that it lists.
        late = min((row.round for row in rows or () if row.status != FAST_FORWARDED), default=1)
        last = late if late > 1 and len(rows or ()) == 1 else None
        told = VerifierSettings(multiround_start_round=late, multiround_max_round=last)
    place = (*tree.root.resolve().parts, *folder.path.relative_to(tree.root).parts)
    # The benchmark's scripts keep jobs in TASK/harbor_jobs/MODEL/JOB.
    at = max((number for number, name in enumerate(place[:-1]) if name in _JOBS), default=None)
    below = () if at is None else place[at + 1 : -1]
    task_folder = place[at - 1] if at else None
    model_folder = below[0] if len(below) > 1 and not _TIMED.match(below[0]) else None
    name, model = result.task_name or "", settings.agent.model_name or ""
    references = (each for one in (result.task_id, settings.task) for each in one.names)
    task_names = (name, *references, name.rpartition("/")[2], task_folder)
    spellings = (model_folder, result.agent_info.model_name, model.rpartition("/")[2], model)
    models = tuple(dict.fromkeys(filter(None, spellings)))
    scaffold, source = (
        result.agent_info.name or settings.agent.name,
        PurePosixPath(told.multiround_resume_source or ""),
    )
    is_whole = told.multiround_max_round is None and told.multiround_aggregate_end_round is None
    effort, requests = result.effort, len(result.times or ())
    run = Run(
        folder,
        place,
        start=told.multiround_start_round or 1,
        last=told.multiround_max_round,
        window_end=result.window_end if is_whole else None,
        is_unclear=is_unclear,
        is_unverified=bool(told.disable) or any(row.status == UNVERIFIED for row in rows or ()),
        is_in_place=told.multiround_resume_trial_name is not None,
        origin=(source.parent.name, plain_name(source.name)) if source.name else None,
        task_names=tuple(filter(None, task_names)),
        models=models,
        author=Author(
            next(iter(models), None),
            settings.agent.model_name,
            named(scaffold) or None,
            named(result.agent_info.version) or None,
            settings.agent.reasoning,
            is_configured=True,
            provider=model.rpartition("/")[0].partition("/")[0] or None,
            settings=settings_of(settings.agent),
        ),
        is_baseline=not BASELINES.isdisjoint({scaffold, settings.agent.name, model_folder}),
        exception=result.exception,
        effort=replace(effort, turns=requests or None) if effort.turns is None else effort,
        began=local_moment(result.started_at),
        ended=local_moment(result.finished_at),
        verifier=verifier,
        listed=rows,
    )
    return run, problems


def _read(path: Path | None, model: type[T], shape: Shape) -> tuple[T | None, list[Problem]]:
    """Take of a file what is needed: a file can hold all that was said to the model and all that it replied."""
    if path is None:
        return None, []
    value, problems = pick(path, shape)
    if problems:
        return None, problems
    try:
        return adapter_of(model).validate_python(value), []
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the whole"
        what = f"{path.name} has another shape: {place}: {first['msg']}"
        return None, [rules.FILE_SHAPE.broken(path, None, what)]
