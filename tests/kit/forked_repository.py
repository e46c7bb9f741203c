"""A repository with results, a fork of it, and the merge commit of a pull request as created by GitHub."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import cache_from_source
from pathlib import Path

from kit import command
from sitegen.importers.simulation import SimulationScale, simulate
from sitegen.pipeline.importing import apply_import

ROOT = Path(__file__).parents[2]
PROGRAM = ("sitegen", "site_src", "templates", "tools", "mkdocs.yml", "pyproject.toml", "Makefile", "README.md")
"""The parts of this project that a checkout needs to check results and build the site."""

SUBMISSIONS = Path("results/demo/submissions")


def git(folder: Path, *arguments: str) -> str:
    """Run git as an arbitrary user, and return its output."""
    who = {f"GIT_{role}_{key}": "someone@example.org" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    environment = {**os.environ, **who, **settings}
    arguments = ("git", "-c", "init.defaultBranch=main", *arguments)
    return subprocess.run(
        arguments, cwd=folder, check=True, capture_output=True, text=True, env=environment
    ).stdout.strip()


def commit(folder: Path, message: str) -> None:
    """Commit all changes in a repository."""
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "--no-verify", "-m", message)


class Upstream:
    """The repository of a leaderboard: this program, and a few simulated results."""

    def __init__(self, folder: Path) -> None:
        """Create the repository."""
        self.folder = folder
        folder.mkdir(parents=True)
        for name in PROGRAM:
            source_path = ROOT / name
            if source_path.is_dir():
                shutil.copytree(source_path, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copyfile(source_path, folder / name)
        apply_import(simulate(SimulationScale(agents=3, tasks=2, attempts=1)), folder / "results")
        git(folder, "init", "-q")
        commit(folder, "The leaderboard")

    def pull_request(self, change: Callable[[Path], None], number: int) -> str:
        """Change a fork and create GitHub's test merge; return the commit of the fork."""
        git(self.folder, "switch", "-q", "--create", f"fork-{number}", "main")
        change(self.folder)
        commit(self.folder, "A change")
        git(self.folder, "switch", "-q", "--detach", "main")
        git(self.folder, "merge", "-q", "--no-ff", "-m", "A try", f"fork-{number}")
        git(self.folder, "update-ref", f"refs/pull/{number}/merge", "HEAD")
        git(self.folder, "switch", "-q", "main")
        return git(self.folder, "rev-parse", f"fork-{number}")

    def check_out(self, number: int, into: Path, depth: int) -> None:
        """Fetch a pull request as the checkout action does."""
        into.mkdir()
        git(into, "init", "-q")
        git(into, "fetch", "-q", "--depth", str(depth), self.folder.as_uri(), f"refs/pull/{number}/merge")
        git(into, "checkout", "-q", "--detach", "FETCH_HEAD")


def bundle_on(track: str, root: Path) -> Path:
    """Return the folder of a track's first bundle in a checkout."""
    bundles = sorted((root / SUBMISSIONS).iterdir())
    return next(
        bundle for bundle in bundles if f'track = "{track}"' in (bundle / "submission.toml").read_text(encoding="utf-8")
    )


def replace(path: Path, old: str, new: str) -> None:
    """Replace the first occurrence of a text in a file."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def use_the_command(checkout: Path) -> None:
    """Replace `make runtime` by the shared command, for tests that may run any copy of the program."""
    program = checkout / ".venv" / "bin" / "sitegen"
    program.parent.mkdir(parents=True)
    program.symlink_to(command.program())


def use_this_python(checkout: Path) -> None:
    """Replace `make runtime`: use the checkout's own program with the libraries installed here.

    Compiled modules are copied, because compiling the complete program takes as long as a build.
    """
    for module_path in (checkout / "sitegen").rglob("*.py"):
        source = ROOT / module_path.relative_to(checkout)
        compiled, compiled_copy = (Path(cache_from_source(str(module_file))) for module_file in (source, module_path))
        if compiled.exists() and module_path.read_bytes() == source.read_bytes():
            shutil.copystat(source, module_path)  # Python recognizes compiled modules by the time of the source.
            compiled_copy.parent.mkdir(exist_ok=True)
            shutil.copyfile(compiled, compiled_copy)
    program = checkout / ".venv" / "bin" / "sitegen"
    program.parent.mkdir(parents=True)
    lines = (
        f"#!{sys.executable}",
        "import sys",
        f"sys.path.insert(0, {str(checkout)!r})",
        "from sitegen.cli import main",
        "sys.exit(main())",
    )
    program.write_text("\n".join([*lines, ""]), encoding="utf-8")
    program.chmod(0o755)
