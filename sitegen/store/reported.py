"""Reads a benchmark's published tables."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sitegen.board.claims import same_agent
from sitegen.metrics.catalogue import METRICS
from sitegen.models.benchmark import Benchmark
from sitegen.models.reported import Erratum, ReportedRow, ReportedTable
from sitegen.problems import Problem, Rule, limited, reasons
from sitegen.reading.shape import Location, suggestion
from sitegen.reading.toml import Places, read_toml
from sitegen.store.benchmarks import AXIS_UNKNOWN, LABEL_UNKNOWN, METRIC_UNKNOWN, TRACK_UNKNOWN
from sitegen.store.layout import BESIDE_SUBMISSIONS, NAME_RESERVED, NAME_TWICE, is_plain_folder

ROW_UNKNOWN = Rule(
    "ROW-UNKNOWN",
    "error",
    "An erratum names rows of its table.",
    "correct the row's id, or add the row",
    unwaivable=reasons.OWN,
)


def read_reported(
    folder: Path, benchmark: Benchmark, bundles: Collection[str]
) -> tuple[list[ReportedTable], list[Problem]]:
    """Read every published table of a benchmark."""
    tables: list[ReportedTable] = []
    problems: list[Problem] = []
    others: dict[str, dict[str, list[ReportedRow]]] = defaultdict(lambda: defaultdict(list))
    for path in sorted(folder.glob("*.toml")) if is_plain_folder(folder) else ():
        document = read_toml(path, ReportedTable)
        problems += document.problems
        if document.record:
            table = document.record
            rows = others[table.track]
            problems += limited(_Table(path, table, document.places, benchmark).problems(bundles, rows))
            for row in table.rows:
                rows[row.id].append(row)
            tables.append(table)
    return tables, problems


@dataclass(frozen=True, slots=True)
class _Table:
    """A published table beside its benchmark."""

    path: Path
    table: ReportedTable
    places: Places
    benchmark: Benchmark

    def problems(self, bundles: Collection[str], others: Mapping[str, Sequence[ReportedRow]]) -> Iterator[Problem]:
        """What contradicts the benchmark, or the rows of its other tables."""
        tracks = [track.id for track in self.benchmark.tracks]
        if self.table.track not in tracks:
            what = f"{self.benchmark.id} has no track `{self.table.track}`"
            yield self._broken(TRACK_UNKNOWN, ("track",), what, suggestion(self.table.track, tracks))
        seen = set(bundles)
        for index, row in enumerate(self.table.rows):
            same = partial(same_agent, row, name_of=self.benchmark.agent_name)
            if row.id in seen or not all(map(same, others.get(row.id, ()))):
                what = f"`{row.id}` names another row or a bundle already"
                yield self._broken(NAME_TWICE, ("rows", index, "id"), what)
            if row.id in BESIDE_SUBMISSIONS:
                what = f'"{row.id}" is an address of the site'
                yield self._broken(NAME_RESERVED, ("rows", index, "id"), what)
            seen.add(row.id)
            yield from self._figure_problems(("rows", index, "values"), row)
        for index, erratum in enumerate(self.table.errata):
            yield from self._erratum_problems(("errata", index), erratum)

    def _erratum_problems(self, place: Location, erratum: Erratum) -> Iterator[Problem]:
        rows = [row.id for row in self.table.rows]
        for index, row in enumerate(erratum.rows):
            if row not in rows:
                what = f"the table has no row `{row}`"
                yield self._broken(ROW_UNKNOWN, (*place, "rows", index), what, suggestion(row, rows))
        for index, metric in enumerate(erratum.metrics):
            if metric not in METRICS:
                yield self._metric_unknown((*place, "metrics", index), metric)
        for index, name in enumerate(erratum.axes):
            if name not in self.benchmark.axes:
                yield self._axis_unknown((*place, "axes", index), name)

    def _figure_problems(self, place: Location, row: ReportedRow) -> Iterator[Problem]:
        for metric, figure in row.values.items():
            if metric not in METRICS:
                yield self._metric_unknown((*place, metric), metric)
            for name, values in figure.groups.items():
                axis = self.benchmark.axes.get(name)
                where = (*place, metric, "groups", name)
                if axis is None:
                    yield self._axis_unknown(where, name)
                    continue
                for value in values if axis.values else ():
                    if value not in axis.values:
                        what = f'axis "{axis.title}" has no value "{value}"'
                        yield self._broken(LABEL_UNKNOWN, (*where, value), what, suggestion(value, axis.values))

    def _metric_unknown(self, place: Location, metric: str) -> Problem:
        what = f"the catalogue has no metric `{metric}`"
        return self._broken(METRIC_UNKNOWN, place, what, suggestion(metric, METRICS))

    def _axis_unknown(self, place: Location, name: str) -> Problem:
        what = f"`{name}` is no axis of {self.benchmark.id}"
        return self._broken(AXIS_UNKNOWN, place, what, suggestion(name, self.benchmark.axes))

    def _broken(self, rule: Rule, place: Location, what: str, fix: str | None = None) -> Problem:
        return rule.broken(self.path, self.places.line_of(place), what, fix)
