"""The files that a new leaderboard project begins with, made of those that come with the program."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from sitegen.models.benchmark import Protocol
from sitegen.publish.wheel import Wheel

_DRAFTS = Path("templates") / "project"
"""Where the program keeps the files that questions are answered in."""

_LIBRARIES = Path("locks") / "runtime.txt"
"""Versions and hashes of what the program needs."""

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
"""Where each of them goes."""

Host = Literal["github", "gitlab"]
"""What a repository stands on, whose machines judge what comes in and publish the site."""

_ON_GITHUB = (
    ".github/dependabot.yml",
    ".github/workflows/check.yml",
    ".github/workflows/comment.yml",
    ".github/workflows/publish.yml",
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
class Answers:
    """What is to be known of a project before its files can be written.

    Attributes:
        benchmark: Id of its first benchmark.
        title: What benchmark and site are called.
        track: Id of the first track.
        track_title: What the track is called.
        protocol: How rounds follow each other there.
        attempts: Independent tries at each task.
        columns: The track's metrics, the one that ranks first.
        host: What its repository is to stand on.
    """

    benchmark: str
    title: str
    track: str
    track_title: str
    protocol: Protocol
    attempts: int
    columns: tuple[str, ...]
    host: Host


def project_files(parts: Path, answers: Answers, program: Wheel) -> dict[str, bytes]:
    """Give the files of a new project.

    Args:
        parts: The parts that come with the program.
        answers: What its files say.
        program: What the project is judged and built by; it comes along, so that no index need have it.

    Returns:
        Bytes, by names below the project's folder.
    """
    wheel = f"wheels/{program.name}"
    told = _told(answers) | {"wheel": wheel, "digest": sha256(program.data).hexdigest()}
    told["libraries"] = (parts / _LIBRARIES).read_text(encoding="utf-8")
    drafts = {place: (parts / _DRAFTS / name).read_text(encoding="utf-8") for name, place in _PLACES.items()}
    written = {
        place.format(benchmark=answers.benchmark): _QUESTION.sub(lambda found: told[found[1]], text).encode()
        for place, text in drafts.items()
    }
    carried = {place: (parts / name).read_bytes() for name, place in _CARRIED[answers.host].items()}
    return written | carried | {wheel: program.data}


def _told(answers: Answers) -> dict[str, str]:
    """Give the answers as the files write them: in quotes that TOML and YAML take alike, or as they are."""
    quoted = {
        "id": answers.benchmark,
        "title": answers.title,
        "description": f"Results of {answers.title}, recomputed from raw rewards that anyone can fetch.",
        "track": answers.track,
        "track_title": answers.track_title,
        "protocol": answers.protocol,
        "attempts": answers.attempts,
        "headline": answers.columns[0],
        "columns": list(answers.columns),
    }
    plain = {"name": answers.title, "folder": answers.benchmark}
    plain["workflows"] = _CARRIED_TOLD[answers.host]
    return {name: json.dumps(value, ensure_ascii=False) for name, value in quoted.items()} | plain
