"""Limits that were stretched, and where checks ran, as far as a trial's files tell."""

from pathlib import Path

import pytest
from kit.harbor_trees import JOB, PASSED, Trial, codes, one_draft, played, write_task

from sitegen.models.submission import Provenance


def provenance(tmp_path: Path, *trials: Trial) -> Provenance:
    """Write trials of as many tasks, and give the provenance of their bundle."""
    for trial in trials:
        write_task(tmp_path / "tasks", trial.task, 1)
        trial.write(tmp_path / "jobs" / JOB, PASSED)
    return one_draft(tmp_path / "jobs", tmp_path / "tasks").submission.provenance


def test_default_limits_are_not_told(tmp_path: Path) -> None:
    config = {"timeout_multiplier": 1.0, "environment": {"override_cpus": None}, "verifier": {"disable": False}}
    assert provenance(tmp_path, Trial(config=config)).overrides is None


def test_stretched_limits_are_told_with_every_value(tmp_path: Path) -> None:
    config = {
        "timeout_multiplier": 2.0,
        "environment": {"override_cpus": 8},
        "verifier": {"override_timeout_sec": 1.5},
        "agent": {"override_timeout_sec": 3600},
    }
    wide_trial = Trial(task="wide", config={"timeout_multiplier": 4})
    assert provenance(tmp_path, Trial(config=config), wide_trial).overrides == {
        "agent.override_timeout_sec": "3600",
        "environment.override_cpus": "8",
        "timeout_multiplier": "2, 4",
        "verifier.override_timeout_sec": "1.5",
    }


def test_readers_are_told_of_limits_that_were_changed(tmp_path: Path) -> None:
    config = {"timeout_multiplier": 2.0, "agent": {"max_timeout_sec": 60}}
    incoming = played(tmp_path, PASSED, trial=Trial(config=config))
    assert codes(incoming) == ["SOURCE-CONDITIONS-DIFFER"]
    caveat = "The runs had limits that differ from those of the tasks: agent.max_timeout_sec 60, timeout_multiplier 2."
    assert caveat in incoming.drafts[0].submission.caveats


@pytest.mark.parametrize(
    ("modes", "expected_verifier"),
    [
        ((None, None), None),
        (("shared", "shared"), "shared"),
        (("separate", None), "separate"),
        (("shared", "separate"), None),
        (("elsewhere", None), None),
    ],
)
def test_where_checks_ran_is_told_where_runs_agree(
    tmp_path: Path, modes: tuple[str | None, ...], expected_verifier: str | None
) -> None:
    trials = (
        Trial(task=task, result={"verifier_environment_mode": mode})
        for task, mode in zip(("tidy", "wide"), modes, strict=True)
    )
    assert provenance(tmp_path, *trials).verifier == expected_verifier


def test_several_tasks_have_one_checksum_together(tmp_path: Path) -> None:
    trials = (
        Trial(task=task, version="0.24.0", digest=f"sha256:{digit * 64}")
        for task, digit in (("tidy", "0"), ("wide", "1"))
    )
    digest = provenance(tmp_path, *trials).task_digest
    assert digest is not None
    assert digest.startswith("sha256:")
    assert digest not in {f"sha256:{'0' * 64}", f"sha256:{'1' * 64}"}
