"""Which submissions two states of a results folder share, and which ones are new.

Takes the folders of an earlier and a later state; gives `Matches`. Begin with `match_submissions`.

A submission is `BENCHMARK/ID`, never its id alone. The later state is not believed: a `[[renamed]]`
counts only where the earlier state has its source and both hold the same content.
"""

import filecmp
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitegen.models.benchmark import Benchmark
from sitegen.reading.toml import read_toml
from sitegen.store.edits import Document, content_of, read_document
from sitegen.store.layout import CHECKSUMS, DEFINITION, MANIFEST, SUBMISSIONS


@dataclass(frozen=True, slots=True)
class Published:
    """A submission of the earlier state, and where the later state has it."""

    name: str
    """`BENCHMARK/ID` in the earlier state."""
    was: Path
    now: Path | None
    """None where the later state has it no more."""

    @property
    def benchmark(self) -> str:
        """The benchmark's name in the earlier state."""
        return self.name.partition("/")[0]


@dataclass(frozen=True, slots=True)
class Matches:
    """The submissions of two states of a results folder."""

    benchmarks: Mapping[str, str]
    """The later name of each benchmark of the earlier state."""
    published: Sequence[Published]
    """Every submission of the earlier state."""
    new: Mapping[str, Path]
    """The submissions that the earlier state does not have, by `BENCHMARK/ID` in the later state."""

    def published_in(self, benchmark: str) -> list[Published]:
        """Return the submissions that a benchmark of the earlier state has."""
        return [each for each in self.published if each.benchmark == benchmark]

    def new_in(self, benchmark: str) -> list[Path]:
        """Return the folders of the new submissions of a benchmark of the later state."""
        return [folder for name, folder in self.new.items() if name.partition("/")[0] == benchmark]


def match_submissions(base: Path, head: Path) -> Matches:
    """Return which submissions of two results folders are the same, and which are new."""
    names = {folder.name: _later_name(folder.name, base, head) for folder in _benchmarks(base)}
    published: list[Published] = []
    present: set[Path] = set()
    for benchmark, later_name in names.items():
        for match in _matches_in(base / benchmark, head / later_name):
            published.append(match)
            if match.now and (match.now.name == match.was.name or is_same(match.was, match.now)):
                present.add(match.now)
    new: dict[str, Path] = {}
    for folder in _benchmarks(head):
        for bundle in submission_folders(folder).values():
            if bundle not in present:
                new[f"{folder.name}/{bundle.name}"] = bundle
    return Matches(names, published, new)


def submission_folders(benchmark: Path) -> dict[str, Path]:
    """Return the folders of a benchmark's submissions by their ids."""
    children = sorted((benchmark / SUBMISSIONS).glob("*"))
    return {path.name: path for path in children if path.is_dir() and not path.name.startswith(".")}


def bundle_files(folder: Path) -> dict[str, Path]:
    """Return the files and links of a submission by their names in it."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_symlink() or path.is_file())
    return {path.relative_to(folder).as_posix(): path for path in paths}


def is_same(was: Path, now: Path) -> bool:
    """Return whether two submissions hold the same, apart from their status and checksums."""
    before, after = bundle_files(was), bundle_files(now)
    if before.keys() != after.keys():
        return False
    for name, path in before.items():
        if name == MANIFEST:
            manifests = (read_document(path), read_document(after[name]))
            if None in manifests or without_status(manifests[0]) != without_status(manifests[1]):
                return False
        elif name != CHECKSUMS and content_of(path) != content_of(after[name]):
            return False
    return True


def without_status(manifest: Document | None) -> dict[str, object]:
    """Return a manifest without its status."""
    return {key: value for key, value in (manifest or {}).items() if key != "status"}


def has_same_bytes(was: Path, now: Path) -> bool:
    """Return whether two paths are the same file, byte for byte, or links to the same place."""
    if was.is_symlink() or now.is_symlink():
        return was.is_symlink() and now.is_symlink() and was.readlink() == now.readlink()
    return filecmp.cmp(was, now, shallow=False)


def _benchmarks(state: Path) -> list[Path]:
    """Return the folders that hold a benchmark, or submissions without a definition."""
    folders = [path for path in sorted(state.glob("*")) if path.is_dir()]
    return [
        path
        for path in folders
        if any((path / part).exists() for part in (DEFINITION, SUBMISSIONS))
    ]


def _later_name(name: str, base: Path, head: Path) -> str:
    """Return the name that a benchmark has in the later state.

    Another name counts where the later state has no benchmark of the old one, the earlier state has
    none of the new one, and only one benchmark claims the old one.
    """
    if (head / name / DEFINITION).exists():
        return name
    claiming = []
    for path in sorted(head.glob(f"*/{DEFINITION}")):
        later = path.parent.name
        if (base / later).exists():
            continue
        if any(old == name and new == later for old, new in _renamings(path.parent)):
            claiming.append(later)
    return claiming[0] if len(claiming) == 1 else name


def _renamings(benchmark: Path) -> list[tuple[str, str]]:
    """Return the addresses that a benchmark says were renamed, each with the new one."""
    definition = read_toml(benchmark / DEFINITION, Benchmark).record
    return [(each.old, each.new) for each in definition.renamed] if definition else []


def _matches_in(was: Path, now: Path) -> Iterator[Published]:
    """Yield each submission of a benchmark, with its folder in the later state."""
    earlier, later = submission_folders(was), submission_folders(now)
    renamings = _renamings(now) if earlier.keys() - later.keys() else []
    targets = {old: new.rpartition("/")[2] for old, new in renamings}
    claims = Counter(targets.values())
    for name, folder in earlier.items():
        here = later.get(name)
        if here is None:
            track = (read_document(folder / MANIFEST) or {}).get("track")
            addresses = [f"{home}/{track}/{name}" for home in (was.name, now.name)]
            target = next((targets[each] for each in addresses if each in targets), "")
            if target not in earlier and claims[target] == 1:
                here = later.get(target)
        yield Published(f"{was.name}/{name}", folder, here)
