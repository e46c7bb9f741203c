"""The programs that make pages of Markdown, by their names in `extra: builder:`; nothing else knows how they differ.

Settings and templates of the theme keep to what all of them understand.
"""

import json
import re
import shutil
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import yaml

from sitegen.problems import UsageError
from sitegen.publish.project import INHERIT
from sitegen.publish.site import INDEX

Settings = dict[str, object]


class Engine(NamedTuple):
    """A program that makes pages of Markdown; it is told `build --strict`, and then how its settings are called."""

    module: str
    """What Python runs."""
    settings: Callable[[Settings, Settings, Path], Settings]
    """Make its settings of the project's, of what is special of this build, and of the folder that it works in."""
    finish: Callable[[Path, Path], None]
    """Bring what it made in that folder to the site's, with the search's entries where our search reads them."""

    def lay_out(self, own: Settings, special: Settings, work: Path) -> list[str]:
        """Write its settings; gives the words that begin it."""
        config = work / "mkdocs.yml"
        config.write_text(
            yaml.safe_dump(self.settings(own, special, work), sort_keys=False), encoding="utf-8"
        )
        return [self.module, "build", "--strict", "--config-file", str(config)]


def engine_of(own: Mapping[str, object]) -> Engine:
    """Find the program that a project's settings ask for.

    Raises:
        UsageError: There is none of this name, or it is not installed.
    """
    extra = own.get("extra")
    name = str(extra.get("builder", "mkdocs")) if isinstance(extra, dict) else "mkdocs"
    if name not in _ENGINES:
        raise UsageError(
            f"`extra: builder:` in mkdocs.yml says {name}; name one of: {', '.join(_ENGINES)}"
        )
    if find_spec(name) is None:
        raise UsageError(
            f"`extra: builder:` in mkdocs.yml says {name}, which is not installed; `pip install {name}`"
        )
    return _ENGINES[name]


def _whole(own: Settings, special: Settings, work: Path) -> Settings:
    """All settings in one file, since lists of several are joined there; and folders below the one that it works in."""
    theme = special["theme"]
    theme = theme if isinstance(theme, dict) else {}
    shutil.copytree(str(theme["custom_dir"]), work / "theme")
    folders = {
        "theme": {**theme, "custom_dir": "theme", "variant": "classic"},
        "docs_dir": "docs",
        "site_dir": "made",
    }
    return {name: value for name, value in {**own, **special, **folders}.items() if name != INHERIT}


_SKIP = re.compile(r'<a href="#__skip".*?</a>', re.DOTALL)


def _moved(work: Path, site: Path) -> None:
    shutil.copytree(work / "made", site, dirs_exist_ok=True)
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        if (
            'id="__skip"' not in text
        ):  # pages of our templates have a way past the header of their own
            page.write_text(_SKIP.sub("", text), encoding="utf-8")
    listed = site / "search.json"
    told = json.loads(listed.read_text(encoding="utf-8"))
    docs = [{name: item[name] for name in ("location", "title", "text")} for item in told["items"]]
    listed.unlink()
    (site / INDEX).parent.mkdir(exist_ok=True)
    (site / INDEX).write_text(
        json.dumps({"config": told["config"], "docs": docs}), encoding="utf-8"
    )


_ENGINES: Mapping[str, Engine] = {
    # It goes on from settings in several files, and writes to the site itself.
    "mkdocs": Engine("mkdocs", lambda _own, special, _work: special, lambda _work, _site: None),
    "zensical": Engine("zensical", _whole, _moved),
}
