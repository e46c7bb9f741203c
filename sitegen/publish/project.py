"""Leaderboard projects: where the parts of one are, what a new one begins with, and the program as a wheel."""

import csv
import json
import re
import shutil
import tomllib
from base64 import urlsafe_b64encode
from collections.abc import Mapping, Sequence
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

_NAME = "recountboard"
"""The program's name among packages; `sitegen`, that of its command, is another project's there."""

_PACKAGE = Path(__file__).resolve().parents[1]
_HOMES = _PACKAGE.parent, _PACKAGE / "project"
"""Where the program's own parts are: in a checkout, and where it is installed."""

INHERIT = "INHERIT"
"""The key by which settings name those that they go on from."""

_NOT_FOR_OTHERS = ("develop", "submit", "????-??-??.md")
"""Pages of the program's own site: its documentation, and the notes on its releases."""

_EACH_K = 8
"""Up to so many attempts pass^k is declared of each k, and then of each that is twice the last."""

_CHANCE = (
    '  {{ id = "pass_hat_{k}", title = "pass^{k}", unit = "percent", of = "pass", rounds = "all", '
    'attempts = "pass_hat_k", k = {k} }},'
)

_PLACES: Mapping[str, str] = {
    "README.md": "README.md",
    "Makefile": "Makefile",
    "gitignore": ".gitignore",
    "gitattributes": ".gitattributes",
    "requirements.txt": "requirements.txt",
    "mkdocs.yml": "mkdocs.yml",
    "index.md": "site_src/index.md",
    "benchmark.toml": "results/{benchmark}/benchmark.toml",
}
"""The files in `templates/project/` that answers are put into, and where each goes."""

Kind = Literal["one-shot", "attempts", "multi-round", "table"]
"""What a benchmark is: tasks of one round, several tries at them, tasks of several rounds, or a published table."""
KINDS: tuple[Kind, ...] = get_args(Kind)

Host = Literal["github", "gitlab"]
"""What a repository stands on, whose machines judge what comes in and publish the site."""

_ON_GITHUB = (
    ".github/dependabot.yml",
    ".github/workflows/check.yml",
    ".github/workflows/comment.yml",
    ".github/workflows/publish.yml",
    ".github/workflows/published.yml",
    "tools/comment.py",
    "tools/github_api.py",
    "tools/harmless.py",
)
_CARRIED: Mapping[Host, Mapping[str, str]] = {
    "github": {name: name for name in _ON_GITHUB},
    "gitlab": {".gitlab/leaderboard.yml": ".gitlab-ci.yml"},
}
"""Files of the program's own repository that a project has as they are, and where it has them."""

_CARRIED_TOLD: Mapping[Host, str] = {
    "github": """\
| `.github/workflows/` | judge pull requests, comment on them, publish the site |
| `tools/` | what the workflow that comments runs |""",
    "gitlab": "| `.gitlab-ci.yml` | judges merge requests, publishes the site |",
}
"""What the project's README says of them."""

_QUESTION = re.compile("@@([a-z_]+)@@")


@dataclass(frozen=True, slots=True)
class Project:
    """The parts of a site that people write: settings, authored pages and templates."""

    root: Path
    """The folder that they are in."""
    beneath: Path | None = None
    """The folder whose parts show where the project has none of its own; None where it has all."""

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
        """Authored pages that others' boards have in the place of the program's documentation."""
        return self.root / "templates" / "board"

    def whole(self, work: Path) -> "Project":
        """The project itself where it has all parts, else one laid out in a folder for work, with those beneath.

        Raises:
            UsageError: Its settings go on from some already, which would be lost.
        """
        if self.beneath is None:
            return self
        laid = Project(work / "project")
        unwanted = shutil.ignore_patterns(*_NOT_FOR_OTHERS)
        shutil.copytree(self.beneath / "site_src", laid.authored, ignore=unwanted)
        for pages in (Project(self.beneath).board_pages, self.authored):
            shutil.copytree(pages, laid.authored, dirs_exist_ok=True)
        for part in (laid.theme, laid.templates):
            shutil.copytree(self.beneath / part.relative_to(laid.root), part)
        settings = self.settings.read_text(encoding="utf-8")
        if any(line.startswith(f"{INHERIT}:") for line in settings.splitlines()):
            raise UsageError(
                f"{self.settings} has {INHERIT}, which only a project with templates/ of its own can have"
            )
        parent = json.dumps(str((self.beneath / "mkdocs.yml").resolve()))
        laid.settings.write_text(f"{settings.rstrip()}\n{INHERIT}: {parent}\n", encoding="utf-8")
        return laid


def find_project(start: Path) -> Project:
    """Find the project that a folder or one of its parents is, else the program's own.

    A project without templates takes them from the program, with whatever settings and pages it has not itself.

    Raises:
        UsageError: The program was installed without its parts.
    """
    found = next((folder for folder in (start, *start.parents) if _is_project(folder)), None)
    if found is None:
        return Project(program_parts())
    return Project(found, None if (found / "templates").is_dir() else program_parts())


def program_parts() -> Path:
    """Find the parts that come with the program.

    Raises:
        UsageError: It was installed without them.
    """
    for root in _HOMES:
        if _is_project(root) and (root / "templates").is_dir():
            return root
    raise UsageError(
        "there is no mkdocs.yml with site_src/ and templates/ here, and none came with the program"
    )


def _is_project(folder: Path) -> bool:
    return (folder / "mkdocs.yml").exists() and (folder / "site_src").is_dir()


@dataclass(frozen=True, slots=True)
class Answers:
    """What somebody says of the leaderboard that they begin."""

    benchmark: str
    """Id of its first benchmark."""
    title: str
    track: str = "main"
    protocol: Protocol = "chain"
    attempts: int = 1
    host: Host = "github"
    kind: Kind | None = None
    """What the benchmark is, whose definition then declares its metrics; None for the catalogue's of its protocol."""


def project_files(answers: Answers, columns: Sequence[str]) -> dict[str, bytes]:
    """The files of a new project, by their names; the program comes along, so that no index need have it.

    `columns` are the track's metrics, the one that ranks first.

    Raises:
        UsageError: The program was installed without its parts, or without a note of its installer.
    """
    parts, program = program_parts(), program_wheel()
    wheel = f"wheels/{program.name}"
    chances = [
        k
        for k in range(1, answers.attempts + 1)
        if k <= _EACH_K or k.bit_count() == 1 or k == answers.attempts
    ]
    in_quotes = {  # that TOML and YAML take alike
        "id": answers.benchmark,
        "title": answers.title,
        "description": f"Results of {answers.title}, recomputed from raw rewards that anyone can fetch.",
        "track": answers.track,
        "track_title": in_words(answers.track),
        "protocol": answers.protocol,
        "attempts": answers.attempts,
        "headline": columns[0],
        "columns": list(columns),
        "chance_ids": [f"pass_hat_{k}" for k in chances],
    }
    told = {name: json.dumps(value, ensure_ascii=False) for name, value in in_quotes.items()} | {
        "chances": "\n".join(_CHANCE.format(k=k) for k in chances),
        "name": answers.title,
        "folder": answers.benchmark,
        "workflows": _CARRIED_TOLD[answers.host],
        "wheel": wheel,
        "digest": sha256(program.data).hexdigest(),
        "libraries": (parts / "locks" / "runtime.txt").read_text(encoding="utf-8"),
    }
    files = {wheel: program.data}
    for named, place in _PLACES.items():
        name = f"kinds/{answers.kind}.toml" if answers.kind and named == "benchmark.toml" else named
        text = (parts / "templates" / "project" / name).read_text(encoding="utf-8")
        written = _QUESTION.sub(lambda found: told[found[1]], text)
        files[place.format(benchmark=answers.benchmark)] = written.encode()
    return files | {
        place: (parts / name).read_bytes() for name, place in _CARRIED[answers.host].items()
    }


def in_words(name: str) -> str:
    """Make a title of an id."""
    return re.sub("[-_]+", " ", name).strip().capitalize()


def program_version() -> str:
    """The version of this program, as releases keep it."""
    return _installed().version


def _installed() -> Distribution:
    """Find what the installer noted of this program.

    Raises:
        UsageError: There is no such note, as where it was installed before it had this name.
    """
    try:
        return distribution(_NAME)
    except PackageNotFoundError as error:
        raise UsageError(
            f"{_NAME} is not installed here; run `make runtime`, or install it once more"
        ) from error


class Wheel(NamedTuple):
    """A file that pip installs the program from, whether or not an index has it."""

    name: str
    """Which pip reads."""
    data: bytes


@cache
def program_wheel() -> Wheel:
    """Pack the program that runs: the same program gives the same bytes, from a checkout and where it is installed.

    Raises:
        UsageError: The program was installed without its parts, or without a note of its installer.
    """
    installed, tag = _installed(), "py3-none-any"
    parts, sources = program_parts(), {_PACKAGE: _PACKAGE.name}
    settings = parts / "pyproject.toml"
    if (
        settings.exists()
    ):  # a checkout, beside whose package lies what it has inside where it is installed
        tools = tomllib.loads(settings.read_text(encoding="utf-8"))["tool"]
        beside = tools["hatch"]["build"]["targets"]["wheel"]["force-include"]
        sources |= {parts / source: place for source, place in beside.items()}
    files: dict[str, bytes] = {}
    for source, place in sources.items():
        for path in (source, *source.rglob("*")):
            if path.is_file() and path.parent.name != "__pycache__":
                files[(PurePosixPath(place) / path.relative_to(source)).as_posix()] = (
                    path.read_bytes()
                )

    stem = f"{installed.name}-{installed.version}"
    about = f"{stem}.dist-info"
    noted = f"Wheel-Version: 1.0\nGenerator: {installed.name}\nRoot-Is-Purelib: true\nTag: {tag}\n"
    files[f"{about}/WHEEL"] = noted.encode()
    licenses = [f"licenses/{name}" for name in installed.metadata.get_all("License-File", [])]
    for name in (
        "METADATA",
        "entry_points.txt",
        *licenses,
    ):  # what says how it came to this machine stays here
        text = installed.read_text(name)
        if text is not None:
            files[f"{about}/{name}"] = text.encode()

    files = dict(sorted(files.items()))
    record = StringIO()
    lines = csv.writer(record, lineterminator="\n")
    for name, data in files.items():
        digest = urlsafe_b64encode(sha256(data).digest()).rstrip(b"=").decode()
        lines.writerow((name, f"sha256={digest}", len(data)))
    lines.writerow((f"{about}/RECORD", "", ""))
    files[f"{about}/RECORD"] = record.getvalue().encode()

    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        for name, data in files.items():
            entry = ZipInfo(name)  # of 1980, whenever it was written
            entry.create_system, entry.external_attr = (
                3,
                (S_IFREG | 0o644) << 16,
            )  # Unix, and readable for all
            archive.writestr(entry, data, ZIP_DEFLATED)
    return Wheel(f"{stem}-{tag}.whl", packed.getvalue())
