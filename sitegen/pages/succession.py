"""The replacement of a submission, on any track of its benchmark."""

from sitegen.board import Board, Entry
from sitegen.models.results import Bundle
from sitegen.pages import addresses
from sitegen.pages.addresses import Link


def replacement_of(board: Board, entry: Entry) -> Link | None:
    """Return a link to a submission's replacement, on any track; None if it was not superseded."""
    replacement_id = entry.status.by
    if entry.status.state != "superseded" or not replacement_id:
        return None
    for bundle in board.results.bundles:
        if bundle.id == replacement_id:
            return Link(replacement_id, bundle_address(board, bundle))
    return Link(replacement_id, "")


def bundle_address(board: Board, bundle: Bundle) -> str:
    """Return the address of a bundle's page, on any track of the benchmark."""
    track_addresses = addresses.BoardAddresses(board.benchmark.id, bundle.submission.track)
    return track_addresses.entry(bundle.id)
