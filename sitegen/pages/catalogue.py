"""The description of all boards of a site as datasets."""

from markupsafe import Markup

from sitegen.pages.descriptions import Datasets
from sitegen.pages.environment import Templates
from sitegen.pages.site import SiteContent


def site_catalogue(address: str, site_content: SiteContent, templates: Templates) -> Markup:
    """Return the description of all boards of the site as datasets, for a page."""
    releases = [chapter.release for chapter in site_content.ledger.releases]
    datasets = Datasets(address, templates.site, releases)
    return datasets.catalogue(site_content.ledger.benchmarks)
