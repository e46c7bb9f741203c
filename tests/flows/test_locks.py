"""What is installed is known beforehand: each library in one version, by the hashes of its files."""

import re
import tomllib
from collections.abc import Iterator, Mapping

import pytest
from kit.forked_repository import ROOT
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = ("runtime", "dev", "node")
HASHED = re.compile(r"[^\n]+?( \\\n    --hash=sha256:[0-9a-f]{64})+\n")


def locked(kind: str) -> list[Requirement]:
    text = (ROOT / "locks" / f"{kind}.txt").read_text(encoding="utf-8")
    return [Requirement(line.removesuffix(" \\")) for line in text.splitlines() if not line.startswith(" ")]


def asked(kind: str) -> Iterator[Requirement]:
    """Give what the settings ask for: the program's libraries with the build backend, or a group with both."""
    groups: Mapping[str, list[str | dict[str, str]]] = SETTINGS["dependency-groups"]
    of_program = SETTINGS["project"]["dependencies"] if kind != "node" else []
    of_group = groups["build" if kind == "runtime" else kind]
    yield from (Requirement(line) for line in (*of_program, *of_group) if isinstance(line, str))


@pytest.mark.parametrize("kind", LOCKS)
def test_every_line_has_hashes_and_no_address(kind: str) -> None:
    text = (ROOT / "locks" / f"{kind}.txt").read_text(encoding="utf-8")
    assert HASHED.sub("", text) == ""
    assert "://" not in text


@pytest.mark.parametrize("kind", LOCKS)
def test_a_lock_has_what_the_settings_ask_for(kind: str) -> None:
    """Where this fails, `make lock` was forgotten."""
    versions = {
        (canonicalize_name(requirement.name), next(iter(requirement.specifier)).version) for requirement in locked(kind)
    }
    for wanted in asked(kind):
        locked_versions = [Version(version) for name, version in versions if name == canonicalize_name(wanted.name)]
        assert locked_versions, wanted
        assert all(version in wanted.specifier for version in locked_versions), wanted


def test_what_readers_run_is_what_was_tested() -> None:
    assert {str(requirement) for requirement in locked("runtime")} <= {
        str(dev_requirement) for dev_requirement in locked("dev")
    }


def test_nothing_is_installed_that_is_not_locked() -> None:
    """Only `make lowest` takes open ranges, into an environment that it throws away."""
    patterns = (".ci/*", "Makefile", "tools/*.sh", "templates/project/Makefile", ".github/workflows/*", ".gitlab/*")
    installs = re.compile(r".*(?:pip install|^ *install (?!-y)).*", re.MULTILINE)
    for path in (path for pattern in patterns for path in ROOT.glob(pattern)):
        for line in installs.findall(path.read_text(encoding="utf-8")):
            assert re.search(r'--require-hashes|--no-deps|"\$@"|folder/venv', line), f"{path}: {line}"
