"""Reads what came of each document of a task, a line for each document and filter."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sitegen.importers.kit import rules
from sitegen.importers.kit.lines import read_objects
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report
from sitegen.importers.lm_eval.files import TaskRun, text_of
from sitegen.problems import ProblemsError

Figures = dict[str, object]
"""Values of a document by metric, as the line has them."""


@dataclass(slots=True)
class Documents:
    """What a file of documents holds."""

    path: Path
    figures: dict[str, dict[str, Figures]] = field(default_factory=dict)
    """By filter and document."""
    digests: dict[str, str] = field(default_factory=dict)
    """The harness's checksum of each document, where it states one."""
    faults: dict[str, str] = field(default_factory=dict)
    """Why a document has no verdict, by document."""
    lost_lines: list[int] = field(default_factory=list)
    """Lines from which no document can be taken."""

    @property
    def names(self) -> list[str]:
        """The documents, in the order of the file."""
        names = dict.fromkeys(name for documents in self.figures.values() for name in documents)
        return list(names)

    def values(self, metric: str, filter_name: str) -> dict[str, object]:
        """Return the value of each document that has a line under a filter; None where the line has no value."""
        documents = self.figures.get(filter_name, {})
        return {name: figures.get(metric) for name, figures in documents.items()}


def read_documents(task_run: TaskRun, path: Path, report: Report) -> Documents:
    """Return what a file of documents holds; a file that is cut off becomes an error of the report."""
    documents = Documents(path)
    scores = task_run.file.scores(task_run.task)
    filters = list(dict.fromkeys(score.filter for score in scores)) or ["none"]
    metrics = list(dict.fromkeys(score.metric for score in scores))
    copies = 0
    try:
        for line in read_objects(path):
            if line.is_cut:
                report.add(
                    rules.CUT_OFF,
                    path,
                    f"{path.name} ends in the middle of its last line",
                    line.number,
                )
                return documents
            name = _document_of(line.value)
            if line.value is None or name is None:
                documents.lost_lines.append(line.number)
                continue
            filter_name = _filter_of(line.value, name, documents, filters)
            figures = _figures_of(line.value, metrics)
            known = documents.figures.setdefault(filter_name, {})
            if name not in known:
                known[name] = figures
            elif repr(known[name]) == repr(figures):
                copies += 1
            else:
                documents.faults[name] = "the file has two different results of this document"
            _keep_digest(line.value, name, documents)
    except ProblemsError as error:
        report.problems += error.problems
    if copies:
        report.notes.append(
            f"{report.name(path)}: {copies} lines are copies of others, and count once"
        )
    return documents


def _document_of(line: Mapping[str, Any] | None) -> str | None:
    """Return the name of the document that a line is about; None where it says none."""
    value = (line or {}).get("doc_id")
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if type(value) is int and value >= 0:
        return str(value)
    return None


def _filter_of(line: Mapping[str, Any], name: str, documents: Documents, filters: list[str]) -> str:
    """Return the filter that a line is about.

    Versions before 0.4.7 do not state it: they write all documents under the first filter, then all under the next.
    """
    stated = text_of(line.get("filter"))
    if stated:
        return stated
    for filter_name in filters:
        if name not in documents.figures.get(filter_name, {}):
            return filter_name
    return filters[0]


def _figures_of(line: Mapping[str, Any], metrics: list[str]) -> Figures:
    """Return the values of a line by metric: None for one that the line names and has no value of."""
    stated = line.get("metrics")
    names = [name for name in stated if isinstance(name, str)] if isinstance(stated, list) else []
    if names:
        return {name: line.get(name) for name in names}
    return {name: line[name] for name in metrics if name in line}


def _keep_digest(line: Mapping[str, Any], name: str, documents: Documents) -> None:
    """Keep the checksum of a document; two different ones make it a document without a verdict."""
    digest = one_line(text_of(line.get("doc_hash")))
    if digest and documents.digests.setdefault(name, digest) != digest:
        documents.faults[name] = "its lines are about different documents, by their `doc_hash`"
