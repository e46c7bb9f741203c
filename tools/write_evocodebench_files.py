"""Write result files of EvoCode-Bench in every shape that its site builder produces.

The builder is `evaluation/viz/build_cases_json.py` in the benchmark's repository, which this project does not include.
Pass a copy of it; it requires nothing but Python:

    python tools/write_evocodebench_files.py BUILDER OUT

The files in tests/samples/evocodebench were written by the builder of commit f8fcfaa (25 June 2026). The builder reads
verifier files of invented runs; its list of models is replaced by two invented models.
"""

import os
import re
import runpy
import shutil
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

AGENTS = {"Brook-2": "brook-2", "Creek-1": "creek-1"}
"""Names of agents in the files, with the folder of their runs."""

FOLDER = "2026-06-25-sample"
"""The name of a publication, which begins with its date."""

_MODELS = re.compile(r"^MODELS = \[.*?^\]", re.MULTILINE | re.DOTALL)
_BLANK = "BLANK_CELLS = set()"


@dataclass(frozen=True)
class Verified:
    """The files that the verifier wrote for a round; None for a missing file."""

    reward: str | None = "1"
    output: str | None = ""


def case(number: int, status: str = "success", requirement: str = "R1", reason: str = "") -> str:
    """Return the output line of a test case."""
    texts = f'intent="adds" scenario="1 + {number}" input="{number}" expected="2" actual="3" failure_reason="{reason}"'
    facts = f"case_id=c{number:03} origin_step=base requirement_ref={requirement} case_type=core status={status}"
    return f"CASE_RESULT {facts} {texts}\n"


def output(passed: int, failed: int = 0, summary: str | None = None) -> str:
    """Return the output of a verifier with the given cases, and the line that summarizes them."""
    lines = [case(number) for number in range(1, passed + 1)]
    numbers = range(passed + 1, passed + failed + 1)
    lines += [case(number, "fail", reason="got 3") for number in numbers]
    counts = f"total_cases={passed + failed} success_count={passed} fail_count={failed}"
    return "".join(lines) + (f"CASE_SUMMARY {counts}\n" if summary is None else summary)


def passed(cases: int = 2) -> Verified:
    """Return a round in which all cases passed."""
    return Verified("1\n", output(cases))


def failed(cases: int = 4, fails: int = 1) -> Verified:
    """Return a round in which some cases failed."""
    return Verified("0\n", output(cases - fails, fails))


NOTHING = Verified(None, None)
"""A round that was never reached, or has no verdict; the builder does not distinguish the two."""

GATE = (
    case(1, "fail", "build", "no binary")
    + "CASE_SUMMARY total_cases=1 success_count=0 fail_count=1\n"
)

ROUNDS: Mapping[str, Sequence[Verified]] = {
    "theme_plain": [passed(), failed(), passed(3)],
    "theme_silent_end": [passed(), NOTHING, NOTHING],
    "theme_hole": [passed(), NOTHING, passed()],
    "theme_early_exit": [
        Verified("0", "FAIL: Build failed\n"),
        Verified("0", "nothing to see\n"),
        failed(),
    ],
    "theme_gate": [Verified("0", GATE), passed(), failed()],
    "theme_no_output": [Verified("1", None), Verified("0", None), passed()],
    "theme_no_reward": [Verified(None, output(1, 1)), Verified("", output(2)), passed()],
    "theme_not_a_number": [Verified("nan", output(1, 1)), Verified("inf", output(2)), passed()],
    "theme_fractions": [Verified("0.5", output(1, 1)), Verified("0.9995", output(2)), passed()],
    "theme_no_summary": [
        Verified("0", output(1, 1, "")),
        Verified("1", output(2, 0, "")),
        passed(),
    ],
    "theme_third_status": [
        Verified("0", output(41, 2, "CASE_SUMMARY total_cases=44 success_count=41 fail_count=2\n")),
        passed(),
        passed(),
    ],
    "theme_miscounted": [
        Verified("0", output(3, 1, "CASE_SUMMARY total_cases=2 success_count=3 fail_count=1\n")),
        Verified("1", output(1, 1)),
        Verified("0", output(2)),
    ],
    "theme_printed_twice": [
        Verified(
            "0",
            output(1, 1, "CASE_SUMMARY total_cases=9 success_count=9 fail_count=0\n")
            + output(1, 1),
        ),
        passed(),
        passed(),
    ],
    "theme_excess": [
        Verified("0", output(1, 3, "CASE_SUMMARY total_cases=2 success_count=1 fail_count=1\n")),
        passed(),
        failed(30, 12),
    ],
    "theme_not_run": [NOTHING, NOTHING, NOTHING],
}
"""The rounds of the first agent by task; the second agent passes every round."""


def write_runs(root: Path, tasks: Iterable[str]) -> None:
    """Write some tasks, and the verifier's files of their runs."""
    for task in tasks:
        rounds = ROUNDS[task]
        metadata = f'[metadata]\nname = "{task[6:]}"\ndifficulty = "hard"\ncategory = "sample"\n'
        for number in range(1, len(rounds) + 1):
            step = root / task / "steps" / f"round-{number}"
            step.mkdir(parents=True)
            (step / "instruction.md").write_text(
                f"# Step {number}\n\nDo thing {number}.\n", "utf-8"
            )
        (root / task / "task.toml").write_text(metadata, "utf-8")
        every_round_passed = [passed()] * len(rounds)
        for folder, agent_rounds in zip(AGENTS.values(), (rounds, every_round_passed), strict=True):
            trial = (
                root / task / "harbor_jobs" / folder / "2026-06-24__10-00-00" / f"{task}__AAAAAAA"
            )
            for number, verified in enumerate(agent_rounds, start=1):
                _write_round(trial / "steps" / f"round-{number}" / "verifier", verified)


def _write_round(folder: Path, verified: Verified) -> None:
    folder.mkdir(parents=True)
    if verified.reward is not None:
        (folder / "reward.txt").write_text(verified.reward, "utf-8")
    if verified.output is not None:
        (folder / "test-stdout.txt").write_text(verified.output, "utf-8")


def build(builder: Path, runs: Path, out: Path, blank: str = "") -> None:
    """Run the builder on some runs.

    Args:
        builder: The benchmark's script.
        runs: The folder of tasks.
        out: The folder for the files.
        blank: A task on which the first agent's run is not to count.
    """
    script = builder.read_text("utf-8")
    models = f"MODELS = {[*AGENTS.items()]}"
    changed, times = _MODELS.subn(models, script)
    if times != 1 or _BLANK not in changed:
        raise SystemExit(f"{builder} is not the builder that this script knows")
    first_agent = next(iter(AGENTS))
    if blank:
        changed = changed.replace(_BLANK, f"BLANK_CELLS = {{({first_agent!r}, {blank!r})}}")
    os.environ["EVOCODEBENCH_TASKS_DIR"] = str(runs)
    os.environ["EVOCODEBENCH_DOCS_DATA"] = str(out)
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        copy = Path(folder) / "builder.py"
        copy.write_text(changed, "utf-8")
        runpy.run_path(str(copy))


def main() -> None:
    """Write every sample."""
    builder, out = map(Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        for name, tasks, blank in (
            ("every-shape", [*ROUNDS], ""),
            ("blank-run", ["theme_plain", "theme_fractions"], "theme_plain"),
        ):
            runs = Path(folder) / name
            write_runs(runs, tasks)
            shutil.rmtree(out / name, ignore_errors=True)
            build(builder.resolve(), runs, (out / name / FOLDER).absolute(), blank)


if __name__ == "__main__":
    main()
