"""Addresses that people write: on the web, and of pages below the site's root.

Each is parsed here, when the record that holds it is read, so that nothing later meets one that it
can't take. Read `parse_web_address` first.
"""

import re
from ipaddress import IPv6Address
from typing import Annotated
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from sitegen.models.names import is_hidden

ADDRESS = "address"
"""The kind of complaint about an address that is none."""

WEB_PATTERN = r"^https?://[^\s<>\"]+$"
MAX_LENGTH = 2000
"""Characters of a web address; browsers and servers refuse longer ones."""

_WEB = re.compile(WEB_PATTERN.removesuffix("$"))
_AUTHORITY = re.compile(r"(?P<host>\[[0-9a-fA-F:.]+\]|[^\[\]:@]+)(?P<port>:[0-9]{1,5})?")
_LABEL = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?")
_MAX_HOST_LENGTH = 253
_MAX_PORT = 65535
_BLANK = re.compile(r"\{\w+\}")
"""A place in an address that a program fills in, such as `{task}`."""

DEVICES = re.compile("con|prn|aux|nul|(com|lpt)[0-9]", re.IGNORECASE)
"""What Windows takes for a device: no file or folder there can be called so."""


class AddressError(ValueError):
    """A text is no address; says why, in words that follow "the address"."""


def parse_web_address(text: str) -> SplitResult:
    """Return the parts of an address on the web: scheme, host and port, path, query and fragment.

    Every address that something is linked to, or read from, is parsed here: what browsers or other
    programs read differently is refused.

    Raises:
        AddressError: It is no such address.
    """
    if len(text) > MAX_LENGTH:
        raise AddressError(f"has {len(text):,} characters, and at most {MAX_LENGTH:,} are usable")
    if not _WEB.fullmatch(text):
        raise AddressError(
            "does not begin with https:// or http://, or has a blank, a quote, `<` or `>`"
        )
    if "\\" in text or any(map(is_hidden, text)):
        raise AddressError("has a backslash, or characters that can't be seen")
    try:
        parts = urlsplit(text)
    except ValueError:
        raise AddressError("has a host that can't be read") from None
    if "@" in parts.netloc:
        raise AddressError("has a user before the host; leave it out")
    authority = _AUTHORITY.fullmatch(parts.netloc)
    if authority is None or not _is_host(authority["host"]):
        raise AddressError("has no host, or one that no server can have")
    port = authority["port"]
    if port is not None and int(port[1:]) > _MAX_PORT:
        raise AddressError(f"has a port above {_MAX_PORT}")
    return parts


def _is_host(host: str) -> bool:
    """Return whether a host is an IPv6 address in brackets, or a name that DNS can hold."""
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
    """Return whether a text is an address on the web, so that a page may link to it."""
    try:
        parse_web_address(text)
    except AddressError:
        return False
    return True


def _checked(text: str) -> str:
    try:
        parse_web_address(text)
    except AddressError as error:
        raise PydanticCustomError(
            ADDRESS, "is an address that {why}", {"why": str(error)}
        ) from None
    return text


def parse_places(text: str) -> None:
    """Parse where transcripts are, where that is an address and neither a path nor words.

    Raises:
        AddressError: It is an address that none can be.
    """
    if _WEB.fullmatch(text):
        parse_web_address(_BLANK.sub("x", text))


def _checked_places(text: str) -> str:
    try:
        parse_places(text)
    except AddressError as error:
        raise PydanticCustomError(
            ADDRESS, "is an address that {why}", {"why": str(error)}
        ) from None
    return text


def _no_device(path: str) -> str:
    for name in path.split("/"):
        if DEVICES.fullmatch(name.partition(".")[0]):
            raise PydanticCustomError(ADDRESS, 'has "{name}", the name of a device', {"name": name})
    return path


WebAddress = Annotated[
    str, Field(pattern=WEB_PATTERN, max_length=MAX_LENGTH), AfterValidator(_checked)
]
"""Where something is on the web; nothing else may become a link."""

TranscriptPlaces = Annotated[str, AfterValidator(_checked_places)]
"""Where transcripts are: an address or a path, with blanks such as `{task}`, or words."""

_PAGE_NAME = "[a-z0-9][a-z0-9_-]{0,119}"
PageAddress = Annotated[
    str,
    Field(pattern=rf"^{_PAGE_NAME}(/{_PAGE_NAME})*$", max_length=500),
    AfterValidator(_no_device),
]
"""A page's address below the site's root, such as `BENCHMARK/TRACK/SUBMISSION`."""

_FORMER_NAME = "[A-Za-z0-9][A-Za-z0-9_.-]{0,119}"
FormerAddress = Annotated[
    str,
    Field(pattern=rf"^{_FORMER_NAME}(/{_FORMER_NAME})*/?$", max_length=500),
    AfterValidator(_no_device),
]
"""An address below the root of a site that this one follows, such as `leaderboard.html`."""


def file_of_former(address: str) -> str:
    """Return the file that answers at a former address, such as `old/index.html` for `old/`."""
    return address if address.endswith(".html") else f"{address.rstrip('/')}/index.html"
