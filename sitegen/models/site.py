"""The site as a value: its facts, its pages, entries of its search and items of its feeds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sitegen.models.addresses import parse_web_address


class FileKind(NamedTuple):
    """A kind of file for a board's scores: its title, the end of file names, and its media type."""

    title: str
    ending: str
    media_type: str


JSON = FileKind("JSON", ".json", "application/json")
CSV = FileKind("CSV", ".csv", "text/csv")
PARQUET = FileKind("Parquet", ".parquet", "application/vnd.apache.parquet")


@dataclass(frozen=True, slots=True)
class Site:
    """Facts about the site that every page uses."""

    address: str = ""
    """The address of the site, ending in `/`; empty if it is not known."""
    name: str = "Recount"
    kinds: Sequence[FileKind] = (JSON, CSV)
    """The kinds of files with the scores of boards."""
    lead: str = ""
    """BENCHMARK/TRACK of the first board on the home page; empty to choose it from the results."""
    owner: str = ""
    """The publisher; empty if it is not stated."""
    repository: str = ""
    """Web address of the repository that takes submissions; empty if it is not stated."""
    moved: tuple[tuple[str, str], ...] = ()
    """Authored pages that moved: the former and the current address of each, without outer `/`."""

    @property
    def path(self) -> str:
        """The site's path on its host, such as `/leaderboard/`; `/` if the address is not known."""
        return parse_web_address(self.address).path if self.address else "/"

    @property
    def repository_name(self) -> str:
        """The repository's address as people read it, such as `github.com/acme/boards`."""
        return self.repository.partition("://")[2]

    @property
    def repository_folder(self) -> str:
        """The folder into which git clones the repository."""
        return self.repository.rpartition("/")[2].removesuffix(".git")


class SocialCard(NamedTuple):
    """The picture that other sites show with a link to a page: its address and its text."""

    address: str
    words: str


SITE_CARD = SocialCard("card.png", "Name of this site and what it contains")
"""The card of pages that have no card of their own."""


class Name(NamedTuple):
    """An entry of the site's search: its kind, its title, a line about it, and its address."""

    kind: str
    title: str
    about: str
    address: str


@dataclass(frozen=True, slots=True)
class Page:
    """A generated page, before it is inserted into the shell.

    Attributes:
        address: Below the site's root, ending in `/`.
        title: Plain text.
        description: A sentence for search engines and previews.
        content: HTML.
        hosts: Origins that its scripts may contact on request, such as `https://example.org`.
        is_landing: Whether readers arrive here from other sites, with no file of the site cached.
        card: Address of the picture that other sites show with a link to the page.
        pictured: The text of that picture.
        names: Entries of the site's search that lead here.
    """

    address: str
    title: str
    description: str
    content: str
    hosts: tuple[str, ...] = ()
    is_landing: bool = False
    card: str = SITE_CARD.address
    pictured: str = SITE_CARD.words
    names: Sequence[Name] = ()


class Item(NamedTuple):
    """An item of a feed: a title and a sentence, both without markup."""

    id: str
    """The item's id, which is never used for another item."""
    date: str
    """The day of its release, or the day on which it happened."""
    title: str
    address: str
    words: str
    tags: tuple[str, ...]
    """The benchmark's id, and the kind of event."""
