"""Recreates the board of Terminal-Bench Core from the public repository of its leaderboard.

Usage: python tools/terminal_bench_board.py SOURCE [RESULTS]

SOURCE is the folder `results` of github.com/laude-institute/terminal-bench-leaderboard. Hand-written files (definition
and published tables) in RESULTS stay unchanged; the task set, the bundles and the release of the day are written.
Without arguments, the commands are printed.
"""

import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import tomlkit
from shipped_results import forget_arrivals

BENCHMARK = "terminal-bench-core"
TRACK = "v0-1-1"
RELEASE = "2026-11-27"
TITLE = "Terminal-Bench Core"


@dataclass(frozen=True)
class Submission:
    """A submission to the leaderboard.

    Attributes:
        folder: Its folder below `results` of the repository.
        organization: The maker of the model.
        reasoning: The reasoning setting, if the authors state one.
    """

    folder: str
    organization: str | None = "Anthropic"
    reasoning: str | None = None

    def words(self, source: str, results: str) -> list[str]:
        """Return the command that imports the submission."""
        command = ["sitegen", "import", "terminal-bench", f"{source}/{self.folder}"]
        command += ["--into", results, "--benchmark", BENCHMARK, "--track", TRACK]
        command += ["--runs", "attempts"]
        if self.organization:
            command += ["--organization", self.organization]
        if self.reasoning:
            command += ["--reasoning", self.reasoning]
        return command


SUBMISSIONS = (
    Submission("terminal-bench-core@0.1.1/20250711_openhands_claude-4-sonnet"),
    Submission("terminal-bench-core@0.1.1/20250811_cursor-cli_claude-4-sonnet"),
    Submission("terminal-bench-core@0.1.1/20250825_swe-agent-mini_claude-4-sonnet"),
    Submission("terminal-bench-core@0.1.1/20250829_goose_claude-4-sonnet"),
    Submission("terminal-bench-core@0.1.1/20250829_goose_claude-4-opus"),
    Submission("terminal-bench-core@0.1.1/20250902_orchestrator_claude-4-sonnet"),
    Submission("terminal-bench-core@0.1.1/20250902_orchestrator_qwen-3-coder-480B", "Alibaba"),
    Submission("terminal-bench-core:0.1.1/20250906_orchestrator_claude-4.1-opus"),
    Submission("terminal-bench-core@0.1.1/20250911_chaterm_claude-4-sonnet"),
    Submission("terminal-bench-core@0.1.1/ob1-09-10-25", None),
    Submission("terminal-bench-core@0.1.1/20250923_droid_claude-4-1-opus", reasoning="no thinking"),
    Submission("terminal-bench-core@0.1.1/20250923_droid_claude-4-sonnet", reasoning="no thinking"),
    Submission("terminal-bench-core@0.1.1/20250924_droid_gpt-5", "OpenAI", "medium"),
)
"""The submissions on the board.

Pull requests name the makers of Claude and GPT-5, and RoadmapBench's board names the maker of Qwen; the post of Droid's
authors states the reasoning settings of their models.
"""


def commands(source: str = "SOURCE", results: str = "results") -> Iterator[list[str]]:
    """Yield the commands that create the board and lock its release."""
    for submission in SUBMISSIONS:
        yield submission.words(source, results)
    yield ["sitegen", "release", RELEASE, "--title", TITLE, "--results", results]


def make(source: Path, results: Path, run: Callable[..., object]) -> None:
    """Recreate everything that can be recreated in a results folder, replacing existing files."""
    folder = results / BENCHMARK
    for name in ("submissions", "tasks"):
        shutil.rmtree(folder / name, ignore_errors=True)
    release = results / "releases" / f"{RELEASE}.toml"
    release.unlink(missing_ok=True)
    agents = results / "agents.toml"
    later = {path: path.read_bytes() for path in (agents, *results.glob("*/findings.toml"))}
    agents.unlink()  # the file is newer than the release
    for path in results.glob("*/findings.toml"):
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        findings = document["findings"]
        document["findings"] = [finding for finding in findings if str(finding["date"]) <= RELEASE]
        path.write_text(tomlkit.dumps(document), encoding="utf-8")
    try:
        for command in commands(str(source), str(results)):
            run(*command[1:])
    finally:
        for path, data in later.items():
            path.write_bytes(data)
    forget_arrivals(results, release)


def _sitegen(*arguments: object) -> None:
    subprocess.run(
        [sys.executable, "-m", "sitegen", *map(str, arguments)],
        check=True,
        stdout=subprocess.DEVNULL,
    )


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            for command in commands():
                print(shlex.join(command))
        case [source_folder, *others]:
            make(Path(source_folder), Path(others[0] if others else "results"), _sitegen)
