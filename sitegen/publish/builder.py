"""Runs the program that builds the authored pages, with a stub for every benchmark."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path

import rcssmin
import rjsmin
import yaml

from sitegen.models.addresses import AddressError, parse_web_address
from sitegen.models.site import CSV, JSON, FileKind, Site
from sitegen.problems import BuilderError, UsageError
from sitegen.publish.branding import BRAND_STYLES, OWN_STYLES, added, brand_of, kept_from_loading
from sitegen.publish.engines import engine_of
from sitegen.publish.processes import MACHINE_FAILED, on_leash
from sitegen.publish.project import INHERIT, Project
from sitegen.publish.site import Tree
from sitegen.publish.stamping import guarded, marked, unmarked
from sitegen.publish.styles import words_on, write_page_styles

STUB_TEMPLATE = "stub.html"

VENDOR = "vendor"
"""The folder of other people's scripts and styles, which stay as they came."""


@dataclass(frozen=True, slots=True)
class Stub:
    """A page that the builder makes so that a shell can be cut from it."""

    section: str
    """The folder it stands in, such as a benchmark's id."""
    title: str = ""
    """What its tab is called; empty for one that has no tab."""
    group: str = ""
    """What its tab stands under; empty where it stands alone."""
    anchor: str = ""
    """Where the home page shows the group."""


@dataclass(frozen=True, slots=True)
class Slotted:
    """An authored page with a slot for a generated part; where nobody wrote it, it has a title and the slot."""

    source: str
    """Its file below the authored pages, such as changelog/2026-06-13.md."""
    title: str
    """Its title where nobody wrote it, and its name in the navigation."""
    slot: str
    """Name of the slot; it goes to the end of a page that has no place for it."""
    under: str = ""
    """The page below which it stands in the navigation, where that is in it."""
    heading: str = ""
    """What then stands above it."""


STANDING = (
    Slotted("methods/index.md", "Methods", "evidence", heading="Evidence"),
    Slotted("methods/index.md", "Methods", "metrics", heading="Metrics"),
    Slotted("methods/metrics.md", "Metrics, worked out", "metrics"),
    Slotted("submit/checks.md", "Checks and codes", "rules-of-results"),
    Slotted("submit/checks.md", "Checks and codes", "rules-of-imports"),
)
"""Parts of pages that boards link into, whatever else an owner writes there."""


class _Settings(yaml.SafeLoader):
    """Reads the builder's settings, whatever Python objects they name."""


def _ignore_tag(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> str:  # noqa: ARG001 - yaml calls it so
    return suffix


def _from_environment(loader: yaml.SafeLoader, node: yaml.Node) -> None:
    """Read a value that only the builder resolves, from variables of the environment, as none."""


_Settings.add_constructor("!ENV", _from_environment)
_Settings.add_multi_constructor("tag:yaml.org,2002:python/", _ignore_tag)
_Settings.add_multi_constructor("!", _ignore_tag)


@cache
def _loaded(path: Path, data: bytes) -> Mapping[str, object]:
    try:
        loaded = yaml.load(data.decode(), Loader=_Settings)  # noqa: S506 - a safe loader that skips the tags it does not know
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise UsageError(f"{path}:{line}: broken YAML: {error.problem}; correct the line") from None
    except (yaml.YAMLError, UnicodeDecodeError):
        raise UsageError(f"{path} is no text in UTF-8; save it as such") from None
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError):
        # what PyYAML raises where a tag or a date does not fit its value, or tables lie too deep
        raise UsageError(
            f"{path} has a value that can't be read, such as a day that is none; correct it"
        ) from None
    return loaded if isinstance(loaded, dict) else {}


def settings_in(path: Path) -> dict[str, object]:
    """Read the builder's settings, with those that they go on from.

    Raises:
        BuilderError: Those are not there.
        UsageError: They can't be read.
    """
    if not path.is_file():
        raise BuilderError(f"there are no settings at {path}")
    settings: dict[str, object] = {}
    for file in reversed(settings_files(path)):
        settings.update(_loaded(file, file.read_bytes()))
    return settings


def site_in(settings: Mapping[str, object], kinds: Sequence[FileKind] = (JSON, CSV)) -> Site:
    """Return what the builder's settings say about a site that offers scores in some kinds of file.

    Raises:
        UsageError: `site_url` is no address that pages can be below.
    """
    address, extra = _site_address(settings.get("site_url")), settings.get("extra")
    name, owner = (
        str(settings.get(key) or usual)
        for key, usual in (("site_name", "Recount"), ("site_author", ""))
    )
    lead = str(extra.get("lead") or "").strip("/") if isinstance(extra, dict) else ""
    return Site(address, name, kinds, lead, owner)


def _site_address(stated: object) -> str:
    """Return the address of a site, ending in `/`; empty where the settings state none."""
    if not stated:
        return ""
    if not isinstance(stated, str):
        raise UsageError(
            "mkdocs.yml: `site_url` is no text; write the site's address, such as https://example.org/"
        )
    try:
        parts = parse_web_address(stated)
    except AddressError as error:
        raise UsageError(f"mkdocs.yml: `site_url` is {stated}, which {error}") from None
    if parts.query or parts.fragment:
        raise UsageError(
            f"mkdocs.yml: `site_url` is {stated}; leave out what begins with `?` or `#`"
        )
    return f"{stated.rstrip('?#/')}/"


def settings_files(path: Path) -> list[Path]:
    """Return the files that settings are read from: theirs, and those that they go on from.

    Raises:
        BuilderError: One is not there.
        UsageError: One can't be read, or goes on from itself.
    """
    files: list[Path] = []
    while True:
        if not os.path.lexists(path) or not path.is_file():
            raise BuilderError(f"there are no settings at {path}")
        if path.resolve() in {file.resolve() for file in files}:
            raise UsageError(f"{path} goes on from itself; correct `{INHERIT}`")
        files.append(path)
        parent = _loaded(path, path.read_bytes()).get(INHERIT)
        if not parent:
            return files
        path = path.parent / str(parent)


def lighten(assets: Path) -> None:
    """Leave comments, but for those that begin with `!`, and blanks out of a folder's scripts and styles, in place."""
    for path in sorted(assets.rglob("*.*")):
        shorten = {".js": rjsmin.jsmin, ".css": rcssmin.cssmin}.get(path.suffix)
        if shorten and VENDOR not in path.relative_to(assets).parts:
            short = shorten(path.read_text(encoding="utf-8"), keep_bang_comments=True)
            path.write_text(f"{short.strip()}\n", encoding="utf-8", newline="\n")


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
    _lay_out(docs, project, stubs, slotted)
    own = settings_in(project.settings)
    engine, settings = engine_of(own), _settings(project, docs, site, stubs, slotted)
    command = on_leash(*engine.lay_out(own, settings, work))
    environment = {
        "SOURCE_DATE_EPOCH": "0",
        **os.environ,
        "NO_MKDOCS_2_WARNING": "1",
    }  # no page has today's date
    pipe, both = subprocess.PIPE, subprocess.STDOUT
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=both, text=True, env=environment
    ) as builder:

        def finish() -> None:
            said = builder.stdout.read() if builder.stdout else ""
            if builder.wait() == MACHINE_FAILED:
                raise ChildProcessError(
                    f"{engine.module} could not write the authored pages: {said.strip()}"
                )
            if builder.returncode:
                raise BuilderError(
                    f"{engine.module} could not build the authored pages:\n{said.strip()}"
                )
            engine.finish(work, site)
            if blocked := list(kept_from_loading(site)):
                raise BuilderError("\n".join(blocked))
            cut = {
                site / stub.section / "index.html" for stub in stubs
            }  # a shell has a policy for each depth
            for page in set(site.rglob("*.html")) - cut:
                finished = unmarked(guarded(page.read_text(encoding="utf-8")))
                Tree(site).write(page.relative_to(site).as_posix(), finished)
            for page in sorted(cut)[:1]:
                write_page_styles(site / "assets" / "stylesheets", words_on(page, site))

        try:
            yield finish
        finally:
            builder.kill()


def _lay_out(
    docs: Path, project: Project, stubs: Sequence[Stub], slotted: Sequence[Slotted]
) -> None:
    """Put what the builder reads into a folder: authored pages, the brand's styles, and a stub for each benchmark."""
    shutil.copytree(project.authored, docs)
    for note in (docs / "changelog").glob("????-??-??.md"):
        if f"changelog/{note.name}" not in {each.source for each in slotted}:
            note.unlink()  # of a release that the results do not have: it is about others, or comes too early
    brand = brand_of(settings_in(project.settings), docs)
    if styles := brand.styles():
        (docs / BRAND_STYLES).write_text(styles, encoding="utf-8")
    lighten(docs / "assets")
    for stub in stubs:
        page = docs / stub.section / "index.md"
        page.parent.mkdir(
            parents=True, exist_ok=True
        )  # two may have one id, which is told when results are read
        group = f"group: {json.dumps(stub.anchor)}\n" if stub.anchor else ""
        page.write_text(f"---\ntemplate: {STUB_TEMPLATE}\n{group}---\n", encoding="utf-8")
    for each in (*STANDING, *slotted):
        page = docs / each.source
        written = (
            page.read_text(encoding="utf-8")
            if page.exists()
            else "---\nhide: [navigation, toc]\n---\n"
        )
        if f'data-slot="{each.slot}"' not in written:
            page.parent.mkdir(parents=True, exist_ok=True)
            heading = f"## {each.heading}\n\n" if each.heading else ""
            page.write_text(
                f'{written}\n{heading}<div data-slot="{each.slot}"></div>\n', encoding="utf-8"
            )


def _tabs(stubs: Sequence[Stub]) -> Iterator[object]:
    """Yield the navigation's items of the stubs; neighbours of one group share one."""
    for group, below in groupby((stub for stub in stubs if stub.title), lambda stub: stub.group):
        items = [{marked(stub.title): f"{stub.section}/index.md"} for stub in below]
        yield from [{marked(group): items}] if group else items


def _settings(
    project: Project, docs: Path, site: Path, stubs: Sequence[Stub], slotted: Sequence[Slotted]
) -> dict[str, object]:
    """Give the settings of one build, which go on from the project's; titles in the navigation are marks."""
    own = settings_in(project.settings)
    theme, nav, brand = own.get("theme"), own.get("nav"), brand_of(own, docs)
    stated = list(nav) if isinstance(nav, list) else []
    behind = list(_tabs(stubs))
    for item in stated[1:]:
        title, page = (
            next(iter(item.items())) if isinstance(item, dict) and len(item) == 1 else (None, None)
        )
        below = [{marked(each.title): each.source} for each in slotted if each.under == page]
        behind.append({title: [page, *below]} if below else item)
    return {
        INHERIT: str(project.settings.resolve()),
        "docs_dir": str(docs.resolve()),
        "site_dir": str(site.resolve()),
        "theme": {
            **(theme if isinstance(theme, dict) else {}),
            **({"logo": brand.logo, "favicon": brand.logo} if brand.logo else {}),
            "custom_dir": str(project.theme.resolve()),
        },
        "nav": [*stated[:1], *behind],
        "extra_css": list(
            dict.fromkeys(
                (OWN_STYLES, *([BRAND_STYLES] if brand.styles() else ()), *added(own, "extra_css"))
            )
        ),
    }
