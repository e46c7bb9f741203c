"""Reads logs of Inspect, be they `.eval` archives or JSON: their headers and samples, without their words."""

import hashlib
import io
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from sitegen.importers.inspect.records import (
    REQUIRED_OF_HEADER,
    REQUIRED_OF_SAMPLE,
    Header,
    Sample,
    Score,
    parse_leniently,
)
from sitegen.importers.kit.agents import short
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rules import CUT_OFF, SOURCE_BROKEN
from sitegen.importers.kit.stream import CutOffError, Shape, Sink, pick_early, picked
from sitegen.importers.kit.told import moment
from sitegen.importers.kit.transcripts import LONGEST, transcript_of
from sitegen.problems import Problem, ProblemsError, Rule
from sitegen.reading.archives import Archive, archive
from sitegen.reading.files import FILE_UNREADABLE, LARGEST_SOURCE, opened, read_head

SampleKey = tuple[str, int]
"""A sample's id, as text, and its epoch."""

Sinks = Mapping[tuple[str, ...], Sink]
"""What takes the members of lists, by the keys that lead there."""

_BEGIN_OF_LOG = re.compile(rb'\s*\{\s*"(?:version|status)"\s*:')
"""What Inspect begins a log with."""

_SAMPLE_IDS = ("eval", "dataset", "sample_ids")

_HEAD_LENGTH = 64 * 1024
"""Bytes in which a log names its run."""

_SAMPLE_SHAPE = Sample.shape()
_HEADER_SHAPE = Header.shape()
_SUMMARY_SHAPE: Shape = {key: _SAMPLE_SHAPE[key] for key in ("id", "epoch", "scores")}
_MESSAGES_SHAPE: Shape = {
    "id": None,
    "epoch": None,
    "messages": {
        "role": None,
        "tool_call_id": None,
        "content": {"type": None, "text": None, "reasoning": None},
        "tool_calls": {"id": None, "function": None, "arguments": {"*": None}},
    },
    "attachments": {"*": None},
}

_BEGIN_OF_ARCHIVE, _END_OF_ARCHIVE = b"PK\3\4", b"PK\5\6"
_END_LENGTH = 65_557
"""Bytes that the end of an archive has at most, its comment included."""

_HEADER, _START = "header.json", "_journal/start.json"
_SAMPLE_NAME = re.compile(r"samples/(?P<id>.*)_epoch_(?P<epoch>[1-9]\d{0,3})\.json", re.DOTALL)
_SUMMARIES_NAME = re.compile(r"summaries\.json|_journal/summaries/\d+\.json")


@dataclass(frozen=True, slots=True)
class Log:
    """One run of one task by one model."""

    path: Path
    header: Header
    samples: Mapping[SampleKey, Sample]
    unusable: Mapping[SampleKey, str] = field(default_factory=dict)
    """Samples of which nothing can be used, each with the reason."""
    summaries: Mapping[SampleKey, Mapping[str, Score]] = field(default_factory=dict)
    """Scores as the summaries of an archive have them."""
    digests: Mapping[SampleKey, str] = field(default_factory=dict)
    """SHA-256 of the samples' files in an archive; none of a log that is one file."""
    faults: Sequence[str] = ()
    """What could not be read, as clauses."""
    earlier: Sequence["Log"] = ()
    """Earlier tries of this run that still have samples which it lacks."""

    is_plan_of_agent: bool = True
    """Whether the solvers of its plan are the agent's, and not the task's."""

    @property
    def task(self) -> str:
        """The task with its version, which together identify it."""
        return f"{self.header.spec.task}@{self.header.spec.task_version}"

    @property
    def task_spellings(self) -> tuple[str, ...]:
        """What `--task` may call its task."""
        name, version = self.header.spec.task, self.header.spec.task_version
        return f"{name}@{version}", f"{short(name)}@{version}", name, short(name)

    @property
    def order(self) -> tuple[float, str]:
        """Where it stands in the order of time."""
        created = moment(self.header.spec.created)
        return created.timestamp() if created else 0, self.path.as_posix()

    @property
    def planned(self) -> list[str]:
        """Ids of the samples that were to be run."""
        ids = [str(sample_id) for sample_id in self.header.spec.sample_ids]
        ids += [sample_id for sample_id, _ in self.unusable]
        ids += [sample_id for sample_id, _ in self.summaries]
        return list(dict.fromkeys(ids))

    @property
    def epochs(self) -> int:
        """Attempts at each sample."""
        numbers = [epoch for _, epoch in (*self.samples, *self.unusable)]
        stated = self.header.spec.epochs
        return max(1, *numbers, stated)


def is_log(path: Path) -> bool:
    """Return whether a file is a log: by its name, or by how it begins."""
    if path.suffix == ".eval":
        return True
    if path.suffix != ".json":
        return False
    head = read_head(path, _HEAD_LENGTH) or b""
    if b'"eval"' not in head:
        return False
    spec = pick_early(path, "eval", {"task": None, "run_id": None}, before="samples")
    if isinstance(spec, dict):
        return not spec.keys().isdisjoint(("task", "run_id"))
    return _BEGIN_OF_LOG.match(head) is not None and b'"task"' in head  # it may be broken


def read_log(path: Path) -> Log:
    """Read a log.

    Raises:
        ProblemsError: It is cut off, is no log, or its header can't be used.
    """
    try:
        if path.suffix != ".eval":
            return _read_json(path)
        with archive(path) as members:
            return _read_archive(path, members)
    except ProblemsError as error:
        raise ProblemsError([_archive_problem(problem) for problem in error.problems]) from error


def _archive_problem(problem: Problem) -> Problem:
    """Return a problem with an archive as one of the import: the archive lost its end, or it is none."""
    if problem.code != FILE_UNREADABLE.code:
        return problem
    with opened(problem.path, largest=LARGEST_SOURCE) as file:
        begin = file.read(len(_BEGIN_OF_ARCHIVE))
        file.seek(max(0, os.fstat(file.fileno()).st_size - _END_LENGTH))
        end = file.read()
    is_cut_off = not begin or (begin == _BEGIN_OF_ARCHIVE and _END_OF_ARCHIVE not in end)
    rule = CUT_OFF if is_cut_off else SOURCE_BROKEN
    return rule.broken(problem.path, None, problem.what)


def _read_json(path: Path) -> Log:
    """Read a log that is one JSON file."""
    collected = _Samples()
    sample_ids: list[object] = []
    sinks = {("samples",): collected.collect, _SAMPLE_IDS: sample_ids.append}
    try:
        with opened(path, largest=LARGEST_SOURCE) as file:
            size = os.fstat(file.fileno()).st_size
            data = picked(file, size, {**_HEADER_SHAPE, "samples": _SAMPLE_SHAPE}, sinks)
    except CutOffError as error:
        raise _problem(CUT_OFF, path, str(error)) from error
    except ValueError as error:
        raise _problem(
            SOURCE_BROKEN, path, f"nothing of {path.name} can be used: {error}"
        ) from error
    header = _parse_header(path, data, sample_ids, collected.faults)
    samples = _with_named_scores(collected.samples, header)
    return Log(path, header, samples, collected.unusable, faults=collected.faults)


def _read_archive(path: Path, members: Archive) -> Log:
    """Read a log that is an archive, member by member."""
    names = [name for name in (_HEADER, _START) if name in members.members]
    if not names:
        raise _problem(SOURCE_BROKEN, path, f"it has neither {_HEADER} nor {_START}")
    collected = _Samples()
    sample_ids: list[object] = []
    # There is no header where the run's process ended before it could say how the run ended.
    data = _member(members, names[0], _HEADER_SHAPE, {_SAMPLE_IDS: sample_ids.append})
    header = _parse_header(path, data, sample_ids, collected.faults)
    digests: dict[SampleKey, str] = {}
    for name in members.members:
        match = _SAMPLE_NAME.fullmatch(name)
        if match is None:
            continue
        try:
            content = members.read(name)
            sample = _parse_member(members.path, name, content, _SAMPLE_SHAPE)
        except ProblemsError as error:
            collected.add_unusable((match["id"], int(match["epoch"])), error.problems[0].what)
            continue
        key = collected.add(sample)
        if key:
            digests[key] = hashlib.sha256(content).hexdigest()
    summaries = _read_summaries(members, collected.faults)
    samples = _with_named_scores(collected.samples, header)
    return Log(path, header, samples, collected.unusable, summaries, digests, collected.faults)


def _with_named_scores(
    samples: Mapping[SampleKey, Sample], header: Header
) -> dict[SampleKey, Sample]:
    """Return samples whose only score, as the first releases wrote it, has the name of the run's scorer."""
    figures = header.results.figures
    name = figures[0].name if figures else "score"
    named = {}
    for key, sample in samples.items():
        if sample.score is not None and not sample.scores:
            named[key] = sample.model_copy(update={"scores": {name: sample.score}})
        else:
            named[key] = sample
    return named


class _Samples:
    """The samples of a log as they come, each once."""

    def __init__(self) -> None:
        self.samples: dict[SampleKey, Sample] = {}
        self.unusable: dict[SampleKey, str] = {}
        self.faults: list[str] = []
        self.count = 0

    def add(self, data: object) -> SampleKey | None:
        """Take a sample, and return its key; None where it has no usable id or epoch."""
        self.count += 1
        try:
            sample, dropped = parse_leniently(Sample, data, REQUIRED_OF_SAMPLE)
        except ValidationError:
            self.faults.append(f"sample number {self.count} of the log has no usable id or epoch")
            return None
        sample_id, epoch = sample.key
        if dropped:
            self.faults.append(f"{', '.join(dropped)} of sample {sample_id}, epoch {epoch}")
        earlier = self.samples.get(sample.key)
        if earlier is not None and earlier.scores != sample.scores:
            self.add_unusable(sample.key, "the log holds this sample twice, with different scores")
        if sample.key in self.unusable:
            self.samples.pop(sample.key, None)
        else:
            self.samples[sample.key] = sample
        return sample.key

    def collect(self, data: object) -> None:
        """Take a sample of a file that is read as a stream."""
        self.add(data)

    def add_unusable(self, key: SampleKey, reason: str) -> None:
        """Note a sample of which nothing can be used."""
        self.unusable[key] = one_line(reason)


def _parse_header(path: Path, data: Any, sample_ids: Sequence[object], faults: list[str]) -> Header:  # noqa: ANN401
    """Return a header; what could not be read of it is added to the faults.

    Args:
        path: The log.
        data: What was taken of the header, which is any JSON.
        sample_ids: Ids of the planned samples, which may be too many to stand in `data`.
        faults: Takes the names of fields that could not be read.
    """
    if sample_ids:  # then the keys that lead there are in the data
        data["eval"]["dataset"]["sample_ids"] = list(sample_ids)
    try:
        header, dropped = parse_leniently(Header, data, REQUIRED_OF_HEADER)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
        location = ".".join(map(str, problem["loc"])) or "the file"
        message = f"`{location}` of {path.name} is not as Inspect writes it: {problem['msg']}"
        raise _problem(SOURCE_BROKEN, path, message) from error
    faults += [f"{name} of the header" for name in dropped]
    return header


def _read_summaries(members: Archive, faults: list[str]) -> dict[SampleKey, Mapping[str, Score]]:
    """Return the scores that an archive's summaries have; those of its journal where the run was cut short."""
    names = [name for name in members.members if _SUMMARIES_NAME.fullmatch(name)]
    if "summaries.json" in names:
        names = ["summaries.json"]
    summaries: dict[SampleKey, Mapping[str, Score]] = {}
    for name in names:
        entries: list[object] = []
        try:
            _member(members, name, _SUMMARY_SHAPE, {(): entries.append})
        except ProblemsError as error:
            faults.append(error.problems[0].what)
        for entry in entries:
            with suppress(ValidationError):
                summary, _ = parse_leniently(Sample, entry, REQUIRED_OF_SAMPLE)
                summaries[summary.key] = summary.scores
    return summaries


def _member(members: Archive, name: str, shape: Shape, sinks: Sinks) -> object:
    """Take what a shape names out of a member of an archive."""
    try:
        content = members.read(name)
    except ProblemsError as error:
        raise _problem(SOURCE_BROKEN, members.path, error.problems[0].what) from error
    return _parse_member(members.path, name, content, shape, sinks)


def _parse_member(
    path: Path, name: str, content: bytes, shape: Shape, sinks: Sinks | None = None
) -> object:
    try:
        return picked(io.BytesIO(content), len(content), shape, sinks)
    except ValueError as error:
        raise _problem(SOURCE_BROKEN, path, f"{name} in it can't be used: {error}") from error


def _problem(rule: Rule, path: Path, message: str) -> ProblemsError:
    return ProblemsError([rule.broken(path, None, one_line(message))])


def read_transcripts(
    path: Path, model: str, keys: AbstractSet[SampleKey]
) -> Iterator[tuple[SampleKey, bytes]]:
    """Yield what the model and its tools said in some samples of a log that was read before."""
    for data in _messages(path):
        sample_id, epoch = data.get("id"), data.get("epoch")
        if (
            isinstance(sample_id, str | int)
            and isinstance(epoch, int)
            and (str(sample_id), epoch) in keys
        ):
            said = transcript_of(data.get("messages") or (), model, data.get("attachments"))
            yield (str(sample_id), epoch), said


def _messages(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the messages of each sample of a log, with its id and epoch."""
    if path.suffix != ".eval":
        samples: list[object] = []
        with opened(path, largest=LARGEST_SOURCE) as file:
            size = os.fstat(file.fileno()).st_size
            picked(
                file,
                size,
                {"samples": _MESSAGES_SHAPE},
                {("samples",): samples.append},
                longest=LONGEST,
            )
        yield from (sample for sample in samples if isinstance(sample, dict))
        return
    with archive(path) as members:
        for name in members.members:
            if not _SAMPLE_NAME.fullmatch(name):
                continue
            with suppress(ProblemsError, ValueError):
                content = members.read(name)
                sample = picked(io.BytesIO(content), len(content), _MESSAGES_SHAPE, longest=LONGEST)
                if isinstance(sample, dict):
                    yield sample
