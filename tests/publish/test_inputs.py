"""The names of what a site is made of: they differ where that does."""

from pathlib import Path

import pytest

from sitegen.publish.projects.project import Project
from sitegen.publish.site.inputs import Inputs

OUTSIDE = (
    "hooks: [own.py]",
    "plugins: [search, macros]",
    "plugins: [{macros: {}}]",
    "markdown_extensions: [pymdownx.snippets]",
    "copyright: !ENV [OWNER]",
)


@pytest.fixture(name="home")
def _home(tmp_path: Path) -> Path:
    (tmp_path / "mkdocs.yml").write_text("plugins: [search]\n", encoding="utf-8")
    for name in ("one", "two"):
        write(tmp_path, f"results/mini/submissions/{name}/rounds.jsonl")
    return tmp_path


def read(home: Path) -> Inputs:
    return Inputs.read(Project(home), home / "results")


def write(home: Path, name: str) -> None:
    (home / name).parent.mkdir(parents=True, exist_ok=True)
    with (home / name).open("a", encoding="utf-8") as file:
        file.write("# more\n")


@pytest.mark.parametrize("settings", OUTSIDE)
def test_settings_that_run_code_or_read_elsewhere_leave_the_whole_without_a_name(home: Path, settings: str) -> None:
    assert read(home).digest_of_all()
    assert read(home).digest_without_results()
    (home / "mkdocs.yml").write_text(f"{settings}\n", encoding="utf-8")
    assert (read(home).digest_of_all(), read(home).digest_without_results()) == ("", "")


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("mkdocs.yml", {"whole", "authored"}),
        ("site_src/index.md", {"whole", "authored"}),
        ("templates/theme/stub.html", {"whole", "authored"}),
        ("templates/pages/run.html.j2", {"whole", "authored", "templates"}),
        ("results/mini/benchmark.toml", {"whole", "bundle", "of"}),
        ("results/mini/submissions/one/rounds.jsonl", {"whole", "bundle", "of"}),
        ("results/mini/submissions/two/rounds.jsonl", {"whole", "of"}),
        ("results/other/benchmark.toml", {"whole"}),
    ],
)
def test_every_part_counts_where_it_is_used(home: Path, name: str, changed: set[str]) -> None:
    def names() -> dict[str, str]:
        inputs, mini = read(home), home / "results" / "mini"
        bundle = inputs.digest_of_bundle(mini / "submissions" / "one")
        names = {
            "whole": inputs.digest_of_all(),
            "authored": inputs.digest_without_results(),
            "templates": inputs.digest_of_templates(),
        }
        return {**names, "bundle": bundle, "of": inputs.digest_of_folders([mini])}

    before = names()
    write(home, name)
    after = names()
    assert {key for key in before if before[key] != after[key]} == changed
    assert "" not in after.values()


def test_a_folder_counts_although_it_is_empty(home: Path) -> None:
    before = read(home).digest_of_bundle(home / "results/mini/submissions/one")
    (home / "results/mini/submissions/one/more").mkdir()
    assert read(home).digest_of_bundle(home / "results/mini/submissions/one") != before


def test_a_name_is_of_other_values_too(home: Path) -> None:
    assert read(home).digest_of_all("a day") != read(home).digest_of_all("another day")


def test_what_changes_after_it_was_read_is_noticed(home: Path) -> None:
    inputs = read(home)
    assert inputs.are_as_read()
    write(home, "results/mini/benchmark.toml")
    assert not inputs.are_as_read()


def test_what_cannot_be_read_has_no_name(home: Path) -> None:
    (home / "mkdocs.yml").unlink()
    inputs = read(home)
    assert {
        inputs.digest_of_all(),
        inputs.digest_without_results(),
        inputs.digest_of_templates(),
        inputs.digest_of_folders([home]),
    } == {""}
    assert not inputs.are_as_read()
