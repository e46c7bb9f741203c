"""Changes the program in small ways, one at a time, and tells which changes no test notices: `make mutants`.

tools/mutants.toml names the modules, the tests of each, and the changes that were looked at: those that change
nothing that anybody could see, each with a word why.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLAN = Path(__file__).with_suffix(".toml")
MUTMUT = Path(sys.executable).with_name("mutmut")
SETTINGS = """
[tool.mutmut]
source_paths = ["sitegen"]
only_mutate = ["{module}"]
also_copy = {parts}
timeout_multiplier = 5
pytest_add_cli_args = ["-n", "0", "-q", "-p", "no:cacheprovider"]
pytest_add_cli_args_test_selection = {tests}
"""


def mutmut(folder: Path, *words: str) -> str:
    """Run the tool that changes, and give what it prints."""
    ended = subprocess.run([MUTMUT, *words], cwd=folder, capture_output=True, text=True, check=False)
    if ended.returncode:
        sys.exit(f"{ended.stdout[-3000:]}\n{ended.stderr[-3000:]}")
    return ended.stdout


def changes(folder: Path, name: str) -> tuple[str, str]:
    """Give the lines that a change takes away, and those that it puts there."""
    lines = mutmut(folder, "show", name).splitlines()
    gone = [line[1:].strip() for line in lines if line.startswith("-") and not line.startswith("---")]
    new = [line[1:].strip() for line in lines if line.startswith("+") and not line.startswith("+++")]
    return " ".join(gone), " ".join(new)


def judged(module: str, tests: list[str], looked_at: dict[str, list[str]]) -> list[str]:
    """Try every change of a module, print how many were noticed, and give those that were neither that nor looked at.

    Args:
        module: The module's path.
        tests: What pytest is to run.
        looked_at: Changed lines that make no difference, by the reason why.
    """
    known = {line for lines in looked_at.values() for line in lines}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name in subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines():
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, folder / name)
        parts = sorted(
            path.name for path in folder.iterdir() if path.name not in {"sitegen", "tests", "pyproject.toml"}
        )
        with (folder / "pyproject.toml").open("a", encoding="utf-8") as settings:
            settings.write(SETTINGS.format(module=module, parts=parts, tests=tests))
        mutmut(folder, "run", "--max-children", "2")
        states = dict(re.findall(r"^ *(\S+): (.+)$", mutmut(folder, "results", "--all", "1"), re.MULTILINE))
        unnoticed = [name for name, state in states.items() if state in {"survived", "no tests", "suspicious"}]
        made = [changes(folder, name) for name in unnoticed]
    left = [f"{module}\n  - {gone}\n  + {new}" for gone, new in made if new not in known]
    noticed = len(states) - len(made)
    print(f"{module:36}{len(states):>9}{noticed:>9}{len(made) - len(left):>11}{len(left):>6}", flush=True)
    return left


def main() -> None:
    """Judge the modules that are named, or all."""
    plan = tomllib.loads(PLAN.read_text(encoding="utf-8"))
    print(f"{'module':36}{'changes':>9}{'noticed':>9}{'looked at':>11}{'left':>6}", flush=True)
    left = [
        each for name in sys.argv[1:] or plan for each in judged(name, plan[name]["tests"], plan[name].get("same", {}))
    ]
    sys.exit("\n".join(left) or 0)


if __name__ == "__main__":
    main()
