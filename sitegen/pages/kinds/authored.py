"""The generated parts of other authored pages: data, API, changelog, and how to submit."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from sitegen.board import Board, Entry
from sitegen.models.site import PARQUET, Site
from sitegen.pages import addresses
from sitegen.pages.addresses import Link, board_link
from sitegen.pages.catalogue import site_catalogue
from sitegen.pages.descriptions import scores_links
from sitegen.pages.environment import Fragment, Templates
from sitegen.pages.selection import boards_of_status
from sitegen.pages.site import SiteContent, authored_parts
from sitegen.problems import grouped

_ChangedRow = tuple[Entry, str, str]
"""A row that entered or left a board, with its name and address."""


@authored_parts
def data_parts(site_content: SiteContent, templates: Templates) -> Iterator[Fragment]:
    """Show what can be downloaded, and on the API page the formats that only some sites have."""
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
    """Yield sets of files of a benchmark that can be downloaded, each with its title."""
    for board in boards:
        croissant = Link("Croissant", addresses.of(board).croissant)
        yield f"Scores of {board.track.title}", [*scores_links(board, site), croissant]
    folders: dict[str, list[Link]] = defaultdict(list)
    for name in raw_names:
        folder, _, file = name.rpartition("/")
        address = addresses.raw_address(boards[0].benchmark.id, name)
        folders[folder or "Definition and findings"].append(Link(file, address))
    for folder, links in folders.items():
        yield folder.removeprefix("submissions/"), links


@authored_parts
def changelog_part(site_content: SiteContent, templates: Templates) -> Iterator[Fragment]:
    """Show what entered and left the boards, newest first."""
    rows_by_event: dict[tuple[str, str, str, Link], list[_ChangedRow]] = defaultdict(list)
    for board in site_content.boards:
        link = board_link(board)
        for entry in board.all_entries:
            status = entry.status
            name = board.names.get(entry.id, entry.agent.name)
            row = (entry, name, addresses.of(board).entry(entry.id))
            entered = "Published scores on" if entry.table_line else "New on"
            rows_by_event[str(entry.date), entered, "", link].append(row)
            if not entry.is_published and status.date:
                left = "Withdrawn from" if status.state == "withdrawn" else "Superseded on"
                rows_by_event[str(status.date), left, status.reason or "", link].append(row)
    events = rows_by_event.items()
    dated_events = []
    for (day, text, reason, link), rows in events:
        dated_events.append((day, (link, text, reason, rows)))
    events_by_day = grouped(dated_events)
    days = sorted(events_by_day.items(), key=lambda item: item[0], reverse=True)
    text = templates.fill("changelog.html.j2", addresses.CHANGELOG, {"days": days})
    yield Fragment(addresses.CHANGELOG, "days", text)


@authored_parts
def submit_parts(site_content: SiteContent, templates: Templates) -> Iterator[Fragment]:
    """Show how to submit results to each track that takes them."""
    current = boards_of_status(site_content.boards, "current")
    text = templates.fill("submit.html.j2", addresses.SUBMIT, {"boards": current})
    yield Fragment(addresses.SUBMIT, "tracks", text)
