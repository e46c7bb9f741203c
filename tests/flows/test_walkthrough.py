"""The pages that walk through something: what they say that commands print is what they print.

With `--update-golden`, the pages are rewritten with what the commands print instead.
"""

from pathlib import Path

import pytest
from kit.forked_repository import ROOT
from kit.played_guides import Shell, guide, play

GUIDES = (("walkthrough", "maintaining"), ("starting",), ("pull-request",))
"""The guides: those that belong together, of which each goes on where the one before it ends."""

PAGES = tuple(name for pages in GUIDES for name in pages)


@pytest.mark.parametrize("pages", GUIDES)
def test_every_block_of_commands_prints_what_the_page_says(
    tmp_path: Path, pages: tuple[str, ...], pytestconfig: pytest.Config
) -> None:
    is_update = pytestconfig.getoption("--update-golden")
    texts = {name: guide(name).read_text(encoding="utf-8") for name in pages}
    shell = Shell(tmp_path)
    for name, text in texts.items():
        for shown, printed in play(text, shell):
            if is_update:
                texts[name] = texts[name].replace(shown, printed)
            else:
                assert shown == printed
        guide(name).write_text(texts[name], encoding="utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_a_guide_is_in_the_navigation_and_linked_from_the_way_in(name: str) -> None:
    folder = guide(name).parent.name
    assert f"{folder}/{name}.md" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert f"{name}.md)" in (ROOT / "site_src" / "docs" / "index.md").read_text(encoding="utf-8")
    assert f"site_src/{folder}/{name}.md" in (ROOT / "README.md").read_text(encoding="utf-8")
