"""Runs the program that builds the authored pages, with a stub for every benchmark."""

import os
import shutil
import subprocess
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import yaml

from sitegen.problems import BuilderError
from sitegen.publish.assets import lighten
from sitegen.publish.leash import MACHINE_FAILED, on_leash
from sitegen.publish.policy import guarded
from sitegen.publish.project import INHERIT, Project
from sitegen.publish.slots import marked, unmarked
from sitegen.publish.tree import Tree

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


@dataclass(frozen=True, slots=True)
class Slotted:
    """An authored page with a slot for a generated part; where nobody wrote it, it has a title and the slot.

    Attributes:
        source: Its file below the authored pages, such as changelog/2026-06-13.md.
        title: Its title where nobody wrote it, and its name in the navigation.
        slot: Name of the slot; it goes to the end of a page that has no place for it.
        under: The page below which it stands in the navigation, where that is in it.
    """

    source: str
    title: str
    slot: str
    under: str


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


def site_name(project: Project) -> str:
    """Give what the site is called."""
    return str(_read(project).get("site_name") or "Recount")


@contextmanager
def building_authored(
    project: Project, stubs: Sequence[Stub], slotted: Sequence[Slotted], work: Path, site: Path
) -> Iterator[Callable[[], None]]:
    """Start to build the authored pages and the stubs; the caller goes on meanwhile.

    Args:
        project: The parts of the site.
        stubs: One per benchmark; their tabs stand behind the first of the navigation.
        slotted: Authored pages that may have to be begun.
        work: An empty folder for what the builder reads.
        site: The folder to build in.

    Yields:
        Waits for the end, and gives the authored pages their policies, and their texts in the place of marks; raises
        BuilderError where the builder failed, or warned of a link that leads nowhere. A builder that nobody waited
        for is stopped.
    """
    docs = work / "docs"
    shutil.copytree(project.authored, docs)
    _leave_out_notes(docs / "changelog", {each.source for each in slotted})
    lighten(docs / "assets")
    for stub in stubs:
        page = docs / stub.section / "index.md"
        page.parent.mkdir(parents=True, exist_ok=True)  # two may have one id, which is told when results are read
        page.write_text(f"---\ntemplate: {STUB_TEMPLATE}\n---\n", encoding="utf-8")
    for each in slotted:
        _begin(docs / each.source, each)
    child = _child(project, docs, site) | {"nav": _nav(_read(project).get("nav"), stubs, slotted)}
    config = work / "mkdocs.yml"
    config.write_text(yaml.safe_dump(child, sort_keys=False), encoding="utf-8")
    command = on_leash("mkdocs", "build", "--strict", "--quiet", "--config-file", str(config))
    environment = {"SOURCE_DATE_EPOCH": "0", **os.environ, "NO_MKDOCS_2_WARNING": "1"}  # no page has today's date
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
    ) as builder:
        try:
            yield partial(_finish, builder, site, stubs)
        finally:
            builder.kill()


def _finish(builder: subprocess.Popen[str], site: Path, stubs: Sequence[Stub]) -> None:
    said = builder.stdout.read() if builder.stdout else ""
    if builder.wait() == MACHINE_FAILED:
        raise ChildProcessError(f"mkdocs could not write the authored pages: {said.strip()}")
    if builder.returncode:
        raise BuilderError(f"mkdocs could not build the authored pages:\n{said.strip()}")
    cut = {site / stub.section / "index.html" for stub in stubs}  # a shell has a policy for each depth
    for page in set(site.rglob("*.html")) - cut:
        finished = unmarked(guarded(page.read_text(encoding="utf-8")))
        Tree(site).write(page.relative_to(site).as_posix(), finished)


def _leave_out_notes(folder: Path, wanted: Collection[str]) -> None:
    """Leave out the notes on releases that the results do not have: they are about other results, or come too early."""
    for page in folder.glob("????-??-??.md"):
        if f"{folder.name}/{page.name}" not in wanted:
            page.unlink()


def _begin(page: Path, wanted: Slotted) -> None:
    """Give a page its slot, and the page itself where nobody wrote it: the theme heads it with its title."""
    written = page.read_text(encoding="utf-8") if page.exists() else ""
    if f'data-slot="{wanted.slot}"' not in written:
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(f'{written}\n<div data-slot="{wanted.slot}"></div>\n', encoding="utf-8")


def _child(project: Project, docs: Path, site: Path) -> dict[str, object]:
    theme = _read(project).get("theme")
    return {
        "INHERIT": str(project.settings.resolve()),
        "docs_dir": str(docs.resolve()),
        "site_dir": str(site.resolve()),
        "theme": {**(theme if isinstance(theme, dict) else {}), "custom_dir": str(project.theme.resolve())},
    }


def _nav(stated: object, stubs: Sequence[Stub], slotted: Sequence[Slotted]) -> list[object]:
    nav = list(stated) if isinstance(stated, list) else []
    tabs = [{marked(stub.title): f"{stub.section}/index.md"} for stub in stubs]
    return [*nav[:1], *tabs, *(_with_pages(item, slotted) for item in nav[1:])]


def _with_pages(item: object, slotted: Sequence[Slotted]) -> object:
    """Put pages below the one of the navigation that they belong to."""
    match item:
        case dict() if len(item) == 1:
            ((title, page),) = item.items()
            below = [{marked(each.title): each.source} for each in slotted if each.under == page]
            return {title: [page, *below]} if below else item
        case _:
            return item


def _read(project: Project) -> dict[str, object]:
    return _settings(project.settings)


def _settings(path: Path) -> dict[str, object]:
    """Read settings, with those that they go on from.

    Raises:
        BuilderError: Those are not there.
    """
    if not path.is_file():
        raise BuilderError(f"there are no settings at {path}")
    with path.open(encoding="utf-8") as file:
        loaded = yaml.load(file, Loader=_Settings)  # noqa: S506 - a safe loader that skips the tags it does not know
    if not isinstance(loaded, dict):
        return {}
    parent = loaded.get(INHERIT)
    return {**_settings(path.parent / str(parent)), **loaded} if parent else loaded
