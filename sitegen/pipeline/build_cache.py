"""Values that one build saves for the next; only builds import this module."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PosixPath
from typing import Any, NamedTuple, TypeVar

import msgspec

from sitegen.pipeline.program_cache import keep, read_kept
from sitegen.publish.site.cache import PageCache
from sitegen.publish.site.inputs import Inputs
from sitegen.publish.site.object_files import Reducer, Restorers, pack_objects, unpack_objects
from sitegen.publish.site.styles import dump_parsed_rules, load_parsed_rules, parsed_sheets
from sitegen.store.files.failures import FileTexts
from sitegen.store.files.readings import Reading
from sitegen.store.readers.bundles import BundleReading, RemoteReader

T = TypeVar("T")


class BuildCache(NamedTuple):
    """The cache of a site, and the input files whose digests are its keys."""

    cache: PageCache
    inputs: Inputs

    def get_or_compute(self, name: str, compute: Callable[[], T]) -> T:
        """Return a value computed from program and templates only, from the cache if possible.

        Args:
            name: The name of the value.
            compute: Computes the value, which must be representable as JSON.
        """

        def encode() -> bytes:
            return msgspec.msgpack.encode(compute())

        value: T = msgspec.msgpack.decode(self.get_or_make(name, encode))
        return value

    def get_or_make(
        self, name: str, make: Callable[[], bytes], *, is_code: bool = False
    ) -> bytes | memoryview:
        """Return bytes computed from program and templates only, from the cache if possible.

        New bytes are saved for this project and for the first build of other projects. Code is only
        loaded from caches that were written on this machine.
        """
        key = self.inputs.digest_of_templates(name)
        saved = self.cache.get(key, is_code=is_code)
        if saved is not None:
            return saved
        data = read_kept(name, key)
        if data is None:
            data = make()
            keep(name, key, data)
        self.cache.put(key, data, is_code=is_code)
        return data


@contextmanager
def reusing_parsed_styles(build_cache: BuildCache) -> Iterator[None]:
    """Reuse style sheets that earlier builds parsed, and save those parsed inside the `with` block.

    The style sheets of the theme and the program are also saved for the first build of other
    projects.
    """
    cache = build_cache.cache
    key = build_cache.inputs.digest_of_templates("styles")
    saved = cache.get(key)
    kept = read_kept("styles", key) if saved is None else None
    reused = kept if saved is None else bytes(saved)
    known_sheets = load_parsed_rules(reused) if reused else set()
    yield
    if not parsed_sheets() <= known_sheets:
        data = dump_parsed_rules()
        cache.put(key, data)
        if reused is None:
            keep("styles", key, data)
    elif kept is not None:
        cache.put(key, kept)


@dataclass(frozen=True, slots=True)
class StoredBundles:
    """The bundles of the last build, by a digest of each bundle and its benchmark's files.

    Their paths are stored relative to the results folder, which may have moved since.
    """

    build_cache: BuildCache
    remote_reader: RemoteReader | None = None
    """Reads bundles that are not in the cache on other machines; None to read them here."""

    def get(self, folder: Path) -> BundleReading | None:
        """Return a bundle from the last build; None if the bundle is new or has changed."""
        saved = self.build_cache.cache.get(self.build_cache.inputs.digest_of_bundle(folder))
        if saved is None:
            return None
        functions: Restorers = {
            (__name__, result_path.__name__): self._path_of,
            (__name__, result_texts.__name__): self._texts_of,
        }
        unpacked = unpack_objects(saved, functions)
        if unpacked is None:
            return None
        bundle, problems = unpacked
        return Reading(bundle, problems)

    def put(self, folder: Path, reading: BundleReading) -> None:
        """Save a bundle for the next build."""
        key = self.build_cache.inputs.digest_of_bundle(folder)
        if not key:
            return
        reducers: dict[type, Reducer] = {
            PosixPath: self._reduce_path,
            FileTexts: self._reduce_texts,
        }
        self.build_cache.cache.put(key, pack_objects((reading.record, reading.problems), reducers))

    def _reduce_path(self, path: Path) -> tuple[Any, ...]:
        return result_path, (os.path.relpath(path, self.build_cache.inputs.results),)

    def _reduce_texts(self, texts: FileTexts) -> tuple[Any, ...]:
        name = os.path.relpath(texts.path, self.build_cache.inputs.results)
        return result_texts, (name, texts.spans)

    def _path_of(self, name: str) -> Path:
        """Return the path of a file in the results folder.

        Raises:
            ValueError: The path is outside the results folder.
        """
        results = self.build_cache.inputs.results
        path = Path(os.path.normpath(results / name))
        if not path.is_relative_to(results):
            raise ValueError(f"{name} is outside of the results")
        return path

    def _texts_of(self, name: str, spans: Mapping[str, Sequence[slice]]) -> FileTexts:
        """Return the texts of a file that has its saved content, but perhaps another time.

        Raises:
            KeyError: The file is not in the results folder.
        """
        path = self._path_of(name)
        state = self.build_cache.inputs.states[str(path)]
        return FileTexts(path, spans, (state.size_bytes, state.write_time_ns))


def result_path(name: str) -> Path:
    """Represent `StoredBundles._path_of` in a saved bundle; loading calls that method instead."""
    raise NotImplementedError(name)


def result_texts(name: str, spans: Mapping[str, Sequence[slice]]) -> FileTexts:
    """Represent `StoredBundles._texts_of` in a saved bundle; loading calls that method instead."""
    raise NotImplementedError(name, spans)
