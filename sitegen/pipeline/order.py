"""How a site is to be built, and what became of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date as Date  # noqa: N812 - as in the models
from pathlib import Path

from sitegen.problems import Problem


@dataclass(frozen=True, slots=True)
class Order:
    """How a site is to be built."""

    site: Path
    """The folder that it is to have."""
    day: Date
    """The day on which waivers are to hold."""
    jobs: int = 1
    """Processes that render pages side by side."""
    allow_problems: bool = False
    """Whether to publish what has errors, marked as such."""
    has_parquet: bool = False
    """Whether to offer scores as Parquet too."""
    check_links: bool = False
    """Whether to read every page again for links that lead nowhere; else only those that people write."""
    cache: Path = Path(".sitegen")
    """The folder that builds keep what they know in, for the next one."""
    scheduler: str = ""
    """Address of the Dask scheduler whose workers read bundles; empty where this machine does."""


@dataclass(frozen=True, slots=True)
class Built:
    """A site that was built."""

    site: Path
    pages: int
    """Generated pages; the authored ones are not counted."""
    problems: Sequence[Problem]
    """What is wrong with the results; errors only where they were allowed."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """The bytes of the site's files by their names, once it stands."""


@dataclass(frozen=True, slots=True)
class Watch:
    """Who is told how a build goes."""

    reading: Callable[[object], None]
    """Told of each bundle before it is read."""
    writing: Callable[[object], None]
    """Told of each page that this process has written."""


SILENT = Watch(lambda _: None, lambda _: None)
