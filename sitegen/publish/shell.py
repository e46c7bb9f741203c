"""The shell that generated pages are stamped into, cut once from a page that the builder made."""

import html
import re
from dataclasses import dataclass
from typing import Protocol

from sitegen.problems import BuilderError
from sitegen.publish.policy import HOSTS_SLOT, asked_hosts, guarded
from sitegen.publish.slots import unmarked

_SLOT = re.compile(r"@@(title|description|address|content|hosts|card|pictured)@@")
_RELATIVE = re.compile(r'(\s(?:href|src|action)=")(?![a-z][a-z0-9+.-]*:|[/#?"])')
_BASE = re.compile(r'("(?:base|search)":\s*"|\bnew URL\(")(\.\.)')


class Stamped(Protocol):
    """What is stamped into a shell."""

    @property
    def title(self) -> str:
        """Plain text."""

    @property
    def description(self) -> str:
        """Plain text."""

    @property
    def address(self) -> str:
        """Below the site's root."""

    @property
    def card(self) -> str:
        """Below the site's root: a picture that stands for the page elsewhere."""

    @property
    def pictured(self) -> str:
        """Plain text: what is to be read on the picture."""

    @property
    def content(self) -> str:
        """HTML."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """Origins that the page's scripts may ask."""


@dataclass(frozen=True, slots=True)
class Shell:
    """A page of the theme with slots for what a `Stamped` has.

    Attributes:
        parts: The page's text, cut at its slots.
        slots: Names of the slots between the parts.
    """

    parts: tuple[str, ...]
    slots: tuple[str, ...]

    def stamp(self, page: Stamped) -> str:
        """Make a page."""
        fill = {
            "title": html.escape(page.title),
            "description": html.escape(page.description),
            "address": html.escape(page.address),
            "card": html.escape(page.card),
            "pictured": html.escape(page.pictured),
            "content": page.content,
            "hosts": asked_hosts(page.hosts),
        }
        pieces = [piece for part, slot in zip(self.parts, self.slots, strict=False) for piece in (part, fill[slot])]
        return "".join((*pieces, self.parts[-1]))


def cut_shell(page: str, levels: int = 0) -> Shell:
    """Cut a shell from a built stub, with a policy for the scripts that are in it.

    Args:
        page: The stub, with texts of the results as marks.
        levels: How many folders further down the shell's pages stand: its links climb as many more.

    Raises:
        BuilderError: The page has no slot for content.
    """
    pieces = _SLOT.split(guarded(_deepened(page, levels), HOSTS_SLOT))
    shell = Shell(tuple(map(unmarked, pieces[::2])), tuple(pieces[1::2]))
    if "content" not in shell.slots:
        raise BuilderError("the theme's stub.html has no @@content@@ slot, so no page can be stamped into it")
    return shell


def _deepened(page: str, levels: int) -> str:
    up = "../" * levels
    return _BASE.sub(rf"\g<1>{up}\g<2>", _RELATIVE.sub(rf"\g<1>{up}", page))
