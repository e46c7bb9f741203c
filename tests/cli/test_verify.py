"""`sitegen verify`: rounds are read again from what the grader wrote, and every change of one is found."""

import hashlib
import json
import math
import random
import shutil
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from kit.command import sitegen
from kit.real_data import real_data
from kit.results_folders import seal
from kit.transcripts import served

from sitegen.models.journal import seed_of
from sitegen.models.outcome import RoundResult
from sitegen.pipeline.verifying import differences_of, draw_rounds
from sitegen.store.readers.folder import read_results

BENCHMARK = "bench"
FORMS = {
    "slopcodebench": ("slop-code-bench", "pangu_claude_code-2.0.51_just-solve_none_20260601T2146"),
    "harbor": ("harbor", "harbor-0.9.0", "results"),
    "inspect": ("foreign", "inspect"),
    "swebench": ("foreign", "swebench", "run"),
}


def imported(form: str, results: Path) -> tuple[Path, list[Path]]:
    """Import a real sample: its folder, and the bundles."""
    source = real_data(*FORMS[form])
    format_options = ("--tasks", source.parent / "tasks") if form == "harbor" else ()
    done = sitegen(
        "import", form, source, "--into", results, "--benchmark", BENCHMARK, "--allow-missing", *format_options
    )
    assert done.returncode == 0, done.stderr
    return source, sorted((results / BENCHMARK / "submissions").iterdir())


def verify(bundle: Path, source: Path | str, *options: str) -> tuple[int, str]:
    results = bundle.parents[2]
    done = sitegen("verify", f"{BENCHMARK}/{bundle.name}", "--artifacts", source, "--results", results, *options)
    return done.returncode, done.stdout


def changed(dice: random.Random, round_result: RoundResult) -> RoundResult:
    """Change one reward, count or outcome."""
    made = [replace(round_result, reward=1 - round_result.reward if round_result.reward in {0, 1} else 0.0)]
    if round_result.passed is not None and round_result.total is not None:
        made += [
            replace(round_result, passed=round_result.passed + 1),
            replace(round_result, total=round_result.total + 1),
        ]
    if letters := round_result.outcomes:
        at = dice.randrange(len(letters))
        other_letter = dice.choice([letter for letter in "pfes" if letter != letters[at]])
        made.append(replace(round_result, outcomes=letters[:at] + other_letter + letters[at + 1 :]))
    return dice.choice(made)


def missed(truth: Sequence[RoundResult], share: int, changes: int) -> int:
    """Change a round so often, draw a sample each time, and count the changes that it misses; all others are told."""
    dice, detected_count = random.Random(1), 0  # noqa: S311 - to be repeated
    for _ in range(changes):
        index = dice.randrange(len(truth))
        altered_rounds = [*truth[:index], changed(dice, truth[index]), *truth[index + 1 :]]
        drawn = dice.sample(altered_rounds, share)
        differences = differences_of(drawn, truth)
        assert [difference.round for difference in differences] == [
            round_result for round_result in drawn if round_result is altered_rounds[index]
        ]
        detected_count += bool(differences)
    return changes - detected_count


@pytest.mark.parametrize("form", FORMS)
def test_all_rounds_of_a_real_sample_agree_and_of_a_thousand_changes_a_sample_misses_its_share(
    form: str, tmp_path: Path
) -> None:
    source, bundles = imported(form, tmp_path / "results")
    for bundle in bundles:
        rounds = len((bundle / "rounds.jsonl").read_text(encoding="utf-8").splitlines())
        assert verify(bundle, source) == (0, f"{rounds} of {rounds} rounds checked agree\n")
    has_digests = any(b'"grader_digest"' in (bundle / "rounds.jsonl").read_bytes() for bundle in bundles)
    assert has_digests == (form != "slopcodebench")  # of which the sample has no evaluation.json
    read = read_results(tmp_path / "results").benchmarks[0].bundles
    truth = max((bundle.rounds for bundle in read), key=len)
    share = math.ceil(len(truth) / 5)
    chance = 1 - share / len(truth)  # as the command states it
    assert abs(missed(truth, share, 250) / 250 - chance) < 3 * math.sqrt(chance * (1 - chance) / 250)


def test_a_verifier_that_wrote_something_else_is_told_though_its_verdict_is_the_same(tmp_path: Path) -> None:
    source, (bundle, *_) = imported("swebench", tmp_path / "results")
    copy = tmp_path / "copy"
    shutil.copytree(source, copy)
    (runs,) = copy.glob("**/*coral-3b")
    report = min(runs.glob("*/report.json"))
    report.write_text(report.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    code, output = verify(bundle, copy)
    assert (code, output.count("grader_digest")) == (1, 1)


def test_a_changed_reward_is_told_and_what_was_checked_is_written_down(tmp_path: Path) -> None:
    source, (bundle, *_) = imported("swebench", tmp_path / "results")
    path = bundle / "rounds.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    index = next(n for n, record in enumerate(lines) if record["state"] == "scored" and record["reward"] == 0)
    lines[index]["reward"] = 1
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    seal(bundle)
    code, output = verify(bundle, source, "--by", "Ann")
    assert code == 1
    assert f"task {lines[index]['task']}, attempt 1, round 1: reward 1.0, but 0.0 in the artifacts" in output
    check = json.loads((bundle.parents[1] / "checks.jsonl").read_text(encoding="utf-8"))
    digest = hashlib.sha256((bundle / "SHA256SUMS").read_bytes()).hexdigest()
    assert (check["submission"], check["digest"], check["by"]) == (bundle.name, digest, "Ann")
    assert (check["drawn"], check["of"], check["agreed"]) == (len(lines), len(lines), len(lines) - 1)
    findings_document = tomllib.loads((bundle.parents[1] / "findings.toml").read_text(encoding="utf-8"))
    (finding,) = findings_document["findings"]
    assert (finding["submissions"], finding["tasks"], finding["rounds"]) == ([bundle.name], [lines[index]["task"]], [1])
    assert "reward 1.0, but 0.0 in the artifacts" in finding["reason"]
    assert verify(bundle, source)[0] == 1
    assert tomllib.loads((bundle.parents[1] / "findings.toml").read_text(encoding="utf-8")) == findings_document
    assert "findings.toml" not in sitegen("validate", bundle.parents[2]).stdout


def test_artifacts_are_taken_from_where_they_are_served(tmp_path: Path) -> None:
    source, (bundle, *_) = imported("swebench", tmp_path / "results")
    files = [path for path in sorted(source.rglob("*")) if path.is_file()]
    served_folder = tmp_path / "served" / "run"
    shutil.copytree(source, served_folder)
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(source)}\n" for path in files]
    (served_folder / "SHA256SUMS").write_text("".join([*sums, f"{'0' * 64}  ../out\n"]), encoding="utf-8")
    with ZipFile(tmp_path / "served" / "run.zip", "w") as packed:
        packed.writestr("../out", "hostile")
        for path in files:
            packed.write(path, path.relative_to(source))
    with served(tmp_path / "served") as address:
        for name in ("run", "run.zip"):
            code, output = verify(bundle, f"{address}/{name}")
            assert (code, output.endswith("rounds checked agree\n")) == (0, True)
        assert sitegen("verify", f"{BENCHMARK}/{bundle.name}", "--artifacts", f"{address}/none.zip").returncode == 2
    assert not list(tmp_path.rglob("out"))


def test_a_round_that_is_graded_otherwise_when_graded_again_is_told(tmp_path: Path) -> None:
    source, (bundle, *_) = imported("swebench", tmp_path / "results")
    lines = [json.loads(line) for line in (bundle / "rounds.jsonl").read_text(encoding="utf-8").splitlines()]
    true_rewards = {line["task"]: line["reward"] for line in lines}
    grader = tmp_path / "grade.py"

    def again(rewards: Mapping[str, float]) -> tuple[int, str]:
        grades = {task: json.dumps({"reward": reward}) for task, reward in rewards.items()}
        grader.write_text(f"import sys\nprint('graded')\nprint({grades!r}[sys.argv[1]])\n", encoding="utf-8")
        return verify(bundle, source, "--rerun", f"{sys.executable} {grader} {{task}}")

    assert again(true_rewards)[0] == 0
    assert json.loads((bundle.parents[1] / "checks.jsonl").read_text(encoding="utf-8"))["rerun"] is True
    changed_task = next(line["task"] for line in lines if line["state"] == "scored" and line["reward"] == 1)
    code, output = again({**true_rewards, changed_task: 0})
    assert (code, f"task {changed_task}, attempt 1, round 1: reward 1.0, but 0 when graded again" in output) == (
        1,
        True,
    )
    done = sitegen(
        *("verify", f"{BENCHMARK}/{bundle.name}", "--artifacts", source, "--results", bundle.parents[2]),
        *("--rerun", "false"),
    )
    assert (done.returncode, "does not print a last line of JSON with a reward" in done.stderr) == (2, True)


def test_a_check_makes_a_row_verified_until_its_files_change(tmp_path: Path) -> None:
    source, (bundle, *_) = imported("swebench", tmp_path / "results")
    verify(bundle, source, "--sample", "50%")

    def evidence() -> str:
        document: dict[str, Any] = json.loads(sitegen("score", bundle, "--format", "json").stdout)
        return str(document["submissions"][0]["evidence"])

    assert evidence() == "verified"
    manifest = bundle / "submission.toml"
    manifest.write_text(manifest.read_text(encoding="utf-8") + "\n# another state\n", encoding="utf-8")
    seal(bundle)
    assert evidence() != "verified"


@pytest.mark.parametrize("sample", ["0%", "101%", "some"])
def test_a_sample_is_a_share(sample: str, tmp_path: Path) -> None:
    done = sitegen("verify", "a/b", "--artifacts", tmp_path, "--sample", sample)
    assert done.returncode == 2
    assert "--sample needs a share" in done.stderr


def last_check(bundle: Path) -> dict[str, Any]:
    lines = (bundle.parents[1] / "checks.jsonl").read_text(encoding="utf-8").splitlines()
    check: dict[str, Any] = json.loads(lines[-1])
    return check


def falsify(bundle: Path, count: int) -> set[str]:
    """Turn the first rewards of 0 into 1; give their tasks."""
    path = bundle / "rounds.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    failed = [line for line in lines if line["state"] == "scored" and line["reward"] == 0][:count]
    for record in failed:
        record["reward"] = 1
        record.pop("outcomes", None)
        if record.get("total"):
            record["passed"] = record["total"]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    seal(bundle)
    return {failed_record["task"] for failed_record in failed}


def rounds_of(bundle: Path) -> Sequence[RoundResult]:
    (read,) = read_results(bundle.parents[2]).benchmarks
    return next(read_bundle.rounds for read_bundle in read.bundles if read_bundle.id == bundle.name)


def test_two_checks_draw_by_two_nonces_and_the_record_gives_the_rounds_that_were_drawn(tmp_path: Path) -> None:
    source, (bundle, *_) = imported("swebench", tmp_path / "results")
    falsified = falsify(bundle, 3)
    nonces = set()
    for _ in range(2):
        _, output = verify(bundle, source, "--sample", "50%")
        check = last_check(bundle)
        nonces.add(check["nonce"])
        assert check["seed"] == seed_of(check["base"], check["digest"], check["nonce"])
        drawn = {round_result.task for round_result in draw_rounds(rounds_of(bundle), check["seed"], check["drawn"])}
        assert len(drawn) == check["drawn"] < check["of"]
        differing = {
            line.removeprefix("task ").partition(",")[0] for line in output.splitlines() if "artifacts" in line
        }
        assert differing == falsified & drawn
    assert len(nonces) == 2


def test_a_submitter_who_rewrites_a_file_until_a_sample_misses_the_false_rounds_is_found(tmp_path: Path) -> None:
    source, (bundle, *_) = imported("swebench", tmp_path / "results")
    falsified = falsify(bundle, 3)
    rounds = sorted(rounds_of(bundle), key=lambda round_result: round_result.place)
    count = math.ceil(len(rounds) / 4)
    manifest = bundle / "submission.toml"
    text = manifest.read_text(encoding="utf-8")
    for number in range(1000):  # what the submitter could do while the seed followed from the files alone
        manifest.write_text(f"{text}# {number}\n", encoding="utf-8")
        seal(bundle)
        seed = seed_of("none", hashlib.sha256((bundle / "SHA256SUMS").read_bytes()).hexdigest(), None)
        foreseen = random.Random(seed).sample(rounds, count)  # noqa: S311 - as it was drawn
        if not falsified & {foreseen_round.task for foreseen_round in foreseen}:
            break
    else:
        pytest.fail("no content makes the sample miss them")
    tries = 30
    assert any(verify(bundle, source, "--sample", "25%")[0] == 1 for _ in range(tries))


@pytest.mark.parametrize("share", [0.5, 1])
def test_a_sample_drawn_without_a_nonce_does_not_verify(share: float, tmp_path: Path) -> None:
    source, (bundle, *_) = imported("swebench", tmp_path / "results")
    verify(bundle, source)
    check = last_check(bundle)
    del check["nonce"]
    count = math.ceil(share * check["of"])
    counts = share == 1
    check |= {"seed": seed_of(check["base"], check["digest"], None), "drawn": count, "agreed": count}
    (bundle.parents[1] / "checks.jsonl").write_text(json.dumps(check) + "\n", encoding="utf-8")
    scores: dict[str, Any] = json.loads(sitegen("score", bundle, "--format", "json").stdout)
    assert (scores["submissions"][0]["evidence"] == "verified") is counts
    assert ("CHECK-FORESEEABLE" in sitegen("validate", bundle.parents[2]).stdout) is not counts
