"""What a log of Inspect holds, be it an `.eval` archive or JSON: its header and its samples, without their words."""

import hashlib
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from sitegen.importers.kit.agents import Entrant, short
from sitegen.importers.kit.rules import SOURCE_BROKEN
from sitegen.importers.kit.stream import Shape, pick, picked
from sitegen.importers.kit.told import Told, at, number_of
from sitegen.importers.kit.transcripts import LONGEST, transcript_of
from sitegen.models.record import Amount, Count
from sitegen.problems import ProblemsError
from sitegen.reading.archives import Archive, archive
from sitegen.reading.files import read_head

_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_PLAIN = frozenset({"generate", "use_tools", "system_message", "prompt_template", "chain_of_thought"})
"""Solvers that are no scaffold: they ask the model once."""
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


class _Cause(Told):
    """Why a sample ended as it did: an error, a limit, or somebody who invalidated it."""

    message: str | None = None
    type: str | None = None
    reason: str | None = None


class Usage(Told):
    """What a model was asked and answered."""

    input_tokens: Amount | None = None
    """Without what was read from a cache, or written to it."""
    input_tokens_cache_read: Amount | None = None
    input_tokens_cache_write: Amount | None = None
    output_tokens: Amount | None = None
    total_cost: Amount | None = None

    @property
    def read(self) -> float:
        """Tokens read, cached ones included."""
        return (self.input_tokens or 0) + (self.input_tokens_cache_read or 0) + (self.input_tokens_cache_write or 0)


class Score(Told):
    """What a scorer gave."""

    value: object = None
    history: list[object] = Field(default=[])
    """Former values, of one that was corrected."""

    def part(self, name: str | None) -> float | None:
        """The value as a number, or that of its part of a name; None where it is none."""
        return as_number(self.value if name is None else self.value.get(name) if isinstance(self.value, dict) else None)

    def parts(self, scorer: str) -> dict[str, float]:
        """Each value that is a number, by the scorer's name or that of the part."""
        told = self.value if isinstance(self.value, dict) else {scorer: self.value}
        return {str(name): value for name, each in told.items() if (value := as_number(each)) is not None}


class _Event(Told):
    event: str | None = None
    scorer: str | None = None
    intermediate: bool | None = None
    score: Score | None = None


class Sample(Told):
    """One try at one task."""

    id: str | int
    epoch: int = Field(ge=1, le=10_000)
    error: _Cause | None = None
    limit: _Cause | None = None
    invalidation: _Cause | None = None
    error_retries: list[object] | None = None
    scores: dict[str, Score] | None = None
    metadata: dict[str, object] | None = None
    model_usage: dict[str, Usage] | None = None
    working_time: Amount | None = None
    turn_count: Count | None = None
    events: list[_Event] | None = None

    @property
    def key(self) -> tuple[str, int]:
        """The task, as a text, and the attempt."""
        return str(self.id), self.epoch

    def score(self, scorer: str) -> Score | None:
        """What a scorer gave."""
        return (self.scores or {}).get(scorer)

    def contradiction(self) -> str | None:
        """A score that is not the one that its scorer gave, though nobody corrected it."""
        for event in self.events or ():
            score = self.score(event.scorer or "")
            given = event.event == "score" and not event.intermediate and event.score
            if given and score and not score.history and score.value != given.value:
                return f"{event.scorer} of {self.id} is {score.value} among its scores, and {given.value} as given"
        return None


_TALK: Shape = {
    "id": None,
    "epoch": None,
    "messages": {
        **dict.fromkeys(("role", "tool_call_id")),
        "content": dict.fromkeys(("type", "text", "reasoning")),
        "tool_calls": {"id": None, "function": None, "arguments": {"*": None}},
    },
    "attachments": {"*": None},
}
"""A sample's messages."""


class _Part(Told):
    """A scorer, or a step of the plan."""

    name: str | None = None
    solver: str | None = None


class Spec(Told):
    """What was to be run."""

    task: str
    task_id: str | None = None
    task_version: int | str | None = None
    created: str | None = None
    model: str
    solver: str | None = None
    sample_ids: list[str | int] | None = at("dataset", "sample_ids")
    epochs: int | None = at("config", "epochs")
    limit: object = at("config", "limit")
    chosen: object = at("config", "sample_id")
    reducer: object = at("config", "epochs_reducer")
    version: str | None = at("packages", "inspect_ai")
    commit: str | None = at("revision", "commit")
    dirty: bool | None = at("revision", "dirty")
    scorers: list[_Part] | None = None


class _Metric(Told):
    value: float | int | None = None


class Figure(Told):
    """What a scorer's values come to."""

    name: str
    scorer: str
    reducer: str | None = None
    metrics: dict[str, _Metric] = Field(default={})


class _Headline(Told):
    scorer: str
    score: str


class Results(Told):
    """What a run came to, as Inspect works it out."""

    total_samples: int
    completed_samples: int
    headline: _Headline | None = None
    scores: list[Figure] = Field(default=[])


class Header(Told):
    """A log without its samples."""

    status: str
    error: _Cause | None = None
    spec: Spec = Field(alias="eval")
    steps: list[_Part] | None = at("plan", "steps")
    results: Results | None = None
    started_at: str | None = at("stats", "started_at")
    completed_at: str | None = at("stats", "completed_at")
    model_usage: dict[str, Usage] | None = at("stats", "model_usage")


_SAMPLE = Sample.shape()
_LOG: Shape = {**Header.shape(), "samples": _SAMPLE}


@dataclass(frozen=True, slots=True)
class Log:
    """One run of one task by one model."""

    path: Path
    header: Header
    samples: Sequence[Sample]
    summaries: Mapping[tuple[str, int], Mapping[str, Score]] | None = field(default=None)
    """Scores of the samples as their summaries have them; None where the log has none."""
    digests: Mapping[tuple[str, int], str] = field(default_factory=dict)
    """SHA-256 of the samples' files in an archive; none of a log that is one file."""

    @property
    def names(self) -> tuple[str, ...]:
        """What its task may be asked for by."""
        name, version = self.header.spec.task, self.header.spec.task_version
        return tuple(each + more for more in (f"@{version}", "") for each in (name, short(name)))

    @property
    def entrant(self) -> Entrant:
        """The model, and the solver where it is more than asking the model once."""
        spec = self.header.spec
        steps = [short(step.solver) for step in self.header.steps or () if step.solver]
        own = [step for step in steps if step not in _PLAIN]
        return Entrant(short(spec.model), short(spec.solver or (own[-1] if own else "")))

    @property
    def scorers(self) -> set[str]:
        """Those that gave some sample a score."""
        return {name for sample in self.samples for name in sample.scores or ()}


def as_number(value: object) -> float | None:
    """A score as a number, as Inspect takes it: letters, words and digits, too; None where it is none."""
    if not isinstance(value, str):
        return number_of(value)
    known = _LETTERS.get(value, _WORDS.get(value.strip().lower()))
    if known is not None:
        return known
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def is_log(path: Path) -> bool:
    """Whether a file is a log, by its name or by how it begins."""
    if path.suffix == ".eval":
        return True
    head = (read_head(path, 4096) if path.suffix == ".json" else None) or b""
    return all(f'"{key}"'.encode() in head for key in ("status", "eval", "task", "run_id"))


def read_log(path: Path) -> Log:
    """Read a log; raises ProblemsError where it can't be read to its end, or is not of the shape that logs have."""
    try:
        if path.suffix == ".eval":
            with archive(path) as members:
                return _packed(path, members)
        samples: list[object] = []
        found, problems = pick(path, _LOG, {("samples",): samples.append})
        if problems:
            raise ProblemsError([SOURCE_BROKEN.broken(path, None, problems[0].what)])
        return Log(path, Header.model_validate(found), [Sample.model_validate(each) for each in samples])
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        what = f"`{place}` in it is not as Inspect writes it: {first['msg']}"
        raise ProblemsError([SOURCE_BROKEN.broken(path, None, what)]) from error


def transcripts_of(path: Path, model: str) -> Iterator[tuple[tuple[str, int], bytes]]:
    """What the model and its tools said in each sample of a log that was read before."""
    if path.suffix == ".eval":
        with archive(path) as members:
            names = [each for each in members.members if each.startswith("samples/") and each.endswith(".json")]
            for name in names:
                data = members.read(name)
                yield _said(picked(io.BytesIO(data), len(data), _TALK, longest=LONGEST), model)
        return
    found: list[tuple[tuple[str, int], bytes]] = []
    pick(path, {"samples": _TALK}, {("samples",): lambda each: found.append(_said(each, model))}, longest=LONGEST)
    yield from found


def _said(sample: Any, model: str) -> tuple[tuple[str, int], bytes]:  # noqa: ANN401 - as its shape says
    data = transcript_of(sample.get("messages") or (), model, sample.get("attachments"))
    return (str(sample["id"]), sample["epoch"]), data


def _packed(path: Path, members: Archive) -> Log:
    def take(name: str, shape: Shape) -> Any:  # noqa: ANN401 - any JSON
        data = members.read(name)
        try:
            return picked(io.BytesIO(data), len(data), shape)
        except ValueError as error:
            raise ProblemsError([SOURCE_BROKEN.broken(path, None, f"{name} in it can't be used: {error}")]) from error

    name = "header.json" if "header.json" in members.members else "_journal/start.json"
    if name not in members.members:
        raise ProblemsError([SOURCE_BROKEN.broken(path, None, "it has neither header.json nor _journal/start.json")])
    header = take(name, Header.shape())
    if name != "header.json":  # the run crashed before it could say how it ended
        header = {"status": "started", **(header if isinstance(header, dict) else {})}
    names = [each for each in members.members if each.startswith("samples/") and each.endswith(".json")]
    samples = [Sample.model_validate(take(each, _SAMPLE)) for each in names]
    digests = {
        sample.key: hashlib.sha256(members.read(each)).hexdigest() for sample, each in zip(samples, names, strict=True)
    }
    summaries = None
    if "summaries.json" in members.members:
        told = take("summaries.json", {key: _SAMPLE[key] for key in ("id", "epoch", "scores")})
        found = [Sample.model_validate(each) for each in told]
        summaries = {each.key: each.scores or {} for each in found}
    return Log(path, Header.model_validate(header), samples, summaries, digests)
