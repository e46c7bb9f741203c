"""What is read from the network ends at one deadline, however slowly a server sends it."""

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path

import pytest

from sitegen.problems import UsageError
from sitegen.publish.downloads import artifacts_of, copy_of

SECONDS = 1.5
"""The deadline in these tests."""
LATEST = 3 * SECONDS
"""So many seconds may pass on a busy machine."""

GREETING = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n"


def trickle(text: bytes) -> Iterator[bytes]:
    """Yield a text byte by byte, and its last byte for ever."""
    yield from (text[place : place + 1] for place in range(len(text)))
    yield from repeat(text[-1:])


ANSWERS: Mapping[str, Callable[[], Iterator[bytes]]] = {
    "nothing": lambda: iter(()),
    "headers byte by byte": lambda: trickle(b"HTTP/1.1 200 OK\r\nX-Slow: aaaaaaaa"),
    "a status line without an end": lambda: trickle(b"HTTP/1.1 200 OKKKKK"),
    "a body byte by byte": lambda: trickle(GREETING + b"\r\n" + b"a" * 10),
    "one interim answer after the other": lambda: repeat(b"HTTP/1.1 100 Continue\r\n\r\n"),
    "chunks byte by byte": lambda: trickle(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n00000"),
}


@contextmanager
def slow_server(kind: str) -> Iterator[int]:
    """Serve an answer, a part of it every tenth of a second; gives the port."""
    stopped = threading.Event()

    def answer(connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            for part in ANSWERS[kind]():
                if stopped.wait(0.1):
                    return
                connection.sendall(part)
            stopped.wait()

    def serve(listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=answer, args=(connection,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        yield int(listener.getsockname()[1])
        stopped.set()
        listener.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("kind", ANSWERS)
@pytest.mark.parametrize("name", ["runs.zip", "runs/"])
def test_a_slow_server_is_left_at_the_deadline(kind: str, name: str, tmp_path: Path) -> None:
    with slow_server(kind) as port:
        began = time.monotonic()
        with pytest.raises(UsageError, match="took longer than 2 seconds"):
            artifacts_of(f"http://127.0.0.1:{port}/{name}", tmp_path, SECONDS)
        assert time.monotonic() - began < LATEST


def test_a_server_that_begins_no_encryption_is_left_at_the_deadline(tmp_path: Path) -> None:
    with slow_server("nothing") as port:
        began = time.monotonic()
        with pytest.raises(UsageError, match="took longer than 2 seconds"):
            copy_of(f"https://localhost:{port}/", tmp_path, seconds=SECONDS)
        assert time.monotonic() - began < LATEST


@pytest.mark.parametrize(
    "address",
    [
        "https://[y",
        "https://",
        "http://127.0.0.1:99999/",
        "https://a..example/",
        "https://host\\@other/",
        "http://example.org/",
    ],
)
def test_what_is_no_address_is_refused_in_words(address: str, tmp_path: Path) -> None:
    for take in (artifacts_of, copy_of):
        with pytest.raises(UsageError):
            take(address, tmp_path)


def test_a_name_of_dots_is_a_folder_that_is_not_left(tmp_path: Path) -> None:
    with slow_server("nothing") as port, pytest.raises(UsageError):
        artifacts_of(f"http://127.0.0.1:{port}/..", tmp_path, SECONDS)
    assert list(tmp_path.iterdir()) == []
