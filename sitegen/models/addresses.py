"""Addresses that people write: on the web, and of pages below the site's root.

They are checked here, when the record that contains them is read, so that every later stage can
trust them. Read `parse_web_address` first.
"""

import re
from collections.abc import Callable
from ipaddress import IPv6Address
from typing import Annotated
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from sitegen.models.names import is_hidden

ADDRESS = "address"
"""Pydantic's error type for a text that is not a valid address."""

WEB_PATTERN = r"^https?://[^\s<>\"]+$"
MAX_LENGTH = 2000
"""Maximum number of characters in a web address; browsers and servers refuse longer ones."""

_WEB = re.compile(WEB_PATTERN.removesuffix("$"))
_AUTHORITY = re.compile(r"(?P<host>\[[0-9a-fA-F:.]+\]|[^\[\]:@]+)(?P<port>:[0-9]{1,5})?")
_LABEL = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?")
_MAX_HOST_LENGTH = 253
_MAX_PORT = 65535
_PLACEHOLDER = re.compile(r"\{\w+\}")
"""A part of an address that a program fills in, such as `{task}`."""

DEVICES = re.compile("con|prn|aux|nul|(com|lpt)[0-9]", re.IGNORECASE)
"""The names of Windows devices, which no file or folder on Windows can have."""


class AddressError(ValueError):
    """A text is not an address; its message says why, and follows the words "the address"."""


def parse_web_address(text: str) -> SplitResult:
    """Return the parts of a web address: scheme, host and port, path, query and fragment.

    Every address that pages link to, or that the program reads from, is parsed here. Spellings that
    browsers or other programs interpret differently are refused.

    Raises:
        AddressError: The text is not a valid web address.
    """
    if len(text) > MAX_LENGTH:
        raise AddressError(f"has {len(text):,} characters, more than the limit of {MAX_LENGTH:,}")
    if not _WEB.fullmatch(text):
        raise AddressError(
            "does not begin with https:// or http://, or has a space, a quote, `<` or `>`"
        )
    if "\\" in text or any(map(is_hidden, text)):
        raise AddressError("has a backslash or invisible characters")
    try:
        address = urlsplit(text)
    except ValueError:
        raise AddressError("has an unreadable host") from None
    if "@" in address.netloc:
        raise AddressError("has a user name before the host; leave it out")
    authority = _AUTHORITY.fullmatch(address.netloc)
    if authority is None or not _is_host(authority["host"]):
        raise AddressError("has no valid host")
    port = authority["port"]
    if port is not None and int(port[1:]) > _MAX_PORT:
        raise AddressError(f"has a port above {_MAX_PORT}")
    return address


def _is_host(host: str) -> bool:
    """Return whether a host is an IPv6 address in brackets, or a valid DNS name."""
    if host.startswith("["):
        try:
            IPv6Address(host[1:-1])
        except ValueError:
            return False
        return True
    if len(host) > _MAX_HOST_LENGTH:
        return False
    try:
        name = host.encode("idna").decode("ascii")
    except UnicodeError:
        return False
    labels = name.removesuffix(".").split(".")
    return all(map(_LABEL.fullmatch, labels))


def is_web_address(text: str) -> bool:
    """Return whether a text is a web address that a page may link to."""
    try:
        parse_web_address(text)
    except AddressError:
        return False
    return True


def parse_places(text: str) -> None:
    """Check the address of transcripts; a text that is a path or a description is not checked.

    Raises:
        AddressError: The text looks like a web address but is not a valid one.
    """
    if _WEB.fullmatch(text):
        parse_web_address(_PLACEHOLDER.sub("x", text))


def _validator(parse: Callable[[str], object]) -> AfterValidator:
    """Return a pydantic validator that keeps a text, and reports it if `parse` refuses it."""

    def validate(text: str) -> str:
        try:
            parse(text)
        except AddressError as error:
            raise PydanticCustomError(
                ADDRESS, "is an address that {why}", {"why": str(error)}
            ) from None
        return text

    return AfterValidator(validate)


def _refuse_devices(path: str) -> str:
    """Return the path; raise a pydantic error if Windows reserves a name in it for a device."""
    for name in path.split("/"):
        if DEVICES.fullmatch(name.partition(".")[0]):
            raise PydanticCustomError(
                ADDRESS, 'has "{name}", a name that Windows reserves', {"name": name}
            )
    return path


WebAddress = Annotated[
    str, Field(pattern=WEB_PATTERN, max_length=MAX_LENGTH), _validator(parse_web_address)
]
"""A web address; only web addresses become links."""

TranscriptPlaces = Annotated[str, _validator(parse_places)]
"""The location of transcripts: an address or a path, perhaps with placeholders, or a text."""

_PAGE_NAME = "[a-z0-9][a-z0-9_-]{0,119}"
PageAddress = Annotated[
    str,
    Field(pattern=rf"^{_PAGE_NAME}(/{_PAGE_NAME})*$", max_length=500),
    AfterValidator(_refuse_devices),
]
"""A page's address below the site's root, such as `BENCHMARK/TRACK/SUBMISSION`."""

_FORMER_NAME = "[A-Za-z0-9][A-Za-z0-9_.-]{0,119}"
FormerAddress = Annotated[
    str,
    Field(pattern=rf"^{_FORMER_NAME}(/{_FORMER_NAME})*/?$", max_length=500),
    AfterValidator(_refuse_devices),
]
"""An address below the root of a site that this site replaces, such as `leaderboard.html`."""


def file_of_former(address: str) -> str:
    """Return the file that serves a former address, such as `old/index.html` for `old/`."""
    return address if address.endswith(".html") else f"{address.rstrip('/')}/index.html"
