"""Groups of pages are rendered when they are asked for, in any order and as often as they are asked."""

import pkgutil
from collections.abc import Sequence
from dataclasses import replace

import pytest
from kit.boards import board, bundle
from kit.rendered_pages import TEMPLATES

from sitegen.pages import kinds
from sitegen.pages.kinds.analysis import analysis_page
from sitegen.pages.site import PageGroup, page_jobs


@pytest.fixture(scope="module")
def groups(tmp_path_factory: pytest.TempPathFactory) -> list[PageGroup]:
    """Return every group of pages of a board with two agents and two tasks."""
    home = tmp_path_factory.mktemp("submission")
    bundles = [bundle("ada", "##", "#."), bundle("bob", "..", "#.")]
    boards = [board(*(replace(sent, path=home) for sent in bundles), rounds=(2, 2))]
    return [group for job in page_jobs(boards, TEMPLATES) for group in job()]


def addresses_of(group: PageGroup) -> Sequence[str]:
    return [page.address for page in group.pages()]


def test_a_group_has_the_pages_of_its_own_subject_in_whatever_order_groups_are_rendered(
    groups: list[PageGroup],
) -> None:
    in_reverse = {group.name: addresses_of(group) for group in reversed(groups)}
    named = [group for group in groups if group.name.startswith("TaskRun ")]
    assert len(named) == 4
    for group in named:
        _, address = group.name.split(" ")
        assert in_reverse[group.name] == [address]
    all_addresses = [address for group in groups for address in in_reverse[group.name]]
    assert len(all_addresses) == len(set(all_addresses)) > 10


def test_a_group_can_be_rendered_again(groups: list[PageGroup]) -> None:
    for group in groups:
        assert addresses_of(group) == addresses_of(group)
    assert any(map(addresses_of, groups))


def test_every_module_of_kinds_has_its_place_in_the_order_of_registration() -> None:
    assert sorted(kinds.MODULES) == sorted(module.name for module in pkgutil.iter_modules(kinds.__path__))


def test_a_kind_of_page_keeps_the_docstring_of_its_function() -> None:
    assert analysis_page.__doc__ == analysis_page.views.__doc__
    assert (analysis_page.__doc__ or "").startswith("Show ")


def test_groups_have_names_of_their_own(groups: list[PageGroup]) -> None:
    names = [group.name for group in groups]
    assert len(set(names)) == len(names)
