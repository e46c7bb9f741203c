"""Authored pages that moved: their former addresses lead on."""

from pathlib import Path

import pytest
from kit.built_sites import own_site
from kit.forked_repository import ROOT

from sitegen.problems import UsageError
from sitegen.publish.site.authored import settings_in, site_in


def test_each_page_that_moved_is_found_at_its_former_address() -> None:
    moved = site_in(settings_in(ROOT / "mkdocs.yml")).moved
    assert ("submit/maintaining", "docs/maintaining") in moved
    for former, current in moved:
        page = (own_site() / former / "index.html").read_text(encoding="utf-8")
        root = "../" * (former.count("/") + 1)
        assert f'href="{root}{current}/" data-forward' in page
        assert (own_site() / current / "index.html").is_file()


@pytest.mark.parametrize("address", ["../elsewhere", "https://example.org/", "a b", ""])
def test_a_moved_page_stays_within_the_site(address: str) -> None:
    with pytest.raises(UsageError, match="extra: moved"):
        site_in({"extra": {"moved": {address: "docs"}}})


def test_a_project_that_only_inherits_the_settings_forwards_nothing(tmp_path: Path) -> None:
    settings = tmp_path / "mkdocs.yml"
    settings.write_text(f"site_name: Boards\nINHERIT: {ROOT / 'mkdocs.yml'}\n", encoding="utf-8")
    assert site_in(settings_in(settings)).moved
