"""The `sitegen` command: reads options, calls the pipeline, prints results, and sets the exit code.

In: arguments, environment and terminal. Out: results on standard output, everything else on
standard error, and an exit code. Each module contains the commands on one subject and is imported
only when one of these commands runs, which keeps `--help` fast; it makes no decisions about
results. Read `main.main` first, then `building.build`.
"""

from sitegen.cli.main import main

__all__ = ["main"]
