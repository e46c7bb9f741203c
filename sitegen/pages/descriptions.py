"""How the site describes itself to programs: in schema.org's words to search engines, and to language models."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain

from markupsafe import Markup

from sitegen.board.answers.order import board_answer
from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.export import Json
from sitegen.board.hugging_face import dataset_of, is_on_hub
from sitegen.board.tables import (
    has_rounds,
    round_columns_told,
    rounds_are_many,
    score_columns_told,
    score_kinds,
)
from sitegen.models.addresses import is_web_address
from sitegen.models.benchmark import Benchmark
from sitegen.models.release import Release
from sitegen.models.site import CSV, PARQUET, FileKind, Site
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import Link
from sitegen.problems import listed

_SAFE = {ord(each): f"\\u{ord(each):04x}" for each in "<>&\u2028\u2029"}
"""Written otherwise, these could end a block of data, or a line of it."""

_LONGEST = 5000
"""A longer description is not taken by those who read it; one of fewer than 50 letters is not either."""

_CROISSANT_WORDS = (
    "citeAs column conformsTo cr rai data dataType dct examples extract field fileProperty fileObject "
    "equivalentProperty fileSet format includes isLiveDataset jsonPath key md5 parentField path recordSet "
    "references regex repeated replace samplingRate sc separator source subField transform"
)
_CROISSANT: Json = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    **{word: f"cr:{word}" for word in _CROISSANT_WORDS.split()},
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "sc": "https://schema.org/",
}
"""What the words of Croissant 1.0 stand for, as its specification has it."""

_CROISSANT_TYPES = {
    "str": "sc:Text",
    "Int64": "sc:Integer",
    "float64": "sc:Float",
    "boolean": "sc:Boolean",
}

_METHOD = "Scores are recomputed from raw rewards; rows of published tables are marked as reported."


def scores_files(board: Board, site: Site) -> list[tuple[FileKind, str]]:
    """List the files with a whole board's scores: of which kind each is, and where it stands."""
    return [(kind, addresses.of(board).scores(kind.ending)) for kind in site.kinds]


def rounds_files(board: Board, site: Site) -> list[tuple[FileKind, str]]:
    """List the files with every round of a board, as `scores_files` does; none where no round is known."""
    endings = {CSV: ".csv.gz" if rounds_are_many(board) else ".csv", PARQUET: PARQUET.ending}
    offered = [kind for kind in site.kinds if kind in endings] if has_rounds(board) else []
    return [(kind, addresses.of(board).rounds(endings[kind])) for kind in offered]


def row_files(board: Board, entry: Entry) -> list[Link]:
    """The files with a row as others have it; none of one that no longer stands, or has no score."""
    where, values = addresses.of(board), [score.value for score in entry.scores.values()]
    if not entry.is_ranked or not any(value is not None for value in values):
        return []
    on_hub = is_on_hub(board, entry) and dataset_of(board.benchmark)
    files = [Link("Every Eval Ever", where.handed_on(entry.id, "every-eval-ever.json"))]
    return files + [Link("Hugging Face", where.handed_on(entry.id, "eval-results.yaml"))] * bool(
        on_hub
    )


def computing_of(board: Board, site: Site) -> Mapping[str, object]:
    """Find the tables of a board, and what their columns mean: name and meaning of each."""
    rounds = rounds_files(board, site)
    return {
        "scores": addresses.of(board).scores(CSV.ending),
        "rounds": rounds,
        "columns": list(score_columns_told(board)),
        "round_columns": list(round_columns_told(board)) if rounds else [],
    }


def data_block(document: Json) -> Markup:
    """Put a document into a page, for programs: as a block of data that nothing in it can end."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":")).translate(_SAFE)
    return Markup(f'<script type="application/ld+json">{text}</script>')  # noqa: S704 - nothing in it is markup


@dataclass(frozen=True, slots=True)
class Datasets:
    """Describes what the page at an address is about, with links that hold wherever the site stands."""

    page: str
    site: Site
    releases: Sequence[Release] = ()
    """The oldest first."""

    def board(self, board: Board) -> Markup:
        """Describe a board as a dataset."""
        measured = [
            {
                "@type": "PropertyValue",
                "name": labels.title_on(board, metric),
                "propertyID": metric.id,
                "unitText": metric.unit,
                "url": self._to(
                    f"{addresses.METHODS}#{labels.method_anchor(metric, board.benchmark)}"
                ),
            }
            for metric in board.columns
        ]
        about = {
            **self._board_glance(board),
            **self._origin([board]),
            "keywords": list(_keywords(board)),
        }
        return _described(
            {**about, "variableMeasured": measured, "distribution": list(self._files([board]))}
        )

    def croissant(self, board: Board, table: bytes) -> Json:
        """Describe a board's table of scores, a file of CSV, column by column, in the words of Croissant."""
        about, file = dict(score_columns_told(board)), f"{board.track.id}.csv"
        glance = {**self._board_glance(board), **self._dates([board]), "@type": "sc:Dataset"}
        numbers = ".".join(
            part.lstrip("0") for part in str(glance.get("version") or "1-1-1").split("-")
        )
        glance |= {"version": numbers, "conformsTo": "http://mlcommons.org/croissant/1.0"}
        if "datePublished" not in glance and board.benchmark.since:
            glance["datePublished"] = str(board.benchmark.since)
        if isinstance(
            glance.get("license"), dict
        ):  # a work of a name; here an address is asked for
            glance["license"] = f"https://spdx.org/licenses/{board.benchmark.license}.html"
        if board.benchmark.paper:
            glance["citeAs"] = board.benchmark.paper
        fields = [
            {
                "@type": "cr:Field",
                "@id": f"scores/{name}",
                "name": name,
                "description": about.get(name, name),
                "dataType": _CROISSANT_TYPES[kind],
                "source": {"fileObject": {"@id": file}, "extract": {"column": name}},
            }
            for name, kind in score_kinds(board).items()
        ]
        distribution = {
            "@type": "cr:FileObject",
            "@id": file,
            "name": file,
            "contentUrl": self._to(addresses.of(board).scores(CSV.ending)),
            "encodingFormat": CSV.media_type,
            "sha256": sha256(table).hexdigest(),
        }
        records = {"@type": "cr:RecordSet", "@id": "scores", "name": "scores", "field": fields}
        return {
            "@context": _CROISSANT,
            **glance,
            "distribution": [distribution],
            "recordSet": [records],
        }

    def benchmark(self, boards: Sequence[Board]) -> Markup:
        """Describe a benchmark as a dataset, whose parts are its boards."""
        homepage = boards[0].benchmark.homepage
        found = {
            **self._benchmark_glance(boards),
            **self._origin(boards),
            "keywords": list(dict.fromkeys(word for board in boards for word in _keywords(board))),
            "distribution": list(self._files(boards)),
            "hasPart": [self._board_glance(board) for board in boards],
        }
        return _described(found | ({"sameAs": homepage} if homepage else {}))

    def catalogue(self, benchmarks: Sequence[Sequence[Board]]) -> Markup:
        """Describe all benchmarks of the site as a catalogue of datasets."""
        words = f"Benchmark results, by board. {_METHOD}"
        datasets = [
            {**self._benchmark_glance(boards), **self._origin(boards)} for boards in benchmarks
        ]
        return _described({**self._catalogue(), "description": words, "dataset": datasets})

    def _to(self, address: str) -> str:
        """Link to a place of the site: in full where its address is known, else from the page on."""
        return f"{self.site.address or addresses.root_of(self.page)}{address}"

    def _board_glance(self, board: Board) -> Json:
        title = f"{board.benchmark.title}: {board.track.title}"
        words = f"{title}. {labels.facts(board)}. {board.track.summary}"
        return self._glance(board.benchmark, title, words, addresses.of(board).board)

    def _benchmark_glance(self, boards: Sequence[Board]) -> Json:
        benchmark = boards[0].benchmark
        words = f"Results on {benchmark.title}. {benchmark.summary}"
        return self._glance(
            benchmark, benchmark.title, words, addresses.benchmark_address(benchmark.id)
        )

    def _glance(self, benchmark: Benchmark, title: str, words: str, address: str) -> Json:
        simulated = "Simulated data: no model was run. " if benchmark.simulated else ""
        told = " ".join(f"{simulated}{words} {_METHOD}".split())
        found: Json = {
            "@type": "Dataset",
            "@id": f"{self._to(address)}#dataset",
            "name": title,
            "description": told[:_LONGEST],
            "url": self._to(address),
            "isAccessibleForFree": True,
            "creator": {
                "@type": "Organization",
                "name": f"{benchmark.title} maintainers and submitters",
            },
        }
        name = benchmark.license  # a link, else a work that is known by its name
        is_link = name and is_web_address(name)
        return (
            {**found, "license": name if is_link else {"@type": "CreativeWork", "name": name}}
            if name
            else found
        )

    def _catalogue(self) -> Json:
        home = self._to(addresses.HOME)
        return {
            "@type": "DataCatalog",
            "@id": f"{home}#catalogue",
            "name": self.site.name,
            "url": home,
        }

    def _origin(self, boards: Sequence[Board]) -> Json:
        """Say when results came, which release has them, what they are about, and where they belong."""
        paper = boards[0].benchmark.paper
        tables = chain.from_iterable(board.results.reported_on(board.track) for board in boards)
        sources = {
            (table.title, table.source): {
                "@type": "CreativeWork",
                "name": table.title,
                "datePublished": str(table.date),
                "description": table.source,
            }
            for table in tables
        }
        return {
            **self._dates(boards),
            **({"citation": paper} if paper else {}),
            **({"isBasedOn": list(sources.values())} if sources else {}),
            "includedInDataCatalog": self._catalogue(),
        }

    def _dates(self, boards: Sequence[Board]) -> Json:
        entries = [entry for board in boards for entry in board.all_entries]
        taken_back = (entry.status.date for entry in entries if entry.status.date)
        days = sorted(map(str, (*(entry.date for entry in entries), *taken_back)))
        having = (
            each for each in self.releases for board in boards if each.board(*addresses.of(board))
        )
        released = sorted({str(each.date) for each in having})
        if not days:
            return {}
        version = {"version": released[-1]} if released else {}
        return {
            "datePublished": (released or days)[0],
            "dateModified": max(days + released),
            **version,
        }

    def _files(self, boards: Sequence[Board]) -> Iterator[Json]:
        for board in boards:
            for kind, address in scores_files(board, self.site):
                yield {
                    "@type": "DataDownload",
                    "name": f"{board.track.title} as {kind.title}",
                    "contentUrl": self._to(address),
                    "encodingFormat": kind.media_type,
                }


def _described(found: Json) -> Markup:
    return data_block({"@context": "https://schema.org/", **found})


def _keywords(board: Board) -> Iterator[str]:
    yield from (
        "benchmark",
        "leaderboard",
        board.benchmark.title,
        board.track.title,
        labels.title_on(board),
    )
    yield from (
        board.benchmark.axes[name].title
        for name in board.track.groupings
        if name in board.benchmark.axes
    )


def incomplete_rows(board: Board) -> list[str]:
    """Return the agents whose headline score lacks tasks or attempts, with what it lacks."""
    rows = []
    for entry in board.entries:
        missing_note = entry.missing_note(board.headline.id)
        if missing_note:
            rows.append(f"{board.name_of(entry)}: {entry.text(board.headline.id)}, {missing_note}")
    return rows


def guide_for_models(boards: Sequence[Board], site: Site) -> str:
    """Write a guide to the site for language models: what is where; relative where the site's address is not known."""

    def plain(text: str) -> str:
        """Keep a text from making links of its own."""
        return " ".join(text.translate(str.maketrans("[]<>", "()  ")).split())

    home, lines = site.address, []
    for board in boards:
        title = plain(f"{board.benchmark.title}: {board.track.title}")
        simulated = "; simulated, no model was run" if board.benchmark.simulated else ""
        files = ", ".join(
            f"[{kind.title}]({home}{address})" for kind, address in scores_files(board, site)
        )
        answer = board_answer(board)
        about = f"ranked by {labels.title_on(board)}; {labels.facts(board)}{simulated}"
        told = f" {plain(str(answer))}" if answer else ""
        incomplete = plain(listed(incomplete_rows(board), separator=". "))
        told += f" Incomplete: {incomplete}." if incomplete else ""
        lines.append(f"- [{title}]({home}{addresses.of(board).board}): {about}.{told} {files}\n")
    return f"""# {plain(site.name)}

> Benchmark results. Scores are recomputed from raw rewards, beside what others claim.

Rows of the evidence `reported` come from published tables and are not recomputed. A gap is null, never 0.
`rank` is the order of the scores, `rank_interval` what the data shows of it: quote them together.

## Boards

{"".join(lines)}
## More

- [How scores are made]({home}{addresses.METHODS}): every metric with its formula and source
- [All scores]({home}{addresses.SCORES}): JSON, with its schema at {home}{addresses.schema_file("scores")}
- [API]({home}{addresses.API}): what each file holds, with examples
- [Changelog]({home}{addresses.CHANGELOG}): what each release brought, and why
- [Data]({home}{addresses.DATA}): the submitted files that the scores are computed from
"""
