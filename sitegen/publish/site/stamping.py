"""Insert generated content into a shell cut from a built page, and add a policy to every page.

The policy in a page's head says what the page may load and run, and lists its inline scripts by
hash. Browsers enforce it, so hostile text in results can neither run nor send anything.
Placeholders are replaced with text from the results only after the policy is computed. Start with
`cut_shell` and `Shell.fill`.
"""

import base64
import hashlib
import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from sitegen.models.site import Page
from sitegen.problems import BuilderError

CHARSET = '<meta charset="utf-8">'
"""The first element in the head of a page, as the theme writes it; the policy follows."""

_POLICY_START = '<meta http-equiv="Content-Security-Policy" content="'
_HOSTS_BLANK = "@@hosts@@"
_BOARD_DEPTH = 2
"""The number of folders in the address of a board, such as `demo/main/`."""
_CLIMB = "@@up@@"
"""The placeholder for the path from a shell's links to the root."""
_BLANK = re.compile(r"@@(title|description|address|content|hosts|card|pictured)@@")
_TEXT_BLANKS = ("title", "description", "address", "card", "pictured")
"""Names of the placeholders for plain text, which is escaped."""
TITLE_SLOT = "title"
"""The slot of an authored page that needs no `<div data-slot>`: the page's first heading."""

_TITLE = re.compile(r"<h1([^>]*)>.*?</h1>", re.DOTALL)
_MARK = re.compile(r"@@text-((?:[0-9a-f]{2})*)@@")

# The lookahead finds the start of a match quickly, which matters on long pages.
RELATIVE = re.compile(r'(?=[\su])(\s(?:href|src|action)="|\burl\()(?![a-z][a-z0-9+.-]*:|[/#?"])')
_BASE = re.compile(r'("(?:base|search)":\s*"|new URL\(")(\.\.)')

PALETTE = re.compile(r'\s*<link rel="stylesheet" href="[^"]*/palette\.[^"]*">')
"""The theme's colours, which generated pages do not load because they use the site's own."""

_LINE_BREAK = re.compile(r"\s*\n\s*")

_HOST = re.compile(r"https?://[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?")
_ATTRIBUTES = r'(?:\s+[\w-]+(?:="[^"]*")?)*'
_INLINE_SCRIPT = re.compile(
    rf'<script(?!{_ATTRIBUTES}\s+src=")(?!\w)(?P<attributes>[^>]*)>(?P<text>.*?)</script',
    re.DOTALL | re.IGNORECASE,
)
STYLES_ALLOWED = "style-src 'self'"
_INLINE_STYLE = re.compile(r"<style>(?P<text>.*?)</style>", re.DOTALL)
_DATA_BLOCK = re.compile(r'(?: id="\w+")? type="application/(?:ld\+)?json"')
_MAX_QUOTED_LENGTH = 80


@dataclass(frozen=True, slots=True)
class Shell:
    """A page of the theme with blanks (`@@NAME@@`) for the values of a generated page."""

    texts: tuple[str, ...]
    """The text of the page, split at its blanks."""
    blanks: tuple[str, ...]
    """The names of the blanks between the texts."""

    def fill(self, page: Page) -> str:
        """Return the HTML of a page.

        Raises:
            BuilderError: A host of the page is not an origin, and might change the policy.
        """
        for host in page.hosts:
            if not _HOST.fullmatch(host):
                raise BuilderError(f"{host!r} is not an origin, such as https://example.org")
        values = {name: html.escape(getattr(page, name)) for name in _TEXT_BLANKS}
        values["content"] = _shorten_links(page)
        values["hosts"] = "".join(f" {host}" for host in page.hosts)
        *texts, last_text = self.texts
        pieces: list[str] = []
        for text, blank in zip(texts, self.blanks, strict=True):
            pieces += (text, values[blank])
        return "".join((*pieces, last_text))


def _shorten_links(page: Page) -> str:
    """Return the content of a page with shorter links to other pages of its board.

    A site may have millions of such links. On the page `demo/main/tasks/a/`, the link
    `../../../../demo/main/agents/` becomes `../../agents/`.
    """
    *folders, _page_file = page.address.split("/")
    board = folders[:_BOARD_DEPTH]
    climb_to_board = "../" * len(folders[_BOARD_DEPTH:])
    if not climb_to_board:
        return page.content
    climb_to_root = "../" * len(folders)
    board_from_root = f"{climb_to_root}{'/'.join(board)}/"
    return page.content.replace(f'href="{board_from_root}', f'href="{climb_to_board}')


def cut_shell(page: str, levels: int = 0) -> Shell:
    """Cut a shell from a built stub, and add a policy for its scripts.

    Args:
        page: The stub, with placeholders from `mark_text` in place of text from results.
        levels: How many folders the shell's pages are deeper than the stub; relative links are
            extended accordingly.

    Raises:
        BuilderError: The page has no blank for content.
    """
    deepened = _mark_climbs(page).replace(_CLIMB, "../" * levels)
    pieces = _BLANK.split(add_policy(deepened, _HOSTS_BLANK))
    texts = tuple(map(insert_marked_texts, pieces[::2]))
    shell = Shell(texts, tuple(pieces[1::2]))
    if "content" not in shell.blanks:
        raise BuilderError(
            "the theme's stub.html has no @@content@@ slot, so no page can be stamped into it"
        )
    return shell


@lru_cache(maxsize=1)
def _mark_climbs(page: str) -> str:
    """Return a stub with placeholders for the path to the root; it is the same for every depth.

    One inline script of the theme contains this path, such as `"base": "..",`, and gets a
    placeholder as well. The script thus depends on a page's depth and never on results, so that the
    policy never allows a script that contains text from results.
    """
    without_breaks = _LINE_BREAK.sub("\n", page)
    with_marked_links = RELATIVE.sub(rf"\g<1>{_CLIMB}", without_breaks)
    return _BASE.sub(rf"\g<1>{_CLIMB}\g<2>", with_marked_links)


def mark_text(text: str) -> str:
    """Return a placeholder for a text from results, which a builder does not interpret."""
    return f"@@text-{text.encode().hex()}@@"


def insert_marked_texts(page: str) -> str:
    """Return HTML with each placeholder from `mark_text` replaced by its escaped text."""
    return _MARK.sub(_marked_text, page)


def _marked_text(mark: re.Match[str]) -> str:
    return html.escape(bytes.fromhex(mark[1]).decode())


def fill_slot(page: str, slot: str, content: str) -> str:
    """Return a page with HTML in its slot `<div data-slot="NAME"></div>`, or in place of its title.

    An author's text in a slot is for readers of the source, and is replaced. A title keeps its
    attributes, because links lead to it.
    """
    if slot == TITLE_SLOT:
        return _TITLE.sub(lambda title: content.replace("<h1", f"<h1{title[1]}", 1), page, count=1)
    return re.sub(f'<div data-slot="{slot}">.*?</div>', lambda _: content, page, flags=re.DOTALL)


def add_policy(skeleton: str, hosts: str = "") -> str:
    """Return a page with a policy at the start of its head that allows its inline scripts.

    Args:
        skeleton: The page without any text from results.
        hosts: Origins that scripts may connect to, each preceded by a space; or a placeholder for
            them.

    Raises:
        BuilderError: The page has no head for a policy.
    """
    before, charset, after = skeleton.partition(CHARSET)
    if not charset:
        raise BuilderError(
            f"the theme's pages do not begin with {CHARSET}, so they can't be given a policy"
        )
    script_hashes = format_hashes(_inline_scripts(skeleton))
    style_hashes = format_hashes(match["text"] for match in _INLINE_STYLE.finditer(skeleton))
    directives = (
        "default-src 'none'",
        f"script-src 'self'{script_hashes}",
        f"{STYLES_ALLOWED}{style_hashes}",
        "style-src-attr 'unsafe-inline'",  # bar lengths
        "img-src 'self' data:",  # icons of the theme
        "font-src 'self'",
        f"connect-src 'self'{hosts}",
        "worker-src 'self'",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
    )
    policy = "; ".join(directives)
    return f'{before}{charset}\n  {_POLICY_START}{policy}">{after}'


def require_known_scripts(name: str, page: str) -> None:
    """Check that all inline scripts of a finished page are listed in its policy.

    Raises:
        BuilderError: A script is not listed, so text from results may have become a script.
    """
    policy = page.partition(_POLICY_START)[2].partition('"')[0]
    for script in _inline_scripts(page):
        if _policy_hash(script) not in policy:
            quoted = repr(script.strip()[:_MAX_QUOTED_LENGTH])
            raise BuilderError(
                f"{name} has a script that is none of the theme's, so its policy does not name it; "
                f"move it into a file if a template has it: {quoted}"
            )


def _inline_scripts(page: str) -> Iterator[str]:
    """Yield a page's inline scripts; data blocks do not run and need no hash."""
    for match in _INLINE_SCRIPT.finditer(page):
        if not _DATA_BLOCK.fullmatch(match["attributes"]):
            yield match["text"]


def format_hashes(texts: Iterable[str]) -> str:
    """Return the hashes of distinct texts in the format of a policy."""
    return "".join(f" 'sha256-{_policy_hash(text)}'" for text in dict.fromkeys(texts))


def _policy_hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
