"""Addresses are a contract: links outlive a rebuild."""

from sitegen.models.benchmark import BESIDE_SUBMISSIONS
from sitegen.pages.addresses import BoardAddresses, case_anchors, root_of


def test_a_case_keeps_its_name_in_its_anchor() -> None:
    assert case_anchors(3, 1, ["c065"]) == ["round-3-c065"]


def test_characters_that_do_not_fit_become_dashes() -> None:
    assert case_anchors(1, 1, ["tests/a.py::b[x]"]) == ["round-1-tests-a.py--b-x-"]


def test_two_cases_that_would_share_an_anchor_get_a_hash() -> None:
    first, second, third = case_anchors(1, 1, ["a/b", "a b", "a-b"])
    assert third == "round-1-a-b"
    assert len({first, second, third}) == 3
    assert first.startswith("round-1-a-b-")


def test_the_same_case_listed_twice_has_two_anchors() -> None:
    assert len(set(case_anchors(1, 1, ["c1", "c1"]))) == 2


def test_later_attempts_have_anchors_of_their_own() -> None:
    assert case_anchors(3, 2, ["c1"]) == ["attempt-2-round-3-c1"]


def test_pages_stand_where_the_contract_says() -> None:
    assert BoardAddresses("b", "t").round("task", 3) == "b/t/tasks/task/3/"
    assert BoardAddresses("b", "t").run("sub", "task") == "b/t/sub/task/"


def test_no_submission_can_be_called_what_stands_beside_it() -> None:
    board_addresses = BoardAddresses("b", "t")
    property_names = [name for name, value in vars(BoardAddresses).items() if isinstance(value, property)]
    split_addresses = [str(getattr(board_addresses, name)).split("/") for name in property_names]
    page_names = {segments[2] for segments in split_addresses if segments[:2] == ["b", "t"] and len(segments) > 3}
    assert {"tasks", "compare"} <= page_names <= BESIDE_SUBMISSIONS


def test_a_page_finds_its_way_back_to_the_root() -> None:
    assert root_of("b/t/") == "../../"
    assert root_of("") == "./"
