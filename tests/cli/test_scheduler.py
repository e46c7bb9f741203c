"""Bundles that the workers of a Dask scheduler read: what comes of it is the same, also where a worker is killed."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest
from kit.built_sites import demo
from typer.testing import CliRunner

from sitegen.cli.main import app
from sitegen.pipeline.dask_workers import dask_reader
from sitegen.pipeline.evaluating import evaluate
from sitegen.problems import UsageError
from sitegen.store.readers.bundles import BundleReading, RemoteReader

DAY = date(2026, 7, 1)


@dataclass(frozen=True)
class Forgetful:
    """Knows no bundle, so that all are read elsewhere."""

    remote_reader: RemoteReader | None

    def get(self, _: Path) -> BundleReading | None:
        return None

    def put(self, _: Path, __: BundleReading) -> None:
        pass


@contextmanager
def started(folder: Path, pattern: str, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A program of Dask, and what a pattern finds in what it says first."""
    command = [sys.executable, "-m", "distributed.cli.dask_" + arguments[0], *arguments[1:]]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        try:
            yield process, next(match[0] for line in process.stderr if (match := re.search(pattern, line)))
        finally:
            process.kill()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A scheduler's address, and one of its two workers."""
    pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    folder = tmp_path_factory.mktemp("dask")
    quiet = ("--no-dashboard", "--host", "127.0.0.1")
    with started(folder, r"tcp://127\.0\.0\.1:\d+", "scheduler", *quiet, "--port", "0") as (_, address):
        work = ("worker", address, *quiet, "--no-nanny", "--nthreads", "1")
        with started(folder, "Registered to", *work) as (first, _), started(folder, "Registered to", *work):
            yield address, first


def test_what_workers_read_is_the_same_also_where_one_is_killed(
    cluster: tuple[str, subprocess.Popen[str]],
) -> None:
    address, worker = cluster
    results, mortal = demo("--agents", "3", "--tasks", "2"), worker.pid

    def read(work: Callable[[Path], BundleReading], folders: Sequence[Path]) -> Iterator[BundleReading]:
        def read_or_die(folder: Path) -> BundleReading:
            if os.getpid() == mortal:
                os.kill(mortal, signal.SIGKILL)
            return work(folder)

        return dask_reader(address)(read_or_die, folders)

    away, local = evaluate(results, DAY, cache=Forgetful(read)), evaluate(results, DAY)
    assert away.results == local.results
    assert worker.wait(timeout=10) == -signal.SIGKILL


def test_a_scheduler_that_does_not_answer_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitegen.pipeline.dask_workers.STARTUP_SECONDS", 1)
    results = demo("--agents", "3", "--tasks", "2")
    away = ("--cache", str(tmp_path / "cache"), "--scheduler", "tcp://127.0.0.1:9")
    done = CliRunner().invoke(app, ["build", "--results", str(results), "--site", str(tmp_path / "site"), *away])
    assert isinstance(done.exception, UsageError)
    assert "no scheduler with workers answers at tcp://127.0.0.1:9" in str(done.exception)
