"""The shell that generated pages are stamped into, cut once from a page that the builder made."""

import html
import re
from dataclasses import dataclass

from sitegen.errors import BuilderError

_SLOT = re.compile(r"@@(title|description|address|content)@@")
_RELATIVE = re.compile(r'(\s(?:href|src|action)=")(?![a-z][a-z0-9+.-]*:|[/#?"])')
_BASE = re.compile(r'("(?:base|search)":\s*")(\.\.)')


@dataclass(frozen=True, slots=True)
class Shell:
    """A page of the theme with four slots: title, description, address and content.

    Attributes:
        parts: The page's text, cut at its slots.
        slots: Names of the slots between the parts.
    """

    parts: tuple[str, ...]
    slots: tuple[str, ...]

    def stamp(self, title: str, description: str, address: str, content: str) -> str:
        """Make a page.

        Args:
            title: Plain text.
            description: Plain text.
            address: Below the site's root.
            content: HTML.
        """
        fill = {
            "title": html.escape(title),
            "description": html.escape(description),
            "address": html.escape(address),
            "content": content,
        }
        pieces = [piece for part, slot in zip(self.parts, self.slots, strict=False) for piece in (part, fill[slot])]
        return "".join((*pieces, self.parts[-1]))

    def deeper(self, levels: int) -> "Shell":
        """Give the same shell for pages that many folders further down: its links climb as many more."""
        up = "../" * levels
        parts = [_RELATIVE.sub(rf"\g<1>{up}", part) for part in self.parts]
        return Shell(tuple(_BASE.sub(rf"\g<1>{up}\g<2>", part) for part in parts), self.slots)


def cut_shell(page: str) -> Shell:
    """Cut a shell from a built stub.

    Raises:
        BuilderError: The page has no slot for content.
    """
    pieces = _SLOT.split(page)
    shell = Shell(tuple(pieces[::2]), tuple(pieces[1::2]))
    if "content" not in shell.slots:
        raise BuilderError("the theme's stub.html has no @@content@@ slot, so no page can be stamped into it")
    return shell
