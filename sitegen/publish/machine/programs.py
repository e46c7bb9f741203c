"""Run another version of this program. Start with `program_at`."""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile, ZipFile

from sitegen.problems import UsageError
from sitegen.publish.machine.processes import python_command

_EXPECTED_EXIT_CODES = {0, 1}
"""Exit codes for success and for problems in the data, neither of which is an error."""


class Program(NamedTuple):
    """A version of the program."""

    python: Path
    """The interpreter that runs it."""
    source: Path | None = None
    """The folder of the program's package; None if the interpreter has the program installed."""

    def run(self, *arguments: str | Path) -> str:
        """Run a command in the working directory, and return its output.

        Problems in the data do not count as an error.

        Raises:
            UsageError: The program can't be run, or fails; the message includes its output.
        """
        texts = list(map(str, arguments))
        command = python_command("-m", "sitegen", *texts, interpreter=self.python)
        environment = dict(os.environ)
        if self.source:
            environment["PYTHONPATH"] = str(self.source)
        try:
            process = subprocess.run(
                command, capture_output=True, text=True, env=environment, check=False
            )
        except OSError as error:
            raise UsageError(f"{self.python} can't be run: {error.strerror}") from error
        if process.returncode not in _EXPECTED_EXIT_CODES:
            output = process.stderr.strip() or process.stdout.strip()
            raise UsageError(f"`sitegen {' '.join(texts)}` of the other version failed:\n{output}")
        return process.stdout


def program_at(path: Path, work: Path) -> Program:
    """Return the version of the program at a path.

    Args:
        path: A Python interpreter with the program installed; or a checkout or a wheel of the
            program, which is run with the current interpreter and its libraries.
        work: A folder to unpack a wheel into.

    Raises:
        UsageError: The path is not an interpreter with the program, a checkout or a wheel.
    """
    interpreter = Path(sys.executable)
    if path.is_file() and path.suffix == ".whl":
        source = work / "program"
        try:
            with ZipFile(path) as wheel:
                wheel.extractall(source)
        except (BadZipFile, OSError) as error:
            raise UsageError(f"{path} can't be unpacked: {error}") from error
        return Program(interpreter, source)
    if (path / "sitegen" / "__init__.py").is_file():
        checkout = path.absolute()
        own_interpreter = checkout / ".venv" / "bin" / "python"
        return Program(own_interpreter if own_interpreter.exists() else interpreter, checkout)
    if path.is_file() and os.access(path, os.X_OK):
        return Program(path.absolute())
    raise UsageError(
        f"{path} is neither a checkout of the program, nor a wheel, nor a Python interpreter"
    )
