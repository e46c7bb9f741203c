"""A submission that no longer stands says which replaces it, since when and why."""

import pytest
from kit.results_folders import MANIFEST, ROUNDS, Tree

OTHER = MANIFEST.replace("Acme-1", "Acme-2")
RELAY = OTHER.replace('"main"', '"relay"')


def with_status(tree: Tree, text: str) -> list[tuple[str, str, str, str]]:
    """Give the bundle a status, and give what is told: code, severity, place and fact."""
    tree.edit("submission.toml", "[detail]", f"[status]\n{text}\n\n[detail]")
    return [
        (problem.code, problem.severity, problem.place, problem.what)
        for problem in tree.told()
        if problem.place.startswith("submission")
    ]


@pytest.mark.parametrize(
    "text",
    [
        'state = "published"\ndate = 2026-06-25',
        'state = "withdrawn"\nreason = "a leak"\ndate = 2026-06-26',
        'state = "superseded"\nby = "2026-07-01-acme"',
    ],
)
def test_what_a_status_needs_is_enough(tree: Tree, text: str) -> None:
    tree.add("2026-07-01-acme", *ROUNDS, manifest=OTHER)
    assert with_status(tree, text) == []


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ('state = "withdrawn"\ndate = 2026-06-26', "reason"),
        ('state = "withdrawn"\ndate = 2026-06-26\nreason = " "', "reason"),
        ('state = "withdrawn"\nreason = "a leak"', "date"),
        ('state = "superseded"', "by"),
    ],
)
def test_what_a_status_lacks_is_told(tree: Tree, text: str, missing: str) -> None:
    ((code, severity, _, message),) = with_status(tree, text)
    assert (code, severity) == ("STATUS-INCOMPLETE", "error")
    assert message.endswith(f"but `{missing}` is missing")


@pytest.mark.parametrize("text", ['by = "2026-07-01-acme"', 'reason = "a leak"'])
def test_a_published_submission_is_not_replaced(tree: Tree, text: str) -> None:
    expected_message = f'`[status]` has `{text.split(maxsplit=1)[0]}`, but the state is "published"'
    assert with_status(tree, text) == [("STATUS-CONTRADICTED", "error", "submission.toml:10", expected_message)]


def test_a_status_changes_after_the_results(tree: Tree) -> None:
    problems = with_status(tree, 'state = "withdrawn"\nreason = "a leak"\ndate = 2026-06-24')
    expected_message = "withdrawn on 2026-06-24, but the results are from 2026-06-25"
    assert problems == [("STATUS-DATE-EARLY", "error", "submission.toml:12", expected_message)]


def replaced_by(tree: Tree, name: str) -> list[tuple[str, str, str, str]]:
    """Let another bundle replace the first, and give what is told of that."""
    return with_status(tree, f'state = "superseded"\nby = "{name}"')


def wrong(message: str) -> list[tuple[str, str, str, str]]:
    """Give what is told of a replacement that is none."""
    return [("STATUS-REPLACEMENT-WRONG", "error", "submission.toml:11", message)]


def test_a_replacement_is_there(tree: Tree) -> None:
    assert replaced_by(tree, "2026-07-01-acme") == wrong("there is no submission `2026-07-01-acme`")


def test_a_replacement_that_was_renamed_is_proposed_by_its_new_name(tree: Tree) -> None:
    tree.add("2026-07-01-acme-two", *ROUNDS, manifest=MANIFEST.replace("2026-06-25", "2026-07-01"))
    tree.define("[aliases]", '[[renamed]]\nfrom = "mini/main/july"\nto = "mini/main/2026-07-01-acme-two"\n\n[aliases]')
    tree.edit("submission.toml", "[detail]", '[status]\nstate = "superseded"\nby = "july"\n\n[detail]')
    fixes = [problem.fix for problem in tree.told() if problem.code == "STATUS-REPLACEMENT-WRONG"]
    assert fixes == ["it is now called `2026-07-01-acme-two`"]


def test_a_submission_is_not_proposed_to_replace_itself(tree: Tree) -> None:
    tree.edit("submission.toml", "[detail]", f'[status]\nstate = "superseded"\nby = "{tree.bundle.name}x"\n\n[detail]')
    (problem,) = [candidate for candidate in tree.told() if candidate.code == "STATUS-REPLACEMENT-WRONG"]
    assert tree.bundle.name not in problem.fix


def test_a_replacement_that_has_errors_is_there_all_the_same(tree: Tree) -> None:
    tree.add("2026-07-01-acme", manifest="schema =")
    assert replaced_by(tree, "2026-07-01-acme") == []


def test_nothing_replaces_itself(tree: Tree) -> None:
    assert replaced_by(tree, tree.bundle.name) == wrong("it replaces itself")


def test_a_replacement_is_on_the_same_track(tree: Tree) -> None:
    tree.add("2026-07-01-acme", *ROUNDS, manifest=RELAY)
    assert replaced_by(tree, "2026-07-01-acme") == wrong("2026-07-01-acme is on track relay, not on main")


def test_a_track_that_supersedes_another_takes_its_replacements(tree: Tree) -> None:
    tree.define('title = "Main"', 'title = "Main"\nsuperseded_by = "relay"')
    tree.add("2026-07-01-acme", *ROUNDS, manifest=RELAY)
    assert replaced_by(tree, "2026-07-01-acme") == []


def test_submissions_do_not_replace_each_other(tree: Tree) -> None:
    """One of them is told, and not each."""
    back = f'{OTHER}\n[status]\nstate = "superseded"\nby = "{tree.bundle.name}"\n'
    tree.add("2026-07-01-acme", *ROUNDS, manifest=back)
    assert replaced_by(tree, "2026-07-01-acme") == wrong("2026-06-25-acme, 2026-07-01-acme replace each other")
    assert tree.codes() == ["STATUS-REPLACEMENT-WRONG"]


def test_replacements_may_be_replaced(tree: Tree) -> None:
    further = f'{OTHER}\n[status]\nstate = "superseded"\nby = "2026-07-02-acme"\n'
    tree.add("2026-07-01-acme", *ROUNDS, manifest=further)
    tree.add("2026-07-02-acme", *ROUNDS, manifest=MANIFEST.replace("Acme-1", "Acme-3"))
    assert replaced_by(tree, "2026-07-01-acme") == []
