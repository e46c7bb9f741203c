"""Built sites that tests only read: each is made once, for all processes that share the tests."""

import fcntl
import filecmp
import hashlib
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from command import ROOT, done
from projects import project

HOME = "https://example.org/boards/"

shared = Path()
"""The folder that all processes keep them in; set when the tests begin."""


def made_once(name: str, make: Callable[[Path], object]) -> Path:
    """Give a folder that one test makes and others only read.

    Args:
        name: What it is called; all that it depends on is in it.
        make: Makes it; it does not exist yet.
    """
    folder = shared / name
    with _locked(shared / f"{name}.lock"):
        if not (shared / f"{name}.whole").exists():
            shutil.rmtree(folder, ignore_errors=True)
            make(folder)
            (shared / f"{name}.whole").touch()
    return folder


def site_of(results: Path, *words: str) -> Path:
    """Give the site of a results folder; nobody may change it."""
    digest = hashlib.sha256(repr(words).encode())
    for path in sorted(path for path in results.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(results)}\n{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return made_once(
        digest.hexdigest()[:16],
        lambda site: done("build", "--check-links", "--results", results, *words, "--site", site),
    )


def own_site() -> Path:
    """Give the site of the results in this repository, published at the address `HOME`; nobody may change it."""

    def build(site: Path) -> None:
        work = site.with_name("own-project")
        work.mkdir()
        done("build", "--results", ROOT / "results", "--site", site, folder=project(work, HOME))

    return made_once("own", build)


def demo(*words: str) -> Path:
    """Give a folder of simulated results; nobody may change it."""
    return made_once("demo" + "".join(words), lambda folder: done("demo", folder, *words))


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def differing(one: Path, other: Path) -> Iterator[str]:
    """Name what only one of two folders has, and files with other bytes."""
    yield from _differing(filecmp.dircmp(one, other))


def _differing(found: filecmp.dircmp[str]) -> Iterator[str]:
    yield from (*found.left_only, *found.right_only, *found.funny_files)
    _, mismatch, errors = filecmp.cmpfiles(found.left, found.right, found.common_files, shallow=False)
    yield from (*mismatch, *errors)
    for each in found.subdirs.values():
        yield from _differing(each)
