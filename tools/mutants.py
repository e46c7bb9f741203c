"""Changes the program in small ways, one at a time, and lists the changes that no test notices: `make mutants`.

tools/mutants.toml lists the modules, the tests of each, and the reviewed changes that have no visible effect, each with
the changed line and a short reason.
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


SHOW = """
import sys
from mutmut.mutation.diff_apply import get_diff_for_mutant
for name in sys.argv[2:]:
    print(get_diff_for_mutant(name, path=sys.argv[1]), end="\\0")
"""


def printed(folder: Path, *command: str | Path) -> str:
    """Run a program, and return its output."""
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if ended.returncode:
        sys.exit(f"{ended.stdout[-3000:]}\n{ended.stderr[-3000:]}")
    return ended.stdout


def changed(difference: str, mark: str, head: str) -> str:
    """Return the lines that a change removes, or the lines that it adds."""
    lines = (
        line
        for line in difference.splitlines()
        if line.startswith(mark) and not line.startswith(head)
    )
    return " ".join(line[1:].strip() for line in lines)


def judged(module: str, tests: list[str], looked_at: dict[str, list[list[str]]]) -> list[str]:
    """Try every change of a module, print how many were noticed, and return those neither noticed nor reviewed.

    Args:
        module: The path of the module.
        tests: The tests that pytest runs.
        looked_at: Reviewed lines and changes that make no difference, by the reason.
    """
    reviewed = {(line, change) for changes in looked_at.values() for line, change in changes}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name in subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines():
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, folder / name)
        copied_names = sorted(
            path.name
            for path in folder.iterdir()
            if path.name not in {"sitegen", "tests", "pyproject.toml"}
        )
        with (folder / "pyproject.toml").open("a", encoding="utf-8") as settings:
            settings.write(SETTINGS.format(module=module, parts=copied_names, tests=tests))
        printed(folder, MUTMUT, "run", "--max-children", "2")
        output = printed(folder, MUTMUT, "results", "--all", "1")
        states = dict(re.findall(r"^ *(\S+): (.+)$", output, re.MULTILINE))
        unnoticed = [
            name
            for name, state in states.items()
            if state in {"survived", "no tests", "suspicious"}
        ]
        shown = printed(folder, sys.executable, "-c", SHOW, module, *unnoticed).split("\0")[:-1]
    made = [(changed(diff, "-", "---"), changed(diff, "+", "+++")) for diff in shown]
    remaining = [
        f"{module}\n  - {gone}\n  + {new}" for gone, new in made if (gone, new) not in reviewed
    ]
    noticed = len(states) - len(made)
    print(
        f"{module:36}{len(states):>9}{noticed:>9}{len(made) - len(remaining):>11}{len(remaining):>6}",
        flush=True,
    )
    return remaining


def main() -> None:
    """Try the changes of the given modules, or of all modules."""
    plan = tomllib.loads(PLAN.read_text(encoding="utf-8"))
    print(f"{'module':36}{'changes':>9}{'noticed':>9}{'looked at':>11}{'left':>6}", flush=True)
    remaining = [
        change
        for name in sys.argv[1:] or plan
        for change in judged(name, plan[name]["tests"], plan[name].get("same", {}))
    ]
    sys.exit("\n".join(remaining) or 0)


if __name__ == "__main__":
    main()
