"""Stamps generated pages into a shell that is cut from a built page, and gives every page its policy.

The policy in a page's head says what it may load and run, and names its own inline scripts by their hashes. Browsers
enforce it: what text from elsewhere might smuggle in neither runs nor sends anything. Texts of the results are put in
the place of their marks only after that.
"""

import base64
import hashlib
import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import tinycss2
from tinycss2.ast import Node

from sitegen.problems import BuilderError

CHARSET = '<meta charset="utf-8">'
"""The first thing in the head of a page, as the theme writes it; the policy follows."""

_META = '<meta http-equiv="Content-Security-Policy" content="'
_HOSTS_SLOT = "@@hosts@@"
_SLOT = re.compile(r"@@(title|description|address|content|hosts|card|pictured)@@")
TITLE_SLOT = "title"
"""The slot that every authored page has: the first heading."""

_TITLE = re.compile(r"<h1([^>]*)>.*?</h1>", re.DOTALL)
_MARK = re.compile(r"@@text-((?:[0-9a-f]{2})*)@@")

_RELATIVE = re.compile(r'(\s(?:href|src|action)="|\burl\()(?![a-z][a-z0-9+.-]*:|[/#?"])')
_BASE = re.compile(r'("(?:base|search)":\s*"|\bnew URL\(")(\.\.)')

_HOST = re.compile(r"https?://[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?")
_ATTRIBUTES = r'(?:\s+[\w-]+(?:="[^"]*")?)*'
_INLINE = re.compile(
    rf'<script(?!{_ATTRIBUTES}\s+src=")(?!\w)(?P<attributes>[^>]*)>(?P<text>.*?)</script', re.DOTALL | re.IGNORECASE
)
_STYLE = re.compile(r"<style>(?P<text>.*?)</style>", re.DOTALL)
_DATA = re.compile(r'(?: id="\w+")? type="application/(?:ld\+)?json"')

_SHEET = re.compile(r'<link rel="stylesheet" href="(?P<file>[^":]+)">')
_AUTHORED = re.compile(
    r"\.(?:tabbed|admonition|highlight|critic|footnote|task-list|grid\b|card|keys|linenos|linenodiv|filename|arithmatex"
    r"|mermaid|md-(?:annotation|author|clipboard|code__|comments|feedback|meta|nav|pagination|path|post|profile|sidebar"
    r"|tag|tooltip|typeset__table))"
    r"|table:not\(\[class\]\)"
)
"""What stands in a selector of parts that no generated page has."""


class Stamped(Protocol):
    """What is stamped into a shell: `pages` makes it."""

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
        """Origins that the page's scripts may ask, such as `https://example.org`."""


@dataclass(frozen=True, slots=True)
class Shell:
    """A page of the theme with slots for what a `Stamped` has."""

    parts: tuple[str, ...]
    """The page's text, cut at its slots."""
    slots: tuple[str, ...]
    """Names of the slots between the parts."""

    def stamp(self, page: Stamped) -> str:
        """Make a page.

        Raises:
            BuilderError: One of its hosts is no origin, and might say more in a policy than it should.
        """
        for host in page.hosts:
            if not _HOST.fullmatch(host):
                raise BuilderError(
                    f"{host!r} is no origin that a page's scripts could ask, such as https://example.org"
                )
        texts = {name: getattr(page, name) for name in ("title", "description", "address", "card", "pictured")}
        fill = {name: html.escape(text) for name, text in texts.items()}
        fill |= {"content": page.content, "hosts": "".join(f" {host}" for host in page.hosts)}
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
    up = "../" * levels
    deepened = _BASE.sub(rf"\g<1>{up}\g<2>", _RELATIVE.sub(rf"\g<1>{up}", page))
    pieces = _SLOT.split(guarded(deepened, _HOSTS_SLOT))
    shell = Shell(tuple(map(unmarked, pieces[::2])), tuple(pieces[1::2]))
    if "content" not in shell.slots:
        raise BuilderError("the theme's stub.html has no @@content@@ slot, so no page can be stamped into it")
    return shell


def marked(text: str) -> str:
    """What stands for a text of the results while the builder works: nothing in it means anything to a builder."""
    return f"@@text-{text.encode().hex()}@@"


def unmarked(page: str) -> str:
    """Put texts in the place of their marks, escaped: for a page, or what is taken for one."""
    return _MARK.sub(lambda mark: html.escape(bytes.fromhex(mark[1]).decode()), page)


def fill_slot(page: str, slot: str, content: str) -> str:
    """Put HTML where a page's author left a place for it: `<div data-slot="NAME"></div>`, or in the title's place.

    A title keeps its attributes: links lead to it.
    """
    if slot == TITLE_SLOT:
        return _TITLE.sub(lambda title: content.replace("<h1", f"<h1{title[1]}", 1), page, count=1)
    return page.replace(f'<div data-slot="{slot}"></div>', content)


def guarded(skeleton: str, hosts: str = "") -> str:
    """Put a policy at the beginning of the head of a page without any text of the results: its scripts may run.

    `hosts` may be asked by them, each after a blank; or a slot for them.

    Raises:
        BuilderError: The page has no head to put it in.
    """
    before, charset, after = skeleton.partition(CHARSET)
    if not charset:
        raise BuilderError(f"the theme's pages do not begin with {CHARSET}, so they can't be given a policy")
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src 'self'{_hashes(_scripts(skeleton))}",
            f"style-src 'self'{_hashes(each['text'] for each in _STYLE.finditer(skeleton))}",
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
            told = f"{name} has a script that is none of the theme's, so its policy does not name it"
            raise BuilderError(f"{told}; move it into a file if a template has it: {script.strip()[:80]!r}")


def _scripts(page: str) -> Iterator[str]:
    """Find a page's inline scripts. Blocks of data run nothing and need no hash."""
    return (each["text"] for each in _INLINE.finditer(page) if not _DATA.fullmatch(each["attributes"]))


def _hashes(texts: Iterable[str]) -> str:
    """Name texts by their hashes, each once, as a policy does."""
    return "".join(f" 'sha256-{_sha256(text)}'" for text in dict.fromkeys(texts))


def _sha256(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def with_styles_inside(page: str, folder: Path) -> str:
    """Put the style sheets that a page names into the page itself.

    Over a slow line, a page that carries its styles is seen a round trip sooner than one that sends for them.
    Files that they name are then named from the page.
    """

    def inside(link: re.Match[str]) -> str:
        sheet, beside = (folder / link["file"]).read_text(encoding="utf-8"), link["file"].rpartition("/")[0]
        named = _RELATIVE.sub(rf"\g<1>{beside}/", sheet)
        return f"<style>{named}</style>"

    return _SHEET.sub(inside, page)


def write_page_styles(folder: Path) -> None:
    """Write beside the theme's style sheet the one that generated pages load, `pages.` for `main.` in its name.

    What is left out is two thirds of the sheet. It also makes long tables slow: its rules by place among siblings
    have no tag, so that a row that moves has every row after it styled anew.
    """
    for path in folder.glob("main.*.css"):
        short = without_authored_parts(path.read_text(encoding="utf-8"))
        path.with_name(f"pages.{path.name.removeprefix('main.')}").write_text(short, encoding="utf-8", newline="\n")


def without_authored_parts(sheet: str) -> str:
    """Leave out of a style sheet the rules for what only authored pages have."""
    return "".join(_kept(tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True)))


def _kept(rules: Sequence[Node]) -> Iterator[str]:
    for rule in rules:
        if rule.type == "qualified-rule":
            selectors: list[list[Node]] = [[]]
            for token in rule.prelude:
                if token.type == "literal" and token.value == ",":
                    selectors.append([])
                else:
                    selectors[-1].append(token)
            kept = [each for each in map(tinycss2.serialize, selectors) if not _AUTHORED.search(each)]
            if kept:
                yield f"{','.join(kept)}{{{tinycss2.serialize(rule.content)}}}"
        elif rule.type == "at-rule" and rule.lower_at_keyword in {"media", "supports"}:
            inside = "".join(_kept(tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)))
            if inside:
                yield f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{inside}}}"
        else:
            yield rule.serialize()
