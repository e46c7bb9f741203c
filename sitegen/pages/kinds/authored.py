"""The generated parts of other authored pages: data, API, changelog, and how to submit."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from sitegen.board import Board
from sitegen.models.site import PARQUET, Site
from sitegen.pages import addresses
from sitegen.pages.addresses import Link
from sitegen.pages.catalogue import site_catalogue
from sitegen.pages.days import day_events, grouped_by_day
from sitegen.pages.descriptions import scores_links
from sitegen.pages.environment import Fragment, Templates
from sitegen.pages.selection import boards_of_status
from sitegen.pages.site import SiteContent, authored_parts

_FOLDER_TITLES = {
    "": "Definition and findings",
    "reported": "Published tables, not recomputed",
    "tasks": "Task sets",
}
"""The titles of a benchmark's folders on the data page; a submission is listed by its id."""


@authored_parts
def data_parts(site_content: SiteContent, templates: Templates) -> Iterator[Fragment]:
    """Show the available downloads, and on the API page the formats that only some sites have."""
    shown = []
    for boards in site_content.ledger.benchmarks:
        benchmark = boards[0].benchmark
        private_tasks: set[str] = set()
        private_tasks.update(*(board.private_tasks for board in boards))
        raw_names = site_content.raw[benchmark.id]
        downloads = list(_downloads(boards, raw_names, templates.site))
        shown.append((benchmark, len(private_tasks), downloads))
    values = {"shown": shown, "catalogue": site_catalogue(addresses.DATA, site_content, templates)}
    yield Fragment(addresses.DATA, "files", templates.fill("data.html.j2", addresses.DATA, values))
    formats = {"has_parquet": PARQUET in templates.site.kinds}
    text = templates.fill("formats.html.j2", addresses.API, formats)
    yield Fragment(addresses.API, "formats", text)


def _downloads(
    boards: Sequence[Board], raw_names: Sequence[str], site: Site
) -> Iterator[tuple[str, Sequence[Link]]]:
    """Yield sets of files that can be downloaded from a benchmark, each with its title."""
    for board in boards:
        croissant = Link("Croissant", addresses.of(board).croissant)
        yield f"Scores of {board.track.title}", [*scores_links(board, site), croissant]
    folders: dict[str, list[Link]] = defaultdict(list)
    for name in raw_names:
        folder, _, file = name.rpartition("/")
        address = addresses.raw_address(boards[0].benchmark.id, name)
        folders[folder].append(Link(file, address))
    for folder, links in folders.items():
        yield _FOLDER_TITLES.get(folder) or folder.removeprefix("submissions/"), links


@authored_parts
def changelog_part(site_content: SiteContent, templates: Templates) -> Iterator[Fragment]:
    """Show the events on boards, day by day, the newest first."""
    days = grouped_by_day(day_events(site_content.boards))
    text = templates.fill("changelog.html.j2", addresses.CHANGELOG, {"days": days})
    yield Fragment(addresses.CHANGELOG, "days", text)


@authored_parts
def submit_parts(site_content: SiteContent, templates: Templates) -> Iterator[Fragment]:
    """Show the address of the leaderboard's repository, and the command for each track."""
    text = templates.fill("repository.html.j2", addresses.SUBMIT, {})
    yield Fragment(addresses.SUBMIT, "repository", text)
    current = boards_of_status(site_content.boards, "current")
    text = templates.fill("submit.html.j2", addresses.SUBMIT, {"boards": current})
    yield Fragment(addresses.SUBMIT, "tracks", text)
