"""A site as all who write of it know it: its facts and its pages, what its search finds, and what its feeds tell."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sitegen.models.addresses import parse_web_address


class FileKind(NamedTuple):
    """A kind of file that a board's scores are offered in: what it is called, how names end, and its media type."""

    title: str
    ending: str
    media_type: str


JSON = FileKind("JSON", ".json", "application/json")
CSV = FileKind("CSV", ".csv", "text/csv")
PARQUET = FileKind("Parquet", ".parquet", "application/vnd.apache.parquet")


@dataclass(frozen=True, slots=True)
class Site:
    """What every page knows of the site."""

    address: str = ""
    """Ends in `/`; empty where it is not known."""
    name: str = "Recount"
    kinds: Sequence[FileKind] = (JSON, CSV)
    """The kinds of file that it offers the scores of boards in."""
    lead: str = ""
    """BENCHMARK/TRACK of the board that its home page begins with; empty where the results decide."""
    owner: str = ""
    """Who publishes it; empty where nobody says."""

    @property
    def path(self) -> str:
        """Where it is on its host, such as `/leaderboard/`; `/` where its address is not known."""
        return parse_web_address(self.address).path if self.address else "/"


class SocialCard(NamedTuple):
    """The picture that other sites show where somebody links to a page: its address, and what is to be read on it."""

    address: str
    words: str


SITE_CARD = SocialCard("card.png", "What this site is called, and what it holds")
"""That of the whole site."""


class Name(NamedTuple):
    """Something that the search finds: of which kind it is, its name, more about it, and where it stands."""

    kind: str
    title: str
    about: str
    address: str


@dataclass(frozen=True, slots=True)
class Page:
    """A generated page, before it is stamped into the shell.

    Attributes:
        address: Below the site's root, ending in `/`.
        title: Plain text.
        description: A sentence for search engines and previews.
        content: HTML.
        hosts: Origins that its scripts may ask once a reader wants it, such as `https://example.org`.
        is_landing: Whether readers arrive here from elsewhere, and have no file of the site yet.
        card: Address of the picture that other sites show where somebody links to it.
        pictured: What is to be read on that picture.
        names: What the search finds here.
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
    """Something that a feed tells, in a few words and in a sentence without markup."""

    id: str
    """Its name, which no other item ever has."""
    date: str
    """Day of the release that brought it."""
    title: str
    address: str
    words: str
    tags: tuple[str, ...]
    """What it is about: the benchmark's id, and what happened."""
