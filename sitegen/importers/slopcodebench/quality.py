"""Measurements of the code, each under the version of the definition that it follows.

Erosion had five definitions (E0 to E4) and verbosity three (V0, V3, V4), and values of two versions don't compare.
Which of them a row's figures follow depends on the generation of the runner that wrote it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sitegen.importers.caveats import Doubt
from sitegen.importers.slopcodebench import rules
from sitegen.importers.slopcodebench.rows import Row
from sitegen.metrics import produced
from sitegen.problems import counted

Key = tuple[str, int]
"""Problem and number of a checkpoint."""

EROSION, VERBOSITY = produced.EROSION.id, produced.VERBOSITY.id

_EXTREME_WEIGHT = 2
"""What a function of extreme complexity counts in E1, beside those of high complexity."""


@dataclass(frozen=True, slots=True)
class Definition:
    """One version of a definition, as the rows of some generation hold it."""

    name: str
    version: str
    value: Callable[[Row], float | None]

    @property
    def key(self) -> str:
        """How a measurement by it is named."""
        return f"{self.name}@{self.version}"


@dataclass(frozen=True, slots=True)
class Quality:
    """The measurements of a run."""

    rows: Mapping[Key, Row]
    definitions: Sequence[Definition]
    is_blind: bool
    """Whether the analyser of patterns found nothing in the whole run: a missing one is written as clean code."""

    def measures(self, key: Key) -> dict[str, float]:
        """Give the measurements of a checkpoint; none where it has no row."""
        row = self.rows.get(key)
        if row is None:
            return {}
        told = {each.key: each.value(row) for each in self.definitions if _has_code(row)}
        told |= {"source_lines": row.source_lines, "total_lines": row.total_lines}
        return {name: float(value) for name, value in told.items() if value is not None}

    def doubts(self) -> Iterator[Doubt]:
        """Say once what was not measured."""
        rows = [row for row in self.rows.values() if _has_code(row)]
        missing = [what for name in (EROSION, VERBOSITY) if (what := self._missing(name, rows))]
        if missing:
            yield rules.ANALYSER_MISSING, "; ".join(missing)

    def _missing(self, name: str, rows: Sequence[Row]) -> str | None:
        told = sum(any(each.value(row) is not None for each in self.definitions if each.name == name) for row in rows)
        if told == len(rows):
            return None
        what = f"{name} is not measured at {len(rows) - told} of {counted(len(rows), 'checkpoint')} with code"
        return what + ("" if told else self._why(name))

    def _why(self, name: str) -> str:
        """Say what leaves a run without any measurement of one name."""
        if any(each.key == _E4.key for each in self.definitions):
            return ": no row has any, as where `scb-check` is not installed"
        if name == VERBOSITY and self.is_blind:
            return ": `ast_grep_violations` is 0 in every row, as where the analyser is not installed"
        return ""


def quality_of(rows: Mapping[Key, Row], *, by_scb_check: bool) -> Quality:
    """Take the measurements out of a run's rows.

    Args:
        rows: The rows.
        by_scb_check: Whether the run is of the generation whose erosion and verbosity come from `scb-check`.
    """
    if by_scb_check or any(row.scb_check is not None for row in rows.values()):
        return Quality(rows, _LATEST, is_blind=False)
    offered = _definitions(list(rows.values()))
    is_blind = not any(row.ast_grep_violations for row in rows.values())
    # Without the analyser, what is left of verbosity counts clones alone, or nothing.
    return Quality(rows, [each for each in offered if not is_blind or each.name != VERBOSITY], is_blind)


def _definitions(rows: Sequence[Row]) -> Sequence[Definition]:
    """Give the definitions that rows without `scb-check` follow."""
    if any(row.is_later for row in rows):
        return _LATER
    return (_E2 if any(row.concentration is not None for row in rows) else _E1, _V0)


def _has_code(row: Row) -> bool:
    return bool(row.loc or row.sloc or row.total_lines)


def _complex_share(row: Row) -> float | None:
    """Give the share of complexity that complex functions hold: the runner's own figure, without `scb-check`."""
    return row.high_cc_share if row.high_cc_share is not None and row.high_cc_share <= 1 else None


def _e3(row: Row) -> float | None:
    share = _complex_share(row)
    return row.erosion if share is None else share


def _v3(row: Row) -> float | None:
    """Give the share of lines that a pattern flags or that are cloned."""
    return row.verbosity if row.verbosity is not None else row.verbosity_flagged_pct


def _e1(row: Row) -> float | None:
    """Give complex functions a function, and lint errors a line. Summaries call E0 the same, so it is computed."""
    functions = row.functions + row.methods
    if not functions or row.cc_high_count is None or row.cc_extreme_count is None:
        return None
    complex_functions = row.cc_high_count + _EXTREME_WEIGHT * row.cc_extreme_count
    return complex_functions / functions + (row.lint_per_loc or 0)


def _v0(row: Row) -> float | None:
    """Give flags a line, and wrappers and functions used once a function; only where the judge of style was asked."""
    functions = row.functions + row.methods
    if not functions or not row.loc or row.ast_grep_violations is None or row.rubric_total_flags is None:
        return None
    wrappers = (row.trivial_wrappers or 0) + (row.single_use_functions or 0)
    return (row.ast_grep_violations + row.rubric_total_flags) / row.loc + wrappers / functions


_E1 = Definition(EROSION, "E1", _e1)
_E2 = Definition(EROSION, "E2", lambda row: row.concentration)
_V0 = Definition(VERBOSITY, "V0", _v0)
_LATER = (Definition(EROSION, "E3", _e3), Definition(VERBOSITY, "V3", _v3))
_E4 = Definition(EROSION, "E4", lambda row: row.erosion)
_LATEST = (
    _E4,
    Definition(VERBOSITY, "V4", lambda row: row.verbosity),
    Definition("complex_share", "E3", _complex_share),
)
