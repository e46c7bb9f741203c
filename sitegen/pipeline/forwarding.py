"""Forward readers from former addresses of a site to current addresses."""

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from sitegen.models.addresses import file_of_former
from sitegen.models.benchmark import Renaming
from sitegen.pages import addresses
from sitegen.pages.environment import Templates
from sitegen.pipeline.evaluating import Evaluation
from sitegen.problems import UsageError
from sitegen.publish.site.stamping import add_policy
from sitegen.publish.site.tree import SiteTree
from sitegen.store.checks.redirects import hides

_PAGE = "index.html"
_TEMPLATE = "forwarding.html.j2"
"""The template of the page that is written at a former address."""


class _Move(NamedTuple):
    """A folder of the site, and its former address."""

    former: str
    current: str
    pattern: str
    """A pattern for `Path.glob` that matches the moved files in the folder."""


def forward(evaluation: Evaluation, tree: SiteTree, templates: Templates) -> None:
    """Write a page at every former address that forwards readers to the current address.

    Files that are not pages, such as badges, are copied to the former address. Forwarding also
    covers locked boards of releases (they are cited), rows of reported tables that a bundle
    replaced, and other spellings of agents. All other files of the site must be written first.

    Raises:
        UsageError: A redirect would hide a file, or would not lead to a page.
    """
    _write_redirects(evaluation, tree, templates)
    _forward_moved_pages(tree, templates)
    moves = (
        *_replaced_rows(evaluation),
        *_respelled_agents(evaluation),
        *_renamed_addresses(evaluation),
    )
    for move in moves:
        _forward_folder(move, tree, templates)


def _replaced_rows(evaluation: Evaluation) -> Iterator[_Move]:
    """Yield the rows of reported tables that other rows replaced."""
    for board in evaluation.all_boards():
        board_addresses = addresses.of(board)
        for former_id, successor in board.entry_by_line.items():
            former = board_addresses.entry(former_id).rstrip("/")
            current = board_addresses.entry(successor.id).rstrip("/")
            yield _Move(former, current, "*")


def _respelled_agents(evaluation: Evaluation) -> Iterator[_Move]:
    """Yield the addresses that agents would have if their other spellings were used."""
    listed_agents = {}
    for results in evaluation.results.benchmarks:
        for agent in results.benchmark.agents.agents:
            listed_agents[agent.name] = agent
    for agent in listed_agents.values():
        current = addresses.agent_address(agent.name).rstrip("/")
        for spelling in agent.spellings:
            former = addresses.agent_address(spelling).rstrip("/")
            if former != current:
                yield _Move(former, current, "*")


def _renamed_addresses(evaluation: Evaluation) -> Iterator[_Move]:
    """Yield the addresses that benchmarks renamed, on current boards and in each release.

    Longer addresses come first, so that a part is renamed before the address that contains it.
    """
    renamings: list[Renaming] = []
    for results in evaluation.results.benchmarks:
        renamings += results.benchmark.renamed
    renamings.sort(key=lambda renaming: len(renaming.old), reverse=True)
    days = [release.date for release in evaluation.results.releases]
    prefixes = ["", *map(addresses.release_address, days)]
    for renaming in renamings:
        for prefix in prefixes:
            yield _Move(f"{prefix}{renaming.old}", f"{prefix}{renaming.new}", "**/*")


def _forward_moved_pages(tree: SiteTree, templates: Templates) -> None:
    """Forward authored pages from the former addresses listed in the builder's settings.

    A page that the project does not have, for example because it only inherits the settings, is not
    forwarded.
    """
    for former, current in templates.site.moved:
        is_moved = tree.page(f"{current}/").is_file()
        if is_moved and not _hides_file(f"{former}/{_PAGE}", tree):
            page = templates.fill(_TEMPLATE, f"{former}/", {"new": f"{current}/"})
            tree.write(f"{former}/{_PAGE}", add_policy(page))


def _forward_folder(move: _Move, tree: SiteTree, templates: Templates) -> None:
    """Forward each file of a folder from its former address, unless that address is taken."""
    folder = tree.root / move.current
    for path in sorted(file for file in folder.glob(move.pattern) if file.is_file()):
        name = path.relative_to(folder).as_posix()
        former_name = f"{move.former}/{name}"
        if (tree.root / former_name).exists():
            continue
        if path.name != _PAGE:
            tree.copy(path, former_name)
            continue
        address = name.removesuffix(_PAGE)
        current = f"{move.current}/{address}"
        page = templates.fill(_TEMPLATE, f"{move.former}/{address}", {"new": current})
        tree.write(former_name, add_policy(page))


def _write_redirects(evaluation: Evaluation, tree: SiteTree, templates: Templates) -> None:
    """Write a page at each address of a former site that a benchmark's definition redirects.

    Redirects are not chained, since all targets must exist before the first redirect is written.

    Raises:
        UsageError: A file already exists at an address, or a target is not a page; the message
            lists all such faults.
    """
    pages: dict[str, str] = {}
    faults = []
    for results in evaluation.results.benchmarks:
        for redirect in results.benchmark.redirects:
            if redirect.new.split("/")[0] in evaluation.results.left_out:
                continue
            name = file_of_former(redirect.old)
            target = f"{redirect.new}/"
            source = f"{results.path.name}/benchmark.toml: `[[redirects]]` from {redirect.old}"
            if hides(name, set(pages)) or _hides_file(name, tree):
                faults.append(
                    f"{source}: the site already has a page there; a redirect may not hide it"
                )
            if not tree.page(target).is_file():
                faults.append(
                    f"{source} to {redirect.new}: the site has no such page; "
                    "name one by its address"
                )
            pages[name] = templates.fill(_TEMPLATE, name.removesuffix(_PAGE), {"new": target})
    if faults:
        raise UsageError("\n".join(faults))
    for name, page in pages.items():
        tree.write(name, add_policy(page))


def _hides_file(name: str, tree: SiteTree) -> bool:
    """Return whether a name is taken in the site, or has a file as one of its parents."""
    parents = PurePosixPath(name).parents
    is_below_file = any((tree.root / parent).is_file() for parent in parents)
    return is_below_file or (tree.root / name).exists()
