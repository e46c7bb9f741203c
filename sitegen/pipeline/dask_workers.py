"""Read bundles on the workers of a Dask scheduler.

Reading a bundle depends only on its files, so any machine that has these files can read it.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from sitegen.problems import UsageError
from sitegen.publish.projects.wheel import program_version
from sitegen.store.readers.bundles import BundleReading, RemoteReader

if TYPE_CHECKING:
    from distributed import Client

STARTUP_SECONDS = 30
"""The longest time to wait for the scheduler, and then for its first worker, in seconds."""


def dask_reader(scheduler: str) -> RemoteReader:
    """Return a function that reads bundles on a scheduler's workers, at the same paths as here.

    If a worker stops, the other workers read its bundles.

    Raises:
        UsageError: The library is not installed. The returned function also raises it if no
            scheduler or worker responds, or if a worker runs another version of this program.
        ChildProcessError: (From the returned function.) Every worker stopped while reading one
            bundle.
    """
    if find_spec("distributed") is None:
        raise UsageError(
            "--scheduler needs distributed, which is not installed; run `pip install "
            "'recountboard[dask]'`"
        )
    return partial(_read_on_workers, scheduler)


def _read_on_workers(
    scheduler: str, read: Callable[[Path], BundleReading], folders: Sequence[Path]
) -> Iterator[BundleReading]:
    """Yield the result of `read` for each folder, in order."""
    from distributed import KilledWorker  # noqa: PLC0415 - an extra that most builds do not need

    with _connect(scheduler) as client:
        _require_same_version(client)
        futures = deque(client.map(read, folders, pure=False))
        try:
            while futures:
                yield futures.popleft().result()
        except KilledWorker as error:
            raise ChildProcessError(
                f"every worker that tried to read one of the bundles stopped: {error}"
            ) from error


def _connect(scheduler: str) -> "Client":
    """Return a client of a scheduler that has at least one worker."""
    from distributed import Client  # noqa: PLC0415 - as above

    try:
        client = Client(scheduler, timeout=STARTUP_SECONDS, set_as_default=False)
        client.wait_for_workers(1, timeout=STARTUP_SECONDS)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"no scheduler with workers answers at {scheduler}: {error}",
            "start them with `dask scheduler` and `dask worker ADDRESS`",
        ) from error
    return client


def _require_same_version(client: "Client") -> None:
    """Raise a UsageError if a worker runs another version of this program."""
    version = program_version()
    worker_versions = client.run(program_version)
    outdated = [worker for worker in worker_versions if worker_versions[worker] != version]
    if outdated:
        workers = ", ".join(sorted(outdated))
        raise UsageError(f"these workers do not run sitegen {version}: {workers}")
