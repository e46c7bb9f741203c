"""List the files that a site is made from, and compute digests of subsets of them.

Equal digests mean equal files, program and options. Digests depend on contents, and on names
relative to the project and the results, so they are the same in another folder, on another machine
and after a checkout. Start with `Inputs.read`.
"""

import hashlib
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from sitegen.problems import BuilderError
from sitegen.publish.machine.packing import sha256_of_file
from sitegen.publish.projects.project import Project
from sitegen.publish.site.authored import settings_files, settings_in
from sitegen.reading.shortages import raise_shortage

_PACKAGE = Path(__file__).resolve().parents[2]

_SAFE_PLUGINS = {"search", "material/search"}
"""Plugins of the builder that read nothing but its pages."""


class FileState(NamedTuple):
    """File metadata that changes whenever the content changes."""

    size_bytes: int
    inode: int
    write_time_ns: int
    change_time_ns: int
    """The time of the last change of the content or the inode, which no program can set."""


_FOLDER_STATE = FileState(0, 0, 0, 0)
"""The state of every folder; only the folder's existence matters."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """The files that a site is made from, apart from the program's own."""

    project: Project
    results: Path
    states: Mapping[str, FileState]
    """The state of each file, by its path."""
    digests: Mapping[str, str]
    """The digest of each file's content and, for a link, of its target."""
    names: Mapping[str, str]
    """The name of each file relative to its folder, which digests use in place of its path."""
    builder_reads_only_these: bool
    """Whether the builder reads no other files; settings that name code may read any file.

    If false, digests that concern the builder's pages are empty. Digests of pages that only this
    program makes are not empty, because it reads nothing but the files in `digests`.
    """

    @classmethod
    def read(cls, project: Project, results: Path) -> "Inputs":
        """Read the files of a project and its results.

        If a file can't be read, all digests are empty; the code that needs the file reports the
        error.
        """
        try:
            states = dict(_read_states(project, results))
            digests = {path: _content_key(path) for path in states}
            names = {path: _portable_name(path, project, results) for path in states}
            is_self_contained = all(map(_is_self_contained, _layers(project)))
        except (OSError, BuilderError):
            return cls(project, results, {}, {}, {}, builder_reads_only_these=False)
        return cls(project, results, states, digests, names, is_self_contained)

    def are_as_read(self) -> bool:
        """Return whether all files are unchanged since they were read."""
        try:
            return dict(_read_states(self.project, self.results)) == self.states
        except (OSError, BuilderError):
            return False

    def digest_of_all(self, *values: object) -> str:
        """Return the digest of all files and of values with a distinct `repr`.

        Empty if the builder may read other files, because the site includes the builder's pages.
        """
        return self._digest(self.digests, values) if self.builder_reads_only_these else ""

    def digest_without_results(self, *values: object) -> str:
        """Return the digest of all files except the results, and of other values.

        Empty if the builder may read other files, because the digest concerns the builder's pages.
        """
        if not self.builder_reads_only_these:
            return ""
        results_prefix = f"{self.results}{os.sep}"
        paths = [path for path in self.digests if not path.startswith(results_prefix)]
        return self._digest(paths, values)

    def digest_of_folders(self, folders: Iterable[Path], *values: object) -> str:
        """Return the digest of the program, the files in the given folders, and other values."""
        prefixes = tuple(f"{folder}{os.sep}" for folder in folders)
        paths = [path for path in self.digests if path.startswith(prefixes)]
        return self._digest(paths, values)

    def digest_of_templates(self, *values: object) -> str:
        """Return the digest of the program, the templates of pages, and other values."""
        folders = [layer.templates for layer in _layers(self.project)]
        return self.digest_of_folders(folders, *values)

    def digest_of_bundle(self, folder: Path) -> str:
        """Return the digest of the program, a bundle, and its benchmark without other bundles."""
        bundle_prefix = f"{folder}{os.sep}"
        submissions_prefix = f"{folder.parent}{os.sep}"
        benchmark_prefix = f"{folder.parents[1]}{os.sep}"
        paths = [path for path in self.digests if path.startswith(benchmark_prefix)]
        bundle_paths = [path for path in paths if path.startswith(bundle_prefix)]
        benchmark_paths = [path for path in paths if not path.startswith(submissions_prefix)]
        return self._digest((*benchmark_paths, *bundle_paths), folder.name)

    def _digest(self, paths: Iterable[str], values: object) -> str:
        if not self.digests:
            return ""
        files = sorted((self.names[path], self.digests[path]) for path in paths)
        return hashlib.sha256(repr((_program_digest(), files, values)).encode()).hexdigest()


@cache
def _program_digest() -> str:
    """Return the digest of the running program, Python and all installed libraries.

    It is computed only once, since later changes of files do not change the running program.
    """
    installed: list[str] = []
    for folder in sys.path:
        installed += [path.name for path in Path(folder).glob("*.dist-info")]
    files = []
    for path in _paths_below(_PACKAGE):
        files.append((path.relative_to(_PACKAGE).as_posix(), _content_key(str(path))))
    program = (sys.version, sorted(installed), sorted(files))
    return hashlib.sha256(repr(program).encode()).hexdigest()


def _layers(project: Project) -> list[Project]:
    """Return a project and its fallback, if it has one."""
    return [project, Project(project.fallback)] if project.fallback else [project]


def _read_states(project: Project, results: Path) -> Iterator[tuple[str, FileState]]:
    """Yield the path and the state of every file and folder that a site is made from."""
    roots = [results]
    for layer in _layers(project):
        roots += settings_files(layer.settings)
        roots += (layer.authored, layer.theme, layer.templates, layer.board_pages)
    for root in roots:
        for path in _paths_below(root):
            yield str(path), _input_state(path)


def _portable_name(path: str, project: Project, results: Path) -> str:
    """Return the name of a file, relative to the results, the program or the project."""
    if path == str(results) or path.startswith(f"{results}{os.sep}"):
        return f"results/{os.path.relpath(path, results)}"
    fallback = project.fallback
    if fallback and path.startswith(f"{fallback}{os.sep}"):
        return f"program/{os.path.relpath(path, fallback)}"
    return f"project/{os.path.relpath(path, project.root)}"


def _input_state(path: Path) -> FileState:
    """Return the state of a file; all folders have the same state."""
    if not path.is_file():
        return _FOLDER_STATE
    return file_state(path)


def _content_key(path: str) -> str:
    """Return a text that changes with the content of a file or the target of a link.

    The text is the same for all folders.
    """
    target = Path(path).readlink() if Path(path).is_symlink() else ""
    if not Path(path).is_file():
        return f"{target} no file"
    return f"{target} {sha256_of_file(Path(path))}"


def _is_self_contained(project: Project) -> bool:
    """Return whether the builder reads only the project's files, without code or variables."""
    settings = settings_in(project.settings)
    plugins = settings.get("plugins") or ()
    names = set()
    for plugin in plugins if isinstance(plugins, list | dict) else ():
        # A plugin with options is a table of one key.
        names.add(str(next(iter(plugin))) if isinstance(plugin, dict) else str(plugin))
    has_snippets = "snippets" in str(settings.get("markdown_extensions"))
    if settings.get("hooks") or has_snippets or not names <= _SAFE_PLUGINS:
        return False
    return not any(b"!ENV" in path.read_bytes() for path in settings_files(project.settings))


def _paths_below(folder: Path) -> Iterator[Path]:
    """Yield all files and folders below a folder, or the given file, without compiled Python."""
    if folder.is_file():
        yield folder
    for parent, folder_names, file_names in os.walk(folder, onerror=raise_shortage):
        folder_names[:] = [name for name in folder_names if name != "__pycache__"]
        for name in (*folder_names, *file_names):
            yield Path(parent, name)


def file_state(path: Path | str) -> FileState:
    """Return the state of a file or a link."""
    status = os.lstat(path)
    return FileState(status.st_size, status.st_ino, status.st_mtime_ns, status.st_ctime_ns)
