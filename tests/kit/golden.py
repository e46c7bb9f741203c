"""The small complete site in `tests/golden/`: builds it, and compares a built site with it."""

import difflib
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from kit.command import ROOT, done
from sitegen.publish.projects.wheel import program_version

FOLDER = ROOT / "tests" / "golden"
RESULTS = FOLDER / "results"
PROJECT = FOLDER / "project"
SITE = FOLDER / "site"
NAMES = FOLDER / "names.txt"
"""The file with the names of all files of the site, one per line; some of their contents are not stored."""

UPDATE = "make golden"

_DAY = "1782777600"
"""The day on which the site is built, in seconds since 1970: 2026-06-30."""

_UNSTORED_FOLDERS = ("assets", "data", "methods", "search", "submit", "api/v1/schemas")
"""Folders whose content other tests check: the theme, copies of the results, and the program's own docs."""

_UNSTORED_FILES = ("404.html", "api/index.html", "api/v1/SHA256SUMS", "api/v1/rules.json", "site.sha256")
"""Files with digests of other files, or with texts from the program's own docs."""

_MAX_FILES_SHOWN = 5
_MAX_LINES_SHOWN = 30
"""Maximum number of differing lines shown for each file."""

_NORMALIZED: Mapping[str, str] = {
    r"(\.)[0-9a-f]{8}(\.min\.|\.js|\.css)": r"\1DIGEST\2",
    r"\b[0-9a-f]{24}(\.json|\.svg)": r"DIGEST\1",
    r'(data-drawing=")[0-9a-f]{24}': r"\1DIGEST",
    r"'sha256-[A-Za-z0-9+/=]{44}'": "'sha256-DIGEST'",
    r"\b(clip|gradient_)\d+": r"\g<1>N",
}
"""Patterns to normalize: file names of the theme and of charts, script digests, and counters of the chart renderer."""


def build_golden(work: Path) -> Path:
    """Build the site of the golden results in an empty folder, and return the site's folder."""
    project = work / "project"
    shutil.copytree(PROJECT, project)
    site = work / "site"
    done("build", "--check-links", "--results", RESULTS, "--site", site, folder=project, SOURCE_DATE_EPOCH=_DAY)
    return site


def names_of(site: Path) -> list[str]:
    """Return the normalized names of all files of a site, excluding files about the build itself."""
    names = []
    for path in site.rglob("*"):
        name = path.relative_to(site).as_posix()
        if path.is_file() and not name.startswith("."):
            names.append(_normalized(name))
    return sorted(names)


def texts_of(site: Path) -> dict[str, str]:
    """Return the normalized texts to compare, by file name."""
    texts = {}
    for name in names_of(site):
        if name.endswith(".png") or name in _UNSTORED_FILES or name.startswith(_prefixes()):
            continue
        texts[name] = normalized_text((site / name).read_text(encoding="utf-8"))
    return texts


def _prefixes() -> tuple[str, ...]:
    return tuple(f"{folder}/" for folder in _UNSTORED_FOLDERS)


def normalized_text(text: str) -> str:
    """Return a text with one tag per line, without the version, the theme's styles and counted names."""
    text = re.sub(r"<style>.*?</style>", "<style>THEME</style>", text, flags=re.DOTALL)
    return _normalized(text.replace(program_version(), "VERSION")).replace("><", ">\n<")


def _normalized(text: str) -> str:
    for pattern, replacement in _NORMALIZED.items():
        text = re.sub(pattern, replacement, text)
    return text


def store_golden(site: Path) -> None:
    """Write the texts and the names of a built site to `tests/golden/`."""
    shutil.rmtree(SITE, ignore_errors=True)
    for name, text in texts_of(site).items():
        path = SITE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    NAMES.write_text("".join(f"{name}\n" for name in names_of(site)), encoding="utf-8")


def golden_texts() -> dict[str, str]:
    """Return the stored texts by file name."""
    texts = {}
    for path in sorted(SITE.rglob("*")):
        if path.is_file():
            texts[path.relative_to(SITE).as_posix()] = path.read_text(encoding="utf-8")
    return texts


def differences(expected: Mapping[str, str], built: Mapping[str, str]) -> str:
    """Return the differences between two sites as readable text; empty if there are none."""
    differing = []
    for name in sorted({*expected, *built}):
        if expected.get(name) != built.get(name):
            differing.append(name)
    if not differing:
        return ""
    lines = [f"{len(differing)} files of the golden site differ; if that is meant, run `{UPDATE}` and look at the diff"]
    for name in differing[:_MAX_FILES_SHOWN]:
        lines += _difference(name, expected.get(name), built.get(name))
    for name in differing[_MAX_FILES_SHOWN:]:
        lines.append(f"{name} differs, too")
    return "\n".join(lines)


def _difference(name: str, expected: str | None, built: str | None) -> Iterator[str]:
    """Yield the differing lines of a file; a single line if the file is new or missing."""
    if expected is None or built is None:
        yield f"{name} is {'new' if expected is None else 'gone'}"
        return
    names = (f"golden/{name}", f"built/{name}")
    lines = list(difflib.unified_diff(expected.split("\n"), built.split("\n"), *names, n=1, lineterm=""))
    yield from lines[:_MAX_LINES_SHOWN]
    if len(lines) > _MAX_LINES_SHOWN:
        yield f"… and {len(lines) - _MAX_LINES_SHOWN} more lines"
