"""Create the files of a new leaderboard project. Start with `project_files`."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, get_args

from sitegen.models.benchmark import Protocol
from sitegen.publish.projects.project import program_resources
from sitegen.publish.projects.wheel import program_wheel

_MAX_CONSECUTIVE_K = 8
"""Largest k up to which pass^k is declared for every k; larger values are powers of two."""

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
"""The templates in `templates/project/`, with the project file created from each."""

Kind = Literal["one-shot", "attempts", "multi-round", "table"]
"""The kind of a benchmark: tasks with one round, several attempts or several rounds, or a table."""
KINDS: tuple[Kind, ...] = get_args(Kind)

Host = Literal["github", "gitlab"]
"""The host of a repository, whose CI checks pull requests and publishes the site."""

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
"""Files of the program's repository that are copied unchanged, with their names in a project."""

_COPIED_FILES_TEXT: Mapping[Host, str] = {
    "github": """\
| `.github/workflows/` | check pull requests, comment on them, publish the site |
| `tools/` | scripts of the workflow that comments on pull requests |""",
    "gitlab": "| `.gitlab-ci.yml` | checks merge requests, publishes the site |",
}
"""Table rows in the project's README about the copied files."""

_BLANK = re.compile("@@([a-z_]+)@@")
"""A blank in a template of `templates/project/`."""


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers that the owner of a new leaderboard gives."""

    benchmark: str
    """Id of the leaderboard's first benchmark."""
    title: str
    track: str = "main"
    protocol: Protocol = "chain"
    attempts: int = 1
    host: Host = "github"
    kind: Kind | None = None
    """The kind of the benchmark, which then declares its own metrics.

    If None, the benchmark uses the catalogue's metrics for its protocol.
    """


def project_files(answers: Answers, columns: Sequence[str]) -> dict[str, bytes]:
    """Return the files of a new project by name, including the program as a wheel.

    Args:
        answers: The answers of the leaderboard's owner.
        columns: The metrics of the track; the first metric determines the ranks.

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
    """Return the template values that follow from the owner's answers, by name."""
    quoted: dict[str, object] = {
        "id": answers.benchmark,
        "title": answers.title,
        "description": (
            f"The leaderboard of {answers.title}. Scores are recomputed wherever raw results are "
            "available."
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
        "track_id": answers.track,
        "workflows": _COPIED_FILES_TEXT[answers.host],
    }


def _pass_hat_ks(attempts: int) -> list[int]:
    """Return the values of k for which pass^k is declared, ascending, up to `attempts`."""
    ks = []
    for k in range(1, attempts + 1):
        is_power_of_two = k.bit_count() == 1
        if k <= _MAX_CONSECUTIVE_K or is_power_of_two or k == attempts:
            ks.append(k)
    return ks


def title_from_id(name: str) -> str:
    """Return a title derived from an id."""
    return re.sub("[-_]+", " ", name).strip().capitalize()
