"""What one build saves for the next. Only builds need this module, so only they import it."""

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from sitegen.publish.cache import PageCache
from sitegen.publish.inputs import Inputs
from sitegen.store.bundles import BundleReading, RemoteReader

T = TypeVar("T")


class BuildCache(NamedTuple):
    """The cache of a site, with the input files whose digests are the cache's keys."""

    cache: PageCache
    inputs: Inputs

    def get_or_compute(self, key: str, compute: Callable[[], T]) -> T:
        """Return the value saved under a key, or compute and save it. It must be valid as JSON."""
        saved = self.cache.get(key)
        if saved is not None:
            saved_value: T = msgspec.msgpack.decode(saved)
            return saved_value
        value = compute()
        self.cache.put(key, msgspec.msgpack.encode(value))
        return value


@dataclass(frozen=True, slots=True)
class StoredBundles:
    """Bundles as the last build read them, by a digest of each bundle and its benchmark's files."""

    build_cache: BuildCache
    remote_reader: RemoteReader | None = None
    """Reads the bundles that are not in the cache on other machines; None to read them here."""

    def get(self, folder: Path) -> BundleReading | None:
        """Return a bundle as the last build read it, or None where the bundle is new or changed."""
        saved = self.build_cache.cache.get(self.build_cache.inputs.digest_of_bundle(folder))
        return pickle.loads(saved) if saved else None  # noqa: S301 - the cache checks its own seal

    def put(self, folder: Path, read: BundleReading) -> None:
        """Save a bundle for the next build."""
        key = self.build_cache.inputs.digest_of_bundle(folder)
        self.build_cache.cache.put(key, pickle.dumps(read))
