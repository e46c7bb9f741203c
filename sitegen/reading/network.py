"""Opens addresses on the web under one deadline, which no server can stretch.

`opener_until` is what everything that reads from the network uses. A timeout of a socket begins anew
with each byte, so a server that sends one byte a second would hold a command for hours. Here every
wait, of the look-up of a name, the connection, its encryption, headers and body, ends at one time.
"""

import io
import socket
import ssl
import threading
from collections.abc import Callable
from functools import partial
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from time import monotonic
from typing import Any
from urllib.request import (
    BaseHandler,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    Request,
    build_opener,
)


class Deadline:
    """A time at which all reading ends."""

    def __init__(self, seconds: float) -> None:
        """Set it so many seconds from now."""
        self.seconds = seconds
        self._end = monotonic() + seconds

    def seconds_left(self) -> float:
        """Return how long may still be waited; more than 0.

        Raises:
            TimeoutError: The deadline has passed.
        """
        left = self._end - monotonic()
        if left <= 0:
            raise TimeoutError("the deadline has passed")
        return left


def opener_until(deadline: Deadline, redirects: type[HTTPRedirectHandler]) -> OpenerDirector:
    """Return what opens http and https addresses, and gives answers that can be read until the deadline.

    Past the deadline every operation raises `TimeoutError`, or an `OSError` that says so.
    """
    handlers: list[BaseHandler] = [_PlainHandler(deadline), _SecureHandler(deadline), redirects()]
    return build_opener(*handlers)


class _PlainHandler(HTTPHandler):
    def __init__(self, deadline: Deadline) -> None:
        super().__init__()
        self._deadline = deadline

    def http_open(self, req: Request) -> HTTPResponse:
        """Open an http address."""
        connect: Any = partial(_PlainConnection, self._deadline)
        return self.do_open(connect, req)


class _SecureHandler(HTTPSHandler):
    def __init__(self, deadline: Deadline) -> None:
        super().__init__()
        self._deadline = deadline

    def https_open(self, req: Request) -> HTTPResponse:
        """Open an https address."""
        connect: Any = partial(_SecureConnection, self._deadline)
        return self.do_open(connect, req, context=ssl.create_default_context())


class _PlainConnection(HTTPConnection):
    def __init__(self, deadline: Deadline, host: str, **settings: Any) -> None:  # noqa: ANN401 - as the base class
        super().__init__(host, **settings)
        _keep_to(deadline, self)


class _SecureConnection(HTTPSConnection):
    def __init__(self, deadline: Deadline, host: str, **settings: Any) -> None:  # noqa: ANN401 - as the base class
        super().__init__(host, **settings)
        _keep_to(deadline, self)


def _keep_to(deadline: Deadline, connection: HTTPConnection) -> None:
    """Have a connection connect, and read its answers, until the deadline.

    `_create_connection` and `response_class` are where the standard library lets a connection differ;
    the name of the former is private, and has been the same since Python 2.7.
    """
    connection._create_connection = partial(_connected, deadline)  # type: ignore[attr-defined]  # noqa: SLF001
    connection.response_class = partial(_Response, deadline)  # type: ignore[assignment]


class _Response(HTTPResponse):
    """An answer whose every byte is waited for until the deadline only."""

    def __init__(self, deadline: Deadline, sock: socket.socket, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401
        super().__init__(sock, *args, **kwargs)
        self.fp.close()
        self.fp = io.BufferedReader(_Bytes(deadline, sock))


class _Bytes(io.RawIOBase):
    """The bytes that arrive at a socket until the deadline."""

    def __init__(self, deadline: Deadline, sock: socket.socket) -> None:
        super().__init__()
        self._deadline = deadline
        self._socket = sock
        self._bytes = sock.makefile(
            "rb", buffering=0
        )  # keeps the socket open until the answer is read

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int | None:  # noqa: ANN401 - as the base class has it
        """Read what has arrived, waiting until the deadline at most."""
        self._socket.settimeout(self._deadline.seconds_left())
        count: int | None = self._bytes.readinto(buffer)
        return count

    def close(self) -> None:
        """Close the socket as well."""
        self._bytes.close()
        super().close()


def _connected(deadline: Deadline, address: tuple[str, int], *_: object) -> socket.socket:
    """Connect to the first of a host's addresses that answers."""
    host, port = address
    failure: OSError = OSError("the host has no address")
    look_up: Callable[[], Any] = partial(socket.getaddrinfo, host, port, 0, socket.SOCK_STREAM)
    for family, kind, protocol, _name, place in _within(deadline, look_up):
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(deadline.seconds_left())
            sock.connect(place)
            sock.settimeout(
                deadline.seconds_left()
            )  # for the encryption, which counts all of its bytes as one wait
        except OSError as error:
            sock.close()
            failure = error
        else:
            return sock
    raise failure


def _within(deadline: Deadline, look_up: Callable[[], Any]) -> Any:  # noqa: ANN401 - what the call returns
    """Return what a call returns that takes no timeout, or stop waiting for it at the deadline."""
    outcome: list[Any] = []
    failures: list[OSError] = []

    def call() -> None:
        try:
            outcome.append(look_up())
        except OSError as error:
            failures.append(error)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(deadline.seconds_left())
    if failures:
        raise failures[0]
    if not outcome:
        raise TimeoutError("the name of the host was not looked up in time")
    return outcome[0]
