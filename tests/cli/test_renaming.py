"""A submission gets another name: releases, changelog and old addresses know it."""

import json
import shutil
from pathlib import Path

import pytest
from kit.command import sitegen
from kit.projects import project
from kit.results_folders import ROUNDS, Tree
from lxml import html

SITE = "https://example.org/boards/"
OLD, NEW = "2026-06-25-acme", "2026-06-25-acme-1"


def rename(tree: Tree) -> None:
    tree.bundle.rename(tree.bundle.with_name(NEW))
    tree.define("[aliases]", f'[[renamed]]\nfrom = "mini/main/{OLD}"\nto = "mini/main/{NEW}"\n\n[aliases]')


def released(folder: Path) -> Tree:
    """Make a results folder with a release of 2026-07-01."""
    tree = Tree(folder)
    done = sitegen("release", "2026-07-01", "--title", "First", "--results", folder)
    assert done.returncode == 0, done.stderr
    return tree


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site whose second release has the submission under another name."""
    work = tmp_path_factory.mktemp("renamed")
    tree = released(project(work, SITE) / "results")
    rename(tree)
    for command in (("release", "2026-07-08"), ("build", "--site", work / "site")):
        done = sitegen(*command, "--results", tree.folder, folder=work)
        assert done.returncode == 0, done.stderr
    return work / "site"


def test_a_released_bundle_that_is_renamed_is_not_gone(tmp_path: Path) -> None:
    tree = released(tmp_path / "results")
    rename(tree)
    assert "RELEASE" not in sitegen("validate", tree.folder).stdout


def test_a_bundle_that_is_renamed_and_changed_contradicts_the_release(tmp_path: Path) -> None:
    tree = released(tmp_path / "results")
    tree.change(2, reward=1, passed=4)
    rename(tree)
    output = sitegen("validate", tree.folder).stdout
    assert f"submissions/{NEW}/rounds.jsonl:2: error RELEASE-BUNDLE-DIFFERS" in output


def test_a_released_benchmark_that_is_renamed_keeps_what_was_released_of_it(tmp_path: Path) -> None:
    tree = released(tmp_path / "results")
    tree.define('id = "mini"', 'id = "maxi"')
    tree.define("[aliases]", '[[renamed]]\nfrom = "mini"\nto = "maxi"\n\n[aliases]')
    tree.change(2, reward=1, passed=4)
    tree.benchmark.rename(tree.folder / "maxi")
    output = sitegen("validate", tree.folder).stdout
    assert f"maxi/submissions/{OLD}/rounds.jsonl:2: error RELEASE-BUNDLE-DIFFERS" in output


def test_boards_that_were_cited_from_a_renamed_benchmark_lead_on(tmp_path: Path) -> None:
    tree = released(project(tmp_path, SITE) / "results")
    tree.define('id = "mini"', 'id = "maxi"')
    tree.define("[aliases]", '[[renamed]]\nfrom = "mini"\nto = "maxi"\n\n[aliases]')
    tree.benchmark.rename(tree.folder / "maxi")
    done = sitegen("build", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    cited = html.fromstring((tmp_path / "site/changelog/2026-07-01/mini/main/index.html").read_bytes())
    (link,) = cited.cssselect("a[data-forward]")
    assert link.get("href") == "../../../../changelog/2026-07-01/maxi/main/"


def test_a_submission_that_was_released_cannot_be_deleted_by_renaming_it_to_another(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "results")
    tree.add("2026-06-26-bold", *ROUNDS)
    assert sitegen("release", "2026-07-01", "--results", tree.folder).returncode == 0
    shutil.rmtree(tree.bundle)
    tree.define("[aliases]", f'[[renamed]]\nfrom = "mini/main/{OLD}"\nto = "mini/main/2026-06-26-bold"\n\n[aliases]')
    assert f"submissions/{OLD}: error RELEASE-BUNDLE-GONE" in sitegen("validate", tree.folder).stdout


def test_without_a_word_about_it_a_renamed_bundle_is_gone(tmp_path: Path) -> None:
    tree = released(tmp_path / "results")
    tree.bundle.rename(tree.bundle.with_name(NEW))
    assert "error RELEASE-BUNDLE-GONE" in sitegen("validate", tree.folder).stdout


def test_another_bundle_under_the_old_name_is_no_rename(tmp_path: Path) -> None:
    tree = released(tmp_path / "results")
    rename(tree)
    tree.add(OLD, *ROUNDS)
    assert "error RENAMED-FROM-TAKEN" in sitegen("validate", tree.folder).stdout


def test_the_changelog_says_renamed_and_nothing_else(site: Path) -> None:
    text = (site / "api" / "v1" / "releases" / "2026-07-08.json").read_text(encoding="utf-8")
    (event,) = json.loads(text)["events"]
    assert (event["what"], event["submission"], event["causes"]) == (
        "renamed",
        NEW,
        [{"kind": "name", "about": OLD}],
    )
    page = html.fromstring((site / "changelog" / "2026-07-08" / "index.html").read_bytes())
    (shown,) = page.cssselect("[data-change='renamed']")
    assert f"formerly: {OLD}" in shown.text_content()


def test_its_page_has_its_whole_history(site: Path) -> None:
    page = html.fromstring((site / "mini" / "main" / NEW / "index.html").read_bytes())
    assert [row.text_content() for row in page.cssselect("table[data-timeline] tbody th")] == [
        "now",
        "2026-07-08",
        "2026-07-01",
    ]


def test_the_board_as_it_was_leads_to_where_it_is_now(site: Path) -> None:
    page = html.fromstring((site / "changelog" / "2026-07-01" / "mini" / "main" / "index.html").read_bytes())
    (link,) = page.cssselect("table[data-snapshot] tbody a[href]:not([href*='#'])")
    assert str(link.get("href")).endswith(f"/mini/main/{NEW}/")


def forwarded(site: Path) -> list[tuple[html.HtmlElement, str]]:
    """Give the page at every old address, and the address that it has to lead to."""
    new = site / "mini" / "main" / NEW
    inside = [path.relative_to(new) for path in sorted(new.rglob("index.html"))]
    pages = [html.fromstring((new.with_name(OLD) / relative_path).read_bytes()) for relative_path in inside]
    targets = [
        "".join(f"{segment}/" for segment in ("mini", "main", NEW, *inner_path.parts[:-1])) for inner_path in inside
    ]
    return list(zip(pages, targets, strict=True))


def test_every_old_address_leads_on_with_and_without_scripts(site: Path) -> None:
    forwarded_pages = forwarded(site)
    assert len(forwarded_pages) > 1
    for page, address in forwarded_pages:
        target = "../" * address.count("/") + address
        (link,) = page.cssselect("a[data-forward]")
        (refresh,) = page.cssselect("noscript meta[http-equiv='refresh']")
        assert (link.get("href"), refresh.get("content")) == (target, f"0; url={target}")


def test_a_page_at_an_old_address_has_a_policy_and_leaves_searches_to_the_new_one(site: Path) -> None:
    for page, address in forwarded(site):
        (canonical,) = page.cssselect("link[rel='canonical']")
        assert canonical.get("href") == f"{SITE}{address}"
        assert page.cssselect("meta[name='robots'][content='noindex']")
        assert page.cssselect("meta[http-equiv='Content-Security-Policy']")


def test_a_badge_that_others_show_stays(site: Path) -> None:
    old, new = (site / "mini" / "main" / name / "badge.svg" for name in (OLD, NEW))
    assert old.read_bytes() == new.read_bytes()


def test_old_addresses_are_in_no_map_and_in_no_search(site: Path) -> None:
    for name in ("sitemap.xml", "search/search_index.json"):
        text = (site / name).read_text(encoding="utf-8")
        assert f"mini/main/{NEW}/" in text
        assert f"mini/main/{OLD}/" not in text
