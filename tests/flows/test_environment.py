"""The environment that `make` keeps: what an earlier revision installed into it does not stay beside what is there."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pip
from kit.forked_repository import ROOT

BACKEND = '''\
import pathlib, tomllib, zipfile

def build_editable(folder, *_):
    """Pack a program that prints its name."""
    name = tomllib.loads(pathlib.Path("pyproject.toml").read_text())["project"]["name"]
    files = {
        "said.py": f"def main(): print('{name}')",
        f"{name}-1.dist-info/METADATA": f"Metadata-Version: 2.1\\nName: {name}\\nVersion: 1\\n",
        f"{name}-1.dist-info/WHEEL": "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
        f"{name}-1.dist-info/entry_points.txt": "[console_scripts]\\nsitegen = said:main\\n",
        f"{name}-1.dist-info/RECORD": "",
    }
    with zipfile.ZipFile(pathlib.Path(folder) / f"{name}-1-py3-none-any.whl", "w") as wheel:
        for path, text in files.items():
            wheel.writestr(path, text)
    return f"{name}-1-py3-none-any.whl"
'''


def revision(folder: Path, name: str) -> None:
    """Let the program in a folder have a name, and make its environment."""
    settings = (
        f'[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n[project]\nname = "{name}"\n'
    )
    (folder / "pyproject.toml").write_text(settings, encoding="utf-8")
    libraries = {"PYTHON": str(folder / "python"), "PYTHONPATH": str(folder / "libraries"), "PIP_NO_INDEX": "1"}
    make = ["sh", "tools/environment.sh", "runtime"]
    subprocess.run(make, cwd=folder, check=True, env={**os.environ, **libraries})


def test_the_name_before_leaves_the_environment_and_the_command_stays(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    shutil.copyfile(ROOT / "tools" / "environment.sh", tmp_path / "tools" / "environment.sh")
    # To unpack a pip of its own for the environment takes three seconds.
    (tmp_path / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@" --without-pip\n', encoding="utf-8")
    (tmp_path / "python").chmod(0o700)
    (tmp_path / "libraries").mkdir()
    (tmp_path / "libraries" / "pip").symlink_to(Path(pip.__file__).parent)
    (tmp_path / "backend.py").write_text(BACKEND, encoding="utf-8")
    (tmp_path / "locks").mkdir()
    (tmp_path / "locks" / "runtime.txt").write_text("", encoding="utf-8")
    revision(tmp_path, "sitegen")
    revision(tmp_path, "recountboard")
    noted = [path.name for path in (tmp_path / ".venv").glob("lib/python*/site-packages/*-1.dist-info")]
    assert noted == ["recountboard-1.dist-info"]
    assert subprocess.check_output([tmp_path / ".venv/bin/sitegen"], text=True) == "recountboard\n"
