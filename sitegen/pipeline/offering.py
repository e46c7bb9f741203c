"""Writing what the site offers to programs: scores, releases, their schemas and checksums, and the feeds."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence

from sitegen.board.board import Board
from sitegen.board.comparison_file import comparison_file
from sitegen.board.export import Json, release_json, releases_json, scores_json
from sitegen.board.ledger import Ledger
from sitegen.board.tables import Rows, scores_csv, scores_parquet
from sitegen.models.documents import DOCUMENTS, document_schema
from sitegen.models.release import Release
from sitegen.pages import addresses
from sitegen.pages.descriptions import guide_for_models, scores_files
from sitegen.pages.environment import CSV, JSON, PARQUET, FileKind, Templates
from sitegen.pages.kinds.releases import news_of
from sitegen.pages.sharing import badges_of, citation_of
from sitegen.publish import feeds
from sitegen.publish.tree import Tree

GUIDE = "llms.txt"


def offer(ledger: Ledger, scores: Json, tree: Tree, templates: Templates) -> None:
    """Write everything that programs read.

    Args:
        ledger: The books, with the boards.
        scores: The scores of every row.
        tree: Where it is written.
        templates: Where the templates stand, and what is known of the site.
    """
    releases = [each.release for each in ledger.releases]
    boards = [board for each in ledger.benchmarks for board in each]
    tree.write(addresses.SCORES, _text(scores))
    for board in boards:
        _offer_board(board, releases, tree, templates)
    _offer_releases(ledger, tree)
    for kind in DOCUMENTS:
        tree.write(addresses.schema_file(kind), _text(document_schema(kind)))
    _write_checksums(tree)
    feed = feeds.Feed(templates.site.name, templates.site.address, news_of(ledger))
    tree.write(feeds.ATOM, feed.atom())
    tree.write(feeds.JSON, feed.json())
    tree.write(GUIDE, guide_for_models(boards, templates.site))


def _offer_board(board: Board, releases: Sequence[Release], tree: Tree, templates: Templates) -> None:
    """Write a board's scores, how every two of its rows compare, its badges and how to cite it."""
    where, rows = addresses.of(board), [(board, entry) for entry in board.all_entries]
    for kind, address in scores_files(board, templates.site):
        tree.write_bytes(address, _WRITERS[kind](rows))
    compared = json.dumps(comparison_file(board), separators=(",", ":"), ensure_ascii=False)
    tree.write(where.compare_data, compared + "\n")
    for address, badge in badges_of(board, releases, templates):
        tree.write(address, badge)
    tree.write(where.citation, citation_of(board, None, releases, templates.site.address).cff)


def _scores_json(rows: Rows) -> bytes:
    return _text(scores_json(rows)).encode()


def _scores_csv(rows: Rows) -> bytes:
    return scores_csv(rows).encode()


_WRITERS: Mapping[FileKind, Callable[[Rows], bytes]] = {JSON: _scores_json, CSV: _scores_csv, PARQUET: scores_parquet}


def _offer_releases(ledger: Ledger, tree: Tree) -> None:
    tree.write(addresses.RELEASES, _text(releases_json(ledger.releases)))
    for each in ledger.releases:
        tree.write(addresses.release_file(each.release.date), _text(release_json(ledger, each)))


def _write_checksums(tree: Tree) -> None:
    """Write the checksum of every file beside it, as `sha256sum` does."""
    folder = (tree.root / addresses.CHECKSUMS).parent
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    lines = (
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}\n" for path in files
    )
    tree.write(addresses.CHECKSUMS, "".join(lines))


def _text(document: Json) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"
