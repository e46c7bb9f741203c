"""How a site is built: the options of a build, its progress and its outcome."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from sitegen.problems import Problem
from sitegen.publish.machine.hidden_names import CACHE_FOLDER


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How a site is to be built."""

    site: Path
    """The folder to build the site in."""
    day: date
    """Today: waivers must hold on this day."""
    jobs: int = 1
    """Number of processes that render pages."""
    allow_problems: bool = False
    """Whether to publish results that have errors, marked as such."""
    has_parquet: bool = False
    """Whether to offer scores, rounds and cases as Parquet too."""
    check_links: bool = False
    """Whether to check the links of all pages; otherwise only those in authored pages."""
    cache: Path = Path(CACHE_FOLDER)
    """The folder in which a build saves what the next build can reuse."""
    benchmarks: tuple[str, ...] = ()
    """Ids of the benchmarks that the site shows; empty for all of them."""
    scheduler: str = ""
    """Address of the Dask scheduler whose workers read bundles; empty to read them here."""


@dataclass(frozen=True, slots=True)
class BuiltSite:
    """The outcome of a build."""

    site: Path
    pages: int
    """Number of generated pages, without the authored ones."""
    problems: Sequence[Problem]
    """Problems of the results; errors only where the options allow them."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """Bytes of each file of the site, by its name; empty until the site is in place."""


@dataclass(frozen=True, slots=True)
class BuildProgress:
    """Functions that a build calls after each step."""

    reading: Callable[[object], None]
    """Called with each bundle before it is read."""
    writing: Callable[[int, int], None]
    """Called with the number of page jobs that processes have taken, and that of all page jobs."""


NO_PROGRESS = BuildProgress(lambda _: None, lambda _taken, _total: None)
