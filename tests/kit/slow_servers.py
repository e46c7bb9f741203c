"""Servers so slow that only a deadline ends the wait, and servers that disconnect early."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import repeat

GREETING = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n"


def trickle(text: bytes) -> Iterator[bytes]:
    """Yield a text byte by byte, then repeat its last byte forever."""
    yield from (text[index : index + 1] for index in range(len(text)))
    yield from repeat(text[-1:])


ANSWERS: Mapping[str, Callable[[], Iterator[bytes]]] = {
    "nothing": lambda: iter(()),
    "headers byte by byte": lambda: trickle(b"HTTP/1.1 200 OK\r\nX-Slow: aaaaaaaa"),
    "a status line without an end": lambda: trickle(b"HTTP/1.1 200 OKKKKK"),
    "a body byte by byte": lambda: trickle(GREETING + b"\r\n" + b"a" * 10),
    "one interim answer after the other": lambda: repeat(b"HTTP/1.1 100 Continue\r\n\r\n"),
    "chunks byte by byte": lambda: trickle(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n00000"),
}


EARLY_ENDS: Mapping[str, bytes] = {
    "no answer": b"",
    "half of a body": b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nfirst half",
    "half of a chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n14\r\nfirst half",
    "no last chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\nfirst half\r\n",
}


@contextmanager
def broken_server(kind: str) -> Iterator[int]:
    """Serve the beginning of an answer, then disconnect; yield the port."""

    def serve(listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection, contextlib.suppress(OSError):
                    connection.recv(65536)
                    connection.sendall(EARLY_ENDS[kind])

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        yield int(listener.getsockname()[1])
        listener.shutdown(socket.SHUT_RDWR)


@contextmanager
def slow_server(kind: str) -> Iterator[int]:
    """Serve a part of an answer every tenth of a second; yield the port."""
    stopped = threading.Event()

    def answer(connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            for chunk in ANSWERS[kind]():
                if stopped.wait(0.1):
                    return
                connection.sendall(chunk)
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
