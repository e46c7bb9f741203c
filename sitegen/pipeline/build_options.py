"""The options, progress and outcome of a build."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from sitegen.problems import Problem
from sitegen.publish.machine.hidden_names import CACHE_FOLDER


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """The options of a build."""

    site: Path
    """The folder that the site is built in."""
    day: date
    """The current day, on which waivers must hold."""
    jobs: int = 1
    """The number of processes that render pages."""
    allow_problems: bool = False
    """Whether to publish results that have errors, which pages then show."""
    has_parquet: bool = False
    """Whether to also publish scores, rounds and cases as Parquet files."""
    check_links: bool = False
    """Whether to check the links of all pages, instead of only those of authored pages."""
    cache: Path = Path(CACHE_FOLDER)
    """The folder in which a build saves data for the next build."""
    benchmarks: tuple[str, ...] = ()
    """The ids of the benchmarks that the site shows; empty for all benchmarks."""
    scheduler: str = ""
    """The address of the Dask scheduler whose workers read bundles; empty to read them locally."""


@dataclass(frozen=True, slots=True)
class BuiltSite:
    """The outcome of a build."""

    site: Path
    pages: int
    """The number of generated pages, excluding authored pages."""
    problems: Sequence[Problem]
    """The problems of the results; they include errors only if the options allow errors."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """The size of each file of the site in bytes, by name; empty until the site is in place."""


@dataclass(frozen=True, slots=True)
class BuildProgress:
    """Functions that a build calls to report its progress."""

    reading: Callable[[object], None]
    """Called with each bundle before it is read."""
    writing: Callable[[int, int], None]
    """Called with the number of page jobs started and the total number of page jobs."""


NO_PROGRESS = BuildProgress(lambda _: None, lambda _taken, _total: None)
