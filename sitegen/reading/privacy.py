"""Finds what should not be published in texts: secrets, home folders, e-mail addresses, deceptive marks."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from sitegen.models.submission import Submission
from sitegen.problems import Problem, Rule, counted, limited
from sitegen.reading.files import read_bytes
from sitegen.reading.secrets import find_secrets, hint_patterns, without_secrets
from sitegen.reading.secrets.rule import Hints
from sitegen.reading.toml import Document, parsed

_NAME = r"([^\W_][\w.-]{0,63})"
HOME_ROOTS = (
    r"/(?:[a-z]|data\d{0,3}|disk\d{0,3}|raid\d{0,3}|ssd\d{0,3}|nvme\w{0,6}|vol\w{0,10}|var|mnt|nfs|net"
    r"|export|usr|srv|lustre|gpfs|beegfs|afs|fs|cluster|work|scratch|storage|shared|private|media"
    r"|cygdrive|Volumes)(?:/[\w.-]{1,40})?"
)
"""Folders that homes lie below on servers and clusters, and where Windows drives are mounted."""
_ENCODED = r"%(?:25)?2[Ff]"
_BACK = r"(?:\\+|/+|%(?:25)?5[Cc])"
_HOMES = re.compile(
    rf"(?<![\w.])/(?:home|Users)/{_NAME}"
    rf"|(?:(?<=file://)|(?<![\w./])){HOME_ROOTS}/(?:home|Users)/{_NAME}"
    rf"|(?:(?<=%2[Ff])|(?<![\w.%]))(?:{_ENCODED}[\w.-]{{1,40}}){{0,2}}{_ENCODED}(?:home|Users){_ENCODED}{_NAME}"
    rf"|\b[A-Za-z](?::|%3[Aa]){_BACK}(?i:Users){_BACK}{_NAME}"
    rf"|\\{{2,4}}[\w.$-]{{1,60}}(?:\\+[\w.$-]{{1,60}})?\\+(?:home|Users)\\+{_NAME}"
)
"""Folders that are called after somebody."""

_ACCOUNTS = (
    "admin agent app appuser bench build builder ci circleci coder debian default dev developer docker ec2-user eval "
    "gitpod jenkins jovyan linuxbrew me model node nonroot nobody openhands public python root runner sandbox shared "
    "student swe-agent test tester ubuntu user username users vagrant vscode work worker workspace you"
)
_NOBODY = frozenset(_ACCOUNTS.split())
"""Names of accounts that are nobody's."""

DECEPTIVE = re.compile(r"[\x1b\x9b\u202a-\u202e\u2066-\u2069]")
"""Characters that turn the direction of text, and those that drive a terminal."""

_EMAIL = re.compile(r"\b[\w.+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}\b")
_NO_ONES = re.compile(
    r"(?:git|no-?reply|donotreply)@.*|.*@(?:.*\.)?(?:example\.(?:com|org|net)|noreply\.github\.com)"
    r"|.*@.*\.(?:example|invalid|local|localhost|internal|png|jpe?g|gif|svg|webp|js|mjs|ts|css|json)",
    re.IGNORECASE,
)
"""Addresses that are nobody's, and names of files with an @ in them."""

_PERSONAL_HINTS = (
    r"/home/[^/\s\"'\\]",
    r"/Users/[^/\s\"'\\]",
    r":\\\\*(?i:users)",
    r":/[/]*(?i:users)",
    r":%(?:25)?5[Cc]",
    r"%3[Aa]%(?:25)?5[Cc]",
    r"\\/(?:home|Users)\\/",
    r"\\home\\",
    r"\\Users\\",
    r"home%(?:25)?2[Ff]",
    r"Users%(?:25)?2[Ff]",
    r"@[A-Za-z0-9-]+\.[A-Za-z]",
)
_ESCAPES = r"\\(?:u|U0000)(?:00(?:1[bB]|9[bB]|[2-7])|202[a-eA-E]|206[6-9])"
"""Escapes of plain letters, digits and marks, behind which anything may hide, and of marks that deceive."""
_MARKS = r"[\x1b\x{9b}\x{202a}-\x{202e}\x{2066}-\x{2069}]"


@cache
def _hints(*, with_marks: bool) -> Hints:
    """Return what a text holds that is worth a closer look; the marks need not be looked for in ASCII."""
    marks = (_MARKS,) if with_marks else ()
    return Hints((*hint_patterns(), *_PERSONAL_HINTS, _ESCAPES, *marks))


def may_be_private(text: bytes) -> bool:
    """Whether a text in UTF-8, such as lines of JSON, is worth a closer look. Hardly any is.

    Args:
        text: Any length: a list of failed cases has hundreds of megabytes. Raw control characters are
            looked for only in texts that are not plain ASCII; JSON and TOML have none.
    """
    return _hints(with_marks=not text.isascii()).are_in(text)


def keys_in(text: str) -> Iterator[tuple[str, str]]:
    """The secrets in a text, each with its kind."""
    for secret in find_secrets(text):
        yield secret.kind, text[secret.start : secret.stop]


def homes_in(text: str) -> Iterator[str]:
    """The home folders in a text that are called after a person."""
    for found in _HOMES.finditer(text):
        name = next(filter(None, found.groups())).rstrip(".")
        if name.lower() not in _NOBODY:
            yield found[0]


def emails_in(text: str) -> Iterator[str]:
    """The e-mail addresses in a text that are a person's."""
    if "@" in text:
        for found in _EMAIL.finditer(without_secrets(text)):  # a password stands before an @, too
            if not _NO_ONES.fullmatch(found[0]):
                yield found[0]


def without_emails(text: str, replacement: str) -> str:
    """A text with something else in the place of persons' e-mail addresses."""
    if "@" not in text:
        return text
    return _EMAIL.sub(lambda found: found[0] if _NO_ONES.fullmatch(found[0]) else replacement, text)


_MANIFEST_NAME = "submission.toml"

SECRET_FOUND = Rule.error(
    "SECRET-FOUND",
    "No file holds a key, a password or another secret.",
    "revoke it, write `[redacted]` in its place, and run `sha256sum` over the bundle's files again",
    unwaivable="what was published once can't be taken back; where it is no secret, leave it out all the same",
)
PERSONAL_PATH = Rule.warning(
    "PERSONAL-PATH",
    "No file tells of a person's home folder.",
    "write `…/` in the place of the folders, and run `sha256sum` over the bundle's files again",
)
PERSONAL_EMAIL = Rule.warning(
    "PERSONAL-EMAIL",
    "No file has an e-mail address but that of `submitter.contact`.",
    "remove the address, or give it as `submitter.contact`",
)
TEXT_DECEPTIVE = Rule.warning(
    "TEXT-DECEPTIVE",
    "No text holds characters that turn its direction or drive a terminal.",
    "remove the characters, and run `sha256sum` over the bundle's files again",
)

_SHOWN = 4
"""Characters of a secret that are repeated at most, and of four one: its owner knows which it is."""


def _start(secret: str) -> str:
    return secret[: min(_SHOWN, len(secret) // 4)]


def private_problems(path: Path, data: bytes) -> list[Problem]:
    """Which secrets, home folders, e-mail addresses and deceptive characters a text holds.

    The addresses of a manifest are left to `email_problems`, which knows the one that may be asked.
    """
    lines = [(number, _plain(line)) for number, line in _suspect_lines(data)]
    emails = (
        () if path.name == _MANIFEST_NAME else _told_once(PERSONAL_EMAIL, path, lines, emails_in)
    )
    return [
        *_secret_problems(path, lines),
        *_told_once(PERSONAL_PATH, path, lines, homes_in),
        *emails,
        *_told_once(TEXT_DECEPTIVE, path, lines, _marks_in),
    ]


def secret_problems(path: Path, data: bytes) -> list[Problem]:
    """Which secrets a text holds."""
    lines = [(number, _plain(line)) for number, line in _suspect_lines(data)]
    return list(_secret_problems(path, lines))


def _secret_problems(path: Path, lines: Sequence[tuple[int, str]]) -> Iterator[Problem]:
    problems = []
    for number, text in lines:
        for kind, secret in keys_in(text):
            what = f"{kind} stands here: {_start(secret)}…"
            problems.append(SECRET_FOUND.broken(path, number, what))
    return limited(problems)


def _marks_in(text: str) -> Iterator[str]:
    for found in DECEPTIVE.finditer(text):
        yield f"U+{ord(found[0]):04X}"


_PIECE = 64 * 1024
"""Bytes that are looked at together before their lines are."""


def _suspect_lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are worth a closer look, each with its number from 1."""
    number, start = 1, 0
    while start < len(data):
        end = data.find(b"\n", start + _PIECE) + 1 or len(data)
        piece = data[start:end]
        if may_be_private(piece):
            for place, line in enumerate(piece.split(b"\n"), start=number):
                if may_be_private(line):
                    yield place, line
        number += piece.count(b"\n")
        start = end


def file_problems(paths: Sequence[Path]) -> Iterator[Problem]:
    """What is private in files; that one can't be read is told by who needs it."""
    for path in paths:
        data, _ = read_bytes(path)
        yield from private_problems(path, data or b"")


def email_problems(manifest: Document[Submission]) -> Iterator[Problem]:
    """Which e-mail addresses a manifest has beside the one that may be asked."""
    submitter, text = manifest.raw.get("submitter"), manifest.places.text
    contact = str(submitter.get("contact")) if isinstance(submitter, Mapping) else ""
    for address in dict.fromkeys(emails_in(text)):
        if address not in contact:
            line = text.count("\n", 0, text.index(address)) + 1
            yield PERSONAL_EMAIL.broken(
                manifest.path, line, f"an e-mail address stands here: {address}"
            )


def _told_once(
    rule: Rule,
    path: Path,
    lines: Sequence[tuple[int, str]],
    found_in: Callable[[str], Iterator[str]],
) -> Iterator[Problem]:
    """Tell of a whole file once: such texts come from a machine and are as many as its lines."""
    told = [(number, example) for number, text in lines if (example := next(found_in(text), None))]
    for number, example in told[:1]:
        yield rule.broken(
            path, number, f"{counted(len(told), 'line')} with such text, here {example}"
        )


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
            if isinstance(inner, str):
                yield f"{key} = {inner}"  # the name says what the value is
            else:
                yield str(key)
                yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
