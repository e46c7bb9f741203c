"""Former addresses: each leads to something that is there, and stands for nothing else."""

from collections.abc import Sequence
from datetime import date

import pytest
from kit.results_folders import Told, Tree

from sitegen.models.release import LockedBenchmark, LockedBoard, LockedBundle, LockedRow, Release
from sitegen.store.readers.releases import in_names_of_today

OLD, NEW = "mini/main/acme", "mini/main/2026-06-25-acme"


@pytest.fixture
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    return Tree(tmp_path_factory.mktemp("renamed") / "results")


def rename(tree: Tree, *pairs: tuple[str, str]) -> None:
    tables = "".join(f'[[renamed]]\nfrom = "{old}"\nto = "{new}"\n\n' for old, new in pairs)
    tree.define("[aliases]", f"{tables}[aliases]")


def told(tree: Tree) -> list[tuple[str, str, str]]:
    errors = (problem for problem in tree.told() if problem.severity == "error")
    return [(problem.code, problem.place, problem.what) for problem in errors]


@pytest.mark.parametrize(
    "new",
    [
        "mini",
        "mini/main",
        "mini/main/2026-06-25-acme",
        "mini/main/2026-06-25-acme/tidy",
        "mini/main/tasks/tidy",
        "mini/main/tasks/tidy/2",
    ],
)
def test_everything_that_has_an_address_may_have_had_another(tree: Tree, new: str) -> None:
    rename(tree, ("former/address", new))
    assert told(tree) == []


def test_a_former_address_that_leads_nowhere_is_told_at_its_line(tree: Tree) -> None:
    rename(tree, (OLD, "mini/main/2026-06-25-acne"))
    (problem,) = (problem for problem in tree.told() if problem.severity == "error")
    assert problem == Told(
        "RENAMED-TO-UNKNOWN",
        "mini/benchmark.toml:30",
        "mini has nothing at mini/main/2026-06-25-acne",
        f"did you mean `{NEW}`?",
    )


def test_an_address_of_something_else_is_no_former_one(tree: Tree) -> None:
    rename(tree, ("mini/relay", "mini/main"))
    assert told(tree) == [("RENAMED-FROM-TAKEN", "mini/benchmark.toml:29", "mini/relay is an address of the site")]


def test_an_address_of_the_site_is_no_former_one(tree: Tree) -> None:
    rename(tree, ("changelog/old", NEW))
    assert [message for _, _, message in told(tree)] == ["changelog/old is an address of the site"]


def test_an_address_leads_to_one_place(tree: Tree) -> None:
    rename(tree, (OLD, NEW), (OLD, "mini/main"))
    assert told(tree) == [("RENAMED-FROM-TAKEN", "mini/benchmark.toml:33", f"{OLD} is listed twice")]


def test_addresses_cannot_lead_round_and_round(tree: Tree) -> None:
    """What is a former address stands nowhere, so nothing can lead there."""
    rename(tree, ("mini/main/a", "mini/main/b"), ("mini/main/b", "mini/main/a"))
    assert [code for code, _, _ in told(tree)] == ["RENAMED-TO-UNKNOWN", "RENAMED-TO-UNKNOWN"]


def test_what_is_no_address_is_refused(tree: Tree) -> None:
    rename(tree, ("https://example.org/", NEW))
    assert [(code, location) for code, location, _ in told(tree)] == [("VALUE-REFUSED", "mini/benchmark.toml:29")]


def row(name: str) -> LockedRow:
    return LockedRow(id=name, name=name, date=date(2026, 6, 25), evidence="recomputed")


def board(track: str, rows: Sequence[LockedRow]) -> LockedBoard:
    conditions = {"protocol": "chain", "attempts": 1, "headline": "dataset_score", "columns": ()}
    return LockedBoard.model_validate({"track": track, "title": track, **conditions, "rows": tuple(rows)})


def locked(name: str, *boards: LockedBoard) -> LockedBenchmark:
    bundle = LockedBundle(manifest="0" * 64, files={}, rounds="")
    submitted = {row.id: bundle for board in boards for row in board.rows if row.evidence != "reported"}
    return LockedBenchmark(id=name, title=name, bundles=submitted, boards=boards)


def as_of_today(tree: Tree, *benchmarks: LockedBenchmark) -> tuple[LockedBenchmark, ...]:
    """Read a release in the names that the benchmarks of a folder tell."""
    release = Release(schema_version=1, date=date(2026, 7, 1), program="0", benchmarks=benchmarks)
    (read,) = in_names_of_today([release], tree.read().benchmarks)
    return read.benchmarks


def test_a_name_hides_no_submission_that_a_release_has(tree: Tree) -> None:
    """Else a submission could be deleted, as though it had always been called what another one is."""
    rename(tree, (OLD, NEW))
    (benchmark,) = as_of_today(tree, locked("mini", board("main", [row("acme"), row("2026-06-25-acme")])))
    assert set(benchmark.bundles) == {"acme", "2026-06-25-acme"}
    assert [row.id for row in benchmark.boards[0].rows] == ["acme", "2026-06-25-acme"]


def test_two_submissions_of_a_release_do_not_become_one(tree: Tree) -> None:
    rename(tree, (OLD, NEW), ("mini/main/acme-1", NEW))
    (benchmark,) = as_of_today(tree, locked("mini", board("main", [row("acme"), row("acme-1")])))
    assert set(benchmark.bundles) == {"2026-06-25-acme", "acme-1"}


def test_a_name_hides_no_benchmark_that_a_release_has(tree: Tree) -> None:
    rename(tree, ("midi", "mini"))
    assert [benchmark.id for benchmark in as_of_today(tree, locked("mini"), locked("midi"))] == ["mini", "midi"]


def test_a_row_of_the_same_name_on_another_track_keeps_it(tree: Tree) -> None:
    """Names of rows of published tables are their board's own, and a bundle may be called so elsewhere."""
    rename(tree, (OLD, NEW))
    reported = row("acme").model_copy(update={"evidence": "reported"})
    (benchmark,) = as_of_today(tree, locked("mini", board("main", [reported]), board("relay", [row("acme")])))
    assert [row.id for board in benchmark.boards for row in board.rows] == ["2026-06-25-acme", "acme"]
    assert set(benchmark.bundles) == {"acme"}


def test_an_address_has_led_to_one_benchmark_only(tree: Tree) -> None:
    rename(tree, ("former", "mini"))
    definition = (tree.benchmark / "benchmark.toml").read_text(encoding="utf-8")
    other_path = tree.folder / "other" / "benchmark.toml"
    other_path.parent.mkdir()
    other_path.write_text(definition.replace('"mini"', '"other"'), encoding="utf-8")
    (tree.folder / "other" / "tasks").mkdir()
    (tree.folder / "other" / "tasks" / "all.jsonl").write_bytes((tree.benchmark / "tasks" / "all.jsonl").read_bytes())
    expected_message = "former is already a former address of mini"
    assert told(tree) == [("RENAMED-FROM-TAKEN", "other/benchmark.toml:29", expected_message)]
