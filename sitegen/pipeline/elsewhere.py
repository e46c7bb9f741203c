"""Bundles that other machines read: what reading one gives depends on its files alone, so any of them may do it."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from sitegen.problems import UsageError
from sitegen.publish.project import program_version
from sitegen.store.bundles import Elsewhere, Read

_SECONDS = 30
"""So long a scheduler may take to answer, and to have a worker."""


def on_workers_of(scheduler: str) -> Elsewhere:
    """Have the workers of a Dask scheduler read bundles, at the same paths; where one dies, others go on.

    Raises:
        UsageError: Nothing there can read them: the library is absent, no scheduler or worker answers, or one has
            another version of this program.
        ChildProcessError: A bundle ended every worker that was to read it.
    """
    if find_spec("distributed") is None:
        raise UsageError(
            "--scheduler needs distributed, which is absent; `pip install 'recountboard[dask]'` brings it"
        )

    def read(work: Callable[[Path], Read], folders: Sequence[Path]) -> Iterator[Read]:
        from distributed import Client, KilledWorker  # noqa: PLC0415 - an extra, which most builds do not need

        own = program_version()
        try:
            client = Client(scheduler, timeout=_SECONDS, set_as_default=False)
            client.wait_for_workers(1, timeout=_SECONDS)
        except (OSError, ValueError) as error:
            told = f"no scheduler with a worker answers at {scheduler}: {error}"
            raise UsageError(
                told, "start them with `dask scheduler` and `dask worker ADDRESS`"
            ) from error
        with client:
            if others := sorted(
                where for where, version in client.run(program_version).items() if version != own
            ):
                raise UsageError(
                    f"workers have another version of sitegen than {own}: {', '.join(others)}"
                )
            futures = deque(client.map(work, folders, pure=False))
            try:
                while futures:
                    yield futures.popleft().result()
            except KilledWorker as error:
                raise ChildProcessError(
                    f"a bundle ended every worker that was to read it: {error}"
                ) from error

    return read
