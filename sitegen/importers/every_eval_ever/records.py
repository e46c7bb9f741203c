"""What a record of Every Eval Ever holds: one model's results on one benchmark, and perhaps a line for each sample."""

import hashlib
import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from datetime import date as Date  # noqa: N812 - as elsewhere
from pathlib import Path
from typing import Any

from pydantic import Field

from sitegen.importers.kit.agents import Entrant, named, owner_of, short
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rules import SOURCE_BROKEN
from sitegen.importers.kit.told import Told, at, moment, number_of, objects
from sitegen.importers.kit.tree import Folder, Tree
from sitegen.models.submission import Provenance
from sitegen.problems import ProblemsError
from sitegen.reading.files import opened, read_head
from sitegen.reading.json import read_json

_SAMPLES = "_samples.jsonl"

_FACTS = ("model", "scaffold_version", "url", "model_license")
_WEIGHTS = {"open_weights": True, "closed_weights": False}


class Result(Told):
    """One figure of a record."""

    evaluation_result_id: str | None = None
    evaluation_name: str
    evaluation_timestamp: str | None = None
    description: str | None = at("metric_config", "evaluation_description")
    metric_id: str | None = at("metric_config", "metric_id")
    unit: str | None = at("metric_config", "metric_unit")
    is_lower_better: bool = at("metric_config", "lower_is_better", default=...)
    least: float | str | None = at("metric_config", "min_score")
    most: float | str | None = at("metric_config", "max_score")
    details: dict[str, str] | None = at("metric_config", "additional_details")
    score: float = at("score_details", "score", default=...)
    error: float | None = at("score_details", "uncertainty", "standard_error", "value")
    number: int | None = at("score_details", "uncertainty", "num_samples")

    @property
    def id(self) -> str:
        """What lines name it by."""
        return self.evaluation_result_id or self.evaluation_name

    @property
    def names(self) -> set[str]:
        """What lines may name it by."""
        return {self.id, self.evaluation_name}

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The least and the largest score; None where there is no such."""
        least, most = number_of(self.least), number_of(self.most)
        return (least, most) if least is not None and most is not None and least < most else None

    @property
    def scale(self) -> str:
        """Its bounds, in words."""
        return f"from {self.least} to {self.most}"

    def contradiction(self) -> str | None:
        """A score that is not on its own scale."""
        least, most = number_of(self.least), number_of(self.most)
        is_off = (least is not None and self.score < least) or (most is not None and self.score > most)
        is_none = least is not None and most is not None and least >= most
        return f"{self.id} is {self.score}, on a scale {self.scale}" if is_off or is_none else None

    def reward(self, score: float) -> float | None:
        """A score as a share of its scale, 1 the best; None where it is on no scale."""
        if self.bounds is None or not self.bounds[0] <= score <= self.bounds[1]:
            return None
        share = (score - self.bounds[0]) / (self.bounds[1] - self.bounds[0])
        return 1 - share if self.is_lower_better else share


class _Aggregate(Told):
    evaluation_id: str
    evaluation_timestamp: str | None = None
    retrieved_timestamp: str
    source: str | None = at("source_metadata", "source_name")
    organization: str = at("source_metadata", "source_organization_name", default=...)
    address: str | None = at("source_metadata", "source_organization_url")
    exported: dict[str, str] | None = at("source_metadata", "additional_details")
    library: str | None = at("eval_library", "name")
    version: str | None = at("eval_library", "version")
    name: str = at("model_info", "name", default=...)
    model: str = at("model_info", "id", default=...)
    developer: str | None = at("model_info", "developer")
    details: dict[str, str] | None = at("model_info", "additional_details")
    evaluation_results: list[Result] = Field(min_length=1)
    samples: str | None = at("detailed_evaluation_results", "file_path")
    hash_algorithm: str | None = at("detailed_evaluation_results", "hash_algorithm")
    checksum: str | None = at("detailed_evaluation_results", "checksum")
    total_rows: int | None = at("detailed_evaluation_results", "total_rows")


@dataclass(frozen=True, slots=True)
class Record:
    """An aggregate with the file of its samples, if it has one."""

    path: Path
    told: _Aggregate
    samples: Path | None

    @property
    def benchmark(self) -> str:
        """What the results are of: the collection that the record lies in, else as its id begins."""
        parts = self.path.absolute().parts
        return parts[-4] if parts[-5:-4] == ("data",) else self.told.evaluation_id.partition("/")[0]

    @property
    def exported(self) -> dict[str, str]:
        """What `sitegen export` says of where the record comes from; nothing where another program wrote it."""
        told = self.told.exported or {}
        return told if told.get("submission", "").count("/") == 2 else {}  # noqa: PLR2004 - benchmark, track, id

    @property
    def ids(self) -> tuple[str, ...]:
        """Benchmark, track and submission that it was exported from; none where another program wrote it."""
        return tuple(self.exported["submission"].split("/")) if self.exported else ()

    @property
    def entrant(self) -> Entrant:
        """Whoever made the results."""
        told, details = self.told, self.told.details or {}
        facts = (named(details.get(key)).removeprefix("unknown") for key in ("scaffold", "reasoning"))
        return Entrant(named(told.name) if self.exported else short(told.name), *facts)

    @property
    def facts(self) -> dict[str, object]:
        """What else is told of the agent."""
        told, details = self.told, self.told.details or {}
        if not self.exported:
            return {"organization": named(told.developer) or owner_of(told.model)}
        facts: dict[str, object] = {key: named(details.get(key)) for key in _FACTS}
        facts["organization"] = (told.developer or "").removeprefix("unknown")
        facts["open_weights"] = _WEIGHTS.get(details.get("model_availability", ""))
        return facts

    @property
    def provenance(self) -> Provenance:
        """What ran it."""
        library, version = (
            named((each or "").removeprefix("unknown")) for each in (self.told.library, self.told.version)
        )
        return Provenance(harness=library, harness_version=version or None) if library else Provenance()

    @property
    def moment(self) -> datetime | None:
        """When the evaluation was run, if that is told."""
        stamps = (self.told.evaluation_timestamp, *(each.evaluation_timestamp for each in self.told.evaluation_results))
        return next(filter(None, map(moment_of, stamps)), None)

    @property
    def retrieved(self) -> Date | None:
        """The day on which somebody fetched it."""
        found = moment_of(self.told.retrieved_timestamp)
        return found.date() if found else None

    @property
    def source(self) -> str:
        """Who says so."""
        names = dict.fromkeys(filter(None, (self.told.source, self.told.organization)))
        return ", ".join([*names, *filter(None, (self.told.address,))])

    def lines(self, report: Report) -> Iterator[tuple[int, dict[str, Any]]]:
        """Its samples' lines, each with its number; what they contradict is told."""
        if self.samples is None:
            return
        number = 0
        for line, told in objects(self.samples, report):
            number += 1
            for key, meant in (("evaluation_id", self.told.evaluation_id), ("model_id", self.told.model)):
                if told.get(key) != meant:
                    what = f"`{key}` is {told.get(key)!r}, and {meant!r} in {self.path.name}"
                    report.add(SOURCE_BROKEN, self.samples, what, line)
                    return
            yield line, told
        if self.told.total_rows not in {None, number}:
            what = f"it has {number} lines, and {self.path.name} says {self.told.total_rows}"
            report.add(SOURCE_BROKEN, self.samples, what)


def moment_of(stamp: str | None) -> datetime | None:
    """A time, be it in seconds since 1970 or as ISO 8601 has it."""
    with suppress(ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(float(stamp or ""), UTC)
    return moment(stamp)


def is_record(path: Path) -> bool:
    """Whether a file is an aggregate, by how it begins."""
    head = (read_head(path, 8192) if path.suffix == ".json" else None) or b""
    return all(key in head for key in (b'"schema_version"', b'"evaluation_id"', b'"retrieved_timestamp"'))


def records_in(tree: Tree, report: Report) -> Iterator[Record]:
    """The records of a source; a file of samples without its aggregate is told."""
    for folder in tree.walk():
        tree.pass_over_archives(folder)
        left = {name for name in folder.files if name.endswith(_SAMPLES)}
        for name in folder.files:
            if not is_record(folder.path / name):
                continue
            told = report.take(read_json(folder.path / name, _Aggregate))
            for what in filter(None, (each.contradiction() for each in told.evaluation_results) if told else ()):
                report.add(SOURCE_BROKEN, folder.path / name, one_line(what))
            beside = name.removesuffix(".json") + _SAMPLES
            left.discard(beside)
            if told is not None:
                yield Record(folder.path / name, told, _samples(folder, name, beside, told, report))
        for name in sorted(left):
            what = f"there is no aggregate {name.removesuffix(_SAMPLES)}.json of these samples"
            report.add(SOURCE_BROKEN, folder.path / name, what)


def _samples(folder: Folder, name: str, beside: str, told: _Aggregate, report: Report) -> Path | None:
    """The file of an aggregate's samples, as whole as the aggregate says."""
    if beside not in folder.files:
        if told.samples:
            what = f"it names {Path(told.samples).name}, which is not beside it"
            report.add(SOURCE_BROKEN, folder.path / name, what)
        return None
    path = folder.path / beside
    if told.checksum and told.hash_algorithm in {"sha256", "md5"}:
        try:
            with opened(path, largest=math.inf) as file:
                found = hashlib.file_digest(file, told.hash_algorithm).hexdigest()
        except ProblemsError as error:
            report.problems += error.problems
            return None
        if found != told.checksum.lower():
            what = f"its {told.hash_algorithm} is {found}, and {name} says {told.checksum}"
            report.add(SOURCE_BROKEN, path, what)
            return None
    return path
