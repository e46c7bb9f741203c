"""Manifests are written so that people can read and edit them, and read back as they were."""

import tomllib
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sitegen.models.submission import Agent, Claims, Detail, Provenance, Status, Submission
from sitegen.publish.results import file_names
from sitegen.publish.results.records import parse_written_toml, table_in, toml
from sitegen.store.files import layout

FULL = """\
schema = 1
track = "official"
date = 2026-06-25
attempts = 2

[agent]
name = "Acme-1"
open_weights = false
model_released = 2026-05-01

[status]
state = "superseded"
by = "2026-07-01-acme-1"
date = 2026-07-01

[provenance]
dirty = false
seeds = [1, 2]
started = 2026-06-20T08:30:00+02:00
finished = 2026-06-21

[provenance.images]
main = "sha256:1f"

[detail]
cases = "all"

[claims]
source = "Table 2"
dataset_score = 42.0
perfect_tasks = 7
"erosion@scb-2026-03" = 0.680
"""

SUBMISSION = Submission(
    schema_version=1,
    track="official",
    date=date(2026, 6, 25),
    attempts=2,
    agent=Agent(name="Acme-1", open_weights=False, model_released=date(2026, 5, 1)),
    status=Status(state="superseded", by="2026-07-01-acme-1", date=date(2026, 7, 1)),
    provenance=Provenance(
        dirty=False,
        images={"main": "sha256:1f"},
        seeds=(1, 2),
        started=datetime(2026, 6, 20, 8, 30, tzinfo=timezone(timedelta(hours=2))),
        finished=date(2026, 6, 21),
    ),
    detail=Detail(cases="all"),
    claims=Claims.model_validate(
        {
            "source": "Table 2",
            "dataset_score": Decimal("42.0"),
            "perfect_tasks": Decimal(7),
            "erosion@scb-2026-03": Decimal("0.680"),
        }
    ),
)


def read(text: str) -> Submission:
    """Read a manifest whose lists hold whole numbers only."""
    raw = tomllib.loads(text, parse_float=Decimal)
    provenance = {key: tuple(value) if isinstance(value, list) else value for key, value in raw["provenance"].items()}
    return Submission.model_validate({**raw, "provenance": provenance})


def test_a_manifest_follows_the_schema_and_leaves_out_what_is_not_known() -> None:
    assert toml(SUBMISSION) == FULL


def test_a_manifest_reads_back_as_it_was() -> None:
    assert read(toml(SUBMISSION)) == SUBMISSION


@pytest.mark.parametrize("printed", ["0", "-3.10", "0.0000001", "1E+2", "100.00"])
def test_a_claim_keeps_the_decimals_that_were_printed(printed: str) -> None:
    written = toml(Claims.model_validate({"dataset_score": Decimal(printed)}))
    assert written == f"dataset_score = {Decimal(printed):f}\n"


def test_a_long_list_has_a_line_for_each_value() -> None:
    images = tuple(f"registry.example.org/image-{number}@sha256:1f" for number in range(3))
    lines = toml(Provenance(images=images)).splitlines()
    assert lines == ["images = [", *(f'    "{image}",' for image in images), "]"]


@example(text="\r\n", moment=datetime(2026, 6, 25, tzinfo=UTC))
@given(text=st.text(min_size=1), moment=st.datetimes(timezones=st.sampled_from([UTC])))
def test_any_text_and_moment_reads_back(text: str, moment: datetime) -> None:
    submission = SUBMISSION.model_copy(
        update={"agent": Agent(name=text), "provenance": Provenance(harness=text, started=moment)}
    )
    assert read(toml(submission)) == submission


def test_a_key_that_is_no_table_is_not_taken_for_an_empty_one() -> None:
    with pytest.raises(ValueError, match="`status` is not a table"):
        table_in(parse_written_toml('status = "published"'), "status")


@pytest.mark.parametrize("name", [name for name in vars(file_names) if name.isupper() and name != "FAILURES_FILE"])
def test_files_are_written_under_the_names_that_readers_expect(name: str) -> None:
    assert getattr(file_names, name) == getattr(layout, name)
