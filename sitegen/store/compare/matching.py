"""Find the submissions that two states of a results folder share, and those that are new.

Read `match_submissions` first: it takes the folders of an earlier and a later state, and returns
`Matches`.

A submission is identified by `BENCHMARK/ID`, never by its id alone. The later state is not trusted:
a `[[renamed]]` counts only if the earlier state has the old address and both states have the same
content.
"""

import filecmp
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitegen.models.benchmark import Benchmark
from sitegen.reading.toml import read_toml
from sitegen.store.files.layout import (
    CHECKSUMS_FILE,
    DEFINITION_FILE,
    MANIFEST_FILE,
    SUBMISSIONS_FOLDER,
)
from sitegen.store.files.raw_documents import read_document, read_stored_bytes, without_key


@dataclass(frozen=True, slots=True)
class EarlierSubmission:
    """A submission of the earlier state, and its folder in the later state."""

    name: str
    """`BENCHMARK/ID` in the earlier state."""
    before: Path
    """Its folder in the earlier state."""
    after: Path | None
    """Its folder in the later state; None if it is gone."""

    @property
    def benchmark(self) -> str:
        """The benchmark's name in the earlier state."""
        return self.name.partition("/")[0]


@dataclass(frozen=True, slots=True)
class Matches:
    """The submissions of two states of a results folder."""

    benchmarks: Mapping[str, str]
    """The later name of each benchmark of the earlier state."""
    earlier: Sequence[EarlierSubmission]
    """Every submission of the earlier state."""
    new: Mapping[str, Path]
    """Folders of the submissions that exist only in the later state, by `BENCHMARK/ID`."""

    def earlier_in(self, benchmark: str) -> list[EarlierSubmission]:
        """Return the submissions of a benchmark, by its earlier name."""
        return [match for match in self.earlier if match.benchmark == benchmark]

    def new_in(self, benchmark: str) -> list[Path]:
        """Return the folders of the new submissions of a benchmark, by its later name."""
        return [folder for name, folder in self.new.items() if name.partition("/")[0] == benchmark]


def match_submissions(base: Path, head: Path) -> Matches:
    """Return which submissions of two results folders match, and which are new."""
    names_after: dict[str, str] = {}
    for folder in _benchmark_folders(base):
        names_after[folder.name] = _name_after(folder.name, base, head)
    earlier: list[EarlierSubmission] = []
    matched_folders: set[Path] = set()
    for benchmark, name_after in names_after.items():
        for match in _match_benchmark(base / benchmark, head / name_after):
            earlier.append(match)
            if match.after and _is_confirmed(match.before, match.after):
                matched_folders.add(match.after)
    new: dict[str, Path] = {}
    for benchmark_folder in _benchmark_folders(head):
        for name, folder in submission_folders(benchmark_folder).items():
            if folder not in matched_folders:
                new[f"{benchmark_folder.name}/{name}"] = folder
    return Matches(names_after, earlier, new)


def submission_folders(benchmark: Path) -> dict[str, Path]:
    """Return the folders of a benchmark's submissions by their ids."""
    children = sorted((benchmark / SUBMISSIONS_FOLDER).glob("*"))
    return {path.name: path for path in children if path.is_dir() and not path.name.startswith(".")}


def bundle_files(folder: Path) -> dict[str, Path]:
    """Return the files and links of a submission by relative path."""
    paths = sorted(folder.rglob("*"))
    files = [path for path in paths if path.is_symlink() or path.is_file()]
    return {path.relative_to(folder).as_posix(): path for path in files}


def is_same(before: Path, after: Path) -> bool:
    """Return whether two submissions have the same content, except for status and checksums."""
    files_before = bundle_files(before)
    files_after = bundle_files(after)
    if files_before.keys() != files_after.keys():
        return False
    for name, path in files_before.items():
        if name == MANIFEST_FILE:
            if not _has_same_manifest(path, files_after[name]):
                return False
        elif name != CHECKSUMS_FILE and read_stored_bytes(path) != read_stored_bytes(
            files_after[name]
        ):
            return False
    return True


def _is_confirmed(before: Path, after: Path) -> bool:
    """Return whether a submission kept its name, or has the same content under a new name."""
    return before.name == after.name or is_same(before, after)


def _has_same_manifest(path_before: Path, path_after: Path) -> bool:
    """Return whether two manifests can be read and have no differences except in their status."""
    before = read_document(path_before)
    after = read_document(path_after)
    if before is None or after is None:
        return False
    return without_key(before, "status") == without_key(after, "status")


def has_same_bytes(path_before: Path, path_after: Path) -> bool:
    """Return whether two files have the same bytes, or are links with the same target."""
    if path_before.is_symlink() != path_after.is_symlink():
        return False
    if path_before.is_symlink():
        return path_before.readlink() == path_after.readlink()
    return filecmp.cmp(path_before, path_after, shallow=False)


def _benchmark_folders(state: Path) -> list[Path]:
    """Return the folders with a benchmark, or with submissions but no definition."""
    return [path for path in sorted(state.glob("*")) if path.is_dir() and _has_benchmark(path)]


def _has_benchmark(folder: Path) -> bool:
    return (folder / DEFINITION_FILE).exists() or (folder / SUBMISSIONS_FOLDER).exists()


def _name_after(name: str, base: Path, head: Path) -> str:
    """Return the name of a benchmark in the later state.

    A new name counts if the later state has no benchmark with the old name, the earlier state has
    no benchmark with the new name, and only one benchmark claims the old name.
    """
    if (head / name / DEFINITION_FILE).exists():
        return name
    claimants = []
    for path in sorted(head.glob(f"*/{DEFINITION_FILE}")):
        name_after = path.parent.name
        is_new = not (base / name_after).exists()
        if is_new and (name, name_after) in _read_renamings(path.parent):
            claimants.append(name_after)
    return claimants[0] if len(claimants) == 1 else name


def _read_renamings(benchmark: Path) -> list[tuple[str, str]]:
    """Return the old and the new address of each renaming in a benchmark's definition."""
    definition = read_toml(benchmark / DEFINITION_FILE, Benchmark).record
    if definition is None:
        return []
    return [(renaming.old, renaming.new) for renaming in definition.renamed]


def _match_benchmark(before: Path, after: Path) -> Iterator[EarlierSubmission]:
    """Yield each submission of a benchmark, with its folder in the later state."""
    folders_before = submission_folders(before)
    folders_after = submission_folders(after)
    is_any_gone = bool(folders_before.keys() - folders_after.keys())
    renamings = _read_renamings(after) if is_any_gone else []
    new_names = {old: new.rpartition("/")[2] for old, new in renamings}
    claims = Counter(new_names.values())
    for name, folder in folders_before.items():
        folder_after = folders_after.get(name)
        if folder_after is None:
            new_name = _new_name(folder, (before.name, after.name), new_names)
            if new_name not in folders_before and claims[new_name] == 1:
                folder_after = folders_after.get(new_name)
        yield EarlierSubmission(f"{before.name}/{name}", folder, folder_after)


def _new_name(
    submission: Path, benchmark_names: Sequence[str], new_names: Mapping[str, str]
) -> str:
    """Return the new name of a renamed submission; empty if its address was not renamed."""
    track = (read_document(submission / MANIFEST_FILE) or {}).get("track")
    for benchmark in benchmark_names:
        address = f"{benchmark}/{track}/{submission.name}"
        if address in new_names:
            return new_names[address]
    return ""
