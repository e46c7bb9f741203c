"""Fills templates, which escape values, reject undefined names, and share every page's values."""

import marshal
from collections.abc import Mapping
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined, Template
from jinja2.bccache import Bucket

from sitegen.board.wording import value_title
from sitegen.models.site import Site
from sitegen.pages import addresses, labels
from sitegen.pages.charts import Draw, Drawing
from sitegen.pages.reports import ReportLinks
from sitegen.problems import counted, part_of, plural

TemplateValues = Mapping[str, object]
"""The values for a template, by name; the template's first line lists the names it needs."""


class Fragment(NamedTuple):
    """A generated part of an authored page, as HTML, for the slot that its author marked.

    The slot `title` is the page's first heading.
    """

    address: str
    """Address of the page."""
    slot: str
    content: str


class _FastTemplate(Template):
    """A template that creates no object for each value that it escapes.

    On long pages, creating those objects takes as long as everything else.
    """

    @classmethod
    def from_code(cls, environment: Environment, code: CodeType, *settings: Any) -> Template:  # noqa: ANN401 - passed on
        """Return a template from its compiled code, with a faster `escape` among its globals."""
        template = super().from_code(environment, code, *settings)
        template.root_render_func.__globals__["escape"] = labels.escaped
        return template


class _FastEnvironment(Environment):
    template_class = _FastTemplate


class _CompiledTemplates(BytecodeCache):
    """The templates that this process has compiled; `serve` reuses them for later builds."""

    def __init__(self) -> None:
        self._code: dict[tuple[str, str], CodeType | None] = {}

    def get_cache_key(self, name: str, filename: str | None = None) -> str:  # noqa: ARG002 - the name is enough
        return name

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._code.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._code[bucket.key, bucket.checksum] = bucket.code

    def load(self, data: memoryview) -> None:
        """Add templates that another process of the same Python has compiled."""
        self._code |= marshal.loads(data)  # noqa: S302 - sealed by a build on this machine

    def dump(self) -> bytes:
        """Return all compiled templates, for another process of the same Python."""
        return marshal.dumps(self._code)


COMPILED = _CompiledTemplates()


class Templates:
    """The templates of one project, loaded from a folder.

    Attributes:
        site: The settings of the site.
    """

    def __init__(self, folder: Path, draw: Draw = lambda _: "", site: Site | None = None) -> None:
        """Prepare the templates; without `draw`, pages have no drawings of charts."""
        self.site = site or Site()
        self._environment = _FastEnvironment(
            loader=FileSystemLoader(folder),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=False,
            auto_reload=False,
            bytecode_cache=COMPILED,
        )
        self._environment.filters |= {
            "visible": labels.visible,
            "coded": labels.coded,
            "value_title": value_title,
            "counted": counted,
            "plural": plural,
            "part_of": part_of,
        }
        self._environment.globals |= {
            "addresses": addresses,
            "labels": labels,
            "site": self.site,
            "drawing": Drawing(draw),
            "desk": ReportLinks(self.site.address or "/"),
        }

    def preload(self) -> None:
        """Load every template, so that processes that are forked later need not load them."""
        for name in self._environment.list_templates():
            self._environment.get_template(name)

    def fill(self, template: str, address: str, values: TemplateValues) -> str:
        """Return a template filled with values, for the page at an address."""
        root = addresses.root_of(address)
        return self._environment.get_template(template).render(root=root, **values)
