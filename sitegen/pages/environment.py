"""Fills templates: autoescaped, and strict about what they name."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from sitegen.errors import counted
from sitegen.pages import addresses, labels
from sitegen.pages.charts import Draw, Drawing
from sitegen.pages.text import visible


@dataclass(frozen=True, slots=True)
class Page:
    """A generated page, before it is stamped into the shell.

    Attributes:
        address: Below the site's root, ending in `/`.
        title: Plain text.
        description: A sentence for search engines and previews.
        content: HTML.
    """

    address: str
    title: str
    description: str
    content: str


@dataclass(frozen=True, slots=True)
class Fragment:
    """A generated part of an authored page.

    Attributes:
        address: The page's.
        slot: Name of the place that the author left for it.
        content: HTML.
    """

    address: str
    slot: str
    content: str


@dataclass(frozen=True, slots=True)
class Crumb:
    """A step of the way down to a page."""

    title: str
    address: str


class Templates:
    """The templates of one project.

    Attributes:
        folder: Where they stand.
        draw: Draws charts; without, pages have their sentences and tables only.
    """

    def __init__(self, folder: Path, draw: Draw = lambda _: "") -> None:
        self._environment = Environment(
            loader=FileSystemLoader(folder),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=False,
        )
        self._environment.filters |= {"visible": visible, "counted": counted}
        self._environment.globals |= {"addresses": addresses, "labels": labels, "drawing": Drawing(draw)}

    def fill(self, template: str, address: str, values: Mapping[str, object]) -> str:
        """Fill a template for the page at an address."""
        return self._environment.get_template(template).render(root=addresses.root_of(address), **values)
