"""List the foreign formats, load a requested format, and recognise the format of a source.

A format is an entry point of the group `sitegen.formats`, so it can be provided by another package.
Commands take the name of the entry point; its value names the `Format` as `MODULE:ATTRIBUTE`.
Similarly, facts about a benchmark are entry points of `sitegen.benchmarks`. Only names are read
until a format is requested; a package that can't be loaded affects only its own formats.

The entry points of an installed package are copied when it is installed. A checkout of this
repository therefore reads its own entry points from pyproject.toml, which is never out of date.
"""

from importlib import import_module
from pathlib import Path
from typing import NamedTuple, TypeVar

from sitegen.importers.kit.options import NO_FACTS, BenchmarkFacts, Format
from sitegen.importers.kit.tree import SourceTree
from sitegen.importers.registrations import (
    BENCHMARK_GROUP,
    FORMAT_GROUP,
    INSTALL_AGAIN,
    FormatRegistration,
    registrations_of,
)
from sitegen.importers.registrations import (
    FORMATS as FORMATS,  # noqa: PLC0414 - for those who load formats
)
from sitegen.problems import UsageError, listed

T = TypeVar("T")

LOOKED_INTO = 2_000
"""Maximum number of folders of a source to search for the features of a format."""


class RecognisedFormat(NamedTuple):
    """A format that a source appears to have, and the reason."""

    form: str
    reason: str
    """The feature of the source that only this format has; messages read "it has REASON"."""


class FormatError(UsageError):
    """A format or a benchmark's facts can't be loaded; the message names the package."""


def load_format(name: str) -> Format:
    """Return a format by name, loading only the importer of this format.

    Raises:
        FormatError: The format does not exist, several packages provide it, or it can't be loaded.
    """
    return _load(_find(FORMAT_GROUP, name, "format"), Format)


def benchmark_facts(benchmark: str) -> BenchmarkFacts:
    """Return the facts that a package provides about a benchmark; `NO_FACTS` for most benchmarks.

    Args:
        benchmark: The benchmark's id.

    Raises:
        FormatError: Several packages provide facts about the benchmark, or the facts can't be
            loaded.
    """
    if benchmark not in registrations_of(BENCHMARK_GROUP):
        return NO_FACTS
    return _load(_find(BENCHMARK_GROUP, benchmark, "benchmark"), BenchmarkFacts)


def _find(group: str, name: str, noun: str) -> FormatRegistration:
    """Return the entry point with a name.

    Raises:
        FormatError: No entry point has the name, or several packages provide it.
    """
    registrations = registrations_of(group).get(name, ())
    if not registrations:
        raise FormatError(f"there is no {noun} {name}; {INSTALL_AGAIN}")
    if len(registrations) > 1:
        packages = " and ".join(registration.package for registration in registrations)
        raise FormatError(
            f"{noun} {name} is provided by several packages, {packages}: "
            "uninstall all but one of them"
        )
    return registrations[0]


def _load(registration: FormatRegistration, kind: type[T]) -> T:
    """Return the object that an entry point names.

    Raises:
        FormatError: The module can't be imported, or its object is missing or has another type.
    """
    module_name, _, attribute = registration.target.partition(":")
    try:
        value = getattr(import_module(module_name.strip()), attribute.strip())
    except Exception as error:
        if registration.is_own and not isinstance(error, (ImportError, AttributeError)):
            raise
        # Code of other packages may raise anything, and must not affect other formats.
        cause = f"{type(error).__name__}: {error}"
        raise FormatError(f"{_describe(registration)}, which failed: {cause}") from error
    if not isinstance(value, kind):
        raise FormatError(
            f"{_describe(registration)}, which is a {type(value).__name__}, "
            f"not a {kind.__name__} of sitegen.importers.kit.options"
        )
    return value


def _describe(registration: FormatRegistration) -> str:
    return (
        f"{registration.name} can't be loaded: {registration.package} says that it is "
        f"{registration.target} ({INSTALL_AGAIN})"
    )


def recognise_formats(path: Path) -> tuple[RecognisedFormat, ...]:
    """Return the formats that a folder or file appears to have; empty if none is recognised.

    Formats that can't be loaded are skipped; `unusable_formats` gives the reasons.
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
    """Return the feature by which a source is recognised; None if it does not have the format."""
    form = load_format(name)
    if not form.can_be(path):
        return None
    return form.recognise(SourceTree(path, LOOKED_INTO))


def unusable_formats() -> str:
    """Return the reasons why formats can't be loaded, on one line; empty if all can be loaded."""
    reasons = []
    for name in FORMATS:
        try:
            load_format(name)
        except FormatError as error:
            reasons.append(str(error))
    return listed(reasons, separator="; ")
