"""Rules for formats of secrets, and the checks that distinguish a secret from an example."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from pydantic_core import SchemaValidator, core_schema


class Secret(NamedTuple):
    """A secret in a text."""

    kind: str
    """Its kind, with an article: "a GitHub token"."""
    start: int
    stop: int


Check = Callable[[re.Match[str], str], bool]
"""Whether a match is a secret; the second argument is the secret itself."""

_PLACEHOLDER = re.compile(
    r"example|placeholder|redacted|change[-_]?me|dummy|insert[-_]|replace[-_]"
    r"|your[-_ ]?(?:own|api|key|token|secret|password)"
    r"|my[-_](?:api|key|token|secret)|^(?:null|none|true|false|undefined)$"
    r"|([x*.0#_-])\1{7,}|\$\{|\{\{|<[a-z]",
    re.IGNORECASE,
)
"""Placeholders for secrets: `AKIA…EXAMPLE`, `sk-xxxxxxxx`, `your-api-key`."""
_WORDS = re.compile(r"[A-Za-z]{1,20}\d{0,4}(?:[-_./=]+(?:[A-Za-z]{1,20}\d{0,4}|\d{1,4}))*[-_./=]*")
"""Words, names in code and paths, which end in few digits if in any."""
_NAME = re.compile(r"[A-Za-z]?[a-z]{1,19}\d{0,4}(?:[-_.](?:[A-Za-z]?[a-z]{0,19}\d{0,4}))+")
"""Words in small letters, some of them with a capital, which end in few digits if in any."""
_DIGEST = re.compile(
    r"(?i:(?:sha\d{1,3}[:=-])?(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}"
    r"|[0-9a-f]{96}|[0-9a-f]{128})"
    r"|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
)
"""Digests, git commits and UUIDs: values of names such as `token` that are not secret."""
_CALL = re.compile(r"[\w.]+\(|.*\.(?:py|js|ts|go|rs|md|json|toml|html?|com|org)\b")
_NOBODYS_HOSTS = re.compile(
    r"(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1\]|(?:[\w-]+\.)*example(?:\.(?:com|org|net))?"
    r"|(?:[\w-]+\.)+(?:invalid|test|localhost))(?::\d*)?$",
    re.IGNORECASE,
)
"""Hosts whose passwords open nothing."""
_PASSWORDS = (
    "password passwd pass pwd secret user username root admin test guest postgres mysql redis "
    "token changeme pw mypassword userpass x-oauth-basic"
)
_NOBODYS_PASSWORDS = frozenset(_PASSWORDS.split())
"""Passwords that documentation and tests use."""
_SHORTEST_WORD = 8
"""Letters of a password without digits; addresses such as `github://owner:name@main` have fewer."""
_PLAIN_START = re.compile(r"(?:[\w:;/%=-]|\\[.\\/]){2}(?![?*{+])")
"""Two characters that stand for themselves, at the start of an expression."""
_PACK = 24
"""Expressions that are looked for together."""
_ENTROPY_OF_LETTERS = 4.2
"""Bits a character of a value that a machine made although it happens to hold no digit."""
_LEAST_ENTROPY = 2.5
"""Bits a character of a value that a machine made; words have less where they repeat letters."""


def is_placeholder(secret: str) -> bool:
    """Return whether a text is a placeholder for a secret, as in documentation."""
    return bool(_PLACEHOLDER.search(secret))


def entropy(text: str) -> float:
    """Return the Shannon entropy of a text's characters, in bits a character."""
    size = len(text)
    shares = [count / size for count in Counter(text).values()]
    return -sum(share * math.log2(share) for share in shares)


def is_random(secret: str) -> bool:
    """Return whether a text looks made by a machine: letters and digits mixed, and no words."""
    has_both = any(map(str.isdigit, secret)) and any(map(str.isalpha, secret))
    if not has_both and entropy(secret) >= _ENTROPY_OF_LETTERS:
        return not (secret.islower() or secret.isupper())
    return has_both and entropy(secret) >= _LEAST_ENTROPY and not _WORDS.fullmatch(secret)


def is_random_value(_match: re.Match[str], secret: str) -> bool:
    """Return whether a value looks made by a machine and is neither a digest nor a UUID."""
    return is_random(secret) and not _DIGEST.fullmatch(secret) and not _CALL.match(secret)


def is_named_secret(match: re.Match[str], secret: str) -> bool:
    """Return whether the value of a name is a secret.

    Services give out keys that look like digests, so a digest behind a name as `API_KEY` is one.
    """
    if match["weak"] is not None or match["apart"] is not None:
        return is_random_value(match, secret)
    return is_random(secret) and not _CALL.match(secret)


def is_no_name(_match: re.Match[str], secret: str) -> bool:
    """Return whether a text is no name of words, such as a model's: `jina_embeddings_v2`."""
    return not _NAME.fullmatch(secret)


def is_address_password(match: re.Match[str], secret: str) -> bool:
    """Return whether the password in an address opens something."""
    is_word = secret.isalpha() and len(secret) < _SHORTEST_WORD
    is_nobodys = secret.lower() in _NOBODYS_PASSWORDS or secret == match["user"]
    return not (is_word or is_nobodys or _NOBODYS_HOSTS.match(match["host"]))


def always(_match: re.Match[str], _secret: str) -> bool:
    """Take every match."""
    return True


@dataclass(frozen=True)
class SecretRule:
    """A format of secrets."""

    kind: str
    """The kind of the secret, with an article."""
    pattern: str
    """Expression of `re`, in ASCII; the secret is its group `secret`, else its first, else all."""
    check: Check = always
    keywords: Sequence[str] = ()
    """Words in lower case, one of which a text with such a secret has; empty if none is known."""
    least_entropy: float = 0
    """Bits a character that such a secret has at least."""
    allowed: Sequence[str] = ()
    """Expressions for secrets that are known to be none."""

    @cached_property
    def _regex(self) -> re.Pattern[str]:
        return re.compile(self.pattern, re.ASCII | re.DOTALL)

    def secrets(self, text: str) -> Iterator[Secret]:
        """Yield the secrets of this format in a text, in order."""
        group: str | int = min(self._regex.groups, 1)
        if "secret" in self._regex.groupindex:
            group = "secret"
        for match in self._regex.finditer(text):
            start, stop = match.span(group)
            if start < 0:  # another alternative matched
                start, stop = match.span()
            secret = text[start:stop]
            if self._is_real(secret) and self.check(match, secret):
                yield Secret(self.kind, start, stop)

    def _is_real(self, secret: str) -> bool:
        if is_placeholder(secret) or entropy(secret) < self.least_entropy:
            return False
        return not any(re.search(pattern, secret) for pattern in self.allowed)


class Hints:
    """Expressions of which a text must match one to need a closer look.

    The expressions are those of pydantic (Rust's `regex`) and never backtrack. Expressions that
    begin with plain letters are looked for some at a time, at gigabytes a second. More at once
    would take an automaton, which is ten times slower, and a thousand times where it outgrows its
    cache.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        """Take expressions without look-around."""
        plain = []
        packs = []
        for pattern in dict.fromkeys(patterns):
            if _PLAIN_START.match(pattern):
                plain.append(pattern)
            else:
                packs.append(pattern)
        packs += ["|".join(plain[at : at + _PACK]) for at in range(0, len(plain), _PACK)]
        self._schemas = [SchemaValidator(core_schema.str_schema(pattern=pack)) for pack in packs]

    def are_in(self, text: str | bytes) -> bool:
        """Return whether a text, or UTF-8, holds one of them."""
        return any(schema.isinstance_python(text) for schema in self._schemas)


@dataclass(frozen=True)
class RuleGroup:
    """Rules that are tried where one of some hints is in a text."""

    hints: Sequence[str]
    rules: Sequence[SecretRule]

    @cached_property
    def _hints(self) -> Hints:
        return Hints(self.hints)

    def secrets(self, text: str) -> Iterator[Secret]:
        """Yield the secrets in a text that one of the rules finds, rule by rule."""
        checked = text if text.isascii() else text.encode(errors="replace")
        if not self._hints.are_in(checked):
            return
        lower = text.lower()
        for rule in self.rules:
            if not rule.keywords or any(keyword in lower for keyword in rule.keywords):
                yield from rule.secrets(text)
