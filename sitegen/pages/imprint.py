"""What every page of a site knows of the site as a whole."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sitegen.pages import addresses


class FileKind(NamedTuple):
    """A kind of file that a board's scores are offered in: what it is called, how names end, and its media type."""

    title: str
    ending: str
    media_type: str


JSON = FileKind("JSON", ".json", "application/json")
CSV = FileKind("CSV", ".csv", "text/csv")
PARQUET = FileKind("Parquet", ".parquet", "application/vnd.apache.parquet")


class ScoresFile(NamedTuple):
    """A file with a whole board's scores."""

    kind: FileKind
    address: str


@dataclass(frozen=True, slots=True)
class Imprint:
    """What is said of a site on its pages.

    Attributes:
        site: Its address, ending in `/`; empty where it is not known.
        name: What it is called.
        kinds: The kinds of file that it offers the scores of boards in.
    """

    site: str = ""
    name: str = "Recount"
    kinds: Sequence[FileKind] = (JSON, CSV)

    @property
    def has_parquet(self) -> bool:
        """Whether scores are offered as Parquet."""
        return PARQUET in self.kinds

    def scores_files(self, benchmark: str, track: str) -> list[ScoresFile]:
        """Give the files with a whole board's scores."""
        return [ScoresFile(kind, addresses.board_scores(benchmark, track, kind.ending)) for kind in self.kinds]
