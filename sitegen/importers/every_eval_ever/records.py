"""Finds the records of a source, and takes what their aggregates state; nothing in one can be relied on."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from datetime import date as Date  # noqa: N812 - as elsewhere
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import Entrant, named, owner_of, short
from sitegen.importers.kit.lines import read_table
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.told import Told, at, moment, number_of
from sitegen.importers.kit.tree import Folder, Tree, digest_of
from sitegen.models.record import LIMIT
from sitegen.models.submission import Provenance
from sitegen.problems import Problem, listed
from sitegen.reading.files import read_head

NEWEST = "0.3"
"""The newest version of the schemas that this importer was checked with."""

_SAMPLES = "_samples.jsonl"

_KEYS = (
    b'"schema_version"',
    b'"evaluation_id"',
    b'"retrieved_timestamp"',
    b'"source_metadata"',
    b'"model_info"',
)
"""Keys of an aggregate; a file that begins with most of them is one."""
_KEYS_NEEDED = 3

_FACTS = ("model", "scaffold_version", "url", "model_license")
_WEIGHTS = {"open_weights": True, "closed_weights": False}


def _or_none(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:  # noqa: ANN401 - anything in a file
    """Return a value as its field has it; None where it is of another type."""
    try:
        return validate(value)
    except ValidationError:
        return None


_OR_NONE = WrapValidator(_or_none)
Text = Annotated[str | None, _OR_NONE]
Number = Annotated[Annotated[float, Field(ge=-LIMIT, le=LIMIT)] | None, _OR_NONE]
Count = Annotated[Annotated[int, Field(ge=0, le=LIMIT)] | None, _OR_NONE]
Table = Annotated[dict[str, Any] | None, _OR_NONE]


class Result(Told):
    """One figure of a record."""

    evaluation_result_id: Text = None
    evaluation_name: Text = None
    evaluation_timestamp: Text = None
    description: Text = at("metric_config", "evaluation_description")
    metric_id: Text = at("metric_config", "metric_id")
    metric_kind: Text = at("metric_config", "metric_kind")
    unit: Text = at("metric_config", "metric_unit")
    score_type: Text = at("metric_config", "score_type")
    stated_direction: Annotated[bool | None, _OR_NONE] = at("metric_config", "lower_is_better")
    least: Annotated[float | str | None, _OR_NONE] = at("metric_config", "min_score")
    most: Annotated[float | str | None, _OR_NONE] = at("metric_config", "max_score")
    level_names: Annotated[list[Any] | None, _OR_NONE] = at("metric_config", "level_names")
    has_unknown_level: Annotated[bool | None, _OR_NONE] = at("metric_config", "has_unknown_level")
    details: Table = at("metric_config", "additional_details")
    score: Number = at("score_details", "score")
    error: Number = at("score_details", "uncertainty", "standard_error", "value")
    number: Count = at("score_details", "uncertainty", "num_samples")
    generation: Table = at("generation_config", "generation_args")
    generation_details: Table = at("generation_config", "additional_details")

    @property
    def id(self) -> str:
        """What lines name it by."""
        return self.evaluation_result_id or self.evaluation_name or "a result without a name"

    @property
    def names(self) -> set[str]:
        """What lines may name it by."""
        return {name for name in (self.id, self.evaluation_name) if name}

    @property
    def is_lower_better(self) -> bool:
        """Whether a lower score is better."""
        return self.stated_direction is True

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The least and the largest score; None where they are not stated, or infinite."""
        least, most = number_of(self.least), number_of(self.most)
        return (least, most) if least is not None and most is not None and least < most else None

    @property
    def is_unbounded(self) -> bool:
        """Whether it is stated that there is no least or no largest score."""
        infinite = {"Infinity", "-Infinity"}
        return self.least in infinite or self.most in infinite

    @property
    def is_dispersion(self) -> bool:
        """Whether it says how far scores vary, which is no score."""
        return (
            self.metric_kind == "dispersion"
            or (self.details or {}).get("polarity") == "not_applicable"
        )

    @property
    def is_percent(self) -> bool:
        """Whether its unit is percent."""
        return "percent" in (self.unit or "").lower() or (self.unit or "").strip() == "%"

    @property
    def scale(self) -> str:
        """Its bounds, in words."""
        return f"from {self.least} to {self.most}"

    def reward(self, score: float) -> float | None:
        """Return a score as a share of its bounds, 1 the best; None where it has none, or lies outside."""
        if self.bounds is None or not self.bounds[0] <= score <= self.bounds[1]:
            return None
        share = (score - self.bounds[0]) / (self.bounds[1] - self.bounds[0])
        return 1 - share if self.is_lower_better else share

    @property
    def stated_share(self) -> float | None:
        """The record's own figure as a reward, in the unit that it states; None where that is not known."""
        if self.score is None:
            return None
        if self.bounds:
            return self.reward(self.score)
        share = self.score / 100 if self.is_percent else self.score
        return (
            share
            if 0 <= share <= 1 and not self.is_lower_better and not self.is_unbounded
            else None
        )


class Aggregate(Told):
    """What an aggregate states beside its results."""

    schema_version: Text = None
    evaluation_id: Annotated[str, _OR_NONE] = ""
    evaluation_timestamp: Text = None
    retrieved_timestamp: Text = None
    source: Text = at("source_metadata", "source_name")
    organization: Text = at("source_metadata", "source_organization_name")
    address: Text = at("source_metadata", "source_organization_url")
    exported: Table = at("source_metadata", "additional_details")
    library: Text = at("eval_library", "name")
    version: Text = at("eval_library", "version")
    stated_name: Text = at("model_info", "name")
    model_id: Text = at("model_info", "id")
    developer: Text = at("model_info", "developer")
    platform: Text = at("model_info", "inference_platform")
    engine: Text = at("model_info", "inference_engine", "name")
    details: Table = at("model_info", "additional_details")
    results: Annotated[list[Any] | None, _OR_NONE] = at("evaluation_results")
    samples: Text = at("detailed_evaluation_results", "file_path")
    hash_algorithm: Text = at("detailed_evaluation_results", "hash_algorithm")
    checksum: Text = at("detailed_evaluation_results", "checksum")
    total_rows: Count = at("detailed_evaluation_results", "total_rows")

    @property
    def model(self) -> str:
        """The model's id, else its name."""
        return self.model_id or self.stated_name or ""

    @property
    def name(self) -> str:
        """The model's name, else its id."""
        return self.stated_name or self.model_id or ""

    @property
    def evaluation_results(self) -> list[Result]:
        """Its results; what is no table is passed over."""
        return [
            Result.model_validate(result)
            for result in self.results or ()
            if isinstance(result, dict)
        ]


@dataclass(frozen=True, slots=True)
class Record:
    """An aggregate with the file of its samples, if it has one."""

    path: Path
    aggregate: Aggregate
    results: tuple[Result, ...]
    samples: Path | None
    digest: str
    """By which copies of the record are known."""

    @property
    def benchmark(self) -> str:
        """What the results are of: the collection that the record lies in, else as its id begins."""
        parts = self.path.absolute().parts
        in_collection = parts[-5:-4] == ("data",)
        return (
            parts[-4]
            if in_collection
            else (self.aggregate.evaluation_id or "").partition("/")[0] or "unknown"
        )

    @property
    def unit(self) -> str:
        """What was run: several records of one benchmark may be of several parts of it."""
        return next(
            (result.evaluation_name for result in self.results if result.evaluation_name), ""
        )

    @property
    def exported(self) -> dict[str, str]:
        """What `sitegen export` says of where the record comes from; nothing where another program wrote it."""
        stated = {
            key: value
            for key, value in (self.aggregate.exported or {}).items()
            if isinstance(value, str)
        }
        return stated if stated.get("submission", "").count("/") == 2 else {}  # noqa: PLR2004 - benchmark, track, id

    @property
    def ids(self) -> tuple[str, ...]:
        """Benchmark, track and submission that it was exported from; none where another program wrote it."""
        return tuple(self.exported["submission"].split("/")) if self.exported else ()

    def detail(self, name: str) -> str:
        """Return a detail that the record states about the model beside its name."""
        value = (self.aggregate.details or {}).get(name)
        return named(value.removeprefix("unknown")) if isinstance(value, str) else ""

    @property
    def entrant(self) -> Entrant:
        """Whoever made the results, as `sitegen export` writes agents."""
        name = named(self.aggregate.name) if self.exported else short(self.aggregate.name)
        return Entrant(name, self.detail("scaffold"), self.detail("reasoning"))

    @property
    def facts(self) -> dict[str, object]:
        """What else is told of the agent."""
        aggregate = self.aggregate
        if not self.exported:
            developer = named((aggregate.developer or "").removeprefix("unknown"))
            return {"organization": developer or owner_of(aggregate.model)}
        facts: dict[str, object] = {key: self.detail(key) for key in _FACTS}
        facts["organization"] = (aggregate.developer or "").removeprefix("unknown")
        facts["open_weights"] = _WEIGHTS.get(self.detail("model_availability"))
        facts["free"] = True if self.detail("free") == "True" else None
        return facts

    @property
    def provenance(self) -> Provenance:
        """What ran it."""
        library, version = (
            named((stated or "").removeprefix("unknown"))
            for stated in (self.aggregate.library, self.aggregate.version)
        )
        return (
            Provenance(harness=library, harness_version=version or None)
            if library
            else Provenance()
        )

    @property
    def moment(self) -> datetime | None:
        """When the evaluation was run, if that is aggregate."""
        stamps = (
            self.aggregate.evaluation_timestamp,
            *(result.evaluation_timestamp for result in self.results),
        )
        return next(filter(None, map(moment_of, stamps)), None)

    @property
    def retrieved(self) -> Date | None:
        """The day on which somebody fetched it."""
        fetched = moment_of(self.aggregate.retrieved_timestamp)
        return fetched.date() if fetched else None

    @property
    def source(self) -> str:
        """Who says so."""
        names = dict.fromkeys(filter(None, (self.aggregate.source, self.aggregate.organization)))
        words = ", ".join([*names, *filter(None, (self.aggregate.address,))])
        return words or "Every Eval Ever"


def moment_of(stamp: str | None) -> datetime | None:
    """A time, be it in seconds since 1970 or as ISO 8601 has it."""
    with suppress(ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(float(stamp or ""), UTC)
    return moment(stamp)


def is_record(path: Path) -> bool:
    """Whether a file is an aggregate, by how it begins."""
    head = (read_head(path, 8192) if path.suffix == ".json" else None) or b""
    return sum(key in head for key in _KEYS) >= _KEYS_NEEDED


def find_records(tree: Tree, report: Report) -> list[Record]:
    """Return the records of a source.

    What can't be read, or lacks its other half, is left out by name where there are other records; a file that is cut
    off is an error.
    """
    records: list[Record] = []
    broken: list[Problem] = []
    for folder in tree.walk():
        tree.pass_over_archives(folder)
        left = {name for name in folder.files if name.endswith(_SAMPLES)}
        for name in folder.files:
            if not is_record(folder.path / name):
                continue
            left.discard(name.removesuffix(".json") + _SAMPLES)
            content, problems = read_table(folder.path / name)
            for problem in problems:
                (report.problems if problem.code == rules.CUT_OFF.code else broken).append(problem)
            if content is None:
                continue
            record = _record(folder, name, content)
            if record.aggregate.model and record.results:
                records.append(record)
            else:
                lacks = "results" if record.aggregate.model else "a model"
                message = f"{name} is a record without {lacks}"
                broken.append(rules.SOURCE_BROKEN.broken(folder.path / name, None, message))
        for name in sorted(left):
            message = f"there is no aggregate {name.removesuffix(_SAMPLES)}.json of these samples"
            broken.append(rules.SOURCE_BROKEN.broken(folder.path / name, None, message))
    if not records:
        report.problems += broken
    for problem in broken if records else ():
        report.doubt(
            rules.LEFT_OUT, problem.path, report.name(problem.path), one_line(problem.what)
        )
    return records


def _record(folder: Folder, name: str, content: Mapping[str, Any]) -> Record:
    """Return a record, with the file of its samples."""
    aggregate = Aggregate.model_validate(content)
    samples = None
    for beside in (name.removesuffix(".json") + _SAMPLES, Path(aggregate.samples or "").name):
        samples = samples or folder.file(beside)
    paths = [folder.path / name]
    digest = "".join(
        digest_of([path]) or "" for path in (paths if samples is None else [*paths, samples])
    )
    return Record(
        folder.path / name, aggregate, tuple(aggregate.evaluation_results), samples, digest
    )


def shown_records(records: Iterator[Record] | list[Record], report: Report) -> str:
    """Return records by the names of their files."""
    return listed(report.name(record.path) for record in records)
