"""Read the results for a task's documents: one line for each document and filter."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sitegen.importers.kit import rules
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.lines import read_objects
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.lm_eval.files import TaskOutput, as_list, as_text
from sitegen.problems import ProblemsError

MetricValues = dict[str, object]
"""Values of a document, keyed by metric, as its line states them."""


@dataclass(slots=True)
class Documents:
    """The contents of a file of documents."""

    path: Path
    values: dict[str, dict[str, MetricValues]] = field(default_factory=dict)
    """The values of the metrics, keyed by filter and then by document."""
    digests: dict[str, str] = field(default_factory=dict)
    """The harness's checksum of each document, if it states one."""
    faults: dict[str, str] = field(default_factory=dict)
    """Why documents have no verdict, keyed by document."""
    lost_lines: list[int] = field(default_factory=list)
    """Numbers of the lines that name no document."""

    @property
    def names(self) -> list[str]:
        """The names of the documents, in the order of the file."""
        names: dict[str, None] = {}
        for values_by_name in self.values.values():
            names |= dict.fromkeys(values_by_name)
        return list(names)

    def metric_values(self, metric: str, filter_name: str) -> list[object]:
        """Return a metric's value for each document under a filter; None for a missing value."""
        values_by_name = self.values.get(filter_name, {})
        return [values.get(metric) for values in values_by_name.values()]

    def has_metric(self, metric: str, filter_name: str) -> bool:
        """Return whether every document under a filter has a metric."""
        values_by_name = self.values.get(filter_name, {})
        return all(metric in values for values in values_by_name.values())


def read_documents(output: TaskOutput, path: Path, log: ImportLog) -> Documents:
    """Return the contents of a file of documents; a truncated file is reported as an error."""
    documents = Documents(path)
    filters: dict[str, None] = {}
    metrics: dict[str, None] = {}
    for score in output.file.scores(output.task):
        filters[score.filter] = None
        metrics[score.metric] = None
    filter_names = list(filters) or ["none"]
    copies = 0
    try:
        for line in read_objects(path):
            if line.is_cut:
                message = f"{path.name} ends in the middle of its last line"
                log.add(rules.CUT_OFF, path, message, line.number)
                return documents
            name = _parse_name(line.value)
            if line.value is None or name is None:
                documents.lost_lines.append(line.number)
                continue
            filter_name = _choose_filter(line.value, name, documents, filter_names)
            values = _parse_values(line.value, metrics)
            copies += _add_values(name, filter_name, values, documents)
            _add_digest(line.value, name, documents)
    except ProblemsError as error:
        log.problems += error.problems
    if copies:
        note = f"{log.name(path)}: {copies} lines repeat earlier lines, which count once"
        log.notes.append(note)
    return documents


def _add_values(name: str, filter_name: str, values: MetricValues, documents: Documents) -> bool:
    """Add the values of a line, and return whether it is a copy of an earlier line.

    A document with different values in two lines is recorded as faulty.
    """
    values_by_name = documents.values.setdefault(filter_name, {})
    if name not in values_by_name:
        values_by_name[name] = values
        return False
    # The text is compared because NaN is not equal to itself.
    if repr(values_by_name[name]) == repr(values):
        return True
    documents.faults[name] = "the file has two different results of this document"
    return False


def _parse_name(line: Mapping[str, Any] | None) -> str | None:
    """Return the name of a line's document; None if it is missing or unusable."""
    value = (line or {}).get("doc_id")
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if type(value) is int and value >= 0:
        return str(value)
    return None


def _choose_filter(
    line: Mapping[str, Any], name: str, documents: Documents, filters: list[str]
) -> str:
    """Return the filter to which a line belongs.

    Versions before 0.4.7 do not state the filter: they write all documents under the first filter,
    then all documents under the next filter.
    """
    stated = as_text(line.get("filter"))
    if stated:
        return stated
    for filter_name in filters:
        if name not in documents.values.get(filter_name, {}):
            return filter_name
    return filters[0]


def _parse_values(line: Mapping[str, Any], metrics: Collection[str]) -> MetricValues:
    """Return the values of a line by metric; None for a metric that is listed without a value."""
    listed_metrics = as_list(line.get("metrics"))
    names = [name for name in listed_metrics if isinstance(name, str)]
    names = names or [name for name in metrics if name in line]
    return {name: line.get(name) for name in names}


def _add_digest(line: Mapping[str, Any], name: str, documents: Documents) -> None:
    """Add the checksum of a document; a document with two different checksums is faulty."""
    digest = one_line(as_text(line.get("doc_hash")))
    if digest and documents.digests.setdefault(name, digest) != digest:
        documents.faults[name] = "its lines have different values of `doc_hash`"
