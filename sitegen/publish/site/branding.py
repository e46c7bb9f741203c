"""Turn the brand in a site's settings into styles, and find assets that the policy would block.

Start with `require_local_assets`, `brand_of` and `Brand.styles`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sitegen.problems import UsageError

OWN_STYLES = "assets/sitegen.css"
BRAND_STYLES = "assets/brand.css"
"""The brand's style sheet, which comes after the program's own and before the project's."""

_KEYS = ("logo", "accent", "accent_dark", "font")
_BACKGROUNDS = {"accent": "#fdfcf8", "accent_dark": "#121614"}
"""The background colour of the page behind each accent."""
_FILE_SUFFIXES = {"logo": (".svg", ".png", ".webp"), "font": (".woff2",)}
_FILE = re.compile(r"[\w./-]+")
_COLOUR = re.compile("#[0-9a-fA-F]{6}")

_MIN_CONTRAST = 4.5
"""Minimum contrast between text and its background (WCAG 2.2, 1.4.3)."""
_LINEAR_LIMIT = 0.04045
"""Largest sRGB value that is proportional to light."""
_LUMINANCE_WEIGHTS = (0.2126, 0.7152, 0.0722)
"""The weights of red, green and blue in the relative luminance."""

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
    "browsers would load nothing from there; put the file into site_src/assets/ and name that copy"
)


@dataclass(frozen=True, slots=True)
class Brand:
    """The values of `extra: brand:` in the settings; empty values stand for the program's own."""

    logo: str = ""
    """A picture below the authored pages, for the header and the browser's tab."""
    accent: str = ""
    """The colour of links under the pointer, the logo and the active tab, such as #7a1f5c."""
    accent_dark: str = ""
    """The accent colour in the dark scheme."""
    font: str = ""
    """A typeface below the authored pages."""

    def styles(self) -> str:
        """Return the brand as a style sheet, which may be empty; print uses the light scheme."""
        rules: list[str] = []
        if self.font:
            source = f'src: url(../{self.font}) format("woff2")'
            face = f"{source}; font-weight: 100 900; font-display: swap"
            rules.append(f'@font-face {{ font-family: "Brand"; {face}; }}')
            roots = ':root, [data-md-color-scheme="default"], [data-md-color-scheme="slate"]'
            family = '"Brand", "Archivo Fallback", sans-serif'
            rules.append(f"{roots} {{ --md-text-font: {family}; }}")
        if self.accent:
            rules.append(f':root, [data-md-color-scheme="default"] {{ --accent: {self.accent}; }}')
            rules.append(f".md-header {{ --mark: {self.accent}; }}")
        if self.accent_dark:
            rules.append(self._dark_rules("screen", '[data-md-color-scheme="slate"]'))
            without_scripts = "screen and (scripting: none) and (prefers-color-scheme: dark)"
            rules.append(self._dark_rules(without_scripts, "[data-md-color-scheme]"))
        return "".join(f"{rule}\n" for rule in rules)

    def _dark_rules(self, media: str, selector: str) -> str:
        """Return the style rules for the dark accent in a medium."""
        accent = f"{selector} {{ --accent: {self.accent_dark}; }}"
        mark = f"{selector} .md-header {{ --mark: {self.accent_dark}; }}"
        return f"@media {media} {{ {accent} {mark} }}"


def brand_of(settings: Mapping[str, object]) -> Brand:
    """Return the brand in a site's settings, which `require_local_assets` has checked."""
    stated = _stated_brand(settings)
    return Brand(**stated) if isinstance(stated, dict) else Brand()


def _stated_brand(settings: Mapping[str, object]) -> object:
    """Return the value of `extra: brand:` in the settings; an empty table if there is none."""
    extra = settings.get("extra")
    return (extra.get("brand") if isinstance(extra, dict) else None) or {}


def require_local_assets(settings: Mapping[str, object], authored: Path) -> None:
    """Check a site's brand, and the style sheets and scripts that its settings add.

    Args:
        settings: The settings.
        authored: The folder of the authored pages, with the files that settings name.

    Raises:
        UsageError: An asset can't be used; the message lists all problems.
    """
    stated = _stated_brand(settings)
    faults: list[str] = []
    if isinstance(stated, dict):
        faults += _brand_faults(stated, authored)
    else:
        faults.append(f"`brand` needs keys with values: {', '.join(_KEYS)}")
    for key in ("extra_css", "extra_javascript"):
        for address in map(str, listed_assets(settings, key)):
            faults += _address_faults(key, address, authored)
    if faults:
        raise UsageError(*(f"mkdocs.yml: {fault}" for fault in faults))


def _address_faults(key: str, address: str, authored: Path) -> Iterator[str]:
    """Yield the reason why a style sheet or script can't be used, if any."""
    if _is_remote(address):
        yield f"`{key}` names {address}: {_ADVICE}"
    elif not _is_file(authored / address.partition("?")[0]):
        yield (
            f"`{key}` names {address}, which is not in site_src/; put it there, or remove its name"
        )


def _is_remote(address: str) -> bool:
    return re.match(_REMOTE, address, re.IGNORECASE) is not None


def _is_file(path: Path) -> bool:
    """Return whether a file exists, which is false for a name too long for the file system."""
    try:
        return path.is_file()
    except OSError:
        return False


def listed_assets(settings: Mapping[str, object], key: str) -> list[object]:
    """Return the names of the style sheets or scripts that settings add.

    A script may be given as a table with its file under `path`.
    """
    entries = settings.get(key)
    if not isinstance(entries, list):
        return []
    return [entry.get("path", "") if isinstance(entry, dict) else entry for entry in entries]


def _brand_faults(stated: Mapping[object, object], authored: Path) -> Iterator[str]:
    """Yield the problems with a brand."""
    for key, value in stated.items():
        name = f"`extra: brand: {key}:`"
        text = str(value)
        match key:
            case "logo" | "font":
                yield from _file_faults(name, text, _FILE_SUFFIXES[key], authored)
            case "accent" | "accent_dark":
                advice = "darker" if key == "accent" else "lighter"
                yield from _colour_faults(name, text, _BACKGROUNDS[key], advice)
            case _:
                yield f"{name} is not a setting; the settings are {', '.join(_KEYS)}"


def _file_faults(
    name: str, address: str, suffixes: tuple[str, ...], authored: Path
) -> Iterator[str]:
    """Yield the reason why a brand's file can't be used, if any."""
    if _is_remote(address):
        yield f"{name} names {address}: {_ADVICE}"
        return
    has_valid_name = address.endswith(suffixes) and _FILE.fullmatch(address)
    if not has_valid_name or not _is_file(authored / address):
        kinds = " or ".join(suffixes)
        yield (
            f"{name} is {address}; name a file below site_src/ that is there and ends in {kinds}"
        )


def _colour_faults(name: str, colour: str, background: str, advice: str) -> Iterator[str]:
    """Yield the reason why a colour can't be used: invalid, or hard to read on its background."""
    if not _COLOUR.fullmatch(colour):
        yield (
            f"{name} is {colour}; "
            'write a colour as six hexadecimal digits in quotes, such as "#7a1f5c"'
        )
        return
    contrast = _contrast(colour, background)
    if contrast < _MIN_CONTRAST:
        yield (
            f"{name} is {colour}, {contrast:.1f} to 1 on {background}; text needs {_MIN_CONTRAST}: "
            f"choose a {advice} colour"
        )


def _contrast(colour: str, other_colour: str) -> float:
    """Return the contrast between two colours, from 1 to 21, as defined by WCAG 2.2."""
    luminances = (_luminance(colour), _luminance(other_colour))
    return (max(luminances) + 0.05) / (min(luminances) + 0.05)


def _luminance(colour: str) -> float:
    """Return the relative luminance of a colour (#rrggbb), from 0 to 1."""
    luminance = 0.0
    for start, weight in zip((1, 3, 5), _LUMINANCE_WEIGHTS, strict=True):
        value = int(colour[start : start + 2], 16) / 255
        is_linear = value <= _LINEAR_LIMIT
        light = value / 12.92 if is_linear else ((value + 0.055) / 1.055) ** 2.4
        luminance += weight * light
    return luminance


def remote_references(site: Path) -> Iterator[str]:
    """Yield a line for each reference of a site to another host that the policy blocks."""
    for path in sorted((*site.rglob("*.html"), *site.rglob("*.css"))):
        pattern = _IN_STYLES if path.suffix == ".css" else _IN_PAGES
        name = path.relative_to(site).as_posix()
        for match in pattern.finditer(path.read_text(encoding="utf-8")):
            yield f"{name} names {match['address']}: {_ADVICE}"
