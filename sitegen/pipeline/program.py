"""Which program this is."""

from importlib.metadata import version


def program_version() -> str:
    """Give the version of this program, as releases keep it."""
    return version("sitegen")
