"""What the comment needs of GitHub's interface.

With the standard library alone: nothing is installed beside a token that may write.
"""

import json
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, TypeAlias
from urllib.error import HTTPError
from urllib.parse import quote, urlencode, urlsplit

Json: TypeAlias = Any
"""What GitHub answers; who asks knows its form."""

PAGE = 100
"""Things on one page of a list."""

_SECONDS = 30


class TooLargeError(Exception):
    """An answer is larger than whoever asked will read."""


class _Stay(urllib.request.HTTPRedirectHandler):
    """Follows nothing, so that the token is not handed on to another host."""

    def redirect_request(self, *_: object) -> None:
        """Say that there is no further request."""


_OPENER = urllib.request.build_opener(_Stay)


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository, as its interface shows it.

    Attributes:
        name: OWNER/NAME.
        root: Address of the interface.
        token: What proves who asks.
    """

    name: str
    root: str
    token: str = field(repr=False)

    def get(self, *path: str | int, **query: str | int) -> Json:
        """Read something below the repository."""
        return json.loads(self._open("GET", path, query).read())

    def pages(self, *path: str | int, most: int) -> Iterator[Json]:
        """Read a list, at most so many pages of it."""
        for page in range(1, most + 1):
            found = self.get(*path, per_page=PAGE, page=page)
            yield from found
            if len(found) < PAGE:
                return

    def send(self, method: str, *path: str | int, **content: str) -> None:
        """Write something below the repository."""
        self._open(method, path, content=json.dumps(content).encode()).close()

    def download(self, *path: str | int, most: int) -> bytes:
        """Read a file that GitHub keeps on another host, which is not told the token.

        Raises:
            TooLargeError: It has more bytes than `most`.
        """
        try:
            answer = self._open("GET", path)
        except HTTPError as moved:
            if moved.code != HTTPStatus.FOUND:
                raise
            answer = urllib.request.urlopen(
                self._beside(moved.headers["Location"]), timeout=_SECONDS
            )
        with answer:
            found: bytes = answer.read(most + 1)
        if len(found) > most:
            raise TooLargeError
        return found

    def _beside(self, address: str) -> str:
        """Refuse an address that is less guarded than the interface itself, such as a file of this machine."""
        if urlsplit(address).scheme not in {"https", urlsplit(self.root).scheme}:
            raise ValueError(f"GitHub leads on to {address}")
        return address

    def _open(
        self,
        method: str,
        path: tuple[str | int, ...],
        query: Mapping[str, str | int] | None = None,
        content: bytes | None = None,
    ) -> Json:
        below = "/".join(quote(str(part), safe="") for part in path)
        address = f"{self.root}/repos/{self.name}/{below}" + (
            f"?{urlencode(query)}" if query else ""
        )
        request = urllib.request.Request(address, content, method=method)
        request.add_header("Authorization", f"Bearer {self.token}")
        request.add_header("Accept", "application/vnd.github+json")
        request.add_header("X-GitHub-Api-Version", "2022-11-28")
        return _OPENER.open(request, timeout=_SECONDS)
