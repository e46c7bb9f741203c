"""Find the records in a source, and parse their aggregates, whose values may be of any type."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from datetime import date as Date  # noqa: N812 - as in the models
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import (
    RankedAgent,
    clean_agent_name,
    model_owner,
    short_model_name,
)
from sitegen.importers.kit.file_records import FileRecord, nested_field
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.lines import read_table
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.times import parse_timestamp
from sitegen.importers.kit.tree import Folder, SourceTree, digest_of
from sitegen.importers.kit.values import figure_of
from sitegen.models.record import LIMIT
from sitegen.models.submission import Provenance
from sitegen.problems import Problem
from sitegen.reading.files import read_head

NEWEST = "0.3"
"""The newest version of the schemas with which this importer was checked."""

_SAMPLES_SUFFIX = "_samples.jsonl"

_HEAD_SIZE = 8192
_AGGREGATE_KEYS = (
    b'"schema_version"',
    b'"evaluation_id"',
    b'"retrieved_timestamp"',
    b'"source_metadata"',
    b'"model_info"',
)
_MIN_AGGREGATE_KEYS = 3
"""Minimum number of these keys at the beginning of a file for it to be an aggregate."""

_DETAIL_FACTS = ("model", "scaffold_version", "url", "model_license")
"""Facts about an agent that `sitegen export` writes as details."""
_HAS_OPEN_WEIGHTS = {"open_weights": True, "closed_weights": False}


def _validate_or_none(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:  # noqa: ANN401
    """Return a value as validated by its field; None if the value is not valid."""
    try:
        return validate(value)
    except ValidationError:
        return None


def _validate_list(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:  # noqa: ANN401
    """Return a value as a list; an empty list if the value is of another type."""
    return _validate_or_none(value, validate) or []


def _validate_table(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:  # noqa: ANN401
    """Return a value as a dict; an empty dict if the value is of another type."""
    return _validate_or_none(value, validate) or {}


def _nested_list(*keys: str) -> Any:  # noqa: ANN401 - as for `nested_field`
    return nested_field(*keys, default=[])


def _nested_table(*keys: str) -> Any:  # noqa: ANN401 - as for `nested_field`
    return nested_field(*keys, default={})


_OR_NONE = WrapValidator(_validate_or_none)
Text = Annotated[str | None, _OR_NONE]
Flag = Annotated[bool | None, _OR_NONE]
Number = Annotated[Annotated[float, Field(ge=-LIMIT, le=LIMIT)] | None, _OR_NONE]
Count = Annotated[Annotated[int, Field(ge=0, le=LIMIT)] | None, _OR_NONE]
Bound = Annotated[float | str | None, _OR_NONE]
List = Annotated[list[Any], WrapValidator(_validate_list)]
Table = Annotated[dict[str, Any], WrapValidator(_validate_table)]


def scale_score(
    score: float, bounds: tuple[float, float], *, is_lower_better: bool
) -> float | None:
    """Return a score as a share of its bounds, where 1 is best; None if it is out of bounds."""
    lowest, highest = bounds
    if not lowest <= score <= highest:
        return None
    share = (score - lowest) / (highest - lowest)
    if is_lower_better:
        return 1 - share
    return share


class AggregateResult(FileRecord):
    """One evaluation result of a record: a score and a description of its metric."""

    evaluation_result_id: Text = None
    evaluation_name: Text = None
    evaluation_timestamp: Text = None
    dataset: Text = nested_field("source_data", "dataset_name")
    description: Text = nested_field("metric_config", "evaluation_description")
    metric_id: Text = nested_field("metric_config", "metric_id")
    metric_kind: Text = nested_field("metric_config", "metric_kind")
    unit: Text = nested_field("metric_config", "metric_unit")
    score_type: Text = nested_field("metric_config", "score_type")
    stated_direction: Flag = nested_field("metric_config", "lower_is_better")
    min_score: Bound = nested_field("metric_config", "min_score")
    max_score: Bound = nested_field("metric_config", "max_score")
    level_names: List = _nested_list("metric_config", "level_names")
    has_unknown_level: Flag = nested_field("metric_config", "has_unknown_level")
    details: Table = _nested_table("metric_config", "additional_details")
    score: Number = nested_field("score_details", "score")
    standard_error: Number = nested_field("score_details", "uncertainty", "standard_error", "value")
    sample_count: Count = nested_field("score_details", "uncertainty", "num_samples")
    generation: Table = _nested_table("generation_config", "generation_args")
    generation_details: Table = _nested_table("generation_config", "additional_details")

    @property
    def id(self) -> str:
        """The name by which sample lines refer to the result."""
        return self.evaluation_result_id or self.evaluation_name or "a result without a name"

    @property
    def metric_name(self) -> str:
        """The last part of the id: the metric, in records that `sitegen export` wrote."""
        return self.id.rpartition(".")[2]

    @property
    def names(self) -> set[str]:
        """All names by which sample lines may refer to the result."""
        return {self.id, self.evaluation_name or self.id}

    @property
    def is_lower_better(self) -> bool:
        """Whether a lower score is better."""
        return self.stated_direction is True

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The lowest and highest possible score; None if they are not stated or not finite."""
        lowest = figure_of(self.min_score)
        highest = figure_of(self.max_score)
        if lowest is None or highest is None or lowest >= highest:
            return None
        return lowest, highest

    @property
    def is_unbounded(self) -> bool:
        """Whether the record states that there is no lowest or no highest score."""
        infinite = {"Infinity", "-Infinity"}
        return self.min_score in infinite or self.max_score in infinite

    @property
    def is_dispersion(self) -> bool:
        """Whether the result measures the variation of scores and is not itself a score."""
        if self.metric_kind == "dispersion":
            return True
        return self.details.get("polarity") == "not_applicable"

    @property
    def is_percent(self) -> bool:
        """Whether the result's unit is percent."""
        unit = (self.unit or "").lower()
        return "percent" in unit or unit.strip() == "%"

    @property
    def shown_bounds(self) -> str:
        """The stated bounds, as a phrase: "from 0 to 1"."""
        return f"from {self.min_score} to {self.max_score}"

    def reward(self, score: float) -> float | None:
        """Return a score as a share of its bounds, where 1 is best; None if out of bounds."""
        if self.bounds is None:
            return None
        return scale_score(score, self.bounds, is_lower_better=self.is_lower_better)

    @property
    def stated_share(self) -> float | None:
        """The score as a reward, converted by its bounds or unit; None if that is impossible."""
        if self.score is None:
            return None
        if self.bounds:
            return self.reward(self.score)
        if self.is_lower_better or self.is_unbounded:
            return None
        share = self.score
        if self.is_percent:
            share /= 100
        if not 0 <= share <= 1:
            return None
        return share


class Aggregate(FileRecord):
    """An aggregate whose results have not been parsed yet."""

    schema_version: Text = None
    evaluation_id: Annotated[str, _OR_NONE] = ""
    evaluation_timestamp: Text = None
    retrieved_timestamp: Text = None
    source: Text = nested_field("source_metadata", "source_name")
    organization: Text = nested_field("source_metadata", "source_organization_name")
    organization_url: Text = nested_field("source_metadata", "source_organization_url")
    source_details: Table = _nested_table("source_metadata", "additional_details")
    library: Text = nested_field("eval_library", "name")
    library_version: Text = nested_field("eval_library", "version")
    model_name: Text = nested_field("model_info", "name")
    model_id: Text = nested_field("model_info", "id")
    developer: Text = nested_field("model_info", "developer")
    platform: Text = nested_field("model_info", "inference_platform")
    engine: Text = nested_field("model_info", "inference_engine", "name")
    details: Table = _nested_table("model_info", "additional_details")
    results: List = _nested_list("evaluation_results")
    samples: Text = nested_field("detailed_evaluation_results", "file_path")
    hash_algorithm: Text = nested_field("detailed_evaluation_results", "hash_algorithm")
    checksum: Text = nested_field("detailed_evaluation_results", "checksum")
    total_rows: Count = nested_field("detailed_evaluation_results", "total_rows")

    @property
    def model(self) -> str:
        """The id of the model, or else its name."""
        return self.model_id or self.model_name or ""

    @property
    def name(self) -> str:
        """The name of the model, or else its id."""
        return self.model_name or self.model_id or ""

    def parse_results(self) -> tuple[AggregateResult, ...]:
        """Return the parsed results; results that are not JSON objects are skipped."""
        results = []
        for table in self.results:
            if isinstance(table, dict):
                results.append(AggregateResult.model_validate(table))
        return tuple(results)


class SubmissionIds(NamedTuple):
    """The submission from which a record was exported."""

    benchmark: str
    track: str
    submission: str


@dataclass(frozen=True, slots=True)
class EvaluationRecord:
    """An aggregate with its results and the file of its samples, if there is such a file."""

    path: Path
    aggregate: Aggregate
    results: tuple[AggregateResult, ...]
    samples: Path | None
    digest: str
    """SHA-256 of the aggregate and of the samples, used to detect copies."""

    @property
    def benchmark(self) -> str:
        """The collection that contains the record, or else the beginning of its id."""
        folders = self.path.absolute().parts
        if folders[-5:-4] == ("data",):
            return folders[-4]
        return (self.aggregate.evaluation_id or "").partition("/")[0] or "unknown"

    @property
    def unit(self) -> str:
        """The part of the benchmark that was run; empty if no result names a part."""
        for result in self.results:
            if result.evaluation_name:
                return result.evaluation_name
        return ""

    @property
    def benchmark_part(self) -> tuple[str, str]:
        """The benchmark and the part of it that was run."""
        return self.benchmark, self.unit

    @property
    def exported(self) -> dict[str, str]:
        """The origin that `sitegen export` recorded; empty if another program wrote the record."""
        texts: dict[str, str] = {}
        for key, value in self.aggregate.source_details.items():
            if isinstance(value, str):
                texts[key] = value
        ids = texts.get("submission", "").split("/")
        if len(ids) != len(SubmissionIds._fields):
            return {}
        return texts

    @property
    def submission_ids(self) -> SubmissionIds:
        """The submission from which the record was exported; only exported records have it."""
        return SubmissionIds(*self.exported["submission"].split("/"))

    def detail(self, name: str) -> str:
        """Return a detail of the model; empty if it is not stated or stated as unknown."""
        value = self.aggregate.details.get(name)
        if not isinstance(value, str):
            return ""
        return clean_agent_name(_drop_unknown(value))

    @property
    def entrant(self) -> RankedAgent:
        """The agent, with the details that `sitegen export` writes."""
        name = short_model_name(self.aggregate.name)
        if self.exported:
            name = clean_agent_name(self.aggregate.name)
        return RankedAgent(name, self.detail("scaffold"), self.detail("reasoning"))

    @property
    def facts(self) -> dict[str, object]:
        """Other facts about the agent, by the field names of `Agent`."""
        developer = _drop_unknown(self.aggregate.developer)
        if not self.exported:
            organization = clean_agent_name(developer) or model_owner(self.aggregate.model)
            return {"organization": organization}
        facts: dict[str, object] = {key: self.detail(key) for key in _DETAIL_FACTS}
        availability = self.detail("model_availability")
        facts["organization"] = developer
        facts["open_weights"] = _HAS_OPEN_WEIGHTS.get(availability)
        facts["free"] = True if self.detail("free") == "True" else None
        return facts

    @property
    def provenance(self) -> Provenance:
        """The library that ran the evaluation, and its version, as a provenance."""
        library = clean_agent_name(_drop_unknown(self.aggregate.library))
        version = clean_agent_name(_drop_unknown(self.aggregate.library_version))
        if not library:
            return Provenance()
        return Provenance(harness=library, harness_version=version or None)

    @property
    def moment(self) -> datetime | None:
        """The time of the evaluation; None if it is not stated."""
        moment = parse_moment(self.aggregate.evaluation_timestamp)
        for result in self.results:
            moment = moment or parse_moment(result.evaluation_timestamp)
        return moment

    @property
    def retrieved(self) -> Date | None:
        """The day on which the record was retrieved; None if it is not stated."""
        moment_retrieved = parse_moment(self.aggregate.retrieved_timestamp)
        if moment_retrieved is None:
            return None
        return moment_retrieved.date()

    @property
    def source(self) -> str:
        """The names of the source and its publisher, and the publisher's address."""
        names = dict.fromkeys((self.aggregate.source, self.aggregate.organization))
        texts = filter(None, (*names, self.aggregate.organization_url))
        return ", ".join(texts) or "Every Eval Ever"


def _drop_unknown(text: str | None) -> str:
    """Return a text; empty for `unknown`, which converters write for missing values."""
    return (text or "").removeprefix("unknown")


def parse_moment(timestamp: str | None) -> datetime | None:
    """Return a time, given in seconds since 1970 or in ISO 8601; None if it is neither."""
    with suppress(ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(float(timestamp or ""), UTC)
    return parse_timestamp(timestamp)


def is_record(path: Path) -> bool:
    """Return whether a file is an aggregate, judging by its beginning."""
    if path.suffix != ".json":
        return False
    head = read_head(path, _HEAD_SIZE) or b""
    key_count = sum(key in head for key in _AGGREGATE_KEYS)
    return key_count >= _MIN_AGGREGATE_KEYS


def find_records(tree: SourceTree, log: ImportLog) -> list[EvaluationRecord]:
    """Return the records in a source, which may be a folder or the file of one aggregate.

    A record that can't be read, or whose aggregate or samples are missing, is left out and reported
    if there are other records; otherwise it is an error. A truncated file is always an error.
    """
    records: list[EvaluationRecord] = []
    broken: list[Problem] = []
    if tree.root.is_file():
        folder = SourceTree(tree.root.parent).look(tree.root.parent)
        names = [tree.root.name] if is_record(tree.root) else []
        records += _read_records(folder, names, broken)
    else:
        for folder in tree.walk():
            tree.pass_over_archives(folder)
            names = [name for name in folder.files if is_record(folder.path / name)]
            records += _read_records(folder, names, broken)
            broken += _find_lone_samples(folder, names)
    # Truncated files come first in the log.
    for problem in sorted(broken, key=lambda problem: problem.code != rules.CUT_OFF.code):
        if not records or problem.code == rules.CUT_OFF.code:
            log.problems.append(problem)
        else:
            name = log.name(problem.path)
            log.add_doubt(rules.LEFT_OUT, problem.path, name, one_line(problem.what))
    return records


def _read_records(
    folder: Folder, names: Iterable[str], broken: list[Problem]
) -> list[EvaluationRecord]:
    """Return the usable records in a folder, and add the problems of the others to `broken`."""
    records = [_read_record(folder, name, broken) for name in names]
    return [record for record in records if record is not None]


def _read_record(folder: Folder, name: str, broken: list[Problem]) -> EvaluationRecord | None:
    """Return the record of an aggregate; if it can't be used, add a problem and return None."""
    path = folder.path / name
    content, problems = read_table(path)
    broken += problems
    if content is None:
        return None
    record = _parse_record(folder, name, content)
    if record.aggregate.model and record.results:
        return record
    missing = "results" if record.aggregate.model else "a model"
    message = f"{name} is a record without {missing}"
    broken.append(rules.SOURCE_BROKEN.broken(path, None, message))
    return None


def _find_lone_samples(folder: Folder, aggregates: Iterable[str]) -> Iterator[Problem]:
    """Yield a problem for each file of samples whose aggregate is missing from the folder."""
    expected = {_samples_name(name) for name in aggregates}
    for name in folder.files:
        if name.endswith(_SAMPLES_SUFFIX) and name not in expected:
            aggregate = name.removesuffix(_SAMPLES_SUFFIX)
            message = f"there is no aggregate {aggregate}.json for these samples"
            yield rules.SOURCE_BROKEN.broken(folder.path / name, None, message)


def _samples_name(aggregate: str) -> str:
    """Return the name of the file of samples that belongs to an aggregate."""
    return aggregate.removesuffix(".json") + _SAMPLES_SUFFIX


def _parse_record(folder: Folder, name: str, content: Mapping[str, Any]) -> EvaluationRecord:
    """Return the record of an aggregate, with the file of its samples if there is one."""
    path = folder.path / name
    aggregate = Aggregate.model_validate(content)
    stated_samples = Path(aggregate.samples or "").name
    samples = folder.file(_samples_name(name)) or folder.file(stated_samples)
    digest = digest_of([path]) or ""
    if samples is not None:
        digest += digest_of([samples]) or ""
    return EvaluationRecord(path, aggregate, aggregate.parse_results(), samples, digest)
