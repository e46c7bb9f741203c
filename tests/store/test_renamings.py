"""Former addresses: each leads to something that is there, and stands for nothing else."""

import pytest
from bundles import Told, Tree

OLD, NEW = "mini/main/acme", "mini/main/2026-06-25-acme"


@pytest.fixture
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    return Tree(tmp_path_factory.mktemp("renamed") / "results")


def rename(tree: Tree, *pairs: tuple[str, str]) -> None:
    tables = "".join(f'[[renamed]]\nfrom = "{old}"\nto = "{new}"\n\n' for old, new in pairs)
    tree.define("[aliases]", f"{tables}[aliases]")


def told(tree: Tree) -> list[tuple[str, str, str]]:
    found = (problem for problem in tree.told() if problem.severity == "error")
    return [(problem.code, problem.place, problem.what) for problem in found]


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
    assert told(tree) == [
        ("RENAMED-FROM-TAKEN", "mini/benchmark.toml:29", "mini/relay is an address that the site has")
    ]


def test_an_address_of_the_site_is_no_former_one(tree: Tree) -> None:
    rename(tree, ("changelog/old", NEW))
    assert [what for _, _, what in told(tree)] == ["changelog/old is an address that the site has"]


def test_an_address_leads_to_one_place(tree: Tree) -> None:
    rename(tree, (OLD, NEW), (OLD, "mini/main"))
    assert told(tree) == [("RENAMED-FROM-TAKEN", "mini/benchmark.toml:33", f"{OLD} is named twice")]


def test_addresses_cannot_lead_round_and_round(tree: Tree) -> None:
    """What is a former address stands nowhere, so nothing can lead there."""
    rename(tree, ("mini/main/a", "mini/main/b"), ("mini/main/b", "mini/main/a"))
    assert [code for code, _, _ in told(tree)] == ["RENAMED-TO-UNKNOWN", "RENAMED-TO-UNKNOWN"]


def test_what_is_no_address_is_refused(tree: Tree) -> None:
    rename(tree, ("https://example.org/", NEW))
    assert [(code, place) for code, place, _ in told(tree)] == [("VALUE-REFUSED", "mini/benchmark.toml:29")]
