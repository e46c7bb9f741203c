"""What search engines for data read of pages: catalogues and datasets, in the words of schema.org, as JSON-LD."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from markupsafe import Markup

from sitegen.board.board import Board
from sitegen.board.export import Json
from sitegen.metrics.metric import Metric
from sitegen.models.benchmark import Benchmark
from sitegen.models.release import Release
from sitegen.models.reported import ReportedTable
from sitegen.pages import addresses, labels
from sitegen.pages.environment import Templates
from sitegen.pages.facts import facts

_SAFE = {ord(each): f"\\u{ord(each):04x}" for each in "<>&\u2028\u2029"}
"""Written otherwise, these could end a block of data, or a line of it."""

_LONGEST = 5000
"""A longer description is not taken by those who read it; one of fewer than 50 letters is not either."""

_METHOD = "Scores are recomputed from the raw reward of every round; rows of published tables are marked as reported."


def data_block(document: Json) -> Markup:
    """Put a document into a page, for programs: as a block of data that nothing in it can end."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":")).translate(_SAFE)
    return Markup(f'<script type="application/ld+json">{text}</script>')  # noqa: S704 - nothing in it is markup


@dataclass(frozen=True, slots=True)
class Shelf:
    """Describes what a page is about, with links that hold wherever the site stands.

    Attributes:
        page: Address of the page.
        templates: What is known of the site.
        releases: The oldest first.
    """

    page: str
    templates: Templates
    releases: Sequence[Release] = ()

    def board(self, board: Board) -> Markup:
        """Describe a board as a dataset."""
        found = {
            **self._board_glance(board),
            **self._origin([board]),
            "keywords": list(_keywords(board)),
            "variableMeasured": [self._variable(board, metric) for metric in board.columns],
            "distribution": list(self._files([board])),
        }
        return data_block(_document(found))

    def benchmark(self, boards: Sequence[Board]) -> Markup:
        """Describe a benchmark as a dataset, whose parts are its boards."""
        benchmark = boards[0].benchmark
        found = {
            **self._benchmark_glance(boards),
            **self._origin(boards),
            "keywords": list(dict.fromkeys(word for board in boards for word in _keywords(board))),
            "distribution": list(self._files(boards)),
            "hasPart": [self._board_glance(board) for board in boards],
        }
        return data_block(_document(found | ({"sameAs": benchmark.homepage} if benchmark.homepage else {})))

    def catalogue(self, benchmarks: Sequence[Sequence[Board]]) -> Markup:
        """Describe all benchmarks of the site as a catalogue of datasets."""
        words = f"Benchmark results, by board. {_METHOD}"
        datasets = [{**self._benchmark_glance(boards), **self._origin(boards)} for boards in benchmarks]
        return data_block(_document({**self._catalogue(), "description": words, "dataset": datasets}))

    def _to(self, address: str) -> str:
        """Give the link to a place of the site: in full where its address is known, else from the page on."""
        return f"{self.templates.site or addresses.root_of(self.page)}{address}"

    def _board_glance(self, board: Board) -> Json:
        title = f"{board.benchmark.title}: {board.track.title}"
        where = addresses.board_address(board.benchmark.id, board.track.id)
        words = f"{title}. {facts(board)}. {board.track.summary}"
        return self._glance(board.benchmark, title, words, where)

    def _benchmark_glance(self, boards: Sequence[Board]) -> Json:
        benchmark = boards[0].benchmark
        words = f"Results on {benchmark.title}. {benchmark.summary}"
        return self._glance(benchmark, benchmark.title, words, addresses.benchmark_address(benchmark.id))

    def _glance(self, benchmark: Benchmark, title: str, words: str, address: str) -> Json:
        simulated = "Simulated data: no model was run. " if benchmark.simulated else ""
        told = " ".join(f"{simulated}{words} {_METHOD}".split())
        return {
            "@type": "Dataset",
            "@id": f"{self._to(address)}#dataset",
            "name": title,
            "description": told[:_LONGEST],
            "url": self._to(address),
            "isAccessibleForFree": True,
            "creator": {"@type": "Organization", "name": f"{benchmark.title} maintainers and submitters"},
            **_license(benchmark),
        }

    def _catalogue(self) -> Json:
        home = self._to(addresses.HOME)
        return {"@type": "DataCatalog", "@id": f"{home}#catalogue", "name": self.templates.imprint.name, "url": home}

    def _origin(self, boards: Sequence[Board]) -> Json:
        """Say when results came, which release has them, what they are about, and where they belong."""
        benchmark = boards[0].benchmark
        tables = chain.from_iterable(board.results.reported_on(board.track) for board in boards)
        sources = {(table.title, table.source): _source(table) for table in tables}
        return {
            **self._dates(boards),
            **({"citation": benchmark.paper} if benchmark.paper else {}),
            **({"isBasedOn": list(sources.values())} if sources else {}),
            "includedInDataCatalog": self._catalogue(),
        }

    def _dates(self, boards: Sequence[Board]) -> Json:
        days = sorted(chain.from_iterable(map(_days, boards)))
        released = sorted({str(each.date) for board in boards for each in self.releases if _has(each, board)})
        if not days:
            return {}
        version = {"version": released[-1]} if released else {}
        return {"datePublished": (released or days)[0], "dateModified": max(days + released), **version}

    def _variable(self, board: Board, metric: Metric) -> Json:
        return {
            "@type": "PropertyValue",
            "name": labels.title_of(metric, board.track, board.benchmark),
            "propertyID": metric.id,
            "unitText": metric.unit,
            "url": self._to(f"{addresses.METHODS}#{metric.id}"),
        }

    def _files(self, boards: Sequence[Board]) -> Iterator[Json]:
        for board in boards:
            for file in self.templates.imprint.scores_files(board.benchmark.id, board.track.id):
                yield {
                    "@type": "DataDownload",
                    "name": f"{board.track.title} as {file.kind.title}",
                    "contentUrl": self._to(file.address),
                    "encodingFormat": file.kind.media_type,
                }


def _document(found: Json) -> Json:
    return {"@context": "https://schema.org/", **found}


def _license(benchmark: Benchmark) -> Json:
    """Give the licence: a link where it is one, else a work that is known by its name."""
    told = benchmark.license
    if not told:
        return {}
    return {"license": told if told.startswith(("https://", "http://")) else {"@type": "CreativeWork", "name": told}}


def _source(table: ReportedTable) -> Json:
    return {
        "@type": "CreativeWork",
        "name": table.title,
        "datePublished": str(table.date),
        "description": table.source,
    }


def _keywords(board: Board) -> Iterator[str]:
    yield from ("benchmark", "leaderboard", board.benchmark.title, board.track.title)
    yield labels.title_of(board.headline, board.track, board.benchmark)
    yield from (board.benchmark.axes[name].title for name in board.track.groupings if name in board.benchmark.axes)


def _days(board: Board) -> Iterator[str]:
    """Give the days on which something came to a board, or was taken back."""
    for entry in board.all_entries:
        yield str(entry.date)
        if entry.status.date:
            yield str(entry.status.date)


def _has(release: Release, board: Board) -> bool:
    return release.board(board.benchmark.id, board.track.id) is not None
