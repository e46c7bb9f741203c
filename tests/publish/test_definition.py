"""The files that people wrote are added to, and keep their comments and their order."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from kit.small_import import benchmark, task_set, track

from sitegen.models.benchmark import Axis, Benchmark
from sitegen.models.finding import Finding
from sitegen.models.incoming import Addition
from sitegen.problems import ProblemsError
from sitegen.publish.results.benchmarks import benchmark_files

OURS = """\
# Ours. Written by hand.
schema = 1
id = "bench" # never changes
title = "Bench"

# What tasks are about
[axes.domain]
title = "Domain"
values = [
  "data", # the first
]

# Boards
[[tracks]]
title = "Official"
id = "official"
protocol = "chain" # since May
headline = "dataset_score"
columns = ["dataset_score"]
# the end of this board

# Spellings found in the wild
[aliases]
acme = "Acme-1"
# more to come
"""

GROWN = """\
# Ours. Written by hand.
schema = 1
id = "bench" # never changes
title = "Bench"

# What tasks are about
[axes.domain]
title = "Domain"
values = [
  "data", # the first
  "web",
]

[axes.style]
title = "Style"

# Boards
[[tracks]]
title = "Official"
id = "official"
protocol = "chain" # since May
headline = "dataset_score"
columns = ["dataset_score"]
# the end of this board
tasks = "main"

[[tracks]]
id = "paper"
title = "Paper"
status = "current"
protocol = "once"
attempts = 1
headline = "resolved"
columns = ["resolved"]

# Spellings found in the wild
[aliases]
acme = "Acme-1"
# more to come
"ACME 1" = "Acme-1"
"""

STANDING = benchmark(track(tasks=None), aliases={"acme": "Acme-1"})
WANTED = benchmark(
    track(),
    track("paper", title="Paper", protocol="once", tasks=None, headline="resolved", columns=("resolved",)),
    axes={"domain": Axis(title="Domain", values=("data", "web")), "style": Axis(title="Style")},
    aliases={"acme": "Acme-1", "ACME 1": "Acme-1"},
)
NOTE = Finding(date=date(2026, 6, 26), kind="note", title="A note", rounds=(1, 2))
NOTED = '[[findings]]\ndate = 2026-06-26\nkind = "note"\ntitle = "A note"\neffect = "note"\nrounds = [1, 2]\n'
NOTHING = Addition(STANDING, (), (), ())


def written(folder: Path, bench: Benchmark, text: str) -> str:
    """Add to a definition that stands."""
    (folder / "benchmark.toml").write_bytes(text.encode())
    return benchmark_files(replace(NOTHING, benchmark=bench), folder)[1]["benchmark.toml"].decode()


def noted(folder: Path, text: str | None) -> str:
    """Add a note to the findings that stand."""
    (folder / "benchmark.toml").write_bytes(OURS.encode())
    if text is not None:
        (folder / "findings.toml").write_bytes(text.encode())
    created, changed = benchmark_files(replace(NOTHING, findings=(NOTE,)), folder)
    return (created | changed)["findings.toml"].decode()


def test_a_new_definition_begins_with_what_the_benchmark_is(tmp_path: Path) -> None:
    files, _ = benchmark_files(Addition(benchmark(aliases={"acme": "Acme-1"}), (task_set(),), (), ()), tmp_path)
    assert list(files) == ["tasks/main.jsonl", "benchmark.toml"]
    assert files["benchmark.toml"].decode() == (
        'schema = 1\nid = "bench"\ntitle = "Bench"\nround_name = "Round"\nordered = true\nverified_from = 0.05\n\n'
        '[axes.domain]\ntitle = "Domain"\nvalues = ["data"]\n\n'
        '[[tracks]]\nid = "official"\ntitle = "Official"\nstatus = "current"\nprotocol = "chain"\nattempts = 1\n'
        'tasks = "main"\nheadline = "dataset_score"\ncolumns = ["dataset_score"]\n\n'
        '[aliases]\nacme = "Acme-1"\n'
    )


def test_a_definition_that_says_it_all_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "benchmark.toml").write_bytes(OURS.encode())
    assert benchmark_files(NOTHING, tmp_path) == ({}, {})


def test_additions_stand_with_their_kind_and_comments_stay(tmp_path: Path) -> None:
    assert written(tmp_path, WANTED, OURS) == GROWN


def test_a_file_that_says_it_all_after_additions_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "benchmark.toml").write_bytes(GROWN.encode())
    assert benchmark_files(replace(NOTHING, benchmark=WANTED), tmp_path) == ({}, {})


HEAD = 'schema = 1\nid = "bench"\ntitle = "Bench"\n'
FACTS = (
    'id = "official"',
    'title = "Official"',
    'protocol = "chain"',
    'headline = "dataset_score"',
    'columns = ["dataset_score"]',
)
TRACK = "[[tracks]]\n" + "\n".join(FACTS)
DOMAIN = '{title = "Domain", values = ["data"]}'
AXIS = '[axes.domain]\ntitle = "Domain"\nvalues = ["data"]\n'
ALIASES = '[aliases]\nacme = "Acme-1"\n'


@pytest.mark.parametrize(
    "text",
    [
        f'{HEAD}aliases = {{acme = "Acme-1"}}\n{AXIS}{TRACK}',
        f'{HEAD}axes = {{domain = {DOMAIN}}}\ntracks = [{{{", ".join(FACTS)}}}]\naliases.acme = "Acme-1"\n',
        f"{HEAD}{ALIASES}\n{TRACK}\n\n{AXIS}\n# the end",
        f"{HEAD}[axes]\ndomain = {DOMAIN}\n{ALIASES}{TRACK}",
        OURS.replace("\n", "\r\n"),
    ],
)
def test_other_layouts_are_added_to_as_well(tmp_path: Path, text: str) -> None:
    grown = written(tmp_path, WANTED, text)
    (tmp_path / "benchmark.toml").write_bytes(grown.encode())
    assert benchmark_files(replace(NOTHING, benchmark=WANTED), tmp_path) == ({}, {})


def test_a_layout_that_has_no_place_for_additions_is_refused(tmp_path: Path) -> None:
    dotted = f'{HEAD}axes.domain.title = "Domain"\naxes.domain.values = ["data"]\n{TRACK}\n{ALIASES}'
    with pytest.raises(ProblemsError, match="MERGE-LAYOUT-UNKNOWN"):
        written(tmp_path, WANTED, dotted)


def test_tables_that_are_not_there_yet_are_made(tmp_path: Path) -> None:
    grown = written(tmp_path, WANTED, f"{HEAD}{TRACK}")
    assert "[axes.domain]\n" in grown
    assert grown.endswith('[aliases]\nacme = "Acme-1"\n"ACME 1" = "Acme-1"\n')


def test_findings_begin_a_file(tmp_path: Path) -> None:
    assert noted(tmp_path, None) == f"schema = 1\n\n{NOTED}"


@pytest.mark.parametrize(
    "text",
    [
        f"# Ours\nschema = 1\n\n{NOTED.replace('A note', 'First')}# about the first\n",
        f"schema = 1\n\n{NOTED.replace('A note', 'First')}",
    ],
)
def test_findings_are_added_behind_the_last(tmp_path: Path, text: str) -> None:
    assert noted(tmp_path, text) == f"{text}\n{NOTED}"


@pytest.mark.parametrize("text", ["schema = 1", "schema = 1\nfindings = []\n"])
def test_findings_are_added_to_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "findings.toml").write_text(noted(tmp_path, text), encoding="utf-8")
    assert "First" not in noted(tmp_path, None)
