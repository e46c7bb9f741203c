"""Turns the rows of a table into records of rounds."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass as plain_dataclass
from dataclasses import replace
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from sitegen.importers.kit.redaction import one_line, redacted
from sitegen.importers.table import rules
from sitegen.importers.table.columns import BESIDE_ROUNDS
from sitegen.importers.table.contradictions import contradictions
from sitegen.importers.table.faults import Faults, shown
from sitegen.importers.table.reading import Values
from sitegen.models.outcome import RoundResult
from sitegen.models.record import CLOSED, is_slug

_EMPTY = {"no_cases", "aborted", "unreached", "fast_forwarded"}
"""States of rounds that have no verdict on cases: they earn 0."""

_Told = Annotated[str, Field(min_length=1, max_length=200)]


@dataclass(frozen=True, slots=True, config=CLOSED)
class Beside:
    """What a row tells beside its round."""

    agent: _Told | None = None
    organization: _Told | None = None
    model: _Told | None = None
    scaffold: _Told | None = None
    scaffold_version: _Told | None = None
    reasoning: _Told | None = None
    weight: Annotated[float, Field(ge=1e-9, le=1e9)] | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """What the agent may be asked for by: its name, and that of its model."""
        return tuple(filter(None, (self.agent, self.model)))


@plain_dataclass(frozen=True, slots=True)
class Row:
    """A row of a table."""

    line: int
    result: RoundResult
    beside: Beside


_ROUND, _BESIDE = TypeAdapter(RoundResult), TypeAdapter(Beside)


def read_records(rows: Iterable[tuple[int, Values]], faults: Faults) -> Iterator[Row]:
    """Make a record of each row that can be used.

    Args:
        rows: What rows tell, each with its line.
        faults: Takes what is wrong with the others.
    """
    kinds: dict[Beside, Beside] = {}
    for line, values in rows:
        try:
            result = _clean(_ROUND.validate_json(_json(_completed(values))))
            beside = _BESIDE.validate_json(_json({key: values[key] for key in values if key in BESIDE_ROUNDS}))
        except ValidationError as error:
            _tell(faults, line, error)
            continue
        odd = list(_oddities(result))
        for kind, what in odd:
            faults.add(rules.VALUE, kind, line, what)
        for what in [] if odd else contradictions(result):
            faults.add(rules.CONTRADICTION, what.split(" ", maxsplit=1)[0], line, what)
        yield Row(line, result, kinds.setdefault(beside, beside))


def _completed(values: Values) -> dict[str, object]:
    """Say aloud what a row takes for granted: the state of a round with a verdict, and the zeros of one without."""
    told = {key: value for key, value in values.items() if key not in BESIDE_ROUNDS}
    told.setdefault("state", "no_cases" if told.get("total") == 0 else "scored")
    if told["state"] in _EMPTY:
        for key in ("reward", "passed", "total"):
            told.setdefault(key, 0)
    return told


def _clean(result: RoundResult) -> RoundResult:
    """Keep keys and folders of somebody's machine out of what is published."""
    if result.cause is None and result.case_ids is None:
        return result
    cause = one_line(result.cause) if result.cause else None
    return replace(result, cause=cause, case_ids=tuple(map(redacted, result.case_ids)) if result.case_ids else None)


def _json(values: object) -> str:
    return json.dumps(values, ensure_ascii=True)


def _tell(faults: Faults, line: int, error: ValidationError) -> None:
    for detail in error.errors(include_url=False):
        column = str(detail["loc"][0]) if detail["loc"] else "the row"
        if detail["type"] in {"missing", "missing_argument"}:
            faults.add(rules.VALUE, column, line, f"`{column}` is empty")
        else:
            what = f"`{column}` is {shown(detail['input'])}: {detail['msg'].lower()}"
            faults.add(rules.VALUE, f"{column} {detail['type']}", line, what)


def _oddities(result: RoundResult) -> Iterator[tuple[str, str]]:
    """Say which values can't stand in a bundle, though they are of their column's kind."""
    if not is_slug(result.task):
        allowed = "an id has lower-case letters, digits, `-` and `_` only, and begins with a letter or digit"
        yield "task", f"`task` is {shown(result.task)}: {allowed}"
    if result.state == "excluded":
        yield "state", "`state` is 'excluded', which needs a finding that says why: exclude rounds in findings.toml"
    if result.start == "reference" and result.attempt > 1:
        yield "start", f"`attempt` is {result.attempt}: rounds from the reference state are run once"
