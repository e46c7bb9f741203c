"""The part of GitHub's API that the comment on pull requests needs.

Only the standard library is used, so that no package is installed next to a token with write access.
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
"""An answer of GitHub, whose form is known to the caller."""

PAGE = 100
"""Number of items on one page of a list."""

_SECONDS = 30


class TooLargeError(Exception):
    """An answer is larger than the caller accepts."""


class _Stay(urllib.request.HTTPRedirectHandler):
    """Follows no redirects, so that the token is never sent to another host."""

    def redirect_request(self, *_: object) -> None:
        """Return no request for a redirect."""


_OPENER = urllib.request.build_opener(_Stay)


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository, accessed through GitHub's API.

    Attributes:
        name: OWNER/NAME.
        root: The address of the API.
        token: The token for authentication.
    """

    name: str
    root: str
    token: str = field(repr=False)

    def get(self, *path: str | int, **query: str | int) -> Json:
        """Return the JSON at a path below the repository."""
        return json.loads(self._open("GET", path, query).read())

    def pages(self, *path: str | int, most: int) -> Iterator[Json]:
        """Yield the items of a list, from at most `most` pages."""
        for page in range(1, most + 1):
            items = self.get(*path, per_page=PAGE, page=page)
            yield from items
            if len(items) < PAGE:
                return

    def send(self, method: str, *path: str | int, **content: str) -> None:
        """Send JSON to a path below the repository."""
        self._open(method, path, content=json.dumps(content).encode()).close()

    def download(self, *path: str | int, most: int) -> bytes:
        """Return a file that GitHub stores on another host, without sending the token to that host.

        Raises:
            TooLargeError: The file has more than `most` bytes.
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
            content: bytes = answer.read(most + 1)
        if len(content) > most:
            raise TooLargeError
        return content

    def _beside(self, address: str) -> str:
        """Return an address, unless it is less protected than the API itself, such as a local file."""
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
        below = "/".join(quote(str(segment), safe="") for segment in path)
        address = f"{self.root}/repos/{self.name}/{below}" + (
            f"?{urlencode(query)}" if query else ""
        )
        request = urllib.request.Request(address, content, method=method)
        request.add_header("Authorization", f"Bearer {self.token}")
        request.add_header("Accept", "application/vnd.github+json")
        request.add_header("X-GitHub-Api-Version", "2022-11-28")
        return _OPENER.open(request, timeout=_SECONDS)
