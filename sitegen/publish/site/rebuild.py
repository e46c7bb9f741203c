"""Build the site of another checkout to compare it with a copy. Start with `build_site`."""

import subprocess
from pathlib import Path

from sitegen.problems import UsageError
from sitegen.publish.machine.processes import python_command


def build_site(project: Path, folder: Path) -> Path:
    """Build the site of a project into a folder, and return its path.

    The project's cache is not used, because a forged cache would confirm its own pages.

    Raises:
        UsageError: The build failed.
    """
    site = folder / "site"
    cache = folder / "cache"
    folders = ["--site", str(site.absolute()), "--cache", str(cache.absolute())]
    command = python_command("-m", "sitegen", "build", *folders)
    process = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    if process.returncode or not site.is_dir():
        output = process.stderr.strip() or process.stdout.strip()
        raise UsageError(f"the site of {project} can't be built: {output}")
    return site
