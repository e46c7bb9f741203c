"""The `sitegen` command. No logic: it reads options, calls the pipeline, prints, and picks the exit code."""

from sitegen.cli.main import main

__all__ = ["main"]
