"""List the foreign formats, load the one that is asked for, and recognise which a source has.

A format is an entry point of the group `sitegen.formats`, so that it can live in a package of its
own: its name is what the commands take, its value names the `Format` as `MODULE:ATTRIBUTE`. Facts
about a benchmark are entry points of `sitegen.benchmarks` in the same way. Only names are read
until a format is asked for; a package that can't be loaded is an error of its own formats alone.

Installed packages keep a copy of their entry points that is made when they are installed. A
checkout of this repository therefore reads its own from pyproject.toml, which is never out of date.
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
"""Folders of a source that are searched before its format counts as unknown."""


class RecognisedFormat(NamedTuple):
    """A format that a source seems to have."""

    form: str
    reason: str
    """What the source has that only this format has; a message reads "it has REASON"."""


class FormatError(UsageError):
    """A format or a benchmark's facts can't be loaded; the message names the package."""


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
