"""Write a site's machine-readable files: scores, releases, schemas, badges, citations and feeds."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from itertools import chain

from sitegen.board import Board, BoardEntry, Entry
from sitegen.board.comparison_file import comparison_file
from sitegen.board.every_eval_ever import aggregate_record
from sitegen.board.export import Json, release_json, releases_json, scores_json
from sitegen.board.history.ledger import Ledger
from sitegen.board.hugging_face import hub_results
from sitegen.board.outcomes_file import outcomes_files
from sitegen.board.rules import rules_json
from sitegen.board.tables import (
    Rows,
    rounds_csv,
    rounds_parquet,
    row_parquets,
    scores_csv,
    scores_parquet,
)
from sitegen.board.task_scores_file import has_choice_of_tasks, task_scores_file
from sitegen.models.release import Release
from sitegen.models.site import CSV, JSON, PARQUET, FileKind, Site
from sitegen.pages import addresses
from sitegen.pages.cache_keys import digest_of
from sitegen.pages.descriptions import (
    Datasets,
    guide_for_models,
    rounds_files,
    row_files,
    scores_files,
)
from sitegen.pages.environment import Templates
from sitegen.pages.kinds.releases import news_of
from sitegen.pages.sharing import badges_of, citation_of
from sitegen.pipeline.page_writer import PageWriter
from sitegen.publish.results.records import yaml_text
from sitegen.publish.site import feeds
from sitegen.publish.site.tree import SiteTree

GUIDE = "llms.txt"


def _json_scores(rows: Rows) -> bytes:
    return _indented_json(scores_json(rows)).encode()


def _csv_scores(rows: Rows) -> bytes:
    return scores_csv(rows).encode()


_SCORE_WRITERS: Mapping[FileKind, Callable[[Rows], bytes]] = {
    JSON: _json_scores,
    CSV: _csv_scores,
    PARQUET: scores_parquet,
}
"""Functions that return the scores of a board as a file, by kind of file."""


def write_data_files(ledger: Ledger, scores: Json, pages: PageWriter) -> None:
    """Write all machine-readable files."""
    tree = pages.frame.tree
    templates = pages.templates
    boards = list(chain.from_iterable(ledger.benchmarks))
    tree.write(addresses.SCORES, _indented_json(scores))
    tree.write(addresses.RULES, _compact_json(rules_json(boards)) + "\n")
    releases = [item.release for item in ledger.releases]
    for board in boards:
        _write_cached_files(board, releases, pages)
    tree.write(addresses.RELEASES, _indented_json(releases_json(ledger.releases)))
    for item in ledger.releases:
        name = addresses.release_file(item.release.date)
        tree.write(name, _indented_json(release_json(ledger, item)))
    _write_schemas(pages)
    _write_checksums(tree)
    feed = feeds.Feed(templates.site.name, templates.site.address, news_of(ledger))
    tree.write(feeds.ATOM_FEED, feed.atom())
    tree.write(feeds.JSON_FEED, feed.json())
    tree.write(GUIDE, guide_for_models(boards, templates.site))


def _write_cached_files(board: Board, releases: Sequence[Release], pages: PageWriter) -> None:
    """Write the files of a board and of its rows, or reuse them from the last build."""
    tree = pages.frame.tree
    cache = pages.frame.build_cache.cache
    key = pages.cache_key(board.benchmark.id, f"offer {board.track.id}", None)
    cache.group(key, tree, partial(_write_board_files, board, releases, tree, pages.templates))
    if PARQUET not in pages.templates.site.kinds:
        return
    for entry in board.all_entries:
        if entry.bundle:
            key = pages.frame.build_cache.inputs.digest_of_bundle(entry.bundle.path)
            if key:  # Without a key, the bundle may have changed.
                key = digest_of("parquet", board.track.id, key)
            cache.group(key, tree, partial(_write_row_tables, board, entry, tree))


def _write_board_files(
    board: Board, releases: Sequence[Release], tree: SiteTree, templates: Templates
) -> None:
    """Write the scores, rounds, descriptions, badges and citation of a board."""
    site = templates.site
    board_addresses = addresses.of(board)
    rows = board.board_entries
    for file_kind, address in scores_files(board, site):
        write_scores = _SCORE_WRITERS[file_kind]
        tree.write_bytes(address, write_scores(rows))
    for file_kind, address in rounds_files(board, site):
        write_rounds = rounds_csv if file_kind == CSV else rounds_parquet
        tree.write_bytes(address, write_rounds(board))
    table = _csv_scores(rows)
    croissant = Datasets(board_addresses.croissant, site, releases).croissant(board, table)
    tree.write(board_addresses.croissant, _compact_json(croissant) + "\n")
    for entry in board.all_entries:
        for link in row_files(board, entry):
            tree.write(link.address, _exported_row(link.address, board, entry, site))
    tree.write(board_addresses.compare_data, _compact_json(comparison_file(board)) + "\n")
    if has_choice_of_tasks(board):
        tree.write(board_addresses.task_scores, _compact_json(task_scores_file(board)) + "\n")
    for task, number, outcomes in outcomes_files(board):
        tree.write(board_addresses.outcomes(task, number), _compact_json(outcomes))
    for address, badge in badges_of(board, releases, templates):
        tree.write(address, badge)
    tree.write(board_addresses.citation, citation_of(board, None, releases, site.address).cff)


def _write_row_tables(board: Board, entry: Entry, tree: SiteTree) -> None:
    """Write the rounds and cases of a row as Parquet files."""
    for name, table in row_parquets(board, entry):
        tree.write_bytes(addresses.of(board).row_table(entry.id, name), table)


def _exported_row(address: str, board: Board, entry: Entry, site: Site) -> str:
    """Return a row without its rounds, in the format that the suffix of its address requires."""
    if address.endswith(".yaml"):
        (results,) = hub_results([BoardEntry(board, entry)], site, {}).values()
        return yaml_text(results)
    return _indented_json(aggregate_record(board, entry, site))


def _write_schemas(pages: PageWriter) -> None:
    """Write the JSON Schema of every kind of document."""
    schemas = pages.frame.build_cache.get_or_compute("schemas", _all_schemas)
    for kind, schema in schemas.items():
        pages.frame.tree.write(addresses.schema_file(kind), _indented_json(schema))


def _all_schemas() -> dict[str, Json]:
    # Most builds read the schemas from the cache.
    from sitegen.models.schemas import DOCUMENTS, schema_of  # noqa: PLC0415 - see above

    return {kind: schema_of(document) for kind, document in DOCUMENTS.items()}


def _write_checksums(tree: SiteTree) -> None:
    """Write the SHA-256 digest of every data file, in the format of `sha256sum`."""
    folder = (tree.root / addresses.CHECKSUMS).parent
    lines = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest = sha256(path.read_bytes()).hexdigest()
            name = path.relative_to(folder).as_posix()
            lines.append(f"{digest}  {name}\n")
    tree.write(addresses.CHECKSUMS, "".join(lines))


def _indented_json(document: Json) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _compact_json(document: object) -> str:
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False)
