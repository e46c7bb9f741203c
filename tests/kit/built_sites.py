"""Built sites that tests only read; each is built once for all test processes."""

import filecmp
import hashlib
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from kit import command
from kit.command import ROOT, done, locked
from kit.prepared_builds import digest_of_files
from kit.projects import project
from kit.real_data import real_data

HOME = "https://example.org/boards/"


def made_once(name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder that is made once and that tests only read.

    Args:
        name: The name of the folder; it must include everything that the content depends on.
        make: Makes the folder, which does not exist yet.
    """
    folder = command.shared / name
    marker = command.shared / f"{name}.whole"
    with locked(command.shared / f"{name}.lock"):
        if not marker.exists():
            shutil.rmtree(folder, ignore_errors=True)
            make(folder)
            marker.touch()
    return folder


def site_of(results: Path, *arguments: str) -> Path:
    """Return the site of a results folder, which tests must not change."""
    return made_once(
        hashlib.sha256(f"{arguments} {digest_of_files(results)}".encode()).hexdigest()[:16],
        lambda site: done("build", "--check-links", "--results", results, *arguments, "--site", site),
    )


def own_site() -> Path:
    """Return the site of the results in this repository, published at the address `HOME`; tests must not change it."""

    def build(site: Path) -> None:
        work = site.with_name("own-project")
        work.mkdir()
        done("build", "--results", ROOT / "results", "--site", site, folder=project(work, HOME))

    return made_once("own", build)


def demo(*arguments: str) -> Path:
    """Return a folder of simulated results, which tests must not change."""
    return made_once("demo" + "".join(arguments), lambda folder: done("demo", folder, *arguments))


def tried(source: Path) -> Path:
    """Return the site that `sitegen try` builds from runs, which tests must not change."""

    def build(folder: Path) -> None:
        folder.mkdir()
        done("try", source, "--no-serve", TMPDIR=str(folder))

    (site,) = made_once(f"tried-{source.name}", build).glob("*/site")
    return site


def real_snapshot(name: str) -> Path:
    """Return a snapshot of EvoCode-Bench's real results, imported without claims; tests must not change it."""
    arguments = ("import", "evocodebench", real_data("evocodebench", name), "--allow-missing", "--into")
    return made_once(name, lambda folder: done(*arguments, folder))


def differing(first_folder: Path, second_folder: Path) -> Iterator[str]:
    """Yield the names that exist in only one of two folders, and the names of files whose bytes differ."""
    yield from _differing(filecmp.dircmp(first_folder, second_folder))


def _differing(comparison: filecmp.dircmp[str]) -> Iterator[str]:
    yield from (*comparison.left_only, *comparison.right_only, *comparison.funny_files)
    _, mismatch, errors = filecmp.cmpfiles(comparison.left, comparison.right, comparison.common_files, shallow=False)
    yield from (*mismatch, *errors)
    for subdir in comparison.subdirs.values():
        yield from _differing(subdir)
