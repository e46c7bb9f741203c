"""What the last build left, and what this one is made of: other commands need neither, and do not load it."""

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from sitegen.publish.cache import Cache
from sitegen.publish.inputs import Inputs
from sitegen.store.bundles import Elsewhere, Read

T = TypeVar("T")


class Known(NamedTuple):
    """What the last build left, and the files that this one is made of."""

    cache: Cache
    inputs: Inputs

    def found(self, name: str, find: Callable[[], T]) -> T:
        """What a digest names, as JSON could write it: as the last build found it out, or found out now."""
        last = self.cache.get(name)
        if last is not None:
            known: T = msgspec.msgpack.decode(last)
            return known
        now = find()
        self.cache.put(name, msgspec.msgpack.encode(now))
        return now


@dataclass(frozen=True, slots=True)
class Remembered:
    """Bundles as the last build read them, by digests of their files and of what they are read against."""

    known: Known
    elsewhere: Elsewhere | None = None
    """Who reads the others, where this machine does not."""

    def get(self, folder: Path) -> Read | None:
        """What the last build read, where the bundle is the same."""
        known = self.known.cache.get(self.known.inputs.bundle(folder))
        return pickle.loads(known) if known else None  # noqa: S301 - sealed by a build that was made here

    def put(self, folder: Path, read: Read) -> None:
        """Keep it for the next build."""
        self.known.cache.put(self.known.inputs.bundle(folder), pickle.dumps(read))
