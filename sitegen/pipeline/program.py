"""Which program this is."""

from importlib.metadata import Distribution, PackageNotFoundError, distribution

from sitegen.problems import UsageError

_NAME = "recountboard"
"""The program's name among packages; `sitegen`, that of its command, is another project's there."""


def program_version() -> str:
    """Give the version of this program, as releases keep it."""
    return installed_program().version


def installed_program() -> Distribution:
    """Give what the installer noted of this program.

    Raises:
        UsageError: There is no such note, as where it was installed before it had this name.
    """
    try:
        return distribution(_NAME)
    except PackageNotFoundError as error:
        raise UsageError(f"{_NAME} is not installed here; run `make runtime`, or install it once more") from error
