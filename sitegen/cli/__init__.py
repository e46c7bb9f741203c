"""The `sitegen` command: reads options, calls the pipeline, prints, and picks the exit code.

In: arguments, environment and terminal. Out: results on standard output, everything else on
standard error, and an exit code. A module holds the commands about one subject and is imported
only when one of them runs, which keeps `--help` fast; it decides nothing about results. Read
`main.main` first, then `building.build`.
"""

from sitegen.cli.main import main

__all__ = ["main"]
