"""The release that the boards would make as they are."""

from datetime import date

from sitegen.board.releases import release_of
from sitegen.models.release import Release
from sitegen.pipeline.judging import Judged
from sitegen.pipeline.program import program_version
from sitegen.store.releases import locked_files


def release_now(judged: Judged, day: date, title: str) -> Release:
    """Give the release that locks boards as they are.

    Args:
        judged: The results, whole.
        day: The release's date.
        title: What it is called; empty where it has only its date.
    """
    files = {
        (results.benchmark.id, bundle.id): locked_files(bundle)
        for results in judged.results.benchmarks
        for bundle in results.bundles
    }
    return release_of(judged.boards, files, day, title, program_version())
