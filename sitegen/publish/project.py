"""Where a leaderboard project keeps the parts that its site is made of."""

from dataclasses import dataclass
from pathlib import Path

from sitegen.errors import UsageError

_OWN = Path(__file__).resolve().parents[1] / "project"
"""The parts that an installed package carries."""

_CHECKOUT = Path(__file__).resolve().parents[2]
"""The parts beside the package, in a checkout."""


@dataclass(frozen=True, slots=True)
class Project:
    """The parts of a site that people write: settings, authored pages and templates."""

    root: Path

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


def find_project(start: Path) -> Project:
    """Find the project that a folder belongs to: its own parts, else those that come with the program.

    Args:
        start: The folder to look in first, then its parents.

    Raises:
        UsageError: The program was installed without its parts.
    """
    candidates = [folder for folder in (start, *start.parents) if (folder / "site_src").is_dir()]
    for root in (*candidates, _CHECKOUT, _OWN):
        if (root / "mkdocs.yml").exists() and (root / "site_src").is_dir() and (root / "templates").is_dir():
            return Project(root)
    raise UsageError("there is no mkdocs.yml with site_src/ and templates/ here, and none came with the program")
