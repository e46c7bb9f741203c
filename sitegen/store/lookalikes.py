"""What names look like: after Unicode's UTS #39, two that look alike have one skeleton."""

import json
import pkgutil
import unicodedata
from collections.abc import Mapping
from functools import cache


def skeleton(text: str) -> str:
    """Write each letter as the one that stands for all that look like it: `CIaude` and `Claude` become the same.

    The standard leaves letters and their accents apart; here they are composed, which tells the same texts apart.
    """
    plain = unicodedata.normalize("NFD", text)
    for _ in range(2):  # what stands for a letter may be several, of which one looks like another in turn
        plain = plain.translate(_prototypes())
    return unicodedata.normalize("NFC", plain)


@cache
def _prototypes() -> Mapping[int, str]:
    """Give the letter, or letters, that stand for each letter.

    The table lists what looks alike both ways, and not which of the two stands for the other: it is the one that
    several are listed with, or that has several letters; of two that know only each other, it may be either.
    """
    text = (pkgutil.get_data("homoglyphs_fork", "confusables.json") or b"").decode()
    # A mark of direction stands there around letters of right-to-left scripts, and in no name.
    alike: Mapping[str, list[str]] = json.loads(text.replace("\\u200e", ""))
    stands = {shown for shown, others in alike.items() if len(shown) > 1 or len(others) > 1}
    stands |= {min(shown, *others) for shown, others in alike.items() if stands.isdisjoint((shown, *others))}
    return {ord(each): shown for shown in stands for each in alike.get(shown, ()) if len(each) == 1}
