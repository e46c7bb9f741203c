"""Descriptions of the site for programs: search engines, data tools and language models.

Search engines get schema.org metadata, data tools get Croissant, and language models get a guide in
Markdown.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from markupsafe import Markup

from sitegen.board import Board, Entry
from sitegen.board.answers.ranking_headlines import board_answer
from sitegen.board.export import Json
from sitegen.board.hugging_face import hub_dataset, is_on_hub
from sitegen.board.tables import (
    has_rounds,
    round_column_meanings,
    rounds_are_many,
    score_column_meanings,
    score_kinds,
)
from sitegen.models.addresses import is_web_address
from sitegen.models.benchmark import Benchmark
from sitegen.models.release import Release
from sitegen.models.site import CSV, PARQUET, FileKind, Site
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import Link
from sitegen.pages.selection import releases_with
from sitegen.problems import listed

_UNSAFE_CHARACTERS = "<>&\u2028\u2029"
_ESCAPES = {ord(character): f"\\u{ord(character):04x}" for character in _UNSAFE_CHARACTERS}
"""Escapes of characters that could end a block of data, or a line in it."""

_MAX_DESCRIPTION_LENGTH = 5000
"""Maximum number of characters in a description; search engines also reject fewer than 50."""

_CROISSANT_TERMS = (
    "citeAs column conformsTo cr rai data dataType dct examples extract field fileProperty "
    "fileObject equivalentProperty fileSet format includes isLiveDataset jsonPath key md5 "
    "parentField path recordSet references regex repeated replace samplingRate sc separator "
    "source subField transform"
)
_CROISSANT_CONTEXT: Json = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    **{term: f"cr:{term}" for term in _CROISSANT_TERMS.split()},
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "sc": "https://schema.org/",
}
"""The JSON-LD context of Croissant 1.0, from its specification."""

_CROISSANT_TYPES = {
    "str": "sc:Text",
    "Int64": "sc:Integer",
    "float64": "sc:Float",
    "boolean": "sc:Boolean",
}

_METHOD = "Scores are recomputed from raw rewards; published scores are marked as reported."


def scores_files(board: Board, site: Site) -> list[tuple[FileKind, str]]:
    """Return the kinds and addresses of the files with all scores of a board."""
    return [(kind, addresses.of(board).scores(kind.ending)) for kind in site.kinds]


def scores_links(board: Board, site: Site) -> list[Link]:
    """Return links to the files with all scores of a board."""
    return [Link(kind.title, address) for kind, address in scores_files(board, site)]


def rounds_files(board: Board, site: Site) -> list[tuple[FileKind, str]]:
    """Return the kinds and addresses of the files with every round; empty if rounds are unknown."""
    if not has_rounds(board):
        return []
    csv_ending = ".csv.gz" if rounds_are_many(board) else ".csv"
    endings = {CSV: csv_ending, PARQUET: PARQUET.ending}
    kinds = [kind for kind in site.kinds if kind in endings]
    return [(kind, addresses.of(board).rounds(endings[kind])) for kind in kinds]


def row_files(board: Board, entry: Entry) -> list[Link]:
    """Return links to a row's files in other sites' formats; empty without a rank or a score."""
    has_score = any(score.value is not None for score in entry.scores.values())
    if not entry.is_published or not has_score:
        return []
    board_addresses = addresses.of(board)
    eval_address = board_addresses.exported_row(entry.id, "every-eval-ever.json")
    files = [Link("Every Eval Ever", eval_address)]
    if is_on_hub(board, entry) and hub_dataset(board.benchmark):
        hub_address = board_addresses.exported_row(entry.id, "eval-results.yaml")
        files.append(Link("Hugging Face", hub_address))
    return files


def table_values(board: Board, site: Site) -> Mapping[str, object]:
    """Return the addresses of a board's tables, and the name and meaning of their columns."""
    rounds = rounds_files(board, site)
    return {
        "scores": addresses.of(board).scores(CSV.ending),
        "rounds": rounds,
        "columns": list(score_column_meanings(board)),
        "round_columns": list(round_column_meanings(board)) if rounds else [],
    }


def data_block(document: Json) -> Markup:
    """Return a JSON-LD document as an HTML script element; no text in it can close the element."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":")).translate(_ESCAPES)
    return Markup(f'<script type="application/ld+json">{text}</script>')  # noqa: S704 - no markup in it


@dataclass(frozen=True, slots=True)
class Datasets:
    """Describes the subject of a page as datasets; links work wherever the site is hosted."""

    page: str
    """The address of the page."""
    site: Site
    releases: Sequence[Release] = ()
    """The releases, oldest first."""

    def board(self, board: Board) -> Markup:
        """Return the description of a board as a dataset."""
        return _schema_org_block(
            {
                **self._board_summary(board),
                **self._origin([board]),
                "keywords": list(_keywords(board)),
                "variableMeasured": self._measured_variables(board),
                "distribution": list(self._downloads([board])),
            }
        )

    def _measured_variables(self, board: Board) -> list[Json]:
        """Return descriptions of the metrics in a board's columns."""
        variables: list[Json] = []
        for metric in board.columns:
            anchor = labels.method_anchor(metric, board.benchmark)
            variables.append(
                {
                    "@type": "PropertyValue",
                    "name": labels.title_on(board, metric),
                    "propertyID": metric.id,
                    "unitText": metric.unit,
                    "url": self._url(f"{addresses.METHODS}#{anchor}"),
                }
            )
        return variables

    def croissant(self, board: Board, table: bytes) -> Json:
        """Return the Croissant description of a board's table of scores.

        Args:
            board: The board.
            table: The CSV file that is described.
        """
        file_name = f"{board.track.id}.csv"
        file: Json = {
            "@type": "cr:FileObject",
            "@id": file_name,
            "name": file_name,
            "contentUrl": self._url(addresses.of(board).scores(CSV.ending)),
            "encodingFormat": CSV.media_type,
            "sha256": sha256(table).hexdigest(),
        }
        fields = list(_croissant_fields(board, file_name))
        records = {"@type": "cr:RecordSet", "@id": "scores", "name": "scores", "field": fields}
        return {
            "@context": _CROISSANT_CONTEXT,
            **self._croissant_summary(board),
            "distribution": [file],
            "recordSet": [records],
        }

    def _croissant_summary(self, board: Board) -> Json:
        """Return the description of a board with the properties that Croissant requires."""
        benchmark = board.benchmark
        summary = {**self._board_summary(board), **self._dates([board]), "@type": "sc:Dataset"}
        date_parts = str(summary.get("version") or "1-1-1").split("-")
        summary["version"] = ".".join(part.lstrip("0") for part in date_parts)
        summary["conformsTo"] = "http://mlcommons.org/croissant/1.0"
        if "datePublished" not in summary and benchmark.since:
            summary["datePublished"] = str(benchmark.since)
        if isinstance(summary.get("license"), dict):  # known by its name; Croissant wants a URL
            summary["license"] = f"https://spdx.org/licenses/{benchmark.license}.html"
        if benchmark.paper:
            summary["citeAs"] = benchmark.paper
        return summary

    def benchmark(self, boards: Sequence[Board]) -> Markup:
        """Return the description of a benchmark as a dataset, whose parts are its boards."""
        keywords: dict[str, None] = {}
        for board in boards:
            keywords |= dict.fromkeys(_keywords(board))
        dataset = {
            **self._benchmark_summary(boards),
            **self._origin(boards),
            "keywords": list(keywords),
            "distribution": list(self._downloads(boards)),
            "hasPart": [self._board_summary(board) for board in boards],
        }
        if boards[0].benchmark.homepage:
            dataset["sameAs"] = boards[0].benchmark.homepage
        return _schema_org_block(dataset)

    def catalogue(self, benchmarks: Sequence[Sequence[Board]]) -> Markup:
        """Return the description of all benchmarks of the site as a catalogue of datasets."""
        datasets = [self._benchmark_summary(boards) | self._origin(boards) for boards in benchmarks]
        return _schema_org_block(
            {
                **self._catalogue_summary(),
                "description": f"Benchmark results, by board. {_METHOD}",
                "dataset": datasets,
            }
        )

    def _url(self, address: str) -> str:
        """Return a link to an address: absolute if the site's address is known."""
        return f"{self.site.address or addresses.root_of(self.page)}{address}"

    def _board_summary(self, board: Board) -> Json:
        title = f"{board.benchmark.title}: {board.track.title}"
        description = f"{title}. {labels.facts(board)}. {board.track.summary}"
        return self._summary(board.benchmark, title, description, addresses.of(board).board)

    def _benchmark_summary(self, boards: Sequence[Board]) -> Json:
        benchmark = boards[0].benchmark
        description = f"Results on {benchmark.title}. {benchmark.summary}"
        address = addresses.benchmark_address(benchmark.id)
        return self._summary(benchmark, benchmark.title, description, address)

    def _summary(self, benchmark: Benchmark, title: str, description: str, address: str) -> Json:
        """Return the properties of every dataset: its name, description, address and licence."""
        simulated = "Simulated data: no model was run. " if benchmark.simulated else ""
        full_description = " ".join(f"{simulated}{description} {_METHOD}".split())
        creator = f"{benchmark.title} maintainers and submitters"
        summary: Json = {
            "@type": "Dataset",
            "@id": f"{self._url(address)}#dataset",
            "name": title,
            "description": full_description[:_MAX_DESCRIPTION_LENGTH],
            "url": self._url(address),
            "isAccessibleForFree": True,
            "creator": {"@type": "Organization", "name": creator},
        }
        license_name = benchmark.license
        if license_name and is_web_address(license_name):
            summary["license"] = license_name
        elif license_name:
            summary["license"] = {"@type": "CreativeWork", "name": license_name}
        return summary

    def _catalogue_summary(self) -> Json:
        home = self._url(addresses.HOME)
        return {
            "@type": "DataCatalog",
            "@id": f"{home}#catalogue",
            "name": self.site.name,
            "url": home,
        }

    def _origin(self, boards: Sequence[Board]) -> Json:
        """Return properties with the dates, paper, published sources and catalogue of boards."""
        origin = self._dates(boards)
        paper = boards[0].benchmark.paper
        if paper:
            origin["citation"] = paper
        sources: dict[tuple[str, str], Json] = {}
        for board in boards:
            for table in board.results.reported_on(board.track):
                sources[table.title, table.source] = {
                    "@type": "CreativeWork",
                    "name": table.title,
                    "datePublished": str(table.date),
                    "description": table.source,
                }
        if sources:
            origin["isBasedOn"] = list(sources.values())
        origin["includedInDataCatalog"] = self._catalogue_summary()
        return origin

    def _dates(self, boards: Sequence[Board]) -> Json:
        """Return properties with the dates of results and the latest release that has them."""
        days = []
        release_days = []
        for board in boards:
            days += [str(entry.date) for entry in board.all_entries]
            changed = [entry.status.date for entry in board.all_entries if entry.status.date]
            days += map(str, changed)
            having = releases_with(board, self.releases)
            release_days += [str(release.date) for release in having]
        if not days:
            return {}
        dates: Json = {
            "datePublished": min(release_days or days),
            "dateModified": max(days + release_days),
        }
        if release_days:
            dates["version"] = max(release_days)
        return dates

    def _downloads(self, boards: Sequence[Board]) -> Iterator[Json]:
        """Yield descriptions of the files with the scores of boards."""
        for board in boards:
            for kind, address in scores_files(board, self.site):
                yield {
                    "@type": "DataDownload",
                    "name": f"{board.track.title} as {kind.title}",
                    "contentUrl": self._url(address),
                    "encodingFormat": kind.media_type,
                }


def _schema_org_block(document: Json) -> Markup:
    return data_block({"@context": "https://schema.org/", **document})


def _croissant_fields(board: Board, file_name: str) -> Iterator[Json]:
    """Yield descriptions of the columns in a board's table of scores."""
    descriptions = dict(score_column_meanings(board))
    for name, kind in score_kinds(board).items():
        yield {
            "@type": "cr:Field",
            "@id": f"scores/{name}",
            "name": name,
            "description": descriptions.get(name, name),
            "dataType": _CROISSANT_TYPES[kind],
            "source": {"fileObject": {"@id": file_name}, "extract": {"column": name}},
        }


def _keywords(board: Board) -> Iterator[str]:
    yield "benchmark"
    yield "leaderboard"
    yield board.benchmark.title
    yield board.track.title
    yield labels.title_on(board)
    axes = board.benchmark.axes
    for axis in board.track.groupings:
        if axis in axes:
            yield axes[axis].title


def incomplete_rows(board: Board) -> list[str]:
    """Return one line for each agent whose headline score is missing tasks or attempts."""
    rows = []
    for entry in board.entries:
        missing_note = entry.missing_note(board.headline.id)
        if missing_note:
            rows.append(f"{board.name_of(entry)}: {entry.text(board.headline.id)}, {missing_note}")
    return rows


def guide_for_models(boards: Sequence[Board], site: Site) -> str:
    """Return a guide to the site for language models.

    Links are relative if the address of the site is not known.
    """
    home = site.address
    schema = addresses.schema_file("scores")
    board_lines = "".join(_guide_line(board, site) for board in boards)
    return f"""# {_without_links(site.name)}

> Benchmark results. Scores are recomputed from raw rewards and shown beside published claims.

Results with evidence `reported` come from published tables and are not recomputed. \
A missing score is null, never 0.
`rank` orders agents by score alone; `rank_interval` is the range of ranks that the data supports. \
Quote them together.

## Boards

{board_lines}
## More

- [How scores are computed]({home}{addresses.METHODS}): every metric with its formula and source
- [All scores]({home}{addresses.SCORES}): JSON, with its schema at {home}{schema}
- [API]({home}{addresses.API}): what each file holds, with examples
- [Changelog]({home}{addresses.CHANGELOG}): what each release changed, and why
- [Data]({home}{addresses.DATA}): the submitted files that the scores are computed from
"""


def _guide_line(board: Board, site: Site) -> str:
    """Return the list item of a board in the guide: its address, facts, answer and files."""
    title = _without_links(f"{board.benchmark.title}: {board.track.title}")
    address = f"{site.address}{addresses.of(board).board}"
    facts = f"ranked by {labels.title_on(board)}; {labels.facts(board)}"
    if board.benchmark.simulated:
        facts = f"{facts}; simulated, no model was run"
    sentences = [f"{facts}."]
    answer = board_answer(board)
    if answer:
        sentences.append(_without_links(str(answer)))
    incomplete = _without_links(listed(incomplete_rows(board), separator=". "))
    if incomplete:
        sentences.append(f"Incomplete: {incomplete}.")
    files = []
    for kind, file_address in scores_files(board, site):
        files.append(f"[{kind.title}]({site.address}{file_address})")
    return f"- [{title}]({address}): {' '.join(sentences)} {', '.join(files)}\n"


def _without_links(text: str) -> str:
    """Return a text on one line, without the characters of Markdown and HTML links."""
    return " ".join(text.translate(str.maketrans("[]<>", "()  ")).split())
