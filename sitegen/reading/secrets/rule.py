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
    """The kind of secret, with an article: "a GitHub token"."""
    start: int
    stop: int


Check = Callable[[re.Match[str], str], bool]
"""Returns whether a match is a secret; the second argument is the secret itself."""

_PLACEHOLDER = re.compile(
    r"example|placeholder|redacted|change[-_]?me|dummy|insert[-_]|replace[-_]"
    r"|your[-_ ]?(?:own|api|key|token|secret|password)"
    r"|my[-_](?:api|key|token|secret)|^(?:null|none|true|false|undefined)$"
    r"|([x*.0#_-])\1{7,}|\$\{|\{\{|<[a-z]",
    re.IGNORECASE,
)
"""Placeholders for secrets: `AKIA…EXAMPLE`, `sk-xxxxxxxx`, `your-api-key`."""
_WORDS = re.compile(r"[A-Za-z]{1,20}\d{0,4}(?:[-_./=]+(?:[A-Za-z]{1,20}\d{0,4}|\d{1,4}))*[-_./=]*")
"""Words, and names in code and paths, with few or no digits at the end."""
_NAME = re.compile(r"[A-Za-z]?[a-z]{1,19}\d{0,4}(?:[-_.](?:[A-Za-z]?[a-z]{0,19}\d{0,4}))+")
"""Words in lower case or capitalised, with few or no digits at the end."""
_DIGEST = re.compile(
    r"(?i:(?:sha\d{1,3}[:=-])?(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}"
    r"|[0-9a-f]{96}|[0-9a-f]{128})"
    r"|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
)
"""Digests, git commits and UUIDs, which are not secret even as values of names such as `token`."""
_CALL = re.compile(r"[\w.]+\(|.*\.(?:py|js|ts|go|rs|md|json|toml|html?|com|org)\b")
_NOBODYS_HOSTS = re.compile(
    r"(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1\]|(?:[\w-]+\.)*example(?:\.(?:com|org|net))?"
    r"|(?:[\w-]+\.)+(?:invalid|test|localhost))(?::\d*)?$",
    re.IGNORECASE,
)
"""Hosts of examples and tests, whose passwords need no protection."""
_PASSWORDS = (
    "password passwd pass pwd secret user username root admin test guest postgres mysql redis "
    "token changeme pw mypassword userpass x-oauth-basic"
)
_NOBODYS_PASSWORDS = frozenset(_PASSWORDS.split())
"""Passwords used in documentation and tests."""
_SHORTEST_WORD = 8
"""Minimum length of a password without digits; `name` in `github://owner:name@main` is shorter."""
_PLAIN_START = re.compile(r"(?:[\w:;/%=-]|\\[.\\/]){2}(?![?*{+])")
"""Two literal characters at the start of an expression."""
_PACK = 24
"""Number of expressions that are searched for together."""
_ENTROPY_OF_LETTERS = 4.2
"""Minimum entropy, in bits per character, of a machine-made value that has no digit by chance."""
_LEAST_ENTROPY = 2.5
"""Minimum entropy, in bits per character, of a machine-made value; repeated words have less."""


def is_placeholder(secret: str) -> bool:
    """Return whether a text is a placeholder for a secret, as used in documentation."""
    return bool(_PLACEHOLDER.search(secret))


def entropy(text: str) -> float:
    """Return the Shannon entropy of a text, in bits per character."""
    size = len(text)
    shares = [count / size for count in Counter(text).values()]
    return -sum(share * math.log2(share) for share in shares)


def is_random(secret: str) -> bool:
    """Return whether a text looks machine-made: letters mixed with digits, and no words."""
    has_both = any(map(str.isdigit, secret)) and any(map(str.isalpha, secret))
    if not has_both and entropy(secret) >= _ENTROPY_OF_LETTERS:
        return not (secret.islower() or secret.isupper())
    return has_both and entropy(secret) >= _LEAST_ENTROPY and not _WORDS.fullmatch(secret)


def is_random_value(_match: re.Match[str], secret: str) -> bool:
    """Return whether a value looks machine-made and is neither a digest nor a UUID."""
    return is_random(secret) and not _DIGEST.fullmatch(secret) and not _CALL.match(secret)


def is_named_secret(match: re.Match[str], secret: str) -> bool:
    """Return whether the value of a named setting is a secret.

    Some services issue keys that look like digests, so a digest named `API_KEY` is a secret.
    """
    if match["weak"] is not None or match["apart"] is not None:
        return is_random_value(match, secret)
    return is_random(secret) and not _CALL.match(secret)


def is_no_name(_match: re.Match[str], secret: str) -> bool:
    """Return whether a text is not a name made of words, such as the model `jina_embeddings_v2`."""
    return not _NAME.fullmatch(secret)


def is_address_password(match: re.Match[str], secret: str) -> bool:
    """Return whether the password in an address is worth protecting."""
    is_word = secret.isalpha() and len(secret) < _SHORTEST_WORD
    is_nobodys = secret.lower() in _NOBODYS_PASSWORDS or secret == match["user"]
    return not (is_word or is_nobodys or _NOBODYS_HOSTS.match(match["host"]))


def always(_match: re.Match[str], _secret: str) -> bool:
    """Accept every match."""
    return True


@dataclass(frozen=True)
class SecretRule:
    """A rule that matches one format of secrets."""

    kind: str
    """The kind of the secret, with an article."""
    pattern: str
    """Expression for `re`, in ASCII; the secret is group `secret`, else group 1, else the match."""
    check: Check = always
    keywords: Sequence[str] = ()
    """Lower-case words; any text with such a secret contains one of them. Empty if unknown."""
    least_entropy: float = 0
    """Minimum entropy of such a secret, in bits per character."""
    allowed: Sequence[str] = ()
    """Expressions for matches that are known not to be secrets."""

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
    """Expressions, at least one of which a text must match to need a closer search.

    The expressions are those of pydantic (Rust's `regex`) and never backtrack. Expressions that
    start with literal letters are searched for in small packs, at gigabytes a second. Larger packs
    would take an automaton, which is ten times slower, and a thousand times slower once it
    outgrows its cache.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        """Set the expressions, which may not contain look-around."""
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
        """Return whether a text, or UTF-8 bytes, matches any of the expressions."""
        return any(schema.isinstance_python(text) for schema in self._schemas)


@dataclass(frozen=True)
class RuleGroup:
    """Rules that are tried if a text matches one of their hints."""

    hints: Sequence[str]
    rules: Sequence[SecretRule]

    @cached_property
    def _hints(self) -> Hints:
        return Hints(self.hints)

    def secrets(self, text: str) -> Iterator[Secret]:
        """Yield the secrets that the rules find in a text, rule by rule."""
        checked = text if text.isascii() else text.encode(errors="replace")
        if not self._hints.are_in(checked):
            return
        lower = text.lower()
        for rule in self.rules:
            if not rule.keywords or any(keyword in lower for keyword in rule.keywords):
                yield from rule.secrets(text)
