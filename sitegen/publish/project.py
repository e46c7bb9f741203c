"""Where a leaderboard project keeps the parts that its site is made of."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from sitegen.problems import UsageError

_OWN = Path(__file__).resolve().parents[1] / "project"
"""The parts that an installed package carries."""

_CHECKOUT = Path(__file__).resolve().parents[2]
"""The parts beside the package, in a checkout."""

INHERIT = "INHERIT"
"""The key by which settings name those that they go on from."""

_NOT_FOR_OTHERS = ("develop", "????-??-??.md")
"""Pages of the program's own site: how it is made, and the notes on its releases."""


@dataclass(frozen=True, slots=True)
class Project:
    """The parts of a site that people write: settings, authored pages and templates.

    Attributes:
        root: The folder that they are in.
        beneath: The folder whose parts show where the project has none of its own; None where it has all.
    """

    root: Path
    beneath: Path | None = None

    @property
    def settings(self) -> Path:
        """The builder's settings."""
        return self.root / "mkdocs.yml"

    @property
    def authored(self) -> Path:
        """The authored pages, with styles, scripts and pictures."""
        return self.root / "site_src"

    @property
    def theme(self) -> Path:
        """Changes to the theme."""
        return self.root / "templates" / "theme"

    @property
    def templates(self) -> Path:
        """Templates of the generated pages."""
        return self.root / "templates" / "pages"

    def whole(self, work: Path) -> "Project":
        """Lay a project out with all its parts: its own, and where it has none those beneath.

        Args:
            work: A folder for scratch work.

        Returns:
            The project itself where it has all parts, else one in the folder for scratch work.
        """
        if self.beneath is None:
            return self
        laid = Project(work / "project")
        unwanted = shutil.ignore_patterns(*_NOT_FOR_OTHERS)
        shutil.copytree(self.beneath / "site_src", laid.authored, ignore=unwanted)
        shutil.copytree(self.authored, laid.authored, dirs_exist_ok=True)
        for part in (laid.theme, laid.templates):
            shutil.copytree(self.beneath / part.relative_to(laid.root), part)
        laid.settings.write_text(_inheriting(self.settings, self.beneath / "mkdocs.yml"), encoding="utf-8")
        return laid


def find_project(start: Path) -> Project:
    """Find the project that a folder belongs to: its own parts, else those that come with the program.

    A project without templates takes them from the program, with whatever settings and pages it has not itself.

    Args:
        start: The folder to look in first, then its parents.

    Raises:
        UsageError: The program was installed without its parts.
    """
    found = next((folder for folder in (start, *start.parents) if _is_project(folder)), None)
    if found is None:
        return Project(program_parts())
    return Project(found, None if (found / "templates").is_dir() else program_parts())


def program_parts() -> Path:
    """Find the parts that come with the program.

    Raises:
        UsageError: It was installed without them.
    """
    for root in (_CHECKOUT, _OWN):
        if _is_project(root) and (root / "templates").is_dir():
            return root
    raise UsageError("there is no mkdocs.yml with site_src/ and templates/ here, and none came with the program")


def _is_project(folder: Path) -> bool:
    return (folder / "mkdocs.yml").exists() and (folder / "site_src").is_dir()


def _inheriting(settings: Path, parent: Path) -> str:
    """Give settings that go on from others.

    Raises:
        UsageError: They go on from some already, which would be lost.
    """
    text = settings.read_text(encoding="utf-8")
    if any(line.startswith(f"{INHERIT}:") for line in text.splitlines()):
        raise UsageError(f"{settings} has {INHERIT}, which only a project with templates/ of its own can have")
    return f"{text.rstrip()}\n{INHERIT}: {json.dumps(str(parent.resolve()))}\n"
