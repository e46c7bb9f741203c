"""Find the entry points through which packages provide formats and facts about benchmarks.

Only names are read here, because command help and completion list them and must be quick. Start
with `registrations_of`; `formats` loads the requested objects.
"""

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import NamedTuple

from sitegen.reading.plain_toml import read_plain_toml

FORMAT_GROUP = "sitegen.formats"
BENCHMARK_GROUP = "sitegen.benchmarks"

OWN_PACKAGE = "recountboard"
"""Name of this program's installed package."""

_PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"

INSTALL_AGAIN = "an editable package has to be reinstalled after its entry points change"


class FormatRegistration(NamedTuple):
    """An entry point: an object that a package provides under a name."""

    name: str
    target: str
    """The location of the object, as `MODULE:ATTRIBUTE`."""
    package: str
    """Name and version of the package, as messages show them."""
    is_own: bool
    """Whether this program provides the entry point."""


@cache
def registrations_of(group: str) -> Mapping[str, tuple[FormatRegistration, ...]]:
    """Return the entry points of a group, keyed and sorted by name.

    A name should have only one entry point; if it has several, all of them are returned.
    """
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
        # If several copies of a package are on the path, Python imports the first.
        if name in seen_packages or (name == OWN_PACKAGE and own):
            continue
        seen_packages.add(name)
        label = f"{name} {package.version}"
        for entry_name, target in targets.items():
            registration = FormatRegistration(entry_name, target, label, is_own=name == OWN_PACKAGE)
            by_name[entry_name].append(registration)
    return {name: tuple(by_name[name]) for name in sorted(by_name)}


def _own_registrations(group: str) -> list[FormatRegistration]:
    """Return the entry points in the pyproject.toml of a checkout; empty outside a checkout."""
    if not _PYPROJECT.is_file():
        return []
    values = read_plain_toml(_PYPROJECT)
    project = _table(values, "project")
    if project.get("name") != OWN_PACKAGE:
        return []
    targets = _table(_table(project, "entry-points"), group)
    return [
        FormatRegistration(name, str(target), _PYPROJECT.name, is_own=True)
        for name, target in targets.items()
    ]


def _table(values: Mapping[str, object], key: str) -> Mapping[str, object]:
    """Return a table of a TOML file; an empty table if it is missing."""
    table = values.get(key)
    return table if isinstance(table, dict) else {}


def _package_targets(package: Distribution, group: str) -> dict[str, str]:
    """Return the targets of an installed package's entry points in a group, by name."""
    try:
        entry_points = package.entry_points
    except (TypeError, ValueError):  # treat a broken entry_points.txt as empty
        return {}
    targets = {}
    for entry_point in entry_points:
        if entry_point.group == group:
            targets[entry_point.name] = entry_point.value
    return targets


FORMATS = tuple(registrations_of(FORMAT_GROUP))
"""Names of the formats, as passed to the import command."""
