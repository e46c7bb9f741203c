"""What is nobody's business in texts that are published: keys, folders of people's machines, deceptive characters."""

import re
from collections.abc import Iterator, Mapping

from pydantic_core import SchemaValidator, core_schema

KEY_KINDS: Mapping[str, "re.Pattern[str]"] = {
    "a private key": re.compile(
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL
    ),
    "an API key": re.compile(r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}"),
    "a payment key": re.compile(r"\b(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{16,}"),
    "a GitHub token": re.compile(r"\bgh[opusr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}"),
    "a GitLab token": re.compile(r"\bglpat-[\w-]{20,}"),
    "a Hugging Face token": re.compile(r"\bhf_[A-Za-z0-9]{20,}"),
    "an AWS key": re.compile(r"\bA(?:KI|SI)A[0-9A-Z]{16}\b"),
    "a Google key": re.compile(r"\bAIza[\w-]{35}"),
    "a Slack token": re.compile(r"\bxox[a-z]-[\w-]{10,}"),
    "a web token": re.compile(r"\beyJ[\w-]{8,500}+\.[\w-]{8,5000}+\.[\w-]{8,500}"),
}
"""Keys that can be told by their looks."""

KEYS = re.compile("|".join(kind.pattern for kind in KEY_KINDS.values()), re.DOTALL)
"""Any of them."""

_HOMES = re.compile(
    r"(?<![\w.])/(?:home|Users)/([A-Za-z0-9][\w.-]{0,63})|\b[A-Za-z]:\\+Users\\+([A-Za-z0-9][\w.-]{0,63})"
)
"""Folders that are called after somebody."""

_ACCOUNTS = (
    "admin agent app appuser bench build builder ci circleci coder debian default dev developer docker ec2-user eval "
    "gitpod jenkins jovyan me model node nonroot nobody openhands public python root runner sandbox shared student "
    "swe-agent test tester ubuntu user username users vagrant vscode work worker workspace you"
)
_NOBODY = frozenset(_ACCOUNTS.split())
"""Names of accounts that are nobody's."""

DECEPTIVE = re.compile(r"[\x1b\x9b\u202a-\u202e\u2066-\u2069]")
"""Characters that turn the direction of text, and those that drive a terminal."""

EMAIL = re.compile(r"\b[\w.+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}\b")

_HINTS = (
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY|(?:sk|pk|rk)-[A-Za-z0-9_-]{16}|(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{16}"
    r"|gh[opusr]_[A-Za-z0-9]{20}|github_pat_|glpat-|hf_[A-Za-z0-9]{20}|A(?:KI|SI)A[0-9A-Z]{16}|AIza[A-Za-z0-9_-]{30}"
    r"|xox[a-z]-|eyJ[A-Za-z0-9_-]{8}|/home/[A-Za-z0-9]|/Users/[A-Za-z0-9]|:\\+Users\\+[A-Za-z0-9]"
    r"|\\(?:u|U0000)(?:00[19][bB]|202[a-eA-E]|206[6-9])"
)
_MARKS = r"[\x1b\x{9b}\x{202a}-\x{202e}\x{2066}-\x{2069}]"
# The expressions are pydantic's, which read a gigabyte a second where the marks need not be looked for.
_PLAIN = SchemaValidator(core_schema.str_schema(pattern=_HINTS))
_WIDE = SchemaValidator(core_schema.str_schema(pattern=f"{_HINTS}|{_MARKS}"))


def may_be_private(text: bytes) -> bool:
    """Whether a text in UTF-8, such as lines of JSON, is worth a closer look. Hardly any is.

    Args:
        text: Any length: a list of failed cases has hundreds of megabytes. Raw control characters are
            looked for only in texts that are not plain ASCII; JSON and TOML have none.
    """
    return (_PLAIN if text.isascii() else _WIDE).isinstance_python(text)


def keys_in(text: str) -> Iterator[tuple[str, str]]:
    """The keys in a text, each with its kind."""
    for kind, pattern in KEY_KINDS.items():
        yield from ((kind, found[0]) for found in pattern.finditer(text))


def homes_in(text: str) -> Iterator[str]:
    """The home folders in a text that are called after a person."""
    for found in _HOMES.finditer(text):
        name = (found[1] or found[2]).rstrip(".")
        if name.lower() not in _NOBODY:
            yield found[0]
