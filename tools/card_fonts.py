"""Writes the fonts of share cards to sitegen/charts/cards/fonts/: cut down, and with nothing in them that goes unused.

Cards are drawn with these alone, so that they look the same wherever a site is built. Usage:
    python tools/card_fonts.py INTER DEJAVU DROID
INTER is the variable font Inter 4, DEJAVU is DejaVuSans.ttf 2.37, DROID is DroidSansFallback.ttf of Android 6.
"""

import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont, newTable
from fontTools.ttLib.tables._c_m_a_p import CmapSubtable
from fontTools.ttLib.tables._k_e_r_n import KernTable_format_0
from fontTools.varLib.instancer import instantiateVariableFont

FOLDER = Path(__file__).resolve().parents[1] / "sitegen" / "charts" / "cards" / "fonts"

EUROPE = chain(range(0x20, 0x530), range(0x1E00, 0x2000), range(0x2000, 0x2C00))
"""Latin, Greek and Cyrillic, with punctuation, arrows and signs."""

BEYOND = chain(range(0x530, 0x1100), range(0x2000, 0x2C00), range(0xFB00, 0xFF00), range(0x1F300, 0x1FB00))
"""Armenian, Hebrew, Arabic with its joined letters, Georgian, more signs, and faces."""

HAN = ("gb2312", "big5", "shift_jis", "euc_kr")
"""Encodings that hold the characters in common use; the rest of Unicode's would double the font."""

PAIRS, EXTENSION = 2, 9
"""Kinds of tables in a font (OpenType, GPOS): of pairs, and of what stands elsewhere."""

HANGUL = range(0xAC00, 0xD7A4)
"""The syllables of Korean."""

KERNED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz.,-–·"


def east_asia() -> Iterator[int]:
    """Give the characters of Chinese, Japanese and Korean in common use."""
    yield from HANGUL
    for code in range(0x2E80, 0xFFF0):
        if code not in HANGUL and any(_is_in(chr(code), encoding) for encoding in HAN):
            yield code


def _is_in(character: str, encoding: str) -> bool:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def opened(path: str) -> TTFont:
    """Open a font that keeps its date, so that the same fonts give the same bytes."""
    return TTFont(path, recalcTimestamp=False)


def inter(path: str, weight: int, size: int) -> TTFont:
    """Give Inter in one weight, made for one size, with figures of one width and letters kerned the plain way."""
    font = instantiateVariableFont(opened(path), {"wght": weight, "opsz": size})
    figures = {ord(digit): f"{font.getBestCmap()[ord(digit)]}.tf" for digit in "0123456789"}
    for table in font["cmap"].tables:
        table.cmap.update(figures)
    kern = KernTable_format_0()
    kern.apple, kern.coverage, kern.tupleIndex = False, 1, None
    kern.kernTable = dict(_kerning(font))
    font["kern"] = newTable("kern")
    font["kern"].version, font["kern"].kernTables = 0, [kern]
    return font


def _kerning(font: TTFont) -> Iterator[tuple[tuple[str, str], int]]:
    """Give the pairs of letters that stand closer or wider."""
    names = [font.getBestCmap()[ord(letter)] for letter in KERNED]
    table = font["GPOS"].table
    kerning = [each.Feature for each in table.FeatureList.FeatureRecord if each.FeatureTag == "kern"]
    wanted = {index for feature in kerning for index in feature.LookupListIndex}
    parts = [_plain(part) for index in sorted(wanted) for part in table.LookupList.Lookup[index].SubTable]
    for first in names:
        for second in names:
            found = next((value for part in parts if (value := _between(part, first, second)) is not None), 0)
            if found:
                yield (first, second), found


def _plain(part: Any) -> Any:  # noqa: ANN401 - tables of fonts have no types
    """Give a subtable itself, where a font points at it from elsewhere."""
    return part.ExtSubTable if part.LookupType == EXTENSION else part


def _between(part: Any, first: str, second: str) -> int | None:  # noqa: ANN401 - tables of fonts have no types
    """Give what a subtable says of two glyphs; None where it says nothing of them."""
    if part.LookupType != PAIRS or first not in part.Coverage.glyphs:
        return None
    if part.Format == 1:
        pairs = part.PairSet[part.Coverage.glyphs.index(first)].PairValueRecord
        value = next((pair.Value1 for pair in pairs if pair.SecondGlyph == second), None)
    else:
        row = part.Class1Record[part.ClassDef1.classDefs.get(first, 0)]
        value = row.Class2Record[part.ClassDef2.classDefs.get(second, 0)].Value1
    return None if value is None else int(getattr(value, "XAdvance", 0))


def write(font: TTFont, name: str, characters: Iterable[int]) -> None:
    """Cut a font down to some characters, with one plain character map, and write it."""
    options = Options(hinting=False, layout_features=[], glyph_names=False, name_IDs=[0, 1, 2, 13, 14])
    options.drop_tables += ["GSUB", "GPOS", "GDEF", "FFTM", "STAT", "MVAR", "DSIG"]
    options.legacy_kern = True
    cutter = Subsetter(options)
    cutter.populate(unicodes=list(characters))
    cutter.subset(font)
    whole = CmapSubtable.newSubtable(12)
    whole.platformID, whole.platEncID, whole.language, whole.cmap = 3, 10, 0, font.getBestCmap()
    font["cmap"].tables = [whole]
    FOLDER.mkdir(parents=True, exist_ok=True)
    font.save(FOLDER / name)
    print(f"{name}: {len(whole.cmap):,} characters, {(FOLDER / name).stat().st_size / 1024:,.0f} KB")


if __name__ == "__main__":
    first, second, third = sys.argv[1:]
    letters = list(EUROPE)
    write(inter(first, 400, 20), "plain.ttf", letters)
    write(inter(first, 600, 32), "strong.ttf", letters)
    write(opened(second), "beyond.ttf", BEYOND)
    write(opened(third), "east.ttf", east_asia())
