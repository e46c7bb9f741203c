"""Another version of this program, run beside it."""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile, ZipFile

from sitegen.problems import UsageError

_DONE, _DATA_PROBLEMS = 0, 1


class Program(NamedTuple):
    """A version of the program."""

    python: Path
    """The interpreter that runs it."""
    source: Path | None = None
    """The folder that its package is in; None where the interpreter has it."""

    def run(self, *words: str | Path) -> str:
        """Run a command in the working directory; gives what it prints, whether the data has problems or not.

        Raises:
            UsageError: It can't be run, or ends otherwise; says what it said.
        """
        command = [str(self.python), "-P", "-m", "sitegen", *map(str, words)]
        environment = {**os.environ, **({"PYTHONPATH": str(self.source)} if self.source else {})}
        try:
            ended = subprocess.run(
                command, capture_output=True, text=True, env=environment, check=False
            )
        except OSError as error:
            raise UsageError(f"{self.python} can't be run: {error.strerror}") from error
        if ended.returncode not in {_DONE, _DATA_PROBLEMS}:
            said = ended.stderr.strip() or ended.stdout.strip()
            raise UsageError(
                f"`sitegen {' '.join(map(str, words))}` of the other version failed:\n{said}"
            )
        return ended.stdout


def program_at(place: Path, work: Path) -> Program:
    """Find a version of the program: an interpreter that has it, a checkout, or a wheel, unpacked in a folder for work.

    This interpreter's libraries serve a wheel.

    Raises:
        UsageError: It is none of them.
    """
    here = Path(sys.executable)
    if place.is_file() and place.suffix == ".whl":
        try:
            with ZipFile(place) as packed:
                packed.extractall(work / "program")
        except (BadZipFile, OSError) as error:
            raise UsageError(f"{place} can't be unpacked: {error}") from error
        return Program(here, work / "program")
    if (place / "sitegen" / "__init__.py").is_file():
        own = place.absolute() / ".venv" / "bin" / "python"
        return Program(own if own.exists() else here, place.absolute())
    if place.is_file() and os.access(place, os.X_OK):
        return Program(place.absolute())
    raise UsageError(
        f"{place} is neither a checkout of the program, nor a wheel, nor a Python interpreter"
    )
