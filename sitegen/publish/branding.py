"""An owner's look: the brand that settings name as styles, and what the policy of pages would keep from loading."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sitegen.problems import UsageError

OWN_STYLES = "assets/sitegen.css"
BRAND_STYLES = "assets/brand.css"
"""What a brand becomes; it stands behind the program's own styles, and before those of the project."""

_KEYS = ("logo", "accent", "accent_dark", "font")
_PAPER = {"accent": "#fdfcf8", "accent_dark": "#121614"}
"""What each accent is read on: the paper of its scheme."""
_LEGIBLE = 4.5
"""How far text has to stand out from its ground, by WCAG 2.2, 1.4.3."""
_LINEAR_TO = 0.04045
"""So far sRGB's values are in proportion to light."""
_WHAT = {"logo": (".svg", ".png", ".webp"), "font": (".woff2",)}
_FILE = re.compile(r"[\w./-]+")
_COLOUR = re.compile("#[0-9a-fA-F]{6}")

_REMOTE = r"(?:https?:)?//"
_IN_STYLES = re.compile(
    rf"""(?:url\(|@import)\s*["']?(?P<address>{_REMOTE}[^"')\s;]+)""", re.IGNORECASE
)
_IN_PAGES = re.compile(
    rf"""<(?:(?:script|img|iframe|source|video|audio|embed)\b[^>]*?\ssrc"""
    rf"""|link\b(?=[^>]*\brel=["']?stylesheet)[^>]*?\shref)=["']?(?P<address>{_REMOTE}[^"'\s>]+)""",
    re.IGNORECASE,
)
_ADVICE = (
    "browsers would load nothing from there; put the file into site_src/assets/ and name it there"
)


@dataclass(frozen=True, slots=True)
class Brand:
    """What stands under `extra: brand:` in the settings; what is empty is as the program has it."""

    logo: str = ""
    """A picture below the authored pages, for the header and the browser's tab."""
    accent: str = ""
    """The colour of links under the pointer, the logo and the tab that is open, such as #7a1f5c."""
    accent_dark: str = ""
    """The same in the dark scheme."""
    font: str = ""
    """A typeface below the authored pages."""

    def styles(self) -> str:
        """The brand as a style sheet; empty where it changes none. Printed pages are light."""
        sheet = []
        if self.font:
            face = f'src: url(../{self.font}) format("woff2"); font-weight: 100 900; font-display: swap'
            sheet.append(f'@font-face {{ font-family: "Brand"; {face}; }}')
            names = ':root, [data-md-color-scheme="default"], [data-md-color-scheme="slate"]'
            sheet.append(f'{names} {{ --md-text-font: "Brand", "Archivo Fallback", sans-serif; }}')
        if self.accent:
            sheet.append(f':root, [data-md-color-scheme="default"] {{ --accent: {self.accent}; }}')
            sheet.append(f".md-header {{ --mark: {self.accent}; }}")
        if self.accent_dark:
            unscripted = "screen and (scripting: none) and (prefers-color-scheme: dark)"
            for media, where in (
                ("screen", '[data-md-color-scheme="slate"]'),
                (unscripted, "[data-md-color-scheme]"),
            ):
                rules = f"{where} {{ --accent: {{0}}; }} {where} .md-header {{ --mark: {{0}}; }}"
                sheet.append(f"@media {media} {{ {rules} }}".replace("{0}", self.accent_dark))
        return "".join(f"{rule}\n" for rule in sheet)


def brand_of(settings: Mapping[str, object], authored: Path) -> Brand:
    """Read the brand of a site's settings, whose files are in the folder of the authored pages.

    Raises:
        UsageError: It, or a style or script that the settings add, can't be used; says all that is wrong.
    """
    extra = settings.get("extra")
    stated = (extra.get("brand") if isinstance(extra, dict) else None) or {}
    wrong = (
        list(_wrong(stated, authored))
        if isinstance(stated, dict)
        else [f"`brand` is to have keys: {_KEYS}"]
    )
    for key in ("extra_css", "extra_javascript"):
        for address in map(str, added(settings, key)):
            if re.match(_REMOTE, address, re.IGNORECASE):
                wrong.append(f"`{key}` names {address}: {_ADVICE}")
            elif not _is_file(authored / address.partition("?")[0]):
                wrong.append(
                    f"`{key}` names {address}, which is not in site_src/; put it there, or remove its name"
                )
    if wrong:
        raise UsageError(*(f"mkdocs.yml: {line}" for line in wrong))
    return Brand(**stated) if isinstance(stated, dict) else Brand()


def _is_file(path: Path) -> bool:
    """Return whether there is a file; no disk has one whose name is too long."""
    try:
        return path.is_file()
    except OSError:
        return False


def added(settings: Mapping[str, object], key: str) -> list[object]:
    """The styles or scripts that settings add: names of files, or, for scripts, tables that have one as `path`."""
    listed = settings.get(key)
    files = listed if isinstance(listed, list) else []
    return [each.get("path", "") if isinstance(each, dict) else each for each in files]


def _wrong(stated: Mapping[object, object], authored: Path) -> Iterator[str]:
    """Tell what of a brand can't be used."""
    for key, value in stated.items():
        name, text = f"`extra: brand: {key}:`", str(value)
        if key not in _KEYS:
            yield f"{name} is no setting; there are {', '.join(_KEYS)}"
        elif key in _WHAT:
            if re.match(_REMOTE, text, re.IGNORECASE):
                yield f"{name} names {text}: {_ADVICE}"
            elif (
                not text.endswith(_WHAT[key])
                or not _FILE.fullmatch(text)
                or not _is_file(authored / text)
            ):
                kinds = " or ".join(_WHAT[key])
                yield f"{name} is {text}; name a file below site_src/ that is there and ends in {kinds}"
        elif not _COLOUR.fullmatch(text):
            yield f'{name} is {text}; write a colour as six hexadecimal digits in quotes, such as "#7a1f5c"'
        elif (contrast := _contrast(text, _PAPER[key])) < _LEGIBLE:
            towards = "darker" if key == "accent" else "lighter"
            yield f"{name} is {text}, {contrast:.1f} to 1 on {_PAPER[key]}; text needs {_LEGIBLE}: take a {towards} one"


def _contrast(*colours: str) -> float:
    """How far two colours stand apart, from 1 to 21, as WCAG 2.2 defines it: by their luminance."""
    found = []
    for colour in colours:
        shares = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        red, green, blue = (
            each / 12.92 if each <= _LINEAR_TO else ((each + 0.055) / 1.055) ** 2.4
            for each in shares
        )
        found.append(0.2126 * red + 0.7152 * green + 0.0722 * blue)
    return (max(found) + 0.05) / (min(found) + 0.05)


def kept_from_loading(site: Path) -> Iterator[str]:
    """Tell what pages and styles of a built site name on other hosts, each with its file: the policy lets none load."""
    for path in sorted((*site.rglob("*.html"), *site.rglob("*.css"))):
        pattern = _IN_STYLES if path.suffix == ".css" else _IN_PAGES
        for found in pattern.finditer(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(site).as_posix()} names {found['address']}: {_ADVICE}"
