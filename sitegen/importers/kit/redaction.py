"""Remove secrets, e-mail addresses, local paths and control characters from texts."""

import re
from functools import lru_cache

from sitegen.reading.privacy import HOME_ROOTS, without_emails
from sitegen.reading.secrets import REDACTED, without_secrets
from sitegen.reading.secrets.rule import Hints

_CONTROL = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b."
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\u202a-\u202e\u2066-\u2069]"
)
"""Escape sequences, control characters, lone surrogates, and marks that set text direction."""

# Parts of paths: plain, percent-encoded once or twice (%2F, %252F), and with backslashes.
_PART = r"[^\s\"'`:;,|<>()\[\]{}/]"
_PARTS = rf"(?:{_PART}+/)*"
_SLASH = r"%(?:25)?2[Ff]"
_ENCODED_PART = r"(?:[^\s\"'`:;,|<>()\[\]{}/%]|%(?!(?:25)?(?:2[Ff]|5[Cc]))[0-9A-Fa-f]{2})"
_DRIVE = r"\b[A-Za-z](?::|%3[Aa])"
_BACK = r"(?:\\+|%(?:25)?5[Cc])"
_BACK_PART = r"(?:[^\s\"'`:;,|<>/\\%]|%(?!(?:25)?5[Cc])[0-9A-Fa-f]{2})"

# A single pattern, so that a text is searched only once for all kinds of folders.
_FOLDERS = re.compile(
    # The name of a home folder is removed as well, even if the path ends there.
    rf"(?:file://)?(?<![\w.])(?:/|{HOME_ROOTS}/)(?:home|Users)/{_PART}+(?:/{_PARTS})?"
    rf"|(?:file://)?(?<![\w.])/(?:root|private|mnt|Volumes|scratch|nvme\w*|var/folders)/{_PARTS}"
    rf"|(?:{_SLASH}[\w.-]{{1,40}}){{0,2}}{_SLASH}(?:home|Users|root|mnt|Volumes|scratch){_SLASH}"
    rf"{_ENCODED_PART}+(?:{_SLASH}(?:{_ENCODED_PART}+{_SLASH})*)?"
    rf"|{_DRIVE}{_BACK}(?i:Users){_BACK}{_BACK_PART}+(?:{_BACK}(?:{_BACK_PART}+{_BACK})*)?"
    rf"|{_DRIVE}{_BACK}(?:{_BACK_PART}+{_BACK})+"
    r"|\b[A-Za-z]:/+(?i:Users)/+(?:[^\s\"'`:;,|<>/\\]+/+)+"
    r"|\\{2,4}[\w.$-]{1,60}\\+(?:[^\s\"'`:;,|<>/\\]+\\+)+"
)
"""Local folders; the last part of a path is kept, since messages are about it."""

_FOLDER_NAMES = ("home", "Users", "root", "private", "mnt", "Volumes", "scratch")

_FOLDER_HINTS = Hints(
    (
        *(f"/{name}" for name in _FOLDER_NAMES),
        "/nvme",
        "/var/folders",
        "%(?:25)?(?:2[Ff]|5[Cc])",
        r":[\\/]+(?i:users)",
        r"[A-Za-z]:\\",
        r"\\\\[0-9A-Za-z_.$]",
    )
)
"""Patterns, one of which matches any text with a local path; a test before the slow pattern."""

_MAX_CACHED_LENGTH = 60
"""Maximum length of texts that are likely to recur, such as names."""


def redact_text(text: str) -> str:
    """Return a text without secrets, e-mail addresses, local paths and control characters.

    Everything else is unchanged.
    """
    return _cached(text) if len(text) <= _MAX_CACHED_LENGTH else _redacted(text)


def _redacted(text: str) -> str:
    """Return a redacted text; the slow pattern is used only if the text may contain a path."""
    plain = text if text.isprintable() else _CONTROL.sub("", text)
    plain = without_emails(without_secrets(plain), REDACTED)
    is_encodable = plain.isascii() or plain.isprintable()
    if is_encodable and not _FOLDER_HINTS.are_in(plain):
        return plain
    return _FOLDERS.sub("…/", plain)


_cached = lru_cache(maxsize=20_000)(_redacted)


def one_line(text: str, longest: int = 200) -> str:
    """Return a text for use in a message: redacted, on one line, and cut to a maximum length."""
    line = " ".join(redact_text(text).split())
    return line if len(line) <= longest else line[: longest - 1] + "…"
