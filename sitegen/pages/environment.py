"""Fills templates: autoescaped, and strict about what they name."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from sitegen.pages import addresses, labels
from sitegen.pages.charts import Draw, Drawing
from sitegen.pages.imprint import Imprint
from sitegen.pages.reports import Desk
from sitegen.pages.text import escaped, visible
from sitegen.problems import counted


@dataclass(frozen=True, slots=True)
class Page:
    """A generated page, before it is stamped into the shell.

    Attributes:
        address: Below the site's root, ending in `/`.
        title: Plain text.
        description: A sentence for search engines and previews.
        content: HTML.
        hosts: Origins that its scripts may ask once a reader wants it, such as `https://example.org`.
        is_landing: Whether readers arrive here from elsewhere, and have no file of the site yet.
        card: Address of the picture that other sites show where somebody links to it.
        pictured: What is to be read on that picture.
    """

    address: str
    title: str
    description: str
    content: str
    hosts: tuple[str, ...] = ()
    is_landing: bool = False
    card: str = addresses.SITE_CARD
    pictured: str = "What this site is called, and what it holds"


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


class Crumb(NamedTuple):
    """A step of the way down to a page."""

    title: str
    address: str


class _Template(Template):
    """A template that makes no object of every value that it escapes: for long pages that takes as long as the rest."""

    @classmethod
    def from_code(cls, environment: Environment, code: CodeType, *settings: Any) -> Template:  # noqa: ANN401 - passed on
        """Make a template of its compiled code, in which `escape` is the name of a global."""
        template = super().from_code(environment, code, *settings)
        template.root_render_func.__globals__["escape"] = escaped
        return template


class _Environment(Environment):
    template_class = _Template


class Templates:
    """The templates of one project.

    Attributes:
        folder: Where they stand.
        draw: Draws charts; without, pages have their sentences and tables only.
        imprint: What is known of the site.
    """

    def __init__(self, folder: Path, draw: Draw = lambda _: "", imprint: Imprint | None = None) -> None:
        self.imprint = imprint or Imprint()
        self.site = self.imprint.site
        self._environment = _Environment(
            loader=FileSystemLoader(folder),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=False,
            auto_reload=False,
        )
        self._environment.filters |= {"visible": visible, "counted": counted}
        self._environment.globals |= {"addresses": addresses, "labels": labels, "drawing": Drawing(draw)}
        self._environment.globals["desk"] = Desk(self.site or "/")

    def ready(self) -> None:
        """Read every template now, so that processes that are forked from here on need not."""
        for name in self._environment.list_templates():
            self._environment.get_template(name)

    def fill(self, template: str, address: str, values: Mapping[str, object]) -> str:
        """Fill a template for the page at an address."""
        return self._environment.get_template(template).render(root=addresses.root_of(address), **values)
