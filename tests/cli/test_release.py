"""`sitegen release`: what is locked never changes, and a build says what moved."""

import json
import shutil
import tomllib
from pathlib import Path

import pytest
from kit.command import sitegen
from kit.results_folders import Tree

DATA_PROBLEMS, USED_WRONGLY = 1, 2
ID = "2026-06-25-acme"


@pytest.fixture
def released(tmp_path: Path) -> Tree:
    """A results folder with a release of 2026-07-01."""
    tree = Tree(tmp_path / "results")
    done = sitegen("release", "2026-07-01", "--title", "First", "--results", tree.folder)
    assert done.returncode == 0, done.stderr
    return tree


def errors(tree: Tree, *path: str) -> list[str]:
    """Errors that validate tells, without their fixes."""
    output_lines = sitegen("validate", tree.folder.joinpath(*path)).stdout.splitlines()
    return [line for line in output_lines if ": error RELEASE" in line]


def test_a_release_keeps_scores_and_digests(released: Tree) -> None:
    release = tomllib.loads((released.folder / "releases" / "2026-07-01.toml").read_text(encoding="utf-8"))
    assert (release["title"], str(release["date"])) == ("First", "2026-07-01")
    (benchmark,) = release["benchmarks"]
    (row,) = benchmark["boards"][0]["rows"]
    assert (row["id"], row["rank"], row["scores"]["dataset_score"]["value"]) == (ID, 1, 25.0)
    assert set(benchmark["bundles"][ID]["files"]) == {"rounds.jsonl"}
    assert list(benchmark["task_sets"]) == ["all"]


def test_what_is_released_validates_and_builds(released: Tree, tmp_path: Path) -> None:
    assert errors(released) == []
    built = sitegen("build", "--results", released.folder, "--site", tmp_path / "site")
    assert built.returncode == 0, built.stderr


def test_a_released_bundle_that_is_edited_since_a_base_is_one_fault(released: Tree, tmp_path: Path) -> None:
    base = tmp_path / "base"
    shutil.copytree(released.folder, base)
    released.change(2, reward=1, passed=4)
    report = json.loads(sitegen("validate", released.folder, "--base", base, "--format", "json").stdout)
    codes = [problem["code"] for problem in report["problems"] if problem["path"].endswith("rounds.jsonl")]
    assert codes == ["HISTORY-EDITED"]


def test_an_edited_reward_fails_the_build_naming_bundle_task_round_and_release(released: Tree, tmp_path: Path) -> None:
    released.change(2, reward=1, passed=4)
    released.edit("submission.toml", "dataset_score = 25.0", "dataset_score = 50.0")
    built = sitegen("build", "--results", released.folder, "--site", tmp_path / "site")
    assert built.returncode == DATA_PROBLEMS
    assert (
        f"submissions/{ID}/rounds.jsonl:2: error RELEASE-BUNDLE-DIFFERS: {ID} differs from release 2026-07-01: "
        "round 2 of tidy, attempt 1 differs"
    ) in built.stderr
    assert f"submissions/{ID}/submission.toml: error RELEASE-BUNDLE-DIFFERS" in built.stderr
    assert not (tmp_path / "site").exists()


def warnings(tree: Tree) -> list[str]:
    """What validate says of definitions that changed since the latest release."""
    output_lines = sitegen("validate", tree.folder).stdout.splitlines()
    return [
        line.partition("RELEASE-DEFINITION-DIFFERS: ")[2]
        for line in output_lines
        if "RELEASE-DEFINITION-DIFFERS" in line
    ]


def test_another_headline_is_a_warning_until_it_is_released(released: Tree) -> None:
    definition = released.folder / "mini" / "benchmark.toml"
    text = definition.read_text("utf-8")
    assert warnings(released) == []
    definition.write_text(text.replace('headline = "dataset_score"', 'headline = "case_score"'), "utf-8")
    assert warnings(released) == [
        "the headline of track main is case_score, but was dataset_score, unlike in release 2026-07-01"
    ]
    assert sitegen("release", "2026-07-02", "--results", released.folder).returncode == 0
    assert warnings(released) == []


def test_other_labels_are_a_warning(released: Tree) -> None:
    tasks = released.folder / "mini" / "tasks" / "all.jsonl"
    lines = [json.loads(line) for line in tasks.read_text("utf-8").splitlines()]
    for line in lines:
        line["labels"] = {"kind": "game"}
    tasks.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    assert warnings(released) == ["labels of tasks of all differ, unlike in release 2026-07-01"]


def test_labels_on_a_new_axis_differ_from_no_release(released: Tree) -> None:
    definition = released.folder / "mini" / "benchmark.toml"
    with definition.open("a", encoding="utf-8") as file:
        file.write('\n[axes.first]\ntitle = "First"\n')
    assert sitegen("release", "2026-07-02", "--results", released.folder).returncode == 0
    with definition.open("a", encoding="utf-8") as file:
        file.write('\n[axes.later]\ntitle = "Later"\n')
    tasks = released.folder / "mini" / "tasks" / "all.jsonl"
    lines = [json.loads(line) for line in tasks.read_text("utf-8").splitlines()]
    for line in lines:
        line["labels"] = {**line.get("labels", {}), "later": "new"}
    tasks.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    assert [fact for fact in warnings(released) if "2026-07-02" in fact] == []


def test_the_bundle_alone_is_held_to_the_release_too(released: Tree) -> None:
    released.change(2, output_tokens=5)
    (error,) = errors(released, "mini", "submissions", ID)
    assert "round 2 of tidy, attempt 1 differs" in error


def test_a_bundle_may_be_withdrawn_and_another_added(released: Tree) -> None:
    released.edit(
        "submission.toml",
        "[detail]",
        '[status]\nstate = "withdrawn"\nby = "Acme"\nreason = "a mistake"\ndate = 2026-07-02\n\n[detail]',
    )
    assert errors(released) == []


def test_a_deleted_bundle_is_missed(released: Tree) -> None:
    folder = released.folder / "mini" / "submissions"
    (folder / ID).rename(folder / "2026-06-25-other")
    (error,) = errors(released)
    assert f"RELEASE-BUNDLE-GONE: {ID} is missing, but release 2026-07-01 has it" in error


def test_tasks_conditions_and_findings_stay(released: Tree) -> None:
    mini = released.folder / "mini"
    definition = (mini / "benchmark.toml").read_text(encoding="utf-8")
    (mini / "benchmark.toml").write_text(definition.replace("attempts = 2", "attempts = 3"), encoding="utf-8")
    tasks = mini / "tasks" / "all.jsonl"
    tasks.write_text(tasks.read_text(encoding="utf-8").replace('"n": 2', '"n": 2, "weight": 3'), encoding="utf-8")
    error_lines = errors(released)
    assert [line.partition(": error ")[2].partition(":")[0] for line in error_lines] == [
        "RELEASE-TASKS-DIFFER",
        "RELEASE-TRACK-DIFFERS",
    ]


def test_titles_of_tasks_may_be_mended(released: Tree) -> None:
    tasks = released.folder / "mini" / "tasks" / "all.jsonl"
    tasks.write_text(tasks.read_text(encoding="utf-8").replace('"id": "tidy"', '"id": "tidy", "title": "Tidy"'))
    assert errors(released) == []


def test_releases_come_in_order_and_none_is_written_again(released: Tree) -> None:
    for day in ("2026-07-01", "2026-06-30"):
        refused = sitegen("release", day, "--results", released.folder)
        assert refused.returncode == USED_WRONGLY
        assert "there is already a release of 2026-07-01" in refused.stderr


def test_a_release_and_a_record_of_arrivals_say_what_they_added(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "results")
    recorded = sitegen("release", "--arrivals", "--results", tree.folder).stdout
    assert "arrivals.jsonl: 1 bundle added, 1 listed in all" in recorded
    assert "0 bundles added, 1 listed in all" in sitegen("release", "--arrivals", "--results", tree.folder).stdout
    (tree.folder / "arrivals.jsonl").unlink()
    released = sitegen("release", "2026-07-01", "--results", tree.folder).stdout
    assert "arrivals.jsonl: 1 bundle added; commit both files" in released


def test_a_day_that_lies_ahead_would_keep_others_from_being_released(released: Tree) -> None:
    refused = sitegen("release", "2999-01-01", "--results", released.folder)
    assert refused.returncode == USED_WRONGLY
    assert "2999-01-01 is in the future" in refused.stderr


def test_a_day_before_there_were_agents_is_no_release_s(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "results")
    refused = sitegen("release", "2014-12-31", "--results", tree.folder)
    assert refused.returncode == USED_WRONGLY
    assert "2014-12-31 is before 2015-01-01" in refused.stderr
    assert not (tree.folder / "releases").exists()


def in_place_of(tree: Tree, day: str, *replacements: tuple[str, str]) -> str:
    """Add a release that somebody made of the one that is there, and give what comparing with before says."""
    before = tree.folder.parent / "before"
    shutil.copytree(tree.folder, before)
    text = (tree.folder / "releases" / "2026-07-01.toml").read_text(encoding="utf-8")
    for old, new in (("2026-07-01", day), *replacements):
        assert old in text
        text = text.replace(old, new)
    (tree.folder / "releases" / f"{day}.toml").write_text(text, encoding="utf-8")
    checked = sitegen("validate", tree.folder, "--base", before)
    output = sitegen("diff", before, tree.folder, "--format", "markdown").stdout
    assert ("HISTORY-RELEASE" in output) == ("HISTORY-RELEASE" in checked.stdout)
    assert "- error `HISTORY" not in output  # between other states, boards may have gone on since a release
    assert f"- {day} `" in output  # a new release is a line in any case
    return checked.stdout


def test_a_release_that_nobody_could_have_made_is_an_error(released: Tree) -> None:
    output = in_place_of(
        released, "2026-07-02", ("value = 25.0", "value = 52.0"), ('name = "Acme-1"', 'name = "Evil-9"')
    )
    assert "error HISTORY-RELEASE: the release 2026-07-02 is new, and differs from the boards in 2 places" in output
    assert f"rows.{ID}.name; " in output


def test_a_release_that_says_what_the_boards_are_is_none(released: Tree) -> None:
    assert "HISTORY-RELEASE" not in in_place_of(released, "2026-07-02", ('title = "First"', 'title = "Second"'))


def test_a_release_of_a_day_before_there_were_agents_is_an_error(released: Tree) -> None:
    output = in_place_of(released, "2014-12-31")
    assert "error HISTORY-RELEASE: the release 2014-12-31 is new, and is dated before 2015-01-01" in output


def test_a_release_that_lies_ahead_would_end_all_releases(released: Tree) -> None:
    assert "error HISTORY-RELEASE: the release 9999-12-31 is new, and is dated in the future" in in_place_of(
        released, "9999-12-31"
    )


def test_a_release_from_before_others_would_tell_who_came_first(released: Tree) -> None:
    output = in_place_of(released, "2020-01-02")
    assert (
        "error HISTORY-RELEASE: the release 2020-01-02 is new, and there was already a release of 2026-07-01" in output
    )


def test_a_release_beside_results_with_errors_is_not_compared(released: Tree) -> None:
    table = released.folder / "mini" / "reported" / "broken.toml"
    table.parent.mkdir()
    table.write_text("schema = 1\n", encoding="utf-8")
    output = in_place_of(released, "2026-07-02", ("value = 25.0", "value = 52.0"))
    assert "error KEY-MISSING" in output
    assert "HISTORY-RELEASE" not in output


def test_a_table_that_cannot_be_read_since_a_release_does_not_end_a_build(released: Tree, tmp_path: Path) -> None:
    released.put("reported/broken.toml", "schema = 1\n")
    built = sitegen("build", "--allow-problems", "--results", released.folder, "--site", tmp_path / "site")
    assert built.returncode == 0, built.stderr


def test_results_with_errors_are_not_released(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "results")
    tree.change(1, reward=0)
    refused = sitegen("release", "2026-07-01", "--results", tree.folder)
    assert refused.returncode == DATA_PROBLEMS
    assert not (tree.folder / "releases").exists()


def test_a_file_by_another_name_is_told(released: Tree) -> None:
    releases = released.folder / "releases"
    (releases / "2026-07-01.toml").rename(releases / "2026-07-02.toml")
    (error,) = errors(released)
    assert "RELEASE-NAME: the file is called 2026-07-02.toml, but the release's date is 2026-07-01" in error


def test_a_file_by_another_name_does_not_end_a_build(released: Tree, tmp_path: Path) -> None:
    (released.folder / "releases" / "2026-07-01.toml").rename(released.folder / "releases" / "<b>-<i-x>.toml")
    built = sitegen("build", "--allow-problems", "--results", released.folder, "--site", tmp_path / "site")
    assert built.returncode == 0, built.stderr
