"""The foreign formats that can be imported, each with its reader and the options that it knows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

from sitegen.importers.evocodebench.published import read_published
from sitegen.importers.harbor.importing import read_harbor
from sitegen.importers.harbor_multiturn.importing import read_harbor_multiturn
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.tree import is_archive
from sitegen.importers.slopcodebench.source import read_slopcodebench
from sitegen.importers.table.source import read_table
from sitegen.models.benchmark import Protocol
from sitegen.models.incoming import Incoming
from sitegen.pipeline.destination import benchmarks_in
from sitegen.problems import UsageError

Format = Literal["evocodebench", "harbor", "harbor-multiturn", "slopcodebench", "table"]
Pick = Literal["latest", "first"]


@dataclass(frozen=True, slots=True)
class Extras:
    """Options that only some formats know."""

    tasks: Path | None = None
    pick: Pick | None = None
    catalog: Path | None = None
    protocol: Protocol | None = None

    def given(self) -> list[str]:
        """Name those that were given."""
        return [each.name for each in fields(self) if getattr(self, each.name) is not None]


@dataclass(frozen=True, slots=True)
class Reader:
    """How a format is read.

    Attributes:
        read: Gives what a source holds.
        track: Id of the track, where none is named.
        benchmark: Id of the one benchmark that has its results in this format; None where any may.
        extras: Options that it knows beyond those of every format.
        is_file: Whether its source is one file, not a folder.
    """

    read: Callable[[Path, ImportOptions, Extras], Incoming]
    track: str
    benchmark: str | None = None
    extras: frozenset[str] = frozenset()
    is_file: bool = False

    def check(self, source: Path, extras: Extras, name: Format) -> None:
        """Say at once what can't be.

        Raises:
            UsageError: The source is of another kind, or an option belongs to another format.
        """
        mistake = self._mistake(source)
        if mistake:
            raise UsageError(f"{source} is {mistake}")
        strangers = [f"--{option}" for option in extras.given() if option not in self.extras]
        if strangers:
            raise UsageError(f"{', '.join(strangers)} can't be used with {name}")

    def own_benchmark(self, name: Format, into: Path) -> str:
        """Give the benchmark that results in this format belong to, where none is named.

        Raises:
            UsageError: They may belong to any.
        """
        if self.benchmark:
            return self.benchmark
        known = benchmarks_in(into)
        there = f"there are: {', '.join(known)}" if known else "none is there yet, so that any id begins one"
        raise UsageError(f"{name} needs --benchmark, the benchmark that the results belong to; in {into} {there}")

    def _mistake(self, source: Path) -> str | None:
        """Say what a source of another kind is; None where it can be read."""
        if is_archive(source.name) and not source.is_dir():
            return "an archive; unpack it first, and name what was in it"
        if self.is_file:
            return None if source.is_file() else "no file; name the table to read"
        return None if source.is_dir() else "no folder; name the one that holds the results"


def _evocodebench(source: Path, options: ImportOptions, _: Extras) -> Incoming:
    return read_published(source, options)


def _harbor(source: Path, options: ImportOptions, extras: Extras) -> Incoming:
    return read_harbor(source, options, extras.tasks, extras.pick)


def _harbor_multiturn(source: Path, options: ImportOptions, extras: Extras) -> Incoming:
    return read_harbor_multiturn(source, options, extras.tasks)


def _slopcodebench(source: Path, options: ImportOptions, extras: Extras) -> Incoming:
    return read_slopcodebench(source, options, extras.catalog)


def _table(source: Path, options: ImportOptions, extras: Extras) -> Incoming:
    return read_table(source, options, extras.protocol)


READERS: Mapping[Format, Reader] = {
    "evocodebench": Reader(_evocodebench, "official", "evocode-bench"),
    "harbor": Reader(_harbor, "official", extras=frozenset({"tasks", "pick"})),
    "harbor-multiturn": Reader(_harbor_multiturn, "fail-stop", extras=frozenset({"tasks"})),
    "slopcodebench": Reader(_slopcodebench, "main", "slop-code-bench", frozenset({"catalog"})),
    "table": Reader(_table, "main", extras=frozenset({"protocol"}), is_file=True),
}
"""The reader of every format."""
