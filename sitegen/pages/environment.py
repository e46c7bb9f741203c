"""Fills templates: autoescaped, strict about what they name, and with what every page knows of its site."""

import marshal
from collections.abc import Mapping
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined, Template
from jinja2.bccache import Bucket

from sitegen.models.site import Site
from sitegen.pages import addresses, labels
from sitegen.pages.charts import Draw, Drawing
from sitegen.pages.reports import Desk
from sitegen.problems import counted, part_of, plural


class Fragment(NamedTuple):
    """A generated part of an authored page: the page's address, the slot that its author left for it, and HTML.

    The slot `title` is the page's first heading.
    """

    address: str
    slot: str
    content: str


class _Template(Template):
    """A template that makes no object of every value that it escapes: for long pages that takes as long as the rest."""

    @classmethod
    def from_code(cls, environment: Environment, code: CodeType, *settings: Any) -> Template:  # noqa: ANN401 - passed on
        """Make a template of its compiled code, in which `escape` is the name of a global."""
        template = super().from_code(environment, code, *settings)
        template.root_render_func.__globals__["escape"] = labels.escaped
        return template


class _Environment(Environment):
    template_class = _Template


class _Compiled(BytecodeCache):
    """Templates that this process has compiled: `serve` builds again and again, with the same ones."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], CodeType | None] = {}

    def get_cache_key(self, name: str, filename: str | None = None) -> str:  # noqa: ARG002 - where it lies is no matter
        return name

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._kept.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._kept[bucket.key, bucket.checksum] = bucket.code

    def load(self, data: memoryview) -> None:
        """Take over what another process compiled, of the same Python."""
        self._kept |= marshal.loads(data)  # noqa: S302 - sealed by a build that was made here

    def dump(self) -> bytes:
        """Give all that is compiled to another process, of the same Python."""
        return marshal.dumps(self._kept)


COMPILED = _Compiled()


class Templates:
    """The templates of one project, which stand in a folder.

    Attributes:
        draw: Draws charts; without, pages have their sentences and tables only.
        site: What is known of the site.
    """

    def __init__(self, folder: Path, draw: Draw = lambda _: "", site: Site | None = None) -> None:
        self.site = site or Site()
        self._environment = _Environment(
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
            "counted": counted,
            "plural": plural,
            "part_of": part_of,
        }
        self._environment.globals |= {
            "addresses": addresses,
            "labels": labels,
            "site": self.site,
            "drawing": Drawing(draw),
            "desk": Desk(self.site.address or "/"),
        }

    def ready(self) -> None:
        """Read every template now, so that processes that are forked from here on need not."""
        for name in self._environment.list_templates():
            self._environment.get_template(name)

    def fill(self, template: str, address: str, values: Mapping[str, object]) -> str:
        """Fill a template for the page at an address."""
        return self._environment.get_template(template).render(
            root=addresses.root_of(address), **values
        )
