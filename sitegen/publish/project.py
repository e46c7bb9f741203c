"""Find the leaderboard project around a folder, begin a new one, and pack the program for it.

Start with `find_project` and `project_files`.
"""

import csv
import json
import re
import shutil
import tomllib
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from io import BytesIO, StringIO
from pathlib import Path, PurePosixPath
from stat import S_IFREG
from typing import Literal, NamedTuple, get_args
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from sitegen.models.benchmark import Protocol
from sitegen.problems import UsageError

_DISTRIBUTION = "recountboard"
"""The program's name among packages, where `sitegen` is another project's."""

_PACKAGE = Path(__file__).resolve().parents[1]
_RESOURCE_FOLDERS = (_PACKAGE.parent, _PACKAGE / "project")
"""Where the program's own settings, pages and templates are: in a checkout, when installed."""

INHERIT = "INHERIT"
"""The key by which settings name those that they inherit."""

_OWN_PAGES = ("develop", "docs", "submit", "????-??-??.md")
"""Pages that other projects do not get: the program's documentation and release notes."""

_MAX_CONSECUTIVE_K = 8
"""Number of attempts up to which pass^k is declared for each k; beyond, for powers of two only."""

_ALL_ATTEMPTS_METRIC = """\
[[metrics]]
id = "pass_hat_{k}"
title = "pass^{k}"
unit = "percent"
of = "pass"
rounds = "all"
attempts = "pass_hat_k"
k = {k}
"""

_DEFINITION_TEMPLATE = "benchmark.toml"
_TEMPLATE_TARGETS: Mapping[str, str] = {
    "README.md": "README.md",
    "Makefile": "Makefile",
    "gitignore": ".gitignore",
    "gitattributes": ".gitattributes",
    "requirements.txt": "requirements.txt",
    "mkdocs.yml": "mkdocs.yml",
    "index.md": "site_src/index.md",
    _DEFINITION_TEMPLATE: "results/{benchmark}/benchmark.toml",
}
"""The templates in `templates/project/`, and the file of a project that each becomes."""

Kind = Literal["one-shot", "attempts", "multi-round", "table"]
"""Kind of a benchmark: tasks of one round, of several attempts or rounds, or a table."""
KINDS: tuple[Kind, ...] = get_args(Kind)

Host = Literal["github", "gitlab"]
"""The host of a repository, whose machines check requests and publish the site."""

_GITHUB_FILES = (
    ".github/dependabot.yml",
    ".github/workflows/check.yml",
    ".github/workflows/comment.yml",
    ".github/workflows/publish.yml",
    ".github/workflows/published.yml",
    "tools/comment.py",
    "tools/github_api.py",
    "tools/harmless.py",
)
_COPIED_FILES: Mapping[Host, Mapping[str, str]] = {
    "github": {name: name for name in _GITHUB_FILES},
    "gitlab": {".gitlab/leaderboard.yml": ".gitlab-ci.yml"},
}
"""Files of the program's repository that a project gets unchanged, and their names there."""

_COPIED_FILES_TEXT: Mapping[Host, str] = {
    "github": """\
| `.github/workflows/` | judge pull requests, comment on them, publish the site |
| `tools/` | what the workflow that comments runs |""",
    "gitlab": "| `.gitlab-ci.yml` | judges merge requests, publishes the site |",
}
"""Rows about these files in the project's README."""

_BLANK = re.compile("@@([a-z_]+)@@")
"""A blank in a template of `templates/project/`."""

_WHEEL_TAG = "py3-none-any"
_UNIX = 3
_READABLE_FILE = (S_IFREG | 0o644) << 16
"""Attributes of a file in a zip archive that everybody may read."""


@dataclass(frozen=True, slots=True)
class Project:
    """The settings, authored pages and templates of a site."""

    root: Path
    fallback: Path | None = None
    """The folder whose files are used where the project has none; None if it has all."""

    @property
    def settings(self) -> Path:
        """The builder's settings."""
        return self.root / "mkdocs.yml"

    @property
    def authored(self) -> Path:
        """The authored pages, with styles, scripts and pictures."""
        return self.root / "site_src"

    @property
    def theme(self) -> Path:
        """Changes to the theme."""
        return self.root / "templates" / "theme"

    @property
    def templates(self) -> Path:
        """Templates of the generated pages."""
        return self.root / "templates" / "pages"

    @property
    def board_pages(self) -> Path:
        """Authored pages that other projects get instead of the program's documentation."""
        return self.root / "templates" / "board"

    def with_fallback(self, work: Path) -> "Project":
        """Return a project with all files: itself, or a copy with those of its fallback added.

        Args:
            work: Folder in which the copy is made.

        Raises:
            UsageError: The settings inherit from others already, which would be lost.
        """
        if self.fallback is None:
            return self
        merged = Project(work / "project")
        base = Project(self.fallback)
        ignore = shutil.ignore_patterns(*_OWN_PAGES)
        shutil.copytree(base.authored, merged.authored, ignore=ignore)
        for pages in (base.board_pages, self.authored):
            shutil.copytree(pages, merged.authored, dirs_exist_ok=True)
        shutil.copytree(base.theme, merged.theme)
        shutil.copytree(base.templates, merged.templates)
        settings = self.settings.read_text(encoding="utf-8")
        if any(line.startswith(f"{INHERIT}:") for line in settings.splitlines()):
            raise UsageError(
                f"{self.settings} has {INHERIT}, which needs a project with its own templates/"
            )
        parent = json.dumps(str(base.settings.resolve()))
        merged_settings = f"{settings.rstrip()}\n{INHERIT}: {parent}\n"
        merged.settings.write_text(merged_settings, encoding="utf-8")
        return merged


def find_project(start: Path) -> Project:
    """Return the project that a folder or one of its parents is; else the program's own.

    A project without templates uses the program's, and its settings and pages where it has none.

    Raises:
        UsageError: The program was installed without its settings, pages and templates.
    """
    root = next((folder for folder in (start, *start.parents) if _is_project(folder)), None)
    if root is None:
        return Project(program_resources())
    if (root / "templates").is_dir():
        return Project(root)
    return Project(root, program_resources())


def program_resources() -> Path:
    """Return the folder with the program's own settings, pages and templates.

    Raises:
        UsageError: The program was installed without them.
    """
    for root in _RESOURCE_FOLDERS:
        if _is_project(root) and (root / "templates").is_dir():
            return root
    raise UsageError(
        "there is no mkdocs.yml with site_src/ and templates/ here, and the program was "
        "installed without them"
    )


def _is_project(folder: Path) -> bool:
    return (folder / "mkdocs.yml").exists() and (folder / "site_src").is_dir()


@dataclass(frozen=True, slots=True)
class Answers:
    """What the owner of a new leaderboard says about it."""

    benchmark: str
    """Id of its first benchmark."""
    title: str
    track: str = "main"
    protocol: Protocol = "chain"
    attempts: int = 1
    host: Host = "github"
    kind: Kind | None = None
    """Kind of the benchmark, whose definition then declares its metrics.

    None for the metrics that the catalogue has for its protocol.
    """


def project_files(answers: Answers, columns: Sequence[str]) -> dict[str, bytes]:
    """Return the files of a new project by their names, with the program as a wheel.

    Args:
        answers: What the owner says.
        columns: The metrics of the track; the first one ranks.

    Raises:
        UsageError: The program was installed without its templates, or without metadata.
    """
    resources = program_resources()
    wheel = program_wheel()
    wheel_name = f"wheels/{wheel.name}"
    values = {
        **_answer_values(answers, columns),
        "wheel": wheel_name,
        "digest": sha256(wheel.data).hexdigest(),
        "libraries": (resources / "locks" / "runtime.txt").read_text(encoding="utf-8"),
    }
    files = {wheel_name: wheel.data}
    for template, target in _TEMPLATE_TARGETS.items():
        name = template
        if answers.kind and template == _DEFINITION_TEMPLATE:
            name = f"kinds/{answers.kind}.toml"
        text = (resources / "templates" / "project" / name).read_text(encoding="utf-8")
        filled = _BLANK.sub(lambda match: values[match[1]], text)
        files[target.format(benchmark=answers.benchmark)] = filled.encode()
    for source, target in _COPIED_FILES[answers.host].items():
        files[target] = (resources / source).read_bytes()
    return files


def _answer_values(answers: Answers, columns: Sequence[str]) -> dict[str, str]:
    """Return the values of the blanks that follow from the owner's answers, by their names."""
    quoted: dict[str, object] = {
        "id": answers.benchmark,
        "title": answers.title,
        "description": (
            f"Results of {answers.title}, recomputed from raw rewards that anyone can fetch."
        ),
        "track": answers.track,
        "track_title": title_from_id(answers.track),
        "protocol": answers.protocol,
        "attempts": answers.attempts,
        "headline": columns[0],
        "columns": list(columns),
        "pass_hat_ids": [f"pass_hat_{k}" for k in _pass_hat_ks(answers.attempts)],
    }
    values = {}
    for name, value in quoted.items():
        values[name] = json.dumps(value, ensure_ascii=False)  # valid in TOML and in YAML
    declarations = [_ALL_ATTEMPTS_METRIC.format(k=k) for k in _pass_hat_ks(answers.attempts)]
    return {
        **values,
        "pass_hat_metrics": "\n".join(declarations).rstrip("\n"),
        "name": answers.title,
        "folder": answers.benchmark,
        "workflows": _COPIED_FILES_TEXT[answers.host],
    }


def _pass_hat_ks(attempts: int) -> list[int]:
    """Return the values of k for which pass^k is declared, in order; `attempts` is the last."""
    ks = []
    for k in range(1, attempts + 1):
        is_power_of_two = k.bit_count() == 1
        if k <= _MAX_CONSECUTIVE_K or is_power_of_two or k == attempts:
            ks.append(k)
    return ks


def title_from_id(name: str) -> str:
    """Return a title made of an id."""
    return re.sub("[-_]+", " ", name).strip().capitalize()


def program_version() -> str:
    """Return the version of this program, as releases record it."""
    return _installed().version


def _installed() -> Distribution:
    """Return the installer's metadata of this program.

    Raises:
        UsageError: There is none, as after an installation under its former name.
    """
    try:
        return distribution(_DISTRIBUTION)
    except PackageNotFoundError as error:
        raise UsageError(
            f"{_DISTRIBUTION} is not installed here; run `make runtime`, or install it again"
        ) from error


class Wheel(NamedTuple):
    """A file from which pip installs the program."""

    name: str
    """File name in the format that pip reads."""
    data: bytes


@cache
def program_wheel() -> Wheel:
    """Pack the running program as a wheel.

    The same program gives the same bytes, from a checkout and from an installation.

    Raises:
        UsageError: The program was installed without its templates, or without metadata.
    """
    installed = _installed()
    stem = f"{installed.name}-{installed.version}"
    metadata_folder = f"{stem}.dist-info"
    contents = _program_contents()
    for name, content in _metadata_contents(installed):
        contents[f"{metadata_folder}/{name}"] = content
    files = dict(sorted(contents.items()))
    record_name = f"{metadata_folder}/RECORD"
    files[record_name] = _wheel_record(files, record_name)
    return Wheel(f"{stem}-{_WHEEL_TAG}.whl", _zip(files))


def _program_contents() -> dict[str, bytes]:
    """Return the files of the package by their names in a wheel, with templates and pages."""
    resources = program_resources()
    targets = {_PACKAGE: _PACKAGE.name}
    settings = resources / "pyproject.toml"
    if settings.exists():
        # In a checkout, files lie beside the package that a wheel has inside of it.
        tools = tomllib.loads(settings.read_text(encoding="utf-8"))["tool"]
        included = tools["hatch"]["build"]["targets"]["wheel"]["force-include"]
        for source, target in included.items():
            targets[resources / source] = target
    contents = {}
    for source, target in targets.items():
        for path in (source, *source.rglob("*")):
            if path.is_file() and path.parent.name != "__pycache__":
                name = PurePosixPath(target) / path.relative_to(source)
                contents[name.as_posix()] = path.read_bytes()
    return contents


def _metadata_contents(installed: Distribution) -> Iterator[tuple[str, bytes]]:
    """Yield the metadata of a wheel, without what says how the program came to this machine."""
    description = (
        f"Wheel-Version: 1.0\nGenerator: {installed.name}\n"
        f"Root-Is-Purelib: true\nTag: {_WHEEL_TAG}\n"
    )
    yield "WHEEL", description.encode()
    licenses = [f"licenses/{name}" for name in installed.metadata.get_all("License-File", [])]
    for name in ("METADATA", "entry_points.txt", *licenses):
        text = installed.read_text(name)
        if text is not None:
            yield name, text.encode()


def _wheel_record(files: Mapping[str, bytes], record_name: str) -> bytes:
    """Return the list of a wheel's files with their digests and sizes, and of itself."""
    text = StringIO()
    rows = csv.writer(text, lineterminator="\n")
    for name, data in files.items():
        digest = urlsafe_b64encode(sha256(data).digest()).rstrip(b"=").decode()
        rows.writerow((name, f"sha256={digest}", len(data)))
    rows.writerow((record_name, "", ""))
    return text.getvalue().encode()


def _zip(files: Mapping[str, bytes]) -> bytes:
    """Return a zip archive of files with the date of 1980: equal files give equal bytes."""
    archive = BytesIO()
    with ZipFile(archive, "w") as zip_file:
        for name, data in files.items():
            entry = ZipInfo(name)
            entry.create_system = _UNIX
            entry.external_attr = _READABLE_FILE
            zip_file.writestr(entry, data, ZIP_DEFLATED)
    return archive.getvalue()
