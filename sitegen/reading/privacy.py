"""Finds what is nobody's business in texts before publication: keys, home folders, addresses, deceptive marks."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from pydantic_core import SchemaValidator, core_schema

from sitegen.models.submission import Submission
from sitegen.problems import Problem, Rule, counted, limited
from sitegen.reading.files import read_bytes
from sitegen.reading.toml import Document, parsed

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


SECRET_FOUND = Rule.error(
    "SECRET-FOUND",
    "No file holds a key.",
    "revoke the key, write `[redacted]` in its place, and run `sha256sum` over the bundle's files again",
    unwaivable="what was published once can't be taken back; where it is no secret, leave it out all the same",
)
PERSONAL_PATH = Rule.warning(
    "PERSONAL-PATH",
    "No file tells of a person's home folder.",
    "write `…/` in the place of the folders, and run `sha256sum` over the bundle's files again",
)
PERSONAL_EMAIL = Rule.warning(
    "PERSONAL-EMAIL",
    "A manifest has no e-mail address but that of `submitter.contact`.",
    "remove the address, or give it as `submitter.contact`",
)
TEXT_DECEPTIVE = Rule.warning(
    "TEXT-DECEPTIVE",
    "No text holds characters that turn its direction or drive a terminal.",
    "remove the characters, and run `sha256sum` over the bundle's files again",
)

_SHOWN = 4
"""Characters of a key that are repeated, so that its owner knows which it is."""
_NO_ONES = ("example.com", "example.org", "example.net", "noreply.github.com")
"""Hosts of addresses that are nobody's."""


def private_problems(path: Path, data: bytes) -> list[Problem]:
    """Which keys, home folders and deceptive characters a text holds."""
    if not may_be_private(data):
        return []
    lines = [(number, _plain(line)) for number, line in enumerate(data.split(b"\n"), start=1) if may_be_private(line)]
    found = ((number, kind, key) for number, text in lines for kind, key in keys_in(text))
    keys = (SECRET_FOUND.broken(path, number, f"{kind} stands here: {key[:_SHOWN]}…") for number, kind, key in found)
    return [
        *limited(keys),
        *_told_once(PERSONAL_PATH, path, lines, homes_in),
        *_told_once(
            TEXT_DECEPTIVE, path, lines, lambda text: (f"U+{ord(each[0]):04X}" for each in DECEPTIVE.finditer(text))
        ),
    ]


def file_problems(paths: Sequence[Path]) -> Iterator[Problem]:
    """What is private in files; that one can't be read is told by who needs it."""
    for path in paths:
        data, _ = read_bytes(path)
        yield from private_problems(path, data or b"")


def email_problems(manifest: Document[Submission]) -> Iterator[Problem]:
    """Which e-mail addresses a manifest has beside the one that may be asked."""
    submitter, text = manifest.raw.get("submitter"), manifest.places.text
    contact = str(submitter.get("contact")) if isinstance(submitter, Mapping) else ""
    for address in dict.fromkeys(EMAIL.findall(text)):
        is_nobodys = address.lower().endswith(_NO_ONES) or address.startswith("git@")
        if not is_nobodys and address not in contact:
            line = text.count("\n", 0, text.index(address)) + 1
            yield PERSONAL_EMAIL.broken(manifest.path, line, f"an e-mail address stands here: {address}")


def _told_once(
    rule: Rule, path: Path, lines: Sequence[tuple[int, str]], found_in: Callable[[str], Iterator[str]]
) -> Iterator[Problem]:
    """Tell of a whole file once: such texts come from a machine and are as many as its lines."""
    told = [(number, example) for number, text in lines if (example := next(found_in(text), None))]
    for number, example in told[:1]:
        yield rule.broken(path, number, f"{counted(len(told), 'line')} with such text, here {example}")


def _plain(line: bytes) -> str:
    """The texts of a line of JSON or TOML, or the line as it is where it is neither."""
    text = line.decode(errors="replace")
    for read in (json.loads, parsed):
        try:
            return "\n".join(_texts(read(text)))
        except (ValueError, RecursionError):
            pass
    return text


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield str(key)
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
