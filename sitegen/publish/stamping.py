"""Stamps generated pages into a shell that is cut from a built page, and gives every page its policy.

The policy in a page's head says what it may load and run, and names its own inline scripts by their hashes. Browsers
enforce it: what text from elsewhere might smuggle in neither runs nor sends anything. Texts of the results are put in
the place of their marks only after that.
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
"""The first thing in the head of a page, as the theme writes it; the policy follows."""

_META = '<meta http-equiv="Content-Security-Policy" content="'
_HOSTS_SLOT = "@@hosts@@"
_UP = "@@up@@"
_SLOT = re.compile(r"@@(title|description|address|content|hosts|card|pictured)@@")
TITLE_SLOT = "title"
"""The slot that every authored page has: the first heading."""

_TITLE = re.compile(r"<h1([^>]*)>.*?</h1>", re.DOTALL)
_MARK = re.compile(r"@@text-((?:[0-9a-f]{2})*)@@")

# What each of these begins with is looked for first: pages are long.
RELATIVE = re.compile(r'(?=[\su])(\s(?:href|src|action)="|\burl\()(?![a-z][a-z0-9+.-]*:|[/#?"])')
_BASE = re.compile(r'("(?:base|search)":\s*"|new URL\(")(\.\.)')

PALETTE = re.compile(r'\s*<link rel="stylesheet" href="[^"]*/palette\.[^"]*">')
"""The theme's colours, which stay away: generated pages have those of this site alone."""

_BREAK = re.compile(r"\s*\n\s*")

_HOST = re.compile(r"https?://[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?")
_ATTRIBUTES = r'(?:\s+[\w-]+(?:="[^"]*")?)*'
_INLINE = re.compile(
    rf'<script(?!{_ATTRIBUTES}\s+src=")(?!\w)(?P<attributes>[^>]*)>(?P<text>.*?)</script',
    re.DOTALL | re.IGNORECASE,
)
STYLES_ALLOWED = "style-src 'self'"
_STYLE = re.compile(r"<style>(?P<text>.*?)</style>", re.DOTALL)
_DATA = re.compile(r'(?: id="\w+")? type="application/(?:ld\+)?json"')


@dataclass(frozen=True, slots=True)
class Shell:
    """A page of the theme with slots for what a page has."""

    parts: tuple[str, ...]
    """The page's text, cut at its slots."""
    slots: tuple[str, ...]
    """Names of the slots between the parts."""

    def stamp(self, page: Page) -> str:
        """Make a page.

        Raises:
            BuilderError: One of its hosts is no origin, and might say more in a policy than it should.
        """
        for host in page.hosts:
            if not _HOST.fullmatch(host):
                raise BuilderError(
                    f"{host!r} is no origin that a page's scripts could ask, such as https://example.org"
                )
        texts = {
            name: getattr(page, name)
            for name in ("title", "description", "address", "card", "pictured")
        }
        fill = {name: html.escape(text) for name, text in texts.items()}
        fill |= {"content": _nearer(page), "hosts": "".join(f" {host}" for host in page.hosts)}
        pieces = [
            piece
            for part, slot in zip(self.parts, self.slots, strict=False)
            for piece in (part, fill[slot])
        ]
        return "".join((*pieces, self.parts[-1]))


def _nearer(page: Page) -> str:
    """Lead from a page to others of its board by the shortest way: a site may have millions of such links."""
    folders = page.address.split("/")[:-1]
    up = "../" * (len(folders) - 2)
    return (
        page.content.replace(f'href="../../{up}{"/".join(folders[:2])}/', f'href="{up}')
        if up
        else page.content
    )


def cut_shell(page: str, levels: int = 0) -> Shell:
    """Cut a shell from a built stub, which has texts of the results as marks, with a policy for its scripts.

    Its pages stand so many folders further down: its links climb as many more.

    Raises:
        BuilderError: The page has no slot for content.
    """
    deepened = _climbing(page).replace(_UP, "../" * levels)
    pieces = _SLOT.split(guarded(deepened, _HOSTS_SLOT))
    shell = Shell(tuple(map(unmarked, pieces[::2])), tuple(pieces[1::2]))
    if "content" not in shell.slots:
        raise BuilderError(
            "the theme's stub.html has no @@content@@ slot, so no page can be stamped into it"
        )
    return shell


@lru_cache(maxsize=1)
def _climbing(page: str) -> str:
    """Return a stub with a mark where its links climb, which is the same at every depth.

    The theme writes the way up to the root into one of its inline scripts as well, so that this script
    differs from page to page, by depth and by nothing else: its text never depends on the results. Every
    inline script of a site is, apart from that way, one of a site without submissions.
    """
    return _BASE.sub(rf"\g<1>{_UP}\g<2>", RELATIVE.sub(rf"\g<1>{_UP}", _BREAK.sub("\n", page)))


def marked(text: str) -> str:
    """What stands for a text of the results while the builder works: nothing in it means anything to a builder."""
    return f"@@text-{text.encode().hex()}@@"


def unmarked(page: str) -> str:
    """Put texts in the place of their marks, escaped: for a page, or what is taken for one."""
    return _MARK.sub(lambda mark: html.escape(bytes.fromhex(mark[1]).decode()), page)


def fill_slot(page: str, slot: str, content: str) -> str:
    """Put HTML where a page's author left a place for it: `<div data-slot="NAME"></div>`, or in the title's place.

    What stands in such a place is for those who read the page's source. A title keeps its attributes: links lead to it.
    """
    if slot == TITLE_SLOT:
        return _TITLE.sub(lambda title: content.replace("<h1", f"<h1{title[1]}", 1), page, count=1)
    return re.sub(f'<div data-slot="{slot}">.*?</div>', lambda _: content, page, flags=re.DOTALL)


def guarded(skeleton: str, hosts: str = "") -> str:
    """Put a policy at the beginning of the head of a page without any text of the results: its scripts may run.

    `hosts` may be asked by them, each after a blank; or a slot for them.

    Raises:
        BuilderError: The page has no head to put it in.
    """
    before, charset, after = skeleton.partition(CHARSET)
    if not charset:
        raise BuilderError(
            f"the theme's pages do not begin with {CHARSET}, so they can't be given a policy"
        )
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src 'self'{hashes(_scripts(skeleton))}",
            f"{STYLES_ALLOWED}{hashes(each['text'] for each in _STYLE.finditer(skeleton))}",
            "style-src-attr 'unsafe-inline'",  # lengths of bars
            "img-src 'self' data:",  # icons of the theme
            "font-src 'self'",
            f"connect-src 'self'{hosts}",
            "worker-src 'self'",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
        )
    )
    return f'{before}{charset}\n  {_META}{policy}">{after}'


def require_known_scripts(name: str, page: str) -> None:
    """Refuse a finished page with an inline script that its skeleton does not have.

    Raises:
        BuilderError: It has one, so some text has become a part of the page.
    """
    policy = page.partition(_META)[2].partition('"')[0]
    for script in _scripts(page):
        if _sha256(script) not in policy:
            told = (
                f"{name} has a script that is none of the theme's, so its policy does not name it"
            )
            raise BuilderError(
                f"{told}; move it into a file if a template has it: {script.strip()[:80]!r}"
            )


def _scripts(page: str) -> Iterator[str]:
    """Find a page's inline scripts. Blocks of data run nothing and need no hash."""
    return (
        each["text"] for each in _INLINE.finditer(page) if not _DATA.fullmatch(each["attributes"])
    )


def hashes(texts: Iterable[str]) -> str:
    """Name texts by their hashes, each once, as a policy does."""
    return "".join(f" 'sha256-{_sha256(text)}'" for text in dict.fromkeys(texts))


def _sha256(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
