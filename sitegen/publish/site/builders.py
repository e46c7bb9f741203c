"""Builders, which are programs that make pages from Markdown, by name in `extra: builder:`.

Only this module knows how builders differ. The theme's settings and templates use only features
that all builders support. Start with `find_builder`.
"""

import json
import re
import shutil
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, TypeAlias

import yaml

from sitegen.problems import UsageError
from sitegen.publish.projects.project import INHERIT
from sitegen.publish.site.search_index import SEARCH_INDEX

Settings: TypeAlias = dict[str, object]

_DEFAULT_BUILDER = "mkdocs"
_OUTPUT_FOLDER = "made"
_DOCUMENT_KEYS = ("location", "title", "text")
_SKIP_LINK = re.compile(r'<a href="#__skip".*?</a>', re.DOTALL)


class Builder(NamedTuple):
    """A program that makes pages from Markdown; it takes mkdocs's arguments."""

    module: str
    """The module that Python runs."""
    make_settings: Callable[[Settings, Settings, Path], Settings]
    """Returns the builder's settings, given the project's, this build's and the working folder."""
    finish: Callable[[Path, Path], None]
    """Moves the output from the working folder to the site, with the search index in our format."""

    def write_settings(self, project: Settings, build: Settings, work: Path) -> list[str]:
        """Write the builder's settings, and return the command that runs the builder.

        Args:
            project: The project's settings.
            build: The settings of this build, which override the project's.
            work: The working folder.
        """
        config = work / "mkdocs.yml"
        settings = yaml.safe_dump(self.make_settings(project, build, work), sort_keys=False)
        config.write_text(settings, encoding="utf-8")
        return [self.module, "build", "--strict", "--config-file", str(config)]


def find_builder(settings: Mapping[str, object]) -> Builder:
    """Return the builder that a project's settings name.

    Raises:
        UsageError: There is no builder of this name, or it is not installed.
    """
    extra = settings.get("extra")
    name = _DEFAULT_BUILDER
    if isinstance(extra, dict):
        name = str(extra.get("builder", _DEFAULT_BUILDER))
    if name not in _BUILDERS:
        raise UsageError(
            f"`extra: builder:` in mkdocs.yml is {name}; use one of: {', '.join(_BUILDERS)}"
        )
    if find_spec(name) is None:
        raise UsageError(
            f"`extra: builder:` in mkdocs.yml is {name}, which is not installed; run `pip install "
            f"{name}`"
        )
    return _BUILDERS[name]


def _mkdocs_settings(_project: Settings, build: Settings, _work: Path) -> Settings:
    """Return the settings of the build, since mkdocs reads the project's settings itself."""
    return build


def _finish_mkdocs(_work: Path, _site: Path) -> None:
    """Do nothing, since mkdocs writes to the site itself."""


def _zensical_settings(project: Settings, build: Settings, work: Path) -> Settings:
    """Return all settings in one file, because zensical concatenates lists from several files.

    All its folders must be below its working folder, so the theme is copied there.
    """
    build_theme = build["theme"]
    theme = build_theme if isinstance(build_theme, dict) else {}
    shutil.copytree(str(theme["custom_dir"]), work / "theme")
    settings: Settings = {
        **project,
        **build,
        "theme": {**theme, "custom_dir": "theme", "variant": "classic"},
        "docs_dir": "docs",
        "site_dir": _OUTPUT_FOLDER,
    }
    settings.pop(INHERIT, None)
    return settings


def _finish_zensical(work: Path, site: Path) -> None:
    """Copy the output to the site without broken skip links, and convert its search index."""
    shutil.copytree(work / _OUTPUT_FOLDER, site, dirs_exist_ok=True)
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        if 'id="__skip"' not in text:  # pages from our templates have their own skip link
            page.write_text(_SKIP_LINK.sub("", text), encoding="utf-8")
    search_file = site / "search.json"
    search = json.loads(search_file.read_text(encoding="utf-8"))
    documents = list(map(_search_document, search["items"]))
    search_file.unlink()
    index_file = site / SEARCH_INDEX
    index_file.parent.mkdir(exist_ok=True)
    index = json.dumps({"config": search["config"], "docs": documents})
    index_file.write_text(index, encoding="utf-8")


def _search_document(item: Mapping[str, object]) -> dict[str, object]:
    return {key: item[key] for key in _DOCUMENT_KEYS}


_BUILDERS: Mapping[str, Builder] = {
    "mkdocs": Builder("mkdocs", _mkdocs_settings, _finish_mkdocs),
    "zensical": Builder("zensical", _zensical_settings, _finish_zensical),
}
