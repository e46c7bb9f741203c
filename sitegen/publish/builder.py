"""Runs the program that builds the authored pages, with a stub for every benchmark."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import yaml

from sitegen.errors import BuilderError
from sitegen.publish.assets import lighten
from sitegen.publish.policy import guarded
from sitegen.publish.project import Project

STUB_TEMPLATE = "stub.html"


@dataclass(frozen=True, slots=True)
class Stub:
    """A page that the builder makes so that a shell can be cut from it.

    Attributes:
        section: The folder it stands in, such as a benchmark's id.
        title: What its tab is called.
    """

    section: str
    title: str


class _Settings(yaml.SafeLoader):
    """Reads the builder's settings, whatever Python objects they name."""


def _ignore_tag(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> str:  # noqa: ARG001 - yaml calls it so
    return suffix


_Settings.add_multi_constructor("tag:yaml.org,2002:python/", _ignore_tag)
_Settings.add_multi_constructor("!", _ignore_tag)


def site_url(project: Project) -> str:
    """Give the address that the site will have, ending in `/`; empty where the settings name none."""
    url = _read(project).get("site_url")
    return f"{str(url).rstrip('/')}/" if url else ""


@contextmanager
def building_authored(project: Project, stubs: Sequence[Stub], work: Path, site: Path) -> Iterator[Callable[[], None]]:
    """Start to build the authored pages and the stubs; the caller goes on meanwhile.

    Args:
        project: The parts of the site.
        stubs: One per benchmark; their tabs stand behind the first of the navigation.
        work: An empty folder for what the builder reads.
        site: The folder to build in.

    Yields:
        Waits for the end, and gives the authored pages their policies; raises BuilderError where the builder
        failed, or warned of a link that leads nowhere. A builder that nobody waited for is stopped.
    """
    docs = work / "docs"
    shutil.copytree(project.authored, docs)
    lighten(docs / "assets")
    for stub in stubs:
        page = docs / stub.section / "index.md"
        page.parent.mkdir(parents=True)
        page.write_text(f"---\ntemplate: {STUB_TEMPLATE}\n---\n", encoding="utf-8")
    config = work / "mkdocs.yml"
    config.write_text(yaml.safe_dump(_child(project, stubs, docs, site), sort_keys=False), encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--config-file", str(config)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    ) as builder:
        try:
            yield partial(_finish, builder, site, stubs)
        finally:
            builder.kill()


def _finish(builder: subprocess.Popen[str], site: Path, stubs: Sequence[Stub]) -> None:
    said, _ = builder.communicate()
    if builder.returncode:
        raise BuilderError(f"mkdocs could not build the authored pages:\n{said.strip()}")
    cut = {site / stub.section / "index.html" for stub in stubs}  # a shell has a policy for each depth
    for page in set(site.rglob("*.html")) - cut:
        page.write_text(guarded(page.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")


def _child(project: Project, stubs: Sequence[Stub], docs: Path, site: Path) -> dict[str, object]:
    settings = _read(project)
    raw = settings.get("nav")
    nav = list(raw) if isinstance(raw, list) else []
    tabs = [{stub.title: f"{stub.section}/index.md"} for stub in stubs]
    theme = settings.get("theme")
    return {
        "INHERIT": str(project.settings.resolve()),
        "docs_dir": str(docs.resolve()),
        "site_dir": str(site.resolve()),
        "theme": {**(theme if isinstance(theme, dict) else {}), "custom_dir": str(project.theme.resolve())},
        "nav": [*nav[:1], *tabs, *nav[1:]],
    }


def _read(project: Project) -> dict[str, object]:
    with project.settings.open(encoding="utf-8") as file:
        loaded = yaml.load(file, Loader=_Settings)  # noqa: S506 - a safe loader that skips the tags it does not know
    return loaded if isinstance(loaded, dict) else {}
