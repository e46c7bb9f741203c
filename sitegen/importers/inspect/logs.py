"""Read logs of Inspect, from `.eval` archives or JSON: headers and samples, without messages."""

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
    LogSample,
    SampleScore,
    parse_leniently,
)
from sitegen.importers.kit.agents import short_model_name
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rules import CUT_OFF, SOURCE_BROKEN
from sitegen.importers.kit.stream import CutOffJsonError, Shape, Sink, pick_early, picked
from sitegen.importers.kit.times import parse_timestamp
from sitegen.importers.kit.transcripts import LONGEST, transcript_of
from sitegen.importers.kit.values import mapping_of, mappings_of
from sitegen.problems import Problem, ProblemsError, Rule
from sitegen.reading.archives import Archive, archive
from sitegen.reading.files import FILE_UNREADABLE, LARGEST_SOURCE, opened, read_head
from sitegen.reading.shape import fault_text

SampleKey = tuple[str, int]
"""The id of a sample, as text, and its epoch."""

Sinks = Mapping[tuple[str, ...], Sink]
"""Functions that receive the items of lists, by the keys that lead to the lists."""

_LOG_START = re.compile(rb'\s*\{\s*"(?:version|status)"\s*:')

_SAMPLE_IDS = ("eval", "dataset", "sample_ids")

_HEAD_SIZE = 64 * 1024
"""Number of bytes at the beginning of a log within which it names its run."""

_SAMPLE_SHAPE = LogSample.shape()
_HEADER_SHAPE = Header.shape()
_LOG_SHAPE: Shape = {**_HEADER_SHAPE, "samples": _SAMPLE_SHAPE}
_SUMMARY_SHAPE: Shape = {key: _SAMPLE_SHAPE[key] for key in ("id", "epoch", "scores")}
_MESSAGE_SHAPE: Shape = {
    "role": None,
    "tool_call_id": None,
    "content": {"type": None, "text": None, "reasoning": None},
    "tool_calls": {"id": None, "function": None, "arguments": {"*": None}},
}
_TRANSCRIPT_SHAPE: Shape = {
    "id": None,
    "epoch": None,
    "messages": _MESSAGE_SHAPE,
    "attachments": {"*": None},
}

_ARCHIVE_START = b"PK\3\4"
_ARCHIVE_END = b"PK\5\6"
_MAX_ARCHIVE_END_SIZE = 65_557
"""Maximum size in bytes of an archive's end record, including its comment."""

_HEADER_MEMBER = "header.json"
_START_MEMBER = "_journal/start.json"
_SUMMARIES_MEMBER = "summaries.json"
_SAMPLE_MEMBER = re.compile(r"samples/(?P<id>.*)_epoch_(?P<epoch>[1-9]\d{0,3})\.json", re.DOTALL)
_ANY_SUMMARIES_MEMBER = re.compile(r"summaries\.json|_journal/summaries/\d+\.json")


@dataclass(frozen=True, slots=True)
class Log:
    """One run of one task by one model."""

    path: Path
    header: Header
    samples: Mapping[SampleKey, LogSample]
    unusable: Mapping[SampleKey, str] = field(default_factory=dict)
    """The reason why a sample can't be used, by the sample's key."""
    summaries: Mapping[SampleKey, Mapping[str, SampleScore]] = field(default_factory=dict)
    """Scores in the summaries of an archive, by sample and then by scorer."""
    digests: Mapping[SampleKey, str] = field(default_factory=dict)
    """SHA-256 of the samples' files in an archive; empty for a log in a single file."""
    faults: Sequence[str] = ()
    """Parts that could not be read, as clauses."""
    earlier: Sequence["Log"] = ()
    """Earlier tries of this run, each with the samples that only it contains."""
    is_plan_of_agent: bool = True
    """Whether the solvers of the log's plan belong to the agent, not to the task."""

    @property
    def task(self) -> str:
        """The task and its version, which together identify the task."""
        return f"{self.header.spec.task}@{self.header.spec.task_version}"

    @property
    def task_spellings(self) -> tuple[str, ...]:
        """The names by which `--task` may select the log's task."""
        name = self.header.spec.task
        version = self.header.spec.task_version
        return (
            f"{name}@{version}",
            f"{short_model_name(name)}@{version}",
            name,
            short_model_name(name),
        )

    @property
    def order(self) -> tuple[float, str]:
        """The sort key of the log: the time of the run, in seconds since 1970, and the path."""
        created = parse_timestamp(self.header.spec.created)
        return created.timestamp() if created else 0, self.path.as_posix()

    @property
    def planned(self) -> list[str]:
        """Ids of the samples that were planned to run."""
        ids = [str(sample_id) for sample_id in self.header.spec.sample_ids]
        ids += [sample_id for sample_id, _ in (*self.unusable, *self.summaries)]
        return list(dict.fromkeys(ids))

    @property
    def epochs(self) -> int:
        """The number of attempts at each sample."""
        numbers = [epoch for _, epoch in (*self.samples, *self.unusable)]
        return max(1, self.header.spec.epochs, *numbers)


def is_log(path: Path) -> bool:
    """Return whether a file is a log, judging by its name or its beginning."""
    if path.suffix == ".eval":
        return True
    if path.suffix != ".json":
        return False
    head = read_head(path, _HEAD_SIZE) or b""
    if b'"eval"' not in head:
        return False
    spec = pick_early(path, "eval", {"task": None, "run_id": None}, before="samples")
    if isinstance(spec, dict):
        return not spec.keys().isdisjoint(("task", "run_id"))
    # A truncated or broken log may have no readable spec.
    return _LOG_START.match(head) is not None and b'"task"' in head


def read_log(path: Path) -> Log:
    """Read a log from an archive or a JSON file.

    Raises:
        ProblemsError: The file is truncated or is not a log, or its header can't be used.
    """
    try:
        if path.suffix != ".eval":
            return _read_json(path)
        with archive(path) as members:
            return _read_archive(path, members)
    except ProblemsError as error:
        raise ProblemsError([_convert_problem(problem) for problem in error.problems]) from error


def _convert_problem(problem: Problem) -> Problem:
    """Return the problem of an unreadable archive as truncated or broken; keep other problems."""
    if problem.code != FILE_UNREADABLE.code:
        return problem
    with opened(problem.path, largest=LARGEST_SOURCE) as file:
        start = file.read(len(_ARCHIVE_START))
        file.seek(max(0, os.fstat(file.fileno()).st_size - _MAX_ARCHIVE_END_SIZE))
        end = file.read()
    is_cut_off = not start or (start == _ARCHIVE_START and _ARCHIVE_END not in end)
    rule = CUT_OFF if is_cut_off else SOURCE_BROKEN
    return rule.broken(problem.path, None, problem.what)


def _read_json(path: Path) -> Log:
    """Read a log that is a single JSON file."""
    collector = _SampleCollector()
    sample_ids: list[object] = []
    sinks = {("samples",): collector.collect, _SAMPLE_IDS: sample_ids.append}
    try:
        with opened(path, largest=LARGEST_SOURCE) as file:
            size = os.fstat(file.fileno()).st_size
            data = picked(file, size, _LOG_SHAPE, sinks)
    except CutOffJsonError as error:
        raise _problem(CUT_OFF, path, str(error)) from error
    except ValueError as error:
        message = f"nothing in {path.name} can be used: {error}"
        raise _problem(SOURCE_BROKEN, path, message) from error
    header = _parse_header(path, data, sample_ids, collector.faults)
    samples = _name_only_scores(collector.samples, header)
    return Log(path, header, samples, collector.unusable, faults=collector.faults)


def _read_archive(path: Path, members: Archive) -> Log:
    """Read a log that is an archive, member by member."""
    names = [name for name in (_HEADER_MEMBER, _START_MEMBER) if name in members.members]
    if not names:
        message = f"it has neither {_HEADER_MEMBER} nor {_START_MEMBER}"
        raise _problem(SOURCE_BROKEN, path, message)
    collector = _SampleCollector()
    sample_ids: list[object] = []
    # An archive has no header if the process ended before it could record how the run ended.
    data = _read_member(members, names[0], _HEADER_SHAPE, {_SAMPLE_IDS: sample_ids.append})
    header = _parse_header(path, data, sample_ids, collector.faults)
    digests: dict[SampleKey, str] = {}
    for name in members.members:
        match = _SAMPLE_MEMBER.fullmatch(name)
        if match is None:
            continue
        try:
            content = members.read(name)
            sample = _parse_member(members.path, name, content, _SAMPLE_SHAPE)
        except ProblemsError as error:
            collector.add_unusable((match["id"], int(match["epoch"])), error.problems[0].what)
            continue
        key = collector.add(sample)
        if key:
            digests[key] = hashlib.sha256(content).hexdigest()
    summaries = _read_summaries(members, collector.faults)
    samples = _name_only_scores(collector.samples, header)
    return Log(path, header, samples, collector.unusable, summaries, digests, collector.faults)


def _name_only_scores(
    samples: Mapping[SampleKey, LogSample], header: Header
) -> dict[SampleKey, LogSample]:
    """Return samples in which the unnamed scores of the first releases have the scorer's name."""
    figures = header.results.figures
    scorer = figures[0].name if figures else "score"
    named_samples = dict(samples)
    for key, sample in samples.items():
        if sample.score is not None and not sample.scores:
            named_samples[key] = sample.model_copy(update={"scores": {scorer: sample.score}})
    return named_samples


class _SampleCollector:
    """Collects the samples of a log as they are read."""

    def __init__(self) -> None:
        self.samples: dict[SampleKey, LogSample] = {}
        self.unusable: dict[SampleKey, str] = {}
        self.faults: list[str] = []
        self.count = 0

    def add(self, data: object) -> SampleKey | None:
        """Add a sample, and return its key; None if it has no usable id or epoch."""
        self.count += 1
        try:
            sample, dropped = parse_leniently(LogSample, data, REQUIRED_OF_SAMPLE)
        except ValidationError:
            self.faults.append(f"sample number {self.count} of the log has no usable id or epoch")
            return None
        sample_id, epoch = sample.key
        if dropped:
            self.faults.append(f"{', '.join(dropped)} of sample {sample_id}, epoch {epoch}")
        first = self.samples.get(sample.key, sample)
        if first.scores != sample.scores:
            self.add_unusable(
                sample.key, "the log contains this sample twice, with different scores"
            )
        if sample.key in self.unusable:
            self.samples.pop(sample.key, None)
        else:
            self.samples[sample.key] = sample
        return sample.key

    def collect(self, data: object) -> None:
        """Add a sample; serves as the sink for the samples of a JSON file."""
        self.add(data)

    def add_unusable(self, key: SampleKey, reason: str) -> None:
        """Record that a sample can't be used, with the reason."""
        self.unusable[key] = one_line(reason)


def _parse_header(
    path: Path,
    data: Any,  # noqa: ANN401
    sample_ids: Sequence[object],
    faults: list[str],
) -> Header:
    """Return a header; the names of fields that could not be read are added to the faults.

    Args:
        path: The log.
        data: The keys of the header, with values of any type.
        sample_ids: Ids of the planned samples, which may be many and are read separately.
        faults: Receives the names of fields that could not be read.
    """
    if sample_ids:  # the data then contain the parent keys
        data["eval"]["dataset"]["sample_ids"] = list(sample_ids)
    try:
        header, dropped = parse_leniently(Header, data, REQUIRED_OF_HEADER)
    except ValidationError as error:
        message = f"{path.name} is not a log that Inspect wrote: {fault_text(error)}"
        raise _problem(SOURCE_BROKEN, path, message) from error
    faults += [f"{name} of the header" for name in dropped]
    return header


def _read_summaries(
    members: Archive, faults: list[str]
) -> dict[SampleKey, Mapping[str, SampleScore]]:
    """Return the scores in an archive's summaries, or in its journal if the run was interrupted."""
    names = [name for name in members.members if _ANY_SUMMARIES_MEMBER.fullmatch(name)]
    if _SUMMARIES_MEMBER in names:
        names = [_SUMMARIES_MEMBER]
    entries: list[object] = []
    for name in names:
        try:
            _read_member(members, name, _SUMMARY_SHAPE, {(): entries.append})
        except ProblemsError as error:
            faults.append(error.problems[0].what)
    summaries: dict[SampleKey, Mapping[str, SampleScore]] = {}
    for entry in entries:
        with suppress(ValidationError):
            summary, _ = parse_leniently(LogSample, entry, REQUIRED_OF_SAMPLE)
            summaries[summary.key] = summary.scores
    return summaries


def _read_member(members: Archive, name: str, shape: Shape, sinks: Sinks) -> object:
    """Return the part of an archive's member that a shape names."""
    try:
        content = members.read(name)
    except ProblemsError as error:
        raise _problem(SOURCE_BROKEN, members.path, error.problems[0].what) from error
    return _parse_member(members.path, name, content, shape, sinks)


def _parse_member(
    path: Path, name: str, content: bytes, shape: Shape, sinks: Sinks | None = None
) -> object:
    """Return the part of a member's content that a shape names."""
    try:
        return picked(io.BytesIO(content), len(content), shape, sinks)
    except ValueError as error:
        raise _problem(SOURCE_BROKEN, path, f"{name} in it can't be used: {error}") from error


def _problem(rule: Rule, path: Path, message: str) -> ProblemsError:
    return ProblemsError([rule.broken(path, None, one_line(message))])


def read_transcripts(
    path: Path, model: str, keys: AbstractSet[SampleKey]
) -> Iterator[tuple[SampleKey, bytes]]:
    """Yield the transcripts of the given samples of a log that was read before."""
    for sample in _read_messages(path):
        sample_id = sample.get("id")
        epoch = sample.get("epoch")
        if not isinstance(sample_id, str | int) or not isinstance(epoch, int):
            continue
        key = str(sample_id), epoch
        if key in keys:
            messages = mappings_of(sample.get("messages"))
            attachments = mapping_of(sample.get("attachments"))
            yield key, transcript_of(messages, model, attachments)


def _read_messages(path: Path) -> Iterator[Mapping[str, object]]:
    """Yield the messages of each sample of a log, with its id and epoch."""
    if path.suffix != ".eval":
        samples: list[object] = []
        shape: Shape = {"samples": _TRANSCRIPT_SHAPE}
        with opened(path, largest=LARGEST_SOURCE) as file:
            size = os.fstat(file.fileno()).st_size
            picked(file, size, shape, {("samples",): samples.append}, LONGEST)
        yield from mappings_of(samples)
        return
    with archive(path) as members:
        for name in members.members:
            if _SAMPLE_MEMBER.fullmatch(name):
                with suppress(ProblemsError, ValueError):
                    content = members.read(name)
                    file_content = io.BytesIO(content)
                    sample = picked(file_content, len(content), _TRANSCRIPT_SHAPE, longest=LONGEST)
                    yield mapping_of(sample)
