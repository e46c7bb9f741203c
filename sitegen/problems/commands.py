"""Commands that messages suggest: they work as they are typed, and leave out defaults."""

import os
from pathlib import Path
from shlex import quote

DEFAULT_RESULTS = "results"
"""The results folder of every command, in the working directory."""


def display_path(path: Path) -> str:
    """Return a path relative to the working directory, or absolute if it lies outside."""
    relative = os.path.relpath(path)
    if relative == os.pardir or relative.startswith(f"{os.pardir}{os.sep}"):
        return os.path.abspath(path)  # noqa: PTH100 - links stay as they were typed
    return relative


def results_option(results: Path) -> str:
    """Return the option that names a results folder, after a space; empty for the default."""
    folder = display_path(results)
    if folder == DEFAULT_RESULTS:
        return ""
    return f" --results {quote(folder)}"


def validate_command(results: Path) -> str:
    """Return the command that checks a results folder."""
    folder = display_path(results)
    if folder == DEFAULT_RESULTS:
        return "sitegen validate"
    return f"sitegen validate {quote(folder)}"
