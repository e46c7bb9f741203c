"""Building the site."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import msgspec

from sitegen.models.benchmark import AGENTS, benchmarks_by_group
from sitegen.models.site import CSV, JSON, PARQUET
from sitegen.pipeline.known import Known
from sitegen.pipeline.order import SILENT, Built, Order, Watch
from sitegen.problems import UsageError
from sitegen.publish.builder import Slotted, Stub, building_authored, settings_in, site_in
from sitegen.publish.cache import Record, cache_in, told_of
from sitegen.publish.edition import public_edition
from sitegen.publish.inputs import Inputs
from sitegen.publish.project import Project
from sitegen.publish.site import Tree, replacing
from sitegen.publish.transaction import files_below, remove_leftovers, scratch_home
from sitegen.store.benchmarks import read_definitions
from sitegen.store.releases import release_titles
from sitegen.store.revision import added_in


def build(folder: Path, project: Project, order: Order, watch: Watch = SILENT) -> Built:
    """Build the site of a results folder, and put it in the place of the old one when all went well.

    The builder works on the authored pages while the results are read. Where nothing has changed since the last build,
    nothing is done.

    Raises:
        UsageError: Parquet is asked for, and the library that writes it is not installed; or the site would lie in the
            results, or they in the site; or the settings name a lead that is none.
        ProblemsError: The results have errors, or hold nothing.
        BuilderError: The authored pages can't be built.
        LinkError: A link of the built site leads nowhere.
    """
    if order.has_parquet and find_spec("pyarrow") is None:
        raise UsageError(
            "--parquet needs pyarrow, which is absent; `pip install pyarrow` brings it"
        )
    site, results = (Path(os.path.realpath(each)) for each in (order.site, folder))
    if site.is_relative_to(results) or results.is_relative_to(site):
        raise UsageError(
            f"{order.site} and {folder} lie in each other, and a site is replaced as a whole; name another"
        )
    with (
        cache_in(order.cache, site, results) as cache,
        cache.room("edition") as room,
        public_edition(folder, order.day, room) as (edition, at_home),
    ):
        inputs = Inputs.read(project, Path(os.path.realpath(edition)))
        whole = inputs.whole(
            folder,
            replace(order, jobs=1, scheduler=""),
            added_in(folder),
            os.environ.get("SOURCE_DATE_EPOCH"),
        )
        remove_leftovers(scratch_home(site))
        if found := cache.last(whole):
            pages, problems = found
            return Built(order.site, pages, list(map(at_home, problems)), cache.sizes)
        built = _build(edition, order, watch, Known(cache, inputs))
        if inputs.are_as_read():
            cache.keep(Record(whole, built.pages, told_of(built.problems)))
        else:  # who knows what was made of which
            cache.forget()
        return replace(built, problems=list(map(at_home, built.problems)), sizes=cache.sizes)


def _build(folder: Path, order: Order, watch: Watch, known: Known) -> Built:
    """Build the site of a results folder, whatever stands there."""
    told = [
        each for group in benchmarks_by_group(read_definitions(folder)).values() for each in group
    ]
    stubs = [
        *(Stub(each.id, each.title, each.group or "", each.group_anchor) for each in told),
        Stub(AGENTS),
    ]
    slotted = []
    for day, title in release_titles(folder).items():
        name = day if title == day else f"{title}, {day}"
        slotted.append(Slotted(f"changelog/{day}.md", name, "release", "changelog/index.md"))
    with replacing(order.site) as (tree, work):
        project = known.inputs.project.whole(work)
        with _authored(project, (stubs, slotted), work, tree, known) as finish:
            from sitegen.pipeline.writing import Frame, write_site  # noqa: PLC0415 - half a second, in the builder's time

            site = site_in(
                settings_in(project.settings),
                (JSON, CSV, PARQUET) if order.has_parquet else (JSON, CSV),
            )
            return write_site(
                folder,
                Frame(tree, work, project.templates, stubs, finish, site, known),
                order,
                watch,
            )


@contextmanager
def _authored(
    project: Project,
    pages: tuple[Sequence[Stub], Sequence[Slotted]],
    work: Path,
    tree: Tree,
    known: Known,
) -> Iterator[Callable[[], None]]:
    """Start to build the authored pages, or put in place what the last build made of the same ones: see the builder."""
    name = known.inputs.authored(pages, os.environ.get("SOURCE_DATE_EPOCH"))
    last = known.cache.get(name)
    if last:
        files: dict[str, bytes] = msgspec.msgpack.decode(last)

        def put() -> None:
            for file in files.items():
                tree.write_bytes(*file)

        yield put
        return
    with building_authored(project, *pages, work, tree.root) as finish:

        def keep() -> None:
            finish()
            made = {name: (tree.root / name).read_bytes() for name in files_below(tree.root)}
            known.cache.put(name, msgspec.msgpack.encode(made))

        yield keep
