"""Keeps what is nobody's business out of texts that are published: keys, folders of the machine, control characters."""

import re
from functools import lru_cache

from sitegen.reading.privacy import KEYS

REDACTED = "[redacted]"

_CONTROL = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b."
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\u202a-\u202e\u2066-\u2069]"
)
"""Terminal sequences, control characters, halves of characters, and marks that turn the direction of text."""

# Every repetition is bounded, so that no text takes long.
_NAMED = re.compile(
    r"(?P<name>(?:api[_-]?key|secret|token|passw(?:or)?d|authorization|bearer)\w{0,30}+[\"']?\s{0,5}+[=:]?\s{0,5}+"
    r"(?:bearer\s{1,5}+)?[\"']?)(?=[^\s\"',;]{0,200}?\d)(?=[^\s\"',;]{0,200}?[A-Za-z])[^\s\"',;]{16,}",
    re.IGNORECASE,
)
"""Long values of letters and digits that are called a key."""

_FOLDERS = re.compile(
    r"(?:file://)?(?<![\w.])/(?:home|Users|root|private|mnt|Volumes|scratch|nvme\w*|var/folders)/(?:[^\s\"'`:;,|<>()\[\]{}/]+/)*"
    r"|\b[A-Za-z]:\\+(?:[^\s\"'`:;,|<>/\\]+\\+)+"
)
"""Folders of a machine: a path's last part is kept, since it is what a message is about."""


_KEY_HINTS = "sk- pk- rk- k_live_ k_test_ gh glpat- hf_ akia asia aiza xox eyj -----begin"
_NAME_HINTS = "key secret token passw authorization bearer"
_FOLDER_HINTS = "/home/ /users/ /root/ /private/ /mnt/ /volumes/ /scratch/ /nvme /var/ :\\"
_HINTS = f"{_KEY_HINTS} {_NAME_HINTS} {_FOLDER_HINTS}".split()
"""What has to stand in a text for it to be worth a closer look: most texts hold none of it."""


_SHORT = 60
"""Characters of texts that are likely to come again, such as names."""


def redacted(text: str) -> str:
    """A text without keys, folders of a machine and control characters; everything else stays as it is."""
    return _known(text) if len(text) <= _SHORT else _redacted(text)


def _redacted(text: str) -> str:
    plain = text if text.isprintable() else _CONTROL.sub("", text)
    lower = plain.lower()
    if not any(hint in lower for hint in _HINTS):
        return plain
    plain = KEYS.sub(REDACTED, plain)
    plain = _NAMED.sub(lambda match: match["name"] + REDACTED, plain)
    return _FOLDERS.sub("…/", plain)


_known = lru_cache(maxsize=20_000)(_redacted)


def one_line(text: str, longest: int = 200) -> str:
    """A text as part of a message: redacted, in one line, cut where it is long."""
    line = " ".join(redacted(text).split())
    return line if len(line) <= longest else line[: longest - 1] + "…"
