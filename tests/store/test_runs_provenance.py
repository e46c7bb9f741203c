"""What a manifest says of the runs has to be right; it may always say nothing."""

import hashlib

import pytest
from kit.results_folders import TASKS, Tree, json_lines

HASH = "0123456789abcdef0123456789abcdef01234567"
DIGEST = "sha256:" + "a" * 64


def about(tree: Tree, text: str) -> list[tuple[str, str, str, str]]:
    """Add to the provenance, and give what is told: code, severity, place and fact."""
    tree.edit("submission.toml", "[detail]", f"[provenance]\n{text}\n\n[detail]")
    return [(problem.code, problem.severity, problem.place, problem.what) for problem in tree.told()]


@pytest.mark.parametrize(
    "text",
    [
        "started = 2026-06-24\nfinished = 2026-06-24",
        "started = 2026-06-24T23:00:00Z\nfinished = 2026-06-25T01:30:00+02:00",
        "started = 2026-06-24T23:00:00Z\nfinished = 2026-06-24",
        "started = 2026-06-25T01:00:00\nfinished = 2026-06-24T23:30:00Z",
        "finished = 2026-06-27",
        "started = 2026-06-25\nfinished = 2026-07-09",
        f'code_commit = "{HASH}"\ndirty = false',
        f'code_commit = "{"AB" * 32}"',
        f'images = ["tidy@{DIGEST}", "wide:latest"]',
        f'images = {{ tidy = "{DIGEST}" }}',
        "overrides = {}",
        'harness = "harbor"\nharness_version = "0.24.0"\nverifier = "shared"',
        'harness = "harbor"\nharness_version = "0.16.0"\nverifier = "separate"',
        'harness = "harbor"\nharness_version = "0.16.0"',
        'harness = "other"\nharness_version = "0.16.0"\nverifier = "shared"',
        f'trajectories = "https://files.example.org/{{task}}.json"\ntrajectories_digest = "{"b" * 64}"',
        'task_digest = "whatever"',
    ],
)
def test_what_may_be_right_is_no_problem(tree: Tree, text: str) -> None:
    assert about(tree, text) == []


@pytest.mark.parametrize(
    ("started", "finished"),
    [
        ("2026-06-25", "2026-06-24"),
        ("2026-06-25T10:00:00Z", "2026-06-25T11:30:00+02:00"),
        ("2026-06-25T10:00:00", "2026-06-25T09:59:59"),
        ("2026-06-25", "2026-06-23T10:00:00Z"),
    ],
)
def test_runs_start_before_they_finish(tree: Tree, started: str, finished: str) -> None:
    ((code, severity, location, _),) = about(tree, f"started = {started}\nfinished = {finished}")
    assert (code, severity, location) == ("PROVENANCE-DATES-DISORDERED", "error", "submission.toml:10")


def test_runs_finished_after_the_day_of_their_results_are_told(tree: Tree) -> None:
    expected_message = "finished on 2026-06-28, but the submission's date is 2026-06-25"
    problems = about(tree, "finished = 2026-06-28T10:00:00Z")
    assert problems == [("PROVENANCE-FINISHED-LATE", "warning", "submission.toml:10", expected_message)]


def test_a_model_is_released_before_it_is_run(tree: Tree) -> None:
    tree.edit("submission.toml", 'organization = "Acme"', "model_released = 2026-07-01")
    expected_message = "the model was released on 2026-07-01, but run by 2026-06-25"
    assert [(problem.code, problem.place, problem.what) for problem in tree.told()] == [
        ("MODEL-RELEASED-LATE", "submission.toml:7", expected_message)
    ]


def test_a_dirty_tree_is_a_note(tree: Tree) -> None:
    problems = about(tree, f'code_commit = "{HASH}"\ndirty = true')
    assert problems == [("PROVENANCE-DIRTY", "note", "submission.toml:11", "the files differed from the commit")]


def test_a_dirty_mark_is_a_dirty_tree(tree: Tree) -> None:
    problems = about(tree, f'code_commit = "{HASH}-dirty"')
    assert problems == [("PROVENANCE-DIRTY", "note", "submission.toml:10", f'the commit is "{HASH}-dirty"')]


@pytest.mark.parametrize("commit", ["0123456", HASH, "AB" * 32, "v1.2", "1.0.0rc1", "release-2-14-g0123abc"])
def test_a_commit_is_a_hash_of_any_length_or_what_git_describe_prints(tree: Tree, commit: str) -> None:
    assert about(tree, f'code_commit = "{commit}"') == []


@pytest.mark.parametrize("commit", ["main", "", "feature/x", f" {HASH}"])
def test_a_commit_that_names_no_state_of_the_code_is_a_warning(tree: Tree, commit: str) -> None:
    ((code, severity, location, _),) = about(tree, f'code_commit = "{commit}"')
    assert (code, severity, location) == ("PROVENANCE-COMMIT-INVALID", "warning", "submission.toml:10")


def with_digests(tree: Tree, *digests: str) -> None:
    """Register tasks with digests."""
    tasks = ({**task, "digest": digest} for task, digest in zip(TASKS, digests, strict=True))
    tree.put("tasks/all.jsonl", json_lines(*tasks))


def test_tasks_that_share_a_digest_have_been_run(tree: Tree) -> None:
    with_digests(tree, DIGEST, DIGEST)
    assert about(tree, f'task_digest = "{"A" * 64}"') == []


def test_tasks_with_digests_of_their_own_have_one_together(tree: Tree) -> None:
    with_digests(tree, "one", "two")
    together = hashlib.sha256(b"tidy one\nwide two\n").hexdigest()
    assert about(tree, f'task_digest = "sha256:{together}"') == []


def test_a_commit_that_all_digests_name_stands_for_them(tree: Tree) -> None:
    with_digests(tree, f"v1@{HASH}#1", f"v1@{HASH}#2")
    assert about(tree, f'task_digest = "{HASH}"') == []


@pytest.mark.parametrize("digests", [(DIGEST, DIGEST), ("one", "two")])
def test_other_tasks_than_the_registered_ones_are_an_error(tree: Tree, digests: tuple[str, str]) -> None:
    with_digests(tree, *digests)
    ((code, severity, location, message),) = about(tree, 'task_digest = "sha256:0123"')
    assert (code, severity, location) == ("PROVENANCE-TASKS-DIFFER", "error", "submission.toml:10")
    assert message.startswith("`task_digest` is sha256:0123, but all has sha256:")


def test_a_digest_that_can_be_none_is_an_error(tree: Tree) -> None:
    expected_message = "an image has the digest sha256:0"
    problems = about(tree, f'images = ["tidy@{DIGEST}", "wide@sha256:0"]')
    assert problems == [("PROVENANCE-IMAGE-INVALID", "error", "submission.toml:10", expected_message)]


def test_other_limits_than_the_benchmark_s_are_a_warning(tree: Tree) -> None:
    expected_message = "2 limits overridden: timeout_multiplier = 2, environment.override_cpus = 8"
    problems = about(tree, 'overrides = { timeout_multiplier = "2", "environment.override_cpus" = "8" }')
    assert problems == [("PROVENANCE-OVERRIDES", "warning", "submission.toml:10", expected_message)]


@pytest.mark.parametrize("version", ["0.23.0", "0.9.0, 0.24.0", "v0.16"])
def test_a_harness_that_leaves_checks_behind_is_told(tree: Tree, version: str) -> None:
    problems = about(tree, f'harness = "Harbor"\nharness_version = "{version}"\nverifier = "shared"')
    expected_message = f"Harbor {version} leaves the checks of a round in the agent's container"
    assert problems == [("PROVENANCE-VERIFIER-SHARED", "warning", "submission.toml:12", expected_message)]


@pytest.mark.parametrize(
    "text", ['trajectories_digest = "abc"\ntrajectories = "a.json"', f'trajectories_digest = "{DIGEST}"']
)
def test_transcripts_are_named_and_hashed(tree: Tree, text: str) -> None:
    ((code, severity, location, _),) = about(tree, text)
    assert (code, severity, location) == ("TRAJECTORIES-DIGEST-INVALID", "error", "submission.toml:10")
