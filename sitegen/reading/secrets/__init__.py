"""Find secrets in texts: keys, tokens, passwords in addresses, private keys, webhooks.

`find_secrets` takes a text and returns the positions of its secrets, and `without_secrets` returns
the text without them. `hint_patterns` yields the expressions of a fast filter that most texts do
not match.
`formats` has this project's rules, `gitleaks` reads the rules of gitleaks, and `rule` defines one.
"""

from collections.abc import Iterator
from functools import cache

from sitegen.reading.secrets.formats import FORMATS
from sitegen.reading.secrets.gitleaks import gitleaks_rules
from sitegen.reading.secrets.rule import Hints, RuleGroup, Secret

__all__ = [
    "FORMATS",
    "REDACTED",
    "Secret",
    "find_secrets",
    "gitleaks_rules",
    "hint_patterns",
    "value_without_secrets",
    "without_secrets",
]

REDACTED = "[redacted]"
"""Text that replaces a secret."""


@cache
def _groups() -> tuple[RuleGroup, ...]:
    """Return all rules; rules with the most specific kinds come first."""
    return (*FORMATS, *gitleaks_rules())


def hint_patterns() -> Iterator[str]:
    """Yield Rust `regex` patterns; each text with a secret matches one, and few other texts do.

    The patterns also match text in which JSON or TOML escapes newlines, quotes and slashes.
    """
    for group in _groups():
        yield from group.hints


@cache
def _first_look() -> Hints:
    return Hints(hint_patterns())


def find_secrets(text: str) -> list[Secret]:
    """Return the secrets in a text, in order and without overlaps."""
    checked = text if text.isascii() else text.encode(errors="replace")
    if not _first_look().are_in(checked):
        return []
    ranked: list[tuple[int, int, Secret]] = []
    for group in _groups():
        for secret in group.secrets(text):
            ranked.append((secret.start, len(ranked), secret))
    return _apart(ranked)


def _apart(ranked: list[tuple[int, int, Secret]]) -> list[Secret]:
    """Return secrets in order; overlapping secrets are merged, with the kind that was found first.

    Args:
        ranked: The start, the rank and the secret itself, for each secret.
    """
    secrets: list[Secret] = []
    best_rank = 0
    for _, rank, secret in sorted(ranked):
        last = secrets[-1] if secrets else None
        if last is None or secret.start >= last.stop:
            secrets.append(secret)
            best_rank = rank
            continue
        kind = last.kind
        if rank < best_rank:
            kind = secret.kind
            best_rank = rank
        secrets[-1] = Secret(kind, last.start, max(last.stop, secret.stop))
    return secrets


def without_secrets(text: str) -> str:
    """Return a text with its secrets replaced by `[redacted]`."""
    pieces = []
    end = 0
    for secret in find_secrets(text):
        pieces.append(text[end : secret.start])
        pieces.append(REDACTED)
        end = secret.stop
    pieces.append(text[end:])
    return "".join(pieces)


def value_without_secrets(value: object) -> object:
    """Return a JSON or TOML value with the secrets in its texts replaced by `[redacted]`."""
    if isinstance(value, str):
        return without_secrets(value)
    if isinstance(value, dict):
        return {key: value_without_secrets(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [value_without_secrets(inner) for inner in value]
    return value
