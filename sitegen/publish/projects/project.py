"""Find the leaderboard project around a folder, or the program's own. Start with `find_project`."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from sitegen.problems import UsageError

PACKAGE = Path(__file__).resolve().parents[2]
"""The folder of the running program."""

_RESOURCE_FOLDERS = (PACKAGE.parent, PACKAGE / "project")
"""Folders that may contain the program's settings, pages and templates: checkout, then package."""

INHERIT = "INHERIT"
"""The key of settings for the file that they inherit from."""

_OWN_PAGES = ("develop", "docs", "submit", "????-??-??.md")
"""Pages that other projects do not get: the program's documentation and its release notes."""


@dataclass(frozen=True, slots=True)
class Project:
    """The settings, authored pages and templates of a site."""

    root: Path
    fallback: Path | None = None
    """The folder that supplies files that the project lacks; None if the project has all files."""

    @property
    def settings(self) -> Path:
        """The path of the builder's settings."""
        return self.root / "mkdocs.yml"

    @property
    def authored(self) -> Path:
        """The folder of the authored pages, with styles, scripts and pictures."""
        return self.root / "site_src"

    @property
    def theme(self) -> Path:
        """The folder with changes to the theme."""
        return self.root / "templates" / "theme"

    @property
    def templates(self) -> Path:
        """The folder with the templates of generated pages."""
        return self.root / "templates" / "pages"

    @property
    def board_pages(self) -> Path:
        """The folder of authored pages that other projects get instead of the program's own."""
        return self.root / "templates" / "board"

    def with_fallback(self, work: Path) -> "Project":
        """Return the project with all files: itself, or a copy completed from its fallback.

        Args:
            work: The folder in which the copy is created.

        Raises:
            UsageError: The settings already inherit from other settings, which would be lost.
        """
        if self.fallback is None:
            return self
        merged = Project(work / "project")
        base = Project(self.fallback)
        ignore = shutil.ignore_patterns(*_OWN_PAGES)
        shutil.copytree(base.authored, merged.authored, ignore=ignore)
        for pages in (base.board_pages, self.authored):
            shutil.copytree(pages, merged.authored, dirs_exist_ok=True)
        shutil.copytree(base.theme, merged.theme)
        shutil.copytree(base.templates, merged.templates)
        settings = self.settings.read_text(encoding="utf-8")
        if any(line.startswith(f"{INHERIT}:") for line in settings.splitlines()):
            raise UsageError(
                f"{self.settings} has {INHERIT}, which needs a project with its own templates/"
            )
        parent = json.dumps(str(base.settings.resolve()))
        merged_settings = f"{settings.rstrip()}\n{INHERIT}: {parent}\n"
        merged.settings.write_text(merged_settings, encoding="utf-8")
        return merged


def find_project(start: Path) -> Project:
    """Return the project in a folder or its nearest parent; the program's own if there is none.

    A project without templates uses the program's templates, and uses the program's settings and
    pages in place of missing ones.

    Raises:
        UsageError: The program was installed without its settings, pages and templates.
    """
    root = next((folder for folder in (start, *start.parents) if _is_project(folder)), None)
    if root is None:
        return Project(program_resources())
    if (root / "templates").is_dir():
        return Project(root)
    return Project(root, program_resources())


def program_resources() -> Path:
    """Return the folder with the program's own settings, pages and templates.

    Raises:
        UsageError: The program was installed without its settings, pages and templates.
    """
    for root in _RESOURCE_FOLDERS:
        if _is_project(root) and (root / "templates").is_dir():
            return root
    raise UsageError(
        "there is no mkdocs.yml with site_src/ and templates/ here, and the program was "
        "installed without them"
    )


def _is_project(folder: Path) -> bool:
    return (folder / "mkdocs.yml").exists() and (folder / "site_src").is_dir()
