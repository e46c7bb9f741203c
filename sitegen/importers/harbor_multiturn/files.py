"""What the fork's files hold. Keys that are not needed are passed over: prompts, tracebacks and paths among them."""

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from sitegen.importers.harbor.lenient import Amount, Lenient, Perhaps, Text
from sitegen.importers.harbor.records import AgentConfig, AgentInfo, TaskReference, Trouble
from sitegen.importers.harbor.stream import Shape, Sink, pick
from sitegen.importers.harbor_multiturn import rules
from sitegen.models.record import Position
from sitegen.problems import Problem

T = TypeVar("T")

COMPLETED = "completed"
FAST_FORWARDED = "fast_forwarded"
"""The status of a round that a resumed run took over from the run that it goes on from."""

UNVERIFIED = "verification_disabled"
VERIFICATION_ERROR = "verification_error"
_WITHOUT_VERDICT = ("agent_timeout", "agent_error", VERIFICATION_ERROR, UNVERIFIED)
"""How the statuses of rounds begin that have no verdict, whatever reward lies beside them."""


class RowFile(Lenient):
    """An entry of `multiround_results.json`: one round that a run went through or took over."""

    round: Position
    reward: float | None = None
    status: str | None = None

    @property
    def verdict(self) -> float | None:
        """The reward; None where the round was reached and not judged."""
        return None if (self.status or "").startswith(_WITHOUT_VERDICT) else self.reward


class VerifierSettings(Lenient):
    """Which rounds a run was to go through, and from where. It decides what the run is: nothing may be guessed here."""

    disable: bool | None = None
    multiround_start_round: Position | None = None
    multiround_max_round: Position | None = None
    multiround_aggregate_end_round: Position | None = None
    multiround_resume_source: str | None = None
    """Path of the run that this one goes on from, on the machine that ran it."""
    multiround_resume_trial_name: str | None = None
    """Name of the run that was resumed in its own place."""


class Settings(Lenient):
    """How a run was started: `config.json`."""

    task: Perhaps[TaskReference] = None
    agent: Perhaps[AgentConfig] = None
    verifier: VerifierSettings | None = None


class Bookkeeping(Lenient):
    """What an agent counted besides tokens."""

    n_episodes: Amount = None
    """Replies of the model."""


class AgentResult(Lenient):
    """What a whole run took."""

    n_input_tokens: Amount = None
    n_output_tokens: Amount = None
    cost_usd: Amount = None
    metadata: Perhaps[Bookkeeping] = None


class Window(Lenient):
    """The rounds that a run's own reward was averaged over. Only its end is of use: that reward is not."""

    aggregate_window_end: Perhaps[Position] = None


class ResultFile(Lenient):
    """How a run ended: `result.json`."""

    task_name: Text = None
    task_id: Perhaps[TaskReference] = None
    config: Settings | None = None
    agent_info: Perhaps[AgentInfo] = None
    agent_result: Perhaps[AgentResult] = None
    verifier_result: Perhaps[Window] = None
    exception_info: Perhaps[Trouble] = None
    started_at: Text = None
    finished_at: Text = None
    requests: int = 0
    """Requests to the model whose time was taken."""


_TASK: Shape = {"path": None, "name": None}
_SETTINGS: Shape = {
    "task": _TASK,
    "agent": {"name": None, "import_path": None, "model_name": None, "kwargs": {"reasoning_effort": None}},
    "verifier": dict.fromkeys(VerifierSettings.model_fields),
}
_RESULT: Shape = {
    "task_name": None,
    "task_id": _TASK,
    "config": _SETTINGS,
    "agent_info": {"name": None, "version": None, "model_info": {"name": None}},
    "agent_result": {
        "n_input_tokens": None,
        "n_output_tokens": None,
        "cost_usd": None,
        "metadata": {"n_episodes": None, "api_request_times_msec": {}},
    },
    "verifier_result": {"aggregate_window_end": None},
    "exception_info": {"exception_type": None},
    "started_at": None,
    "finished_at": None,
}
_TIMES = ("agent_result", "metadata", "api_request_times_msec")
_ROWS: Shape = dict.fromkeys(RowFile.model_fields)


def read_settings(path: Path) -> tuple[Settings | None, list[Problem]]:
    """Read `config.json`; None where it has problems, which are told."""
    return _read(path, _SETTINGS, Settings)


def read_result(path: Path) -> tuple[ResultFile | None, list[Problem]]:
    """Read `result.json`; None where it has problems, which are told."""
    times: list[object] = []
    result, problems = _read(path, _RESULT, ResultFile, {_TIMES: times.append})
    return (result.model_copy(update={"requests": len(times)}) if result else None), problems


def read_rows(path: Path) -> tuple[list[RowFile] | None, list[Problem]]:
    """Read `multiround_results.json`; None where it has problems, which are told."""
    return _read(path, _ROWS, list[RowFile])


def _read(
    path: Path, shape: Shape, model: type[T], sinks: Mapping[tuple[str, ...], Sink] | None = None
) -> tuple[T | None, list[Problem]]:
    """Take of a file what is needed: a file can hold all that was said to the model and all that it replied."""
    value, problems = pick(path, shape, sinks)
    if problems:
        return None, problems
    try:
        return TypeAdapter(model).validate_python(value), []
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the whole"
        return None, [rules.FILE_SHAPE.broken(path, None, f"{path.name} has another shape: {place}: {first['msg']}")]
