"""The options of a build, its progress and its outcome."""

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
    """The folder in which the site is built."""
    day: date
    """Today: waivers must hold on this day."""
    jobs: int = 1
    """The number of processes that render pages."""
    allow_problems: bool = False
    """Whether to publish results with errors, marked as such."""
    has_parquet: bool = False
    """Whether to also offer scores, rounds and cases as Parquet."""
    check_links: bool = False
    """Whether to check the links of all pages, instead of only those in authored pages."""
    cache: Path = Path(CACHE_FOLDER)
    """The folder in which a build saves what the next build can reuse."""
    benchmarks: tuple[str, ...] = ()
    """The ids of the benchmarks that the site shows; empty for all of them."""
    scheduler: str = ""
    """The address of the Dask scheduler whose workers read bundles; empty to read them here."""


@dataclass(frozen=True, slots=True)
class BuiltSite:
    """The outcome of a build."""

    site: Path
    pages: int
    """The number of generated pages, without authored pages."""
    problems: Sequence[Problem]
    """The problems of the results; errors only if the options allow them."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """The size of each file of the site in bytes, by name; empty until the site is in place."""


@dataclass(frozen=True, slots=True)
class BuildProgress:
    """Functions that a build calls after each step."""

    reading: Callable[[object], None]
    """Called with each bundle before it is read."""
    writing: Callable[[int, int], None]
    """Called with the numbers of page jobs started and of page jobs in total."""


NO_PROGRESS = BuildProgress(lambda _: None, lambda _taken, _total: None)
