"""Building the site."""

from pathlib import Path
from urllib.parse import urlsplit

from sitegen.pipeline.collector import collector_off
from sitegen.pipeline.order import SILENT, Built, Order, Watch
from sitegen.publish.builder import Stub, building_authored, site_url
from sitegen.publish.project import Project
from sitegen.publish.tree import replacing
from sitegen.store.definitions import read_definitions


def build(folder: Path, project: Project, order: Order, watch: Watch = SILENT) -> Built:
    """Build the site of a results folder, and put it in the place of the old one when all went well.

    The builder works on the authored pages while the results are read.

    Args:
        folder: The results folder.
        project: The authored parts of the site.
        order: Where the site goes, and how it is made.
        watch: Who is told how it goes.

    Raises:
        ProblemsError: The results have errors, or hold nothing.
        BuilderError: The authored pages can't be built.
        LinkError: A link of the built site leads nowhere.
    """
    stubs = [Stub(each.id, each.title) for each in read_definitions(folder)]
    base = urlsplit(site_url(project)).path or "/"
    with (
        replacing(order.site) as (tree, work),
        collector_off(),
        building_authored(project, stubs, work, tree.root) as finish,
    ):
        from sitegen.pipeline.writing import Frame, write_site  # noqa: PLC0415 - half a second, in the builder's time

        return write_site(folder, Frame(tree, work, base, project.templates, stubs, finish), order, watch)
