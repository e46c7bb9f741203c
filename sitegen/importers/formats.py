"""List the foreign formats, load the one that is asked for, and recognise which a source has.

A format is an entry point of the group `sitegen.formats`, so that it can live in a package of its
own: its name is what the commands take, its value names the `Format` as `MODULE:ATTRIBUTE`. Facts
about a benchmark are entry points of `sitegen.benchmarks` in the same way. Only names are read
until a format is asked for; a package that can't be loaded is an error of its own formats alone.

Installed packages keep a copy of their entry points that is made when they are installed. A
checkout of this repository therefore reads its own from pyproject.toml, which is never out of date.
"""

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import NamedTuple, TypeVar

from sitegen.importers.kit.options import NO_FACTS, BenchmarkFacts, Format
from sitegen.importers.kit.tree import SourceTree
from sitegen.problems import UsageError, listed
from sitegen.reading.toml import read_values

T = TypeVar("T")

FORMAT_GROUP = "sitegen.formats"
BENCHMARK_GROUP = "sitegen.benchmarks"

OWN_PACKAGE = "recountboard"
"""The installed package that this program is."""

_PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"

INSTALL_AGAIN = (
    "a package in editable form has to be installed again after its entry points were changed"
)

LOOKED_INTO = 2_000
"""Folders of a source that are searched before its format counts as unknown."""


class FormatRegistration(NamedTuple):
    """An entry point: what a package offers under a name."""

    name: str
    target: str
    """Where it is, as `MODULE:ATTRIBUTE`."""
    package: str
    """Name and version of the package, as messages show them."""
    is_own: bool
    """Whether it is of this program."""


class RecognisedFormat(NamedTuple):
    """A format that a source seems to have."""

    form: str
    reason: str
    """What the source has that only this format has; a message reads "it has REASON"."""


class FormatError(UsageError):
    """A format or a benchmark's facts can't be loaded; the message names the package."""


@cache
def registrations_of(group: str) -> Mapping[str, tuple[FormatRegistration, ...]]:
    """Return the entry points of a group by name, sorted; several of a name are a mistake."""
    by_name: defaultdict[str, list[FormatRegistration]] = defaultdict(list)
    own = _own_registrations(group)
    for registration in own:
        by_name[registration.name].append(registration)
    seen_packages = set()
    for package in distributions():
        targets = _package_targets(package, group)
        if not targets:
            continue
        name = package.metadata["Name"].lower().replace("_", "-")
        # Of several copies of a package on the path, Python imports the first.
        if name in seen_packages or (name == OWN_PACKAGE and own):
            continue
        seen_packages.add(name)
        label = f"{name} {package.version}"
        for entry_name, target in targets.items():
            registration = FormatRegistration(entry_name, target, label, is_own=name == OWN_PACKAGE)
            by_name[entry_name].append(registration)
    return {name: tuple(by_name[name]) for name in sorted(by_name)}


def _own_registrations(group: str) -> list[FormatRegistration]:
    """Return the entry points in pyproject.toml of a checkout; none if there is no checkout."""
    if not _PYPROJECT.is_file():
        return []
    _, values, _ = read_values(_PYPROJECT)
    project = _table(values, "project")
    if project.get("name") != OWN_PACKAGE:
        return []
    targets = _table(_table(project, "entry-points"), group)
    return [
        FormatRegistration(name, str(target), _PYPROJECT.name, is_own=True)
        for name, target in targets.items()
    ]


def _table(values: Mapping[str, object], key: str) -> Mapping[str, object]:
    """Return a table of a TOML file; an empty one if it is missing."""
    table = values.get(key)
    return table if isinstance(table, dict) else {}


def _package_targets(package: Distribution, group: str) -> dict[str, str]:
    """Return the entry points that an installed package has in a group: their targets by name."""
    try:
        entry_points = package.entry_points
    except (TypeError, ValueError):  # its entry_points.txt is broken, so it offers nothing
        return {}
    targets = {}
    for entry_point in entry_points:
        if entry_point.group == group:
            targets[entry_point.name] = entry_point.value
    return targets


FORMATS = tuple(registrations_of(FORMAT_GROUP))
"""Names of the formats, as the import command takes them."""


def load_format(name: str) -> Format:
    """Return the format of a name; only the importer of this format is loaded.

    Raises:
        FormatError: There is no such format, several packages have one, or it can't be loaded.
    """
    return _load(_find(FORMAT_GROUP, name, "format"), Format)


def benchmark_facts(benchmark: str) -> BenchmarkFacts:
    """Return what is known about a benchmark without its results; nothing for most benchmarks.

    Args:
        benchmark: Its id.

    Raises:
        FormatError: Several packages have facts about it, or they can't be loaded.
    """
    if benchmark not in registrations_of(BENCHMARK_GROUP):
        return NO_FACTS
    return _load(_find(BENCHMARK_GROUP, benchmark, "benchmark"), BenchmarkFacts)


def _find(group: str, name: str, noun: str) -> FormatRegistration:
    """Return the one entry point of a name."""
    registrations = registrations_of(group).get(name, ())
    if not registrations:
        raise FormatError(f"there is no {noun} {name}; {INSTALL_AGAIN}")
    if len(registrations) > 1:
        packages = " and ".join(registration.package for registration in registrations)
        raise FormatError(
            f"{noun} {name} is in several packages, {packages}: uninstall all of them but one"
        )
    return registrations[0]


def _load(registration: FormatRegistration, kind: type[T]) -> T:
    """Return the object that an entry point names.

    Raises:
        FormatError: Its module can't be imported, or has no such object.
    """
    module_name, _, attribute = registration.target.partition(":")
    try:
        value = getattr(import_module(module_name.strip()), attribute.strip())
    except Exception as error:
        if registration.is_own and not isinstance(error, (ImportError, AttributeError)):
            raise
        # Code of other packages may raise anything, and must not end other formats.
        cause = f"{type(error).__name__}: {error}"
        raise FormatError(f"{_describe(registration)}, and that failed: {cause}") from error
    if not isinstance(value, kind):
        raise FormatError(
            f"{_describe(registration)}, and that is a {type(value).__name__}, "
            f"no {kind.__name__} of sitegen.importers.kit.options"
        )
    return value


def _describe(registration: FormatRegistration) -> str:
    return (
        f"{registration.name} can't be loaded: {registration.package} says that it is "
        f"{registration.target} ({INSTALL_AGAIN})"
    )


def recognise_formats(path: Path) -> tuple[RecognisedFormat, ...]:
    """Return the formats that a folder or file seems to have; none if its kind is unknown.

    Formats that can't be loaded are passed over; `unusable_formats` says why.
    """
    matches = []
    for name in FORMATS:
        try:
            reason = _recognise(name, path)
        except FormatError:
            continue
        if reason:
            matches.append(RecognisedFormat(name, reason))
    return tuple(matches)


def _recognise(name: str, path: Path) -> str | None:
    """Return what shows that a source is of a format; None for others."""
    form = load_format(name)
    if not form.can_be(path):
        return None
    return form.recognise(SourceTree(path, LOOKED_INTO))


def unusable_formats() -> str:
    """Return why formats that are installed can't be loaded, in one line; empty if all can be."""
    reasons = []
    for name in FORMATS:
        try:
            load_format(name)
        except FormatError as error:
            reasons.append(str(error))
    return listed(reasons, separator="; ")
