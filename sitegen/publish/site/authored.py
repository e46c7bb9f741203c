"""Run the builder, which makes the authored pages from Markdown, with a stub for every benchmark.

Start with `building_authored`. `settings_in` and `site_in` read the builder's settings
(mkdocs.yml).
"""

import json
import os
import re
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
from sitegen.publish.machine.processes import MACHINE_FAILED, command_that_ends_with_us
from sitegen.publish.projects.project import INHERIT, Project
from sitegen.publish.site.authored_links import remove_links, unlink_slots
from sitegen.publish.site.branding import (
    BRAND_STYLES,
    OWN_STYLES,
    Brand,
    brand_of,
    listed_assets,
    remote_references,
    require_local_assets,
)
from sitegen.publish.site.builders import find_builder
from sitegen.publish.site.search_index import SEARCH_INDEX
from sitegen.publish.site.stamping import add_policy, insert_marked_texts, mark_text
from sitegen.publish.site.styles import read_page_words, write_page_styles
from sitegen.publish.site.tree import SiteTree

STUB_TEMPLATE = "stub.html"

VENDOR = "vendor"
"""The folder of third-party scripts and styles, which are kept unchanged."""

_DEFAULT_TITLE = "Recount"
_PAGE_ADDRESS = re.compile(r"[\w-]+(/[\w-]+)*")
"""Matches the address of an authored page, without `/` at its ends."""
_PAGE_HEADER = "---\nhide: [navigation, toc]\n---\n"
"""Front matter of a page that is created because no author wrote it."""
_MINIFIERS: Mapping[str, Callable[..., str]] = {".js": rjsmin.jsmin, ".css": rcssmin.cssmin}


@dataclass(frozen=True, slots=True)
class Stub:
    """A page for the builder to make, so that a shell can be cut from it."""

    section: str
    """The folder of the page, such as a benchmark's id."""
    title: str = ""
    """The label of the page's tab; empty for a page without a tab."""
    group: str = ""
    """The label of the group that the tab belongs to; empty for a separate tab."""
    anchor: str = ""
    """The anchor of the group on the home page."""


@dataclass(frozen=True, slots=True)
class SlottedPage:
    """An authored page with a slot for generated content; created if no author wrote it."""

    source: str
    """The file of the page below the authored pages, such as changelog/2026-06-13.md."""
    title: str
    """The title of a created page, and the name of the page in the navigation."""
    slot: str
    """The name of the slot, which is added at the end of a page that lacks it."""
    under: str = ""
    """The page that this page is listed below, if the navigation contains that page."""
    heading: str = ""
    """The heading of an added slot."""


@dataclass(frozen=True, slots=True)
class Additions:
    """Pages that the results add to the authored pages of a site."""

    stubs: Sequence[Stub]
    """One stub per benchmark; the tabs of the stubs follow the first tab of the navigation."""
    slotted: Sequence[SlottedPage]
    """Authored pages that are created if no author wrote them."""
    left_out: Sequence[str] = ()
    """Ids of benchmarks that the site leaves out; links to them become plain text."""


STANDARD_SLOTS = (
    SlottedPage("methods/index.md", "Methods", "evidence", heading="Evidence"),
    SlottedPage("methods/index.md", "Methods", "metrics", heading="Metrics"),
    SlottedPage("methods/metrics.md", "Metrics explained", "metrics"),
    SlottedPage("submit/checks.md", "Checks and codes", "rules-of-results"),
    SlottedPage("submit/checks.md", "Checks and codes", "rules-of-imports"),
)
"""Slots that every site needs, because boards link to them."""


class _SettingsLoader(yaml.SafeLoader):
    """A loader for the builder's settings that ignores tags for Python objects."""


def _ignore_tag(_loader: yaml.SafeLoader, suffix: str, _node: yaml.Node) -> str:
    return suffix


def _read_variable(loader: yaml.SafeLoader, node: yaml.Node) -> None:
    """Return None for an environment variable, which only the builder resolves."""


_SettingsLoader.add_constructor("!ENV", _read_variable)
_SettingsLoader.add_multi_constructor("tag:yaml.org,2002:python/", _ignore_tag)
_SettingsLoader.add_multi_constructor("!", _ignore_tag)


@cache
def _parse_settings(path: Path, data: bytes) -> Mapping[str, object]:
    """Parse one file of settings.

    Raises:
        UsageError: The file is not YAML.
    """
    try:
        # The loader is safe, since it ignores unknown tags.
        settings = yaml.load(data.decode(), Loader=_SettingsLoader)  # noqa: S506
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise UsageError(f"{path}:{line}: broken YAML: {error.problem}; correct the line") from None
    except (yaml.YAMLError, UnicodeDecodeError):
        raise UsageError(f"{path} is not UTF-8 text; save it as UTF-8") from None
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError):
        # PyYAML raises these errors for a value that does not fit its tag, an invalid date, or deep
        # nesting.
        raise UsageError(
            f"{path} has an unreadable value, such as an invalid date; correct it"
        ) from None
    return settings if isinstance(settings, dict) else {}


def settings_in(path: Path) -> dict[str, object]:
    """Return the builder's settings, including inherited settings.

    Raises:
        BuilderError: A file of settings is missing.
        UsageError: The settings can't be read.
    """
    if not path.is_file():
        raise BuilderError(f"there are no settings at {path}")
    settings: dict[str, object] = {}
    for file in reversed(settings_files(path)):
        settings.update(_parse_settings(file, file.read_bytes()))
    return settings


def settings_files(path: Path) -> list[Path]:
    """Return the files of settings: the given file, and all files that it inherits from.

    Raises:
        BuilderError: A file is missing.
        UsageError: A file can't be read, or inherits from itself.
    """
    files: list[Path] = []
    while True:
        if not os.path.lexists(path) or not path.is_file():
            raise BuilderError(f"there are no settings at {path}")
        if path.resolve() in {file.resolve() for file in files}:
            raise UsageError(f"{path} inherits from itself; correct `{INHERIT}`")
        files.append(path)
        parent = _parse_settings(path, path.read_bytes()).get(INHERIT)
        if not parent:
            return files
        path = path.parent / str(parent)


def site_in(settings: Mapping[str, object], kinds: Sequence[FileKind] = (JSON, CSV)) -> Site:
    """Return the site that the builder's settings describe.

    Args:
        settings: The settings.
        kinds: The kinds of files in which the site offers scores.

    Raises:
        UsageError: `site_url` or `repo_url` is not a valid address for pages.
    """
    address = _web_address("site_url", settings.get("site_url"))
    repository = _web_address("repo_url", settings.get("repo_url")).removesuffix("/")
    title = str(settings.get("site_name") or _DEFAULT_TITLE)
    owner = str(settings.get("site_author") or "")
    extra = settings.get("extra")
    if not isinstance(extra, dict):
        extra = {}
    lead = str(extra.get("lead") or "").strip("/")
    moved = _moved_pages(extra.get("moved"))
    return Site(address, title, kinds, lead, owner, repository, moved)


def _moved_pages(stated: object) -> tuple[tuple[str, str], ...]:
    """Return the former and the current address of each page in `extra: moved:`.

    Raises:
        UsageError: An address is outside the site.
    """
    if not isinstance(stated, dict):
        return ()
    pairs = []
    for former, current in stated.items():
        pair = (str(former).strip("/"), str(current).strip("/"))
        for address in pair:
            if not _PAGE_ADDRESS.fullmatch(address):
                raise UsageError(
                    f'mkdocs.yml: `extra: moved:` names the address "{address}"; '
                    "write it below the site's root, such as submit/reading/"
                )
        pairs.append(pair)
    return tuple(pairs)


def _web_address(setting: str, stated: object) -> str:
    """Return the address in a setting, ending in `/`; empty if the setting is missing.

    Raises:
        UsageError: The setting is not a valid address for pages.
    """
    if not stated:
        return ""
    if not isinstance(stated, str):
        raise UsageError(
            f"mkdocs.yml: `{setting}` is not text; write an address, such as https://example.org/"
        )
    try:
        url = parse_web_address(stated)
    except AddressError as error:
        raise UsageError(f"mkdocs.yml: `{setting}` is {stated}, which {error}") from None
    if url.query or url.fragment:
        raise UsageError(f"mkdocs.yml: `{setting}` is {stated}; remove the part from `?` or `#` on")
    return f"{stated.rstrip('?#/')}/"


def minify_assets(assets: Path) -> None:
    """Remove comments and white space from a folder's scripts and styles, in place.

    Comments that begin with `!` are kept, and third-party files are not changed.
    """
    for path in sorted(assets.rglob("*.*")):
        minify = _MINIFIERS.get(path.suffix)
        if minify and VENDOR not in path.relative_to(assets).parts:
            text = minify(path.read_text(encoding="utf-8"), keep_bang_comments=True)
            path.write_text(f"{text.strip()}\n", encoding="utf-8", newline="\n")


@contextmanager
def building_authored(
    project: Project, additions: Additions, work: Path, site: Path
) -> Iterator[Callable[[], None]]:
    """Build the authored pages and the stubs while the block runs.

    Args:
        project: The authored pages, settings and templates.
        additions: The pages that the results add.
        work: An empty folder for the builder's input.
        site: The folder to build in.

    Yields:
        A function that waits for the builder, adds a policy to each authored page, and replaces
        marks with their texts. It raises a BuilderError if the builder failed or warned of a broken
        link. If the function is not called, the builder is stopped at the end of the block.
    """
    docs = work / "docs"
    settings = settings_in(project.settings)
    _write_docs(docs, project, settings, additions)
    if additions.left_out:
        remove_links(docs, additions.left_out)
    builder = find_builder(settings)
    build_settings = _build_settings(project, settings, docs, site, additions)
    command = command_that_ends_with_us(*builder.write_settings(settings, build_settings, work))
    # A fixed date keeps pages the same on every day, unless the caller sets another date.
    environment = {"SOURCE_DATE_EPOCH": "0", **os.environ, "NO_MKDOCS_2_WARNING": "1"}
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
    ) as process:

        def finish() -> None:
            _wait_for(process, builder.module)
            builder.finish(work, site)
            remove_unused_assets(site)
            _finish_pages(site, additions.stubs)

        try:
            yield finish
        finally:
            process.kill()


def _wait_for(process: "subprocess.Popen[str]", module: str) -> None:
    """Wait for the process of the builder.

    Raises:
        ChildProcessError: The machine failed, for example because the disk is full.
        BuilderError: The builder failed.
    """
    output = process.stdout.read().strip() if process.stdout else ""
    exit_code = process.wait()
    if exit_code == MACHINE_FAILED:
        raise ChildProcessError(f"{module} could not write the authored pages: {output}")
    if exit_code:
        raise BuilderError(f"{module} could not build the authored pages:\n{output}")


def remove_unused_assets(site: Path) -> None:
    """Remove files of the theme that no page loads, which are 2 MB in every site.

    Source maps are for the theme's developers. The search loads word lists of other languages only
    if the settings name such a language.
    """
    assets = site / "assets"
    for source_map in assets.rglob("*.min.*.map"):
        source_map.unlink()
    index_file = site / SEARCH_INDEX
    if not index_file.exists():
        return
    index = json.loads(index_file.read_text(encoding="utf-8"))
    if index["config"].get("lang") == ["en"]:
        shutil.rmtree(assets / "javascripts" / "lunr", ignore_errors=True)


def _finish_pages(site: Path, stubs: Sequence[Stub]) -> None:
    """Add policies and texts to the authored pages, and write the styles of generated pages.

    Raises:
        BuilderError: A page or a style sheet refers to a file on another host.
    """
    blocked = list(remote_references(site))
    if blocked:
        raise BuilderError("\n".join(blocked))
    # Shells are cut from stub pages, and have their own policy.
    stub_pages = {site / stub.section / "index.html" for stub in stubs}
    tree = SiteTree(site)
    for page in set(site.rglob("*.html")) - stub_pages:
        text = insert_marked_texts(add_policy(page.read_text(encoding="utf-8")))
        tree.write(page.relative_to(site).as_posix(), text)
    if stub_pages:
        words = read_page_words(min(stub_pages), site)
        write_page_styles(site / "assets" / "stylesheets", words)


def _write_docs(
    docs: Path, project: Project, settings: Mapping[str, object], additions: Additions
) -> None:
    """Write the builder's input: authored pages, the brand's styles, and a stub per benchmark."""
    shutil.copytree(project.authored, docs)
    _remove_other_release_notes(docs, additions.slotted)
    require_local_assets(settings, docs)
    styles = brand_of(settings).styles()
    if styles:
        (docs / BRAND_STYLES).write_text(styles, encoding="utf-8")
    minify_assets(docs / "assets")
    for stub in additions.stubs:
        page = docs / stub.section / "index.md"
        # Two benchmarks may share an id, which is reported when results are read.
        page.parent.mkdir(parents=True, exist_ok=True)
        group = f"group: {json.dumps(stub.anchor)}\n" if stub.anchor else ""
        page.write_text(f"---\ntemplate: {STUB_TEMPLATE}\n{group}---\n", encoding="utf-8")
    for slotted_page in (*STANDARD_SLOTS, *additions.slotted):
        _add_slot(docs / slotted_page.source, slotted_page)
    unlink_slots(docs)


def _remove_other_release_notes(docs: Path, slotted: Sequence[SlottedPage]) -> None:
    """Remove notes on releases that the results do not contain, such as future releases."""
    sources = {slotted_page.source for slotted_page in slotted}
    for note in (docs / "changelog").glob("????-??-??.md"):
        if f"changelog/{note.name}" not in sources:
            note.unlink()


def _add_slot(page: Path, slotted: SlottedPage) -> None:
    """Add a slot at the end of a page that lacks it, and create the page if it does not exist."""
    text = page.read_text(encoding="utf-8") if page.exists() else _PAGE_HEADER
    if f'data-slot="{slotted.slot}"' in text:
        return
    heading = f"## {slotted.heading}\n\n" if slotted.heading else ""
    slot = f'<div data-slot="{slotted.slot}"></div>'
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(f"{text}\n{heading}{slot}\n", encoding="utf-8")


def _stub_tabs(stubs: Sequence[Stub]) -> list[object]:
    """Return the tabs of the stubs in the navigation; adjacent stubs of a group share a tab."""
    tabs: list[object] = []
    titled = [stub for stub in stubs if stub.title]
    for group, stubs_of_group in groupby(titled, lambda stub: stub.group):
        items = [{mark_text(stub.title): f"{stub.section}/index.md"} for stub in stubs_of_group]
        if group:
            tabs.append({mark_text(group): items})
        else:
            tabs += items
    return tabs


def _build_settings(
    project: Project,
    project_settings: Mapping[str, object],
    docs: Path,
    site: Path,
    additions: Additions,
) -> dict[str, object]:
    """Return the settings of one build, which inherit the project's settings.

    Titles in the navigation are replaced by marks, because the builder would interpret their text.
    """
    brand = brand_of(project_settings)
    theme = _theme_settings(project_settings.get("theme"), brand, project)
    navigation = _navigation(project_settings.get("nav"), additions)
    return {
        INHERIT: str(project.settings.resolve()),
        "docs_dir": str(docs.resolve()),
        "site_dir": str(site.resolve()),
        "theme": theme,
        "nav": navigation,
        "extra_css": _style_sheets(project_settings, brand),
    }


def _theme_settings(theme: object, brand: Brand, project: Project) -> dict[str, object]:
    settings = dict(theme) if isinstance(theme, dict) else {}
    if brand.logo:
        settings["logo"] = brand.logo
        settings["favicon"] = brand.logo
    settings["custom_dir"] = str(project.theme.resolve())
    return settings


def _navigation(stated: object, additions: Additions) -> list[object]:
    """Return the project's navigation, with the stubs' tabs after its first item.

    Slotted pages are added to the item of the page that they belong below.
    """
    stated_items = list(stated) if isinstance(stated, list) else []
    other_items = [_with_pages_below(item, additions.slotted) for item in stated_items[1:]]
    return [*stated_items[:1], *_stub_tabs(additions.stubs), *other_items]


def _with_pages_below(item: object, slotted: Sequence[SlottedPage]) -> object:
    """Return a navigation item with the slotted pages that belong below its page."""
    if not isinstance(item, dict) or len(item) != 1:
        return item
    [(title, page)] = item.items()
    pages_below = [child for child in slotted if child.under == page]
    if not pages_below:
        return item
    children = [{mark_text(child.title): child.source} for child in pages_below]
    return {title: [page, *children]}


def _style_sheets(settings: Mapping[str, object], brand: Brand) -> list[object]:
    """Return a site's style sheets, each once: the program's, the brand's, then the project's."""
    sheets: list[object] = [OWN_STYLES]
    if brand.styles():
        sheets.append(BRAND_STYLES)
    sheets += listed_assets(settings, "extra_css")
    return list(dict.fromkeys(sheets))
