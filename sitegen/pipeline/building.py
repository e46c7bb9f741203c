"""Building the site."""

import os
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from sitegen.pipeline.order import SILENT, Built, Order, Watch
from sitegen.problems import UsageError
from sitegen.publish.builder import Slotted, Stub, building_authored, settings_in
from sitegen.publish.cache import cache_in, inputs_digest
from sitegen.publish.project import Project
from sitegen.publish.site import replacing
from sitegen.publish.transaction import remove_leftovers, scratch_home
from sitegen.store.benchmarks import read_definitions
from sitegen.store.releases import release_titles
from sitegen.store.revision import added_in


def build(folder: Path, project: Project, order: Order, watch: Watch = SILENT) -> Built:
    """Build the site of a results folder, and put it in the place of the old one when all went well.

    The builder works on the authored pages while the results are read. Where nothing has changed since the last build,
    nothing is done.

    Args:
        folder: The results folder.
        project: The authored parts of the site.
        order: Where the site goes, and how it is made.
        watch: Who is told how it goes.

    Raises:
        UsageError: Parquet is asked for, and the library that writes it is not installed; or the site would lie in the
            results, or they in the site; or the settings name a lead that is none.
        ProblemsError: The results have errors, or hold nothing.
        BuilderError: The authored pages can't be built.
        LinkError: A link of the built site leads nowhere.
    """
    if order.has_parquet and find_spec("pyarrow") is None:
        raise UsageError("--parquet needs pyarrow, which is absent; `pip install 'recountboard[parquet]'` brings it")
    site, results = (Path(os.path.realpath(each)) for each in (order.site, folder))
    if site.is_relative_to(results) or results.is_relative_to(site):
        raise UsageError(
            f"{order.site} and {folder} lie in each other, and a site is replaced as a whole; name another"
        )
    with cache_in(order.cache, site, results) as cache:
        asked = (str(folder), replace(order, jobs=1), os.environ.get("SOURCE_DATE_EPOCH"))
        inputs = inputs_digest(project, results, added_in(folder), asked)
        remove_leftovers(scratch_home(site))
        if found := cache.last(inputs):
            return Built(order.site, *found)
        built = _build(folder, project, order, watch)
        cache.keep(inputs, built.pages, built.problems)
    return built


def _build(folder: Path, project: Project, order: Order, watch: Watch) -> Built:
    """Build the site of a results folder, whatever stands there."""
    stubs = [Stub(each.id, each.title) for each in read_definitions(folder)]
    slotted = []
    for day, title in release_titles(folder).items():
        name = day if title == day else f"{title}, {day}"
        slotted.append(Slotted(f"changelog/{day}.md", name, "release", "changelog/index.md"))
    with replacing(order.site) as (tree, work):
        parts = project.whole(work)
        settings = settings_in(parts.settings)
        with building_authored(parts, stubs, slotted, work, tree.root) as finish:
            from sitegen.pipeline.writing import Frame, write_site  # noqa: PLC0415 - half a second, in the builder's time

            address = str(settings.get("site_url") or "").rstrip("/")
            name = str(settings.get("site_name") or "Recount")
            extra = settings.get("extra")
            lead = str(extra.get("lead") or "").strip("/") if isinstance(extra, dict) else ""
            frame = Frame(tree, work, parts.templates, stubs, finish, f"{address}/" if address else "", name, lead)
            return write_site(folder, frame, order, watch)
