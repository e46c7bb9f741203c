"""A site of some benchmarks alone: `build --benchmark ID`."""

import json
import shutil
from pathlib import Path

import pytest
from kit.command import ROOT, done, sitegen
from kit.projects import project
from kit.results_folders import Tree, replaced

from sitegen.publish.site.authored_links import without_links

USED_WRONGLY = 2
NOTE = """\
# Spring

[Mini](../mini/index.md) and [Maxi](../maxi/index.md) are new; see [a row](../../maxi/main/2026-06-25-acme/).
"""


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with two benchmarks, a release of the first, one of both, and a note on that one."""
    folder = tmp_path_factory.mktemp("two")
    project(folder, "https://example.org/boards/")
    (folder / "site_src").unlink()
    shutil.copytree(ROOT / "site_src", folder / "site_src")
    settings = folder / "mkdocs.yml"
    settings.write_text(settings.read_text("utf-8").replace("extra:", "extra:\n  lead: maxi/main", 1), "utf-8")
    mini = Tree(folder / "results").benchmark
    done("release", "2026-07-01", folder=folder, SOURCE_DATE_EPOCH="1782950400")
    shutil.copytree(mini, mini.with_name("maxi"))
    definition = mini.with_name("maxi") / "benchmark.toml"
    text = replaced(definition.read_text("utf-8"), 'id = "mini"\ntitle = "Mini"', 'id = "maxi"\ntitle = "Maxi"')
    definition.write_text(text, encoding="utf-8")
    done("release", "2026-07-02", folder=folder, SOURCE_DATE_EPOCH="1783036800")
    (folder / "site_src" / "changelog" / "2026-07-02.md").write_text(NOTE, encoding="utf-8")
    return folder


def build(work: Path, site: str, *names: str) -> Path:
    arguments = [argument for name in names for argument in ("--benchmark", name)]
    done(
        "build", "--check-links", "--jobs", "1", "--site", site, *arguments, folder=work, SOURCE_DATE_EPOCH="1783123200"
    )
    return work / site


def pages(site: Path) -> dict[str, bytes]:
    return {path.relative_to(site).as_posix(): path.read_bytes() for path in site.rglob("*") if path.is_file()}


def test_site_of_one_benchmark_has_nothing_of_the_other(work: Path) -> None:
    site = build(work, "mini-alone", "mini")
    assert (site / "mini" / "main" / "index.html").is_file()
    assert not (site / "maxi").exists()
    rows = json.loads((site / "api" / "v1" / "scores.json").read_text("utf-8"))["submissions"]
    assert {row["benchmark"] for row in rows} == {"mini"}
    note = (site / "changelog" / "2026-07-02" / "index.html").read_text("utf-8")
    assert 'href="../../mini/"' in note
    assert "maxi/" not in note
    assert "and Maxi are new; see a row." in note


def test_releases_that_lack_the_benchmark_are_left_out(work: Path) -> None:
    site = build(work, "maxi-alone", "maxi")
    assert not (site / "changelog" / "2026-07-01").exists()
    release = json.loads((site / "api" / "v1" / "releases" / "2026-07-02.json").read_text("utf-8"))
    assert "mini" not in json.dumps(release)


def test_choice_in_turns_leaves_nothing_of_the_last_build(work: Path) -> None:
    build(work, "site", "mini")
    complete = pages(build(work, "site"))
    assert complete == pages(build(work, "afresh", "mini", "maxi", "mini"))
    assert pages(build(work, "site", "mini")) == pages(build(work, "mini-alone", "mini"))


def test_unknown_benchmark_names_similar_ones(work: Path) -> None:
    ended = sitegen("build", "--benchmark", "mimi", folder=work)
    assert ended.returncode == USED_WRONGLY
    assert "there is no benchmark mimi in results" in ended.stderr
    assert "did you mean mini?" in ended.stderr
    assert "it has maxi, mini" in sitegen("build", "--benchmark", "other", folder=work).stderr


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("[A *b*](../maxi/main/)", "A *b*"),
        ("[A](../maxi/index.md#x 'y')", "A"),
        ('<a class="c" href="../../maxi/">A</a>', "A"),
        ('[A](../maxi/ "x") [![B](b.png)](../maxi/)', "A ![B](b.png)"),
        ("[A][m] and [m]\n\n[m]: ../maxi/index.md", "A and m"),
        ("[A][M], [m][] and [M  n][]\n\n[m]: ../maxi/\n[m N]: ../maxi/", "A, m and M  n"),
        ("[m](guide.md) and [m]\n\n[m]: ../maxi/", "[m](guide.md) and m"),
        ("[m][g], [m]\n\n[m]: ../maxi/\n[g]: g.md", "[m][g], m\n\n\n[g]: g.md"),
        ("a[^1]\n\n[^1]: /maxi/ is new", "a[^1]\n\n[^1]: /maxi/ is new"),
        ("![m] ![A][m] [m]\n\n[m]: ../maxi/a.png", "![m] ![A][m] m\n\n[m]: ../maxi/a.png"),
        ("`[A](../maxi/)` [A](../maxi/)", "`[A](../maxi/)` A"),
        ("```\n[A][m]\n[m]: ../maxi/\n```\n[m]", "```\n[A][m]\n[m]: ../maxi/\n```\n[m]"),
        ("[note: [A](../maxi/)]", "[note: A]"),
        ("<a href='../../maxi/'>A</a>", "A"),
        ("[A](/maxi/)", "A"),
        ("[A](../mini/index.md)", "[A](../mini/index.md)"),
        ("[A](https://example.org/maxi/)", "[A](https://example.org/maxi/)"),
        ("[A](../maximal/index.md)", "[A](../maximal/index.md)"),
        ("`x[A](../mini/)`", "`x[A](../mini/)`"),
    ],
)
def test_links_into_a_folder_become_text(text: str, plain: str) -> None:
    assert without_links(text, "changelog/2026-07-02", ["maxi"]).strip() == plain
