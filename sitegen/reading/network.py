"""Open web addresses under one deadline for the complete response.

Everything that reads from the network uses `opener_until`. A socket's timeout starts again with
each byte, so a server could block a command for hours by sending one byte a second. Here one
deadline covers all waiting: name lookup, connection, encryption, headers and body.
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
    """The time by which all waiting ends."""

    def __init__(self, seconds: float) -> None:
        """Set the deadline to a number of seconds from now."""
        self.seconds = seconds
        self._end = monotonic() + seconds

    def seconds_left(self) -> float:
        """Return the seconds until the deadline, a number above 0.

        Raises:
            TimeoutError: The deadline has passed.
        """
        seconds = self._end - monotonic()
        if seconds <= 0:
            raise TimeoutError("the deadline has passed")
        return seconds


def opener_until(deadline: Deadline, redirects: type[HTTPRedirectHandler]) -> OpenerDirector:
    """Return an opener for http and https addresses that reads responses until the deadline.

    After the deadline, every operation raises `TimeoutError`, or an `OSError` that reports it.

    Args:
        deadline: The time by which all waiting ends.
        redirects: Handles a response that redirects to another address.
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
    def __init__(self, deadline: Deadline, host: str, **settings: Any) -> None:  # noqa: ANN401
        super().__init__(host, **settings)
        _apply_deadline(deadline, self)


class _SecureConnection(HTTPSConnection):
    def __init__(self, deadline: Deadline, host: str, **settings: Any) -> None:  # noqa: ANN401
        super().__init__(host, **settings)
        _apply_deadline(deadline, self)


def _apply_deadline(deadline: Deadline, connection: HTTPConnection) -> None:
    """Make a connection connect and read its responses before the deadline.

    The standard library uses `_create_connection` and `response_class` as hooks; the name of the
    former is private, and has been the same since Python 2.7.
    """
    connect = partial(_connect, deadline)
    connection._create_connection = connect  # type: ignore[attr-defined]  # noqa: SLF001
    connection.response_class = partial(_Response, deadline)  # type: ignore[assignment]


class _Response(HTTPResponse):
    """A response whose bytes must arrive before the deadline."""

    def __init__(
        self,
        deadline: Deadline,
        sock: socket.socket,
        *args: Any,  # noqa: ANN401 - as the base class
        **kwargs: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(sock, *args, **kwargs)
        self.fp.close()
        self.fp = io.BufferedReader(_SocketBytes(deadline, sock))


class _SocketBytes(io.RawIOBase):
    """The bytes that arrive at a socket before the deadline."""

    def __init__(self, deadline: Deadline, sock: socket.socket) -> None:
        super().__init__()
        self._deadline = deadline
        self._socket = sock
        # The file keeps the socket open until the answer is read.
        self._bytes = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        """Return True: the stream is readable."""
        return True

    def readinto(self, buffer: Any) -> int | None:  # noqa: ANN401 - as the base class has it
        """Read the bytes that have arrived, waiting no longer than the deadline."""
        self._socket.settimeout(self._deadline.seconds_left())
        count: int | None = self._bytes.readinto(buffer)
        return count

    def close(self) -> None:
        """Close the socket as well."""
        self._bytes.close()
        super().close()


def _connect(deadline: Deadline, address: tuple[str, int], *_: object) -> socket.socket:
    """Return a socket connected to the first of a host's addresses that responds."""
    host, port = address
    failure: OSError = OSError("the host has no address")
    look_up: Callable[[], Any] = partial(socket.getaddrinfo, host, port, 0, socket.SOCK_STREAM)
    for family, kind, protocol, _name, ip_address in _call_until(deadline, look_up):
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(deadline.seconds_left())
            sock.connect(ip_address)
            # This timeout applies to the TLS handshake, which counts all of its bytes as one wait.
            sock.settimeout(deadline.seconds_left())
        except OSError as error:
            sock.close()
            failure = error
        else:
            return sock
    raise failure


def _call_until(deadline: Deadline, look_up: Callable[[], Any]) -> Any:  # noqa: ANN401 - the result
    """Return the result of a host lookup, a call that has no timeout of its own.

    Raises:
        OSError: The host can't be looked up.
        TimeoutError: The deadline passed before the call ended.
    """
    results: list[Any] = []
    failures: list[OSError] = []

    def call() -> None:
        try:
            results.append(look_up())
        except OSError as error:
            failures.append(error)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(deadline.seconds_left())
    if failures:
        raise failures[0]
    if not results:
        raise TimeoutError("the name of the host was not looked up in time")
    return results[0]
